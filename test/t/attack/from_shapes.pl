# Attacks by what FROM and IN may name for a row: lists of public rows that it is looked up in, and
# LATERAL items that are made of its columns; and rows that INTERSECT ALL and EXCEPT ALL number.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $analyst = <<'SQL';
CREATE TABLE pairs (a int, b text);
INSERT INTO pairs SELECT i, 'clinic ' || i FROM generate_series(0, 40) i;
INSERT INTO pairs VALUES (NULL, 'clinic 1'), (3, NULL);
CREATE FUNCTION spied(t text) RETURNS SETOF text LANGUAGE plpgsql STABLE AS 'BEGIN RAISE NOTICE ''spied %'', t; RETURN NEXT t; END';
CREATE FUNCTION spy1(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''spied %'', t; RETURN t; END';
CREATE FUNCTION calls(t text) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT spy1(t)';
CREATE FUNCTION fails(a int) RETURNS TABLE (x int) LANGUAGE sql STABLE AS 'SELECT 100 / a WHERE 10 / a < 5';
CREATE FUNCTION finds(t text) RETURNS TABLE (x int) LANGUAGE sql STABLE AS 'SELECT a FROM pairs WHERE b = t';
CREATE FUNCTION asks(t text) RETURNS TABLE (x bigint) LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM clinic.people WHERE name = t';
CREATE FUNCTION told(i int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RAISE NOTICE ''told %'', i; RETURN i; END';
CREATE FUNCTION settled(i int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RAISE NOTICE ''settled %'', i; RETURN i; END';
SQL
my $neighbours = new_neighbours('attack_from_shapes', analyst => "$analyst GRANT SELECT ON pairs TO bob;");

$neighbours->attack(<<'ATTACKS');
@ rows in a list | 4 |
SELECT dp_count(*) FROM people WHERE (age, name) IN (SELECT a, b FROM pairs);
SELECT (age, name) NOT IN (SELECT a, b FROM pairs) AS key, dp_count(*) FROM people GROUP BY 1;
SELECT (age, name, code) IN (SELECT a, b, b FROM pairs) AS key, dp_count(*), dp_sum(age, 0, 100) FROM people WHERE id > 4990 GROUP BY 1;
EXPLAIN SELECT dp_count(*) FROM people WHERE (age, name) NOT IN (SELECT a, b FROM pairs);
SELECT dp_count(*) FROM visits v WHERE (minutes, v.person % 7) IN (SELECT a, a FROM pairs);
@ rows in a list, whose own values fail | 2 |
SELECT dp_count(*) FROM people WHERE (100 / age, name) IN (SELECT a, b FROM pairs);
SELECT dp_count(*) FROM people WHERE (code::int, 2147483647 + age) NOT IN (SELECT a, a FROM pairs);
@ a list by a function that tells when it runs | 1 |
SELECT dp_count(*) FROM people WHERE (age, name) NOT IN (SELECT settled(a), b FROM pairs WHERE a < 3);
~ settled 2
@ a list that is drawn | 0 | 0A000
SELECT dp_count(*) FROM people WHERE (age, name) IN (SELECT told(a), b FROM pairs WHERE a < 3);
@ a list that fails | 0 | 22012
SELECT dp_count(*) FROM people WHERE (age, name) IN (SELECT 1 / (a - 3), b FROM pairs);
@ a row by a list of one, and of several | 1 | 21000
SELECT dp_count(*) FROM people WHERE (age, name) = (SELECT a, b FROM pairs WHERE a = 5);
SELECT dp_count(*) FROM people WHERE (age, name) = (SELECT a, b FROM pairs WHERE a < 5);
@ a list of rows of others | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE (age, name) IN (SELECT minutes, 'x' FROM visits);
SELECT dp_count(*) FROM people p WHERE (age, name) IN (SELECT a, p.name FROM pairs);
@ what LATERAL computes of a row | 4 |
SET dp_agg.max_join_rows = 50;
SELECT s.x AS key, dp_count(*) FROM people p, LATERAL (SELECT 100 / p.age AS x WHERE p.age < 5) s GROUP BY 1;
SELECT dp_count(*), dp_sum(s.x, 0, 100) FROM people p LEFT JOIN LATERAL (SELECT 2147483647 + p.age AS x) s ON true;
SELECT u.x AS key, dp_count(*) FROM people p, LATERAL (VALUES (p.name, 1), (p.note, 1 / p.age)) u (x, y) WHERE p.id > 4990 AND u.y = 1 GROUP BY 1;
SELECT dp_count(*) FROM people p, LATERAL (SELECT p.age AS x UNION ALL SELECT 1 / p.age) u WHERE x < 3;
@ rows of a table by LATERAL | 3 |
SET dp_agg.max_join_rows = 50;
SELECT dp_count(*) FROM people p, LATERAL (SELECT b FROM pairs WHERE a = p.age) s;
SELECT dp_count(*), dp_count(s.town) FROM people p LEFT JOIN LATERAL (SELECT d.town FROM doctors d WHERE d.clinic = p.code AND d.town > p.name) s ON true;
SELECT dp_count(*) FROM people p, LATERAL (SELECT v.minutes FROM visits v WHERE v.person = p.id AND v.minutes > 100 / p.age) s;
@ joins that make more rows of a unit than count, in either order | 4 |
SET dp_agg.max_join_rows = 3;
SELECT dp_count(*) FROM visits v JOIN visits w ON w.person = v.person WHERE w.minutes > 100 / v.minutes;
SELECT dp_count(*) FROM people p JOIN visits v ON v.person = p.id JOIN visits w ON w.person = p.id;
SELECT w.minutes AS key, dp_count(*), dp_sum(v.minutes, 0, 100) FROM visits w JOIN visits v ON w.person = v.person GROUP BY 1;
EXPLAIN SELECT dp_count(*) FROM visits w JOIN visits v ON w.person = v.person;
SET dp_agg.max_join_rows = 50;
SELECT dp_count(*) FROM pairs JOIN visits v ON a < v.minutes;
@ joins of as many rows as the work of expressions allows | 2 |
SET dp_agg.max_join_rows = 100000;
SELECT dp_count(*) FROM visits v JOIN visits w ON w.person = v.person WHERE w.minutes > 100 / v.minutes;
SELECT dp_count(*) FROM pairs JOIN people p ON a < 100 / p.age AND p.name ILIKE '%c%';
EXPLAIN SELECT dp_count(*) FROM visits v JOIN visits w ON w.person = v.person;
@ SQL functions of a row's columns | 2 |
SET dp_agg.max_join_rows = 50;
SELECT dp_count(*) FROM people p, fails(p.age) f WHERE f.x > 3;
SELECT dp_count(*) FROM people p, finds(p.name) f;
@ functions that tell what they are called with | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM people p, spied(p.name) s;
SELECT dp_count(*) FROM people p, spy1(p.name) s WHERE s > 'a';
SELECT dp_count(*) FROM people p, calls(p.name) s WHERE s > 'a';
SELECT dp_count(*) FROM people p, LATERAL (SELECT spy1(p.name) AS x UNION ALL SELECT p.code) s WHERE x > 'a';
@ a function that asks for each row | 0 | 0A000
SELECT dp_count(*) FROM people p, asks(p.name) s;
@ a function that is another by the time of the answer | 2 |
SET dp_agg.max_join_rows = 50;
PREPARE found AS SELECT dp_count(*) FROM people p, finds(p.name) f WHERE f.x < 9;
EXECUTE found;
CREATE OR REPLACE FUNCTION finds(t text) RETURNS TABLE (x int) LANGUAGE sql STABLE AS 'SELECT length(t)';
EXECUTE found;
= once | the function is replaced by then
@ the same, with one that tells | 0 | 0A000
CREATE OR REPLACE FUNCTION finds(t text) RETURNS TABLE (x int) LANGUAGE sql STABLE AS 'SELECT length(spy1(t))';
SELECT dp_count(*) FROM people p, finds(p.name) f WHERE f.x < 9;
@ rows that are alike, counted | 3 |
SELECT dp_count(*) FROM (SELECT person, minutes FROM visits EXCEPT ALL SELECT id, age FROM people) u;
SELECT clinic AS key, dp_count(*) FROM (SELECT person, clinic FROM visits INTERSECT ALL SELECT person, clinic FROM visits WHERE minutes > 3) u GROUP BY 1;
SELECT dp_count(*), dp_sum(x, 0, 10) FROM (SELECT id, 10 / age AS x FROM people EXCEPT ALL SELECT person, 100 / (minutes - 3) FROM visits) u;
@ rows that are alike, of others | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM (SELECT clinic FROM visits EXCEPT ALL SELECT name FROM people) u;
SELECT dp_count(*) FROM (SELECT person FROM visits EXCEPT ALL SELECT minutes FROM visits) u;
SELECT dp_count(*) FROM (SELECT person, minutes FROM visits INTERSECT ALL SELECT a, a FROM pairs) u;
ATTACKS

$neighbours->finish;
