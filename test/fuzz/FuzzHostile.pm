# What a hostile analyst sends: valid blocks with something in them that must
# not pass, direct attempts at what is closed, broken and spliced text, and
# settings and transactions around everything.
package FuzzHostile;

use strict;
use warnings;

use FuzzExpr qw(pick chance quote_text);
use FuzzRoute qw(step);

# Fragments over the columns of people, by what they stand for.
my @values = (
	'tell(%s)', 'tell(note)', '(note::plain)::text', 'i::small', 'over_people.t', 'people', 'people.*', 'people::text', 'ctid', 'xmin', 'tableoid::regclass',
	'ROW(t, i)', 'ARRAY[t]', '(ARRAY[1,2])[i]', 'random()', "nextval('counter')", "setval('counter', i)", 'generate_series(1, i)', 'unnest(ARRAY[i])',
	'note || note', 'repeat(note, 1000)', "replace(note, 'Q', 'x')", "regexp_replace(note, 'Q', '')", 'note::int', 'secret::text::int', 't::date', 'note::bytea', 'note::xml',
	"pg_sleep(i)", "current_setting('dp_agg.' || t)", "set_config('application_name', note, false)", 'pg_advisory_lock(secret)', "query_to_xml('select * from people', true, true, '')",
	'(SELECT note)', '(SELECT max(x) FROM mine)', '(SELECT note FROM people p LIMIT 1)', '(SELECT x FROM mine WHERE id = i)', 'rank() OVER (ORDER BY secret)', 'max(note)', 'count(*)',
	'array_agg(note)', 'string_agg(note, note)', 'gather(note)', 'dp_count(i) FILTER (WHERE b)', 'dp_count(*) OVER ()', 'dp_count(DISTINCT note)', 'dp_sum(DISTINCT i, 0, 5)',
	'dp_sum(i, 0, 5 ORDER BY i)', 'dp_sum(dp_count(*), 0, 5)', 'dp_count(dp_count(i))', 'dp_count(note, note)', 'dp_sum(i, i, 5)', 'dp_sum(i, 0, secret)', 'dp_sum(i, 0, 5, random())',
	'dp_sum(i, 0, 5, d)', 'dp_count(VARIADIC ARRAY[i])', 'GROUPING(i)', 'jsonb_populate_record(NULL::pair, j)', "(j).a", "(ROW(1, note)::pair).b", 'row_to_json(people)', 'xmlelement(name x, note)',
	'dp_agg.withhold(note, 1)', 'dp_agg_internal.random_priority()', 'dp_agg_internal.canonical(d)', 'dp_agg_internal.exact_sum(i, t::bytea)', "dp_agg_internal.exact_deserialize('x', NULL)", "dp_agg_internal.cells_deserialize('x', NULL)",
	"dp_agg_internal.released_bigint(note::bytea, 0)", "dp_agg_internal.released_mean_laplace('\\x00', 0, 1)", 'dp_agg_internal.exact_rows(secret, NULL)', 'dp_agg_internal.unit_sum_part(secret, NULL)', 'dp_agg_internal.add_limited(NULL, secret, NULL)', 'dp_agg.bucket(i, 0, 1, 2)',
	'format(note)', 'note COLLATE "de-x-icu"', 'note::varchar(3)', 'note::char(2)::text', "to_char(secret, '999')", 'substr(note, i)', 'left(note, i)', "split_part(note, t, 1)", 'md5(note)', 'sha256(note::bytea)',
	'encode(note::bytea, t)', 'ascii(note)', 'chr(i)', 'hashtext(note)', '1/0', '1/i', 'i/0', 'sqrt(-d)', "'x'::int", 'CURRENT_USER', 'session_user', 'pg_typeof(i)::text', 'pg_column_size(note)', 'clock_timestamp()',
	'lo_import(note)', 'pg_read_file(note)', "dblink(note)", 'pg_notify(note, note)', 'txid_current()', 'asks(i)', 'VALUE', 'DEFAULT', '$1', '$7', '$99999', ':x', 'NULL', "''", 'e.e.e', '*', 'people.nosuch', '"Äö"', 'U&"\\00e9"', "U&'\\0000'");
