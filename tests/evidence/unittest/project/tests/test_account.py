import unittest

from bank.account import InsufficientFunds, transfer

from .base import BankTestCase


class TransferTest(BankTestCase):
    def test_money_moves(self):
        transfer(self.ann, self.bob, 2_500)
        self.assertBalances(7_500, 3_000)

    def test_the_limit_may_be_used_up(self):
        transfer(self.bob, self.ann, 1_500)
        self.assertBalances(11_500, -1_000)

    def test_more_than_the_limit_is_refused(self):
        with self.assertRaises(InsufficientFunds):
            transfer(self.bob, self.ann, 1_501)
        self.assertBalances(10_000, 500)


class WithdrawTest(BankTestCase):
    def test_amounts_are_positive(self):
        for cents in (0, -1):
            with self.subTest(cents=cents):
                self.assertRaises(ValueError, self.ann.withdraw, cents)


if __name__ == "__main__":
    unittest.main()
