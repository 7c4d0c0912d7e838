# A ledger and its budgets, caps and checkpoint verify wherever they are dumped
# and restored, and go on there: in another encoding, and where roles have other
# numbers or are gone.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $verify = 'SELECT * FROM dp_agg.verify_ledger()';
my $charge = "SELECT test_charge('ann', 'default', 0.1)";
my $old = new_server('old', init => { extra => [ '--encoding', 'UTF8', '--locale', 'C' ] });
$old->safe_psql('postgres', <<'SQL');
CREATE ROLE "Zoë ""x""" IN ROLE ann;
CREATE ROLE renamed;
CREATE ROLE gone;
SELECT dp_agg.set_budget('renamed', 7, 1e-7, 'Ünïcode "set"', '1 month'), dp_agg.set_budget('gone', 5, 1e-9);
SELECT test_charge('ann', 'default', 0.1), test_charge('ann', 'default', 1 / 3.0), test_charge('bob', 'default', 1e6);
SELECT dp_agg.set_dataset_cap('default', 10, 1e-6);
SELECT test_charge('"Zoë ""x"""', 'default', 0.3), test_charge('gone', 'default', 0.4), test_charge('renamed', 'Ünïcode "set"', 0.7);
SELECT test_charge_describing('ann', 'default', 1e-7, 'SELECT dp_sum(größe) FROM t');
SELECT dp_agg.set_budget('ann', 900, 1e-7), dp_agg.reset_budget('bob');
ALTER ROLE renamed RENAME TO another;
DELETE FROM pg_shdepend WHERE refobjid = 'gone'::regrole;
DROP ROLE gone;
SQL
is($old->safe_psql('postgres', $verify), '', 'the ledger verifies');
my $entries = $old->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.ledger');

my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
$new->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\ntimezone = 'Asia/Kathmandu'\nextra_float_digits = 0\nbytea_output = escape");
$new->start;
$new->safe_psql('postgres', 'CREATE ROLE stranger' . $_) for 1 .. 30;
my $directory = PostgreSQL::Test::Utils::tempdir;
$old->command_ok([ 'pg_dumpall', '-d', $old->connstr('postgres'), '--globals-only', '-f', "$directory/globals.sql" ], 'roles are dumped');
$new->psql('postgres', slurp_file("$directory/globals.sql"), on_error_stop => 0);

# Dump, and restore into a database of its own; check that it verifies.
sub carry_over
{
	my ($database, $encoding) = @_;
	my $dump = "$directory/$database";
	$old->command_ok([ 'pg_dump', '-Fc', '-d', $old->connstr('postgres'), '-f', $dump ], "$database: dumped");
	$new->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$new->command_ok([ 'pg_restore', '--exit-on-error', '-d', $new->connstr($database), $dump ], "$database: restored");
	is($new->safe_psql($database, $verify), '', "$database: it verifies");
	is($new->safe_psql($database, 'SELECT min(id) > 0, max(id) FROM dp_agg.ledger'),
		$old->safe_psql('postgres', 'SELECT min(id) > 0, max(id) FROM dp_agg.ledger'), "$database: it is all there");
	like(outcome($new, 'SELECT dp_agg.acknowledge_copy()', $database), qr/^[1-9]$/, "$database: it is acknowledged");
	is($new->safe_psql($database, $verify), '', "$database: and verifies");
	is_outcome($new, $charge, 't', "$database: it goes on", $database);
	is_outcome($new, "SELECT dp_agg.set_budget('another', 8, 0, 'new')", '', "$database: budgets can be set", $database);
	is($new->safe_psql($database, $verify), '', "$database: it still verifies");
	is($new->safe_psql($database, 'SELECT round(epsilon_spent::numeric, 6), statements FROM dp_agg.dataset_caps'),
		$old->safe_psql('postgres', 'SELECT round((epsilon_spent + 0.1)::numeric, 6), statements + 1 FROM dp_agg.dataset_caps'), "$database: the cap goes on");
	is($new->safe_psql($database, "BEGIN; UPDATE dp_agg.ledger SET role = role || ' ' WHERE id = (SELECT max(id) FROM dp_agg.ledger); $verify; ROLLBACK") ne '', 1,
		"$database: and would show if it were changed");
	return;
}

carry_over('same', 'UTF8');
carry_over('latin', 'LATIN1');
is_outcome($old, 'SELECT dp_agg.compact_ledger(clock_timestamp())', $entries - 1, 'old rows are removed');
is_outcome($old, $charge, 't', 'a charge');
carry_over('compacted', 'UTF8');
carry_over('compacted_latin', 'LATIN1');

# A restored part is not taken for the whole.
$old->command_ok([ 'pg_dump', '-d', $old->connstr('postgres'), '-f', "$directory/plain" ], 'dumped as text');
my $text = slurp_file("$directory/plain");
$text =~ s/^\d+\t[^\n]*\tcharge\tann\t[^\n]*\n//m or die 'no charge in the dump';
open my $file, '>', "$directory/part" or die;
print $file $text;
close $file;
$new->safe_psql('postgres', "CREATE DATABASE part TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'");
$new->command_ok([ 'psql', '-XqAt', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', $new->connstr('part'), '-f', "$directory/part" ], 'all but one row is restored');
isnt($new->safe_psql('part', $verify), '', 'that shows');

$old->stop;
$new->stop;
done_testing();
