//! A map of the code: the definitions that matter most for some files and
//! words, within a token limit.

use std::collections::BTreeMap;
use std::fmt::Write;

use ralph_core::tokens::estimate;

use crate::ask::files::FoundBy;
use crate::code::KnownCode;
use crate::facts::{CodePurpose, DefinitionKind};
use crate::project::{CodeFile, CodeFileId, DefRef};
use crate::rank::{UserInterest, ranked};

/// Number of definitions in a row that may fail to fit before the map is done.
const PATIENCE: usize = 400;

/// A map is full if at most this fraction of its tokens (one part in 20) is
/// left.
const CLOSE: usize = 20;

/// Maximum length of a signature, in characters.
const LONGEST: usize = 160;

/// A request for a map.
#[derive(Debug, Clone, Default)]
pub struct MapQuery {
    /// Files of interest.
    pub files: Vec<String>,
    /// Words of interest.
    pub words: Vec<String>,
    /// Maximum number of tokens.
    pub tokens: usize,
}

/// A map of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeMap {
    /// The rendered text.
    pub text: String,
    /// Estimated number of tokens.
    pub tokens: usize,
    /// The files on it.
    pub files: Vec<MapFile>,
    /// Number of all definitions.
    pub total: usize,
    /// The files that the known files of interest were resolved to.
    pub taken: Vec<PathResolution>,
    /// Files of interest that were not found.
    pub unknown: Vec<String>,
}

/// A file of interest, and the files it was resolved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathResolution {
    /// The text of the request.
    pub asked: String,
    /// The files, from the root, with slashes.
    pub files: Vec<String>,
    /// The way in which they were found.
    pub found_by: FoundBy,
}

/// A file on a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapFile {
    /// From the root, with slashes.
    pub path: String,
    /// In the order of the text.
    pub entries: Vec<MapEntry>,
}

/// A definition on a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEntry {
    /// The name with the names around it.
    pub name: String,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// The line of its name.
    pub line: u32,
    /// The declaration without its body.
    pub signature: String,
    /// Number of definitions on the map that contain it.
    depth: usize,
}

/// A map under construction.
#[derive(Default)]
struct MapDraft {
    chosen: BTreeMap<CodeFileId, BTreeMap<DefRef, MapEntry>>,
    tokens: usize,
    last: Option<MapAddition>,
}

/// A definition, with its containers that are not on the map yet.
#[derive(Clone)]
struct MapAddition {
    file: CodeFileId,
    entries: Vec<(DefRef, MapEntry)>,
    cost: usize,
}

impl MapDraft {
    fn put(&mut self, addition: MapAddition) {
        self.tokens += addition.cost;
        let file = self.chosen.entry(addition.file).or_default();
        file.extend(addition.entries.iter().cloned());
        self.last = Some(addition);
    }

    /// Removes the last addition.
    fn undo(&mut self) -> Option<MapAddition> {
        let last = self.last.take()?;
        self.tokens -= last.cost;
        let file = self.chosen.entry(last.file).or_default();
        file.retain(|at, _| last.entries.iter().all(|(new, _)| new != at));
        if file.is_empty() {
            self.chosen.remove(&last.file);
        }
        Some(last)
    }
}

