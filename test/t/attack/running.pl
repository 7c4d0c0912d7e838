# Attacks on the time between the check of a block and the reading of its rows, by
# code of the analyst's that the same statement runs: before, between and after the
# blocks that it reads.
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

my $analyst = $STRIKES . <<'SQL';
CREATE TABLE struck (boosted boolean);
CREATE FUNCTION before() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM ann.strike(); RETURN NULL; END';
CREATE TRIGGER before BEFORE INSERT ON struck FOR EACH STATEMENT EXECUTE FUNCTION before();
CREATE TABLE secured_late (k int);
INSERT INTO secured_late VALUES (1);
ALTER TABLE secured_late ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY strikes ON secured_late USING (strike() > 0);
SQL
my $neighbours = new_neighbours('attack_running', admin => $LINKED, analyst => $analyst, person => \%LINKED_PERSON);

my $block = block('a table of persons');

# Refused for what it found when the statement was about to read: that it has changed,
# or what would have been said had it always been so.
my $refused = '55000|0A000';

my $column_too = block('a sum of a public column');

# What may be done to the table, once its key has been checked.
my %deeds = map { $_ => $_ } ('child', 'partition', 'emptied', 'key type', 'table', 'deferrable', 'partial', 'other key', 'key made anew', 'row security',
	'index', 'index predicate', 'statistics', 'check', 'domain');

# While the statement runs and has not yet read: a child has rows that were there
# before the statement, so that its snapshot would see them.
my %early = (
	'an earlier arm' => "SELECT strike() > 5 AS boosted UNION ALL ($block)",
	'an earlier arm, LIMIT' => "SELECT boosted FROM (SELECT strike() > 5 AS boosted UNION ALL ($block)) u LIMIT 2",
	'a condition that is looked at first' => "SELECT boosted FROM ($block) s WHERE (SELECT strike()) = 1",
	'a subquery in CASE' => "SELECT CASE WHEN strike() = 1 THEN ($block) END AS boosted",
	'an argument that is worked out first' => "SELECT coalesce(nullif(strike(), 1) > 0, ($block)) AS boosted",
	'a statement trigger of the target' => "INSERT INTO struck $block",
	'the outer side of a join' => "SELECT boosted FROM (SELECT strike() AS x OFFSET 0) e LEFT JOIN LATERAL (SELECT boosted FROM ($block) s WHERE e.x = 1 OFFSET 0) t ON true",
	'a block of code' => "DO \$d\$ DECLARE r record; BEGIN FOR r IN SELECT 1 AS x UNION ALL SELECT count(*) FROM ($block) s WHERE boosted LOOP RAISE NOTICE 'boosted %', r.x; PERFORM ann.strike(); END LOOP; END \$d\$",
	'a policy' => "SELECT boosted FROM secured_late l, LATERAL (SELECT boosted FROM ($block) s WHERE l.k = 1 OFFSET 0) t",
	'COPY' => "COPY (SELECT strike() > 5 AS boosted UNION ALL ($block)) TO STDOUT",
	'a table made of it' => "CREATE TABLE ann.made AS SELECT strike() > 5 AS boosted UNION ALL ($block); DROP TABLE IF EXISTS ann.made",
	'a recursive query' => "WITH RECURSIVE r AS (SELECT strike() AS n, false AS boosted UNION ALL SELECT n + 1, (SELECT boosted FROM ($block) s) FROM r WHERE n < 2) SELECT * FROM r");
