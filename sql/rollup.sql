--
-- rollup: kept answers that are added up, and aggregates in any order
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE rollup_ann;
CREATE ROLE rollup_bob;
CREATE SCHEMA rollup;
SET search_path = rollup, public;
CREATE TYPE mood AS ENUM ('bad', 'good', 'best');
CREATE TABLE people (id int PRIMARY KEY, city text, mood mood, active bool NOT NULL, age int, income numeric, score float8, level bigint, born date, seen timestamptz);
CREATE TABLE visits (person int NOT NULL, mood mood, paid bool NOT NULL, cost int);
CREATE TABLE towns (name text PRIMARY KEY, big bool);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Bremen', 'Celle', 'Dresden', NULL])[1 + i % 5], (ARRAY['bad', 'good', 'best', NULL]::mood[])[1 + i / 7 % 4],
	i % 3 = 0, CASE WHEN i % 11 > 0 THEN i % 90 END, i % 1000 / 4.0, sqrt(i), i % 4, date '1960-01-01' + i * 3 % 1000, timestamptz '2024-02-01 00:00+00' + i * interval '7 min' FROM generate_series(1, 2000) i;
INSERT INTO visits SELECT i % 700, (ARRAY['bad', 'good', 'best', NULL]::mood[])[1 + i % 4], i % 5 < 2, i % 17 FROM generate_series(1, 4000) i;
INSERT INTO towns VALUES ('Aachen', true), ('Bremen', true), ('Celle', false);
CREATE VIEW grown AS SELECT id AS person, city AS town, mood, active, income FROM people WHERE age > 30;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 3, max_groups => 2),
	dp_agg.set_domain('people', 'city', ARRAY['Aachen', 'Bremen', 'Celle', 'Essen']), dp_agg.set_domain('people', 'level', ARRAY[0, 1, 2]::bigint[]);
GRANT USAGE ON SCHEMA rollup TO rollup_ann, rollup_bob;
GRANT SELECT ON grown, towns TO rollup_ann, rollup_bob;
SELECT dp_agg.set_budget('rollup_ann', 1e12, 0.1), dp_agg.set_budget('rollup_bob', 1e12, 0.1);

