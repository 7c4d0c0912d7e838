# Attacks on dp_select_model: conditions and models that single a person out, texts and json that break out,
# rows that fail, functions of one's own, models that would carry rows away.
#
# Every attack is carried out in databases that differ by one person alone, the outlier with most of the rows; an
# analyst must be shown the same in all, but for noise.  At epsilon 5 and more here, what is named errs
# so much less than all others that it changes with a probability below 1e-12 a statement; or it is called noisy.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";
use AttackTest;

my $server = new_neighbours('choosing', analyst => <<'SQL');
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN true; END';
CREATE FUNCTION tell(text) RETURNS text IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN $1; END';
CREATE FUNCTION models() RETURNS float8[] IMMUTABLE LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told''; RETURN ''{{0,1},{0,-1}}''; END';
CREATE VIEW mine AS SELECT * FROM clinic.people;
SQL

$server->attack(<<'ATTACKS');
@ which errs least, never by how much | 4 |
SELECT * FROM dp_select_model('people', 'age >= 50', ARRAY['age < 50', 'age >= 50', 'city LIKE ''Zwies_l''']);
SELECT * FROM dp_select_model('people', 'age >= 50', '{"age": [0, 100]}', ARRAY[[0, 1], [0, -1]], 'zero_one', filter => 'age BETWEEN 1 AND 99');
SELECT * FROM dp_select_model('visits', 'minutes > 60', '{"minutes": [0, 120]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2, 50);
SELECT "position", model FROM dp_select_model('people', 'age + 0', '{"age": [0, 100]}', ARRAY[[50, 50], [50, -50]], 'squared', 100) OFFSET 1000000;
@ a person alone, by conditions | 3 |
SELECT "position" AS noisy FROM dp_select_model('people', 'id = 5000', ARRAY['false', 'city LIKE ''Zwies_l''', 'secret - 7319000000 = 555000']);
SELECT "position" FROM dp_select_model('people', 'age >= 50', ARRAY['id = 5000', 'age >= 50'], 5);
SELECT "position" AS noisy FROM dp_select_model('lone', 'city LIKE ''Zwies_l''', ARRAY['true', 'false'], 0.001);
@ a person alone, by models as large as can be and rows as many | 3 |
SELECT "position" AS noisy FROM dp_select_model('people', 'city LIKE ''Zwies_l''', '{"age": [0, 100], "pay": [0, 1e-300]}', ARRAY[[1024, 1024, 1024], [-1024, -1024, -1024]], 'hinge', 65536, 0.001);
SELECT "position" AS noisy FROM dp_select_model('visits', 'person = 5000', '{"minutes": [0, 2147483647]}', ARRAY[[1, 1], [-1, -1]], 'logistic', 4, 0.001);
SELECT "position" AS noisy FROM dp_select_model('people', 'pay', '{"age": [0, 100]}', ARRAY[[0, 0], [1e9, 1e9]], 'absolute', 1e7, 0.001);
@ errors of rows | 4 |
SELECT "position" AS noisy FROM dp_select_model('people', '1 / age > 0', ARRAY['sqrt(score - 1e307) > 0', 'length(note) > 0', 'date_trunc(''year'', born) IS NULL'], 5);
SELECT "position" AS noisy FROM dp_select_model('people', '1 / age', '{"score": [0, 1]}', ARRAY[[0, 1], [0, -1]], 'squared', 1, 5);
SELECT "position" AS noisy FROM dp_select_model('people', 'pay * 1e300', '{"born": ["1950-01-01", "1980-01-01"], "seen": ["2020-01-01", "2020-02-01"]}', ARRAY[[0, 1, 0], [0, -1, 0]], 'absolute', 1, 5);
SELECT "position" AS noisy FROM dp_select_model('people', 'age > 50', '{"score": [0, 1]}', ARRAY[[0, 1], [0, -1]], 'logistic', 4, 5, '1 / age > 0 OR sqrt(score - 1e307) IS NULL');
@ functions of one's own | 0 | 0A000 0A000 0A000 0A000 0A000 0A000
SELECT * FROM dp_select_model('people', 'age > 50', ARRAY['tell(age)']);
SELECT * FROM dp_select_model('people', 'tell(age)', ARRAY['true']);
SELECT * FROM dp_select_model('people', 'tell(age)', '{"age": [0, 100]}', ARRAY[[0, 1]], 'hinge', 1);
SELECT * FROM dp_select_model('people', 'length(tell(name))', '{"age": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
SELECT * FROM dp_select_model('people', 'id > 50', '{"age": [0, 100]}', models(), 'hinge', 1);
SELECT * FROM dp_select_model('people', 'id > 50', '{"age": [0, 100]}', ARRAY[[0, 1]], 'hinge', 1, 5, 'tell(age)');
@ texts that end early | 0 | 42601 42601 22023 42601 22023 22023
SELECT * FROM dp_select_model('people', 'true) <> (false', ARRAY['true']);
SELECT * FROM dp_select_model('people', 'true', ARRAY['true) IS TRUE) THEN 1 END, 1) AS c1, string_agg(name, '''') FROM people) b --']);
SELECT * FROM dp_select_model('people', 'true', ARRAY['true UNION SELECT true']);
SELECT * FROM dp_select_model('people', E'age)), 1) AS c FROM people) b --', '{"age": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
SELECT * FROM dp_select_model('people', 'age FROM people', '{"score": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
SELECT * FROM dp_select_model('people', 'age; DROP TABLE people', '{"score": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
@ subqueries and aggregates in texts | 0 | 0A000 0A000 22023 22023 22023
SELECT * FROM dp_select_model('people', 'age > (SELECT min(age) FROM people)', ARRAY['true']);
SELECT * FROM dp_select_model('people', '(SELECT secret FROM people LIMIT 1)', '{"age": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
SELECT * FROM dp_select_model('people', 'sum(age)', '{"age": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
SELECT * FROM dp_select_model('people', 'row_number() OVER ()', '{"age": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
SELECT * FROM dp_select_model('people', 'generate_series(1, age)', '{"age": [0, 100]}', ARRAY[[0, 1]], 'squared', 1);
@ json that is no list of columns | 0 | 22P02 22023 42703 22023 22023 0A000
SELECT * FROM dp_select_model('people', 'id > 50', '[', ARRAY[[0, 1]], 'hinge', 1);
SELECT * FROM dp_select_model('people', 'id > 50', '{"age": [0, 100], "age": [0, 100]}', ARRAY[[0, 1, 1]], 'hinge', 1);
SELECT * FROM dp_select_model('people', 'id > 50', '{"age\" FROM people --": [0, 100]}', ARRAY[[0, 1]], 'hinge', 1);
SELECT * FROM dp_select_model('people', 'id > 50', '{"age": {"a": [0, 1]}}', ARRAY[[0, 1]], 'hinge', 1);
SELECT * FROM dp_select_model('people', 'id > 50', '{"age": [0, 1e400]}', ARRAY[[0, 1]], 'hinge', 1);
SELECT * FROM dp_select_model('people', 'age > 50', '{"id": [0, 100]}', ARRAY[[0, 1]], 'hinge', 1);
@ keys that are text to break out with | 1 |
SELECT "position" AS noisy FROM dp_select_model('people', 'id > 50', '{"city": ["''", "\"", "{", "},{", "\\", "$1", ")", "\n--", "NULL", ""]}', ARRAY[array_fill(0::float8, '{10}'), array_fill(1::float8, '{10}')], 'hinge', 1);
@ by hand | 0 | 0A000 0A000 0A000
SELECT dp_agg_internal.losses('', 1, age) FROM people;
SELECT dp_agg_internal.exact_losses('', 1, 1, age) FROM people;
SELECT dp_count(*) FROM people WHERE dp_agg_internal.target(age, 1) > 0;
@ relations that are not protected | 0 | 42501 42501
SELECT * FROM dp_select_model('doctors', 'true', ARRAY['true']);
SELECT * FROM dp_select_model('pg_class', 'relhasindex', '{"relpages": [0, 100]}', ARRAY[[0, 1]], 'hinge', 1);
@ until the budget is spent | 1+2 | 53400 53400
> poor
SELECT count(*) FROM dp_select_model('lone', 'true', ARRAY['true', 'false'], 0.3);
SELECT count(*) FROM dp_select_model('lone', 'true', ARRAY['true'], 0.3);
SELECT count(*) FROM dp_select_model('lone', 'id > 5', '{"city": ["a", "b"]}', ARRAY[[0, 1]], 'hinge', 1, 0.3);
@ without a budget | 0 | 42501
> eve
SELECT * FROM dp_select_model('lone', 'true', ARRAY['true', 'false']);
ATTACKS

$server->finish;
