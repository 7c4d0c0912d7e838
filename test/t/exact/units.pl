# Exactness: at a huge epsilon every aggregate over units with many rows equals
# a hand-written bounded query, on random tables, units, keys, bounds, NULLs,
# empty groups and skew, in little memory and in parallel.
#
# At epsilon 2^20 per aggregate, noise of a count or integer sum of bound b over L
# groups has scale s = b L / 2^20; it is beyond 60 s with a probability of e^-60,
# which is what is allowed.  Groups are 5,000 at most.  A group of one unit is not
# released, one of two is, but for a probability of e^-100: the threshold lies
# between.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use List::Util qw(shuffle);
use PostgreSQL::Test::Utils;
use Test::More;

use constant { CASES => 520, EPSILON => 1048576 };

my $node = new_gate('units', conf => "jit = off\nmax_parallel_workers = 4\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n");
my $seed = $ENV{DP_FUZZ_SEED} // time;
srand($seed);
note("seed $seed");

# Tables of few and many units, with and without skew.  Every unit column names
# the same units; some rows have none.
my @units = qw(u2 u4 u8 uid txt num dat flt bpc);
my %keys = (k2 => 12, ktext => 8, kbool => 2, knum => 6, kfloat => 5, kdate => 40, kmany => 700, kname => 600);	# and how many values
my @values = qw(i2 i4 i8 n f4 f8);
my %tables = (
	few => [ 400, '1 + floor(random() * 12)' ],
	many => [ 12000, '1 + floor(random() * 4000)' ],
	skewed => [ 8000, '1 + floor(3000 * random() ^ 6)' ],
	one => [ 300, '7' ],
	two => [ 300, 'floor(random() * 2) * 5' ],	# one of whose words is zero
	alone => [ 9000, 'i' ],	# of which every row is a unit
	none => [ 0, '1' ]);
my $setup = "SELECT dp_agg.set_budget(current_user::regrole, 1e13, 1e-3);\nCREATE COLLATION plain (provider = libc, locale = 'C');\n";
for my $table (sort keys %tables)
{
	my ($rows, $unit) = @{ $tables{$table} };
	$setup .= <<"SQL";
CREATE TABLE $table AS
SELECT u::int2 AS u2, u::int4 AS u4, u::int8 - 5 AS u8, md5(u::text)::uuid AS uid, 'person number ' || u AS txt,
	   (u * 1.5)::numeric(12,3) AS num, date '2020-01-01' + u AS dat, u::float8 / 3 AS flt, ('p' || u)::char(9) AS bpc,
	   floor(random() * 12)::int2 AS k2, CASE WHEN random() < 0.9 THEN 'key ' || repeat('x', floor(random() * 7)::int) END AS ktext,
	   random() < 0.3 AS kbool, (floor(random() * 5) / 2)::numeric(6,2) AS knum,
	   CASE WHEN random() < 0.1 THEN 'NaN' WHEN random() < 0.5 THEN floor(random() * 3) END::float8 AS kfloat,
	   date '2021-01-01' + (floor(random() * random() * 40))::int AS kdate,
	   floor(random() * 700)::int AS kmany, 'a name of some length, ' || floor(random() * 600) AS kname,
	   (random() * 100 - 50)::int2 AS i2, CASE WHEN random() < 0.8 THEN (random() * 1000 - 400)::int END AS i4,
	   (random() * 1e6 - 5e5)::int8 AS i8, CASE WHEN random() < 0.9 THEN (random() * 100)::numeric(8,2) END AS n,
	   random()::real AS f4, CASE WHEN random() < 0.05 THEN 'NaN' ELSE random() * 20 - 10 END AS f8
  FROM (SELECT CASE WHEN random() < 0.98 THEN ($unit)::int END AS u FROM generate_series(1, $rows) i) r;
ANALYZE $table;
SQL
	$setup .= join '', map { "CREATE UNIQUE INDEX ON alone ($_);\n" } @units if $table eq 'alone';
}
$node->safe_psql('postgres', $setup);

sub pick { return $_[ int rand @_ ] }

