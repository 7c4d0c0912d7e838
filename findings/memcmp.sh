#!/bin/bash
# byteacmp, bttextcmp and bttext_pattern_cmp of PostgreSQL 15.20, as Debian 12 has it with glibc 2.36, on an x86-64
# processor with AVX2.
#
# Expected: rows that hold the same two values have the same result, as these functions are IMMUTABLE, and so on every
# processor.  An operator class promises no more than a sign, but these can be called, indexed and stored, too.
# Seen: they return what memcmp() does.  glibc chooses it by the processor, and goes another way where a value lies near
# the end of a page of memory.  For a last byte that is 25 less the result is -25 in most of 10,000 rows, and -819225 in
# about a hundred: one GROUP BY shows both.  As on an older processor (GLIBC_TUNABLES) it is -819225 in all.
#
# Nothing is installed: packages of Debian 12 are unpacked in a temporary folder.  It ends with 0 while
# that is so, with 1 if it has changed, with 2 if the packages cannot be had.
set -u
[ "$(uname -m)" = x86_64 ] || { echo "only tried on x86-64"; exit 2; }
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
package=postgresql-15=15.20-0+deb12u1
apt-get -qq download "$package" 2>/dev/null || { echo "$package cannot be had"; exit 2; }
dpkg -x ./*.deb "$folder"
bin=$folder/usr/lib/postgresql/15/bin
run=(env -i PATH="$bin:/usr/bin:/bin" LANG=C)
if [ "$(id -u)" -eq 0 ]; then
	chown -R nobody "$folder"
	run=(setpriv --reuid=nobody --clear-groups -- "${run[@]}")
fi
"${run[@]}" initdb -D "$folder/data" -A trust -U postgres >/dev/null || exit 2

# Without a server: one backend, which reads its statements from here.  What a call makes of rows that all hold the
# same two values, and how many rows have each result.
results()
{
	printf '%s\n' "DROP TABLE IF EXISTS rows" \
		"CREATE TABLE rows AS SELECT repeat('x', i % 64) AS filler, $3 FROM generate_series(1, 10000) i" \
		"SELECT string_agg(result || ' in ' || n || ' rows', ', ' ORDER BY n DESC) AS found FROM (SELECT $2 AS result, count(*) AS n FROM rows GROUP BY 1) g" |
		"${run[@]}" GLIBC_TUNABLES="$1" postgres --single -D "$folder/data" postgres 2>&1 | sed -n 's/.*found = "\([^"]*\)".*/\1/p'
}

older=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512VL,-MOVBE
status=0
while IFS='|' read -r call values; do
	here=$(results '' "$call" "$values")
	there=$(results "$older" "$call" "$values")
	printf '%s: %s; on an older processor %s\n' "$call" "$here" "$there"
	[[ $here = *,* && $here != "$there" ]] || { printf '  was: several results here, others there\n'; status=1; }
done <<'END'
byteacmp(a, b)|'\x0061'::bytea AS a, '\x007a'::bytea AS b
bttextcmp(a COLLATE "C", b)|'xa'::text AS a, 'xz'::text AS b
bttext_pattern_cmp(a, b)|'xa'::text AS a, 'xz'::text AS b
END
exit $status
