# time_bucket of TimescaleDB over protected rows is answered by built-in functions: every value of them is compared
# with that of the real function, which the owner has stored beside the time; then groups, keys, prices and refusals
# over a hypertable.
#
# The loss is so great that noise vanishes: of a count it is 0 but for a probability of exp(-1000).
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('time_bucket');
plan skip_all => 'TimescaleDB is not installed' if !-e $node->config_data('--pkglibdir') . '/timescaledb.so';

$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'timescaledb,dp_agg'
timescaledb.telemetry_level = off
max_worker_processes = 24
autovacuum = off
timezone = 'UTC'
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
CREATE EXTENSION timescaledb;
CREATE EXTENSION dp_agg;
CREATE FUNCTION asked(query text, OUT question text, OUT relations text) RETURNS SETOF record
	AS '$libdir/dp_questions_test', 'test_questions' LANGUAGE C STRICT;
CREATE ROLE olga;
CREATE ROLE ann LOGIN;
GRANT CREATE ON SCHEMA public TO olga, ann;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SELECT dp_agg.set_budget('ann', 1e12, 0.5);
ALTER ROLE ann SET dp_agg.epsilon = 1000;
ALTER ROLE ann SET client_min_messages = error;
SET ROLE olga;
-- days where clocks are set, the origins, times before them, and all that is near to the limits of a bucket
CREATE TABLE probes (id int PRIMARY KEY, ts timestamp, tz timestamptz, d date, i2 smallint, i4 int, i8 bigint, u uuid,
	of_ts timestamp, of_tz timestamptz, of_d date, of_i2 smallint, of_i4 int, of_i8 bigint);
INSERT INTO probes (id, tz) SELECT row_number() OVER (), t FROM (
	SELECT generate_series(timestamptz '2024-03-09', '2024-03-12', '15 min') UNION ALL SELECT generate_series(timestamptz '2024-03-30', '2024-04-01', '15 min') UNION ALL
	SELECT generate_series(timestamptz '2024-11-02', '2024-11-05', '7 min 30 s') UNION ALL SELECT generate_series(timestamptz '2024-10-26', '2024-10-28', '15 min') UNION ALL
	SELECT generate_series(timestamptz '1899-12-25', '2031-12-25', '71 days 3 hours 7 s 1 us') UNION ALL SELECT generate_series(timestamptz '1999-11-25', '2000-02-25', '12 hours') UNION ALL
	SELECT generate_series(timestamptz '1999-12-31 22:00', '2000-01-04', '30 min') UNION ALL SELECT timestamptz '2000-01-03' + i * interval '1 us' FROM generate_series(-2, 2) i UNION ALL
	SELECT unnest('{infinity,-infinity,"4500-01-01 BC","0001-01-01 BC","0001-01-01","0010-05-05 BC","0119-05-05 BC","9999-12-31 23:59:59.999999","250000-01-01",NULL}'::timestamptz[])) s (t);
UPDATE probes SET ts = tz AT TIME ZONE 'UTC', d = (tz AT TIME ZONE 'UTC')::date, i2 = id * 31 % 60000 - 30000, i4 = id::bigint * 2147001 % 4294967000 - 2147483000, i8 = hashint8extended(id, 5) / 2;
UPDATE probes SET i2 = id - 40, i4 = id - 40, i8 = id - 40 WHERE id < 80;
UPDATE probes SET i2 = 32760, i4 = 2147483640, i8 = 9223372036854775800 WHERE id = 101;
CREATE TABLE metrics (time timestamptz NOT NULL, person int NOT NULL, at timestamp NOT NULL, day date NOT NULL, cost int NOT NULL);
SELECT create_hypertable('metrics', 'time');
INSERT INTO metrics SELECT t, row_number() OVER (), t AT TIME ZONE 'UTC', t::date, row_number() OVER () % 90
	FROM (SELECT timestamptz '2024-02-01 05:00' + i * interval '7 hours 11 minutes' FROM generate_series(1, 1200) i) s (t) WHERE t NOT BETWEEN '2024-06-10' AND '2024-06-30';
