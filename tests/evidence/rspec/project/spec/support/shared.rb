require "library"

RSpec.shared_context "with a loan" do
  let(:library) { Library.new }
  let(:day) { Date.new(2026, 3, 1) }

  before { library.lend("Dune", "ann", on: day) }
end

RSpec::Matchers.define :be_overdue_on do |today|
  match { |book| library.overdue(today).include?(book) }
end
