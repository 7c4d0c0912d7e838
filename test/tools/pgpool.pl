# pgpool-II before a primary and a standby that answers: which of them its load balancing asks, and that either is charged for once.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";
use Test::More;

use GateTest ();
use ReplicaTest;
use ToolTest;

my $program = unpacked('usr/sbin/pgpool');
$program && IPC::Run::run([ $program, '--version' ], \undef, '>', '/dev/null', '2>&1')
  or plan skip_all => 'pgpool2 is not installed: see test/tools/install';
plan skip_all => 'built without the headers of libpq' if !has_link();

my $primary = new_primary('primary');
my $standby = new_standby($primary, 'standby');
$primary->safe_psql('postgres', 'CREATE TABLE notes (note text); GRANT ALL ON notes TO ann');
my $count = 'SELECT dp_count(*) FROM people';

# A pooler with one session for everybody, which sends to the standby what it may; its settings beyond that.
sub start_pooler
{
	my ($name, $options) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir_short;
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $backends = '';
	my $number = 0;
	for my $node ($primary, $standby)
	{
		$backends .= "backend_hostname$number = '" . $node->host . "'\nbackend_port$number = " . $node->port . "\nbackend_weight$number = $number\n";
		$number++;
	}
	PostgreSQL::Test::Utils::append_to_file("$directory/$_.conf", '') for 'pcp', 'hba';
	PostgreSQL::Test::Utils::append_to_file("$directory/pgpool.conf", <<"CONF");
listen_addresses = '127.0.0.1'
port = $port
socket_dir = '$directory'
unix_socket_directories = '$directory'
pcp_socket_dir = '$directory'
pcp_port = ${\ PostgreSQL::Test::Cluster::get_free_port() }
pid_file_name = '$directory/pid'
logdir = '$directory'
work_dir = '$directory'
backend_clustering_mode = 'streaming_replication'
${backends}load_balance_mode = on
num_init_children = 1
sr_check_user = '${\ (getpwuid $<)[0] }'
sr_check_database = 'postgres'
sr_check_period = 1
$options
CONF
	serve("$PostgreSQL::Test::Utils::log_path/pgpool_$name.log", {}, $program, '-n', '-f', "$directory/pgpool.conf", '-F', "$directory/pcp.conf", '-a', "$directory/hba.conf");
	my $pooler = { host => '127.0.0.1', port => $port };
	for (1 .. 100)
	{
		return $pooler if asked($pooler, 'SHOW pool_nodes') =~ /\|up\|.*\|standby\|/;
		select undef, undef, undef, 0.1;
	}
	die "pgpool does not come up: see pgpool_$name.log\n";
}

# The last line of what a client that connects, asks and leaves is answered, or its error.
sub asked
{
	my ($pooler, @sql) = @_;
	my ($out, $err);
	IPC::Run::run([ $primary->installed_command('psql'), '-XAtq', '-d', "host=$pooler->{host} port=$pooler->{port} user=ann dbname=postgres", (map { ('-c', $_) } @sql) ], \undef, \$out, \$err);
	my @lines = split /\n/, $out;
	return $err =~ /(?:ERROR|FATAL):\s+([^\n]*)/ ? $1 : $lines[-1] // '';
}

# What is charged for, in order: by which server rows were read.
my $seen = 0;
sub charged
{
	my $new = $primary->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge'") - $seen;
	my $servers = $primary->safe_psql('postgres', "SELECT string_agg(coalesce(releases -> 0 ->> 'read_on', 'primary'), ' ' ORDER BY id) FROM (SELECT * FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT $new) l");
	$seen += $new;
	return $servers;
}

# Ask; who read rows for it, in order, and was it charged that often?
sub is_read_on
{
	my ($pooler, $servers, $answer, $name, @sql) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like(asked($pooler, @sql), $answer, $name);
	return is(charged(), $servers, "$name: read by $servers, and charged once each");
}

