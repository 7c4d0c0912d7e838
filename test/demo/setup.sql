--
-- What the administrator does: protect the tables, admit an analyst.
--
CREATE EXTENSION dp_agg;
SELECT dp_agg.harden(apply => true);

SELECT dp_agg.protect('titanic', 'id', dataset => 'titanic');
SELECT dp_agg.protect('visits', 'patient', dataset => 'clinics', max_rows => 12, max_groups => 2);

CREATE ROLE analyst LOGIN;
SELECT dp_agg.set_budget('analyst', epsilon => 2, delta => 1e-6, dataset => 'titanic');
SELECT dp_agg.set_budget('analyst', epsilon => 10, delta => 1e-6, dataset => 'clinics');
SELECT dp_agg.set_dataset_cap('titanic', epsilon => 4, delta => 1e-6);
