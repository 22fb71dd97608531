# frozen_string_literal: true

require_relative "money"

module Ledgerly
  Entry = Struct.new(:at, :amount, :memo, keyword_init: true)

  module Auditable
    def self.included(base)
      base.extend(ClassMethods)
    end

    def audit(event)
      trail << "#{self.class.audit_name}: #{event}"
    end

    def trail
      @trail ||= []
    end

    module ClassMethods
      def audit_name(name = nil)
        @audit_name = name if name
        @audit_name || to_s
      end
    end
  end

  class Account
    include Auditable

    audit_name "account"

    attr_reader :name, :entries
    attr_writer :limit

    def initialize(name)
      @name = name
      @entries = []
    end

    def post(amount, memo: nil)
      entry = Entry.new(at: Time.now, amount: amount, memo: memo)
      check(entry)
      entries << entry
      audit("posted #{amount}")
      entry
    end

    def balance
      entries.map(&:amount).reduce(Money.zero, :+)
    end

    def balance=(amount)
      post(amount + -balance, memo: "set")
    end

    def to_row
      [name, balance.to_s]
    end

    private

    def check(entry)
      raise Error, "an empty entry" if entry.amount.zero?
    end
  end

  class SavingsAccount < Account
    using Units

    RATE = 0.02

    def accrue
      balance = self.balance
      post(Money.new((balance.cents * RATE).round, balance.currency), memo: "interest")
    end

    private

    def check(entry)
      super
      raise Error, "overdrawn" if entry.amount < 0.euros && balance < Money.zero
    end
  end
end
