use super::*;
use crate::FileVersion;

struct FixtureTexts(Vec<(&'static str, &'static str)>);

impl ProjectTexts for FixtureTexts {
    fn each_where(&self, is_wanted: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str)) {
        self.0.iter().filter(|(path, _)| is_wanted(path)).for_each(|(path, text)| look(path, text));
    }
}

fn changed<'a>(path: &'a str, old: Option<&'a str>, new: Option<&'a str>) -> FilePair<'a> {
    let version = |text: &'a str| FileVersion { path, contents: text.as_bytes() };
    FilePair { old: old.map(version), new: new.map(version) }
}

fn names(of: &BTreeMap<String, RestoredContents>) -> Vec<&str> {
    of.keys().map(String::as_str).collect()
}

#[test]
fn tests_helpers_data_and_settings_of_runners_are_test_material() {
    let material = [
        "tests/test_a.py",
        "tests/helper.py",
        "conftest.py",
        "src/a.test.ts",
        "pkg/a_test.go",
        "pkg/testdata/in.txt",
        "tests/fixtures/a.json",
        "src/__snapshots__/a.snap",
        "src/__mocks__/a.js",
        "pytest.ini",
        "jest.config.js",
        ".mocharc.yml",
        "sitecustomize.py",
        ".babelrc",
        ".npmrc",
        ".rspec-local",
        "lib/minitest/quiet_plugin.rb",
        "config.mk",
        "go.work",
    ];
    let code = ["src/a.py", "lib/a.rb", "data/rates.json", "src/main.rs", "index.js"];
    let neither = ["README.md", "Cargo.lock", "package-lock.json", "go.mod", "pom.xml"];
    let all = material.iter().chain(&code).chain(&neither);
    let files: Vec<_> =
        all.map(|path| changed(path, Some("fn a() {}"), Some("fn b() {}"))).collect();
    let split = split(&files, &FixtureTexts(Vec::new()));
    let sorted = |mut paths: Vec<&'static str>| {
        paths.sort_unstable();
        paths
    };
    assert_eq!(names(&split.tests), sorted(material.to_vec()));
    assert_eq!(names(&split.code), sorted(code.to_vec()));
}

#[test]
fn what_is_new_is_absent_at_the_start_and_what_is_gone_comes_back() {
    let files = [
        changed("tests/test_new.py", None, Some("x")),
        changed("tests/test_gone.py", Some("y"), None),
        changed("new.py", None, Some("x")),
    ];
    let split = split(&files, &FixtureTexts(Vec::new()));
    assert_eq!(split.tests["tests/test_new.py"], RestoredContents::Absent);
    assert_eq!(split.tests["tests/test_gone.py"], RestoredContents::Contents(b"y".to_vec()));
    assert_eq!(split.code["new.py"], RestoredContents::Absent);
}

#[test]
fn data_that_only_tests_name_is_theirs() {
    let files = [
        changed("expected.json", Some("1"), Some("2")),
        changed("rates.json", Some("1"), Some("2")),
    ];
    let texts = FixtureTexts(vec![
        ("tests/test_a.py", "open('expected.json'); open('rates.json')"),
        ("src/a.py", "load('rates.json')"),
    ]);
    let split = split(&files, &texts);
    assert_eq!(names(&split.tests), ["expected.json"]);
    assert_eq!(names(&split.code), ["rates.json"]);
}

#[test]
fn code_that_only_the_runner_names_is_its_own() {
    let files =
        [changed("setup-env.js", Some("1"), Some("2")), changed("calc.py", Some("1"), Some("2"))];
    let texts = FixtureTexts(vec![
        ("jest.config.js", "setupFiles: ['./setup-env']"),
        ("test_calc.py", "import calc  # calc.py"),
    ]);
    let split = split(&files, &texts);
    assert_eq!(names(&split.tests), ["setup-env.js"]);
    assert_eq!(names(&split.code), ["calc.py"]);
}

