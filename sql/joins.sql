--
-- joins: protected tables by their units, public tables by their keys
--
CREATE EXTENSION dp_agg;
-- What could multiply rows is refused as such: see fan_out.
SET dp_agg.max_join_rows = 1;
CREATE ROLE joins_owner;
CREATE ROLE joins_analyst;
CREATE ROLE joins_stranger;
CREATE SCHEMA joins;
GRANT ALL ON SCHEMA joins TO joins_owner, joins_analyst, joins_stranger;
SET search_path = joins, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO joins_owner;
SELECT dp_agg.set_budget('joins_analyst', 1e12, 1e-3), dp_agg.set_budget('joins_analyst', 1e12, 1e-3, 'other'),
	dp_agg.set_budget('joins_stranger', 1e12, 1e-3);
SET ROLE joins_owner;
-- patient i, of whom 3 in 4 have i % 4 visits; one prescription for every visit of cost 20
CREATE TABLE patients (id bigint PRIMARY KEY, sex text, region int);
CREATE TABLE visits (visit int PRIMARY KEY, patient int, clinic text, cost int);
CREATE TABLE drugs (visit int UNIQUE, patient smallint, drug varchar, price int);
CREATE TABLE letters (patient int, body text);
CREATE TABLE others (id int PRIMARY KEY);
CREATE TABLE hidden (region int PRIMARY KEY, name text);
INSERT INTO patients SELECT i, CASE WHEN i <= 40 THEN 'f' ELSE 'm' END, i % 5 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT 10 * i + v, i, 'clinic ' || v, v * 10 FROM generate_series(1, 100) i, generate_series(1, 3) v WHERE v <= i % 4;
INSERT INTO drugs SELECT visit, patient, 'drug ' || patient % 2, 5 FROM visits WHERE cost = 20;
INSERT INTO letters SELECT i, 'x' FROM generate_series(1, 100) i, generate_series(1, 2);
INSERT INTO hidden SELECT i, 'hidden ' || i FROM generate_series(0, 4) i;
SELECT dp_agg.protect('patients', 'id'), dp_agg.protect('visits', 'patient', max_rows => 5, max_groups => 3), dp_agg.protect('drugs', 'patient', max_rows => 5, max_groups => 2),
	dp_agg.protect('letters', 'patient', max_rows => 9), dp_agg.protect('others', 'id', 'other');
CREATE VIEW seen AS SELECT p.id, p.sex, v.cost, v.clinic FROM patients p JOIN visits v ON v.patient = p.id;
CREATE VIEW named AS SELECT p.id, h.name FROM patients p JOIN hidden h USING (region);
RESET ROLE;
SET ROLE joins_analyst;
CREATE TABLE clinics (clinic text PRIMARY KEY, town text);
CREATE TABLE towns (town text, language text, people int, UNIQUE (town, language));
CREATE TABLE regions (region int PRIMARY KEY, name text);
CREATE TABLE many (region int, name text);
INSERT INTO clinics VALUES ('clinic 1', 'North'), ('clinic 2', 'South');
INSERT INTO towns VALUES ('North', 'a', 1), ('North', 'b', 2), ('South', 'a', 3);
INSERT INTO regions SELECT i, 'region ' || i FROM generate_series(0, 3) i;
INSERT INTO many SELECT i % 4, 'x' FROM generate_series(1, 100) i;
-- At epsilon 100,000 no answer here is off with a probability above 1e-10.
SET dp_agg.epsilon = 100000;

