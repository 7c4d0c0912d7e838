# Cases of neighbour.pl about models: what a person can change of all totals of a model together.
#
# The answer of dp_linregr is made of the noisy totals, and gives them away again where nothing is shrunk.
# For one boolean b and y in [-1, 1] with X'X = (n, x; x, n): the covariance has the eigenvalues
# v / a + s^2 k / a^2 for a = n + x and n - x, with v the variance of residuals and the deviation of its noise, s
# that of a total's and k = (1 +- 2 alpha beta + alpha^2 + beta^2); the other totals follow.
#
# The person's row is at the bounds of all columns, where its totals (1, 1, 1, 1/2, 1) have the greatest norms.  Under
# Gaussian noise the totals are looked at in that direction, along which the loss is greatest.  Under Laplace
# noise all of them have to be what they are with the person, or more: that costs all of epsilon.
#
# Of dp_logregr the totals themselves are looked at, those of the model and of each pass: the function that fits
# to them is replaced by one that shows them.  People are such that the model tells y by b for sure, at any noise that is likely: a slope
# is then 0 or 1 exactly.  The person is the one of whom that is wrong, which is the greatest change of all totals at once.
package DpModels;

use strict;
use warnings;

use Exporter 'import';
our @EXPORT_OK = qw(model_cases pass_cases);

# What is known of the people besides the person, and how much of what the row adds counts.
my @before = (400, 0, 0, -100, 0);
my @row = (1, 1, 1, 0.5, 1);

sub model_cases
{
	my ($server, $settings, $draws) = @_;
	$server->admin(<<'SQL');
CREATE FUNCTION model_totals(coef float8[], covariance float8[], sigma float8, sigma_upper float8, s float8) RETURNS float8[]
IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
	beta float8 := coef[2] / 2;
	alpha float8 := coef[1] + coef[2] / 2;
	v float8 := sigma ^ 2 + (sigma_upper ^ 2 - sigma ^ 2) / 1.6448536269514722;
	-- of coordinates: intercept = (that of the columns) + beta, beta = half of theirs
	v11 float8 := covariance[2][2] / 4;
	v01 float8 := covariance[1][2] / 2 + covariance[2][2] / 4;
	v00 float8 := covariance[1][1] + covariance[1][2] + covariance[2][2] / 4;
	plus float8 := (v00 + v11) / 2 + v01;
	minus float8 := (v00 + v11) / 2 - v01;
	k float8 := 1 + alpha ^ 2 + beta ^ 2;
	a float8 := (v + sqrt(v ^ 2 + 4 * plus * s ^ 2 * (k + 2 * alpha * beta))) / (2 * plus);
	b float8 := (v + sqrt(v ^ 2 + 4 * minus * s ^ 2 * (k - 2 * alpha * beta))) / (2 * minus);
	n float8 := (a + b) / 2;
	x float8 := (a - b) / 2;
	y float8 := alpha * n + beta * x;
	xy float8 := alpha * x + beta * n;
BEGIN
	RETURN ARRAY[n, x, y, sigma ^ 2 * n + alpha * y + beta * xy - n / 2, xy];
END $$;
SQL
	my $people = 'SELECT n, n % 2 = 0, CASE WHEN n % 4 < 2 THEN 0.5 ELSE -0.5 END FROM generate_series(1, 400) n';
	for my $i (0, 1)
	{
		$server->admin("CREATE TABLE models$i (id int PRIMARY KEY, b boolean, y float8); INSERT INTO models$i $people;
			CREATE TABLE fits$i (who int, b boolean, y float8); INSERT INTO fits$i $people;
			SELECT dp_agg.protect('models$i', 'id'), dp_agg.protect('fits$i', 'who', max_rows => 2)");
	}
	$server->admin("INSERT INTO models1 SELECT 0, true, 1e300; INSERT INTO fits1 SELECT 0, true, 1e300 FROM generate_series(1, 50)");

	my @cases;
	for my $table ([ 'models', 1 ], [ 'fits', 2 * 2621 * 50 / 131072 ])
	{
		my ($name, $weight) = @$table;
		for my $mechanism (qw(laplace gaussian))
		{
			my %set = (%{ $settings->{$mechanism} }, $mechanism eq 'laplace' ? (epsilon => 3.5) : ());
			my ($line) = $server->price(qq{SELECT * FROM dp_linregr('${name}1', 'y', -1, 1, '{"b": true}')}, \%set);
			my $totals = "SELECT model_totals(array_agg(coef) FILTER (WHERE term <> '(sigma)'), array_agg(covariance) FILTER (WHERE term <> '(sigma)'),
				max(coef) FILTER (WHERE term = '(sigma)'), max(upper) FILTER (WHERE term = '(sigma)'), $line->{noise_stddev}) AS t
				FROM dp_linregr('$name', 'y', -1, 1, '{\"b\": true}')";
			my $squares = eval { my $sum = 0; $sum += $_**2 for @row; $sum };
			my $base = 0;
			$base += $before[$_] * $row[$_] / $squares for 0 .. $#row;
			my %case = (
				settings => 'open', only => $mechanism, claim => 1, tight => 1, n => $draws, tables => 'models|fits', set => \%set,
				name => $name eq 'models' ? 'totals of a model' : 'totals of a model, of many rows');
			if ($mechanism eq 'gaussian')
			{
				my $direction = join ' + ', map { "t[" . ($_ + 1) . "] * " . $row[$_] / $squares } 0 .. $#row;
				push @cases, { %case, edges => [ $base, $base + $weight ], query => "SELECT $direction FROM ($totals) m" };
				next;
			}
			my $least = join ', ', map { "t[" . ($_ + 1) . "] - " . ($before[$_] + $weight * $row[$_]) } 0 .. $#row;
			# A little less, too: that is seen three times as often, and costs nearly as much.
			push @cases, { %case, n => 2 * $draws, thresholds => [ 0, -0.3 * $line->{noise_stddev} / sqrt 2 ], query => "SELECT least($least) FROM ($totals) m" };
		}
	}
	return @cases;
}

