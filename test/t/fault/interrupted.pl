# Sessions and keepers cancelled, timed out, terminated, disconnected or out of
# memory at each step of a statement.  What was not taken yet is withdrawn, what
# was taken is charged once, and nobody waits for ever.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs a build with -DDP_INJECTION' unless has_points();
my $node = new_faulty('interrupted', conf => "wal_level = replica\nmax_wal_senders = 4");
my @clients;

# Where the keeper has the statement, and where the session has it.
my @keepers = qw(queued taken decided committing committed);
my @sessions = qw(answered charged exact noise);

sub signal_one
{
	my ($function, $pid) = @_;
	return $node->safe_psql('postgres', "SELECT $function($pid)");
}

# Stop a query at a point, break it, let it go on, and look.
sub at
{
	my ($point, $name, $charges, $expected, $break, @before) = @_;
	my $count = charged($node);

	$name = "$name at $point";
	stop_at($node, $point);
	my $run = ask($node, @before);
	push @clients, $run;
	my $pid = reached($node, $point);
	my $answer = $break->($run, $pid);
	let_go($node, $point);
	$answer //= finish($run);
	like($answer, $expected, "$name: what the client is told");
	ok(eventually(sub { charged($node) >= $count + $charges }), "$name: charged if it must be");
	is(charged($node), $count + $charges, "$name: charged " . ($charges ? 'once' : 'nothing'));
	# The next query is charged too, and shows that nobody was left behind.
	invariants($node, \@clients, $name);
	return;
}

# The session gives up: at once, though the keeper is still at work.
for my $point (@keepers, @sessions)
{
	my $charges = $point eq 'queued' ? 0 : 1;
	at($point, 'cancelled', $charges, qr/^57014: canceling statement due to user request/,
		sub { signal_one('pg_cancel_backend', pid_of($node, 'client')); finish($_[0]) });
	at($point, 'terminated', $charges, qr/^57P01: /,
		sub { signal_one('pg_terminate_backend', pid_of($node, 'client')); finish($_[0]) });
	at($point, 'timed out', $charges, qr/^57014: canceling statement due to statement timeout/,
		sub { finish($_[0]) }, "SET statement_timeout = '1500ms'");
}
for my $point (@keepers)
{
	at($point, 'charge timed out', $point eq 'queued' ? 0 : 1, qr/^55P03: canceling statement because its privacy budget was not charged in time/,
		sub { finish($_[0]) }, "SET dp_agg.charge_timeout = '1500ms'");
}

# A client that is gone without a word is noticed when there is something to say.
for my $point (qw(queued committing exact))
{
	my $count = charged($node);
	stop_at($node, $point);
	my $run = ask($node);
	reached($node, $point);
	$run->{handle}->signal('KILL');
	finish($run);
	let_go($node, $point);
	ok(eventually(sub { charged($node) == $count + 1 && pid_of($node, 'client') eq '' }), "disconnected at $point: charged once");
	invariants($node, \@clients, "disconnected at $point");
}

# The keeper goes: before the commit another does its work; once it commits,
# nobody is told what became of it.
for my $point (@keepers)
{
	my $late = $point =~ /^commit/;
	at($point, 'keeper terminated', 1, $late ? qr/^08007: outcome of charging .* is unknown/ : qr/^\d+\|-?\d+$/,
		sub { signal_one('pg_terminate_backend', $_[1]); return });
	at($point, 'keeper cancelled', $point =~ /^(taken|decided)/ ? 0 : 1,
		$point =~ /^(taken|decided)/ ? qr/^57014: could not charge the budget/ : qr/^\d+\|-?\d+$/,
		sub { signal_one('pg_cancel_backend', $_[1]); return });
}

# Out of memory: in the keeper nothing is charged, in the session it is, and
# what the release had in hand is not told.
sub out_of_memory
{
	my ($point, $charges, $expected) = @_;
	my $count = charged($node);
	fail_at($node, $point);
	my $run = ask($node, 'SET client_min_messages = debug5');
	push @clients, $run;
	like(finish($run), $expected, "out of memory at $point: what the client is told");
	let_go($node, $point);
	unlike($run->{err}, qr/DETAIL:  Failed on request|TopMemoryContext/, "out of memory at $point: and no more") if $point =~ /exact|noise/;
	is(charged($node), $count + $charges, "out of memory at $point: charged " . ($charges ? 'once' : 'nothing'));
	invariants($node, \@clients, "out of memory at $point");
	return;
}
out_of_memory($_, 0, qr/^53200: could not charge the budget of role "ann" on data set "default": out of memory/) for qw(taken decided committing);
out_of_memory($_, 1, qr/^53200: out of memory/) for qw(answered charged);
out_of_memory($_, 1, qr/^53000: not enough resources for the differentially private release/) for qw(exact noise);

# A commit that failed is over: a keeper that goes later gives back what it has taken.
fail_at($node, 'committing');
like(finish(ask($node)), qr/^53200: could not charge the budget/, 'a commit fails');
let_go($node, 'committing');
at('decided', 'keeper terminated after a failed commit', 1, qr/^\d+\|-?\d+$/,
	sub { signal_one('pg_terminate_backend', $_[1]); return });