# An aggregate: as the analyst writes it, what a unit contributes in the groups of
# one query, what becomes of the contributions, and how far off it may be.
sub aggregate
{
	my ($i, $unit, $rows, $groups) = @_;
	my $kind = pick(qw(rows rows_of units sum sum mean mean));
	my $scale = sub { 60 * $_[0] * $groups / EPSILON };

	return [ "dp_count(*)", "least(count(*), $rows) AS c$i", "COALESCE(sum(c$i), 0)", $scale->($rows) ] if $kind eq 'rows';
	return [ "dp_count(DISTINCT $unit)", "1 AS c$i", "count(*)", $scale->(1) ] if $kind eq 'units';
	my $value = pick(@values);
	my $x = $value =~ /^f/ ? "NULLIF($value\::float8, 'NaN')" : $value;
	return [ "dp_count($value)", "least(count($value), $rows) AS c$i", "COALESCE(sum(c$i), 0)", $scale->($rows) ] if $kind eq 'rows_of';
	my $lower = int(rand(200)) - 120;
	my $upper = $lower + int(rand(300));
	my $integer = $value =~ /^i/;
	if ($kind eq 'sum')
	{
		my $bound = abs($lower) > abs($upper) ? abs($lower) : abs($upper);
		return [ "dp_sum($value, $lower, $upper)", "CASE WHEN count($x) > 0 THEN least(greatest(sum($x), $lower), $upper) END AS c$i",
			"COALESCE(sum(c$i), 0)", $scale->($bound || 1) + ($integer ? 0 : 1e-4) ];
	}
	my $scaled = "sum(least(greatest($x, $lower), $upper) - $lower)::numeric * least(count($x), $rows) / NULLIF(count($x), 0)";
	my $width = ($upper - $lower || 1) * $rows;
	return [ "dp_avg($value, $lower, $upper)", "$scaled AS c$i, least(count($x), $rows) AS n$i",
		"$lower + sum(c$i) / NULLIF(sum(n$i), 0)", 3 * $scale->($width) + 1e-3 ];
}

# A case: the statement that counts rows which differ or are missing.
sub make_case
{
	my $table = pick(sort keys %tables);
	my $unit = pick(@units);
	my $rows = pick(1, 2, 3, 10, 1000);
	my $groups = 1;
	my @by;
	for my $key (grep { rand() < 0.3 } shuffle keys %keys)
	{
		next if $groups * $keys{$key} > 5000;
		$groups *= $keys{$key};
		push @by, $key;
	}

	# Groups by a boolean alone are public: all are answered, with one unit or none.
	push @by, 'k2' and $groups *= $keys{k2} if "@by" eq 'kbool';
	my $where = pick('true', 'true', 'i2 > 0', 'i4 IS NOT NULL', "kdate < '2021-01-04'", 'k2 = 99', 'n > 50 OR kbool');
	my @aggregates = map { aggregate($_, $unit, $rows, $groups) } 1 .. 1 + int rand 4;
	my $by = join ', ', @by;
	my $key = @by ? "ROW($by)::text" : "''";
	my $clause = @by ? "GROUP BY $by" : '';
	my $private = join ', ', map { "($aggregates[$_][0])::numeric AS p$_" } 0 .. $#aggregates;
	my $hand = join ', ', map { "($aggregates[$_][2])::numeric AS h$_" } 0 .. $#aggregates;
	my $contributions = join ', ', map { $_->[1] } @aggregates;
	my $differ = join ' OR ', map { "abs(p$_ - h$_) > $aggregates[$_][3]" } 0 .. $#aggregates;

	# A mean alone decides by the units that have a value, if one row of each counts.
	my ($valued) = $aggregates[0][1] =~ /AS (n\d+)/;
	my $by_mean = @aggregates == 1 && $aggregates[0][0] =~ /^dp_avg\(\w+, (-?\d+), (-?\d+)\)/ && $1 < $2 &&
	  ($rows == 1 || $table eq 'alone');
	my $having = @by ? "$clause HAVING " . ($by_mean ? "sum($valued) >= 2" : 'count(*) >= 2') : '';
	my $of_unit = join ', ', $unit, @by;
	my $settings = join ' ', map { "SET $_;" } "dp_agg.max_rows = $rows", "dp_agg.max_groups = $groups",
	  "work_mem = '" . pick('64kB', '64kB', '4MB') . "'", 'max_parallel_workers_per_gather = ' . pick(0, 0, 2);

	return <<"SQL";
SELECT dp_agg.protect('$table', '$unit'); $settings
WITH p AS MATERIALIZED (SELECT $key AS k, true AS there, $private FROM $table WHERE $where $clause),
	h AS MATERIALIZED (SELECT $key AS k, true AS there, $hand FROM (SELECT $of_unit, $contributions FROM $table
		WHERE ($where) AND $unit IS NOT NULL GROUP BY $of_unit) u $having)
SELECT 'differ: ' || count(*), (SELECT count(*) FROM p), (SELECT count(*) FROM h)
  FROM p FULL JOIN h USING (k) WHERE (p.there AND h.there) IS NOT TRUE OR $differ;
SQL
}

