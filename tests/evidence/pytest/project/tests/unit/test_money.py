import pytest

from shop.money import percent, render


@pytest.mark.parametrize(
    ("cents", "rate", "expected"),
    [
        (100, 19, 19),
        (333, 10, 33),
        (1_050, 5, 53),
        (50, 1, 1),
    ],
)
def test_percent_rounds_half_up(cents, rate, expected):
    assert percent(cents, rate) == expected


def test_render():
    assert render(1_205) == "12.05 EUR"
    assert render(99, "USD") == "0.99 USD"
