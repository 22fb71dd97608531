//! A quick look at files that were just written: rules over their syntax
//! trees, and linters that take single files.
//!
//! The checkers worth asking are chosen by names and the file system alone, so a file that none of
//! them covers costs next to nothing. A checker that does not answer in time is left out.

mod linters;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use ralph_core::finding::{Finding, ToolReport};
use ralph_core::look::ToolFindings;
use ralph_proc::Supervisor;

use crate::formats::FindingCollector;
use crate::lsp::choice::{ServerChoice, ServerChooser};
use crate::lsp::servers::may_look_at;
use crate::lsp::{LanguageServer, known};
use crate::security::{RulePack, ScanScope, TOOL, is_vendored};
use linters::{LinterCall, LinterInput, QuickLinter};

/// The checkers that could report something about one file.
#[derive(Debug)]
pub struct FileCheckers {
    root: PathBuf,
    /// Relative to the root.
    file: PathBuf,
    calls: Vec<LinterCall>,
    /// True if a rule that comes with the program covers it.
    has_rules: bool,
    has_server: bool,
}

/// The means with which a file is checked.
#[derive(Clone)]
pub struct QuickCheckContext {
    /// Starts and ends linters.
    pub supervisor: Supervisor,
    /// The complete environment of linters, already filtered.
    pub env: Vec<(OsString, OsString)>,
    /// The rules over syntax trees.
    pub pack: Arc<RulePack>,
    /// The time by which a linter must have finished.
    pub until: Instant,
}

/// The state of a file when the run started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartContents {
    /// It is not known.
    Unknown,
    /// It was not there.
    Absent,
    /// It held this.
    Text(Arc<Vec<u8>>),
}

/// Something that is found out on a thread of its own.
pub type BackgroundJob<T> = Box<dyn FnOnce() -> T + Send>;

impl FileCheckers {
    /// Finds out who could say something about `file`, which is relative to
    /// the absolute `root`. `path` is the search path of the environment.
    ///
    /// Reads nothing but names. Vendored files are not checked.
    pub fn new(root: &Path, file: &Path, path: Option<&OsStr>) -> Self {
        let chooser = ServerChooser { root, path };
        let full = root.join(file);
        let is_used = |server: &LanguageServer| {
            server.language(&full).is_some()
                && matches!(chooser.choose(server, &full), ServerChoice::Use(_))
        };
        let is_ours = file.extension().is_some() && !is_vendored(file);
        let calls = if is_ours { QuickLinter::calls(&chooser, &full) } else { Vec::new() };
        Self {
            root: root.to_owned(),
            file: file.to_owned(),
            calls,
            has_rules: is_ours && RulePack::builtin_covers(file),
            has_server: is_ours && may_look_at(file) && known().iter().any(is_used),
        }
    }

    /// The file, relative to the root.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The file, as findings name it.
    pub fn name(&self) -> String {
        FindingCollector::new(&self.root, "").place(&self.file.to_string_lossy(), None, None).file
    }

    /// True if no checker would report anything, as far as that is clear without settings.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && !self.has_rules && !self.has_server
    }

    /// True if a language server that needs no settings looks at the file.
    pub fn has_server(&self) -> bool {
        self.has_server
    }

    /// The tools that are asked with these means.
    pub fn tools<'s>(&'s self, means: &QuickCheckContext) -> Vec<&'s str> {
        let rules = self.is_covered(means).then_some(TOOL);
        rules.into_iter().chain(self.calls.iter().map(LinterCall::tool)).collect()
    }

    /// Returns the jobs that ask all checkers, each independent of the others. A job gives `None`
    /// when its tool has no answer.
    pub fn jobs(
        self,
        means: &QuickCheckContext,
        start: &StartContents,
    ) -> Vec<BackgroundJob<Option<ToolFindings>>> {
        let name = self.name();
        let mut jobs: Vec<BackgroundJob<Option<ToolFindings>>> = Vec::new();
        if self.is_covered(means) {
            let (pack, start) = (Arc::clone(&means.pack), start.clone());
            let (root, file, name) = (self.root.clone(), self.file.clone(), name.clone());
            jobs.push(Box::new(move || {
                let now = pack.scan(&root, &ScanScope::Only(vec![file.clone()])).reading;
                let then = |text: &[u8]| Some(scan(&pack, &root, &file, text));
                Some(said(TOOL, &name, now, start.prints(then)))
            }));
        }
        for call in self.calls {
            let (means, start, name) = (means.clone(), start.clone(), name.clone());
            let root = self.root.clone();
            jobs.push(Box::new(move || {
                let look = |version: LinterInput<'_>| call.look(&means, &root, version);
                let then = |text: &[u8]| look(LinterInput::Earlier(text));
                let (now, start) = thread::scope(|scope| {
                    let start = scope.spawn(|| start.prints(then));
                    (look(LinterInput::Present), start.join().ok().flatten())
                });
                Some(said(call.tool(), &name, now?, start))
            }));
        }
        jobs
    }

    fn is_covered(&self, means: &QuickCheckContext) -> bool {
        !is_vendored(&self.file) && means.pack.covers(&self.file)
    }
}

impl StartContents {
    /// Returns the fingerprints of the findings at that time; `None` if they are not known.
    fn prints(&self, look: impl FnOnce(&[u8]) -> Option<ToolReport>) -> Option<BTreeSet<String>> {
        match self {
            Self::Unknown => None,
            Self::Absent => Some(BTreeSet::new()),
            Self::Text(text) => Some(prints(&look(text)?.findings)),
        }
    }
}

fn scan(pack: &RulePack, root: &Path, file: &Path, text: &[u8]) -> ToolReport {
    let mut out = FindingCollector::new(root, "");
    pack.scan_file(file, &String::from_utf8_lossy(text), &mut out);
    out.finish()
}

fn said(tool: &str, file: &str, now: ToolReport, start: Option<BTreeSet<String>>) -> ToolFindings {
    let now = now.findings.into_iter().filter(|finding| finding.place.file == file);
    ToolFindings { tool: tool.to_owned(), file: file.to_owned(), now: now.collect(), start }
}

fn prints(findings: &[Finding]) -> BTreeSet<String> {
    findings.iter().map(|finding| finding.fingerprint.clone()).collect()
}

/// Does all jobs at once, and returns what is done after `limit` at most. The others go on in the
/// background until the process ends.
pub fn in_time<T: Send + 'static>(jobs: Vec<BackgroundJob<T>>, limit: Duration) -> Vec<T> {
    let began = Instant::now();
    let (sender, done) = channel();
    for job in jobs {
        let sender = sender.clone();
        // A job without a thread is one that did not answer.
        let _ = thread::Builder::new().name("look".to_owned()).spawn(move || sender.send(job()));
    }
    drop(sender);
    let mut answers = Vec::new();
    while let Ok(answer) = done.recv_timeout(limit.saturating_sub(began.elapsed())) {
        answers.push(answer);
    }
    answers
}

#[cfg(test)]
#[path = "quick_tests.rs"]
mod tests;
