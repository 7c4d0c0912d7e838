--
-- listed_keys: public tables left-joined to protected rows list group keys, all of which are answered
--
CREATE EXTENSION dp_agg;
-- What could multiply rows is refused as such: see fan_out.
SET dp_agg.max_join_rows = 1;
CREATE ROLE listed_owner;
CREATE ROLE listed_analyst;
CREATE SCHEMA listed;
GRANT ALL ON SCHEMA listed TO listed_owner, listed_analyst;
SET search_path = listed, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO listed_owner;
SELECT dp_agg.set_budget('listed_analyst', 1e12, 1e-3);
SET ROLE listed_owner;
-- patient i has i % 4 visits, to clinics 1, 2 and 3 of 5; nobody lives in region 4
CREATE TABLE patients (id bigint PRIMARY KEY, sex text, region int, vip bool);
CREATE TABLE visits (visit int PRIMARY KEY, patient int, clinic int, cost int, note text);
CREATE TABLE clinics (id int PRIMARY KEY, name text UNIQUE, town text, open bool NOT NULL, rate numeric, code float8);
CREATE TABLE towns (town text PRIMARY KEY, country text);
CREATE TABLE hidden (region int PRIMARY KEY, name text);
INSERT INTO patients SELECT i, CASE WHEN i <= 40 THEN 'f' ELSE 'm' END, i % 4, i % 2 = 0 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT 10 * i + v, i, v, v * 10, 'n' FROM generate_series(1, 100) i, generate_series(1, 3) v WHERE v <= i % 4;
INSERT INTO clinics VALUES (1, 'one', 'North', true, 1.0, 0), (2, 'two', 'North', true, 1.00, '-0'), (3, 'three', 'South', false, 2.5, 'NaN'),
	(4, 'four', 'South', true, NULL, 5), (5, 'five', NULL, false, 7, NULL);
