# Who does not own what a command names is refused before the command waits for a lock
# of it, behind which everybody else would wait: objects of every kind, commands of
# every kind.  Each is tried while a session holds a lock that conflicts with the command's,
# which takes no right: without the check it would run into lock_timeout.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('ownership');
$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN grade AS int CONSTRAINT sane CHECK (VALUE > 0);
ALTER TABLE people ADD mood mood DEFAULT 'sad';
CREATE FUNCTION f(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE PROCEDURE p(int) LANGUAGE sql AS '';
CREATE AGGREGATE a(int) (SFUNC = int4pl, STYPE = int);
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
CREATE OPERATOR FAMILY of USING btree;
CREATE OPERATOR CLASS oc FOR TYPE int USING btree FAMILY of AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int);
CREATE COLLATION c FROM "C";
CREATE CONVERSION cv FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE FUNCTION cast_mood(mood) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE CAST (mood AS int) WITH FUNCTION cast_mood(mood);
CREATE STATISTICS st ON age, city FROM people;
CREATE TEXT SEARCH CONFIGURATION tc (COPY = simple);
CREATE TEXT SEARCH DICTIONARY td (TEMPLATE = simple);
CREATE TEXT SEARCH PARSER tp (START = prsd_start, GETTOKEN = prsd_nexttoken, END = prsd_end, LEXTYPES = prsd_lextype);
CREATE TEXT SEARCH TEMPLATE tt (LEXIZE = dsimple_lexize);
CREATE FOREIGN DATA WRAPPER w;
CREATE SERVER sv FOREIGN DATA WRAPPER w;
CREATE PUBLICATION pb FOR TABLE people;
CREATE ACCESS METHOD am TYPE INDEX HANDLER bthandler;
CREATE FUNCTION e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE EVENT TRIGGER et ON sql_drop WHEN TAG IN ('DROP CAST') EXECUTE FUNCTION e();
ALTER EVENT TRIGGER et DISABLE;
CREATE TRIGGER t AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE RULE r AS ON UPDATE TO people WHERE false DO NOTHING;
CREATE POLICY po ON people;
CREATE SEQUENCE sq;
CREATE VIEW v AS SELECT 1 AS x;
CREATE MATERIALIZED VIEW mv AS SELECT 1 AS x;
CREATE SCHEMA app;
SELECT lo_create(4711);
CREATE SCHEMA eves AUTHORIZATION eve;
GRANT CREATE ON DATABASE postgres TO eve;
GRANT CREATE ON SCHEMA public TO eve;
SET ROLE eve;
CREATE EXTENSION lo SCHEMA eves;
CREATE TABLE beside (id int NOT NULL);
CREATE PUBLICATION eves_own;
CREATE TABLE eves.parents (id int PRIMARY KEY);
GRANT REFERENCES ON eves.parents TO PUBLIC;
RESET ROLE;
CREATE TABLE children (id int REFERENCES eves.parents);
CREATE TABLE grandchildren (id int) INHERITS (children);
SQL
my $no_right = qr/^42501: (must be |must have |permission denied)/;

sub as_eve
{
	my ($sql) = @_;
	return asked($node, "SET lock_timeout = '2s'; SET search_path = public, eves; $sql", 'eve');
}

# Eve has named all of it in a transaction, which takes no right.
my @named = (
	[ 'type', 'public.mood' ], [ 'domain constraint', 'public.grade', 'sane' ], [ 'type', 'public.grade' ], [ 'function', 'public,f', 'int' ],
	[ 'function', 'public,cast_mood', 'mood' ], [ 'procedure', 'public,p', 'int' ], [ 'aggregate', 'public,a', 'int' ], [ 'operator', 'public,===', 'int,int' ],
	[ 'operator family', 'btree,public,of' ], [ 'operator class', 'btree,public,oc' ], [ 'collation', 'public,c' ], [ 'conversion', 'public,cv' ],
	[ 'cast', 'mood', 'int' ], [ 'statistics object', 'public,st' ], [ 'text search configuration', 'public,tc' ], [ 'text search dictionary', 'public,td' ],
	[ 'text search parser', 'public,tp' ], [ 'text search template', 'public,tt' ], [ 'foreign-data wrapper', 'w' ], [ 'server', 'sv' ], [ 'publication', 'pb' ],
	[ 'access method', 'am' ], [ 'event trigger', 'et' ], [ 'trigger', 'public,people,t' ], [ 'rule', 'public,people,r' ], [ 'policy', 'public,people,po' ],
	[ 'schema', 'app' ], [ 'extension', 'dp_agg' ], [ 'language', 'plpgsql' ], [ 'large object', '4711' ], [ 'tablespace', 'pg_default' ], [ 'role', 'bob' ], [ 'database', 'postgres' ], [ 'schema', 'public' ]);
