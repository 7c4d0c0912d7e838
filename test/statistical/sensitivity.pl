# What a person changes, by what the ledger says she can: with noise made
# negligible, the answers with and without her are compared.
#
# Worlds are tables with bounds on rows and groups of a unit drawn at random.  In each,
# some people stay within the bounds; then one more comes, in the worst ways
# there are: with many times the rows that count, in many times the groups, with
# values beyond the bounds, at the ends of their types, NULL and NaN.  For
# every question, the answers of all groups together must move by no more than groups
# times sensitivity, those of a group by sensitivity, and no more groups than that;
# no group may be shown that is hers alone.
#
# At epsilon 1e6, answers are off by more than 60 times the scale of Laplace noise, or 12
# standard deviations of Gaussian noise, with probability below 1e-25 each; fewer than 10,000
# are asked for.
#
# A bound must be reached, too: every question's at least once to nine tenths, or it
# could not fail.  Worlds are drawn until all are, ten times as many at most.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max sum0);
use Test::More;

use DpServer;

my $seed = $ENV{DP_FUZZ_SEED} // 1;
my $worlds = $ENV{DP_FUZZ_WORLDS} // 12;
srand($seed);

my $EPSILON = 1e6;

my $server = DpServer->new('sensitivity');
$server->admin('CREATE TABLE places (place int PRIMARY KEY, name text); GRANT SELECT ON places TO tester');
$server->admin("INSERT INTO places SELECT i, 'place ' || i FROM generate_series(0, 11) i");

sub pick
{
	return $_[ int rand @_ ];
}

# Questions: rows of key and value, or of key, mean and number of rows.
my %questions = (
	rows => 'SELECT kind, dp_count(*) FROM visits GROUP BY kind',
	'rows with a value' => 'SELECT kind, dp_count(d) FROM visits GROUP BY kind',
	people => 'SELECT kind, dp_count(DISTINCT who) FROM visits GROUP BY kind',
	'all rows' => 'SELECT 0, dp_count(*) FROM visits',
	'sum of integer' => 'SELECT kind, dp_sum(i, -20, 7) FROM visits GROUP BY kind',
	'sum of bigint' => 'SELECT 0, dp_sum(b, -3, 1000000007) FROM visits',
	'sum of numeric' => 'SELECT kind, dp_sum(m, -0.37, 12.34) FROM visits GROUP BY kind',
	'sum of real' => 'SELECT kind, dp_sum(r, 1e-3, 2.5) FROM visits GROUP BY kind',
	'sum of float8' => 'SELECT 0, dp_sum(d, -1e300, 1e-300) FROM visits',
	'mean of integer' => 'SELECT kind, dp_avg(i, -20, 7), dp_count(i) FROM visits GROUP BY kind',
	'mean of float8' => q(SELECT 0, dp_avg(d, -20, 7), dp_count(NULLIF(d, 'NaN')) FROM visits),
	'private groups' => 'SELECT place, dp_sum(i, 0, 5) FROM visits GROUP BY place',
	'private groups by rows' => 'SELECT place + 0, dp_count(*) FROM visits GROUP BY place + 0',
	'listed groups' => 'SELECT p.name, dp_sum(v.i, -3, 4) FROM places p LEFT JOIN visits v ON v.place = p.place GROUP BY p.name',
	bins => "SELECT bin, count FROM dp_histogram('visits', 'place', 0, 12, 12)",
	categories => "SELECT bin, count FROM dp_histogram('visits', 'place', '{0,1,2,3,4,5,6,7}'::int[])",
	cumulative => "SELECT bin, count FROM dp_cumulative('visits', 'place', 0, 12, 12)",
	'people of a subquery' => 'SELECT most > 3, dp_sum(n, 0, 50) FROM
		(SELECT who, max(i) AS most, count(*) AS n FROM visits GROUP BY who) p GROUP BY most > 3',
	'groups of a subquery' => 'SELECT kind, dp_sum(n, 0, 50) FROM
		(SELECT who, place, kind, count(*) AS n FROM visits GROUP BY who, place, kind) p GROUP BY kind',
	'joined by person' => 'SELECT v.kind, dp_sum(v.i, -20, 7) FROM visits v JOIN people p ON p.who = v.who GROUP BY v.kind',
	'rows per person' => 'SELECT vip, dp_sum(age, 0, 100) FROM people GROUP BY vip');

