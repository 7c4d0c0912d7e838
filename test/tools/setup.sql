-- Two protected tables, an owner who may read them and an analyst who may not.
CREATE EXTENSION dp_agg;
CREATE ROLE clinic LOGIN;
CREATE ROLE ann LOGIN;
GRANT USAGE, CREATE ON SCHEMA public TO clinic;
GRANT USAGE ON SCHEMA dp_agg TO clinic;

SET ROLE clinic;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, points bigint, income numeric(10,2), born date, active boolean);
INSERT INTO people
SELECT i, (ARRAY['Graz', 'Linz', 'Wien', 'Wien'])[1 + i % 4], 18 + i % 60, i % 1000, 1000 + i % 700 + 0.25,
	   date '1940-01-01' + i, i % 3 = 0
FROM generate_series(1, 8000) i;
CREATE TABLE visits (person int NOT NULL, at timestamptz NOT NULL, cost int NOT NULL);
INSERT INTO visits
SELECT 1 + i % 8000, timestamptz '2025-01-01 12:00+00' + i % 365 * interval '1 day', i % 200
FROM generate_series(1, 16000) i;
RESET ROLE;

SELECT dp_agg.protect('people', 'id', 'clinic'), dp_agg.protect('visits', 'person', 'clinic', max_rows => 4, max_groups => 12);
SELECT dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain('people', 'points', 0, 1000), dp_agg.set_domain('people', 'income', 0, 5000),
	dp_agg.set_domain('people', 'born', '1900-01-01', '2029-12-31'),
	dp_agg.set_domain('visits', 'at', '2020-01-01', '2029-12-31'), dp_agg.set_domain('visits', 'cost', 0, 500);
SELECT dp_agg.set_budget('ann', 1e12, 0.5, 'clinic');

-- What an administrator sets for a tool, which says nothing of prices itself.  Noise so
-- small that answers can be compared with the owner's.
ALTER ROLE ann SET dp_agg.epsilon = 1000000;

-- Months without rows are not among the owner's.
ALTER ROLE ann SET dp_agg.computed_keys = off;

-- What tools find that look for tables they may read.
SELECT dp_agg.publish('people', 'people_seen', ARRAY['id', 'city', 'age']), dp_agg.publish('visits', 'visits_seen');
