--
-- private_means: a mean that stands alone decides which private groups are shown
--
CREATE EXTENSION dp_agg;
CREATE ROLE means_analyst;
CREATE SCHEMA means AUTHORIZATION means_analyst;
SET search_path = means, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, income float8);
INSERT INTO people SELECT i, 'city ' || i % 3, 20 + i % 50, i FROM generate_series(1, 3000) i;
-- a hundred villages of one person each, and a town whose ages nobody knows
INSERT INTO people SELECT 3000 + i, 'village ' || i, 99, 0 FROM generate_series(1, 100) i;
INSERT INTO people SELECT 4000 + i, 'town', NULL, 0 FROM generate_series(1, 1000) i;
CREATE TABLE visits (person int, city text, minutes int);
INSERT INTO visits SELECT p, 'city ' || c, 10 * c FROM generate_series(1, 1000) p, generate_series(0, 9) c, generate_series(1, 5) r;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 1, max_groups => 2);
SELECT dp_agg.set_budget('means_analyst', 1e6, 1e-3, partition_share => 0.5);
SET ROLE means_analyst;
SET dp_agg.epsilon = 1;
SET dp_agg.delta = 1e-13;

-- One release in place of two.  Its two totals tell the rows: with Laplace noise of scale 1, 33.08
-- of them: 1 + t where exp(-t) (2 + t) / 4 is delta.
PREPARE price(text) AS SELECT aggregate, mechanism, epsilon, delta, threshold::numeric(9, 2), noise_stddev::numeric(9, 2),
	half_width_95::numeric(9, 2) FROM (dp_agg.price($1) WITH ORDINALITY NATURAL JOIN dp_agg.price_details($1) WITH ORDINALITY) ORDER BY ordinality;
EXECUTE price('SELECT city, dp_avg(income, 0, 3000) FROM people GROUP BY city');
EXECUTE price('SELECT city, dp_avg(minutes, 0, 100) FROM visits GROUP BY city');
SET dp_agg.mechanism = gaussian;
EXECUTE price('SELECT city, dp_avg(income, 0, 3000) FROM people GROUP BY city');
RESET dp_agg.mechanism;
EXPLAIN (COSTS OFF) SELECT city, dp_avg(income, 0, 3000) FROM people GROUP BY city;

-- Public keys have no threshold; and a count of units decides where one is asked, or where the mean would tell less
-- surely: less epsilon, distinct values, several rows of a unit, bounds without width, other aggregates beside.
EXECUTE price('SELECT age > 30, dp_avg(income, 0, 3000) FROM people GROUP BY 1');
EXECUTE price('SELECT city, dp_avg(income, 0, 3000), dp_count(*) FROM people GROUP BY city');
EXECUTE price('SELECT city, dp_avg(income, 0, 3000, 0.5) FROM people GROUP BY city');
EXECUTE price('SELECT city, dp_avg(DISTINCT age, 0, 100) FROM people GROUP BY city');
EXECUTE price('SELECT city, dp_avg(income, 5, 5) FROM people GROUP BY city');
EXECUTE price('SELECT city, dp_avg(income, 0, 3000), dp_avg(age, 0, 100) FROM people GROUP BY city');
SET dp_agg.max_rows = 2;
EXECUTE price('SELECT city, dp_avg(minutes, 0, 100) FROM visits GROUP BY city');
RESET dp_agg.max_rows;

-- Cities are shown but for a chance below 1e-300, villages with one of delta each: 1e-11 for all that follow.  The town's
-- people have no age: who is not in the mean does not make it shown.
SELECT city, abs(dp_avg(income, 0, 3000) - 1500) < 150 AS right FROM people GROUP BY city;
SELECT city, abs(dp_avg(age, 0, 100) - 44.5) < 5 AS right, dp_interval(dp_avg(age, 0, 100), 0.999999999999) @> 44.5 AS held
FROM people GROUP BY city;
SELECT city, dp_avg(minutes, 0, 100) BETWEEN 0 AND 100 AS right FROM visits GROUP BY city;
SET dp_agg.mechanism = gaussian;
SELECT city, abs(dp_avg(age, 0, 100) - 44.5) < 5 AS right FROM people GROUP BY city;
SELECT city, dp_avg(age, 0, 100) FILTER (WHERE age > 90) IS NULL AS right FROM people GROUP BY city;
RESET dp_agg.mechanism;
SELECT aggregate, mechanism, epsilon, delta, threshold::numeric(9, 2) FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) ORDER BY ordinality;
RESET ROLE;
SET client_min_messages = warning;
SELECT count(*) AS wrong FROM dp_agg.verify_ledger();
SELECT b #> '{releases,0,threshold_delta}' AS delta, jsonb_array_length(b -> 'releases') AS releases
FROM (SELECT * FROM dp_agg.ledger WHERE admitted ORDER BY id DESC LIMIT 1) l, jsonb_array_elements(l.releases) b;

DROP SCHEMA means CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE means_analyst;
