# Models are as accurate as they say: deviations, intervals and predictions of dp_linregr.
#
# A thousand samples of 2,000 people are drawn, each from the same law: three columns between
# -1 and 1 and one that is a combination of them and of normal errors.  Each is asked for its
# model once, by Gaussian noise at epsilon 1 and 0.3.  Then
#
#	the intervals of each coefficient hold the law's in 94 % of the samples or more,
#	those of predictions a new row's y in 95 % or more,
#	and coefficients deviate by what std_err says, in the mean of the samples, where nothing is shrunk.
#
# What is claimed to hold with probability p must hold as often as p falls short of with a probability of
# 1e-11.  Deviations of a thousand have a relative standard deviation of 2.3 %, or a little more since
# intervals are made to hold: they are compared within 20 %, and means within 7 of them over the root of a
# thousand.  That is below 1e-10 for each of the cases.
#
# The case must be able to fail: intervals that did not allow for noise would hold in a fraction of the samples.
#
# Where DP_DATA names a directory with the files of test/statistical/datasets, models of wages are fitted, too.  Of
# 40 answers at least half must explain so much of the variance: single ones fall short of that with a
# probability of 0.1 at most (measured, of 60: 0.06), and so half of them with one below 1e-12.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use Test::More;

use DpBounds qw(binomial_tail);
use DpServer;

use constant {
	SAMPLES => 1_000,
	PEOPLE => 2_000,
	ALPHA => 1e-11
};

my $server = DpServer->new('models');
my @law = (0.1, 0.3, -0.2, 0.1);
my $columns = '{"a": [-1, 1], "b": [-1, 1], "c": [-1, 1]}';

# Samples, and a row more of each that is not asked.
$server->admin(sprintf <<'SQL', PEOPLE, SAMPLES, PEOPLE, @law);
SELECT setseed(0.25);
CREATE FUNCTION normal() RETURNS float8 LANGUAGE sql AS 'SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())';
CREATE TABLE drawn AS SELECT n AS id, n / %d AS sample, greatest(-1, least(1, 0.4 * normal())) AS a,
	greatest(-1, least(1, 0.4 * normal())) AS b, greatest(-1, least(1, 0.4 * normal())) AS c, 0::float8 AS y
	FROM generate_series(0, %d * %d - 1) n;
UPDATE drawn SET y = greatest(-1, least(1, %g + %g * a + %g * b + %g * c + 0.15 * normal()));
ALTER TABLE drawn ADD PRIMARY KEY (id);
CREATE INDEX ON drawn (sample);
VACUUM ANALYZE drawn;
SELECT dp_agg.protect('drawn', 'id');
SQL

# The rows of all answers at this epsilon: of each sample those of its terms.
sub answers
{
	my ($epsilon) = @_;
	$server->reset;
	my @rows = $server->ask(DpServer::set_commands({ mechanism => 'gaussian', epsilon => $epsilon, delta => 1e-9 }) . sprintf <<'SQL', $columns, SAMPLES);
CREATE TEMP TABLE answer (sample int, place int, coef float8, std_err float8, low float8, high float8, shrunk boolean, covariance float8[]);
DO $do$ BEGIN
	FOR k IN 0 .. 999 LOOP
		EXECUTE format('INSERT INTO answer SELECT %%s, row_number() OVER () - 1, coef, std_err, lower, upper, shrunk, covariance '
			'FROM dp_linregr(''drawn'', ''y'', -1, 1, %%L, filter => ''sample = %%s AND id %%%% 2000 > 0'')', k, '%s', k);
	END LOOP;
END $do$;
SELECT a.sample, a.place, a.coef, a.std_err, a.low, a.high, a.shrunk, i.lower, i.upper FROM answer a, (SELECT sample,
	array_agg((low + high) / 2 ORDER BY place) FILTER (WHERE place < 4) AS coef, array_agg(covariance ORDER BY place) FILTER (WHERE place < 4) AS covariance,
	max(high) FILTER (WHERE place = 4) AS sigma FROM answer GROUP BY 1) m, LATERAL dp_predict_interval(m.coef, m.covariance, m.sigma, ARRAY[1, 0.5, -0.5, 0.25]) i
	WHERE a.sample = m.sample AND a.place < 4 ORDER BY 1, 2;
SQL
	return @rows;
}

# Does something that held in so many of the samples hold with this probability?
sub holds
{
	my ($name, $held, $p) = @_;
	my $chance = 1 - binomial_tail($held + 1, SAMPLES, $p);
	cmp_ok($chance, '>=', ALPHA, sprintf '%s: hold in %.1f %%, %g %% at least are stated', $name, 100 * $held / SAMPLES, 100 * $p);
	return;
}

# A y of the law at x = (1, 0.5, -0.5, 0.25), for each sample: normal, by sums of twelve.
my @new = map { $law[0] + 0.5 * $law[1] - 0.5 * $law[2] + 0.25 * $law[3] + 0.15 * (sum0(map { rand } 1 .. 12) - 6) } 1 .. SAMPLES;

