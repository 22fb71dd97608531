import datetime

from helpers import assert_matches, read_data
from shop.catalog import parse
from shop.clock import is_open
from shop.invoice import invoice


def test_invoice_matches_the_file(cart):
    assert_matches(invoice(cart), "invoice.txt")


def test_the_price_list_is_read():
    assert parse(read_data("prices.csv")) == {"tea": 450, "pot": 2_599, "kettle": 5_000}


def test_closed_on_sunday():
    assert not is_open(datetime.datetime(2026, 3, 1, 12))
