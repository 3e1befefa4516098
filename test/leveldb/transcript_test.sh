#!/bin/sh
# One program, built with liblode-leveldb and, where that is installed, with Debian's libleveldb, prints the same; and
# each reads the stores that the other wrote: plain and packed, with orders and filters of the caller's.
SOURCE=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/test/leveldb
PROGRAMS=test/leveldb
WORK=$(mktemp -d "${TMPDIR:-/tmp}/lode-leveldb.XXXXXX") || exit 99
trap 'rm -rf "$WORK"' EXIT
STATUS=0

compare() { # what, expected, got
	if cmp -s "$2" "$3"; then
		echo "ok $1"
	else
		echo "FAIL $1"
		diff "$2" "$3" | head -20
		STATUS=1
	fi
}

LIBRARIES=calls
if [ -x $PROGRAMS/calls_rival ]; then
	LIBRARIES="calls calls_rival"
else
	echo "skipped: Debian's libleveldb is absent, so this is held against what it said when it was there"
fi

for library in $LIBRARIES; do
	$PROGRAMS/$library transcript "$WORK/$library" >"$WORK/$library.txt" 2>"$WORK/$library.err" || {
		echo "FAIL $library: status $?"
		STATUS=1
	}
	head -20 "$WORK/$library.err"
	compare "$library says what is expected" "$SOURCE/transcript.txt" "$WORK/$library.txt"
done
for writer in $LIBRARIES; do
	for reader in $LIBRARIES; do
		rm -rf "$WORK/stores"
		$PROGRAMS/$writer write "$WORK/stores" && $PROGRAMS/$reader read "$WORK/stores" >"$WORK/read.txt" || {
			echo "FAIL $writer, then $reader: a status that is not 0"
			STATUS=1
		}
		compare "$writer writes, $reader reads" "$SOURCE/cross.txt" "$WORK/read.txt"
	done
done

# Random steps read the same with both, also when they take turns with one store: every seed goes on where the last was.
[ "$LIBRARIES" = calls ] || for seed in 1 2 ${LODE_TEST_SEED:-3}; do
	for library in $LIBRARIES; do
		$PROGRAMS/$library $seed "$WORK/random-$library" >"$WORK/$library.txt" || {
			echo "FAIL $library, seed $seed: status $?"
			STATUS=1
		}
	done
	compare "random steps, seed $seed" "$WORK/calls_rival.txt" "$WORK/calls.txt"
	mv "$WORK/random-calls" "$WORK/swap" && mv "$WORK/random-calls_rival" "$WORK/random-calls" &&
		mv "$WORK/swap" "$WORK/random-calls_rival"
done

# A program that is linked with libleveldb runs with ours in its place. LevelDB writes a LOG, we do not.
OURS=$PWD/.libs/liblode-leveldb.so
if [ ! -x $PROGRAMS/calls_rival ] || [ ! -f "$OURS" ] || nm -D "$OURS" | grep -q -e __asan -e __tsan -e __ubsan; then
	echo "skipped: nothing to preload, or nothing to preload it to, or sanitizers in it"
else
	rm -rf "$WORK/stores"
	LD_PRELOAD=$OURS $PROGRAMS/calls_rival transcript "$WORK/stores" >"$WORK/read.txt"
	compare "our library in place of LevelDB's says what is expected" "$SOURCE/transcript.txt" "$WORK/read.txt"
	[ -f "$WORK/stores/basics/LOG" ] && echo "FAIL it was not in its place" && STATUS=1
	[ -f "$WORK/calls_rival/basics/LOG" ] || echo "note: no LOG of LevelDB's either"
fi
exit $STATUS
