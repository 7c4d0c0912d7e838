--
-- answered_groups: a unit counts in no more groups than are answered, where it is known how many these are: noise, price
-- and all that follows are of so many, however many max_groups admits
--
CREATE EXTENSION dp_agg;
CREATE ROLE answered_analyst;
CREATE SCHEMA answered;
GRANT USAGE ON SCHEMA answered TO answered_analyst;
SET search_path = answered, public;
CREATE TYPE weather AS ENUM ('sun', 'rain', 'snow');
CREATE TABLE people (id int PRIMARY KEY, vip bool NOT NULL);
INSERT INTO people SELECT i, i % 2 = 0 FROM generate_series(1, 20) i;
-- each of 20 persons has two rows in each of 12 months, and many in months that are no keys
CREATE TABLE trips (person int, month int, far bool NOT NULL, night bool, sky weather NOT NULL, minutes int NOT NULL, day date NOT NULL, town text);
INSERT INTO trips SELECT p, m, m % 2 = 0, false, 'sun', 10, '2025-01-01', 'a' FROM generate_series(1, 20) p, generate_series(1, 12) m, generate_series(1, 2);
INSERT INTO trips SELECT p, m, m % 2 = 0, false, 'sun', 10, '2025-01-01', 'a' FROM generate_series(1, 20) p, generate_series(13, 80) m;
CREATE TABLE months AS SELECT i AS month FROM generate_series(1, 12) i;
ALTER TABLE months ADD PRIMARY KEY (month);
GRANT SELECT ON months TO answered_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('trips', 'person', max_rows => 5, max_groups => 64);
SELECT dp_agg.set_domain('trips', 'month', ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), dp_agg.set_domain('trips', 'minutes', 0, 59),
	dp_agg.set_domain('trips', 'day', date '2025-01-01', date '2025-06-30');
