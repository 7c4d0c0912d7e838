# Charging and administering budgets, one session at a time: what is charged,
# what is refused, and that nothing a session does gives anything back.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('charge', conf => "max_prepared_transactions = 5\n");
my $charge = "SELECT test_charge('ann', 'default', 0.001)";

sub spent
{
	my ($role) = @_;
	$role //= 'ann';
	return $node->safe_psql('postgres',
		"SELECT round(pure_spent::numeric, 6) FROM dp_agg.budget WHERE role = '$role'::regrole");
}

# Admitted, refused, unknown.
is_outcome($node, $charge, 't', 'a charge that fits is admitted');
is(spent(), '0.001000', 'and spent');
is($node->safe_psql('postgres', "SELECT test_peek('ann', 'default')"), '0.001', 'and seen by a peek');
is_outcome($node, "SELECT test_charge('ann', 'default', 1001)", 'f', 'one that does not fit is refused');
is(spent(), '0.001000', 'and nothing is spent');
is($node->safe_psql('postgres', "SELECT statements, refusals FROM dp_agg.budgets WHERE role = 'ann'::regrole"),
	'1|1', 'both are counted');
is($node->safe_psql('postgres', "SELECT admitted, pure_epsilon, round(epsilon_spent::numeric, 6), curve IS NULL FROM dp_agg.ledger WHERE admitted IS NOT NULL ORDER BY id"),
	"t|0.001|0.001000|t\nf|1001|0.001000|t", 'both are in the ledger');
is_outcome($node, "SELECT test_charge('ann', 'elsewhere', 0.001)",
	'42501: role "ann" has no budget on data set "elsewhere"', 'without a budget there is no permission');
is($node->safe_psql('postgres', "SELECT test_peek('ann', 'elsewhere') IS NULL"), 't', 'and nothing to peek at');

# Costs that are none.
for my $cost ('NaN', '-0.1', '-Infinity', 'Infinity')
{
	is_outcome($node, "SELECT test_charge('ann', 'default', '$cost')",
		'XX000: could not charge the budget of role "ann"', "a cost of $cost is an error");
}
is_outcome($node, "SELECT test_charge_describing('ann', 'default', 0.001, repeat('x', $_))", 't', "a statement of $_ bytes is kept")
  for 8000, 1_000_000;
is($node->safe_psql('postgres', 'SELECT length(statement) FROM dp_agg.ledger WHERE statement IS NOT NULL ORDER BY id'), "8000\n1000000", 'whole');
is_outcome($node, "SELECT test_charge('ann', repeat('x', 64), 0.001)", '22023: ', 'a name too long for a data set is an error');
is(spent(), '0.003000', 'none of the errors was charged');
books_balance($node, 'the books balance');

# Nothing gives budget back.
my $before = 3;
for my $way (
	[ 'ROLLBACK', 'BEGIN', $charge, 'ROLLBACK' ],
	[ 'ROLLBACK TO SAVEPOINT', 'BEGIN', 'SAVEPOINT s', $charge, 'ROLLBACK TO s', 'COMMIT' ],
	[ 'an error after it', 'BEGIN', $charge, 'SELECT 1 / 0', 'ROLLBACK' ],
	[ 'an exception block', "DO \$\$ BEGIN PERFORM test_charge('ann', 'default', 0.001); RAISE 'no'; EXCEPTION WHEN OTHERS THEN NULL; END \$\$" ],
	[ 'an error in the same statement', "SELECT 1 / (NOT test_charge('ann', 'default', 0.001))::int" ],
	[ 'READ ONLY', 'BEGIN READ ONLY', $charge, 'COMMIT' ],
	[ 'SERIALIZABLE', 'BEGIN ISOLATION LEVEL SERIALIZABLE', $charge, 'ROLLBACK' ],
	[ 'ROLLBACK PREPARED', 'BEGIN', $charge, "PREPARE TRANSACTION 'p'", "ROLLBACK PREPARED 'p'" ],
	[ 'a session that leaves', 'BEGIN', $charge ])
{
	my ($name, @sql) = @$way;
	outcome($node, \@sql);
	$before++;
	is(spent(), sprintf('%.6f', $before / 1000), "a charge stands after: $name");
}
my $gone = start($node, [ $charge, 'SELECT pg_terminate_backend(pg_backend_pid())' ]);
finish($gone);
is(spent(), sprintf('%.6f', ++$before / 1000), 'a charge stands after: a session that is terminated');
books_balance($node, 'the books balance');

