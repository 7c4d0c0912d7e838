# Commands that need a database to themselves: PostgreSQL has them wait five seconds for others to
# leave.  A keeper that is idle leaves within that time, however long it might stay otherwise.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $query = 'SELECT dp_count(*) FROM people';
my $node = new_gate('alone', conf => "dp_agg.keeper_idle_timeout = 1h\nallow_in_place_tablespaces = on\n");
my $make = <<'SQL';
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('ann', 1000, 1e-6), dp_agg.set_budget('bob', 1000, 1e-6);
SQL
$node->safe_psql('postgres', "CREATE TABLESPACE elsewhere LOCATION ''; CREATE ROLE maker LOGIN CREATEDB");

sub ask_in
{
	my ($database, $sql) = @_;
	local $ENV{PGUSER} = 'ann';
	return outcome($node, [ "SET dp_agg.kept_max_age = '1h'", $sql // $query ], $database);
}

sub make_shop
{
	$node->safe_psql('postgres', 'CREATE DATABASE shop');
	$node->safe_psql('shop', $make);
	return;
}

# Each with a keeper that has just charged, has an answer to store and replays to enter.
for my $change (
	'CREATE DATABASE copy TEMPLATE shop',
	'CREATE DATABASE files TEMPLATE shop STRATEGY file_copy',
	'ALTER DATABASE shop SET TABLESPACE elsewhere',
	'ALTER DATABASE shop RENAME TO store',
	'ALTER DATABASE store RENAME TO shop',
	'DROP DATABASE shop WITH (FORCE)',
	'DROP DATABASE copy',
	'DROP DATABASE files')
{
	make_shop() if $change =~ /copy TEMPLATE/;
	my ($database) = $change =~ /(?:TEMPLATE|DROP DATABASE|ALTER DATABASE) (\w+)/;
	$node->safe_psql($database, 'SELECT dp_agg.acknowledge_copy()') if $change =~ /DROP/;
	like(ask_in($database), qr/^-?\d+$/, "$change: the database answers") for 1 .. 2;
	isnt(keeper_pid($node, $database), '', "$change: and has a keeper");
	my $began = time;
	is(outcome($node, $change), '', "$change: works");
	cmp_ok(time - $began, '<', 5, "$change: in time");
}
for my $program ([ 'createdb', '-T', 'shop', 'twin' ], [ 'dropdb', 'shop' ])
{
	make_shop() if $program->[0] eq 'createdb';
	like(ask_in('shop'), qr/^-?\d+$/, "$program->[0]: the database answers");
	$node->command_ok($program, "$program->[0] works");
}
is($node->safe_psql('twin', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'books of a copy are whole');
is($node->safe_psql('twin', "SELECT statements, (SELECT count(*) FROM dp_agg.kept_answer) FROM dp_agg.budget WHERE role = 'ann'::regrole"), '1|1', 'with what was charged and kept just before');
$node->safe_psql('postgres', 'DROP DATABASE twin');

# Under load, there and elsewhere: the command works once the last session is gone.
my $elsewhere = start_clients($node, clients => 2, queries => 100_000, epsilon => 0.001);
for my $change ('ALTER DATABASE shop RENAME TO store', 'DROP DATABASE store')
{
	make_shop() if $change =~ /RENAME/;
	my ($database) = $change =~ /DATABASE (\w+)/;
	my @sessions = map { start($node, "DO \$\$BEGIN SET ROLE ann; FOR i IN 1 .. 1000000 LOOP PERFORM dp_sum(age, 0, i) FROM people; EXIT WHEN clock_timestamp() > transaction_timestamp() + interval '1 s'; END LOOP; END\$\$", $database) } 1 .. 3;
	eventually(sub { keeper_pid($node, $database) ne '' });
	is(outcome($node, $change), '', "under load: $change works when sessions have ended");
	is(join('', map { finish($_) } @sessions), '', "under load: $change: which they did by themselves");
}
kill 'TERM', map { $_->{pid} } @$elsewhere;
crowd_done($elsewhere);

# Who may not have a database to herself does not have its keeper leave either.
make_shop();
like(ask_in('shop'), qr/^-?\d+$/, 'strangers: the database answers');
my $pid = keeper_pid($node, 'shop');
for my $role ('eve', 'maker')
{
	local $ENV{PGUSER} = $role;
	my $end = time + 2;
	while (time < $end)
	{
		for my $sql ('DROP DATABASE shop', 'ALTER DATABASE shop RENAME TO mine', 'ALTER DATABASE shop SET TABLESPACE elsewhere', 'CREATE DATABASE mine TEMPLATE shop')
		{
			my $said = outcome($node, $sql);
			$said =~ /^42501: / or fail("strangers: $role: $sql: $said");
		}
	}
}
is(keeper_pid($node, 'shop'), $pid, 'strangers: and its keeper stays');
sleep 2;
is(keeper_pid($node, 'shop'), $pid, 'nor does it leave where nobody wants anything');

# A database that takes no more connections goes on to serve those it has.
{
	local $ENV{PGUSER} = 'ann';
	my $session = $node->background_psql('shop', on_error_stop => 0);
	$session->query("SET dp_agg.kept_max_age = 0");
	{
		local $ENV{PGUSER};
		delete $ENV{PGUSER};
		$node->safe_psql('postgres', "ALTER DATABASE shop ALLOW_CONNECTIONS false; SELECT pg_terminate_backend($pid, 60000)");
	}
	like($session->query($query), qr/^-?\d+$/, 'closed: the session is answered');
	$session->quit;
}
is(outcome($node, 'DROP DATABASE shop'), '', 'closed: and then it is dropped');
invariants($node, [], 'alone');

$node->stop;
done_testing();
