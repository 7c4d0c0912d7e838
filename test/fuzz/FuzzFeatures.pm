# The features that are paired: of a level (FuzzLevel), expressions, places of an
# expression, what is read at the bottom, routes of a statement, settings.
#
# A feature of a level is a function of it.  An expression is a function of a scope, the
# texts of u, k and v there, and of an expression within it.  A place is a function of a level and an expression.
package FuzzFeatures;

use strict;
use warnings;

use FuzzRoute qw(routes step);

our (%BASES, %LEVELS, %EXPRESSIONS, %PLACES, %SETTINGS, %ROUTES, %TERMINALS);

# Number of objects that were named; each name is taken once.
my $named = 0;

sub name
{
	return 'fz' . ++$named;
}

sub restart_names
{
	$named = 0;
	return;
}

# A relation to read, with one of the same units to relate it to.
%BASES = (
	people => [ 'people', 'visits' ], visits => [ 'visits', 'people' ], only => [ 'ONLY people', 'visits' ], partitioned => [ 'parts', 'visits' ],
	itself => [ 'people', 'people' ],
	secured => [ 'secured', 'visits' ], secured_joined => [ 'SELECT v.u, v.k, s.v FROM visits v LEFT JOIN secured s ON s.u = v.u', 'secured' ],
	view => [ 'shown', 'visits' ], barrier => [ 'shown_barrier', 'visits' ], published => [ 'people_public', 'visits' ], invoker => [ 'shown_invoker', 'visits' ],
	linked => [ 'SELECT v.u, r.k, r.v FROM linked r JOIN visits v ON v.id = r.ref', 'people' ], linked_alone => [ 'SELECT r.ref AS u, r.k, r.v FROM linked r', 'people' ],
	record => [ 'SELECT id AS u, k, v FROM visits', '(SELECT ref AS u, k, v FROM linked)' ], record_linked => [ 'SELECT ref AS u, k, v FROM linked', '(SELECT id AS u, k, v FROM visits)' ],
	joined => [ 'SELECT p.u, s.k, s.v FROM people p JOIN visits s ON s.u = p.u', 'visits' ],
	full_joined => [ 'SELECT coalesce(p.u, s.u) AS u, s.k, p.v FROM people p FULL JOIN visits s ON s.u = p.u', 'visits' ],
	sampled => [ 'SELECT u, k, v FROM people TABLESAMPLE BERNOULLI (50)', 'visits' ], system => [ 'SELECT u, k, v FROM people TABLESAMPLE SYSTEM (50) REPEATABLE (1)', 'visits' ],
	public => [ 'shops', 'visits' ], mine => [ 'mine', 'visits' ], values => [ "VALUES (1, 'a', 2), (2, 'b', 3)", 'visits' ], series => [ "SELECT i AS u, 'a' AS k, i AS v FROM generate_series(1, 9) i", 'visits' ],
	catalog => [ 'SELECT oid::int AS u, relname::text AS k, relpages AS v FROM pg_class', 'visits' ], nothing => [ "SELECT 1 AS u, 'a' AS k, 1 AS v", 'visits' ],
	public_left => [ 'SELECT s.u, c.k, s.v FROM shops c LEFT JOIN visits s ON s.k = c.k', 'people' ], closed => [ 'closed', 'visits' ],
	histogram => [ q{SELECT bin AS u, 'a' AS k, count AS v FROM dp_histogram('people', 'v', 0, 100, 5)}, 'visits', 'released' ],
	histogram_keys => [ q{SELECT bin AS u, key AS k, count AS v FROM dp_histogram('people', 'k', ARRAY['a','b'])}, 'visits', 'released' ],
	cumulative => [ q{SELECT bin AS u, 'a' AS k, cumulative AS v FROM dp_cumulative('visits', 'v', 0, 100, 8)}, 'visits', 'released' ],
	noisy_max => [ q{SELECT rank AS u, candidate AS k, 1 AS v FROM dp_noisy_max('visits', 'k', ARRAY['a','b','x'], 2)}, 'visits', 'released' ],
	top => [ q{SELECT rank AS u, candidate AS k, 1 AS v FROM dp_top('visits', 'k', 2)}, 'visits', 'released' ],
	above => [ q{SELECT position AS u, predicate AS k, 1 AS v FROM dp_above_threshold('visits', ARRAY['v > 90','v > 5'], 10)}, 'visits', 'released' ],
	select_model => [ q{SELECT position AS u, candidate AS k, 1 AS v FROM dp_select_model('people', 'v > 50', ARRAY['v > 90','v > 5'])}, 'visits', 'released' ],
	linregr => [ q{SELECT 1 AS u, term AS k, coef AS v FROM dp_linregr('people', 'v', 0, 100, '{"w": [0, 100]}')}, 'visits', 'released' ],
	logregr => [ q{SELECT 1 AS u, term AS k, coef AS v FROM dp_logregr('people', 'v > 50', '{"w": [0, 100]}')}, 'visits', 'released' ],
	svm => [ q{SELECT 1 AS u, term AS k, coef AS v FROM dp_svm('people', 'v > 50', '{"w": [0, 100]}', passes => 1)}, 'visits', 'released' ],
	synthesize => [ q{SELECT s.v AS u, s.k, s.v FROM dp_synthesize('people', '{"v": [0, 100, 5], "k": true}', 20) AS s (v int, k text)}, 'visits', 'released' ],
	suggest => [ q{SELECT 1 AS u, 'a' AS k, upper AS v FROM dp_agg.suggest_bounds('people', 'v')}, 'visits', 'released' ],
	suggest_rows => [ q{SELECT 1 AS u, 'a' AS k, dp_agg.suggest_max_rows('visits') AS v}, 'visits', 'released' ],
	measure => [ q{SELECT 1 AS u, 'a' AS k, most_rows AS v FROM dp_agg.measure_bounding('visits')}, 'visits', 'released' ],
	price => [ q{SELECT 1 AS u, aggregate AS k, epsilon AS v FROM dp_agg.price('SELECT count(*) FROM people')}, 'visits' ],
	last_release => [ q{SELECT 1 AS u, aggregate AS k, epsilon AS v FROM dp_agg.last_release()}, 'visits' ],
	map({ ("unit_$_" => [ "units_$_", "more_$_" ]) } qw(bigint smallint uuid text varchar date numeric float8 timestamptz char citext)),
	map({ ("key_$_" => [ "SELECT u, k_$_ AS k, v FROM people", "(SELECT u, k_$_ AS k, v FROM visits)" ]) } qw(bool mood int bigint date timestamptz timestamp numeric float8 uuid varchar bpchar domain interval time jsonb array range inet citext)),
	map({ ("value_$_" => [ "SELECT u, k, v_$_ AS v FROM people", "(SELECT u, k, v_$_ AS v FROM visits)" ]) } qw(bigint smallint numeric float8 float4 bool date domain null)));

