# Private statements read all pages of a table larger than its share of the cache, wherever a scan in another session has
# got to, in one process and in several.  Pages stay in the cache as long as if plain statements had read them.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('pages', conf => <<'CONF');
shared_buffers = 1MB
jit = off
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
CONF
my $rows = 20_000;
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION IF NOT EXISTS pg_buffercache;
CREATE TABLE large AS SELECT i AS unit, i % 7 AS value, repeat('x', 100) AS filler FROM generate_series(1, $rows) i;
CREATE TABLE small AS SELECT * FROM large LIMIT 1000;
CREATE TABLE gaps AS SELECT * FROM large;
DELETE FROM gaps WHERE unit BETWEEN 3000 AND 12000 OR unit > 19000;
VACUUM (ANALYZE, TRUNCATE off) gaps;
VACUUM ANALYZE large, small;
SELECT dp_agg.protect(t, 'unit', max_rows => 1) FROM unnest('{large, small, gaps}'::regclass[]) t;
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SQL

# Laplace noise of scale 2^-20 of a count moves what is rounded by a half with a probability far below e^-60.
my $setup = 'SET dp_agg.epsilon = 1048576; SET client_min_messages = warning;';

# The rows of a table, when a scan in the same session, as far as so many rows, tells others where to begin.
sub counted
{
	my ($table, $workers, $before) = @_;
	return $node->safe_psql('postgres', <<"SQL");
$setup
SET max_parallel_workers_per_gather = 0;
BEGIN;
DECLARE c CURSOR FOR SELECT unit FROM $table;
MOVE $before IN c;
SET max_parallel_workers_per_gather = $workers;
SELECT round(dp_count(*)::numeric), round(dp_sum(value, 0, 6)::numeric, -1) FROM $table;
COMMIT;
SQL
}

for my $table (qw(large small gaps))
{
	my $all = $node->safe_psql('postgres', "SELECT count(*), round(sum(value), -1) FROM $table");
	for my $workers (0, 2)
	{
		is(counted($table, $workers, $_), $all, "$table, $workers workers: all rows, behind a scan of $_") for 0, 900, 6000, 15000, 19999;
	}
}

# How often the pages of the small table were used, by what the cache knows, when a statement has read it so often.
sub used
{
	my ($times, $statement) = @_;
	my $found = "SELECT string_agg(usagecount::text, ' ' ORDER BY relblocknumber) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('small') AND relforknumber = 0";
	$node->restart;
	$node->safe_psql('postgres', "$setup $statement;" x $times);
	return $node->safe_psql('postgres', $found);
}
$node->append_conf('postgresql.conf', 'shared_buffers = 16MB');
for my $times (1, 3, 7)
{
	my $plain = used($times, 'SELECT count(*) FROM small');
	like($plain, qr/^(\d)( \1){10,}$/, "read $times times: pages were used $plain times");
	is(used($times, 'SELECT dp_count(*) FROM small'), $plain, 'a private statement uses them alike');
}

done_testing();
