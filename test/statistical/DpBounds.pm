# Exact bounds and distributions for the statistical tests.
#
# Everything here is computed to about ten digits, also far out in the tails,
# where the tests look: bounds.pl checks it against closed forms.
package DpBounds;

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min sum0);
use POSIX qw(ceil erfc floor lgamma);

our @EXPORT_OK = qw(binomial_interval binomial_tail chi_square_tail discrete_laplace_cdf fit_tail flip_law
  gaussian_delta gaussian_mu gumbel_law laplace_cdf laplace_mean_reach normal_cdf);

# The x in [lo, hi] where a rising function passes a value.
sub solve
{
	my ($function, $value, $lo, $hi) = @_;
	for (1 .. 200)
	{
		my $middle = ($lo + $hi) / 2;
		if ($function->($middle) < $value) { $lo = $middle }
		else { $hi = $middle }
		last if $hi - $lo <= 1e-14 * max(abs($lo), abs($hi));
	}
	return ($lo + $hi) / 2;
}

# Lentz's continued fraction of the incomplete beta function.
sub beta_fraction
{
	my ($a, $b, $x) = @_;
	my ($c, $d) = (1, 1 - ($a + $b) * $x / ($a + 1));
	$d = 1 / $d;
	my $h = $d;
	for my $m (1 .. 100_000)
	{
		my $term = $m * ($b - $m) * $x / (($a + 2 * $m - 1) * ($a + 2 * $m));
		$d = 1 / (1 + $term * $d);
		$c = 1 + $term / $c;
		$h *= $c * $d;
		$term = -($a + $m) * ($a + $b + $m) * $x / (($a + 2 * $m) * ($a + 2 * $m + 1));
		$d = 1 / (1 + $term * $d);
		$c = 1 + $term / $c;
		$h *= $c * $d;
		last if abs($c * $d - 1) < 1e-15;
	}
	return $h;
}

# P[X >= k] for X ~ Binomial(n, p): the regularised incomplete beta function
# at p with parameters k and n - k + 1.
sub binomial_tail
{
	my ($k, $n, $p) = @_;
	return 1 if $k <= 0;
	return 0 if $k > $n || $p <= 0;
	return 1 if $p >= 1;
	my ($a, $b) = ($k, $n - $k + 1);
	my $front = exp(lgamma($a + $b) - lgamma($a) - lgamma($b) + $a * log($p) + $b * log(1 - $p));
	return $front * beta_fraction($a, $b, $p) / $a if $p < ($a + 1) / ($a + $b + 2);
	return 1 - $front * beta_fraction($b, $a, 1 - $p) / $b;
}

# Clopper and Pearson's interval for a probability, from k successes in n
# trials: each end is wrong with probability at most alpha, exactly.
sub binomial_interval
{
	my ($k, $n, $alpha) = @_;
	my $low = $k == 0 ? 0 : solve(sub { binomial_tail($k, $n, $_[0]) }, $alpha, 0, 1);
	my $high = $k == $n ? 1
	  : 1 - solve(sub { binomial_tail($n - $k, $n, $_[0]) }, $alpha, 0, 1);
	return ($low, $high);
}

# P[X >= x] for X ~ chi-square: the regularised upper incomplete gamma function.
sub chi_square_tail
{
	my ($x, $freedom) = @_;
	my ($a, $z) = ($freedom / 2, $x / 2);
	return 1 if $z <= 0;
	my $front = exp($a * log($z) - $z - lgamma($a));
	if ($z < $a + 1)
	{
		my $term = 1 / $a;
		my $sum = $term;
		for (my $n = 1; $term > $sum * 1e-16; $n++)
		{
			$term *= $z / ($a + $n);
			$sum += $term;
		}
		return 1 - $front * $sum;
	}
	my $b = $z + 1 - $a;
	my ($c, $d) = (1e300, 1 / $b);
	my $h = $d;
	for my $i (1 .. 100_000)
	{
		my $term = -$i * ($i - $a);
		$b += 2;
		$d = 1 / ($term * $d + $b);
		$c = $b + $term / $c;
		$h *= $c * $d;
		last if abs($c * $d - 1) < 1e-15;
	}
	return $front * $h;
}

sub normal_cdf
{
	my ($x) = @_;
	return erfc(-$x / sqrt(2)) / 2;
}

