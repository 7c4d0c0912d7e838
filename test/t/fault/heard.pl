# Whoever changes a catalog, in whatever database, while a question is charged or its rows are read makes the session that
# asked forget nothing: how long either takes is not seen in what the session has to look up again.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs a build with -DDP_INJECTION' unless has_points();
my $node = new_faulty('heard');
$node->safe_psql('postgres', 'CREATE DATABASE other');

# Planning it touches pages of catalogs the first time, and again once all was forgotten.
my $probe = q{EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, COSTS OFF) SELECT sum(c::varchar(3)::interval::text::int) FROM (VALUES ('x')) v (c) WHERE c = 'q'};

# How often it does, if others change something while the session is at a point.
sub looks_up
{
	my ($question, $point) = @_;
	stop_at($node, $point);
	my $run = start_as($node, [ 'SET client_min_messages = error', $probe, $question, $probe ]);
	reached($node, $point);
	$node->safe_psql('other', 'CREATE TABLE t (a int); DROP TABLE t');
	let_go($node, $point);
	finish($run);
	return scalar(() = $run->{out} =~ /Buffers:/g);
}

for my $question ('SELECT city, count(*) FROM people GROUP BY city', 'SELECT (SELECT count(*) FROM people), (SELECT sum(least(greatest(age, 0), 9)) FROM people)')
{
	is(looks_up($question, $_), 1, "$question: nothing is forgotten for what others do at the point \"$_\"") for qw(charged exact noise);
}
is(looks_up('SELECT count(*) FROM people', 'exact_start'), 2, 'but all is where the exact plan is opened');
$node->stop;
done_testing();
