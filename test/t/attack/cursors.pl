# Attacks on the time between the check of a block and the reading of its rows, when
# these are statements apart: cursors, and who pays for them.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use StrikeTest;

# Changes fill WAL files, and other sessions are told of them at any time: what these do
# then is told by messages of less than debug3.
$AttackTest::pass_over = qr/creating and filling new WAL file/;
$AttackTest::messages = 'debug3';

my $block = block('a table of persons');
my $listed = block('keys that a table lists');

my $analyst = $STRIKES . <<"SQL";
CREATE FUNCTION opens(c refcursor) RETURNS refcursor SECURITY DEFINER SET search_path = ann, clinic, public LANGUAGE plpgsql AS \$f\$
BEGIN
	OPEN c FOR $block;
	RETURN c;
END \$f\$;
CREATE FUNCTION opens_as_team(c text) RETURNS text SET role = team LANGUAGE plpgsql AS \$f\$
BEGIN
	EXECUTE 'DECLARE c CURSOR WITH HOLD FOR $block';
	RETURN c;
END \$f\$;
CREATE FUNCTION reads_from(c refcursor) RETURNS boolean SECURITY DEFINER LANGUAGE plpgsql AS \$f\$
DECLARE
	boosted boolean;
BEGIN
	FETCH c INTO boosted;
	RETURN boosted;
END \$f\$;
CREATE FUNCTION reads_again() RETURNS boolean LANGUAGE plpgsql AS \$f\$
DECLARE
	c SCROLL CURSOR FOR SELECT dp_count(*) FROM clinic.people;
	first bigint;
	again bigint;
BEGIN
	OPEN c;
	FETCH c INTO first;
	MOVE BACKWARD ALL FROM c;
	FETCH c INTO again;
	RETURN first = again;
END \$f\$;
CREATE TABLE later (a int);
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM ann.strike(); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION later();
SQL
my $admin = $LINKED . "ALTER ROLE poor NOINHERIT; GRANT team TO poor, ann; GRANT USAGE ON SCHEMA ann TO poor;\n";
my $neighbours = new_neighbours('attack_cursors', admin => $admin, analyst => $analyst, person => \%LINKED_PERSON);

my $refused = '55000|0A000';
my %deeds = map { $_ => $_ } ('duplicates', 'child', 'inherit', 'partition', 'emptied', 'key type', 'table', 'deferrable', 'partial', 'other key', 'key made anew',
	'row security', 'index', 'index predicate', 'statistics', 'check', 'domain', 'revoked');

# What the session does to the table while its own cursor has not been read.
$neighbours->attack(ask(<<"ATTACKS", %deeds));
@ a cursor's table is changed before it is read: <name> | 0 | $refused|42P01|42501
SELECT fresh('<part>');
BEGIN;
DECLARE c CURSOR FOR $block;
SELECT strike();
FETCH c;
COMMIT;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
$neighbours->attack(ask(<<"ATTACKS", %BLOCKS));
@ a cursor gets a child before it is read: <name> | 0 | $refused
SELECT fresh_with_view('inherit');
BEGIN;
DECLARE c CURSOR FOR <part>;
SELECT strike();
FETCH c;
COMMIT;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS

