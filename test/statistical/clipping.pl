# Clamps that are chosen privately: is the choice drawn by its law, does it lose no more than is
# charged, and how far are answers off, beside those of every fixed clamp?
#
# Which clamp was chosen shows in the width of dp_interval.  By the exact law of permute and flip
# (its coins, clamp by clamp) the probability of each follows from the numbers of units beyond them,
# and so do those of answers, and what one person more can change of them at most.
#
# False failures: a frequency is held against Clopper and Pearson's interval, 4e-12 each side, for
# fewer than 120; the fits of noise share 1e-10; below 1e-9 in all.
#
# With an argument, a pattern, only the tables it matches are measured.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use POSIX qw(ceil);
use Test::More;

use DpBounds qw(binomial_interval discrete_laplace_cdf fit_tail flip_law gumbel_law laplace_cdf);
use DpServer;

use constant { RUNS => 1_000, ALPHA => 4e-12, SHARE => 0.15, PENALTY => 2, GAUSSIAN_PENALTY => 2.5 };

my $server = DpServer->new('clipping');

# How likely each clamp is, given the numbers of units beyond, at this epsilon over so many groups.
sub choice_law
{
	my ($epsilon, $groups, @beyond) = @_;
	return flip_law(1, map { -SHARE * $epsilon / $groups * $beyond[$_] - PENALTY * $_ } 0 .. $#beyond);
}

# The same by the exponential mechanism, beside Gaussian noise.
sub exponential_law
{
	my ($epsilon, @beyond) = @_;
	return gumbel_law(1, map { -SHARE * $epsilon * $beyond[$_] - GAUSSIAN_PENALTY * $_ } 0 .. $#beyond);
}

# Does an event have this probability?
sub frequent
{
	my ($name, $probability, $hits, $runs) = @_;
	my ($low, $high) = binomial_interval($hits, $runs, ALPHA);
	ok($low <= $probability && $probability <= $high,
		sprintf '%s: %.4f of the runs, %.4f in theory', $name, $hits / $runs, $probability);
	return;
}

# Of the rows of each person, at each step: how many are beyond, and what the clamped totals add up to.
# At the last nobody is beyond.
sub ladder
{
	my ($steps, @rows) = @_;
	my (@beyond, @sum);
	for my $step (0 .. $steps - 1)
	{
		push @beyond, scalar grep { $_ > 2**$step && $step < $steps - 1 } @rows;
		push @sum, sum0(map { min($_, 2**$step) } @rows);
	}
	return (\@beyond, \@sum);
}

# The step that an interval is as wide as, as SQL: of a count its half width is rounded up.
sub step_of
{
	my ($epsilon) = @_;
	my $scale = log(20) / (1 - SHARE) / $epsilon;
	return "round(ln(((upper(i) - lower(i)) / 2 / $scale)::float8) / ln(2.0::float8))";
}

# How likely a noisy count is to reach an even number: noise is a whole number of these units, and what is
# halfway is rounded to the even number.
sub reaches
{
	my ($reach, $count, $unit, $scale) = @_;
	return 1 - discrete_laplace_cdf(ceil(($reach - 0.5 - $count) / $unit) - 1, $scale);
}

# The choice and the noise, where one person with far more rows comes to a hundred others: all of
# the law that follows from what is beyond each clamp.
{
	my $steps = 3;
	my $epsilon = 4;
	my @rows = ([ (1) x 100 ], [ (1) x 100, 50 ]);
	my @laws;
	for my $n (0, 1)
	{
		$server->admin(<<"SQL");
CREATE TABLE one_more$n (who int, x float8);
INSERT INTO one_more$n SELECT n, 1 FROM generate_series(1, 100) n;
SELECT dp_agg.protect('one_more$n', 'who', most_rows => 4);
SQL
		$server->admin("INSERT INTO one_more1 SELECT 0, 1 FROM generate_series(1, 50)") if $n;
		my ($beyond, $sum) = ladder($steps, @{ $rows[$n] });
		my @law = choice_law($epsilon, 1, @$beyond);
		my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, 8 * RUNS, 8,
			'SELECT 1e7 * (1 + ' . step_of($epsilon) . ') + c FROM (SELECT dp_count(*) AS c, dp_interval(dp_count(*)) AS i FROM one_more' . $n . ') v');
		for my $step (0 .. $steps - 1)
		{
			my @answers = map { $_ - 1e7 * ($step + 1) } grep { int($_ / 1e7 + 0.5) == $step + 1 } @$draws;
			frequent("one more $n: clamp 2^$step", $law[$step], scalar @answers, scalar @$draws);
			my $reach = 102;
			frequent("one more $n: clamp 2^$step and answer", $law[$step] * reaches($reach, $sum->[$step], 2**($step - $steps + 1), 2**($steps - 1) / (1 - SHARE) / $epsilon),
				scalar(grep { $_ >= $reach } @answers), scalar @$draws);
		}
		push @laws, [ \@law, $sum ];
	}

	# What both draws lose together: of a clamp and an answer beyond all, either way.  The noise's
	# share alone would not pay for it.
	my @loss;
	for my $step (0 .. $steps - 1)
	{
		my $choice = log($laws[1][0][$step] / $laws[0][0][$step]);
		my $moved = ($laws[1][1][$step] - $laws[0][1][$step]) / 2**$step * (1 - SHARE) * $epsilon;
		push @loss, abs($choice + $moved), abs($choice - $moved);
	}
	my ($line) = $server->price('SELECT dp_count(*) FROM one_more0', { epsilon => $epsilon, clipping => 'auto' });
	cmp_ok(max(@loss), '<=', $line->{epsilon} + 1e-9, sprintf 'one more loses %.3f, which the price of %s covers', max(@loss), $line->{epsilon});
	cmp_ok(max(@loss), '>', 1.02 * (1 - SHARE) * $line->{epsilon}, 'and which the share of the noise would not');
}

# In two groups that one more is in: each choice has half of the epsilon, and is drawn by itself.
{
	my $epsilon = 8;
	my @laws;
	for my $n (0, 1)
	{
		$server->admin(<<"SQL");
CREATE TABLE two_places$n (who int, place int);
INSERT INTO two_places$n SELECT n, n % 2 FROM generate_series(1, 100) n;
SELECT dp_agg.protect('two_places$n', 'who', max_groups => 2, most_rows => 4);
SELECT dp_agg.set_domain('two_places$n', 'place', ARRAY[0, 1]);
SQL
		$server->admin("INSERT INTO two_places1 SELECT 0, n % 2 FROM generate_series(1, 50) n") if $n;
		my ($beyond) = ladder(3, (1) x 50, (25) x $n);
		my @law = choice_law($epsilon, 2, @$beyond);
		my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, 8 * RUNS, 8,
			'SELECT sum(' . step_of($epsilon / 2) . ") FROM (SELECT place, dp_interval(dp_count(*)) AS i FROM two_places$n GROUP BY place) v");
		frequent("two groups, one more $n: both at the least", $law[0]**2, scalar(grep { $_ == 0 } @$draws), scalar @$draws);
		frequent("two groups, one more $n: steps of four", $law[2]**2, scalar(grep { $_ == 4 } @$draws), scalar @$draws);
		frequent("two groups, one more $n: steps of two", $law[1]**2 + 2 * $law[0] * $law[2], scalar(grep { $_ == 2 } @$draws), scalar @$draws);
		push @laws, \@law;
	}
	my $loss = 2 * max(map { abs(log($laws[1][$_] / $laws[0][$_])) } 0 .. 2);
	cmp_ok($loss, '<=', SHARE * $epsilon + 1e-9, sprintf 'both choices lose %.3f', $loss);
	cmp_ok($loss, '>', 0.8 * SHARE * $epsilon, 'which is nearly what they are charged');
}

