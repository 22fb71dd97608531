//! C++.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same};

#[test]
fn declarations_are_defined() {
    let source = "
namespace a::b {
template <typename T, int N = 3>
class Shape : public Base {
 public:
  Shape(int x) : x_(x) {}
  virtual ~Shape() = default;
  virtual double area() const = 0;
  void elsewhere(Foo f);
  Shape& operator+(const Shape& o) { return *this; }
  operator bool() const;
  friend class Other;
  enum Color { RED };
  struct Inner { int q; };
 private:
  int x_, y_[3];
};
enum class E : int { A };
static int helper() { return 1; }
namespace { int hidden() { return 1; } }
using Alias = std::vector<int>;
constexpr int K = 3;
template <typename T> concept Small = sizeof(T) < 4;
}
void Shape::elsewhere(Foo f) {}
template <> void Shape<int>::other() {}
TEST(Suite, Name) { }
";
    let want = "
        Module a::b
        Class a::b.Shape
        Method a::b.Shape.Shape
        Method a::b.Shape.~Shape
        Method a::b.Shape.area
        Method a::b.Shape.operator+
        Method a::b.Shape.operator bool
        Enum a::b.Shape.Color
        Variant a::b.Shape.Color.RED
        Struct a::b.Shape.Inner
        Field a::b.Shape.Inner.q
        Field a::b.Shape.x_
        Field a::b.Shape.y_
        Enum a::b.E
        Variant a::b.E.A
        Function a::b.helper file
        Function a::b.hidden file
        Alias a::b.Alias
        Constant a::b.K
        Interface a::b.Small
        Method Shape.elsewhere
        Method Shape.other
        Function Suite.Name test
    ";
    same(&definitions(&read(SourceLanguage::Cpp, source)), want);
}

#[test]
fn uses_and_locals_are_told_apart() {
    let source = r#"
class A : public Base<T>, private ns::Other {
  Repo* repo_;
  void f(const Foo& f) {
    f.go();
    this->g();
    repo_->find();
    auto p = new Repo();
    p->save();
    Repo r(1);
    r.save();
    auto q = std::make_unique<Repo>(1);
    q->save();
    for (auto& [k, v] : map_) { use(k, v); }
    auto l = [this, &r, z = 1](int a) { return a + z + glob; };
    try { throw Err("x"); } catch (const Err& e) { log(e.what()); }
    Shape<int>::make(1);
    a::b::helper(2);
    static_cast<Foo*>(p)->bar();
  }
};
"#;
    let want = "
        A extends Base
        A type T
        A type ns
        A extends ns.Other
        A.repo_ type Repo
        A.f type Foo
        A.f call <Foo>.go
        A.f call self.g
        A.f value repo_
        A.f call <Repo>.find
        A.f call Repo
        A.f call <Repo>.save
        A.f type Repo
        A.f call <Repo>.save
        A.f call std.make_unique
        A.f type Repo
        A.f call <Repo>.save
        A.f value map_
        A.f call use
        A.f value glob
        A.f call Err
        A.f type Err
        A.f call log
        A.f call <Err>.what
        A.f type Shape
        A.f call Shape.make
        A.f type a
        A.f type a.b
        A.f call a::b.helper
        A.f type Foo
        A.f call <Foo>.bar
    ";
    same(&references(&read(SourceLanguage::Cpp, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = "
#include <vector>
using namespace std;
using foo::bar::Baz;
namespace fs = std::filesystem;
";
    let want = "
        all of vector on
        all of std
        Baz of foo::bar
        std::filesystem as fs
    ";
    same(&imports(&read(SourceLanguage::Cpp, source)), want);
}

#[test]
fn a_test_applies_its_macro() {
    let source = "
TEST(Suite, Name) { f(); }
";
    let want = "
        Suite.Name applies TEST
        Suite.Name call f
    ";
    same(&references(&read(SourceLanguage::Cpp, source)), want);
}
