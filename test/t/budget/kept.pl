# Answers that were paid for are kept whatever becomes of the statement, session or server
# that asked: each is asked again in another session, and is the same at no cost.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

# Two draws of one question are equal with a probability below 1e-12: noise is of 1e13.
my $node = new_gate('kept', conf => <<'CONF');
dp_agg.kept_max_age = '1 day'
dp_agg.epsilon = 0.0001
dp_agg.keeper_idle_timeout = 10min
CONF
mkdir $node->data_dir . '/injection' or die "could not make a directory for points: $!";
my $number = 0;

# A question that nobody asked before.
sub question
{
	$number++;
	return 'SELECT dp_sum(age, 0, ' . (1_000_000_000 + $number) . ') FROM people';
}

sub sql
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', $sql);
}

# Check that a question which was asked, and perhaps answered so, was charged so often, and
# that another session is shown an answer at no cost, and so is the next.
sub is_kept
{
	my ($question, $answer, $charges, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(sql("SELECT count(*) FROM dp_agg.ledger WHERE admitted AND releases::text LIKE '%(age, 0, $1)%'"), $charges, "$name: charged")
	  if $question =~ /\(age, 0, (\d+)\)/;
	my $before = admitted($node);
	my $again = asked($node, $question);
	like($again, qr/\d/, "$name: answered again");
	is($again, $answer, "$name: the same") if defined $answer;
	is(asked($node, $question), $again, "$name: and once more");
	is(admitted($node), $before, "$name: at no cost");
	return;
}

# The end of transactions and cursors.
my $question = question();
my $answer = asked($node, $question);
is_kept($question, $answer, 1, 'asked and answered');
$question = question();
my $run = start_as($node, [ 'BEGIN', $question, 'ROLLBACK' ]);
is_kept($question, finish($run), 1, 'rolled back');
$question = question();
$run = start_as($node, [ 'BEGIN', 'SAVEPOINT s', $question, 'ROLLBACK TO s', 'COMMIT' ]);
is_kept($question, finish($run), 1, 'rolled back to a savepoint');
$question = question();
$run = start_as($node, [ 'BEGIN', $question, 'SELECT 1 / 0' ]);
like(finish($run), qr/^22012/, 'an error after the answer');
is_kept($question, $run->{out} =~ s/\n//r, 1, 'failed transaction');
$question = question();
$run = start_as($node, [ 'BEGIN', "DECLARE c CURSOR FOR $question", 'FETCH c', 'CLOSE c', 'ROLLBACK' ]);
is_kept($question, finish($run), 1, 'closed cursor');
$question = question();
$run = start_as($node, "DO \$\$ BEGIN PERFORM dp_sum FROM ($question) s; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$");
finish($run);
is_kept($question, undef, 1, 'PL/pgSQL exception');
$question = question();
$run = start_as($node, [ 'BEGIN', $question, "PREPARE TRANSACTION 'kept'" ]);
is_kept($question, finish($run), 1, 'prepared transaction');
sql("ROLLBACK PREPARED 'kept'");

# Cancelled and left alone after the charge.
$question = 'SELECT string_agg(city || dp_sum, $$ $$ ORDER BY city) FROM (SELECT city, dp_sum(age, 0, 1999999999) FROM people GROUP BY city) s';
my $slow = 'SELECT city || dp_sum, CASE WHEN row_number() OVER (ORDER BY city) > 1 THEN pg_sleep(600) END FROM (SELECT city, dp_sum(age, 0, 1999999999) FROM people GROUP BY city) s';
my $easy = 'SET dp_agg.epsilon = 1000; SET dp_agg.delta = 1e-6';
sql("SELECT dp_agg.set_budget('ann', 1e7, 1e-3)");
$run = start_as($node, [ $easy, 'BEGIN', "DECLARE c CURSOR FOR $slow", 'FETCH c', "SET LOCAL statement_timeout = '300ms'", 'FETCH c' ]);
like(finish($run), qr/^57014/, 'a timeout after the first row');
my ($first) = $run->{out} =~ /^(city 0.*)\|$/m;
my $before = admitted($node);
$answer = asked($node, [ $easy, $question ]);
like($answer, qr/^\Q$first\E city 1/, 'the first row is as it was');
is(asked($node, [ $easy, $question ]), $answer, 'all rows are as they are');
is(admitted($node), $before, 'at no cost');

$question = question();
$run = start_as($node, "SELECT dp_sum, pg_sleep(600) FROM ($question) s");
ok(eventually(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'ann' AND wait_event = 'PgSleep'") eq '1' }), 'a client waits for its answer');
IPC::Run::kill_kill($run->{handle});
is_kept($question, undef, 1, 'client gone');
sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann' AND wait_event = 'PgSleep'");

# Another session that asks at once.
my $script = PostgreSQL::Test::Utils::tempdir . '/script.sql';
append_to_file($script, join '', map { my $q = question(); "$q;\n\\c -\n$q;\n" } 1 .. 40);
$before = admitted($node);
my @answers = split /\n/, $node->safe_psql('postgres', slurp_file($script), extra_params => [ '-U', 'ann' ]);
is(scalar(@answers), 80, 'forty questions were asked twice');
is(scalar(grep { $answers[ 2 * $_ ] ne $answers[ 2 * $_ + 1 ] } 0 .. 39), 0, 'the next session is shown the same');
is(admitted($node) - $before, 40, 'each was charged once');

# Restart, with and without what was written last on its way to the disk.
my @asked = map { my $q = question(); [ $q, asked($node, $q) ] } 1 .. 3;
$node->restart;
is_kept(@$_, 1, 'restarted') for @asked;
sql('CHECKPOINT');
$node->stop('immediate');
$node->start;
is_kept(@$_, 1, 'crashed after a checkpoint') for @asked;

# Without a keeper, and without room for one.
$node->append_conf('postgresql.conf', "dp_agg.keeper_idle_timeout = 100ms\nmax_worker_processes = 0\nmax_logical_replication_workers = 0");
$node->restart;
is(keeper_pid($node), '', 'there is no keeper');
is_kept(@$_, 1, 'without a keeper') for @asked;
is_outcome($node, 'SET ROLE ann; ' . question(), '53000: ', 'what is new is not answered');
$node->append_conf('postgresql.conf', "dp_agg.keeper_idle_timeout = 10min\nmax_worker_processes = 16");
$node->restart;

# A table that is locked, or refuses some answers.
$question = question();
$answer = asked($node, $question);
$run = start($node, [ 'BEGIN', 'LOCK TABLE dp_agg.kept_answer', 'SELECT pg_sleep(600)' ]);
ok(eventually(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") eq '1' }), 'kept answers are locked');
my $other = question();
my $meanwhile = asked($node, $other);
like($meanwhile, qr/^-?\d+$/, 'a question is answered all the same');
sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
finish($run);
is_kept($question, $answer, 1, 'unlocked');
is_kept($other, $meanwhile, 1, 'asked meanwhile');
sql('ALTER TABLE dp_agg.kept_answer ADD CHECK (rows <> 1) NOT VALID');
$before = admitted($node);
like(asked($node, question()), qr/^-?\d+$/, 'an answer that cannot be stored is shown');
$answer = asked($node, [ $easy, 'SELECT string_agg(city || dp_sum, $$ $$ ORDER BY city) FROM (SELECT city, dp_sum(age, 0, 1999999998) FROM people GROUP BY city) s' ]);
is(asked($node, [ $easy, 'SELECT string_agg(city || dp_sum, $$ $$ ORDER BY city) FROM (SELECT city, dp_sum(age, 0, 1999999998) FROM people GROUP BY city) s' ]),
	$answer, 'others are stored');
is(admitted($node) - $before, 2, 'each was charged once');
sql('ALTER TABLE dp_agg.kept_answer DROP CONSTRAINT kept_answer_rows_check');

# What answers may take: the oldest go first.
sub set_limit
{
	my ($limit) = @_;
	$node->append_conf('postgresql.conf', "dp_agg.kept_limit = $limit");
	$node->reload;
	return ok($node->poll_query_until('postgres', "SELECT pg_size_bytes(current_setting('dp_agg.kept_limit')) = pg_size_bytes('$limit')"), "the limit is $limit");
}

sql('SELECT dp_agg.forget_kept()');
sql("CREATE TABLE wide (key text PRIMARY KEY, n int); INSERT INTO wide SELECT lpad(i::text, 100, 'x'), i FROM generate_series(1, 90000) i; GRANT SELECT ON wide TO ann");

# What is asked of so many keys, which the ledger knows by that number.
sub of_keys
{
	my ($keys) = @_;
	my $bound = 1_900_000_000 + $keys;
	return "SELECT count(*), md5(string_agg(key || dp_sum, ' ' ORDER BY key)) FROM (SELECT key, dp_sum(age, 0, $bound) FROM wide LEFT JOIN people ON city = key WHERE n <= $keys GROUP BY key) s";
}

my @wide = map { of_keys($_) } 200 .. 203;
set_limit('64kB');
my %answer = map { $_ => asked($node, $_) } @wide;
$before = admitted($node);
is(asked($node, $wide[3]), $answer{ $wide[3] }, 'the youngest is kept');
is(admitted($node), $before, 'at no cost');
cmp_ok(sql('SELECT sum(octet_length(released)) FROM dp_agg.kept_answer'), '<=', 65536, 'they take no more than they may');
cmp_ok(sql('SELECT count(*) FROM dp_agg.kept_answer'), '>', 0, 'there are some');
isnt(asked($node, $wide[0]), $answer{ $wide[0] }, 'the oldest is not');
is(admitted($node), $before + 1, 'it was charged anew');
is(sql('SELECT max(rows) FROM dp_agg.kept_answer'), '203', 'the youngest of before still is');
my $too_large = of_keys(1000);
$before = admitted($node);
like(asked($node, $too_large), qr/^1000\|/, 'one that is larger than all may be is shown') for 1 .. 2;
is(admitted($node), $before + 2, 'and not kept');
set_limit('0');
$before = admitted($node);
asked($node, $wide[0]) for 1 .. 2;
is(admitted($node), $before + 2, 'with 0 none is shown again');
is_outcome($node, [ 'SET ROLE ann', "SELECT count(*) FROM dp_agg.price(\$\$$wide[0]\$\$) WHERE kept IS NOT NULL" ], '0', 'nor said to be');
set_limit('64MB');
$answer = asked($node, $wide[0]);
is_kept($wide[0], $answer, 5, 'with a limit again');

# More bytes than fit the queue in shared memory.
my $all = of_keys(90_000);
$answer = asked($node, $all);
like($answer, qr/^90000\|/, 'ninety thousand rows');
is_kept($all, $answer, 1, 'ninety thousand rows');
cmp_ok(sql('SELECT max(octet_length(released)) FROM dp_agg.kept_answer'), '>', 9_000_000, 'they are many bytes');

# Many at once: whoever asks while nothing is stored pays, and all answers were paid for.
my $directory = PostgreSQL::Test::Utils::tempdir;
my @shared = map { question() } 1 .. 20;
my @clients;
for my $client (1 .. 8)
{
	append_to_file("$directory/$client.sql", join '', map { "SELECT $_, ($shared[$_]);\n" } map { $_ % 20 } $client * 3 .. $client * 3 + 199);
	local $ENV{PGUSER} = 'ann';
	push @clients, IPC::Run::start([ $node->installed_command('psql'), '-XAtq', '-d', $node->connstr('postgres'), '-f', "$directory/$client.sql" ],
		'<', \undef, '>', "$directory/$client.out", '2>', "$directory/$client.err", IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
}
IPC::Run::finish($_) for @clients;
is(join('', map { slurp_file("$directory/$_.err") } 1 .. 8), '', 'many clients have no errors');
my %seen;
my $shown = 0;
for my $client (1 .. 8)
{
	my $output = slurp_file("$directory/$client.out");
	$seen{$1}{$2} = ++$shown while $output =~ /^(\d+)\|(-?\d+)$/mg;
}
is($shown, 1600, 'all were answered');
my %paid = map { split /\|/ } split /\n/, sql("SELECT substring(releases::text, 'age, 0, (\\d+)'), count(*) FROM dp_agg.ledger WHERE admitted GROUP BY 1");
my @wrong = grep { keys %{ $seen{$_} } != $paid{ ($shared[$_] =~ /(\d{10})/)[0] } } 0 .. 19;
is("@wrong", '', 'as many answers as were paid for');
is_kept($_, undef, $paid{ (/(\d{10})/)[0] }, 'then') for @shared[ 0, 19 ];

# How often they were shown again is known, after all of that.
is(sql("SELECT bool_and(replays > 0) FROM dp_agg.budgets WHERE role = 'ann'::regrole"), 't', 'replays are counted');
is(sql('SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');

SKIP:
{
	skip 'needs a build with -DDP_INJECTION', 1 unless has_points();

	# Overlapping, both pay, and one answer stays.
	my $both = "SELECT string_agg(city || dp_sum, ' ' ORDER BY city) FROM (SELECT city, dp_sum(age, 0, 1999999997) FROM people GROUP BY city) s";
	$before = admitted($node);
	stop_at($node, 'charged');
	my @runs = (start_as($node, [ $easy, $both ]), start_as($node, [ $easy, $both ]));
	ok(eventually(sub { admitted($node) == $before + 2 }), 'two ask at the same time, and pay');
	let_go($node, 'charged');
	my @both = map { finish($_) } @runs;
	isnt($both[0], $both[1], 'their answers differ');
	$answer = asked($node, [ $easy, $both ]);
	ok($answer eq $both[0] || $answer eq $both[1], 'a third is shown one of these');
	is(asked($node, [ $easy, $both ]), $answer, 'so is a fourth');
	is(admitted($node), $before + 2, 'at no cost');

	# After the answer, before it is stored.
	$question = question();
	stop_at($node, 'keeping');
	$answer = asked($node, $question);
	reached($node, 'keeping');
	$run = start_as($node, $question);
	ok(eventually(sub {
		IPC::Run::pump_nb($run->{handle});
		return $run->{out} ne '' || sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'ann' AND state = 'active' AND wait_event = 'Extension'") eq '1';
	}), 'somebody asks before it is stored');
	is($run->{out}, '', 'and waits');
	let_go($node, 'keeping');
	is(finish($run), $answer, 'for the same');
	is_kept($question, $answer, 1, 'asked before it was stored');

	# Looked at and forgotten before it is stored.
	for my $statement ("SELECT bool_or(question LIKE '%NUMBER%') FROM dp_agg.kept", 'SELECT dp_agg.forget_kept() > 0')
	{
		$question = question();
		stop_at($node, 'keeping');
		asked($node, $question);
		reached($node, 'keeping');
		$run = start($node, $statement =~ s/NUMBER/1_000_000_000 + $number/er);
		ok(eventually(sub { sql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'Extension'") eq '1' }), "$statement waits");
		let_go($node, 'keeping');
		is(finish($run), "t", "$statement sees what was on its way");
	}
	is(sql('SELECT count(*) FROM dp_agg.kept_answer'), '0', 'nothing is left of what was forgotten');

	# The session and the keeper go meanwhile.
	$question = question();
	stop_at($node, 'keeping');
	$answer = asked($node, $question);
	kill 'TERM', reached($node, 'keeping');
	eventually(sub { keeper_pid($node) eq '' }) or die 'the keeper stays';
	let_go($node, 'keeping');
	is_kept($question, $answer, 1, 'keeper terminated before it was stored');
	my $large = of_keys(80_000);
	stop_at($node, 'keeping');
	$answer = asked($node, $large);
	kill 'TERM', reached($node, 'keeping');
	eventually(sub { keeper_pid($node) eq '' }) or die 'the keeper stays';
	let_go($node, 'keeping');
	is_kept($large, $answer, 1, 'keeper terminated before a large one was stored');

	# The client goes between charge and reading.
	$question = question();
	stop_at($node, 'charged');
	$run = start_as($node, $question);
	reached($node, 'charged');
	IPC::Run::kill_kill($run->{handle});
	let_go($node, 'charged');
	ok(eventually(sub { sql("SELECT count(*) FROM dp_agg.kept_answer WHERE asked LIKE '%" . (1_000_000_000 + $number) . "%'") eq '1' }), 'an answer nobody waits for is kept');
	is_kept($question, undef, 1, 'client gone after the charge');

	# A database that is dropped with answers on their way.
	sql('CREATE DATABASE doomed');
	$node->safe_psql('doomed', "CREATE EXTENSION dp_agg; CREATE TABLE people AS SELECT 1 AS id, 2 AS age; SELECT dp_agg.protect('people', 'id'), dp_agg.set_budget('ann', 1000, 1e-6)");
	stop_at($node, 'keeping');
	like($node->safe_psql('doomed', question(), extra_params => [ '-U', 'ann' ]), qr/^-?\d+$/, 'an answer in another database');
	kill 'TERM', reached($node, 'keeping');
	sql('DROP DATABASE doomed WITH (FORCE)');
	let_go($node, 'keeping');
	$question = question();
	is_kept($question, asked($node, $question), 1, 'another database dropped');
}

$node->stop;
done_testing();
