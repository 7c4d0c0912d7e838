# Selections and trees are as good as theory says: 1,000 runs of each on skewed
# data, beside the exact law.
#
# Candidates have counts that fall like 1/rank, as sizes of cities do.  By the
# exact law of permute and flip (its coins, candidate by candidate), and that of
# Gumbel noise (weights), the probability of the best and the mean number of
# rows that the chosen one is behind follow; above a threshold, the probability of each outcome; of a
# tree, the variance of a range, from its least-squares weights.
#
# False failures: a frequency is held against Clopper and Pearson's interval, a
# mean of values in [0, m] against Hoeffding's bound, a standard deviation against
# a range of 20 %, which for 1,000 sums of many Laplace terms (kurtosis at most 6) is
# 6.3 standard errors, sqrt(5/1000)/2 each.  Below 1e-9 in all.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max sum0);
use Test::More;

use DpBounds qw(binomial_interval flip_law gumbel_law);
use DpServer;

use constant { RUNS => 1_000, ALPHA => 4e-11 };

my $server = DpServer->new('selections');

# 40 candidates; the first has 400 rows.  Incomes of 4,096 people.
my @count = map { int(400 / $_) } 1 .. 40;
my $counts = join ',', @count;
$server->admin(<<"SQL");
CREATE TABLE cities (id int PRIMARY KEY, city int);
INSERT INTO cities SELECT row_number() OVER (), c FROM unnest(ARRAY[$counts]) WITH ORDINALITY u (n, c), generate_series(1, n);
SELECT dp_agg.protect('cities', 'id');
CREATE TABLE incomes (id int PRIMARY KEY, income int);
INSERT INTO incomes SELECT n, n * 7 % 4096 FROM generate_series(0, 4095) n;
SELECT dp_agg.protect('incomes', 'id');
SQL

my %law = (laplace => \&flip_law, gaussian => \&gumbel_law);

