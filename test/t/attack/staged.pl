# Attacks by statements in which one block reads what another releases: what is shown of either, what
# runs between them, and what is read for the second by the first one's answer.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $neighbours = new_neighbours('attack_staged', admin => <<'SQL');
CREATE EXTENSION pg_trgm;
CREATE INDEX ON clinic.people USING gin (name gin_trgm_ops);
SQL

# Values that are released choose other rows in each database, by noise alone; what is answered of these is noisy.
$neighbours->attack(<<'ATTACKS');
@ above a mean | 1 |
SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age) FROM people);
@ a mean that rows fail on | 1 |
SELECT dp_count(*) FROM people WHERE 1 / age > (SELECT dp_avg(100 / age, 0, 100) FROM people);
@ division by a released value | 1 |
SELECT dp_count(*) FROM people WHERE tag / (SELECT dp_count(*) FROM people WHERE city = 'Aachen') > 0;
@ overflow by a released value | 1 |
SELECT dp_count(*) FROM people WHERE secret * (SELECT dp_count(*) * 9000000000 FROM people) > 5;
@ three stages | 1 |
SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age) FROM people WHERE age > (SELECT dp_avg(age) FROM people));
@ a list of groups, of which one is the outlier's | 1 |
SELECT dp_count(*) FROM people WHERE city IN (SELECT city FROM people GROUP BY city HAVING dp_count(*) > 5);
@ all but the outlier's group | 1 |
SELECT dp_count(*) FROM people WHERE city NOT IN (SELECT city FROM people GROUP BY city HAVING dp_count(*) > 5);
@ joined with groups, of which one is the outlier's | 1 |
SELECT dp_count(*) FROM people JOIN (SELECT city, dp_avg(age) AS a FROM people GROUP BY city) g USING (city) WHERE age > g.a;
@ joined with groups and NULL | 1 |
SELECT dp_count(*) FROM people p JOIN (SELECT city, dp_avg(age) AS a FROM people GROUP BY city) g ON p.city IS NOT DISTINCT FROM g.city WHERE p.age > g.a;
@ groups of the second block by a value of the first | 1 |
SELECT age > m AS old, dp_count(*) FROM people, (SELECT dp_avg(age) AS m FROM people) s WHERE age IS NOT NULL AND m IS NOT NULL GROUP BY 1;
@ other rows of the same unit | 1 |
SELECT dp_count(*) FROM visits WHERE minutes > (SELECT dp_avg(age) FROM people);
@ refused before anything is released | 0 | 0A000 0A000
SELECT dp_count(*) FROM people, (SELECT city, dp_count(*) AS n FROM people GROUP BY city) g;
= 0 | 0A000 0A000 | the same
SELECT dp_count(*) FROM people p WHERE age > (SELECT dp_avg(age) FROM people q WHERE q.city = p.city);
@ work below the second block, with counters | 2 |
BEGIN;
SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age) FROM people);
SELECT pg_stat_get_xact_tuples_returned('people'::regclass), pg_stat_get_xact_tuples_fetched('people'::regclass);
SELECT dp_count(*) FROM people WHERE name LIKE '%' || (SELECT CASE WHEN dp_count(*) < 0 THEN 'a' ELSE 'b' END FROM people) || '%';
SELECT pg_stat_get_xact_tuples_returned('people'::regclass), pg_stat_get_xact_tuples_fetched('people'::regclass);
COMMIT;
@ a plan with what it took | 1 |
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age) FROM people);
@ code of hers between the stages | 2 |
CREATE FUNCTION amid(v numeric) RETURNS numeric LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''noisy:%'', v; PERFORM set_config(''enable_seqscan'', ''off'', false); RETURN v; END';
SELECT dp_count(*) FROM people WHERE age > (SELECT amid(dp_avg(age)::numeric) FROM people);
SELECT dp_count(*) FROM people WHERE age > (SELECT amid(dp_avg(age)::numeric) FROM people) AND name LIKE '%Zw%';
RESET enable_seqscan;
DROP FUNCTION amid(numeric);
@ code of hers that fails between the stages | 1 | P0001
CREATE FUNCTION failing(v numeric) RETURNS numeric LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''noisy:%'', v; RAISE EXCEPTION ''no''; END';
SELECT dp_count(*) FROM people WHERE age > (SELECT failing(dp_avg(age)::numeric) FROM people);
DROP FUNCTION failing(numeric);
@ a cursor that is read twice | 1 |
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age) FROM people);
FETCH c;
MOVE BACKWARD ALL IN c;
FETCH c;
COMMIT;
ATTACKS

$neighbours->finish;
