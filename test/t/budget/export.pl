# An export of the ledger verifies without a server, by doc/verify_export.pl, which names
# whatever row was changed, removed, or put elsewhere.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $script = "$FindBin::RealBin/../../../doc/verify_export.pl";
my $directory = PostgreSQL::Test::Utils::tempdir;
my $node = new_server('export', init => { extra => [ '--encoding', 'UTF8', '--locale', 'C' ] });

# The export that doc/admin.md names, after something was done to the ledger, which is undone.
sub export
{
	my ($tampering, $database) = @_;
	my $file = "$directory/ledger";
	local $ENV{PGCLIENTENCODING} = 'UTF8';
	$node->command_ok([ 'sh', '-c', 'exec "$@" >' . $file, 'sh', 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database // 'postgres'),
		map { ('-c', $_) } 'BEGIN', ($tampering // ()), 'COPY (SELECT * FROM dp_agg.ledger ORDER BY id) TO STDOUT (FORMAT binary)', 'ROLLBACK' ], 'exported');
	return $file;
}

# What the script says of an export: its status, and its lines but for the last.
sub verify
{
	my ($file) = @_;
	my $status = run_log([ $^X, $script, $file ], '>', \my $out, '2>', \my $err);
	my @lines = split /\n/, $out;
	my $end = pop @lines;
	return ($status ? 'holds' : 'does not hold') . join('', map { "; $_" } @lines, $err eq '' ? () : $err), $end;
}

$node->safe_psql('postgres', <<'SQL');
SELECT dp_agg.set_budget('bob', 100, 1e-7, 'Ünïcode "set"', '1 month');
SELECT dp_agg.set_dataset_cap('default', 10, 1e-6);
SELECT test_charge('ann', 'default', 0.1), test_charge('ann', 'default', 1 / 3.0), test_charge('bob', 'default', 1e6);
SELECT test_charge('bob', 'Ünïcode "set"', 0.7), test_charge_describing('ann', 'default', 0.25, E'SELECT ''größe \\n''');
SELECT dp_agg.reset_budget('bob'), dp_agg.set_budget('ann', 500, 1e-7);
SELECT test_charge('ann', 'default', 0.001) FROM generate_series(1, 600);
SQL
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
my ($rows, $last) = split /\|/, $node->safe_psql('postgres', "SELECT count(*), max(id) FROM dp_agg.ledger");
my $hash = $node->safe_psql('postgres', "SELECT encode(hash, 'hex') FROM dp_agg.ledger WHERE id = $last");
cmp_ok($rows, '>', 600, 'it has more rows than are hashed together');
is_deeply([ verify(export()) ], [ 'holds', "$rows rows, the last is $last with hash $hash" ], 'a true export holds');

my $changed = 'hash does not match: this row or the one before was changed';
for my $column (
	[ at => "at + '1 microsecond'" ], [ event => "event || 'x'" ], [ role => "'eve'" ], [ dataset => "'x'" ], [ budget => '7' ], [ payer => 'NULL' ],
	[ cap => '3' ], [ admitted => 'NULL' ], [ statement => "''" ], [ releases => "releases || '[{}]'" ], [ curve => 'ARRAY[1.0]' ],
	[ pure_epsilon => 'pure_epsilon / 2' ], [ delta => '1' ], [ epsilon_limit => '1' ], [ delta_limit => '1' ], [ epsilon_spent => '0' ],
	[ delta_spent => '1' ], [ cap_epsilon_spent => '0' ], [ cap_delta_spent => '1' ])
{
	my ($name, $value) = @$column;
	is((verify(export("UPDATE dp_agg.ledger SET $name = $value WHERE id = $last - 20")))[0], "does not hold; row @{[ $last - 20 ]}: $changed", "$name was changed");
}
is((verify(export('UPDATE dp_agg.ledger SET curve[2] = 1e-300 WHERE id = 1')))[0], "does not hold; row 1: $changed", 'a curve was changed');
is((verify(export("UPDATE dp_agg.ledger SET curve = ('[2:67]=' || curve::text)::float8[] WHERE id = 1")))[0], "does not hold; row 1: $changed", 'and its bounds');
is((verify(export('UPDATE dp_agg.ledger SET hash = sha256(hash) WHERE id = 5')))[0], "does not hold; row 5: $changed; row 6: $changed", 'a hash was changed');
is((verify(export('DELETE FROM dp_agg.ledger WHERE id IN (5, 6)')))[0], "does not hold; rows 5 to 6 are missing; row 7: $changed", 'rows are missing');
is((verify(export('DELETE FROM dp_agg.ledger WHERE id < 4')))[0], "does not hold; rows 1 to 3 are missing; row 4: $changed", 'the first are');
is((verify(export('UPDATE dp_agg.ledger SET id = 1000000 - id WHERE id IN (8, 9); UPDATE dp_agg.ledger SET id = id - 999983 WHERE id > 900000')))[0],
	"does not hold; row 8: $changed; row 9: $changed; row 10: $changed", 'rows were exchanged');
is((verify(export("DELETE FROM dp_agg.ledger WHERE id > 10")))[1] =~ s/ with.*//r, '10 rows, the last is 10', 'the end is for the reader to compare');

# Of a ledger that was shortened, what is left.
$node->safe_psql('postgres', 'SELECT dp_agg.compact_ledger((SELECT at FROM dp_agg.ledger WHERE id = 20))');
$node->safe_psql('postgres', 'SELECT dp_agg.compact_ledger((SELECT at FROM dp_agg.ledger WHERE id = 30))');
is((verify(export()))[0], 'holds', 'a shortened one holds');
my $first = $node->safe_psql('postgres', 'SELECT min(id) FROM dp_agg.ledger');
is((verify(export("DELETE FROM dp_agg.ledger WHERE id = $first")))[0], "does not hold; rows $first to $first are missing; row @{[ $first + 1 ]}: $changed", 'but not without its first row');

# What is no export.
append_to_file("$directory/none", 'id,at,event,role,dataset');
like((verify("$directory/none"))[0], qr/^does not hold; this is not an export in binary/, 'what is no export is refused');
my $short = slurp_file(export());
append_to_file("$directory/short", substr $short, 0, length($short) - 100);
like((verify("$directory/short"))[0], qr/^does not hold; the export is cut short/, 'as is a part of one');

done_testing();
