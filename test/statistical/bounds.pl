# The exact bounds that the other programs rest on, against closed forms.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use POSIX qw(lgamma);
use Test::More;

use DpBounds qw(binomial_interval binomial_tail chi_square_tail discrete_laplace_cdf fit_tail
  gaussian_delta gaussian_mu laplace_mean_reach);

# Within a relative 1e-9.
sub near
{
	my ($got, $expected, $name) = @_;
	ok(abs($got - $expected) <= 1e-9 * abs($expected), $name) or diag("$got, not $expected");
	return;
}

# P[X >= k], added up term by term.
sub summed_tail
{
	my ($k, $n, $p) = @_;
	my $sum = 0;
	for (my $i = $n; $i >= $k; $i--)
	{
		$sum += exp(lgamma($n + 1) - lgamma($i + 1) - lgamma($n - $i + 1) +
			  $i * log($p) + ($n - $i) * log(1 - $p));
	}
	return $sum;
}

near(binomial_tail(@$_), summed_tail(@$_), "binomial tail at @$_")
  for [ 1, 3, 0.25 ], [ 40, 1000, 0.01 ], [ 700, 1000, 0.5 ], [ 9900, 10000, 0.97 ];

my $alpha = 1e-12;
for my $case ([ 0, 10000 ], [ 3, 400 ], [ 5000, 10000 ], [ 9990, 10000 ])
{
	my ($k, $n) = @$case;
	my ($low, $high) = binomial_interval($k, $n, $alpha);
	$k == 0 ? is($low, 0, "no success, no lower end")
	  : near(summed_tail($k, $n, $low), $alpha, "lower end for $k of $n");
	$k == 0 ? near($high, 1 - $alpha**(1 / $n), "upper end for 0 of $n")
	  : near(summed_tail($n - $k, $n, 1 - $high), $alpha, "upper end for $k of $n");
}

# Two degrees of freedom are an exponential; four, a gamma of order two.
near(chi_square_tail($_, 2), exp(-$_ / 2), "chi-square tail at $_, 2 degrees") for 0.1, 1, 60;
near(chi_square_tail($_, 4), (1 + $_ / 2) * exp(-$_ / 2), "chi-square tail at $_, 4 degrees")
  for 0.5, 3, 80;

# Balle and Wang's calibration, inverted by its own formula; at epsilon 0 the
# curve is the total variation distance.
near(gaussian_delta(gaussian_mu(1, 1e-6), 1), 1e-6, "mu from epsilon and delta");
near(gaussian_delta(1, 0), 0.382924922548026, "total variation of one standard deviation");

near(discrete_laplace_cdf(0, 2) - discrete_laplace_cdf(-1, 2), (1 - exp(-0.5)) / (1 + exp(-0.5)),
	"discrete Laplace at 0");
near(discrete_laplace_cdf(-3, 2), exp(-1.5) / (1 + exp(-0.5)), "tail of the discrete Laplace");

# Of many draws, near the normal 6.5 standard errors of 8e-11; of one, above
# the exact log(1/alpha).
my $reach = laplace_mean_reach(1e6, 8e-11) * sqrt(1e6 / 2);
ok($reach > 6.5 && $reach < 7, 'reach of the mean of many draws');
cmp_ok(laplace_mean_reach(1, 1e-10), '>', log(1e10), 'reach of one draw');
cmp_ok(laplace_mean_reach(1, 1e-10), '<', log(1e10) + 5, 'and not far beyond it');

# The fit of the exact quantiles is perfect, that of others is not.
my @quantiles = map { my $p = ($_ - 0.5) / 10000; -log(1 - $p) } 1 .. 10000;
my $cdf = sub { $_[0] > 0 ? 1 - exp(-$_[0]) : 0 };
ok(fit_tail(\@quantiles, $cdf, 0, 1, 1) > 0.999999, 'quantiles fit their distribution');
ok(fit_tail([ map { $_ * 1.15 } @quantiles ], $cdf, 0, 1, 1) < 1e-9, '15 % too wide does not');

done_testing();
