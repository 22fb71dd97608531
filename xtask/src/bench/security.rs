//! The security scan against ast-grep's own command line and bare parsing.
//!
//! All three are processes over the same generated tree, and take turns. The two
//! scanners use the same rules and must have the same number of findings.

mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use self::tree::RuleWords;
use super::samples::Samples;
use super::snapshots::{compared, plain};
use super::{BenchRow, BenchSize, Budget, program};
use crate::failure::TaskFailure;
use crate::workspace;

/// The command line with the version of our library.
const CLI: &str = "@ast-grep/cli@0.51.0";

/// Number of rules that are used.
const RULES: usize = 20;

const WARM_UP: usize = 2;

const MOST_OF_CLI: f64 = 1.0;
const MOST_OF_PARSING: f64 = 1.5;

pub(super) fn measure(extent: BenchSize) -> Result<Vec<BenchRow>, TaskFailure> {
    let rounds = match extent {
        BenchSize::Small => 3,
        BenchSize::Usual => 7,
        BenchSize::Large => 21,
    };
    let ours = program::example("ralph-checks", "security_scan")?;
    let cli = install_cli();
    let mut rows = Vec::new();
    for words in [RuleWords::Few, RuleWords::All] {
        let bench = SecurityBench::new(&ours, cli.as_deref(), words)?;
        rows.extend(bench.rows(rounds)?);
    }
    Ok(rows)
}

fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from))
}

/// Installs ast-grep's command line once; the error says why it cannot.
fn install_cli() -> Result<PathBuf, String> {
    let folder = target(&workspace::root()).join("xtask/ast-grep");
    let binary = folder.join("node_modules/.bin/ast-grep");
    if !binary.is_file() {
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
        let output = npm.arg(&folder).arg(CLI).output().map_err(|error| format!("npm: {error}"))?;
        if !output.status.success() || !binary.is_file() {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(format!("npm cannot install {CLI}: {why}"));
        }
    }
    Ok(binary)
}

struct SecurityBench<'a> {
    ours: &'a Path,
    cli: Result<&'a Path, &'a String>,
    words: RuleWords,
    folder: TempDir,
}

impl<'a> SecurityBench<'a> {
    fn new(
        ours: &'a Path,
        cli: Result<&'a Path, &'a String>,
        words: RuleWords,
    ) -> Result<Self, TaskFailure> {
        let folder = tempfile::Builder::new().prefix("ralph-bench-").tempdir();
        let folder = folder.map_err(|error| TaskFailure::io(&std::env::temp_dir(), &error))?;
        let bench = Self { ours, cli, words, folder };
        tree::write(&bench.path("tree"), words)?;
        copy_rules(&bench.path("rules"))?;
        let config = bench.path("sgconfig.yml");
        fs::write(&config, "ruleDirs: [rules]\n")
            .map_err(|error| TaskFailure::io(&config, &error))?;
        Ok(bench)
    }

    fn rows(&self, rounds: usize) -> Result<Vec<BenchRow>, TaskFailure> {
        self.expect_equal_findings()?;
        let (mut parsing, mut ours, mut theirs) = <(Samples, Samples, Samples)>::default();
        for round in 0..WARM_UP + rounds {
            let keep = |samples: &mut Samples, time| {
                if round >= WARM_UP {
                    samples.push(time);
                }
            };
            keep(&mut parsing, timed(self.parse())?);
            keep(&mut ours, timed(self.scan())?);
            if let Ok(cli) = self.cli {
                keep(&mut theirs, timed(self.ast_grep(cli))?);
            }
        }
        let title = |what: &str| format!("{what}, {}", self.words);
        let budget = (MOST_OF_PARSING, "times parsing");
        let mut rows = vec![
            plain(title("bare parsing"), &parsing),
            compared(title("security scan"), &ours, &parsing, budget),
        ];
        match self.cli {
            Ok(_) => {
                rows.push(plain(title("ast-grep scan"), &theirs));
                let budget = (MOST_OF_CLI, "times ast-grep");
                rows.push(compared(title("security scan"), &ours, &theirs, budget));
            }
            Err(why) => rows.push(skipped(&title("ast-grep scan"), why)),
        }
        Ok(rows)
    }

