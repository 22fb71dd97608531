//! Prediction of the files that a task will touch: tested on a history's own next
//! commits, and compared with plain BM25 over the same commits.
//!
//! A clone is checked out at a commit, and everything behind it is held out:
//! `ralph memory files` learns from that commit and what leads to it, and is
//! asked with the messages of the next ones. The history is that of this
//! repository, or of `RALPH_BENCH_REPOSITORY`; the commit is the one 300 commits
//! back, or a third of a shorter history, or `RALPH_BENCH_SPLIT`.

mod plain;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use self::plain::CommitWords;
use super::BenchRow;
use crate::failure::TaskFailure;
use crate::workspace;

/// Commits that are held out.
const HELD_OUT: usize = 300;

/// Number of characters of a message's body that are asked, after its subject.
const BODY: usize = 600;

/// Most files of a commit that counts as a task.
const MOST_FILES: usize = 8;

/// A commit that is asked about or learned from.
struct BenchCommit {
    subject: String,
    body: String,
    files: Vec<String>,
}

impl BenchCommit {
    fn question(&self) -> String {
        let body: String = self.body.chars().take(BODY).collect();
        format!("{}\n{body}", self.subject).trim().to_owned()
    }
}

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let repository = std::env::var_os("RALPH_BENCH_REPOSITORY").map(PathBuf::from);
    let repository = repository.unwrap_or_else(workspace::root);
    let folder =
        tempfile::tempdir().map_err(|error| TaskFailure::io(&std::env::temp_dir(), &error))?;
    let clone = folder.path().join("clone");
    let line = git(&repository, &["rev-list", "--no-merges", "HEAD"])?;
    let line: Vec<&str> = line.lines().collect();
    let split = match std::env::var("RALPH_BENCH_SPLIT") {
        Ok(name) => git(&repository, &["rev-parse", "--verify", &name])?.trim().to_owned(),
        Err(_) => line.get(HELD_OUT.min(line.len() / 3)).map_or("HEAD", |it| it).to_owned(),
    };
    let from = repository.to_string_lossy();
    git(folder.path(), &["clone", "-q", "--shared", "--no-checkout", &from, "clone"])?;
    git(&clone, &["checkout", "-q", "--detach", &split])?;
    let present: HashSet<String> =
        git(&clone, &["ls-files", "-z"])?.split('\0').map(str::to_owned).collect();
    let asked = commits(&repository, &format!("{split}..HEAD"))?;
    let asked: Vec<(String, Vec<String>)> = asked
        .into_iter()
        .map(|it| {
            let wanted = it.files.iter().filter(|file| present.contains(*file)).cloned().collect();
            (it.question(), wanted)
        })
        .filter(|(_, wanted): &(_, Vec<String>)| (1..=MOST_FILES).contains(&wanted.len()))
        .collect();
    let plain = CommitWords::new(commits(&clone, "HEAD")?);
    let baseline: Vec<Vec<String>> =
        asked.iter().map(|(question, _)| plain.best(question, &present)).collect();
    let (ours, seconds) = answers(binary, folder.path(), &clone, &asked)?;
    let rows = [5, 10].map(|most| {
        row(most, recall(&asked, &ours, most), recall(&asked, &baseline, most), asked.len())
    });
    let time = BenchRow::new(
        format!("files: {} commits learned, {} tasks asked", plain.len(), asked.len()),
        format!("{seconds:.2} s"),
    );
    Ok(rows.into_iter().chain([time]).collect())
}

fn row(most: usize, ours: f64, baseline: f64, tasks: usize) -> BenchRow {
    BenchRow::new(format!("files: recall at {most} over {tasks} tasks"), format!("{ours:.1} %"))
        .p95(format!("{baseline:.1} % (plain BM25)"))
        .ratio(format!("{:.2}", ours / baseline.max(f64::MIN_POSITIVE)))
        .budget(baseline - ours, 0.0, "points below plain")
}

/// Returns the share of the wanted files among the first, over all tasks.
fn recall(asked: &[(String, Vec<String>)], found: &[Vec<String>], most: usize) -> f64 {
    let mut sum = 0.0;
    for ((_, wanted), found) in asked.iter().zip(found) {
        let first = &found[..most.min(found.len())];
        let hits = wanted.iter().filter(|file| first.contains(file)).count();
        sum += number(hits) / number(wanted.len());
    }
    100.0 * sum / number(asked.len().max(1))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn number(count: usize) -> f64 {
    count as f64
}

/// Returns the binary's answers, and the seconds they took with all learning.
fn answers(
    binary: &Path,
    folder: &Path,
    clone: &Path,
    asked: &[(String, Vec<String>)],
) -> Result<(Vec<Vec<String>>, f64), TaskFailure> {
    let list = folder.join("tasks.txt");
    let lines: Vec<String> =
        asked.iter().map(|(question, _)| Value::from(question.as_str()).to_string()).collect();
    fs::write(&list, lines.join("\n")).map_err(|error| TaskFailure::io(&list, &error))?;
    let began = Instant::now();
    let mut command = Command::new(binary);
    command.current_dir(clone).env("RALPH_HOME", folder.join("home"));
    command.args(["memory", "files", "--limit", "10", "--queries"]).arg(&list);
    let printed = printed(command)?;
    let seconds = began.elapsed().as_secs_f64();
    let answer = |line: &str| {
        let answer: Value = serde_json::from_str(line)
            .map_err(|error| TaskFailure::Failed(format!("{line}: {error}")))?;
        let results = answer["results"].as_array().into_iter().flatten();
        Ok(results.filter_map(|it| it["file"].as_str()).map(str::to_owned).collect())
    };
    Ok((printed.lines().map(answer).collect::<Result<_, TaskFailure>>()?, seconds))
}

/// Returns the commits of a range, newest first.
fn commits(repository: &Path, range: &str) -> Result<Vec<BenchCommit>, TaskFailure> {
    let format = "--format=%x01%s%x02%b%x02";
    let log = ["log", "--no-merges", "-M", "--name-only", "-z", format, range];
    let printed = git(repository, &log)?;
    let read = |text: &str| {
        let mut parts = text.splitn(3, '\u{2}');
        let mut next = || parts.next().unwrap_or_default();
        let (subject, body, files) = (next().to_owned(), next().trim().to_owned(), next());
        let files =
            files.split('\0').map(|file| file.trim_matches('\n')).filter(|it| !it.is_empty());
        BenchCommit { subject, body, files: files.map(str::to_owned).collect() }
    };
    Ok(printed.split('\u{1}').skip(1).map(read).collect())
}

fn git(folder: &Path, args: &[&str]) -> Result<String, TaskFailure> {
    let mut command = Command::new("git");
    command.current_dir(folder).args(args);
    printed(command)
}

fn printed(mut command: Command) -> Result<String, TaskFailure> {
    let output =
        command.output().map_err(|error| TaskFailure::Failed(format!("{command:?}: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(TaskFailure::Failed(format!("{command:?}: {}", said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
