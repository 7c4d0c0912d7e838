# A statement that is cancelled, timed out or terminated after its charge, above
# the release or in it, stays charged, and leaves no trace of what it had read;
# one that is cancelled while it waits for its charge is charged at most once.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('cancel', conf => <<'CONF');
log_temp_files = 0
work_mem = 64kB
max_parallel_workers_per_gather = 0
CONF
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visits (person int, city text, age int);
INSERT INTO visits SELECT i % 100000, 'city ' || i % 3, i % 100 FROM generate_series(1, 600000) i;
ANALYZE visits;
SELECT dp_agg.protect('visits', 'person', 'default', 5, 2);
SQL

# The number of statements ann was charged for so far, and what she is doing.
my $count = 0;
my $slow = 'SELECT dp_count(*), pg_sleep(600) FROM people';
my $big = 'SELECT city, dp_sum(age, 0, 100) IS NOT NULL FROM visits GROUP BY city LIMIT 1';

sub charged_once_more
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is(admitted($node), ++$count, "$name: stays charged");
}

# Start a query of ann's and wait until it is charged.
sub start_charged
{
	my ($sql) = @_;
	my $run = start_as($node, [ 'SET client_min_messages = log', $sql ]);
	eventually(sub { admitted($node) == $count + 1 }) or die 'no charge';
	return $run;
}

sub signal_ann
{
	my ($function) = @_;
	return $node->safe_psql('postgres',
		"SELECT count($function(pid)) FROM pg_stat_activity WHERE usename = 'ann' AND backend_type = 'client backend'");
}

# Above the release.
my $run = start_charged($slow);
is(signal_ann('pg_cancel_backend'), 1, 'cancelled');
is(finish($run), '57014: canceling statement due to user request', 'the client is told');
charged_once_more('cancelled above the release');

$run = start_charged($slow);
is(signal_ann('pg_terminate_backend'), 1, 'terminated');
is(finish($run), '57P01: terminating connection due to administrator command', 'the client is told');
charged_once_more('terminated above the release');

$run = start_charged($slow);
$run->{handle}->signal('KILL');
finish($run);
charged_once_more('the client gone');
signal_ann('pg_terminate_backend');

is(asked($node, [ 'SET statement_timeout = 3000', $slow ]), '57014: canceling statement due to statement timeout', 'timed out');
charged_once_more('timed out above the release');

is(asked($node, [ 'SET idle_in_transaction_session_timeout = 1000', 'BEGIN', 'SELECT dp_count(*) FROM people', '\! sleep 3', 'SELECT 1' ]),
	'25P03: terminating connection due to idle-in-transaction timeout', 'idle too long in the transaction');
charged_once_more('idle too long');

# In the release: what it had sorted into temporary files is neither counted nor
# told, though the server's log knows of it.
my $temporary = 'SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()';
my $before = $node->safe_psql('postgres', $temporary);
my $logged = 0;
for my $how ('pg_cancel_backend', 'pg_terminate_backend', 'statement_timeout')
{
	my $log = -s $node->logfile;
	for my $try (1 .. 20)
	{
		my $answer;
		if ($how eq 'statement_timeout')
		{
			$run = start_as($node, [ 'SET client_min_messages = log', 'SET statement_timeout = ' . (100 * $try), $big ]);
			$answer = finish($run);
			$count = admitted($node);
		}
		else
		{
			$run = start_charged($big);
			select(undef, undef, undef, 0.1 * $try);
			signal_ann($how);
			$answer = finish($run);
			$count++;
		}
		unlike($run->{err}, qr/LOG:  (?!00000: statement: )/, "$how: no message about the data below") or diag($run->{err});
		last if slurp_file($node->logfile, $log) =~ /temporary file/;
	}
	$logged++ if slurp_file($node->logfile, $log) =~ /temporary file/;
	is(admitted($node), $count, "$how in the release: charged once");
}
is($logged, 3, 'there were temporary files each time');
$node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()');
is($node->safe_psql('postgres', $temporary), $before, 'which are not counted');
like(asked($node, $big), qr/^city 0\|t$/, 'left alone, the query is answered');
$count++;
is($node->safe_psql('postgres', $temporary), $before, 'and its files not counted either');

