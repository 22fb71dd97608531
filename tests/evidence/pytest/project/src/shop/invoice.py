"""Invoices as text."""

from shop.money import percent, render


def invoice(cart, tax=19):
    total = cart.total()
    lines = [f"{count} x {name}: {render(cents)}" for name, cents, count in cart.lines]
    lines.append(f"tax: {render(percent(total, tax))}")
    lines.append(f"total: {render(total + percent(total, tax))}")
    return "\n".join(lines) + "\n"
