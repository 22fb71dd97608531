use ralph_tamper::{
    EmptyTestCatalog, FilePair, FileVersion, TamperRules, TamperingSeverity, compare,
};

use super::*;

/// The scenarios of tamper evidence: honest edits, and others.
const HONEST: [&str; 5] = [
    include_str!("../../ralph-tamper/src/tests/scenarios/honest_config.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/honest_odd_places.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/honest_others.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/honest_python.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/honest_rust.txt"),
];
const WEAKER: [&str; 8] = [
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_go.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_java_kotlin_csharp_c.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_javascript.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_odd_places.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_python.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_ruby_php_shell.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_rust.txt"),
    include_str!("../../ralph-tamper/src/tests/scenarios/weaker_unparsable.txt"),
];

type ProjectFileTexts = Vec<(String, String)>;

fn weakened(
    old: &ProjectFileTexts,
    new: &ProjectFileTexts,
    knowing: &dyn TestCatalog,
) -> Vec<String> {
    fn version((path, text): &(String, String)) -> FileVersion<'_> {
        FileVersion { path, contents: text.as_bytes() }
    }
    let pair = |file: &'_ (String, String)| new.iter().position(|other| other.0 == file.0);
    let mut pairs: Vec<FilePair<'_>> = Vec::new();
    for file in old {
        let new = pair(file).map(|at| version(&new[at]));
        pairs.push(FilePair { old: Some(version(file)), new });
    }
    for file in new.iter().filter(|file| !old.iter().any(|other| other.0 == file.0)) {
        pairs.push(FilePair { old: None, new: Some(version(file)) });
    }
    let found = compare(&pairs, &TamperRules::default(), knowing);
    let weaker = found.iter().filter(|one| one.severity() == TamperingSeverity::Weakening);
    weaker.map(|one| format!("{}: {}", one.place.display(), one.what())).collect()
}

/// The scenarios of a text: what they are about, and two trees.
fn scenarios(text: &str) -> Vec<(String, ProjectFileTexts, ProjectFileTexts)> {
    let mut all: Vec<(String, ProjectFileTexts, ProjectFileTexts)> = Vec::new();
    let (mut in_new, mut is_over) = (false, false);
    for line in text.lines() {
        if let Some(what) = line.strip_prefix("### ") {
            all.push((what.to_owned(), Vec::new(), Vec::new()));
            is_over = false;
            continue;
        }
        let Some((_, old, new)) = all.last_mut() else { continue };
        if let Some(path) = line.strip_prefix("--- ") {
            in_new = false;
            old.push((path.to_owned(), String::new()));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            in_new = true;
            new.push((path.to_owned(), String::new()));
        } else if line.starts_with("!!! ") {
            is_over = true;
        } else if let Some((_, text)) = if in_new { new } else { old }.last_mut()
            && !is_over
        {
            text.push_str(line);
            text.push('\n');
        }
    }
    all
}

#[test]
fn no_honest_edit_is_held_against_anybody_because_of_the_graph() {
    for (what, old, new) in HONEST.into_iter().flat_map(scenarios) {
        assert_eq!(weakened(&old, &new, &SyntaxTestFinder), [""; 0], "{what}");
    }
}

#[test]
fn what_the_outline_notices_the_graph_does_not_hide() {
    let all: Vec<_> = WEAKER.into_iter().flat_map(scenarios).collect();
    assert!(all.len() > 50, "{}", all.len());
    for (what, old, new) in all {
        let without = weakened(&old, &new, &EmptyTestCatalog);
        assert!(!without.is_empty(), "{what}");
        assert_eq!(weakened(&old, &new, &SyntaxTestFinder), without, "{what}");
    }
}

/// A test that is removed from a file.
fn removed(path: &str, head: &str, test: &str, tail: &str, knowing: &dyn TestCatalog) -> usize {
    let old = vec![(path.to_owned(), format!("{head}{test}{tail}"))];
    let new = vec![(path.to_owned(), format!("{head}{tail}"))];
    weakened(&old, &new, knowing).len()
}

#[test]
fn a_test_that_only_the_graph_knows_cannot_be_removed_unseen() {
    let cases = [
        ("src/a.rs", "", "#[db_test]\nfn a() { assert_eq!(f(), 1); }\n", "fn b() {}\n"),
        ("src/a.rs", "", "#[gtest]\nfn a() { assert_eq!(f(), 1); }\n", "fn b() {}\n"),
        (
            "src/Sums.cs",
            "class Sums {\n",
            "  [Trait(\"a\", \"b\"), Fact]\n  public void Adds() { Assert.Equal(1, F()); }\n",
            "}\n",
        ),
        (
            "tests/SumTest.php",
            "<?php\nclass SumTest extends TestCase {\n",
            "  #[Group('a')]\n  #[Test]\n  public function adds() { $this->assertSame(1, f()); }\n",
            "}\n",
        ),
        (
            "flows/login.rb",
            "class Login < ActionDispatch::IntegrationTest\n",
            "  def test_login\n    assert_equal 1, f\n  end\n",
            "end\n",
        ),
        (
            "checks/user.rb",
            "describe \"user\" do\n",
            "  it \"adds\" do\n    expect(f).to eq 1\n  end\n",
            "end\n",
        ),
    ];
    for (path, head, test, tail) in cases {
        assert_eq!(removed(path, head, test, tail, &EmptyTestCatalog), 0, "{path} needs no graph");
        assert_eq!(removed(path, head, test, tail, &SyntaxTestFinder), 1, "{path}");
    }
}

#[test]
fn a_function_of_the_program_may_be_removed() {
    let cases = [
        ("src/db.py", "", "def test_connection():\n    assert ping() == 1\n", "x = 1\n"),
        ("lib/db.rb", "", "def test_connection\n  raise unless ping\nend\n", "X = 1\n"),
        ("src/db.ts", "", "export function test(a: number) { return a; }\n", "let a = 1;\n"),
        ("src/dsl.ts", "import { test } from './own';\n", "test('a', () => { run(); });\n", ""),
        ("src/db.go", "package a\n", "func TestConnection() bool { return true }\n", ""),
        ("src/Db.cs", "class Db {\n", "  public void TestConnection() {}\n", "}\n"),
        ("src/Db.java", "class Db {\n", "  void testConnection() {}\n", "}\n"),
        ("src/db.rs", "", "#[cfg(test)]\nfn helper() {}\n", "fn a() {}\n"),
        ("src/db.php", "<?php\nclass Db {\n", "  function testConnection() {}\n", "}\n"),
    ];
    for (path, head, function, tail) in cases {
        assert_eq!(removed(path, head, function, tail, &SyntaxTestFinder), 0, "{path}");
    }
}
