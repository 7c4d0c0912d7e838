#!/usr/bin/perl
# Synthetic rows: what each of their three draws tells of one person, in the worst case for it, and how
# far two-way tables of synthetic rows are from those of the rows they are made of.
#
# Neighbours: a person more, who has 20 rows that all count (max_rows 20), and at the first draw one who has
# 5,000.  At epsilon 50 noise is of the size of such a person, so that what each draw may tell shows.
#
# 1. One-way tables: two columns of one key each, all rows in it.  The number of rows is the mean of the
#    sums of both tables, of two cells each: its deviation is that of a cell.
# 2. Tree: two columns of 60 bins and NULL that are the same for all rows, and so many rows that noise has either of
#    "a pair" and "none" drawn.  Given the number of rows that shows, which tells what the first draw gave the score, the pair
#    is drawn with probability 1 / (1 + exp(-score / scale)).  It was if equal bins are more often than they would be. No cell is rare.
# 3. Two-way tables: two columns of two bins and NULL, the same for all rows.  The difference of the bins' numbers has the
#    variance of margins of both tables, each weighted by its inverse.
#
# False failures: deviations of 800 normal draws are within 20 % of the true one but in 8 standard errors;
# means are held against 6.5 of their own, and so are numbers of pairs, which are sums of 1,000 independent
# coins.  The mean of 100 errors has a deviation of 0.01 at epsilon 0.1, and of 0.003 and less beyond; it is held against
# a bound that is 7 of these away at least.  Below 1e-9 in all.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use POSIX qw(ceil);
use Test::More;

use DpServer;

use constant { RUNS => 800, PAIR_RUNS => 1_000, ROWS => 20, EPSILON => 50, DELTA => 1e-9, REACH => 6.5 };

my $server = DpServer->new('synthesis');
my $settings = { epsilon => EPSILON, delta => DELTA, max_rows => ROWS };
my $rho = $server->admin(sprintf 'SELECT dp_accountant.zcdp_max_rho(%d, %g)', EPSILON, DELTA);

# Standard deviations of cells in rows, and the scale of scores.
my $margin = ROWS * sqrt(2 / (2 * 0.25 * $rho));
my $pair = ROWS * sqrt(1 / (2 * 0.67 * $rho));
my $scale = 2 * ROWS / sqrt(8 * 0.08 * $rho);

sub mean { return sum0(@_) / @_ }

sub deviation
{
	my $mean = mean(@_);
	return sqrt(sum0(map { ($_ - $mean)**2 } @_) / (@_ - 1));
}

# Two tables of persons with 20 rows each in columns a and b, which are the same: row i of person p is in class
# (20 p + i) mod classes, where the last class of several is NULL.  The second has a person more, all of whose rows are in class 0.
sub make_tables
{
	my ($name, $persons, $classes, $rows) = @_;
	for my $more (0, 1)
	{
		my $one = $more ? "INSERT INTO ${name}_1 SELECT 0, 0, 0 FROM generate_series(1, $rows);" : '';
		$server->admin(sprintf <<'SQL', "${name}_$more", "${name}_$more", ROWS, $classes, $classes > 1 ? $classes - 1 : -1, $persons, ROWS, $one, "${name}_$more");
CREATE TABLE %s (person int, a int, b int);
INSERT INTO %s SELECT p, c, c FROM (SELECT p, nullif((p * %d + i) %% %d, %d) AS c FROM generate_series(1, %d) p, generate_series(1, %d) i) s;
%s
SELECT dp_agg.protect('%s', 'person');
SQL
	}
	return;
}

sub draw
{
	my ($name, $runs, $columns, $value) = @_;
	return $server->draws($settings, $runs, 10,
		map { "SELECT $value FROM dp_synthesize('${name}_$_', '$columns') AS (a int, b int)" } 0, 1);
}

