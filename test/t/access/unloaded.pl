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
		"SELECT dp_agg.detoasted(age) FROM people")
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
	refused([ @prelude, 'SELECT dp_agg.detoasted(1)' ], '42501: exact totals', "$how: nothing to detoast");
	is(asked($node, [ @prelude, 'SELECT count(*) FROM dp_agg.last_release()' ]), '0', "$how: no last release");
	is(asked($node, [ @prelude, 'SELECT statements FROM dp_agg.budgets' ]), '2', "$how: budgets can be seen");
	is(books(), $books, "$how: nothing was charged");
	return;
}

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
all_refused('not loaded');
all_refused('loaded by a call', "SELECT dp_agg.bucket(1, 0, 10, 5)");
$node->safe_psql('postgres', "ALTER ROLE ann SET session_preload_libraries = 'dp_agg'");
all_refused('preloaded into the session');
$node->safe_psql('postgres', 'ALTER ROLE ann RESET session_preload_libraries');

# And with it everything works again.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\n");
$node->restart;
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'loaded again, it answers');
books_balance($node, 'the books balance');

$node->stop;
done_testing();
