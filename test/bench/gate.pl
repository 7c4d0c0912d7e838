#!/usr/bin/perl
# gate.pl
#	What planning costs: a private statement beside the plain one, validation,
#	rewriting and calibration included, medians over many EXPLAINs.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded.
#
# usage: gate.pl [runs]		501 runs by default
use strict;
use warnings;

my $runs = $ARGV[0] // 501;

# Planning times of a statement, in milliseconds.
sub planning_times
{
	my ($sql) = @_;

	open(my $psql, '-|', 'psql', '-X', '-q', '-A', '-t', '-c', "SET client_min_messages = warning",
		map { ('-c', "EXPLAIN (SUMMARY) $sql") } 1 .. $runs + 20) or die;
	my @times = map { /^Planning Time: ([\d.]+) ms/ ? $1 : () } <$psql>;
	close $psql or die "psql failed";
	return @times[ 20 .. $#times ];
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[ $#sorted / 2 ];
}

system('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null',
	'-c', 'SET client_min_messages = warning',
	'-c', 'CREATE EXTENSION IF NOT EXISTS dp_agg',
	'-c', 'DROP TABLE IF EXISTS bench_gate',
	'-c', 'CREATE TABLE bench_gate (id bigint PRIMARY KEY, city text, age int)',
	'-c', "SELECT dp_agg.protect('bench_gate', 'id')",
	'-c', "SELECT dp_agg.set_budget(current_user::regrole, 1e6, 1e-3)") == 0 or die;

my @statements = (
	[ 'count', 'count(*) FROM bench_gate', 'dp_count(*) FROM bench_gate' ],
	[ 'filtered mean', 'avg(age) FROM bench_gate WHERE age > 17',
		'dp_avg(age, 0, 100) FROM bench_gate WHERE age > 17' ],
	[ 'grouped', 'city, count(*), avg(age) FROM bench_gate WHERE age > 17 GROUP BY city',
		'city, dp_count(*), dp_avg(age, 0, 100) FROM bench_gate WHERE age > 17 GROUP BY city' ],
);

printf "%-14s %10s %11s\n", qw(statement plain/ms private/ms);
for my $statement (@statements)
{
	my ($name, $plain, $private) = @$statement;

	printf "%-14s %10.3f %11.3f\n", $name, median(planning_times("SELECT $plain")),
	  median(planning_times("SELECT $private"));
}
system('psql', '-X', '-q', '-c', 'DROP TABLE bench_gate') == 0 or die;
