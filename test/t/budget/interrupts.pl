# Keepers and sessions that are terminated, cancelled or out of time, and
# budgets that are locked: every session gets an answer, nothing is paid twice
# or released unpaid, and the others in its batch are not harmed.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_server('interrupts', conf => <<'CONF');
dp_agg.keeper_idle_timeout = 60s
log_lock_waits = on
deadlock_timeout = 10ms
CONF
my $charge = "SELECT test_charge('ann', 'default', 0.001)";
my $bobs = "SELECT test_charge('bob', 'default', 0.001)";

sub spent
{
	my ($role) = @_;
	return $node->safe_psql('postgres', "SELECT round(pure_spent * 1000) FROM dp_agg.budget WHERE role = '$role'::regrole");
}

# A way to keep the keeper busy before it commits: an index whose expression
# takes as long as table pause says, if the ledger's entry is for that role.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE pause (role regrole, seconds float8);
CREATE TABLE obstacle ();
CREATE FUNCTION pause(payer text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM pg_catalog.pg_sleep(seconds) FROM public.pause WHERE role = payer::pg_catalog.regrole;
	IF EXISTS (SELECT FROM public.pause WHERE role = payer::pg_catalog.regrole AND seconds < 0) THEN
		RETURN (SELECT count(*) FROM public.obstacle);
	END IF;
	RETURN 0;
END
$$;
CREATE INDEX ON dp_agg.ledger (pause(role));
CREATE ROLE slow;
SELECT dp_agg.set_budget('slow', 1000, 1e-6);
SQL

sub pause_for
{
	my ($role, $seconds) = @_;
	$node->safe_psql('postgres', "DELETE FROM pause; INSERT INTO pause VALUES ('$role', $seconds)");
}

sub no_pause
{
	$node->safe_psql('postgres', 'DELETE FROM pause');
}

# The keeper is at work on a slow charge: later ones have to wait.
sub wait_until_keeper_sleeps
{
	ok(eventually(sub {
		$node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND wait_event = 'PgSleep'") eq '1';
	}), 'the keeper is busy');
}

sub start_slow_charge
{
	my (@before) = @_;
	my $run = start($node, [ @before, "SELECT test_charge('slow', 'default', 0.001)" ]);
	wait_until_keeper_sleeps();
	return $run;
}

sub waiting
{
	my ($count) = @_;
	return eventually(sub {
		$node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE query ~ 'test_charge' AND state = 'active' AND wait_event_type = 'Extension' AND backend_type = 'client backend'") >= $count;
	});
}

# A terminated keeper, while it is idle.
is_outcome($node, $charge, 't', 'a charge');
my $pid = keeper_pid($node);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 5000)");
is_outcome($node, $charge, 't', 'the next charge finds another keeper');
isnt(keeper_pid($node), $pid, 'which is another process');
is(spent('ann'), 2, 'each is charged once');

# A terminated keeper, before it commits: its charge goes to the next one.
pause_for('slow', 2);
my $slow = start_slow_charge();
my $other = start($node, $charge);
$pid = keeper_pid($node);
ok(waiting(2), 'two sessions wait');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
is(finish($slow), 't', 'a charge in hand is charged by the next keeper');
is(finish($other), 't', 'so is one that waits');
is(spent('slow'), 1, 'once');
is(spent('ann'), 3, 'both once');

# A cancelled keeper, before it commits: an error for that charge alone.
$slow = start_slow_charge();
$other = start($node, $charge);
ok(waiting(2), 'two sessions wait');
$node->safe_psql('postgres', 'SELECT pg_cancel_backend(' . keeper_pid($node) . ')');
like(finish($slow), qr/^57014: could not charge/, 'a charge in hand fails if its keeper is cancelled');
is(finish($other), 't', 'the next is charged');
is(spent('slow'), 1, 'nothing was spent by the failed one');

# A session that gives up a charge which the keeper has: the charge stands.
$slow = start_slow_charge("SET statement_timeout = '600ms'");
like(finish($slow), qr/^57014: canceling statement due to statement timeout/, 'statement_timeout ends the wait');
ok(eventually(sub { spent('slow') == 2 }), 'a charge in hand stands');
my $began = time;
$slow = start_slow_charge("SET dp_agg.charge_timeout = '600ms'");
like(finish($slow), qr/^55P03: canceling statement because its privacy budget was not charged in time/, 'so does dp_agg.charge_timeout');
cmp_ok(time - $began, '<', 10, 'in time');
like($slow->{err}, qr/may stand/, 'which says so');
ok(eventually(sub { spent('slow') == 3 }), 'a charge in hand stands');

