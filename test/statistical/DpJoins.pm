# Neighbouring databases of several tables each: cases for neighbour.pl in which
# rows find their unit by a join or through foreign keys.
#
# People have a chart each, two stays, and by these two lines and two notes, all
# at 0, which is one of the bounds asked with; one more person has a chart, fifty
# stays, lines and notes, beyond the other bound.
package DpJoins;

use strict;
use warnings;

use Exporter 'import';
use POSIX qw(ceil);

our @EXPORT_OK = qw(join_cases);

use constant MILLION => 1_000_000;

# Run a script for either database, with 0 and 1 for ~ in it; the second gets
# the person too.
sub neighbours
{
	my ($server, $tables, $person) = @_;
	$server->admin($tables =~ s/~/$_/gr) for 0, 1;
	$server->admin($person =~ s/~/1/gr);
	return;
}

sub create_tables
{
	my ($server) = @_;
	$server->admin(<<'SQL');
CREATE TYPE kinds AS ENUM ('a', 'b', 'c');
CREATE TABLE towns (town int PRIMARY KEY, rate float8, kind kinds NOT NULL, region int);
INSERT INTO towns VALUES (0, 0, 'a', 1), (1, 1e300, 'b', 1), (2, 0, 'c', 1);
GRANT SELECT ON towns TO tester;
SQL
	neighbours($server, <<'SQL', <<'SQL');
CREATE TABLE charts~ (id int PRIMARY KEY);
CREATE TABLE stays~ (id int PRIMARY KEY, who int, town int, i int);
CREATE TABLE lines~ (id int PRIMARY KEY, stay int NOT NULL REFERENCES stays~, d float8);
CREATE TABLE notes~ (line int NOT NULL REFERENCES lines~, d float8);
CREATE TABLE tours~ (who int, town int);
CREATE TABLE crowd~ (who int);
SELECT dp_agg.protect('charts~', 'id'), dp_agg.protect('stays~', 'who', max_rows => 2), dp_agg.protect('crowd~', 'who', max_rows => 2),
	dp_agg.protect('tours~', 'who', max_rows => 2, max_groups => 3),
	dp_agg.protect('lines~', 'stay', through => 'stays~', max_rows => 2), dp_agg.protect('notes~', 'line', through => 'lines~', max_rows => 2);
INSERT INTO charts~ SELECT n FROM generate_series(1, 30) n;
INSERT INTO stays~ SELECT n, n / 2, 0, 0 FROM generate_series(2, 61) n;
INSERT INTO lines~ SELECT id, id, 0 FROM stays~;
INSERT INTO notes~ SELECT id, 0 FROM lines~;
INSERT INTO tours~ SELECT n, n % 3 FROM generate_series(1, 15) n;
INSERT INTO crowd~ SELECT who FROM stays~;
SQL
INSERT INTO charts~ VALUES (0);
INSERT INTO stays~ SELECT 100 + n, 0, 1, -2147483648 FROM generate_series(1, 50) n;
INSERT INTO lines~ SELECT id, id, 'Infinity' FROM stays~ WHERE who = 0;
INSERT INTO notes~ SELECT id, 'Infinity' FROM lines~ WHERE d > 0;
INSERT INTO tours~ SELECT 0, n % 3 FROM generate_series(1, 150) n;
SQL
	$server->admin('INSERT INTO crowd1 SELECT 0 FROM generate_series(1, ' . MILLION . '); ANALYZE');
	return;
}

