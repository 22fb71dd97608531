//! Real language servers on real files: an error, and its fix.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ralph_checks::formats::{self, FindingCollector};
use ralph_checks::lsp::{ServerPool, ServerReport, ServerVerdict};
use ralph_core::format::OutputFormat;
use ralph_proc::Supervisor;
use ralph_testkit::{TestProject, tool, tools_path};

use crate::plain;

/// Far more than any server needs on a machine that does nothing else.
const DEADLINE: Duration = Duration::from_mins(2);

fn env() -> Vec<(OsString, OsString)> {
    let home = std::env::var_os("HOME").unwrap_or_default();
    vec![("PATH".into(), tools_path()), ("HOME".into(), home)]
}

pub(crate) fn pool(project: &TestProject) -> ServerPool {
    let supervisor = Supervisor::new(env!("CARGO_BIN_EXE_ralph"), ["__supervise".into()]);
    ServerPool::new(supervisor, project.root(), env())
}

/// What a server says about one file.
#[track_caller]
pub(crate) fn ask(pool: &mut ServerPool, name: &str, file: &str) -> ServerReport {
    let reports = pool.diagnostics(&[PathBuf::from(file)], DEADLINE);
    let found = reports.iter().find(|report| report.server == name).cloned();
    found.unwrap_or_else(|| panic!("no report of {name}: {reports:#?}"))
}

fn fingerprints(report: &ServerReport) -> BTreeSet<String> {
    report.reading.findings.iter().map(|finding| finding.fingerprint.clone()).collect()
}

/// The processes that run in the project or below it.
pub(crate) fn processes_in(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let folders = entries.flatten().filter_map(|entry| entry.path().join("cwd").read_link().ok());
    folders.filter(|folder| folder.starts_with(root)).collect()
}

/// A server, the program it is, a file with errors, and the file without.
struct Case {
    server: &'static str,
    programs: &'static [&'static str],
    /// Other files of the project.
    files: &'static [(&'static str, &'static str)],
    file: &'static str,
    broken: &'static str,
    fixed: &'static str,
    /// A part of one of the fingerprints.
    found: &'static str,
}

/// Asks about the broken file, then about the fixed one, with one server kept
/// warm, and checks that nothing is left of it.
#[track_caller]
fn proves(case: &Case) -> BTreeSet<String> {
    for program in case.programs {
        tool(program);
    }
    let project = plain();
    for (name, text) in case.files {
        project.file(name, text);
    }
    project.file(case.file, case.broken);
    let mut pool = pool(&project);
    let broken = ask(&mut pool, case.server, case.file);
    assert_eq!(broken.verdict, ServerVerdict::Ok, "{broken:#?}");
    let found = fingerprints(&broken);
    assert!(found.iter().any(|one| one.contains(case.found)), "{found:#?}");

    project.file(case.file, case.fixed);
    let fixed = ask(&mut pool, case.server, case.file);
    assert_eq!(fixed.verdict, ServerVerdict::Ok, "{fixed:#?}");
    assert_eq!(fingerprints(&fixed), BTreeSet::new());
    eprintln!("{}: cold {:?}, warm {:?}", case.server, broken.elapsed, fixed.elapsed);

    assert!(!processes_in(&project.root()).is_empty());
    drop(pool);
    assert_eq!(processes_in(&project.root()), Vec::<PathBuf>::new());
    found
}

/// What the command-line tool finds in the broken file.
#[track_caller]
fn command_line(case: &Case, format: OutputFormat, words: &[&str]) -> BTreeSet<String> {
    let project = plain();
    for (name, text) in case.files {
        project.file(name, text);
    }
    project.file(case.file, case.broken);
    let output = project.outside("printed");
    let status = Command::new(tool(words[0]))
        .args(&words[1..])
        .current_dir(project.root())
        .env_clear()
        .envs(env())
        .stdin(Stdio::null())
        .stdout(File::create(&output).unwrap())
        .status();
    assert!(status.is_ok(), "{status:?}");
    let mut out = FindingCollector::new(&project.root(), "");
    let mut printed = BufReader::new(File::open(&output).unwrap());
    formats::read(format, &mut printed, &mut out).unwrap();
    out.finish().findings.into_iter().map(|finding| finding.fingerprint).collect()
}

const RUFF: Case = Case {
    server: "ruff",
    programs: &["ruff"],
    files: &[],
    file: "a.py",
    broken: "import os\nx = undefined_name\nif x == None:\n    pass\n",
    fixed: "x = 1\n",
    found: "ruff F401 a.py",
};