my @conditions = (
	'note =~~~ t', 'i =~~~ i', 'told(note, t)', 'note ~ t', "note ~* '(a+)+b'", "note SIMILAR TO 'x%%'", 'note LIKE t', "note LIKE '%%%%%%%%%%%%%%%%%%%%%%%%%%%%x'", "note LIKE 'a\\'", 'EXISTS (SELECT 1 FROM mine WHERE x = i)',
	'i IN (SELECT x FROM mine)', 'i = ANY (SELECT x FROM mine)', 'i > ALL (ARRAY[i, s])', '(i, t) = (1, note)', '(i, t) IN ((1, note))', 'people IS NOT NULL', 'people = people', 'row(people.*) IS NULL', 'note IS DOCUMENT',
	"i = 1 OR tell(note) = 'x'", 'random() < 0.5', 'pg_try_advisory_lock(secret)', 'note IS NORMALIZED', 'CURRENT OF c', "has_table_privilege(note, 'x')", 'NOT (SELECT true)', 'dp_count(*) > 5', 'i = (dp_count(*))', 'WHERE', ';', ')', '(',
	"ctid = '(0,1)'", 'tableoid = 5', 'OVERLAPS', '(dt, dt) OVERLAPS (dt, dt)', q{note @@ 'x'}, 'j @> j', q{j @? '$.a'}, 'j ?| ARRAY[t]', 'note ^@ t', 'int4range(i, s) && int4range(1, 2)', "point(d, d) <@ box '0,0,1,1'");

# FROM clauses.
my @sources = (
	'people, mine', 'people a JOIN people b ON a.id = b.id', 'people NATURAL JOIN mine', 'people FULL JOIN mine USING (id)', 'mine LEFT JOIN people USING (id)', 'people CROSS JOIN generate_series(1, 5)',
	'people, LATERAL (SELECT people.note) s', 'people TABLESAMPLE BERNOULLI (50)', 'people TABLESAMPLE SYSTEM (1) REPEATABLE (1)', 'ONLY people', 'people *', 'parts_low', 'ONLY parts', 'closed', 'mine', 'cities', 'over_people', 'grown',
	'(SELECT * FROM people LIMIT 1) s', '(SELECT * FROM people ORDER BY note LIMIT 1) s', '(SELECT DISTINCT note, i FROM people) s', '(SELECT note, count(*) AS i FROM people GROUP BY note) s', '(SELECT *, rank() OVER (ORDER BY note) FROM people) s',
	'(SELECT *, random() AS z FROM people) s', '(SELECT *, tell(note) AS z FROM people) s', '(SELECT *, generate_series(1, i) FROM people) s', '(SELECT * FROM people UNION ALL SELECT * FROM people) s', '(SELECT * FROM people FOR UPDATE) s',
	'(VALUES (1)) v (i)', 'generate_series(1, 3) i', 'unnest(ARRAY[1]) i', 'dp_histogram(\'people\', \'i\', 0, 10, 5)', 'tell(1)', 'ROWS FROM (generate_series(1, 2), tell(3))', 'xmltable(\'x\' PASSING \'<x/>\' COLUMNS i int)', 'pg_class', 'pg_stats',
	'dp_agg.budget', 'dp_agg.ledger', 'information_schema.tables', '(people)', '(people JOIN mine USING (id)) AS x', '"people" AS p (id, id)', 'people p (a, b)', 'nosuch', 'public.people', 'postgres.public.people', 'x.y.people', 'people, people', 'people AS "dp_release"',
	'(SELECT dp_count(*) AS i FROM people) s', '(SELECT i FROM people WHERE i = (SELECT max(x) FROM mine)) s', '(SELECT note AS t, i FROM people WHERE tell(note) > \'\') s', 'json_each(\'{}\') people', '(TABLE people) people', '(SELECT people FROM people) s');

