#!/usr/bin/perl
# Documents refer only to files, tests, headings, make targets, settings and functions
# that are there, and are written as test/sentences wants.  No server is needed.
use strict;
use warnings;

use Test::More;

my @documents = (glob('*.md'), glob('doc/*.md'));

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "could not open $name: $!\n";
	local $/;
	return <$file>;
}

my %text = map { $_ => slurp($_) } @documents;

# A heading as links name it.
sub anchor
{
	my ($heading) = @_;
	$heading = lc $heading;
	$heading =~ s/[^\w\- ]//g;
	return $heading =~ s/ /-/gr;
}

my %anchors;
for my $name (@documents)
{
	my $prose = $text{$name} =~ s/^    .*$//gmr;
	$anchors{$name}{ anchor($1) } = 1 while $prose =~ /^#+ (.*)$/mg;
}

# Links: a file, a heading, or both.
my @broken;
for my $name (@documents)
{
	my ($directory) = $name =~ m{^(.*/)?};
	while ($text{$name} =~ /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)
	{
		my ($file, $heading) = ($1, $2);
		next if $file =~ /^https?:/;
		my $target = $file eq '' ? $name : ($directory // '') . $file;
		1 while $target =~ s{[^/]+/\.\./}{};
		push @broken, "$name: $file" . (defined $heading ? "#$heading" : '')
		  if !-e $target || (defined $heading && !$anchors{$target}{$heading});
	}
}
is_deeply(\@broken, [], 'links lead somewhere');

# Names of files: with their directory, of regress topics without suffix, and of
# TAP programs by topic and name; a room of src has the name of a topic, too.
my $topics = join '|', map { m{(\w+)/$} } glob 'test/t/*/';
my @missing;
for my $name (@documents)
{
	for my $word ($text{$name} =~ /`([^`\n]+)`/g)
	{
		next if $word eq 'sql/dp_agg--1.0--1.1.sql' || $word =~ m{/NAME};	# of any, or a version to come
		my ($file) = $word =~ m{^((?:src|test|sql|doc|expected)/[\w./*-]+?)(?:\.\.\.)?$} or next;
		push @missing, "$name: $word" unless grep { -e } map { glob } $file, "$file.sql", "$file.pl", "${file}_*.pl", "$file.c", "$file.spec", "test/isolation/specs/" . ($file =~ s{.*/}{}r) . ".spec";
	}
	for my $program ($text{$name} =~ /`((?:$topics)\/\w+)`/g)
	{
		push @missing, "$name: $program" unless -e "test/t/$program.pl" || -e "src/$program.c" || -e "src/$program.h";
	}
}
is_deeply(\@missing, [], 'files and tests are there');

# Make targets.
my $makefile = slurp('Makefile');
my %target = map { $_ => 1 } ('all', 'install', 'installcheck'), $makefile =~ /^([\w-]+):/mg;
my @targets;
for my $name (@documents)
{
	push @targets, map { "$name: $_" } grep { !$target{$_} } $text{$name} =~ /`(?:sudo )?make ([a-z-]+)[^`]*`/g;
}
is_deeply(\@targets, [], 'make targets are there');

# Settings and functions, those of the install script and no others.
my $script = slurp('sql/dp_agg--1.0.sql');
my $settings = slurp('src/base/settings.c');
my %known = map { $_ => 1 } $script =~ /\b(?:FUNCTION|AGGREGATE|TABLE|VIEW) (?:dp_agg|dp_accountant|dp_agg_internal|\@extschema\@)\.(\w+)/g;
$known{$_} = 1 for $settings =~ /"dp_agg\.(\w+)"/g;
my @unknown;
for my $name (@documents)
{
	for my $word ($text{$name} =~ /\b(?:dp_agg|dp_accountant|dp_agg_internal)\.(\w+)/g, $text{$name} =~ /\b(dp_(?!agg)\w+)(?=\()/g)
	{
		push @unknown, "$name: $word" unless $known{$word} || $word =~ /^(?:control|conf|so|c)$/;
	}
}
is_deeply(\@unknown, [], 'settings, functions and relations are there');

# The reference names every setting and every function in the extension's schema.
my @unnamed;
push @unnamed, grep { $text{'doc/reference.md'} !~ /\b$_\b/ } map { "dp_agg.$_" } $settings =~ /"dp_agg\.(\w+)"/g;
push @unnamed, grep { $text{'doc/reference.md'} !~ /\b$_\b/ } do { my %seen; grep { !$seen{$_}++ } $script =~ /CREATE (?:FUNCTION|AGGREGATE) \@extschema\@\.(\w+)/g };
is_deeply(\@unnamed, [], 'the reference names all settings and all that analysts call');

# Sizes that documents tell are those of the tree.
is(`test/figures --check`, '', 'figures of sources and tests are up to date');

# Sentences and lines are short, and words those of doc/glossary.md.
my @badly_said = grep { /: error:/ } `test/sentences`;
is("@badly_said", '', 'sentences of documents and comments are plain');

done_testing();
