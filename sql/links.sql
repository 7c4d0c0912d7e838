--
-- links: tables whose rows find their unit through foreign keys
--
CREATE EXTENSION dp_agg;
-- What could multiply rows is refused as such: see fan_out.
SET dp_agg.max_join_rows = 1;
CREATE ROLE links_owner;
CREATE ROLE links_other;
CREATE ROLE links_analyst;
CREATE SCHEMA links;
GRANT ALL ON SCHEMA links TO links_owner, links_other;
GRANT USAGE ON SCHEMA links TO links_analyst;
SET search_path = links, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect, dp_agg.unprotect(regclass) TO links_owner, links_other;
SELECT dp_agg.set_budget('links_analyst', 1e12, 1e-3), dp_agg.set_budget('links_analyst', 1e12, 1e-3, 'other');
SET ROLE links_owner;
-- customer i has i % 4 orders, each of which has 3 items at 1, 2 and 3; the second item of each has a parcel;
-- order 10 i + 1 has an invoice; ten orders are nobody's, one of them with an invoice; the first 40 customers have a passport
CREATE TABLE customers (id bigint PRIMARY KEY, region int);
CREATE TABLE orders (id int PRIMARY KEY, customer int, day int);
CREATE TABLE order_items (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders, product text, price int);
CREATE TABLE parcels (item bigint NOT NULL CONSTRAINT parcels_item REFERENCES order_items, weight int);
CREATE TABLE invoices (order_id smallint UNIQUE NOT NULL REFERENCES orders (id), paid boolean);
CREATE TABLE passports (customer bigint UNIQUE NOT NULL REFERENCES customers, country int);
INSERT INTO customers SELECT i, i % 2 FROM generate_series(1, 100) i;
INSERT INTO orders SELECT 10 * i + o, i, o FROM generate_series(1, 100) i, generate_series(1, 3) o WHERE o <= i % 4;
INSERT INTO orders SELECT i, NULL, 9 FROM generate_series(1, 10) i;
INSERT INTO order_items SELECT 10 * id + p, id, 'product ' || p, p FROM orders, generate_series(1, 3) p;
INSERT INTO parcels SELECT id, 7 FROM order_items WHERE price = 2;
INSERT INTO invoices SELECT id, id % 20 = 1 FROM orders WHERE id % 10 = 1;
INSERT INTO passports SELECT i, i % 4 FROM generate_series(1, 40) i;
-- keys vouch for links when no transaction is left that began before them
\set settle 'RESET ROLE; DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_xmin IS NOT NULL) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END $$; SET ROLE links_owner;'
SELECT dp_agg.protect('orders', 'customer', max_rows => 3, max_groups => 3), dp_agg.protect('customers', 'id');
SELECT dp_agg.protect('order_items', 'order_id', through => 'orders', max_rows => 9, max_groups => 3);
SELECT dp_agg.protect('parcels', 'item', through => 'order_items', max_rows => 3);
SELECT dp_agg.protect('invoices', 'order_id', through => 'orders', max_rows => 3), dp_agg.protect('passports', 'customer', through => 'customers');
:settle
SELECT * FROM dp_agg.protected_tables ORDER BY relation::text;
SELECT objname, label FROM pg_seclabels WHERE provider = 'dp_agg' ORDER BY 1;
CREATE TABLE public_products (product text PRIMARY KEY, kind text);
INSERT INTO public_products SELECT 'product ' || i, 'kind ' || i % 2 FROM generate_series(1, 4) i;
GRANT SELECT ON public_products TO links_analyst;
CREATE VIEW dear AS SELECT order_id, price FROM order_items WHERE price > 1;
RESET ROLE;
SET ROLE links_analyst;
-- At epsilon 100,000 no answer here is off with a probability above 1e-10.
SET dp_agg.epsilon = 100000;

