# Thresholds of a budget's use: one log line and one notice for each in a period, whoever
# charges, how many at once, and whatever becomes of the keeper and the server meanwhile.
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

my $node = new_gate('alerts');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION charge;
CREATE ROLE team;
CREATE ROLE cat LOGIN IN ROLE team;
CREATE ROLE dan LOGIN IN ROLE team;
SELECT dp_agg.set_budget('team', 1, 1e-6, 'default'), dp_agg.set_budget('ann', 1, 1e-6);
SQL

# Lines of the server's log about thresholds, from an offset on: so many of them at least, as the
# keeper may write one after the session has its answer.
sub logged
{
	my ($from, $many) = @_;
	eventually(sub { scalar @{ lines_of($from) } >= $many }) if $many;
	return lines_of($from);
}

sub lines_of
{
	my ($from) = @_;
	return [ map { /LOG:  (.*)/ } grep { /of the privacy budget/ && /LOG:/ } split /\n/, slurp_file($node->logfile, $from // 0) ];
}

# What a charge of ann's says; the notices of a session come with its errors.
sub told
{
	my ($epsilon, $role) = @_;
	my $run = start_as($node, "SELECT dp_count(1, $epsilon) IS NOT NULL FROM people WHERE city <> 'secret 4711'", $role);
	my $outcome = finish($run);
	return join ' ', $outcome, $run->{err} =~ /NOTICE:\s+\w{5}: ([^\n]*budget[^\n]*)/g;
}

# The log: whose it is and how far, without the statement, and in the keeper's name.
is(told(0.75), 't', 'a charge below every threshold says nothing');
is(told(0.125), 't 80 % of the privacy budget of role "ann" on data set "default" is used', 'the one that crosses is told');
is_deeply(logged(0, 1), ['80 % of the privacy budget of role "ann" on data set "default" is used'], 'and logged');
my ($context) = slurp_file($node->logfile) =~ /(.*of the privacy budget.*\n(?:.*\n){0,3})/;
like($context, qr/DETAIL:  It is used to 87\.5 % now\./, 'with the use');
unlike($context, qr/STATEMENT|4711/, 'and without the statement');
is($node->safe_psql('postgres', q{SELECT alert FROM dp_agg.budget_use WHERE role = 'ann'::regrole}), '80', 'and shown');

# What is refused for want of the rest.
like(told(0.25), qr/^53400/, 'a refusal says so itself');
like(told(0.25), qr/^53400/, 'each time');
is_deeply(logged(0, 2), [ map { "$_ % of the privacy budget of role \"ann\" on data set \"default\" is used" } 80, 100 ], 'and is logged once');
like(slurp_file($node->logfile), qr/DETAIL:  A statement that it would have admitted unspent was refused\./, 'as such');

# Many at once: whose charge comes to a threshold is told, and nobody else.
my $at = -s $node->logfile;
my @clients = map { start_as($node, [ ('SELECT dp_count(1, 0.125) IS NOT NULL FROM people') x 2 ], $_ % 2 ? 'cat' : 'dan') } 1 .. 10;
finish($_) for @clients;
my @notices = map { $_->{err} =~ /NOTICE:\s+\w{5}: ([^\n]*budget[^\n]*)/g } @clients;
is_deeply([ sort @notices ], [ map { "$_ % of the privacy budget of role \"team\" on data set \"default\" is used" } 100, 80 ], 'members of a pool are told of each threshold once');
is_deeply([ sort @{ logged($at, 2) } ], [ sort @notices ], 'as the log is');
is($node->safe_psql('postgres', q{SELECT statements, refusals, round(used::numeric, 3), alert FROM dp_agg.budget_use WHERE role = 'team'::regrole}),
	'8|12|1.000|100', 'of all that fits');

# Another keeper, and the server after a crash, know what was told.
$node->safe_psql('postgres', q{SELECT dp_agg.reset_budget('ann')});
$at = -s $node->logfile;
is(told(0.5), 't', 'half is used');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'});
like(told(0.3125), qr/^t 80 %/, 'another keeper goes on');
$node->stop('immediate');
$node->start;
is(told(0.0625), 't', 'what was told before a crash is not told again');
is_deeply([ map { /^(\d+)/ } @{ logged($at, 1) } ], [80], 'nor logged');

# What is not committed is not told of: decided, and decided anew.
SKIP:
{
	has_points() or skip('needs a build with -DDP_INJECTION', 5);
	mkdir $node->data_dir . '/injection';
	$node->safe_psql('postgres', q{SELECT dp_agg.reset_budget('ann')});
	$at = -s $node->logfile;
	fail_at($node, 'decided');
	like(told(0.875), qr/^53200: could not charge/, 'a charge that fails once it is decided');
	is_deeply(logged($at), [], 'is not logged');
	is($node->safe_psql('postgres', q{SELECT used, alert IS NULL FROM dp_agg.budget_use WHERE role = 'ann'::regrole}), '0|t', 'nor is its use there');
	let_go($node, 'decided');
	is(told(0.75), 't', 'the next is below the threshold');
	is_deeply(logged($at), [], 'and logs nothing of the other');
}

# The setting.
sub set_alerts
{
	my ($list) = @_;
	my $before = -s $node->logfile;
	$node->safe_psql('postgres', "ALTER SYSTEM SET dp_agg.budget_alerts = '$list'");
	$node->reload;
	$node->wait_for_log(qr/parameter "dp_agg.budget_alerts" changed to/, $before);
	# A keeper that begins now has read it.
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'});
	return;
}
set_alerts('');
$node->safe_psql('postgres', q{SELECT dp_agg.reset_budget('ann')});
$at = -s $node->logfile;
is(told(1), 't', 'an empty list tells nothing');
like(told(1), qr/^53400/, 'of a refusal either');
is_deeply(logged($at), [], 'and logs nothing');
is($node->safe_psql('postgres', q{SELECT round(used::numeric, 3), alert IS NULL FROM dp_agg.budget_use WHERE role = 'ann'::regrole}), '1.000|t', 'nor does the row');
set_alerts(' 99.5,25 , 50,25');
$node->safe_psql('postgres', q{SELECT dp_agg.reset_budget('ann')});
like(told(0.25), qr/^t 25 % /, 'a list in any order has its thresholds');
like(told(0.5), qr/^t 50 % /, 'each');
is(told(0.125), 't', 'and no others');
like(told(0.125), qr/^t 99\.5 % /, 'up to the last');

# A dump carries what was told of.
$node->safe_psql('postgres', 'CREATE DATABASE copy');
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'a dump');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $dump ], 'is restored');
is($node->safe_psql('copy', q{SELECT role, alert, alerted_at IS NOT NULL, may_be_behind FROM dp_agg.budget_use WHERE alert IS NOT NULL ORDER BY role::text}),
	"ann|99.5|t|t\nteam|100|t|t", 'with what was told of');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger holds');
$node->stop;
done_testing();
