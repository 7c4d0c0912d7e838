# Clamps that are chosen privately: is the choice drawn by its law, does it lose no more than is
# charged, and how far are answers off, beside those of every fixed clamp?
#
# Which clamp was chosen shows in how far dp_interval reaches below an answer.  The choice follows from noisy numbers of
# units on each step by a rule that is written once more in DpChoice.  Over
# ladders of three steps the probability of each clamp follows in closed form, and so does that of
# answers, and what one person more can change of them at most; over long ones from simulations.
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
use POSIX qw(ceil floor);
use Test::More;

use DpBounds qw(binomial_interval discrete_laplace_cdf fit_tail gaussian_mu laplace_cdf);
use DpChoice qw(choose discrete_laplace filled gaussian_law laplace laplace_law reach);
use DpServer;

use constant { RUNS => 1_000, SIMULATIONS => 20_000, ALPHA => 4e-12, SHARE => 0.2 };

# Groups that each person may be in, which are so few that all of them count: no number of them is chosen.
use constant PLACES => 3;

my $server = DpServer->new('clipping');

# Beside Laplace noise, at this epsilon over so many groups.
sub choice_law
{
	my ($epsilon, $groups, @units) = @_;
	my $scale = $groups / SHARE / $epsilon;
	return laplace_law($scale, @units);
}

# Does an event have this probability?  If that comes from simulations, it has an interval of its own.
sub frequent
{
	my ($name, $probability, $hits, $runs, $simulations) = @_;
	my ($low, $high) = binomial_interval($hits, $runs, ALPHA);
	my ($from, $to) = $simulations ? binomial_interval(floor($probability * $simulations + 0.5), $simulations, ALPHA) : ($probability) x 2;
	ok($low <= $to && $from <= $high, sprintf '%s: %.4f of the runs, %.4f in theory', $name, $hits / $runs, $probability);
	return;
}

# Of the rows of each person, at each step: how many are on it, and what the clamped totals add up to.
# Those beyond the last are on it.
sub ladder
{
	my ($steps, @rows) = @_;
	my @units = (0) x $steps;
	for my $rows (@rows)
	{
		my $step = 0;
		$step++ while $step < $steps - 1 && 2**$step < $rows;
		$units[$step]++;
	}
	return (\@units, [ map { my $step = $_; sum0(map { min($_, 2**$step) } @rows) } 0 .. $steps - 1 ]);
}

# The step that an interval reaches below the answer c by, as SQL: of a count its half width is rounded up.
sub step_of
{
	my ($epsilon) = @_;
	my $scale = log(20) / (1 - SHARE) / $epsilon;
	return "round(ln(((c - lower(i)) / $scale)::float8) / ln(2.0::float8))";
}

# How likely a noisy count is to reach an even number: noise is a whole number of these units, and what is
# halfway is rounded to the even number.
sub reaches
{
	my ($reach, $count, $unit, $scale) = @_;
	return 1 - discrete_laplace_cdf(ceil(($reach - 0.5 - $count) / $unit) - 1, $scale);
}

# The choice and the noise, where one person with far more rows comes to a hundred others: all of
# the law that follows from how many are on each step.
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
SELECT dp_agg.protect('one_more$n', 'who', clip_max_rows => 4);
SQL
		$server->admin("INSERT INTO one_more1 SELECT 0, 1 FROM generate_series(1, 50)") if $n;
		my ($units, $sum) = ladder($steps, @{ $rows[$n] });
		my @law = choice_law($epsilon, 1, @$units);
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

