require_relative "lib/ledgerly/version"

Gem::Specification.new do |spec|
  spec.name = "ledgerly"
  spec.version = Ledgerly::VERSION
  spec.summary = "Keeps small ledgers in plain files"
  spec.authors = ["The Ledgerly authors"]
  spec.files = Dir["lib/**/*.rb", "exe/*"]
  spec.bindir = "exe"
  spec.executables = ["ledgerly"]
end