-- A statement as a role: its rows as text, and what is said of its answer.
CREATE FUNCTION ask(query text, OUT rows text, OUT note text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO rows;
	SELECT string_agg(DISTINCT coalesce(regexp_replace(kept, 'since .*, no', 'since TIME, no'), 'drawn'), '; ') INTO note FROM dp_agg.last_release();
END $$;
-- Ask a finer and then a coarser question, and that once more with noise of its own.
CREATE PROCEDURE try(finer text, asked text, first text, later text, INOUT note text, INOUT same text) LANGUAGE plpgsql AS $$
DECLARE
	added text;
	drawn text;
	again text;
BEGIN
	PERFORM dp_agg.forget_kept();
	COMMIT;
	PERFORM set_config('dp_agg.kept_max_age', '1 day', true), set_config('dp_agg.kept_rollup', '1000', true), set_config('role', 'rollup_ann', true);
	PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM string_to_table(first, ';') s WHERE s <> '';
	PERFORM ask(finer);
	PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM string_to_table(later, ';') s WHERE s <> '';
	SELECT * INTO added, note FROM ask(asked);
	SELECT a.rows INTO again FROM ask(asked) a;
	PERFORM set_config('dp_agg.kept_max_age', '0', true);
	SELECT a.rows INTO drawn FROM ask(asked) a;
	COMMIT;
	same := CASE WHEN note NOT LIKE 'added%' THEN '' WHEN again IS DISTINCT FROM added THEN 'not the same again: ' || again
		WHEN added = drawn THEN 'same' ELSE added || ' instead of ' || drawn END;
END $$;

-- With so little noise that nothing is left of it, sums are what would be drawn; the number is that of groups added up.
SET dp_agg.epsilon = 1000000;
SET dp_agg.kept_rollup = 1000;
CREATE TABLE cases (n int GENERATED ALWAYS AS IDENTITY, finer text, asked text, groups text, first text DEFAULT '', later text DEFAULT '', note text, same text);
\set measures 'dp_count(*) AS n, dp_count(age) AS ages, dp_count(DISTINCT id) AS people, dp_sum(age, 0, 100) AS age, CASE WHEN dp_count(*) > 1 THEN round(dp_avg(income, 0, 250) - 0.0137, 1) END AS income, round(dp_sum(score, 1, 40)::numeric, -1) AS score'
COPY cases (finer, asked, groups) FROM stdin (DELIMITER '|');
city, mood, active|SELECT city, % FROM people GROUP BY city|32
city, mood, active|SELECT active, mood, % FROM people WHERE city = 'Aachen' GROUP BY active, mood|8
city, mood, active|SELECT active, city, mood, % FROM people GROUP BY active, city, mood HAVING dp_count(*) > 10|32
city, mood, active|SELECT mood, % FROM people GROUP BY mood|drawn
city, mood, active|SELECT % FROM people|drawn
city, mood, active|SELECT % FROM people WHERE city IN ('Aachen', 'Celle')|drawn
city, mood, active|SELECT % FROM people WHERE 'Celle' = city AND active|4
city, mood, active|SELECT % FROM people WHERE city IN ('Aachen', 'Dresden')|drawn
city, mood, active|SELECT % FROM people WHERE city = 'Dresden'|drawn
city, mood, active|SELECT % FROM people WHERE city = 'Essen' AND mood IS NOT NULL|6
city, mood, active|SELECT % FROM people WHERE city > 'B'|drawn
city, mood, active|SELECT % FROM people WHERE city > 'B' AND city IN ('Aachen', 'Celle')|drawn
city, mood, active|SELECT % FROM people WHERE city = 'Aachen' OR city = 'Celle'|drawn
city, mood, active|SELECT % FROM people WHERE city IS NULL|drawn
city, mood, active|SELECT city, % FROM people WHERE city > 'B' GROUP BY city|24
city, mood, active|SELECT city, % FROM people WHERE city BETWEEN 'B' AND 'D' GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE city LIKE 'A_____' OR upper(city) = 'CELLE' GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE mood >= 'good' GROUP BY city|16
city, mood, active|SELECT city, % FROM people WHERE mood IS NULL GROUP BY city|8
city, mood, active|SELECT city, mood, % FROM people WHERE mood IS NOT NULL GROUP BY city, mood|24
city, mood, active|SELECT city, mood, % FROM people WHERE mood = 'best' GROUP BY city, mood|8
city, mood, active|SELECT city, % FROM people WHERE (mood = 'good' OR mood IS NULL) AND NOT active GROUP BY city|8
city, mood, active|SELECT city, % FROM people WHERE CASE mood WHEN 'good' THEN true WHEN 'bad' THEN NULL ELSE false END GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE mood = 'good' OR active GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE age > 30 GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE mood = 'good' AND age IS NOT NULL GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE mood = 'bad' AND mood = 'good' GROUP BY city|drawn
city, mood, active|SELECT city, % FROM people WHERE 1 / (length(city) - 6) > 0 GROUP BY city|drawn
city, mood, active|SELECT p.city, % FROM people p, towns t WHERE t.name = p.city GROUP BY p.city|drawn
city, mood, active|SELECT upper(city), % FROM people GROUP BY upper(city)|drawn
city, mood, active|SELECT city, dp_sum(age, 0, 99) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_sum(age + 0, 0, 100) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_sum(age::bigint, 0, 100) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_avg(age, 0, 100) IS NULL FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_count(mood) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_count(*), dp_median(age, 0, 100) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_interval(dp_count(*)) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_interval(dp_avg(income, 0, 250)) IS NULL FROM people GROUP BY city|drawn
city, mood, active|SELECT city, dp_count(*) FILTER (WHERE active) FROM people GROUP BY city|drawn
city, mood, active|SELECT city, count(*) FROM people GROUP BY city|32
city, mood, active|SELECT a.n + b.n FROM (SELECT dp_count(*) AS n FROM people WHERE city = 'Aachen') a, (SELECT dp_count(*) AS n FROM people WHERE city = 'Bremen' AND active) b|4 groups kept since TIME, no charge; added up from 8
mood, active|SELECT %, 1 AS one FROM people|8
mood, active|SELECT % FROM people WHERE mood < 'best' AND mood > 'bad'|2
mood, active|SELECT city, % FROM people GROUP BY city|drawn
mood, active|SELECT mood, city, % FROM people WHERE city = 'Aachen' GROUP BY mood, city|drawn
mood|SELECT % FROM people WHERE active|drawn
level, active|SELECT % FROM people WHERE level = 2|2
level, active|SELECT % FROM people WHERE level IN (2, 1)|4
level, active|SELECT % FROM people WHERE level IN (2, 3)|drawn
level, active|SELECT % FROM people WHERE level < 2|drawn
level, active|SELECT level, % FROM people WHERE level < 2 GROUP BY level|4
level, active|SELECT level, % FROM people WHERE mod(level, 2) = 0 GROUP BY level|4
\.
UPDATE cases SET finer = 'SELECT ' || finer || ', % FROM people GROUP BY ' || finer;
COPY cases (finer, asked, groups) FROM stdin (DELIMITER '|');
SELECT city, mood, active, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city, mood, active|SELECT dp_count(*), dp_sum(age, 0, 100) FROM people WHERE city IN ('Aachen', 'Celle')|16
SELECT city, mood, active, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city, mood, active|SELECT dp_count(*), dp_sum(age, 0, 100) FROM people WHERE city > 'B' AND city IN ('Aachen', 'Celle')|8
SELECT city, mood, active, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city, mood, active|SELECT city, dp_count(*), dp_sum(age, 0, 100) FROM people WHERE city BETWEEN 'B' AND 'D' GROUP BY city|16
SELECT city, mood, active, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city, mood, active|SELECT city, dp_count(*), dp_sum(age, 0, 100) FROM people WHERE city LIKE 'A_____' OR upper(city) = 'CELLE' GROUP BY city|16
SELECT city, active, % FROM people WHERE age > 30 AND income < 200 GROUP BY city, active|SELECT city, % FROM people WHERE income < 200 AND active AND 30 < age GROUP BY city|4
SELECT city, active, % FROM people WHERE age > 30 AND income < 200 GROUP BY city, active|SELECT city, % FROM people WHERE age > 30 GROUP BY city|drawn
SELECT city, active, % FROM people WHERE age > 30 AND income < 200 GROUP BY city, active|SELECT city, % FROM people WHERE age > 30 AND income < 201 GROUP BY city|drawn
SELECT city, mood, % FROM people WHERE mood IS NOT NULL GROUP BY city, mood|SELECT city, % FROM people WHERE mood IS NOT NULL GROUP BY city|12
SELECT city, mood, % FROM people WHERE mood IS NOT NULL GROUP BY city, mood|SELECT city, % FROM people WHERE mood = 'bad' GROUP BY city|drawn
SELECT town, mood, active, dp_count(*), dp_sum(income, 0, 250) FROM grown GROUP BY town, mood, active|SELECT city, round(dp_sum(income, 0, 250), -1) FROM people WHERE age > 30 AND mood = 'bad' GROUP BY city|8
SELECT mood, big, dp_count(*) FROM people, towns WHERE name = city AND big IS NOT NULL GROUP BY mood, big|SELECT dp_count(*) FROM towns JOIN people p ON p.city = name WHERE big AND big IS NOT NULL|4
SELECT mood, big, dp_count(*) FROM people LEFT JOIN towns ON name = city GROUP BY mood, big|SELECT big, dp_count(*) FROM people LEFT JOIN towns ON city = name GROUP BY big|12
SELECT mood, big, dp_count(*) FROM people LEFT JOIN towns ON name = city GROUP BY mood, big|SELECT big, dp_count(*) FROM people JOIN towns ON city = name GROUP BY big|drawn
SELECT a.mood, a.active, dp_count(*) FROM people a JOIN people b USING (id) GROUP BY a.mood, a.active|SELECT a.mood, dp_count(*) FROM people a JOIN people b USING (id) GROUP BY a.mood|drawn
SELECT mood, age > 40 AS older, dp_count(*) FROM people GROUP BY mood, age > 40|SELECT age > 40, dp_count(*) FROM people WHERE mood IS DISTINCT FROM 'bad' GROUP BY 1|9
SELECT mood, age > 40 AS older, dp_count(*) FROM people GROUP BY mood, age > 40|SELECT mood, dp_count(*) FROM people WHERE age > 40 GROUP BY mood|4
SELECT mood, age > 40 AS older, dp_count(*) FROM people GROUP BY mood, age > 40|SELECT mood, dp_count(*) FROM people WHERE NOT age > 40 GROUP BY mood|drawn
SELECT mood, age > 40 AS older, dp_count(*) FROM people GROUP BY mood, age > 40|SELECT mood, dp_count(*) FROM people WHERE age > 41 GROUP BY mood|drawn
SELECT age, dp_count(*) FROM people GROUP BY age|SELECT dp_count(*) FROM people WHERE age = 5|drawn
SELECT big, dp_count(*), dp_count(DISTINCT id) FROM people JOIN towns ON name = city GROUP BY big|SELECT dp_count(DISTINCT id) FROM people JOIN towns ON name = city|3
SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 9) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 40|4
TABLE ages|SELECT dp_count(*) FROM people WHERE age >= 20 AND age < 40|2
TABLE ages|SELECT count(*) FROM people WHERE age BETWEEN 20 AND 39|2
TABLE ages|SELECT dp_count(1) FROM people WHERE 40 > age AND 19::bigint < age|2
TABLE ages|SELECT dp_count(*) FROM people WHERE age >= 20|7
TABLE ages|SELECT dp_count(*) FROM people WHERE age IS NOT NULL|9
TABLE ages|SELECT dp_count(*) FROM people WHERE age IS NOT NULL AND age <= 9|1
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 45|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age >= 0|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 90|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age = 20|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age <> 20|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age IS NULL|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 40.5|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 40::float8|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age + 1 < 41|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 40 AND active|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 40 AND age > level|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE age < 20 OR age >= 80|drawn
TABLE ages|SELECT dp_count(*) FROM people WHERE NOT age < 20|7
TABLE ages|SELECT dp_count(age) FROM people WHERE age < 40|drawn
TABLE ages|SELECT dp_count(DISTINCT id) FROM people WHERE age < 40|drawn
TABLE ages|SELECT bin, lower, upper, n FROM dp_histogram('people', 'age', 0, 90, 3) h (bin, lower, upper, n)|9
TABLE ages|SELECT bin, n FROM dp_histogram('people', 'age', 30, 60, 3) h (bin, lower, upper, n)|9
TABLE ages|SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 2) h (bin, lower, upper, n)|drawn
TABLE ages|SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 18) h (bin, lower, upper, n)|drawn
TABLE ages|SELECT bin, n FROM dp_histogram('people', 'level', 0, 90, 3) h (bin, lower, upper, n)|drawn
TABLE ages|SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 3, filter => 'age < 40') h (bin, lower, upper, n)|4
TABLE ages|SELECT dp_agg.bucket(age, 0, 90, 3), dp_count(*) FROM people WHERE age < 40 GROUP BY 1|4
SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 90, filter => 'active') h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE active AND age = 33|1
SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 90, filter => 'active') h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE active AND age > 33 AND age < 20|drawn
SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 90, filter => 'active') h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE age = 33|drawn
SELECT bin, n FROM dp_histogram('people', 'score', 0, 50, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score >= 10 AND score < 20|2
SELECT bin, n FROM dp_histogram('people', 'score', 0, 50, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score < 20|4
SELECT bin, n FROM dp_histogram('people', 'score', 0, 50, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score >= 20|drawn
SELECT bin, n FROM dp_histogram('people', 'score', 0, 50, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score IS NOT NULL|drawn
SELECT bin, n FROM dp_histogram('people', 'score', 0, 50, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score <= 20|drawn
SELECT bin, n FROM dp_histogram('people', 'score', 0, 50, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score < 'NaN'|drawn
SELECT bin, n FROM dp_histogram('people', 'score', -50, 50, 20) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE score >= -0.0::float8 AND score < 5|drawn
SELECT bin, n FROM dp_histogram('people', 'level', 0, 4, 4) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE level >= 2|2
SELECT bin, n FROM dp_histogram('people', 'income', 0, 250, 10) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE income < 100|drawn
SELECT bin, n FROM dp_histogram('people', 'born', date '1960-01-01', date '1963-01-01', 1096) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE born >= '1960-02-01' AND born < '1960-03-01'|29
SELECT bin, n FROM dp_histogram('people', 'born', date '1960-01-01', date '1963-01-01', 1096) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE born >= '1960-02-01'::timestamp AND born < '1960-03-01'|drawn
SELECT bin, n FROM dp_histogram('people', 'seen', timestamptz '2024-02-01 00:00+00', timestamptz '2024-02-15 00:00+00', 14) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE seen >= '2024-02-03 00:00+00' AND seen < '2024-02-05 01:00+01'|2
SELECT bin, n FROM dp_histogram('people', 'seen', timestamptz '2024-02-01 00:00+00', timestamptz '2024-02-15 00:00+00', 14) h (bin, lower, upper, n)|SELECT dp_count(*) FROM people WHERE seen <= '2024-02-02 23:59:59.999999+00'|2
TABLE years|SELECT dp_count(*) FROM people WHERE age < 40|4
TABLE years|SELECT dp_count(*) FROM people WHERE age <= 42|7
TABLE years|SELECT dp_count(*) FROM people WHERE age BETWEEN 18 AND 65|12
TABLE years|SELECT dp_count(*) FROM people WHERE age IS NOT NULL|1
TABLE years|SELECT dp_count(*) FROM people WHERE age = 17|1
TABLE years|SELECT dp_count(*) FROM people|drawn
TABLE years|SELECT bin, lower, upper, n FROM dp_histogram('people', 'age', 0, 90, 9) h (bin, lower, upper, n)|9
TABLE years|SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 90) h (bin, lower, upper, n)|90
TABLE years|SELECT bin, round(n) AS n FROM dp_cumulative('people', 'age', 0, 90, 9) h (bin, lower, upper, n)|drawn
SELECT bin, n FROM dp_histogram('visits', 'cost', 0, 17, 17) h (bin, lower, upper, n)|SELECT dp_count(*) FROM visits WHERE cost = 3|drawn
SELECT paid, dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9), dp_avg(cost, 0, 9) FROM visits GROUP BY paid|SELECT dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9) FROM visits WHERE paid|1
SELECT paid, dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9), dp_avg(cost, 0, 9) FROM visits GROUP BY paid|SELECT CASE WHEN paid THEN round(dp_avg(cost, 0, 9)::numeric, 2) END FROM visits WHERE paid GROUP BY paid|1
SELECT paid, dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9) FROM visits GROUP BY paid|SELECT paid, dp_count(*), dp_sum(cost, 0, 9) FROM visits WHERE NOT paid GROUP BY paid|1
SELECT paid, dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9) FROM visits GROUP BY paid|SELECT dp_count(*) FROM visits|drawn
SELECT paid, dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9) FROM visits GROUP BY paid|SELECT dp_count(DISTINCT person) FROM visits|drawn
SELECT mood, dp_count(*) FROM visits GROUP BY mood|SELECT dp_count(*) FROM visits WHERE mood = 'good'|drawn
\.
COPY cases (finer, asked, groups, first, later) FROM stdin (DELIMITER '|');
SELECT mood, dp_count(*) FROM visits GROUP BY mood|SELECT dp_count(*) FROM visits WHERE mood = 'good'|1|dp_agg.max_groups=4|
SELECT mood, paid, dp_count(*) FROM visits GROUP BY mood, paid|SELECT mood, dp_count(*) FROM visits WHERE paid GROUP BY mood|4|dp_agg.max_groups=8|
SELECT mood, paid, dp_count(*) FROM visits GROUP BY mood, paid|SELECT mood, dp_count(*) FROM visits WHERE paid GROUP BY mood|drawn|dp_agg.max_groups=8|dp_agg.max_groups=3
SELECT mood, paid, dp_count(*) FROM visits GROUP BY mood, paid|SELECT mood, dp_count(*) FROM visits WHERE paid GROUP BY mood|drawn|dp_agg.max_groups=7|dp_agg.max_groups=8
SELECT mood, paid, dp_count(*) FROM visits GROUP BY mood, paid|SELECT mood, dp_count(*) FROM visits GROUP BY mood|drawn|dp_agg.max_groups=8|
SELECT bin, n FROM dp_histogram('visits', 'cost', 0, 17, 17) h (bin, lower, upper, n)|SELECT dp_count(*) FROM visits WHERE cost = 3|1|dp_agg.max_groups=17|
SELECT bin, n FROM dp_histogram('visits', 'cost', 0, 17, 17) h (bin, lower, upper, n)|SELECT dp_count(*) FROM visits WHERE cost < 3|drawn|dp_agg.max_groups=17|
SELECT bin, round(n) FROM dp_cumulative('visits', 'cost', 0, 17, 17) h (bin, lower, upper, n)|SELECT dp_count(*) FROM visits WHERE cost = 3|drawn|dp_agg.max_groups=17|
SELECT paid, dp_count(*) FROM visits GROUP BY paid|SELECT dp_count(*) FROM visits WHERE paid|drawn||dp_agg.max_rows=2
SELECT paid, dp_count(*) FROM visits GROUP BY paid|SELECT dp_count(DISTINCT person) FROM visits WHERE paid|drawn||
SELECT mood, active, dp_count(*) FROM people GROUP BY mood, active|SELECT dp_count(*) FROM people WHERE dp_agg_none IS NULL|error||
SELECT mood, active, % FROM people GROUP BY mood, active|SELECT mood, % FROM people GROUP BY mood|8|dp_agg.mechanism=gaussian|
SELECT mood, active, % FROM people GROUP BY mood, active|SELECT mood, dp_count(*), dp_sum(age, 0, 100), round(dp_sum(score, 1, 40)::numeric, -1) FROM people GROUP BY mood|drawn|dp_agg.mechanism=gaussian|dp_agg.mechanism=laplace
SELECT mood, active, % FROM people GROUP BY mood, active|SELECT mood, dp_count(*), dp_sum(age, 0, 100), round(dp_sum(score, 1, 40)::numeric, -1) FROM people GROUP BY mood|8|dp_agg.mechanism=laplace|dp_agg.mechanism=gaussian
SELECT mood, active, % FROM people GROUP BY mood, active|SELECT mood, round(dp_avg(income, 0, 250) - 0.0137, 1) FROM people GROUP BY mood|drawn|dp_agg.mechanism=gaussian|dp_agg.mechanism=laplace
SELECT mood, active, % FROM people GROUP BY mood, active|SELECT mood, round(dp_sum(score, 1, 40)::numeric, -1) FROM people GROUP BY mood|8|dp_agg.epsilon=100000|dp_agg.epsilon=1000000
SELECT mood, active, % FROM people GROUP BY mood, active|SELECT mood, round(dp_sum(score, 1, 40)::numeric, -1) FROM people GROUP BY mood|8|dp_agg.epsilon=1000000|dp_agg.epsilon=100000
SELECT mood, active, dp_count(*) FROM people GROUP BY mood, active|SELECT mood, dp_count(*) FROM people GROUP BY mood|drawn|dp_agg.sample_rate=0.5|
SELECT mood, active, dp_count(*) FROM people GROUP BY mood, active|SELECT mood, dp_count(*) FROM people GROUP BY mood|drawn||dp_agg.sample_rate=0.999999
SELECT mood, active, dp_count(*) FROM people GROUP BY mood, active|SELECT mood, dp_count(*) FROM people GROUP BY mood|drawn||dp_agg.kept_rollup=0
SELECT mood, active, dp_count(*) FROM people GROUP BY mood, active|SELECT mood, dp_count(*) FROM people GROUP BY mood|drawn||dp_agg.kept_max_age=0
\.
DELETE FROM cases WHERE groups = 'error';
UPDATE cases SET finer = replace(replace(replace(finer, '%', :'measures'), 'TABLE ages', $$SELECT bin, n FROM dp_histogram('people', 'age', 0, 90, 9) h (bin, lower, upper, n)$$),
	'TABLE years', $$SELECT bin, round(n) FROM dp_cumulative('people', 'age', 0, 90, 90) h (bin, lower, upper, n)$$), asked = replace(asked, '%', :'measures');
