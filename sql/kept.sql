--
-- kept: answers that were paid for are shown again at no cost, to who paid
--
CREATE EXTENSION dp_agg;
CREATE ROLE kept_ann;
CREATE ROLE kept_bob;
CREATE ROLE kept_officer;
CREATE SCHEMA kept AUTHORIZATION kept_ann;
GRANT USAGE ON SCHEMA kept TO kept_bob;
SET search_path = kept, public;
CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy');
CREATE TABLE people (id int PRIMARY KEY, city text, age int, amount bigint, ok boolean NOT NULL, how mood, born date, seen timestamptz);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3], i % 100, i, i % 2 = 0, (ARRAY['sad', 'happy', NULL])[1 + i % 3]::mood,
	date '1950-01-01' + i, timestamptz '2020-01-01 12:00+00' + make_interval(hours => i) FROM generate_series(1, 3000) i;
CREATE TABLE visits (person int REFERENCES people, cost int);
INSERT INTO visits SELECT 1 + i % 3000, i % 50 FROM generate_series(1, 9000) i;
CREATE TABLE cities (name text PRIMARY KEY, country text);
INSERT INTO cities VALUES ('Aachen', 'D'), ('Berlin', 'D'), ('Chur', 'CH'), ('Ulm', 'D');
GRANT SELECT ON cities TO kept_ann;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 3, 3);
SELECT dp_agg.set_budget('kept_ann', 1e9, 1e-3), dp_agg.set_budget('kept_bob', 1e9, 1e-3);
-- What a statement costs who runs it, and is its answer the one that was given last?
CREATE FUNCTION ask(query text, OUT charges bigint, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT sum(statements) FROM dp_agg.budgets);
	answer text;
BEGIN
	EXECUTE format('SELECT coalesce(string_agg(t::text, '' '' ORDER BY t::text COLLATE "C"), ''none'') FROM (%s) t', query) INTO answer;
	same := answer = current_setting('kept.answer', true);
	charges := (SELECT sum(statements) FROM dp_agg.budgets) - before;
	PERFORM set_config('kept.answer', answer, false);

	-- This waits until it is stored.
	PERFORM dp_agg.price(query);
END $$;
-- What two statements cost, one after the other, and do they answer the same?
CREATE FUNCTION pair(query text, again text, OUT first bigint, OUT second bigint, OUT same boolean) LANGUAGE plpgsql AS $$
BEGIN
	first := (ask(query)).charges;
	SELECT a.charges, a.same INTO second, same FROM ask(again) a;
END $$;
CREATE FUNCTION masked(line text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(line, 'since .*, no', 'since TIME, no'), ' \(returns \$\d+\)$', '') $$;
-- since 17 a plan does not say which parameter an InitPlan sets; since 18 it has lines of windows
CREATE FUNCTION plan(query text, options text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s COSTS OFF) %s', options, query) LOOP
		CONTINUE WHEN line ~ '^ *Window: ';
		RETURN NEXT regexp_replace(masked(line), '(InitPlan) .*', '\1');
	END LOOP;
END $$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA kept TO PUBLIC;
SET ROLE kept_ann;
SET search_path = kept, public;
-- Two draws are equal with a probability below 1e-11 here: sums have noise of 1e12 and more.

\echo never, unless it is asked for
SHOW dp_agg.kept_max_age;
SELECT * FROM pair('SELECT dp_sum(amount, 0, 1000000000000) FROM people', 'SELECT dp_sum(amount, 0, 1000000000000) FROM people');

