#!/bin/bash
# debversion 1.1.2, pg_sphere 1.1.1 and rdkit 202209.3, as Debian 12 has them for PostgreSQL 15, on the
# PostgreSQL 15.20 of the same release.
#
# Expected: CREATE EXTENSION makes them, as it did when they were released.
# Seen: "negator operator >= is already the negator of operator <", "commutator operator @> is already the
# commutator of operator <@", and "commutator operator = is already the commutator of operator =".  Their scripts
# name an operator as the partner of two others; the server has refused that since a minor release.  A database
# that has one of them goes on working, and its dump cannot be restored.
#
# Nothing is installed: packages of Debian 12 are unpacked in a temporary folder.  It ends with 0 while
# that is so, with 1 if it has changed, with 2 if the packages cannot be had.
set -u
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
for package in postgresql-15=15.20-0+deb12u1 postgresql-15-debversion=1.1.2-1+b1 postgresql-15-pgsphere=1.1.1+2021-11-10-2+b1 libhealpix-cxx3 libsharp0 libcfitsio10 \
	postgresql-15-rdkit=202209.3-1 librdkit1 libboost-iostreams1.74.0 libboost-serialization1.74.0 libcoordgen3 libmaeparser1; do
	apt-get -qq download "$package" 2>/dev/null || { echo "$package cannot be had"; exit 2; }
done
for file in *.deb; do
	dpkg -x "$file" "$folder"
done
bin=$folder/usr/lib/postgresql/15/bin
run=(env -i PATH="$bin:/usr/bin:/bin" LANG=C LD_LIBRARY_PATH="$folder/usr/lib/$(uname -m)-linux-gnu:$folder/usr/lib")
if [ "$(id -u)" -eq 0 ]; then
	chown -R nobody "$folder"
	run=(setpriv --reuid=nobody --clear-groups -- "${run[@]}")
fi
"${run[@]}" initdb -D "$folder/data" -A trust -U postgres >/dev/null || exit 2

# Without a server: one backend, which reads its statement from here.
status=0
while IFS='|' read -r extension expected; do
	seen=$(echo "CREATE EXTENSION $extension" | "${run[@]}" postgres --single -D "$folder/data" postgres 2>&1 | sed -n 's/.*ERROR:  //p' | head -n 1)
	printf 'CREATE EXTENSION %s: %s\n' "$extension" "${seen:-done}"
	[ "$seen" = "$expected" ] || { printf '  was: %s\n' "$expected"; status=1; }
done <<'END'
debversion|negator operator >= is already the negator of operator <
pg_sphere|commutator operator @> is already the commutator of operator <@
rdkit|commutator operator = is already the commutator of operator =
END
exit $status
