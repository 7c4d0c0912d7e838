/* onlooker 1.0 */

\echo Use "CREATE EXTENSION onlooker" to load this file. \quit

-- What looks at tables: by a function of the server's, by one that claims to be IMMUTABLE, by one that has
-- a value of the extension's own to compute with besides, and by the rights of whoever made it.
CREATE FUNCTION look_rows(oid) RETURNS bigint LANGUAGE internal STABLE STRICT AS 'pg_stat_get_live_tuples';
CREATE FUNCTION look_size(regclass, text) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT AS 'pg_relation_size';
CREATE FUNCTION look_count(relation text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %s', relation) INTO n;
	RETURN n;
END $$;
CREATE PROCEDURE look_into(relation text, INOUT n bigint) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	EXECUTE format('SELECT count(*) FROM %s', relation) INTO n;
END $$;
CREATE FUNCTION look_changed() RETURNS bigint LANGUAGE internal IMMUTABLE AS 'pg_stat_get_buf_alloc';
CREATE VIEW look_tables AS SELECT relname, reltuples FROM pg_catalog.pg_class;
CREATE TABLE look_log (at timestamptz, what text, n bigint);
CREATE SEQUENCE look_turns;
GRANT SELECT ON look_tables TO PUBLIC;
GRANT SELECT (at, n), UPDATE (n) ON look_log TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('look_log', '');
GRANT USAGE ON SEQUENCE look_turns TO PUBLIC;

-- A type with what belongs to one.
CREATE TYPE colour;
CREATE FUNCTION colour_in(cstring) RETURNS colour LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION colour_out(colour) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE colour (INPUT = colour_in, OUTPUT = colour_out, LIKE = text, COLLATABLE = true);
CREATE FUNCTION colour_equal(colour, colour) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'texteq';
CREATE OPERATOR = (LEFTARG = colour, RIGHTARG = colour, FUNCTION = colour_equal);
CREATE FUNCTION colour_length(colour) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'textlen';
CREATE FUNCTION colour_larger(colour, colour) RETURNS colour LANGUAGE internal IMMUTABLE STRICT AS 'text_larger';
CREATE AGGREGATE max(colour) (SFUNC = colour_larger, STYPE = colour);
CREATE FUNCTION like_it(text, text) RETURNS boolean LANGUAGE internal STABLE STRICT AS 'textlike';
CREATE OPERATOR ~~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = like_it);
CREATE FUNCTION colour_of(text) RETURNS colour LANGUAGE internal IMMUTABLE STRICT AS 'upper';
CREATE CAST (text AS colour) WITH FUNCTION colour_of(text);
CREATE FUNCTION look_size_by(regclass, colour) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT AS 'pg_relation_size';

-- What does no more than its caller could.
CREATE FUNCTION own_count(relation text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %s', relation) INTO n;
	RETURN n;
END $$;
CREATE FUNCTION own_sum(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE VIEW own_names WITH (security_invoker = true) AS SELECT relname FROM pg_catalog.pg_class;
GRANT SELECT ON own_names TO PUBLIC;
