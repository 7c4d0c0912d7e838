# Partitions on other servers, through postgres_fdw: those servers are asked for
# what each unit's rows add up to, and for nothing else; the answers are those
# of one table that holds all the rows; what cannot be left to them is refused;
# their errors come out in fixed words; and nothing is asked before it is paid.
#
# At epsilon 2^20 per aggregate the noise of a count or sum of bound b over L groups
# has scale s = b L / 2^20; it is beyond 60 s with a probability of e^-60. Here b L
# is 2,000 at most, and 60 s 0.115; that of means is divided by hundreds of rows.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant EPSILON => 1048576;

# Two servers that hold partitions. They need the extension, but no keeper.
my @far = map {
	my $node = PostgreSQL::Test::Cluster->new($_);
	$node->init;
	$node->append_conf('postgresql.conf', "log_statement = all\nmax_prepared_transactions = 2\n");
	$node->start;
	$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE reader LOGIN;
CREATE TYPE mood AS ENUM ('well', 'ill');
SQL
	$node
} qw(far1 far2);

my $near = new_gate('near', conf => "max_parallel_workers = 4\n");
my $columns = 'patient int, clinic text, cost int, paid numeric, dose float8, seen date, urgent boolean, feels mood';
my $setup = "CREATE EXTENSION postgres_fdw;\nCREATE TYPE mood AS ENUM ('well', 'ill');\nCREATE ROLE hospital;\n";
for my $node (@far)
{
	my ($name, $port, $host) = ($node->name, $node->port, $node->host);
	$setup .= <<"SQL";
CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'dp_agg');
GRANT USAGE ON FOREIGN SERVER $name TO hospital;
CREATE USER MAPPING FOR hospital SERVER $name OPTIONS (user 'reader', password_required 'false');
SQL
}

# Visits by year: 2020 here, 2021 far away, 2022 in two halves.  A patient has
# visits everywhere.
$near->safe_psql('postgres', <<"SQL");
$setup
GRANT CREATE ON SCHEMA public TO hospital;
SET ROLE hospital;
CREATE TABLE visits ($columns) PARTITION BY RANGE (seen);
CREATE TABLE visits_2020 PARTITION OF visits FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE FOREIGN TABLE visits_2021 PARTITION OF visits FOR VALUES FROM ('2021-01-01') TO ('2022-01-01') SERVER far1;
CREATE TABLE visits_2022 PARTITION OF visits FOR VALUES FROM ('2022-01-01') TO ('2023-01-01') PARTITION BY LIST (urgent);
CREATE FOREIGN TABLE visits_2022_urgent (feels mood, urgent boolean, seen date, dose float8, paid numeric, cost int, patient int, clinic text)
	SERVER far2 OPTIONS (table_name 'urgent');
ALTER TABLE visits_2022 ATTACH PARTITION visits_2022_urgent FOR VALUES IN (true);
CREATE TABLE visits_2022_rest PARTITION OF visits_2022 DEFAULT;
RESET ROLE;
SELECT dp_agg.set_budget('ann', 1e13, 1e-3), dp_agg.set_budget(current_user::regrole, 1e13, 1e-3);
GRANT EXECUTE ON FUNCTION dp_agg.protect TO hospital;
SQL
$far[0]->safe_psql('postgres', "CREATE TABLE visits_2021 ($columns); GRANT SELECT ON visits_2021 TO reader");
$far[1]->safe_psql('postgres', "CREATE TABLE urgent ($columns); GRANT SELECT ON urgent TO reader");
$near->safe_psql('postgres', "SET ROLE hospital; SELECT dp_agg.protect('visits', 'patient', max_rows => 3, max_groups => 40)");

# The same rows in one table. Rows are made once and copied to where they belong.
my $rows = 6000;
$near->safe_psql('postgres', <<"SQL");
SELECT setseed(0.5);
CREATE TABLE copy ($columns);
INSERT INTO copy
SELECT CASE WHEN random() < 0.97 THEN floor(random() * random() * 400)::int END, CASE WHEN random() < 0.95 THEN 'clinic ' || floor(random() * 6) END,
	CASE WHEN random() < 0.9 THEN (random() * 100 - 20)::int END, (random() * 50)::numeric(6,2),
	CASE WHEN random() < 0.05 THEN 'NaN' WHEN random() < 0.9 THEN random() * 10 END,
	date '2020-01-01' + floor(random() * 1096)::int, random() < 0.4, CASE WHEN random() < 0.8 THEN 'well' WHEN random() < 0.8 THEN 'ill' END::mood
FROM generate_series(1, $rows);
UPDATE copy SET urgent = NULL WHERE seen >= '2022-01-01' AND random() < 0.1;
SELECT dp_agg.protect('copy', 'patient', max_rows => 3, max_groups => 40);
INSERT INTO visits_2020 SELECT * FROM copy WHERE seen < '2021-01-01';
INSERT INTO visits_2022_rest SELECT * FROM copy WHERE seen >= '2022-01-01' AND urgent IS NOT TRUE;
SQL
for my $part ([ $far[0], 'visits_2021', "seen BETWEEN '2021-01-01' AND '2021-12-31'" ], [ $far[1], 'urgent', "seen >= '2022-01-01' AND urgent" ])
{
	my ($node, $table, $which) = @$part;
	my $data = $near->safe_psql('postgres', "COPY (SELECT * FROM copy WHERE $which) TO STDOUT");
	my ($file) = (PostgreSQL::Test::Utils::tempdir . "/$table");
	open my $handle, '>', $file or die "could not write $file: $!";
	print $handle "$data\n";
	close $handle;
	$node->safe_psql('postgres', "COPY $table FROM '$file'");
}

