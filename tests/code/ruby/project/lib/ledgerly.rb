# frozen_string_literal: true

require "bigdecimal"
require_relative "ledgerly/version"
require "ledgerly/money"
require "ledgerly/account"
require "ledgerly/report"

module Ledgerly
  autoload :Importers, "ledgerly/importers/csv"

  class Error < StandardError
    CODES = { missing: 2, broken: 3 }.freeze

    attr_reader :code

    def initialize(message, code = :broken)
      super(message)
      @code = CODES.fetch(code)
    end
  end

  Missing = Class.new(Error)

  class << self
    attr_accessor :default_currency, :logger

    # Opens a ledger; the block is given every account of it.
    def open(path)
      raise Missing, "no ledger at #{path}" unless File.exist?(path)

      ledger = Ledger.new(path)
      log("opened #{path}")
      ledger.accounts.each_value { |account| yield account } if block_given?
      ledger
    end

    def log(message)
      logger&.info(message)
    end

    private

    def reset!
      self.default_currency = nil
    end
  end

  class Ledger
    attr_reader :accounts

    def initialize(path)
      @path = path
      @accounts = {}
      load
    end

    def [](name)
      accounts.fetch(name) { raise Error.new("no account #{name}", :missing) }
    end

    def <<(account)
      accounts[account.name] = account
      self
    end

    private

    def load
      Importers::Csv.new(self).read(@path)
    end
  end
end
