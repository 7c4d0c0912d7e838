#!/usr/bin/perl
# Every refusal in src, and that of too much memory, is listed in doc/sql.md and raised by a regress
# topic.  No server is needed: messages are read from the sources.
use strict;
use warnings;

use Test::More;

# Reasons that no statement of a regress topic can raise, and why.
my %unraised = (
	'volatile functions are not allowed in a subquery over protected rows' =>
	  'each volatile function is refused by its name before',
	'sequences are not allowed in an expression over protected rows' =>
	  'only the default of an identity column is one',
);

# What a statement can say since PostgreSQL 19 alone: test/t/attack/new_versions says it.
$unraised{'IGNORE NULLS and RESPECT NULLS are not allowed in a subquery over protected rows'} = 'needs PostgreSQL 19';

# Those about other servers, of which regress has none: test/t/exact/foreign raises them.
$unraised{$_} = 'needs another server'
  for '"..." has partitions on other servers, and can be neither joined nor grouped in a subquery',
  'DISTINCT of values is not allowed where partitions are on other servers',
  'foreign table "..." has the option use_remote_estimate',
  'not all of this can be left to the servers that hold the rows',
  'partitions on other servers are not sampled',
  'server "..." is not declared to have the extension dp_agg',
  'the owner of the table has no user mapping for server "..."',
  'this aggregate is not computed over partitions on other servers',
  'this function cannot be left to another server: it depends on settings';

$unraised{'chunk "..." of "..." is compressed'} = 'needs TimescaleDB: test/t/attack/timescale raises it';
$unraised{'"..." is a table of Citus'} = 'needs Citus: test/t/exact/citus raises it';

# Refusals of statements that do not say what to write instead.
my @unhelpful;

# A whole file.
sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "could not open $name: $!\n";
	local $/;
	return <$file>;
}

# The string literals of a C expression, joined; string macros are expanded.
sub literal
{
	my ($expression, $macros) = @_;
	my $text = '';
	while ($expression =~ /\G\s*(?:"((?:[^"\\]|\\.)*)"|(\w+))/gc)
	{
		$text .= defined $1 ? $1 : $macros->{$2} // return;
	}
	$text =~ s/\\(.)/$1/g;
	return $text;
}

# The arguments of a call, split at top-level commas.
sub arguments
{
	my ($text) = @_;
	my @arguments = ('');
	my $depth = 0;
	while ($text =~ /\G("(?:[^"\\]|\\.)*"|.)/gs)
	{
		my $token = $1;
		last if $token eq ')' && $depth == 0;
		$depth++ if $token eq '(';
		$depth-- if $token eq ')';
		if ($token eq ',' && $depth == 0) { push @arguments, ''; }
		else { $arguments[-1] .= $token; }
	}
	return @arguments;
}

# The messages of a source file, with ... for what varies.
sub messages
{
	my ($name, $macros) = @_;
	my $source = slurp($name);
	my %macros = %$macros;
	my @messages;
	$macros{$1} = literal($2, {}) while $source =~ /^#define (\w+)[ \t\\\n]+((?:"(?:[^"\\]|\\.)*"[ \t\\\n]*)+)$/mg;
	while ($source =~ /\bdp_tree_reason(_as)?\((?!int)/g)
	{
		my ($state, $hint, $format) = (arguments(substr($source, pos $source)))[$1 ? (0, 2, 3) : (0, 1, 2)];
		my $message = literal($format, \%macros);
		push @unhelpful, "$message ($name)"
		  if defined $message && $name !~ /policy\.c$/ && $message ne '%s' && $hint =~ /^\s*NULL$/ && $state ne 'ERRCODE_INVALID_PARAMETER_VALUE';
		next if !defined $message || $message eq '%s';
		if ($message =~ /^%s (are not allowed .*)/ && $source =~ /constructs\[\] = \{(.*?)\n\};/s)
		{
			my ($constructs, $rest) = ($1, $1);
			my $tail = $message =~ s/^%s //r;
			push @messages, "$1 $tail" while $constructs =~ /\{T_\w+, "([^"]+)"/g;
			next;
		}
		$message =~ s/%(?:%|[-+.0-9]*l?[a-z])/.../g;
		push @messages, $message;
	}
	return @messages;
}

my %macros;
for my $header (glob 'src/*.h src/*/*.h src/*/*/*.h')
{
	my $source = slurp($header);
	$macros{$1} = literal($2, {}) while $source =~ /^#define (\w+)[ \t\\\n]+((?:"(?:[^"\\]|\\.)*"[ \t\\\n]*)+)$/mg;
}

my %messages;
for my $file (glob 'src/*.c src/*/*.c src/*/*/*.c')
{
	$messages{$_} = $file for messages($file, \%macros);
}

# Whatever is planned and opened may take too much memory.
$messages{$_} = 'src/base/meter.c' for slurp('src/base/meter.c') =~ /errmsg\("([^"]+)"/g;
my $documented = slurp('doc/sql.md');
my $raised = join '', map { slurp($_) } glob 'expected/*.out';

ok(keys %messages >= 80, 'messages were found');
for my $message (sort keys %messages)
{
	my $pattern = join '.*', map { quotemeta } split /\.\.\./, $message, -1;
	ok(index($documented, "`$message`") >= 0, "documented: $message ($messages{$message})");
	ok($raised =~ /(?:^|\|)\s*(?:ERROR: +|INFO: +|[A-Z0-9]{5}:? )$pattern/m || exists $unraised{$message}, "raised: $message ($messages{$message})");
	fail("raised after all: $message") if exists $unraised{$message} && $raised =~ /$pattern/;
}

is_deeply(\@unhelpful, [], 'every refusal says what to write instead');

# What the plain-C rooms say is no less a refusal where it is documented.
my %plain = map { ($_ => 1) } map { slurp($_) =~ /return "([^"]+)";/g } glob 'src/accounting/*.c';

# And nothing is documented that no longer exists.
my ($table) = $documented =~ /^## Refusals\n(.*?)(?:^## |\z)/ms;
for my $message ($table =~ /^\| `([^`]+)`/mg)
{
	ok(exists $messages{$message} || $plain{$message}, "still there: $message");
}
done_testing();
