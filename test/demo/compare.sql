\set ECHO none
\pset footer off
\echo
\echo '## The administrator, who may read both tables, compares them by pairs of columns: the'
\echo '## mean of what shares of people differ by, from 0 to 2, beside what doc/accuracy.md says,'
\echo '## and what it would be if columns were independent.'
WITH v AS (SELECT 0 AS made, t.class, t.sex, t.age_group, t.survived FROM titanic t
           UNION ALL SELECT 1, l.* FROM titanic_like l),
     c AS (SELECT made, pair, x, y, count(*)::float8 / sum(count(*)) OVER (PARTITION BY made, pair) AS share
           FROM v, LATERAL (VALUES (1, class, sex), (2, class, age_group), (3, class, survived::text),
                (4, sex, age_group), (5, sex, survived::text), (6, age_group, survived::text)) p (pair, x, y)
           GROUP BY 1, 2, 3, 4),
     d AS (SELECT pair, x, y, sum(CASE made WHEN 0 THEN share ELSE -share END) AS off FROM c GROUP BY 1, 2, 3)
SELECT (sum(abs(off)) / 6)::numeric(5, 3) AS mean_error, 0.049 AS in_doc, 0.176 AS independent FROM d;