\echo within the interval, bit for bit and free, and said so
SET dp_agg.kept_max_age = '1 day';
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT aggregate, epsilon, delta, half_width_95 > 1e12 AS half_width_95, admitted, masked(kept) FROM dp_agg.last_release();
SELECT aggregate, epsilon, delta, half_width_95 > 1e12 AS half_width_95, admitted, masked(kept) FROM dp_agg.price('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT plan('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT aggregate, epsilon, kept FROM dp_agg.price('SELECT dp_sum(amount, 0, 1000000000001) FROM people');
SELECT plan('SELECT dp_sum(amount, 0, 1000000000001) FROM people');
SELECT substring(a.kept, 'since (.*), no')::timestamptz = k.asked_at AS since FROM dp_agg.last_release() a, dp_agg.kept k ORDER BY k.asked_at DESC LIMIT 1;
SELECT line FROM plan('SELECT dp_sum(amount, 0, 1000000000002) FROM people', 'ANALYZE, TIMING OFF, SUMMARY OFF,') line WHERE line ~ 'Answer|Price';
SELECT line FROM plan('SELECT dp_sum(amount, 0, 1000000000002) FROM people', 'ANALYZE, TIMING OFF, SUMMARY OFF,') line WHERE line LIKE '%since%';

\echo what is above a block is free as ever
SET dp_agg.epsilon = 1000;
SELECT * FROM ask('SELECT city, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY city');
CREATE TABLE seen AS SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city;
SELECT count(*) FROM seen;
SELECT bool_and(d.s = 2 * seen.s) FROM seen JOIN (SELECT city, 2 * dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city) d USING (city);
SELECT city, s = (SELECT s FROM seen WHERE city = 'Berlin') FROM (SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city HAVING city > 'B' ORDER BY city LIMIT 1) t;
SELECT upper(city), country, s = dp_sum FROM (SELECT city, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY city) p JOIN cities ON name = city JOIN seen USING (city) ORDER BY 1;
SELECT (SELECT max(s) FROM seen) = max(n) FROM (SELECT dp_sum(amount, 0, 1000000000000) AS n FROM people GROUP BY city) t;
WITH t AS (SELECT city AS c, dp_sum(amount, 0, 1000000000000) AS n FROM people GROUP BY 1) SELECT count(*), bool_and(a.n = s) FROM t a JOIN t b USING (c) JOIN seen ON city = c;
SELECT city FROM (SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city) t JOIN seen USING (city, s)
	UNION ALL SELECT city FROM (SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city) t JOIN seen USING (city, s) ORDER BY 1;
SELECT statements FROM dp_agg.budgets;

\echo however it is written
CREATE VIEW grown AS SELECT p.age AS years, amount AS money, city FROM people p WHERE age >= 18;
CREATE VIEW grown_paying AS SELECT g.* FROM grown g WHERE money > 7;
CREATE FUNCTION words(VARIADIC texts text[]) RETURNS TABLE (n bigint, charges bigint, same boolean) LANGUAGE plpgsql AS $$
DECLARE
	query text;
BEGIN
	FOR n, query IN SELECT o, t FROM unnest(texts) WITH ORDINALITY x (t, o) LOOP
		SELECT a.charges, a.same INTO charges, same FROM ask(query) a;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM words('SELECT dp_sum(amount, 0, 1e12::bigint) FROM people WHERE age >= 18 AND amount > 7',
	'select "dp_sum" ( people.amount , 0 , 1000000000000 ) as other from kept.people where ( amount > 7 ) and age >= 18 /* no matter */',
	'SELECT dp_sum(q.amount, 0, 1000000000000) FROM people AS q WHERE 18 <= q.age AND NOT q.amount <= 7',
	'SELECT dp_sum(x, 0, 1000000000000) FROM (SELECT amount AS x, age AS y FROM people) s (x, y) WHERE x > 7 AND y >= 18',
	'SELECT dp_sum(money, 0, 1000000000000) FROM grown WHERE money > 7',
	'SELECT dp_sum(money, 0, 1000000000000) FROM grown_paying',
	'SELECT dp_sum(money, 0, 1000000000000) FROM grown_paying ORDER BY 1 LIMIT 5',
	'SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age >= 18 AND amount > 3 + 4',
	'WITH c AS (SELECT dp_sum(amount, 0, 1000000000000) AS x FROM people WHERE amount > 7 AND age >= 18) SELECT x FROM c');
SELECT * FROM words('SELECT dp_sum(v.cost, 0, 1000000000) FROM visits v JOIN people p ON v.person = p.id WHERE p.age > 3 AND v.cost > 1',
	'SELECT dp_sum(v.cost, 0, 1000000000) FROM people p JOIN visits v ON p.id = v.person WHERE v.cost > 1 AND p.age > 3',
	'SELECT dp_sum(visits.cost, 0, 1000000000) FROM people, visits WHERE people.id = person AND age > 3 AND cost > 1',
	'SELECT dp_sum(cost, 0, 1000000000) FROM (SELECT * FROM people WHERE age > 3) p JOIN (SELECT * FROM visits WHERE cost > 1) v ON p.id = v.person');
SELECT * FROM words('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE city IN (''Chur'', ''Aachen'') OR age < 3',
	'SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age < 3 OR city IN (''Aachen'', ''Chur'')');
-- and what is not the same question
SELECT other, p.* FROM (VALUES ('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age >= 30'), ('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 31'),
	('SELECT dp_sum(amount, 0, 1000000000000, 1000.5) FROM people WHERE age > 30'), ('SELECT dp_sum(amount, 1, 1000000000000) FROM people WHERE age > 30'),
	('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE id > 30'), ('SELECT dp_sum(id, 0, 1000000000) FROM people WHERE age > 30'),
	('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 30 AND amount IS NOT NULL'), ('SELECT dp_sum(amount, 0, 1000000000000), dp_count(*) FROM people'),
	('SELECT dp_sum(amount, 0, 1000000000000), dp_count(*) FROM people WHERE age > 30'), ('SELECT dp_avg(amount, 0, 1000000000000) FROM people WHERE age > 30')) v (other),
	LATERAL pair('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 30', other) p;

-- in any order of aggregates, each with its own value, by itself or beside another that asks the same
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT count(*) = 3 AND bool_and(a.s = b.s AND a.n = b.n AND a.s <> a.n) AS same FROM
	(SELECT city, dp_sum(amount, 0, 1000000000009) AS s, dp_sum(age, 0, 1000000000007) AS n FROM people GROUP BY city) a
	JOIN (SELECT city, dp_sum(age, 0, 1000000000007) AS n, dp_sum(amount, 0, 1000000000009) AS s FROM people GROUP BY city) b USING (city);
CREATE TABLE both_sums AS SELECT city, dp_sum(age, 0, 1000000000007) AS n, dp_sum(amount, 0, 1000000000009) AS s FROM people GROUP BY city;
SELECT count(*), bool_and(a.s = b.s AND a.n = b.n) AS same FROM both_sums a
	JOIN (SELECT city, dp_sum(amount, 0, 1000000000009) AS s, dp_sum(age, 0, 1000000000007) AS n FROM people GROUP BY city) b USING (city);
SELECT statements - :before AS charges FROM dp_agg.budgets;

\echo parameters, prepared statements and cursors
CREATE TABLE totals (n int GENERATED ALWAYS AS IDENTITY, s bigint);
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 41');
INSERT INTO totals (s) SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 41;
PREPARE entered(int) AS INSERT INTO totals (s) SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > $1;
EXECUTE entered(41);
EXECUTE entered(41);
EXECUTE entered(41);
EXECUTE entered(41);
EXECUTE entered(41);
EXECUTE entered(41);
EXECUTE entered(41);
SELECT count(*), count(DISTINCT s) FROM totals;
SELECT statements AS before FROM dp_agg.budgets \gset
EXECUTE entered(42);
EXECUTE entered(42);
SELECT statements - :before AS charges FROM dp_agg.budgets;
SELECT count(*), count(DISTINCT s) FROM totals;
BEGIN;
DECLARE c CURSOR FOR SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city ORDER BY city;
FETCH 1 FROM c \gset
SELECT :s = s AS same FROM seen WHERE city = :'city';
CLOSE c;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city ORDER BY city;
COMMIT;
FETCH LAST FROM c \gset
SELECT :s = s AS same FROM seen WHERE city = :'city';
FETCH FIRST FROM c \gset
SELECT :s = s AS same FROM seen WHERE city = :'city';
CLOSE c;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city;
MOVE ALL c;
FETCH PRIOR c \gset
SELECT :s = s AS same FROM seen WHERE city = :'city';
FETCH FIRST c \gset
SELECT :s = s AS same FROM seen WHERE city = :'city';
COMMIT;
SELECT name, s = (SELECT s FROM (SELECT city, dp_sum(amount, 0, 1000000000000) AS s FROM people GROUP BY city) t WHERE t.city = c.name) AS same FROM cities c LEFT JOIN seen ON city = name ORDER BY name;
SELECT statements - :before AS charges FROM dp_agg.budgets;

\echo two blocks, of which one is kept
SELECT aggregate, epsilon, masked(kept) FROM dp_agg.price('SELECT (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 41), (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 43)');
SELECT plan('SELECT (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 41), (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 43)');
SELECT (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 41) = (SELECT s FROM totals WHERE n = 1) AS kept,
	(SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 43) IS NOT NULL AS drawn;
SELECT aggregate, epsilon, masked(kept) FROM dp_agg.last_release();
SELECT statements - :before AS charges FROM dp_agg.budgets;
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 43');
-- one that a statement asks twice is drawn once, and shown as it was
SELECT * FROM words('SELECT (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 44) AS a, (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE 44 < age) AS b',
	'SELECT (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 44) AS a, (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE 44 < age) AS b');
SELECT (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 45) = (SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE age > 45) AS same;
SELECT aggregate, epsilon, masked(kept) FROM dp_agg.last_release();
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT count(*), bool_and(a.s = b.s) FROM (SELECT city, dp_sum(amount, 0, 1000000000003) AS s FROM people GROUP BY city) a
	JOIN (SELECT city, dp_sum(amount, 0, 1000000000003) AS s FROM people GROUP BY city) b ON a.city >= b.city AND a.city <= b.city;
SELECT count(*), bool_and(a.s = b.s) FROM (SELECT city, dp_sum(amount, 0, 1000000000003) AS s FROM people GROUP BY city) a
	JOIN (SELECT city, dp_sum(amount, 0, 1000000000003) AS s FROM people GROUP BY city) b ON a.city >= b.city AND a.city <= b.city;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
SELECT statements - :before AS charges FROM dp_agg.budgets;

-- EXPLAIN looks at questions when all has been read
DO $$ BEGIN
	EXECUTE 'EXPLAIN (ANALYZE) SELECT dp_count(*), cost > 30, dp_sum(cost, 0, 5000) FROM visits GROUP BY ROLLUP (cost > 30, cost > 20)';
END $$;

\echo another price, bound or mechanism is another question, other settings are not
CREATE FUNCTION under(setting text, value text, OUT first bigint, OUT second bigint, OUT back bigint) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT city, dp_sum(cost, 0, 1000000000), dp_count(*) FROM visits v JOIN people p ON p.id = v.person GROUP BY city';
	before text := current_setting(setting);
BEGIN
	PERFORM ask(query);
	PERFORM set_config(setting, value, false);
	first := (ask(query)).charges;
	second := (ask(query)).charges;
	PERFORM set_config(setting, before, false);
	back := (ask(query)).charges;
END $$;
SELECT setting, u.* FROM (VALUES ('dp_agg.epsilon', '1001'), ('dp_agg.delta', '2e-9'), ('dp_agg.max_rows', '2'), ('dp_agg.max_groups', '2'),
	('dp_agg.mechanism', 'gaussian'), ('dp_agg.sample_rate', '0.9'), ('dp_agg.charge_timeout', '9s'), ('work_mem', '1MB'),
	('TimeZone', 'Asia/Kathmandu'), ('DateStyle', 'German'), ('enable_hashagg', 'off'), ('extra_float_digits', '0')) s (setting, value), LATERAL under(setting, value) u;

\echo time zones count where something depends on them, and the time as it is used
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen >= ''2020-02-01''::date');
SET TimeZone = 'Asia/Kathmandu';
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen >= ''2020-02-01''::date');
SELECT * FROM pair('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE date_trunc(''day'', seen) >= ''2020-02-01 00:00Z''',
	'SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE date_trunc(''day'', seen) >= ''2020-02-01 00:00Z''');
RESET TimeZone;
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE date_trunc(''day'', seen) >= ''2020-02-01 00:00Z''');
-- a year's end between these is not provided for
SELECT * FROM words('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE born < date_trunc(''year'', now())',
	'SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE born < date_trunc(''year'', CURRENT_TIMESTAMP)');
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen < now()');
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen < now()');
BEGIN;
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen < now() - interval ''1 s''');
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen < now() - interval ''1 s''');
COMMIT;
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen < now() - interval ''1 s''');
-- statements that are run again, whose questions are known from before
SELECT statements AS before FROM dp_agg.budgets \gset
PREPARE of_days AS INSERT INTO totals (s) SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE date_trunc('day', seen) >= '2020-02-02 00:00Z';
PREPARE of_texts AS INSERT INTO totals (s) SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE born::text > '1950';
PREPARE of_now AS INSERT INTO totals (s) SELECT dp_sum(amount, 0, 1000000000000) FROM people WHERE seen < now() - interval '2 s';
EXECUTE of_days;
EXECUTE of_days;
EXECUTE of_texts;
EXECUTE of_texts;
SELECT statements - :before AS charges FROM dp_agg.budgets;
SET TimeZone = 'Asia/Kathmandu';
EXECUTE of_days;
EXECUTE of_days;
SET DateStyle = 'German';
EXECUTE of_texts;
EXECUTE of_texts;
SELECT statements - :before AS charges FROM dp_agg.budgets;
RESET TimeZone;
RESET DateStyle;
EXECUTE of_days;
EXECUTE of_texts;
SELECT statements - :before AS charges FROM dp_agg.budgets;
EXECUTE of_now;
EXECUTE of_now;
EXECUTE of_now;
SELECT statements - :before AS charges FROM dp_agg.budgets;

