# Statements that interleave, and tables that change between them: doc/accounting.md, "Statements that
# interleave, and tables that change".
#
# Noise vanishes at epsilon 1000: a count is off by one with a probability below 1e-400.  At epsilon 0.001 two
# independent counts are equal with a probability below 1/2000, and eight of a hundred are below 1e-17.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_faulty('interleaved');
$node->safe_psql('postgres', <<'SQL');
SELECT dp_agg.set_budget('ann', 1e9, 1e-3), dp_agg.set_budget('bob', 1e9, 1e-3), dp_agg.set_domain('people', 'age', 0, 99);
ALTER TABLE people ALTER age SET NOT NULL;
CREATE TABLE visits (person int, place int NOT NULL);
INSERT INTO visits SELECT p, k FROM generate_series(1, 400) p, generate_series(0, 4) k;
SELECT dp_agg.protect('visits', 'person', max_rows => 1, max_groups => 5), dp_agg.set_domain('visits', 'place', 0, 4);
SQL

# What role ann has been charged: statements, pure epsilon, and blocks of the latest.
sub spent
{
	return split /\|/, $node->safe_psql('postgres', <<'SQL');
SELECT statements, pure_spent, coalesce((SELECT jsonb_array_length(releases) FROM dp_agg.ledger WHERE role = 'ann' AND event = 'charge' AND admitted ORDER BY id DESC LIMIT 1), 0)
FROM dp_agg.budget WHERE role = 'ann'::regrole
SQL
}

# Ask in a session of ann's, statements apart; the lines that come out.
sub lines_of
{
	my (@sql) = @_;
	my $run = start_as($node, [ 'SET dp_agg.kept_max_age = 0', @sql ]);
	finish($run);
	is($run->{err} =~ /(ERROR[^\n]*)/ ? $1 : '', '', 'no error');
	return split /\n/, $run->{out};
}

# Every charge precedes its draws: whoever is stopped where protected rows are read first is in the ledger, with
# all blocks of the statement, and nothing is charged after that.
my %asked = (
	'a count' => [ 1, 'SELECT dp_count(id, 1) FROM people WHERE age < 1' ],
	'private groups' => [ 1, 'SELECT city, dp_count(*) FROM people GROUP BY city' ],
	'chosen clamps' => [ 1, 'SET dp_agg.clipping = auto', 'SELECT dp_count(*) FROM visits WHERE place < 3' ],
	'a sample' => [ 1, 'SET dp_agg.sample_rate = 0.5', 'SELECT dp_count(*) FROM people WHERE age < 2' ],
	'quantiles' => [ 1, 'SELECT dp_median(age, 0, 100) FROM people' ],
	'a ranking' => [ 1, 'SELECT * FROM dp_top(\'people\', \'city\', 2)' ],
	'a tree' => [ 1, 'SELECT * FROM dp_cumulative(\'people\', \'age\', 0, 100, 10)' ],
	'passes' => [ 1, 'SELECT term FROM dp_logregr(\'people\', \'id > 500\', \'{"age": [0, 99]}\', passes => 2)' ],
	'two blocks' => [ 2, 'SELECT dp_count(*) FROM people WHERE age < 3 UNION ALL SELECT dp_count(*) FROM people WHERE age < 4' ],
	'a block that reads what another released' => [ 2, 'SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age, 0, 100) FROM people)' ],
	'a cursor' => [ 1, 'BEGIN', 'DECLARE c CURSOR FOR SELECT age, dp_count(*) FROM people GROUP BY age', 'FETCH 3 FROM c', 'COMMIT' ]);

SKIP:
{
	skip 'built without points', 1 unless has_points();
	for my $what (sort keys %asked)
	{
		my ($blocks, @sql) = @{ $asked{$what} };
		my ($before, $pure) = spent();
		stop_at($node, 'exact_start');
		my $run = start_as($node, [ 'SET dp_agg.epsilon = 1', @sql ]);
		reached($node, 'exact_start');
		my ($during, $paid, $charged) = spent();
		is($during - $before, 1, "$what: the charge is in the ledger before a protected row is read");
		is($charged, $blocks, "$what: with all its blocks");
		cmp_ok($paid, '>', $pure, "$what: and counts");
		let_go($node, 'exact_start');
		unlike(finish($run), qr/^\w{5}:/, "$what: is answered");
		is(join(' ', (spent())[ 0, 1 ]), "$during $paid", "$what: nothing more is charged for later draws");
	}

	# The case must be able to fail: before the commit there is nothing in the ledger.
	my ($before) = spent();
	stop_at($node, 'taken');
	my $run = start_as($node, 'SELECT dp_count(id, 1) FROM people WHERE age < 5');
	reached($node, 'taken');
	is((spent())[0], $before, 'what is not yet committed is not in the ledger');
	let_go($node, 'taken');
	finish($run);
}

