--
-- quantile_levels: three or more quantiles of one column are drawn one inside the other, and
-- those of a level are charged once
--
CREATE EXTENSION dp_agg;
CREATE ROLE levels_analyst;
CREATE SCHEMA levels AUTHORIZATION levels_analyst;
SET search_path = levels, public;
-- 100 people at each of 100 ages; 6,000 without an income; visits of 500 people, twice at each of 10 places
CREATE TABLE people (id int PRIMARY KEY, age int, income int, city text, born date);
INSERT INTO people SELECT i, i % 100, greatest(0, i % 100 - 60), 'city ' || i % 2, date '2000-01-01' + i % 100 FROM generate_series(0, 9999) i;
CREATE TABLE visits (person int, place int, cost int);
INSERT INTO visits SELECT i % 500, i % 10, i % 10 * 10 FROM generate_series(0, 9999) i;
CREATE TABLE nobody (id int PRIMARY KEY, age int);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 20, max_groups => 2), dp_agg.protect('nobody', 'id');
SELECT dp_agg.set_budget('levels_analyst', 1e6, 1e-3);
SET ROLE levels_analyst;
CREATE FUNCTION price(query text) RETURNS TABLE (aggregate text, epsilon numeric, sensitivity numeric, half_width_95 numeric)
	LANGUAGE sql AS 'SELECT p.aggregate, round(p.epsilon::numeric, 4), round(p.sensitivity::numeric, 4), round(p.half_width_95::numeric, 1) FROM (dp_agg.price(query) WITH ORDINALITY NATURAL JOIN dp_agg.price_details(query) WITH ORDINALITY) p ORDER BY p.ordinality';
CREATE FUNCTION costs(query text) RETURNS numeric LANGUAGE sql AS 'SELECT round(sum(p.epsilon)::numeric, 6) FROM dp_agg.price(query) p';
-- At epsilon 10 a rank is off by 5 rows on a level with a probability below 1e-9; those asked for are 25 rows inside a point or more.
SET dp_agg.epsilon = 10;

\echo answers are those of each alone, and do not cross
SELECT dp_quantile(age, 0.255, 0, 99), dp_quantile(age, 0.505, 0, 99) AS middle, dp_quantile(age, 0.755, 0, 99), dp_quantile(age, 0.105, 0, 99) AS lowest FROM people;
-- a point of many rows is divided
SELECT dp_quantile(income, 0.25, 0, 99), dp_quantile(income, 0.5, 0, 99) AS middle, dp_quantile(income, 0.705, 0, 99) AS more, dp_quantile(income, 0.905, 0, 99) AS most FROM people;
SELECT city, dp_quantile(age, 0.255, 0, 99) / 2, dp_quantile(age, 0.505, 0, 99) / 2 AS middle, dp_quantile(age, 0.755, 0, 99) / 2 AS high FROM people WHERE city IN ('city 0', 'city 1') GROUP BY city ORDER BY 1;
SELECT dp_quantile(born, 0.255, '2000-01-01', '2000-04-09'), dp_quantile(born, 0.505, '2000-01-01', '2000-04-09') AS middle, dp_quantile(born, 0.755, '2000-01-01', '2000-04-09') AS high FROM people;
SET dp_agg.epsilon = 1000;
SELECT dp_quantile(cost, 0.25, 0, 99), dp_quantile(cost, 0.55, 0, 99) AS middle, dp_quantile(cost, 0.75, 0, 99) AS high FROM visits;
-- with a probability of 1e-13 all are none
SET dp_agg.epsilon = 0.2;
SELECT bool_and(a <= b AND b <= c AND c <= d) AS in_order, count(*) FROM (SELECT dp_quantile(cost, 0.2, 0, 99) AS a, dp_quantile(cost, 0.4, 0, 99) AS b, dp_quantile(cost, 0.6, 0, 99) AS c, dp_quantile(cost, 0.8, 0, 99) AS d
	FROM visits) q;

