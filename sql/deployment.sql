--
-- deployment: the record of a data set for those who answer for it
--
CREATE EXTENSION dp_agg;
CREATE ROLE deployment_owner;
CREATE ROLE deployment_auditor;
CREATE ROLE deployment_analyst;
CREATE ROLE deployment_other;
CREATE SCHEMA deployment AUTHORIZATION deployment_owner;
GRANT USAGE ON SCHEMA deployment TO deployment_analyst, deployment_other;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO deployment_owner;
SET ROLE deployment_owner;
CREATE TABLE deployment.people (id int PRIMARY KEY, city text, age int, note text);
INSERT INTO deployment.people SELECT i, 'c', i % 90, 'secret' FROM generate_series(1, 100) i;
CREATE TABLE deployment.visits (person int, cost int);
SELECT dp_agg.protect('deployment.people', 'id', 'clinic'), dp_agg.protect('deployment.visits', 'person', 'clinic', max_rows => 3, max_groups => 2);
SELECT dp_agg.set_domain('deployment.people', 'age', 0, 120), dp_agg.set_domain('deployment.people', 'city', '{c,d}'::text[]), dp_agg.hide_column('deployment.people', 'note');
RESET ROLE;
SELECT dp_agg.set_budget('deployment_analyst', 2, 1e-6, 'clinic'), dp_agg.set_budget('deployment_other', 1, 0, 'clinic');

-- who may see it: nobody by EXECUTE alone, and its owner no other data set's
SELECT has_function_privilege('deployment_other', 'dp_agg.deployment_record(text)', 'EXECUTE') AS by_default,
	has_function_privilege('deployment_other', 'dp_agg.set_contact(text, jsonb)', 'EXECUTE') AS contact_by_default;
