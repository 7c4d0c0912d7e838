--
-- withheld_quantiles: a notice where noise may have made NULL of a quantile
--
-- Of a group without rows a quantile is NULL with a probability of 99 %, so that one of six is but for a chance of 1e-12.
CREATE EXTENSION dp_agg;
CREATE ROLE withheld_analyst;
CREATE SCHEMA withheld AUTHORIZATION withheld_analyst;
SET search_path = withheld, public;
CREATE TABLE people (id int PRIMARY KEY, city text, i int);
INSERT INTO people SELECT k, 'city ' || k % 6, k % 50 FROM generate_series(1, 6000) k;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_domain('people', 'city', ARRAY['city 0', 'city 1', 'city 2', 'city 3', 'city 4', 'city 5']);
SELECT dp_agg.set_budget('withheld_analyst', 1e9, 0.5);
SET ROLE withheld_analyst;
SET dp_agg.epsilon = 1;
-- Settings of these tests have it off.
SELECT count(*) FROM (SELECT city, dp_median(i, 0, 50) FROM people WHERE id < 0 GROUP BY city) q;
SET dp_agg.noise_notice = on;
-- Once a statement, whatever it does with what is released, and of all that it shows.
SELECT count(*) FROM (SELECT city, dp_median(i, 0, 50) FROM people WHERE id < 0 GROUP BY city) q;
SELECT count(*) FROM (SELECT city, dp_median(i, 0, 50) FROM people WHERE id < 0 GROUP BY city) q, generate_series(1, 3);
-- An extreme has rows to aim inside of, and more of them at a smaller epsilon.
SET dp_agg.epsilon = 0.1;
SELECT count(*) FROM (SELECT city, dp_max(i, 0, 50) FROM people WHERE id < 0 GROUP BY city) q;
SET dp_agg.epsilon = 1;
-- A plain one, which is named as it is read.
SET client_min_messages = warning;
SELECT 1 AS told FROM people WHERE id < 0 HAVING count(*) > -100;
RESET client_min_messages;
SELECT count(*) FROM (SELECT city, percentile_cont(0.2) WITHIN GROUP (ORDER BY least(greatest(i, 0), 50)) FROM people WHERE id < 0 GROUP BY city) q;
-- Shown again, it is said again; of what has an answer, and of counts and means, nothing is.
SET dp_agg.kept_max_age = '1 hour';
SELECT count(*) FROM (SELECT city, dp_quantile(i, 0.9, 0, 50) FROM people WHERE id < 0 GROUP BY city) q;
SELECT count(*) FROM (SELECT city, dp_quantile(i, 0.9, 0, 50) FROM people WHERE id < 0 GROUP BY city) q;
RESET dp_agg.kept_max_age;
SELECT count(*) FROM (SELECT city, dp_median(i, 0, 50) FROM people GROUP BY city) q;
SELECT count(*) FROM (SELECT city, dp_avg(i, 0, 50), dp_count(*) FROM people GROUP BY city) q;
EXPLAIN (COSTS OFF) SELECT dp_median(i, 0, 50) FROM people WHERE id < 0;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA withheld CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE withheld_analyst;
