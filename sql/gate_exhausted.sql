--
-- gate_exhausted: a statement the budget does not admit is refused, and the
-- refusal says what would fit
--
CREATE EXTENSION dp_agg;
CREATE ROLE exhausted_analyst;
CREATE SCHEMA exhausted AUTHORIZATION exhausted_analyst;
SET search_path = exhausted, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('exhausted_analyst', 1, 0);
SET ROLE exhausted_analyst;
CREATE FUNCTION spent(OUT statements bigint, OUT refusals bigint, OUT epsilon numeric)
LANGUAGE sql AS
$$ SELECT statements, refusals, round(epsilon_spent::numeric, 3) FROM dp_agg.budgets $$;
-- Ask; if refused, ask with the epsilon of the hint.  Returns both messages.
CREATE FUNCTION ask(query text) RETURNS TABLE (epsilon text, answer text, detail text, hint text)
LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	epsilon := current_setting('dp_agg.epsilon');
	EXECUTE query INTO result;
	answer := 'answered';
	RETURN NEXT;
EXCEPTION WHEN configuration_limit_exceeded THEN
	answer := SQLSTATE || ' ' || SQLERRM;
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN NEXT;
	IF hint ~ '^An epsilon of [0-9.e-]+ ' THEN
		PERFORM set_config('dp_agg.epsilon', substring(hint from 'epsilon of ([0-9.e-]+) '), true);
		RETURN QUERY SELECT * FROM ask(query);
	END IF;
END $$;

-- the statement is refused as it is, and admitted with the epsilon of the hint
SET dp_agg.epsilon = 0.6;
SELECT * FROM ask('SELECT dp_count(*) FROM people');
SELECT * FROM spent();
SELECT * FROM ask('SELECT dp_count(*) FROM people');
SELECT * FROM spent();
-- the hint leaves little unused
SELECT epsilon_spent > 0.96 AND epsilon_spent <= 1 AS fitted FROM dp_agg.budgets;

-- several aggregates; an epsilon of their own; several blocks
RESET ROLE;
SELECT dp_agg.reset_budget('exhausted_analyst');
SET ROLE exhausted_analyst;
SELECT * FROM ask('SELECT dp_count(*) + dp_sum(age, 0, 10) FROM people');
SELECT * FROM spent();
SELECT dp_count(age, 0.5), dp_sum(age, 0, 10, 0.25) FROM people;
\echo :SQLSTATE
SELECT (SELECT dp_count(*) FROM people), (SELECT dp_sum(age, 0, 10) FROM people);
\echo :SQLSTATE

-- Private groups and Gaussian noise need a delta, and this budget has none.
SET dp_agg.epsilon = 0.001;
SELECT city, dp_count(*) FROM people GROUP BY city;
\echo :SQLSTATE
SET dp_agg.mechanism = gaussian;
SELECT dp_count(*) FROM people;
\echo :SQLSTATE
RESET dp_agg.mechanism;
RESET ROLE;
SELECT dp_agg.set_budget('exhausted_analyst', 10, 1e-6);
SET ROLE exhausted_analyst;
SET dp_agg.delta = 1e-5;
SELECT city, dp_count(*) FROM people GROUP BY city;
\echo :SQLSTATE
RESET dp_agg.delta;
-- An epsilon of 5 shows both cities but for a chance of 1e-400, each count
-- within 12 but for one of 1e-26.
SET dp_agg.epsilon = 5;
SELECT city, abs(dp_count(*) - 500) <= 12 AS right FROM people GROUP BY city;
SELECT * FROM ask('SELECT max(c) FROM (SELECT city, dp_count(*) AS c FROM people GROUP BY city) s');
SET dp_agg.mechanism = gaussian;
SELECT answer, detail ~ '^The statement costs epsilon [0-9.e-]+ and delta [0-9.e-]+; epsilon [0-9.]+ of 10 remains\.$' AS detail
	FROM ask('SELECT dp_count(*) FROM people');
RESET dp_agg.mechanism;

-- refusals are in the ledger, spend nothing, and name what was asked
SELECT statements, refusals FROM dp_agg.budgets;
RESET ROLE;
SELECT admitted, releases #>> '{0,releases,0,aggregate}' AS first, releases #>> '{0,releases,0,mechanism}' AS mechanism,
	round((releases #>> '{0,releases,0,epsilon}')::numeric, 3) AS epsilon,
	epsilon_spent = lag(epsilon_spent) OVER (ORDER BY id) AS unchanged
	FROM dp_agg.ledger WHERE admitted IS NOT NULL ORDER BY id;

SET client_min_messages = warning;
DROP SCHEMA exhausted CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE exhausted_analyst;
