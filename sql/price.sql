--
-- price: dp_agg.price tells what a statement is then charged, for free, and
-- dp_agg.last_release what was charged
--
CREATE EXTENSION dp_agg;
CREATE ROLE price_analyst;
CREATE ROLE price_stranger;
CREATE SCHEMA price AUTHORIZATION price_analyst;
GRANT USAGE ON SCHEMA price TO price_stranger;
SET search_path = price, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, weight float8);
CREATE TABLE visits (person int, city text, age int, weight float8);
CREATE TABLE hidden (id int);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 100, i FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i % 100, 'city ' || i % 3, i % 100, i FROM generate_series(1, 300) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 5, 3);
SELECT dp_agg.set_budget('price_analyst', 50, 1e-5);
SET ROLE price_analyst;
CREATE TABLE results (a text, b float8);

-- how it looks
SELECT aggregate, mechanism, epsilon, delta, round(noise_stddev::numeric, 4) AS noise_stddev, half_width_95,
	round(epsilon_spent_after::numeric, 6) AS epsilon_spent_after, admitted
	FROM dp_agg.price('SELECT city, dp_count(*), dp_sum(age, 0, 100, 0.25) FROM people GROUP BY city');
SELECT aggregate, mechanism, epsilon, delta, admitted
	FROM dp_agg.price('SELECT city, dp_avg(weight, 0, 100) FROM visits WHERE age > 18 GROUP BY city');
SELECT aggregate, mechanism, epsilon, admitted
	FROM dp_agg.price($$ SELECT * FROM dp_histogram('people', 'age', 0, 100, 10, 0.5) $$);
-- what is rounded to whole numbers is off by whole numbers: 15 of a count whose noise has
-- a standard deviation of 8.06 would be 94.6 %
SET dp_agg.mechanism = gaussian; SET dp_agg.epsilon = 0.5; SET dp_agg.delta = 1e-6;
SELECT aggregate, round(noise_stddev::numeric, 4) AS noise_stddev, round(half_width_95::numeric, 4) AS half_width_95
	FROM dp_agg.price('SELECT dp_count(*), dp_sum(age, 0, 1), dp_sum(weight, 0, 1), dp_avg(age, 0, 1) FROM people', rows => 1);
RESET dp_agg.mechanism; RESET dp_agg.epsilon; RESET dp_agg.delta;
-- nothing was charged, nothing released
SELECT statements, refusals, epsilon_spent, delta_spent FROM dp_agg.budgets;
SELECT count(*) FROM dp_agg.last_release();

