#!/bin/sh
# test/bench/import_bench_test.sh: lode-import-bench runs each kind of row on a tiny chain, without bitcoind.
set -eu

build=$(pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

fail() {
    echo "import_bench_test: $*" >&2
    exit 1
}

# rows of lode alone and the floor, in text and JSON, and every run ends with the same coins
"$build/bench/lode-import-bench" --bitcoind= --lode="$build/lode" --genchain="$build/lode-genchain" --room=room \
    --chains=2012 --size=200K --rounds=2 --par=2 --json=result.json \
    --rows=reindex,import_scripts,txindex_alone,reindex_shuffled \
    >result.txt 2>log.txt || fail "$(cat log.txt result.txt)"
grep -q '^# 0*[0-9]* missed, 0 refused$' result.txt || fail "a row was refused: $(cat result.txt)"
[ "$(grep -c '/lode n=' result.txt)" -eq 4 ] || fail "not four rows: $(cat result.txt)"
grep -q '^import_scripts/2012/floor n=[1-9]' result.txt || fail "no floor: $(cat result.txt)"
grep -q '^import_scripts/2012/lode_over_floor x ' result.txt || fail "no ratio to the floor"
grep -q '"wall_seconds": \[[0-9.]*, [0-9.]*\]' result.json || fail "no two rounds in JSON"

# the report replaces what stands between its marks, and nothing else
top=${srcdir:-$build/..}
case $top in /*) ;; *) top=$build/$top ;; esac
if command -v python3 >/dev/null; then
    printf 'before\n<!-- import report: begin -->\nold\n<!-- import report: end -->\nafter\n' >doc.md
    python3 "$top/bench/import_report.py" doc.md chart.svg result.json || fail "no report"
    { grep -q '^before$' doc.md && grep -q '^after$' doc.md && ! grep -q '^old$' doc.md; } || fail "$(cat doc.md)"
    [ "$(grep -c '^| import_scripts | ' doc.md)" -eq 1 ] || fail "no row in the report: $(cat doc.md)"
    grep -q '>floor [0-9.]*<' chart.svg || fail "no bar of the floor"
fi

# block files that are named, and kept chains
"$build/bench/lode-import-bench" --bitcoind= --lode="$build/lode" --room=room --rows=import --rounds=1 --json \
    room/2012.dat >named.json 2>log.txt || fail "$(cat log.txt)"
grep -q '"name": "given"' named.json || fail "files that are named are not measured"

# what is wrong is said, with status 2; a chain that does not import is refused, with status 1
for wrong in --rounds=0 --par=x --bitcoind=missing --network=main --unknown; do
    status=0
    "$build/bench/lode-import-bench" --room=room "$wrong" >wrong.txt 2>&1 || status=$?
    [ $status -eq 2 ] && [ -s wrong.txt ] || fail "$wrong ended with status $status"
done
status=0
"$build/bench/lode-import-bench" --bitcoind= --lode="$build/lode" --room=room missing.dat >wrong.txt 2>&1 || status=$?
[ $status -eq 1 ] && grep -q refused wrong.txt || fail "a missing file ended with status $status: $(cat wrong.txt)"
