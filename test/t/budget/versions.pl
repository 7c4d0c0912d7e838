# What a charge, a price and a look at budgets read does not grow with the versions of a
# budget's row that somebody's transaction keeps from being removed, nor with the pages
# that they leave behind.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('versions', conf => "max_prepared_transactions = 5\nautovacuum = off\n");
$node->safe_psql('postgres', "SELECT dp_agg.set_dataset_cap('default', 5000, 1e-3)");

my @relations = ('dp_agg.budget', 'dp_agg.budget_pkey');
my %ask = (
	'charges' => "SELECT count(test_charge('ann', 'default', 0.0001)) FROM generate_series(1, 20)",
	'prices' => "SELECT test_peek('ann', 'default') FROM generate_series(1, 20)",
	'looks of one\'s own' => "SET ROLE ann; " . ('SELECT * FROM dp_agg.budgets; ' x 20),
	'an administrator\'s looks' => 'SELECT * FROM dp_agg.budgets; ' x 20);

# Pages that twenty of each read.
sub measure
{
	my %pages;
	for my $what (sort keys %ask)
	{
		my $before = pages_read($node, @relations);
		$node->safe_psql('postgres', $ask{$what});
		$pages{$what} = pages_read($node, @relations) - $before;
	}
	return \%pages;
}

my ($few, $many);

sub compare
{
	my ($when) = @_;
	$many = measure();
	cmp_ok($many->{$_}, '<', 2 * $few->{$_} + 100, "$_ read no more $when (" . $few->{$_} . ', ' . $many->{$_} . ')') for sort keys %ask;
	return;
}

# Pages on which there are versions that a scan of the key comes by.
sub versions
{
	my ($pages) = $node->safe_psql('postgres', <<'SQL') =~ /Buffers: shared hit=(\d+)/;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) SELECT number FROM dp_agg.budget WHERE role = 'ann'::regrole AND dataset = 'default';
SQL
	return $pages;
}

$node->safe_psql('postgres', $ask{charges});
$few = measure();
cmp_ok(versions(), '<', 20, 'a budget has few versions');

my $holder = $node->background_psql('postgres', on_error_die => 1);
$holder->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
my $charge = "SELECT count(test_charge('ann', 'default', 0.0001)) FROM generate_series(1, 2000)";
$node->safe_psql('postgres', $charge);
cmp_ok(versions(), '>', 300, 'a transaction keeps many');
compare('while it lasts');
cmp_ok($holder->query_safe("SELECT statements FROM dp_agg.budgets WHERE role = 'ann'::regrole"), '<', 2000, 'which sees an old one');
compare('after it has looked');
$holder->query_safe('COMMIT');
$holder->quit;

# What is found without an index leads to where a row is, and no further.
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('ann', 2000, 1e-6)");
is($node->safe_psql('postgres', "SELECT epsilon_limit FROM dp_agg.budgets WHERE role = 'ann'::regrole"), '2000', 'an act is seen');
is_outcome($node, "SELECT test_charge('ann', 'default', 0.0001)", 't', 'and charged on');
$node->safe_psql('postgres', "SELECT dp_agg.drop_budget('ann')");
is_outcome($node, "SELECT test_charge('ann', 'default', 0.0001)", '42501: role "ann" has no budget', 'a budget that was dropped is not found');
is($node->safe_psql('postgres', "SELECT test_peek('ann', 'default') IS NULL, count(*) FROM dp_agg.budgets WHERE role = 'ann'::regrole"), 't|0', 'nor seen');
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('ann', 1000, 1e-6)");
is($node->safe_psql('postgres', "SELECT test_peek('ann', 'default')"), '0', 'a new one is another');
is_outcome($node, "SELECT test_charge('ann', 'default', 0.0001)", 't', 'which is charged');

$node->safe_psql('postgres', 'VACUUM dp_agg.budget');
cmp_ok($node->safe_psql('postgres', "SELECT pg_relation_size('dp_agg.budget') / 8192"), '>', 300, 'pages stay');
compare('when they are empty');

# Of a restart places are not left; the first who reads a row leaves it.
$node->safe_psql('postgres', "BEGIN; CREATE TABLE waits (); PREPARE TRANSACTION 'waits'");
$node->safe_psql('postgres', $charge);
$node->restart;
$node->safe_psql('postgres', 'SELECT test_peek(role, \'default\') FROM unnest(ARRAY[\'ann\', \'bob\']::regrole[]) role');
cmp_ok(versions(), '>', 300, 'a prepared transaction keeps many');
compare('after a restart');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'waits'");

# A role with budgets on many data sets, and many versions of one of them, sees all.
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('ann', 1, 0, 'set ' || i) FROM generate_series(1, 20) i");
is($node->safe_psql('postgres', "SET ROLE ann; SELECT count(*), count(DISTINCT dataset) FROM dp_agg.budgets"), '21|21', 'all budgets of a role are shown');
is($node->safe_psql('postgres', "SELECT (SELECT count(*) FROM dp_agg.budgets) + (SELECT count(*) FROM dp_agg.dataset_caps) = count(*) FROM dp_agg.budget"), 't', 'and all there are');

# A place that another row has taken is not believed.
$node->safe_psql('postgres', 'VACUUM FULL dp_agg.budget');
is_outcome($node, "SELECT test_charge('ann', 'default', 0.0001)", 't', 'a charge finds a row that VACUUM FULL has moved');
$node->safe_psql('postgres', "SELECT dp_agg.drop_budget('ann')");
$node->safe_psql('postgres', 'VACUUM dp_agg.budget');
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('bob', 1, 0, 'set ' || i) FROM generate_series(1, 100) i");
is_outcome($node, "SELECT test_charge('ann', 'default', 0.0001)", '42501: role "ann" has no budget', 'who has none is refused where others\' rows have taken the place of hers');
is($node->safe_psql('postgres', "SELECT test_peek('ann', 'default') IS NULL, count(*) FROM dp_agg.budgets WHERE role = 'ann'::regrole AND dataset = 'default'"), 't|0', 'and sees none');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
is($node->safe_psql('postgres', "CREATE EXTENSION amcheck; SELECT bt_index_check('dp_agg.budget_pkey', true)"), '', 'the key leads to all rows');
$node->stop;
done_testing();
