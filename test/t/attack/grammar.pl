# Attacks by what texts are made of and read as, by columns outside GROUP BY, by what is computed
# without a match, and by the least text: rows that make these fail, grow, take long or leave
# something behind in the session.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# Of one person alone the note names a time zone that nobody else has, or a word for now.
my $neighbours = new_neighbours('attack_grammar', admin => <<'SQL', person => { somebody => "UPDATE clinic.people SET code = 'Antarctica/Troll', name = '2024-02-29 10:00 Antarctica/Troll' WHERE id = 5000;\n", outlier => "UPDATE clinic.people SET name = '2024-02-29 10:00 now' WHERE id = 5000;\n" });
SELECT dp_agg.set_domain('clinic.people', 'city', '{Aachen,Bremen,Celle,Nowhere}'::text[]);
SQL

$neighbours->attack(<<'ATTACKS');
@ text that grows: chains of concatenations | 1 |
SELECT dp_count(*) FROM people WHERE ((note || note || note || note) || (note || note || note || note)) || note = 'x';
@ text that grows: replacing each letter by many | 1 |
SELECT dp_count(replace(replace(note, 'c', 'cccccccccccccccccccccccccccccccccc'), 'c', 'cccccccccccccccccccccccccccccccccc')) FROM people;
@ text that grows as a key | 1 |
SELECT replace(note, '%', '%%%%%%%%%%%%%%%%%%%%%%%%%%%%') || note AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
@ text that is filled to a length that one row has | 0 | 0A000
SELECT dp_count(*) FROM people WHERE lpad(name, tag) = 'x';
@ text that is filled to very many letters | 0 | 54000
SELECT dp_count(*) FROM people WHERE lpad(name, 100000000) = 'x';
@ replacing what a column says | 0 | 0A000
SELECT dp_count(*) FROM people WHERE replace(note, name, 'x') = 'x';
@ a separator that is a column | 0 | 0A000
SELECT dp_count(*) FROM people WHERE concat_ws(name, city, note) = 'x';
@ concat of everything | 1 |
SELECT md5(concat(name, city, age, pay, score, born, seen, tag, active, secret, note)) AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
@ concat_ws of everything | 1 |
SELECT dp_count(*) FROM people WHERE concat_ws('|', name, city, age, born, tag, note) < 'd';
@ translating long texts | 1 |
SELECT dp_count(*) FROM people WHERE translate(note, 'abcdefghijklmnopqrstuvwxyz', 'zyxwvutsrqponmlkjihgfedcba') = 'x';
@ casts of texts that fail | 6 |
SELECT dp_sum(code::int, 0, 1000) FROM people;
SELECT dp_avg(code::numeric, 0, 1000), dp_count(name::float8) FROM people;
SELECT code::boolean AS key, dp_count(*) FROM people GROUP BY 1;
SELECT dp_count(name::uuid), dp_count(note::bigint), dp_count(code::smallint), dp_count(code::real) FROM people;
SELECT code::numeric AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
SELECT dp_count(*) FROM people WHERE (note || '1')::int > 5 OR name::timestamptz > '2000-01-01';
@ casts of texts that fail, where errors end the session | 1 |
SET exit_on_error = on;
SELECT dp_count(code::int), dp_count(note::date) FROM people;
SET exit_on_error = off;
@ a time zone that one row names, read from a file | 3 |
SELECT dp_count(name::timestamptz), dp_count(code::timestamp) FROM people;
SELECT name::date AS key, dp_count(*) FROM people GROUP BY 1;
SELECT dp_max(name::timestamptz, '2000-01-01', '2030-01-01') FROM people;
@ a time zone in a format | 0 | 0A000
SELECT dp_count(to_timestamp(name, 'YYYY-MM-DD HH24:MI TZ')) FROM people;
@ a time zone in a format, in small letters | 0 | 0A000
SELECT dp_count(to_date(name, 'tz')) FROM people;
@ orders of day and month that a setting decides | 2 |
SET datestyle = 'ISO, DMY';
SELECT dp_count((code || '.01.2024')::date), dp_count('2024-01-01' || name || now()) FROM people;
SET datestyle = 'ISO, MDY';
SELECT code || '-02-03' AS key, (code || '-02-03')::date IS NULL AS nothing, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1, 2;
@ texts by a format | 3 |
SELECT dp_count(to_date(code, 'YYY')), dp_count(to_number(code, '999')), dp_sum(to_number(note, '9999999999'), 0, 10) FROM people;
SELECT to_date(name, 'YYYY-MM-DD') AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
SELECT to_timestamp(note, 'Month DD') AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
@ a format that no text has | 1 |
SELECT dp_count(to_date(code, 'IYYY-MM-DD')) FROM people;
@ a cast that reads a catalog | 0 | 0A000 0A000
SELECT dp_count(code::regclass) FROM people;
SELECT dp_count(note::jsonb) FROM people;
@ buckets between thresholds | 2 |
SELECT width_bucket(score, '{1,5,NaN}'::float8[]) AS key, dp_count(*) FROM people GROUP BY 1;
SELECT width_bucket(note, ARRAY['a', 'cnr', 'd']) AS key, dp_count(*) FROM people GROUP BY 1;
@ columns that a key determines | 2 |
SELECT id, name, note, dp_count(*) FROM people GROUP BY id;
SELECT dp_count(*), dp_max(age, 0, 100) FROM (SELECT p.id, p.age, p.name, p.note, count(*) FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s WHERE note > 'a';
= 1 | 42501 | rows of single units are nothing but rows
@ what is computed without a match | 2 |
SELECT s.worth, dp_count(*) FROM visits v LEFT JOIN (SELECT id, 100 / age AS worth, 1 AS one FROM people WHERE age < 30) s ON s.id = v.person GROUP BY 1;
SELECT dp_sum(s.mean, 0, 100), dp_count(*) FROM people p LEFT JOIN (SELECT person, sum(minutes) / nullif(count(*) - 4, 0) AS mean FROM visits GROUP BY person) s ON s.person = p.id WHERE coalesce(s.mean, 5) > 1;
@ lengths of time as keys | 2 |
SELECT seen - timestamptz '2020-01-01' AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
SELECT age * interval '1 month' AS key, dp_count(*) FROM people GROUP BY 1;
@ the least text | 2 |
SELECT dp_min(city) AS maybe_least, dp_max(city) AS maybe_most FROM people;
SELECT dp_min(city) AS maybe_least, dp_max(city) AS maybe_most FROM people WHERE id > 4990;
@ the least text, of a column whose keys are not declared | 0 | 0A000 0A000
SELECT dp_min(name) FROM people;
SELECT dp_max(upper(city)) FROM people;
@ the same with a domain of the analyst's own | 0 | 42501 0A000
SELECT dp_agg.set_domain('people', 'name', '{a,b}'::text[]);
SELECT dp_min(dp_agg.place(name, '{a,b}'::text[]), 1, 2) FROM people;
ATTACKS

$neighbours->finish;
