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
-- Planning replaces every call by exact totals under a release; these bodies
-- only say why they cannot run by themselves.

CREATE FUNCTION dp_agg.refuse(internal)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse_bigint(internal)
RETURNS bigint AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, "any", double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, smallint, bigint, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, smallint, bigint, bigint, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, integer, bigint, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, integer, bigint, bigint, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, bigint, bigint, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, bigint, bigint, bigint, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, numeric, numeric, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, numeric, numeric, numeric, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, real, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse_float8(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, real, double precision, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, double precision, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg.refuse(internal, double precision, double precision, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C;

CREATE AGGREGATE @extschema@.dp_count(*) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_count(*) IS
'differentially private number of rows, each unit counting at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_count("any") (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_count("any") IS
'differentially private number of rows whose argument is not null, or of units with DISTINCT unit column; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_count("any", double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_count("any", double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(smallint, bigint, bigint) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(smallint, bigint, bigint) IS
'differentially private sum; args: value, lower, upper: bounds (constant, finite) each unit''s total in a group is clamped to; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_sum(smallint, bigint, bigint, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(smallint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(integer, bigint, bigint) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(integer, bigint, bigint) IS
'differentially private sum; args: value, lower, upper: bounds (constant, finite) each unit''s total in a group is clamped to; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_sum(integer, bigint, bigint, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(integer, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(bigint, bigint, bigint) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(bigint, bigint, bigint) IS
'differentially private sum; args: value, lower, upper: bounds (constant, finite) each unit''s total in a group is clamped to; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_sum(bigint, bigint, bigint, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(bigint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(numeric, numeric, numeric) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_sum(numeric, numeric, numeric) IS
'differentially private sum; args: value, lower, upper: bounds (constant, finite) each unit''s total in a group is clamped to; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_sum(numeric, numeric, numeric, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_sum(numeric, numeric, numeric, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(real, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(real, double precision, double precision) IS
'differentially private sum; args: value, lower, upper: bounds (constant, finite) each unit''s total in a group is clamped to; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_sum(real, double precision, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(real, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(double precision, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(double precision, double precision, double precision) IS
'differentially private sum; args: value, lower, upper: bounds (constant, finite) each unit''s total in a group is clamped to; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_sum(double precision, double precision, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(smallint, bigint, bigint) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(smallint, bigint, bigint) IS
'differentially private mean of the value clamped to lower .. upper (constant, finite); args: value, lower, upper; a unit weighs at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_avg(smallint, bigint, bigint, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(smallint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(integer, bigint, bigint) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(integer, bigint, bigint) IS
'differentially private mean of the value clamped to lower .. upper (constant, finite); args: value, lower, upper; a unit weighs at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_avg(integer, bigint, bigint, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(integer, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(bigint, bigint, bigint) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(bigint, bigint, bigint) IS
'differentially private mean of the value clamped to lower .. upper (constant, finite); args: value, lower, upper; a unit weighs at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_avg(bigint, bigint, bigint, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(bigint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(numeric, numeric, numeric) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(numeric, numeric, numeric) IS
'differentially private mean of the value clamped to lower .. upper (constant, finite); args: value, lower, upper; a unit weighs at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_avg(numeric, numeric, numeric, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(numeric, numeric, numeric, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(real, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(real, double precision, double precision) IS
'differentially private mean of the value clamped to lower .. upper (constant, finite); args: value, lower, upper; a unit weighs at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_avg(real, double precision, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(real, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(double precision, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(double precision, double precision, double precision) IS
'differentially private mean of the value clamped to lower .. upper (constant, finite); args: value, lower, upper; a unit weighs at most max_rows; loss: dp_agg.epsilon';
CREATE AGGREGATE @extschema@.dp_avg(double precision, double precision, double precision, double precision) (
	SFUNC = dp_agg.refuse, STYPE = internal, FINALFUNC = dp_agg.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, lower double precision,
	upper double precision, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower double precision,
	OUT upper double precision, OUT count bigint)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_query_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, double precision, double precision, integer, double precision, text) IS
'differentially private histogram of a numeric column of a protected table, for use in FROM; lower < upper finite, bins 1 .. 1000000, epsilon: loss of the whole histogram for a unit with one row (NULL: dp_agg.epsilon), filter: one condition; every bin is answered, values outside the bounds count in the end bins';

--
-- release: what the rewriter puts into exact plans
--
CREATE FUNCTION dp_agg.withhold(anyelement, tag bigint)
RETURNS anyelement AS 'MODULE_PATHNAME', 'dp_query_withhold' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.withhold(anyelement, bigint) IS
'internal: its first argument under a running release, an error anywhere else';

CREATE FUNCTION dp_agg.random_priority()
RETURNS bigint AS 'MODULE_PATHNAME', 'dp_query_random_priority' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg.random_priority() IS
'internal: 64 random bits of the private generator, for choosing which groups a unit keeps';

CREATE FUNCTION dp_agg.bucket(smallint, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_query_bucket_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(integer, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_query_bucket_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(bigint, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_query_bucket_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(real, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_query_bucket_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(double precision, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_query_bucket_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(numeric, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_query_bucket_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

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
CREATE FUNCTION dp_agg.price(query text, OUT aggregate text, OUT mechanism text,
	OUT epsilon double precision, OUT delta double precision, OUT noise_stddev double precision,
	OUT half_width_95 double precision, OUT epsilon_spent_after double precision,
	OUT admitted boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_query_price' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION dp_agg.price(text) IS
'what a statement would cost the current role and how noisy its answers would be; charges nothing and reads no data; noise of a mean is that of the mean times the number of rows';

CREATE FUNCTION dp_agg.last_release(OUT aggregate text, OUT mechanism text,
	OUT epsilon double precision, OUT delta double precision, OUT noise_stddev double precision,
	OUT half_width_95 double precision, OUT epsilon_spent_after double precision,
	OUT admitted boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_query_last_release_sql' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION dp_agg.last_release() IS
'price and noise of this session''s last paid statement, as dp_agg.price shows them';
