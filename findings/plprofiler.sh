#!/bin/bash
# plprofiler 4.2.1 beside any other library that is preloaded before it, on PostgreSQL 15.
#
# Expected: a library that may stand in shared_preload_libraries may stand there after others, as
# PostgreSQL's manual has it ("several libraries").
# Seen: alone, and before pg_stat_statements, the server starts.  After it the server ends with
# "FATAL:  requested tranche is not registered", before it takes a connection.
#
# Nothing is installed: packages of Debian 12 are unpacked in a temporary folder.  It ends with 0 while
# that is so, with 1 if it has changed, with 2 if the packages cannot be had.
set -u
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
for package in postgresql-15=15.20-0+deb12u1 postgresql-15-plprofiler=4.2.1-2; do
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

# Start a server that preloads these libraries; say whether it came up, or why not.
outcome()
{
	local log=$folder/log.$RANDOM

	if "${run[@]}" pg_ctl -s -w -D "$folder/data" -l "$log" -o "-c listen_addresses='' -c unix_socket_directories='$folder' -c shared_preload_libraries='$1'" start >/dev/null 2>&1; then
		echo "starts"
		"${run[@]}" pg_ctl -s -m fast -D "$folder/data" stop
	else
		sed -n 's/.*FATAL:  //p' "$log" | head -n 1
	fi
}

status=0
while IFS='|' read -r libraries expected; do
	seen=$(outcome "$libraries")
	printf '%s: %s\n' "$libraries" "$seen"
	[ "$seen" = "$expected" ] || { printf '  was: %s\n' "$expected"; status=1; }
done <<'END'
plprofiler|starts
plprofiler,pg_stat_statements|starts
pg_stat_statements,plprofiler|requested tranche is not registered
END
exit $status
