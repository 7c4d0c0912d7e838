# Whatever arguments anybody calls the extension's functions with: the server
# lives, every call ends soon or can be cancelled, and what is refused is refused
# in so many words, not by an internal error.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use HostileCalls;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# How many calls of each function in each round, and which.
my $count = $ENV{DP_HOSTILE_CALLS} // 12;
my $seed = $ENV{DP_FUZZ_SEED} // 1;
srand($seed);

my $node = new_gate('hostile_calls');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE numbers (id int PRIMARY KEY, c_smallint smallint, c_integer int, c_bigint bigint, c_numeric numeric, c_real real,
	c_double_precision float8, c__any_ text);
INSERT INTO numbers VALUES (1, 32767, 2147483647, 9223372036854775807, 'Infinity', 'Infinity', 'Infinity', ''),
	(2, -32768, -2147483648, -9223372036854775808, '-Infinity', '-Infinity', '-Infinity', 'x'),
	(3, 0, 0, 0, 'NaN', 'NaN', 'NaN', NULL), (4, 1, 1, 1, 1e1000, 3e38, 1e308, 'y'), (5, NULL, NULL, NULL, -1e-1000, 1e-45, 5e-324, 'z');
SELECT dp_agg.protect('numbers', 'id');
SQL

# Make calls in one session, and return the SQLSTATE of each.
sub states
{
	my ($role, @calls) = @_;
	my $script = "$PostgreSQL::Test::Utils::tmp_check/hostile_calls.sql";
	my ($out, $err) = ('', '');
	my @states;

	open my $file, '>', $script or die "could not write $script: $!";
	print $file '\o /dev/null', "\n";
	print $file sql_of($calls[$_]), ";\n\\warn call $_ :SQLSTATE\n" for 0 .. $#calls;
	close $file or die "could not write $script: $!";
	local $ENV{PGOPTIONS} = '-c statement_timeout=20s -c dp_agg.epsilon=0.001';
	IPC::Run::run([ $node->installed_command('psql'), '-XAtq', '-v', 'VERBOSITY=sqlstate',
		'-U', $role, '-d', $node->connstr('postgres'), '-f', $script ], '<', \undef, '>', \$out, '2>', \$err,
		IPC::Run::timeout(5 * $PostgreSQL::Test::Utils::timeout_default));
	$states[$1] = $2 while $err =~ /^call (\d+) (\w{5})$/mg;
	return map { $states[$_] // 'lost' } 0 .. $#calls;
}

# Calls with hostile values, then calls almost like those that were answered: no
# internal error, no timeout, no end of the session.
sub attack
{
	my ($role) = @_;
	my @calls = map { hostile_calls($_, $count) } functions_of_extension($node, $role);
	my (@failed, %seen);
	my $made = 0;

	for my $round (1, 2)
	{
		my @states = states($role, @calls);
		my (@next, %answered);
		for my $i (0 .. $#calls)
		{
			my $state = $states[$i];
			$seen{$state}++;
			push @failed, "$state: " . substr sql_of($calls[$i]), 0, 1500 if $state =~ /^(?:XX|57|lost)/;
			next if $state ne '00000' || $answered{ $calls[$i]{function} }++ > 1;
			push @next, hostile_neighbours($calls[$i], int($count / 2));
		}
		$made += @calls;
		@calls = @next;
		last if grep { $_ eq 'lost' } @states;
	}
	note("$role: ", join ', ', map { "$_ $seen{$_}" } sort keys %seen);
	is(join("\n", @failed[0 .. ($#failed < 9 ? $#failed : 9)]), '', "$role: nothing fails but in so many words (seed $seed)");
	cmp_ok($seen{'00000'}, '>', 1000, "$seen{'00000'} of $made calls were answered");
	return;
}

attack('ann');

my @ends = slurp_file($node->logfile) =~ /^([^\n]*(?:TRAP|PANIC|terminated by signal|runtime error)[^\n]*)/mg;
is("@ends", '', 'no call ended a session');
if (!@ends)
{
	is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the books are in order');
	$node->stop;
}
done_testing();
