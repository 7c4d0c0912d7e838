# Attacks by what is declared of columns: people beyond it, hidden columns, declarations
# that change, and the analyst's own about tables of hers.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $admin = <<'SQL';
SET ROLE olga;
SELECT dp_agg.set_domain('clinic.people', 'city', ARRAY['Aachen', 'Bremen', 'Celle', 'Emden']), dp_agg.set_domain('clinic.people', 'age', 18, 100),
	dp_agg.set_domain('clinic.people', 'pay', 0, 5000), dp_agg.set_domain('clinic.people', 'score', 0, 10), dp_agg.set_domain('clinic.people', 'born', '1930-01-01', '2010-12-31'),
	dp_agg.set_domain('clinic.people', 'seen', '2020-01-01', '2021-12-31'), dp_agg.set_domain('clinic.people', 'tag', ARRAY(SELECT generate_series(0, 99))),
	dp_agg.set_domain('clinic.visits', 'clinic', ARRAY['clinic 0', 'clinic 1', 'clinic 2']), dp_agg.set_domain('clinic.visits', 'minutes', 0, 100),
	dp_agg.set_domain('clinic.visits', 'cost', 0, 200), dp_agg.set_domain('clinic.lone', 'city', ARRAY['Aachen', 'Bremen']), dp_agg.set_domain('clinic.lone', 'age', 0, 100);
