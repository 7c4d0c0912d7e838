# Attacks by arrays, ranges and documents: rows whose elements are very many, or nothing, or of other
# dimensions, whose bounds are in the wrong order, and what of all this takes long or is left behind in the
# session.  What is looked up: caches.pl.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# One person alone has a list that is long, or as long of nothing, or of three dimensions; and a stay that ends before it begins.
my $neighbours = new_neighbours('attack_containers', admin => <<'SQL', analyst => <<'ANALYST', person => { somebody => <<'SOMEBODY', outlier => <<'OUTLIER' });
ALTER TABLE clinic.people ADD codes text[], ADD nums int[], ADD nothing int[], ADD stay tsrange, ADD hours int4multirange, ADD span numrange, ADD came date, ADD gone date, ADD doc jsonb, ADD moods varchar(9)[];
ALTER TABLE clinic.people ALTER nums SET STORAGE EXTERNAL;
UPDATE clinic.people SET codes = ARRAY['c' || id % 7, 'c' || id % 5], nums = ARRAY[id % 7, NULL, id % 11], nothing = '{}', stay = tsrange(timestamp '2020-01-01' + id % 90 * interval '1 day', timestamp '2021-01-01'),
	hours = int4multirange(int4range(id % 9, 9), int4range(12, 14 + id % 3)), span = numrange(id % 7, 8), came = date '2020-01-01' + id % 9, gone = date '2020-01-05' + id % 9, doc = jsonb_build_object('k', id % 5, 'a', '[1, 2]'::jsonb),
	moods = ARRAY['m' || id % 3];
CREATE INDEX ON clinic.people USING gin (codes);
CREATE INDEX ON clinic.people USING gin (nums);
CREATE INDEX ON clinic.people USING gin (doc);
CREATE INDEX ON clinic.people USING gist (stay);
CREATE INDEX ON clinic.people USING spgist (span);
CREATE TABLE clinic.labels (label text PRIMARY KEY, number int UNIQUE, codes text[], stay tsrange);
INSERT INTO clinic.labels SELECT 'c' || i, i, ARRAY['c' || i, 'c' || i + 1], tsrange(timestamp '2020-01-01' + i * interval '9 days', NULL) FROM generate_series(0, 9) i;
GRANT SELECT ON clinic.labels TO ann;
SQL
CREATE TYPE ann.shade AS ENUM ('light', 'dark');
CREATE FUNCTION ann.told(a text, b text[]) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '%', b; RETURN true; END $$;
CREATE OPERATOR ann.@> (LEFTARG = text, RIGHTARG = text[], FUNCTION = ann.told);
ANALYST
UPDATE clinic.people SET codes = array_fill('c1'::text, ARRAY[4000]), nothing = array_fill(NULL::int, ARRAY[700000]), nums = '[3:4][-1:0]={{1,2},{3,4}}', gone = '1999-01-01', span = 'empty', doc = '[[[[1]]]]' WHERE id = 5000;
SOMEBODY
UPDATE clinic.people SET codes = array_fill(repeat('c', 900), ARRAY[700]), nums = array_fill(7, ARRAY[5, 4, 3000]), nothing = array_fill(NULL::int, ARRAY[60000]), stay = '(,)', hours = '{(,)}',
	span = numrange(repeat('9', 9000)::numeric, NULL), came = 'infinity', gone = '-infinity', doc = jsonb_build_object('k', repeat('x', 400000), 'c', jsonb_build_array(1)) WHERE id = 5000;
OUTLIER