# What may stand behind a block.
my @tails = (
	'FOR UPDATE', 'FOR KEY SHARE SKIP LOCKED', 'LIMIT 1', 'LIMIT 0', 'OFFSET 1', 'LIMIT (SELECT count(*) FROM people)', 'LIMIT dp_count(*)', 'ORDER BY note', 'ORDER BY tell(note)', 'ORDER BY random()', 'ORDER BY dp_count(*)', 'FETCH FIRST 2 ROWS WITH TIES',
	'GROUP BY ROLLUP (i, s)', 'GROUP BY CUBE (i)', 'GROUP BY GROUPING SETS ((i), ())', 'GROUP BY DISTINCT i', 'GROUP BY note', 'GROUP BY people', 'GROUP BY tell(t)', 'GROUP BY random()', 'GROUP BY 99', 'GROUP BY ()', 'GROUP BY iv', 'GROUP BY note, secret', 'GROUP BY id',
	'HAVING max(note) > \'\'', 'HAVING tell(dp_count(*)) > 0', 'HAVING count(*) > 0', 'HAVING i > 0', 'GROUP BY i HAVING tell(i) > 5', 'GROUP BY t HAVING note =~~~ t', 'WINDOW w AS (ORDER BY note)', 'UNION SELECT secret FROM people', 'UNION ALL SELECT 1', 'INTERSECT SELECT 5',
	'EXCEPT ALL SELECT x FROM mine', 'INTO TEMP people', 'GROUP BY t ORDER BY t COLLATE "C" DESC NULLS FIRST', 'GROUP BY lower(t) HAVING dp_count(*) > 0 LIMIT 5', 'WHERE WHERE', 'AS OF SYSTEM TIME 1');

