--
-- fan_out: joins that make several rows of one
--
CREATE EXTENSION dp_agg;
CREATE ROLE fan_owner;
CREATE ROLE fan_analyst;
CREATE SCHEMA fan AUTHORIZATION fan_owner;
SET search_path = fan, public;
GRANT USAGE ON SCHEMA fan TO fan_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO fan_owner;
SET ROLE fan_owner;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3], i % 100 FROM generate_series(1, 3000) i;
CREATE TABLE visits (dropped text, person int, day int, kind text, cost int);
ALTER TABLE visits DROP COLUMN dropped;
INSERT INTO visits SELECT i, d * 10 + i % 3, (ARRAY['a', 'b', NULL])[1 + (i + d) % 3], d FROM generate_series(1, 3000) i, generate_series(1, 4) d
	WHERE d <= i % 5;
CREATE TABLE bills (ticket int, item int, person bigint, amount int, PRIMARY KEY (ticket, item), UNIQUE (ticket, item, person));
INSERT INTO bills SELECT i / 2, i % 2, i / 4, i % 50 FROM generate_series(4, 11000) i;
CREATE TABLE returns (ticket int, item int, person bigint, amount int, FOREIGN KEY (ticket, item, person) REFERENCES bills (ticket, item, person));
INSERT INTO returns SELECT ticket, item, person, 1 FROM bills WHERE ticket % 3 = 0;
CREATE TABLE bands (name text, lower int, upper int);
INSERT INTO bands VALUES ('young', 0, 29), ('grown', 30, 64), ('old', 65, 200), ('any', 0, 200);
CREATE TABLE tags (city text, tag text);
INSERT INTO tags VALUES ('Aachen', 'x'), ('Aachen', 'y'), ('Chur', 'x'), (NULL, 'z');
CREATE TABLE codes (code bpchar);
INSERT INTO codes VALUES ('Aachen'), ('Aachen '), ('Chur');
SELECT dp_agg.protect('people', 'id', 'default', 4, 8), dp_agg.protect('visits', 'person', 'default', 30, 4), dp_agg.protect('bills', 'person', 'default', 30, 4), dp_agg.protect('returns', 'person', 'default', 30, 4);
SELECT dp_agg.set_domain('visits', 'cost', 0, 10);
RESET ROLE;
SELECT dp_agg.set_budget('fan_analyst', 1e9, 1e-3);
GRANT SELECT ON bands, tags, codes TO fan_analyst;
-- A function of the analyst's that tells who asks when, and a key by which 'a' and 'a ' are two.
CREATE SEQUENCE calls;
GRANT ALL ON calls TO fan_analyst;
CREATE FUNCTION said(which int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN (nextval('fan.calls') - 1) / 3 = 1 THEN 'Aachen' ELSE (ARRAY['Aachen', 'Berlin', 'Chur'])[which] END;
END
$$;
CREATE FUNCTION bytes_compare(bpchar, bpchar) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT byteacmp(bpcharsend($1), bpcharsend($2))';
CREATE FUNCTION bytes_equal(bpchar, bpchar) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT bpcharsend($1) = bpcharsend($2)';
CREATE FUNCTION bytes_less(bpchar, bpchar) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT bpcharsend($1) < bpcharsend($2)';
CREATE OPERATOR === (LEFTARG = bpchar, RIGHTARG = bpchar, FUNCTION = bytes_equal);
CREATE OPERATOR <<< (LEFTARG = bpchar, RIGHTARG = bpchar, FUNCTION = bytes_less);
CREATE OPERATOR CLASS by_bytes FOR TYPE bpchar USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 bytes_compare(bpchar, bpchar);
CREATE UNIQUE INDEX ON codes (code by_bytes);
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/shown.sql'
\i :file
SET dp_agg.epsilon = 1048576;
SET client_min_messages = warning;
-- A child's rows, and parents without any.
SELECT * FROM shown('SELECT count(*), count(v.cost), count(DISTINCT p.id), round(sum(v.cost), -3) AS sum FROM people p LEFT JOIN visits v ON v.person = p.id');
SELECT * FROM shown('SELECT city, count(v.cost) FROM people p LEFT JOIN visits v ON v.person = p.id AND v.kind = ''a'' GROUP BY city');
SELECT * FROM shown('SELECT count(*) FROM people p LEFT JOIN visits v ON v.person = p.id WHERE v.person IS NULL');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT p.id, count(v.person) AS n FROM people p LEFT JOIN visits v ON v.person = p.id GROUP BY p.id) q GROUP BY n');
-- n : m within a unit.
SELECT * FROM shown('SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person WHERE w.day > v.day');
SELECT * FROM shown('SELECT v.kind, w.kind AS other, count(*) FROM visits v JOIN visits w USING (person) WHERE v.day < w.day AND w.day < v.day + 11 GROUP BY 1, 2');
SELECT * FROM shown('SELECT count(*), count(w.day) FROM visits v LEFT JOIN visits w ON w.person = v.person AND w.day > v.day AND w.kind = ''a''');
SELECT * FROM shown('SELECT count(*) FROM visits v, bills b WHERE v.person = b.person AND b.amount > 10 AND v.cost > 1');
SELECT * FROM shown('SELECT count(*) FROM (SELECT person, kind, count(*) AS n FROM visits GROUP BY person, kind) v JOIN visits w USING (person)');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT v.person, count(*) AS n FROM visits v JOIN visits w USING (person) GROUP BY v.person) q GROUP BY n');
SELECT * FROM shown('SELECT count(*), count(v.cost), count(b.amount) FROM people p LEFT JOIN visits v ON v.person = p.id LEFT JOIN bills b ON b.person = p.id');
SELECT * FROM shown('SELECT count(*) FROM people p LEFT JOIN visits v ON v.person = p.id LEFT JOIN tags t ON t.city = p.city AND v.cost > 1');
-- Equalities that all arms of OR have.
SELECT * FROM shown('SELECT count(*) FROM people p, visits v WHERE (p.id = v.person AND p.city = ''Chur'' AND cost = 1) OR (p.id = v.person AND p.city = ''Aachen'' AND cost > 2)');
-- By the key of a record, which a foreign key says is one unit's.
SELECT * FROM shown('SELECT count(*) FROM bills b JOIN returns r ON r.ticket = b.ticket AND r.item = b.item');
SELECT * FROM shown('SELECT count(*), count(r.amount) FROM bills b LEFT JOIN returns r ON (b.ticket, b.item) = (r.ticket, r.item)');
SELECT * FROM shown('SELECT count(*) FROM returns r LEFT JOIN bills b USING (ticket, item) WHERE b.amount > 20');
-- The bound of a join is the product of those of its tables, whichever FROM names first: 30 rows at most, of 4 groups each.
SET ROLE fan_analyst;
CREATE FUNCTION pg_temp.bounds_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'max_(rows|groups)' THEN
			RETURN NEXT (SELECT string_agg(m[1], ', ') FROM regexp_matches(line, '(max_rows [0-9]+|max_groups [0-9]+)', 'g') m);
		END IF;
	END LOOP;
