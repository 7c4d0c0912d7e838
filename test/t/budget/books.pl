# The books in the hands of people who do ordinary things, and of those who want
# more than is theirs: nothing is lost, given away or held up.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $query = 'SELECT dp_count(*) FROM people';
my $behind = qr/^55000: budgets on data set "default" may be behind in this copy of the database/;
my $answer = qr/^-?\d+$/;
my $directory = PostgreSQL::Test::Utils::tempdir;
my $node = new_gate('books', conf => <<'CONF', init => { allows_streaming => 1 });
shared_buffers = 16MB
wal_writer_delay = 10s
dp_agg.keeper_idle_timeout = 100ms
CONF
$node->safe_psql('postgres', 'GRANT CREATE ON SCHEMA public TO eve');

# As the administrator, in some database.
sub administer
{
	my ($sql, $database) = @_;
	return KeeperTest::outcome($node, $sql, $database // 'postgres');
}

# Default privileges are for other tables than these.
my $rights = <<'SQL';
SELECT string_agg(name || ' ' || coalesce(acl, '-'), E'\n' ORDER BY name) FROM (
	SELECT 'schema ' || nspname AS name, nspacl::text AS acl FROM pg_namespace WHERE nspname IN ('dp_agg', 'dp_accountant', 'dp_agg_internal')
	UNION ALL SELECT oid::regclass::text, relacl::text FROM pg_class WHERE relnamespace = 'dp_agg'::regnamespace AND relkind IN ('r', 'v', 'S')
	UNION ALL SELECT oid::regprocedure::text, proacl::text FROM pg_proc WHERE pronamespace IN ('dp_agg'::regnamespace, 'dp_accountant'::regnamespace, 'dp_agg_internal'::regnamespace) AND proacl::text !~ '=X/') o
SQL
$node->safe_psql('postgres', 'CREATE DATABASE generous');
$node->safe_psql('generous', <<'SQL');
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, eve;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO PUBLIC, eve;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO PUBLIC, eve;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TYPES TO eve;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO eve WITH GRANT OPTION;
CREATE EXTENSION dp_agg;
SQL
my @granted = grep { /eve|budget |ledger |seq / } split /\n/, $node->safe_psql('generous', $rights);
unlike(join("\n", @granted), qr/\beve=/, 'nor anything in the schemas of the extension');
for my $sql ('SELECT FROM dp_agg.ledger', "UPDATE dp_agg.budget SET epsilon_limit = 1000", "SELECT dp_agg.set_budget('eve', 1000, 1e-6)",
	'SELECT FROM dp_agg.budgets FOR UPDATE', 'CREATE TABLE dp_agg.mine ()')
{
	local $ENV{PGUSER} = 'eve';
	like(KeeperTest::outcome($node, $sql, 'generous'), qr/^42501: permission denied/, "default privileges do not allow: $sql");
}
{
	local $ENV{PGUSER} = 'eve';
	is(KeeperTest::outcome($node, 'SELECT count(*) FROM dp_agg.budgets, dp_agg.protected_tables', 'generous'), '0', 'and what everybody may see, everybody may see');
}

# A dump restored over the database it came from hands nothing back: neither to a
# budget nor to the cap above it.
$node->safe_psql('postgres', "SELECT dp_agg.set_dataset_cap('default', 5000, 1e-3)");
my $spent = "SELECT statements FROM dp_agg.budgets WHERE role = 'ann'::regrole";
for my $way ('the whole database', 'its rows alone')
{
	$node->command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr('postgres'), '-f', "$directory/dump" ], 'the database is dumped');
	like(asked($node, $query), $answer, 'answers') for 1 .. 2;
	if ($way eq 'the whole database')
	{
		$node->command_ok([ 'pg_restore', '--clean', '-d', $node->connstr('postgres'), "$directory/dump" ], 'restored over it');
	}
	else
	{
		$node->safe_psql('postgres', 'TRUNCATE dp_agg.budget, dp_agg.ledger, dp_agg.kept_answer');
		$node->command_ok([ 'pg_restore', '--data-only', '--schema=dp_agg', '-d', $node->connstr('postgres'), "$directory/dump" ], 'restored into it');
	}
	like(asked($node, $query), $behind, "restored in place, $way: what was spent since is not given back");
	is($node->safe_psql('postgres', 'SELECT bool_and(may_be_behind) FROM dp_agg.budgets'), 't', 'which the view shows');
	is(administer("SELECT dp_agg.drop_budget('bob'), dp_agg.set_budget('bob', 1000, 1e-6)"), '|', 'a budget that is made here');
	like(asked($node, $query, 'bob'), $behind, 'waits for the cap, which may be behind too');
	is(asked($node, "SELECT admitted FROM dp_agg.price('$query')", 'bob'), 'f', 'as the price says');
	is(administer('SELECT dp_agg.acknowledge_copy()'), '2', 'an administrator takes the budgets as they are');
	like(asked($node, $query), $answer, 'and it answers');
	is(administer("SELECT dp_agg.set_budget('bob', 999, 1e-6)"), '', 'limits that are set here');
	is($node->safe_psql('postgres', 'SELECT bool_or(may_be_behind) FROM dp_agg.budgets'), 'f', 'count at once');
	is(administer('SELECT * FROM dp_agg.verify_ledger()'), '', 'the books hold');
}
$node->safe_psql('postgres', "SELECT dp_agg.drop_dataset_cap('default')");
$node->safe_psql('postgres', 'CREATE TABLE trap (LIKE dp_agg.budget); CREATE TABLE other (a int, b text); CREATE TABLE look (LIKE trap); ALTER TABLE look ALTER home TYPE bigint USING 1, ALTER home SET DEFAULT 1');
like(administer("CREATE TRIGGER t BEFORE INSERT ON $_->[0] FOR EACH $_->[1] EXECUTE FUNCTION dp_agg_internal.guard_budget(); INSERT INTO $_->[0] DEFAULT VALUES"),
	qr/^39P01: /, "a trigger of $_->[0] for each $_->[1]") for [ 'other', 'ROW' ], [ 'look', 'ROW' ], [ 'trap', 'STATEMENT' ];
