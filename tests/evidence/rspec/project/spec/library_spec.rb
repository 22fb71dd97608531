require "library"

RSpec.describe Library do
  include_context "with a loan"

  it "lends a book once" do
    expect { library.lend("Dune", "bob", on: day) }.to raise_error(ArgumentError, /lent/)
  end

  it "lends a book again when it came back" do
    library.return("Dune")
    expect { library.lend("Dune", "bob", on: day) }.not_to raise_error
  end

  describe "#overdue" do
    it "is empty on the last day" do
      expect(library.overdue(day + 14)).to eq([])
      expect("Dune").not_to be_overdue_on(day + 14)
    end

    it "names the book on the day after" do
      expect(library.overdue(day + 15)).to eq(["Dune"])
    end
  end
end
