# Sums are exact before noise is added, whatever the order of rows.
#
# 145,000 rows of 1e9, 255,000 of 0.0155 and 1,000 of each power of ten between.
# Added up as doubles with the large ones first, the total is about 1.45e14,
# where doubles are 2^-6 apart going up to 2^47 and 2^-5 beyond: each small row is
# less than half a step and is lost, some 3,950 altogether.  Added small ones
# first, nothing is.
#
# At the largest epsilon, 2^20, noise has scale 1e9 / 2^20 = 954.  The mean of 32
# releases must be as near to the exact sum as Chernoff's bound for such noise
# says, false failures taking 1e-9 altogether: 1,900.  A mean without the small
# rows would be 8 of its standard deviations or more outside.
#
# Integers need no such care: where the bound is 20,000, noise at that epsilon
# is zero but for 2 exp(-2^20 / 20,000) < 1e-22, so the sum is the sum.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpBounds qw(laplace_mean_reach);
use DpServer;

use constant {
	ALPHA => 8e-11,				# of each of 12 assertions
	RELEASES => 32,
	EPSILON => 1048576,
	LARGE => 1e9,
	SMALL => 0.0155,
	LARGE_ROWS => 145_000,
	SMALL_ROWS => 255_000,
	EACH_BETWEEN => 1000
};

my $server = DpServer->new('sums');
my $settings = { mechanism => 'laplace', epsilon => EPSILON };

# The rows, in no order yet: every value as a double, as its exact decimal, as
# a real of one tenth and as an integer.
$server->admin(sprintf <<'SQL', LARGE, LARGE_ROWS, SMALL, SMALL_ROWS, EACH_BETWEEN);
CREATE TABLE source AS
SELECT row_number() OVER () AS n, x, x::float8 AS d, 0.1::real AS r,
	   (10000 - x / 50000)::int AS i
FROM (SELECT %s::numeric AS x FROM generate_series(1, %d)
	  UNION ALL SELECT %s::numeric FROM generate_series(1, %d)
	  UNION ALL SELECT 10::numeric ^ k FROM generate_series(-1, 8) k, generate_series(1, %d)) v;
SQL
my ($exact, $exact_int, $rows) =
  split /\|/, $server->admin('SELECT sum(x), sum(i), count(*) FROM source');

# The same rows in two physical orders, as persons of one row and as persons
# who might have more.
my %order = (falling => 'd DESC', rising => 'd ASC');
for my $order (keys %order)
{
	for my $shape ('persons', 'visits')
	{
		$server->admin(sprintf <<'SQL', "${shape}_$order", $order{$order});
CREATE TABLE %1$s AS SELECT n::int AS who, d, x, r, i FROM source ORDER BY %2$s;
SQL
	}
	$server->admin("ALTER TABLE persons_$order ADD PRIMARY KEY (who)");
	$server->admin("SELECT dp_agg.protect('${_}_$order', 'who')") for 'persons', 'visits';
}

# The order matters to doubles and reals.
my $serial = 'SET max_parallel_workers_per_gather = 0;';
my ($falling, $real) = split /\|/, $server->admin("$serial SELECT sum(d), sum(r) FROM persons_falling");
my ($rising) = $server->admin("$serial SELECT sum(d) FROM persons_rising");
cmp_ok($exact - $falling, '>', 3900, 'a plain sum loses the small rows where the large come first');
cmp_ok(abs($exact - $rising), '<', 10, 'and loses nothing where they come last');
cmp_ok(abs($real - 0.1 * $rows), '>', 1, 'a plain sum of reals is off');

# Assert that a mean of releases is the truth, but for the noise and the
# representation of the answer as a double.
sub exact_but_noise
{
	my ($name, $query, $truth, $releases) = @_;
	my ($price) = $server->price($query, $settings);
	$server->reset;
	my ($draws) = $server->draws($settings, $releases, 8, $query);
	my $mean = sum0(@$draws) / @$draws;
	my $bound = $price->{noise_stddev} / sqrt(2) * laplace_mean_reach(scalar @$draws, ALPHA);

	cmp_ok(abs($mean - $truth), '<=', $bound + 1e-15 * abs($truth),
		sprintf '%s: off by %.3g, allowed %.3g', $name, $mean - $truth, $bound);
	return $bound;
}

for my $shape (qw(persons visits))
{
	for my $order (sort keys %order)
	{
		my $table = "${shape}_$order";
		my $bound = exact_but_noise("float8 from $table",
			"SELECT dp_sum(d, 0, 1e9) FROM $table", $exact, RELEASES);
		cmp_ok($bound, '<', 3900 / 2, "float8 from $table: which would show lost rows");
		exact_but_noise("numeric from $table", "SELECT dp_sum(x, 0, 1e9) FROM $table", $exact, 8);
		exact_but_noise("real from $table", "SELECT dp_sum(r, 0, 1) FROM $table",
			unpack('f', pack('f', 0.1)) * $rows, 8);

		$server->reset;
		my ($draws) = $server->draws($settings, 4, 4, "SELECT dp_sum(i, -20000, 20000) FROM $table");
		is_deeply($draws, [ ($exact_int) x 4 ], "integer from $table: exact");
	}
}

$server->finish;
done_testing();