#[test]
fn ruff_finds_what_it_finds_on_the_command_line() {
    let found = proves(&RUFF);
    let words = ["ruff", "check", "--output-format=json", "a.py"];
    assert_eq!(found, command_line(&RUFF, OutputFormat::Ruff, &words));
}

const PYRIGHT: Case = Case {
    server: "pyright",
    programs: &["pyright", "pyright-langserver"],
    files: &[("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\n")],
    file: "a.py",
    broken: "import os\nx: int = \"a\"\n\ndef f(a: str) -> int:\n    return missing\n",
    fixed: "x: int = 1\n",
    found: "pyright reportAssignmentType a.py",
};

#[test]
fn pyright_finds_what_it_finds_on_the_command_line() {
    let found = proves(&PYRIGHT);
    let words = ["pyright", "--outputjson", "a.py"];
    assert_eq!(found, command_line(&PYRIGHT, OutputFormat::Pyright, &words));
}

const TSC: Case = Case {
    server: "tsc",
    programs: &["tsc"],
    files: &[("tsconfig.json", r#"{"compilerOptions":{"strict":true,"noEmit":true}}"#)],
    file: "a.ts",
    broken: "export const x: number = \"a\";\n\
             const y: { a: { b: number } } = { a: { b: \"\" } };\n\
             export const z: { a: number }[] = [y];\nfunction unused() {}\nmissing;\n",
    fixed: "export const x: number = 1;\n",
    found: "tsc TS2322 a.ts: Type 'string' is not assignable to type 'number'.",
};

#[test]
fn the_compiler_of_typescript_finds_what_it_finds_on_the_command_line() {
    let found = proves(&TSC);
    assert_eq!(found, command_line(&TSC, OutputFormat::Tsc, &["tsc", "--pretty", "false"]));
}

const BIOME: Case = Case {
    server: "biome",
    programs: &["biome"],
    files: &[("biome.json", "{}")],
    file: "a.js",
    broken: "debugger\nif (a == a) eval(\"x\")\n",
    fixed: "export const x = 1;\n",
    found: "biome lint/suspicious/noDebugger a.js",
};

#[test]
fn biome_finds_what_it_finds_on_the_command_line() {
    let found = proves(&BIOME);
    let words = ["biome", "lint", "--reporter=json", "a.js"];
    assert_eq!(found, command_line(&BIOME, OutputFormat::Biome, &words));
}

const OXLINT: Case = Case {
    server: "oxlint",
    programs: &["oxlint"],
    files: &[(".oxlintrc.json", "{}")],
    file: "a.js",
    broken: "var unused = 1\ndebugger\nif (true) eval(\"x\")\n",
    fixed: "export const x = 1;\n",
    found: "oxlint eslint(no-debugger) a.js",
};

#[test]
fn oxlint_finds_what_it_finds_on_the_command_line() {
    let found = proves(&OXLINT);
    let words = ["oxlint", "--format=json", "a.js"];
    assert_eq!(found, command_line(&OXLINT, OutputFormat::Oxlint, &words));
}

const BASH: Case = Case {
    server: "bash-language-server",
    programs: &["bash-language-server", "shellcheck"],
    files: &[],
    file: "a.sh",
    broken: "#!/bin/sh\ncd $1\necho `ls`\n",
    fixed: "#!/bin/sh\necho hi\n",
    found: "shellcheck SC2086 a.sh",
};

#[test]
fn the_server_for_shell_scripts_finds_what_shellcheck_finds() {
    let found = proves(&BASH);
    let words = ["shellcheck", "--format=json1", "a.sh"];
    assert_eq!(found, command_line(&BASH, OutputFormat::Shellcheck, &words));
}

#[test]
fn clangd_sees_an_error_and_its_fix() {
    let found = proves(&Case {
        server: "clangd",
        programs: &["clangd"],
        files: &[],
        file: "a.cpp",
        broken: "int main() { return zqxw; }\n",
        fixed: "int main() { return 0; }\n",
        found: "clangd undeclared_var_use a.cpp",
    });
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn gopls_sees_an_error_and_its_fix() {
    let found = proves(&Case {
        server: "gopls",
        programs: &["gopls", "go"],
        files: &[("go.mod", "module x\n\ngo 1.19\n")],
        file: "a.go",
        broken: "package main\n\nfunc main() {\n\tvar s string = 1\n\t_ = s\n}\n",
        fixed: "package main\n\nfunc main() {\n}\n",
        found: "gopls IncompatibleAssign a.go",
    });
    assert_eq!(found.len(), 1, "{found:#?}");
}
