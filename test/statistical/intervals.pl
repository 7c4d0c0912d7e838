# Intervals of arithmetic hold as often as they say.
#
# Each is asked 1,000 times of the same people at 0.9, with Laplace and Gaussian noise.  In private groups around the
# threshold, above it and below, differences of two groups and sums of five are asked, each group in one of them alone, so
# that they are independent; those whose groups are all answered, or the sum of those that are, count.  The number that
# hold the truth must not be one that a chance of 0.9 falls short of with probability 1e-11: for all cases together below
# 1e-9.
#
# A difference of two counts must be narrower than 0.8 of both intervals together and 7 more, as noise that is taken
# together is: sqrt(2) / 2 of them for normal noise, and less for Laplace noise.  Gaussian noise that both share is not in
# it: 0.54 of them.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;

use DpBounds qw(binomial_interval);
use DpServer;

use constant {
	RUNS => 1_000,
	ALPHA => 1e-11,
	LEVEL => 0.9
};

my $server = DpServer->new('intervals');

$server->admin(<<'SQL');
SELECT setseed(0.25);
CREATE TABLE people AS SELECT n AS id, n % 2 = 0 AS m, (20 + 50 * random() * random())::int AS age, round((1000 * random())::numeric, 2) AS cost
FROM generate_series(1, 600) n;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT dp_agg.protect('people', 'id');
CREATE TABLE payments AS SELECT id / 2 AS payer, m, age, cost FROM people;
SELECT dp_agg.protect('payments', 'payer', max_rows => 2);
SQL

# Expressions, with what they are of without noise.
my @cases = (
	[ 'dp_count(*) FILTER (WHERE m) - dp_count(*) FILTER (WHERE NOT m)', 'count(*) FILTER (WHERE m) - count(*) FILTER (WHERE NOT m)' ],
	[ 'dp_count(*) FILTER (WHERE m)::numeric / dp_count(*)', 'count(*) FILTER (WHERE m)::numeric / count(*)' ],
	[ '3 * dp_sum(age, 0, 100) - 0.5 * dp_sum(cost, 0, 1000) + dp_count(*)', '3 * sum(age) - 0.5 * sum(cost) + count(*)' ],
	[ 'dp_sum(cost, 0, 1000) / dp_count(*)', 'sum(cost) / count(*)' ],
	[ 'dp_sum(age, 0, 100) / dp_count(*)', 'sum(age) / count(*)' ],
	[ 'dp_avg(cost, 0, 1000) FILTER (WHERE m) - dp_avg(cost, 0, 1000) FILTER (WHERE NOT m)', 'avg(cost) FILTER (WHERE m) - avg(cost) FILTER (WHERE NOT m)' ],
	[ 'dp_avg(age, 0, 100) - dp_sum(age, 0, 100) / 600.0 + dp_count(*)', 'avg(age) - sum(age) / 600.0 + count(*)' ],
	[ 'dp_stddev(age, 0, 100) / dp_avg(age, 0, 100)', 'stddev(age) / avg(age)' ],
	[ 'dp_count(*) + dp_count(*) FILTER (WHERE m) + dp_count(*) FILTER (WHERE age < 30) + dp_count(*) FILTER (WHERE age < 40)',
		'count(*) + count(*) FILTER (WHERE m) + count(*) FILTER (WHERE age < 30) + count(*) FILTER (WHERE age < 40)' ],
	[ 'dp_sum(-age, -100, 0) - 100 * dp_count(*) FILTER (WHERE m) - 100 * dp_count(*)', '-sum(age) - 100 * count(*) FILTER (WHERE m) - 100 * count(*)' ]);

# Held often enough, of that many?
sub check_held
{
	my ($name, $held, $all) = @_;
	my (undef, $high) = binomial_interval($held, $all, ALPHA);
	cmp_ok($high, '>=', LEVEL, sprintf '%s: %.1f %% of %d intervals hold the truth, where %g %% are asked', $name, 100 * $held / $all, $all, 100 * LEVEL);
	return;
}