-- alone: rows of no customer do not count
SELECT dp_count(*), dp_sum(price, 0, 100) FROM order_items;
SELECT product, dp_count(*), round(dp_avg(price, 0, 10)::numeric, 2) AS mean FROM order_items GROUP BY product ORDER BY 1;
SELECT dp_count(*), dp_sum(weight, 0, 100) FROM parcels;
SELECT dp_count(*) FROM dear WHERE price = 3;
SELECT * FROM dp_histogram('order_items', 'price', 1, 4, 3);
SELECT paid, dp_count(*) FROM invoices GROUP BY paid ORDER BY 1;
SELECT dp_count(*) FROM (SELECT order_id FROM order_items WHERE price < 3) s WHERE order_id % 10 = 3;
-- bounds are those of the linked table, and count per unit at the end
SET dp_agg.max_rows = 2;
SELECT dp_count(*) FROM order_items;
SET dp_agg.max_groups = 1;
SELECT sum(n) FROM (SELECT product, dp_count(*) AS n FROM order_items GROUP BY product) s;
RESET dp_agg.max_rows; RESET dp_agg.max_groups;
SET dp_agg.epsilon = 1;
SELECT noise_stddev > 1.4 * 8.9 AS of_nine_rows FROM dp_agg.price('SELECT dp_count(*) FROM order_items');
SELECT count(*) AS releases FROM dp_agg.price('SELECT product, dp_count(*) FROM order_items GROUP BY product');
EXPLAIN (COSTS OFF) SELECT product, dp_count(*) FROM order_items GROUP BY product;
SET dp_agg.epsilon = 100000;

-- joined with what it refers to, along the chain, in any order and spelling
SELECT o.day, dp_count(*), dp_sum(i.price, 0, 100) FROM orders o JOIN order_items i ON i.order_id = o.id GROUP BY o.day ORDER BY 1;
SELECT dp_count(*), dp_count(DISTINCT o.customer) FROM order_items i, orders o WHERE o.id = i.order_id AND o.day = 2;
SELECT c.region, dp_count(*), dp_count(DISTINCT c.id) FROM parcels p JOIN order_items i ON i.id = p.item JOIN orders o ON o.id = i.order_id JOIN customers c ON c.id = o.customer GROUP BY c.region ORDER BY 1;
SELECT dp_count(*) FROM customers c JOIN orders o ON o.customer = c.id JOIN order_items i ON i.order_id = o.id JOIN parcels p ON p.item = i.id WHERE i.price = 2;
-- what has a row for one of the other, which may be nobody's, from either side
SELECT dp_count(*), dp_count(DISTINCT o.customer) FROM orders o JOIN invoices v ON v.order_id = o.id;
SELECT dp_count(*), dp_count(DISTINCT o.customer) FROM invoices v JOIN orders o ON v.order_id = o.id;
SELECT dp_count(*) FROM customers c JOIN passports p ON p.customer = c.id WHERE c.region = 1;
SELECT p.country, dp_count(*) FROM passports p LEFT JOIN customers c ON p.customer = c.id GROUP BY p.country ORDER BY 1;
-- with another that refers to the same, or to it, without naming the rest
SELECT v.paid, dp_count(*) FROM order_items i JOIN invoices v ON v.order_id = i.order_id GROUP BY v.paid ORDER BY 1;
SELECT i.product, dp_count(*), dp_sum(p.weight, 0, 100) FROM parcels p JOIN order_items i ON p.item = i.id GROUP BY 1;
SELECT dp_count(*) FROM order_items i JOIN parcels p ON p.item = i.id JOIN invoices v USING (order_id);
-- outer joins
SELECT v.paid, dp_count(*) FROM orders o LEFT JOIN invoices v ON v.order_id = o.id GROUP BY v.paid ORDER BY 1;
SELECT v.paid, dp_count(*), dp_count(v.order_id) FROM order_items i LEFT JOIN invoices v USING (order_id) GROUP BY v.paid ORDER BY 1;
SELECT dp_count(*), dp_count(o.day) FROM order_items i LEFT JOIN orders o ON o.id = i.order_id AND o.day = 1;
SELECT dp_count(*), dp_count(i.price) FROM parcels p LEFT JOIN order_items i ON i.id = p.item LEFT JOIN orders o ON o.id = i.order_id;
SELECT dp_count(*) FROM orders o LEFT JOIN invoices v ON o.day = 1 WHERE v.order_id = o.id;
-- public tables and keys
SELECT k.kind, dp_count(*) FROM order_items i JOIN public_products k USING (product) GROUP BY k.kind ORDER BY 1;
SELECT k.product, dp_count(i.id) FROM public_products k LEFT JOIN order_items i USING (product) GROUP BY k.product ORDER BY 1;
-- grouped by the unit in a subquery
SELECT round(dp_avg(total, 0, 100)::numeric, 1) AS mean, dp_count(*) FROM (SELECT o.customer, sum(i.price) AS total FROM order_items i JOIN orders o ON o.id = i.order_id GROUP BY o.customer) s;
SELECT dp_count(*), dp_sum(n, 0, 100) FROM customers c LEFT JOIN (SELECT o.customer, count(*) AS n FROM parcels p JOIN order_items i ON i.id = p.item JOIN orders o ON o.id = i.order_id GROUP BY o.customer) s ON s.customer = c.id;
SELECT dp_count(*), dp_sum(n, 0, 100) FROM (SELECT o.customer, count(*) AS n FROM orders o JOIN invoices v ON v.order_id = o.id GROUP BY o.customer) s;
-- or by the foreign key that leads to it
SELECT dp_count(*) FROM (SELECT order_id, sum(price) FROM order_items GROUP BY order_id) s;
-- bounds, estimated
SELECT * FROM dp_agg.suggest_bounds('order_items', 'price', filter => 'order_id % 10 < 3 AND id > 0');
SELECT * FROM dp_agg.suggest_bounds('parcels', 'weight');
SELECT dp_agg.suggest_max_rows('order_items') AS items, dp_agg.suggest_max_rows('parcels') AS parcels, dp_agg.suggest_max_groups('order_items', 'product') AS products;
SELECT * FROM dp_agg_internal.rows_with_unit('order_items');
-- parallel
SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SELECT dp_count(*), dp_sum(price, 0, 100) FROM order_items;
RESET min_parallel_table_scan_size; RESET parallel_setup_cost; RESET parallel_tuple_cost;

