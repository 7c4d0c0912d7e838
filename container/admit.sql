--
-- Who may log in to the demo, and what PostgreSQL would show them of it.
--
\getenv password DP_ANALYST_PASSWORD
\getenv unset DP_SUPERUSER_WITHOUT_PASSWORD
SELECT :'password' <> '' AS has_password \gset
\if :has_password
	ALTER ROLE analyst PASSWORD :'password';
\endif
\if :{?unset}
	ALTER ROLE CURRENT_USER PASSWORD NULL;
\endif
ALTER ROLE analyst SET dp_agg.kept_max_age = '1 day';
SELECT * FROM dp_agg.harden(true);
