# A request that a keeper has answered is no more its own: its place may hold another session's by then,
# taken by the keeper of another database.  The first keeper, ended, gives that back to nobody.
#
# On PostgreSQL 15 the session that is next has the place of the one that left last; from 16 on it may have another.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

has_points() or plan(skip_all => 'needs a build with -DDP_INJECTION');

my $node = new_server('taken_over', conf => "dp_agg.charge_timeout = '60s'");
$node->safe_psql('postgres', 'CREATE DATABASE other');
prepare_database($node, 'other');
mkdir $node->data_dir . '/injection' or die "could not make a directory for points: $!";
my $charge = "SELECT test_charge('ann', 'default', 0.001)";

# Let who is stopped go on, up to the next who comes there.
sub step
{
	my ($point, $pid) = @_;
	unlink $node->data_dir . "/injection/$point.$pid" or die "nobody is stopped at $point";
	return;
}

# Wait until so many sessions wait for their charges.
sub waiting
{
	my ($count) = @_;
	return $node->poll_query_until('postgres', "SELECT count(*) = $count FROM pg_stat_activity WHERE query LIKE 'SELECT test\\_charge%' AND wait_event = 'Extension'");
}

# A keeper stopped with one charge in hand; two more wait, which it takes together next.
stop_at($node, 'taken');
my $alone = start($node, $charge);
my $keeper = reached($node, 'taken');
my @two = map { start($node, $charge) } 1 .. 2;
ok(waiting(3), 'two wait while a keeper has one in hand');

# Each transaction fails: what it has taken together is tried one by one.
fail_at($node, 'decided');
step('taken', $keeper);
like(finish($alone), qr/^5/, 'a charge fails');
is(reached($node, 'taken'), $keeper, 'the two are taken');
step('taken', $keeper);
is(reached($node, 'taken'), $keeper, 'then one of them');
step('taken', $keeper);
is(reached($node, 'taken'), $keeper, 'and the other');
my ($first, $second);
ok(eventually(sub { $_->{handle}->pump_nb for @two; ($first) = grep { $_->{err} =~ /ERROR/ } @two; defined $first }), 'the one is answered');
($second) = grep { $_ != $first } @two;
like(finish($first), qr/^5/, 'it has failed, too');

# The next session has its place, and another database's keeper takes what it asks for.
let_go($node, 'decided');
my $elsewhere = start($node, $charge, 'other');
my $other;
ok(eventually(sub { ($other) = grep { $_ != $keeper } map { /\.(\d+)$/ } glob($node->data_dir . '/injection/taken.*'); defined $other }), 'another keeper takes what the next session asks for');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($keeper, 60000)");
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $keeper"), 'the first is ended');
let_all_go($node);
is(finish($elsewhere), 't', 'the session in the other database has its answer');
is(finish($second), 't', 'and so has the one that the first keeper had in hand');

# Each is charged once, where it was asked.
for my $database (qw(postgres other))
{
	is($node->safe_psql($database, "SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge'"), '1', "one charge in $database");
	is($node->safe_psql($database, 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
	is(outcome($node, $charge, $database), 't', 'and the next charge is made') for 1 .. 3;
}
$node->stop;
done_testing();
