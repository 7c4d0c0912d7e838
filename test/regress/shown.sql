-- What the owner is answered, and what the analyst is: NAME_owner and NAME_analyst, in the schema NAME.  Only rows
-- for which the condition in shown.rows holds, if that is set.
CREATE FUNCTION shown(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	schema text := current_schema();
	condition text := coalesce(current_setting('shown.rows', true), 'true');
	answer text[];
	r text;
	role text;
BEGIN
	FOREACH role IN ARRAY ARRAY[schema || '_owner', schema || '_analyst'] LOOP
		answer := '{}';
		EXECUTE format('SET LOCAL ROLE %I', role);
		FOR r IN EXECUTE format('SELECT q::text FROM (%s) q WHERE %s ORDER BY 1', statement, condition) LOOP
			answer := answer || r;
		END LOOP;
		RESET ROLE;
		RETURN NEXT role || ': ' || array_to_string(answer, ' ');
	END LOOP;
END
$$;
