# scripts/common.sh: what ./run and ./check share. Sourced by sh, in the top source folder.

PACKAGES="build-essential autoconf automake libtool pkg-config libsecp256k1-dev libsnappy-dev libssl-dev libcmocka-dev libleveldb-dev libsqlite3-dev zstd python3"
# The storage engines that the benchmarks compare with; each is left out where it is not installed.
RIVAL_PACKAGES="librocksdb-dev liblmdb-dev libdb-dev libkyotocabinet-dev libtokyocabinet-dev"

say() {
	printf '%s\n' "$*" >&2
}

die() {
	printf '%s: %s\n' "$ME" "$*" >&2
	exit 1
}

job_count() {
	nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

# Debian and its children: what is missing is installed. Elsewhere configure says what it misses.
install_packages() {
	if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
		say "No apt-get here, so nothing is installed. On Debian these packages are needed: $PACKAGES"
		return 0
	fi
	missing=
	for package in $PACKAGES; do
		is_installed "$package" || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
		die "these Debian packages are missing and there is no sudo to install them:$missing. Run 'apt-get install$missing' as root, then start this again."
	fi
	say "Installing:$missing"
	as_root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 && return 0
	as_root apt-get update -q >&2 || die "apt-get update failed (see above). Is there a network? Without one, install these packages by hand:$missing"
	as_root apt-get install -y --no-install-recommends $missing >&2 ||
		die "apt-get could not install$missing (see above)."
}

# build DIRECTORY CONFIGURE-OPTIONS: autogen, configure and make, each only when needed.
build() {
	directory=$1
	shift
	if [ -f config.status ]; then
		die "this source folder was configured in place, which keeps a build in $directory from working. Run 'make distclean' here, then start this again."
	fi
	if [ ! -x configure ] || [ configure.ac -nt configure ]; then
		./autogen.sh >autogen.log 2>&1 || die "autogen.sh failed; its output is in autogen.log."
	fi
	mkdir -p "$directory" || die "cannot make the folder $directory."
	if [ ! -f "$directory/Makefile" ] || [ "$(cat "$directory/.options" 2>/dev/null)" != "$*" ]; then
		rm -f "$directory/Makefile"
		(cd "$directory" && ../configure "$@" >configure.out 2>&1) ||
			die "configure failed: $(tail -n 1 "$directory/configure.out") (all of it: $directory/configure.out)"
		[ ! -f "$directory/.options" ] || make -C "$directory" clean >/dev/null 2>&1
		printf '%s' "$*" >"$directory/.options"
	fi
	say "Building in $directory ($(job_count) jobs)"
	make -C "$directory" -j "$(job_count)" >"$directory/make.out" 2>&1 || {
		grep -n -A 3 'error' "$directory/make.out" | head -n 20 >&2
		die "the build failed; all of its output is in $directory/make.out."
	}
}