# One more in each of two groups, of which the clamp is one: numbers of units are of both together, and
# a person counts twice.  Choice and both answers lose what is charged, and no part of it alone would do.
{
	my $epsilon = 8;
	my @laws;
	for my $n (0, 1)
	{
		$server->admin(<<"SQL");
CREATE TABLE two_places$n (who int, place int);
INSERT INTO two_places$n SELECT n, n % 2 FROM generate_series(1, 100) n;
SELECT dp_agg.protect('two_places$n', 'who', max_groups => 2, clip_max_rows => 4);
SELECT dp_agg.set_domain('two_places$n', 'place', ARRAY[0, 1]);
SQL
		$server->admin("INSERT INTO two_places1 SELECT 0, n % 2 FROM generate_series(1, 50) n") if $n;
		my ($units) = ladder(3, (1) x 100, (25) x (2 * $n));
		my @law = choice_law($epsilon, 2, @$units);
		my $step = step_of($epsilon / 2);
		my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, 8 * RUNS, 8,
			"SELECT CASE WHEN min($step) = max($step) THEN min($step) ELSE -1 END FROM (SELECT place, dp_count(*) AS c, dp_interval(dp_count(*)) AS i FROM two_places$n GROUP BY place) v");
		is(scalar(grep { $_ < 0 } @$draws), 0, "two groups, one more $n: one clamp for both");
		for my $clamp (0 .. 2)
		{
			frequent("two groups, one more $n: clamp 2^$clamp", $law[$clamp], scalar(grep { $_ == $clamp } @$draws), scalar @$draws);
		}
		push @laws, \@law;
	}
	my $choice = log($laws[1][2] / $laws[0][2]);
	my $answers = 2 * (1 - SHARE) * $epsilon / 2;
	cmp_ok($choice, '>', 0.99 * SHARE * $epsilon, sprintf 'two groups: the choice loses %.3f', $choice);
	cmp_ok($choice + $answers, '<=', $epsilon + 1e-9, 'and with both answers no more than is charged');
	cmp_ok($choice + $answers, '>', 1.2 * $answers, 'but more than the share of the noise');
}

# The same choice beside Gaussian noise, whose squares are shared 1 : 3.
{
	my $settings = { mechanism => 'gaussian', delta => 0.01, epsilon => 4, clipping => 'auto' };
	my ($line) = grep { /stddev/ } map { $_->[0] } $server->ask(DpServer::set_commands($settings) . 'EXPLAIN SELECT dp_count(*) FROM one_more0');
	my ($stddev) = $line =~ /noise stddev ([0-9.e+-]+) times the clamp/ or die "no noise in: $line";
	my $sigma = $stddev * sqrt(3);
	my $step = 'floor(ln(((c - lower(i)) / ' . 1.959964 * $stddev . ' + 0.02)::float8) / ln(2.0::float8))';
	for my $n (0, 1)
	{
		my ($units) = ladder(3, (1) x 100, (50) x $n);
		my @law = gaussian_law($sigma, @$units);
		my ($draws) = $server->draws($settings, 8 * RUNS, 8, "SELECT $step FROM (SELECT dp_count(*) AS c, dp_interval(dp_count(*)) AS i FROM one_more$n) v");
		for my $clamp (0 .. 2)
		{
			frequent("Gaussian, one more $n: clamp 2^$clamp", $law[$clamp], scalar(grep { $_ == $clamp } @$draws), scalar @$draws);
		}
	}
	my $mu = sqrt(1 / $sigma**2 + 1 / $stddev**2);
	my $allowed = gaussian_mu(4, 0.01);
	cmp_ok($mu, '<=', $allowed * (1 + 1e-5), sprintf 'Gaussian: both draws together are %.4f-GDP, which the price of %.4f covers', $mu, $allowed);
	cmp_ok($mu, '>', $allowed * (1 - 1e-5), 'and nearly what it pays for');
}

