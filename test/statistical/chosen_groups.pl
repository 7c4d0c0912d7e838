# Numbers of groups that are chosen privately: is the choice drawn by its law, do it and the answers lose no
# more than is charged, and how far are answers off, beside those of every fixed max_groups?
#
# The choice follows from noisy numbers of units in each class by a rule that is written once more in
# DpChoice.  With three classes the probability of each follows in closed form, else from simulations.
#
# False failures: a frequency is held against Clopper and Pearson's interval, 4e-12 each side, for fewer
# than 60: below 1e-9 in all.
#
# With an argument, a pattern, only the tables it matches are measured.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use POSIX qw(floor);
use Test::More;

use DpBounds qw(binomial_interval discrete_laplace_cdf gaussian_mu normal_cdf);
use DpChoice qw(choose discrete_laplace filled gaussian_law laplace_law normal_reach reach);
use DpServer;

use constant { RUNS => 4_000, MEASURED => 200, SIMULATIONS => 10_000, ALPHA => 4e-12 };

# The choice's part of the squares, and the most of an epsilon.
use constant { PART => 1 / 16, MOST_SHARE => 0.05 };

my $server = DpServer->new('chosen_groups');

# Of one release, the choice's part of epsilon where noise is Laplace.
sub share
{
	my ($most) = @_;
	return min(sqrt(PART / $most), MOST_SHARE);
}

# Does an event have this probability?
sub frequent
{
	my ($name, $probability, $hits, $runs, $simulations) = @_;
	my ($low, $high) = binomial_interval($hits, $runs, ALPHA);
	my ($from, $to) = $simulations ? binomial_interval(floor($probability * $simulations + 0.5), $simulations, ALPHA) : ($probability) x 2;
	ok($low <= $to && $from <= $high, sprintf '%s: %.4f of the runs, %.4f in theory', $name, $hits / $runs, $probability);
	return;
}

# What was chosen, by the last release, and an answer of the same statement.
sub chosen_and_answer
{
	my ($table) = @_;
	return "SELECT 1e6 * max_groups + c FROM (SELECT max(n) AS c FROM (SELECT place, dp_count(DISTINCT who) AS n FROM $table GROUP BY place) v) w, "
	  . '(SELECT max_groups FROM dp_agg.last_release() LIMIT 1) r';
}

# 100 people in one group each, and one more who is in all four.
{
	my $epsilon = 8;
	my (@laws, %line);
	for my $n (0, 1)
	{
		$server->admin(<<"SQL");
CREATE TABLE one_more$n (who int, place int);
INSERT INTO one_more$n SELECT n, n % 4 FROM generate_series(1, 100) n;
INSERT INTO one_more$n SELECT 0, n FROM generate_series(0, 3) n WHERE $n > 0;
SELECT dp_agg.protect('one_more$n', 'who', max_groups => 4);
SELECT dp_agg.set_domain('one_more$n', 'place', ARRAY[0, 1, 2, 3]);
SQL
		my @law = laplace_law(1 / share(4) / $epsilon, 100, 0, $n);
		my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS, 1, chosen_and_answer("one_more$n"));
		for my $class (0 .. 2)
		{
			my $groups = 2**$class;
			my @answers = map { $_ - 1e6 * $groups } grep { floor(($_ + 5e5) / 1e6) == $groups } @$draws;
			frequent("one more $n: $groups groups", $law[$class], scalar @answers, scalar @$draws);
			next unless @answers;

			# The greatest of four counts of 25, or of 26 where one more counts, exceeds a number.
			my $scale = sqrt(4 * $groups) / (1 - share(4)) / $epsilon;
			my $without = 1;
			$without *= discrete_laplace_cdf(26 - 25, $scale) for 1 .. 4;
			my $with = 1;
			$with *= discrete_laplace_cdf(26 - 26, $scale) for 1 .. $groups;
			$with *= discrete_laplace_cdf(26 - 25, $scale) for $groups + 1 .. 4;
			frequent("one more $n: an answer in $groups groups", $law[$class] * (1 - ($n ? $with : $without)), scalar(grep { $_ > 26.5 } @answers), scalar @$draws);
		}
		push @laws, \@law;
	}
	my @loss = map { abs(log($laws[1][$_] / $laws[0][$_])) + 2**$_ * (1 - share(4)) * $epsilon / sqrt(4 * 2**$_) } 0 .. 2;
	my $epsilons = sum0(map { $_->{epsilon} } $server->price('SELECT place, dp_count(DISTINCT who) FROM one_more0 GROUP BY place', { epsilon => $epsilon, clipping => 'auto' }));
	cmp_ok(max(@loss), '<=', $epsilons + 1e-9, sprintf 'one more loses %.3f, which the price of %s covers', max(@loss), $epsilons);
	cmp_ok(max(@loss), '>', 1.01 * (1 - share(4)) * $epsilon, 'and which the share of the noise would not');

	# With Gaussian noise.
	my $settings = { mechanism => 'gaussian', delta => 0.01, epsilon => $epsilon, clipping => 'auto' };
	%line = map { ($_->{aggregate} => $_) } $server->price('SELECT place, dp_count(DISTINCT who) FROM one_more0 GROUP BY place', $settings);
	my $sigma = $line{'groups of a unit'}{noise_stddev};
	for my $n (0, 1)
	{
		my @law = gaussian_law($sigma, 100, 0, $n);
		my ($draws) = $server->draws($settings, RUNS, 1, chosen_and_answer("one_more$n"));
		for my $class (0 .. 2)
		{
			frequent("Gaussian, one more $n: " . 2**$class . ' groups', $law[$class], scalar(grep { floor(($_ + 5e5) / 1e6) == 2**$class } @$draws), scalar @$draws);
		}
	}
	my ($allowed, $answers) = (gaussian_mu($epsilon, 0.01), $line{'dp_count(DISTINCT who)'}{noise_stddev});
	my $mu = sqrt(1 / $sigma**2 + 4 / $answers**2);
	cmp_ok($mu, '<=', $allowed * (1 + 1e-5), sprintf 'Gaussian: the choice and answers are %.4f-GDP, which the price of %.4f covers', $mu, $allowed);
	cmp_ok($mu, '>', $allowed * (1 - 1e-5), 'and nearly what it pays for');
}

