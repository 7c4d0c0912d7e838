# Ways in which a standby reaches its primary, and in which the primary makes a charge durable: an answer comes after a durable
# charge alone, and where there is none, nothing is charged.
#
#	1 SSL with a password of a file				8 the primary's disk is full when it writes a charge
#	2 a certificate that is verified			9 the same, with several charges of one call
#	3 one that is not the server's				10 shared memory of the primary is full
#	4 a server that has no SSL					11 a synchronous standby that is missing
#	5 a wrong password							12 the same, given up
#	6 a service of a file						13 synchronous, applied: the standby waits for itself
#	7 a service that there is not				14 a pair that has changed places
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use IPC::Run;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReplicaTest;
use Test::More;
use Time::HiRes ();

plan skip_all => 'built without the headers of libpq' if !has_link();
plan skip_all => 'built without injection points' if !has_points();

my $query = 'SELECT dp_count(*) FROM people';
my $answer = qr/^-?\d+$/;
my $no_link = qr/^55000: could not charge the budget of role "ann" on data set "default": there is no link to the primary server/;
my $unknown = qr/^08007: outcome of charging the budget of role "ann" on data set "default" is unknown/;
my $files = PostgreSQL::Test::Utils::tempdir;

# A certificate that signs itself; false without openssl.
sub make_certificate
{
	my ($name) = @_;
	my $made = eval { IPC::Run::run([ 'openssl', 'req', '-new', '-x509', '-days', '30', '-nodes', '-subj', '/CN=localhost', '-out', "$files/$name.crt", '-keyout', "$files/$name.key" ], '>', \my $out, '2>', \my $err) };
	chmod 0600, "$files/$name.key" if $made;
	return $made;
}
my $ssl = make_certificate('server') && make_certificate('other');

my $primary = new_primary('primary');
my $port = $primary->port;
$primary->safe_psql('postgres', "SET password_encryption = 'scram-sha-256'; ALTER ROLE dp_agg_replica PASSWORD 'secret'");
append_to_file("$files/$_->[0]", "*:*:*:*:$_->[1]\n") for [ 'pass', 'secret' ], [ 'wrong', 'guessed' ];
chmod 0600, "$files/pass", "$files/wrong";
append_to_file("$files/services", "[reader]\nhost=127.0.0.1\nport=$port\nuser=dp_agg_replica\npassfile=$files/pass\n");
local $ENV{PGSERVICEFILE} = "$files/services";
$primary->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'\n" . ($ssl ? "ssl = on\nssl_cert_file = '$files/server.crt'\nssl_key_file = '$files/server.key'\n" : ''));
my $hba = slurp_file($primary->data_dir . '/pg_hba.conf');
unlink $primary->data_dir . '/pg_hba.conf';
append_to_file($primary->data_dir . '/pg_hba.conf', "host all dp_agg_replica 127.0.0.1/32 scram-sha-256\nlocal all dp_agg_replica reject\n$hba");
$primary->restart;
my $standby = new_standby($primary, 'standby', conf => "dp_agg.charge_timeout = 20s\ndp_agg.keeper_idle_timeout = 10min\n");
my $tcp = "user=dp_agg_replica host=127.0.0.1 hostaddr=127.0.0.1 port=$port";

# Go another way to the primary.
sub reconnect
{
	my ($conninfo) = @_;
	$standby->append_conf('postgresql.conf', "dp_agg.primary_conninfo = '$conninfo'");
	$standby->reload;
	$standby->poll_query_until('postgres', "SELECT current_setting('dp_agg.primary_conninfo') = '$conninfo'") or die;
	eventually(sub { link_of($primary) eq '' }) or die;
	# After a link that could not be made none is tried for half a second.
	Time::HiRes::sleep(0.6);
	return;
}
sub answers_by
{
	my ($name, $conninfo) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	reconnect($conninfo);
	my $before = admitted($primary);
	ok(relinked($standby), "$name: answered");
	return is(admitted($primary), $before + 1, "$name: charged");
}
sub no_link_by
{
	my ($name, $conninfo, $reason) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	reconnect($conninfo);
	my $before = admitted($primary);
	my $log = -s $standby->logfile;
	my $run = start_as($standby, $query);
	like(finish($run), $no_link, "$name: no link");
	like(substr(slurp_file($standby->logfile), $log), $reason, "$name: the log has the reason");
	unlike($run->{err}, qr/password|certificate|SSL|service/, "$name: analysts are not told why");
	return is(admitted($primary), $before, "$name: nothing is charged");
}
like(asked($standby, $query), $no_link, 'the role may not come by a socket');

