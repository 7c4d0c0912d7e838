# shellcheck shell=bash
# Shared by dev, test/run, test/demo/start and others: from a bare machine to a private copy
# of PostgreSQL with dp_agg in it.
#
# Nothing is installed into the machine but Debian packages.  The extension is
# built and installed into a copy of PostgreSQL under a temporary directory
# that an unprivileged user owns, so that no existing installation or cluster
# is touched and nothing is left behind.
#
#   PG_MAJOR    the version of PostgreSQL whose packages are installed and copied (15)
#   PG_CONFIG   another PostgreSQL to copy; its packages are then not installed
#   DP_OLD_PG_CONFIG  an older PostgreSQL, to test upgrades from
#   DP_USER     the unprivileged user, when run as root (postgres, or nobody)
#   DP_MAKE_OPTIONS  further arguments of make, such as with_llvm=no

PG_MAJOR=${PG_MAJOR:-15}
BUILD_PACKAGES="libssl-dev libpq-dev libipc-run-perl perl make gcc libc6-dev"
SERVER_PACKAGES="postgresql-$PG_MAJOR postgresql-server-dev-$PG_MAJOR"

# What a test is about that says so and goes on without it.
OPTIONAL_PACKAGES="postgresql-$PG_MAJOR-pgaudit postgresql-$PG_MAJOR-timescaledb postgresql-$PG_MAJOR-show-plans postgresql-$PG_MAJOR-pg-stat-plans postgresql-$PG_MAJOR-pg-hint-plan"

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=
old_install=

say()
{
	printf '# %s\n' "$*"
}