# What a level may have; of the scope of its rows (r) and of what it shows (t).
my %rows = (
	where => sub { push @{ $_[0]{where} }, "$_[1]{v} >= 10" }, where_false => sub { push @{ $_[0]{where} }, 'false' },
	where_null => sub { push @{ $_[0]{where} }, 'NULL::bool' }, where_folds => sub { push @{ $_[0]{where} }, "($_[1]{v} IS NOT NULL OR true)" },
	where_or => sub { push @{ $_[0]{where} }, "($_[1]{v} < 30 OR $_[1]{u} IS NULL)" }, where_list => sub { push @{ $_[0]{where} }, "$_[1]{v} IN (" . join(',', 1 .. 60) . ')' },
	where_row => sub { push @{ $_[0]{where} }, "($_[1]{v}, $_[1]{v}) > (3, 4)" }, where_like => sub { push @{ $_[0]{where} }, "$_[1]{k}::text LIKE 'a%'" },
	where_unknown => sub { push @{ $_[0]{where} }, "($_[1]{k}::text <> 'nobody' OR $_[1]{k}::text IN ('A', 'x'))" },
	public_unknown => sub { push @{ $_[0]{joins} }, " JOIN shops j ON j.k = $_[1]{k}::text AND j.k <> 'nowhere' AND j.v IN (5, 20, 90, 91)" },
	where_whole => sub { push @{ $_[0]{where} }, 'r IS NOT NULL' }, system_column => sub { push @{ $_[0]{where} }, 'r.ctid IS NOT NULL' },
	self_join => sub { push @{ $_[0]{joins} }, " JOIN $_[0]{second} j ON j.u = $_[1]{u}" }, left_join => sub { push @{ $_[0]{joins} }, " LEFT JOIN $_[0]{second} j ON j.u = $_[1]{u}" },
	right_join => sub { push @{ $_[0]{joins} }, " RIGHT JOIN $_[0]{second} j ON j.u = $_[1]{u}" }, full_join => sub { push @{ $_[0]{joins} }, " FULL JOIN $_[0]{second} j ON j.u = $_[1]{u}" },
	full_join_public => sub { push @{ $_[0]{joins} }, " FULL JOIN shops j ON j.k = $_[1]{k}::text" },
	wrong_join => sub { push @{ $_[0]{joins} }, " JOIN $_[0]{second} j ON j.k = $_[1]{k}" }, unequal_join => sub { push @{ $_[0]{joins} }, " JOIN $_[0]{second} j ON j.u = $_[1]{u} AND j.v > $_[1]{v}" },
	grouped_join => sub { push @{ $_[0]{joins} }, " LEFT JOIN (SELECT u, count(*) AS n, max(v) AS m FROM $_[0]{second} s GROUP BY u) j ON j.u = $_[1]{u}" },
	joined_inside => sub { push @{ $_[0]{joins} }, " LEFT JOIN (SELECT s.u, s.v + 1 AS w FROM $_[0]{second} s JOIN $_[0]{second} s2 ON s2.u = s.u AND s2.v > s.v) j ON j.u = $_[1]{u}" },
	joined_join => sub { push @{ $_[0]{joins} }, " LEFT JOIN ($_[0]{second} j JOIN people j2 ON j2.u::text = j.u::text) ON j.u = $_[1]{u}" },
	using_join => sub { push @{ $_[0]{joins} }, " JOIN (SELECT u, v AS w FROM $_[0]{second} s) j USING (u)"; $_[0]->{t}{u} = 'u' }, natural_join => sub { push @{ $_[0]{joins} }, " NATURAL LEFT JOIN (SELECT DISTINCT u FROM $_[0]{second} s) j" },
	public_join => sub { push @{ $_[0]{joins} }, " JOIN shops j ON j.k = $_[1]{k}::text" }, public_left => sub { push @{ $_[0]{joins} }, " LEFT JOIN shops j ON j.k = $_[1]{k}::text" },
	pattern_join => sub { push @{ $_[0]{joins} }, " JOIN shops j ON $_[1]{k}::text LIKE '%' || j.k || '%'" }, pattern_left => sub { push @{ $_[0]{joins} }, " LEFT JOIN shops j ON strpos($_[1]{k}::text, j.k) > 0" },
	where_pattern => sub { push @{ $_[0]{where} }, "left('a' || $_[1]{k}::text, 3) ILIKE left('_' || $_[1]{k}::text, 3)" },
	public_right => sub { push @{ $_[0]{joins} }, " RIGHT JOIN shops j ON j.k = $_[1]{k}::text" }, cross_join => sub { push @{ $_[0]{joins} }, ' CROSS JOIN shops j' },
	public_multiplies => sub { push @{ $_[0]{joins} }, " JOIN mine j ON j.u > $_[1]{v}" },
	values_join => sub { push @{ $_[0]{joins} }, " JOIN (VALUES ('a', 1), ('b', 2)) j (k, n) ON j.k = $_[1]{k}::text" },
	series_join => sub { push @{ $_[0]{joins} }, " JOIN generate_series(0, 100) j (i) ON j.i = $_[1]{v}" }, series_distinct => sub { push @{ $_[0]{joins} }, " JOIN (SELECT DISTINCT g FROM generate_series(1, 2000) g) j ON j.g = $_[1]{v}" },
	lateral_series => sub { push @{ $_[0]{joins} }, ', LATERAL generate_series(1, 2) j' }, lateral_of_row => sub { push @{ $_[0]{joins} }, " CROSS JOIN LATERAL generate_series(1, $_[1]{v}::int % 3) j" },
	unnest => sub { push @{ $_[0]{joins} }, ", unnest(ARRAY[1,2], ARRAY['a','b']) WITH ORDINALITY j (a, b, c)" }, rows_from => sub { push @{ $_[0]{joins} }, ', ROWS FROM (generate_series(1, 2), generate_series(1, 3)) j (a, b)' },
	lateral_values => sub { push @{ $_[0]{joins} }, ", LATERAL (VALUES ('v', $_[1]{v}), ('w', $_[1]{v} + 1)) j (what, x)" }, lateral => sub { push @{ $_[0]{joins} }, " CROSS JOIN LATERAL (SELECT $_[1]{v} + 1 AS x) j" },
	lateral_table => sub { push @{ $_[0]{joins} }, " LEFT JOIN LATERAL (SELECT s.v FROM $_[0]{second} s WHERE s.u = $_[1]{u} AND s.v > $_[1]{v}) j ON true" },
	lateral_limit => sub { push @{ $_[0]{joins} }, " CROSS JOIN LATERAL (SELECT s.v FROM $_[0]{second} s WHERE s.u = $_[1]{u} ORDER BY s.v LIMIT 1) j" },
	lateral_group => sub { push @{ $_[0]{joins} }, " CROSS JOIN LATERAL (SELECT count(*) AS n FROM $_[0]{second} s WHERE s.u = $_[1]{u}) j" },
	lateral_union => sub { push @{ $_[0]{joins} }, ", LATERAL (SELECT $_[1]{v} AS x UNION ALL SELECT 1) j" }, lateral_public => sub { push @{ $_[0]{joins} }, " LEFT JOIN LATERAL (SELECT s.v FROM shops s WHERE s.k = $_[1]{k}::text) j ON true" },
	split_text => sub { push @{ $_[0]{joins} }, ", unnest(string_to_array($_[1]{k}::text, 'a')) j" }, split_left => sub { push @{ $_[0]{joins} }, " LEFT JOIN LATERAL string_to_table($_[1]{k}::text, NULL) j ON true" },
	split_pattern => sub { push @{ $_[0]{joins} }, " CROSS JOIN LATERAL regexp_split_to_table($_[1]{k}::text, '\\s*[a-c]+') j" }, split_lateral => sub { push @{ $_[0]{joins} }, ", LATERAL (SELECT upper(x) AS x FROM string_to_table($_[1]{k}::text, 'a') x WHERE x <> '') j" },
	function_join => sub { push @{ $_[0]{joins} }, ", some_rows(2) j" }, function_lateral => sub { push @{ $_[0]{joins} }, ", inlined($_[1]{v}::int) j" }, function_plpgsql => sub { push @{ $_[0]{joins} }, ', plpgsql_rows(2) j' },
	release_join => sub { push @{ $_[0]{joins} }, ' CROSS JOIN (SELECT <<count:*>> AS n FROM visits) j' }, release_keyed => sub { push @{ $_[0]{joins} }, " JOIN (SELECT k, <<count:*>> AS n FROM visits GROUP BY k) j ON j.k = $_[1]{k}::text" },
	json_table => sub { push @{ $_[0]{joins} }, q{, jsonb_to_recordset('[{"a": 1}, {"a": 2}]') AS j (a int)} }, xml_table => sub { push @{ $_[0]{joins} }, q{, XMLTABLE('/a' PASSING '<a>1</a>' COLUMNS x int PATH '.') j} });

