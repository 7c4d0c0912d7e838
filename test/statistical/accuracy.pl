# Noise is as large as the price says, no more and no less.
#
# 64,000 releases of each kind.  Their standard deviation must be within 3 % of
# noise_stddev.  The sample variance of N draws of Laplace noise (kurtosis 6)
# has relative standard deviation sqrt(5/N), the sample standard deviation half
# of that: 0.44 %, so that 3 % are 6.8 of them, a probability of 1.1e-11; with the
# skewness of squared Laplace draws (6.6/sqrt(N), a factor of exp(1.4) that far
# out) below 5e-11 a case.  Gaussian noise (kurtosis 3) is far within.  The mean
# of the noise must be within 7 standard errors of zero: 3e-12.  Coverage by
# half_width_95 is held against Clopper and Pearson's interval at 1e-11 each
# side.  In all below 1e-9 for the 12 cases.
#
# A mean is lower + width * A / (A + B) (Laplace), where A and B each carry
# noise of noise_stddev, or middle + C / N (Gaussian), where C carries it and N
# as much for a half width of 1.  To first order in the noise, the mean of n
# rows at fraction f of the width, times n, then deviates by noise_stddev times
# sqrt(f^2 + (1-f)^2), or sqrt(1 + (2f-1)^2).  With the rows and epsilon used here
# the second order is below 1e-4 of it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpBounds qw(binomial_interval normal_cdf);
use DpServer;

use constant {
	RELEASES => 64_000,
	ALPHA => 1e-11,
	FRACTION => 0.25
};

my $server = DpServer->new('accuracy');

# Forty rows, a quarter of them at 4 and the others at 0: one a person, or two.
$server->admin(<<'SQL');
CREATE TABLE persons (id int PRIMARY KEY, x float8 NOT NULL);
INSERT INTO persons SELECT n, CASE WHEN n <= 10 THEN 4 ELSE 0 END FROM generate_series(1, 40) n;
SELECT dp_agg.protect('persons', 'id');
CREATE TABLE visits (who int, x float8 NOT NULL);
INSERT INTO visits SELECT id / 2, x FROM persons;
SELECT dp_agg.protect('visits', 'who', max_rows => 2);
SQL

# A query, the truth, the rows it is divided by, and whether only integers
# come out.
my @cases = (
	[ 'dp_count(*)', 40, 1, 1 ],
	[ 'dp_sum(x, 0, 8)', 40, 1, 0 ],
	[ 'dp_avg(x, 0, 4)', 1, 40, 0 ]);

# The share of noise_stddev that reaches a mean, times its rows.
sub mean_share
{
	my ($mechanism) = @_;
	return $mechanism eq 'laplace' ? sqrt(FRACTION**2 + (1 - FRACTION)**2)
	  : sqrt((1 + (2 * FRACTION - 1)**2) / 2);
}

# Draws within a distance, as an interval for the probability of that.
sub coverage
{
	my ($noise, $distance) = @_;
	my $within = grep { abs($_) <= $distance } @$noise;
	return binomial_interval($within, scalar @$noise, ALPHA);
}

# Is the claimed half width the least that covers 95 %?
sub check_coverage
{
	my ($name, $noise, $width, $integral) = @_;
	my ($low, $high) = coverage($noise, $width * (1 + 1e-9));
	cmp_ok($high, '>=', 0.95, "$name: half_width_95 covers 95 %");
	($low) = coverage($noise, $integral ? $width - 1 : $width);
	cmp_ok($low, '<=', 0.95, "$name: nothing narrower does");
	return;
}

sub check_case
{
	my ($mechanism, $table, $case) = @_;
	my ($aggregate, $truth, $rows, $integral) = @$case;
	my $name = "$mechanism: $aggregate from $table";
	my $settings = { mechanism => $mechanism, epsilon => $rows > 1 ? 16 : 0.5, delta => 1e-6 };
	my $query = "SELECT $aggregate FROM $table";
	my ($price) = $server->price($query, $settings);

	$server->reset;
	my ($draws) = $server->draws($settings, RELEASES, undef, $query);
	my @noise = map { ($_ - $truth) * $rows } @$draws;
	my $mean = sum0(@noise) / @noise;
	my $deviation = sqrt(sum0(map { $_**2 } @noise) / @noise);
	my $expected = $price->{noise_stddev} * ($rows > 1 ? mean_share($mechanism) : 1);

	is(scalar @noise, RELEASES, "$name: all released");
	cmp_ok(abs($deviation / $expected - 1), '<=', 0.03,
		sprintf '%s: deviates by %.4g, claimed %.4g', $name, $deviation, $expected);
	cmp_ok(abs($mean), '<=', 7 * $expected / sqrt(@noise) + 1e-3 * $expected, "$name: no bias");
	check_coverage($name, \@noise, $price->{half_width_95}, $integral) if $rows == 1;
	return;
}

for my $mechanism (qw(laplace gaussian))
{
	for my $table (qw(persons visits))
	{
		check_case($mechanism, $table, $_) for @cases;
	}
}
$server->finish;
done_testing();
