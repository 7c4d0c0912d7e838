--
-- windows: window functions, DISTINCT ON and DISTINCT below aggregates, over rows of single
-- units: what they make of a unit's rows depends on these alone, and not on their order
--
CREATE EXTENSION dp_agg;
CREATE ROLE windows_analyst;
CREATE SCHEMA windows;
GRANT USAGE, CREATE ON SCHEMA windows TO windows_analyst;
SET search_path = windows, public;
-- Two tables of the same rows, of which many are alike, in different orders.
CREATE TABLE visits (person int, day date, kind text, cost numeric, score float8, minutes int, note interval, secret int, doc tsvector);
SELECT setseed(0.5);
INSERT INTO visits SELECT random() * 99, date '2024-01-01' + (random() * 5)::int, 'kind ' || (random() * 2)::int, (random() * 30)::int / 10.0,
	CASE WHEN random() < 0.1 THEN -0.0 ELSE (random() * 8)::int / 4.0 END, random() * 20, interval '1 day' * i, i, NULL FROM generate_series(1, 1500) i;
INSERT INTO visits SELECT person, day, kind, cost * 1.000, nullif(score, 1), minutes, note, secret, doc FROM visits WHERE random() < 0.3;
CREATE TABLE others AS SELECT * FROM visits ORDER BY md5(visits::text);
CREATE INDEX ON others (person, minutes);
CREATE TABLE people (id int PRIMARY KEY, born int);
INSERT INTO people SELECT i, 1950 + i % 50 FROM generate_series(0, 99) i;
ANALYZE;
SELECT dp_agg.protect(t, 'person', max_rows => 40, max_groups => 40) FROM unnest('{visits,others}'::regclass[]) t;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_domain(t, 'cost', 0, 4), dp_agg.set_domain(t, 'minutes', 0, 20), dp_agg.set_domain(t, 'score', 0, 2) FROM unnest('{visits,others}'::regclass[]) t;
SELECT dp_agg.hide_column('visits', 'secret'), dp_agg.hide_column('others', 'secret');
CREATE VIEW numbered AS SELECT *, row_number() OVER (PARTITION BY person ORDER BY day, minutes, kind, cost) AS number FROM visits;
SELECT dp_agg.set_budget('windows_analyst', 1e12, 1e-3);
-- A count at this epsilon, of 40 rows in 40 groups for each unit, is off by one or more with a probability below 1e-270.
SET dp_agg.epsilon = 1e6;
SET dp_agg.delta = 1e-9;

