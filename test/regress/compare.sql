-- Statements, and what each answers.  The analyst is NAME_analyst, in the schema NAME.
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, statement text);
CREATE TABLE answers (n int, role text, answer text);
SELECT current_schema() || '_analyst' AS analyst \gset
GRANT SELECT ON asked TO :analyst;
GRANT SELECT, INSERT ON answers TO :analyst;
-- What a statement answers, row by row, or how it fails.
CREATE FUNCTION answer(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
	hint text;
BEGIN
	EXECUTE 'SELECT string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C") FROM (' || statement || ') q' INTO answer;
	RETURN answer;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN 'ERROR: ' || SQLERRM || coalesce(' HINT: ' || nullif(hint, ''), '');
END $$;
-- Ask everything as the owner and as the analyst, at a loss that leaves no noise; show what differs.
CREATE FUNCTION compare(OUT asked bigint, OUT empty bigint, OUT differ text) LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM answers;
	INSERT INTO answers SELECT n, 'owner', answer(statement) FROM asked;
	PERFORM set_config('role', current_schema() || '_analyst', false);
	SET dp_agg.epsilon = 1e6;
	SET dp_agg.delta = 1e-9;
	SET dp_agg.plain_aggregates = on;
	INSERT INTO answers SELECT n, 'analyst', answer(statement) FROM asked;
	RESET ROLE;
	SELECT count(*), count(*) FILTER (WHERE coalesce(o.answer, '') = ''),
		string_agg(format(E'%s\n%s\n---\n%s', q.statement, a.answer, o.answer), E'\n\n') FILTER (WHERE a.answer IS DISTINCT FROM o.answer)
		INTO asked, empty, differ
		FROM asked q JOIN answers a USING (n) JOIN answers o USING (n) WHERE a.role = 'analyst' AND o.role = 'owner';
	DELETE FROM asked;
END $$;