\echo drawn anew if that is what is asked for, and then this is kept
RESET dp_agg.epsilon;
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SET dp_agg.kept_max_age = 0;
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SET dp_agg.kept_max_age = '1 hour';
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
BEGIN;
SET LOCAL dp_agg.kept_max_age = 0;
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
ROLLBACK;
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');

\echo as long as it is young enough
RESET ROLE;
UPDATE dp_agg.kept_answer SET asked_at = asked_at - interval '50 min';
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SET dp_agg.kept_max_age = '30 min';
SELECT aggregate, epsilon, kept FROM dp_agg.price('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');
SELECT * FROM ask('SELECT dp_sum(amount, 0, 1000000000000) FROM people');

\echo values of the setting
CREATE FUNCTION accepted(value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN set_config('dp_agg.kept_max_age', value, false);
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN sqlstate;
END $$;
SELECT left(value, 20) AS value, accepted(value) FROM unnest(ARRAY['1 day', '10 min', '0', '2 weeks', '1 mon 2 days', '00:00:30', '1.5 hours', '90', '100000 years', '0 s', '1 day -1 hour', 'P1D', 'PT10M',
	'-1 s', '-1', 'x', '', 'infinity', '1 hour -1 day', '1 fortnight', '99999999999 years', 'now', '2020-01-01', repeat('1 day ', 100)]) value;
SET dp_agg.kept_max_age = '-1 s';
SET dp_agg.kept_max_age = 'x';
RESET dp_agg.kept_max_age;
SHOW dp_agg.kept_max_age;
\c -
ALTER ROLE kept_bob SET dp_agg.kept_max_age = '3 days';
SET ROLE kept_bob;
ALTER ROLE kept_bob SET dp_agg.kept_max_age = '2 days';
RESET ROLE;
SELECT setconfig FROM pg_db_role_setting WHERE setrole = 'kept_bob'::regrole;
ALTER ROLE kept_bob SET dp_agg.kept_max_age = 'x';
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET dp_agg.kept_max_age = %L', current_database(), '4 days'); END $$;
\c -
SELECT setting, source FROM pg_settings WHERE name = 'dp_agg.kept_max_age';
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET dp_agg.kept_max_age', current_database()); END $$;
\c -
SET search_path = kept, public;

\echo every kind of answer
GRANT SELECT ON cities TO kept_bob;
SET ROLE kept_ann;
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.epsilon = 1000;
SELECT n, p.* FROM (VALUES (1, 'SELECT dp_count(*), dp_sum(amount, 0, 1000000000000), dp_avg(amount, 0, 1000000000000), dp_stddev(amount, 0, 1000000000000) FROM people'),
	(2, 'SELECT how, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY how'),
	(3, 'SELECT ok, city, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY ok, city'),
	(4, 'SELECT name, dp_sum(p.amount, 0, 1000000000000) FROM cities LEFT JOIN people p ON p.city = name GROUP BY name'),
	(5, 'SELECT dp_quantile(amount, 0.3, 0, 1000000000, 0.001), dp_median(amount, 0, 1000000000, 0.001), dp_sum(amount, 0, 1000000000000) FROM people'),
	(6, 'SELECT * FROM dp_histogram(''people'', ''age'', 0, 100, 500, 0.0001)'),
	(7, 'SELECT * FROM dp_cumulative(''people'', ''age'', 0, 100, 64, 0.0001)'),
	(8, 'SELECT dp_covar_pop(amount, amount, 0, 1000000000, 0, 1000000000) FROM people'),
	(9, 'SELECT dp_sum(n, 0, 1000000000000) FROM (SELECT person, sum(cost) AS n FROM visits GROUP BY person) v'),
	(10, 'SELECT dp_count(DISTINCT person), dp_sum(cost, 0, 1000000000) FROM visits'),
	(11, 'SELECT CASE WHEN age < 50 THEN city END, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY 1')) q (n, query), LATERAL pair(query, query) p;
-- values chosen are likely to be the same if they are drawn anew
SELECT first, second FROM pair('SELECT * FROM dp_top(''people'', ''city'', 2)', 'SELECT * FROM dp_top(''people'', ''city'', 2)');
SELECT first, second FROM pair('SELECT * FROM dp_agg.suggest_bounds(''people'', ''amount'', 100)', 'SELECT * FROM dp_agg.suggest_bounds(''people'', ''amount'', 100)');
-- an answer without rows is one
SELECT p.* FROM pair('SELECT id, dp_sum(amount, 0, 1000000000000) FROM people WHERE id = 1 GROUP BY id', 'SELECT id, dp_sum(amount, 0, 1000000000000) FROM people WHERE id = 1 GROUP BY id') p;
SELECT rows, replays FROM dp_agg.kept ORDER BY asked_at DESC LIMIT 1;
-- plain aggregates ask the same as ours within the bounds of the domain
RESET ROLE;
SELECT dp_agg.set_domain('people', 'amount', 0, 1000000000000);
SET ROLE kept_ann;
SELECT * FROM pair('SELECT city, sum(amount) FROM people GROUP BY city', 'SELECT city, sum(amount) FROM people GROUP BY city');
SELECT * FROM words('SELECT sum(amount) FROM people WHERE age > 50', 'SELECT sum(amount) FROM people WHERE age > 50', 'SELECT sum(amount) + 0 FROM people WHERE 50 < age');
-- rows that are entered
CREATE TABLE entries (city text, s bigint);
SELECT charges FROM ask('SELECT city, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY city');
INSERT INTO entries SELECT city, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY city;
INSERT INTO entries SELECT city, dp_sum(amount, 0, 1000000000000) FROM people GROUP BY city;
SELECT count(*), count(DISTINCT (city, s)) FROM entries;

\echo every type of key; numbers that stand for names of objects are not kept
RESET ROLE;
CREATE TABLE kinds (id int PRIMARY KEY, amount bigint, a_text text, a_varchar varchar(10), a_char char(10), a_name name, a_byte "char", a_bytea bytea, a_bool bool, a_int2 int2, a_int4 int4, a_int8 int8,
	a_oid oid, a_numeric numeric, a_scale numeric(8, 3), a_float4 float4, a_float8 float8, a_date date, a_time time, a_timetz timetz, a_timestamp timestamp, a_timestamptz timestamptz,
	a_uuid uuid, a_mood mood, a_inet inet, a_cidr cidr, a_macaddr macaddr, a_macaddr8 macaddr8, a_lsn pg_lsn, a_class regclass, a_type regtype);
INSERT INTO kinds SELECT i, i, t[k], t[k], t[k], t[k], t[k]::"char", decode(t[k], 'escape'), k = 1, k, k * 70000, k * 5000000000, k * 1000000000::bigint, k / 3.0, k / 3.0, k / 3.0, k / 3.0, date '2020-02-28' + k, time '23:59:50.123' + make_interval(secs => k),
	timetz '12:00:00+05:45' + make_interval(secs => k), timestamp '1969-12-31 23:59:59.999999' + make_interval(secs => k), timestamptz '0001-01-01 00:00:00+00' + make_interval(days => k),
	md5(t[k])::uuid, (ARRAY['sad', 'so so', 'happy'])[k]::mood, ('10.0.0.' || k || '/24')::inet, ('10.0.' || k || '.0/24')::cidr, '08:00:2b:01:02:03'::macaddr, '08:00:2b:01:02:03:04:05'::macaddr8,
	('0/' || k)::pg_lsn, 'pg_class', 'int'
	FROM (SELECT i, 1 + i % 3 AS k, ARRAY['Ulm', 'O''Neill', 'x y'] AS t FROM generate_series(1, 900) i) s;
INSERT INTO kinds (id, amount) SELECT i, i FROM generate_series(1001, 1300) i;
INSERT INTO kinds (id, amount, a_text, a_float8, a_float4, a_numeric, a_date, a_timestamp) SELECT i, i, convert_from(decode('5ac3bc726963680a0920', 'hex'), 'UTF8'), 'NaN', '-Infinity', 'NaN', 'infinity', '-infinity' FROM generate_series(1301, 1600) i;
SELECT dp_agg.protect('kinds', 'id');
SET ROLE kept_ann;
CREATE FUNCTION key_of(key text, OUT groups bigint, OUT first bigint, OUT second bigint, OUT same boolean, OUT type text) LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT %I, dp_sum(amount, 0, 1000000000000) FROM kinds GROUP BY %1$I', key);
BEGIN
	SELECT p.* INTO first, second, same FROM pair(query, query) p;
	EXECUTE format('SELECT count(*), max(pg_typeof(%I)::text) FROM (%s) s', key, query) INTO groups, type;
EXCEPTION WHEN feature_not_supported OR undefined_function THEN
	type := sqlstate;
END $$;
SELECT attname, k.* FROM pg_attribute, LATERAL key_of(attname) k WHERE attrelid = 'kinds'::regclass AND attname LIKE 'a\_%' AND NOT attisdropped ORDER BY attnum;

\echo a label that has another name
SELECT charges FROM ask('SELECT how, city, dp_count(*) FROM people GROUP BY how, city');
CREATE TABLE moods (how mood, city text, n bigint);
PREPARE moods AS INSERT INTO moods SELECT how, city, dp_count(*) FROM people GROUP BY how, city;
EXECUTE moods;
RESET ROLE;
ALTER TYPE mood RENAME VALUE 'sad' TO 'blue';
SET ROLE kept_ann;
SELECT charges > 0 AS anew FROM ask('SELECT how, city, dp_count(*) FROM people GROUP BY how, city');
EXECUTE moods;
SELECT how, count(*) FROM moods GROUP BY how ORDER BY how;

\echo who sees which answers, and how often they were shown again
RESET ROLE;
SELECT dp_agg.forget_kept() > 40 AS forgotten;
SET ROLE kept_bob;
SET dp_agg.kept_max_age = '1 day';
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
SET ROLE kept_ann;
SELECT * FROM dp_agg.kept;
SELECT replays AS before FROM dp_agg.budgets \gset
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
SELECT charges FROM ask('SELECT dp_count(*) FROM people WHERE age > 20');
SELECT charges FROM ask('SELECT city, dp_count(*) FROM people GROUP BY city');
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) a, (SELECT city, dp_count(*) FROM people GROUP BY city) b;
SELECT dataset, role, question, asked_at BETWEEN now() - interval '10 min' AND clock_timestamp() AS asked_at, rows, replays FROM dp_agg.kept ORDER BY asked_at, question;
SELECT replays - :before AS replays FROM dp_agg.budgets;
SET ROLE kept_bob;
SELECT role, question, rows, replays FROM dp_agg.kept;
SELECT replays FROM dp_agg.budgets;
SET ROLE kept_officer;
SELECT count(*) FROM dp_agg.kept;
SELECT * FROM dp_agg.kept_answer;
SELECT dp_agg.forget_kept();
RESET ROLE;
SELECT role, question, rows, replays FROM dp_agg.kept ORDER BY asked_at, question;
-- the rows have them when the keeper has come round
CREATE FUNCTION entered_replays() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	found bigint;
BEGIN
	FOR i IN 1 .. 600 LOOP
		SELECT sum(a.replays) INTO found FROM dp_agg.kept_answer a;
		EXIT WHEN found = (SELECT sum(a.replays) FROM dp_agg.kept a);
		PERFORM pg_sleep(0.1);
	END LOOP;
	RETURN found;