SELECT dp_agg.set_budget('answered_analyst', 1e12, 1e-3);
-- all that a price says, with so many groups, and which max_groups it says
CREATE FUNCTION lines(groups int, query text, OUT lines text[], OUT max_groups text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_agg.max_groups', groups::text, true);
	SELECT array_agg(p::text), string_agg(DISTINCT coalesce(p.max_groups::text, '-'), ' ') INTO lines, max_groups FROM dp_agg.price(query) p;
	PERFORM set_config('dp_agg.max_groups', '0', true);
END $$;
-- with as many as are declared: is all as with d, and other than with one less?
CREATE FUNCTION priced(d int, query text, OUT max_groups text, OUT as_of_these bool, OUT as_of_fewer bool) LANGUAGE sql AS $$
	SELECT a.max_groups, a.lines = b.lines, a.lines = c.lines FROM lines(0, query) a, lines(d, query) b, lines(d - 1, query) c $$;
SET ROLE answered_analyst;
SET client_min_messages = warning; SET dp_agg.noise_notice = off; SET dp_agg.delta = 1e-9; SET dp_agg.epsilon = 0.5;

-- declared keys, booleans, enums, computed keys, buckets, several keys; any aggregate; what is shown of the groups is no matter
CREATE TEMP TABLE questions (number int GENERATED ALWAYS AS IDENTITY, d int, query text);
INSERT INTO questions (d, query) VALUES
	(12, 'SELECT month, count(*), sum(minutes), avg(minutes), count(DISTINCT person) FROM trips GROUP BY month'),
	(12, 'SELECT month, count(*) FILTER (WHERE far), count(*) FILTER (WHERE night) FROM trips GROUP BY month'),
	(12, 'SELECT month, dp_median(minutes), variance(minutes), count(DISTINCT town) FROM trips GROUP BY month'),
	(12, 'SELECT month, count(*) FROM trips WHERE month < 4 GROUP BY month HAVING count(*) > 5 ORDER BY 2 LIMIT 1'),
	(12, 'SELECT sum(n) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) s'),
	(2, 'SELECT far, count(*) FROM trips GROUP BY far'),
	(3, 'SELECT night, count(*) FROM trips GROUP BY night'),
	(3, 'SELECT sky, count(*) FROM trips GROUP BY sky'),
	(36, 'SELECT month, night, count(*) FROM trips GROUP BY month, night'),
	(6, 'SELECT minutes / 10, count(*) FROM trips GROUP BY 1'),
	(6, 'SELECT date_trunc(''month'', day), count(*) FROM trips GROUP BY 1'),
	(5, 'SELECT dp_agg.bucket(minutes, 0, 60, 5), count(*) FROM trips GROUP BY 1'),
	(2, 'SELECT vip, count(*) FROM trips JOIN people ON id = person GROUP BY vip'),
	(8, 'SELECT * FROM dp_histogram(''trips'', ''minutes'', 0, 60, 8)'),
	(3, 'SELECT * FROM dp_histogram(''trips'', ''town'', ARRAY[''a'', ''b'', ''c''])'),
	(8, 'SELECT * FROM dp_cumulative(''trips'', ''minutes'', 0, 60, 8)');
SELECT mechanism, clipping, number, d, p.* FROM unnest(ARRAY['laplace', 'gaussian']) mechanism, unnest(ARRAY['fixed', 'auto']) clipping, questions,
	LATERAL (SELECT set_config('dp_agg.mechanism', mechanism, false), set_config('dp_agg.clipping', clipping, false)) s, LATERAL priced(d, query || left(s::text, 0)) p
	WHERE (p.max_groups, p.as_of_these, p.as_of_fewer) IS DISTINCT FROM (d::text, true, false) ORDER BY 1, 2, 3;
SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed;
SELECT d, max_groups, as_of_these, as_of_fewer, query FROM questions, priced(d, query) ORDER BY number;
-- in as many groups as there are, and in fewer, a unit counts in as many as it may
SELECT g, max_groups, round(noise_stddev) AS noise FROM unnest(ARRAY[1, 6, 11, 12, 13, 64, 1000000]) g, LATERAL (SELECT set_config('dp_agg.max_groups', g::text, false)) s,
	LATERAL dp_agg.price('SELECT month, count(*) FROM trips GROUP BY month' || left(s::text, 0)) ORDER BY g;
RESET dp_agg.max_groups;
-- a unit may be in all groups of all sets, and each set is charged for its own; all rows together are one
SELECT aggregate, max_groups, round(noise_stddev) AS noise FROM dp_agg.price('SELECT month, far, count(*) FROM trips GROUP BY GROUPING SETS ((month), (far), (month, far), ())');
-- not where nobody knows how many there are before rows are read: private groups, alone or beside others, and keys that tables list
SELECT q, max_groups FROM (VALUES ('town'), ('town, far'), ('minutes / 10, minutes / 20')) v (q), priced(12, 'SELECT count(*) FROM trips GROUP BY ' || q);
SELECT max_groups FROM priced(12, 'SELECT m.month, count(person) FROM months m LEFT JOIN trips t ON t.minutes = m.month GROUP BY 1');
-- ranks that are drawn cost what they cost, and noise added to candidates is for these
SELECT g, aggregate, mechanism, max_groups, round(noise_stddev) AS noise FROM unnest(ARRAY[3, 64]) g, LATERAL (SELECT set_config('dp_agg.max_groups', g::text, false)) s,
	unnest(ARRAY[2, 3]) k, dp_agg.price('SELECT * FROM dp_noisy_max(''trips'', ''town'', ARRAY[''a'', ''b'', ''c''], ' || k || ')' || left(s::text, 0)) ORDER BY k, g;
RESET dp_agg.max_groups;
EXPLAIN (COSTS OFF) SELECT month, count(*) FROM trips GROUP BY month;
SET dp_agg.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT far, count(*) FROM trips GROUP BY far;
-- groups share noise as where a unit is in all of them
SELECT g, mechanism, round(noise_stddev::numeric, 3) AS noise FROM unnest(ARRAY[6, 12, 64]) g, LATERAL (SELECT set_config('dp_agg.max_groups', g::text, false)) s,
	LATERAL dp_agg.price('SELECT month, count(*) FROM trips GROUP BY month' || left(s::text, 0)) ORDER BY g;
RESET dp_agg.max_groups;
-- what is chosen is among these, where there are enough
SET dp_agg.clipping = auto;
EXPLAIN (COSTS OFF) SELECT month, count(*) FROM trips GROUP BY month;
EXPLAIN (COSTS OFF) SELECT night, count(*) FROM trips GROUP BY night;

-- All count that may: rows of no key take no group's place.  At epsilon 1e6 no count is off with a probability above 1e-1000.
SET dp_agg.epsilon = 1e6;
CREATE FUNCTION pg_temp.counts(mechanism text, clipping text, groups int) RETURNS TABLE (months bigint, fewest bigint, most bigint, persons numeric, of_two bigint, sets text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_agg.mechanism', mechanism, true), set_config('dp_agg.clipping', clipping, true), set_config('dp_agg.max_groups', groups::text, true);
	RETURN QUERY SELECT (SELECT count(*) FROM (SELECT month, count(*) FROM trips GROUP BY month) s), (SELECT min(n) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) s),
		(SELECT max(n) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) s), (SELECT sum(n) FROM (SELECT month, count(DISTINCT person) AS n FROM trips GROUP BY month) s),
		(SELECT min(n) FROM (SELECT far, count(DISTINCT person) AS n FROM trips GROUP BY far) s),
		(SELECT string_agg(n::text, ' ' ORDER BY month, far) FROM (SELECT month, far, count(DISTINCT person) AS n FROM trips GROUP BY GROUPING SETS ((month), (far), ())) s);
