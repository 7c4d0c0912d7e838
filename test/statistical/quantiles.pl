# Quantiles: are they drawn by the law that is claimed, is the loss what the
# price says, and are ranks as near as stated?
#
# The law is computed here from the rows: a point is drawn with a probability
# proportional to exp(-d / scale), where d is the distance of the rank asked for
# from the ranks the point holds, and scale = 2 max(q, 1 - q) max_rows
# max_groups / epsilon.  "None", which is NULL, is drawn with one that is 100 times that of all points
# together where there are no rows, and for each row falls by as much as any can.
# What is constant in scores is rounded up to 2^-10 rows, or to less where fractions have more digits.
#
# Neighbours are two tables that differ by all rows of one person, laid out for
# the worst case: most of the weight lies on points that the person's rows make
# worse, and the event is the one point that they make better.  Clopper and
# Pearson bound both probabilities; P1 <= exp(epsilon) P0 must be possible, and
# with half the epsilon it must be refuted, or the case could not fail.  The
# draws must also fit the law: chi-square with at least 60 expected draws in a
# bin, against a tail of 1e-12.
#
# False failures: intervals at 1e-12 each side and fits at 1e-12, fewer than 100
# of them in all: below 1e-9.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use POSIX qw(ceil);
use Test::More;

use DpBounds qw(binomial_interval chi_square_tail);
use DpServer;

use constant ALPHA => 1e-12;

my $server = DpServer->new('quantiles');

# The probability of each point, and that of none, from the weight of rows at each point.  For
# fractions 0 and 1 the rank asked for lies scale * ln(1000 points) inside, rounded up
# to 2^-10 rows, but no further than half of the rows; and none is as much more likely as
# keeps points beyond all rows below a thousandth.
sub law
{
	my ($rows, $fraction, $scale) = @_;
	my $total = sum0(@$rows);
	my $extreme = $fraction == 0 || $fraction == 1;
	my $up = sub { ceil($scale * log($_[0] * @$rows) * 1024) / 1024 };
	my $inside = $extreme ? min($up->(1000), $total / 2) : 0;
	my $target = $fraction * $total + ($fraction == 0 ? $inside : -$inside);
	my $advantage = $extreme ? 2 * $up->(500) : $up->(100);
	my $below = 0;
	my @distance;
	for my $weight (@$rows)
	{
		push @distance, max(0, $below - $target, $target - $below - $weight);
		$below += $weight;
	}
	push @distance, max($fraction, 1 - $fraction) * $total - $advantage;
	my $least = min(@distance);
	my @odds = map { exp(($least - $_) / $scale) } @distance;
	my $all = sum0(@odds);
	return map { $_ / $all } @odds;
}

# Every table of up to three rows at each of four points, and every row that one
# more person could have: how far apart the logarithms of two probabilities move,
# and the Renyi divergence of order 2 either way.
sub check_theory
{
	my ($fraction) = @_;
	my $epsilon = 1.5;
	my $scale = 2 * max($fraction, 1 - $fraction) / $epsilon;
	my ($range, $renyi) = (0, 0);
	for my $table (0 .. 255)
	{
		my @rows = map { ($table >> 2 * $_) & 3 } 0 .. 3;
		my @before = law(\@rows, $fraction, $scale);
		for my $at (0 .. 3)
		{
			my @after = law([ map { $rows[$_] + ($_ == $at) } 0 .. 3 ], $fraction, $scale);
			my @moved = map { log($after[$_] / $before[$_]) } 0 .. 4;
			$range = max($range, max(@moved) - min(@moved));
			$renyi = max($renyi, log(sum0(map { $after[$_]**2 / $before[$_] } 0 .. 4)),
				log(sum0(map { $before[$_]**2 / $after[$_] } 0 .. 4)));
		}
	}
	my $charged = $server->admin("SELECT dp_accountant.rdp_exponential(2, $epsilon)");
	cmp_ok($range, '<=', $epsilon + 1e-9, sprintf 'fraction %g: range %.3f of %g', $fraction, $range, $epsilon);
	cmp_ok($renyi, '<=', $charged, sprintf 'fraction %g: divergence %.4f of %.4f', $fraction, $renyi, $charged);
	return;
}