END $$;
SELECT entered_replays();
SELECT role, question, rows, replays FROM dp_agg.kept ORDER BY asked_at, question;
SELECT length(question), asked_at = (SELECT at FROM dp_agg.ledger WHERE id = entry) AS asked_at, asked, a.relations, a.rows, length(released) > 10 AS released, length(hash) FROM dp_agg.kept_answer a, dp_agg.budget b
	WHERE b.number = a.budget AND b.role = 'kept_bob'::regrole;

\echo forgotten: by whom, whose, from before when
GRANT EXECUTE ON FUNCTION dp_agg.forget_kept(regrole, timestamptz) TO kept_officer;
SELECT asked_at AS middle FROM dp_agg.kept WHERE role = 'kept_ann'::regrole ORDER BY asked_at OFFSET 1 LIMIT 1 \gset
SET ROLE kept_officer;
SELECT dp_agg.forget_kept('kept_officer'), dp_agg.forget_kept('kept_ann', 'epoch'), dp_agg.forget_kept(NULL, '-infinity');
SELECT dp_agg.forget_kept('kept_ann', :'middle');
SELECT dp_agg.forget_kept(role => 'nobody_known');
BEGIN READ ONLY;
SELECT dp_agg.forget_kept();
COMMIT;
BEGIN;
SELECT dp_agg.forget_kept('kept_ann');
ROLLBACK;
RESET ROLE;
SELECT role, question FROM dp_agg.kept ORDER BY asked_at, question;
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
SELECT charges FROM ask('SELECT dp_count(*) FROM people WHERE age > 20');
RESET ROLE;
SELECT dp_agg.forget_kept(before => clock_timestamp(), role => 'kept_ann');
SELECT dp_agg.forget_kept(before => 'infinity');
SELECT dp_agg.forget_kept();