# Do two samples' means differ by this, and are both as spread as that?  Returns the squared difference over twice the variance.
sub differs
{
	my ($what, $difference, $deviation, $one, $other) = @_;
	my $seen = mean(@$other) - mean(@$one);
	my $error = $deviation * sqrt(2 / @$one);
	ok(abs(deviation(@$_) / $deviation - 1) < 0.2, sprintf '%s: a deviation of %.1f rows, %.1f in theory', $what, deviation(@$_), $deviation)
	  for $one, $other;
	ok(abs($seen - $difference) < REACH * $error, sprintf '%s: a person more adds %.1f rows, %.1f in theory', $what, $seen, $difference);
	ok(abs($seen - $difference / 2) > REACH * $error && abs($seen - 2 * $difference) > REACH * $error, '... not half, and not twice as many');
	return $seen**2 / (2 * deviation(@$one)**2);
}

# 1. One-way tables.
{
	make_tables('margins', 100, 1, 5_000);
	my ($one, $other) = draw('margins', RUNS, '{"a": ["0"], "b": ["0"]}', 'count(*)');
	my $told = differs('one-way tables', ROWS, $margin, $one, $other);
	cmp_ok($told, '<', 0.25 * $rho, sprintf 'they tell %.2f of the %.2f that is charged for them', $told, 0.25 * $rho);
	cmp_ok($told, '>', 0.25 * $rho / 4, 'and more than a quarter: half is what the other cells hide');
}

# The score of the pair without its noise, given the number of rows that shows, in a table of so many rows in each class, and `moved`
# more in class 0.
use constant CLASSES => 61;

sub score
{
	my ($shown, $moved, @class) = @_;
	my @count = @class;
	$count[0] += $moved;
	my $n = sum0(@count);
	my @likely = map { $_ + ($shown - sum0(@class)) / CLASSES } @class;
	my $independent = sum0(map { $_**2 } @likely) / $shown;
	return $n + $shown - 2 * $independent - 0.79788456 * $pair * CLASSES**2;
}

# By how many standard errors are there more pairs than this says?
sub excess
{
	my ($draws, $moved, @class) = @_;
	my ($excess, $variance) = (0, 0);
	for my $draw (@$draws)
	{
		my $probability = 1 / (1 + exp(-score(int($draw / 2), $moved, @class) / $scale));
		$excess += $draw % 2 - $probability;
		$variance += $probability * (1 - $probability);
	}
	return $excess / sqrt($variance);
}

# 2. The tree: as many rows as have a score near 0.
{
	my $persons = int(0.79788456 * $pair * CLASSES**2 / (2 - 2 / CLASSES) / ROWS + 0.5);
	make_tables('tree', $persons, CLASSES, ROWS);
	my @class = map { 0 } 1 .. CLASSES;
	$class[ $_ % CLASSES ]++ for ROWS + 1 .. $persons * ROWS + ROWS;
	my @one = draw('tree', PAIR_RUNS, '{"a": [0, 60, 60], "b": [0, 60, 60]}',
		'count(*) * 2 + (count(*) FILTER (WHERE a IS NOT DISTINCT FROM b OR (a >= 59 AND b >= 59)) > count(*) / 4.0)::int');
	note(sprintf '%d persons; pairs in %d and %d of %d', $persons, (map { scalar grep { $_ % 2 } @$_ } @one), PAIR_RUNS);
	# The second table's likely classes have the person's rows as well: what they move is the table alone.
	my @more = @class;
	$more[0] += ROWS;
	cmp_ok(abs(excess($one[0], 0, @class)), '<', REACH, sprintf 'the pair is drawn by its law: %.1f standard errors', excess($one[0], 0, @class));
	cmp_ok(abs(excess($one[1], 0, @more)), '<', REACH, sprintf 'and so it is of a person more: %.1f', excess($one[1], 0, @more));
	# In theory these are some 15 standard errors away.
	cmp_ok(excess($one[1], -ROWS, @more), '>', REACH, 'not by the law of nobody more');
	cmp_ok(excess($one[1], ROWS, @more), '<', -REACH, 'nor of two');
}

