use super::*;
use crate::scratch::{LATER, ScratchCodebase};

fn shown(calls: &[CallGroup]) -> Vec<String> {
    let name = |calls: &CallGroup| calls.symbol.as_ref().map(|symbol| symbol.full_name.clone());
    let line = |calls: &CallGroup| {
        let sure = if calls.certainty == UseCertainty::Sure { "" } else { "?" };
        format!("{}{sure} {:?}", name(calls).unwrap_or_default(), calls.lines)
    };
    calls.iter().map(line).collect()
}

/// Returns the callers of a name, and whether that is all.
fn callers(files: &[(&str, &str)], name: &str) -> (Vec<String>, CallSyntax) {
    let scratch = ScratchCodebase::new(files);
    let mut index = scratch.index();
    match index.code(LATER).unwrap().callers(name) {
        NameLookup::One(found) => (shown(&found.callers), found.calling),
        other @ (NameLookup::Several(_) | NameLookup::Nothing(_)) => panic!("{other:?}"),
    }
}

#[test]
fn lines_that_are_only_possible_are_told_apart() {
    let files = [
        ("go.mod", "module m\n"),
        ("a.go", "package m\n\ntype S struct{}\n\nfunc (s *S) Put() {}\n"),
        ("b.go", "package m\n\ntype T struct{}\n\nfunc (t *T) Put() {}\n"),
        ("c.go", "package m\n\nfunc f(s *S) {\n\tx := g()\n\tx.Put()\n\ts.Put(); s.Put()\n}\n"),
    ];
    let (found, calling) = callers(&files, "S.Put");
    assert_eq!(found, ["f [6]", "f? [5]"]);
    assert_eq!(calling, CallSyntax::Perhaps);
    let scratch = ScratchCodebase::new(&files);
    let mut index = scratch.index();
    let NameLookup::One(found) = index.code(LATER).unwrap().callees("f") else { panic!() };
    assert_eq!(shown(&found.callees), ["S.Put? [5]", "T.Put? [5]", "S.Put [6]"]);
}

#[test]
fn to_make_an_object_is_to_call_its_constructor() {
    let python =
        [("t.py", "class T:\n    def __init__(self):\n        pass\n\ndef f():\n    T()\n")];
    assert_eq!(callers(&python, "T.__init__"), (vec!["f [6]".to_owned()], CallSyntax::BySyntax));
    let ruby = [("t.rb", "class T\n  def initialize\n  end\nend\n\ndef f\n  T.new\nend\n")];
    assert_eq!(callers(&ruby, "T.initialize").0, ["f [7]"]);
    let script = [("t.ts", "class T {\n  constructor() {}\n}\nfunction f() {\n  new T();\n}\n")];
    assert_eq!(callers(&script, "T.constructor").0, ["f [5]"]);
}

#[test]
fn what_syntax_calls_is_not_said_to_have_no_callers() {
    let operator = "struct L { L& operator+=(int x); };\nL& L::operator+=(int x) { return *this; }\nvoid f(L l) { l += 2; }\n";
    assert_eq!(callers(&[("l.cpp", operator)], "operator+=").1, CallSyntax::BySyntax);
    let dunder = "class A:\n    def __len__(self):\n        return 1\n\n    def plain(self):\n        pass\n";
    assert_eq!(callers(&[("a.py", dunder)], "A.__len__").1, CallSyntax::BySyntax);
    assert_eq!(callers(&[("a.py", dunder)], "A.plain").1, CallSyntax::ByName);
    let dropped = "struct G;\nimpl Drop for G {\n    fn drop(&mut self) {}\n}\n";
    assert_eq!(callers(&[("g.rs", dropped)], "G::drop").1, CallSyntax::BySyntax);
}

#[test]
fn super_calls_the_method_of_the_parent() {
    let files = [(
        "a.rb",
        "class A\n  def go; end\n  def at(x); end\nend\nclass B < A\n  def go; super; end\n  def at(x); super(x); end\nend\n",
    )];
    assert_eq!(callers(&files, "A::go").0, ["B::go [6]"]);
    assert_eq!(callers(&files, "A::at").0, ["B::at [7]"]);
}