# And afterwards, or on the way there.
$neighbours->attack(<<"ATTACKS");
@ a cursor's table is changed after its first row | 1 |
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR FOR $listed;
FETCH 2 FROM c;
SELECT strike();
COMMIT;
@ a cursor gets a child after its first row | 1 |
SELECT fresh('inherit');
BEGIN;
DECLARE c SCROLL CURSOR FOR $listed;
FETCH 2 FROM c;
SELECT strike();
FETCH 2 FROM c;
FETCH BACKWARD ALL FROM c;
FETCH ALL FROM c;
COMMIT;
@ a cursor's first block is read, then a child comes, then another is read | 1 |
SELECT fresh('inherit');
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL ($block);
FETCH c;
SELECT strike();
FETCH c;
COMMIT;
@ a cursor's first block is read, then another's key is dropped | 1 |
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL ($block);
FETCH c;
SELECT strike();
COMMIT;
@ what is above a block is read before it, then a child comes | 0 | $refused
SELECT fresh('inherit');
BEGIN;
DECLARE c CURSOR FOR SELECT false AS boosted UNION ALL ($block);
FETCH c;
SELECT strike();
FETCH c;
COMMIT;
@ a change that is taken back before the cursor is read | * | (?:$refused)?
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR FOR $block;
SAVEPOINT s;
SELECT strike();
ROLLBACK TO s;
FETCH c;
COMMIT;
@ a cursor that is read in a savepoint, which is rolled back | 1 |
SELECT fresh();
BEGIN;
DECLARE c SCROLL CURSOR FOR $listed;
SAVEPOINT s;
FETCH c;
ROLLBACK TO s;
FETCH c;
FETCH BACKWARD 2 FROM c;
COMMIT;
@ the table is changed after a savepoint is rolled back in which a cursor was read | 1 |
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR FOR $listed;
SAVEPOINT s;
FETCH c;
ROLLBACK TO s;
SELECT strike();
COMMIT;
@ the table is changed once its cursors are closed, or gone with their savepoint | 2 |
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR FOR $listed;
FETCH c;
CLOSE c;
SAVEPOINT s;
DECLARE c CURSOR FOR $listed;
FETCH c;
ROLLBACK TO s;
SELECT strike();
COMMIT;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ the table is changed once the statement that read it has failed | 1 | 22014
SELECT fresh('duplicates');
BEGIN;
SAVEPOINT s;
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END;
ROLLBACK TO s;
SELECT strike();
COMMIT;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a cursor that failed to be read is read again | 0 | (?:$refused) 55000
SELECT fresh('inherit');
BEGIN;
DECLARE c CURSOR FOR $block;
SELECT strike();
SAVEPOINT s;
FETCH c;
ROLLBACK TO s;
FETCH c;
COMMIT;
@ a cursor of a savepoint that is released, and of one that is rolled back | 2 | 34000
SELECT fresh();
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR $block;
RELEASE s;
SAVEPOINT t;
DECLARE d CURSOR FOR $block;
FETCH d;
ROLLBACK TO t;
FETCH c;
FETCH d;
COMMIT;
@ a cursor that is held, and whose table is changed before it is read | 0 | $refused 34000
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR WITH HOLD FOR $block;
SELECT strike();
COMMIT;
FETCH c;
@ a cursor that is held, and whose table is changed while the transaction ends | 0 | $refused
SELECT fresh('inherit');
BEGIN;
DECLARE c CURSOR WITH HOLD FOR $block;
INSERT INTO later VALUES (1);
COMMIT;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a cursor that is held, and whose table is changed afterwards | 1 |
SELECT fresh('duplicates');
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR $listed;
COMMIT;
SELECT strike();
FETCH ALL FROM c;
FETCH BACKWARD ALL FROM c;
CLOSE c;
@ a cursor that is never read, or read for nothing | 0 |
SELECT fresh();
BEGIN;
DECLARE c CURSOR FOR $block;
CLOSE c;
DECLARE c SCROLL CURSOR FOR $block;
FETCH 0 FROM c;
MOVE 0 IN c;
FETCH BACKWARD 1 FROM c;
COMMIT;
@ a cursor that is passed over | 1 |
SELECT fresh();
BEGIN;
DECLARE c SCROLL CURSOR FOR $listed;
MOVE ALL IN c;
FETCH PRIOR FROM c;
FETCH ABSOLUTE 1 FROM c;
FETCH ABSOLUTE -1 FROM c;
COMMIT;
@ a draw is one, however often it is read | 1 |
SELECT reads_again();
~ reads_again\\|t
@ a cursor that reads itself | 0 | 55000
SELECT fresh('FETCH c');
BEGIN;
DECLARE c CURSOR FOR SELECT strike() > 5 AS boosted UNION ALL ($block);
FETCH 2 FROM c;
COMMIT;
@ a cursor that closes itself | 0 | 24000
SELECT fresh('CLOSE c');
BEGIN;
DECLARE c CURSOR FOR SELECT strike() > 5 AS boosted UNION ALL ($block);
FETCH 2 FROM c;
COMMIT;
@ a cursor that reads another, which is read first | 2 |
SELECT fresh('FETCH d');
BEGIN;
DECLARE d CURSOR FOR $listed;
DECLARE c CURSOR FOR SELECT strike() > 5 AS boosted UNION ALL ($block);
FETCH 2 FROM c;
FETCH 2 FROM d;
COMMIT;
@ a cursor that planning another statement reads | 2 |
SELECT fresh('FETCH d');
BEGIN;
DECLARE d CURSOR FOR $listed;
SELECT lie(), boosted FROM ($block) s;
FETCH ALL FROM d;
COMMIT;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ settings that change before a cursor is read | 1 |
SELECT fresh();
BEGIN;
DECLARE c CURSOR FOR $block;
SET dp_agg.epsilon = 0.000001;
SET dp_agg.sample_rate = 0.5;
SET search_path = pg_catalog;
SET enable_hashjoin = off;
SET work_mem = '64kB';
FETCH c;
SELECT epsilon FROM dp_agg.last_release();
COMMIT;
~ epsilon\\|5\$
@ settings that change before a cursor is read, and a table with them | * | (?:$refused)?
SELECT fresh('CREATE INDEX ON ann.amp (v)');
BEGIN;
DECLARE c CURSOR FOR $block;
SET dp_agg.epsilon = 0.000001;
SET search_path = pg_catalog;
SELECT ann.strike();
FETCH c;
SELECT epsilon FROM dp_agg.last_release();
COMMIT;
ATTACKS

