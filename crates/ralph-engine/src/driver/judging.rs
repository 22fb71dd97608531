//! Asks the judge, once nothing else prevents success.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_checks::Gate;
use ralph_checks::judge::{CHANGES_CHARS, CriterionJudge, JudgeMaterial};
use ralph_core::decide::{awaits_judge, awaits_opinion};
use ralph_core::evidence::{Evidence, GateReport, Verdict};
use ralph_core::finding::ToolReport;
use ralph_core::{Run, TreeId};
use ralph_snapshot::{ChangeKind, SnapshotError, SnapshotLabel, Snapshots, TreeChange};
use ralph_store::GatePass;
use similar::TextDiff;

use super::EvidenceGatherer;
use crate::error::EngineError;
use crate::events::RunEvent;

/// Size in bytes above which only the name of a file is shown.
const MOST_BYTES: u64 = 256 * 1024;

/// Maximum number of changed files that are shown with their lines.
const MOST_SHOWN: usize = 300;

/// Maximum number of changed files that are named.
const MOST_NAMED: usize = 1_000;

/// Time for comparing two versions of a file. After it the rest counts as
/// different.
const COMPARING: Duration = Duration::from_millis(500);

/// Room for names among the changes, in characters; the rest is for lines.
const NAMES_CHARS: usize = CHANGES_CHARS / 4;

impl EvidenceGatherer<'_, '_> {
    /// Adds the judge's verdict to the evidence, if it is all that is missing.
    pub(crate) fn ask_judge(
        &mut self,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<(), EngineError> {
        if self.checks.gates.is_empty() && awaits_judge(run, &run.policy, evidence) {
            // Without gates the checks were not compared yet, and a judge
            // command may be a script of the project.
            evidence.tree = Some(self.context.tree.tree()?);
            self.look_at_checks(run, evidence);
        }
        if !awaits_judge(run, &run.policy, evidence) {
            self.ask_opinion(run, evidence);
            return Ok(());
        }
        let Some(judge) = self.checks.judge.take() else { return Ok(()) };
        let report = self.run_judge(&judge, run, evidence);
        self.checks.judge = Some(judge);
        evidence.gates.push(report?);
        self.ask_opinion(run, evidence);
        Ok(())
    }

    /// Adds the judge's opinion on progress, if the run would be given up for
    /// lack of it. The opinion can only prolong a run.
    fn ask_opinion(&mut self, run: &Run, evidence: &mut Evidence) {
        let Some(judge) = self.checks.judge.as_ref().map(CriterionJudge::on_progress) else {
            return;
        };
        let (Some(tree), true) =
            (evidence.tree.clone(), awaits_opinion(run, &run.policy, evidence))
        else {
            return;
        };
        let changes = self.changes(run, &tree);
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let hearing = judge.hear(JudgeMaterial {
            task: &run.task.text,
            claim: &evidence.text,
            gates: &evidence.gates,
            changes: &changes,
            start,
        });
        let reports = self.gate_runner().execute_gates(run, &[&hearing]);
        evidence.gates.extend(reports);
    }

    fn run_judge(
        &mut self,
        judge: &CriterionJudge,
        run: &Run,
        evidence: &mut Evidence,
    ) -> Result<GateReport, EngineError> {
        let tree = match &evidence.tree {
            Some(tree) => tree.clone(),
            None => self.context.tree.tree()?,
        };
        evidence.tree = Some(tree.clone());
        let start = run.baseline.as_ref().and_then(|baseline| baseline.tree.as_ref());
        let changes = self.changes(run, &tree);
        let hearing = judge.hear(JudgeMaterial {
            task: &run.task.text,
            claim: &evidence.text,
            gates: &evidence.gates,
            changes: &changes,
            start,
        });
        if let Some(pass) = self.context.ledger.store().pass(&hearing.key(), &tree)? {
            let report = GateReport::remembered(judge.spec(), pass.reading);
            self.context
                .emit(&RunEvent::GateFinished { report: &report, iteration: run.iteration });
            return Ok(report);
        }
        let reports = self.gate_runner().execute_gates(run, &[&hearing]);
        let report = reports.into_iter().next();
        let mut report = report
            .unwrap_or_else(|| GateReport::unknown(judge.spec(), "it was not asked".to_owned()));
        if report.passed() && self.context.tree.tree()? != tree {
            let reason = "the files changed while it judged them".to_owned();
            report.verdict = Verdict::Unknown { reason };
            // Watchers of the run have seen a pass.
            self.context
                .emit(&RunEvent::GateFinished { report: &report, iteration: run.iteration });
        }
        if report.passed() {
            let (reading, at) = (ToolReport::default(), self.context.clock.now());
            let pass = GatePass { reading, stamp: String::new(), at };
            self.context.ledger.store().remember_pass(&hearing.key(), &tree, &pass)?;
        }
        Ok(report)
    }

    /// Returns the changes since the run started, as text for the judge. The
    /// text names what is unknown.
    fn changes(&self, run: &Run, tree: &TreeId) -> String {
        match self.changed_files(run, tree) {
            Ok(files) if files.is_empty() => "Nothing changed since the run began.".to_owned(),
            Ok(files) => render(&files),
            Err(error) => format!("[what changed cannot be told: {error}]"),
        }
    }

    fn changed_files(
        &self,
        run: &Run,
        tree: &TreeId,
    ) -> Result<Vec<StartDifference>, SnapshotError> {
        let snapshots = Snapshots::new(&self.context.tree, run.id.clone());
        let start = snapshots.get(SnapshotLabel::Start)?;
        let changes = self.context.tree.changes(&start.tree, tree)?;
        let earlier = snapshots.earlier(&start, tree, MOST_BYTES)?;
        let mut earlier: BTreeMap<PathBuf, Vec<u8>> =
            earlier.into_iter().filter_map(|file| Some((file.path, file.contents?))).collect();
        let look = |change: TreeChange| {
            let before = earlier.remove(&change.path);
            StartDifference::new(&self.context.places.root, change, before)
        };
        Ok(changes.into_iter().map(look).collect())
    }
}

/// A file that differs from the start.
struct StartDifference {
    name: String,
    kind: ChangeKind,
    /// The lines that differ; `None` if lines cannot be shown.
    lines: Option<String>,
}

impl StartDifference {
    fn new(root: &Path, change: TreeChange, before: Option<Vec<u8>>) -> Self {
        let TreeChange { path, kind } = change;
        let name = path.to_string_lossy().replace(char::is_control, "?");
        let after = present(&root.join(&path));
        let sides = match kind {
            ChangeKind::Added => after.map(|after| (Vec::new(), after)),
            ChangeKind::Modified => before.zip(after),
            ChangeKind::Removed => before.map(|before| (before, Vec::new())),
        };
        let lines = sides.and_then(|(before, after)| compare(&name, &before, &after));
        Self { name, kind, lines }
    }
}

/// Returns the contents of a file, unless it is large or not a regular file.
fn present(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= MOST_BYTES).then(|| ralph_files::read(path).ok())?
}

