--
-- caps on what all roles together learn of a data set
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE caps_ann;
CREATE ROLE caps_bob;
CREATE ROLE caps_officer;
SELECT dp_agg.set_budget('caps_ann', 1, 1e-6), dp_agg.set_budget('caps_bob', 1, 1e-6),
	dp_agg.set_budget('caps_bob', 1, 1e-6, 'other');
CREATE FUNCTION books() RETURNS TABLE (whose text, dataset text, epsilon numeric, statements bigint, refusals bigint)
LANGUAGE sql AS $$
SELECT * FROM (SELECT 'cap' AS whose, dataset, round(epsilon_spent::numeric, 6), statements, refusals FROM dp_agg.dataset_caps
UNION ALL
SELECT role::text, dataset, round(epsilon_spent::numeric, 6), statements, refusals FROM dp_agg.budgets) b ORDER BY 2, 1
$$;

\echo a cap counts what was spent before it, and what all roles spend
SELECT test_charge('caps_ann', 'default', 0.25), test_charge('caps_bob', 'default', 0.125);
SELECT test_charge('caps_bob', 'other', 0.5);
SELECT dp_agg.set_dataset_cap('default', 1, 1e-6);
SELECT * FROM books();
SELECT test_charge('caps_ann', 'default', 0.25), test_charge('caps_bob', 'default', 0.25);
SELECT * FROM books();

\echo both must admit a statement; whoever refuses, nobody pays
SELECT test_charge('caps_ann', 'default', 0.25);
SELECT test_charge('caps_ann', 'default', 0.75);
SELECT * FROM books();
SELECT event, payer, cap FROM dp_agg.ledger WHERE NOT admitted ORDER BY id;

\echo neither reset nor drop of a budget gives the cap anything back
SELECT dp_agg.reset_budget('caps_ann'), dp_agg.drop_budget('caps_bob');
SELECT dp_agg.set_budget('caps_bob', 1, 1e-6);
SELECT test_charge('caps_ann', 'default', 0.25), test_charge('caps_bob', 'default', 0.125);
SELECT test_charge('caps_bob', 'default', 0.03125);
SELECT * FROM books();

\echo a cap can be raised, lowered and dropped; other data sets do not care
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6);
SELECT test_charge('caps_bob', 'default', 0.5);
SELECT dp_agg.set_dataset_cap('default', 0.5, 1e-6);
SELECT test_charge('caps_bob', 'default', 0.001);
SELECT test_charge('caps_bob', 'other', 0.25);
SELECT * FROM books();
SELECT dp_agg.drop_dataset_cap('default');
SELECT test_charge('caps_bob', 'default', 0.25);
SELECT * FROM books();
SELECT * FROM dp_agg.verify_ledger();

\echo what a query is told
CREATE TABLE caps_people AS SELECT n AS id FROM generate_series(1, 100) n;
SELECT dp_agg.protect('caps_people', 'id');
GRANT USAGE ON SCHEMA public TO caps_bob;
SELECT dp_agg.set_dataset_cap('default', 1.5, 1e-6), dp_agg.set_budget('caps_bob', 10, 1e-6);
SELECT * FROM books() WHERE dataset = 'default';
SET ROLE caps_bob;
SET dp_agg.epsilon = 0.75;
SELECT dp_count(*) FROM caps_people;
SELECT epsilon, admitted FROM dp_agg.price('SELECT dp_count(*) FROM caps_people');
SET dp_agg.epsilon = 0.5;
SELECT epsilon, admitted FROM dp_agg.price('SELECT dp_count(*) FROM caps_people');
SELECT dp_count(*) BETWEEN 0 AND 200 AS answered FROM caps_people;
SELECT dp_count(*) FROM caps_people;

\echo caps are for administrators
SELECT * FROM dp_agg.dataset_caps;
SELECT count(*) FROM dp_agg.budgets WHERE role::oid = 0;
SELECT dp_agg.set_dataset_cap('default', 100, 0);
SELECT dp_agg.drop_dataset_cap('default');
RESET ROLE;
RESET dp_agg.epsilon;
GRANT EXECUTE ON FUNCTION dp_agg.set_dataset_cap TO caps_officer;
SET ROLE caps_officer;
SELECT dp_agg.set_dataset_cap('other', 9, 0);
RESET ROLE;
SELECT role, event, dataset, payer, pure_epsilon FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;

\echo arguments
SELECT dp_agg.set_dataset_cap('default', 0, 0);
SELECT dp_agg.set_dataset_cap('default', 'NaN', 0);
SELECT dp_agg.set_dataset_cap('default', 1, 1);
SELECT dp_agg.set_dataset_cap('', 1, 0);
SELECT dp_agg.set_dataset_cap(NULL, 1, 0);
SELECT dp_agg.set_dataset_cap(repeat('x', 64), 1, 0);
SELECT dp_agg.drop_dataset_cap('none');
SELECT dp_agg.drop_dataset_cap(NULL);
SELECT dp_agg.drop_budget('-', 'other');
SELECT dp_agg.reset_budget('-', 'other');
SELECT test_charge('-', 'other', 0.1);

\echo a cap that makes no sense lets nothing through
UPDATE dp_agg.budget SET pure_spent = 'NaN' WHERE role::oid = 0 AND dataset = 'other';
SELECT test_charge('caps_bob', 'other', 0.001);
SELECT test_peek('caps_bob', 'other');
SELECT dp_agg.drop_dataset_cap('other');
SELECT test_charge('caps_bob', 'other', 0.001);
SELECT problem FROM dp_agg.verify_ledger();
-- nor is one set over budgets that make none
UPDATE dp_agg.budget SET pure_spent = 'NaN' WHERE role = 'caps_bob'::regrole AND dataset = 'other';
SELECT dp_agg.set_dataset_cap('other', 1, 0);

SET client_min_messages = warning;
DROP TABLE caps_people;
REVOKE ALL ON SCHEMA public FROM caps_bob;
DROP FUNCTION books;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE caps_ann, caps_bob, caps_officer;
