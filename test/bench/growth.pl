#!/usr/bin/perl
# growth.pl
#	What becomes slower as something grows: for each statement its milliseconds where there
#	is little of it and where there is much, and their ratio.
#
# Each module Growth*.pm beside this program has a sub scenarios() that returns a list of
# [name, coderef]; each coderef is called with the name of a package as Session.pm, makes what it needs,
# prints a line for each statement, and drops what it made.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and test/modules installed, psql and pgbench.
#
# usage: growth.pl [pattern]	only scenarios whose names have it
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my $pattern = $ARGV[0] // '';
for my $file (sort glob "$FindBin::RealBin/Growth*.pm")
{
	my ($module) = $file =~ m{(\w+)\.pm$};
	require $file;
	for my $scenario (grep { $_->[0] =~ /(?:$pattern)/ } $module->can('scenarios')->())
	{
		printf "\n%-60s %10s %10s %8s\n", $scenario->[0], 'few/ms', 'many/ms', 'ratio';
		$scenario->[1]->('Session');
	}
}
