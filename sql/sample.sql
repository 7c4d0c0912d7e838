-- asking a sample of the units
CREATE EXTENSION dp_agg;
CREATE ROLE sample_analyst;
CREATE SCHEMA sample;
GRANT USAGE ON SCHEMA sample TO sample_analyst;
SET search_path = sample, public;
CREATE TABLE people (id int PRIMARY KEY, city int);
INSERT INTO people SELECT i, i % 2 FROM generate_series(1, 100000) i;
CREATE TABLE visits (person text COLLATE "C", city int, cost float8);
INSERT INTO visits SELECT 'person ' || i % 20000, i % 4, 1 FROM generate_series(0, 99999) i;
CREATE TABLE odd (unit bpchar, x int);
INSERT INTO odd SELECT 'x' || repeat(' ', i), i FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 100, max_groups => 4), dp_agg.protect('odd', 'unit', max_rows => 100);
SELECT dp_agg.set_budget('sample_analyst', 1e9, 1e-3);
ANALYZE people, visits;
DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_xmin IS NOT NULL) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END $$;
SET ROLE sample_analyst;
SET dp_agg.epsilon = 1000;
SET dp_agg.sample_rate = 0.25;

-- a binomial number is 10 standard deviations off with probability 1e-22
SELECT dp_count(*) BETWEEN 25000 - 1370 AND 25000 + 1370 AS quarter FROM people;
-- all rows of a unit, or none
SELECT dp_count(DISTINCT person) AS units, dp_count(*) AS rows, dp_sum(cost, 0, 100) AS cost FROM visits \gset
SELECT :units BETWEEN 5000 - 620 AND 5000 + 620 AS quarter, :rows = 5 * :units AS whole, abs(:cost - :rows) < 3 AS summed;
-- afresh each time
PREPARE ask AS SELECT dp_count(*) AS n FROM people;
EXECUTE ask \gset a_
EXECUTE ask \gset b_
EXECUTE ask \gset c_
SELECT :a_n <> :b_n OR :b_n <> :c_n AS fresh;
-- one sample for a block, one of its own for each
SELECT dp_count(*) AS n, dp_count(city) AS m FROM people \gset
SELECT :n = :m AS one;
SELECT a.n <> b.n OR a.n <> c.n AS other FROM (SELECT dp_count(*) AS n FROM people) a, (SELECT dp_count(*) AS n FROM people) b, (SELECT dp_count(*) AS n FROM people) c;
-- joined, grouped by the unit, and with workers that share the coins
SELECT dp_count(*) AS rows, dp_count(DISTINCT person) AS units FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) s WHERE n = 5 \gset
SELECT :rows = :units AND :rows BETWEEN 4380 AND 5620 AS quarter;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT dp_count(DISTINCT person) AS units, dp_count(*) AS rows FROM visits \gset
SELECT :units BETWEEN 4380 AND 5620 AS quarter, :rows = 5 * :units AS whole;
SELECT dp_count(*) BETWEEN 25000 - 1370 AND 25000 + 1370 AS quarter FROM people WHERE city >= 0;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- what it costs: the block's whole curve amplified
SET dp_agg.epsilon = 1; SET dp_agg.sample_rate = 0.1;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_count(city) FROM people;
DO $$
DECLARE
	line text;
BEGIN
	FOR line IN EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT dp_count(*) FROM people WHERE city > 7 LOOP
		RAISE NOTICE '%', regexp_replace(line, '\.00', '');
	END LOOP;
END $$;
SELECT aggregate, epsilon FROM dp_agg.price('SELECT dp_count(*) FROM people');
-- groups exist by a unit that is in the sample
SELECT aggregate, epsilon, round(delta::numeric, 15) AS delta FROM dp_agg.price('SELECT city, dp_count(*) FROM visits GROUP BY city');
RESET ROLE;
SELECT dp_agg.reset_budget('sample_analyst');
SET ROLE sample_analyst;
SELECT dp_count(*) IS NOT NULL AS answered FROM people;
RESET ROLE;
SELECT pure_epsilon BETWEEN ln(1 + 0.1 * (exp(1) - 1)) - 1e-8 AND ln(1 + 0.1 * (exp(1) - 1)) AS pure,
	rdp_spent[7] / dp_accountant.rdp_subsampled_laplace(2, 0.1, 1) BETWEEN 1 - 1e-8 AND 1 + 1e-8 AS second,
	rdp_spent[12] / dp_accountant.rdp_subsampled_laplace(3, 0.1, 1) BETWEEN 1 - 1e-8 AND 1 + 1e-8 AS third,
	releases->0->'sample_rate' AS rate
FROM dp_agg.ledger, dp_agg.budget b WHERE event = 'charge' AND b.number = budget ORDER BY id DESC LIMIT 1;
SELECT bool_and(s <= w) AS never_more, bool_and(s < w / 5) AS amplified FROM (SELECT rdp_spent FROM dp_agg.budget WHERE role = 'sample_analyst'::regrole) b,
	unnest(rdp_spent, ARRAY(SELECT dp_accountant.rdp_discrete_laplace(o::float8, 1, 1) FROM jsonb_array_elements_text('[1.1,1.15,1.2,1.3,1.45,1.7,2]') o)) u (s, w) WHERE w IS NOT NULL;
SELECT dp_accountant.pld_epsilon(releases, 1e-9) BETWEEN 0.8 * pure_epsilon AND pure_epsilon AS amplified FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 1;
SELECT count(*) FROM dp_agg.verify_ledger();
SET ROLE sample_analyst;
SET dp_agg.mechanism = gaussian;
SELECT dp_count(*) IS NOT NULL AS answered FROM people;
SELECT count(*) > 0 AS shown FROM (SELECT city, dp_count(*) FROM visits GROUP BY city) v;
RESET ROLE;
SELECT count(*) FROM dp_agg.verify_ledger();
SET ROLE sample_analyst;
RESET dp_agg.mechanism;
-- a refusal tells which epsilon would fit
RESET ROLE;
SELECT dp_agg.set_budget('sample_analyst', 0.05, 1e-6), dp_agg.reset_budget('sample_analyst');
SET ROLE sample_analyst;
SELECT dp_count(*) FROM people;
SET dp_agg.epsilon = 0.34;
SELECT dp_count(*) IS NOT NULL AS answered FROM people;
RESET ROLE;
SELECT dp_agg.set_budget('sample_analyst', 1e9, 1e-3);
SET ROLE sample_analyst;

-- units that are equal are in the sample together, whatever they look like; rates there are not
SET dp_agg.epsilon = 100000;
SELECT dp_count(*) IN (0, 100) AS together FROM odd;
RESET dp_agg.epsilon;
SET dp_agg.sample_rate = 0;
SET dp_agg.sample_rate = 1.5;
SET dp_agg.sample_rate = 1;
SELECT dp_count(*) IS NOT NULL AS answered FROM odd;
-- the coin is of the bytes, and fair
SELECT count(*) BETWEEN 4500 AND 5500 AS half FROM generate_series(1, 10000) i WHERE dp_agg_internal.sampled(i, '\x00112233445566778899aabbccddeeff', (-9223372036854775808)::bigint);
SELECT dp_agg_internal.sampled('a'::text, '\x00', 1);
RESET ROLE;
DROP SCHEMA sample CASCADE;
DROP OWNED BY sample_analyst;
DROP EXTENSION dp_agg;
DROP ROLE sample_analyst;
