//! Compares a plan with what earlier runs tried.

use ralph_core::memory::attempt::{RepetitionKind, TaskAttempt, notice};
use ralph_core::memory::notes::as_data;
use ralph_memory::approach::{SAME_PLAN, plans_alike};
use ralph_memory::{AttemptQuery, MemoryError, Notebook, PastAttempt};
use serde_json::{Value, json};

/// Number of tries that are compared with a plan, the latest first.
const LOOKED_AT: usize = 500;

/// Fewest words of a line that identifies code; shorter lines are in many files.
const TELLING_WORDS: usize = 4;

/// Number of failures and files that are shown for each try.
const TOLD: usize = 5;

/// A change that an agent is about to try.
pub(super) struct PlannedChange {
    /// The plan in words.
    pub(super) approach: String,
    /// The files of the plan; empty for any file.
    pub(super) files: Vec<String>,
}

/// Failed tries, the oldest first.
#[derive(Default)]
pub(super) struct FailedTries {
    /// Tries of the same plan.
    pub(super) same: Vec<PastAttempt>,
    /// Other tries in the same files.
    pub(super) others: Vec<PastAttempt>,
}

/// Returns a try as an agent reads it.
pub(super) fn view(past: &PastAttempt) -> Value {
    let tried = &past.tried;
    let failures: Vec<_> =
        tried.failures.iter().take(TOLD).map(|failure| as_data(failure)).collect();
    let files: Vec<_> = tried.changes.iter().take(TOLD).map(|trace| as_data(&trace.file)).collect();
    let mut view = json!({ "failures": failures, "files": files });
    let known = [
        ("run", past.place.run.as_ref().map(|run| json!(run))),
        ("iteration", past.place.iteration.map(|iteration| json!(iteration))),
        ("approach", tried.approach.as_deref().map(|approach| json!(as_data(approach)))),
    ];
    for (name, value) in known {
        if let Some(value) = value {
            view[name] = value;
        }
    }
    view
}

impl PlannedChange {
    /// Sets the files to those of these tries, if the plan names none.
    pub(super) fn in_files_of(mut self, tries: &[PastAttempt]) -> Self {
        if self.files.is_empty() {
            let traces = tries.iter().flat_map(|past| &past.tried.changes);
            self.files = traces.map(|trace| trace.file.clone()).collect();
            self.files.sort_unstable();
            self.files.dedup();
        }
        self
    }

    /// Returns true if a try was this plan, by its words or its lines.
    fn is(&self, past: &PastAttempt) -> bool {
        let said = past.tried.approach.as_deref().unwrap_or_default();
        plans_alike(said, &self.approach) >= SAME_PLAN || self.repeats(past)
    }

    /// Returns true if the plan repeats lines of a try.
    fn repeats(&self, past: &PastAttempt) -> bool {
        let pieces = code(&self.approach);
        let tried = [past.tried.attempt()];
        let is_repeat = |file: &str| {
            pieces.iter().any(|lines| {
                let planned = TaskAttempt::default().change(file, lines, &[]);
                notice(&tried, &planned)
                    .is_some_and(|circle| circle.round == RepetitionKind::Repeat)
            })
        };
        let is_here = |file: &String| self.files.is_empty() || self.files.contains(file);
        let files = past.tried.changes.iter().map(|trace| &trace.file);
        files.filter(|file| is_here(file)).any(|file| is_repeat(file))
    }
}

/// Returns the failed tries of runs that concern a plan.
pub(super) fn of(book: &Notebook, plan: &PlannedChange) -> Result<FailedTries, MemoryError> {
    let files = plan.files.clone();
    let query = AttemptQuery { files, limit: LOOKED_AT, ..AttemptQuery::default() };
    let mut tries = FailedTries::default();
    for past in book.attempts(&query)? {
        if past.tried.failures.is_empty() {
            // A try that worked in the end does not count against the plan.
            tries.same.retain(|same| !(plan.is(&past) && touch_the_same(same, &past)));
        } else if plan.is(&past) {
            tries.same.push(past);
        } else if !plan.files.is_empty() {
            tries.others.push(past);
        }
    }
    Ok(tries)
}

fn touch_the_same(one: &PastAttempt, other: &PastAttempt) -> bool {
    let touches = |file: &str| other.tried.changes.iter().any(|trace| trace.file == file);
    one.tried.changes.iter().any(|trace| touches(&trace.file))
}

/// Returns the pieces of code in a plan: fenced blocks, multi-word text in backticks,
/// and single long lines. Each line is a piece of its own, since old lines surround a
/// change.
fn code(plan: &str) -> Vec<Vec<&str>> {
    let (mut pieces, mut spans) = (Vec::new(), Vec::new());
    for (number, block) in plan.split("```").enumerate() {
        if number % 2 == 1 {
            let mut lines: Vec<&str> = block.lines().map(str::trim).collect();
            // The first line names the language, unless it is the only line.
            let names_language = !lines.first().is_some_and(|line| line.contains(' '));
            if names_language && lines.len() > 1 {
                lines.remove(0);
            }
            pieces.push(lines);
        } else {
            let inside = block.split('`').skip(1).step_by(2).map(str::trim);
            spans.extend(inside.filter(|span| span.contains(char::is_whitespace)));
        }
    }
    pieces.push(spans);
    pieces.extend(
        plan.lines().map(str::trim).filter(|line| says_enough(line)).map(|line| vec![line]),
    );
    for lines in &mut pieces {
        lines.retain(|line| line.chars().any(char::is_alphanumeric));
    }
    pieces.retain(|lines| !lines.is_empty());
    pieces
}

/// Returns true if a line is too long to occur twice by chance.
fn says_enough(line: &str) -> bool {
    line.split_whitespace().count() >= TELLING_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_a_plan_is_what_stands_in_fences_and_backticks() {
        let plan = "Let `add` be `return a * b`:\n```python\ndef add():\n    pass\n}\n```\nthen";
        let want: &[&[&str]] =
            &[&["def add():", "pass"], &["return a * b"], &["Let `add` be `return a * b`:"]];
        assert_eq!(code(plan), want);
        assert_eq!(code("```return a * b```")[0], ["return a * b"]);
        assert_eq!(code("write\n    return a * b"), [["return a * b"]]);
        assert!(code("no code").is_empty());
    }
}
