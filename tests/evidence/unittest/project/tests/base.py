import unittest
from pathlib import Path

from bank.account import Account

DATA = Path(__file__).with_name("data")


class BankTestCase(unittest.TestCase):
    def setUp(self):
        self.ann = Account("ann", balance=10_000)
        self.bob = Account("bob", balance=500, limit=1_000)

    def assertBalances(self, ann, bob):
        self.assertEqual(self.ann.balance, ann)
        self.assertEqual(self.bob.balance, bob)
