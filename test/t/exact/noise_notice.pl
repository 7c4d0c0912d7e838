# The notice where noise is most of an answer: when it comes, what it names, and that it depends on what is released
# alone.  It is about columns that are computed of several answers, too, and about ranks of quantiles.
#
# A row without noise to speak of has none: that fails with a probability of exp(-900).  A row whose noise has a half
# width of w is not told of only if noise is twice that, with a probability of 0.0026: of 200 rows none is with 1e-500,
# and of 20 with 1e-50.  The middle of 200 values is above a tenth of w but for 1e-11.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('noise_notice');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'dp_agg'
autovacuum = off
dp_agg.noise_notice = on
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE ann LOGIN;
CREATE TABLE people (id int PRIMARY KEY, k int, city text, cost int NOT NULL, nothing int, x boolean, y boolean, z boolean);
INSERT INTO people SELECT i, i % 200, 'city ' || i % 20, i % 7, NULL, i % 2 = 0, i % 3 = 0, i % 5 = 0 FROM generate_series(1, 4000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_domain('people', 'k', ARRAY(SELECT generate_series(0, 199)));
CREATE TABLE visits (person int NOT NULL, k int);
INSERT INTO visits SELECT i, i % 200 FROM generate_series(1, 4000) i;
SELECT dp_agg.protect('visits', 'person', max_rows => 5, max_groups => 1);
SELECT dp_agg.set_domain('visits', 'k', ARRAY(SELECT generate_series(0, 199)));
SELECT dp_agg.set_budget('ann', 1e9, 0.1);
SQL

# What ann is told; and each time that it is the notice, its message.
sub said
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	my $status = $node->psql('postgres', $sql, stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ann' ]);
	is($status, 0, "answered: $sql") or diag($err);
	return $err;
}

sub times_said
{
	my ($said) = @_;
	return scalar(() = $said =~ /NOTICE:  noise is most of /g);
}

# Where it comes: once, with the column, rows, the width and what helps.
my $small = 'SELECT k, dp_count(1, 0.001) FROM people GROUP BY k';
my $said = said($small);
is(times_said($said), 1, 'it is said once');
like($said, qr/noise is most of dp_count\(1, 0\.001\) in (19\d|200) of 200 rows$/m, 'of this column, in so many rows');
like($said, qr/DETAIL:  dp_count\(1, 0\.001\) is off by (299|300)0 or less, 95 times in 100, beside a median of \d+\.$/m, 'with its half width');
like($said, qr/HINT:  Ask for fewer, larger groups\. Noise of a tenth takes an epsilon of about 0\.\d+ for dp_count\(1, 0\.001\)\.$/m, 'and what would help');
my ($median) = $said =~ /median of (\d+)/;
my ($epsilon) = $said =~ /epsilon of about ([0-9.]+)/;
cmp_ok(abs($epsilon - 0.001 * 2996 / $median / 0.1), '<', 0.1 * $epsilon, 'which is the one that gives a tenth');

# And where not: much less noise than value.
is(times_said(said($_)), 0, "nothing is said of little noise: $_")
  for 'SELECT k, dp_count(1, 1000) FROM people GROUP BY k', 'SELECT dp_count(1, 1) FROM people', 'SELECT dp_sum(cost, 0, 6, 1) FROM people', 'SELECT city, dp_count(1, 100) FROM people GROUP BY city',
  'SELECT dp_avg(cost, 0, 6, 100), dp_variance(cost, 0, 6, 100), dp_stddev(cost, 0, 6, 100) FROM people',
  "SELECT count FROM dp_histogram('people', 'cost', 0, 7, 7, 10)";

like(said('SELECT k, dp_count(1, 1000), dp_sum(cost, 0, 6, 0.001) FROM people GROUP BY k'), qr/noise is most of dp_sum\(cost, 0, 6, 0\.001\) in \d+ of 200 rows$/m, 'a column without is not named');
like(said('SELECT k, dp_sum(cost, 0, 6, 0.001), dp_count(1, 0.001) FROM people GROUP BY k'), qr/noise is most of dp_sum\S* .*? in \d+ of 200 rows, dp_count\S* 0\.001\) in \d+ of 200 rows$/m, 'two columns are in one notice');
like(said('SELECT k, dp_avg(cost, 0, 6, 0.2) FROM people GROUP BY k'), qr/noise is most of dp_avg\(cost, 0, 6, 0\.2\) in \d+ of \d+ rows$/m, 'means have it');
like(said('SET dp_agg.epsilon = 1000; SELECT city, dp_sum(cost, 0, 6, 0.0001), dp_count(DISTINCT id) FROM people GROUP BY city'), qr/noise is most of dp_sum\(cost, 0, 6, 0\.0001\) in \d+ of 20 rows$/m, 'private groups have it');
is(times_said(said("SELECT bin, count FROM dp_histogram('people', 'id', 0, 4000, 200, 0.001)")), 1, 'calls in FROM have it');
is(times_said(said("SELECT sum(n) FROM (SELECT k, dp_count(1, 0.001) AS n FROM people GROUP BY k) s")), 1, 'subqueries have it');
is(times_said(said("$small UNION ALL SELECT k, dp_count(1, 0.001) FROM visits GROUP BY k")), 1, 'a statement of two blocks has one');

