//! Notes that can be checked: rules over syntax trees, and single tests.
//!
//! The caller chooses the notes that have to hold; here they are checked against the files. The
//! gate asks for the notes whenever it runs, so a note that was withdrawn meanwhile no longer
//! applies.

mod earlier;
mod moved;
mod test;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use ralph_core::evidence::{GateFault, GateReport, Verdict};
use ralph_core::finding::{Finding, FindingLevel, ToolReport};
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition};

use self::test::InvariantTestResult;
use crate::formats::FindingCollector;
use crate::security::{
    RuleDefinition, RulePack, RulesError, ScanResult, ScanScope, ScanSelection, digest,
    parse_rules, tail,
};
use crate::{Gate, GateContext, selector};

/// The name of the tool in findings.
pub const TOOL: &str = "ralph-memory";

/// After this long the notes count as not checked.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The maximum length of a note's text in a finding, in characters.
const SAID: usize = 150;

/// A note that has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteInvariant {
    /// Its name.
    pub note: String,
    /// A summary in a few words.
    pub title: Option<String>,
    /// The full text.
    pub text: String,
    /// The check that shows if it still holds.
    pub check: InvariantCheck,
}

/// The check that shows if a note still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvariantCheck {
    /// Rules, as text: what they find breaks the note.
    Rules(String),
    /// A test: `FILE`, `NAME` or `FILE::NAME`.
    Test(String),
}

/// Says which notes have to hold, or in one line why that is not known.
pub type InvariantSource = dyn Fn() -> Result<Vec<NoteInvariant>, String> + Send + Sync;

/// Looks at rules that are to be given to a note; says how many there are.
///
/// `path` stands in the error, with the line.
pub fn try_rules(path: &Path, text: &str) -> Result<usize, RulesError> {
    let rules = parse_rules(path, text)?;
    let broken = |what: String| RulesError::Broken { path: path.to_owned(), line: 1, what };
    let mut ids = BTreeSet::new();
    for rule in &rules {
        if !ids.insert(rule.id.as_str()) {
            return Err(broken(format!("two rules have the id `{}`", rule.id)));
        }
        if matches!(rule.severity, ast_grep_config::Severity::Off) {
            return Err(broken(format!("the rule `{}` is turned off", rule.id)));
        }
    }
    if rules.is_empty() {
        return Err(broken("there is no rule".to_owned()));
    }
    Ok(rules.len())
}

/// True if rules are meant for a file of this name, as far as its language shows. Rules that cannot
/// be read are meant for every file.
pub fn is_about(rules: &str, path: &Path) -> bool {
    match parse_rules(Path::new(""), rules) {
        Ok(rules) => RulePack::of_invariants(rules, &[]).covers(path),
        Err(_) => true,
    }
}

/// True if one of these gates can run a test alone.
pub fn can_select(runners: &[GateSpec], test: &str) -> bool {
    runners.iter().any(|runner| selector::selecting(runner, test).is_some())
}

/// The result of a search for a test in the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestLookup {
    /// It may be.
    Found,
    /// The file that it should be in is not there.
    NoFile(String),
    /// No file that could hold it has its name.
    NoName(String),
}

/// Looks for a test that one of these gates is to run, without running it.
pub fn sought(runners: &[GateSpec], test: &str, root: &Path) -> TestLookup {
    let mut missing = None;
    for runner in runners.iter().filter(|runner| selector::selecting(runner, test).is_some()) {
        match selector::seek(test, runner, root) {
            TestLookup::Found => return TestLookup::Found,
            other @ (TestLookup::NoFile(_) | TestLookup::NoName(_)) => {
                missing = missing.or(Some(other));
            }
        }
    }
    missing.unwrap_or(TestLookup::Found)
}

/// A gate that passes when every note holds.
pub struct InvariantGate {
    spec: GateSpec,
    notes: Box<InvariantSource>,
    /// The gates that run the project's tests.
    runners: Vec<GateSpec>,
    chosen: ScanSelection,
}

