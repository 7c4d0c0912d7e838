# No hook of another extension is shown what runs below a release, whatever is preloaded first and at whatever
# moment a portal is run; and all are back afterwards.  test/modules/hooks has one of every kind.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %questions = (
	'a count' => 'SELECT dp_count(*) FROM people',
	'plain SQL' => 'SELECT smoker, count(*), sum(least(greatest(age, 0), 100)) FROM people GROUP BY smoker',
	'a view' => 'SELECT count(*) FROM adults WHERE smoker',
	'a join' => 'SELECT count(*) FROM people p JOIN visits v ON v.patient = p.id WHERE v.clinic = 3',
	'a FULL JOIN' => 'SELECT count(*) FROM people p FULL JOIN visits v ON v.patient = p.id',
	'a grouped subquery' => 'SELECT n, count(*) FROM (SELECT id, count(*) AS n FROM (SELECT id, age FROM people) p JOIN visits v ON v.patient = p.id GROUP BY id) x GROUP BY n',
	'windows' => 'SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY age) AS n FROM (SELECT * FROM people) p) x WHERE n = 1',
	'a set operation' => 'SELECT count(*) FROM (SELECT id FROM people UNION SELECT patient FROM visits) x',
	'public rows' => 'SELECT count(*) FROM people WHERE age IN (SELECT k FROM clinics) AND age < (SELECT max(k) FROM clinics)',
	'a join of public rows' => 'SELECT k, count(*) FROM people JOIN clinics ON k = age GROUP BY k',
	'a model' => q{SELECT * FROM dp_linregr('people', 'age', 0, 100, '{"smoker": true}')},
	'a histogram' => q{SELECT * FROM dp_histogram('people', 'age', 0, 100, 10)},
	'quantiles' => 'SELECT dp_median(age, 0, 100) FROM people',
	'a DO block' => 'DO $$BEGIN PERFORM count(*) FROM people; END$$',
	'a function' => 'SELECT asks()',
	'INSERT with RETURNING' => 'INSERT INTO answers SELECT count(*) FROM people RETURNING n',
	'its price' => q{SELECT count(*) FROM dp_agg.price('SELECT count(*) FROM people')},
	'EXPLAIN' => 'EXPLAIN (VERBOSE) SELECT count(*) FROM people',
	'workers' => 'SELECT smoker, count(*) FROM people WHERE age > 1 GROUP BY smoker',
);

