require "isbn"

RSpec.describe Isbn do
  File.readlines(File.join(__dir__, "fixtures/isbns.txt"), chomp: true).each do |number|
    it "knows #{number}" do
      expect(described_class.valid?(number)).to be(true)
    end
  end

  [["9780141439601", "a wrong digit"], ["978014143960", "a missing digit"]].each do |number, fault|
    it "refuses #{fault}" do
      expect(described_class.valid?(number)).to be(false)
    end
  end

  it "formats" do
    expect(described_class.format("9780141439600")).to eq("978-0-1414-3960-0")
  end
end