# Queries that release no private groups.  What rows come to be joined does not
# depend on the mechanism: most are asked with one.
sub open_cases
{
	my $joined = 'charts c JOIN stays s ON s.who = c.id';
	my @cases = (
		{ name => 'count of a join by the unit', only => 'laplace', query => "SELECT dp_count(*) FROM $joined",
			edges => [ 60, 62 ], integral => 1 },
		{ name => 'sum over a join by the unit', query => "SELECT -dp_sum(s.i, -10, 5) FROM $joined",
			edges => [ 0, 10 ], integral => 1 },
		{ name => 'sum of what is left-joined, added up', only => 'gaussian',
			query => 'SELECT -dp_sum(t.total, -10, 5) FROM charts c
				LEFT JOIN (SELECT who, sum(i) AS total FROM stays GROUP BY who) t ON t.who = c.id',
			edges => [ 0, 10 ], integral => 1 },
		{ name => 'sum of what a public table says', only => 'laplace',
			query => 'SELECT dp_sum(t.rate, -0.1, 0.7) FROM stays s JOIN towns t ON t.town = s.town',
			edges => [ 0, 0.7 ] },
		{ name => 'count of a linked table', only => 'gaussian', query => 'SELECT dp_count(*) FROM lines',
			edges => [ 60, 62 ], integral => 1 },
		{ name => 'sum over links that the query joins', only => 'laplace',
			query => "SELECT dp_sum(l.d, -0.1, 0.7) FROM lines l JOIN stays s ON s.id = l.stay JOIN charts c ON c.id = s.who",
			edges => [ 0, 0.7 ] },
		{ name => 'mean over two links', query => 'SELECT dp_avg(d, 0, 0.7) FROM notes',
			edges => [ 0, 0.7 / 31 ], mean => 1 },
		{ name => 'a person in all groups of a public table', arms => 8, set => { epsilon => 3 },
			query => {
				laplace => 'SELECT count(*) FILTER (WHERE n >= 7) FROM (SELECT t.kind, dp_count(*) AS n
					FROM tours v JOIN towns t ON t.town = v.town GROUP BY t.kind) x',
				gaussian => 'SELECT sum(n) FROM (SELECT t.kind, dp_count(*) AS n
					FROM tours v JOIN towns t ON t.town = v.town GROUP BY t.kind) x' },
			thresholds => { laplace => [ 1, 2, 3 ], gaussian => [ 18, 21 ] } },
		{ name => 'a person of a million rows', only => 'laplace', n => 600, arms => 8,
			set => { epsilon => 4 },
			query => 'SELECT dp_count(*) FROM crowd',
			edges => [ 60, 62 ], integral => 1 });
	return map { { settings => 'open', claim => 1, %$_ } } @cases;
}

# Private groups by columns that only the join knows.  Their sizes straddle the
# threshold, so the person decides whether a group is seen.
sub private_cases
{
	my ($server, $settings, $mechanism) = @_;
	my ($people, $trips) = ("people_$mechanism", "trips_by_$mechanism");
	my $units = "SELECT t.place, dp_count(DISTINCT p.id) FROM $people p JOIN $trips t ON t.who = p.id GROUP BY t.place";
	my ($visits, $bills) = ("visits_by_$mechanism", "bills_$mechanism");
	my $linked = "SELECT w.region, dp_count(DISTINCT v.who) FROM $bills b JOIN $visits v ON v.id = b.visit
		JOIN towns w ON w.town = v.town GROUP BY w.region";
	my $create = <<"SQL";
CREATE TABLE $people~ (id int PRIMARY KEY);
CREATE TABLE $trips~ (who int, place int);
CREATE TABLE $visits~ (id int PRIMARY KEY, who int, town int);
CREATE TABLE $bills~ (visit int NOT NULL REFERENCES $visits~);
SELECT dp_agg.protect('$people~', 'id'), dp_agg.protect('$trips~', 'who', max_rows => 3, max_groups => 2),
	dp_agg.protect('$visits~', 'who'), dp_agg.protect('$bills~', 'visit', through => '$visits~', max_rows => 3);
SQL
	my $tables = "$people|$trips|$visits|$bills";
	$server->admin($create =~ s/~/0/gr);
	my @sizes = map { ceil($server->threshold(s/\b($tables)\b/${1}0/gr, $settings->{$mechanism})) - 1 } $units, $linked;
	$server->admin("DROP TABLE ${people}0, ${trips}0, ${bills}0, ${visits}0");
	neighbours($server, $create . <<"SQL", <<"SQL");
INSERT INTO $people~ SELECT n FROM generate_series(1, 2 * $sizes[0]) n;
INSERT INTO $trips~ SELECT id, 1 + id % 2 FROM $people~;
INSERT INTO $visits~ SELECT n, n, n % 3 FROM generate_series(1, $sizes[1]) n;
INSERT INTO $bills~ SELECT id FROM $visits~, generate_series(1, 2);
SQL
INSERT INTO $people~ VALUES (0);
INSERT INTO $trips~ SELECT 0, 1 + n % 2 FROM generate_series(1, 100) n;
INSERT INTO $visits~ SELECT -n, 0, n % 3 FROM generate_series(1, 50) n;
INSERT INTO $bills~ SELECT id FROM $visits~, generate_series(1, 2) WHERE id < 0;
SQL
	return map { { settings => 'private', claim => 1, only => $mechanism, arms => 8, tables => $tables, %$_ } } (
		{ name => 'two private groups of a join', query => "SELECT count(*) FROM ($units) x", thresholds => [ 1, 2 ] },
		{ name => 'a private group of a public table, of a linked one',
			query => "SELECT count(*) FROM ($linked) x", thresholds => [1] });
}

# Make the tables; returns the cases, each with n draws unless it says otherwise.
# `private` are the settings of each mechanism for private groups.
sub join_cases
{
	my ($server, $private, $n) = @_;
	create_tables($server);
	my @cases = (open_cases(), map { private_cases($server, $private, $_) } qw(laplace gaussian));
	return map { { tight => 1, n => $n, tables => 'charts|stays|lines|notes|tours|crowd', %$_ } } @cases;
}

1;
