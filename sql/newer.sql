--
-- newer: what PostgreSQL 16, 17 and 18 brought, where it meets the gate
--
CREATE EXTENSION dp_agg;
CREATE ROLE newer_analyst;
CREATE SCHEMA newer AUTHORIZATION newer_analyst;
SET search_path = newer, public;
-- The outcome of a statement: its first value, or its error.  A version that
-- does not know the feature yet has the expected one.
CREATE FUNCTION outcome(since int, statement text, expected text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	IF current_setting('server_version_num')::int / 10000 < since THEN
		RETURN expected;
	END IF;
	IF statement ~ '^(SELECT|EXPLAIN|WITH|INSERT.*RETURNING)' THEN
		EXECUTE statement INTO found;
	ELSE
		EXECUTE statement;
	END IF;
	RETURN COALESCE(found, 'NULL');
EXCEPTION WHEN others THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE people (id int PRIMARY KEY, age int, note text);
INSERT INTO people SELECT i, i % 10, '{}' FROM generate_series(1, 1000) i;
CREATE TABLE crowds (id int PRIMARY KEY, age int, note text);
INSERT INTO crowds SELECT i, i % 100, '{}' FROM generate_series(1, 30000) i;
CREATE INDEX ON crowds (age);
ANALYZE crowds;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('crowds', 'id');
SELECT dp_agg.set_budget('newer_analyst', 1e6, 1e-3);
SET ROLE newer_analyst;
-- Answers at epsilon 50 are off by 10 or more with a probability of 4e-218.
SET dp_agg.epsilon = 50;
PREPARE counting AS SELECT dp_count(*) FROM people;

-- EXPLAIN: the memory that planning takes is the same whatever rows and statistics a
-- table has; a plan without values is not shown; what serialization takes is known from
-- the answer
CREATE FUNCTION memory(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text;
BEGIN
	FOR i IN 1..2 LOOP
		FOR line IN EXECUTE 'EXPLAIN (MEMORY, SUMMARY OFF, COSTS OFF) ' || statement LOOP
			found = COALESCE(substring(line FROM 'Memory: .*'), found);
		END LOOP;
	END LOOP;
	RETURN found;
END $$;
SELECT outcome(17, $$SELECT count(DISTINCT memory(replace(query, 'people', name))) FROM unnest('{people,crowds}'::text[]) name,
	(VALUES ('SELECT dp_count(*) FROM people WHERE age < 5 AND id < 100')) q (query)$$, '1') AS amounts;
SELECT outcome(17, $$SELECT count(DISTINCT memory(replace(query, 'people', name))) FROM unnest('{people,crowds}'::text[]) name,
	(VALUES ('SELECT age, dp_count(*), dp_median(age, 0, 9) FROM people GROUP BY age')) q (query)$$, '1') AS amounts;
SELECT outcome(17, 'EXPLAIN (MEMORY) SELECT * FROM people', '42501 permission denied for table people');
SELECT outcome(16, 'EXPLAIN (GENERIC_PLAN) SELECT dp_count(*) FROM people WHERE age < $1',
	'0A000 a differentially private query needs the values of its parameters when it is planned');
SELECT outcome(17, 'EXPLAIN (ANALYZE, SERIALIZE, COSTS OFF) SELECT dp_count(*) FROM people',
	'Custom Scan (DpRelease) on dp_release') ~ 'DpRelease' AS shown;

-- statements
SELECT outcome(17, 'WITH m AS (MERGE INTO taken t USING (SELECT dp_count(*) AS n FROM people) s ON t.n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.n) RETURNING t.n) SELECT * FROM m', '42P01 relation "taken" does not exist');
CREATE TABLE taken (n bigint);
SELECT outcome(17, 'WITH m AS (MERGE INTO taken t USING (SELECT dp_count(*) AS n FROM people) s ON t.n = s.n
	WHEN NOT MATCHED THEN INSERT VALUES (s.n) RETURNING t.n) SELECT * FROM m',
	'0A000 only SELECT may contain a differentially private query');
SELECT outcome(18, 'INSERT INTO taken SELECT dp_count(*) FROM people RETURNING abs(new.n - 1000) <= 10 AND old.n IS NULL', 'true');

-- expressions
SELECT outcome(16, 'SELECT dp_count(*) FROM people WHERE note IS JSON',
	'0A000 this construct is not allowed in an expression over protected rows');
SELECT outcome(17, $$SELECT dp_count(*) FROM people WHERE JSON_EXISTS(note::jsonb, '$.a')$$,
	'0A000 this construct is not allowed in an expression over protected rows');
SELECT outcome(16, 'SELECT dp_count(*) BETWEEN 900 AND 1100 FROM people WHERE SYSTEM_USER IS NULL', 'true');
SELECT outcome(17, 'SELECT dp_count(*) FROM people WHERE random(1, age) > 0',
	'0A000 function random is not allowed in an expression over protected rows');
SELECT outcome(16, 'SELECT any_value(id), dp_count(*) FROM people',
	'0A000 aggregate any_value has no differentially private form for these arguments');
SELECT outcome(17, $$SELECT abs(dp_count(*) - 1000) <= 10 FROM people
	WHERE make_interval(days => 1) < 'infinity'::interval AND age * 'infinity'::interval IS DISTINCT FROM '1 day'$$, 'true');

-- what a uuid tells: its time and version, if it has any
RESET ROLE;
CREATE TABLE marks (id int PRIMARY KEY, mark uuid);
INSERT INTO marks SELECT i, CASE i % 4 WHEN 0 THEN 'd9428888-122b-11e1-b85c-61cd3cbb3210' WHEN 1 THEN '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' WHEN 2 THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'
	ELSE '00000000-0000-1000-8000-000000000000' END::uuid FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('marks', 'id');
SET ROLE newer_analyst;
SELECT outcome(17, 'SELECT bool_and(abs(n - CASE WHEN version = 1 THEN 500 ELSE 250 END) <= 10)::text || count(*) FROM (SELECT uuid_extract_version(mark) AS version, dp_count(*) AS n FROM marks GROUP BY 1) s', 'true3');
SELECT outcome(17, $$SELECT abs(dp_count(*) - 500) <= 10 FROM marks WHERE extract(year FROM uuid_extract_timestamp(mark)) IN (1582, 2011)$$, 'true');
SELECT outcome(18, $$SELECT abs(dp_count(*) - 250) <= 10 FROM marks WHERE date_trunc('month', uuid_extract_timestamp(mark), 'UTC') = '2022-02-01 00:00+00'$$, 'true');

-- foreign keys of periods: what is wrong with them is not that they are not enforced
RESET ROLE;
SELECT outcome(18, 'CREATE EXTENSION btree_gist', 'NULL');
SELECT outcome(18, 'CREATE TABLE houses (owner int NOT NULL, id int, during daterange, PRIMARY KEY (id, during WITHOUT OVERLAPS))', 'NULL');
SELECT outcome(18, 'CREATE TABLE guests (house int NOT NULL, during daterange NOT NULL, FOREIGN KEY (house, PERIOD during) REFERENCES houses (id, PERIOD during))', 'NULL');
SELECT outcome(18, $$SELECT dp_agg.protect('houses', 'owner')$$, '');
SELECT outcome(18, $$SELECT dp_agg.protect('guests', 'house', through => 'houses')$$, '55000 foreign key "guests_house_during_fkey" of "guests" is of periods');
SET ROLE newer_analyst;

-- Virtual generated columns: what stands for them is judged like what is
-- written.  Where age is 0 the quotient is an error and gives NULL.
RESET ROLE;
SELECT outcome(18, 'CREATE TABLE computed (id int PRIMARY KEY, age int, quotient int GENERATED ALWAYS AS (100 / age) VIRTUAL,
		doubled int GENERATED ALWAYS AS (age * 2) VIRTUAL, known boolean GENERATED ALWAYS AS (age IS NOT NULL) VIRTUAL, many text GENERATED ALWAYS AS (repeat(''x'', age)) VIRTUAL)',
	'NULL');
