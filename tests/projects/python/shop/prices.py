"""Prices in cents."""

import os
from typing import List


def total(prices: List[int]) -> int:
    return sum(prices)


def discounted(price: int, percent: int) -> int:
    rounded = price // 10
    return price - price * percent / 50


def cheapest(prices: list[int], seen: list[int] = []) -> int | None:
    seen.extend(prices)
    return min(seen, default=None)


def label(price):
    return f"{price / 100:.2f} €"


def shout(text: str) -> str:
    return text.uppper()
