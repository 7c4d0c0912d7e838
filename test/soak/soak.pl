# Sixteen sessions with random queries for a long time.
#
# For two thirds of it sessions are cancelled, terminated and timed out, and the
# memory of the keeper and of the sessions that stay must not grow by more than
# five percent once they are warm.  Then keepers, sessions and servers are killed.
# In the end, and after each round of killing, everything holds.
#
# DP_SOAK_MINUTES says how long (30).  See `make soak`.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../t";

use FaultTest;
use IPC::Open2;
use KeeperTest;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Most growth of anonymous memory, and when sessions are taken to be warm.
my $growth = 0.05;
my $warm = 0.35;

my $minutes = $ENV{DP_SOAK_MINUTES} || 30;
# Few buffers for temporary tables, which a session keeps: they are soon warm.
my $node = new_faulty('soak', conf => "autovacuum = on\ntemp_buffers = 100\nlog_min_messages = fatal\nlog_min_error_statement = panic\nlog_statement = none\ncheckpoint_timeout = 1min\n");
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visits (person int, city text, age int, cost float8);
INSERT INTO visits SELECT i % 500, 'city ' || i % 3, i % 100, i / 7.0 FROM generate_series(1, 3000) i;
ANALYZE visits, people;
SELECT dp_agg.protect('visits', 'person', 'default', 3, 2);
SELECT dp_agg.set_budget('ann', 1e9, 0.01), dp_agg.set_dataset_cap('default', 1e12, 0.5);
CHECKPOINT;
SQL
my $directory = PostgreSQL::Test::Utils::tempdir;
my $generation = 0;
my %count = (asked => 0);
my @all;

# What sessions ask; %d is a number of its own.  Only numbered sums are answered
# by two numbers.
my @queries = (
	('SELECT %d, dp_sum(age, 0, %d) FROM people') x 6,
	'SELECT dp_count(*) FROM people WHERE age < 50',
	'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city',
	'SELECT city, dp_count(DISTINCT person), dp_sum(cost, 0, 400) FROM visits GROUP BY city',
	'SET dp_agg.mechanism = gaussian; SELECT dp_avg(cost, 0, 400) FROM visits; RESET dp_agg.mechanism',
	"SELECT count(*) FROM dp_histogram('people', 'age', 0, 100, 20)",
	"SELECT count(*) FROM dp_agg.price('SELECT dp_count(*) FROM visits')",
	'SELECT count(*) FROM dp_agg.last_release()',
	'SELECT count(*) FROM dp_agg.budgets',
	'BEGIN; SELECT dp_count(*) FROM people; ROLLBACK',
	'BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM visits; FETCH c; COMMIT',
	"DO \$\$ BEGIN PERFORM dp_count(*) FROM people; RAISE 'no'; EXCEPTION WHEN OTHERS THEN NULL; END \$\$",
	'PREPARE p AS SELECT dp_count(*) FROM people WHERE age > 5; EXECUTE p; EXECUTE p; DEALLOCATE p',
	'CREATE TEMP TABLE kept AS SELECT dp_count(*) FROM people; DROP TABLE kept',
	"SET statement_timeout = 2; SELECT dp_count(*) FROM visits; SET statement_timeout = 0",
	'EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM people',
	'SELECT dp_count(*) FROM people WHERE 1 / (age - age) > 0',
	'SELECT age FROM people',
	'SELECT dp_count(*), count(*) FROM people',
	'SET dp_agg.epsilon = 1e6; SELECT dp_count(*) FROM people; SET dp_agg.epsilon = 0.001');

# Ask one query after another until there is a file that says stop; reconnect
# whenever the connection is lost.  Runs in a process of its own.
sub run_session
{
	my ($name, $first, $out, $stop) = @_;
	my @command = ($node->installed_command('psql'), '-XAtq', '-U', 'ann', '-d', $node->connstr('postgres'));
	my $number = $first;
	srand($first);
	$SIG{PIPE} = 'IGNORE';
	$ENV{PGAPPNAME} = $name;
	open STDERR, '>', "$out.err";
	open my $log, '>', $out or POSIX::_exit(1);
	until (-e $stop)
	{
		my $pid = open2(my $from, my $to, @command);
		print $to "SET dp_agg.epsilon = 0.001;\n";
		until (-e $stop)
		{
			$number++;
			(my $query = $queries[ rand @queries ]) =~ s/%d/$number/g;
			print $to "$query;\n\\echo done\n" or last;
			$to->flush;
			my $line;
			while (defined($line = <$from>) && $line ne "done\n") { print $log $line }
			last if !defined $line;
			sleep rand(0.1);
		}
		close $to;
		close $from;
		waitpid $pid, 0;
		sleep 0.1;
	}
	close $log;
	# The number of queries asked, for the figures.
	append_to_file("$out.asked", $number - $first);
	POSIX::_exit(0);
}

