# A minor release: new files in the place of old ones under a running server, and a restart.  Sessions go on
# with the library that the server started with, and afterwards nothing is a copy.
#
# It needs a PostgreSQL that the user may install to, as make test has.
# Runs by itself: it replaces the library for a moment.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use File::Copy qw(copy move);
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('minor', conf => "dp_agg.keeper_idle_timeout = 100ms\ndp_agg.charge_timeout = 12s\n");
my $library = $node->config_data('--pkglibdir') . '/dp_agg.so';
if (!-w $library || !-w $node->config_data('--pkglibdir'))
{
	$node->stop;
	plan skip_all => "cannot replace $library";
}

# Whatever comes, what was there is there again.
END
{
	local $?;
	move("$library.kept", $library) if defined $library && -e "$library.kept";
}

my $query = 'SELECT city, dp_count(*) FROM people GROUP BY city';
my $kept = "SELECT dp_sum(age, 0, 77) FROM people";
my $shown = asked($node, [ "SET dp_agg.kept_max_age = '1 year'", $kept ]);
like($shown, qr/^-?\d+$/, 'an answer is kept');
my $session = do { local $ENV{PGUSER} = 'ann'; $node->background_psql('postgres', on_error_stop => 0) };
$session->query("PREPARE asked AS SELECT dp_count(*) FROM people");
like($session->query('EXECUTE asked'), qr/^-?\d+$/, 'a plan is prepared');
KeeperTest::wait_for_no_keeper($node);

# Without any file, as after the package was removed, a new keeper cannot start: nobody is charged or answered.
my $spent = admitted($node);
move($library, "$library.kept") or die "could not move $library: $!";
$session->{stderr} = '';
is($session->query('EXECUTE asked'), '', 'without the file an old session is not answered');
like($session->{stderr}, qr/not charged in time/, 'since it is not charged');
like(asked($node, $query), qr/^58P01: could not access file/, 'nor a new one');

# With another file in its place, though it is no library, all go on.
open my $file, '>', $library or die "could not write $library: $!";
print $file "another library\n";
close $file;
$session->query('SELECT 1');
like($session->query('EXECUTE asked'), qr/^-?\d+$/, 'with another file: an old session asks');
like($session->query('SELECT dp_sum(age, 0, 50) FROM people'), qr/^-?\d+$/, 'with another file: it asks something new');
is(admitted($node), $spent + 2, 'with another file: what was answered was charged, and nothing else');
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'with another file: a new session, and a new keeper') or diag('see the server log');
unlink $library;
copy("$library.kept", $library) or die "could not copy: $!";
chmod 0755, $library;
append_to_file($library, "\0" x 4096);
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'with the next library: a new session');
$session->quit;

my $books = 'SELECT md5(string_agg(b::text, chr(10) ORDER BY number)) FROM dp_agg.budget b';
my $before = $node->safe_psql('postgres', $books);
$node->restart;
is($node->safe_psql('postgres', $books), $before, 'after a restart budgets are the same');
is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.budgets WHERE may_be_behind'), '0', 'none has to be acknowledged');
is(asked($node, [ "SET dp_agg.kept_max_age = '1 year'", $kept ]), $shown, 'what was kept is shown');
like(asked($node, $query), qr/^city/, 'what is new is drawn');
invariants($node, [], 'after a minor release', twice => 1);

# Removed while the preload line names it, a server goes on, and does not start again.
move($library, "$library.next") or die "could not move $library: $!";
$node->stop;
is($node->start(fail_ok => 1), 0, 'a server whose preload line names a library that is gone does not start');
like(slurp_file($node->logfile), qr/could not access file "dp_agg"/, 'and says so');
unlink "$library.next";
move("$library.kept", $library);
$node->start;
like(asked($node, 'SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'with the library it does');

$node->stop;
done_testing();
