--
-- full_joins: FULL JOIN of protected tables by their units; a row belongs to the unit of whichever side is there
--
CREATE EXTENSION dp_agg;
CREATE ROLE full_joins_analyst;
CREATE SCHEMA full_joins;
GRANT USAGE, CREATE ON SCHEMA full_joins TO full_joins_analyst;
SET search_path = full_joins, public;
CREATE TABLE visits (person int, day date, kind text, cost int, secret int, tags text[]);
INSERT INTO visits SELECT i % 100, date '2024-01-01' + i % 7, 'kind ' || i % 3, i % 40, i FROM generate_series(1, 600) i;
CREATE TABLE calls (gone int, caller bigint, day date, kind text, minutes int);
INSERT INTO calls SELECT i, 30 + i % 130, date '2024-01-01' + i % 9, 'kind ' || i % 4, i % 60 FROM generate_series(1, 500) i;
ALTER TABLE calls DROP COLUMN gone;
INSERT INTO visits VALUES (NULL, '2024-01-02', 'kind 1', 7), (NULL, '2024-01-03', 'kind 2', 8);
INSERT INTO calls VALUES (NULL, '2024-01-02', 'kind 1', 7);
CREATE TABLE people (id int PRIMARY KEY, name varchar(20), born int);
INSERT INTO people SELECT i, 'name ' || i, 1950 + i % 50 FROM generate_series(0, 199) i;
CREATE TABLE members (id int PRIMARY KEY, fee int, kind text);
INSERT INTO members SELECT i, i % 10, 'kind ' || i % 5 FROM generate_series(80, 279) i;
CREATE TABLE codes (code varchar PRIMARY KEY, x int);
INSERT INTO codes SELECT 'c' || i, i FROM generate_series(0, 80) i;
CREATE TABLE more_codes (code text PRIMARY KEY, y int);
INSERT INTO more_codes SELECT 'c' || i, i FROM generate_series(40, 140) i;
CREATE TABLE kinds (kind text PRIMARY KEY, person int);
INSERT INTO kinds SELECT 'kind ' || i, i FROM generate_series(0, 5) i;
GRANT SELECT ON kinds TO full_joins_analyst;
CREATE TABLE names (name name PRIMARY KEY);
CREATE TABLE cities (city varchar(20), code varchar(10), zone varchar(8));
INSERT INTO cities SELECT 'city ' || i % 3, 'c' || i % 120, 'zone ' || i % 2 FROM generate_series(1, 240) i;
CREATE TABLE elsewhere (person int PRIMARY KEY);
CREATE TABLE parts (visit int PRIMARY KEY, person int NOT NULL);
INSERT INTO parts SELECT i, i % 100 FROM generate_series(1, 200) i;
CREATE TABLE details (visit int NOT NULL REFERENCES parts, what text);
INSERT INTO details SELECT i, 'what ' || i % 3 FROM generate_series(1, 200) i;
SELECT dp_agg.protect('visits', 'person', max_rows => 36, max_groups => 9), dp_agg.protect('calls', 'caller', max_rows => 30, max_groups => 9), dp_agg.protect('people', 'id'),
	dp_agg.protect('members', 'id'), dp_agg.protect('codes', 'code'), dp_agg.protect('more_codes', 'code'), dp_agg.protect('names', 'name'), dp_agg.protect('cities', 'code', max_rows => 2, max_groups => 2), dp_agg.protect('elsewhere', 'person', 'elsewhere'),
	dp_agg.protect('parts', 'person', max_rows => 5, max_groups => 3), dp_agg.protect('details', 'visit', through => 'parts', max_rows => 5, max_groups => 3);
SELECT dp_agg.set_domain('visits', 'cost', 0, 40), dp_agg.set_domain('calls', 'minutes', 0, 60), dp_agg.set_domain('members', 'fee', 0, 10), dp_agg.hide_column('visits', 'secret'),
	dp_agg.set_domain('cities', 'city', ARRAY['city 0', 'city 1', 'city 2', 'city 3']);
