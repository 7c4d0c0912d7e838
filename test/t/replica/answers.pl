# A hot standby answers, and what that costs is charged on its primary, durably, before anything is drawn.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReplicaTest;
use Test::More;

plan skip_all => 'built without the headers of libpq' if !has_link();

my $query = 'SELECT dp_count(*) FROM people';
my $primary = new_primary('primary');
my $standby = new_standby($primary, 'standby');

# The last charge in the primary's ledger.
sub last_charge
{
	my ($what) = @_;
	return $primary->safe_psql('postgres', "SELECT $what FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 1");
}

# An answer, and its charge.
my $before = admitted($primary);
like(asked($standby, $query), qr/^-?\d+$/, 'a standby answers');
is(admitted($primary), $before + 1, 'and the primary has charged it');
is(last_charge("role, statement, releases -> 0 ->> 'read_on'"), "ann|$query|standby", 'with who asked what, and which server read the rows');
like(asked($primary, $query), qr/^-?\d+$/, 'the primary answers');
is(last_charge("releases -> 0 ? 'read_on'"), 'f', 'and says nothing of a server');
is($primary->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger adds up');
is($standby->safe_psql('postgres', "SELECT count(*), min(query) FROM pg_stat_activity WHERE backend_type = 'dp_agg replica'"), '1|linked to the primary server', 'one worker, which says how it stands');
is($primary->safe_psql('postgres', "SELECT application_name, count(*) FROM pg_stat_activity WHERE usename = 'dp_agg_replica' GROUP BY 1"), 'standby|1', 'one session on the primary, by the name of the standby');
is($standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'"), '0', 'no keeper');

# The answer comes after the charge: as long as the primary does not commit, there is none.
$before = admitted($primary);
stop_at($primary, 'committing');
my $run = start_as($standby, $query);
reached($primary, 'committing');
is(admitted($primary), $before, 'not yet charged');
is($standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE usename = 'ann' AND state = 'active'"), '1', 'not yet answered');
is($run->{out}, '', 'at all');
let_all_go($primary);
like(finish($run), qr/^-?\d+$/, 'answered');
is(admitted($primary), $before + 1, 'and charged');

# Ways of asking.
$before = admitted($primary);
like(asked($standby, [ "PREPARE q AS SELECT city, dp_sum(age, 0, 99) FROM people GROUP BY city", 'EXECUTE q' ]), qr/^city \d\|-?\d+$/, 'prepared');
like(asked($standby, [ 'BEGIN', "DECLARE c CURSOR FOR $query", 'FETCH c' ]), qr/^-?\d+$/, 'by a cursor');
like(asked($standby, [ 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM people', 'COMMIT' ]), qr/^-?\d+$/, 'by a plain aggregate in a transaction');
like(asked($standby, 'SELECT * FROM (SELECT city, dp_count(*) AS n FROM people GROUP BY city) s ORDER BY n LIMIT 1'), qr/^city \d\|-?\d+$/, 'in a subquery');
like(asked($standby, "WITH big AS (SELECT dp_count(*) AS n FROM people) SELECT n, (SELECT dp_sum(age, 0, 99) FROM people) FROM big"), qr/^-?\d+\|-?\d+$/, 'two blocks at once');
is(admitted($primary), $before + 5, 'each is charged once');
like(asked($standby, [ 'SET dp_agg.ledger_statements = off', $query ]), qr/^42501/, 'an analyst does not choose what the ledger has');
like(asked($standby, "EXPLAIN ANALYZE $query"), qr/./, 'EXPLAIN ANALYZE');
is(admitted($primary), $before + 7, 'is charged, as the one before');
like(asked($standby, [ "SELECT dp_count(*), '" . ('x' x 20_000) . "' FROM people" ]), qr/^-?\d+\|x+$/, 'a long statement');
my $length = last_charge('length(statement)');
asked($primary, [ "SELECT dp_count(*), '" . ('x' x 20_000) . "' FROM people" ]);
is(last_charge('length(statement)'), $length, 'is in the ledger as one that is asked on the primary');
like(asked($standby, "SELECT dp_count(*) FROM people WHERE city = 'Zürich'"), qr/^-?\d+$/, 'other than ASCII');
is(last_charge('statement'), "SELECT dp_count(*) FROM people WHERE city = 'Zürich'", 'is in the ledger as it was');

# What there is to see of budgets.
caught_up($primary, $standby);
my $budget = "SELECT statements, round(epsilon_spent::numeric, 6), may_be_behind FROM dp_agg.budgets WHERE role = 'ann'::regrole";
is(asked($standby, $budget), asked($primary, $budget), 'budgets are those of the primary');
for my $look ("SELECT admitted FROM dp_agg.price('$query')", 'SELECT statements > 0 FROM dp_agg.remaining($$' . $query . '$$)', "SELECT count(*) > 0 FROM dp_agg.plan(10)")
{
	is(asked($standby, $look), asked($primary, $look), "the same on both: $look");
}
is(asked($standby, [ $query, 'SELECT count(*) FROM dp_agg.last_release()' ]), '1', 'the last release is known');

# Refusals.
is(asked($standby, $query, 'eve'), '42501: role "eve" has no budget on data set "default"', 'who has no budget is told');
$primary->safe_psql('postgres', "SELECT dp_agg.set_budget('eve', 0.25, 1e-9)");
caught_up($primary, $standby);
like(asked($standby, [ 'SET dp_agg.epsilon = 0.2', $query ], 'eve'), qr/^-?\d+$/, 'a small budget');
like(asked($standby, [ 'SET dp_agg.epsilon = 0.2', $query ], 'eve'), qr/^53400: privacy budget exhausted on data set "default"/, 'is exhausted on the standby');
like(asked($primary, [ 'SET dp_agg.epsilon = 0.2', $query ], 'eve'), qr/^53400: privacy budget exhausted/, 'and on the primary');
is(admitted($primary, 'eve') . '|' . refusals($primary, 'eve'), '1|2', 'which has all of it in its books');
like(asked($standby, 'SELECT * FROM people'), qr/^42501/, 'rows are not shown');

# A budget that the standby has not heard of yet; one that is gone on the primary alone.
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
$primary->safe_psql('postgres', "SELECT dp_agg.drop_budget('bob')");
is(asked($standby, $query, 'bob'), '42501: role "bob" has no budget on data set "default"', 'limits are those of the primary, whatever the standby knows');
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');

# Kept answers: those of the primary are shown; none is kept of the standby.
my $kept = [ "SET dp_agg.kept_max_age = '1h'", 'SELECT dp_sum(age, 0, 77) FROM people' ];
my $answer = asked($primary, $kept);
is(asked($primary, $kept), $answer, 'kept on the primary');
caught_up($primary, $standby);
$before = admitted($primary);
is(asked($standby, $kept), $answer, 'shown on the standby');
is(admitted($primary), $before, 'free of charge');
like(asked($standby, [ @$kept[0], ('SELECT dp_sum(age, 0, 76) FROM people') x 3 ]), qr/^-?\d+$/, 'what is asked on the standby');
is(admitted($primary), $before + 3, 'is not kept, and is paid for each time');
ok($standby->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE wait_event = 'Extension' AND usename = 'ann'"), 'and nobody waits for it to be');

# Another database of the same server; one without the extension.
$primary->safe_psql('postgres', 'CREATE DATABASE other');
KeeperTest::prepare_database($primary, 'other');
$primary->safe_psql('other', <<"SQL");
GRANT EXECUTE ON FUNCTION $SIGNATURE TO dp_agg_replica;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SQL
caught_up($primary, $standby);
{
	local $ENV{PGUSER} = 'ann';
	like(KeeperTest::outcome($standby, $query, 'other'), qr/^-?\d+$/, 'another database has a worker of its own');
}
is($primary->safe_psql('other', "SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole"), '1', 'and its own books');
is($standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg replica'"), '2', 'which makes two');

# A right that is not given.
$primary->safe_psql('postgres', "REVOKE EXECUTE ON FUNCTION $SIGNATURE FROM dp_agg_replica");
is(asked($standby, $query), '42501: could not charge the budget of role "ann" on data set "default": permission denied for function replica_charge', 'without the right to the function');
$primary->safe_psql('postgres', "GRANT EXECUTE ON FUNCTION $SIGNATURE TO dp_agg_replica");
like(asked($standby, $query), qr/^-?\d+$/, 'with it');

# A standby that is not set up.
like(asked($standby, 'SHOW dp_agg.primary_conninfo'), qr/^42501/, 'analysts do not see how the primary is reached');
like(asked($standby, "SET dp_agg.primary_conninfo = 'host=/tmp'"), qr/^55P02/, 'nor set it');
$standby->append_conf('postgresql.conf', "dp_agg.primary_conninfo = ''");
$standby->reload;
$standby->poll_query_until('postgres', "SELECT current_setting('dp_agg.primary_conninfo') = ''") or die;
$run = start_as($standby, $query);
is(finish($run), '25006: cannot charge a privacy budget during recovery', 'a standby that is not set up answers nothing');
like($run->{err}, qr/HINT:.*dp_agg\.primary_conninfo/, 'and says how it would');

# When nobody asks, the worker leaves.
$standby->append_conf('postgresql.conf', "dp_agg.primary_conninfo = 'user=dp_agg_replica'\ndp_agg.keeper_idle_timeout = 100ms");
$standby->reload;
ok(eventually(sub { worker_pid($standby) eq '' && link_of($primary) eq '' }), 'idle workers leave, and their sessions end');
like(asked($standby, $query), qr/^-?\d+$/, 'another comes');
invariants($primary, [], 'at the end', twice => 1);

done_testing();
