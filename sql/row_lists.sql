--
-- row_lists: rows that IN looks up in lists of public rows, and rows compared with one
--
CREATE EXTENSION dp_agg;
CREATE ROLE lists_owner;
CREATE ROLE lists_analyst;
CREATE SCHEMA lists AUTHORIZATION lists_owner;
SET search_path = lists, public;
GRANT ALL ON SCHEMA lists TO lists_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO lists_owner;
CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SET ROLE lists_owner;
-- person i has i % 5 visits, of which kind, day and cost are NULL now and then
CREATE TABLE visits (person int, day int, kind text, cost numeric, at timestamptz);
INSERT INTO visits SELECT i, nullif(d * 10 + i % 3, 21), (ARRAY['a', 'b', NULL])[1 + (i + d) % 3], nullif(d, 3) + 0.5, timestamptz '2024-01-01 12:00+00' + d * interval '1 day'
	FROM generate_series(1, 600) i, generate_series(1, 4) d WHERE d <= i % 5;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3], i % 100 FROM generate_series(1, 600) i;
CREATE TABLE offers (day int, kind text, cost numeric);
INSERT INTO offers VALUES (12, 'a', 1.50), (10, 'b', 1.5), (10, 'b', 9), (22, 'b', 2.5), (31, 'b', 7), (12, 'A', 1.5);
CREATE TABLE holes (day int, kind text, cost numeric);
INSERT INTO holes SELECT * FROM offers UNION ALL VALUES (12, NULL, 1.5), (NULL, 'b', 2.5), (NULL, 'x', NULL), (32, NULL, NULL), (NULL, NULL, 99);
CREATE TABLE shouted (day int, kind text COLLATE anycase);
INSERT INTO shouted VALUES (12, 'A'), (12, 'a'), (10, 'B'), (10, 'b');
CREATE TABLE hidden (day int, kind text);
SELECT dp_agg.protect('visits', 'person', 'default', 4, 4), dp_agg.protect('people', 'id');
GRANT SELECT ON offers, holes, shouted TO lists_analyst;
RESET ROLE;
SELECT dp_agg.set_budget('lists_analyst', 1e12, 1e-3);

