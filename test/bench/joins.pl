#!/usr/bin/perl
# joins.pl
#	Speed of differentially private queries over joins, as ratios to the plain
#	join and GROUP BY in the same session, medians of interleaved runs: two
#	protected tables joined by the unit, a public table of two hundred rows, both,
#	what is read of public rows before, and a table that finds its unit through a foreign key, compared with the join
#	that the plain query would need.
#
# The visits are those of visits.pl, each with a bill; people have one row.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the tables.
#
# usage: joins.pl [rows [runs [pattern]]]		10,000,000 rows and 5 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 10_000_000, $ARGV[1] // 5, $ARGV[2] // '');
my $patients = int($rows / 40);

query(<<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dp_agg;
DROP TABLE IF EXISTS bench_bills, bench_visits, bench_patients, bench_clinics;
SELECT setseed(0.5);
CREATE TABLE bench_patients AS
SELECT i::bigint AS patient, (random() * 90)::int AS age, 'district ' || (random() * 40)::int AS district
  FROM generate_series(1, $patients) i;
CREATE TABLE bench_clinics AS
SELECT i AS clinic, 'town number ' || i % 50 AS town FROM generate_series(0, 199) i;
CREATE TABLE bench_visits AS
WITH patients AS (
	SELECT i AS patient, floor(random() * 200)::int AS home, 1 + floor(-4 * ln(1 - random()))::int AS clinics,
		   greatest(1, least(7480, exp(ln(18) + 1.27 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))))::int AS visits
	  FROM generate_series(1, $patients) i)
SELECT row_number() OVER (ORDER BY random())::int AS visit, patient::bigint AS patient,
	   (home + 37 * floor(random() * clinics)::int) % 200 AS clinic, (random() * 300)::int AS cost
  FROM patients, generate_series(1, visits);
CREATE TABLE bench_bills AS
SELECT visit, (random() * 9)::int AS kind, (random() * 500)::int AS price FROM bench_visits ORDER BY random();
ALTER TABLE bench_patients ADD PRIMARY KEY (patient);
ALTER TABLE bench_clinics ADD PRIMARY KEY (clinic);
ALTER TABLE bench_visits ADD PRIMARY KEY (visit);
ALTER TABLE bench_bills ALTER visit SET NOT NULL, ADD FOREIGN KEY (visit) REFERENCES bench_visits;
VACUUM (ANALYZE, FREEZE) bench_patients, bench_clinics, bench_visits, bench_bills;
SELECT dp_agg.protect('bench_patients', 'patient'), dp_agg.protect('bench_visits', 'patient');
SELECT dp_agg.protect('bench_bills', 'visit', through => 'bench_visits');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET jit = off;
SQL

my $visits = 'bench_visits v JOIN bench_patients p ON p.patient = v.patient';
my $clinics = 'bench_visits v JOIN bench_clinics c ON c.clinic = v.clinic';

# Name, goal, key, max_groups, FROM of the plain query, and of the private one if
# that is another.
my @cases = (
	[ 'by the unit, integer', 1.2, 'p.age', 1, $visits ],
	[ 'by the unit, text', 1.2, 'p.district', 1, $visits ],
	[ 'by the unit, clinic', 1.2, 'v.clinic', 200, $visits ],
	[ 'public table, integer', 1.2, 'c.clinic', 200, $clinics ],
	[ 'public table, text', 1.2, 'c.town', 50, $clinics ],
	[ 'public table, four groups', 1.2, 'c.town', 4, $clinics ],
	[ 'by the unit, and public', 1.2, 'c.town', 50, "$visits JOIN bench_clinics c ON c.clinic = v.clinic" ],
	[ 'public subquery', 1.5, 'c.town', 50, 'bench_visits v JOIN (SELECT clinic, max(town) AS town FROM bench_clinics GROUP BY clinic) c ON c.clinic = v.clinic' ],
	[ 'public rows, half', 1.5, 'g.i', 200, 'bench_visits v JOIN generate_series(0, 99) g(i) ON g.i = v.clinic' ],
	[ 'public list, half', 1.5, 'v.clinic', 200, '(SELECT * FROM bench_visits WHERE clinic IN (SELECT clinic FROM bench_clinics WHERE clinic < 100)) v' ],
	[ 'linked', 1.2, 'b.kind', 10, 'bench_bills b JOIN bench_visits v ON v.visit = b.visit', 'bench_bills b' ]);

printf "%-26s %7s %-9s %9s %6s %6s\n", 'query', 'workers', 'work_mem', 'plain/ms', 'goal', 'ratio';
for my $setting ([ '256MB', 0 ], [ '4MB', 0 ], [ '256MB', 2 ])
{
	my ($work_mem, $workers) = @$setting;
	query("SET work_mem = '$work_mem'; SET max_parallel_workers_per_gather = $workers;");
	for my $case (grep { "$_->[0] $work_mem $workers" =~ /(?:$pattern)/ } @cases)
	{
		my ($name, $goal, $key, $groups, $plain, $private) = @$case;
		my $value = $name eq 'linked' ? 'b.price' : 'v.cost';
		my $grouped = sub { "SELECT count(y) FROM (SELECT $key, $_[0] FROM $_[1] GROUP BY $key) y" };
		query("SET dp_agg.max_groups = $groups; SET dp_agg.max_rows = 3;");
		my ($a, $b) = medians($runs, $grouped->("sum($value)", $plain),
			$grouped->("dp_sum($value, 0, 1000)", $private // $plain));
		printf "%-26s %7d %-9s %9.1f %6.2f %6.3f\n", $name, $workers, $work_mem, $a, $goal, $b / $a;
		STDOUT->flush;
	}
}
query('DROP TABLE bench_bills, bench_visits, bench_patients, bench_clinics;');
