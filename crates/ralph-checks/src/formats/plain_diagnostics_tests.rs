use super::super::sampled::summaries;
use super::*;
use crate::formats::read_text;

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../tests/samples/text/", $name))
    };
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(summaries(read_text, text), want, "{text}");
}

#[track_caller]
fn nothing(lines: &[&str]) {
    for line in lines {
        check(line, &[]);
    }
    check(&lines.join("\n"), &[]);
}

#[test]
fn gcc_and_clang_are_understood_in_colour_too() {
    let gcc = [
        "error cc - b.h:1:34 ‘undefined_thing’ undeclared (first use in this function)",
        "warning cc -Wint-conversion a.c:6:15 initialization of ‘char *’ from ‘int’ makes pointer from integer without a cast",
        "warning cc -Wformat= a.c:7:14 format ‘%d’ expects argument of type ‘int’, but argument 2 has type ‘char *’",
        "error cc - a.c:8:12 ‘missing’ undeclared (first use in this function)",
        "warning cc -Wunused-variable a.c:6:11 unused variable ‘s’",
        "warning cc -Wunused-variable a.c:5:9 unused variable ‘unused’",
        "warning cc -Wreturn-type b.h:1:51 control reaches end of non-void function",
        "warning cc -Wunused-function b.h:1:12 ‘helper’ defined but not used",
        "error cc - fatal.c:1:10 nothere.h: No such file or directory",
    ];
    check(sample!("gcc.txt"), &gcc);
    check(sample!("gcc_colour.txt"), &gcc[..8]);
    check(
        sample!("clang.txt"),
        &[
            "error cc - b.h:1:34 use of undeclared identifier 'undefined_thing'",
            "warning cc -Wint-conversion a.c:6:11 incompatible integer to pointer conversion initializing 'char *' with an expression of type 'int'",
            "warning cc -Wformat a.c:7:20 format specifies type 'int' but the argument has type 'char *'",
            "error cc - a.c:8:12 use of undeclared identifier 'missing'",
        ],
    );
}

#[test]
fn a_tool_is_named_only_by_what_no_script_would_print() {
    check("t.py:4: error: val is wrong", &["error text - t.py:4 val is wrong"]);
    check("t.py:4: error: Bad  [attr-defined]", &["error mypy attr-defined t.py:4 Bad"]);
    check("a.c:4: error: val is wrong", &["error text - a.c:4 val is wrong"]);
    check("a.rs:4: warning: val is wrong", &["warning text - a.rs:4 val is wrong"]);
    check("A.java:4: error: val is wrong", &["error javac - A.java:4 val is wrong"]);
}

#[test]
fn go_is_understood_below_the_name_of_a_package() {
    check(
        sample!("go_vet.txt"),
        &[
            "error go - bad/bad.go:7:9 undeclared name: missing",
            "error go - main.go:8:2 self-assignment of x to x",
            "error go - main.go:6:2 fmt.Printf format %d has arg \"text\" of wrong type string",
            "error go - main.go:10:2 unreachable code",
        ],
    );
    check(
        sample!("go_build.txt"),
        &[
            "error go - bad/bad.go:3:8 imported and not used: \"os\"",
            "error go - bad/bad.go:6:2 y declared but not used",
            "error go - bad/bad.go:7:9 undefined: missing",
        ],
    );
    check(
        "a.go:3:5: Error return value is not checked (errcheck)\na.go:3:5: unused (U1000)\n\
         a.go:4:5: a log line of a program",
        &[
            "warning golangci-lint errcheck a.go:3:5 Error return value is not checked",
            "warning staticcheck U1000 a.go:3:5 unused",
        ],
    );
}

#[test]
fn rust_is_understood_in_both_texts() {
    check(
        sample!("cargo.txt"),
        &[
            "error rustc E0425 src/broken.rs:2:20 cannot find value `missing` in this scope",
            "error rustc E0308 src/broken.rs:3:5 mismatched types",
            "error rustc E0277 src/lib.rs:11:12 cannot divide `u32` by `&str`",
            "error rustc E0308 src/lib.rs:20:13 mismatched types",
            "warning rustc - src/lib.rs:5:9 unused variable: `unused`",
        ],
    );
    let short = summaries(read_text, sample!("cargo_short.txt"));
    assert_eq!(short.len(), 5, "{short:#?}");
    assert_eq!(
        short[1],
        "error rustc E0308 src/broken.rs:3:5 mismatched types: expected `String`, found integer"
    );
}

