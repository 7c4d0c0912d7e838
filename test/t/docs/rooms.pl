#!/usr/bin/perl
# The rules that CONTRIBUTING.md has for src: which room may know which, and what
# one file alone may do.  No server is needed: the sources are read.
use strict;
use warnings;

use File::Find;
use Test::More;

# The rooms of src, a floor each: each includes of those below it alone.
my @floors = qw(statement kinds draw rewrite kept exact asking pricing from policy expression tree sidechannel
  units aggregate budget models local base noise accounting);
my %floor = map { $floors[$_] => $_ } 0 .. $#floors;

# Rooms that know fewer of those below.
my %knows = (
	noise => [],
	accounting => [],
	base => [qw(accounting)],
	models => [qw(noise)],
	local => [qw(base noise accounting)],
	budget => [qw(base accounting)],
	aggregate => [qw(base models)],
	units => [qw(base aggregate noise)],
);

# And those of budget, in the same way.
my @budget = qw(replica keeper kept audit account queue rows);
my %budget_floor = map { $budget[$_] => $_ } 0 .. $#budget;

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
is_deeply(missed('test/t/docs/refusals.pl', 'src', $_), [], "refusals are looked for in every .$_") for qw(c h);
is_deeply(missed($_, 'src', 'h'), [], "$_ knows every header") for grep { slurp($_) =~ m{src/} } glob 'test/modules/*/Makefile';

