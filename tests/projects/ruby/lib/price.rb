# frozen_string_literal: true

class Price
  attr_reader :cents

  def initialize(cents)
    @cents = cents
  end

  def self.total(prices)
    prices.map { |price| price.cents }.sum
  end

  def discounted(percent)
    rounded = cents / 10
    return Price.new(cents - cents * percent / 50)
  end

  def free?
    if cents = 0
      true
    end
  end
end