# The noise of a sum at whatever clamp: over this it is Laplace, and the same.  A hundred people are
# beyond clamps below 1, so that none of those is chosen but for a probability of e^-40.
{
	my $epsilon = 4;
	my $query = 'SELECT (c - 100) / (c::numeric - lower(i)) * ' . log(20) . ' FROM (SELECT dp_sum(x, 0, 1) AS c, dp_interval(dp_sum(x, 0, 1)) AS i FROM one_more0) v';
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
CREATE TABLE $table (who int, place int NOT NULL, x int NOT NULL);
INSERT INTO $table SELECT n, (n + g) % @{[ PLACES ]}, (3 * n + g) % 11 * CASE WHEN rows > 30 THEN 0.8 ELSE 1 END FROM (SELECT n, ($tables{$name})::int AS rows FROM generate_series(1, 10000) n) v, generate_series(1, rows) g;
VACUUM ANALYZE $table;
SELECT dp_agg.protect('$table', 'who', max_groups => @{[ PLACES ]});
SELECT dp_agg.set_domain('$table', 'place', ARRAY[@{[ join ', ', 0 .. PLACES - 1 ]}]);
CREATE TABLE truth_$table AS SELECT p AS place, count(who) AS n FROM generate_series(0, @{[ PLACES - 1 ]}) p LEFT JOIN $table ON place = p GROUP BY p;
GRANT SELECT ON truth_$table TO tester;
SQL
	return $table;
}

