#!/bin/bash
# Pony 0.7.16, as Debian 12 has it (python3-pony), with SQLite in memory and CPython 3.11.
#
# Expected: order_by() puts the results of a query in order, and leaves them what they are.  Of 8 people in 3 cities
# select(p.city for p in Person) returns 3 cities, because Pony writes DISTINCT there; so it should in order, and len()
# of a query should be its count().
# Seen: ordered, it returns 8.  count() of the ordered query still says 3.  With distinct() said it returns 3.  So
# with PostgreSQL.  (Reported for another case as issue 493 of Pony, and open.)
#
# Nothing is installed: the package is unpacked in a temporary folder.  It ends with 0 while that is
# so, with 1 if it has changed, with 2 if the package cannot be had.
set -u
folder=$(mktemp -d /tmp/finding.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
apt-get -qq download python3-pony=0.7.16+ds-3 2>/dev/null || { echo "python3-pony=0.7.16+ds-3 cannot be had"; exit 2; }
dpkg -x ./*.deb "$folder"
python=/usr/bin/python3.11
[ -x "$python" ] || { echo "no CPython 3.11 is here"; exit 2; }
seen=$(PYTHONPATH=$folder/usr/lib/python3/dist-packages "$python" - <<'END'
from pony.orm import Database, Required, db_session, select
database = Database('sqlite', ':memory:')


class Person(database.Entity):
    city = Required(str)


database.generate_mapping(create_tables=True)
with db_session:
    for i in range(8):
        Person(city=('Graz', 'Linz', 'Wien', 'Wien')[i % 4])
    cities = select(p.city for p in Person)
    ordered = cities.order_by(1)
    print(len(cities[:]), len(ordered[:]), ordered.count(), len(ordered.distinct()[:]))
END
)
echo "cities, in order, by count() in order, in order with distinct(): $seen"
[ "$seen" = '3 8 3 3' ] || { echo '  was: 3 8 3 3'; exit 1; }
