#!/usr/bin/perl
# How many private groups would be shown if units in few groups weighed more?
#
# Today a group is shown by its number of units, to which each unit adds one in max_groups groups at most.  Here
# the same units are weighed in other ways, at the same loss and delta, and the groups that each way shows are
# counted, in expectation over the noise: no noise is drawn, and no server is asked.
#
#	today		one for each unit and group, max_groups as declared
#	fewer		the same with the best max_groups up to that, a power of two: nobody can choose better
#	             (dp_agg.clipping = auto chooses it with noise, and its noise is 1.033 times as much, as here)
#	by degree	1/sqrt(d) for a unit in d groups, with Gaussian noise; 1/d with Laplace noise
#	MAD		after Chen, Cohen-Addad, Epasto, Zadimoghaddam (ICML 2025), in one round: what groups weigh beyond tau,
#				which are sure to be shown, goes back to their units and to all of their groups
#	MAD2R		in two rounds: a tenth of the loss and half of delta find groups, which the rest leaves alone
#
# Of MAD the best of several tau and most degrees is taken, of MAD2R the same, as if these were known.
# "beside" is each way where the weight takes half of the loss, as where the count of units is an answer too:
# today that count decides, and costs nothing more.
#
# That a unit changes the weights by one at most is tried first, with thousands of small tables: see doc/accuracy.md.
#
# usage: partitions.pl [pattern]		tables that match alone
use strict;
use warnings;

use List::Util qw(max min sum0 shuffle);
use POSIX qw(ceil erfc floor);

# DISCOUNT: with less than 1.547 a unit may change weights by more than one.
use constant { DISCOUNT => 1.55, DELTA => 1e-10, PARTED_SIGMA => 1.0328, ROUNDS => 2, PI => 4 * atan2(1, 1) };

srand(51);
$| = 1;

# Tables of test/bench/defaults.pl, and some with heavy tails: units, groups of a row (by n, row j and two even
# numbers), rows of a unit, max_groups.
my @zipf = (0);
push @zipf, $zipf[-1] + 1 / @zipf for 1 .. 20_000;

