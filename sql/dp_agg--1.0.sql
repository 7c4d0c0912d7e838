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

--
-- planning and looking back: price, last_release
--
