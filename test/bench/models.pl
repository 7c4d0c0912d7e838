#!/usr/bin/perl
# models.pl
#	Speed of regressions, choices among models and synthetic rows as ratios to a plain query
#	that reads the same columns, over one row per person and over forty, elapsed time in
#	medians of interleaved runs; with a work_mem of 256 MB, and with PostgreSQL's defaults.
#
# Goals, where each row is a person: a regression of ten columns takes at most 3 times regr_slope of two, each pass of
# a logistic one no longer than regr_slope, and synthetic rows no longer than a GROUP BY of all their columns.
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
DROP TABLE IF EXISTS bench_one, bench_many, bench_ten;
SELECT setseed(0.5);
CREATE UNLOGGED TABLE bench_one AS SELECT i::bigint AS id, (i % 100)::int AS grp, $values FROM generate_series(1, $rows) i;
ALTER TABLE bench_one ADD PRIMARY KEY (id);
CREATE UNLOGGED TABLE bench_many AS SELECT id, (id % 100)::int AS grp, $values FROM (SELECT 1 + floor(power(random(), 2) * $persons)::bigint AS id FROM generate_series(1, $rows)) r;
CREATE UNLOGGED TABLE bench_ten AS SELECT i::bigint AS id, random() * 1e5 AS y, (random() * 90)::int AS a, (random() * 90)::int AS b, random() * 10 AS c, random() * 10 AS d,
	random() * 10 AS e, random() * 10 AS f, random() * 10 AS g, random() * 10 AS h, random() < 0.3 AS sick, 'city ' || (3 * random() ^ 2)::int AS city FROM generate_series(1, $rows) i;
ALTER TABLE bench_ten ADD PRIMARY KEY (id);
VACUUM (ANALYZE, FREEZE) bench_one, bench_many, bench_ten;
SELECT dp_agg.protect('bench_ten', 'id'), dp_agg.protect('bench_one', 'id'), dp_agg.protect('bench_many', 'id', 'default', 100, 1);
SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-3);
SET jit = off;
SQL

my $cities = join ', ', map { qq("city $_") } 0 .. 9;
my $ten = '{"a": [0, 90], "b": [0, 90], ' . join(', ', map { qq("$_": [0, 10]) } 'c' .. 'h') . ', "sick": true, "city": ["city 0", "city 1", "city 2"]}';
my $y_ten = $ten =~ s/"sick": true/"y": [0, 100000]/r;
my @conditions = map { "age > $_" } 10, 20, 30, 40, 50;
my $losses = join ', ', map { "sum(least(4, ln(1 + exp(CASE WHEN sick THEN -1 ELSE 1 END * ($_ - age / 45.0::float8)))))" } -2 .. 2;

# What is compared: name, plain, private; %s is the table.
my @cases = (
	[ 'regression, 1 column', 'SELECT regr_slope(income, age) FROM %s', q{SELECT coef FROM dp_linregr('%s', 'income', 0, 100000, '{"age": [0, 100]}')} ],
	[ 'regression, 3 numbers', 'SELECT regr_slope(income, age) FROM %s', q{SELECT coef FROM dp_linregr('%s', 'income', 0, 100000, '{"age": [0, 100], "cost": [0, 10000], "grp": [0, 100]}')} ],
	[ 'regression, 10 keys', 'SELECT city, regr_slope(income, age) FROM %s GROUP BY 1', qq{SELECT coef FROM dp_linregr('%s', 'income', 0, 100000, '{"age": [0, 100], "city": [$cities]}')} ],
	[ 'logistic, no passes', 'SELECT regr_slope(income, age) FROM %s', q{SELECT coef FROM dp_logregr('%s', 'sick', '{"age": [0, 100], "income": [0, 100000]}', 0)} ],
	[ 'logistic, 2 passes', 'SELECT regr_slope(income, age) FROM %s', q{SELECT coef FROM dp_logregr('%s', 'sick', '{"age": [0, 100], "income": [0, 100000]}', 2)} ],
	[ '5 conditions', 'SELECT ' . join(', ', map { "count(*) FILTER (WHERE ($_) <> sick)" } @conditions) . ' FROM %s',
		q{SELECT "position" FROM dp_select_model('%s', 'sick', ARRAY[} . join(', ', map { "'$_'" } @conditions) . '])' ],
	[ '5 models', "SELECT $losses FROM %s", q{SELECT "position" FROM dp_select_model('%s', 'sick', '{"age": [0, 90]}', ARRAY[[-1, -1], [-0.5, -1], [0, -1], [0.5, -1], [1, -1]], 'logistic', 4)} ],
	[ 'synthetic, 2 columns', 'SELECT age, sick, count(*) FROM %s GROUP BY 1, 2', q{SELECT age FROM dp_synthesize('%s', '{"age": [0, 90, 90], "sick": true}', 10000) AS (age int, sick boolean)} ],
	[ 'synthetic, 5 columns', 'SELECT age, city, sick, width_bucket(income, 0, 100000, 20), grp / 5, count(*) FROM %s GROUP BY 1, 2, 3, 4, 5',
		qq{SELECT age FROM dp_synthesize('%s', '{"age": [0, 90, 90], "city": [$cities], "sick": true, "income": [0, 100000, 20], "grp": [0, 100, 20]}', 10000) AS (age int, city text, sick boolean, income float8, grp int)} ]);

my @ten = (
	[ 'regression, 10 columns', 'SELECT regr_slope(y, a) FROM %s', "SELECT coef FROM dp_linregr('%s', 'y', 0, 100000, '$ten')" ],
	map { [ "logistic, 10, $_ passes", 'SELECT regr_slope(y, a) FROM %s', "SELECT coef FROM dp_logregr('%s', 'sick', '$y_ten', $_)" ] } 0, 2);

printf "%-10s %-8s %-7s %-24s %9s %8s\n", qw(table settings workers query plain/ms ratio);
for my $table ('bench_one', 'bench_ten', 'bench_many')
{
	for my $setting ([ '256MB', 0 ], [ '256MB', 2 ], [ 'default', 2 ])
	{
		my ($work_mem, $workers) = @$setting;
		query("SET max_parallel_workers_per_gather = $workers; SET work_mem = " . ($work_mem eq 'default' ? 'DEFAULT' : "'$work_mem'") . ';');
		for my $case ($table eq 'bench_ten' ? @ten : @cases)
		{
			my ($name, @forms) = @$case;
			next unless "$table $work_mem $workers $name" =~ /(?:$pattern)/;
			my ($plain, $private) = medians($runs, map { sprintf "SELECT count(y) FROM ($_) y", $table } @forms);
			printf "%-10s %-8s %-7d %-24s %9.1f %8.3f\n", $table, $work_mem, $workers, $name, $plain, $private / $plain;
			STDOUT->flush;
		}
	}
}
query('DROP TABLE bench_one, bench_many, bench_ten;');