# Statements that have no business here at all.
my @direct = (
	'SELECT * FROM people', 'TABLE visits', 'SELECT note FROM closed', 'SELECT count(*) FROM people', 'COPY people TO STDOUT', 'COPY (SELECT note FROM people) TO STDOUT', "COPY people TO '/tmp/x'", "COPY mine FROM PROGRAM 'id'", 'COPY mine FROM STDIN',
	'INSERT INTO people (id) VALUES (0)', 'UPDATE people SET i = 1', 'UPDATE mine SET x = (SELECT dp_count(*) FROM people)', 'UPDATE mine SET t = note FROM people', 'DELETE FROM people', 'DELETE FROM mine USING people WHERE tell(note) > \'\'', 'TRUNCATE people', 'DELETE FROM mine WHERE x > (SELECT dp_count(*) FROM people)',
	'MERGE INTO mine USING people ON mine.id = people.id WHEN MATCHED THEN UPDATE SET t = note', 'LOCK TABLE people', 'CREATE INDEX ON people (tell(note))', 'ANALYZE people', 'VACUUM FULL people', 'CLUSTER people', 'REINDEX TABLE people', 'CREATE STATISTICS z ON i, s FROM people', 'CREATE TABLE z (id int REFERENCES people)', 'CREATE TABLE z (LIKE people INCLUDING ALL)',
	'CREATE TABLE z () INHERITS (people)', 'CREATE RULE z AS ON SELECT TO people DO INSTEAD SELECT * FROM mine', 'CREATE TRIGGER z AFTER INSERT ON people EXECUTE FUNCTION tell()', 'CREATE POLICY z ON people', 'ALTER TABLE people ENABLE ROW LEVEL SECURITY', 'ALTER TABLE people OWNER TO analyst', 'COMMENT ON TABLE people IS \'x\'', 'SECURITY LABEL FOR dp_agg ON COLUMN mine.id IS \'\'', 'SECURITY LABEL ON TABLE people IS NULL',
	"SELECT dp_agg.protect('mine', 'id')", "SELECT dp_agg.unprotect('people')", "SELECT dp_agg.set_budget('analyst', 1e9, 0.5)", "SELECT dp_agg.reset_budget('analyst')", 'SELECT * FROM dp_agg.ledger', 'DELETE FROM dp_agg.ledger', 'SELECT * FROM dp_agg.budgets', 'SELECT * FROM dp_agg.protected_tables', 'SELECT * FROM dp_agg.verify_ledger()',
	'SELECT * FROM pg_stats', 'SELECT * FROM pg_stat_activity', 'SELECT * FROM pg_statistic', 'SELECT * FROM pg_stat_user_tables', 'SELECT * FROM pg_locks', 'SELECT pg_relation_size(\'people\')', 'SELECT * FROM pg_stat_xact_user_tables', 'SELECT relname, reltuples FROM pg_class', 'SELECT * FROM pg_prepared_statements', 'SELECT * FROM pg_cursors',
	'SELECT dp_count(*)', 'SELECT dp_count()', 'SELECT dp_sum(1, 2)', 'SELECT dp_avg()', 'SELECT dp_histogram(\'people\', \'i\', 0, 10, 5)', "SELECT * FROM dp_histogram('people', 'note', 0, 10, 5)", "SELECT * FROM dp_histogram('closed', 'i', 0, 10, 5)", "SELECT * FROM dp_histogram('people', 'i', 10, 0, 5)", "SELECT * FROM dp_histogram('people', 'i', 0, 1, 1000000000)",
	"SELECT * FROM dp_histogram('people', 'i', 'NaN', 1, 5)", "SELECT * FROM dp_histogram('people', 'nosuch', 0, 1, 5)", "SELECT * FROM dp_histogram('people', 'i', 0, 1, 5, NULL, 'tell(note) > ''''')", "SELECT * FROM dp_histogram('people', 'i', 0, 1, 5, NULL, 'true) OR (true')", "SELECT * FROM dp_histogram('people', 'i', 0, 1, 5, 1, '; SELECT')", "SELECT * FROM mine, dp_histogram('people', 'i', x, 9, 5)",
	q{SELECT * FROM dp_linregr('people', 'i', 0, 10, '{"d": [0, 1], "t": ["a", "b"]}')}, q{SELECT * FROM dp_linregr('people', 'i', 0, 10, '{"note": ["a", "b"]}')}, q{SELECT * FROM dp_linregr('people', 'i', 0, 10, '{"d": [0, 1e999]}')},
	q{SELECT * FROM dp_linregr('people', 'i', 0, 10, '{"d": {"a": [[[]]]}}')}, q{SELECT * FROM dp_linregr('people', 'i', 0, 10, '["d", "nosuch"]')}, q{SELECT * FROM dp_linregr('people', 'i', 0, 10, '{"d": [0, 1]}', 1, 'tell(note) > ''''')},
	q{SELECT * FROM dp_logregr('people', 'i > 5', '{"d": [0, 1], "t": ["a", "b"]}', 8)}, q{SELECT * FROM dp_svm('people', 'tell(note) > ''''', '{"d": [0, 1]}')}, q{SELECT * FROM dp_logregr('people', 'i > 5', '{"d": [0, 1]}', 2147483647)}, q{SELECT * FROM dp_svm('people', 'true) OR (true', '["d"]', 0)},
	q{SELECT * FROM mine, dp_logregr('people', 'i > 5', '{"d": [0, 1]}', x)}, q{SELECT dp_agg_internal.model_row(decode(repeat('01', 272), 'hex'), x, x) FROM mine}, q{SELECT dp_agg_internal.logistic_fit(decode(repeat('00', 400), 'hex'), '{a}', '{1,1,1,1}')}, q{SELECT dp_agg_internal.svm_fit(decode(repeat('7f', 308), 'hex'), '{a}', '{1,1,1,1}')},
	q{SELECT * FROM dp_linregr('closed', 'i', 0, 10, '{"d": [0, 1]}')}, q{SELECT * FROM mine, dp_linregr('people', 'i', x, 9, '{"d": [0, 1]}')}, q{SELECT dp_agg_internal.model('\x00', 1, dp_agg_internal.coordinate(i, 0, 1)) FROM people}, q{SELECT dp_agg_internal.exact_model(decode(repeat('01', 272), 'hex'), x, x) FROM mine},
	q{SELECT dp_agg_internal.linear_fit(decode(repeat('ff', 400), 'hex'), '{a}', '{1,1,1,1}')}, q{SELECT dp_agg_internal.released_model(decode(repeat('00', 64), 'hex'), decode(repeat('01', 292), 'hex'))}, q{SELECT dp_predict(ARRAY[x], ARRAY[i]) FROM mine, people},
	"SELECT dp_agg_internal.exact_sum(x, '\\x00') FROM mine", "SELECT dp_agg_internal.exact_rows(x, decode(repeat('ff', 56), 'hex')) FROM mine", "SELECT dp_agg_internal.exact_sum(x, NULL) FROM mine", "SELECT dp_agg_internal.released_bigint('\\x0001020304050607080910', 3)", 'SELECT dp_agg.withhold(x, 1) FROM mine', 'SELECT dp_agg_internal.random_priority()', 'SELECT dp_agg_internal.exact_cells(x, NULL) FROM mine', 'SELECT dp_agg_internal.over_units(x, id, NULL) FROM mine', "SELECT dp_agg_internal.released_mean_gaussian(decode(repeat('00', 36), 'hex'), 0, 1, 0)",
	"SELECT dp_agg_internal.exact_combine(NULL, NULL)", "SELECT dp_agg_internal.unit_sum_part(x, decode(repeat('7f', 60), 'hex')) FROM mine", "SELECT dp_agg.price('')", "SELECT * FROM dp_agg.price('SELECT 1; SELECT 2')", "SELECT * FROM dp_agg.price('SELECT * FROM people')", "SELECT * FROM dp_agg.price('garbage')", "SELECT * FROM dp_agg.price('EXPLAIN ANALYZE SELECT dp_count(*) FROM people')", "SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE i = \$1')", "SELECT * FROM dp_agg.price(note) FROM people",
	'SET ROLE postgres', 'SET SESSION AUTHORIZATION postgres', 'ALTER ROLE analyst SUPERUSER', 'LOAD \'dp_agg\'', 'CREATE EXTENSION dblink', 'DROP EXTENSION dp_agg', 'ALTER FUNCTION dp_count(*) OWNER TO analyst', 'DROP AGGREGATE dp_count(*)', 'CREATE OR REPLACE AGGREGATE dp_count(*) (SFUNC = int8inc, STYPE = int8)', "CREATE FUNCTION z(internal) RETURNS internal LANGUAGE internal AS 'dp_statement_refuse'",
	'CREATE AGGREGATE z(bigint, bytea) (SFUNC = dp_agg_internal.add_limited, STYPE = internal)', "CREATE AGGREGATE z(bigint, bytea) (SFUNC = dp_agg_internal.add_limited, STYPE = internal, FINALFUNC = dp_agg_internal.part_final)", 'CREATE AGGREGATE z(int, bytea) (SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SERIALFUNC = dp_agg_internal.exact_serialize, DESERIALFUNC = dp_agg_internal.exact_deserialize, COMBINEFUNC = dp_agg_internal.exact_combine)',
	'WITH RECURSIVE r AS (SELECT dp_count(*) AS n FROM people UNION ALL SELECT n + 1 FROM r WHERE n < 0) SELECT * FROM r', 'WITH d AS (DELETE FROM mine WHERE id > 900 RETURNING *) SELECT dp_count(*) FROM people', 'WITH i AS (INSERT INTO mine SELECT 2000 + dp_count(*), 1, \'x\' FROM people RETURNING *) SELECT * FROM i', 'SELECT x, (SELECT dp_count(*) FROM people WHERE i = x) FROM mine', 'SELECT (SELECT dp_count(people.i) FROM mine) FROM people');