# What stands beside or after groups, of what the level shows.
my %shown = (
	order => sub { push @{ $_[0]{order} }, "$_[1]{u}" }, order_other => sub { push @{ $_[0]{order} }, "$_[1]{v} DESC NULLS LAST, $_[1]{k}" }, order_place => sub { push @{ $_[0]{order} }, '1, 3' },
	limit => sub { $_[0]{tail} .= ' LIMIT 3' }, limit_all => sub { $_[0]{tail} .= ' LIMIT 1000000' }, limit_none => sub { $_[0]{tail} .= ' LIMIT 0' }, offset => sub { $_[0]{tail} .= ' OFFSET 1' },
	ties => sub { push @{ $_[0]{order} }, $_[1]{k}; $_[0]{tail} .= ' FETCH FIRST 2 ROWS WITH TIES' }, limit_subquery => sub { $_[0]{tail} .= ' LIMIT (SELECT count(*) FROM shops)' }, limit_release => sub { $_[0]{tail} .= ' LIMIT (SELECT <<count:*>> FROM visits)' },
	distinct => sub { $_[0]{distinct} = 'DISTINCT ' }, distinct_on_unit => sub { $_[0]{distinct} = "DISTINCT ON ($_[1]{u}) " }, distinct_on_key => sub { $_[0]{distinct} = "DISTINCT ON ($_[1]{k}) " },
	for_update => sub { $_[0]{tail} .= ' FOR UPDATE' }, for_share => sub { $_[0]{tail} .= ' FOR SHARE OF r SKIP LOCKED' },
	window => sub { push @{ $_[0]{extra} }, "row_number() OVER (PARTITION BY $_[1]{u})" }, window_ordered => sub { push @{ $_[0]{extra} }, "rank() OVER (PARTITION BY $_[1]{u} ORDER BY $_[1]{v})" },
	window_key => sub { push @{ $_[0]{extra} }, "count(*) OVER (PARTITION BY $_[1]{k})" }, window_all => sub { push @{ $_[0]{extra} }, 'row_number() OVER ()' },
	window_named => sub { push @{ $_[0]{window} }, "w AS (PARTITION BY $_[1]{u} ORDER BY $_[1]{v})"; push @{ $_[0]{extra} }, 'lag(' . $_[1]{v} . ') OVER w', 'sum(' . $_[1]{v} . ') OVER (w ROWS 2 PRECEDING)' },
	window_value => sub { $_[0]{t}{v} = "sum($_[1]{v}) OVER (PARTITION BY $_[1]{u})" }, window_filter => sub { push @{ $_[0]{extra} }, "count(*) FILTER (WHERE $_[1]{v} > 5) OVER (PARTITION BY $_[1]{u})" },
	window_range => sub { push @{ $_[0]{extra} }, "sum($_[1]{v}) OVER (PARTITION BY $_[1]{u} ORDER BY $_[1]{v} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)" },
	window_groups => sub { push @{ $_[0]{extra} }, "max($_[1]{v}) OVER (PARTITION BY $_[1]{u}, $_[1]{k} ORDER BY $_[1]{v} GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)" },
	window_order => sub { push @{ $_[0]{order} }, "row_number() OVER (PARTITION BY $_[1]{u})" }, window_dp => sub { push @{ $_[0]{extra} }, "<<count:*>> OVER (PARTITION BY $_[1]{u})" },
	srf => sub { push @{ $_[0]{extra} }, 'generate_series(1, 2)' }, srf_value => sub { $_[0]{t}{v} = "generate_series(1, $_[1]{v}::int % 3)" }, srf_split => sub { $_[0]{t}{k} = "unnest(string_to_array($_[1]{k}::text, 'a'))" }, srf_parts => sub { push @{ $_[0]{extra} }, "string_to_table($_[1]{k}::text, NULL)" }, srf_unnest => sub { push @{ $_[0]{extra} }, "unnest(ARRAY[$_[1]{v}, 1])" },
	star => sub { $_[0]{star} = 1 }, computed => sub { $_[0]{t}{v} = "($_[1]{v} + 1)" }, hidden_unit => sub { $_[0]{t}{u} = '1' }, unit_twice => sub { push @{ $_[0]{extra} }, "$_[1]{u} AS u2" }, junk => sub { push @{ $_[0]{extra} }, '1', 'NULL', "'x'" },
	union_all => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "($_[0]) UNION ALL (SELECT u, k, v FROM $s s)" } }, union => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "($_[0]) UNION (SELECT u, k, v FROM $s s)" } },
	intersect => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "($_[0]) INTERSECT (SELECT u, k, v FROM $s s)" } }, except => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "($_[0]) EXCEPT (SELECT u, k, v FROM $s s)" } },
	intersect_all => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "($_[0]) INTERSECT ALL (SELECT u, k, v FROM $s s)" } }, except_all => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "(SELECT u, k, v FROM $s s) EXCEPT ALL ($_[0])" } },
	union_public => sub { push @{ $_[0]{after} }, sub { "($_[0]) UNION ALL (SELECT u, k, v FROM mine s)" } }, union_values => sub { push @{ $_[0]{after} }, sub { "(VALUES (NULL, NULL, NULL)) UNION ALL ($_[0])" } },
	union_itself => sub { push @{ $_[0]{after} }, sub { "($_[0]) UNION ALL ($_[0])" } }, except_itself => sub { push @{ $_[0]{after} }, sub { "($_[0]) EXCEPT ($_[0])" } }, union_order => sub { my $s = $_[0]{second}; push @{ $_[0]{after} }, sub { "($_[0]) UNION ALL (SELECT u, k, v FROM $s s) ORDER BY 1 LIMIT 5" } },
	union_released => sub { push @{ $_[0]{after} }, sub { "($_[0]) UNION ALL (SELECT NULL, NULL, <<count:*>> FROM visits)" } },
	with => sub { push @{ $_[0]{after} }, sub { "WITH w AS ($_[0]) SELECT u, k, v FROM w" } }, with_materialized => sub { push @{ $_[0]{after} }, sub { "WITH w AS MATERIALIZED ($_[0]) SELECT u, k, v FROM w" } },
	with_not => sub { push @{ $_[0]{after} }, sub { "WITH w AS NOT MATERIALIZED ($_[0]) SELECT u, k, v FROM w" } }, with_twice => sub { push @{ $_[0]{after} }, sub { "WITH w AS ($_[0]) SELECT w.u, w.k, w2.v FROM w JOIN w w2 ON w2.u = w.u" } },
	with_subquery => sub { push @{ $_[0]{after} }, sub { "WITH w AS ($_[0]) SELECT u, k, v FROM w WHERE u IN (SELECT u FROM w)" } }, with_unused => sub { push @{ $_[0]{after} }, sub { "WITH w AS ($_[0]) SELECT u, k, v FROM mine" } },
	with_recursive => sub { push @{ $_[0]{after} }, sub { "WITH RECURSIVE w (u, k, v) AS (($_[0]) UNION ALL SELECT u, k, v + 100 FROM w WHERE v < 100) SELECT u, k, v FROM w" } },
	with_search => sub { push @{ $_[0]{after} }, sub { "WITH RECURSIVE w (u, k, v) AS (SELECT 1, 'a', 1 UNION ALL SELECT u, k, v + 1 FROM w WHERE v < 3) SEARCH DEPTH FIRST BY v SET o SELECT q.u, q.k, q.v FROM ($_[0]) q, w" } },
	with_insert => sub { push @{ $_[0]{after} }, sub { "WITH i AS (INSERT INTO written VALUES (7, 'i', 7) RETURNING *) SELECT q.u, q.k, q.v FROM ($_[0]) q, i" } },
	with_inner => sub { push @{ $_[0]{with} }, "x AS (SELECT k, count(*) AS n FROM shops GROUP BY k)"; push @{ $_[0]{joins} }, ', x' }, subquery_named => sub { push @{ $_[0]{after} }, sub { "SELECT * FROM ($_[0]) q (u, k, v)" } },
	parentheses => sub { push @{ $_[0]{after} }, sub { "((($_[0])))" } }, subquery_offset => sub { push @{ $_[0]{after} }, sub { "SELECT u, k, v FROM ($_[0] OFFSET 0) q" } });

