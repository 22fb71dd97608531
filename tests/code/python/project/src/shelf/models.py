"""What the library lends, and to whom."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple, NewType

if TYPE_CHECKING:
    from .store import Store

MemberId = NewType("MemberId", int)

type Catalogue = dict[str, Book]

DEFAULT_DAYS: int = 21
MAX_RENEWALS = 2


class Shelfmark(NamedTuple):
    section: str
    number: int

    def __str__(self) -> str:
        return f"{self.section}/{self.number:03d}"


class Condition(enum.Enum):
    GOOD = "good"
    WORN = "worn"
    LOST = "lost"

    @property
    def lendable(self) -> bool:
        return self is not Condition.LOST


@dataclass(slots=True)
class Item:
    """Anything with a title and a place."""

    title: str
    mark: Shelfmark
    condition: Condition = Condition.GOOD

    def label(self) -> str:
        return f"{self.mark} – {self.title}"

    def days(self) -> int:
        return DEFAULT_DAYS


@dataclass
class Book(Item):
    isbn: str = ""
    authors: list[str] = field(default_factory=list)

    def label(self) -> str:
        base = super().label()
        return f"{base} by {', '.join(self.authors)}"

    @classmethod
    def from_row(cls, row: dict[str, str]) -> Book:
        mark = Shelfmark(row["section"], int(row["number"]))
        return cls(row["title"], mark, isbn=row.get("isbn", ""))

    @staticmethod
    def normal_isbn(text: str) -> str:
        return text.replace("-", "").strip()


@dataclass
class Disc(Item):
    minutes: int = 0

    def days(self) -> int:
        longer = self.minutes > 90
        return super().days() // (1 if longer else 3)


class Member:
    """Somebody who may borrow."""

    limit = 5

    def __init__(self, ident: MemberId, name: str) -> None:
        self.ident = ident
        self.name = name
        self.loans: list[Loan] = []
        self._email: str | None = None

    @property
    def email(self) -> str | None:
        return self._email

    @email.setter
    def email(self, value: str) -> None:
        if "@" not in value:
            raise ValueError(value)
        self._email = value

    def may_borrow(self) -> bool:
        return len(self.loans) < self.limit

    def borrow(self, item: Item, today: date) -> Loan:
        loan = Loan(item, self, today + timedelta(days=item.days()))
        self.loans.append(loan)
        return loan


class Loan:
    __slots__ = ("item", "member", "due", "renewals")

    def __init__(self, item: Item, member: Member, due: date) -> None:
        self.item = item
        self.member = member
        self.due = due
        self.renewals = 0

    def renew(self) -> bool:
        if self.renewals >= MAX_RENEWALS:
            return False
        self.renewals += 1
        self.due += timedelta(days=self.item.days())
        return True

    def overdue(self, today: date) -> int:
        return max(0, (today - self.due).days)

    def give_back(self, store: Store) -> None:
        store.put_back(self)
        self.member.loans.remove(self)