$neighbours->attack(<<'ATTACKS');
@ elements one by one | 4 |
SELECT dp_count(*) FROM people WHERE 7 = ANY (nums);
SELECT dp_count(*) FROM people WHERE 'c1' <> ALL (codes) OR name < ANY (codes) OR 'm1' = ANY (moods);
SELECT 3 = ANY (nums) AS key, dp_count(*) FILTER (WHERE tag = ANY (nums)) FROM people GROUP BY 1;
SELECT dp_count(*), dp_count(1 = ANY (nothing)) FROM people WHERE id > 4990;
@ each with each | 3 |
SELECT dp_count(*) FROM people WHERE codes && '{c1,c2,c3}' AND NOT codes @> '{x}';
SELECT dp_count(*) FROM people WHERE nums && nothing OR nums @> nothing OR nothing <@ nums;
SELECT dp_count(*) FROM people WHERE nums = '{7}' OR nums <> '{}' OR nums IS DISTINCT FROM '{1}';
@ sizes as keys and values | 3 |
SELECT cardinality(nums) AS key, dp_count(*) FROM people WHERE id > 4990 GROUP BY 1;
SELECT array_length(nums, tag) AS key, array_ndims(nums) AS more, dp_count(*) FROM people GROUP BY 1, 2;
SELECT dp_sum(cardinality(nothing), 0, 10), dp_max(array_upper(codes, 1), 0, 10) FROM people;
@ bounds in the wrong order | 4 |
SELECT dp_count(*) FROM people WHERE date '2020-01-07' <@ daterange(came, gone);
SELECT dp_count(*) FROM people WHERE daterange(came, gone, '[]') && daterange('2020-01-05', '2020-01-08');
SELECT daterange(gone, came) @> born AS key, dp_count(*) FROM people GROUP BY 1;
SELECT dp_count(*) FROM people WHERE numrange(score::numeric, pay) @> 7::numeric OR int4range(age, tag) && int4range(tag, age);
@ bounds in the wrong order, where errors end the session | 1 |
SET exit_on_error = on;
SELECT dp_count(*) FROM people WHERE came <@ daterange(came, gone);
SET exit_on_error = off;
@ a range that is made where it could fail | 0 | 0A000 0A000 0A000
SELECT dp_count(daterange(came, gone)) FROM people;
SELECT dp_count(*) FROM people WHERE isempty(daterange(came, gone));
SELECT dp_count(*) FROM people WHERE stay && tsrange(came::timestamp, gone::timestamp);
@ ranges | 4 |
SELECT dp_count(*) FROM people WHERE stay @> seen::timestamp OR stay && '[2020-02-01,2020-03-01)';
SELECT dp_count(*) FROM people WHERE hours @> tag AND hours && int4range(3, 5) AND upper(hours) > 13;
SELECT lower(stay) IS NULL AS key, upper_inf(stay) AS more, dp_count(*) FROM people GROUP BY 1, 2;
SELECT dp_sum(lower(span), 0, 10), dp_count(lower(span) + 1), dp_count(lower(span) * upper(span)) FROM people WHERE id > 4990;
@ documents | 3 |
SELECT dp_count(*) FROM people WHERE doc <@ '{"k": 1, "a": [1, 2, 3]}' OR '{"k": 2, "a": [1, 2]}' @> doc;
SELECT dp_count(*) FROM people WHERE doc ?| '{a,b,c}' AND NOT doc ?& '{k,z}';
SELECT dp_count(*) FROM people WHERE doc ?| codes;
@ lists of a public table's rows, and rows of that by the lists of one | 3 |
SET enable_seqscan = off;
SET dp_agg.max_join_rows = 10;
SELECT l.label, dp_count(*) FROM people p JOIN labels l ON l.label = ANY (p.codes) GROUP BY 1;
SELECT dp_count(*) FROM people p JOIN labels l ON l.number = p.tag WHERE p.code = ANY (l.codes) OR p.stay && l.stay;
SELECT dp_count(*) FROM people p JOIN labels l ON l.number = ANY (p.nums) WHERE p.id > 4990;
RESET dp_agg.max_join_rows;
RESET enable_seqscan;
@ indexes of protected columns | 2 |
SET enable_seqscan = off;
SET gin_fuzzy_search_limit = 1;
SELECT dp_count(*) FROM people WHERE codes @> '{c1}' AND nums && '{7}' AND doc @> '{"k": 1}';
SELECT dp_count(*) FROM people WHERE stay && '[2020-01-01,2020-01-05)' AND span @> 3::numeric;
RESET gin_fuzzy_search_limit;
RESET enable_seqscan;
@ elements of her own types | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE code::ann.shade = ANY (codes::ann.shade[]);
SELECT dp_count(*) FROM people WHERE codes::ann.shade[] @> '{light}';
@ operators of her own | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE name OPERATOR(ann.@>) codes;
SELECT dp_count(*) FROM people WHERE ann.told(name, codes);
ATTACKS

$neighbours->finish;
