# Classifiers are as accurate as they say: intervals of dp_logregr, and what it and dp_svm tell of real people.
#
# Five hundred samples of 5,000 people are drawn, each from the same logistic law: three columns between -1 and 1, and
# a condition.  Each is asked for its model once, with Gaussian noise and two passes, at epsilon 1 and 0.3.  Then the
# intervals of each coefficient, coef +- 1.96 std_err, hold the law's in 93 and 88 % of the samples or more.
#
# What is claimed to hold with probability p must hold as often as p falls short of with a probability of 1e-11.  The case
# must be able to fail: intervals that did not allow for noise would hold in a fraction of the samples.
#
# Where DP_DATA names a directory with the files of test/statistical/datasets, models of who survived, who is insured and
# who smokes are fitted, too.  The area under the curve (AUC) is how often one of whom the condition holds is ranked above one of
# whom it does not.  Of 40 answers at least half must have an AUC so near to that without noise, and tell so
# many right: single answers fall short of that with a probability of 0.05 at most, and so half of them with one
# below 1e-15.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpBounds qw(binomial_tail);
use DpServer;

use constant {
	SAMPLES => 500,
	PEOPLE => 5_000,
	ALPHA => 1e-11
};

my $server = DpServer->new('classifiers');
my @law = (-0.5, 1, -0.7, 0.4);
my $columns = '{"a": [-1, 1], "b": [-1, 1], "c": [-1, 1]}';

$server->admin(sprintf <<'SQL', PEOPLE, SAMPLES, PEOPLE, @law);
SELECT setseed(0.25);
CREATE FUNCTION normal() RETURNS float8 LANGUAGE sql AS 'SELECT sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())';
CREATE TABLE drawn AS SELECT id, sample, a, b, c, random() < 1 / (1 + exp(-(%4$g + %5$g * a + %6$g * b + %7$g * c))) AS y FROM (
	SELECT n AS id, n / %1$d AS sample, greatest(-1, least(1, 0.4 * normal())) AS a, greatest(-1, least(1, 0.4 * normal())) AS b,
	greatest(-1, least(1, 0.4 * normal())) AS c FROM generate_series(0, %2$d * %3$d - 1) n OFFSET 0) x;
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
	my @rows = $server->ask(DpServer::set_commands({ mechanism => 'gaussian', epsilon => $epsilon, delta => 1e-9 }) . sprintf <<'SQL', SAMPLES - 1, $columns);
CREATE TEMP TABLE answer (sample int, place int, coef float8, std_err float8);
DO $do$ BEGIN
	FOR k IN 0 .. %d LOOP
		EXECUTE format('INSERT INTO answer SELECT %%s, row_number() OVER () - 1, coef, std_err FROM dp_logregr(''drawn'', ''y'', %%L, filter => ''sample = %%s'')', k, '%s', k);
	END LOOP;
END $do$;
SELECT * FROM answer ORDER BY 1, 2;
SQL
	return @rows;
}

# The deviation of coefficients by sampling alone: by the information of 5,000 rows at the law, about.
my @sampling = (2.2 / sqrt(PEOPLE), (2.2 / 0.39 / sqrt(PEOPLE)) x 3);

for my $asked ([ 1, 0.93 ], [ 0.3, 0.88 ])
{
	my ($epsilon, $stated) = @$asked;
	my @rows = answers($epsilon);
	is(scalar @rows, 4 * SAMPLES, "epsilon $epsilon: all answered");
	for my $place (0 .. 3)
	{
		my @of = grep { $_->[1] == $place } @rows;
		my $name = ('intercept', 'a', 'b', 'c')[$place] . " at epsilon $epsilon";
		my $held = grep { abs($_->[2] - $law[$place]) <= 1.96 * $_->[3] } @of;
		my $chance = 1 - binomial_tail($held + 1, SAMPLES, $stated);
		my $deviation = sqrt(sum0(map { ($_->[2] - $law[$place])**2 } @of) / SAMPLES);
		my $said = sqrt(sum0(map { $_->[3]**2 } @of) / SAMPLES);
		cmp_ok($chance, '>=', ALPHA, sprintf '%s: off by %.4f, %.4f in theory; intervals hold the truth in %.1f %%, %g %% at least are stated',
			$name, $deviation, $said, 100 * $held / SAMPLES, 100 * $stated);
		next if $epsilon == 1;
		my $alone = grep { abs($_->[2] - $law[$place]) <= 1.96 * $sampling[$place] } @of;
		cmp_ok($alone / SAMPLES, '<=', 0.8, sprintf '%s: %.1f %% would be held without regard to noise', $name, 100 * $alone / SAMPLES);
	}
}

