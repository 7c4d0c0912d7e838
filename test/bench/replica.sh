#!/bin/bash
# What a charge takes that a standby has made on its primary, beside one that is asked on the primary itself.
#
# usage: test/bench/replica.sh [seconds per run] [rounds]
#
# Both servers are on this machine, so a round trip is short.  Each charge is one statement and one round trip of pgbench,
# test_charge_describing(), and all clients spend one role's budget.  Rounds alternate between the servers; the median
# counts.  A last pair of lines is of 16 clients on both servers at once.
#
# Makes servers of its own of what is installed: initdb, pg_basebackup and pgbench must be in PATH, and the extensions
# dp_agg and charge there (make install test-modules).
set -eu
seconds=${1:-5}
rounds=${2:-3}
directory=$(mktemp -d)

# Unprivileged, in English, without what the caller has set for another server.
unset PGHOST PGPORT PGUSER PGDATABASE PGOPTIONS
export LC_ALL=C

stop_all()
{
	for server in standby primary; do
		pg_ctl -s -D "$directory/$server" -m immediate stop || true
	done
	rm -rf "$directory"
}
trap 'trap - EXIT; stop_all' EXIT
trap 'exit 130' INT TERM HUP

port() { [ "$1" = primary ] && echo 1 || echo 2; }

ask()
{
	server=$1
	shift
	psql -qXAt -v ON_ERROR_STOP=1 -h "$directory" -p "$(port "$server")" -U postgres -d postgres "$@"
}

set_up()
{
	initdb -A trust -U postgres "$directory/primary" >/dev/null
	cat >>"$directory/primary/postgresql.conf" <<-CONF
		port = 1
		listen_addresses = ''
		unix_socket_directories = '$directory'
		shared_preload_libraries = 'dp_agg'
		min_wal_size = 1GB
		max_wal_size = 4GB
		cluster_name = primary
	CONF
	pg_ctl -s -w -D "$directory/primary" -l "$directory/primary.log" start
	ask primary -c "SELECT pg_logical_emit_message(false, 'bench', repeat('x', 1000000)) FROM generate_series(1, 500)" -c CHECKPOINT >/dev/null
	ask primary >/dev/null <<-'SQL'
		CREATE EXTENSION dp_agg;
		CREATE EXTENSION charge;
		CREATE ROLE dp_agg_replica LOGIN;
		SELECT format('GRANT EXECUTE ON FUNCTION %s TO dp_agg_replica', oid::regprocedure) FROM pg_proc
		WHERE proname = 'replica_charge' AND pronamespace = 'dp_agg'::regnamespace \gexec
		SELECT dp_agg.set_budget('postgres', 1e6, 1e-6);
	SQL
	pg_basebackup -R -c fast -h "$directory" -p 1 -U postgres -D "$directory/standby"
	cat >>"$directory/standby/postgresql.conf" <<-CONF
		port = 2
		cluster_name = standby
		dp_agg.primary_conninfo = 'user=dp_agg_replica'
	CONF
	pg_ctl -s -w -D "$directory/standby" -l "$directory/standby.log" start
	statement=$(printf '%-199s;' 'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people WHERE age > 17 AND since < 2020 GROUP BY city')
	echo "SELECT test_charge_describing('postgres'::regrole, 'default', 1e-3, '$statement')" >"$directory/charge"
}

# Charges and commits of the primary's keeper so far.
counts() { ask primary -F ' ' -c 'SELECT keeper_charges, keeper_commits FROM dp_agg.budget_use LIMIT 1'; }

# Charges per second, and microseconds that one takes, of so many clients on a server.
measure()
{
	pgbench -n -M prepared -h "$directory" -p "$(port "$1")" -U postgres -c "$2" -j 1 -T "$seconds" -f "$directory/charge" postgres 2>&1 |
		awk '/^latency average/ { us = $4 * 1000 } /^tps/ { printf "%d %d\n", $3, us }'
}

median() { sort -n | awk '{ rate[NR] = $1; us[NR] = $2 } END { i = int((NR + 1) / 2); print rate[i], us[i] }'; }

set_up
for server in primary standby; do measure $server 4 >/dev/null; done
printf '%8s %10s %10s %12s %12s %8s\n' clients primary/s standby/s 'primary us' 'standby us' ratio
for clients in 1 16 64; do
	rm -f "$directory"/*.together
	for ((round = 0; round < rounds; round++)); do
		for server in primary standby; do
			before=$(counts)
			measure $server $clients >>"$directory/$server.$clients"
			echo "$before $(counts)" | awk '{ print ($3 - $1) / ($4 - $2), 0 }' >>"$directory/$server.together"
		done
	done
	paste -d' ' <(median <"$directory/primary.$clients") <(median <"$directory/standby.$clients") \
		<(median <"$directory/primary.together") <(median <"$directory/standby.together") |
		awk -v clients=$clients '{ printf "%8d %10d %10d %12d %12d %8.2f   %.1f and %.1f a commit\n", clients, $1, $3, $2, $4, $4 / $2, $5, $7 }'
done
measure standby 16 >"$directory/standby.both" &
measure primary 16 >"$directory/primary.both"
wait $!
paste -d' ' "$directory/primary.both" "$directory/standby.both" | awk '{ printf "%8s %10d %10d %12d %12d %8.2f\n", "16 both", $1, $3, $2, $4, $4 / $2 }'
echo "verify_ledger: $(ask primary -c 'SELECT count(*) FROM dp_agg.verify_ledger()') complaints"
