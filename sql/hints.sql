--
-- hints: what refusals tell to write instead is answered.  At this epsilon noise vanishes: an answer is off by
-- more than half with a probability below 1e-9
--
CREATE EXTENSION dp_agg;
CREATE ROLE hints_analyst;
CREATE SCHEMA hints AUTHORIZATION hints_analyst;
SET search_path = hints, public;
CREATE TABLE stays (sid int PRIMARY KEY, pid varchar(10) NOT NULL, ward text, t0 date, age int, flags bit(3), fee money);
INSERT INTO stays SELECT i, 'p' || i % 1000, 'w' || i % 3, date '2024-01-01' + i % 10, 20 + i % 50, (i % 8)::bit(3), i % 10 FROM generate_series(1, 3000) i;
CREATE TABLE towns (ward text PRIMARY KEY, x int);
INSERT INTO towns VALUES ('w0', 1), ('w1', 2), ('w7', 3);
GRANT SELECT ON towns TO hints_analyst;
SELECT dp_agg.protect('stays', 'pid', max_rows => 3), dp_agg.set_domain('stays', 'age', 0, 100), dp_agg.set_budget('hints_analyst', 1e9, 1e-3);
CREATE COLLATION undetermined (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE guest (t text COLLATE undetermined, x int);
SELECT dp_agg.protect('guest', 't');
SET client_min_messages = warning;
SET ROLE hints_analyst;
SET dp_agg.epsilon = 1048576;

-- Values of single people are not aggregated, but those of groups.
SELECT string_agg(ward, ', ') FROM stays;
SELECT string_agg(v, ', ' ORDER BY v) FROM (SELECT ward AS v FROM stays GROUP BY 1) t;
SELECT array_agg(v ORDER BY v) FROM (SELECT ward AS v FROM stays GROUP BY 1) t;
SELECT t0, min(ward) FROM stays GROUP BY t0;
SELECT min(v), max(v) FROM (SELECT ward AS v FROM stays GROUP BY 1) t;

-- Groups of single people are to be aggregated once more.
SELECT pid, count(*) FROM stays GROUP BY pid;
SELECT pid, count(*) AS n FROM stays GROUP BY pid ORDER BY n DESC LIMIT 10;
SELECT DISTINCT pid FROM stays;
SELECT sid, count(*) FROM stays GROUP BY sid;
SELECT x.n FROM (SELECT pid, count(*) AS n FROM stays GROUP BY pid) x WHERE n > 2;
SELECT n, count(*) FROM (SELECT pid, count(*) AS n FROM stays GROUP BY pid) s GROUP BY n;
SET dp_agg.plain_aggregates = off;
SELECT pid, count(*) FROM stays GROUP BY pid;
SELECT n, dp_count(*) FROM (SELECT pid, count(*) AS n FROM stays GROUP BY pid) s GROUP BY n;
RESET dp_agg.plain_aggregates;

-- A table is not copied, but what aggregates it.
COPY stays TO STDOUT;
COPY stays (ward, age) TO STDOUT;
COPY (SELECT count(*), round(avg(age), 2) FROM stays) TO STDOUT;
COPY towns TO STDOUT;
SET dp_agg.plain_aggregates = off;
COPY stays TO STDOUT;
RESET dp_agg.plain_aggregates;
RESET ROLE;
GRANT SELECT (ward) ON stays TO hints_analyst;
SET ROLE hints_analyst;
COPY stays TO STDOUT;
COPY (SELECT ward FROM stays LIMIT 1) TO STDOUT;
RESET ROLE;
REVOKE SELECT (ward) ON stays FROM hints_analyst;
SET ROLE hints_analyst;

-- IN over protected rows is to list groups of them.
SELECT * FROM towns WHERE ward IN (SELECT ward FROM stays WHERE age > 20);
SELECT count(*) FROM towns WHERE ward NOT IN (SELECT ward FROM stays);
SELECT * FROM towns t WHERE EXISTS (SELECT FROM stays s WHERE s.ward = t.ward);
SELECT ward FROM towns WHERE ward IN (SELECT ward FROM stays GROUP BY ward) ORDER BY 1;
SELECT ward FROM towns WHERE ward NOT IN (SELECT ward FROM stays GROUP BY ward) ORDER BY 1;

-- Released values are asked by plain aggregates, and joined with protected rows.
SELECT dp_count(*) FROM (SELECT ward, dp_count(*) AS n FROM stays GROUP BY ward) x;
SELECT count(*), sum(n) FROM (SELECT ward, dp_count(*) AS n FROM stays GROUP BY ward) x;
SELECT count(*) FROM (SELECT ward, count(*) AS n FROM stays GROUP BY ward) x JOIN stays s USING (ward);

-- A mean of everybody, and one of each unit.
SELECT count(*) FROM stays WHERE age > (SELECT avg(age) FROM stays);
SELECT count(*) FROM stays s WHERE age >= (SELECT min(age) FROM stays t WHERE t.pid = s.pid);
-- EXISTS with a span that depends on the row
SELECT count(*) FROM stays s WHERE EXISTS (SELECT FROM stays t WHERE t.pid = s.pid AND t.sid BETWEEN s.sid + 1 AND s.sid + 2000);
SELECT avg((EXISTS (SELECT FROM stays t WHERE t.pid = s.pid AND t.sid > s.sid AND t.sid <= s.sid + 2000))::int) FROM stays s;
SELECT count(*) FROM stays s WHERE EXISTS (SELECT FROM stays t WHERE t.pid = s.pid AND t.sid > s.sid AND t.age < 40);
SELECT count(DISTINCT s.sid) FROM stays s JOIN stays t ON t.pid = s.pid AND t.sid > s.sid AND t.sid <= s.sid + 2000;

-- who is above a quantile of all
SELECT avg(n) FROM (SELECT pid, sum(age) AS n, percent_rank() OVER (ORDER BY sum(age)) AS p FROM stays GROUP BY pid) x WHERE p > 0.9;
SELECT avg(n) FROM (SELECT pid, sum(age) AS n FROM stays GROUP BY pid ORDER BY n DESC LIMIT 100) x;
SELECT count(*) BETWEEN 300 AND 700 AS near FROM (SELECT pid, sum(age) AS n FROM stays GROUP BY pid) x WHERE n > (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM (SELECT pid, sum(age) AS n FROM stays GROUP BY pid) y);

-- Bounds are written into a value, or after it.
SELECT min(t0) FROM stays;
SELECT min(least(greatest(t0, date '2024-01-02'), date '2024-01-20')) FROM stays;
SELECT dp_min(t0, date '2024-01-01', date '2024-02-01') BETWEEN date '2024-01-01' AND '2024-01-02' AS near FROM stays;
SELECT avg(n) FROM (SELECT pid, sum(sid) AS n FROM stays GROUP BY pid) x;
SELECT avg(least(greatest(n, 0), 5)) FROM (SELECT pid, sum(sid) AS n FROM stays GROUP BY pid) x;
SELECT dp_avg(n, 0, 5) FROM (SELECT pid, sum(sid) AS n FROM stays GROUP BY pid) x;
SELECT round(avg(least(greatest(n, 50), 60))) AS into, round(avg(least(greatest(n, 50), 60)) FILTER (WHERE n IS NOT NULL)) AS filtered, round(dp_avg(n, 50, 60)) AS after FROM (SELECT pid, nullif(age, 25) AS n FROM stays) x WHERE n > 60 OR n IS NULL;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY sid) FROM stays;
SELECT dp_quantile(sid, 0.5, 0, 4000) BETWEEN 1490 AND 1510 AS near FROM stays;
SELECT corr(sid, age) FROM stays;
SELECT dp_corr(sid, age, 0, 4000, 0, 100) IS NOT NULL AS answered FROM stays;
SELECT variance(sid) FROM stays;

-- Numbers in messages are whole; of types it is said what they lack.
SELECT dp_count(sid, 1048577) FROM stays;
SELECT flags, count(*) FROM stays GROUP BY flags;
SELECT flags = B'101' AS is_set, count(*) FROM stays GROUP BY 1 ORDER BY 1;
SELECT sum(fee) FROM stays;
SELECT round(sum(least(greatest(fee::numeric, 0), 1000))) AS sum, round(dp_sum(fee::numeric, 0, 1000)) AS dp_sum FROM stays;
SELECT count(fee) FROM stays WHERE fee > '5';

RESET ROLE;
DROP SCHEMA hints CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE hints_analyst;
