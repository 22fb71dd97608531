//! What the code says about what a task names.

use std::fmt::Write;

use ralph_core::Timestamp;
use ralph_core::memory::hydration::Section;
use ralph_core::memory::sufficiency::Named;
use ralph_core::tokens::with_margin;
use ralph_graph::ask::calls::Calls;
use ralph_graph::ask::name::Meant;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::map::MapQuery;
use ralph_graph::{Code, Index, Symbol};

use super::{Recall, Wanted};

/// Names of a task that are looked up.
const MOST_NAMES: usize = 12;

/// Definitions of one name that are kept.
const MOST_DEFINITIONS: usize = 5;

/// Names whose relations are told, and how many of each.
const MOST_RELATED: usize = 4;
const MOST_CALLS: usize = 5;

/// How many of a project's definitions are looked through for one name.
const LOOKED_AT: usize = 40;

/// What the code says.
#[derive(Default)]
pub(super) struct Sight {
    /// The code is known at all.
    pub(super) is_known: bool,
    /// Files that what is named leads to.
    pub(super) files: Vec<String>,
    /// Names that lead nowhere.
    pub(super) undefined: Vec<String>,
    relations: Vec<String>,
    map: Vec<String>,
}

impl Sight {
    /// What the agent reads of it, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        [self.relations.as_slice(), &self.map].concat()
    }
}

/// Looks at the code; `None` if it was never read or cannot be.
///
/// The first reading of a project takes seconds and is left to those who ask
/// about its code.
pub(super) fn look(
    recall: &Recall,
    wanted: &Wanted,
    named: &Named,
    now: Timestamp,
) -> Option<Sight> {
    let mut index = Index::open(&recall.root, &recall.home).ok()?;
    if index.is_new() {
        return None;
    }
    let now = now.as_millis().saturating_mul(1_000_000);
    index.update(now, &mut |_| {}).ok()?;
    let code = index.code(now).ok()?;
    let mut sight = Sight { is_known: true, ..Sight::default() };
    let mut files = known_files(&code, &[wanted.files.as_slice(), &named.files].concat());
    for name in named.symbols.iter().take(MOST_NAMES) {
        let found = defined(&code, name);
        if found.is_empty() {
            sight.undefined.push(name.clone());
        }
        if sight.relations.len() < MOST_RELATED {
            sight.relations.extend(found.first().map(|symbol| relations(&code, symbol)));
        }
        sight.files.extend(found.into_iter().map(|symbol| symbol.path));
    }
    files.append(&mut sight.files);
    files.sort_unstable();
    files.dedup();
    if !files.is_empty() {
        let tokens = with_margin(Section::Map.share(recall.tokens));
        let query = MapQuery { files: files.clone(), words: named.symbols.clone(), tokens };
        sight.map = code.map(&query).text.lines().map(str::to_owned).collect();
    }
    sight.files = files;
    Some(sight)
}

/// Definitions of a name; if there are none, of names like it, and then
/// whatever is in files like it.
fn defined(code: &Code<'_>, name: &str) -> Vec<Symbol> {
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

/// Files of the project that are meant by paths, or by the ends of paths.
fn known_files(code: &Code<'_>, names: &[String]) -> Vec<String> {
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

/// One line: where a definition is, who calls it and what it calls.
fn relations(code: &Code<'_>, symbol: &Symbol) -> String {
    let asked = format!("{}:{}", symbol.path, symbol.full_name);
    let used_by = match code.callers(&asked) {
        Meant::One(found) => names(&found.callers),
        Meant::Several(_) | Meant::Nothing(_) => String::new(),
    };
    let uses = match code.callees(&asked) {
        Meant::One(found) => names(&found.callees),
        Meant::Several(_) | Meant::Nothing(_) => String::new(),
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

fn names(calls: &[Calls]) -> String {
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