my $holder = $node->background_psql('postgres', on_error_die => 1);
$holder->query_safe('SET ROLE eve; BEGIN');
$holder->query_safe("SELECT classid FROM pg_get_object_address('$_->[0]', '{$_->[1]}', '{" . ($_->[2] // '') . "}')") for @named;
$holder->query_safe("PREPARE names_$_ AS SELECT FROM $_") for qw(people children grandchildren v mv sq);

my @exclusive = (
	'DROP TYPE mood', 'DROP TYPE public.mood CASCADE', 'DROP TYPE IF EXISTS mood', 'DROP DOMAIN grade', 'DROP FUNCTION f', 'DROP FUNCTION f(int), a', 'DROP PROCEDURE p',
	'DROP ROUTINE f(int)', 'DROP AGGREGATE a(int)', 'DROP OPERATOR === (int, int)', 'DROP OPERATOR FAMILY of USING btree', 'DROP OPERATOR CLASS oc USING btree',
	'DROP COLLATION c', 'DROP CONVERSION cv', 'DROP CAST (mood AS int)', 'DROP STATISTICS st', 'DROP TEXT SEARCH CONFIGURATION tc', 'DROP TEXT SEARCH DICTIONARY td',
	'DROP TEXT SEARCH PARSER tp', 'DROP TEXT SEARCH TEMPLATE tt', 'DROP FOREIGN DATA WRAPPER w', 'DROP SERVER sv CASCADE', 'DROP PUBLICATION pb', 'DROP ACCESS METHOD am',
	'DROP EVENT TRIGGER et', 'DROP TRIGGER t ON people', 'DROP RULE r ON people', 'DROP POLICY po ON people', 'DROP SCHEMA app', 'DROP SCHEMA app CASCADE',
	'DROP EXTENSION dp_agg', 'DROP LANGUAGE plpgsql',
	(map { ("ALTER $_ RENAME TO x", "ALTER $_ OWNER TO eve") } 'FUNCTION f(int)', 'PROCEDURE p(int)', 'ROUTINE f', 'AGGREGATE a(int)', 'OPERATOR FAMILY of USING btree',
		'OPERATOR CLASS oc USING btree', 'COLLATION c', 'CONVERSION cv', 'STATISTICS st', 'TEXT SEARCH CONFIGURATION tc', 'TEXT SEARCH DICTIONARY td', 'FOREIGN DATA WRAPPER w', 'SERVER sv',
		'PUBLICATION pb', 'EVENT TRIGGER et', 'LANGUAGE plpgsql', 'TABLESPACE pg_default', 'SCHEMA app', 'TYPE mood', 'DOMAIN grade'),
	(map { "ALTER $_ RENAME TO x" } 'TEXT SEARCH PARSER tp', 'TEXT SEARCH TEMPLATE tt'),
	(map { "ALTER $_ SET SCHEMA eves" } 'FUNCTION f(int)', 'PROCEDURE p(int)', 'AGGREGATE a(int)', 'OPERATOR === (int, int)', 'OPERATOR FAMILY of USING btree', 'OPERATOR CLASS oc USING btree',
		'COLLATION c', 'CONVERSION cv', 'STATISTICS st', 'TEXT SEARCH CONFIGURATION tc', 'TEXT SEARCH DICTIONARY td', 'TEXT SEARCH PARSER tp', 'TEXT SEARCH TEMPLATE tt', 'TYPE mood', 'DOMAIN grade',
		'EXTENSION dp_agg'),
	'ALTER OPERATOR === (int, int) OWNER TO eve', 'ALTER LARGE OBJECT 4711 OWNER TO eve',
	(map { "ALTER $_ DEPENDS ON EXTENSION lo" } 'FUNCTION f(int)', 'PROCEDURE p', 'TRIGGER t ON people', 'INDEX people_pkey', 'MATERIALIZED VIEW mv'),
	q(ALTER TYPE mood ADD VALUE 'angry'), q(ALTER TYPE mood RENAME VALUE 'sad' TO 'angry'), 'ALTER DOMAIN grade DROP CONSTRAINT sane', 'ALTER DOMAIN grade SET NOT NULL',
	'ALTER DOMAIN grade RENAME CONSTRAINT sane TO x', 'ALTER EXTENSION dp_agg UPDATE', 'DO $$ BEGIN DROP TYPE mood; END $$',
	'ALTER FUNCTION f(int) COST 10', 'ALTER OPERATOR === (int, int) SET (RESTRICT = NONE)', 'ALTER COLLATION c REFRESH VERSION', 'ALTER STATISTICS st SET STATISTICS 10',
	'ALTER TEXT SEARCH DICTIONARY td (x = 1)', 'ALTER TEXT SEARCH CONFIGURATION tc DROP MAPPING FOR word', q(ALTER FOREIGN DATA WRAPPER w OPTIONS (x '1')), q(ALTER SERVER sv VERSION '2'),
	q(ALTER PUBLICATION pb SET (publish = 'insert')), 'ALTER EVENT TRIGGER et ENABLE', 'ALTER TABLESPACE pg_default SET (seq_page_cost = 1)', 'ALTER ROLE bob RENAME TO x', 'ALTER ROLE bob NOLOGIN',
	'ALTER ROLE bob SET work_mem = 64', 'ALTER DATABASE postgres SET work_mem = 64', 'ALTER DATABASE postgres OWNER TO eve', 'ALTER TABLESPACE pg_default RENAME TO x', 'DROP ROLE bob', 'GRANT bob TO eve',
	'CREATE FUNCTION app.x() RETURNS int RETURN 1', 'CREATE OR REPLACE FUNCTION f(int) RETURNS int RETURN 1', 'CREATE OR REPLACE FUNCTION public.f(int, OUT int) RETURN 1', 'CREATE OR REPLACE PROCEDURE p(int) BEGIN ATOMIC END', 'CREATE OR REPLACE AGGREGATE a(int) (SFUNC = int4pl, STYPE = int)', 'CREATE TABLE app.x ()', 'CREATE TYPE app.x AS ENUM ()', 'CREATE CAST (mood AS text) WITH INOUT',
	'CREATE USER MAPPING FOR eve SERVER sv', 'CREATE USER MAPPING FOR bob SERVER sv', 'CREATE FOREIGN TABLE eves.x () SERVER sv', 'DROP OWNED BY bob', 'REASSIGN OWNED BY bob TO eve',
	'ALTER DEFAULT PRIVILEGES FOR ROLE bob GRANT SELECT ON TABLES TO eve',
	(map { "GRANT $_ TO eve" } 'CREATE ON SCHEMA app', 'USAGE ON FOREIGN SERVER sv', 'USAGE ON FOREIGN DATA WRAPPER w',
		'SELECT ON LARGE OBJECT 4711', 'SELECT ON children', 'CREATE ON TABLESPACE pg_default'),
	'TRUNCATE eves.parents CASCADE', 'TRUNCATE ONLY parents, beside CASCADE', 'DROP TABLE children', 'ALTER TABLE children ADD x int', 'LOCK TABLE children IN SHARE MODE',
	'CREATE INDEX ON children (id)', 'REINDEX TABLE children', 'CLUSTER children', 'REFRESH MATERIALIZED VIEW mv', 'ALTER VIEW v RENAME TO x', 'ALTER SEQUENCE sq CYCLE',
	'CREATE OR REPLACE VIEW v AS SELECT 1 AS x', 'CREATE POLICY x ON children', 'ALTER TRIGGER t ON people RENAME TO x', 'ALTER RULE r ON people RENAME TO x', 'TRUNCATE children');
my ($version) = $node->pg_version =~ /^(\d+)/;
push @exclusive, 'REPACK children' if $version >= 19;
like(as_eve($_), $no_right, "no exclusive lock: $_") for @exclusive;
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE NOT granted"), '0', 'nobody waits');

# Nor is a lock to be had that maintenance takes, or gives way to.
my $writer = $node->background_psql('postgres', on_error_die => 1);
my @described = ('TYPE mood', 'DOMAIN grade', 'CONSTRAINT sane ON DOMAIN grade', 'FUNCTION f(int)', 'PROCEDURE p(int)', 'AGGREGATE a(int)', 'OPERATOR === (int, int)', 'OPERATOR FAMILY of USING btree',
	'OPERATOR CLASS oc USING btree', 'COLLATION c', 'CONVERSION cv', 'CAST (mood AS int)', 'STATISTICS st', 'TEXT SEARCH CONFIGURATION tc', 'TEXT SEARCH DICTIONARY td', 'TEXT SEARCH PARSER tp',
	'TEXT SEARCH TEMPLATE tt', 'FOREIGN DATA WRAPPER w', 'SERVER sv', 'PUBLICATION pb', 'ACCESS METHOD am', 'EVENT TRIGGER et', 'TRIGGER t ON people', 'RULE r ON people', 'POLICY po ON people',
	'SCHEMA app', 'EXTENSION dp_agg', 'LANGUAGE plpgsql', 'LARGE OBJECT 4711', 'TABLESPACE pg_default', 'TABLE people', 'COLUMN people.age', 'INDEX people_pkey', 'SEQUENCE sq', 'VIEW v',
	'MATERIALIZED VIEW mv', 'CONSTRAINT people_pkey ON people', 'ROLE ann', 'DATABASE postgres');
$writer->query_safe('BEGIN; SET LOCAL search_path = public');
$writer->query_safe("COMMENT ON $_ IS 'x'") for @described;
$writer->query_safe('ALTER INDEX people_pkey SET (fillfactor = 90)');
like(as_eve($_), $no_right, "no lock of maintenance: $_")
  for (map { "COMMENT ON $_ IS 'y'" } @described),
  (map { "SECURITY LABEL FOR dp_agg ON $_ IS 'y'" } 'TABLE people', 'COLUMN people.age', 'TYPE mood', 'FUNCTION f(int)', 'ROLE ann', 'DATABASE postgres', 'SCHEMA app'),
  (map { "ALTER EXTENSION lo ADD $_" } 'TABLE people', 'TYPE mood', 'FUNCTION f(int)', 'SCHEMA app', 'OPERATOR === (int, int)', 'VIEW v', 'CAST (mood AS int)'),
  'CREATE STATISTICS eves.x ON age, city FROM people', 'CREATE PUBLICATION x FOR TABLE people', 'CREATE PUBLICATION x FOR TABLE beside, ONLY people (id)', 'ALTER PUBLICATION eves_own ADD TABLE people',
  'ALTER PUBLICATION eves_own SET TABLE people', 'ALTER PUBLICATION eves_own DROP TABLE people', 'ALTER TABLE beside CLUSTER ON people_pkey',
  ('REPACK beside USING INDEX people_pkey') x ($version >= 19);
$writer->query_safe('ROLLBACK');
$writer->quit;

# An enum is at hand for those who ask while somebody would like to drop it.
my $asker = $node->background_psql('postgres', on_error_die => 1);
$asker->query_safe('SET ROLE ann; BEGIN; SELECT mood, dp_count(*) FROM people GROUP BY mood');
my $dropper = start_as($node, "SET statement_timeout = '60s'; DROP TYPE mood CASCADE", 'eve');
like(asked($node, "SET lock_timeout = '5s'; SELECT dp_count(*) FROM people WHERE mood = 'sad'"), qr/^-?\d+$/, 'who asks does not wait for who may not drop');
like(KeeperTest::finish($dropper), $no_right, 'who is refused');
$asker->query_safe('COMMIT');
$asker->quit;
$holder->query_safe('COMMIT');
$holder->quit;

# A name goes on meaning what it meant when it was looked at.
$node->safe_psql('postgres', "SET ROLE eve; CREATE TYPE eves.mood AS ENUM (); CREATE FUNCTION eves.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1'");
for my $case ([ 'DROP TYPE mood', "'type', '{eves.mood}', '{}'", 'ALTER TYPE eves.mood RENAME TO was_mood', qr/^42704: type "eves.mood" does not exist/ ],
	[ 'ALTER FUNCTION f(int) RENAME TO g', "'function', '{eves,f}', '{int}'", 'ALTER FUNCTION eves.f(int) RENAME TO was_f', qr/^42883: function eves.f\(integer\) does not exist/ ])
{
	my ($command, $address, $change, $error) = @$case;
	my $renamer = $node->background_psql('postgres', on_error_die => 1);
	$renamer->query_safe("SET ROLE eve; BEGIN; SELECT objid FROM pg_get_object_address($address)");
	my $late = start_as($node, "SET statement_timeout = '60s'; SET search_path = eves, public; $command", 'eve');
	ok(KeeperTest::eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE NOT granted") eq '1' }), "$command waits for what is one's own");
	$renamer->query_safe("$change; COMMIT");
	$renamer->quit;
	like(KeeperTest::finish($late), $error, "$command: and goes on to nothing else of that name");
}

# What one owns, or what is in one's schema, one goes on dropping and changing, side by side too.
is(as_eve($_), '', "owners: $_")
  for 'DROP TYPE was_mood', 'ALTER FUNCTION was_f RENAME TO f', 'CREATE OR REPLACE FUNCTION eves.f(int) RETURNS int RETURN 2', "COMMENT ON FUNCTION eves.f IS 'mine'", 'DROP FUNCTION eves.f', "COMMENT ON TABLE beside IS 'mine'; COMMENT ON COLUMN beside.id IS 'mine'",
  'CREATE TEMP TABLE x (); COMMENT ON TABLE x IS NULL; DROP TABLE x', 'CREATE TYPE pg_temp.x AS ENUM (); DROP TYPE pg_temp.x', 'CREATE DOMAIN eves.hers AS int; ALTER EXTENSION lo ADD DOMAIN hers; ALTER EXTENSION lo DROP DOMAIN hers',
  'CREATE STATISTICS eves.s ON id, (id + 1) FROM beside; DROP STATISTICS s', 'SET client_min_messages = error; CREATE PUBLICATION x FOR TABLE beside; DROP PUBLICATION x', 'DROP TYPE IF EXISTS absent, public.absent, absent.absent',
  'TRUNCATE beside CASCADE', 'ALTER TABLE beside ADD PRIMARY KEY (id); ALTER TABLE beside CLUSTER ON beside_pkey';
$node->safe_psql('postgres', 'CREATE TYPE eves.others AS ENUM (); SET client_min_messages = error; ALTER PUBLICATION eves_own ADD TABLE people');
is(as_eve('DROP TYPE others; ALTER PUBLICATION eves_own DROP TABLE people'), '', 'owners: of a schema, and of a publication');
like(as_eve('DROP TYPE absent'), qr/^42704: type "absent" does not exist/, 'owners: what is not there is not there');
$node->safe_psql('postgres', 'CREATE TYPE twice AS ENUM ()');
my $first = $node->background_psql('postgres', on_error_die => 1);
$first->query_safe('BEGIN; DROP TYPE twice');
my $second = KeeperTest::start($node, "SET deadlock_timeout = '10ms'; DROP TYPE twice");
ok(KeeperTest::eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE NOT granted") eq '1' }), 'side by side: one waits');
$first->query_safe('COMMIT');
$first->quit;
like(KeeperTest::finish($second), qr/^42704: type "twice" does not exist/, 'side by side: and finds nothing left');

$node->stop;
done_testing();
