# Three quartiles drawn one inside the other: do they follow the law that is claimed, is the loss
# what the price says, and are ranks as near as theory has it, and as half_width_95 says?
#
# The law is computed here from the rows, as doc/accounting.md states it.  Each point is 8,192
# places among which each of its rows is spread evenly; a place is drawn with a probability
# proportional to exp(-d / scale), d being the distance of the middle rank from the ranks that the
# place holds, scale = max_rows / epsilon; or none, whose distance is half of all rows, less what makes it 100 times
# as likely as all places together if there were no rows.  Then the same is done with the places up to that one and
# with those from it on, of the weight up to its end and beyond.  Sums over places of one point are
# geometric; the place of the median is taken as the middle of the 128 that it is among, or of a
# quarter of a point without rows, which changes no probability by more than a thousandth.
#
# Neighbours differ by all rows of one person.  The event is, of all sets of answers that are at least
# so much likelier with the person, the one that refutes half the loss best, by the two laws: fixed
# before anything is drawn.
#
# False failures: intervals at 1e-12 each side, fits at 1e-12, fewer than 50 of them, and a mean by
# Hoeffding's bound at 1e-10: below 1e-9.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use Test::More;

use DpBounds qw(binomial_interval chi_square_tail);
use DpServer;

use constant { ALPHA => 1e-12, PLACES => 8192 };

my $server = DpServer->new('quantile_levels');

# The sum of exp(-d / scale) over places of one weight, from a rank on, for a target rank.
sub sum_of_places
{
	my ($places, $weight, $from, $target, $scale) = @_;
	return $places * exp(-abs($target - $from) / $scale) if $weight == 0;
	my $ratio = exp(-$weight / $scale);
	my $before = int(($target - $from) / $weight);
	$before = 0 if $target <= $from;
	$before = $places if $before > $places;
	my $after = $places - $before;
	my $sum = 0;
	$sum += exp(-($target - $from - $before * $weight) / $scale) * (1 - $ratio**$before) / (1 - $ratio) if $before;
	if ($after && $target >= $from)
	{
		# One holds the target; the next are above it.
		my $next = $from + ($before + 1) * $weight - $target;
		$sum += 1 + exp(-$next / $scale) * (1 - $ratio**($after - 1)) / (1 - $ratio);
	}
	elsif ($after)
	{
		$sum += exp(-($from - $target) / $scale) * (1 - $ratio**$after) / (1 - $ratio);
	}
	return $sum;
}

# The probability of each of some runs of places, [ places, weight of each ], for the middle rank; then of
# none, if that may be.
sub law_of_runs
{
	my ($none, $scale, @runs) = @_;
	my $target = sum0(map { $_->[0] * $_->[1] } @runs) / 2;
	my $from = 0;
	my @sum;
	for my $run (@runs)
	{
		push @sum, $run->[0] ? sum_of_places(@$run, $from, $target, $scale) : 0;
		$from += $run->[0] * $run->[1];
	}
	push @sum, 100 * sum0(map { $_->[0] } @runs) * exp(-$target / $scale) if $none;
	my $all = sum0(@sum);
	return map { $_ / $all } @sum;
}

