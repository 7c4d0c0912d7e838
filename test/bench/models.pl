#!/usr/bin/perl
# models.pl
#	Speed of regressions, choices among models and synthetic rows as ratios to a plain query
#	that reads the same columns, over one row per person and over forty, elapsed time in
#	medians of interleaved runs; with a work_mem of 256 MB, and with PostgreSQL's defaults.
#
# Goals, where each row is a person: a regression takes at most 3 times regr_slope, synthetic rows
# no longer than a GROUP BY of all their columns.
#
# Needs what mechanisms.pl needs.
#
# usage: models.pl [rows [runs [pattern]]]		5,000,000 rows and 7 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 5_000_000, $ARGV[1] // 7, $ARGV[2] // '');
my $persons = int($rows / 40);
my $values = q{(random() * 90)::int AS age, random() * 1e5 AS income, (random() * 1e4)::numeric(10,2) AS cost, 'city ' || (10 * random() ^ 2)::int AS city, random() < 0.3 AS sick};

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
DROP TABLE IF EXISTS bench_one, bench_many;
SELECT setseed(0.5);
CREATE UNLOGGED TABLE bench_one AS SELECT i::bigint AS id, (i % 100)::int AS grp, $values FROM generate_series(1, $rows) i;
ALTER TABLE bench_one ADD PRIMARY KEY (id);
CREATE UNLOGGED TABLE bench_many AS SELECT id, (id % 100)::int AS grp, $values FROM (SELECT 1 + floor(power(random(), 2) * $persons)::bigint AS id FROM generate_series(1, $rows)) r;
VACUUM (ANALYZE, FREEZE) bench_one, bench_many;
SELECT dp_agg.protect('bench_one', 'id'), dp_agg.protect('bench_many', 'id', 'default', 100, 1);
SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-3);
SET jit = off;
SQL

my $cities = join ', ', map { qq("city $_") } 0 .. 9;
my @conditions = map { "age > $_" } 10, 20, 30, 40, 50;
my $losses = join ', ', map { "sum(least(4, ln(1 + exp(CASE WHEN sick THEN -1 ELSE 1 END * ($_ - age / 45.0::float8)))))" } -2 .. 2;

# What is compared: name, plain, private; %s is the table.
my @cases = (
	[ 'regression, 1 column', 'SELECT regr_slope(income, age) FROM %s', q{SELECT coef FROM dp_linregr('%s', 'income', 0, 100000, '{"age": [0, 100]}')} ],
	[ 'regression, 3 numbers', 'SELECT regr_slope(income, age) FROM %s', q{SELECT coef FROM dp_linregr('%s', 'income', 0, 100000, '{"age": [0, 100], "cost": [0, 10000], "grp": [0, 100]}')} ],
	[ 'regression, 10 keys', 'SELECT city, regr_slope(income, age) FROM %s GROUP BY 1', qq{SELECT coef FROM dp_linregr('%s', 'income', 0, 100000, '{"age": [0, 100], "city": [$cities]}')} ],
	[ '5 conditions', 'SELECT ' . join(', ', map { "count(*) FILTER (WHERE ($_) <> sick)" } @conditions) . ' FROM %s',
		q{SELECT "position" FROM dp_select_model('%s', 'sick', ARRAY[} . join(', ', map { "'$_'" } @conditions) . '])' ],
	[ '5 models', "SELECT $losses FROM %s", q{SELECT "position" FROM dp_select_model('%s', 'sick', '{"age": [0, 90]}', ARRAY[[-1, -1], [-0.5, -1], [0, -1], [0.5, -1], [1, -1]], 'logistic', 4)} ],
	[ 'synthetic, 2 columns', 'SELECT age, sick, count(*) FROM %s GROUP BY 1, 2', q{SELECT age FROM dp_synthesize('%s', '{"age": [0, 90, 90], "sick": true}', 10000) AS (age int, sick boolean)} ],
	[ 'synthetic, 5 columns', 'SELECT age, city, sick, width_bucket(income, 0, 100000, 20), grp / 5, count(*) FROM %s GROUP BY 1, 2, 3, 4, 5',
		qq{SELECT age FROM dp_synthesize('%s', '{"age": [0, 90, 90], "city": [$cities], "sick": true, "income": [0, 100000, 20], "grp": [0, 100, 20]}', 10000) AS (age int, city text, sick boolean, income float8, grp int)} ]);

printf "%-10s %-8s %-7s %-24s %9s %8s\n", qw(table settings workers query plain/ms ratio);
for my $table ('bench_one', 'bench_many')
{
	for my $setting ([ '256MB', 0 ], [ '256MB', 2 ], [ 'default', 2 ])
	{
		my ($work_mem, $workers) = @$setting;
		query("SET max_parallel_workers_per_gather = $workers; SET work_mem = " . ($work_mem eq 'default' ? 'DEFAULT' : "'$work_mem'") . ';');
		for my $case (@cases)
		{
			my ($name, @forms) = @$case;
			next unless "$table $work_mem $workers $name" =~ /(?:$pattern)/;
			my ($plain, $private) = medians($runs, map { sprintf "SELECT count(y) FROM ($_) y", $table } @forms);
			printf "%-10s %-8s %-7d %-24s %9.1f %8.3f\n", $table, $work_mem, $workers, $name, $plain, $private / $plain;
			STDOUT->flush;
		}
	}
}
query('DROP TABLE bench_one, bench_many;');
