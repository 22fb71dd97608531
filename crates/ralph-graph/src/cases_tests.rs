use super::*;

#[track_caller]
fn check(path: &str, text: &str, want: &[&str]) {
    let cases = in_file(Path::new(path), text.as_bytes()).unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, want, "{path}");
}

#[test]
fn a_test_says_itself_that_it_is_one() {
    check("a.rs", "#[tokio::test(flavor = \"x\")]\nasync fn a() {}\n", &["a"]);
    check("a.rs", "#[db_test]\n#[ignore]\nfn a() {}\nfn b() {}\n", &["a"]);
    check("A.java", "class A {\n  @ParameterizedTest\n  void a() {}\n  void b() {}\n}\n", &["a"]);
    check("A.cs", "class A {\n  [Trait(\"x\"), Fact]\n  void B() {}\n}\n", &["B"]);
    check("A.php", "<?php\nclass A {\n  #[Group('x')]\n  #[Test]\n  function b() {}\n}\n", &["b"]);
    check(
        "a_test.go",
        "package a\n\nfunc FuzzA(f *testing.F) {}\nfunc ExampleA() {}\n",
        &["FuzzA", "ExampleA"],
    );
    check("a.cc", "TEST_F(Suite, Name) { EXPECT_EQ(1, 1); }\n", &["Suite.Name"]);
    check("a.py", "class A(TestCase):\n    def test_a(self): pass\n", &["test_a"]);
    check(
        "a.rb",
        "class A < ActionDispatch::IntegrationTest\n  def test_a\n  end\nend\n",
        &["test_a"],
    );
    check("a.rb", "describe \"a\" do\n  it \"b\" do\n  end\nend\n", &["b"]);
    check("a.ts", "test('a', () => {});\ndescribe('b', () => { it('c', () => {}); });\n", &["c"]);
}

#[test]
fn what_serves_tests_is_no_test() {
    check(
        "a.rs",
        "#[cfg(test)]\nmod tests {\n    fn helper() {}\n}\n#[cfg(test)]\nfn b() {}\n",
        &[],
    );
    check("A.cs", "[TestFixture]\nclass A {\n  void Helper() {}\n}\n", &[]);
    check(
        "A.php",
        "<?php\nclass A extends TestCase {\n  function setUp() {}\n  function testB() {}\n}\n",
        &["testB"],
    );
    check("a.py", "class TestA:\n    def helper(self): pass\n", &[]);
    check("a.ts", "describe('b', () => { function helper() {} });\n", &[]);
}

#[test]
fn a_name_alone_makes_no_test() {
    check("db.py", "def test_connection():\n    return True\n", &[]);
    check("db.rb", "def test_connection\nend\ntest \"x\" do\nend\n", &[]);
    check("db.ts", "function run() { test('a', () => {}); }\n", &[]);
    check("db.ts", "test('a', () => {});\n", &[]);
}

#[test]
fn of_a_file_that_cannot_be_read_nothing_is_said() {
    assert_eq!(in_file(Path::new("a.txt"), b"test"), None);
    assert_eq!(in_file(Path::new("a.rs"), b"#[test]\nfn a() { ))) fn"), None);
}