# Numbers to go where bounds and losses stand.
my @numbers = (
	qw(0 -0 1 -1 1e-300 1e300 1e308 -1e308 1e-9 1e-10 1048576 1048577 9223372036854775807 -9223372036854775808 9223372036854775808 1e18 0.5 1e400), "'NaN'", "'Infinity'", "'-Infinity'", 'NULL', "''", "'x'", 'NULL::float8', "'NaN'::float8",
	"'Infinity'::numeric", '1/0', '2^62', '(SELECT 1)', 'i', 'random()', 'now()', "'1e1000'::numeric", "'-0'::float8", '$1', "true", "ARRAY[1]", "'5'::text", '(1+1)', 'CASE WHEN true THEN 1 END', "'9e18'::float8", '5e-324::float8');

# Settings that change how things run, never what they mean.
my @settings = (
	(map { my $n = $_; map { "SET $n = $_" } 'on', 'off' } qw(enable_seqscan enable_hashagg enable_sort enable_indexscan enable_bitmapscan enable_material enable_memoize enable_nestloop enable_incremental_sort enable_partitionwise_aggregate
		enable_partition_pruning enable_parallel_append parallel_leader_participation jit geqo quote_all_identifiers transform_null_equals array_nulls escape_string_warning synchronous_commit default_transaction_read_only check_function_bodies exit_on_error
		debug_print_plan debug_print_rewritten debug_print_parse debug_pretty_print trace_sort trace_notify standard_conforming_strings row_security track_activities lo_compat_privileges log_duration log_executor_stats log_statement_stats)),
	(map { my $n = $_; map { "SET $n = $_" } qw(on regress off) } qw(force_parallel_mode debug_parallel_query)), 'SET jit_above_cost = 0', 'SET jit_above_cost = -1', 'SET geqo_threshold = 2', 'SET from_collapse_limit = 1', 'SET join_collapse_limit = 1', 'SET plan_cache_mode = force_generic_plan', 'SET plan_cache_mode = force_custom_plan', 'SET plan_cache_mode = auto',
	'SET work_mem = 64', 'SET work_mem = \'4MB\'', 'SET hash_mem_multiplier = 1', 'SET max_parallel_workers_per_gather = 0', 'SET max_parallel_workers_per_gather = 2', 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0', 'SET cpu_operator_cost = 1000', 'SET cursor_tuple_fraction = 0',
	'SET client_min_messages = debug1', 'SET client_min_messages = debug5', 'SET client_min_messages = log', 'SET client_min_messages = error', 'SET client_min_messages = notice', 'SET search_path = pg_temp, public', 'SET search_path = \'\'', 'SET search_path = public, pg_catalog', 'RESET search_path', 'SET constraint_exclusion = on', 'SET extra_float_digits = -15', 'RESET extra_float_digits',
	"SET DateStyle = 'SQL, DMY'", 'RESET DateStyle', 'SET IntervalStyle = iso_8601', "SET TimeZone = 'Pacific/Apia'", "SET TimeZone = 'UTC'", 'SET bytea_output = escape', "SET lc_messages = 'C'", "SET client_encoding = 'LATIN1'", "SET client_encoding = 'UTF8'", 'SET xmloption = document', "SET default_text_search_config = 'simple'", 'SET backslash_quote = on',
	'SET dp_agg.mechanism = gaussian', 'SET dp_agg.mechanism = laplace', 'SET dp_agg.mechanism = nosuch', 'SET dp_agg.max_rows = 5', 'SET dp_agg.max_rows = 1000000000', 'RESET dp_agg.max_rows', 'SET dp_agg.max_groups = 1000000', 'SET dp_agg.max_groups = 3', 'RESET dp_agg.max_groups', 'SET dp_agg.charge_timeout = 1', 'RESET dp_agg.charge_timeout',
	'SET dp_agg.epsilon = 0.7', 'SET dp_agg.epsilon = 1e-9', 'RESET dp_agg.epsilon', 'SET dp_agg.epsilon = -1', 'SET dp_agg.delta = 1e-20', 'SET dp_agg.delta = 1e-30', 'SET dp_agg.nosuch = 1', 'SET dp_agg.keeper_idle_timeout = 50', 'SET ROLE analyst', 'RESET ROLE', 'DISCARD PLANS', 'DISCARD TEMP', 'DISCARD SEQUENCES', 'DEALLOCATE ALL', 'CLOSE ALL', 'UNLISTEN *', 'SELECT setseed(0.5)',
	'SET default_transaction_isolation = \'serializable\'', 'RESET default_transaction_isolation', 'SET default_transaction_deferrable = on', 'SET session_replication_role = replica', 'SET ignore_system_indexes = on', 'SET zero_damaged_pages = on', 'SET allow_system_table_mods = on', 'SET temp_buffers = 100', 'SET max_stack_depth = 100', 'SET lock_timeout = 1000', 'RESET lock_timeout', 'SET idle_in_transaction_session_timeout = 0');
