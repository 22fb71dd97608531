"""Statements as text."""

import csv
import io


def read(text):
    rows = csv.DictReader(io.StringIO(text), delimiter=";")
    return [(row["date"], round(float(row["amount"]) * 100)) for row in rows]


def balance(entries):
    return sum(cents for _, cents in entries)
