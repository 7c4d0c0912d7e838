# Traps laid for the keeper by whoever owns the database or the tables:
# settings, triggers, rules, policies, index expressions, long transactions.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('traps', conf => <<'CONF');
wal_writer_delay = 10s
dp_agg.keeper_idle_timeout = 1h
CONF
my $charge = "SELECT test_charge('ann', 'default', 0.001)";

sub new_keeper
{
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'");
}

# Settings that ALTER DATABASE and ALTER ROLE let others choose.
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA evil;
CREATE TABLE evil.trapped (what text);
CREATE FUNCTION evil.plus(float8, float8) RETURNS float8 LANGUAGE sql AS 'INSERT INTO evil.trapped VALUES (''operator''); SELECT 0.0::float8';
CREATE OPERATOR evil.+ (FUNCTION = evil.plus, LEFTARG = float8, RIGHTARG = float8);
DO $$
DECLARE
	target text;
BEGIN
	FOREACH target IN ARRAY ARRAY['DATABASE postgres', 'ROLE ' || quote_ident(current_user)] LOOP
		EXECUTE format('ALTER %s SET synchronous_commit = off', target);
		EXECUTE format('ALTER %s SET default_transaction_read_only = on', target);
		EXECUTE format('ALTER %s SET default_transaction_isolation = serializable', target);
		EXECUTE format('ALTER %s SET default_transaction_deferrable = on', target);
		EXECUTE format('ALTER %s SET search_path = evil, pg_catalog', target);
		EXECUTE format('ALTER %s SET lock_timeout = 0', target);
		EXECUTE format('ALTER %s SET statement_timeout = 1', target);
		EXECUTE format('ALTER %s SET idle_in_transaction_session_timeout = 1', target);
		EXECUTE format('ALTER %s SET session_replication_role = replica', target);
		EXECUTE format('ALTER %s SET row_security = off', target);
		EXECUTE format('ALTER %s SET enable_indexscan = off', target);
		EXECUTE format('ALTER %s SET role = ann', target);
	END LOOP;
END
$$;
SQL

# Sessions of this test do without them.
$ENV{PGOPTIONS} = join ' ', map { "-c $_" } 'synchronous_commit=on', 'default_transaction_read_only=off',
  'default_transaction_isolation=read\ committed', 'default_transaction_deferrable=off', 'search_path=public',
  'statement_timeout=0', 'idle_in_transaction_session_timeout=0', 'session_replication_role=origin', 'row_security=on',
  'enable_indexscan=on', 'role=none';
new_keeper();
is_outcome($node, $charge, 't', 'settings do not stop a charge');
my $crowd = start_crowd($node, clients => 8, charges => 50);
ok(crowd_done($crowd), 'nor many');
$node->stop('immediate');
$node->start;
receipts_are_in_the_books($node, $crowd, 'nor make it less durable');
books_balance($node, 'the books balance');
is($node->safe_psql('postgres', 'SELECT count(*) FROM evil.trapped'), '0', 'no function of others was met');

# While a keeper lives, the server's settings may change; durability does not.
new_keeper();
is_outcome($node, $charge, 't', 'a charge');
$node->append_conf('postgresql.conf', "synchronous_commit = off\ndefault_transaction_read_only = on");
$node->reload;
my $pid = keeper_pid($node);
$crowd = start_crowd($node, clients => 8, charges => 50, label => 'reloaded');
ok(crowd_done($crowd), 'settings of the server do not stop charges');
is(keeper_pid($node), $pid, 'of the same keeper');
$node->stop('immediate');
$node->start;
receipts_are_in_the_books($node, $crowd, 'nor make them less durable');

# Triggers, rules and policies of others: none is met, none is in the way.
my $spent = $node->safe_psql('postgres', "SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole");
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION evil.trap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO evil.trapped VALUES (TG_NAME || ' as ' || current_user);
	RETURN NULL;
END
$$;
DO $$
DECLARE
	tab text;
BEGIN
	FOREACH tab IN ARRAY ARRAY['dp_agg.budget', 'dp_agg.ledger'] LOOP
		EXECUTE format('CREATE TRIGGER before BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION evil.trap()', tab);
		EXECUTE format('CREATE TRIGGER after AFTER INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION evil.trap()', tab);
		EXECUTE format('CREATE TRIGGER always AFTER INSERT OR UPDATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION evil.trap()', tab);
		EXECUTE format('CREATE CONSTRAINT TRIGGER later AFTER INSERT OR UPDATE ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION evil.trap()', tab);
		EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER before, ENABLE ALWAYS TRIGGER after', tab);
		EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', tab);
	END LOOP;