/// Returns a unified diff; `None` for binary files.
fn compare(name: &str, before: &[u8], after: &[u8]) -> Option<String> {
    if before.contains(&0) || after.contains(&0) {
        return None;
    }
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::configure().timeout(COMPARING).diff_lines(&*before, &*after);
    let (from, to) = (format!("a/{name}"), format!("b/{name}"));
    Some(diff.unified_diff().context_radius(3).header(&from, &to).to_string())
}

/// Returns the names of all files, then the lines of each. No file can use up
/// the room of the others.
fn render(files: &[StartDifference]) -> String {
    let mut out = format!("{} changed since the run began:\n", count(files.len()));
    for file in files.iter().take(MOST_NAMED) {
        let sign = match file.kind {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Removed => "removed",
        };
        let hidden =
            if file.lines.is_some() { "" } else { " (binary, large or a link: not shown)" };
        if out.len() > NAMES_CHARS {
            break;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{sign} {}{hidden}", file.name);
    }
    let shown: Vec<&str> =
        files.iter().filter_map(|file| file.lines.as_deref()).take(MOST_SHOWN).collect();
    let room = CHANGES_CHARS.saturating_sub(out.len());
    for (lines, share) in shown.iter().zip(shares(&shown, room)) {
        out.push('\n');
        match lines.char_indices().nth(share) {
            Some((end, _)) => {
                let _ = writeln!(out, "{}\n[the rest of this file was cut]", &lines[..end]);
            }
            None => out.push_str(lines),
        }
    }
    if shown.len() < files.len() {
        out.push_str("\n[not every file is shown with its lines]\n");
    }
    out
}

fn count(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// Returns the number of characters for each text: small ones get all they
/// need, large ones an equal part of the rest.
fn shares(texts: &[&str], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|index| texts[*index].len());
    let (mut shares, mut room) = (vec![0; texts.len()], room);
    for (position, index) in order.iter().enumerate() {
        let part = room / (texts.len() - position);
        shares[*index] = texts[*index].len().min(part);
        room -= shares[*index];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(name: &str, after: &str) -> StartDifference {
        let lines = compare(name, b"", after.as_bytes());
        StartDifference { name: name.to_owned(), kind: ChangeKind::Added, lines }
    }

    #[test]
    fn lines_are_shown_as_a_diff() {
        let lines = compare("src/a.rs", b"one\ntwo\n", b"one\n2\n").unwrap();
        assert_eq!(lines, "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
        assert_eq!(compare("a.bin", b"a\0b", b"a"), None);
    }

    #[test]
    fn a_large_file_does_not_push_the_others_out() {
        let files = [
            changed("aaa.txt", &"bulk\n".repeat(100_000)),
            changed("src/lib.rs", "the one line that matters\n"),
        ];
        let text = render(&files);
        assert!(text.contains("+the one line that matters"), "{}", text.len());
        assert!(text.contains("[the rest of this file was cut]"));
        assert!(text.len() < CHANGES_CHARS + 1_000, "{}", text.len());
    }

    #[test]
    fn what_has_no_lines_is_named() {
        let file =
            StartDifference { name: "a.png".to_owned(), kind: ChangeKind::Modified, lines: None };
        let text = render(&[file]);
        assert!(text.contains("modified a.png (binary, large or a link: not shown)"), "{text}");
    }

    #[test]
    fn room_is_shared_fairly() {
        assert_eq!(shares(&["1234", "12345678", "12"], 10), [4, 4, 2]);
        assert_eq!(shares(&["1", "2"], 10), [1, 1]);
        assert_eq!(shares(&[], 10), Vec::<usize>::new());
    }
}
