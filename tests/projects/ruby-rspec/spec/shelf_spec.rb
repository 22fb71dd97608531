# frozen_string_literal: true

RSpec.describe Shelf do
  subject(:shelf) { described_class.new(3) }

  it 'gives what is there' do
    expect(shelf.take(2)).to eq(1)
  end

  context 'when it is nearly empty' do
    it 'never gives more than there is' do
      expect(shelf.take(5)).to eq(0)
    end
  end

  it 'has a label' do
    expect(shelf.label).to eq('tea')
  end

  xit 'is weighed' do
    expect(shelf.weight).to eq(1)
  end
end