# The same choice beside Gaussian noise.
{
	my $settings = { mechanism => 'gaussian', delta => 0.01, epsilon => 4, clipping => 'auto' };
	my ($line) = grep { /stddev/ } map { $_->[0] } $server->ask(DpServer::set_commands($settings) . 'EXPLAIN SELECT dp_sum(x, 0, 1) FROM one_more0');
	my ($stddev) = $line =~ /noise stddev ([0-9.e+-]+) times the clamp/ or die "no noise in: $line";
	my $step = 'round(ln((64 * (upper(i) - lower(i)) / 2 / ' . 1.959964 * $stddev . ')::float8) / ln(2.0::float8))';
	my @laws;
	for my $n (0, 1)
	{
		# Everybody else is beyond the six clamps below a row's bound, and who comes beyond two more.
		my ($beyond) = ladder(9, ((64) x 100), (64 * 50) x $n);
		my @law = exponential_law(4, @$beyond);
		my ($draws) = $server->draws($settings, 8 * RUNS, 8, "SELECT $step FROM (SELECT dp_interval(dp_sum(x, 0, 1)) AS i FROM one_more$n) v");
		for my $clamp (6 .. 8)
		{
			frequent("Gaussian, one more $n: clamp 2^" . ($clamp - 6), $law[$clamp], scalar(grep { $_ == $clamp } @$draws), scalar @$draws);
		}
		push @laws, \@law;
	}
	my @loss = map { abs(log($laws[1][$_] / $laws[0][$_])) } 6 .. 8;
	cmp_ok(max(@loss), '<=', SHARE * 4 + 1e-9, sprintf 'the choice loses %.3f', max(@loss));
}

