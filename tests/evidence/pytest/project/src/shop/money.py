"""Amounts in cents."""


def percent(cents, rate):
    """The given percentage of an amount, half a cent rounded up."""
    return (cents * rate + 50) // 100


def render(cents, currency="EUR"):
    """An amount as a person reads it."""
    return f"{cents // 100}.{cents % 100:02d} {currency}"