my @transactions = (
	'BEGIN', 'BEGIN', 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY', 'START TRANSACTION DEFERRABLE', 'COMMIT', 'COMMIT', 'ROLLBACK', 'ROLLBACK', 'ROLLBACK', 'SAVEPOINT a', 'ROLLBACK TO a', 'RELEASE a', 'COMMIT AND CHAIN', 'ROLLBACK AND CHAIN', "PREPARE TRANSACTION 'x'", 'SET TRANSACTION READ ONLY', 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'SET CONSTRAINTS ALL DEFERRED', 'ABORT', 'END',
	'DECLARE h CURSOR WITH HOLD FOR SELECT 1', 'FETCH ALL FROM h', 'LISTEN x', 'NOTIFY x', 'CHECKPOINT', 'SHOW ALL');

sub setting { return step(pick(@settings), 0, way => 'setting') }

# Any setting the analyst may change, to any value it can have.
sub any_setting
{
	my ($server) = @_;
	my ($name, $type, $least, $most, $values) = @{ pick(@{ $server->{settings} }) };
	my $value = $type eq 'bool' ? pick(qw(on off)) : $type eq 'enum' ? pick(split /,/, $values) : pick($least, $most, 0, 1, 2, 10, 1000);
	return step(chance(0.2) ? "RESET $name" : "SET $name = '$value'", 0, way => 'any setting');
}
sub transaction { return step(pick(@transactions), 0, way => 'transaction') }
sub direct
{
	my $sql = pick(@direct);
	$sql = "EXPLAIN $sql" if chance(0.1);
	return step($sql, 0, most => 1, way => 'direct');
}

