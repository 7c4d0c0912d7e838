# The way from version 1.0 to whatever comes next, which is made here: a script
# that adds columns to budgets and ledger and makes functions anew, run under
# sessions that ask; one that fails; and dumps of either version in a database of
# the next.
#
# It needs a PostgreSQL that the user may install to, as make test has.
# Runs by itself: it installs another version for a moment.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('update', conf => "dp_agg.keeper_idle_timeout = 10min\ndp_agg.charge_timeout = 60s\n");
my $directory = $node->config_data('--sharedir') . '/extension';
if (!-w $directory)
{
	$node->stop;
	plan skip_all => "cannot install another version to $directory";
}

my $version = $node->safe_psql('postgres', "SELECT extversion FROM pg_extension WHERE extname = 'dp_agg'");

# What the next version may do to every kind of object there is.
my %scripts = (
	"$version--${version}next" => <<'SQL',
ALTER TABLE dp_agg.budget ADD COLUMN note text DEFAULT 'none';
ALTER TABLE dp_agg.ledger ADD COLUMN origin text;
CREATE TABLE dp_agg.extra (a int);
SELECT pg_catalog.pg_extension_config_dump('dp_agg.extra', '');
INSERT INTO dp_agg.extra VALUES (1);
CREATE FUNCTION dp_agg.added() RETURNS int LANGUAGE sql AS 'SELECT 1';
REVOKE ALL ON FUNCTION dp_agg.added() FROM PUBLIC;
%price%
SQL
	"${version}next--${version}last" => "DROP TABLE dp_agg.extra;\nSELECT 1 / 0;\n");

sub name_of
{
	my ($script) = @_;
	return "$directory/dp_agg--$script.sql";
}

END
{
	local $?;
	unlink map { name_of($_) } keys %scripts if defined $directory;
}

# Make the scripts; the function that is made anew stays what it is.
sub make_scripts
{
	my $definition = $node->safe_psql('postgres', <<'SQL');
SELECT pg_get_functiondef(p.oid) FROM pg_proc p, pg_depend d, pg_extension e
WHERE d.objid = p.oid AND d.refobjid = e.oid AND d.deptype = 'e' AND e.extname = 'dp_agg' AND p.proname = 'price'
SQL
	$scripts{"$version--${version}next"} =~ s/%price%/$definition;/;
	for my $script (keys %scripts)
	{
		unlink name_of($script);
		append_to_file(name_of($script), $scripts{$script});
	}
	return;
}

my $verify = 'SELECT * FROM dp_agg.verify_ledger()';
my $books = 'SELECT role, dataset, epsilon_limit, epsilon_spent, delta_spent, statements, refusals FROM dp_agg.budgets ORDER BY 1, 2';
my $ledger = 'SELECT id, at, role, dataset, releases, admitted, hash FROM dp_agg.ledger ORDER BY id';
my $query = 'SELECT dp_count(*) FROM people';

sub session_of
{
	my ($role) = @_;
	local $ENV{PGUSER} = $role;
	return $node->background_psql('postgres', on_error_stop => 0);
}

