# Sixteen clients race for a budget that admits 500 of their 1000 charges.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('race');

# One round of the race: half of the clients make 63 charges, half 62.
sub race
{
	my ($name, %options) = @_;
	my $admits = $options{admits} // 500;
	my ($first) = split /\|/, $node->safe_psql('postgres', 'SELECT coalesce(max(id), 0) FROM dp_agg.ledger');
	my @crowds = (
		start_crowd($node, clients => 8, charges => 63, label => "$name-a", cost => $options{cost}),
		start_crowd($node, clients => 8, charges => 62, label => "$name-b", cost => $options{cost}));
	ok((crowd_done($crowds[0]) and crowd_done($crowds[1])), "$name: no client hangs");
	my $crowd = [ map { @$_ } @crowds ];

	is(scalar(my @t = KeeperTest::receipts($crowd, 't')), $admits, "$name: exactly $admits are told they were admitted");
	is(scalar(my @f = KeeperTest::receipts($crowd, 'f')), 1000 - $admits, "$name: all others that they were refused");
	receipts_are_in_the_books($node, $crowd, "$name: the ledger says the same");
	is($node->safe_psql('postgres', "SELECT statements, refusals FROM dp_agg.budget WHERE role = 'ann'::regrole"),
		"$admits|" . (1000 - $admits), "$name: so do the counts");
	is($node->safe_psql('postgres', "SELECT bool_and(admitted = (n <= $admits)) FROM (SELECT admitted, row_number() OVER (ORDER BY id) n FROM dp_agg.ledger WHERE id > $first) l"),
		't', "$name: the first $admits of the ledger were admitted");
	books_balance($node, "$name: the books balance") unless $first;
	return;
}

# Pure differential privacy: costs add up.
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('ann', 500.5 / 1024, 0)");
race('pure', cost => '1.0 / 1024');

# By the Renyi filter, which admits more: as many as one client alone is admitted.
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('ann', 1, 1e-6), dp_agg.set_budget('bob', 1, 1e-6), dp_agg.reset_budget('ann')");
my $alone = $node->safe_psql('postgres', "SELECT count(*) FROM generate_series(1, 1000) WHERE test_charge('bob', 'default', 0.01)");
cmp_ok($alone, '>', 100, 'one client alone is admitted more often than its pure costs are');
cmp_ok($alone, '<', 1000, 'but not always');
race('renyi', cost => '0.01', admits => $alone);

$node->stop;
done_testing();
