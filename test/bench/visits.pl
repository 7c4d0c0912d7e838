#!/usr/bin/perl
# visits.pl
#	Speed of differentially private queries over many rows per person, as ratios
#	to the plain query in the same session, medians of interleaved runs; and, as
#	a third in turn, the best that PostgreSQL's own nodes make of the same
#	bounded query: nested GROUP BYs, with row_number() where groups are limited.
#
# Heavy-tailed: a patient has 18 rows in the median, 350 in the 99th percentile,
# a few thousand at most, 40 on average, in 3.7 of 200 clinics on average.
#
# Where nothing runs in parallel, a ratio of processor times stands beside that of
# elapsed times: it suffers less from neighbours.
#
# Needs a server on this machine reached by the usual PG* variables as a superuser,
# with dp_agg preloaded and shared_buffers four times the size of the table, in huge
# pages: parallel workers start anew for each query, and otherwise spend much of
# their time, in the plain one too, on mapping small ones.  The tables are kept.  If
# DP_BENCH names a directory, what was measured is kept in its file visits.ROWS.csv:
# run again, this goes on where it was interrupted.
#
# usage: visits.pl [rows [runs [pattern]]]		20,000,000 rows and 5 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 20_000_000, $ARGV[1] // 5, $ARGV[2] // '');
my $patients = int($rows / 40);
my $results = $ENV{DP_BENCH} && "$ENV{DP_BENCH}/visits.$rows.csv";

# What was measured before.
my %known;
if ($results && open my $file, '<', $results)
{
	while (my $line = <$file>)
	{
		chomp $line;
		my ($case, @ratios) = split /,/, $line;
		$known{$case} = \@ratios;
	}
}

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
SQL
my ($made) = query("SELECT count(*) FROM pg_class WHERE oid = to_regclass('bench_visits') AND obj_description(oid) = '$rows rows';");
query(<<"SQL") unless $made;
DROP TABLE IF EXISTS bench_visits, bench_patients, bench_clinics;
SELECT setseed(0.5);
CREATE UNLOGGED TABLE bench_visits AS
WITH patients AS (
	SELECT i AS patient, floor(random() * 200)::int AS home, 1 + floor(-4 * ln(1 - random()))::int AS clinics,
		   greatest(1, least(7480, exp(ln(18) + 1.27 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))))::int AS visits
	  FROM generate_series(1, $patients) i)
SELECT patient::bigint AS patient, clinic, 'clinic number ' || clinic AS name,
	   (random() * 300)::int AS cost, (random() * 60)::int AS minutes
  FROM (SELECT patient, (home + 37 * floor(random() * clinics)::int) % 200 AS clinic
		  FROM patients, generate_series(1, visits)) v
 ORDER BY random();
CREATE UNLOGGED TABLE bench_patients AS
SELECT i::bigint AS patient, (i % 90)::int AS age FROM generate_series(1, $patients) i;
ALTER TABLE bench_patients ADD PRIMARY KEY (patient);
CREATE UNLOGGED TABLE bench_clinics AS
SELECT i AS clinic, i % 20 AS region FROM generate_series(0, 199) i;
ALTER TABLE bench_clinics ADD PRIMARY KEY (clinic);
VACUUM (ANALYZE, FREEZE) bench_visits, bench_patients, bench_clinics;
COMMENT ON TABLE bench_visits IS '$rows rows';
SQL
query(<<"SQL");
SELECT dp_agg.protect('bench_visits', 'patient'), dp_agg.protect('bench_patients', 'patient');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET jit = off;
SQL
my ($shape) = query(<<'SQL');
SELECT format('%s rows, %s patients: median %s rows, p99 %s, most %s; %s clinics on average', sum(n), count(*),
	   percentile_disc(0.5) WITHIN GROUP (ORDER BY n), percentile_disc(0.99) WITHIN GROUP (ORDER BY n), max(n), round(avg(c), 2))
  FROM (SELECT count(*) AS n, count(DISTINCT clinic) AS c FROM bench_visits GROUP BY patient) p;
SQL
print "$shape\n";

# What a stock rewriter could emit.  All forms return one row.
sub stock
{
	my ($from, $key, $inner, $outer, $groups) = @_;
	my $by = $key ? ", $key" : '';
	my $units = "SELECT patient$by, $inner FROM $from GROUP BY patient$by";

	$units = "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY patient ORDER BY random()) AS rank FROM ($units) u) r
		WHERE rank <= $groups" if $groups;
	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$outer FROM ($units) x" . ($key ? " GROUP BY $key" : '') . ') y';
}

