# Intervals of counts and sums whose clamp is chosen privately: how often do they hold the truth, in tables of
# many kinds, and how far do they reach above the answer, in terms of noise?  Beside that, how often those
# of noise alone would.
#
# False failures: the share that holds the truth is held against Clopper and Pearson's interval, 4e-12 on its side, for
# fewer than 120; answers to groups of a statement share a clamp, so that statements are counted where
# there are several: by Markov's inequality, half of those have at most twice the expected share of misses.
#
# With an argument, a pattern, only the tables it matches are measured.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpBounds qw(binomial_interval);
use DpServer;

use constant { RUNS => 200, ALPHA => 4e-12, MISS => 0.05 };

my $server = DpServer->new('clipped_intervals');

# Rows (who, place, x) of each kind of table, and its number of places.  Several aggregates of it are asked.
my $tail = 'ceil(2 * power(1 - (n - 0.5) / 10000, -1 / 1.5))';
my %tables = (
	'one row a unit' => { rows => 'SELECT n, 0, n % 90 FROM generate_series(1, 10000) n' },
	'few rows' => { rows => 'SELECT n, 0, g FROM generate_series(1, 300) n, generate_series(1, 1 + n % 8) g' },
	'few people' => { rows => 'SELECT n, 0, g FROM generate_series(1, 40) n, generate_series(1, 1 + n % 8) g' },
	'heavy tail' => { rows => "SELECT n, 0, g % 11 FROM generate_series(1, 10000) n, generate_series(1, ($tail)::int) g" },
	'heavy tail up to 549' => { rows => 'SELECT n, 0, g % 11 FROM generate_series(1, 4000) n, generate_series(1, least(ceil(4 * power(1 - (n - 0.5) / 4000, -1 / 1.5)), 549)::int) g' },
	'lognormal' => { rows => 'SELECT n, 0, g % 11 FROM generate_series(1, 10000) n, generate_series(1, ceil(exp(1.5 + 1.1 * sqrt(-2 * ln((n - 0.5) / 10000)) * cos(2 * pi() * 0.618034 * n)))::int) g' },
	'sparse groups' => { places => 50, rows => 'SELECT n, n % 50, g FROM generate_series(1, 1500) n, generate_series(1, 1 + n * n % 7) g WHERE n % 50 < 40 OR n % 3 = 0' },
	'dense groups' => { places => 6, rows => "SELECT n, n % 6, g % 11 FROM generate_series(1, 10000) n, generate_series(1, ($tail)::int) g" },
	'money' => { upper => 8000, rows => 'SELECT n, 0, least(exp(5 + 1.2 * sqrt(-2 * ln((n - 0.5) / 3000)) * cos(2 * pi() * 0.618034 * n)), 8000)::int FROM generate_series(1, 3000) n, generate_series(1, 1 + n % 14) g' },
	'ages' => { upper => 120, rows => 'SELECT n, 0, 18 + n * 7 % 78 FROM generate_series(1, 5000) n' },
	'the demo\'s' => { places => 5, max_groups => 2, upper => 300, counts => 1, rows => 'SELECT p, (p + (v % 5 = 0)::int) % 5, least(20 + 20 * (1 + p % 5) * -ln((p * 0.618034 + v * 0.414214) % 1), 300)::int FROM generate_series(1, 4000) p, generate_series(1, 1 + p * 7 % 12) v' });

sub make_table
{
	my ($name) = @_;
	my $places = $tables{$name}{places} // 1;
	(my $table = "t_$name") =~ s/\W/_/g;
	$server->admin(<<"SQL");
CREATE TABLE $table (who int NOT NULL, place int NOT NULL, x int NOT NULL);
INSERT INTO $table $tables{$name}{rows};
VACUUM ANALYZE $table;
SELECT dp_agg.protect('$table', 'who', max_groups => @{[ $tables{$name}{max_groups} // 1 ]});
SELECT dp_agg.set_domain('$table', 'place', ARRAY[@{[ join ', ', 0 .. $places - 1 ]}]);
CREATE TABLE truth_$table AS SELECT p AS place, count(who) AS n, coalesce(sum(x), 0) AS s FROM generate_series(0, @{[ $places - 1 ]}) p LEFT JOIN $table ON place = p GROUP BY p;
GRANT SELECT ON truth_$table TO tester;
SQL
	return ($table, $places);
}

# Is the share of statements with at most this share of misses large enough?
sub covers
{
	my ($name, $places, @shares) = @_;
	my $misses = 1 - sum0(@shares) / @shares;
	my ($most, $least) = $places == 1 ? (0, 1 - MISS) : (2 * MISS, 0.5);
	my (undef, $high) = binomial_interval(scalar(grep { 1 - $_ <= $most + 1e-9 } @shares), scalar @shares, ALPHA);
	return cmp_ok($high, '>=', $least, sprintf '%s: %.1f %% hold the truth', $name, 100 * (1 - $misses));
}

# Answers of an aggregate: how many of the groups' intervals hold the truth, with what is cut, and without; and how far the
# upper end is, in half widths.
sub measure
{
	my ($name, $table, $places, $aggregate, $truth, $epsilon) = @_;
	my $base = $places + 1;
	my $query = <<"SQL";
SELECT count(*) FILTER (WHERE i @> $truth) + $base * count(*) FILTER (WHERE $truth BETWEEN lower(i) AND 2 * c - lower(i)) +
	$base * $base * least(round(percentile_disc(0.5) WITHIN GROUP (ORDER BY coalesce(10 * (upper(i) - c) / (c - lower(i)), 1e6))), 1e6)
	FROM (SELECT place, $aggregate\::numeric AS c, dp_interval($aggregate) AS i FROM $table GROUP BY place) a JOIN (SELECT place, n::numeric, s::numeric FROM truth_$table) t USING (place)
SQL
	my ($draws) = $server->draws({ epsilon => $epsilon, clipping => 'auto' }, RUNS, 4, $query);
	my (@holds, @before, @reach);
	for my $draw (map { int($_ + 0.5) } @$draws)
	{
		push @holds, $draw % $base / $places;
		push @before, int($draw / $base) % $base / $places;
		push @reach, int($draw / $base / $base) / 10;
	}
	@reach = sort { $a <=> $b } @reach;
	covers("$name, $aggregate at epsilon $epsilon", $places, @holds);
	note(sprintf '| %s | `%s` | %s | %.1f %% | %.1f %% | %s |', $name, $aggregate, $epsilon, 100 * sum0(@before) / @before, 100 * sum0(@holds) / @holds,
		$reach[ @reach / 2 ] < 1e5 ? sprintf('%.1f', $reach[ @reach / 2 ]) : 'open');
	return;
}

my $pattern = shift // '';
for my $name (grep { /$pattern/ } sort keys %tables)
{
	my ($table, $places) = make_table($name);
	my $upper = $tables{$name}{upper} // 90;
	for my $epsilon (0.1, 1)
	{
		measure($name, $table, $places, 'dp_count(*)', 'n', $epsilon) if !$tables{$name}{upper} || $tables{$name}{counts};
		measure($name, $table, $places, "dp_sum(x, 0, $upper)", 's', $epsilon) if $tables{$name}{upper} || $name =~ /groups|heavy tail/;
	}
}
$server->finish;
done_testing();