like(administer('SELECT dp_agg_internal.guard_budget()'), qr/^39P01: /, 'and of none');

# What an administrator did is as durable as a charge.
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('eve', 5, 0)");
$node->safe_psql('postgres', 'CHECKPOINT');
$node->safe_psql('postgres', "SET synchronous_commit = off; SELECT dp_agg.drop_budget('eve')");
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', "SELECT count(*) FROM dp_agg.budget WHERE role = 'eve'::regrole"), '0', 'a budget that was dropped is not back after a crash');
is(administer('SELECT * FROM dp_agg.verify_ledger()'), '', 'nor are the books wrong');

# What was done to budgets that went with the extension is no business of its next life.
$node->safe_psql('postgres', 'CREATE DATABASE lives');
is(administer([ 'CREATE EXTENSION dp_agg', "BEGIN; SELECT dp_agg.set_budget('ann', 5, 0); DROP EXTENSION dp_agg; CREATE EXTENSION dp_agg; SELECT dp_agg.set_budget('bob', 5, 0); COMMIT",
	"SELECT (SELECT string_agg(payer, ' ') FROM dp_agg.ledger), (SELECT count(*) FROM dp_agg.verify_ledger())" ], 'lives'), 'bob|0', 'an extension made anew begins with empty books');
is(administer([ "BEGIN; SELECT dp_agg.set_budget('ann', 5, 0); DROP EXTENSION dp_agg; COMMIT", 'SELECT count(*) FROM pg_extension WHERE extname = $$dp_agg$$' ], 'lives'), '0', 'or ends in peace');

