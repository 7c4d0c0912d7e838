# Questions of a hospital, a shop, a bank, a club and a school, as people and their tools write them: asked as they
# stand by an analyst who may not read the tables, they have the owner's answers.
#
# The loss is so great that noise vanishes: a number is off by more than 3 % with a probability below exp(-1e3).  Groups
# that the owner does not have may be shown if they count nobody: keys are public where they are computed.  What is
# refused is so for nothing; most questions are to be answered.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use List::Util qw(max);
use Test::More;

my $node = new_gate('texts', conf => "timezone = 'UTC'\n");
$node->safe_psql('postgres', <<'SQL');
DROP TABLE people;
CREATE DOMAIN segment AS text;
CREATE TABLE patients (pid int PRIMARY KEY, sex text NOT NULL, born date NOT NULL, town text);
CREATE TABLE stays (sid int PRIMARY KEY, pid int NOT NULL REFERENCES patients, ward text NOT NULL, t0 timestamp NOT NULL, t1 timestamp NOT NULL, cost numeric(10, 2) NOT NULL);
CREATE TABLE labs (lid int PRIMARY KEY, sid int NOT NULL REFERENCES stays, test text NOT NULL, value float8, taken date NOT NULL);
CREATE TABLE diagnoses (sid int NOT NULL REFERENCES stays, code text NOT NULL, rank int NOT NULL);
CREATE TABLE codes (code text PRIMARY KEY, chapter text NOT NULL, label text NOT NULL);
INSERT INTO patients SELECT i, (ARRAY['f', 'm'])[1 + i % 2], date '1930-01-01' + i * 17 % 30000, (ARRAY['Ulm', 'Jena', 'Trier', NULL])[1 + i % 4] FROM generate_series(1, 2000) i;
INSERT INTO stays SELECT 10 * i + n, i, (ARRAY['surgery', 'cardiology', 'children'])[1 + (i + n) % 3], timestamp '2024-01-01 08:00' + (i * 7 + n * 50) % 360 * interval '1 day',
	timestamp '2024-01-01 08:00' + (i * 7 + n * 50) % 360 * interval '1 day' + (1 + i % 12) * interval '12 hours', 100 + (i * 13 + n * 31) % 900 FROM generate_series(1, 2000) i, generate_series(1, 3) n WHERE n <= 1 + i % 3;
