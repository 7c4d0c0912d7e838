#!/usr/bin/perl
# mechanisms.pl
#	Speed of moments, quantiles and histograms as ratios to what PostgreSQL
#	computes by itself, over one row per person and over forty: processor time
#	of all processes, and elapsed time, in medians of interleaved runs.
#
# Goals, of processor time: 1.2 for moments and histograms, 0.5 for quantiles.
#
# Needs a server on this machine reached by the usual PG* variables as a
# superuser, with dp_agg preloaded and shared_buffers that hold the tables, each
# about 300 MB for 5,000,000 rows.
#
# usage: mechanisms.pl [rows [runs [pattern]]]		5,000,000 rows and 7 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 5_000_000, $ARGV[1] // 7, $ARGV[2] // '');
my $persons = int($rows / 40);
my $values = <<'SQL';
	(random() * 90)::int AS age, random() * 1e5 AS income, (random() * 1e4)::numeric(10,2) AS cost,
	timestamp '2020-01-01' + random() * interval '1 year' AS at
SQL

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
DROP TABLE IF EXISTS bench_one, bench_many;
SELECT setseed(0.5);
CREATE UNLOGGED TABLE bench_one AS
SELECT i::bigint AS id, i % 100 AS grp, $values FROM generate_series(1, $rows) i;
ALTER TABLE bench_one ADD PRIMARY KEY (id);
CREATE UNLOGGED TABLE bench_many AS
SELECT id, id % 100 AS grp, $values
  FROM (SELECT 1 + floor(power(random(), 2) * $persons)::bigint AS id FROM generate_series(1, $rows)) r;
VACUUM (ANALYZE, FREEZE) bench_one, bench_many;
SELECT dp_agg.protect('bench_one', 'id'), dp_agg.protect('bench_many', 'id', 'default', 100, 1);
SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-3);
SET jit = off;
SET work_mem = '256MB';
SQL

# What is compared: name, goal, plain, private; %s is the table.
sub aggregates
{
	my ($name, $goal, $plain, $private) = @_;
	return [ $name, $goal, map { "SELECT $_ FROM %s" } $plain, $private ];
}

sub quantile
{
	my ($name, $column, $most) = @_;
	return aggregates("median $name", 0.5, "percentile_cont(0.5) WITHIN GROUP (ORDER BY $column)", "dp_median($column, 0, $most)");
}

sub histogram
{
	my ($name, $column, $most) = @_;
	return [ "histogram $name", 1.2, "SELECT width_bucket($column, 0, $most, 50), count(*) FROM %s GROUP BY 1",
		"SELECT bin, count FROM dp_histogram('%s', '$column', 0, $most, 50)" ];
}

my @cases = (
	aggregates('var_samp int', 1.2, 'var_samp(age)', 'dp_variance(age, 0, 100)'),
	aggregates('var_samp float8', 1.2, 'var_samp(income)', 'dp_variance(income, 0, 100000)'),
	aggregates('var_samp numeric', 1.2, 'var_samp(cost)', 'dp_variance(cost, 0, 10000)'),
	aggregates('stddev float8', 1.2, 'stddev(income)', 'dp_stddev(income, 0, 100000)'),
	aggregates('covar_samp', 1.2, 'covar_samp(income, age)', 'dp_covar_samp(income, age, 0, 100000, 0, 100)'),
	aggregates('regr_slope', 1.2, 'regr_slope(income, age)', 'dp_regr_slope(income, age, 0, 100000, 0, 100)'),
	aggregates('corr', 1.2, 'corr(income, age)', 'dp_corr(income, age, 0, 100000, 0, 100)'),
	quantile('int', 'age', 100),
	quantile('float8', 'income', 100000),
	quantile('numeric', 'cost', 10000),
	aggregates('three quantiles', 0.5, 'percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY income)',
		join ', ', map { "dp_quantile(income, $_, 0, 100000)" } 0.25, 0.5, 0.75),
	histogram('int', 'age', 100),
	histogram('float8', 'income', 100000),
	histogram('numeric', 'cost', 10000),
	[ 'histogram timestamp', 1.2, "SELECT date_bin('7 days', at, '2020-01-01'), count(*) FROM %s GROUP BY 1",
		"SELECT bin, count FROM dp_histogram('%s', 'at', timestamp '2020-01-01', timestamp '2020-12-30', 52)" ],
);

printf "%-10s %-7s %-20s %9s %6s %6s %8s\n", qw(table workers query plain/ms goal cpu elapsed);
for my $table ('bench_one', 'bench_many')
{
	for my $workers (0, 2)
	{
		query("SET max_parallel_workers_per_gather = $workers;");
		for my $case (@cases)
		{
			my ($name, $goal, @forms) = @$case;
			next unless "$table $workers $name" =~ /(?:$pattern)/;
			my ($plain, $private) = both_medians($runs, map { sprintf "SELECT count(y) FROM ($_) y", $table } @forms);
			printf "%-10s %-7d %-20s %9.1f %6.2f %6s %8.3f\n", $table, $workers, $name, $plain->[0], $goal,
			  $plain->[1] ? sprintf('%.3f', $private->[1] / $plain->[1]) : '', $private->[0] / $plain->[0];
			STDOUT->flush;
		}
	}
}
query('DROP TABLE bench_one, bench_many;');