# A session whose earlier charge is still in hand waits for it.
$slow = start_slow_charge("SET statement_timeout = '500ms'");
my $again = start($node, [ "SET statement_timeout = '300ms'", "SELECT test_charge('slow', 'default', 0.001)", 'RESET statement_timeout',
	$charge, $charge ]);
finish($again);
is($again->{out}, "t\nt\n", 'a session can charge after it gave up a charge');
finish($slow);
ok(eventually(sub { spent('slow') >= 4 }), 'the charges in hand stand');
books_balance($node, 'the books balance');

# What a long statement asks goes with its session, if that leaves before the keeper looks: nothing is charged.
# A constraint is checked as each charge is decided, an index filled in when all of a batch are.
$node->safe_psql('postgres', 'ALTER TABLE dp_agg.ledger ADD CONSTRAINT waits CHECK (pause(role) = 0) NOT VALID');
pause_for('slow', 2);
my $anns_before = spent('ann');
$slow = start_slow_charge();
my $second = start($node, "SELECT test_charge('slow', 'default', 0.001)");
ok(waiting(2), 'another waits');
my $long = "SELECT test_charge_describing('ann', 'default', 0.001, repeat('long', 100000))";
my $leaves = start($node, $long);
ok(waiting(3), 'and a third, of a long statement');
is(finish($slow), 't', 'then the two are one batch');
wait_until_keeper_sleeps();
$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = \$\$$long\$\$ AND state = 'active'");
like(finish($leaves), qr/^57P01: /, 'of which one leaves');
is(finish($second), 't', 'the other is charged');
is_outcome($node, $long, 't', 'as is the long one, when it is asked again');
is(spent('ann'), $anns_before + 1, 'once');
$node->safe_psql('postgres', 'ALTER TABLE dp_agg.ledger DROP CONSTRAINT waits');
books_balance($node, 'the books balance');

# A session that gives up before the keeper has its charge: nothing is charged.
my $anns = spent('ann');
pause_for('slow', 5);
$slow = start_slow_charge();
is(finish(start($node, [ "SET statement_timeout = '200ms'", $charge ])), '57014: canceling statement due to statement timeout', 'a session gives up waiting');
my $late = start($node, [ "SET dp_agg.charge_timeout = '200ms'", $charge ]);
like(finish($late), qr/^55P03: canceling statement because its privacy budget/, 'another does');
like($late->{err}, qr/Nothing was charged/, 'which says so');
$late = start($node, $charge);
ok(waiting(2), 'another waits');
$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = \$\$$charge\$\$ AND state = 'active'");
like(finish($late), qr/^57P01: /, 'and is terminated');
is(finish($slow), 't', 'the keeper goes on');
is_outcome($node, $bobs, 't', 'and on');
is(spent('ann'), $anns, 'nothing was charged for those who gave up');

# One batch: a locked budget and a charge that fails harm nobody else in it.
$node->safe_psql('postgres', q{ALTER TABLE dp_agg.ledger ADD CONSTRAINT sense CHECK (statement <> 'nonsense')});
my $holder = $node->background_psql('postgres');
$holder->query_safe("BEGIN; SELECT FROM dp_agg.budget WHERE role = 'ann'::regrole FOR UPDATE");
my $bob_before = spent('bob');
pause_for('slow', 4);
$slow = start_slow_charge();
my @locked = map { start($node, $charge) } 1 .. 2;
my @fine = map { start($node, $bobs) } 1 .. 3;
my $failing = start($node, "SELECT test_charge_describing('bob', 'default', 0.001, 'nonsense')");
push @fine, map { start($node, $bobs) } 1 .. 2;
ok(waiting(9), 'nine sessions wait');
is(finish($slow), 't', 'then they are one batch');
is(finish($_), 't', 'a charge beside a locked budget') for @fine;
like(finish($failing), qr/^23514: could not charge the budget of role "bob"/, 'a failing charge fails');
like(finish($_), qr/^55P03: budget of role "ann" on data set "default" is locked by another transaction/, 'a charge to a locked budget fails') for @locked;
is(spent('bob'), $bob_before + 5, 'all good ones are charged');
is(spent('ann'), $anns, 'no others are');