DO $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT * FROM cases ORDER BY n LOOP
		CALL try(c.finer, c.asked, c.first, c.later, c.note, c.same);
		UPDATE cases SET note = c.note, same = c.same WHERE n = c.n;
	END LOOP;
END $$;
SELECT n, regexp_replace(asked, 'dp_count.* AS score', '%') AS asked, groups, note, same FROM cases
	WHERE note IS DISTINCT FROM CASE groups WHEN 'drawn' THEN groups ELSE 'added up from ' || groups || CASE groups WHEN '1' THEN ' group' ELSE ' groups' END || ' kept since TIME, no charge' END
		OR same IS DISTINCT FROM CASE groups WHEN 'drawn' THEN '' ELSE 'same' END ORDER BY n;

-- Questions at random: what is added up is what would be drawn.
CREATE TABLE parts (key text, expr text, conditions text[]);
INSERT INTO parts VALUES
	('city', 'city', ARRAY['city = ''Aachen''', 'city IN (''Aachen'', ''Celle'')', 'city <> ''Aachen''', 'city > ''B''', 'city IS NOT NULL', 'length(city) > 5', 'city IN (''Bremen'', ''Dresden'')', 'coalesce(city, ''Aachen'') = ''Aachen''']),
	('mood', 'mood', ARRAY['mood = ''good''', 'mood IS NULL', 'mood IS NOT NULL', 'mood > ''bad''', 'mood IN (''bad'', ''best'')', 'mood IS DISTINCT FROM ''good''', 'NOT mood = ''bad''', 'coalesce(mood, ''bad'') = ''bad''']),
	('active', 'active', ARRAY['active', 'NOT active', 'active IS NOT NULL']),
	('level', 'level', ARRAY['level = 1', 'level IN (0, 2)', 'level < 2', 'level = 3', 'level + 1 = 2', 'level IS NOT NULL', 'level IN (0, 1, 2, 3)']),
	('old', 'age > 40', ARRAY['age > 40', '(age > 40) IS NULL', 'age > 40 IS NOT FALSE', 'age <= 40']),
	('', '', ARRAY['age > 10', 'income < 150', 'score > 5']);