sub check_expression
{
	my ($mechanism, $table, $noisy, $exact) = @_;
	my $truth = $server->admin("SELECT ($exact)::numeric(40, 15) FROM $table");
	my $level = LEVEL;
	$server->reset;
	my ($held) = $server->draws({ mechanism => $mechanism, epsilon => 1, delta => 1e-6 }, RUNS, undef,
		"SELECT (dp_interval($noisy, $level) @> $truth)::int FROM $table");
	check_held("$mechanism: $noisy from $table", scalar(grep { $_ > 0 } @$held), scalar @$held);
	return;
}

# Private groups: of as many people as the threshold and a few more or fewer; below it, which noise alone shows; or above.
sub check_groups
{
	my ($mechanism, $where) = @_;
	my $level = LEVEL;
	my $settings = { mechanism => $mechanism, epsilon => 1, delta => 1e-3 };
	my $query = 'SELECT place, dp_count(*) AS n FROM crowd GROUP BY place';
	$server->admin("CREATE TABLE crowd (id int PRIMARY KEY, place int); SELECT dp_agg.protect('crowd', 'id')");
	my $threshold = $server->threshold($query, $settings);
	my $least = "ceil($threshold)::int";
	my $people = { around => "$least - 4 + place % 7", above => "$least + 5 * (place % 9)", below => "$least - 4" }->{$where};
	my $places = $where eq 'below' ? 40_000 : 6_000;
	$server->admin(<<"SQL");
INSERT INTO crowd SELECT row_number() OVER (), place FROM generate_series(1, $places) place, generate_series(1, $people);
CREATE TABLE truths AS SELECT place, count(*)::numeric AS c FROM crowd GROUP BY place;
GRANT SELECT ON truths TO tester;
SQL
	my %asked = (
		'differences' => "SELECT count(r), count(*) FILTER (WHERE r @> d) FROM (SELECT dp_interval(n - lag(n) OVER w, $level) AS r, c - lag(c) OVER w AS d FROM ($query) q JOIN truths USING (place) WINDOW w AS (PARTITION BY place / 2 ORDER BY place)) q",
		'sums' => "SELECT count(r), count(*) FILTER (WHERE r @> s) FROM (SELECT dp_interval(sum(n), $level) AS r, sum(c) AS s FROM ($query) q JOIN truths USING (place) GROUP BY place / 5) q",
		'ratios' => "SELECT count(r), count(*) FILTER (WHERE r @> d) FROM (SELECT dp_interval(n::numeric / lag(n) OVER w, $level) AS r, c / lag(c) OVER w AS d FROM ($query) q JOIN truths USING (place) WINDOW w AS (PARTITION BY place / 2 ORDER BY place)) q");
	for my $name ($where eq 'below' ? 'sums' : sort keys %asked)
	{
		$server->reset;
		my ($row) = $server->ask(DpServer::set_commands($settings) . "$asked{$name};");
		cmp_ok($row->[0], '>', 100, "$mechanism: $name of groups $where the threshold are answered");
		check_held("$mechanism: $name of groups $where the threshold", $row->[1], $row->[0]);
	}
	$server->admin('DROP TABLE crowd, truths');
	return;
}

sub check_width
{
	my ($mechanism) = @_;
	my ($row) = $server->ask(DpServer::set_commands({ mechanism => $mechanism, epsilon => 0.01 }) .
		  'SELECT upper(d) - lower(d), upper(a) - lower(a) + upper(b) - lower(b) FROM (SELECT dp_interval(dp_count(*) FILTER (WHERE m) - dp_count(*) FILTER (WHERE NOT m)) AS d, dp_interval(dp_count(*) FILTER (WHERE m)) AS a, dp_interval(dp_count(*) FILTER (WHERE NOT m)) AS b FROM people) q;');
	cmp_ok($row->[0], '<=', 0.8 * $row->[1] + 7, "$mechanism: a difference is narrower than both together");
	cmp_ok($row->[0], '>=', ($mechanism eq 'gaussian' ? 0.53 : 0.6) * $row->[1], "$mechanism: and wider than one");
	return;
}

for my $mechanism (qw(laplace gaussian))
{
	check_expression($mechanism, 'people', @$_) for @cases;
	check_expression($mechanism, 'payments', @$_) for @cases[ 0, 5 ], [ 'dp_sum(cost, 0, 2000) / dp_count(*)', 'sum(cost) / count(*)' ];
	check_groups($mechanism, $_) for qw(around above below);
	check_width($mechanism);
}
$server->finish;
done_testing();