check_theory($_) for 0, 0.1, 0.5, 0.9, 1;

# The probability of a fit this bad of draws (numbers of points, the next one for none) to a law:
# points are put together until enough draws are expected of them.
sub fit
{
	my ($draws, @law) = @_;
	my @seen = (0) x @law;
	$seen[$_]++ for @$draws;
	my ($expected, $observed, $statistic, $bins) = (0, 0, 0, 0);
	my $left = @$draws;
	for my $i (0 .. $#law)
	{
		$expected += $law[$i] * @$draws;
		$observed += $seen[$i];
		$left -= $law[$i] * @$draws;
		next if $expected < 60 || ($left < 60 && $i < $#law);
		$statistic += ($observed - $expected)**2 / $expected;
		$bins++;
		($expected, $observed) = (0, 0);
	}
	return chi_square_tail($statistic, $bins - 1);
}

# Without the person: `low` people at 0, one at TOP - 1 and `high` at TOP; the
# person is at TOP, fifty times where people have two rows each.
sub neighbours
{
	my ($table, $low, $high, $top) = @_;
	my $people = "SELECT n, CASE WHEN n <= $low THEN 0 WHEN n = $low + 1 THEN $top - 1 ELSE $top END
		FROM generate_series(1, $low + 1 + $high) n";
	for my $i (0, 1)
	{
		$server->admin(<<"SQL");
CREATE TABLE one_$table$i (id int PRIMARY KEY, x int);
INSERT INTO one_$table$i $people;
SELECT dp_agg.protect('one_$table$i', 'id');
CREATE TABLE two_$table$i (who int, b bool NOT NULL, x int);
INSERT INTO two_$table$i SELECT id, false, x FROM one_$table$i, generate_series(1, 2);
INSERT INTO two_$table$i SELECT who, true, x FROM two_$table$i;
SELECT dp_agg.protect('two_$table$i', 'who', max_rows => 2, max_groups => 2);
SQL
	}
	$server->admin(<<"SQL");
INSERT INTO one_${table}1 VALUES (0, $top);
INSERT INTO two_${table}1 SELECT 0, b, 10 * $top FROM generate_series(1, 50), (VALUES (false), (true)) v (b);
SQL
	return;
}

# name, aggregate of x, fraction, epsilon, people at 0, people at the top, top, draws: with
# so many, half the loss is refuted even by counts 6.5 standard deviations off
my @cases = (
	[ 'median', 'dp_median(x, 0, %d)', 0.5, 3, 12, 12, 31, 16_000 ],
	[ 'quantile', 'dp_quantile(x, 0.9, 0, %d)', 0.9, 4, 13, 1, 31, 40_000 ],
	[ 'max', 'dp_max(x, 0, %d)', 1, 4, 12, 4, 15, 16_000 ],
	[ 'min', '-dp_min(-x, -%d, 0)', 1, 4, 12, 4, 15, 16_000 ]);

# Draws of both neighbours, against law and price.
sub check_neighbours
{
	my ($name, $case, $table, $where) = @_;
	my (undef, $aggregate, $fraction, $epsilon, $low, $high, $top, $n) = @$case;
	my $width = 2 * max($fraction, 1 - $fraction) / $epsilon;
	my @queries = map { sprintf("SELECT coalesce($aggregate, %d) FROM $table$_ $where", $top, $top + 1) } 0, 1;
	my @draws = $server->draws({ epsilon => $epsilon }, $n, undef, @queries);
	my @interval;
	for my $i (0, 1)
	{
		my @law = law([ $low, (0) x ($top - 2), 1, $high + $i ], $fraction, $width);
		my $seen = grep { $_ == $top } @{ $draws[$i] };
		cmp_ok(fit($draws[$i], @law), '>=', ALPHA, "$name: table $i follows the law");
		push @interval, [ binomial_interval($seen, scalar @{ $draws[$i] }, ALPHA) ];
	}
	my ($without, $with) = @interval;
	cmp_ok($with->[0], '<=', exp($epsilon) * $without->[1], "$name: the loss is as claimed");
	cmp_ok($with->[0], '>', exp($epsilon / 2) * $without->[1],
		sprintf '%s: half the loss is refuted, %.4f to %.4f', $name, $without->[1], $with->[0]);
	return;
}

for my $case (@cases)
{
	my ($name, undef, undef, undef, $low, $high, $top) = @$case;
	neighbours($name, $low, $high, $top);
	check_neighbours("$name, a row each", $case, "one_$name", '');

	# Weight two and scale two: the same law.
	check_neighbours("$name, several rows each", $case, "two_$name", 'WHERE b');
}

# Where there are hardly any rows, the worst case is that of none: one person's row at 0 and
# another's at the top, so that the points between get better and none gets worse.
for my $i (0, 1)
{
	$server->admin(<<"SQL");
CREATE TABLE few$i (id int PRIMARY KEY, x int);
INSERT INTO few$i SELECT n, 31 * n FROM generate_series(0, $i) n;
SELECT dp_agg.protect('few$i', 'id');
SQL
}
my @few = $server->draws({ epsilon => 4 }, 60_000, undef, map { "SELECT coalesce(dp_median(x, 0, 31), 32) FROM few$_" } 0, 1);
my ($one, $both) = map {
	cmp_ok(fit($few[$_], law([ 1, (0) x 30, $_ ], 0.5, 0.25)), '>=', ALPHA, 'few rows: table ' . $_ . ' follows the law');
	[ binomial_interval(scalar(grep { $_ > 0 && $_ < 31 } @{ $few[$_] }), scalar @{ $few[$_] }, ALPHA) ];
} 0, 1;
cmp_ok($both->[0], '<=', exp(4) * $one->[1], 'few rows: the loss is as claimed');
cmp_ok($both->[0], '>', exp(2) * $one->[1], sprintf 'few rows: half the loss is refuted, %.5f to %.5f', $one->[1], $both->[0]);

# Two groups of each person: each is drawn with half the loss, and the pair
# loses all of it; the draws leave room as above.
my ($without, $with) = map {
	my $pair = 'SELECT count(*) FILTER (WHERE m = 31) FROM ' .
	  "(SELECT b, dp_median(x, 0, 31) AS m FROM two_median$_ GROUP BY b) g";
	my ($draws) = $server->draws({ epsilon => 6 }, 60_000, 8, $pair);
	[ binomial_interval(scalar(grep { $_ == 2 } @$draws), scalar @$draws, ALPHA) ];
} 0, 1;
cmp_ok($with->[0], '<=', exp(6) * $without->[1], 'two groups: the loss is as claimed');
cmp_ok($with->[0], '>', exp(3) * $without->[1],
	sprintf 'two groups: half the loss is refuted, %.5f to %.5f', $without->[1], $with->[0]);

# What neighbours' draws have cost.
$server->reset;
$server->draws({ epsilon => 3 }, 160, 16, 'SELECT dp_median(x, 0, 31) FROM one_median0');
my $spent = $server->spent;
cmp_ok(abs($spent->{pure} / (160 * 3) - 1), '<=', 1e-6, 'charged as priced');

# Real-looking incomes: log-logistic, in tens, of 20,000 people; points of 50.
$server->admin(<<'SQL');
CREATE TABLE incomes (id int PRIMARY KEY, income float8);
INSERT INTO incomes SELECT n, round((30000 * (u / (1 - u)) ^ 0.4)::numeric, -1)
	FROM (SELECT n, (n - 0.5) / 20000 AS u FROM generate_series(1, 20000) n) x;
SELECT dp_agg.protect('incomes', 'id');
SQL
my @rows = (0) x 10001;
$rows[ $_->[0] ] = $_->[1]
  for map { [ split /\|/ ] } split /\n/, $server->admin(
	'SELECT least(round(income / 50 - 1e-9), 10000), count(*) FROM incomes GROUP BY 1');
$server->reset;

# The distance of each point from a fraction's rank.
sub distances
{
	my ($fraction) = @_;
	my ($below, $rank) = (0, $fraction * sum0(@rows));
	my @off;
	for my $weight (@rows)
	{
		push @off, max(0, $below - $rank, $rank - $below - $weight);
		$below += $weight;
	}
	return @off;
}

# The distance that half of all draws do not exceed, and how many exactly.
sub middle
{
	my ($law, $off) = @_;
	my (%share, $sum);
	$share{ $off->[$_] } += $law->[$_] for 0 .. $#$off;
	for my $distance (sort { $a <=> $b } keys %share)
	{
		$sum += $share{$distance};
		return ($distance, $sum) if $sum >= 0.5;
	}
	return;
}

# A thousand draws: how far ranks are off, beside what theory says.
sub check_accuracy
{
	my ($epsilon, $fraction) = @_;
	my $name = "epsilon $epsilon, fraction $fraction";
	my $query = "SELECT dp_quantile(income, $fraction, 0, 500000, $epsilon, 50) FROM incomes";
	my @law = law(\@rows, $fraction, 2 * max($fraction, 1 - $fraction) / $epsilon);
	my @off = distances($fraction);
	my ($draws) = $server->draws({}, 1000, 20, $query);
	my @errors = map { $off[ $_ / 50 ] } @$draws;
	my ($price) = $server->price($query, {});
	note(sprintf '%s: ranks off by %.1f, %.1f in theory, 95 %% within %.1f', $name,
		sum0(@errors) / @errors, sum0(map { $law[$_] * $off[$_] } 0 .. $#off), $price->{half_width_95});

	my ($distance, $share) = middle(\@law, \@off);
	my ($low, $high) = binomial_interval(scalar(grep { $_ <= $distance + 1e-9 } @errors), 1000, ALPHA);
	ok($low <= $share && $share <= $high, "$name: half of all draws are as near as in theory");
	(undef, $high) = binomial_interval(scalar(grep { $_ <= $price->{half_width_95} } @errors), 1000, ALPHA);
	cmp_ok($high, '>=', 0.95, "$name: half_width_95 holds");
	return;
}

check_accuracy(@$_) for [ 0.1, 0.1 ], [ 0.1, 0.5 ], [ 0.1, 1 ], [ 1, 0 ], [ 1, 0.5 ], [ 1, 0.9 ];

# A million incomes, epsilon 0.1, no step asked for: 500 medians, of which a
# statement draws 20 from one summary, all within 0.2 % of the ranks.  With a
# probability of 0.99 or less for one that would happen with at most
# 0.99^500 = 0.7 %.  The points next to the median are 10 apart and hold 0.02 %;
# 0.15 % are 1,500 ranks, 150 times the scale: false failure 500 * 50,001 exp(-150).
$server->admin(<<'SQL');
CREATE TABLE million (id int PRIMARY KEY, income float8);
INSERT INTO million SELECT n, 30000 * (u / (1 - u)) ^ 0.4
	FROM (SELECT n, (n - 0.5)::float8 / 1e6 AS u FROM generate_series(1, 1000000) n) x;
SELECT dp_agg.protect('million', 'id');
SQL
my $medians = join ', ', map { sprintf 'dp_median(income, 0, 500000, %.12g)', 0.1 - $_ * 1e-9 } 1 .. 20;
$server->reset;
my @medians = map { @$_ } map { $server->ask("SELECT $medians FROM million") } 1 .. 25;
my @off = map {
	my $share = 1 / (1 + (30000 / $_)**2.5);
	abs($share - 0.5);
} @medians;
is(scalar @off, 500, 'a million incomes: 500 medians');
cmp_ok(max(@off), '<=', 0.002, sprintf 'all within 0.2 %% of the ranks, the farthest %.4f %%', 100 * max(@off));
$server->finish;
done_testing();
