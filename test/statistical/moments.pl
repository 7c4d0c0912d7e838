# Moments are as accurate as theory says, and intervals hold as often as they say.
#
# Two thousand people with ages, incomes (log-normal, clamped) and taxes on them, one
# row each or up to four.  Each statistic is released 1,000 times; to first order
# in the noise its error is a combination of the noises of all features, each of the standard
# deviation the price tells but for a factor, with the coefficients of ACCOUNTING:
# of c^a d^b in the Bernstein polynomials.  What is measured must be within 25 % of
# that: a sample standard deviation of 1,000 draws of Laplace noise (kurtosis 6) has relative
# standard deviation 3.5 %, so that these are 7 of them.  Errors must be centred within 7
# standard errors.  Together below 1e-10 for each case.
#
# Intervals: 1,000 at 0.9 for every aggregate, in one group and in groups around
# the threshold, of which those answered count.  The number that hold the truth must not
# be one that a chance of 0.9 falls short of with probability 1e-11.
#
# A mean by the complement trick must have half the variance of one with epsilon split
# between sum and count: 16,000 draws each, whose variances' ratio has a relative standard
# deviation of 2.5 %; 20 % are 8 of them.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpBounds qw(binomial_interval);
use DpServer;

use constant {
	RUNS => 1_000,
	ALPHA => 1e-11,
	LEVEL => 0.9,
	EPSILON => 1
};

my $server = DpServer->new('moments');

$server->admin(<<'SQL');
SELECT setseed(0.25);
CREATE TABLE people AS SELECT n AS id, (20 + 50 * random() * random())::int AS age,
	least(120000, exp(10.2 + 0.5 * (random() + random() + random() + random() - 2) * 1.7))::numeric(10, 2) AS income
FROM generate_series(1, 2000) n;
ALTER TABLE people ADD PRIMARY KEY (id);
ALTER TABLE people ADD tax float8;
UPDATE people SET tax = 0.3 * income - 2000 + 3000 * random();
SELECT dp_agg.protect('people', 'id');
CREATE TABLE payments AS SELECT id / 2 AS payer, age, income, tax FROM people;
SELECT dp_agg.protect('payments', 'payer', max_rows => 2);
SQL

my $bounds = '0, 40000, 0, 120000';
my $y = 'tax::float8';
my $x = 'income::float8';

# An aggregate without its prefix; the same in PostgreSQL; its noise in units of a
# feature's, from the moments of values taken from -1 to 1, as the coefficients of
# each feature (rows by x, columns by y) over n; and the answer's unit.
my @cases = (
	{ call => 'variance(age, 0, 100)', exact => 'variance(age)', of => 'variance' },
	{ call => 'variance(income, 0, 120000)', exact => 'variance(income)', of => 'variance' },
	{ call => 'stddev(income, 0, 120000)', exact => 'stddev(income)', of => 'stddev' },
	{ call => "covar_pop(tax, income, $bounds)", exact => "covar_pop($y, $x)", of => 'covariance' },
	{ call => "covar_samp(tax, income, $bounds)", exact => "covar_samp($y, $x)", of => 'covariance' },
	{ call => "corr(tax, income, $bounds)", exact => "corr($y, $x)", of => 'correlation' },
	{ call => "regr_slope(tax, income, $bounds)", exact => "regr_slope($y, $x)", of => 'slope' },
	{ call => "regr_intercept(tax, income, $bounds)", exact => "regr_intercept($y, $x)", of => 'intercept' });

# Number of rows, means, variances and covariance of c and d, from -1 to 1.
sub shape_of_data
{
	my ($c, $d) = @_;
	my %m;
	@m{qw(n mc md vc vd cov)} = split /\|/, $server->admin(<<SQL);
SELECT count(*), avg(c), avg(d), var_pop(c), var_pop(d), covar_pop(c, d)
FROM (SELECT ($c)::float8 c, ($d)::float8 d FROM people) p
SQL
	return \%m;
}

# Coefficients of 1, c and c^2 in the Bernstein polynomials, by degree.
my @bernstein = (
	[ [1] ],
	[ [ 1, 1 ], [ -1, 1 ] ],
	[ [ 1, 1, 1 ], [ -1, 0, 1 ], [ 1, -1, 1 ] ]);