# Steps chosen in simulations, of these numbers of units at this epsilon, in so many groups of which a
# person is in so many: how often each.  Noise may weigh more.
sub simulated_law
{
	my ($epsilon, $most, $groups, $weight, @units) = @_;
	my $scale = $most / SHARE / $epsilon;
	my $each = $most / (1 - SHARE) / $epsilon;
	my @law = map { 0 } @units;
	for (1 .. SIMULATIONS)
	{
		my @noisy = map { $_ + discrete_laplace($scale) } @units;
		my $noise = $each * $weight * filled($groups, $each, sum0(@noisy));
		$law[ choose($scale, sub { reach($scale, $_[0]) }, [ map { $noise * 2**$_ } 0 .. $#units ], \@noisy) ] += 1 / SIMULATIONS;
	}
	return @law;
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

# Given how much is cut at each clamp, how far every fixed one is off on average, in the end the chosen one.
sub errors
{
	my ($epsilon, $groups, $law, $clamp, $sum) = @_;
	my @bias = map { $sum->[-1] - $_ } @$sum;
	my @fixed = map { mean_off($bias[$_], $clamp->[$_] * $groups / $epsilon) } 0 .. $#bias;
	my @at = map { mean_off($bias[$_], $clamp->[$_] * $groups / $epsilon / (1 - SHARE)) } 0 .. $#bias;
	return (@fixed, sum0(map { $law->[$_] * $at[$_] } 0 .. $#$law));
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

# The rows of each person, in a place if one is given.
sub rows_of
{
	my ($table, $what, $where) = @_;
	return split /\n/, $server->admin("SELECT $what FROM $table " . ($where // '') . ' GROUP BY who');
}

sub measure
{
	my ($name, $epsilon) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	my ($units, $sum) = ladder($STEPS, rows_of($table, 'count(*)'));
	my @law = simulated_law($epsilon, 1, 1, 1, @$units);
	my @clamp = map { 2**$_ } 0 .. $STEPS - 1;
	my @fixed = errors($epsilon, 1, \@law, \@clamp, $sum);
	my $theory = pop @fixed;
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS, 8, "SELECT dp_count(*) FROM $table");
	my @off = map { abs($_ - $sum->[-1]) } @$draws;
	my $ratio = report($name, $epsilon, sum0(@off) / @off, $theory, @fixed);

	# Counts are rounded: half a row to either side is the same answer.
	my $reach = int($theory) + 1.5;
	my $likely = sum0(map { $law[$_] * within($sum->[-1] - $sum->[$_], $clamp[$_] / $epsilon / (1 - SHARE), $reach) } 0 .. $#law);
	frequent("$name at epsilon $epsilon: off by less than $reach", $likely, scalar(grep { $_ < $reach } @off), scalar @off, SIMULATIONS);
	return $ratio;
}

# By groups: the sum over these of how far each is off.  By Markov's inequality it is within four times what is expected
# in three quarters of the runs.
sub measure_groups
{
	my ($name, $epsilon) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	my @ladder = map { [ ladder($STEPS, rows_of($table, 'count(*)', "WHERE place = $_")) ] } 0 .. PLACES - 1;
	my @units = map { my $step = $_; sum0(map { $_->[0][$step] } @ladder) } 0 .. $STEPS - 1;
	my @law = simulated_law($epsilon, PLACES, PLACES, 1, @units);
	my @theory = map { 0 } 0 .. $STEPS;
	for my $group (@ladder)
	{
		my @errors = errors($epsilon, PLACES, \@law, [ map { 2**$_ } 0 .. $STEPS - 1 ], $group->[1]);
		$theory[$_] += $errors[$_] for 0 .. $STEPS;
	}
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS / 4, 2,
		"SELECT sum(abs(c.n - t.n)) FROM truth_$table t LEFT JOIN (SELECT place, dp_count(*) AS n FROM $table GROUP BY place) c USING (place)");
	my $expected = pop @theory;
	my $ratio = report("$name by groups", $epsilon, sum0(@$draws) / @$draws, $expected, @theory);
	my (undef, $high) = binomial_interval(scalar(grep { $_ <= 4 * $expected } @$draws), scalar @$draws, ALPHA);
	cmp_ok($high, '>=', 0.75, "$name by groups at epsilon $epsilon: within four times what is expected");
	return $ratio;
}

# Sums of values from 0 to 10.  Clamps are 2, 4 and so on: a quarter of a row's bound is 2.5, and rounded up to 2 times
# a power of two no less than 10.
sub measure_sum
{
	my ($name, $epsilon) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	my $steps = $STEPS + 3;
	my @total = rows_of($table, 'sum(x)');
	my ($units) = ladder($steps, map { $_ / 2 } @total);
	my @clamp = map { 2 * 2**$_ } 0 .. $steps - 1;
	my @sum = map { my $clamp = $_; sum0(map { min($_, $clamp) } @total) } @clamp;
	my @law = simulated_law($epsilon, 1, 1, 1, @$units);
	my @fixed = errors($epsilon, 1, \@law, \@clamp, \@sum);
	my $theory = pop @fixed;
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS, 8, "SELECT dp_sum(x, 0, 10) FROM $table");
	my @off = map { abs($_ - $sum[-1]) } @$draws;
	report("sum, $name", $epsilon, sum0(@off) / @off, $theory, @fixed);
	my $reach = int($theory) + 1.5;
	my $likely = sum0(map { $law[$_] * within($sum[-1] - $sum[$_], $clamp[$_] / $epsilon / (1 - SHARE), $reach) } 0 .. $#law);
	frequent("sum, $name at epsilon $epsilon: off by less than $reach", $likely, scalar(grep { $_ < $reach } @off), scalar @off, SIMULATIONS);
	return;
}

# Means of values from 0 to 10, from what units scaled down to a clamp of rows leave: a mean is that of two totals, of what
# is above 0 and of what is below 10, with noise of 10 rows' clamp each.  How far it is off in the middle of the simulations
# half of the answers are.
sub measure_mean
{
	my ($name, $epsilon) = @_;
	(my $table = "people_$name") =~ s/ /_/;
	my @unit = map { [ split /\|/ ] } rows_of($table, "count(*) || '|' || sum(x)");
	my ($units) = ladder($STEPS, map { $_->[0] } @unit);
	my @law = simulated_law($epsilon, 1, 1, 8, @$units);
	my $truth = sum0(map { $_->[1] } @unit) / sum0(map { $_->[0] } @unit);
	my (@off, @fixed);
	for my $step (0 .. $STEPS - 1)
	{
		my $rows = sum0(map { min($_->[0], 2**$step) } @unit);
		my $sum = sum0(map { $_->[1] * min(1, 2**$step / $_->[0]) } @unit);
		my $mean = sub {
			my ($scale) = @_;
			my ($above, $below) = ($sum + laplace($scale), 10 * $rows - $sum + laplace($scale));
			return $above + $below <= 0 ? 5 : max(0, min(10, 10 * $above / ($above + $below)));
		};
		push @fixed, sum0(map { abs($mean->(10 * 2**$step / $epsilon) - $truth) } 1 .. RUNS) / RUNS;
		push @off, map { abs($mean->(10 * 2**$step / $epsilon / (1 - SHARE)) - $truth) } 1 .. $law[$step] * SIMULATIONS + 0.5;
	}
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS, 8, "SELECT dp_avg(x, 0, 10) FROM $table");
	my @measured = map { abs($_ - $truth) } @$draws;
	note(sprintf 'mean, %s at epsilon %s: off by %.4f, in theory %.4f; mean clamp 2^%.1f; fixed: %s', $name, $epsilon, sum0(@measured) / @measured,
		sum0(@off) / @off, sum0(map { $_ * $law[$_] } 0 .. $#law), join ' ', map { sprintf '%.2g', $_ } @fixed);
	my $middle = (sort { $a <=> $b } @off)[ @off / 2 ];
	frequent(sprintf("mean, $name at epsilon $epsilon: off by less than %.4f", $middle), 0.5, scalar(grep { $_ < $middle } @measured), scalar @measured, SIMULATIONS);
	return;
}

# The most that answers may be off, in times of the best fixed clamp, on the whole and by groups: what they
# are, and a tenth more.  Of nobody the mean is that of few answers whose clamp is far too high: how many.
my %limit = ('heavy tail' => [ 1.9, 1.5 ], 'lognormal' => [ 2.2, 1.6 ], 'uniform' => [ 1.43, 1.43 ], 'one giant' => [ 1.55, 1.2 ], 'sparse' => [ 15, 3.1 ]);

for my $name (grep { !@ARGV || $_ =~ $ARGV[0] } sort keys %tables)
{
	make_table($name);
	my %ratio = map { $_ => measure($name, $_) } 0.1, 1;
	my $by_groups = measure_groups($name, 1);
	if ($name eq 'empty')
	{
		my $least = (simulated_law(1, 1, 1, 1, (0) x $STEPS))[0];
		cmp_ok($least, '>', 0.93, sprintf 'of nobody, %.3f of answers are by the least clamp', $least);
		next;
	}
	cmp_ok($ratio{$_}, '<', $limit{$name}[0], "$name at epsilon $_: not far from the best fixed clamp") for sort keys %ratio;
	cmp_ok($by_groups, '<', $limit{$name}[1], "$name by groups: not far from the best fixed clamp");
	next if $name !~ /tail|lognormal|uniform/;
	measure_sum($name, 1);
	measure_mean($name, 1);
}

# Few people in each of few groups: each has 20 rows in one of three cities, of which it could be in all.
{
	$server->admin(<<'SQL');
CREATE TABLE cities (who int, city int NOT NULL);
INSERT INTO cities SELECT n, n % 3 FROM generate_series(1, 200) n, generate_series(1, 20);
SELECT dp_agg.protect('cities', 'who', max_groups => 3);
SELECT dp_agg.set_domain('cities', 'city', ARRAY[0, 1, 2]);
SQL
	my @law = simulated_law(1, 3, 3, 1, 0, 0, 0, 0, 0, 200, (0) x ($STEPS - 6));
	my ($draws) = $server->draws({ epsilon => 1, clipping => 'auto' }, RUNS, 4,
		'SELECT max(' . step_of(1 / 3) . ') FROM (SELECT city, dp_count(*) AS c, dp_interval(dp_count(*)) AS i FROM cities GROUP BY city) v');
	frequent('200 people in 3 cities: all rows count', sum0(@law[ 5 .. $#law ]), scalar(grep { $_ >= 5 } @$draws), scalar @$draws, SIMULATIONS);
	cmp_ok(scalar(grep { $_ >= 5 } @$draws) / @$draws, '>', 0.8, 'nearly always');
}
$server->finish;
done_testing();
