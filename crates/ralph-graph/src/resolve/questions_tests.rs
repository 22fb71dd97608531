//! Tests the number of queries in projects where everything refers to
//! everything.

use std::fmt::Write;

use crate::resolve::Resolver;
use crate::resolve::tests::check;
use crate::scratch::{LATER, ScratchCodebase};

type NamedSources = Vec<(String, String)>;

/// Resolves every name, and returns the number of queries that had to be
/// answered.
fn steps(files: &NamedSources) -> usize {
    let scratch = ScratchCodebase::new(&borrowed(files));
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    let resolver = Resolver::new(&code.project);
    for file in code.project.ids() {
        let facts = code.facts(file).unwrap();
        for reference in &facts.references {
            resolver.resolve_in(file, &facts, reference);
        }
    }
    resolver.questions.steps.get()
}

fn borrowed(files: &NamedSources) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// Returns files that each refer to all others, and a last one.
fn mesh(
    count: usize,
    path: impl Fn(usize) -> String,
    import: impl Fn(usize) -> String,
    rest: impl Fn(usize) -> String,
) -> NamedSources {
    let text = |own: usize| {
        let all: String = (0..count).filter(|other| *other != own).map(&import).collect();
        all + &rest(own)
    };
    (0..count).map(|own| (path(own), text(own))).collect()
}

#[test]
fn modules_that_import_all_of_each_other_are_asked_once() {
    let count = 15;
    let mut files = mesh(
        count,
        |own| format!("m{own}.py"),
        |other| format!("from m{other} import *\n"),
        |own| format!("def f{own}():\n    f14()\n    nowhere()\n"),
    );
    files.push(("use.py".to_owned(), "from m3 import *\nf9()\nnowhere()\n".to_owned()));
    check(
        &borrowed(&files),
        &["use.py:2 f9 -> m9.py:15", "use.py:3 nowhere -> -", "m2.py:16 f14 -> m14.py:15"],
    );
    assert!(steps(&files) < 10 * count * count, "{}", steps(&files));
}

#[test]
fn scripts_and_crates_that_pass_on_all_of_each_other_are_asked_once() {
    let count = 15;
    let mut files = mesh(
        count,
        |own| format!("m{own}.ts"),
        |other| format!("export * from './m{other}';\n"),
        |own| format!("export function f{own}() {{}}\n"),
    );
    let text = "import { f9, nowhere } from './m3';\nf9();\nnowhere();\n";
    files.push(("use.ts".to_owned(), text.to_owned()));
    check(&borrowed(&files), &["use.ts:2 f9 -> m9.ts:15", "use.ts:3 nowhere -> -"]);
    assert!(steps(&files) < 10 * count * count, "{}", steps(&files));

    let mut files = mesh(
        count,
        |own| format!("src/m{own}.rs"),
        |other| format!("pub use crate::m{other}::*;\n"),
        |own| format!("pub fn f{own}() {{ f14(); }}\n"),
    );
    let modules: Vec<String> = (0..count).map(|own| format!("mod m{own};\n")).collect();
    let modules = modules.concat();
    let text = format!("{modules}use m3::*;\nfn f() {{ f9(); nowhere(); }}\n");
    files.push(("src/lib.rs".to_owned(), text));
    let want = [
        "src/lib.rs:17 f9 -> src/m9.rs:15",
        "src/lib.rs:17 nowhere -> -",
        "src/m2.rs:15 f14 -> src/m14.rs:15",
    ];
    check(&borrowed(&files), &want);
    assert!(steps(&files) < 10 * count * count, "{}", steps(&files));
}

#[test]
fn a_package_and_its_modules_that_import_all_of_each_other_are_asked_once() {
    let count = 20;
    let stars: Vec<String> = (0..count).map(|own| format!("from .m{own} import *\n")).collect();
    let mut files = vec![("p/__init__.py".to_owned(), stars.concat())];
    for own in 0..count {
        let text = format!("from . import *\ndef f{own}():\n    f7()\n    nowhere()\n");
        files.push((format!("p/m{own}.py"), text));
    }
    check(&borrowed(&files), &["p/m3.py:3 f7 -> p/m7.py:2", "p/m3.py:4 nowhere -> -"]);
    assert!(steps(&files) < 20 * count * count, "{}", steps(&files));
}