# Values that columns take from everybody, and from one who wants to be seen.
my @modest = ('0, 1, 0.5, 0, 0', '3, 2, -0.1, 1, 2', 'NULL, NULL, NULL, NULL, NULL', "-4, -1, 'NaN', 'NaN', 'NaN'", '7, 9, 1e10, 2.4, 1e10');
my @extreme = (
	"2147483647, 9223372036854775807, 'Infinity', 'Infinity', 'Infinity'",
	"-2147483648, -9223372036854775808, '-Infinity', '-Infinity', '-Infinity'",
	"NULL, 5000000000, 1e100, 3e38, -1e308", "7, 1000000007, 12.34, 2.5, -1e300", "'-20', '-3', '-0.37', 1e-3, 1e-300");

# A table of types of units that are known in different ways, and its people.
sub make_world
{
	my ($max_rows, $max_groups) = @_;
	my $unit = pick('int', 'text', 'numeric', 'uuid', 'float8', 'date');
	my $name = {
		int => '%d', text => "'u%d'", numeric => '%d.0', uuid => "md5('%d')::uuid", float8 => '%d', date => "date '2000-01-01' + %d" }->{$unit};
	my $sql = <<"SQL";
DROP TABLE IF EXISTS visits, people;
CREATE TABLE people (who $unit PRIMARY KEY, vip boolean, age int);
CREATE TABLE visits (who $unit, place int, kind boolean, i int, b bigint, m numeric, r real, d float8);
SELECT dp_agg.protect('people', 'who');
SELECT dp_agg.protect('visits', 'who', max_rows => $max_rows, max_groups => $max_groups);
SQL
	for my $person (1 .. 25)
	{
		my $who = sprintf $name, $person;
		my $kind = pick('true', 'false', 'NULL');
		$sql .= join '', map { "INSERT INTO $_);\n" } "people VALUES ($who, " . pick('true', 'false', 'NULL') . ", $person",
			map { "visits VALUES ($who, " . (($person + $_ % $max_groups) % 10) . ", $kind, " . pick(@modest) } 0 .. int rand 8;
	}
	$server->admin($sql);
	return sprintf $name, 0;
}

# The one more: many rows in every place and of every kind, in one of a few ways.
sub add_person
{
	my ($who) = @_;
	my @values = pick([ pick(@extreme) ], [ pick(@extreme) ], \@extreme, [ @extreme, @modest ]);
	my $kinds = pick('true', 'NULL', 'NULLIF(n % 3, 2) = 0');
	my $places = pick('n % 12', 'n % 12', '11', 'n % 3');
	my @rows = map { "SELECT $who, $places, $kinds, $_ FROM generate_series(1, 240) n" } @{ $values[0] };

	$server->admin("INSERT INTO people VALUES ($who, true, 2000000000)");
	$server->admin("INSERT INTO visits $_") for @rows;
	return;
}

