# Taking the extension out of a database: labels are removed and nothing is opened, a dump
# made afterwards is restored where the library is not, and DROP EXTENSION says what it leaves.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('uninstall');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE olga LOGIN;
GRANT CREATE ON SCHEMA public TO olga;
SET ROLE olga;
CREATE TABLE "Her table" (id int PRIMARY KEY, "it's" text, age int);
INSERT INTO "Her table" VALUES (1, 'x', 30);
RESET ROLE;
SELECT dp_agg.protect('"Her table"', 'id', 'it''s a "set"'), dp_agg.set_domain('"Her table"', 'it''s', ARRAY['x', 'it''s']);
SELECT dp_agg.set_domain('people', 'age', 0, 100), dp_agg.hide_column('people', 'city'), dp_agg.publish('people', 'shown');
CREATE VIEW counted AS SELECT dp_count(*) FROM people;
GRANT SELECT ON counted TO ann;
CREATE FUNCTION of_budgets(dp_agg.budget) RETURNS int LANGUAGE sql RETURN 1;
DO $$ BEGIN PERFORM dp_agg.harden(true); END $$;
SQL
my $count = 'SELECT dp_count(*) FROM people';
like(asked($node, $count), qr/^-?\d+$/, 'installed, it answers');
my $prepared = do { local $ENV{PGUSER} = 'ann'; $node->background_psql('postgres', on_error_stop => 0) };
$prepared->query("PREPARE asked AS $count");
like($prepared->query('EXECUTE asked'), qr/^-?\d+$/, 'a plan is prepared');

# A server that has not loaded the library, as one that does not have it.
my $bare = PostgreSQL::Test::Cluster->new('bare');
$bare->init;
$bare->start;
$bare->safe_psql('postgres', 'CREATE ROLE ' . $_) for 'ann', 'bob', 'eve', 'olga';
my $directory = PostgreSQL::Test::Utils::tempdir;

