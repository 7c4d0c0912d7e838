# Administrators act on more roles in one statement than the table of locks has room for, and a role
# with a budget is held all the same: from before the transaction ends, and whoever else gives or
# takes a budget of the role at that time.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Room for some 300 locks that are reckoned with, and a hundred kilobytes of spare memory.
my $node = new_server('many_roles', conf => <<'CONF');
autovacuum = off
fsync = off
max_locks_per_transaction = 10
max_connections = 15
max_prepared_transactions = 0
CONF
my $roles = 4000;
$node->safe_psql('postgres', "DO \$\$ BEGIN FOR i IN 1 .. $roles LOOP EXECUTE 'CREATE ROLE many_' || i; END LOOP; END \$\$");
$node->safe_psql('postgres', 'CREATE VIEW many AS SELECT oid::regrole AS role, substr(rolname, 6)::int AS i FROM pg_roles WHERE rolname ~ \'^many_\' ORDER BY 2');

sub answer { return $node->safe_psql('postgres', shift) }

# The SQLSTATE of a statement that waits for locks a tenth of a second at most.
sub state_soon
{
	my ($sql) = @_;
	return substr outcome($node, [ q{SET lock_timeout = '100ms'}, $sql ]), 0, 5;
}

# Begin a transaction in a session of its own, and act.
sub begin
{
	my $session = $node->background_psql('postgres', on_error_stop => 1);
	$session->query_safe("BEGIN; $_[0]");
	return $session;
}

sub end
{
	my ($session, $how) = @_;
	$session->query_safe($how);
	$session->quit;
	return;
}

my $filled = start($node, [ "SELECT count(pg_try_advisory_lock(i)) FROM generate_series(1, $roles) i" ]);
like(finish($filled), qr/^53200: out of shared memory/, 'so many locks find no room');

# New budgets, while roles are dropped, altered and made.
my $admin = begin('SELECT count(dp_agg.set_budget(role, 1, 0)) FROM many');
cmp_ok(answer('SELECT count(*) FROM pg_locks'), '<', 100, 'locks do not grow with roles');
is(state_soon("DROP ROLE many_$_"), '55P03', "dropping many_$_ waits for who gives it a budget") for 1, 10, 11, $roles;
is(state_soon("SELECT FROM pg_roles, dp_agg.budgets"), '', 'whoever reads does not wait');
end($admin, 'COMMIT');
is(answer('SELECT count(*) FROM dp_agg.budgets JOIN many USING (role)'), $roles, 'all have budgets');
is(state_soon("DROP ROLE many_$_"), '2BP01', "and many_$_ is held") for 1, 10, 11, $roles;

# Budgets that are there already.
$admin = begin('SELECT count(dp_agg.set_budget(role, 2, 0)) FROM many');
cmp_ok(answer('SELECT count(*) FROM pg_locks'), '<', 100, 'nor if they have budgets');
is(state_soon("DROP ROLE many_$_"), '2BP01', "many_$_ is still held") for 1, $roles;
is(state_soon('CREATE ROLE more'), '', 'other roles can be made then');
end($admin, 'COMMIT');
is(answer('SELECT count(dp_agg.set_budget(role, 1, 0, \'other\')) FROM many'), $roles, 'budgets on another data set');
is(answer('SELECT count(dp_agg.reset_budget(role)) FROM many'), $roles, 'budgets are reset');
is(answer('SELECT count(dp_agg.drop_budget(role, \'other\')) FROM many'), $roles, 'and dropped');
is(state_soon("DROP ROLE many_$_"), '2BP01', "many_$_ has another") for 1, $roles;
is(answer('SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the ledger holds it all');

# Who takes the last budget of a role waits for who gives it one, and the other way about.
sub waits_for
{
	my ($first, $second, $how, $name) = @_;
	my $session = begin("SELECT $first");
	is(state_soon("SELECT $second"), '55P03', "$name: waits");
	my $waiting = start($node, [ "SELECT $second" ]);
	$node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted') or die 'nobody waits';
	end($session, $how);
	is(finish($waiting), '', "$name: goes on");
	is(state_soon('DROP ROLE many_7'), '2BP01', "$name: the role is held");
	return;
}
waits_for("dp_agg.drop_budget('many_7')", "dp_agg.set_budget('many_7', 1, 0, 'other')", 'COMMIT', 'given while the last is taken');
waits_for("dp_agg.set_budget('many_7', 1, 0, 'third')", "dp_agg.drop_budget('many_7', 'other')", 'COMMIT', 'taken while another is given');
waits_for("dp_agg.drop_budget('many_7', 'third')", "dp_agg.set_budget('many_7', 2, 0, 'third')", 'COMMIT', 'given while the same is taken');
waits_for("dp_agg.drop_budget('many_7', 'third')", "dp_agg.set_budget('many_7', 2, 0, 'third')", 'ROLLBACK', 'given after all');
$node->safe_psql('postgres', <<'SQL');
BEGIN;
SAVEPOINT undone;
SELECT dp_agg.drop_budget('many_7', 'third');
ROLLBACK TO undone;
COMMIT;
SQL
is(state_soon('DROP ROLE many_7'), '2BP01', 'a budget that was taken in a subtransaction, and not, holds the role');
$node->safe_psql('postgres', q{SELECT dp_agg.drop_budget('many_7', 'third')});
is(state_soon('DROP ROLE many_7'), '', 'without any it can be dropped');

# One statement does both.
$node->safe_psql('postgres', 'CREATE ROLE many_7');
answer(q{SELECT dp_agg.set_budget('many_7', 1, 0), dp_agg.drop_budget('many_7'), dp_agg.set_budget('many_7', 2, 0)});
is(state_soon('DROP ROLE many_7'), '2BP01', 'a budget that was given, taken and given holds the role');
answer(q{SELECT dp_agg.drop_budget('many_7'), dp_agg.set_budget('many_7', 1, 0), dp_agg.drop_budget('many_7')});
is(state_soon('DROP ROLE many_7'), '', 'one that was taken, given and taken does not');

# Without budgets, all can be dropped.
is(answer('SELECT count(dp_agg.drop_budget(role)) FROM many'), $roles - 1, 'all budgets are dropped');
is(state_soon("DROP ROLE many_$_"), '', "many_$_ can be dropped") for 1, $roles;
is(answer('SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'and the ledger holds that');

$node->stop('fast');
done_testing();
