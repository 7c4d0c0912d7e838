"""Queries that peewee and Pony write.

usage: small_orms.py peewee|pony
"""
import os
import sys
from datetime import date
from decimal import Decimal

from client import Report

WHERE = {'host': os.environ['PGHOST'], 'port': int(os.environ['PGPORT']), 'user': os.environ['PGUSER']}


def one(value):
    return [], [[value]]


def peewee():
    import peewee as pw
    # Without autorollback the transaction in which a statement was refused goes on, and so do its errors.
    database = pw.PostgresqlDatabase(os.environ['PGDATABASE'], autorollback=True, **WHERE)

    class Person(pw.Model):
        id = pw.IntegerField(primary_key=True)
        city = pw.TextField()
        age = pw.IntegerField()
        points = pw.BigIntegerField()
        born = pw.DateField()

        class Meta:
            table_name = 'people'

    class Visit(pw.Model):
        person = pw.ForeignKeyField(Person, column_name='person')
        cost = pw.IntegerField()

        class Meta:
            table_name = 'visits'
            primary_key = False

    database.bind([Person, Visit])
    fn = pw.fn
    # Unless told otherwise, it makes what a function returns of the type of the field in it: a mean an int.
    groups = (Person.select(Person.city, fn.COUNT(Person.id).alias('n'), fn.AVG(Person.age).coerce(False).alias('a')).where(Person.age >= 30)
              .group_by(Person.city).having(fn.COUNT(Person.id) > 10).order_by(Person.city).limit(10))

    def many(query):
        return [], list(query.tuples())

    report = Report(lambda sql: database.execute_sql(sql).fetchone()[0], lambda error: error.__context__.pgcode)
    report.ask('count', lambda: one(Person.select().count()))
    report.ask('where', lambda: one(Person.select().where(Person.age.between(30, 50) & Person.city.in_(['Graz', 'Linz'])).count()))
    report.ask('groups', lambda: many(groups))
    report.ask('scalars', lambda: many(Person.select(fn.SUM(Person.points), fn.MIN(Person.born), fn.MAX(Person.age))))
    report.ask('distinct', lambda: one(Person.select(Person.city).distinct().count()))
    report.ask('joined', lambda: one(Person.select().join(Visit).where(Visit.cost > 100).count()))
    report.ask('exists', lambda: one(Person.select().where(Person.city == 'Wien').exists()))
    report.ask('nobody', lambda: one(Person.select().where(Person.city == 'Nowhere').exists()))
    report.refused('rows', lambda: many(Person.select().paginate(1, 10)))
    report.ask('after', lambda: one(Person.select().limit(10).count(clear_limit=True)))


def pony():
    from pony import orm
    database = orm.Database()
    database.bind('postgres', database=os.environ['PGDATABASE'], **WHERE)

    class Person(database.Entity):
        _table_ = 'people'
        id = orm.PrimaryKey(int)
        city = orm.Required(str)
        age = orm.Required(int)
        points = orm.Required(int, size=64)
        income = orm.Required(Decimal)
        born = orm.Required(date)

    # It asks for the columns by a condition that is false.
    database.generate_mapping(create_tables=False, check_tables=True)
    in_session = orm.db_session
    report = Report(in_session(lambda sql: database.select(sql)[0]), lambda error: error.original_exc.pgcode)
    report.ask('count', in_session(lambda: one(orm.count(p for p in Person))))
    report.ask('where', in_session(lambda: one(orm.select(p for p in Person if p.age >= 30 and p.city in ('Graz', 'Linz')).count())))
    report.ask('sum', in_session(lambda: one(orm.sum(p.points for p in Person))))
    report.ask('min', in_session(lambda: one(orm.min(p.born for p in Person))))
    report.ask('avg', in_session(lambda: one(orm.avg(p.age for p in Person))))
    report.ask('groups', in_session(lambda: ([], list(orm.select((p.city, orm.count(p)) for p in Person if orm.count(p) > 10).order_by(1)))))
    report.ask('cities', in_session(lambda: one(orm.count(p.city for p in Person))))
    report.refused('rows', in_session(lambda: ([], list(Person.select()[:10]))))


{'peewee': peewee, 'pony': pony}[sys.argv[1]]()
