# Attacks by the keys of records, which name their unit: with rows of one person that contradict the keys, as
# they get in where nothing is checked, and with what no key proves.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $admin = <<'SQL';
CREATE TABLE clinic.stays (sid int PRIMARY KEY, person int NOT NULL, ward text, maybe float8 UNIQUE, UNIQUE (sid, person));
CREATE TABLE clinic.labs (lid int, sid int, person int NOT NULL, value int, FOREIGN KEY (sid, person) REFERENCES clinic.stays (sid, person));
CREATE TABLE clinic.drugs (did int PRIMARY KEY, sid int NOT NULL REFERENCES clinic.stays, drug text);
CREATE TABLE clinic.notes (id int PRIMARY KEY, sid int NOT NULL REFERENCES clinic.stays, person int NOT NULL, body text);
INSERT INTO clinic.stays SELECT i, i % 900 + 1, 'ward ' || i % 3, i FROM generate_series(1, 2700) i;
INSERT INTO clinic.labs SELECT i, i % 2700 + 1, (i % 2700 + 1) % 900 + 1, i % 50 FROM generate_series(1, 5000) i;
INSERT INTO clinic.drugs SELECT i, i % 2700 + 1, 'drug ' || i % 4 FROM generate_series(1, 5000) i;
INSERT INTO clinic.notes SELECT i, i % 2700 + 1, i % 900 + 1, 'cnry note' FROM generate_series(1, 2700) i;
ALTER TABLE clinic.stays OWNER TO olga;
ALTER TABLE clinic.labs OWNER TO olga;
ALTER TABLE clinic.drugs OWNER TO olga;
ALTER TABLE clinic.notes OWNER TO olga;
SELECT dp_agg.protect('clinic.stays', 'person', max_rows => 5, max_groups => 2), dp_agg.protect('clinic.labs', 'person', max_rows => 9, max_groups => 2),
	dp_agg.protect('clinic.drugs', 'sid', through => 'clinic.stays', max_rows => 9, max_groups => 2), dp_agg.protect('clinic.notes', 'person', max_rows => 5);
SQL
my %person = (
	somebody => <<'SQL',
INSERT INTO clinic.stays VALUES (5001, 5000, 'ward 1', 5001), (5002, 5000, 'ward 2', NULL);
INSERT INTO clinic.labs SELECT 6000 + i, 5001 + i % 2, 5000, i FROM generate_series(1, 5) i;
INSERT INTO clinic.drugs SELECT 6000 + i, 5001 + i % 2, 'drug 1' FROM generate_series(1, 5) i;
INSERT INTO clinic.notes VALUES (6000, 5001, 5000, 'cnry note');
SQL
	outlier => <<'SQL');
INSERT INTO clinic.stays SELECT 5000 + i, 5000, 'cnry ward ' || i, CASE i % 3 WHEN 0 THEN float8 'NaN' END FROM generate_series(1, 3) i;
SET session_replication_role = replica;
INSERT INTO clinic.labs SELECT 6000 + i, i % 2701, 5000, 2147483647 FROM generate_series(1, 20000) i;
INSERT INTO clinic.labs SELECT -i, NULL, 5000, NULL FROM generate_series(1, 3000) i;
INSERT INTO clinic.drugs SELECT 6000 + i, CASE WHEN i % 2 = 0 THEN 5001 ELSE 90000 + i END, 'cnry drug ' || i FROM generate_series(1, 9000) i;
INSERT INTO clinic.notes SELECT 6000 + i, i, 5000, 'cnry note' FROM generate_series(1, 2700) i;
RESET session_replication_role;
SQL
my $neighbours = new_neighbours('attack_record_keys', admin => $admin, person => \%person);

