"""Opening hours."""

import datetime


def is_open(now=None):
    now = now or datetime.datetime.now()
    return now.weekday() < 5 and 9 <= now.hour < 17