# A prepared transaction that holds the row: no answer but an error.
outcome($node, [ 'BEGIN', "UPDATE dp_agg.budget SET refusals = refusals WHERE role = 'ann'::regrole", "PREPARE TRANSACTION 'p'" ]);
is_outcome($node, $charge, '55P03: budget of role "ann" on data set "default" is locked', 'a prepared transaction locks the budget');
is_outcome($node, "SELECT test_charge('bob', 'default', 0.001)", 't', 'but not that of others');
outcome($node, "ROLLBACK PREPARED 'p'");
is_outcome($node, $charge, 't', 'until it ends');

# Where nothing can be charged.
is_outcome($node, [ "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')",
		'ALTER FUNCTION test_charge(regrole, text, float8) PARALLEL SAFE', $charge ],
	'25000: cannot charge a privacy budget in a parallel worker', 'parallel workers cannot charge');
outcome($node, 'ALTER FUNCTION test_charge(regrole, text, float8) PARALLEL UNSAFE');

# Administration: arguments.
for my $call (
	"set_budget('ann', 0, 1e-6)", "set_budget('ann', -1, 1e-6)", "set_budget('ann', 'NaN', 1e-6)",
	"set_budget('ann', 'Infinity', 1e-6)", "set_budget('ann', 1, -1e-6)", "set_budget('ann', 1, 1)",
	"set_budget('ann', 1, 'NaN')", "set_budget(NULL, 1, 1e-6)", "set_budget('ann', NULL, 1e-6)",
	"set_budget('ann', 1, 1e-6, NULL)", "set_budget('ann', 1, 1e-6, '')",
	"set_budget('ann', 1, 1e-6, repeat('x', 64))", "drop_budget(NULL)", "reset_budget('ann', NULL)")
{
	is_outcome($node, "SELECT dp_agg.$call", '22023: ', "dp_agg.$call is an invalid argument");
}
is_outcome($node, "SELECT dp_agg.set_budget(4000000000::oid::regrole, 1, 1e-6)", '42704: ', 'a role must exist');
is_outcome($node, "SELECT dp_agg.set_budget('-', 1, 1e-6)", '42704: ', 'PUBLIC is no role');
is_outcome($node, "SELECT dp_agg.drop_budget('ann', 'none')", '42704: ', 'a budget that is not there cannot be dropped');
is_outcome($node, "SELECT dp_agg.reset_budget('ann', 'none')", '42704: ', 'nor reset');

# Administration: effects.
my $entries = $node->safe_psql('postgres', 'SELECT count(admitted) FROM dp_agg.ledger');
is_outcome($node, "SELECT dp_agg.set_budget('ann', 0.001, 0)", '', 'a limit can be changed');
is(spent(), sprintf('%.6f', ++$before / 1000), 'what was spent is kept');
is($node->safe_psql('postgres', "SELECT epsilon_remaining FROM dp_agg.budgets WHERE role = 'ann'::regrole"), '0', 'nothing is left');
is_outcome($node, $charge, 'f', 'and nothing admitted');
is_outcome($node, "SELECT dp_agg.reset_budget('ann')", '', 'a budget can be reset');
is($node->safe_psql('postgres', "SELECT epsilon_spent, statements, refusals, last_charge IS NULL FROM dp_agg.budgets WHERE role = 'ann'::regrole"),
	'0|0|0|t', 'then it is as new');
is_outcome($node, $charge, 't', 'and can be spent');
is_outcome($node, $charge, 'f', 'up to its limit');
is_outcome($node, "SELECT dp_agg.drop_budget('ann')", '', 'a budget can be dropped');
is_outcome($node, $charge, '42501: ', 'then there is no permission');
is($node->safe_psql('postgres', 'SELECT count(admitted) FROM dp_agg.ledger'), $entries + 3, 'the ledger keeps its rows');
is_outcome($node, "SELECT dp_agg.set_budget('ann', 1000, 1e-6)", '', 'a budget can be set again');

