//! Real test runners in small projects: what is read in their text is what
//! they count themselves.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use ralph_checks::formats::{FindingCollector, read};
use ralph_core::finding::{TestCounts, TestResults};
use ralph_core::format::OutputFormat;
use ralph_testkit::{tool, tools_path};
use tempfile::TempDir;

/// A project and the command that runs its tests.
struct RunnerCase<'a> {
    files: &'a [(&'a str, &'a str)],
    command: &'static str,
    /// What the project is made to come to: passed, failed, skipped.
    want: [u64; 3],
}

/// Runs the command through a shell, as a script of a project would.
#[track_caller]
fn check(program: &str, case: &RunnerCase<'_>) {
    let (tests, text) = tests_of(program, case);
    for (id, failure) in &tests.failures {
        assert!(!failure.message.is_empty() && !failure.place.file.is_empty(), "{id}\n{text}");
    }
}

/// Like [`check`]; what is thrown need not say where.
#[track_caller]
fn check_odd(program: &str, files: &[(&str, &str)], command: &'static str, want: [u64; 3]) {
    let (tests, text) = tests_of(program, &RunnerCase { files, command, want });
    for (id, failure) in &tests.failures {
        assert!(!failure.message.is_empty(), "{id}\n{text}");
    }
}

/// The tests that are read, with what was printed.
#[track_caller]
fn tests_of(program: &str, case: &RunnerCase<'_>) -> (TestResults, String) {
    let project = TempDir::new().unwrap();
    for (path, text) in case.files {
        let path = project.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    link_packages(&tool(program), project.path());
    let text = printed(case.command, project.path());
    let mut out = FindingCollector::new(&project.path().canonicalize().unwrap(), "");
    read(OutputFormat::Text, &mut text.as_bytes(), &mut out).unwrap();
    let tests = out.finish().tests.unwrap_or_else(|| panic!("{program} was not known:\n{text}"));
    let TestCounts { passed, failed, skipped } = tests.counts;
    assert_eq!([passed, failed, skipped], case.want, "{program} {:?}\n{text}", tests.failures);
    assert_eq!(tests.failures.len() as u64, failed, "each that failed has a name\n{text}");
    (tests, text)
}

/// Gives a project the packages that a tool of Node.js lies in.
fn link_packages(tool: &Path, project: &Path) {
    let packages =
        tool.ancestors().find(|folder| folder.file_name() == Some(OsStr::new("node_modules")));
    if let Some(packages) = packages {
        symlink(packages, project.join("node_modules")).unwrap();
    }
}

/// All that a command prints.
fn printed(command: &str, project: &Path) -> String {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(project);
    shell.env("PATH", tools_path()).env("LC_ALL", "C.UTF-8").env("NO_UPDATE_NOTIFIER", "1");
    shell.env("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go"));
    for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        let home = env::var_os("HOME").map(|home| Path::new(&home).join(folder).into());
        if let Some(folder) = env::var_os(name).or(home) {
            shell.env(name, folder);
        }
    }
    shell.env("GOPROXY", "off").env("GOTOOLCHAIN", "local").env("GOFLAGS", "-mod=mod");
    let output = shell.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const NPM: &str = r#"{ "name": "shop", "version": "1.0.0", "scripts": {
    "lint": "node -e 0", "unit": "TZ=UTC mocha", "test": "npm run lint && npm run unit" } }"#;

#[test]
fn mocha_behind_scripts_of_npm() {
    let tests = "
        const assert = require('assert');
        describe('till', () => {
          it('adds', () => {});
          it('is wrong', () => assert.equal(1, 2));
          it('throws', () => { throw new Error('no'); });
          it.skip('waits', () => {});
        });
        describe('hooks', () => { before(() => { throw new Error('no database'); }); it('never', () => {}); });";
    let files = &[("package.json", NPM), ("test/till.js", tests)];
    check("mocha", &RunnerCase { files, command: "npm test", want: [1, 3, 1] });
    let files = &[("package.json", NPM), ("test/till.js", "")];
    check("mocha", &RunnerCase { files, command: "npm test", want: [0, 0, 0] });
}

#[test]
fn jest_with_a_variable_before_it() {
    let tests = "
        test('adds', () => {});
        test('is wrong', () => expect(1).toBe(2));
        test('throws', () => { throw new Error('no'); });
        test.skip('waits', () => {});
        test.todo('later');";
    let broken = "require('./nothing-like-this'); test('never', () => {});";
    let files = &[("package.json", "{}"), ("till.test.js", tests), ("broken.test.js", broken)];
    check("jest", &RunnerCase { files, command: "TZ=UTC jest", want: [1, 3, 2] });
    let files = &[("package.json", "{}")];
    check("jest", &RunnerCase { files, command: "jest --passWithNoTests", want: [0, 0, 0] });
}

