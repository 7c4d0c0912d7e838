"""Plain queries through psqlODBC, as spreadsheets and reporting programs send them.

usage: odbc.py [option of psqlODBC ...]
"""
import os
import sys
from datetime import date

import pyodbc

from client import Report

connection = pyodbc.connect(
    'Driver={PostgreSQL Unicode};Server=%(PGHOST)s;Port=%(PGPORT)s;Database=%(PGDATABASE)s;Uid=%(PGUSER)s;Pwd=none;' % os.environ
    + 'pqopt={options=' + os.environ['PGOPTIONS'].replace(' ', '\\ ') + '};' + ';'.join(sys.argv[1:]), autocommit=True)


def execute(sql, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(sql, *parameters)
        return [column[0] for column in cursor.description], [list(row) for row in cursor.fetchall()]


def tables():
    """What it lists, in place of an answer's columns."""
    return [row.table_name for row in connection.cursor().tables(schema='public')], []


report = Report(lambda sql: execute(sql)[1][0][0], lambda error: error.args[0])
report.ask('tables', tables)
report.ask('count', lambda: execute('SELECT count(*) FROM people'))
for age in 30, 50:
    report.ask('cities', lambda: execute(
        'SELECT city, count(*) AS n, avg(age)::float8 FROM people WHERE age >= ? GROUP BY city ORDER BY city', age))
report.ask('sums', lambda: execute('SELECT sum(age), sum(points), min(born), max(age) FROM people WHERE city = ?', 'Graz'))
report.ask('dates', lambda: execute('SELECT count(*) FROM people WHERE born < ? AND born > {d \'1940-01-01\'}', date(1950, 1, 1)))
report.ask('keys', lambda: execute('SELECT DISTINCT city FROM people ORDER BY city'))
report.refused('rows', lambda: execute('SELECT * FROM people WHERE id = ?', 1))
report.ask('after', lambda: execute('SELECT count(*) FROM visits'))
