--
-- united: UNION ALL, UNION, INTERSECT and EXCEPT of protected rows below aggregates, each part
-- with the privacy unit in the same column, or of UNION ALL in none
--
CREATE EXTENSION dp_agg;
CREATE ROLE united_analyst;
CREATE SCHEMA united;
GRANT USAGE, CREATE ON SCHEMA united TO united_analyst;
SET search_path = united, public;
CREATE TABLE visits (person int, day date, kind text, cost numeric, score float8, secret int, tags text[]);
INSERT INTO visits SELECT i % 100, date '2024-01-01' + i % 7, 'kind ' || i % 3, (i % 40) / 10.0, CASE WHEN i % 9 = 0 THEN -0.0 ELSE i % 5 / 2.0 END, i FROM generate_series(1, 900) i;
CREATE TABLE calls (person int, day date, kind text, cost numeric(10, 4), score float8, minutes bigint);
INSERT INTO calls SELECT i % 130, date '2024-01-01' + i % 9, 'kind ' || i % 4, (i % 40) / 10.0, i % 5 / 2.0, i % 60 FROM generate_series(1, 700) i;
CREATE TABLE people (id int PRIMARY KEY, name varchar(20), born int);
INSERT INTO people SELECT i, 'name ' || i, 1950 + i % 50 FROM generate_series(0, 199) i;
CREATE TABLE kinds (kind text PRIMARY KEY, person int);
INSERT INTO kinds SELECT 'kind ' || i, i FROM generate_series(0, 5) i;
GRANT SELECT ON kinds TO united_analyst;
CREATE TABLE elsewhere (person int PRIMARY KEY);
CREATE TABLE named (who text PRIMARY KEY);
SELECT dp_agg.protect('visits', 'person', max_rows => 9, max_groups => 9), dp_agg.protect('calls', 'person', max_rows => 6, max_groups => 6),
	dp_agg.protect('people', 'id'), dp_agg.protect('named', 'who'), dp_agg.protect('elsewhere', 'person', 'elsewhere');
SELECT dp_agg.set_domain('visits', 'cost', 0, 5), dp_agg.set_domain('calls', 'cost', 0, 10), dp_agg.hide_column('visits', 'secret');
CREATE VIEW contacts AS SELECT person, day, kind FROM visits UNION ALL SELECT person, day, kind FROM calls;
SELECT dp_agg.set_budget('united_analyst', 1e12, 1e-3), dp_agg.set_budget('united_analyst', 1e12, 1e-3, 'elsewhere');
-- A count at this epsilon, of 16 rows in 16 groups for each unit, is off by one or more with a probability below 1e-800.
SET dp_agg.epsilon = 1e6;
SET dp_agg.delta = 1e-9;

