# Attacks on the extension itself: its internal functions, settings, labels and
# tables, and on who pays.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $admin = <<'SQL';
CREATE FUNCTION helper(place text) RETURNS bigint SECURITY DEFINER SET search_path = clinic, public LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT dp_count(*) FROM people WHERE city = place);
END $$;
CREATE FUNCTION bobs() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.people); END';
ALTER FUNCTION bobs() OWNER TO bob;
SQL
my $analyst = <<'SQL';
CREATE TABLE mine (id int PRIMARY KEY, n int);
INSERT INTO mine SELECT i, i FROM generate_series(1, 100) i;
CREATE FUNCTION anns() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.people); END';
CREATE VIEW anns_view AS SELECT dp_count(*) FROM clinic.people;
GRANT SELECT ON anns_view TO PUBLIC;
GRANT USAGE ON SCHEMA ann TO PUBLIC;
SQL

my $neighbours = new_neighbours('attack_internals', admin => $admin, analyst => $analyst);

$neighbours->attack(<<'ATTACKS');
@ detoasted | 0 | 42501 42501 42501
SELECT dp_agg_internal.detoasted(1);
SELECT dp_agg_internal.detoasted(n) FROM mine;
SELECT dp_agg_internal.detoasted(name) FROM people;
@ detoasted beside a release | 1 | 42501
SELECT (SELECT dp_count(*) FROM people) IS NOT NULL, dp_agg_internal.detoasted(1);
@ detoasted below a release | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE dp_agg_internal.detoasted(age) > 0;
SELECT dp_count(dp_agg_internal.detoasted(age)) FROM people;
@ detoasted in a worker | 0 |
DO $$ BEGIN PERFORM set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); END $$;
SELECT count(*) FROM mine;
@ detoasted pretending to be an exact query | 0 | 42501 42501
SELECT dp_agg_internal.detoasted(count(*)) FROM mine OFFSET 0;
SELECT * FROM (SELECT dp_agg_internal.detoasted(n) AS key_1, dp_agg_internal.detoasted(count(*)) FROM mine GROUP BY n ORDER BY n OFFSET 0) dp_release;
@ a release called by hand | 0 | (42883 42846 42846|0A000 42846 42846|0A000 0A000 0A000)
SELECT * FROM dp_agg_internal.release(NULL) AS (total_1 bigint);
SELECT * FROM dp_agg_internal.release(NULL::internal) AS (total_1 bigint);
SELECT * FROM dp_agg_internal.release(NULL::internal) AS r (total_1 text), (SELECT dp_count(*) FROM mine) s;
@ attempt | 0 | 42883 (42883|0A000)
SELECT dp_agg_internal.attempt('int4div(int,int)'::regprocedure, 1, 0);
SELECT dp_agg_internal.attempt(NULL, 1, 0);
@ attempt_as over what is protected | 0 | 42501 0A000 0A000
SELECT dp_agg_internal.attempt_as(1, 'int4div(int,int)', 1, age - 30) FROM people;
SELECT dp_count(*) FROM people WHERE dp_agg_internal.attempt_as(1, 'int4div(int,int)', 1, age) > 0;
SELECT dp_sum(dp_agg_internal.attempt_as(1, 'int4div(int,int)', 1, age), 0, 1) FROM people;
@ attempt_as with functions of one's own choice | 0 | 42883 42883
SELECT dp_agg_internal.attempt_as(''::text, 'ann.anns()'::regprocedure, 1);
SELECT dp_agg_internal.attempt_as(''::text, 'pg_read_file(text)', 'PG_VERSION'::text);
@ parts of a unit, over what is protected | 0 | 0A000 0A000 0A000
SELECT dp_agg_internal.unit_part(age, '') FROM people;
SELECT dp_agg_internal.unit_sum_part(age, '') FROM people;
SELECT dp_agg_internal.exact_cells(age, '') FROM people;
@ exact aggregates over what is protected | 0 | 0A000 0A000 0A000 0A000
SELECT dp_agg_internal.exact_sum(age, '') FROM people;
SELECT dp_agg_internal.exact_rows(age, '\x00') FROM people;
SELECT dp_agg_internal.exact_rows(1, '') FROM people;
SELECT dp_agg_internal.over_units(age, age, '') FROM people;
@ exact aggregates beside ours | 0 | 0A000 0A000
SELECT dp_count(*), dp_agg_internal.exact_sum(age, '') FROM people;
SELECT dp_count(*) FROM people HAVING dp_agg_internal.exact_sum(age, '') IS NULL;
@ exact aggregates with specifications of one's own | 0 | 22023 22023 22023
SELECT dp_agg_internal.exact_sum(n, '') FROM mine;
SELECT dp_agg_internal.exact_sum(n, '\x0102030405060708090a0b0c0d0e0f10') FROM mine;
SELECT dp_agg_internal.exact_avg(n, decode(repeat('ff', 64), 'hex')) FROM mine;
@ conversions of totals of one's own | 0 | 22023 22023 22023 22023 22023 22023 22023 22023 22023 22023
SELECT dp_agg_internal.released_bigint('\xdeadbeef', 0);
SELECT dp_agg_internal.released_numeric('', 0);
SELECT dp_agg_internal.released_float8(decode(repeat('ff', 100), 'hex'), 5000);
SELECT dp_agg_internal.released_mean_laplace('\x00', 0, 1);
SELECT dp_agg_internal.released_clamped('\xdeadbeef');
SELECT dp_agg_internal.joint_total('\x00', decode('02000000' || repeat('00', 24), 'hex'));
SELECT dp_agg_internal.joint_total('', decode('ff0000ff' || repeat('ff', 24), 'hex'));
SELECT dp_agg_internal.totals_of_rows('\xdeadbeef', 1);
SELECT dp_agg_internal.totals_of_rows(decode(repeat('00', 100), 'hex'), 2147483647);
SELECT dp_agg_internal.totals_of_rows(decode(repeat('00', 100), 'hex'), -1);
@ parts of aggregates | 0 | (42883 42846 42883|0A000 0A000 0A000)
SELECT dp_agg_internal.add_clamped(NULL, 1, '');
SELECT dp_agg_internal.exact_deserialize('\x00', NULL::internal);
SELECT dp_agg_internal.exact_combine(NULL, NULL);
@ aggregates made of the parts | 0 | 42P13
CREATE AGGREGATE anns_sum(int, bytea) (SFUNC = dp_agg_internal.add_clamped, STYPE = internal, FINALFUNC = dp_agg_internal.exact_sum_final);
@ functions that are for administrators | 0 | 42501 42501 42501 42501 42501 42501 42501 42501
SELECT dp_agg.set_budget('ann', 1e6, 0.1);
SELECT dp_agg.reset_budget('ann');
SELECT dp_agg.drop_budget('ann');
SELECT dp_agg.set_dataset_cap('default', 1e6, 0.1);
SELECT dp_agg.protect('people', 'age');
SELECT dp_agg.unprotect('people');
SELECT * FROM dp_agg.verify_ledger();
SELECT dp_agg.compact_ledger(now());
@ protecting by who may, what is not his | 0 | 42501 42501
> olga
SELECT dp_agg.protect('mine', 'id');
SELECT dp_agg.unprotect('mine');
@ labels | 0 | 42501 42501 42501 42501
SECURITY LABEL FOR dp_agg ON COLUMN people.age IS 'dataset=default max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS NULL;
SECURITY LABEL FOR dp_agg ON COLUMN mine.id IS 'dataset=default max_rows=1 max_groups=1';
DELETE FROM pg_seclabel;
@ the budget's tables | 0 | 42501 42501 42501 42501 42501 42501
SELECT * FROM dp_agg.budget;
SELECT * FROM dp_agg.ledger;
UPDATE dp_agg.budget SET pure_spent = 0;
DELETE FROM dp_agg.ledger;
INSERT INTO dp_agg.budget (role) VALUES ('ann');
BEGIN;
LOCK TABLE dp_agg.budget;
ROLLBACK;
@ triggers and rules on the budget's tables | 0 | 42501 42501 42501
CREATE TRIGGER t BEFORE UPDATE ON dp_agg.budget FOR EACH ROW EXECUTE FUNCTION dp_agg_internal.guard_ledger();
CREATE RULE r AS ON UPDATE TO dp_agg.budget DO INSTEAD NOTHING;
CREATE TABLE dp_agg.x (a int);
@ the guard called as a function | 0 | 42501
SELECT dp_agg_internal.guard_ledger();
@ other roles' budgets | 0 |
SELECT role, dataset FROM dp_agg.budgets ORDER BY 1;
SELECT count(*) FROM dp_agg.dataset_caps;
@ other roles' prices | 0 | 42501 42501
SELECT dp_agg.plan('team', 'default', 5);
SELECT dp_agg.remaining('poor', 'default', 0.1);
@ a view over one's budget with a function that looks | 0 |
CREATE FUNCTION look(regrole) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''seen: %'', $1; RETURN true; END';
SELECT role FROM dp_agg.budgets WHERE look(role);
DROP FUNCTION look(regrole);
@ what is protected | 0 |
SELECT * FROM dp_agg.protected_tables ORDER BY 1;
@ pieces of the policy | 0 |
SELECT dp_agg_internal.policy_fields('dataset=x max_rows=1 max_groups=1');
SELECT dp_agg_internal.policy_fields('dataset="x max_rows=99999999999 max_groups=1');
SELECT dp_agg_internal.policy_fields(repeat('x', 100000));
@ epsilon of a budget of one's own making | 0 |
SELECT dp_agg_internal.epsilon_spent(NULL);
SELECT dp_agg_internal.epsilon_spent(jsonb_populate_record(NULL::dp_agg.budget, '{"dataset": "x", "role": "ann", "epsilon_limit": 1, "orders": [], "weights": []}')) IS NULL AS no_sense;
SELECT dp_agg_internal.epsilon_spent(jsonb_populate_record(NULL::dp_agg.budget, '{"dataset": "x", "role": "ann", "epsilon_limit": 1, "delta_limit": 0, "renyi_share": 0, "partition_share": 0, "variance_share": 0,
	"orders": ["NaN", 2], "weights": [1], "rdp_spent": [1, 2, 3], "pure_spent": "NaN", "delta_spent": 0, "variance_spent": "NaN", "coarseness": -1}')) IS NULL AS no_sense;
@ settings out of range | 0 | 22023 22023 22023 22023 22023
SET dp_agg.epsilon = -1;
SET dp_agg.epsilon = 'NaN';
SET dp_agg.delta = 1;
SET dp_agg.mechanism = 'none';
SET dp_agg.max_rows = -1;
@ settings that are not there or not one's own | 0 | 42602 55P02 42501
SET dp_agg.noise = off;
SET dp_agg.keeper_idle_timeout = '1h';
SET track_counts = on;
@ settings of libraries | 0 | 42501 42501 42501
LOAD 'dp_agg';
ALTER ROLE ann SET session_preload_libraries = 'dp_agg';
SET dynamic_library_path = '/tmp';
@ settings inside the statement that they would change | 1 |
SELECT set_config('dp_agg.epsilon', '0.00001', false), set_config('dp_agg.mechanism', 'gaussian', false), dp_count(*) FROM people;
SELECT mechanism, epsilon FROM dp_agg.last_release();
@ bounds by settings: more rows and groups of a unit | 2 |
SET dp_agg.max_rows = 1000000;
SELECT dp_count(*) IS NOT NULL AS answered FROM visits;
SET dp_agg.max_groups = 1000;
SELECT clinic, dp_count(DISTINCT person, 1000) IS NOT NULL AS answered FROM visits GROUP BY clinic;
@ mechanism, delta, epsilon between plan and execution | 3 |
PREPARE q AS SELECT dp_count(*) FROM people;
EXECUTE q;
SET dp_agg.epsilon = 0.00001;
EXECUTE q;
SET dp_agg.mechanism = gaussian;
EXECUTE q;
SELECT mechanism, epsilon FROM dp_agg.last_release();
@ no time to charge | 1 |
SET dp_agg.charge_timeout = 0;
SELECT dp_count(*) FROM people;
@ a budget that is too small | 0+1 | 53400
> poor
SELECT dp_count(id, 1) FROM clinic.people;
@ a budget that is too small, whatever the data | 0+3 | 53400 53400 53400
> poor
SELECT dp_count(id, 1) FROM clinic.lone;
SELECT secret, dp_count(*) FROM clinic.people GROUP BY secret;
SELECT dp_sum(cost, 0, 1e6, 1) FROM clinic.visits WHERE 1 / (minutes - 10) > 0;
@ a budget that is too small, found out by many questions | 0+2 |
> poor
DO $$
BEGIN
	FOR i IN 1 .. 2 LOOP
		BEGIN
			PERFORM dp_count(id, 1) FROM clinic.people;
		EXCEPTION WHEN configuration_limit_exceeded THEN
			RAISE NOTICE '%', SQLERRM;
		END;
	END LOOP;
END $$;
@ no budget | 0 | 42501 42501 42501
> eve
SELECT dp_count(*) FROM clinic.people;
SELECT * FROM ann.anns_view;
SELECT dp_count(*) FROM clinic.lone WHERE false;
@ a superuser's helper | 1 |
SELECT helper('Aachen') AS noisy;
@ a superuser's helper, by who has no budget | 0 | 42501
> eve
SELECT ann.helper('Aachen') AS noisy;
@ helpers of other analysts' | 0 | 42501 42501
> eve
SELECT ann.anns() AS noisy;
SELECT ann.bobs() AS noisy;
@ a member of a role with a budget | 2 |
> bob
SELECT dp_count(*) FROM clinic.people;
SET ROLE team;
SELECT dp_count(*) FROM clinic.people;
@ roles that one is not a member of | 0 | 42501 42501 42501
SET ROLE team;
SET ROLE olga;
SET SESSION AUTHORIZATION bob;
@ a role left within the transaction | 2 | 42501
> bob
BEGIN;
SET LOCAL ROLE team;
SELECT dp_count(*) FROM clinic.people;
DECLARE c CURSOR FOR SELECT name FROM clinic.people;
ROLLBACK;
SELECT dp_count(*) FROM clinic.lone;
@ plans made as another role | 2 |
> bob
PREPARE q AS SELECT dp_count(*) FROM clinic.people;
EXECUTE q;
SET ROLE team;
EXECUTE q;
@ last_release of others | 1 |
SELECT dp_count(*) FROM visits;
SELECT aggregate, epsilon FROM dp_agg.last_release();
> eve
SELECT count(*) FROM dp_agg.last_release();
> ann2
SELECT count(*) FROM dp_agg.last_release();
@ dropping, altering and replacing the extension's parts | 0 | 42501 42501 42501 42501 42501
= once | it is aggregates of ours that are attacked
DROP EXTENSION dp_agg;
ALTER EXTENSION dp_agg UPDATE;
CREATE OR REPLACE FUNCTION dp_agg_internal.random_priority() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
ALTER AGGREGATE public.dp_count(*) RENAME TO x;
DROP AGGREGATE public.dp_count(*);
@ stopping the keeper | 0 | 42501
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND usename IS DISTINCT FROM 'ann';
@ definitions, by functions that print them | 0 |
SELECT pg_get_viewdef('grown'), pg_get_viewdef('guarded');
SELECT pg_get_indexdef('people_age_idx'::regclass), pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'people'::regclass;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'people'::regclass;
SELECT relid::text, isleaf FROM pg_partition_tree('parts') ORDER BY 1;
SELECT has_table_privilege('people', 'SELECT'), has_any_column_privilege('people', 'SELECT');
ATTACKS

$neighbours->finish;
