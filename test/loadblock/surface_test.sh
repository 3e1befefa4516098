#!/bin/sh
# What strangers meet: the public headers compile alone as C11 and C++17 without a warning, and the library exports the
# functions of the public headers and nothing else.
SOURCE=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/lode-surface.XXXXXX") || exit 99
trap 'rm -rf "$WORK"' EXIT
STATUS=0

fail() {
	echo "FAIL $*"
	STATUS=1
}

compile() { # compiler, what, source
	if ! command -v "$1" >/dev/null; then
		echo "skipped: $1 is absent"
		return
	fi
	compiler=$1 source=$3
	shift 3
	"$compiler" "$@" -pedantic-errors -Wall -Wextra -Werror -I"$SOURCE/include" -c -o "$WORK/out.o" "$source" || fail "$compiler $*"
}

for header in lode.h lode/status.h lode/store.h; do
	printf '#include "%s"\n#include "%s"\nint unused_by_anyone;\n' $header $header >"$WORK/header.c"
	cp "$WORK/header.c" "$WORK/header.cpp"
	compile cc C11 "$WORK/header.c" -std=c11
	compile clang C11 "$WORK/header.c" -std=c11
	compile c++ C++17 "$WORK/header.cpp" -std=c++17
done

LIBRARY=.libs/liblode.so
if [ ! -f $LIBRARY ] || ! command -v nm >/dev/null; then
	echo "skipped: no shared library here, or no nm"
	exit $STATUS
fi
grep -ho 'LODE_API [^;(]*[ *]lode_[a-z0-9_]*(' "$SOURCE/include/lode.h" "$SOURCE/include/lode/store.h" |
	sed 's/.*[ *]\(lode_[a-z0-9_]*\)($/\1/' | sort -u >"$WORK/promised"
nm -D --defined-only $LIBRARY | awk '{ print $NF }' | sed 's/@.*//' |
	grep -v -e '^LODE_0' -e '^__asan' -e '^__odr_asan' -e '^__sanitizer' -e '^__ubsan' -e '^__tsan' | sort -u >"$WORK/exported"
[ -s "$WORK/promised" ] || fail "no function is found in the headers"
comm -13 "$WORK/promised" "$WORK/exported" >"$WORK/more"
comm -23 "$WORK/promised" "$WORK/exported" >"$WORK/less"
[ -s "$WORK/more" ] && fail "exported, and in no public header: $(tr '\n' ' ' <"$WORK/more")"
[ -s "$WORK/less" ] && fail "in a public header, and not exported: $(tr '\n' ' ' <"$WORK/less")"
echo "$(wc -l <"$WORK/exported") functions are exported"
exit $STATUS