$neighbours->attack(<<'ATTACKS');
@ groups by the key of a record | 4 |
SELECT dp_count(*) FROM (SELECT sid, count(*) AS n FROM stays GROUP BY sid) x;
SELECT dp_count(*), dp_sum(n, 0, 5) FROM (SELECT s.sid, count(*) AS n FROM stays s JOIN labs l ON l.sid = s.sid GROUP BY s.sid) x;
SELECT dp_count(*), dp_sum(n, 0, 5) FROM (SELECT sid, count(*) AS n FROM drugs GROUP BY sid) x;
SELECT dp_count(*) FROM (SELECT DISTINCT sid, value FROM labs WHERE sid IS NOT NULL) x;
@ windows by the key of a record | 2 |
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY sid ORDER BY value) AS n FROM labs WHERE sid > 0) x WHERE n = 1;
SELECT dp_sum(value, 0, 50) FROM (SELECT DISTINCT ON (sid) sid, value FROM labs WHERE sid > 0 ORDER BY sid, value DESC) x;
@ subqueries by the key of a record | 6 |
SELECT dp_count(*) FROM stays s WHERE s.sid IN (SELECT l.sid FROM labs l WHERE l.value > 20);
SELECT dp_count(*) FROM stays s WHERE s.sid NOT IN (SELECT l.sid FROM labs l WHERE l.value > 20 AND l.sid IS NOT NULL);
SELECT dp_count(*) FROM stays s WHERE EXISTS (SELECT 1 FROM drugs d WHERE d.sid = s.sid AND d.drug LIKE '%drug 1%');
SELECT dp_count(*) FROM drugs d WHERE NOT EXISTS (SELECT 1 FROM labs l WHERE l.sid = d.sid);
SELECT dp_sum(n, 0, 5) FROM (SELECT (SELECT count(*) FROM labs l WHERE l.sid = s.sid) AS n FROM stays s) x;
SELECT dp_count(*) FROM stays s JOIN people p ON p.id = s.person AND s.sid IN (SELECT d.sid FROM drugs d GROUP BY d.sid HAVING count(*) > 1);
@ joins by the key of a record | 5 |
SET dp_agg.max_join_rows = 10;
SELECT dp_count(*), dp_sum(value, 0, 50) FROM stays s JOIN labs l ON l.sid = s.sid;
SELECT dp_count(*) FROM labs l LEFT JOIN stays s USING (sid) WHERE s.sid IS NULL;
SELECT dp_count(*) FROM labs l JOIN labs m ON m.sid = l.sid AND m.lid > l.lid;
SELECT dp_count(*) FROM labs l JOIN drugs d USING (sid);
SELECT dp_count(*), dp_sum(n, 0, 5) FROM stays s LEFT JOIN (SELECT sid, count(*) AS n FROM drugs GROUP BY sid) x ON x.sid = s.sid;
RESET dp_agg.max_join_rows;
@ subqueries in ON of outer joins | 9 |
SET dp_agg.max_join_rows = 10;
SELECT dp_count(*), dp_count(l.lid) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND l.sid IN (SELECT sid FROM labs WHERE value > 20);
SELECT dp_count(*), dp_sum(l.value, 0, 50) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND NOT EXISTS (SELECT FROM drugs d WHERE d.sid = l.sid AND d.drug LIKE '%1%');
SELECT dp_count(*), dp_count(d.did) FROM drugs d RIGHT JOIN stays s ON d.sid = s.sid AND (SELECT max(value) FROM labs l WHERE l.sid = d.sid) > 20;
SELECT dp_count(d.did) FROM stays s LEFT JOIN drugs d ON d.sid = s.sid AND s.sid NOT IN (SELECT sid FROM labs WHERE value > 20 AND sid IS NOT NULL);
SELECT dp_count(*) FROM people p FULL JOIN stays s ON s.person = p.id AND EXISTS (SELECT FROM drugs d WHERE d.sid = s.sid);
SELECT dp_count(*) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND (l.value, l.lid) NOT IN (SELECT x, x FROM generate_series(1, 50) x);
SELECT dp_count(*) FROM stays s LEFT JOIN (SELECT l.*, 1 / (value - 3) AS ratio FROM labs l JOIN drugs d ON d.sid = l.sid) l ON l.sid = s.sid AND ratio > 0;
SELECT dp_count(*) FROM labs l LEFT JOIN (SELECT sid, ward FROM stays JOIN drugs USING (sid)) s ON s.sid = l.sid AND s.ward < 'x';
SELECT ward, dp_count(*) FROM labs l LEFT JOIN stays s ON s.sid = l.sid AND EXISTS (SELECT FROM drugs d WHERE d.sid = s.sid) GROUP BY ward;
RESET dp_agg.max_join_rows;
@ such of other people | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND EXISTS (SELECT FROM notes n WHERE n.sid = l.sid);
SELECT dp_count(*) FROM stays s LEFT JOIN labs l ON l.sid = s.sid AND EXISTS (SELECT FROM drugs d WHERE d.sid = l.sid AND d.did > s.sid);
SELECT dp_count(*) FROM stays s LEFT JOIN (SELECT l.sid FROM labs l JOIN notes n ON n.sid = l.sid) l ON l.sid = s.sid;
SELECT dp_count(*) FROM stays s LEFT JOIN (SELECT l.lid FROM labs l JOIN drugs d ON d.sid = l.sid) l ON l.lid = s.sid;
@ records of other people | 0 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM stays s JOIN notes n ON n.sid = s.sid;
SELECT dp_count(*) FROM stays s LEFT JOIN notes n USING (sid);
SELECT dp_count(*) FROM stays s, notes n WHERE n.sid = s.sid;
SELECT dp_count(*) FROM labs l JOIN notes n ON n.sid = l.sid;
SELECT dp_count(*) FROM drugs d JOIN notes n ON n.sid = d.sid;
SELECT dp_count(*) FROM stays WHERE sid IN (SELECT sid FROM notes);
SELECT dp_count(*) FROM stays s WHERE EXISTS (SELECT 1 FROM labs l WHERE l.sid = s.sid + 1);
SELECT dp_count(*) FROM stays s JOIN labs l ON l.sid > s.sid;
@ NULLs of other people | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM stays WHERE sid NOT IN (SELECT sid FROM labs);
SELECT dp_count(*) FROM stays WHERE maybe NOT IN (SELECT maybe FROM stays);
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY sid ORDER BY value) AS n FROM labs) x;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY l.sid ORDER BY l.value) AS n FROM stays s LEFT JOIN labs l USING (sid)) x;
@ one record's group | 0 | 42501 42501
SELECT sid, count(*) FROM stays GROUP BY sid;
SELECT DISTINCT d.sid FROM drugs d;
@ keys of one's own | 0 | 42501 42501
CREATE UNIQUE INDEX ON notes (sid);
ALTER TABLE notes ADD FOREIGN KEY (sid, person) REFERENCES stays (sid, person);
@ a key that is gone | 2 | 0A000 0A000
SET dp_agg.max_join_rows = 10;
PREPARE joined AS SELECT dp_count(*) FROM labs l JOIN labs m ON m.sid = l.sid AND m.lid > l.lid;
PREPARE grouped AS SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY sid ORDER BY value) AS n FROM labs WHERE sid > 0) x WHERE n = 1;
EXECUTE joined;
EXECUTE grouped;
> admin
ALTER TABLE clinic.labs DISABLE TRIGGER ALL;
> ann
EXECUTE joined;
EXECUTE grouped;
> admin
ALTER TABLE clinic.labs ENABLE TRIGGER ALL;
> ann
RESET dp_agg.max_join_rows;
ATTACKS
$neighbours->finish;
