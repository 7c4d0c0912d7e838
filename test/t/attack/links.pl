# Attacks through foreign keys: on tables whose rows find their unit by one, on what
# is joined for that out of sight, and by links of the analyst's own.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $admin = <<'SQL';
CREATE TABLE clinic.orders (id int PRIMARY KEY, person int, day date);
CREATE TABLE clinic.items (id int PRIMARY KEY, order_id int NOT NULL REFERENCES clinic.orders, what text, price int, note text);
CREATE TABLE clinic.slips (order_id int UNIQUE NOT NULL REFERENCES clinic.orders, paid boolean);
INSERT INTO clinic.orders SELECT i, i % 900 + 1, date '2020-01-01' + i % 300 FROM generate_series(1, 3000) i;
INSERT INTO clinic.items SELECT i, i % 3000 + 1, 'thing ' || i % 4, i % 50, 'cnry item ' || i FROM generate_series(1, 6000) i;
INSERT INTO clinic.slips SELECT i, i % 2 = 0 FROM generate_series(1, 2000) i;
ALTER TABLE clinic.orders OWNER TO olga;
ALTER TABLE clinic.items OWNER TO olga;
ALTER TABLE clinic.slips OWNER TO olga;
SELECT dp_agg.protect('clinic.orders', 'person', max_rows => 5), dp_agg.protect('clinic.items', 'order_id', through => 'clinic.orders', max_rows => 9, max_groups => 2),
	dp_agg.protect('clinic.slips', 'order_id', through => 'clinic.orders', max_rows => 5);
SQL
my %person = (
	somebody => <<'SQL',
INSERT INTO clinic.orders SELECT 5000 + i, 5000, '2020-02-02' FROM generate_series(1, 3) i;
INSERT INTO clinic.items SELECT 7000 + i, 5001 + i % 3, 'thing 1', 7, 'cnry item' FROM generate_series(1, 6) i;
INSERT INTO clinic.slips SELECT 5000 + i, true FROM generate_series(1, 3) i;
SQL
	outlier => <<'SQL');
INSERT INTO clinic.orders SELECT 5000 + i, 5000, '9999-12-31' FROM generate_series(1, 3000) i;
INSERT INTO clinic.items SELECT 7000 + i, 5001 + i % 3000, 'cnry thing ' || i % 500, 2147483647, repeat('cnry item', 9) FROM generate_series(1, 30000) i;
INSERT INTO clinic.slips SELECT 5000 + i, NULL FROM generate_series(1, 3000) i;
SQL
my $analyst = <<'SQL';
CREATE TABLE mine (id int PRIMARY KEY, n int);
INSERT INTO mine SELECT i, i FROM generate_series(1, 6000) i;
CREATE TABLE twice (id int, n int);
SQL
my $neighbours = new_neighbours('attack_links', admin => $admin, analyst => $analyst, person => \%person);