# Settings of the database do not reach the keeper.
$node->safe_psql('postgres', <<'SQL');
ALTER TABLE dp_agg.ledger ADD CONSTRAINT no_bob CHECK (event <> 'charge' OR role <> 'bob') NOT VALID;
ALTER DATABASE postgres SET exit_on_error = on;
SQL
{
	local $ENV{PGOPTIONS} = '-c exit_on_error=off';
	like(asked($node, $query, 'bob'), qr/^23514: could not charge/, 'an error of the keeper is told');
}
$node->safe_psql('postgres', 'ALTER TABLE dp_agg.ledger DROP CONSTRAINT no_bob; ALTER DATABASE postgres RESET exit_on_error');
like(asked($node, $query), $answer, 'and others are answered');

# VACUUM does not lock the tables to make them shorter, whatever was removed.
$node->safe_psql('postgres', <<'SQL');
INSERT INTO dp_agg.ledger (id, at, event, role, hash) SELECT i, '2000-01-01', 'x', 'x', '' FROM generate_series(1000001, 1100000) i;
DELETE FROM dp_agg.ledger WHERE id > 1000000;
SQL
my $size = $node->safe_psql('postgres', "SELECT pg_relation_size('dp_agg.ledger')");
$node->safe_psql('postgres', 'VACUUM dp_agg.ledger');
is($node->safe_psql('postgres', "SELECT pg_relation_size('dp_agg.ledger')"), $size, 'VACUUM leaves the ledger as long as it is');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_class c JOIN (VALUES ('dp_agg.budget'::regclass), ('dp_agg.ledger')) t ON c.oid = t.column1 OR c.oid = (SELECT reltoastrelid FROM pg_class WHERE oid = t.column1) WHERE NOT 'vacuum_truncate=off' = ANY (coalesce(reloptions, '{}')) AND pg_relation_size(c.oid) > 0"),
	'0', 'so it does all tables of the books');

# Nobody pays for what runs as somebody else in the course of maintenance.
$node->safe_psql('postgres', <<'SQL');
SELECT dp_agg.set_budget('postgres', 1000, 0), dp_agg.set_budget('eve', 1000, 0);
SET ROLE eve;
CREATE TABLE loot (of text, n bigint);
CREATE FUNCTION take() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.loot SELECT current_user, public.dp_count(*) FROM public.people;
	RETURN 1;
EXCEPTION WHEN insufficient_privilege THEN
	RETURN 1;
END $$;
CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.take(); END';
CREATE TABLE bait (i int);
INSERT INTO bait SELECT generate_series(1, 3);
CREATE INDEX ON bait (f(i));
CREATE MATERIALIZED VIEW stored AS SELECT dp_count(*) AS n FROM people;
SQL
my $taken = $node->safe_psql('postgres', "SELECT (SELECT count(*) FROM loot), (SELECT statements FROM dp_agg.budgets WHERE role = 'postgres'::regrole), (SELECT statements FROM dp_agg.budgets WHERE role = 'eve'::regrole)");
is($taken, '3|0|4', 'an owner pays for what her own objects ask');
is(administer($_), '', "others do not: $_") for 'ANALYZE bait', 'REINDEX TABLE bait', 'CLUSTER bait USING bait_f_idx', 'VACUUM FULL bait';
is(administer('REFRESH MATERIALIZED VIEW stored'), '42501: permission denied to pay for a differentially private query of role "eve"', 'and are told so');
is(asked($node, $_, 'eve'), '', "the owner may: $_") for 'REFRESH MATERIALIZED VIEW stored', 'ANALYZE bait';
is($node->safe_psql('postgres', "SELECT (SELECT count(*) FROM loot), (SELECT statements FROM dp_agg.budgets WHERE role = 'postgres'::regrole), (SELECT statements FROM dp_agg.budgets WHERE role = 'eve'::regrole)"),
	'6|0|8', 'and pays');

# Nor does who runs such a command show it any budget or answer but those of whose code it is.
$node->safe_psql('postgres', <<'SQL');
SET ROLE eve;
CREATE TABLE seen (budgets text, release text, may_plan text);
CREATE FUNCTION look() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen SELECT (SELECT string_agg(DISTINCT role::text, ' ') FROM dp_agg.budgets), (SELECT string_agg(aggregate, ' ') FROM dp_agg.last_release()), NULL;
	PERFORM dp_agg.remaining('postgres', 'default', 0.1);
	UPDATE public.seen SET may_plan = 'yes';
	RETURN 1;
