# Attacks by what a session is told of pages that are read from disk: PostgreSQL 18
# has debugging messages about each, with the number of the handle that reads it.
# A process takes the handle it used last, of those that are free; so that numbers
# tell of the reads before, if several were under way at once.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $analyst = <<'SQL';
CREATE TABLE small (k int);
INSERT INTO small VALUES (1);
ANALYZE small;
SQL

# Before 18 nothing can be told to forget pages, nor is anything told of reading
# them.  A table of one page is read by the first handle.  How often that was used
# is told with io_uring, where there is such a thing.
my $forget = <<'SQL';
> admin
SELECT pg_buffercache_evict_relation(oid) FROM pg_class WHERE relname IN ('small', 'visits', 'parts_1', 'parts_2', 'parts_3', 'visits_day_idx');
> ann
SQL
my $parallel = <<'SQL';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SQL

my $attacks = <<"ATTACKS";
@ a question whose rows are read from disk | 2 |
$forget
SELECT dp_count(*) FROM visits;
SELECT clinic, dp_count(*), dp_avg(minutes, 0, 100) FROM visits GROUP BY clinic;
@ what is read after a question | 1 |
$forget
SELECT dp_count(*) FROM visits;
SELECT count(*) FROM small;
@ what is read after a question by an index | 1 |
$forget
SET enable_seqscan = off;
SELECT dp_count(*) FROM visits WHERE day > '2020-02-01';
SELECT count(*) FROM small;
@ what is read after a question in parallel | 1 |
$forget
$parallel
SELECT dp_count(*) FROM visits;
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM small;
@ what is read after a question about partitions | 1 |
$forget
SELECT dp_count(*) FROM parts;
SELECT count(*) FROM small;
@ what is read while a question's cursor is open | 1 |
$forget
BEGIN;
DECLARE c CURSOR FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
FETCH c;
SELECT count(*) FROM small;
COMMIT;
@ what is read after a question that fails | 1 | 22014
$forget
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM visits;
SELECT count(*) FROM small;
ATTACKS

sub reads_by
{
	my ($method) = @_;
	my $neighbours = new_neighbours("attack_reads_$method", conf => $method eq 'default' ? '' : "io_method = $method\n",
		admin => "CREATE EXTENSION pg_buffercache;\n", analyst => $analyst);
	$neighbours->attack($attacks);
	$neighbours->leave;
	return;
}

my $probe = PostgreSQL::Test::Cluster->new('probe');
$probe->init;
$probe->append_conf('postgresql.conf', 'io_method = io_uring');
reads_by('default');
reads_by('io_uring') if $probe->start(fail_ok => 1) && do { $probe->stop; 1 };
done_testing();
