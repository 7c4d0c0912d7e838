# Without the library in shared_preload_libraries nothing is answered: dp
# functions say so where the table is readable, and protected tables are as
# closed as their privileges say.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('unloaded');
my $closed = '42501: permission denied for table people';
my $unloaded = '55000: dp_agg is not loaded at server start';

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE mine (id int PRIMARY KEY, age int);
INSERT INTO mine VALUES (1, 1);
ALTER TABLE mine OWNER TO ann;
CREATE VIEW counted AS SELECT dp_count(*) FROM people;
CREATE VIEW binned AS SELECT * FROM dp_histogram('people', 'age', 0, 100, 5);
CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM people); END';
GRANT SELECT ON counted, binned TO ann;
SQL
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'loaded, it answers');
like(asked($node, 'SELECT f()'), qr/^-?\d+$/, 'in a function too');
my $books = books();

sub books
{
	return $node->safe_psql('postgres',
		'SELECT count(*), sum(pure_epsilon), (SELECT sum(statements + refusals) FROM dp_agg.budget) FROM dp_agg.ledger');
}

sub refused
{
	my ($sql, $expected, $name, $role) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $answer = asked($node, $sql, $role);
	ok(index($answer, $expected) == 0, $name) or diag("expected $expected, got $answer");
	return;
}

# In all the ways a session can have the library after the server's start.
sub all_refused
{
	my ($how, @prelude) = @_;
	my $owner = getpwuid($<);

	for my $query (
		'SELECT dp_count(*) FROM people',
		'SELECT city, dp_avg(age, 0, 100) FROM people GROUP BY city',
		'SELECT dp_count(*), max(age) FROM people',
		'SELECT * FROM people',
		'SELECT count(*) FROM people',
		'SELECT DISTINCT city FROM people',
		'SELECT * FROM people LIMIT 0',
		'EXPLAIN SELECT dp_count(*) FROM people',
		'COPY (SELECT dp_count(*) FROM people) TO STDOUT',
		'SELECT f()',
		"SELECT dp_agg_internal.detoasted(age) FROM people")
	{
		refused([ @prelude, $query ], $closed, "$how: $query: closed");
	}
	for my $query (
		'SELECT dp_count(*) FROM mine',
		'SELECT dp_count(id), dp_sum(age, 0, 100) FROM mine',
		'SELECT dp_avg(age, 0, 100, 1) FROM mine',
		"SELECT * FROM dp_histogram('people', 'age', 0, 100, 5)",
		"SELECT * FROM dp_histogram('mine', 'age', 0, 100, 5)",
		"SELECT * FROM dp_histogram('people', 'city', ARRAY['a', 'b'])",
		"SELECT * FROM dp_cumulative('people', 'age', 0, 100, 5)",
		"SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b'])",
		"SELECT * FROM dp_top('people', 'city', 5)",
		"SELECT * FROM dp_above_threshold('people', ARRAY['true'], 5)",
		"SELECT * FROM dp_select_model('people', 'true', ARRAY['true'])",
		'SELECT * FROM binned',
		"SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM people')")
	{
		refused([ @prelude, $query ], $unloaded, "$how: $query: not loaded");
	}
	refused([ @prelude, 'SELECT dp_count(*) FROM people' ], $unloaded, "$how: the owner gets no noise either", $owner);
	refused([ @prelude, 'SELECT * FROM counted' ], $unloaded, "$how: a view of the owner's");
	refused([ @prelude, 'SELECT dp_agg_internal.detoasted(1)' ], '42501: exact totals', "$how: nothing to detoast");
	is(asked($node, [ @prelude, 'SELECT count(*) FROM dp_agg.last_release()' ]), '0', "$how: no last release");
	is(asked($node, [ @prelude, 'SELECT statements FROM dp_agg.budgets' ]), '2', "$how: budgets can be seen");
	is(books(), $books, "$how: nothing was charged");
	return;
}

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
all_refused('not loaded');