# 1 to 4.
SKIP:
{
	skip 'no openssl', 1 if !$ssl;
	answers_by('SSL', "$tcp passfile=$files/pass sslmode=require");
	is($primary->safe_psql('postgres', 'SELECT ssl FROM pg_stat_ssl WHERE pid = ' . link_of($primary)), 't', 'SSL: it is');
	answers_by('a certificate that is verified', "$tcp passfile=$files/pass sslmode=verify-ca sslrootcert=$files/server.crt");
	no_link_by('a certificate that is not the server\'s', "$tcp passfile=$files/pass sslmode=verify-ca sslrootcert=$files/other.crt", qr/lost the link.*certificate verify failed/);
	$primary->append_conf('postgresql.conf', 'ssl = off');
	$primary->restart;
	no_link_by('a server that has no SSL', "$tcp passfile=$files/pass sslmode=require", qr/lost the link.*does not support SSL/);
}

# 5 to 7.
no_link_by('a wrong password', "$tcp passfile=$files/wrong", qr/lost the link.*password authentication failed/);
answers_by('a service', 'service=reader');
no_link_by('a service that there is not', 'service=nosuch', qr/lost the link.*service/);
reconnect("$tcp passfile=$files/pass");
ok(relinked($standby), 'it answers');

# 8 to 10.
my $before = admitted($primary);
full_at($primary, 'decided');
my $run = start_as($standby, $query);
like(finish($run), qr/^53100: could not charge the budget of role "ann" on data set "default": could not write to a disk that is full/, 'a full disk: an error');
like($run->{err}, qr/DETAIL:.*Nothing was charged/, 'a full disk: which says that nothing was charged');
stop_at($standby, 'replica_taken');
my @runs = map { start_as($standby, $query) } 1 .. 5;
ok(eventually(sub { $standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'Extension'") == 5 }), 'several wait');
let_all_go($standby);
like(finish($_), qr/^53100: /, 'a full disk, several: an error') for @runs;
let_all_go($primary);
is(admitted($primary), $before, 'a full disk: nothing is charged');
full_at($primary, 'parcel');
like(asked($standby, "SELECT dp_count(*), '" . ('x' x 20_000) . "' FROM people"), $unknown, 'full shared memory: no answer');
let_all_go($primary);
is(admitted($primary), $before, 'full shared memory: nothing is charged');
ok(relinked($standby), 'it answers again');

# 11 to 13.
sub synchronous
{
	my ($names, $commit) = @_;
	$primary->append_conf('postgresql.conf', "synchronous_standby_names = '$names'\nsynchronous_commit = $commit");
	$primary->reload;
	return $primary->poll_query_until('postgres', "SELECT current_setting('synchronous_standby_names') = '$names'") || die;
}

# No answer as long as a sum of ages up to a number may be lost: it is written, and not acknowledged.
sub not_yet
{
	my ($run, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok(eventually(sub { $primary->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND wait_event = 'SyncRep'") == 1 }), "$name: the keeper waits");
	return is($run->{out}, '', "$name: no answer");
}
$before = admitted($primary);
synchronous('missing', 'on');
$run = start_as($standby, $query);
not_yet($run, 'a synchronous standby that is missing');
synchronous('', 'on');
like(finish($run), $answer, 'a synchronous standby that is missing: an answer once it is not waited for');
is(admitted($primary), $before + 1, 'a synchronous standby that is missing: charged');
synchronous('missing', 'on');
$run = start_as($standby, [ "SET dp_agg.charge_timeout = '1s'", $query ]);
not_yet($run, 'given up');
like(finish($run), qr/^55P03: canceling statement because its privacy budget was not charged in time/, 'given up: an error');
like($run->{err}, qr/DETAIL:.*may stand/, 'given up: which says that the charge may stand');
synchronous('', 'on');
ok(eventually(sub { admitted($primary) == $before + 2 }), 'given up: it stands');
ok(relinked($standby), 'it answers again');
$before = admitted($primary);
synchronous('standby', 'remote_apply');
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
$run = start_as($standby, $query);
not_yet($run, 'applied');
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
like(finish($run), $answer, 'applied: an answer once the standby has replayed its own charge');
is($standby->safe_psql('postgres', "SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole"), $before + 1, 'applied: which it sees then');

# 14.
synchronous('standby', 'on');
$primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication WHERE application_name = 'standby'") or die;
ok(relinked($standby), 'it answers once more');
my $spent = admitted($primary);
$primary->stop;
$standby->append_conf('postgresql.conf', "dp_agg.primary_conninfo = 'user=dp_agg_replica'");
$standby->promote;
like(asked($standby, $query), $answer, 'changed places: the new primary answers');
$primary->append_conf('postgresql.conf', "cluster_name = 'primary'\nsynchronous_standby_names = ''\nprimary_conninfo = '" . $standby->connstr . " application_name=primary'\ndp_agg.primary_conninfo = 'user=dp_agg_replica'");
$primary->set_standby_mode;
$primary->start;
ok(relinked($primary), 'changed places: the new standby answers');
is($standby->safe_psql('postgres', "SELECT statements >= $spent + 2 FROM dp_agg.budget WHERE role = 'ann'::regrole"), 't', 'changed places: in the books that go on');
is($standby->safe_psql('postgres', "SELECT releases -> 0 ->> 'read_on' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1"), 'primary', 'changed places: which say so');
invariants($standby, [], 'changed places');

done_testing();