# The noise of a sum at whatever clamp: over this it is Laplace, and the same.  A hundred people are
# beyond clamps below 1, so that none of those is chosen but for a probability of e^-40.
{
	my $epsilon = 4;
	my $query = 'SELECT (c - 100) / (upper(i) - lower(i)) * 2 * ' . log(20) . ' FROM (SELECT dp_sum(x, 0, 1) AS c, dp_interval(dp_sum(x, 0, 1)) AS i FROM one_more0) v';
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, 8 * RUNS, 8, $query);
	cmp_ok(fit_tail($draws, sub { laplace_cdf($_[0], 1) }, 0, 0, 1), '>', 1e-10, 'noise over clamp is Laplace');
	my $deviation = sqrt(sum0(map { $_**2 } @$draws) / @$draws);
	note(sprintf 'it deviates by %.3f, in theory %.3f', $deviation, sqrt(2));
}

# People whose rows are as their tables say.
my %tables = (
	'heavy tail' => 'ceil(2 * power(1 - (n - 0.5) / 10000, -1 / 1.5))',
	'lognormal' => 'ceil(exp(1.5 + 1.1 * sqrt(-2 * ln((n - 0.5) / 10000)) * cos(2 * pi() * 0.618034 * n)))',
	'uniform' => '1 + n % 20',
	'one giant' => 'CASE WHEN n = 1 THEN 50000 ELSE 1 + n % 5 END',
	'sparse' => 'CASE WHEN n <= 40 THEN 1 + n % 8 END',
	'empty' => 'NULL');
my $STEPS = 18;

sub make_table
{
	my ($name) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	$server->admin(<<"SQL");
CREATE TABLE $table (who int, place int NOT NULL);
INSERT INTO $table SELECT n, (n + g) % 8 FROM (SELECT n, ($tables{$name})::int AS rows FROM generate_series(1, 10000) n) v, generate_series(1, rows) g;
VACUUM ANALYZE $table;
SELECT dp_agg.protect('$table', 'who', max_groups => 8);
SELECT dp_agg.set_domain('$table', 'place', ARRAY[0, 1, 2, 3, 4, 5, 6, 7]);
CREATE TABLE truth_$table AS SELECT p AS place, count(who) AS n FROM generate_series(0, 7) p LEFT JOIN $table ON place = p GROUP BY p;
GRANT SELECT ON truth_$table TO tester;
SQL
	return $table;
}

# Mean of |bias + noise|, the noise of this scale, and how likely that is within a reach.
sub mean_off
{
	my ($bias, $scale) = @_;
	return $bias + $scale * exp(-$bias / $scale);
}
sub within
{
	my ($bias, $scale, $reach) = @_;
	return laplace_cdf($reach + $bias, $scale) - laplace_cdf($bias - $reach, $scale);
}

