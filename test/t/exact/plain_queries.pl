# Plain SQL of people's tools, asked by who may read the tables and by an analyst who
# may not: answers have the same columns of the same types, and the same values but for
# noise, and each is charged once.
#
# The loss is so great that noise vanishes: of a count it is 0 but for a probability of
# exp(-1e5), of all else below a hundredth of the value but for exp(-1e3).  A quantile is
# one of a thousand steps between its bounds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('plain_queries', conf => "timezone = 'UTC'\n");
$node->safe_psql('postgres', <<'SQL');
DROP TABLE people;
CREATE SCHEMA tables;
CREATE SCHEMA views;
GRANT USAGE ON SCHEMA tables, views TO PUBLIC;
ALTER DATABASE postgres SET search_path = tables;
SET search_path = tables, public;
CREATE TABLE people (id int PRIMARY KEY, city text, region text, age int, income numeric(12, 2), height float8, born date, active boolean NOT NULL);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Bremen', 'Bremen', 'Celle', 'Celle', 'Celle'])[i % 6 + 1], (ARRAY['north', 'south', 'south'])[i % 3 + 1],
	20 + i % 60, 1000 + i % 900, 150 + i % 40, date '1950-01-01' + i % 9000, i % 4 > 0 FROM generate_series(1, 6000) i;
CREATE TABLE visits (person int NOT NULL, at timestamptz, cost int);
INSERT INTO visits SELECT i % 2500 + 1, timestamptz '2025-01-10 12:00+00' + i % 4 * interval '31 days', 10 + i % 90 FROM generate_series(1, 10000) i;
CREATE TABLE towns (city text PRIMARY KEY, state text);
INSERT INTO towns VALUES ('Aachen', 'NW'), ('Bremen', 'HB'), ('Celle', 'NI');
GRANT SELECT ON towns TO PUBLIC;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 4, max_groups => 4),
	dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('people', 'income', 0, 2000), dp_agg.set_domain('people', 'height', 100, 200),
	dp_agg.set_domain('people', 'born', '1940-01-01', '1980-12-31'), dp_agg.set_domain('people', 'region', ARRAY['north', 'south']),
	dp_agg.set_domain('visits', 'cost', 0, 100), dp_agg.set_domain('visits', 'at', '2025-01-01', '2025-12-31'),
	dp_agg.publish('people', 'views.people'), dp_agg.publish('visits', 'views.visits');
CREATE VIEW views.towns AS SELECT * FROM towns;
GRANT SELECT ON views.people, views.visits, views.towns TO ann;
SELECT dp_agg.set_budget('ann', 1e15, 0.5);
ALTER ROLE ann SET dp_agg.epsilon = 100000;
-- the owner's answers have no groups without rows
ALTER ROLE ann SET dp_agg.computed_keys = off;
SQL