INSERT INTO labs SELECT 10 * sid + n, sid, (ARRAY['sodium', 'glucose', 'iron'])[n], 50 + (sid * 7 + n) % 100, t0::date + n FROM stays, generate_series(1, 3) n WHERE n <= 1 + sid % 3;
INSERT INTO diagnoses SELECT sid, (ARRAY['A1', 'B2', 'C3', 'D4'])[1 + (sid + n) % 4], n FROM stays, generate_series(1, 2) n;
INSERT INTO codes VALUES ('A1', 'infections', 'flu'), ('B2', 'infections', 'cold'), ('C3', 'heart', 'failure'), ('D4', 'heart', 'attack'), ('E5', 'other', 'none');
CREATE TABLE customers (id int PRIMARY KEY, city text NOT NULL, since date NOT NULL, segment segment);
CREATE TABLE orders (oid int PRIMARY KEY, customer int NOT NULL REFERENCES customers, placed date NOT NULL, status text NOT NULL);
CREATE TABLE items (oid int NOT NULL REFERENCES orders, product int NOT NULL, qty int NOT NULL, price numeric(8, 2) NOT NULL);
CREATE TABLE products (product int PRIMARY KEY, name text NOT NULL, category text NOT NULL);
INSERT INTO customers SELECT i, (ARRAY['Lyon', 'Lille', 'Nice', 'Lyon'])[1 + i % 4], date '2020-01-01' + i % 1000, (ARRAY['home', 'office'])[1 + i % 2] FROM generate_series(1, 2000) i;
INSERT INTO orders SELECT 10 * i + n, i, date '2024-01-01' + (i * 11 + n * 40) % 350, (ARRAY['paid', 'open', 'returned'])[1 + (i + n) % 3] FROM generate_series(1, 2000) i, generate_series(1, 4) n WHERE n <= i % 5;
INSERT INTO items SELECT oid, 1 + (oid + n) % 6, 1 + oid % 3, 5 + (oid * 3 + n) % 40 FROM orders, generate_series(1, 2) n;
INSERT INTO products SELECT i, 'product ' || i, (ARRAY['tools', 'toys', 'books'])[1 + i % 3] FROM generate_series(1, 7) i;
CREATE TABLE clients (cid int PRIMARY KEY, born date NOT NULL, income int NOT NULL, branch int NOT NULL);
CREATE TABLE accounts (aid int PRIMARY KEY, cid int NOT NULL REFERENCES clients, kind text NOT NULL);
CREATE TABLE transactions (tid int PRIMARY KEY, aid int NOT NULL REFERENCES accounts, amount numeric(10, 2) NOT NULL, at timestamptz NOT NULL);
INSERT INTO clients SELECT i, date '1950-01-01' + i * 11 % 18000, 1000 + i * 37 % 4000, 1 + i % 5 FROM generate_series(1, 2000) i;
INSERT INTO accounts SELECT 10 * i + n, i, (ARRAY['giro', 'savings'])[n] FROM generate_series(1, 2000) i, generate_series(1, 2) n WHERE n <= 1 + i % 2;
INSERT INTO transactions SELECT 10 * aid + n, aid, 10 + (aid * 7 + n) % 490, timestamptz '2024-03-01 00:00+00' + (aid * 5 + n * 700) % 2000 * interval '1 hour' FROM accounts, generate_series(1, 3) n;
CREATE TABLE members (mid varchar(12) PRIMARY KEY, name text NOT NULL, joined date NOT NULL, fee money NOT NULL);
CREATE TABLE bookings (bid int PRIMARY KEY, mid varchar(12) NOT NULL, court int NOT NULL, day date NOT NULL, minutes int NOT NULL);
INSERT INTO members SELECT 'm' || i, 'Name ' || i % 50, date '2022-01-01' + i % 700, (10 + i % 20)::money FROM generate_series(1, 2000) i;
INSERT INTO bookings SELECT 10 * i + n, 'm' || i, 1 + (i + n) % 4, date '2024-05-01' + (i * 3 + n * 9) % 90, 30 * (1 + (i + n) % 4) FROM generate_series(1, 2000) i, generate_series(1, 3) n WHERE n <= 1 + i % 3;
CREATE TABLE students (sno int PRIMARY KEY, city text, born date NOT NULL);
CREATE TABLE enrolments (sno int NOT NULL REFERENCES students, course int NOT NULL, term text NOT NULL, grade numeric(3, 1));
CREATE TABLE courses (course int PRIMARY KEY, title text NOT NULL, dept text NOT NULL, credits int NOT NULL);
INSERT INTO students SELECT i, (ARRAY['Bonn', 'Kiel', 'Mainz'])[1 + i % 3], date '1998-01-01' + i % 2000 FROM generate_series(1, 2000) i;
INSERT INTO enrolments SELECT i, n * 2 - i % 2, (ARRAY['S24', 'W24'])[1 + n % 2], CASE WHEN (i + n) % 9 > 0 THEN 1 + (i * 7 + n) % 41 / 10.0 END FROM generate_series(1, 2000) i, generate_series(1, 4) n WHERE n <= 2 + i % 3;
INSERT INTO courses SELECT i, 'Course ' || i, (ARRAY['maths', 'law', 'arts'])[1 + i % 3], 3 + i % 4 FROM generate_series(1, 9) i;
ANALYZE;
SELECT dp_agg.protect('patients', 'pid', 'hospital'), dp_agg.protect('stays', 'pid', 'hospital', max_rows => 3, max_groups => 3),
	dp_agg.protect('labs', 'sid', through => 'stays', max_rows => 9, max_groups => 9), dp_agg.protect('diagnoses', 'sid', through => 'stays', max_rows => 6, max_groups => 6),
	dp_agg.protect('customers', 'id', 'shop'), dp_agg.protect('orders', 'customer', 'shop', max_rows => 4, max_groups => 4), dp_agg.protect('items', 'oid', through => 'orders', max_rows => 8, max_groups => 8),
	dp_agg.protect('clients', 'cid', 'bank'), dp_agg.protect('accounts', 'cid', 'bank', max_rows => 2, max_groups => 2), dp_agg.protect('transactions', 'aid', through => 'accounts', max_rows => 6, max_groups => 6),
	dp_agg.protect('members', 'mid', 'club'), dp_agg.protect('bookings', 'mid', 'club', max_rows => 3, max_groups => 3),
	dp_agg.protect('students', 'sno', 'school'), dp_agg.protect('enrolments', 'sno', 'school', max_rows => 4, max_groups => 4);
