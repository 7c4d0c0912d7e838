#!/bin/bash
# Removal of self-joins (enable_self_join_elimination, on by default) in PostgreSQL 18.6, as Debian sid has it.
#
# Expected: FROM parent p JOIN ONLY parent o ON o.id = p.id, where id is the parent's primary key, returns each row of the
# parent and of its children whose id the parent itself has, as the server's documentation says of ONLY: 400 of them,
# 300 of the parent's own and 100 of a child's that repeat an id.  The setting chooses plans, and no answers.
# Seen: 300.  The two are taken for one table, and what is left of them is ONLY parent: rows of children are missing, without a
# word.  So with EXISTS (SELECT FROM ONLY parent ...).  With enable_self_join_elimination = off it is 400.
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
inside apt-get -qq install -y --download-only --no-install-recommends postgresql-18=18.6-3 >/dev/null 2>&1 </dev/null ||
	{ echo "postgresql-18=18.6-3 cannot be had"; exit 2; }
inside sh -c 'for file in /var/cache/apt/archives/*.deb; do dpkg -x "$file" /; done; ldconfig; mkdir /data; chown nobody /data' >/dev/null 2>&1
server=(inside setpriv --reuid=nobody --regid=nogroup --clear-groups --)
"${server[@]}" initdb -D /data/pg -U postgres -A trust >/dev/null 2>&1 || exit 2

# Without a server: one backend, which reads its statements from here.
counts()
{
	printf '%s\n' "CREATE TEMP TABLE parent (id int PRIMARY KEY)" "CREATE TEMP TABLE child () INHERITS (parent)" \
		"INSERT INTO parent SELECT generate_series(1, 300)" "INSERT INTO child SELECT generate_series(201, 400)" \
		"SET enable_self_join_elimination = $1" \
		"SELECT count(*) AS found FROM parent p JOIN ONLY parent o ON o.id = p.id" \
		"SELECT count(*) AS found FROM parent p WHERE EXISTS (SELECT FROM ONLY parent o WHERE o.id = p.id)" |
		"${server[@]}" postgres --single -D /data/pg postgres 2>&1 | sed -n 's/.*found = "\([0-9]*\)".*/\1/p' | paste -sd ' '
}

on=$(counts on)
off=$(counts off)
echo "PostgreSQL 18.6: $on with the removal of self-joins, $off without"
[ "$on $off" = '300 300 400 400' ] || { echo '  was: 300 300, and 400 400'; exit 1; }
