\echo Use "CREATE EXTENSION attacher" to load this file. \quit

-- As an extension in C makes a trigger: as the caller, and with no right asked for.
CREATE FUNCTION attach_trigger(relation regclass, name text, function regproc, args text[]) RETURNS void
LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

-- The same for a CHECK constraint.
CREATE FUNCTION attach_check(relation regclass, condition text) RETURNS void
LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

-- As an extension in C that takes a role for a while does something.
CREATE FUNCTION attach_as(role regrole, command text) RETURNS void
LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

-- As an extension's function that is SECURITY DEFINER does something.
CREATE FUNCTION attach_definer(command text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS 'BEGIN EXECUTE command; END';

-- What an extension has run by others' writing: it copies rows to the table it is told.
CREATE FUNCTION attach_copy() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
BEGIN
	EXECUTE format('INSERT INTO %s SELECT ($1).*', TG_ARGV[0]) USING NEW;
	RETURN NULL;
END $$;

-- What somebody's index calls of it.
CREATE FUNCTION attach_number(int) RETURNS int
LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
