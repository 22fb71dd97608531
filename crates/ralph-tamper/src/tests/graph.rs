//! Tests that only the code graph knows.

use super::{TamperRules, findings, weakenings};

/// A test that is removed from a file.
fn removed(path: &str, head: &str, test: &str, tail: &str) -> usize {
    let (old, new) = (format!("{head}{test}{tail}"), format!("{head}{tail}"));
    weakenings(&findings(&[(path, &old)], &[(path, &new)], &TamperRules::default())).len()
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
        assert_eq!(removed(path, head, test, tail), 1, "{path}");
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
        assert_eq!(removed(path, head, function, tail), 0, "{path}");
    }
}
