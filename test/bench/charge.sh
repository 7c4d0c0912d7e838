#!/bin/bash
# What a charge costs, as ratios to what one could do without a keeper.
#
# usage: test/bench/charge.sh [seconds per run] [rounds]
#
# Three ways, each one statement and one round trip of pgbench:
#
#	keeper           test_charge_describing(): the charge is durable on its own
#	in transaction   the same UPDATE and INSERT made by the caller, in plpgsql,
#	                 with the new totals given for nothing: refundable
#	bare commit      a transaction that writes one small WAL record
#
# The ledger's rows have a statement of 200 bytes.  All clients spend one role's budget.  Rounds alternate between the three, so
# that other load on the machine meets all alike; the median counts.
#
# Runs on the server that PGHOST and PGPORT name, as a superuser, in a database
# of its own; without PGHOST on a throw-away server, see test/prepare.sh.
set -eu
seconds=${1:-5}
rounds=${2:-3}

# Leave a gigabyte of WAL segments to be written again, as on a server that has
# been up for a while: a new one stops to fill each with zeros first.
recycle_wal()
{
	PGHOST="$work/tmp" PGUSER=postgres psql -qX -d postgres \
		-c "SELECT pg_logical_emit_message(false, 'bench', repeat('x', 1000000)) FROM generate_series(1, 1000)" \
		-c CHECKPOINT >/dev/null
}

if [ -z "${PGHOST:-}" ]; then
	# shellcheck source=test/prepare.sh
	. "$(dirname "$0")/../prepare.sh"
	trap 'trap - EXIT; remove_work' EXIT
	trap 'exit 130' INT TERM HUP
	prepare
	say "building"
	build_and_install
	unprivileged make -s -C "$work/tree" test-modules >/dev/null
	unprivileged initdb -A trust -U postgres "$work/data" >/dev/null
	cat >>"$work/data/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$work/tmp'
		shared_preload_libraries = 'dp_agg'
		dp_agg.mechanism = laplace
		dp_agg.clipping = fixed
		dp_agg.epsilon = 0.1
		min_wal_size = 1GB
	CONF
	unprivileged pg_ctl -s -w -D "$work/data" -l "$work/log" start
	recycle_wal
	unprivileged PGHOST="$work/tmp" PGUSER=postgres \
		"$work/tree/test/bench/charge.sh" "$seconds" "$rounds"
	exit
fi

directory=$(mktemp -d)
statement=$(printf '%-199s;' 'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people WHERE age > 17 AND since < 2020 GROUP BY city')
trap 'psql -qX -d postgres -c "DROP DATABASE IF EXISTS dp_bench WITH (FORCE)"; rm -rf "$directory"' EXIT

set_up()
{
	psql -qX -d postgres -c "DROP DATABASE IF EXISTS dp_bench WITH (FORCE)" -c "CREATE DATABASE dp_bench"
	psql -qX -d dp_bench -v ON_ERROR_STOP=1 -v statement="$statement" >/dev/null <<-'SQL'
		CREATE EXTENSION dp_agg;
		CREATE EXTENSION charge;
		SELECT dp_agg.set_budget(current_user::regrole, 1e6, 1e-6);
		SELECT test_charge_describing(current_user::regrole, 'default', 1e-3, :'statement');
		CREATE TABLE budget (LIKE dp_agg.budget INCLUDING ALL EXCLUDING IDENTITY) WITH (fillfactor = 50);
		CREATE TABLE ledger (LIKE dp_agg.ledger INCLUDING ALL);
		ALTER TABLE ledger ALTER id ADD GENERATED ALWAYS AS IDENTITY;
		INSERT INTO budget TABLE dp_agg.budget;
		CREATE TABLE entry AS SELECT l.*, b.rdp_spent FROM dp_agg.ledger l, dp_agg.budget b WHERE admitted;

		CREATE FUNCTION in_transaction(payer regrole, payer_dataset text, epsilon float8)
		RETURNS boolean LANGUAGE plpgsql AS $$
		DECLARE
			e entry;
		BEGIN
			SELECT * INTO e FROM entry;
			UPDATE budget SET rdp_spent = e.rdp_spent, pure_spent = pure_spent + epsilon,
				delta_spent = delta_spent + e.delta, statements = statements + 1,
				last_charge = clock_timestamp()
			WHERE role = payer AND dataset = payer_dataset
				AND pure_spent + epsilon <= epsilon_limit;
			IF NOT FOUND THEN
				RETURN false;
			END IF;
			INSERT INTO ledger (at, event, role, dataset, budget, payer, admitted, statement, releases,
				pure_epsilon, delta, epsilon_limit, delta_limit, epsilon_spent, delta_spent, hash)
			VALUES (clock_timestamp(), e.event, e.role, payer_dataset, e.budget, e.payer, true,
				e.statement, e.releases, epsilon, e.delta, e.epsilon_limit, e.delta_limit,
				e.epsilon_spent, e.delta_spent, e.hash);
			RETURN true;
		END
		$$;
	SQL
	role=$(psql -qXAt -d dp_bench -c "SELECT quote_literal(current_user) || '::regrole'")
	echo "SELECT test_charge_describing($role, 'default', 1e-3, '$statement')" >"$directory/keeper"
	echo "SELECT in_transaction($role, 'default', 1e-3)" >"$directory/in_transaction"
	echo "SELECT pg_logical_emit_message(true, 'bench', '')" >"$directory/bare_commit"
}

# Transactions per second of one way with so many clients.
rate()
{
	pgbench -n -M prepared -c "$2" -j "$(($2 < 2 ? $2 : 2))" -T "$seconds" -f "$directory/$1" dp_bench |
		sed -n 's/^tps = \([0-9]*\).*/\1/p'
}

median()
{
	sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

set_up
printf '%7s %12s %16s %14s %20s %18s\n' clients "keeper/s" "in transaction/s" "bare commit/s" \
	"keeper/in trans." "keeper/bare commit"
for clients in 1 16 32; do
	for way in keeper in_transaction bare_commit; do
		: >"$directory/$way.$clients"
	done
	for ((round = 0; round < rounds; round++)); do
		for way in keeper in_transaction bare_commit; do
			rate "$way" "$clients" >>"$directory/$way.$clients"
		done
	done
	awk -v clients="$clients" -v keeper="$(median <"$directory/keeper.$clients")" \
		-v inside="$(median <"$directory/in_transaction.$clients")" \
		-v bare="$(median <"$directory/bare_commit.$clients")" \
		'BEGIN { printf "%7d %12d %16d %14d %20.2f %18.2f\n", clients, keeper, inside, bare,
			keeper / inside, keeper / bare }'
done
