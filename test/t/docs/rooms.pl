#!/usr/bin/perl
# The rules that CONTRIBUTING.md has for src: which room may know which, and what
# one file alone may do.  No server is needed: the sources are read.
use strict;
use warnings;

use File::Find;
use Test::More;

# What a room may include of others.
my %knows = (
	noise => [],
	accounting => [],
	aggregate => [qw(models)],
	units => [qw(aggregate noise)],
	local => [qw(noise accounting)],
	models => [qw(noise)],
	budget => [qw(accounting)],
	query => [qw(budget units aggregate models noise accounting)],
);

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "could not open $name: $!\n";
	local $/;
	return <$file>;
}

# Sources without comments, which may mention anything.
my @found;
find({ no_chdir => 1, wanted => sub { push @found, $_ if -f && /\.[ch]$/ } }, 'src');
my %source = map { $_ => slurp($_) =~ s{/\*.*?\*/}{}gsr } @found;
cmp_ok(scalar keys %source, '>=', 200, 'sources were found');

# The sources under a directory with this ending that no wildcard in a file finds.
sub missed
{
	my ($file, $under, $ending) = @_;
	my %seen = map { $_ => 1 } map { glob } slurp($file) =~ m{(?<![\w./])(?:\.\./)*(\Q$under\E/[*/]*\.$ending)\b}g;
	return [ sort grep { m{^$under/.*\.$ending$} && !$seen{$_} } @found ];
}

is_deeply(missed('Makefile', 'src', 'c'), [], 'make builds every source');
is_deeply(missed('test/lint', 'src', 'c'), [], 'and lint looks at each');
is_deeply(missed('test/t/docs/refusals.pl', 'src/query', $_), [], "refusals are looked for in every .$_ of query") for qw(c h);
is_deeply(missed($_, 'src/query', 'h'), [], "$_ knows every header of query")
  for grep { slurp($_) =~ m{src/query/} } glob 'test/modules/*/Makefile';
is_deeply(missed('test/modules/charge/Makefile', 'src', 'h'), [], 'and the module charge every header');

my (@strange, @server);
for my $name (sort keys %source)
{
	my ($room) = $name =~ m{^src/(\w+)/} or next;
	my %allowed = map { $_ => 1 } $room, @{ $knows{$room} };
	my @included = $source{$name} =~ m{#include "([^"]+)"}g;
	my $plain = ($room eq 'noise' || $room eq 'accounting' || $room eq 'models') && $name !~ /_sql\.c$|pld_json\.h$/;
	push @strange, map { "$name: $_" } grep { m{^(\w+)/} && exists $knows{$1} && !$allowed{$1} } @included;
	push @server, map { "$name: $_" } grep { $plain && !m{^(?:noise|accounting|models)/} } @included;
}
is_deeply(\@strange, [], 'rooms include only what they may know');
is_deeply(\@server, [], 'plain C includes no server header');

# The rooms within query, a floor each: each includes of those below it alone.
my @floors = qw(plan release kept rewrite call subselect plain exact remote block from policy validate nodes sidechannel);
my %floor = map { $floors[$_] => $_ } 0 .. $#floors;
my (@unknown, @upward);
for my $name (grep { m{^src/query/} } sort keys %source)
{
	my ($room) = $name =~ m{^src/query/(\w+)/\w+\.[ch]$};
	push @unknown, $name if !defined $room || !exists $floor{$room};
	push @upward, map { "$name: $_" } grep { m{^query/(\w+)/} && $1 ne $room && $floor{$1} < $floor{$room} }
	  $source{$name} =~ m{#include "([^"]+)"}g;
}
is_deeply(\@unknown, [], 'every file of query stands in a room that has a floor');
is_deeply(\@upward, [], 'no room of query includes of one above it');

# Sources without a header of their own, whose functions another header declares, because
# several files are one thing to those outside.
my %declared_in = (
	'src/accounting/accuracy.c' => 'src/accounting/calibrate.h',
	'src/accounting/loss_mechanism.c' => 'src/accounting/loss.h',
	'src/accounting/pld_json_sql.c' => 'src/accounting/pld_json.h',
	'src/aggregate/estimate_interval.c' => 'src/aggregate/estimate.h',
	'src/aggregate/summary.c' => 'src/aggregate/cells_state.h',
	'src/aggregate/totals.c' => 'src/aggregate/exact.h',
);

# All others have one, unless nothing leaves them but SQL functions, which PostgreSQL declares;
# and in query and budget it declares all that leaves them.
my @undeclared;
for my $name (grep { /\.c$/ && (m{^src/(?:query|budget)/} || !exists $source{ s/c$/h/r }) } sort keys %source)
{
	my $header = $declared_in{$name} // $name =~ s/c$/h/r;
	my $declared = $source{$header} // '';
	my %called = map { $_ => 1 } '_PG_init', $source{$name} =~ /PG_FUNCTION_INFO_V1\((\w+)\)/g;
	my @left = $source{$name} =~ /^(?!static)[\w ]*\w[ *]*\n(\w+)\([^;{}]*\)\n\{/mg;
	push @undeclared, map { "$name: $_" } grep { !$called{$_} && $declared !~ /\b$_\b/ } @left;
}
is_deeply(\@undeclared, [], 'what leaves a source is declared in its own header');

# What each source, with its header, includes.
my %includes;
for my $name (keys %source)
{
	my $stem = $name =~ s/^src\/(.*)\.[ch]$/$1/r;
	$includes{$stem}{$_} = 1 for grep { $_ ne $stem } $source{$name} =~ m{#include "([^"]+)\.h"}g;
}

# All that a source includes, at any depth.
sub reached
{
	my @todo = @_;
	my %seen;
	while (defined(my $next = pop @todo))
	{
		push @todo, grep { !$seen{$_}++ } keys %{ $includes{$next} // {} };
	}
	return \%seen;
}

my @circular = grep { m{^(?:query|budget)/} && reached($_)->{$_} } sort keys %includes;
is_deeply(\@circular, [], 'files of query and budget do not include each other in a circle');

# The files that have something in them.
sub having
{
	my ($pattern) = @_;
	return [ grep { $source{$_} =~ $pattern } sort keys %source ];
}

is_deeply(having(qr/\bPG_VERSION_NUM\b/), ['src/compat.h'], 'one file knows version numbers');
is_deeply(having(qr/\bRAND_\w+|\bpg_strong_random|\b(?:s?rand|s?random|drand48|arc4random|getrandom|getentropy)\s*\(|\bpg_prng_(?!strong_seed)|\/dev\/u?random/),
	['src/noise/random.c'], 'one file asks for random bits');
is_deeply(having(qr/\b(?:planner|create_upper_paths|join_search|set_rel_pathlist|set_join_pathlist|post_parse_analyze|get_relation_stats|get_index_stats|get_attavgwidth|ProcessUtility|Executor\w+|object_access|emit_log|ClientAuthentication|needs_fmgr|fmgr)_hook\b/),
	['src/hooks.c'], 'one file touches hooks of planner and executor that all versions have');
is_deeply(having(qr/\bshmem_\w+_hook\b/), ['src/budget/queue.c'], 'and one those of shared memory');

done_testing();
