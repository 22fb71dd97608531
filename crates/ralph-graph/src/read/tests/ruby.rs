//! Ruby.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same};

#[test]
fn declarations_are_defined() {
    let source = r#"
module Outer
  class Svc < Base::Thing
    MAX = 3
    Point = Struct.new(:x, :y) do
      def dist; end
    end
    attr_accessor :name, :age
    def load(id) = id
    def self.build; end
    class << self
      def meta; end
    end
    alias old_load load
    alias :older_load :load
    alias_method :other_load, :load
    def secret=(v); end
    def ==(o); end
  end
end
class Outer::Late; end
def top; end
class FooTest < Minitest::Test
  def test_it; end
end
RSpec.describe Svc do
  it "adds things" do
  end
end
"#;
    let want = "
        Module Outer
        Class Outer.Svc
        Constant Outer.Svc.MAX
        Struct Outer.Svc.Point
        Field Outer.Svc.Point.x
        Field Outer.Svc.Point.y
        Method Outer.Svc.Point.dist
        Field Outer.Svc.name
        Field Outer.Svc.age
        Method Outer.Svc.load
        Method Outer.Svc.build
        Method Outer.Svc.meta
        Method Outer.Svc.old_load
        Method Outer.Svc.older_load
        Method Outer.Svc.other_load
        Method Outer.Svc.secret=
        Method Outer.Svc.==
        Class Outer.Late
        Function top
        Class FooTest test
        Method FooTest.test_it test
        Function adds things nowhere test
    ";
    same(&definitions(&read(SourceLanguage::Ruby, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = r##"
class Svc < Base::Thing
  include Comparable
  def initialize(repo, k: 1, *rest, &blk)
    @repo = Repo.new(repo)
  end
  # Loads.
  def load(id)
    u = User.new(id)
    u.save
    @repo.find(id, MAX)
    helper
    self.other
    Foo::Bar.call(u)
    items.each { |i, (a, b)| i.go(a, b) }
    x, y = id
    "#{x} #{y.z}"
  rescue ArgumentError => e
    log(e)
  end
end
"##;
    let want = "
        Svc value Base
        Svc extends Base.Thing
        Svc call include
        Svc implements Comparable
        Svc.initialize call Repo
        Svc.load call User
        Svc.load call <User>.save
        Svc.load call <Repo>.find
        Svc.load value MAX
        Svc.load call helper
        Svc.load call self.other
        Svc.load value Foo
        Svc.load value Foo.Bar
        Svc.load call Foo::Bar.call
        Svc.load call items
        Svc.load call ?.each
        Svc.load call ?.go
        Svc.load call ?.z
        Svc.load type ArgumentError
        Svc.load call log
    ";
    same(&references(&read(SourceLanguage::Ruby, source)), want);
}

#[test]
fn required_files_give_everything() {
    let source = "
require 'json'
require_relative 'lib/foo'
autoload :Bar, 'lib/bar'
";
    let want = "
        all of json on
        all of ./lib/foo on
        all of lib/bar
    ";
    same(&imports(&read(SourceLanguage::Ruby, source)), want);
}