EXCEPTION WHEN insufficient_privilege THEN
	INSERT INTO public.seen SELECT (SELECT string_agg(DISTINCT role::text, ' ') FROM dp_agg.budgets), (SELECT string_agg(aggregate, ' ') FROM dp_agg.last_release()), 'no';
	RETURN 1;
END $$;
CREATE FUNCTION g(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.look(); END';
CREATE TABLE lure (i int);
INSERT INTO lure VALUES (1);
CREATE INDEX ON lure (g(i));
CREATE MATERIALIZED VIEW shown AS SELECT DISTINCT role FROM dp_agg.budgets;
TRUNCATE seen;
SQL
is(administer([ 'SELECT dp_count(*) > -1000 FROM people', "TRUNCATE seen; $_", 'SELECT * FROM seen' ]), 'eve||no', "$_ shows its owner nothing of others") for 'ANALYZE lure', 'REINDEX TABLE lure';
is(administer([ 'REFRESH MATERIALIZED VIEW shown', 'TABLE shown' ]), 'eve', 'nor does REFRESH');
$node->safe_psql('postgres', 'DROP MATERIALIZED VIEW shown; DROP TABLE lure, seen; DROP FUNCTION g, look');
$node->safe_psql('postgres', "SELECT dp_agg.drop_budget('postgres'), dp_agg.drop_budget('eve'); DROP TABLE loot, bait; DROP MATERIALIZED VIEW stored; DROP FUNCTION f, take");

# What others spent does not show in plans, estimates and counts of the view.
my @looks = map { "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT * FROM dp_agg.$_" }
  'budgets', "budgets WHERE role = 'bob'::regrole AND dataset = 'default'", 'budgets WHERE statements > 3', "budgets WHERE dataset < 'm'",
  'budgets WHERE epsilon_limit = 3.25', 'dataset_caps',
  'budget_use', "budget_use WHERE role = 'bob'::regrole", 'budget_use WHERE used < 0.5', 'budget_use WHERE role IS NULL', 'budget_use WHERE keeper_charges > 0';
sub looks
{
	local $ENV{PGUSER} = 'ann';
	return map { $node->safe_psql('postgres', "$_") } @looks;
}
my @before = looks();
$node->safe_psql('postgres', <<'SQL');
SELECT dp_agg.set_budget('bob', 3.25, 0, 'set ' || i) FROM generate_series(1, 300) i;
SELECT dp_agg.set_dataset_cap('set 1', 5, 0);
ANALYZE dp_agg.budget;
SQL
is_deeply([ looks() ], \@before, 'a role sees no more of other budgets than before there were any');
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.budgets'), '302', 'the administrator does');
is($node->safe_psql('postgres', <<'SQL'), '0|0', 'nor of how many pages they are on');
CREATE FUNCTION pg_temp.pages(function text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT FROM dp_agg_internal.' || function || '()' INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::int + (plan->0->'Plan'->>'Shared Read Blocks')::int;
END $$;
SELECT pg_temp.pages('visible_budgets'), pg_temp.pages('visible_use')
SQL
is($node->safe_psql('postgres', <<'SQL'), '0|0|0', 'nor by what functions read of them');
CREATE FUNCTION pg_temp.usage(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'SELECT FROM ' || query;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON) SELECT FROM ' || query INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::int + (plan->0->'Plan'->>'Shared Read Blocks')::int + (plan->0->'Plan'->>'WAL Records')::int;
END $$;
SELECT pg_temp.usage('dp_agg.plan(''bob'', ''default'', 5)'), pg_temp.usage('dp_agg.remaining(''bob'', ''default'', 0.1)'), pg_temp.usage('dp_agg.what_if(''bob'', ''default'', 5, 0.1)')
SQL
is(administer([ 'BEGIN', "SELECT FROM dp_agg.$_", "SELECT count(*) FROM pg_locks WHERE relation IN ('dp_agg.budget'::regclass, 'dp_agg.ledger'::regclass)" ]), '0', "and looking at $_ locks nothing")
  for 'budgets', 'budget_use';
$node->safe_psql('postgres', "SELECT dp_agg.drop_dataset_cap('set 1'); SELECT dp_agg.drop_budget('bob', 'set ' || i) FROM generate_series(1, 300) i");

# Who may not lock a table does not wait for its lock, in everybody's way.
$node->safe_psql('postgres', "CREATE SCHEMA eves AUTHORIZATION eve; CREATE TABLE readable (id bigint PRIMARY KEY); GRANT SELECT ON readable TO eve; SELECT dp_agg.set_budget('eve', 1, 0)");
my $holder = $node->background_psql('postgres', on_error_die => 1);
$holder->query_safe('SET ROLE eve');
$holder->query_safe("BEGIN; PREPARE a AS DELETE FROM dp_agg.ledger; PREPARE b AS DELETE FROM dp_agg.budget; PREPARE c AS DELETE FROM people; PREPARE d AS DELETE FROM readable");
my $no_right = qr/^42501: (must be owner of|permission denied for) /;
my $patience = "SET statement_timeout = '60s'";
for my $table ('dp_agg.ledger', 'dp_agg.budget', 'people', 'readable')
{
	my $key = $table eq 'dp_agg.budget' ? '(role, dataset)' : '(id)';
	my $columns = $table eq 'dp_agg.budget' ? 'role regrole, dataset text' : 'id bigint';
	my $index = $table eq 'people' ? 'people_pkey' : "${table}_pkey";
	for my $sql ("CREATE TABLE eves.t ($columns) PARTITION BY RANGE $key; ALTER TABLE eves.t ATTACH PARTITION $table DEFAULT",
		"DO 'BEGIN CREATE TABLE eves.t ($columns) PARTITION BY RANGE $key; ALTER TABLE eves.t ATTACH PARTITION $table DEFAULT; END'",
		"CREATE TABLE eves.t ($columns) PARTITION BY RANGE $key; CREATE INDEX i ON eves.t $key; ALTER INDEX eves.i ATTACH PARTITION $index",
		"CREATE TABLE eves.t PARTITION OF $table DEFAULT",
		"CREATE TABLE eves.t ($columns) PARTITION BY RANGE $key; ALTER TABLE eves.t DETACH PARTITION $table",
		"CREATE TABLE eves.t ($columns, FOREIGN KEY $key REFERENCES $table)",
		"CREATE TABLE eves.t (x bigint REFERENCES $table)",
		"CREATE TABLE eves.t ($columns); ALTER TABLE eves.t ADD FOREIGN KEY $key REFERENCES $table",
		"CREATE TABLE eves.t ($columns); ALTER TABLE eves.t ADD x bigint REFERENCES $table",
		"CREATE TRIGGER t BEFORE INSERT ON $table FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
		"CREATE RULE r AS ON INSERT TO $table DO NOTHING",
		"ALTER MATERIALIZED VIEW $table DEPENDS ON EXTENSION plpgsql")
	{
		local $ENV{PGUSER} = 'eve';
		like(KeeperTest::outcome($node, "$patience; BEGIN; $sql"), $no_right, "no right, no lock: $sql");
	}
}

# Not by an index that is found beside a table of one's own either.
$holder->query_safe("EXPLAIN SELECT dp_count(*) FROM people");
$node->safe_psql('postgres', 'SET ROLE eve; CREATE TABLE beside (id int NOT NULL)');
my $writer = $node->background_psql('postgres', on_error_die => 1);
$writer->query_safe("BEGIN; UPDATE people SET age = age WHERE id = 1; LOCK TABLE dp_agg.ledger, people IN SHARE UPDATE EXCLUSIVE MODE");
like(asked($node, "$patience; BEGIN; $_", 'eve'), $no_right, "nor by an index, or in the way of maintenance: $_")
  for 'CLUSTER beside USING people_pkey', 'ALTER TABLE beside REPLICA IDENTITY USING INDEX people_pkey',
  map { ("CREATE TABLE eves.t () INHERITS ($_)", "CREATE TABLE eves.t (); ALTER TABLE eves.t INHERIT $_") } 'people', 'dp_agg.ledger';
$writer->query_safe('ROLLBACK');
$writer->quit;

$node->safe_psql('postgres', "SELECT dp_agg.drop_budget('eve')");

# Nor by a name that means something else once there is a lock to be had.
$node->safe_psql('postgres', 'SET ROLE eve; CREATE TABLE eves.ledger (id bigint)');
my $renamer = $node->background_psql('postgres', on_error_die => 1);
$renamer->query_safe('SET ROLE eve');
$renamer->query_safe('BEGIN; ALTER TABLE eves.ledger RENAME TO was_ledger');
my $late = start_as($node, "$patience; SET search_path = eves, dp_agg; CREATE TRIGGER t BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()", 'eve');
ok(KeeperTest::eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE relation = 'eves.ledger'::regclass AND NOT granted") eq '1' }),
	'a command waits for a table of its own');
$renamer->query_safe('COMMIT');
$renamer->quit;
like(KeeperTest::finish($late), qr/^42P01: relation "eves.ledger" does not exist/, 'and goes on to no other of that name');

# Nor for catalogues or databases, from wherever one can connect to.
$node->safe_psql('postgres', 'CREATE DATABASE elsewhere');
$holder->query_safe("SELECT count(*) FROM pg_class; PREPARE e AS SELECT FROM pg_authid; ALTER ROLE eve IN DATABASE postgres SET work_mem = '4MB'");
for my $database ('postgres', 'elsewhere')
{
	local $ENV{PGUSER} = 'eve';
	like(KeeperTest::outcome($node, [ $patience, $_ ], $database), $no_right, "no right, no lock, in database $database: $_")
	  for 'CREATE TEMP TABLE t PARTITION OF pg_class DEFAULT', 'CREATE TEMP TABLE t PARTITION OF pg_authid DEFAULT',
	  'BEGIN; CREATE TEMP TABLE t (oid oid) PARTITION BY LIST (oid); ALTER TABLE t ATTACH PARTITION pg_authid DEFAULT',
	  'DROP DATABASE postgres', 'ALTER DATABASE postgres RENAME TO mine', 'ALTER DATABASE postgres SET TABLESPACE pg_default';
}

# Nor do administrators wait for who has named the table in a transaction.
is(administer("SET statement_timeout = '60s'; SELECT dp_agg.set_dataset_cap('default', 5000, 1e-3), dp_agg.acknowledge_copy(), dp_agg.set_budget('eve', 1, 0), dp_agg.drop_budget('eve'), dp_agg.reset_budget('bob'), dp_agg.drop_dataset_cap('default')"),
	'|0||||', 'budgets are administered whatever an analyst has named');
$holder->quit;
is(administer("CREATE TABLE refers (id bigint REFERENCES people); CREATE TABLE parts (LIKE dp_agg.ledger) PARTITION BY RANGE (id); DROP TABLE refers, parts"), '', 'who has the right, may');
is(administer("CREATE DATABASE eves OWNER eve") . asked($node, 'ALTER DATABASE eves CONNECTION LIMIT 5', 'eve') . asked($node, 'DROP DATABASE eves', 'eve'), '', 'or owns a database');
is(asked($node, 'SET search_path = eves, public; CREATE TABLE people (id int PRIMARY KEY, chief int REFERENCES people); SELECT confrelid = conrelid FROM pg_constraint WHERE conrelid = $$eves.people$$::regclass AND contype = $$f$$', 'eve'),
	't', 'a table that refers to itself does not mean another of that name');
is(asked($node, 'CREATE TABLE eves.whole (id int) PARTITION BY LIST (id); CREATE TABLE eves.a PARTITION OF eves.whole DEFAULT', 'eve') .
	administer('ALTER TABLE eves.a OWNER TO ann') . asked($node, 'SET search_path = eves; ALTER TABLE whole DETACH PARTITION a', 'eve'), '', 'a table may part with a partition that is somebody else\'s');
is(asked($node, 'DO $$ BEGIN FOR i IN 1 .. 2 LOOP CREATE TEMP TABLE m (id int PRIMARY KEY); CREATE TEMP TABLE n (id int REFERENCES m); DROP TABLE n, m; END LOOP; END $$', 'eve'),
	'', 'names mean each time what they mean then');
is(administer("GRANT REFERENCES (id) ON people TO eve; SET ROLE eve; CREATE TABLE eves.refers (id int REFERENCES people); DROP TABLE eves.refers"), '', 'or to one column');
$node->safe_psql('postgres', 'REVOKE REFERENCES (id) ON people FROM eve');

# A base backup that is started as it is, without recovery.signal.
like(asked($node, $query), $answer, 'the original answers');
$node->backup('backup');
like(asked($node, $query), $answer, 'and goes on');
my $plain = PostgreSQL::Test::Cluster->new('plain');
$plain->init_from_backup($node, 'backup');
$plain->start;
is($plain->safe_psql('postgres', 'SELECT timeline_id FROM pg_control_checkpoint()'), '1', 'a base backup goes on with the timeline');
like(asked($plain, $query), $behind, 'it does not know what was spent since');
is(asked($plain, "SELECT admitted FROM dp_agg.price('$query')"), 'f', 'as its price says');
$plain->restart;
like(asked($plain, $query), $behind, 'nor after another start');
my $locker = $plain->background_psql('postgres', on_error_die => 1);
$locker->query_safe("BEGIN; SELECT FROM dp_agg.budget WHERE role = 'bob'::regrole FOR UPDATE");
is(KeeperTest::outcome($plain, 'SELECT dp_agg.acknowledge_copy()'), '55P03: a budget on data set "default" is locked by another transaction',
	'nor is it acknowledged but for a budget that is locked');
$locker->query_safe('ROLLBACK');
$locker->quit;
is(KeeperTest::outcome($plain, 'SELECT dp_agg.acknowledge_copy()'), '2', 'until an administrator says so');
like(asked($plain, $query), $answer, 'then it answers');
$plain->stop('immediate');
$plain->start;
like(asked($plain, $query), $answer, 'after a crash too');
is(KeeperTest::outcome($plain, 'SELECT * FROM dp_agg.verify_ledger()'), '', 'with whole books');
$plain->backup('again');
my $second = PostgreSQL::Test::Cluster->new('second');
$second->init_from_backup($plain, 'again');
$second->start;
like(asked($second, $query), $behind, 'a copy of the copy is another');
$second->stop;
open my $file, '>', $second->data_dir . '/dp_agg_copy' or die;
close $file;
$second->start;
is(KeeperTest::outcome($second, 'SELECT dp_agg.acknowledge_copy()'), '2', 'whose mark is made anew where it cannot be read');
$second->stop;
$plain->stop;

# A standby that is turned into a server by taking its signal away.
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
$standby->stop;
unlink $standby->data_dir . '/standby.signal' or die;
$standby->start;
is($standby->safe_psql('postgres', 'SELECT timeline_id FROM pg_control_checkpoint()'), '1', 'a standby without its signal goes on with the timeline');
like(asked($standby, $query), $behind, 'and waits to be acknowledged');
is(KeeperTest::outcome($standby, 'SELECT dp_agg.acknowledge_copy()'), '2', 'it is');
$standby->stop;
$standby->start;
like(asked($standby, $query), $answer, 'for good');
$standby->stop;
$node->restart;
like(asked($node, $query), $answer, 'the original is no copy');
ok(!-e $node->data_dir . '/dp_agg_copy', 'and bears no mark');
invariants($node, [], 'after all of that');

$node->stop;
done_testing();