-- protected with protected: in any spelling, over numbers of any type
SELECT p.sex, dp_count(*), dp_sum(v.cost, 0, 100) FROM patients p JOIN visits v ON v.patient = p.id GROUP BY p.sex ORDER BY 1;
-- keys among which is a primary key, on which the others depend
SELECT c.clinic, c.town, dp_count(*) FROM visits JOIN clinics c USING (clinic) GROUP BY c.clinic, c.town ORDER BY 1;
SELECT dp_count(*), dp_count(DISTINCT p.id), dp_count(DISTINCT v.patient) FROM patients p, visits v WHERE v.patient = p.id AND v.cost > 10;
SELECT dp_count(*) FROM (SELECT id AS patient, sex FROM patients) p NATURAL JOIN visits v WHERE sex = 'f';
SELECT dp_count(*), dp_sum(price, 0, 100) FROM visits v JOIN drugs d ON d.patient = v.patient AND d.visit = v.visit;
SELECT dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient JOIN drugs d ON d.patient = p.id AND d.visit = v.visit WHERE p.sex = 'f';
SELECT dp_count(*) FROM patients a JOIN patients b ON a.id = b.id AND a.region < b.region + 1;
SELECT dp_count(*) FROM visits a JOIN visits b ON a.visit = b.visit AND a.patient = b.patient;
-- what keeps its rows: LEFT and RIGHT
SELECT dp_count(*), dp_count(d.visit) FROM visits v LEFT JOIN drugs d ON d.patient = v.patient AND d.visit = v.visit;
SELECT dp_count(*), dp_count(d.visit) FROM drugs d RIGHT JOIN visits v ON d.patient = v.patient AND d.visit = v.visit AND d.price > 5;
SELECT n, dp_count(*) FROM patients p LEFT JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v ON v.patient = p.id GROUP BY n ORDER BY 1;
SELECT dp_count(*), dp_count(v.cost) FROM patients p RIGHT JOIN visits v ON v.patient = p.id LEFT JOIN drugs d ON d.visit = v.visit AND d.patient = p.id WHERE d.visit IS NULL;
-- grouped, then joined; joined, then grouped; where every item has one row per unit, so has the join
SELECT dp_sum(total, 0, 100), dp_sum(price, 0, 100) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) v JOIN (SELECT patient, sum(price) AS price FROM drugs GROUP BY patient) d ON v.patient = d.patient;
SELECT dp_count(*), dp_sum(total, 0, 100) FROM (SELECT p.id, sum(v.cost) AS total FROM patients p JOIN visits v ON v.patient = p.id WHERE p.sex = 'm' GROUP BY p.id) s;
SELECT dp_count(*) FROM patients p JOIN (SELECT patient FROM letters GROUP BY patient) l ON l.patient = p.id;
SET dp_agg.epsilon = 1;
SELECT round(noise_stddev::numeric, 1) AS of_one_row FROM dp_agg.price('SELECT dp_count(*) FROM patients p JOIN (SELECT patient FROM letters GROUP BY patient) l ON l.patient = p.id JOIN regions r USING (region)');
SELECT noise_stddev > 1.4 * 4.5 AS of_five_rows FROM dp_agg.price('SELECT dp_count(*) FROM patients p JOIN visits v ON v.patient = p.id');
SET dp_agg.epsilon = 100000;
-- public tables, by keys of one column or several, one after the other, or left-joined
SELECT r.name, dp_count(*) FROM patients p JOIN regions r ON r.region = p.region GROUP BY r.name ORDER BY 1;
SELECT c.town, dp_count(*), dp_sum(v.cost, 0, 100) FROM visits v LEFT JOIN clinics c USING (clinic) GROUP BY c.town ORDER BY 1;
-- a join that has a name
SELECT dp_count(cost), dp_sum(j.cost, 0, 100) FROM (visits v JOIN clinics c USING (clinic)) AS j;
SELECT t.people, dp_count(*) FROM visits v JOIN clinics c ON c.clinic = v.clinic JOIN towns t ON t.town = c.town AND t.language = 'a' GROUP BY 1 ORDER BY 1;
SELECT t.language, dp_count(*) FROM towns t, clinics c, visits v WHERE t.town = c.town AND v.clinic = c.clinic AND t.language = CASE WHEN v.cost = 10 THEN 'b' ELSE 'a' END GROUP BY 1 ORDER BY 1;
SELECT dp_count(*) FROM patients p JOIN (SELECT * FROM regions WHERE name <> 'region 0') r ON r.region = p.region + 1;
SELECT dp_count(*), dp_count(r.name) FROM patients p LEFT JOIN (SELECT region AS r, name FROM regions WHERE region > 1) r ON r.r = p.region;
-- in a gap of the session's time zone two local times are one moment: such a key would match twice
CREATE TABLE days (day date PRIMARY KEY, name text);
INSERT INTO days VALUES ('2011-12-30', 'left out'), ('2011-12-31', 'the next');
SET TimeZone = 'Pacific/Apia';
SELECT bool_and(day = timestamptz '2011-12-30 10:00+00') FROM days;
SELECT dp_count(*) FROM patients p JOIN days d ON d.day = CASE WHEN p.id = 1 THEN timestamptz '2011-12-30 10:00+00' END;
SELECT dp_count(*) FROM patients p LEFT JOIN days d ON CASE WHEN p.id = 1 THEN timestamptz '2011-12-30 10:00+00' END = d.day;
SELECT d.name, dp_count(*) FROM patients p JOIN days d ON d.day = (timestamptz '2011-12-30 10:00+00' + p.id * interval '0')::date GROUP BY 1;
RESET TimeZone;
-- views that join, of the owner's
SELECT sex, dp_count(*), dp_sum(cost, 0, 100) FROM seen GROUP BY sex ORDER BY 1;
SELECT dp_count(*) FROM seen s JOIN clinics c USING (clinic) WHERE c.town = 'South';
-- public is what the one who asks may read
SELECT name, dp_count(*) FROM named GROUP BY name;
SELECT dp_count(*) FROM patients JOIN hidden USING (region);
RESET ROLE;
GRANT SELECT ON hidden TO joins_analyst;
SET ROLE joins_analyst;
SELECT name, dp_count(*) FROM named GROUP BY name ORDER BY 1;