# The probability of each triple of points "first,middle,third", and of "none", from the weight of rows at each.
sub law
{
	my ($scale, @rows) = @_;
	my @runs = map { [ PLACES, $_ / PLACES ] } @rows;
	my (@nodes, @middle);
	for my $point (0 .. $#runs)
	{
		my $parts = $rows[$point] > 0 ? 64 : 4;
		my $places = PLACES / $parts;
		push @nodes, ([ $places, $runs[$point][1] ]) x $parts;
		push @middle, map { [ $point, ($_ + 0.5) * $places ] } 0 .. $parts - 1;
	}
	my @node = law_of_runs(1, $scale, @nodes);
	my %law = (none => pop @node);
	for my $n (0 .. $#nodes)
	{
		next if $node[$n] < 1e-9;
		my ($point, $cut) = @{ $middle[$n] };
		my $weight = $runs[$point][1];
		my @below = law_of_runs(0, $scale, @runs[ 0 .. $point - 1 ], [ $cut, $weight ]);
		my @above = law_of_runs(0, $scale, [ 1, 0 ], [ PLACES - $cut, $weight ], @runs[ $point + 1 .. $#runs ]);
		splice @above, 0, 2, $above[0] + $above[1];
		for my $i (0 .. $#below)
		{
			$law{ join ',', $i, $point, $point + $_ } += $node[$n] * $below[$i] * $above[$_] for 0 .. $#above;
		}
	}
	return \%law;
}

# Parts of what is charged, twice epsilon and two draws: the greatest loss between two laws, and the divergence.
sub check_theory
{
	my ($epsilon, $rows, $at) = @_;
	my @with = @$rows;
	$with[$at]++;
	my ($p, $q) = map { law(1 / $epsilon, @$_) } $rows, \@with;
	my @triples = grep { $p->{$_} > 1e-6 && ($q->{$_} // 0) > 1e-6 } sort keys %$p;
	my @moved = map { log($q->{$_} / $p->{$_}) } @triples;
	my $renyi = max(log(sum0(map { $q->{$_}**2 / $p->{$_} } @triples)), log(sum0(map { $p->{$_}**2 / $q->{$_} } @triples)));
	my $charged = 2 * $server->admin("SELECT dp_accountant.rdp_exponential(2, $epsilon)");
	return (max(map { abs } @moved) / (2 * $epsilon), $renyi / $charged);
}

{
	my ($loss, $renyi) = (0, 0);
	for my $table (0 .. 80)
	{
		my @rows = map { (0, 2, 5)[ int($table / 3**$_) % 3 ] } 0 .. 3;
		for my $at (0 .. 3)
		{
			my ($l, $r) = check_theory(1.5, \@rows, $at);
			($loss, $renyi) = (max($loss, $l), max($renyi, $r));
		}
	}
	cmp_ok($loss, '>', 0.6, 'losses are much of what is charged');
	cmp_ok($loss, '<=', 1.001, sprintf 'losses reach %.3f of what is charged', $loss);
	cmp_ok($renyi, '<=', 1.001, sprintf 'divergences reach %.3f of what is charged', $renyi);
}

# Tables of people with a row each, and with two rows each of which the one more has fifty.
sub neighbours
{
	my ($name, $at, @rows) = @_;
	my $values = join ', ', map { "($_, $rows[$_])" } 0 .. $#rows;
	for my $i (0, 1)
	{
		$server->admin(<<"SQL");
CREATE TABLE one_$name$i (id int PRIMARY KEY, x int);
INSERT INTO one_$name$i SELECT row_number() OVER (), x FROM (VALUES $values) v (x, n), generate_series(1, n);
SELECT dp_agg.protect('one_$name$i', 'id');
CREATE TABLE two_$name$i (who int, x int);
INSERT INTO two_$name$i SELECT id, x FROM one_$name$i, generate_series(1, 2);
SELECT dp_agg.protect('two_$name$i', 'who', max_rows => 2);
SQL
	}
	$server->admin("INSERT INTO one_${name}1 VALUES (0, $at); INSERT INTO two_${name}1 SELECT 0, $at FROM generate_series(1, 50)");
	return;
}

# The probability of a fit this bad of draws to a law: answers are put together until enough draws are
# expected of them.
sub fit
{
	my ($draws, $law) = @_;
	my %seen;
	$seen{$_}++ for @$draws;
	my ($expected, $observed, $statistic, $bins) = (0, 0, 0, 0);
	my @triples = sort { $law->{$b} <=> $law->{$a} } keys %$law;
	my $left = @$draws;
	for my $triple (@triples)
	{
		$expected += $law->{$triple} * @$draws;
		$observed += delete $seen{$triple} // 0;
		$left -= $law->{$triple} * @$draws;
		next if $expected < 100 || $left < 100;
		$statistic += ($observed - $expected)**2 / $expected;
		$bins++;
		($expected, $observed) = (0, 0);
	}
	$observed += sum0(values %seen);
	$statistic += ($observed - $expected)**2 / $expected;
	return chi_square_tail($statistic, $bins);
}

# Of all sets of answers at least so much likelier by the first law, the one that refutes half best.
sub choose_event
{
	my ($more, $less, $half) = @_;
	my ($often, $seldom, $best, $chosen) = (0, 0, 0, 0);
	my @triples = sort { $more->{$b} * $less->{$a} <=> $more->{$a} * $less->{$b} } grep { exists $less->{$_} } keys %$more;
	for my $i (0 .. $#triples)
	{
		$often += $more->{ $triples[$i] };
		$seldom += $less->{ $triples[$i] };
		my $margin = ($often - exp($half) * $seldom) / sqrt($often + exp(2 * $half) * $seldom);
		($best, $chosen) = ($margin, $i) if $margin > $best;
	}
	return map { $_ => 1 } @triples[ 0 .. $chosen ];
}

# Triples from both neighbours.
sub draw_quartiles
{
	my ($epsilon, $n, $table, $top) = @_;
	my @queries = map { "SELECT 10000 * a + 100 * b + c FROM (SELECT dp_quantile(x, 0.25, 0, $top) a,
		dp_median(x, 0, $top) b, dp_quantile(x, 0.75, 0, $top) c FROM $table$_) q" } 0, 1;
	return map { [ map { $_ < 0 ? 'none' : join ',', int($_ / 10000), int($_ / 100) % 100, $_ % 100 } @$_ ] }
	  $server->draws({ epsilon => $epsilon }, $n, 8, @queries);
}

sub check_neighbours
{
	my ($name, $epsilon, $n, $table, $at, @rows) = @_;
	my @with = @rows;
	$with[$at]++;
	my @law = map { law(1 / $epsilon, @$_) } \@rows, \@with;
	my %event = choose_event(@law[ 1, 0 ], $epsilon);
	my $top = $#rows;
	my @draws = draw_quartiles($epsilon, $n, $table, $top);
	my @interval;
	for my $i (0, 1)
	{
		cmp_ok(fit($draws[$i], $law[$i]), '>=', ALPHA, "$name: table $i follows the law");
		push @interval, [ binomial_interval(scalar(grep { $event{$_} } @{ $draws[$i] }), scalar @{ $draws[$i] }, ALPHA) ];
	}
	my ($without, $with) = @interval;
	cmp_ok($with->[0], '<=', exp(2 * $epsilon) * $without->[1], "$name: the loss is as claimed");
	cmp_ok($with->[0], '>', exp($epsilon) * $without->[1],
		sprintf '%s: half the loss is refuted, %.4f to %.4f', $name, $without->[1], $with->[0]);
	return;
}

# One at point 3 of 9 and four at 8, and one more at 1: where there are answers, both draws lose most of what they may.
my @rows = (0, 0, 0, 1, 0, 0, 0, 0, 4);
neighbours('quartiles', 1, @rows);
check_neighbours('a row each', 2, 64_000, 'one_quartiles', 1, @rows);

# Weight two and scale two: the same law.
check_neighbours('several rows each', 2, 64_000, 'two_quartiles', 1, @rows);

# Most rows at one point, which is split; so few that half are none; and nobody.
for my $case ([ 'crowd', 0, 0, 30, 2, 0, 5, 1, 0 ], [ 'few', 0, 0, 6, 2, 0, 5, 1, 0 ], [ 'nobody', (0) x 8 ])
{
	my ($name, @rows) = @$case;
	my @with = map { $rows[$_] + ($_ == 5) } 0 .. $#rows;
	neighbours($name, 5, @rows);
	for my $table ("one_$name", "two_$name")
	{
		my @law = map { law(1, @$_) } \@rows, \@with;
		my @draws = draw_quartiles(1, 12_000, $table, $#rows);
		for my $i (0, 1)
		{
			my $none = grep { $_ eq 'none' } @{ $draws[$i] };
			my ($low, $high) = binomial_interval($none, scalar @{ $draws[$i] }, ALPHA);
			ok($low <= $law[$i]{none} && $law[$i]{none} <= $high,
				sprintf '%s%d: %.2f %% are none, stated %.2f %%', $table, $i, 100 * $none / @{ $draws[$i] }, 100 * $law[$i]{none});
			cmp_ok(fit($draws[$i], $law[$i]), '>=', ALPHA, "$table$i: points are divided as the law has it");
		}
	}
	$server->reset;
}
$server->draws({ epsilon => 3 }, 160, 16, 'SELECT a FROM (SELECT dp_quantile(x, 0.25, 0, 8) a, dp_median(x, 0, 8) b, dp_quantile(x, 0.75, 0, 8) c FROM one_quartiles0) q');
my $spent = $server->spent;
cmp_ok(abs($spent->{pure} / (160 * 2 * 3) - 1), '<=', 1e-6, 'three quartiles are charged as two draws');

# Incomes of 20,000 people, log-logistic, in steps of 50; and as many of which 60 % are zero.
$server->admin(<<'SQL');
CREATE TABLE incomes (id int PRIMARY KEY, x float8);
INSERT INTO incomes SELECT n, least(50 * round(600 * (u / (1 - u)) ^ 0.4), 50000)
	FROM (SELECT n, (n - 0.5) / 20000 AS u FROM generate_series(1, 20000) n) x;
CREATE TABLE wages (id int PRIMARY KEY, x float8);
INSERT INTO wages SELECT id, CASE WHEN id % 5 < 3 THEN 0 ELSE x END FROM incomes;
SELECT dp_agg.protect('incomes', 'id'), dp_agg.protect('wages', 'id');
SQL
$server->reset;

# How far each point's ranks are from a fraction's.
sub distances
{
	my ($fraction, @weight) = @_;
	my ($below, $rank) = (0, $fraction * sum0(@weight));
	my @off;
	for my $weight (@weight)
	{
		push @off, max(0, $below - $rank, $rank - $below - $weight);
		$below += $weight;
	}
	return @off;
}

# The mean distance of a quantile drawn alone.
sub mean_alone
{
	my ($fraction, $epsilon, @off) = @_;
	my $scale = 2 * max($fraction, 1 - $fraction) / $epsilon;
	my $least = min(@off);
	my @odds = map { exp(($least - $_) / $scale) } @off;
	return sum0(map { $odds[$_] * $off[$_] } 0 .. $#off) / sum0(@odds);
}

# Nine deciles, 200 times: at the same epsilon, and at that which costs what nine draws cost.
for my $table (qw(incomes wages))
{
	my @weight = (0) x 1001;
	$weight[ $_->[0] ] = $_->[1]
	  for map { [ split /\|/ ] } split /\n/, $server->admin("SELECT x / 50, count(*) FROM $table GROUP BY 1");
	my @off = map { [ distances($_ / 10, @weight) ] } 1 .. 9;
	my $alone = sum0(map { mean_alone($_ / 10, 0.1, @{ $off[ $_ - 1 ] }) } 1 .. 9) / 9;
	for my $epsilon (0.1, 0.15, 0.225)
	{
		my $list = join ', ', map { "dp_quantile(x, 0.$_, 0, 50000, $epsilon, 50) AS q$_" } 1 .. 9;
		my $query = "SELECT $list FROM $table";
		my @answers = $server->ask(join(";\n", ($query) x 200) . ';');
		my @mean;
		my $within = 0;
		my @price = $server->price($query, {});
		for my $answer (@answers)
		{
			my @errors = map { $off[$_][ $answer->[$_] / 50 ] } 0 .. 8;
			push @mean, sum0(@errors) / 9;
			$within += !grep { $errors[$_] > $price[$_]{half_width_95} } 0 .. 8;
		}
		note(sprintf '%s at epsilon %g: ranks of deciles off by %.1f, %.1f if drawn alone at 0.1; 95 %% within %.0f to %.0f', $table, $epsilon,
			sum0(@mean) / @mean, $alone, min(map { $_->{half_width_95} } @price), max(map { $_->{half_width_95} } @price));
		my (undef, $high) = binomial_interval($within, scalar @mean, ALPHA);
		cmp_ok($high, '>=', 0.95, "$table at epsilon $epsilon: half_width_95 holds of all nine");
		my $limit = $alone * 1.3 * 0.1 / $epsilon;
		my (undef, $often) = binomial_interval(scalar(grep { $_ <= $limit } @mean), scalar @mean, ALPHA);
		cmp_ok($often, '>=', 0.5, sprintf '%s at epsilon %g: half of the times deciles are off by %.1f at most', $table, $epsilon, $limit);
	}
}

$server->finish;
done_testing();