like(said("$small UNION ALL $small"), qr/noise is most of dp_count\(1, 0\.001\) in \d+ of 200 rows, another dp_count\(1, 0\.001\) in \d+ of 200 rows$/m, 'which tells two of one name apart');
like(said('SELECT k, dp_count(*) FILTER (WHERE x), dp_count(1, 0.001) FILTER (WHERE z), dp_sum(cost, 0, 6, 0.001) FILTER (WHERE y) FROM people GROUP BY k'),
	qr/noise is most of dp_count\(\*\) FILTER \(WHERE x\) in \d+ of 200 rows, dp_count\(1, 0\.001\) FILTER \(WHERE z\) in \d+ of 200 rows, dp_sum\(cost, 0, 6, 0\.001\) FILTER \(WHERE y\) in \d+ of 200 rows$/m,
	'FILTER is as it is written');
like(said('SELECT k, dp_count(CASE WHEN x THEN 1 END, 0.001) FROM people GROUP BY k'), qr/noise is most of dp_count\(\s*CASE WHEN x THEN 1 /, 'and so is CASE');
my $twice = 'SELECT k, dp_count(1, 0.0011) FROM people GROUP BY k';
like(said("SET dp_agg.kept_max_age = '1 day'; $twice UNION ALL $twice"), qr/noise is most of dp_count\(1, 0\.0011\) in \d+ of 200 rows$/m, 'a question that is asked twice and drawn once is named once');
like(said('SELECT k, dp_count(1, 0.001) FROM people GROUP BY k HAVING dp_count(1, 0.001) > (SELECT avg(n) FROM (SELECT dp_count(1, 0.001) AS n FROM people GROUP BY k) s)'), qr/noise is most of /, 'a block that another reads has it');

# Nothing is said of what has no value.
unlike(said("SELECT k, dp_count(1, 0.001) * CASE WHEN k < 150 THEN 1 ELSE 'NaN'::float8 END AS product FROM people GROUP BY k"), qr/NaN|product in \d+ of (?!1[0-4]\d|150)/, 'nor is a value that is no number compared');
is(times_said(said('SELECT dp_avg(nothing, 0, 6, 1000), dp_stddev(nothing, 0, 6, 1000) FROM people')), 0, 'no value, no notice');
is(times_said(said("EXPLAIN $small")), 0, 'nor of a plan');
is(times_said(said("SELECT epsilon FROM dp_agg.price('$small')")), 0, 'nor of a price');
is(times_said(said("EXPLAIN ANALYZE $small")), 1, 'a statement that is run has it');

# Automatic clipping is named where it may help.
my $visits = 'SELECT k, dp_count(1, 0.001) FROM visits GROUP BY k';
like(said($visits), qr/HINT:  SET dp_agg\.clipping = auto for less noise/, 'of units with several rows');
unlike(said("SET dp_agg.clipping = auto; $visits"), qr/SET dp_agg\.clipping/, 'unless it is on');
unlike(said("SET dp_agg.max_rows = 1; $visits"), qr/SET dp_agg\.clipping/, 'or one row counts');
unlike(said('SELECT dp_count(1, 0.0000001) FROM visits'), qr/larger groups/, 'and groups where there are any');

# The setting.
is(times_said(said("SET dp_agg.noise_notice = off; $small")), 0, 'it can be turned off');
is(times_said(said("PREPARE p AS $small; EXECUTE p; EXECUTE p; SET dp_agg.noise_notice = off; EXECUTE p; SET dp_agg.noise_notice = on; EXECUTE p")), 3, 'prepared statements have it each time that it is on');

# Cursors: when the first row is fetched.
my $cursor = "BEGIN; DECLARE c CURSOR FOR $small";
is(times_said(said("$cursor; COMMIT")), 0, 'not when a cursor is declared');
is(times_said(said("$cursor; FETCH 1 FROM c; FETCH 5 FROM c; FETCH ALL FROM c; COMMIT")), 1, 'once when it is fetched from');
my $rows = $node->safe_psql('postgres', "$cursor; FETCH 3 FROM c; COMMIT", extra_params => [ '-U', 'ann' ]);
is(scalar(() = $rows =~ /\|/g), 3, 'and no row is lost to it');

# Kept answers say what was said when they were drawn.
my $again = "SET dp_agg.kept_max_age = '1 day'; SELECT k, dp_count(1, 0.002) FROM people GROUP BY k";
my ($first) = said($again) =~ /(NOTICE:  noise is most.*)/s;
my ($second) = said($again) =~ /(NOTICE:  noise is most.*)/s;
is($second, $first, 'a kept answer has the same notice');

# Answers that are added up of them have none.
my $kept = "SET dp_agg.kept_max_age = '1 day'; SET dp_agg.kept_rollup = 1000;";
my $charged = 'SELECT statements FROM dp_agg.budgets WHERE role = $$ann$$::regrole';
is(times_said(said("$kept SELECT x, y, z, dp_count(1, 1e-6) FROM people GROUP BY x, y, z")), 1, 'finer ones have it');
my $before = $node->safe_psql('postgres', $charged);
is(times_said(said("$kept SELECT x, y, dp_count(1, 1e-6) FROM people GROUP BY x, y")), 0, 'an answer that is added up of kept ones has none');
is($node->safe_psql('postgres', $charged), $before, 'which costs nothing');

# It is about the rows that are released, in every kind of statement.
is(times_said(said("$small HAVING dp_count(1, 0.001) > 1e9")), 1, 'rows that are left out count');
is(times_said(said("DO \$\$ BEGIN PERFORM * FROM ($small) s; END \$\$")), 1, 'in a function');
is(times_said(said("CREATE TEMP TABLE kept AS $small")), 1, 'in CREATE TABLE AS');


# Arithmetic on answers, by the name of its column, or its text, or its number.
my $ratio = 'SELECT k, dp_sum(cost, 0, 6, 0.001) / dp_count(1, 0.001) AS ratio FROM people GROUP BY k';
$said = said($ratio);
is(times_said($said), 1, 'arithmetic and its aggregates have one notice');
like($said, qr/noise is most of dp_sum\S* .*?, dp_count\S* .*?, ratio in (1\d\d|200) of (1\d\d|200) rows$/m, 'a ratio is named');
like($said, qr/DETAIL: .* ratio (may be anything|is off by \d+ or less, 95 times in 100), beside a median of \d+\.$/m, 'with its half width');
like(said('SELECT k, 2 * dp_count(1, 0.001) FROM people GROUP BY k'), qr/, 2 \* dp_count\(1, 0\.001\) in (19\d|200) of 200 rows$/m, 'what has no name is named by its text');
like(said('SELECT k, 2 * dp_count(1, 0.001) FROM people GROUP BY k'), qr/2 \* dp_count\(1, 0\.001\) is off by (599|600)\d or less, 95 times in 100, beside a median of \d+\.$/m, 'twice as far off as one');
like(said('SELECT k, n - lag(n) OVER (ORDER BY k) FROM (SELECT k, dp_count(1, 0.001) AS n FROM people GROUP BY k) q'), qr/, column 2 in 1\d\d of 199 rows$/m, 'differences to the row before have it');
like(said('SELECT k, 100.0 * dp_count(1, 0.001) / sum(dp_count(1, 0.001)) OVER () AS share FROM people GROUP BY k'), qr/, share in (19\d|200) of 200 rows$/m, 'shares have it');
like(said('SELECT dp_avg(cost, 0, 6, 5) FILTER (WHERE y) - dp_avg(cost, 0, 6, 5) FILTER (WHERE NOT y) AS difference FROM people GROUP BY k'), qr/difference in \d+ of \d+ rows$/m, 'differences of means have it');
like(said('SELECT k % 20, sum(n) AS total FROM (SELECT k, dp_count(1, 0.0001) AS n FROM people GROUP BY k) q GROUP BY k % 20'), qr/, total in \d+ of 20 rows$/m, 'sums of answers have it');
like(said('SELECT m AS alias FROM (SELECT dp_count(1, 1e-6) * 2 AS m FROM people GROUP BY k) q'), qr/, alias in \d+ of 200 rows$/m, 'columns of subqueries have it');
like(said('SELECT dp_count(1, 1000) * 1e-5 * dp_count(1, 1e-6) AS mixed FROM people GROUP BY k'), qr/HINT: .* Noise of a tenth takes \d+ times as much for mixed, of each epsilon\.$/m, 'answers of several epsilons have it');
my ($wide, $of) = said('SELECT dp_count(1, 0.0008) - dp_count(1, 0.001) AS of_two FROM people GROUP BY k') =~ /of_two is off by (\d+) or less.* median of (\d+)/;
cmp_ok($wide // 1e9, '<=', 5000, 'noise of two is taken together');
is(times_said(said($_)), 0, "nothing is said of little noise: $_")
	for 'SELECT k, dp_sum(cost, 0, 6, 1000) / dp_count(1, 1000) AS ratio, 100.0 * dp_count(1, 1000) / sum(dp_count(1, 1000)) OVER () AS share FROM people WHERE cost > 0 GROUP BY k',
	'SELECT k + 1 AS key, 2 * k AS twice, dp_count(1, 1000) FROM people GROUP BY k', 'SELECT 1 + dp_median(cost, 0, 6, 1000) AS more, dp_count(1, 1000) FROM people';
like(said("CREATE TEMP TABLE typed AS SELECT (dp_count(1, 1e-6) * 1.5)::numeric(20, 3) AS a FROM people GROUP BY k; DO \$\$ BEGIN RAISE NOTICE 'type %', (SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attname = 'a'); END \$\$"),
	qr/, a in \d+ of 200 rows\n.*type numeric\(20,3\)$/ms, 'in CREATE TABLE AS, and the column has its type');
like(said('CREATE TEMP TABLE inserted (a numeric); INSERT INTO inserted SELECT dp_count(1, 1e-6) * 1.5 AS b FROM people GROUP BY k'), qr/, b in \d+ of 200 rows$/m, 'in INSERT');
like(said('SELECT dp_count(1, 1e-6) * 1.5 AS b FROM people GROUP BY k UNION ALL SELECT dp_count(1, 1e-6) * 2.5 AS c FROM visits GROUP BY k'), qr/, b in \d+ of 200 rows, c in \d+ of 200 rows$/m, 'in UNION');
like(said('SELECT x, y, dp_count(1, 1e-6) * 2 AS twice FROM people GROUP BY ROLLUP (x, y)'), qr/, twice in \d+ of \d+ rows$/m, 'in grouping sets');
like(said('SELECT k, dp_count(1, 0.001) * 2 AS twice FROM people GROUP BY k ORDER BY twice DESC LIMIT 7'), qr/, twice in [0-9]+ of (7|200) rows$/m, 'in what is sorted');
is(times_said(said("BEGIN; DECLARE c CURSOR FOR $ratio; FETCH 5 FROM c; FETCH ALL FROM c; COMMIT")), 1, 'once when it is fetched from a cursor');
is(times_said(said("PREPARE p AS $ratio; EXECUTE p; SET dp_agg.noise_notice = off; EXECUTE p; SET dp_agg.noise_notice = on; EXECUTE p")), 2, 'prepared statements have it when it is on');
is(times_said(said("EXPLAIN $ratio")), 0, 'a plan has none');
is(times_said(said("EXPLAIN ANALYZE $ratio")), 1, 'a statement that is run has it');
is(times_said(said("SET dp_agg.noise_notice = off; $ratio")), 0, 'it can be turned off');
is(times_said(said("$kept SELECT x, y, z, 2 * dp_count(1, 1.1e-6) AS twice FROM people WHERE id < 3900 GROUP BY x, y, z")), 1, 'finer answers have it');
$before = $node->safe_psql('postgres', $charged);
is(times_said(said("$kept SELECT x, y, 2 * dp_count(1, 1.1e-6) AS twice FROM people WHERE id < 3900 GROUP BY x, y")), 0, 'what is added up of kept ones has none');
is($node->safe_psql('postgres', $charged), $before, 'and is added up of them as before');
my $twice_kept = "SET dp_agg.kept_max_age = '1 day'; SELECT k, 2 * dp_count(1, 0.0021) AS twice FROM people GROUP BY k";
($first) = said($twice_kept) =~ /(NOTICE:  noise is most.*)/s;
($second) = said($twice_kept) =~ /(NOTICE:  noise is most.*)/s;
is($second, $first, 'a kept answer has the same notice of arithmetic');

# What is noted means the same.
my $inner = '(SELECT k, dp_count(1, 1000) AS n FROM people GROUP BY k) q';
for (
	[ 'SELECT DISTINCT 2 * dp_count(1, 1000) AS d FROM people GROUP BY k', '40' ], [ "SELECT 2 * n AS d FROM $inner GROUP BY 2 * n", '40' ],
	[ "SELECT DISTINCT ON (2 * n) 2 * n AS d FROM $inner", '40' ], [ "SELECT max(r) FROM (SELECT 2 * n AS m, rank() OVER (ORDER BY 2 * n) AS r FROM $inner) s", '1' ],
	[ "SELECT DISTINCT m, r FROM (SELECT 2 * n AS m, rank() OVER (ORDER BY 2 * n) AS r FROM $inner) s", '40|1' ], [ "SELECT 2 * n AS m, rank() OVER (ORDER BY 2 * n) FROM $inner LIMIT 1", '40|1' ],
	[ "SELECT DISTINCT (row_to_json(q)->>'n')::int * 2, n * 2 FROM $inner", '40|40' ], [ 'SELECT dp_median(cost, 0, 6, 1000) + 1, 2 * dp_count(1, 1000) FROM people', '4|8000' ],
	[ "SELECT a.n - b.n FROM $inner a JOIN $inner b ON a.k = b.k LIMIT 1", '0' ], [ "SELECT sum(n) / 4000 FROM $inner", '1.00000000000000000000' ],
	[ "SELECT 2 * n FROM $inner UNION SELECT 3 * n FROM $inner ORDER BY 1", "40\n60" ], [ "SELECT (SELECT 2 * max(n) FROM $inner)", '40' ],
	[ "WITH w AS (SELECT * FROM $inner) SELECT x.n + y.n FROM w x LEFT JOIN w y USING (k) LIMIT 1", '40' ], [ "SELECT 2 * n FROM $inner WHERE k = 1 FOR UPDATE", undef ])
{
	my ($sql, $answer) = @$_;
	$sql =~ s/\) q a JOIN/) a JOIN/;
	$sql =~ s/\) q b ON/) b ON/;
	my ($out, $err) = ('', '');
	my $status = $node->psql('postgres', $sql, stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ann' ]);
	is($out, $answer // '', "noted, and the same: $sql") or diag($err);
}

# What is volatile is run once for each row that is read, wherever it stands, as without the notice.
$node->safe_psql('postgres', <<'SQL');
GRANT CREATE ON SCHEMA public TO ann;
SET ROLE ann;
CREATE SEQUENCE steps;
CREATE FUNCTION step() RETURNS int VOLATILE LANGUAGE plpgsql AS 'BEGIN RETURN nextval(''steps''); END';
SQL
for (
	"SELECT n + step() FROM $inner", "SELECT n + nextval('steps') FROM $inner", "SELECT CASE WHEN step() > 0 THEN n ELSE 2 * n END FROM $inner", "SELECT m + 1 FROM (SELECT n + step() AS m FROM $inner) s",
	"SELECT lag(n, 0 * step()) OVER (ORDER BY k) + n FROM $inner", "SELECT n + (SELECT step() WHERE n > 0) FROM $inner", "SELECT sum(n) FILTER (WHERE step() > 0) / 2 FROM $inner")
{
	my @steps;
	for my $notice ('off', 'on')
	{
		said("SET dp_agg.noise_notice = $notice; SELECT setval('steps', 100); $_");
		push @steps, $node->safe_psql('postgres', 'SELECT last_value FROM steps');
	}
	is($steps[1], $steps[0], "run as often: $_");
	is($steps[0], 300, "once a row: $_");
}

# What the notice calls is called by hand with any values, and by aggregates; it reads none of another type as a number.
my $constant = 'dp_agg_internal.term_constant(1.0)';
$node->safe_psql('postgres', "SET ROLE ann; CREATE AGGREGATE by_hand(bytea, text, int) (sfunc = dp_agg_internal.noted, stype = timestamptz, initcond = '2000-01-01 00:00:00.000008Z')");
for my $value ("'abc'::text", "'2000-01-01 00:00:00.000008Z'::timestamptz", 'ARRAY[1]', "'x'::\"char\"", 'true', "'NaN'::numeric", "'-Infinity'::float8", 'NULL::numeric')
{
	said("SELECT dp_agg_internal.noted($value, $constant, 'x', 1), dp_agg_internal.noted(n::numeric, $constant, 'x', 1), dp_agg_internal.noted(8, $constant, 'x', 1) FROM $inner");
}
said("SELECT by_hand($constant, 'x', 1) FROM $inner");
is(times_said(said("SELECT dp_agg_internal.noted(n, dp_agg_internal.term_operation(5, $constant, '\\x0400000000000000'), 'x', $_->[0]) FROM $inner")), $_->[1], "column $_->[0] by hand")
	for [ 19, 1 ], [ 20, 0 ], [ -1, 0 ];

# What takes long to compare is compared in the first rows alone: all 40,000 products of two answers have intervals of their own.
like(said('WITH q AS (SELECT k, dp_count(1, 1e-6) AS n FROM people GROUP BY k) SELECT sum(a.n * b.n) OVER () + a.n AS products FROM q a, q b'), qr/, products$/m, 'one row of many is enough of work');

# Quantiles: their ranks, which are off by 49 of 180.  One in ten is NULL, and 19 of 20
# with a probability of 1e-17.  They are compared with the number of rows that is asked beside them.
my $of_median = 'SELECT city, dp_count(1, 100), dp_median(cost, 0, 6, 0.1) FROM people WHERE id <= 3600 GROUP BY city';
like(said("SET dp_agg.epsilon = 1000; $of_median"), qr/noise is most of dp_median\(cost, 0, 6, 0\.1\) in \d+ of \d+ rows$/m, 'a median of few rows has it');
like(said("SET dp_agg.epsilon = 1000; $of_median"), qr/dp_median\(cost, 0, 6, 0\.1\) is off by \d+(\.\d)? ranks or less, 95 times in 100, beside (a median of )?\d+ rows\.$/m, 'with ranks and rows');
like(said('SELECT dp_count(1, 100), dp_quantile(cost, 0.99, 0, 6, 0.1) FROM people'), qr/noise is most of dp_quantile\(cost, [^ ]*.*0\.1\)$/m, 'the rarer what it asks for is, the sooner');
is(times_said(said($_)), 0, "nothing is said of $_")
	for 'SELECT dp_count(1, 100), dp_quantile(cost, 0.5, 0, 6, 0.1) FROM people', 'SELECT dp_median(cost, 0, 6, 0.1) FROM people WHERE id < 100', 'SELECT dp_count(1, 100), dp_max(cost, 0, 6, 0.1) FROM people';

# Calls in FROM, as they are written.
like(said("SELECT bin, count FROM dp_histogram('people', 'id', 0, 4000, 200, 0.001)"), qr/noise is most of dp_histogram\('people', 'id', 0, 4000, 200, 0\.001\) in (19\d|200) of 200 rows$/m, 'a histogram is named by its call');

# Rows in a file.
is(times_said(said("SET work_mem = '64kB'; SELECT count(*) FROM dp_histogram('people', 'id', 0, 4000, 5000, 0.001)")), 1, 'rows in a file are looked at, and shown');

my $file = "SET dp_agg.kept_max_age = '1 day'; SELECT count(*) FROM (SELECT * FROM dp_histogram('people', 'id', 0, 4000, 100001, 0.001)) t";
is(times_said(said("$file; $file")), 2, 'in one that is too large to be kept, too');

# Nothing is looked at for nobody; the log is somebody.
is(times_said(said("SET client_min_messages = warning; $small; RESET client_min_messages; $small")), 1, 'whoever wants no notices has none, until she does');
$node->safe_psql('postgres', 'ALTER ROLE ann SET log_min_messages = notice');
my $logged = -s $node->logfile;
is(times_said(said("SET client_min_messages = warning; $small")), 0, 'and none either where notices are logged');
is(times_said(substr(slurp_file($node->logfile), $logged)), 1, 'but the log has it');
$node->safe_psql('postgres', 'ALTER ROLE ann RESET log_min_messages');

# Not about the bins that estimates are made of, whose names nobody wrote.
is(times_said(said($_)), 0, 'estimates have none')
	for "SELECT * FROM dp_agg.suggest_bounds('people', 'cost', 0.1)", "SELECT dp_agg.suggest_max_rows('visits', 0.1)",
	"SELECT dp_agg.suggest_max_groups('visits', 'k', 0.1)", "SELECT * FROM dp_agg.measure_bounding('visits', 0.1)";
is(times_said(said("SELECT dp_agg.suggest_max_rows('visits', 0.1); $small")), 1, 'and what is asked after them has it');

$node->stop;
done_testing();
