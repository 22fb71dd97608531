# frozen_string_literal: true

require "ledgerly/account"

module Ledgerly
  module Text
    module_function

    def pad(value, width)
      value.to_s.ljust(width)
    end

    def rule(width) = ("-" * width)
  end
end

class Ledgerly::Total
  attr_reader :amount

  def initialize(amount)
    @amount = amount
  end

  def to_row
    ["total", amount.to_s]
  end
end

class Ledgerly::Report
  include Ledgerly
  extend Ledgerly::Text

  WIDTH = 24

  def initialize(*accounts)
    @accounts = accounts
  end

  def lines
    (@accounts + [Total.new(sum)]).map do |item|
      item.to_row.map { |cell| Ledgerly::Text.pad(cell, WIDTH) }.join
    end
  end

  def to_s
    pad = Ledgerly::Text.rule(WIDTH * 2)
    [pad, *lines, pad].join("\n")
  end

  private

  def sum(accounts = @accounts)
    return Ledgerly::Money.zero if accounts.empty?

    first, *rest = accounts
    first.balance + sum(rest)
  end
end