SELECT dp_agg.hide_column('clinic.people', 'name'), dp_agg.hide_column('clinic.people', 'note'), dp_agg.hide_column('clinic.visits', 'note');
RESET ROLE;
CREATE EXTENSION citext SCHEMA public;
CREATE EXTENSION hstore SCHEMA public;
CREATE EXTENSION intarray SCHEMA public;
SET ROLE olga;
CREATE FUNCTION clinic.told(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'cnry %', $1; RETURN $1::text <> '99'; END $$;
CREATE DOMAIN clinic.counted AS int;
CREATE DOMAIN clinic.spelt AS public.citext;
CREATE TABLE clinic.guests (id clinic.counted PRIMARY KEY, age clinic.counted, mail public.citext, other clinic.spelt, tags public.hstore, codes int[], doc jsonb, host inet, town public.citext);
INSERT INTO clinic.guests SELECT id, age, city || CASE WHEN id = 5000 THEN repeat('X', 3000) ELSE '' END, name,
	CASE WHEN id = 5000 THEN public.hstore('k', repeat('v', 90000)) ELSE public.hstore('k', 'v') END,
	CASE WHEN id = 5000 THEN ARRAY[NULL, 7] ELSE ARRAY[1, 2] END, CASE WHEN id = 5000 THEN to_jsonb(repeat('v', 90000)) ELSE '{"a": {"b": [1]}}' END,
	CASE WHEN id = 5000 THEN '::/0' ELSE '10.0.0.1' END::inet, CASE WHEN id = 5000 THEN 'CHUR' WHEN id % 2 = 0 THEN upper(city) ELSE city END FROM clinic.people;
ALTER DOMAIN clinic.counted ADD CHECK (clinic.told(VALUE)) NOT VALID;
ALTER DOMAIN clinic.spelt ADD CHECK (clinic.told(VALUE)) NOT VALID;
CREATE TABLE clinic.mails (mail public.citext, mail_key text GENERATED ALWAYS AS (lower(mail::text)) STORED, n int);
INSERT INTO clinic.mails (mail, n) SELECT CASE spelling WHEN 1 THEN 'A' || id || '@x' ELSE 'a' || id || '@X' END, CASE WHEN id = 5000 THEN 9 ELSE spelling END FROM clinic.people, generate_series(1, 2) spelling;
SELECT dp_agg.protect('clinic.mails', 'mail_key', max_rows => 1, max_groups => 1);
CREATE TABLE clinic.spellings (mail public.citext, n int, day int);
INSERT INTO clinic.spellings SELECT CASE spelling % 2 WHEN 1 THEN upper(left(word, spelling)) ELSE left(word, spelling) END || substr(word, spelling + 1) || id || repeat('@X', 3), spelling, id % 7
	FROM (SELECT id, 'abcdefghijkl' AS word FROM clinic.people) p, generate_series(1, 2) spelling WHERE id <> 5000
	UNION ALL SELECT overlay('abcdefghijkl' PLACING upper(substr('abcdefghijkl', i, 1)) FROM i FOR 1) || '5000' || repeat('@x', 3), i, i % 7 FROM clinic.people, generate_series(1, 10) i WHERE id = 5000;
CREATE TABLE clinic.orders AS SELECT mail, n, day FROM clinic.spellings;
SELECT dp_agg.protect('clinic.spellings', 'mail', max_rows => 1, max_groups => 1, max_join_rows => 2), dp_agg.set_domain('clinic.spellings', 'n', 0, 10);
SELECT dp_agg.protect('clinic.orders', 'mail', max_rows => 2, max_groups => 2, max_join_rows => 2), dp_agg.set_domain('clinic.orders', 'n', 0, 10);
SELECT dp_agg.protect('clinic.guests', 'id'), dp_agg.set_domain('clinic.guests', 'age', 18, 100), dp_agg.set_domain('clinic.guests', 'town', ARRAY['AACHEN', 'Bremen', 'celle', 'Emden']);
RESET ROLE;
SQL
my $analyst = <<'SQL';
CREATE FUNCTION ann.shout(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'cnry %', $1; RETURN true; END $$;
CREATE DOMAIN ann.odd AS int CHECK (ann.shout(VALUE));
CREATE TYPE ann.pair AS (a ann.odd, b int);
CREATE TABLE ann.mine (id int PRIMARY KEY, o ann.odd, k int, t text);
INSERT INTO ann.mine SELECT i, 1, i % 4, 'k' || i % 4 FROM generate_series(0, 99) i;
SELECT dp_agg.set_domain('ann.mine', 'k', -2147483648, 2147483647), dp_agg.set_domain('ann.mine', 't', ARRAY['k0', 'k1']);
SQL
my $neighbours = new_neighbours('attack_domains', admin => $admin, analyst => $analyst);

$neighbours->attack(<<'ATTACKS');
@ a value that is no key makes no group | 3 |
SELECT city, dp_count(*) FROM people GROUP BY city ORDER BY city;
SELECT clinic, dp_count(*), dp_count(DISTINCT person) FROM visits GROUP BY clinic ORDER BY clinic;
SELECT city, dp_count(*) FROM lone GROUP BY city ORDER BY city;
@ nor do keys beside others | 2 |
SELECT city, active, dp_count(*) FROM people GROUP BY city, active ORDER BY 1, 2;
SELECT count(*), count(city), count(tag), max(tag) FROM (SELECT city, tag, dp_count(*) FROM people GROUP BY city, tag) s;
@ how many there are is public | 1 |
SELECT count(*) FROM (SELECT city, dp_count(*) AS noisy FROM people WHERE id = 5000 GROUP BY city) s;
@ values beyond bounds | 3 |
SELECT dp_sum(pay), dp_avg(pay), dp_median(pay), dp_max(score), dp_min(score), dp_stddev(score) FROM people;
SELECT clinic, dp_sum(minutes), dp_avg(cost), dp_quantile(cost, 0.9) FROM visits GROUP BY clinic;
SELECT dp_avg(extract(year FROM born)), dp_avg(extract(epoch FROM seen)), dp_avg(born - date '2000-01-01') FROM people;
@ expressions that fail on somebody | 4 |
SELECT dp_avg(age / (age - 18)) FROM people WHERE age > 20;
SELECT dp_sum(100 % greatest(age, 1)) FROM people;
SELECT dp_avg(pay * pay) FROM people;
SELECT dp_avg(least(greatest(length(code), 0), 999)) FROM people;
@ plans tell the same | 0 |
EXPLAIN (VERBOSE) SELECT city, dp_sum(pay), dp_count(*) FROM people GROUP BY city;
SELECT aggregate, epsilon, delta, noise_stddev FROM dp_agg.price('SELECT clinic, dp_sum(minutes) FROM visits GROUP BY clinic');
@ constants that are no declared key | 3 |
SELECT dp_count(*) FROM people WHERE city = 'aachen' OR tag = 100 / age;
SELECT dp_count(*) FROM visits WHERE clinic IN ('clinic 2', 'clinic 3') AND minutes > 100 / minutes;
SELECT dp_count(*) FROM people WHERE city <> 'Zwolle' AND tag NOT IN (99, 100);
@ and none that a public table has, or one that somebody has | 3 |
SELECT dp_count(*) FROM visits v JOIN doctors d USING (clinic) WHERE d.town <> 'Nowhere' AND d.beds = -1 AND v.minutes > 100 / v.minutes;
SELECT d.town, dp_count(v.person) FROM doctors d LEFT JOIN visits v ON v.clinic = d.clinic AND d.town IN ('x', 'y') AND v.person = 5000 GROUP BY d.town ORDER BY 1;
SELECT dp_count(*) FROM people p JOIN mine m ON m.id = p.tag WHERE m.k IN (5000, 1) AND m.t <> 'k9' AND p.id = 5000;
@ bounds that are missing | 0 | 22023 22023 22023 22023
SELECT dp_avg(secret) FROM people;
SELECT dp_avg(length(city || 'x')) FROM people;
SELECT dp_avg(CASE WHEN id = 5000 THEN secret ELSE age END) FROM people;
SELECT dp_avg(total) FROM (SELECT id, sum(age) AS total FROM people GROUP BY id) s;
@ bounds that follow | 5 |
SELECT dp_avg(total), dp_max(n) FROM (SELECT person, sum(minutes) AS total, count(*) AS n FROM visits GROUP BY person) s;
SELECT dp_avg(extract(epoch FROM seen - timestamp '2020-01-01')), dp_avg(length(city)) FROM people;
SELECT dp_avg(extract(day FROM age(seen, timestamp '2019-01-01'))), dp_sum(extract(year FROM age(seen, timestamp '2019-01-01'))) FROM people;
SELECT extract(epoch FROM avg(seen - timestamp '2020-01-01')) AS noisy FROM people;
SELECT extract(epoch FROM max(least(greatest(age(seen, timestamp '2019-01-01'), interval '0'), interval '2 years'))) AS noisy FROM people;
@ keys that are computed | 9 |
SELECT age / 10 AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT date_trunc('month', born) AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT extract(hour FROM seen) AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT seen::date AS k, dp_count(*) FROM people WHERE seen >= '2020-02-01' AND seen < '2020-02-20' GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN id = 5000 THEN 'his' ELSE 'theirs' END AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT 100 / (age - 50) AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT age % 7 AS k, active, dp_count(*), dp_avg(pay) FROM people WHERE age / (age - 20) > 0 OR id = 5000 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT minutes / 10 AS k, dp_count(*), dp_count(DISTINCT person) FROM visits GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (SELECT age / 10 AS k, dp_count(*) FROM people WHERE id = 5000 GROUP BY 1) s;
@ and their plans | 0 |
EXPLAIN (VERBOSE) SELECT age / 10 AS k, dp_count(*) FROM people GROUP BY 1;
EXPLAIN (VERBOSE) SELECT date_trunc('month', seen) AS k, dp_sum(pay) FROM people WHERE id = 5000 GROUP BY 1;
@ columns of domains, of citext and of other types | 10 |
SELECT dp_count(*), dp_count(age), dp_sum(age), dp_max(age), dp_count(DISTINCT id) FROM clinic.guests;
SELECT age > 50 AS k, dp_count(*) FROM clinic.guests GROUP BY age > 50 ORDER BY k;
SELECT age, dp_count(*) FROM clinic.guests WHERE id = 5000 GROUP BY age;
SELECT mail, dp_count(*) FROM clinic.guests WHERE id = 5000 GROUP BY mail;
SELECT dp_count(*) FROM clinic.guests WHERE mail = 'AACHEN' OR other LIKE '%5000' OR mail > 'x' OR other IS NULL;
SELECT dp_count(DISTINCT other) FROM clinic.guests;
SELECT dp_count(tags), dp_count(codes), dp_count(doc) FROM clinic.guests WHERE tags IS NOT NULL;
SELECT dp_count(*) FROM clinic.guests WHERE codes && '{7}' OR codes @> '{1}';
SELECT dp_count(*) FROM clinic.guests WHERE doc #>> '{a,b,0}' = '1' OR doc['a']['b'][0] IS NULL OR (doc #> '{}')::int = 1;
SELECT dp_count(*) FROM clinic.guests WHERE host <<= '10.0.0.0/8' OR host(broadcast(host)) = '10.0.0.1' OR masklen(host) = 0;
@ keys of citext, and a spelling that is none of them | 5 |
SELECT town, dp_count(*) FROM clinic.guests GROUP BY town;
SELECT town, active, dp_count(*) FROM clinic.guests JOIN people USING (id) GROUP BY town, active ORDER BY 1, 2;
SELECT count(*), count(town) FROM (SELECT town, dp_count(*) AS noisy FROM clinic.guests WHERE id = 5000 GROUP BY town) s;
SELECT dp_count(*) FROM clinic.guests WHERE town = 'CHUR' OR town IN ('chur', 'Aachen');
SELECT dp_max(lower(town)), dp_avg(length(town)) FROM clinic.guests;
@ spellings of one person | 3 | 0A000
SELECT dp_count(*), dp_count(DISTINCT mail_key), dp_count(DISTINCT mail), dp_sum(n, 0, 5) FROM clinic.mails;
SELECT n, dp_count(*) FROM (SELECT mail_key, count(*) AS n FROM clinic.mails GROUP BY mail_key) m GROUP BY n;
SELECT dp_count(*) FROM clinic.mails a JOIN clinic.mails b USING (mail_key) WHERE a.mail = b.mail AND a.mail <> 'A5000@X';
SELECT mail, dp_count(*) FROM clinic.mails WHERE n = 9 GROUP BY mail;
@ a unit of citext in ten spellings | 11 | 0A000 0A000
SET dp_agg.max_join_rows = 4;
SELECT dp_count(*), dp_count(DISTINCT mail), dp_count(DISTINCT mail::text), dp_sum(n, 0, 5), dp_avg(n), dp_median(n) FROM clinic.spellings;
SELECT n, dp_count(*) FROM clinic.spellings GROUP BY n;
SELECT mail::text, dp_count(*) FROM clinic.spellings GROUP BY 1;
SELECT n, dp_count(*), dp_count(DISTINCT mail) FROM (SELECT mail, count(*) AS n FROM clinic.spellings GROUP BY mail) m GROUP BY n;
SELECT dp_sum(t, 0, 20) FROM (SELECT mail, sum(n) AS t FROM clinic.orders GROUP BY mail) m;
SELECT dp_count(*) FROM clinic.spellings a JOIN clinic.orders b USING (mail) WHERE a.mail <> 'x';
SELECT dp_count(*), dp_count(b.n) FROM clinic.spellings a LEFT JOIN clinic.orders b ON b.mail = a.mail AND b.n > 1;
SELECT dp_count(*) FROM clinic.spellings a WHERE EXISTS (SELECT FROM clinic.orders b WHERE b.mail = a.mail AND b.n = 9);
SELECT dp_count(*) FROM (SELECT mail, n FROM clinic.spellings UNION ALL SELECT mail, n FROM clinic.orders) u;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY mail ORDER BY n) AS r FROM clinic.spellings) w WHERE r = 9;
SELECT day, dp_count(*) FROM clinic.orders WHERE mail = 'ABCDEFGHIJKL5000@X@X@X' GROUP BY day;
SELECT dp_count(*) FROM clinic.spellings a JOIN clinic.orders b ON a.mail::text = b.mail::text;
SELECT dp_count(*) FROM clinic.spellings a JOIN clinic.mails b ON b.mail_key = lower(a.mail::text);
RESET dp_agg.max_join_rows;
@ what would look into them | 0 | 0A000 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM clinic.guests WHERE (age + 0)::clinic.counted = 1;
SELECT dp_count(*) FROM clinic.guests WHERE tags -> 'k' = 'v';
SELECT dp_count(DISTINCT tags) FROM clinic.guests;
SELECT dp_count(*) FROM clinic.guests WHERE codes @@ '7';
SELECT tags, dp_count(*) FROM clinic.guests GROUP BY tags;
SELECT dp_count(*) FROM clinic.guests WHERE host + id > '10.0.0.1';
@ hidden columns | 0 | 42501 42501 42501 42501 42501 42501 42501 42501
SELECT dp_count(name) FROM people;
SELECT dp_count(*) FROM people WHERE name LIKE '%5000';
SELECT dp_count(*) FROM people GROUP BY left(note, 4);
SELECT dp_count(*) FROM people p JOIN visits v ON v.person = p.id AND v.note = p.city;
SELECT dp_avg(n, 0, 9) FROM (SELECT person, count(DISTINCT note) AS n FROM visits GROUP BY person) s;
SELECT dp_avg(n, 0, 9) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person HAVING max(note) > 'a') s;
SELECT dp_count(*) FROM (SELECT id AS person, name AS n FROM people) s JOIN visits USING (person) WHERE n > 'a';
SELECT * FROM dp_top('people', 'name', 3);
@ hidden columns by other names | 1 | 42501 42501 42703 0A000
WITH p AS (SELECT * FROM people) SELECT dp_count(*) FROM p WHERE p.name > 'a';
SELECT dp_count(*) FROM (SELECT name AS x, * FROM people) s WHERE x = 'x';
SELECT dp_count(*) FROM people AS p (a, b, c) WHERE name = 'x';
SELECT dp_count(*) FROM people p WHERE to_jsonb(p) ->> 'name' = 'x';
SELECT dp_count(*) FROM (SELECT * FROM people) s;
@ opening them | 0 | 42501 42501 42501 42501 42501
SELECT dp_agg.hide_column('people', 'name', false);
SELECT dp_agg.set_domain('people', 'name', ARRAY['x']);
SELECT dp_agg.drop_domain('people', 'city');
SECURITY LABEL FOR dp_agg_domain ON COLUMN clinic.people.name IS NULL;
SECURITY LABEL FOR dp_agg_domain ON COLUMN clinic.people.secret IS 'lower="0" upper="9000000000"';
@ keys withdrawn after planning | 2 |
SET plan_cache_mode = force_generic_plan;
PREPARE a AS SELECT city, dp_count(*) FROM people WHERE id <> 4999 GROUP BY city ORDER BY city;
EXECUTE a;
> admin
SELECT dp_agg.set_domain('clinic.people', 'city', ARRAY['Aachen']);
> ann
EXECUTE a;
> admin
SELECT dp_agg.set_domain('clinic.people', 'city', ARRAY['Aachen', 'Bremen', 'Celle', 'Emden']);
> ann
DEALLOCATE a;
RESET plan_cache_mode;
@ bounds withdrawn between planning and reading | 0 | 22023
BEGIN;
DECLARE c CURSOR FOR SELECT dp_sum(age) FROM people;
> admin
SELECT dp_agg.drop_domain('clinic.people', 'age');
> ann
FETCH ALL c;
ROLLBACK;
> admin
SELECT dp_agg.set_domain('clinic.people', 'age', 18, 100);
@ a column hidden between planning and reading | 0 | 42501
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(code) FROM people;
> admin
SELECT dp_agg.hide_column('clinic.people', 'code');
> ann
FETCH ALL c;
ROLLBACK;
> admin
SELECT dp_agg.hide_column('clinic.people', 'code', false);
@ bounds of her own, as wide as can be | 1 |
SELECT dp_sum(m.k) FROM people p JOIN mine m ON m.id = p.tag;
@ keys of her own | 1 |
SELECT m.t, dp_count(*) FROM people p JOIN mine m ON m.id = p.tag GROUP BY m.t ORDER BY m.t;
@ code of hers in the type of a column that has a label | 3 |
SELECT dp_agg.set_domain('ann.mine', 'o', 1, 2);
SELECT dp_count(*) FROM people p JOIN mine m ON m.id = p.tag;
SELECT dp_avg(m.k) FROM people p JOIN mine m ON m.id = p.tag;
SELECT dp_avg(m.o) FROM people p JOIN mine m ON m.id = p.tag;
@ a label that a type of hers no longer fits | 0 | 0A000
ALTER TABLE ann.mine ALTER t TYPE ann.pair USING NULL;
SELECT dp_avg(CASE WHEN m.t IS NULL THEN m.k END), dp_count(*) FROM people p JOIN mine m ON m.id = p.tag GROUP BY m.t;
ALTER TABLE ann.mine ALTER t TYPE text USING 'k0';
@ keys that a public table has, and no others | 3 |
> admin
SET ROLE olga;
CREATE TABLE clinic.codes (code text PRIMARY KEY);
INSERT INTO clinic.codes SELECT DISTINCT code FROM clinic.people WHERE id < 100 AND code IS NOT NULL LIMIT 3;
GRANT SELECT ON clinic.codes TO ann;
SELECT dp_agg.set_domain('clinic.people', 'code', refers_to => 'clinic.codes.code');
RESET ROLE;
> ann
SELECT code, dp_count(*) FROM people GROUP BY code ORDER BY code;
SELECT count(*), count(code) FROM (SELECT code, dp_count(*) AS noisy FROM people WHERE id = 5000 GROUP BY code) s;
EXPLAIN (VERBOSE) SELECT code, dp_count(*) FROM people WHERE id = 5000 GROUP BY code;
SELECT code, dp_count(DISTINCT v.person) FROM people p JOIN visits v ON v.person = p.id GROUP BY code ORDER BY code;
@ a constant that is none of those, or his alone | 2 |
SELECT dp_count(*) FROM people WHERE code = 'nobody' OR code IN (SELECT code FROM clinic.codes) OR code = '1000';
SELECT dp_count(*) FROM people WHERE code <> 'nobody' AND id = 5000;
@ that table renamed after planning, and one of hers in its place | 1 | 55000
SET plan_cache_mode = force_generic_plan;
PREPARE a AS SELECT code, dp_count(*) FROM people GROUP BY code ORDER BY code;
EXECUTE a;
> admin
ALTER TABLE clinic.codes RENAME TO other_codes;
> ann
CREATE TABLE codes (code text PRIMARY KEY);
EXECUTE a;
> admin
ALTER TABLE clinic.other_codes RENAME TO codes;
> ann
DROP TABLE ann.codes;
DEALLOCATE a;
RESET plan_cache_mode;
@ and closed to her | 0 | 42501 42501
= once | the domain is gone at the end
> admin
REVOKE SELECT ON clinic.codes FROM ann;
> ann
SELECT code, dp_count(*) FROM people GROUP BY code;
SELECT code, count(*) FROM people GROUP BY code;
> admin
SELECT dp_agg.drop_domain('clinic.people', 'code');
> ann
@ what is declared is no secret | 0 |
SELECT * FROM dp_agg.protected_columns;
ATTACKS

$neighbours->finish;