#[test]
fn code_that_a_manifest_or_a_recipe_names_as_the_product_is_code() {
    let paths = ["index.js", "packages/core/index.js", "server.js", "app.py", "src/cli.js"];
    let files = paths.map(|path| changed(path, Some("1"), Some("2")));
    let texts = FixtureTexts(vec![
        (
            "package.json",
            r#"{"main":"index.js","scripts":{"start":"node server.js","test":"jest"},
                "jest":{"coveragePathIgnorePatterns":["/src/cli.js"]}}"#,
        ),
        ("packages/core/package.json", r#"{"main":"index.js","exports":"./index.js"}"#),
        ("packages/app/index.js", "require('@acme/core')"),
        ("bin/run.js", "require('../src/cli')"),
        ("tsconfig.json", r#"{"files":["index.js","server.js"]}"#),
        ("eslint.config.js", "ignores: ['index.js']"),
        (".github/workflows/ci.yml", "run: node server.js"),
        ("Makefile", "run:\n\tpython app.py\ntest:\n\tpytest\n"),
    ]);
    assert!(split(&files, &texts).tests.is_empty());
}

#[test]
fn code_that_tests_load_is_code_although_the_runner_names_it() {
    let paths = ["lib/index.js", "lib/a.ts", "shop/cart.py", "kit/setup.js"];
    let files = paths.map(|path| changed(path, Some("1"), Some("2")));
    let texts = FixtureTexts(vec![
        ("jest.config.js", "cover: ['lib/index.js', 'a.ts'], setupFiles: ['./kit/setup.js']"),
        ("tox.ini", "cover = shop/cart.py"),
        ("lib/index.test.js", "const lib = require('.');"),
        ("test/deep/a.test.ts", "import { a } from '../../lib/a';"),
        ("tests/test_cart.py", "from shop import cart"),
    ]);
    assert_eq!(names(&split(&files, &texts).tests), ["kit/setup.js"]);
}

#[test]
fn a_script_that_the_tests_call_by_way_of_another_is_their_own() {
    let files = ["run-all.js", "serve.js"].map(|path| changed(path, Some("1"), Some("2")));
    let scripts =
        r#"{"scripts":{"test":"npm run unit","unit":"node run-all.js","dev":"node serve.js"}}"#;
    let texts = FixtureTexts(vec![("package.json", scripts)]);
    assert_eq!(names(&split(&files, &texts).tests), ["run-all.js"]);
}

#[test]
fn a_rust_file_is_taken_apart() {
    let start = "fn a() -> u8 { 1 }\n#[test]\nfn t() { assert_eq!(a(), 2); }\n";
    let now = "fn a() -> u8 { 3 }\n#[test]\nfn t() { assert_eq!(a(), 3); }\n";
    let files = [changed("src/lib.rs", Some(start), Some(now))];
    let split = split(&files, &FixtureTexts(Vec::new()));
    let RestoredContents::Contents(tests) = &split.tests["src/lib.rs"] else { panic!() };
    let tests = String::from_utf8_lossy(tests);
    assert!(tests.contains("{ 3 }") && tests.contains("a(), 2"), "{tests}");
    let RestoredContents::Contents(code) = &split.code["src/lib.rs"] else { panic!() };
    let code = String::from_utf8_lossy(code);
    assert!(code.contains("{ 1 }") && code.contains("a(), 3"), "{code}");
}

#[test]
fn a_package_of_the_product_may_be_named_for_tests() {
    let files = [
        changed("django/test/client.py", Some("1"), Some("2")),
        changed("tests/helper.py", Some("1"), Some("2")),
    ];
    let texts = FixtureTexts(vec![
        ("django/core/a.py", "from django.test.client import Client"),
        ("tests/test_a.py", "from tests.helper import x"),
    ]);
    let split = split(&files, &texts);
    assert_eq!(names(&split.tests), ["tests/helper.py"]);
    assert_eq!(names(&split.code), ["django/test/client.py"]);
}

#[test]
fn a_rust_file_behind_a_test_module_is_test_material() {
    let lib = "#[cfg(test)]\nmod helper;\nmod code;\n";
    let project = FixtureTexts(vec![("src/lib.rs", lib)]);
    let files = [
        changed("src/helper.rs", Some("fn a() {}"), Some("fn b() {}")),
        changed("src/code.rs", Some("fn a() {}"), Some("fn b() {}")),
    ];
    let found = split(&files, &project);
    assert_eq!(names(&found.tests), ["src/helper.rs"]);
    assert_eq!(names(&found.code), ["src/code.rs"]);
}

#[test]
fn the_manifest_of_a_new_package_stays_and_one_put_into_an_old_folder_does_not() {
    let new = |path| changed(path, None, Some(r#"{"main":"b.js"}"#));
    let files = [new("kit/package.json"), new("lib/package.json")];
    let split = split(&files, &FixtureTexts(vec![("lib/index.js", "")]));
    assert_eq!(names(&split.tests), ["lib/package.json"]);
}

#[test]
fn a_new_header_with_the_name_of_one_that_tests_include_is_hidden_from_them() {
    let new = |path| changed(path, None, Some("#define assert(x)"));
    let files = [new("include/assert.h"), new("include/sys/stat.h"), new("include/calc.h")];
    let texts = FixtureTexts(vec![
        ("tests/test_a.c", "#include <assert.h>\n#include <sys/stat.h>\n#include \"calc.h\""),
        ("src/a.c", "#include <calc.h>"),
    ]);
    let split = split(&files, &texts);
    assert_eq!(names(&split.tests), ["include/assert.h", "include/sys/stat.h"]);
}

#[test]
fn sources_that_a_makefile_builds_are_code() {
    let files =
        [changed("src/calc.c", Some("1"), Some("2")), changed("run.py", Some("1"), Some("2"))];
    let texts =
        FixtureTexts(vec![("Makefile", "test: src/calc.c tests/test_a.c\n\tpython run.py\n")]);
    let split = split(&files, &texts);
    assert_eq!(names(&split.tests), ["run.py"]);
    assert_eq!(names(&split.code), ["src/calc.c"]);
}

#[test]
fn a_loose_module_serves_tests_if_they_name_it_and_no_code_does() {
    let project = FixtureTexts(vec![
        ("conftest.py", "from conftest_local import *\n"),
        ("pytest.ini", "[pytest]\npythonpath = . third_party\n"),
        ("tests/test_a.py", "from gen.api_pb2 import Api\nimport kit\n"),
        ("app.py", "from gen.api_pb2 import Api\n"),
    ]);
    let files = ["conftest_local.py", "third_party/kit/__init__.py", "gen/api_pb2.py", "other.py"];
    assert_eq!(
        serving(&files, &[], &project),
        ["conftest_local.py", "third_party/kit/__init__.py"]
    );
    // What the run wrote into the code counts nothing.
    let hidden = changed("app.py", Some(""), Some("# conftest_local\n"));
    assert_eq!(serving(&files[..1], &[hidden], &project), ["conftest_local.py"]);
}

#[test]
fn paths_upwards_are_read_from_tests_and_settings_of_both_times() {
    let project = FixtureTexts(vec![
        ("go.mod", "replace helper => ../helper\n"),
        ("web/package.json", "{\"dependencies\": {\"a\": \"file:../../a\"}}"),
        ("tests/test_a.py", "open(\"../want.txt\")\n"),
        ("src/a.py", "open(\"../data\")\n"),
        ("README.md", "see ../docs\n"),
    ]);
    let lost = changed("pytest.ini", Some("pythonpath = ../kit\n"), Some(""));
    let found = paths_upwards(&[lost], &project);
    let found: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(found, ["../helper", "../kit", "../want.txt", "../../a"]);
}

#[test]
fn examples_that_doctest_runs_come_from_the_start() {
    let start = "def f():\n    \"\"\"\n    >>> f()\n    1\n    \"\"\"\n    return 2\n";
    let bent = start.replace("    1\n", "    2\n");
    let files = [
        changed("a.py", Some(start), Some(&bent)),
        changed("README.md", Some(">>> f()\n1\n"), Some(">>> f()\n2\n")),
        changed("NOTES.md", Some("a > b\n"), Some("b > a\n")),
    ];
    let split = split(&files, &FixtureTexts(Vec::new()));
    assert_eq!(names(&split.tests), ["README.md", "a.py"]);
    assert_eq!(split.tests["a.py"], RestoredContents::Contents(start.as_bytes().to_vec()));
}
