--
-- calls: histograms between declared bounds, and arguments that have no type
--
CREATE EXTENSION dp_agg;
CREATE ROLE calls_analyst;
CREATE SCHEMA calls;
GRANT USAGE ON SCHEMA calls TO calls_analyst;
SET search_path = calls, public;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE people (id int PRIMARY KEY, city text, code varchar(3), age int, pay numeric, f float8, how mood, born date, seen timestamp, logged timestamptz, woke time, tags text[], doc xml);
INSERT INTO people SELECT i, 'city ' || i % 3, 'c' || i % 2, i % 100, i % 100, i % 100, 'ok', date '1970-01-01' + i, '2020-01-01', '2020-01-01', '06:00', NULL, NULL
	FROM generate_series(1, 1200) i;
CREATE VIEW grown AS SELECT id, age + 10 AS age, born, city FROM people WHERE age >= 18;
CREATE VIEW lengths AS SELECT id, length(city) AS length FROM people;
CREATE TABLE public_table AS SELECT * FROM people;
GRANT SELECT ON public_table TO calls_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain('people', 'pay', -0.5, 99.5),
	dp_agg.set_domain('people', 'born', '1900-01-01', date '2030-01-01'), dp_agg.set_domain('people', 'seen', '2000-01-01', timestamp '2030-01-01 06:00'),
	dp_agg.set_domain('people', 'logged', '2000-01-01', timestamptz '2030-01-01 06:00'), dp_agg.set_domain('people', 'woke', '06:00', time '08:00'), dp_agg.set_domain('people', 'how', '{sad,ok}'::text[]);
SELECT dp_agg.set_budget('calls_analyst', 1e9, 0.5);
SET ROLE calls_analyst;
-- At epsilon 50 a bin is off by 10 or more with a probability of 4e-218.
SET dp_agg.epsilon = 50;

-- bins between the bounds of the column, of a view those of what it is made of
SELECT bin, lower, upper, abs(count - CASE WHEN bin <= 5 THEN 240 ELSE 0 END) <= 10 AS right FROM dp_histogram('people', 'age', bins => 6);
SELECT bin, lower, upper, abs(count - 600) <= 10 AS right FROM dp_histogram('people', 'pay', 2);
SELECT min(lower), max(upper), abs(sum(count) - 984) <= 60 AS right FROM dp_histogram('grown', 'age', bins => 6);
SELECT count(*), abs(max(cumulative) - 600) <= 100 AS right FROM dp_cumulative('people', 'age', bins => 8, filter => 'age < 50');
SELECT aggregate, epsilon FROM dp_agg.price($$ SELECT * FROM dp_histogram('people', 'age', bins => 3, epsilon => 0.25), dp_cumulative('people', 'pay', 4, 0.5) $$);
PREPARE h AS SELECT count(*) FROM dp_histogram('people', 'age', bins => $1, epsilon => $2, filter => $3);
EXECUTE h (5, 50, 'age > 5');
EXECUTE h (7, NULL, NULL);
EXECUTE h (NULL, NULL, NULL);
DEALLOCATE h;