-- refused, and not charged
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT dp_count(*) FROM orders o, order_items i;
SELECT dp_count(*) FROM orders o JOIN order_items i ON i.id = o.id;
SELECT dp_count(*) FROM orders o JOIN order_items i ON i.order_id < o.id;
SELECT dp_count(*) FROM orders o JOIN order_items i ON i.order_id = o.id OR i.price = 1;
SELECT dp_count(*) FROM customers c JOIN order_items i ON i.order_id = c.id;
SELECT dp_count(*) FROM customers c JOIN (SELECT order_id, price FROM order_items) i ON i.price = c.region;
SELECT dp_count(*) FROM order_items a JOIN order_items b ON a.id = b.id;
SELECT dp_count(*) FROM order_items a JOIN order_items b ON a.order_id = b.order_id;
SELECT dp_count(*) FROM customers c LEFT JOIN invoices v ON v.order_id = c.id;
SELECT dp_count(*) FROM invoices v JOIN passports p ON p.customer = v.order_id;
SELECT * FROM order_items;
SELECT id FROM orders;
SELECT sum(statements) - :before AS charged FROM dp_agg.budgets;
RESET ROLE;

-- declaring
SET ROLE links_owner;
CREATE TABLE wide (id numeric PRIMARY KEY, who int);
SELECT dp_agg.protect('wide', 'who');
CREATE TABLE moments (at timestamp PRIMARY KEY, who int);
SELECT dp_agg.protect('moments', 'who');
CREATE TABLE bad (id int PRIMARY KEY, order_id int REFERENCES orders, plain int NOT NULL, customer bigint NOT NULL REFERENCES customers,
	number int NOT NULL REFERENCES wide, two int NOT NULL REFERENCES orders REFERENCES invoices (order_id), self int NOT NULL REFERENCES bad, seen timestamptz NOT NULL REFERENCES moments);