\echo of nobody all are NULL, but for one of 1e12 where a row would show; of few rows all or none
SET dp_agg.epsilon = 1000;
SELECT dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), dp_quantile(age, 0.75, 0, 99), dp_quantile(age, 0.9, 0, 99) FROM nobody;
SELECT age >= 0 AS known, dp_quantile(age, 0.205, 0, 99) AS low, dp_median(age, 0, 99) BETWEEN 49 AND 50 AS middle, dp_quantile(age, 0.755, 0, 99) AS high FROM people WHERE born IS NOT NULL GROUP BY age >= 0 ORDER BY 1;
-- 166 groups of 60 people, of which 15 % are none, one of 40 and 33 of nobody
SET dp_agg.epsilon = 0.3;
SELECT bool_and(num_nulls(a, b, c) IN (0, 3) AND (a <= b AND b <= c) IS NOT FALSE) AS together, count(*), bool_or(a IS NULL) AS some, bool_and(a IS NULL) AS every
	FROM (SELECT dp_quantile(age, 0.25, 0, 99) AS a, dp_median(age, 0, 99) AS b, dp_quantile(age, 0.75, 0, 99) AS c FROM people GROUP BY dp_agg.bucket(id, 0, 12000, 200)) q;

\echo what they cost
SET dp_agg.epsilon = 1;
SELECT * FROM price('SELECT dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), dp_quantile(age, 0.75, 0, 99) FROM people');
SELECT * FROM price('SELECT dp_quantile(age, 0.75, 0, 99), dp_quantile(age, 0.3, 0, 99) FROM people');
SELECT * FROM price('SELECT dp_quantile(cost, 0.9, 0, 99), dp_quantile(cost, 0.3, 0, 99), dp_quantile(cost, 0.6, 0, 99) FROM visits');
SELECT k, costs('SELECT ' || (SELECT string_agg(format('dp_quantile(age, %s, 0, 99)', i / (k + 1.0)), ', ') FROM generate_series(1, k) i) || ' FROM people') AS cost, ceil(log(2, k + 1)) AS levels
	FROM unnest(ARRAY[1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 99]) k;
-- what does not share: other epsilons, bounds, steps, values, filters; extremes; a fraction again
SELECT q.what, costs('SELECT dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), ' || q.what || ' FROM people') AS cost FROM (VALUES
	('dp_quantile(age, 0.75, 0, 99)'), ('dp_quantile(age, 0.75, 0, 99, 2)'), ('dp_quantile(age, 0.75, 0, 98)'), ('dp_quantile(age, 0.75, 0, 99, 1, 3)'),
	('dp_quantile(age + 1, 0.75, 0, 99)'), ('dp_quantile(age, 0.75, 0, 99) FILTER (WHERE income > 0)'), ('dp_max(age, 0, 99)'), ('dp_quantile(age, 1, 0, 99)'),
	('dp_quantile(age, 0.5, 0, 99)'), ('dp_quantile(age, 0.75, 0, 99), dp_quantile(age, 0.5, 0, 99)'), ('dp_quantile(age, 0.75, 0, 99), dp_quantile(income, 0.75, 0, 99), dp_median(income, 0, 99), dp_quantile(income, 0.1, 0, 99)'),
	('dp_quantile(age, 0.75, 0, 99), dp_count(*)')) q (what);
-- nor what errs more for its price one inside the other
SELECT q.fractions, costs('SELECT ' || (SELECT string_agg(format('dp_quantile(age, %s, 0, 99)', f), ', ') FROM unnest(q.fractions) f) || ' FROM people') AS cost FROM (VALUES
	(ARRAY[0.45, 0.5, 0.55]), (ARRAY[0.4, 0.5, 0.6]), (ARRAY[0.3, 0.5, 0.7]), (ARRAY[0.9, 0.95, 0.99]), (ARRAY[0.47, 0.48, 0.49, 0.5, 0.51, 0.52, 0.53])) q (fractions);