-- How many rows the analyst's answer and the owner's do not have in common.
CREATE FUNCTION differing(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	different bigint;
BEGIN
	SET ROLE united_analyst;
	EXECUTE 'CREATE TEMP TABLE answer AS ' || query;
	RESET ROLE;
	EXECUTE 'CREATE TEMP TABLE truth AS ' || query;
	IF (SELECT count(*) FROM truth) = 0 THEN
		RAISE 'the query has no rows to compare';
	END IF;
	SELECT count(*) INTO different FROM ((SELECT a::text FROM answer a EXCEPT ALL SELECT t::text FROM truth t)
		UNION ALL (SELECT t::text FROM truth t EXCEPT ALL SELECT a::text FROM answer a)) d;
	DROP TABLE answer, truth;
	RETURN different;
END $$;
SET client_min_messages = warning;
SELECT query, differing(query) FROM (VALUES
('SELECT count(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM calls) u'),
('SELECT count(DISTINCT person) AS units, count(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM calls UNION ALL SELECT id FROM people) u'),
('SELECT kind, count(*), round(sum(cost), 1) FROM (SELECT person, kind, cost FROM visits UNION ALL SELECT person, kind, cost FROM calls) u GROUP BY kind'),
('SELECT count(*) FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u'),
('SELECT kind, count(*), round(sum(cost), 1) FROM (SELECT kind, cost FROM visits UNION ALL SELECT kind, cost FROM calls WHERE minutes > 9) u GROUP BY kind'),
('SELECT count(*) FROM (SELECT person, 1 FROM visits UNION ALL SELECT 1, person FROM calls) u'),
('SELECT count(*) AS n, count(x) AS xs FROM (SELECT person AS x FROM visits UNION ALL SELECT person::bigint FROM calls) u WHERE x > 50'),
('SELECT count(*) FROM (SELECT person FROM visits UNION ALL SELECT 100 - person FROM calls) u WHERE person > 90'),
('SELECT what, count(*) FROM (SELECT ''people'' AS what, v.day FROM people p JOIN visits v ON v.person = p.id WHERE born > 1970 UNION ALL SELECT ''calls'', day FROM calls UNION ALL SELECT name, NULL FROM people WHERE id = 3) u WHERE what <> ''name 3'' GROUP BY what'),
('SELECT count(*) FROM (SELECT n FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) g UNION ALL SELECT born FROM people) u WHERE n > 8'),
('SELECT k.kind, count(*) FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u JOIN kinds k USING (kind) GROUP BY k.kind'),
('WITH u AS (SELECT kind AS k FROM visits UNION ALL SELECT kind FROM calls) SELECT k, count(*), (SELECT count(*) FROM u) AS all FROM u GROUP BY k'),
('SELECT count(*) FROM (SELECT kind FROM visits UNION ALL (SELECT kind FROM visits UNION ALL SELECT kind FROM calls)) u'),
('SELECT count(*) FROM (SELECT person FROM visits UNION SELECT person FROM calls) u'),
('SELECT count(*) FROM (SELECT person, day, kind FROM visits UNION SELECT person, day, kind FROM calls) u'),
('SELECT count(*) FROM (SELECT person, cost FROM visits UNION SELECT person, cost FROM calls) u'),
('SELECT count(*) FROM (SELECT person, score FROM visits INTERSECT SELECT person, score FROM calls) u'),
('SELECT kind, count(*) FROM (SELECT person, kind FROM visits EXCEPT SELECT person, kind FROM calls) u GROUP BY kind'),
('SELECT kind, count(*) FROM (SELECT person, kind FROM visits INTERSECT ALL SELECT person, kind FROM calls) u GROUP BY kind'),
('SELECT kind, count(*) FROM (SELECT person, kind FROM visits EXCEPT ALL SELECT person, kind FROM calls) u GROUP BY kind'),
('SELECT count(*) FROM (SELECT person FROM visits EXCEPT ALL SELECT id FROM people) u'),
('SELECT n, count(*) FROM (SELECT person, count(*) AS n FROM (SELECT person, day FROM visits EXCEPT ALL SELECT person, day FROM calls) u GROUP BY person) p GROUP BY n'),
('SELECT count(*) FROM (SELECT person, cost, kind FROM visits INTERSECT ALL SELECT person, cost, kind FROM visits WHERE day > ''2024-01-02'') u'),
('SELECT kind, count(*) FROM ((SELECT person, kind FROM visits UNION ALL SELECT person, kind FROM calls) EXCEPT ALL (SELECT person, kind FROM visits INTERSECT ALL SELECT person, kind FROM calls)) u GROUP BY kind'),
('SELECT count(kind), count(*) AS rows FROM (SELECT person, kind FROM visits EXCEPT ALL SELECT person, kind FROM calls EXCEPT ALL SELECT id, ''kind 2'' FROM people UNION ALL SELECT id, name FROM people WHERE born > 1980) u'),
('SELECT born < 1970 AS old, count(*) FROM people p JOIN (SELECT person, score FROM calls EXCEPT ALL SELECT person, score FROM visits) u ON u.person = p.id WHERE (born < 1970) IS NOT NULL GROUP BY 1'),
('WITH u AS (SELECT person, kind FROM visits EXCEPT ALL SELECT person, kind FROM calls) SELECT count(*), (SELECT count(*) FROM u WHERE kind = ''kind 1'') AS first FROM u'),
('SELECT count(*) FROM (SELECT id FROM people EXCEPT SELECT person FROM visits EXCEPT SELECT person FROM calls) u'),
('SELECT count(*) FROM (SELECT id FROM people EXCEPT (SELECT person FROM visits INTERSECT SELECT person FROM calls)) u'),
('SELECT count(*) FROM ((SELECT person, day FROM visits UNION ALL SELECT person, day FROM calls) EXCEPT SELECT person, date ''2024-01-03'' FROM calls) u'),
('SELECT count(*) FROM (SELECT person, kind FROM visits INTERSECT SELECT person, kind FROM calls UNION ALL SELECT id, name FROM people WHERE born > 1980) u'),
('SELECT count(*) FROM (SELECT person, 1 AS part, minutes FROM calls UNION ALL SELECT person, 2, NULL FROM visits) u WHERE part = 2 OR minutes > 30'),
('SELECT count(*) FROM (SELECT person, minutes AS x FROM calls UNION ALL SELECT person, cost * 10 FROM visits) u WHERE x > 20.5'),
('SELECT part, count(*) FROM (SELECT person, ''calls'' AS part FROM calls UNION ALL SELECT person, ''visits'' FROM visits) u GROUP BY part'),
('SELECT count(*) FROM contacts WHERE day > ''2024-01-04'''),
('SELECT count(*) FROM contacts JOIN people ON id = person WHERE born > 1970'),
('SELECT c.kind, count(*) FROM contacts c JOIN kinds k USING (kind) WHERE k.person < 2 GROUP BY c.kind'),
('WITH u AS (SELECT person, kind FROM visits UNION SELECT person, kind FROM calls) SELECT count(*) FROM u WHERE kind = ''kind 1'''),
('WITH v AS (SELECT person, kind FROM visits), u AS (SELECT * FROM v UNION ALL SELECT * FROM v WHERE kind = ''kind 2'') SELECT kind, count(*) FROM u GROUP BY ROLLUP (kind)'),
('SELECT sum(least(n, 20)) FROM (SELECT person, count(*) AS n FROM (SELECT person, day FROM visits UNION ALL SELECT person, day FROM calls) u GROUP BY person HAVING count(*) > 3) p'),
('SELECT count(*) FROM (SELECT person, day - lag(day) OVER (PARTITION BY person ORDER BY day) AS gap FROM contacts) g WHERE gap > 1'),
('SELECT count(*) FROM (SELECT DISTINCT person, kind FROM contacts) d'),
('SELECT count(*) FROM (SELECT person, count(*) FROM visits GROUP BY person UNION ALL SELECT person, row_number() OVER (PARTITION BY person) FROM calls) u WHERE count > 4'),
('SELECT count(*) FROM (SELECT * FROM people p JOIN (SELECT person FROM visits INTERSECT SELECT person FROM calls) b ON b.person = p.id) u WHERE born < 1980'),
('SELECT count(*) FROM people p LEFT JOIN (SELECT person FROM visits UNION SELECT person FROM calls) b ON b.person = p.id WHERE b.person IS NULL'),
('SELECT born < 1970 AS old, count(*) AS rows, count(kind) FROM people p LEFT JOIN contacts c ON c.person = p.id WHERE (born < 1970) IS NOT NULL GROUP BY 1'),
('SELECT count(*) FROM contacts c LEFT JOIN (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day, cost) AS n FROM calls) v ON v.person = c.person WHERE n = 2'),
('SELECT k.kind, count(c.person) FROM kinds k LEFT JOIN contacts c ON c.kind = k.kind GROUP BY k.kind'),
('SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM contacts c WHERE c.person = p.id AND c.kind = ''kind 3'')'),
('SELECT count(*) FROM people WHERE id IN (SELECT person FROM (SELECT person FROM visits EXCEPT SELECT person FROM calls WHERE day < ''2024-01-04'') x)'),
('SELECT count(*) FROM people WHERE id NOT IN (SELECT person FROM (SELECT person FROM visits UNION SELECT person FROM calls) x)'),
('SELECT count(*) FROM ((SELECT person FROM visits ORDER BY day, cost) UNION ALL (SELECT person FROM calls ORDER BY 1)) u')) q (query);
RESET client_min_messages;
-- a WITH query that another reads, which is read twice, and is read elsewhere too
SELECT query, differing(query) FROM (VALUES
('WITH v AS (SELECT person FROM visits), u AS (SELECT * FROM v) SELECT (SELECT count(*) FROM u) AS x, (SELECT count(*) FROM u) AS y'),
('WITH k AS (SELECT 1 AS n), v AS (SELECT person FROM visits), u AS (SELECT * FROM v) SELECT a.n AS x, b.n AS y, k.n FROM (SELECT count(*) AS n FROM u) a, (SELECT count(*) AS n FROM u) b, (SELECT count(*) AS n FROM v) c, k')) q (query);
-- EXPLAIN and the ledger tell what all parts read; max_rows and max_groups are those of the parts together
SET ROLE united_analyst;
SET dp_agg.epsilon = 1;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM (SELECT person, kind FROM visits WHERE cost > 1 UNION ALL SELECT person, kind FROM calls WHERE cost > 2) u WHERE kind = 'kind 1';
\o /dev/null
SELECT dp_count(*) FROM (SELECT person, kind FROM visits WHERE cost > 1 UNION ALL SELECT person, kind FROM calls WHERE cost > 2) u WHERE kind = 'kind 1';
\o
RESET ROLE;
SELECT block->'relations' AS relations, block->'where' AS "where" FROM jsonb_array_elements((SELECT releases::jsonb FROM dp_agg.ledger ORDER BY id DESC LIMIT 1)) block;
SET ROLE united_analyst;
-- kept answers: a part more, or another, or another operation is another question; the order of parts does not count
SET dp_agg.kept_max_age = '1 day';
CREATE FUNCTION asked(rows text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	kept boolean;
BEGIN
	EXECUTE 'SELECT dp_count(*) FROM (' || rows || ') u';
	SELECT r.kept IS NOT NULL INTO kept FROM dp_agg.last_release() r;
	RETURN kept;
END $$;
SELECT rows, asked(rows) FROM (VALUES ('SELECT person FROM visits UNION ALL SELECT person FROM calls'), ('SELECT person FROM calls UNION ALL SELECT person FROM visits'),
	('SELECT person FROM visits UNION SELECT person FROM calls'), ('SELECT person FROM visits INTERSECT SELECT person FROM calls'), ('SELECT person FROM visits EXCEPT SELECT person FROM calls'),
	('SELECT person FROM calls EXCEPT SELECT person FROM visits'), ('SELECT person FROM visits UNION ALL SELECT person FROM visits'), ('SELECT person FROM visits UNION ALL SELECT person FROM calls WHERE cost > 1'),
	('SELECT person FROM visits WHERE cost > 1 UNION ALL SELECT person FROM calls'), ('SELECT person FROM visits UNION ALL SELECT person FROM calls UNION ALL SELECT id FROM people')) q (rows);
SET dp_agg.kept_max_age = 0;

-- refused
SELECT dp_count(*) FROM (SELECT person, kind FROM visits UNION ALL SELECT kind.person, kind FROM kinds kind) u;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT person FROM visits UNION ALL SELECT generate_series(1, 5)) u;
SELECT dp_count(*) FROM (SELECT person FROM visits UNION ALL VALUES (5)) u;
\echo :SQLSTATE
-- of each unit one row, and none of a row without one
SET dp_agg.max_rows = 1;
SELECT dp_count(1, 1e6) FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u;
RESET dp_agg.max_rows;
SELECT dp_count(1, 1e6) FROM (SELECT NULL::int AS x FROM visits WHERE person IS NULL UNION ALL SELECT 1 FROM people) u;
SELECT dp_count(u.*, 1e6) FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u;
SELECT dp_count(DISTINCT u) FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u;
SELECT * FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u;
SELECT unit FROM (SELECT kind FROM visits UNION ALL SELECT kind FROM calls) u;
-- whose units are not of one type
SELECT dp_count(*) FROM (SELECT kind FROM visits UNION ALL SELECT who FROM named) u;
SELECT dp_count(*) FROM (SELECT kind FROM visits UNION SELECT kind FROM calls) u;
SELECT dp_count(*) FROM (SELECT person FROM visits EXCEPT SELECT kinds.person FROM kinds) u;
SELECT dp_count(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM elsewhere) u;
SELECT dp_count(*) FROM (SELECT kind FROM visits INTERSECT ALL SELECT kind FROM calls) u;
SELECT dp_count(*) FROM (SELECT person, 1 FROM visits EXCEPT ALL SELECT 1, person FROM calls) u;
SELECT dp_count(*) FROM (SELECT person FROM visits EXCEPT ALL SELECT kinds.person FROM kinds) u;
SELECT dp_count(*) FROM (SELECT person, tags FROM visits INTERSECT ALL SELECT person, tags FROM visits) u;
SELECT dp_count(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM calls LIMIT 5) u;
SELECT dp_count(*) FROM ((SELECT person FROM visits ORDER BY day LIMIT 5) UNION ALL SELECT person FROM calls) u;
SELECT dp_count(secret) FROM (SELECT person, secret FROM visits UNION ALL SELECT person, minutes FROM calls) u;
SELECT dp_count(*) FROM (SELECT person, tags FROM visits UNION SELECT person, NULL FROM calls) u;
SELECT dp_count(*) FROM (SELECT person, (SELECT 1 FROM calls c WHERE c.person + visits.person = 1) AS x FROM visits UNION ALL SELECT person, 2 FROM calls) u WHERE x = 1;
SELECT dp_count(*) FROM (WITH RECURSIVE r AS (SELECT person, 1 AS n FROM visits UNION ALL SELECT person, n + 1 FROM r WHERE n < 3) SELECT * FROM r) u;
SELECT dp_count(n) FROM (SELECT dp_count(*) AS n FROM visits UNION ALL SELECT dp_count(*) FROM calls) u;
-- what is not used is not looked at
SELECT dp_count(*) BETWEEN 1000 AND 2200 FROM (SELECT person, secret, tags FROM visits UNION ALL SELECT person, minutes, NULL FROM calls) u;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA united CASCADE;
DROP OWNED BY united_analyst;
DROP EXTENSION dp_agg;
DROP ROLE united_analyst;
