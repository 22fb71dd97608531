//! Files that were made to break a reader.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::facts::{FileFacts, ParseHealth};
use crate::language::SourceLanguage;
use crate::read::{SourceReadError, SourceReader};

/// A sample of each language, as in the other tests.
const SAMPLES: &[(&str, &str)] = &[
    (
        "a.py",
        "from .a import b as c\nclass A(B):\n    x: int = 1\n    def f(self, q: C = 1):\n        self.z = [i for i in q if (w := i)]\n        return f\"{self.x}\"\n",
    ),
    (
        "a.rs",
        "use a::{self, b as c};\n#[derive(D)]\npub struct A<T> { x: T }\nimpl<T> E for A<T> { fn f(&self, (a, b): (u8, u8)) -> u8 { if let Some(x) = g!(a) { x } else { Self::h(b) } } }\n",
    ),
    (
        "a.ts",
        "import a, { b as c } from 'd';\nexport class A<T> extends B implements C { #x = 1; constructor(private y: Z) { this.q = y } get z() { return <T>this.#x } }\nexport default (p) => p;\n",
    ),
    (
        "a.tsx",
        "const { a, b: [c] } = d; export const E = ({ f }: P) => <F g={a}>{c.map(h => <i.J/>)}</F>;\n",
    ),
    (
        "a.js",
        "module.exports = { a() {}, b: function () {} }; A.prototype.c = function (d) { var e = require('f'); };\nit('g', () => {});\n",
    ),
    (
        "a.go",
        "package a\nimport b \"c/d\"\ntype A[T any] struct { *B; c int }\nfunc (a *A[T]) F(x ...int) (err error) { for i, v := range x { a.c += v + i }; switch y := z.(type) { case int: y() }; return }\n",
    ),
    (
        "A.java",
        "package a.b; import c.D; @E class A<T> extends B<T> implements C { int x, y = f(); A(D d) { super(d); this.x = d.g(); } record R(int q) {} enum F { G { } } }\n",
    ),
    (
        "a.c",
        "#include <a.h>\n#define B(x) x\ntypedef struct { int a; } A;\nstatic A *f(int (*g)(int), struct b *c) { return &(A){ .a = g(c->d) }; }\n",
    ),
    (
        "a.cpp",
        "namespace a::b { template <typename T> class A : public B<T> { A() : x_(1) {} ~A(); operator bool(); int x_; }; } void a::b::A<int>::f() { auto [x, y] = g([z = 1](int q) { return q; }); }\n",
    ),
    (
        "a.rb",
        "require_relative 'a'\nmodule A\n  class B < C::D\n    attr_reader :x\n    E = Struct.new(:f)\n    def g(h, i: 1, *j, &k)\n      @l, m = h\n    rescue N => o\n      m.p { |q, (r, s)| q }\n    end\n  end\nend\n",
    ),
    (
        "a.php",
        "<?php namespace A\\B; use C\\{D, E as F}; #[G] class H extends D implements F { use I; const J = 1; private ?K $l; function __construct(private M $n) { $this->l = new K(); $o = fn($p) => $p?->q(...); } }\n",
    ),
    (
        "A.cs",
        "using A.B; namespace C; [D] public class E<T> : F<T>, IG where T : H { int x, y; public int P { get; set; } E(I i) : base(i) { var (a, b) = i?.J(out var c) ?? new K { L = 1 }; } ~E() {} }\n",
    ),
    (
        "a.sh",
        "source ./b.sh\nreadonly A=1\nf() { local b=$1 c; for d in \"${A[@]}\"; do g \"$b\" $(h); done <<EOF\n$c\nEOF\n}\n",
    ),
];

fn read(name: &str, source: &[u8]) -> FileFacts {
    let language = SourceLanguage::of(Path::new(name), source).unwrap();
    SourceReader::new().read(language, source).unwrap()
}