END
$$;
SELECT rows, pg_temp.bounds_of(format('SELECT count(*) FROM %s', rows)) AS bounds FROM (VALUES ('visits v JOIN returns r USING (person)'), ('returns r JOIN visits v USING (person)'), ('visits v, visits w, returns r WHERE v.person = w.person AND r.person = v.person'),
	('returns r, visits v, visits w WHERE v.person = w.person AND r.person = v.person'), ('visits v JOIN people p ON p.id = v.person'), ('people p JOIN visits v ON p.id = v.person'),
	('people p LEFT JOIN visits v ON p.id = v.person'), ('returns r LEFT JOIN bills b USING (ticket, item)'), ('bills b LEFT JOIN returns r USING (ticket, item)'), ('(SELECT * FROM visits) v FULL JOIN (SELECT * FROM returns) r USING (person)'),
	('bills b JOIN returns r USING (ticket, item)'), ('returns r JOIN bills b USING (ticket, item)')) q (rows);
SELECT keys, pg_temp.bounds_of(format('SELECT %s, count(*) FROM visits v JOIN returns r USING (person) GROUP BY %1$s', keys)) AS bounds FROM (VALUES ('v.kind'), ('r.item'), ('v.kind, r.item'), ('v.cost + r.item')) q (keys);
RESET ROLE;
-- No table's order decides: one of a row, and one of ten.
SET ROLE fan_owner;
CREATE TABLE single (person int);
CREATE TABLE tenfold (person int, n int);
INSERT INTO single SELECT i FROM generate_series(1, 500) i;
INSERT INTO tenfold SELECT i, j FROM generate_series(1, 500) i, generate_series(1, 10) j;
CREATE TABLE fewer AS SELECT * FROM tenfold;
SELECT dp_agg.protect('single', 'person'), dp_agg.protect('tenfold', 'person', max_rows => 10), dp_agg.protect('fewer', 'person', max_rows => 11);
RESET ROLE;
SELECT * FROM shown('SELECT count(*) FROM single s JOIN tenfold t USING (person)');
SELECT * FROM shown('SELECT count(*) FROM tenfold t JOIN single s USING (person)');
SELECT * FROM shown('SELECT count(*) FROM tenfold t JOIN tenfold s USING (person)');
-- A NOTICE tells once when a join can make more rows of a unit than count: by a public table, or beyond max_join_rows.
SET client_min_messages = notice;
SET ROLE fan_analyst;
SELECT count(*) FROM tenfold t JOIN single s USING (person);
SELECT count(*) FROM tenfold t JOIN bands ON n BETWEEN lower + 1 AND upper;
SELECT count(*) FROM bands JOIN tenfold t ON n BETWEEN lower + 1 AND upper;
SET dp_agg.max_rows = 40;
SELECT count(*) FROM bands JOIN tenfold t ON n BETWEEN lower + 1 AND upper;
RESET dp_agg.max_rows;
SET dp_agg.max_join_rows = 5;
SELECT count(*) FROM fewer f JOIN tenfold t USING (person);
SELECT count(*) FROM tenfold t JOIN fewer f USING (person);
RESET dp_agg.max_join_rows;
RESET ROLE;
DROP TABLE single, tenfold, fewer;
SET client_min_messages = warning;
-- Public tables without a unique key, inequalities and products.
SELECT * FROM shown('SELECT tag, count(*) FROM people JOIN tags USING (city) GROUP BY tag');
SELECT * FROM shown('SELECT name, count(*) FROM people JOIN bands ON age BETWEEN lower AND upper GROUP BY name');
SELECT * FROM shown('SELECT count(*) FROM people, bands');
SELECT * FROM shown('SELECT name, count(*) FROM people p LEFT JOIN bands b ON p.age < b.lower GROUP BY name');
SELECT * FROM shown('SELECT name, tag, count(*) FROM people p JOIN bands ON age >= lower LEFT JOIN tags t ON t.city = p.city GROUP BY 1, 2');
SELECT * FROM shown('SELECT name, count(p.id) FROM bands LEFT JOIN people p ON age BETWEEN lower AND upper GROUP BY name');
-- What is more than set is cut, or refused if it is public; a unit's own rows alone decide.
SET dp_agg.max_join_rows = 2;
SELECT * FROM shown('SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person');
SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person AND w.cost = v.cost;
-- Of what is joined first by another column than the unit, no row of one unit takes the place of another's.
SET dp_agg.max_join_rows = 4;
SELECT * FROM shown('SELECT count(*) FROM visits a JOIN visits z ON z.cost = a.cost JOIN bills b ON b.person = a.person AND z.person = b.person WHERE b.ticket % 4 = 0');
SET dp_agg.max_join_rows = 2;
SET ROLE fan_analyst;
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT name, count(*) FROM people JOIN bands ON age BETWEEN lower AND upper GROUP BY name;
SELECT name, count(*) FROM people JOIN bands ON age BETWEEN lower AND upper AND name IN ('young', 'any') GROUP BY name ORDER BY name;
SELECT tag, count(*) FROM people JOIN tags USING (city) GROUP BY tag ORDER BY tag;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT count(*) FROM people, generate_series(1, 3);
SELECT count(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits, generate_series(1, 3)) u;
SELECT count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person) AS n FROM visits, bands) w WHERE n = 1;
SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM visits v, bands WHERE v.person = p.id);
SELECT count(*) FROM people JOIN (VALUES ('Aachen', 1), ('Aachen', 2), ('Aachen', 3)) k (city, n) USING (city);
SELECT n, count(*) FROM people JOIN (VALUES ('Aachen', 1), ('Aachen', 2), ('Chur', 3)) k (city, n) USING (city) GROUP BY n ORDER BY n;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SET dp_agg.max_join_rows = 1;
SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person;
SELECT tag, count(*) FROM people JOIN tags USING (city) GROUP BY tag;
-- the same values, declared with other lengths
SELECT count(*) FROM people JOIN (VALUES ('Aachen'::varchar(6)), ('Aachen'::varchar(7))) k (city) USING (city);
-- texts that differ, and are equal as character
SELECT count(*) FROM people JOIN (SELECT k::bpchar AS city FROM (SELECT DISTINCT city AS k FROM tags) t) k ON k.city = people.city::bpchar;
-- types whose values are equal alike
SELECT count(*) FROM people JOIN (SELECT k::varchar AS city FROM (SELECT DISTINCT city AS k FROM tags) t) k USING (city);
-- VALUES and LIMIT of what code says that may say another thing when they are read: it is not run for that
SELECT count(*) FROM people JOIN (VALUES (said(1)), (said(2)), (said(3))) k (city) USING (city);
EXPLAIN (COSTS OFF) SELECT count(*) FROM people, (SELECT tag FROM tags LIMIT length(said(1)) - 5) t;
SELECT is_called FROM calls;
-- a key that knows apart what the type's equality does not
SELECT count(*) FROM people JOIN (SELECT code, said(1) FROM codes) k ON k.code = people.city::bpchar;
-- The hint names the key that is missing.  Once there is one, the join is answered.
SELECT count(*) FROM people p JOIN visits v ON v.person = p.id JOIN visits w ON w.person = p.id AND w.day = v.cost AND w.kind > 'a';
RESET ROLE;
CREATE UNIQUE INDEX missing ON visits (person, day);
SET ROLE fan_analyst;
EXPLAIN (COSTS OFF) SELECT count(*) FROM people p JOIN visits v ON v.person = p.id JOIN visits w ON w.person = p.id AND w.day = v.cost AND w.kind > 'a';
RESET ROLE;
DROP INDEX missing;
SET ROLE fan_analyst;
-- Expressions may cost so many rows' time: as many are joined as that allows, but two of each item at least.  A NOTICE tells.
SET client_min_messages = notice;
SET dp_agg.max_join_rows = 100000;
SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person;
RESET dp_agg.max_join_rows;
CREATE FUNCTION pg_temp.many(condition text, times int) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(replace(condition, '#', i::text), ' OR ') FROM generate_series(1, times) i $$;
SELECT format('SELECT count(*) FROM visits v JOIN visits w USING (person) WHERE NOT (%s)', pg_temp.many('v.kind ILIKE ''%x#%''', 70)) AS some,
	format('SELECT count(*) FROM visits v JOIN visits w USING (person) JOIN bands b ON w.cost > lower WHERE NOT (%s)', pg_temp.many('v.kind ILIKE ''%x#%''', 36)) AS two,
	format('SELECT count(*) FROM visits v JOIN visits w USING (person) WHERE NOT (%s)', pg_temp.many('v.kind ILIKE ''%x#%''', 600)) AS refused,
	format('SELECT count(*) FROM people, generate_series(1, 90) k (n) WHERE NOT (%s)', pg_temp.many('city ILIKE ''%x#%''', 40)) AS listed,
	format('SELECT count(*) FROM people p, bands WHERE NOT (%s)', pg_temp.many('city ILIKE ''%x#%''', 65)) AS bands \gset
