# What clients of pgbouncer have in common in transaction mode, where they share the sessions
# of a role one after another: settings and the last release; and what they do not.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;

use ToolTest;

my $program = unpacked('usr/sbin/pgbouncer');
$program && IPC::Run::run([ $program, '--version' ], \undef, '>', '/dev/null', '2>&1')
  or plan skip_all => 'pgbouncer is not installed: see test/tools/install';

my $node = tools_server('pgbouncer');
$node->safe_psql('postgres', q(CREATE ROLE bob LOGIN; SELECT dp_agg.set_budget('bob', 1000, 1e-6, 'clinic')));

# One session of a role for everybody; database "half" has a setting of its own, "clean" forgets everything between transactions.
my $directory = PostgreSQL::Test::Utils::tempdir;
sub start_pooler
{
	my ($name, $options) = @_;
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $server = 'host=127.0.0.1 dbname=postgres port=' . $node->port;
	PostgreSQL::Test::Utils::append_to_file("$directory/users.txt", qq("$_" ""\n)) for 'ann', 'bob';
	PostgreSQL::Test::Utils::append_to_file("$directory/$name.ini", <<"INI");
[databases]
shared = $server
half = $server connect_query='SET dp_agg.epsilon = 0.5'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = trust
auth_file = $directory/users.txt
admin_users = ann
pool_mode = transaction
default_pool_size = 1
logfile = $PostgreSQL::Test::Utils::log_path/pgbouncer_$name.log
$options
INI
	serve("$directory/$name.out", {}, $program, "$directory/$name.ini");
	my $client = { port => $port };
	for (1 .. 100)
	{
		last if asked($client, 'ann', 'shared', 'SELECT 1') eq '1';
		select undef, undef, undef, 0.1;
	}
	return $client;
}

# What a client that connects, asks and leaves reads on its output and on its errors.
sub said
{
	my ($pooler, $role, $database, $sql, $options) = @_;
	my ($out, $err);
	my $connection = "host=127.0.0.1 port=$pooler->{port} user=$role dbname=$database" . ($options ? " options='$options'" : '');
	IPC::Run::run([ $node->installed_command('psql'), '-XAtq', '-d', $connection, (map { ('-c', $_) } ref $sql ? @$sql : $sql) ], \undef, \$out, \$err);
	return ($out, $err);
}

# The last line of its answers, or its error.
sub asked
{
	my ($out, $err) = said(@_);
	my @lines = split /\n/, $out;
	return $err =~ /\A(?:psql: )?.*?(?:ERROR|FATAL):\s+(.*)/s ? $1 : $lines[-1] // '';
}

my $pooler = start_pooler('plain', '');
my $epsilon = 'SHOW dp_agg.epsilon';
my @notices = map { (said($pooler, 'bob', 'shared', 'SELECT count(*) FROM people'))[1] } 1 .. 2;
like($notices[0], qr/^NOTICE: .*carry noise/, 'that answers carry noise is said to the first client');
is($notices[1], '', 'and not to the second');
my $released = 'SELECT count(*) FROM dp_agg.last_release()';

is(asked($pooler, 'bob', 'shared', $epsilon), '0.1', 'a client has the default');
is(asked($pooler, 'ann', 'shared', $epsilon), '1e+06', 'or what ALTER ROLE says of its role');
asked($pooler, 'bob', 'shared', 'SET dp_agg.epsilon = 0.7');
is(asked($pooler, 'bob', 'shared', $epsilon), '0.7', 'SET is still in force for the next client of the role');
is(asked($pooler, 'ann', 'shared', $epsilon), '1e+06', 'but not for clients of another role');
is(asked($pooler, 'bob', 'half', $epsilon), '0.5', 'connect_query sets it for all clients of a database');
is(asked($pooler, 'bob', 'shared', [ 'RESET dp_agg.epsilon', $epsilon ]), '0.1', 'RESET takes it back');
asked($pooler, 'bob', 'shared', 'BEGIN; SET LOCAL dp_agg.epsilon = 0.7; SELECT dp_count(*) FROM people; COMMIT');
is(asked($pooler, 'bob', 'shared', 'SELECT epsilon FROM dp_agg.last_release()'), '0.7', 'SET LOCAL counts in its transaction');
is(asked($pooler, 'bob', 'shared', $epsilon), '0.1', 'and for nobody after it');
is(asked($pooler, 'bob', 'shared', $released), '1', 'last_release() tells the next client of the role what the one before released');
is(asked($pooler, 'ann', 'shared', $released), '0', 'but no other role');

