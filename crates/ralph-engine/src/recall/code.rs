//! Searches the code and its history for a task: the definitions of its names,
//! and the files that it will probably touch.

use std::fmt::Write;

use ralph_core::Timestamp;
use ralph_core::memory::notes::{as_data, orders};
use ralph_core::memory::sufficiency::MentionedNames;
use ralph_graph::ask::calls::CallGroup;
use ralph_graph::ask::name::NameLookup;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::{CodeSymbol, Index, KnownCode};
use ralph_memory::LockPatience;
use ralph_memory::event::WorkPhase;
use ralph_memory::history::{LikelyFile, LikelyReason};
use ralph_snapshot::ProjectLocation;

use super::{NoteRecall, NoteRequest};
use crate::likely::{COMMITS, PredictionContext};
use crate::wire;

/// Maximum number of a task's names that are looked up.
const MOST_NAMES: usize = 12;

/// Minimum length of a word with a capital that may name a type.
const SHORTEST_NAME: usize = 4;

/// Maximum number of definitions per name.
const MOST_DEFINITIONS: usize = 5;

/// Maximum number of names with relations, and of relations per name.
const MOST_RELATED: usize = 4;
const MOST_CALLS: usize = 5;

/// Maximum number of a project's definitions that are searched for one name.
const LOOKED_AT: usize = 40;

/// Maximum number of likely files.
const MOST_LIKELY: usize = 5;

/// Minimum score of a likely file, compared with the best.
const LEAST_LIKELY: f64 = 0.3;

/// Minimum number of a task's words that a file has, or else their minimum
/// share of the task.
const FEWEST_WORDS: usize = 2;
const LARGE_SHARE: f64 = 0.3;

/// Number of commits in use while the caller waits: loading 10,000 takes tenths
/// of a second.
const RECENT_COMMITS: usize = 2_000;

/// Maximum number of commits that are read while the caller waits.
const FEW_COMMITS: usize = 200;

/// Maximum length of a reason, in characters.
const TOLD: usize = 80;

/// The results from the code and its history.
#[derive(Default)]
pub(super) struct CodeContext {
    /// Names without a definition; `None` if the code was never read.
    pub(super) undefined: Option<Vec<String>>,
    /// True if something was not read yet, and reading it takes long.
    pub(super) is_behind: bool,
    /// Files that define the names.
    pub(super) files: Vec<String>,
    /// Files that the task will probably touch.
    pub(super) likely: Vec<LikelyFile>,
    /// The definitions of names, with their callers and callees.
    pub(super) relations: Vec<String>,
}

impl CodeContext {
    /// Returns the likely files as lines for the agent, without those in the
    /// request.
    pub(super) fn likely_lines(&self, named: &[String]) -> Vec<String> {
        let news = self.likely.iter().filter(|it| {
            let is_harmless = orders(&it.file).is_empty();
            is_told(it) && is_harmless && !named.iter().any(|name| it.file.ends_with(name.as_str()))
        });
        news.map(|it| match it.reasons.first().and_then(told) {
            Some(reason) => format!("- {}: {reason}", as_data(&it.file)),
            None => format!("- {}", as_data(&it.file)),
        })
        .collect()
    }
}

/// Returns true if there is enough evidence for a file: a name, two words of
/// the task, or one that is a good part of it.
pub(super) fn is_told(likely: &LikelyFile) -> bool {
    let is_named = likely.reasons.iter().any(|reason| match reason {
        LikelyReason::Defines(_) | LikelyReason::Note { .. } => true,
        LikelyReason::Commit { .. } | LikelyReason::Words(_) | LikelyReason::Together { .. } => {
            false
        }
    });
    let has_words = likely.words >= FEWEST_WORDS || likely.share >= LARGE_SHARE;
    likely.score >= LEAST_LIKELY && (is_named || has_words)
}

/// Returns a reason in a few words, unless it contains an order to the agent.
fn told(reason: &LikelyReason) -> Option<String> {
    let words = wire::likely::reason(reason);
    let is_long = words.chars().count() > TOLD;
    let cut: String = words.chars().take(TOLD).collect();
    orders(&words).is_empty().then(|| if is_long { format!("{}…", cut.trim_end()) } else { cut })
}

/// Searches the code and its history; `None` if they cannot be read.
///
/// The first reading of a project takes seconds: a caller with little patience
/// does not wait for it.
pub(super) fn look(
    recall: &NoteRecall,
    wanted: &NoteRequest,
    named: &MentionedNames,
    now: Timestamp,
) -> Option<CodeContext> {
    let mut index = Index::open(&recall.root, &recall.home).ok()?;
    if index.is_new() && recall.patience == LockPatience::Short {
        return Some(CodeContext { is_behind: true, ..CodeContext::default() });
    }
    let now = now.as_millis().saturating_mul(1_000_000);
    index.update(now, &mut |_| {}).ok()?;
    let code = index.code(now).ok()?;
    let mut sight = names(&code, wanted, named);
    let task = wanted.task.as_ref().filter(|_| wanted.phase == WorkPhase::Think);
    if let Some(task) = task {
        let project = ProjectLocation::discover(&recall.root).ok()?;
        let commits = match recall.patience {
            LockPatience::Long => COMMITS,
            LockPatience::Short => RECENT_COMMITS,
        };
        let place = PredictionContext { project: &project, home: &recall.home, commits, now };
        sight.is_behind = recall.patience == LockPatience::Short
            && place.unread().is_ok_and(|unread| unread > FEW_COMMITS);
        if !sight.is_behind {
            let found =
                place.likely_in(&code, std::slice::from_ref(task), MOST_LIKELY, &mut |_| {});
            sight.likely = found.ok().and_then(|mut found| found.pop()).unwrap_or_default();
        }
    }
    Some(sight)
}

