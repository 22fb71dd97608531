from pathlib import Path

DATA = Path(__file__).parent / "data"


def read_data(name):
    return (DATA / name).read_text()


def assert_matches(text, name):
    expected = read_data(name)
    assert text == expected, f"differs from {name}"