for my $epsilon (1, 0.3)
{
	my @rows = answers($epsilon);
	is(scalar @rows, 4 * SAMPLES, "epsilon $epsilon: all answered");
	my $shrunk = grep { $_->[6] eq 't' } @rows;
	for my $place (0 .. 3)
	{
		my @of = grep { $_->[1] == $place } @rows;
		my $name = ('intercept', 'a', 'b', 'c')[$place] . " at epsilon $epsilon";
		my @off = map { ($_->[4] + $_->[5]) / 2 - $law[$place] } @of;
		my $deviation = sqrt(sum0(map { $_**2 } @off) / SAMPLES);
		my $stated = sqrt(sum0(map { $_->[3]**2 } @of) / SAMPLES);
		holds("intervals of $name", scalar(grep { $_->[4] <= $law[$place] && $law[$place] <= $_->[5] } @of), 0.94);
		next if $shrunk;
		cmp_ok(abs($deviation / $stated - 1), '<=', 0.2, sprintf '%s: off by %.4f, stated %.4f', $name, $deviation, $stated);
		cmp_ok(abs(sum0(@off)) / SAMPLES, '<=', 7 * $stated / sqrt(SAMPLES) + 0.05 * $stated, "$name: no bias");

		# Without noise, a coefficient's error would be about 0.15 / (0.4 sqrt(2000)).
		my $sampling = $place == 0 ? 0.15 / sqrt(PEOPLE) : 0.15 / 0.39 / sqrt(PEOPLE);
		my $held = grep { abs($_) <= 1.96 * $sampling } @off;
		cmp_ok($held / SAMPLES, '<=', 0.9, sprintf '%s: %.1f %% would be held without regard to noise', $name, 100 * $held / SAMPLES);
	}
	my @first = grep { $_->[1] == 0 } @rows;
	holds("predictions at epsilon $epsilon", scalar(grep { $first[$_][7] <= $new[$_] && $new[$_] <= $first[$_][8] } 0 .. $#first), 0.95);
	note(sprintf 'epsilon %g: %d of %d shrunk', $epsilon, $shrunk / 4, SAMPLES);
}

# Real data: file, columns of the table, condition, y with its bounds, columns, their numbers in SQL, epsilon, the
# share of variance that is explained without noise, and how much less is too little.
my @data = (
	[ 'slid', 'wages float8, education float8, age int, sex text, language text', 'wages + education + age IS NOT NULL AND language IS NOT NULL', 'wages, 0, 50',
		'{"age": [15, 75], "education": [0, 20], "sex": ["Female", "Male"], "language": ["English", "French", "Other"]}',
		"age, education, (sex = 'Male')::int, (language = 'French')::int, (language = 'Other')::int", 1, 0.298, 0.06 ],
	[ 'cps', 'earnings float8, gender text, age int, region text, education int', 'true', 'earnings, 0, 80',
		'{"age": [15, 75], "education": [0, 20], "gender": ["female", "male"], "region": ["Northeast", "Midwest", "South", "West"]}',
		"age, education, (gender = 'male')::int, (region = 'Midwest')::int, (region = 'South')::int, (region = 'West')::int", 0.1, 0.251, 0.06 ]);

for my $data (defined $ENV{DP_DATA} ? @data : ())
{
	my ($table, $fields, $condition, $y, $terms, $x, $epsilon, $exact, $less) = @$data;
	my ($name, $low, $high) = split /, /, $y;
	my $file = "$ENV{DP_DATA}/$table.csv";
	my $listed = join ', ', map { (split)[0] } split /, /, $fields;
	$server->admin("CREATE TABLE $table (id serial PRIMARY KEY, $fields);
		COPY $table ($listed) FROM '$file' (FORMAT csv, HEADER, NULL 'NA');
		SELECT dp_agg.protect('$table', 'id');
		CREATE FUNCTION explained_$table(coef float8[]) RETURNS float8 LANGUAGE sql SECURITY DEFINER AS 'SELECT 1 - avg((y - p) ^ 2) / var_pop(y)
			FROM (SELECT least(greatest($name, $low), $high) AS y, least(greatest(dp_predict(coef, ARRAY[1, " . ($x =~ s/'/''/gr) . "]), $low), $high) AS p FROM $table WHERE $condition) t'");
	$server->reset;
	my $query = "SELECT explained_$table(array_agg(coef) FILTER (WHERE term <> '(sigma)')) FROM dp_linregr('$table', '$name', $low, $high, '$terms')";
	my ($draws) = $server->draws({ mechanism => 'gaussian', epsilon => $epsilon, delta => 1e-9 }, 40, 4, $query);
	my ($without) = $server->draws({ mechanism => 'gaussian', epsilon => 1048576, delta => 1e-9 }, 1, 1, $query);
	my @sorted = sort { $a <=> $b } @$draws;
	cmp_ok(abs($without->[0] - $exact), '<=', 0.001, sprintf '%s: explains %.3f of the variance without noise', $table, $without->[0]);
	cmp_ok($sorted[20], '>=', $exact - $less, sprintf '%s at epsilon %g: explains %.3f', $table, $epsilon, $sorted[20]);
}

$server->finish;
done_testing();