CREATE FUNCTION question(keys text[], wanted text[]) RETURNS text LANGUAGE sql AS $$
	SELECT concat('SELECT dp_count(*) AS n, dp_sum(age, 0, 50) AS age', string_agg(', ' || expr || ' AS ' || key, '' ORDER BY key), ' FROM people',
		' WHERE ' || nullif(array_to_string(wanted, ' AND '), ''), ' GROUP BY ' || string_agg(expr, ', ' ORDER BY key)) FROM parts WHERE key = ANY (keys) $$;
CREATE FUNCTION pick(share float8, keys text[]) RETURNS text[] LANGUAGE sql VOLATILE AS $$
	SELECT array_agg(conditions[1 + floor(random() * cardinality(conditions))]) FROM parts WHERE key = ANY (keys) AND random() < share $$;
SELECT setseed(0.26);
DO $$
DECLARE
	finer text[];
	finer_conditions text[];
	asked text[];
	conditions text[];
	c record;
BEGIN
	DELETE FROM cases;
	FOR i IN 1 .. 200 LOOP
		finer := ARRAY(SELECT key FROM parts WHERE key <> '' ORDER BY random() LIMIT 1 + i % 3);
		finer_conditions := pick(0.15, ARRAY['', 'city', 'mood', 'active', 'level', 'old']);
		asked := ARRAY(SELECT k FROM unnest(finer) k WHERE random() < 0.5);
		conditions := pick(0.5, finer) || finer_conditions || pick(0.1, ARRAY['', 'city', 'mood']);
		INSERT INTO cases (finer, asked, groups) VALUES (question(finer, finer_conditions), question(asked, conditions), '');
	END LOOP;
	FOR c IN SELECT * FROM cases ORDER BY n LOOP
		CALL try(c.finer, c.asked, c.first, c.later, c.note, c.same);
		UPDATE cases SET note = c.note, same = c.same WHERE n = c.n;
	END LOOP;
