# A table answers the same whether its rows lie in it, in thirty children or in three generations: in every shape of
# question, in parallel plans, where memory is short, by indexes, and where CHECK constraints leave out children.
#
# At epsilon 2^20, noise of a count over L groups, of which a unit has R rows, has scale R L / 2^20, at most 0.002
# here; a number is held against another within a half, where noise of both is beyond that with a probability below
# e^-100.  Totals and means have tolerances of a hundred scales or more.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('children', conf => "log_min_messages = debug1\nlog_temp_files = 0\njit = off\nmax_parallel_workers = 4\n");

# Rows of 2,000 units, twenty each.  Those of "many" are in children by their day, one in fifty in the parent; of
# these children ten have another order of columns, and columns that are gone; three more are empty.
my $columns = 'u, k, t, v, f, d, b, ref';
my @many = map {
	my ($from, $to) = ("date '2020-01-01' + " . 10 * $_, "date '2020-01-01' + " . (10 * $_ + 10));
	my $made = $_ % 3 > 0
	  ? "CREATE TABLE many_$_ (" . ($_ % 4 ? '' : "more_$_ text DEFAULT 'more'") . ') INHERITS (many);'
	  : "CREATE TABLE many_$_ (lost int, ref int, b bool, d date, gone text, f float8, v int, more text, t text, k int, u int, last int);
		ALTER TABLE many_$_ DROP lost, DROP gone, DROP last; ALTER TABLE many_$_ INHERIT many;";
	$made . " INSERT INTO many_$_ ($columns) SELECT $columns FROM flat WHERE d >= $from AND d < $to AND v % 50 <> 0;"
	  . ($_ % 2 ? " ALTER TABLE many_$_ ADD CHECK (d >= $from AND d < $to);" : '') . ($_ % 5 ? '' : " CREATE INDEX ON many_$_ (d); CREATE INDEX ON many_$_ (u);") . "\n"
} 0 .. 29;
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE flat AS SELECT i % 2000 AS u, i / 2000 % 8 AS k, 'ward ' || (i * 7 % 13) % 5 AS t, i * 31 % 997 AS v, i % 101 / 4.0::float8 AS f, date '2020-01-01' + i / 7 % 300 AS d, i % 3 = 0 AS b,
	i % 12 AS ref FROM generate_series(1, 40000) i;
CREATE TABLE many (gone text, LIKE flat);
ALTER TABLE many DROP gone;
@many
INSERT INTO many SELECT * FROM flat WHERE v % 50 = 0;
CREATE TABLE many_empty () INHERITS (many);
CREATE TABLE many_void () INHERITS (many_1);
CREATE TABLE many_none (more int) INHERITS (many_2);
CREATE TABLE deep (LIKE flat);
CREATE TABLE deep_old (gone int, note text DEFAULT 'old') INHERITS (deep);
CREATE TABLE deep_new () INHERITS (deep);
CREATE TABLE deep_older (further int UNIQUE) INHERITS (deep_old);
CREATE TABLE deep_oldest () INHERITS (deep_old);
ALTER TABLE deep_old DROP gone;
CREATE TABLE deep_newest (b bool, d date, lost text, t text, ref int, k int, v int, f float8, u int);
ALTER TABLE deep_newest DROP lost;
ALTER TABLE deep_newest INHERIT deep_new;
INSERT INTO deep_old ($columns) SELECT * FROM flat WHERE v % 5 = 0;
INSERT INTO deep_older ($columns) SELECT * FROM flat WHERE v % 5 IN (1, 2);
INSERT INTO deep_oldest ($columns) SELECT * FROM flat WHERE v % 5 = 3;
INSERT INTO deep_newest ($columns) SELECT * FROM flat WHERE v % 5 = 4;
CREATE INDEX ON flat (u);
CREATE INDEX ON deep_older (u);
CREATE INDEX ON deep_newest (d);
CREATE TABLE homes (id int PRIMARY KEY, town text);
INSERT INTO homes SELECT i, 't' || i % 3 FROM generate_series(500, 2500) i;
CREATE TABLE wards (ref int PRIMARY KEY, name text, city text);
INSERT INTO wards SELECT i, 'ward ' || i % 5, 'c' || i % 4 FROM generate_series(0, 14) i;
GRANT SELECT ON wards TO ann;
ANALYZE;
SELECT dp_agg.protect(name, 'u', max_rows => 20, max_groups => 10, max_values => 20), dp_agg.set_domain(name, 'v', 0, 1000), dp_agg.set_domain(name, 'k', 0, 9), dp_agg.set_domain(name, 'f', 0, 30)
	FROM unnest('{flat,many,deep}'::regclass[]) name;
