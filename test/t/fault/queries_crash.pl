# Backends, keepers and servers killed under a load of real queries: each answer
# a client got is in the ledger, the books balance, and the next query works.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

# Only a commit writes WAL: what was not waited for is lost in a crash.
my $node = new_gate('gate_crash', conf => <<'CONF');
restart_after_crash = on
wal_writer_delay = 10s
synchronous_commit = off
CONF
my $first = 1;

sub admitted_or_zero
{
	my $answer = eval { admitted($node) };
	return $answer || 0;
}

# Let clients loose, break something while they are busy, and look.
sub crash
{
	my ($name, $break) = @_;
	my $before = admitted($node);
	my $clients = start_clients($node, clients => 8, queries => 1000, first => $first, epsilon => 0.001);
	$first += 100_000_000;
	eventually(sub { admitted_or_zero() > $before + 200 }) or die "$name: the clients do not move";
	$break->();
	ok(crowd_done($clients), "$name: no client hangs");
	ok(is_back($node), "$name: the server is back");
	my $answers = answers_are_in_the_books($node, $clients, "$name: each answer is in the ledger");
	cmp_ok($answers, '>', 100, "$name: there were many");
	cmp_ok(admitted($node) - $before, '>=', $answers, "$name: no more than were admitted");
	books_balance($node, "$name: the books balance");
	like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, "$name: the next query works");
	return $answers;
}

my $all = 8 * 1000;
is(crash('nothing', sub { }), $all, 'left alone, all are answered');
cmp_ok(crash('backend killed', sub {
	kill 'KILL', $node->safe_psql('postgres',
		"SELECT pid FROM pg_stat_activity WHERE usename = 'ann' AND backend_type = 'client backend' LIMIT 1");
}), '<', $all, 'a killed backend takes the others with it');
cmp_ok(crash('keeper killed', sub { kill 'KILL', keeper_pid($node) }), '<', $all, 'and so does a killed keeper');
cmp_ok(crash('keeper terminated', sub {
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(" . keeper_pid($node) . ")");
}), '>', $all - 100, 'a terminated one costs its own charges at most');
cmp_ok(crash('server stopped', sub { $node->stop('immediate'); $node->start }), '<', $all, 'nor does a stopped server answer');
cmp_ok(crash('server restarted', sub { $node->restart }), '<', $all, 'nor one shut down in order');

$node->stop;
done_testing();