#[test]
fn types_above_each_other_in_many_ways_are_asked_once() {
    let (layers, wide) = (15, 15);
    let mut text = "interface Top { deep(): void; }\n".to_owned();
    for layer in 0..layers {
        let above: Vec<String> = if layer == 0 {
            vec!["Top".to_owned()]
        } else {
            (0..wide).map(|at| format!("I{}_{at}", layer - 1)).collect()
        };
        for at in 0..wide {
            writeln!(text, "interface I{layer}_{at} extends {} {{}}", above.join(", ")).unwrap();
        }
    }
    text.push_str("function f(it: I14_3) {\n  it.deep();\n  it.nowhere();\n}\n");
    let files = vec![("types.ts".to_owned(), text)];
    check(&borrowed(&files), &["types.ts:228 deep -> types.ts:1", "types.ts:229 nowhere -> -"]);
    assert!(steps(&files) < 2 * layers * wide * wide, "{}", steps(&files));
}

#[test]
fn crates_that_import_all_of_what_they_do_not_know_are_asked_once() {
    let stars: Vec<String> = (0..20).map(|other| format!("use other{other}::part::*;\n")).collect();
    let stars = stars.concat();
    let files = vec![("src/lib.rs".to_owned(), format!("{stars}fn f() {{ nowhere(); }}\n"))];
    check(&borrowed(&files), &["src/lib.rs:21 nowhere -> -"]);
    assert!(steps(&files) < 2_000, "{}", steps(&files));
}

#[test]
fn a_name_is_found_however_often_it_was_passed_on() {
    let mut files: NamedSources = (1..60)
        .map(|own| (format!("m{own}.ts"), format!("export {{ save }} from './m{}';\n", own - 1)))
        .collect();
    files.push(("m0.ts".to_owned(), "export function save() {}\n".to_owned()));
    files.push(("use.ts".to_owned(), "import { save } from './m59';\nsave();\n".to_owned()));
    check(&borrowed(&files), &["use.ts:2 save -> m0.ts:1"]);
}

#[test]
fn what_is_passed_on_without_end_is_given_up() {
    let count = 400;
    let mut files: NamedSources = (0..count)
        .map(|own| {
            let next = (own + 1) % count;
            (format!("m{own}.py"), format!("from m{next} import *\n"))
        })
        .collect();
    files.push(("use.py".to_owned(), "from m0 import *\nsave()\n".to_owned()));
    check(&borrowed(&files), &["use.py:2 save -> -"]);
}

#[test]
fn a_crate_whose_member_has_its_name_is_found() {
    check(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"glob\", \"app\"]\n"),
            ("glob/Cargo.toml", "[package]\nname = \"glob\"\n"),
            ("glob/src/lib.rs", "pub fn glob() {}\npub fn other() {}\n"),
            ("app/Cargo.toml", "[package]\nname = \"app\"\n"),
            ("app/src/lib.rs", "use glob::glob;\nuse glob::other;\nfn f() { glob(); other(); }\n"),
        ],
        &[
            "app/src/lib.rs:3 glob -> glob/src/lib.rs:1",
            "app/src/lib.rs:3 other -> glob/src/lib.rs:2",
        ],
    );
}

#[test]
fn a_package_of_go_is_looked_for_in_the_module_with_the_longest_path() {
    check(
        &[
            ("go.mod", "module example.com/app\n"),
            ("long/folder/go.mod", "module example.com\n"),
            ("long/folder/other/other.go", "package other\n\nfunc Other() {}\n"),
            ("long/folder/app/store/store.go", "package store\n\nfunc Save() {}\n"),
            ("store/store.go", "package store\n\nfunc Save() {}\n"),
            ("empty/go.mod", "module example.com/other\n"),
            (
                "main.go",
                "package main\n\nimport (\n\t\"example.com/app/store\"\n\t\"example.com/other\"\n)\n\nfunc f() {\n\tstore.Save()\n\tother.Other()\n}\n",
            ),
        ],
        &["main.go:9 Save -> store/store.go:3", "main.go:10 Other -> long/folder/other/other.go:3"],
    );
}

#[test]
fn of_two_imports_of_everything_the_last_counts_in_python_and_none_elsewhere() {
    check(
        &[
            ("a.py", "def save():\n    pass\n"),
            ("b.py", "def save():\n    pass\n"),
            ("both.py", "from b import *\nfrom a import *\n"),
            ("use.py", "from a import *\nfrom b import *\nsave()\n"),
            ("far.py", "from both import save\nsave()\n"),
            ("src/a/Tool.java", "package a;\npublic class Tool {}\n"),
            ("src/b/Tool.java", "package b;\npublic class Tool {}\n"),
            (
                "src/c/Use.java",
                "package c;\nimport a.*;\nimport b.*;\nclass Use {\n  Tool tool;\n}\n",
            ),
        ],
        &[
            "use.py:3 save -> b.py:1",
            "far.py:2 save -> a.py:1",
            "src/c/Use.java:5 Tool -> ? src/a/Tool.java:2 src/b/Tool.java:2",
        ],
    );
}
