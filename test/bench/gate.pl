#!/usr/bin/perl
# gate.pl
#	What a private statement costs beside the plain one over a table of ten rows:
#	planning alone, with validation, rewriting and calibration, medians over many
#	EXPLAINs; and whole statements, simple and prepared, charge included, medians
#	over rounds that take turns.  The plain text is asked by the owner, and by a role
#	that may not read the table, for whom it is read as the private one.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded, and pgbench.
#
# usage: gate.pl [runs [seconds]]	501 EXPLAINs and rounds of 2 seconds by default
use strict;
use warnings;

use File::Temp;

my $runs = $ARGV[0] // 501;
my $seconds = $ARGV[1] // 2;
my $rounds = 5;

# Planning times of a statement, in milliseconds, as a role if one is named.
sub planning_times
{
	my ($sql, $role) = @_;

	local $ENV{PGOPTIONS} = $role ? "-c role=$role" : '';
	open(my $psql, '-|', 'psql', '-X', '-q', '-A', '-t', '-c', "SET client_min_messages = warning",
		map { ('-c', "EXPLAIN (SUMMARY) $sql") } 1 .. $runs + 20) or die;
	my @times = map { /^Planning Time: ([\d.]+) ms/ ? $1 : () } <$psql>;
	close $psql or die "psql failed";
	return @times[ 20 .. $#times ];
}

# What a whole statement takes, in milliseconds, sent as pgbench's mode says.
sub latency
{
	my ($mode, $sql, $role) = @_;
	my $script = File::Temp->new;

	print $script "SELECT $sql;\n";
	close $script;
	local $ENV{PGOPTIONS} = $role ? "-c role=$role" : '';
	my $told = qx(pgbench -n -M $mode -T $seconds -f $script 2>&1);
	return $told =~ /^latency average = ([\d.]+) ms/m ? $1 : die "pgbench failed:\n$told";
}

# Medians of what each way to ask takes.
sub latencies
{
	my ($mode, @ways) = @_;
	my @times;

	for (1 .. $rounds)
	{
		push @{ $times[$_] }, latency($mode, @{ $ways[$_] }) for 0 .. $#ways;
	}
	return map { median(@$_) } @times;
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
	'-c', "INSERT INTO bench_gate SELECT i, 'city ' || i % 5, 10 * i FROM generate_series(1, 10) i",
	'-c', 'ANALYZE bench_gate',
	'-c', "SELECT dp_agg.protect('bench_gate', 'id'), dp_agg.set_domain('bench_gate', 'age', 0, 100)",
	'-c', 'DROP ROLE IF EXISTS bench_gate_analyst', '-c', 'CREATE ROLE bench_gate_analyst',
	'-c', "SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-2)",
	'-c', "SELECT dp_agg.set_budget('bench_gate_analyst', 1e9, 1e-2)") == 0 or die;

my @statements = (
	[ 'count', 'count(*) FROM bench_gate', 'dp_count(*) FROM bench_gate' ],
	[ 'filtered mean', 'avg(age) FROM bench_gate WHERE age > 17',
		'dp_avg(age, 0, 100) FROM bench_gate WHERE age > 17' ],
	[ 'grouped', 'city, count(*), avg(age) FROM bench_gate WHERE age > 17 GROUP BY city',
		'city, dp_count(*), dp_avg(age, 0, 100) FROM bench_gate WHERE age > 17 GROUP BY city' ],
);

printf "%-24s %10s %11s %11s %6s %6s %9s\n", qw(statement plain/ms private/ms as-plain/ms ratio ratio more/ms);
sub show
{
	my ($name, $plain, $private, $as_plain) = @_;

	printf "%-24s %10.3f %11.3f %11.3f %6.2f %6.2f %9.3f\n", $name, $plain, $private, $as_plain, $private / $plain,
		$as_plain / $plain, $as_plain - $private;
	return;
}
for my $statement (@statements)
{
	my ($name, $plain, $private) = @$statement;
	my @ways = ([$plain], [ $private, 'bench_gate_analyst' ], [ $plain, 'bench_gate_analyst' ]);

	show("$name, planned", map { median(planning_times("SELECT $_->[0]", $_->[1])) } @ways);
	show("$name, $_", latencies($_, @ways)) for qw(simple prepared);
}
system('psql', '-X', '-q', '-o', '/dev/null', '-c', 'DROP TABLE bench_gate', '-c', "SELECT dp_agg.drop_budget('bench_gate_analyst')",
	'-c', 'DROP ROLE bench_gate_analyst') == 0 or die;
