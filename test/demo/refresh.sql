\set ECHO queries
\pset footer off
\echo
\echo '## Tools ask again and again. A dashboard of ten charts is refreshed a thousand times by'
\echo '## a role of its own. What it was answered is kept, and shown again for a day at no cost:'
SHOW dp_agg.kept_max_age;
\set ECHO none
SET client_min_messages = warning;
\o /dev/null
\i :refreshes
\o
\set ECHO queries
SELECT dataset, statements AS charged, replays, epsilon_spent::numeric(6,3) AS spent
FROM dp_agg.budgets ORDER BY dataset;
\echo '## Ten charges, and every refresh shows the same numbers. What they are, and how old:'
SELECT asked_at::date AS asked, rows, replays, question FROM dp_agg.kept ORDER BY asked_at LIMIT 3;