END $$;
SELECT finer, asked, note, same FROM cases WHERE same NOT IN ('same', '') OR note !~ '^(added|kept since|drawn)' ORDER BY n;
SELECT count(*) FILTER (WHERE same = 'same') > 30 AS many_added, count(*) FILTER (WHERE note = 'drawn') > 30 AS many_drawn FROM cases;

-- Ranges and coarser buckets at random, of buckets and of trees of counts over them.
CREATE TABLE scales (col text, type text, first float8, last float8);
INSERT INTO scales VALUES ('age', 'int', -3, 95), ('level', 'bigint', -1, 5), ('score', 'float8', 0, 46), ('born', 'date', 0, 1001);
CREATE FUNCTION literal(type text, x float8) RETURNS text LANGUAGE sql AS $$
	SELECT CASE type WHEN 'date' THEN format('date %L', date '1960-01-01' + round(x)::int) WHEN 'float8' THEN format('%L::float8', x) ELSE round(x)::text END $$;
CREATE FUNCTION bound(type text, x float8) RETURNS text LANGUAGE sql AS $$ SELECT CASE type WHEN 'date' THEN literal(type, x) ELSE round(x)::text END $$;
DO $$
DECLARE
	s scales;
	low float8;
	high float8;
	bins int;
	source text;
	edge float8[];
	asked text;
	c record;
