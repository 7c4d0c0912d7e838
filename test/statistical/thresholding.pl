# Private groups: how often a group that exists through one person is seen.
#
# Each person is alone in groups of their own, so a table of many persons is as
# many independent trials in one release.  A trial succeeds if any of the
# person's groups is released; by the promise that happens with probability at
# most dp_agg.delta, whatever the mechanism, the number of rows and the number
# of groups.  Clopper and Pearson's lower end must not exceed it.  Nor may the
# upper end fall short of what the threshold can give away at most: a
# threshold one higher would be needlessly shy.  (Laplace: one step on the
# integers is a factor of exp(-s) in probability, s the inverse of the scale;
# Gaussian noise is practically continuous.)
#
# False failures: all intervals share 1e-9, exactly.  With 100,000 trials at
# delta = 0.01 an interval reaches about 20 % to either side: a group released
# with one and a half times that probability is found out by 13 standard
# deviations, 6 of them beyond the interval.
#
# Then a million persons in one release each: the rate must not exceed delta by
# more than 3 standard deviations.  At the epsilon chosen the steps of Laplace
# noise leave the probability 18 of these below that, so that a false failure is
# less likely than 1e-60 (computed from the threshold that EXPLAIN shows, and
# tested); were the threshold one lower, it would lie 12 above.  (Gaussian noise has
# no steps to leave such room.)
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;

use DpBounds qw(binomial_interval binomial_tail discrete_laplace_cdf);
use DpServer;

use constant {
	FALSE_FAILURE => 1e-9,
	PERSONS => 100_000,
	MANY => 1_000_000,
	DELTA => 0.01,
	EPSILON => 1,
	FINE_EPSILON => 0.3
};

my $server = DpServer->new('thresholding');

# One row a person, one person a group.
$server->admin(sprintf <<'SQL', PERSONS);
CREATE TABLE rows (id int PRIMARY KEY, place int, x float8);
INSERT INTO rows SELECT n, 10 * n, 1 FROM generate_series(1, %d) n;
SELECT dp_agg.protect('rows', 'id');
SQL

# Five rows a person in each of 1, 3 or 6 groups, of which at most 1 or 3 count.
for ([ 'one', 1, 1 ], [ 'three', 3, 3 ], [ 'six', 6, 3 ])
{
	my ($table, $places, $groups) = @$_;
	$server->admin(sprintf <<'SQL', $table, PERSONS, $places, $groups);
CREATE TABLE %1$s (who int, place int, x float8);
INSERT INTO %1$s SELECT n, 10 * n + k, 1
FROM generate_series(1, %2$d) n, generate_series(1, %3$d) k, generate_series(1, 5);
SELECT dp_agg.protect('%1$s', 'who', max_rows => 2, max_groups => %4$d);
SQL
}

# One row counts of each in a group, and several are scaled down to one.
$server->admin(<<'SQL');
CREATE TABLE once AS SELECT * FROM three;
SELECT dp_agg.protect('once', 'who', max_rows => 1, max_groups => 3);
SQL

# Linked to the first, with rows in three groups; and what says where the people of
# the first are, which is public.
$server->admin(<<'SQL');
CREATE TABLE linked (row int NOT NULL REFERENCES rows, place int, x float8);
INSERT INTO linked SELECT id, place + k, 1 FROM rows, generate_series(1, 3) k, generate_series(1, 2);
SELECT dp_agg.protect('linked', 'row', through => 'rows', max_rows => 2, max_groups => 3);
CREATE TABLE parts (id int PRIMARY KEY, part int);
INSERT INTO parts SELECT id, place FROM rows;
GRANT SELECT ON parts TO tester;
ANALYZE;
SQL

# The same persons by their ids; and what the public knows of every place.
$server->admin(sprintf <<'SQL', PERSONS);
CREATE TABLE people (id int PRIMARY KEY, y float8);
INSERT INTO people SELECT n, 1 FROM generate_series(1, %d) n;
SELECT dp_agg.protect('people', 'id');
CREATE TABLE places AS SELECT DISTINCT place AS at, 'place ' || place / 10 AS name FROM three;
ALTER TABLE places ADD PRIMARY KEY (at);
GRANT SELECT ON places TO tester;
SQL

# A million persons, with one row, and with two of which one counts.
$server->admin(sprintf <<'SQL', MANY);
CREATE TABLE million (id int PRIMARY KEY, place int, x float8);
INSERT INTO million SELECT n, 10 * n, 1 FROM generate_series(1, %1$d) n;
SELECT dp_agg.protect('million', 'id');
CREATE TABLE visits (who int, place int, x float8);
INSERT INTO visits SELECT n, 10 * n, 1 FROM generate_series(1, %1$d) n, generate_series(1, 2);
SELECT dp_agg.protect('visits', 'who', max_rows => 1);
ANALYZE million, visits;
SQL

