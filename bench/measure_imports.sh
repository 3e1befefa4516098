#!/bin/sh
# bench/measure_imports.sh: the tables and the chart of imports in doc/measurements.md, in one command.
#
#     bench/measure_imports.sh [BUILD [CHAINS [ROOM]]]
#
# BUILD (default build) has lode and the benchmarks. CHAINS (default ROOM/chains) is where the made chains lie; what is
# missing there is made, which takes some five minutes. ROOM (default measure_imports.tmp) takes data directories, some
# 5 GB, and results. With the chains there a run takes about 12 minutes on two processors; Bitcoin Core is found by
# $BITCOIND or the path, and rows have no rival without it.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$top/build}
room=${3:-measure_imports.tmp}
chains=${2:-$room/chains}
mkdir -p "$room" "$chains"

# make_chain NAME OPTION...: NAME.dat, unless it is there
make_chain() {
    name=$1
    shift
    [ ! -f "$chains/$name.dat" ] || return 0
    "$build/lode-genchain" "$@" --out="$chains/$name.tmp" > "$chains/$name.dat.log" 2>&1
    mv "$chains/$name.tmp" "$chains/$name.dat"
}
make_chain gen-5m --mix=2024 --size=950M --old-coins --empty-tail=2017
make_chain gen-coins --mix=2024 --grow=3100K --fan-out=7 --old-coins=60 --empty-tail=2017
make_chain gen-2024-small --mix=2024 --size=60M
make_chain gen-2017 --mix=2017 --size=200M --empty-tail=2017
make_chain gen-2012 --mix=2012 --size=200M --empty-tail=2017

# measure RESULT CHAIN ROUNDS ROWS
measure() {
    date
    "$build/bench/lode-import-bench" --room="$room/run" --rounds="$3" --rows="$4" --json="$room/$1.json" \
        "$chains/$2.dat" || echo "$1: a row was refused"
    rm -rf "$room/run"
}
measure 2024-5M gen-5m 3 import,reindex,txindex_added,txindex_alone,processors
measure coins-3M gen-coins 2 import,reindex,small_cache,small_reindex,quarter_cache,cold_reindex
measure 2024-scripts gen-2024-small 3 import_scripts
measure 2017 gen-2017 3 import,cold,one_thread
measure 2012 gen-2012 3 import
date
cd "$room"
python3 "$top/bench/import_report.py" "$top/doc/measurements.md" "$top/doc/import.svg" \
    2024-5M.json coins-3M.json 2024-scripts.json 2017.json 2012.json