sub zipf
{
	my ($low, $high, $at) = (0, $#zipf, rand() * $zipf[-1]);
	while ($high - $low > 1)
	{
		my $middle = int(($low + $high) / 2);
		if ($zipf[$middle] <= $at) { $low = $middle }
		else { $high = $middle }
	}
	return $high;
}
my @tables = (
	[ 'demo', 2000, 2, sub { 1 + $_[0] * 7 % 12 }, sub { 1 + ($_[0] + ($_[1] % 5 == 0 ? 1 : 0)) % 5 } ],
	[ 'one row', 4000, 1, sub { 1 }, sub { 1 + floor(20 * rand()**3) } ],
	[ 'few rows', 40, 3, sub { 1 + $_[0] % 8 }, sub { 1 + ($_[0] + $_[1] % 2) % 3 } ],
	[ 'heavy tail', 1000, 6, sub { min(ceil(2 * (1 - ($_[0] - 0.5) / 1000)**(-1 / 1.5)), 200) }, sub { 1 + floor(6 * rand()) } ],
	[ 'sparse groups', 2000, 3, sub { 1 + $_[0] % 3 }, sub { min(300, ceil(1 / (rand() + 0.001))) } ],
	[ 'dense groups', 600, 8, sub { 8 }, sub { $_[1] } ],
	[ 'money', 1500, 5, sub { 1 + floor(13 * rand()**4) }, sub { 1 + floor(5 * rand()) } ],
	[ 'ages', 3000, 1, sub { 1 }, sub { 1 + $_[0] % 10 } ],
	[ 'shops, 1 to 10 each', 5000, 10, sub { 1 + int(10 * rand()) }, \&zipf ],
	[ 'words, a heavy tail', 5000, 64, sub { min(64, ceil(2 * (1 - rand())**(-1 / 1.2))) }, \&zipf ],
	[ 'one, or 32', 5000, 32, sub { rand() < 0.1 ? 32 : 1 }, \&zipf ],
	[ '10 for all', 5000, 10, sub { 10 }, \&zipf ]);

# Groups of each unit: those of its rows, at most so many, any of them alike.
sub make_units
{
	my ($units, $most, $rows, $group) = @_;
	my @unit;
	for my $n (1 .. $units)
	{
		my %in = map { $group->($n, $_) => 1 } 1 .. $rows->($n);
		push @unit, [ bounded($most, sort { $a <=> $b } keys %in) ];
	}
	return \@unit;
}

sub bounded
{
	my ($most, @groups) = @_;
	return @groups if @groups <= $most;
	my @some = shuffle(@groups);
	return @some[ 0 .. $most - 1 ];
}

# Standard normal tail, and what it is beyond.
sub tail { return erfc($_[0] / sqrt(2)) / 2 }

sub quantile
{
	my ($low, $high) = (0, 38);
	for (1 .. 60)
	{
		my $middle = ($low + $high) / 2;
		if (tail($middle) > $_[0]) { $low = $middle }
		else { $high = $middle }
	}
	return $high;
}

# Sigma for a sensitivity of one, by the analytic formula.
sub sigma
{
	my ($epsilon) = @_;
	my ($low, $high) = (1e-3, 1e4);
	for (1 .. 100)
	{
		my $sigma = sqrt($low * $high);
		my $delta = tail($epsilon * $sigma - 0.5 / $sigma) - exp($epsilon) * tail($epsilon * $sigma + 0.5 / $sigma);
		if ($delta > DELTA) { $low = $sigma }
		else { $high = $sigma }
	}
	return $high;
}

# Noise: its tail, and the quantile of a tail.  Laplace noise of scale b has 1/2 exp(-x/b).
sub gaussian
{
	my ($sigma) = @_;
	return { tail => sub { tail($_[0] / $sigma) }, reach => sub { $sigma * quantile($_[0]) } };
}

sub laplace
{
	my ($b) = @_;
	return { tail => sub { $_[0] > 0 ? exp(-$_[0] / $b) / 2 : 1 - exp($_[0] / $b) / 2 }, reach => sub { -$b * log(2 * $_[0]) } };
}

# The threshold where a unit alone makes t <= most groups exist, each of weight most_of(t) at most.
sub threshold
{
	my ($noise, $most, $weight_of, $delta) = @_;
	return max(map { $weight_of->($_) + $noise->{reach}->(-POSIX::expm1(POSIX::log1p(-$delta) / $_)) } 1 .. $most);
}

# Groups shown, of these weights.
sub shown
{
	my ($weights, $noise, $threshold) = @_;
	return sum0(map { $noise->{tail}->($threshold - $_) } values %$weights);
}

sub weigh
{
	my ($unit, $weight_of) = @_;
	my %weight;
	for my $groups (@$unit)
	{
		$weight{$_} += $weight_of->(scalar @$groups) for @$groups;
	}
	return \%weight;
}

# Today: a noise whose scale is that of one group by factor_of(max_groups).
sub today
{
	my ($unit, $most, $noise_of) = @_;
	my @bounded = map { [ bounded($most, @$_) ] } @$unit;
	my $noise = $noise_of->($most);
	return shown(weigh(\@bounded, sub { 1 }), $noise, threshold($noise, $most, sub { 1 }, DELTA));
}

sub fewer
{
	my ($unit, $most, $noise_of) = @_;
	my @powers = grep { $_ < $most } map { 2**$_ } 0 .. 10;
	return max(today($unit, $most, $noise_of), map { my $m = $_; today($unit, $m, sub { $noise_of->($_[0], PARTED_SIGMA) }) } @powers);
}

sub by_degree
{
	my ($unit, $most, $noise, $weight_of) = @_;
	return shown(weigh($unit, $weight_of), $noise, threshold($noise, $most, $weight_of, DELTA));
}

# The weights of MAD, in which each unit's change has an L2 norm of at most one: see doc/accuracy.md.
sub mad_weights
{
	my ($unit, $tau, $degree) = @_;
	my @adaptive = grep { @$_ > 0 && @$_ <= $degree } @$unit;
	my $first = weigh(\@adaptive, sub { 1 / $_[0] });
	my %excess = map { $_ => max(0, ($first->{$_} - $tau) / $first->{$_}) } keys %$first;
	my $weight = weigh($unit, sub { 1 / sqrt($_[0]) - ($_[0] <= $degree ? 1 / $_[0] : 0) });
	$weight->{$_} += min($first->{$_}, $tau) for keys %$first;
	for my $groups (@adaptive)
	{
		my $back = sum0(map { $excess{$_} } @$groups) / @$groups / DISCOUNT / $degree;
		next if $back == 0;
		$weight->{$_} += $back for @$groups;
	}
	return $weight;
}

sub mad
{
	my ($unit, $most, $noise, $sigma, $delta) = @_;
	my $threshold = threshold($noise, $most, sub { 1 / sqrt($_[0]) }, $delta);
	my $best = 0;
	for my $degree (grep { $_ <= max($most, 4) } 4, 16, 64)
	{
		$best = max($best, map { shown(mad_weights($unit, $threshold + $_ * $sigma, $degree), $noise, $threshold) } 1, 4);
	}
	return max($best, shown(weigh($unit, sub { 1 / sqrt($_[0]) }), $noise, $threshold));
}

# MAD in two rounds: groups shown in the first are left alone in the second.
sub mad2
{
	my ($unit, $most, $sigma) = @_;
	my ($first, $second) = (gaussian($sigma / sqrt(0.1)), gaussian($sigma / sqrt(0.9)));
	my $weight = weigh($unit, sub { 1 / sqrt($_[0]) });
	my $threshold = threshold($first, $most, sub { 1 / sqrt($_[0]) }, DELTA / 2);
	my $sum = 0;
	for (1 .. ROUNDS)
	{
		my %found = map { $_ => 1 } grep { rand() < $first->{tail}->($threshold - $weight->{$_}) } sort { $a <=> $b } keys %$weight;
		my @left = map { [ grep { !$found{$_} } @$_ ] } @$unit;
		$sum += keys(%found) + mad(\@left, $most, $second, $sigma / sqrt(0.9), DELTA / 2);
	}
	return $sum / ROUNDS;
}

sub line
{
	my ($name, $epsilon, $today, @others) = @_;
	printf "| %s | %g | %.1f | %s |\n", $name, $epsilon, $today, join ' | ', map { sprintf '%.1f (%.2f)', $_, $_ / max($today, 1e-9) } @others;
	return;
}

# Equal loss: of Gaussian noise, what counts is sensitivity over sigma.
sub with_gaussian
{
	my ($name, $unit, $most, $epsilon) = @_;
	my $sigma = sigma($epsilon);
	my $noise_of = sub { gaussian($sigma * sqrt($_[0]) * ($_[1] // 1)) };
	my ($noise, $half) = (gaussian($sigma), gaussian($sigma * sqrt(2)));
	my $root = sub { 1 / sqrt($_[0]) };
	line($name, $epsilon, today($unit, $most, $noise_of), fewer($unit, $most, $noise_of),
		by_degree($unit, $most, $noise, $root), mad($unit, $most, $noise, $sigma, DELTA), $most > 1 ? mad2($unit, $most, $sigma) : 'NaN',
		by_degree($unit, $most, $half, $root), mad($unit, $most, $half, $sigma * sqrt(2), DELTA));
	return;
}

sub with_laplace
{
	my ($name, $unit, $most, $epsilon) = @_;
	my $noise_of = sub { laplace($_[0] / $epsilon * ($_[1] // 1)) };
	my $part = sub { 1 / $_[0] };
	line($name, $epsilon, today($unit, $most, $noise_of), fewer($unit, $most, $noise_of),
		by_degree($unit, $most, laplace(1 / $epsilon), $part), by_degree($unit, $most, laplace(2 / $epsilon), $part));
	return;
}

# One small table, and the same with a unit more, some of whose groups nobody else is in.
sub check_pair
{
	my $degree = 1 + int(rand(5));
	my $tau = rand(3);
	my @unit = map { [ bounded(1 + int(rand(7)), 1 .. 7) ] } 1 .. 1 + int(rand(12));
	my %before = %{ mad_weights(\@unit, $tau, $degree) };
	my $t = int(rand(4));
	my @more = (bounded(int(rand(7)) + ($t == 0), 1 .. 7), map { 100 + $_ } 1 .. $t);
	my %after = %{ mad_weights([ @unit, \@more ], $tau, $degree) };
	my $change = sqrt(sum0(map { ($after{$_} - ($before{$_} // 0))**2 } keys %after));
	die sprintf("a unit changes weights by %.6f: tau %g, degree %d\n", $change, $tau, $degree) if $change > 1 + 1e-9;
	my $most = max(0, @after{ grep { $_ > 100 } @more });
	die sprintf("a group of one unit weighs %.6f, which has %d such: tau %g, degree %d\n", $most, $t, $tau, $degree) if $t > 0 && $most > 1 / sqrt($t) + 1e-9;
	return $change;
}
printf "in 20,000 small tables a unit changes weights by %.4f at most\n\n", max(map { check_pair() } 1 .. 20_000);

my %unit;
for my $table (@tables)
{
	my ($name, $units, $most, $rows, $group) = @$table;
	$unit{$name} = make_units($units, $most, $rows, $group);
	my %all = map { $_ => 1 } map { @$_ } @{ $unit{$name} };
	printf "%s: %d units, max_groups %d, %.2f groups a unit, %d groups\n", $name, $units, $most, sum0(map { scalar @$_ } @{ $unit{$name} }) / $units, scalar keys %all;
}
@tables = grep { @ARGV == 0 || $_->[0] =~ $ARGV[0] } @tables;
print "\nGaussian noise\n| table | epsilon | today | fewer | by degree | MAD | MAD2R | by degree, beside | MAD, beside |\n";
for my $table (@tables)
{
	with_gaussian($table->[0], $unit{ $table->[0] }, $table->[2], $_) for 0.5, 2;
}
print "\nLaplace noise\n| table | epsilon | today | fewer | by degree | by degree, beside |\n";
for my $table (@tables)
{
	with_laplace($table->[0], $unit{ $table->[0] }, $table->[2], $_) for 0.5, 2;
}
