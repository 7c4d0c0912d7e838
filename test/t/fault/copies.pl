# Copies of a database: restored from a dump or a backup, made from a template,
# promoted.  An old copy would hand back what was spent since, so that none
# answers before an administrator acknowledges it; but a standby that cannot have
# lost a charge takes over at once.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $query = 'SELECT dp_count(*) FROM people';
my $behind = qr/^55000: budgets on data set "default" may be behind in this copy of the database/;
my $primary = new_gate('primary', conf => <<'CONF', init => { allows_streaming => 1, has_archiving => 1 });
shared_buffers = 16MB
dp_agg.keeper_idle_timeout = 100ms
CONF
$primary->safe_psql('postgres', <<'SQL');
CREATE ROLE officer;
GRANT EXECUTE ON FUNCTION dp_agg.acknowledge_copy() TO officer;
SELECT dp_agg.set_dataset_cap('default', 5000, 1e-5);
SELECT dp_agg.set_budget('eve', 5, 1e-9, 'elsewhere');
SQL
like(asked($primary, $query), qr/^-?\d+$/, 'the original answers') for 1 .. 3;

sub flags
{
	my ($node, $database) = @_;
	return $node->safe_psql($database // 'postgres', 'SELECT count(*) FILTER (WHERE may_be_behind), count(*) FROM (SELECT may_be_behind FROM dp_agg.budgets UNION ALL SELECT may_be_behind FROM dp_agg.dataset_caps) s');
}

sub asked_in
{
	my ($node, $database) = @_;
	local $ENV{PGUSER} = 'ann';
	return KeeperTest::outcome($node, $query, $database);
}

# A copy is known as one, refuses, is acknowledged, and answers.
sub refuses_until_acknowledged
{
	my ($node, $name, $database) = @_;
	$database //= 'postgres';
	my $spent = "SELECT statements, (SELECT count(*) FROM dp_agg.ledger WHERE event = 'acknowledge') FROM dp_agg.budgets WHERE role = 'ann'::regrole";
	my ($before, $acknowledged) = split /\|/, $node->safe_psql($database, $spent);

	is(flags($node, $database), '4|4', "$name: is known as a copy");
	like(asked_in($node, $database), $behind, "$name: refuses to answer");
	like(KeeperTest::outcome($node, "SET ROLE ann; SELECT string_agg(admitted::text, ',') FROM dp_agg.price('$query')", $database), qr/^false$/, "$name: which a price tells");
	is(KeeperTest::outcome($node, [ 'SET ROLE ann', 'SELECT dp_agg.acknowledge_copy()' ], $database), '42501: permission denied for function acknowledge_copy', "$name: an analyst cannot acknowledge it");
	is(KeeperTest::outcome($node, [ 'BEGIN', "SELECT dp_agg.reset_budget('eve', 'elsewhere')", 'SELECT dp_agg.acknowledge_copy()', 'ROLLBACK' ], $database), '4', "$name: acknowledged and taken back");
	like(asked_in($node, $database), $behind, "$name: which counts for nothing");
	is(KeeperTest::outcome($node, [ 'SET ROLE officer', 'SELECT dp_agg.acknowledge_copy()' ], $database), '4', "$name: it is acknowledged");
	is(KeeperTest::outcome($node, 'SELECT dp_agg.acknowledge_copy()', $database), '0', "$name: once");
	is(flags($node, $database), '0|4', "$name: is a copy no more");
	like(asked_in($node, $database), qr/^-?\d+$/, "$name: answers");
	is($node->safe_psql($database, $spent), ($before + 1) . '|' . ($acknowledged + 4), "$name: on top of what was spent, and the ledger says so");
	like(KeeperTest::outcome($node, 'DROP ROLE ann'), qr/^2BP01: role "ann" cannot be dropped/, "$name: roles with budgets stay");
	invariants($node, [], $name, database => $database);
	return;
}
is(flags($primary), '0|4', 'the original is no copy');

# A template.
is(KeeperTest::outcome($primary, 'CREATE DATABASE twin TEMPLATE postgres'), '', 'a database is copied');
refuses_until_acknowledged($primary, 'twin', 'twin');
is(KeeperTest::outcome($primary, 'ALTER DATABASE twin RENAME TO renamed'), '', 'it can be renamed');
like(asked_in($primary, 'renamed'), qr/^-?\d+$/, 'and answers by that name');
is(KeeperTest::outcome($primary, 'DROP DATABASE renamed WITH (FORCE)'), '', 'it can be dropped');

# Whoever owns a database and may make some puts an old copy in its place, with its name and OID.
$primary->safe_psql('postgres', 'CREATE ROLE olga LOGIN CREATEDB');
is(KeeperTest::outcome($primary, $_), '', "as a superuser: $_") for 'CREATE DATABASE shop TEMPLATE postgres OWNER olga';
is($primary->safe_psql('shop', 'SELECT dp_agg.acknowledge_copy()'), '4', 'shop: acknowledged');
is(flags($primary, 'shop'), '0|4', 'shop: at home');

sub as_olga
{
	local $ENV{PGUSER} = 'olga';
	return map { KeeperTest::outcome($primary, $_, 'template1') } @_;
}
my $oid = $primary->safe_psql('shop', 'SELECT oid FROM pg_database WHERE datname = current_database()');
for my $strategy (qw(wal_log file_copy))
{
	is(join("\n", as_olga("CREATE DATABASE spare TEMPLATE shop STRATEGY $strategy")), '', "$strategy: the owner makes a copy");
	my $spent = "SELECT statements FROM dp_agg.budgets WHERE role = 'ann'::regrole";
	my $before = $primary->safe_psql('shop', $spent);
	like(asked_in($primary, 'shop'), qr/^-?\d+$/, "$strategy: the original answers") for 1 .. 2;
	is(join("\n", as_olga('DROP DATABASE shop', "CREATE DATABASE shop TEMPLATE spare OID $oid STRATEGY $strategy", 'DROP DATABASE spare')), "\n\n",
		"$strategy: and puts it in the place of the original");
	is($primary->safe_psql('shop', "SELECT oid = $oid FROM pg_database WHERE datname = current_database()"), 't', "$strategy: with its OID");
	is($primary->safe_psql('shop', $spent), $before, "$strategy: what was spent is forgotten");

	# Nor does it help to say which database it is.
	my ($home) = $primary->safe_psql('shop', "SELECT split_part(home, '/', 1) || '/' || split_part(home, '/', 2) || '/' || split_part(home, '/', 3) FROM dp_agg.budget LIMIT 1");
	is(join('', as_olga("SECURITY LABEL FOR dp_agg_database ON DATABASE shop IS '$home'")), '42501: only superusers may say which database this is', "$strategy: the owner may not say that it is the original");
	is(join('', as_olga("SECURITY LABEL FOR dp_agg_database ON DATABASE shop IS '1$home'")), '', "$strategy: but what says nothing, as the label of a dump");
	is(join('', as_olga("SECURITY LABEL FOR dp_agg_database ON DATABASE template1 IS '1$home'")), '42501: must be owner of database template1', "$strategy: of its own");
	refuses_until_acknowledged($primary, "shop by $strategy", 'shop');
}
is(join("\n", as_olga('ALTER DATABASE shop RENAME TO shed')), '', 'shed: a new name');
is(flags($primary, 'shed'), '0|4', 'shed: does not make it another');
$primary->safe_psql('postgres', "SET allow_in_place_tablespaces = on; CREATE TABLESPACE elsewhere LOCATION ''; GRANT CREATE ON TABLESPACE elsewhere TO olga");
$primary->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = 'shed'") or die;
is(join("\n", as_olga('ALTER DATABASE shed SET TABLESPACE elsewhere')), '', 'shed: nor another tablespace');
is(flags($primary, 'shed'), '0|4', 'shed: is at home');
like(asked_in($primary, 'shed'), qr/^-?\d+$/, 'shed: and answers');
is(join("\n", as_olga('SECURITY LABEL FOR dp_agg_database ON DATABASE shed IS NULL')), '', 'shed: its owner takes the label away');
refuses_until_acknowledged($primary, 'shed without a label', 'shed');
is(KeeperTest::outcome($primary, "SECURITY LABEL FOR dp_agg_database ON TABLE people IS '1'"), '42809: security labels of dp_agg_database are for databases', 'shed: nothing but a database has one');
is(join("\n", as_olga('DROP DATABASE shed')), '', 'shed: gone');
is(KeeperTest::outcome($primary, 'DROP TABLESPACE elsewhere'), '', 'with its tablespace');
is(flags($primary), '0|4', 'and the database that it came from is what it was');

# A dump, in another cluster.
my $other = PostgreSQL::Test::Cluster->new('other');
$other->init;
$other->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'");
$other->start;
my $directory = PostgreSQL::Test::Utils::tempdir;
$primary->command_ok([ 'pg_dumpall', '-d', $primary->connstr('postgres'), '--globals-only', '-f', "$directory/globals.sql" ], 'roles are dumped');
$other->psql('postgres', slurp_file("$directory/globals.sql"), on_error_stop => 0);
$primary->command_ok([ 'pg_dump', '-Fc', '-d', $primary->connstr('postgres'), '-f', "$directory/dump" ], 'the database is dumped');
$other->safe_psql('postgres', 'CREATE DATABASE restored');
$other->command_ok([ 'pg_restore', '--exit-on-error', '-d', $other->connstr('restored'), "$directory/dump" ], 'and restored');
refuses_until_acknowledged($other, 'restored', 'restored');
$other->append_conf('postgresql.conf', "synchronous_standby_names = 'nobody'");
$other->reload;
$other->poll_query_until('postgres', "SELECT current_setting('synchronous_standby_names') = 'nobody'") or die;
like(asked_in($other, 'restored'), qr/^-?\d+$/, 'restored: where no standby can connect, no charge waits for one');
is($other->safe_psql('restored', 'SELECT bool_or(synchronous) FROM dp_agg.budget'), 'f', 'restored: nor is it said to have waited');
$other->stop;

# A backup, recovered to a point in time: what was spent since is unknown there.
$primary->backup('backup');
$primary->safe_psql('postgres', "SELECT pg_create_restore_point('then'); SELECT pg_switch_wal()");
asked($primary, $query) for 1 .. 5;
my $past = PostgreSQL::Test::Cluster->new('past');
$past->init_from_backup($primary, 'backup', has_restoring => 1, standby => 0);
$past->append_conf('postgresql.conf', "recovery_target_name = 'then'\nrecovery_target_action = promote\nhot_standby = on");
$past->start;
$past->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
cmp_ok(admitted($past), '<', admitted($primary), 'a backup knows of less than was spent');
refuses_until_acknowledged($past, 'past');
$past->restart;
like(asked_in($past, 'postgres'), qr/^-?\d+$/, 'past: acknowledged for good');
$past->stop;

# A standby answers nothing, and says why.
sub new_standby
{
	my ($name) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$standby->init_from_backup($primary, 'backup', has_streaming => 1);
	$standby->start;
	$primary->wait_for_catchup($standby);
	return $standby;
}
my $standby = new_standby('asynchronous');
my $run = start_as($standby, $query);
is(finish($run), '25006: cannot charge a privacy budget during recovery', 'a standby answers nothing');
like($run->{err}, qr/HINT:.*Connect to the primary server/, 'and says who does');
is(flags($standby), '0|4', 'it is no copy that may be behind: its primary answers');
is(KeeperTest::outcome($standby, 'SELECT dp_agg.acknowledge_copy()'), '25006: cannot execute dp_agg.acknowledge_copy() during recovery', 'and cannot be acknowledged');
is(KeeperTest::outcome($standby, "SELECT dp_agg.set_budget(session_user::regrole, 1, 1e-6)"), '25006: cannot execute dp_agg.set_budget() during recovery', 'nor given a budget');

# Promoted without synchronous replication it may have lost charges.
asked($primary, $query);
$standby->promote;
refuses_until_acknowledged($standby, 'asynchronous');
$standby->stop;

# Copies answer where the administrator says that they do; they stay flagged.
$standby = new_standby('liberal');
$standby->append_conf('postgresql.conf', 'dp_agg.answer_on_copies = on');
$standby->reload;
$standby->promote;
like(asked($standby, $query), qr/^-?\d+$/, 'liberal: a copy answers where it may');
is(flags($standby), '4|4', 'liberal: but is still known as one');
invariants($standby, [], 'liberal');
$standby->append_conf('postgresql.conf', 'dp_agg.answer_on_copies = off');
$standby->reload;
$standby->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'");
refuses_until_acknowledged($standby, 'liberal');
$standby->stop;

# Synchronous replication: no answer before the standby has the charge.
$standby = new_standby('synchronous');
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'synchronous'");
$primary->reload;
$primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication") or die;
like(asked($primary, $query), qr/^-?\d+$/, 'synchronous: an answer');
$primary->backup('synchronous');
$standby->stop;
my $before = admitted($primary);
$run = start_as($primary, [ 'SET dp_agg.charge_timeout = 0', $query ]);
ok(eventually(sub { $primary->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND wait_event = 'SyncRep'") eq '1' }),
	'synchronous: the charge waits for the standby');
sleep 1;
is($run->{out}, '', 'synchronous: no answer meanwhile');
$standby->start;
like(finish($run), qr/^-?\d+$/, 'synchronous: but when it is back');

# A standby that is told where to stop has not replayed what came after.
$primary->safe_psql('postgres', "SELECT pg_create_restore_point('early')");
like(asked($primary, $query), qr/^-?\d+$/, 'early: an answer after the point');
my $early = PostgreSQL::Test::Cluster->new('early');
$early->init_from_backup($primary, 'synchronous', has_streaming => 1);
$early->append_conf('postgresql.conf', "synchronous_standby_names = ''\nrecovery_target_name = 'early'\nrecovery_target_action = promote");
$early->start;
$early->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
cmp_ok(admitted($early), '<', admitted($primary), 'early: less than was spent is known');
refuses_until_acknowledged($early, 'early');
$early->stop;

# What was only restored has heard from no primary: the archive may lack its last charges.
my $restored = PostgreSQL::Test::Cluster->new('archive');
$restored->init_from_backup($primary, 'synchronous', has_restoring => 1, standby => 0);
$restored->append_conf('postgresql.conf', "synchronous_standby_names = ''\nrecovery_target_timeline = current");
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
refuses_until_acknowledged($restored, 'archive');
$restored->stop;

# It takes over: no charge can be lost, so that nobody is kept waiting, but in a
# database that is a copy of another.
is(KeeperTest::outcome($primary, 'CREATE DATABASE sibling TEMPLATE postgres'), '', 'synchronous: a database is copied');
my $clients = start_clients($primary, clients => 4, queries => 300, epsilon => 0.001);
ok(eventually(sub { admitted($primary) > $before + 150 }), 'synchronous: there is a load');
$primary->stop('immediate');
crowd_done($clients);
$standby->promote;
is(flags($standby), '4|4', 'synchronous: promoted, it is not sure yet');
like(asked($standby, $query), qr/^-?\d+$/, 'synchronous: it answers at once');
is(flags($standby), '0|4', 'synchronous: and is sure, of all budgets');
like(asked_in($standby, 'sibling'), $behind, 'synchronous: not of those in a copy');
cmp_ok(scalar(FaultTest::answers_of(@$clients)), '>', 100, 'synchronous: there were answers before');
invariants($standby, $clients, 'synchronous');

# What it takes over are budgets that lived in this very database, on a timeline
# before, of which the last to be charged waited.
sub taken_over
{
	my ($homes, $last, $waited) = @_;

	$standby->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'") or die;
	$standby->safe_psql('postgres', sprintf(<<'SQL', $homes, $waited, $last));
UPDATE dp_agg.budget b
SET home = format((%1$s)[n], system_identifier, (SELECT oid || '/' || split_part(home, '/', 3) FROM pg_database WHERE datname = 'postgres')),
	synchronous = %2$s, last_charge = now() + CASE WHEN n = %3$d THEN interval '1 second' ELSE '0' END
FROM pg_control_system(), (SELECT number, row_number() OVER (ORDER BY number) AS n FROM dp_agg.budget) o WHERE o.number = b.number
SQL
	asked($standby, $query);
	return flags($standby);
}
is(taken_over("ARRAY['%1\$s/%2\$s/1/00000000000000ff', '1/%2\$s/1', '%1\$s/%2\$s/99', '%1\$s/%2\$s/1']", 1, 'true'), '3|4',
	'synchronous: not those of other files, systems or later timelines');
my $here = "array_fill('%1\$s/%2\$s/1'::text, '{4}')";
is(taken_over($here, $_, "n <> $_"), '4|4', "synchronous: none if the last charge, of number $_, waited for nobody") for 1 .. 4;
is(taken_over($here, 4, 'n = 4'), '0|4', 'synchronous: all if it waited');
$standby->restart;
like(asked($standby, $query), qr/^-?\d+$/, 'synchronous: for good');
$standby->stop;

done_testing();
