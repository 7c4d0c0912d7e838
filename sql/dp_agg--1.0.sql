/* dp_agg 1.0 */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dp_agg" to load this file. \quit

-- Names: analyst functions in the extension's schema, everything else in dp_agg.
CREATE SCHEMA dp_agg;
GRANT USAGE ON SCHEMA dp_agg TO PUBLIC;

--
-- budget: tables, administration, views
--

--
-- exact aggregates: what the rewriter emits below a release
--

--
-- analyst aggregates
--

--
-- policy: which tables are protected
--

CREATE FUNCTION dp_agg.protect(relation regclass, unit name, dataset text DEFAULT 'default',
							   max_rows int DEFAULT 1, max_groups int DEFAULT 1)
RETURNS void AS 'MODULE_PATHNAME', 'dp_query_protect'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION dp_agg.protect(regclass, name, text, int, int) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.protect(regclass, name, text, int, int) IS
'declare the column that identifies a table''s privacy units, the data set it belongs to, and the most rows of a unit that count in a group and the most groups a unit counts in; replaces what was declared before. Owner only. Errors: 42501 not the owner; 42703 no such column; 42804 unsuitable column; 42809 not an ordinary or partitioned table, or part of an inheritance tree; 22023 bad data set name or bounds';

CREATE FUNCTION dp_agg.unprotect(relation regclass)
RETURNS void AS 'MODULE_PATHNAME', 'dp_query_unprotect'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION dp_agg.unprotect(regclass) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.unprotect(regclass) IS
'withdraw a table from differentially private queries at once, cached plans included. Owner only. Errors: 42501 not the owner; 42704 not protected';

CREATE FUNCTION dp_agg.policy_fields(label text,
									 OUT dataset text, OUT max_rows int, OUT max_groups int)
AS 'MODULE_PATHNAME', 'dp_query_policy_fields'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.policy_fields(text) IS
'what a security label of provider dp_agg says; null if it is malformed';

CREATE VIEW dp_agg.protected_tables AS
	SELECT l.objoid::pg_catalog.regclass AS relation, a.attname AS unit,
		   f.dataset, f.max_rows, f.max_groups
	FROM pg_catalog.pg_seclabel l
	JOIN pg_catalog.pg_attribute a ON a.attrelid = l.objoid AND a.attnum = l.objsubid,
	LATERAL dp_agg.policy_fields(l.label) f
	WHERE l.provider = 'dp_agg' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass;
GRANT SELECT ON dp_agg.protected_tables TO PUBLIC;
COMMENT ON VIEW dp_agg.protected_tables IS
'tables that may be queried with differential privacy, as declared by dp_agg.protect';
COMMENT ON COLUMN dp_agg.protected_tables.relation IS 'the table; a partitioned table stands for all its partitions';
COMMENT ON COLUMN dp_agg.protected_tables.unit IS 'column that identifies the privacy unit';
COMMENT ON COLUMN dp_agg.protected_tables.dataset IS 'data set whose budgets pay for queries';
COMMENT ON COLUMN dp_agg.protected_tables.max_rows IS 'most rows of a unit that count in a group';
COMMENT ON COLUMN dp_agg.protected_tables.max_groups IS 'most groups a unit counts in';

--
-- planning and looking back: price, last_release
--
