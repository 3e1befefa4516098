#!/bin/sh
# lode-sync at a tiny size on every engine that was built in, with signatures and without: every row must end with the
# same coins and transaction index, or it is refused and this fails.
set -eu

build=$(pwd)
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
[ -x bench/lode-sync ] || { echo "sync_test: lode-sync was not built (the linker has no --wrap)"; exit 77; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

fail() {
    echo "sync_test: $*" >&2
    exit 1
}

# nothing of the store's that coins and transaction index call is left without a stand-in
if command -v nm >/dev/null && [ -e "$build/.libs/libchainstate.a" ]; then
    for name in $(nm -u "$build/.libs/libchainstate.a" "$build/.libs/libtxindex.a" | awk '$1 == "U" { print $2 }' | sort -u); do
        case $name in
        lode_store_free | lode_store_options_init | lode_iterator_options_init) ;; # of no store
        lode_store_* | lode_run_* | lode_runs_* | lode_iterator_* | lode_snapshot_*)
            grep -q "=$name\b" "$source/bench/sync/local.mk" || fail "bench/sync/between.c does not stand before $name"
            ;;
        esac
    done
fi

sync="$build/bench/lode-sync -room=room -rounds=1 -no-sync"
engines=$($sync -list | awk '!/no rows/ { print $1 }')
[ -n "$engines" ] || fail "no engine is listed"

$sync -size=400K -json=result.json >result.txt 2>log.txt || fail "$(cat log.txt result.txt)"
! grep -q refused result.txt || fail "a row was refused: $(cat result.txt)"
for engine in $engines; do
    grep -q "^$engine, defaults  " result.txt || fail "no row of $engine with signatures: $(cat result.txt)"
    grep -q "^$engine, defaults, no signatures  " result.txt || fail "no row of $engine without: $(cat result.txt)"
done
grep -q '^lode, bloom + 30 MB cache, no signatures ' result.txt || fail "no row with filter and cache"
grep -q '"hash_serialized_3": "[0-9a-f]\{64\}"' result.json || fail "no set hash in JSON"

# the figures of 2012, and their ratios: 5766.836 / 3052.74 and 2571.508 / 778.998 to Berkeley DB, 3053.054 / 778.998 for
# signatures
case " $(echo $engines) " in *" leveldb "*)
    grep -q '^leveldb, 10-bit bloom  *3053  *3219  *185.0 .* 424.0 .* 1.89 ' result.txt || fail "no figures of 2012: $(cat result.txt)"
    grep -q '^leveldb, bloom + 30 MB cache, no signatures  *779.0  *702.3 .* 3.30 ' result.txt || fail "no figures of 2012"
    grep -q '^leveldb, bloom + 30 MB cache  *3053  *3207 .* 3.92 ' result.txt || fail "no ratio of 2012"
    ;;
esac

# a block at a time, of the kept chain, as Markdown and as JSON alone
$sync -each-block -config=defaults -signatures=no -markdown room/2012.dat >table.md 2>log.txt || fail "$(cat log.txt table.md)"
[ "$(sed '/^| 2012/,$d' table.md | grep -c '^| [a-z-]*, defaults, no signatures |')" -eq "$(echo "$engines" | wc -l)" ] || fail "not a row for each engine: $(cat table.md)"
$sync -engine=lode -config=bloom -json room/2012.dat >alone.json 2>log.txt || fail "$(cat log.txt)"
if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
r = json.load(open("alone.json"))
assert [(x["engine"], x["config"], len(x["runs"])) for x in r["rows"]] == [("lode", "bloom", 1)] * 2
assert r["transactions"] == r["index_entries"]
' || fail "JSON says something else: $(cat alone.json)"
fi

# what is wrong is said
for wrong in -rounds=0 -chain=2013 -config=other -signatures=some -network=main -dbcache=1 -size=0 -unknown; do
    status=0
    $sync "$wrong" >wrong.txt 2>&1 || status=$?
    [ $status -eq 2 ] && [ -s wrong.txt ] || fail "$wrong ended with status $status"
done
for wrong in "-engine=none" "missing.dat" "result.txt" "-engine=lode -config=bloom -genchain=./missing -size=1M"; do
    status=0
    $sync $wrong >wrong.txt 2>&1 || status=$?
    [ $status -eq 1 ] && [ -s wrong.txt ] || fail "$wrong ended with status $status: $(cat wrong.txt)"
done