#[test]
fn vitest_without_a_report() {
    let tests = "
        import { test, expect } from 'vitest';
        test('adds', () => {});
        test('is wrong', () => expect(1).toBe(2));
        test('throws', () => { throw new Error('no'); });
        test.skip('waits', () => {});";
    let broken = "import './nothing-like-this.js';";
    let files = &[("package.json", "{}"), ("till.test.js", tests), ("broken.test.js", broken)];
    check("vitest", &RunnerCase { files, command: "vitest run", want: [1, 3, 1] });
    let files = &[("package.json", "{}")];
    let command = "vitest run --passWithNoTests";
    check("vitest", &RunnerCase { files, command, want: [0, 0, 0] });
}

#[test]
fn rspec_behind_make() {
    let tests = "
        RSpec.describe 'Till' do
          it('adds') { expect(2).to eq 2 }
          it('is wrong') { expect(2).to eq 3 }
          it('throws') { raise 'no' }
          xit('waits') { }
        end";
    let make = ("Makefile", "test:\n\t@rspec\n");
    let files = &[make, ("spec/till_spec.rb", tests)];
    check("rspec", &RunnerCase { files, command: "make test", want: [1, 2, 1] });
    let files = &[make, ("spec/till_spec.rb", "")];
    check("rspec", &RunnerCase { files, command: "make test", want: [0, 0, 0] });
    let files = &[make, ("spec/till_spec.rb", "require 'nothing_like_this'")];
    check("rspec", &RunnerCase { files, command: "make test", want: [0, 1, 0] });
}

#[test]
fn phpunit_without_a_report() {
    let tests = "<?php
        final class TillTest extends PHPUnit\\Framework\\TestCase {
            public function testAdds(): void { $this->assertSame(2, 1 + 1); }
            public function testIsWrong(): void { $this->assertSame(3, 1 + 1); }
            public function testThrows(): void { throw new Exception('no'); }
            public function testWaits(): void { $this->markTestSkipped('later'); }
        }";
    let files = &[("tests/TillTest.php", tests)];
    check("phpunit", &RunnerCase { files, command: "phpunit tests", want: [1, 2, 1] });
    let files = &[("tests/none.txt", "")];
    check("phpunit", &RunnerCase { files, command: "phpunit tests", want: [0, 0, 0] });
}

#[test]
fn node_as_it_prints_for_people() {
    let tests = "
        const { test, describe, it, before } = require('node:test');
        const assert = require('node:assert');
        test('adds', () => {});
        test('is wrong: 한국어', () => assert.strictEqual(1, 2));
        test('of two\\nlines', () => { throw new Error('✖ no (1ms)'); });
        test('waits', { skip: true }, () => {});
        describe('hooks', () => { before(() => { throw new Error('no'); }); it('never', () => {}); });";
    let files = &[("till.test.js", tests), ("broken.test.js", "require('./nothing-like-this');")];
    let command = "node --test --test-reporter=spec";
    // The suite whose hook failed is named, too.
    check("node", &RunnerCase { files, command, want: [1, 5, 1] });
}

/// Titles that are no strings, hold marks of the runners, or several lines.
const ODD: &str = "
        test('sums: eins:', () => { throw new Error('1) no\\n\\n  3 passing (1ms)\\n  4 failing'); });
        test('한국어 › 제목', () => { throw new Error('no'); });
        test('of two\\nlines', () => { throw new Error('no'); });
        test('1) numbered', () => { throw 'a string'; });
        test('adds', () => {});";

