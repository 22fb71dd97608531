"""Where the items are kept."""

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, overload

from shelf import models
from shelf.models import Book, Item as Thing, Member, MemberId

try:
    import orjson as fast_json
except ImportError:
    fast_json = None

log = logging.getLogger(__name__)
_open_count = 0


class Missing(KeyError):
    """No such item or member."""


class Backend(ABC):
    @abstractmethod
    def load(self) -> list[dict[str, str]]: ...

    @abstractmethod
    def save(self, rows: list[dict[str, str]]) -> None: ...

    def describe(self) -> str:
        return f"{type(self).__name__} of {len(self.load())}"


def logged(action: Callable[..., Any]) -> Callable[..., Any]:
    """Write down each change of a store."""

    @wraps(action)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        log.info("%s", action.__name__)
        return action(*args, **kwargs)

    return wrapper


class Store:
    """Items and members, held in memory."""

    class Shelf:
        """One section's items, in order."""

        def __init__(self, section: str) -> None:
            self.section = section
            self.items: list[Thing] = []

        def put(self, item: Thing) -> None:
            self.items.append(item)
            self.items.sort(key=lambda item: item.mark.number)

    def __init__(self) -> None:
        global _open_count
        _open_count += 1
        self.shelves: dict[str, Store.Shelf] = {}
        self.members: dict[MemberId, Member] = {}

    @logged
    def add(self, item: Thing) -> None:
        section = item.mark.section
        if section not in self.shelves:
            self.shelves[section] = self.Shelf(section)
        self.shelves[section].put(item)

    @logged
    def put_back(self, loan: models.Loan) -> None:
        self.add(loan.item)

    @overload
    def find(self, key: str) -> Thing: ...

    @overload
    def find(self, key: int) -> Member: ...

    def find(self, key: str | int) -> Thing | Member:
        if isinstance(key, int):
            return self.member(MemberId(key))
        for item in self:
            if item.title == key:
                return item
        raise Missing(key)

    def member(self, ident: MemberId) -> Member:
        try:
            return self.members[ident]
        except KeyError:
            raise Missing(ident) from None

    def __iter__(self) -> Iterator[Thing]:
        for shelf in self.shelves.values():
            yield from shelf.items


class FileStore(Store, Backend):
    """A store that reads a file of rows."""

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.path = Path(path)
        for row in self.load():
            self.add(Book.from_row(row))

    def load(self) -> list[dict[str, str]]:
        if not self.path.exists():
            return []
        return json.loads(self.path.read_text())

    def save(self, rows: list[dict[str, str]]) -> None:
        def key(row: dict[str, str]) -> str:
            return row["section"]

        self.path.write_text(json.dumps(sorted(rows, key=key)))


def load(path: str) -> FileStore:
    return FileStore(path)
