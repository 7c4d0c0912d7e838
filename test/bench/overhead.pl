#!/usr/bin/perl
# overhead.pl
#	What the library costs where it does not answer: planning statements that
#	are none of its business, with its planner hook and without, in turns;
#	medians, in microseconds.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and test/modules installed.
#
# usage: overhead.pl [repetitions]
use strict;
use warnings;

my $repetitions = $ARGV[0] // 5000;

my @statements = (
	[ 'constant', 'SELECT 1' ],
	[ 'one row by key', 'SELECT v FROM bench_overhead WHERE id = 7' ],
	[ 'insert', 'INSERT INTO bench_overhead VALUES (0, 1)' ],
	[ 'update', 'UPDATE bench_overhead SET v = v + 1 WHERE id = 7' ],
	[ 'user functions', 'SELECT bench_same(id), bench_same(v) FROM bench_overhead WHERE id = bench_same(7)' ],
	[ 'group', 'SELECT v, count(*), avg(id) FROM bench_overhead WHERE v IN (1, 2, 3) GROUP BY v HAVING count(*) > 1 ORDER BY 2' ],
	[ 'join', 'SELECT a.v, b.v FROM bench_overhead a JOIN bench_overhead b USING (id) WHERE a.id BETWEEN 3 AND 5' ],
	[ 'catalogue', "SELECT c.*, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relname = 'x'" ],
	[ 'view of 12 tables', "SELECT * FROM information_schema.columns WHERE table_schema = 'none'" ],
);

sub psql
{
	open(my $psql, '-|', 'psql', '-X', '-q', '-A', '-t', '-F', ' ', '-v', 'ON_ERROR_STOP=1',
		map { ('-c', $_) } 'SET client_min_messages = warning', @_) or die;
	my @lines = <$psql>;
	close $psql or die "psql failed";
	return @lines;
}

psql('DROP TABLE IF EXISTS bench_overhead', 'CREATE TABLE bench_overhead (id int PRIMARY KEY, v int)',
	'INSERT INTO bench_overhead SELECT i, i % 10 FROM generate_series(1, 1000) i', 'VACUUM ANALYZE bench_overhead',
	q{CREATE OR REPLACE FUNCTION bench_same(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END'},
	q{CREATE OR REPLACE FUNCTION bench_planner(statement text, n int, OUT bare float8, OUT hooked float8)
	  AS '$libdir/dp_bench' LANGUAGE C});

printf "%-18s %8s %9s %14s\n", 'statement', 'bare/us', 'hooked/us', 'difference/us';
for my $statement (@statements)
{
	my ($name, $sql) = @$statement;
	my ($line) = psql("SELECT * FROM bench_planner(\$s\$$sql\$s\$, $repetitions)");
	my ($bare, $hooked) = split / /, $line;

	printf "%-18s %8.2f %9.2f %14.2f\n", $name, $bare, $hooked, $hooked - $bare;
}
psql('DROP TABLE bench_overhead', 'DROP FUNCTION bench_same, bench_planner');