die()
{
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# Wait so many seconds, in this very process: nothing is left behind when it is killed.
pause()
{
	[ -n "${quiet:-}" ] || exec {quiet}<> <(:)
	read -r -t "$1" -u "$quiet" || true
}

# Say each minute that something goes on, until killed or until the script is gone.
say_minutes()
{
	local began=$SECONDS said=$SECONDS

	while pause 1 && kill -0 $$ 2>/dev/null; do
		[ $((SECONDS - said)) -ge 60 ] || continue
		said=$SECONDS
		say "$1 goes on, $((said - began)) s so far"
	done
}

# End a process of this script in the background, without a word.
end_quietly()
{
	kill "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

# Run a command under a name: say that it begins, each minute that it goes on, and
# how long it took.
timed()
{
	local what=$1 began=$SECONDS status=0 clock

	say "$what"
	say_minutes "$what" &
	clock=$!
	"${@:2}" || status=$?
	end_quietly "$clock"
	[ "$status" -ne 0 ] || say "$what took $((SECONDS - began)) s"
	return "$status"
}

# Run a command with root's rights, for apt-get alone.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "packages are missing, and neither root nor sudo is at hand: apt-get install $missing"
	fi
}

# Print those of the named packages that are not installed.
missing_packages()
{
	local package

	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			printf '%s ' "$package"
	done
}

# Run apt-get without questions, its output shown only if it fails.
apt()
{
	local output

	output=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" </dev/null 2>&1) ||
		{ printf '%s\n' "$output"; return 1; }
}

# Install packages without letting postgresql-NN create and start a cluster.
install_without_cluster()
{
	local conf=/etc/postgresql-common/createcluster.d/dp_agg-no-cluster.conf
	local status=0

	as_root mkdir -p "${conf%/*}"
	echo 'create_main_cluster = false' | as_root tee "$conf" >/dev/null
	apt install -y --no-install-recommends "$@" || status=$?
	as_root rm -f "$conf"
	return $status
}

# End unless apt knows this version.
require_version()
{
	apt-cache show "postgresql-$PG_MAJOR" >/dev/null 2>&1 ||
		die "apt has no postgresql-$PG_MAJOR here: let PG_MAJOR name a version it has, or PG_CONFIG an installed one, or let apt know an archive that has it"
}

# Print where this machine's own apt has the packages of a distribution from, Debian or Ubuntu;
# nothing where it has none.  The first time on a new machine apt's lists are brought.
archive_of()
{
	local try

	for try in lists updated; do
		[ $try = lists ] || apt update >/dev/null || return 0
		apt-get indextargets --format '$(ORIGIN) $(LABEL) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
			awk -v name="$1" '$1 == name && $2 == name && $3 !~ /-security$/ { print $4; exit }' | grep . && return
	done
	return 0
}

# Print those of the optional packages that this distribution has.
optional_packages()
{
	local package

	for package in $OPTIONAL_PACKAGES; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			printf '%s ' "$package"
		fi
	done
}

# Install what is missing; does nothing at all when nothing is.
install_packages()
{
	local wanted=$BUILD_PACKAGES

	command -v dpkg-query >/dev/null || return 0
	[ -n "${PG_CONFIG:-}" ] || wanted="$wanted $SERVER_PACKAGES $(optional_packages)"
	# shellcheck disable=SC2086
	missing=$(missing_packages $wanted)
	[ -n "$missing" ] || return 0
	say "this machine lacks: $missing"
	timed "reading apt's lists" apt update || die "apt-get update failed"
	if [ -z "${PG_CONFIG:-}" ]; then
		require_version
		# shellcheck disable=SC2046,SC2086
		missing=$(missing_packages $wanted $(optional_packages))
	fi
	# shellcheck disable=SC2086
	timed "installing packages" install_without_cluster $missing || die "could not install $missing"
}

# Set pg_config to the PostgreSQL to copy.
find_postgresql()
{
	pg_config=${PG_CONFIG:-/usr/lib/postgresql/$PG_MAJOR/bin/pg_config}
	pg_config=$(command -v "$pg_config") || die "no pg_config at $pg_config"
	[ -e "$("$pg_config" --pgxs)" ] || die "$pg_config has no PGXS: server headers are missing"
}

# Set run_as to the command prefix that sheds root's rights, and user.
choose_user()
{
	local uid

	run_as=()
	user=$(id -un)
	[ "$(id -u)" -eq 0 ] || return 0
	user=${DP_USER:-postgres}
	uid=$(id -u "$user" 2>/dev/null) || user=nobody uid=$(id -u nobody)
	[ "$uid" -ne 0 ] || die "the server cannot run as root: DP_USER must name another user"
	run_as=(setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --)
}

# Run a command as the unprivileged user in a clean environment.
#
# PGHOST leads nowhere, so that a client that forgets to say which server it
# wants reaches none.  It begins in $work: the directory the caller is in may be closed
# to that user.
unprivileged()
{
	(cd "${work:-/}" && exec "${run_as[@]}" env -i \
		PATH="$work/bin:/usr/local/bin:/usr/bin:/bin" HOME="$work" TMPDIR="$work/tmp" \
		LANG=C.UTF-8 TERM="${TERM:-dumb}" PG_CONFIG="$work/bin/pg_config" PGHOST="$work/none" WERROR=-Werror \
		PG_TEST_TIMEOUT_DEFAULT="${PG_TEST_TIMEOUT_DEFAULT:-180}" \
		DP_OLD_INSTALL="${old_install:-}" \
		"$@")
}

# Copy the PostgreSQL of a pg_config to $work/pg, under the paths it has, which it
# finds itself by.
copy_postgresql()
{
	local pg_config=$1 bindir dir include header

	bindir=$("$pg_config" --bindir)
	for dir in "$bindir" "$("$pg_config" --pkglibdir)" "$("$pg_config" --sharedir)"; do
		mkdir -p "$work/pg$dir"
		cp -a "$dir/." "$work/pg$dir/"
	done
	include=$("$pg_config" --includedir-server)
	mkdir -p "$work/pg${include%/*}"
	ln -s "$include" "$work/pg$include"
	include=$("$pg_config" --includedir)
	mkdir -p "$work/pg$include"
	for header in "$include"/*.h "$include"/libpq; do
		[ ! -e "$header" ] || [ -e "$work/pg$header" ] || ln -s "$header" "$work/pg$header"
	done
}

# Copy the source tree, without anything built, to $work/tree.
copy_tree()
{
	mkdir "$work/tree"
	tar -C "$top" -cf - --exclude=./.git --exclude=./build --exclude='./tmp_check*' \
		--exclude=./output_iso --exclude=./results --exclude=./log --exclude='./regression.*' \
		--exclude='*.o' --exclude='*.so' --exclude='*.bc' . | tar -C "$work/tree" -xf -
}

# Make $work, owned by the unprivileged user, with copies of both.
make_work()
{
	local parent=/tmp

	# Root's own temporary directory may be closed to others.
	[ "$(id -u)" -eq 0 ] || parent=${TMPDIR:-/tmp}
	work=$(mktemp -d "$parent/dp_agg.XXXXXX")
	mkdir "$work/tmp"
	copy_postgresql "$pg_config"
	ln -s "$work/pg$("$pg_config" --bindir)" "$work/bin"
	[ -z "${DP_OLD_PG_CONFIG:-}" ] || copy_postgresql "$DP_OLD_PG_CONFIG"
	copy_tree
	[ "$(id -u)" -ne 0 ] || chown -R "$user:" "$work"
}

# Stop every server whose data directory is under the given one, by the pg_ctl
# command in the remaining arguments.
stop_servers()
{
	local pidfile

	find "$1" -name postmaster.pid 2>/dev/null | while read -r pidfile; do
		"${@:2}" stop -s -m immediate -D "${pidfile%/*}" </dev/null || true
	done
}

# Remove $work and what still runs there.
remove_work()
{
	[ -n "$work" ] && [ -d "$work" ] || return 0
	stop_servers "$work" unprivileged pg_ctl
	rm -rf "$work"
}

# Build in $work/tree and install into $work/pg; further arguments go to make.
build_and_install()
{
	local log=$work/tmp/build.log

	# shellcheck disable=SC2086
	set -- ${DP_MAKE_OPTIONS:-} "$@"
	if ! unprivileged make -s -C "$work/tree" -j"$(nproc)" "$@" >"$log" 2>&1 ||
		! unprivileged make -s -C "$work/tree" "$@" install >>"$log" 2>&1; then
		cat "$log"
		return 1
	fi
}

# Build for the older PostgreSQL, if there is one to upgrade from.
build_for_old()
{
	local bindir

	[ -n "${DP_OLD_PG_CONFIG:-}" ] || return 0
	bindir=$work/pg$("$DP_OLD_PG_CONFIG" --bindir)
	build_and_install with_llvm=no PG_CONFIG="$bindir/pg_config" || return
	unprivileged make -s -C "$work/tree" clean
	old_install=${bindir%/bin}
}

# Everything up to a built and installed extension.
prepare()
{
	install_packages
	find_postgresql
	choose_user
	make_work
}
