--
-- what CREATE EXTENSION makes, and what is left when it is dropped
--
CREATE EXTENSION dp_agg;
SELECT extversion, extrelocatable FROM pg_extension WHERE extname = 'dp_agg';
DROP EXTENSION dp_agg;
SELECT count(*) FROM pg_namespace WHERE nspname = 'dp_agg';
