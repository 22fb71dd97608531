# frozen_string_literal: true

require "csv"

module Ledgerly
  module Importers
    class Base
      def initialize(ledger)
        @ledger = ledger
        @read = 0
      end

      def read(path)
        rows(path).each { |row| store(row) }
      end

      def rows(_path)
        raise NotImplementedError
      end

      private

      def store(row)
        account = Account.new(row.fetch("account"))
        account.post(Money.parse(row["amount"], row["currency"]))
        @ledger << account
      end
    end

    class Csv < Base
      def read(path)
        Ledgerly.log("reading #{path}")
        super
      end

      def rows(path)
        ::CSV.read(path, headers: true).map(&:to_h)
      end
    end
  end
end