-- no nested loops, whatever the analyst sets: their work is a product
RESET ROLE;
CREATE FUNCTION plan_below(query text) RETURNS text AS '$libdir/dp_validate_test', 'test_plan_below' LANGUAGE C;
SET ROLE joins_analyst;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET join_collapse_limit = 1; SET from_collapse_limit = 1; SET random_page_cost = 1e10;
SELECT c.town, dp_count(*) FROM visits v CROSS JOIN (patients p CROSS JOIN clinics c) WHERE p.id = v.patient AND c.clinic = v.clinic GROUP BY 1 ORDER BY 1;
CREATE VIEW below AS SELECT joins LIKE '%nested loop%' AS nested, joins LIKE '%hash%' AS hashed, joins <> '' AS joined FROM plan_below(current_setting('joins.query')) AS j (joins);
SET joins.query = 'SELECT dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient';
SELECT * FROM below;
SET joins.query = 'SELECT dp_count(*) FROM (SELECT p.id, count(*) FROM visits v JOIN patients p ON p.id = v.patient LEFT JOIN clinics c USING (clinic) GROUP BY p.id, c.town) s';
SELECT * FROM below;
SET joins.query = 'SELECT dp_count(r.name) FROM patients p LEFT JOIN regions r USING (region) WHERE p.id = 1';
SELECT * FROM below;
-- also where sorting is off, and tables can be read only by looking up rows
RESET random_page_cost; SET enable_sort = off;
SELECT * FROM below;
SET joins.query = 'SELECT dp_count(*) FROM visits v JOIN clinics c USING (clinic) JOIN patients p ON p.id = v.patient';
SELECT * FROM below;
RESET enable_sort; SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;
SET joins.query = 'SELECT dp_count(r.name) FROM patients p JOIN regions r USING (region) WHERE p.id = 1';
SELECT * FROM below;
RESET enable_seqscan; RESET enable_indexscan; RESET enable_indexonlyscan;
-- but where a constant joins to one row, which is looked up once
SET enable_material = off;
SELECT plan_below('SELECT dp_count(c.town) FROM visits v LEFT JOIN clinics c USING (clinic) WHERE v.clinic = ''clinic 1''');
SELECT dp_count(c.town) FROM visits v LEFT JOIN clinics c USING (clinic) WHERE v.clinic = 'clinic 1';
RESET enable_material;
-- nor hash tables of what the analyst may have filled with keys of one hash
RESET enable_hashjoin; SET enable_nestloop = off;
SELECT * FROM below;
SET joins.query = 'SELECT dp_count(h.name) FROM patients p LEFT JOIN hidden h USING (region)';
SELECT * FROM below;
RESET ROLE;
GRANT UPDATE ON hidden TO joins_analyst;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET ROLE;
REVOKE UPDATE ON hidden FROM joins_analyst;
-- what everybody may write she may, and what belongs to a role that she is
GRANT INSERT ON hidden TO PUBLIC;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET ROLE;
REVOKE INSERT ON hidden FROM PUBLIC;
SET ROLE joins_owner;
CREATE TABLE own (LIKE hidden INCLUDING ALL);
RESET ROLE;
GRANT joins_owner TO joins_analyst;
SET ROLE joins_analyst;
SET joins.query = 'SELECT dp_count(o.name) FROM patients p LEFT JOIN own o USING (region)';
SELECT * FROM below;
SET joins.query = 'SELECT dp_count(h.name) FROM patients p LEFT JOIN hidden h USING (region)';
RESET ROLE;
REVOKE joins_owner FROM joins_analyst;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET ROLE;
-- what she may write before she takes on another role, she may write then
GRANT UPDATE ON hidden TO joins_analyst;
GRANT SELECT ON hidden, below TO joins_stranger;
GRANT joins_stranger TO joins_analyst;
SET SESSION AUTHORIZATION joins_analyst;
SET ROLE joins_stranger;
SELECT * FROM below;
RESET SESSION AUTHORIZATION;
REVOKE UPDATE ON hidden FROM joins_analyst;
REVOKE joins_stranger FROM joins_analyst;
SET ROLE joins_stranger;
SELECT * FROM below;
RESET ROLE;
-- a column of it is enough, and so is a role to take on
GRANT INSERT (name) ON hidden TO joins_analyst;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET ROLE;
REVOKE INSERT (name) ON hidden FROM joins_analyst;
CREATE ROLE joins_writer;
GRANT UPDATE (name) ON hidden TO joins_writer;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET ROLE;
ALTER ROLE joins_analyst NOINHERIT;
GRANT joins_writer TO joins_analyst;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET ROLE;
REVOKE joins_writer FROM joins_analyst;
ALTER ROLE joins_analyst INHERIT;
-- and whatever lets her choose what it holds otherwise: see hashed
CREATE FUNCTION hashed_after(open text, close text) RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
	result boolean[];