sub fragment
{
	my ($list) = @_;
	my $text = pick(@$list);
	my $filler = pick('note', 'secret', 'i', 't', 'd', 'people');
	return $text =~ s/%s/$filler/gr =~ s/%%/%/gr;
}

# A block over people with one or two places filled with something hostile.
sub planted
{
	my %place = (value => 'dp_count(*)', from => 'people', where => '', tail => '');
	for (1 .. pick(1, 1, 1, 2))
	{
		my $where = pick(qw(value argument key bounds condition from tail wrap));
		$place{value} = fragment(\@values) if $where eq 'value';
		$place{value} = pick('dp_count(%s)', 'dp_sum(%s, 0, 5)', 'dp_avg(%s, 0, 1)', 'dp_count(1, %s)') =~ s/%s/fragment(\@values)/er if $where eq 'argument';
		$place{value} = pick('dp_sum', 'dp_avg', 'dp_sum', 'dp_median', 'dp_quantile', 'dp_max', 'dp_variance') . '(' . pick('i', 'd', 'n', 'l', 'r', 's') . ', ' . join(', ', map { pick(@numbers) } 1 .. pick(1, 2, 2, 3, 3, 4)) . ')' if $where eq 'bounds';
		$place{value} = 'dp_count(*), ' . pick('dp_count(1, ', 'dp_count(DISTINCT id, ') . pick(@numbers) . ')' if $where eq 'bounds' && chance(0.2);
		@place{qw(value tail)} = (fragment(\@values) . ' AS k, dp_count(*)', 'GROUP BY 1') if $where eq 'key';
		$place{where} = 'WHERE ' . fragment(\@conditions) if $where eq 'condition';
		$place{where} = 'WHERE ' . fragment(\@values) . ' ' . pick('IS NOT NULL', '= 5', "> 'x'", 'IN (1, 2)', 'BETWEEN 1 AND 2') if $where eq 'condition' && chance(0.4);
		$place{from} = fragment(\@sources) if $where eq 'from';
		$place{tail} = fragment(\@tails) if $where eq 'tail';
		$place{value} = pick('tell(%s)', '%s::text', 'coalesce(%s, tell(1))', '(SELECT %s)', '%s / 0', 'generate_series(1, least(%s, 99))', 'sum(%s) OVER ()', '%s = 0 OR note > \'x\'') =~ s/%s/$place{value}/r if $where eq 'wrap';
	}
	return "SELECT $place{value} FROM $place{from} $place{where} $place{tail}";
}