for my $order ('before', 'after')
{
	my $node = PostgreSQL::Test::Cluster->new($order);
	$node->init;
	my $libraries = $order eq 'before' ? 'dp_hooks_test,dp_agg' : 'dp_agg,dp_hooks_test';
	$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = '$libraries'
max_worker_processes = 16
autovacuum = off
CONF
	$node->start;
	$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE FUNCTION dp_hooks_seen() RETURNS text LANGUAGE c AS 'dp_hooks_test';
CREATE FUNCTION dp_hooks_printed() RETURNS text LANGUAGE c AS 'dp_hooks_test';
CREATE ROLE olga;
CREATE ROLE ann LOGIN;
CREATE ROLE poor LOGIN;
GRANT CREATE ON SCHEMA public TO olga, ann;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SELECT dp_agg.set_budget('ann', 1e6, 1e-3), dp_agg.set_budget('poor', 0.001, 0);
SET ROLE olga;
CREATE TABLE people (id int PRIMARY KEY, age int, smoker boolean);
INSERT INTO people SELECT i, i % 90, i % 3 = 0 FROM generate_series(1, 9000) i;
CREATE INDEX ON people (age);
SELECT dp_agg.protect('people', 'id');
CREATE TABLE visits (patient int, clinic int);
INSERT INTO visits SELECT i % 9000 + 1, i % 5 FROM generate_series(1, 15000) i;
SELECT dp_agg.protect('visits', 'patient', max_rows => 10, max_groups => 5);
CREATE VIEW adults AS SELECT id, age, smoker FROM people WHERE age > 17;
RESET ROLE;
CREATE TABLE clinics (k int PRIMARY KEY);
INSERT INTO clinics SELECT generate_series(0, 49);
GRANT SELECT ON clinics TO PUBLIC;
ANALYZE;
SET ROLE ann;
CREATE TABLE answers (n bigint);
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM people); END';
CREATE FUNCTION fetches(c refcursor) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE n bigint; BEGIN FETCH c INTO n; RETURN n; END';
SQL
	my $as = sub {
		my ($role, @statements) = @_;
		my ($ret, $out, $err) = $node->psql('postgres', join("\n", map { "$_;" } 'SET client_min_messages = error', 'SET dp_agg.max_join_rows = 10', @statements),
			extra_params => [ '-U', $role ], on_error_stop => 0);
		is($ret, 0, "$order: the server goes on") or diag($err);
		return ($out, $err);
	};
	# What hooks saw while some statements ran.
	my $seen = sub {
		my ($before, @statements) = @_;
		my ($out, $err) = $as->('ann', @$before, 'SET dp_hooks_test.watching = on', @statements, 'SET dp_hooks_test.watching = off',
			q{SELECT 'printed: ' || replace(dp_hooks_printed(), E'\n', ' ')}, q{SELECT 'seen: ' || dp_hooks_seen()});
		my ($hooks) = $out =~ /^seen: (.*)$/m;
		my ($plan) = $out =~ /^printed: (.*)$/m;
		return ($hooks, $plan, $err);
	};

	my @parallel = ('SET min_parallel_table_scan_size = 0', 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0');
	for my $what (sort keys %questions)
	{
		for my $table ('people', 'visits')
		{
			my ($hooks, $plan, $err) = $seen->([ "SET dp_hooks_test.relation = $table", $what eq 'workers' ? @parallel : () ], $questions{$what});
			is($err, '', "$order, $what: answered");
			my $shown = join ', ', grep { !/^(?:planner|rights):/ } grep { !/: 0 of / } split /, /, $hooks;
			is($shown, '', "$order, $what: no hook but those that see what was written and whose rights are looked at is shown $table");
			unlike($hooks, qr/no planner|cannot be walked|not started/, "$order, $what: whatever a hook was shown it could go by");
			unlike($plan, qr/on (?:public\.)?(?:people|visits)/, "$order, $what: no plan over protected rows is printed");
		}
	}

	# A portal that is there already is run, and nothing below it is called.
	my $declare = 'DECLARE c CURSOR WITH HOLD FOR SELECT count(*) FROM people';
	my ($hooks) = $seen->([ 'BEGIN', $declare ], 'COMMIT', 'SET dp_hooks_test.watching = off', 'FETCH c');
	is($hooks, 'run: 0 of 1, finish: 0 of 1, end: 0 of 1', "$order: COMMIT runs and ends the statement of a cursor WITH HOLD alone");
	($hooks) = $seen->([ 'BEGIN', $declare =~ s/ WITH HOLD//r ], 'FETCH c', 'SET dp_hooks_test.watching = off', 'COMMIT');
	is($hooks, 'run: 0 of 1', "$order: FETCH runs the cursor's statement alone");
	($hooks) = $seen->([ 'BEGIN', $declare =~ s/ WITH HOLD//r, 'SAVEPOINT s' ], 'MOVE c', 'SET dp_hooks_test.watching = off', 'ROLLBACK TO s', 'COMMIT');
	is($hooks, 'run: 0 of 1', "$order: and in a subtransaction");
	($hooks) = $seen->([ 'BEGIN', $declare =~ s/ WITH HOLD//r ], q{SELECT fetches('c')}, 'SET dp_hooks_test.watching = off', 'COMMIT');
	is(join(', ', grep { !/: 0 of / } split /, /, $hooks), '', "$order: and in a function");

	# After an error below a release the hooks are there again.
	my ($out) = $as->('poor', 'SET dp_hooks_test.watching = on', 'BEGIN', 'SAVEPOINT s', 'SELECT count(*) FROM people', 'ROLLBACK TO s', 'SET dp_hooks_test.watching = off',
		'SELECT dp_hooks_seen() IS NULL', 'SET dp_hooks_test.watching = on', 'SELECT 1 FROM clinics LIMIT 1', 'SET dp_hooks_test.watching = off', q{SELECT 'seen: ' || dp_hooks_seen()}, 'COMMIT');
	like($out, qr/^seen: planner: 0 of 1, upper paths: .*, paths: 0 of 1, .*start: 0 of 1, run: 0 of 1, finish: 0 of 1, end: 0 of 1, rights: 0 of 1/m,
		"$order: after an error all hooks are called again");

	# What is checked before a plan is printed is the server's own list of rights.
	($hooks) = $seen->([ 'SET debug_print_plan = on' ], 'SELECT count(*) FROM clinics');
	like($hooks, qr/rights: 0 of 1\b/, "$order: rights are looked at with hooks when a statement starts, not when it is planned");
	unlike($hooks, qr/not started/, "$order: and by nobody before");

	is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', "$order: the ledger verifies");
	unlike(slurp_file($node->logfile), qr/LOG:  dp_hooks_test/, "$order: nor is a hook in a parallel worker shown any of it");
	$node->stop;
}
done_testing();
