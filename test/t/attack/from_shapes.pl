# Attacks by what FROM and IN may name for a row: lists of public rows that it is looked up in.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $analyst = <<'SQL';
CREATE TABLE pairs (a int, b text);
INSERT INTO pairs SELECT i, 'clinic ' || i FROM generate_series(0, 40) i;
INSERT INTO pairs VALUES (NULL, 'clinic 1'), (3, NULL);
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
ATTACKS

$neighbours->finish;
