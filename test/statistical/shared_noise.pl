# Noise that counts and sums of one row share, or of all groups, is of the size that it is said to be, and of the signs.
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
#
# Then 24,000 blocks ask for twelve groups that are public, of persons who are in some of them: for counts, and for counts and
# sums of values that are not positive.  All D totals share noise.  Deviations from the mean of a block have own noise alone, with
# 24,000 (D - 1) degrees of freedom; means have 24,000, and 6.5 % of slack.  Such shared noise that is 5 % too large makes theirs 7 %
# larger or more, and that of a person's distance is seen with the slack of both.
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
	BLOCKS => 24_000,
	ARMS => 48,
	PUBLIC => 12,
	NORMAL => 1.959964,
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

# A person is in as many groups as count, or in one.
sub make_stays
{
	my ($groups) = @_;
	$server->admin(sprintf <<'SQL', $groups, $groups);
DROP TABLE IF EXISTS stays;
CREATE TABLE stays AS SELECT p AS person, k - 0.5::float8 AS place, - (k %% 3)::float8 AS down FROM generate_series(1, 3) p, generate_series(1, %d) k WHERE p = 2 OR k <= 2;
SELECT dp_agg.protect('stays', 'person', max_rows => 1, max_groups => %d);
SQL
	return;
}

# What is due to own noise, to what is shared, and how far a person is off, for a variance of 1 without sharing.
sub due
{
	my ($moved, $totals) = @_;
	my ($least, $own, $shared);
	for my $part (map { $_ / 64 } 1 .. 32)
	{
		my $root = sqrt($moved * (1 - 2 * $part) + $totals * $part**2);
		my $variance = ($root + $part)**2 / $moved;
		($least, $own, $shared) = ($variance, $root * ($root + $part) / $moved, $part * ($root + $part) / $moved) if !defined $least || $variance < $least;
	}
	return ($own, $shared);
}

# Noise that all groups share, of so many aggregates, of persons in so many groups.
sub check_across
{
	my ($groups, @aggregates) = @_;
	make_stays($groups);
	my $totals = PUBLIC * @aggregates;
	my $block = sprintf 'SELECT dp_agg.bucket(place, 0, %d, %d) AS k, %s FROM stays GROUP BY 1', PUBLIC, PUBLIC, join ', ', map { $_->{ask} } @aggregates;
	my $set = DpServer::set_commands({ %$settings, clipping => 'fixed' });
	my ($line) = $server->ask($set . "SET dp_agg.shared_noise = off; SELECT max(noise_stddev) FROM dp_agg.price(\$q\$$block\$q\$) WHERE aggregate LIKE 'dp_count%'");
	my $before = $line->[0]**2;
	my @units = map { "($_->{name} - ($_->{exact})) / $_->{most}" } @aggregates;
	my $columns = join ', ', map { "$_->{name} float8" } @aggregates;
	my $all = join ' UNION ALL ', map { "SELECT $_, b.* FROM ($block) b" } 1 .. ARMS;
	my ($sum, $squares) = (join(' + ', @units), join(' + ', map { "($_) ^ 2" } @units));
	$server->reset;
	my ($row) = $server->ask($set . sprintf <<'SQL', $columns, BLOCKS / ARMS, $all, $sum, $squares);
SET client_min_messages = error;
CREATE TEMP TABLE drawn (arm int, k int, %s, round int);
DO $do$ BEGIN
	FOR round IN 1 .. %d LOOP
		INSERT INTO drawn SELECT b.*, round FROM (%s) b;
	END LOOP;
END $do$;
SELECT count(*), sum(s ^ 2), sum(q) FROM (SELECT sum(%s) AS s, sum(%s) AS q FROM drawn GROUP BY round, arm) n
SQL
	my ($blocks, $of_sums, $of_squares) = @$row;
	is($blocks, BLOCKS, 'all blocks are answered');
	my $mean = $of_sums / $totals / $blocks;
	my $own = ($of_squares / $blocks - $mean) / ($totals - 1);
	my ($due_own, $due_shared) = due($groups * @aggregates, $totals);
	my $rounded = ROUNDING / @aggregates;
	my $what = sprintf '%d aggregates of %d groups, of persons in %d', scalar @aggregates, PUBLIC, $groups;
	my $slack_of = sub { 2 * sqrt(X / $_[0]) + 2 * X / $_[0] };
	my $ratio = $own / ($due_own * $before + $rounded);
	cmp_ok(abs($ratio - 1), '<=', $slack_of->($blocks * ($totals - 1)), sprintf '%s: deviations have %.4f of the variance that is due to own noise', $what, $ratio);
	$ratio = $mean / (($due_own + $totals * $due_shared) * $before + $rounded);
	cmp_ok(abs($ratio - 1), '<=', $slack_of->($blocks), sprintf '%s: the sum has %.4f of the variance that own and shared noise have together', $what, $ratio);
	my ($charge) = $server->admin("SELECT variance_spent / " . BLOCKS . " FROM dp_agg.budget WHERE role = 'tester'::regrole");
	my $moved = $groups * @aggregates;
	cmp_ok(abs($charge * $before / $moved - 1), '<=', 1e-6, "$what: charged as without");
	my $off = $moved / $own - ($moved**2 / $totals) * (1 / $own - 1 / $mean);
	cmp_ok($off / $charge, '<=', 1 + $slack_of->($blocks), sprintf '%s: a person in as many is told apart as well as %.4f of the charge', $what, $off / $charge);
	cmp_ok($off / $charge, '>=', 1 - $slack_of->($blocks), "$what: and no worse");

	# By these variances, totals over groups and differences of groups have the intervals that they are given.
	my $of_one = $own + ($mean - $own) / $totals;
	my %variance = ('sum(n) OVER (ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)' => PUBLIC * $own + PUBLIC**2 * ($mean - $own) / $totals, 'n - lag(n) OVER (ORDER BY k)' => 2 * $own, 'n' => $of_one);
	for my $form (sort keys %variance)
	{
		my ($width) = $server->ask("${set}SELECT upper(i) - lower(i) FROM (SELECT k, dp_interval($form) AS i FROM ($block) b) s ORDER BY k DESC LIMIT 1");
		$ratio = $width->[0]**2 / (2 * NORMAL)**2 / $variance{$form};
		cmp_ok(abs($ratio - 1), '<=', 0.05 + $slack_of->($blocks), sprintf '%s: the interval of %s is as wide as %.3f of that variance', $what, $form, $ratio);
	}
	return;
}

my $count = { ask => 'dp_count(*) AS n', name => 'n', most => 1 };
check_across(7, { %$count, exact => 'CASE WHEN k <= 2 THEN 3 WHEN k <= 7 THEN 1 ELSE 0 END' });
check_across(9, { %$count, exact => 'CASE WHEN k <= 2 THEN 3 WHEN k <= 9 THEN 1 ELSE 0 END' }, { ask => 'dp_sum(down, -3, 0) AS c', name => 'c', most => -3, exact => 'CASE WHEN k <= 9 THEN - (k % 3) * CASE WHEN k <= 2 THEN 3 ELSE 1 END ELSE 0 END' });

$server->finish;
done_testing();
