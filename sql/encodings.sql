--
-- encodings: what functions of text do with characters of several bytes, where the
-- database has another encoding than UTF-8
--
-- At epsilon 2^20 a count is off by 1 or more with a probability below e^-1000000.
CREATE DATABASE dp_encodings ENCODING 'EUC_JP' LOCALE 'C' TEMPLATE template0;
\c dp_encodings
SET client_min_messages = warning;
SET dp_agg.epsilon = 1048576;
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, name text, code char(9));
INSERT INTO people SELECT i, convert_from('\xa4a2a4a4206e', 'EUC_JP') || i, convert_from('\xa4a2', 'EUC_JP') FROM generate_series(1, 50) i;
INSERT INTO people SELECT i, 'name ' || i, 'x' FROM generate_series(51, 70) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SELECT dp_count(ascii(name)) FROM people;
SELECT dp_count(length(name)), dp_count(lower(name)), dp_count(upper(name)), dp_count(initcap(name)), dp_count(reverse(name)),
	dp_count(btrim(name)), dp_count(substring(name, 2, 3)), dp_count(left(name, 2)), dp_count(right(name, -2)), dp_count(split_part(name, ' ', 1)),
	dp_count(position('n' IN name)), dp_count(starts_with(name, 'n')), dp_count(length(code)), dp_count(code::text), dp_count(code::name) FROM people;
SELECT dp_count(*) FROM people WHERE name LIKE '%n_';
SELECT dp_count(*) FROM people WHERE name ILIKE '%N_';
SELECT ascii(name), dp_count(*) FROM people GROUP BY 1;
-- Patterns that are no constants are matched byte by byte, which this encoding does not allow.
SELECT dp_count(*) FROM people WHERE name LIKE left(name, 2) || '%';
SELECT dp_count(*) FROM people WHERE position(left(name, 1) IN name) = 1;
\c contrib_regression
DROP DATABASE dp_encodings;

-- One of a byte for each character does.
CREATE DATABASE dp_encodings ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
\c dp_encodings
SET client_min_messages = warning;
SET dp_agg.epsilon = 1048576;
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, name text, part text);
INSERT INTO people SELECT i, 'N' || convert_from('\xe9', 'LATIN1') || 'e' || i % 3, (ARRAY['n_e0', 'N' || convert_from('\xe9', 'LATIN1') || '%', '%1'])[1 + i % 3] FROM generate_series(1, 60) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SELECT count(*) FILTER (WHERE name LIKE part), count(*) FILTER (WHERE name NOT ILIKE part), sum(position(left(part, 2) IN name)) FROM people;
SELECT dp_count(*) FILTER (WHERE name LIKE part), dp_count(*) FILTER (WHERE name NOT ILIKE part), dp_sum(position(left(part, 2) IN name), 0, 10) FROM people;
\c contrib_regression
DROP DATABASE dp_encodings;
