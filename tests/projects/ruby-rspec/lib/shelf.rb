# frozen_string_literal: true

# What lies on a shelf.
class Shelf
  attr_reader :count

  def initialize(count)
    @count = count
  end

  def take(number)
    @count -= number
  end
end