$neighbours->attack(<<'ATTACKS');
@ rows of linked tables | 0 | 42501 42501 42501
SELECT * FROM items;
SELECT order_id FROM slips;
SELECT i.id FROM items i JOIN orders o ON o.id = i.order_id;
@ questions about them | 6 |
SELECT dp_count(*) FROM items;
SELECT dp_count(*) FROM items WHERE order_id = 5001;
SELECT dp_sum(price, 0, 100) AS noisy FROM items i JOIN orders o ON o.id = i.order_id;
SELECT dp_count(*) FROM items i LEFT JOIN slips s USING (order_id) WHERE s.paid IS NULL;
SELECT dp_count(*) FROM orders o LEFT JOIN slips s ON s.order_id = o.id;
SELECT dp_count(*) FROM slips s LEFT JOIN orders o ON o.id = s.order_id;
@ what is joined out of sight | 0 | 42P01 42703 42703
SELECT dp_count(*) FROM items WHERE orders.person = 5000;
SELECT dp_count(*) FROM items WHERE person = 5000;
SELECT dp_count(orders) FROM items;
@ plans of what is joined out of sight | 1 |
EXPLAIN (VERBOSE) SELECT dp_count(*) FROM items;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM items;
EXPLAIN (VERBOSE, FORMAT JSON) SELECT what, dp_count(*) FROM items GROUP BY what;
SELECT aggregate, epsilon, noise_stddev FROM dp_agg.price('SELECT what, dp_count(*) FROM items GROUP BY what');
@ counters of what is joined out of sight | 1 |
BEGIN;
SELECT dp_count(*) FROM items;
SELECT relname, seq_scan, seq_tup_read, idx_scan FROM pg_stat_xact_all_tables WHERE relname IN ('items', 'orders', 'slips') ORDER BY 1;
SELECT relation::regclass::text, mode FROM pg_locks WHERE relation IN ('clinic.items'::regclass, 'clinic.orders'::regclass) ORDER BY 1;
COMMIT;
@ other people's orders by a table of one's own | 2 |
SELECT dp_count(*) FROM items i JOIN mine m ON m.id = i.order_id;
SELECT dp_count(m.n) FROM items i LEFT JOIN mine m ON m.id = i.order_id WHERE m.id > 5000;
@ rows of several people by the key alone | 0 | 0A000 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM orders a JOIN items i ON i.order_id <> a.id;
SELECT dp_count(*) FROM orders o JOIN items i ON i.id = o.id;
SELECT dp_count(*) FROM items a JOIN items b ON a.id = b.id;
SELECT dp_count(*) FROM people p JOIN items i ON i.order_id = p.id;
SELECT dp_count(*) FROM items i JOIN mine m ON m.id = i.order_id JOIN orders o ON o.id = m.id + 1;
SELECT dp_count(*) FROM orders o JOIN mine m ON m.id = o.id JOIN items i ON i.order_id = m.n;
@ rows multiplied by a link | 1 | 0A000 0A000
SELECT dp_count(*) FROM items a JOIN items b ON a.order_id = b.order_id;
SELECT dp_count(*) FROM items i JOIN twice t ON t.id = i.order_id;
SELECT dp_count(*) FROM orders o LEFT JOIN items i ON i.order_id = o.id;
@ units by the number of what they refer to | 3 |
SELECT dp_count(DISTINCT order_id) FROM items;
SELECT dp_avg(s, 0, 9) FROM (SELECT order_id, sum(price) AS s FROM items GROUP BY order_id) x;
SELECT dp_count(*) FROM (SELECT DISTINCT order_id FROM items) x;
@ bounds of linked tables | 5 |
SELECT count(*) FROM (SELECT dp_agg.suggest_max_rows('items', 0.001) OFFSET 0) s;
SELECT count(*) FROM (SELECT dp_agg.suggest_max_groups('items', 'what', 0.001) OFFSET 0) s;
SELECT count(*) FROM dp_agg.suggest_bounds('items', 'price', 0.001);
SELECT count(*) FROM dp_agg.measure_bounding('items', 0.001);
SELECT count(*) FROM dp_agg.measure_bounding('items', 0.001, col => 'what');
@ text that is made of links | 0 |
SELECT * FROM dp_agg_internal.rows_with_unit('items');
SELECT * FROM dp_agg_internal.rows_with_unit('mine');
SELECT * FROM dp_agg_internal.rows_with_unit(NULL);
SELECT relation, unit, through FROM dp_agg.protected_tables WHERE through IS NOT NULL ORDER BY 1;
@ links of one's own | 0 | 42501 42501 42501 42501 42501
CREATE TABLE probe (order_id int NOT NULL REFERENCES orders);
CREATE TABLE probe (order_id int NOT NULL);
ALTER TABLE probe ADD FOREIGN KEY (order_id) REFERENCES orders;
SELECT dp_agg.protect('probe', 'order_id', through => 'orders');
SELECT dp_agg.protect('items', 'order_id', through => 'orders');
SECURITY LABEL FOR dp_agg ON COLUMN probe.order_id IS 'dataset=default max_rows=1 max_groups=1 linked';
DROP TABLE probe;
@ a label that links a table to nothing | 0 | 55000 55000
> admin
CREATE TABLE ann.probe (order_id int NOT NULL);
INSERT INTO ann.probe VALUES (1);
SECURITY LABEL FOR dp_agg ON COLUMN ann.probe.order_id IS 'dataset=default max_rows=1 max_groups=1 linked';
> ann
SELECT dp_count(*) FROM probe;
SELECT dp_count(*) FROM probe p JOIN items i ON i.order_id = p.order_id;
> admin
DROP TABLE ann.probe;
@ a foreign key that is switched off | 1 | 55000 55000
PREPARE ask AS SELECT dp_count(*) FROM items;
> admin
ALTER TABLE clinic.orders DISABLE TRIGGER ALL;
> ann
EXECUTE ask;
SELECT dp_count(*) FROM items i JOIN orders o ON o.id = i.order_id;
> admin
ALTER TABLE clinic.orders ENABLE TRIGGER ALL;
> ann
EXECUTE ask;
ATTACKS
$neighbours->finish;