# Norm of a polynomial, given as [factor, coefficients in c, coefficients in d].
sub norm
{
	my ($dx, $dy, @terms) = @_;
	my $square = 0;
	for my $i (0 .. $dx)
	{
		for my $j (0 .. $dy)
		{
			my $value = 0;
			for my $term (@terms)
			{
				my ($factor, $f, $g) = @$term;
				my $p = sum0(map { ($f->[$_] // 0) * $bernstein[$dx][$_][$i] } 0 .. $dx);
				my $q = sum0(map { ($g->[$_] // 0) * $bernstein[$dy][$_][$j] } 0 .. $dy);
				$value += $factor * $p * $q;
			}
			$square += $value**2;
		}
	}
	return sqrt($square);
}

# The standard deviation of an answer, from that of a feature as a share of a row.
sub theory
{
	my ($case, $feature) = @_;
	my $age = $case->{call} =~ /age/;
	my ($x, $y) = ($age ? 50 : 60000, 20000);
	my $m = shape_of_data($age ? '(age - 50) / 50.0' : 'income / 60000 - 1', 'tax / 20000 - 1');
	my ($n, $mc, $md) = @$m{qw(n mc md)};
	my $s = $feature / $n;
	my $one = [1];
	my @square = (1, [ $mc**2, -2 * $mc, 1 ], $one);
	my @square_d = (1, $one, [ $md**2, -2 * $md, 1 ]);
	my @product = (1, [ -$mc, 1 ], [ -$md, 1 ]);
	my $slope = $m->{cov} / $m->{vc};
	my $line = sub { map { [ $_[0] * $_->[0], $_->[1], $_->[2] ] }
		  [@product], [ -$slope, @square[ 1, 2 ] ] };

	my $variance = norm(2, 0, [@square], [ -$m->{vc}, $one, $one ]) * $s;
	return $variance * $x**2 if $case->{of} eq 'variance';
	return $variance * $x / 2 / sqrt($m->{vc}) if $case->{of} eq 'stddev';
	return norm(1, 1, [@product], [ -$m->{cov}, $one, $one ]) * $s * $x * $y
	  if $case->{of} eq 'covariance';
	return norm(2, 1, $line->(1)) * $s / $m->{vc} * $y / $x if $case->{of} eq 'slope';
	if ($case->{of} eq 'intercept')
	{
		# The height at x = 0: of the mean of d - slope c, and of the slope.
		my $reach = (-1 - $mc) / $m->{vc};
		return norm(2, 1, $line->($reach), [ 1, $one, [ -$md, 1 ] ],
			[ -$slope, [ -$mc, 1 ], $one ]) * $s * $y;
	}
	my $r = sqrt($m->{vd} / $m->{vc});
	my $rho = $m->{cov} / sqrt($m->{vc} * $m->{vd});
	return norm(2, 2, [@product], [ -$rho / 2 * $r, @square[ 1, 2 ] ],
		[ -$rho / 2 / $r, @square_d[ 1, 2 ] ]) * $s / sqrt($m->{vc} * $m->{vd});
}

sub check_accuracy
{
	my ($mechanism, $case) = @_;
	my $settings = { mechanism => $mechanism, epsilon => 10 * EPSILON, delta => 1e-6 };
	my $query = "SELECT dp_$case->{call} FROM people";
	my $truth = $server->admin("SELECT $case->{exact} FROM people");
	my ($price) = $server->price('SELECT dp_variance(age, 0, 100) FROM people', $settings);
	my $expected = theory($case, $price->{noise_stddev} / 100**2);
	$server->reset;
	my ($draws) = $server->draws($settings, RUNS, undef, $query);
	my @error = map { $_ - $truth } @$draws;
	my $mean = sum0(@error) / @error;
	my $deviation = sqrt(sum0(map { $_**2 } @error) / @error);
	my $name = "$mechanism: dp_$case->{call}";
	cmp_ok(abs($deviation / $expected - 1), '<=', 0.25,
		sprintf '%s: %.5g, deviates by %.3g, in theory %.3g', $name, $truth, $deviation, $expected);
	cmp_ok(abs($mean), '<=', 7 * $expected / sqrt(@error) + 0.02 * $expected, "$name: no bias");
	return;
}

# Held often enough, of that many?
sub check_held
{
	my ($name, $held, $all) = @_;
	my (undef, $high) = binomial_interval($held, $all, ALPHA);
	cmp_ok($high, '>=', LEVEL, sprintf '%s: %.1f %% of %d intervals hold the truth, where %g %% are asked',
		$name, 100 * $held / $all, $all, 100 * LEVEL);
	return;
}

sub check_interval
{
	my ($mechanism, $table, $call, $exact) = @_;
	my $settings = { mechanism => $mechanism, epsilon => EPSILON, delta => 1e-6 };
	my $truth = $server->admin("SELECT ($exact)::numeric(40, 15) FROM $table");
	my $level = LEVEL;
	$server->reset;
	my ($held) = $server->draws($settings, RUNS, undef,
		"SELECT (dp_interval(dp_$call, $level) @> $truth)::int FROM $table");
	check_held("$mechanism: dp_$call from $table", scalar(grep { $_ > 0 } @$held), scalar @$held);
	return;
}

# Groups of as many people as the threshold, and a few more or fewer, or of one person each: whichever
# are answered, and not by NULL.
sub check_groups
{
	my ($mechanism, $aggregate, $alone) = @_;
	my $level = LEVEL;
	my $settings = { mechanism => $mechanism, epsilon => EPSILON, delta => $alone ? 2e-4 : 0.05 };
	my $places = $alone ? 400_000 : 1500;
	my $query = "SELECT place, dp_interval($aggregate, $level) AS r, $aggregate FROM crowd GROUP BY place";
	$server->admin("CREATE TABLE crowd (id int PRIMARY KEY, place int, v int); SELECT dp_agg.protect('crowd', 'id')");
	my $threshold = $server->threshold($query, $settings);
	my $people = $alone ? 1 : "greatest(1, ceil($threshold)::int - 6 + place % 10)";
	$server->admin(<<"SQL");
INSERT INTO crowd SELECT row_number() OVER (), place, 3
FROM generate_series(1, $places) place, generate_series(1, $people);
CREATE TABLE truths AS SELECT place, count(*)::numeric AS c FROM crowd GROUP BY place;
GRANT SELECT ON truths TO tester;
SQL
	$server->reset;
	my ($row) = $server->ask(DpServer::set_commands($settings) .
		  "SELECT count(r), count(*) FILTER (WHERE r @> CASE '$aggregate' WHEN 'dp_count(*)' THEN c ELSE 3 END) FROM ($query) q JOIN truths USING (place);");
	my ($all, $held) = @$row;
	my $where = $alone ? 'of one person' : 'around the threshold';
	cmp_ok($all, '>', 20, "$mechanism: $aggregate: groups $where are answered");
	check_held("$mechanism: $aggregate in groups $where", $held, $all);
	$server->admin('DROP TABLE crowd, truths');
	return;
}

# The mean as it is, and from a sum and a count with half of epsilon each.
sub check_mean
{
	my $settings = { mechanism => 'laplace', epsilon => 2 };
	$server->reset;
	my ($mean, $split) = $server->draws($settings, 16_000, undef,
		'SELECT dp_avg(age, 0, 100) FROM people',
		'SELECT 50 + dp_sum(age - 50, -50, 50, 1)::float8 / dp_count(age, 1) FROM people');
	my $truth = $server->admin('SELECT avg(age) FROM people');
	my ($v, $w) = map { my $draws = $_; sum0(map { ($_ - $truth)**2 } @$draws) / @$draws } $mean, $split;
	cmp_ok(abs($v / $w - 0.5), '<=', 0.1,
		sprintf 'a mean has %.3f of the variance of sum and count apart', $v / $w);
	return;
}

for my $mechanism (qw(laplace gaussian))
{
	check_accuracy($mechanism, $_) for @cases;
	check_interval($mechanism, 'people', $_->{call}, $_->{exact}) for @cases;
	check_interval($mechanism, 'people', 'count(*)', 'count(*)');
	check_interval($mechanism, 'people', 'sum(age, 0, 100)', 'sum(age)');
	check_interval($mechanism, 'people', 'avg(income, 0, 120000)', 'avg(income)');
	check_interval($mechanism, 'payments', $_->{call}, $_->{exact}) for @cases[ 1, 5, 6 ];
	check_groups($mechanism, $_) for 'dp_count(*)', 'dp_avg(v, 0, 10)', 'dp_stddev(v, 0, 10)';
	check_groups($mechanism, 'dp_avg(v, 3, 10)', 1);
}
check_mean();
$server->finish;
done_testing();