\echo what goes with tables, budgets and roles
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
SELECT charges FROM ask('SELECT dp_count(*) FROM visits JOIN people ON id = person');
SELECT charges FROM ask('SELECT dp_count(*) FROM kinds');
RESET ROLE;
BEGIN;
SELECT dp_agg.unprotect('people');
SELECT relations FROM dp_agg.kept_answer;
ROLLBACK;
SELECT count(*) FROM dp_agg.kept;
SELECT dp_agg.unprotect('visits');
SELECT relations FROM dp_agg.kept_answer ORDER BY asked_at;
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
RESET ROLE;
-- protected again, by the same policy or another: nothing is left over
SELECT dp_agg.protect('visits', 'person', 'default', 3, 3);
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM visits JOIN people ON id = person');
RESET ROLE;
SELECT dp_agg.protect('visits', 'person', 'default', 2, 3);
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM visits JOIN people ON id = person');
RESET ROLE;
SELECT dp_agg.set_budget('kept_ann', 2e9, 1e-3);
SELECT count(*) FROM dp_agg.kept;
SELECT dp_agg.drop_budget('kept_ann');
SELECT count(*) FROM dp_agg.kept_answer;
SELECT dp_agg.set_budget('kept_ann', 1e9, 1e-3);
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
RESET ROLE;
SELECT dp_agg.reset_budget('kept_ann');
SET ROLE kept_ann;
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
RESET ROLE;

