\set ECHO queries
\pset footer off
\echo
\echo '## The role "developer" has to write a program for the table titanic and may not read'
\echo '## it either. Synthetic rows, for one epsilon however many, show what data look like.'
CREATE TABLE titanic_like AS
SELECT * FROM dp_synthesize('titanic', '{"class": ["1st", "2nd", "3rd", "crew"],
         "sex": ["male", "female"], "age_group": ["child", "adult"], "survived": true}',
         epsilon => 1)
    AS person (class text, sex text, age_group text, survived boolean);
SELECT * FROM titanic_like LIMIT 5;
SELECT count(*) AS people, count(*) FILTER (WHERE survived) AS survived FROM titanic_like;
\echo '## They are no sample: do not test hypotheses on them. Only some columns'
\echo '## depend on each other as they did.'
\echo
\echo '## What has to hold of the people on board is asked of their rows: which of these tells best'
\echo '## who survived? Each is held against all rows, and the one named errs as little as any, or'
\echo '## on a few rows more. The whole answer costs 0.1.'
SELECT candidate FROM dp_select_model('titanic', 'survived', ARRAY['sex = ''female''', 'age_group = ''child''',
         'class = ''1st''', 'class <> ''crew''', 'sex = ''female'' AND class <> ''3rd'''], 0.1);