# Two cursors of one question, fetched from in turn: each has noise of its own.
my $question = 'SELECT age, dp_count(id, 0.001) FROM people GROUP BY age';
my ($before, $pure) = spent();
my @rows = lines_of('BEGIN', "DECLARE a CURSOR FOR $question", "DECLARE b CURSOR FOR $question", (map { ("FETCH 10 FROM a", "FETCH 10 FROM b") } 1 .. 10), 'COMMIT');
my (%of, %seen);
for my $row (@rows)
{
	my ($age, $count) = split /\|/, $row;
	push @{ $of{$age} }, $count;
}
is(scalar(grep { @{ $of{$_} // [] } == 2 } 0 .. 99), 100, 'both cursors have all groups');
my $equal = grep { $of{$_}[0] == $of{$_}[1] } 0 .. 99;
cmp_ok($equal, '<', 8, "noise of two cursors is independent: $equal of 100 are equal");
my ($after, $paid) = spent();
is($after - $before, 2, 'two charges');
cmp_ok(abs($paid - $pure - 0.002), '<', 1e-6, 'that add up');

# Two sessions at once.
my @run = map { start_as($node, [ 'SET dp_agg.kept_max_age = 0', "$question ORDER BY age" ]) } 1 .. 2;
finish($_) for @run;
my @both = map { [ map { (split /\|/)[1] } split /\n/, $_->{out} ] } @run;
is(join(' ', map { scalar @$_ } @both), '100 100', 'both sessions have all groups');
$equal = grep { $both[0][$_] == $both[1][$_] } 0 .. 99;
cmp_ok($equal, '<', 8, "noise of two sessions is independent: $equal of 100 are equal");

# Rows that change while a cursor is read: all was drawn at the first fetch.
my $psql = join ' ', $node->installed_command('psql'), '-XAtq', '-U', getpwuid($<) . '', '-d', "'" . $node->connstr('postgres') . "'";
my @fetched = lines_of('BEGIN', 'DECLARE c CURSOR FOR SELECT age, dp_count(id, 1000) FROM people GROUP BY age ORDER BY age', 'FETCH 1 FROM c',
	"\\! $psql -c \"INSERT INTO people SELECT 2000 + i, 'new', 50 FROM generate_series(1, 500) i\"", 'FETCH ALL FROM c', 'COMMIT');
is($node->safe_psql('postgres', 'SELECT count(*) FROM people WHERE age = 50'), 510, 'the table has changed meanwhile');
is((grep { /^50\|/ } @fetched)[0], '50|10', 'later rows of a cursor are those of its first fetch');
is((lines_of('SELECT dp_count(id, 1000) FROM people WHERE age = 50'))[0], 510, 'the next statement asks the table as it is');

# All draws of a sampled block are of one sample, whatever is asked between its rows; another block has another sample.
my $sampled = 'SELECT place, dp_count(person, 5000) FROM visits GROUP BY place ORDER BY place';
my @sample = lines_of('SET dp_agg.sample_rate = 0.5', 'BEGIN', "DECLARE a CURSOR FOR $sampled", 'FETCH 1 FROM a', 'SELECT dp_count(id, 1000) > 0 FROM people', 'FETCH 2 FROM a',
	'SELECT age, dp_count(id, 1000) FROM people WHERE age < 50 GROUP BY age ORDER BY age', 'FETCH ALL FROM a', 'SELECT age, dp_count(id, 1000) FROM people WHERE age < 50 GROUP BY age ORDER BY age', 'COMMIT');
my @places = map { (split /\|/)[1] } @sample[ 0, 2, 3, 54, 55 ];
is(scalar(grep { $_ == $places[0] } @places), 5, "groups of a sampled block are of one sample: @places");
my @first = @sample[ 4 .. 53 ];
my @second = @sample[ 56 .. 105 ];
is(scalar(@sample), 106, 'all are answered');
isnt("@first", "@second", 'another statement has another sample');

# Parallel composition within one block only: parts asked by two statements add up, also if the person moves from one
# to the other between them.
sub cost_of
{
	my (@sql) = @_;
	my (undef, $from) = spent();
	lines_of(@sql);
	my (undef, $to) = spent();
	return sprintf '%.4f', $to - $from;
}
is(cost_of('SELECT age, dp_count(id, 1) FROM people GROUP BY age'), '1.0000', 'groups of a block, of which a person is in one, cost one count');
is(cost_of('SELECT dp_count(id, 1) FROM people WHERE age < 50', "\\! $psql -c 'UPDATE people SET age = 99 - age WHERE id = 7'", 'SELECT dp_count(id, 1) FROM people WHERE age >= 50'),
	'2.0000', 'parts that two statements ask for add up');
is(cost_of('SELECT dp_count(id, 1) FROM people WHERE age < 50 UNION ALL SELECT dp_count(id, 1) FROM people WHERE age >= 50'), '2.0000', 'and so do those of two blocks');

is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), 0, 'the ledger is right');
$node->stop;
done_testing();