CREATE FUNCTION complaint(role name, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE 'SELECT ' || call INTO result;
	RESET ROLE;
	RETURN 'none: ' || result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT role, complaint(role, 'dp_agg.deployment_record(''clinic'') ->> ''dataset''') FROM unnest(ARRAY['deployment_owner', 'deployment_auditor', 'deployment_analyst']) role;
GRANT EXECUTE ON FUNCTION dp_agg.deployment_record TO deployment_owner, deployment_auditor, deployment_analyst;
GRANT USAGE ON SCHEMA dp_agg TO deployment_auditor;
GRANT SELECT ON dp_agg.ledger TO deployment_auditor;
SELECT dp_agg.set_budget('deployment_other', 1, 0, 'another');
SELECT CASE role WHEN current_user THEN 'superuser' ELSE role END AS role, dataset, complaint(role, format('dp_agg.deployment_record(%L) ->> ''dataset''', dataset))
FROM unnest(ARRAY['deployment_owner', 'deployment_auditor', 'deployment_analyst', current_user]) role, unnest(ARRAY['clinic', 'another', 'none']) dataset
WHERE role <> current_user OR dataset = 'none';
CREATE TABLE theirs (person int);
SELECT dp_agg.protect('theirs', 'person', 'clinic');
SELECT complaint('deployment_owner', 'dp_agg.deployment_record(''clinic'') ->> ''dataset''');
SELECT dp_agg.unprotect('theirs');
DROP TABLE theirs;
SELECT dp_agg.drop_budget('deployment_other', 'another');

-- what people tell of it
SELECT fields, complaint(current_user, format('dp_agg.set_contact(''clinic'', %L)', fields)) FROM unnest(ARRAY[
	'[]', '{"nam": "x"}', '{"name": 1}', '{"data_curators": "x"}', '{"data_curators": ["x", 1]}']) fields;
SELECT complaint(current_user, 'dp_agg.set_contact('''', ''{}'')'), complaint(current_user, 'dp_agg.set_contact(NULL, ''{}'')');
SELECT dp_agg.set_contact('clinic', '{"name": "Clinic", "data_curators": ["Clinic Ltd"], "contact": "dpo@clinic.example"}');
SELECT dp_agg.deployment_record('clinic') -> 'deployment' -> 'basic' -> 'data_curators' AS curators, dp_agg.deployment_record('clinic') -> 'contact' AS contact;
SELECT dp_agg.set_contact('clinic', '{"name": "Clinics"}');
SELECT dp_agg.deployment_record('clinic') -> 'deployment' -> 'basic' AS basic, dp_agg.deployment_record('clinic') -> 'contact' AS contact;
SELECT dp_agg.set_contact('clinic', NULL);
SELECT dp_agg.deployment_record('clinic') #> '{deployment,basic,name}' AS name, (SELECT count(*) FROM dp_agg.contact) AS rows;

-- budgets: what holds are the greatest limits of the history, of all roles their sum; the variant by delta
CREATE VIEW guarantee AS SELECT g.* FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_record(r -> 'guarantee') g (by text, epsilon float8, delta float8, refreshes boolean, earlier_histories int, earlier_epsilon float8, earlier_delta float8);
SELECT * FROM guarantee;
SET ROLE deployment_analyst;
SET client_min_messages = warning;
SELECT dp_count(*) IS NOT NULL AS answered FROM deployment.people;
SELECT count(*) = 1 AS answered FROM (SELECT dp_median(age) FROM deployment.people) q;
RESET client_min_messages;
RESET ROLE;
SELECT dp_agg.set_budget('deployment_analyst', 3, 1e-7, 'clinic'), dp_agg.set_budget('deployment_analyst', 1, 1e-7, 'clinic');
SELECT * FROM guarantee;
SELECT b.* FROM dp_agg.deployment_record('clinic') r, jsonb_to_recordset(r -> 'budgets') b
	(role name, epsilon float8, delta float8, epsilon_limit float8, delta_limit float8, refresh text, statements int);

-- another history begins: the one before adds up
SELECT dp_agg.reset_budget('deployment_analyst', 'clinic');
SELECT * FROM guarantee;

-- a cap bounds what it has counted, and what ended before it does not belong to that
SELECT dp_agg.set_dataset_cap('clinic', 1.5, 1e-5), dp_agg.set_budget('deployment_other', 1, 0, 'clinic', refresh => '30 days');
SET ROLE deployment_analyst;
SELECT dp_count(*) IS NOT NULL AS answered FROM deployment.people;
RESET ROLE;
SELECT dp_agg.drop_budget('deployment_analyst', 'clinic');
SELECT * FROM guarantee;
SELECT dp_agg.deployment_record('clinic') #>> '{deployment,privacy_loss,privacy_parameters_details}' AS details;
SELECT p.prior, p.membership = dp_accountant.max_posterior(p.prior, 1.5, 1e-5) AS membership FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_recordset(r #> '{guarantee,posterior}') p (prior float8, membership float8);

-- budgets that nobody counts
SELECT dp_agg.drop_dataset_cap('clinic'), dp_agg.set_budget('deployment_other', 1e6, 0, 'clinic'), dp_agg.set_budget('deployment_auditor', 1, 0, 'clinic');
CREATE VIEW guesses AS SELECT r #> '{guarantee,epsilon}' AS epsilon, p.* FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_recordset(r #> '{guarantee,posterior}') p (prior float8, membership float8, value float8);
SELECT * FROM guesses;
SELECT dp_agg.drop_budget('deployment_auditor', 'clinic'), dp_agg.set_budget('deployment_other', 1e7, 0, 'clinic');
SELECT by, epsilon, delta FROM guarantee;
SELECT * FROM guesses;
DROP VIEW guesses;
SELECT dp_agg.set_budget('deployment_other', 1, 0, 'clinic');

-- tables and what was asked of them, without a row's value or a condition's constant
SELECT t.relation, t.unit, t.max_rows, t.max_groups, c.* FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_recordset(r -> 'tables') t (relation text, unit text, max_rows int, max_groups int, columns jsonb),
	jsonb_to_recordset(t.columns) c ("column" text, type text, lower text, upper text, keys int, hidden boolean);
SELECT m.* FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_recordset(r -> 'mechanisms') m (mechanism text, aggregates text[], releases int, least_epsilon float8, greatest_epsilon float8);
SELECT dp_agg.deployment_record('clinic')::text ~ 'secret' AS shows_a_value;

-- one person more, and it says the same
CREATE TABLE before AS SELECT dp_agg.deployment_record('clinic') - 'made_at' AS record;
INSERT INTO deployment.people VALUES (1000, 'd', 120, 'outlier');
ANALYZE deployment.people;
SELECT dp_agg.deployment_record('clinic') - 'made_at' = record AS unchanged FROM before;

-- side channels of the server, before they are closed and after
SELECT c.channel, bool_or(c.open) AS open FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_recordset(r #> '{side_channels,postgresql}') c (channel text, open boolean) GROUP BY 1 ORDER BY 1;
BEGIN;
SELECT count(*) > 5 AS closed FROM dp_agg.harden(true);
SELECT c.channel, bool_or(c.open) AS open FROM dp_agg.deployment_record('clinic') r,
	jsonb_to_recordset(r #> '{side_channels,postgresql}') c (channel text, open boolean) GROUP BY 1 ORDER BY 1;
ROLLBACK;

-- settings of roles
ALTER ROLE deployment_analyst SET dp_agg.epsilon = 0.5;
SELECT s.* FROM dp_agg.deployment_record('clinic') r, jsonb_to_recordset(r -> 'role_settings') s (role name, database name, setting text, value text)
	WHERE role = 'deployment_analyst';

DROP VIEW guarantee;
DROP TABLE before;
SELECT dp_agg.drop_budget('deployment_other', 'clinic');
DROP FUNCTION complaint(name, text);
DROP OWNED BY deployment_owner, deployment_auditor, deployment_analyst, deployment_other;
DROP EXTENSION dp_agg;
DROP ROLE deployment_owner, deployment_auditor, deployment_analyst, deployment_other;