\echo an answer of too many rows is not kept
CREATE TABLE numbers AS SELECT n FROM generate_series(1, 100001) n;
ALTER TABLE numbers ADD PRIMARY KEY (n);
CREATE TABLE few AS SELECT n FROM generate_series(1, 100000) n;
ALTER TABLE few ADD PRIMARY KEY (n);
GRANT SELECT ON numbers, few TO kept_ann;
ANALYZE numbers;
ANALYZE few;
SET ROLE kept_ann;
SET dp_agg.epsilon = 1;
CREATE FUNCTION asked(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT sum(statements) FROM dp_agg.budgets);
	rows bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (%s) t', query) INTO rows;
	RAISE NOTICE 'rows %', rows;
	RETURN (SELECT sum(statements) FROM dp_agg.budgets) - before;
END $$;
SELECT asked('SELECT n, dp_count(*) FROM numbers LEFT JOIN people ON id = n GROUP BY n'), asked('SELECT n, dp_count(*) FROM numbers LEFT JOIN people ON id = n GROUP BY n');
SELECT asked('SELECT n, dp_count(*) FROM few LEFT JOIN people ON id = n GROUP BY n'), asked('SELECT n, dp_count(*) FROM few LEFT JOIN people ON id = n GROUP BY n');
SELECT asked('SELECT * FROM dp_histogram(''people'', ''age'', 0, 100, 100001)'), asked('SELECT * FROM dp_histogram(''people'', ''age'', 0, 100, 100001)');
SELECT plan('SELECT * FROM dp_histogram(''people'', ''age'', 0, 100, 100001)');
SELECT aggregate, kept FROM dp_agg.price('SELECT * FROM dp_histogram(''people'', ''age'', 0, 100, 100001)');
SELECT aggregate, kept FROM dp_agg.last_release();
SELECT rows, replays FROM dp_agg.kept ORDER BY asked_at, question;

\echo an exhausted budget shows what it has paid for
RESET ROLE;
SELECT dp_agg.set_budget('kept_ann', 0.0001, 1e-3);
SET ROLE kept_ann;
SELECT dp_count(*) FROM people WHERE age > 21;
SET dp_agg.epsilon = 1000;
SELECT charges FROM ask('SELECT dp_count(*) FROM people');
SELECT epsilon, admitted, masked(kept) FROM dp_agg.price('SELECT dp_count(*) FROM people');
SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM people WHERE age > 22);
RESET ROLE;
SELECT * FROM dp_agg.verify_ledger();

\echo with the role its answers go
SELECT dp_agg.drop_budget('kept_ann');
SELECT dp_agg.drop_budget('kept_bob');
SELECT count(*) FROM dp_agg.kept_answer;

SET client_min_messages = warning;
ALTER ROLE kept_bob RESET dp_agg.kept_max_age;
DROP SCHEMA kept CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE kept_ann, kept_bob, kept_officer;