# Run SQL as ann at the large epsilon; all its rows.
sub ask
{
	my ($sql, %options) = @_;
	my ($status, $out, $err) = $near->psql('postgres', "SET dp_agg.epsilon = @{[EPSILON]};\nSET dp_agg.delta = 1e-7;\n$sql",
		extra_params => [ '-U', $options{role} // 'ann' ], on_error_stop => 1);
	return $err ? $err : $out;
}

# Rows of an answer, or its SQLSTATE and message.
sub outcome
{
	my ($sql, $role) = @_;
	return asked($near, [ "SET dp_agg.epsilon = @{[EPSILON]}", ref $sql ? @$sql : $sql ], $role);
}

# Are two answers the same but for noise?  Sums of more than 100 may differ by that of both.
sub same
{
	my ($got, $expected, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @a = split /[|\n]/, $got, -1;
	my @b = split /[|\n]/, $expected, -1;
	my $number = qr/^-?[0-9.]+(?:e-?\d+)?$/;
	my @differ = grep { $a[$_] ne $b[$_] && !($a[$_] =~ $number && $b[$_] =~ $number && abs($a[$_] - $b[$_]) <= (abs($a[$_]) > 100 ? 0.25 : 0.01)) } 0 .. $#a;
	return ok(@a == @b && !@differ && length $got, $name) || diag("got:\n$got\nexpected:\n$expected");
}

# What the other servers were told since the last time this was asked.
my %read;
sub told
{
	my @said;
	for my $node (@far)
	{
		my $log = slurp_file($node->logfile, $read{ $node->name } // 0);
		$read{ $node->name } = -s $node->logfile;
		push @said, $log =~ /^[^\n]*LOG:  ([^\n]*(?:\n\t[^\n]*)*)/mg;
	}
	return @said;
}

# And the statements among it, without what postgres_fdw says on its own.
sub statements
{
	return grep { $_ !~ /^statement: (?:SET (?:search_path|timezone|datestyle|intervalstyle|extra_float_digits) |START TRANSACTION|COMMIT TRANSACTION|ABORT TRANSACTION|FETCH \d+ FROM c\d+$|CLOSE c\d+$)/ } told();
}

my @queries = (
	'SELECT dp_count(*) FROM %s',
	'SELECT dp_count(cost), dp_count(DISTINCT patient) FROM %s',
	'SELECT dp_sum(cost, 0, 50), dp_avg(cost, -10, 60) FROM %s',
	'SELECT dp_sum(paid, 0, 100), dp_avg(paid, 0, 40), dp_sum(dose, 0, 20), dp_avg(dose, 1, 9) FROM %s',
	'SELECT clinic, dp_count(*), dp_sum(cost, 0, 50), dp_avg(cost, 0, 50) FROM %s GROUP BY clinic',
	'SELECT clinic, dp_count(DISTINCT patient) FROM %s GROUP BY clinic',
	'SELECT clinic, urgent, dp_count(*), dp_avg(dose, 0, 10) FROM %s GROUP BY clinic, urgent',
	'SELECT urgent, dp_count(*) FROM %s GROUP BY urgent',
	'SELECT urgent, seen > \'2021-06-01\' AS late, dp_count(*), dp_sum(cost, 0, 50) FROM %s GROUP BY 1, 2',
	"SELECT clinic, dp_count(*) FROM %s WHERE seen >= '2021-06-01' AND cost > 10 AND clinic LIKE 'clinic%%' GROUP BY clinic",
	"SELECT dp_sum(CASE WHEN urgent THEN cost ELSE 1 END, 0, 50) FROM %s WHERE clinic IN ('clinic 1', 'clinic 2') OR cost IS NULL",
	'SELECT dp_count(*) FROM %s WHERE false',
	'SELECT 7 AS one, clinic, dp_count(*) FROM %s GROUP BY 1, clinic',
	'SELECT clinic, dp_count(*) FROM %s GROUP BY clinic, clinic HAVING dp_count(*) > 2 ORDER BY 2 DESC, 1 LIMIT 3',
	'SELECT dose, dp_count(*) FROM %s WHERE dose = \'NaN\' GROUP BY dose',
	"SELECT bin, count FROM dp_histogram('%s', 'cost', 0, 60, 6)",
	'SELECT round(max(n)), round(min(n)) FROM (SELECT clinic, dp_count(*) AS n FROM %s GROUP BY clinic) s',
	'WITH v AS (SELECT patient AS who, cost AS c FROM %s WHERE urgent) SELECT dp_avg(c, 0, 50) FROM v',
	'SELECT dp_median(cost, 0, 60), dp_quantile(dose, 0.9, 0, 10), dp_quantile(paid, 0.25, 0, 50) FROM %s',
	'SELECT dp_median(seen, $$2020-01-01$$, $$2023-01-01$$), dp_max(seen + 1, $$2020-01-01$$, $$2023-01-01$$), dp_count(*) FROM %s',
	'SELECT clinic, dp_median(cost, -20, 80), dp_count(*) FROM %s WHERE cost IS NOT NULL GROUP BY clinic',
	'SELECT dp_count(*), dp_sum(cost * 2, 0, 50) FROM %s WHERE cost + 1 > 10',
	'SELECT cost / 10, dp_count(*) FROM %s GROUP BY 1',
	'SELECT 100 / cost AS ratio, dp_count(*) FROM %s GROUP BY 1',
	'SELECT extract(year FROM seen), dp_count(*), dp_avg(paid / cost, 0, 10) FROM %s GROUP BY 1',
	"SELECT date_trunc('quarter', seen::timestamp), dp_count(DISTINCT patient) FROM %s GROUP BY 1",
	"SELECT coalesce(clinic, 'none'), dp_sum(coalesce(cost, paid, 7), 0, 50) FROM %s GROUP BY 1",
	'SELECT dp_sum(greatest(cost, 5), 0, 50), dp_sum(least(dose, 5), 0, 50), dp_count(nullif(cost, 5)) FROM %s',
	'SELECT dp_count(*) FROM %s WHERE urgent IS NOT TRUE', 'SELECT dp_count(*) FROM %s WHERE (cost > 5) IS FALSE',
	'SELECT dp_count(*) FROM %s WHERE (cost > 5) IS UNKNOWN', 'SELECT dp_count(*) FROM %s WHERE (cost > 5) IS NOT FALSE',
	'SELECT dp_count(*) FROM %s WHERE (cost > 5) IS NOT UNKNOWN AND urgent IS TRUE',
	'SELECT dp_sum(sqrt(dose - 3)::numeric(8,2), 0, 5), dp_count(ln(cost::float8)) FROM %s',
	'SELECT dp_sum((dose * 1e200 * 1e200)::int, 0, 5), dp_sum(round(paid, 1) %% 3, 0, 9) FROM %s',
	"SELECT substring(clinic FROM 8), upper(left(clinic, -1)), dp_count(*) FROM %s WHERE length(clinic) + 1 = 9 GROUP BY 1, 2",
	'SELECT (coalesce(cost, 0) + greatest(cost, 3)) %% 4 = 0, dp_count(*) FROM %s GROUP BY 1',
	"SELECT clinic, dp_count(*), dp_median(cost, 0, 60), dp_sum(cost, 0, 9) FROM %s WHERE urgent = false AND (seen < '2021-01-01' OR seen >= '2022-01-01') GROUP BY clinic",
	"SELECT clinic, dp_median(cost, 0, 60), dp_quantile(paid, 0.43, 0, 50), dp_avg(cost, 0, 60), dp_count(cost) FROM %s WHERE urgent IS NOT NULL GROUP BY clinic",
	'SELECT dp_count(*) FROM %1$s UNION ALL SELECT dp_sum(cost, 0, 9) FROM %1$s');

told();
my @said;
for my $setting ('', 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0;')
{
	for my $query (@queries)
	{
		same(ask($setting . sprintf $query, 'visits'), ask(sprintf $query, 'copy'),
			"as of one table: $setting" . sprintf $query, 'visits');
	}
	@said = (@said, statements());
	$near->safe_psql('postgres', "ALTER SERVER far1 OPTIONS (ADD async_capable 'true'); ALTER SERVER far2 OPTIONS (ADD async_capable 'true')")
	  if $setting eq '';
}
my @grouped = grep { /^execute <unnamed>: DECLARE c\d+ CURSOR FOR\n\tSELECT (?:[^\n]*, )?patient(?:, [^\n]*)? FROM public\.(?:visits_2021|urgent) WHERE [^\n]* GROUP BY 1(?:, \d)*$/ } @said;

# Nothing but foreign partitions, of a unit that is text, and each with rows of units that are not its own.
my $stays = 'who text, ward float8, days bigint';
my $fill = "INSERT INTO %s SELECT 'person ' || i %% 90, CASE i %% 7 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN 0 ELSE 1.5 END, i %% 11 FROM generate_series(%d, %d) i";
for my $i (0, 1)
{
	$far[$i]->safe_psql('postgres', "CREATE TABLE stays_$i ($stays); GRANT SELECT ON stays_$i TO reader;" . sprintf $fill, "stays_$i", 1 + 1000 * $i, 1000 + 1000 * $i);
}
$near->safe_psql('postgres', "SET ROLE hospital; CREATE TABLE stays ($stays) PARTITION BY HASH (who);"
	  . join('', map { "CREATE FOREIGN TABLE stays_$_ PARTITION OF stays FOR VALUES WITH (MODULUS 2, REMAINDER $_) SERVER far@{[$_ + 1]};" } 0, 1)
	  . "SELECT dp_agg.protect('stays', 'who', max_rows => 5, max_groups => 4); RESET ROLE;"
	  . "CREATE TABLE stayed ($stays); SELECT dp_agg.protect('stayed', 'who', max_rows => 5, max_groups => 4);"
	  . sprintf $fill, 'stayed', 1, 2000);
for my $query (
	'SELECT dp_count(*), dp_count(DISTINCT who), dp_sum(days, 0, 9), dp_avg(ward, -1, 2) FROM %s',
	'SELECT ward, dp_count(*), dp_count(DISTINCT who), dp_sum(days, 0, 9) FROM %s GROUP BY ward',
	"SELECT * FROM dp_agg.suggest_bounds('%s', 'days')")
{
	same(ask(sprintf $query, 'stays'), ask(sprintf $query, 'stayed'), "as of one table: " . sprintf $query, 'stays');
}
my @others = grep { !/^statement: (?:CREATE|GRANT|INSERT)/ } statements();
is(scalar(grep { /\n\tSELECT (?:[^\n]*, )?who(?:, [^\n]*)? FROM public\.stays_\d WHERE [^\n]* GROUP BY 1(?:, \d)*$/ } @others), scalar(@others), 'and only that was asked')
  or diag(explain(\@others));
cmp_ok(@grouped, '>', 2 * @queries, 'the other servers were asked for what units\' rows add up to');
is(scalar(@said), scalar(@grouped), 'and for nothing else') or diag(explain(\@said));

# Bounds are those of the unit, wherever its rows are.
for my $groups (1, 2, 4)
{
	my $total = ask("SET dp_agg.max_groups = $groups; SELECT sum(n) FROM (SELECT clinic, dp_count(DISTINCT patient) AS n FROM visits GROUP BY clinic) s");
	my $exact = $near->safe_psql('postgres', "SELECT sum(least(n, $groups)) FROM (SELECT count(DISTINCT coalesce(clinic, '')) AS n FROM copy WHERE patient IS NOT NULL GROUP BY patient) s");
	same($total, $exact, "a unit counts in $groups groups at most");
}
same(ask('SET dp_agg.max_rows = 2; SELECT dp_count(*) FROM visits'),
	$near->safe_psql('postgres', 'SELECT sum(least(n, 2)) FROM (SELECT count(*) AS n FROM copy WHERE patient IS NOT NULL GROUP BY patient) s'),
	'and 2 of its rows at most, on all servers together');

# Rows without a bin take no place among their unit's groups.
same(ask("SET dp_agg.max_groups = 1; SET dp_agg.max_rows = 1; SELECT sum(count) FROM dp_histogram('visits', 'cost', -20, 80, 10)"),
	$near->safe_psql('postgres', 'SELECT count(DISTINCT patient) FROM copy WHERE cost IS NOT NULL'), 'rows without a bin take no place among groups');

# A unit is in no more bins than there are, and so is the noise; rows without a bin take none of their places.
same(ask("SELECT sum(n), max(max_groups) FROM (SELECT dp_agg.bucket(cost, -20, 80, 4) AS bin, dp_count(DISTINCT patient) AS n FROM visits GROUP BY 1) s, dp_agg.price('SELECT dp_agg.bucket(cost, -20, 80, 4), dp_count(DISTINCT patient) FROM visits GROUP BY 1') p"),
	$near->safe_psql('postgres', 'SELECT count(DISTINCT (patient, width_bucket(least(cost, 79), -20, 80, 4))) FILTER (WHERE patient IS NOT NULL), 4 FROM copy WHERE cost IS NOT NULL'), 'all bins of a unit count where it may count in more');

# Nor does it help that a foreign table holds what its bounds exclude.
$_->safe_psql('postgres', "INSERT INTO " . ($_ == $far[0] ? 'visits_2021' : 'urgent') . " (patient, cost, seen) SELECT 5000, 50, '2020-05-05' FROM generate_series(1, 9)") for @far;
$near->safe_psql('postgres', "INSERT INTO copy (patient, cost, seen) SELECT 5000, 50, '2020-05-05' FROM generate_series(1, 18)");
same(ask('SELECT dp_count(*), dp_count(DISTINCT patient), dp_sum(cost, 0, 50), dp_avg(cost, 0, 50) FROM visits WHERE cost = 50'),
	ask('SELECT dp_count(*), dp_count(DISTINCT patient), dp_sum(cost, 0, 50), dp_avg(cost, 0, 50) FROM copy WHERE cost = 50'),
	'a unit is one unit in whatever partitions it turns up');
$_->safe_psql('postgres', "DELETE FROM " . ($_ == $far[0] ? 'visits_2021' : 'urgent') . " WHERE patient = 5000") for @far;
$near->safe_psql('postgres', 'DELETE FROM copy WHERE patient = 5000');

# Partitions are left out by their bounds.
statements();
same(ask("SELECT dp_count(*) FROM visits WHERE seen < '2021-01-01'"), ask("SELECT dp_count(*) FROM copy WHERE seen < '2021-01-01'"), 'one year');
is(scalar(statements()), 0, 'servers without rows of that year are not asked');

# What cannot be left to them is refused, before anything is charged or asked.
$near->safe_psql('postgres', 'CREATE TABLE clinics (name text PRIMARY KEY); GRANT SELECT ON clinics TO ann');
my $statements = admitted($near);
for my $refused (
	[ 'SELECT dp_count(*) FROM visits WHERE extract(hour FROM seen::timestamptz) > 1', 'this function cannot be left to another server: it depends on settings' ],
	[ 'SELECT dp_sum(greatest(cost, 5, paid), 0, 50) FROM visits', 'not all of this can be left' ],
	[ "SELECT dp_count(*) FROM visits WHERE cost::text LIKE '1%'", 'not all of this can be left' ],
	[ 'SELECT feels, dp_count(*) FROM visits GROUP BY feels', 'not all of this can be left' ],
	[ 'SELECT dp_count(*) FROM visits v JOIN clinics c ON v.clinic = c.name', '"v" has partitions on other servers, and can be neither joined' ],
	[ 'SELECT c.name, dp_count(v.patient) FROM clinics c LEFT JOIN visits v ON v.clinic = c.name GROUP BY c.name', '' ],
	[ 'SELECT dp_count(*) FROM visits v FULL JOIN visits w ON v.patient = w.patient', '"v" has partitions on other servers, and can be neither joined' ],
	[ 'SELECT dp_avg(total, 0, 100) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) p', '"visits" has partitions on other servers, and can be neither joined' ],
	[ 'SELECT dp_count(DISTINCT cost) FROM visits', 'DISTINCT of values is not allowed where partitions are on other servers' ],
	[ 'SELECT ' . join(', ', map { "dp_quantile(cost, 0.$_, 0, 1000000, 1, 1)" } 1 .. 5) . ' FROM visits', 'quantiles of more than 4194304 points in all are not allowed in one query' ],
	[ q{SELECT * FROM dp_linregr('visits', 'cost', 0, 10, '{"paid": [0, 5]}')}, 'this aggregate is not computed over partitions on other servers' ],
	[ q{SELECT * FROM dp_logregr('visits', 'cost > 5', '{"paid": [0, 5]}')}, 'this aggregate is not computed over partitions on other servers' ],
	[ 'SELECT dp_count(*) FROM (SELECT patient FROM visits UNION ALL SELECT patient FROM visits) v', '"visits" has partitions on other servers, and can be neither joined' ],
	[ 'SELECT dp_count(*) FROM visits_2021', 'table "visits_2021" is not protected' ],
	[ 'SELECT count(*) FROM visits_2021', 'permission denied for foreign table visits_2021' ])
{
	my ($sql, $message) = @$refused;
	like(outcome($sql), qr/^(?:0A000|42501): \Q$message\E/, "refused: $sql");
	like(outcome("SELECT * FROM dp_agg.price(\$\$$sql\$\$)"), qr/^(?:0A000|42501): \Q$message\E/, 'by price too') if $message !~ /denied/;
}
is(ask(q{SET dp_agg.clipping = auto; SELECT aggregate, least_clamp FROM dp_agg.price_details('SELECT dp_count(*), dp_sum(cost, 0, 20), dp_avg(cost, 0, 10) FROM visits') WHERE least_clamp IS NOT NULL}), '',
	'where clamps would be chosen, those are taken that are declared');
like(outcome([ 'SET dp_agg.sample_rate = 0.5', 'SELECT dp_count(*) FROM visits' ]), qr/^0A000: partitions on other servers are not sampled/, 'nor sampled');
my $position = ask('SELECT dp_count(*) FROM visits WHERE urgent AND extract(hour FROM seen::timestamptz) > 1');
like($position, qr/LINE 1: .*\n\s{45,}\^/, 'and the place is shown') or diag($position);
outcome('SELECT dp_count(*) FROM visits', 'eve');
outcome('EXPLAIN (VERBOSE) SELECT dp_count(*) FROM visits');
outcome(q{SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM visits')});
is(admitted($near), $statements, 'nothing of it was charged');
is(scalar(statements()), 0, 'and nothing asked of other servers, nor to plan, price or explain a query');

# So is what is not set up.
for my $case (
	[ 'ALTER SERVER far1 OPTIONS (SET extensions \'cube\')', 'ALTER SERVER far1 OPTIONS (SET extensions \'cube, dp_agg\')', 'server "far1" is not declared to have the extension dp_agg' ],
	[ 'ALTER SERVER far1 OPTIONS (ADD use_remote_estimate \'true\')', 'ALTER SERVER far1 OPTIONS (SET use_remote_estimate \'false\')', 'foreign table "visits_2021" has the option use_remote_estimate' ],
	[ 'ALTER FOREIGN TABLE visits_2022_urgent OPTIONS (ADD use_remote_estimate \'true\')', 'ALTER FOREIGN TABLE visits_2022_urgent OPTIONS (DROP use_remote_estimate)', 'foreign table "visits_2022_urgent" has the option use_remote_estimate' ],
	[ 'DROP USER MAPPING FOR hospital SERVER far2', 'CREATE USER MAPPING FOR hospital SERVER far2 OPTIONS (user \'reader\', password_required \'false\')', 'the owner of the table has no user mapping for server "far2"' ])
{
	my ($break, $mend, $message) = @$case;
	my $session = $near->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ann' ]);
	$session->query_safe('PREPARE q AS SELECT dp_count(*) FROM visits');
	$session->query_safe('EXECUTE q');
	$near->safe_psql('postgres', $break);
	like(outcome('SELECT dp_count(*) FROM visits'), qr/^55000: \Q$message\E/, $break);
	unlike($session->query('EXECUTE q'), qr/\d/, 'prepared before, too');
	$session->{stderr} = '';
	$near->safe_psql('postgres', $mend);
	like($session->query_safe('EXECUTE q'), qr/^-?\d+$/, $mend);
	$session->quit;
}

# Foreign data of other makers.
$near->safe_psql('postgres', 'CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw');
$near->safe_psql('postgres', "CREATE FOREIGN TABLE visits_2023 PARTITION OF visits FOR VALUES FROM ('2023-01-01') TO ('2024-01-01') SERVER files OPTIONS (filename '/dev/null')");
like(outcome('SELECT dp_count(*) FROM visits'), qr/^42809: "visits" has a foreign table as a partition/, 'only postgres_fdw');
$near->safe_psql('postgres', 'DROP FOREIGN TABLE visits_2023');

# Prepared plans notice what becomes of partitions, at every level.
{
	my $session = $near->background_psql('postgres', extra_params => [ '-U', 'ann' ]);
	$session->query_safe("SET dp_agg.epsilon = @{[EPSILON]}");
	$session->query_safe('PREPARE q AS SELECT dp_count(DISTINCT patient) FROM visits WHERE urgent AND cost IS NOT NULL');
	my $count = sub { return $near->safe_psql('postgres', "SELECT count(DISTINCT patient) FROM copy WHERE urgent AND cost IS NOT NULL AND ($_[0])") };
	same($session->query_safe('EXECUTE q'), $count->('true'), 'prepared');
	$near->safe_psql('postgres', 'ALTER TABLE visits_2022 DETACH PARTITION visits_2022_urgent');
	same($session->query_safe('EXECUTE q'), $count->("seen < '2022-01-01'"), 'a foreign partition of a partition is gone');
	$near->safe_psql('postgres', 'ALTER TABLE visits_2022 ATTACH PARTITION visits_2022_urgent FOR VALUES IN (true)');
	same($session->query_safe('EXECUTE q'), $count->('true'), 'and back');
	$far[0]->safe_psql('postgres', 'CREATE TABLE fewer AS SELECT * FROM visits_2021 WHERE cost > 50; GRANT SELECT ON fewer TO reader');
	$near->safe_psql('postgres', "ALTER FOREIGN TABLE visits_2021 OPTIONS (ADD table_name 'fewer')");
	same($session->query_safe('EXECUTE q'), $count->("cost > 50 OR date_part('year', seen) <> 2021"), 'another table on the other server');
	$near->safe_psql('postgres', 'ALTER FOREIGN TABLE visits_2021 OPTIONS (DROP table_name)');
	$near->safe_psql('postgres', <<'SQL');
SET ROLE hospital;
CREATE TABLE visits_2023 PARTITION OF visits FOR VALUES FROM ('2023-01-01') TO ('2024-01-01') PARTITION BY LIST (clinic);
CREATE TABLE visits_2023_a PARTITION OF visits_2023 FOR VALUES IN ('a');
SQL
	same($session->query_safe('EXECUTE q'), $count->('true'), 'partitions of partitions');
	$near->safe_psql('postgres', "SET ROLE hospital; CREATE TABLE visits_2023_b PARTITION OF visits_2023 FOR VALUES IN ('b'); INSERT INTO visits (patient, clinic, cost, seen, urgent) VALUES (6000, 'b', 1, '2023-02-02', true)");
	same($session->query_safe('EXECUTE q'), $count->('true') + 1, 'another one of those');
	$near->safe_psql('postgres', 'DROP TABLE visits_2023');
	$session->quit;
}

# The rows are read as the owner: what mapping the analyst has does not matter.
$near->safe_psql('postgres', "GRANT USAGE ON FOREIGN SERVER far1 TO ann; CREATE USER MAPPING FOR ann SERVER far1 OPTIONS (user 'nobody', password_required 'false')");
like(ask('SELECT dp_count(*) FROM visits'), qr/^\d+$/, 'the mapping is the owner\'s');
is($near->safe_psql('postgres', q{SELECT string_agg(channel || ': ' || risk, '; ' ORDER BY channel) FROM dp_agg.check_exposure('ann') WHERE object = 'server far1'}),
	'USAGE: high: may make foreign tables of the protected rows there; user mapping: high: connects with stored credentials to a server that holds protected rows',
	'and what it opens is found');
$near->safe_psql('postgres', 'DROP USER MAPPING FOR ann SERVER far1; REVOKE USAGE ON FOREIGN SERVER far1 FROM ann');
$near->safe_psql('postgres', 'SET ROLE hospital; REVOKE SELECT ON visits_2022_urgent FROM hospital');
like(outcome('SELECT dp_count(*) FROM visits'), qr/^42501: permission denied for foreign table visits_2022_urgent/, 'and so are its rights');
$near->safe_psql('postgres', 'SET ROLE hospital; GRANT SELECT ON visits_2022_urgent TO hospital');

# On the other server, the internal aggregates add up what their caller may read.
my ($status, $out, $err) = $far[0]->psql('postgres', "SET ROLE pg_monitor; SELECT dp_agg_internal.unit_part(cost, NULL) FROM visits_2021");
like($err, qr/permission denied for table visits_2021/, 'which is no way round the gate there');

# Neighbours: nothing but the released values differs when a person comes.
sub shown
{
	my $plan = ask(<<'SQL');
EXPLAIN (VERBOSE) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, SUMMARY OFF) SELECT urgent, dp_sum(cost, 0, 50) FROM visits WHERE clinic <> 'none' GROUP BY urgent;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_avg(dose, 0, 5) FROM visits WHERE seen > '2020-12-01';
SELECT aggregate, mechanism, epsilon, delta, noise_stddev FROM dp_agg.price('SELECT clinic, dp_count(*) FROM visits GROUP BY clinic');
SELECT server_name, valid FROM postgres_fdw_get_connections() ORDER BY 1;
SQL
	return $plan;
}
$near->safe_psql('postgres', 'ANALYZE visits; ANALYZE visits_2021; ANALYZE visits_2022_urgent');
my $before = shown();
$far[0]->safe_psql('postgres', "INSERT INTO visits_2021 SELECT 7777, 'clinic ' || i, i, i, i, '2021-07-01', true FROM generate_series(1, 5000) i; ANALYZE");
$far[1]->safe_psql('postgres', "INSERT INTO urgent SELECT 7777, 'clinic ' || i, i, i, i, '2022-07-01', true FROM generate_series(1, 5000) i; ANALYZE");
$near->safe_psql('postgres', "INSERT INTO visits_2020 SELECT 7777, 'clinic ' || i, i, i, i, '2020-07-01', true FROM generate_series(1, 5000) i");
$near->safe_psql('postgres', 'ANALYZE visits; ANALYZE visits_2021; ANALYZE visits_2022_urgent');
is(shown(), $before, 'plans, prices and connections do not tell that somebody came');
like($before, qr/DpRelease.*far1\|t\nfar2\|t$/s, 'and were looked at');
$far[0]->safe_psql('postgres', 'DELETE FROM visits_2021 WHERE patient = 7777');
$far[1]->safe_psql('postgres', 'DELETE FROM urgent WHERE patient = 7777');
$near->safe_psql('postgres', 'DELETE FROM visits WHERE patient = 7777 AND seen < \'2021-01-01\' AND tableoid = \'visits_2020\'::regclass');

# Errors of other servers come out in fixed words, whatever they are.
$near->safe_psql('postgres', "ALTER SYSTEM SET log_error_verbosity = verbose; SELECT pg_reload_conf()");
$far[0]->safe_psql('postgres', <<'SQL');
CREATE FUNCTION betray(patient int, code text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF patient = 17 THEN
		RAISE EXCEPTION 'secret %', patient USING ERRCODE = code, DETAIL = 'secret', HINT = 'secret';
	END IF;
	RETURN patient;
END $$;
INSERT INTO visits_2021 (patient, cost, seen) VALUES (17, 1, '2021-01-01');
SQL
my $logged = -s $near->logfile;
for my $code (qw(22012 57014 57P01 57P03 40001 XX000 P0001 42501))
{
	$far[0]->safe_psql('postgres', "CREATE OR REPLACE VIEW bad AS SELECT betray(patient, '$code') AS patient, clinic, cost, paid, dose, seen, urgent, feels FROM visits_2021; GRANT SELECT ON bad TO reader");
	$near->safe_psql('postgres', "ALTER FOREIGN TABLE visits_2021 OPTIONS (ADD table_name 'bad')");
	my $got = ask("SET client_min_messages = debug1;\n\\set VERBOSITY verbose\nSELECT dp_count(*) FROM visits");
	like($got, qr/ERROR:  58000: the differentially private release failed/, "error $code of another server");
	unlike($got, qr/secret|remote SQL|bad|visits_2021/, 'carries nothing of it');
	$near->safe_psql('postgres', 'ALTER FOREIGN TABLE visits_2021 OPTIONS (DROP table_name)');
}

# A value that the local type does not know.
$far[0]->safe_psql('postgres', "CREATE VIEW odd AS SELECT 'secret ' || patient AS patient, cost, seen FROM visits_2021; GRANT SELECT ON odd TO reader");
$near->safe_psql('postgres', "ALTER FOREIGN TABLE visits_2021 OPTIONS (ADD table_name 'odd')");
is(outcome('SELECT dp_count(*) FROM visits'), '58000: the differentially private release failed', 'a value of another type');
$near->safe_psql('postgres', 'ALTER FOREIGN TABLE visits_2021 OPTIONS (DROP table_name)');

# A statement that ends here has its own words; one that ends there has not.
$far[0]->safe_psql('postgres', 'CREATE VIEW slow AS SELECT v.* FROM visits_2021 v, pg_sleep(600) s; GRANT SELECT ON slow TO reader');
$near->safe_psql('postgres', "ALTER FOREIGN TABLE visits_2021 OPTIONS (ADD table_name 'slow')");
is(outcome([ "SET statement_timeout = '1s'", 'SELECT dp_count(*) FROM visits' ]), '57014: canceling statement due to statement timeout', 'cancelled here');
$far[0]->safe_psql('postgres', "ALTER ROLE reader SET statement_timeout = '500ms'");
is(outcome('SELECT dp_count(*) FROM visits'), '58000: the differentially private release failed', 'cancelled there');
$far[0]->safe_psql('postgres', 'ALTER ROLE reader RESET statement_timeout');
$near->safe_psql('postgres', 'ALTER FOREIGN TABLE visits_2021 OPTIONS (DROP table_name)');

# Both are asked before either has answered, with async_capable: each waits until the other was
# asked, for a minute.
my $meeting = PostgreSQL::Test::Utils::tempdir;
for my $i (0, 1)
{
	my $table = (qw(visits_2021 urgent))[$i];
	$far[$i]->safe_psql('postgres', <<"SQL");
CREATE FUNCTION meet(OUT met int) LANGUAGE plpgsql SECURITY DEFINER AS \$\$
BEGIN
	COPY (SELECT) TO '$meeting/$i';
	FOR i IN 1..6000 LOOP
		met := (pg_stat_file('$meeting/@{[1 - $i]}', true)).size;
		EXIT WHEN met IS NOT NULL;
		PERFORM pg_sleep(0.01);
	END LOOP;
	ASSERT met IS NOT NULL;
END \$\$;
CREATE VIEW waits AS SELECT v.* FROM $table v, meet();
GRANT SELECT ON waits TO reader;
SQL
}
$near->safe_psql('postgres', 'ALTER FOREIGN TABLE visits_2021 OPTIONS (ADD table_name \'waits\'); ALTER FOREIGN TABLE visits_2022_urgent OPTIONS (SET table_name \'waits\')');
for my $query (
	'SELECT dp_count(*) FROM visits',
	'SELECT dp_count(DISTINCT patient) FROM visits',
	'SELECT dp_sum(cost, 0, 50), dp_avg(paid, 0, 40), dp_median(dose, 0, 10) FROM visits WHERE cost > 5',
	'SELECT clinic, dp_count(*), dp_sum(cost, 0, 50) FROM visits GROUP BY clinic',
	'SELECT urgent, clinic, dp_count(*) FROM visits GROUP BY urgent, clinic',
	'SELECT dose, extract(year FROM seen), dp_median(cost, 0, 60) FROM visits GROUP BY 1, 2',
	"SELECT bin, count FROM dp_histogram('visits', 'cost', 0, 60, 6)")
{
	unlink glob "$meeting/*";
	like(outcome($query), qr/^[^:]+$/, "asked at the same time: $query");
}
$near->safe_psql('postgres', 'ALTER FOREIGN TABLE visits_2021 OPTIONS (DROP table_name); ALTER FOREIGN TABLE visits_2022_urgent OPTIONS (SET table_name \'urgent\')');

# A server that is down; the charge stands.
$statements = admitted($near);
$far[0]->stop('immediate');
is(outcome('SELECT dp_count(*) FROM visits'), '58000: the differentially private release failed', 'a server is down');
is(admitted($near), $statements + 1, 'the charge stands');
unlike(slurp_file($near->logfile, $logged), qr/secret/, 'nor does the log tell');
like(outcome("SELECT dp_count(*) FROM visits WHERE seen < '2021-01-01'"), qr/^\d+$/, 'partitions elsewhere can be asked about');
$far[0]->start;
like(outcome('SELECT dp_count(*) FROM visits'), qr/^\d+$/, 'and all of them when it is back');

# A server that says what it likes: aggregates of ours that return what a table has for a unit.
$far[0]->append_conf('postgresql.conf', "allow_system_table_mods = on\n");
$far[0]->restart;
$far[0]->safe_psql('postgres', 'CREATE DATABASE lies');
$far[0]->safe_psql('lies', <<'SQL');
CREATE SCHEMA dp_agg;
CREATE SCHEMA dp_agg_internal;
GRANT USAGE ON SCHEMA dp_agg, dp_agg_internal TO reader;
CREATE TABLE told (who text, ward float8, days bigint, sums bytea, means bytea, cells bytea);
CREATE VIEW stays AS SELECT who, ward, days FROM told;
CREATE TABLE bounds (spec bytea);
GRANT SELECT ON told, stays, bounds TO reader;
GRANT INSERT ON bounds TO reader;
-- They know the row by its number of days.
CREATE FUNCTION dp_agg.keep(bigint, bigint, bytea) RETURNS bigint LANGUAGE sql AS 'INSERT INTO public.bounds VALUES ($3); SELECT coalesce($1, $2)';
CREATE FUNCTION dp_agg.sums(bigint) RETURNS bytea LANGUAGE sql AS 'SELECT sums FROM public.told WHERE days = $1';
CREATE FUNCTION dp_agg.means(bigint) RETURNS bytea LANGUAGE sql AS 'SELECT means FROM public.told WHERE days = $1';
CREATE FUNCTION dp_agg.cells(bigint) RETURNS bytea LANGUAGE sql AS 'SELECT cells FROM public.told WHERE days = $1';
CREATE AGGREGATE dp_agg_internal.unit_sum_part(bigint, bytea) (SFUNC = dp_agg.keep, STYPE = bigint, FINALFUNC = dp_agg.sums);
CREATE AGGREGATE dp_agg_internal.unit_part(bigint, bytea) (SFUNC = dp_agg.keep, STYPE = bigint, FINALFUNC = dp_agg.means);
CREATE AGGREGATE dp_agg_internal.exact_cells(bigint, bytea) (SFUNC = dp_agg.keep, STYPE = bigint, FINALFUNC = dp_agg.cells);
-- Total, rows, grid and limits of a part; cells with so many rows in each, of 4 points and 5 rows that count.
CREATE FUNCTION part(numeric, bigint, bigint, bigint, grid int DEFAULT 0) RETURNS bytea LANGUAGE sql AS $$
	SELECT int8send(div($1 - low, 18446744073709551616)::bigint) || decode(lpad(to_hex(div(low, 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(low, 4294967296)::bigint), 8, '0'), 'hex')
		|| int8send($2) || int4send(grid) || int8send($3) || int8send($4)
	FROM (SELECT mod(mod($1, 18446744073709551616) + 18446744073709551616, 18446744073709551616) AS low) l
$$;
CREATE FUNCTION native(bytea) RETURNS bytea LANGUAGE sql AS $$ SELECT string_agg(substr($1, i, 1), '' ORDER BY i DESC) FROM generate_series(1, length($1)) i $$;
CREATE FUNCTION cells(points int, most bigint, rows bigint, VARIADIC entry bigint[]) RETURNS bytea LANGUAGE sql AS $$
	SELECT native(int4send(points)) || '\x00000000' || native(int8send(rows)) || native(int8send(most)) || string_agg(native(int4send((i - 1)::int)) || native(int8send(e)), '' ORDER BY i)
	FROM unnest(entry) WITH ORDINALITY u (e, i) WHERE e <> 0
$$;
SQL
my $lies = $far[0]->name . '_lies';
$near->safe_psql('postgres', "CREATE SERVER $lies FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '@{[$far[0]->host]}', port '@{[$far[0]->port]}', dbname 'lies', extensions 'dp_agg');
	CREATE USER MAPPING FOR hospital SERVER $lies OPTIONS (user 'reader', password_required 'false'); GRANT USAGE ON FOREIGN SERVER $lies TO hospital; SET ROLE hospital;
	CREATE TABLE claims ($stays) PARTITION BY LIST (days); CREATE TABLE claims_here PARTITION OF claims FOR VALUES IN (0); INSERT INTO claims VALUES ('honest', 1, 0), ('claimant', 1, 0);
	CREATE FOREIGN TABLE claims_there PARTITION OF claims DEFAULT SERVER $lies OPTIONS (table_name 'stays');
	SELECT dp_agg.protect('claims', 'who', max_rows => 5, max_groups => 2)");
# Set the claims, each for a day from 1 on, and ask.
my $claim = sub {
	my ($query, @rows) = @_;
	$far[0]->safe_psql('lies', 'TRUNCATE told; ' . join '', map { "INSERT INTO told (who, ward, days, $rows[0]) VALUES ('claimant', 1, $_, $rows[$_]);" } 1 .. $#rows);
	return outcome($query);
};
SKIP: {
	skip('bytes of a summary are those of a little-endian machine', 1) if unpack('C', pack('S', 1)) != 1;
	my $sum = 'SELECT dp_sum(days, -20, 90)::int FROM claims';
	my $mean = 'SELECT dp_avg(days, -20, 90)::numeric(9,1) FROM claims';
	my $median = 'SELECT dp_quantile(days, 0.9, 0, 3, 1048576, 1) FROM claims';
	my ($low, $high) = ('-4611686018427387904', '4611686018427387904');
	# A mean's grid, and whole numbers there.
	$claim->($mean, 'means', 'NULL');
	my ($grid, $one) = split /\|/, $far[0]->safe_psql('lies', q{SELECT g, (2.0 ^ -g)::bigint FROM (SELECT get_byte(spec, 0) | (get_byte(spec, 1) << 8) | (get_byte(spec, 2) << 16) | (get_byte(spec, 3) << 24) AS g FROM bounds LIMIT 1) b});
	my $of_mean = sub { my ($total, $rows, $lower, $upper) = @_ > 2 ? @_ : (@_, -20, 90); return "part(${total}::numeric * $one, $rows, ${lower}::bigint * $one, ${upper}::bigint * $one, $grid)" };
	# 0 of each of the two here, and what is claimed.
	is($claim->($sum, 'sums', "part(7, 2, $low, $high)"), '7', 'a part that may be true counts');
	is($claim->($sum, 'sums', "part(9223372036854775807::numeric * 4611686018427387904, 9223372036854775807, $low, $high)", "part(5, 1, $low, $high)"), '90', 'sums never count for more than the bounds');
	is($claim->($sum, 'sums', "part(9223372036854775807::numeric * -4611686018427387904, 9223372036854775807, $low, $high)"), '-20', 'nor for less');
	is($claim->($sum, 'sums', 'NULL'), '0', 'nothing is a part, too');
	is($claim->($mean, 'means', $of_mean->(90, 1)), '30.0', 'a mean');
	# The unit's rows count as five, the other's as one: (5 * 90 + 0) / 6.
	is($claim->($mean, 'means', $of_mean->('9223372036854775807::numeric * 90', '9223372036854775807')), '75.0', 'rows of a mean never count for more than there may be');
	is($claim->($mean, 'means', map { $of_mean->('4294967295::numeric * 90', '4294967295') } 1 .. 3), '75.0', 'in whatever parts');
	is($claim->($mean, 'means', $of_mean->(0, 0)), '0.0', 'none are none');
	is($claim->($median, 'cells', 'cells(4, 5, 3, 0, 0, 3)'), '2', 'a quantile');
	# As five at 3, beside the other at 0.
	my $both = 'SELECT dp_quantile(days, 0.15, 0, 3, 1048576, 1), dp_median(days, 0, 3, 1048576, 1), dp_count(*) FROM claims';
	is($claim->($both, 'cells', 'cells(4, 5, 1000, 0, 0, 0, 1000)'), '0|3|3', 'rows in a cell never count for more than there may be');
	is($claim->($both, 'cells', map { 'cells(4, 5, 1000, 0, 0, 0, 1000)' } 1 .. 4), '0|3|6', 'in whatever parts');
	is($claim->($both, 'cells', map { 'cells(4, 5, 4611686018427387904, 0, 0, 0, 4611686018427387904)' } 1 .. 4), '0|0|6', 'and each of 2^32 for nothing');
	for my $bad (
		[ $sum, 'sums', "''", 'none' ], [ $sum, 'sums', "substr(part(7, 2, $low, $high), 2)", 'short' ], [ $sum, 'sums', "part(7, 2, $low, $high) || '\\x00'", 'long' ],
		[ $sum, 'sums', 'part(7, 2, -20, 90)', 'of the other kind' ], [ $sum, 'sums', "part(7, 0, $low, $high)", 'of no rows' ], [ $sum, 'sums', "part(7, -1, $low, $high)", 'of fewer' ],
		[ $sum, 'sums', "set_byte(part(7, 2, $low, $high), 27, 1)", 'on another grid' ], [ $mean, 'means', $of_mean->(181, 2), 'above its rows' ], [ $mean, 'means', $of_mean->(-41, 2), 'below them' ],
		[ $mean, 'means', $of_mean->(7, 2, -20, 91), 'of another upper bound' ], [ $mean, 'means', $of_mean->(7, 2, -21, 90), 'of another lower bound' ],
		[ $median, 'cells', 'cells(5, 5, 3, 0, 0, 3)', 'of more points' ], [ $median, 'cells', 'cells(4, 6, 3, 0, 0, 3)', 'of more rows that count' ], [ $median, 'cells', 'cells(4, 5, 2, 0, 0, 3)', 'of fewer rows than in cells' ],
		[ $median, 'cells', 'cells(4, 5, 3, 0, 0, 0, 0, 3)', 'of a cell beyond the last' ], [ $median, 'cells', "''", 'of no cells' ], [ $median, 'cells', 'cells(4, 5, 2, 0, -1, 3)', 'of less than no rows' ])
	{
		my ($query, $column, $value, $name) = @$bad;
		is($claim->($query, $column, $value), '58000: the differentially private release failed', "a part $name is refused");
	}
	# Numbers of rows, by a count(*) of its own.
	for my $count ([ 1, '1000000' ], [ 9223372036854775807, '6' ], [ -1, '' ], [ -9223372036854775807, '' ])
	{
		$far[0]->safe_psql('lies', "TRUNCATE told; INSERT INTO told VALUES ('claimant', 1, 1)");
		$far[0]->safe_psql('lies', "UPDATE pg_proc SET proname = 'was_count' WHERE proname = 'count' AND pronargs = 0; CREATE FUNCTION pg_catalog.said(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $count->[0]'; CREATE AGGREGATE pg_catalog.count(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '0', FINALFUNC = pg_catalog.said)");
		my $got = outcome('SELECT dp_count(*) FROM claims');
		$far[0]->safe_psql('lies', "DROP AGGREGATE pg_catalog.count(*); DROP FUNCTION pg_catalog.said; UPDATE pg_proc SET proname = 'count' WHERE proname = 'was_count'");
		my $wanted = $count->[0] == 1 ? 3 : $count->[0] > 0 ? 6 : '58000: the differentially private release failed';
		is($got, $wanted, "$count->[0] rows count as $wanted");
	}
	# Keys in other forms than ours: -0 there is 0 here, and a unit counts in it once.
	$near->safe_psql('postgres', "INSERT INTO claims SELECT 'unit ' || i, 0, 0 FROM generate_series(1, 300) i");
	$far[0]->safe_psql('lies', "CREATE FUNCTION dp_agg_internal.canonical(float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT \$1';
		TRUNCATE told; INSERT INTO told SELECT 'unit ' || i, '-0', i FROM generate_series(1, 300) i");
	same(ask('SELECT ward, dp_count(DISTINCT who) FROM claims GROUP BY ward'), "0|300\n1|2", 'keys are what they are here');
	$near->safe_psql('postgres', "SET ROLE hospital; CREATE TABLE wards ($stays) PARTITION BY LIST (days); CREATE TABLE wards_here PARTITION OF wards FOR VALUES IN (0); INSERT INTO wards VALUES ('', 0, 0), ('', 'NaN', 0);
		CREATE FOREIGN TABLE wards_there PARTITION OF wards DEFAULT SERVER $lies OPTIONS (table_name 'stays'); SELECT dp_agg.protect('wards', 'ward', max_rows => 2)");
	$far[0]->safe_psql('lies', "TRUNCATE told; INSERT INTO told SELECT '', '-0', i FROM generate_series(1, 3) i; INSERT INTO told VALUES ('', 'NaN', 5), ('', 7, 5)");
	same(ask('SELECT dp_count(DISTINCT ward), dp_count(*) FROM wards'), '3|5', 'so are units: 0, NaN and 7');
}

is($near->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), 0, 'the ledger holds');
$_->stop for $near, @far;
done_testing();