CREATE TABLE grid AS SELECT t AS time, t AT TIME ZONE 'UTC' AS at, t::date AS day, extract(epoch FROM t)::int / 900 % 100 AS cost FROM generate_series(timestamptz '2024-02-01', '2025-01-31', '15 min') t;
SELECT dp_agg.protect('probes', 'id'), dp_agg.protect('metrics', 'person'), dp_agg.set_domain('metrics', 'time', '2024-02-01', '2025-01-31'), dp_agg.set_domain('metrics', 'cost', 0, 99),
	dp_agg.set_domain('metrics', 'at', '2024-02-01', '2025-01-31'), dp_agg.set_domain('metrics', 'day', '2024-02-01', '2025-01-31');
SQL

# What a role answers, or its error and hint.
sub answer
{
	my ($role, $sql) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', $role ], on_error_stop => 1);
	return $out if $ret == 0;
	my ($message) = $err =~ /ERROR:\s*(.*)/;
	my ($hint) = $err =~ /HINT:\s*(.*)/;
	return $message . ($hint ? " | $hint" : '');
}

# What the owner answers, by the real function.
sub exact
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', "SET ROLE olga; $sql");
}

# Each call, on all values.
my %rows = map { $_ => exact("SELECT count($_) FROM probes") } qw(ts tz d i2 i4 i8);
for my $call (grep { /\S/ } split /\n/, <<'CALLS')
ts time_bucket('1 day', ts)
ts time_bucket('1 week', ts)
ts time_bucket('1 day 3 hours 7 min', ts)
ts time_bucket('400 days', ts)
ts time_bucket('7 hours', ts, origin => '1850-01-01 03:00')
ts time_bucket('7 hours', ts, "offset" => '3 hours')
ts time_bucket('7 days', ts, interval '-36 hours')
ts time_bucket('7 days', ts, interval '1 month')
ts time_bucket(interval '1 hour' * 3, ts)
ts time_bucket('1 month', ts)
ts time_bucket('1 month', ts, interval '10 days')
ts time_bucket('3 months', ts)
ts time_bucket('3 months', ts, timestamp '2021-04-17')
ts time_bucket('1 year', ts)
ts time_bucket('10 years', ts)
tz time_bucket('1 day', tz)
tz time_bucket('7 days', tz)
tz time_bucket('1 us', tz)
tz time_bucket('7 hours', tz, timestamptz '2024-01-01 03:00Z')
tz time_bucket('7 days', tz, interval '1 hour')
tz time_bucket('7 days', tz, interval '2 days 1 hour')
tz time_bucket('1 month', tz)
tz time_bucket('3 months', tz)
tz time_bucket('3 months', tz, timestamptz '1821-10-17')
tz time_bucket('1 year', tz)
tz time_bucket('1 day', tz, 'America/New_York')
tz time_bucket('1 day', tz, 'America/Havana')
tz time_bucket('1 day', tz, 'Asia/Kolkata')
tz time_bucket('1 day', tz, '+03:00')
tz time_bucket('1 day', tz, 'UTC', NULL, NULL)
tz time_bucket('10 min', tz, 'America/New_York')
tz time_bucket('1 hour', tz, 'America/New_York')
tz time_bucket('90 min', tz, 'America/New_York')
tz time_bucket('5 hours', tz, 'America/New_York')
tz time_bucket('2 hours', tz, 'Europe/Berlin')
tz time_bucket('1 hour', tz, 'Australia/Lord_Howe')
tz time_bucket('1 week', tz, 'Europe/Berlin', '2024-01-04 00:00Z')
tz time_bucket('1 week', tz, timezone => 'America/New_York', "offset" => '6 hours')
tz time_bucket('1 hour', tz, timezone => 'America/New_York', origin => '2024-01-04 00:20Z', "offset" => '10 min')
tz time_bucket('1 month', tz, 'America/New_York')
tz time_bucket('3 months', tz, 'Asia/Tokyo')
tz time_bucket('1 year', tz, 'Asia/Tokyo', '2021-12-31 18:00Z')
d time_bucket('1 day', d)
d time_bucket('48 hours', d)
d time_bucket('5 days', d)
d time_bucket('5 days', d, date '2024-02-29')
d time_bucket('5 days', d, interval '3 days')
d time_bucket('1 month', d)
d time_bucket('3 months', d, date '2021-04-17')
d time_bucket('1 year', d)
d time_bucket('10 years', d)
i2 time_bucket(10::smallint, i2)
i2 time_bucket(10::smallint, i2, 3::smallint)
i4 time_bucket(10, i4)
i4 time_bucket(10, i4, 3)
i4 time_bucket(10, i4, -3)
i4 time_bucket(7, i4, 25)
i8 time_bucket(10::bigint, i8)
i8 time_bucket(1::bigint, i8)
i8 time_bucket(1000000007::bigint, i8, -5::bigint)
i8 time_bucket(4611686018427387904, i8, 9::bigint)
CALLS
{
	my ($column, $expression) = split / /, $call, 2;
	exact("UPDATE probes SET of_$column = $expression");
	is(answer('ann', "SELECT dp_count(*) FROM probes WHERE $expression = of_$column UNION ALL SELECT dp_count(*) FROM probes WHERE ($expression) IS DISTINCT FROM of_$column"),
		"$rows{$column}\n0", $expression);
}
is(answer('ann', "SELECT dp_count(*) FROM probes WHERE time_bucket('1 day', tz, NULL::text) IS NULL AND time_bucket(NULL::interval, ts) IS NULL"),
	exact('SELECT count(*) FROM probes'), 'NULL for a width or a time zone makes NULL');
