# Citus, if the server at hand has it.  In its own database no release reads a table of it,
# protected or public, nor does a statement with a release, and nothing of that is charged
# or sent.  From another database its tables are read as foreign partitions: what
# units' rows add up to is computed on the shards, and nothing else is asked of them.
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

my ($share) = PostgreSQL::Test::Utils::run_command([ 'pg_config', '--sharedir' ]);
plan skip_all => 'the server at hand does not have Citus' unless -e "$share/extension/citus.control";

use constant EPSILON => 1048576;

# Two workers; and the coordinator, with the database
# of Citus, and beside it the one where analysts ask.
my $citus = "max_prepared_transactions = 20\nlog_statement = all\nlog_line_prefix = '%u@%d '\n";
my @workers = map {
	my $node = PostgreSQL::Test::Cluster->new($_);
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'citus,dp_agg'\n$citus");
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE hospital LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE ann LOGIN; CREATE DATABASE cluster');
	$node->safe_psql('cluster', 'CREATE EXTENSION citus');
	$node
} qw(worker1 worker2);
my $node = new_gate('coordinator', conf => "shared_preload_libraries = 'citus,dp_agg'\nmax_parallel_workers = 4\nlog_temp_files = 0\n$citus");
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', 'CREATE ROLE hospital LOGIN; CREATE ROLE reader LOGIN; CREATE DATABASE cluster');
$node->safe_psql('cluster', "CREATE EXTENSION citus; SELECT citus_set_coordinator_host('$host', $port)");
$node->safe_psql('cluster', "SELECT citus_add_node('@{[$_->host]}', @{[$_->port]})") for @workers;
$node->safe_psql('cluster', 'CREATE EXTENSION dp_agg');

# Protected tables, one that is no table of Citus, and public ones.
my $columns = 'patient int, clinic text, cost int, paid numeric, dose float8, seen date, urgent boolean';
my $rows = 6000;
$node->safe_psql('cluster', <<"SQL");
GRANT CREATE ON SCHEMA public TO hospital;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO hospital;
SET ROLE hospital;
CREATE TABLE visits ($columns);
CREATE TABLE patients (id int PRIMARY KEY, age int);
CREATE TABLE clinics (name text PRIMARY KEY, region int);
CREATE TABLE numbers (k int PRIMARY KEY, v int);
CREATE TABLE answers (k int, n numeric);
CREATE TABLE people (id int PRIMARY KEY, city text NOT NULL, age int);
SELECT create_distributed_table('visits', 'patient', shard_count => 4);
SELECT create_distributed_table('patients', 'id', colocate_with => 'visits');
SELECT create_distributed_table('numbers', 'k', shard_count => 4), create_distributed_table('answers', 'k', shard_count => 4);
SELECT create_reference_table('clinics');
INSERT INTO clinics SELECT 'clinic ' || i, i % 2 FROM generate_series(0, 5) i;
INSERT INTO numbers SELECT i, i FROM generate_series(0, 99) i;
INSERT INTO patients SELECT i, i % 90 FROM generate_series(0, 399) i;
INSERT INTO people SELECT i, 'clinic ' || i % 6, i % 90 FROM generate_series(1, 3000) i;
GRANT SELECT ON clinics, numbers TO ann;
GRANT SELECT, INSERT ON answers TO ann;
SELECT dp_agg.protect('people', 'id');
RESET ROLE;
SELECT dp_agg.set_budget('ann', 1e13, 1e-3);
SQL

# Rows are made once, in the database where analysts ask.
$node->safe_psql('postgres', <<"SQL");
SELECT setseed(0.5);
CREATE TABLE copy ($columns);
INSERT INTO copy
SELECT CASE WHEN random() < 0.97 THEN floor(random() * random() * 400)::int ELSE 400 END, CASE WHEN random() < 0.95 THEN 'clinic ' || floor(random() * 6) END,
	CASE WHEN random() < 0.9 THEN (random() * 100 - 20)::int END, (random() * 50)::numeric(6,2),
	CASE WHEN random() < 0.05 THEN 'NaN' WHEN random() < 0.9 THEN random() * 10 END,
	date '2020-01-01' + floor(random() * 1096)::int, random() < 0.4
