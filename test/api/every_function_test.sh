#!/bin/sh
# Every function that liblode.so exports is called by a test, and stands in a version of the library.
SOURCE=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
LIBRARY=.libs/liblode.so
STATUS=0

if [ ! -f $LIBRARY ] || ! command -v nm >/dev/null; then
	echo "skipped: no shared library here, or no nm"
	exit 77
fi
NAMES=$(nm -D --defined-only $LIBRARY | awk '{ print $NF }' | grep '^lode_')
[ -n "$NAMES" ] || { echo "FAIL no function is exported"; exit 1; }
TESTS=$(find "$SOURCE/test" -name '*.c')
for name in $NAMES; do
	case $name in
	*@@LODE_0.*) ;;
	*) echo "FAIL $name is in no version"; STATUS=1 ;;
	esac
	plain=${name%%@*}
	grep -qwF "$plain" $TESTS || { echo "FAIL no test calls $plain"; STATUS=1; }
done
echo "$(echo "$NAMES" | wc -l) functions"
exit $STATUS
