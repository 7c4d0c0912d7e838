# How often groups of few rows are answered, and how well: as often as stated.
#
# Means and moments are NULL where their noisy number of rows is no more than a group without rows
# exceeds in one case of 100.  With n rows the noise has to exceed h - n: for the two Laplace noises of
# a mean with a probability of (2 + t) exp(-t) / 4, t >= 0 scales above; for a Gaussian count that of a normal one.
# Quantiles are NULL by the law of doc/accounting.md, computed here from the rows.
#
# Each share of 20,000 draws must be one that the stated probability gives with a chance of 1e-12 or more on
# either side; fewer than 100 of them: below 1e-9 for all.
#
# Intervals of a quantile between its neighbours hold the truth as often as they say, where there are few rows
# and many: not less than 0.9 falls short of with a probability of 1e-12.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use POSIX qw(ceil);
use Test::More;

use DpBounds qw(binomial_interval);
use DpServer;

use constant {
	ALPHA => 1e-12,
	DRAWS => 20_000,
	POINTS => 1001
};

my $server = DpServer->new('presence');
$server->admin(<<'SQL');
CREATE TABLE crowd (id int PRIMARY KEY, x int NOT NULL);
INSERT INTO crowd SELECT n, 7 * n % 1000 FROM generate_series(1, 400) n;
SELECT dp_agg.protect('crowd', 'id');
CREATE TABLE many (who int, x int NOT NULL);
INSERT INTO many SELECT id, x FROM crowd, generate_series(1, 5);
SELECT dp_agg.protect('many', 'who', max_rows => 2);
SQL

# P[S > t] of the sum of two Laplace noises of scale 1.
sub laplace_tail
{
	my ($t) = @_;
	return $t >= 0 ? (2 + $t) * exp(-$t) / 4 : 1 - laplace_tail(-$t);
}

# The same of three.
sub tail_of_three
{
	my ($t) = @_;
	return $t >= 0 ? ($t * $t + 5 * $t + 8) * exp(-$t) / 16 : 1 - tail_of_three(-$t);
}

# The t of which that is a part.
sub laplace_reach
{
	my ($tail, $law) = @_;
	$law //= \&laplace_tail;
	my ($low, $high) = (0, 100);
	for (1 .. 100)
	{
		my $middle = ($low + $high) / 2;
		$law->($middle) > $tail ? $low = $middle : $high = $middle;
	}
	return $high;
}

# The probability of NULL for a quantile of rows at these points.
sub none
{
	my ($fraction, $epsilon, @at) = @_;
	my $n = @at;
	my $extreme = $fraction == 0 || $fraction == 1;
	my $scale = 2 * max($fraction, 1 - $fraction) / $epsilon;
	my $up = sub { ceil($scale * log($_[0] * POINTS) * 1024) / 1024 };
	my $inside = $extreme ? min($up->(1000), $n / 2) : 0;
	my $target = $fraction == 0 ? $inside : $fraction == 1 ? $n - $inside : $fraction * $n;
	my @rows = (0) x POINTS;
	$rows[$_]++ for @at;
	my ($below, $odds) = (0, 0);
	for my $weight (@rows)
	{
		$odds += exp(-max(0, $below - $target, $target - $below - $weight) / $scale);
		$below += $weight;
	}
	my $advantage = $extreme ? 2 * $up->(500) : $up->(100);
	my $none = exp(($advantage - max($fraction, 1 - $fraction) * $n) / $scale);
	return $none / ($none + $odds);
}

# Measured and stated shares of NULLs.
sub check_share
{
	my ($name, $settings, $query, $stated) = @_;
	my ($draws) = $server->draws($settings, DRAWS, undef, $query);
	my $seen = sum0(@$draws);
	my ($low, $high) = binomial_interval($seen, scalar @$draws, ALPHA);
	ok($low <= $stated && $stated <= $high,
		sprintf '%s: NULL in %.2f %%, stated %.2f %%', $name, 100 * $seen / @$draws, 100 * $stated);
	return;
}

my $reach = laplace_reach(0.01);
for my $n (0, 2, 5, 8, 12)
{
	check_share("dp_avg of $n rows", { epsilon => 1 }, "SELECT (dp_avg(x, 0, 1000) IS NULL)::int FROM crowd WHERE id <= $n",
		1 - laplace_tail($reach - $n));
	check_share("dp_avg of $n people of five rows, max_rows 2", { epsilon => 1 },
		"SELECT (dp_avg(x, 0, 1000) IS NULL)::int FROM many WHERE who <= $n", 1 - laplace_tail($reach - $n));
	$server->reset;
}

