#!/usr/bin/perl
# cancel.pl
#	How soon a query over many rows per person ends once it is cancelled, at random
#	moments of its run: what it takes beyond its statement_timeout.
#	The first queries of each setting are nested GROUP BYs of PostgreSQL's own nodes,
#	over a table and over a join: what they take to give back memory and files, and to
#	hear of it, is not ours.
#
# Needs what visits.pl needs, and its tables.
#
# usage: cancel.pl [rows [tries [pattern]]]		20,000,000 rows and 8 tries of each query by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Time::HiRes 'time';

# Each try is an error, which psql need not tell; what goes wrong here still shows.
my $errors;
BEGIN
{
	open $errors, '>&', \*STDERR or die "cannot keep standard error: $!\n";
	open STDERR, '>', '/dev/null' or die "cannot write /dev/null: $!\n";
}
use Session;
BEGIN { open STDERR, '>&', $errors or die "cannot restore standard error: $!\n" }

my ($rows, $tries, $pattern) = ($ARGV[0] // 20_000_000, $ARGV[1] // 8, $ARGV[2] // '');

my ($made) = query("SELECT count(*) FROM pg_class WHERE oid = to_regclass('bench_visits') AND obj_description(oid) = '$rows rows';");
$made or die "there are no $rows visits: run visits.pl first\n";
query(<<'SQL');
SET client_min_messages = warning;
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET dp_agg.max_rows = 3;
SET jit = off;
SQL

my @queries = (
	[ 'nested, not private', 0, 'clinic, sum(least(s, 1000)) FROM (SELECT clinic, sum(cost) AS s FROM bench_visits GROUP BY patient, clinic) u GROUP BY clinic' ],
	[ 'nested join, not private', 0, 'clinic, sum(least(s, 1000)) FROM (SELECT clinic, sum(cost) AS s FROM bench_visits JOIN bench_patients USING (patient) GROUP BY patient, clinic) u GROUP BY clinic' ],
	[ 'clamp by integer', 200, 'clinic, dp_sum(cost, 0, 1000) FROM bench_visits GROUP BY clinic' ],
	[ 'four groups by text', 4, 'name, dp_sum(cost, 0, 1000) FROM bench_visits GROUP BY name' ],
	[ 'units by integer', 200, 'clinic, dp_count(DISTINCT patient) FROM bench_visits GROUP BY clinic' ],
	[ 'tables of units joined', 200, 'clinic, dp_sum(cost, 0, 1000) FROM bench_visits JOIN bench_patients USING (patient) GROUP BY clinic' ],
	[ 'median by integer', 200, 'clinic, dp_median(cost, 0, 300) FROM bench_visits GROUP BY clinic' ],
	[ 'median, ungrouped', 1, 'dp_median(cost, 0, 300) FROM bench_visits' ],
	[ 'regression', 1, q{* FROM dp_linregr('bench_visits', 'cost', 0, 300, '{"clinic": [0, 200], "minutes": [0, 60]}')} ],
	[ 'eight passes', 1, q{* FROM dp_logregr('bench_visits', 'cost > 50', '{"clinic": [0, 200], "minutes": [0, 60]}', 8)} ],
	[ '121 models', 1, q{* FROM dp_select_model('bench_visits', 'cost > 50', '{"clinic": [0, 200]}', dp_agg.model_grid(1, 2, 11), 'logistic', 4)} ],
	[ 'synthetic rows', 1, q{* FROM dp_synthesize('bench_visits', '{"clinic": [0, 200, 1000], "cost": [0, 300, 1000], "minutes": [0, 60, 1000]}', 1000000) AS (clinic int, cost int, minutes int)} ],
);

# Milliseconds that a query takes, and its SQLSTATE, if it is cancelled after so many.
sub run
{
	my ($sql, $timeout) = @_;
	query("SET statement_timeout = $timeout;");
	my $began = time;
	my ($state) = reverse query("\\set ON_ERROR_STOP 0\n$sql;\n\\echo :SQLSTATE");
	my $took = 1000 * (time - $began);
	query('\set ON_ERROR_STOP 1');
	return ($took, $state);
}

printf "%-24s %7s %-8s %9s %9s %12s %12s\n", 'query', 'workers', 'work_mem', 'whole/ms', 'cancelled', 'median/ms', 'longest/ms';
for my $setting ([ '256MB', 0 ], [ '4MB', 0 ], [ '256MB', 2 ], [ '4MB', 2 ])
{
	my ($work_mem, $workers) = @$setting;
	query("SET work_mem = '$work_mem'; SET max_parallel_workers_per_gather = $workers;");
	for my $query (@queries)
	{
		my ($name, $groups, $text) = @$query;
		next unless "$name $work_mem $workers" =~ /(?:$pattern)/;
		my $sql = "SELECT count(*) FROM (SELECT $text) y";
		query("SET dp_agg.max_groups = $groups;") if $groups;
		my ($whole, $done) = run($sql, 0);
		die "SQLSTATE $done: $sql\n" if $done ne '00000';
		my @late;
		for (1 .. $tries)
		{
			my $timeout = 1 + int rand $whole;
			my ($took, $state) = run($sql, $timeout);
			push @late, $took - $timeout if $state eq '57014';
		}
		@late = sort { $a <=> $b } @late;
		printf "%-24s %7d %-8s %9.0f %9d %12.1f %12.1f\n", $name, $workers, $work_mem, $whole, scalar @late,
		  $late[ @late / 2 ] // 0, $late[-1] // 0;
		STDOUT->flush;
	}
}