#[test]
fn a_script_calls_what_it_exports_itself() {
    let files = [(
        "helper.js",
        "exports.log = function (x) {};\nmodule.exports.other = () => exports.log(2);\nfunction f() {\n  module.exports.other();\n}\n",
    )];
    assert_eq!(callers(&files, "log").0, ["other [2]"]);
    assert_eq!(callers(&files, "other").0, ["f [4]"]);
}

#[test]
fn a_call_in_the_guard_of_a_macro_is_found() {
    let files = [(
        "a.rs",
        "struct Y;\nimpl Y {\n    fn fits(&self) -> bool { true }\n}\nfn f(y: Option<Y>) -> bool {\n    matches!(y, Some(x) if x.fits())\n}\n",
    )];
    assert_eq!(callers(&files, "Y::fits").0, ["f [6]"]);
}

#[test]
fn what_a_file_of_the_project_should_have_is_unresolved() {
    let scratch = ScratchCodebase::new(&[
        ("a.py", "def two():\n    pass\n"),
        (
            "b.py",
            "import a\nimport json\nfrom a import one\nfrom json import dumps\n\ndef three():\n    one()\n    a.gone()\n    dumps()\n    json.loads()\n    len()\n    a.two()\n",
        ),
        ("c.py", "from json import *\n"),
        ("d.py", "from c import dumps\n\ndef four():\n    dumps()\n"),
    ]);
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    let NameLookup::One(found) = code.callees("three") else { panic!() };
    assert_eq!(found.unresolved, ["gone", "one"]);
    assert_eq!(found.outside, ["dumps", "len", "loads"]);
    let NameLookup::One(found) = code.callees("four") else { panic!() };
    assert_eq!((found.unresolved.len(), found.outside.len()), (0, 1));
}

#[test]
fn a_type_of_another_file_is_named_where_it_implements() {
    let scratch = ScratchCodebase::new(&[
        ("Cargo.toml", "[package]\nname = \"d\"\n"),
        (
            "src/lib.rs",
            "mod account;\nuse account::Account;\npub trait Describe {}\nimpl Describe for Account {}\nimpl Describe for Vec<u8> {}\nstruct Own;\nimpl Describe for Own {}\n",
        ),
        ("src/account.rs", "pub struct Account;\n"),
    ]);
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    let NameLookup::One(found) = code.refs("Describe") else { panic!() };
    let within: Vec<Option<&str>> = found.sites.iter().map(|it| it.within.as_deref()).collect();
    assert_eq!(within, [Some("Account"), Some("Vec"), Some("Own")]);
    let NameLookup::One(found) = code.refs("Account") else { panic!() };
    let places: Vec<(u32, u32)> = found.sites.iter().map(|it| (it.line, it.column)).collect();
    assert_eq!(places, [(2, 14), (4, 19)]);
}

#[test]
fn uses_under_a_name_that_a_file_in_between_gave_are_found() {
    let files = [
        ("pkg/core.py", "def save():\n    pass\n"),
        ("pkg/__init__.py", "from .core import save as store\n"),
        ("top.py", "from pkg import store as keep\n"),
        ("use.py", "from pkg import store\n\ndef f():\n    store()\n"),
        ("whole.py", "import pkg\n\ndef g():\n    pkg.store()\n"),
        ("far.py", "from top import keep\n\ndef h():\n    keep()\n"),
    ];
    assert_eq!(callers(&files, "save").0, ["h [4]", "f [4]", "g [4]"]);
    let files = [
        ("a.ts", "export function helper() {}\n"),
        ("b.ts", "export { helper as hh } from './a';\n"),
        ("c.ts", "import { hh } from './b';\nfunction f() { hh(); }\n"),
    ];
    assert_eq!(callers(&files, "helper").0, ["f [2]"]);
}