# 3. Two-way tables.
{
	make_tables('pairs', 300, 3, ROWS);
	my $variance = 1 / (1 / $margin**2 + 1 / (3 * $pair**2));
	my ($one, $other) = draw('pairs', RUNS, '{"a": [0, 2, 2], "b": [0, 2, 2]}', 'count(*) FILTER (WHERE a = 0) - count(*) FILTER (WHERE a > 0)');
	my $told = differs('two-way tables', ROWS, sqrt(2 * $variance), $one, $other);
	cmp_ok($told, '<', 0.92 * $rho, sprintf 'they tell, with one-way tables, %.2f of %.2f', $told, 0.92 * $rho);
	cmp_ok($told, '>', ROWS**2 / (4 * $margin**2), 'and more than one-way tables alone');
}

# The people of the Titanic (R, datasets, Titanic).
my %titanic = (
	'1st' => [ 0, 5, 118, 57, 0, 1, 4, 140 ],
	'2nd' => [ 0, 11, 154, 14, 0, 13, 13, 80 ],
	'3rd' => [ 35, 13, 387, 75, 17, 14, 89, 76 ],
	Crew => [ 0, 0, 670, 192, 0, 0, 3, 20 ]);
my @pairs = ('class, sex', 'class, age', 'class, survived', 'sex, age', 'sex, survived', 'age, survived');
my $values = join ', ', map { my ($x, $y) = split /, /, $pairs[$_]; "($_, ${x}::text, ${y}::text)" } 0 .. $#pairs;
$server->admin('CREATE TABLE titanic (id serial PRIMARY KEY, class text, sex text, age text, survived boolean)');
for my $class (sort keys %titanic)
{
	$server->admin(sprintf q{INSERT INTO titanic (class, sex, age, survived) SELECT '%s', '%s', '%s', %s FROM generate_series(1, %d)},
		$class, $_ < 4 ? 'Male' : 'Female', $_ % 4 < 2 ? 'Child' : 'Adult', $_ % 2 ? 'true' : 'false', $titanic{$class}[$_])
	  for 0 .. 7;
}
$server->admin(<<"SQL");
SELECT dp_agg.protect('titanic', 'id');
CREATE TABLE truth AS SELECT pair, x, y, count(*) / 2201.0::float8 AS share FROM titanic, LATERAL (VALUES $values) v (pair, x, y) GROUP BY 1, 2, 3;
GRANT SELECT ON truth TO tester;
SQL
my $independent = $server->admin(<<'SQL');
WITH x AS (SELECT pair, x, sum(share) AS of_x FROM truth GROUP BY 1, 2), y AS (SELECT pair, y, sum(share) AS of_y FROM truth GROUP BY 1, 2)
SELECT sum(abs(coalesce(share, 0) - of_x * of_y)) / 6 FROM x JOIN y USING (pair) LEFT JOIN truth USING (pair, x, y)
SQL

for ([ 0.1, 0.6 ], [ 0.3, 0.16 ], [ 0.5, 0.95 * $independent ], [ 1, 0.06 ], [ 3, 0.05 ])
{
	my ($epsilon, $bound) = @$_;
	my ($errors) = $server->draws({ epsilon => $epsilon, delta => DELTA }, 100, 1, <<"SQL");
WITH s AS MATERIALIZED (SELECT * FROM dp_synthesize('titanic',
		'{"class": ["1st", "2nd", "3rd", "Crew"], "sex": ["Male", "Female"], "age": ["Child", "Adult"], "survived": true}')
		AS (class text, sex text, age text, survived boolean)),
	p AS (SELECT pair, x, y, count(*)::float8 / (SELECT count(*) FROM s) AS share FROM s, LATERAL (VALUES $values) v (pair, x, y) GROUP BY 1, 2, 3)
SELECT sum(abs(coalesce(p.share, 0) - coalesce(t.share, 0))) / 6
FROM p FULL JOIN truth t ON (p.pair, coalesce(p.x, ''), coalesce(p.y, '')) = (t.pair, t.x, t.y)
SQL
	cmp_ok(mean(@$errors), '<', $bound,
		sprintf 'Titanic, epsilon %g: two-way tables are off by %.3f on average, %.3f if columns were independent', $epsilon, mean(@$errors), $independent);
}

$server->finish;
done_testing();
