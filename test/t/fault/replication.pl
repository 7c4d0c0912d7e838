# Standbys: no charge on them, none acknowledged before they have it, and what
# the keeper writes is valid for replicas, logical decoding and indexes.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $charge = "SELECT test_charge('ann', 'default', 0.001)";
my $primary = new_server('primary', init => { allows_streaming => 'logical' }, conf => <<'CONF');
wal_consistency_checking = 'all'
dp_agg.keeper_idle_timeout = 60s
CONF

# Indexes of somebody's own: on an expression, a part, and what charges change.
$primary->safe_psql('postgres', <<'SQL');
CREATE EXTENSION amcheck;
CREATE INDEX ON dp_agg.ledger ((releases->>0));
CREATE INDEX ON dp_agg.ledger (role, at) WHERE NOT admitted;
CREATE INDEX ON dp_agg.budget (statements) WHERE refusals < 3;
SELECT pg_create_logical_replication_slot('decoded', 'test_decoding');
CREATE PUBLICATION books FOR TABLE dp_agg.budget, dp_agg.ledger;
SQL
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# Ordinary rows: indexes and logical decoding see all of them.
my $crowd = start_crowd($primary, clients => 8, charges => 100);
ok(crowd_done($crowd), 'no client hangs');
is_outcome($primary, "SELECT test_charge('ann', 'default', 1e6)", 'f', 'a refusal') for 1 .. 4;
books_balance($primary, 'the books balance');
is($primary->safe_psql('postgres', <<'SQL'), 11, 'all indexes are valid');
SELECT count(bt_index_check(indexrelid, true)) FROM pg_index
WHERE indrelid IN ('dp_agg.budget'::regclass, 'dp_agg.ledger'::regclass) AND indisvalid
SQL
is($primary->safe_psql('postgres', "SELECT count(*) FROM verify_heapam('dp_agg.budget')") . $primary->safe_psql('postgres', "SELECT count(*) FROM verify_heapam('dp_agg.ledger')"),
	'00', 'so are the tables');
is($primary->safe_psql('postgres', "SET enable_seqscan = off; SELECT statements FROM dp_agg.budget WHERE statements = 800 AND refusals < 3"), '', 'a partial index misses what is not its part');
is($primary->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM dp_agg.ledger WHERE NOT admitted AND role = 'ann'"), '4', 'and has what is');
my $changes = $primary->safe_psql('postgres', <<'SQL');
SELECT count(*) FILTER (WHERE data ~ '^table dp_agg.ledger: INSERT'),
	count(*) FILTER (WHERE data ~ '^table dp_agg.budget: UPDATE') > 0,
	count(*) FILTER (WHERE data ~ '^table' AND data !~ '^table dp_agg.(ledger: INSERT|budget: UPDATE)')
FROM pg_logical_slot_get_changes('decoded', NULL, NULL)
SQL
is($changes, '804|t|0', 'logical decoding sees ordinary changes');

# A standby shows the books and charges nothing, whatever else is wrong.
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', "SELECT statements, refusals FROM dp_agg.budgets WHERE role = 'ann'::regrole"), '800|4', 'a standby shows budgets');
is($standby->safe_psql('postgres', "SELECT round(test_peek('ann', 'default')::numeric, 6)"), '0.800000', 'and peeks');
my $began = time;
is_outcome($standby, $charge, '25006: cannot charge a privacy budget during recovery', 'a standby charges nothing');
is_outcome($standby, "SELECT test_charge('nobody', 'default', 0.001)", '42704: ', 'an unknown role is an error as usual');
$standby->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$standby->restart;
is_outcome($standby, $charge, '25006: cannot charge a privacy budget during recovery', 'nor does one without the library');
cmp_ok(time - $began, '<', 15, 'which is said at once');
$standby->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'");
$standby->restart;

# Synchronous standbys: the keeper waits for them, whatever the database says.
$primary->safe_psql('postgres', 'ALTER DATABASE postgres SET synchronous_commit = off');
$primary->safe_psql('postgres', 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = \'dp_agg keeper\'');
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'");
$primary->reload;
ok($primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication"), 'the standby is synchronous');
is_outcome($primary, $charge, 't', 'a charge');

sub entries
{
	return $primary->safe_psql('postgres', 'SELECT count(admitted) FROM dp_agg.ledger');
}

sub wait_for_sync
{
	ok(eventually(sub { $primary->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND wait_event = 'SyncRep'") eq '1' }),
		'the keeper waits for the standby');
}

$standby->stop;
my $before = entries();
my $run = start($primary, [ "SET dp_agg.charge_timeout = '3s'", $charge ]);
my $other = start($primary, [ "SET dp_agg.charge_timeout = '3s'", "SELECT test_charge('bob', 'default', 0.001)" ]);
wait_for_sync();
my $pid = keeper_pid($primary);
for (1 .. 5)
{
	$primary->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	sleep 0.1;
}
is($primary->safe_psql('postgres', "SELECT wait_event FROM pg_stat_activity WHERE pid = $pid"), 'SyncRep', 'a cancel does not end the wait');
like(finish($run), qr/^55P03: canceling statement because/, 'without the standby, a charge is not acknowledged');
like(finish($other), qr/^55P03: canceling statement because/, 'nor is another');
like($run->{err} . $other->{err}, qr/may stand/, 'but it may stand');

# Terminated while it waits: nobody is told that a charge is safe.
$run = start($primary, "SET dp_agg.charge_timeout = '30s'; $charge");
$other = start($primary, [ "SET dp_agg.charge_timeout = '30s'", "SELECT test_charge('bob', 'default', 0.001)" ]);
sleep 1;
$primary->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
wait_for_sync();
isnt(keeper_pid($primary), $pid, 'another keeper waits with the next charges');
$pid = keeper_pid($primary);
$primary->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
my @fates = (finish($run), finish($other));
is(scalar(grep { /^08007: outcome of charging the budget of role "\w+" on data set "default" is unknown/ } @fates) > 0, 1, 'a terminated keeper leaves its charges unknown')
  or diag("@fates");
is(scalar(grep { $_ eq 't' || $_ eq 'f' } @fates), 0, 'and answers none');
cmp_ok(entries(), '>', $before, 'though they are charged here');

# Nor is what this server has by itself enough, where the database says so.
$primary->safe_psql('postgres', 'ALTER DATABASE postgres SET synchronous_commit = local');
$pid = keeper_pid($primary);
$primary->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 60000)") if $pid;
$run = start($primary, [ "SET dp_agg.charge_timeout = '3s'", $charge ]);
wait_for_sync();
like(finish($run), qr/^55P03: canceling statement because/, 'a local commit is not enough');
$primary->append_conf('postgresql.conf', "synchronous_standby_names = ''");
$primary->reload;
is_outcome($primary, $charge, 't', 'without synchronous standbys charges work');
books_balance($primary, 'the books balance');

# What was acknowledged survives the primary.
$standby->start;
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'");
$primary->reload;
ok($primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication"), 'the standby is synchronous again');
$before = entries();
$crowd = start_crowd($primary, clients => 16, charges => 2000, label => 'failover');
ok(eventually(sub { entries() > $before + 300 }), 'a crowd is busy');
$primary->stop('immediate');
ok(crowd_done($crowd), 'no client hangs');
$standby->promote;
cmp_ok(scalar(my @received = KeeperTest::receipts($crowd, 't')), '>', 100, 'clients were told of charges');
receipts_are_in_the_books($standby, $crowd, 'all of them are on the promoted standby');
books_balance($standby, 'the books balance there');
is_outcome($standby, $charge, 't', 'and charges work there');

$standby->stop;
done_testing();
