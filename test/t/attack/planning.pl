# Attacks on the time between the check of a block and the reading of its rows, by
# code of the analyst's that runs while the same statement is planned.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use StrikeTest;

# Changes fill WAL files, and other sessions are told of them at any time: what these do
# then is told by messages of less than debug3.
$AttackTest::pass_over = qr/creating and filling new WAL file/;
$AttackTest::messages = 'debug3';

# Everything that planning runs or looks into, in tables of her own.
my $analyst = $STRIKES . <<'SQL';
CREATE FUNCTION inlined() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT ann.lie() + 1';
CREATE FUNCTION standard() RETURNS int IMMUTABLE LANGUAGE sql RETURN ann.lie() + 1;
CREATE FUNCTION rows_of(int DEFAULT ann.lie()) RETURNS SETOF int STABLE ROWS 1 LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION steady() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN ann.strike(); END';
CREATE FUNCTION less(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN ann.strike() > 0 AND $1 < $2; END';
CREATE OPERATOR <<< (PROCEDURE = less, LEFTARG = int, RIGHTARG = int, RESTRICT = scalarltsel);
CREATE TYPE holder AS (a int);
CREATE FUNCTION hold(int) RETURNS holder IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM ann.strike(); RETURN ROW($1)::ann.holder; END';
CREATE CAST (int AS holder) WITH FUNCTION hold(int);
CREATE VIEW lying AS SELECT lie() AS x;
CREATE TABLE plain (k int PRIMARY KEY);
INSERT INTO plain SELECT generate_series(1, 50);
CREATE TABLE results (boosted boolean, x int DEFAULT lie(), y int DEFAULT strike());
CREATE TABLE secured_too (k int);
INSERT INTO secured_too VALUES (1);
ALTER TABLE secured_too ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY strikes ON secured_too USING (lie() > 0);
SQL

# A range that a superuser made for her, with a function that she may replace.
my $admin = $LINKED . <<'SQL';
CREATE TYPE ann.span;
CREATE FUNCTION ann.canonical(ann.span) RETURNS ann.span IMMUTABLE STRICT LANGUAGE internal AS 'int4range_canonical';
CREATE TYPE ann.span AS RANGE (subtype = int, canonical = ann.canonical);
ALTER FUNCTION ann.canonical(ann.span) OWNER TO ann;
ALTER TYPE ann.span OWNER TO ann;
SQL
my $span = <<'SQL';
CREATE OR REPLACE FUNCTION canonical(span) RETURNS span IMMUTABLE STRICT LANGUAGE plpgsql AS 'BEGIN PERFORM ann.strike(); RETURN $1; END';
SQL
my $neighbours = new_neighbours('attack_planning', admin => $admin, analyst => $analyst . $span, person => \%LINKED_PERSON);

my $block = block('a table of persons');

# Refused for what it found when the statement was about to read: that it has changed,
# or what would have been said had it always been so.
my $refused = '55000|0A000';

# The way of the issue's example: an immutable function beside the block, whatever the
# block reads.
$neighbours->attack(ask(<<"ATTACKS", %BLOCKS));
@ planning drops a key: <name> | 0 | $refused
SELECT fresh_with_view('duplicates');
SELECT lie(), boosted FROM (<part>) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning adds a child: <name> | 0 | $refused
SELECT fresh_with_view('inherit');
SELECT lie(), boosted FROM (<part>) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS

# Every place where planning runs code.
$neighbours->attack(ask(<<"ATTACKS",
@ planning runs code in <name> | 0 | $refused
SELECT fresh('duplicates');
<part>;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
	'ORDER BY' => "SELECT boosted FROM ($block) s ORDER BY lie()",
	'LIMIT' => "SELECT boosted FROM ($block) s LIMIT lie()",
	'OFFSET' => "SELECT boosted FROM ($block) s OFFSET lie() - 1",
	'HAVING' => "$block HAVING lie() > 0",
	'WHERE above' => "SELECT boosted FROM ($block) s WHERE lie() > 0",
	'DISTINCT above' => "SELECT DISTINCT ON (lie()) boosted FROM ($block) s",
	'a WITH query' => "WITH w AS MATERIALIZED (SELECT lie() AS x) SELECT x, boosted FROM w, ($block) s",
	'an arm of UNION' => "SELECT lie() > 5 AS boosted UNION ALL ($block)",
	'a grouped arm' => "SELECT count(*) > lie() AS boosted FROM plain GROUP BY k % 2 UNION ALL ($block)",
	'a later arm' => "($block) UNION ALL SELECT lie() > 5",
	'a function in FROM' => "SELECT boosted FROM ($block) s, generate_series(1, lie())",
	'a default argument' => "SELECT boosted FROM ($block) s, rows_of()",
	'a window' => "SELECT boosted, lag(boosted, lie()) OVER () FROM ($block) s",
	'CASE that is not taken' => "SELECT CASE WHEN boosted IS NULL THEN lie() END FROM ($block) s",
	'a function that is inlined' => "SELECT inlined(), boosted FROM ($block) s",
	'a function with a standard body' => "SELECT standard(), boosted FROM ($block) s",
	'a view' => "SELECT x, boosted FROM lying, ($block) s",
	'a table function in ROWS FROM' => "SELECT boosted FROM ($block) s, ROWS FROM (generate_series(1, 2), generate_series(1, lie()))",
	'an estimate by a stable function' => "SELECT boosted FROM ($block) s, plain WHERE k < steady() + 1",
	'an estimate by an operator' => "SELECT boosted FROM ($block) s, plain WHERE k <<< 5 LIMIT 1",
	'an operator of constants' => "SELECT 1 <<< 2, boosted FROM ($block) s",
	'a cast' => "SELECT (5::holder) IS NULL, boosted FROM ($block) s",
	'a check of a domain' => "SELECT 5::watched, boosted FROM ($block) s",
	'a check of a domain, of rows' => "SELECT boosted FROM ($block) s, plain WHERE k::watched > 5 LIMIT 1",
	'a default of the target' => "INSERT INTO results (boosted) $block",
	'a policy' => "SELECT boosted FROM ($block) s, secured_too",
	'a condition that is never true' => "SELECT boosted FROM ($block) s, plain WHERE k = 5 AND lie() = 0 UNION ALL ($block)",
	'a scalar subquery' => "SELECT ($block) AS boosted, (SELECT lie())",
	'a call of a histogram beside' => "SELECT s.boosted FROM ($block) s, dp_histogram('people', 'age', 0, 100, 1) WHERE bin = lie()",
	'JOIN ON' => "SELECT boosted FROM ($block) s JOIN plain ON plain.k = lie()",
	'TABLESAMPLE' => "SELECT boosted FROM ($block) s, plain TABLESAMPLE BERNOULLI (lie() * 100) LIMIT 1",
	'a range' => "SELECT '[1,2]'::span = '[3,4]'::span, boosted FROM ($block) s, plain WHERE span(1, k) IS NOT NULL LIMIT 1"));

# The planner opens tables beside the block, and works out what their indexes,
# statistics, constraints and partitions are made of: once, or each time.
$neighbours->attack(ask(<<"ATTACKS",
@ planning looks into another table's <name> | 0 | $refused
CREATE TABLE coded (k int);
<part>;
INSERT INTO coded VALUES (1), (2);
ANALYZE coded;
SELECT fresh('duplicates');
SET constraint_exclusion = on;
> ann2
SET ann.deed = 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k; INSERT INTO ann.amp SELECT 1, 1 FROM generate_series(1, 2000)';
SET constraint_exclusion = on;
SELECT coded.k, boosted FROM coded, ($block) s WHERE coded.k = 1;
> ann
DROP TABLE coded;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
	'index expression' => 'CREATE INDEX ON coded ((k + lie()))',
	'index predicate' => 'CREATE INDEX ON coded (k) WHERE k > lie() - 100',
	'statistics expression' => 'CREATE STATISTICS coded_s ON (k + lie()), (k * 2) FROM coded',
	'check' => 'ALTER TABLE coded ADD CHECK (k + lie() > 0)',
	'partition key' => 'DROP TABLE coded; CREATE TABLE coded (k int) PARTITION BY RANGE ((k + lie())); CREATE TABLE coded_1 PARTITION OF coded DEFAULT',
	'check by a domain' => 'ALTER TABLE coded ADD CHECK (7::watched > 0)'));

# The same in the tables that the block itself reads, in the domains and types of its
# expressions, and in arguments of calls.
$neighbours->attack(ask(<<"ATTACKS",
@ the joined table has code in its <name> | 0 | $refused
SELECT fresh();
<part>;
> ann3
SET ann.deed = 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k; INSERT INTO ann.amp SELECT 1, 1 FROM generate_series(1, 2000)';
SET constraint_exclusion = on;
$block AND a.v > 0;
SELECT is_called AS code_was_run FROM ann.strikes;
> ann
SELECT fresh();
~ code_was_run\\|f
ATTACKS
	'index expression' => 'CREATE INDEX ON amp ((v + lie()))',
	'index predicate' => 'CREATE INDEX ON amp (v) WHERE v > lie() - 100',
	'unique index expression' => 'CREATE UNIQUE INDEX ON amp (k, (v + lie()))',
	'statistics expression' => 'CREATE STATISTICS amp_s ON (v + lie()), (k * 2) FROM amp',
	'check' => 'ALTER TABLE amp ADD CHECK (v + lie() > 0)',
	'check by a domain' => 'ALTER TABLE amp ADD CHECK (v::watched > 0)',
	'index expression, under a partition' => 'CREATE INDEX ON amp (v, (v + lie())) WHERE lie() > 0'));
$neighbours->attack(ask(<<"ATTACKS",
@ a type of hers among protected rows: <name> | 0 | 0A000
SELECT fresh('duplicates');
<part>;
SELECT is_called AS code_was_run FROM ann.strikes;
~ code_was_run\\|f
ATTACKS
	'a domain in a bound' => 'SELECT dp_sum(age, 0, 5::watched) FROM people',
	'a domain in a key' => 'SELECT 5::watched, dp_count(*) FROM people GROUP BY age > 5::watched, 1',
	'a domain over a column' => 'SELECT dp_count(*) FROM people WHERE age::watched > 5',
	'a range of constants' => 'SELECT dp_count(*) FROM people WHERE span(1, 5) @> age',
	'a range made of columns' => 'SELECT dp_count(*) FROM people WHERE NOT isempty(span(age, age + 1))',
	'epsilon' => 'SELECT dp_sum(age, 0, 5, lie()) FROM people'));

# What names no column is computed when the statement is opened, before anything is checked.
$neighbours->attack(ask(<<"ATTACKS",
@ code of hers beside columns: <name> | 1 |
SELECT fresh('duplicates');
<part>;
SELECT is_called AS code_was_run FROM ann.strikes;
~ code_was_run\\|t
ATTACKS
	'a domain' => 'SELECT dp_count(*) FROM people WHERE age > 5::watched',
	'a domain, as text' => q{SELECT dp_count(*) FROM people WHERE age > '5'::watched},
	'a domain in a subquery' => 'SELECT dp_count(*) FROM (SELECT id, 5::watched::int AS x FROM people) p WHERE x > 0',
	'a cast' => 'SELECT dp_count(*) FROM people WHERE (5::holder) IS NOT NULL',
	'a domain that looks at values' => 'SELECT dp_count(*) FROM people WHERE age > 5::checked',
	'an operator' => 'SELECT dp_count(*) FROM people WHERE 1 <<< 2',
	'a function of constants' => 'SELECT dp_count(*) FROM people WHERE age > lie()',
	'a filter of a histogram' => q{SELECT bin FROM dp_histogram('people', 'age', 0, 100, 5, filter => 'age > 5::ann.watched')},
	'a filter with a function' => q{SELECT bin FROM dp_histogram('people', 'age', 0, 100, 5, filter => 'age > ann.lie()')}));

# So what it does to the tables that are joined is found.
$neighbours->attack(ask(<<"ATTACKS",
@ what a block reads beside persons strikes, in <name> | 0 | $refused
SELECT fresh('duplicates');
<part>;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
	'a subquery of a condition' => "$block AND (SELECT lie()) > 0",
	'a function of a condition' => "$block AND p.age > steady() - 100",
	'a list' => "$block AND p.age + 1000 NOT IN (SELECT strike())",
	'a test of existence' => "$block AND EXISTS (SELECT strike() OFFSET 0)",
	'a domain in JOIN ON' => 'SELECT dp_count(*) > 100 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END AND a.v < 5::watched',
	'an item of one row' => "$block, (SELECT strike() AS s) o WHERE o.s > 0",
	'an item of rows' => "$block JOIN (SELECT DISTINCT strike() AS s) r ON r.s = CASE WHEN p.id = 5000 THEN 1 END",
	'a WITH query' => "WITH w AS MATERIALIZED (SELECT strike() AS s) $block, w WHERE w.s > 0",
	'an argument' => 'SELECT dp_sum(a.v * (SELECT strike()), 0, 10) > 500 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END',
	'a key' => 'SELECT p.id + (SELECT strike()) AS k, dp_count(*) > 100 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END GROUP BY 1'));
$neighbours->attack(ask(<<"ATTACKS", map { $_ => "$block AND (SELECT strike()) > 0" } 'child', 'inherit', 'partition', 'emptied', 'key type', 'column', 'table', 'deferrable', 'partial', 'row security', 'index', 'statistics', 'check'));
@ what a block reads beside persons does to a table: <name> | 0 | $refused|42P01
SELECT fresh('<name>');
<part>;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS

# What makes a value of a text is run when the text is read, before any check.
$neighbours->attack(<<"ATTACKS");
@ a range of hers as text among protected rows | 0 | 0A000
SELECT fresh('duplicates');
SELECT dp_count(*) FROM people WHERE '[1,5]'::span @> age;
@ a range of hers as text in the filter of a call, beside a block that was checked | 0 | $refused
SELECT fresh('duplicates');
SELECT boosted FROM ($block) s, dp_histogram('people', 'age', 0, 100, 1, filter => \$f\$'[1,5]'::ann.span IS NOT NULL\$f\$) h;
ATTACKS

# Arguments of a call are folded while other blocks have been checked.
$neighbours->attack(ask(<<"ATTACKS",
@ code in the arguments of <name> | 0 | $refused
SELECT fresh_with_view('duplicates');
<part>;
ATTACKS
	'a histogram' => "SELECT bin, boosted FROM ($block) s, dp_histogram('people', 'age', 0, 100, lie()) h",
	'a histogram before' => "SELECT bin, boosted FROM dp_histogram('people', 'age', 0, 100, lie()) h, ($block) s",
	'two histograms' => q{SELECT w.count > 100 AS boosted, h.bin FROM dp_histogram('wide', 'v', 1, 11, 1) w, dp_histogram('people', 'age', 0, 100, lie()) h},
	'a ranking' => "SELECT candidate IS NULL, boosted FROM ($block) s, dp_noisy_max('people', 'city', ARRAY['Aachen', 'Bremen'], lie()) r",
	'a ranking by a domain' => "SELECT candidate IS NULL, boosted FROM ($block) s, dp_noisy_max('people', 'city', ARRAY['Aachen', 'Bremen'], 1::watched) r",
	'most frequent values' => "SELECT candidate IS NULL, boosted FROM ($block) s, dp_top('people', 'city', lie()) r",
	'a threshold' => "SELECT boosted FROM ($block) s, dp_above_threshold('people', ARRAY['true'], lie()) r"));

# What may be done to the table, once its key has been checked.
my %deeds = map { $_ => $_ } ('child', 'partition', 'emptied', 'key type', 'table', 'deferrable', 'partial', 'other key', 'key made anew', 'row security',
	'index', 'index predicate', 'statistics', 'check', 'domain');
my $column_too = block('a sum of a public column');
$neighbours->attack(ask(<<"ATTACKS", %deeds));
@ planning changes the table: <name> | 0 | $refused|42P01|42501
SELECT fresh('<part>');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
$neighbours->attack(<<"ATTACKS");
@ planning changes the type of a value that is added | 0 | $refused|42804|42883
SELECT fresh('value type');
SELECT lie(), boosted FROM ($column_too) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning drops the column that is added | 0 | $refused|42703
SELECT fresh('column');
SELECT lie(), boosted FROM ($column_too) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning drops a column and adds another | 0 | $refused|42703
SELECT fresh('ALTER TABLE ann.amp DROP COLUMN v, ADD COLUMN v text DEFAULT 5');
SELECT lie(), boosted FROM ($column_too) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning drops the table for good | 0 | $refused|42P01
SELECT fresh('DROP TABLE ann.amp');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning makes a view of the table, before 16 | 0 | $refused|42P01|42809
SELECT fresh('ALTER TABLE ann.amp DROP CONSTRAINT amp_k; TRUNCATE ann.amp; CREATE RULE "_RETURN" AS ON SELECT TO ann.amp DO INSTEAD SELECT k, v FROM ann.heir');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning renames tables, so that the name is another's | * | (?:$refused)?
SELECT fresh('moved');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning renames columns | * | (?:$refused)?
SELECT fresh('ALTER TABLE ann.amp RENAME k TO x; ALTER TABLE ann.amp RENAME v TO k; ALTER TABLE ann.amp RENAME x TO v; UPDATE ann.amp SET k = 1');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning revokes the right to the table | 0 | 42501|55000
SELECT fresh('revoked');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning replaces the view that is asked about | * | (?:$refused)?
SELECT fresh_with_view('CREATE OR REPLACE VIEW ann.wide AS SELECT p.id, p.city, a.v FROM clinic.people p JOIN ann.heir a ON a.k = CASE WHEN p.id = 5000 THEN 1 END');
SELECT lie(), boosted FROM (SELECT dp_count(*) > 100 AS boosted FROM wide) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning changes the loss | 1 |
SELECT fresh(\$\$SELECT set_config('dp_agg.epsilon', '0.000001', false), set_config('dp_agg.delta', '0.1', false), set_config('dp_agg.sample_rate', '0.5', false)\$\$);
SELECT lie(), boosted FROM ($block) s;
SELECT epsilon FROM dp_agg.last_release();
SELECT is_called AS struck FROM strikes;
~ struck\\|t
~ epsilon\\|5\$
@ planning changes the path and the names on it | 1 |
SELECT fresh('CREATE FUNCTION ann.dp_count() RETURNS bigint LANGUAGE sql AS ''SELECT 5::bigint''; SET search_path = ann; CREATE TABLE ann.people (id int)');
BEGIN;
SELECT lie(), boosted FROM ($block) s;
ROLLBACK;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning changes what planning does | 1 |
SELECT fresh('SET enable_hashjoin = off; SET enable_seqscan = off; SET work_mem = ''64kB''; SET jit_above_cost = 0; SET constraint_exclusion = on; SET plan_cache_mode = force_generic_plan; SET client_min_messages = debug5; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning grants what the owner has not | 0 | 42501
SELECT fresh('SELECT dp_agg.unprotect(''clinic.people'')');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning asks, and asks again | 2 |
SELECT fresh('DO \$d\$ BEGIN PERFORM dp_count(*) FROM clinic.visits; END \$d\$');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning asks the same, for ever | 0 |
CREATE FUNCTION endless() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT ann.endless() FROM (SELECT dp_count(*) FROM clinic.people) s); END';
SET client_min_messages = error;
\\set VERBOSITY sqlstate
SELECT endless(), dp_count(*) FROM people;
\\set VERBOSITY verbose
~ ERROR:  54001
DROP FUNCTION endless();
@ planning changes the table, and fails | 0 | 22012
SELECT fresh('ALTER TABLE ann.amp DROP CONSTRAINT amp_k; SELECT 1 / 0');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning changes the table, and takes it back | * | (?:$refused)?
SELECT fresh('DO \$d\$ BEGIN ALTER TABLE ann.amp DROP CONSTRAINT amp_k; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END \$d\$');
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ explained, and then asked | 0 | $refused
SELECT fresh('inherit');
EXPLAIN (COSTS OFF) SELECT lie(), boosted FROM ($block) s;
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ planning by way of dp_agg.price | 0 | (?:$refused)(?: (?:$refused))?
SELECT fresh('inherit');
SELECT aggregate FROM dp_agg.price(\$p\$SELECT lie(), boosted FROM ($block) s\$p\$);
SELECT lie(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS

$neighbours->finish;
