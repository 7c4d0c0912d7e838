--
-- record_keys: the key of a record names its unit, in GROUP BY, PARTITION BY, IN, EXISTS and joins
--
CREATE EXTENSION dp_agg;
CREATE ROLE rec_owner;
CREATE ROLE rec_analyst;
CREATE SCHEMA rec AUTHORIZATION rec_owner;
SET search_path = rec, public;
GRANT USAGE ON SCHEMA rec TO rec_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO rec_owner;
SET ROLE rec_owner;
CREATE TABLE people (id int PRIMARY KEY, email text NOT NULL UNIQUE, city text);
INSERT INTO people SELECT i, 'p' || i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3] FROM generate_series(1, 1000) i;
-- person i has i % 4 stays; each has 2 labs but every third, which has one
CREATE TABLE stays (sid int PRIMARY KEY, pid int NOT NULL, code varchar(10) NOT NULL UNIQUE, ward text, maybe int UNIQUE, part int NOT NULL DEFAULT 1, UNIQUE (sid, pid), UNIQUE (sid, pid, part));
INSERT INTO stays SELECT 10 * i + k, i, 's' || 10 * i + k, 'ward ' || k, CASE WHEN k > 1 THEN 10 * i + k END
	FROM generate_series(1, 1000) i, generate_series(1, 3) k WHERE k <= i % 4;
CREATE TABLE labs (lid int PRIMARY KEY, sid int, pid int NOT NULL, what text, value int, FOREIGN KEY (sid, pid) REFERENCES stays (sid, pid));
INSERT INTO labs SELECT 10 * sid + k, sid, pid, 'test ' || k, sid % 7 FROM stays, generate_series(1, 2) k WHERE (sid + k) % 3 > 0;
INSERT INTO labs SELECT -i, NULL, i, 'home', 1 FROM generate_series(1, 100) i;
-- whose foreign key is not checked where one of its columns is NULL
CREATE TABLE scans (sid int NOT NULL, pid int NOT NULL, part int, FOREIGN KEY (sid, pid, part) REFERENCES stays (sid, pid, part));
INSERT INTO scans SELECT sid, pid, part FROM stays WHERE sid % 3 = 0;
-- linked, and linked to that
CREATE TABLE drugs (did int PRIMARY KEY, sid int NOT NULL REFERENCES stays, drug text NOT NULL);
INSERT INTO drugs SELECT 10 * sid + k, sid, 'drug ' || k FROM stays, generate_series(1, 3) k WHERE sid % 5 >= k;
CREATE TABLE doses (did int NOT NULL REFERENCES drugs, amount int);
INSERT INTO doses SELECT did, k FROM drugs, generate_series(1, 2) k WHERE did % 2 = 0 OR k = 1;
-- whose foreign key leads to a column that holds the unit of a linked table
CREATE TABLE orders (id int PRIMARY KEY, person int NOT NULL REFERENCES people, UNIQUE (id, person));
INSERT INTO orders SELECT i, i % 1000 + 1 FROM generate_series(1, 1500) i;
CREATE TABLE payments (order_id int NOT NULL, person int NOT NULL, amount int, FOREIGN KEY (order_id, person) REFERENCES orders (id, person));
INSERT INTO payments SELECT id, person, k FROM orders, generate_series(1, 2) k WHERE id % 3 >= k;
-- whose foreign keys say nothing of the unit
CREATE TABLE items (id int PRIMARY KEY, author int NOT NULL, kind text, editor int, UNIQUE (id, editor));
INSERT INTO items SELECT i, i / 2, 'kind ' || i % 3, i / 3 FROM generate_series(1, 2000) i;
CREATE TABLE notes (id int PRIMARY KEY, item int NOT NULL REFERENCES items, author int NOT NULL);
INSERT INTO notes SELECT i, i, i / 2 + 1 FROM generate_series(1, 2000) i;
CREATE TABLE reviews (item int NOT NULL, author int, FOREIGN KEY (item, author) REFERENCES items (id, editor));
INSERT INTO reviews SELECT id, editor FROM items;
CREATE TABLE clubs (name varchar(20) PRIMARY KEY, town varchar(20));
INSERT INTO clubs SELECT 'club ' || i, 'town ' || i % 3 FROM generate_series(1, 900) i;
CREATE TABLE games (club varchar(20) NOT NULL, score int, kind varchar(5));
INSERT INTO games SELECT 'club ' || i, k, 'k' || k % 2 FROM generate_series(1, 900) i, generate_series(1, 3) k WHERE k <= i % 4;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('stays', 'pid', max_rows => 3, max_groups => 3),
	dp_agg.protect('labs', 'pid', max_rows => 9, max_groups => 6), dp_agg.protect('items', 'author', max_rows => 2),
	dp_agg.protect('notes', 'author', max_rows => 3), dp_agg.protect('clubs', 'name'), dp_agg.protect('games', 'club', max_rows => 3),
	dp_agg.protect('scans', 'pid', max_rows => 3), dp_agg.protect('reviews', 'author', max_rows => 3);
