#!/bin/sh
# scripts/package_test.sh: builds the Debian packages in a temporary folder, unpacks them into a root of their own, and
# there builds and runs example/embed.c through pkg-config. Exit status 77 means skipped, for a reason that is told.
set -eu
cd "$(dirname "$0")/.."
for tool in dpkg-buildpackage dh; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "skipped: there is no $tool here (packages dpkg-dev and debhelper)." >&2
		exit 77
	}
done

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$WORK/source" "$WORK/root"
tar -c --exclude=./.git --exclude='./build*' --exclude=./lode-data --exclude=./autom4te.cache . | tar -x -C "$WORK/source"
(cd "$WORK/source" && DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -b -us -uc -Pnocheck) \
	>"$WORK/build.out" 2>&1 || {
	tail -n 30 "$WORK/build.out" >&2
	echo "dpkg-buildpackage failed (see above)." >&2
	exit 1
}
for package in lode liblode0 liblode-dev; do
	dpkg-deb -x "$WORK/${package}"_*.deb "$WORK/root"
done
if command -v lintian >/dev/null 2>&1; then
	lintian --allow-root "$WORK"/*.changes >&2 || true
fi

ARCH=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
LIBS=$WORK/root/usr/lib/$ARCH
export LD_LIBRARY_PATH="$LIBS" PKG_CONFIG_PATH="$LIBS/pkgconfig"
# The files in the package say /usr; here that is below the root.
FLAGS=$(pkg-config --define-variable=prefix="$WORK/root/usr" --define-variable=libdir="$LIBS" \
	--define-variable=includedir="$WORK/root/usr/include" --cflags --libs lode)
cc -o "$WORK/embed" example/embed.c $FLAGS
"$WORK/embed" "$WORK/data" regtest >"$WORK/embed.out"
# The genesis block of regtest.
grep -q 'tip: height 0, 0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206' "$WORK/embed.out" || {
	cat "$WORK/embed.out" >&2
	echo "example/embed.c, built against the packages, did not tell the genesis block." >&2
	exit 1
}
"$WORK/root/usr/bin/lode" help >/dev/null
echo "lode, liblode0 and liblode-dev build, and a program runs on them."
