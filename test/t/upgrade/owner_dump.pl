# The owner of a database, who is no superuser, dumps it with the extension in it, and restores the tables
# and their protection where a superuser has made the extension.  Budgets are a superuser's to restore.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('owner_dump');
$node->safe_psql('postgres', 'CREATE ROLE olga LOGIN; CREATE ROLE other LOGIN; CREATE DATABASE shop OWNER olga');
my $prepare = <<'SQL';
CREATE EXTENSION dp_agg;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SQL
$node->safe_psql('shop', $prepare);
$node->safe_psql('shop', <<'SQL');
SET ROLE olga;
CREATE TABLE clients (id int PRIMARY KEY, age int, note text);
INSERT INTO clients SELECT i, i % 100, 'x' FROM generate_series(1, 500) i;
CREATE TABLE orders (id int PRIMARY KEY, client int NOT NULL REFERENCES clients);
INSERT INTO orders SELECT i, 1 + i % 500 FROM generate_series(1, 700) i;
SELECT dp_agg.protect('clients', 'id', 'shop'), dp_agg.set_domain('clients', 'age', 0, 100), dp_agg.hide_column('clients', 'note');
SELECT dp_agg.protect('orders', 'client', through => 'clients', max_rows => 3);
RESET ROLE;
SELECT dp_agg.set_budget('ann', 10, 1e-6, 'shop');
SQL
my $count = 'SELECT dp_count(*) FROM clients';
my $answer = qr/^-?\d+$/;
like(KeeperTest::outcome($node, [ 'SET ROLE ann', "SET dp_agg.kept_max_age = '1 year'", $count ], 'shop'), $answer, 'asked and kept');
my $policy = 'SELECT * FROM dp_agg.protected_tables ORDER BY relation::text; SELECT * FROM dp_agg.protected_columns ORDER BY relation::text, "column"';
my $books = 'SELECT number, dataset, statements, epsilon_limit FROM dp_agg.budget ORDER BY number; SELECT id, hash FROM dp_agg.ledger ORDER BY id; SELECT question FROM dp_agg.kept_answer';
my %before = map { $_ => $node->safe_psql('shop', $_) } $policy, $books;
is($node->safe_psql('shop', "SELECT statements FROM dp_agg.budget"), '1', 'there are books');

my $directory = PostgreSQL::Test::Utils::tempdir;
sub as
{
	my ($role, @command) = @_;
	my ($out, $err);
	local $ENV{PGUSER} = $role;
	my $ended = IPC::Run::run([ $node->installed_command($command[0]), @command[ 1 .. $#command ] ], '<', \undef, '>', \$out, '2>', \$err);
	return $ended ? '' : $err;
}
is(as('olga', 'pg_dump', '-Fc', '-d', $node->connstr('shop'), '-f', "$directory/dump"), '', 'the owner dumps the database');
like(as('other', 'pg_dump', '-Fc', '-d', $node->connstr('shop'), '-f', "$directory/none"), qr/permission denied/, 'others do not');
is($node->safe_psql('shop', "SET ROLE olga; SELECT count(*) FROM dp_agg.budgets"), '1', 'the owner sees all budgets');
like(KeeperTest::outcome($node, [ 'SET ROLE olga', $_ ], 'shop'), qr/^42501/, "and changes none: $_")
  for 'UPDATE dp_agg.budget SET epsilon_limit = 1e6', 'DELETE FROM dp_agg.ledger', "SELECT dp_agg.set_budget('ann', 100, 0, 'shop')";

# Restored by a superuser: all of it.
$node->safe_psql('postgres', 'CREATE DATABASE whole OWNER olga');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('whole'), "$directory/dump" ], 'a superuser restores it');
is($node->safe_psql('whole', $_), $before{$_}, 'with policy and books') for $policy, $books;
is($node->safe_psql('whole', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'which verify');
like(KeeperTest::outcome($node, [ 'SET ROLE ann', $count ], 'whole'), qr/^55000: budgets on data set "shop" may be behind/, 'a copy draws nothing');
like(KeeperTest::outcome($node, [ 'SET ROLE ann', "SET dp_agg.kept_max_age = '1 year'", $count ], 'whole'), $answer, 'but shows what was kept');
like(KeeperTest::outcome($node, [ 'SET ROLE olga', 'SELECT dp_agg.acknowledge_copy()' ], 'whole'), qr/^42501/, 'and the owner cannot have it draw');
is($node->safe_psql('whole', 'SELECT dp_agg.acknowledge_copy()'), '1', 'a superuser can');
like(KeeperTest::outcome($node, [ 'SET ROLE ann', $count ], 'whole'), $answer, 'then it draws, on top of what was spent');
is($node->safe_psql('whole', "SELECT statements FROM dp_agg.budget"), '2', 'as the books say');

# Restored by the owner: tables and policy.  The extension is there already.
$node->safe_psql('postgres', 'CREATE DATABASE part OWNER olga');
$node->safe_psql('part', $prepare);
like(as('olga', 'pg_restore', '--exit-on-error', '--no-comments', '-d', $node->connstr('part'), "$directory/dump"), qr/permission denied|changed by the extension's functions alone/, 'the owner cannot restore budgets');
$node->safe_psql('postgres', 'DROP DATABASE part WITH (FORCE); CREATE DATABASE part OWNER olga');
$node->safe_psql('part', $prepare);
is(as('olga', 'pg_restore', '--exit-on-error', '--no-comments', '--no-privileges', '-N', 'dp_agg', '-d', $node->connstr('part'), "$directory/dump"), '', 'but all else');
is($node->safe_psql('part', $policy), $before{$policy}, 'the policy is the same');
is($node->safe_psql('part', 'SELECT count(*), (SELECT count(*) FROM orders) FROM clients'), '500|700', 'and the rows');
is($node->safe_psql('part', 'SELECT count(*) FROM dp_agg.budget'), '0', 'without budgets');
like(KeeperTest::outcome($node, [ 'SET ROLE ann', $count ], 'part'), qr/^42501: role "ann" has no budget/, 'nobody is answered');
$node->safe_psql('part', "SELECT dp_agg.set_budget('ann', 5, 1e-6, 'shop')");
like(KeeperTest::outcome($node, [ 'SET ROLE ann', $count ], 'part'), $answer, 'before somebody who may gives budgets');

# Without the right to declare protection there are tables, and nobody asks about them.
$node->safe_psql('postgres', 'DROP DATABASE part WITH (FORCE); CREATE DATABASE part OWNER olga');
$node->safe_psql('part', 'CREATE EXTENSION dp_agg');
like(as('olga', 'pg_restore', '--exit-on-error', '--no-comments', '--no-privileges', '-N', 'dp_agg', '-d', $node->connstr('part'), "$directory/dump"), qr/permission denied for function protect/, 'labels need the right to protect');

$node->stop;
done_testing();