$neighbours->attack(ask(<<"ATTACKS", %early));
@ a child is added while it runs: <name> | 0 | $refused
SELECT fresh('inherit');
<part>;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ the key is dropped while it runs: <name> | 0 | $refused
SELECT fresh('duplicates');
<part>;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
$neighbours->attack(ask(<<"ATTACKS", %BLOCKS));
@ a child is added before it is read: <name> | 0 | $refused
SELECT fresh_with_view('inherit');
SELECT strike() > 5 AS boosted UNION ALL (<part>);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
# A key that is younger than a snapshot does not prove that a row is matched once; where
# persons have many rows anyway, nothing depends on it.
my %many = map { $_ => $BLOCKS{$_} } 'many rows of a person', 'partitions', 'rows linked by a foreign key';
my %one = map { $_ => $BLOCKS{$_} } grep { !$many{$_} } keys %BLOCKS;
$neighbours->attack(ask(<<"ATTACKS", %one));
@ the table is emptied before it is read: <name> | 0 | $refused
SELECT fresh_with_view('emptied');
SELECT strike() > 5 AS boosted UNION ALL (<part>);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
$neighbours->attack(ask(<<"ATTACKS", %many));
@ the table is emptied before it is read: <name> | * | (?:$refused)?
SELECT fresh_with_view('emptied');
SELECT strike() > 5 AS boosted UNION ALL (<part>);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
$neighbours->attack(ask(<<"ATTACKS", %deeds));
@ a table changes before it is read: <name> | 0 | $refused|42P01|42501
SELECT fresh('<part>');
SELECT strike() > 5 AS boosted UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS

# What is read holds its tables until the statement ends; children that come later are
# not read.
$neighbours->attack(<<"ATTACKS");
@ the key is dropped by the check of a domain above | 1 |
SELECT fresh('duplicates');
SELECT 5::checked, boosted FROM ($block) s;
@ the key is dropped after the first row | 1 |
SELECT fresh('duplicates');
SELECT strike(), boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a child is added after the first row, before the next block | 1 |
SELECT fresh('inherit');
($block) UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ the key is dropped after the first block, before the next | 1 |
SELECT fresh('duplicates');
($block) UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ another block's table is changed after the first block | 1 |
SELECT fresh('ALTER TABLE ann.amp DROP CONSTRAINT amp_k');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ another block's table is emptied after the first block | 1 |
SELECT fresh('emptied');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a type is changed after the first block | 1 |
SELECT fresh('value type');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($column_too);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a child is added to a listing table after the first block | 1 |
SELECT fresh('inherit');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL (@{[ block('keys that a table lists') ]});
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a child is added to a star's side after the first block | 1 |
SELECT fresh('inherit');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL (@{[ block('a star') ]});
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ code comes to the table after the first block | 1 |
SELECT fresh('statistics');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ settings change after the first block | 1 |
SELECT fresh('SET dp_agg.epsilon = 0.001; SET enable_hashjoin = off; SET enable_seqscan = off; SET work_mem = ''64kB''; SET search_path = ann');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT epsilon FROM dp_agg.last_release();
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ plans are discarded after the first block | 1 |
SELECT fresh('DISCARD PLANS; DISCARD SEQUENCES');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ others are asked after the first block | 2 |
SELECT fresh('DO \$d\$ BEGIN PERFORM dp_count(*) FROM clinic.people p JOIN ann.amp a ON a.k = p.id; END \$d\$');
SELECT dp_count(*) > 4000 AS boosted FROM people UNION ALL SELECT strike() > 5 UNION ALL ($block);
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ the code that comes after the last row | 1 |
SELECT fresh('duplicates');
CREATE TABLE late (boosted boolean);
CREATE TRIGGER after AFTER INSERT ON late FOR EACH STATEMENT EXECUTE FUNCTION before();
INSERT INTO late $block;
SELECT * FROM late;
DROP TABLE late;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ what is never read is not charged | 0 |
SELECT fresh('SELECT 1');
SELECT strike(), boosted FROM ($block) s LIMIT 0;
SELECT boosted FROM ($block) s WHERE false;
SELECT CASE WHEN strike() = 1 THEN false ELSE ($block) END AS boosted;
SELECT boosted FROM ($block) s WHERE (SELECT false);
SELECT boosted FROM (SELECT strike() > 5 AS boosted UNION ALL ($block)) u LIMIT 1;
EXPLAIN (COSTS OFF) SELECT boosted FROM ($block) s;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS

$neighbours->finish;