    /// Checks that both scans find the same: a faster scan that finds less does not count.
    fn expect_equal_findings(&self) -> Result<(), TaskFailure> {
        let ours = finished(self.scan())?;
        let ours = String::from_utf8_lossy(&ours.stdout).trim().to_owned();
        if !ours.ends_with(&format!(" in {} files", tree::FILES)) {
            return Err(TaskFailure::Failed(format!(
                "{} files were to be scanned: {ours}",
                tree::FILES
            )));
        }
        let Ok(cli) = self.cli else { return Ok(()) };
        let mut command = self.ast_grep(cli);
        command.arg("--json=stream");
        let theirs = String::from_utf8_lossy(&finished(command)?.stdout).lines().count();
        if ours.starts_with(&format!("{theirs} findings ")) {
            return Ok(());
        }
        Err(TaskFailure::Failed(format!("ast-grep has {theirs} findings, we have {ours}")))
    }

    fn parse(&self) -> Command {
        let mut command = Command::new(self.ours);
        command.arg("parse").arg(self.path("tree"));
        command
    }

    fn scan(&self) -> Command {
        let mut command = Command::new(self.ours);
        command.arg("scan").arg(self.path("tree")).arg(self.path("rules"));
        command
    }

    fn ast_grep(&self, cli: &Path) -> Command {
        let mut command = Command::new(cli);
        command.arg("scan").arg("--config").arg(self.path("sgconfig.yml"));
        command.arg(self.path("tree"));
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Copies the first rules for Python, by name.
fn copy_rules(to: &Path) -> Result<(), TaskFailure> {
    let from = workspace::root().join("crates/ralph-checks/rules/python");
    let entries = fs::read_dir(&from).map_err(|error| TaskFailure::io(&from, &error))?;
    let mut rules: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    rules.retain(|path| path.extension().is_some_and(|end| end == "yml"));
    rules.sort();
    fs::create_dir_all(to).map_err(|error| TaskFailure::io(to, &error))?;
    for rule in rules.iter().take(RULES) {
        let copy = to.join(rule.file_name().unwrap_or_default());
        fs::copy(rule, &copy).map_err(|error| TaskFailure::io(rule, &error))?;
    }
    Ok(())
}

/// Makes a row for a comparison that was not made; it exceeds its budget.
fn skipped(title: &str, why: &str) -> BenchRow {
    let budget = Budget { measured: f64::INFINITY, most: MOST_OF_CLI, unit: "times ast-grep" };
    BenchRow::new(format!("{title}: skipped: {why}"), String::new()).with_budget(Some(budget))
}

fn timed(mut command: Command) -> Result<Duration, TaskFailure> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    finished(command)?;
    Ok(started.elapsed())
}

/// Runs a command that may exit with 1, as scanners do if they find many things.
fn finished(mut command: Command) -> Result<Output, TaskFailure> {
    match command.output() {
        Ok(output) if matches!(output.status.code(), Some(0 | 1)) => Ok(output),
        Ok(output) => Err(TaskFailure::Failed(format!("{command:?}: {}", output.status))),
        Err(error) => Err(TaskFailure::Failed(format!("{command:?}: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_that_was_skipped_is_not_held() {
        let row = skipped("ast-grep scan", "no npm");
        assert_eq!(row.name, "ast-grep scan: skipped: no npm");
        assert!(!row.budget.unwrap().is_held());
    }

    #[test]
    fn there_are_enough_rules_to_copy() {
        let folder = tempfile::tempdir().unwrap();
        copy_rules(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), RULES);
    }
}