CREATE VIEW dear AS SELECT person, day, cost * 2 AS double FROM visits WHERE cost > 20;
CREATE VIEW spent AS SELECT person, sum(cost) AS cost, count(*) AS n FROM visits GROUP BY person;
SELECT dp_agg.set_budget('full_joins_analyst', 1e12, 1e-3), dp_agg.set_budget('full_joins_analyst', 1e12, 1e-3, 'elsewhere');
-- A count at this epsilon, of 70 rows in 20 groups for each unit, is off by one or more with a probability below 1e-200.
SET dp_agg.epsilon = 1e6;
-- groups without rows would not be what the owner sees
SET dp_agg.computed_keys = off;
SET dp_agg.delta = 1e-9;

-- How many rows the analyst's answer and the owner's do not have in common.
CREATE FUNCTION differing(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	different bigint;
BEGIN
	SET ROLE full_joins_analyst;
	EXECUTE 'CREATE TEMP TABLE answer AS SELECT q::text FROM (' || query || ') q';
	RESET ROLE;
	EXECUTE 'CREATE TEMP TABLE truth AS SELECT q::text FROM (' || query || ') q';
	IF (SELECT count(*) FROM truth) = 0 THEN
		RAISE 'the query has no rows to compare';
	END IF;
	SELECT count(*) INTO different FROM ((SELECT * FROM answer EXCEPT ALL SELECT * FROM truth)
		UNION ALL (SELECT * FROM truth EXCEPT ALL SELECT * FROM answer)) d;
	DROP TABLE answer, truth;
	RETURN different;
END $$;
SET client_min_messages = warning;
-- Rows of nobody are left out by the gate: queries of tables that have such say so.
SELECT query, differing(query) FROM (VALUES
('SELECT count(*) FROM people p FULL JOIN members m ON m.id = p.id'),
('SELECT count(*), count(p.id) AS people, count(m.id) AS members, count(DISTINCT id) FROM people p FULL JOIN members m USING (id)'),
('SELECT count(*) FROM people p FULL JOIN members m USING (id) WHERE p.id IS NULL'),
('SELECT count(*) FROM people p FULL JOIN members m USING (id) WHERE m.id IS NULL OR p.born > 1960 OR m.fee = 3'),
('SELECT CASE WHEN p.id IS NULL THEN 1 ELSE 2 END AS a, CASE WHEN m.id IS NULL THEN 1 ELSE 2 END AS b, count(*), count(fee) FROM people p FULL JOIN members m ON p.id = m.id GROUP BY 1, 2'),
('SELECT count(DISTINCT coalesce(p.id, m.id)) FROM people p FULL JOIN members m ON p.id = m.id'),
('SELECT count(DISTINCT coalesce(m.id, p.id)) FROM people p FULL JOIN members m ON p.id = m.id'),
('SELECT count(DISTINCT id) FROM people NATURAL FULL JOIN members'),
('SELECT coalesce(kind, ''none'') AS kind, count(*) FROM people p FULL JOIN members m USING (id) GROUP BY 1'),
('SELECT count(*), round(sum(cost)) FROM visits v FULL JOIN people p ON p.id = v.person WHERE v.person IS NOT NULL OR p.id IS NOT NULL'),
('SELECT count(*), round(sum(cost)) FROM people p FULL JOIN visits v ON p.id = v.person WHERE v.person IS NOT NULL OR p.id IS NOT NULL'),
('SELECT born / 10 AS decade, count(*) FROM visits v FULL JOIN people p ON v.person = p.id WHERE born IS NOT NULL GROUP BY 1'),
('SELECT count(*), round(sum(cost)), round(sum(minutes)) FROM visits v FULL JOIN calls c ON c.caller = v.person WHERE coalesce(v.person, c.caller) IS NOT NULL'),
('SELECT count(*), count(DISTINCT person) FROM visits v FULL JOIN (SELECT caller AS person, day, kind, minutes FROM calls) c USING (person, day) WHERE person IS NOT NULL'),
('SELECT v.kind, c.kind AS other, count(*) FROM visits v FULL JOIN calls c ON c.caller = v.person AND c.day = v.day WHERE coalesce(v.person, c.caller) IS NOT NULL GROUP BY 1, 2'),
('SELECT count(*), count(v.person) AS v, count(c.caller) AS c FROM visits v FULL JOIN calls c ON c.caller = v.person AND c.day > v.day AND c.minutes < 30 WHERE coalesce(v.person, c.caller) IS NOT NULL'),
('SELECT count(*) FROM visits v FULL JOIN calls c ON c.caller = v.person AND v.cost = c.minutes + 1 WHERE coalesce(v.person, c.caller) IS NOT NULL'),
('SELECT count(*), round(sum(n)) FROM (SELECT person, least(count(*), 30) AS n FROM visits GROUP BY person) v FULL JOIN members m ON m.id = v.person WHERE coalesce(v.person, m.id) IS NOT NULL'),
('SELECT sum(CASE WHEN v.person IS NOT NULL AND c.caller IS NULL THEN 1 ELSE 0 END) AS visits, sum(CASE WHEN v.person IS NULL AND c.caller IS NOT NULL THEN 1 ELSE 0 END) AS calls, sum(CASE WHEN v.person IS NOT NULL AND c.caller IS NOT NULL THEN 1 ELSE 0 END) AS both FROM (SELECT person, kind FROM visits GROUP BY person, kind) v FULL JOIN (SELECT caller, kind FROM calls GROUP BY caller, kind) c ON v.person = c.caller AND v.kind = c.kind'),
('SELECT count(*) FROM (SELECT DISTINCT person FROM visits WHERE cost > 35) v FULL JOIN (SELECT * FROM members WHERE fee > 7) m ON m.id = v.person WHERE coalesce(v.person, m.id) IS NOT NULL'),
('SELECT count(*), count(x), count(y) FROM (SELECT id, born + 1 AS x FROM people WHERE born < 1980) a FULL JOIN (SELECT id, coalesce(kind, ''no'') AS y FROM members) b ON a.id = b.id'),
('SELECT count(*), count(one) FROM people p FULL JOIN (SELECT id, 1 AS one FROM members WHERE fee > 4) m USING (id)'),
('SELECT count(*) FROM people p FULL JOIN members m USING (id) FULL JOIN (SELECT person AS id, max(cost) AS most FROM visits WHERE person IS NOT NULL GROUP BY person) v USING (id)'),
('SELECT count(*), count(DISTINCT id), count(p.born), count(m.fee), count(v.day) FROM people p FULL JOIN members m USING (id) FULL JOIN (SELECT person AS id, day FROM visits WHERE person IS NOT NULL) v USING (id)'),
('SELECT count(*) FROM (people p FULL JOIN members m USING (id)) JOIN visits v ON v.person = id WHERE born IS NULL OR fee IS NULL'),
('SELECT count(*) FROM people p FULL JOIN members m ON p.id = m.id JOIN visits v ON v.person = coalesce(p.id, m.id)'),
('SELECT count(*), count(fee) FROM visits v LEFT JOIN (people p FULL JOIN members m USING (id)) ON id = v.person WHERE v.person IS NOT NULL'),
('SELECT k.person, count(*) FROM people p FULL JOIN members m USING (id) JOIN kinds k ON k.kind = m.kind GROUP BY k.person'),
('SELECT k.kind, count(id) FROM kinds k LEFT JOIN (people p FULL JOIN members m USING (id)) ON k.kind = m.kind GROUP BY k.kind'),
('SELECT count(*) FROM (SELECT id, born, fee FROM people FULL JOIN members USING (id)) j WHERE born > 1990 OR fee = 1'),
('SELECT n, count(*) FROM (SELECT id, count(*) AS n FROM (people p FULL JOIN members m USING (id)) FULL JOIN (SELECT person AS id FROM visits WHERE person IS NOT NULL) v USING (id) GROUP BY id) g GROUP BY n'),
('SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY day) AS n FROM people FULL JOIN (SELECT person AS id, day FROM visits WHERE person IS NOT NULL) v USING (id)) w WHERE n = 2'),
('SELECT count(*) FROM (SELECT id FROM people FULL JOIN members USING (id) UNION ALL SELECT person FROM visits WHERE person IS NOT NULL) u'),
('SELECT count(*) FROM (SELECT person FROM visits WHERE person > 20 UNION SELECT id FROM people WHERE born < 1960) u FULL JOIN members m ON m.id = u.person WHERE coalesce(u.person, m.id) IS NOT NULL'),
('WITH a AS (SELECT id, born FROM people WHERE born > 1960), b AS (SELECT * FROM members WHERE fee > 2) SELECT count(*), count(born), count(fee) FROM a FULL OUTER JOIN b ON a.id = b.id'),
('SELECT count(*) FROM dear d FULL JOIN members m ON m.id = d.person WHERE coalesce(d.person, m.id) IS NOT NULL'),
('SELECT count(*), round(sum(least(s.cost, 40))) FROM spent s FULL JOIN members m ON m.id = s.person WHERE coalesce(s.person, m.id) IS NOT NULL'),
('SELECT count(*), count(x), count(y), count(DISTINCT code) FROM codes FULL JOIN more_codes USING (code)'),
('SELECT count(*) FROM people p FULL JOIN members m USING (id) WHERE EXISTS (SELECT FROM visits v WHERE v.person = id AND cost > 35)'),
('SELECT count(*) FROM people WHERE id IN (SELECT id FROM people p FULL JOIN members m USING (id) WHERE fee = 2 OR born = 1960)'),
('SELECT count(*) FROM (SELECT d.what, p.person FROM details d JOIN parts p USING (visit)) d FULL JOIN members m ON m.id = d.person'),
('SELECT count(*) FROM people p FULL JOIN members m ON p.id = m.id AND m.kind IN (SELECT kind FROM kinds WHERE kinds.person < 3)'),
('SELECT count(DISTINCT coalesce(p.id, m.id, v.person)), count(*) FROM people p FULL JOIN members m ON m.id = p.id FULL JOIN (SELECT person FROM visits WHERE person IS NOT NULL) v ON v.person = coalesce(p.id, m.id)'),
('SELECT count(*), count(city) FROM codes c FULL JOIN cities d ON d.code = c.code'),
('SELECT count(*), count(j.id), count(i.id) FROM (people p FULL JOIN members m USING (id)) AS j JOIN people i USING (id)'),
('SELECT count(*), count(i.id) FROM people p FULL JOIN members m USING (id) AS i'),
('SELECT m.id / 50 AS part, m.kind, count(*) FROM people p FULL JOIN members m USING (id) WHERE m.id IS NOT NULL GROUP BY m.id / 50, m.kind'),
('SELECT count(*), count(fee), count(y.n) FROM (SELECT person, n FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day, cost) AS n FROM visits) w WHERE n < 3) y FULL JOIN members m ON m.id = y.person WHERE coalesce(y.person, m.id) IS NOT NULL'),
('SELECT count(*) FROM people p FULL JOIN members m ON p.id = m.id AND (SELECT min(kinds.person) > 0 FROM kinds)'),
('SELECT count(*) FROM people p FULL JOIN members m ON p.id = m.id AND (SELECT min(kinds.person) FROM kinds) = 0'),
('SELECT count(*) FROM people p FULL JOIN members m ON p.id = m.id AND NULL'),
('SELECT count(*), count(k) FROM (SELECT v.person, k.person AS k FROM visits v JOIN kinds k USING (kind) WHERE v.person IS NOT NULL) v FULL JOIN calls c ON c.caller = v.person AND c.minutes = v.k WHERE coalesce(v.person, c.caller) IS NOT NULL'),
('SELECT count(*), count(p.id), count(v.person) FROM people p FULL JOIN visits v ON v.person = p.id AND EXISTS (SELECT FROM calls c WHERE c.caller = v.person AND c.minutes > 2) WHERE coalesce(p.id, v.person) IS NOT NULL'),
('SELECT count(*), count(m.id) FROM people p FULL JOIN members m ON m.id = p.id AND p.id NOT IN (SELECT person FROM visits WHERE cost > 20 AND person IS NOT NULL) AND m.id IN (SELECT caller FROM calls)'),
('WITH k AS (SELECT kind FROM kinds WHERE kinds.person < 3) SELECT count(*) FROM people p FULL JOIN members m ON p.id = m.id AND m.kind IN (SELECT kind FROM k)'),
('SELECT a.born / 10 AS decade, count(b.id) FROM people a FULL JOIN (SELECT id FROM people WHERE born > 1970) b ON a.id = b.id GROUP BY 1')) q (query);
RESET client_min_messages;

-- bounds: where both sides have a row for each unit and ON says nothing else, a unit has one; else those of the side that allows more, or of both
SET ROLE full_joins_analyst;
SET dp_agg.epsilon = 1;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM people p FULL JOIN members m USING (id);
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM people p FULL JOIN members m ON p.id = m.id AND fee > 3;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM people p FULL JOIN visits v ON p.id = v.person;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM calls c FULL JOIN visits v ON c.caller = v.person AND c.day = v.day;

-- keys and bounds that owners declare hold above the join
SELECT city, dp_count(*) IS NOT NULL AS some FROM codes c FULL JOIN cities d ON d.code = c.code GROUP BY city;
EXPLAIN (COSTS OFF) SELECT dp_sum(fee) FROM people p FULL JOIN members m USING (id);
-- the ledger tells both sides and what ties them
\o /dev/null
SELECT dp_count(*) FROM (SELECT id FROM people WHERE born > 1960) p FULL JOIN members m ON m.id = p.id WHERE fee IS NULL;
\o
RESET ROLE;
SELECT block->'relations' AS relations, block->'where' AS "where" FROM jsonb_array_elements((SELECT releases::jsonb FROM dp_agg.ledger ORDER BY id DESC LIMIT 1)) block;
SET ROLE full_joins_analyst;

-- a sample is of units, whichever side they are on
SET dp_agg.epsilon = 1e6;
SET dp_agg.sample_rate = 0.5;
SELECT dp_count(*) = dp_count(v.person) AS whole_units FROM (SELECT person FROM visits GROUP BY person) v FULL JOIN (SELECT person, count(*) AS n FROM visits GROUP BY person) w ON w.person = v.person;
SET dp_agg.sample_rate = 1;

-- kept answers: another kind of join, or another condition, is another question
SET dp_agg.kept_max_age = '1 day';
CREATE FUNCTION asked(rows text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	kept boolean;
BEGIN
	EXECUTE 'SELECT dp_count(*) FROM ' || rows;
	SELECT r.kept IS NOT NULL INTO kept FROM dp_agg.last_release() r;
	RETURN kept;
END $$;
SELECT rows, asked(rows) FROM (VALUES ('people p FULL JOIN members m ON m.id = p.id'), ('people p LEFT JOIN members m ON m.id = p.id'), ('people p JOIN members m ON m.id = p.id'), ('members m LEFT JOIN people p ON m.id = p.id'),
	('people p FULL JOIN members m ON p.id = m.id'), ('people a FULL JOIN members b USING (id)'), ('members m FULL JOIN people p ON m.id = p.id'), ('people p FULL JOIN members m ON p.id = m.id AND fee > 3'),
	('people p FULL JOIN members m ON p.id = m.id AND fee > 4'), ('people p FULL JOIN members m ON p.id = m.id WHERE fee > 3'), ('people p FULL JOIN (SELECT * FROM members WHERE fee > 3) m ON p.id = m.id'),
	('people p FULL JOIN (SELECT * FROM members WHERE fee > 4) m ON p.id = m.id'), ('(SELECT * FROM people WHERE born > 1960) p FULL JOIN members m ON p.id = m.id'),
	('people p FULL JOIN people m ON p.id = m.id'), ('people p FULL JOIN (SELECT id, fee, kind FROM members) m ON p.id = m.id')) q (rows);
SET dp_agg.kept_max_age = 0;

-- a join of several rows of each side keeps no more of them than dp_agg.max_join_rows
SET dp_agg.max_join_rows = 2;
SELECT dp_count(*), dp_count(v.person) AS v, dp_count(c.caller) AS c FROM visits v FULL JOIN calls c ON c.caller = v.person;
SET dp_agg.max_join_rows = 1;
SELECT dp_count(*) FROM visits v FULL JOIN calls c ON c.caller = v.person;
SELECT dp_count(*) FROM people p FULL JOIN visits v ON p.id = v.person;
SELECT dp_count(*) FROM (SELECT person, kind, count(*) FROM visits GROUP BY person, kind) v FULL JOIN (SELECT caller, kind FROM calls GROUP BY caller, kind) c ON v.person = c.caller AND v.kind = c.kind;
SELECT dp_count(*) FROM (SELECT person, kind, day FROM visits GROUP BY person, kind, day) v FULL JOIN (SELECT caller, kind, day FROM calls GROUP BY caller, kind, day) c ON v.person = c.caller AND v.kind = c.kind;
RESET dp_agg.max_join_rows;

-- no hash table of what the analyst may have chosen, in subqueries that show it either; and the join is PostgreSQL's own, not a star
RESET ROLE;
CREATE FUNCTION plan_below(query text) RETURNS text AS '$libdir/dp_validate_test', 'test_plan_below' LANGUAGE C;
SET ROLE full_joins_analyst;
CREATE TABLE mine (kind text PRIMARY KEY, n int);
INSERT INTO mine SELECT kind, person FROM kinds;
SELECT query, joins LIKE '%hash%' AS hashed, joins LIKE '%merge%' AS merged FROM (VALUES
('people p FULL JOIN members m USING (id)'),
('people p FULL JOIN members m ON m.id = p.id AND m.fee < p.born'),
('people p FULL JOIN (SELECT v.person, k.person AS n FROM visits v JOIN kinds k USING (kind)) v ON v.person = p.id AND v.n = p.born'),
('people p FULL JOIN (SELECT v.person, m.n FROM visits v JOIN mine m USING (kind)) v ON v.person = p.id AND v.n = p.born'),
('people p FULL JOIN (SELECT v.person FROM visits v JOIN mine m USING (kind) GROUP BY person) v ON v.person = p.id'),
('(SELECT v.person, m.n, count(*) FROM visits v JOIN mine m USING (kind) GROUP BY v.person, m.n) v JOIN people p ON p.id = v.person AND v.n = p.born'),
('(SELECT v.person, max(m.n) AS n FROM visits v JOIN mine m USING (kind) GROUP BY v.person) v JOIN people p ON p.id = v.person AND v.n = p.born'),
('(SELECT v.person, g, count(*) FROM visits v JOIN generate_series(1, 200) g ON g = v.cost GROUP BY v.person, g) v JOIN people p ON p.id = v.person AND v.g = p.born'),
('(SELECT person, n FROM visits v JOIN mine m USING (kind) UNION ALL SELECT id, fee FROM members) v JOIN people p ON p.id = v.person AND v.n = p.born')) q (query),
	plan_below('SELECT dp_count(*) FROM ' || query) AS j (joins);
DROP TABLE mine;

-- refused
SELECT dp_count(*) FROM visits v FULL JOIN calls c ON c.day = v.day;
\echo :SQLSTATE
SELECT dp_count(*) FROM visits v FULL JOIN calls c ON c.caller = v.person OR c.day = v.day;
SELECT dp_count(*) FROM visits v FULL JOIN calls c ON c.caller = v.person + 1;
SELECT dp_count(*) FROM visits v FULL JOIN calls c ON c.caller = v.cost;
SELECT dp_count(*) FROM visits a FULL JOIN visits b ON a.person = b.cost AND a.cost = b.person;
SELECT dp_count(*) FROM visits v FULL JOIN elsewhere e USING (person);
SELECT dp_count(*) FROM visits v FULL JOIN kinds k USING (kind);
\echo :SQLSTATE
SELECT dp_count(*) FROM kinds k FULL JOIN visits v ON k.person = v.person;
SELECT dp_count(*) FROM visits v FULL JOIN generate_series(1, 5) g ON g = v.person;
SELECT dp_count(*) FROM visits v FULL JOIN (VALUES (1), (2)) g (person) USING (person);
SELECT dp_count(*) FROM visits v FULL JOIN (SELECT dp_count(*) AS person FROM calls) c USING (person);
SELECT dp_count(*) FROM (people p JOIN visits v ON v.person = p.id) FULL JOIN members m ON m.id = p.id;
SELECT dp_count(*) FROM details d FULL JOIN parts p USING (visit);
SELECT dp_count(*) FROM details d FULL JOIN parts p ON d.visit = p.person;
SELECT dp_count(*) FROM people p FULL JOIN (SELECT id % 10 AS id FROM members) m USING (id);
SELECT dp_count(*) FROM people p FULL JOIN (SELECT fee FROM members) m ON m.fee = p.id;
SELECT dp_count(*) FROM people p FULL JOIN (SELECT id::numeric AS id FROM members) m USING (id);
SELECT dp_count(*) FROM codes c FULL JOIN names n ON n.name = c.code;
SELECT dp_count(*) FROM more_codes c FULL JOIN names n ON n.name = c.code;
SELECT dp_count(*) FROM people p FULL JOIN members m USING (id) JOIN visits v ON v.person = p.id + 0;
SELECT dp_count(*) FROM people p FULL JOIN members m USING (id) JOIN visits v ON v.person = p.id;
SELECT dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id AND v.secret = 1;
SELECT dp_count(secret) FROM people p FULL JOIN visits v ON v.person = p.id;
SELECT dp_count(p) FROM people p FULL JOIN visits v ON v.person = p.id;
SELECT dp_count(p.ctid) FROM people p FULL JOIN visits v ON v.person = p.id;
SELECT dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id AND random() < 0.5;
SELECT dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id AND EXISTS (SELECT FROM calls c WHERE c.caller = v.person AND c.minutes < p.born);
SELECT dp_count(*) FROM people p FULL JOIN (SELECT v.person, k.person AS n FROM visits v JOIN kinds k USING (kind)) v ON v.person = p.id AND v.n > p.born;
-- what a lateral full join computes is refused as a key where it multiplies rows, too
SELECT s.born, dp_count(*) FROM people p LEFT JOIN LATERAL (SELECT * FROM (SELECT COALESCE(l.id, r.id) AS id, COALESCE(l.born, r.born) AS born
	FROM people l FULL JOIN people r ON r.id = l.id AND l.born IS NULL) f WHERE f.id = p.id) s ON true GROUP BY s.born;
-- keys that are declared hold for columns of a side, and of what a left join reads by itself
SELECT city, dp_count(*) FROM (SELECT c.* FROM cities c JOIN codes USING (code)) c FULL JOIN more_codes d USING (code) GROUP BY city ORDER BY city;
SELECT d.city, dp_count(*) FROM codes c LEFT JOIN cities d ON d.code = c.code AND d.code IN (SELECT code FROM more_codes) GROUP BY d.city ORDER BY d.city;
-- what is not used is not looked at; what public rows choose may still be joined by equalities
SELECT dp_count(*) BETWEEN 660 AND 740 FROM people p FULL JOIN visits v ON v.person = p.id;
SELECT dp_count(*) BETWEEN 660 AND 740 FROM people p FULL JOIN (SELECT v.person, k.person AS n FROM visits v JOIN kinds k USING (kind)) v ON v.person = p.id;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA full_joins CASCADE;
DROP OWNED BY full_joins_analyst;
DROP EXTENSION dp_agg;
DROP ROLE full_joins_analyst;
