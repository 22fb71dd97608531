# frozen_string_literal: true

require "rspec"
require_relative "../lib/ledgerly"

RSpec.describe Ledgerly::Money do
  subject(:price) { described_class.new(250, "EUR") }

  it "adds amounts of one currency" do
    expect(price + price).to eq(Ledgerly::Money.parse("5.00", "EUR"))
  end

  it "refuses another currency" do
    expect { price + described_class.new(1, "GBP") }.to raise_error(Ledgerly::Error)
  end
end
