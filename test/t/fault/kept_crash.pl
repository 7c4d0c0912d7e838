# The postmaster and the keeper killed, and a standby promoted, between the charge of an answer
# and its storing, and after it: then the answer is the same or was drawn and charged anew.
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

plan skip_all => 'needs a build with -DDP_INJECTION' unless has_points();

# Two draws of one question are equal with a probability below 1e-11.
my $node = new_faulty('kept_crash', conf => <<'CONF');
dp_agg.kept_max_age = '1 day'
dp_agg.epsilon = 0.001
wal_level = replica
max_wal_senders = 5
CONF
my $bound = 1_000_000_000;

# A question that nobody asked before, which the ledger knows by its number.
sub next_question
{
	$bound++;
	return "SELECT $bound, dp_sum(age, 0, $bound) FROM people";
}

# How often a question was charged.
sub charges_of
{
	my ($on, $question) = @_;
	my ($number) = $question =~ /(\d+)/;
	return $on->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE admitted AND releases::text LIKE '%(age, 0, $number)%'");
}

# Check that a question is answered again, and that both answers were paid for: one charge if
# they are the same, two if not.  Returns whether the first was kept.
sub is_paid_again
{
	my ($on, $question, $answer, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $again = asked($on, $question);
	like($again, qr/^\d+\|-?\d+$/, "$name: answered");
	is(charges_of($on, $question), $again eq $answer ? 1 : 2, "$name: " . ($again eq $answer ? 'the same' : 'another') . ', and paid for');
	is(asked($on, $question), $again, "$name: and so it stays");
	is(charges_of($on, $question), $again eq $answer ? 1 : 2, "$name: at no cost");
	return $again eq $answer;
}

# Kill the postmaster, and wait until all are gone.
sub kill_server
{
	kill 'KILL', (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
	let_all_go($node);
	eventually(sub { !grep { (readlink("$_/cwd") // '') eq $node->data_dir } glob('/proc/[0-9]*') }) or die 'processes stay';
	$node->{_pid} = undef;
	unlink $node->data_dir . '/postmaster.pid', glob($node->host . '/.s.PGSQL.*.lock');
	return;
}

# Kill it and start another.
sub kill_postmaster
{
	kill_server();
	$node->start;
	return;
}

# Charged, not stored: the client, which may be shown an answer by a process that is left, pays again.
for my $point ('charged', 'exact', 'noise')
{
	my $question = next_question();
	stop_at($node, $point);
	my $run = start_as($node, $question);
	reached($node, $point);
	kill_postmaster();
	my $outcome = finish($run);
	is(charges_of($node, $question), 1, "killed at $point: charged");
	ok(!is_paid_again($node, $question, $outcome, "killed at $point"), "killed at $point: drawn anew");
}

# Shown, not stored: by the postmaster's end, and by the keeper's, which the others share.
my $question = next_question();
stop_at($node, 'keeping');
my $answer = asked($node, $question);
reached($node, 'keeping');
kill_postmaster();
ok(!is_paid_again($node, $question, $answer, 'killed before it was stored'), 'killed before it was stored: drawn anew');
$question = next_question();
stop_at($node, 'keeping');
$answer = asked($node, $question);
kill 'KILL', reached($node, 'keeping');
sleep 1;
let_all_go($node);
ok(is_back($node), 'keeper killed: the server is back');
ok(!is_paid_again($node, $question, $answer, 'keeper killed before it was stored'), 'keeper killed before it was stored: drawn anew');

# Stored, and not on the disk, or on it.
$question = next_question();
$answer = asked($node, $question);
is(asked($node, $question), $answer, 'stored, and shown again');
kill_postmaster();
is_paid_again($node, $question, $answer, 'killed after it was stored');
$question = next_question();
$answer = asked($node, $question);
is(asked($node, $question), $answer, 'stored, and shown again');
$node->safe_psql('postgres', 'CHECKPOINT');
kill_postmaster();
ok(is_paid_again($node, $question, $answer, 'killed after a checkpoint'), 'killed after a checkpoint: kept');

# Crash upon crash while clients ask the same few questions: whatever they are shown was paid for.
my @few = map { next_question() } 1 .. 5;
my %seen;
for my $round (1 .. 4)
{
	my @runs = map { start_as($node, [ (@few) x 40 ]) } 1 .. 4;
	select undef, undef, undef, 0.3 * $round;
	$node->stop('immediate');
	finish($_) for @runs;
	for my $run (@runs)
	{
		$seen{$1}{$2} = 1 while $run->{out} =~ /^(\d+)\|(-?\d+)$/mg;
	}
	$node->start;
}
my @unpaid = grep { keys %{ $seen{ (/(\d+)/)[0] } // {} } > charges_of($node, $_) } @few;
is("@unpaid", '', 'crashes under load: no answer that was not paid for');
cmp_ok(scalar(map { keys %$_ } values %seen), '>', 4, 'there were answers');

# On a standby what is kept is shown, and nothing else is answered.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('kept_standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$question = next_question();
$answer = asked($node, $question);
is(asked($node, $question), $answer, 'kept on the primary');
$node->wait_for_catchup($standby);
ok(eventually(sub { $standby->safe_psql('postgres', "SELECT count(*) FROM dp_agg.kept WHERE asked_at = (SELECT max(at) FROM dp_agg.ledger)") eq '1' }), 'a standby has answers');
is(asked($standby, $question), $answer, 'and shows them');
is(asked($standby, "SELECT string_agg(kept, ';') ~ '^kept since .*, no charge\$' FROM dp_agg.price('$question')"), 't', 'and says so');
my $new = next_question();
is(asked($standby, $new), '25006: cannot charge a privacy budget during recovery', 'a new question is refused');
is(asked($standby, "($question) UNION ALL ($new)"), '25006: cannot charge a privacy budget during recovery', 'so is one beside a kept answer');
is(asked($standby, [ 'SET dp_agg.kept_max_age = 0', $question ]), '25006: cannot charge a privacy budget during recovery', 'so is a kept one that is not to be shown');
is(asked($standby, [ 'SELECT dp_agg.forget_kept()' ], $ENV{PGUSER} // getpwuid($>)), '25006: cannot execute dp_agg.forget_kept() during recovery', 'nothing can be forgotten');
my $late = next_question();
stop_at($node, 'keeping');
my $unstored = asked($node, $late);
reached($node, 'keeping');
kill_server();
$standby->promote;
is(asked($standby, $question), $answer, 'promoted: it shows the same');
is(charges_of($standby, $question), 1, 'promoted: at no cost');
$standby->safe_psql('postgres', 'SELECT dp_agg.acknowledge_copy()');
like(asked($standby, $new), qr/^\d+\|-?\d+$/, 'promoted: once acknowledged, it answers a new question');
is_paid_again($standby, $late, $unstored, 'promoted before it was stored');
cmp_ok($standby->safe_psql('postgres', "SELECT replays FROM dp_agg.budgets WHERE role = 'ann'::regrole"), '>', 0, 'replays are counted');
invariants($standby, [], 'promoted', twice => 1);

$standby->stop;
done_testing();
