# Hostile objects of the analyst's: public tables that protected ones are joined to,
# with code of hers in all that PostgreSQL stores with a table, functions that strike
# when they run, and ways to have them run beside a block, before it is read or after.
#
# A round makes the tables anew, with a random choice of what may be stored with them,
# and arms a deed: what strike() does when it is called for the first time.  A sequence,
# which no rollback takes back, counts how often it was called.
#
# What must hold, whatever is struck when: a block is refused, or it is answered by what
# the tables were before the deed, or, if the tables are as good after it (`after`), by
# what they are then.  Where neither is sure, since a transaction empties a table that its
# own snapshot still reads or gives a name another meaning (`loose`), the answer is not
# compared, but no less is it paid for and without canaries.  Of sessions that attack,
# an answer of a block made by amplified() lies, by more than its noise, neither below
# zero nor above what protected rows amount to where each is joined once; noise is wider
# with a probability below exp(-30) for each value.
package FuzzObjects;

use strict;
use warnings;

use FuzzData qw(%TABLES);
use FuzzExpr qw(pick chance quote_text);
use FuzzRoute qw(step);

# What stays: strike() and the ways to it.  Functions of names that begin "lie" claim that
# they always return the same.
my $made = <<'SQL';
SET client_min_messages = warning;
CREATE SCHEMA hers AUTHORIZATION analyst;
SET ROLE analyst;
CREATE SEQUENCE hers.strikes;
CREATE FUNCTION hers.strike() RETURNS int VOLATILE LANGUAGE plpgsql AS $$
DECLARE
	deed text := nullif(current_setting('hers.deed', true), '');
BEGIN
	IF deed IS NOT NULL THEN
		PERFORM set_config('hers.deed', '', false), nextval('hers.strikes');
		EXECUTE deed;
	END IF;
	RETURN 1;