# Whoever administers it is told, whatever she begins with, and that loading it in a session is not enough.
my $said = qr/^WARNING:  dp_agg is not loaded at server start\nDETAIL:  .*\nHINT:  Add dp_agg to shared_preload_libraries .*$/;
my %begun = (
	'CREATE EXTENSION' => 'SET client_min_messages = warning; DROP EXTENSION dp_agg CASCADE; CREATE EXTENSION dp_agg',
	protect => "SELECT dp_agg.protect('visits', 'person')",
	'protect, of several tables in one statement' => "SELECT dp_agg.protect('visits', 'person', max_rows => n, max_groups => 1) FROM generate_series(1, 3) n",
	'protect through' => "SELECT dp_agg.protect('visits', 'person', through => 'people')",
	protect_like => "CREATE TABLE others (LIKE people); SELECT dp_agg.protect_like('others', 'people')",
	set_budget => "SELECT dp_agg.set_budget('eve', 1, 0)",
	set_dataset_cap => "SELECT dp_agg.set_dataset_cap('default', 5000, 1e-3)",
	harden => 'SELECT count(*) FROM dp_agg.harden(true)');

sub told
{
	my ($sql) = @_;
	my ($code, undef, $said) = $node->psql('postgres', "BEGIN; CREATE TABLE visits (person int NOT NULL REFERENCES people); $sql; ROLLBACK", on_error_stop => 1);
	return $said =~ s/^psql:<stdin>:\d+: //mgr;
}
for my $what (sort keys %begun)
{
	like(told($begun{$what}), $said, "$what says that it is not loaded, once");
	like(told("LOAD 'dp_agg'; $begun{$what}"), $said, "$what says so after LOAD");
}
my $exposure = "SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('ann')";
my $row = "server|dp_agg is not preloaded|critical: nothing is answered, and nothing watches over protected tables and budgets|ALTER SYSTEM SET shared_preload_libraries = 'dp_agg'; -- then restart the server";
is((split /\n/, $node->safe_psql('postgres', $exposure))[0], $row, 'check_exposure says so first');
is((split /\n/, $node->safe_psql('postgres', 'SELECT * FROM dp_agg.check_exposure()'))[0], "|$row", 'of all roles, too');
is($node->safe_psql('postgres', "LOAD 'dp_agg'; $exposure LIMIT 1"), $row, 'after LOAD, too');
is($node->safe_psql('postgres', 'BEGIN; DELETE FROM dp_agg.ledger; DELETE FROM dp_agg.budget; SELECT * FROM dp_agg.check_exposure(); ROLLBACK'), "|$row", 'and with no role to ask');
is($node->safe_psql('postgres', 'SELECT dp_agg.preloaded()'), 'f', 'so does a function');

# The statement that check_exposure has leaves what is preloaded beside it.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_stat_statements, auto_explain'\n");
$node->restart;
like($node->safe_psql('postgres', "$exposure LIMIT 1"), qr/= 'pg_stat_statements', 'auto_explain', 'dp_agg'; --/, 'what is preloaded beside it is kept');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
all_refused('loaded by a call', "SELECT dp_agg.bucket(1, 0, 10, 5)");
$node->safe_psql('postgres', "ALTER ROLE ann SET session_preload_libraries = 'dp_agg'");
all_refused('preloaded into the session');
$node->safe_psql('postgres', 'ALTER ROLE ann RESET session_preload_libraries');
my $owner = getpwuid($<);
$node->safe_psql('postgres', qq(ALTER ROLE "$owner" SET session_preload_libraries = 'dp_agg'));
like(told($begun{$_}), $said, "$_ says so if it was preloaded into the session") for sort keys %begun;
is($node->safe_psql('postgres', "$exposure LIMIT 1"), $row, 'and so does check_exposure');
$node->safe_psql('postgres', qq(ALTER ROLE "$owner" RESET session_preload_libraries));

# And with it everything works again.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\n");
$node->restart;
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'loaded again, it answers');
is(told($begun{$_}), '', "$_ has nothing to say") for grep { $_ ne 'CREATE EXTENSION' } sort keys %begun;
is($node->safe_psql('postgres', "SELECT count(*) FROM dp_agg.check_exposure('ann') WHERE object = 'server'"), 0, 'nor has check_exposure');
books_balance($node, 'the books balance');

$node->stop;
done_testing();
