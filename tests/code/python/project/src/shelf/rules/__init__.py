"""What late loans cost."""

from .fees import DAILY, fee_for
from .fees import FeeTable as Fees

__all__ = ["DAILY", "Fees", "fee_for", "is_blocked"]


def is_blocked(member, today) -> bool:
    """Whether somebody owes too much to borrow again."""
    owed = sum(fee_for(loan, today) for loan in member.loans)
    return owed > DAILY * 100
