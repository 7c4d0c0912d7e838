--
-- attach: who may attach what to a protected table, by whatever function
--
-- Extension "attacher" is the tests' own: its functions attach what their caller asks for, past PostgreSQL's
-- checks of rights, as real ones do for what they maintain.
--
CREATE EXTENSION dp_agg;
CREATE ROLE attach_owner;
CREATE ROLE attach_analyst;
CREATE ROLE attach_writer;
CREATE ROLE attach_granted;
CREATE SCHEMA attach_ext;
CREATE EXTENSION attacher SCHEMA attach_ext;
CREATE SCHEMA attach AUTHORIZATION attach_owner;
CREATE SCHEMA attach_hers AUTHORIZATION attach_analyst;
CREATE SCHEMA attach_granted AUTHORIZATION attach_granted;
GRANT USAGE ON SCHEMA attach_ext TO PUBLIC;
GRANT USAGE ON SCHEMA attach, attach_hers TO PUBLIC;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO attach_owner;
SELECT dp_agg.set_budget('attach_analyst', 1000, 1e-6);
SELECT format('GRANT CREATE ON DATABASE %I TO attach_owner, attach_analyst', current_database()) \gexec
SET search_path = attach, attach_ext, public;

SET ROLE attach_owner;
CREATE TABLE people (id int PRIMARY KEY, age int);
CREATE INDEX people_age ON people (age) WHERE age > 0;
CREATE FUNCTION owners() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER of_owner AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION owners('x');
CREATE TABLE parts (id int, age int) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (1000);
CREATE SCHEMA attach_parts;
CREATE TABLE attach_parts.parts_2 PARTITION OF parts FOR VALUES FROM (5000) TO (6000);
CREATE TABLE plain (id int PRIMARY KEY, age int);
CREATE VIEW seen AS SELECT id, age FROM people;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('parts', 'id');
CREATE FUNCTION owners_word(command text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN EXECUTE command; END';
GRANT INSERT ON people, parts TO attach_writer;
GRANT TRIGGER, REFERENCES ON people TO attach_granted;
RESET ROLE;
SET ROLE attach_analyst;
CREATE TABLE attach_hers.copy (id int, age int);
CREATE TABLE attach_hers.parent (id int, age int);
CREATE TABLE attach_hers.part (id int, age int);
CREATE DOMAIN attach_hers.name AS text;
CREATE DOMAIN attach_hers.number AS int CONSTRAINT hers CHECK (VALUE > 0);
CREATE FUNCTION attach_hers.f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
RESET ROLE;

-- What a role is told who runs a command.  What it does is undone.
CREATE FUNCTION attach_ext.tried(role text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM set_config('role', role, true);
	EXECUTE command;
	RAISE SQLSTATE 'DONE1';
EXCEPTION WHEN SQLSTATE 'DONE1' THEN
	RETURN 'done';
WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' ', SQLSTATE, SQLERRM, '|', detail);
END $$;
CREATE TABLE attach_ext.kinds (n serial, kind text, command text);
INSERT INTO attach_ext.kinds (kind, command) VALUES
	('trigger', $$CREATE TRIGGER t AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION attach_copy('attach_hers.copy')$$),
	('constraint trigger', $$CREATE CONSTRAINT TRIGGER t AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION attach_copy('attach_hers.copy')$$),
	('replaced trigger', $$CREATE OR REPLACE TRIGGER of_owner AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION attach_copy('attach_hers.copy')$$),
	('trigger of a partition', $$CREATE TRIGGER t AFTER INSERT ON parts_1 FOR EACH ROW EXECUTE FUNCTION attach_copy('attach_hers.copy')$$),
	('trigger of a view', $$CREATE TRIGGER t INSTEAD OF INSERT ON seen FOR EACH ROW EXECUTE FUNCTION attach_copy('attach_hers.copy')$$),
	('rule', $$CREATE RULE r AS ON INSERT TO people DO ALSO INSERT INTO attach_hers.copy VALUES (NEW.id, NEW.age)$$),
	('rule of a view', $$CREATE RULE r AS ON INSERT TO seen DO ALSO INSERT INTO attach_hers.copy VALUES (NEW.id, NEW.age)$$),
	('policy', 'CREATE POLICY p ON people USING (attach_hers.f(age) > 0)'),
	('statistics', 'CREATE STATISTICS s ON (attach_hers.f(age)), id FROM people'),
	('check', 'ALTER TABLE people ADD CHECK (attach_hers.f(age) > 0)'),
	('check of a partition', 'ALTER TABLE parts_1 ADD CHECK (attach_hers.f(age) > 0)'),
	('default', 'ALTER TABLE people ALTER age SET DEFAULT attach_hers.f(1)'),
	('column', 'ALTER TABLE people ADD COLUMN c int'),
	('generated column', 'ALTER TABLE people ADD COLUMN g int GENERATED ALWAYS AS (attach_hers.f(age)) STORED'),
	('index', 'CREATE INDEX i ON people (id, age)'),
	('index of an expression', 'CREATE INDEX i ON people (attach_hers.f(age))'),
	('index of a condition', 'CREATE INDEX i ON people (age) WHERE attach_hers.f(age) > 0'),
	('unique', 'ALTER TABLE people ADD UNIQUE (age) DEFERRABLE'),
	('foreign key to', 'ALTER TABLE attach_hers.copy ADD FOREIGN KEY (id) REFERENCES people'),
	('foreign key from', 'ALTER TABLE people ADD FOREIGN KEY (age) REFERENCES plain'),
	('publication', 'CREATE PUBLICATION attach_p FOR TABLE people'),
	('publication of a partition', 'CREATE PUBLICATION attach_p FOR TABLE parts_1'),
	('publication that grows', 'CREATE PUBLICATION attach_p; ALTER PUBLICATION attach_p ADD TABLE people'),
	('publication of all', 'CREATE PUBLICATION attach_p FOR ALL TABLES'),
	('publication of a schema', 'CREATE PUBLICATION attach_p FOR TABLES IN SCHEMA attach'),
	('publication of a schema of partitions', $$CREATE PUBLICATION attach_p FOR TABLES IN SCHEMA attach_parts$$),
	('child', 'CREATE TABLE c () INHERITS (people)'),
	('partition', 'CREATE TABLE p PARTITION OF parts FOR VALUES FROM (1000) TO (2000)'),
	('attached partition', 'ALTER TABLE parts ATTACH PARTITION attach_hers.part FOR VALUES FROM (1000) TO (2000)'),
	('parent', 'ALTER TABLE people INHERIT attach_hers.parent'),
	('view', 'CREATE VIEW v AS SELECT * FROM people'),
	('view of a view', 'CREATE VIEW v AS SELECT * FROM seen'),
	('materialized view', 'CREATE MATERIALIZED VIEW v AS SELECT * FROM people');
GRANT SELECT ON attach_ext.kinds TO PUBLIC;
SET client_min_messages = error;

-- an extension's function that is SECURITY DEFINER, called by an analyst
SELECT kind, tried('attach_analyst', format('SELECT attach_definer(%L)', command)) FROM kinds ORDER BY n;
-- one that takes a superuser's rights, or the owner's, in C
SELECT kind, tried('attach_analyst', format('SELECT attach_as(%L, %L)', session_user, command)) FROM kinds
	WHERE tried('attach_analyst', format('SELECT attach_as(%L, %L)', session_user, command)) NOT LIKE '42501 permission denied to % protected rows%asks for it%' ORDER BY n;
SELECT kind, tried('attach_analyst', format('SELECT attach_as(%L, %L)', 'attach_owner', command)) FROM kinds
	WHERE tried('attach_analyst', format('SELECT attach_as(%L, %L)', 'attach_owner', command)) NOT LIKE '42501 permission denied to % protected rows%asks for it%' ORDER BY n;
-- one that makes a trigger as who calls it
SELECT tried('attach_analyst', $$SELECT attach_trigger('people', 't', 'attach_copy', '{attach_hers.copy}')$$);
SELECT tried('attach_analyst', $$SELECT attach_trigger('parts', 't', 'attach_copy', '{attach_hers.copy}')$$);
SELECT tried('attach_analyst', $$SELECT attach_trigger('parts_1', 't', 'attach_copy', '{attach_hers.copy}')$$);
SELECT tried('attach_writer', $$SELECT attach_trigger('people', 't', 'attach_copy', '{attach_hers.copy}')$$);
SELECT tried('attach_analyst', $$SELECT attach_check('people', 'attach_hers.f(age) > 0')$$);
SELECT tried('attach_analyst', $$SELECT attach_check('parts_1', 'attach_hers.f(age) > 0')$$);
-- to the tables of the extension
SELECT tried('attach_analyst', $$SELECT attach_trigger('dp_agg.kept_answer', 't', 'attach_copy', '{attach_hers.copy}')$$);
SELECT tried('attach_analyst', $$SELECT attach_definer('ALTER TABLE attach_hers.copy ADD FOREIGN KEY (id) REFERENCES dp_agg.ledger (id)')$$);
SELECT tried('attach_analyst', $$SELECT attach_definer('CREATE VIEW attach_hers.v AS SELECT * FROM dp_agg.ledger')$$);
-- by any detour of hers: a function of her own that the owner calls, or her trigger
SET ROLE attach_analyst;
CREATE FUNCTION attach_hers.trap() RETURNS void LANGUAGE sql SECURITY DEFINER AS
	$$ SELECT attach_ext.attach_trigger('attach.people', 't', 'attach_ext.attach_copy', '{attach_hers.copy}') $$;
CREATE FUNCTION attach_hers.trap_for_definers() RETURNS void LANGUAGE sql SECURITY DEFINER AS
	$$ SELECT attach_ext.attach_definer('CREATE TRIGGER t AFTER INSERT ON attach.people FOR EACH ROW EXECUTE FUNCTION attach_ext.attach_copy(''attach_hers.copy'')') $$;
RESET ROLE;
SELECT tried('attach_owner', 'SELECT attach_hers.trap()');
SELECT tried('attach_owner', 'SELECT attach_hers.trap_for_definers()');
SELECT tried('attach_owner', 'SELECT attach_definer(''SELECT attach_hers.trap()'')');
-- which is dropped or altered as it runs, by itself or for its next call, or is put into an extension
SET ROLE attach_analyst;
CREATE FUNCTION attach_hers.trap_gone() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS
	'BEGIN DROP FUNCTION attach_hers.trap_gone(); PERFORM attach_hers.trap_for_invokers(); END';
CREATE FUNCTION attach_hers.trap_altered(int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF $1 = 2 THEN
		PERFORM attach_hers.trap_for_invokers();
	END IF;
	ALTER FUNCTION attach_hers.trap_altered(int) SECURITY INVOKER;
	ALTER FUNCTION attach_hers.trap_altered(int) SET jit = off;
END $$;
CREATE FUNCTION attach_hers.trap_of_extension() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS
	'BEGIN PERFORM attach_hers.trap_for_invokers(); END';
CREATE FUNCTION attach_hers.trap_for_invokers() RETURNS int LANGUAGE sql AS
	$$ SELECT attach_ext.attach_definer('CREATE TRIGGER t AFTER INSERT ON attach.people FOR EACH ROW EXECUTE FUNCTION attach_ext.attach_copy(''attach_hers.copy'')'); SELECT 1 $$;
RESET ROLE;
ALTER EXTENSION attacher ADD FUNCTION attach_hers.trap_of_extension();
SELECT tried('attach_owner', 'SELECT attach_hers.trap_gone()');
SELECT tried('attach_owner', 'SELECT attach_hers.trap_altered(2)');
SELECT tried('attach_owner', 'SELECT attach_hers.trap_altered(i) FROM generate_series(1, 2) i');
SELECT tried('attach_owner', 'SELECT attach_hers.trap_of_extension()');
ALTER EXTENSION attacher DROP FUNCTION attach_hers.trap_of_extension();

-- or what runs as her while the owner, or a superuser, has something of hers maintained
SELECT tried('attach_owner', $$SELECT attach_as('attach_analyst', 'SELECT attach_trigger(''people'', ''t'', ''attach_copy'', ''{attach_hers.copy}'')')$$);
SELECT tried(session_user, $$SELECT attach_as('attach_analyst', 'SELECT attach_trigger(''people'', ''t'', ''attach_copy'', ''{attach_hers.copy}'')')$$);
-- which PostgreSQL does for a table's expressions and for a materialized view
SET ROLE attach_analyst;
CREATE FUNCTION attach_hers.trap_when_told(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
	$$ BEGIN RETURN CASE WHEN current_setting('attach.trap', true) = 'on' THEN attach_hers.trap_for_invokers() ELSE $1 END; END $$;
CREATE TABLE attach_hers.maintained (i int);
INSERT INTO attach_hers.maintained VALUES (1);
CREATE INDEX maintained_i ON attach_hers.maintained (attach_hers.trap_when_told(i));
CREATE MATERIALIZED VIEW attach_hers.refreshed AS SELECT attach_hers.trap_when_told(i) FROM attach_hers.maintained;
RESET ROLE;
SET attach.trap = on;
SELECT tried(session_user, 'ANALYZE attach_hers.maintained');
SELECT tried(session_user, 'REINDEX TABLE attach_hers.maintained');
SELECT tried(session_user, 'CREATE INDEX ON attach_hers.maintained (attach_hers.trap_when_told(i + 1))');
SELECT tried(session_user, 'REFRESH MATERIALIZED VIEW attach_hers.refreshed');
-- A domain of hers that a column has, or one over it: what it checks is called with the values.
RESET attach.trap;
SET ROLE attach_analyst;
CREATE FUNCTION attach_hers.shows(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE 'shown: %', $1; END $$;
RESET ROLE;
SET ROLE attach_owner;
CREATE DOMAIN owners_number AS attach_hers.number CHECK (attach_hers.f(VALUE) > 0);
CREATE TYPE owners_pair AS (a int, b attach_hers.name[]);
CREATE TABLE of_hers (id int PRIMARY KEY, a owners_number, b owners_pair);
CREATE TABLE by_hers (id int, c int) PARTITION BY RANGE (attach_hers.f(c));
INSERT INTO of_hers VALUES (1, 77);
SELECT dp_agg.protect('of_hers', 'id'), dp_agg.protect('by_hers', 'id');
RESET ROLE;
SELECT tried('attach_analyst', 'ALTER DOMAIN attach_hers.number ADD CHECK (attach_hers.shows(VALUE))');
SELECT tried('attach_analyst', 'ALTER DOMAIN attach_hers.number ADD CHECK (attach_hers.shows(VALUE)) NOT VALID');
SELECT tried('attach_analyst', 'ALTER DOMAIN attach_hers.number SET NOT NULL');
SELECT tried('attach_analyst', 'ALTER DOMAIN attach_hers.number SET DEFAULT attach_hers.f(1)');
SELECT tried('attach_analyst', 'ALTER DOMAIN attach_hers.number VALIDATE CONSTRAINT hers');
SELECT tried('attach_writer', 'ALTER DOMAIN attach_hers.number ADD CHECK (VALUE > 0)');
SELECT tried('attach_analyst', 'ALTER DOMAIN attach_hers.number DROP CONSTRAINT hers');
SELECT tried('attach_owner', 'ALTER DOMAIN owners_number ADD CHECK (VALUE > 1)');
SELECT tried(session_user, 'ALTER DOMAIN attach_hers.number ADD CHECK (VALUE > 1)');
-- What is done before and after maintenance in the same transaction is another matter.
SET attach.trap = off;
SELECT tried(session_user, 'CREATE INDEX ON attach_hers.maintained (attach_ext.attach_number(i)); CREATE INDEX ON people (age, id)');
RESET attach.trap;

-- Who has the right may go any of these ways: the owner,
SELECT kind, tried('attach_owner', format('SELECT attach_definer(%L)', command)) FROM kinds
	WHERE tried('attach_owner', format('SELECT attach_definer(%L)', command)) <> 'done' ORDER BY n;
SELECT kind, tried('attach_owner', command) FROM kinds WHERE tried('attach_owner', command) <> 'done' ORDER BY n;
SELECT tried('attach_owner', $$SELECT attach_trigger('people', 't', 'attach_copy', '{attach_hers.copy}')$$);
-- a superuser,
SELECT kind, tried(session_user, command) FROM kinds WHERE tried(session_user, command) <> 'done' ORDER BY n;
-- who was granted it,
SELECT kind, tried('attach_granted', format('SELECT attach_definer(%L)', command)) FROM kinds
	WHERE tried('attach_granted', format('SELECT attach_definer(%L)', command)) = 'done' ORDER BY n;
-- and whoever calls a function that the owner has written for her.
SELECT tried('attach_writer', format('SELECT owners_word(%L)', command)) FROM kinds WHERE kind IN ('trigger', 'rule', 'partition', 'view', 'publication');
SELECT tried('attach_writer', format('SELECT owners_word(%L)', format('SELECT attach_definer(%L)', command))) FROM kinds WHERE kind = 'trigger';

-- A new partition that writing calls for, with what its parent has, is made as the owner.
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE TABLE p PARTITION OF parts FOR VALUES FROM (1000) TO (2000)')$$);
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE TABLE c (CHECK (id > 0)) INHERITS (people); CREATE INDEX ON c (age);
	CREATE TRIGGER of_owner AFTER INSERT ON c FOR EACH ROW EXECUTE FUNCTION owners(''x'')')$$);
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE TABLE c () INHERITS (people)'); SELECT attach_check('c', 'id > 0')$$);
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE TABLE c (CHECK (id > 0)) INHERITS (people);
	CREATE TRIGGER of_owner AFTER INSERT ON c FOR EACH ROW EXECUTE FUNCTION owners(''y'')')$$);
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE TABLE c () INHERITS (people); CREATE RULE r AS ON INSERT TO c DO ALSO INSERT INTO attach_hers.copy VALUES (NEW.id, NEW.age)')$$);
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE TABLE c (LIKE parts); ALTER TABLE c OWNER TO attach_owner; ALTER TABLE parts ATTACH PARTITION c FOR VALUES FROM (1000) TO (2000)')$$);
-- An index like one that is there is what REINDEX CONCURRENTLY makes.
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE INDEX ON people (age) WHERE age > 0')$$);
SELECT tried('attach_writer', $$SELECT attach_as('attach_owner', 'CREATE INDEX ON people (age) WHERE age > 1')$$);
SELECT current_setting('server_version_num')::int >= 170000 AS has_maintain \gset
\if :has_maintain
GRANT MAINTAIN ON people TO attach_writer;
SET ROLE attach_writer;
\endif
REINDEX TABLE CONCURRENTLY people;
CLUSTER people USING people_pkey;
RESET ROLE;
-- A partition that is made of a table which refers to a protected one takes no right to this.
REVOKE TRIGGER ON people FROM attach_granted;
SET ROLE attach_granted;
CREATE TABLE attach_granted.refers (id int REFERENCES people, at date) PARTITION BY RANGE (at);
RESET ROLE;
REVOKE REFERENCES ON people FROM attach_granted;
SELECT tried('attach_granted', $$CREATE TABLE attach_granted.refers_1 PARTITION OF attach_granted.refers FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')$$);
SELECT tried('attach_granted', 'CREATE TABLE attach_granted.again (id int REFERENCES people)');
-- Whose right is gone may part with it.
SELECT tried('attach_granted', 'ALTER TABLE attach_granted.refers DROP CONSTRAINT refers_id_fkey');
-- Tables that are not protected are nobody's business here.
SELECT tried('attach_analyst', $$SELECT attach_trigger('plain', 't', 'attach_copy', '{attach_hers.copy}')$$);
-- Views of her own over questions are hers, and so is what she attaches to them.
SELECT tried('attach_analyst', $$CREATE VIEW attach_hers.v AS SELECT count(*) FROM people;
	CREATE RULE r AS ON INSERT TO attach_hers.v DO INSTEAD NOTHING$$);
SELECT tried('attach_analyst', 'CREATE MATERIALIZED VIEW attach_hers.v AS SELECT age > 5, count(*) FROM people GROUP BY 1 WITH NO DATA');

-- What comes of it: an answer that has been paid for, kept up to date exactly by the owner's own writing.
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 1000) i;
SET ROLE attach_analyst;
SELECT count(*) BETWEEN 500 AND 1500 AS answered FROM people;
SELECT attach_trigger('people', 'kept', 'attach_copy', '{attach_hers.copy}');
RESET ROLE;
INSERT INTO people VALUES (10001, 77);
SELECT * FROM attach_hers.copy;


-- What was attached before a table is protected goes on: the owner is warned, and finds it.
RESET client_min_messages;
SET ROLE attach_owner;
CREATE TABLE later (id int PRIMARY KEY, age int);
CREATE TABLE later_part (id int, age int, named attach_hers.name);
ALTER TABLE parts ADD COLUMN named attach_hers.name;
GRANT TRIGGER ON later, later_part TO attach_analyst;
CREATE TRIGGER of_owner AFTER INSERT ON later FOR EACH ROW EXECUTE FUNCTION owners();
SELECT dp_agg.protect('later', 'id');
RESET ROLE;
SET ROLE attach_analyst;
CREATE FUNCTION attach_hers.sees() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
	'BEGIN INSERT INTO attach_hers.copy VALUES (NEW.id, NEW.age); RETURN NULL; END';
CREATE TRIGGER hers AFTER INSERT ON later FOR EACH ROW EXECUTE FUNCTION attach_hers.sees();
CREATE TRIGGER hers AFTER INSERT ON later_part FOR EACH ROW EXECUTE FUNCTION attach_hers.sees();
RESET ROLE;
SET ROLE attach_owner;
REVOKE TRIGGER ON later, later_part FROM attach_analyst;
SELECT dp_agg.protect('later', 'id');
ALTER TABLE parts ATTACH PARTITION later_part FOR VALUES FROM (1000) TO (2000);
-- what others have a hand in that owners or superusers attached
CREATE POLICY p ON later USING (attach_hers.f(age) > 0);
ALTER TABLE later ADD CONSTRAINT checked CHECK (attach_hers.f(age) > 0), ALTER age SET DEFAULT attach_hers.f(1);
CREATE INDEX later_i ON later (attach_hers.f(age));
CREATE RULE r AS ON INSERT TO later DO ALSO INSERT INTO attach_hers.copy VALUES (NEW.id, attach_hers.f(NEW.age));
CREATE STATISTICS later_s ON (attach_hers.f(age)), id FROM later;
CREATE TRIGGER extensions AFTER INSERT ON later FOR EACH ROW EXECUTE FUNCTION attach_copy('attach_hers.copy');
RESET ROLE;
SET client_min_messages = error;
CREATE PUBLICATION attach_p FOR TABLE later;
ALTER PUBLICATION attach_p OWNER TO attach_granted;
RESET client_min_messages;
-- Tables that have some columns of a protected one, or all of a view of it, and views of these.
CREATE TABLE wide (id int PRIMARY KEY, age int, smoker boolean);
SELECT dp_agg.protect('wide', 'id');
CREATE VIEW totals AS SELECT age, count(*) AS people FROM wide GROUP BY age;
CREATE TABLE totals_kept AS SELECT * FROM totals;
CREATE VIEW totals_kept_seen AS SELECT * FROM totals_kept;
CREATE TABLE narrow AS SELECT id, smoker FROM wide;
CREATE TABLE renamed AS SELECT id, smoker AS s FROM wide;
CREATE TABLE refers (id int REFERENCES wide, age int);
GRANT SELECT ON totals, totals_kept, totals_kept_seen, narrow, renamed, refers TO attach_analyst;
-- What an extension keeps depends on its table, and so does the trigger.
SELECT attach_trigger('wide', 'kept', 'attach_copy', '{attach_hers.kept}');
CREATE TABLE attach_hers.kept (id int, age int, smoker boolean);
ALTER TABLE attach_hers.kept OWNER TO attach_analyst;
INSERT INTO pg_depend SELECT 'pg_trigger'::regclass, t.oid, 0, 'pg_class'::regclass, 'attach_hers.kept'::regclass, 0, 'a'
	FROM pg_trigger t WHERE tgname LIKE 'kept%';
SELECT relation, regexp_replace(object, 'kept_\d+', 'kept_N') AS object, hand, CASE WHEN role::name <> session_user THEN role END AS role,
	regexp_replace(remedy, 'kept_\d+', 'kept_N') AS remedy FROM dp_agg.attached() a ORDER BY a.relation::text COLLATE "C", a.object COLLATE "C", a.hand COLLATE "C";
SELECT copy, relation, kept, regexp_replace(reason, 'kept_\d+', 'kept_N') AS reason FROM dp_agg.copies() ORDER BY copy::text COLLATE "C";
SELECT object, regexp_replace(channel, 'kept_\d+', 'kept_N') AS channel, regexp_replace(risk, 'kept_\d+', 'kept_N') AS risk FROM dp_agg.check_exposure('attach_analyst')
	WHERE object ~ '^attach(_hers)?\.'
	ORDER BY object COLLATE "C", channel COLLATE "C", risk COLLATE "C";
-- Each is gone after its remedy, completed where it ends in dots.
DO $$ DECLARE r text; BEGIN FOR r IN SELECT DISTINCT replace(remedy, '...', 'text') FROM dp_agg.attached() LOOP EXECUTE r; END LOOP; END $$;
SELECT * FROM dp_agg.attached();
SET client_min_messages = error;
DROP PUBLICATION attach_p;
DROP SCHEMA attach, attach_parts, attach_hers, attach_granted, attach_ext CASCADE;
RESET client_min_messages;
SELECT dp_agg.drop_budget('attach_analyst');
DROP EXTENSION dp_agg;
SELECT format('REVOKE ALL ON DATABASE %I FROM attach_owner, attach_analyst', current_database()) \gexec
DROP ROLE attach_owner, attach_analyst, attach_writer, attach_granted;