CREATE FUNCTION my_number() RETURNS bigint LANGUAGE internal WINDOW AS 'window_row_number';
-- How many rows the answers to two queries do not have in common: both the analyst's, or the second the owner's.
CREATE FUNCTION differing(query text, other text, owner boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	different bigint;
BEGIN
	SET ROLE windows_analyst;
	EXECUTE 'CREATE TEMP TABLE answer AS ' || query;
	IF owner THEN
		RESET ROLE;
	ELSE
		SET enable_hashagg = off; SET enable_hashjoin = off; SET work_mem = '64kB';
	END IF;
	EXECUTE 'CREATE TEMP TABLE truth AS ' || other;
	RESET ROLE;
	RESET enable_hashagg; RESET enable_hashjoin; RESET work_mem;
	IF (SELECT count(*) FROM truth) = 0 THEN
		RAISE 'the query has no rows to compare';
	END IF;
	SELECT count(*) INTO different FROM ((SELECT a::text FROM answer a EXCEPT ALL SELECT t::text FROM truth t)
		UNION ALL (SELECT t::text FROM truth t EXCEPT ALL SELECT a::text FROM answer a)) d;
	DROP TABLE answer, truth;
	RETURN different;
END $$;
SET client_min_messages = warning;

-- the owner's answer, where ties do not matter
SELECT query, differing(query, query, true) FROM (VALUES
('SELECT count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE n <= 3'),
('SELECT n, count(*) FROM (SELECT *, dense_rank() OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v GROUP BY n'),
('SELECT count(*) FROM (SELECT *, rank() OVER (PARTITION BY kind, person ORDER BY cost DESC NULLS LAST) AS n FROM visits) v WHERE n < 4 AND kind <> ''kind 0'''),
('SELECT count(*) FROM (SELECT person, percent_rank() OVER w AS p, cume_dist() OVER w AS c FROM visits WINDOW w AS (PARTITION BY person ORDER BY minutes)) v WHERE p < 0.5 AND c > 0.3'),
('SELECT q, count(*) FROM (SELECT person, ntile(4) OVER (PARTITION BY person ORDER BY minutes) AS q FROM visits) v GROUP BY q'),
('SELECT count(*) FROM (SELECT person, day - lag(day) OVER (PARTITION BY person ORDER BY day) AS gap FROM visits) v WHERE gap > 1'),
('SELECT count(*) FROM (SELECT person, lead(day, 2, date ''2025-01-01'') OVER (PARTITION BY person ORDER BY day) - day AS gap FROM visits) v WHERE gap > 100'),
('SELECT count(*) FROM (SELECT minutes, first_value(minutes) OVER w AS f, last_value(minutes) OVER w AS l, nth_value(minutes, 3) OVER w AS t FROM visits WINDOW w AS (PARTITION BY person ORDER BY minutes ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) v WHERE l - f > 10 AND minutes > t'),
('SELECT count(*) FROM (SELECT first_value(minutes) OVER (PARTITION BY person ORDER BY minutes) AS f, minutes FROM visits) v WHERE f < 2 AND minutes > 5'),
('SELECT count(*) FROM (SELECT person, sum(minutes) OVER (PARTITION BY person ORDER BY day) AS running, count(*) OVER (PARTITION BY person) AS many FROM visits) v WHERE running > 60 AND many > 12'),
('SELECT count(*) FROM (SELECT person, sum(minutes) OVER (PARTITION BY person ORDER BY minutes ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS three FROM visits) v WHERE three > 30'),
('SELECT count(*) FROM (SELECT person, avg(cost) OVER (PARTITION BY person ORDER BY cost ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS three FROM visits) v WHERE three > 1.5'),
('SELECT count(*) FROM (SELECT person, round(sum(score) OVER (PARTITION BY person ORDER BY day)::numeric, 6) AS running FROM visits) v WHERE running > 3'),
('SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY minutes RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS near FROM visits) v WHERE near > 4'),
('SELECT count(*) FROM (SELECT count(*) FILTER (WHERE minutes > 10) OVER (PARTITION BY person, kind) AS long FROM visits) v WHERE long > 2'),
('SELECT count(*) FROM (SELECT bool_and(minutes > 1) OVER (PARTITION BY person ORDER BY day) AS ok FROM visits) v WHERE ok'),
('SELECT count(*) FROM (SELECT person, sum(sum(minutes)) OVER (PARTITION BY person ORDER BY day) AS running, rank() OVER (PARTITION BY person ORDER BY count(*) DESC) AS place FROM visits GROUP BY person, day) v WHERE running > 30 AND place = 1'),
('SELECT count(*) FROM (SELECT DISTINCT ON (person) * FROM visits ORDER BY person, minutes DESC, day) v'),
('SELECT sum(minutes) FROM (SELECT DISTINCT ON (person, kind) person, minutes, kind FROM visits ORDER BY kind, person, minutes DESC) v'),
('SELECT count(*) FROM (SELECT DISTINCT person, count(*) AS n FROM visits GROUP BY person, kind) v'),
('SELECT count(*) FROM (SELECT DISTINCT person, max(minutes) OVER (PARTITION BY person) AS most FROM visits) v WHERE most > 18'),
('SELECT sum(most) FROM (SELECT person, max(minutes) AS most FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY minutes DESC) AS n FROM visits) v WHERE n <= 5 AND n > 2 GROUP BY person) p'),
('SELECT count(*) FROM (SELECT id, lag(day) OVER (PARTITION BY id ORDER BY day) AS before, day, born FROM visits JOIN people ON person = id) v WHERE before < day AND born > 1960'),
('SELECT count(*) FROM people LEFT JOIN (SELECT DISTINCT person FROM (SELECT person, count(*) OVER (PARTITION BY person) AS n FROM visits) w WHERE n > 15) v ON person = id WHERE person IS NULL'),
('SELECT sum(minutes) FROM numbered WHERE number = 1'),
('WITH w AS (SELECT person, minutes, ntile(2) OVER (PARTITION BY person ORDER BY minutes) AS half FROM visits) SELECT half, count(*) FROM w GROUP BY ROLLUP (half)')) q (query);

-- rows of no unit count nowhere
INSERT INTO visits VALUES (NULL, '2024-01-01', 'kind 1', 1, 1, 1, NULL, 0), (NULL, '2024-01-02', 'kind 1', 1, 1, 1, NULL, 0);
INSERT INTO others SELECT NULL, day, kind, cost, score, minutes, note, secret, doc FROM visits;
-- the same of the same rows in another order, by another plan, with ties
SELECT query, differing(query, replace(query, 'visits', 'others'), false) FROM (VALUES
('SELECT n, count(*), sum(minutes) FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v GROUP BY n'),
('SELECT count(*), sum(minutes) FROM (SELECT *, row_number() OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 2'),
('SELECT count(*) FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY day) AS n, row_number() OVER (PARTITION BY person ORDER BY kind) AS m FROM visits) v WHERE n = m'),
('SELECT count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day) AS n, row_number() OVER (PARTITION BY person ORDER BY day DESC) AS m FROM visits) v WHERE n < m'),
('SELECT count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person, kind ORDER BY kind) AS n, ntile(3) OVER (PARTITION BY person ORDER BY kind) AS m, lag(minutes) OVER (PARTITION BY person) AS l FROM visits) v WHERE n % 3 + 1 = m AND l > 5'),
('SELECT dp_sum(n * m, 0, 8000) FROM (SELECT row_number() OVER (PARTITION BY person ORDER BY kind) AS n, row_number() OVER (PARTITION BY person ORDER BY kind DESC) AS m FROM visits) v'),
('SELECT dp_sum(n * m, 0, 8000) FROM (SELECT row_number() OVER (PARTITION BY person) AS n, row_number() OVER (PARTITION BY person, kind) AS m FROM visits) v'),
('SELECT count(*), sum(before) FROM (SELECT person, lag(minutes) OVER (PARTITION BY person ORDER BY day) AS before FROM visits) v'),
('SELECT kind, count(*) FROM (SELECT person, first_value(kind) OVER (PARTITION BY person ORDER BY day) AS kind FROM visits) v GROUP BY kind'),
('SELECT shown, count(*) FROM (SELECT person, lead(cost::text) OVER (PARTITION BY person ORDER BY kind) AS shown FROM visits) v GROUP BY shown'),
('SELECT shown, count(*) FROM (SELECT person, lag(score::text) OVER (PARTITION BY person ORDER BY kind) AS shown FROM visits) v GROUP BY shown'),
('SELECT kind, count(*) FROM (SELECT DISTINCT ON (person) person, kind FROM visits ORDER BY person, day) v GROUP BY kind'),
('SELECT sum(minutes) FROM (SELECT DISTINCT ON (person) * FROM visits) v'),
('SELECT count(*) FROM (SELECT person, sum(minutes) OVER (PARTITION BY person ORDER BY day ROWS 3 PRECEDING) AS four, count(*) FILTER (WHERE minutes > 10) OVER (PARTITION BY person ORDER BY kind ROWS UNBOUNDED PRECEDING) AS long FROM visits) v WHERE four > 40 AND long > 2'),
('SELECT count(*) FROM (SELECT person, sum(n * minutes) OVER (PARTITION BY person ORDER BY day ROWS UNBOUNDED PRECEDING) AS s FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY kind) AS n FROM visits) v) w WHERE s > 300'),
('SELECT count(*) FROM (SELECT person, nth_value(minutes, 2) OVER (PARTITION BY person ORDER BY day ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS s FROM visits) v WHERE s > 10')) q (query);
RESET client_min_messages;

SET ROLE windows_analyst;
-- what is not used is not looked at: neither a hidden column, nor one without a canonical form
SELECT round(dp_count(*), -1) FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY day) AS n, lag(secret) OVER (ORDER BY note) AS l FROM visits) v WHERE n = 1;
-- bounds
SELECT aggregate FROM dp_agg.price('SELECT dp_sum(before), dp_avg(p), dp_avg(q), dp_avg(m), dp_avg(b) FROM (SELECT person, lag(minutes, 1, -1) OVER w AS before,
	percent_rank() OVER w AS p, ntile(3) OVER w AS q, max(cost) OVER w AS m, first_value(score) OVER w AS b FROM windows.visits WINDOW w AS (PARTITION BY person ORDER BY day)) v');