# P[Z <= x] for continuous Laplace noise.
sub laplace_cdf
{
	my ($x, $scale) = @_;
	return $x < 0 ? exp($x / $scale) / 2 : 1 - exp(-$x / $scale) / 2;
}

# P[Z <= z] for P[Z = z] proportional to exp(-|z| / scale) on the integers.
sub discrete_laplace_cdf
{
	my ($z, $scale) = @_;
	my $q = exp(-1 / $scale);
	$z = floor($z);
	return $z < 0 ? $q**-$z / (1 + $q) : 1 - $q**($z + 1) / (1 + $q);
}

# How far the mean of n Laplace draws of scale 1 strays from 0, but for a
# probability of at most alpha: Chernoff's bound with E[exp(t Z)] = 1/(1 - t^2),
# at its best t = (sqrt(1 + h^2) - 1) / h.
sub laplace_mean_reach
{
	my ($n, $alpha) = @_;
	my $exponent = sub {
		my ($h) = @_;
		my $t = (sqrt(1 + $h**2) - 1) / $h;
		return $h * $t + log(1 - $t**2);
	};
	return solve($exponent, log(2 / $alpha) / $n, 1e-6, 1e3);
}

# The delta at epsilon of mu-Gaussian differential privacy: of adding normal
# noise of standard deviation 1 to what a unit moves by mu.
sub gaussian_delta
{
	my ($mu, $epsilon) = @_;
	return normal_cdf($mu / 2 - $epsilon / $mu) -
	  exp($epsilon) * normal_cdf(-$mu / 2 - $epsilon / $mu);
}

# The mu whose curve passes (epsilon, delta).
sub gaussian_mu
{
	my ($epsilon, $delta) = @_;
	return solve(sub { gaussian_delta($_[0], $epsilon) }, $delta, 1e-6, 40);
}

# Chi-square test of draws against a distribution function: the probability of
# a fit this bad.  Bins are chosen from the distribution alone, each with an
# expectation of at least 1/40 of the draws; integral distributions are cut at
# integers only.
sub fit_tail
{
	my ($draws, $cdf, $integral, $center, $spread) = @_;
	my (@edges, @expected);
	my $n = @$draws;
	my $from = 0;
	for my $i (1 .. 39)
	{
		my $edge = solve($cdf, $i / 40, $center - 100 * $spread, $center + 100 * $spread);
		$edge = floor($edge + 1e-6) if $integral;
		my $to = $cdf->($edge);
		next if $to - $from < 1 / 40 - 1e-9 || 1 - $to < 1 / 40 - 1e-9;
		push @edges, $edge;
		push @expected, $n * ($to - $from);
		$from = $to;
	}
	push @expected, $n * (1 - $from);
	my @observed = (0) x @expected;
	my $bin = 0;
	for my $draw (sort { $a <=> $b } @$draws)
	{
		$bin++ while $bin < @edges && $draw > $edges[$bin];
		$observed[$bin]++;
	}
	my $statistic = 0;
	$statistic += ($observed[$_] - $expected[$_])**2 / $expected[$_] for 0 .. $#expected;
	return chi_square_tail($statistic, $#expected);
}

# P[candidate i wins] of permute and flip with scores, at this rate.
sub flip_law
{
	my ($rate, @score) = @_;
	my $best = max(@score);
	my @heads = map { exp($rate * ($_ - $best)) } @score;
	my @law;
	for my $i (0 .. $#score)
	{
		my @others = (1);
		for my $j (grep { $_ != $i } 0 .. $#score)
		{
			my @next = map { 0 } 0 .. @others;
			for my $k (0 .. $#others)
			{
				$next[$k] += $others[$k] * (1 - $heads[$j]);
				$next[ $k + 1 ] += $others[$k] * $heads[$j];
			}
			@others = @next;
		}
		push @law, $heads[$i] * sum0(map { $others[$_] / ($_ + 1) } 0 .. $#others);
	}
	return @law;
}

# The same of the exponential mechanism.
sub gumbel_law
{
	my ($rate, @score) = @_;
	my $best = max(@score);
	my @weight = map { exp($rate * ($_ - $best)) } @score;
	my $total = sum0(@weight);
	return map { $_ / $total } @weight;
}

1;
