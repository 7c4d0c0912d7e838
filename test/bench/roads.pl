#!/usr/bin/perl
# roads.pl
#	Speed of the road that all rows take, on tables of several shapes, at several sizes
#	of work_mem, in one process and in three: ratios of elapsed times to the plain query
#	in the same number of processes, medians of interleaved runs.
#
# Tables, of 3,000,000 rows each by default:
#
#	 dense		300,000 units of 10 rows in 3.7 of 200 groups on average
#	 sparse		100,000 units in 26 of 30 groups, with 30 rows
#	 heavy		a heavy tail: units of 8 rows in the median, of thousands at most
#	 single		a row for each unit, which no index says
#	 half		half of the rows are one unit's
#	 many		250,000 groups of 12 rows, in each unit 12 of them
#
# Each has an integer key, the same as text, and an integer and a float8 value.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the tables, half a gigabyte for each million rows.
#
# usage: roads.pl [rows [runs [pattern]]]		3,000,000 rows and 3 runs by default
#
# The pattern selects lines, such as 'sum by integer dense 4MB 1'.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 3_000_000, $ARGV[1] // 3, $ARGV[2] // '');

# How row i comes to its unit and its group.
my %shape = (
	dense => [ "i % ($rows / 10)", "((i % ($rows / 10)) * 7 + (i / ($rows / 10)) % 4 * 37 * (i % 3)) % 200" ],
	sparse => [ "i % ($rows / 30)", "i / ($rows / 30) % 26" ],
	heavy => [ "floor($rows / 16 * power(random(), 3))", "floor(random() * random() * 100)" ],
	single => [ 'i', 'i % 50' ],
	half => [ "CASE WHEN i % 2 = 0 THEN 0 ELSE i % ($rows / 20) END", 'i / 2 % 100' ],
	many => [ "i % ($rows / 12)", "(i * 7919::bigint) % 250000" ],
);
my @tables = qw(dense sparse heavy single half many);

query('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS dp_agg; SELECT setseed(0.5);');
for my $name (@tables)
{
	my ($made) = query("SELECT count(*) FROM pg_class WHERE oid = to_regclass('roads_$name') AND obj_description(oid) = '$rows rows';");
	my ($unit, $key) = @{ $shape{$name} };

	query(<<"SQL") unless $made;
DROP TABLE IF EXISTS roads_$name;
CREATE UNLOGGED TABLE roads_$name AS
SELECT u * 31 AS unit, k AS key, 'group number ' || k AS name, i % 300 AS amount, (i % 997) / 7.0::float8 AS weight
  FROM (SELECT i, ($unit)::int AS u, ($key)::int AS k FROM generate_series(0, $rows - 1) i OFFSET 0) r
 ORDER BY hashint4(i);
VACUUM (ANALYZE, FREEZE) roads_$name;
COMMENT ON TABLE roads_$name IS '$rows rows';
SELECT dp_agg.protect('roads_$name', 'unit', max_rows => 1000, max_groups => 30);
SQL
}
query(<<'SQL');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET jit = off;
SQL

# Name, key, plain and private aggregates, and goals at 4 MB and above.
my @three = ('count(*), sum(amount), avg(weight)', 'dp_count(*), dp_sum(amount, 0, 1000), dp_avg(weight, 0, 200)');
my @cases = (
	[ 'sum by integer', 'key', 'sum(amount)', 'dp_sum(amount, 0, 1000)', 0.50, 0.45 ],
	[ 'sum by text', 'name', 'sum(amount)', 'dp_sum(amount, 0, 1000)', 0.60, 0.55 ],
	[ 'three by integer', 'key', @three, 0.60, 0.55 ],
	[ 'units by integer', 'key', 'count(DISTINCT unit)', 'dp_count(DISTINCT unit)', 0.25, 0.20 ],
	[ 'median by integer', 'key', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY weight)', 'dp_median(weight, 0, 143)', 0.35, 0.30 ],
	[ 'sum', '', 'sum(amount)', 'dp_sum(amount, 0, 1000)', 0.75, 0.70 ],
	[ 'count', '', 'count(*)', 'dp_count(*)', 1.00, 0.90 ],
	[ 'median', '', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY weight)', 'dp_median(weight, 0, 143)', 0.35, 0.30 ],
);

# A goal of the table, of memory and of processes goes before that of the query.
sub goal
{
	my ($case, $table, $memory, $processes) = @_;

	return 1.2 if $memory eq '64kB';
	return 0.65 if $processes > 1 && $memory eq '4MB';
	return 0.60 if $processes > 1;
	return $memory eq '4MB' ? 0.60 : 0.50 if $table eq 'many' && $case->[0] =~ /^sum by/;
	return $memory eq '4MB' ? $case->[4] : $case->[5];
}

sub statement
{
	my ($table, $key, $columns) = @_;

	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$columns FROM roads_$table" . ($key ? " GROUP BY $key" : q()) . ') y';
}

printf "%-18s %-7s %-6s %9s %10s %6s %6s\n", qw(query table memory processes plain/ms goal ratio);
for my $processes (1, 3)
{
	for my $memory ('64kB', '4MB', '64MB', '1GB')
	{
		query("SET work_mem = '$memory'; SET max_parallel_workers_per_gather = " . ($processes - 1) . ";");
		for my $case (@cases)
		{
			for my $table (@tables)
			{
				my ($name, $key, $plain, $private) = @$case;

				next unless "$name $table $memory $processes" =~ /(?:$pattern)/;
				my ($ms, $private_ms) = medians($runs, statement($table, $key, $plain), statement($table, $key, $private));
				printf "%-18s %-7s %-6s %9d %10.1f %6.2f %6.3f\n", $name, $table, $memory, $processes, $ms,
				  goal($case, $table, $memory, $processes), $private_ms / $ms;
				STDOUT->flush;
			}
		}
	}
}
