# Keepers come and go: several databases, databases dropped and copied, no
# background worker to spare, an extension dropped under a living keeper.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = new_server('databases');
my $charge = "SELECT test_charge('ann', 'default', 0.001)";

# An idle keeper leaves by itself, and is not in the way before that.
is_outcome($node, $charge, 't', 'a charge');
isnt(keeper_pid($node), '', 'has a keeper');
ok(wait_for_no_keeper($node), 'which leaves when it is idle');

for my $try (1 .. 3)
{
	$node->safe_psql('postgres', 'CREATE DATABASE other');
	prepare_database($node, 'other');
	is_outcome($node, $charge, 't', 'a charge in another database', 'other');
	isnt(keeper_pid($node, 'other'), '', 'which has a keeper');
	is_outcome($node, 'CREATE DATABASE copy TEMPLATE other', '', 'the database can be copied');
	is_outcome($node, $charge, 't', 'and charged', 'other');
	is($node->safe_psql('other', 'SELECT max(statements) FROM dp_agg.budget'), '2', 'its budget is its own');
	is_outcome($node, $charge, '55000: budgets on data set "default" may be behind', 'the copy is known as one', 'copy');
	is_outcome($node, 'SELECT dp_agg.acknowledge_copy()', '2', 'and acknowledged', 'copy');
	is_outcome($node, $charge, 't', 'it can be charged', 'copy');
	is($node->safe_psql('copy', 'SELECT max(statements) FROM dp_agg.budget'), '2', 'and its budget too');
	isnt(keeper_pid($node, 'copy'), '', 'it has a keeper');
	is_outcome($node, 'DROP DATABASE copy', '', 'it can be dropped');
	is_outcome($node, $charge, 't', 'the other can be charged', 'other');
	is_outcome($node, 'DROP DATABASE other WITH (FORCE)', '', 'it can be dropped by force');
}

# The idle time can be changed while a keeper waits.
is_outcome($node, $charge, 't', 'a charge');
$node->append_conf('postgresql.conf', "dp_agg.keeper_idle_timeout = '1h'");
$node->reload;
my $pid = keeper_pid($node);
sleep 3;
is(keeper_pid($node), $pid, 'a keeper notices that it may stay longer');
is($node->safe_psql('postgres', "SELECT application_name, query, usename = current_user, state IS NULL OR state = 'idle' FROM pg_stat_activity WHERE pid = $pid"),
	'dp_agg keeper||t|t', 'it says of itself what it is');
is_outcome($node, [ 'SET ROLE ann', "SELECT query, wait_event FROM pg_stat_activity WHERE pid = $pid" ], '<insufficient privilege>|', 'and nothing else to strangers');
is_outcome($node, [ "SET statement_timeout = '20s'", 'CREATE DATABASE barrier', 'DROP DATABASE barrier' ], '', 'it passes barriers, which all processes must');
$node->append_conf('postgresql.conf', "dp_agg.keeper_idle_timeout = '50ms'");
$node->reload;
ok(wait_for_no_keeper($node), 'or must leave');

# A keeper's statistics are not lost.
ok($node->poll_query_until('postgres', "SELECT n_tup_ins = (SELECT count(*) FROM dp_agg.ledger) FROM pg_stat_all_tables WHERE relid = 'dp_agg.ledger'::regclass"),
	'statistics count what the keeper wrote');

# No background worker to spare: refused at once, and later not any more.
$node->append_conf('postgresql.conf', "max_worker_processes = 2\ndp_agg.keeper_idle_timeout = '1h'");
$node->restart;
$node->safe_psql('postgres', 'CREATE DATABASE other');
prepare_database($node, 'other');
is_outcome($node, $charge, 't', 'a charge takes the last background worker');
my $began = time;
is_outcome($node, $charge, '53000: could not charge the privacy budget because no background worker is free', 'one elsewhere is refused', 'other');
cmp_ok(time - $began, '<', 5, 'at once');
my $crowd = [ map { start($node, $charge, 'other') } 1 .. 8 ];
is(join(' ', grep { $_ !~ /^53000: / } map { finish($_) } @$crowd), '', 'so are many');
is_outcome($node, $charge, 't', 'where the keeper is, charges go on');
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . keeper_pid($node) . ', 5000)');
is_outcome($node, $charge, 't', 'a worker that is free again is taken', 'other');
is_outcome($node, $charge, '53000: ', 'and missed here');
$node->append_conf('postgresql.conf', "dp_agg.keeper_idle_timeout = '2s'");
$node->reload;
ok(wait_for_no_keeper($node, 'other'), 'it leaves when idle');
is_outcome($node, $charge, 't', 'charges work again');
$node->append_conf('postgresql.conf', 'max_worker_processes = 16');
$node->restart;

# A keeper that cannot connect to its database, one of whose files is not there.
my $session = $node->background_psql('other', on_error_stop => 0);
my $version = $node->data_dir . '/base/' . $node->safe_psql('postgres', "SELECT oid FROM pg_database WHERE datname = 'other'") . '/PG_VERSION';
rename $version, "$version.away" or die;
$began = time;
$session->query($charge);
like($session->{stderr}, qr/its keeper does not stay up/, 'a keeper that cannot start is an error');
cmp_ok(time - $began, '<', 8, 'soon');
$session->{stderr} = '';
rename "$version.away", $version or die;
is($session->query($charge), 't', 'once it can, charges work');
$session->quit;