# P[position i], 0-based, the last being none, of the first above.
sub first_law
{
	my ($rate, $threshold, @score) = @_;
	my @law = map { 0 } 0 .. @score;
	for my $y (0 .. int(40 / $rate))
	{
		my $reached = exp(-$y * $rate) * (1 - exp(-$rate));
		for my $i (0 .. $#score)
		{
			my $gap = $threshold + $y - $score[$i];
			my $above = $gap <= 0 ? 1 : exp(-$gap * $rate);
			$law[$i] += $reached * $above;
			$reached *= 1 - $above;
		}
		$law[-1] += $reached;
	}
	return @law;
}

sub draw
{
	my ($settings, $query) = @_;
	my ($draws) = $server->draws($settings, RUNS, 10, $query);
	return @$draws;
}

# Does an event have this probability?
sub frequent
{
	my ($name, $probability, @hits) = @_;
	my ($low, $high) = binomial_interval(scalar(@hits), RUNS, ALPHA);
	ok($low <= $probability && $probability <= $high,
		sprintf '%s: %.3f of the runs, %.3f in theory', $name, @hits / RUNS, $probability);
	return;
}

# Is this the mean of values from 0 to most?
sub mean_is
{
	my ($name, $mean, $most, @values) = @_;
	my $seen = sum0(@values) / @values;
	my $reach = $most * sqrt(log(2 / ALPHA) / 2 / @values);
	ok(abs($seen - $mean) <= $reach, sprintf '%s: %.1f rows behind, %.1f in theory', $name, $seen, $mean);
	return;
}

# Are answers off by no more than is said, in 95 % of the runs?
sub within
{
	my ($name, $query, $settings, @off) = @_;
	my ($line) = $server->price($query, $settings);
	my $hits = grep { $_ <= $line->{half_width_95} } @off;
	my (undef, $high) = binomial_interval($hits, scalar @off, ALPHA);
	cmp_ok($high, '>=', 0.95, sprintf '%s: %.1f %% are within half_width_95, %.1f rows', $name, 100 * $hits / @off,
		$line->{half_width_95});
	return;
}

for ([ laplace => 0.02 ], [ laplace => 0.1 ], [ gaussian => 0.02 ], [ gaussian => 0.04 ])
{
	my ($mechanism, $epsilon) = @$_;
	my $settings = { mechanism => $mechanism, epsilon => $epsilon };
	my @law = $law{$mechanism}->($epsilon, @count);
	my $name = "greatest at epsilon $epsilon, $mechanism";
	my $query = q{SELECT candidate FROM dp_noisy_max('cities', 'city', (ARRAY[} . join(',', 1 .. 40) . ']))';
	my @chosen = draw($settings, $query);
	within($name, $query, $settings, map { 400 - $count[ $_ - 1 ] } @chosen);
	frequent($name, $law[0], grep { $_ == 1 } @chosen);
	mean_is($name, sum0(map { $law[$_] * (400 - $count[$_]) } 0 .. $#law), 400,
		map { 400 - $count[ $_ - 1 ] } @chosen);
}

# Three ranks by noise on every count: how far any of them trails the best one not named before.
sub trailing
{
	my ($answer) = @_;
	my %left = map { $_ => $count[ $_ - 1 ] } 1 .. 40;
	my $most = 0;
	for my $named ($answer % 100, int($answer / 100) % 100, int($answer / 10_000))
	{
		$most = max($most, max(values %left) - $left{$named});
		delete $left{$named};
	}
	return $most;
}
for ([ laplace => 0.02 ], [ laplace => 0.5 ], [ gaussian => 0.2 ])
{
	my ($mechanism, $epsilon) = @$_;
	my $settings = { mechanism => $mechanism, epsilon => $epsilon };
	my $query = q{SELECT * FROM dp_noisy_max('cities', 'city', (ARRAY[} . join(',', 1 .. 40) . ']), 3)';
	my @chosen = draw($settings, "SELECT sum(candidate * (100 ^ (rank - 1))::int) FROM ($query) r");
	within("three ranks at epsilon $epsilon, noisy counts, $mechanism", $query, $settings, map { trailing($_) } @chosen);
}

# At the same price: of pure epsilons permute and flip errs less, of curves the other. What the
# exponential mechanism costs at 1.9 epsilon, permute and flip costs at epsilon, or more.
for my $epsilon (0.005, 0.01, 0.02)
{
	my ($flip, $same, $sharp) = map {
		my @law = @$_;
		sum0(map { $law[$_] * (400 - $count[$_]) } 0 .. $#law)
	} [ flip_law($epsilon, @count) ], [ gumbel_law($epsilon, @count) ], [ gumbel_law(1.9 * $epsilon, @count) ];
	ok($flip < $same, sprintf 'epsilon %g: %.1f rows behind by permute and flip, %.1f by the other', $epsilon, $flip, $same);
	ok($sharp < $flip / 1.2, sprintf 'epsilon %g: %.1f rows behind at 1.9 times the epsilon, which costs less', $epsilon, $sharp);
}
is($server->admin(<<'SQL'), 't', 'it does, at orders that matter');
SELECT bool_and(dp_accountant.rdp_exponential(a, 1.9 * e) < dp_accountant.rdp_discrete_laplace(a, 1 / e, 1))
FROM unnest(ARRAY[0.005, 0.01, 0.02]) e, unnest(ARRAY[1.1, 2, 10, 20]) a
SQL

# Private: "none" at the threshold that EXPLAIN shows takes part.
for my $mechanism (sort keys %law)
{
	my $settings = { mechanism => $mechanism, epsilon => 0.05 };
	my $query = q{SELECT candidate FROM dp_top('cities', 'city', 1)};
	my $none = $server->threshold($query, $settings);
	my @law = $law{$mechanism}->(0.05, @count, $none);
	my @chosen = draw($settings, "SELECT coalesce(($query)::int, 0)");
	frequent("greatest of private ones, $mechanism", $law[0], grep { $_ == 1 } @chosen);
	frequent("none of the private ones, $mechanism", $law[-1], grep { $_ == 0 } @chosen);
}

{
	my @score = (100, 133, 200, 400);
	my @law = first_law(0.02 / 2, 200, @score);
	my $query = q{SELECT coalesce("position", 5) FROM dp_above_threshold('cities',
		ARRAY['city = 4', 'city = 3', 'city = 2', 'city = 1'], 200)};
	my @position = draw({ epsilon => 0.02 }, $query);

	# By how much the one named is below the threshold, or one before it above.
	within('first above', $query, { epsilon => 0.02 }, map { max(map({ $_ - 200 } @score[ 0 .. $_ - 2 ]), $_ < 5 ? 200 - $score[ $_ - 1 ] : 0) } @position);
	for my $i (0 .. 4)
	{
		frequent('first above: ' . ($i < 4 ? $score[$i] : 'none'), $law[$i], grep { $_ == $i + 1 } @position);
	}
}

# A range of 512 of 1,024 bins, from a flat histogram and from a tree: what each of
# the tree's nodes adds to it is what least squares make of that node alone.
my $range = 'BETWEEN 129 AND 640';
my %noise;
for my $function ('dp_histogram', 'dp_cumulative')
{
	my $call = "$function('incomes', 'income', 0, 4096, 1024)";
	my ($line) = $server->price("SELECT * FROM $call", { epsilon => 1 });
	$noise{$function} = $line->{noise_stddev} * sqrt(512);
	$noise{$function} = $line->{noise_stddev} * $server->admin(<<"SQL") if $function eq 'dp_cumulative';
SELECT sqrt(sum(w * w)) FROM generate_series(1, 1230) i, LATERAL (SELECT sum(c) / 1e9 AS w
	FROM unnest(dp_agg_internal.consistent_counts(array_fill(0::bigint, ARRAY[i - 1]) || 1000000000::bigint ||
		array_fill(0::bigint, ARRAY[1230 - i]), 1024, 6)) WITH ORDINALITY u (c, n) WHERE n $range) x
SQL
	my @off = map { $_ - 2048 } draw({ epsilon => 1 }, "SELECT sum(count) FROM $call WHERE bin $range");
	my $deviation = sqrt(sum0(map { $_**2 } @off) / @off);
	ok(abs($deviation / $noise{$function} - 1) < 0.2,
		sprintf '%s: a range is off by %.1f rows, %.1f in theory', $function, $deviation, $noise{$function});
}
cmp_ok($noise{dp_cumulative}, '<', $noise{dp_histogram} * 0.7, 'a tree is better');

$server->finish;
done_testing();