-- Groups of none aside, which are public here.
SET shown.rows = 'n > 0';
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/shown.sql'
\i :file
-- At epsilon 1,000 no answer here is off with a probability above 1e-90.
SET dp_agg.epsilon = 1000;
SET client_min_messages = warning;
SET timezone = 'UTC';
SELECT * FROM shown('SELECT count(*) AS n FROM visits WHERE (day, kind) IN (SELECT day, kind FROM offers)');
SELECT * FROM shown('SELECT count(*) AS n FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM offers)');
SELECT * FROM shown('SELECT (day, kind) IN (SELECT day, kind FROM offers) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind) IN (SELECT day, kind FROM holes WHERE cost < 90) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind) IN (SELECT day, kind FROM holes) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind) IN (SELECT day, kind FROM holes WHERE false) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind, cost) IN (SELECT * FROM offers) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind, cost) IN (SELECT * FROM holes) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind, cost) IN (SELECT * FROM holes WHERE day IS NOT NULL OR kind IS NOT NULL) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (day, kind, cost) NOT IN (VALUES (12, ''a'', 1.5), (10, NULL, 1.5), (NULL, ''a'', 4.5)) AS lost, count(*) AS n FROM visits GROUP BY lost');
SELECT * FROM shown('SELECT (day, kind) <> ALL (SELECT day, kind FROM holes WHERE kind IS NOT NULL) AS lost, count(*) AS n FROM visits GROUP BY lost');
SELECT * FROM shown('SELECT count(*) AS n FROM visits WHERE (day, kind) = ANY (SELECT day, kind FROM holes)');
SELECT * FROM shown('SELECT count(*) AS n FROM visits WHERE (day, kind, cost, person % 2) IN (SELECT *, 1 FROM offers)');
SELECT * FROM shown('SELECT count(*) AS n FROM visits WHERE (day::bigint, upper(kind)) IN (SELECT day, kind FROM offers)');
SELECT * FROM shown('SELECT count(*) AS n FROM visits WHERE (day, kind) IN (SELECT day, kind FROM offers) OR (day, kind) NOT IN (SELECT day, kind FROM holes WHERE cost < 2)');
SELECT * FROM shown('SELECT count(*) FILTER (WHERE (day, kind) NOT IN (SELECT day, kind FROM holes WHERE cost < 2)) AS n, sum(CASE WHEN (day, kind) IN (SELECT day, kind FROM offers) THEN 1 ELSE 0 END) FROM visits WHERE day > 0');
SELECT * FROM shown('SELECT kind, count(*) AS n FROM (SELECT *, (day, kind) IN (SELECT day, kind FROM offers) AS found FROM visits) v WHERE found IS NOT TRUE GROUP BY kind');
SELECT * FROM shown('SELECT age < 50 AS young, count(*) AS n FROM people p LEFT JOIN visits v ON v.person = p.id WHERE ((v.day, p.city) IN (SELECT day, ''Chur'' FROM holes)) IS NULL GROUP BY young');
SELECT * FROM shown('SELECT count(*) AS n FROM (SELECT person FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM offers) GROUP BY person HAVING count(*) > 1) v');
SELECT * FROM shown('SELECT count(*) AS n FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND (day, kind) IN (SELECT day, kind FROM offers))');
-- A WITH query that stands elsewhere as well.
SELECT * FROM shown('WITH w AS (SELECT day, kind FROM holes WHERE cost < 90) SELECT (SELECT count(*) FROM w) AS rows, count(*) AS n FROM visits WHERE (day, kind) NOT IN (SELECT * FROM w)');
SELECT * FROM shown('WITH w AS MATERIALIZED (SELECT day, kind FROM holes WHERE cost < 90), u AS (SELECT * FROM w UNION SELECT 32, ''b'') SELECT (SELECT count(*) FROM u) AS rows, count(*) AS n FROM visits WHERE (day, kind) NOT IN (SELECT * FROM u)');
-- Long lists.
SELECT * FROM shown('SELECT (day, kind) IN (SELECT i % 30, chr(97 + i / 30 % 20) FROM generate_series(1, 100000) i) AS found, count(*) AS n FROM visits GROUP BY found');
SELECT * FROM shown('SELECT (person, day) IN (SELECT i, nullif(i % 40, 0) FROM generate_series(1, 100000) i) AS found, count(*) AS n FROM visits GROUP BY found');
-- One row.
SELECT * FROM shown('SELECT (day, kind) = (SELECT day, kind FROM offers WHERE cost = 2.5) AS same, count(*) AS n FROM visits GROUP BY same');
SELECT * FROM shown('SELECT (day, kind) <> (SELECT day, kind FROM holes WHERE cost = 2.5 AND day IS NULL) AS other, count(*) AS n FROM visits GROUP BY other');
SELECT * FROM shown('SELECT (day, kind) = (SELECT day, kind FROM offers WHERE false) AS same, count(*) AS n FROM visits GROUP BY same');
SELECT * FROM shown('WITH w AS (SELECT max(day) AS d, max(kind) AS k FROM offers) SELECT (SELECT d FROM w) AS d, count(*) AS n FROM visits WHERE (day, kind) = (SELECT d, k FROM w)');
-- Collations: the list is told apart as it is compared, by whatever it is declared with.
SET ROLE lists_analyst;
SELECT dp_count(*) FROM visits WHERE (day, kind COLLATE "C") IN (SELECT day, kind FROM shouted);
SELECT dp_count(*) FROM visits WHERE (day, kind COLLATE "C") IN (SELECT day, kind FROM shouted WHERE kind COLLATE "C" < 'a');
SELECT dp_count(*) FROM visits WHERE (day, kind COLLATE "C") NOT IN (SELECT day, kind FROM shouted);
-- Each row counts once, whatever the list has twice; the price is that of no list.
SET ROLE lists_analyst;
SELECT dp_count(*) AS n, round(dp_sum(cost, 0, 10)) AS sum FROM visits WHERE (day, kind) IN (SELECT day, kind FROM offers, generate_series(1, 50)) AND day = 10;
SELECT noise_stddev, half_width_95 FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM offers)');
SELECT noise_stddev, half_width_95 FROM dp_agg.price('SELECT dp_count(*) FROM visits');
-- Kept answers are found by the rows that were read: only one of these was not asked above.
SET dp_agg.kept_max_age = '1 day';
SELECT dp_count(*) FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM offers WHERE day < 30);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT day, kind FROM offers);
RESET dp_agg.kept_max_age;
RESET ROLE;
SELECT event, admitted, count(*) FROM dp_agg.ledger WHERE statement LIKE 'SELECT dp_count(*) FROM visits WHERE (day, kind) %' GROUP BY 1, 2 ORDER BY 1;
-- What the ledger has of it.
SELECT block->'relations' AS relations, block->'where' AS "where" FROM jsonb_array_elements((SELECT releases FROM dp_agg.ledger ORDER BY id DESC LIMIT 1)) block;
SET ROLE lists_analyst;
-- What is refused.
SELECT dp_count(*) FROM visits WHERE (day, kind, cost, person) NOT IN (SELECT *, 1 FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT day, kind FROM offers WHERE random() < 2);
WITH w AS (SELECT day, kind FROM offers WHERE random() < 2), v AS (SELECT * FROM w) SELECT dp_count(*) FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM v);
WITH RECURSIVE w AS (SELECT day, kind FROM offers UNION SELECT day + 1, kind FROM w WHERE day < 12) SELECT dp_count(*) FROM visits WHERE (day, kind) NOT IN (SELECT day, kind FROM w);
SELECT dp_count(*) FROM visits WHERE (day, at) IN (SELECT day, timestamp '2024-01-02 12:00' FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) < ANY (SELECT day, kind FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) = ALL (SELECT day, kind FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) < (SELECT day, kind FROM offers LIMIT 1);
SELECT dp_count(*) FROM visits WHERE (day, kind) = (SELECT day, kind FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT day, kind FROM shouted);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT day, kind FROM hidden);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT 1 / (day - 12), kind FROM offers);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT i, repeat('x', 1000000) FROM generate_series(1, 100) i);
SELECT dp_count(*) FROM visits WHERE (day, kind) IN (SELECT dp_count(*)::int, 'a' FROM people);
SELECT dp_count(*) FROM visits WHERE (day, ROW(kind, 1)) IN (SELECT day, ROW(kind, 1) FROM offers);
CREATE TYPE mine AS ENUM ('a', 'b');
SELECT dp_count(*) FROM visits WHERE (day, CASE kind WHEN 'a' THEN 'a'::mine END) IN (SELECT day, 'a'::mine FROM offers);
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA lists CASCADE;
SELECT dp_agg.drop_budget('lists_analyst');
DROP OWNED BY lists_owner, lists_analyst;
DROP ROLE lists_owner, lists_analyst;
DROP EXTENSION dp_agg;
