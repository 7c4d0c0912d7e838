# Budgets and ledger survive pg_dump and pg_upgrade's kind of restore: roles by
# name, the ledger's numbers going on, nothing for roles that are gone.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $charge = "SELECT test_charge('ann', 'default', 0.001)";
my $old = new_server('old');
$old->safe_psql('postgres', <<'SQL');
CREATE ROLE "Odd ""name""" LOGIN;
CREATE ROLE gone;
CREATE ROLE officer;
SELECT dp_agg.set_budget('"Odd ""name"""', 7, 1e-7, 'Ünïcode "set"'), dp_agg.set_budget('gone', 5, 0);
GRANT EXECUTE ON FUNCTION dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8) TO officer;
SELECT test_charge('ann', 'default', 0.1), test_charge('ann', 'default', 0.2), test_charge('bob', 'default', 1e6),
	test_charge('"Odd ""name"""', 'Ünïcode "set"', 0.3), test_charge('gone', 'default', 0.4);
DELETE FROM pg_shdepend WHERE refobjid = 'gone'::regrole;
DROP ROLE gone;
SQL
my $books = <<'SQL';
SELECT b.*, v.epsilon_spent FROM dp_agg.budget b JOIN dp_agg.budgets v USING (role, dataset) WHERE b.role::text !~ '^\d' ORDER BY b.role::text COLLATE "C"
SQL
my $ledger = "SELECT * FROM dp_agg.ledger WHERE role::text !~ '^\\d' ORDER BY id";
my ($old_books, $old_ledger) = ($old->safe_psql('postgres', $books), $old->safe_psql('postgres', $ledger));
like($old_books, qr/Odd/, 'there are books');

# A new cluster whose role numbers are others.
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init;
$new->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'");
$new->start;
$new->safe_psql('postgres', 'CREATE ROLE stranger' . $_) for 1 .. 40;
my $dump = PostgreSQL::Test::Utils::tempdir;
for my $format ('plain', 'custom')
{
	$new->safe_psql('postgres', 'CREATE DATABASE restored');
	if ($format eq 'plain')
	{
		$old->command_ok([ 'pg_dumpall', '-d', $old->connstr('postgres'), '--globals-only', '-f', "$dump/globals.sql" ], 'roles are dumped');
		$new->psql('postgres', slurp_file("$dump/globals.sql"), on_error_stop => 0);
		$old->command_ok([ 'pg_dump', '-d', $old->connstr('postgres'), '-f', "$dump/dump.sql" ], 'the database is dumped');
		$new->command_ok([ 'psql', '-XqAt', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', $new->connstr('restored'), '-f', "$dump/dump.sql" ], 'and restored');
	}
	else
	{
		$old->command_ok([ 'pg_dump', '-Fc', '-d', $old->connstr('postgres'), '-f', "$dump/dump" ], 'the database is dumped in another format');
		$new->command_ok([ 'pg_restore', '--exit-on-error', '-d', $new->connstr('restored'), "$dump/dump" ], 'and restored');
	}
	is($new->safe_psql('restored', $books), $old_books, 'budgets are the same');
	is($new->safe_psql('restored', $ledger), $old_ledger, 'so is the ledger');
	is($new->safe_psql('restored', "SELECT count(*) FROM dp_agg.budget WHERE role::text ~ '^(\\d|stranger)'"), '0', 'no stranger inherits the budget of a role that is gone');
	is($new->safe_psql('restored', "SELECT has_function_privilege('officer', 'dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8)', 'EXECUTE') AND NOT has_function_privilege('ann', 'dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8)', 'EXECUTE')"),
		't', 'grants are the same');
	is_outcome($new, $charge, '55000: ', 'a copy is charged by nobody', 'restored');
	is_outcome($new, 'SELECT dp_agg.acknowledge_copy()', '3', 'before it is acknowledged', 'restored');
	is_outcome($new, $charge, 't', 'restored budgets can be charged', 'restored');
	is($new->safe_psql('restored', "SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole"), '3', 'on top of what was spent');
	cmp_ok($new->safe_psql('restored', 'SELECT max(id) FROM dp_agg.ledger'), '>', $old->safe_psql('postgres', 'SELECT max(id) FROM dp_agg.ledger'), "the ledger's numbers go on");
	$new->safe_psql('postgres', 'DROP DATABASE restored WITH (FORCE)');
}

$old->stop;
$new->stop;
done_testing();
