# frozen_string_literal: true

module Ledgerly
  VERSION = "0.4.1"
end