my (@unknown, @strange, @upward, @server);
for my $name (grep { m{^src/.*/} } sort keys %source)
{
	my ($room, $part) = $name =~ m{^src/(\w+)/(?:(\w+)/)?\w+\.[ch]$};
	push @unknown, $name if !defined $room || !exists $floor{$room} || defined $part && ($room ne 'budget' || !exists $budget_floor{$part});
	my @included = $source{$name} =~ m{#include "([^"]+)"}g;
	my @ours = grep { -e "src/$_" } @included;
	my $knows = $knows{$room};
	my %allowed = map { $_ => 1 } @{ $knows // [] };
	my $plain = ($room eq 'noise' || $room eq 'accounting' || $room eq 'models') && $name !~ /_sql\.c$|\/json\.h$/;
	push @strange, map { "$name: $_" } grep { m{^(\w+)/} && $1 ne $room && $knows && !$allowed{$1} } @ours;
	push @upward, map { "$name: $_" } grep { m{^(\w+)/} && $floor{$1} < $floor{$room} } @ours;
	push @upward, map { "$name: $_" } grep { defined $part && (m{^budget/\w+\.h$} || m{^budget/(\w+)/} && $budget_floor{$1} < $budget_floor{$part}) } @ours;
	push @server, map { "$name: $_" } grep { $plain && !m{^(?:noise|accounting|models)/} } @included;
}
is_deeply(\@unknown, [], 'every file stands in a room that has a floor');
is_deeply(\@upward, [], 'no room includes of one above it');
is_deeply(\@strange, [], 'rooms include only what they may know');
is_deeply(\@server, [], 'plain C includes no server header');

# No room is much larger than the others.
my %lines;
$lines{ m{^src/(\w+)/} ? $1 : '' } += () = slurp($_) =~ /\n/g for @found;
my $all = 0;
$all += $_ for values %lines;
is_deeply([ grep { $lines{$_} > 0.15 * $all } sort keys %lines ], [], 'no room has more than 15 % of src');

# Sources without a header of their own, whose functions another header declares, because
# several files are one thing to those outside.
my %declared_in = (
	'src/accounting/accuracy.c' => 'src/accounting/calibrate.h',
	'src/accounting/loss.c' => 'src/accounting/loss.h',
	'src/accounting/json_sql.c' => 'src/accounting/json.h',
	'src/aggregate/estimate_interval.c' => 'src/aggregate/estimate.h',
	'src/aggregate/cells.c' => 'src/aggregate/cells.h',
	'src/aggregate/state.c' => 'src/aggregate/exact.h',
);

# All others have one, unless nothing leaves them but SQL functions, which PostgreSQL declares;
# and in query and budget it declares all that leaves them.
my @undeclared;
for my $name (grep { /\.c$/ && (m{^src/(?!noise|accounting|models|units|aggregate|local)\w+/} || !exists $source{ s/c$/h/r }) } sort keys %source)
{
	my $header = $declared_in{$name} // $name =~ s/c$/h/r;
	my $declared = $source{$header} // '';
	my %called = map { $_ => 1 } '_PG_init', $source{$name} =~ /PG_FUNCTION_INFO_V1\((\w+)\)/g;
	my @left = $source{$name} =~ /^(?!static)[\w ]*\w[ *]*\n(\w+)\([^;{}]*\)\n\{/mg;
	push @undeclared, map { "$name: $_" } grep { !$called{$_} && $declared !~ /\b$_\b/ } @left;
}
is_deeply(\@undeclared, [], 'what leaves a source is declared in its own header');

# What leaves a file is called by its room, but for base, where the file or what it is for is the name.
my @misnamed;
for my $name (grep { m{^src/\w+/.*\.c$} } sort keys %source)
{
	my ($room) = $name =~ m{^src/(\w+)/};
	my %called = map { $_ => 1 } $source{$name} =~ /PG_FUNCTION_INFO_V1\((\w+)\)/g;
	my $begins = $room eq 'base' ? 'settings|meter|memory|files|segments|preloaded|injection|compat|usage|warn|closest' : $room;
	push @misnamed, map { "$name: $_" } grep { !$called{$_} && !/^dp_(?:$begins)_/ }
	  $source{$name} =~ /^(?!static)[\w ]*\w[ *]*\n(\w+)\([^;{}]*\)\n\{/mg;
}
is_deeply(\@misnamed, [], 'what leaves a source begins with the name of its room');

# What each source, with its header, includes.
my %includes;
for my $name (keys %source)
{
	my $stem = $name =~ s/^src\/(.*)\.[ch]$/$1/r;
	$includes{$stem}{$_} = 1 for grep { $_ ne $stem } $source{$name} =~ m{#include "([^"]+)\.h"}g;
}

# Settings are variables: each is read by these rooms alone.  Those of the price are read once, by
# dp_settings_pricing() for statement/plan.c, and handed down from there in DpStatement.  What of them a budget decides
# is for the room that knows budgets.
my ($pricing) = slurp('src/base/settings.c') =~ /\ndp_settings_pricing\(void\)\n\{(.*?)\n\}/s;
my %of_price = map { $_ => 1 } $pricing =~ /\b(dp_settings_\w+)/g;
my %readers = (
	dp_settings_pricing => [qw(statement budget)],
	dp_settings_take_mechanism => [qw(budget)],
	dp_settings_clipping => [qw(statement)],	# for a notice
	dp_settings_delta => [qw(budget)],	# the default of a function's argument
	dp_settings_plain_aggregates => [qw(asking statement)],
	dp_settings_raw_reads => [qw(asking)],
	dp_settings_noise_notice => [qw(rewrite statement)],	# what a plan carries for a notice
	dp_settings_release_rows => [qw(rewrite)],	# what the planner expects
);
my @free = qw(statement draw budget);	# rooms that read others, of what is kept and charged
my @readings;
for my $name (grep { m{^src/(?!base/)\w+/} } sort keys %source)
{
	my ($room) = $name =~ m{^src/(\w+)/};
	for my $setting ($source{$name} =~ /\b(dp_settings_\w+)/g)
	{
		my $may = $readers{$setting} // ($of_price{$setting} ? [] : \@free);
		push @readings, "$name: $setting" if !grep { $_ eq $room } @$may;
	}
}
cmp_ok(scalar keys %of_price, '>=', 9, 'settings of the price were found');
is_deeply(\@readings, [], 'settings are read where they may be, those of the price but once');
is_deeply(having(qr/^(?!extern).*\bdp_settings_pricing\s*\(/m), ['src/base/settings.c', 'src/budget/plan_sql.c', 'src/statement/plan.c', 'src/statement/policy_warning.c'],
	'by what plans, what plans ahead, and what tries policies');

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

# The circles that there are, by their first file, with their sizes.
my %circles = (
	'accounting/loss' => 2,				# a distribution of losses, and how one is made
	'models/synthesis' => 3,			# tables, tree and rows of one thing
	'units/node' => 4,					# the node and where it reads
	'units/path' => 2,					# its path and that of stars
);
my %in_circle;
for my $name (grep { reached($_)->{$_} } sort keys %includes)
{
	my $reached = reached($name);
	my ($first) = sort grep { $reached->{$_} && reached($_)->{$name} } keys %$reached;
	$in_circle{$first}++;
}
is_deeply(\%in_circle, \%circles, 'files include each other in four circles alone');

# The files that have something in them.
sub having
{
	my ($pattern) = @_;
	return [ grep { $source{$_} =~ $pattern } sort keys %source ];
}

# What kinds of release differ in stands in their tables: nobody else tells them apart.
is_deeply([ grep { !m{^src/kinds/} } @{ having(qr/\bDP_RELEASE_[A-Z_]*\b/) } ], ['src/pricing/release.h'],
	'kinds of release are told apart by their tables alone');
is_deeply([ grep { !m{^src/(?:kinds|asking)/} } @{ having(qr/\bDP_FORM_[A-Z_]*\b/) } ], ['src/pricing/release.h'],
	'and so are forms, but for what calls ask for');
is_deeply([ grep { !m{^src/base/compat_\w+\.h$} } @{ having(qr/\bPG_VERSION_NUM\b/) } ], [], 'base/compat_*.h alone know version numbers');
is_deeply(having(qr/\bRAND_\w+|\bpg_strong_random|\b(?:s?rand|s?random|drand48|arc4random|getrandom|getentropy)\s*\(|\/dev\/u?random/),
	['src/noise/random.c'], 'one file asks for random bits');
is_deeply(having(qr/\bpg_prng_\w+\s*\(/), ['src/sidechannel/instrumentation.c'], 'and one has to do with the numbers of the server');
is_deeply(having(qr/\b(?:planner|create_upper_paths|join_search|set_rel_pathlist|set_join_pathlist|post_parse_analyze|get_relation_stats|get_index_stats|get_attavgwidth|ProcessUtility|Executor\w+|object_access|emit_log|ClientAuthentication|needs_fmgr|fmgr)_hook\b/),
	['src/hooks.c'], 'one file touches hooks of planner and executor that all versions have');
is_deeply(having(qr/\bshmem_\w+_hook\b/), ['src/budget/queue/queue.c'], 'and one those of shared memory');

done_testing();
