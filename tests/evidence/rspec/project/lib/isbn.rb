# Numbers of books.
module Isbn
  def self.valid?(text)
    digits = text.delete("-").chars
    return false unless digits.length == 13 && digits.all?(/\d/)

    digits.map(&:to_i).each_slice(2).sum { |odd, even| odd + 3 * even.to_i } % 10 == 0
  end

  def self.format(digits)
    digits.sub(/(\d{3})(\d)(\d{4})(\d{4})(\d)/, '\1-\2-\3-\4-\5')
  end
end
