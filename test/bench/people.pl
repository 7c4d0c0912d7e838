#!/usr/bin/perl
# people.pl
#	Speed of differentially private queries over one row per person, as ratios
#	to the plain aggregates in the same session, medians of interleaved runs.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the table.
#
# usage: people.pl [rows [runs]]		5,000,000 rows and 7 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs) = ($ARGV[0] // 5_000_000, $ARGV[1] // 7);

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
DROP TABLE IF EXISTS bench_people;
SELECT setseed(0.5);
CREATE TABLE bench_people AS
SELECT i::bigint AS id, 'city ' || least(1000, floor(1 / (random() + 0.001)))::int AS city,
	   (random() * 90)::int AS age, random() * 1e5 AS income,
	   (random() * 1e4)::numeric(10,2) AS cost
  FROM generate_series(1, $rows) i;
ALTER TABLE bench_people ADD PRIMARY KEY (id);
VACUUM (ANALYZE, FREEZE) bench_people;
SELECT dp_agg.protect('bench_people', 'id');
SELECT dp_agg.set_budget(current_user::regrole, 1e6, 1e-3);
SET max_parallel_workers_per_gather = 0;
SQL

my @pairs = (
	[ 'count(*)', 'count(*)', 'dp_count(*)' ],
	[ 'sum(int)', 'sum(age)', 'dp_sum(age, 0, 100)' ],
	[ 'sum(float8)', 'sum(income)', 'dp_sum(income, 0, 100000)' ],
	[ 'avg(int)', 'avg(age)', 'dp_avg(age, 0, 100)' ],
	[ 'avg(float8)', 'avg(income)', 'dp_avg(income, 0, 100000)' ],
	[ 'sum(numeric)', 'sum(cost)', 'dp_sum(cost, 0, 10000)' ],
	[ 'avg(numeric)', 'avg(cost)', 'dp_avg(cost, 0, 10000)' ],
);

printf "%-8s %-4s %-9s %-14s %10s %8s\n", qw(workers jit shape aggregate plain/ms ratio);
for my $workers (0, 2)
{
	for my $jit ('off', 'on')
	{
		query("SET max_parallel_workers_per_gather = $workers; SET jit = $jit;");
		for my $group ('', 'GROUP BY city')
		{
			for my $pair (@pairs)
			{
				my ($name, $plain, $private) = @$pair;
				my $key = $group ? 'city, ' : '';
				my ($ms, $private_ms) = medians($runs,
					"SELECT count(x) FROM (SELECT $key$plain AS x FROM bench_people $group) y",
					"SELECT count(x) FROM (SELECT $key$private AS x FROM bench_people $group) y");

				printf "%-8d %-4s %-9s %-14s %10.1f %8.3f\n", $workers, $jit,
				  $group ? 'by city' : 'whole', $name, $ms, $private_ms / $ms;
				STDOUT->flush;
			}
		}
	}
}
query("DROP TABLE bench_people;");