impl InvariantGate {
    /// Returns the entry of such a gate in the policy of a run.
    pub fn specify(need: GateImportance) -> GateSpec {
        GateSpec {
            name: Criterion::Memory.name().to_owned(),
            criterion: Criterion::Memory,
            command: GateCommand::Argv(vec![TOOL.to_owned()]),
            dir: String::new(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: TIMEOUT,
            need,
        }
    }

    /// A gate for notes that `notes` tells when it is asked. Rules look at the chosen files, and do
    /// not report what was in them before; tests run in one of the gates that know how.
    pub fn new(
        need: GateImportance,
        notes: impl Fn() -> Result<Vec<NoteInvariant>, String> + Send + Sync + 'static,
        runners: Vec<GateSpec>,
        chosen: ScanSelection,
    ) -> Self {
        Self { spec: Self::specify(need), notes: Box::new(notes), runners, chosen }
    }

    /// Returns the places that rules find and that are new. Old ones are removed before findings
    /// are counted, so that a flood of them hides no new one.
    fn scan(
        &self,
        pack: &RulePack,
        root: &Path,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<ScanResult> {
        let mut found = earlier::FileScans::new();
        let mut scan = pack.scan_each(root, &self.chosen.get(), stop, &mut |path, seen| {
            if !seen.hits.is_empty() {
                found.push((path.to_owned(), seen));
            }
        })?;
        scan.unread.extend(earlier::forgive(pack, &self.chosen.before(), root, &mut found));
        let mut out = FindingCollector::new(root, "");
        for (path, seen) in found {
            seen.report(&path, TOOL, &mut out);
        }
        scan.reading = out.finish();
        Some(scan)
    }

    fn check(
        &self,
        notes: &[NoteInvariant],
        site: &GateContext<'_>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<InvariantResults, String> {
        let mut done = InvariantResults { notes: notes.len(), ..InvariantResults::default() };
        let pack = pack(notes)?;
        let interrupted = || "it was interrupted".to_owned();
        let scan = self.scan(&pack, site.root, stop).ok_or_else(interrupted)?;
        done.printed = tail(&scan);
        done.unread = scan.unread.first().map(ToString::to_string);
        done.reading = scan.reading;
        for note in notes {
            let InvariantCheck::Test(test) = &note.check else { continue };
            if stop() {
                return Err(interrupted());
            }
            match test::run(test, &self.runners, site, stop) {
                InvariantTestResult::Holds => {}
                InvariantTestResult::Broken(failures) => {
                    for failure in failures {
                        done.add(note, test, failure);
                    }
                }
                InvariantTestResult::Unknown(reason) => {
                    done.unknown.push(format!("note {}: test {test}: {reason}", note.note));
                }
            }
        }
        Ok(done)
    }
}

impl Gate for InvariantGate {
    fn spec(&self) -> &GateSpec {
        &self.spec
    }

    fn key(&self) -> String {
        let files = match self.chosen.get() {
            ScanScope::All => "all".to_owned(),
            ScanScope::Only(mut paths) => {
                paths.sort_unstable();
                digest(&paths)
            }
        };
        // The debug form holds every field of each.
        let before = earlier::digest(&self.chosen.before());
        let what = format!("{:?}", ((self.notes)(), &self.runners, before));
        format!("memory-4 {} {files}", blake3::hash(what.as_bytes()).to_hex())
    }

    fn run(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let started = Instant::now();
        let (timeout, mut is_late) = (self.spec.timeout, false);
        let mut end = || {
            is_late = started.elapsed() > timeout;
            is_late || stop()
        };
        let notes = (self.notes)();
        let checked = notes.and_then(|notes| self.check(&notes, site, &mut end));
        let report = GateReport::unknown(&self.spec, String::new());
        let elapsed = started.elapsed();
        match checked {
            Ok(done) => GateReport {
                verdict: done.verdict(),
                failing: done.reading.findings.iter().map(|it| it.fingerprint.clone()).collect(),
                tail: done.printed(),
                reading: done.reading,
                elapsed,
                ..report
            },
            Err(_) if is_late => {
                let verdict = Verdict::Fail(GateFault::Timeout(timeout));
                GateReport { verdict, elapsed, ..report }
            }
            Err(reason) => GateReport { elapsed, ..GateReport::unknown(&self.spec, reason) },
        }
    }
}

/// The results of checking the notes.
#[derive(Default)]
struct InvariantResults {
    notes: usize,
    reading: ToolReport,
    /// The questions about tests that stayed open, in one line each.
    unknown: Vec<String>,
    /// The reason why nothing is known about the first file that could not be checked.
    unread: Option<String>,
    printed: String,
}

impl InvariantResults {
    fn add(&mut self, note: &NoteInvariant, test: &str, failure: test::InvariantFailure) {
        let finding = Finding {
            tool: TOOL.to_owned(),
            rule: Some(note.note.clone()),
            level: FindingLevel::Error,
            place: failure.place,
            message: format!("{} (test {test}: {})", said(note, ""), failure.said),
            // What a test prints differs from time to time; that it fails does not. It
            // begins as that of any test does, which may be flaky.
            fingerprint: format!("test of note {}: {}", note.note, failure.id),
        };
        self.reading.counts.add(finding.level, 1);
        self.reading.findings.push(finding);
    }

    fn verdict(&self) -> Verdict {
        let broken = self.reading.counts.errors;
        match self.unread.iter().chain(&self.unknown).next() {
            _ if broken > 0 => Verdict::Fail(GateFault::Findings(broken)),
            Some(reason) => Verdict::Unknown { reason: reason.clone() },
            None => Verdict::Pass,
        }
    }

    /// Returns the text that a tool would have printed.
    fn printed(&self) -> String {
        let mut text = String::new();
        for reason in &self.unknown {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{reason}");
        }
        let _ = write!(text, "{}, {} notes that have to hold", self.printed, self.notes);
        text
    }
}

/// The rules of all notes: a file is parsed once, whatever their number.
fn pack(notes: &[NoteInvariant]) -> Result<RulePack, String> {
    let (mut rules, mut texts) = (Vec::new(), Vec::new());
    for note in notes {
        let InvariantCheck::Rules(text) = &note.check else { continue };
        let written = parse_rules(Path::new(&format!("note {}", note.note)), text);
        let written = written.map_err(|error| error.to_string())?;
        rules.extend(written.into_iter().map(|rule| RuleDefinition {
            id: format!("{}/{}", note.note, rule.id),
            message: said(note, &rule.message),
            ..rule
        }));
        texts.push(text.clone());
    }
    Ok(RulePack::of_invariants(rules, &texts))
}

/// Returns the message of a finding: the title of the note, and the message of its rule or, if that
/// is empty, the text of the note.
fn said(note: &NoteInvariant, rule: &str) -> String {
    let text = if rule.trim().is_empty() { &note.text } else { rule };
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = match text.char_indices().nth(SAID) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    };
    match note.title.as_deref().filter(|title| !text.starts_with(title)) {
        Some(title) => format!("{title}: {text}"),
        None => text,
    }
}

#[cfg(test)]
#[path = "invariants/gate_tests.rs"]
mod tests;