SELECT dp_agg.protect('bad', 'order_id', through => 'orders');
SELECT dp_agg.protect('bad', 'plain', through => 'orders');
SELECT dp_agg.protect('bad', 'customer', through => 'orders');
SELECT dp_agg.protect('bad', 'two', through => 'orders');
SELECT dp_agg.protect('bad', 'customer', through => 'public_products');
SELECT dp_agg.protect('bad', 'nothing', through => 'orders');
SELECT dp_agg.protect('bad', 'customer', 'other', through => 'customers');
SELECT dp_agg.protect('bad', 'customer', through => 'customers', max_rows => 0);
SELECT dp_agg.protect('bad', 'customer', through => 1::regclass);
SELECT dp_agg.protect('bad', 'number', through => 'wide');
SELECT dp_agg.protect('bad', 'seen', through => 'moments');
SELECT dp_agg.protect('bad', 'id'), dp_agg.protect('bad', 'self', through => 'bad');
SECURITY LABEL FOR dp_agg ON COLUMN bad.id IS 'dataset=default max_rows=1 max_groups=1  linked';
SECURITY LABEL FOR dp_agg ON COLUMN bad.id IS 'dataset=default max_rows=1 max_groups=1 linked linked';
DROP TABLE bad, wide, moments;
RESET ROLE;
SET ROLE links_other;
CREATE TABLE notes (order_id int NOT NULL, body text);
RESET ROLE;
ALTER TABLE notes ADD FOREIGN KEY (order_id) REFERENCES orders;
INSERT INTO notes SELECT id, 'x' FROM orders;
SET ROLE links_other;
SELECT dp_agg.protect('notes', 'order_id', through => 'orders');
RESET ROLE;
GRANT SELECT ON orders TO links_other;
SET ROLE links_other;
SELECT dp_agg.protect('notes', 'order_id', through => 'orders', max_rows => 9);
SELECT dp_agg.protect('orders', 'id', through => 'customers');
SET ROLE links_analyst;
SELECT dp_count(*) FROM notes;
RESET ROLE;
-- a new key cannot vouch for what an older snapshot sees
SET ROLE links_owner;
BEGIN;
CREATE TABLE boxes (id int PRIMARY KEY, owner int);
CREATE TABLE things (box int NOT NULL REFERENCES boxes);
SELECT dp_agg.protect('boxes', 'owner'), dp_agg.protect('things', 'box', through => 'boxes');
SET LOCAL ROLE links_analyst;
SELECT dp_count(*) FROM things;
ROLLBACK;
RESET ROLE;

