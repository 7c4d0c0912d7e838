--
-- what CREATE EXTENSION makes, and what is left when it is dropped
--
CREATE EXTENSION dp_agg;
SELECT extversion, extrelocatable FROM pg_extension WHERE extname = 'dp_agg';
-- what \df+ shows of what everybody may call: each has a comment, and its parameters names
CREATE VIEW callable AS
	SELECT p.oid::regprocedure::text AS called, pronargs, proargnames, obj_description(p.oid, 'pg_proc') AS comment
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
		AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dp_agg'
	WHERE p.pronamespace = e.extnamespace;
SELECT count(*) > 80 AS many, count(*) FILTER (WHERE comment IS NULL) AS uncommented,
	count(*) FILTER (WHERE pronargs > 0 AND proargnames IS NULL) AS unnamed FROM callable;
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE description IS NULL) AS uncommented
	FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dp_agg'
		LEFT JOIN pg_description c ON c.classoid = d.classid AND c.objoid = d.objid AND c.objsubid = 0
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND (d.classid = 'pg_proc'::regclass OR
		EXISTS (SELECT FROM pg_class r WHERE d.classid = 'pg_class'::regclass AND r.oid = d.objid AND relkind IN ('r', 'v', 'S')));
SELECT called, proargnames FROM callable WHERE called LIKE 'dp_avg(integer%' OR called LIKE 'dp_quantile(double%' ORDER BY 1;
DROP VIEW callable;
DROP EXTENSION dp_agg;
SELECT count(*) FROM pg_namespace WHERE nspname IN ('dp_agg', 'dp_accountant', 'dp_agg_internal');
