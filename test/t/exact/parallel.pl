# Parallel plans over two hundred thousand rows do run in parallel, answer as
# serial ones do under both mechanisms, and count nothing in any process.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('parallel', conf => <<'CONF');
log_min_messages = debug1
log_temp_files = 0
track_functions = 'all'
jit = off
CONF
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd (id int PRIMARY KEY, city text, age int, weight float8);
INSERT INTO crowd SELECT i, 'city ' || i % 4, i % 100, i % 100 FROM generate_series(1, 200000) i;
CREATE TABLE visits (person int, city text, age int, weight float8);
INSERT INTO visits SELECT i % 50000, 'city ' || i % 4, i % 100, i % 100 FROM generate_series(1, 200000) i;
ANALYZE crowd, visits;
SELECT dp_agg.protect('crowd', 'id'), dp_agg.protect('visits', 'person', 'default', 2, 2);
SELECT dp_agg.set_budget('ann', 1e9, 1e-3);
SQL

# Answers against the truth.  At epsilon 20, Laplace noise of scale b is more
# than 20 b with a probability of 4e-18; Gaussian noise at epsilon 20 and delta
# 1e-9 exceeds these bounds with a smaller one.  Of visits, a person has four
# rows, of one age and in one city, of which two count; the total of ages is a
# hundred at most.
my @queries = (
	[ 'SELECT abs(dp_count(*) - 200000) <= 20, abs(dp_sum(age, 0, 100) - 9900000) <= 2000, abs(dp_avg(weight, 0, 100) - 49.5) <= 1 FROM crowd', 't|t|t' ],
	[ 'SELECT abs(dp_count(*) - 2000) <= 20 FROM crowd WHERE age = 7', 't' ],
	[ 'SELECT abs(dp_count(DISTINCT id) - 200000) <= 20 FROM crowd', 't' ],
	[ 'SELECT count(*), bool_and(abs(c - 50000) <= 20 AND abs(s - 2475000) <= 120000) FROM (SELECT city, dp_count(*) AS c, dp_sum(age, 0, 100) AS s FROM crowd GROUP BY city) s', '4|t' ],
	[ "SELECT count(*), bool_and(abs(count - 20000) <= 20) FROM dp_histogram('crowd', 'age', 0, 100, 10)", '10|t' ],
	[ 'SELECT abs(dp_count(*) - 100000) <= 100, abs(dp_count(DISTINCT person) - 50000) <= 20, abs(dp_avg(age, 0, 100) - 49.5) <= 1 FROM visits', 't|t|t' ],
	[ 'SELECT count(*), bool_and(abs(c - 25000) <= 400 AND abs(u - 12500) <= 200) FROM (SELECT city, dp_count(*) AS c, dp_count(DISTINCT person) AS u FROM visits GROUP BY city) s', '4|t' ]);

sub workers
{
	my ($from) = @_;
	return scalar(() = slurp_file($node->logfile, $from) =~ /starting background worker process "parallel worker/g);
}

# Ask everything under some settings; returns how many parallel workers ran.
sub ask_all
{
	my ($name, @settings) = @_;
	my $log = -s $node->logfile;
	for my $query (@queries)
	{
		is(asked($node, [ 'SET dp_agg.epsilon = 20', @settings, $query->[0] ]), $query->[1], "$name: $query->[0]");
	}
	return workers($log);
}

my @parallel = (
	'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0',
	'SET min_parallel_index_scan_size = 0', 'SET max_parallel_workers_per_gather = 2');
for my $mechanism ('laplace', 'gaussian')
{
	my $set = "SET dp_agg.mechanism = $mechanism";
	is(ask_all("$mechanism, serial", $set, 'SET max_parallel_workers_per_gather = 0'), 0, "$mechanism: no workers in serial plans");
	cmp_ok(ask_all("$mechanism, parallel", $set, @parallel), '>=', scalar(@queries), "$mechanism: workers in parallel plans");
	cmp_ok(ask_all("$mechanism, parallel, sorted", $set, @parallel, 'SET enable_hashagg = off', "SET work_mem = '64kB'"),
		'>=', scalar(@queries), "$mechanism: and sorted ones");
	ask_all("$mechanism, no workers to be had", $set, @parallel, 'SET max_parallel_workers = 0');
}

# In a cursor, and where parallelism is not allowed.
is(asked($node, [ 'SET dp_agg.epsilon = 20', @parallel, 'BEGIN', "DECLARE c CURSOR FOR $queries[0][0]", 'FETCH c' ]), 't|t|t', 'in a cursor');
is(asked($node, [ 'SET dp_agg.epsilon = 20', @parallel, "CREATE TEMP TABLE t AS $queries[4][0]", 'TABLE t' ]), '10|t', 'in CREATE TABLE AS');

# Nothing was counted anywhere.
$node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()');
is($node->safe_psql('postgres', <<'SQL'), '0|0|0', 'no counter moved, in whatever process');
SELECT (SELECT count(*) FROM pg_stat_user_functions WHERE funcname IN ('detoasted', 'bucket', 'random_priority', 'canonical')),
	(SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('crowd', 'visits')),
	(SELECT sum(idx_tup_fetch) FROM pg_stat_user_tables WHERE relname = 'crowd')
SQL

$node->stop;
done_testing();