#[test]
fn odd_titles_and_files() {
    let mocha = format!("const test = it;{ODD}");
    let files: &[_] = &[("package.json", NPM), ("test/till.js", mocha.as_str())];
    check_odd("mocha", files, "mocha", [1, 4, 0]);
    let jest = format!("test(42, () => expect(1).toBe(2));{ODD}");
    let files: &[_] = &[("package.json", "{}"), ("with space/a b.test.js", jest.as_str())];
    check_odd("jest", files, "jest", [1, 5, 0]);
    let vitest = format!(
        "import {{ test, expect }} from 'vitest';
        test(function named() {{}}, () => expect(1).toBe(2));
        test.fails('is expected', () => {{ throw new Error('no'); }});{ODD}"
    );
    let files: &[_] = &[("package.json", "{}"), ("with space/a b.test.js", vitest.as_str())];
    check_odd("vitest", files, "vitest run", [2, 5, 0]);
    let rspec = "
        RSpec.describe 'Till' do
          it('sums: eins:') { raise \"1) no\\n\\n  2) no\" }
          it(42) { raise 'no' }
          it(\"of two\\nlines\") { raise 'no' }
          it('adds') { }
        end";
    check_odd("rspec", &[("spec/till_spec.rb", rspec)], "rspec", [1, 3, 0]);
}

#[test]
fn unittest_and_pytest() {
    let tests = "
import unittest
class TillTest(unittest.TestCase):
    def test_adds(self): self.assertEqual(2, 2)
    def test_is_wrong(self): self.assertEqual('a b', 'a c')
    def test_throws(self): raise ValueError('no')
    @unittest.skip('later')
    def test_waits(self): pass
    @unittest.expectedFailure
    def test_is_known(self): self.fail()
";
    let files = &[("test_till.py", tests)];
    let command = "python3 -m unittest";
    check("python3", &RunnerCase { files, command, want: [1, 2, 2] });
    check("pytest", &RunnerCase { files, command: "pytest", want: [1, 2, 2] });
    let files = &[("test_till.py", tests), ("test_broken.py", "import nothing_like_this\n")];
    check("pytest", &RunnerCase { files, command: "pytest", want: [0, 1, 0] });
    let files = &[("test_till.py", "")];
    check("python3", &RunnerCase { files, command, want: [0, 0, 0] });
    check("pytest", &RunnerCase { files, command: "pytest", want: [0, 0, 0] });
}

#[test]
fn tap_of_perl_with_and_without_prove() {
    let tests = "
use Test::More;
ok(1, 'adds');
is(2, 3, 'is wrong');
SKIP: { skip 'later', 1; ok(1) }
done_testing;
";
    let files = &[("t/till.t", tests)];
    check("prove", &RunnerCase { files, command: "perl t/till.t", want: [1, 1, 1] });
    check("prove", &RunnerCase { files, command: "prove -v t", want: [1, 1, 1] });
    let adds = ("t/adds.t", "use Test::More tests => 1; ok(1, 'adds');");
    let waits = ("t/waits.t", "use Test::More skip_all => 'no database';");
    let files = &[("t/till.t", tests), adds, waits, ("t/broken.t", "use Nothing::Like::This;")];
    check("prove", &RunnerCase { files, command: "prove t", want: [1, 2, 1] });
    check("prove", &RunnerCase { files: &[waits], command: "prove t", want: [0, 0, 1] });
}

#[test]
fn go_with_a_panic_among_parallel_tests() {
    let tests = "
package till
import \"testing\"
func TestAdds(t *testing.T) {}
func TestWaits(t *testing.T) { t.Parallel() }
func TestIsWrong(t *testing.T) { t.Fatal(\"no\") }
func TestSkips(t *testing.T) { t.Skip(\"later\") }
func TestPanics(t *testing.T) { panic(\"no\") }
";
    let files = &[("go.mod", "module example.com/till\n\ngo 1.19\n"), ("till_test.go", tests)];
    check("go", &RunnerCase { files, command: "go test -v ./...", want: [1, 2, 2] });
    let none = ("till.go", "package till\n");
    let files = &[("go.mod", "module example.com/till\n\ngo 1.19\n"), none];
    check("go", &RunnerCase { files, command: "go test ./...", want: [0, 0, 0] });
}

#[test]
fn ctest_with_output_of_what_passed() {
    let cmake = "
cmake_minimum_required(VERSION 3.10)
project(till NONE)
enable_testing()
add_test(NAME adds COMMAND true)
add_test(NAME wrong COMMAND sh -c \"echo /p/a.c:3:one:PASS; echo /p/a.c:9:two:FAIL: no; false\")
add_test(NAME waits COMMAND sh -c \"exit 77\")
set_tests_properties(waits PROPERTIES SKIP_RETURN_CODE 77)
";
    let files = &[("CMakeLists.txt", cmake)];
    let command = "cmake -S . -B out && cd out && ctest --output-on-failure";
    check("cmake", &RunnerCase { files, command, want: [1, 1, 1] });
}

#[test]
fn libtest_with_a_panic() {
    let lib = "
#[test] fn adds() {}
#[test] fn is_wrong() { assert_eq!(1, 2); }
#[test] #[ignore] fn waits() {}
";
    let files = &[("till.rs", lib)];
    let command = "rustc --test till.rs -o till 2>&1 && ./till --test-threads=1";
    check("rustc", &RunnerCase { files, command, want: [1, 1, 1] });
}

#[test]
fn minitest_with_classes_and_specs() {
    let tests = "
require 'minitest/autorun'
class TillTest < Minitest::Test
  def test_adds; assert_equal 2, 2; end
  def test_is_wrong; assert_equal 3, 2, 'the sum'; end
  def test_throws; raise 'no'; end
  def test_waits; skip 'later'; end
end
describe 'in words: 한국어' do
  it('is fine') { _(1).must_equal 1 }
  it('is not') { _(1).must_equal 2 }
end
";
    let files = &[("test/till.rb", tests)];
    check("ruby", &RunnerCase { files, command: "ruby test/till.rb", want: [2, 3, 1] });
    check("ruby", &RunnerCase { files, command: "ruby test/till.rb -v", want: [2, 3, 1] });
    let files = &[("test/till.rb", "require 'minitest/autorun'")];
    check("ruby", &RunnerCase { files, command: "ruby test/till.rb", want: [0, 0, 0] });
}

#[test]
fn bats_with_a_setup_that_fails() {
    let tests = "
@test \"adds\" { true; }
@test \"is wrong # 1\" { [ 1 -eq 2 ]; }
@test \"is wrong # 2\" { [ 1 -eq 2 ]; }
@test \"waits\" { skip later; }
";
    let setup = "setup() { false; }\n@test \"never\" { true; }\n";
    let files = &[("test/till.bats", tests), ("test/setup.bats", setup)];
    check("bats", &RunnerCase { files, command: "bats test", want: [1, 3, 1] });
    let files = &[("test/none.bats", "")];
    check("bats", &RunnerCase { files, command: "bats test", want: [0, 0, 0] });
}
