# Noise that counts and sums of one row share is of the size that it is said to be, and of the signs.
#
# 120 statements of 1,000 groups ask two sums of values that are not negative, one of values that are not positive, and
# a count, each in units of what a person may add: u1 to u4.  Beside independent noise of standard deviation s, the same
# charge buys own noise of variance 3/8 s^2 for each, and shared noise of 3/16 s^2.  Differences
#
#	(u1 - u2) / sqrt(2), (u1 + u2 - 2 u3) / sqrt(6), (u1 + u2 + u3 - 3 u4) / sqrt(12)
#
# are independent, each of variance 3/8 s^2, and (u1 + u2 + u3 + u4) / 2 has 9/8 s^2.  Sums of their squares have
# the law of chi square with N = 120,000 degrees of freedom, which is off by more than 2 sqrt(x / N) + 2 x / N, relatively, with
# a probability of 2 exp(-x) at most (Laurent, Massart): x = 24, and 4e-10 for all.  That is 2.9 %.  Own noise that is 5 % too large
# or small makes differences' variances 10 % larger or smaller, and such shared noise that of the sum 7 %.
#
# By what was measured, the best test between a person who adds to three of four and nobody is as good as was charged.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max);
use Test::More;

use DpServer;

use constant {
	STATEMENTS => 120,
	GROUPS => 1_000,
	X => 24,
	ROUNDING => 1 / 12
};

my $n = STATEMENTS * GROUPS;
my $slack = 2 * sqrt(X / $n) + 2 * X / $n;
my $server = DpServer->new('shared_noise');

# Person k is alone in group k.
$server->admin(sprintf <<'SQL', GROUPS);
CREATE TABLE people AS SELECT k AS id, k - 0.5::float8 AS place, (k %% 5)::float8 AS up, (k %% 2)::float8 AS most, - (k %% 3)::float8 AS down, k %% 2 = 0 AS m FROM generate_series(1, %d) k;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT dp_agg.protect('people', 'id');
SQL

my $query = sprintf <<'SQL', GROUPS, GROUPS;
SELECT dp_agg.bucket(place, 0, %d, %d) AS k, dp_sum(up, 0, 5) AS a, dp_sum(most, 0, 1) AS b, dp_sum(down, -3, 0) AS c, dp_count(*) FILTER (WHERE m) AS d
FROM people GROUP BY 1
SQL
my $settings = { mechanism => 'gaussian', epsilon => 0.2, delta => 1e-6 };

# Sums of squares of what noise added, as differences and sum; and of products of the sum with differences.
sub measure
{
	my ($set) = @_;
	$server->reset;
	my ($row) = $server->ask(DpServer::set_commands($settings) . $set . sprintf <<'SQL', STATEMENTS, $query);
SET client_min_messages = error;
CREATE TEMP TABLE drawn (k int, a float8, b float8, c float8, d float8);
DO $do$ BEGIN
	FOR round IN 1 .. %d LOOP
		INSERT INTO drawn %s;
	END LOOP;
END $do$;
SELECT count(*), sum((u1 - u2) ^ 2) / 2, sum((u1 + u2 - 2 * u3) ^ 2) / 6, sum((u1 + u2 + u3 - 3 * u4) ^ 2) / 12, sum((u1 + u2 + u3 + u4) ^ 2) / 4
	FROM (SELECT (a - k %% 5) / 5 AS u1, b - k %% 2 AS u2, - (c + k %% 3) / 3 AS u3, d - CASE WHEN k %% 2 = 0 THEN 1 ELSE 0 END AS u4 FROM drawn) n
SQL
	is($row->[0], $n, 'all groups are answered');
	return map { $row->[$_] / $n } 1 .. 4;
}

# What it is without sharing, and what was charged then.
my ($alone) = $server->ask(DpServer::set_commands($settings) . "SET dp_agg.shared_noise = off; SELECT max(noise_stddev) FROM dp_agg.price(\$q\$$query\$q\$) WHERE aggregate LIKE 'dp_count%'");
my $variance = $alone->[0]**2;

my @measured = measure('');
my ($charged) = $server->admin("SELECT variance_spent / " . STATEMENTS . " FROM dp_agg.budget WHERE role = 'tester'::regrole");

# Of a difference, so much of a count's rounding.
my @own = (0, 0, 0.75);
for my $i (0 .. 2)
{
	my $ratio = $measured[$i] / (0.375 * $variance + $own[$i] * ROUNDING);
	cmp_ok(abs($ratio - 1), '<=', $slack, sprintf 'difference %d has %.4f of the variance that is due to own noise', $i + 1, $ratio);
}
my $ratio = $measured[3] / (1.125 * $variance + 0.25 * ROUNDING);
cmp_ok(abs($ratio - 1), '<=', $slack, sprintf 'the sum has %.4f of the variance that own and shared noise have together', $ratio);

cmp_ok(abs($charged * $variance / 4 - 1), '<=', 1e-6, 'four aggregates are charged as without');
my $distance = 9 / 4 / $measured[3] + 3 / 4 / max(@measured[ 0 .. 2 ]);
cmp_ok($distance / $charged, '<=', 1 + $slack, sprintf 'a person who adds to three is told apart as well as %.4f of the charge', $distance / $charged);
cmp_ok($distance / $charged, '>=', 1 - 2 * $slack, 'and no worse: the charge is used');

# The same measure sees that noise is independent where that is asked.
my @independent = measure("SET dp_agg.shared_noise = off;\n");
cmp_ok(abs($independent[$_] / ($variance + ROUNDING / 4) - 1), '<=', $slack, sprintf 'without sharing, variance %d is that of independent noise', $_ + 1) for 0 .. 3;

$server->finish;
done_testing();
