# frozen_string_literal: true

module Ledgerly
  # An amount in the smallest unit of a currency.
  class Money
    include Comparable

    SCALE = 100
    SIGNS = { "EUR" => "€", "GBP" => "£" }.freeze
    private_constant :SIGNS

    attr_reader :cents, :currency

    def self.parse(text, currency = Ledgerly.default_currency)
      new((BigDecimal(text) * SCALE).to_i, currency)
    end

    def Money.zero = new(0, "EUR")

    def initialize(cents, currency)
      @cents = cents
      @currency = currency
    end

    def +(other)
      same_currency!(other)
      Money.new(cents + other.cents, currency)
    end

    def <=>(other)
      cents <=> other.cents
    end

    def -@ = Money.new(-cents, currency)

    def zero? = cents.zero?

    def to_s
      format("%s%.2f", SIGNS[currency], cents / SCALE.to_f)
    end

    protected def same_currency!(other)
      raise Error, "#{currency} is not #{other.currency}" if other.currency != currency
    end
  end

  # Lets a number be written as an amount.
  module Units
    refine Integer do
      def euros
        Money.new(self * Money::SCALE, "EUR")
      end
    end
  end
end
