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

# Exactly, at an epsilon at which noise rounds to nothing (see units.pl): each answer
# against one known beforehand.  Of `rows`, a unit has ten rows in nine or ten groups of
# k, which are those of t and of both; those of `heavy` are of three units, each in all
# groups; `empty` has none, and all rows of `one` are of the same unit.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rows AS SELECT i % 30000 AS u, k, 'a key that is too long to be its own id, ' || k AS t, i % 1000 - 500 AS v, i % 3 = 0 AS b
  FROM (SELECT i, (i % 30000 * 7 + (i / 30000) * (i / 30000) * 31) % 3000 AS k FROM generate_series(0, 299999) i) r;
CREATE TABLE heavy AS SELECT i % 3 AS u, i % 2999 AS k, 'another key that is too long, ' || i % 2999 AS t, i % 1000 - 500 AS v, i % 2 = 0 AS b
  FROM generate_series(0, 299999) i;
CREATE TABLE one AS SELECT 7 AS u, k, t, v, b FROM heavy;
CREATE TABLE empty AS SELECT * FROM rows LIMIT 0;
ANALYZE rows, heavy, one, empty;
SELECT dp_agg.protect(name, 'u', 'default', 100000, 3000) FROM unnest('{rows,heavy,one,empty}'::regclass[]) name;
SELECT dp_agg.set_budget(current_user::regrole, 1e13, 1e-3);
CREATE TABLE truth (of text, k text, n bigint, c bigint, s bigint) WITH (parallel_workers = 0);
SQL

# Questions: their names, tables, keys, bounds, and what the keys are as one text.  Where
# all rows have one unit, public groups are known whatever is in them.
my %exact = (
	all => [ 'rows', '', 100, 5000, "''" ],
	few => [ 'rows', 'b', 100, 5000, 'b::text' ],
	numbers => [ 'rows', 'k', 10, 5000, 'k::text' ],
	texts => [ 'rows', 't', 10, 5000, 't' ],
	both => [ 'rows', 't, k', 10, 5000, "t || ' ' || k" ],
	heavy => [ 'heavy', 'k', 1, 30000, 'k::text' ],
	long => [ 'heavy', 't', 1, 30000, 't' ],
	one => [ 'one', '', 99999, 100, "''" ],
	two => [ 'one', 'b', 99999, 100, 'b::text' ],
	none => [ 'empty', '', 1, 1, "''" ],
	nothing => [ 'empty', 'k', 1, 1, 'k::text' ]);

# What is compared: rows of each unit are limited per group, sums clamped.
for my $name (sort keys %exact)
{
	my ($table, $keys, $rows, $bound, $key) = @{ $exact{$name} };
	my $by = $keys ? ", $keys" : '';
	my $group = $keys ? "GROUP BY $keys" : '';
	$node->safe_psql('postgres', <<"SQL");
INSERT INTO truth SELECT '$name', $key, count(*), COALESCE(sum(least(c, $rows)), 0), COALESCE(sum(least(greatest(s, -$bound), $bound)), 0)
  FROM (SELECT u $by, count(*) AS c, sum(v) AS s FROM $table GROUP BY u $by) x $group;
SQL
}

# Groups that differ from what is known, or are missing, and how many there are.
sub differ
{
	my ($name) = @_;
	my ($table, $keys, $rows, $bound, $key) = @{ $exact{$name} };
	my $group = $keys eq 'b' ? 'WHERE b IS NOT NULL GROUP BY b' : $keys ? "GROUP BY $keys" : '';
	my $groups = $keys eq '' ? 1 : $keys eq 'b' ? 2 : 3000;
	my $tolerance = 60 * $groups / 1048576;
	return <<"SQL";
SET dp_agg.max_rows = $rows; SET dp_agg.max_groups = $groups;
WITH p AS MATERIALIZED (SELECT $key AS k, dp_count(DISTINCT u) AS n, dp_count(*) AS c, dp_sum(v, -$bound, $bound) AS s FROM $table $group),
	h AS (SELECT * FROM truth WHERE of = '$name')
SELECT '$name', count(h.k), count(*) FILTER (WHERE (abs(p.n - h.n) <= $tolerance AND abs(p.c - h.c) <= $tolerance * $rows
		AND abs(p.s - h.s) <= $tolerance * $bound) IS NOT TRUE) FROM p FULL JOIN h USING (k);
SQL
}

my $known = join "\n", 'all|1|0', 'both|3000|0', 'few|2|0', 'heavy|2999|0', 'long|2999|0', 'none|1|0', 'nothing|0|0', 'numbers|3000|0', 'one|1|0', 'texts|3000|0', 'two|2|0';
my $ways = join ' ', map { "$_;" } 'SET client_min_messages = error', 'SET dp_agg.epsilon = 1048576', 'SET dp_agg.delta = 1e-9', @parallel;

# Ask all of it, in a session that is there before workers are made to come late.
sub ask_exactly
{
	my ($name, $settings, $late) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $log = -s $node->logfile;
	$session->query("$ways $settings");
	$node->safe_psql('postgres', 'SELECT pg_reload_conf()') if $late;
	for my $memory ('64kB', '1MB', '64MB')
	{
		my $answers = $session->query("SET work_mem = '$memory';" . join '', map { differ($_) } sort keys %exact);
		is($answers, $known, "exactly, $name, in $memory");
	}
	$session->quit;
	return workers($log);
}