SELECT dp_agg.protect('homes', 'id');
SELECT dp_agg.set_budget('ann', 1e15, 1e-3);
SQL
for my $table ('many', 'deep')
{
	is($node->safe_psql('postgres', "SELECT count(*) FROM (TABLE flat EXCEPT ALL TABLE $table) x") + $node->safe_psql('postgres', "SELECT count(*) FROM (TABLE $table EXCEPT ALL TABLE flat) x"), 0, "$table has the same rows");
	is($node->safe_psql('postgres', "SELECT count(*) < 1000 FROM ONLY $table"), 't', "$table has few itself");
}

# Questions, by how far off a number may be.
my @questions = (
	[ 0.5, 'SELECT count(*), count(DISTINCT u), dp_count(*) FILTER (WHERE b) FROM T' ],
	[ 0.5, 'SELECT k, count(*), count(DISTINCT u) FROM T GROUP BY k' ],
	[ 0.5, 'SELECT t, b, count(*) FROM T GROUP BY t, b' ],
	[ 30, 'SELECT t, dp_sum(v, 0, 20000) FROM T GROUP BY t' ],
	[ 0.1, 'SELECT k, dp_avg(v, 0, 1000), dp_avg(f, 0, 30) FROM T GROUP BY k' ],
	[ 20, 'SELECT dp_variance(v, 0, 1000), dp_median(v, 0, 1000), dp_quantile(v, 0.9, 0, 1000) FROM T' ],
	[ 0.5, 'SELECT count(DISTINCT ref), dp_count(DISTINCT v) FROM T' ],
	[ 0.5, q{SELECT count(*) FROM T WHERE d BETWEEN '2020-02-15' AND '2020-03-20'} ],
	[ 0.5, q{SELECT k, count(*) FROM T WHERE d < '2020-01-08' AND u % 7 = 2 GROUP BY k} ],
	[ 0.5, 'SELECT count(*) FROM T WHERE u BETWEEN 30 AND 60' ],
	[ 0.5, 'SELECT count(*) FROM T a JOIN T b USING (u) WHERE a.v < b.v AND a.k = 3 AND b.k = 4' ],
	[ 0.5, 'SELECT a.t, count(*) FROM T a LEFT JOIN T b ON a.u = b.u AND a.d = b.d AND a.v < b.v WHERE a.k = 1 GROUP BY a.t' ],
	[ 0.5, 'SELECT city, count(*), count(DISTINCT u) FROM T JOIN wards USING (ref) GROUP BY city' ],
	[ 0.5, 'SELECT w.ref, count(T.u) FROM wards w LEFT JOIN T ON T.ref = w.ref GROUP BY w.ref' ],
	[ 0.5, 'SELECT town, count(*) FROM homes JOIN T ON u = id GROUP BY town' ],
	[ 0.5, 'SELECT count(*) FROM homes LEFT JOIN T ON u = id AND v > 600' ],
	[ 0.5, 'SELECT count(*) FROM homes FULL JOIN (SELECT u, count(*) AS n FROM T GROUP BY u) x ON x.u = homes.id WHERE n IS NULL OR n > 3' ],
	[ 0.5, 'SELECT count(*) FROM homes h WHERE EXISTS (SELECT FROM T WHERE T.u = h.id AND v > 900)' ],
	[ 0.5, 'SELECT count(*) FROM T x WHERE NOT EXISTS (SELECT FROM T y WHERE y.u = x.u AND y.v > x.v)' ],
	[ 0.5, 'SELECT count(*) FROM T x WHERE v > (SELECT avg(v) FROM T y WHERE y.u = x.u)' ],
	[ 0.5, 'SELECT n, count(*) FROM (SELECT u, count(DISTINCT t) AS n FROM T GROUP BY u) x GROUP BY n' ],
	[ 0.5, 'SELECT t, count(*) FROM (SELECT u, t, row_number() OVER (PARTITION BY u ORDER BY v, f, d) AS r FROM T) x WHERE r <= 2 GROUP BY t' ],
	[ 0.5, 'SELECT count(*) FROM (SELECT u, v - lag(v) OVER (PARTITION BY u ORDER BY v, f, d) AS more FROM T) x WHERE more > 50' ],
	[ 0.5, 'SELECT count(*) FROM (SELECT DISTINCT ON (u) u, v FROM T ORDER BY u, v) x WHERE v < 100' ],
	[ 0.5, 'SELECT count(*) FROM (SELECT u FROM T WHERE b UNION SELECT id FROM homes) x' ],
	[ 0.5, 'SELECT count(*) FROM (SELECT u, v FROM T WHERE k = 2 UNION ALL SELECT u, ref FROM T WHERE k = 5) x WHERE v < 10' ],
	[ 0.5, 'SELECT t, b, count(*) FROM T GROUP BY GROUPING SETS ((t), (b), ())' ],
	[ 0.5, 'SELECT count(*) FROM T WHERE t IN (SELECT t FROM T GROUP BY t HAVING count(*) > 8500)' ],
	[ 0.5, 'SELECT x.n, y.n FROM (SELECT count(*) AS n FROM T WHERE b) x, (SELECT count(DISTINCT u) AS n FROM T WHERE v > 990) y' ],
	[ 0.5, q{SELECT bin, count FROM dp_histogram('T', 'v', 0, 1000, 10)} ],
	[ 0.5, q{SELECT bin, count FROM dp_cumulative('T', 'v', 0, 1000, 8)} ],
	[ 0.5, q{SELECT extract(month FROM d), count(*) FROM T WHERE d >= '2020-01-01' AND d < '2020-05-01' GROUP BY 1} ],
	[ 0.05, 'SELECT dp_corr(v, f, 0, 1000, 0, 30), dp_regr_slope(v, f, 0, 1000, 0, 30) FROM T' ]);