# Privileges.
$node->safe_psql('postgres', 'CREATE ROLE officer LOGIN; CREATE ROLE cat LOGIN');
for my $sql ('TABLE dp_agg.budget', 'TABLE dp_agg.ledger', 
	"UPDATE dp_agg.budget SET epsilon_limit = 1e9", 'DELETE FROM dp_agg.ledger',
	"UPDATE dp_agg.budgets SET epsilon_limit = 1e9",
	"SELECT dp_agg.set_budget('ann', 1e9, 0)", "SELECT dp_agg.reset_budget('ann')", "SELECT dp_agg.drop_budget('ann')")
{
	my $outcome = outcome($node, [ 'SET ROLE ann', $sql ]);
	like($outcome, qr/^(42501|55000): /, "an analyst may not: $sql");
}
$node->safe_psql('postgres', "GRANT EXECUTE ON FUNCTION dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8), dp_agg.reset_budget(regrole, text), dp_agg.drop_budget(regrole, text) TO officer");
is_outcome($node, [ 'SET ROLE officer', "SELECT dp_agg.set_budget('cat', 5, 1e-7, 'staff')" ], '', 'a grantee may set budgets');
is_outcome($node, [ 'SET ROLE officer', "SELECT dp_agg.reset_budget('cat', 'staff')" ], '', 'and reset them');
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO officer;
CREATE TABLE evil.trapped ();
CREATE FUNCTION evil.eq(regrole, regrole) RETURNS boolean LANGUAGE plpgsql
AS 'BEGIN INSERT INTO evil.trapped DEFAULT VALUES; RETURN $1::oid OPERATOR(pg_catalog.=) $2::oid; END';
CREATE OPERATOR evil.= (FUNCTION = evil.eq, LEFTARG = regrole, RIGHTARG = regrole);
SQL
is_outcome($node, [ 'SET ROLE officer', 'SET search_path = evil, pg_catalog', "SELECT dp_agg.drop_budget('cat', 'staff')" ], '', 'and drop them');
is($node->safe_psql('postgres', 'SELECT count(*) FROM evil.trapped'), '0', "without a grantee's own operators");

# Who sees what.
my $seen = "SELECT string_agg(role::text, ',' ORDER BY role::text) FROM dp_agg.budgets";
is_outcome($node, $seen, 'ann,bob', 'an administrator sees all budgets');
is_outcome($node, [ 'SET ROLE ann', $seen ], 'ann', 'a role sees its own');
is_outcome($node, [ 'SET ROLE cat', $seen ], '', 'or none');
is_outcome($node, [ 'SET SESSION AUTHORIZATION ann', $seen ], 'ann', 'as a session does');
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION bobs_view() RETURNS text LANGUAGE sql SECURITY DEFINER
AS 'SELECT string_agg(role::text, '','' ORDER BY role::text) FROM dp_agg.budgets';
ALTER FUNCTION bobs_view() OWNER TO bob;
CREATE FUNCTION noisy(regrole) RETURNS boolean LANGUAGE plpgsql COST 0.0001
AS 'BEGIN RAISE NOTICE ''saw %'', $1; RETURN true; END';
CREATE ROLE keeper_admin LOGIN;
SQL
is_outcome($node, [ 'SET ROLE ann', 'SELECT bobs_view()' ], 'ann,bob', 'within a security definer function both roles see theirs');
for my $view ('budgets', 'budget_use')
{
	my $peeping = start($node, [ 'SET ROLE ann', "SELECT count(*) FROM dp_agg.$view WHERE noisy(role)" ]);
	is(finish($peeping), '1', "a function in a query on the view $view");
	unlike($peeping->{err}, qr/bob/, 'is not shown the rows of others');
}
is($node->safe_psql('postgres', "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dp_agg.budgets'::regclass AND attnum > 0"),
	'dataset role epsilon_limit delta_limit epsilon_spent epsilon_remaining delta_spent statements refusals last_charge refresh refreshes_at may_be_behind replays partition_share variance_share renyi_share', 'columns of the view');
is($node->safe_psql('postgres', "SELECT round(epsilon_spent::numeric, 6), epsilon_remaining > 999 FROM dp_agg.budgets WHERE role = 'bob'::regrole"), '0.001000|t', 'numbers of the view');

# Every object explains itself.
is($node->safe_psql('postgres', <<'SQL'), '', 'every object of the budget has a comment');
SELECT c.oid::regclass, a.attname
FROM pg_class c LEFT JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND relkind <> 'S'
WHERE c.oid IN ('dp_agg.budget'::regclass, 'dp_agg.ledger'::regclass, 'dp_agg.budgets'::regclass, 'dp_agg.budget_use'::regclass, 'dp_agg.dataset_caps'::regclass)
	AND (obj_description(c.oid, 'pg_class') IS NULL OR col_description(c.oid, attnum) IS NULL AND attnum IS NOT NULL)
UNION ALL
SELECT NULL, oid::regprocedure::text FROM pg_proc
WHERE pronamespace IN ('dp_agg'::regnamespace, 'dp_agg_internal'::regnamespace) AND proname ~ 'budget|ledger|cap|epsilon_spent|visible|^plan$|^remaining$|^what_if$|copy|behind' AND obj_description(oid, 'pg_proc') IS NULL
SQL

