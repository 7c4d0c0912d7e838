# What PostgreSQL 19 lets a session say or see beside its queries: advice on plans, aggregates
# that begin below joins, counts of locks, where the log is, and what auto_explain logs.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($version) = PostgreSQL::Test::Cluster->new('probe')->pg_version =~ /^(\d+)/;
plan skip_all => "PostgreSQL $version has none of that" if $version < 19;

# The libraries that give advice come before ours in one server, after it in the other.
sub start
{
	my ($name, $libraries) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = '$libraries'
max_worker_processes = 16
autovacuum = off
CONF
	$node->start;
	$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE ann LOGIN;
CREATE TABLE people (id int PRIMARY KEY, town text, age int);
CREATE TABLE visits (person int, clinic int, cost int);
CREATE INDEX ON visits (clinic);
CREATE TABLE clinics (clinic int PRIMARY KEY, region text);
INSERT INTO people SELECT i, 'town ' || i % 5, i % 90 FROM generate_series(1, 2000) i;
INSERT INTO visits SELECT i % 2000 + 1, i % 50, i % 100 FROM generate_series(1, 8000) i;
CREATE TABLE calls (person int, clinic int, cost int);
INSERT INTO calls SELECT i % 20 + 1, i % 5, i % 7 FROM generate_series(1, 40000) i;
INSERT INTO clinics SELECT i, 'region ' || i % 3 FROM generate_series(0, 49) i;
ANALYZE;
GRANT SELECT ON clinics TO ann;
GRANT CREATE ON SCHEMA public TO ann;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 5, max_groups => 3), dp_agg.protect('calls', 'person');
SELECT dp_agg.set_budget('ann', 1e6, 1e-3);
CREATE FUNCTION plan_below(query text) RETURNS text AS '$libdir/dp_validate_test', 'test_plan_below' LANGUAGE C;
SQL
	return $node;
}

my $join = 'SELECT dp_count(*) FROM visits v JOIN clinics c ON c.clinic = v.clinic';

# How the exact query joins, under advice.
sub below
{
	my ($node, $advice) = @_;
	return $node->safe_psql('postgres', "SET ROLE ann; SET pg_plan_advice.advice = '$advice'; SELECT plan_below('$join')");
}

