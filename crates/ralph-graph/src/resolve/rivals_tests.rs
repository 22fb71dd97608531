use crate::resolve::tests::check;

const CARGO: (&str, &str) = ("Cargo.toml", "[package]\nname = \"d\"\n");

#[test]
fn a_script_that_passes_on_two_of_one_name_means_neither_surely() {
    check(
        &[
            ("a.ts", "export function x() {}\nexport class S {\n  go() {}\n}\n"),
            ("b.ts", "export function x() {}\nexport class S {\n  go() {}\n}\n"),
            ("index.ts", "export * from './a';\nexport * from './b';\n"),
            ("use.ts", "import { x, S } from './index';\nx();\nnew S().go();\n"),
            ("all.ts", "import * as all from './index';\nall.x();\n"),
            ("near.ts", "import { x } from './a';\nx();\n"),
        ],
        &[
            "use.ts:2 x -> ? a.ts:1 b.ts:1",
            "use.ts:3 S -> ? a.ts:2 b.ts:2",
            "use.ts:3 go -> ? a.ts:3 b.ts:3",
            "all.ts:2 x -> ? a.ts:1 b.ts:1",
            "near.ts:2 x -> a.ts:1",
        ],
    );
}

#[test]
fn what_a_script_passes_on_by_its_name_or_on_two_ways_is_sure() {
    check(
        &[
            ("a.ts", "export function x() {}\nexport function y() {}\nexport function z() {}\n"),
            ("b.ts", "export * from './a';\nexport function x() {}\nfunction z() {}\n"),
            ("c.ts", "function z() {}\nexport const w = 1;\n"),
            (
                "index.ts",
                "export * from './a';\nexport * from './b';\nexport * from './c';\nexport { x } from './b';\n",
            ),
            ("use.ts", "import { x, y, z } from './index';\nx();\ny();\nz();\n"),
        ],
        &["use.ts:2 x -> b.ts:2", "use.ts:3 y -> a.ts:2", "use.ts:4 z -> a.ts:3"],
    );
}

#[test]
fn a_module_of_rust_that_passes_on_two_of_one_name_means_neither_surely() {
    check(
        &[
            CARGO,
            ("src/lib.rs", "mod a;\nmod b;\nmod all;\nmod use_it;\n"),
            ("src/a.rs", "pub fn x() {}\npub fn y() {}\nfn z() {}\npub struct T;\n"),
            ("src/b.rs", "pub fn x() {}\npub fn y() {}\npub fn z() {}\npub fn T() {}\n"),
            (
                "src/all.rs",
                "pub use crate::a::*;\npub use crate::b::*;\npub use crate::b::y;\npub mod inner {\n    pub use crate::a::*;\n    pub use crate::b::*;\n}\n",
            ),
            (
                "src/use_it.rs",
                "use crate::all::{x, y, z, T};\nfn f(_: T) {\n    x();\n    y();\n    z();\n    crate::all::x();\n    crate::all::inner::x();\n}\n",
            ),
        ],
        &[
            "src/use_it.rs:2 T -> src/a.rs:4",
            "src/use_it.rs:3 x -> ? src/a.rs:1 src/b.rs:1",
            "src/use_it.rs:4 y -> src/b.rs:2",
            "src/use_it.rs:5 z -> src/b.rs:3",
            "src/use_it.rs:6 x -> ? src/a.rs:1 src/b.rs:1",
            "src/use_it.rs:7 x -> ? src/a.rs:1 src/b.rs:1",
        ],
    );
}

#[test]
fn of_two_that_a_module_of_python_passes_on_the_last_wins() {
    check(
        &[
            ("a.py", "def x():\n    pass\n"),
            ("b.py", "def x():\n    pass\n"),
            ("both.py", "from a import *\nfrom b import *\n"),
            ("use.py", "from both import x\n\nx()\n"),
        ],
        &["use.py:3 x -> b.py:1"],
    );
}
