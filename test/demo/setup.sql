--
-- What the administrator does: protect the tables, admit an analyst.
--
\set ECHO queries
\echo
\echo '## What the administrator did:'
CREATE EXTENSION dp_agg;
SELECT dp_agg.protect('titanic', unit => 'id', dataset => 'titanic');
SELECT dp_agg.protect('visits', unit => 'patient', dataset => 'clinics',
                      max_rows => 12, max_groups => 2);
SELECT dp_agg.set_domain('visits', 'cost', 0, 300);
CREATE ROLE analyst LOGIN;
GRANT SELECT ON history_book TO analyst;
SELECT dp_agg.set_budget('analyst', epsilon => 2, delta => 1e-6, dataset => 'titanic');
SELECT dp_agg.set_budget('analyst', epsilon => 5, delta => 1e-6, dataset => 'clinics');
CREATE ROLE dashboard LOGIN;
CREATE ROLE developer LOGIN;
GRANT CREATE ON SCHEMA public TO developer;
SELECT dp_agg.set_budget('developer', epsilon => 2, delta => 1e-6, dataset => 'titanic');
ALTER ROLE dashboard SET dp_agg.kept_max_age = '1 day';
SELECT dp_agg.set_budget('dashboard', epsilon => 2, delta => 1e-6, dataset => 'titanic'),
       dp_agg.set_budget('dashboard', epsilon => 2, delta => 1e-6, dataset => 'clinics');