sub answer
{
	my ($session, $sql) = @_;
	$session->{stderr} = '';
	my $out = $session->query($sql // $query);
	return $session->{stderr} =~ /(?:ERROR|FATAL):\s+([^\n]*)/ ? $1 : $out;
}

# Whatever this version is, there is a way to it from every one before.
is($node->safe_psql('postgres', <<'SQL'), '', 'every version has a way to this one');
SELECT source FROM pg_extension_update_paths('dp_agg'), pg_available_extensions
WHERE name = 'dp_agg' AND target = default_version AND path IS NULL
SQL

# In 1.0: sessions with plans, one of them within a transaction; a dump.
make_scripts();
my $dump = PostgreSQL::Test::Utils::tempdir;
like(asked($node, $query), qr/^-?\d+$/, 'an answer in 1.0') for 1 .. 3;
like(asked($node, 'SELECT dp_count(age, 1e5) FROM people'), qr/^53400/, 'and a refusal');
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$dump/before.sql" ], 'a dump of 1.0');
my %before = map { $_ => $node->safe_psql('postgres', $_) } $books, $ledger;
my @sessions = map { session_of('ann') } 1 .. 3;
$_->query('PREPARE asked AS SELECT dp_count(*) FROM people') for @sessions;
like(answer($_, 'EXECUTE asked'), qr/^-?\d+$/, 'a session answers in 1.0') for @sessions;
$sessions[1]->query('BEGIN');
like(answer($sessions[1], 'SELECT statements > 0 FROM dp_agg.budgets'), qr/^t$/, 'one has a transaction open');
is(answer($sessions[1], 'PREPARE named AS SELECT FROM dp_agg.budget'), '', 'and in it has named the table, which takes no right');

# An update that needs what an open transaction holds waits, and may be given up.
is(substr(outcome($node, "SET lock_timeout = '1s'; ALTER EXTENSION dp_agg UPDATE TO '${version}next'"), 0, 5), '55P03', 'an update waits for it, and can be given up');
is($node->safe_psql('postgres', "SELECT extversion FROM pg_extension WHERE extname = 'dp_agg'"), $version, 'with nothing done');
like(asked($node, $query), qr/^-?\d+$/, 'and others are answered');
is(asked($node, "ALTER EXTENSION dp_agg UPDATE TO '${version}next'"), '42501: must be owner of extension dp_agg', 'an analyst cannot update');
$sessions[1]->query('COMMIT');

# Updated while eight clients ask.
my $clients = start_clients($node, clients => 8, queries => 60, epsilon => 0.001);
eventually(sub { admitted($node) > 50 }) or die 'the clients do not get going';
is(outcome($node, "ALTER EXTENSION dp_agg UPDATE TO '${version}next'"), '', 'an update while clients ask');
ok(crowd_done($clients), 'all of them come to their end');
is(count_lines($clients, 'ERROR|FATAL'), 0, 'without an error') or diag(map { slurp_file($_->{err}) } @$clients);
cmp_ok(answers_are_in_the_books($node, $clients, 'every answer is in the ledger'), '==', 480, 'and all are answered');
is($node->safe_psql('postgres', "SELECT extversion, dp_agg.added(), (SELECT a FROM dp_agg.extra) FROM pg_extension WHERE extname = 'dp_agg'"), "${version}next|1|1", 'the next version is there');
like(answer($_, 'EXECUTE asked'), qr/^-?\d+$/, 'an old session goes on with its plan') for @sessions;
like(answer($_), qr/^-?\d+$/, 'and with new ones') for @sessions;
like(answer($sessions[0], "SELECT aggregate FROM dp_agg.price('$query')"), qr/dp_count/, 'by a function that was made anew');
like(answer($sessions[0], 'SELECT dp_agg.added()'), qr/permission denied/, 'a new function is closed to it');
$_->quit for @sessions;
is($node->safe_psql('postgres', "SELECT DISTINCT note FROM dp_agg.budget"), 'none', 'budgets have the new column');
invariants($node, $clients, 'updated', twice => 1);

# One that fails leaves everything as it was.
is(outcome($node, "ALTER EXTENSION dp_agg UPDATE TO '${version}last'"), '22012: division by zero', 'an update that fails');
is($node->safe_psql('postgres', "SELECT extversion, (SELECT a FROM dp_agg.extra) FROM pg_extension WHERE extname = 'dp_agg'"), "${version}next|1", 'is undone');
invariants($node, $clients, 'not updated', twice => 1);

# Dumps of both versions, restored where the next one is installed: `CREATE
# EXTENSION IF NOT EXISTS` of a dump takes what is there.
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$dump/after.sql" ], 'a dump of the next version');
my %after = map { $_ => $node->safe_psql('postgres', $_) } $books, $ledger;
for my $which ('before', 'after')
{
	my $database = "restored_$which";
	my $expected = $which eq 'before' ? \%before : \%after;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE EXTENSION dp_agg VERSION '${version}next'");
	$node->safe_psql($database, 'DELETE FROM dp_agg.extra');
	$node->command_ok([ 'psql', '-XqAt', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', "$dump/$which.sql" ], "$which: restored in the next version");
	is($node->safe_psql($database, $_), $expected->{$_}, "$which: the same") for $books, $ledger;
	is($node->safe_psql($database, $verify), '', "$which: the ledger verifies");
	$node->safe_psql($database, 'SELECT dp_agg.acknowledge_copy()');
	invariants($node, [], "$which: restored", database => $database, twice => 1);
	$node->safe_psql('postgres', "DROP DATABASE $database WITH (FORCE)");
}
$node->stop;
done_testing();
