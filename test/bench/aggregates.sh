#!/bin/sh
# aggregates.sh
#	  Measure the exact aggregates against PostgreSQL's own.
#
# Needs a database with the extension, reached by the usual PG* variables as a
# superuser.  aggregates.sh [rows [runs]]: 5 million rows and 7 runs by default.
set -eu
exec "${PSQL:-psql}" -X -q -v rows="${1:-5000000}" -v runs="${2:-7}" \
	-f "$(dirname "$0")/aggregates.sql"
