# A row of the budget table that does not follow from what the ledger said last of
# it is charged by nobody, however it came to be.  A superuser plays whoever got
# past the guards, and puts things back.
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
my $node = new_gate('follows', conf => "dp_agg.keeper_idle_timeout = 10min\ndp_agg.epsilon = 0.1\n");
$node->safe_psql('postgres', <<'SQL');
SELECT dp_agg.set_budget('ann', 50, 1e-4), dp_agg.set_dataset_cap('default', 500, 1e-3);
SELECT dp_agg.set_budget('ann', 7, 1e-4, 'other'), dp_agg.set_budget('eve', 3, 0), dp_agg.set_budget('eve', 3, 0, 'gone');
CREATE TABLE gone AS TABLE dp_agg.budget;
SELECT dp_agg.drop_budget('eve'), dp_agg.drop_budget('eve', 'gone');
CREATE ROLE cat LOGIN;
CREATE ROLE dan LOGIN;
SELECT dp_agg.set_budget('cat', 50, 1e-4, refresh => '1 day');
SQL

sub administer
{
	return KeeperTest::outcome($node, $_[0]);
}

# Away with the keeper, and all that it remembers.
sub forget
{
	my $keeper = keeper_pid($node);
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($keeper, 60000)") if $keeper;
	return;
}

# Do something to the table; check what a role is told then, and once it is put right.
sub refused_after
{
	my ($sql, $problem, $role, %options) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$role //= 'ann';
	$node->safe_psql('postgres', 'CREATE TABLE saved AS TABLE dp_agg.budget');
	$node->safe_psql('postgres', $sql);
	my $told = asked($node, $query, $role);
	like($told, qr/^XX001: could not charge the budget of role "$role" on data set "default": $problem$/, "$role is refused after: $sql");
	forget();
	is(asked($node, $query, $role), $told, 'by the next keeper, too');
	$node->safe_psql('postgres', <<'SQL');
BEGIN;
ALTER TABLE dp_agg.budget DISABLE TRIGGER loaded;
DELETE FROM dp_agg.budget;
INSERT INTO dp_agg.budget TABLE saved;
ALTER TABLE dp_agg.budget ENABLE ALWAYS TRIGGER loaded;
COMMIT;
DROP TABLE saved;
SQL
	like(asked($node, $query, 'ann'), $answer, 'and is not once it is put right');
	is(administer('SELECT * FROM dp_agg.verify_ledger()'), '', 'nor has anything been entered');
	return;
}