BEGIN
	DELETE FROM cases;
	FOR i IN 1 .. 240 LOOP
		SELECT * INTO s FROM scales ORDER BY random() LIMIT 1;
		low := round(s.first + random() * (s.last - s.first) / 3);
		bins := 1 + floor(random() * 40);
		high := low + CASE WHEN random() < 0.7 THEN bins * (1 + floor(random() * 3)) ELSE 1 + round(random() * 60) END;
		source := format('(''people'', %L, %s, %s, %%s)', s.col, bound(s.type, low), bound(s.type, high));
		-- edges, or thereabouts
		SELECT array_agg(low + floor(random() * (bins + 1)) * (high - low) / bins + CASE WHEN random() < 0.2 THEN floor(random() * 3) - 1 ELSE 0 END ORDER BY n) INTO edge FROM generate_series(1, 2) n;
		asked := CASE i % 8 WHEN 0 THEN format('%s < %s', s.col, literal(s.type, edge[1])) WHEN 1 THEN format('%s >= %s', s.col, literal(s.type, edge[1]))
			WHEN 2 THEN format('%s <= %s', s.col, literal(s.type, edge[1])) WHEN 3 THEN format('%s > %s', s.col, literal(s.type, edge[1]))
			WHEN 4 THEN format('%s BETWEEN %s AND %s', s.col, literal(s.type, least(edge[1], edge[2])), literal(s.type, greatest(edge[1], edge[2])))
			WHEN 5 THEN format('%s >= %s AND %1$s < %s', s.col, literal(s.type, least(edge[1], edge[2])), literal(s.type, greatest(edge[1], edge[2])))
			WHEN 6 THEN format('%s = %s', s.col, literal(s.type, edge[1])) ELSE '' END;
		asked := CASE asked WHEN '' THEN format('SELECT bin, n FROM dp_histogram' || source || ' h (bin, lower, upper, n)', greatest(bins / (1 + floor(random() * 4))::int, 1)) ELSE 'SELECT dp_count(*) FROM people WHERE ' || asked END;
		INSERT INTO cases (finer, asked, groups) VALUES (format('SELECT bin, round(n) FROM dp_' || CASE WHEN random() < 0.5 THEN 'histogram' ELSE 'cumulative' END || source || ' h (bin, lower, upper, n)', bins), asked, '');
	END LOOP;
	FOR c IN SELECT * FROM cases ORDER BY n LOOP
		CALL try(c.finer, c.asked, c.first, c.later, c.note, c.same);
		UPDATE cases SET note = c.note, same = c.same WHERE n = c.n;
	END LOOP;
END $$;
SELECT finer, asked, note, same FROM cases WHERE same NOT IN ('same', '') OR note !~ '^(added|kept since|drawn)' ORDER BY n;
SELECT count(*) FILTER (WHERE same = 'same') > 60 AS many_added, count(*) FILTER (WHERE note = 'drawn') > 60 AS many_drawn FROM cases;

