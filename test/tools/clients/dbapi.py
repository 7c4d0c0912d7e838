"""Plain queries through psycopg2 or psycopg 3, as an application sends them.

usage: dbapi.py psycopg2|psycopg [prepared]

PGHOST and its like say where to.  Prints what client.Report does.
"""
import importlib
import sys

from client import Report

driver = importlib.import_module(sys.argv[1])
prepared = 'prepared' in sys.argv
connection = driver.connect('')
connection.autocommit = True
names = {}


def execute(sql, parameters=None):
    """Run a statement with parameters of the driver's own style; returns names and rows."""
    with connection.cursor() as cursor:
        if prepared:
            cursor.execute(sql, parameters, prepare=True)
        else:
            cursor.execute(sql, parameters)
        return [column[0] for column in cursor.description], cursor.fetchall()


report = Report(lambda sql: execute(sql)[1][0][0], lambda error: getattr(error, 'pgcode', None) or getattr(error, 'sqlstate', None))
report.ask('count', lambda: execute('SELECT count(*) FROM people'))
for age in 30, 50:
    report.ask('cities', lambda: execute(
        'SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= %s GROUP BY city ORDER BY city', (age,)))
report.ask('sums', lambda: execute(
    'SELECT sum(age), sum(points), sum(income), min(born), max(age) FROM people WHERE city = %s', ('Graz',)))
report.ask('units', lambda: execute('SELECT count(DISTINCT id) FROM people WHERE active'))
report.ask('keys', lambda: execute('SELECT DISTINCT city FROM people ORDER BY city'))
report.ask('probe', lambda: execute('SELECT * FROM people LIMIT 0'))
report.refused('rows', lambda: execute('SELECT * FROM people WHERE id = %s', (1,)))
report.ask('after', lambda: execute('SELECT count(*) FROM visits'))
