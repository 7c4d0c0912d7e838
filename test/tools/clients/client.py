"""What the Python clients print: a line of JSON for each question.

name, names of columns, the Python types of the first row's values, rows as text, and
how many statements the role was charged for it; or name and error.
"""
import json

CHARGED = "SELECT coalesce(sum(statements), 0)::int FROM dp_agg.budgets WHERE role = current_user::regrole"


class Report:
    def __init__(self, scalar, sqlstate):
        """scalar runs SQL of one value, sqlstate reads an exception's."""
        self.scalar = scalar
        self.sqlstate = sqlstate

    def ask(self, name, question):
        """Ask what returns names of columns and rows, and print that."""
        before = self.scalar(CHARGED)
        try:
            columns, rows = question()
        except Exception as error:
            self.say(name=name, error=str(error))
            return
        rows = [list(row) for row in rows]
        types = [type(value).__name__ for value in rows[0]] if rows else []
        self.say(name=name, columns=list(columns), types=types,
                 rows=[[None if value is None else str(value) for value in row] for row in rows],
                 charged=self.scalar(CHARGED) - before)

    def refused(self, name, question):
        """Ask for what only the owner may read; print how many rows came or the SQLSTATE."""
        before = self.scalar(CHARGED)
        try:
            answer = len(question()[1])
        except Exception as error:
            answer = self.sqlstate(error)
        self.say(name=name, answer=answer, charged=self.scalar(CHARGED) - before)

    def say(self, **line):
        print(json.dumps(line), flush=True)
