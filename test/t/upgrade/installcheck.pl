# `make installcheck` on a server of somebody else's making, which has
# the library preloaded and prepared transactions: a few topics of each kind.
# Runs by itself: it takes test/modules away for a moment.
use strict;
use warnings;

use FindBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('running');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nmax_prepared_transactions = 5\n");
$node->start;

# Run make with further arguments; its output.
sub run_make
{
	my @command = ('make', '-s', '-C', "$FindBin::RealBin/../../..", 'PG_CONFIG=' . $node->config_data('--bindir') . '/pg_config', @_);
	my ($out, $err);
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	local $ENV{MAKEFLAGS} = '';
	delete local $ENV{OWN_SERVER};
	my $ok = IPC::Run::run(\@command, '<', \undef, '>', \$out, '2>', \$err);
	return ($ok, "$out$err");
}

# The databases and roles that are there.
sub inventory
{
	return $node->safe_psql('postgres', 'SELECT rolname FROM pg_roles UNION ALL SELECT datname FROM pg_database WHERE datname !~ \'regression$\' ORDER BY 1');
}

my $before = inventory();
my ($ok, $output) = run_make('installcheck', 'REGRESS=install gate_charge exposure validate ledger', 'ISOLATION=unique');
ok($ok, 'topics pass on a running server') or diag($output);
is(() = $output =~ /^(?:ok [0-9]|test .*\.\.\. ok)/mg, 6, 'all of them were run') or diag($output);
is(inventory(), $before, 'they leave nothing but databases of their own');

# A server without test/modules is asked only what needs none.
my $share = $node->config_data('--sharedir');
SKIP: {
	skip "cannot take the modules from $share", 2 if !-w "$share/extension" || !-e "$share/extension/charge.control";
	rename "$share/extension/charge.control", "$share/extension/charge.away" or die "could not rename: $!";
	($ok, $output) = run_make('--eval', 'topics: ; @echo $(REGRESS) + $(ISOLATION)', 'topics');
	rename "$share/extension/charge.away", "$share/extension/charge.control" or die "could not rename: $!";
	like($output, qr/\binstall policy\b.*\bpld\b/, 'without modules there are topics left');
	unlike($output, qr{\b(?:ledger|validate|functions|unique|together)\b}, 'but none that uses them, and no spec');
}
$node->stop;
done_testing();
