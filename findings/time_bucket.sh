#!/bin/bash
# time_bucket(width, time, timezone, origin) of TimescaleDB 2.31.0 on PostgreSQL 18.6, as Debian sid has them.
#
# Expected: a bucket is the times from its beginning until that of the next, so that a later time is never in an earlier bucket;
# a width of a day makes a bucket a day.  That the clocks of a zone are set back may make one bucket an hour longer.
# Seen: where a bucket begins in the hour that comes twice, the hour has a bucket of its own, which begins at another time of the
# day, a day before; after half of it times are in the bucket before again.  In Europe/Berlin, of days that begin at 02:30:
# 2024-10-27 00:20 UTC is in the bucket of 10-26 00:30, 00:40 in that of 10-26 01:30, and 01:10 in that of 10-26 00:30.
# One query by day shows both.  The two forms of "origin" and "offset" differ in it: that by an offset of 2:30 hours does not.
#
# Nothing is installed here: debootstrap makes a temporary folder with Debian sid, which takes root.  It ends with 0 while
# that is so, with 1 if it has changed, with 2 if the packages cannot be had.
set -u
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
	echo "takes root and debootstrap"
	exit 2
fi
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
	awk '$1 == "Debian" && $2 == "Debian" && $3 !~ /-security$/ { print $4; exit }')
[ -n "$mirror" ] || { echo "apt knows no archive of Debian"; exit 2; }
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase sid "$folder" "$mirror" >/dev/null 2>&1 || { echo "sid cannot be had"; exit 2; }
# Run a command in the folder.
inside()
{
	chroot "$folder" env -i PATH=/usr/lib/postgresql/18/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C DEBIAN_FRONTEND=noninteractive "$@"
}

inside apt-get -qq -o Acquire::Check-Valid-Until=false update >/dev/null 2>&1 </dev/null
inside apt-get -qq install -y --download-only --no-install-recommends postgresql-18=18.6-3 postgresql-18-timescaledb=2.31.0+dfsg-1 >/dev/null 2>&1 </dev/null ||
	{ echo "postgresql-18-timescaledb=2.31.0+dfsg-1 cannot be had"; exit 2; }
inside sh -c 'for file in /var/cache/apt/archives/*.deb; do dpkg -x "$file" /; done; ldconfig; mkdir /data; chown nobody /data' >/dev/null 2>&1
server=(inside setpriv --reuid=nobody --regid=nogroup --clear-groups --)
"${server[@]}" initdb -D /data/pg -U postgres -A trust >/dev/null 2>&1 || exit 2

# Without a server: one backend, which reads its statements from here.
buckets()
{
	printf '%s\n' "SET TimeZone = 'UTC'" "CREATE EXTENSION IF NOT EXISTS timescaledb" \
		"SELECT string_agg(to_char(time_bucket('1 day', t, timezone => 'Europe/Berlin', $1), 'DD HH24:MI'), ', ' ORDER BY t) AS found FROM unnest(ARRAY['00:20', '00:40', '01:10', '01:40']) h, LATERAL (SELECT ('2024-10-27 ' || h)::timestamptz AS t) x" |
		"${server[@]}" postgres --single -c shared_preload_libraries=timescaledb -D /data/pg postgres 2>&1 | sed -n 's/.*found = "\([^"]*\)".*/\1/p'
}

origin=$(buckets "origin => timestamptz '2024-01-01 01:30'")
offset=$(buckets "\"offset\" => interval '2:30'")
echo "by origin: $origin; by offset: $offset"
[ "$origin" = '26 00:30, 26 01:30, 26 00:30, 27 01:30' ] && [ "$offset" = '26 00:30, 27 00:30, 27 00:30, 27 00:30' ] || { echo '  was: 26 00:30, 26 01:30, 26 00:30, 27 01:30; and 26 00:30, 27 00:30, 27 00:30, 27 00:30'; exit 1; }