# What groups a level, and aggregates.
my %groups = (
	total => sub { $_[0]->group({ u => '<<count:*>>', k => "<<count:$_[1]{k}>>", v => "<<sum:$_[1]{v}>>" }) },
	by_key => sub { $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => "<<avg:$_[1]{v}>>" }, $_[1]{k}) },
	by_condition => sub { $_[0]->group({ u => '<<count:*>>', k => "($_[1]{v} > 50)::text", v => '<<count:*>>' }, "$_[1]{v} > 50") },
	by_place => sub { $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => "<<sum:$_[1]{v}>>" }, 2) },
	by_unit => sub { my $l = $_[0]; $l->group({ u => $_[1]{u}, k => "max($_[1]{k})", v => "sum($_[1]{v})" }, $_[1]{u}); $l->{of_units} = 1 },
	by_unit_key => sub { my $l = $_[0]; $l->group({ u => $_[1]{u}, k => $_[1]{k}, v => 'count(*)' }, $_[1]{u}, $_[1]{k}); $l->{of_units} = 1 },
	rollup => sub { $_[0]->group({ u => '<<count:*>>', k => "$_[1]{k}::text", v => "<<sum:$_[1]{v}>>" }, "ROLLUP ($_[1]{k}, $_[1]{v} > 50)"); push @{ $_[0]{extra} }, "GROUPING($_[1]{k})" },
	cube => sub { $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => '<<count:*>>' }, "CUBE ($_[1]{k}, $_[1]{v} > 50)") },
	sets => sub { $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => '<<count:*>>' }, "GROUPING SETS (($_[1]{k}), (), (), ($_[1]{k}, $_[1]{v} > 9))") },
	distinct_sets => sub { $_[0]{by} = 'DISTINCT '; $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => '<<count:*>>' }, "ROLLUP ($_[1]{k}), ROLLUP ($_[1]{k})") },
	no_set => sub { $_[0]->group({ u => '<<count:*>>', k => "'a'", v => '<<count:*>>' }, '()') }, keys_alone => sub { $_[0]->group({ u => '1', k => $_[1]{k}, v => '1' }, $_[1]{k}) },
	units => sub { $_[0]->group({ u => "<<count:DISTINCT $_[1]{u}>>", k => "<<count:DISTINCT $_[1]{k}>>", v => "<<sum:DISTINCT $_[1]{v}>>" }) },
	filter => sub { $_[0]->group({ u => "<<count:*>> FILTER (WHERE $_[1]{v} > 5)", k => "<<count:*>> FILTER (WHERE $_[1]{k} IS NULL)", v => "<<sum:$_[1]{v}>> FILTER (WHERE $_[1]{k}::text = 'a')" }) },
	having => sub { $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => "<<avg:$_[1]{v}>>" }, $_[1]{k}); push @{ $_[0]{having} }, '<<count:*>> > 3' },
	having_alone => sub { $_[0]->group({ u => '1', k => "'a'", v => '1' }); push @{ $_[0]{having} }, "<<sum:$_[1]{v}>> IS NOT NULL" },
	moments => sub { $_[0]->group({ u => '<<count:*>>', k => "<<stddev:$_[1]{v}>>", v => "<<variance:$_[1]{v}>>" }) }, extremes => sub { $_[0]->group({ u => "<<min:$_[1]{v}>>", k => "'a'", v => "<<max:$_[1]{v}>>" }) },
	percentile => sub { $_[0]->group({ u => "percentile_cont(0.5) WITHIN GROUP (ORDER BY $_[1]{v})", k => "'a'", v => "percentile_disc(0.9) WITHIN GROUP (ORDER BY $_[1]{v})" }) },
	percentiles => sub { $_[0]->group({ u => '<<count:*>>', k => "(percentile_cont(ARRAY[0.25,0.5,0.75]) WITHIN GROUP (ORDER BY $_[1]{v}))::text", v => '1' }) },
	mode => sub { $_[0]->group({ u => '1', k => "mode() WITHIN GROUP (ORDER BY $_[1]{k})", v => '1' }) }, booleans => sub { $_[0]->group({ u => '1', k => "bool_or($_[1]{v} > 5)", v => "every($_[1]{v} > 5)::int" }) },
	correlated => sub { $_[0]->group({ u => "regr_count($_[1]{v}, $_[1]{v})", k => "corr($_[1]{v}, $_[1]{v})", v => "covar_pop($_[1]{v}, $_[1]{v})" }) },
	unknown => sub { $_[0]->group({ u => '1', k => "string_agg($_[1]{k}::text, ',')", v => "max(length($_[1]{k}::text))" }) }, arrays => sub { $_[0]->group({ u => '1', k => "array_agg($_[1]{k})", v => '<<count:*>>' }) }, own_aggregate => sub { $_[0]->group({ u => '1', k => "gather($_[1]{k}::text)", v => '1' }) },
	ratio => sub { $_[0]->group({ u => '<<count:*>>', k => $_[1]{k}, v => "<<sum:$_[1]{v}>> / <<count:*>>" }, $_[1]{k}) }, quantiles => sub { $_[0]->group({ u => "dp_median($_[1]{v}, 0, 100)", k => "'a'", v => "dp_quantile($_[1]{v}, 0.9, 0, 100)" }) },
	interval => sub { $_[0]->group({ u => '<<count:*>>', k => 'dp_interval(dp_count(*))', v => "dp_avg($_[1]{v}, 0, 100)" }) }, lines => sub { $_[0]->group({ u => 'dp_count(*)', k => "'a'", v => "dp_regr_slope($_[1]{v}, $_[1]{v}, 0, 100, 0, 100)" }) },
	ordered => sub { $_[0]->group({ u => "count($_[1]{v} ORDER BY $_[1]{v})", k => "'a'", v => '1' }) }, many => sub { $_[0]->group({ map { $_ => join ' + ', map { "<<count:*>> FILTER (WHERE $_[1]{v} > $_)" } 1 .. 20 } qw(u v) , k => "'a'"}) },
	bucket => sub { $_[0]->group({ u => '<<count:*>>', k => "dp_agg.bucket($_[1]{v}, 0, 100, 4)", v => '<<count:*>>' }, 2) }, place => sub { $_[0]->group({ u => '<<count:*>>', k => "dp_agg.place($_[1]{k}::text, ARRAY['a','b'])", v => '<<count:*>>' }, 2) });

# What is made of the level's text as an object.
my %objects = (
	as_view => sub { object($_[0], 'VIEW') }, as_temp_view => sub { object($_[0], 'TEMP VIEW') }, as_table => sub { object($_[0], 'TEMP TABLE') }, as_matview => sub { object($_[0], 'MATERIALIZED VIEW') },
	as_invoker => sub { object($_[0], 'VIEW', 'WITH (security_invoker)') }, as_barrier => sub { object($_[0], 'VIEW', 'WITH (security_barrier)') },
	as_function => sub { routine($_[0], 'sql STABLE', '%s') }, as_volatile => sub { routine($_[0], 'sql VOLATILE', '%s') }, as_definer => sub { routine($_[0], 'sql STABLE SECURITY DEFINER', '%s') },
	as_plpgsql => sub { routine($_[0], 'plpgsql', 'BEGIN RETURN QUERY %s; END') }, as_caught => sub { routine($_[0], 'plpgsql', 'BEGIN RETURN QUERY %s; EXCEPTION WHEN division_by_zero THEN RAISE WARNING \'caught\'; RETURN; END') });