-- With noise: sums of what was shown, and the noise of such sums.
SELECT dp_agg.forget_kept() > 0 AS forgotten;
-- A mean is NULL where the noise that was added up may be all there is: of 200 sums of eight groups without rows 17 or fewer are
-- not, but for a probability of 1e-11 if one of 100 is; by the noise of one group it would be one of six.
CREATE TABLE nobody (id int PRIMARY KEY, mood mood, active bool NOT NULL, age int);
SELECT dp_agg.protect('nobody', 'id');
CREATE PROCEDURE ask_of_nobody(INOUT added int, INOUT answered int) LANGUAGE plpgsql AS $$
DECLARE
	said record;
BEGIN
	FOR i IN 1 .. 200 LOOP
		PERFORM dp_agg.forget_kept();
		COMMIT;
		PERFORM set_config('dp_agg.kept_max_age', '1 day', true), set_config('dp_agg.kept_rollup', '1000', true),
			set_config('dp_agg.epsilon', '1', true), set_config('role', 'rollup_ann', true);
		PERFORM ask('SELECT mood, active, dp_avg(age, 0, 100) FROM nobody GROUP BY mood, active');
		SELECT * INTO said FROM ask('SELECT dp_avg(age, 0, 100) FROM nobody');
		added := added + (said.note LIKE 'added up from 8 %')::int;
		answered := answered + (said.rows <> '()')::int;
		COMMIT;
	END LOOP;
	answered := (answered > 17)::int;
END $$;
CALL ask_of_nobody(0, 0);
SET dp_agg.epsilon = 1;
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.kept_rollup = 2;
GRANT CREATE ON SCHEMA rollup TO rollup_ann;
SET ROLE rollup_ann;
CREATE TABLE shown AS SELECT mood, active, dp_count(*) AS n, dp_sum(age, 0, 100) AS age, dp_sum(score, 0, 50) AS score FROM people GROUP BY mood, active;
CREATE TABLE means AS SELECT mood, active, dp_count(*) AS n, dp_avg(age, 0, 100) AS mean FROM people GROUP BY mood, active;
CREATE VIEW before AS SELECT epsilon_spent FROM dp_agg.budgets WHERE role::text = 'rollup_ann';
CREATE TABLE spent AS TABLE before;
SELECT count(*) AS moods, bool_and(n = sn) AS n, bool_and(age = sage) AS age, bool_and(abs(score - sscore) < 1e-6) AS score
FROM (SELECT mood, dp_count(*) AS n, dp_sum(age, 0, 100) AS age, dp_sum(score, 0, 50) AS score FROM people GROUP BY mood) asked
	JOIN (SELECT mood AS m, sum(n) AS sn, sum(age) AS sage, sum(score) AS sscore FROM shown GROUP BY mood) s ON mood IS NOT DISTINCT FROM m;
\set masked 'SELECT aggregate, mechanism, epsilon, round(noise_stddev::numeric, 4) AS noise_stddev, round(half_width_95::numeric, 4) AS half_width_95, regexp_replace(kept, ''since .*, no'', ''since TIME, no'') AS kept FROM'
:masked dp_agg.last_release();
:masked dp_agg.price('SELECT mood, active, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY mood, active');
:masked dp_agg.price('SELECT mood, dp_count(*) AS one, dp_avg(age, 0, 100) FROM people WHERE active GROUP BY mood');
CREATE FUNCTION explained(query text, form text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF, FORMAT %s) %s', form, query) LOOP
		RETURN NEXT regexp_replace(line, 'since .*, no', 'since TIME, no');
	END LOOP;
END $$;
SELECT * FROM explained('SELECT active, dp_count(*) + 1, dp_avg(age, 0, 100) FROM people WHERE mood < ''best'' GROUP BY active HAVING dp_count(*) > 3', 'TEXT') e WHERE e ~ 'Release:|Answer|Price';
SELECT line FROM explained('SELECT dp_count(*) FROM people WHERE mood IS NULL', 'JSON') e, string_to_table(e, E'\n') line WHERE line ~ 'Stddev|Width|Answer|Price';
-- four groups have twice the noise of one, eight have more, but for who asks for less
SELECT note FROM ask('SELECT active, dp_count(*) FROM people GROUP BY active');
SELECT note FROM ask('SELECT dp_count(*) FROM people');
SELECT note FROM ask('SELECT dp_sum(age, 0, 100, 0.5) FROM people');
SELECT note FROM ask('SELECT dp_sum(age, 0, 100, 4) FROM people WHERE active AND mood = ''bad''');
SET dp_agg.kept_rollup = 3;
SELECT note FROM ask('SELECT dp_sum(age, 0, 100) FROM people');
:masked dp_agg.last_release();
SET dp_agg.kept_rollup = 2;
-- Gaussian noise for what would be Laplace noise
SET dp_agg.mechanism = gaussian;
CREATE TABLE normal AS SELECT mood, active, dp_count(*) AS n, dp_sum(age, 0, 100) AS age FROM people WHERE age > 3 GROUP BY mood, active;
SELECT asked.n - s.n AS n, abs(asked.age - s.age) <= 1 AS age FROM (SELECT dp_count(*) AS n, dp_sum(age, 0, 100) AS age FROM people WHERE age > 3 AND mood = 'bad') asked, (SELECT sum(n) AS n, sum(age) AS age FROM normal WHERE mood = 'bad') s;
:masked dp_agg.last_release();
RESET dp_agg.mechanism;
SET dp_agg.kept_rollup = 30;
SELECT asked.n - s.n AS n, abs(asked.age - s.age) <= 1 AS age FROM (SELECT dp_count(*) AS n, dp_sum(age, 0, 100) AS age FROM people WHERE age > 3 AND mood = 'good') asked, (SELECT sum(n) AS n, sum(age) AS age FROM normal WHERE mood = 'good') s;
:masked dp_agg.last_release();
SET dp_agg.kept_rollup = 2;
-- the nodes of a tree have more noise than what would be drawn
CREATE TABLE tree AS SELECT * FROM dp_cumulative('people', 'age', 0, 90, 90);
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE age < 40');
SET dp_agg.kept_rollup = 10;
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE age < 50');
:masked dp_agg.last_release();
SELECT abs(asked.n - (SELECT sum(count) FROM tree WHERE bin <= 50)) < 400 AS near FROM (SELECT dp_count(*) AS n FROM people WHERE age < 50) asked;
SET dp_agg.kept_rollup = 2;
-- a cursor that goes back, and a statement that is prepared
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT abs(dp_sum(score, 0, 50) - (SELECT sum(s.score) FROM shown s WHERE s.active = p.active)) < 1e-6 AS same FROM people p GROUP BY active;
FETCH ALL IN c;
FETCH BACKWARD ALL IN c;
COMMIT;
PREPARE one (bool) AS SELECT round((dp_sum(score, 0, 50) - (SELECT sum(score) FROM shown WHERE active = $1))::numeric) AS n FROM people WHERE active = $1;
EXECUTE one (true);
EXECUTE one (false);
DEALLOCATE one;
-- replays are the finer answer's
RESET ROLE;
SELECT dp_agg.forget_kept() > 0 AS forgotten;
SET ROLE rollup_ann;
CREATE TABLE paid AS SELECT mood, active, dp_count(*) AS n FROM people GROUP BY mood, active;
DROP TABLE spent;
CREATE TABLE spent AS TABLE before;
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE mood = ''best''');
SELECT note FROM ask('SELECT active, dp_count(*) FROM people WHERE mood = ''best'' GROUP BY active');
SELECT * FROM explained('SELECT dp_count(*) FROM people WHERE mood = ''best''', 'TEXT') e WHERE e ~ 'Answer|Price';
SELECT question, rows, replays FROM dp_agg.kept;
SELECT (TABLE spent) = (TABLE before) AS nothing_spent;

