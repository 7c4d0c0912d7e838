# The rule by which clamps and numbers of groups are chosen (src/aggregate/ladder_choice.c), written once
# more: what follows from noisy numbers of units on steps, and how likely each step is.
package DpChoice;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min sum0);
use POSIX qw(floor);

use DpBounds qw(discrete_laplace_cdf normal_cdf);

our @EXPORT_OK = qw(laplace discrete_laplace reach normal_reach three_steps laplace_law gaussian_law choose filled);

use constant { FIRST_ERROR => 0.05, FIRST_FACTOR => 0.45, ABOVE_ERROR => 0.008, ABOVE_FACTOR => 0.3 };

# Continuous Laplace noise, and that of whole numbers.
sub laplace
{
	my ($scale) = @_;
	return (rand() < 0.5 ? -1 : 1) * $scale * -log(1 - rand());
}

sub discrete_laplace
{
	my ($scale) = @_;
	return floor($scale * -log(1 - rand())) - floor($scale * -log(1 - rand()));
}

# The least whole number that noise of this scale exceeds with at most this probability, either way.
sub reach
{
	my ($scale, $probability) = @_;
	my $reach = max(0, floor($scale * log(0.5 / $probability)) - 2);
	$reach++ while 1 - discrete_laplace_cdf($reach, $scale) > $probability;
	return $reach;
}

# The same of a normal distribution.
sub normal_reach
{
	my ($sigma, $probability) = @_;
	my ($low, $high) = (0, 40);
	for (1 .. 100)
	{
		my $middle = ($low + $high) / 2;
		if (1 - normal_cdf($middle) > $probability) { $low = $middle }
		else { $high = $middle }
	}
	return $high * $sigma;
}

# How likely each of three steps is, if so many units are on them, of which so many are on the
# first that it is held for certain, and the noise of answers is so small that the last step held is taken.
# Given: how likely noise exceeds a number, and what it exceeds with a probability.
sub three_steps
{
	my ($exceeds, $exceeded, @units) = @_;
	my ($next, $after) = map { $exceeded->(ABOVE_ERROR * ABOVE_FACTOR**$_) } 0, 1;
	my $second = $exceeds->($next - $units[1]);
	my $third = $second * $exceeds->($next - $units[2]) + (1 - $second) * $exceeds->($after - $units[2]);
	my $second_alone = $second * (1 - $exceeds->($next - $units[2]));
	return (1 - $second_alone - $third, $second_alone, $third);
}

# With Laplace noise of this scale, or Gaussian noise of this standard deviation, on the numbers.
sub laplace_law
{
	my ($scale, @units) = @_;
	return three_steps(sub { 1 - discrete_laplace_cdf($_[0], $scale) }, sub { reach($scale, $_[0]) }, @units);
}

sub gaussian_law
{
	my ($sigma, @units) = @_;
	return three_steps(sub { 1 - normal_cdf($_[0] / $sigma) }, sub { normal_reach($sigma, $_[0]) }, @units);
}

# How many of so many groups matter, which have so much noise each, where units contribute so much to all.
sub filled
{
	my ($groups, $noise, $contributions) = @_;
	return sqrt($groups * max(1, min($groups, $contributions / 32 / $noise)));
}

# The step that is chosen by noisy numbers of units: given what their noise exceeds with a probability, as a
# function that remembers, and the noise of all answers together at each step, in least clamps.
my %needed;

sub choose
{
	my ($name, $exceeded, $noise, $noisy) = @_;
	my $held = -1;
	for my $i (0 .. $#$noisy)
	{
		my $probability = $held < 0 ? FIRST_ERROR * FIRST_FACTOR**$i : ABOVE_ERROR * ABOVE_FACTOR**($i - $held - 1);
		$held = $i if $noisy->[$i] > ($needed{"$name $probability"} //= $exceeded->($probability));
	}
	return 0 if $held < 0;
	my ($best, $least);
	for my $j (0 .. $held)
	{
		my $off = $noise->[$j] + sum0(map { max(0, $noisy->[$_]) * (0.75 * 2**$_ - 2**$j) } $j + 1 .. $held);
		($best, $least) = ($j, $off) if !defined $least || $off < $least;
	}
	return $best if $best < $held || $best < 2 || $noisy->[$best] <= 0;
	my @last = @$noisy[ $best - 2 .. $best ];
	my $tail = $last[1] > 0 ? $last[2] / $last[1] : 0.5;
	$tail = min($tail, sqrt($last[2] / $last[0])) if $last[0] > 0;
	$tail = min($tail, 0.5);
	my $expected = $tail * $last[2];
	while ($best < $#$noisy && $noisy->[ $best + 1 ] > 0.3 * $expected && 2**$best * $expected > 2.5 * ($noise->[ $best + 1 ] - $noise->[$best]))
	{
		$best++;
		$expected *= $tail;
	}
	return $best;
}

1;
