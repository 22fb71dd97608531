import pytest

from shop.cart import Cart


class TestTotal:
    def test_small_carts_pay_in_full(self, cart):
        assert cart.total() == 3_499

    def test_discount_starts_at_the_threshold(self, large_cart):
        total = large_cart.total()
        assert total == 9_500
        assert total < large_cart.subtotal()

    def test_empty(self):
        assert Cart().total() == 0


def test_count_must_be_positive(cart):
    with pytest.raises(ValueError, match="positive"):
        cart.add("cup", 300, 0)
    assert len(cart.lines) == 2
