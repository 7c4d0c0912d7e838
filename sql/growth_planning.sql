--
-- growth_planning: planning looks at every part of a statement once
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE SCHEMA growth_planning;
SET search_path = growth_planning, public;
CREATE FUNCTION looked_at() RETURNS bigint AS '$libdir/dp_questions_test', 'test_nodes_looked_at' LANGUAGE C;
CREATE TABLE people (id int PRIMARY KEY, name text, age int);
SELECT dp_agg.protect('people', 'id'), dp_agg.set_budget(current_user::regrole, 1000, 1e-5);
SET dp_agg.epsilon = 0.001;

-- how many lines of price a statement has; NULL, and why, if it is refused
CREATE FUNCTION lines(query text, OUT lines bigint, OUT refused text) LANGUAGE plpgsql AS $$
BEGIN
	SELECT count(*) INTO lines FROM dp_agg.price(query);
EXCEPTION WHEN OTHERS THEN
	refused := SQLERRM;
END $$;
-- texts that repeat a part so many times, with its number for #
CREATE FUNCTION times(n int, part text, comma text DEFAULT '') RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(replace(part, '#', i::text), comma ORDER BY i) FROM generate_series(1, n) i$$;

-- Values chosen of values chosen: each level once, where twice would take longer than anybody waits
SELECT kind, lines.* FROM (VALUES
	('COALESCE', times(300, 'coalesce(name, ') || '''x''' || times(300, ')')),
	('GREATEST', times(300, 'greatest(name, ') || '''x''' || times(300, ')')),
	('CASE', times(300, 'CASE WHEN age = # THEN name ELSE ') || '''x''' || times(300, ' END')),
	('NULLIF', times(300, 'nullif(') || 'name' || times(300, ', ''#'')')),
	('calls', times(300, 'lower(') || 'name' || times(300, ')')),
	('operators', times(2000, 'age', ' + ') || ' > 0 AND name')) AS expressions (kind, text),
	LATERAL lines(format('SELECT dp_count(*) FROM people WHERE %s = ''a''', text)) ORDER BY kind;

-- Aggregates are told apart by what they are made of
SELECT count(*) FROM dp_agg.price('SELECT ' || times(40, 'dp_count(*) FILTER (WHERE age = #), dp_count(*) FILTER (WHERE age = # + 0)', ', ') || ' FROM people');
SELECT aggregate, count(*) FROM dp_agg.price('SELECT dp_variance(age, 0, 100), dp_stddev(age, 0, 100), dp_variance(age, 0, 99),
	dp_stddev(age, 0, 99) + dp_variance(age, 0, 100), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_sum(age, 0, 100) FROM people
	HAVING dp_stddev(age, 0, 100) > dp_sum(age, 0, 100)') GROUP BY aggregate ORDER BY aggregate;

-- and looked at as often, however many there are
CREATE FUNCTION looked_at_for(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := looked_at();
BEGIN
	PERFORM FROM dp_agg.price(query);
	RETURN looked_at() - before;
END $$;
CREATE TEMP TABLE looks AS SELECT kind, looked_at_for(few.q) AS few, looked_at_for(many.q) AS many FROM (VALUES
	('conditions', 'dp_count(*) FILTER (WHERE age = #)'), ('bounds', 'dp_sum(age, 0, #)'), ('values', 'dp_variance(age + #, 0, 100)'),
	('intervals', 'dp_interval(dp_sum(age, 0, #))')) AS kinds (kind, part),
	LATERAL (SELECT 'SELECT ' || times(20, part, ', ') || ' FROM people') few (q),
	LATERAL (SELECT 'SELECT ' || times(200, part, ', ') || ' FROM people') many (q);
SELECT kind, few IS NULL OR few > 60 AND many BETWEEN 9 * few AND 11 * few AS in_proportion FROM looks ORDER BY kind;

DROP SCHEMA growth_planning CASCADE;
SELECT dp_agg.drop_budget(current_user::regrole);
DROP EXTENSION dp_agg;