# What is released of each group, from which table, and the groups that count.
my $units = 'three JOIN people ON id = who';
my @cases = (
	[ 'one row a person, its count', 'rows', 'dp_count(*)', 1 ],
	[ 'one row a person, a sum', 'rows', 'dp_sum(x, 0, 1, 0.5)', 1 ],
	[ 'one row a person, a mean alone', 'rows', 'dp_avg(x, 0, 1)', 1 ],
	[ 'three groups, a mean alone', 'once', 'dp_avg(x, 0, 4)', 3 ],
	[ 'three groups, two means', 'once', 'dp_avg(x, 0, 4), dp_avg(x, 0, 1)', 3 ],
	[ 'many rows, their count', 'one', 'dp_count(*)', 1 ],
	[ 'many rows, the number of units', 'one', 'dp_count(DISTINCT who)', 1 ],
	[ 'three groups, a mean', 'three', 'dp_avg(x, 0, 1, 2)', 3 ],
	[ 'three groups, the number of units', 'three', 'dp_count(DISTINCT who)', 3 ],
	[ 'three groups of six, the count', 'six', 'dp_count(*)', 3 ],
	[ 'joined by the unit', '(SELECT o.place FROM rows r JOIN one o ON o.who = r.id) j', 'dp_count(*)', 1 ],
	[ 'groups of a public table', '(SELECT p.part AS place FROM rows r JOIN parts p USING (id)) j', 'dp_count(*)', 1 ],
	[ 'linked, three groups', 'linked', 'dp_sum(x, 0, 2)', 3 ],
	[ 'linked, groups of what is referred to', '(SELECT r.place + l.place % 10 AS place FROM linked l JOIN rows r ON r.id = l.row) j', 'dp_count(*)', 3 ],
	[ 'joined with a person, the count', $units, 'dp_count(*)', 3 ],
	[ 'joined with a person, a sum of both', $units, 'dp_sum(x * y, 0, 5)', 3 ]);
my @many = (
	[ 'a million, one row', 'million', 'dp_count(*)', 'place' ],
	[ 'a million, two rows', 'visits', 'dp_count(*)', 'place' ],
	[ 'a million, joined with their rows', 'visits JOIN million USING (place) WHERE id = who', 'dp_sum(visits.x, 0, 2)', 'place' ]);
my $alpha = FALSE_FAILURE / (2 * 2 * (@cases + 1));

for my $mechanism (qw(laplace gaussian))
{
	my $settings = { mechanism => $mechanism, epsilon => EPSILON, delta => DELTA };
	for my $case (@cases)
	{
		my ($name, $table, $released, $groups) = @$case;
		my $query = "SELECT place, $released FROM $table GROUP BY place";
		$server->reset;
		my ($seen) = $server->draws($settings, 1, 1,
			"SELECT count(DISTINCT place / 10) FROM ($query) x");
		my ($low, $high) = binomial_interval($seen->[0], PERSONS, $alpha);
		my $shown = sprintf '%s: %s, %d of %d seen', $mechanism, $name, $seen->[0], PERSONS;
		cmp_ok($low, '<=', DELTA, "$shown: not more often than delta");

		my $each = 1 - (1 - DELTA)**(1 / $groups);
		my $least = 1 - (1 - $each * exp(-EPSILON / $groups))**$groups;
		$least = DELTA * (1 - 1e-6) if $mechanism eq 'gaussian';
		cmp_ok($high, '>=', $least, "$shown: nor much more rarely");
		cmp_ok(abs($server->spent->{delta} / DELTA - 1), '<=', 1e-9, "$shown: delta is charged");
	}
}

# One group for all of a person's places: the public table says which they share.
{
	my $settings = { mechanism => 'laplace', epsilon => EPSILON, delta => DELTA, max_groups => 1 };
	my $query = 'SELECT name, dp_count(DISTINCT who) FROM three JOIN places ON at = place GROUP BY name';
	$server->reset;
	my ($seen) = $server->draws($settings, 1, 1, "SELECT count(DISTINCT name) FROM ($query) x");
	my ($low, $high) = binomial_interval($seen->[0], PERSONS, $alpha);
	my $shown = "named by a public table, $seen->[0] of @{[PERSONS]} seen";
	cmp_ok($low, '<=', DELTA, "$shown: not more often than delta");
	cmp_ok($high, '>=', DELTA * exp(-EPSILON), "$shown: nor much more rarely");
}

for my $case (@many)
{
	my ($name, $from, $released, $key) = @$case;
	my $query = "SELECT $key, $released FROM $from GROUP BY $key";
	my $settings = { mechanism => 'laplace', epsilon => FINE_EPSILON, delta => DELTA };
	my $limit = DELTA + 3 * sqrt(DELTA * (1 - DELTA) / MANY);
	my $threshold = $server->threshold($query, $settings);
	my $chance = 1 - discrete_laplace_cdf($threshold - 2, 1 / FINE_EPSILON);
	cmp_ok(binomial_tail(int($limit * MANY) + 1, MANY, $chance), '<=', 1e-60, "$name: a threshold of $threshold fails by chance hardly ever");
	$server->reset;
	my ($seen) = $server->draws($settings, 1, 1, "SELECT count(*) FROM ($query) x");
	cmp_ok($seen->[0] / MANY, '<=', $limit, sprintf '%s: %d seen, at most delta within 3 sigma', $name, $seen->[0]);
}

$server->finish;
done_testing();
