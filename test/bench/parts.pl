#!/usr/bin/perl
# parts.pl
#	Private questions about rows in 30 partitions, in 30 inheritance children and, where TimescaleDB is
#	preloaded, in 30 chunks of a hypertable: ratios of elapsed times to those about one table with the
#	same rows, medians of interleaved runs.
#
# Each unit has 46 rows, in all months; `a month` asks for one of them, whose parts alone are read.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg preloaded and
# shared_buffers that hold the tables, 0.4 gigabytes for each million rows.
#
# usage: parts.pl [rows [runs]]		3,000,000 rows and 5 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs) = ($ARGV[0] // 3_000_000, $ARGV[1] // 5);
my $columns = 'day timestamptz NOT NULL, unit int, amount int, name text';
my ($first, $days) = ("timestamptz '2024-01-01 00:00+00'", 10);

# The limits of a part.
sub limits
{
	my ($part) = @_;
	return map { "$first + interval '@{[$_ * $days]} days'" } $part, $part + 1;
}

my ($timescale) = query("SELECT current_setting('shared_preload_libraries') ~ 'timescaledb' OR NULL;");
my @tables = ('partitions', 'children', $timescale ? 'chunks' : ());
query('SET client_min_messages = warning; SET TimeZone = UTC; CREATE EXTENSION IF NOT EXISTS dp_agg;');
query('CREATE EXTENSION IF NOT EXISTS timescaledb;') if $timescale;
query("DROP TABLE IF EXISTS $_ CASCADE;") for qw(one partitions children chunks);
query("CREATE TABLE one ($columns); CREATE TABLE partitions ($columns) PARTITION BY RANGE (day); CREATE TABLE children ($columns);");
query("CREATE TABLE chunks ($columns); SELECT create_hypertable('chunks', 'day', chunk_time_interval => interval '$days days');") if $timescale;
query("INSERT INTO one SELECT $first + i % (30 * $days) * interval '1 day', hashint4(i) & 65535, i % 100, 'name ' || i % 28 FROM generate_series(1, $rows) i;");
for my $part (0 .. 29)
{
	my ($from, $to) = map { query("SELECT quote_literal($_);") } limits($part);
	query("CREATE TABLE partitions_$part PARTITION OF partitions FOR VALUES FROM ($from) TO ($to);");
	query("CREATE TABLE children_$part (CHECK (day >= $from AND day < $to)) INHERITS (children); INSERT INTO children_$part SELECT * FROM one WHERE day >= $from AND day < $to;");
}
query("INSERT INTO $_ SELECT * FROM one;") for grep { $_ ne 'children' } @tables;
query("VACUUM (ANALYZE, FREEZE);");
query(qq{SELECT dp_agg.protect('$_', 'unit', max_rows => 60, max_groups => 30), dp_agg.set_domain('$_', 'amount', 0, 100);}) for 'one', @tables;
query("SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3); SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1; SET jit = off; SET work_mem = '64MB';");

printf "%-18s %9s %9s%s\n", 'query', 'processes', 'one/ms', join '', map { sprintf ' %10s', $_ } @tables;
for my $processes (1, 2)
{
	query("SET max_parallel_workers_per_gather = @{[$processes - 1]};");
	for my $case ([ 'count', 'dp_count(*)' ], [ 'sum', 'dp_sum(amount, 0, 100)' ], [ 'sum by text', 'name, dp_sum(amount, 0, 100)', ' GROUP BY name' ],
		[ 'units', 'dp_count(DISTINCT unit)' ], [ 'median by text', 'name, dp_median(amount, 0, 100)', ' GROUP BY name' ],
		[ 'a month', 'dp_sum(amount, 0, 100)', " WHERE day >= '2024-03-01' AND day < '2024-03-31'" ])
	{
		my ($name, $asked, $rest) = @$case;
		my ($one, @more) = medians($runs, map { "SELECT count(y) FROM (SELECT $asked FROM $_" . ($rest // '') . ') y' } 'one', @tables);
		printf "%-18s %9d %9.0f%s\n", $name, $processes, $one, join '', map { sprintf ' %10.2f', $_ / $one } @more;
		STDOUT->flush;
	}
}
query("DROP TABLE $_ CASCADE;") for 'one', @tables;
