# Databases with TimescaleDB, preloaded before dp_agg and after it, and with extensions that print plans: questions
# about plain tables are answered as anywhere else, and about hypertables as about tables with children: as long as each
# chunk is what a child has to be, and not compressed. What cannot be answered is refused by the chunk's name, unpaid.
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

# What an analyst gets, as text.
sub asked
{
	my ($node, $question) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', $question, extra_params => [ '-U', 'ann' ]);
	return "$out$err";
}

sub statements
{
	my ($node) = @_;
	return $node->safe_psql('postgres', 'SELECT sum(statements) FROM dp_agg.budgets');
}

# A question is refused with these words while a change is made to chunks, and answered before and after; no refusal is paid.
# What TimescaleDB does not allow is done in its mode for restoring.
sub refused_while
{
	my ($node, $order, $change, $back, $words) = @_;
	my $question = "PREPARE q AS SELECT abs(count(*) - 500) < 100 FROM metrics; EXECUTE q";
	my $restoring = 'SET timescaledb.restoring = on';
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ann' ]);
	is($session->query('SET client_min_messages = error; ' . $question), 't', "$order: answered before: $change");
	$node->safe_psql('postgres', "$restoring; $change");
	my $before = statements($node);
	like(asked($node, 'SELECT count(*) FROM metrics'), $words, "$order: refused: $change");
	is(($session->query('EXECUTE q') // '') =~ /t/ ? 'answered' : 'refused', 'refused', "$order: what is prepared, too");
	like($session->{stderr}, $words, "$order: in the same words");
	is(statements($node), $before, "$order: unpaid");
	$node->safe_psql('postgres', "$restoring; $back");
	$session->{stderr} = '';
	is($session->query('EXECUTE q'), 't', "$order: and answered again");
	$session->quit;
	return;
}

# What takes the licence of the community, where somebody has built that: chunks are compressed, by truncation and by deletion of
# their rows, aggregates are kept, and a table is attached that keeps its owner.
sub licensed
{
	my ($node, $order) = @_;
	if ($node->safe_psql('postgres', q{SELECT current_setting('timescaledb.license')}) ne 'timescale')
	{
		diag("$order: what takes TimescaleDB's community licence is left out: it is not here");
		return;
	}
	$node->safe_psql('postgres', <<'SQL');
SET ROLE olga;
SET client_min_messages = error;
CREATE TABLE packs (time timestamptz NOT NULL, person int);
SELECT create_hypertable('packs', 'time');
INSERT INTO packs SELECT timestamptz '2024-01-01' + i * interval '1 hour', i % 100 FROM generate_series(1, 500) i;
SELECT dp_agg.protect('packs', 'person', max_rows => 10, max_groups => 5);
ALTER TABLE packs SET (timescaledb.compress, timescaledb.compress_segmentby = 'person');
SQL
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ann' ]);
	my $question = 'SELECT abs(count(*) - 500) < 100 FROM packs';
	is($session->query("SET client_min_messages = error; PREPARE q AS $question; EXECUTE q"), 't', "$order: none is compressed");
	for my $set ('SET timescaledb.enable_delete_after_compression = off', 'SET timescaledb.enable_delete_after_compression = on')
	{
		$node->safe_psql('postgres', "$set; SELECT compress_chunk(c) FROM show_chunks('packs') c LIMIT 1");
		my $before = statements($node);
		$session->{stderr} = '';
		$session->query('EXECUTE q');
		like($session->{stderr}, qr/chunk "\w+" of "packs" is compressed/, "$order: one is, $set");
		like(asked($node, "SET timescaledb.enable_transparent_decompression = off; $question"), qr/is compressed/, "$order: whatever plans there are");
		is(statements($node), $before, "$order: unpaid");
		$node->safe_psql('postgres', "SELECT decompress_chunk(c, true) FROM show_chunks('packs') c LIMIT 1");
		is($session->query('EXECUTE q'), 't', "$order: none is any more");
	}
	$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
CREATE MATERIALIZED VIEW by_day WITH (timescaledb.continuous) AS SELECT time_bucket('1 day', time) AS day, count(*) AS n FROM packs GROUP BY 1;
GRANT SELECT ON by_day TO ann;
CREATE TABLE brought (person int, time timestamptz NOT NULL);
ALTER TABLE brought OWNER TO ann;
CALL attach_chunk('packs', 'brought', '{"time": ["2025-01-02 00:00+00", "2025-01-09 00:00+00"]}');
SQL
	like($node->safe_psql('postgres', 'SELECT reason FROM dp_agg.copies() WHERE kept'), qr/^continuous aggregate public\.by_day of public\.packs keeps exact answers in it$/m, "$order: what keeps exact answers");
	like($node->safe_psql('postgres', q{SELECT string_agg(object, ' ') FROM dp_agg.check_exposure('ann')}), qr/public\.by_day/, "$order: and who may read it");
	$session->{stderr} = '';
	$session->query('EXECUTE q');
	like($session->{stderr}, qr/child "brought" of "packs" has another owner/, "$order: what is attached keeps its owner");

	# A chunk's owner cannot be changed: it has to be a table by itself meanwhile.
	$node->safe_psql('postgres', q{CALL detach_chunk('brought'); ALTER TABLE brought OWNER TO olga; CALL attach_chunk('packs', 'brought', '{"time": ["2025-01-02 00:00+00", "2025-01-09 00:00+00"]}')});
	is($session->query('EXECUTE q'), 't', "$order: and may be given another while it is detached");
	$session->quit;
	return;
}

sub hypertables
{
	my ($node, $order) = @_;
	$node->safe_psql('postgres', <<'SQL');
SET ROLE olga;
SET client_min_messages = error;
CREATE TABLE metrics (time timestamptz NOT NULL, person int);
CREATE TABLE later (time timestamptz NOT NULL, person int);
SELECT create_hypertable('metrics', 'time');
INSERT INTO metrics SELECT timestamptz '2024-01-01' + i * interval '1 hour', i % 100 FROM generate_series(1, 500) i;
SELECT dp_agg.protect('later', 'person', max_rows => 10, max_groups => 5), dp_agg.protect('metrics', 'person', max_rows => 10, max_groups => 5);
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
	my ($chunk) = split /\n/, $node->safe_psql('postgres', q{SELECT show_chunks('metrics')});
	my ($name) = $chunk =~ /(\w+)$/;

	# At epsilon 5 a count of rows of which a person has 10 is off by 100 with a probability of e^-50.
	for my $set ('', 'SET timescaledb.enable_columnarscan = off;', 'SET timescaledb.enable_optimizations = off;', 'SET constraint_exclusion = off;')
	{
		next if $set =~ /(timescaledb\.\w+)/ && !$node->safe_psql('postgres', "SELECT 1 FROM pg_settings WHERE name = '$1'");
		is(asked($node, "$set SELECT abs(count(*) - 500) < 100 FROM metrics"), 't', "$order: a hypertable is answered about. $set");
		is(asked($node, "$set SELECT abs(count(*) - 502) < 100 FROM later"), 't', "$order: and what has become one. $set");
	}
	like(asked($node, "SELECT count(*) FROM $chunk"), qr/permission denied/, "$order: a chunk is nobody's to ask about by itself");
	my $before = statements($node);
	like(asked($node, "SELECT count(*) FROM metrics; SELECT count(*) FROM $chunk WHERE pg_sleep(0) IS NULL"), qr/permission denied/, "$order: nor beside the hypertable");

	# Without the licence for it nothing can be compressed: its catalog says that it is, and its cache hears of it, as TimescaleDB has it.
	my $told = 'ALTER TABLE _timescaledb_cache.cache_inval_hypertable SET (fillfactor = 90)';
	refused_while($node, $order, "UPDATE _timescaledb_catalog.chunk SET status = 1 WHERE id = 1; $told", "UPDATE _timescaledb_catalog.chunk SET status = 0 WHERE id = 1; $told",
		qr/chunk "$name" of "metrics" is compressed/);
	refused_while($node, $order, "ALTER TABLE $chunk OWNER TO ann", "ALTER TABLE $chunk OWNER TO olga", qr/child "$name" of "metrics" has another owner/);
	refused_while($node, $order, "ALTER TABLE $chunk ENABLE ROW LEVEL SECURITY", "ALTER TABLE $chunk DISABLE ROW LEVEL SECURITY",
		qr/child "$name" of "metrics" has row security of its own/);

	# What TimescaleDB keeps elsewhere is listed, with who may read it.
	$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
CREATE TABLE store (bucket timestamptz NOT NULL, n bigint);
CREATE TABLE packed (bucket timestamptz NOT NULL, n bigint);
SELECT create_hypertable(t, 'bucket') FROM unnest('{store,packed}'::regclass[]) t;
INSERT INTO store VALUES ('2024-01-01', 1);
CREATE VIEW daily AS SELECT * FROM store;
GRANT SELECT ON daily, store, packed TO ann;
INSERT INTO _timescaledb_catalog.continuous_agg (mat_hypertable_id, raw_hypertable_id, user_view_schema, user_view_name,
	partial_view_schema, partial_view_name, direct_view_schema, direct_view_name)
	SELECT s.id, m.id, 'public', 'daily', 'public', 'partial', 'public', 'direct' FROM _timescaledb_catalog.hypertable s, _timescaledb_catalog.hypertable m
	WHERE s.table_name = 'store' AND m.table_name = 'metrics';
UPDATE _timescaledb_catalog.hypertable SET compressed_hypertable_id = (SELECT id FROM _timescaledb_catalog.hypertable WHERE table_name = 'packed')
	WHERE table_name = 'metrics';
SQL
	is($node->safe_psql('postgres', q{SELECT string_agg(copy || ': ' || reason, E'\n' ORDER BY copy::text) FROM dp_agg.copies() WHERE kept}),
		"packed: TimescaleDB keeps compressed chunks of public.metrics in it\nstore: continuous aggregate public.daily of public.metrics keeps exact answers in it",
		"$order: where TimescaleDB keeps rows and exact answers");
	is($node->safe_psql('postgres', q{SELECT string_agg(object, ' ' ORDER BY object) FROM dp_agg.check_exposure('ann') WHERE risk LIKE 'critical:%' AND object LIKE 'public.%'}),
		'public.daily public.packed public.store', "$order: and who may read it");
	like($node->safe_psql('postgres', q{SELECT string_agg(remedy, ' ') FROM dp_agg.check_exposure('ann')}), qr/REVOKE SELECT ON _timescaledb_internal\._hyper_\d+_\d+_chunk FROM ann/,
		"$order: chunks of that too");
	return;
}

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

		hypertables($node, $order), licensed($node, $order) if $other eq 'timescaledb';
		is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', "$other $order: the ledger verifies");
		$node->stop;
	}
}
done_testing();