# What is known of the people in the totals of the model and in those of a pass, and what the person's row adds.
my @known = (400, 0, 0, 400);
my @wrong = (1, 1, -1, -1);
my @known_pass = (0, 0, 0);
my @wrong_pass = (1, 1, 0);

sub pass_cases
{
	my ($server, $settings, $draws) = @_;
	$server->admin(<<'SQL');
CREATE FUNCTION float8_of(bits bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN bits << 1 = 0 THEN 0 ELSE sign(bits::numeric)::float8 *
		((bits & ((1::bigint << 52) - 1)) | (1::bigint << 52))::float8 * power(2::float8, ((bits >> 52) & 2047) - 1075) END $$;
CREATE OR REPLACE FUNCTION dp_agg_internal.logistic_fit(model bytea, terms text[], scale double precision[], OUT term text, OUT coef double precision,
	OUT std_err double precision, OUT z_stat double precision, OUT p_value double precision, OUT covariance double precision[])
RETURNS SETOF record IMMUTABLE STRICT LANGUAGE plpgsql AS $$
DECLARE bits bigint;
BEGIN
	-- four totals of the model, and three of each pass
	FOR place IN REVERSE (length(model) - 308) / 8 .. 1 LOOP
		bits := 0;
		FOR b IN REVERSE 7 .. 0 LOOP bits := (bits << 8) | get_byte(model, length(model) - 8 * place + b); END LOOP;
		term := place;
		coef := public.float8_of(bits);
		RETURN NEXT;
	END LOOP;
END $$;
SQL
	my $people = 'SELECT n, n % 2 = 0, n % 2 = 0 FROM generate_series(1, 400) n';
	for my $i (0, 1)
	{
		$server->admin("CREATE TABLE passes$i (id int PRIMARY KEY, b boolean, y boolean); INSERT INTO passes$i $people;
			CREATE TABLE seen$i (who int, b boolean, y boolean); INSERT INTO seen$i $people;
			SELECT dp_agg.protect('passes$i', 'id'), dp_agg.protect('seen$i', 'who', max_rows => 2)");
	}
	$server->admin("INSERT INTO passes1 SELECT 0, true, false; INSERT INTO seen1 SELECT 0, true, false FROM generate_series(1, 50)");

	my @cases;
	for my $table ([ 'passes', 1 ], [ 'seen', 2 * 2621 * 50 / 131072 ])
	{
		my ($name, $weight) = @$table;
		for my $mechanism (qw(laplace gaussian))
		{
			my $passes = $mechanism eq 'laplace' ? 1 : 3;
			my %set = (%{ $settings->{$mechanism} }, $mechanism eq 'laplace' ? (epsilon => 4) : ());
			my @base = (@known, (@known_pass) x $passes);
			my @row = (@wrong, (@wrong_pass) x $passes);

			# Squares of noise, as calibrated: those of a pass are (2 / 4) passes times those of the model.
			my @noise = ((1) x 4, ($passes / 2) x (3 * $passes));
			my $fitted = "SELECT array_agg(coef) AS t FROM dp_logregr('$name', 'y', '{\"b\": true}', $passes)";
			my %case = (
				settings => 'open', only => $mechanism, claim => 1, tight => 1, tables => 'passes|seen', set => \%set,
				name => $name eq 'passes' ? 'totals of passes' : 'totals of passes, of many rows');
			if ($mechanism eq 'gaussian')
			{
				my $squares = 0;
				$squares += $row[$_]**2 / $noise[$_] for 0 .. $#row;
				my $direction = join ' + ', map { sprintf '(t[%d] - %d) * %.17g', $_ + 1, $base[$_], $row[$_] / $noise[$_] / $squares } grep { $row[$_] != 0 } 0 .. $#row;
				push @cases, { %case, n => $draws, edges => [ 0, $weight ], query => "SELECT $direction FROM ($fitted) m" };
				next;
			}
			my $least = join ', ', map { sprintf '(t[%d] - %.17g) * %d', $_ + 1, $base[$_] + $weight * $row[$_], $row[$_] } grep { $row[$_] != 0 } 0 .. $#row;
			push @cases, { %case, n => 5 * $draws, thresholds => [ 0, -0.5 ], query => "SELECT least($least) FROM ($fitted) m" };
		}
	}
	return @cases;
}

1;
