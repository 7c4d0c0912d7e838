# Attacks by the parts of rows: by how many there are, by what finding them takes, by texts that a pattern is slow on,
# by what is in none, and by what splits at a place where it must not.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $admin = <<'SQL';
CREATE TABLE clinic.posts (id int PRIMARY KEY, person int NOT NULL, tags text, codes int[], words text, grid text[]);
INSERT INTO clinic.posts SELECT i, i % 900 + 1, 't' || i % 3 || ',t' || i % 5, ARRAY[i % 7, NULL, i % 4], 'lorem  w' || i % 4 || ' ipsum', ARRAY['g' || i % 3] FROM generate_series(1, 2700) i;
ALTER TABLE clinic.posts OWNER TO olga;
CREATE TABLE clinic.replies (id int PRIMARY KEY, post int NOT NULL REFERENCES clinic.posts, body text);
INSERT INTO clinic.replies SELECT i, i % 2700 + 1, 'a,b,' || i % 3 FROM generate_series(1, 3000) i;
ALTER TABLE clinic.replies OWNER TO olga;
SELECT dp_agg.protect('clinic.posts', 'person', max_rows => 20, max_groups => 5), dp_agg.protect('clinic.replies', 'post', through => 'clinic.posts', max_rows => 20, max_groups => 5);
CREATE TABLE clinic.tags (tag text PRIMARY KEY, label text);
INSERT INTO clinic.tags SELECT 't' || i, 'label ' || i % 2 FROM generate_series(0, 4) i;
GRANT SELECT ON clinic.tags TO ann;
SQL
my %person = (
	somebody => <<'SQL',
INSERT INTO clinic.posts VALUES (5001, 5000, 't1,t2', '{1,NULL,2}', 'lorem  w1', '{g1}');
INSERT INTO clinic.replies VALUES (5001, 5001, 'a,b');
SQL
	outlier => <<'SQL');
INSERT INTO clinic.posts SELECT 5000 + i, 5000, repeat('cnry' || i || ',', CASE i % 3 WHEN 0 THEN 10000 WHEN 1 THEN 400 ELSE 50000 END), array_fill(i, ARRAY[2, 3, 5000]),
	CASE i % 4 WHEN 0 THEN repeat(' ', 500) WHEN 1 THEN repeat(' ', 200) || 'x' || repeat(',', 200) WHEN 2 THEN repeat(E'\n\t ', 100000) ELSE repeat('é ', 90) END, CASE WHEN i % 2 = 0 THEN '[7:8][-1:0]={{cnry,b},{c,d}}' ELSE '{}' END::text[]
	FROM generate_series(1, 300) i;
INSERT INTO clinic.posts VALUES (7000, 5000, NULL, NULL, '', NULL), (7001, 5000, ',', array_fill(NULL::int, ARRAY[250000]), ',', array_fill(repeat('cnry', 3000), ARRAY[30]));
INSERT INTO clinic.replies SELECT 5000 + i, 5001, repeat('cnry,', i) FROM generate_series(1, 2000) i;
SQL
my $neighbours = new_neighbours('attack_splits', admin => $admin, person => \%person);

$neighbours->attack(<<'ATTACKS');
@ parts in FROM | 5 |
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM posts, unnest(string_to_array(tags, ',')) t;
SELECT dp_count(*), dp_count(DISTINCT person) FROM posts p LEFT JOIN LATERAL unnest(p.codes) c ON true WHERE c IS NULL;
SELECT dp_sum(least(greatest(c, 0), 9), 0, 90) FROM posts CROSS JOIN unnest(codes) c;
SELECT dp_count(*) FROM posts, string_to_table(tags, NULL) t WHERE t = ',';
SELECT dp_count(*) FROM posts, unnest(grid) g, unnest(codes) c WHERE 3 = ANY (codes) AND grid IS NOT NULL;
RESET dp_agg.max_join_rows;
@ parts as keys | 4 |
SET dp_agg.max_join_rows = 100;
SELECT t AS key, dp_count(*) FROM posts, unnest(string_to_array(tags, ',')) t WHERE t IN ('t1', 't2') GROUP BY 1;
SELECT unnest(string_to_array(tags, ',')) AS key, dp_count(*) FROM posts GROUP BY 1;
SELECT label AS key, dp_count(*) FROM posts, unnest(string_to_array(tags, ',')) t JOIN tags g ON g.tag = t GROUP BY 1;
SELECT g AS key, dp_count(*) FROM posts, unnest(grid) g GROUP BY 1;
RESET dp_agg.max_join_rows;
@ patterns that are slow on some texts | 4 |
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM posts, regexp_split_to_table(words, '\s+') w;
SELECT dp_count(*) FROM posts, regexp_split_to_table(words, '\s*,\s*') w;
SELECT w AS key, dp_count(*) FROM (SELECT regexp_split_to_table(words, '[[:space:]]+') AS w FROM posts) x GROUP BY 1;
SELECT dp_count(*) FROM posts, unnest(regexp_split_to_array(words, 'LOREM  ', 'i')) w;
RESET dp_agg.max_join_rows;
@ patterns that would be | 0 | 0A000 0A000 0A000 2201B
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM posts, regexp_split_to_table(words, 'b.*c|a') w;
SELECT dp_count(*) FROM posts, regexp_split_to_table(words, '(a*)*b') w;
SELECT dp_count(*) FROM posts, regexp_split_to_table(words, '\s*[ab]\s*c') w;
SELECT dp_count(*) FROM posts, regexp_split_to_table(words, '[b-a]') w;
RESET dp_agg.max_join_rows;
@ parts of a row of a linked table, and of one that is joined | 3 |
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM replies, unnest(string_to_array(body, ',')) t;
SELECT dp_count(*) FROM replies r JOIN posts p ON p.id = r.post, unnest(string_to_array(p.tags, ',')) t;
SELECT dp_count(*) FROM people q JOIN (SELECT person, unnest(codes) AS c FROM posts) x ON x.person = q.id;
RESET dp_agg.max_join_rows;
@ parts of parts, grouped by the unit and beside windows | 3 |
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM posts, unnest(string_to_array(tags, ',')) t, string_to_table(t, 'n') u;
SELECT dp_sum(n, 0, 50) FROM (SELECT person, count(*) AS n FROM posts, unnest(codes) c GROUP BY person) x;
SELECT dp_count(*) FROM (SELECT person, t, row_number() OVER (PARTITION BY person ORDER BY t) AS r FROM posts, string_to_table(tags, ',') t) x WHERE r < 3;
RESET dp_agg.max_join_rows;
@ no parts | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM posts, unnest(codes) c;
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM posts, unnest(codes) WITH ORDINALITY c (c, n);
SELECT dp_count(*) FROM posts, string_to_table(tags, words) c;
SELECT dp_count(*) FROM posts, dp_agg_internal.elements(codes, true, 1000000) c;
RESET dp_agg.max_join_rows;
@ what a plan tells of them | 1 |
SET dp_agg.max_join_rows = 100;
EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) SELECT t, dp_count(*) AS noisy FROM posts, unnest(string_to_array(tags, ',')) t WHERE t = 't1' GROUP BY 1;
EXPLAIN SELECT dp_count(*) FROM posts, regexp_split_to_table(words, ',') t;
RESET dp_agg.max_join_rows;
ATTACKS
$neighbours->finish;
