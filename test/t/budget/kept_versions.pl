# What finding a kept answer, adding one up, storing it and looking at all of them read does not
# grow with the versions of its row that somebody's transaction keeps from being removed.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('kept_versions', conf => "autovacuum = off\n");
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE people (id int PRIMARY KEY, well bool NOT NULL, age int);
INSERT INTO people SELECT i, i % 2 = 0, i % 90 FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_budget(current_user::regrole, 1e6, 1e-3);
SQL

my $count = 'SELECT dp_count(*) FROM people; ';
my $groups = 'SELECT well, dp_sum(age, 0, 90) FROM people GROUP BY well; ';
my $total = 'SELECT dp_sum(age, 0, 90) FROM people; ';
my $again = "SET dp_agg.kept_max_age = '1 hour'; ";
my $added_up = "$again SET dp_agg.kept_rollup = 2; ";

my @relations = ('dp_agg.kept_answer', 'dp_agg.kept_answer_pkey', 'dp_agg.kept_answer_base');
my %ask = (
	'answers shown again' => $again . $count x 20,
	'answers added up' => $added_up . $total x 20,
	'new answers' => $count x 20,
	'looks' => 'SELECT * FROM dp_agg.kept; ' x 20);

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

# How many statements have been charged.
sub charges
{
	return $node->safe_psql('postgres', "SELECT sum(statements) FROM dp_agg.budgets");
}

sub compare
{
	my ($few, $when) = @_;
	my $many = measure();
	cmp_ok($many->{$_}, '<', 2 * $few->{$_} + 100, "$_ read no more pages $when (" . $few->{$_} . ', ' . $many->{$_} . ')') for sort keys %ask;
	return;
}

$node->safe_psql('postgres', $count . $groups);
$node->safe_psql('postgres', $ask{$_}) for sort keys %ask;
my $few = measure();
my $holder = $node->background_psql('postgres', on_error_die => 1);
$holder->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$node->safe_psql('postgres', "$count $groups" x 1500);
cmp_ok($node->safe_psql('postgres', "SELECT pg_relation_size('dp_agg.kept_answer') / 8192"), '>', 150, 'a transaction keeps many versions');
compare($few, 'while it lasts');

my $before = charges();
$node->safe_psql('postgres', $ask{'answers shown again'} . $ask{'answers added up'});
is(charges(), $before, 'what is shown again, or added up, is found');
is($node->safe_psql('postgres', $again . $count), $node->safe_psql('postgres', $again . $count), 'it is the last answer');
isnt($node->safe_psql('postgres', 'SELECT replays FROM dp_agg.kept WHERE question LIKE \'%dp_count(*) FROM public.people\''), '0', 'and is counted');

# A place is no more than a hint: what is removed is not found there, nor what moved missed.
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.kept'), '2', 'each answer is shown once');
$holder->query_safe('COMMIT');
$holder->quit;
$node->safe_psql('postgres', 'VACUUM FULL dp_agg.kept_answer');
$before = charges();
$node->safe_psql('postgres', $ask{'answers shown again'} . $ask{'answers added up'});
is(charges(), $before, 'answers are found that VACUUM FULL has moved');
$node->safe_psql('postgres', 'DELETE FROM dp_agg.kept_answer; VACUUM dp_agg.kept_answer');
$node->safe_psql('postgres', "SELECT dp_count(*) FROM people WHERE age > $_") for 1 .. 3;
$before = charges();
$node->safe_psql('postgres', $again . $count);
is(charges(), $before + 1, 'one that is gone is drawn anew, whatever stands in its place');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
is($node->safe_psql('postgres', "CREATE EXTENSION amcheck; SELECT bt_index_check('dp_agg.kept_answer_pkey', true), bt_index_check('dp_agg.kept_answer_base', true)"), '|', 'indexes lead to all rows');
$node->stop;
done_testing();
