# A foreign table of the analyst's own beside protected rows: its server is hers, and sees all that is asked of it.
# Joined row by row, postgres_fdw would ask it WHERE id = $1 for each protected row.  All of it is read, by the
# conditions of the question's text alone, so what it is asked is the same whoever is in the protected table.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('far_tables');
my ($host, $port) = ($node->host, $node->port);

# What the analyst's server has: so many places that asking for one is cheaper than reading all.
$node->safe_psql('postgres', 'CREATE DATABASE hers');
$node->safe_psql('hers', <<'SQL');
CREATE TABLE place (id int PRIMARY KEY, name text);
INSERT INTO place SELECT i, 'n' || i % 3 FROM generate_series(1, 20000) i;
ANALYZE place;
GRANT SELECT ON place TO ann;
SQL
$node->safe_psql('postgres', q(ALTER DATABASE hers SET log_statement = 'all'));

# Protected rows: in the odd database a person more, who is where nobody else is.
for my $database (qw(one odd))
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, <<"SQL");
CREATE EXTENSION dp_agg;
CREATE EXTENSION postgres_fdw;
CREATE TABLE visits (patient int, place int NOT NULL, cost int NOT NULL);
INSERT INTO visits SELECT i, i % 5, i % 50 FROM generate_series(1, 40) i;
INSERT INTO visits SELECT 1000, 17000 + i, 1 FROM generate_series(1, 5) i WHERE current_database() = 'odd';
ANALYZE visits;
SELECT dp_agg.protect('visits', 'patient', max_rows => 5), dp_agg.set_domain('visits', 'cost', 0, 50), dp_agg.set_budget('ann', 1e6, 1e-3);
CREATE SERVER hers FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'hers', use_remote_estimate 'true');
CREATE USER MAPPING FOR ann SERVER hers OPTIONS (user 'ann', password_required 'false');
GRANT USAGE ON FOREIGN SERVER hers TO ann;
CREATE SCHEMA ann AUTHORIZATION ann;
SET ROLE ann;
CREATE FOREIGN TABLE ann.place (id int, name text) SERVER hers OPTIONS (schema_name 'public');
SQL
}

my @questions = (
	'SELECT count(*) FROM visits v JOIN place p ON p.id = v.place',
	'SELECT p.name, count(*) FROM visits v JOIN place p ON p.id = v.place GROUP BY 1',
	'SELECT count(p.name) FROM visits v LEFT JOIN place p ON p.id = v.place',
	'SELECT count(v.cost) FROM place p LEFT JOIN visits v ON p.id = v.place WHERE p.id < 10',
	'SELECT count(*) FROM visits v, place p WHERE p.id = v.place AND p.id > v.cost',
	'SELECT count(*) FROM visits v WHERE EXISTS (SELECT FROM place p WHERE p.id = v.place)',
	'SELECT count(*) FROM visits v WHERE NOT EXISTS (SELECT FROM place p WHERE p.id = v.place)',
	q(SELECT count(*) FROM visits v WHERE v.place IN (SELECT id FROM place WHERE name = 'n1')),
	'SELECT count(*) FROM (SELECT v.patient, max(p.id) AS m FROM visits v JOIN place p ON p.id = v.place GROUP BY 1) x WHERE m > 2',
	'SELECT count(*) FROM visits v JOIN (SELECT id, count(*) AS n FROM place GROUP BY 1) x ON x.id = v.place',
	q(SELECT count(*) FROM dp_histogram('visits', 'cost', 0, 50, 2, filter => 'place IN (SELECT id FROM place)')));
my $settings = "SET client_min_messages = error;\nSET search_path = public, ann;\nSET dp_agg.max_join_rows = 2;\n";

# What a question has the analyst's server asked, in a database.
sub told_her
{
	my ($database, $question) = @_;
	my $before = -s $node->logfile;
	my ($ret, $out, $err) = $node->psql($database, $settings . "SET enable_hashjoin = off;\nSET enable_mergejoin = off;\nSET enable_material = off;\n$question",
		extra_params => [ '-U', 'ann' ]);
	my $log = slurp_file($node->logfile, $before);
	my @lines = grep { !/FETCH|TRANSACTION/ } $log =~ /postgres_fdw LOG:\s+(?:statement|execute \S+): (.*(?:\n\t.*)*)/g;
	return ($ret, $err, join("\n", grep { /place/ } @lines), $log =~ /postgres_fdw DETAIL:\s+parameters: /i ? 1 : 0, scalar(() = $log =~ /FETCH/g));
}

for my $question (@questions)
{
	my ($ret, $err, $one, $given, $parts) = told_her('one', $question);
	my ($ret_odd, $err_odd, $odd, $given_odd, $parts_odd) = told_her('odd', $question);
	is("$ret $ret_odd", '0 0', "answered: $question") or diag("$err$err_odd");
	like($one, qr/DECLARE/, 'her server is asked');
	is($odd, $one, 'the same, whoever is there');
	is("$parts_odd $given $given_odd", "$parts 0 0", 'in as many parts, and given no value');
}

done_testing();
