//! Python.

use crate::language::SourceLanguage;
use crate::read::printed::{definitions, imports, read, references, same, signatures};

#[test]
fn classes_functions_and_variables_are_defined() {
    let source = r#"
import os
MAX = 3
__all__ = ["A"]
first, second = 1, 2
second = 3
@decorated
class A(B):
    name: str = "x"
    def __init__(self, repo):
        self.repo = repo
        self.repo = None
    def other(self):
        self.late = 1
    @property
    async def p(self):
        def inner(): pass
    class Nested:
        pass
try:
    def maybe(): pass
except ImportError:
    maybe = None
if TYPE_CHECKING:
    Alias: TypeAlias = int
type Other = int
class TestA(unittest.TestCase):
    def setUp(self): pass
def test_it(): pass
for loop in []: pass
"#;
    let want = "
        Constant MAX
        Variable __all__
        Variable first
        Variable second
        Class A
        Field A.name
        Method A.__init__
        Field A.repo
        Method A.other
        Method A.p
        Function A.p.inner file
        Class A.Nested
        Function maybe
        Alias Alias
        Alias Other
        Class TestA test
        Method TestA.setUp test
        Function test_it test
    ";
    same(&definitions(&read(SourceLanguage::Python, source)), want);
}

#[test]
fn signatures_have_no_body_and_docs_one_line() {
    let source = r#"
# A limit.
LIMIT = {
    "a": 1,
}

def long(
    a: int,
    b: str = "x",
) -> None:
    """Does a thing.

    At length.
    """

class A(B):
    r'''
    Is a thing.'''
"#;
    let want = r#"
        LIMIT -- A limit.
        def long(a: int, b: str = "x") -> None -- Does a thing.
        class A(B) -- Is a thing.
    "#;
    same(&signatures(&read(SourceLanguage::Python, source)), want);
}

#[test]
fn names_of_a_function_are_not_references() {
    let source = "
def f(a, *args, b: T = default, **kw):
    c = a + outer
    for i, (j, k) in args: c += i + j + k
    with open(b) as handle: handle
    try: pass
    except (E, F) as error: error
    total = [x for x in kw if (y := x)] + y
    later = lambda z: z + free
    global counter
    counter = total + later
    match c:
        case Point(x=px) if px: px
        case [head, *rest]: head, rest
        case other: other
    def nested(q): return q + a
    return nested(c)
";
    let want = "
        f type T
        f value default
        f value outer
        f call open
        f type E
        f type F
        f value free
        f value counter
        f value Point
        f call nested
    ";
    same(&references(&read(SourceLanguage::Python, source)), want);
}

#[test]
fn what_stands_before_a_name_is_told() {
    let source = r#"
class A(Base, metaclass=M):
    def __init__(self, repo: Repo, other: "pkg.Other", maybe: Optional[Thing]):
        self.repo = repo
        self.made = Made()
        super().__init__()
        other.go()
        maybe.go()
    def f(self):
        self.g()
        self.repo.find()
        self.made.run()
        self.unknown.run()
        x = models.User()
        x.save()
        x = load()
        x.save()
        Thing().go()
        os.path.join()
        f()().go()
"#;
    let want = "
        A extends Base
        A value M
        A.__init__ type Repo
        A.__init__ type pkg.Other
        A.__init__ type Optional
        A.__init__ type Thing
        A.__init__ call Made
        A.__init__ call super
        A.__init__ call super.__init__
        A.__init__ call <pkg.Other>.go
        A.__init__ call <Thing>.go
        A.f call self.g
        A.f value self.repo
        A.f call <Repo>.find
        A.f value self.made
        A.f call <Made>.run
        A.f value self.unknown
        A.f call ?.run
        A.f value models
        A.f call models.User
        A.f call <models.User>.save
        A.f call load
        A.f call <load()>.save
        A.f call Thing
        A.f call <Thing>.go
        A.f value os
        A.f value os.path
        A.f call os.path.join
        A.f call f
        A.f call ?.go
    ";
    same(&references(&read(SourceLanguage::Python, source)), want);
}

#[test]
fn decorators_types_and_bases_have_their_roles() {
    let source = r#"
@app.route("/")
@simple
def f(date: date, x: list["Item"]) -> "pkg.Result": return date
class A(Generic[T], abc.ABC): pass
"#;
    let want = "
        f value app
        f applies app.route
        f applies simple
        f type date
        f type list
        f type Item
        f type pkg.Result
        A extends Generic
        A type T
        A value abc
        A extends abc.ABC
    ";
    same(&references(&read(SourceLanguage::Python, source)), want);
}

#[test]
fn imports_in_all_forms() {
    let source = "
import os.path
import numpy as np, sys
from . import sibling
from ..pkg.mod import A as B, C
from x import *
from __future__ import annotations
def f():
    from late import thing
";
    let want = "
        os.path as os.path
        numpy as np
        sys as sys
        sibling of . on
        A of ..pkg.mod as B on
        C of ..pkg.mod on
        all of x on
        thing of late
    ";
    same(&imports(&read(SourceLanguage::Python, source)), want);
}

#[test]
fn types_of_outer_variables_and_contexts_are_known() {
    let source = "
app = Flask()
def f():
    app.run()
    with Session(1) as s:
        s.add()
    if (m := Match()):
        m.group()
";
    let want = "
        app call Flask
        f value app
        f call <Flask>.run
        f call Session
        f call <Session>.add
        f call Match
        f call <Match>.group
    ";
    same(&references(&read(SourceLanguage::Python, source)), want);
}
