"""Days on which nothing is charged."""

from __future__ import annotations

from datetime import date

from shelf.rules import fees

FREE_DAYS = frozenset({(1, 1), (4, 23), (12, 25)})


def is_free(today: date) -> bool:
    return (today.month, today.day) in FREE_DAYS


def rate(today: date) -> int:
    """What a day costs."""
    return 0 if is_free(today) else fees.DAILY


async def announce(days: list[date]) -> list[str]:
    async def line(day: date) -> str:
        return f"{day:%d %B}: {rate(day)}"

    return [await line(day) for day in days]