# Something of an uncommon size or depth, up to a size.
sub large
{
	my ($most) = @_;
	my $size = pick(grep { $_ <= $most } 1, 10, 10, 100, 100, 300, 1000, 3000);
	my $way = int rand 16;
	return 'SELECT dp_count(*) FROM people WHERE ' . ('NOT (' x $size) . 'b' . (')' x $size) if $way == 0;
	return 'SELECT dp_count(*) FROM people WHERE i IN (' . join(',', 1 .. $size) . ')' if $way == 1;
	return 'SELECT dp_count(*) FROM people WHERE ' . join(' OR ', ('i = 1') x $size) if $way == 2;
	return 'SELECT ' . join(', ', ('dp_count(*)') x $size) . ' FROM people' if $way == 3;
	return 'SELECT ' . join(', ', map { "dp_sum(i, 0, $_)" } 1 .. $size) . ' FROM people' if $way == 4;
	return 'SELECT dp_count(*) FROM people GROUP BY ' . join(', ', map { "i + $_" } 1 .. $size) if $way == 5;
	return 'SELECT dp_sum(' . ('(' x $size) . 'i' . (' + 1)' x $size) . ', 0, 5) FROM people' if $way == 6;
	return ('SELECT * FROM (' x $size) . 'SELECT dp_count(*) FROM people' . (') q' x $size) if $way == 7;
	return 'SELECT dp_count(*) FROM ' . ('(SELECT * FROM ' x $size) . 'people' . (') q' x $size) if $way == 8;
	return join ' UNION ALL ', ('SELECT dp_count(*) FROM people') x ($size > 100 ? 100 : $size) if $way == 9;
	return 'SELECT dp_count(*) FROM people WHERE t = ' . quote_text('x' x ($size * 300)) if $way == 10;
	return 'SELECT dp_count(*) AS "' . ('é' x $size) . '" FROM people AS "' . ('ß' x $size) . '"' if $way == 11;
	return 'SELECT dp_count(CASE ' . join(' ', map { "WHEN i = $_ THEN $_" } 1 .. $size) . ' END) FROM people' if $way == 12;
	return "SELECT * FROM dp_linregr('people', 'i', 0, 100, '" . ('[' x $size) . (']' x $size) . "')" if $way == 13;
	return q{SELECT * FROM dp_linregr('people', 'i', 0, 100, '} . '{"t": [' . join(', ', map { qq{"k$_"} } 1 .. $size) . "]}')" if $way == 14;
	return "SELECT * FROM dp_histogram('people', 'i', 0, 100, $size)";
}

# Bytes where the extension's functions take some: bounds, totals, states.
sub bytes
{
	my $hex = sub { join '', map { chance(0.4) ? pick('00', '01', '7f', '80', 'ff') : sprintf '%02x', int rand 256 } 1 .. pick(0, 1, 16, 20, 36, 52, 52, 52, 60, int rand 80) };
	my $value = "'\\x" . $hex->() . "'::bytea";
	my $grid = pick(0, 1, -1, 63, 64, -127, -128, 1200, -1200, 2147483647);
	my $call = pick(
		"dp_agg_internal.released_bigint($value, $grid)", "dp_agg_internal.released_numeric($value, $grid)", "dp_agg_internal.released_float8($value, $grid)",
		"dp_agg_internal.released_date($value, '2020-01-01', " . pick("'2021-01-01'", "'infinity'", "'1900-01-01'") . ', ' . pick(@numbers) . ')',
		"dp_agg_internal.released_timestamp" . pick('', 'tz') . "($value, '4713-01-01 BC', '294276-12-31', " . pick(@numbers) . ')',
		"dp_agg_internal.released_point($value, 0, " . pick(@numbers) . ', ' . pick(@numbers) . ')', "dp_agg_internal.released_mean_laplace($value, " . pick(@numbers) . ', 5)', "dp_agg_internal.released_mean_gaussian($value, 0, " . pick(@numbers) . ", $grid)");
	my $aggregate = 'dp_agg_internal.' . pick(qw(exact_sum exact_avg exact_rows unit_sum_part unit_part exact_cells)) . '(' . pick('x', "date 'infinity'", "timestamptz '-infinity'", 'x::int8', 'x::numeric', 'x::float8', "'NaN'::float8", '1e300::numeric') . ", $value)";
	return 'SELECT ' . (chance(0.5) ? $call : "$aggregate, $call FROM mine");
}

# Break a valid text: drop, double, swap or replace words, or splice two texts.
sub broken
{
	my ($text, $other) = @_;
	my @words = $text =~ /(\s+|\w+|'(?:[^'\\]|\\.)*'|"[^"]*"|::|.)/gs;
	my @others = $other =~ /(\s+|\w+|'(?:[^'\\]|\\.)*'|"[^"]*"|::|.)/gs;
	for (1 .. pick(1, 1, 2, 4))
	{
		my $at = int rand @words;
		my $way = int rand 5;
		if ($way == 0) { splice @words, $at, 1 }
		elsif ($way == 1) { splice @words, $at, 0, $words[ int rand @words ] }
		elsif ($way == 2) { @words[ $at, -1 ] = @words[ -1, $at ] }
		elsif ($way == 3) { $words[$at] = $others[ int rand @others ] }
		else { splice @words, $at, pick(0, 3, 20), @others[ grep { $_ < @others } map { $_ + int(rand @others) } 0 .. 3 ] }
		@words = ('SELECT') unless @words;
	}
	return join '', @words;
}

1;
