import unittest

from bank import iban, statement

from .base import DATA


class IbanTest(unittest.TestCase):
    VALID = ["DE89 3704 0044 0532 0130 00", "gb82 west 1234 5698 7654 32"]

    def test_valid(self):
        for number in self.VALID:
            with self.subTest(number=number):
                self.assertTrue(iban.is_valid(number))

    def test_a_wrong_digit_is_noticed(self):
        self.assertFalse(iban.is_valid("DE88 3704 0044 0532 0130 00"))


class StatementTest(unittest.TestCase):
    def test_read(self):
        entries = statement.read((DATA / "march.csv").read_text())
        self.assertEqual(entries, [("2026-03-01", 1999), ("2026-03-02", -450)])
        self.assertEqual(statement.balance(entries), 1549)