# What PostgreSQL sorts, such as rows of which a join reads some of each person, it writes out, once its memory is full, without looking at interrupts.  However much memory there
# may be, a sort has 32 MB of it, of which these rows need some 80.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE stays (person text, city text, age int);
INSERT INTO stays SELECT i % 100000, repeat('x', 200) || i % 3, i % 100 FROM generate_series(1, 300000) i;
CREATE TABLE calls AS SELECT i::text AS person FROM generate_series(1, 1000) i;
ANALYZE stays, calls;
SELECT dp_agg.protect('stays', 'person', 'default', 5, 2), dp_agg.protect('calls', 'person', 'default', 5, 2);
SQL
my @plenty = ("SET work_mem = '512MB'", 'SET hash_mem_multiplier = 1', 'SET max_parallel_workers_per_gather = 0');
my $joined = "SELECT count(*) FROM (SELECT s.city, dp_count(*) FROM calls c JOIN stays s ON s.person = c.person GROUP BY s.city) m";
my $shown = "SELECT current_setting('work_mem') || ' ' || current_setting('hash_mem_multiplier')";
my $log = -s $node->logfile;
is(asked($node, [ @plenty, $joined, $shown ]), '512MB 1', 'a join of many rows, and the settings are as before');
charged_once_more('a join');
cmp_ok(scalar(() = slurp_file($node->logfile, $log) =~ /temporary file/g), '>', 0, 'a sort has less memory than there may be');
$run = start_as($node, [ @plenty, 'SET statement_timeout = 100', $joined, 'RESET statement_timeout', $shown ]);
is(finish($run), '57014: canceling statement due to statement timeout', 'timed out meanwhile');
like($run->{out}, qr/^512MB 1$/m, 'they are so then, too');
$count = admitted($node);

# Waiting for the charge: someone holds the budget's row.
$run = start($node, [ 'BEGIN', "SELECT 1 FROM dp_agg.budget WHERE role = 'ann'::regrole FOR UPDATE", 'SELECT pg_sleep(5)', 'ROLLBACK' ]);
eventually(sub {
	$node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(5)'") eq '1';
}) or die 'no lock';
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^55P03: budget of role "ann" on data set "default" is locked/,
	'no answer while the budget is locked');
like(asked($node, [ 'SET statement_timeout = 50', 'SELECT dp_count(*) FROM people' ]), qr/^(55P03|57014): /, 'nor when timed out');
is(admitted($node), $count, 'and no charge');
finish($run);

# After all this the next query works.
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'the next query is answered');
charged_once_more('the next query');
books_balance($node, 'the books balance');

# Rows that cost as much as a row may: interrupts are looked at between them.
my $dear = "SELECT dp_count(*) FROM visits WHERE position('b" . 'a' x 900 . "' IN CASE WHEN person >= 0 THEN repeat('a', 1020) END) = 7";
my $began = time;
is(asked($node, [ 'SET statement_timeout = 500', $dear ]), '57014: canceling statement due to statement timeout', 'timed out among dear rows');
cmp_ok(time - $began, '<', 30, 'soon: all of them take minutes');

# Models and synthetic rows: in what is added up of rows, between the draws of a tree, and among the rows that are made.  Each takes
# much longer than it is let, and has to end soon after; test/bench/cancel.pl measures milliseconds.
for my $long (
	[ 'losses of models', q{SELECT * FROM dp_select_model('visits', 'age > 50', '{"age": [0, 100]}', dp_agg.model_grid(1, 2, 81), 'logistic', 4)} ],
	[ 'synthetic rows', q{SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 100, 1023], "city": ["a"]}', 10000000) AS (age int, city text)} ],
	[ 'tables of synthetic rows', q{SELECT count(*) FROM dp_synthesize('visits', '{"age": [0, 100, 1023], "city": ["city 0"]}', 10000000) AS (age int, city text)} ])
{
	my ($name, $sql) = @$long;
	for my $timeout (100, 1000)
	{
		my $start = time;
		is(asked($node, [ "SET statement_timeout = $timeout", $sql ]), '57014: canceling statement due to statement timeout', "$name, timed out after $timeout ms");
		cmp_ok(time - $start - $timeout / 1000, '<', 3, "$name: soon");
	}
}
books_balance($node, 'the books balance still');

$node->stop;
done_testing();