# How many statements are charged for each text, and the text.  With ~ values are not
# compared: the minimum or maximum of many rows a unit may miss all, with a probability of 0.05.
my $texts = <<'TEXTS';
0 SELECT * FROM "people" AS "q01" WHERE 0=1
0 SELECT * FROM "people" WHERE ( 0 = 1 )
0 SELECT "city" FROM "people" WHERE ( 0 = 1 ) GROUP BY "city"
0 SELECT TRUE AS "_" FROM "people" WHERE 1 <> 1 LIMIT 0
0 SELECT city, count(*) AS n FROM people GROUP BY city LIMIT 0
0 SELECT * FROM (SELECT * FROM people) AS virtual_table LIMIT 0
1 SELECT count(*) FROM people
1 SELECT count(1), count(id), count(DISTINCT "id"), count(age) AS "ages" FROM people
1 SELECT SUM(1) AS "cnt" FROM people
1 SELECT COUNT(DISTINCT "city"), COUNT(DISTINCT CASE WHEN "active" THEN "age" END) AS "ages", SUM(DISTINCT "age"), AVG(DISTINCT "age") FROM people
1 SELECT "region", COUNT(DISTINCT "city") AS "cities", COUNT(DISTINCT "born") FROM people GROUP BY "region" ORDER BY 1
1 SELECT COUNT(DISTINCT "cost") AS "costs", SUM(DISTINCT "cost") AS "sum", COUNT(DISTINCT date_trunc('month', "at")) FROM visits
1 SELECT count(DISTINCT cost) FILTER (WHERE cost > 50), count(DISTINCT p.city), sum(DISTINCT v.cost + 1) FROM visits v JOIN people p ON p.id = v.person
1 SELECT COALESCE(SUM("income"),0) FROM people
1 SELECT "city", COUNT(*)  FROM "people"  GROUP BY "city"  LIMIT 50
1 SELECT "people".city "people__city", count("people".id) "people__count" FROM people AS "people"  GROUP BY 1 ORDER BY 2 DESC LIMIT 10000
1 select avg("people"."age") as "avg->age", sum("people"."income") as "sum->income", "people"."city" from "people" group by "people"."city" order by "people"."city" asc limit 10
1 SELECT base."city" as "city", COUNT(1) as "n" FROM people as base GROUP BY 1 ORDER BY 2 desc NULLS LAST
1 SELECT STDDEV_POP(age), VAR_POP(age), STDDEV(height), VARIANCE(height), STDDEV_SAMP(age), VAR_SAMP(height) FROM people
1 SELECT covar_pop(age, height), covar_samp(age, height), regr_count(age, height) FROM people
0 SELECT DISTINCT "region" FROM "people"
0 SELECT "t"."region" AS "region" FROM "people" "t" GROUP BY "t"."region" ORDER BY "t"."region" ASC LIMIT 1000
1 SELECT DISTINCT "city" FROM "people"
1 SELECT "t"."city" AS "city" FROM "people" "t" GROUP BY "t"."city" ORDER BY "t"."city" ASC LIMIT 1000
1 SELECT region, count(*), sum(age), avg(height), min(income) < 1100 AS low FROM people GROUP BY region
1 SELECT MIN("age") AS "at least", MAX("age")  FROM "people"
1 SELECT min(height), max(height), min(income), max(income) FROM people
1 SELECT COUNT(*) FROM (SELECT DISTINCT "people"."city" AS Col1 FROM "people") subquery
1 SELECT date_trunc('month', ("visits".at::timestamptz AT TIME ZONE 'Europe/Vienna')) AS m, count(*) FROM visits GROUP BY 1 ORDER BY 1
1 SELECT CAST(DATE_TRUNC('month', at) AS date) AS day, sum(cost) FROM visits GROUP BY 1 ORDER BY 1
1 SELECT EXTRACT(YEAR FROM "visits"."at" AT TIME ZONE 'UTC') AS y, avg(cost) FROM visits GROUP BY 1
1 SELECT count(*) FILTER (WHERE timezone('UTC', at) > '2025-02-15') AS late, count(*) FROM visits
1 SELECT (extract(dow from at) + 1) AS dow, count(*) FROM visits GROUP BY 1 ORDER BY 1
1 SELECT floor(extract(epoch from at)/86400)*86400 AS "time", count(*) FROM visits GROUP BY 1 ORDER BY 1
1 SELECT count(*) FROM visits WHERE at BETWEEN '2025-02-01T00:00:00Z' AND '2025-03-31T00:00:00Z'
1 SELECT count(*) FROM people WHERE "age" >= '50'
1 SELECT count(*) FROM people WHERE city IN ('Aachen', 'Celle') AND age IN (20, 21, 22)
1 SELECT city, count(id) FROM people GROUP BY city HAVING (count("people".id) > 1500)
1 SELECT city, COUNT(1) AS n FROM people GROUP BY city HAVING (COUNT(1) > 0)
1 SELECT COUNT("people"."id") FILTER (WHERE "people"."age" > 50), SUM(age) FILTER (WHERE city = 'Aachen') FROM people
1 SELECT city, count(*) FILTER (WHERE active) AS active, avg(age) FILTER (WHERE NOT active) AS age FROM people GROUP BY city
1 SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "age") FROM people
1 SELECT percentile_disc(0.26) WITHIN GROUP (ORDER BY age), percentile_cont(ARRAY[0.11, 0.92]) WITHIN GROUP (ORDER BY height DESC) FROM people
1 SELECT mode() WITHIN GROUP (ORDER BY city) FROM people
1 SELECT bool_or(active), bool_and(active), every(age > 0), bool_or(age > 90) FROM people
1 SELECT active, count(*) FROM people WHERE active IS NOT NULL GROUP BY active ORDER BY active
1 SELECT * FROM (SELECT city, count(*) AS n FROM people GROUP BY city) AS virtual_table LIMIT 1000
1 select count(*) "total_count" from ( SELECT city, avg(age) FROM people GROUP BY 1 ORDER BY 2 DESC ) "original_query"
1 select "_"."k", "_"."a0" from ( select "rows"."k" as "k", sum("rows"."x") as "a0" from ( select "_"."k", "_"."x" from ( select "city" as "k", "age" as "x" from "people" "$Table" ) "_" where "_"."x" > 30 ) "rows" group by "k" ) "_" where not "_"."a0" is null limit 1000001
1 SELECT json_agg(row_to_json(q) ORDER BY q.city) AS rows FROM (SELECT city, count(*) FROM people GROUP BY city) q
1 SELECT LOWER(CAST(CAST("city" AS TEXT) AS TEXT)) AS c, count(*) FROM people GROUP BY 1
1 SELECT city, count(*) FROM people GROUP BY city ORDER BY city FETCH NEXT 500 ROWS ONLY
1 SELECT "people".city, count(*), count(DISTINCT "people".id) FROM people JOIN visits ON "people".id = "visits".person GROUP BY 1
1 SELECT "people".city, count("people".id), sum("visits".cost) FROM visits LEFT JOIN people ON "people".id = "visits".person GROUP BY 1
1 SELECT t.state, count(*), avg(p.age) FROM people p JOIN towns t ON t.city = p.city GROUP BY t.state
1 SELECT count(*), avg(n) FROM (SELECT person, least(count(*), 4) AS n FROM visits GROUP BY person) s
1 SELECT city, count(*), sum(count(*)) OVER () AS all, rank() OVER (ORDER BY count(*) DESC) FROM people GROUP BY city
1 SELECT city, active, count(*), grouping(city, active) FROM people GROUP BY ROLLUP (city, active)
1 SELECT region, city, sum(age), count(*) FROM people GROUP BY CUBE (region, city)
1 SELECT city, region, count(*) FROM people GROUP BY GROUPING SETS ((city), (region), ())
1 SELECT coalesce(city, 'all') AS city, round(avg(age)) FROM people GROUP BY ROLLUP (city) HAVING count(*) > 1500 ORDER BY grouping(city), 1
1 SELECT t.state, p.region, count(*) FROM people p JOIN towns t USING (city) GROUP BY ROLLUP (t.state, p.region)
1 SELECT city, count(*), rank() OVER (PARTITION BY grouping(city) ORDER BY count(*) DESC) FROM people GROUP BY ROLLUP (city)
1 SELECT extract(year FROM timezone('UTC', at)) AS y, count(*) FILTER (WHERE cost > 50) FROM visits GROUP BY CUBE (extract(year FROM timezone('UTC', at)))
1 SELECT n, count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY at, cost) AS n FROM visits) v WHERE n <= 3 GROUP BY n
1 SELECT avg(cost), count(*) FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY at DESC, cost) AS rn FROM visits) v WHERE rn = 1
1 SELECT count(*) FROM (SELECT DISTINCT ON (person) person, cost FROM visits ORDER BY person, cost DESC) v WHERE cost > 60
1 SELECT count(*) FROM (SELECT person, cost - lag(cost) OVER (PARTITION BY person ORDER BY cost) AS step FROM visits) v WHERE step > 5
1 SELECT count(*) FROM (SELECT person, lead(cost, 1, 0) OVER (PARTITION BY person ORDER BY cost) AS next FROM visits) v WHERE next = 0
1 SELECT count(*) FROM (SELECT person, sum(cost) OVER (PARTITION BY person ORDER BY cost) AS running FROM visits) v WHERE running > 100
1 SELECT q, count(*) FROM (SELECT person, ntile(2) OVER (PARTITION BY person ORDER BY cost) AS q FROM visits) v GROUP BY q
1 SELECT count(*) FROM (SELECT person, cost, max(cost) OVER (PARTITION BY person) AS most, avg(cost) OVER (PARTITION BY person) AS mean FROM visits) v WHERE cost = most AND mean > 40
1 SELECT count(*) FROM (SELECT first_value(cost) OVER w AS first, last_value(cost) OVER w AS last FROM visits WINDOW w AS (PARTITION BY person ORDER BY cost ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) v WHERE last > first + 10
1 SELECT count(*) FROM (SELECT dense_rank() OVER (PARTITION BY person ORDER BY cost) AS d, percent_rank() OVER (PARTITION BY person ORDER BY cost) AS p FROM visits) v WHERE d > 1 AND p < 0.9
1 WITH ordered AS (SELECT person, cost, row_number() OVER (PARTITION BY person ORDER BY cost) AS n FROM visits) SELECT p.city, count(*) FROM ordered o JOIN people p ON p.id = o.person WHERE o.n = 2 GROUP BY p.city
1 SELECT count(*) FROM (SELECT DISTINCT person, count(*) AS n FROM visits GROUP BY person, cost > 50) v
1 SELECT count(*) FROM (SELECT person FROM visits UNION ALL SELECT id FROM people) u
1 SELECT count(*) FROM (SELECT person FROM visits UNION SELECT id FROM people WHERE active) u
1 SELECT count(*) FROM (SELECT id FROM people WHERE age > 30 INTERSECT SELECT person FROM visits WHERE cost > 30) u
1 SELECT count(*) FROM (SELECT id FROM people EXCEPT SELECT person FROM visits) u
1 SELECT count(*) FROM (SELECT person FROM visits EXCEPT ALL SELECT id FROM people WHERE active) u
1 SELECT k, count(*) FROM (SELECT person, (cost > 50)::int AS k FROM visits INTERSECT ALL SELECT person, (cost > 30)::int FROM visits) u GROUP BY k
1 SELECT source, count(*), sum(x) FROM (SELECT person, 'visit' AS source, cost AS x FROM visits UNION ALL SELECT id, 'person', age FROM people) u GROUP BY source
1 SELECT count(*), count(p.id) AS people, count(v.person) AS visits FROM (SELECT * FROM people WHERE age > 50) p FULL JOIN visits v ON v.person = p.id
1 SELECT coalesce(region, 'gone') AS region, count(*), sum(cost) FROM (SELECT * FROM people WHERE active) p FULL OUTER JOIN visits v ON p.id = v.person GROUP BY 1
1 SELECT count(DISTINCT id), count(DISTINCT city) AS cities FROM (SELECT id, city FROM people WHERE age < 40) p FULL JOIN (SELECT person AS id, max(cost) AS most FROM visits WHERE cost > 50 GROUP BY person) v USING (id)
1 SELECT sum(CASE WHEN a.person IS NOT NULL AND b.person IS NULL THEN 1 ELSE 0 END) AS cheap, sum(CASE WHEN a.person IS NULL THEN 1 ELSE 0 END) AS dear, sum(CASE WHEN a.person = b.person THEN 1 ELSE 0 END) AS "both" FROM (SELECT person FROM visits WHERE cost < 50 GROUP BY person) a FULL JOIN (SELECT person FROM visits WHERE cost >= 50 GROUP BY person) b ON a.person = b.person
1 SELECT age / 10 AS decade, avg(cost), count(*) FROM people NATURAL FULL JOIN (SELECT person AS id, cost FROM visits WHERE cost > 20) v WHERE age > 40 GROUP BY 1
1 SELECT n, count(*) FROM (SELECT coalesce(p.id, v.person) AS id, least(count(v.cost), 3) AS n FROM (SELECT id FROM people WHERE age > 30) p FULL JOIN visits v ON v.person = p.id GROUP BY 1) s GROUP BY n
1 SELECT count(*), count(v.cost) AS costs FROM people p FULL JOIN visits v ON v.person = p.id AND v.cost > p.age
1 SELECT count(*) FROM (SELECT id FROM people WHERE active) a FULL JOIN (SELECT id FROM people WHERE age > 40) b USING (id) FULL JOIN (SELECT person AS id FROM visits GROUP BY person) c USING (id)
1 SELECT t.state, count(*) FROM (SELECT * FROM people WHERE age > 50) p FULL JOIN visits v ON v.person = p.id JOIN towns t ON t.city = p.city GROUP BY t.state
1 SELECT p.city, count(*) FROM people p JOIN (SELECT person FROM visits WHERE cost > 80 UNION SELECT person FROM visits WHERE cost < 15) v ON v.person = p.id GROUP BY ROLLUP (p.city)
1 SELECT count(*) FROM people UNION ALL SELECT count(*) FROM visits
1 WITH ages AS (SELECT city, avg(age) AS a FROM people GROUP BY city) SELECT max(a), min(a) FROM ages
1 SELECT avg(2025 - extract(year FROM born)) AS age, sum(age * 2), avg(CASE WHEN active THEN 1 ELSE 0 END) FROM people
1 SELECT round(avg(age), 0), round(avg(income)), round(sum(income) / count(*), 0) FROM people
1 SELECT min(born), max(born) FROM people
1~ SELECT min(at) AS first, max(at) AS last FROM visits
1 WITH params AS (SELECT date '1960-01-01' AS d0, date '1970-01-01' AS d1) SELECT count(*) FROM people, params WHERE born BETWEEN params.d0 AND params.d1
1 WITH p(low, word) AS (VALUES (30, '%e%')) SELECT region, count(*) FROM people CROSS JOIN p WHERE age >= low AND city LIKE word GROUP BY region
1 SELECT count(*), avg(age) FROM people WHERE city IN (SELECT city FROM towns WHERE state <> 'HB')
1 SELECT count(*) FROM people WHERE city NOT IN (SELECT city FROM towns WHERE state = 'NW')
1 SELECT count(*) FROM people WHERE city NOT IN (SELECT NULLIF(city, 'Celle') FROM towns)
1 SELECT count(*) FROM people WHERE (city, region) IN (SELECT city, region FROM towns, (VALUES ('north'), ('south')) r(region) WHERE state <> 'HB')
1 SELECT count(*) FROM people WHERE (region, city) NOT IN (SELECT 'north', city FROM towns WHERE state = 'NW' UNION ALL VALUES ('south', NULL))
1 SELECT (city, active) IN (VALUES ('Aachen', true), ('Celle', NULL)) AS listed, count(*), avg(age) FROM people GROUP BY 1
1 SELECT count(*) FROM people WHERE (city, active) = (SELECT min(city), true FROM towns)
1 SELECT count(*) FROM people WHERE age > (SELECT 10 * count(*) FROM towns)
1 SELECT count(*) FROM people WHERE EXISTS (SELECT 1 FROM towns WHERE state = 'NI') AND NOT EXISTS (SELECT 1 FROM towns WHERE state = 'BY')
1 SELECT count(*) FROM people WHERE city = ANY (SELECT city FROM towns) AND city <> ALL (SELECT city FROM towns WHERE state = 'NI')
1 SELECT count(*) FROM people WHERE city LIKE ANY (SELECT left(city, 2) || '%' FROM towns WHERE state <> 'HB')
1 SELECT count(*) FROM people WHERE age >= ALL (SELECT 10 * length(city) FROM towns)
1 SELECT count(*) FROM people WHERE city > (SELECT min(city) FROM towns) OR city IN (SELECT city FROM towns WHERE city < 'B')
1 SELECT CASE WHEN city IN (SELECT city FROM towns WHERE state = 'NW') THEN 'west' ELSE 'north' END AS part, count(*), avg(age) FROM people GROUP BY 1
1 SELECT k.label, count(*) FROM people JOIN (VALUES ('Aachen', 'a'), ('Celle', 'c'), ('Ulm', 'u')) k(city, label) USING (city) GROUP BY k.label
1 SELECT k.label, count(*) FROM people JOIN (VALUES ('Aachen'::varchar(6), 'a'), ('Celle'::varchar(20), 'c')) k(city, label) USING (city) GROUP BY k.label
1 SELECT count(*) FROM people JOIN (SELECT DISTINCT city::char(8) AS city FROM towns) k ON k.city = people.city::bpchar
1 SELECT k.label, count(people.id) FROM (VALUES ('Aachen', 'a'), ('Celle', 'c'), ('Ulm', 'u')) k(city, label) LEFT JOIN people USING (city) GROUP BY k.label
1 SELECT k.label, count(*) FROM people LEFT JOIN (VALUES ('Aachen', 'a'), ('Celle', 'c')) k(city, label) ON k.city = people.city AND people.age > 40 GROUP BY k.label
1 SELECT s.size, count(*) FROM people JOIN (SELECT city, count(*) OVER (PARTITION BY left(state, 1)) AS size FROM towns) s USING (city) GROUP BY s.size
1 SELECT s.letter, count(*), avg(income) FROM people p JOIN (SELECT left(state, 1) AS letter, min(city) AS city FROM towns GROUP BY 1) s ON s.city = p.city GROUP BY s.letter
1 SELECT count(*) FROM people JOIN (SELECT city FROM towns WHERE state = 'NW' UNION SELECT 'Celle') u USING (city)
1 SELECT count(*) FROM people JOIN (SELECT city FROM towns EXCEPT SELECT 'Celle') u USING (city)
1 SELECT count(*) FROM people JOIN (SELECT city FROM towns ORDER BY state DESC LIMIT 2) u USING (city)
1 SELECT g.decade, count(visits.cost) FROM generate_series(10, 120, 10) g(decade) LEFT JOIN visits ON g.decade = cost GROUP BY g.decade
1 WITH RECURSIVE n(i) AS (VALUES (20) UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT n.i, count(*) FROM people JOIN n ON n.i = people.age GROUP BY n.i
1 WITH t AS (SELECT city, state FROM towns), w AS MATERIALIZED (SELECT max(city) AS last FROM t) SELECT count(*) FROM people, w WHERE people.city < w.last
1 SELECT count(*), sum(n) FROM (SELECT person, least(count(*), 4) AS n FROM visits WHERE cost > (SELECT 20 * count(*) FROM towns) GROUP BY person) s
1 SELECT avg(age) FROM people, LATERAL (SELECT 30 AS low) l WHERE age > l.low
1 SELECT l.decade, count(*), avg(age) FROM people p CROSS JOIN LATERAL (SELECT p.age / 10 AS decade) l WHERE l.decade > 2 GROUP BY l.decade
1 SELECT l.state, count(*) FROM people p LEFT JOIN LATERAL (SELECT t.state FROM towns t WHERE t.city = p.city AND t.state <> 'HB') l ON true GROUP BY l.state
1 SELECT l.half, count(*) FROM people p LEFT JOIN LATERAL (SELECT p.region || '!' AS half) l ON true GROUP BY l.half
1 SELECT count(*) FROM people p, LATERAL upper(p.city) u WHERE u > 'B'
1 SELECT count(*) FROM people WHERE born < to_date('1960-01-01', 'YYYY-MM-DD') AND city LIKE concat('%', 'e', '%') AND city <> 'A' || 'achen'
1 SELECT count(*) FROM visits WHERE at < now() - interval '1 month' AND at > '2025-02-01'::text::timestamptz
1 SELECT count(*) FROM people WHERE age > length(current_setting('TimeZone')) * 10 AND age < (SELECT setting::int / 100 FROM pg_settings WHERE name = 'max_connections') + 60
1 SELECT count(*), (SELECT count(*) FROM towns) AS towns FROM people WHERE region = ANY (ARRAY(SELECT 'sou' || 'th'))
1 SELECT t.state, count(*) FROM (SELECT p.*, (SELECT 5) AS five FROM people p) p JOIN towns t ON t.city = p.city AND p.age > p.five * (SELECT 10) GROUP BY t.state
1 SELECT count(*) FILTER (WHERE city IN (SELECT city FROM towns WHERE state = 'NI')) AS some, count(*) AS all FROM people
1 SELECT city, count(*) FROM people GROUP BY city HAVING count(*) > (SELECT 500 * count(*) FROM towns) AND city IN (SELECT city FROM towns)
1 SELECT t.city, t.state, count(*) FROM people p JOIN tables.towns t ON t.city = p.city GROUP BY t.city
1 SELECT t.state AS "State", avg(p.age) FROM people p JOIN tables.towns t ON t.city = p.city GROUP BY t.city HAVING count(*) > 10 ORDER BY t.state DESC
1 SELECT person, count(*) > 0 FROM (SELECT 1 AS person, p.city, p.active, count(*) AS n FROM tables.people p JOIN tables.visits v ON v.person = p.id GROUP BY p.id) s GROUP BY person
1 SELECT city || '-' || region AS k, count(*) FROM people GROUP BY 1
1 SELECT concat(city, ', ', region, active) AS "where", count(*) FROM people GROUP BY 1 ORDER BY 1
1 SELECT concat_ws('/', region, NULL, age / 10) AS k, sum(income) FROM people GROUP BY 1
1 SELECT replace(lower(city), 'e', '3') AS k, translate(region, 'nos', 'NOS'), count(*) FROM people GROUP BY 1, 2
1 SELECT lpad((age / 10)::text, 5, '0') AS k, rpad(region, 3), count(*) FROM people GROUP BY 1, 2
1 SELECT md5(region) AS hidden, count(*) FROM people GROUP BY md5(region)
1 SELECT CAST(left(height::text, 2) AS int) * 10 AS tall, count(*) FROM people GROUP BY 1
1 SELECT (to_char(at, 'YYYY-MM-DD'))::date AS day, count(*) FROM visits GROUP BY 1
1 SELECT to_date(to_char(born, 'YYYY'), 'YYYY') AS year, count(*) FROM people WHERE born < '1955-01-01' GROUP BY 1
1 SELECT to_number('1' || (age / 10), '999') AS n, count(*) FROM people GROUP BY 1
1 SELECT at - timestamptz '2025-01-10 12:00+00' AS after, count(*) FROM visits GROUP BY 1
1 SELECT s.big, count(*) FROM people p LEFT JOIN (SELECT city, state || '!' AS big FROM towns WHERE state <> 'NI') s ON s.city = p.city GROUP BY 1
1 SELECT s.often::int, count(*), count(s.often) FROM people p LEFT JOIN (SELECT person, count(*) > 3 AS often FROM visits GROUP BY person) s ON s.person = p.id GROUP BY 1
1 SELECT min(region), max("region") AS most FROM people
1 SELECT city, min(region) FROM people WHERE city <> 'Celle' AND age < 70 GROUP BY city HAVING max(region) > 'a'
1 SELECT width_bucket(age, ARRAY[30, 50, 70]) AS band, count(*) FROM people GROUP BY 1
1 SELECT count(*) FROM people WHERE city ~ '^[AB].*n$'
1 SELECT (city ~* 'EN$')::int AS k, count(*) FROM people WHERE city !~ '(x|y){2}' GROUP BY 1
1 SELECT count(*) FROM people WHERE city SIMILAR TO '(Aachen|Celle)'
1 SELECT count(*) FROM visits WHERE (at, at + interval '1 day') OVERLAPS (timestamptz '2025-02-01', timestamptz '2025-03-01')
TEXTS

# What a role is shown of each text, in one session: columns, SQLSTATE, rows in a certain
# order, and how many statements it was charged for so far.
sub answers
{
	my ($role, $schema, @texts) = @_;
	local $ENV{PGUSER} = $role;
	my $script = join '', map { "$_ \\gdesc\n\\echo --\n$_;\n\\echo -- :SQLSTATE\nSELECT sum(statements) FROM dp_agg.budgets;\n\\echo ==\n" } @texts;
	my ($rc, $out) = $node->psql('postgres', "SET search_path = $schema;\n$script", on_error_stop => 0);
	return map {
		my ($columns, $rows, $sqlstate, $charged) = /\A(.*?)^--\n(.*?)^-- (\w{5})\n(\d*)\n\z/ms or die "no answer: $_";
		{ columns => $columns, rows => [ sort split /\n/, $rows ], sqlstate => $sqlstate, charged => $charged || 0 };
	} split /^==(?:\n|\z)/m, $out;
}

# Is a value within noise of another: the same, or numbers a hundredth apart?
sub is_near
{
	my ($value, $exact) = @_;
	return 1 if $value eq $exact;
	my $number = qr/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;
	my @values = $value =~ /$number/g;
	my @exact = $exact =~ /$number/g;
	return $value =~ s/$number/#/gr eq $exact =~ s/$number/#/gr
	  && !grep { abs($values[$_] - $exact[$_]) > 0.01 * (abs($exact[$_]) + 1) } 0 .. $#exact;
}

my @lines = map { [ split / /, $_, 2 ] } split /\n/, $texts;
my @exact = answers($node->safe_psql('postgres', 'SELECT current_user'), 'tables', map { $_->[1] } @lines);
my $before = 0;
for my $schema ('tables', 'views')
{
	my @noisy = answers('ann', $schema, map { $_->[1] } @lines);
	is(scalar(@noisy), scalar(@lines), "$schema: answers to all");
	for my $n (0 .. $#noisy)
	{
		my ($charges, $text) = @{ $lines[$n] };
		my ($rows, $exact) = ($noisy[$n]{rows}, $exact[$n]{rows});
		my $charged = $noisy[$n]{charged} - $before;
		my @faults = grep { $_ ne '00000' } $noisy[$n]{sqlstate};
		push @faults, "columns $noisy[$n]{columns}, not $exact[$n]{columns}" if $noisy[$n]{columns} ne $exact[$n]{columns};
		push @faults, @$rows . ' rows, not ' . @$exact if @$rows != @$exact;
		my $compared = $charges !~ s/~//;
		push @faults, map { "$rows->[$_], not $exact->[$_]" } grep { $compared && !is_near($rows->[$_], $exact->[$_] // '') } 0 .. $#$rows;
		push @faults, "charged $charged, not $charges" if $charged != $charges;
		ok(!@faults, "$schema: $text") or diag(join "\n", splice @faults, 0, 6);
		$before = $noisy[$n]{charged};
	}
}

$node->stop;
done_testing();
