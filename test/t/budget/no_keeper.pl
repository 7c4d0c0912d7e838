# Where there is no keeper: the library not preloaded, or single-user mode.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $charge = "SELECT test_charge('ann', 'default', 0.001)";
my $node = new_server('unloaded');
is_outcome($node, $charge, 't', 'with the library preloaded a charge works');

# Administration needs no keeper, and nor do dumps and views.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
my $run = start($node, $charge);
like(finish($run), qr/^55000: library "dp_agg" must be preloaded to charge a privacy budget/, 'without it a charge is an error');
like($run->{err}, qr/HINT:.*shared_preload_libraries = 'dp_agg'/, 'which says what to do');
is_outcome($node, "SELECT dp_agg.set_budget('ann', 2, 1e-6)", '', 'a budget can be set');
is_outcome($node, "SELECT epsilon_limit, round(epsilon_spent::numeric, 6) FROM dp_agg.budgets WHERE role = 'ann'::regrole", '2|0.001000', 'and looked at');
is_outcome($node, "SELECT test_peek('ann', 'default')", '0.001', 'and peeked at');
is_outcome($node, [ "LOAD 'dp_agg'", 'SHOW dp_agg.keeper_idle_timeout' ], '2s', 'the library can be loaded');
is_outcome($node, [ "LOAD 'dp_agg'", $charge ], '55000: library "dp_agg" must be preloaded', 'which does not help');
is_outcome($node, [ 'CREATE DATABASE other' ], '', 'in another database');
is_outcome($node, [ 'CREATE EXTENSION dp_agg', 'CREATE EXTENSION charge', $charge ], '55000: ', 'it can be installed, not charged', 'other');
$node->append_conf('postgresql.conf', "session_preload_libraries = 'dp_agg'");
$node->reload;
is_outcome($node, $charge, '55000: ', 'preloading by session does not help');
$node->stop;

# Single-user mode.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nsession_preload_libraries = ''");
my ($out, $err) = ('', '');
IPC::Run::run([ $node->installed_command('postgres'), '--single', '-D', $node->data_dir, 'postgres' ],
	'<', \"$charge\n", '>', \$out, '2>', \$err);
like($out . $err, qr/cannot charge a privacy budget in single-user mode/, 'single-user mode charges nothing');
$node->start;
is_outcome($node, $charge, 't', 'afterwards charges work');
is($node->safe_psql('postgres', 'SELECT count(admitted) FROM dp_agg.ledger'), '2', 'and none of the errors was charged');

$node->stop;
done_testing();