# The answers to every question, with what the ledger says of them.
sub answers
{
	my ($settings) = @_;
	my @names = sort keys %questions;
	my %answers;
	my @rows = $server->ask(DpServer::set_commands($settings) . join ";\n",
		map { "SELECT '$_', q.* FROM ($questions{$_}) q" } @names);
	my @noise = split /\n/, $server->admin('SELECT * FROM (' . <<'SQL' . 'LIMIT ' . @names . ') last ORDER BY id');
SELECT id, n ->> 'groups', n ->> 'sensitivity', n ->> 'grid',
	coalesce(12 * (n ->> 'sigma')::float8, 60 * (n ->> 'scale_num')::float8 / (n ->> 'scale_den')::float8)
FROM dp_agg.ledger, LATERAL (SELECT releases #> '{0,releases,0,noise,0}') x (n) WHERE event = 'charge' ORDER BY id DESC
SQL

	for my $i (0 .. $#names)
	{
		my (undef, $groups, $sensitivity, $grid, $reach) = split /\|/, $noise[$i];
		$answers{ $names[$i] } = { groups => $groups, each => $sensitivity * 2**$grid, slack => $reach * 2**$grid };
	}
	for my $row (@rows)
	{
		my ($name, @row) = @$row;
		$answers{$name}{rows}{ $row[0] } = \@row;
	}
	return \%answers;
}

# What of an answer moves with a unit's rows: itself, or of a mean the totals above the
# lower bound and below the upper one, or with Gaussian noise that about their middle.
sub totals
{
	my ($row, $gaussian) = @_;
	return (0, 0) if !$row;
	return ($row->[1], 0) if @$row == 2;
	return (($row->[1] + 6.5) * $row->[2], 0) if $gaussian;
	return (($row->[1] + 20) * $row->[2], (7 - $row->[1]) * $row->[2]);
}

my %reached;

# Compare the answers to a question without and with the one more.
sub compare
{
	my ($name, $before, $after, $gaussian, $max_groups) = @_;
	my ($groups, $each, $slack) = @{$before}{qw(groups each slack)};
	my ($moved, $sum, $most) = (0, 0, 0);
	my $private = $name =~ /^private/;

	# Of a tree all levels share the epsilon; a unit is in its leaves once.  Laplace noise is for all
	# that it moves in one, Gaussian noise for as much in each of max_groups.
	$groups = 12 if $name eq 'cumulative';
	$slack *= 4 if $name =~ /^mean/;
	for my $key (keys %{ { %{ $before->{rows} }, %{ $after->{rows} } } })
	{
		my ($old, $new) = ($before->{rows}{$key}, $after->{rows}{$key});
		next if $private && !$old;
		my @old = totals($old, $gaussian);
		my @new = totals($new, $gaussian);
		my $change = abs($new[0] - $old[0]) + abs($new[1] - $old[1]);
		$moved++ if $change > 2 * $slack;
		$sum += $change;
		$most = max($most, $change);
	}
	my $keys = 2 * (keys(%{ $after->{rows} }) + 1);
	my $whole = $name ne 'cumulative' ? $groups * $each : $gaussian ? $max_groups * $each : $each;
	$reached{$name} = max($reached{$name} // 0, $sum / $whole);
	my @wrong;
	push @wrong, "together by $sum of $whole" if $sum > $whole + $keys * $slack;
	push @wrong, "one by $most of $each" if $most > $each + 2 * $slack;
	push @wrong, "$moved of $groups groups" if $moved > $groups;
	push @wrong, 'a group of hers alone' if $private && grep { !$before->{rows}{$_} && $_ >= 10 } keys %{ $after->{rows} };
	return map { "$name: $_" } @wrong;
}

# The questions whose bounds no world reached so far.
sub short
{
	return grep { ($reached{$_} // 0) < 0.9 } sort keys %questions;
}

my $world = 0;
while ($world < $worlds || $worlds >= 12 && $world < 10 * $worlds && short())
{
	$world++;
	my ($max_rows, $max_groups) = (pick(1, 2, 5), pick(1, 2, 4));
	# Of noise that is shared the ledger has other noises; see test/fuzz/neighbours.
	my %settings = (epsilon => $EPSILON, delta => 1e-9, shared_noise => 'off', mechanism => pick('laplace', 'laplace', 'gaussian'));
	my $who = make_world($max_rows, $max_groups);
	my $before = answers(\%settings);
	add_person($who);
	my $after = answers(\%settings);
	my @wrong = map { compare($_, $before->{$_}, $after->{$_}, $settings{mechanism} eq 'gaussian', $max_groups) } sort keys %questions;
	is(join("\n", @wrong), '', "world $world of seed $seed: $max_rows rows, $max_groups groups, $settings{mechanism}");
}

is(join("\n", map { "$_: $reached{$_}" } short()), '', 'every bound was reached') if $worlds >= 12;

$server->finish;
done_testing();
