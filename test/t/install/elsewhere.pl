# The extension in a directory of its own, as an extension image has it: PostgreSQL 18 and
# newer find the control file by extension_control_path, the library by dynamic_library_path.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my ($major) = `$pg_config --version` =~ /(\d+)/ or die "no version of $pg_config\n";
plan skip_all => "PostgreSQL looks for extensions elsewhere from 18 on, and this is $major" if $major < 18;

# lib and share/extension, where make was told to put them.
my $tree = "$FindBin::RealBin/../../..";
my $root = PostgreSQL::Test::Utils::tempdir();
my @command = ('make', '-s', '-C', $tree, 'install', 'with_llvm=no', "PG_CONFIG=$pg_config", "datadir=$root/share", "pkglibdir=$root/lib");
my $output;
{
	local $ENV{MAKEFLAGS} = '';
	ok(IPC::Run::run(\@command, '<', \undef, '>&', \$output), 'make installs where it is told to') or diag($output);
}
is_deeply(
	[ sort map { s{^\Q$root\E/}{}r } glob("$root/lib/* $root/share/* $root/share/extension/*") ],
	[ sort 'lib/dp_agg.so', 'share/extension', 'share/extension/dp_agg.control', map { s{^.*/}{share/extension/}r } glob("$tree/sql/dp_agg--*.sql") ],
	'the library, its scripts and the control file, and nothing else');

# A script that tells which of two it is.  The server's own directories come last, and of
# control files not at all.
append_to_file("$root/share/extension/$_", "COMMENT ON EXTENSION dp_agg IS 'from elsewhere';\n") for map { s{^.*/}{}r } glob("$tree/sql/dp_agg--*.sql");
my $node = new_gate('elsewhere', conf => "extension_control_path = '$root/share'\ndynamic_library_path = '$root/lib:\$libdir'\n");
is($node->safe_psql('postgres', "SELECT obj_description(oid) FROM pg_extension WHERE extname = 'dp_agg'"), 'from elsewhere', 'the script is the one from there');
is($node->safe_psql('postgres', "SELECT DISTINCT probin FROM pg_proc WHERE probin LIKE '%dp\\_agg'"), '$libdir/dp_agg', 'functions name the library as everywhere');

# Noise of scale 1 moves a count by more than 25 with a probability below 1e-10.
my $answer = asked($node, 'SELECT dp_count(id, 1) FROM people');
ok(abs($answer - 1000) < 25, 'an analyst is answered') or diag($answer);

# The libraries of this name that a process has in memory.
sub mapped
{
	my ($pid) = @_;
	my %seen = map { $_ => 1 } slurp_file("/proc/$pid/maps") =~ m{(/\S*/dp_agg\S*\.so)$}mg;
	return [ sort keys %seen ];
}
my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
is_deeply(mapped($postmaster), ["$root/lib/dp_agg.so"], 'the server has the library from there, and no other');
is_deeply(mapped($node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper'")), ["$root/lib/dp_agg.so"], 'so has the keeper');
$node->stop;
done_testing();
