# What the tests of other people's tools share: a server with protected tables, an
# owner who may read them and an analyst who may not, and clients that ask both the
# same.
#
# The analyst's epsilon is 900,000 or more.  At most 4 rows of a person count, in at most 12
# months, none of a value above 5,000: a count, or a sum of integers, is off by 1 or more with
# probability below 2 exp(-900,000 / (4 * 12 * 500)) < 1e-17, so these equal the
# owner's; sums of fractions, means, least and greatest values are as near as
# is_near says.  All programs together fail by chance with a probability below 1e-9.
package ToolTest;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(tools_server charges clients_agree is_near unpacked node_modules serve browser wait_for_http);

my $here = dirname(abs_path(__FILE__));

# What clients ask at: options of theirs, which come before the role's own.
my $EPSILON = 900000;

my @served;

# Start a server that listens on the loopback address, with what setup.sql makes.
sub tools_server
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'dp_agg'
listen_addresses = '127.0.0.1'
autovacuum = off
log_statement = all
CONF
	$node->start;
	$node->safe_psql('postgres', slurp_file("$here/setup.sql"));
	return $node;
}

# How many statements the analyst has been charged.
sub charges
{
	my ($node) = @_;
	return $node->safe_psql('postgres', q(SELECT coalesce(sum(statements), 0) FROM dp_agg.budget WHERE role = 'ann'::regrole));
}

# A file that test/tools/install unpacked, or nothing.
sub unpacked
{
	my ($path) = @_;
	my $file = ($ENV{DP_TOOLS} // '/nowhere') . "/$path";
	return -e $file ? $file : undef;
}

# Where npm's packages are, if these are.
sub node_modules
{
	my (@packages) = @_;
	return (grep { !unpacked("node_modules/$_") } @packages) ? undef : unpacked('node_modules');
}

# The environment that tells a client where to connect, as whom and with which settings.
sub environment
{
	my ($node, $role) = @_;
	return (PGHOST => '127.0.0.1', PGPORT => $node->port, PGDATABASE => 'postgres', PGUSER => $role,
		PGOPTIONS => "-c dp_agg.epsilon=$EPSILON", NODE_PATH => unpacked('node_modules') // '');
}

# Run a client of clients/ as a role; returns the questions that it printed, in order.
sub run_client
{
	my ($node, $role, @command) = @_;
	my ($out, $err);
	local %ENV = (%ENV, environment($node, $role));
	my $ended = IPC::Run::run(\@command, \undef, \$out, \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	is($ended ? '' : $err, '', "@command[1 .. $#command] runs as $role");
	return map { decode_json($_) } grep { /^\{/ } split /\n/, $out;
}

# Check that a client prints the same for the owner and the analyst, but for noise; that a
# question cost the analyst one statement and the owner none; and that the types are these,
# a string for each question in order.
#
# Nothing but names is known of rows that are refused, and nothing is charged for what asks no data.
sub clients_agree
{
	my ($node, $types, @command) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = charges($node);
	my @exact = run_client($node, 'clinic', @command);
	is(charges($node), $before, 'the owner is charged nothing');
	my @noisy = run_client($node, 'ann', @command);
	my $total = 0;
	is_deeply([ map { $_->{name} } @noisy ], [ map { $_->{name} } @exact ], 'the analyst may ask the same questions');
	is_deeply({ map { $_->{name} => join ' ', @{ $_->{types} } } grep { $_->{types} && @{ $_->{types} } } @noisy }, $types, 'types');
	for my $i (0 .. $#noisy)
	{
		my ($exact, $noisy) = ($exact[$i], $noisy[$i]);
		my $name = "$noisy->{name} ($i)";
		if (exists $noisy->{answer})
		{
			cmp_ok($exact->{answer}, '>', 0, "$name: the owner reads them");
			like($noisy->{answer}, qr/^(42501|error)$/, "$name: the analyst is refused");
			is($noisy->{charged}, 0, "$name: for nothing");
			next;
		}
		is($noisy->{error} // '', '', "$name: answered") && defined $exact->{columns} or next;
		is("@{ $noisy->{columns} }", "@{ $exact->{columns} }", "$name: names of columns");
		is_near($noisy->{rows}, $exact->{rows}, "$name: answer");
		is($noisy->{charged}, @{ $noisy->{types} } ? 1 : 0, "$name: charged");
		$total += $noisy->{charged};
	}
	is(charges($node) - $before, $total, 'the budget shows what the client saw');
	is(
		$node->safe_psql('postgres', "SELECT DISTINCT release ->> 'epsilon' FROM (SELECT * FROM dp_agg.ledger WHERE role = 'ann' AND admitted ORDER BY id DESC LIMIT $total) l, jsonb_path_query(releases, '\$[*].releases[*]') release"),
		$EPSILON, 'at the epsilon that its connection says');
	return;
}

# Check that rows are as many as they should be, and equal but for noise: integers and texts
# alike, decimal fractions within a millionth and dates within a day.
sub is_near
{
	my ($got, $wanted, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is_deeply($got, $wanted, $name) if @$got != @$wanted;
	my @off;
	for my $row (0 .. $#$wanted)
	{
		push @off, map { "$got->[$row][$_] for $wanted->[$row][$_]" }
		  grep { !near($got->[$row][$_], $wanted->[$row][$_]) } 0 .. $#{ $wanted->[$row] };
	}
	return is("@off", '', $name);
}

sub near
{
	my ($got, $wanted) = @_;
	return 0 if defined $got != defined $wanted;
	return 1 if !defined $wanted || $got eq $wanted;
	return abs($got - $wanted) <= 1e-6 * abs($wanted) + 1e-3 if "$got $wanted" =~ /^-?\d+\.?\d* -?\d+\.?\d*$/ && "$got$wanted" =~ /\./;
	return 0;
}

# Start a program in the background, its output in a file; it is stopped at the end, however that comes.
sub serve
{
	my ($log, $environment, @command) = @_;
	local %ENV = (%ENV, %$environment);
	push @served, IPC::Run::start(\@command, '<', '/dev/null', '>', $log, '2>&1');
	return;
}

END
{
	my $status = $?;
	$_->kill_kill(grace => 5) for @served;
	$? = $status;
}

# Wait until an address answers at all, for a minute at most.
sub wait_for_http
{
	my ($url) = @_;
	my $until = time + 60;
	while (time < $until)
	{
		return 1 if HTTP::Tiny->new(timeout => 5)->get($url)->{status} != 599;
		sleep 0.2;
	}
	die "nothing answers at $url\n";
}

# An HTTP client that keeps cookies.
sub browser
{
	return HTTP::Tiny->new(cookie_jar => bless({}, 'ToolTest::Cookies'), timeout => 60, max_redirect => 0);
}

package ToolTest::Cookies;

sub add
{
	my ($self, undef, $cookie) = @_;
	$self->{$1} = $2 if $cookie =~ /^([^=]+)=([^;]*)/;
	return;
}

sub cookie_header
{
	my ($self) = @_;
	return join '; ', map { "$_=$self->{$_}" } sort keys %$self;
}

1;