SELECT dp_agg.protect('drugs', 'sid', through => 'stays', max_rows => 9, max_groups => 9);
SELECT dp_agg.protect('orders', 'person', through => 'people', max_rows => 2), dp_agg.protect('payments', 'person', max_rows => 4, max_groups => 4);
SELECT dp_agg.protect('doses', 'did', through => 'drugs', max_rows => 18, max_groups => 18);
CREATE VIEW seen AS SELECT s.sid AS stay, s.ward, l.what FROM stays s JOIN labs l ON l.sid = s.sid;
-- keys vouch for links when no transaction is left that began before them
RESET ROLE;
DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_xmin IS NOT NULL) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END $$;
SELECT dp_agg.set_budget('rec_analyst', 1e9, 1e-3);
CREATE TABLE wards (ward text PRIMARY KEY, floor int);
INSERT INTO wards VALUES ('ward 1', 1), ('ward 2', 1), ('ward 3', 2);
GRANT SELECT ON wards TO rec_analyst, rec_owner;

\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/shown.sql'
\i :file
-- At this epsilon no answer here is off with a probability above 1e-10.
SET dp_agg.epsilon = 100000;
SET client_min_messages = warning;

-- GROUP BY: groups are rows of one unit for the level around
SELECT * FROM shown('SELECT count(*), sum(least(n, 5)) FROM (SELECT s.sid, count(*) AS n FROM stays s JOIN labs l ON l.sid = s.sid GROUP BY s.sid) x');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT l.sid, count(*) AS n FROM labs l WHERE sid IS NOT NULL GROUP BY l.sid) x GROUP BY n');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT sid, count(*) AS n FROM drugs GROUP BY sid) x GROUP BY n');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT did, count(*) AS n FROM doses GROUP BY did) x GROUP BY n');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT d.sid, count(*) AS n FROM doses o JOIN drugs d USING (did) GROUP BY d.sid) x GROUP BY n');
SELECT * FROM shown('SELECT ward, sum(least(n, 5)) FROM (SELECT code, ward, count(*) AS n FROM stays JOIN labs USING (sid, pid) GROUP BY code, ward) x GROUP BY ward');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT stay, count(*) AS n FROM seen GROUP BY stay HAVING count(*) > 0) x GROUP BY n');
SELECT * FROM shown('WITH x AS (SELECT s.sid, s.ward, count(l.lid) AS n FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND l.value > 2 GROUP BY s.sid) SELECT ward, n, count(*) FROM x GROUP BY ward, n');
SELECT * FROM shown('SELECT m, count(*) FROM (SELECT y.sid, max(n) AS m FROM (SELECT x.sid, x.what, count(*) AS n FROM (SELECT * FROM labs WHERE sid > 0) x GROUP BY x.sid, x.what) y GROUP BY y.sid) z GROUP BY m');
SELECT * FROM shown('SELECT count(*) FROM (SELECT DISTINCT sid, what FROM labs WHERE sid IS NOT NULL) x');
SELECT * FROM shown('SELECT floor, sum(least(n, 5)) FROM (SELECT s.sid, floor, count(*) AS n FROM stays s JOIN wards USING (ward) JOIN drugs d ON d.sid = s.sid GROUP BY s.sid, floor) x GROUP BY floor');
SELECT * FROM shown('SELECT count(*) FROM (SELECT email FROM people GROUP BY email) x');
-- PARTITION BY and DISTINCT ON
SELECT * FROM shown('SELECT what, count(*) FROM (SELECT what, row_number() OVER (PARTITION BY sid ORDER BY value, lid) AS r FROM labs WHERE sid > 0) x WHERE r = 1 GROUP BY what');
SELECT * FROM shown('SELECT drug, count(*) FROM (SELECT DISTINCT ON (sid) sid, drug FROM drugs ORDER BY sid, did DESC) x GROUP BY drug');
SELECT * FROM shown('SELECT r, count(*) FROM (SELECT s.sid, rank() OVER (PARTITION BY s.sid ORDER BY l.value) AS r FROM stays s JOIN labs l ON l.sid = s.sid) x GROUP BY r');
-- IN, EXISTS and values
SELECT * FROM shown('SELECT count(DISTINCT s.pid), count(*) FROM stays s WHERE s.sid IN (SELECT l.sid FROM labs l WHERE l.what = ''test 1'')');
SELECT * FROM shown('SELECT count(*) FROM stays s WHERE s.sid NOT IN (SELECT l.sid FROM labs l WHERE l.what = ''test 1'' AND l.sid IS NOT NULL)');
SELECT * FROM shown('SELECT count(*) FROM stays WHERE sid IN (SELECT sid FROM drugs WHERE drug = ''drug 2'')');
SELECT * FROM shown('SELECT count(*) FROM stays WHERE sid NOT IN (SELECT sid FROM drugs WHERE drug = ''drug 2'')');
SELECT * FROM shown('SELECT ward, count(*) FROM stays s WHERE EXISTS (SELECT 1 FROM labs l WHERE l.sid = s.sid AND l.value > 3) GROUP BY ward');
SELECT * FROM shown('SELECT ward, count(*) FROM stays s WHERE NOT EXISTS (SELECT 1 FROM drugs d WHERE d.sid = s.sid AND d.drug = ''drug 3'') GROUP BY ward');
SELECT * FROM shown('SELECT count(*) FROM drugs d WHERE EXISTS (SELECT 1 FROM drugs e WHERE e.sid = d.sid AND e.drug = ''drug 3'')');
SELECT * FROM shown('SELECT count(*) FROM drugs d WHERE d.sid IN (SELECT sid FROM stays WHERE ward = ''ward 2'')');
SELECT * FROM shown('SELECT count(*) FROM drugs d WHERE d.sid IN (SELECT sid FROM labs WHERE value = 2)');
SELECT * FROM shown('SELECT count(*) FROM labs l WHERE EXISTS (SELECT 1 FROM drugs d WHERE d.sid = l.sid)');
SELECT * FROM shown('SELECT count(*) FROM doses o WHERE o.did IN (SELECT did FROM drugs WHERE drug = ''drug 2'')');
SELECT * FROM shown('SELECT count(*) FROM doses o WHERE EXISTS (SELECT 1 FROM drugs d JOIN stays s ON s.sid = d.sid WHERE d.did = o.did AND s.ward = ''ward 1'')');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT (SELECT count(*) FROM labs l WHERE l.sid = s.sid) AS n FROM stays s) x GROUP BY n');
SELECT * FROM shown('SELECT sum(least(greatest(n, 0), 9)) FROM (SELECT s.ward, (SELECT max(d.did % 10) FROM drugs d WHERE d.sid = s.sid) AS n FROM stays s) x');
SELECT * FROM shown('SELECT count(*) FROM stays s WHERE s.sid IN (SELECT sid FROM labs GROUP BY sid HAVING count(*) > 1)');
SELECT * FROM shown('SELECT count(*) FROM stays s WHERE (s.sid, s.ward) IN (SELECT sid, ''ward '' || value FROM labs)');
SELECT * FROM shown('SELECT count(*) FROM labs l WHERE (SELECT ward FROM stays s WHERE s.sid = l.sid) = ''ward 2''');
SELECT * FROM shown('SELECT count(*) FROM labs l WHERE l.value > (SELECT min(m.value) FROM labs m WHERE m.sid = l.sid)');
SELECT * FROM shown('SELECT count(*) FROM stays s WHERE 2 NOT IN (SELECT l.value FROM labs l WHERE l.sid = s.sid)');
-- in ON of an inner join
SELECT * FROM shown('SELECT count(*) FROM stays s JOIN people p ON p.id = s.pid AND s.sid IN (SELECT sid FROM drugs) AND p.city = ''Chur''');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM people p JOIN stays s ON s.pid = p.id AND EXISTS (SELECT 1 FROM drugs d WHERE d.sid = s.sid) LEFT JOIN labs l ON l.sid = s.sid');
SELECT * FROM shown('SELECT count(*) FROM labs l RIGHT JOIN (stays s JOIN people p ON s.pid = p.id AND p.id NOT IN (SELECT pid FROM labs WHERE what = ''home'')) ON l.sid = s.sid');

