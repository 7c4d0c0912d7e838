# Attacks by values: rows that make an expression fail, overflow or take another
# way than others, and what the extremes of a column might show.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# An index that answers LIKE.
my $neighbours = new_neighbours('attack_values', admin => <<'SQL');
CREATE EXTENSION pg_trgm;
CREATE INDEX ON clinic.people USING gin (name gin_trgm_ops);
ALTER TABLE clinic.people ADD zip char(5) DEFAULT '52062';
SQL

# Of the outlier age is 0, tag the largest int, score 1e308, born and seen are
# infinite, code is no number, note is two megabytes of LIKE's wildcards.
$neighbours->attack(<<'ATTACKS');
@ division by zero in a condition | 1 |
SELECT dp_count(*) FROM people WHERE 1 / age > 0;
@ division by zero in an argument | 1 |
SELECT dp_sum(100 / age, 0, 100) FROM people;
@ division by zero in a key | 1 |
SELECT 1000 / age AS key, dp_count(*) FROM people GROUP BY 1;
@ division by zero in one branch of CASE | 1 |
SELECT dp_count(*) FROM people WHERE CASE WHEN age = 0 THEN 1 / age ELSE 1 END = 1;
@ division by zero behind AND | 1 |
SELECT dp_count(*) FROM people WHERE city <> 'Aachen' || 'x' AND 1 / age > 0;
@ errors that would end the session, were they not trapped | 2 |
SET exit_on_error = on;
SELECT dp_count(*) FROM people WHERE 1 / age > 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT dp_sum(100 / age, 0, 100) FROM people;
SET exit_on_error = off;
@ errors that would end the session, set by a function and after planning | 3 |
CREATE FUNCTION ending() RETURNS bigint LANGUAGE plpgsql SET exit_on_error = on SET gin_fuzzy_search_limit = 5 SET client_min_messages = debug5 AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.people WHERE 1 / age > 0); END';
SELECT ending() AS noisy;
PREPARE q AS SELECT dp_count(*) FROM people WHERE 1 / age > 0;
SET exit_on_error = on;
EXECUTE q;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_sum(100 / age, 0, 100) FROM people;
FETCH c;
COMMIT;
SHOW exit_on_error;
SET exit_on_error = off;
DROP FUNCTION ending();
@ how much bytes differ by, which depends on where they lie | 0 | 0A000 0A000
SELECT dp_sum(bttextcmp(name, note), 0, 100) FROM people;
SELECT dp_count(*) FROM people WHERE bttext_pattern_cmp(name, city) > 31;
@ modulo by zero | 1 |
SELECT dp_count(*) FROM people WHERE 100 % age = 1;
@ division of numerics by zero | 1 |
SELECT dp_avg(pay / age, 0, 100) FROM people;
@ division of floats by zero | 1 |
SELECT dp_avg(score / age, 0, 100) FROM people;
@ constant division by zero | 0 | 22012
SELECT dp_count(*) FROM people WHERE 1 / 0 > 0;
@ overflow of int | 1 |
SELECT dp_sum(tag + 1, 0, 100) FROM people;
@ overflow of int in a product | 1 |
SELECT dp_count(*) FROM people WHERE tag * tag > 5;
@ overflow of bigint | 1 |
SELECT dp_count(*) FROM people WHERE secret * 9000000000 > 5;
@ overflow of float | 1 |
SELECT dp_count(*) FROM people WHERE score * 1e10 > 5;
@ underflow of float | 1 |
SELECT dp_count(*) FROM people WHERE 1e-300 / score > 5;
@ overflow in a cast to smallint | 1 |
SELECT dp_count(*) FROM people WHERE tag::smallint > 5;
@ overflow in a cast from numeric to int | 1 |
SELECT dp_count(*) FROM people WHERE pay::int > 5;
@ overflow in a cast from float to int | 1 |
SELECT dp_count(*) FROM people WHERE score::int > 5;
@ overflow in negation | 1 |
SELECT dp_count(*) FROM people WHERE (-tag - 1) * 1 = abs(-tag - 1);
@ a cast that fails as soon as there is a row | 3 |
SELECT dp_count(CASE WHEN id = 5000 THEN zip::varchar END) FROM people;
SELECT dp_count(*) FROM people WHERE id = 5000 AND zip::varchar(3) = '520';
SELECT CASE WHEN id = 5000 THEN zip::varchar END IS NULL AS key, dp_count(*) FROM people GROUP BY 1;
@ an output function that fails as soon as there is a row | 0 | 0A000
SELECT dp_count(*) FROM people WHERE id = 5000 AND timestamptz_out(seen) IS NULL;
@ a key that is joined twice, in a gap of the time zone | 0 | 0A000
SET timezone = 'Pacific/Apia';
CREATE TABLE days (day date PRIMARY KEY);
INSERT INTO days VALUES ('2011-12-30'), ('2011-12-31');
SELECT dp_count(*) FROM people p JOIN days d ON d.day = CASE WHEN p.id = 5000 THEN timestamptz '2011-12-30 10:00+00' END;
DROP TABLE days;
@ cast of text to a number | 1 |
SELECT dp_count(*) FROM people WHERE code::int > 5;
@ cast of text to a date | 1 |
SELECT dp_count(*) FROM people WHERE code::date > '2000-01-01';
@ to_number of text | 1 |
SELECT dp_count(*) FROM people WHERE to_number(code, '999') > 5;
@ to_date of text | 1 |
SELECT dp_count(*) FROM people WHERE to_date(code, 'YYYY') > '2000-01-01';
@ square root of something negative | 1 |
SELECT dp_count(*) FROM people WHERE sqrt(age - 10) > 1;
@ logarithm of zero | 1 |
SELECT dp_count(*) FROM people WHERE ln(age) > 1;
@ power of zero | 1 |
SELECT dp_count(*) FROM people WHERE power(age, -1) > 0;
@ arithmetic with infinite dates | 1 |
SELECT dp_count(*) FROM people WHERE born + 1 > '1960-01-01';
@ difference of infinite dates | 1 |
SELECT dp_avg(born - date '1950-01-01', 0, 10000) FROM people;
@ age of an infinite time | 1 |
SELECT dp_count(*) FROM people WHERE seen + interval '1 year' > '2021-01-01';
@ extract from infinite times | 1 |
SELECT extract(year FROM seen) AS key, dp_count(*) FROM people GROUP BY 1;
@ date_trunc of infinite times | 1 |
SELECT date_trunc('year', seen, 'UTC') AS key, dp_count(*) FROM people GROUP BY 1;
@ date_trunc of an unknown unit | 0 | 22023
SELECT date_trunc('cnr', seen) AS key, dp_count(*) FROM people GROUP BY 1;
@ unit of date_trunc from a column | 0 | 0A000
SELECT dp_count(*) FROM people WHERE date_trunc(city, seen) IS NULL;
@ LIKE with a pattern from a column | 5 |
SELECT dp_count(*) FROM people WHERE note LIKE name;
SELECT dp_count(*) FROM people WHERE name LIKE note;
SELECT dp_count(*) FROM people WHERE name LIKE left(note, 60) || '%' || left(name, 3) || '\';
SELECT dp_count(*) FROM people WHERE name ILIKE CASE WHEN id = 5000 THEN 'nancy\' ELSE 'n%' END;
SELECT dp_count(*) FROM people WHERE position(note IN name) > 0 OR strpos(note, name) > 1 OR strpos(note, note) = 2;
@ patterns of a public table, broken, long and of wildcards alone | 5 |
CREATE TABLE patterns (p text);
INSERT INTO patterns VALUES ('%\'), ('\'), (repeat('%', 252)), (repeat('_%', 125)), (repeat('%', 5000)), (repeat('a%', 126)), (''), (NULL), ('N%'), ('%5000');
SET dp_agg.max_join_rows = 20;
SELECT dp_count(*) FROM people JOIN patterns ON note LIKE p;
SELECT dp_count(*) FROM people JOIN patterns ON name NOT ILIKE '%' || p;
SELECT dp_count(*) FROM people, patterns WHERE strpos(note, p) > 0 OR strpos(p, name) = 0;
SELECT dp_count(*) FROM people LEFT JOIN patterns ON name LIKE p || '\' AND p LIKE note;
SELECT dp_count(*) FROM visits v JOIN people p ON p.id = v.person AND v.clinic LIKE p.name || '\';
RESET dp_agg.max_join_rows;
DROP TABLE patterns;
@ lengths and places from a column | 3 |
SELECT dp_count(*) FROM people WHERE left(name, age - 1) = 'x' OR right(note, tag) = 'y' OR substr(note, tag, tag) = 'z';
SELECT dp_count(*) FROM people WHERE substring(name FROM strpos(name, '5') FOR age - 1) = '5000';
SELECT dp_count(*) FROM people WHERE split_part(name, 'a', age) = 'x';
@ LIKE of two megabytes | 1 |
SELECT dp_count(*) FROM people WHERE note LIKE '%199999%';
@ LIKE with an unsound pattern | 0 | 0A000
SELECT dp_count(*) FROM people WHERE note LIKE 'a\';
@ LIKE with many wildcards | 1 |
SELECT dp_count(*) FROM people WHERE note LIKE '%a%b%c%d%e%f%g%h%i%j%k%l%';
@ LIKE with too many wildcards | 0 | 0A000
SELECT dp_count(*) FROM people WHERE note LIKE '%a%b%c%d%e%f%g%h%i%j%k%l%m%n%o%p%q%r%s%t%u%v%w%x%y%z%a%b%c%d%e%f%g%h%i%j%k%l%m%n%o%p%q%r%s%t%u%v%w%x%y%z%a%b%c%d%e%f%g%h%i%j%k%l%m%n%o%p%q%r%s%t%u%v%w%x%y%z%a%b%c%d%e%f%g%h%i%j%k%l%m%n%o%p%q%r%s%t%u%v%w%x%y%z';
@ regular expressions that track back elsewhere | 1 |
SELECT dp_count(*) FROM people WHERE note ~ '(a*)*b' OR name ~* '((c|n|r)+)+y$' OR note !~ '(n.*)*%';
@ regular expressions that track back | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE note ~ '(c*)*\1b';
SELECT dp_count(*) FROM people WHERE note ~ '(?=.*c)(?=.*n)y';
@ regular expression of a column's | 0 | 0A000
SELECT dp_count(*) FROM people WHERE note ~ name;
@ SIMILAR TO | 1 |
SELECT dp_count(*) FROM people WHERE note SIMILAR TO '(a|b)*';
@ functions of two megabytes | 1 |
SELECT dp_count(*) FROM people WHERE lower(note) = 'x' OR length(note) > 100 OR substring(note, 1, 4) = 'abcd';
@ length as an argument | 1 |
SELECT dp_sum(length(note), 0, 100) FROM people;
@ length of substring from a column | 1 |
SELECT dp_count(*) FROM people WHERE substring(note, 1, age - 1) = 'x';
@ text that grows: repeat | 0 | 0A000
SELECT dp_count(*) FROM people WHERE repeat(note, 1000) = 'x';
@ text that grows: concatenation | 1 |
SELECT dp_count(*) FROM people WHERE note || note = 'x';
@ text that grows: rpad | 0 | 0A000
SELECT dp_count(*) FROM people WHERE rpad(note, tag) = 'x';
@ width_bucket with a column's number of buckets | 0 | 0A000
SELECT dp_count(*) FROM people WHERE width_bucket(age, 0, 100, tag) = 1;
@ numerics of a hundred digits | 1 |
SELECT dp_avg(cost * cost, 0, 100) FROM visits;
@ numerics in a power | 0 | 0A000
SELECT dp_count(*) FROM visits WHERE power(cost, 3) > 5;
@ numerics with many digits after the point | 1 |
SELECT dp_count(*) FROM visits WHERE round(cost / 3, 20) > 5;
@ sum of values beyond the bounds | 1 |
SELECT dp_sum(cost, 0, 100), dp_sum(minutes, 0, 100), dp_avg(minutes, 0, 100) FROM visits;
@ bounds beyond bigint | 1 |
SELECT dp_sum(secret, -9e18, 9e18) IS NOT NULL AS answered FROM people;
@ mean of infinities | 1 |
SELECT dp_avg(score * 1e10, 0, 100), dp_sum(score * 'Infinity', 0, 1) FROM people;
@ mean of NaN | 1 |
SELECT dp_avg(score - score * 'Infinity', 0, 100) FROM people;
@ a group of one person | 1 |
SELECT city, dp_count(*) FROM people GROUP BY city;
@ a group of one person's many rows | 1 |
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ a group of one person's, counted otherwise | 1 |
SELECT clinic, dp_sum(minutes, 0, 1e6), dp_avg(cost, 0, 1e6) FROM visits GROUP BY clinic;
@ every person a group | 1 |
SELECT secret, name, dp_count(*) FROM people GROUP BY secret, name;
@ every person a group, by an expression | 1 |
SELECT secret * 1.0 AS key, dp_count(*) FROM people GROUP BY 1;
@ key with a side of its own for the outlier | 1 |
SELECT CASE WHEN age = 0 THEN secret ELSE 0 END AS key, dp_count(*) FROM people GROUP BY 1;
@ NULL key that is the outlier's alone | 1 |
SELECT active, dp_count(*) FROM people GROUP BY active;
@ key made NULL by failing | 1 |
SELECT 1 / age > 5 AS key, dp_count(*) FROM people GROUP BY 1;
@ keys that look different and are equal | 1 |
SELECT pay * (age % 2), dp_count(*) FROM people GROUP BY 1;
@ zeros of both signs as keys | 1 |
SELECT score * -(age % 2) AS key, dp_count(*) FROM people WHERE score < 100 GROUP BY 1;
@ keys that look different for the row that is read first | 3 |
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT CASE WHEN age = 0 THEN '-0'::float8 ELSE '0'::float8 END AS key, dp_count(*) FROM people WHERE age < 1000 GROUP BY 1;
SELECT CASE WHEN age = 0 THEN 1.000 ELSE 1.0 END AS key, dp_count(*) FROM people WHERE age < 1000 GROUP BY 1;
SET enable_hashagg = off;
SELECT CASE WHEN age = 0 THEN '-0'::float8 ELSE '0'::float8 END AS key, dp_count(*) FROM people WHERE age < 1000 GROUP BY 1;
@ intervals as keys | 1 |
SELECT count(*) >= 0 AS counted FROM (SELECT seen - timestamptz '2020-01-01 00:00:00+00' AS key, dp_count(*) FROM people GROUP BY 1) s;
@ a table of one person | 1 |
SELECT dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100) FROM lone;
@ groups of a table of one person | 1 |
SELECT city, dp_count(*) FROM lone GROUP BY city;
@ a value of a table of one person | 1 |
SELECT secret, dp_avg(age, 0, 100) FROM lone GROUP BY secret;
@ a partition of one person | 1 |
SELECT dp_count(*), dp_sum(cost, 0, 10) FROM parts WHERE day > '2022-01-01';
@ partitions as groups | 1 |
SELECT day > '2022-01-01' AS key, dp_count(*) FROM parts GROUP BY 1;
@ histogram of extremes | 1 |
SELECT bin, lower, upper, count AS noisy FROM dp_histogram('people', 'tag', 0, 100, 5);
@ histogram of an infinite column | 1 |
SELECT bin, count AS noisy FROM dp_histogram('people', 'score', 0, 10, 4, 5, '1 / age < 10');
@ histogram of numerics | 1 |
SELECT bin, count AS noisy FROM dp_histogram('visits', 'cost', 0, 100, 4);
@ histogram of one person | 1 |
SELECT bin, count AS noisy FROM dp_histogram('lone', 'secret', 0, 1, 2);
@ histogram of text | 0 | 0A000
SELECT * FROM dp_histogram('people', 'note', 0, 1, 2);
@ bounds from the data | 0 | 0A000
SELECT dp_sum(age, 0, tag) FROM people;
@ epsilon from the data | 0 | 0A000
SELECT dp_sum(age, 0, 100, score) FROM people;
@ epsilon too small to be | 0 | 22023
SELECT dp_count(id, 1e-12) FROM people;
@ epsilon that is NaN, infinite or negative | 0 | 22023 22023 22023
SELECT dp_count(id, 'NaN') FROM people;
SELECT dp_count(id, 'Infinity') FROM people;
SELECT dp_count(id, -1) FROM people;
@ bounds that are NaN or the wrong way round | 0 | 22023 22023
= once | it is the bounds that are attacked
SELECT dp_sum(score, 'NaN', 1) FROM people;
SELECT dp_sum(age, 1, 0) FROM people;
@ bounds of no width | 1 |
SELECT dp_sum(age, 5, 5), dp_avg(age, 5, 5) FROM people;
@ quantiles of huge, infinite and unknown values | 3 |
SELECT dp_median(score * 1e10, 0, 100), dp_max(score * 'Infinity', 0, 1), dp_median(pay / age, 0, 1) FROM people;
SELECT clinic, dp_quantile(minutes, 0.9, 0, 1e6), dp_median(cost * cost, 0, 100) FROM visits GROUP BY clinic;
SELECT secret, dp_median(age, 0, 100), dp_max(age, 0, 100) FROM lone GROUP BY secret;
@ steps and fractions from the data | 0 | 0A000 0A000
SELECT dp_median(age, 0, 100, 1, tag) FROM people;
SELECT dp_quantile(age, score, 0, 100) FROM people;
@ steps, fractions and bounds out of range | 0 | 22023 22023 22023 22023
= once | it is the bounds that are attacked
SELECT dp_median(age, 0, 100, 1, 1e-9) FROM people;
SELECT dp_median(age, 0, 100, 1, 'NaN') FROM people;
SELECT dp_quantile(age, 1.0000001, 0, 100) FROM people;
SELECT dp_max(age, -1e308, 1e308) FROM people;
@ money, bits, arrays and JSON of rows | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM people WHERE ARRAY[age] = '{0}';
SELECT dp_count(*) FROM people WHERE to_json(note) IS NULL;
SELECT dp_count(*) FROM people WHERE ROW(age, tag) < ROW(1, 2);
@ errors in the settings that text depends on | 3 |
SET extra_float_digits = -15;
SELECT score::text AS key, dp_count(*) FROM people GROUP BY 1;
SET datestyle = 'German';
SELECT born::text AS key, dp_count(*) FROM people WHERE born < '1950-01-10' GROUP BY 1;
SET timezone = 'Asia/Kathmandu';
SELECT dp_count(*) FROM people WHERE date_trunc('day', seen) = '2020-01-01';
@ work that does not fit into memory | 2 |
SET work_mem = '64kB';
SET enable_hashagg = off;
SELECT clinic, dp_count(DISTINCT person), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
SET enable_hashagg = on;
SET enable_sort = off;
SELECT clinic, dp_count(DISTINCT person), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
@ a sample of the rows that an index finds: an error tells that it was taken | 2 |
SET enable_seqscan = off;
SET gin_fuzzy_search_limit = 10;
SELECT 1 / (abs(dp_count(*) - 3000) < 100)::int AS right FROM people WHERE name LIKE '%name%';
SELECT 1 / (abs(dp_count(*) - 1000) < 100)::int AS right FROM people WHERE name LIKE '%name%' AND city = 'Bremen';
ATTACKS

$neighbours->finish;