FROM generate_series(1, $rows);
SELECT dp_agg.protect('copy', 'patient', max_rows => 3, max_groups => 40);
SELECT dp_agg.set_budget('ann', 1e13, 1e-3);
SQL
sub carry
{
	my ($query, $table) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir . "/$table";
	$node->safe_psql('postgres', "COPY ($query) TO '$file'");
	$node->safe_psql('cluster', "COPY $table FROM '$file'");
	return;
}
carry('TABLE copy', 'visits');

# Run SQL as ann at the large epsilon; all its rows, or its error.
sub ask
{
	my ($database, $sql) = @_;
	my ($status, $out, $err) = $node->psql($database, "SET dp_agg.epsilon = @{[EPSILON]};\nSET dp_agg.delta = 1e-7;\n$sql",
		extra_params => [ '-U', 'ann', '-v', 'VERBOSITY=verbose' ], on_error_stop => 1);
	return $err =~ /ERROR:\s+(\w{5}): ([^\n]*)/ ? "$1: $2" : $out;
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

sub charged
{
	my ($database) = @_;
	return $node->safe_psql($database, q{SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole});
}

# What was asked of shards since the last time, wherever they are, and by whom.
my %read;
sub asked_of_shards
{
	my @said;
	for my $server (@workers, $node)
	{
		my $log = slurp_file($server->logfile, $read{ $server->name } // 0);
		$read{ $server->name } = -s $server->logfile;
		push @said, grep { /_10\d{4}\b/ } $log =~ /^(\w+\@cluster LOG:  [^\n]*(?:\n\t[^\n]*)*)/mg;
	}
	return @said;
}

# In the database of Citus: every kind of its tables, protected or joined, in every kind of statement.
my $q = $node->background_psql('cluster', on_error_stop => 0, extra_params => [ '-U', 'ann' ]);
$node->safe_psql('cluster', <<"SQL");
CREATE TABLE later ($columns);
CREATE TABLE small (id int PRIMARY KEY, clinic text REFERENCES clinics);
SELECT dp_agg.protect('later', 'patient', max_rows => 3, max_groups => 40);
CREATE TABLE listed (id int PRIMARY KEY, v int);
SELECT citus_add_local_table_to_metadata('listed');
SQL
$q->query_safe("SET dp_agg.epsilon = @{[EPSILON]}; PREPARE q AS SELECT dp_count(*) FROM later");
like($q->query_safe('EXECUTE q'), qr/^-?\d+$/, 'a table that Citus does not know is read');
for my $table (qw(visits clinics listed))
{
	my $unit = { visits => 'patient', clinics => 'name', listed => 'id' }->{$table};
	my ($status, $out, $err) = $node->psql('cluster', "SELECT dp_agg.protect('$table', '$unit')");
	like($err, qr/ERROR:  "$table" is a table of Citus/, "$table is not protected");
}
$node->safe_psql('cluster', <<'SQL');
SELECT create_distributed_table('later', 'patient', shard_count => 4);
INSERT INTO later (patient) SELECT generate_series(1, 100);
SQL
unlike($q->query('EXECUTE q'), qr/\d/, 'once Citus distributes it, a prepared statement does not answer');
like($q->{stderr}, qr/"later" is a table of Citus/, 'and says why');
$q->quit;
my $before = charged('cluster');
asked_of_shards();
for my $case (
	[ 'SELECT dp_count(*) FROM later', 'later' ],
	[ 'SELECT clinic, dp_sum(cost, 0, 50) FROM later GROUP BY clinic', 'later' ],
	[ 'SELECT dp_count(*) FROM later WHERE patient = 5', 'later' ],
	[ 'SELECT dp_median(cost, 0, 50) FROM later', 'later' ],
	[ 'SELECT count(*) FROM later', 'later' ],
	[ 'SELECT c.region, dp_count(*) FROM people p JOIN clinics c ON p.city = c.name GROUP BY 1', 'clinics' ],
	[ 'SELECT c.name, dp_count(p.id) FROM clinics c LEFT JOIN people p ON p.city = c.name GROUP BY 1', 'clinics' ],
	[ 'SELECT dp_count(*) FROM people p JOIN numbers n ON p.age = n.k', 'numbers' ],
	[ 'SELECT x.v, r.n FROM numbers x JOIN (SELECT age, dp_count(*) AS n FROM people GROUP BY age) r ON r.age = x.v', 'numbers' ],
	[ 'SELECT (SELECT max(v) FROM numbers), dp_count(*) FROM people', 'numbers' ],
	[ 'INSERT INTO answers SELECT 1, dp_count(*) FROM people', 'answers' ],
	[ 'WITH n AS (TABLE numbers) SELECT k FROM n WHERE v < (SELECT dp_count(*) FROM people)', 'numbers' ],
	[ 'DO $$ DECLARE r record; BEGIN FOR r IN SELECT dp_count(*) FROM later LOOP END LOOP; END $$', 'later' ],
	[ 'CREATE TEMP TABLE t AS SELECT dp_count(*) FROM later', 'later' ])
{
	my ($sql, $table) = @$case;
	is(ask('cluster', $sql), qq(42809: "$table" is a table of Citus), "refused: $sql");
	next if $sql !~ /^SELECT (?!count)/;
	is(ask('cluster', "SELECT * FROM dp_agg.price(\$q\$$sql\$q\$)"), qq(42809: "$table" is a table of Citus), 'by price too');
	is(ask('cluster', "EXPLAIN ANALYZE $sql"), qq(42809: "$table" is a table of Citus), 'and EXPLAIN');
}
is(charged('cluster'), $before, 'none of it was charged');
is_deeply([ asked_of_shards() ], [], 'nor anything asked of shards');

# What is not protected is read before, as any query reads it.
same(ask('cluster', 'SELECT dp_count(*), dp_sum(age, 0, 90) FROM people'), $node->safe_psql('cluster', 'SELECT count(*), sum(age) FROM people'), 'other tables there are asked about');
same(ask('cluster', 'SELECT dp_count(*) FROM people WHERE city IN (SELECT name FROM clinics WHERE region = 1)'), 1500, 'with lists from a reference table');
same(ask('cluster', 'SELECT dp_count(*) FROM people WHERE age < (SELECT max(v) / 2 FROM numbers)'),
	$node->safe_psql('cluster', 'SELECT count(*) FROM people WHERE age < 49'), 'with values that Citus puts together from several shards');
$before = charged('cluster');
is(ask('cluster', 'SELECT dp_count(*) FROM people WHERE age < (SELECT v FROM numbers)'), '21000: more than one row returned by a subquery used as an expression', 'but not with several');
is(charged('cluster'), $before, 'which costs nothing');

# Where analysts ask, its tables are foreign partitions: the table itself, and joins with a
# reference table and with one that is co-located, as views.
my %tables = (
	visits => [ $columns, 'TABLE visits' ],
	by_region => [ 'patient int, region int, cost int, urgent boolean', 'SELECT patient, region, cost, urgent FROM visits JOIN clinics ON clinic = name' ],
	by_age => [ 'patient int, clinic text, cost int, age int', 'SELECT patient, clinic, cost, age FROM visits JOIN patients ON patient = id' ]);
my ($views, $parts, $copies) = ('', '', '');
for my $table (sort keys %tables)
{
	my ($has, $query) = @{ $tables{$table} };
	$views .= "CREATE VIEW $table AS $query;\n" if $table ne 'visits';
	$views .= "GRANT SELECT ON $table TO reader;\n";
	$parts .= "CREATE TABLE $table ($has) PARTITION BY HASH (patient);\n"
	  . "CREATE FOREIGN TABLE ${table}_all PARTITION OF $table FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER citus OPTIONS (table_name '$table');\n"
	  . "SELECT dp_agg.protect('$table', 'patient', max_rows => 3, max_groups => 40);\n";
	$copies .= "CREATE TABLE copy_of_$table ($has);\nSELECT dp_agg.protect('copy_of_$table', 'patient', max_rows => 3, max_groups => 40);\n";
}
$node->safe_psql('cluster', "SET ROLE hospital;\nGRANT SELECT ON clinics TO reader;\nGRANT SELECT ON patients TO reader;\n$views");
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER citus FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'cluster', extensions 'dp_agg');
GRANT USAGE ON FOREIGN SERVER citus TO hospital;
GRANT CREATE ON SCHEMA public TO hospital;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO hospital;
CREATE USER MAPPING FOR hospital SERVER citus OPTIONS (user 'reader', password_required 'false');
$copies
SET ROLE hospital;
$parts
SQL
for my $table (sort keys %tables)
{
	my $file = PostgreSQL::Test::Utils::tempdir . "/copy_of_$table";
	$node->safe_psql('cluster', "COPY ($tables{$table}[1]) TO '$file'");
	$node->safe_psql('postgres', "COPY copy_of_$table FROM '$file'");
}

# What each table is asked; all of it has the answers of one table that holds the rows.
my %queries = (
	visits => [
		'SELECT dp_count(*), dp_count(DISTINCT patient) FROM %s',
		'SELECT dp_sum(cost, 0, 50), dp_avg(cost, -10, 60), dp_sum(paid, 0, 100), dp_avg(dose, 1, 9) FROM %s',
		'SELECT clinic, dp_count(*), dp_sum(cost, 0, 50), dp_avg(cost, 0, 50) FROM %s GROUP BY clinic',
		'SELECT clinic, urgent, dp_count(*), dp_count(DISTINCT patient) FROM %s GROUP BY clinic, urgent',
		'SELECT clinic, dp_median(cost, -20, 80), dp_quantile(paid, 0.43, 0, 50) FROM %s WHERE cost IS NOT NULL GROUP BY clinic',
		'SELECT extract(year FROM seen), dp_count(*), dp_avg(paid / cost, 0, 10) FROM %s GROUP BY 1',
		"SELECT dp_count(*) FROM %s WHERE seen >= '2021-06-01' AND cost > 10 AND clinic LIKE 'clinic%%'",
		'SELECT dp_count(*) FROM %s WHERE patient = 17',
		'SELECT dp_count(*) FROM %s WHERE patient IN (17, 18, 19) AND urgent IS NOT TRUE',
		"SELECT bin, count FROM dp_histogram('%s', 'cost', 0, 60, 6)" ],
	by_region => [ 'SELECT region, dp_count(*), dp_sum(cost, 0, 50) FROM %s GROUP BY region', 'SELECT dp_median(cost, 0, 60) FROM %s WHERE region = 1 AND urgent' ],
	by_age => [ 'SELECT age / 30, dp_count(*), dp_avg(cost, 0, 50) FROM %s GROUP BY 1', 'SELECT clinic, dp_count(DISTINCT patient) FROM %s WHERE age > 20 GROUP BY clinic' ]);
asked_of_shards();
my @said;
for my $table (sort keys %queries)
{
	for my $query (@{ $queries{$table} })
	{
		same(ask('postgres', sprintf $query, $table), ask('postgres', sprintf $query, "copy_of_$table"), 'as of one table: ' . sprintf $query, $table);
		push @said, asked_of_shards();
	}
}
my $unit = qr/(?:v\w*\.)?patient/;
my $grouped = qr/^reader\@cluster LOG:  execute <unnamed>: SELECT (?:.*, )?$unit(?:, .*)? FROM .* GROUP BY (?:.*, )?$unit(?:, .*)?$/s;
cmp_ok(scalar(grep { $_ =~ $grouped } @said), '>=', 4 * 12 + 2, 'shards were asked for what rows of units add up to');
is_deeply([ grep { $_ !~ $grouped } @said ], [], 'and for nothing else');

# Bounds are those of the unit.
for my $groups (1, 2)
{
	same(ask('postgres', "SET dp_agg.max_groups = $groups; SELECT sum(n) FROM (SELECT clinic, dp_count(DISTINCT patient) AS n FROM visits GROUP BY clinic) s"),
		$node->safe_psql('postgres', "SELECT sum(least(n, $groups)) FROM (SELECT count(DISTINCT coalesce(clinic, '')) AS n FROM copy GROUP BY patient) s"),
		"a unit counts in $groups groups at most");
}

# More units than memory holds, there and here: long keys, too.
$node->safe_psql('cluster', <<'SQL');
SET ROLE hospital;
CREATE TABLE stays (who text, ward text, days bigint);
SELECT create_distributed_table('stays', 'who', shard_count => 4);
INSERT INTO stays SELECT 'person ' || i % 20000, repeat('ward ', 20) || i / 7 % 11, i % 9 FROM generate_series(1, 60000) i;
GRANT SELECT ON stays TO reader;
RESET ROLE;
ALTER ROLE reader SET work_mem = '64kB';
SQL
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE stayed (who text, ward text, days bigint);
INSERT INTO stayed SELECT 'person ' || i % 20000, repeat('ward ', 20) || i / 7 % 11, i % 9 FROM generate_series(1, 60000) i;
SELECT dp_agg.protect('stayed', 'who', max_rows => 3, max_groups => 4);
SET ROLE hospital;
CREATE TABLE stays (who text, ward text, days bigint) PARTITION BY HASH (who);
CREATE FOREIGN TABLE stays_all PARTITION OF stays FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER citus;
ALTER FOREIGN TABLE stays_all OPTIONS (ADD table_name 'stays');
SELECT dp_agg.protect('stays', 'who', max_rows => 3, max_groups => 4);
SQL
my $spilled = -s $node->logfile;
for my $query ('SELECT ward, dp_count(*), dp_sum(days, 0, 9), dp_count(DISTINCT who) FROM %s GROUP BY ward', 'SELECT ward, dp_median(days, 0, 9) FROM %s GROUP BY ward')
{
	same(ask('postgres', sprintf "SET work_mem = '64kB'; $query", 'stays'), ask('postgres', sprintf $query, 'stayed'), 'in little memory: ' . sprintf $query, 'stays');
}
like(slurp_file($node->logfile, $spilled), qr/^reader\@cluster LOG:  temporary file:/m, 'which does not hold what the shards send');
$node->safe_psql('cluster', 'ALTER ROLE reader RESET work_mem');

# A table that is not distributed by its unit would have to be put together from rows: the
# reader's setting keeps Citus from that.
$node->safe_psql('cluster', <<'SQL');
SET ROLE hospital;
CREATE TABLE misplaced (patient int, cost int);
SELECT create_distributed_table('misplaced', 'cost', shard_count => 4);
INSERT INTO misplaced SELECT i % 50, i FROM generate_series(1, 500) i;
GRANT SELECT ON misplaced TO reader;
RESET ROLE;
ALTER ROLE reader SET citus.coordinator_aggregation_strategy = 'disabled';
SQL
$node->safe_psql('postgres', <<'SQL');
SET ROLE hospital;
CREATE TABLE misplaced (patient int, cost int) PARTITION BY HASH (patient);
CREATE FOREIGN TABLE misplaced_all PARTITION OF misplaced FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER citus OPTIONS (table_name 'misplaced');
SELECT dp_agg.protect('misplaced', 'patient', max_rows => 30);
SQL
asked_of_shards();
is(ask('postgres', 'SELECT dp_sum(cost, 0, 500) FROM misplaced'), '58000: the differentially private release failed', 'a table that is not distributed by its unit');
is_deeply([ asked_of_shards() ], [], 'of whose shards nothing is asked');
same(ask('postgres', 'SELECT dp_sum(cost, 0, 50) FROM visits'), ask('postgres', 'SELECT dp_sum(cost, 0, 50) FROM copy_of_visits'), 'one that is, with the same setting');

# Nobody asks the other database, where everything is.
my ($status, $out, $err) = $node->psql('cluster', 'SELECT count(*) FROM visits', extra_params => [ '-U', 'ann' ]);
like($err, qr/permission denied for table visits/, 'who may not read there, may not');
like($node->safe_psql('cluster', q{SET ROLE ann; SELECT DISTINCT result FROM run_command_on_shards('visits', 'SELECT count(*) FROM %s')}), qr/^ERROR:  permission denied for table visits_\d+$/m, 'nor from shards');

# A worker is down: an error in fixed words, and the charge is kept.
my $charges = charged('postgres');
$workers[1]->stop('immediate');
is(ask('postgres', 'SELECT dp_count(*) FROM visits'), '58000: the differentially private release failed', 'a worker is down');
is(charged('postgres'), $charges + 1, 'and the charge is kept');
$workers[1]->start;
same(ask('postgres', 'SELECT dp_count(*) FROM visits'), ask('postgres', 'SELECT dp_count(*) FROM copy_of_visits'), 'once it is back, there are answers');

# So is an error that a row makes there.
$node->safe_psql('cluster', "SET ROLE hospital; CREATE VIEW odd AS SELECT patient, 'secret ' || patient AS clinic, cost, 1 / (patient - 17) AS age FROM visits; GRANT SELECT ON odd TO reader");
$node->safe_psql('postgres', "ALTER FOREIGN TABLE by_age_all OPTIONS (SET table_name 'odd')");
my ($failed, $none, $message) = $node->psql('postgres', "SET client_min_messages = debug1; SELECT age, dp_count(*) FROM by_age GROUP BY age", extra_params => [ '-U', 'ann', '-v', 'VERBOSITY=verbose' ]);
like($message, qr/ERROR:  58000: the differentially private release failed/, 'an error of a shard');
unlike($message, qr/division|secret|visits_\d|odd/, 'carries nothing of it');

done_testing();