-- ON of outer joins: what names the nullable side alone chooses its rows before the join, other sides compute it
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND l.lid IN (SELECT lid FROM labs WHERE value > 3)');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND l.pid = s.pid AND l.lid NOT IN (SELECT lid FROM labs WHERE value > 3) AND l.what <> ''home''');
SELECT * FROM shown('SELECT count(*), count(d.did) FROM drugs d RIGHT JOIN stays s ON d.sid = s.sid AND NOT EXISTS (SELECT FROM labs l WHERE l.sid = d.sid AND value > 3)');
SELECT * FROM shown('SELECT count(*), count(d.did) FROM stays s LEFT JOIN drugs d ON d.sid = s.sid AND (SELECT count(*) FROM doses o WHERE o.did = d.did) > 1');
SELECT * FROM shown('SELECT s.ward, n, count(*) FROM stays s LEFT JOIN (SELECT sid, count(*) AS n FROM labs WHERE sid IS NOT NULL GROUP BY sid) x ON x.sid = s.sid AND EXISTS (SELECT FROM drugs d WHERE d.sid = x.sid AND d.drug = ''drug 2'') GROUP BY s.ward, n');
SELECT * FROM shown('SELECT count(*), count(v.what) FROM stays s LEFT JOIN seen v ON v.stay = s.sid AND v.what <> ''home'' AND EXISTS (SELECT FROM drugs d WHERE d.sid = v.stay AND d.drug = ''drug 1'')');
SELECT * FROM shown('WITH v AS (SELECT sid, lid, value FROM labs) SELECT s.ward, count(*), count(v.lid) FROM stays s LEFT JOIN v ON v.sid = s.sid AND v.lid IN (SELECT lid FROM v w WHERE w.value > 3) GROUP BY s.ward');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND (l.what, l.value) IN (SELECT * FROM (VALUES (''test 1'', 2), (''test 2'', NULL)) x)');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND (l.what, l.value) NOT IN (SELECT * FROM (VALUES (''test 1'', 2), (''test 2'', NULL)) x)');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND l.what IN (SELECT what FROM labs GROUP BY what HAVING count(*) > 500 ORDER BY count(*) DESC LIMIT 1)');
SELECT * FROM shown('SELECT count(*), count(w.ward) FROM stays s LEFT JOIN wards w ON w.ward = s.ward AND EXISTS (SELECT FROM wards x WHERE x.floor > w.floor)');
SELECT * FROM shown('SELECT w.ward, count(s.sid) FROM wards w LEFT JOIN stays s ON s.ward = w.ward AND s.sid NOT IN (SELECT sid FROM labs WHERE value < 3 AND sid IS NOT NULL) GROUP BY w.ward');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND s.sid NOT IN (SELECT sid FROM labs WHERE value > 3 AND sid IS NOT NULL)');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM people p JOIN stays s ON s.pid = p.id LEFT JOIN labs l ON l.sid = s.sid AND NOT EXISTS (SELECT FROM orders o WHERE o.person = p.id AND o.id < 300) AND l.lid IN (SELECT lid FROM labs WHERE value > 3)');
SELECT * FROM shown('SELECT count(*), count(p.id), count(s.sid) FROM people p FULL JOIN stays s ON p.id = s.pid AND EXISTS (SELECT FROM labs l WHERE l.sid = s.sid AND l.value > 3)');
SELECT * FROM shown('SELECT count(*), count(w.ward) FROM stays s LEFT JOIN wards w ON w.ward = s.ward AND NOT EXISTS (SELECT FROM labs l WHERE l.sid = s.sid AND l.value > 3) LEFT JOIN labs l ON l.sid = s.sid AND l.value = 1');
-- a nullable side that joins by itself, computes, and shows no unit; its unique keys join one row at most
SELECT * FROM shown('SELECT count(*), count(l.lid), sum(least(greatest(twice, 0), 12)) FROM stays s LEFT JOIN (SELECT l.lid, d.sid, 2 * value AS twice FROM labs l JOIN drugs d ON d.sid = l.sid AND d.drug = ''drug 1'') l ON l.sid = s.sid');
SELECT * FROM shown('SELECT floor, count(*) FROM labs l LEFT JOIN (SELECT sid, floor FROM stays JOIN wards USING (ward)) s ON s.sid = l.sid GROUP BY floor');
SET ROLE rec_analyst;
SELECT max_rows FROM dp_agg.price('SELECT count(s.ward) FROM labs l LEFT JOIN (SELECT sid, ward FROM stays JOIN wards USING (ward)) s ON s.sid = l.sid');
SELECT max_rows FROM dp_agg.price('SELECT count(s.ward) FROM labs l LEFT JOIN (SELECT sid, s.ward FROM stays s JOIN wards w ON w.ward >= s.ward) s ON s.sid = l.sid');
RESET ROLE;
-- what says something of rows of both sides, or of rows that another outer join has filled up, is not moved
SELECT * FROM shown('SELECT count(*) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND EXISTS (SELECT FROM drugs d WHERE d.sid = l.sid AND d.drug <> s.ward)');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN (SELECT l.* FROM labs l JOIN stays s ON s.sid = l.sid WHERE EXISTS (SELECT FROM drugs d WHERE d.sid = l.sid AND d.drug <> s.ward)) l ON l.sid = s.sid');
SELECT * FROM shown('SELECT count(*) FROM stays s LEFT JOIN drugs d ON d.sid = s.sid LEFT JOIN labs l ON l.sid = s.sid AND NOT EXISTS (SELECT FROM doses o WHERE o.did = d.did)');
SELECT * FROM shown('SELECT count(l) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND EXISTS (SELECT FROM drugs d WHERE d.sid = l.sid)');
SELECT * FROM shown('SELECT count(*) FROM wards w LEFT JOIN stays s ON s.ward = w.ward AND EXISTS (SELECT FROM stays x WHERE x.ward = w.ward)');

