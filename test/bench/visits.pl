#!/usr/bin/perl
# visits.pl
#	Speed of differentially private queries over many rows per person, as ratios
#	to the plain query in the same session, medians of interleaved runs; and, as
#	a third in turn, the best that PostgreSQL's own nodes make of the same
#	bounded query: nested GROUP BYs, with row_number() where groups are limited.
#
# Heavy-tailed: a patient has 18 rows in the median, 350 in the 99th percentile,
# a few thousand at most, 40 on average, in 3.7 of 200 clinics on average.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the table.
#
# usage: visits.pl [rows [runs [pattern]]]		20,000,000 rows and 5 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 20_000_000, $ARGV[1] // 5, $ARGV[2] // '');
my $patients = int($rows / 40);

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
DROP TABLE IF EXISTS bench_visits;
SELECT setseed(0.5);
CREATE TABLE bench_visits AS
WITH patients AS (
	SELECT i AS patient, floor(random() * 200)::int AS home, 1 + floor(-4 * ln(1 - random()))::int AS clinics,
		   greatest(1, least(7480, exp(ln(18) + 1.27 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))))::int AS visits
	  FROM generate_series(1, $patients) i)
SELECT patient::bigint AS patient, clinic, 'clinic number ' || clinic AS name,
	   (random() * 300)::int AS cost, (random() * 60)::int AS minutes
  FROM (SELECT patient, (home + 37 * floor(random() * clinics)::int) % 200 AS clinic
		  FROM patients, generate_series(1, visits)) v
 ORDER BY random();
VACUUM (ANALYZE, FREEZE) bench_visits;
SELECT dp_agg.protect('bench_visits', 'patient');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9;
SET jit = off;
SQL
my ($shape) = query(<<'SQL');
SELECT format('%s rows, %s patients: median %s rows, p99 %s, most %s; %s clinics on average', sum(n), count(*),
	   percentile_disc(0.5) WITHIN GROUP (ORDER BY n), percentile_disc(0.99) WITHIN GROUP (ORDER BY n), max(n), round(avg(c), 2))
  FROM (SELECT count(*) AS n, count(DISTINCT clinic) AS c FROM bench_visits GROUP BY patient) p;
SQL
print "$shape\n";

# What a stock rewriter could emit.  All forms return one row.
sub stock
{
	my ($key, $inner, $outer, $groups) = @_;
	my $by = $key ? ", $key" : '';
	my $units = "SELECT patient$by, $inner FROM bench_visits GROUP BY patient$by";

	$units = "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY patient ORDER BY random()) AS rank FROM ($units) u) r
		WHERE rank <= $groups" if $groups;
	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$outer FROM ($units) x" . ($key ? " GROUP BY $key" : '') . ') y';
}

sub grouped
{
	my ($key, $columns) = @_;
	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$columns FROM bench_visits" . ($key ? " GROUP BY $key" : '') . ') y';
}

my @sum = ('sum(cost)', 'dp_sum(cost, 0, 1000)', 'sum(cost) AS s', 'sum(least(s, 1000))');
my @three = (
	'count(*), sum(cost), avg(minutes)', 'dp_count(*), dp_sum(cost, 0, 1000), dp_avg(minutes, 0, 60)',
	'count(*) AS c, sum(cost) AS s, sum(minutes) AS m', 'sum(least(c, 3)), sum(least(s, 1000)), sum(m * least(c, 3) / c)');
my @units = ('count(DISTINCT patient)', 'dp_count(DISTINCT patient)', 'count(*) AS c', 'count(*)');

# Name, goal, key, max_groups, aggregates: plain, private, stock inside, stock outside.
my @cases = (
	[ 'clamp by integer', 0.8, 'clinic', 200, @sum ],
	[ 'clamp by text', 1.2, 'name', 200, @sum ],
	[ 'three by integer', 1.2, 'clinic', 200, @three ],
	[ 'four groups by integer', 0.9, 'clinic', 4, @sum ],
	[ 'four groups by text', 1.3, 'name', 4, @sum ],
	[ 'four groups, three', 1.3, 'clinic', 4, @three ],
	[ 'clamp, ungrouped', 1.3, '', 1, @sum ],
	[ 'units, ungrouped', 0.4, '', 1, @units ],
	[ 'units by integer', 0.25, 'clinic', 200, @units ],
);

printf "%-24s %7s %-9s %9s %6s %6s %12s\n", 'query', 'workers', 'work_mem', 'plain/ms', 'goal', 'ratio', 'stock/private';
for my $setting ([ '256MB', 0 ], [ '4MB', 0 ], [ '256MB', 2 ])
{
	my ($work_mem, $workers) = @$setting;
	query("SET work_mem = '$work_mem'; SET max_parallel_workers_per_gather = $workers;");
	for my $case (grep { "$_->[0] $work_mem $workers" =~ /$pattern/ } @cases)
	{
		my ($name, $goal, $key, $groups, $plain, $private, $inside, $outside) = @$case;
		query("SET dp_agg.max_groups_per_unit = $groups; SET dp_agg.max_rows_per_unit = 3;");
		my ($a, $b, $c) = medians($runs, grouped($key, $plain), grouped($key, $private),
			stock($key, $inside, $outside, $groups < 200 && $key ? $groups : 0));
		printf "%-24s %7d %-9s %9.1f %6.2f %6.3f %12.2f\n", $name, $workers, $work_mem, $a, $goal, $b / $a, $c / $b;
		STDOUT->flush;
	}
}
query("DROP TABLE bench_visits;");