my $number = qr/^-?\d+$/;
my $pooler = start_pooler('plain', '');
like(asked($pooler, 'SHOW pool_nodes'), qr/\|up\|.*\|standby\|/, 'a pooler knows both');
is(charged(), '', 'that costs nothing');
is_read_on($pooler, 'standby', $number, 'a plain aggregate', 'SELECT count(*) FROM people');
is_read_on($pooler, 'standby', $number, 'one of ours', $count);
is_read_on($pooler, 'standby standby', qr/^-?\d+\|/, 'two statements', $count, 'WITH a AS (SELECT dp_count(*) AS n FROM people) SELECT n, n + 1 FROM a');
is_read_on($pooler, 'standby', $number, 'COPY', "COPY ($count) TO STDOUT");
is_read_on($pooler, 'standby', $number, 'in a transaction', 'BEGIN', $count, 'COMMIT');
is_read_on($pooler, 'primary', $number, 'after a write', 'BEGIN', "INSERT INTO notes VALUES ('x')", $count, 'COMMIT');
is_read_on($pooler, 'primary primary', $number, 'prepared by SQL', "PREPARE q AS $count", 'EXECUTE q', 'EXECUTE q');
is_read_on($pooler, 'primary', $number, 'by a cursor', 'BEGIN', "DECLARE c CURSOR FOR $count", 'FETCH c', 'COMMIT');
is_read_on($pooler, 'primary', qr/^4$/, 'a call in FROM', "SELECT count(*) FROM dp_histogram('people', 'age', 0, 100, 4)");
is(asked($pooler, 'SELECT * FROM people'), 'permission denied for table people', 'rows are not shown');
is_read_on($pooler, 'standby', qr/^0$/, 'the last release is asked of the primary, which knows of none', $count, 'SELECT count(*) FROM dp_agg.last_release()');
is_read_on($pooler, 'standby', qr/^0\.25$/, 'settings are made on both', 'SET dp_agg.epsilon = 0.25', $count, "SELECT epsilon FROM dp_agg.price('$count')");
is($primary->safe_psql('postgres', "SELECT releases #>> '{0,releases,0,epsilon}' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1"), '0.25', 'and count');
is_read_on($pooler, 'standby', qr/^0\.1$/, 'the next client has the default again', $count, "SELECT epsilon FROM dp_agg.price('$count')");

# By the protocol, as drivers prepare statements.
my $script = "$PostgreSQL::Test::Utils::tmp_check/pgpool.sql";
PostgreSQL::Test::Utils::append_to_file($script, "\\set age random(1, 90)\nSELECT dp_count(*) FROM people WHERE age < :age;\n");
for my $mode (qw(extended prepared))
{
	my $out = '';
	IPC::Run::run([ $primary->installed_command('pgbench'), '-n', '-M', $mode, '-t', 3, '-f', $script, '-h', $pooler->{host}, '-p', $pooler->{port}, '-U', 'ann', 'postgres' ], \undef, '>', \$out, '2>&1');
	like($out, qr{processed: 3/3}, "$mode: answered");
	is(charged(), 'standby standby standby', "$mode: read by the standby");
}

# Kept answers of the primary.
my @kept = ("SET dp_agg.kept_max_age = '1h'", 'SELECT dp_sum(age, 0, 77) FROM people');
my $answer = GateTest::asked($primary, \@kept);
GateTest::asked($primary, \@kept);
caught_up($primary, $standby);
charged();
is(asked($pooler, @kept), $answer, 'a kept answer');
is(charged(), '', 'costs nothing');

# Told what writes, it sends the rest to where the question went; hardening is not in its way.
$primary->safe_psql('postgres', 'SELECT * FROM dp_agg.harden(true)');
caught_up($primary, $standby);
$pooler = start_pooler('functions', "write_function_list = 'nextval,setval,lastval,currval,set_config'");
is_read_on($pooler, 'standby', qr/^dp_count\(\*\)$/, 'the last release is found', $count, 'SELECT aggregate FROM dp_agg.last_release()');
is(asked($pooler, 'SELECT count(*) FROM dp_agg.last_release()'), '0', 'and not by the next client');
is_read_on($pooler, 'standby', qr/^4$/, 'a call in FROM', "SELECT count(*) FROM dp_histogram('people', 'age', 0, 100, 4)");
is_read_on($pooler, 'primary', $number, 'after a write', 'BEGIN', "INSERT INTO notes VALUES ('x')", $count, 'COMMIT');

# A standby that is not set up: its database has the primary, or what begins with dp_ has.
$standby->append_conf('postgresql.conf', "dp_agg.primary_conninfo = ''");
$standby->reload;
$standby->poll_query_until('postgres', "SELECT current_setting('dp_agg.primary_conninfo') = ''") or die;
is(asked($pooler, $count), 'cannot charge a privacy budget during recovery', 'a standby that is not set up does not answer');
charged();
$pooler = start_pooler('pattern', "primary_routing_query_pattern_list = '.*dp_.*'");
is_read_on($pooler, 'primary', $number, 'by a pattern the primary does', $count);
is(asked($pooler, 'SELECT count(*) FROM people'), 'cannot charge a privacy budget during recovery', 'but for plain aggregates');
charged();
$pooler = start_pooler('database', "database_redirect_preference_list = 'postgres:primary'");
is_read_on($pooler, 'primary primary', $number, 'by its database it answers all', $count, 'SELECT count(*) FROM people');
is($primary->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger adds up');

done_testing();
