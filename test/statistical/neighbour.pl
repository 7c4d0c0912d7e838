# Neighbouring databases, asked through SQL: is the loss what the price says?
#
# A case is a query and two tables that differ by all rows of one person, whose
# values and number of rows are the worst the query can meet.  Each is drawn
# from N times.  Of an event E fixed beforehand (the answer reaches a
# threshold), Clopper and Pearson bound both probabilities, and
#
#	P1(E) <= exp(epsilon) P0(E) + delta
#
# must be possible, also with the tables or E and its complement exchanged.
# Laplace: epsilon is the sum of the price's.  Gaussian: a release calibrated to
# (epsilon, delta) is mu-Gaussian private and mu^2 adds up, so delta is taken
# from that curve at epsilon = 0, mu^2/2 and mu^2.  (Noise on a grid 2^-40
# times as fine is mu-Gaussian to 1e-20, far below what these draws show.)
#
# False failures: all intervals of the program share 5e-10, exactly; all
# chi-square tests share 5e-10, the statistic having at least 250 expected
# draws in each bin; together at most 1e-9.
#
# Power: the same draws are held against half the claim, as if the true loss
# were twice what was said.  That must be refuted, in every case marked tight,
# or the case could not fail.  The output says by how many standard deviations
# it is refuted beyond the joint bounds of both intervals; it is more than 7, so
# the half would escape with probability below 1e-11.
#
# With an argument, a pattern, only the cases it matches are run.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max sum0);
use Test::More;

use DpBounds qw(binomial_interval discrete_laplace_cdf fit_tail gaussian_delta gaussian_mu
  laplace_cdf normal_cdf);
use DpJoins qw(join_cases);
use DpModels qw(model_cases pass_cases);
use DpServer;

use constant FALSE_FAILURE => 1e-9;
use constant N => 8_000;

# Settings.  A large delta makes Gaussian noise small against its budget; where
# groups are private every one of the draws pays its delta, so it must be small.
my %settings = (
	open => {
		laplace => { mechanism => 'laplace', epsilon => 1 },
		gaussian => { mechanism => 'gaussian', epsilon => 1.2, delta => 0.05 }
	},
	private => {
		laplace => { mechanism => 'laplace', epsilon => 1.5, delta => 1e-6 },
		gaussian => { mechanism => 'gaussian', epsilon => 6, delta => 1e-6 }
	});

my $server = DpServer->new('neighbour');

# Create TABLE0 and TABLE1 with the same columns, protected alike; TABLE1
# holds in addition what the last statement selects: the rows of one person.
sub neighbours
{
	my ($table, $columns, $policy, $rows, $person) = @_;
	for my $i (0, 1)
	{
		$server->admin("CREATE TABLE $table$i ($columns); INSERT INTO $table$i $rows");
		$server->admin("SELECT dp_agg.protect('$table$i', $policy)");
	}
	$server->admin("INSERT INTO ${table}1 $person");
	return;
}

# Thirty people of one row each at 0, which is one of the bounds asked with;
# one more beyond the other bound in every column.
my $values = 'i int, b bigint, m numeric, r real, d float8';
neighbours(
	'persons', "id int PRIMARY KEY, $values", "'id'",
	'SELECT n, 0, 0, 0, 0, 0 FROM generate_series(1, 30) n',
	"SELECT 0, -2147483648, 9223372036854775807, 1e30, '-Infinity', 'Infinity'");

