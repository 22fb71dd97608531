"""What is on the shelves."""

import json
from dataclasses import dataclass


@dataclass
class Shelf:
    name: str
    count: int = 0

    def take(self, number: int) -> int:
        self.count -= number
        return self.count


def find(shelves: list[Shelf], name: str) -> Shelf | None:
    return next((shelf for shelf in shelves if shelf.name == name), None)


def count_of(shelves: list[Shelf], name: str) -> int:
    return find(shelves, name).count


def rename(shelf: Shelf) -> None:
    shelf.label = 7