-- kept answers: another window, frame or argument is another question
SET dp_agg.kept_max_age = '1 day';
\o /dev/null
SELECT dp_count(*) FROM (SELECT person, lag(minutes) OVER (PARTITION BY person ORDER BY day) AS x FROM visits) v WHERE x > 3;
\o
CREATE FUNCTION asked(call text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	kept boolean;
BEGIN
	EXECUTE 'SELECT dp_count(*) FROM (SELECT person, ' || call || ' AS x FROM visits) v WHERE x > 3';
	SELECT r.kept IS NOT NULL INTO kept FROM dp_agg.last_release() r;
	RETURN kept;
END $$;
SELECT call, asked(call), asked(call) AS again FROM (VALUES ('lag(minutes) OVER (PARTITION BY person ORDER BY day)'), ('lead(minutes) OVER (PARTITION BY person ORDER BY day)'),
	('lag(minutes, 2) OVER (PARTITION BY person ORDER BY day)'), ('lag(minutes) OVER (PARTITION BY person ORDER BY day DESC)'), ('lag(minutes) OVER (PARTITION BY person, kind ORDER BY day)'),
	('lag(minutes + 1) OVER (PARTITION BY person ORDER BY day)'), ('sum(minutes) OVER (PARTITION BY person ORDER BY day)'), ('sum(minutes) OVER (PARTITION BY person ORDER BY day ROWS 1 PRECEDING)'),
	('sum(minutes) OVER (PARTITION BY person ORDER BY day ROWS 2 PRECEDING)'), ('sum(minutes) FILTER (WHERE cost > 1) OVER (PARTITION BY person ORDER BY day)'),
	('lag(minutes) OVER (PARTITION BY person ORDER BY day NULLS FIRST)'), ('ntile(3) OVER (PARTITION BY person)'), ('ntile(4) OVER (PARTITION BY person)')) q (call);
SET dp_agg.kept_max_age = 0;

-- refused
SELECT dp_count(*) FROM (SELECT *, row_number() OVER (ORDER BY day) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY day) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT *, row_number() OVER (PARTITION BY person + 0) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT *, row_number() OVER (PARTITION BY person) AS n, sum(minutes) OVER () AS s FROM visits) v WHERE n = s;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (kind) * FROM visits ORDER BY kind, day) v;
SELECT dp_count(*) FROM (SELECT DISTINCT kind, rank() OVER (PARTITION BY person ORDER BY day) FROM visits) v;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (person) * FROM visits LIMIT 3) v;
SELECT dp_count(*) FROM (SELECT ntile(minutes) OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT ntile(0) OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT nth_value(minutes, 0) OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT lag(minutes, minutes) OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT lag(minutes, NULL) OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT lag(minutes, -1) OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT last_value(minutes) OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT max(minutes) OVER (PARTITION BY person ORDER BY day ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT max(minutes) OVER (PARTITION BY person ORDER BY day ROWS 1000 PRECEDING) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY day RANGE '1 day' PRECEDING) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY minutes RANGE -1 PRECEDING) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT my_number() OVER (PARTITION BY person) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY person ORDER BY doc) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY person, ARRAY[minutes]) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY random()) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT array_agg(minutes) OVER (PARTITION BY person) AS n FROM visits) v WHERE n IS NULL;
SELECT dp_count(*) FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY minutes) AS n, person FROM visits GROUP BY person) v WHERE n IS NULL;
SELECT dp_count(*) FROM (SELECT lag(secret) OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE n IS NULL;
SELECT dp_count(*) FROM (SELECT lag(random()) OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE n IS NULL;
SELECT dp_count(*) FROM (SELECT person, ctid::text AS c, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE c IS NULL;
SELECT dp_count(*) FROM (SELECT person, lag(ctid::text) OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE n IS NULL;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY person ORDER BY ARRAY[minutes]) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY person, quote_literal(kind)) AS n FROM visits) v WHERE n = 1;
-- A row that an outer join may make NULL.
SELECT dp_count(*) FROM (SELECT v.person, rank() OVER (PARTITION BY v.person ORDER BY p IS NULL) FROM (SELECT id FROM people) p RIGHT JOIN visits v ON v.person = p.id) v;
SELECT dp_count(*) FROM (SELECT v.person, p IS NULL AS missing, rank() OVER (PARTITION BY v.person ORDER BY day) FROM (SELECT id FROM people) p RIGHT JOIN visits v ON v.person = p.id) v WHERE missing;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (v.person) v.person, p IS NULL FROM visits v LEFT JOIN (SELECT id FROM people) p ON v.person = p.id ORDER BY v.person, p IS NULL) v;
SELECT dp_count(*) FROM people a JOIN (SELECT v.person, row_number() OVER (PARTITION BY v.person ORDER BY p) AS n FROM visits v LEFT JOIN (SELECT id FROM people) p ON v.person = p.id) v ON v.person = a.id WHERE n = 1;