# Every client pays for its own statements.
my $spent = q(SELECT statements FROM dp_agg.budgets WHERE role = current_user::regrole);
my $before = asked($pooler, 'bob', 'shared', $spent);
asked($pooler, 'bob', 'shared', 'SELECT dp_count(id, 0.25) FROM people') for 1 .. 3;
is(asked($pooler, 'bob', 'shared', $spent) - $before, 3, 'each client is charged for what it asked');
is(asked($pooler, 'bob', 'shared', 'SELECT epsilon FROM dp_agg.last_release()'), '0.25', 'at the epsilon that the statement says itself');

like(asked($pooler, 'bob', 'shared', $epsilon, '-c dp_agg.epsilon=0.3'), qr/unsupported startup parameter: options|^0\.1$/,
	'options in the connection string are refused, or have no effect');

# The role in effect pays, and it is a setting like others.
$node->safe_psql('postgres', 'GRANT ann TO bob');
asked($pooler, 'bob', 'shared', 'SET ROLE ann');
is(asked($pooler, 'bob', 'shared', 'SELECT current_user'), 'ann', 'SET ROLE has the next client ask on the account of another role');
asked($pooler, 'bob', 'shared', 'RESET ROLE');
is(asked($pooler, 'bob', 'shared', [ 'BEGIN; SET LOCAL ROLE ann; COMMIT', 'SELECT current_user' ]), 'bob', 'SET LOCAL ROLE does not');

# A setting of the role's counts in sessions that begin later.
$node->safe_psql('postgres', 'ALTER ROLE bob SET dp_agg.epsilon = 0.9');
is(asked($pooler, 'bob', 'shared', $epsilon), '0.1', 'ALTER ROLE does not change a session that is open');
asked($pooler, 'ann', 'pgbouncer', 'RECONNECT');
is(asked($pooler, 'bob', 'shared', $epsilon), '0.9', 'but the next one, after RECONNECT');

# A client may forget everything itself; what is open ends with its transaction, and a statement that was charged stays so.
asked($pooler, 'bob', 'shared', [ 'SET dp_agg.epsilon = 0.7', 'SELECT dp_count(*) FROM people', 'DISCARD ALL' ]);
is(asked($pooler, 'bob', 'shared', $epsilon), '0.9', 'DISCARD ALL of a client takes settings back for the next');
is(asked($pooler, 'bob', 'shared', $released), '0', 'and the last release');
$before = asked($pooler, 'bob', 'shared', $spent);
like(asked($pooler, 'bob', 'shared', [ 'BEGIN', 'DECLARE c CURSOR FOR SELECT dp_count(*) FROM people', 'FETCH c', 'ROLLBACK' ]), qr/^-?\d+$/, 'a cursor is answered');
is(asked($pooler, 'bob', 'shared', $spent) - $before, 1, 'and charged, though its transaction was rolled back');
like(asked($pooler, 'bob', 'shared', 'FETCH c'), qr/cursor "c" does not exist/, 'the next client does not find it');
my $again = [ "BEGIN; SET LOCAL dp_agg.kept_max_age = '1 year'; SELECT dp_sum(id, 0, 1000000) FROM people; COMMIT" ];
is(asked($pooler, 'bob', 'shared', $again), asked($pooler, 'bob', 'shared', $again), 'the next client of the role is shown the answer that one kept');
is(asked($pooler, 'bob', 'shared', $spent) - $before, 2, 'which is charged once');

# Between transactions everything may be forgotten.
my $clean = start_pooler('clean', "server_reset_query = DISCARD ALL\nserver_reset_query_always = 1\nignore_startup_parameters = options");
is(asked($clean, 'bob', 'shared', $epsilon, '-c dp_agg.epsilon=0.3'), '0.9', 'options can be ignored');
asked($clean, 'bob', 'shared', 'SET dp_agg.epsilon = 0.7');
is(asked($clean, 'bob', 'shared', $epsilon), '0.9', 'with server_reset_query_always no SET is left');
asked($clean, 'bob', 'shared', 'SELECT dp_count(*) FROM people');
is(asked($clean, 'bob', 'shared', $released), '0', 'nor a last release');

$node->stop;
done_testing();
