#!/bin/bash
# ogr_fdw 1.1.3 over a CSV file, with GDAL 3.6.2, on PostgreSQL 15.20, all as Debian 12 has them.
#
# Expected: a condition holds for the same rows in a foreign table as in a table that was filled from it.  What the
# wrapper sends to GDAL to save work must then return these rows or more, since the server looks at them again.
# Seen: it sends <> and < of text, too, and GDAL compares text without regard to case.  Of seven people, two in LINZ and linz,
# city <> 'Linz' returns four instead of six, as if these two lived there; so do NOT IN ('Linz') and NOT city = 'Linz'.
# city < 'a', true of all that begin with a capital, returns none of six.  Nothing is said, and the plan shows the
# condition as the server's own filter.  Conditions with = are right, so that those of "=" and "<>" together are not all.
#
# Nothing is installed here: debootstrap makes a temporary folder with Debian 12, which takes root.  It ends with 0 while
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
debootstrap --variant=minbase bookworm "$folder" "$mirror" >/dev/null 2>&1 || { echo "Debian 12 cannot be had"; exit 2; }
cp -L /etc/apt/sources.list "$folder/etc/apt/" 2>/dev/null
cp -RL /etc/apt/sources.list.d "$folder/etc/apt/" 2>/dev/null
# Run a command in the folder.
inside()
{
	chroot "$folder" env -i PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C DEBIAN_FRONTEND=noninteractive "$@"
}

inside apt-get -qq -o Acquire::Check-Valid-Until=false update >/dev/null 2>&1 </dev/null
inside apt-get -qq install -y --download-only --no-install-recommends postgresql-15=15.20-0+deb12u1 postgresql-15-ogr-fdw=1.1.3-1+b2 >/dev/null 2>&1 </dev/null ||
	{ echo "postgresql-15-ogr-fdw=1.1.3-1+b2 cannot be had"; exit 2; }
inside sh -c 'for file in /var/cache/apt/archives/*.deb; do dpkg --fsys-tarfile "$file" | tar -x -C / --keep-directory-symlink; done
	for file in /usr/lib/*/blas /usr/lib/*/lapack; do echo "$file"; done >/etc/ld.so.conf.d/algebra.conf; ldconfig; mkdir /data; chown nobody /data' >/dev/null 2>&1
printf '%s\n' id,city 1,Linz 2,LINZ 3,linz 4,Graz 5,Wien 6,Wels 7,Steyr >"$folder/data/people.csv"
server=(inside setpriv --reuid=nobody --regid=nogroup --clear-groups --)
"${server[@]}" initdb -D /data/pg -U postgres -A trust >/dev/null 2>&1 || exit 2

# Without a server: one backend, which reads its statements from here.  How many rows a condition holds for in the foreign
# table, and in a table with its rows.
counts()
{
	printf '%s\n' "SELECT (SELECT count(*) FROM people WHERE $1) || ' and ' || (SELECT count(*) FROM copied WHERE $1) AS found" |
		"${server[@]}" postgres --single -D /data/pg postgres 2>&1 | sed -n 's/.*found = "\([^"]*\)".*/\1/p'
}

printf '%s\n' "CREATE EXTENSION ogr_fdw" "CREATE SERVER files FOREIGN DATA WRAPPER ogr_fdw OPTIONS (datasource '/data/people.csv', format 'CSV')" \
	"CREATE FOREIGN TABLE people (id varchar, city varchar) SERVER files OPTIONS (layer 'people')" \
	"CREATE TABLE copied AS SELECT * FROM people" | "${server[@]}" postgres --single -D /data/pg postgres >/dev/null 2>&1
status=0
while IFS='|' read -r condition expected; do
	seen=$(counts "$condition")
	printf '%s: %s rows, here and of a copy\n' "$condition" "$seen"
	[ "$seen" = "$expected" ] || { printf '  was: %s\n' "$expected"; status=1; }
done <<'END'
city = 'Linz'|1 and 1
city <> 'Linz'|4 and 6
city NOT IN ('Linz')|4 and 6
city < 'a'|0 and 6
END
exit $status