/// Checks that every number in the facts is valid.
fn is_sound(facts: &FileFacts, source: &[u8]) {
    let size = u32::try_from(source.len()).unwrap();
    let count = facts.definitions.len();
    let mut last = 0;
    for (place, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.span.start >= last, "definitions are in the order of the text");
        last = definition.span.start;
        assert!(definition.span.end <= size && definition.span.start <= definition.span.end);
        assert!(definition.name_span.end <= size);
        assert!(definition.span.line >= 1 && definition.span.last_line >= definition.span.line);
        assert!(!definition.signature.contains('\n'));
        if let Some(container) = definition.container {
            assert!((container.0 as usize) < count && container.0 as usize != place);
        }
    }
    for reference in &facts.references {
        assert!(reference.span.end <= size);
        assert!(reference.within.is_none_or(|within| (within.0 as usize) < count));
    }
    assert!(facts.references.is_sorted_by_key(|reference| reference.span.start));
}

#[test]
fn every_sample_is_whole() {
    for (name, source) in SAMPLES {
        let facts = read(name, source.as_bytes());
        assert_eq!(facts.health, ParseHealth::Whole, "{name}");
        assert!(!facts.definitions.is_empty(), "{name}");
        is_sound(&facts, source.as_bytes());
    }
}

#[test]
fn a_file_cut_anywhere_is_read_as_far_as_it_goes() {
    for (name, source) in SAMPLES {
        for end in 0..source.len() {
            let cut = &source.as_bytes()[..end];
            is_sound(&read(name, cut), cut);
        }
    }
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    for (name, before, open, close) in [
        ("a.py", "x = ", "(", ")"),
        ("a.rs", "fn f() { let x = ", "(", ")"),
        ("a.js", "let x = ", "[", "]"),
        ("a.go", "package a\nvar x = ", "(", ")"),
        ("a.c", "int x = ", "(", ")"),
        ("a.ts", "let x: ", "A<", ">"),
        ("a.rb", "x = ", "[", "]"),
        ("A.java", "class A { int x = ", "(", ")"),
    ] {
        let source = format!("{before}{}1{}", open.repeat(100_000), close.repeat(100_000));
        let language = SourceLanguage::of(Path::new(name), b"").unwrap();
        // The parser may give up, but it must return.
        if let Ok(facts) = SourceReader::new().read(language, source.as_bytes()) {
            is_sound(&facts, source.as_bytes());
        }
    }
}

#[test]
fn definitions_that_lie_too_deep_are_left_out_and_that_is_said() {
    for (name, open, close) in [
        ("a.cpp", "namespace a {\n", "}\n"),
        ("a.rb", "module A\n", "end\n"),
        ("A.java", "class A {\n", "}\n"),
    ] {
        let deep = |count: usize| {
            let source = format!("{}{}", open.repeat(count), close.repeat(count));
            let facts = read(name, source.as_bytes());
            is_sound(&facts, source.as_bytes());
            (facts.definitions.len(), facts.health)
        };
        assert_eq!(deep(90), (90, ParseHealth::Whole), "{name}");
        assert_eq!(deep(10_000), (100, ParseHealth::Broken { line: 100 }), "{name}");
    }
}

#[test]
fn long_chains_of_members_do_not_exhaust_the_stack() {
    for (name, before, link) in
        [("a.py", "a", ".b()"), ("a.ts", "a", ".b()"), ("a.rs", "fn f() { a", ".b()")]
    {
        let source = format!("{before}{}", link.repeat(20_000));
        is_sound(&read(name, source.as_bytes()), source.as_bytes());
    }
}

#[test]
fn one_name_that_is_bound_again_and_again_takes_no_square_time() {
    let source = format!("fn f() {{ {} }}", "let x = x;".repeat(50_000));
    assert!(read("a.rs", source.as_bytes()).references.len() <= 1);
}