#[test]
fn linters_of_python_are_understood() {
    check(
        sample!("flake8.txt"),
        &[
            "error flake8 F401 a.py:1:1 'os' imported but unused",
            "error flake8 F821 a.py:9:12 undefined name 'undefined_name'",
            "error flake8 E305 a.py:20:1 expected 2 blank lines after class or function definition, found 1",
            "error flake8 E711 a.py:20:17 comparison to None should be 'if cond is None:'",
            "error flake8 E999 broken.py:1:8 SyntaxError: invalid syntax",
        ],
    );
    let pylint = summaries(read_text, sample!("pylint.txt"));
    assert_eq!(pylint.len(), 11, "{pylint:#?}");
    assert_eq!(pylint[1], "warning pylint C0114 a.py:1:1 Missing module docstring");
    assert_eq!(pylint[3], "error pylint E0602 a.py:9:12 Undefined variable 'undefined_name'");
    let ruff = summaries(read_text, sample!("ruff.txt"));
    assert_eq!(ruff[0], "error ruff F401 a.py:1:8 `os` imported but unused");
    assert_eq!(ruff[4], "error ruff invalid-syntax broken.py:1:8 Expected `)`, found newline");
    assert_eq!(ruff.len(), 5, "{ruff:#?}");
    assert_eq!(summaries(read_text, sample!("ruff_concise.txt")).len(), 8);
    let pyright = summaries(read_text, sample!("pyright.txt"));
    assert_eq!(pyright.len(), 12, "{pyright:#?}");
    assert_eq!(
        pyright[2],
        "error pyright reportUndefinedVariable py/a.py:9:12 \"undefined_name\" is not defined"
    );
    check(
        include_str!("../../tests/samples/mypy/syntax.txt"),
        &[
            "error mypy syntax broken.py:1:8 Expected a parameter or the end of the parameter list",
            "error mypy syntax broken.py:1:9 Expected `)`, found newline",
        ],
    );
}

#[test]
fn eslint_and_tsc_are_understood() {
    let eslint = summaries(read_text, sample!("eslint.txt"));
    assert_eq!(eslint.len(), 7, "{eslint:#?}");
    assert_eq!(eslint[3], "warning eslint eqeqeq js/a.js:3:7 Expected '===' and instead saw '=='");
    assert_eq!(eslint[6], "error eslint - js/broken.js:1:10 Parsing error: Unexpected token (");
    for text in [
        include_str!("../../tests/samples/tsc/plain.txt"),
        include_str!("../../tests/samples/tsc/pretty.txt"),
    ] {
        assert_eq!(summaries(read_text, text), summaries(tsc::read, text));
    }
}

#[test]
fn shells_ruby_php_and_java_are_understood() {
    let shell = summaries(read_text, sample!("shellcheck_gcc.txt"));
    assert_eq!(shell.len(), 14, "{shell:#?}");
    assert_eq!(
        shell[1],
        "info shellcheck SC2086 a.sh:2:4 Double quote to prevent globbing and word splitting."
    );
    check(
        sample!("ruby.txt"),
        &[
            "warning ruby - a.rb:2 assigned but unused variable - unused",
            "error ruby - broken.rb:2 syntax error, unexpected '='",
        ],
    );
    let php = [
        "error php - a.php:4 syntax error, unexpected token \"}\", expecting \";\"",
        "error php - ok.php:3 Cannot redeclare g() (previously declared in ok.php:2)",
    ];
    check(sample!("php.txt"), &php);
    check(sample!("php_both.txt"), &php[..1]);
    check(
        sample!("javac.txt"),
        &[
            "error javac - Main.java:5 incompatible types: String cannot be converted to int",
            "warning javac rawtypes Main.java:6 found raw type: List",
            "warning javac rawtypes Main.java:6 found raw type: ArrayList",
            "error javac - Main.java:7 cannot find symbol",
            "warning javac deprecation Main.java:8 Date(int,int,int) in Date has been deprecated",
        ],
    );
}

/// Written after the documentation of these tools.
#[test]
fn maven_kotlin_csharp_and_phpstan_are_understood() {
    check(
        "[INFO] Compiling 3 source files\n\
         [ERROR] /project/src/App.java:[5,17] cannot find symbol\n\
         [ERROR]   symbol:   variable x\n\
         [WARNING] /project/src/App.java:[7,3] [deprecation] f() has been deprecated\n\
         [ERROR] Failed to execute goal: Compilation failure\n\
         [ERROR] /project/src/App.java:[5,17] cannot find symbol\n",
        &[
            "error javac - src/App.java:5:17 cannot find symbol",
            "warning javac deprecation src/App.java:7:3 f() has been deprecated",
        ],
    );
    check(
        "e: file:///project/A.kt:3:5 Unresolved reference 'x'.\n\
         w: /project/A.kt: (7, 9): Variable 'y' is never used\n\
         A.kt:3:5: error: unresolved reference: z",
        &[
            "error kotlinc - A.kt:3:5 Unresolved reference 'x'.",
            "warning kotlinc - A.kt:7:9 Variable 'y' is never used",
            "error kotlinc - A.kt:3:5 unresolved reference: z",
        ],
    );
    check(
        "/project/A.cs(3,5): error CS0103: The name 'x' does not exist [/project/a.csproj]\n\
         \x20   /project/A.cs(3,5): error CS0103: The name 'x' does not exist [/project/a.csproj]\n\
         C:\\p\\a.cpp(12): fatal error C1083: Cannot open include file: 'x.h'\n",
        &[
            "error csc CS0103 A.cs:3:5 The name 'x' does not exist",
            "error cl C1083 C:\\p\\a.cpp:12 Cannot open include file: 'x.h'",
        ],
    );
    check(
        "/project/a.php:5:Undefined variable: $x\n\
         /project/a.php:7:Call to an undefined method A::b(). [identifier=method.notFound]",
        &[
            "error phpstan - a.php:5 Undefined variable: $x",
            "error phpstan method.notFound a.php:7 Call to an undefined method A::b().",
        ],
    );
}