sub grouped
{
	my ($from, $key, $columns) = @_;
	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$columns FROM $from" . ($key ? " GROUP BY $key" : '') . ') y';
}

my @sum = ('sum(cost)', 'dp_sum(cost, 0, 1000)', 'sum(cost) AS s', 'sum(least(s, 1000))');
my @three = (
	'count(*), sum(cost), avg(minutes)', 'dp_count(*), dp_sum(cost, 0, 1000), dp_avg(minutes, 0, 60)',
	'count(*) AS c, sum(cost) AS s, sum(minutes) AS m', 'sum(least(c, 3)), sum(least(s, 1000)), sum(m * least(c, 3) / c)');
my @units = ('count(DISTINCT patient)', 'dp_count(DISTINCT patient)', 'count(*) AS c', 'count(*)');

my $visits = 'bench_visits';
my $patients_too = 'bench_visits JOIN bench_patients USING (patient)';
my $clinics_too = 'bench_visits JOIN bench_clinics USING (clinic)';

# Name, goal, FROM, key, max_groups, aggregates: plain, private, stock inside, stock outside.
my @cases = (
	[ 'clamp by integer', 0.8, $visits, 'clinic', 200, @sum ],
	[ 'clamp by text', 1.2, $visits, 'name', 200, @sum ],
	[ 'three by integer', 1.2, $visits, 'clinic', 200, @three ],
	[ 'four groups by integer', 0.9, $visits, 'clinic', 4, @sum ],
	[ 'four groups by text', 1.3, $visits, 'name', 4, @sum ],
	[ 'four groups, three', 1.3, $visits, 'clinic', 4, @three ],
	[ 'clamp, ungrouped', 1.3, $visits, '', 1, @sum ],
	[ 'units, ungrouped', 0.4, $visits, '', 1, @units ],
	[ 'units by integer', 0.25, $visits, 'clinic', 200, @units ],
	[ 'tables of units joined', 1.2, $patients_too, 'clinic', 200, @sum ],
	[ 'public table joined', 1.2, $clinics_too, 'region', 200, @sum ],
);

# Measure a case, or take what is known; ratios of times private to plain, elapsed and
# of a processor, and of stock to private, elapsed.
sub measured
{
	my ($id, $case) = @_;
	my ($name, $goal, $from, $key, $groups, $plain, $private, $inside, $outside) = @$case;

	return @{ $known{$id} } if $known{$id};
	query("SET dp_agg.max_groups = $groups; SET dp_agg.max_rows = 3;");
	my ($a, $b, $c) = both_medians($runs, grouped($from, $key, $plain), grouped($from, $key, $private),
		stock($from, $key, $inside, $outside, $groups < 200 && $key ? $groups : 0));
	my @ratios = map { sprintf '%.3f', $_ }
	  ($a->[0], $b->[0], $b->[0] / $a->[0], $a->[1] ? $b->[1] / $a->[1] : 0, $c->[0] / $b->[0]);
	if ($results)
	{
		open my $file, '>>', $results or die "cannot write $results: $!\n";
		print $file join(',', $id, @ratios), "\n";
		close $file;
	}
	return @ratios;
}

# Beside the goal of each case: four times as fast as the stock rewrite, and with two
# workers 1.6 times as fast as without.
my %serial;
printf "%-24s %7s %-8s %9s %6s %6s %6s %14s %8s\n", 'query', 'workers', 'work_mem', 'plain/ms', 'goal', 'ratio', 'cpu',
  'stock/private', 'speed-up';
for my $setting ([ '256MB', 0 ], [ '64MB', 0 ], [ '4MB', 0 ], [ '256MB', 2 ])
{
	my ($work_mem, $workers) = @$setting;
	query("SET work_mem = '$work_mem'; SET max_parallel_workers_per_gather = $workers;");
	for my $case (@cases)
	{
		my ($name, $goal) = @$case;
		my $id = "$name $work_mem $workers";
		next unless $id =~ /(?:$pattern)/;
		my ($plain, $private, $ratio, $processor, $stock) = measured($id, $case);
		$serial{"$name $work_mem"} = $private unless $workers;
		my $alone = $serial{"$name $work_mem"};
		printf "%-24s %7d %-8s %9.1f %6.2f %6.3f %6s %14.2f %8s\n", $name, $workers, $work_mem, $plain, $goal, $ratio,
		  $workers || $processor == 0 ? '' : sprintf('%.3f', $processor), $stock, $workers && $alone ? sprintf('%.2f', $alone / $private) : '';
		STDOUT->flush;
	}
}
