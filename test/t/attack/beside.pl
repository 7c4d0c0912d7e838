# dp_agg beside pgaudit, pg_stat_statements and auto_explain at their most talkative, preloaded before it and
# after it: all of them work, and what they tell an analyst differs by nobody's row.
#
# Without pgaudit, which test/prepare.sh installs with Debian's PostgreSQL, the other two are tried, and the
# output says so.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $probe = PostgreSQL::Test::Cluster->new('probe');
my $pgaudit = -e $probe->config_data('--pkglibdir') . '/pgaudit.so';
diag('pgaudit is not installed: the others are tried without it') if !$pgaudit;

my $conf = $AUTO_EXPLAIN . <<'CONF';
pg_stat_statements.track = all
pg_stat_statements.track_planning = on
pg_stat_statements.track_utility = on
CONF
my $audit_conf = <<'CONF';
pgaudit.log = 'all'
pgaudit.log_client = on
pgaudit.log_level = log
pgaudit.log_relation = on
pgaudit.log_rows = on
pgaudit.log_parameter = on
pgaudit.log_statement = on
CONF
my $admin = "CREATE EXTENSION pg_stat_statements;\n" . ($pgaudit ? "CREATE EXTENSION pgaudit;\nSET pgaudit.log = 'none';\n" : '');
my $analyst = <<'SQL';
CREATE TABLE seen AS SELECT 1 AS n;
CREATE TABLE counted (n int GENERATED ALWAYS AS IDENTITY, blocks bigint);
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.visits WHERE minutes > 5); END';
SQL

# A DO block that catches an error, some times over, and the least that one of these took.  An invalidation of anybody's that comes
# during a release has the session forget what it looked up, whatever the rows are, so that it reads more of the catalogs afterwards: that
# hits some of them, and not all seven, with a probability below 1e-9 as long as it hits fewer than one in twenty.
my $catches = join '', map { <<'SQL' } 1 .. 8;
DO 'BEGIN BEGIN PERFORM dp_count(*) FROM people WHERE age BETWEEN 40 AND 50; PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN NULL; END; PERFORM dp_count(*) FROM people WHERE age BETWEEN 40 AND 51; END';
INSERT INTO counted (blocks) SELECT sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements
	WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND userid = 'ann'::regrole AND query LIKE 'DO %BETWEEN%';
SQL
my $audited = $pgaudit ? '~ AUDIT: SESSION,\d+,\d+,READ,SELECT' : '';

my $attacks = <<"ATTACKS";
@ what a question makes them say | 4 |
SELECT dp_count(*) FROM people;
SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000;
SELECT asks() AS noisy;
$audited
~ Query Text: SELECT dp_count
@ conditions that few pass, joins, partitions | 4 |
SELECT dp_count(*) FROM people WHERE city = 'Zwie' || 'sel';
SELECT dp_count(*) FROM people p JOIN visits v ON v.person = p.id WHERE v.minutes > 1000;
SELECT dp_count(*) FROM parts WHERE day > '2022-01-01';
SELECT dp_median(minutes, 0, 100) FROM visits;
@ prepared, with parameters, and by cursors | 3 |
PREPARE q(int) AS SELECT city, dp_count(*) FROM people WHERE age > \$1 GROUP BY city;
EXECUTE q(0);
EXECUTE q(70);
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM lone WHERE age < 20;
FETCH c;
COMMIT;
DEALLOCATE q;
@ cursors WITH HOLD, which COMMIT runs, and one that a subtransaction reads and leaves | 3 |
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT dp_count(*) FROM people WHERE age > 50;
COMMIT;
FETCH h;
CLOSE h;
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT city, dp_count(*) FROM people GROUP BY city;
SAVEPOINT s;
DECLARE i CURSOR FOR SELECT dp_count(*) FROM visits;
FETCH i;
ROLLBACK TO s;
COMMIT;
FETCH ALL h;
CLOSE h;
@ a DO block | 1 |
DO 'BEGIN PERFORM dp_count(*) FROM people WHERE age > 40; END';
@ a DO block that catches an error | 16 |
SET client_min_messages = warning;
DELETE FROM counted;
${catches}SELECT min(more) > 0 AS some, min(more) AS least FROM (SELECT blocks - lag(blocks) OVER (ORDER BY n) AS more FROM counted) c;
~ ^some\\|t
@ a model, and plain SQL over subqueries | 2 |
SELECT count(*) AS terms FROM dp_linregr('people', 'age', 0, 100, '{"secret": [0, 10000]}');
SELECT dp_count(*) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) v JOIN people p ON p.id = v.person WHERE n > 1;
@ plans that are printed before their statement starts | 1 |
SET debug_print_plan = on;
SELECT count(*) FROM ann.seen;
SELECT dp_count(*) FROM people WHERE age > 30;
RESET debug_print_plan;
@ questions that are denied and refused | 0 | 42501 0A000
SELECT count(*) OVER () FROM people;
SELECT dp_count(*) FROM people WHERE random() < 0.5;
@ EXPLAIN ANALYZE under all of them | 1 |
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ what pg_stat_statements counted | 0 |
SET client_min_messages = error;
SELECT query, calls, rows, shared_blks_hit + shared_blks_read AS blocks, shared_blks_dirtied, temp_blks_written, wal_records FROM pg_stat_statements
	WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND userid = 'ann'::regrole AND query LIKE '%dp_%(%' AND query NOT LIKE '%CREATE%' AND query NOT LIKE '%BETWEEN%' ORDER BY query COLLATE "C";
~ dp_count
ATTACKS

my @others = ('pg_stat_statements', 'auto_explain', ($pgaudit ? 'pgaudit' : ()));
for my $order ('before', 'after')
{
	my $neighbours = new_neighbours("beside_$order", conf => $conf . ($pgaudit ? $audit_conf : ''), ($order eq 'before' ? 'first' : 'libraries') => \@others, admin => $admin, analyst => $analyst);
	my $node = $neighbours->{node};
	$neighbours->attack($attacks);

	# What a log has, which analysts do not see, is no row either.
	my $log = slurp_file($node->logfile);
	like($log, qr/AUDIT: SESSION,\d+,\d+,READ,SELECT,TABLE,clinic.visits,"SELECT clinic, dp_count/, "$order: pgaudit logs what was asked, and of which table") if $pgaudit;
	unlike($log, qr/AUDIT: .*over_units|AUDIT: .*FUNCTION,dp_agg(?:_internal)?\.(?:exact|add)_/, "$order: and not the exact query, nor what it calls");
	like($log, qr/duration: .*plan:.*Query Text: SELECT dp_count/s, "$order: auto_explain logs plans");
	is($node->safe_psql('nobody', "SELECT count(*) > 0 FROM pg_stat_statements WHERE query LIKE 'SELECT clinic, dp_count(*)%'"), 't', "$order: pg_stat_statements counts them");
	is($node->safe_psql($_, 'SELECT * FROM dp_agg.verify_ledger()'), '', "$order: the ledger of $_ verifies") for 'nobody', 'outlier';
	$neighbours->leave;
}
done_testing();