foreach my $libraries ('dp_agg, pg_plan_advice, pg_stash_advice', 'pg_plan_advice, pg_stash_advice, dp_agg')
{
	my $node = start($libraries =~ /^dp/ ? 'before' : 'after', $libraries);
	my $plain = below($node, '');
	unlike($plain, qr/nested loop/, "$libraries: no nested loop without advice");
	is(below($node, $_), $plain, "advice $_")
	  foreach 'NESTED_LOOP_PLAIN(c)', 'NESTED_LOOP_MEMOIZE(c)', 'JOIN_ORDER(c v) NESTED_LOOP_PLAIN(v) INDEX_SCAN(v public.visits_clinic_idx)',
	  'JOIN_ORDER(v c) MERGE_JOIN_PLAIN(c)';

	# Feedback, in the log: on the statement's own plan, which has nothing by that name, and on no other.
	my $from = -s $node->logfile;
	$node->safe_psql('postgres', "SET ROLE ann; SET pg_plan_advice.feedback_warnings = on; SET pg_plan_advice.advice = 'NESTED_LOOP_PLAIN(c)'; $join");
	my @warnings = slurp_file($node->logfile, $from) =~ /WARNING:.*advice/g;
	is(scalar @warnings, 1, 'advice is given once');
	like($node->safe_psql('postgres', "SET ROLE ann; SET pg_plan_advice.advice = 'NESTED_LOOP_PLAIN(b)';
			EXPLAIN (COSTS OFF) SELECT count(*) FROM pg_class a JOIN clinics b ON a.oid = b.clinic"),
		qr/Nested Loop/, 'of her own tables it is followed');
	$node->stop;
}

my $node = start('main', 'dp_agg, auto_explain');

# Aggregates below joins: the planner has them where it is asked for, and not below a release.
my $sums = 'SELECT c.region, %s FROM visits v JOIN clinics c ON c.clinic = v.clinic GROUP BY c.region';
my $eager = 'SET min_eager_agg_group_size = 0; SET enable_eager_aggregate = on; SET enable_hashjoin = on;';
my $grouped = q{SELECT dp_sum(n, 0, 100) FROM (SELECT v.person, sum(v.cost) AS n FROM calls v JOIN clinics c ON c.clinic = v.clinic GROUP BY v.person) s};
like($node->safe_psql('postgres', "$eager EXPLAIN (COSTS OFF) " . sprintf($sums, 'sum(v.cost)')), qr/Partial/, 'a plain query aggregates below its join');
my $joined = $node->safe_psql('postgres', "$eager SET ROLE ann; SELECT plan_below(\$\$$grouped\$\$)");
like($joined, qr/hash|merge/, 'a subquery below a release joins');
unlike($joined, qr/partial/, 'and does not');
my ($with, $without) = map { $node->safe_psql('postgres', "SET ROLE ann; SET dp_agg.epsilon = 1000; SET enable_eager_aggregate = $_; SET min_eager_agg_group_size = 0; $grouped") } 'on', 'off';
cmp_ok(abs($with - $without), '<', 10, 'answers are the same but for noise');

# Locks a session had no room for: what a release adds to them is counted nowhere.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE many (person int NOT NULL, n int) PARTITION BY LIST (n);
SELECT format('CREATE TABLE many_%1$s PARTITION OF many FOR VALUES IN (%1$s)', i) FROM generate_series(1, 300) i \gexec
INSERT INTO many SELECT i, i FROM generate_series(1, 300) i;
CREATE TABLE room (LIKE many) PARTITION BY LIST (n);
SELECT format('CREATE TABLE room_%1$s PARTITION OF room FOR VALUES IN (%1$s)', i) FROM generate_series(1, 300) i \gexec
GRANT SELECT ON room TO ann;
SELECT dp_agg.protect('many', 'person');
SQL
my $full = "SELECT fastpath_exceeded FROM pg_stat_lock WHERE locktype = 'relation'";
sub exceeded
{
	my ($before, $query) = @_;
	my $from = $node->safe_psql('postgres', $full);
	$node->safe_psql('postgres', "SET ROLE ann; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
		SET max_parallel_workers_per_gather = 2; BEGIN; $before; $query; COMMIT");
	return $node->safe_psql('postgres', $full) - $from;
}
my $room = 'SELECT count(*) FROM room';
my $alone = exceeded($room, 'SELECT 1');
cmp_ok($alone, '>', 100, 'more tables than a session has room for are counted');
my $planned = exceeded($room, 'EXPLAIN SELECT dp_count(*) FROM many');
my $released = exceeded($room, 'SELECT dp_count(*) FROM many'); # by workers, who lock them all again
note("locks beyond what there is room for: $alone, $planned with a plan, $released with a release");
cmp_ok($released - $planned, '<', 200, 'those of a release are not');

# Where the log is.
my $wait = "WAIT FOR LSN '0/1' WITH (MODE 'primary_flush', TIMEOUT '1ms', NO_THROW)";
is($node->safe_psql('postgres', "SET ROLE ann; $wait"), 'success', 'whoever may ask where the log is may wait for it');
$node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.harden(true)');
my ($status, undef, $error) = $node->psql('postgres', "SET ROLE ann; $wait");
isnt($status, 0, 'in a hardened database others may not');
like($error, qr/permission denied to wait for a position of the write-ahead log/, 'and are told');
is($node->safe_psql('postgres', "GRANT pg_read_all_stats TO ann; SET ROLE ann; $wait"), 'success', 'those who may ask may');
$node->safe_psql('postgres', 'REVOKE pg_read_all_stats FROM ann');

# Nor does a log of plans have the plan of an exact query, or its reads.
$node->safe_psql('postgres', <<'SQL');
ALTER ROLE ann SET auto_explain.log_min_duration = 0;
ALTER ROLE ann SET auto_explain.log_analyze = on;
ALTER ROLE ann SET auto_explain.log_io = on;
ALTER ROLE ann SET auto_explain.log_nested_statements = on;
ALTER ROLE ann SET auto_explain.log_level = notice;
SQL
my ($said, $told) = ('', '');
$node->psql('postgres', "$join; SELECT count(*) FROM clinics", stdout => \$said, stderr => \$told, connstr => $node->connstr('postgres') . ' user=ann');
like($told, qr/DpRelease/, 'a plan with a release is logged');
like($told, qr/Prefetch:.*|Seq Scan on clinics/, 'with what public tables are read by');
unlike($told, qr/Scan (?:using \S+ )?on (?:public\.)?(?:visits|people)/, 'without what is below');
$node->stop;

done_testing();