#[test]
fn speaking_of_errors_is_no_finding() {
    nothing(&[
        "error",
        "error: could not compile `sample` (lib) due to 4 previous errors",
        "warning: `sample` (lib) generated 1 warning",
        "There was 1 error: in a.c:3:5: error: x",
        "0 errors, 3 warnings",
        "Error: ENOENT: no such file or directory, open 'a.js:3:5: error: x'",
        "make: *** [Makefile:5: all] Error 1",
        "npm ERR! code 1",
        "In file included from a.c:2:",
        "src/a.c:3:5: note: expanded from macro",
        "src/a.c:3:5: error:",
        "src/a.c:3:5: ERROR: x",
        "src/a.c:3:5: errors: x",
        "a.c: error: x",
    ]);
}

#[test]
fn addresses_and_times_are_no_places() {
    nothing(&[
        "http://localhost:3000/a.js:10:5: error: x",
        "https://example.com:443: error: refused",
        "example.com:443: error: refused",
        "localhost:8080: error: address in use",
        "10.0.0.1:80: error: timeout",
        "docker.io/library/node:18: error: pull access denied",
        "2024-01-01T10:00:00: error: x",
        "2024-01-01 10:00:00: error: x",
        "12:30:45: error: x",
        "[12:30:45] error: a.c:3:5: error: x",
        "12:30:01 - error: x",
    ]);
}

#[test]
fn stack_traces_are_no_findings() {
    nothing(&[
        "Traceback (most recent call last):",
        "  File \"/project/a.py\", line 3, in f",
        "    at f (/project/a.js:10:5)",
        "    at /project/a.js:10:5",
        "/project/a.js:10",
        "\tat com.example.App.main(App.java:5)",
        "Exception in thread \"main\" java.lang.Error: App.java:5: error: x",
        "goroutine 1 [running]:",
        "\t/project/main.go:12 +0x1d",
        "thread 'main' panicked at src/main.rs:3:5:",
        "/project/a.rb:3:in `f': undefined method (NoMethodError)",
        "#0 /project/a.php(5): f()",
        "PHP Fatal error:  Uncaught Exception: x in /project/a.php:3",
        "  thrown in /project/a.php on line 3",
        "PHP Warning:  Undefined variable $x in /project/a.php on line 3",
    ]);
}

#[test]
fn tests_and_their_logs_are_no_findings() {
    nothing(&[
        "tests/test_a.py:12: AssertionError",
        "E   a.py:3: error: x",
        "/project/a.py:3: DeprecationWarning: x is deprecated",
        "    a_test.go:12: error: got 3, want 4",
        "main.go:23: a log line",
        "/project/test.cc:12: Failure",
        "/project/t.cpp:10: FAILED:",
        "/project/t.cpp(10): ERROR: CHECK( x ) is NOT correct!",
        "a.cpp(12): error: in \"suite/case\": check x == y has failed [1 != 2]",
        "prog: a.c:5: main: Assertion `x' failed.",
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "rspec ./spec/a_spec.rb:3 # does something",
        "test/a_test.rb:5:in 'block'",
        "# Subtest: a.go",
        "a.go:3:5: x",
        "not ok 1 - a.js:3:5: error: x",
        "[ERROR]   AppTest.adds:12 expected: <4> but was: <5>",
        "e: something else",
        "src/a.php:5:    return $x;",
        "/project/a.php:5:return $x;",
        "/project/a.php:5:Route::get('/', function () {",
        "1:5  error  x  rule",
        "error: assertion failed",
        "  left: 1",
    ]);
}

#[test]
fn a_warning_about_somebody_elses_file_is_passed_over() {
    check(
        "/usr/include/x.h:3:5: warning: y\n/usr/include/x.h:4:5: error: z\n",
        &["error cc - /usr/include/x.h:4:5 z"],
    );
}

#[test]
fn an_arrow_counts_only_right_after_its_message() {
    nothing(&["warning: x", "", " --> src/a.rs:1:2", "error: x", "  |", " --> src/a.rs:1:2"]);
    check("error: x\r\n --> src/a.rs:1:2\r\n", &["error rustc - src/a.rs:1:2 x"]);
}