# All that a row says, and that there is none.
sub refused_whatever_is_changed
{
	my $nothing = "rdp_spent = array_fill(0::float8, '{64}'), pure_spent = 0, variance_spent = 0, coarseness = 0";
	my $ann = "role = 'ann'::regrole AND dataset = 'default'";
	refused_after("UPDATE dp_agg.budget SET epsilon_limit = 1e6 WHERE $ann", 'its row has another limit in the ledger');
	refused_after("UPDATE dp_agg.budget SET delta_limit = delta_limit * 2 WHERE $ann", 'its row has another limit in the ledger');
	refused_after("UPDATE dp_agg.budget SET refresh = '1 second', period_began = now() WHERE $ann", 'its row has another limit in the ledger');
	refused_after("UPDATE dp_agg.budget SET refresh = '1 second' WHERE role = 'cat'::regrole", 'its row has another limit in the ledger', 'cat');
	refused_after("UPDATE dp_agg.budget SET $nothing WHERE $ann", 'its row has spent more in the ledger');
	refused_after("UPDATE dp_agg.budget SET delta_spent = 0 WHERE $ann", 'its row has spent more in the ledger');
	refused_after("DELETE FROM dp_agg.budget WHERE $ann; UPDATE dp_agg.budget SET dataset = 'default' WHERE dataset = 'other'", q{its row is another's in the ledger});
	refused_after("DELETE FROM dp_agg.budget WHERE $ann; UPDATE dp_agg.budget SET role = 'ann' WHERE role = 'bob'::regrole", q{its row is another's in the ledger});
	my $columns = 'dataset, epsilon_limit, delta_limit, partition_share, variance_share, renyi_share, orders, weights, rdp_spent, home';
	refused_after("INSERT INTO dp_agg.budget (role, number, $columns) SELECT 'eve', 1000, $columns FROM saved WHERE $ann", 'its row is not in the ledger', 'eve');
	refused_after("DELETE FROM dp_agg.budget WHERE $ann; INSERT INTO dp_agg.budget (role, number, $columns) SELECT 'eve', number, $columns FROM saved WHERE $ann", q{its row is another's in the ledger}, 'eve');
	refused_after("UPDATE dp_agg.budget SET period_began = period_began - interval '1 microsecond' WHERE role = 'cat'::regrole", 'its row began its period at another time in the ledger', 'cat');
	refused_after("UPDATE dp_agg.budget SET variance_share = 0.9, renyi_share = 0 WHERE $ann", 'its row has another limit in the ledger');
	refused_after("UPDATE dp_agg.budget SET weights[1] = weights[1] / 2 WHERE $ann", 'its row has another limit in the ledger');
	refused_after("UPDATE dp_agg.budget SET epsilon_limit = 1e6 WHERE role::oid = 0", q{the row of the data set's cap has another limit in the ledger});
	refused_after("UPDATE dp_agg.budget SET $nothing WHERE role::oid = 0", q{the row of the data set's cap has spent more in the ledger});
	refused_after("UPDATE dp_agg.budget SET delta_spent = 0 WHERE role::oid = 0", q{the row of the data set's cap has spent more in the ledger});
	refused_after('DELETE FROM dp_agg.budget WHERE role::oid = 0', q{the row of the data set's cap is gone, but was not dropped});
	refused_after("DELETE FROM dp_agg.budget WHERE role::oid = 0; UPDATE dp_agg.budget SET role = 0::oid::regrole WHERE role = 'bob'::regrole", q{the row of the data set's cap is another's in the ledger});
	return;
}

like(asked($node, $query, $_), $answer, "$_ is answered") for 'ann', 'bob', 'cat';
is(asked($node, 'SET dp_agg.delta = 1e-6; SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s') =~ /^\d$/, 1, 'groups are private, at a cost of delta');
cmp_ok($node->safe_psql('postgres', "SELECT min(delta_spent) FROM dp_agg.budget WHERE role::oid IN (0, 'ann'::regrole) AND dataset = 'default'"), '>', 0, 'of which there is some');
refused_whatever_is_changed();
refused_after("INSERT INTO dp_agg.budget SELECT * FROM gone WHERE role = 'eve'::regrole AND dataset = 'default'", 'its row was dropped in the ledger', 'eve');

# What a row was once does not come back.
$node->safe_psql('postgres', 'CREATE TABLE old AS TABLE dp_agg.budget');
like(asked($node, $query, $_), $answer, "$_ is answered again") for 'ann', 'cat';
my $return = "UPDATE dp_agg.budget b SET rdp_spent = o.rdp_spent, pure_spent = o.pure_spent, variance_spent = o.variance_spent, coarseness = o.coarseness, statements = o.statements, entries = o.entries FROM old o WHERE o.number = b.number";
refused_after("$return AND b.role = 'ann'::regrole", 'its row has spent more in the ledger');
refused_after("$return AND b.role = 'cat'::regrole", 'its row has spent more in the ledger', 'cat');
refused_after("$return AND b.role::oid = 0", q{the row of the data set's cap has spent more in the ledger});

# Rows that were removed have said it in a checkpoint.
for my $times (1, 2)
{
	like(administer("SELECT dp_agg.compact_ledger('infinity')"), qr/^[1-9]\d*$/, 'the ledger gives way to a checkpoint');
	is($node->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE budget IN (SELECT number FROM dp_agg.budget WHERE role <> 'ann'::regrole)"), '0', 'which alone knows of most budgets');
	forget();
	refused_whatever_is_changed();
	like(asked($node, $query, $_), $answer, "$_ is answered after it") for 'bob', 'cat', 'ann';
	is($node->safe_psql('postgres', "SELECT epsilon_spent > 0 FROM dp_agg.budgets WHERE role = 'cat'::regrole"), 't', 'on top of what was spent');
}
is($node->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge' AND (cap_epsilon_spent > 0 AND cap_epsilon_spent <> epsilon_spent AND cap_delta_spent >= delta_spent) IS NOT TRUE"), '0', 'statements tell what the cap has spent');

# That there is no cap is not remembered beyond the next act.
is(administer("SELECT dp_agg.drop_dataset_cap('default')"), '', 'a cap is dropped');
like(asked($node, $query), $answer, 'an answer without') for 1 .. 3;
$node->safe_psql('postgres', "SELECT dp_agg.set_dataset_cap('default', 500, 1e-3)");
$node->safe_psql('postgres', 'CREATE TABLE cap AS SELECT * FROM dp_agg.budget WHERE role::oid = 0; DELETE FROM dp_agg.budget WHERE role::oid = 0');
like(asked($node, $query), qr/^XX001: .*the row of the data set's cap is gone, but was not dropped/, 'none without one that was set since');
$node->safe_psql('postgres', <<'SQL');
ALTER TABLE dp_agg.budget DISABLE TRIGGER loaded;
INSERT INTO dp_agg.budget TABLE cap;
ALTER TABLE dp_agg.budget ENABLE ALWAYS TRIGGER loaded;
SQL

# Nor does it matter where a row is: another version in the place of the one that was left is not that.
my $place = "SELECT ctid FROM dp_agg.budget WHERE role = 'ann'::regrole AND dataset = 'default'";
$node->safe_psql('postgres', 'CREATE TABLE kept AS TABLE dp_agg.budget');
my $restore = 'UPDATE dp_agg.budget b SET epsilon_limit = k.epsilon_limit FROM kept k WHERE k.number = b.number AND k.epsilon_limit <> b.epsilon_limit';
my $left;

# Answer so many times, then raise the limit until the row is where it was left; or give up.
sub comes_back
{
	my ($answers) = @_;
	$node->safe_psql('postgres', $_) for $restore, 'VACUUM FULL dp_agg.budget';
	asked($node, $query) for 1 .. $answers;
	$left = $node->safe_psql('postgres', $place);
	for (1 .. 12)
	{
		$node->safe_psql('postgres', "UPDATE dp_agg.budget SET epsilon_limit = epsilon_limit + 1e6 WHERE role = 'ann'::regrole AND dataset = 'default'");
		$node->safe_psql('postgres', 'VACUUM dp_agg.budget');
		return 1 if $node->safe_psql('postgres', $place) eq $left;
	}
	return 0;
}
for my $answers (1 .. 40)
{
	last if comes_back($answers % 10 + 1);
}
is($node->safe_psql('postgres', $place), $left, 'a version comes to be where the keeper left one');
like(asked($node, $query), qr/^XX001: .*its row has another limit in the ledger/, 'and is not taken for it');
$node->safe_psql('postgres', $restore);

# What follows is charged, though it is not what the keeper left.
for my $sql ('SELECT 1', 'UPDATE dp_agg.budget SET refusals = refusals', 'VACUUM FULL dp_agg.budget', 'REINDEX TABLE dp_agg.ledger',
	"UPDATE dp_agg.budget SET pure_spent = pure_spent * 1.5, variance_spent = variance_spent * 1.5, rdp_spent = (SELECT array_agg(r * 1.5) FROM unnest(rdp_spent) r) WHERE role = 'ann'::regrole",
	"SELECT dp_agg.set_budget('ann', 60, 1e-4)", "SELECT dp_agg.set_budget('ann', 40, 1e-4, refresh => '1 month')", "SELECT dp_agg.set_budget('ann', 40, 1e-4)",
	"SELECT dp_agg.reset_budget('ann')", "SELECT dp_agg.drop_budget('ann'); SELECT dp_agg.set_budget('ann', 30, 1e-4)",
	"SELECT dp_agg.set_dataset_cap('default', 400, 1e-3)", "SELECT dp_agg.drop_dataset_cap('default')", "SELECT dp_agg.set_dataset_cap('default', 600, 1e-3)",
	"BEGIN; SAVEPOINT a; SELECT dp_agg.set_budget('ann', 35, 1e-4); RELEASE a; COMMIT", 'ALTER ROLE bob RENAME TO robert')
{
	$node->safe_psql('postgres', $sql);
	like(asked($node, $query), $answer, "ann is answered after: $sql");
	forget();
	like(asked($node, $query), $answer, 'by the next keeper, too');
}
like(asked($node, $query, 'robert'), $answer, 'and so is who was renamed');
forget();
$node->safe_psql('postgres', 'ALTER ROLE robert RENAME TO rob; CREATE ROLE robert');
like(asked($node, $query, 'rob'), qr/^XX001: .*its row is another's in the ledger/, 'but not if another has got the name');
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('rob', 1000, 1e-6)");
like(asked($node, $query, 'rob'), $answer, 'before the ledger has the new one');

# An administrator who sets a budget anew takes its row as it is: that is found by who adds up.
$node->safe_psql('postgres', "UPDATE dp_agg.budget SET pure_spent = 0 WHERE role = 'ann'::regrole; SELECT dp_agg.set_budget('ann', 35, 1e-4)");
like(asked($node, $query), $answer, 'a budget that is set anew is charged');
isnt(administer('SELECT * FROM dp_agg.verify_ledger()'), '', 'and does not verify');
$node->stop;
done_testing();
