#!/bin/bash
# debversion 1.1.2, as Debian 12 has it for PostgreSQL 15, on the PostgreSQL 15.20 of the same release.
#
# Expected: CREATE EXTENSION makes it, as it did when both were released.
# Seen: "negator operator >= is already the negator of operator <".  The script names >= as the negator of
# both < and >; the server has refused that since a minor release.  A database that has the extension goes
# on working, and its dump cannot be restored.
#
# Nothing is installed: packages of Debian 12 are unpacked in a temporary folder.  It ends with 0 while
# that is so, with 1 if it has changed, with 2 if the packages cannot be had.
set -u
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
for package in postgresql-15=15.20-0+deb12u1 postgresql-15-debversion=1.1.2-1+b1; do
	apt-get -qq download "$package" 2>/dev/null || { echo "$package cannot be had"; exit 2; }
done
for file in *.deb; do
	dpkg -x "$file" "$folder"
done
bin=$folder/usr/lib/postgresql/15/bin
run=(env -i PATH="$bin:/usr/bin:/bin" LANG=C)
if [ "$(id -u)" -eq 0 ]; then
	chown -R nobody "$folder"
	run=(setpriv --reuid=nobody --clear-groups -- "${run[@]}")
fi
"${run[@]}" initdb -D "$folder/data" -A trust -U postgres >/dev/null || exit 2

# Without a server: one backend, which reads its statement from here.
seen=$(echo 'CREATE EXTENSION debversion' | "${run[@]}" postgres --single -D "$folder/data" postgres 2>&1 | sed -n 's/.*ERROR:  //p' | head -n 1)
printf 'CREATE EXTENSION debversion: %s\n' "${seen:-done}"
[ "$seen" = 'negator operator >= is already the negator of operator <' ]
