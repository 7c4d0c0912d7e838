/* onlooker 1.0--1.1 */

\echo Use "ALTER EXTENSION onlooker UPDATE" to load this file. \quit

CREATE FUNCTION look_rows_again(oid) RETURNS bigint LANGUAGE internal STABLE STRICT AS 'pg_stat_get_live_tuples';
DROP VIEW look_tables;
CREATE VIEW look_tables AS SELECT relname, reltuples, relpages FROM pg_catalog.pg_class;
GRANT SELECT ON look_tables TO PUBLIC;
GRANT SELECT ON look_log TO PUBLIC;
CREATE FUNCTION colour_half(colour) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'textlen';
