# dp_select_model errs as little as theory says, and loses what its price says: 1,000 runs of each on the
# passengers of the Titanic (R's data set of that name), beside the exact law.
#
# 120 conditions on class, sex and age are held against survival, and linear models on the same columns by their
# losses, which are worked out here as documented.  By the law of the exponential mechanism follow the
# probability of each candidate, and how much more the one named loses than the best, in the mean.  Neighbours
# differ by one person whose rows are as many and as bad as can be.
#
# False failures: means of values in [0, m] by Hoeffding's bound, 1e-11 each, 6 of them; frequencies by Clopper and
# Pearson's interval, 30 ends of 1e-11: below 1e-9 in all.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min sum0);
use Test::More;

use DpBounds qw(binomial_interval gumbel_law);
use DpServer;

use constant { RUNS => 1_000, NEIGHBOURS => 8_000, ALPHA => 1e-11 };

my $server = DpServer->new('choosing');

# How many there were: by class (three, and crew), of each sex and age, dead and alive.
my %passengers = (
	'male adult no' => [ 118, 154, 387, 670 ],
	'female adult no' => [ 4, 13, 89, 3 ],
	'male child no' => [ 0, 0, 35, 0 ],
	'female child no' => [ 0, 0, 17, 0 ],
	'male adult yes' => [ 57, 14, 75, 192 ],
	'female adult yes' => [ 140, 80, 76, 20 ],
	'male child yes' => [ 5, 11, 13, 0 ],
	'female child yes' => [ 1, 13, 14, 0 ]);
my @people;
for my $kind (sort keys %passengers)
{
	my ($sex, $age, $survived) = split / /, $kind;
	push @people, map { { class => $_, sex => $sex, child => $age eq 'child' ? 1 : 0, survived => $survived eq 'yes' ? 1 : 0, number => $passengers{$kind}[$_] } } 0 .. 3;
}
is(sum0(map { $_->{number} } @people), 2201, 'passengers');
my $rows = join ', ', map { "($_->{class}, '$_->{sex}', $_->{child} = 1, $_->{survived} = 1, $_->{number})" } @people;
$server->admin(<<"SQL");
CREATE TABLE titanic (id int PRIMARY KEY, class int, sex text, child boolean, survived boolean);
INSERT INTO titanic SELECT row_number() OVER (), c, s, k, y FROM (VALUES $rows) v (c, s, k, y, n), generate_series(1, n);
SELECT dp_agg.protect('titanic', 'id');
SQL

