--
-- null_above: arithmetic above a release that noise makes impossible is NULL, so that who has paid is answered
--
CREATE EXTENSION dp_agg;
CREATE ROLE null_ann;
CREATE SCHEMA null_above;
GRANT ALL ON SCHEMA null_above TO null_ann;
SET search_path = null_above, public;
CREATE TABLE people (id int PRIMARY KEY, age int, cost float8, smoker boolean, city text);
INSERT INTO people SELECT i, i % 65, i % 100, i % 2 = 0, 'city ' || i % 3 FROM generate_series(1, 1000) i;
CREATE TABLE big AS SELECT generate_series(1, 100) AS g;
CREATE TABLE cities AS SELECT 'city ' || i AS city FROM generate_series(0, 3) i;
GRANT SELECT ON big, cities TO null_ann;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 64), dp_agg.set_domain('people', 'cost', 0, 100);
SELECT dp_agg.set_budget('null_ann', 1e9, 1e-3);
-- Noise at this epsilon is beyond a row with a probability of 4e-22.
SET dp_agg.epsilon = 50;
\set VERBOSITY terse
SET ROLE null_ann;
CREATE VIEW z AS SELECT g, (SELECT count(*) - 1000 FROM people) AS n FROM (VALUES (1), (2)) v (g);
select 1/(count(*)-1000) from people;
select sum(cost)/(count(*)-1000) from people;
select smoker, ln(count(*)-5000), log(-count(*)), sqrt(-count(*)), power(-count(*)::numeric,0.5), exp(count(*)*1000.0::float8) from people group by smoker;
select (count(*)*10000000)::int, (count(*)*100)::int2, (count(*)*1000)::numeric(5,2), (sum(cost)*1e300)::float4 from people;
select make_interval(years => (count(*)*1000000000)::int), date '2020-01-01' + (count(*)*1000000)::int, timestamp '2020-01-01' + interval '1 year'*(count(*)*1000), timestamptz '2020-01-01' + interval '1 year'*(count(*)*1000) from people;
select chr((-count(*))::int), substring('abc', 1, (-count(*))::int), width_bucket(count(*), 5, 5, 3), repeat('a', (count(*)*10000000)::int), to_char(count(*), '999'), factorial(-count(*)), left('abc', (-count(*))::int), make_date((-count(*)*0)::int,1,1), gcd((-count(*)-9223372036854774808)::int8, 0), lpad('a',(count(*)*1000000)::int) from people;
select count(*)::text::int2, (count(*)||'x')::int, (count(*)||'x')::date, ('2020-'||count(*)||'-01')::date, to_timestamp('x'||count(*),'YYYY'), to_date(count(*)::text,'MM'), to_number('x'||count(*),'9') from people;
select 1/n from z;
select 1/n, sum(1/n) over (), rank() over (order by 1/n) from z where 1/n is null order by 1/n;
select lpad('a', (count(*)*1000000)::int), log(-count(*)::numeric), interval '1 year' * 1000000 + (date '2020-01-01' + count(*)::int), round(count(*)::numeric / (count(*)-1000)) from people;
select x, y from z, abs(1/n) x, int8(n::text) y;
-- a city without people, as PostgreSQL never has one
SELECT c.city, (sum(p.age) / count(p.id)) IS NOT NULL AS answered FROM cities c LEFT JOIN people p ON p.city = c.city GROUP BY c.city ORDER BY 1;
SELECT statements FROM dp_agg.budgets;
select g from z group by g, 1/n having sum(1/n) is null order by 1/sum(n);
select g from z where 1/n > 0;
with w as materialized (select * from z) select 1/n from w;
with recursive w as (select n, 1 i from z union all select n, i+1 from w where i < 2) select 1/n from w;
select 1/x.n from (select n from z union select 0) x order by 1;
select x from z, lateral (select 1/z.n x) y;
select 1/(select count(*)-1000 from people);
select case when 1/n > 0 then 'a' else 'b' end, coalesce(1/n, 7), array[1/n], row(1/n,2), greatest(1/n,3) from z;
create table tt(a int2, b numeric(4,1), c varchar(2));
insert into tt select count(*)*100, count(*), count(*) from people;
select * from tt;
insert into tt select count(*)*100, count(*), null from people;
select * from tt;
create table ct as select (count(*)::numeric(8,2)) a, 1/(count(*)-1000) b, count(*)::varchar(10) c from people;
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'ct'::regclass AND attnum > 0 ORDER BY attnum;
select g from z limit (select count(*)-2000 from people);
select g from z offset (select count(*)-2000 from people);
select smoker, count(*) c from people group by smoker having 1/(count(*)-500) > 0 order by 1/(count(*)-500);
prepare q as select 1/(count(*)-1000) from people; execute q; execute q;
explain (verbose, costs off) select 1/(count(*)-1000) from people having 1/(count(*)-1000) is null;
select dp_sum(age,0,100)/(dp_count(*)-1000) from people;
select 1/count(*) from (select smoker, count(*) c from people group by smoker) x where c > 100000;
select x from (select count(*) c from people) y, generate_series(1, 1/(c-1000)) x;
select percentile_cont(1/(select count(*)-1000.0 from people)) within group (order by g) from big;
select sum(c) from (select smoker, 1e308*count(*)::float8 c from people group by smoker) x;
-- public keys alone, which are what they are, of a view that was merged away
create view shown as select id, smoker, cost from people;
select distinct smoker from shown order by 1;
select smoker, count(*) over () from shown group by smoker order by 1;
select smoker, 1/(count(*) over () - 3) as x from shown group by rollup (smoker) order by grouping(smoker), 1;
select smoker, (select count(*)-1000 from shown) n, 1/(select count(*)-1000 from shown) x from shown group by smoker order by 1;
-- each was charged once, and answered
SELECT statements > 30 AS many, refusals FROM dp_agg.budgets;
-- a kept answer is shown again so
SET dp_agg.kept_max_age = '1 day';
SELECT 1 / (count(*) - 1000) FROM people;
SELECT 1 / (count(*) - 1000) FROM people;
RESET dp_agg.kept_max_age;
-- said once in a statement, whatever the rows
DO $$ DECLARE r record; BEGIN FOR r IN SELECT 1 / n FROM z LOOP NULL; END LOOP; END $$;
-- PostgreSQL's meaning: where nothing is released, by code of somebody's own
SELECT g / (g - 1), n FROM z;
CREATE FUNCTION own(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 1 / $1; END';
SELECT own(n) FROM z;
SELECT 1 / (g - 1) FROM (SELECT g, count FROM big, (SELECT count(*) FROM people) s) s;
RESET ROLE;
SELECT 1 / (count(*) - 1000) FROM people;
SET client_min_messages = error;
DROP SCHEMA null_above CASCADE;
SELECT dp_agg.drop_budget('null_ann');
DROP EXTENSION dp_agg;
DROP ROLE null_ann;