/// Looks up the names and files of a task.
fn names(code: &KnownCode<'_>, wanted: &NoteRequest, named: &MentionedNames) -> CodeContext {
    let mut sight = CodeContext::default();
    let mut undefined = Vec::new();
    let mut files = known_files(code, &[wanted.files.as_slice(), &named.files].concat());
    for name in named.symbols.iter().take(MOST_NAMES) {
        let found = defined(code, name);
        if found.is_empty() {
            undefined.push(name.clone());
        }
        if sight.relations.len() < MOST_RELATED {
            sight.relations.extend(found.first().map(|symbol| relations(code, symbol)));
        }
        files.extend(found.into_iter().map(|symbol| symbol.path));
    }
    let task = wanted.task.as_deref().unwrap_or_default();
    for symbol in proper_names(task, named).into_iter().filter_map(|name| class(code, name)) {
        if sight.relations.len() < MOST_RELATED {
            sight.relations.push(relations(code, &symbol));
        }
        files.push(symbol.path);
    }
    files.sort_unstable();
    files.dedup();
    CodeContext { undefined: Some(undefined), files, ..sight }
}

/// Returns words of a task that look like names of types, without the first
/// word.
fn proper_names<'a>(task: &'a str, named: &MentionedNames) -> Vec<&'a str> {
    let words = task.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let words = words.filter(|word| !word.is_empty()).skip(1);
    let is_name = |word: &&str| {
        let is_known = named.symbols.iter().any(|known| known == word);
        word.len() >= SHORTEST_NAME
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && !is_known
    };
    let mut found: Vec<&str> = words.filter(is_name).take(MOST_NAMES).collect();
    found.dedup();
    found
}

/// Returns the definition of exactly this name, if there is only one.
fn class(code: &KnownCode<'_>, name: &str) -> Option<CodeSymbol> {
    let query = SymbolQuery { name: Some(name), limit: LOOKED_AT, ..SymbolQuery::default() };
    let mut exact = code.symbols(&query).symbols.into_iter().filter(|symbol| symbol.name == name);
    let only = exact.next()?;
    exact.next().is_none().then_some(only)
}

/// Returns definitions of a name; if there are none, of similar names, and then
/// any definition in similar files.
fn defined(code: &KnownCode<'_>, name: &str) -> Vec<CodeSymbol> {
    let query = SymbolQuery { name: Some(name), limit: LOOKED_AT, ..SymbolQuery::default() };
    let mut found = code.symbols(&query).symbols;
    if found.iter().any(|symbol| symbol.name == name) {
        found.retain(|symbol| symbol.name == name);
    } else if found.is_empty() {
        let query = SymbolQuery { file: Some(name), limit: 1, ..SymbolQuery::default() };
        found = code.symbols(&query).symbols;
    }
    found.truncate(MOST_DEFINITIONS);
    found
}

/// Returns files of the project that match these paths, or ends of paths.
fn known_files(code: &KnownCode<'_>, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let is_meant = |path: &String| {
        names.iter().any(|name| {
            let end = path.strip_suffix(name.trim_start_matches("./"));
            end.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    };
    code.paths().into_iter().filter(is_meant).collect()
}

/// Returns one line: the place of a definition, its callers and its callees.
fn relations(code: &KnownCode<'_>, symbol: &CodeSymbol) -> String {
    let asked = format!("{}:{}", symbol.path, symbol.full_name);
    let used_by = match code.callers(&asked) {
        NameLookup::One(found) => called(&found.callers),
        NameLookup::Several(_) | NameLookup::Nothing(_) => String::new(),
    };
    let uses = match code.callees(&asked) {
        NameLookup::One(found) => called(&found.callees),
        NameLookup::Several(_) | NameLookup::Nothing(_) => String::new(),
    };
    let mut line = format!("{} ({}:{})", symbol.full_name, symbol.path, symbol.line);
    if !used_by.is_empty() {
        let _ = write!(line, " <- {used_by}");
    }
    if !uses.is_empty() {
        let _ = write!(line, " -> {uses}");
    }
    line
}

fn called(calls: &[CallGroup]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for call in calls {
        let name = call.symbol.as_ref().map_or(call.path.as_str(), |symbol| &symbol.full_name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = if names.len() > MOST_CALLS { ", …" } else { "" };
    names.truncate(MOST_CALLS);
    format!("{}{more}", names.join(", "))
}