INSERT INTO towns VALUES ('North', 'A'), ('South', 'B'), ('East', 'B');
INSERT INTO hidden SELECT i, 'region ' || i FROM generate_series(0, 4) i;
GRANT SELECT ON clinics, towns TO listed_analyst;
SELECT dp_agg.protect('patients', 'id'), dp_agg.protect('visits', 'patient', max_rows => 5, max_groups => 5);
CREATE VIEW seen AS SELECT c.name, c.town, v.patient, v.cost FROM clinics c LEFT JOIN visits v ON v.clinic = c.id;
RESET ROLE;
SET ROLE listed_analyst;
-- At epsilon 100,000 no answer here is off with a probability above 1e-200.
SET dp_agg.epsilon = 100000;
-- every key, in order, without rows too; protected rows alone are counted
SELECT c.id, dp_count(*), dp_sum(v.cost, 0, 1000), dp_avg(v.cost, 0, 100) BETWEEN 0 AND 100 AS mean, dp_count(DISTINCT v.patient), dp_count(c.id) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.id;
SELECT dp_count(v.*), c.name FROM visits v RIGHT JOIN clinics c ON v.clinic = c.id GROUP BY c.name;
SELECT id, dp_count(*) FROM clinics LEFT JOIN (SELECT patient, clinic AS id, cost / 10 AS tens FROM visits) v USING (id) GROUP BY id ORDER BY dp_count(*) DESC, id DESC LIMIT 3;
-- keys that several rows share are one; NULL is one; equal values look alike
SELECT c.town, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.town;
SELECT c.rate, c.code, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.rate, c.code;
SELECT c.open, c.id % 2 AS odd, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1, 2;
SELECT 'all' AS label, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1;
-- conditions on the public table choose keys, those in ON rows
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id AND c.open AND v.cost < 20 GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id AND v.cost < 20 WHERE c.open AND c.id < 10 GROUP BY c.name HAVING dp_count(*) < 1000;
SELECT c.name, dp_count(*) FROM (SELECT id, upper(name) AS name FROM clinics WHERE NOT open) c LEFT JOIN (SELECT patient, clinic FROM visits WHERE cost > 10) v ON v.clinic = c.id GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE false GROUP BY c.name;
SELECT dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id;
-- several public tables, several protected ones
SELECT t.country, c.name, dp_count(*) FROM clinics c JOIN towns t ON t.town = c.town LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1, 2;
SELECT t.country, dp_count(*) FROM clinics c LEFT JOIN towns t USING (town) LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1;
SELECT t.country, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id LEFT JOIN towns t USING (town) WHERE t.country = 'B' GROUP BY 1;
SELECT t.country, c.name, dp_count(*) FROM towns t LEFT JOIN (clinics c JOIN visits v ON v.clinic = c.id) USING (town) GROUP BY 1, 2;
SELECT t.town, dp_count(*) FROM towns t LEFT JOIN (clinics c LEFT JOIN visits v ON v.clinic = c.id) USING (town) GROUP BY 1;
SELECT c.name, dp_count(*), dp_count(p.id) FROM clinics c LEFT JOIN (visits v JOIN patients p ON p.id = v.patient) ON v.clinic = c.id AND p.sex = 'f' GROUP BY c.name;
SELECT c.name, dp_count(*), dp_count(p.id) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id LEFT JOIN patients p ON p.id = v.patient AND p.sex = 'f' GROUP BY c.name;
SELECT c.id, dp_count(*) FROM clinics c LEFT JOIN patients p ON p.region = c.id GROUP BY c.id;
SELECT c.id, dp_count(*) FROM clinics c LEFT JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v ON v.n = c.id GROUP BY c.id;
SELECT dp_count(*), dp_sum(n, 0, 10) FROM (SELECT v.patient, count(*) AS n FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE c.open GROUP BY v.patient) s;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN (SELECT v.patient, min(i.id) AS first FROM clinics i LEFT JOIN visits v ON v.clinic = i.id GROUP BY v.patient) f ON f.first = c.id GROUP BY c.name;
-- views, WITH, subqueries around
SELECT name, dp_count(*) FROM seen GROUP BY name;
SELECT town, dp_sum(cost, 0, 100) FROM seen WHERE town IS NOT NULL GROUP BY town;
WITH s AS (SELECT name, dp_count(*) AS n FROM (SELECT * FROM seen) x GROUP BY name) SELECT sum(n), count(*) FROM s WHERE name <> 'one';
SELECT name, n FROM (SELECT name, dp_count(*) AS n FROM seen GROUP BY name) s JOIN clinics c USING (name) WHERE open ORDER BY 1;
-- no threshold and no delta
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT name, dp_sum(cost, 0, 100) FROM seen GROUP BY name');
EXPLAIN (COSTS OFF) SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE c.open GROUP BY c.name;
EXPLAIN (COSTS OFF, VERBOSE) SELECT c.town, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.town;
-- a unit counts in as many groups as it may
SET dp_agg.max_groups = 1;
SELECT sum(n) FROM (SELECT name, dp_count(*) AS n FROM seen GROUP BY name) s;
RESET dp_agg.max_groups;
SET dp_agg.mechanism = gaussian;
SELECT name, dp_count(*) FROM seen GROUP BY name;
SELECT delta = 1e-9 AS calibration FROM dp_agg.price('SELECT name, dp_count(*) FROM seen GROUP BY name');
RESET dp_agg.mechanism;
-- protected rows that decide in WHERE, in a further join or in a key make keys private
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE v.cost > 10 GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id JOIN patients p ON p.id = v.patient GROUP BY c.name;
SELECT c.name, p.sex, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id LEFT JOIN patients p ON p.id = v.patient GROUP BY 1, 2;
SELECT t.country, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id LEFT JOIN towns t ON t.town = c.town AND v.cost > 10 GROUP BY 1;
SELECT query, bool_or(aggregate = 'private groups') AS private, max(delta) AS delta FROM unnest(ARRAY[
	'SELECT c.name, dp_sum(v.cost, 0, 9) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE v.cost > 10 GROUP BY c.name',
	'SELECT c.name, dp_sum(v.cost, 0, 9) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE v.cost IS NULL GROUP BY c.name',
	'SELECT c.name, dp_sum(v.cost, 0, 9) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id JOIN patients p ON p.id = v.patient GROUP BY c.name',
	'SELECT c.name, dp_sum(v.cost, 0, 9) FROM patients p, clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE p.id = v.patient GROUP BY c.name',
	'SELECT c.name, v.cost, dp_sum(v.cost, 0, 9) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1, 2',
	'SELECT c.name, dp_sum(v.cost, 0, 9) FROM towns t LEFT JOIN (clinics c JOIN visits v ON v.clinic = c.id) USING (town) GROUP BY 1',
	'SELECT t.country, dp_sum(v.cost, 0, 9) FROM clinics c LEFT JOIN (visits v LEFT JOIN towns t ON t.town = ''North'') ON v.clinic = c.id GROUP BY 1',
	'SELECT t.country, dp_sum(v.cost, 0, 9) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id LEFT JOIN towns t ON t.town = c.town AND v.cost > 10 GROUP BY 1',
	'SELECT c.name, dp_sum(v.cost, 0, 9) FROM clinics c JOIN visits v ON v.clinic = c.id GROUP BY c.name']) query, dp_agg.price(query) GROUP BY query;
