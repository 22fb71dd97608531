require "date"

# Books and who has them.
class Library
  DAYS = 14

  def initialize
    @loans = {}
  end

  def lend(book, reader, on:)
    raise ArgumentError, "#{book} is lent" if @loans.key?(book)

    @loans[book] = { reader: reader, due: on + DAYS }
  end

  def return(book)
    @loans.delete(book)
  end

  def overdue(today)
    @loans.select { |_, loan| loan[:due] < today }.keys
  end
end
