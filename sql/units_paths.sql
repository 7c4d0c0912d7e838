--
-- units_paths: another extension that replaces the plans of aggregates
--
CREATE EXTENSION dp_agg;
CREATE TABLE paths_visits (unit int, key int);
INSERT INTO paths_visits SELECT i % 500, i % 3 FROM generate_series(1, 3000) i;
SELECT dp_agg.protect('paths_visits', 'unit', max_rows => 10, max_groups => 3);
SELECT dp_agg.set_budget(current_user::regrole, 1000, 1e-3);
SET dp_agg.epsilon = 1;
-- Each of three groups has five hundred units, more than a hundred scales of noise above the threshold.
SELECT count(*) FROM (SELECT key, dp_count(*) FROM paths_visits GROUP BY key) s;
-- what an extension does with the plans of aggregates is not done below a release
LOAD 'dp_paths_test';
SELECT key, dp_count(*) > 0 FROM paths_visits GROUP BY key ORDER BY key;
SELECT dp_count(*) > 0 FROM paths_visits;
SELECT statements FROM dp_agg.budgets WHERE role = current_user::regrole;
DROP TABLE paths_visits;
SELECT dp_agg.drop_budget(current_user::regrole, 'default');
DROP EXTENSION dp_agg;