# The extension dropped, imitated and created again under a living keeper.
is_outcome($node, $charge, 't', 'a charge');
$pid = keeper_pid($node);
$session = $node->background_psql('postgres');
$session->query_safe("SELECT test_charge('ann', 'default', 0.001)");
$session->query_safe("CREATE TABLE old_budget AS TABLE dp_agg.budget; CREATE TABLE old_ledger AS TABLE dp_agg.ledger");
$session->query_safe('SET client_min_messages = warning; DROP EXTENSION dp_agg');
is_outcome($node, $charge, '55000: could not charge the budget of role "ann" on data set "default": extension "dp_agg" is not installed',
	'without the extension a charge is an error');
$session->query_safe('CREATE SCHEMA dp_agg; CREATE TABLE dp_agg.budget AS TABLE old_budget; CREATE TABLE dp_agg.ledger AS TABLE old_ledger; CREATE SEQUENCE dp_agg.ledger_id_seq; ALTER TABLE dp_agg.budget ADD PRIMARY KEY (role, dataset)');
is_outcome($node, $charge, '55000: ', 'tables that only look like it are not taken for it');
$session->query_safe('DROP SCHEMA dp_agg CASCADE; CREATE EXTENSION dp_agg');
is_outcome($node, $charge, '42501: ', 'a new extension has no budgets');
$session->query_safe("SELECT dp_agg.set_budget('ann', 1, 1e-6)");
is_outcome($node, $charge, 't', 'and can be charged');
is(keeper_pid($node), $pid, 'all by the same keeper');

# Tables made something else.
$session->query_safe('ALTER EXTENSION dp_agg DROP TABLE dp_agg.ledger');
$session->query_safe("SELECT pg_terminate_backend($pid, 5000)");
is_outcome($node, $charge, '55000: could not charge the budget of role "ann" on data set "default": extension "dp_agg" has no relation "dp_agg.ledger"',
	'no charge to a table that is not a part of the extension');
$session->query_safe('ALTER EXTENSION dp_agg ADD TABLE dp_agg.ledger');
is_outcome($node, $charge, 't', 'but to one that is');
$pid = keeper_pid($node);
for my $change (
	[ 'ALTER TABLE dp_agg.ledger SET UNLOGGED', 'ALTER TABLE dp_agg.ledger SET LOGGED' ],
	[ 'ALTER TABLE dp_agg.ledger ALTER delta_spent TYPE float4', 'ALTER TABLE dp_agg.ledger ALTER delta_spent TYPE float8' ])
{
	my ($do, $undo) = @$change;
	$session->query_safe($do);
	is_outcome($node, $charge, '55000: could not charge the budget of role "ann" on data set "default": table ', "no charge after $do");
	$session->query_safe($undo);
	is_outcome($node, $charge, 't', "but after $undo");
}
$session->query_safe("ALTER TABLE dp_agg.budget ADD note text; ALTER TABLE dp_agg.ledger ADD note text; UPDATE dp_agg.budget SET note = 'kept'");
is_outcome($node, $charge, 't', 'columns may be added');
is($session->query_safe('SELECT note FROM dp_agg.budget'), 'kept', 'and are kept');
$session->query_safe('VACUUM FULL dp_agg.budget; VACUUM FULL dp_agg.ledger; REINDEX TABLE dp_agg.budget');
is_outcome($node, $charge, 't', 'tables may be rewritten');

# The keeper finds a row where it left it, and wherever else it has gone.
my $place = "(SELECT ctid FROM dp_agg.budget WHERE role = 'ann'::regrole)";
sub rewrite
{
	my ($order) = @_;
	$session->query_safe('CREATE TEMP TABLE kept AS TABLE dp_agg.budget; DELETE FROM dp_agg.budget');
	$session->query_safe('VACUUM dp_agg.budget');
	$session->query_safe('ALTER TABLE dp_agg.budget DISABLE TRIGGER loaded');
	$session->query_safe("INSERT INTO dp_agg.budget SELECT * FROM kept ORDER BY $order; DROP TABLE kept");
	$session->query_safe('ALTER TABLE dp_agg.budget ENABLE ALWAYS TRIGGER loaded');
	return;
}
my $left = $session->query_safe("SELECT $place");
$session->query_safe("SELECT dp_agg.set_budget('bob', 1, 0, 'number ' || i) FROM generate_series(1, 30) i");
rewrite("role = 'ann'::regrole");
is($session->query_safe("SELECT role FROM dp_agg.budget WHERE ctid = '$left'"), 'bob', q{another's row is where it was});
is_outcome($node, $charge, 't', 'it is found all the same');
cmp_ok($session->query_safe("SELECT split_part(trim('(' FROM $place\::text), ',', 1)"), '>', 0, 'some blocks into the table');
$session->query_safe("SELECT dp_agg.drop_budget('bob', 'number ' || i) FROM generate_series(1, 30) i");
$session->query_safe('VACUUM FULL dp_agg.budget');
is($session->query_safe("SELECT pg_relation_size('dp_agg.budget') / current_setting('block_size')::int"), 1, 'which are no more');
is_outcome($node, $charge, 't', 'and then, too');

# It makes room there for the row's next version, where nobody needs the old ones.
$session->query_safe($charge) for 1 .. 200;
cmp_ok($session->query_safe("SELECT pg_relation_size('dp_agg.budget') / current_setting('block_size')::int"), '<=', 10, 'the table does not grow by charges');
$session->quit;
is(keeper_pid($node), $pid, 'all by the same keeper');
books_balance($node, 'the books balance');

$node->stop;
done_testing();