-- Nobody else's, and nothing that was asked under another policy.
RESET ROLE;
SET ROLE rollup_bob;
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE mood = ''best''');
RESET ROLE;
SET ROLE rollup_ann;
SELECT note FROM ask('SELECT active, mood, dp_count(*) FROM people WHERE mood > ''bad'' GROUP BY mood, active');
RESET ROLE;
ALTER TYPE mood RENAME VALUE 'best' TO 'excellent';
SET ROLE rollup_ann;
SELECT note FROM ask('SELECT mood, dp_count(*) FROM people WHERE active AND mood = ''good'' GROUP BY mood');
RESET ROLE;
ALTER TYPE mood RENAME VALUE 'excellent' TO 'best';
SELECT dp_agg.protect('people', 'id', max_rows => 2);
SET ROLE rollup_ann;
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE active AND mood = ''good''');
RESET ROLE;
SELECT dp_agg.protect('people', 'id');
SET ROLE rollup_ann;
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE NOT active AND mood = ''bad''');
CREATE TABLE towned AS SELECT city, active, dp_count(*) AS n FROM people GROUP BY city, active;
RESET ROLE;
SELECT dp_agg.set_domain('people', 'city', ARRAY['Celle', 'Aachen']);
SET ROLE rollup_ann;
SELECT city, asked.n = (SELECT sum(n) FROM towned t WHERE t.city = asked.city) AS same FROM (SELECT city, dp_count(*) AS n FROM people GROUP BY city) asked;
SELECT note FROM ask('SELECT city, dp_count(*) FROM people GROUP BY city');
RESET ROLE;
SELECT dp_agg.set_domain('people', 'city', ARRAY['Celle', 'Aachen', 'Dresden']);
SET ROLE rollup_ann;
SELECT note FROM ask('SELECT city, dp_count(*) FROM people GROUP BY city');
SET dp_agg.kept_max_age = '1 min';
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE NOT active AND mood = ''good''');
RESET ROLE;
UPDATE dp_agg.kept_answer SET asked_at = asked_at - interval '2 min';
SET ROLE rollup_ann;
SELECT note FROM ask('SELECT dp_count(*) FROM people WHERE active AND mood = ''best''');
RESET ROLE;
SELECT dp_agg.forget_kept() > 0 AS forgotten;

-- What it takes to add up is under the row's hash.
SET ROLE rollup_ann;
SELECT count(*) FROM (SELECT mood, dp_count(*) FROM people GROUP BY mood) s;
SELECT rows FROM dp_agg.kept;
RESET ROLE;
SELECT problem FROM dp_agg.verify_ledger();
UPDATE dp_agg.kept_answer SET shape = set_byte(shape, octet_length(shape) - 1, 255 - get_byte(shape, octet_length(shape) - 1));
SELECT problem FROM dp_agg.verify_ledger();
UPDATE dp_agg.kept_answer SET shape = set_byte(shape, octet_length(shape) - 1, 255 - get_byte(shape, octet_length(shape) - 1));
SELECT problem FROM dp_agg.verify_ledger();
UPDATE dp_agg.kept_answer SET base = '';
SELECT problem FROM dp_agg.verify_ledger();

SET client_min_messages = warning;
DROP SCHEMA rollup CASCADE;
SELECT dp_agg.drop_budget('rollup_ann'), dp_agg.drop_budget('rollup_bob');
DROP EXTENSION dp_agg;
DROP ROLE rollup_ann, rollup_bob;
