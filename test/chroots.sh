# shellcheck shell=bash
# Shared by test/versions and test/neighbours/run: chroots with other versions of PostgreSQL,
# made by debootstrap from Debian, and from Ubuntu for 16; DP_CHROOTS, DP_MIRROR and DP_UBUNTU are
# told of in test/versions.
#
# test/prepare.sh has to be read first, and $output names a temporary file.
# shellcheck disable=SC2154

chroots=${DP_CHROOTS:-/var/tmp/dp_agg}
mirror=${DP_MIRROR:-$(archive_of Debian)}
ubuntu=${DP_UBUNTU:-$(archive_of Ubuntu)}

# Releases of Debian that have a version, or one of Ubuntu: the first that does is used.
# What follows a plus is where a version is that is not released yet; once it is, the
# release itself has one that is newer.
suites_of()
{
	case $1 in
		16) echo "noble" ;;
		17) echo "trixie sid" ;;
		18) echo "sid forky testing" ;;
		19) echo "sid+experimental" ;;
		*) die "no release of Debian or Ubuntu is known to have PostgreSQL $1" ;;
	esac
}

# What apt reads in a release.
sources_of()
{
	case $1 in
		noble) printf "deb $ubuntu %s main universe\n" noble noble-updates ;;
		*) echo "deb $mirror $1 main" ;;
	esac
}

# Unpack the base of a release.
bootstrap()
{
	local suite=$1 root=$2 script=/usr/share/debootstrap/scripts/$1

	if [ "$suite" = noble ]; then
		timeout -k 10 900 debootstrap --variant=minbase --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg \
			"$suite" "$root" "$ubuntu" /usr/share/debootstrap/scripts/gutsy
	else
		[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
		timeout -k 10 900 debootstrap --variant=minbase "$suite" "$root" "$mirror" "$script"
	fi
}

# Run a command in a chroot, with what a server needs to run there.
#
# usage: inside DIRECTORY COMMAND...
inside()
{
	unshare --mount --pid --fork --kill-child bash -c '
		mount -t proc proc "$0/proc" && mkdir -p "$0/dev/shm" "$0/dp_agg" &&
		mount -t tmpfs tmpfs "$0/dev/shm" && mount --bind "$1" "$0/dp_agg" || exit 125
		exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive "${@:2}"' "$1" "$top" "${@:2}" </dev/null
}

# Let apt in a chroot take a version's own packages, and no others, from one more release
# of Debian, where that has newer ones.
add_release()
{
	local root=$1 release=${2#+} major=$3

	[ -n "$release" ] || return 0
	printf 'deb %s %s main\n' "$mirror" "$release" >>"$root/etc/apt/sources.list"
	printf '\nPackage: %s\nPin: release a=%s\nPin-Priority: 500\n' \
		"postgresql-$major postgresql-client-$major postgresql-server-dev-$major libpq5 libpq-dev" \
		"$release" >>"$root/etc/apt/preferences.d/dp_agg"
}

# Packages inside a chroot: the server, and PostgreSQL 15 to upgrade from.
#
# Of the older version's development package only the files are wanted: what it
# depends on belongs to another release of Debian.
fill_chroot()
{
	local root=$1 suite=${2%+*} major=$3 package

	# Snapshots of a moving release may have outlived their dates.
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90dp_agg"
	printf 'APT::Install-Recommends "false";\nAcquire::http::Timeout "60";\n' >>"$root/etc/apt/apt.conf.d/90dp_agg"
	{ sources_of "$suite"; sources_of bookworm; } >"$root/etc/apt/sources.list"
	cp /usr/share/keyrings/debian-archive-keyring.gpg "$root/etc/apt/trusted.gpg.d/"
	rm -f "$root"/etc/apt/sources.list.d/*
	printf 'Package: *\nPin: release n=bookworm\nPin-Priority: 100\n' >"$root/etc/apt/preferences.d/dp_agg"
	add_release "$root" "${2#"$suite"}" "$major"
	mkdir -p "$root/etc/postgresql-common/createcluster.d"
	echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.d/dp_agg.conf"
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
	# shellcheck disable=SC2086
	inside "$root" apt-get -qq update &&
		inside "$root" apt-get -qq install -y $BUILD_PACKAGES \
			"postgresql-$major" "postgresql-server-dev-$major" postgresql-15 &&
		{ for package in $OPTIONAL_PACKAGES; do
			inside "$root" apt-get -qq install -y "${package/-$PG_MAJOR/-$major}" || true
		done; } &&
		inside "$root" sh -c 'cd /tmp && apt-get -qq download postgresql-server-dev-15 &&
			dpkg -x postgresql-server-dev-15_*.deb / && rm postgresql-server-dev-15_*.deb' &&
		inside "$root" "/usr/lib/postgresql/$major/bin/pg_config" --version
}

# Make the chroot of one version from one release.
make_chroot()
{
	local root=$1 suite=$2 major=$3

	rm -rf "$root.new"
	mkdir -p "$chroots"
	bootstrap "${suite%+*}" "$root.new" && fill_chroot "$root.new" "$suite" "$major" && mv -T "$root.new" "$root"
}

# See to it that there is a chroot for a version; says why if there is none.
require_chroot()
{
	local major=$1 root=$chroots/$1 suite

	[ ! -d "$root" ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		say "PostgreSQL $major is skipped: only root can make a chroot"
		return 1
	fi
	if [ -z "$mirror" ] || { [ "$(suites_of "$major")" = noble ] && [ -z "$ubuntu" ]; }; then
		say "PostgreSQL $major is skipped: apt knows no archive here that it is in"
		return 1
	fi
	# shellcheck disable=SC2086
	missing=$(missing_packages debootstrap debian-archive-keyring)
	# shellcheck disable=SC2086
	[ -z "$missing" ] || { apt update && apt install -y $missing; } ||
		say "could not install $missing"
	for suite in $(suites_of "$major"); do
		say "making a chroot of $suite for PostgreSQL $major in $root"
		make_chroot "$root" "$suite" "$major" >"$output" 2>&1 && return 0
		tail -n 5 "$output"
		rm -rf "$root.new"
	done
	say "PostgreSQL $major is skipped: no chroot for it could be made"
	return 1
}