# Start sixteen sessions; those of odd number are called victims.
sub start_sessions
{
	my $stop = "$directory/stop." . ++$generation;
	my @sessions = map {
		my %session = (out => "$directory/$generation.$_", number => $_);
		my $name = ($_ % 2 ? 'victim ' : 'steady ') . $_;
		$session{pid} = fork // die "could not fork: $!";
		run_session($name, $generation * 50_000_000 % 1_500_000_000 + $_ * 2_500_000, $session{out}, $stop) if $session{pid} == 0;
		\%session;
	} 1 .. 16;
	return { stop => $stop, sessions => \@sessions };
}

sub stop_sessions
{
	my ($crowd, $name) = @_;
	append_to_file($crowd->{stop}, '');
	ok(crowd_done($crowd->{sessions}), "$name: no session hangs");
	push @all, @{ $crowd->{sessions} };
	$count{asked} += slurp_file("$_->{out}.asked") for @{ $crowd->{sessions} };
	return;
}

# Anonymous memory, in kB, of the keeper and of the sessions that stay.
sub memory
{
	my %memory;
	for (split /\n/, $node->safe_psql('postgres', "SELECT CASE backend_type WHEN 'dp_agg keeper' THEN 'keeper' ELSE application_name END, pid FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' OR application_name LIKE 'steady %'"))
	{
		my ($name, $pid) = split /\|/;
		($memory{"$name ($pid)"}) = slurp_file("/proc/$pid/status") =~ /^RssAnon:\s+(\d+)/m;
	}
	return \%memory;
}

# Run something on one of those that a condition selects, at random.
sub one_of
{
	my ($function, $condition) = @_;
	$count{$function}++;
	$node->psql('postgres', "SELECT $function(pid) FROM pg_stat_activity WHERE $condition ORDER BY random() LIMIT 1");
	return;
}

sub kill_one_of
{
	my ($condition) = @_;
	my ($status, $pid) = $node->psql('postgres', "SELECT pid FROM pg_stat_activity WHERE $condition ORDER BY random() LIMIT 1");
	$count{killed}++ if $pid && kill 'KILL', $pid;
	return;
}

# A calm time, as far as the steady sessions and the keeper are concerned.
my $end = time + $minutes * 60 * 2 / 3;
my $began = time;
my $crowd = start_sessions();
my $before;
while (time < $end)
{
	one_of('pg_cancel_backend', "application_name ~ '^(steady|victim)' AND state = 'active'") for 1 .. 3;
	one_of('pg_terminate_backend', "application_name LIKE 'victim %'");
	$before = memory() if !$before && time > $began + ($end - $began) * $warm;
	sleep 1;
}
my $after = memory();
my @grown;
for my $who (sort keys %$before)
{
	my $name = $who =~ s/ \(\d+\)//r;
	ok(defined $after->{$who}, "$name: is still there") or next;
	my $factor = $after->{$who} / $before->{$who} - 1;
	diag(sprintf 'figures: %s: %d kB when warm, %d kB in the end, %+.1f %%', $name, $before->{$who}, $after->{$who}, 100 * $factor);
	cmp_ok($factor, '<=', $growth, "$name: its memory does not grow");
}
is(scalar(keys %$before), 9, 'the keeper and eight sessions were looked at');
stop_sessions($crowd, 'calm');
invariants($node, \@all, 'calm');

# A wild time.
my $wild_end = time + $minutes * 60 / 3;
my $round = 0;
while (time < $wild_end)
{
	$round++;
	$crowd = start_sessions();
	for (1 .. 20)
	{
		my $what = int rand 6;
		one_of('pg_terminate_backend', "backend_type = 'dp_agg keeper'") if $what < 2;
		one_of('pg_cancel_backend', "backend_type = 'dp_agg keeper'") if $what == 2;
		one_of('pg_terminate_backend', "application_name ~ '^(steady|victim)'") if $what == 3;
		kill_one_of("backend_type = 'dp_agg keeper'") if $what == 4;
		kill_one_of("application_name ~ '^(steady|victim)'") if $what == 5;
		sleep 0.5 + rand 1;
	}
	if ($round % 3 == 0)
	{
		$node->stop('immediate');
		$count{stopped}++;
		$node->start;
	}
	stop_sessions($crowd, "wild round $round");
	ok(is_back($node), "wild round $round: the server is there");
	invariants($node, \@all, "wild round $round");
}
my $answers = FaultTest::answers_of(@all);
cmp_ok($answers, '>', 100, 'there were answers');
diag("figures: minutes $minutes, statements charged " . charged($node) . ", numbered answers $answers, wild rounds $round, "
	. join ', ', map { "$_ $count{$_}" } sort keys %count);

$node->stop;
done_testing();