-- joins: the unit follows from a composite foreign key, a link, or one record
SELECT * FROM shown('SELECT count(*) FROM stays s JOIN labs l ON l.sid = s.sid');
SELECT * FROM shown('SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l USING (sid)');
SELECT * FROM shown('SELECT count(*) FROM labs l, drugs d WHERE d.sid = l.sid');
SELECT * FROM shown('SELECT count(*) FROM labs l JOIN labs m ON m.sid = l.sid AND m.lid > l.lid');
SELECT * FROM shown('SELECT count(*) FROM stays s JOIN stays t ON t.code = s.code');
SELECT * FROM shown('SELECT count(*), count(d.did) FROM labs l LEFT JOIN drugs d ON d.sid = l.sid JOIN stays s ON s.sid = l.sid');
SELECT * FROM shown('SELECT count(*) FROM doses o JOIN drugs d USING (did) JOIN labs l USING (sid)');
SELECT * FROM shown('SELECT count(*) FROM orders o JOIN payments p ON p.order_id = o.id');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT order_id, count(*) AS n FROM payments GROUP BY order_id) x GROUP BY n');
SELECT * FROM shown('SELECT count(*) FROM orders WHERE id NOT IN (SELECT order_id FROM payments WHERE amount = 2)');
-- rows added up per record, and joined back
SELECT * FROM shown('SELECT count(*), sum(least(n, 5)) FROM stays s LEFT JOIN (SELECT sid, count(*) AS n FROM drugs GROUP BY sid) x ON x.sid = s.sid');
SELECT * FROM shown('SELECT count(*), sum(least(n, 5)) FROM stays s JOIN (SELECT sid, count(*) AS n FROM labs WHERE sid IS NOT NULL GROUP BY sid) x ON x.sid = s.sid');
SELECT * FROM shown('SELECT count(*), sum(least(n, 5)) FROM drugs d JOIN (SELECT sid, count(*) AS n FROM drugs GROUP BY sid) x ON x.sid = d.sid');
SELECT * FROM shown('SELECT count(*), sum(least(x.n, 5)), sum(least(y.n, 5)) FROM (SELECT sid, count(*) AS n FROM drugs GROUP BY sid) x JOIN (SELECT sid, count(*) AS n FROM labs WHERE sid > 0 GROUP BY sid) y USING (sid)');
-- a unit of type varchar
SELECT * FROM shown('SELECT count(*) FROM clubs c WHERE EXISTS (SELECT 1 FROM games g WHERE g.club = c.name AND g.score = 2)');
SELECT * FROM shown('SELECT count(*) FROM clubs c WHERE NOT EXISTS (SELECT 1 FROM games g WHERE g.club = c.name)');
SELECT * FROM shown('SELECT count(*) FROM clubs c WHERE c.name IN (SELECT club FROM games WHERE score = 3)');
SELECT * FROM shown('SELECT count(*) FROM clubs c WHERE c.name NOT IN (SELECT club FROM games WHERE score = 3)');
SELECT * FROM shown('SELECT count(*) FROM games WHERE (club, kind) IN (SELECT club, kind FROM games WHERE score = 3)');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT (SELECT count(*) FROM games g WHERE g.club = c.name) AS n FROM clubs c) x GROUP BY n');
SELECT * FROM shown('SELECT count(*) FROM clubs c WHERE (SELECT max(kind) FROM games g WHERE g.club = c.name) = ''k1''');
SELECT * FROM shown('SELECT count(*) FROM clubs c WHERE c.name IN (SELECT club FROM games GROUP BY club HAVING count(*) > 2)');

