#!/bin/sh
# The interface is whole: every function of the header, and of LevelDB's own where that is installed, is exported, and
# nothing else is; every one is called by the program of the transcript. The header compiles alone as C11 and C++17.
SOURCE=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/lode-leveldb.XXXXXX") || exit 99
trap 'rm -rf "$WORK"' EXIT
STATUS=0

fail() {
	echo "FAIL $*"
	STATUS=1
}

functions_of() { # a header, without its comments
	cc -E -P "$@" | tr '\n' ' ' | grep -o 'leveldb_[a-z_]*[ ]*(' | tr -d ' (' | sort -u
}

lacks() { # what is missing, where
	[ -s "$WORK/missing" ] && fail "$1: $(tr '\n' ' ' <"$WORK/missing")"
}

HEADER="$SOURCE/include/lode-leveldb/leveldb/c.h"
functions_of "$HEADER" >"$WORK/ours"
[ "$(wc -l <"$WORK/ours")" -ge 68 ] || fail "only $(wc -l <"$WORK/ours") functions are found in the header"

printf '#include <leveldb/c.h>\n' >"$WORK/theirs.c"
if functions_of "$WORK/theirs.c" >"$WORK/theirs" 2>/dev/null && [ -s "$WORK/theirs" ]; then
	comm -3 "$WORK/ours" "$WORK/theirs" >"$WORK/missing"
	lacks "in one header only"
else
	echo "skipped: LevelDB's own header is absent"
fi

cat "$SOURCE"/test/leveldb/calls*.c | grep -o 'leveldb_[a-z_]*(' | tr -d '(' | sort -u >"$WORK/called"
comm -23 "$WORK/ours" "$WORK/called" >"$WORK/missing"
lacks "never called"

LIBRARY=.libs/liblode-leveldb.so
if [ -f $LIBRARY ] && command -v nm >/dev/null; then
	nm -D --defined-only $LIBRARY | awk '{ print $NF }' | sed 's/@.*//' |
		grep -v -e '^__asan' -e '^__odr_asan' -e '^__sanitizer' -e '^__ubsan' -e '^__tsan' | sort -u >"$WORK/exported"
	comm -3 "$WORK/ours" "$WORK/exported" >"$WORK/missing"
	lacks "exported and not declared, or the other way round"
	echo "$(wc -l <"$WORK/exported") functions are exported"
else
	echo "skipped: no shared library here, or no nm"
fi

compile() { # compiler, language, options
	if ! command -v "$1" >/dev/null; then
		echo "skipped: $1 is absent"
		return
	fi
	printf '#include <leveldb/c.h>\n#include <leveldb/c.h>\nint unused_by_anyone = leveldb_snappy_compression;\n' >"$WORK/alone.$2"
	"$1" "$3" -pedantic-errors -Wall -Wextra -Werror -I"$SOURCE/include/lode-leveldb" -c -o "$WORK/out.o" \
		"$WORK/alone.$2" || fail "$*"
}
compile cc c -std=c11
compile clang c -std=c11
compile c++ cpp -std=c++17
exit $STATUS
