use super::ChangeImpact;
use crate::scratch::{LATER, ScratchCodebase};

/// Returns the tests that a change of a file touches, with their distances.
fn tests(files: &[(&str, &str)], changed: &str) -> Vec<String> {
    let scratch = ScratchCodebase::new(files);
    let mut index = scratch.index();
    let impact = index.code(LATER).unwrap().impact(&[changed.to_owned()]);
    let name = |name: Option<String>| name.unwrap_or_else(|| "-".to_owned());
    let hits = impact.tests.into_iter();
    hits.map(|it| format!("{}:{} {}", it.path, name(it.name), it.distance)).collect()
}

const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"d\"\n");

#[test]
fn a_unit_test_is_found_through_what_it_calls() {
    let files = [
        CARGO,
        (
            "src/lib.rs",
            "mod util;\npub fn top() { util::low() }\npub fn other() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn far() { super::top() }\n    #[test]\n    fn apart() { super::other() }\n}\n",
        ),
        ("src/util.rs", "pub fn low() {}\n"),
    ];
    assert_eq!(tests(&files, "src/util.rs"), ["src/lib.rs:tests::far 1"]);
}

#[test]
fn a_unit_test_is_found_through_several_files() {
    let files = [
        CARGO,
        ("src/lib.rs", "mod low;\nmod middle;\nmod high;\n"),
        ("src/low.rs", "pub struct Low;\nimpl Low {\n    pub fn go(&self) {}\n}\n"),
        (
            "src/middle.rs",
            "use crate::low::Low;\npub struct Middle {\n    low: Low,\n}\nimpl Middle {\n    pub fn run(&self) { self.low.go() }\n    pub fn rest(&self) {}\n}\n",
        ),
        (
            "src/high.rs",
            "use crate::middle::Middle;\nfn high(it: &Middle) { it.run() }\nfn rests(it: &Middle) { it.rest() }\n#[cfg(test)]\nmod tests {\n    use super::*;\n    fn helper(it: &Middle) { high(it) }\n    #[test]\n    fn runs() { helper(&todo!()) }\n    #[test]\n    fn stays() { rests(&todo!()) }\n}\n",
        ),
    ];
    let found = tests(&files, "src/low.rs");
    assert!(found.contains(&"src/high.rs:tests::runs 2".to_owned()), "{found:?}");
    assert!(!found.iter().any(|test| test.contains("stays")), "{found:?}");
}

#[test]
fn a_test_is_named_by_its_own_title() {
    let files = [
        ("app.ts", "export function App() {}\nexport class Store {\n  save() {}\n}\n"),
        (
            "app.test.ts",
            "import { App, Store } from \"./app\";\ndescribe(\"App\", () => {\n  it(\"starts\", () => {\n    App();\n  });\n  it(\"rests\", () => {});\n});\ndescribe(\"Store\", () => {\n  const s = new Store();\n  it(\"saves\", () => {\n    s.save();\n  });\n});\n",
        ),
    ];
    let want = ["app.test.ts:App.starts 1", "app.test.ts:Store 1", "app.test.ts:Store.saves 1"];
    assert_eq!(tests(&files, "app.ts"), want);
}

/// Returns the impact of removing files.
fn without(files: &[(&str, &str)], removed: &[&str]) -> ChangeImpact {
    let scratch = ScratchCodebase::new(files);
    let mut index = scratch.index();
    for path in removed {
        scratch.remove(path);
    }
    index.update(LATER, &mut |_| {}).unwrap();
    let names: Vec<String> = removed.iter().map(|path| (*path).to_owned()).collect();
    index.code(LATER).unwrap().impact(&names)
}

#[track_caller]
fn check_gone(files: &[(&str, &str)], removed: &str, dependents: &[&str], tests: &[&str]) {
    let found = without(files, &[removed]);
    assert_eq!((found.gone, found.unknown), (vec![removed.to_owned()], vec![]));
    let paths: Vec<String> = found.dependents.into_iter().map(|it| it.path).collect();
    assert_eq!(paths, dependents);
    let name = |name: Option<String>| name.unwrap_or_else(|| "-".to_owned());
    let hits = found.tests.into_iter().map(|it| format!("{}:{}", it.path, name(it.name)));
    assert_eq!(hits.collect::<Vec<String>>(), tests);
}