-- fail closed, in plans made before too
SET ROLE links_analyst;
PREPARE items AS SELECT dp_count(*) FROM order_items;
PREPARE parcels AS SELECT dp_count(*) FROM parcels;
PREPARE joined AS SELECT dp_count(*) FROM order_items i JOIN orders o ON o.id = i.order_id;
PREPARE notes AS SELECT dp_count(*) FROM notes;
EXECUTE items; EXECUTE parcels; EXECUTE joined; EXECUTE notes;
-- the right of the owner
RESET ROLE; REVOKE SELECT ON orders FROM links_other; SET ROLE links_analyst;
EXECUTE notes;
-- NOT NULL
RESET ROLE; ALTER TABLE order_items ALTER order_id DROP NOT NULL; SET ROLE links_analyst;
EXECUTE items; EXECUTE parcels; EXECUTE joined;
RESET ROLE; ALTER TABLE order_items ALTER order_id SET NOT NULL; SET ROLE links_analyst;
EXECUTE joined;
-- triggers, of either side
RESET ROLE; ALTER TABLE order_items DISABLE TRIGGER ALL; SET ROLE links_analyst;
EXECUTE items;
RESET ROLE; ALTER TABLE order_items ENABLE TRIGGER ALL; ALTER TABLE orders DISABLE TRIGGER ALL; SET ROLE links_analyst;
EXECUTE items; EXECUTE parcels; EXECUTE joined;
RESET ROLE; ALTER TABLE orders ENABLE TRIGGER ALL;
DO $$ BEGIN EXECUTE (SELECT format('ALTER TABLE links.orders ENABLE REPLICA TRIGGER %I', tgname) FROM pg_trigger WHERE tgrelid = 'links.orders'::regclass AND tgconstrrelid = 'links.order_items'::regclass LIMIT 1); END $$;
SET ROLE links_analyst;
EXECUTE items;
RESET ROLE; ALTER TABLE orders ENABLE TRIGGER ALL; SET ROLE links_analyst;
EXECUTE items;
-- the foreign key itself
RESET ROLE; ALTER TABLE order_items DROP CONSTRAINT order_items_order_id_fkey; SET ROLE links_analyst;
EXECUTE items; EXECUTE parcels; EXECUTE joined;
\set SHOW_CONTEXT never
SELECT dp_agg.suggest_max_rows('parcels');
\set SHOW_CONTEXT errors
SELECT relation, unit, through FROM dp_agg.protected_tables ORDER BY relation::text;
RESET ROLE; ALTER TABLE order_items ADD CONSTRAINT again FOREIGN KEY (order_id) REFERENCES orders NOT VALID; SET ROLE links_analyst;
EXECUTE items;
RESET ROLE; ALTER TABLE order_items VALIDATE CONSTRAINT again; SET ROLE links_analyst;
EXECUTE items;
RESET ROLE; ALTER TABLE order_items ADD FOREIGN KEY (order_id) REFERENCES orders; SET ROLE links_analyst;
EXECUTE items;
RESET ROLE; ALTER TABLE order_items DROP CONSTRAINT again; CREATE TABLE links.numbers AS SELECT id FROM orders; ALTER TABLE numbers ADD PRIMARY KEY (id); ALTER TABLE order_items ADD CONSTRAINT again FOREIGN KEY (order_id) REFERENCES numbers; SET ROLE links_analyst;
EXECUTE items;
RESET ROLE; ALTER TABLE order_items DROP CONSTRAINT again; DROP TABLE numbers; ALTER TABLE order_items RENAME CONSTRAINT order_items_order_id_fkey TO renamed; SET ROLE links_analyst;
EXECUTE items;
-- the parent's key goes only with the foreign key; its protection
RESET ROLE; SET ROLE links_owner;
ALTER TABLE orders DROP CONSTRAINT orders_pkey;
SELECT dp_agg.unprotect('orders');
SET ROLE links_analyst;
EXECUTE items; EXECUTE parcels; EXECUTE joined;
SET ROLE links_owner;
SELECT dp_agg.protect('orders', 'customer', 'other');
SET ROLE links_analyst;
EXECUTE items; EXECUTE parcels;
SET ROLE links_owner;
SELECT dp_agg.protect('orders', 'id');
SET ROLE links_analyst;
-- every order is a unit now, and has three items
EXECUTE items;
-- policies choose rows of the table that is asked about, not of the one that it finds its unit by
SET ROLE links_owner;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
SET ROLE links_analyst;
EXECUTE items;
SET ROLE links_owner;
ALTER TABLE orders DISABLE ROW LEVEL SECURITY;
-- in a circle
ALTER TABLE orders ADD item int REFERENCES order_items;
UPDATE orders SET item = (SELECT min(i.id) FROM order_items i WHERE i.order_id = orders.id);
ALTER TABLE orders ALTER item SET NOT NULL;
SELECT dp_agg.protect('orders', 'item', through => 'order_items');
SELECT dp_agg.unprotect('orders');
SECURITY LABEL FOR dp_agg ON COLUMN orders.item IS 'dataset=default max_rows=1 max_groups=1 linked';
SET ROLE links_analyst;
EXECUTE items;
SELECT dp_count(*) FROM orders;
SET ROLE links_owner;
ALTER TABLE orders DROP item;
SELECT dp_agg.protect('orders', 'customer');
-- renaming changes nothing
ALTER TABLE orders RENAME TO purchases; ALTER TABLE purchases RENAME id TO number; ALTER TABLE order_items RENAME order_id TO purchase; ALTER TABLE order_items RENAME TO lines;
SET ROLE links_analyst;
EXECUTE parcels;
SELECT dp_count(*) FROM lines l JOIN purchases p ON p.number = l.purchase;
SELECT relation, unit, through FROM dp_agg.protected_tables ORDER BY relation::text;
SET ROLE links_owner;
SELECT dp_agg.unprotect('lines');
SET ROLE links_analyst;
EXECUTE parcels;

-- a row that is not in the parent yet
SET ROLE links_owner;
CREATE TABLE visits (id int PRIMARY KEY, patient int);
CREATE TABLE tests (visit int NOT NULL REFERENCES visits DEFERRABLE INITIALLY DEFERRED);
INSERT INTO visits SELECT i, i FROM generate_series(1, 10) i;
INSERT INTO tests SELECT i FROM generate_series(1, 10) i;
:settle
SELECT dp_agg.protect('visits', 'patient'), dp_agg.protect('tests', 'visit', through => 'visits', max_rows => 5);
BEGIN;
INSERT INTO tests SELECT i FROM generate_series(11, 20) i;
SET LOCAL ROLE links_analyst;
SELECT dp_count(*) FROM tests;
ROLLBACK;