# The rows of an answer, with numbers as they are.
sub rows_of
{
	my ($sql) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'ann' ]);
	return $ret == 0 ? [ sort split /\n/, $out ] : "error: $err";
}

# What is unlike in two answers, or ''.
sub unlike
{
	my ($one, $other, $tolerance) = @_;
	return "$one and $other" if !ref $one || !ref $other;
	return @$one . ' rows and ' . @$other if @$one != @$other || !@$one;
	for my $i (0 .. $#$one)
	{
		my ($left, $right) = map { [ split /\|/, $_->[$i], -1 ] } $one, $other;
		for my $j (0 .. $#$left)
		{
			my $numbers = $left->[$j] =~ /^-?[\d.]+(?:e[-+]?\d+)?$/ && $right->[$j] =~ /^-?[\d.]+(?:e[-+]?\d+)?$/;
			return "$one->[$i] and $other->[$i]" if $numbers ? abs($left->[$j] - $right->[$j]) > $tolerance : $left->[$j] ne $right->[$j];
		}
	}
	return '';
}

# Keys come first, and alike; so numbers that are off by noise alone do not change the order of rows.
my $common = join ' ', map { "SET $_;" } 'client_min_messages = error', 'dp_agg.epsilon = 1048576', 'dp_agg.delta = 1e-9', 'dp_agg.max_join_rows = 400', 'dp_agg.clipping = fixed';
my $parallel = join ' ', map { "SET $_;" } 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'min_parallel_index_scan_size = 0', 'max_parallel_workers_per_gather = 2';
my %ways = (
	'usual' => '', 'parallel' => $parallel, 'short of memory' => "SET max_parallel_workers_per_gather = 0; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;",
	'parallel, short of memory' => "$parallel SET work_mem = '64kB';", 'by indexes' => 'SET enable_seqscan = off; SET enable_hashjoin = off;',
	'sorted' => 'SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_nestloop = off;', 'any constraint' => 'SET constraint_exclusion = on;',
	'no constraint' => 'SET constraint_exclusion = off;');
my %flat = map { $_->[1] => rows_of($common . ($_->[1] =~ s/\bT\b/flat/gr)) } @questions;
for my $way (sort keys %ways)
{
	my $log = -s $node->logfile;
	for my $question (@questions)
	{
		my ($tolerance, $sql) = @$question;
		for my $table ('many', 'deep')
		{
			is(unlike($flat{$sql}, rows_of("$common $ways{$way} " . ($sql =~ s/\bT\b/$table/gr)), $tolerance), '', "$table, $way: $sql");
		}
	}
	my $said = slurp_file($node->logfile, $log);
	cmp_ok(scalar(() = $said =~ /starting background worker process "parallel worker/g), '>=', scalar @questions, "$way: in parallel") if $way =~ /^parallel/;
}

# Half of the children go, and are back; the last ones are dropped.
my $count = "$common SELECT count(*) FROM many";
my $gone = $node->safe_psql('postgres', 'SELECT ' . join ' + ', map { "(SELECT count(*) FROM many_$_)" } 15 .. 29);
$node->safe_psql('postgres', join ' ', map { "ALTER TABLE many_$_ NO INHERIT many;" } 15 .. 29);
is_deeply(rows_of($count), [ 40000 - $gone ], 'half of the children are gone');
$node->safe_psql('postgres', join ' ', map { "ALTER TABLE many_$_ INHERIT many;" } 15 .. 29);
is_deeply(rows_of($count), [40000], 'and are back');
$node->safe_psql('postgres', 'DROP TABLE deep_old CASCADE');
is_deeply(rows_of("$common SELECT count(*) FROM deep"), [ $node->safe_psql('postgres', 'SELECT count(*) FROM flat WHERE v % 5 = 4') ], 'a branch is gone');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
$node->stop;
done_testing();
