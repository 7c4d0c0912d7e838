# shellcheck shell=bash
# Make the demo's database in a new cluster.  The official image's entry point reads this file
# into its own shell, where POSTGRES_USER and the function file_env are.
#
#   DP_ANALYST_PASSWORD, or the name of a file with it in DP_ANALYST_PASSWORD_FILE:
#   how the analyst logs in through the network; without it only sessions from within
#   the container, through the socket, are admitted
#
# Nothing is logged of what this runs, for passwords are in it.

demo_psql()
{
	PGOPTIONS='-c log_statement=none -c log_min_duration_statement=-1 -c log_min_error_statement=panic' \
		psql -X -q -v ON_ERROR_STOP=1 --no-password -U "$POSTGRES_USER" "$@" >/dev/null
}

file_env DP_ANALYST_PASSWORD
demo_psql -d postgres -c 'CREATE DATABASE demo'
demo_psql -d demo -f /usr/share/dp_agg/demo/data.sql
demo_psql -d demo -f /usr/share/dp_agg/demo/setup.sql
demo_psql -d demo -f /usr/share/dp_agg/demo/admit.sql
if [ -z "$DP_ANALYST_PASSWORD" ]; then
	echo 'dp_agg: no DP_ANALYST_PASSWORD: "analyst" can log in from within the container only' >&2
fi
unset DP_ANALYST_PASSWORD
