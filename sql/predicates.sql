--
-- predicates: conditions and expressions that analysts write, as they write
-- them: each is admitted, and answers for every row; and those that are not
--
CREATE DATABASE dp_predicates ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
\c dp_predicates
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE SCHEMA predicates;
SET search_path = predicates, public;
CREATE FUNCTION validate(query text, params text[] DEFAULT '{}') RETURNS text
	AS '$libdir/dp_validate_test', 'test_validate' LANGUAGE C;
CREATE FUNCTION run(query text, params text[] DEFAULT '{}', released bool DEFAULT true) RETURNS SETOF text
	AS '$libdir/dp_validate_test', 'test_run' LANGUAGE C;
CREATE TYPE status AS ENUM ('open', 'paid', 'void');
CREATE TABLE orders (id int, customer bigint, placed timestamptz, shipped timestamp, due date, opening time, took interval, status status, amount numeric(12, 2),
	price float8, weight real, items smallint, city text, zip char(5), code varchar(12), email text, paid bool, uid uuid, details jsonb, epoch bigint, bits int);
INSERT INTO orders SELECT i, i % 7, '2024-01-01'::timestamptz + i * interval '7 hours', '2024-01-01'::timestamp + i * interval '9 hours', '2024-01-01'::date + i, '08:00',
	i * interval '1 day 3 hours', 'paid', i * 1.37, i / 3.0, i / 7.0, i, 'City ' || i, lpad(i::text, 5, '0'), 'C-' || i, 'user' || i || '@example.org', i % 2 = 0,
	'00000000-0000-0000-0000-000000000001', format('{"kind": "a", "n": %s, "tags": ["x", "y"]}', i)::jsonb, 1700000000 + i, i FROM generate_series(-3, 20) i;
INSERT INTO orders (id) VALUES (100);

