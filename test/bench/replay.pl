#!/usr/bin/perl
# replay.pl
#	What a kept answer costs to be shown again, beside reading the same rows from an
#	ordinary table by its key; over a small and a large protected table.
#
# Medians over rounds that take turns, of whole statements, simple and prepared.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded, and pgbench.
#
# usage: replay.pl [rounds [seconds]]	5 rounds of 2 seconds by default
use strict;
use warnings;

use File::Temp;

my $rounds = $ARGV[0] // 5;
my $seconds = $ARGV[1] // 2;

# Rows of answers.
my @sizes = (1, 10, 100, 1000, 10_000);

$ENV{PGOPTIONS} = "-c dp_agg.kept_max_age=1d -c client_min_messages=warning";

sub sql
{
	system('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', map { ('-c', $_) } @_) == 0 or die;
}

# What a whole statement takes, in milliseconds, sent as pgbench's mode says.
sub latency
{
	my ($mode, $sql) = @_;
	my $script = File::Temp->new;

	print $script "$sql;\n";
	close $script;
	my $told = qx(pgbench -n -M $mode -T $seconds -f $script 2>&1);
	return $told =~ /^latency average = ([\d.]+) ms/m ? $1 : die "pgbench failed:\n$told";
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[ $#sorted / 2 ];
}

sql('CREATE EXTENSION IF NOT EXISTS dp_agg',
	'DROP TABLE IF EXISTS bench_small, bench_large, bench_answers',
	"SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-2)",
	'CREATE TABLE bench_answers (question int, key int, rows bigint, mean numeric, PRIMARY KEY (question, key))');
for (['bench_small', 20_000], ['bench_large', 2_000_000])
{
	my ($table, $rows) = @$_;
	my @keys = grep { $_ > 1 } @sizes;
	sql("CREATE TABLE $table (id bigint PRIMARY KEY, age int NOT NULL" . join('', map { ", k$_ int NOT NULL" } @keys) . ')',
		"INSERT INTO $table SELECT i, i % 90" . join('', map { ", i % $_" } @keys) . " FROM generate_series(1, $rows) i",
		"ANALYZE $table", "SELECT dp_agg.protect('$table', 'id')",
		map { "SELECT dp_agg.set_domain('$table', 'k$_', ARRAY(SELECT generate_series(0, $_ - 1)))" } @keys);
}

# A question with so many rows for an answer.
sub question
{
	my ($table, $n) = @_;
	return "SELECT 0 AS key, dp_count(*) AS rows, dp_avg(age, 0, 100) AS mean FROM $table" if $n == 1;
	return "SELECT k$n AS key, dp_count(*) AS rows, dp_avg(age, 0, 100) AS mean FROM $table GROUP BY k$n";
}

sql(map { "INSERT INTO bench_answers SELECT $_, q.* FROM (" . question('bench_small', $_) . ') q' } @sizes);
sql('VACUUM ANALYZE bench_answers');

printf "%-9s %7s %11s %10s %10s %7s %7s\n", 'sent', 'rows', 'by key/ms', 'small/ms', 'large/ms', 'ratio', 'ratio';
for my $mode (qw(simple prepared))
{
	for my $n (@sizes)
	{
		my @ways = ("SELECT key, rows, mean FROM bench_answers WHERE question = $n",
			question('bench_small', $n), question('bench_large', $n));
		my @times;

		for (1 .. $rounds)
		{
			push @{ $times[$_] }, latency($mode, $ways[$_]) for 0 .. $#ways;
		}
		my @medians = map { median(@$_) } @times;
		printf "%-9s %7d %11.3f %10.3f %10.3f %7.2f %7.2f\n", $mode, $n, @medians, map { $_ / $medians[0] } @medians[ 1, 2 ];
	}
}
sql('DROP TABLE bench_small, bench_large, bench_answers', "SELECT dp_agg.drop_budget(current_user::regrole)");