#[test]
fn what_is_no_text_is_read_without_harm() {
    for (name, source) in SAMPLES {
        let mut bytes = source.as_bytes().to_vec();
        for place in (0..bytes.len()).step_by(7) {
            bytes[place] = if place % 2 == 0 { 0xFF } else { 0 };
        }
        is_sound(&read(name, &bytes), &bytes);
    }
}

#[test]
fn what_stands_around_an_error_is_read() {
    let facts = read("a.py", b"def f(): pass\n\nclass ??? (\n\ndef g(): pass\n");
    assert_eq!(facts.health, ParseHealth::Broken { line: 3 });
    let names: Vec<&str> =
        facts.definitions.iter().map(|definition| facts.names.text(definition.name)).collect();
    assert!(names.contains(&"f"), "{names:?}");
}

#[test]
fn a_reader_is_as_good_as_new_after_a_bad_file() {
    let mut reader = SourceReader::new();
    let language = SourceLanguage::of(Path::new("a.rs"), b"").unwrap();
    let first = reader.read(language, b"fn a() { b() }").unwrap();
    reader.read(language, &[b'{'; 5000]).ok();
    assert_eq!(reader.read(language, b"fn a() { b() }").unwrap(), first);
}

#[derive(Debug, Clone)]
enum SourceDamage {
    Delete(Index, usize),
    Insert(Index, Vec<u8>),
    Swap(Index, Index),
    Repeat(Index, usize),
}

fn harm() -> impl Strategy<Value = SourceDamage> {
    let text = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..6),
        prop_oneof!["[(){}<>;:,.=\"'`#@$\\\\]{1,4}", "(class|def|fn|if|end|import|new|=>|->|::) "]
            .prop_map(String::into_bytes),
    ];
    prop_oneof![
        (any::<Index>(), 1_usize..12).prop_map(|(at, count)| SourceDamage::Delete(at, count)),
        (any::<Index>(), text).prop_map(|(at, text)| SourceDamage::Insert(at, text)),
        (any::<Index>(), any::<Index>()).prop_map(|(one, other)| SourceDamage::Swap(one, other)),
        (any::<Index>(), 1_usize..40).prop_map(|(at, count)| SourceDamage::Repeat(at, count)),
    ]
}

fn harmed(source: &str, harms: &[SourceDamage]) -> Vec<u8> {
    let mut bytes = source.as_bytes().to_vec();
    for harm in harms {
        let size = bytes.len().max(1);
        match harm {
            SourceDamage::Delete(at, count) => {
                let start = at.index(size).min(bytes.len());
                bytes.drain(start..(start + count).min(bytes.len()));
            }
            SourceDamage::Insert(at, text) => {
                let start = at.index(size).min(bytes.len());
                bytes.splice(start..start, text.iter().copied());
            }
            SourceDamage::Swap(one, other) if !bytes.is_empty() => {
                bytes.swap(one.index(size), other.index(size));
            }
            SourceDamage::Swap(..) => {}
            SourceDamage::Repeat(at, count) => {
                let start = at.index(size).min(bytes.len());
                let part = bytes[start..(start + count).min(bytes.len())].to_vec();
                bytes.splice(start..start, part);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_to_a_file_makes_a_reader_fall(
        sample in any::<Index>(),
        harms in proptest::collection::vec(harm(), 1..12),
    ) {
        let (name, source) = SAMPLES[sample.index(SAMPLES.len())];
        let bytes = harmed(source, &harms);
        is_sound(&read(name, &bytes), &bytes);
    }
}

#[test]
fn a_file_that_the_parser_would_read_over_and_over_is_given_up() {
    let comments = |count: usize| format!("x = 1\n{}", "# pad pad pad\n".repeat(count));
    let read = |source: String| SourceReader::new().read(SourceLanguage::Python, source.as_bytes());
    assert!(read(comments(1000)).is_ok());
    assert!(matches!(read(comments(20_000)), Err(SourceReadError::TooHard { .. })));
}