BEGIN
	EXECUTE open;
	SET LOCAL ROLE joins_analyst;
	result := ARRAY(SELECT hashed FROM joins.below);
	RESET ROLE;
	EXECUTE close;
	SET LOCAL ROLE joins_analyst;
	result := result || ARRAY(SELECT hashed FROM joins.below);
	RESET ROLE;
	RETURN format('%s: hashed %s, then %s', open, result[1], result[2]);
END $$;
SELECT hashed_after('GRANT DELETE ON joins.hidden TO joins_writer; GRANT joins_writer TO joins_analyst', 'REVOKE joins_writer FROM joins_analyst; REVOKE DELETE ON joins.hidden FROM joins_writer');
SELECT hashed_after(format('GRANT %s TO joins_analyst', g), format('REVOKE %s FROM joins_analyst', g))
	FROM unnest('{DELETE ON joins.hidden,TRIGGER ON joins.hidden,TRUNCATE ON joins.hidden,pg_write_all_data,pg_monitor}'::text[]) g;
SELECT COALESCE(bool_and(hashed_after('GRANT pg_maintain TO joins_analyst', 'REVOKE pg_maintain FROM joins_analyst') LIKE '%hashed f, then t'), true) AS maintain FROM pg_roles WHERE rolname = 'pg_maintain';
-- before 16 CREATEROLE makes a member of any role
SELECT hashed_after('ALTER ROLE joins_analyst CREATEROLE', 'ALTER ROLE joins_analyst NOCREATEROLE') LIKE
	CASE WHEN current_setting('server_version_num')::int < 160000 THEN '%hashed f, then t' ELSE '%hashed t, then t' END AS createrole;
ALTER TABLE hidden OWNER TO joins_stranger;
SET ROLE joins_analyst;
SELECT * FROM below;
RESET enable_nestloop;
RESET enable_hashjoin; RESET enable_mergejoin; RESET join_collapse_limit; RESET from_collapse_limit;

