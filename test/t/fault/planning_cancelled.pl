# A statement whose planning is long is cancelled in the middle: it ends there, whatever of ours or of
# PostgreSQL's makes it long, and neither goes on until it has all the memory that it may have, nor is charged.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs a build with -DDP_INJECTION' unless has_points();
my $node = new_faulty('planning');

sub numbered
{
	my ($count, $format, $between) = @_;
	return join $between, map { my $text = $format; $text =~ s/#/$_/g; $text } 1 .. $count;
}

# Each takes more memory before its charge than it may.
my %hostile = (
	'500 UNIONs' => 'SELECT count(*) FROM (' . numbered(500, 'SELECT id FROM people', ' UNION ') . ') x',
	'200 INTERSECTs' => 'SELECT count(*) FROM (' . numbered(200, 'SELECT id FROM people WHERE age > #', ' INTERSECT ') . ') x',
	'300 FULL JOINs' => 'SELECT count(*) FROM people p0 ' . numbered(300, 'FULL JOIN people p# USING (id)', ' '),
	'500 FILTERs in 300 sets' => 'SELECT ' . numbered(500, 'count(*) FILTER (WHERE age > #)', ',') . ' FROM people GROUP BY GROUPING SETS (' . numbered(300, '(city)', ',') . ')',
	'subqueries 500 deep' => 'SELECT count(*) FROM ' . '(SELECT id FROM ' x 500 . 'people' . ') x' x 500,
);
for my $shape (sort keys %hostile)
{
	my $query = $hostile{$shape};
	my $charged = charged($node);
	like(asked($node, $query), qr/^54000: a differentially private query takes too much memory before it is charged/, "$shape: too much memory");
	cancel_at($node, 'half_used');
	like(asked($node, $query), qr/^57014: canceling statement due to user request/, "$shape: cancelled when half of that is used");
	let_go($node, 'half_used');
	is(charged($node), $charged, "$shape: not charged");
}
$node->stop;
done_testing();