SELECT costs('SELECT percentile_disc(ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]) WITHIN GROUP (ORDER BY least(greatest(age, 0), 99)) FROM people') AS array;
SELECT costs('SELECT city, dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), dp_quantile(age, 0.75, 0, 99) FROM people GROUP BY city') AS with_private_groups;
EXPLAIN (COSTS off) SELECT dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), dp_quantile(age, 0.75, 0, 99) FROM people;
-- of so many rows a unit that places and fractions are coarser, and of more, which leave no room for levels
SET dp_agg.max_rows = 50000;
SELECT costs('SELECT dp_quantile(cost, 0.25, 0, 99), dp_quantile(cost, 0.5625, 0, 99), dp_quantile(cost, 0.75, 0, 99) FROM visits') AS shared;
SET dp_agg.max_rows = 50000000;
SELECT costs('SELECT dp_quantile(cost, 0.25, 0, 99), dp_quantile(cost, 0.5625, 0, 99), dp_quantile(cost, 0.75, 0, 99) FROM visits') AS separate;
RESET dp_agg.max_rows;

\echo what is charged, and that it follows from the ledger
SELECT count(*) FROM (SELECT dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), dp_quantile(age, 0.7, 0, 99) FROM people) q;
SELECT aggregate, round(epsilon::numeric, 4) AS epsilon FROM dp_agg.last_release();
SELECT count(*) FROM (SELECT dp_quantile(cost, 0.2, 0, 99), dp_quantile(cost, 0.4, 0, 99), dp_quantile(cost, 0.6, 0, 99), dp_quantile(cost, 0.8, 0, 99) FROM visits) q;
SET dp_agg.sample_rate = 0.5;
SELECT count(*) FROM (SELECT dp_quantile(age, 0.25, 0, 99), dp_median(age, 0, 99), dp_quantile(age, 0.75, 0, 99) FROM people) q;
RESET dp_agg.sample_rate;
RESET ROLE;
SELECT jsonb_pretty(releases #> '{0,releases}') AS releases, pure_epsilon::numeric(10, 6) FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 3;
SELECT abs(dp_accountant.pld_epsilon(releases, 1e-12) - pure_epsilon) <= 0.011 * pure_epsilon AS composed FROM dp_agg.ledger WHERE event = 'charge' AND NOT releases @? '$[*].sample_rate' ORDER BY id DESC LIMIT 2;
SELECT * FROM dp_agg.verify_ledger();

\echo kept answers are found in whatever order they are asked, each in its place
SET ROLE levels_analyst;
SET dp_agg.kept_max_age = '1 day';
CREATE TEMP TABLE answer AS SELECT dp_quantile(age, 0.25, 0, 99) AS low, dp_median(age, 0, 99) AS middle, dp_quantile(age, 0.75, 0, 99) AS high FROM people WHERE income >= 0;
SELECT a.low = q.low AND a.middle = q.middle AND a.high = q.high AS same FROM answer a,
	(SELECT dp_quantile(age, 0.75, 0, 99) AS high, dp_median(age, 0, 99) AS middle, dp_quantile(age, 0.25, 0, 99) AS low FROM people WHERE income >= 0) q;
RESET ROLE;
SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge' AND releases #>> '{0,where}' = 'income >= 0';
SET ROLE levels_analyst;
-- other fractions are another question
SELECT count(*) FROM (SELECT dp_quantile(age, 0.2, 0, 99) AS low, dp_median(age, 0, 99) AS middle, dp_quantile(age, 0.75, 0, 99) AS high FROM people WHERE income >= 0) q;
-- and so is one of them alone
SELECT count(*) FROM (SELECT dp_median(age, 0, 99) FROM people WHERE income >= 0) q;
RESET ROLE;
SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge' AND releases #>> '{0,where}' = 'income >= 0';

\echo intervals between them
SET ROLE levels_analyst;
RESET dp_agg.kept_max_age;
SET dp_agg.epsilon = 10;
SELECT lower(r) = low::numeric AND upper(r) = high::numeric AS between, lower(s) = 0 AND upper(s) = middle::numeric AS of_low FROM (SELECT dp_interval(dp_median(age, 0, 99)) AS r, dp_count(age), dp_quantile(age, 0.3, 0, 99) AS low,
	dp_median(age, 0, 99) AS middle, dp_quantile(age, 0.7, 0, 99) AS high, dp_interval(dp_quantile(age, 0.3, 0, 99)) AS s FROM people) q;
RESET ROLE;

SET client_min_messages = warning;
DROP TABLE answer;
DROP SCHEMA levels CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE levels_analyst;