# Make an object of the text before the statement, and name it instead.
sub object
{
	my ($level, $kind, $options) = @_;
	my $name = name();
	push @{ $level->{after} }, sub {
		push @{ $level->{before} }, "CREATE $kind $name " . ($options // '') . ' AS ' . FuzzLevel::written($_[0], $level->{released} ? 'plain' : $level->{form});
		push @{ $level->{afterwards} }, 'DROP ' . ($kind =~ s/TEMP //r) . " IF EXISTS $name CASCADE";
		return "SELECT u, k, v FROM $name";
	};
	return;
}

# The same of a function of rows, whose type is a view's.
sub routine
{
	my ($level, $language, $body) = @_;
	my $name = name();
	push @{ $level->{after} }, sub {
		my $text = FuzzLevel::written($_[0], $level->{released} ? 'plain' : $level->{form});
		push @{ $level->{before} }, "CREATE VIEW ${name}_t AS $text", "CREATE FUNCTION $name() RETURNS SETOF ${name}_t LANGUAGE $language AS \$f\$" . sprintf($body, $text) . '$f$';
		push @{ $level->{afterwards} }, "DROP VIEW IF EXISTS ${name}_t CASCADE";
		return "SELECT u, k, v FROM $name()";
	};
	return;
}

for my $name (keys %rows) { my $do = $rows{$name}; $LEVELS{$name} = sub { $do->($_[0], $_[0]{raw}) } }
for my $name (keys %shown) { my $do = $shown{$name}; $LEVELS{$name} = sub { $do->($_[0], $_[0]{t}) } }
for my $name (keys %groups) { my $do = $groups{$name}; $LEVELS{"group_$name"} = sub { $do->($_[0], $_[0]{raw}) } }
$LEVELS{$_} = $objects{$_} for keys %objects;
our %GROUPS = map { ("group_$_" => 1) } keys %groups;

# Which features of a level come first where several are in one: groups, so that others are of these.
sub rank
{
	my ($name, $place) = @_;
	return $place =~ /^(?:having|having_raw|shown_of_group|beside_group|order_of_group|group|group_set|argument|filter|fraction|bound)$/ ? 0 : $place =~ /^(?:alone|no_from)$/ ? 2 : 1 if defined $place;
	return exists $GROUPS{$name} ? 0 : exists $objects{$name} ? 3 : $name =~ /^(?:union|intersect|except|with|sub|paren)/ ? 2 : 1;
}

# Expressions that are numbers: of a scope, an expression within it, and the related relation.
%EXPRESSIONS = (
	column => sub { $_[1] }, constant => sub { '7' }, arithmetic => sub { "($_[1] * 2 + 1)" }, division => sub { "($_[1] / ($_[1] - $_[1]))" }, modulo => sub { "(5 % NULLIF($_[1], 3)::int)" }, overflow => sub { "($_[1]::int * 2000000000)" },
	case => sub { "CASE WHEN $_[1] > 10 THEN $_[1] ELSE 0 END" }, coalesce => sub { "coalesce(NULLIF($_[1], 3), 5)" }, greatest => sub { "greatest($_[1], 3)" }, length => sub { "length($_[0]{k}::text)" }, condition => sub { "($_[1] > 10)::int" }, negation => sub { "(NOT ($_[1] > 10) AND $_[1] IS DISTINCT FROM 4)::int" },
	pattern => sub { "($_[0]{k}::text ~ '^a')::int" }, text_number => sub { "($_[1]::text)::int" }, date => sub { "extract(year FROM date '2020-01-01' + $_[1]::int)" }, bad_constant => sub { "($_[1] + 1 / 0)" }, null => sub { 'NULL::int' },
	of_public => sub { "(SELECT max(v) FROM shops)" }, of_public_row => sub { "(SELECT max(s.v) FROM shops s WHERE s.k = $_[0]{k}::text)" }, of_nothing => sub { "(SELECT $_[1])" }, of_unit => sub { "(SELECT $_[0]{u} IS NULL)::int" }, of_values => sub { "(SELECT x FROM (VALUES ($_[1])) y (x))" },
	of_subquery => sub { "(SELECT $_[1] FROM (SELECT s.u FROM $_[2] s) x LIMIT 1)" }, of_rows => sub { "(SELECT s.v FROM $_[2] s WHERE s.u = $_[0]{u} LIMIT 1)" }, of_column => sub { "(SELECT s.v FROM $_[2] s WHERE s.u = $_[0]{u})" },
	count_of_unit => sub { "(SELECT count(*) FROM $_[2] s WHERE s.u = $_[0]{u})" }, sum_of_unit => sub { "(SELECT sum(s.v + $_[1]) FROM $_[2] s WHERE s.u = $_[0]{u})" }, max_of_unit => sub { "(SELECT max(s.v) FROM $_[2] s WHERE s.u = $_[0]{u} AND s.v > $_[1])" },
	count_of_key => sub { "(SELECT count(*) FROM $_[2] s WHERE s.k = $_[0]{k})" }, release => sub { "(SELECT <<count:*>> FROM $_[2] s)" }, release_folded => sub { "(SELECT <<count:*>> FROM $_[2] s WHERE $_[1] IS NOT NULL OR true)" }, release_of_row => sub { "(SELECT <<count:*>> FROM $_[2] s WHERE s.v > $_[1])" },
	release_limit => sub { "(SELECT <<count:*>> FROM $_[2] s GROUP BY k ORDER BY 1 LIMIT 1)" }, outer_aggregate => sub { "(SELECT count($_[1]))" }, outer_sum => sub { "(SELECT sum($_[1]) FROM shops)" }, mixed_aggregate => sub { "(SELECT sum($_[1] + s.v) FROM $_[2] s)" }, outer_dp => sub { "(SELECT dp_count($_[0]{u}))" },
	exists => sub { "(EXISTS (SELECT 1 FROM $_[2] s WHERE s.u = $_[0]{u} AND s.v > $_[1]))::int" }, not_exists => sub { "(NOT EXISTS (SELECT FROM $_[2] s WHERE s.u = $_[0]{u}))::int" }, exists_free => sub { "(EXISTS (SELECT 1 FROM $_[2] s))::int" }, exists_public => sub { "(EXISTS (SELECT 1 FROM shops s WHERE s.v > $_[1]))::int" }, exists_group => sub { "(EXISTS (SELECT count(*) FROM $_[2] s WHERE s.u = $_[0]{u} HAVING count(*) > 1))::int" },
	exists_expression => sub { "(EXISTS (SELECT 1 WHERE $_[1] > 3))::int" }, in => sub { "($_[0]{u} IN (SELECT s.u FROM $_[2] s))::int" }, not_in => sub { "($_[0]{u} NOT IN (SELECT s.u FROM $_[2] s WHERE s.v > 3))::int" }, in_public => sub { "($_[1] IN (SELECT v FROM shops))::int" }, not_in_public => sub { "($_[1] NOT IN (SELECT v FROM shops))::int" }, in_values => sub { "($_[1] IN (VALUES (1), (2)))::int" }, in_expression => sub { "(5 IN (SELECT $_[1]))::int" },
	in_row => sub { "(($_[0]{u}, $_[0]{k}) IN (SELECT s.u, s.k FROM $_[2] s))::int" }, not_in_row => sub { "(($_[1], $_[1]) NOT IN (SELECT v, v FROM shops))::int" }, in_series => sub { "(($_[1], $_[1]) NOT IN (SELECT i, i FROM generate_series(1, 3000) i))::int" }, in_group => sub { "($_[0]{u} IN (SELECT s.u FROM $_[2] s GROUP BY s.u HAVING count(*) > 1))::int" }, in_release => sub { "($_[1] IN (SELECT <<count:*>> FROM $_[2] s GROUP BY k))::int" }, in_union => sub { "($_[1] IN (SELECT v FROM shops UNION SELECT 3))::int" }, in_window => sub { "($_[1] IN (SELECT row_number() OVER () FROM shops))::int" },
	any => sub { "($_[1] < ANY (SELECT s.v FROM $_[2] s WHERE s.u = $_[0]{u}))::int" }, all => sub { "($_[1] >= ALL (SELECT v FROM shops))::int" }, any_array => sub { "($_[1] = ANY (ARRAY[1, 2, 3]))::int" }, any_subarray => sub { "($_[1] = ANY (ARRAY(SELECT v::int FROM shops)))::int" }, any_param => sub { "($_[1] = ANY ('{1,2}'::int[]))::int" },
	array => sub { "cardinality(ARRAY(SELECT s.v FROM $_[2] s WHERE s.u = $_[0]{u}))" }, array_public => sub { "cardinality(ARRAY(SELECT v FROM shops))" }, array_of => sub { "(ARRAY[$_[1], 2])[1]" }, element => sub { "('{5,NULL,7}'::int[])[($_[1])::int]" }, array_release => sub { "cardinality(ARRAY(SELECT <<count:*>> FROM $_[2] s GROUP BY k))" }, row_compare => sub { "(($_[1], $_[1]) = (SELECT v, v FROM shops LIMIT 1))::int" }, row_literal => sub { "(ROW($_[1], 1) < ROW(3, 4))::int" }, row_release => sub { "(($_[1], 2) < (SELECT <<count:*>>, 2 FROM $_[2] s))::int" }, row_field => sub { '(ROW(1, 2)::pair).a' },
	nested => sub { "(SELECT count(*) FROM $_[2] s WHERE s.u = $_[0]{u} AND EXISTS (SELECT 1 FROM $_[2] s2 WHERE s2.u = $_[0]{u} AND s2.v > s.v))" }, skipping => sub { "(SELECT max(x) FROM (SELECT (SELECT $_[1]) AS x FROM shops) y)" }, with => sub { "(WITH w AS (SELECT $_[1] AS x) SELECT x FROM w)" }, with_public => sub { "(WITH w AS MATERIALIZED (SELECT max(v) AS x FROM shops) SELECT x FROM w)" }, union => sub { "(SELECT max(x) FROM (SELECT $_[1] AS x UNION ALL SELECT 3) y)" }, union_rows => sub { "(SELECT count(*) FROM (SELECT s.u FROM $_[2] s UNION ALL SELECT u FROM people) y WHERE y.u = $_[0]{u})" }, lateral => sub { "(SELECT max(y.x) FROM $_[2] s, LATERAL (SELECT s.v + $_[1] AS x) y WHERE s.u = $_[0]{u})" }, join => sub { "(SELECT count(*) FROM $_[2] s JOIN $_[2] s2 ON s2.u = s.u WHERE s.u = $_[0]{u})" }, full_join => sub { "(SELECT count(*) FROM $_[2] s FULL JOIN $_[2] s2 ON s2.u = s.u WHERE s.u = $_[0]{u})" },
	window => sub { "row_number() OVER (PARTITION BY $_[0]{u} ORDER BY $_[1])" }, window_sum => sub { "sum($_[1]) OVER (PARTITION BY $_[0]{u})" }, window_all => sub { "sum($_[1]) OVER ()" }, window_in => sub { "(SELECT max(x) FROM (SELECT row_number() OVER (PARTITION BY s.u) AS x FROM $_[2] s WHERE s.u = $_[0]{u}) y)" }, aggregate => sub { "<<sum:$_[1]>>" }, aggregate_window => sub { 'sum(count(*)) OVER ()' }, aggregate_twice => sub { "sum(sum($_[1]))" }, filtered => sub { "<<count:*>> FILTER (WHERE $_[1] > 5)" }, quantile => sub { "percentile_cont(0.5) WITHIN GROUP (ORDER BY $_[1])" }, dp => sub { "dp_sum($_[1], 0, 100)" }, dp_interval => sub { 'lower(dp_interval(dp_count(*)))' }, interval_of => sub { "upper(dp_interval(2 * dp_count(*) - dp_sum($_[1], 0, 100) / dp_count(*)))" },
	interval_share => sub { 'lower(dp_interval(100.0 * <<count:*>> / sum(<<count:*>>) OVER ()))' }, interval_of_column => sub { '(SELECT upper(dp_interval(sum(x))) FROM (SELECT <<count:*>> AS x FROM ' . $_[2] . ' s GROUP BY s.k) y)' },
	srf => sub { "generate_series(1, 2)" }, srf_of => sub { "generate_series(1, $_[1]::int % 3)" }, unnest => sub { "unnest(ARRAY[$_[1], 1])" }, grouping => sub { "GROUPING($_[0]{k})" }, random => sub { 'random()' }, now => sub { 'extract(year FROM now())' }, setting => sub { "current_setting('my.number', true)::int" }, user => sub { "(CURRENT_USER = 'x')::int" }, sequence => sub { "nextval('counter')" },
	sql_function => sub { "plus_one($_[1]::int)" }, plpgsql_function => sub { "plpgsql_plus($_[1]::int)" }, asking_function => sub { 'asks()' }, asking_of => sub { "asks_of($_[1]::int)" }, sql_asking => sub { 'sql_asks()' }, json => sub { "(jsonb_build_object('a', $_[1])->>'a')::numeric" }, xml => sub { "length(xmlelement(name a, $_[1])::text)" }, collate => sub { "($_[0]{k}::text COLLATE \"C\" < 'b')::int" }, domain => sub { "$_[1]::small" }, whole_row => sub { "(r IS NULL)::int" }, whole_text => sub { 'length(r::text)' }, predict => sub { "dp_predict(ARRAY[1, 2], ARRAY[1, $_[1]])" }, randomized => sub { 'dp_randomize(true, 1.0)::int' }, price => sub { "(SELECT sum(epsilon) FROM dp_agg.price('SELECT count(*) FROM people'))" }, bucket => sub { "dp_agg.bucket($_[1], 0, 100, 5)" }, cursor_state => sub { "(SELECT count(*) FROM pg_cursors)" }, catalog => sub { "(SELECT count(*) FROM pg_class WHERE relpages > $_[1])" });

# Where an expression may stand.
%PLACES = (
	value => sub { $_[0]{t}{v} = $_[1]->($_[0]{t}) }, extra => sub { push @{ $_[0]{extra} }, $_[1]->($_[0]{t}) . ' AS e' }, key => sub { $_[0]{t}{k} = $_[1]->($_[0]{t}) }, unit => sub { $_[0]{t}{u} = $_[1]->($_[0]{t}) },
	where => sub { push @{ $_[0]{where} }, $_[1]->($_[0]{raw}) . ' > 0' }, where_or => sub { push @{ $_[0]{where} }, "($_[0]{raw}{v} > 3 OR " . $_[1]->($_[0]{raw}) . ' = 5)' }, between => sub { push @{ $_[0]{where} }, "$_[0]{raw}{v} BETWEEN 0 AND " . $_[1]->($_[0]{raw}) },
	having => sub { $_[0]->group({ u => '<<count:*>>', k => $_[0]{raw}{k}, v => '1' }, $_[0]{raw}{k}); push @{ $_[0]{having} }, $_[1]->({ %{ $_[0]{raw} }, v => "<<sum:$_[0]{raw}{v}>>" }) . ' > 0' },
	having_raw => sub { $_[0]->group({ u => '<<count:*>>', k => "'a'", v => '1' }); push @{ $_[0]{having} }, $_[1]->($_[0]{raw}) . ' > 0' },
	shown_of_group => sub { $_[0]->group({ u => '<<count:*>>', k => $_[0]{raw}{k}, v => '1' }, $_[0]{raw}{k}); push @{ $_[0]{extra} }, $_[1]->({ %{ $_[0]{raw} }, v => '<<count:*>>' }) }, beside_group => sub { $_[0]->group({ u => '<<count:*>>', k => "'a'", v => '1' }); push @{ $_[0]{extra} }, $_[1]->($_[0]{raw}) },
	order => sub { push @{ $_[0]{order} }, $_[1]->($_[0]{t}) }, order_of_group => sub { $_[0]->group({ u => '<<count:*>>', k => $_[0]{raw}{k}, v => '1' }, $_[0]{raw}{k}); push @{ $_[0]{order} }, $_[1]->({ %{ $_[0]{raw} }, v => '<<count:*>>' }) },
	group => sub { my $e = $_[1]->($_[0]{raw}); $_[0]->group({ u => '<<count:*>>', k => $e, v => '1' }, $e) }, group_set => sub { my $e = $_[1]->($_[0]{raw}); $_[0]->group({ u => '<<count:*>>', k => $_[0]{raw}{k}, v => '1' }, "CUBE ($_[0]{raw}{k}, $e)") },
	argument => sub { $_[0]->group({ u => '<<count:*>>', k => "'a'", v => '<<sum:' . $_[1]->($_[0]{raw}) . '>>' }) }, filter => sub { $_[0]->group({ u => '<<count:*>>', k => "'a'", v => '<<count:*>> FILTER (WHERE ' . $_[1]->($_[0]{raw}) . ' > 1)' }) }, fraction => sub { $_[0]->group({ u => '1', k => "'a'", v => 'percentile_cont(' . $_[1]->({ %{ $_[0]{raw} }, v => '0.5' }) . ") WITHIN GROUP (ORDER BY $_[0]{raw}{v})" }) }, bound => sub { $_[0]->group({ u => '1', k => "'a'", v => "dp_sum($_[0]{raw}{v}, 0, " . $_[1]->({ %{ $_[0]{raw} }, v => '100' }) . ')' }) },
	on_nullable => sub { push @{ $_[0]{joins} }, " LEFT JOIN $_[0]{second} jo ON jo.u = $_[0]{raw}{u} AND " . $_[1]->({ u => 'jo.u', k => 'jo.k', v => 'jo.v' }) . ' > 0' },
	on_right => sub { push @{ $_[0]{joins} }, " RIGHT JOIN $_[0]{second} jo ON jo.u = $_[0]{raw}{u} AND " . $_[1]->($_[0]{raw}) . ' > 0' },
	on_full => sub { push @{ $_[0]{joins} }, " FULL JOIN $_[0]{second} jo ON jo.u = $_[0]{raw}{u} AND " . $_[1]->({ u => 'jo.u', k => 'jo.k', v => 'jo.v' }) . ' > 0' },
	on => sub { push @{ $_[0]{joins} }, " LEFT JOIN $_[0]{second} jo ON jo.u = $_[0]{raw}{u} AND " . $_[1]->($_[0]{raw}) . ' > 0' }, on_public => sub { push @{ $_[0]{joins} }, ' JOIN shops jo ON jo.v = ' . $_[1]->($_[0]{raw}) }, distinct_on => sub { $_[0]{distinct} = 'DISTINCT ON (' . $_[1]->($_[0]{t}) . ') ' }, limit => sub { $_[0]{tail} .= ' LIMIT ' . $_[1]->({ u => '1', k => "'a'", v => '3' }) }, offset => sub { $_[0]{tail} .= ' OFFSET ' . $_[1]->({ u => '1', k => "'a'", v => '0' }) },
	partition => sub { push @{ $_[0]{extra} }, "row_number() OVER (PARTITION BY $_[0]{t}{u}, " . $_[1]->($_[0]{t}) . ')' }, window_order => sub { push @{ $_[0]{extra} }, "rank() OVER (PARTITION BY $_[0]{t}{u} ORDER BY " . $_[1]->($_[0]{t}) . ')' }, window_argument => sub { push @{ $_[0]{extra} }, 'lag(' . $_[1]->($_[0]{t}) . ") OVER (PARTITION BY $_[0]{t}{u} ORDER BY $_[0]{t}{v})" }, frame => sub { push @{ $_[0]{extra} }, "sum($_[0]{t}{v}) OVER (PARTITION BY $_[0]{t}{u} ORDER BY $_[0]{t}{v} ROWS " . $_[1]->({ u => '1', k => "'a'", v => '2' }) . ' PRECEDING)' },
	lateral => sub { push @{ $_[0]{joins} }, ' CROSS JOIN LATERAL (SELECT ' . $_[1]->($_[0]{raw}) . ' AS x) jl' }, lateral_values => sub { push @{ $_[0]{joins} }, ', LATERAL (VALUES (1), (' . $_[1]->($_[0]{raw}) . ')) jl (x)' }, lateral_function => sub { push @{ $_[0]{joins} }, ', LATERAL generate_series(1, (' . $_[1]->($_[0]{raw}) . ')::int % 3) jl' }, function => sub { push @{ $_[0]{joins} }, ', some_rows((' . $_[1]->({ u => '1', k => "'a'", v => '2' }) . ')::int) jl' },
	alone => sub { push @{ $_[0]{after} }, do { my $e = $_[1]; sub { "SELECT q.u, q.k, " . $e->({ u => 'q.u', k => 'q.k', v => 'q.v' }) . " AS v FROM ($_[0]) q" } } }, no_from => sub { push @{ $_[0]{after} }, do { my $e = $_[1]; sub { "SELECT 1 AS u, 'a' AS k, " . $e->({ u => '1', k => "'a'", v => '2' }) . ' AS v' } } });

# Settings, as statements before.
%SETTINGS = (
	reuse => [q{SET dp_agg.kept_max_age = '1 day'}], rollup => [ q{SET dp_agg.kept_max_age = '1 day'}, 'SET dp_agg.kept_rollup = 2' ], clipping => ['SET dp_agg.clipping = auto'], clipping_groups => [q{SET dp_agg.clipping = 'auto'}, 'SET dp_agg.mechanism = gaussian'],
	sample => ['SET dp_agg.sample_rate = 0.5'], gaussian => ['SET dp_agg.mechanism = gaussian'], max_rows => [ 'SET dp_agg.max_rows = 100', 'SET dp_agg.max_groups = 50' ], join_rows => ['SET dp_agg.max_join_rows = 1'], values => ['SET dp_agg.max_values = 2'],
	plain_off => ['SET dp_agg.plain_aggregates = off'], raw_empty => ['SET dp_agg.raw_reads = empty'], raw_pages => ['SET dp_agg.raw_reads = empty_pages'], small_epsilon => ['SET dp_agg.epsilon = 0.01'], parallel => [ 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0', 'SET max_parallel_workers_per_gather = 2' ],
	parallel_reuse => [ q{SET dp_agg.kept_max_age = '1 day'}, 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0' ], generic => ['SET plan_cache_mode = force_generic_plan'], custom => ['SET plan_cache_mode = force_custom_plan'], work_mem => ['SET work_mem = 64'], no_hash => [ 'SET enable_hashagg = off', 'SET enable_hashjoin = off' ], no_sort => ['SET enable_sort = off', 'SET enable_mergejoin = off'],
	collapse => [ 'SET from_collapse_limit = 1', 'SET join_collapse_limit = 1' ], geqo => [ 'SET geqo_threshold = 2' ], jit => ['SET jit = on'], partitionwise => [ 'SET enable_partitionwise_aggregate = on', 'SET enable_partitionwise_join = on' ], read_only => ['SET default_transaction_read_only = on'], serializable => [q{SET default_transaction_isolation = 'serializable'}], repeatable => [q{SET default_transaction_isolation = 'repeatable read'}],
	row_security => ['SET row_security = off'], search_path => ['SET search_path = public, pg_catalog'], set_role => ['SET ROLE helper'], debug => ['SET debug_print_plan = on', 'SET debug_print_parse = on'], cursor_fraction => ['SET cursor_tuple_fraction = 0.01'], constraint => ['SET constraint_exclusion = on']);

# Routes to the executor besides those of FuzzRoute.  An error that a route makes itself is planned.
%ROUTES = (
	held_at_commit => sub { step('BEGIN', 0), step("DECLARE c CURSOR WITH HOLD FOR $_[0]", 0), step('COMMIT', 1), step('FETCH ALL FROM c', 0, rows => 1), step('CLOSE c', 0) },
	held_fetched => sub { step('BEGIN', 0), step("DECLARE c SCROLL CURSOR WITH HOLD FOR $_[0]", 0), step('FETCH 1 FROM c', 1), step('COMMIT', 0), step('FETCH BACKWARD ALL FROM c', 0), step('FETCH ABSOLUTE 1 FROM c', 0), step('CLOSE c', 0) },
	held_twice => sub { step('BEGIN', 0), step("DECLARE c CURSOR WITH HOLD FOR $_[0]; DECLARE d CURSOR WITH HOLD FOR $_[0]", 0), step('COMMIT', 2), step('CLOSE ALL', 0) },
	held_rolled_back => sub { step('BEGIN', 0), step('SAVEPOINT a', 0), step("DECLARE c CURSOR WITH HOLD FOR $_[0]", 0), step('ROLLBACK TO a', 0), step('COMMIT', 0) },
	fetched_and_aborted => sub { step('BEGIN', 0), step('SAVEPOINT a', 0), step("DECLARE c CURSOR FOR $_[0]", 0), step('FETCH 1 FROM c', 1), step('ROLLBACK TO a', 0), step('COMMIT', 0) },
	outer_cursor_aborted => sub { step('BEGIN', 0), step("DECLARE c CURSOR FOR $_[0]", 0), step('SAVEPOINT a', 0), step('FETCH 1 FROM c', 1), step('ROLLBACK TO a', 0), step('FETCH ALL FROM c', 1), step('COMMIT', 0) },
	first_fetch_late => sub { step('BEGIN', 0), step("DECLARE c CURSOR FOR $_[0]", 0), step('SAVEPOINT a; SELECT 1/0', 0, planned => 1), step('ROLLBACK TO a', 0), step('FETCH ALL FROM c', 1, rows => 1), step('COMMIT', 0) },
	scrolled => sub { step('BEGIN', 0), step("DECLARE c SCROLL CURSOR FOR $_[0]", 0), step('MOVE LAST FROM c', 1), step('FETCH BACKWARD 2 FROM c', 0), step('FETCH FIRST FROM c', 0), step('MOVE BACKWARD ALL FROM c', 0), step('FETCH ALL FROM c', 0, rows => 1), step('COMMIT', 0) },
	backward_first => sub { step('BEGIN', 0), step("DECLARE c SCROLL CURSOR FOR $_[0]", 0), step('FETCH BACKWARD 1 FROM c', 1), step('FETCH 0 FROM c', 1), step('FETCH PRIOR FROM c', 1), step('COMMIT', 0) },
	binary_cursor => sub { step('BEGIN', 0), step("DECLARE c BINARY CURSOR FOR $_[0]", 0), step('FETCH ALL FROM c', 1), step('COMMIT', 0) },
	cursor_in_do => sub { step('DO $do$ DECLARE c refcursor; r record; BEGIN OPEN c SCROLL FOR ' . $_[0] . '; FETCH c INTO r; MOVE LAST FROM c; FETCH PRIOR FROM c INTO r; CLOSE c; END $do$', 1) },
	cursor_bound => sub { step('DO $do$ DECLARE c CURSOR (n int) FOR SELECT * FROM (' . $_[0] . ') q LIMIT n; r record; BEGIN FOR r IN c (2) LOOP PERFORM r; END LOOP; END $do$', 1) },
	cursor_executed => sub { step('DO $do$ DECLARE c refcursor; r record; BEGIN OPEN c FOR EXECUTE $q$' . $_[0] . '$q$; LOOP FETCH c INTO r; EXIT WHEN NOT FOUND; END LOOP; END $do$', 1) },
	cursor_returned => sub { step('CREATE FUNCTION fr() RETURNS refcursor LANGUAGE plpgsql AS $f$DECLARE c refcursor := \'c\'; BEGIN OPEN c FOR ' . $_[0] . '; RETURN c; END$f$', 0), step('BEGIN', 0), step('SELECT fr()', 0), step('FETCH ALL FROM c', 1, rows => 1), step('COMMIT', 0), step('DROP FUNCTION fr', 0) },
	held_in_do => sub { step('DO $do$ BEGIN EXECUTE $q$DECLARE c CURSOR WITH HOLD FOR ' . $_[0] . '$q$; END $do$', 1), step('FETCH ALL FROM c', 0, rows => 1), step('CLOSE c', 0) },
	raised => sub { step('DO $do$ BEGIN PERFORM * FROM (' . $_[0] . ") q; RAISE EXCEPTION 'planned'; END \$do\$", 1, planned => 1) },
	raised_within => sub { step('SELECT 1 / (count(*) - count(*)) FROM (' . $_[0] . ') q', 1, planned => 1) },
	into => sub { step('DO $do$ DECLARE r record; n int; BEGIN SELECT * INTO r FROM (' . $_[0] . ') q; GET DIAGNOSTICS n = ROW_COUNT; END $do$', 1) },
	assigned => sub { step('DO $do$ DECLARE n bigint; BEGIN n := (SELECT count(*) FROM (' . $_[0] . ') q); IF EXISTS (' . $_[0] . ') THEN n := 1; END IF; END $do$', 2, planned => 1) },
	loop_left => sub { step('DO $do$ DECLARE r record; BEGIN FOR r IN ' . $_[0] . ' LOOP EXIT; END LOOP; FOR r IN EXECUTE $q$' . $_[0] . '$q$ LOOP RETURN; END LOOP; END $do$', 2) },
	loop_raised => sub { step('DO $do$ DECLARE r record; BEGIN FOR r IN ' . $_[0] . " LOOP BEGIN RAISE EXCEPTION 'x'; EXCEPTION WHEN OTHERS THEN END; END LOOP; END \$do\$", 1) },
	procedure => sub { step('CREATE PROCEDURE pr() LANGUAGE plpgsql AS $f$DECLARE r record; BEGIN FOR r IN ' . $_[0] . ' LOOP COMMIT; END LOOP; END$f$', 0), step('CALL pr()', 1), step('DROP PROCEDURE pr', 0) },
	procedure_rollback => sub { step('CREATE PROCEDURE pr() LANGUAGE plpgsql AS $f$BEGIN PERFORM * FROM (' . $_[0] . ') q; ROLLBACK; PERFORM 1; END$f$', 0), step('CALL pr()', 1), step('DROP PROCEDURE pr', 0) },
	function_sql => sub { step('CREATE FUNCTION fr() RETURNS bigint LANGUAGE sql AS $f$SELECT count(*) FROM (' . $_[0] . ') q$f$', 0), step('SELECT fr()', 1), step('SELECT fr(), fr()', 2), step('SELECT count(fr()) FROM generate_series(1, 3)', 3), step('DROP FUNCTION fr', 0) },
	function_atomic => sub { step('CREATE FUNCTION fr() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM (' . $_[0] . ') q; END', 0), step('SELECT fr()', 1), step('SELECT * FROM fr()', 1), step('DROP FUNCTION fr', 0) },
	function_parallel => sub { step('CREATE FUNCTION fr() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $f$BEGIN RETURN (SELECT count(*) FROM (' . $_[0] . ') q); END$f$', 0), step('SET force_parallel_mode = on', 0), step('SELECT fr()', 1, planned => 1), step('RESET force_parallel_mode', 0), step('DROP FUNCTION fr', 0) },
	function_caught => sub { step('CREATE FUNCTION fr() RETURNS text LANGUAGE plpgsql AS $f$BEGIN PERFORM * FROM (' . $_[0] . ') q; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END$f$', 0), step('SELECT fr()', 1), step('DROP FUNCTION fr', 0) },
	prepared_often => sub { step("PREPARE p AS $_[0]", 0), step('EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p', 6), step('EXPLAIN EXECUTE p', 0), step('EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE p', 1), step('CREATE TEMP TABLE kept AS EXECUTE p', 1), step('DEALLOCATE p; DROP TABLE kept', 0) },
	prepared_replanned => sub { step("PREPARE p AS $_[0]", 0), step('EXECUTE p', 1, rows => 1), step('CREATE TEMP TABLE kept (i int); ANALYZE mine', 0), step('EXECUTE p', 1, rows => 1), step('DEALLOCATE p; DROP TABLE kept', 0) },
	explained => sub { step("EXPLAIN (VERBOSE, FORMAT JSON, SETTINGS) $_[0]", 0), step("EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, FORMAT XML) $_[0]", 1) },
	explained_table => sub { step("EXPLAIN CREATE TABLE kept AS $_[0]", 0), step("EXPLAIN (ANALYZE, FORMAT YAML) CREATE TABLE kept AS $_[0]", 1), step('DROP TABLE IF EXISTS kept', 0) },
	explained_cursor => sub { step("EXPLAIN (VERBOSE) DECLARE c CURSOR FOR $_[0]", 0), step("EXPLAIN CREATE MATERIALIZED VIEW kept AS $_[0]", 0) },
	returning => sub { step("INSERT INTO target SELECT row_number() OVER (), 'x', 1 FROM ($_[0]) q RETURNING *", 1) }, returning_release => sub { step("INSERT INTO target VALUES (1, 'x', 1) RETURNING (SELECT count(*) FROM ($_[0]) q)", 1) },
	insert_default => sub { step("INSERT INTO target (u) SELECT (SELECT count(*) FROM ($_[0]) q)", 1) }, insert_conflict => sub { step("INSERT INTO target SELECT 1, 'x', 1 FROM ($_[0]) q ON CONFLICT DO NOTHING", 1) }, insert_values => sub { step("INSERT INTO target VALUES ((SELECT count(*) FROM ($_[0]) q), 'x', 1), (2, 'y', 2)", 1) },
	update => sub { step("UPDATE written SET v = (SELECT count(*) FROM ($_[0]) q) WHERE u = 1", 1) }, update_from => sub { step("UPDATE written SET v = 1 FROM ($_[0]) q WHERE written.u = 1", 1) }, delete => sub { step("DELETE FROM target WHERE u IN (SELECT 1 FROM ($_[0]) q)", 1) }, merge => sub { step("MERGE INTO target USING ($_[0]) q ON target.v = 1 WHEN NOT MATCHED THEN DO NOTHING", 1) },
	matview_concurrently => sub { step("CREATE MATERIALIZED VIEW kept AS SELECT row_number() OVER () AS n, q::text AS q FROM ($_[0]) q", 1), step('CREATE UNIQUE INDEX ON kept (n)', 0), step('REFRESH MATERIALIZED VIEW CONCURRENTLY kept', 1), step('REFRESH MATERIALIZED VIEW kept WITH NO DATA', 0), step('REFRESH MATERIALIZED VIEW kept', 1), step('DROP MATERIALIZED VIEW kept', 0) },
	matview_empty => sub { step("CREATE MATERIALIZED VIEW kept AS $_[0] WITH NO DATA", 0), step('REFRESH MATERIALIZED VIEW kept', 1), step('DROP MATERIALIZED VIEW kept', 0) }, table_empty => sub { step("CREATE TEMP TABLE kept AS $_[0] WITH NO DATA", 0), step('DROP TABLE kept', 0) },
	table_dropped => sub { step("CREATE TEMP TABLE kept ON COMMIT DROP AS $_[0]", 1) }, trigger => sub { step('CREATE TABLE guarded (i int)', 0), step('CREATE FUNCTION fr() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN PERFORM * FROM (' . $_[0] . ') q; RETURN NEW; END$f$', 0), step('CREATE TRIGGER t BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION fr()', 0), step('INSERT INTO guarded VALUES (1), (2)', 2), step('DROP TABLE guarded; DROP FUNCTION fr', 0) },
	deferred => sub { step('CREATE TABLE guarded (i int)', 0), step('CREATE FUNCTION fr() RETURNS trigger LANGUAGE plpgsql AS $f$BEGIN PERFORM * FROM (' . $_[0] . ') q; RETURN NEW; END$f$', 0), step('CREATE CONSTRAINT TRIGGER t AFTER INSERT ON guarded DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fr()', 0), step('BEGIN; INSERT INTO guarded VALUES (1)', 0), step('COMMIT', 1), step('DROP TABLE guarded; DROP FUNCTION fr', 0) },
	rule => sub { step('CREATE TABLE guarded (i int)', 0), step("CREATE RULE r AS ON INSERT TO guarded DO ALSO INSERT INTO target SELECT 1, 'x', count(*) FROM ($_[0]) q", 0), step('INSERT INTO guarded VALUES (1)', 1), step('DROP TABLE guarded', 0) },
	policy => sub { step('CREATE TABLE guarded (i int); INSERT INTO guarded VALUES (1); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', 0), step("CREATE POLICY p ON guarded USING (EXISTS ($_[0]))", 0), step('SELECT * FROM guarded', 1), step('DROP TABLE guarded', 0) },
	default_of_function => sub { step('CREATE FUNCTION fr() RETURNS bigint LANGUAGE plpgsql AS $f$BEGIN RETURN (SELECT count(*) FROM (' . $_[0] . ') q); END$f$', 0), step('CREATE TABLE guarded (i int, n bigint DEFAULT fr())', 0), step('INSERT INTO guarded VALUES (1); COPY (SELECT fr()) TO STDOUT', 2), step('DROP TABLE guarded; DROP FUNCTION fr', 0) },
	index_of_function => sub { step('CREATE FUNCTION fr(int) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $f$BEGIN RETURN (SELECT count(*) FROM (' . $_[0] . ') q); END$f$', 0), step('CREATE TABLE guarded (i int); INSERT INTO guarded VALUES (1)', 0), step('CREATE INDEX ON guarded (fr(i)); SELECT * FROM guarded WHERE fr(i) = 3', 3), step('DROP TABLE guarded; DROP FUNCTION fr', 0) },
	two_portals => sub { step('BEGIN', 0), step("DECLARE c CURSOR FOR $_[0]; DECLARE d CURSOR FOR $_[0]", 0), step('FETCH 1 FROM c; FETCH 1 FROM d; FETCH ALL FROM c; FETCH ALL FROM d', 2), step('COMMIT', 0) },
	in_own_transaction => sub { step('BEGIN', 0), step("CREATE TABLE kept (i int); $_[0]", 1), step('SET LOCAL dp_agg.epsilon = 5', 0), step("$_[0]", 1), step('ROLLBACK', 0) }, two_phase => sub { step('BEGIN', 0), step($_[0], 1, rows => 1), step(q{PREPARE TRANSACTION 'fz'}, 0), step(q{ROLLBACK PREPARED 'fz'}, 0) },
	copy_quoted => sub { step("COPY (SELECT q.*, 'x' FROM ($_[0]) q) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)", 1) }, copy_insert => sub { step("COPY (INSERT INTO target SELECT 1, 'x', count(*) FROM ($_[0]) q RETURNING *) TO STDOUT", 1) }, subselect_in_limit => sub { step("SELECT * FROM mine LIMIT (SELECT count(*) FROM ($_[0]) q)", 1) }, values_around => sub { step("VALUES ((SELECT count(*) FROM ($_[0]) q)), (1)", 1) },
	update_returning => sub { step("WITH q AS ($_[0]), z AS (UPDATE written SET v = v WHERE u = 1 RETURNING u) SELECT * FROM q, z", 1) }, series_around => sub { step("SELECT g, (SELECT count(*) FROM ($_[0]) q) FROM generate_series(1, 3) g", 1) }, parallel_outer => sub { step('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0', 0), step("SELECT m.k, (SELECT count(*) FROM ($_[0]) q), count(*) FROM mine m GROUP BY 1", 1), step('SELECT count(*) FROM mine m WHERE EXISTS (' . $_[0] . ')', 1) },
	bound => sub { step("SELECT q.* FROM ($_[0]) q WHERE \$1::int > 0 OR \$2::text IS NULL", 1, extended => 1, parameters => [ 1, 'x' ], rows => 1) }, prepared_parameter => sub { step("PREPARE p (int) AS SELECT q.*, \$1 FROM ($_[0]) q LIMIT \$1", 0), step('EXECUTE p(3)', 1), step('EXECUTE p(NULL)', 1), step('DEALLOCATE p', 0) });

# Ways of FuzzRoute that this has too, or that take time.
my %left = map { $_ => 1 } qw(cancelled);

sub route_names
{
	my %all = map { $_ => 1 } keys %ROUTES, grep { !$left{$_} } FuzzRoute::names(0);
	return keys %all;
}

# The steps of a route for a query.
sub route
{
	my ($name, $sql) = @_;
	return $ROUTES{$name}->($sql) if $ROUTES{$name};
	return map { { %$_, ($name eq 'trapped' ? (planned => 1) : ()) } } routes($name, $sql);
}

1;
