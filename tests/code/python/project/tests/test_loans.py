from datetime import date

import pytest

from shelf import Book, Library, Member, fee_for
from shelf.models import Disc, Shelfmark
from shelf.store import FileStore, Missing

TODAY = date(2024, 3, 5)


@pytest.fixture
def library() -> Library:
    made = Library()
    made.add(Book("Persuasion", Shelfmark("A", 12)))
    return made


def new_member(name: str = "Ada") -> Member:
    return Member(1, name)


def test_find_by_title(library):
    assert library.find("Persuasion").title == "Persuasion"
    with pytest.raises(Missing):
        library.find("Emma")


def test_no_fee_in_time():
    member = new_member()
    loan = member.borrow(Disc("Kind of Blue", Shelfmark("M", 3)), TODAY)
    assert loan.renew()
    assert fee_for(loan, TODAY) == 0


class TestFile:
    def setup_method(self) -> None:
        self.rows = [{"section": "A", "number": "1", "title": "Emma"}]

    def test_round(self, tmp_path):
        store = FileStore(tmp_path / "rows.json")
        store.save(self.rows)
        assert store.load() == self.rows

    @pytest.mark.parametrize("text", ["0-14-043966-1", " 0140439661 "])
    def test_isbn(self, text):
        assert Book.normal_isbn(text).isdigit()