# Of a ladder: how far every fixed clamp is off on average, and the chosen one.
sub theory
{
	my ($epsilon, $groups, $beyond, $sum) = @_;
	my @law = choice_law($epsilon, $groups, @$beyond);
	my @bias = map { $sum->[-1] - $_ } @$sum;
	my @fixed = map { mean_off($bias[$_], 2**$_ * $groups / $epsilon) } 0 .. $#bias;
	my @at = map { mean_off($bias[$_], 2**$_ * $groups / $epsilon / (1 - SHARE)) } 0 .. $#bias;
	return (\@law, \@bias, \@fixed, sum0(map { $law[$_] * $at[$_] } 0 .. $#law));
}

# Off by these, measured; theory; and the best fixed clamp's.
sub report
{
	my ($name, $epsilon, $measured, $theory, @fixed) = @_;
	my ($best) = sort { $fixed[$a] <=> $fixed[$b] } 0 .. $#fixed;
	note(sprintf '%-24s epsilon %-4s off by %.1f, in theory %.1f; best fixed 2^%d: %.1f; ratio %.2f; fixed: %s', $name, $epsilon,
		$measured, $theory, $best, $fixed[$best], $theory / $fixed[$best], join ' ', map { sprintf '%.3g', $_ } @fixed);
	return $theory / $fixed[$best];
}

sub measure
{
	my ($name, $epsilon) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	my @rows = split /\n/, $server->admin("SELECT count(*) FROM $table GROUP BY who");
	my ($beyond, $sum) = ladder($STEPS, @rows);
	my $truth = @rows ? sum0(@rows) : 0;
	my ($law, $bias, $fixed, $theory) = theory($epsilon, 1, $beyond, $sum);
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS, 8, "SELECT dp_count(*) FROM $table");
	my @off = map { abs($_ - $truth) } @$draws;
	my $ratio = report($name, $epsilon, sum0(@off) / @off, $theory, @$fixed);

	# Counts are rounded: half a row to either side is the same answer.
	my $reach = int($theory) + 1.5;
	my $likely = sum0(map { $law->[$_] * within($bias->[$_], 2**$_ / $epsilon / (1 - SHARE), $reach) } 0 .. $#$law);
	frequent("$name at epsilon $epsilon: off by less than $reach", $likely, scalar(grep { $_ < $reach } @off), scalar @off);
	return $ratio;
}

# By groups: the sum over these of how far each is off.  By Markov's inequality it is within four times what is expected
# in three quarters of the runs.
sub measure_groups
{
	my ($name, $epsilon) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	my @theory = map { 0 } 0 .. $STEPS;
	for my $place (0 .. 7)
	{
		my ($beyond, $sum) = ladder($STEPS, split /\n/, $server->admin("SELECT count(*) FROM $table WHERE place = $place GROUP BY who"));
		my (undef, undef, $fixed, $theory) = theory($epsilon, 8, $beyond, $sum);
		$theory[$_] += $fixed->[$_] for 0 .. $STEPS - 1;
		$theory[$STEPS] += $theory;
	}
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS / 4, 2,
		"SELECT sum(abs(c.n - t.n)) FROM truth_$table t LEFT JOIN (SELECT place, dp_count(*) AS n FROM $table GROUP BY place) c USING (place)");
	my $expected = pop @theory;
	report("$name by 8 groups", $epsilon, sum0(@$draws) / @$draws, $expected, @theory);
	my (undef, $high) = binomial_interval(scalar(grep { $_ <= 4 * $expected } @$draws), scalar @$draws, ALPHA);
	cmp_ok($high, '>=', 0.75, "$name by groups at epsilon $epsilon: within four times what is expected");
	return;
}

for my $name (grep { !@ARGV || $_ =~ $ARGV[0] } sort keys %tables)
{
	make_table($name);
	my %ratio = map { $_ => measure($name, $_) } 0.1, 1;
	cmp_ok($ratio{$_}, '<', $name =~ /uniform|giant|empty/ ? 1.45 : $name =~ /tail|lognormal/ ? 3 : 15, "$name at epsilon $_: not far from the best fixed clamp")
	  for sort keys %ratio;
	measure_groups($name, 1);
}
$server->finish;
done_testing();
