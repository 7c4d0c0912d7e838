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
# Then models of ten columns are asked for, which are drawn, and where DP_DATA names a directory with the files of
# test/statistical/datasets, ones of wages.  Of 40 answers at least half must explain so much of the variance: what
# AdaSSP explains, another mechanism (Wang, 2018), with the same epsilon and delta, or more.  Single answers fall short of that with a
# probability of 0.1 at most (measured, of 400: 0.05), and so half of them with one below 2e-11.
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

# The share of the variance of y that models explain: medians of answers.  `exact`: without noise; `least`: for each
# epsilon what half of the answers have to explain, or nothing to have it told only, where DP_DATA is given.
my @slopes = (0.21, -0.19, 0.17, -0.15, 0.13, -0.12, 0.11, -0.1, 0.1, -0.07);

# People whose columns and errors are normal.
sub drawn
{
	my ($people, $slopes, %of) = @_;
	my @names = map { "x$_" } 1 .. @$slopes;
	my $columns = join ', ', map { "greatest(-1, least(1, 0.4 * normal())) AS $_" } @names;
	my $law = join ' + ', 0.1, map { "($slopes->[$_]) * $names[$_]" } 0 .. $#$slopes;
	return {
		y => 'y', low => -1, high => 1, x => join(', ', @names), columns => '{' . join(', ', map { qq("$_": [-1, 1]) } @names) . '}',
		rows => "SELECT id, @{[ join ', ', @names ]}, greatest(-1, least(1, $law + 0.15 * normal())) AS y FROM (SELECT n AS id, $columns FROM generate_series(1, $people) n OFFSET 0) x", %of };
}

# Wages that Debian's packages ship.
sub wages
{
	my ($table, %of) = @_;
	return {
		y => 'earnings', low => 0, high => 80, file => 'cps', fields => 'earnings float8, gender text, age int, region text, education int',
		columns => '{"age": [15, 75], "education": [0, 20], "gender": ["female", "male"], "region": ["Northeast", "Midwest", "South", "West"]}',
		x => "age, education, (gender = 'male')::int, (region = 'Midwest')::int, (region = 'South')::int, (region = 'West')::int", table => $table, %of };
}

my @data = (
	drawn(2_000, [ @slopes[ 0 .. 4 ] ], table => 'drawn5', exact => 0.51, within => 0.1, least => { 0.1 => undef, 0.3 => undef, 1 => undef, 3 => undef }),
	drawn(10_000, \@slopes, table => 'drawn10', exact => 0.58, within => 0.05, least => { 0.1 => undef, 0.3 => 0.214, 1 => 0.499, 3 => 0.574 }));
push @data, {
	table => 'slid', file => 'slid', fields => 'wages float8, education float8, age int, sex text, language text', where => 'wages + education + age IS NOT NULL AND language IS NOT NULL',
	y => 'wages', low => 0, high => 50, columns => '{"age": [15, 75], "education": [0, 20], "sex": ["Female", "Male"], "language": ["English", "French", "Other"]}',
	x => "age, education, (sex = 'Male')::int, (language = 'French')::int, (language = 'Other')::int",
	exact => 0.298, within => 0.001, least => { 0.1 => -0.29, 0.3 => 0.022, 1 => 0.235, 3 => 0.288 } },
  wages('cps', exact => 0.251, within => 0.001, least => { 0.1 => 0.19, 0.3 => 0.239, 1 => 0.2504, 3 => 0.25135 }),
  wages('cps5', rows => 'SELECT * FROM cps WHERE id % 12 = 1 ORDER BY id LIMIT 5000', exact => 0.25, within => 0.01, least => { 0.1 => -0.9, 0.3 => -0.22, 1 => 0.063, 3 => 0.221 })
  if defined $ENV{DP_DATA};

# Make a table of data, and what tells how much of y a model explains there.
sub make
{
	my ($data) = @_;
	my ($table, $where) = ($data->{table}, $data->{where} // 'true');
	if ($data->{rows}) { $server->admin("SELECT setseed(0.75); CREATE TABLE $table AS $data->{rows}; ALTER TABLE $table ADD PRIMARY KEY (id)") }
	else
	{
		my $listed = join ', ', map { (split)[0] } split /, /, $data->{fields};
		$server->admin("CREATE TABLE $table (id serial PRIMARY KEY, $data->{fields}); COPY $table ($listed) FROM '$ENV{DP_DATA}/$data->{file}.csv' (FORMAT csv, HEADER, NULL 'NA')");
	}
	my ($y, $p) = map { "least(greatest($_, $data->{low}), $data->{high})" } $data->{y}, "dp_predict(coef, ARRAY[1, $data->{x}])";
	my $body = "SELECT 1 - avg((y - p) ^ 2) / var_pop(y) FROM (SELECT $y AS y, $p AS p FROM $table WHERE $where) t" =~ s/'/''/gr;
	$server->admin("SELECT dp_agg.protect('$table', 'id'); CREATE FUNCTION explained_$table(coef float8[]) RETURNS float8 LANGUAGE sql SECURITY DEFINER AS '$body'");
	return;
}

for my $data (@data)
{
	make($data);
	my $table = $data->{table};
	my $query = "SELECT explained_$table(array_agg(coef) FILTER (WHERE term <> '(sigma)')) FROM dp_linregr('$table', '$data->{y}', $data->{low}, $data->{high}, '$data->{columns}')";
	$server->reset;
	my ($without) = $server->draws({ mechanism => 'gaussian', epsilon => 1048576, delta => 1e-9 }, 1, 1, $query);
	cmp_ok(abs($without->[0] - $data->{exact}), '<=', $data->{within}, sprintf '%s: explains %.3f of the variance without noise', $table, $without->[0]);
	for my $epsilon (sort keys %{ $data->{least} })
	{
		my $least = $data->{least}{$epsilon};
		next unless defined $least || defined $ENV{DP_DATA};
		my ($draws) = $server->draws({ mechanism => 'gaussian', epsilon => $epsilon, delta => 1e-9 }, 40, 4, $query);
		my @sorted = sort { $a <=> $b } @$draws;
		note(sprintf '%s at epsilon %g: explains %.4f, 5 %% of answers %.5f or less, 10 %% %.5f', $table, $epsilon, map { $sorted[ $_ * @sorted ] } 0.5, 0.05, 0.1);
		cmp_ok($sorted[ @sorted / 2 ], '>=', $least, sprintf '%s at epsilon %g: explains %.3f', $table, $epsilon, $sorted[ @sorted / 2 ]) if defined $least;
	}
}

$server->finish;
done_testing();