SELECT dp_agg.set_domain('patients', 'sex', ARRAY['f', 'm']), dp_agg.set_domain('patients', 'born', '1930-01-01', '2012-12-31'), dp_agg.set_domain('stays', 'ward', ARRAY['surgery', 'cardiology', 'children']),
	dp_agg.set_domain('stays', 't0', '2024-01-01', '2024-12-31'), dp_agg.set_domain('stays', 't1', '2024-01-01', '2025-01-31'), dp_agg.set_domain('stays', 'cost', 0, 1000), dp_agg.set_domain('labs', 'value', 0, 200),
	dp_agg.set_domain('labs', 'taken', '2024-01-01', '2025-01-31'), dp_agg.set_domain('customers', 'since', '2020-01-01', '2022-12-31'), dp_agg.set_domain('orders', 'placed', '2024-01-01', '2024-12-31'),
	dp_agg.set_domain('orders', 'status', ARRAY['paid', 'open', 'returned']), dp_agg.set_domain('items', 'qty', 0, 10), dp_agg.set_domain('items', 'price', 0, 100), dp_agg.set_domain('clients', 'income', 0, 10000),
	dp_agg.set_domain('clients', 'born', '1950-01-01', '1999-12-31'), dp_agg.set_domain('transactions', 'amount', 0, 1000), dp_agg.set_domain('transactions', 'at', '2024-03-01', '2024-06-30'),
	dp_agg.set_domain('members', 'joined', '2022-01-01', '2023-12-31'), dp_agg.set_domain('bookings', 'minutes', 0, 240), dp_agg.set_domain('bookings', 'day', '2024-05-01', '2024-07-31'),
	dp_agg.set_domain('bookings', 'court', 1, 4), dp_agg.set_domain('enrolments', 'grade', 1, 6), dp_agg.set_domain('students', 'born', '1998-01-01', '2003-12-31');
GRANT SELECT ON codes, products, courses TO PUBLIC;
SELECT dp_agg.set_budget('ann', 1e15, 0.5, d) FROM unnest(ARRAY['hospital', 'shop', 'bank', 'club', 'school']) d;
ALTER ROLE ann SET dp_agg.epsilon = 1000000;
ALTER ROLE ann SET client_min_messages = warning;
SQL

