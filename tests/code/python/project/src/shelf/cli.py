"""The command `shelf`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import date

import shelf
from shelf import Library, open_library
from shelf.rules import Fees, is_blocked
from shelf.rules.special import announce as free_days, rate
from shelf.store import Missing

COMMANDS = {}


def command(name):
    """Let a function answer to a command."""

    def register(function):
        COMMANDS[name] = function
        return function

    return register


@command("lend")
def lend(library: Library, title: str, ident: int) -> int:
    member = library.member(ident)
    if is_blocked(member, date.today()) or not member.may_borrow():
        return 1
    item = library.find(title)
    loan = member.borrow(item, date.today())
    print(item.label(), loan.due)
    return 0


@command("price")
def price(library, *names: str) -> int:
    fees = Fees(rate(date.today()))
    for name in names:
        thing = library.find(name)
        print(thing.label(), fees.default, thing.days())
    return 0


@command("free")
def free(library, *names: str) -> int:
    for text in asyncio.run(free_days([date.today()])):
        print(text)
    return 0


def restore(backend, source) -> None:
    rows = source.load()
    backend.save(rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="shelf")
    parser.add_argument("--version", action="version", version=shelf.__version__)
    parser.add_argument("command", choices=sorted(COMMANDS))
    parser.add_argument("words", nargs="*")
    options = parser.parse_args(argv)
    command = COMMANDS[options.command]
    library = open_library("shelf.json")
    try:
        return command(library, *options.words)
    except Missing as error:
        print(f"no such thing: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
