"""The fees themselves."""

import typing as t
from datetime import date

import shelf.models as m

from ..models import Disc, Loan
from . import special

DAILY = 10
GRACE_DAYS, CEILING = 2, 2_000

T = t.TypeVar("T")


class Rated:
    """Whatever knows what a day costs."""

    def rate(self, loan: Loan) -> int:
        raise NotImplementedError


class FeeTable(Rated, t.Generic[T]):
    """Rates by kind of item."""

    def __init__(self, default: int = DAILY) -> None:
        self.default = default
        self.rates: dict[type, int] = {Disc: default * 2}

    def __getitem__(self, kind: type) -> int:
        return self.rates.get(kind, self.default)

    def rate(self, loan: Loan) -> int:
        return self[type(loan.item)]


_table: FeeTable = FeeTable()


def fee_for(loan: Loan, today: date) -> int:
    late = loan.overdue(today)
    if late <= GRACE_DAYS or special.is_free(today):
        return 0
    if loan.item.condition is m.Condition.LOST:
        return CEILING
    return min(CEILING, late * _table.rate(loan))


def total(loans, today, DAILY=0):
    """All fees, with a charge a loan."""
    if not loans:
        return 0
    first, *rest = loans
    return fee_for(first, today) + DAILY + total(rest, today, DAILY)