impl KnownCode<'_> {
    /// Builds a map.
    pub fn map(&self, query: &MapQuery) -> CodeMap {
        let (mut taken, mut unknown) = (Vec::new(), Vec::new());
        let mut interest = UserInterest { files: Vec::new(), words: query.words.clone() };
        for name in &query.files {
            let (found_by, found) = self.files_meant(name);
            if found.is_empty() {
                unknown.push(name.clone());
                continue;
            }
            let path = |file: &CodeFileId| self.project.file(*file).path.clone();
            let files = found.iter().map(path).collect();
            taken.push(PathResolution { asked: name.clone(), files, found_by });
            interest.files.extend(found);
        }
        let total = self.project.files.iter().map(CodeFile::count).sum();
        let mut draft = MapDraft::default();
        let (mut misses, mut unfit) = (0, Vec::new());
        // Tests tell little about the structure of a project.
        let is_wanted = |at: &DefRef| {
            interest.files.contains(&at.file)
                || self.project.outlined(*at).is_some_and(|it| it.purpose == CodePurpose::Code)
        };
        for (_, at) in ranked(&self.project, &interest).filter(|(_, at)| is_wanted(at)) {
            if misses >= PATIENCE || draft.tokens >= query.tokens {
                break;
            }
            let addition = self.addition(&draft, at);
            if draft.tokens + addition.cost <= query.tokens {
                draft.put(addition);
                misses = 0;
            } else {
                unfit.push(at);
                misses += 1;
            }
        }
        self.fill(&mut draft, &unfit, query.tokens);
        let (text, files) = self.drawn(&draft);
        CodeMap { text, tokens: draft.tokens, files, total, taken, unknown }
    }

    /// If the last addition leaves much room, replaces it by the one that
    /// leaves least.
    fn fill(&self, draft: &mut MapDraft, unfit: &[DefRef], most: usize) {
        if draft.tokens >= most - most / CLOSE {
            return;
        }
        let Some(last) = draft.undo() else { return };
        let room = most - draft.tokens;
        let others = unfit.iter().rev().map(|at| self.addition(draft, *at));
        let better = others.filter(|it| it.cost > last.cost && it.cost <= room);
        draft.put(better.max_by_key(|it| it.cost).unwrap_or(last));
    }

    /// Returns a definition with its containers, and their cost.
    fn addition(&self, draft: &MapDraft, at: DefRef) -> MapAddition {
        let mut lines: Vec<DefRef> = self.project.containers(at).collect();
        lines.reverse();
        lines.push(at);
        let known = draft.chosen.get(&at.file);
        let is_new = |line: &DefRef| known.is_none_or(|file| !file.contains_key(line));
        let entries: Vec<(DefRef, MapEntry)> = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| is_new(line))
            .map(|(depth, line)| (*line, self.entry(*line, depth)))
            .collect();
        let mut cost: usize = entries.iter().map(|(_, entry)| estimate(&line_of(entry))).sum();
        if known.is_none() {
            cost += estimate(&head_of(&self.project.file(at.file).path));
        }
        MapAddition { file: at.file, entries, cost }
    }

    fn entry(&self, at: DefRef, depth: usize) -> MapEntry {
        let symbol = self.symbol(at);
        let cut: String = symbol.signature.chars().take(LONGEST).collect();
        let cut = if cut.len() < symbol.signature.len() { format!("{cut}…") } else { cut };
        let signature = if cut.is_empty() { symbol.name } else { cut };
        MapEntry { name: symbol.full_name, kind: symbol.kind, line: symbol.line, signature, depth }
    }

    /// Renders the text of a map, and lists the files on it.
    fn drawn(&self, draft: &MapDraft) -> (String, Vec<MapFile>) {
        let mut text = String::new();
        let mut files = Vec::new();
        for (file, entries) in &draft.chosen {
            let path = self.project.file(*file).path.clone();
            text.push_str(&head_of(&path));
            let entries: Vec<MapEntry> = entries.values().cloned().collect();
            for entry in &entries {
                text.push_str(&line_of(entry));
            }
            files.push(MapFile { path, entries });
        }
        (text, files)
    }
}

fn head_of(path: &str) -> String {
    format!("{}\n", flat(path))
}

/// Returns a text without control characters: file names and parameter defaults
/// may contain anything.
fn flat(text: &str) -> String {
    let is_odd =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if is_odd(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn line_of(entry: &MapEntry) -> String {
    let mut line = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        line,
        "{}{}: {}",
        "  ".repeat(entry.depth + 1),
        entry.line,
        flat(&entry.signature)
    );
    line
}

impl CodeMap {
    /// Returns the number of definitions on it.
    pub fn shown(&self) -> usize {
        self.files.iter().map(|file| file.entries.len()).sum()
    }
}