my @cases = map { make_case() } 1 .. CASES;
my $script = 'SET dp_agg.epsilon = ' . EPSILON . "; SET dp_agg.delta = 1e-9; SET client_min_messages = error; SET dp_agg.computed_keys = off;\n" . join '', @cases;
my ($status, $out, $err) = $node->psql('postgres', $script, on_error_stop => 0);
my @answers = grep { /^differ: / } split /\n/, $out;
is(scalar(@answers), CASES, 'every case was answered') or diag(substr $err, 0, 2000);
my @wrong = grep { $answers[$_] !~ /^differ: 0\|/ } 0 .. $#answers;
is(scalar(@wrong), 0, 'and equals the hand-written query') or diag(map { "$answers[$_]\n$cases[$_]" } @wrong[ 0 .. ($#wrong > 2 ? 2 : $#wrong) ]);
my $released = 0;
$released += (split /\|/)[1] for @answers;
cmp_ok($released, '>', 10 * CASES, "in $released groups altogether");

# So many groups of so many units that rows are held back by parts of the table: within
# memory and not, in one process and three, of which one never comes, or the leader does
# not read; values that fit 32 bits but for a few, and such that do not.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd AS
SELECT u, md5(u::text)::uuid AS id, g::int AS g, (CASE WHEN i % 1009 = 0 THEN -2147483648 WHEN i % 1009 = 1 THEN 2147483647
		WHEN i % 10 > 0 THEN i % 1003 - 300 END)::int AS v, (i % 10007) / 64.0::float8 AS f
  FROM (SELECT i, (i * 2654435761 % 30000)::int AS u, (hashint8(i) & 1048575) % 12 AS g FROM generate_series(1, 1100000::bigint) i) r;
ANALYZE crowd;
SQL
for my $unit (qw(u id))
{
	for my $value ([ 'v', 100000 ], [ 'f', 1000 ])
	{
		my ($column, $bound) = @$value;
		my $tolerance = 60 * 12 * $bound / EPSILON;
		for my $setting ([ '16MB', 0 ], [ '13MB', 0 ], [ '16MB', 2 ], [ '3MB', 2 ], [ '16MB', 2, 'SET max_parallel_workers = 1;' ],
			[ '16MB', 2, 'SET parallel_leader_participation = off;' ])
		{
			my ($memory, $workers, $more) = (@$setting, '');
			is($node->safe_psql('postgres', <<"SQL"), '12|12', "rows held back: $column of $unit, $memory, $workers workers. $more");
$more
SET dp_agg.epsilon = @{[EPSILON]}; SET dp_agg.delta = 1e-9; SET client_min_messages = error; SET dp_agg.computed_keys = off;
DO \$\$ BEGIN PERFORM dp_agg.protect('crowd', '$unit'); END \$\$;
SET dp_agg.max_rows = 3; SET dp_agg.max_groups = 12; SET work_mem = '$memory'; SET max_parallel_workers_per_gather = $workers;
WITH p AS MATERIALIZED (SELECT g, dp_count(*) AS c, dp_sum($column, -$bound, $bound) AS s, dp_count($column) AS n FROM crowd GROUP BY g),
	h AS (SELECT g, sum(least(c, 3)) AS c, sum(least(greatest(s, -$bound), $bound)) FILTER (WHERE n > 0) AS s, sum(least(n, 3)) AS n
	  FROM (SELECT g, count(*) AS c, sum($column) AS s, count($column) AS n FROM crowd GROUP BY $unit, g) x GROUP BY g)
SELECT count(*), sum((abs(p.c - h.c) < 1 AND abs(p.s - h.s) <= $tolerance AND abs(p.n - h.n) < 1)::int) FROM p JOIN h USING (g);
SQL
		}
	}
}

$node->stop;
done_testing();
