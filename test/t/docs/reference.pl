#!/usr/bin/perl
# doc/reference.md and the catalog say the same, both ways: functions with their
# arguments, defaults and columns, settings with defaults and ranges, views and
# tables with their columns, and the error codes that the sources raise.
use strict;
use warnings;

use File::Find;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $document = slurp_file('doc/reference.md');
my ($internal) = $document =~ /^## Not to be called\n(.*)/ms;
ok($internal, 'functions that nobody calls are named');

# The rows of all tables whose first column has a name, cells without the bars.
sub rows
{
	my ($first) = @_;
	my @rows;
	while ($document =~ /^\| \Q$first\E \|.*\n\|[-|]+\n((?:\|.*\n)+)/mg)
	{
		push @rows, map { [ map { s/^\s+|\s+$//gr } split /\|/, s/^\|//r ] } split /\n/, $1;
	}
	return @rows;
}

# The ways to call a function as written there: its arguments, joined by commas,
# for each number of them; "=" and a default behind those that have one.
sub ways
{
	my ($arguments) = @_;
	my ($least, $optional, @names) = (0, 0);
	for my $argument (split /,/, $arguments)
	{
		my ($name) = $argument =~ /^\s*(?:DISTINCT )?(\w.*?)[\s\[\]]*$/ or next;
		$optional = 1 if $name =~ s/ DEFAULT /=/;
		push @names, $name;
		$least++ unless $optional;
		$optional = 1 if $argument =~ /\[/;
	}
	return map { join ',', @names[ 0 .. $_ - 1 ] } $least .. scalar @names;
}

my (%documented, %columns);
for my $row (rows('function'))
{
	my $arguments;
	for my $call ($row->[0] =~ /`([^`]+)`/g)
	{
		my ($name, $given) = $call =~ /^([\w.]+)\((.*)\)$/ or next;
		$arguments = $given unless $given eq '...';
		$documented{$name}{$_} = 1 for ways($arguments);
		$columns{$name}{$1} = 1 if $row->[1] =~ /\(((?:\w+, )+\w+)\)/;
	}
}

my $node = PostgreSQL::Test::Cluster->new('reference');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dp_agg');

# Functions: names, for each number of arguments those, with their defaults.  An
# argument without a name may be called anything.
my (%there, %returned);
for my $line (split /\n/, $node->safe_psql('postgres', <<'SQL'))
SELECT CASE WHEN p.pronamespace = e.extnamespace THEN '' ELSE p.pronamespace::regnamespace || '.' END || p.proname, i.number,
       array_to_string(ARRAY(SELECT coalesce(nullif(p.proargnames[a], ''), '?') ||
              CASE WHEN a > p.pronargs - p.pronargdefaults THEN
                   coalesce('=' || nullif(regexp_replace(pg_get_function_arg_default(p.oid, a), '::[a-z ]+(?:\[\])?$', ''), 'NULL'), '') ELSE '' END
         FROM generate_series(1, i.number) a), ','),
       array_to_string(ARRAY(SELECT n FROM unnest(p.proargmodes, p.proargnames) o (m, n) WHERE m = 'o'), ', ')
  FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
       JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'dp_agg',
       generate_series(p.pronargs::int - p.pronargdefaults, p.pronargs) i (number)
SQL
{
	my ($name, undef, $arguments, $columns) = split /\|/, $line, -1;
	$there{$name}{$arguments} = 1;
	$returned{$name}{$columns} = 1 if $columns =~ /,/;
}
cmp_ok(scalar keys %there, '>=', 150, 'functions were found');

my @unused = map { split } $internal =~ /^    (.*)/mg;
my %unused = map { $_ => 1 } @unused;
is("@unused", join(' ', sort keys %unused), 'what nobody calls is listed once, in order');
my %calls;
$calls{$_}++ for grep { !/\(\.\.\.\)/ } map { $_->[0] =~ /`([^`]+)`/g } rows('function');
is_deeply([ sort grep { $calls{$_} > 1 } keys %calls ], [], 'no call is in two rows');
is_deeply([ sort grep { !$there{"dp_agg_internal.$_"} || $documented{"dp_agg_internal.$_"} } keys %unused ], [], 'what nobody calls is there, and in no table');
is_deeply([ sort grep { !$documented{$_} && !(/^dp_agg_internal\.(.*)/ && $unused{$1}) } keys %there ], [], 'every function is in a table, or among those that nobody calls');
for my $name (sort keys %documented)
{
	my @ways = sort keys %{ $there{$name} // {} };
	my @called = sort keys %{ $documented{$name} };
	for my $way (grep { /\?/ } @ways)
	{
		my $any = join ',', map { $_ eq '?' ? '\w+' : quotemeta } split /,/, $way;
		@called = map { /^$any$/ ? $way : $_ } @called;
	}
	is("@{[ map { \"($_)\" } sort @called ]}", "@{[ map { \"($_)\" } @ways ]}", "$name is called as documented");
	is_deeply($columns{$name} // {}, $returned{$name}, "$name returns the columns documented") if $returned{$name};
}

# Settings: a number, or an amount of time in milliseconds.
sub amount
{
	my ($text) = @_;
	my %unit = ('' => 1, ms => 1, s => 1000, min => 60000, h => 3600000);
	my ($number, $unit) = $text =~ /^([-+.\de]+?)(ms|s|min|h|)$/ or return $text;
	return sprintf '%.5e', $number * $unit{$unit};
}

my %settings = map { (($_->[0] =~ /`(.*)`/)[0] => join '|', amount($_->[1]), map { amount($_) } split / \.\.\. |, /, $_->[2]) } rows('setting');
my %set = map { my ($name, @rest) = split /\|/; ($name => join '|', map { amount($_) } @rest) } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT name, boot_val, CASE vartype WHEN 'enum' THEN array_to_string(enumvals, '|') WHEN 'bool' THEN 'on|off' WHEN 'string' THEN CASE name WHEN 'dp_agg.kept_max_age' THEN 'any interval' WHEN 'dp_agg.primary_conninfo' THEN 'a connection string' ELSE 'percentages' END ELSE min_val || '|' || max_val END
  FROM pg_settings WHERE name LIKE 'dp\_agg.%'
SQL
cmp_ok(scalar keys %set, '>=', 10, 'settings were found');
is_deeply(\%settings, \%set, 'settings, their defaults and ranges are as documented');

# Views and tables with their columns.
my %relations;
while ($document =~ /^### `(dp_agg\.\w+)`\n(.*?)(?=^#)/msg)
{
	my ($relation, $columns) = ($1, $2);
	$relations{$relation} = join ',', $columns =~ /^\| `(\w+)` \|/mg;
}
my %related = map { split /\|/ } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT 'dp_agg.' || c.relname, string_agg(a.attname, ',' ORDER BY a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace = 'dp_agg'::regnamespace AND c.relkind IN ('r', 'v') GROUP BY c.relname
SQL
cmp_ok(scalar keys %related, '>=', 5, 'relations were found');
is_deeply(\%relations, \%related, 'views and tables have the columns documented');

# Error codes: those that sources and the install script name, other than to compare or at points of tests.
my %code;
my $share = $node->config_data('--sharedir');
for my $line (split /\n/, slurp_file("$share/errcodes.txt"))
{
	$code{"ERRCODE_$2"} = $code{ lc $3 } = $1 if $line =~ /^(\w{5})\s+[EWS]\s+ERRCODE_(\w+)\s+(\w+)/;
	$code{"ERRCODE_$2"} //= $1 if $line =~ /^(\w{5})\s+[EWS]\s+ERRCODE_(\w+)/;
}
my %raised;
find({ no_chdir => 1, wanted => sub {
	return unless /\.[ch]$/ && !/injection\.c$/;
	my $source = slurp_file($_) =~ s{/\*.*?\*/}{}gsr;
	$raised{ $code{$1} // $1 } = 1 while $source =~ /(?<![!=]= )\b(ERRCODE_(?!TO_CATEGORY)\w+)/g;
} }, 'src');
$raised{ $code{$_} // $_ } = 1 for slurp_file('sql/dp_agg--1.0.sql') =~ /^\s*RAISE (\w+) USING/mg;
my %codes = map { $_ => 1 } map { $_->[0] =~ /\b([0-9A-Z]{5})\b/g } rows('SQLSTATE');
cmp_ok(scalar keys %raised, '>=', 20, 'error codes were found');
is_deeply([ sort keys %codes ], [ sort keys %raised ], 'error codes are those that are raised');

$node->stop;
done_testing();