# A lock that goes away is waited for.
$late = start($node, $charge);
sleep 0.3;
$holder->query_safe('ROLLBACK');
is(finish($late), 't', 'a lock that goes away is waited for');
is(spent('ann'), $anns + 1, 'and the charge made once');

# Locks the session itself holds.
is_outcome($node, [ 'BEGIN', "SELECT FROM dp_agg.budget WHERE role = 'ann'::regrole FOR UPDATE", $charge ], '55P03: ', 'its own row lock ends a charge');
is_outcome($node, [ 'BEGIN', 'LOCK TABLE dp_agg.budget', $charge ], '55P03: ', 'so does its own lock on the budget table');
is_outcome($node, [ 'BEGIN', 'LOCK TABLE dp_agg.ledger IN SHARE MODE', $charge ], '55P03: ', 'or on the ledger');
is_outcome($node, [ 'BEGIN', "SELECT dp_agg.set_budget('ann', 1000, 1e-6)", $charge ], '55P03: ', 'or a limit it is changing');
is_outcome($node, [ 'SET dp_agg.charge_timeout = 0', 'BEGIN', 'LOCK TABLE dp_agg.budget', $charge ], '55P03: ', 'even without a charge timeout');
is_outcome($node, $charge, 't', 'then charges work again');

# All that time the keeper never waited for a lock, but came back for it.
my $waited = qr/process ${\keeper_pid($node)} still waiting for/;
ok(!$node->log_contains($waited), 'the keeper waited for none of them');

# A lock met elsewhere, by an index expression: bounded all the same.
$holder->query_safe('BEGIN; LOCK TABLE obstacle');
pause_for('slow', -1);
$slow = start($node, "SELECT test_charge('slow', 'default', 0.001)");
ok(eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND wait_event_type = 'Lock'") eq '1' }), 'the keeper waits for a lock');
is_outcome($node, $bobs, 't', 'not without limit');
like(finish($slow), qr/^55P03: /, 'the charge that needs it fails');
ok($node->log_contains($waited), 'the server log says that the keeper waited');
$holder->query_safe('ROLLBACK');
no_pause();
$holder->quit;
books_balance($node, 'the books balance');

# Keepers terminated and cancelled over and over, under load.
for my $signal ('terminate', 'cancel')
{
	my $crowd = start_crowd($node, clients => 16, label => $signal);
	my $killer = start($node, [ ("SELECT count(pg_${signal}_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'", 'DO $$ BEGIN PERFORM pg_sleep(0.05); END $$') x 60 ]);
	finish($killer);
	stop_crowd($crowd);
	my $killed = () = $killer->{out} =~ /^1$/mg;
	ok(crowd_done($crowd), "$signal: no client hangs");
	cmp_ok($killed, '>=', 20, "$signal: many keepers were met");
	receipts_are_in_the_books($node, $crowd, "$signal: what clients were told is in the ledger");
	books_balance($node, "$signal: the books balance");
	my $errors = KeeperTest::errors($crowd);
	my $count = 0;
	$count += $_ for values %$errors;
	is(join(' ', grep { !/^(08007|58000|57014)$/ } keys %$errors), '', "$signal: errors are of the expected kinds");
	is(KeeperTest::receipts($crowd, 't') + $count, KeeperTest::asked($crowd), "$signal: every charge got an answer");
	note explain $errors;
	is_outcome($node, $charge, 't', "$signal: charges work");
}

# Sessions cancelled over and over, under load.
my $crowd = start_crowd($node, clients => 16, label => 'victim');
my $killer = start($node, [ ("SELECT count(pg_cancel_backend(pid)) FROM (SELECT pid FROM pg_stat_activity WHERE query ~ 'test_charge' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 4) s", 'DO $$ BEGIN PERFORM pg_sleep(0.02); END $$') x 100 ]);
finish($killer);
stop_crowd($crowd);
ok(crowd_done($crowd), 'cancelled sessions: no client hangs');
receipts_are_in_the_books($node, $crowd, 'cancelled sessions: what clients were told is in the ledger');
books_balance($node, 'cancelled sessions: the books balance');
cmp_ok(KeeperTest::errors($crowd)->{57014} // 0, '>', 10, 'cancelled sessions: many were');

is_outcome($node, $charge, 't', 'charges work');

$node->stop;
done_testing();