# How many of 64 groups each of 10,000 people is in.
my $MOST = 64;
my %tables = (
	'4 of 64' => '4',
	'all 64' => '64',
	'1 to 8' => '1 + n % 8',
	'heavy tail' => 'least(64, ceil(power(1 - (n - 0.5) / 10000, -1 / 1.2)))',
	'lognormal' => 'least(64, ceil(exp(0.8 + 0.9 * sqrt(-2 * ln((n - 0.5) / 10000)) * cos(2 * pi() * 0.618034 * n))))',
	'ten giants' => 'CASE WHEN n <= 10 THEN 64 ELSE 1 + n % 3 END');

# The most that answers may be off, in times of the best fixed max_groups at the same cost: what they are, and a tenth more.
my %limit = ('4 of 64' => 1.3, 'all 64' => 1.3, '1 to 8' => 1.3, 'heavy tail' => 2, 'lognormal' => 2, 'ten giants' => 2);

# Mean of |bias + noise|.
sub laplace_off
{
	my ($bias, $scale) = @_;
	return abs($bias) + $scale * exp(-abs($bias) / $scale);
}

sub normal_off
{
	my ($bias, $sigma) = @_;
	my $at = abs($bias) / $sigma;
	return $sigma * sqrt(2 / 3.14159265358979) * exp(-$at**2 / 2) + abs($bias) * (1 - 2 * normal_cdf(-$at));
}