END
$$;
CREATE RULE nothing AS ON UPDATE TO dp_agg.budget DO INSTEAD NOTHING;
CREATE RULE nothing AS ON INSERT TO dp_agg.ledger DO INSTEAD NOTHING;
SQL
is_outcome($node, $charge, 't', 'triggers, rules and policies do not stop a charge');
is($node->safe_psql('postgres', "SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole"), $spent + 1, 'nor undo it');
is($node->safe_psql('postgres', 'SELECT string_agg(what, \', \') FROM evil.trapped'), '', 'nor are they run');
$node->safe_psql('postgres', <<'SQL');
DROP RULE nothing ON dp_agg.budget;
DROP RULE nothing ON dp_agg.ledger;
DROP FUNCTION evil.trap() CASCADE;
ALTER TABLE dp_agg.budget DISABLE ROW LEVEL SECURITY;
ALTER TABLE dp_agg.ledger DISABLE ROW LEVEL SECURITY;
SQL

# Expressions run as the tables' owner, and in no position to do harm.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE owner;
GRANT CREATE, USAGE ON SCHEMA dp_agg, evil TO owner;
ALTER TABLE dp_agg.budget OWNER TO owner;
ALTER TABLE dp_agg.ledger OWNER TO owner;
SET ROLE owner;
SQL

# Add an index on an expression that is only evaluated for new entries.
sub add_index
{
	my ($name, $body) = @_;
	my $last = $node->safe_psql('postgres', 'SELECT max(id) FROM dp_agg.ledger');
	$node->safe_psql('postgres', <<"SQL");
SET ROLE owner;
CREATE FUNCTION evil.$name(bigint) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN $body; RETURN 0; END';
CREATE INDEX $name ON dp_agg.ledger (evil.$name(id)) WHERE id > $last;
SQL
	return;
}

add_index('who', "IF current_user <> ''owner'' THEN RAISE ''%'', current_user; END IF");
is_outcome($node, $charge, 't', 'an index expression runs as the owner of the tables');
add_index('lasting', "PERFORM set_config(''search_path'', ''evil'', false), set_config(''lock_timeout'', ''1h'', false)");
is_outcome($node, $charge, 't', 'what it sets');
$node->safe_psql('postgres', 'DROP INDEX dp_agg.lasting');
add_index('lasted', "IF current_setting(''search_path'') <> ''pg_catalog, pg_temp'' OR current_setting(''lock_timeout'') = ''1h'' THEN RAISE ''%'', current_setting(''search_path''); END IF");
is_outcome($node, $charge, 't', 'does not last');
add_index('isolation', "IF current_setting(''transaction_isolation'') <> ''read committed'' THEN RAISE ''%'', current_setting(''transaction_isolation''); END IF");
is_outcome($node, $charge, 't', 'the keeper does not serialise');
add_index('rise', "PERFORM set_config(''role'', ''none'', false)");
like(outcome($node, $charge), qr/^42501: could not charge .*cannot set parameter "role" within security-restricted operation/, 'and it may not become another');
$node->safe_psql('postgres', 'DROP INDEX dp_agg.rise');
is_outcome($node, $charge, 't', 'then charges work');
new_keeper();
$node->safe_psql('postgres', "ALTER TABLE dp_agg.ledger ADD CHECK (pure_epsilon < 0.5 OR NOT admitted)");
like(outcome($node, "SELECT test_charge('ann', 'default', 0.6)"), qr/^23514: could not charge/, 'a constraint of somebody is an error');
is_outcome($node, $charge, 't', 'for what violates it alone');
books_balance($node, 'the books balance');

# An old snapshot keeps dead versions of the row; charges go on.
my $old = $node->background_psql('postgres');
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM dp_agg.budget');
$node->safe_psql('postgres', "SELECT test_charge('ann', 'default', 0.0001) FROM generate_series(1, 3000)");
is($old->query_safe("SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole"),
	$node->safe_psql('postgres', "SELECT statements - 3000 FROM dp_agg.budget WHERE role = 'ann'::regrole"), 'old snapshots see old amounts');
$old->quit;
books_balance($node, 'the books balance');

$node->stop;
done_testing();
