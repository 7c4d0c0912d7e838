# Attacks on dp_logregr and dp_svm: conditions and columns that single a person out, texts and json that break out,
# rows that fail in the model or in a pass, functions of one's own, models that would carry rows away, passes that rows
# might end.
#
# Every attack is carried out in databases that differ by one person alone, the outlier with most of the rows; an
# analyst must be shown the same in all, but for noise, which what is made of coefficients is called.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";
use AttackTest;

my $server = new_neighbours('classifying', analyst => <<'SQL');
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN true; END';
CREATE FUNCTION passes() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''told''; RETURN 2; END';
CREATE FUNCTION columns() RETURNS json IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''told''; RETURN ''["age"]''; END';
CREATE VIEW mine AS SELECT * FROM clinic.people;
SQL

$server->attack(<<'ATTACKS');
@ as many rows, whatever there is | 5 |
SELECT count(*), count(std_err) FROM dp_logregr('people', 'age >= 50', '{"score": [0, 10], "city": ["a", "b"]}', 2, 0.1);
SELECT count(*), count(covariance) FROM dp_logregr('people', 'age >= 50', '{"score": [0, 10]}', 0, 0.1);
SELECT count(*) FROM dp_svm('visits', 'minutes > 60', '{"cost": [0, 10]}', 8, 0.1);
SELECT count(*) FROM dp_logregr('people', 'id = 5000', '{"age": [0, 100], "pay": [0, 1e-300]}', 8, 0.1, 'id = 5000');
SELECT count(*) FROM dp_svm('lone', 'city LIKE ''Zwies_l''', '{"city": ["a", "b"]}', 8, 0.1);
@ nothing is NaN, and nothing beyond its bounds | 4 |
SELECT bool_and(coef BETWEEN -1e12 AND 1e12 AND std_err >= 0 AND z_stat <> 'NaN' AND p_value BETWEEN 0 AND 1) FROM dp_logregr('people', 'age >= 50', '{"age": [0, 100], "pay": [0, 1]}', 8, 0.001);
SELECT bool_and(coef BETWEEN -1e12 AND 1e12) FROM dp_svm('people', 'age >= 50', '{"age": [0, 100], "score": [0, 1]}', 8, 0.001);
SELECT bool_and(coef BETWEEN -1e12 AND 1e12 AND std_err >= 0) FROM dp_logregr('visits', 'person = 5000', '{"minutes": [0, 2147483647]}', 3, 0.000001);
SELECT bool_and(coef BETWEEN -41 AND 41) FROM dp_logregr('people', 'city LIKE ''Zwies_l''', '{"city": ["a", "Zwies\u0065l"]}', 8, 0.001, 'id = 5000');
@ a person alone, by conditions and columns | 4 |
SELECT sum(coef) > 0 AS noisy FROM dp_logregr('people', 'id = 5000', '{"age": [0, 100]}', 8, 0.01);
SELECT sum(coef) > 0 AS noisy FROM dp_logregr('people', 'city LIKE ''Zwies_l''', '{"city": ["a", "Zwies\u0065l"]}', 8, 0.01);
SELECT sum(coef) > 0 AS noisy FROM dp_svm('people', 'age >= 0', '{"age": [122, 123]}', 8, 0.01, 'id = 5000');
SELECT sum(std_err) > 0 AS noisy FROM dp_logregr('visits', 'person = 5000', '{"minutes": [0, 1]}', 8, 0.01);
@ errors of rows, in the model and in passes | 6 |
SELECT count(*), bool_and(coef <> 'NaN') FROM dp_logregr('people', '1 / age > 0', '{"age": [0, 100]}', 2, 0.01);
SELECT count(*), bool_and(coef <> 'NaN') FROM dp_logregr('people', 'sqrt(score - 1e307) > 0', '{"score": [0, 1]}', 8, 0.01);
SELECT count(*), bool_and(coef <> 'NaN') FROM dp_svm('people', 'pay * 1e300 > 0', '{"pay": [-1e307, 1e307], "score": [0, 1e-300]}', 8, 0.01);
SELECT count(*), bool_and(coef <> 'NaN') FROM dp_svm('people', 'age > 50', '{"born": ["1950-01-01", "1980-01-01"], "seen": ["2020-01-01", "2020-02-01"]}', 2, 0.01, '1 / age > 0 OR sqrt(score - 1e307) IS NULL');
SELECT count(*), bool_and(coef <> 'NaN') FROM dp_logregr('people', 'length(note) > 0', '{"score": [0, 1]}', 2, 0.01);
SELECT count(*), bool_and(coef <> 'NaN') FROM dp_logregr('people', 'date_trunc(''year'', born) IS NULL', '{"age": [0, 1]}', 1, 0.01);
@ passes that rows might end, or as many as a row says | 0 | 22023 22023 0A000 0A000 22023 22023 22P02
SELECT * FROM dp_logregr('people', 'age > 50', '{"age": [0, 100]}', 9);
SELECT * FROM dp_logregr('people', 'age > 50', '{"age": [0, 100]}', -1);
SELECT * FROM people p, LATERAL dp_logregr('people', 'age > 50', '{"age": [0, 100]}', p.age);
SELECT * FROM dp_logregr('people', 'age > 50', '{"age": [0, 100]}', passes());
SELECT * FROM dp_logregr('people', 'age > 50', '{"age": [0, 100]}', 2147483647);
SELECT * FROM dp_svm('people', 'age > 50', '{"age": [0, 100]}', NULL);
SELECT * FROM dp_svm('people', 'age > 50', '{"age": [0, 100]}', 'until convergence');
@ functions of one's own | 0 | 0A000 0A000 0A000 0A000
SELECT * FROM dp_logregr('people', 'tell(age)', '{"age": [0, 100]}');
SELECT * FROM dp_svm('people', 'age > 50', '{"age": [0, 100]}', 2, 1, 'tell(age)');
SELECT * FROM dp_logregr('people', 'age > 50', columns());
SELECT * FROM dp_logregr('people', 'tell(CASE WHEN age > 50 THEN 1 END)', '{"age": [0, 100]}', 0);
@ texts that end early | 0 | 42601 42601 22023 22023 22023 42601
SELECT * FROM dp_logregr('people', 'true) AND (false', '{"age": [0, 100]}');
SELECT * FROM dp_logregr('people', E'true)), 1) AS model FROM people) b --', '{"age": [0, 100]}');
SELECT * FROM dp_logregr('people', 'true UNION SELECT true', '{"age": [0, 100]}');
SELECT * FROM dp_svm('people', 'true FROM people', '{"age": [0, 100]}');
SELECT * FROM dp_svm('people', 'true; DROP TABLE people', '{"age": [0, 100]}');
SELECT * FROM dp_svm('people', 'age > 50', '{"age": [0, 100]}', 2, 1, 'true) OR (true');
@ subqueries, aggregates and sets in texts | 0 | 0A000 0A000 42803 42P20 0A000
SELECT * FROM dp_logregr('people', 'age > (SELECT min(age) FROM people)', '{"age": [0, 100]}');
SELECT * FROM dp_logregr('people', '(SELECT secret > 0 FROM people LIMIT 1)', '{"age": [0, 100]}');
SELECT * FROM dp_logregr('people', 'sum(age) > 5', '{"age": [0, 100]}');
SELECT * FROM dp_logregr('people', 'row_number() OVER () > 5', '{"age": [0, 100]}');
SELECT * FROM dp_logregr('people', 'generate_series(1, age) > 5', '{"age": [0, 100]}');
@ json that is no list of columns | 0 | 22P02 22023 42703 22023 22023 0A000 22023 22023
SELECT * FROM dp_logregr('people', 'age > 50', '[');
SELECT * FROM dp_logregr('people', 'age > 50', '{"age": [0, 100], "age": [0, 100]}');
SELECT * FROM dp_logregr('people', 'age > 50', '{"age\" FROM people --": [0, 100]}');
SELECT * FROM dp_svm('people', 'age > 50', '{"age": {"a": [0, 1]}}');
SELECT * FROM dp_svm('people', 'age > 50', '{"age": [0, 1e400]}');
SELECT * FROM dp_svm('people', 'age > 50', '{"id": [0, 100]}');
SELECT * FROM dp_svm('people', 'age > 50', '{"age": ["1", "01"]}');
SELECT * FROM dp_svm('people', 'age', '{"age": [0, 100]}');
@ keys that are text to break out with | 2 |
SELECT count(*) FROM dp_logregr('people', 'id > 50', '{"city": ["''", "\"", "{", "},{", "\\", "$1", ")", "\n--", "NULL", ""]}', 2, 0.01);
SELECT count(*) FROM dp_svm('people', 'city = ''$1'' OR city = '')''', '{"city": ["''", "\"", "$2"]}', 2, 0.01);
@ models as what others are made of | 2 | 0A000 0A000
SELECT count(*) FROM (SELECT dp_predict(array_agg(coef), '{1,1}') FROM dp_logregr('people', 'age > 50', '{"score": [0, 1]}', 2, 0.01)) m;
CREATE TEMP TABLE kept_model AS SELECT * FROM dp_logregr('people', 'age > 50', '{"score": [0, 1]}', 2, 0.01);
SELECT dp_predict(array_agg(age::float8), '{1}') FROM people;
SELECT dp_count(*) FROM people, dp_logregr('people', 'age > 50', '{"score": [0, 1]}', 2, 0.01) m;
@ by hand | 0 | 0A000 42501 0A000 22023 22023
SELECT dp_agg_internal.model('', 1, age) FROM people;
SELECT dp_agg_internal.model_row('', 1, age) FROM people;
SELECT dp_count(*) FROM people WHERE dp_agg_internal.model_row('', 1, age) IS NOT NULL;
SELECT dp_agg_internal.logistic_fit(decode(repeat('00', 400), 'hex'), '{a}', '{1,1,1,1}');
SELECT dp_agg_internal.svm_fit(decode(repeat('01', 308), 'hex'), '{a}', '{1,1,1,1}');
@ relations that are not protected | 0 | 42501 42501
SELECT * FROM dp_logregr('doctors', 'true', '{"town": ["a", "b"]}');
SELECT * FROM dp_svm('pg_class', 'relhasindex', '{"relpages": [0, 100]}');
@ until the budget is spent | 1+2 | 53400 53400
> poor
SELECT count(*) FROM dp_logregr('lone', 'true', '{"city": ["a", "b"]}', 8, 0.3);
SELECT count(*) FROM dp_logregr('lone', 'true', '{"city": ["a", "b"]}', 1, 0.3);
SELECT count(*) FROM dp_svm('lone', 'true', '{"city": ["a", "b"]}', 0, 0.3);
@ without a budget | 0 | 42501
> eve
SELECT * FROM dp_logregr('lone', 'true', '{"city": ["a", "b"]}');
ATTACKS

$server->finish;
