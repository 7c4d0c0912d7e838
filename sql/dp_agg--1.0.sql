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

-- Bounds come as a bytea constant holding a DpExactSpec (src/aggregate/exact.h),
-- results go as a bytea holding a DpTotals, both in units of 2^grid.  Functions
-- over internal are the aggregates' parts; SQL cannot call them.

CREATE FUNCTION dp_agg.add_clamped(internal, smallint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_clamped(internal, integer, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_clamped(internal, bigint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_clamped(internal, numeric, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_clamped(internal, real, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_clamped(internal, double precision, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION dp_agg.add_clamped(internal, smallint, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg.add_clamped(internal, integer, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg.add_clamped(internal, bigint, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg.add_clamped(internal, numeric, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg.add_clamped(internal, real, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg.add_clamped(internal, double precision, bytea) IS
	'transition: add a row, clamped to the bounds';

CREATE FUNCTION dp_agg.add_limited(internal, smallint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_limited(internal, integer, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_limited(internal, bigint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_limited(internal, numeric, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_limited(internal, real, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg.add_limited(internal, double precision, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION dp_agg.add_limited(internal, smallint, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg.add_limited(internal, integer, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg.add_limited(internal, bigint, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg.add_limited(internal, numeric, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg.add_limited(internal, real, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg.add_limited(internal, double precision, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';

CREATE FUNCTION dp_agg.exact_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_combine(internal, internal) IS
	'combine: add the second state over rows into the first';

CREATE FUNCTION dp_agg.exact_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_serialize(internal) IS
	'serialize a state over rows';

CREATE FUNCTION dp_agg.exact_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_deserialize(bytea, internal) IS
	'deserialize a state over rows';

CREATE FUNCTION dp_agg.exact_sum_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_sum_final(internal) IS
	'result: the sum of clamped rows';

CREATE FUNCTION dp_agg.exact_avg_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_avg_final(internal) IS
	'result: the sum of clamped rows less the lower bound, and their number';

CREATE FUNCTION dp_agg.unit_sum_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_unit_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.unit_sum_final(internal) IS
	'result: the total of a unit, clamped';

CREATE FUNCTION dp_agg.unit_avg_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_unit_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.unit_avg_final(internal) IS
	'result: the sum of a unit above the lower bound, scaled down to max_rows rows';

CREATE FUNCTION dp_agg.unit_rows_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_unit_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.unit_rows_final(internal) IS
	'result: the rows of a unit, at most max_rows';

-- Row level: a row is a whole unit.
CREATE AGGREGATE dp_agg.exact_sum(x smallint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_sum(x integer, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_sum(x bigint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_sum(x numeric, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_sum(x real, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_sum(x double precision, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg.exact_sum(smallint, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg.exact_sum(integer, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg.exact_sum(bigint, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg.exact_sum(numeric, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg.exact_sum(real, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg.exact_sum(double precision, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';

CREATE AGGREGATE dp_agg.exact_avg(x smallint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_avg(x integer, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_avg(x bigint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_avg(x numeric, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_avg(x real, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.exact_avg(x double precision, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.exact_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg.exact_avg(smallint, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg.exact_avg(integer, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg.exact_avg(bigint, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg.exact_avg(numeric, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg.exact_avg(real, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg.exact_avg(double precision, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';

-- Unit level: the rows of one unit in one group.
CREATE AGGREGATE dp_agg.unit_sum(x smallint, spec bytea) (
	SFUNC = dp_agg.add_limited, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_sum(x integer, spec bytea) (
	SFUNC = dp_agg.add_limited, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_sum(x bigint, spec bytea) (
	SFUNC = dp_agg.add_limited, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_sum(x numeric, spec bytea) (
	SFUNC = dp_agg.add_limited, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_sum(x real, spec bytea) (
	SFUNC = dp_agg.add_limited, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_sum(x double precision, spec bytea) (
	SFUNC = dp_agg.add_limited, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_sum_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg.unit_sum(smallint, bytea) IS
	'total of the rows of a unit, clamped to the bounds, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_sum(integer, bytea) IS
	'total of the rows of a unit, clamped to the bounds, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_sum(bigint, bytea) IS
	'total of the rows of a unit, clamped to the bounds, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_sum(numeric, bytea) IS
	'total of the rows of a unit, clamped to the bounds, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_sum(real, bytea) IS
	'total of the rows of a unit, clamped to the bounds, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_sum(double precision, bytea) IS
	'total of the rows of a unit, clamped to the bounds, in grid units; NULL without rows';

CREATE AGGREGATE dp_agg.unit_avg(x smallint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_avg(x integer, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_avg(x bigint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_avg(x numeric, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_avg(x real, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_avg(x double precision, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_avg_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg.unit_avg(smallint, bytea) IS
	'sum of (row - lower bound) over the clamped rows of a unit, scaled down to max_rows rows, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_avg(integer, bytea) IS
	'sum of (row - lower bound) over the clamped rows of a unit, scaled down to max_rows rows, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_avg(bigint, bytea) IS
	'sum of (row - lower bound) over the clamped rows of a unit, scaled down to max_rows rows, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_avg(numeric, bytea) IS
	'sum of (row - lower bound) over the clamped rows of a unit, scaled down to max_rows rows, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_avg(real, bytea) IS
	'sum of (row - lower bound) over the clamped rows of a unit, scaled down to max_rows rows, in grid units; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_avg(double precision, bytea) IS
	'sum of (row - lower bound) over the clamped rows of a unit, scaled down to max_rows rows, in grid units; NULL without rows';

CREATE AGGREGATE dp_agg.unit_rows(x smallint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_rows_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_rows(x integer, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_rows_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_rows(x bigint, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_rows_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_rows(x numeric, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_rows_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_rows(x real, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_rows_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg.unit_rows(x double precision, spec bytea) (
	SFUNC = dp_agg.add_clamped, STYPE = internal, SSPACE = 128, FINALFUNC = dp_agg.unit_rows_final,
	COMBINEFUNC = dp_agg.exact_combine, SERIALFUNC = dp_agg.exact_serialize,
	DESERIALFUNC = dp_agg.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg.unit_rows(smallint, bytea) IS
	'rows of a unit, at most max_rows; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_rows(integer, bytea) IS
	'rows of a unit, at most max_rows; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_rows(bigint, bytea) IS
	'rows of a unit, at most max_rows; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_rows(numeric, bytea) IS
	'rows of a unit, at most max_rows; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_rows(real, bytea) IS
	'rows of a unit, at most max_rows; NULL without rows';
COMMENT ON AGGREGATE dp_agg.unit_rows(double precision, bytea) IS
	'rows of a unit, at most max_rows; NULL without rows';

-- Group level: over what the units handed on.
CREATE FUNCTION dp_agg.add_total(internal, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_total' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.add_total(internal, bigint) IS
	'transition: add the total of a unit';

CREATE FUNCTION dp_agg.add_pair(internal, bigint, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_pair' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.add_pair(internal, bigint, bigint) IS
	'transition: add both totals of a unit, if neither is NULL';

CREATE FUNCTION dp_agg.totals_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_totals_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.totals_combine(internal, internal) IS
	'combine: add the second state over units into the first';

CREATE FUNCTION dp_agg.totals_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_totals_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.totals_serialize(internal) IS
	'serialize a state over units';

CREATE FUNCTION dp_agg.totals_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_totals_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.totals_deserialize(bytea, internal) IS
	'deserialize a state over units';

CREATE FUNCTION dp_agg.exact_total_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_total' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_total_final(internal) IS
	'result: one total';

CREATE FUNCTION dp_agg.exact_pair_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_pair' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.exact_pair_final(internal) IS
	'result: two totals';

CREATE AGGREGATE dp_agg.exact_total(total bigint) (
	SFUNC = dp_agg.add_total, STYPE = internal, SSPACE = 48, FINALFUNC = dp_agg.exact_total_final,
	COMBINEFUNC = dp_agg.totals_combine, SERIALFUNC = dp_agg.totals_serialize,
	DESERIALFUNC = dp_agg.totals_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg.exact_total(bigint) IS
	'exact sum over units (one total); NULL is skipped';

CREATE AGGREGATE dp_agg.exact_pair(first bigint, second bigint) (
	SFUNC = dp_agg.add_pair, STYPE = internal, SSPACE = 48, FINALFUNC = dp_agg.exact_pair_final,
	COMBINEFUNC = dp_agg.totals_combine, SERIALFUNC = dp_agg.totals_serialize,
	DESERIALFUNC = dp_agg.totals_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg.exact_pair(bigint, bigint) IS
	'exact sums over units (two totals); a pair with a NULL is skipped';

-- Above the release: from noisy totals to what an analyst sees.
CREATE FUNCTION dp_agg.released_bigint(totals bytea, grid integer)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.released_bigint(bytea, integer) IS
	'total * 2^grid to the nearest bigint, saturating; 22023 for malformed totals';

CREATE FUNCTION dp_agg.released_numeric(totals bytea, grid integer)
	RETURNS numeric
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.released_numeric(bytea, integer) IS
	'total * 2^grid, rounded to the fewest decimals finer than the grid; 22023 for malformed totals';

CREATE FUNCTION dp_agg.released_float8(totals bytea, grid integer)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.released_float8(bytea, integer) IS
	'total * 2^grid; 22023 for malformed totals';

CREATE FUNCTION dp_agg.released_mean_laplace(totals bytea, lower double precision, upper double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_mean_laplace' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.released_mean_laplace(bytea, double precision, double precision) IS
	'mean within the bounds, from the noisy sums of (x - lower) and (upper - x); 22023 for malformed totals';

CREATE FUNCTION dp_agg.released_mean_gaussian(totals bytea, lower double precision, upper double precision,
		grid_sum integer, grid_count integer)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_mean_gaussian' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.released_mean_gaussian(bytea, double precision, double precision, integer, integer) IS
	'mean within the bounds, from the noisy sum of (x - midpoint) and the noisy count, each with its grid; 22023 for malformed totals';

--
-- analyst aggregates
--

--
-- policy: which tables are protected
--

--
-- planning and looking back: price, last_release
--