-- Units that differ and are equal as character are not the same unit.
RESET ROLE;
CREATE TABLE notes (name text, at int);
INSERT INTO notes SELECT 'n' || i / 5 || repeat(' ', i % 5), j FROM generate_series(0, 499) i, generate_series(1, 3) j;
SELECT dp_agg.protect('notes', 'name', max_rows => 3, max_groups => 3);
SET ROLE windows_analyst;
SELECT n, dp_count(*) FROM (SELECT name, row_number() OVER (PARTITION BY name::varchar ORDER BY at) AS n FROM notes) v WHERE name > '' GROUP BY n ORDER BY n;
SELECT n, dp_count(*) FROM (SELECT name, row_number() OVER (PARTITION BY name::bpchar ORDER BY at) AS n FROM notes) v WHERE name > '' GROUP BY n;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (name::bpchar) name, at FROM notes) v WHERE name > '';
SELECT dp_count(*) FROM (SELECT name::bpchar AS who FROM notes UNION ALL SELECT name::bpchar FROM notes) v;
SELECT dp_count(DISTINCT name::bpchar) FROM notes;
SELECT dp_count(DISTINCT name::varchar) FROM notes;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA windows CASCADE;
DROP OWNED BY windows_analyst;
DROP EXTENSION dp_agg;
DROP ROLE windows_analyst;