is(ask_exactly('serially', 'SET max_parallel_workers_per_gather = 0;'), 0, 'no workers in serial plans');
cmp_ok(ask_exactly('in parallel', ''), '>=', 3 * 10, 'workers in parallel plans');
cmp_ok(ask_exactly('without the leader', 'SET parallel_leader_participation = off;'), '>=', 3 * 10, 'workers without a leader');
cmp_ok(ask_exactly('with one worker of two', 'SET max_parallel_workers = 1;'), '>=', 3 * 5, 'one worker');
is(ask_exactly('with no worker', 'SET max_parallel_workers = 0;'), 0, 'no worker');
is(ask_exactly('with neither leader nor worker', 'SET parallel_leader_participation = off; SET max_parallel_workers = 0;'), 0, 'nor a leader: yet it reads');

# Processes of which one meets too many groups for numbers, more than 64 in its page of all, and others
# do not, but some that it does not meet.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE uneven AS SELECT i % 20000 AS u, 'no id by itself: ' || CASE WHEN i BETWEEN 50090 AND 50221 THEN i % 66 WHEN i % 10000 < 10 THEN i / 10000 + 100 ELSE i % 3 END AS t
  FROM generate_series(0, 99999) i;
ANALYZE uneven;
SELECT dp_agg.protect('uneven', 'u', 'default', 10, 10);
SQL
is($node->safe_psql('postgres', <<'SQL'), 1, 'uneven: one page has too many groups');
SELECT count(*) FROM (SELECT FROM uneven GROUP BY (ctid::text::point)[0] HAVING count(DISTINCT t) > 64) q
SQL

# Whoever comes first may read all pages, and the page with too many groups may be a process's last, which then writes
# nothing by ids: ask until others have read some, and one of them something behind that page.
my @uneven;
for my $workers (0, (2) x 20)
{
	my $log = -s $node->logfile;
	is($node->safe_psql('postgres', <<"SQL"), '76|76|0', "uneven: $workers workers");
$ways SET max_parallel_workers_per_gather = $workers; SET work_mem = '64kB'; SET dp_agg.max_groups = 10; SET dp_agg.max_rows = 10;
WITH p AS MATERIALIZED (SELECT t, dp_count(DISTINCT u) AS n, dp_count(*) AS c FROM uneven GROUP BY t),
	h AS (SELECT t, count(DISTINCT u) AS n, count(*) AS c FROM uneven GROUP BY t)
SELECT count(p.t), count(h.t), count(*) FILTER (WHERE (p.n = h.n AND p.c = h.c) IS NOT TRUE) FROM p FULL JOIN h USING (t);
SQL
	@uneven = map { scalar(() = slurp_file($node->logfile, $log) =~ /fileset\/units\.(\d+)\.$_"/g) } 0, 2;
	last if $workers && $uneven[0] > 1 && $uneven[1] > 0;
}
cmp_ok($uneven[0], '>', 1, 'uneven: several processes read');
is($uneven[1], 1, 'uneven: one of them has ids, others do not');

# Rescanned, left after some rows, and asked again and again: what was released stays as it was.
my $groups = "SELECT k, dp_count(DISTINCT u) AS n FROM rows GROUP BY k";
my $plenty = "$ways SET dp_agg.max_groups = 10; SET work_mem = '64kB';";
for my $settings ('', 'SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;')
{
	my $log = -s $node->logfile;
	is($node->safe_psql('postgres', "$plenty $settings SELECT count(*), count(DISTINCT (k, n)), sum(n) FROM generate_series(1, 3) g, LATERAL ($groups OFFSET 0) s"),
		'9000|3000|' . 3 * $node->safe_psql('postgres', "SELECT sum(n) FROM truth WHERE of = 'numbers'"), "rescanned; $settings");
	is($node->safe_psql('postgres', "$plenty $settings SELECT count(*) FROM generate_series(1, 3) g WHERE EXISTS ($groups HAVING k > g)"), '3', "below EXISTS; $settings");
	is($node->safe_psql('postgres', "$plenty $settings SELECT count(n) FROM ($groups LIMIT 1) s"), '1', "one row of many; $settings");
	cmp_ok(workers($log), '>=', 2, 'by workers');
}
is($node->safe_psql('postgres', <<"SQL"), join("\n", 1 .. 2, 'open', 1 .. 2), 'cursors, one closed in the middle and one left open');
$plenty
BEGIN;
DECLARE c CURSOR FOR SELECT row_number() OVER () FROM ($groups) s;
FETCH 2 FROM c;
CLOSE c;
SELECT 'open' FROM ($groups LIMIT 1) s;
DECLARE d CURSOR FOR SELECT row_number() OVER () FROM ($groups) s;
FETCH 2 FROM d;
ROLLBACK;
SQL
is(join(' ', glob($node->data_dir . '/base/pgsql_tmp/*')), '', 'no file is left behind');

# Nothing was counted anywhere.
$node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()');
is($node->safe_psql('postgres', <<'SQL'), '0|0|0', 'no counter moved, in whatever process');
SELECT (SELECT count(*) FROM pg_stat_user_functions WHERE funcname IN ('detoasted', 'bucket', 'random_priority', 'canonical')),
	(SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('crowd', 'visits')),
	(SELECT sum(idx_tup_fetch) FROM pg_stat_user_tables WHERE relname = 'crowd')
SQL

$node->stop;
done_testing();
