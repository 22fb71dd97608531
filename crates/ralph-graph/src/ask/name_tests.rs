use super::*;
use crate::scratch::{LATER, ScratchCodebase};

#[test]
fn a_path_ends_at_a_single_colon() {
    assert_eq!(split_place("a/b.py:C.d"), (Some("a/b.py"), "C.d"));
    assert_eq!(split_place("a::b"), (None, "a::b"));
    assert_eq!(split_place("src/a.rs:A::b"), (Some("src/a.rs"), "A::b"));
    assert_eq!(split_place("src/a.rs:12:5"), (Some("src/a.rs"), "12:5"));
}

#[test]
fn a_path_is_meant_by_its_end() {
    assert!(is_path("a/b/c.py", "b/c.py"));
    assert!(is_path("c.py", "./c.py"));
    assert!(!is_path("a/bc.py", "c.py"));
}

#[test]
fn a_place_is_a_file_with_a_line_and_maybe_a_column() {
    let place = |text| QueryPosition::parse(text).map(|spot| (spot.file, spot.line, spot.column));
    assert_eq!(place("a/b.py:12"), Some(("a/b.py", 12, None)));
    assert_eq!(place("a/b.py:12:3"), Some(("a/b.py", 12, Some(3))));
    assert_eq!(place("a/b.py:12:"), Some(("a/b.py", 12, None)));
    for text in ["a.py", "a.py:f", "a.py:1:f", "a::1", "12", ":12", "a.py:1:2:3", "a.py:-1"] {
        assert_eq!(place(text), None, "{text}");
    }
}

/// Returns the meaning of a text, as `path:line name`, one for each definition.
fn meant(files: &[(&str, &str)], text: &str) -> Result<Vec<String>, Vec<String>> {
    let scratch = ScratchCodebase::new(files);
    let mut index = scratch.index();
    let code = index.code(LATER).unwrap();
    let said =
        |symbol: &CodeSymbol| format!("{}:{} {}", symbol.path, symbol.line, symbol.full_name);
    match code.meant(text) {
        NameLookup::One(found) => Ok(found.iter().map(|at| said(&code.symbol(*at))).collect()),
        NameLookup::Several(all) | NameLookup::Nothing(all) => Err(all.iter().map(said).collect()),
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], asked: &[(&str, &str)]) {
    for (text, want) in asked {
        assert_eq!(meant(files, text), Ok(vec![(*want).to_owned()]), "{text}");
    }
}

#[test]
fn a_class_in_a_namespace_is_told_from_its_constructor() {
    let files = [("w.hpp", "namespace ui {\nstruct W {\n  W();\n  int x;\n};\n}\n")];
    check(
        &files,
        &[
            ("ui::W", "w.hpp:2 ui::W"),
            ("W", "w.hpp:2 ui::W"),
            ("w.hpp:ui::W", "w.hpp:2 ui::W"),
            ("w.hpp:W", "w.hpp:2 ui::W"),
            ("ui::W::W", "w.hpp:3 ui::W::W"),
            ("W::W", "w.hpp:3 ui::W::W"),
            ("w.hpp:W::W", "w.hpp:3 ui::W::W"),
        ],
    );
}

#[test]
fn an_exact_full_name_wins_over_the_name_of_a_file() {
    let java = "package a;\npublic class User {\n  User() {}\n  String name() { return \"x\"; }\n}\nclass Helper {\n  String name() { return \"y\"; }\n}\n";
    let files = [("src/User.java", java)];
    check(
        &files,
        &[
            ("User.name", "src/User.java:4 User.name"),
            ("a.User.name", "src/User.java:4 User.name"),
            ("src/User.java:User.name", "src/User.java:4 User.name"),
            ("Helper.name", "src/User.java:7 Helper.name"),
            ("User.Helper.name", "src/User.java:7 Helper.name"),
            ("User.User", "src/User.java:3 User.User"),
            ("User", "src/User.java:2 User"),
        ],
    );
    let php = "<?php\nnamespace App;\ninterface HasName { public function name(): string; }\nclass User {\n  public function name(): string { return ''; }\n}\n";
    check(
        &[("php/src/User.php", php)],
        &[
            ("php/src/User.php:User.name", "php/src/User.php:5 User.name"),
            ("App\\User.name", "php/src/User.php:5 User.name"),
        ],
    );
}

