# Bounds suggested, and what bounds cut, through SQL: how close to the truth?
#
# Suggestions.  The error of a count with a bound of 2^k is what it cuts and the mean
# absolute noise that it asks for.  The best power of two, known afterwards, is compared
# with what is suggested, on tables with a long tail, without one, with one unit of many
# rows, with few units, and with a row each.  More than half of the suggestions have to
# be within twice the best, but where units are too few to be seen.  Nine tenths and more
# are, so that half of the draws fail with a probability below 1e-12 a table.
#
# Where each unit has one row, noise alone makes a bound of 16 or more with a probability of
# at most sum_(m >= 4) min(4, m - 3) exp(-3) / 2^m + sum_(j >= 4) 0.24^j < 0.017; Clopper and
# Pearson's interval at 1e-10 must not exclude it.
#
# Shares.  Intervals have to hold the truth of the units that they are about, with at
# most most_rows rows: not more than 5 % of them miss it, as far as Clopper and
# Pearson's interval at 1e-11 tells.  Those a third as wide must be refuted, or no case
# could fail: noise leaves them in 37 % of draws or more.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(min sum0);
use Test::More;

use DpBounds qw(binomial_interval);
use DpServer;

use constant {
	SUGGESTED => 50,
	MEASURED => 250
};

my $server = DpServer->new('bounding');
$server->admin(<<'SQL');
CREATE TABLE tail AS SELECT p AS person, v % 50 AS place FROM generate_series(1, 2000) p, generate_series(1, 2000 / p) v;
CREATE TABLE uniform AS SELECT p AS person, v % 50 AS place FROM generate_series(1, 500) p, generate_series(1, 1 + p % 50) v;
CREATE TABLE giant AS SELECT p AS person, v % 50 AS place FROM generate_series(1, 1000) p, generate_series(1, CASE p WHEN 1 THEN 10000 ELSE 1 + p % 3 END) v;
CREATE TABLE sparse AS SELECT p AS person, v % 50 AS place FROM generate_series(1, 100) p, generate_series(1, 1 + p % 20) v;
CREATE TABLE single AS SELECT p AS person, p % 50 AS place FROM generate_series(1, 1000) p;
SELECT dp_agg.protect(t, 'person', max_rows => 4, max_groups => 2) FROM unnest('{tail,uniform,giant,sparse,single}'::regclass[]) t;
SQL

# The error with each bound 2^0 ... 2^17, of rows or groups.
sub errors
{
	my ($table, $what, $epsilon) = @_;
	my $weight = $what eq 'groups' ? 50 : 1;
	return map { my ($k, $error) = split /\|/; $error } split /\n/, $server->admin(<<"SQL");
WITH units AS (SELECT @{[ $what eq 'groups' ? 'count(DISTINCT place)' : 'count(*)' ]}::float8 AS n FROM $table GROUP BY person)
SELECT k, (SELECT sum(greatest(n - 2::float8 ^ k, 0)) FROM units) + 2::float8 ^ k * $weight / sinh($epsilon) FROM generate_series(0, 17) k ORDER BY 1
SQL
}