-- what is refused
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT dp_count(*) FROM patients, visits;
SELECT dp_count(*) FROM patients p JOIN visits v ON v.visit = p.id;
SELECT dp_count(*) FROM patients p JOIN visits v ON v.patient::numeric = p.id;
SELECT dp_count(*) FROM patients p JOIN visits v ON v.patient = p.id OR v.cost = 10;
SELECT dp_count(*) FROM patients p JOIN visits v ON NOT v.patient = p.id;
SELECT dp_count(*) FROM patients p JOIN visits v ON v.patient <= p.id;
SELECT dp_count(*) FROM patients p JOIN visits v ON v.patient = p.id + 1;
SELECT dp_count(*) FROM patients p JOIN visits v ON (v.patient = p.id) IS NOT FALSE;
SELECT dp_count(*) FROM visits v LEFT JOIN patients p ON p.id = v.visit WHERE p.region = 1;
SELECT dp_count(*) FROM visits v LEFT JOIN patients p ON v.cost = 10 WHERE p.id = v.patient;
SELECT dp_count(*) FROM patients p CROSS JOIN visits v LEFT JOIN patients w ON w.id = p.id AND v.patient = p.id;
SELECT dp_count(*) FROM patients p, regions r, regions s WHERE r.region = s.region;
SELECT dp_count(*) FROM visits v JOIN drugs d ON d.patient = v.patient AND d.drug = v.clinic;
SELECT dp_count(*) FROM visits v JOIN letters l ON l.patient = v.patient;
SELECT dp_count(*) FROM visits a JOIN visits b ON a.patient = b.patient;
SELECT dp_count(*) FROM patients p JOIN many m USING (region);
SELECT dp_count(*) FROM patients p CROSS JOIN regions;
SELECT dp_count(*) FROM patients p JOIN regions r ON r.region < p.region;
SELECT dp_count(*) FROM patients p JOIN regions r ON r.region = p.region OR p.id = 1;
SELECT dp_count(*) FROM patients p JOIN regions r ON r.region + 0 = p.region;
SELECT dp_count(*) FROM visits v JOIN towns t ON t.town = v.clinic;
SELECT dp_count(*) FROM patients p LEFT JOIN regions r ON p.sex = 'f' WHERE r.region = p.region;
SELECT dp_count(*) FROM patients p JOIN (regions a JOIN regions b ON a.region <= b.region) ON a.region = p.region;
SELECT dp_count(*) FROM patients p LEFT JOIN (regions a JOIN regions b ON a.region = b.region) ON a.region = p.region;
SELECT dp_count(*) FROM patients p LEFT JOIN (SELECT region + 0 AS region, 1 AS one FROM regions) r ON r.region = p.region;
SELECT dp_count(*) FROM patients p FULL JOIN visits v ON v.visit = p.id;
SELECT dp_count(*) FROM patients p JOIN others o ON o.id = p.id;
SELECT dp_count(*) FROM regions a JOIN regions b USING (region);
SELECT dp_count(*) FROM patients p JOIN generate_series(1, 5) g ON g < p.id;
SELECT dp_count(*) FROM patients p JOIN (VALUES (1), (1)) g (x) ON g.x = p.id;
SELECT dp_count(*) FROM (SELECT dp_count(*) AS n FROM visits) s;
SELECT dp_count(*) FROM patients p JOIN regions r TABLESAMPLE SYSTEM (100) ON r.region = p.region;
SELECT dp_count(*) FROM patients p JOIN pg_catalog.pg_class c ON c.oid = p.region;
CREATE TEMP TABLE fleeting (region int PRIMARY KEY);
SELECT dp_count(*) FROM patients p JOIN fleeting f USING (region);
CREATE TABLE child () INHERITS (regions);
SELECT dp_count(*) FROM patients p JOIN regions r USING (region);
DROP TABLE child;
VACUUM regions;
ALTER TABLE regions ENABLE ROW LEVEL SECURITY;
SELECT dp_count(*) FROM patients p JOIN regions r USING (region);
ALTER TABLE regions DISABLE ROW LEVEL SECURITY;
-- keys that do not hold for every row: deferrable, partial, of expressions
ALTER TABLE regions DROP CONSTRAINT regions_pkey;
SELECT dp_count(*) FROM patients p JOIN regions r USING (region);
ALTER TABLE regions ADD UNIQUE (region) DEFERRABLE;
SELECT dp_count(*) FROM patients p JOIN regions r USING (region);
CREATE UNIQUE INDEX ON regions (region) WHERE region > 1;
CREATE UNIQUE INDEX ON regions ((region + 0));
SELECT dp_count(*) FROM patients p JOIN regions r USING (region);
CREATE UNIQUE INDEX ON regions (region);
SELECT dp_count(*) FROM patients p JOIN regions r USING (region);
-- operators and columns of one's own
CREATE FUNCTION tell(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''told %'', $2; RETURN true; END';
CREATE OPERATOR === (FUNCTION = tell, LEFTARG = int, RIGHTARG = int, MERGES, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
SELECT dp_count(*) FROM patients p JOIN regions r ON r.region === p.region;
ALTER TABLE regions ADD picky int GENERATED ALWAYS AS (region + 1) STORED, ADD CHECK (tell(region, 1));
SELECT r.picky, dp_count(*) FROM patients p JOIN regions r USING (region) GROUP BY 1 ORDER BY 1;
-- nor what changes a table while the statement that reads it is parsed
CREATE TABLE changing (region int PRIMARY KEY, v int);
CREATE FUNCTION change(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN ALTER TABLE joins.changing ALTER v TYPE text; RETURN true; END';
CREATE DOMAIN changes AS int CHECK (change(VALUE));
CREATE TYPE changer AS (d changes);
SELECT n, '(1)'::changer FROM (SELECT dp_count(c.v) AS n FROM patients p JOIN changing c USING (region)) s;
-- nothing refused was charged
SELECT sum(statements) - :before AS answered FROM dp_agg.budgets;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA joins CASCADE;
DROP OWNED BY joins_owner, joins_analyst, joins_writer;
DROP EXTENSION dp_agg;
DROP ROLE joins_owner, joins_analyst, joins_stranger, joins_writer;