#[test]
fn a_whole_path_wins_over_the_end_of_another() {
    let files = [("a.py", "def f(): pass\n"), ("b/a.py", "def f(): pass\n")];
    check(&files, &[("a.py:f", "a.py:1 f"), ("b/a.py:f", "b/a.py:1 f"), ("a.py:1", "a.py:1 f")]);
    assert_eq!(meant(&files, "f"), Err(vec!["a.py:1 f".to_owned(), "b/a.py:1 f".to_owned()]));
}

#[test]
fn names_that_stand_side_by_side_win_over_those_with_others_between() {
    let files = [(
        "a.cpp",
        "namespace o { namespace x {\nstruct W { int i; };\nnamespace y {\nstruct W { int i; };\n} } }\n",
    )];
    check(&files, &[("x::W", "a.cpp:2 o::x::W")]);
    assert_eq!(meant(&files, "o::W").map_err(|all| all.len()), Err(2));
}

const STORE: &str = "class Store:\n    @cached\n    def save(self):\n        x = 1\n        return x\n\n    y = 1\n\n\ndef one(): pass\n\nprint(1)\n";

#[test]
fn a_definition_is_named_by_its_place() {
    let files = [("app/store.py", STORE)];
    check(
        &files,
        &[
            ("app/store.py:1", "app/store.py:1 Store"),
            ("store.py:3", "app/store.py:3 Store.save"),
            ("./app/store.py:3", "app/store.py:3 Store.save"),
            ("app/store.py:3:9", "app/store.py:3 Store.save"),
            // The definition around it, where nothing is defined.
            ("app/store.py:2", "app/store.py:3 Store.save"),
            ("app/store.py:5", "app/store.py:3 Store.save"),
            ("app/store.py:5:16", "app/store.py:3 Store.save"),
            ("app/store.py:6", "app/store.py:1 Store"),
            ("app/store.py:10", "app/store.py:10 one"),
        ],
    );
    for text in ["app/store.py:12", "app/store.py:99", "app/store.py:0", "app/none.py:1"] {
        assert_eq!(meant(&files, text), Err(Vec::new()), "{text}");
    }
}

#[test]
fn of_several_definitions_in_a_line_the_column_tells() {
    let files = [("j.ts", "export class J { go() {} stop() {} }\n")];
    let all = ["j.ts:1 J", "j.ts:1 J.go", "j.ts:1 J.stop"].map(str::to_owned).to_vec();
    assert_eq!(meant(&files, "j.ts:1"), Err(all));
    check(
        &files,
        &[
            ("j.ts:1:14", "j.ts:1 J"),
            ("j.ts:1:18", "j.ts:1 J.go"),
            ("j.ts:1:19", "j.ts:1 J.go"),
            ("j.ts:1:26", "j.ts:1 J.stop"),
            ("j.ts:1:31", "j.ts:1 J.stop"),
            ("j.ts:1:36", "j.ts:1 J"),
        ],
    );
}

#[test]
fn a_declaration_named_by_its_place_is_what_it_declares() {
    let files = [
        ("store.h", "int store_save(int size);\n"),
        ("store.c", "#include \"store.h\"\n\nint store_save(int size) { return size; }\n"),
    ];
    for text in ["store.h:1", "store.c:3"] {
        let both = ["store.c:3 store_save", "store.h:1 store_save"].map(str::to_owned).to_vec();
        assert_eq!(meant(&files, text), Ok(both), "{text}");
    }
}

#[test]
fn no_name_is_like_nothing() {
    let files = [("app/store.py", STORE)];
    for text in ["", "  ", "app/store.py:", "::"] {
        assert_eq!(meant(&files, text), Err(Vec::new()), "{text}");
    }
}