# Ratios of errors of what is suggested to the best one, and the bounds.
sub suggest
{
	my ($table, $what, $spent, $epsilon) = @_;
	my $call = $what eq 'groups' ? "suggest_max_groups('$table', 'place', $spent, query_epsilon => $epsilon, groups => 50)"
	  : "suggest_max_rows('$table', $spent, query_epsilon => $epsilon)";
	my @errors = errors($table, $what, $epsilon);
	my @bounds = map { $_->[0] || 1 }
	  $server->ask("SELECT (SELECT dp_agg.$call WHERE i > 0) FROM generate_series(1, ${\SUGGESTED}) i");
	my $best = min(@errors);
	# Beyond 2^17 noise alone counts.
	my @ratios = map { my $k = int(log($_) / log(2) + 0.5); ($errors[$k] // $errors[17] * 2**($k - 17)) / $best } @bounds;
	my ($power) = grep { $errors[$_] == $best } 0 .. 17;
	return (2**$power, \@bounds, \@ratios);
}

for my $what (qw(rows groups))
{
	for my $table (qw(tail uniform giant sparse single))
	{
		for my $pair ([ 0.1, 0.1 ], $what eq 'rows' ? ([ 0.5, 0.1 ], [ 1, 1 ]) : ())
		{
			my ($spent, $epsilon) = @$pair;
			my $name = "max_$what, $table, at $spent for $epsilon";
			my ($best, $bounds, $ratios) = suggest($table, $what, $spent, $epsilon);
			my @sorted = sort { $a <=> $b } @$ratios;
			my $near = grep { $_ <= 2 } @$ratios;
			my $shown = sprintf '%s: best %d, error of what is suggested is %.2f times the least in the middle, %.2f in nine of ten',
			  $name, $best, $sorted[ @sorted / 2 ], $sorted[ 0.9 * @sorted ];
			$table eq 'sparse' && $spent == 0.1 ? note($shown) : cmp_ok($near, '>', SUGGESTED / 2, $shown);
			next if $table ne 'single';
			my $above = grep { $_ >= 16 } @$bounds;
			my ($low) = binomial_interval($above, SUGGESTED, 1e-10);
			cmp_ok($low, '<=', 0.017, "$name: noise makes no bound");
		}
	}
}

# Shares cut of units with at most so many rows, by power of two.
sub truths
{
	my ($table, $columns, $rows, $groups) = @_;
	my %truth;
	for (split /\n/, $server->admin(<<"SQL"))
WITH cells AS (SELECT person, count(*) AS n FROM $table GROUP BY $columns),
units AS (SELECT sum(n) AS n, sum(least(n, $rows)) * least(1, ${groups}::numeric / count(*)) AS kept FROM cells GROUP BY person)
SELECT 2 ^ k, avg((kept < n)::int), 1 - sum(kept) / sum(n) FROM generate_series(0, 20) k JOIN units ON n <= 2 ^ k GROUP BY 1
SQL
	{
		my ($most, @shares) = split /\|/;
		$truth{$most} = \@shares;
	}
	return \%truth;
}

# The draws of which an interval, made narrower by a factor, misses the truth.
sub missed
{
	my ($draws, $truth, $first, $which, $factor) = @_;
	my $missed = 0;
	for my $draw (@$draws)
	{
		my ($most, @numbers) = @$draw;
		my ($share, $low, $high) = @numbers[ 3 * $which .. 3 * $which + 2 ];
		my $right = $truth->{ $most eq '' ? 1 : $which == 0 && $most < $first ? $first : $most }[$which];
		$missed++ if $share eq '' ? $factor < 1 : $right < $share - ($share - $low) * $factor - 1e-9 || $right > $share + ($high - $share) * $factor + 1e-9;
	}
	return $missed;
}

for my $case (
	[ 'uniform', 'person', 4, 1, "'uniform', 1" ],
	[ 'uniform', 'person, place', 4, 2, "'uniform', 1, col => 'place'" ],
	[ 'uniform', 'person', 20, 1, "'uniform', 0.5, max_rows => 20" ],
	[ 'tail', 'person', 4, 1, "'tail', 2" ],
	[ 'uniform', 'person', 4, 1, "'uniform', 2", 'gaussian' ])
{
	my ($table, $columns, $rows, $groups, $call, $mechanism) = @$case;
	my $truth = truths($table, $columns, $rows, $groups);
	my ($first) = grep { $_ > $rows } map { 2**$_ } 0 .. 20;
	my @draws = $server->ask("SET dp_agg.mechanism = '${\($mechanism // 'laplace')}'; SELECT b.most_rows, b.units_cut, b.units_cut_low, b.units_cut_high, b.rows_cut, b.rows_cut_low, b.rows_cut_high "
		  . "FROM generate_series(1, ${\MEASURED}) i, LATERAL dp_agg.measure_bounding($call, filter => i || ' = ' || i) b");
	for my $which (0, 1)
	{
		my $name = ("units cut of $table", "rows cut of $table")[$which] . " by $columns, bounds $rows and $groups, " . ($mechanism // 'laplace');
		my ($missed, $half) = map { missed(\@draws, $truth, $first, $which, $_) } 1, 1 / 3;
		my ($low) = binomial_interval($missed, scalar @draws, 1e-11);
		cmp_ok($low, '<=', 0.05, "$name: $missed of ${\MEASURED} intervals miss the truth");
		my ($half_low) = binomial_interval($half, scalar @draws, 1e-11);
		cmp_ok($half_low, '>', 0.05, "$name: a third as wide, $half do");
	}
}

$server->finish;
done_testing();