#[test]
fn what_imports_a_file_that_is_gone_depends_on_it() {
    let files = [
        ("lib.py", "def f():\n    pass\n"),
        ("web.py", "import lib\n\ndef handle():\n    lib.f()\n"),
        ("test_lib.py", "from lib import f\n\ndef test_f():\n    f()\n"),
        ("test_web.py", "from web import handle\n\ndef test_web():\n    handle()\n"),
        ("test_rest.py", "def test_rest():\n    pass\n"),
    ];
    let dependents = ["test_lib.py", "web.py", "test_web.py"];
    check_gone(&files, "lib.py", &dependents, &["test_lib.py:-", "test_web.py:-"]);
}

#[test]
fn a_file_that_is_gone_is_found_as_its_language_finds_it() {
    let files = [
        ("src/model/card.ts", "export class Card {}\n"),
        ("src/board.ts", "import { Card } from './model/card.js';\nnew Card();\n"),
        ("src/board.test.ts", "import './board';\ntest('x', () => {});\n"),
    ];
    let tests = ["src/board.test.ts:-"];
    check_gone(&files, "src/model/card.ts", &["src/board.ts", "src/board.test.ts"], &tests);
    let files = [
        CARGO,
        (
            "src/lib.rs",
            "mod util;\nmod rest;\npub fn top() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n}\n",
        ),
        ("src/util.rs", "pub fn low() {}\n"),
        ("src/rest.rs", "use crate::util::low;\npub fn rest() { low() }\n"),
    ];
    let found = without(&files, &["src/util.rs"]);
    assert_eq!(found.gone, ["src/util.rs"]);
    let paths: Vec<&str> = found.dependents.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["src/lib.rs", "src/rest.rs"]);
    assert_eq!(found.tests[0].name.as_deref(), Some("tests::one"));
    let files = [
        ("src/shop/Store.java", "package shop;\npublic class Store {}\n"),
        ("src/shop/Near.java", "package shop;\npublic class Near { Store s; }\n"),
        ("src/web/Web.java", "package web;\nimport shop.Store;\npublic class Web { Store s; }\n"),
    ];
    let dependents = ["src/shop/Near.java", "src/web/Web.java"];
    check_gone(&files, "src/shop/Store.java", &dependents, &[]);
    let files = [
        ("lib/store.rb", "class Store\nend\n"),
        ("main.rb", "require_relative \"lib/store\"\nStore.new\n"),
        ("inc/store.h", "int save(int);\n"),
        ("src/main.c", "#include \"../inc/store.h\"\nint main(void) { return save(1); }\n"),
    ];
    check_gone(&files, "lib/store.rb", &["main.rb"], &[]);
    check_gone(&files, "inc/store.h", &["src/main.c"], &[]);
}

#[test]
fn a_file_that_nobody_needs_is_not_known_and_one_that_changed_too_counts() {
    let files = [
        ("lib.py", "def f():\n    pass\n"),
        ("alone.py", "x = 1\n"),
        ("test_lib.py", "from lib import f\n\ndef test_f():\n    f()\n"),
    ];
    let found = without(&files, &["alone.py"]);
    assert_eq!((found.gone, found.unknown), (vec![], vec!["alone.py".to_owned()]));
    let scratch = ScratchCodebase::new(&files[1..]);
    let mut index = scratch.index();
    let names = ["./lib.py", "test_lib.py"].map(str::to_owned);
    let found = index.code(LATER).unwrap().impact(&names);
    assert_eq!((found.gone, found.unknown), (vec!["lib.py".to_owned()], vec![]));
    assert_eq!(found.files, ["test_lib.py"]);
    assert_eq!(found.tests.len(), 1);
}
