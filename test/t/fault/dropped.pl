# Databases, extensions, roles, tables and columns that are dropped, made anew,
# copied and renamed under sessions that use them and under an idle keeper.  No
# budget and no protection goes over to whoever gets a number next.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $query = 'SELECT dp_count(*) FROM people';
my $node = new_gate('objects', conf => "shared_buffers = 16MB\ndp_agg.keeper_idle_timeout = 1s\n");
my $make = <<'SQL';
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('ann', 1000, 1e-6);
SQL

sub ask_in
{
	my ($database, $role) = @_;
	local $ENV{PGUSER} = $role // 'ann';
	return outcome($node, $query, $database);
}

# A session of an analyst's that stays.
sub session_of
{
	my ($role, $database) = @_;
	local $ENV{PGUSER} = $role;
	return $node->background_psql($database // 'postgres', on_error_stop => 0);
}

# What it answers: a number, or the last error.
sub answer
{
	my ($session, $sql) = @_;
	$session->{stderr} = '';
	my $out = $session->query($sql // $query);
	return $session->{stderr} =~ /(?:ERROR|FATAL):\s+([^\n]*)/ ? $1 : $out;
}

sub number_of
{
	my ($what) = @_;
	return $node->safe_psql('postgres', "SELECT $what");
}

# An idle keeper is in nobody's way for long.
for my $change ('CREATE DATABASE copy TEMPLATE shop', 'ALTER DATABASE shop RENAME TO store', 'DROP DATABASE store', 'DROP DATABASE copy')
{
	if ($change =~ /^CREATE/)
	{
		$node->safe_psql('postgres', 'CREATE DATABASE shop');
		$node->safe_psql('shop', $make);
	}
	my ($database) = $change =~ /(?:TEMPLATE|DROP DATABASE|ALTER DATABASE) (\w+)/;
	$node->safe_psql($database, 'SELECT dp_agg.acknowledge_copy()') if $database eq 'copy';
	like(ask_in($database), qr/^-?\d+$/, "$change: the database answers");
	isnt(keeper_pid($node, $database), '', "$change: and has a keeper");
	is(outcome($node, $change), '', "$change: works");
}
invariants($node, [], 'databases');

# A keeper of a database that is gone does not serve one of the same name.
$node->safe_psql('postgres', 'CREATE DATABASE shop');
$node->safe_psql('shop', $make);
like(ask_in('shop'), qr/^-?\d+$/, 'force: a database answers');
is(outcome($node, 'DROP DATABASE shop WITH (FORCE)'), '', 'force: it is dropped, keeper and all');
$node->safe_psql('postgres', 'CREATE DATABASE shop');
$node->safe_psql('shop', $make);
like(ask_in('shop'), qr/^-?\d+$/, 'force: one of the same name answers');
is($node->safe_psql('shop', 'SELECT statements, (SELECT count(*) FROM dp_agg.verify_ledger()) FROM dp_agg.budget'), '1|0', 'force: from a budget of its own');

# The extension dropped and made anew under open sessions with plans.
my $session = session_of('ann', 'shop');
$session->query('PREPARE asked AS SELECT dp_count(*) FROM people');
like(answer($session, 'EXECUTE asked'), qr/^-?\d+$/, 'extension: a session answers');
$node->safe_psql('shop', 'SET client_min_messages = warning; DROP EXTENSION dp_agg');
like(answer($session, 'EXECUTE asked'), qr/does not exist|permission denied|not installed/, 'extension: dropped, a plan does not run');
like(answer($session), qr/function dp_count\(\*?\) does not exist/, 'extension: nor is there a function');
is($node->safe_psql('shop', "SELECT count(*) FROM pg_shdepend WHERE dbid = (SELECT oid FROM pg_database WHERE datname = 'shop') AND refobjid = 'ann'::regrole"), '0', 'extension: it holds no role any more');
$node->safe_psql('shop', 'CREATE EXTENSION dp_agg');
like(answer($session), qr/role "ann" has no budget|not protected|no budget/, 'extension: made anew it has no budgets');
$node->safe_psql('shop', "SELECT dp_agg.protect('people', 'id'); SELECT dp_agg.set_budget('ann', 1000, 1e-6)");
like(answer($session), qr/^-?\d+$/, 'extension: until they are set');
like(answer($session, 'EXECUTE asked'), qr/^-?\d+$|cached plan|does not exist/, 'extension: the old plan is made again or refused');
is($node->safe_psql('shop', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'extension: the ledger verifies');

# An update with sessions open: to a version that only adds something.  It needs
# a PostgreSQL that the user may install to, as make test has.
my $directory = $node->config_data('--sharedir') . '/extension';
SKIP: {
	skip 'cannot install another version', 3 if !-w $directory;
	my $version = $node->safe_psql('shop', "SELECT extversion FROM pg_extension WHERE extname = 'dp_agg'");
	append_to_file("$directory/dp_agg--$version--${version}faults.sql", "CREATE FUNCTION dp_agg.added() RETURNS int LANGUAGE sql AS 'SELECT 1';\n");
	is(outcome($node, "ALTER EXTENSION dp_agg UPDATE TO '${version}faults'", 'shop'), '', 'update: works');
	unlink "$directory/dp_agg--$version--${version}faults.sql";
	like(answer($session), qr/^-?\d+$/, 'update: the session goes on');
	is($node->safe_psql('shop', 'SELECT dp_agg.added(), (SELECT count(*) FROM dp_agg.verify_ledger())'), '1|0', 'update: and so do the books');
}
$session->quit;

# Renamed roles, columns, tables and databases: nothing is lost.
$session = session_of('ann');
like(answer($session), qr/^-?\d+$/, 'renames: an answer');
my $count = admitted($node);
$node->safe_psql('postgres', 'ALTER ROLE ann RENAME TO anna; ALTER TABLE people RENAME COLUMN id TO person; ALTER TABLE people RENAME COLUMN age TO years');
like(answer($session), qr/^-?\d+$/, 'renames: the session goes on');
like(answer($session, 'SELECT dp_count(DISTINCT person) FROM people'), qr/^-?\d+$/, 'renames: by the new names');
is($node->safe_psql('postgres', "SELECT statements, (SELECT count(*) FROM dp_agg.verify_ledger()) FROM dp_agg.budgets WHERE role = 'anna'::regrole"), ($count + 2) . '|0', 'renames: from the same budget');
is($node->safe_psql('postgres', 'SELECT unit FROM dp_agg.protected_tables'), 'person', 'renames: the unit is the same column');
$node->safe_psql('postgres', 'CREATE ROLE ann LOGIN');
like(asked($node, $query, 'ann'), qr/^42501: role "ann" has no budget/, 'renames: whoever takes the old name has nothing');
is(outcome($node, "SELECT dp_agg.set_budget('ann', 1000, 1e-6)"), '', 'renames: unless it is given');
is($node->safe_psql('postgres', "SELECT statements FROM dp_agg.budgets WHERE role = 'ann'::regrole"), '0', 'renames: and then a budget of its own');
$session->quit;
is(outcome($node, 'DROP ROLE anna'), '2BP01: role "anna" cannot be dropped because some objects depend on it', 'renames: a budget holds its role, by whatever name');
$node->safe_psql('postgres', 'ALTER TABLE people RENAME COLUMN person TO id; ALTER TABLE people RENAME COLUMN years TO age');
invariants($node, [], 'renames');

# A budget holds its role by itself, whatever else holds it, in this database or a copy of it.
my $held = '2BP01: role "kept" cannot be dropped because some objects depend on it';
$node->safe_psql('postgres', 'CREATE DATABASE double TEMPLATE postgres');
$node->safe_psql('postgres', "CREATE ROLE kept; GRANT SELECT ON dp_agg.budget TO kept; SELECT dp_agg.set_budget('kept', 1, 0); REVOKE SELECT ON dp_agg.budget FROM kept");
is(outcome($node, 'DROP ROLE kept'), $held, 'holds: a right that was taken back does not take its place');
$node->safe_psql('double', "SELECT dp_agg.set_budget('kept', 1, 0)");
$node->safe_psql('postgres', "SELECT dp_agg.drop_budget('kept')");
is(outcome($node, 'DROP ROLE kept'), $held, 'holds: nor does a budget elsewhere');
is(outcome($node, 'DROP DATABASE double'), '', 'holds: a database goes with its budgets');
is(outcome($node, 'DROP ROLE kept'), '', 'holds: and then the role');

# The unit's column dropped: the table is no longer protected, and closed.
$node->safe_psql('postgres', "CREATE TABLE visits (person int, age int); INSERT INTO visits SELECT i, i FROM generate_series(1, 100) i; SELECT dp_agg.protect('visits', 'person')");
$session = session_of('ann');
$session->query('PREPARE asked AS SELECT dp_count(*) FROM visits');
like(answer($session, 'EXECUTE asked'), qr/^-?\d+$/, 'unit: an answer');
is(outcome($node, 'ALTER TABLE visits DROP COLUMN person'), '', 'unit: its column is dropped');
like(answer($session, 'EXECUTE asked'), qr/not protected|permission denied/, 'unit: the plan does not run');
like(answer($session, 'SELECT dp_count(*) FROM visits'), qr/not protected|permission denied/, 'unit: nothing is answered');
is(outcome($node, 'ALTER TABLE visits ADD COLUMN person int'), '', 'unit: a column of its name');
like(answer($session, 'SELECT dp_count(*) FROM visits'), qr/not protected|permission denied/, 'unit: is not the unit');
$session->quit;

# Numbers that come round again.  A table's and a role's next holders get what
# was given to them, and nothing of what was before.
$node->safe_psql('postgres', "CREATE TABLE old_table (person int, age int); SELECT dp_agg.protect('old_table', 'person'); CREATE ROLE old_role LOGIN; SELECT dp_agg.set_budget('old_role', 1000, 1e-6), dp_agg.set_budget('old_role', 1000, 1e-6, 'other')");
like(asked($node, 'SELECT dp_count(*) FROM old_table', 'old_role'), qr/^-?\d+$/, 'numbers: they work');
my $table = number_of("'old_table'::regclass::oid");
my $role = number_of("'old_role'::regrole::oid");
is(outcome($node, 'DROP ROLE old_role'), '2BP01: role "old_role" cannot be dropped because some objects depend on it', 'numbers: a role with a budget keeps its number');
like(outcome($node, 'DROP ROLE old_role', 'shop'), qr/^2BP01: /, 'numbers: in every database');
is(outcome($node, [ "SELECT dp_agg.drop_budget('old_role'), dp_agg.drop_budget('old_role', 'other')", 'DROP ROLE old_role', 'DROP TABLE old_table' ]), '|', 'numbers: both are dropped');
turn_counter_to($table);
$node->safe_psql('postgres', 'CREATE TABLE stranger (person int, age int); INSERT INTO stranger VALUES (1, 1)');
is(number_of("'stranger'::regclass::oid"), $table, 'numbers: a table gets the number');
like(asked($node, 'SELECT dp_count(*) FROM stranger'), qr/^42501: .*(not protected|permission denied)/, 'numbers: it is not protected, and closed');
turn_counter_to($role);
$node->safe_psql('postgres', 'CREATE ROLE stranger LOGIN');
is(number_of("'stranger'::regrole::oid"), $role, 'numbers: a role gets the number');
like(asked($node, $query, 'stranger'), qr/^42501: role "stranger" has no budget/, 'numbers: it has no budget');
is(number_of("count(*) FROM dp_agg.budgets WHERE role = 'stranger'::regrole"), '0', 'numbers: and sees none');
is(outcome($node, "SELECT dp_agg.set_budget('stranger', 1, 1e-9)"), '', 'numbers: until it gets one');
like(asked($node, $query, 'stranger'), qr/^-?\d+$/, 'numbers: then it is answered');
is(number_of("statements FROM dp_agg.budgets WHERE role = 'stranger'::regrole"), '1', 'numbers: and charged');
invariants($node, [], 'numbers');

# Have the next number given out be this one: turn the counter back to a little
# before it, and use numbers up.
sub turn_counter_to
{
	my ($next) = @_;
	# Rows that are dead but still there would keep their numbers.
	$node->safe_psql('postgres', 'VACUUM pg_class; VACUUM pg_authid');
	$node->stop;
	PostgreSQL::Test::Utils::system_or_bail('pg_resetwal', '-f', '-o', $next - 5, '-D', $node->data_dir);
	$node->start;
	for (1 .. 5)
	{
		$node->safe_psql('postgres', 'CREATE ROLE filler');
		my $number = number_of("'filler'::regrole::oid");
		$node->safe_psql('postgres', 'DROP ROLE filler');
		last if $number == $next - 1;
	}
	return;
}

$node->stop;
done_testing();
