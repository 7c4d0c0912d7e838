#!/bin/bash
# mysql_fdw 2.8.0 on PostgreSQL 15.20, before MariaDB 10.11.19, all as Debian 12 has them.
#
# Expected: a condition or an aggregate over a foreign table is what it is over a table that was filled from it; what means
# something else on the other side is not sent there.
# Seen: the difference of two dates is sent as it stands.  MariaDB takes dates in it for the numbers 20240131 and 20240201, which
# are 70 apart.  So seen - came = 1 misses who came on the last of a month and was seen the day after, and seen - came <= 29
# whoever crossed one: retention by day is short of rows, without a word.  seen < came + 30 goes wrong likewise.  A quotient of
# integers is a fraction there: n / 2 = 1 holds for 2, and no longer for 3; avg(n / 2) of 1, 2, 3, 4 is 1.25, and here it is 1.
# EXPLAIN VERBOSE shows what is sent.  Version 2.9.3 names both operators in its list of what is sent, too.
#
# Nothing is installed: packages of Debian 12 are unpacked in a temporary folder.  It ends with 0 while
# that is so, with 1 if it has changed, with 2 if the packages cannot be had.
set -u
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'kill "$(cat "$folder/my.pid" 2>/dev/null)" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder" || exit 2
maria=1:10.11.19-0+deb12u1
for package in postgresql-15=15.20-0+deb12u1 postgresql-15-mysql-fdw=2.8.0-4 mariadb-server-core=$maria mariadb-client-core=$maria \
	libmariadb3=$maria libmariadb-dev=$maria libmariadb-dev-compat=$maria libaio1 liburing2; do
	apt-get -qq download "$package" 2>/dev/null || { echo "$package cannot be had"; exit 2; }
done
for file in *.deb; do
	dpkg -x "$file" "$folder"
done
bin=$folder/usr/lib/postgresql/15/bin
libraries=$folder/usr/lib/$(uname -m)-linux-gnu
server=(env -i PATH="$bin:$folder/usr/bin:/usr/bin:/bin" LANG=C HOME="$folder" LD_LIBRARY_PATH="$libraries:$folder/lib/$(uname -m)-linux-gnu")
if [ "$(id -u)" -eq 0 ]; then
	chown -R nobody "$folder"
	server=(setpriv --reuid=nobody --clear-groups -- "${server[@]}")
fi
"${server[@]}" mariadb-install-db --no-defaults --basedir="$folder/usr" --datadir="$folder/my" --auth-root-authentication-method=normal >/dev/null 2>&1
cat >"$folder/init.sql" <<'END'
CREATE DATABASE shop;
CREATE TABLE shop.people (id int PRIMARY KEY, came date, seen date, n int);
INSERT INTO shop.people VALUES (1, '2024-01-01', '2024-01-02', 1), (2, '2024-01-01', '2024-01-30', 2), (3, '2024-01-03', '2024-02-01', 3), (4, '2024-01-31', '2024-02-01', 4);
CREATE USER 'reader'@'127.0.0.1' IDENTIFIED BY 'reads';
GRANT SELECT ON shop.* TO 'reader'@'127.0.0.1';
END
"${server[@]}" "$folder/usr/sbin/mariadbd" --no-defaults --basedir="$folder/usr" --datadir="$folder/my" --socket="$folder/my.sock" --port=53399 --bind-address=127.0.0.1 \
	--pid-file="$folder/my.pid" --init-file="$folder/init.sql" >/dev/null 2>&1 &
"${server[@]}" initdb -D "$folder/data" -U postgres -A trust >/dev/null 2>&1 || exit 2
for _ in {1..120}; do
	[ ! -S "$folder/my.sock" ] || break
	sleep 0.5
done
[ -S "$folder/my.sock" ] || { echo "MariaDB does not start"; exit 2; }

# Without a server of PostgreSQL's: one backend, which reads its statements from here.
found()
{
	printf '%s\n' "$@" | "${server[@]}" postgres --single -D "$folder/data" postgres 2>&1 | sed -n 's/.*found = "\([^"]*\)".*/\1/p'
}

found "CREATE EXTENSION mysql_fdw" "CREATE SERVER far FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host '127.0.0.1', port '53399')" \
	"CREATE USER MAPPING FOR postgres SERVER far OPTIONS (username 'reader', password 'reads')" \
	"CREATE FOREIGN TABLE people (id int, came date, seen date, n int) SERVER far OPTIONS (dbname 'shop', table_name 'people')" \
	"CREATE TABLE copied AS SELECT * FROM people"
status=0
while IFS='|' read -r what condition expected; do
	seen=$(found "SELECT (SELECT $what FROM people WHERE $condition) || ' and ' || (SELECT $what FROM copied WHERE $condition) AS found")
	printf '%s where %s: %s in a copy\n' "$what" "$condition" "$seen"
	[ "$seen" = "$expected" ] || { printf '  was: %s\n' "$expected"; status=1; }
done <<'END'
count(*)|true|4 and 4
count(*)|seen - came = 1|1 and 2
count(*)|seen - came <= 29|2 and 4
count(*)|seen < came + 30|2 and 4
count(*)|n / 2 = 1|1 and 2
round(avg(n / 2), 2)|true|1.25 and 1.00
END
exit $status
