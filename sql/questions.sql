--
-- questions: which blocks ask the same, whose answers may stand for each other
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE questions_analyst;
SELECT dp_agg.set_budget('questions_analyst', 1, 1e-6);
CREATE SCHEMA questions AUTHORIZATION questions_analyst;
SET search_path = questions, public;
CREATE FUNCTION asked(query text, OUT question text, OUT relations text) RETURNS SETOF record
	AS '$libdir/dp_questions_test', 'test_questions' LANGUAGE C STRICT;
CREATE FUNCTION fields(query text, OUT field text, OUT differs bool) RETURNS SETOF record
	AS '$libdir/dp_questions_test', 'test_question_fields' LANGUAGE C STRICT;
-- the questions of a statement under settings: name=value;...
CREATE FUNCTION question(query text, settings text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	questions text;
BEGIN
	PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM string_to_table(settings, ';') s WHERE s <> '';
	SELECT string_agg(coalesce(a.question, 'none'), ' ') INTO questions FROM asked(query) a;
	RAISE 'undo';
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLERRM WHEN 'undo' THEN questions ELSE 'none: ' || SQLERRM END;
END $$;
CREATE TYPE size AS ENUM ('small', 'large');
CREATE TYPE shade AS ENUM ('small', 'large');
CREATE TABLE people (id int PRIMARY KEY, age int, height int, city text, code varchar(10), size size, active bool,
	born date, seen timestamptz, at timestamp, income numeric, score float8, kind char(3), parent int, weight float4);
CREATE TABLE visits (person int NOT NULL, day date, cost int, city text, clinic int);
CREATE TABLE stays (person int NOT NULL, day date, cost int, city text);
CREATE TABLE notes (person bpchar NOT NULL, cost int, city text);
CREATE TABLE parts (person int NOT NULL, cost int) PARTITION BY RANGE (cost);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE towns (name text PRIMARY KEY, state text, people int);
CREATE TABLE states (name text PRIMARY KEY);
CREATE TABLE other_states (name text PRIMARY KEY);
INSERT INTO towns VALUES ('Aachen', 'NW', 5), ('Berlin', 'BE', 7);
CREATE VIEW adults AS SELECT id AS person, age AS years, city AS town, born FROM people WHERE age >= 18;
CREATE VIEW totals AS SELECT person, sum(cost) AS total, max(cost) AS most, count(*) AS n FROM visits GROUP BY person;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 3, max_groups => 2),
	dp_agg.protect('stays', 'person', max_rows => 3, max_groups => 2), dp_agg.protect('parts', 'person', max_rows => 3),
	dp_agg.protect('notes', 'person', max_rows => 3, max_groups => 2);
GRANT SELECT ON towns, states, other_states TO questions_analyst;
-- keys vouch for units when no transaction is left that began before them
\set settle 'DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_xmin IS NOT NULL) LOOP PERFORM pg_sleep(0.1); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$;'
:settle
CREATE TABLE cases (n int GENERATED ALWAYS AS IDENTITY, set int, settings text DEFAULT '', query text);

