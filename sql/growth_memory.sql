--
-- growth_memory: a kept answer that is shown again takes a session's memory once
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE SCHEMA growth_memory;
SET search_path = growth_memory, public;
SET dp_agg.epsilon = 1000;
CREATE TABLE visits (person int, word text);
INSERT INTO visits SELECT i, repeat(md5((i % 80000)::text), 4) FROM generate_series(1, 160000) i;
VACUUM ANALYZE visits;
SELECT dp_agg.protect('visits', 'person'), dp_agg.set_budget(current_user::regrole, 1e6, 1e-3);

-- Megabytes that this session has had at most: Linux counts them
CREATE FUNCTION most() RETURNS int LANGUAGE sql AS $$
	SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::int / 1024 $$;
SELECT count(*) FROM (SELECT word, dp_count(*) FROM visits GROUP BY word) groups;
SET dp_agg.kept_max_age = '1 day';
SELECT count(*) FROM (SELECT word, dp_count(*) FROM visits GROUP BY word) groups;
SELECT octet_length(released) / 1024 / 1024 AS megabytes FROM dp_agg.kept_answer;

-- a new session takes what is stored, and what that is made of, but no copy
\c
SET search_path = growth_memory, public;
SET dp_agg.epsilon = 1000;
SET dp_agg.kept_max_age = '1 day';
SET jit = off;
SELECT most() AS before \gset
SELECT count(*) FROM (SELECT word, dp_count(*) FROM visits GROUP BY word) groups;
SELECT most() - :before AS megabytes \gset
SELECT CASE WHEN :megabytes BETWEEN 14 AND 36 THEN 'once' ELSE :'megabytes' || ' MB' END AS held;

SET client_min_messages = warning;
DROP SCHEMA growth_memory CASCADE;
SELECT dp_agg.drop_budget(current_user::regrole);
DROP EXTENSION dp_agg;
