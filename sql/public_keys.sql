--
-- public_keys: booleans and enums are answered for every value, and no threshold is paid for
--
CREATE EXTENSION dp_agg;
CREATE ROLE public_keys_analyst;
CREATE SCHEMA public_keys AUTHORIZATION public_keys_analyst;
SET search_path = public_keys, public;
CREATE TYPE size AS ENUM ('tiny', 'small', 'large', 'huge');
CREATE TABLE people (id int PRIMARY KEY, active bool NOT NULL, vip bool, size size, age int, city text);
INSERT INTO people SELECT i, i % 2 = 0, CASE i % 4 WHEN 0 THEN true WHEN 1 THEN false END,
	CASE i % 3 WHEN 0 THEN 'huge'::size WHEN 1 THEN 'small' END, i, 'here' FROM generate_series(1, 120) i;
CREATE TABLE visits (person int NOT NULL, size size NOT NULL, cost int);
INSERT INTO visits SELECT i, (ARRAY['tiny', 'small', 'large'])[v]::size, 10 * v FROM generate_series(1, 100) i, generate_series(1, 3) v;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 2, max_groups => 2);
SELECT dp_agg.set_budget('public_keys_analyst', 1e12, 1e-3);
SET ROLE public_keys_analyst;
-- At epsilon 100,000 no answer here is off with a probability above 1e-200.
SET dp_agg.epsilon = 100000;
-- in their order, empty groups and NULL too; NULL only where there can be one
SELECT active, dp_count(*), dp_sum(age, 0, 200) FROM people GROUP BY active;
SELECT vip, dp_count(*) FROM people GROUP BY vip;
SELECT vip, dp_count(*) FROM people WHERE age > 0 AND vip IS NOT NULL GROUP BY vip;
SELECT vip, dp_count(*) FROM people WHERE vip IS NOT NULL OR age > 60 GROUP BY vip;
SELECT size, dp_count(*) FROM people GROUP BY size;
SELECT size, dp_count(*) FROM people WHERE size = 'huge' GROUP BY size;
SELECT dp_count(*), active FROM people WHERE false GROUP BY active;
SELECT age > 60 AS old, dp_count(*) FROM people GROUP BY 1;
SELECT age IS NULL AS unknown, dp_count(*) FROM people GROUP BY 1;
SELECT age IS DISTINCT FROM 5 AND active, dp_count(*) FROM people GROUP BY 1;
SELECT vip IS TRUE, size, dp_count(*) FROM people GROUP BY 1, 2;
SELECT active, vip, NOT active AS passive, dp_count(*) FROM people GROUP BY active, vip;
-- a constant makes one group, whatever values its type has
SELECT true AS always, dp_count(*) FROM people GROUP BY always;
-- a key that stands twice is one
SELECT active, people.active AS again, dp_count(*) FROM people GROUP BY 1, 2;
-- above the release: expressions, conditions, order, subqueries over keys
SELECT size, CASE WHEN active THEN 'on' ELSE 'off' END AS active, dp_count(*) FROM people GROUP BY size, active HAVING size >= 'large' AND dp_count(*) > 0 ORDER BY size DESC, 2;
SELECT size, dp_count(*) - (SELECT count(*) FROM generate_series(1, 3) g WHERE p.size = 'huge') AS n FROM people p GROUP BY size ORDER BY n, size;
SELECT * FROM (SELECT active AS a, dp_count(*) AS n FROM people GROUP BY active) s WHERE a;
-- from joins, views and subqueries; units with many rows, as many as count
SELECT size, dp_count(DISTINCT person) <= 100 AS bounded FROM visits GROUP BY size;
SELECT sum(n) FROM (SELECT size, dp_count(*) AS n FROM visits GROUP BY size) s;
SELECT p.active, dp_sum(v.cost, 0, 100) FROM visits v JOIN people p ON p.id = v.person GROUP BY p.active;
SELECT rich, dp_count(*) FROM (SELECT sum(cost) > 30 AS rich FROM visits GROUP BY person) s GROUP BY rich;
-- no threshold and no delta; beside another key a threshold again
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT size, active, dp_sum(age, 0, 100) FROM people GROUP BY size, active');
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT size, city, dp_sum(age, 0, 100) FROM people GROUP BY size, city');
SELECT active, city, dp_count(*) FROM people GROUP BY active, city;
-- a value that is new, and one that is in no row; a plan made before has neither lost
PREPARE sized AS SELECT size, dp_count(*) FROM people GROUP BY size;
EXECUTE sized;
RESET ROLE;
ALTER TYPE size ADD VALUE 'medium' BEFORE 'large';
UPDATE people SET size = 'medium' WHERE id <= 10;
SET ROLE public_keys_analyst;
EXECUTE sized;
SELECT size, dp_count(*) FROM people GROUP BY size;
-- too many groups are not answered without being asked for
SELECT count(*) FROM (SELECT age > 1, age > 2, age > 3, age > 4, age > 5, age > 6, age > 7, age > 8, dp_count(*) FROM people GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) s;
SELECT count(*) < 20 AS private FROM (SELECT age > 1, age > 2, age > 3, age > 4, age > 5, age > 6, age > 7, age > 8, age > 9, dp_count(*) FROM people GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 HAVING dp_count(*) > -1) s;
-- what is refused of other keys is refused of these
SELECT repeat(city, 2) = 'x', dp_count(*) FROM people GROUP BY 1;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA public_keys CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE public_keys_analyst;