-- Refused, and not charged: rows of two people are neither joined nor left out.
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SET ROLE rec_analyst;
SELECT count(*) FROM items i JOIN notes n ON n.item = i.id;
SELECT count(*) FROM items i LEFT JOIN notes n ON n.item = i.id;
\set VERBOSITY terse
SELECT count(*) FROM items i RIGHT JOIN notes n ON n.item = i.id;
SELECT count(*) FROM items i FULL JOIN notes n ON n.item = i.id;
SELECT count(*) FROM items i, notes n WHERE n.item = i.id;
SELECT count(*) FROM items i JOIN notes n USING (id);
SELECT count(*) FROM (SELECT id, kind FROM items) i NATURAL JOIN (SELECT item AS id FROM notes) n;
SELECT count(*) FROM items i CROSS JOIN LATERAL (SELECT n.id FROM notes n WHERE n.item = i.id) n;
WITH n AS (SELECT item FROM notes) SELECT count(*) FROM items i JOIN n ON n.item = i.id;
SELECT count(*) FROM notes n JOIN (SELECT id, count(*) AS c FROM items GROUP BY id) i ON i.id = n.item;
SELECT count(*) FROM items WHERE id IN (SELECT item FROM notes);
SELECT count(*) FROM items i WHERE NOT EXISTS (SELECT 1 FROM notes n WHERE n.item = i.id);
SELECT count(*) FROM notes WHERE item IN (SELECT id FROM items);
SELECT count(*) FROM items i JOIN drugs d ON d.did = i.id;
SELECT count(*) FROM items i JOIN reviews r ON r.item = i.id;
SELECT count(*) FROM stays s JOIN stays t ON t.maybe = s.sid;
SELECT count(*) FROM stays s JOIN stays t ON t.maybe IS NOT DISTINCT FROM s.maybe;
SELECT count(*) FROM stays s JOIN scans c ON c.sid = s.sid;
-- At the top a group of one person would never be shown.
SELECT sid, count(*) FROM stays GROUP BY sid;
SELECT email, count(*) FROM people GROUP BY email;
SELECT DISTINCT sid FROM drugs;
SELECT s.sid, s.ward, count(*) FROM stays s JOIN labs l USING (sid) GROUP BY s.sid;
SELECT count(*) FROM (SELECT sid, ward, count(*) FROM stays GROUP BY ROLLUP (ward), sid) x;
-- Columns that may be NULL, of which the NULLs are many people's.
SELECT count(*) FROM (SELECT what, row_number() OVER (PARTITION BY sid ORDER BY lid) AS r FROM labs) x;
SELECT count(*) FROM (SELECT l.sid, row_number() OVER (PARTITION BY l.sid ORDER BY l.lid) AS r FROM stays s LEFT JOIN labs l ON l.sid = s.sid) x;
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY s.sid ORDER BY p.id) AS r FROM people p LEFT JOIN stays s ON s.pid = p.id) x;
SELECT count(*) FROM stays WHERE sid NOT IN (SELECT sid FROM labs);
SELECT count(*) FROM labs WHERE sid NOT IN (SELECT sid FROM stays);
SELECT count(*) FROM stays WHERE maybe NOT IN (SELECT maybe FROM stays WHERE maybe IS NOT NULL);
SELECT count(*) FROM (SELECT ward, row_number() OVER (PARTITION BY maybe ORDER BY sid) AS r FROM stays) x;
-- what would be said of the unit again and again, to no avail
SELECT count(*) FROM (SELECT (NOT EXISTS (SELECT FROM drugs d WHERE d.sid = s.sid))::int AS u FROM stays s) w JOIN (SELECT (NOT EXISTS (SELECT FROM drugs d WHERE d.sid = s.sid))::int AS u FROM stays s) x ON x.u = w.u;
\set VERBOSITY default
RESET ROLE;
SELECT sum(statements) - :before AS charged FROM dp_agg.budgets;
-- but sets without it are shown
SET ROLE rec_analyst;
SELECT ward, sid, count(*) FROM stays GROUP BY ROLLUP (ward, sid) ORDER BY 1, 2;
RESET ROLE;
-- which a condition settles, or a column that cannot be NULL
ALTER TABLE scans ALTER part SET NOT NULL;
SELECT * FROM shown('SELECT count(*) FROM stays s JOIN scans c ON c.sid = s.sid');
SELECT * FROM shown('SELECT r, count(*) FROM (SELECT ward, row_number() OVER (PARTITION BY maybe ORDER BY sid) AS r FROM stays WHERE maybe IS NOT NULL) x GROUP BY r');
SELECT * FROM shown('SELECT count(*) FROM (SELECT maybe FROM stays WHERE maybe = ANY (''{12,22,23,33}'') GROUP BY maybe) x');
SELECT * FROM shown('SELECT count(*) FROM stays WHERE sid NOT IN (SELECT sid FROM labs WHERE value > 3 AND sid IS NOT NULL)');
-- partitions: keys of the whole
SET ROLE rec_owner;
CREATE TABLE parted (day date NOT NULL, visit int NOT NULL, pid int, UNIQUE (day, visit)) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2025-01-01') TO ('2025-02-01');
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2025-02-01') TO ('2025-03-01');
CREATE UNIQUE INDEX ON parted_1 (visit);
CREATE UNIQUE INDEX ON ONLY parted (visit, day, pid);
INSERT INTO parted SELECT date '2025-01-01' + i % 50, i, i / 2 FROM generate_series(1, 600) i;
SELECT dp_agg.protect('parted', 'pid', max_rows => 3, max_groups => 3);
RESET ROLE;
SELECT * FROM shown('SELECT r, count(*) FROM (SELECT row_number() OVER (PARTITION BY day, visit ORDER BY pid) AS r FROM parted) x GROUP BY r');
SELECT * FROM shown('SELECT count(*) FROM parted p JOIN parted q USING (visit, day) WHERE p.pid > 100');
SET ROLE rec_analyst;
\set VERBOSITY terse
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY visit ORDER BY pid) AS r FROM parted) x;
SELECT count(*) FROM parted p JOIN parted q USING (visit);
\set VERBOSITY default
RESET ROLE;

