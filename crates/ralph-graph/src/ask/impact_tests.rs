use crate::scratch::{LATER, Scratch};

/// The tests that a change of a file touches, with their distances.
fn tests(files: &[(&str, &str)], changed: &str) -> Vec<String> {
    let scratch = Scratch::new(files);
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
