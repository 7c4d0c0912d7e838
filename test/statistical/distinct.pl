# How many distinct values are counted where units cover some of theirs only: as many as if
# pairs of a unit and a value came in random order.
#
# Values of 1,500 units are shared more or less: rank r of 1,500 is had with a probability that
# falls as 1/r, so that a few values are nearly everybody's; or each alike; or each is one unit's.
# That is played through here, in an order that Perl draws, and asked of the server at a loss so
# large that noise vanishes, as a count and as the sum of distinct values with both bounds 1.  Beside it is shown
# what would be counted if units chose by themselves which of their values to cover.
#
# The answer is a function of the places of at most 15,000 pairs in the order, each of which
# moves it by one at most: McDiarmid's inequality bounds the mean of 60 answers, and of 60 played.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(shuffle sum0);
use Test::More;

use DpServer;

use constant { UNITS => 1500, VALUES => 1500, EACH => 10, RUNS => 60, ALPHA => 1e-11 };

my $server = DpServer->new('distinct');
srand(20231);

# The pairs of each shape, none twice.
my @sums = (0);
push @sums, $sums[-1] + 1 / $_ for 1 .. VALUES;

sub ranked
{
	my $x = rand $sums[-1];
	my ($low, $high) = (0, VALUES);
	while ($high - $low > 1)
	{
		my $middle = int(($low + $high) / 2);
		if ($sums[$middle] <= $x) { $low = $middle }
		else { $high = $middle }
	}
	return $low;
}

my %value = (
	ranked => sub { ranked() },
	alike => sub { int rand VALUES },
	own => sub { my ($unit, $i) = @_; $unit % 3 ? $i : 100 + $unit * EACH + $i });
my %pairs;
for my $shape (sort keys %value)
{
	for my $unit (1 .. UNITS)
	{
		my %own = map { $value{$shape}->($unit, $_) => 1 } 1 .. EACH;
		push @{ $pairs{$shape} }, map { [ $unit, $_ ] } keys %own;
	}
	my $rows = join ', ', map { "($_->[0], $_->[1])" } @{ $pairs{$shape} };
	$server->admin("CREATE TABLE $shape (who int, value int); INSERT INTO $shape VALUES $rows");
	$server->admin("SELECT dp_agg.protect('$shape', 'who', max_rows => @{[ EACH ]})");
}

# How many values are covered in one order, where units cover so many; `$alone`: whoever else covers them.
sub play
{
	my ($shape, $most, $alone) = @_;
	my (%used, %covered);
	for my $pair (shuffle @{ $pairs{$shape} })
	{
		my ($unit, $value) = @$pair;
		next if ($used{$unit} // 0) >= $most || ($covered{$value} && !$alone);
		$used{$unit}++;
		$covered{$value} = 1;
	}
	return scalar keys %covered;
}

my $reach = 2 * sqrt(UNITS * EACH * log(2 / ALPHA) / (2 * RUNS));
note(sprintf '%-7s %4s %7s %9s %7s', qw(values most all counted alone));
for my $shape (sort keys %pairs)
{
	my %all = map { $_->[1] => 1 } @{ $pairs{$shape} };
	for my $most (1, 2, 5, EACH)
	{
		my @played = map { my $alone = $_; sum0(map { play($shape, $most, $alone) } 1 .. RUNS) / RUNS } 0, 1;
		my @asked;
		for my $query ('dp_count(DISTINCT value)', 'dp_sum(DISTINCT value, 1, 1)')
		{
			my $arms = join ' UNION ALL ', ("SELECT $query FROM $shape") x 15;
			my @rows = map { $server->ask("SET dp_agg.epsilon = 1048576; SET dp_agg.max_values = $most; $arms") } 1 .. RUNS / 15;
			push @asked, sum0(map { $_->[0] } @rows) / @rows;
		}
		ok(abs($asked[0] - $played[0]) < $reach, "$shape, $most: $asked[0] are counted, $played[0] played");
		ok(abs($asked[1] - $played[0]) < $reach, "$shape, $most: $asked[1] are added up");
		cmp_ok($asked[0], '==', scalar keys %all, "$shape: all of it where units cover all they have") if $most == EACH;
		note(sprintf '%-7s %4d %7d %9.1f %7.1f', $shape, $most, scalar keys %all, $asked[0], $played[1]);
	}
}
done_testing();