-- Statements of one set ask the same; those of different sets do not.
COPY cases (set, query) FROM stdin (DELIMITER '|');
1|SELECT dp_count(*) FROM people WHERE age > 30
1|select DP_COUNT( * ) as n from questions.people AS p where p.age>30 -- how many
1|SELECT dp_count(*) FROM people WHERE 30 < age
1|SELECT dp_count(*) FROM people WHERE NOT (age <= 30)
1|SELECT dp_count(*) FROM people WHERE age > 3 * 10
1|SELECT dp_count(*) + 1, dp_count(*) FROM people WHERE age > 30 HAVING dp_count(*) > 5 ORDER BY 1 LIMIT 1
1|SELECT dp_count(*) FROM (SELECT age AS a FROM people) s (b) WHERE b > 30
1|WITH w AS (SELECT * FROM people) SELECT dp_count(*) FROM w WHERE age > 30
1|SELECT dp_count(*) FROM people WHERE age > 30 AND age > 30
2|SELECT dp_count(*) FROM people
2|SELECT dp_count(*) FROM people WHERE 1 = 1
3|SELECT dp_count(*) FROM people WHERE age >= 30
4|SELECT dp_count(*) FROM people WHERE age > 31
5|SELECT dp_count(*) FROM people WHERE age > 30::bigint
6|SELECT dp_count(*) FROM people WHERE age > 30.0
7|SELECT dp_count(*) FROM people WHERE height > 30
8|SELECT dp_count(age) FROM people
9|SELECT dp_sum(age, 0, 100) FROM people
9|SELECT dp_sum(age, 10 - 10, 100) FROM people
86|SELECT dp_sum(age, 0.0, 1e2) FROM people
10|SELECT dp_sum(age, 0, 101) FROM people
11|SELECT dp_sum(age, 1, 100) FROM people
12|SELECT dp_sum(age, 0, 100, 0.5) FROM people
13|SELECT dp_sum(height, 0, 100) FROM people
14|SELECT dp_avg(age, 0, 100) FROM people
15|SELECT dp_sum(age, 0, 100), dp_count(*) FROM people
15|SELECT dp_count(*), dp_sum(age, 0, 100) FROM people
16|SELECT dp_count(*), dp_sum(height, 0, 100) FROM people
141|SELECT dp_count(*), dp_median(age, 0, 100), dp_sum(age, 0, 100), dp_sum(height, 0, 200) FROM people
141|SELECT dp_sum(height, 0, 200), dp_median(age, 0, 100), dp_sum(age, 0, 100), dp_count(*) FROM people
142|SELECT dp_avg(cost, 0, 9), dp_count(*), dp_count(DISTINCT person), dp_sum(cost, 0, 9) FROM visits
142|SELECT dp_count(DISTINCT person), dp_sum(cost, 0, 9), dp_avg(cost, 0, 9), dp_count(*) FROM visits
143|SELECT dp_count(DISTINCT id, 0.5), dp_count(DISTINCT id, 0.7) FROM people
143|SELECT dp_count(DISTINCT id, 0.7), dp_count(DISTINCT id, 0.5) FROM people
144|SELECT city, dp_count(DISTINCT id, 0.5), dp_count(DISTINCT id, 0.7) FROM people GROUP BY city
145|SELECT city, dp_count(DISTINCT id, 0.7), dp_count(DISTINCT id, 0.5) FROM people GROUP BY city
146|SELECT city, dp_avg(cost, 0, 9), dp_median(cost, 0, 9), dp_count(*) FROM visits GROUP BY city
146|SELECT dp_count(*), city, dp_median(cost, 0, 9), dp_avg(cost, 0, 9) FROM visits GROUP BY city
219|SELECT city, dp_median(cost, 0, 9) FROM notes GROUP BY city
219|SELECT dp_median(cost, 0, 9), city FROM notes GROUP BY city
147|SELECT * FROM dp_above_threshold('people', ARRAY['age > 30', 'age > 40'], 5)
148|SELECT * FROM dp_above_threshold('people', ARRAY['age > 40', 'age > 30'], 5)
17|SELECT dp_variance(age, 0, 100) FROM people
17|SELECT dp_stddev(age, 0, 100) FROM people
18|SELECT dp_variance(age, 0, 100, 0.5) FROM people
19|SELECT dp_covar_pop(age, height, 0, 100, 0, 200) FROM people
19|SELECT dp_covar_samp(age, height, 0, 100, 0, 200) FROM people
20|SELECT dp_covar_pop(height, age, 0, 100, 0, 200) FROM people
21|SELECT dp_covar_pop(age, height, 0, 100, 0, 201) FROM people
22|SELECT dp_median(age, 0, 100) FROM people
22|SELECT dp_quantile(age, 0.5, 0, 100) FROM people
23|SELECT dp_quantile(age, 0.25, 0, 100) FROM people
24|SELECT dp_quantile(age, 0.5, 0, 101) FROM people
25|SELECT dp_max(age, 0, 100) FROM people
26|SELECT dp_median(cost, 0, 100) FROM visits
27|SELECT dp_count(*) FROM people WHERE age > 30 AND height < 5 AND active
27|SELECT dp_count(*) FROM people WHERE active AND (height < 5 AND age > 30)
27|SELECT dp_count(*) FROM (SELECT * FROM people WHERE active) s WHERE 30 < age AND 5 > height
28|SELECT dp_count(*) FROM people WHERE age > 30 OR height < 5 OR active
28|SELECT dp_count(*) FROM people WHERE active OR (height < 5 OR age > 30)
29|SELECT dp_count(*) FROM people WHERE age > 30 OR (height < 5 AND active)
30|SELECT dp_count(*) FROM people WHERE (age > 30 OR height < 5) AND active
31|SELECT dp_count(*) FROM people WHERE city IN ('a', 'b', 'c')
31|SELECT dp_count(*) FROM people WHERE city IN ('c', 'a', 'b', 'a')
31|SELECT dp_count(*) FROM people WHERE city = ANY ('{b,c,a}')
32|SELECT dp_count(*) FROM people WHERE city IN ('a', 'b')
33|SELECT dp_count(*) FROM people WHERE city IN ('a', 'b', 'c', NULL)
34|SELECT dp_count(*) FROM people WHERE city NOT IN ('a', 'b', 'c')
35|SELECT dp_count(*) FROM people WHERE city = ALL ('{a,b,c}')
36|SELECT dp_count(*) FROM people WHERE city = 'a'
36|SELECT dp_count(*) FROM people WHERE 'a' = city
37|SELECT dp_count(*) FROM people WHERE city = 'A'
38|SELECT dp_count(*) FROM people WHERE city LIKE 'a'
39|SELECT dp_count(*) FROM people WHERE city < 'a'
40|SELECT dp_count(*) FROM people WHERE city < 'a' COLLATE "C"
41|SELECT dp_count(*) FROM people WHERE upper(city) = 'A'
42|SELECT dp_count(*) FROM people WHERE upper(city COLLATE "C") = 'A'
43|SELECT dp_count(*) FROM people WHERE city IN ('a', 'b', 'c') AND city <= ALL ('{a,b}')
44|SELECT dp_count(*) FROM people WHERE city IN ('a', 'b', 'c') AND city COLLATE "C" <= ALL ('{a,b}')
45|SELECT dp_count(*) FROM people WHERE greatest(city, code) = 'a'
46|SELECT dp_count(*) FROM people WHERE least(city, code) = 'a'
47|SELECT dp_count(*) FROM people WHERE greatest(city COLLATE "C", code) = 'a' COLLATE "C"
48|SELECT dp_count(*) FROM people WHERE coalesce(city, code) = 'a'
49|SELECT dp_count(*) FROM people WHERE coalesce(code, city) = 'a'
50|SELECT dp_count(*) FROM people WHERE nullif(city, 'b') = 'a'
51|SELECT dp_count(*) FROM people WHERE nullif('b', city) = 'a'
52|SELECT dp_count(*) FROM people WHERE city IS DISTINCT FROM 'a'
52|SELECT dp_count(*) FROM people WHERE 'a' IS DISTINCT FROM city
87|SELECT dp_count(*) FROM people WHERE nullif(age, height) = 1
88|SELECT dp_count(*) FROM people WHERE nullif(height, age) = 1
53|SELECT dp_count(*) FROM people WHERE city IS NOT DISTINCT FROM 'a'
54|SELECT dp_count(*) FROM people WHERE city <> 'a'
55|SELECT dp_count(*) FROM people WHERE city IS NULL
56|SELECT dp_count(*) FROM people WHERE city IS NOT NULL
57|SELECT dp_count(*) FROM people WHERE active
57|SELECT dp_count(*) FROM people WHERE active = true
58|SELECT dp_count(*) FROM people WHERE NOT active
59|SELECT dp_count(*) FROM people WHERE active IS TRUE
60|SELECT dp_count(*) FROM people WHERE active IS NOT FALSE
61|SELECT dp_count(*) FROM people WHERE active IS UNKNOWN
62|SELECT dp_count(*) FROM people WHERE CASE age WHEN 1 THEN active WHEN 2 THEN false ELSE city = 'a' END
63|SELECT dp_count(*) FROM people WHERE CASE age WHEN 1 THEN active WHEN 3 THEN false ELSE city = 'a' END
64|SELECT dp_count(*) FROM people WHERE CASE age WHEN 2 THEN false WHEN 1 THEN active ELSE city = 'a' END
65|SELECT dp_count(*) FROM people WHERE CASE age WHEN 1 THEN active WHEN 2 THEN false ELSE city = 'b' END
66|SELECT dp_count(*) FROM people WHERE CASE height WHEN 1 THEN active WHEN 2 THEN false ELSE city = 'a' END
67|SELECT dp_count(*) FROM people WHERE CASE WHEN age = 1 THEN active WHEN age = 2 THEN false ELSE city = 'a' END
68|SELECT dp_count(*) FROM people WHERE size = 'small'
69|SELECT dp_count(*) FROM people WHERE size = 'large'
70|SELECT dp_count(*) FROM people WHERE size IN ('large', 'small')
70|SELECT dp_count(*) FROM people WHERE size = ANY ('{small,large}')
71|SELECT dp_count(*) FROM people WHERE income = 1.0
72|SELECT dp_count(*) FROM people WHERE score = 1
73|SELECT dp_count(*) FROM people WHERE age + height > 3
74|SELECT dp_count(*) FROM people WHERE age - height > 3
75|SELECT dp_count(*) FROM people WHERE height - age > 3
76|SELECT dp_count(*) FROM people WHERE (age & height) > 3
76|SELECT dp_count(*) FROM people WHERE (height & age) > 3
77|SELECT dp_count(*) FROM people WHERE (age # height) > 3
78|SELECT dp_count(*) FROM people WHERE ~age > 3
79|SELECT dp_count(*) FROM people WHERE length(city) > 3
80|SELECT dp_count(*) FROM people WHERE age::text = 'a'
81|SELECT dp_count(*) FROM people WHERE age::oid = 3
82|SELECT dp_count(*) FROM people WHERE age = 3
83|SELECT dp_count(*) FROM people WHERE size::text = 'a'
84|SELECT dp_count(*) FROM people WHERE active::text = 'a'
85|SELECT dp_count(*) FROM people WHERE false
\.
-- groups, and what is made of their columns
COPY cases (set, query) FROM stdin (DELIMITER '|');
101|SELECT city, dp_count(*) FROM people GROUP BY city
101|SELECT dp_count(*), upper(city) FROM people GROUP BY city ORDER BY city DESC LIMIT 3
101|SELECT DISTINCT city AS town, dp_count(*) OVER_ FROM people GROUP BY 1 HAVING dp_count(*) > 3
101|SELECT s.town, dp_count(*) FROM (SELECT city AS town FROM people) s GROUP BY s.town
102|SELECT code, dp_count(*) FROM people GROUP BY code
133|SELECT code COLLATE "C", dp_count(*) FROM people GROUP BY 1
134|SELECT kind, dp_count(*) FROM people GROUP BY kind
135|SELECT kind COLLATE "C", dp_count(*) FROM people GROUP BY 1
103|SELECT upper(city), dp_count(*) FROM people GROUP BY upper(city)
104|SELECT city, age, dp_count(*) FROM people GROUP BY city, age
104|SELECT age, city, dp_count(*) FROM people GROUP BY city, age
105|SELECT city, age, dp_count(*) FROM people GROUP BY age, city
106|SELECT city COLLATE "C", dp_count(*) FROM people GROUP BY 1
107|SELECT active, dp_count(*) FROM people GROUP BY active
108|SELECT active, dp_count(*) FROM people WHERE active IS NOT NULL GROUP BY active
109|SELECT size, dp_count(*) FROM people GROUP BY size
110|SELECT size, dp_count(*) FROM people WHERE size > 'small' GROUP BY size
111|SELECT city, dp_sum(age, 0, 100) FROM people GROUP BY city
112|SELECT city, dp_sum(age, 0, 100), dp_count(*) FROM people GROUP BY city
112|SELECT city, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city
113|SELECT city, dp_median(age, 0, 100) FROM people GROUP BY city
114|SELECT city, dp_median(cost, 0, 100) FROM visits GROUP BY city
115|SELECT city, dp_count(*) FROM visits GROUP BY city
116|SELECT city, dp_count(DISTINCT person) FROM visits GROUP BY city
117|SELECT city, dp_sum(cost, 0, 100) FROM visits GROUP BY city
118|SELECT city, dp_sum(cost, 0, 100) FROM stays GROUP BY city
119|SELECT dp_count(*) FILTER (WHERE age > 30) FROM people
120|SELECT dp_count(*) FILTER (WHERE age > 31) FROM people
121|SELECT dp_count(*) FILTER (WHERE age > 30), dp_count(*) FILTER (WHERE age <= 30) FROM people
122|SELECT city::varchar(3), dp_count(*) FROM people GROUP BY 1
123|SELECT score, dp_count(*) FROM people GROUP BY score
124|SELECT weight, dp_count(*) FROM people GROUP BY weight
125|SELECT income, dp_count(*) FROM people GROUP BY income
126|SELECT 1, dp_count(*) FROM people GROUP BY 1 + 0
127|SELECT age::oid, dp_count(*) FROM people GROUP BY 1
128|SELECT age, dp_count(*) FROM people GROUP BY age
129|SELECT income::numeric(9, 2), dp_count(*) FROM people GROUP BY 1
130|SELECT income::numeric(9, 3), dp_count(*) FROM people GROUP BY 1
131|SELECT NULL::date, dp_count(*) FROM people GROUP BY 1
132|SELECT NULL::int, dp_count(*) FROM people GROUP BY 1
\.
-- calls in FROM
COPY cases (set, query) FROM stdin (DELIMITER '|');
201|SELECT * FROM dp_histogram('people', 'age', 0, 100, 10)
201|SELECT bin, n FROM dp_histogram('people', 'age', 0, 100, 10) h (bin, l, u, n) WHERE n > 3
202|SELECT * FROM dp_histogram('people', 'age', 0, 100, 20)
203|SELECT * FROM dp_histogram('people', 'age', 0, 110, 10)
204|SELECT * FROM dp_histogram('people', 'age', 1, 100, 10)
205|SELECT * FROM dp_histogram('people', 'height', 0, 100, 10)
206|SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b', 'c'])
207|SELECT * FROM dp_noisy_max('people', 'city', ARRAY['c', 'b', 'a'])
208|SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b', 'c'], 2)
209|SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b', 'c'], epsilon => 0.5)
210|SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b', 'c'], filter => 'age > 3')
210|SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b', 'c'], filter => '3 < people.age')
211|SELECT * FROM dp_top('people', 'city', 3)
212|SELECT * FROM dp_top('people', 'city', 4)
213|SELECT * FROM dp_top('people', 'code', 3)
214|SELECT * FROM dp_above_threshold('people', ARRAY['age > 3', 'age > 5'], 10)
215|SELECT * FROM dp_above_threshold('people', ARRAY['age > 5', 'age > 3'], 10)
216|SELECT * FROM dp_above_threshold('people', ARRAY['age > 3', 'age > 5'], 11)
217|SELECT * FROM dp_cumulative('people', 'age', 0, 100, 10)
218|SELECT * FROM dp_cumulative('people', 'age', 0, 100, 20)
\.
-- joins, subqueries and views
COPY cases (set, query) FROM stdin (DELIMITER '|');
301|SELECT dp_sum(v.cost, 0, 9) FROM people p, visits v WHERE p.id = v.person AND p.age > 3
301|SELECT dp_sum(v.cost, 0, 9) FROM visits v JOIN people p ON v.person = p.id WHERE p.age > 3
301|SELECT dp_sum(a.cost, 0, 9) FROM people b JOIN visits a ON 3 < b.age AND b.id = a.person
301|SELECT dp_sum(cost, 0, 9) FROM (SELECT * FROM people WHERE age > 3) p JOIN visits ON id = person
302|SELECT dp_sum(v.cost, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person WHERE v.cost > 3
302|SELECT dp_sum(v.cost, 0, 9) FROM people p RIGHT JOIN visits v ON v.person = p.id WHERE 3 < v.cost
303|SELECT dp_sum(v.cost, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person AND v.cost > 3
304|SELECT dp_sum(v.cost, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person AND p.age > 3
305|SELECT dp_sum(v.cost, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person WHERE p.age > 3
306|SELECT dp_count(*) FROM people a, people b WHERE a.id = b.id AND a.age > 3 AND b.age < 9
306|SELECT dp_count(*) FROM people b, people a WHERE b.age > 3 AND a.age < 9 AND a.id = b.id
306|SELECT dp_count(*) FROM people x JOIN people y ON x.id = y.id WHERE y.age > 3 AND 9 > x.age
307|SELECT dp_count(*) FROM people a, people b WHERE a.id = b.id AND a.age > 3 AND a.age < 9
308|SELECT dp_count(*) FROM people a, people b, people c WHERE a.id = b.id AND b.id = c.id AND a.age > 3 AND c.age > 5
308|SELECT dp_count(*) FROM people c, people b, people a WHERE b.id = c.id AND b.id = a.id AND a.age > 3 AND c.age > 5
308|SELECT dp_count(*) FROM people b, people c, people a WHERE c.id = a.id AND b.id = c.id AND b.age > 3 AND a.age > 5
308|SELECT dp_count(*) FROM people a, people b, people c WHERE a.id = b.id AND b.id = c.id AND a.age > 3 AND b.age > 5
309|SELECT dp_count(*) FROM people a, people b, people c WHERE a.id = b.id AND b.id = c.id AND a.age > 3 AND a.height > 5
309|SELECT dp_count(*) FROM people a, people b, people c WHERE a.id = b.id AND b.id = c.id AND c.age > 3 AND c.height > 5
341|SELECT dp_count(*) FROM people a, people b, people c WHERE a.id = b.id AND b.id = c.id AND a.age > 3 AND b.height > 5
310|SELECT dp_sum(v.m, 0, 9) FROM (SELECT person, max(cost) AS m FROM visits GROUP BY person) v JOIN (SELECT person, max(cost) AS m FROM visits GROUP BY person) w ON v.person = w.person WHERE v.m < w.m
310|SELECT dp_sum(w.m, 0, 9) FROM (SELECT person, max(cost) AS m FROM visits GROUP BY person) v, (SELECT person, max(cost) AS m FROM visits GROUP BY person) w WHERE v.person = w.person AND v.m > w.m
311|SELECT dp_sum(w.m, 0, 9) FROM (SELECT person, max(cost) AS m FROM visits GROUP BY person) v JOIN (SELECT person, max(cost) AS m FROM visits GROUP BY person) w ON v.person = w.person WHERE v.m < w.m
312|SELECT state, dp_count(*) FROM people JOIN towns ON city = name GROUP BY state
312|SELECT state, dp_count(*) FROM towns, people WHERE name = city GROUP BY state
313|SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name GROUP BY name
313|SELECT name, dp_count(*) FROM people RIGHT JOIN towns ON city = name GROUP BY name
314|SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name WHERE towns.people > 3 GROUP BY name
315|SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name AND towns.people > 3 GROUP BY name
316|SELECT states.name, dp_count(*) FROM states LEFT JOIN people ON city = name GROUP BY name
317|SELECT states.name, dp_count(*) FROM other_states AS states LEFT JOIN people ON city = name GROUP BY name
318|SELECT t.name, s.name, dp_count(*) FROM towns t LEFT JOIN states s ON s.name = t.state LEFT JOIN people ON city = t.name GROUP BY t.name, s.name
319|SELECT t.name, s.name, dp_count(*) FROM towns t JOIN states s ON s.name = t.state LEFT JOIN people ON city = t.name GROUP BY t.name, s.name
320|SELECT dp_count(*) FROM people WHERE age >= 18 AND city = 'a'
320|SELECT dp_count(*) FROM adults WHERE town = 'a'
320|WITH a AS (SELECT * FROM adults) SELECT dp_count(*) FROM (SELECT town FROM a) s WHERE 'a' = s.town
321|SELECT dp_sum(total, 0, 9) FROM totals
321|SELECT dp_sum(s, 0, 9) FROM (SELECT person, sum(cost) AS s FROM visits GROUP BY person) t
321|SELECT dp_sum(s, 0, 9) FROM (SELECT min(cost), sum(cost) AS s, count(*) FROM visits GROUP BY person ORDER BY 1) t
322|SELECT dp_sum(most, 0, 9) FROM totals
323|SELECT dp_sum(total, 0, 9) FROM totals WHERE n > 3
323|SELECT dp_sum(s, 0, 9) FROM (SELECT count(*) AS n, sum(cost) AS s FROM visits GROUP BY person HAVING 3 < count(*)) t
324|SELECT dp_sum(s, 0, 9) FROM (SELECT sum(cost) AS s FROM visits WHERE cost > 3 GROUP BY person) t
325|SELECT dp_sum(s, 0, 9) FROM (SELECT sum(cost) FILTER (WHERE cost > 3) AS s FROM visits GROUP BY person) t
326|SELECT dp_sum(s, 0, 9) FROM (SELECT sum(cost) AS s FROM visits GROUP BY person, city) t
326|SELECT dp_sum(s, 0, 9) FROM (SELECT sum(cost) AS s FROM visits GROUP BY city, person) t
327|SELECT dp_sum(s, 0, 9) FROM (SELECT sum(cost) AS s FROM visits GROUP BY person, day) t
328|SELECT dp_sum(s, 0, 9) FROM (SELECT count(city) AS s FROM visits GROUP BY person) t
329|SELECT dp_sum(s, 0, 9) FROM (SELECT count(DISTINCT city) AS s FROM visits GROUP BY person) t
351|SELECT dp_sum(s, 0, 9) FROM (SELECT count(cost) AS s FROM visits GROUP BY person) t
352|SELECT dp_sum(s, 0, 9) FROM (SELECT count(DISTINCT cost) AS s FROM visits GROUP BY person) t
330|SELECT dp_sum(s, 0, 9) FROM (SELECT count(*) AS s FROM visits GROUP BY person) t
331|SELECT dp_count(*) FROM (SELECT max(city) AS m FROM visits GROUP BY person) t WHERE m = 'a'
332|SELECT dp_count(*) FROM (SELECT max(city COLLATE "C") AS m FROM visits GROUP BY person) t WHERE m = 'a' COLLATE "default"
333|SELECT dp_sum(m - l, 0, 9) FROM (SELECT max(cost) AS m, min(cost) AS l FROM visits GROUP BY person) t
333|SELECT dp_sum(m - l, 0, 9) FROM (SELECT min(cost) AS l, max(cost) AS m FROM visits GROUP BY person) t
334|SELECT dp_sum(l - m, 0, 9) FROM (SELECT max(cost) AS m, min(cost) AS l FROM visits GROUP BY person) t
335|SELECT dp_count(*) FROM people JOIN totals ON id = person WHERE total > age
335|SELECT dp_count(*) FROM totals JOIN people ON id = person WHERE age < total
342|SELECT dp_count(DISTINCT v.person) FROM people p JOIN visits v ON p.id = v.person
342|SELECT dp_count(DISTINCT p.id) FROM visits v JOIN people p ON p.id = v.person
343|SELECT dp_sum(v.cost + p.id, 0, 9) FROM people p JOIN visits v ON p.id = v.person
343|SELECT dp_sum(v.cost + v.person, 0, 9) FROM people p JOIN visits v ON p.id = v.person
344|SELECT dp_sum(v.cost + p.id, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person
345|SELECT dp_sum(v.cost + v.person, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person
346|SELECT dp_count(*) FROM people WHERE age = height AND age > 3
346|SELECT dp_count(*) FROM people WHERE height = age AND height > 3
347|SELECT dp_count(*) FROM people WHERE age = height OR age > 3
348|SELECT dp_count(*) FROM people WHERE age = height OR height > 3
349|SELECT dp_count(*) FROM people WHERE age = height
350|SELECT dp_count(*) FROM people WHERE age = height AND height = parent
350|SELECT dp_count(*) FROM people WHERE age = parent AND parent = height AND height = age
353|SELECT dp_count(*) FROM people a LEFT JOIN people b ON a.id = b.id AND b.age > 3 WHERE a.height > 5
354|SELECT dp_count(*) FROM people a LEFT JOIN people b ON a.id = b.id AND a.age > 3 WHERE b.height > 5
336|SELECT dp_count(*) FROM parts
337|SELECT dp_count(*) FROM ONLY parts
370|SELECT dp_count(*) FROM people, string_to_table(city, ',') t
370|SELECT dp_count(*) FROM people p, unnest(string_to_array(p.city, ',')) t
370|SELECT dp_count(*) FROM people CROSS JOIN LATERAL (SELECT unnest(string_to_array(city, ',')) AS x) y
370|SELECT dp_count(*) FROM (SELECT id, string_to_table(city, ',') AS t FROM people) p
371|SELECT dp_count(*) FROM people LEFT JOIN string_to_table(city, ',') t ON true
372|SELECT dp_count(*) FROM people, string_to_table(city, ';') t
373|SELECT dp_count(*) FROM people, string_to_table(code, ',') t
374|SELECT dp_count(*) FROM people, string_to_table(city, ',', '') t
375|SELECT dp_count(*) FROM people, regexp_split_to_table(city, ',') t
376|SELECT dp_count(*) FROM people, regexp_split_to_table(city, ',', 'i') t
377|SELECT dp_count(*) FROM people, string_to_table(city, ',') t, string_to_table(code, ',') u
378|SELECT dp_count(*) FROM people, string_to_table(city, ',') t, string_to_table(city, ',') u
379|SELECT dp_count(t) FROM people, string_to_table(city, ',') t
338|SELECT dp_count(*) FROM visits
338|SELECT dp_count(*) FROM ONLY visits
339|SELECT dp_count(*) FROM stays
340|SELECT dp_count(*) FROM people a, people b, people c, people d WHERE a.id = b.id AND b.id = c.id AND c.id = d.id AND a.age > 1 AND b.age > 2 AND c.age > 3 AND d.age > 4
340|SELECT dp_count(*) FROM people d, people c, people b, people a WHERE a.id = b.id AND b.id = c.id AND c.id = d.id AND a.age > 1 AND b.age > 2 AND c.age > 3 AND d.age > 4
340|SELECT dp_count(*) FROM people b, people a, people c, people d WHERE d.age > 4 AND b.age > 2 AND c.age > 3 AND a.age > 1 AND a.id = b.id AND b.id = c.id AND c.id = d.id
\.
-- settings that set noise or bounds, and those that do not
COPY cases (set, settings, query) FROM stdin (DELIMITER '|');
2||SELECT dp_count(*) FROM people
431|dp_agg.max_join_rows=5|SELECT dp_count(*) FROM people, string_to_table(city, ',') t
401|dp_agg.epsilon=2|SELECT dp_count(*) FROM people
401|dp_agg.epsilon=2;DateStyle=German;TimeZone=Asia/Tokyo;extra_float_digits=3|SELECT dp_count(*) FROM people
402|dp_agg.mechanism=gaussian|SELECT dp_count(*) FROM people
403|dp_agg.mechanism=gaussian;dp_agg.delta=1e-7|SELECT dp_count(*) FROM people
2|dp_agg.delta=1e-7|SELECT dp_count(*) FROM people
404|dp_agg.sample_rate=0.5|SELECT dp_count(*) FROM people
405|dp_agg.sample_rate=0.25|SELECT dp_count(*) FROM people
406|dp_agg.delta=1e-7|SELECT city, dp_count(*) FROM people GROUP BY city
407|dp_agg.epsilon=2|SELECT city, dp_count(*) FROM people GROUP BY city
408|dp_agg.max_rows=2|SELECT dp_count(*) FROM visits
409|dp_agg.max_groups=1|SELECT city, dp_count(*) FROM visits GROUP BY city
410|dp_agg.max_groups=1|SELECT city, dp_median(cost, 0, 100) FROM visits GROUP BY city
411|dp_agg.mechanism=gaussian|SELECT dp_avg(age, 0, 100) FROM people
2|dp_agg.charge_timeout=3s;work_mem=1MB;enable_hashagg=off|SELECT dp_count(*) FROM people
115|dp_agg.charge_timeout=3s|SELECT city, dp_count(*) FROM visits GROUP BY city
412||SELECT dp_count(DISTINCT cost) FROM visits
412||SELECT dp_count(DISTINCT v.cost) FROM visits v
413|dp_agg.max_values=17|SELECT dp_count(DISTINCT cost) FROM visits
414||SELECT dp_count(DISTINCT day) FROM visits
415||SELECT dp_count(DISTINCT CASE WHEN cost > 3 THEN cost END) FROM visits
415||SELECT dp_count(DISTINCT cost) FILTER (WHERE cost > 3) FROM visits
416||SELECT dp_sum(DISTINCT cost, 0, 13) FROM visits
417||SELECT dp_avg(DISTINCT cost, 0, 13) FROM visits
418||SELECT dp_sum(cost, 0, 13) FROM visits
419||SELECT dp_avg(cost, 0, 13) FROM visits
420||SELECT dp_count(DISTINCT age) FROM people
420|dp_agg.max_values=17|SELECT dp_count(DISTINCT age) FROM people
421||SELECT dp_sum(DISTINCT age, 0, 13) FROM people
422||SELECT dp_sum(age, 0, 13) FROM people
423||SELECT dp_avg(DISTINCT age, 0, 13) FROM people
424||SELECT dp_avg(age, 0, 13) FROM people
425||SELECT city, dp_count(DISTINCT age) FROM people GROUP BY city
426||SELECT city, dp_count(DISTINCT cost) FROM visits GROUP BY city
\.
COPY cases (set, query) FROM stdin (DELIMITER ';');
1701;SELECT dp_count(*) FROM people WHERE city ~ '^A'
1702;SELECT dp_count(*) FROM people WHERE city ~* '^A'
1703;SELECT dp_count(*) FROM people WHERE city !~ '^A'
1704;SELECT dp_count(*) FROM people WHERE city ~ '^B'
1705;SELECT dp_count(*) FROM people WHERE city || code = 'x'
1706;SELECT dp_count(*) FROM people WHERE code || city = 'x'
1707;SELECT dp_count(*) FROM people WHERE concat(city, code) = 'x'
1708;SELECT dp_count(*) FROM people WHERE concat(code, city) = 'x'
1709;SELECT dp_count(*) FROM people WHERE concat_ws(',', city, code) = 'x'
1710;SELECT dp_count(*) FROM people WHERE concat_ws('-', city, code) = 'x'
1711;SELECT dp_count(*) FROM people WHERE replace(city, 'a', 'b') = 'x'
1712;SELECT dp_count(*) FROM people WHERE replace(city, 'b', 'a') = 'x'
1713;SELECT dp_count(*) FROM people WHERE lpad(city, 3) = 'x'
1713;SELECT dp_count(*) FROM people WHERE 'x' = lpad(city, 2 + 1, ' ')
1714;SELECT dp_count(*) FROM people WHERE lpad(city, 4) = 'x'
1715;SELECT dp_count(*) FROM people WHERE rpad(city, 3) = 'x'
1716;SELECT dp_count(city::int) FROM people
1716;SELECT dp_count(CAST(city AS integer)) FROM people
1717;SELECT dp_count(city::bigint) FROM people
1718;SELECT dp_count(city::numeric) FROM people
1719;SELECT dp_count(city::date) FROM people
1720;SELECT dp_count(city::timestamp) FROM people
1721;SELECT dp_count(to_date(city, 'YYYY')) FROM people
1722;SELECT dp_count(to_date(city, 'MM')) FROM people
1723;SELECT width_bucket(age, ARRAY[1, 2]) AS k, dp_count(*) FROM people GROUP BY 1
1724;SELECT width_bucket(age, ARRAY[1, 3]) AS k, dp_count(*) FROM people GROUP BY 1
1725;SELECT parent * interval '1 month' AS k, dp_count(*) FROM people GROUP BY 1
1726;SELECT parent * interval '2 months' AS k, dp_count(*) FROM people GROUP BY 1
1727;SELECT t.s, dp_count(*) FROM people p LEFT JOIN (SELECT name, state || '!' AS s FROM towns) t ON t.name = p.city GROUP BY 1
1728;SELECT t.s, dp_count(*) FROM people p LEFT JOIN (SELECT name, state || '?' AS s FROM towns) t ON t.name = p.city GROUP BY 1
1729;SELECT t.name, t.state, dp_count(*) FROM people p JOIN towns t ON t.name = p.city GROUP BY t.name
1729;SELECT t.name, t.state, dp_count(*) FROM people p JOIN towns t ON t.name = p.city GROUP BY t.name, t.state
1730;SELECT t.name, dp_count(*) FROM people p JOIN towns t ON t.name = p.city GROUP BY t.name
1731;SELECT dp_count(*) FROM people WHERE (at, at + interval '1 day') OVERLAPS (timestamp '2024-01-01', timestamp '2024-02-01')
1732;SELECT dp_count(*) FROM people WHERE (at, at + interval '1 day') OVERLAPS (timestamp '2024-01-01', timestamp '2024-03-01')
1733;SELECT dp_count(*) FROM (SELECT p.id, p.city, count(*) FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s WHERE city = 'x'
1734;SELECT dp_count(*) FROM (SELECT p.id, p.code, count(*) FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s WHERE code = 'x'
\.
-- settings that meaning depends on, where it does
COPY cases (set, settings, query) FROM stdin (DELIMITER '|');
501|TimeZone=UTC|SELECT dp_count(*) FROM people WHERE seen::date = '2026-01-01'
501|TimeZone=UTC|SELECT dp_count(*) FROM people WHERE '2026-01-01' = seen::date
502|TimeZone=Asia/Tokyo|SELECT dp_count(*) FROM people WHERE seen::date = '2026-01-01'
503|TimeZone=UTC|SELECT dp_count(*) FROM people WHERE born > '2026-01-01 00:00+00'::timestamptz
504|TimeZone=Asia/Tokyo|SELECT dp_count(*) FROM people WHERE born > '2026-01-01 00:00+00'::timestamptz
505|TimeZone=UTC|SELECT dp_count(*) FROM people WHERE seen > '2026-01-01 00:00+00'
505|TimeZone=Asia/Tokyo|SELECT dp_count(*) FROM people WHERE seen > '2026-01-01 00:00+00'
505|TimeZone=Asia/Tokyo|SELECT dp_count(*) FROM people WHERE seen > '2026-01-01 09:00'
506|TimeZone=UTC|SELECT dp_count(*) FROM people WHERE seen > '2026-01-01 09:00'
507|DateStyle=ISO|SELECT dp_count(*) FROM people WHERE born > '2026-01-01'
507|DateStyle=German|SELECT dp_count(*) FROM people WHERE born > '01.01.2026'
508|DateStyle=ISO|SELECT dp_count(*) FROM people WHERE born::text = '2026-01-01'
509|DateStyle=German|SELECT dp_count(*) FROM people WHERE born::text = '2026-01-01'
510|extra_float_digits=0|SELECT dp_count(*) FROM people WHERE score::text = '1'
511|extra_float_digits=1|SELECT dp_count(*) FROM people WHERE score::text = '1'
512|TimeZone=UTC;IntervalStyle=postgres|SELECT dp_count(*) FROM people WHERE (at - '2026-01-01')::text = '1'
513|TimeZone=UTC;IntervalStyle=iso_8601|SELECT dp_count(*) FROM people WHERE (at - '2026-01-01')::text = '1'
80|DateStyle=German|SELECT dp_count(*) FROM people WHERE age::text = 'a'
83|DateStyle=German|SELECT dp_count(*) FROM people WHERE size::text = 'a'
84|DateStyle=German|SELECT dp_count(*) FROM people WHERE active::text = 'a'
514|TimeZone=UTC;lc_time=C|SELECT dp_count(*) FROM people WHERE to_char(at, 'TMDay') = 'Monday'
515|TimeZone=Asia/Tokyo;lc_time=C|SELECT dp_count(*) FROM people WHERE to_char(at, 'TMDay') = 'Monday'
\.
BEGIN;
INSERT INTO cases (set, settings, query) VALUES
	(600, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE born >= CURRENT_DATE - 7$$),
	(600, 'TimeZone=UTC', format($$SELECT dp_count(*) FROM people WHERE born >= '%s'$$, to_char((now() AT TIME ZONE 'UTC')::date - 7, 'YYYY-MM-DD'))),
	(600, 'TimeZone=UTC;DateStyle=German', $$SELECT dp_count(*) FROM people WHERE CURRENT_DATE - 7 <= born$$),
	(601, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE born >= CURRENT_DATE - 8$$),
	(602, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE seen >= date_trunc('month', now())$$),
	(602, 'TimeZone=UTC', format($$SELECT dp_count(*) FROM people WHERE seen >= '%s'$$, to_char(date_trunc('month', now() AT TIME ZONE 'UTC'), 'YYYY-MM-DD HH24:MI:SS.US'))),
	(602, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE seen >= date_trunc('month', CURRENT_TIMESTAMP)$$),
	(603, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE seen >= now() - interval '1 day'$$),
	(603, 'TimeZone=UTC', format($$SELECT dp_count(*) FROM people WHERE seen >= '%s'$$, to_char((now() - interval '1 day') AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'))),
	(604, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE at >= LOCALTIMESTAMP$$),
	(604, 'TimeZone=UTC', format($$SELECT dp_count(*) FROM people WHERE at >= '%s'$$, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'))),
	(605, 'TimeZone=Pacific/Kiritimati', $$SELECT dp_count(*) FROM people WHERE seen >= date_trunc('month', now())$$),
	(606, 'TimeZone=UTC', $$SELECT dp_count(*) FROM people WHERE seen >= coalesce(at, now())$$),
	(607, 'DateStyle=ISO', $$SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name WHERE name <> CURRENT_DATE::text GROUP BY name$$),
	(607, 'DateStyle=ISO', $$SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name WHERE (CURRENT_DATE + 0)::text <> name GROUP BY name$$),
	(608, 'DateStyle=ISO', $$SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name WHERE name <> (CURRENT_DATE + 1)::text GROUP BY name$$),
	(610, 'DateStyle=ISO', $$SELECT dp_count(*) FROM people WHERE city > (date '2026-01-01')::text$$),
	(610, 'DateStyle=ISO;TimeZone=Asia/Tokyo', $$SELECT dp_count(*) FROM people WHERE city > (date '2025-12-31' + 1)::text$$),
	(611, 'DateStyle=German', $$SELECT dp_count(*) FROM people WHERE city > (date '2026-01-01')::text$$),
	(609, 'DateStyle=German', $$SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name WHERE name <> CURRENT_DATE::text GROUP BY name$$);
CREATE TABLE answers AS SELECT *, question(query, settings) FROM cases;
COMMIT;
SELECT query, settings, question FROM answers WHERE question IS NULL OR question ~ 'none';
SELECT a.set, a.settings, a.query AS one, b.query AS other FROM answers a JOIN answers b ON a.set = b.set AND a.n < b.n WHERE a.question <> b.question;
SELECT a.set, b.set, a.settings, a.query AS one, b.query AS other FROM answers a JOIN answers b ON a.set <> b.set AND a.n < b.n WHERE a.question = b.question;

-- partitions on other servers: each is asked by itself, in whatever order
CREATE EXTENSION postgres_fdw;
CREATE SERVER questions_far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'dp_agg');
CREATE USER MAPPING FOR CURRENT_USER SERVER questions_far;
CREATE TABLE far (person int NOT NULL, cost int, city text) PARTITION BY RANGE (cost);
CREATE TABLE far_1 PARTITION OF far FOR VALUES FROM (0) TO (10);
CREATE FOREIGN TABLE far_2 PARTITION OF far FOR VALUES FROM (10) TO (20) SERVER questions_far;
SELECT dp_agg.protect('far', 'person', max_rows => 3);
COPY cases (set, query) FROM stdin (DELIMITER '|');
701|SELECT dp_count(*) FROM far
701|SELECT dp_count(*) FROM far WHERE true
702|SELECT dp_count(*) FROM far WHERE city = 'a' AND cost > 3
702|SELECT dp_count(*) FROM far WHERE 3 < cost AND 'a' = city
703|SELECT dp_count(*) FROM far WHERE city = 'a'
704|SELECT dp_sum(cost, 0, 100), dp_avg(cost, 0, 100) FROM far
705|SELECT city, dp_sum(cost, 0, 100) FROM far GROUP BY city
706|SELECT city, dp_median(cost, 0, 100) FROM far GROUP BY city
\.
INSERT INTO answers SELECT *, question(query, settings) FROM cases WHERE set > 700;
SELECT query, settings, question FROM answers WHERE question IS NULL OR question ~ 'none';
SELECT a.set, a.settings, a.query AS one, b.query AS other FROM answers a JOIN answers b ON a.set = b.set AND a.n < b.n WHERE a.question <> b.question;
SELECT a.set, b.set, a.settings, a.query AS one, b.query AS other FROM answers a JOIN answers b ON a.set <> b.set AND a.n < b.n WHERE a.question = b.question;
SELECT relations FROM asked('SELECT dp_count(*) FROM far');
SELECT question('SELECT dp_count(*) FROM far') AS question \gset
CREATE TABLE far_3 PARTITION OF far FOR VALUES FROM (20) TO (30);
SELECT question('SELECT dp_count(*) FROM far') <> :'question' AS differs;

-- who asks does not count, nor what a plan costs; relations in their order
SELECT relations FROM asked('SELECT dp_sum(v.cost, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person');
SELECT relations FROM asked('SELECT name, dp_count(*) FROM towns LEFT JOIN people ON city = name GROUP BY name');
SELECT relations FROM asked('SELECT dp_count(*) FROM adults a, totals t WHERE a.person = t.person');
SELECT count(*), count(DISTINCT question), string_agg(relations, ' ') FROM asked('SELECT dp_count(*) FROM people UNION ALL SELECT dp_count(*) FROM people WHERE age > 3');
SET ROLE questions_analyst;
SELECT question(query) FROM (VALUES ('SELECT dp_count(*) FROM people')) v (query) \gset
RESET ROLE;
ANALYZE people;
SELECT question(query) = :'question' AS same FROM (VALUES ('SELECT dp_count(*) FROM people')) v (query);

-- What is declared counts, and what things are called: each step asks another question than those before.
CREATE TABLE steps (n int GENERATED ALWAYS AS IDENTITY, step text, question text);
CREATE PROCEDURE step(text, query text DEFAULT 'SELECT city, size, dp_sum(age, 0, 100) FROM people WHERE size > ''small'' GROUP BY city, size') LANGUAGE sql AS
	'INSERT INTO steps (step, question) SELECT $1, question(query)';
CALL step('first');
SELECT dp_agg.set_domain('people', 'height', 0, 200);
CALL step('a domain');
SELECT dp_agg.set_domain('people', 'height', 0, 201);
CALL step('another domain');
SELECT dp_agg.drop_domain('people', 'height');
CALL step('back: no domain');
SELECT dp_agg.protect('people', 'id', max_groups => 2);
CALL step('a policy');
SELECT dp_agg.protect('people', 'id', 'other');
CALL step('a data set');
SELECT dp_agg.protect('people', 'id');
CALL step('back: policy');
SELECT dp_agg.set_domain('people', 'city', ARRAY['Aachen', 'Berlin']);
CALL step('keys');
SELECT dp_agg.set_domain('people', 'city', ARRAY['Berlin', 'Aachen']);
CALL step('keys in another order');
SELECT dp_agg.drop_domain('people', 'city');
\set sizes 'SELECT size, dp_count(*) FROM people GROUP BY size'
CALL step('sizes', :'sizes');
ALTER TYPE size RENAME VALUE 'large' TO 'huge';
CALL step('a label', :'sizes');
ALTER TYPE size RENAME VALUE 'huge' TO 'large';
CALL step('back: sizes', :'sizes');
ALTER TYPE size RENAME TO bigness;
CALL step('a type', :'sizes');
ALTER TYPE bigness RENAME TO size;
ALTER TYPE size ADD VALUE 'middle' BEFORE 'large';
CALL step('a value', :'sizes');
DROP VIEW adults;
ALTER TABLE people ALTER age TYPE bigint;
:settle
CALL step('a column''s type');
ALTER TABLE people RENAME age TO years;
CALL step('a column''s name', 'SELECT city, size, dp_sum(years, 0, 100) FROM people WHERE size > ''small'' GROUP BY city, size');
ALTER TABLE people RENAME years TO age;
CALL step('back: a column''s type');
ALTER TABLE people ALTER age TYPE int;
:settle
CALL step('back: first');
\set codes 'SELECT code, dp_count(*) FROM people GROUP BY code'
CALL step('codes', :'codes');
ALTER TABLE people ALTER code TYPE varchar(20);
:settle
CALL step('a length', :'codes');
ALTER TABLE people RENAME TO persons;
CALL step('a table''s name', 'SELECT city, size, dp_sum(age, 0, 100) FROM persons WHERE size > ''small'' GROUP BY city, size');
ALTER TABLE persons RENAME TO people;
ALTER TABLE people ALTER size TYPE shade USING size::text::shade;
CALL step('another type');
SELECT step FROM steps WHERE question IS NULL OR question ~ 'none' ORDER BY n;
SELECT a.step, string_agg(b.step, ', ' ORDER BY b.n) AS before FROM steps a JOIN steps b ON a.n > b.n AND a.question = b.question GROUP BY a.n, a.step ORDER BY a.n;

-- Each field that counts: a bit changed in it makes another question, or none.
SELECT field, bool_or(differs) AS differs FROM (
	SELECT f.* FROM fields($$SELECT city, size, dp_avg(age, 0, 100), dp_count(*) FROM people
		WHERE age > 30 AND city IN ('a', 'b') AND NOT active IS TRUE AND greatest(city, code) < 'b' AND (city IS NULL OR nullif(city, code) IS DISTINCT FROM born::text)
			AND score::text = upper(code) GROUP BY city, size$$) f
	UNION ALL SELECT f.* FROM fields('SELECT dp_count(*) FROM parts') f
	UNION ALL SELECT f.* FROM fields('SELECT dp_median(cost, 0, 100) FROM visits GROUP BY city') f
	UNION ALL SELECT f.* FROM fields('SELECT dp_median(cost, 0, 100) FROM notes GROUP BY city') f
	UNION ALL SELECT f.* FROM fields('SELECT dp_count(*) FROM visits v JOIN stays s USING (person)') f
	UNION ALL SELECT f.* FROM fields('SELECT dp_sum(v.cost, 0, 9) FROM visits v LEFT JOIN people p ON p.id = v.person') f) s
	GROUP BY field ORDER BY differs DESC, field;

SET client_min_messages = warning;
DROP EXTENSION postgres_fdw CASCADE;
DROP SCHEMA questions CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE questions_analyst;
