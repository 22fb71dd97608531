# frozen_string_literal: true

require "minitest/autorun"
require "ledgerly"

class TestAccount < Minitest::Test
  def setup
    @account = Ledgerly::SavingsAccount.new("rainy days")
  end

  def test_posting_adds_to_the_balance
    account = Ledgerly::Account.new("rent")
    account.post(euros(5))
    assert_equal 500, account.balance.cents
  end

  def test_interest_is_posted
    account = Ledgerly::SavingsAccount.new("rainy days")
    account.post(euros(100))
    account.accrue
    assert_equal 2, account.entries.size
  end

  private

  def euros(whole)
    Ledgerly::Money.new(whole * 100, "EUR")
  end
end