CREATE TABLE expressions (number serial, expression text);
COPY expressions (expression) FROM stdin WITH (DELIMITER E'\x01');
code LIKE city
city NOT ILIKE '%' || code || '_'
email ILIKE code || '\\'
position(zip IN code) > 0
strpos(lower(email), left(city, 4)) = 1
substr(city, items) = 'x'
substring(email FROM position('@' IN email) + 1) = 'example.org'
left(email, length(code)) = code
right(email, -items) = 'x'
split_part(email, '@', items) = 'x'
amount > 100
amount BETWEEN 10 AND 20
amount NOT BETWEEN 10 AND 20
amount BETWEEN SYMMETRIC 20 AND 10
amount * items > 50
amount * 1.19 >= 100
amount / items < 2
amount - items + 3 <> 7
-amount < 0
@ amount > 1
price ^ 2 > 4
|/ price > 1
id % 2 = 1
mod(id, 10) IN (1, 2, 3)
id / 10 = 1
div(amount, 3) = 2
abs(id - 7) <= 2
round(amount) = 5
round(amount, 1) > 5.5
trunc(amount, -1) = 10
floor(price) = 2
ceil(amount) = 3
sign(amount) = -1
scale(amount) = 2
sqrt(price) > 1
ln(amount) > 1
log(amount) > 1
log(2.0, amount) > 3
exp(price) > 10
power(price, 2) > 9
greatest(amount, 10) = 10
least(amount, items, 5) = 5
width_bucket(price, 0, 100, 10) = 3
width_bucket(amount, 0, 100, 10) = 3
gcd(id, 12) = 4
id & 3 = 1
(bits # 5) | 1 = 3
~ bits < 0
id::bigint * 1000000 > 5
amount::int = 5
price::numeric(10, 1) > 2.5
amount::float8 > 2
weight::float8 * 2 > 1
items::text = '3'
id::text LIKE '1%'
cos(radians(price)) > 0.5
sind(price) > 0.5
degrees(atan2(price, weight)) < 70
status = 'paid'
status IN ('open', 'paid')
status > 'open'
status::text = 'paid'
paid
NOT paid
paid IS NOT TRUE
paid = (amount > 5)
paid::int = 1
city = 'City 5'
city <> 'City 5'
city IN ('City 1', 'City 2')
city NOT IN ('City 1', 'City 2')
city = ANY ('{City 1,City 2}')
city <> ALL (ARRAY['City 1', 'City 2'])
city LIKE 'City 1%'
city NOT LIKE '%1'
city ILIKE 'city%'
city LIKE ANY ('{%1,%2}')
code LIKE 'C\_%'
starts_with(city, 'City')
city ^@ 'City'
lower(city) = 'city 1'
upper(city) LIKE 'CITY%'
initcap(city) = 'City 1'
length(city) > 5
char_length(code) = 3
octet_length(email) > 10
trim(city) = 'City 1'
btrim(city, ' C') = 'ity 1'
ltrim(code, 'C-') = '5'
substr(city, 1, 4) = 'City'
substring(city FROM 6) = '5'
substring(zip, 1, 2) = '00'
left(zip, 2) = '00'
right(code, 1) = '5'
split_part(email, '@', 2) = 'example.org'
position('@' IN email) > 5
strpos(email, 'user1') = 1
reverse(code) LIKE '5%'
zip = '00005'
zip::varchar = '00005'
zip::varchar(3) = '000'
code::varchar(3) = 'C-5'
zip < '00010' AND zip >= '00001'
due = '2024-01-05'
due >= date '2024-01-05'
due BETWEEN '2024-01-01' AND '2024-12-31'
due > CURRENT_DATE - 365
due - date '2024-01-01' < 7
due + 7 > '2024-01-10'
due + interval '1 month' > '2024-02-10'
placed >= '2024-01-01' AND placed < '2024-02-01'
placed > now() - interval '30 days'
placed < CURRENT_TIMESTAMP
placed::date = '2024-01-02'
shipped::date > due
shipped - placed::timestamp > interval '1 hour'
shipped - interval '2 hours' < '2024-01-05'
took > interval '2 days'
took * 2 > '5 days'
took / 2 > '1 day'
took + '1 hour' > '1 day'
extract(year FROM placed) = 2024
extract(month FROM due) IN (1, 2)
extract(dow FROM shipped) = 0
extract(isodow FROM due) < 6
extract(hour FROM opening) = 8
extract(hour FROM placed) BETWEEN 8 AND 17
extract(epoch FROM took) > 86400
extract(epoch FROM placed) > epoch
date_part('year', shipped) = 2024
date_part('day', took) > 3
date_trunc('month', placed) = '2024-01-01'
date_trunc('week', shipped) = '2024-01-01'
date_trunc('day', placed, 'Europe/Paris') > '2024-01-05'
date_trunc('quarter', due) = '2024-01-01'
date_bin('15 minutes', shipped, '2024-01-01') > '2024-01-03'
placed AT TIME ZONE 'UTC' > '2024-01-03'
shipped AT TIME ZONE 'America/New_York' < '2024-01-03'
extract(hour FROM placed AT TIME ZONE 'Asia/Tokyo') = 9
age(placed) > interval '1 year'
age(shipped, '2024-01-01') < '3 days'
extract(year FROM age(due)) >= 1
to_timestamp(epoch) > '2023-11-15'
to_timestamp(price) < now()
to_char(placed, 'YYYY-MM') = '2024-01'
to_char(due, 'Day') LIKE 'Mon%'
make_date(2024, items, 1) > '2024-03-01'
opening < '12:00'
opening + interval '1 hour' > '08:30'
isfinite(due)
justify_days(took) > '1 day'
CASE WHEN amount > 10 THEN 'big' WHEN amount > 0 THEN 'small' ELSE 'none' END = 'big'
CASE city WHEN 'City 1' THEN 1 ELSE 0 END = 1
CASE WHEN items <> 0 THEN amount / items END > 1
COALESCE(amount, 0) > 0
COALESCE(city, 'unknown') = 'unknown'
NULLIF(items, 0) IS NULL
amount IS NULL
city IS NOT NULL
amount IS DISTINCT FROM 5
paid IS UNKNOWN
(amount > 5 OR city LIKE 'C%') AND NOT (items = 3)
(id, items) = (3, 3)
uid = '00000000-0000-0000-0000-000000000001'
details ->> 'kind' = 'a'
(details ->> 'kind') IN ('a', 'b')
(details -> 'n')::int > 5
(details -> 'n')::numeric > 5
details ? 'kind'
details -> 'tags' ->> 0 = 'x'
jsonb_array_length(details -> 'tags') = 2
jsonb_typeof(details -> 'n') = 'number'
\.
-- Admitted, and the same as without: prints what is not.
DO $$
DECLARE
	e record;
	verdict text;
	plain text;
	attempted text;
BEGIN
	FOR e IN SELECT * FROM expressions ORDER BY number LOOP
		verdict := validate(format('SELECT 1 FROM orders WHERE %s', e.expression));
		IF verdict ~ '^[0-9A-Z]{5}: ' THEN
			RAISE WARNING '% -- %', e.expression, verdict;
			CONTINUE;
		END IF;
		BEGIN
			attempted := (SELECT run(format('SELECT count(*), count(CASE WHEN (%s) THEN id END), count((%1$s)) FROM orders', e.expression)));
		EXCEPTION WHEN OTHERS THEN
			RAISE WARNING '% -- % %', e.expression, SQLSTATE, SQLERRM;
			CONTINUE;
		END;
		BEGIN
			EXECUTE format('SELECT concat_ws(''|'', count(*), count(CASE WHEN (%s) THEN id END), count((%1$s))) FROM orders', e.expression) INTO plain;
		EXCEPTION WHEN data_exception THEN
			plain := attempted;
		END;
		IF plain <> attempted THEN
			RAISE WARNING '% -- % rather than %', e.expression, attempted, plain;
		END IF;
	END LOOP;
END $$;
SELECT count(*) > 150 AS many FROM expressions;

-- Refused, each for its reason.
TRUNCATE expressions RESTART IDENTITY;
COPY expressions (expression) FROM stdin WITH (DELIMITER E'\x01');
city ~ '^C'
bits << 2 > 5
zip::char(2) = '00'
timestamp_out(shipped) IS NULL
city SIMILAR TO 'C%'
regexp_replace(city, 'C', 'D') = 'D'
city || 'x' = 'City 1x'
concat(city, code) = 'x'
repeat(city, 3) = 'x'
replace(city, 'C', 'D') = 'x'
lpad(city, 9) = 'x'
amount = random()
amount = (SELECT max(amount) FROM orders)
id = ANY (SELECT id FROM orders)
EXISTS (SELECT FROM orders)
city::int = 5
city::date > '2024-01-01'
code ~ city
lpad(city, items) = 'x'
date_trunc(city, placed) > '2024-01-01'
orders IS NOT NULL
ctid = '(0,1)'
tableoid > 0
xmin::text = '1'
pg_sleep(1) IS NULL
current_setting(city) = 'x'
array_length(ARRAY[id], 1) = 1
id = ANY (ARRAY[items, 3])
details @> '{"kind": "a"}'
details @? '$.kind'
details::text LIKE '%a%'
(due, due) OVERLAPS (date '2024-01-01', date '2024-02-01')
num_nulls(city, code) = 1
to_date(city, 'YYYY') > '2024-01-01'
to_number(city, '99') = 5
(id, items) < (3, 4)
amount ^ 1000000 > 5
\.
SELECT expression, split_part(validate(format('SELECT 1 FROM orders WHERE %s', expression)), E'\n', 1) FROM expressions ORDER BY number;

-- what would take long for one row alone has no value there: logarithms of over 128 digits, the rest of over 500
CREATE TABLE long (n numeric);
INSERT INTO long VALUES (7), (repeat('7', 400)::numeric), (repeat('7', 900)::numeric);
SELECT run('SELECT count(n), count(sqrt(n)), count(ln(n)) FROM long');

\c contrib_regression
DROP DATABASE dp_predicates;
