--
-- lateral: what FROM makes of columns of items before, by subqueries, VALUES and SQL functions
--
CREATE EXTENSION dp_agg;
CREATE ROLE lat_owner;
CREATE ROLE lat_analyst;
CREATE SCHEMA lat AUTHORIZATION lat_owner;
SET search_path = lat, public;
GRANT ALL ON SCHEMA lat TO lat_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO lat_owner;
SET ROLE lat_owner;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3], nullif(i % 100, 7) FROM generate_series(1, 600) i;
CREATE TABLE visits (person int, day int, cost int, kind text);
INSERT INTO visits SELECT i, d * 10 + i % 3, nullif(d, 3), (ARRAY['a', 'b', NULL])[1 + (i + d) % 3] FROM generate_series(1, 600) i, generate_series(1, 4) d WHERE d <= i % 5;
CREATE TABLE cities (name text PRIMARY KEY, country text);
INSERT INTO cities VALUES ('Aachen', 'D'), ('Chur', 'CH'), ('Ulm', 'D');
CREATE TABLE rates (country text, rate int);
INSERT INTO rates VALUES ('D', 1), ('D', 2), ('CH', 3);
CREATE TABLE hidden (name text PRIMARY KEY);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4, 4);
GRANT SELECT ON cities, rates TO lat_analyst;
-- Functions of both kinds that are put in their places.
CREATE FUNCTION doubled(int) RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT $1 * 2';
CREATE FUNCTION half(x int) RETURNS int LANGUAGE sql AS 'SELECT x / 2';
CREATE FUNCTION split(x int) RETURNS TABLE (tens int, ones int) LANGUAGE sql IMMUTABLE AS 'SELECT x / 10, x % 10 WHERE x > 5';
CREATE FUNCTION country_of(town text) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT country FROM lat.cities WHERE name = town';
CREATE FUNCTION rates_of(town text) RETURNS TABLE (rate int) LANGUAGE sql STABLE AS 'SELECT r.rate FROM lat.cities c JOIN lat.rates r USING (country) WHERE c.name = town';
CREATE FUNCTION paired(int, int) RETURNS SETOF int LANGUAGE sql STABLE AS 'VALUES ($1), ($2)';
CREATE FUNCTION seen(int) RETURNS TABLE (cost int) LANGUAGE sql STABLE AS 'SELECT cost FROM lat.visits WHERE person = $1';
-- Functions that are not.
CREATE FUNCTION strictly(int) RETURNS SETOF int LANGUAGE sql STABLE STRICT AS 'SELECT $1 * 2';
CREATE FUNCTION changing(int) RETURNS SETOF int LANGUAGE sql AS 'SELECT $1 * 2';
CREATE FUNCTION owned(int) RETURNS SETOF int LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT $1 * 2';
CREATE FUNCTION looped(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 * 2; END';
CREATE FUNCTION secret(text) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT name FROM lat.hidden WHERE name = $1';
RESET ROLE;
SELECT dp_agg.set_budget('lat_analyst', 1e12, 1e-3);

-- Groups of none aside, which are public here.
SET shown.rows = 'n > 0';
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/shown.sql'
\i :file
-- At epsilon 1,000,000 no answer here is off with a probability above 1e-90, though a unit counts in 800 rows.
SET dp_agg.epsilon = 1e6;
SET dp_agg.max_rows = 40;
SET dp_agg.max_groups = 20;
SET client_min_messages = warning;
-- A row of expressions.
SELECT * FROM shown('SELECT count(*) AS n FROM visits v, LATERAL (SELECT v.cost * 2 AS x) s WHERE x > 2');
SELECT * FROM shown('SELECT s.x, count(*) AS n FROM visits v CROSS JOIN LATERAL (SELECT v.cost * 2 AS x WHERE v.day > 12) s GROUP BY s.x');
SELECT * FROM shown('SELECT s.x, count(*) AS n FROM visits v LEFT JOIN LATERAL (SELECT v.cost * 2 AS x) s ON true GROUP BY s.x');
SELECT * FROM shown('SELECT y, count(*) AS n FROM people p, LATERAL (SELECT t.x + 1 AS x FROM (SELECT p.age / 10 AS x) t WHERE x > 1) s, LATERAL (SELECT s.x * 3 AS y) r WHERE y < 20 GROUP BY y');
SELECT * FROM shown('SELECT g.c, count(*) AS n FROM (people p JOIN cities c ON c.name = p.city) j, LATERAL (SELECT j.age + 1 AS a, j.country AS c) g WHERE a > 10 GROUP BY g.c');
SELECT * FROM shown('SELECT g.b, count(*) AS n FROM (visits v JOIN (SELECT person, min(kind) AS kind FROM visits GROUP BY person) w USING (person, kind)) j, LATERAL (SELECT j.person % 2 AS a, j.kind || ''!'' AS b) g WHERE a = 0 GROUP BY g.b');
SELECT * FROM shown('SELECT total, count(*) AS n FROM (SELECT person, sum(x) AS total FROM visits v, LATERAL (SELECT v.cost * 2 AS x) s GROUP BY person) q GROUP BY total');
SELECT * FROM shown('SELECT k, count(*) AS n FROM people p JOIN visits v ON v.person = p.id, LATERAL (SELECT coalesce(v.kind, left(p.city, 1)) AS k) s GROUP BY k');
-- Rows of a table.
SELECT * FROM shown('SELECT s.country, count(*) AS n FROM people p LEFT JOIN LATERAL (SELECT c.country FROM cities c WHERE c.name = p.city) s ON true GROUP BY 1');
SELECT * FROM shown('SELECT s.x, count(*) AS n FROM people p LEFT JOIN LATERAL (SELECT c.country || left(p.city, 2) AS x, c.name FROM cities c) s ON s.name = p.city GROUP BY 1');
SELECT * FROM shown('SELECT s.x, count(*) AS n FROM people p LEFT JOIN LATERAL (SELECT coalesce(c.country, p.city) || left(p.city, 1) AS x FROM cities c WHERE c.name = p.city) s ON true GROUP BY 1');
SELECT * FROM shown('SELECT s.x, count(*) AS n FROM people p LEFT JOIN LATERAL (SELECT coalesce(v.kind, ''none'') AS x, v.cost + 1 AS y FROM visits v WHERE v.person = p.id AND v.day > 20) s ON true GROUP BY 1');
SELECT * FROM shown('SELECT s.city, count(*) AS n FROM people p LEFT JOIN LATERAL (SELECT p.city, c.name FROM cities c WHERE c.country = ''D'') s ON s.name = p.city GROUP BY 1');
SELECT * FROM shown('WITH w AS (SELECT * FROM cities) SELECT country, count(*) AS n FROM people p, LATERAL (SELECT country FROM w WHERE w.name = p.city) s GROUP BY country');
SELECT * FROM shown('SELECT count(*) AS n, sum(greatest(least(s.rate, 9), 0)) FROM people p, cities c, LATERAL (SELECT rate FROM rates r WHERE r.country = c.country AND r.rate < p.age) s WHERE c.name = p.city AND s.rate > 0');
SELECT * FROM shown('SELECT count(*) AS n FROM people p, LATERAL (SELECT v.cost AS x FROM visits v WHERE v.person = p.id) s WHERE s.x > 1');
SELECT * FROM shown('SELECT s.x, count(*) AS n FROM people p, LATERAL (SELECT v.x FROM (SELECT person, count(*) AS x FROM visits GROUP BY person) v WHERE v.person = p.id) s GROUP BY s.x');
SELECT * FROM shown('SELECT count(*) AS n FROM people p, LATERAL (SELECT x FROM generate_series(1, 3) x WHERE x < p.age) s');
-- Public rows list the keys, by what LATERAL finds for them.
SELECT * FROM shown('SELECT c.country, count(s.city) AS n FROM cities c LEFT JOIN LATERAL (SELECT p.city FROM people p WHERE p.city = c.name AND p.age > 20) s ON true WHERE c.name <> ''Ulm'' GROUP BY c.country');
SELECT * FROM shown('SELECT c.name, count(s.city) AS n, count(s.city) FROM cities c LEFT JOIN LATERAL (SELECT p.city FROM people p WHERE p.city = c.name AND length(c.country) = 1) s ON true WHERE length(c.name) > 3 GROUP BY c.name HAVING count(s.city) > -5');
-- In parts of a set operation, and beside windows.
SELECT * FROM shown('SELECT x, count(*) AS n FROM (SELECT v.person, s.x FROM visits v, LATERAL (SELECT v.cost * 2 AS x) s UNION ALL SELECT p.id, t.x FROM people p, LATERAL (VALUES (p.age % 3), (7)) t (x)) u GROUP BY x');
SELECT * FROM shown('SELECT r, count(*) AS n FROM (SELECT person, s.x, row_number() OVER (PARTITION BY person ORDER BY s.x, day) AS r FROM visits v, LATERAL (SELECT -v.cost AS x) s) w WHERE x < -1 GROUP BY r');
-- Several rows of expressions.
SELECT * FROM shown('SELECT what, count(*) AS n, count(x) FROM visits v, LATERAL (VALUES (''cost'', v.cost), (''day'', v.day)) u (what, x) GROUP BY what');
SELECT * FROM shown('SELECT what, count(*) AS n, count(x) FROM visits v CROSS JOIN LATERAL (SELECT ''cost''::text AS what, v.cost AS x UNION ALL SELECT ''day'', v.day UNION ALL SELECT NULL, -1) u GROUP BY what');
SELECT * FROM shown('SELECT x / 10 AS x, count(*) AS n FROM people p, LATERAL (SELECT x FROM (VALUES (p.age), (p.id % 30)) t (x)) s WHERE s.x > 10 GROUP BY 1');
SELECT * FROM shown('SELECT x, count(*) AS n FROM visits v, LATERAL (VALUES (v.cost + 1)) u (x) GROUP BY x');
-- SQL functions.
SELECT * FROM shown('SELECT x, count(*) AS n FROM visits v, LATERAL doubled(v.cost) s (x) GROUP BY x');
SELECT * FROM shown('SELECT h, count(*) AS n FROM visits v CROSS JOIN LATERAL half(v.day) h GROUP BY h');
SELECT * FROM shown('SELECT s.ones, count(*) AS n FROM visits v, split(v.day) s WHERE s.tens > 1 GROUP BY s.ones');
SELECT * FROM shown('SELECT c, count(*) AS n FROM people p LEFT JOIN LATERAL country_of(p.city) c ON true GROUP BY c');
SELECT * FROM shown('SELECT rate, count(*) AS n FROM people p, rates_of(p.city) r GROUP BY rate');
SELECT * FROM shown('SELECT x / 10 AS x, count(*) AS n FROM people p, paired(p.age, p.id % 30) x GROUP BY 1');
SELECT * FROM shown('SELECT s.cost, count(*) AS n FROM people p, seen(p.id) s GROUP BY s.cost');
SELECT * FROM shown('SELECT h, count(*) AS n FROM people p, doubled(p.age) d, half(d + 1) h WHERE h < 5 GROUP BY h');
SELECT * FROM shown('SELECT u, count(*) AS n FROM people p, upper(p.city) u GROUP BY u');
-- dp aggregates ask likewise; what an item multiplies is bounded as after any join.
SET ROLE lat_analyst;
SELECT what, dp_count(*), dp_sum(x, 0, 500) > 0 AS some FROM visits v, LATERAL (VALUES ('cost', v.cost), ('day', v.day)) u (what, x) GROUP BY what;
SELECT dp_count(*) FROM people p, LATERAL (VALUES (p.age), (p.id)) u (x);
SET dp_agg.max_rows = 1;
SELECT dp_count(*) FROM people p, LATERAL (VALUES (p.age), (p.id)) u (x);
RESET dp_agg.max_rows;
SET dp_agg.max_join_rows = 2;
SELECT dp_count(*) FROM people p, LATERAL (VALUES (p.age), (p.id), (3)) u (x);
RESET dp_agg.max_join_rows;
SELECT aggregate, epsilon, half_width_95 FROM dp_agg.price('SELECT dp_count(*) FROM visits v, LATERAL (SELECT v.cost * 2 AS x) s WHERE x > 2');
-- Kept answers: a function's text is the question, not its name.
RESET ROLE;
SET ROLE lat_analyst;
SET dp_agg.kept_max_age = '1 day';
SELECT dp_count(*) FROM visits v, doubled(v.cost) s (x) WHERE x > 5;
SELECT kept IS NOT NULL AS kept FROM dp_agg.price('SELECT dp_count(*) FROM visits v, doubled(v.cost) s (x) WHERE x > 5');
SELECT kept IS NOT NULL AS kept FROM dp_agg.price('SELECT dp_count(*) FROM visits v, LATERAL (SELECT v.cost * 2 AS x) s WHERE x > 5');
SELECT kept IS NOT NULL AS kept FROM dp_agg.price('SELECT dp_count(*) FROM visits v WHERE v.cost * 2 > 5');
SELECT kept IS NOT NULL AS kept FROM dp_agg.price('SELECT dp_count(*) FROM visits v, LATERAL (SELECT v.cost * 3 AS x) s WHERE x > 5');
PREPARE doubles AS SELECT dp_count(*) FROM visits v, doubled(v.cost) s (x) WHERE x > 5;
EXECUTE doubles;
RESET ROLE;
CREATE OR REPLACE FUNCTION doubled(int) RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT $1 * 3';
SET ROLE lat_analyst;
EXECUTE doubles;
RESET dp_agg.kept_max_age;
-- What is refused.
SELECT dp_count(*) FROM people p, strictly(p.age) s;
SELECT dp_count(*) FROM people p, changing(p.age) s;
SELECT dp_count(*) FROM people p, owned(p.age) s;
SELECT dp_count(*) FROM people p, looped(p.age) s WHERE s > 3;
SELECT dp_count(*) FROM people p, secret(p.city) s;
SELECT dp_count(*) FROM people p, generate_series(1, p.age) s;
SELECT dp_count(*) FROM people p, doubled(p.age) WITH ORDINALITY s;
SELECT dp_count(*) FROM people p, ROWS FROM (doubled(p.age), doubled(p.id)) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT DISTINCT p.age) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT c.country FROM cities c WHERE c.name = p.city LIMIT 1) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT max(c.country) AS m FROM cities c WHERE c.name < p.city) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT person, count(*) FROM visits v WHERE v.person = p.id GROUP BY person) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT row_number() OVER (PARTITION BY v.person ORDER BY v.day) FROM visits v WHERE v.person = p.id) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT p.age WHERE p.id > 3 UNION ALL SELECT p.id) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT x FROM (SELECT person, count(*) AS x FROM visits v WHERE v.cost < p.age GROUP BY person) v WHERE v.person = p.id) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT p.age AS x HAVING p.age > 3) s WHERE x < 9;
SELECT dp_count(*) FROM people p, LATERAL (SELECT x FROM (SELECT p.age AS x HAVING p.age > 3) t) s WHERE x < 9;
SELECT dp_count(*) FROM people p, LATERAL (SELECT random() < p.age AS x) s WHERE x;
SELECT dp_count(*) FROM people p, LATERAL (SELECT p.ctid) s WHERE s.ctid = '(0,1)';
SELECT dp_count(*) FROM people p, LATERAL (SELECT p) s WHERE s.p IS NOT NULL;
SELECT dp_count(*) FROM people p, LATERAL (SELECT dp_count(*) FROM cities WHERE name = p.city) s;
SELECT dp_count(*) FROM people p, LATERAL (SELECT v.cost FROM visits v WHERE v.cost = p.age) s;
SELECT dp_count(*) FROM people p LEFT JOIN LATERAL (SELECT p.age AS x FROM cities c) s ON s.x = p.id;
SELECT dp_count(*) FROM people p, LATERAL (WITH w AS (SELECT p.age AS x) SELECT x FROM w) s;
SELECT c.least, dp_count(*) > 0 AS some FROM (SELECT 5 AS least) c CROSS JOIN LATERAL (SELECT c.least + 1 AS more) m LEFT JOIN people p ON p.age > c.least GROUP BY 1;
SELECT c.name, s.* FROM cities c, LATERAL (SELECT dp_count(*) FROM people p WHERE p.city = c.name) s;
SELECT count(*) FROM people p, LATERAL (SELECT count(*) AS x FROM visits v WHERE v.person = p.id) s WHERE s.x > 1;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA lat CASCADE;
SELECT dp_agg.drop_budget('lat_analyst');
DROP OWNED BY lat_owner, lat_analyst;
DROP ROLE lat_owner, lat_analyst;
DROP EXTENSION dp_agg;