# A line each; behind ! what is refused, with its SQLSTATE.
my $texts = <<'TEXTS';
SELECT count(*) FROM patients
SELECT sex, count(*) FROM patients GROUP BY sex
SELECT town, count(*) AS n FROM patients GROUP BY town ORDER BY n DESC, town LIMIT 2
SELECT extract(year FROM born)::int / 10 * 10 AS decade, count(*) FROM patients GROUP BY 1 ORDER BY 1
SELECT count(DISTINCT town) FROM patients
SELECT avg(extract(year FROM age(date '2024-12-31', born))) FROM patients
SELECT sex, avg(date '2024-12-31' - born) / 365.25 AS age FROM patients GROUP BY sex
SELECT CASE WHEN born < date '1960-01-01' THEN 'old' WHEN born < date '1990-01-01' THEN 'middle' ELSE 'young' END AS band, count(*) FROM patients GROUP BY 1
SELECT ward, count(*), sum(cost), avg(cost) FROM stays GROUP BY ward
SELECT ward, round(100.0 * count(*) / (SELECT count(*) FROM stays), 1) AS percent FROM stays GROUP BY ward
SELECT ward, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent FROM stays GROUP BY ward
SELECT count(*) FROM stays WHERE cost > (SELECT avg(cost) FROM stays)
SELECT ward, count(*) FROM stays s WHERE cost > (SELECT avg(cost) FROM stays t WHERE t.ward = s.ward) GROUP BY ward
SELECT date_trunc('month', t0) AS month, count(*) FROM stays GROUP BY 1 ORDER BY 1
SELECT to_char(t0, 'YYYY-MM') AS month, sum(cost) FROM stays GROUP BY 1 ORDER BY 1
SELECT extract(quarter FROM t0) AS quarter, ward, count(*) FROM stays GROUP BY 1, 2
SELECT extract(dow FROM t0) AS dow, count(*) FROM stays GROUP BY 1
SELECT avg(extract(epoch FROM t1 - t0)) / 3600 AS hours FROM stays
SELECT avg(extract(day FROM t1 - t0)) FROM stays
SELECT ward, avg(t1 - t0) > interval '1 day' AS longer FROM stays GROUP BY ward
SELECT count(*) FROM stays WHERE t1 - t0 > interval '3 days'
SELECT count(DISTINCT pid) FROM stays
SELECT count(DISTINCT pid) FROM stays WHERE sid IN (SELECT sid FROM labs WHERE test = 'iron')
SELECT count(*) FROM stays s WHERE EXISTS (SELECT 1 FROM labs l WHERE l.sid = s.sid AND l.value > 140)
SELECT count(*) FROM stays s WHERE NOT EXISTS (SELECT 1 FROM labs l WHERE l.sid = s.sid AND l.test = 'iron')
SELECT count(*) FROM stays WHERE sid NOT IN (SELECT sid FROM labs WHERE value > 120)
SELECT count(*) FROM patients p WHERE EXISTS (SELECT 1 FROM stays s WHERE s.pid = p.pid AND s.ward = 'surgery')
SELECT count(*) FROM patients WHERE pid NOT IN (SELECT pid FROM stays WHERE ward = 'children')
SELECT sex, count(*) FROM patients p JOIN stays s USING (pid) GROUP BY sex
SELECT p.sex, s.ward, avg(s.cost) FROM patients p JOIN stays s ON s.pid = p.pid GROUP BY 1, 2
SELECT test, count(*), avg(value) FROM labs GROUP BY test
SELECT s.ward, l.test, avg(l.value) FROM labs l JOIN stays s ON s.sid = l.sid GROUP BY 1, 2
SELECT avg(n) FROM (SELECT sid, count(*) AS n FROM labs GROUP BY sid) x
SELECT avg(n) FROM (SELECT pid, count(*) AS n FROM stays GROUP BY pid) x
SELECT n, count(*) FROM (SELECT pid, count(*) AS n FROM stays GROUP BY pid) x GROUP BY n ORDER BY n
SELECT avg(total) FROM (SELECT pid, sum(cost) AS total FROM stays GROUP BY pid) x
SELECT avg(n) FROM (SELECT s.sid, count(*) AS n FROM stays s JOIN labs l ON l.sid = s.sid GROUP BY s.sid) x
SELECT count(*) FROM stays s LEFT JOIN (SELECT sid, count(*) AS n FROM labs GROUP BY sid) x ON x.sid = s.sid WHERE coalesce(x.n, 0) < 2
SELECT chapter, count(*) FROM diagnoses d JOIN codes c ON c.code = d.code GROUP BY chapter
SELECT c.label, count(*) FROM codes c LEFT JOIN diagnoses d ON d.code = c.code GROUP BY c.label
SELECT chapter, count(DISTINCT s.pid) FROM diagnoses d JOIN codes c USING (code) JOIN stays s USING (sid) GROUP BY chapter
SELECT code, count(*) FROM diagnoses WHERE rank = 1 GROUP BY code HAVING count(*) > 500
SELECT code FROM diagnoses GROUP BY code ORDER BY count(*) DESC, code LIMIT 3
SELECT d.code, avg(s.cost) FROM diagnoses d JOIN stays s ON s.sid = d.sid WHERE d.rank = 1 GROUP BY d.code
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost) > 300 AS above FROM stays
SELECT ward, percentile_disc(0.9) WITHIN GROUP (ORDER BY cost) > 600 AS dear FROM stays GROUP BY ward
SELECT min(cost) < 150 AS cheap, max(cost) > 900 AS dear FROM stays
SELECT count(*) FILTER (WHERE ward = 'surgery') AS surgery, count(*) FILTER (WHERE cost > 500) AS dear FROM stays
SELECT month, n - lag(n) OVER (ORDER BY month) AS more FROM (SELECT date_trunc('month', t0) AS month, count(*) AS n FROM stays WHERE t0 < timestamp '2024-11-01' GROUP BY 1) m WHERE n > 0 ORDER BY month
SELECT ward, rank() OVER (ORDER BY avg(cost) DESC) FROM stays GROUP BY ward
WITH first AS (SELECT pid, min(t0) AS t FROM stays GROUP BY pid) SELECT date_trunc('quarter', t) AS q, count(*) FROM first GROUP BY 1
WITH base AS (SELECT * FROM stays WHERE cost > 200), total AS (SELECT count(*) AS n FROM base) SELECT ward, round(100.0 * count(*) / max(total.n)) FROM base, total GROUP BY ward
SELECT 'stays' AS what, count(*) FROM stays UNION ALL SELECT 'labs', count(*) FROM labs
SELECT count(*) FROM (SELECT DISTINCT ward, extract(month FROM t0) FROM stays) x
SELECT count(*) FROM stays WHERE ward = 'surgery' AND t0 >= '2024-03-01' AND t0 < '2024-06-01'
SELECT ward, count(*) FROM stays WHERE ward IN (SELECT ward FROM stays GROUP BY ward ORDER BY avg(cost) DESC LIMIT 2) GROUP BY ward
SELECT stddev(cost), variance(cost) FROM stays
SELECT corr(extract(epoch FROM t1 - t0), cost) BETWEEN -1 AND 1 AS sane FROM stays
SELECT ward, sum(cost) / count(*) AS mean FROM stays GROUP BY ward
SELECT count(*) FROM "stays" AS "q" WHERE (("q"."ward" = 'surgery')) LIMIT 1000
SELECT city, count(*) FROM customers GROUP BY city
SELECT segment, count(*) FROM customers GROUP BY segment
SELECT segment, city, count(*) FROM customers GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
SELECT count(segment), count(DISTINCT segment) FROM customers
SELECT date_trunc('year', since) AS y, count(*) FROM customers GROUP BY 1 ORDER BY 1
SELECT status, count(*) FROM orders GROUP BY status
SELECT status, count(*) * 100.0 / sum(count(*)) OVER () AS share FROM orders GROUP BY status
SELECT date_trunc('month', placed) AS m, count(*) FROM orders GROUP BY 1 ORDER BY 1
SELECT date_trunc('week', placed)::date AS w, count(*) FROM orders WHERE placed BETWEEN '2024-03-04' AND '2024-03-31' GROUP BY 1
SELECT c.city, count(*) FROM orders o JOIN customers c ON c.id = o.customer GROUP BY c.city
SELECT c.city, count(DISTINCT o.customer) FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.city
SELECT sum(qty * price) FROM items
SELECT p.category, sum(i.qty * i.price) AS revenue FROM items i JOIN products p ON p.product = i.product GROUP BY p.category ORDER BY revenue DESC
SELECT p.name, count(*) FROM products p LEFT JOIN items i ON i.product = p.product GROUP BY p.name
SELECT o.status, sum(i.qty) FROM orders o JOIN items i ON i.oid = o.oid GROUP BY o.status
SELECT avg(revenue) FROM (SELECT oid, sum(qty * price) AS revenue FROM items GROUP BY oid) x
SELECT avg(n) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) x
SELECT n, count(*) FROM (SELECT c.id, count(o.oid) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id) x GROUP BY n ORDER BY n
SELECT count(*) FROM customers WHERE id NOT IN (SELECT customer FROM orders)
SELECT count(*) FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND o.status = 'returned')
SELECT count(*) FROM orders WHERE oid IN (SELECT oid FROM items WHERE qty > 2)
SELECT count(*) FROM orders o WHERE (SELECT sum(qty * price) FROM items i WHERE i.oid = o.oid) > 60
SELECT product, count(*) FROM items WHERE product IN (SELECT product FROM items GROUP BY product ORDER BY count(*) DESC, product LIMIT 3) GROUP BY product
SELECT date_trunc('month', o.placed) AS m, i.product, count(*) FROM items i JOIN orders o USING (oid) JOIN (SELECT product AS p__, count(*) AS mme_inner__ FROM items GROUP BY product ORDER BY mme_inner__ DESC LIMIT 2) AS series_limit ON i.product = p__ GROUP BY 1, 2
SELECT city, count(*), t.n FROM customers JOIN (SELECT city AS c, count(*) AS n FROM customers GROUP BY city) t ON city IS NOT DISTINCT FROM t.c GROUP BY city, t.n
SELECT count(*) FROM (SELECT "orders"."oid" FROM "orders" WHERE 1=1 OFFSET 0) AS "sub"
SELECT count('*'), count('oid') FROM orders
SELECT "status" AS "status", COUNT(*) AS "count" FROM (SELECT * FROM orders) AS virtual_table GROUP BY "status" ORDER BY "count" DESC LIMIT 100
SELECT count(*) FROM (SELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY 2 DESC) AS original_query
SELECT SUM(qty) AS "sum", AVG(price) AS "avg" FROM items HAVING count(*) > 0
SELECT CASE WHEN qty >= 3 THEN 'many' ELSE 'few' END AS size, count(*) FROM items GROUP BY 1
SELECT width_bucket(price, 0, 50, 5) AS bucket, count(*) FROM items GROUP BY 1 ORDER BY 1
SELECT floor(price / 10) * 10 AS bin, count(*) FROM items GROUP BY 1 ORDER BY 1
WITH spent AS (SELECT o.customer, sum(i.qty * i.price) AS total FROM orders o JOIN items i USING (oid) GROUP BY o.customer) SELECT count(*) FILTER (WHERE total > 100), count(*) FROM spent
WITH spent AS (SELECT o.customer, sum(i.qty * i.price) AS total FROM orders o JOIN items i USING (oid) GROUP BY o.customer) SELECT c.city, avg(total) FROM spent JOIN customers c ON c.id = spent.customer GROUP BY c.city
SELECT status, count(*) FROM orders WHERE placed > (SELECT date '2024-06-30') GROUP BY status
SELECT count(*) FROM orders a JOIN orders b ON a.customer = b.customer AND a.oid < b.oid
SELECT count(DISTINCT customer) FROM orders WHERE status = 'paid' AND customer IN (SELECT customer FROM orders WHERE status = 'returned')
SELECT customer % 2 = 0 AS even, count(*) FROM orders GROUP BY 1
SELECT branch, count(*), avg(income) FROM clients GROUP BY branch ORDER BY branch
SELECT avg(income), stddev(income) FROM clients
SELECT count(*) FROM clients WHERE income > 2 * (SELECT avg(income) FROM clients WHERE branch = 1)
SELECT branch, count(*) FROM clients c WHERE income > (SELECT avg(income) FROM clients d WHERE d.branch = c.branch) GROUP BY branch
SELECT income / 1000 AS thousands, count(*) FROM clients GROUP BY 1 ORDER BY 1
SELECT kind, count(*) FROM accounts GROUP BY kind
SELECT count(*) FROM clients c WHERE (SELECT count(*) FROM accounts a WHERE a.cid = c.cid) = 2
SELECT avg(n) FROM (SELECT cid, count(*) AS n FROM accounts GROUP BY cid) x
SELECT a.kind, sum(t.amount) FROM accounts a JOIN transactions t ON t.aid = a.aid GROUP BY a.kind
SELECT c.branch, sum(t.amount) FROM clients c JOIN accounts a ON a.cid = c.cid JOIN transactions t ON t.aid = a.aid GROUP BY 1
SELECT date_trunc('month', at) AS m, sum(amount) FROM transactions GROUP BY 1 ORDER BY 1
SELECT extract(hour FROM at) AS h, count(*) FROM transactions GROUP BY 1 ORDER BY 1
SELECT avg(balance) FROM (SELECT aid, sum(amount) AS balance FROM transactions GROUP BY aid) b
SELECT count(*) FROM accounts WHERE aid IN (SELECT aid FROM transactions WHERE amount > 450)
SELECT count(*) FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.aid = a.aid AND t.amount > 300)
SELECT count(*) FROM transactions t WHERE amount > (SELECT avg(amount) FROM transactions u WHERE u.aid = t.aid)
SELECT count(*) FROM transactions WHERE amount > (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM transactions) - 50
SELECT CASE WHEN amount < 100 THEN 'small' WHEN amount < 300 THEN 'medium' ELSE 'large' END AS size, count(*), sum(amount) FROM transactions GROUP BY 1
SELECT kind, count(*) FROM accounts a LEFT JOIN (SELECT aid, max(amount) AS top FROM transactions GROUP BY aid) m ON m.aid = a.aid WHERE m.top > 400 GROUP BY kind
SELECT count(*) FROM clients WHERE cid IN (SELECT cid FROM accounts WHERE kind = 'savings')
SELECT sum(CASE WHEN kind = 'giro' THEN 1 ELSE 0 END) AS giro, sum(CASE WHEN kind = 'savings' THEN 1 ELSE 0 END) AS savings FROM accounts
SELECT COALESCE(SUM(amount), 0) FROM transactions WHERE at >= '2024-04-01T00:00:00Z'
SELECT date_part('year', age(date '2024-06-30', born))::int / 10 AS decade, count(*) FROM clients GROUP BY 1
SELECT count(*) FROM members
SELECT date_trunc('quarter', joined) AS q, count(*) FROM members GROUP BY 1
SELECT sum(least(greatest(fee::numeric, 0), 100)) FROM members
SELECT court, count(*) FROM bookings GROUP BY court
SELECT court, sum(minutes) / 60.0 AS hours FROM bookings GROUP BY court ORDER BY court
SELECT day, count(*) FROM bookings WHERE day BETWEEN '2024-05-06' AND '2024-05-12' GROUP BY day ORDER BY day
SELECT extract(isodow FROM day) AS dow, avg(minutes) FROM bookings GROUP BY 1
SELECT count(*) FROM members m WHERE EXISTS (SELECT 1 FROM bookings b WHERE b.mid = m.mid AND b.court = 4)
SELECT count(*) FROM members WHERE mid IN (SELECT mid FROM bookings WHERE minutes = 120)
SELECT count(*) FROM members WHERE mid NOT IN (SELECT mid FROM bookings WHERE court = 2)
SELECT avg(n) FROM (SELECT mid, count(*) AS n FROM bookings GROUP BY mid) x
SELECT count(*) FROM members m JOIN bookings b ON b.mid = m.mid WHERE m.joined < '2023-01-01'
SELECT minutes, count(*) FROM bookings GROUP BY minutes ORDER BY minutes
SELECT count(*) FROM bookings b WHERE minutes > (SELECT avg(minutes) FROM bookings)
SELECT court, mode() WITHIN GROUP (ORDER BY court) = court AS itself FROM bookings GROUP BY court
SELECT bool_or(minutes > 100), bool_and(minutes > 0) FROM bookings
SELECT city, count(*) FROM students GROUP BY city
SELECT term, count(*), avg(grade) FROM enrolments GROUP BY term
SELECT c.title, count(*), avg(e.grade) FROM enrolments e JOIN courses c ON c.course = e.course GROUP BY c.title
SELECT c.dept, avg(e.grade) FROM courses c JOIN enrolments e USING (course) GROUP BY c.dept
SELECT c.title, count(e.sno) FROM courses c LEFT JOIN enrolments e USING (course) GROUP BY c.title
SELECT avg(credits) FROM (SELECT e.sno, sum(c.credits) AS credits FROM enrolments e JOIN courses c USING (course) GROUP BY e.sno) x
SELECT count(*) FROM enrolments WHERE grade IS NULL
SELECT count(*), count(grade), count(DISTINCT sno) FROM enrolments
SELECT s.city, avg(e.grade) FROM students s JOIN enrolments e ON e.sno = s.sno GROUP BY s.city HAVING count(*) > 100
SELECT count(*) FROM students WHERE sno NOT IN (SELECT sno FROM enrolments WHERE grade > 4)
SELECT count(*) FROM (SELECT sno, avg(grade) AS mean FROM enrolments GROUP BY sno) g WHERE mean < 3
SELECT course, count(*) FROM enrolments WHERE grade > (SELECT avg(grade) FROM enrolments) GROUP BY course
SELECT term, dept, count(*) FROM enrolments e JOIN courses c USING (course) GROUP BY ROLLUP (term, dept)
SELECT count(*) FROM enrolments a JOIN enrolments b ON a.sno = b.sno AND a.course < b.course
SELECT extract(year FROM born) AS y, count(*) FROM students GROUP BY 1 ORDER BY 1
TEXTS

