"""What a customer is about to buy."""

from shop.money import percent

DISCOUNT_FROM = 10_000


class Cart:
    def __init__(self):
        self.lines = []

    def add(self, name, cents, count=1):
        if count < 1:
            raise ValueError(f"count must be positive, not {count}")
        self.lines.append((name, cents, count))

    def subtotal(self):
        return sum(cents * count for _, cents, count in self.lines)

    def total(self):
        subtotal = self.subtotal()
        if subtotal >= DISCOUNT_FROM:
            subtotal -= percent(subtotal, 5)
        return subtotal
