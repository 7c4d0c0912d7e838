# Two standbys and their primary charge the same budget at once: none is lost, none is made twice, and the limit holds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReplicaTest;
use Test::More;

plan skip_all => 'built without the headers of libpq' if !has_link();

my $each = $ENV{DP_CHARGES} // 100;
my $primary = new_primary('primary');
my @servers = ($primary, map { new_standby($primary, $_) } qw(one two));
my $place = 0;

# All at once, below the limit.
sub charge_all
{
	my ($queries, $epsilon) = @_;
	my @clients = map { start_clients($_, clients => 4, queries => $queries, epsilon => $epsilon, first => 10_000_000 * ++$place) } @servers;
	ok(crowd_done($_), 'clients are done') for @clients;
	return @clients;
}
my $before = admitted($primary);
my @clients = charge_all($each, 0.01);
my $answers = 0;
$answers += answers_are_in_the_books($primary, $_, 'each answer is in the ledger, once') for @clients;
is($answers, 12 * $each, 'all are answered');
is(admitted($primary), $before + 12 * $each, 'as many are charged');
is($primary->safe_psql('postgres', "SELECT releases -> 0 ->> 'read_on', count(*) FROM dp_agg.ledger WHERE event = 'charge' AND releases -> 0 ? 'read_on' GROUP BY 1 ORDER BY 1"), 'one|' . 4 * $each . "\ntwo|" . 4 * $each, 'for each standby its own');
books_balance($primary, 'the budget is what its ledger adds up to');

# Up to the limit: so many fit, not one more.
my $fit = int(12 * $each / 2);
$primary->safe_psql('postgres', "SELECT dp_agg.drop_budget('ann'); SELECT dp_agg.set_budget('ann', $fit * 0.0625, 0)");
caught_up($primary, @servers[1, 2]);
@clients = charge_all($each, 0.0625);
$answers = 0;
$answers += answers_are_in_the_books($primary, $_, 'each answer is in the ledger, once') for @clients;
is($answers, admitted($primary), 'what is answered is what is charged');
is(admitted($primary), $fit, 'as many as fit');
is(refusals($primary), 12 * $each - $fit, 'the others are refused');
is(count_lines($_, 'ERROR:  53400: privacy budget exhausted') > 0 ? 'some' : 'none', 'some', 'everywhere') for @clients;
books_balance($primary, 'the budget is what its ledger adds up to');
invariants($primary, [], 'at the end', role => 'bob', twice => 1);

done_testing();
