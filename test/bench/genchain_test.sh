#!/bin/sh
# test/bench/genchain_test.sh: the program lode-genchain, from its command line.
#
# Where bitcoind is named by $BITCOIND or stands in the path, it imports the chain and has the last word.
set -eu

program=$(pwd)/lode-genchain
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

fail() {
    echo "genchain_test: $*" >&2
    exit 1
}

# same bytes for any number of threads
"$program" --mix=all --blocks=130 --forks=4 --bad-forks=3 --invalid=all --muhash --txs-per-block=12 --keys=64 --threads=1 \
    --manifest=one.json --out=one.dat 2>one.log
"$program" --mix=all --blocks=130 --forks=4 --bad-forks=3 --invalid=all --muhash --txs-per-block=12 --keys=64 --threads=4 \
    --manifest=four.json --out=four.dat 2>four.log
cmp one.dat four.dat || fail "four threads made other bytes than one"
cmp one.json four.json || fail "four threads made another manifest than one"

# counts: genesis, the chain, every kind of invalid block, forks of depth 1, 2, 3 and 1, and bad ones of 1, 2 and 3
kinds=$("$program" --list-kinds | sed '1,/^Invalid/d' | wc -l)
[ "$(grep -c '"main"' one.json)" -ge 131 ] || fail "fewer blocks than asked for"
[ "$(grep -c '"reject"' one.json)" -eq $((kinds + 6)) ] || fail "not one invalid block of each of $kinds kinds"
[ "$(grep -c '"side"' one.json)" -eq 13 ] || fail "not thirteen good blocks on seven side branches"
[ "$(($(sed 's/.*"size": \([0-9]*\).*/\1 + 8 +/' one.json | tr '\n' ' ') 0))" -eq "$(wc -c <one.dat)" ] ||
    fail "the manifest's sizes are not the file's"

# shuffled: other order, same blocks; in a directory, obfuscated, still as many bytes
"$program" --mix=2012 --blocks=120 --keys=64 --txs-per-block=20 --out=straight.dat 2>/dev/null
"$program" --mix=2012 --blocks=120 --keys=64 --txs-per-block=20 --out=shuffled.dat --shuffle=16 2>/dev/null
mkdir blocks
"$program" --mix=2012 --blocks=120 --keys=64 --txs-per-block=20 --out=blocks --xor-key=0123456789abcdef 2>/dev/null
! cmp -s straight.dat shuffled.dat || fail "shuffling changed nothing"
[ "$(wc -c <straight.dat)" -eq "$(wc -c <shuffled.dat)" ] || fail "shuffling lost bytes"
[ "$(wc -c <straight.dat)" -eq "$(wc -c <blocks/blk00000.dat)" ] || fail "the directory has other bytes"
[ "$(od -An -tx1 blocks/xor.dat | tr -d ' ')" = 0123456789abcdef ] || fail "xor.dat is not the key"
[ ! -e shuffled.dat.part ] || fail "the unshuffled file was left behind"

# size, set and tail
"$program" --size=1M --empty-tail=5 --txs-per-block=100 --keys=64 --manifest=m.json --out=- 2>/dev/null | wc -c >bytes
[ "$(cat bytes)" -gt 1000000 ] && [ "$(cat bytes)" -lt 1200000 ] || fail "--size=1M made $(cat bytes) bytes"
[ "$(tail -n 5 m.json | grep -c '"txs": 1,')" -eq 5 ] || fail "the tail is not empty"
"$program" --grow=20K --keys=64 --out=grown.dat 2>grown.log
coins=$(sed -n 's/.* \([0-9]*\) coins$/\1/p' grown.log)
[ "$coins" -ge 20000 ] && [ "$coins" -lt 30000 ] || fail "--grow=20K ended with $coins coins"

# what is wrong is said, with status 2
for wrong in --mix=2013 --blocks=x --invalid=nonsense --fan-out=101 --xor-key=12 --unknown; do
    status=0
    "$program" --out=x.dat $wrong 2>wrong.log || status=$?
    [ $status -eq 2 ] && [ -s wrong.log ] || fail "$wrong ended with status $status"
done

bitcoind=${BITCOIND:-$(command -v bitcoind || true)}
if [ -z "$bitcoind" ]; then
    echo "genchain_test: no bitcoind, so it was not asked"
    exit 0
fi
cli=$(dirname "$bitcoind")/bitcoin-cli
port=$((20000 + $$ % 20000))
mkdir core
"$bitcoind" -regtest -datadir="$room/core" -loadblock="$room/one.dat" -stopafterblockimport -connect=0 -listen=0 \
    -rpcport=$port -printtoconsole=0 -checkblockindex=0
"$bitcoind" -regtest -datadir="$room/core" -connect=0 -listen=0 -rpcport=$port -printtoconsole=0 \
    -checkblockindex=0 -daemonwait >/dev/null
best=$("$cli" -regtest -datadir="$room/core" -rpcport=$port getbestblockhash)
set=$("$cli" -regtest -datadir="$room/core" -rpcport=$port gettxoutsetinfo muhash | sed -n 's/.*"muhash": "\(.*\)".*/\1/p')
"$cli" -regtest -datadir="$room/core" -rpcport=$port stop >/dev/null
while [ -e core/regtest/bitcoind.pid ]; do
    sleep 0.1
done
[ "$best" = "$(sed -n 's/.* tip //p' one.log)" ] || fail "bitcoind stops at $best"
[ "$set" = "$(sed -n 's/^muhash //p' one.log)" ] || fail "bitcoind's coins are $set"