-- keys without a type: read as an array of the column's
SELECT bin, key, pg_typeof(key), abs(count - 400) <= 10 AS right FROM dp_histogram('people', 'city', '{city 0,city 2,nowhere}') WHERE bin < 3;
SELECT bin, key, abs(count - 12) <= 10 AS right FROM dp_histogram('people', 'age', '{07,8}');
SELECT bin, key, abs(count - 1) <= 10 AS right FROM dp_histogram('people', 'born', '{1970-01-02,"2 Mar 1970"}', 50, 'id > 0');
SELECT bin, key, abs(count - 600) <= 10 AS right FROM dp_histogram('people', 'code', '[0:1]={c0,c1}');
SELECT bin, key, abs(count - 1200 * (bin - 1)) <= 10 AS right FROM dp_histogram('people', 'how', '{sad,ok}');
SELECT * FROM dp_noisy_max('people', 'code', '{c1,c0,none}', 2, filter => 'code = ''c0'' OR id < 400');
PREPARE h AS SELECT bin, key, abs(count - 400) <= 10 AS right FROM dp_histogram($1, $2, $3, epsilon => $4, filter => $5);
EXECUTE h ('people', 'city', ARRAY['city 0', 'city 2']::text, 50, NULL);
EXECUTE h ('people', 'city', '{city 1}', NULL, 'id > 0');
EXECUTE h ('people', 'city', NULL, NULL, NULL);
EXECUTE h ('people', 'age', '{old}', NULL, NULL);
DEALLOCATE h;
PREPARE h AS SELECT key FROM dp_histogram('people', 'city', $1);
EXECUTE h ('{city 0,city 1}');
DEALLOCATE h;
PREPARE m AS SELECT candidate FROM dp_noisy_max('people', 'city', $1, $2, filter => $3) ORDER BY 1;
EXECUTE m ('{city 0,city 1,city 2}', 2, 'city > ''city 0''');
EXECUTE m ('{city 0,city 1,city 2}', 4, NULL);
DEALLOCATE m;
-- with a type as ever: keys come back as what they are
SELECT pg_typeof(key), count(*) FROM dp_histogram('people', 'age', ARRAY[7, 8]) GROUP BY 1;
-- bounds and a number of bins without a type are not taken for anything else
PREPARE h AS SELECT count(*), max(upper) FROM dp_histogram('people', 'age', 0, 100, $1);
EXECUTE h (4);
DEALLOCATE h;
PREPARE h AS SELECT count(*), max(upper) FROM dp_histogram('people', 'age', 0, 100, $1, $2, $3);
EXECUTE h (4, 50, 'id > 7');
DEALLOCATE h;

-- refused, and nothing charged
RESET ROLE;
SELECT dp_agg.reset_budget('calls_analyst');
SET ROLE calls_analyst;
SELECT * FROM dp_histogram('people', 'f', bins => 4);
SELECT * FROM dp_cumulative('people', 'f', bins => 4);
SELECT * FROM dp_histogram('lengths', 'length', bins => 4);
SELECT * FROM dp_histogram('people', 'city', bins => 4);
SELECT * FROM dp_histogram('people', 'how', bins => 4);
SELECT * FROM dp_histogram('people', 'born', bins => 4);
SELECT * FROM dp_cumulative('people', 'seen', bins => 4);
SET timezone = 'Asia/Tokyo';
SELECT * FROM dp_histogram('people', 'logged', bins => 4);
RESET timezone;
SELECT * FROM dp_histogram('people', 'woke', bins => 4);
SELECT * FROM dp_histogram('people', 'missing', bins => 4);
SELECT * FROM dp_histogram('people', 'age', bins => 0);
SELECT * FROM dp_histogram('people', 'age', bins => 4294967298);
SELECT * FROM dp_histogram('people', 'age', bins => NULL);
SELECT * FROM dp_histogram('public_table', 'age', bins => 3);
SELECT * FROM dp_histogram('people', 'city', '{}');
SELECT * FROM dp_histogram('people', 'city', '{a,a}');
SELECT * FROM dp_histogram('people', 'age', '{1,01}');
SELECT * FROM dp_histogram('people', 'city', '{a,NULL}');
SELECT * FROM dp_histogram('people', 'city', '{{a,b},{c,d}}');
SELECT * FROM dp_histogram('people', 'city', 'a,b');
SELECT * FROM dp_histogram('people', 'how', '{sad,angry}');
SELECT * FROM dp_histogram('people', 'tags', '{a,b}');
SELECT * FROM dp_histogram('people', 'doc', '{a,b}');
SELECT * FROM dp_noisy_max('people', 'missing', '{a,b}');
RESET ROLE;
SELECT statements FROM dp_agg.budget WHERE role = 'calls_analyst'::regrole;
-- a domain that is changed counts from then on
SELECT dp_agg.set_domain('people', 'age', 20, 40);
SET ROLE calls_analyst;
SELECT bin, lower, upper FROM dp_histogram('people', 'age', bins => 2);
RESET ROLE;
SELECT dp_agg.set_domain('people', 'age', 20, 20), dp_agg.hide_column('people', 'pay');
SET ROLE calls_analyst;
SELECT * FROM dp_histogram('people', 'age', bins => 2);
SELECT * FROM dp_histogram('people', 'pay', bins => 2);

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA calls CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE calls_analyst;
