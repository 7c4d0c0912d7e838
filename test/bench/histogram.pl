#!/usr/bin/perl
# histogram.pl
#	Speed of dp_histogram and its like over one row per person, as ratios to the
#	plain query that counts the same by GROUP BY, medians of interleaved runs.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the table.
#
# usage: histogram.pl [rows [runs]]		5,000,000 rows and 7 runs by default
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Session;

my ($rows, $runs) = ($ARGV[0] // 5_000_000, $ARGV[1] // 7);

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
DROP TABLE IF EXISTS bench_values;
SELECT setseed(0.5);
CREATE TABLE bench_values AS
SELECT i::bigint AS id, 'city ' || least(1000, floor(1 / (random() + 0.001)))::int AS city,
	   (random() * 90)::int AS age, random() * 1e5 AS income, (random() * 1e4)::numeric(10,2) AS cost,
	   timestamp '2020-01-01' + random() * interval '1 year' AS at
  FROM generate_series(1, $rows) i;
ALTER TABLE bench_values ADD PRIMARY KEY (id);
VACUUM (ANALYZE, FREEZE) bench_values;
SELECT dp_agg.protect('bench_values', 'id');
SELECT dp_agg.set_budget(current_user::regrole, 1e6, 1e-3);
SQL

my $cities = join ', ', map { "'city $_'" } 1 .. 100;
my $in = "city IN ($cities)";
my @above = map { "age > $_" } 80, 70, 60, 50, 40;
my $predicates = join ', ', map { "'$_'" } @above;
my $counts = join ', ', map { "count(*) FILTER (WHERE $_)" } @above;

# What is compared: name, plain, private.
my @pairs = (
	[ 'float8, 50 bins', 'SELECT width_bucket(income, 0, 100000, 50), count(*) FROM bench_values GROUP BY 1',
		"SELECT bin, count FROM dp_histogram('bench_values', 'income', 0, 100000, 50)" ],
	[ 'int, 50 bins', 'SELECT width_bucket(age, 0, 100, 50), count(*) FROM bench_values GROUP BY 1',
		"SELECT bin, count FROM dp_histogram('bench_values', 'age', 0, 100, 50)" ],
	[ 'numeric, 50 bins', 'SELECT width_bucket(cost, 0, 10000, 50), count(*) FROM bench_values GROUP BY 1',
		"SELECT bin, count FROM dp_histogram('bench_values', 'cost', 0, 10000, 50)" ],
	[ 'timestamp, 52 bins', "SELECT date_bin('7 days', at, '2020-01-01'), count(*) FROM bench_values GROUP BY 1",
		"SELECT bin, count FROM dp_histogram('bench_values', 'at', timestamp '2020-01-01', timestamp '2020-12-30', 52)" ],
	[ '100 categories', "SELECT city, count(*) FROM bench_values WHERE $in GROUP BY 1",
		"SELECT key, count FROM dp_histogram('bench_values', 'city', ARRAY[$cities])" ],
	[ 'tree, 1000 bins', 'SELECT width_bucket(income, 0, 100000, 1000), count(*) FROM bench_values GROUP BY 1',
		"SELECT bin, cumulative FROM dp_cumulative('bench_values', 'income', 0, 100000, 1000)" ],
	[ 'greatest of 100', "SELECT city, count(*) FROM bench_values WHERE $in GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
		"SELECT candidate FROM dp_noisy_max('bench_values', 'city', ARRAY[$cities])" ],
	[ 'top 5', 'SELECT city, count(*) FROM bench_values GROUP BY 1 ORDER BY 2 DESC LIMIT 5',
		"SELECT candidate FROM dp_top('bench_values', 'city', 5)" ],
	[ '5 conditions', "SELECT $counts FROM bench_values",
		"SELECT predicate FROM dp_above_threshold('bench_values', ARRAY[$predicates], 1000)" ],
);

printf "%-8s %-20s %10s %8s\n", qw(workers query plain/ms ratio);
for my $workers (0, 2)
{
	query("SET max_parallel_workers_per_gather = $workers; SET jit = off;");
	for my $pair (@pairs)
	{
		my ($name, @statements) = @$pair;
		my ($plain, $private) = medians($runs, map { "SELECT count(y) FROM ($_) y" } @statements);
		printf "%-8d %-20s %10.1f %8.3f\n", $workers, $name, $plain, $private / $plain;
		STDOUT->flush;
	}
}
query("DROP TABLE bench_values;");
