# Immediate stops and starts under the load of sixteen clients, over and over.
# DP_ROUNDS says how often: a few in the suite, twenty in `make test-faults`.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{DP_ROUNDS} || 4;
my $node = new_faulty('stops');
my ($answers, $charges) = (0, 0);
my @all;

for my $round (1 .. $rounds)
{
	my $before = charged($node);
	my $clients = start_clients($node, clients => 16, queries => 2000, first => $round * 100_000_000, epsilon => 0.001);
	push @all, @$clients;
	eventually(sub { charged($node) > $before + 100 * (1 + $round % 4) }) or die 'the clients do not move';
	$node->stop('immediate');
	ok(crowd_done($clients), "round $round: no client hangs");
	$node->start;
	my $answered = FaultTest::answers_of(@$clients);
	cmp_ok($answered, '<', 16 * 2000, "round $round: the load was cut off");
	$answers += $answered;
	# Each client may have been charged for one answer it did not get.
	my $charged = charged($node) - $before;
	$charges += $charged;
	cmp_ok($charged, '>=', $answered, "round $round: no answer is unpaid");
	cmp_ok($charged, '<=', $answered + 16, "round $round: nothing is charged that was not asked");
	invariants($node, \@all, "round $round");
}
diag("figures: rounds survived $rounds, charges under load $charges, answers received $answers");

$node->stop;
done_testing();
