import pytest

from shop.cart import Cart


@pytest.fixture
def cart():
    cart = Cart()
    cart.add("tea", 450, 2)
    cart.add("pot", 2_599)
    return cart


@pytest.fixture
def large_cart():
    cart = Cart()
    cart.add("kettle", 5_000, 2)
    return cart
