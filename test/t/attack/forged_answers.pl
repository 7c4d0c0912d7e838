# Kept answers that a superuser changed or made, as after a break-in or a restore gone wrong:
# verify_ledger says so, by the digest that chains each to its charge.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('forged_answers', conf => "dp_agg.kept_max_age = '1 day'\ndp_agg.epsilon = 0.0001");
my $question = 'SELECT dp_sum(age, 0, 1000000000) FROM people';
my $answer = asked($node, $question);
asked($node, $question, 'bob');
asked($node, 'SELECT (SELECT dp_sum(age, 0, 1000000001) FROM people), (SELECT dp_sum(age, 0, 1000000002) FROM people)');
asked($node, $question) for 1 .. 2;
ok(eventually(sub { $node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.kept_answer') eq '4' }), 'four answers are kept');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'as they are they verify');
my $mine = "budget = (SELECT number FROM dp_agg.budget WHERE role = 'ann'::regrole) AND entry = (SELECT min(id) FROM dp_agg.ledger WHERE admitted AND role = 'ann')";

# Check what is said of a change, which is then undone.
sub said
{
	my ($name, $change, $expected) = @_;
	return is($node->safe_psql('postgres', "BEGIN; $change; SELECT string_agg(DISTINCT problem, '; ' ORDER BY problem) FROM dp_agg.verify_ledger(); ROLLBACK"), $expected, $name);
}

my $changed = 'the answer that is kept for it was changed';
my $unpaid = 'an answer is kept that it did not pay for';
said('rows', "UPDATE dp_agg.kept_answer SET released = set_byte(released, octet_length(released) - 1, get_byte(released, octet_length(released) - 1) # 1) WHERE $mine", $changed);
said('rows that are added', "UPDATE dp_agg.kept_answer SET released = released || substr(released, 13) WHERE $mine", $changed);
said('their number', "UPDATE dp_agg.kept_answer SET rows = 2 WHERE $mine", $changed);
said('words', "UPDATE dp_agg.kept_answer SET asked = asked || ' ' WHERE $mine", $changed);
said('relations', "UPDATE dp_agg.kept_answer SET relations = '{public.others}' WHERE $mine", $changed);
said('digest', "UPDATE dp_agg.kept_answer SET hash = sha256(hash) WHERE $mine", $changed);
said('no digest', "UPDATE dp_agg.kept_answer SET hash = '' WHERE $mine", $changed);
said('time', "UPDATE dp_agg.kept_answer SET asked_at = now() WHERE $mine", $unpaid);
said('question', "UPDATE dp_agg.kept_answer SET question = sha256(question) WHERE $mine", $unpaid);
said('question of one byte', "UPDATE dp_agg.kept_answer SET question = substr(question, 1, 1) WHERE $mine", $changed);
said('no question', "UPDATE dp_agg.kept_answer SET question = '' WHERE $mine", $changed);
said('budget', "UPDATE dp_agg.kept_answer SET budget = 1000 WHERE $mine", $unpaid);
said('charge', "UPDATE dp_agg.kept_answer a SET entry = (SELECT max(id) FROM dp_agg.ledger WHERE admitted) WHERE $mine", $unpaid);
said('charge that is none', "UPDATE dp_agg.kept_answer a SET entry = (SELECT min(id) FROM dp_agg.ledger) WHERE $mine", $unpaid);
said('charge that is not there', "UPDATE dp_agg.kept_answer SET entry = entry + 1000 WHERE $mine", 'an answer is kept, but there is no such charge');
said('what two blocks of a statement were answered, exchanged',
	"UPDATE dp_agg.kept_answer a SET released = b.released FROM dp_agg.kept_answer b WHERE a.entry = b.entry AND a.question <> b.question", $changed);
said('and with their digests', "UPDATE dp_agg.kept_answer a SET released = b.released, hash = b.hash FROM dp_agg.kept_answer b WHERE a.entry = b.entry AND a.question <> b.question", $changed);
said('number of replays, which proves nothing', 'UPDATE dp_agg.kept_answer SET replays = 1000', '');
said('removal', 'DELETE FROM dp_agg.kept_answer', '');

# One that is copied to who did not pay is found out, and not shown: an answer is drawn and kept in its place.
$node->safe_psql('postgres', <<"SQL");
DELETE FROM dp_agg.kept_answer WHERE budget = (SELECT number FROM dp_agg.budget WHERE role = 'bob'::regrole);
INSERT INTO dp_agg.kept_answer SELECT (SELECT number FROM dp_agg.budget WHERE role = 'bob'::regrole), question, asked_at, asked, relations, rows, replays, entry, released, hash FROM dp_agg.kept_answer WHERE $mine;
SQL
is($node->safe_psql('postgres', 'SELECT count(*), min(problem) FROM dp_agg.verify_ledger()'), "1|$unpaid", 'an answer that was copied to another role is found out');
my $paid = admitted($node, 'bob');
isnt(asked($node, $question, 'bob'), $answer, 'and not shown to it');
is(admitted($node, 'bob'), $paid + 1, 'who pays for one instead');
$node->safe_psql('postgres', "SELECT dp_agg.forget_kept('bob')");
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'forgotten, all verifies');

# What no type can read is an error, not an answer, and is drawn anew when it is asked for.
my $before = admitted($node);
$node->safe_psql('postgres', "UPDATE dp_agg.kept_answer SET released = substr(released, 1, 10) WHERE $mine");
like(asked($node, $question), qr/^\w{5}: /, 'rows that are cut off are an error');
$node->safe_psql('postgres', "UPDATE dp_agg.kept_answer SET released = '' WHERE $mine");
like(asked($node, $question), qr/^\w{5}: /, 'so are none at all');
is(admitted($node), $before, 'at no cost');
like(asked($node, [ 'SET dp_agg.kept_max_age = 0', $question ]), qr/^-?\d+$/, 'it can be drawn anew');
like(asked($node, $question), qr/^-?\d+$/, 'and is kept then');
is(admitted($node), $before + 1, 'for one charge');

# Answers of charges that were removed from the ledger stay.
$answer = asked($node, $question);
$node->safe_psql('postgres', 'SELECT dp_agg.compact_ledger(clock_timestamp())');
is($node->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'compacted, all verifies');
is(asked($node, $question), $answer, 'and is shown as before');

$node->stop;
done_testing();