# Real data: file, columns of the table, y, columns of the model, their numbers in SQL.
my $no_yes = '["no", "yes"]';
my @data = (
	[ 'titanic', 'class text, sex text, age text, survived text', q{survived = 'Yes'},
		'{"class": ["1st", "2nd", "3rd", "Crew"], "sex": ["Male", "Female"], "age": ["Adult", "Child"]}',
		q{(class = '2nd')::int, (class = '3rd')::int, (class = 'Crew')::int, (sex = 'Female')::int, (age = 'Child')::int} ],
	[ 'health', 'health text, age int, "limit" text, gender text, insurance text, married text, selfemp text, family int, region text, ethnicity text, education text', q{insurance = 'yes'},
		qq{{"health": $no_yes, "age": [0, 100], "limit": $no_yes, "gender": ["female", "male"], "married": $no_yes, "selfemp": $no_yes, "family": [0, 20],
			"region": ["northeast", "midwest", "south", "west"], "ethnicity": ["cauc", "afam", "other"], "education": ["none", "ged", "highschool", "bachelor", "master", "phd", "other"]}},
		q{(health = 'yes')::int, age, ("limit" = 'yes')::int, (gender = 'male')::int, (married = 'yes')::int, (selfemp = 'yes')::int, family, (region = 'midwest')::int, (region = 'south')::int, (region = 'west')::int,
			(ethnicity = 'afam')::int, (ethnicity = 'other')::int, (education = 'ged')::int, (education = 'highschool')::int, (education = 'bachelor')::int, (education = 'master')::int, (education = 'phd')::int, (education = 'other')::int} ],
	[ 'smoke', 'smoker text, ban text, age int, education text, afam text, hispanic text, gender text', q{smoker = 'yes'},
		qq{{"ban": $no_yes, "age": [0, 100], "afam": $no_yes, "hispanic": $no_yes, "gender": ["male", "female"], "education": ["hs drop out", "hs", "some college", "college", "master"]}},
		q{(ban = 'yes')::int, age, (afam = 'yes')::int, (hispanic = 'yes')::int, (gender = 'female')::int, (education = 'hs')::int, (education = 'some college')::int, (education = 'college')::int, (education = 'master')::int} ]);

# What is asked of each: function, passes, epsilon; by how much accuracy and AUC may be less than without noise.
my @asked = ([ 'dp_logregr', 2, 1, 0.03, 0.06 ], [ 'dp_logregr', 2, 3, 0.02, 0.04 ], [ 'dp_svm', 4, 1, 0.03, 0.06 ], [ 'dp_logregr', 0, 1, 0.03, 0.08 ]);
push @asked, map { [ 'dp_logregr', 2, $_, 1, 1 ] } 0.1, 0.3 if $ENV{DP_DATA_ALL};

for my $data (defined $ENV{DP_DATA} ? @data : ())
{
	my ($table, $fields, $y, $terms, $x) = @$data;
	my $listed = join ', ', map { (split)[0] } split /, /, $fields;
	(my $quoted = "SELECT $y AS y, ARRAY[1, $x]::float8[] AS x FROM $table") =~ s/'/''/g;
	$server->admin("CREATE TABLE $table (id serial PRIMARY KEY, $fields);
		COPY $table ($listed) FROM '$ENV{DP_DATA}/$table.csv' (FORMAT csv, HEADER);
		SELECT dp_agg.protect('$table', 'id');
		CREATE FUNCTION right_$table(coef float8[]) RETURNS float8 LANGUAGE sql SECURITY DEFINER AS 'SELECT avg(((dp_predict(coef, x) > 0) = y)::int) FROM ($quoted) t';
		CREATE FUNCTION auc_$table(coef float8[]) RETURNS float8 LANGUAGE sql SECURITY DEFINER AS 'SELECT (sum(rank + (ties - 1) / 2.0) FILTER (WHERE y) - count(*) FILTER (WHERE y) * (count(*) FILTER (WHERE y) + 1) / 2.0)
			/ (count(*) FILTER (WHERE y) * count(*) FILTER (WHERE NOT y)) FROM (SELECT y, rank() OVER (ORDER BY z) AS rank, count(*) OVER (PARTITION BY z) AS ties FROM (SELECT y, dp_predict(coef, x) AS z FROM ($quoted) t) s) r'");
	for my $asked (@asked)
	{
		my ($function, $passes, $epsilon, $less, $less_auc) = @$asked;
		my $both = sub { my ($passes) = @_; return map { "SELECT ${_}_$table(array_agg(coef)) FROM $function('$table', '" . ($y =~ s/'/''/gr) . "', '$terms', $passes)" } qw(right auc) };
		$server->reset;
		my ($exact, $exact_auc) = map { $_->[0] } $server->draws({ mechanism => 'gaussian', epsilon => 1048576, delta => 1e-9 }, 1, 1, $both->(8));
		my ($right, $auc) = map { [ sort { $a <=> $b } @$_ ] } $server->draws({ mechanism => 'gaussian', epsilon => $epsilon, delta => 1e-9 }, 40, 4, $both->($passes));
		note(sprintf '5 %%: %.3f below, %.3f below', $exact - $right->[2], $exact_auc - $auc->[2]);
		my $name = "$table, $function with $passes passes at epsilon $epsilon";
		cmp_ok($right->[20], '>=', $exact - $less, sprintf '%s: %.3f are told right, %.3f in theory without noise', $name, $right->[20], $exact);
		cmp_ok($auc->[20], '>=', $exact_auc - $less_auc, sprintf '%s: AUC %.3f, %.3f in theory without noise', $name, $auc->[20], $exact_auc);
	}
}

$server->finish;
done_testing();
