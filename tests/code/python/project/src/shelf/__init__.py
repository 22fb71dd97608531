"""Loans of a small library."""

from .models import Book, Loan, Member
from .rules import *
from .store import Store as Library

__all__ = ["Book", "Library", "Loan", "Member", "fee_for", "open_library"]
__version__ = "1.4.0"


def open_library(path: str | None = None) -> Library:
    """A library kept in a file, or only in memory."""
    from .store import FileStore

    if path is None:
        return Library()
    return FileStore(path)
