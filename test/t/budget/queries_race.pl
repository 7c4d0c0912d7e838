# Sixteen clients race for a budget that admits five hundred of their thousand
# queries: five hundred are answered, whichever way they ask.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('race');
my $epsilon = 0.125;
my $admits = 500;

# Restart ann's account with room for so many queries, and half a query more.
sub limit
{
	my ($queries) = @_;
	my $limit = ($queries + 0.5) * $epsilon;
	$node->safe_psql('postgres', <<"SQL");
SELECT dp_agg.reset_budget('ann');
SELECT dp_agg.set_budget('ann', $limit, 0);
SQL
	return;
}

sub books
{
	return $node->safe_psql('postgres', <<'SQL');
SELECT statements, refusals, (SELECT count(*) FROM dp_agg.ledger l WHERE admitted AND l.budget = b.number),
	(SELECT count(*) FROM dp_agg.ledger l WHERE NOT admitted AND l.budget = b.number),
	pure_spent <= epsilon_limit, epsilon_limit - pure_spent < 0.125
FROM dp_agg.budget b WHERE role = 'ann'::regrole
SQL
}

# By plain statements.
limit($admits);
my $clients = start_clients($node, clients => 16, queries => 63, epsilon => $epsilon);
ok(crowd_done($clients), 'no client hangs');
is(answers_are_in_the_books($node, $clients, 'answers are in the ledger'), $admits, 'as many answers as the budget admits');
is(count_lines($clients, qr/ERROR:  53400: privacy budget exhausted/), 16 * 63 - $admits, 'as many refusals as were over');
is(count_lines($clients, qr/(?:ERROR|FATAL):/), 16 * 63 - $admits, 'and no other error');
is(books(), "$admits|" . (16 * 63 - $admits) . "|$admits|" . (16 * 63 - $admits) . '|t|t', 'the books say the same');
books_balance($node, 'the books balance');

# In functions that swallow the refusal, inside transactions of many queries that
# are rolled back: by pgbench.
$node->safe_psql('postgres', <<'SQL');
DELETE FROM dp_agg.ledger;
CREATE SEQUENCE answers;
CREATE SEQUENCE refusals;
GRANT USAGE ON SEQUENCE answers, refusals TO ann;
CREATE FUNCTION ask() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_count(*) FROM people;
	PERFORM nextval('answers');
EXCEPTION WHEN configuration_limit_exceeded THEN
	PERFORM nextval('refusals');
END $$;
SQL
limit($admits);
my $script = PostgreSQL::Test::Utils::tempdir . '/ask.sql';
append_to_file($script, "BEGIN;\nSELECT ask();\nSELECT ask();\nSELECT ask();\nROLLBACK;\n");
{
	local $ENV{PGUSER} = 'ann';
	local $ENV{PGOPTIONS} = "-c dp_agg.epsilon=$epsilon";
	$node->command_ok([ 'pgbench', '-n', '-c', 16, '-j', 2, '-t', 21, '-f', $script, 'postgres' ], 'pgbench runs');
}
is($node->safe_psql('postgres', 'SELECT a.last_value, r.last_value FROM answers a, refusals r'),
	"$admits|" . (16 * 63 - $admits), 'as many answers as the budget admits, counted by the clients');
is(books(), "$admits|" . (16 * 63 - $admits) . "|$admits|" . (16 * 63 - $admits) . '|t|t', 'the books say the same');

# Costs of different kinds: what is spent never exceeds the limit.
$node->safe_psql('postgres', <<'SQL');
DELETE FROM dp_agg.ledger;
SELECT dp_agg.reset_budget('ann');
SELECT dp_agg.set_budget('ann', 10, 1e-6);
SQL
my $mixed = PostgreSQL::Test::Utils::tempdir . '/mixed.sql';
append_to_file($mixed, <<'SQL');
\set pick random(1, 4)
\set thousandths random(1, 100)
BEGIN;
\if :pick = 1
SET LOCAL dp_agg.mechanism = gaussian;
\endif
\if :pick = 2
SET LOCAL dp_agg.delta = 1e-8;
\endif
SET LOCAL dp_agg.epsilon = :thousandths;
SELECT set_config('dp_agg.epsilon', (:thousandths / 1000.0)::text, true);
DO $$ BEGIN PERFORM city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city; EXCEPTION WHEN configuration_limit_exceeded THEN NULL; END $$;
COMMIT;
SQL
{
	local $ENV{PGUSER} = 'ann';
	$node->command_ok([ 'pgbench', '-n', '-c', 16, '-j', 2, '-t', 60, '-f', $mixed, 'postgres' ], 'pgbench runs mixed queries');
}
is($node->safe_psql('postgres', <<'SQL'), 't|t|t|t|t', 'some are answered, some refused, none beyond the limits');
SELECT statements > 0, refusals > 0, statements + refusals = 960, b.epsilon_spent <= epsilon_limit, b.delta_spent <= delta_limit
FROM dp_agg.budgets b WHERE role = 'ann'::regrole
SQL
books_balance($node, 'the books balance');

$node->stop;
done_testing();
