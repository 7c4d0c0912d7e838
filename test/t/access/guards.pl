# Budgets are changed by the extension's own functions, and shown to whom they
# are about: not to those who may write or read every table, nor in passing.
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
my $answer = qr/^-?\d+$/;
my $guarded = qr/^42501: privacy budgets are changed by the extension's functions alone/;
my $node = new_gate('guards', conf => "dp_agg.keeper_idle_timeout = 100ms\n", init => { allows_streaming => 'logical' });

sub administer
{
	my ($sql, $database) = @_;
	return KeeperTest::outcome($node, $sql, $database // 'postgres');
}

# Whoever may write every table may not write budgets, in whatever way.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE writer LOGIN;
GRANT pg_write_all_data, pg_read_all_data TO writer;
CREATE ROLE grantee LOGIN;
GRANT USAGE ON SCHEMA dp_agg TO grantee;
GRANT ALL ON dp_agg.budget, dp_agg.ledger TO grantee;
SELECT dp_agg.set_dataset_cap('default', 5000, 1e-3);
CREATE VIEW above AS TABLE dp_agg.budget;
GRANT ALL ON above TO writer, grantee;
SQL
my $state = 'SELECT md5(string_agg(b::text, chr(10) ORDER BY number)), (SELECT count(*) FROM dp_agg.ledger) FROM dp_agg.budget b';
my $before = $node->safe_psql('postgres', $state);
my $columns = 'role, epsilon_limit, delta_limit, partition_share, variance_share, renyi_share, orders, weights, rdp_spent';
for my $role ('writer', 'grantee')
{
	for my $sql ('UPDATE dp_agg.budget SET epsilon_limit = 1e6', 'UPDATE dp_agg.budget SET pure_spent = 0 WHERE false', 'DELETE FROM dp_agg.budget WHERE role::oid = 0',
		"INSERT INTO dp_agg.budget (dataset, $columns) SELECT 'mine', $columns FROM dp_agg.budget",
		"INSERT INTO dp_agg.budget (dataset, $columns) SELECT dataset, $columns FROM dp_agg.budget ON CONFLICT (role, dataset) DO UPDATE SET epsilon_limit = 1e6",
		'MERGE INTO dp_agg.budget b USING dp_agg.budget s ON b.number = s.number WHEN MATCHED THEN DELETE',
		'COPY dp_agg.budget (dataset) FROM stdin', 'WITH w AS (UPDATE dp_agg.budget SET refresh = $$1 s$$ RETURNING 1) SELECT count(*) FROM w',
		'UPDATE above SET epsilon_limit = 1e6', 'DELETE FROM above',
		($role eq 'grantee' ? ('TRUNCATE dp_agg.budget', 'TRUNCATE dp_agg.budget, dp_agg.ledger CASCADE') : ()))
	{
		like(administer([ "SET ROLE $role", $sql ]), $guarded, "$role is refused: $sql");
		like(administer([ 'SET session_replication_role = replica', "SET ROLE $role", $sql ]), $guarded, 'and where triggers are off');
	}
	like(administer([ "SET ROLE $role", $_ ]), qr/^42501: the ledger of privacy budgets is append-only/, "$role is refused: $_")
	  for 'DELETE FROM dp_agg.ledger', "UPDATE dp_agg.ledger SET role = 'x'";
}
like(administer([ 'BEGIN', 'ALTER TABLE dp_agg.budget OWNER TO grantee', 'SET ROLE grantee', 'UPDATE dp_agg.budget SET epsilon_limit = 1e6' ]), $guarded, 'so is an owner who is no superuser');
like(administer("SELECT dp_agg_internal.$_()"), qr/^39P01: /, "$_ is no function to call") for 'guard_changes', 'guard_ledger';
is($node->safe_psql('postgres', $state), $before, 'nothing has changed');

# What goes through the extension's functions goes on, for whoever may execute them.
$node->safe_psql('postgres', "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dp_agg, dp_accountant, dp_agg_internal TO grantee");
is(administer([ 'SET ROLE grantee', $_ ]), '', "by the function for it: $_")
  for "SELECT dp_agg.set_budget('eve', 3, 0)", "SELECT dp_agg.set_budget('eve', 4, 0)", "SELECT dp_agg.reset_budget('eve')", "SELECT dp_agg.drop_budget('eve')",
  "SELECT dp_agg.set_dataset_cap('other', 3, 0)", "SELECT dp_agg.drop_dataset_cap('other')";
like(administer([ 'SET ROLE grantee', "SELECT dp_agg.set_budget('eve', -1, 0)" ]), qr/^22023/, 'or fails there');
like(administer([ 'SET ROLE grantee', "SELECT dp_agg.set_budget('eve', 1, 0, 'default', '1 day') FROM generate_series(1, 2)", 'UPDATE dp_agg.budget SET epsilon_limit = 1e6' ]), $guarded, 'which opens nothing for what comes after');
is(administer("SELECT dp_agg.drop_budget('eve')"), '', 'and is dropped');
is(administer('UPDATE dp_agg.budget SET refusals = refusals'), '', 'a superuser, who may have to restore budgets, may');
like(asked($node, $query), $answer, 'and it answers');

# Nobody attaches anything to the extension's tables that would run beside what the functions do.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE thief LOGIN;
GRANT pg_write_all_data, pg_read_all_data TO thief;
GRANT USAGE ON SCHEMA dp_agg TO thief;
GRANT REFERENCES, TRIGGER, SELECT ON dp_agg.budget, dp_agg.ledger, dp_agg.kept_answer, dp_agg.contact TO thief;
GRANT CREATE ON SCHEMA public TO thief;
SELECT dp_agg.set_budget('thief', 1, 0, refresh => '30 days');
CREATE TABLE budgets_before AS SELECT role, dataset, number, epsilon_limit, period_began FROM dp_agg.budget;
SET ROLE thief;
CREATE TABLE bait (role regrole, dataset text COLLATE "C");
CREATE FUNCTION steal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
CREATE TRIGGER steal BEFORE DELETE ON bait FOR EACH ROW EXECUTE FUNCTION steal();
SQL
for my $table ('budget', 'ledger', 'kept_answer', 'contact')
{
	my $key = { budget => 'number', ledger => 'id', kept_answer => 'budget, question', contact => 'dataset' }->{$table};
	my $types = $node->safe_psql('postgres', "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dp_agg.$table'::regclass AND attname = ANY (string_to_array('$key', ', '))");
	$types =~ s/(\w+ text)/$1 COLLATE "C"/;
	like(administer([ 'SET ROLE thief', $_ ]), qr/^42501: only superusers may attach triggers, rules and foreign keys to table "$table" of extension "dp_agg"/, "thief is refused: $_")
	  for "CREATE TABLE refers ($types, FOREIGN KEY ($key) REFERENCES dp_agg.$table ($key) ON DELETE CASCADE)",
	  "CREATE TRIGGER a BEFORE UPDATE OR DELETE ON dp_agg.$table FOR EACH ROW EXECUTE FUNCTION steal()",
	  "CREATE CONSTRAINT TRIGGER a AFTER INSERT ON dp_agg.$table FOR EACH ROW EXECUTE FUNCTION steal()";
	like(administer([ 'BEGIN', "ALTER TABLE dp_agg.$table OWNER TO thief", 'GRANT CREATE ON SCHEMA dp_agg TO thief', 'SET ROLE thief', "CREATE RULE a AS ON UPDATE TO dp_agg.$table DO INSTEAD NOTHING" ]), qr/^42501: only superusers may attach/, "and a rule, where it owns dp_agg.$table");
}

# If a superuser has, code of whoever refers to a budget that is dropped may do nothing: not to
# another budget, not to the same one, and not where its error is caught.
$node->safe_psql('postgres', 'ALTER TABLE bait ADD FOREIGN KEY (role, dataset) REFERENCES dp_agg.budget ON DELETE CASCADE');
my $same = 'SELECT count(*) FROM (SELECT role, dataset, number, epsilon_limit, period_began FROM dp_agg.budget EXCEPT TABLE budgets_before) s';
my $columns_of = "dataset, number, $columns";
for my $theft (
	"UPDATE dp_agg.budget SET period_began = '2000-01-01' WHERE role = 'thief'::regrole",
	"UPDATE dp_agg.budget SET epsilon_limit = 1e6 WHERE role = 'eve'::regrole",
	"DELETE FROM dp_agg.budget WHERE role = 'thief'::regrole",
	"DELETE FROM dp_agg.budget WHERE role = 'eve'::regrole",
	"INSERT INTO dp_agg.budget ($columns_of) SELECT 'stolen', 1000, $columns FROM dp_agg.budget WHERE role = 'thief'::regrole",
	"INSERT INTO dp_agg.budget (role, " . ($columns_of =~ s/role, //r) . ") SELECT 'eve', 'default', 1000, " . ($columns =~ s/^role, //r) . " FROM dp_agg.budget WHERE role = 'thief'::regrole")
{
	my $quoted = $theft =~ s/'/''/gr;
	$node->safe_psql('postgres', "SELECT dp_agg.set_budget('eve', 3, 0); INSERT INTO bait VALUES ('eve', 'default')");
	$node->safe_psql('postgres', "SET ROLE thief; CREATE OR REPLACE FUNCTION steal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN $quoted; RETURN OLD; END'");
	like(administer([ 'SET ROLE grantee', "SELECT dp_agg.drop_budget('eve')" ]), $guarded, "no foreign key lets through: $theft");
	$node->safe_psql('postgres', "SET ROLE thief; CREATE OR REPLACE FUNCTION steal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN BEGIN $quoted; EXCEPTION WHEN insufficient_privilege THEN NULL; END; RETURN OLD; END'");
	is(administer([ 'SET ROLE grantee', "SELECT dp_agg.drop_budget('eve')" ]), '', 'nor where nobody is told');
	is($node->safe_psql('postgres', $same), '0', 'and nothing has changed');
	is($node->safe_psql('postgres', "SELECT count(*) FROM bait"), '0', 'but what the owner of the key asked for');
}
is(administer('SELECT * FROM dp_agg.verify_ledger()'), '', 'the books hold');
$node->safe_psql('postgres', "DROP TABLE bait; SELECT dp_agg.drop_budget('thief')");

# No table or sequence of the extension is written by whoever may write all data.
my @all = split /\n/, $node->safe_psql('postgres', "SELECT relkind::text || ' ' || oid::regclass FROM pg_class WHERE relnamespace = 'dp_agg'::regnamespace AND relkind IN ('r', 'p', 'S', 'm', 'f') ORDER BY 1");
is_deeply(\@all, [ map { "r dp_agg.$_" } qw(budget contact kept_answer ledger) ], 'these are all that hold something');
is(administer("SELECT dp_agg.set_contact('default', '{\"name\": \"x\"}')"), '', 'one of them only words');
for my $table (map { s/^r //r } @all)
{
	for my $sql ("DELETE FROM $table", "INSERT INTO $table SELECT * FROM $table", "UPDATE $table SET " . ({ 'dp_agg.kept_answer' => 'rows = 1', 'dp_agg.budget' => 'refusals = 0', 'dp_agg.contact' => "fields = '{}'", 'dp_agg.ledger' => 'id = 1' }->{$table}))
	{
		like(administer([ "SET ROLE writer", $sql ]), qr/^42501: (?!permission denied)/, "writer is refused: $sql");
	}
}
is(administer([ 'SET ROLE grantee', "SELECT dp_agg.set_contact('default', NULL)" ]), '', 'but by the function for it');

# A subscription writes rows without a statement, with the rights of whom it belongs to.
$node->safe_psql('postgres', 'CREATE DATABASE upstream');
$node->safe_psql('upstream', <<'SQL');
CREATE SCHEMA dp_agg;
CREATE TABLE dp_agg.budget (dataset text, role regrole, epsilon_limit float8, PRIMARY KEY (dataset, role));
CREATE TABLE dp_agg.ledger (id bigint PRIMARY KEY, at timestamptz DEFAULT now(), event text, role text, hash bytea DEFAULT '');
INSERT INTO dp_agg.budget VALUES ('default', 'ann'::regrole, 1000);
CREATE PUBLICATION forged FOR ALL TABLES;
SELECT pg_create_logical_replication_slot('forged', 'pgoutput');
SQL
my $options = $node->pg_version >= 16 ? ', run_as_owner = true, password_required = false' : '';
$node->safe_psql('postgres', 'ALTER ROLE writer SUPERUSER; ALTER TABLE dp_agg.budget REPLICA IDENTITY DEFAULT');
my $connection = $node->connstr('upstream') =~ s/'/''/gr;
$node->safe_psql('postgres', "SET ROLE writer; CREATE SUBSCRIPTION forged CONNECTION '$connection' PUBLICATION forged WITH (slot_name = forged, create_slot = false, copy_data = false, enabled = false$options)");
$node->safe_psql('postgres', 'ALTER ROLE writer NOSUPERUSER');
$node->safe_psql('postgres', 'ALTER SUBSCRIPTION forged ENABLE');
for my $forgery (
	[ 'UPDATE dp_agg.budget SET epsilon_limit = 1e6', qr/privacy budgets are changed by the extension's functions alone/ ],
	[ 'DELETE FROM dp_agg.budget', qr/privacy budgets are changed by the extension's functions alone/ ],
	[ "INSERT INTO dp_agg.ledger (id, event, role) VALUES (1000000, 'set', 'ann')", qr/the ledger of privacy budgets is append-only/ ])
{
	my ($sql, $error) = @$forgery;
	my $log = -s $node->logfile;
	$node->safe_psql('upstream', $sql);
	ok(eventually(sub { substr(slurp_file($node->logfile), $log) =~ $error }), "no subscription brings it: $sql");
	is($node->safe_psql('postgres', "SELECT (SELECT epsilon_limit FROM dp_agg.budgets WHERE role = 'ann'::regrole), (SELECT count(*) FROM dp_agg.ledger WHERE id >= 1000000)"), '1000|0', 'nothing has come');
	# Go on after it.
	$node->safe_psql('postgres', 'ALTER SUBSCRIPTION forged DISABLE');
	ok(eventually(sub { $node->safe_psql('postgres', "SELECT active FROM pg_replication_slots WHERE slot_name = 'forged'") eq 'f' }), 'the subscription rests');
	$node->safe_psql('upstream', "SELECT pg_replication_slot_advance('forged', pg_current_wal_lsn())");
	$node->safe_psql('postgres', 'ALTER SUBSCRIPTION forged ENABLE');
}
$node->safe_psql('postgres', 'ALTER SUBSCRIPTION forged DISABLE; ALTER SUBSCRIPTION forged SET (slot_name = NONE); DROP SUBSCRIPTION forged');
$node->safe_psql('postgres', 'SELECT pg_drop_replication_slot($$forged$$)') if eventually(sub { $node->safe_psql('postgres', "SELECT active FROM pg_replication_slots WHERE slot_name = 'forged'") eq 'f' });
is(administer('SELECT * FROM dp_agg.verify_ledger()'), '', 'the books hold');

# Who reads a view over somebody's security definer function shows the function no
# more than it may see, whatever the reader may.
$node->safe_psql('postgres', <<'SQL');
GRANT CREATE ON SCHEMA public TO ann;
CREATE ROLE chief LOGIN;
CREATE ROLE team;
GRANT team TO chief;
SELECT dp_agg.set_budget('chief', 3, 0), dp_agg.set_budget('team', 5, 0);
SET ROLE ann;
CREATE FUNCTION peek() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT coalesce(string_agg(role::text, ',' ORDER BY role::text), '') FROM dp_agg.budgets $$;
CREATE FUNCTION caps() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dp_agg.dataset_caps';
CREATE VIEW report AS SELECT peek(), caps();
GRANT SELECT ON report TO PUBLIC;
SQL
is($node->safe_psql('postgres', 'TABLE report'), 'ann|0', "a superuser's look shows an analyst no budget but her own");
is(administer([ 'SET ROLE chief', 'TABLE report' ]), 'ann,chief|0', "another's shows her own and what pays for it");
is(administer([ 'SET ROLE chief', "SELECT string_agg(role::text, ',' ORDER BY role::text) FROM dp_agg.budgets" ]), 'chief,team', 'who sees more by memberships');
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.budgets'), '4', 'as a superuser sees all');

# DROP OWNED takes nothing from a budget, and no superuser.
$node->safe_psql('postgres', "CREATE ROLE leaver LOGIN; CREATE ROLE boss LOGIN CREATEROLE; SELECT dp_agg.set_budget('leaver', 5, 0); GRANT leaver TO boss" . ($node->pg_version >= 16 ? ' WITH ADMIN OPTION' : ''));
is(administer([ 'SET SESSION AUTHORIZATION boss', 'DROP OWNED BY leaver' ]), '', 'what a role owns can be dropped by who has its privileges');
is(administer([ 'SET SESSION AUTHORIZATION leaver', 'DROP OWNED BY leaver' ]), '', 'and by itself');
like(administer([ 'SET SESSION AUTHORIZATION boss', 'DROP ROLE leaver' ]), qr/^2BP01: role "leaver" cannot be dropped/, 'the role stays');
is(administer("SELECT epsilon_limit FROM dp_agg.budgets WHERE role = 'leaver'::regrole"), '5', 'and so does its budget');
is(administer("SELECT dp_agg.drop_budget('leaver')"), '', 'without a budget');
is(administer([ 'SET SESSION AUTHORIZATION boss', 'DROP ROLE leaver' ]), '', 'it can go');

# Who has no budget starts no keeper and does not come before it.
$node->safe_psql('postgres', "CREATE ROLE two LOGIN IN ROLE ann, bob; CREATE ROLE one LOGIN IN ROLE ann");
ok(wait_for_no_keeper($node), 'there is no keeper');
$node->append_conf('postgresql.conf', 'dp_agg.keeper_idle_timeout = 1min');
$node->reload;
like(asked($node, $query, 'eve'), qr/^42501: role "eve" has no budget on data set "default"/, 'no budget');
like(asked($node, $query, 'two'), qr/^42501: several pooled budgets on data set "default" apply to role "two"/, 'or several pools');
is(keeper_pid($node), '', 'is found out without one');
like(asked($node, $query, 'one'), $answer, 'a pool');
isnt(keeper_pid($node), '', 'takes one');
is($node->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE role IN ('eve', 'two')"), '0', 'those without a budget are not in the ledger');
like(administer([ 'BEGIN', "SELECT dp_agg.drop_budget('ann')", 'SET ROLE ann', $query ]), qr/^55P03: /, 'what the transaction itself has done is not for it to judge');
my $holder = $node->background_psql('postgres', on_error_die => 1);
$holder->query_safe('BEGIN; LOCK TABLE dp_agg.budget');
like(asked($node, "SET statement_timeout = '60s'; $query", 'eve'), qr/^55P03: budget of role "eve" on data set "default" is locked/, 'nor is a table that is locked waited for');
$holder->query_safe('COMMIT');
$holder->quit;

# What a charge and a look read does not grow with the number of budgets.
$node->safe_psql('postgres', <<'SQL');
DO $$ BEGIN
	FOR i IN 1 .. 1000 LOOP
		EXECUTE format('CREATE ROLE r%s', i);
		PERFORM dp_agg.set_budget(format('r%s', i)::regrole, 1, 0);
	END LOOP;
END $$;
VACUUM ANALYZE dp_agg.budget;
SQL

# How many pages of the budget table and its key were read while a role asked so many times.
sub pages_read
{
	my ($role, $sql, $times) = @_;
	my $count = sub {
		my $keeper = keeper_pid($node);
		$node->safe_psql('postgres', "SELECT pg_terminate_backend($keeper, 60000)") if $keeper;
		return $node->safe_psql('postgres', "SELECT pg_stat_get_blocks_fetched('dp_agg.budget'::regclass) + pg_stat_get_blocks_fetched('dp_agg.budget_pkey'::regclass)");
	};
	my $before = $count->();
	asked($node, [ ($sql) x $times ], $role);
	return $count->() - $before;
}
my $pages = $node->safe_psql('postgres', "SELECT pg_relation_size('dp_agg.budget') / 8192");
cmp_ok($pages, '>', 200, 'there are pages');
cmp_ok(pages_read('postgres', 'SELECT * FROM dp_agg.budgets', 20), '>=', 20 * $pages, 'an administrator reads all, which is counted');
# A keeper reads all rows once, to see what came along in a promotion.
cmp_ok(pages_read('ann', $query, 20), '<', 3 * $pages, 'a charge to a budget of its own');
cmp_ok(pages_read('one', $query, 20), '<', 3 * $pages, 'or to a pool');
cmp_ok(pages_read($_, $query, 20), '<', 2 * $pages, "a refusal of $_, who has none or several") for 'eve', 'two';
for my $view ('budgets', 'budget_use')
{
	cmp_ok(pages_read($_, "SELECT * FROM dp_agg.$view", 20), '<', 2 * $pages, "a look of $_ at $view") for 'ann', 'eve', 'two';
}

# Memberships are looked through by the session of the member, not again by the keeper, which all wait for.
my $memberships = 200;
$node->safe_psql('postgres', "DO \$\$ BEGIN FOR i IN 1 .. $memberships LOOP EXECUTE format('CREATE ROLE m%s; GRANT m%1\$s TO one', i); END LOOP; END \$\$");
my $look_ups = sub { return $node->safe_psql('postgres', "SELECT pg_stat_get_numscans('dp_agg.budget_pkey'::regclass)") };
pages_read('one', $query, 1);
my $looked_up = -$look_ups->();
pages_read('one', $query, 20);
$looked_up += $look_ups->();
cmp_ok($looked_up, '>=', 2 * 20 * $memberships, 'the session of a member looks for each of its roles, before it plans and before it asks for a charge');
cmp_ok($looked_up, '<', 2.5 * 20 * $memberships, 'and the keeper for none');
invariants($node, [], 'guards');
$node->stop;
done_testing();