-- keys of several columns, partitions
SET ROLE links_owner;
CREATE TABLE stays (region text, id int, patient int, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE stays_n PARTITION OF stays FOR VALUES IN ('n');
CREATE TABLE stays_s PARTITION OF stays FOR VALUES IN ('s');
CREATE TABLE meals (day int, stay int NOT NULL, region varchar NOT NULL, cost int, FOREIGN KEY (region, stay) REFERENCES stays (region, id)) PARTITION BY RANGE (day);
CREATE TABLE meals_1 PARTITION OF meals FOR VALUES FROM (0) TO (10);
CREATE TABLE meals_2 PARTITION OF meals DEFAULT;
INSERT INTO stays SELECT CASE i % 2 WHEN 0 THEN 'n' ELSE 's' END, i / 2, i % 10 FROM generate_series(1, 40) i;
INSERT INTO meals SELECT d, id, region, 5 FROM stays, generate_series(8, 11) d;
:settle
SELECT dp_agg.protect('stays', 'patient', max_rows => 9);
SELECT dp_agg.protect('meals', 'stay', through => 'stays', max_rows => 20);
SET ROLE links_analyst;
PREPARE meals AS SELECT dp_count(*), dp_sum(cost, 0, 1000) FROM meals;
EXECUTE meals;
SELECT dp_agg.suggest_max_rows('meals') AS meals;
SELECT s.region, dp_count(*) FROM meals m JOIN stays s ON s.id = m.stay AND s.region = m.region WHERE day < 9 GROUP BY 1 ORDER BY 1;
SELECT dp_count(*) FROM meals m JOIN stays s ON s.id = m.stay;
SELECT dp_count(*) FROM meals m JOIN stays s ON s.region = m.region;
SELECT dp_count(*) FROM meals m JOIN stays s ON s.id = m.stay AND s.region = 'n';
SELECT dp_count(*) FROM stays s LEFT JOIN meals m ON s.id = m.stay AND s.region = m.region;
RESET ROLE; ALTER TABLE meals_2 DISABLE TRIGGER ALL; SET ROLE links_analyst;
EXECUTE meals;
RESET ROLE; ALTER TABLE meals_2 ENABLE TRIGGER ALL; ALTER TABLE stays_s DISABLE TRIGGER ALL; SET ROLE links_analyst;
EXECUTE meals;
RESET ROLE; ALTER TABLE stays_s ENABLE TRIGGER ALL; SET ROLE links_analyst;
EXECUTE meals;
RESET ROLE; CREATE TABLE stays_w PARTITION OF stays FOR VALUES IN ('w');
:settle
SET ROLE links_analyst;
EXECUTE meals;

-- one row per unit, where each link is to one of its own
SET ROLE links_owner;
CREATE TABLE accounts (id int PRIMARY KEY, person int UNIQUE);
CREATE TABLE settings (account int PRIMARY KEY REFERENCES accounts, dark boolean NOT NULL);
INSERT INTO accounts SELECT i, i FROM generate_series(1, 30) i;
INSERT INTO settings SELECT i, i % 3 = 0 FROM generate_series(1, 20) i;
:settle
SELECT dp_agg.protect('accounts', 'person'), dp_agg.protect('settings', 'account', through => 'accounts', max_rows => 7);
CREATE TABLE logins (account int NOT NULL REFERENCES accounts);
INSERT INTO logins SELECT i % 10 + 1 FROM generate_series(1, 100) i;
SELECT dp_agg.protect('logins', 'account', through => 'accounts', max_rows => 7);
SET ROLE links_analyst;
SELECT dark, dp_count(*) FROM settings GROUP BY dark ORDER BY 1;
SET dp_agg.epsilon = 1;
SELECT round(noise_stddev::numeric, 1) AS of_one_row FROM dp_agg.price('SELECT dp_count(*) FROM settings');
SELECT noise_stddev > 1.4 * 6.9 AS of_seven_rows FROM dp_agg.price('SELECT dp_count(*) FROM logins');
SELECT noise_stddev > 1.4 * 6.9 AS of_seven_rows FROM dp_agg.price('SELECT dp_count(*) FROM logins JOIN accounts ON id = account');
RESET ROLE;

SELECT dp_agg.drop_budget('links_analyst'), dp_agg.drop_budget('links_analyst', 'other');
RESET search_path;
DROP SCHEMA links CASCADE;
DROP EXTENSION dp_agg;
DROP OWNED BY links_owner, links_other, links_analyst;
DROP ROLE links_owner, links_other, links_analyst;