END $$;
SELECT mechanism, clipping, c.* FROM unnest(ARRAY['laplace', 'gaussian']) mechanism, unnest(ARRAY['fixed', 'auto']) clipping, pg_temp.counts(mechanism, clipping, 0) c;
-- and of fewer, so many
SELECT groups, persons FROM unnest(ARRAY[1, 11, 12, 13]) groups, pg_temp.counts('laplace', 'fixed', groups);
-- a label that comes is one group more
SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed;
PREPARE skies AS SELECT sky, count(*) FROM trips GROUP BY sky;
EXECUTE skies;
SELECT max_groups FROM dp_agg.last_release();
RESET ROLE;
ALTER TYPE weather ADD VALUE 'fog';
SET ROLE answered_analyst;
EXECUTE skies;
SELECT max_groups FROM dp_agg.last_release();

-- kept answers: whatever beyond these groups max_groups is, it is one question, and fewer are another
SET dp_agg.epsilon = 0.5; SET dp_agg.kept_max_age = '1 day';
CREATE FUNCTION pg_temp.asked(groups int) RETURNS TABLE (answer bigint[], free bool) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_agg.max_groups', groups::text, true);
	RETURN QUERY SELECT array_agg(n ORDER BY month), (SELECT bool_and(kept IS NOT NULL) FROM dp_agg.last_release()) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) s;
END $$;
SELECT answer AS first FROM pg_temp.asked(64) \gset
SELECT g, answer = :'first' AS same FROM unnest(ARRAY[12, 13, 1000000, 11]) WITH ORDINALITY v (g, n), pg_temp.asked(g) ORDER BY n;
SELECT g, kept IS NOT NULL AS free FROM unnest(ARRAY[0, 12, 13, 11, 10]) WITH ORDINALITY v (g, n), LATERAL (SELECT set_config('dp_agg.max_groups', g::text, false)) s,
	dp_agg.price('SELECT array_agg(n ORDER BY month) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) s' || left(s::text, 0)) ORDER BY n;
RESET dp_agg.max_groups;
-- and what is kept is added up as ever: no group of a unit is dropped
SET dp_agg.kept_rollup = 3;
SELECT count(*) FROM (SELECT month, far, count(*) FROM trips GROUP BY month, far) s;
SELECT max_groups, kept ~ 'added up' AS added_up FROM dp_agg.price('SELECT month, count(*) FROM trips WHERE far GROUP BY month');
RESET dp_agg.kept_rollup; RESET dp_agg.kept_max_age;

-- what is charged is what was said, of the noise that the ledger has
CREATE FUNCTION pg_temp.charges(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	said float8 := (SELECT max(epsilon_spent_after) FROM dp_agg.price(query));
BEGIN
	EXECUTE query;
	RETURN said = (SELECT max(epsilon_spent_after) FROM dp_agg.last_release());
END $$;
SELECT mechanism, count(*) FILTER (WHERE pg_temp.charges(query || left(s::text, 0))) AS as_said, count(*) FROM unnest(ARRAY['laplace', 'gaussian']) mechanism, LATERAL (SELECT set_config('dp_agg.mechanism', mechanism, false)) s, questions GROUP BY 1 ORDER BY 1;
SET dp_agg.mechanism = laplace;
DO $$ BEGIN PERFORM month, far, count(*), sum(minutes) FROM trips GROUP BY GROUPING SETS ((month), (far), (month, far), ()); END $$;
RESET ROLE;
SELECT number AS block, r ->> 'aggregate' AS aggregate, n ->> 'groups' AS groups FROM (SELECT releases FROM dp_agg.ledger ORDER BY id DESC LIMIT 1) l, jsonb_array_elements(releases) WITH ORDINALITY b (block, number), jsonb_array_elements(block -> 'releases') r,
	jsonb_array_elements(r -> 'noise') n ORDER BY 1, 2;
SELECT * FROM dp_agg.verify_ledger();

SET client_min_messages = warning;
DROP TABLE pg_temp.questions;
DROP FUNCTION pg_temp.counts, pg_temp.asked, pg_temp.charges;
DROP SCHEMA answered CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE answered_analyst;
