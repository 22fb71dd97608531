//! Rust.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same, signatures};

#[test]
fn items_are_defined_with_their_owners() {
    let source = r#"
pub struct Point<T> { pub x: T, name: String }
struct Pair(u8, u8);
union U { a: u8 }
enum E { A, B(u8), C { field: u8 } }
pub trait Shape { type Out; const N: usize; fn area(&self); }
impl<T> Point<T> { pub fn new() {} fn private() { fn inner() {} } const K: u8 = 1; }
impl<T> Shape for &Point<T> { type Out = u8; fn area(&self) {} }
impl fmt::Display for other::Thing { fn fmt(&self) {} }
const LIMIT: usize = 3;
static NAME: &str = "";
pub(crate) static mut COUNT: u8 = 0;
type Alias = Vec<u8>;
macro_rules! make { () => { fn not_seen() {} } }
mod inner { pub fn f() {} }
extern "C" { fn external(x: i32); }
#[cfg(test)]
mod tests { fn helper() {} #[test] fn works() {} }
"#;
    let want = "
        Struct Point
        Field Point.x
        Field Point.name file
        Struct Pair file
        Union U file
        Field U.a file
        Enum E file
        Variant E.A file
        Variant E.B file
        Variant E.C file
        Field E.C.field file
        Interface Shape
        Alias Shape.Out
        Constant Shape.N
        Method Shape.area
        Method Point.new
        Method Point.private file
        Function Point.private.inner file
        Constant Point.K file
        Alias Point.Out
        Method Point.area
        Method Thing.fmt
        Constant LIMIT file
        Variable NAME file
        Variable COUNT crate
        Alias Alias file
        Macro make
        Module inner file
        Function inner.f
        Function external file
        Module tests file test
        Function tests.helper file test
        Function tests.works file test
    ";
    same(&definitions(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn files_inside_see_what_is_private() {
    let source = "
mod child;
fn private() { fn nested() {} }
";
    let want = "
        Function private inside
        Function private.nested file
    ";
    same(&definitions(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn signatures_and_docs() {
    let source = "
/// A point.
///
/// With more.
#[derive(Debug)]
pub struct Point { x: u8 }
// No documentation.
pub fn f<T>(
    a: T,
    b: u8,
) -> Result<T, E>
where
    T: Clone,
{
}
/** Old style. */
const A: &[u8] = &[
    1,
];
";
    let want = "
        pub struct Point -- A point.
        x: u8
        pub fn f<T>(a: T, b: u8) -> Result<T, E> where T: Clone
        const A: &[u8] = &[ -- Old style.
    ";
    same(&signatures(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn patterns_bind_names() {
    let source = "
fn f(a: u8, (b, c): (u8, u8), &d: &u8) {
    let foo = foo(a);
    let Some(e) = foo else { return };
    if let Ok(g) = parse(b) && g > LIMIT { g } else { other() }
    for (i, j) in list { use_it(i, j) }
    match c { k @ 1..=9 => k, E::A => d, E::C { field, name: n } => field + n, MAX => e, n if n > m => n, _ => 0 };
    let closure = |x: &Thing, y| x.go(y);
    closure(z);
    while let Some(top) = stack.pop() { top }
}
";
    let want = "
        f call foo
        f value Some
        f value Ok
        f call parse
        f value LIMIT
        f call other
        f value list
        f call use_it
        f type E
        f value E.A
        f type E
        f type E.C
        f value <E::C>.field
        f value <E::C>.name
        f value MAX
        f value m
        f type Thing
        f call <Thing>.go
        f value z
        f value Some
        f value stack
        f call stack.pop
    ";
    same(&references(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn what_stands_before_a_name_is_told() {
    let source = "
struct A { inner: Arc<Inner>, plain: u8 }
impl A {
    fn f(&self, other: &mut Other, any: impl Shape) {
        self.g();
        self.inner.go();
        self.plain.go();
        other.run::<u8>();
        any.area();
        let made = Foo::new();
        made.b().c();
        let lit = a::Bar { x: 1, other };
        lit.go();
        Self::assoc();
        crate::a::b::free();
        Vec::<u8>::with_capacity(1);
        <A as T>::f();
    }
}
";
    let want = "
        A.inner type Arc
        A.inner type Inner
        - type A
        A.f type Other
        A.f type Shape
        A.f call self.g
        A.f value self.inner
        A.f call <Inner>.go
        A.f value self.plain
        A.f call <u8>.go
        A.f call <Other>.run
        A.f call <Shape>.area
        A.f type Foo
        A.f call Foo.new
        A.f call <Foo>.b
        A.f call ?.c
        A.f value a
        A.f call a.Bar
        A.f value <a::Bar>.x
        A.f value <a::Bar>.other
        A.f call <a::Bar>.go
        A.f call self.assoc
        A.f value crate.a
        A.f value crate::a.b
        A.f call crate::a::b.free
        A.f type Vec
        A.f call Vec.with_capacity
        A.f type A
        A.f type T
        A.f call ?.f
    ";
    same(&references(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn traits_macros_and_attributes_have_their_roles() {
    let source = r#"
#[derive(Debug, serde::Serialize)]
struct A;
impl Display for A { fn fmt(&self, x: u8) { write!(f, "{}", x.y(a::b(self.z)), named = free) } }
impl Elsewhere for B {}
trait C: D + Send {}
"#;
    let want = "
        A applies derive
        A applies Debug
        A applies serde.Serialize
        A implements Display
        - type A
        A.fmt applies write
        A.fmt value f
        A.fmt call <u8>.y
        A.fmt value a
        A.fmt call a.b
        A.fmt value self.z
        A.fmt value free
        - implements Elsewhere
        - type B
        C extends D
        C extends Send
    ";
    same(&references(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = "
use std::{fs, io::{self, Read as R}, collections::*};
pub use crate::a::B;
use single;
extern crate alloc as al;
pub mod other;
fn f() { use local::Thing; Thing }
";
    let want = "
        fs of std
        std::io as io
        Read of std::io as R
        all of std::collections
        B of crate::a on
        single as single
        alloc as al
        self::other as other on
        Thing of local
    ";
    same(&imports(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn names_bound_inside_macros_are_local() {
    let source = r#"
fn f(list: Vec<_>) {
    assert_eq!(list.map(|x| x + other), list.filter(|&(a, b)| a | b | c), "{}", y);
    run! { let made = 1; for each in list { made + each } }
}
"#;
    let want = "
        f type Vec
        f applies assert_eq
        f call <Vec>.map
        f value other
        f call <Vec>.filter
        f value c
        f value y
        f applies run
    ";
    same(&references(&read(SourceLanguage::Rust, source)), want);
}

#[test]
fn types_of_made_values_and_statics_are_known() {
    let source = "
static POOL: Pool = Pool::empty();
impl A {
    fn f() {
        let a = File::open(path)?;
        a.read();
        let b = b::Conn::connect(x).await.unwrap();
        b.send();
        POOL.get();
        let Self { field, .. } = c;
    }
}
";
    let want = "
        POOL type Pool
        POOL type Pool
        POOL call Pool.empty
        - type A
        A.f type File
        A.f call File.open
        A.f value path
        A.f call <File>.read
        A.f value b
        A.f type b.Conn
        A.f call b::Conn.connect
        A.f value x
        A.f call ?.unwrap
        A.f call <b::Conn>.send
        A.f value POOL
        A.f call <Pool>.get
        A.f value <A>.field
        A.f value c
    ";
    same(&references(&read(SourceLanguage::Rust, source)), want);
}