# Classes chosen in simulations, each how often.
sub simulated_law
{
	my ($scale, $gaussian, $noise, @units) = @_;
	my $each = $noise * ($gaussian ? sqrt(2 / 3.14159265358979) : 1);
	my @law = map { 0 } @units;
	for (1 .. SIMULATIONS)
	{
		my @noisy = map { $_ + ($gaussian ? $scale * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) : discrete_laplace($scale)) } @units;
		my $all = $each * filled($MOST, $each, sum0(map { 0.75 * 2**$_ * $noisy[$_] } 0 .. $#units));
		my @noise = map { $all * sqrt(2**$_ / $MOST) } 0 .. $#units;
		$law[ choose("$scale $gaussian", sub { $gaussian ? normal_reach($scale, $_[0]) : reach($scale, $_[0]) }, \@noise, \@noisy) ] += 1 / SIMULATIONS;
	}
	return @law;
}

sub make_table
{
	my ($name) = @_;
	(my $table = "in_$name") =~ s/ /_/g;
	$server->admin(<<"SQL");
CREATE TABLE $table (who int, place int NOT NULL);
INSERT INTO $table SELECT n, (7 * n + 13 * g) % 64 FROM (SELECT n, ($tables{$name})::int AS groups FROM generate_series(1, 10000) n) v, generate_series(1, groups) g;
VACUUM ANALYZE $table;
SELECT dp_agg.protect('$table', 'who', max_groups => $MOST);
SELECT dp_agg.set_domain('$table', 'place', ARRAY[@{[ join ', ', 0 .. 63 ]}]);
CREATE TABLE truth_$table AS SELECT place, count(*) AS n FROM $table GROUP BY place;
GRANT SELECT ON truth_$table TO tester;
SQL
	return $table;
}

# No more groups of a unit count than are chosen: all answers of a statement together lack what is cut there.  What
# they are off by varies by their noise and by what is chosen; of so many it is nearly normal, so that seven
# standard deviations of their mean are exceeded with a probability below 1e-11.
sub check_cut
{
	my ($name, $table, $settings, $scale, $law, $cut) = @_;
	my ($draws) = $server->draws($settings, MEASURED, 1,
		"SELECT sum(c.n - t.n) FROM truth_$table t JOIN (SELECT place, dp_count(DISTINCT who) AS n FROM $table GROUP BY place) c USING (place)");
	my $root = $settings->{mechanism} ? 1 : 2;
	my $expected = -sum0(map { $law->[$_] * $cut->[$_] } 0 .. 6);
	my $variance = sum0(map { $law->[$_] * ($MOST * $root * $scale**2 * 2**$_ / $MOST + ($cut->[$_] + $expected)**2) } 0 .. 6);
	my $mean = sum0(@$draws) / @$draws;
	my $allowed = 7 * sqrt($variance * (1 / @$draws + 1 / SIMULATIONS));
	cmp_ok(abs($mean - $expected), '<', $allowed, sprintf '%s: all groups together lack %.0f, %.0f in theory', $name, -$mean, -$expected);
	cmp_ok(-$expected, '>', $allowed, 'which could not be noise') if $settings->{epsilon} == 1;
	return;
}

# How far a group is off in the mean, of the 64: measured, in theory, and with each fixed max_groups, at the same price by
# its curve and by its epsilon.
sub measure
{
	my ($name, $table, $epsilon, $gaussian) = @_;
	my $settings = { epsilon => $epsilon, clipping => 'auto', ($gaussian ? (mechanism => 'gaussian', delta => 1e-9) : ()) };
	my $query = "SELECT place, dp_count(DISTINCT who) FROM $table GROUP BY place";
	my %line = map { ($_->{aggregate} => $_) } $server->price($query, $settings);
	my $fixed = ($server->price($query, { %$settings, clipping => 'fixed', shared_noise => 'off' }))[0]{noise_stddev};
	my $root = $gaussian ? 1 : sqrt(2);
	my @groups = split /\n/, $server->admin("SELECT count(DISTINCT place) FROM $table GROUP BY who");
	my @units = (0) x 7;
	for my $groups (@groups)
	{
		my $class = 0;
		$class++ while 2**$class < $groups;
		$units[$class]++;
	}
	my @cut = map { my $m = 2**$_; sum0(map { max($_ - $m, 0) } @groups) } 0 .. 6;
	my $off = $gaussian ? \&normal_off : \&laplace_off;
	my @law = simulated_law($line{'groups of a unit'}{noise_stddev} / $root, $gaussian, $line{'dp_count(DISTINCT who)'}{noise_stddev} / $root, @units);
	my $chosen = $line{'dp_count(DISTINCT who)'}{noise_stddev} / $root;
	my @alike = map { $off->($cut[$_] / $MOST, $fixed / $root * sqrt(2**$_ / $MOST)) } 0 .. 6;
	my @nominal = map { $off->($cut[$_] / $MOST, $fixed / $root * ($gaussian ? sqrt(2**$_ / $MOST) : 2**$_ / $MOST)) } 0 .. 6;
	my $theory = sum0(map { $law[$_] * $off->($cut[$_] / $MOST, $chosen * sqrt(2**$_ / $MOST)) } 0 .. 6);
	my ($draws) = $server->draws($settings, MEASURED / (@groups > 0 && $cut[0] > 1e5 ? 5 : 1), 1,
		"SELECT avg(abs(c.n - t.n)) FROM truth_$table t JOIN (SELECT place, dp_count(DISTINCT who) AS n FROM $table GROUP BY place) c USING (place)");
	my ($best) = sort { $alike[$a] <=> $alike[$b] } 0 .. 6;
	my $least = min(@nominal);
	note(sprintf '%-10s %s epsilon %-3s off by %.2f, in theory %.2f; best fixed %d: %.2f, ratio %.2f; max_groups 64: %.1f; best at the same epsilon %.2f; chosen: %s; fixed: %s', $name,
		$gaussian ? 'Gaussian' : 'Laplace ', $epsilon, sum0(@$draws) / @$draws, $theory, 2**$best, $alike[$best], $theory / $alike[$best], $alike[6], $least,
		join(' ', map { sprintf '%.2f', $_ } @law), join ' ', map { sprintf '%.3g', $_ } @alike);
	cmp_ok($theory / $alike[$best], '<', $limit{$name}, "$name at epsilon $epsilon: not far from the best fixed max_groups at the same cost");

	check_cut($name, $table, $settings, $chosen, \@law, \@cut) if $name eq 'ten giants';

	# By Markov's inequality the mean over 64 groups is within four times what is expected in three quarters of the runs.
	my (undef, $high) = binomial_interval(scalar(grep { $_ <= 4 * $theory + 1 } @$draws), scalar @$draws, ALPHA);
	cmp_ok($high, '>=', 0.75, "$name at epsilon $epsilon: within four times what is expected");
	return;
}

for my $name (grep { !@ARGV || $_ =~ $ARGV[0] } sort keys %tables)
{
	my $table = make_table($name);
	measure($name, $table, $_, 0) for 0.1, 1;
	measure($name, $table, 1, 1);
}
$server->finish;
done_testing();