# Does a row count nobody: is each value behind the first key 0, or NULL, but for noise?
sub is_empty
{
	my ($row) = @_;
	my @values = split /\|/, $row, -1;
	return !grep { $_ ne '' && !(/^-?\d*\.?\d+$/ && abs($_) < 1) } @values[ 1 .. $#values ];
}

# Is a row the owner's, with numbers no further than 3 % from hers, or one?
sub is_near
{
	my ($row, $exact) = @_;
	my $number = qr/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;
	my @values = $row =~ /$number/g;
	my @exact = $exact =~ /$number/g;
	return $row eq $exact || ($row =~ s/$number/#/gr eq $exact =~ s/$number/#/gr
		&& !grep { abs($values[$_] - $exact[$_]) > max(0.03 * abs($exact[$_]), 0.01, $exact[$_] =~ /\./ ? 0 : 1) } 0 .. $#exact);
}

# What a role is answered: rows in some order, or an error.
sub answer
{
	my ($role, $text) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $text, extra_params => [ '-U', $role ]);
	my ($message) = ($error // '') =~ /ERROR:  (.*)/;
	return { rows => [ sort split /\n/, $out // '' ], error => $message };
}

my @texts = split /\n/, $texts;
my $owner = $node->safe_psql('postgres', 'SELECT current_user');
my ($answered, @refused) = (0);
for my $text (@texts)
{
	my $exact = answer($owner, $text);
	my $noisy = answer('ann', $text);
	if ($noisy->{error}) { push @refused, "$text: $noisy->{error}"; next }
	my @rows = @{ $noisy->{rows} };
	my @missing;
	for my $row (@{ $exact->{rows} })
	{
		my ($at) = grep { is_near($rows[$_], $row) } 0 .. $#rows;
		if (defined $at) { splice @rows, $at, 1 } else { push @missing, $row }
	}
	my @more = grep { !is_empty($_) } @rows;
	ok(!$exact->{error} && !@missing && !@more, $text) or diag(join "\n", $exact->{error} // '', (map { "owner:   $_" } @missing[0 .. ($#missing < 4 ? $#missing : 4)]), map { "analyst: $_" } @more[0 .. ($#more < 4 ? $#more : 4)]);
	$answered++;
}
note("refused: $_") for @refused;
cmp_ok(scalar @texts, '>=', 150, 'as many questions as that');
cmp_ok($answered, '>=', 0.95 * @texts, 'of which 95 % are answered as they stand');
$node->stop;
done_testing();
