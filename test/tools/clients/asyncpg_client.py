"""Queries through asyncpg, which prepares every one that has parameters, and keeps it.

usage: asyncpg_client.py
"""
import asyncio
import io
import os

import asyncpg

from client import Report

loop = asyncio.new_event_loop()
wait = loop.run_until_complete
# It reads libpq's variables, but for PGOPTIONS.
connection = wait(asyncpg.connect(server_settings={'options': os.environ['PGOPTIONS']}))
CITIES = 'SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= $1 GROUP BY city ORDER BY city'


def shown(rows):
    return (list(rows[0].keys()) if rows else []), [list(row.values()) for row in rows]


def fetch(sql, *parameters):
    return shown(wait(connection.fetch(sql, *parameters)))


async def through_cursor(sql, *parameters):
    async with connection.transaction():
        return [row async for row in connection.cursor(sql, *parameters, prefetch=2)]


async def after_savepoint():
    """An answer in a transaction in which something was refused."""
    async with connection.transaction():
        try:
            async with connection.transaction():
                await connection.fetch('SELECT * FROM nowhere')
        except asyncpg.PostgresError:
            pass
        return await connection.fetch('SELECT count(*) FROM people')


def copied(copy, *arguments, **options):
    output = io.BytesIO()
    wait(copy(*arguments, output=output, **options))
    return [], [line.split('\t') for line in output.getvalue().decode().splitlines()]


prepared = wait(connection.prepare(CITIES))
report = Report(lambda sql: wait(connection.fetchval(sql)), lambda error: getattr(error, 'sqlstate', None))
report.ask('count', lambda: fetch('SELECT count(*) FROM people'))
for age in 30, 30, 40, 40, 50, 50, 60:
    report.ask('cities', lambda: fetch(CITIES, age))
report.ask('prepared', lambda: shown(wait(prepared.fetch(30))))
report.ask('sums', lambda: fetch('SELECT sum(age), sum(points), min(born), max(age) FROM people WHERE city = ANY ($1)', ['Graz', 'Linz']))
report.ask('limited', lambda: fetch('SELECT city, count(*) FROM people GROUP BY city HAVING count(*) > $2 ORDER BY city LIMIT $1', 2, 10))
report.ask('there', lambda: fetch('SELECT 1 AS one FROM people WHERE city = $1 LIMIT $2', 'Wien', 1))
report.ask('cursor', lambda: shown(wait(through_cursor(CITIES, 30))))
report.ask('savepoint', lambda: shown(wait(after_savepoint())))
report.ask('copied', lambda: copied(connection.copy_from_query, 'SELECT city, count(*) FROM people WHERE age >= $1 GROUP BY city ORDER BY city', 30))
report.refused('rows', lambda: fetch('SELECT * FROM people WHERE id = $1', 1))
report.refused('rows by cursor', lambda: shown(wait(through_cursor('SELECT * FROM people'))))
report.refused('copy', lambda: copied(connection.copy_from_table, 'people'))
report.ask('after', lambda: fetch('SELECT count(*) FROM visits'))
