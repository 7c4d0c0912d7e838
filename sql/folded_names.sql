--
-- folded_names: what names the query around a block, and folds away
--
CREATE EXTENSION dp_agg;
CREATE ROLE folded_ann;
CREATE SCHEMA folded;
GRANT ALL ON SCHEMA folded TO folded_ann;
SET search_path = folded, public;
CREATE TABLE people (id int PRIMARY KEY, age int, smoker boolean);
INSERT INTO people SELECT i, i % 65, i % 2 = 0 FROM generate_series(1, 1000) i;
CREATE TABLE visits (patient int NOT NULL REFERENCES people, day date, cost numeric);
INSERT INTO visits SELECT 1 + i % 1000, date '2020-01-01' + i % 5, i % 50 FROM generate_series(1, 3000) i;
CREATE TABLE t (k int);
INSERT INTO t VALUES (1);
CREATE TABLE big AS SELECT generate_series(1, 100) AS g;
GRANT SELECT ON t, big TO folded_ann;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'patient', 'default', 3, 3);
SELECT dp_agg.set_domain('people', 'age', 0, 64), dp_agg.set_domain('visits', 'cost', 0, 50);
SELECT dp_agg.set_budget('folded_ann', 1e9, 1e-3);
-- Noise at this epsilon is beyond a row with a probability of 4e-22.
SET dp_agg.epsilon = 50;
SET client_min_messages = warning;
\set VERBOSITY terse
\pset tuples_only on
SET ROLE folded_ann;
select k, (select count(*) from visits where t.k is not null or true)>0 from t;
select k, (select count(*) from visits where not(t.k is not null and false))>0 from t;
select k, (select count(*) from visits where case when true then cost >= 0 else t.k > 0 end)>0 from t;
select k, (select count(*) from visits where coalesce(1, t.k) = 1)>0 from t;
select k, (select sum(case when true then cost else t.k end) from visits)>0 from t;
select k, (select dp_sum(case when true then cost else t.k end,0,50) from visits)>0 from t;
select k, (select dp_count(*) from visits where t.k is not null or true)>0 from t;
select k, (select count(*) from visits having count(*)>t.k)>0 from t;
select k, (select count(*) from visits order by t.k limit 1)>0 from t;
select k, (select count(*) from visits limit t.k)>0 from t;
select k, (select count(*) from visits group by coalesce(1,t.k))>0 from t;
select k, (select count(*) from visits group by case when true then 1 else t.k end)>0 from t;
select k, (select count(*) from (select *, t.k as tk from visits) v)>0 from t;
select k, (select count(*) from (select *, t.k as tk from visits) v where tk is not null or true)>0 from t;
select k, (select count(*) from visits join people on patient=id and (t.k>0 or true))>0 from t;
select k, (select count(*) from visits left join people on patient=id and (t.k>0 or true))>0 from t;
select k, (select count(*) from visits where patient in (select id from people where t.k>0 or true))>0 from t;
select k, (select count(*) from visits where exists (select from people where id=patient and (t.k>0 or true)))>0 from t;
select k, (select count(*) from visits where cost >= 0 or true or (select t.k) > 0)>0 from t;
select k, (select count(*) from visits where cost >= 0 and (true or (select t.k) > 0))>0 from t;
select k, (select count(*) from visits where cost >= 0 and (true or exists (select from big where g = t.k)))>0 from t;
select k, (select count(*) from visits where cost >= 0 and (true or t.k in (select g from big)))>0 from t;
select k, (select count(*) from visits where cost >= 0 and (true or t.k in (values (1),(2))))>0 from t;
select k, l.n > 0 from t, lateral (select count(*) n from visits where t.k>0 or true) l;
select k, l.n > 0 from t, lateral (with v as (select * from visits where t.k>0 or true) select count(*) n from v) l;
select k, l.n > 0 from t, lateral (select count(distinct case when true then patient else t.k end) n from visits) l;
select k, l.n > 0 from t, lateral (select count(*) n from (select patient from visits where t.k>0 or true group by patient) x) l;
select k, l.n > 0 from t, lateral (select count(*) n from (select patient, row_number() over (partition by patient order by day) r from visits where t.k>0 or true) x where r=1) l;
select k, l.n > 0 from t, lateral (select count(*) n from (select patient, row_number() over (partition by patient order by day) r from visits) x where r=1 or (r=1 and false and t.k>0)) l;
select k, l.n > 0 from t, lateral (select count(*) n from (select patient from visits where t.k>0 or true union all select id from people) x) l;
select k, l.n > 0 from t, lateral (select count(*) n from (select patient from visits union all select id from people where t.k>0 or true) x) l;
select k, l.n > 0 from t, lateral (select percentile_cont(0.5) within group (order by case when true then cost else t.k end) n from visits) l;
select k, l.n > 0 from t, lateral (select percentile_cont(case when true then 0.5 else t.k end) within group (order by cost) n from visits) l;
select k, l.n > 0 from t, lateral (select dp_sum(cost, case when true then 0 else t.k end, 50) n from visits) l;
select k, l.n > 0 from t, lateral (select dp_interval(dp_count(*),case when true then 0.5 else t.k end) is null, 1 n from visits) l;
select k, l.n > 0 from t, lateral (select count(*) n from visits where t.k>0 or true group by rollup(day) limit 1) l;
select k, l.n > 0 from t, lateral (select count(*) n, smoker from people where t.k>0 or true group by grouping sets((smoker),()) limit 1) l;
select k, l.n > 0 from t, lateral (select count(*) n from visits v join generate_series(1,1) g on g=1 or (t.k>0 and false)) l;
select k, l.n > 0 from t, lateral (select count(*) n from visits v join (select g from big where g=1 and (t.k>0 or true)) b on b.g = v.patient) l;
select k, l.n > 0 from t, lateral (select count(*) n from visits v full join people on patient=id and (t.k>0 or true)) l;
select k, (select count(*) from (select patient, max(cost) m from visits where t.k>0 or true group by patient) x where m >= 0)>0 from t;
select k, (select count(*) from (select patient, max(cost) m from visits group by patient having t.k>0 or true) x where m >= 0)>0 from t;
select k, (select avg(m) from (select patient, least(count(*),3) m from visits where t.k>0 or true group by patient) x)>0 from t;
select k, (select avg(m) from (select patient, case when true then least(count(*),3) else t.k end m from visits group by patient) x)>0 from t;
select k, (select count(*) from visits where cost > (select case when true then avg(age)::int-1000 else t.k end from people where id=patient))>0 from t;
select k, (select array_agg(g) is not null from dp_histogram('people','age',case when true then '{0,50,100}'::numeric[] else array[t.k::numeric] end) g) from t;
select k, (select count(*) from visits where (t.k, 1) is not null or true)>0 from t;
select k, (select count(*) from visits where (t is not null) or true)>0 from t;
select k, (select (select count(*) from visits where t.k is not null or true))>0 from t;
select k, (select (select count(*) from visits where t.k is not null or u.k is not null or true) from t u limit 1)>0 from t;
select k, l.n > 0 from t, lateral (select count(*) n from visits v join (values (1),(2),(coalesce(3,t.k))) b(g) on b.g = v.patient) l;
select k, (select count(*) from (select patient from visits where t.k is not null or true intersect select id from people) x)>0 from t;
select k, (select count(*) from (select patient from visits except select id from people where id < 4 and (t.k is not null or true)) x)>0 from t;
select k, l.n > 0 from t, lateral (select count(*) n from visits v join lateral (select id from people where id=v.patient and (t.k>0 or true)) p on true) l;
-- system columns, which are refused where they do not fold away
SELECT dp_count(*) IS NOT NULL FROM visits v WHERE v.ctid IS NOT NULL AND false;
SELECT dp_count(*) IS NOT NULL FROM (SELECT cost FROM visits v WHERE v.xmin IS NOT NULL AND v.xmin::text <> '1') x WHERE false;
SELECT dp_count(*) IS NOT NULL FROM visits v WHERE false AND EXISTS (SELECT FROM people p WHERE p.id = v.patient AND p.ctid = v.ctid AND v.tableoid > 0);
SELECT dp_count(*) IS NOT NULL FROM visits v WHERE v.ctid IS NOT NULL;
-- comparisons of subqueries with what is folded
CREATE FUNCTION some_rows(n int) RETURNS SETOF int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN QUERY SELECT generate_series(1, coalesce(n, 3)); END';
SELECT dp_count(*) BETWEEN 2900 AND 9100 FROM visits v, some_rows((NULL::int IN (SELECT g FROM big))::int) s;
SELECT dp_count(*) BETWEEN 2900 AND 9100 FROM visits v, some_rows((true IN (SELECT g > 1 FROM big))::int) s;
SELECT dp_count(*) IS NOT NULL FROM visits v, some_rows((false IN (SELECT g > 1 FROM big))::int - 1) s;
SELECT dp_count(*) BETWEEN 2900 AND 9100 FROM visits v, some_rows(((NULL::int, 3) = ANY (SELECT g, g FROM big))::int) s;
SELECT dp_count(*) IS NOT NULL FROM visits v, some_rows(((3, NULL::int) NOT IN (SELECT g, g FROM big))::int) s;
SELECT dp_count(*) BETWEEN 2900 AND 9100 FROM visits v, some_rows(((NULL::int, 3) < (SELECT g, g FROM big LIMIT 1))::int) s;
select k, (select count(*) from visits where (null::int in (select g from big where t.k is not null)) is null or true)>0 from t;
select k, (select count(*) from visits where (null::int, 1) in (select g, patient from big) and t.k is not null or true)>0 from t;
select k, (select count(*) from visits where ((null::int, 1) in (select g, patient from big) and t.k is not null and false) or cost >= 0)>0 from t;
-- the same question, found again
SET dp_agg.kept_max_age = '1 day';
SELECT k, (SELECT count(*) FROM visits WHERE day > '2020-01-02' AND (t.k > 0 OR true)) > 0 FROM t;
SELECT count(*) > 0 FROM visits WHERE day > '2020-01-02';
SELECT bool_and(kept LIKE 'kept%') FROM dp_agg.last_release();
PREPARE b(boolean) AS SELECT k, (SELECT count(*) FROM visits WHERE t.k > 0 OR $1) > 0 FROM t;
EXECUTE b(true);
EXECUTE b(false);
-- what reads a release beside protected rows, and so is not read beforehand
SELECT abs(count(*) - 3000) < 2 FROM visits WHERE true OR EXISTS (SELECT FROM people p, (SELECT count(*) AS n FROM people) q WHERE p.age > q.n);
SELECT abs(count(*)) < 2 FROM visits WHERE false AND EXISTS (SELECT FROM people p, (SELECT count(*) AS n FROM people) q WHERE p.age > q.n);
SELECT abs(count(*) FILTER (WHERE true OR EXISTS (SELECT FROM people p, (SELECT count(*) AS n FROM people) q WHERE p.age > q.n)) - 3000) < 2 FROM visits;
SELECT true OR EXISTS (SELECT FROM people p, (SELECT count(*) AS n FROM people) q WHERE p.age > q.n) AS key, count(*) > 2000 FROM visits GROUP BY 1;
-- what is told of it: the analyst's words without what folds away
RESET ROLE;
SELECT DISTINCT coalesce(releases -> 0 ->> 'where', 'none') AS asked FROM dp_agg.ledger ORDER BY 1;
SELECT * FROM dp_agg.verify_ledger();
SET client_min_messages = error;
DROP SCHEMA folded CASCADE;
SELECT dp_agg.drop_budget('folded_ann');
DROP EXTENSION dp_agg;
DROP ROLE folded_ann;
