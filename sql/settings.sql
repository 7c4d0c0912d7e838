--
-- settings: which there are, who may change them, and what they change
--
CREATE EXTENSION dp_agg;
-- the whole list: nothing here seeds noise or turns it off
SELECT name, setting, unit, context, vartype, enumvals FROM pg_settings WHERE name LIKE 'dp\_agg.%' ORDER BY name COLLATE "C";
SELECT name, min_val, max_val, short_desc <> '' AS described FROM pg_settings WHERE name LIKE 'dp\_agg.%' ORDER BY name COLLATE "C";
CREATE ROLE settings_analyst;
CREATE SCHEMA settings AUTHORIZATION settings_analyst;
SET search_path = settings, public;
CREATE TABLE visits (person int, city text);
INSERT INTO visits SELECT p, 'city ' || c FROM generate_series(1, 1000) p, generate_series(1, 4) c, generate_series(1, 3) r;
SELECT dp_agg.protect('visits', 'person', 'default', 2, 2);
SELECT dp_agg.set_budget('settings_analyst', 1e6, 1e-3);
SET ROLE settings_analyst;
-- those of the server are not the analyst's
SET dp_agg.keeper_idle_timeout = 100;
ALTER ROLE settings_analyst SET dp_agg.keeper_idle_timeout = 100;

-- what a query costs and how noisy it is, under each
CREATE VIEW price AS SELECT mechanism, round(sum(epsilon)::numeric, 4) AS epsilon, sum(delta) AS delta,
	round(max(noise_stddev)::numeric, 2) AS noise FROM dp_agg.price('SELECT city, dp_count(*) FROM visits GROUP BY city') GROUP BY mechanism;
TABLE price;
SET dp_agg.epsilon = 2;
TABLE price;
SET dp_agg.delta = 1e-6;
TABLE price;
SET dp_agg.max_rows = 1;
TABLE price;
SET dp_agg.max_groups = 4;
TABLE price;
SET dp_agg.mechanism = gaussian;
TABLE price;
RESET ALL;
SET search_path = settings, public;
TABLE price;

-- and how much of a unit's rows counts: noise at epsilon 50 is off by 20 or more
-- with a probability below 1e-60
SET dp_agg.epsilon = 50;
PREPARE total AS SELECT abs(dp_count(*) - 2000) <= 20 AS two_each, abs(dp_count(*) - 3000) <= 20 AS three_each,
	abs(dp_count(*) - 12000) <= 240 AS all_rows FROM visits;
EXECUTE total;
SET dp_agg.max_rows = 3;
EXECUTE total;
SET dp_agg.max_rows = 12;
EXECUTE total;
SET dp_agg.max_rows = 0;
EXECUTE total;
BEGIN;
SET LOCAL dp_agg.max_rows = 3;
EXECUTE total;
ROLLBACK;
EXECUTE total;
-- in a function's own setting, and back after it
CREATE FUNCTION generous() RETURNS bigint LANGUAGE plpgsql SET dp_agg.max_rows = 12 AS
	'BEGIN RETURN (SELECT dp_count(*) FROM visits); END';
SELECT abs(generous() - 12000) <= 240 AS all_rows;
EXECUTE total;
SELECT abs(generous() - 12000) <= 240 AS all_rows;
EXECUTE total;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA settings CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE settings_analyst;
