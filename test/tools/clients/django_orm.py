"""Queries that Django's ORM writes of a model of a table that it does not manage.

usage: django_orm.py
"""
import os

import django
from django.conf import settings
from django.db import DatabaseError, connection, models

from client import Report

settings.configure(DATABASES={'default': {
    'ENGINE': 'django.db.backends.postgresql', 'HOST': os.environ['PGHOST'], 'PORT': os.environ['PGPORT'],
    'NAME': os.environ['PGDATABASE'], 'USER': os.environ['PGUSER']}}, USE_TZ=True, TIME_ZONE='UTC')
django.setup()


class People(models.Model):
    id = models.IntegerField(primary_key=True)
    city = models.TextField()
    age = models.IntegerField()
    points = models.BigIntegerField()
    income = models.DecimalField(max_digits=10, decimal_places=2)
    born = models.DateField()
    active = models.BooleanField()

    class Meta:
        app_label = 'clinic'
        db_table = 'people'
        managed = False


def scalar(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def one(values):
    """An answer of one row, which Django returns as a dictionary."""
    return list(values), [list(values.values())]


def many(query, *columns):
    return columns, list(query.values_list(*columns))


report = Report(scalar, lambda error: error.__cause__.pgcode if isinstance(error, DatabaseError) else None)
objects = People.objects
report.ask('count', lambda: (['count'], [[objects.count()]]))
report.ask('cities', lambda: many(
    objects.filter(age__gte=30).values('city').annotate(n=models.Count('id'), avg=models.Avg('age')).order_by('city'),
    'city', 'n', 'avg'))
report.ask('sums', lambda: one(objects.filter(city__in=['Graz', 'Linz']).aggregate(
    models.Sum('age'), models.Sum('points'), models.Sum('income'), models.Min('born'), models.Max('age'))))
report.ask('filtered', lambda: one(objects.aggregate(old=models.Count('id', filter=models.Q(age__gt=50)))))
report.ask('keys', lambda: many(objects.values('city').distinct().order_by('city'), 'city'))
report.ask('exists', lambda: (['exists'], [[objects.filter(city='Wien').exists()]]))
report.refused('rows', lambda: many(objects.all()[:5], 'id', 'age'))
