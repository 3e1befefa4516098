#!/bin/sh
# Every suite of lode-bench at a tiny size, on every engine that was built in: counts and checksums must be right.
set -u
bench=./bench/lode-bench
room=lode_bench_test.tmp
trap 'rm -rf "$room"' EXIT
rm -rf "$room" && mkdir "$room" || exit 1

"$bench" --list >"$room/list" || exit 1
for suite in $(sed -n '/^Suites/,/^Engines/s/^  \([^ ]*\) .*/\1/p' "$room/list"); do
	most=20
	[ "$suite" != documents-2003 ] || most=100
	if ! "$bench" --size=tiny --rounds=1 --files-most=$most --room="$room/$suite" --json="$room/$suite.json" "$suite" >"$room/$suite.txt" 2>"$room/$suite.errors"; then
		echo "lode-bench $suite failed:"
		cat "$room/$suite.errors"
		exit 1
	fi
	if ! grep -q '"state": "good"' "$room/$suite.json" || grep -q '"state": "wrong"' "$room/$suite.json"; then
		echo "lode-bench $suite says that something is wrong, or nothing"
		exit 1
	fi
	[ ! -e "$room/$suite" ] || { echo "lode-bench $suite leaves files"; exit 1; }
done

# Every engine returned the same sums in each row that it can do.
if command -v python3 >/dev/null; then
	python3 - "$room"/*.json <<'END' || exit 1
import json, sys
for path in sys.argv[1:]:
    for row in json.load(open(path))["rows"]:
        seen = {(r["count"], r["sum"]) for c in row["cells"] if c["state"] == "good" for r in c["rounds"]}
        if len(seen) > 1:
            sys.exit("%s: engines differ in row %s: %s" % (path, row["row"], seen))
END
fi
"$bench" --size=tiny no-such-suite 2>/dev/null
[ $? = 2 ] || { echo "a suite that is not there must be refused"; exit 1; }
