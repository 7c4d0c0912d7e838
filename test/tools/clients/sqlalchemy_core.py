"""Queries that SQLAlchemy writes, and pandas reads through it.

usage: sqlalchemy_core.py alchemy|pandas

The table is reflected from the catalog: nothing about its columns is known beforehand.
"""
import sys

from sqlalchemy import MetaData, Table, create_engine, distinct, func, select, text
from sqlalchemy.exc import DBAPIError

from client import Report

engine = create_engine('postgresql+psycopg2://', isolation_level='AUTOCOMMIT')
connection = engine.connect()
people = Table('people', MetaData(), autoload_with=engine)
report = Report(lambda sql: connection.execute(text(sql)).scalar(),
                lambda error: error.orig.pgcode if isinstance(error, DBAPIError) else None)


def execute(statement):
    result = connection.execute(statement)
    return list(result.keys()), result.fetchall()


def frame(sql, **parameters):
    """What pandas makes of an answer: its columns, and rows of its own types."""
    import pandas
    answer = pandas.read_sql(text(sql), connection, params=parameters)
    return list(answer.columns), list(answer.itertuples(index=False))


if sys.argv[1] == 'alchemy':
    report.ask('count', lambda: execute(select(func.count()).select_from(people)))
    report.ask('cities', lambda: execute(
        select(people.c.city, func.count().label('n'), func.avg(people.c.age))
        .where(people.c.age >= 30).group_by(people.c.city).order_by(people.c.city)))
    report.ask('having', lambda: execute(
        select(people.c.city, func.sum(people.c.points)).group_by(people.c.city)
        .having(func.count(people.c.id) > 3000)))
    report.ask('sums', lambda: execute(
        select(func.sum(people.c.age), func.sum(people.c.points), func.sum(people.c.income), func.min(people.c.born), func.max(people.c.age))
        .where(people.c.city.in_(['Graz', 'Linz']))))
    report.ask('units', lambda: execute(select(func.count(distinct(people.c.id)))))
    report.ask('keys', lambda: execute(select(people.c.city).distinct().order_by(people.c.city)))
    report.ask('subquery', lambda: execute(
        select(func.count()).select_from(select(people.c.city).group_by(people.c.city).subquery())))
    report.refused('rows', lambda: execute(select(people).limit(5)))
else:
    report.ask('count', lambda: frame('SELECT count(*) AS n FROM people'))
    report.ask('cities', lambda: frame(
        'SELECT city, count(*) AS n, avg(age)::float8 AS age FROM people WHERE age >= :age GROUP BY city ORDER BY city', age=30))
    report.ask('months', lambda: frame(
        "SELECT date_trunc('month', at) AS month, count(*) AS n, sum(cost) AS cost FROM visits GROUP BY 1 ORDER BY 1"))
    report.ask('probe', lambda: frame('SELECT * FROM people LIMIT 0'))
    report.refused('rows', lambda: frame('SELECT * FROM people LIMIT 5'))
