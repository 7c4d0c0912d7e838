# Samples of the units: a person is in one as often as dp_agg.sample_rate says,
# and what that leaves to be lost is what is charged.
#
# The loss is that of one person's presence, seen from the most telling event:
# that the answer is 1 or more.  With Laplace noise it is log(1 + p (exp(epsilon)
# - 1)), exactly what the budget is charged.  Clopper and Pearson's intervals must
# hold the exact probabilities, and so bound the loss from both sides: a charge
# of half of it would be found out, and so would a sample that has everybody.
#
# False failures: all intervals share 1e-9, exactly.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpBounds qw(binomial_interval);
use DpServer;

use constant { FALSE_FAILURE => 1e-9, DRAWS => 16_000, EPSILON => 3 };

my $server = DpServer->new('sample');
$server->admin(<<'SQL');
CREATE TABLE nobody (who int PRIMARY KEY);
CREATE TABLE somebody (LIKE nobody INCLUDING ALL);
INSERT INTO somebody VALUES (7);
CREATE TABLE no_visits (who text, x int);
CREATE TABLE visits (who text, x int);
INSERT INTO visits SELECT 'somebody', 1 FROM generate_series(1, 3);
SELECT dp_agg.protect(t, 'who') FROM unnest('{nobody,somebody,no_visits,visits}'::regclass[]) t;
SQL

my @pairs = ([ 'one row', 'nobody', 'somebody' ], [ 'three rows', 'no_visits', 'visits' ]);
my @rates = (0.25, 0.6);
my $alpha = FALSE_FAILURE / (2 * 3 * @pairs * @rates);

# The interval of how often an answer is 1 or more.
sub interval
{
	my ($settings, $table) = @_;
	my ($draws) = $server->draws($settings, DRAWS, undef, "SELECT dp_count(*) FROM $table");
	return binomial_interval(scalar(grep { $_ >= 1 } @$draws), scalar @$draws, $alpha);
}

for my $rate (@rates)
{
	for my $pair (@pairs)
	{
		my ($rows, $without, $with) = @$pair;
		my $name = "rate $rate, a person of $rows";
		my ($low, $high) = interval({ sample_rate => $rate, epsilon => 100 }, $with);
		ok($low <= $rate && $rate <= $high, "$name: in the sample as often");

		my $settings = { sample_rate => $rate, epsilon => EPSILON };
		my $tail = exp(-EPSILON) / (1 + exp(-EPSILON));
		my ($low0, $high0) = interval($settings, $without);
		ok($low0 <= $tail && $tail <= $high0, "$name: the noise without that person");

		$server->reset;
		my ($low1, $high1) = interval($settings, $with);
		my $mixture = $tail * (1 - $rate + $rate * exp(EPSILON));
		ok($low1 <= $mixture && $mixture <= $high1, "$name: the noise with that person");
		my $spent = $server->spent;
		my $charged = $spent->{pure} / DRAWS;
		cmp_ok(log($low1 / $high0), '<=', $charged, "$name: no more is lost than charged");
		cmp_ok(log($low1 / $high0), '>', $charged / 2, "$name: half would be too little");
	}
}

# A count of 2,000 people from samples: 1,000 draws err by what the sample and the noise do.
# A standard deviation is held against a range of 20 %, more than six of its standard
# errors: below 1e-9 for the two of them.
$server->admin(<<'SQL');
CREATE TABLE people (id int PRIMARY KEY, age int);
INSERT INTO people SELECT n, n * 7 % 80 FROM generate_series(1, 2000) n;
SELECT dp_agg.protect('people', 'id');
SQL
for my $rate (@rates)
{
	my $settings = { sample_rate => $rate, epsilon => 0.05 };
	my ($price) = $server->price('SELECT dp_count(*) FROM people', $settings);
	my ($draws) = $server->draws($settings, 1000, undef, 'SELECT dp_count(*) FROM people');
	my $theory = sqrt(2000 * $rate * (1 - $rate) + $price->{noise_stddev}**2);
	my $seen = sqrt(sum0(map { ($_ - 2000 * $rate)**2 } @$draws) / @$draws);
	ok(abs($seen / $theory - 1) < 0.2, sprintf 'rate %g: a count is off by %.1f rows, %.1f in theory', $rate, $seen, $theory);
}

$server->finish;
done_testing();