# Dump, restore there, and return what was said.
sub carried_over
{
	my ($name, @options) = @_;
	$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$directory/$name.sql", @options ], "$name: dumped");
	$bare->safe_psql('postgres', "CREATE DATABASE $name");
	my $err;
	my @psql = ($bare->installed_command('psql'), '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $bare->connstr($name), '-o', '/dev/null', '-f', "$directory/$name.sql");
	return IPC::Run::run(\@psql, '<', \undef, '2>', \$err) ? 'restored' : $err;
}

# Who may do it: the extension's owner.
my $uninstall = 'SELECT * FROM dp_agg.uninstall()';
like(asked($node, $uninstall, $_), qr/^42501: permission denied for function uninstall/, "$_ may not") for 'ann', 'olga';
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION dp_agg.uninstall(), dp_agg_internal.remove_labels() TO ann, olga');
like(asked($node, $_, 'ann'), qr/^42501: must be owner of extension dp_agg/, "$_: nor with a right to the functions") for $uninstall, 'SELECT dp_agg_internal.remove_labels()';
like(KeeperTest::outcome($node, "BEGIN READ ONLY; $uninstall"), qr/^25006: /, 'nor in a transaction that only reads');
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION dp_agg.uninstall(), dp_agg_internal.remove_labels() FROM ann, olga');

# What it says; undone by its own statements.
my $labels = 'SELECT provider, objoid::regclass, objsubid, label FROM pg_seclabel ORDER BY 1, 2, 3';
my $before = $node->safe_psql('postgres', $labels);
my $undo = $node->safe_psql('postgres', "SELECT string_agg(statement, '; ') FILTER (WHERE done) FROM dp_agg.uninstall()");
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_seclabel'), '0', 'no label is left');
$node->safe_psql('postgres', $undo);
is($node->safe_psql('postgres', $labels), $before, 'the statements that it returns put them back');
like(asked($node, $count), qr/^-?\d+$/, 'and it answers again');
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'without', 'had', '"Has it"', '"Has, too"';
$node->safe_psql($_, 'CREATE EXTENSION dp_agg') for 'had', 'Has it', 'Has, too';
$node->safe_psql('had', 'DROP EXTENSION dp_agg');
$node->safe_psql('Has, too', 'CREATE ROLE of_another; SELECT dp_agg.set_budget($$of_another$$, 1, 0), dp_agg.drop_budget($$of_another$$)');
my $steps = $node->safe_psql('postgres', "SELECT step FROM dp_agg.uninstall() WHERE NOT done");
like($steps, $_, "it says $_")
  for qr/^keep the ledger \(rows: \d+, budgets and caps: 2\)/m, qr/uses the extension: view public\.counted$/m, qr/uses the extension: function public\.of_budgets\(dp_agg\.budget\)$/m,
  qr/^give back to PUBLIC/m, qr/^drop the extension$/m, qr/each other database that has the extension: "Has it", "Has, too"$/m, qr/^and in databases that were made from a template/m, qr/^take dp_agg out of shared_preload_libraries/m;
unlike($steps, qr/view (public\.shown|dp_agg(?:_internal)?\.|dp_accountant\.)|aggregate|trigger/, 'and nothing of what goes with it');

# Nothing is opened, in plans already prepared, through views and by whatever road.
my $denied = qr/^42501: (permission denied for table|table "people" is not protected)/;
like(asked($node, $_), $denied, "closed: $_")
  for $count, 'SELECT count(*) FROM people', 'SELECT * FROM people', 'SELECT age FROM shown', 'SELECT dp_avg(age, 0, 100) FROM people', 'COPY people TO STDOUT',
  'SELECT count(*) FROM "Her table"', 'EXPLAIN SELECT * FROM people', "SELECT * FROM dp_histogram('people', 'age', 0, 100, 5)";
$prepared->{stderr} = '';
$prepared->query('EXECUTE asked');
like($prepared->{stderr}, qr/table "people" is not protected/, 'closed: a prepared plan');
$prepared->quit;
unlike(asked($node, 'SELECT * FROM counted'), qr/^-?\d+$/, 'closed: a view of the owner that asks for noise');

# What was spent is still there, until the extension is dropped.
is($node->safe_psql('postgres', 'SELECT statements FROM dp_agg.budgets WHERE role = $$ann$$::regrole'), '3', 'what was spent is not forgotten');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
$node->safe_psql('postgres', 'DROP VIEW counted; DROP FUNCTION of_budgets; DROP EXTENSION dp_agg');
is(carried_over('plain'), 'restored', 'a dump is restored where the library is not');
unlike(slurp_file("$directory/plain.sql"), qr/dp_agg|SECURITY LABEL/, 'nothing in it is of the extension');
is($bare->safe_psql('plain', 'SELECT count(*), (SELECT count(*) FROM "Her table") FROM people'), '1000|1', 'with all rows');
is($node->safe_psql('postgres', 'DROP ROLE bob; SELECT count(*) FROM pg_roles WHERE rolname = $$bob$$'), '0', 'roles that had budgets can be dropped');

# Whoever dropped the extension first is told, and can still do it: with another pg_dump, or as superuser.
$node->safe_psql('postgres', "CREATE EXTENSION dp_agg; SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 100)");
my ($code, $out, $err) = $node->psql('postgres', 'DROP EXTENSION dp_agg');
like($err, qr/WARNING:  security labels of dp_agg are left on 2 objects.*HINT:  .*dp_agg\.uninstall\(\)/s, 'DROP EXTENSION warns of labels that are left');
like(asked($node, $count), qr/^42/, 'nobody is answered');
like(carried_over('labelled'), qr/security label provider "dp_agg(_domain)?" is not loaded/, 'with labels a dump cannot be restored without the library');
is(carried_over('without', '--no-security-labels'), 'restored', 'pg_dump can leave labels out');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
$node->safe_psql('postgres', 'CREATE EXTENSION dp_agg');
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.uninstall() WHERE done'), '2', 'labels can be removed by a library that is no longer preloaded');
($code, $out, $err) = $node->psql('postgres', 'DROP EXTENSION dp_agg');
is("$code $err", '0 ', 'and then there is nothing to warn of');
$node->restart;
is($node->safe_psql('postgres', 'SELECT count(*) FROM people'), '1000', 'the server starts without the library');
is(carried_over('gone'), 'restored', 'and is dumped');

$node->stop;
$bare->stop;
done_testing();