-- Keys that prove nothing, or no longer: statements are planned again.
SET ROLE rec_owner;
CREATE TABLE weak (a int NOT NULL, b int NOT NULL, c text NOT NULL, d int NOT NULL, e text NOT NULL, pid int NOT NULL);
CREATE UNIQUE INDEX ON weak (a) WHERE a > 0;
CREATE UNIQUE INDEX ON weak ((b + 1));
CREATE UNIQUE INDEX ON weak (c COLLATE "C");
ALTER TABLE weak ADD UNIQUE (d) DEFERRABLE;
CREATE UNIQUE INDEX ON weak (e text_pattern_ops);
INSERT INTO weak SELECT i, i, i, i, i, i / 2 FROM generate_series(1, 100) i;
SELECT dp_agg.protect('weak', 'pid', max_rows => 2);
RESET ROLE;
SET ROLE rec_analyst;
\set VERBOSITY terse
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY a ORDER BY pid) AS r FROM weak) x;
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY b ORDER BY pid) AS r FROM weak) x;
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY c ORDER BY pid) AS r FROM weak) x;
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY d ORDER BY pid) AS r FROM weak) x;
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY e ORDER BY pid) AS r FROM weak) x;
SELECT count(*) FROM weak v JOIN weak w ON w.a = v.a;
SELECT count(*) FROM weak v JOIN weak w ON w.d = v.d;
PREPARE joined AS SELECT count(*) FROM stays s JOIN labs l ON l.sid = s.sid;
PREPARE siblings AS SELECT count(*) FROM labs l JOIN labs m ON m.sid = l.sid;
PREPARE grouped AS SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY sid ORDER BY lid) AS r FROM labs WHERE sid > 0) x;
EXECUTE joined; EXECUTE siblings; EXECUTE grouped;
RESET ROLE;
-- of the key of a record that only a foreign key leads to
SET ROLE rec_owner;
ALTER TABLE drugs DROP CONSTRAINT drugs_sid_fkey;
ALTER TABLE stays DROP CONSTRAINT stays_pkey;
SET ROLE rec_analyst;
EXECUTE joined; EXECUTE siblings; EXECUTE grouped;
SET ROLE rec_owner;
ALTER TABLE stays ADD PRIMARY KEY (sid);
SET ROLE rec_analyst;
EXECUTE joined; EXECUTE siblings; EXECUTE grouped;
-- of the foreign key itself
SET ROLE rec_owner;
ALTER TABLE labs DROP CONSTRAINT labs_sid_pid_fkey;
SET ROLE rec_analyst;
EXECUTE joined; EXECUTE siblings; EXECUTE grouped;
SET ROLE rec_owner;
ALTER TABLE labs ADD FOREIGN KEY (sid, pid) REFERENCES stays (sid, pid) NOT VALID;
SET ROLE rec_analyst;
EXECUTE joined;
SET ROLE rec_owner;
ALTER TABLE labs VALIDATE CONSTRAINT labs_sid_pid_fkey;
SET ROLE rec_analyst;
EXECUTE joined;
-- one that is not checked
RESET ROLE;
ALTER TABLE labs DISABLE TRIGGER ALL;
SET ROLE rec_analyst;
EXECUTE joined;
RESET ROLE;
\set VERBOSITY default
ALTER TABLE labs ENABLE TRIGGER ALL;