SELECT outcome(18, 'INSERT INTO computed SELECT i, i % 10 FROM generate_series(1, 1000) i', 'NULL');
SELECT outcome(18, $$SELECT dp_agg.protect('computed', 'doubled')$$,
	'42809 virtual generated column "doubled" cannot be the privacy unit');
SELECT outcome(18, $$SELECT dp_agg.protect('computed', 'id')$$, '');
SET ROLE newer_analyst;
SELECT outcome(18, 'SELECT abs(dp_count(*) - 100) <= 10 FROM computed WHERE quotient IS NULL', 'true');
SELECT outcome(18, 'SELECT abs(dp_count(quotient) - 900) <= 10 FROM computed', 'true');
SELECT outcome(18, 'SELECT abs(dp_sum(doubled, 0, 20) - 9000) <= 200 FROM computed', 'true');
SELECT outcome(18, 'SELECT bool_and(abs(n - 100) <= 10) FROM (SELECT doubled, dp_count(*) AS n FROM computed GROUP BY doubled) s', 'true');
SELECT outcome(18, 'SELECT bool_and(abs(n - 100) <= 10) FROM (SELECT doubled, dp_count(*) AS n FROM (SELECT doubled FROM computed) c GROUP BY doubled) s', 'true');
SELECT outcome(18, 'SELECT bool_and(abs(n - 500) <= 10) FROM (SELECT c.doubled > 8, dp_count(*) AS n FROM people p LEFT JOIN computed c ON c.id = p.id GROUP BY c.doubled > 8
	HAVING c.doubled > 8 IS NOT NULL) s', 'true');
