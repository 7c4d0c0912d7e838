# What attacks on the time between check and reading share: a public table whose
# key is checked, and code of the analyst's that then changes it.
#
# Only person 5000 has rows in the joins below.  Were they multiplied, what is said of
# them as "boosted" would tell whether there is one.
package StrikeTest;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw($LINKED %LINKED_PERSON $STRIKES %BLOCKS block ask);

# Rows that find their unit by a foreign key, joined out of sight.
our $LINKED = <<'SQL';
CREATE TABLE clinic.orders (id int PRIMARY KEY, person int, day date);
CREATE TABLE clinic.items (id int PRIMARY KEY, order_id int NOT NULL REFERENCES clinic.orders, price int);
INSERT INTO clinic.orders SELECT i, i % 900 + 1, date '2020-01-01' + i % 300 FROM generate_series(1, 3000) i;
INSERT INTO clinic.items SELECT i, i % 3000 + 1, i % 50 FROM generate_series(1, 6000) i;
ALTER TABLE clinic.orders OWNER TO olga;
ALTER TABLE clinic.items OWNER TO olga;
SELECT dp_agg.protect('clinic.orders', 'person', max_rows => 5), dp_agg.protect('clinic.items', 'order_id', through => 'clinic.orders', max_rows => 9);
SQL
our %LINKED_PERSON = (
	somebody => <<'SQL',
INSERT INTO clinic.orders SELECT 5000 + i, 5000, '2020-02-02' FROM generate_series(1, 3) i;
INSERT INTO clinic.items SELECT 7000 + i, 5001 + i % 3, 7 FROM generate_series(1, 6) i;
SQL
	outlier => <<'SQL');
INSERT INTO clinic.orders SELECT 5000 + i, 5000, '9999-12-31' FROM generate_series(1, 3000) i;
INSERT INTO clinic.items SELECT 7000 + i, 5001 + i % 3000, 2147483647 FROM generate_series(1, 30000) i;
SQL