-- Rows that contradict the keys, 1,500 of one person, as they get in where nothing is checked: they are not joined with
-- those of others, in groups of their own, and count as much as max_rows says.
SET session_replication_role = replica;
INSERT INTO labs SELECT -1000 - sid, sid, 5000, 'test 1', 3 FROM stays;
RESET session_replication_role;
SET ROLE rec_analyst;
EXECUTE joined;
SELECT count(*) FROM stays s WHERE EXISTS (SELECT 1 FROM labs l WHERE l.sid = s.sid AND l.lid < -1000);
SELECT count(*), sum(least(n, 5)) FROM stays s LEFT JOIN (SELECT sid, count(*) AS n FROM labs WHERE sid > 0 GROUP BY sid) x ON x.sid = s.sid;
SELECT n, count(*) FROM (SELECT sid, count(*) AS n FROM labs WHERE sid > 0 GROUP BY sid) x GROUP BY n ORDER BY n;
SELECT r, count(*) FROM (SELECT row_number() OVER (PARTITION BY sid ORDER BY lid) AS r FROM labs WHERE sid > 0) x GROUP BY r ORDER BY r;
SELECT count(*), count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND l.lid IN (SELECT lid FROM labs WHERE value = 3);
RESET ROLE;

DROP SCHEMA rec CASCADE;
SELECT dp_agg.drop_budget('rec_analyst');
DROP OWNED BY rec_owner, rec_analyst;
DROP ROLE rec_owner, rec_analyst;
DROP EXTENSION dp_agg;
