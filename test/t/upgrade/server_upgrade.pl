# pg_upgrade keeps everything: budgets, caps, ledger and its chain, labels and
# grants; the new server goes on charging on top of what was spent.
#
# From the server that DP_OLD_INSTALL names, else from one of the same version.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $verify = 'SELECT * FROM dp_agg.verify_ledger()';
my %state = (
	'budgets' => 'SELECT * FROM dp_agg.budget ORDER BY role, dataset',
	'budgets as administrators see them' => 'SELECT dataset, role, epsilon_limit, delta_limit, epsilon_spent, epsilon_remaining, delta_spent, statements, refusals, last_charge FROM dp_agg.budgets ORDER BY role, dataset',
	'caps' => 'SELECT dataset, epsilon_limit, epsilon_spent, statements FROM dp_agg.dataset_caps ORDER BY 1',
	'the ledger with its hashes' => 'SELECT * FROM dp_agg.ledger ORDER BY id',
	'protected tables' => 'SELECT * FROM dp_agg.protected_tables ORDER BY 1',
	'declared columns' => 'SELECT * FROM dp_agg.protected_columns ORDER BY 1, 2',
	'labels' => 'SELECT objtype, objnamespace, objname, provider, label FROM pg_seclabels ORDER BY 1, 2, 3',
	'grants' => "SELECT has_function_privilege('officer', 'dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8)', 'EXECUTE')",
	'the version of the extension' => "SELECT extversion FROM pg_extension WHERE extname = 'dp_agg'");

# Both servers, with checksums: their default depends on the version.
sub make_server
{
	my ($name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, %options);
	$node->init(extra => [ '--data-checksums', '--encoding', 'UTF8', '--locale', 'C' ]);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'");
	return $node;
}

my $old = make_server('old', $ENV{DP_OLD_INSTALL} ? (install_path => $ENV{DP_OLD_INSTALL}) : ());
my $new = make_server('new');
diag('from ' . $old->pg_version . ' to ' . $new->pg_version);
$old->start;
$old->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE ann LOGIN;
CREATE ROLE "Zoë ""x""" LOGIN;
CREATE ROLE officer;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
CREATE TABLE visits (person int, city text) PARTITION BY LIST (city);
CREATE TABLE visits_a PARTITION OF visits DEFAULT;
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
INSERT INTO visits SELECT i % 100, 'city ' || i % 2 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'Ünïcode "set"', 3, 2);
SELECT dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain('visits', 'city', ARRAY['city 0', 'Zoë''s {"city"}, \']), dp_agg.hide_column('people', 'city');
SELECT dp_agg.set_budget('ann', 1000, 1e-6),
	dp_agg.set_budget('"Zoë ""x"""', 7, 1e-7, 'Ünïcode "set"', '1 month');
SELECT dp_agg.set_dataset_cap('default', 2000, 1e-5);
GRANT EXECUTE ON FUNCTION dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8) TO officer;
SQL
my $ask = 'SELECT abs(dp_count(*) - 1000) <= 100 FROM people';
like(asked($old, $ask), qr/^[tf]$/, 'a charge before') for 1 .. 3;
like(asked($old, 'SELECT count(*) FROM (SELECT city, dp_count(*) FROM visits GROUP BY city) s', 'Zoë "x"'), qr/^\d$/, 'and one of a group');
like(asked($old, 'SELECT dp_count(age, 1e5) FROM people'), qr/^53400/, 'and a refusal');
my %before = map { $_ => $old->safe_psql('postgres', $state{$_}) } keys %state;
is($old->safe_psql('postgres', $verify), '', 'the ledger verifies');
$old->stop;

chdir PostgreSQL::Test::Utils::tempdir or die;
command_ok(
	[
		'pg_upgrade', '--no-sync', '--old-datadir' => $old->data_dir, '--new-datadir' => $new->data_dir,
		'--old-bindir' => $old->config_data('--bindir'), '--new-bindir' => $new->config_data('--bindir'),
		'--socketdir' => $new->host, '--old-port' => $old->port, '--new-port' => $new->port
	],
	'pg_upgrade');

$new->start;
is($new->safe_psql('postgres', $state{$_}), $before{$_}, "$_: the same") for sort keys %state;
is($new->safe_psql('postgres', $verify), '', 'the ledger still verifies');
like(asked($new, $ask), qr/^\d\w{4}: /, 'it is a cluster of its own, where nothing is charged before that is acknowledged');
$new->safe_psql('postgres', 'SELECT dp_agg.acknowledge_copy()');
like(asked($new, $ask), qr/^[tf]$/, 'then it goes on');
like(asked($new, 'SELECT * FROM people'), qr/^42501/, 'the table is still closed');
is($new->safe_psql('postgres', "SELECT statements, refusals FROM dp_agg.budget WHERE role = 'ann'::regrole"), '4|1', 'on top of what was spent');
is($new->safe_psql('postgres', $verify), '', 'one chain with what was entered before');
$new->stop;
done_testing();