\set ECHO none
:some;
:two;
:refused;
-- what no value of max_join_rows helps is not said to be helped by it
:listed;
:bands;
\set ECHO all
SELECT statements AS before FROM dp_agg.budgets \gset
SET dp_agg.max_join_rows = 2;
SELECT count(*) FROM people, bands;
SELECT count(*) FROM people JOIN (VALUES ('Aachen', 1), ('Aachen', 2), ('Aachen', 3)) k (city, n) USING (city);
SELECT statements - :before AS charged FROM dp_agg.budgets;
RESET dp_agg.max_join_rows;
SET client_min_messages = warning;
-- The owner may declare another limit than 100.
RESET ROLE;
SELECT dp_agg.protect('people', 'id', 'default', 4, 8, max_join_rows => 2), dp_agg.protect('visits', 'person', 'default', 30, 4, max_join_rows => 2);
SELECT relation, max_values, max_join_rows FROM dp_agg.protected_tables ORDER BY relation::text;
SELECT label FROM pg_seclabels WHERE objname = 'visits.person';
SET ROLE fan_analyst;
SELECT count(*) FROM people, bands;
SELECT count(*) FROM (SELECT person FROM visits UNION ALL SELECT id FROM people, bands) u;
SELECT * FROM shown('SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person');
SET dp_agg.max_join_rows = 100;
SELECT * FROM shown('SELECT count(*) FROM visits v JOIN visits w ON w.person = v.person');
RESET ROLE;
SELECT dp_agg.protect('people', 'id', 'default', 4, 8), dp_agg.protect('visits', 'person', 'default', 30, 4);
SET ROLE fan_analyst;
RESET dp_agg.max_join_rows;
-- Another number of rows is another question, where it changes the answer.
SET dp_agg.epsilon = 1;
SET dp_agg.kept_max_age = '1 hour';
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT count(*) AS a FROM people, bands \gset
SELECT count(*) AS b FROM people, bands \gset
SELECT :a = :b AS same, statements - :before AS charged FROM dp_agg.budgets;
SELECT count(*) AS a FROM visits v JOIN visits w ON w.person = v.person \gset
SET dp_agg.max_join_rows = 2;
SELECT count(*) AS b FROM visits v JOIN visits w ON w.person = v.person \gset
SELECT statements - :before AS charged FROM dp_agg.budgets;
RESET dp_agg.max_join_rows;
RESET dp_agg.kept_max_age;
SET dp_agg.epsilon = 1000;
SELECT admitted, aggregate FROM dp_agg.price('SELECT count(*) FROM people, bands');
EXPLAIN (COSTS OFF) SELECT count(*) FROM people, bands;
-- Rows of two units are never joined.
SELECT count(*) FROM bills b JOIN returns r ON r.ticket = b.ticket;
SELECT count(*) FROM visits v JOIN visits w ON w.cost = v.cost;
SELECT count(*) FROM visits v JOIN visits w ON w.person < v.person;
SELECT count(*) FROM visits v, people p;
SELECT count(*) FROM visits v LEFT JOIN visits w ON w.person = v.person OR w.cost = 1;
SELECT count(*) FROM people p, visits v WHERE (p.id = v.person AND cost = 1) OR (p.id = v.cost AND cost > 2);
RESET ROLE;
DROP SCHEMA fan CASCADE;
SELECT dp_agg.drop_budget('fan_analyst');
DROP OWNED BY fan_owner, fan_analyst;
DROP ROLE fan_owner, fan_analyst;
DROP EXTENSION dp_agg;