SELECT outcome(18, 'SELECT dp_count(*) FROM people p LEFT JOIN computed c ON c.id = p.id WHERE c.known',
	'0A000 rows and generated columns of the nullable side of an outer join are not allowed in an expression over protected rows');
SELECT outcome(18, 'SELECT dp_count(*) FROM computed WHERE many = ''x''',
	'0A000 function repeat is not allowed in an expression over protected rows');

-- A table joined with itself by its key is one table since 18; where LATERAL unions read it, that ended the server.
RESET ROLE;
CREATE TABLE ages (age int PRIMARY KEY, next int);
INSERT INTO ages SELECT i, i + 1 FROM generate_series(0, 9) i;
GRANT SELECT ON ages TO newer_analyst;
SET ROLE newer_analyst;
SET dp_agg.max_rows = 2;
SELECT abs(dp_count(*) - 2000) <= 10 AS "right" FROM people p JOIN ages a ON a.age = p.age JOIN ages b ON b.age = a.age
	CROSS JOIN LATERAL (SELECT a.age, a.next UNION ALL SELECT a.next, NULL) l;
RESET dp_agg.max_rows;

-- Values of a column that an index has first, and of which a range is asked for, may be skipped since 18. How that is
-- done is looked up before rows are read, in a new session too.
RESET ROLE;
CREATE TABLE ranges (person int, day int);
INSERT INTO ranges SELECT i % 500, i / 10 FROM generate_series(1, 5000) i;
CREATE INDEX ON ranges (person, day);
SELECT dp_agg.protect('ranges', 'person', max_rows => 10, max_groups => 1);
\c -
SET search_path = newer, public;
SET ROLE newer_analyst;
SET dp_agg.epsilon = 50;
SET enable_seqscan = off;
SELECT abs(dp_count(*) - 1000) <= 100 AS "right" FROM ranges WHERE day BETWEEN 100 AND 349 AND person > 299;
RESET enable_seqscan;

-- A NOT NULL constraint that was not validated proves nothing: rows of no unit
-- are never counted.
RESET ROLE;
CREATE TABLE lax (id int UNIQUE);
INSERT INTO lax SELECT NULLIF(i, i % 2 * i) FROM generate_series(1, 1000) i;
SELECT outcome(18, 'ALTER TABLE lax ADD CONSTRAINT given NOT NULL id NOT VALID', 'NULL');
SELECT dp_agg.protect('lax', 'id');
SET ROLE newer_analyst;
SELECT abs(dp_count(*) - 500) <= 10 AS "right" FROM lax;

-- A limit on transactions that the database's owner sets is not the keeper's.
RESET ROLE;
SELECT outcome(17, format('ALTER DATABASE %I SET transaction_timeout = ''1ms''', current_database()), 'NULL');
SELECT count(pg_terminate_backend(pid, 10000)) <= 1 AS terminated FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper';
SET ROLE newer_analyst;
SELECT bool_and(abs(n - 1000) <= 10) AS "right" FROM (
	SELECT dp_count(*) AS n FROM people UNION ALL SELECT dp_count(*) FROM people) s;
RESET ROLE;
SELECT outcome(17, format('ALTER DATABASE %I RESET transaction_timeout', current_database()), 'NULL');

SET client_min_messages = warning;
DROP SCHEMA newer CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE newer_analyst;