# A cancel that comes just before the commit does not end its wait for standbys.
$node->append_conf('postgresql.conf', "synchronous_standby_names = 'nobody'");
$node->reload;
ok($node->poll_query_until('postgres', 'SHOW synchronous_standby_names', 'nobody'), 'standbys are synchronous');
my $told = charged($node);
cancel_at($node, 'decided');
my $early = ask($node, "SET dp_agg.charge_timeout = '3s'");
push @clients, $early;
like(finish($early), qr/^55P03: canceling statement because its privacy budget was not charged in time/, 'cancelled as it was decided: no answer without the standby');
let_go($node, 'decided');
$node->append_conf('postgresql.conf', "synchronous_standby_names = ''");
$node->reload;
ok(eventually(sub { charged($node) == $told + 1 }), 'cancelled as it was decided: charged once');
invariants($node, \@clients, 'cancelled as it was decided');

# A keeper that goes in the middle of a batch that failed leaves those it has answered alone.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE closed (role text);
INSERT INTO closed VALUES ('bob');
CREATE FUNCTION is_open(text) RETURNS bool LANGUAGE sql AS 'SELECT NOT EXISTS (SELECT FROM public.closed WHERE role = $1)';
ALTER TABLE dp_agg.ledger ADD CONSTRAINT open CHECK (event <> 'charge' OR public.is_open(role)) NOT VALID;
SQL
stop_at($node, 'committing');
my $first = ask($node);
reached($node, 'committing');
my $closed = start_as($node, FaultTest::query(), 'bob');
ok(eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE usename = 'bob' AND wait_event = 'Extension'") eq '1' }), 'one who is refused waits');
my $next = ask($node);
ok(eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE query = '$next->{query}' AND wait_event = 'Extension'") eq '1' }), 'and another behind');
stop_at($node, 'decided');
let_go($node, 'committing');
my $leaving = reached($node, 'decided');
like(finish($closed), qr/^23514: could not charge the budget of role "bob"/, 'the first of them is told');
$node->safe_psql('postgres', 'DELETE FROM closed');
signal_one('pg_terminate_backend', $leaving);
let_go($node, 'decided');
like(finish($_), qr/^\d+\|-?\d+$/, 'the others are answered') for $first, $next;
is($node->safe_psql('postgres', "SELECT statements FROM dp_agg.budget WHERE role = 'bob'::regrole"), '0', 'and nobody is charged who was told that he is not');
$node->safe_psql('postgres', 'ALTER TABLE dp_agg.ledger DROP CONSTRAINT open');
push @clients, $first, $next;
invariants($node, \@clients, 'a keeper goes in the middle');

# A session whose charge the keeper still has asks again: after the first.
stop_at($node, 'committing');
my $again = ask($node, "SET statement_timeout = '1500ms'", FaultTest::query(), "SET statement_timeout = 0");
push @clients, $again;
reached($node, 'committing');
ok(eventually(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE query = '$again->{query}'") eq '1' }), 'the second query follows the first');
let_go($node, 'committing');
finish($again);
is(scalar(answers_of($again)), 1, 'a session that gave up a charge is answered the next time');
invariants($node, \@clients, 'a session asks again');

# Sessions answered together wake each other.  Those that are stopped, or terminated
# when they are, keep nobody waiting.
sub session_of { return $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE query = '$_[0]{query}' AND wait_event = 'Extension'") }
my $before = charged($node);
stop_at($node, 'committing');
my $ahead = ask($node);
reached($node, 'committing');
my @together;
my @pids;
for (1 .. 12)
{
	push @together, ask($node);
	eventually(sub { ($pids[$#together] = session_of($together[-1])) ne '' }) or die 'no charge waits';
}
kill 'STOP', @pids[0 .. 3];
kill 'TERM', @pids[1, 3];
let_go($node, 'committing');
like(finish($_), qr/^\d+\|-?\d+$/, 'answered though those ahead are stopped') for $ahead, @together[4 .. 11];
is(charged($node), $before + 13, 'who was stopped is charged with the others');
kill 'CONT', @pids[0 .. 3];
like(finish($together[$_]), qr/^\d+\|-?\d+$/, 'answered after all') for 0, 2;
like(finish($together[$_]), qr/^57P01: /, 'terminated with the answer at hand') for 1, 3;
is(charged($node), $before + 13, 'and all are charged once');
invariants($node, [ @clients, $ahead, @together ], 'stopped sessions');

# An administrator's transaction holds the budget's row, at each step of another
# administrator's charge: refused, or charged, never stuck.
my $holder = $node->background_psql('postgres');
$holder->query_safe("BEGIN; SELECT FROM dp_agg.budget WHERE role = 'ann'::regrole FOR UPDATE");
my $count = charged($node);
my @locked = map { ask($node) } 1 .. 4;
like(finish($_), qr/^55P03: budget of role "ann" on data set "default" is locked by another transaction/, 'a held budget is an error') for @locked;
is(charged($node), $count, 'and not charged');
my $patient = ask($node);
$holder->query_safe('COMMIT');
like(finish($patient), qr/^\d+\|-?\d+$/, 'a budget that is let go is charged');
$holder->quit;
invariants($node, [ @clients, @locked, $patient ], 'a held budget');

$node->stop;
done_testing();
