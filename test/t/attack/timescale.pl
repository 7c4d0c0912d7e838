# Databases with TimescaleDB, preloaded before dp_agg and after it, and with extensions that print plans: questions
# about plain tables are answered as anywhere else, and hypertables are not protected, nor answered about.
#
# What is not installed is skipped; test/prepare.sh installs what Debian has for this version of PostgreSQL.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $probe = PostgreSQL::Test::Cluster->new('probe');
my $libraries = $probe->config_data('--pkglibdir');
my %others = map { $_ => 1 } grep { -e "$libraries/$_.so" } qw(timescaledb pg_show_plans pg_stat_plans);
plan skip_all => 'neither TimescaleDB nor pg_show_plans nor pg_stat_plans is installed' if !%others;
diag("$_ is not installed") for grep { !$others{$_} } qw(timescaledb pg_show_plans pg_stat_plans);

my @questions = (
	'SELECT abs(dp_count(*) - 2000) < 20 FROM people',
	'SELECT abs(count(*) - 5000) < 200 FROM people p JOIN visits v ON v.patient = p.id',
	'SELECT abs(count(*) - 5000) < 200 FROM people p FULL JOIN visits v ON v.patient = p.id',
	'SELECT abs(count(*) - 1000) < 20 FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) x WHERE n > 2',
	'SELECT abs(count(*) - 2000) < 20 FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY age) AS n FROM (SELECT * FROM people) p) x WHERE n = 1',
	'SELECT abs(count(*) - 2000) < 20 FROM (SELECT id FROM people UNION SELECT patient FROM visits) x',
	'SELECT abs(count(*) - 1120) < 40 FROM people WHERE age IN (SELECT k FROM clinics)',
	'SELECT count(*) = 50 FROM (SELECT k, count(*) FROM people JOIN clinics ON k = age GROUP BY k) x',
	q{SELECT count(*) = 3 FROM dp_linregr('people', 'age', 0, 100, '{"smoker": true}')},
	q{SELECT count(*) > 0 FROM dp_agg.price('SELECT count(*) FROM people')},
	'SELECT abs(asks() - 2000) < 20',
);
my $hold = 'BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT abs(count(*) - 2000) < 20 FROM people; COMMIT; FETCH c';

for my $other (sort keys %others)
{
	for my $order ('before', 'after')
	{
		my $node = PostgreSQL::Test::Cluster->new("${other}_$order");
		my @preloaded = $order eq 'before' ? ($other, 'dp_agg') : ('dp_agg', $other);
		$node->init;
		$node->append_conf('postgresql.conf', "shared_preload_libraries = '" . join(',', @preloaded) . "'\nmax_worker_processes = 24\nautovacuum = off\n"
			. ($other eq 'timescaledb' ? "timescaledb.telemetry_level = off\n" : ''));
		$node->start;
		$node->safe_psql('postgres', "CREATE EXTENSION $other") if -e $probe->config_data('--sharedir') . "/extension/$other.control";
		$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE olga;
CREATE ROLE ann LOGIN;
GRANT CREATE ON SCHEMA public TO olga, ann;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SELECT dp_agg.set_budget('ann', 1e6, 1e-3);
ALTER ROLE ann SET dp_agg.epsilon = 5;
ALTER ROLE ann SET dp_agg.max_join_rows = 10;
ALTER ROLE ann SET dp_agg.max_rows = 10;
ALTER ROLE ann SET client_min_messages = error;
SET ROLE olga;
CREATE TABLE people (id int PRIMARY KEY, age int, smoker boolean);
INSERT INTO people SELECT i, i % 90, i % 3 = 0 FROM generate_series(1, 2000) i;
SELECT dp_agg.protect('people', 'id');
CREATE TABLE visits (patient int, clinic int);
INSERT INTO visits SELECT i % 2000 + 1, i % 5 FROM generate_series(1, 5000) i;
SELECT dp_agg.protect('visits', 'patient', max_rows => 10, max_groups => 5);
RESET ROLE;
CREATE TABLE clinics (k int PRIMARY KEY);
INSERT INTO clinics SELECT generate_series(0, 49);
GRANT SELECT ON clinics TO PUBLIC;
SET ROLE ann;
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM people); END';
SQL
		for my $question (@questions, $hold)
		{
			my ($ret, $out, $err) = $node->psql('postgres', $question, extra_params => [ '-U', 'ann' ]);
			is("$out$err", 't', "$other $order: $question");
		}

		# Rows of hypertables are in tables that only TimescaleDB knows how to read.
		if ($other eq 'timescaledb')
		{
			$node->safe_psql('postgres', <<'SQL');
SET ROLE olga;
SET client_min_messages = error;
CREATE TABLE metrics (time timestamptz NOT NULL, person int);
CREATE TABLE later (time timestamptz NOT NULL, person int);
SELECT create_hypertable('metrics', 'time');
INSERT INTO metrics SELECT timestamptz '2024-01-01' + i * interval '1 hour', i % 100 FROM generate_series(1, 500) i;
SELECT dp_agg.protect('later', 'person');
SELECT create_hypertable('later', 'time');
INSERT INTO later SELECT * FROM metrics;
ALTER TABLE later ADD CHECK (person >= 0);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER noted AFTER INSERT ON later FOR EACH ROW EXECUTE FUNCTION noted('x');
CREATE INDEX ON later (person, (person + 1));
RESET ROLE;
CREATE ROLE wim LOGIN;
GRANT INSERT ON later TO wim;
SQL
			$node->safe_psql('postgres', q{INSERT INTO later VALUES ('2025-01-01', 1), ('2026-01-01', 2)}, extra_params => [ '-U', 'wim' ]);
			is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_inherits i JOIN pg_trigger t ON t.tgrelid = i.inhrelid WHERE inhparent = \'later\'::regclass AND tgname = \'noted\''),
				$node->safe_psql('postgres', 'SELECT count(*) FROM pg_inherits WHERE inhparent = \'later\'::regclass'),
				"$order: who may write rows makes chunks of it, with their triggers");
			my ($ret, $out, $err) = $node->psql('postgres', q{SET ROLE olga; SELECT dp_agg.protect('metrics', 'person')});
			like($err, qr/"metrics" has inheritance children/, "$order: a hypertable is not protected");
			($ret, $out, $err) = $node->psql('postgres', 'SELECT dp_count(*) FROM later', extra_params => [ '-U', 'ann' ]);
			like($err, qr/"later" has inheritance children/, "$order: and what becomes one is not answered about");
		}
		is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', "$other $order: the ledger verifies");
		$node->stop;
	}
}
done_testing();