# The same with two rows each, and fifty of the one more: max_rows counts.
neighbours(
	'visits', "who int, $values", "'who', max_rows => 2",
	'SELECT n / 2, 0, 0, 0, 0, 0 FROM generate_series(2, 61) n',
	"SELECT 0, -2147483648, 9223372036854775807, 1e30, '-Infinity', 'Infinity'
	 FROM generate_series(1, 50)");

# Thirty people of a value of their own each, none above 0; one more, of fifty values that
# nobody else has.  A unit covers as many distinct values as rows: three.
neighbours(
	'parcels', 'who int, i int, d float8', "'who', max_rows => 3",
	'SELECT n, -n, -n FROM generate_series(1, 30) n', 'SELECT 0, 100 + n, 100 + n FROM generate_series(1, 50) n');

# Places 0, 1, ... with five people each; one more person, fifty times in each
# of three places, as many as max_groups, or fewer than these; or in each of twelve.
for (
	[ 'three', 3, 3 ],
	[ 'halls', 3, 12 ],
	[ 'twelve', 12, 3 ])
{
	my ($table, $places, $most) = @$_;
	neighbours(
		$table, 'who int, place int, d float8', "'who', max_rows => 2, max_groups => $most",
		"SELECT n, n % $places, 0 FROM generate_series(1, 5 * $places) n",
		"SELECT 0, n % $places, 1e300 FROM generate_series(1, 50 * $places) n");
}

# Choices: in polls, twenty people for each of four, and one more, fifty times, for
# three of these; in votes, thirty for the first and two less for each other,
# the one more for the others.  Pairs: ten people for each, one more.
neighbours(
	'polls', 'who int, choice int', "'who', max_rows => 2, max_groups => 3",
	'SELECT n, 1 + n % 4 FROM generate_series(1, 80) n',
	'SELECT 0, 2 + n % 3 FROM generate_series(1, 150) n');
neighbours(
	'votes', 'who int, choice int', "'who', max_rows => 2, max_groups => 3",
	'SELECT n, 1 + n % 3 FROM generate_series(1, 84) n UNION ALL SELECT n, 1 FROM generate_series(85, 86) n',
	'SELECT 0, 2 + n % 2 FROM generate_series(1, 100) n');
neighbours(
	'pairs', 'id int PRIMARY KEY, place int', "'id'",
	'SELECT n, n % 2 FROM generate_series(1, 20) n', 'SELECT 0, 0');

my @cases;

# A case without private groups.  `edges` are what the answer is without and
# with the person; thresholds are derived from them.
sub open_case
{
	push @cases, { settings => 'open', tight => 1, claim => 1, n => N, @_ };
	return;
}

# One answer from a table of one person a row.
open_case(name => 'count', query => 'SELECT dp_count(*) FROM persons',
	edges => [ 30, 31 ], integral => 1);
open_case(name => 'count of a column, its own epsilon',
	query => 'SELECT dp_count(d, 1.25) FROM persons', asked => 1.25, edges => [ 30, 31 ],
	integral => 1);
open_case(name => 'count of distinct units', query => 'SELECT dp_count(DISTINCT id) FROM persons',
	edges => [ 30, 31 ], integral => 1);
open_case(name => 'sum of integer', query => 'SELECT -dp_sum(i, -10, 5) FROM persons',
	edges => [ 0, 10 ], integral => 1);
open_case(name => 'sum of bigint', query => 'SELECT dp_sum(b, -3, 7) FROM persons',
	edges => [ 0, 7 ], integral => 1);
open_case(name => 'sum of numeric', query => 'SELECT dp_sum(m, 0, 12.34) FROM persons',
	edges => [ 0, 12.34 ]);
open_case(name => 'sum of real', query => 'SELECT -dp_sum(r, -2.5, 1) FROM persons',
	edges => [ 0, 2.5 ]);
open_case(name => 'sum of float8', query => 'SELECT dp_sum(d, -0.1, 0.7) FROM persons',
	edges => [ 0, 0.7 ]);

# Two counts that share noise: the one more person raises both, which their sum tells nearly as well as anything.
open_case(name => 'counts that share noise', only => 'gaussian', claim => 2, thresholds => [ 60, 61, 62 ],
	query => 'SELECT a + b FROM (SELECT dp_count(id) AS a, dp_count(d) AS b FROM persons) x', shared => 'gaussian, shared');

# A mean of 30 values at one bound and one at the other: both totals move in
# the direction of worst loss, and "the mean reaches t" is a half-plane of
# them.  The mean moves by 1/31 of the width.
open_case(name => 'mean of integer', query => 'SELECT -dp_avg(i, -100, 0) FROM persons',
	edges => [ 0, 100 / 31 ], mean => 1);
open_case(name => 'mean of numeric', query => 'SELECT dp_avg(m, 0, 12.34) FROM persons',
	edges => [ 0, 12.34 / 31 ], mean => 1);
open_case(name => 'mean of float8', query => 'SELECT dp_avg(d, 0, 0.7) FROM persons',
	edges => [ 0, 0.7 / 31 ], mean => 1);

# Many rows a person.
open_case(name => 'count, many rows', query => 'SELECT dp_count(*) FROM visits',
	edges => [ 60, 62 ], integral => 1);
open_case(name => 'count, rows limited by the session',
	query => 'SELECT dp_count(*) FROM visits', set => { max_rows => 5 },
	edges => [ 60, 65 ], integral => 1);
open_case(name => 'count of distinct units, many rows',
	query => 'SELECT dp_count(DISTINCT who) FROM visits', edges => [ 30, 31 ], integral => 1);
open_case(name => 'sum of integer, many rows', query => 'SELECT -dp_sum(i, -10, 5) FROM visits',
	edges => [ 0, 10 ], integral => 1);
open_case(name => 'sum of numeric, many rows', query => 'SELECT dp_sum(m, 0, 12.34) FROM visits',
	edges => [ 0, 12.34 ]);
open_case(name => 'sum of float8, many rows', query => 'SELECT dp_sum(d, -0.1, 0.7) FROM visits',
	edges => [ 0, 0.7 ]);
open_case(name => 'mean of float8, many rows', query => 'SELECT dp_avg(d, 0, 0.7) FROM visits',
	edges => [ 0, 0.7 / 31 ], mean => 1);

# Distinct values.
open_case(name => 'count of distinct values', query => 'SELECT dp_count(DISTINCT i) FROM parcels',
	edges => [ 30, 33 ], integral => 1);
open_case(name => 'count of distinct values, limited by the session',
	query => 'SELECT dp_count(DISTINCT d) FROM parcels', set => { max_values => 5 },
	edges => [ 30, 35 ], integral => 1);
open_case(name => 'sum of distinct integers', query => 'SELECT dp_sum(DISTINCT i, 0, 5) FROM parcels',
	edges => [ 0, 15 ], integral => 1);
open_case(name => 'sum of distinct float8', query => 'SELECT dp_sum(DISTINCT d, -0.1, 0.7) + 3 FROM parcels',
	edges => [ 0, 2.1 ]);
open_case(name => 'mean of distinct values', query => 'SELECT dp_avg(DISTINCT d, 0, 0.7) FROM parcels',
	edges => [ 0, 2.1 / 33 ], mean => 1);

# Moments.  Thirty people at one corner of the bounds and one at the other: of all
# totals of a variance or covariance only that of the other corner matters there, to
# first order, and the one person moves it by all there is.  Correlation and slope
# need variances: a hundred people at a corner, ten each at its neighbours, and the
# person at the last; noise of other totals takes part, and hides some of the loss.
neighbours(
	'points', 'id int PRIMARY KEY, y float8, x float8', "'id'",
	'SELECT n, (n > 110)::int, (n BETWEEN 101 AND 110)::int FROM generate_series(1, 120) n',
	'SELECT 0, 1e9, 5');
open_case(name => 'variance of numeric', query => 'SELECT dp_variance(m, 0, 12.34) FROM persons',
	edges => [ 0, 12.34**2 / 31 ], mean => 1);
open_case(name => 'variance of float8', query => 'SELECT dp_variance(d, 0, 0.7) FROM persons',
	edges => [ 0, 0.49 / 31 ], mean => 1);
open_case(name => 'standard deviation, its own epsilon', asked => 1.25,
	query => 'SELECT dp_stddev(b, 0, 7, 1.25) FROM persons',
	edges => [ 0, 7 / sqrt(31) ], mean => 1);
open_case(name => 'variance and deviation, one release',
	query => 'SELECT least(sqrt(v), s) FROM
			  (SELECT dp_variance(d, 0, 0.7) v, dp_stddev(d, 0, 0.7) s FROM persons) x',
	edges => [ 0, 0.7 / sqrt(31) ], mean => 1);
open_case(name => 'covariance', query => 'SELECT -dp_covar_pop(d, i, 0, 0.7, -100, 0) FROM persons',
	edges => [ 0, 70 * 30 / 31**2 ], mean => 1);
open_case(name => 'correlation', tables => 'points', asked => 2, set => { epsilon => 2 },
	query => 'SELECT dp_corr(y, x, 0, 1, 0, 1) FROM points', edges => [ -1 / 11, 0 ], mean => 1);
open_case(name => 'slope', tables => 'points', asked => 2, set => { epsilon => 2 },
	query => 'SELECT dp_regr_slope(y, x, 0, 1, 0, 1) FROM points', edges => [ -1 / 11, 0 ], mean => 1);
open_case(name => 'variance of float8, many rows', query => 'SELECT dp_variance(d, 0, 0.7) FROM visits',
	edges => [ 0, 0.49 * 120 / 62 / 61 ], mean => 1);
open_case(name => 'covariance, many rows', query => 'SELECT -dp_covar_samp(d, i, 0, 0.7, -100, 0) FROM visits',
	edges => [ 0, 70 * 120 / 62 / 61 ], mean => 1);

# Several answers to one statement: the least of their excesses reaches zero
# where all of them reach what they are with the person.
open_case(name => 'two aggregates', claim => 2, joint => 2,
	query => 'SELECT least(c - 31, (s - 0.7) / 0.7)
			  FROM (SELECT dp_count(*) c, dp_sum(d, -0.1, 0.7) s FROM persons) x');
open_case(name => 'sum from the release of a mean', edges => [ 0, 0.7 ],
	query => 'SELECT CASE WHEN a IS NULL THEN 0 ELSE s END FROM (SELECT dp_sum(d, 0, 0.7) s, dp_avg(d, 0, 0.7) a FROM persons) x');
open_case(name => 'sum from a release that is more accurate for a count', only => 'laplace', claim => undef,
	edges => [ 0, 100 ], integral => 1,
	query => 'SELECT CASE WHEN a IS NULL OR c IS NULL THEN 0 ELSE -s END
			  FROM (SELECT dp_count(i) c, dp_sum(i, -100, 0) s, dp_avg(i, -100, 0) a FROM persons) x');
open_case(name => 'one aggregate written twice', joint => 2, claim => undef,
	query => 'SELECT least(a, b) - 31 FROM (SELECT dp_count(*) a, dp_count(*) b FROM persons) x');
open_case(name => 'one CTE read twice', joint => 2, claim => undef,
	query => 'WITH w AS NOT MATERIALIZED (SELECT dp_count(*) c FROM persons)
			  SELECT least(v.c, w.c) - 31 FROM w v, w');
open_case(name => 'one block read again and again', joint => 2, claim => undef,
	query => 'SELECT min(c) - 31 FROM generate_series(1, 3) LEFT JOIN
			  (SELECT dp_count(*) c FROM persons OFFSET 0) x ON c < 1000000');

# What bounds cut: a person with 1,024 rows, of which one counts, is one unit, one row
# that counts and nearly a whole unit of rows that are cut in the bin of such persons.
neighbours(
	'spans', 'who int', "'who'", 'SELECT n FROM generate_series(1, 30) n', 'SELECT 0 FROM generate_series(1, 1024)');
my $bounding = $server->admin("SELECT dp_agg.bounding_query('spans0', 3, max_rows => 1)") =~ s/spans0/spans/gr;
open_case(name => 'what bounds cut', n => 3 * N, asked => 3, set => { epsilon => 3 }, joint => 3, tables => 'spans',
	query => "SELECT least(units - 1, kept - 1, cut - 1023.0 / 1024) FROM ($bounding) b WHERE bin = 42");

# A histogram, with one person in as many bins as count, and in more.  Laplace:
# in how many bins the count reaches what it is with the person; Gaussian: the
# sum of all counts.
my $bins = 'FROM dp_histogram(%1$s, %2$s, 0, %3$d, %3$d)';
sub histogram
{
	my ($table, $places, $reach) = @_;
	my $from = sprintf $bins, "'$table'", "'place'", $places;
	return { laplace => "SELECT count(*) FILTER (WHERE count >= $reach) $from",
		gaussian => "SELECT sum(count) $from" };
}
open_case(name => 'histogram', query => histogram('three', 3, 7), arms => 8,
	set => { epsilon => 3 },
	thresholds => { laplace => [ 1, 2, 3 ], gaussian => [ 18, 21 ] });
open_case(name => 'histogram, fewer bins than may count', query => histogram('halls', 3, 7), arms => 8,
	set => { epsilon => 3 },
	thresholds => { laplace => [ 1, 2, 3 ], gaussian => [ 18, 21 ] });
open_case(name => 'histogram, more bins than count', query => histogram('twelve', 12, 6),
	arms => 8, tight => 0, n => N,
	thresholds => { laplace => [ 8 .. 12 ], gaussian => [ 66, 72, 78 ] });

# Two tables of the person's; and keys that a public table lists, as with bins.
open_case(name => 'count of a join', query => 'SELECT dp_count(*) FROM visits JOIN persons ON id = who',
	edges => [ 60, 62 ], integral => 1);
$server->admin(<<'SQL');
CREATE TABLE spots (spot int PRIMARY KEY);
INSERT INTO spots SELECT generate_series(0, 14);
GRANT SELECT ON spots TO tester;
SQL
sub listed
{
	my ($table, $places, $reach) = @_;
	my $from = "FROM (SELECT spot, dp_count(*) FROM spots LEFT JOIN $table ON place = spot WHERE spot < $places GROUP BY spot) x";
	return { laplace => "SELECT count(*) FILTER (WHERE dp_count >= $reach) $from",
		gaussian => "SELECT sum(dp_count) $from" };
}
open_case(name => 'keys that a table lists', query => listed('three', 3, 7), arms => 8,
	set => { epsilon => 3 },
	thresholds => { laplace => [ 1, 2, 3 ], gaussian => [ 18, 21 ] });
open_case(name => 'keys that a table lists, more than count', query => listed('twelve', 15, 6),
	arms => 8, tight => 0, n => N, only => 'laplace', thresholds => [ 8 .. 12 ]);

# Groups that share noise, all of which the person is in: their sum tells it nearly as well as anything.  (Where a query
# around them adds them up they share none.)
neighbours(
	'rooms', 'who int, place int', "'who', max_rows => 2, max_groups => 3",
	'SELECT n, n % 3 FROM generate_series(1, 15) n', 'SELECT 0, n % 3 FROM generate_series(1, 150) n');
$server->admin("SELECT dp_agg.set_domain('rooms$_', 'place', ARRAY[0, 1, 2])") for 0, 1;
open_case(name => 'groups that share noise', only => 'gaussian', thresholds => [ 18, 21 ], shared => 'gaussian, shared by groups', set => { clipping => 'fixed' },
	query => 'WITH a AS (SELECT place, dp_count(*) AS n FROM rooms GROUP BY place) SELECT (SELECT sum(n) FROM a)');

# A tree of two levels: the first of two bins, in thirds, as made consistent.
open_case(name => 'tree', set => { epsilon => 5 },
	query => q{SELECT round(3 * count) FROM dp_cumulative('pairs', 'place', 0, 2, 2) WHERE bin = 1},
	thresholds => { laplace => [33], gaussian => [ 30, 31.5, 33 ] });

# Selections.  Whoever is there without the person, at the same count as all
# others, is behind by all that the person can add; and so are, with every rank,
# those that the person votes for.  The first condition that is fulfilled
# is reached only while the one before, which the person fulfils, is not.
for my $mechanism (qw(laplace gaussian))
{
	open_case(name => 'greatest of four', only => $mechanism, set => { epsilon => 3 }, thresholds => [1],
		query => q{SELECT (candidate = 1)::int FROM dp_noisy_max('polls', 'choice', ARRAY[1, 2, 3, 4])});
	open_case(name => 'greatest of two', only => $mechanism, thresholds => [2],
		set => { epsilon => $mechanism eq 'laplace' ? 1 : 3 },
		query => q{SELECT candidate FROM dp_noisy_max('votes', 'choice', ARRAY[1, 2])});
	open_case(name => 'two greatest of three', only => $mechanism, thresholds => [1], n => 4 * N,
		set => { epsilon => $mechanism eq 'laplace' ? 4 : 6 },
		query => q{SELECT 1 - count(*) FILTER (WHERE candidate = 1) FROM dp_noisy_max('votes', 'choice', ARRAY[1, 2, 3], 2)});
}
open_case(name => 'first above', only => 'laplace', set => { epsilon => 4 }, thresholds => [1],
	query => q{SELECT count(*) FILTER (WHERE "position" = 2)
			   FROM dp_above_threshold('polls', ARRAY['choice = 2', 'choice = 1'], 21)});
open_case(name => 'first above, after many', only => 'laplace', set => { epsilon => 4 }, n => 16_000,
	thresholds => [1],
	query => q{SELECT count(*) FILTER (WHERE "position" = 4)
			   FROM dp_above_threshold('polls', ARRAY['choice = 2', 'choice = 3', 'choice > 3', 'choice = 1'], 21)});

# Private groups.  Group sizes straddle the threshold, so the person decides
# whether the group is seen.
sub private_cases
{
	my ($mechanism) = @_;
	my $private = sub {
		push @cases,
		  { settings => 'private', tight => 1, n => N, only => $mechanism, arms => 8, @_ };
	};
	# The threshold of a query's empty table; then the tables, with groups
	# 1 .. places just below it.
	my $clubs = sub {
		my ($table, $policy, $query, $places, $columns, $rows, $person) = @_;
		$server->admin("CREATE TABLE $table ($columns); SELECT dp_agg.protect('$table', $policy)");
		my $threshold = $server->threshold($query, $settings{private}{$mechanism});
		my $size = POSIX::ceil($threshold) - 1;
		$server->admin("DROP TABLE $table");
		neighbours($table, $columns, $policy,
			"SELECT n, 1 + n % $places, $rows FROM generate_series(1, $size * $places) n", $person);
	};

	my $one = "club_$mechanism";
	my $count = "SELECT place, dp_count(*) FROM $one GROUP BY place";
	$clubs->($one, "'id'", $count, 1, 'id int PRIMARY KEY, place int, d float8', 0, 'SELECT 0, 1, 9');
	$private->(name => 'private group, its count shown', claim => 1, thresholds => [1],
		query => "SELECT count(*) FROM ($count) x", tables => $one);
	$private->(name => 'private group with a sum', claim => 2, thresholds => [1],
		query => "SELECT count(*) FILTER (WHERE s >= REACH)
				  FROM (SELECT place, dp_sum(d, 0, 1) s FROM $one GROUP BY place) x",
		reach => { laplace => 1, gaussian => 0.5 }, tables => $one);

	my $means = "means_$mechanism";
	my $mean = "SELECT place, dp_avg(d, 0, 9) FROM $means GROUP BY place";
	$clubs->($means, "'id'", $mean, 1, 'id int PRIMARY KEY, place int, d float8', 0, 'SELECT 0, 1, 9');
	$private->(name => 'private group of a mean alone', claim => 1, thresholds => [1],
		tight => $mechanism eq 'gaussian',
		query => "SELECT count(*) FROM ($mean) x", tables => $means);

	my $top = "top_$mechanism";
	my $greatest = "SELECT candidate FROM dp_top('$top', 'place', 1)";
	$clubs->($top, "'id'", $greatest, 1, 'id int PRIMARY KEY, place int, d float8', 0, 'SELECT 0, 1, 9');
	$private->(name => 'greatest of private groups', claim => 1, thresholds => [1],
		query => "SELECT count(*) FROM ($greatest) x", tables => $top);
	my $ranks = "ranks_$mechanism";
	my $two_ranks = "SELECT candidate FROM dp_top('$ranks', 'place', 2)";
	$clubs->($ranks, "'id'", $two_ranks, 1, 'id int PRIMARY KEY, place int, d float8', 0, 'SELECT 0, 1, 9');
	$private->(name => 'private groups, ranked by noisy counts', claim => 1, thresholds => [1],
		query => "SELECT count(*) FROM ($two_ranks) x", tables => $ranks);

	my $two = "trips_$mechanism";
	my $units = "SELECT place, dp_count(DISTINCT who) FROM $two GROUP BY place";
	$clubs->($two, "'who', max_rows => 3, max_groups => 2", $units, 2,
		'who int, place int, d float8', 0,
		'SELECT 0, 1 + n % 2, 9 FROM generate_series(1, 100) n');
	$private->(name => 'two private groups, units shown', claim => 1, thresholds => [ 1, 2 ],
		query => "SELECT count(*) FROM ($units) x", tables => $two);
	$private->(name => 'two private groups with a sum', claim => 2, thresholds => [ 1, 2 ],
		n => 12_000,
		query => "SELECT count(*) FILTER (WHERE s >= REACH)
				  FROM (SELECT place, dp_sum(d, 0, 1) s FROM $two GROUP BY place) x",
		reach => { laplace => 1, gaussian => 0.5 }, tables => $two);
	$private->(name => 'two private groups with a mean', claim => 2, thresholds => [ 1, 2 ],
		tight => 0,
		query => "SELECT count(*) FILTER (WHERE a * 40 >= 1)
				  FROM (SELECT place, dp_avg(d, 0, 1) a FROM $two GROUP BY place) x", tables => $two);
	return;
}
private_cases($_) for qw(laplace gaussian);
push @cases, join_cases($server, $settings{private}, N);
push @cases, model_cases($server, $settings{open}, N);
push @cases, pass_cases($server, $settings{open}, N);

# The claim a price makes: Laplace and selections, epsilon; Gaussian, mu; the delta of
# private groups beside either.
sub claim
{
	my ($settings, @lines) = @_;
	my @releases = grep { $_->{epsilon} > 0 } @lines;
	my $gaussian = grep { $_->{mechanism} =~ /^gaussian/ } @releases;
	my %claim = (epsilon => sum0(map { $_->{epsilon} } @releases));
	$claim{delta} = sum0(map { $_->{delta} } @lines);
	if ($gaussian)
	{
		$claim{delta} -= $settings->{delta} * @releases;
		$claim{mu} = sqrt(sum0(map { gaussian_mu($_->{epsilon}, $settings->{delta})**2 } @releases));
	}
	return \%claim;
}

# The points (epsilon, delta) a claim makes, `share` of which is held against
# the draws.
sub points
{
	my ($claim, $share) = @_;
	return [ $share * $claim->{epsilon}, $claim->{delta} ] unless $claim->{mu};
	my $mu = $share * $claim->{mu};
	return map { [ $_, gaussian_delta($mu, $_) + $claim->{delta} ] } 0, $mu**2 / 2, $mu**2;
}

# How likely draws reach a threshold: the least and greatest possible, what was
# seen, and its variance.
sub interval
{
	my ($draws, $threshold, $alpha) = @_;
	my $k = grep { $_ >= $threshold } @$draws;
	my $seen = $k / @$draws;
	my ($low, $high) = binomial_interval($k, scalar @$draws, $alpha);
	return { low => $low, high => $high, seen => $seen, variance => $seen * (1 - $seen) / @$draws };
}

# The same of not reaching it.
sub complement
{
	my ($p) = @_;
	return { %$p, low => 1 - $p->{high}, high => 1 - $p->{low}, seen => 1 - $p->{seen} };
}

# By how much intervals of the probability of an event, without and with the
# person, refute a point: in standard deviations, beyond their joint bounds;
# not above zero if they do not.
sub refutation
{
	my ($point, $without, $with) = @_;
	my ($factor, $delta) = (exp($point->[0]), $point->[1]);
	my @against;
	for my $pair ([ $with, $without ], [ $without, $with ])
	{
		for my $complement (0, 1)
		{
			my ($p, $q) = map { $complement ? complement($_) : $_ } @$pair;
			my $excess = $p->{low} - $factor * $q->{high} - $delta;
			my $variance = $p->{variance} + $factor**2 * $q->{variance};
			push @against, $excess / sqrt(max($variance, 1e-12));
		}
	}
	return max(@against);
}

sub thresholds
{
	my ($case, $mechanism) = @_;
	return $case->{thresholds}{$mechanism} if ref($case->{thresholds}) eq 'HASH';
	return $case->{thresholds} if $case->{thresholds};
	return [ $mechanism eq 'laplace' ? 0 : -0.5 ] if $case->{joint};
	my ($low, $high) = @{ $case->{edges} };
	return [ ($low + $high) / 2, $high ] if $case->{mean};
	return [ $case->{integral} ? $low + 1 : $low, ($low + $high) / 2, $high ];
}

# The distribution function a claim gives an answer, without the person.
sub claimed_cdf
{
	my ($case, $claim) = @_;
	my ($low, $high) = @{ $case->{edges} };
	my $move = $high - $low;
	my $spread = $move / ($claim->{mu} // $claim->{epsilon});
	my $cdf =
	    $claim->{mu} ? sub { normal_cdf(($_[0] - $low + ($case->{integral} ? 0.5 : 0)) / $spread) }
	  : $case->{integral} ? sub { discrete_laplace_cdf($_[0] - $low, $spread) }
	  : sub { laplace_cdf($_[0] - $low, $spread) };
	return ($cdf, $case->{integral}, $low, $spread);
}

# What `draws` releases of each database must have cost.
sub check_charge
{
	my ($name, $claim, $draws) = @_;
	my $spent = $server->spent;
	my $near = sub { abs($_[0] - $draws * $_[1]) <= 1e-6 * $draws * $_[1] };
	my $right = $near->($spent->{delta}, $claim->{delta});
	if ($claim->{mu})
	{
		$right &&= $near->($spent->{rdp_low}, 1.1 * $claim->{mu}**2 / 2) &&
		  $near->($spent->{rdp_high}, 4096 * $claim->{mu}**2 / 2);
	}
	else
	{
		$right &&= $near->($spent->{pure}, $claim->{epsilon});
	}
	ok($right, "$name: charged as priced")
	  or diag(explain({ spent => $spent, claim => $claim, draws => $draws }));
	return;
}

my @runs = map { my $case = $_; map { [ $case, $_ ] } $case->{only} // qw(laplace gaussian) } @cases;
my $intervals = sum0(map { 2 * @{ thresholds(@$_) } } @runs);
my $alpha = FALSE_FAILURE / 2 / (2 * $intervals);
my $fits = grep { $_->[0]{edges} && !$_->[0]{mean} } @runs;
my $fit_alpha = FALSE_FAILURE / 2 / $fits;

sub run_case
{
	my ($case, $mechanism) = @_;
	my $name = "$mechanism: $case->{name}";
	my $settings = { %{ $settings{ $case->{settings} }{$mechanism} }, %{ $case->{set} // {} } };
	my $query = $case->{query};
	$query = $query->{$mechanism} if ref $query;
	$query =~ s/REACH/$case->{reach}{$mechanism}/;
	my $table = $case->{tables} // 'persons|visits|parcels|three|halls|twelve|rooms|polls|votes|pairs|points';
	my @queries = map { my $i = $_; $query =~ s/\b($table)\b/$1$i/gr } 0, 1;

	$server->reset;
	my @price = $server->price($queries[1], $settings);
	my $claim = claim($settings, @price);
	is($price[0]{mechanism}, $case->{shared}, "$name: noise is shared") if $case->{shared};
	is($claim->{epsilon}, $case->{asked} // $case->{claim} * $settings->{epsilon},
		"$name: priced as asked")
	  if $case->{claim};
	my ($without, $with) = $server->draws($settings, $case->{n}, $case->{arms}, @queries);
	check_charge($name, $claim, @$without + @$with);

	my (@whole, @half, @shown);
	for my $threshold (@{ thresholds($case, $mechanism) })
	{
		my @interval = map { interval($_, $threshold, $alpha) } $without, $with;
		push @whole, map { refutation($_, @interval) } points($claim, 1);
		push @half, map { refutation($_, @interval) } points($claim, 0.5);
		push @shown, sprintf 'reaches %g: %.4f without, %.4f with', $threshold,
		  map { $_->{seen} } @interval;
	}
	cmp_ok(max(@whole), '<=', 0, "$name: the loss is as claimed") or diag(join "\n", @shown);
	if ($case->{tight})
	{
		cmp_ok(max(@half), '>', 0,
			sprintf '%s: half the loss would be refuted, with %.1f deviations to spare',
			$name, max(@half)) or diag(join "\n", @shown);
	}
	if ($case->{edges} && !$case->{mean})
	{
		my $tail = fit_tail($without, claimed_cdf($case, $claim));
		cmp_ok($tail, '>=', $fit_alpha, "$name: distributed as claimed");
	}
	return;
}

my $wanted = shift // '';
run_case(@$_) for grep { "$_->[1]: $_->[0]{name}" =~ /(?:$wanted)/ } @runs;
$server->finish;
done_testing();
