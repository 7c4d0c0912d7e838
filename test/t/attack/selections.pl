# Attacks on the functions for FROM: rankings, conditions compared with a
# threshold, histograms and trees.  What they compare is exact; only what they
# say may be seen.
#
# Every attack is carried out in databases that differ by one person alone, the
# outlier with most of the rows; an analyst must be shown the same in all, but
# for noise.  At epsilon 5 and more here, what is named is by so much the most
# frequent that it changes with a probability below 1e-12 a statement; or it is called
# noisy.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";
use AttackTest;

my $server = new_neighbours('selections', analyst => <<'SQL');
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN true; END';
CREATE FUNCTION tell(text) RETURNS text IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN $1; END';
CREATE VIEW ranked AS SELECT * FROM dp_top('people', 'city', 2);
CREATE VIEW mine AS SELECT * FROM clinic.people;
CREATE TYPE ann.pair AS (a int, b int);
SQL

$server->attack(<<'ATTACKS');
@ names of the greatest, never counts | 4 |
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['Aachen', E'Zwies\x65l']);
SELECT rank, candidate AS noisy FROM dp_top('visits', 'clinic', 4, 50);
SELECT * FROM dp_above_threshold('people', ARRAY['secret - 7319000000 = 555000', 'id > 0'], 500);
SELECT rank, candidate FROM ranked ORDER BY rank OFFSET 1000000;
@ a candidate of one person alone | 3 |
SELECT candidate FROM dp_noisy_max('people', 'city', ARRAY[E'Zwies\x65l', 'Celle', 'nowhere'], 1, 20);
SELECT candidate FROM dp_noisy_max('lone', 'city', ARRAY['Aachen', E'Zwies\x65l'], 1, 0.001) OFFSET 1000000;
SELECT candidate FROM dp_noisy_max('visits', 'clinic', ARRAY['clinic 0', E'cnr\x79 clinic 1', E'cnr\x79 clinic 3', E'cnr\x79 clinic 5'], 1, 10);
@ private categories of one person alone | 4 |
SELECT * FROM dp_top('lone', 'city', 5, 1);
SELECT * FROM dp_top('people', 'city', 1000, 20, 'age = 0 AND secret - 7319000000 = 555000');
SELECT count(*) FROM dp_top('visits', 'clinic', 1000, 20, 'minutes = 2147483647');
SELECT * FROM dp_top('people', 'note', 3);
@ a rank at a time, by filters | 3 |
SELECT * FROM dp_top('people', 'city', 1, 5, 'id = 5000');
SELECT * FROM dp_top('people', 'name', 1, 5, 'id = 5000');
SELECT * FROM dp_top('people', 'secret', 2, 5, 'city LIKE ''Zwies_l''');
@ predicates about one person | 3 |
SELECT * FROM dp_above_threshold('people', ARRAY['id = 5000', 'city LIKE ''Zwies_l''', 'pay > 1e9', 'score > 1e300'], 100);
SELECT * FROM dp_above_threshold('visits', ARRAY['person = 5000', 'clinic LIKE ''cnr_%'''], 300);
SELECT * FROM dp_above_threshold('people', ARRAY['1 / age > 0', 'pay * 1e300 > 0', 'length(code) / age > 0'], 100000);
@ counting by thresholds, and by ends of integers | 3 |
SELECT * FROM dp_above_threshold('visits', ARRAY['true'], 9223372036854775807);
SELECT * FROM dp_above_threshold('visits', ARRAY['true'], -9223372036854775808);
SELECT * FROM dp_above_threshold('parts', ARRAY['note IS NULL', 'cost = 2147483647'], 500);
@ errors of rows in filters, predicates and keys | 4 |
SELECT rank FROM dp_top('people', 'city', 1, 20, 'sqrt(score - 1e307) IS NULL OR length(note) > 0');
SELECT "position" FROM dp_above_threshold('people', ARRAY['date_trunc(''year'', born) IS NOT NULL AND id > 0'], 1000);
SELECT bin FROM dp_histogram('people', 'born', date '1950-01-01', date '1980-01-01', 3);
SELECT bin FROM dp_cumulative('people', 'seen', timestamptz '2020-01-01', timestamptz '2020-02-01', 3);
@ edges and bars tell of released counts alone | 3 |
SELECT bin, count AS noisy, bar AS noisy_bar FROM dp_histogram('people', 'city', ARRAY['Aachen', E'Zwies\x65l']);
SELECT bin, lower, upper, count AS noisy, cumulative AS noisy_sum, bar AS noisy_bar FROM dp_cumulative('people', 'age', 0, 100, 5);
SELECT bin, lower, upper FROM dp_histogram('people', 'seen', timestamptz '2020-01-01', timestamptz '2020-02-01', 4);
@ functions of one's own in texts | 0 | 0A000 0A000 0A000 0A000 0A000
SELECT * FROM dp_top('people', 'city', 1, 5, 'tell(age)');
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a'], 1, 5, 'tell(age)');
SELECT * FROM dp_above_threshold('people', ARRAY['tell(age)'], 5);
SELECT * FROM dp_histogram('people', 'city', ARRAY['a'], 5, 'tell(age)');
SELECT * FROM dp_cumulative('people', 'age', 0, 1, 5, 5, 'tell(age)');
@ text that ends early | 0 | 42601 42601 42601 22023 42601 22023
SELECT * FROM dp_top('people', 'city', 1, 5, 'true) x, people --');
SELECT * FROM dp_top('people', 'city', 1, 5, 'true) GROUP BY 1) b, people --');
SELECT * FROM dp_above_threshold('people', ARRAY['true) THEN 1 END, 1) AS c1, string_agg(name, '''') FROM people) b --'], 5);
SELECT * FROM dp_above_threshold('people', ARRAY['true', 'true UNION SELECT true'], 5);
SELECT * FROM dp_histogram('people', 'city', ARRAY['a'], 5, ''')');
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a'], 1, 5, 'true; DROP TABLE people');
@ keys that are text to break out with | 2 |
SELECT bin FROM dp_histogram('people', 'city', ARRAY['''', '"', '{', '},{', '\', '$1', ')', E'\n--', 'NULL', '']);
SELECT rank FROM dp_noisy_max('people', 'note', ARRAY[$$a' , '$$, '%s', '%n', '\''']);
@ columns that are no columns | 0 | 42703 42703 42703 0A000 0A000
SELECT * FROM dp_top('people', 'city, name', 1);
SELECT * FROM dp_top('people', 'city" FROM people --', 1);
SELECT * FROM dp_noisy_max('people', 'missing', ARRAY['a']);
SELECT * FROM dp_noisy_max('people', 'ctid', ARRAY['(0,1)'::tid]);
SELECT * FROM dp_top('people', 'xmin', 1);
@ types of one's own | 0 | 0A000 0A000
SELECT * FROM dp_noisy_max('people', 'age', ARRAY[ROW(1, 2)::pair]);
SELECT * FROM dp_histogram('people', 'age', ARRAY[ARRAY[1], ARRAY[2]]::text::int[][]);
@ what bounds cut, of one person and by rows that fail | 8 |
SELECT rows_bound, groups_bound FROM dp_agg.measure_bounding('visits', 5);
SELECT coalesce(most_rows, 0) AS noisy_most, coalesce(units_cut, 0) AS noisy, coalesce(rows_cut, 0) AS noisy_rows, units_cut_low AS noisy_low, rows_cut_high AS noisy_high FROM dp_agg.measure_bounding('visits', 1, 'person = 5000');
SELECT rows_bound FROM dp_agg.measure_bounding('visits', 1, 'minutes = 2147483647', col => 'clinic');
SELECT rows_bound FROM dp_agg.measure_bounding('people', 1, '1 / age > 0 OR sqrt(score - 1e307) IS NULL OR length(note) > 0', max_rows => 1000000000, max_groups => 1000000);
SELECT groups_bound FROM dp_agg.measure_bounding('people', 1, 'date_trunc(''year'', born) IS NOT NULL', col => 'note');
SELECT rows_bound FROM dp_agg.measure_bounding('lone', 1, col => 'city');
SELECT coalesce(dp_agg.suggest_max_rows('visits', 0.001, 'person = 5000'), 0) AS noisy, coalesce(dp_agg.suggest_max_groups('visits', 'clinic', 0.001, query_epsilon => 1000000), 0) AS noisy_groups;
= once | functions that write their own queries
@ what bounds cut, by texts that end early and columns that are none | 0 | 42601 42601 22023 22023 42703 42703 0A000 0A000 42501 22023 22023 22023 22023
SELECT * FROM dp_agg.measure_bounding('people', 5, 'true)) GROUP BY id) u, people) s, people --');
SELECT * FROM dp_agg.measure_bounding('people', 5, E'true))\n) g, clinic.people p --');
SELECT * FROM dp_agg.measure_bounding('people', 5, 'true UNION SELECT true');
SELECT * FROM dp_agg.measure_bounding('people', 5, 'true; DROP TABLE people');
SELECT * FROM dp_agg.measure_bounding('people', 5, col => 'city, name');
SELECT * FROM dp_agg.measure_bounding('people', 5, col => 'city) g; SELECT * FROM clinic.people --');
SELECT * FROM dp_agg.measure_bounding('people', 5, col => 'xmin');
SELECT * FROM dp_agg.measure_bounding('people', 5, 'ann.tell(age)');
SELECT * FROM dp_agg.measure_bounding('doctors', 5);
SELECT * FROM dp_agg.measure_bounding('people', 5, max_rows => 0);
SELECT * FROM dp_agg.measure_bounding('people', 5, max_groups => -1);
SELECT * FROM dp_agg.measure_bounding('people', -5);
SELECT dp_agg.suggest_max_rows('people', 5, query_epsilon => -5);
= once | functions that write their own queries
@ the query that measures, changed by hand | 1 | 0A000
SELECT rows_bound FROM dp_agg.measure_bounding('people', 1), (SELECT count(*) FROM dp_agg.price(dp_agg.bounding_query('people', 1))) p;
SELECT dp_agg.bucket(n, 0, 1, 2), dp_sum(n, 0, 1000000), array_agg(n) FROM (SELECT count(*) AS n FROM people GROUP BY id) s GROUP BY 1;
= once | functions that write their own queries
@ relations that are not protected, or are read through views | 2 | 42501 42501 42P01 0A000
SELECT * FROM dp_top('doctors', 'clinic', 1);
SELECT * FROM dp_top('pg_class', 'relname', 1);
SELECT * FROM dp_top(0, 'relname', 1);
SELECT * FROM dp_top('ranked', 'candidate', 1);
SELECT candidate FROM dp_noisy_max('grown', 'city', ARRAY['Bremen', 'nowhere']);
SELECT candidate FROM dp_noisy_max('mine', 'city', ARRAY['Bremen', 'nowhere']);
@ functions of the extension's alone | 0 | 0A000 0A000 0A000 0A000
SELECT dp_noisy_max('people', 'city', ARRAY['a']);
SELECT (dp_above_threshold('people', ARRAY['true'], 1)).predicate;
SELECT * FROM ROWS FROM (dp_top('people', 'city', 1), generate_series(1, 2));
SELECT * FROM doctors, dp_histogram('people', 'city', ARRAY[clinic]);
@ the place of a value, as a condition or a value | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM people WHERE dp_agg.place(id, ARRAY[5000]) = 1;
SELECT dp_sum(dp_agg.place(id, ARRAY[5000]), 0, 1) FROM people;
SELECT dp_agg.place(id, ARRAY[5000]), city, dp_count(*) FROM people GROUP BY 1, 2;
SELECT dp_agg.place(tell(name), ARRAY['a']), dp_count(*) FROM people GROUP BY 1;
@ a place with a column for candidates | 0 | 0A000 0A000
SELECT dp_agg.place(id, ARRAY[age]), dp_count(*) FROM people GROUP BY 1;
SELECT dp_agg.place(id, ARRAY[(SELECT 5000)]), dp_count(*) FROM people GROUP BY 1;
@ plans are the same whoever is in | 5 |
EXPLAIN (VERBOSE) SELECT * FROM dp_top('people', 'city', 3);
EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off) SELECT * FROM dp_top('visits', 'clinic', 2, 20);
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['clinic 0', 'clinic 1', 'clinic 9'], 2);
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) SELECT * FROM dp_above_threshold('people', ARRAY['id = 5000', 'true'], 100);
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING off, SUMMARY off) SELECT bin FROM dp_cumulative('people', 'age', 0, 100, 100);
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off, FORMAT json) SELECT key FROM dp_histogram('people', 'city', ARRAY['Aachen', 'Celle']);
@ no more memory for more groups, as far as one can see | 1 |
SET work_mem = '64kB';
SELECT count(*) FROM dp_top('visits', 'note', 10, 1);
SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database();
@ read again and again, it stays what it was | 2 |
SELECT count(DISTINCT candidate) FROM generate_series(1, 50), LATERAL (SELECT * FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b', 'c', 'd'], 1, 0.01) OFFSET 0) x;
WITH w AS NOT MATERIALIZED (SELECT * FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b', 'c', 'd'], 1, 0.01)) SELECT a.candidate = b.candidate AS same FROM w a, w b;
@ rolled back and asked again, it is paid again | 2 |
BEGIN;
SELECT count(*) FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b'], 1, 0.01);
ROLLBACK;
BEGIN;
SELECT count(*) FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b'], 1, 0.01);
ROLLBACK;
@ until the budget is spent | 1+3 | 53400 53400 53400
> poor
SELECT count(*) FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b'], 1, 0.3);
SELECT count(*) FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b'], 2, 0.3);
SELECT count(*) FROM dp_above_threshold('lone', ARRAY['true', 'true', 'false'], 1, 0.3);
SELECT count(*) FROM dp_top('lone', 'city', 1, 0.01);
@ without a budget | 0 | 42501 42501 42501
> eve
SELECT * FROM dp_noisy_max('lone', 'city', ARRAY['a', 'b']);
SELECT * FROM dp_top('lone', 'city', 1);
SELECT * FROM dp_above_threshold('lone', ARRAY['true'], 1);
ATTACKS

$server->finish;