# Of one release for several, the mean is NULL as often as its totals say; a sum or count never is.
sub check_shared
{
	my ($n, $rest, $law) = @_;
	my $settings = { epsilon => 1 };
	my $block = "(SELECT dp_avg(x, 0, 1000) AS a, dp_sum(x, 0, 1000) AS s, $rest AS o FROM crowd WHERE id <= $n) q";
	my @released = grep { $_->{epsilon} > 0 } $server->price("SELECT * FROM $block", $settings);
	is(scalar @released, 1, "one release for mean, sum and $rest");
	my $stated = 1 - $law->(laplace_reach(0.01, $law) - $n * $released[0]{epsilon});
	check_share("dp_avg of $n rows beside $rest", $settings, "SELECT (a IS NULL)::int FROM $block", $stated);
	check_share("dp_sum of $n rows beside $rest", $settings, "SELECT (s IS NULL)::int FROM $block", 0);
	check_share("$rest of $n rows beside dp_sum", $settings, "SELECT (o IS NULL)::int FROM $block", 0)
	  if $rest =~ /count/;
	$server->reset;
	return;
}

for my $n (0, 3, 6)
{
	check_shared($n, 'dp_count(x)', \&laplace_tail);
	check_shared($n, 'dp_stddev(x, 0, 1000)', \&tail_of_three);
}
for my $n (0, 16, 20, 24, 28, 32)
{
	my @at = map { 7 * $_ % 1000 } 1 .. $n;
	check_share("dp_median of $n rows", { epsilon => 1 }, "SELECT (dp_median(x, 0, 1000) IS NULL)::int FROM crowd WHERE id <= $n", none(0.5, 1, @at));
	check_share("dp_quantile of 0.9 of $n rows", { epsilon => 1 },
		"SELECT (dp_quantile(x, 0.9, 0, 1000) IS NULL)::int FROM crowd WHERE id <= $n", none(0.9, 1, @at));
	$server->reset;
}
for my $n (0, 40, 50, 60)
{
	my @at = map { 7 * $_ % 1000 } 1 .. $n;
	check_share("dp_max of $n rows", { epsilon => 1 }, "SELECT (dp_max(x, 0, 1000) IS NULL)::int FROM crowd WHERE id <= $n", none(1, 1, @at));
	check_share("dp_min of $n rows", { epsilon => 1 }, "SELECT (dp_min(x, 0, 1000) IS NULL)::int FROM crowd WHERE id <= $n", none(0, 1, @at));
	$server->reset;
}

# Whatever rows there are, at most one extreme in 1,000 is beyond them.
$server->admin(<<'SQL');
CREATE TABLE alike (id int PRIMARY KEY, x int);
INSERT INTO alike SELECT n, 10 FROM generate_series(1, 200) n;
SELECT dp_agg.protect('alike', 'id');
SQL
for my $rows (1, 20, 26, 32, 40, 60, 200)
{
	for my $aggregate ('dp_max(x, 0, 20)', 'dp_min(x, 0, 20)')
	{
		my $beyond = $aggregate =~ /max/ ? '> 10' : '< 10';
		my ($draws) = $server->draws({ epsilon => 1 }, DRAWS, undef,
			"SELECT coalesce(($aggregate $beyond)::int, 2) FROM alike WHERE id <= $rows");
		my ($low) = binomial_interval(scalar(grep { $_ == 1 } @$draws), scalar @$draws, ALPHA);
		cmp_ok($low, '<=', 0.001, sprintf '%s of %d rows: %.2f %% beyond them, %.1f %% NULL', $aggregate, $rows,
			100 * (grep { $_ == 1 } @$draws) / @$draws, 100 * (grep { $_ == 2 } @$draws) / @$draws);
	}
	$server->reset;
}

# Intervals between neighbours.
for my $case ([ 60, 0.2, 0.8 ], [ 200, 0.4, 0.6 ], [ 400, 0.45, 0.55 ])
{
	my ($n, $below, $above) = @$case;
	my $truth = $server->admin("SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM crowd WHERE id <= $n");
	my $interval = 'dp_interval(dp_median(x, 0, 1000), 0.9)';
	my ($draws) = $server->draws({ epsilon => 1 }, 3000, undef,
		"SELECT CASE WHEN $interval IS NULL THEN -1 WHEN NOT $interval @> ${truth}::numeric THEN 0 " .
		  "WHEN $interval = numrange(0, 1000, '[]') THEN 1 ELSE 2 END FROM crowd WHERE id <= $n " .
		  "HAVING dp_count(*) IS NOT NULL AND dp_quantile(x, $below, 0, 1000) < dp_quantile(x, $above, 0, 1000) IS NOT NULL");
	my @answered = grep { $_ >= 0 } @$draws;
	my $held = grep { $_ > 0 } @answered;
	my (undef, $high) = binomial_interval($held, scalar @answered, ALPHA);
	cmp_ok($high, '>=', 0.9, sprintf 'dp_interval of a median of %d rows between fractions %g and %g: %.1f %% hold the truth, %.1f %% tell more than the bounds',
		$n, $below, $above, 100 * $held / @answered, 100 * (grep { $_ == 2 } @answered) / @answered);
}
$server->finish;
done_testing();