# fresh() makes the public tables anew and says what is done to them when strike() is
# called for the first time: something of the list, or a statement.  lie() claims that
# it always returns the same, so that planning calls it; it is part of domains, too, of
# which one calls it for a value, one when its check is loaded.  Whether that came to pass is
# told by a sequence, which no rollback takes back.
our $STRIKES = <<'SQL';
CREATE SEQUENCE strikes;
CREATE TABLE deeds (name text PRIMARY KEY, deed text);
INSERT INTO deeds VALUES
	('duplicates', 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k; INSERT INTO ann.amp SELECT 1, 1 FROM generate_series(1, 2000)'),
	('child', 'CREATE TABLE ann.born () INHERITS (ann.amp); INSERT INTO ann.born SELECT 1, 1 FROM generate_series(1, 2000)'),
	('inherit', 'ALTER TABLE ann.heir INHERIT ann.amp'),
	('partition', 'CREATE TABLE ann.parent (k int NOT NULL, v int) PARTITION BY LIST (k); ALTER TABLE ann.parent ATTACH PARTITION ann.amp DEFAULT'),
	('emptied', 'TRUNCATE ann.amp; INSERT INTO ann.amp SELECT i, i FROM generate_series(1, 10) i'),
	('key type', 'ALTER TABLE ann.amp ALTER k TYPE bigint'),
	('value type', 'ALTER TABLE ann.amp ALTER v TYPE text'),
	('column', 'ALTER TABLE ann.amp DROP COLUMN v'),
	('table', 'DROP TABLE ann.amp CASCADE; CREATE TABLE ann.amp (k int NOT NULL, v int); INSERT INTO ann.amp SELECT 1, 1 FROM generate_series(1, 2000)'),
	('moved', 'ALTER TABLE ann.amp RENAME TO lost; ALTER TABLE ann.heir RENAME TO amp'),
	('deferrable', 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k, ADD CONSTRAINT amp_k UNIQUE (k) DEFERRABLE INITIALLY DEFERRED'),
	('partial', 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k; CREATE UNIQUE INDEX ON ann.amp (k) WHERE v < 100; INSERT INTO ann.amp SELECT 1, 1000 FROM generate_series(1, 2000)'),
	('other key', 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k, ADD CONSTRAINT amp_k UNIQUE (k, v); INSERT INTO ann.amp SELECT 1, i FROM generate_series(11, 2000) i'),
	('key made anew', 'ALTER TABLE ann.amp DROP CONSTRAINT amp_k, ADD CONSTRAINT amp_k UNIQUE (k)'),
	('row security', 'ALTER TABLE ann.amp ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY late ON ann.amp USING (ann.code(k) > 0)'),
	('index', 'CREATE INDEX amp_late ON ann.amp ((ann.code(k)))'),
	('index predicate', 'CREATE INDEX amp_late ON ann.amp (v) WHERE ann.code(k) > 0'),
	('statistics', 'CREATE STATISTICS ann.amp_late ON (ann.code(k)), v FROM ann.amp'),
	('check', 'ALTER TABLE ann.amp ADD CHECK (ann.code(k) > 0)'),
	('domain', 'ALTER TABLE ann.amp ALTER v TYPE ann.watched'),
	('revoked', 'REVOKE SELECT ON ann.amp FROM ann, PUBLIC');
CREATE FUNCTION strike() RETURNS int VOLATILE LANGUAGE plpgsql AS $$
DECLARE
	deed text := nullif(current_setting('ann.deed', true), '');
BEGIN
	IF deed IS NOT NULL THEN
		PERFORM set_config('ann.deed', '', false), nextval('ann.strikes');
		EXECUTE deed;
	END IF;
	RETURN 1;
END $$;
CREATE FUNCTION lie() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN ann.strike(); END';
CREATE FUNCTION lie(anyelement) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN ann.strike(); END';
CREATE FUNCTION code(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN ann.strike() + $1; END';
CREATE DOMAIN checked AS int CHECK (ann.lie(VALUE) > 0);
CREATE DOMAIN watched AS int CHECK (VALUE > ann.lie() - 100);
CREATE FUNCTION fresh(what text DEFAULT '') RETURNS void LANGUAGE plpgsql SET client_min_messages = warning SET search_path = ann AS $$
BEGIN
	PERFORM set_config('ann.deed', '', false), setval('strikes', 1, false);
	DROP TABLE IF EXISTS amp, heir, side, lost, parent CASCADE;
	CREATE TABLE amp (k int NOT NULL, v int, CONSTRAINT amp_k UNIQUE (k));
	CREATE TABLE side (k int NOT NULL, v int, CONSTRAINT side_k UNIQUE (k));
	CREATE TABLE heir (k int NOT NULL, v int);
	GRANT SELECT ON amp, side TO PUBLIC;
	INSERT INTO amp SELECT i, i FROM generate_series(1, 10) i;
	INSERT INTO side SELECT i, i FROM generate_series(1, 10) i;
	INSERT INTO heir SELECT 1, 1 FROM generate_series(1, 2000) i;
	PERFORM set_config('ann.deed', coalesce((SELECT deed FROM deeds WHERE name = what), what), false);
END $$;
CREATE FUNCTION fresh_with_view(what text DEFAULT '') RETURNS void LANGUAGE plpgsql SET client_min_messages = warning SET search_path = ann AS $$
BEGIN
	PERFORM fresh(what);
	CREATE VIEW wide AS SELECT p.id, p.city, a.v FROM clinic.people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END;
	GRANT SELECT ON wide TO PUBLIC;
END $$;
SELECT fresh();
SQL

# Blocks by what they read; each gives one or more rows of one column, "boosted".
our %BLOCKS = (
	'a table of persons' => 'SELECT dp_count(*) > 100 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END',
	'a sum of a public column' => 'SELECT dp_sum(a.v, 0, 10) > 500 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END',
	'a table left-joined' => 'SELECT dp_count(*) > 4000 AS boosted FROM people p LEFT JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END',
	'many rows of a person' => 'SELECT dp_count(*) > 100 AS boosted FROM visits p JOIN amp a ON a.k = CASE WHEN p.person = 5000 THEN 1 END',
	'rows linked by a foreign key' => 'SELECT dp_count(*) > 100 AS boosted FROM items p JOIN amp a ON a.k = CASE WHEN p.order_id BETWEEN 5001 AND 8000 THEN 1 END',
	'partitions' => 'SELECT dp_count(*) > 100 AS boosted FROM parts p JOIN amp a ON a.k = CASE WHEN p.person = 5000 THEN 1 END',
	'a view' => 'SELECT dp_count(*) > 100 AS boosted FROM wide',
	'a view of the owner' => 'SELECT dp_count(*) > 100 AS boosted FROM grown p JOIN amp a ON a.k = CASE WHEN p.secret = 7319000000 + 555000 THEN 1 END',
	'a subquery' => 'SELECT dp_count(*) > 100 AS boosted FROM (SELECT id FROM people) p JOIN (SELECT k FROM amp) a ON a.k = CASE WHEN p.id = 5000 THEN 1 END',
	'a WITH query' => 'WITH w AS (SELECT p.id FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END) SELECT dp_count(*) > 100 AS boosted FROM w',
	'rows grouped by person' => 'SELECT dp_sum(n, 0, 5) > 100 AS boosted FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) p JOIN amp a ON a.k = CASE WHEN p.person = 5000 THEN 1 END',
	'keys that a table lists' => 'SELECT dp_count(p.id) > 100 AS boosted FROM amp a LEFT JOIN people p ON a.k = CASE WHEN p.id = 5000 THEN 1 END GROUP BY a.k',
	'a star' => 'SELECT dp_count(*) > 100 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END LEFT JOIN side s ON s.k = p.tag LEFT JOIN lone l ON l.id = p.id',
	'a star of public tables' => 'SELECT dp_count(*) > 100 AS boosted FROM people p JOIN side s ON s.k = CASE WHEN p.id = 5000 THEN 1 END LEFT JOIN amp a ON a.k = s.v',
	'a median' => 'SELECT dp_count(a.v) > 100 AND dp_median(a.v, 0, 10) IS NOT NULL AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN 1 END',
	'a histogram' => q{SELECT count > 100 AS boosted FROM dp_histogram('wide', 'v', 1, 11, 5)},
	'a ranking' => q{SELECT candidate IS NULL AS boosted FROM dp_noisy_max('wide', 'city', ARRAY['Aachen', 'Bremen', 'Celle'], 3)},
	'most frequent values' => q{SELECT count(*) > 50 AS boosted FROM dp_top('wide', 'v', 5)});

# The text of a block, by its name.
sub block
{
	my ($name) = @_;
	return $BLOCKS{$name} // die "no block: $name";
}

# A list of attacks: for each name, the same text with the name's own in place of
# each "<name>"; arguments are the text and then pairs of names and texts.
sub ask
{
	my ($text, %parts) = @_;
	return join '', map { $text =~ s/<name>/$_/gr =~ s/<part>/$parts{$_}/gr } sort keys %parts;
}

1;