-- Price, run, compare: spent is what was said it would be, to the last bit, and
-- the last release has the lines of the price.
CREATE TABLE queries (number int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO queries (query) VALUES
	('SELECT dp_count(*) FROM people'),
	('SELECT dp_count(*), dp_count(age, 0.5), dp_sum(age, 0, 100), dp_avg(weight, -5, 5, 0.125) FROM people'),
	('SELECT dp_count(*), dp_count(DISTINCT person), dp_sum(age, 0, 100), dp_avg(weight, -5, 5) FROM visits'),
	('SELECT city, dp_sum(weight, 0, 1e6) FROM people GROUP BY city'),
	('SELECT city, dp_count(*) FROM people GROUP BY city'),
	('SELECT city, dp_count(*), dp_avg(age, 0, 10) FROM visits GROUP BY city'),
	('SELECT city, dp_count(DISTINCT person) FROM visits GROUP BY city HAVING dp_count(*) > 10 ORDER BY 2 LIMIT 1'),
	('SELECT * FROM dp_histogram(''people'', ''age'', 0, 100, 7)'),
	('SELECT * FROM dp_histogram(''visits'', ''weight'', 0, 100, 7, filter => ''age > 5'')'),
	('SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM visits)'),
	('SELECT dp_count(*) FROM people UNION ALL SELECT dp_count(*) FROM people'),
	('WITH c AS (SELECT dp_count(*) FROM people) SELECT * FROM c a, c b'),
	('SELECT dp_count(*) FROM people LIMIT 1'),
	('SELECT dp_count(*) FROM people WHERE false'),
	('INSERT INTO results SELECT city, dp_count(*) FROM people GROUP BY city');
CREATE FUNCTION check_price(query text, OUT lines bigint, OUT spent text, OUT delta text, OUT released text)
LANGUAGE plpgsql AS $$
DECLARE
	before dp_agg.budgets;
	after dp_agg.budgets;
	said float8;
	said_delta float8;
BEGIN
	SELECT * INTO before FROM dp_agg.budgets;
	CREATE TEMP TABLE said_lines AS SELECT * FROM dp_agg.price(query) WHERE admitted;
	CREATE TEMP TABLE said_details AS SELECT * FROM dp_agg.price_details(query);
	-- under Gaussian noise, a line with an epsilon has the delta of its calibration too
	SELECT count(*), max(epsilon_spent_after),
		sum(s.delta - CASE WHEN mechanism LIKE 'gaussian%' AND epsilon > 0 THEN current_setting('dp_agg.delta')::float8 ELSE 0 END)
		INTO lines, said, said_delta FROM said_lines s;
	EXECUTE query;
	SELECT * INTO after FROM dp_agg.budgets;
	spent := CASE WHEN after.epsilon_spent = said AND said > before.epsilon_spent THEN 'as said'
		ELSE format('%s, but said %s', after.epsilon_spent, said) END;
	said_delta := before.delta_spent + said_delta;
	delta := CASE WHEN abs(after.delta_spent - said_delta) < 1e-20 THEN 'as said'
		ELSE format('%s, but said %s', after.delta_spent, said_delta) END;
	released := CASE WHEN EXISTS (TABLE said_lines EXCEPT ALL SELECT * FROM dp_agg.last_release())
		OR EXISTS (SELECT * FROM dp_agg.last_release() EXCEPT ALL TABLE said_lines)
		OR EXISTS (TABLE said_details EXCEPT ALL SELECT * FROM dp_agg.last_release_details())
		OR EXISTS (SELECT * FROM dp_agg.last_release_details() EXCEPT ALL TABLE said_details) THEN 'otherwise' ELSE 'as said' END;
	DROP TABLE said_lines, said_details;
END $$;
SELECT number, c.* FROM queries, check_price(query) c ORDER BY number;
SET dp_agg.mechanism = gaussian;
SELECT number, c.* FROM queries, check_price(query) c ORDER BY number;
RESET dp_agg.mechanism;
SELECT statements, refusals FROM dp_agg.budgets;

-- settings change the price
CREATE FUNCTION quote(query text) RETURNS TABLE (mechanism text, epsilon float8, delta float8, noise_stddev numeric) LANGUAGE sql AS
$$ SELECT mechanism, epsilon, delta, round(noise_stddev::numeric, 2) FROM dp_agg.price(query) $$;
SELECT * FROM quote('SELECT dp_count(*) FROM visits');
SET dp_agg.epsilon = 0.5;
SELECT * FROM quote('SELECT dp_count(*) FROM visits');
SET dp_agg.max_rows = 1;
SELECT * FROM quote('SELECT dp_count(*) FROM visits');
SET dp_agg.max_rows = 10;
SELECT * FROM quote('SELECT dp_count(*) FROM visits');
SELECT * FROM quote('SELECT city, dp_count(*) FROM visits GROUP BY city');
SET dp_agg.max_groups = 1;
SELECT * FROM quote('SELECT city, dp_count(*) FROM visits GROUP BY city');
SET dp_agg.delta = 1e-6;
SELECT * FROM quote('SELECT city, dp_count(*) FROM visits GROUP BY city');
SET dp_agg.mechanism = gaussian;
SELECT * FROM quote('SELECT city, dp_count(*) FROM visits GROUP BY city');
RESET dp_agg.epsilon;
RESET dp_agg.delta;
RESET dp_agg.mechanism;
RESET dp_agg.max_rows;
RESET dp_agg.max_groups;

-- what of a unit counts, and what comes of it; means are of so many rows
CREATE FUNCTION bounds(query text, rows float8 DEFAULT 1000) RETURNS TABLE (aggregate text, max_rows int, max_groups int, sensitivity float8, threshold float8, stddev numeric, width numeric, at_rows float8) LANGUAGE sql AS
$$ SELECT aggregate, max_rows, max_groups, sensitivity, threshold, round(noise_stddev::numeric, 3), round(half_width_95::numeric, 3), at_rows FROM (dp_agg.price(query, rows) WITH ORDINALITY NATURAL JOIN dp_agg.price_details(query, rows) WITH ORDINALITY) ORDER BY ordinality $$;
SET dp_agg.max_rows = 10;
SELECT * FROM bounds('SELECT dp_count(*), dp_sum(weight, -5, 100), dp_avg(weight, 0, 100), dp_variance(weight, 0, 10), dp_median(weight, 0, 9), dp_count(DISTINCT person), dp_count(DISTINCT weight) FROM visits');
SELECT * FROM bounds('SELECT city, dp_count(*), dp_avg(weight, 0, 100) FROM visits GROUP BY city', 50);
SELECT * FROM bounds('SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city', 50);
EXPLAIN (COSTS OFF) SELECT city, dp_count(*), dp_avg(weight, 0, 100) FROM visits GROUP BY city;
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM visits', 0);
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM visits', 'NaN');
SELECT * FROM dp_agg.last_release('Infinity');
RESET dp_agg.max_rows;

-- what would not be admitted is said so, and is not a refusal
SELECT epsilon, admitted FROM dp_agg.price('SELECT dp_count(age, 100) FROM people');
SELECT delta, admitted FROM dp_agg.price('SELECT city, dp_count(*) FROM people GROUP BY city');
SET dp_agg.delta = 1e-3;
SELECT delta, admitted FROM dp_agg.price('SELECT city, dp_count(*) FROM people GROUP BY city');
RESET dp_agg.delta;
SELECT refusals FROM dp_agg.budgets;
SET ROLE price_stranger;
SELECT epsilon, epsilon_spent_after, admitted FROM dp_agg.price('SELECT dp_count(*) FROM people');

-- statements without a release have no price, whatever else they are has an error
SET ROLE price_analyst;
SELECT * FROM dp_agg.price('SELECT 1');
CREATE FUNCTION complaint(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN count(*) || ' lines' FROM dp_agg.price(query);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT complaint('SELECT * FROM people');
SELECT complaint('SELECT dp_count(*), (SELECT count(*) FROM hidden) FROM people');
SELECT complaint('SELECT dp_count(*) FROM people; SELECT 1');
SELECT complaint('CREATE TABLE t AS SELECT dp_count(*) FROM people');
SELECT complaint('EXPLAIN ANALYZE SELECT dp_count(*) FROM people');
SELECT complaint('DROP TABLE results');
SELECT complaint('DELETE FROM results WHERE b > (SELECT dp_count(*) FROM people)');
SELECT complaint('');
SELECT complaint('nonsense');
SELECT complaint(NULL);
SELECT complaint('SELECT dp_count(*) FROM people WHERE age = $1');
-- pricing an INSERT inserts nothing
SELECT count(*) FROM dp_agg.price('INSERT INTO results SELECT city, dp_count(*) FROM people GROUP BY city');
SELECT count(*) FROM results WHERE a LIKE 'city %' AND b IS NULL;

-- the last release is that of this session's last paid statement
SELECT dp_count(*) IS NOT NULL FROM people;
-- beside a release in one statement it tells of that, whichever is read first
SELECT r.aggregate, r.epsilon FROM (SELECT dp_count(age, 0.25) FROM people) s, dp_agg.last_release() r;
SELECT r.aggregate, r.epsilon FROM dp_agg.last_release() r, LATERAL (SELECT dp_count(age, 0.125) FROM people OFFSET 0) s;
SELECT aggregate, epsilon FROM dp_agg.last_release();
SELECT dp_count(*) FROM people WHERE random() > 1;
SELECT dp_count(age, 1000) FROM people;
SELECT aggregate, epsilon FROM dp_agg.last_release();
BEGIN;
SELECT dp_sum(age, 0, 100) IS NOT NULL FROM people;
ROLLBACK;
SELECT aggregate, epsilon FROM dp_agg.last_release();
SET ROLE price_stranger;
SELECT aggregate, epsilon FROM dp_agg.last_release();
SET ROLE price_analyst;
SELECT aggregate, epsilon FROM dp_agg.last_release();
-- and of who paid for it, whoever's rights it was asked with
RESET ROLE;
CREATE FUNCTION price.asks() RETURNS bool LANGUAGE sql SECURITY DEFINER SET search_path = price, public AS 'SELECT dp_avg(age, 0, 100) IS NOT NULL FROM people';
SET ROLE price_analyst;
SELECT price.asks();
SELECT aggregate, epsilon FROM dp_agg.last_release();
\c -
SELECT * FROM dp_agg.last_release();
SELECT * FROM dp_agg.last_release_details();

SET client_min_messages = warning;
DROP SCHEMA price CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE price_analyst, price_stranger;
