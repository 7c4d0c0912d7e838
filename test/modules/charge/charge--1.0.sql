/* charge 1.0 */

\echo Use "CREATE EXTENSION charge" to load this file. \quit

CREATE FUNCTION test_charge(role regrole, dataset text, epsilon float8) RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME';

CREATE FUNCTION test_charge_describing(role regrole, dataset text, epsilon float8, statement text)
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME';

CREATE FUNCTION test_peek(role regrole, dataset text) RETURNS float8
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME';

REVOKE ALL ON FUNCTION test_charge(regrole, text, float8) FROM PUBLIC;
REVOKE ALL ON FUNCTION test_charge_describing(regrole, text, float8, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION test_peek(regrole, text) FROM PUBLIC;

COMMENT ON FUNCTION test_charge(regrole, text, float8) IS
'charge a role''s budget with the cost of one mechanism of pure epsilon; true if admitted';
COMMENT ON FUNCTION test_charge_describing(regrole, text, float8, text) IS
'the same, of a statement with this text for the ledger';
COMMENT ON FUNCTION test_peek(regrole, text) IS
'pure epsilon a role has spent, read without charging; null if it has no budget';