-- keys change with the public table, within a transaction and in plans that are kept
RESET ROLE;
GRANT INSERT, DELETE ON clinics TO listed_analyst;
SET ROLE listed_analyst;
PREPARE named AS SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.name;
EXECUTE named;
BEGIN;
INSERT INTO clinics VALUES (6, 'six', 'East', true);
DELETE FROM clinics WHERE id = 2;
EXECUTE named;
DECLARE here SCROLL CURSOR FOR SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE c.id > 2 GROUP BY c.name;
DELETE FROM clinics;
FETCH 2 FROM here;
MOVE BACKWARD ALL FROM here;
FETCH ALL FROM here;
EXECUTE named;
ROLLBACK;
-- what is refused: tables one may not read, joins that could multiply
SELECT h.name, dp_count(*) FROM hidden h LEFT JOIN patients p ON p.region = h.region GROUP BY h.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.rate GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic < c.id GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id LEFT JOIN patients p ON p.region = c.id GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c FULL JOIN visits v ON v.clinic = c.id GROUP BY c.name;
SELECT c.name, dp_count(*) FROM visits v LEFT JOIN (clinics c LEFT JOIN patients p ON p.region = c.id) ON c.id = v.clinic GROUP BY c.name;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE repeat(c.name, 2) = 'o' GROUP BY c.name;
SELECT dp_count(c.*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id;
-- too many keys cost nothing
CREATE TABLE numbers (i int PRIMARY KEY);
INSERT INTO numbers SELECT generate_series(1, 1001);
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM (SELECT m.i, n.i, dp_count(*) FROM numbers m CROSS JOIN numbers n LEFT JOIN visits v ON v.patient = m.i AND v.clinic = n.i GROUP BY m.i, n.i) s;
SELECT sum(statements) - :before AS charged FROM dp_agg.budgets;
SELECT count(*), sum(n), min(n), max(n) FROM (SELECT m.i, n.i, dp_count(*) AS n FROM numbers m CROSS JOIN numbers n LEFT JOIN visits v ON v.patient = m.i AND v.clinic = n.i WHERE m.i <= 20 GROUP BY m.i, n.i) s;
-- also where workers would read them
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;
SELECT count(*) FROM (SELECT m.i / 2, dp_count(*) FROM numbers m LEFT JOIN visits v ON v.patient = m.i GROUP BY 1) s;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET parallel_leader_participation;
-- when keys have been read, what only a release may run is refused again
SELECT dp_agg_internal.detoasted(1);

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA listed CASCADE;
DROP OWNED BY listed_owner, listed_analyst;
DROP EXTENSION dp_agg;
DROP ROLE listed_owner, listed_analyst;