# What a statement has locked, and what others see of that, does not depend on rows: not
# before it is read, nor while its cursor is open.
my $locks = "SELECT locktype, coalesce(relation::regclass::text, ''), mode, granted FROM pg_locks WHERE relation::regclass::text !~ '^pg_|dp_agg' ORDER BY 1, 2, 3";
$neighbours->attack(ask(<<"ATTACKS", %BLOCKS));
@ locks of a cursor: <name> | 1 |
SELECT fresh_with_view();
BEGIN;
DECLARE c CURSOR FOR <part>;
$locks;
FETCH c;
$locks;
> ann2
SELECT count(*), count(DISTINCT mode) FROM pg_locks WHERE locktype = 'relation' AND relation::regclass::text !~ '^pg_|dp_agg';
> ann
COMMIT;
$locks;
ATTACKS

# Who opened a cursor pays for it.
$neighbours->attack(<<"ATTACKS");
@ opened by who is poor, read as a member of the team | 0+1 | 53400(?: 25P02)*
SELECT fresh();
> poor
SET dp_agg.epsilon = 1;
BEGIN;
DECLARE c CURSOR FOR $block;
SET ROLE team;
FETCH c;
COMMIT;
@ opened as a member of the team, read by who is poor | 1 |
SELECT fresh();
> poor
SET dp_agg.epsilon = 1;
BEGIN;
SET LOCAL ROLE team;
DECLARE c CURSOR FOR $block;
RESET ROLE;
FETCH c;
COMMIT;
@ opened by who is poor, kept while the transaction of the team's member ends | 0+1 | 53400(?: 25P02)*
SELECT fresh();
> poor
SET dp_agg.epsilon = 1;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR $block;
SET LOCAL ROLE team;
COMMIT;
@ opened as a member of the team, kept while the transaction of who is poor ends | 1 |
SELECT fresh();
> poor
SET dp_agg.epsilon = 1;
BEGIN;
SET LOCAL ROLE team;
DECLARE c CURSOR WITH HOLD FOR $block;
RESET ROLE;
COMMIT;
FETCH c;
@ opened in a function of the team's member, kept while the transaction of who is poor ends | 1 |
SELECT fresh();
> poor
SET dp_agg.epsilon = 1;
BEGIN;
SELECT ann.opens_as_team('c');
COMMIT;
FETCH c;
@ opened by a function of somebody else's, and read outside: not by who made it | 0 | 42501(?: 25P02)?
SELECT fresh();
> eve
BEGIN;
SELECT ann.opens('c');
FETCH c;
COMMIT;
@ opened by a function of somebody else's, and read outside: the caller pays | 1 |
SELECT fresh();
> bob
SELECT statements AS before FROM dp_agg.budgets WHERE role::text = 'team' \\gset
BEGIN;
SELECT ann.opens('c');
FETCH c;
COMMIT;
SELECT statements - :before AS paid FROM dp_agg.budgets WHERE role::text = 'team';
~ paid\|1
@ opened outside, read by a function of somebody else's: the caller pays | 1 |
SELECT fresh();
> bob
SELECT statements AS before FROM dp_agg.budgets WHERE role::text = 'team' \\gset
BEGIN;
DECLARE c CURSOR FOR $block;
SELECT ann.reads_from('c') AS boosted;
COMMIT;
SELECT statements - :before AS paid FROM dp_agg.budgets WHERE role::text = 'team';
~ paid\|1
@ opened by a function of somebody else's, and the table changed | 0 | $refused
SELECT fresh();
> bob
BEGIN;
SELECT ann.opens('c');
> ann2
SET lock_timeout = '2s';
ALTER TABLE heir INHERIT amp;
> bob
FETCH c;
COMMIT;
@ opened by a role that then loses the right to the table | 0 | 42501|55000
SELECT fresh();
> bob
BEGIN;
DECLARE c CURSOR FOR $block;
> ann
REVOKE SELECT ON amp FROM PUBLIC;
> bob
FETCH c;
COMMIT;
@ opened under a role that is then left, which alone may read the table | * | (?:42501|55000)?
SELECT fresh();
REVOKE SELECT ON amp FROM PUBLIC;
GRANT SELECT ON amp TO team;
> poor
BEGIN;
SET LOCAL ROLE team;
DECLARE c CURSOR FOR $block;
RESET ROLE;
FETCH c;
COMMIT;
ATTACKS

$neighbours->finish;