END $$;
CREATE FUNCTION hers.struck_by_owner() RETURNS int VOLATILE SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.struck_cheaply() RETURNS int VOLATILE COST 0.0001 LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.struck_and_caught() RETURNS int VOLATILE LANGUAGE plpgsql AS 'BEGIN PERFORM hers.strike(); RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 1; END';
CREATE FUNCTION hers.struck_in_sql() RETURNS int VOLATILE LANGUAGE sql AS 'SELECT hers.strike(); SELECT 1';
CREATE FUNCTION hers.steady() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.lie() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.lie_cheaply() RETURNS int IMMUTABLE COST 0.0001 PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.lie_by_owner() RETURNS int IMMUTABLE SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.lie_and_catch() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM hers.strike(); RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 1; END';
CREATE FUNCTION hers.lie_by_set() RETURNS int IMMUTABLE SET work_mem = '64kB' LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.lie_inlined() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT hers.lie() + 0';
CREATE FUNCTION hers.lie_standard() RETURNS int IMMUTABLE LANGUAGE sql RETURN hers.lie() + 0;
CREATE FUNCTION hers.lie_of(anyelement) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike(); END';
CREATE FUNCTION hers.code(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike() + $1; END';
CREATE FUNCTION hers.less(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN hers.strike() > 0 AND $1 < $2; END';
CREATE OPERATOR hers.<<< (PROCEDURE = hers.less, LEFTARG = int, RIGHTARG = int, RESTRICT = scalarltsel);
CREATE FUNCTION hers.rows_of(int DEFAULT hers.lie()) RETURNS SETOF int STABLE ROWS 1 LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION hers.set_of() RETURNS SETOF int VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN NEXT hers.strike(); END';
CREATE FUNCTION hers.before() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM hers.strike(); RETURN NULL; END';
CREATE FUNCTION hers.add(int, anyelement) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 + hers.strike(); END';
CREATE AGGREGATE hers.collect(anyelement) (SFUNC = hers.add, STYPE = int, INITCOND = '0');
CREATE DOMAIN hers.checked AS int CHECK (hers.lie_of(VALUE) > 0);
CREATE DOMAIN hers.watched AS int CHECK (VALUE > hers.lie() - 100);
CREATE TYPE hers.holder AS (a int);
CREATE FUNCTION hers.hold(int) RETURNS hers.holder IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM hers.strike(); RETURN ROW($1)::hers.holder; END';
CREATE CAST (int AS hers.holder) WITH FUNCTION hers.hold(int);
CREATE TABLE hers.secured (k int);
INSERT INTO hers.secured VALUES (1);
ALTER TABLE hers.secured ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY strikes ON hers.secured USING (hers.strike() > 0);
CREATE VIEW hers.lying AS SELECT hers.lie() AS x;
CREATE FUNCTION hers.clear() RETURNS void LANGUAGE plpgsql SET client_min_messages = warning SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	kind text;
	name text;
BEGIN
	DROP TABLE IF EXISTS pg_temp.people;
	LOOP
		SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, relname INTO kind, name FROM pg_class
		WHERE relnamespace = 'hers'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND relname NOT IN ('secured', 'lying') LIMIT 1;
		EXIT WHEN NOT FOUND;
		EXECUTE format('DROP %s hers.%I CASCADE', kind, name);
	END LOOP;
	DROP TYPE IF EXISTS hers.kind CASCADE;
	CREATE TYPE hers.kind AS ENUM ('one', 'two');
END $$;
-- remove what keeps rows apart, and have each of them many times over
CREATE FUNCTION hers.multiply() RETURNS void LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = 'hers.amp'::regclass AND contype IN ('u', 'p', 'c') LOOP
		EXECUTE format('ALTER TABLE hers.amp DROP CONSTRAINT %I CASCADE', name);
	END LOOP;
	FOR name IN SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'hers.amp'::regclass AND indisunique LOOP
		EXECUTE 'DROP INDEX ' || name;
	END LOOP;
	INSERT INTO hers.amp (ak, av, aw, ax) SELECT ak, av, aw, ax FROM hers.amp, generate_series(1, 100);
END $$;
SQL

# What the public table is in each round; `side` joins it to a star, `heir` has no key.
my $tables = <<'SQL';
CREATE TABLE hers.amp (ak int NOT NULL, av int, aw text NOT NULL, ax float8, CONSTRAINT amp_k UNIQUE (ak), CONSTRAINT amp_w UNIQUE (aw));
INSERT INTO hers.amp SELECT i, i % 12, coalesce((ARRAY['Lyon', 'Paris', 'lima', 'Oslo', 'Rio de Janeiro'])[i], 'w' || i), i * 0.25 FROM generate_series(0, 59) i;
CREATE TABLE hers.side (sk int NOT NULL, sv int, CONSTRAINT side_k UNIQUE (sk));
INSERT INTO hers.side SELECT i, i + 2 FROM generate_series(0, 11) i;
SQL
my $seen = 'CREATE VIEW hers.seen AS SELECT ak, av, aw, ax FROM hers.amp;';
my $heir = <<'SQL';
CREATE TABLE hers.heir (LIKE hers.amp);
INSERT INTO hers.heir (ak, av, aw, ax) SELECT i % 10, 1, (ARRAY['Lyon', 'Paris', 'lima', 'Oslo'])[i % 4 + 1], 1 FROM generate_series(1, 2000) i;
SQL

# What is stored with a table and calls nothing of hers.
my @mild = (
	'CREATE INDEX ON hers.amp (av)', 'CREATE INDEX ON hers.amp ((av + 1))', 'CREATE INDEX ON hers.amp (ak) WHERE av > 3', 'CREATE UNIQUE INDEX ON hers.amp (ak) WHERE av > 3',
	'CREATE UNIQUE INDEX ON hers.amp ((ak + 0))', 'CREATE STATISTICS hers.amp_s ON av, ax FROM hers.amp; ANALYZE hers.amp', 'CREATE STATISTICS hers.amp_t ON (av + 1), (lower(aw)) FROM hers.amp; ANALYZE hers.amp',
	'ALTER TABLE hers.amp ADD CHECK (ak > -5)', 'ALTER TABLE hers.amp ADD CHECK (av >= 0) NOT VALID', 'ALTER TABLE hers.amp ALTER av SET DEFAULT hers.lie()', 'ALTER TABLE hers.amp ADD more int DEFAULT hers.strike()',
	'CREATE TRIGGER before BEFORE INSERT OR UPDATE ON hers.amp FOR EACH STATEMENT EXECUTE FUNCTION hers.before()', 'ALTER TABLE hers.amp ADD twice int GENERATED ALWAYS AS (av * 2) STORED',
	"ALTER TABLE hers.amp ADD kind hers.kind DEFAULT 'one'", 'ALTER TABLE hers.amp ADD held hers.holder', 'CREATE RULE more AS ON INSERT TO hers.amp DO ALSO SELECT hers.lie()', 'UPDATE hers.amp SET av = av', 'DELETE FROM hers.amp WHERE ak > 40',
	'ALTER TABLE hers.amp ADD FOREIGN KEY (av) REFERENCES hers.side (sk)', 'ALTER TABLE hers.amp SET (parallel_workers = 2)', "ALTER TABLE hers.amp ALTER aw SET STORAGE EXTERNAL; UPDATE hers.amp SET aw = aw || repeat('x', 9000) WHERE ak > 50",
	'ALTER TABLE hers.amp ADD gone int; ALTER TABLE hers.amp DROP gone', 'CLUSTER hers.amp USING amp_k', 'ALTER TABLE hers.amp REPLICA IDENTITY FULL', 'CREATE INDEX ON hers.amp USING hash (ak)', 'CREATE INDEX ON hers.amp USING brin (ak, av)');

# What is stored with it and calls her code, or what has a public table refused; the
# second text does the same to a table `coded` that stands beside a block.
my %stored = (
	'index expression' => [ 'CREATE INDEX ON hers.amp ((av + hers.lie()))', 'CREATE INDEX ON hers.coded ((k + hers.lie()))' ],
	'index expression of rows' => [ 'CREATE INDEX ON hers.amp ((hers.code(av)))', 'CREATE INDEX ON hers.coded ((hers.code(k)))' ],
	'index predicate' => [ 'CREATE INDEX ON hers.amp (av) WHERE av > hers.lie() - 100', 'CREATE INDEX ON hers.coded (k) WHERE k > hers.lie() - 100' ],
	'unique index predicate' => [ 'CREATE UNIQUE INDEX ON hers.amp (ak) WHERE hers.lie() > 0', 'CREATE UNIQUE INDEX ON hers.coded (k) WHERE hers.lie() > 0' ],
	'unique index expression' => [ 'CREATE UNIQUE INDEX ON hers.amp (ak, (av + hers.lie()))', 'CREATE UNIQUE INDEX ON hers.coded ((k + hers.lie()))' ],
	'statistics' => [ 'CREATE STATISTICS hers.amp_c ON (av + hers.lie()), (ak * 2) FROM hers.amp; ANALYZE hers.amp', 'CREATE STATISTICS hers.coded_c ON (k + hers.lie()), (k * 2) FROM hers.coded; ANALYZE hers.coded' ],
	'check' => [ 'ALTER TABLE hers.amp ADD CHECK (av + hers.lie() > 0)', 'ALTER TABLE hers.coded ADD CHECK (k + hers.lie() > 0)' ],
	'check by a domain' => [ 'ALTER TABLE hers.amp ADD CHECK (7::hers.watched > 0)', 'ALTER TABLE hers.coded ADD CHECK (7::hers.watched > 0)' ],
	'check that is not valid' => [ 'ALTER TABLE hers.amp ADD CHECK (ak <> hers.lie() - 100) NOT VALID', 'ALTER TABLE hers.coded ADD CHECK (k <> hers.lie() - 100) NOT VALID' ],
	'domain' => [ 'ALTER TABLE hers.amp ALTER av TYPE hers.watched', 'ALTER TABLE hers.coded ALTER k TYPE hers.watched' ],
	'generated column' => [ 'ALTER TABLE hers.amp ADD made int GENERATED ALWAYS AS (hers.code(av)) STORED', 'ALTER TABLE hers.coded ADD made int GENERATED ALWAYS AS (hers.code(k)) STORED' ],
	'policy' => [ 'ALTER TABLE hers.amp ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON hers.amp USING (hers.code(ak) > 0)',
		'ALTER TABLE hers.coded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON hers.coded USING (hers.code(k) > 0)' ],
	'child' => [ 'CREATE TABLE hers.child (CHECK (ak > hers.lie() - 100)) INHERITS (hers.amp)', 'CREATE TABLE hers.child (CHECK (k > hers.lie() - 100)) INHERITS (hers.coded)' ],
	'partition key' => [ 'CREATE TABLE hers.parent (LIKE hers.amp) PARTITION BY RANGE ((ak + hers.lie())); ALTER TABLE hers.parent ATTACH PARTITION hers.amp DEFAULT',
		'DROP TABLE hers.coded; CREATE TABLE hers.coded (k int) PARTITION BY RANGE ((k + hers.lie())); CREATE TABLE hers.coded_1 PARTITION OF hers.coded FOR VALUES FROM (MINVALUE) TO (20); CREATE TABLE hers.coded_2 PARTITION OF hers.coded DEFAULT' ],
	'partitions of code' => [ 'CREATE TABLE hers.parent (LIKE hers.amp) PARTITION BY LIST ((hers.code(ak))); ALTER TABLE hers.parent ATTACH PARTITION hers.amp DEFAULT',
		'DROP TABLE hers.coded; CREATE TABLE hers.coded (k int) PARTITION BY LIST ((hers.code(k))); CREATE TABLE hers.coded_1 PARTITION OF hers.coded FOR VALUES IN (2); CREATE TABLE hers.coded_2 PARTITION OF hers.coded DEFAULT' ],
	'view' => [ 'ALTER TABLE hers.amp RENAME TO lost; CREATE VIEW hers.amp AS SELECT ak, av + hers.lie() - 1 AS av, aw, ax FROM hers.lost',
		'DROP TABLE hers.coded; CREATE VIEW hers.coded AS SELECT hers.lie() AS k' ]);

# Deeds: what is done, how many charges that makes, and what may be answered then.
my @deeds = (
	# the tables are no longer what may be joined: an answer is one of before
	(map { { sql => $_ } } 'SELECT hers.multiply()', 'SELECT hers.multiply()', 'SELECT hers.multiply()', 'DO $d$ BEGIN PERFORM hers.multiply(); END $d$',
		'CREATE TABLE hers.born () INHERITS (hers.amp); INSERT INTO hers.born (ak, av, aw, ax) SELECT ak, av, aw, ax FROM ONLY hers.amp, generate_series(1, 100)',
		'DROP TABLE hers.amp CASCADE; CREATE TABLE hers.amp (ak int NOT NULL, av int, aw text, ax float8); INSERT INTO hers.amp SELECT 1, 1, \'Lyon\', 1 FROM generate_series(1, 2000)',
		'DROP TABLE hers.amp CASCADE',
		'ALTER TABLE hers.amp DROP CONSTRAINT amp_k, ADD CONSTRAINT amp_k UNIQUE (ak) DEFERRABLE INITIALLY DEFERRED',
		'ALTER TABLE hers.amp DROP CONSTRAINT amp_k; CREATE UNIQUE INDEX ON hers.amp (ak) WHERE av < 100; INSERT INTO hers.amp SELECT 1, 1000, \'d\' || i, 1 FROM generate_series(1, 2000) i',
		'ALTER TABLE hers.amp DROP CONSTRAINT amp_k, ADD CONSTRAINT amp_k UNIQUE (ak, aw); INSERT INTO hers.amp SELECT 1, 1, \'d\' || i, 1 FROM generate_series(1, 2000) i',
		'ALTER TABLE hers.amp ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY late ON hers.amp USING (hers.code(ak) > 0)', 'CREATE INDEX ON hers.amp ((hers.code(ak)))',
		'CREATE INDEX ON hers.amp (av) WHERE hers.code(ak) > 0', 'CREATE STATISTICS hers.late ON (hers.code(ak)), av FROM hers.amp', 'ALTER TABLE hers.amp ADD CHECK (hers.code(ak) > 0)',
		'ALTER TABLE hers.amp ALTER av TYPE hers.watched', 'ALTER TABLE hers.amp DROP COLUMN av', 'ALTER TABLE hers.amp DROP COLUMN av, ADD COLUMN av text DEFAULT 5', 'REVOKE SELECT ON hers.amp FROM analyst',
		'DROP TYPE hers.kind CASCADE'),
	{ sql => 'DROP VIEW hers.seen; CREATE VIEW hers.seen AS SELECT a.* FROM hers.amp a, generate_series(1, 100)', seen => 1 },
	{ sql => 'CREATE OR REPLACE VIEW hers.seen AS SELECT ak, av, aw, ax FROM hers.heir', seen => 1, heir => 1 },
	(map { { sql => $_, heir => 1 } } 'ALTER TABLE hers.heir INHERIT hers.amp', 'ALTER TABLE hers.heir INHERIT hers.amp', 'ALTER TABLE hers.amp RENAME TO lost; ALTER TABLE hers.heir RENAME TO amp'),

	# they are as good as before: an answer is one of before or one of after
	(map { { sql => $_, after => 1 } } 'UPDATE hers.amp SET av = av + 1', 'DELETE FROM hers.amp WHERE ak % 2 = 0', 'INSERT INTO hers.amp (ak, av, aw, ax) SELECT -i, 1, \'n\' || i, 0 FROM generate_series(1, 10) i',
		'UPDATE hers.amp SET ak = ak + 1000 WHERE ak > 5', 'ALTER TABLE hers.amp ALTER ak TYPE bigint', 'ALTER TABLE hers.amp ALTER ax TYPE numeric', 'ALTER TABLE hers.amp ALTER aw TYPE varchar(30000)', 'ALTER TABLE hers.amp ALTER av TYPE text',
		'ALTER TABLE hers.amp DROP CONSTRAINT amp_k, ADD CONSTRAINT amp_k UNIQUE (ak)',
		'CREATE TABLE hers.parent (LIKE hers.amp) PARTITION BY LIST (ak); INSERT INTO hers.amp SELECT -1, 1, \'p\', 1; ALTER TABLE hers.parent ATTACH PARTITION hers.amp DEFAULT',
		'CREATE TABLE hers.born (n int)', 'CREATE INDEX ON hers.amp (av)', 'ANALYZE hers.amp', 'ALTER TABLE hers.amp ADD later int DEFAULT 7', "ALTER TYPE hers.kind ADD VALUE 'three'", 'COMMENT ON TABLE hers.amp IS \'struck\'',
		'ALTER TABLE hers.amp RENAME TO lost; CREATE TABLE hers.amp (LIKE hers.lost INCLUDING ALL); INSERT INTO hers.amp SELECT 1, 2, \'Lyon\', 3'),

	# they are as before; DEALLOCATE of the statement that is being planned crashes PostgreSQL itself (GetCachedPlan)
	(map { { sql => $_ } } 'SELECT 1', 'DISCARD PLANS', 'LOCK TABLE hers.amp IN ACCESS EXCLUSIVE MODE', 'EXPLAIN (ANALYZE, BUFFERS) SELECT count(*) FROM hers.side', 'EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM pg_class',
		'DO $d$ BEGIN RAISE NOTICE \'struck\'; END $d$', 'DO $d$ BEGIN RAISE EXCEPTION \'struck\'; END $d$', 'DO $d$ BEGIN RAISE query_canceled; END $d$', 'SELECT pg_cancel_backend(pg_backend_pid())', 'SELECT * FROM public.people',
		'DO $d$ BEGIN PERFORM hers.multiply(); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END $d$', 'DO $d$ BEGIN DROP TABLE hers.amp CASCADE; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END $d$',
		'DO $d$ DECLARE c refcursor; r record; BEGIN OPEN c FOR SELECT * FROM hers.amp; FETCH c INTO r; END $d$', 'DO $d$ DECLARE c refcursor := \'c\'; BEGIN OPEN c FOR SELECT 1; END $d$'),

	# a release within: charged beside; named with its schema, since from 17 on the search_path of REFRESH is pg_catalog alone
	(map { { sql => $_, charges => 1 } } 'SELECT public.dp_count(*) FROM public.people', 'SELECT public.dp_count(*) FROM public.people JOIN hers.amp ON ak = s', 'SELECT t, public.dp_count(*) FROM public.visits GROUP BY t', 'SELECT public.dp_sum(av, 0, 9) FROM public.people JOIN hers.amp ON ak = id',
		'EXPLAIN (ANALYZE, BUFFERS) SELECT public.dp_count(*) FROM public.people', 'DO $d$ DECLARE c refcursor; r record; BEGIN OPEN c FOR SELECT public.dp_count(*) FROM public.people; FETCH c INTO r; END $d$',
		'SELECT public.dp_count(*) FROM public.people JOIN hers.amp ON ak = s; SELECT hers.multiply()', 'CREATE TABLE hers.born AS SELECT public.dp_count(*) FROM public.parts', "SELECT * FROM public.dp_histogram('public.people', 'i', 0, 10, 5)"),

	# names, settings or rows that mean something else for what is parsed or read later
	(map { { sql => $_, loose => 1 } } 'ALTER TABLE hers.amp RENAME ak TO a_; ALTER TABLE hers.amp RENAME av TO ak; ALTER TABLE hers.amp RENAME a_ TO av', 'TRUNCATE hers.amp', 'TRUNCATE hers.amp; INSERT INTO hers.amp (ak, av, aw, ax) SELECT i, i, \'z\' || i, i FROM generate_series(1, 10) i', 'CREATE TEMP TABLE people (id int, i int, s int2, t text)',
		'SET search_path = hers, public', "SET search_path = ''", 'SET transform_null_equals = on', 'SET dp_agg.max_groups = 1', 'SET dp_agg.mechanism = laplace', 'SET TimeZone = \'Pacific/Apia\'', 'SET DateStyle = \'SQL, DMY\'', 'SET standard_conforming_strings = off'),
	{ sql => 'SET dp_agg.epsilon = 0.1', loose => 1, epsilon => 0.1 },
	(map { { sql => $_ } } (map { my $n = $_; map { "SET $n = $_" } qw(on off) } qw(enable_seqscan enable_hashjoin enable_mergejoin enable_nestloop enable_hashagg enable_sort enable_indexscan enable_bitmapscan enable_material)),
		'SET work_mem = 64', 'SET plan_cache_mode = force_generic_plan', 'SET constraint_exclusion = on', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0', 'SET client_min_messages = debug5', 'SET join_collapse_limit = 1'));

# What deeds and sessions change, put back before a round.
my $settings = join '; ', 'DEALLOCATE ALL', 'CLOSE ALL', map { "RESET $_" } qw(search_path transform_null_equals dp_agg.max_groups dp_agg.max_rows dp_agg.mechanism dp_agg.delta dp_agg.epsilon TimeZone DateStyle
	standard_conforming_strings client_min_messages default_transaction_read_only default_transaction_isolation default_transaction_deferrable plan_cache_mode work_mem
	join_collapse_limit constraint_exclusion check_function_bodies enable_seqscan enable_hashjoin enable_mergejoin enable_nestloop enable_hashagg enable_sort enable_indexscan enable_bitmapscan enable_material);

# Her immutable functions, and those that are called at each row.
my @lies = map { "hers.$_" } 'lie()', 'lie()', 'lie_cheaply()', 'lie_by_owner()', 'lie_and_catch()', 'lie_by_set()', 'lie_inlined()', 'lie_standard()', 'lie_of(5)', 'code(0)';
my @strikes = map { "hers.$_" } qw(strike() strike() struck_by_owner() struck_cheaply() struck_and_caught() struck_in_sql() steady());

# Make what stays.
sub new
{
	my ($class, $server) = @_;
	my $self = bless { server => $server }, $class;
	$server->admin_rows("$made; RESET ROLE; RESET client_min_messages");
	return $self;
}

# How often her code has struck so far.
sub strikes
{
	my ($self) = @_;
	return ($self->{server}->admin_rows('SELECT last_value + is_called::int FROM hers.strikes'))[0][0];
}

# Statements that put back what a round has changed of a session.
sub reset
{
	return ('ROLLBACK', "$settings; SELECT set_config('hers.deed', '', false); DROP TABLE IF EXISTS pg_temp.people");
}

# Begin a round: statements that make the tables anew and arm a deed, which is kept.
sub round
{
	my ($self) = @_;
	my $deed = $self->{deed} = chance(0.12) ? { sql => '', none => 1 } : pick(@deeds);
	my $coded = $self->{coded} = chance(0.3) && pick(sort keys %stored);
	$self->{seen} = $deed->{seen} || chance(0.25);
	my @with = map { pick(@mild) } 1 .. pick(0, 0, 1, 1, 2, 3);
	push @with, $stored{ pick(sort keys %stored) }[0] if chance(0.15);
	return (
		"SELECT hers.clear();\n$tables" . ($self->{seen} ? $seen : '') . ($deed->{heir} ? $heir : ''), @with,
		$coded ? ('CREATE TABLE hers.coded (k int); INSERT INTO hers.coded VALUES (1)', $stored{$coded}[1], 'INSERT INTO hers.coded VALUES (1)') : (),
		"SELECT set_config('hers.deed', " . quote_text($deed->{sql}) . ', false)');
}

# A FROM with her tables, for FuzzBlock.
sub from
{
	my ($self) = @_;
	my $table = pick(qw(people people visits parts));
	my %of = (people => $TABLES{people}, visits => $TABLES{visits}, parts => $TABLES{parts});
	my $unit = $of{$table}{unit};
	my %hers = (ak => 'int4', av => 'int4', aw => 'text', ax => 'float8');
	my $amp = pick(('hers.amp') x 5, ('hers.seen') x ($self->{seen} ? 5 : 0), '(SELECT * FROM hers.amp WHERE av > 0) a');
	my $on = pick('ak = i', 'ak = i', "ak = $unit", "ak = CASE WHEN $unit = 77 THEN 1 END", 'aw = t', $table eq 'parts' ? 'ak = i' : 'ak = s', "ak = i AND av < 9");
	my %from = (unit => $unit, unique => $of{$table}{unique}, columns => { %{ $of{$table}{columns} }, %hers });
	return { %from, dp => "$amp LEFT JOIN $table ON $on", plain => "$amp JOIN $table ON $on", listing => $amp, listed => \%hers } if chance(0.15) && $on !~ /CASE/;
	my $join = pick(qw(JOIN JOIN LEFT));
	$join = 'LEFT JOIN' if $join eq 'LEFT';
	my $text = "$table $join $amp ON $on";
	if (chance(0.15))
	{
		$text .= ' ' . pick('', 'LEFT ') . 'JOIN hers.side ON sk = av';
		$from{columns}{sv} = 'int4';
	}
	return { %from, dp => $text, plain => $text };
}

# Joins of protected rows, by the most of them that each can have.
my %amplified = (
	'people p JOIN hers.amp ON ak = CASE WHEN p.id = 77 THEN 1 END' => 1, 'people p JOIN hers.seen ON ak = CASE WHEN p.id = 77 THEN 1 END' => 1,
	'(SELECT id FROM people) p JOIN (SELECT ak, av FROM hers.amp) a ON ak = CASE WHEN id = 77 THEN 1 END' => 1,
	'people p JOIN hers.side ON sk = CASE WHEN p.id = 77 THEN 1 END LEFT JOIN hers.amp ON ak = sv' => 1,
	'parts p JOIN hers.amp ON ak = CASE WHEN p.id = 77 THEN 1 END' => 1, 'people p JOIN hers.amp ON ak = s' => 1500, 'people p LEFT JOIN hers.amp ON ak = id' => 1500,
	'visits p JOIN hers.amp ON ak = CASE WHEN p.person = 77 THEN 1 END' => 3, 'visits p JOIN hers.amp ON ak = person' => 3000);

# A block of one released column over her tables that duplicates would amplify, and between
# what its values lie if the loss is what is said.
sub amplified
{
	my ($self, $epsilon) = @_;
	my $join = pick(grep { $self->{seen} ? /seen/ || chance(0.5) : !/seen/ } sort keys %amplified);
	my $most = $amplified{$join};
	my $call = pick('dp_count(*)', 'dp_count(*)', 'dp_count(av)', 'dp_sum(av, 0, 10)', 'dp_count(av + 1)');
	my $text = "SELECT $call AS n FROM $join";
	$text = "WITH w AS (SELECT * FROM $join) SELECT $call AS n FROM w" if $join =~ /^people p JOIN hers/ && chance(0.2);
	my $each = $call =~ /sum/ ? 10 : 1;
	($text, $most, $each) = ('SELECT dp_count(p.id) AS n FROM hers.amp LEFT JOIN people p ON ak = CASE WHEN p.id = 77 THEN 1 END GROUP BY ak', 1, 1) if chance(0.1);
	$epsilon = $self->{deed}{epsilon} if ($self->{deed}{epsilon} // 1e300) < $epsilon;
	my $noise = 30 * $each * ($text =~ /visits/ ? 3 : 1) / $epsilon;
	return { dp => $text, least => -$noise, most => $each * $most + $noise };
}

# Make a table of a query's shape; make it, fill it by the steps, and read it.
sub shaped
{
	my ($sql) = @_;
	return step("CREATE TABLE hers.kept AS $sql WITH NO DATA", 0);
}

sub kept
{
	my ($sql, @steps) = @_;
	return (shaped($sql), @steps, step('SELECT * FROM hers.kept', 0, rows => 1));
}

# Ways that have her code run, each with its steps for a query; of what is compared, the query's
# columns come first.
my %ways = (
	list => sub { step("SELECT q.*, $_[1] FROM ($_[0]) q", 1, rows => 1) },
	order => sub { step("SELECT * FROM ($_[0]) q ORDER BY $_[1]", 1, rows => 1) },
	limit => sub { step("SELECT * FROM ($_[0]) q LIMIT $_[1] + 100000", 1, rows => 1) },
	offset => sub { step("SELECT * FROM ($_[0]) q OFFSET $_[1] - 1", 1, rows => 1) },
	where => sub { step("SELECT * FROM ($_[0]) q WHERE $_[1] > 0", 0, most => 1, rows => 1) },
	where_first => sub { step("SELECT * FROM ($_[0]) q WHERE (SELECT $_[2]) > 0", 0, most => 1, rows => 1) },
	with => sub { step('WITH w AS ' . pick('', 'MATERIALIZED ') . "(SELECT $_[1] AS x) SELECT q.* FROM w, ($_[0]) q", 0, most => 1, rows => 1) },
	with_strike => sub { step("WITH w AS MATERIALIZED (SELECT $_[2] AS x) SELECT q.* FROM ($_[0]) q, w", 0, most => 1, rows => 1) },
	set_of => sub { step('SELECT q.* FROM ' . pick("hers.set_of() s", 'hers.rows_of() s', "generate_series(1, $_[1]) s", "ROWS FROM (generate_series(1, $_[1])) s") . ", ($_[0]) q", 0, most => 1, rows => 1) },
	set_after => sub { step("SELECT q.* FROM ($_[0]) q, " . pick('hers.set_of() s', "generate_series(1, $_[2]) s"), 0, most => 1, rows => 1) },
	outer => sub { step("SELECT q.* FROM (SELECT $_[2] AS x OFFSET 0) e, LATERAL (SELECT * FROM ($_[0]) q WHERE e.x > 0 OFFSET 0) q", 0, most => 1, rows => 1) },
	policy => sub { step("SELECT q.* FROM hers.secured s, LATERAL (SELECT * FROM ($_[0]) q WHERE s.k = 1 OFFSET 0) q", 0, most => 1, rows => 1) },
	view => sub { step("SELECT q.* FROM hers.lying, ($_[0]) q", 0, most => 1, rows => 1) },
	type => sub { step('SELECT q.*, ' . pick('5::hers.watched', '5::hers.checked', '(5::hers.holder) IS NULL', '1 OPERATOR(hers.<<<) 2', "'5'::hers.watched", "ARRAY[5]::hers.checked[]") . " FROM ($_[0]) q", 1, rows => 1) },
	estimate => sub { step("SELECT q.* FROM ($_[0]) q, hers.side WHERE sk = 3 AND sk " . pick('< hers.steady() + 50', 'OPERATOR(hers.<<<) 5', '::hers.watched > 0', '+ hers.lie() > 0'), 0, most => 1, rows => 1) },
	coded => sub { step("SELECT q.* FROM ($_[0]) q, (SELECT 1 FROM hers.coded WHERE k = 1 LIMIT 1) c", 0, most => 1, rows => 1) },
	coded_first => sub { step("SELECT q.* FROM (SELECT k FROM hers.coded WHERE k = 1 LIMIT 1) c, LATERAL (SELECT * FROM ($_[0]) q WHERE c.k = 1 OFFSET 0) q", 0, most => 1, rows => 1) },
	copy => sub { step("COPY (SELECT q.*, $_[1] FROM ($_[0]) q) TO STDOUT", 1, copied => 1) },
	analyze => sub { step('EXPLAIN (ANALYZE' . pick('', ', BUFFERS', ', VERBOSE') . ") SELECT q.*, $_[1] FROM ($_[0]) q", 1) },
	explain => sub { step("EXPLAIN SELECT q.*, $_[1] FROM ($_[0]) q", 0), step($_[0], 1, rows => 1) },
	price => sub { step('SELECT * FROM dp_agg.price(' . quote_text("SELECT q.*, $_[1] FROM ($_[0]) q") . ')', 0), step($_[0], 1, rows => 1) },
	collect => sub { step("SELECT hers.collect(q) FROM ($_[0]) q", 1) },
	window => sub { step("SELECT q.*, lag(1, $_[1]) OVER () FROM ($_[0]) q", 1, rows => 1) },
	batch => sub { step("DO \$b\$ BEGIN PERFORM $_[2]; END \$b\$; $_[0]", 1, rows => 1) },
	cursor => sub { step('BEGIN', 0), step('DECLARE c ' . pick('', 'SCROLL ') . "CURSOR FOR $_[0]", 0), step("SELECT $_[2]", 0), step('FETCH ALL FROM c', 1, rows => 1), step('COMMIT', 0) },
	cursor_late => sub { step('BEGIN', 0), step("DECLARE c SCROLL CURSOR FOR $_[0]", 0), step('FETCH c', 1), step("SELECT $_[2]", 0), step('MOVE BACKWARD ALL FROM c', 0), step('FETCH ALL FROM c', 0, rows => 1), step('COMMIT', 0) },
	held => sub { step('BEGIN', 0), step("DECLARE c SCROLL CURSOR WITH HOLD FOR $_[0]", 0), step("SELECT $_[2]", 0), step('COMMIT', 1), step('FETCH ALL FROM c', 0, rows => 1), step('CLOSE c', 0) },
	savepoint => sub { step('BEGIN', 0), step("DECLARE c CURSOR FOR $_[0]", 0), step('SAVEPOINT s', 0), step("SELECT $_[2]", 0), step('ROLLBACK TO s', 0), step('FETCH ALL FROM c', 1, rows => 1), step('COMMIT', 0) },
	repeatable => sub { step('BEGIN ISOLATION LEVEL REPEATABLE READ', 0), step('SELECT 1', 0), step("SELECT $_[2]", 0), step('COMMIT', 0), step($_[0], 1, rows => 1) },
	prepared => sub { step("PREPARE p AS $_[0]", 0), step('EXECUTE p', 1, rows => 1), step("SELECT $_[2]", 0), step('EXECUTE p', 1, rows => 1), step('DEALLOCATE p', 0) },
	prepared_often => sub {
		step("SET plan_cache_mode = force_generic_plan; PREPARE p AS SELECT q.*, $_[1] FROM ($_[0]) q", 0), (map { step('EXECUTE p', 1, rows => 1) } 1 .. 3), step("SELECT $_[2]", 0),
		step('EXECUTE p', 1, rows => 1), step('DEALLOCATE p', 0) },
	two => sub {
		shaped($_[0]), step("CREATE OR REPLACE FUNCTION hers.two() RETURNS SETOF hers.kept LANGUAGE sql AS \$two\$ SELECT $_[2]; $_[0] \$two\$", 0), step('SELECT * FROM hers.two()', 1, rows => 1) },
	two_atomic => sub {
		shaped($_[0]), step("CREATE OR REPLACE FUNCTION hers.two() RETURNS SETOF hers.kept LANGUAGE sql BEGIN ATOMIC SELECT $_[2]; $_[0]; END", 0), step('SELECT * FROM hers.two()', 1, rows => 1) },
	rule => sub {
		kept($_[0], step("CREATE TABLE hers.ruled (x int); CREATE RULE two AS ON INSERT TO hers.ruled DO INSTEAD (SELECT $_[2]; INSERT INTO hers.kept $_[0])", 0), step('INSERT INTO hers.ruled VALUES (1)', 1)) },
	trigger => sub { kept($_[0], step('CREATE TRIGGER before BEFORE INSERT ON hers.kept FOR EACH STATEMENT EXECUTE FUNCTION hers.before()', 0), step("INSERT INTO hers.kept $_[0]", 1)) },
	default => sub { kept($_[0], step("ALTER TABLE hers.kept ADD struck int; ALTER TABLE hers.kept ALTER struck SET DEFAULT " . pick(@_[ 1, 2 ]), 0), step("INSERT INTO hers.kept SELECT q.* FROM ($_[0]) q", 1)) },
	code_cursor => sub {
		kept($_[0], step("DO \$b\$ DECLARE c CURSOR FOR $_[0]; r hers.kept; BEGIN OPEN c; PERFORM $_[2]; LOOP FETCH c INTO r; EXIT WHEN NOT FOUND; INSERT INTO hers.kept SELECT r.*; END LOOP; END \$b\$", 1)) },
	code_loop => sub { kept($_[0], step("DO \$b\$ DECLARE r hers.kept; BEGIN FOR r IN $_[0] LOOP PERFORM $_[2]; INSERT INTO hers.kept SELECT r.*; END LOOP; END \$b\$", 1)) },
	code_twice => sub { step("DO \$b\$ BEGIN FOR i IN 1 .. 2 LOOP PERFORM * FROM ($_[0]) q; PERFORM $_[2]; END LOOP; END \$b\$", 2, many => 1) },
	matview => sub { step("CREATE MATERIALIZED VIEW hers.stored AS SELECT q.*, $_[2] AS struck FROM ($_[0]) q", 1), step('SELECT * FROM hers.stored', 0, rows => 1), step('REFRESH MATERIALIZED VIEW hers.stored', 1) },
	table => sub { step("CREATE TABLE hers.kept AS SELECT q.*, $_[1] AS struck FROM ($_[0]) q", 1), step('SELECT * FROM hers.kept', 0, rows => 1) },
	plain => sub { step($_[0], 1, rows => 1) });

# The steps of one of them.
sub routes
{
	my ($self, $sql) = @_;
	my $way = pick(grep { $self->{coded} ? /coded/ || chance(0.2) : !/coded/ } sort keys %ways);
	return map { { %$_, way => "hers $way" } } $ways{$way}->($sql, pick(@lies), pick(@strikes));
}

1;