sub draw
{
	my ($settings, $query, $runs, $arms) = @_;
	my ($draws) = $server->draws($settings, $runs // RUNS, $arms // 4, $query);
	return @$draws;
}

# Is the excess what the law has, in the mean, and within what is said in 95 %?
sub errs
{
	my ($name, $epsilon, $bound, $query, @loss) = @_;
	my @law = gumbel_law($epsilon / $bound, map { -$_ } @loss);
	my $best = min(@loss);
	my @excess = map { $loss[ $_ - 1 ] - $best } draw({ epsilon => $epsilon }, $query);
	my $theory = sum0(map { $law[$_] * ($loss[$_] - $best) } 0 .. $#law);
	my $seen = sum0(@excess) / @excess;
	my $reach = (max(@loss) - $best) * sqrt(log(2 / ALPHA) / 2 / @excess);
	my ($line) = $server->price($query, { epsilon => $epsilon });
	my $within = grep { $_ <= $line->{half_width_95} } @excess;
	my (undef, $high) = binomial_interval($within, scalar @excess, ALPHA);
	ok(abs($seen - $theory) <= $reach, sprintf '%s, epsilon %g: %.2f more than the best, %.2f in theory', $name, $epsilon, $seen, $theory);
	cmp_ok($high, '>=', 0.95, sprintf '%s, epsilon %g: %.1f %% within half_width_95, %.1f', $name, $epsilon, 100 * $within / @excess, $line->{half_width_95});
	return $theory;
}

# The conditions: of each set of classes all passengers, women, men, or women or children among them, and so on.
my (@condition, @errors);
for my $mask (1 .. 15)
{
	my $in = 'class IN (' . join(', ', grep { $mask >> $_ & 1 } 0 .. 3) . ')';
	my $of = sub { my ($person) = @_; return $mask >> $person->{class} & 1 };
	for my $way (
		[ $in, sub { $of->($_[0]) } ],
		[ "$in AND sex = 'female'", sub { $of->($_[0]) && $_[0]{sex} eq 'female' } ],
		[ "$in AND sex = 'male'", sub { $of->($_[0]) && $_[0]{sex} eq 'male' } ],
		[ "$in OR sex = 'female'", sub { $of->($_[0]) || $_[0]{sex} eq 'female' } ],
		[ "$in AND child", sub { $of->($_[0]) && $_[0]{child} } ],
		[ "$in OR child", sub { $of->($_[0]) || $_[0]{child} } ],
		[ "$in AND (sex = 'female' OR child)", sub { $of->($_[0]) && ($_[0]{sex} eq 'female' || $_[0]{child}) } ],
		[ "$in OR sex = 'female' OR child", sub { $of->($_[0]) || $_[0]{sex} eq 'female' || $_[0]{child} } ])
	{
		my ($text, $holds) = @$way;
		push @condition, $text;
		push @errors, sum0(map { $_->{number} } grep { ($holds->($_) ? 1 : 0) != $_->{survived} } @people);
	}
}
is(scalar @condition, 120, 'conditions');
my $candidates = join ', ', map { "'" . s/'/''/gr . "'" } @condition;
for my $epsilon (0.02, 0.05, 0.1, 0.3)
{
	errs('120 conditions', $epsilon, 1, "SELECT \"position\" FROM dp_select_model('titanic', 'survived', ARRAY[$candidates])", @errors);
}

# Linear models of class as a number, sex and child: what each loses, as documented.
my @grid;
for my $n (0 .. 5**4 - 1)
{
	push @grid, [ map { ($_ - 2) * 1 } int($n / 125), int($n / 25) % 5, int($n / 5) % 5, $n % 5 ];
}
sub losses
{
	my ($loss) = @_;
	my @all;
	for my $model (@grid)
	{
		my $total = 0;
		for my $person (@people)
		{
			my $z = $model->[0] + $model->[1] * (2 * $person->{class} / 3 - 1) + $model->[2] * ($person->{sex} eq 'male' ? 1 : 0) + $model->[3] * ($person->{child} ? 1 : -1);
			my $margin = $person->{survived} ? $z : -$z;
			$total += $person->{number} * ($loss eq 'zero_one' ? (($z > 1e-6 ? 1 : 0) != $person->{survived} ? 1 : 0)
				: $loss eq 'logistic' ? min(4, log(1 + exp(-$margin))) : min(4, max(0, 1 - $margin)));
		}
		push @all, $total;
	}
	return @all;
}
my $columns = q('{"class": [0, 3], "sex": ["female", "male"], "child": true}');
for ([ logistic => 0.1, 4 ], [ hinge => 0.3, 4 ])
{
	my ($loss, $epsilon, $bound) = @$_;
	errs("625 models, $loss", $epsilon, $bound,
		"SELECT \"position\" FROM dp_select_model('titanic', 'survived', $columns, dp_agg.model_grid(3, 2, 5), '$loss', $bound)", losses($loss));
}

# Neighbours: one more person, whose rows are as many and as bad for all candidates but one as can be.
sub neighbours
{
	my ($name, $epsilon, $call) = @_;
	my @hits;
	for my $i (0, 1)
	{
		push @hits, scalar grep { $_ == 1 } draw({ epsilon => $epsilon }, sprintf("SELECT \"position\" FROM $call", "neighbour$i"), NEIGHBOURS, 16);
	}
	my ($without_low, $without_high) = binomial_interval($hits[0], NEIGHBOURS, ALPHA);
	my ($with_low, $with_high) = binomial_interval($hits[1], NEIGHBOURS, ALPHA);
	ok($with_low <= exp($epsilon) * $without_high, sprintf '%s: loss of %.2f, %.2f paid', $name, log($hits[1] / max($hits[0], 1)), $epsilon);
	ok($with_low > exp($epsilon / 2) * $without_high, "$name: more than half of it is lost");
	return;
}

# Without the person the first of 64 has few chances; with it all others lose more.  Were epsilon twice as much, it would be 19 times as likely again.
$server->admin(<<"SQL");
CREATE TABLE neighbour0 (who int, x float8, y boolean);
CREATE TABLE neighbour1 (LIKE neighbour0);
INSERT INTO neighbour1 SELECT 0, 1, true FROM generate_series(1, 50);
SELECT dp_agg.protect('neighbour0', 'who', max_rows => 2), dp_agg.protect('neighbour1', 'who', max_rows => 2);
SQL
my $others = join ', ', ("'x < 0'") x 63;
neighbours('conditions, fifty rows', 3, "dp_select_model('%1\$s', 'y', ARRAY['x > 0', $others])");
for my $loss ("'zero_one'", "'logistic', 4", "'hinge', 4")
{
	my $models = join ', ', ('[-5, -5]') x 63;
	neighbours("models, $loss, fifty rows", 3, "dp_select_model('%1\$s', 'y', '{\"x\": [-1, 1]}', ARRAY[[5, 5], $models], $loss)");
}
for my $loss ("'squared', 100", "'absolute', 10")
{
	my $models = join ', ', ('[-5, -5]') x 63;
	neighbours("models, $loss, fifty rows", 3, "dp_select_model('%1\$s', '10 * x', '{\"x\": [-1, 1]}', ARRAY[[5, 5], $models], $loss)");
}

$server->finish;
done_testing();
