"""Accounts in cents."""


class InsufficientFunds(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0, limit=0):
        self.owner = owner
        self.balance = balance
        self.limit = limit

    def withdraw(self, cents):
        if cents <= 0:
            raise ValueError("amount must be positive")
        if self.balance - cents < -self.limit:
            raise InsufficientFunds(self.owner)
        self.balance -= cents

    def deposit(self, cents):
        self.balance += cents


def transfer(source, target, cents):
    source.withdraw(cents)
    target.deposit(cents)