like(exact("EXPLAIN SELECT time_bucket('1 day', tz) FROM probes"), qr/Seq Scan/, 'the owner asks what she likes');
like(exact("EXPLAIN (VERBOSE) SELECT time_bucket('1 day', tz) FROM probes"), qr/time_bucket/, 'and TimescaleDB answers her');

# Groups: each bucket with rows is the owner's, and each without has a count of 0.
for my $group (
	[ "time_bucket('7 days', time)" ],
	[ "time_bucket('1 day', at)" ],
	[ "time_bucket('5 days', day)" ],
	[ "time_bucket('36 hours', at, interval '5 hours')" ],
	[ "time_bucket('1 month', time)" ],
	[ "time_bucket('1 month', day)" ],
	[ "time_bucket('3 months', at)" ],
	[ "time_bucket('1 day', time, 'America/New_York')" ],
	[ "time_bucket('1 week', time, 'Europe/Berlin', '2024-01-04 00:00Z', '6 hours')" ],
	[ "time_bucket('1 month', time, 'Asia/Tokyo')" ],
	[ "time_bucket('1 hour', time, 'America/New_York')", "time >= '2024-11-01' AND time < '2024-11-06'" ],
	[ "time_bucket('90 min', time, 'America/New_York')", "time >= '2024-11-01' AND time < '2024-11-06'" ],
	[ "time_bucket('7 hours', time, 'Europe/Berlin')", "time >= '2024-03-28' AND time < '2024-04-04'" ],
	[ 'time_bucket(10, cost)' ],
	[ 'time_bucket(10, cost, 5)' ],
	[ "to_char(time_bucket('1 month', time), 'Mon')" ])
{
	my ($key, $where) = @$group;
	# The domain of a column that may be NULL has NULL besides.
	my $keys = exact("SELECT count(DISTINCT $key) FROM grid WHERE " . ($where // 'true')) + !defined $where;
	$where //= 'true';
	my $question = "SELECT $key AS k, count(*) FROM metrics WHERE $where GROUP BY $key ORDER BY $key";
	my @answered = split /\n/, answer('ann', $question);
	is(scalar @answered, $keys, "$key has as many public keys");
	is(join("\n", grep { !/\|0$/ } @answered), exact($question), "$key is grouped by as it is exactly");
	like(answer('ann', "EXPLAIN $question"), qr/Keys: public/, "$key is said to be public");
	is(answer('ann', sprintf 'SELECT count(*), max(epsilon), max(delta) FROM dp_agg.price(%s) WHERE epsilon > 0', "\$q\$$question\$q\$"), '1|1000|0', "$key costs one price");
}
like(answer('ann', "SELECT time_bucket('7 days', time) AS week, count(*) FROM metrics GROUP BY week ORDER BY week"), qr/^2024-06-17 00:00:00\+00\|0$/m, 'a week without rows is there');

# Where clocks are set back in the hour in which buckets begin, a bucket may come twice, and begins at another time of the day.
$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
SET ROLE olga;
CREATE TABLE autumn (time timestamptz NOT NULL, person int);
INSERT INTO autumn SELECT timestamptz '2024-10-25 00:00Z' + i * interval '10 min', i % 50 FROM generate_series(1, 3000) i;
SELECT dp_agg.protect('autumn', 'person', max_rows => 10, max_groups => 40), dp_agg.set_domain('autumn', 'time', timestamptz '2022-07-01', timestamptz '2025-01-01');
SQL
for my $key ("time_bucket('1 day', time, 'America/Havana')", "time_bucket('1 day', time, 'Europe/Berlin', origin => timestamptz '2024-01-01 01:30Z')",
	"time_bucket('1 day', time, timezone => 'Europe/Berlin', \"offset\" => '2 hours 30 min')", "time_bucket('36 hours', time, 'America/Havana')")
{
	my $question = "SELECT $key AS k, count(*) FROM autumn GROUP BY 1 HAVING count(*) > 0 ORDER BY 1";
	is(answer('ann', "SET dp_agg.epsilon = 1e6; $question"), exact($question), "no row is lost: $key");
}
like(answer('ann', "EXPLAIN SELECT time_bucket('1 day', time, 'America/Havana') AS k, count(*) FROM autumn GROUP BY 1"), qr/Keys: public/, 'keys are public there');

# Elsewhere in a statement, by parameters, and asked anew.
is(answer('ann', 'SELECT dp_sum(cost, time_bucket(10, 5), time_bucket(10, 105)) FROM metrics'), exact('SELECT sum(cost) FROM metrics'), 'in bounds');
is(answer('ann', "SELECT count(*) FROM probes WHERE time_bucket('1 day', uuid_extract_timestamp(u)) IS NULL"), exact('SELECT count(*) FROM probes'), 'of the time of a uuid, as the hint says')
	if $node->pg_version >= 17;
for my $question (
	"SELECT count(*) FROM metrics WHERE time_bucket('1 month', time) = '2024-03-01'",
	"SELECT count(*) FROM metrics WHERE time >= time_bucket('1 month', timestamptz '2024-05-20') AND cost < time_bucket(7, 30)",
	"SELECT count(*) FROM (SELECT time_bucket('1 day', at) AS day, cost FROM metrics) m WHERE day BETWEEN '2024-03-10' AND '2024-03-20'",
	"PREPARE p(interval, text) AS SELECT time_bucket(\$1, time, \$2) AS k, count(*) FROM metrics GROUP BY 1 HAVING count(*) > 0 ORDER BY 1; EXECUTE p('30 days', 'Europe/Berlin'); EXECUTE p('1 month', 'Asia/Tokyo')")
{
	is(answer('ann', $question), exact($question), $question);
}
my @same = map { answer('ann', "SELECT question FROM asked(\$q\$SELECT dp_count(*) FROM metrics GROUP BY $_\$q\$)") }
	"time_bucket('7 days', time)", "time_bucket(bucket_width => interval '1 day' * 7, ts => time)", "date_bin('7 days', time, '2000-01-03')", "time_bucket('7 days', time, timestamptz '2000-01-04')";
isnt($same[0], '', 'a question with time_bucket has a digest');
is($same[1], $same[0], 'which is the same where it is written otherwise');
is($same[2], $same[0], 'and that of date_bin');
isnt($same[3], $same[0], 'but not that of another origin');

# What is refused, and why.
my $refused = 'function time_bucket is not built in, which an expression over protected rows requires';
my $times = 'Give it a constant width: of %s, or of 1, 3, 12 or 120 months that begin with a month, quarter, year or decade. All else but the time is constant too.';
for my $refusal (
	[ "time_bucket('2 months', time)", sprintf $times, 'days, hours or less' ],
	[ "time_bucket('3 months', time, timestamptz '2024-02-01')", sprintf $times, 'days, hours or less' ],
	[ "time_bucket('1 month 1 day', at)", sprintf $times, 'days, hours or less' ],
	[ "time_bucket(cost * interval '1 day', at)", sprintf $times, 'days, hours or less' ],
	[ "time_bucket('1 day', at, at)", sprintf $times, 'days, hours or less' ],
	[ "time_bucket('1 day', at, timestamp 'infinity')", sprintf $times, 'days, hours or less' ],
	[ "time_bucket('7 hours', day)", sprintf $times, 'whole days' ],
	[ 'time_bucket(cost, cost)', 'Give it a constant width above 0, and a constant offset.' ],
	[ 'time_bucket(0, cost)', 'Give it a constant width above 0, and a constant offset.' ])
{
	is(answer('ann', "SELECT count(*) FROM metrics WHERE $refusal->[0] IS NULL"), "$refused | $refusal->[1]", "refused: $refusal->[0]");
}
is(answer('ann', "SELECT count(*) FROM probes WHERE time_bucket('1 day', u) IS NULL"),
	"$refused | Take its time, by uuid_extract_timestamp of PostgreSQL 17, or have the owner keep it in a column of its own.", 'refused: uuid')
	if $node->safe_psql('postgres', q{SELECT to_regprocedure('time_bucket(interval, uuid)') IS NOT NULL}) eq 't';
like(answer('ann', "SELECT time_bucket_gapfill('1 day', time) AS k, count(*) FROM metrics WHERE time BETWEEN '2024-03-01' AND '2024-04-01' GROUP BY 1"),
	qr/^function time_bucket_gapfill is not built in.* \| Write time_bucket: where bounds/, 'refused: time_bucket_gapfill');
like(answer('ann', "SELECT count(*) FROM metrics WHERE time_bucket('-1 day', time) IS NULL"), qr/^stride must be greater than zero/, 'refused: a width below 0');

# Who may not call it may not have it answered.
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION time_bucket(interval, timestamptz) FROM PUBLIC');
like(answer('ann', "SELECT count(*) FROM metrics WHERE time_bucket('1 day', time) IS NULL"), qr/^\Q$refused/, 'refused: without the right to call it');
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION time_bucket(interval, timestamptz) TO PUBLIC');

# Somebody else's function of this name and these arguments, in C or not, is refused.
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA other;
GRANT USAGE ON SCHEMA other TO ann;
CREATE FUNCTION other.time_bucket(interval, timestamptz) RETURNS timestamptz LANGUAGE SQL STABLE SET search_path = pg_catalog AS 'SELECT date_trunc(''day'', $2)';
DO $$ BEGIN EXECUTE format('CREATE FUNCTION other.time_bucket(interval, timestamp) RETURNS timestamp LANGUAGE C IMMUTABLE STRICT AS %L, ''ts_timestamp_bucket''',
	(SELECT probin FROM pg_proc WHERE oid = 'public.time_bucket(interval, timestamp)'::regprocedure)); END $$;
SQL
like(answer('ann', "SELECT count(*) FROM metrics WHERE other.time_bucket('1 day', $_) IS NULL"), qr/^\Q$refused | Write it out with built-in functions\E/, "refused: other.time_bucket of $_")
	for 'time', 'at';
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
done_testing();