# A role with a budget stays; one that is gone all the same has none.
is_outcome($node, "SELECT dp_agg.set_budget('cat', 5, 1e-7), dp_agg.set_budget('cat', 5, 1e-7, 'staff')", '|', 'a role has budgets');
is_outcome($node, 'DROP ROLE cat', '2BP01: role "cat" cannot be dropped because some objects depend on it', 'it cannot be dropped');
is_outcome($node, 'DROP OWNED BY cat', '', 'what it owns can');
is_outcome($node, 'DROP ROLE cat', '2BP01: ', 'which changes nothing');
is_outcome($node, "SELECT dp_agg.drop_budget('cat', 'staff')", '', 'nor does dropping one budget');
is_outcome($node, 'DROP ROLE cat', '2BP01: ', 'of two');
is_outcome($node, [ 'BEGIN', "SELECT dp_agg.drop_budget('cat')", 'ROLLBACK', 'DROP ROLE cat' ], '2BP01: ', 'or one that is not dropped in the end');
is_outcome($node, [ "SELECT dp_agg.drop_budget('cat')", 'DROP ROLE cat', 'CREATE ROLE cat LOGIN' ], '', 'without any it can');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
my $session = $node->background_psql('postgres');
$session->query_safe("SELECT 'cat'::regrole::oid AS cat \\gset");
$session->query_safe("SELECT dp_agg.set_budget('cat', 5, 1e-7)");
$session->query_safe('DELETE FROM pg_shdepend WHERE refobjid = :cat; DROP ROLE cat');
like(outcome($node, "SELECT test_charge(" . $session->query_safe('SELECT :cat') . "::oid::regrole, 'default', 0.001)"),
	qr/^42501: role "\d+" has no budget on data set "default"/, 'a role that was dropped has no budget');
$session->quit;

# Rows that make no sense: an error for their own role alone.
for my $damage (
	"rdp_spent = rdp_spent[1:63]", "rdp_spent[3] = 'NaN'", "rdp_spent[3] = NULL", "rdp_spent[3] = -1",
	"rdp_spent[3] = 'Infinity'", "pure_spent = 'NaN'", "pure_spent = -1", "delta_spent = 'NaN'", "delta_spent = 'Infinity'",
	"orders[1] = 21.7", "orders = orders || 2.0::float8", "orders = ARRAY[orders]", "weights[1] = 2", "weights[1] = 'NaN'", "weights[1] = -1",
	"epsilon_limit = 'Infinity'", "epsilon_limit = 'NaN'", "epsilon_limit = 0", "delta_limit = 1", "delta_limit = 'NaN'",
	"renyi_share = 0.46", "partition_share = 1.1", "variance_share = 'NaN'", "variance_share = -0.1",
	"variance_spent = 'NaN'", "variance_spent = -1", "coarseness = 'NaN'", "coarseness = -1", "coarseness = 'Infinity'")
{
	$node->safe_psql('postgres', "CREATE TABLE saved AS TABLE dp_agg.budget; UPDATE dp_agg.budget SET $damage WHERE role = 'ann'::regrole");
	is_outcome($node, $charge, 'XX001: could not charge the budget of role "ann"', "a row with $damage makes no sense");
	is_outcome($node, "SELECT test_charge('bob', 'default', 0.001)", 't', 'others are charged');
	is_outcome($node, "SELECT epsilon_spent IS NULL FROM dp_agg.budgets WHERE role = 'ann'::regrole", 't', 'the view shows no number')
		if $damage =~ /rdp_spent/;
	$node->safe_psql('postgres', <<'SQL');
UPDATE dp_agg.budget b SET rdp_spent = s.rdp_spent, pure_spent = s.pure_spent, delta_spent = s.delta_spent,
	variance_spent = s.variance_spent, coarseness = s.coarseness, orders = s.orders, weights = s.weights, epsilon_limit = s.epsilon_limit, delta_limit = s.delta_limit,
	partition_share = s.partition_share, variance_share = s.variance_share, renyi_share = s.renyi_share
FROM saved s WHERE s.role = b.role AND s.role = 'ann'::regrole;
DROP TABLE saved;
SQL
}
is_outcome($node, $charge, 't', 'a row that makes sense again is charged');

# Filters may have fewer orders than those set up today.
$node->safe_psql('postgres', "SELECT dp_agg.reset_budget('ann')");
is_outcome($node, $charge, 't', 'a budget that has spent something keeps its own');
$node->safe_psql('postgres', "UPDATE dp_agg.budget SET orders = '{22, 47, 87}', weights = '{0.875, 0.09375, 0.03125}' WHERE role = 'ann'::regrole");
is_outcome($node, $charge, 'XX001: could not charge the budget of role "ann" on data set "default": its row has another limit in the ledger', 'which are those that were set');
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('ann', 1000, 1e-6)");
is_outcome($node, $charge, 't', 'a budget with three orders is charged');
is_outcome($node, "SELECT test_charge('ann', 'default', 1e6)", 'f', 'and refuses');

$node->stop;
done_testing();
