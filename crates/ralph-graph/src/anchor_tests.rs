use super::*;

fn symbol_hash(path: &Path, contents: &[u8], symbol: &str) -> Option<SymbolHash> {
    FileAnchors::read(path, contents)?.hash(symbol)
}

/// A definition that `edit` changes and `other` does not, in a language.
struct AnchorEditCase {
    file: &'static str,
    text: &'static str,
    symbol: &'static str,
    edit: (&'static str, &'static str),
    other: (&'static str, &'static str),
}

const CASES: &[AnchorEditCase] = &[
    AnchorEditCase {
        file: "a.py",
        text: "import os\n\nclass Store:\n    def save(self, x):\n        if x:\n            return 1\n\ndef load():\n    return 2\n",
        symbol: "Store.save",
        edit: ("return 1", "return 3"),
        other: ("return 2", "return 4"),
    },
    AnchorEditCase {
        file: "a.rs",
        text: "struct Store;\nimpl Store {\n    fn save(&self) -> u8 { 1 }\n    fn load(&self) -> u8 { 2 }\n}\n",
        symbol: "Store::save",
        edit: ("{ 1 }", "{ 3 }"),
        other: ("{ 2 }", "{ 4 }"),
    },
    AnchorEditCase {
        file: "a.ts",
        text: "export class Store {\n  save(): number { return 1; }\n}\nexport const load = () => 2;\n",
        symbol: "Store.save",
        edit: ("return 1", "return 3"),
        other: ("=> 2", "=> 4"),
    },
    AnchorEditCase {
        file: "a.tsx",
        text: "export function View() { return <a>1</a>; }\nexport const load = () => 2;\n",
        symbol: "View",
        edit: (">1<", ">3<"),
        other: ("=> 2", "=> 4"),
    },
    AnchorEditCase {
        file: "a.js",
        text: "function save() { return 1; }\nconst load = () => 2;\n",
        symbol: "save",
        edit: ("return 1", "return 3"),
        other: ("=> 2", "=> 4"),
    },
    AnchorEditCase {
        file: "a.go",
        text: "package a\n\ntype Store struct{}\n\nfunc (s *Store) Save() int { return 1 }\n\nfunc Save() int { return 2 }\n",
        symbol: "Store.Save",
        edit: ("return 1", "return 3"),
        other: ("return 2", "return 4"),
    },
    AnchorEditCase {
        file: "A.java",
        text: "package x.y;\n\nclass Store {\n  int save() { return 1; }\n  int load() { return 2; }\n}\n",
        symbol: "Store.save",
        edit: ("return 1", "return 3"),
        other: ("return 2", "return 4"),
    },
    AnchorEditCase {
        file: "a.c",
        text: "int save(void) { return 1; }\nint load(void) { return 2; }\n",
        symbol: "save",
        edit: ("return 1", "return 3"),
        other: ("return 2", "return 4"),
    },
    AnchorEditCase {
        file: "a.cpp",
        text: "namespace x {\nstruct Store { int save(); };\nint Store::save() { return 1; }\nint load() { return 2; }\n}\n",
        symbol: "Store::save",
        edit: ("return 1", "return 3"),
        other: ("return 2", "return 4"),
    },
    AnchorEditCase {
        file: "a.rb",
        text: "module X\n  class Store\n    def save\n      1\n    end\n\n    def load\n      2\n    end\n  end\nend\n",
        symbol: "X::Store#save",
        edit: ("1", "3"),
        other: ("2", "4"),
    },
    AnchorEditCase {
        file: "a.php",
        text: "<?php\nnamespace App\\X;\nclass Store {\n  function save() { return 1; }\n  function load() { return 2; }\n}\n",
        symbol: "App\\X\\Store::save",
        edit: ("return 1", "return 3"),
        other: ("return 2", "return 4"),
    },
    AnchorEditCase {
        file: "a.cs",
        text: "namespace App.X;\nclass Store {\n  int Save() => 1;\n  int Load() => 2;\n}\n",
        symbol: "Store.Save",
        edit: ("=> 1", "=> 3"),
        other: ("=> 2", "=> 4"),
    },
    AnchorEditCase {
        file: "a.sh",
        text: "save() {\n  echo 1\n}\nload() {\n  echo 2\n}\n",
        symbol: "save",
        edit: ("echo 1", "echo 3"),
        other: ("echo 2", "echo 4"),
    },
];

fn hash(case: &AnchorEditCase, text: &str) -> Option<SymbolHash> {
    symbol_hash(Path::new(case.file), text.as_bytes(), case.symbol)
}

#[test]
fn a_definition_has_another_hash_when_it_changes_and_only_then() {
    for case in CASES {
        let before = hash(case, case.text);
        assert!(before.is_some(), "{}", case.file);
        let edited = case.text.replacen(case.edit.0, case.edit.1, 1);
        assert_ne!(hash(case, &edited), before, "{}", case.file);
        let elsewhere = case.text.replacen(case.other.0, case.other.1, 1);
        assert_ne!(elsewhere, case.text);
        assert_eq!(hash(case, &elsewhere), before, "{}", case.file);
    }
}

#[test]
fn what_a_file_does_not_define_has_no_hash() {
    for case in CASES {
        let path = Path::new(case.file);
        assert!(defines(path, case.text.as_bytes(), case.symbol), "{}", case.file);
        for symbol in ["nothing", "Other.save", "", "::"] {
            assert!(!defines(path, case.text.as_bytes(), symbol), "{} {symbol}", case.file);
            assert_eq!(symbol_hash(path, case.text.as_bytes(), symbol), None);
        }
    }
    assert_eq!(symbol_hash(Path::new("notes.txt"), b"def save(): pass", "save"), None);
}

#[test]
fn how_a_definition_is_laid_out_does_not_matter() {
    let flat = "def save(x):\n    if x:\n        return 1\n";
    let inside = "class A:\n    def save(x):  \n\n        if x:\n            return 1\r\n";
    let of = |text: &str| symbol_hash(Path::new("a.py"), text.as_bytes(), "save");
    assert_eq!(of(flat), of(inside));
    let other = "def save(x):\n    if x:\n        pass\n    return 1\n";
    assert_ne!(of(flat), of(other));
    let moved = "def save(x):\n    if x:\n        pass\n        return 1\n";
    assert_ne!(of(moved), of(other));
}

#[test]
fn definitions_of_one_name_have_one_hash_together() {
    let path = Path::new("A.java");
    let text = "class A {\n  int f() { return 1; }\n  int f(int x) { return 2; }\n}\n";
    let both = symbol_hash(path, text.as_bytes(), "A.f");
    let edited = text.replace('2', "3");
    assert_ne!(symbol_hash(path, edited.as_bytes(), "A.f"), both);
}

#[test]
fn a_hash_is_shown_as_text_that_can_be_kept() {
    let shown = symbol_hash(Path::new("a.py"), b"def f(): pass\n", "f").unwrap().to_string();
    assert_eq!(shown.len(), 32);
    assert!(shown.bytes().all(|byte| byte.is_ascii_hexdigit()));
}
