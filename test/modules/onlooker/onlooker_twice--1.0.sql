/* onlooker_twice 1.0 */

\echo Use "CREATE EXTENSION onlooker_twice" to load this file. \quit

CREATE FUNCTION look_twice(oid) RETURNS bigint LANGUAGE internal STABLE STRICT AS 'pg_stat_get_live_tuples';
