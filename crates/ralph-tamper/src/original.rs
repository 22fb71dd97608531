//! Splits a change into tests and code.
//!
//! The tests of the start judge the present code, and the present tests judge
//! the code of the start. Both need to know what is which: test material are
//! tests, their helpers, data and recorded results, and what configures the
//! runner. A file may hold both; then its parts are taken from both versions.

mod bodies;
mod docstrings;
mod examples;
mod graft;
mod naming;
mod splice;
mod test_modules;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::language::FileLanguage;
use super::paths::CollectionEvidence;
use super::{FilePair, config, decoded, is_fixture, is_snapshot, is_test_file, paths};

pub use bodies::{new_names, tests_in};

use self::naming::NamingFileKinds;

/// The other files of a project, where a name is looked up.
pub trait ProjectTexts {
    /// Every file with text in it whose path is wanted: its path and its
    /// contents. Others are not read.
    fn each_where(&self, is_wanted: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str));

    /// Every file with text in it.
    fn each(&self, look: &mut dyn FnMut(&str, &str)) {
        self.each_where(&|_| true, look);
    }

    /// The contents of one file.
    fn text_of(&self, path: &str) -> Option<String> {
        let mut found = None;
        self.each_where(&|own| own == path, &mut |_, text| found = Some(text.to_owned()));
        found
    }
}

/// The contents of a path that replace the current ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoredContents {
    /// These contents.
    Contents(Vec<u8>),
    /// Nothing: there was no such file.
    Absent,
}

/// The texts of a project as they were at the start.
struct StartTexts<'a> {
    /// The files that differ.
    files: &'a [FilePair<'a>],
    /// All that are there now.
    project: &'a dyn ProjectTexts,
}

impl ProjectTexts for StartTexts<'_> {
    fn each_where(&self, is_wanted: &dyn Fn(&str) -> bool, look: &mut dyn FnMut(&str, &str)) {
        let old = self.files.iter().filter_map(|file| file.old);
        for old in old.filter(|old| is_wanted(old.path)) {
            look(old.path, &decoded(old.contents));
        }
        let paths = self.files.iter().filter_map(|file| file.old.or(file.new));
        let changed: BTreeSet<&str> = paths.map(|version| version.path).collect();
        self.project.each_where(&|path| !changed.contains(path) && is_wanted(path), look);
    }
}

/// A change, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitChange {
    /// The replacements that give the current tree the tests of the start.
    pub tests: BTreeMap<String, RestoredContents>,
    /// The replacements that give the current tree the code of the start.
    pub code: BTreeMap<String, RestoredContents>,
}

/// The role of a file in its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileClass {
    /// Tests, helpers, data of theirs, or a runner's configuration.
    Test,
    /// A manifest with settings of runners among others.
    Mixed,
    /// Code that has tests inside.
    Inline,
    /// Code and what it reads.
    Code,
    /// Locked versions, manifests, documents: the same for both.
    Neither,
}

/// Takes a change apart. Files are those that differ between the two times.
pub fn split(files: &[FilePair<'_>], project: &dyn ProjectTexts) -> SplitChange {
    let mut out = SplitChange::default();
    let mut doubtful = Vec::new();
    for file in files {
        let Some(path) = file.old.or(file.new).map(|version| version.path) else { continue };
        let mut class = class(path);
        if class == FileClass::Inline && is_for_tests(path, file, files, project) {
            class = FileClass::Test;
        }
        if has_examples(path, class, file) {
            class = FileClass::Test;
        }
        if class == FileClass::Code && has_tests_inside(path, file) {
            class = FileClass::Inline;
        }
        let start = StartTexts { files, project };
        if class == FileClass::Mixed && file.old.is_none() && !has_folder_of(path, &start) {
            class = FileClass::Neither;
        }
        if file.old.is_none() && is_header_of_others(path, &start) {
            class = FileClass::Test;
        }
        let is_doubtful = match class {
            FileClass::Code => file.old.is_some(),
            FileClass::Test => is_code_in_test_folder(path),
            FileClass::Mixed | FileClass::Inline | FileClass::Neither => false,
        };
        if is_doubtful {
            doubtful.push((path, file));
        } else {
            put(&mut out, path, file, class);
        }
    }
    let paths: Vec<&str> = doubtful.iter().map(|(path, _)| *path).collect();
    let classes = naming::told_by_names(&paths, &StartTexts { files, project });
    for ((path, file), class) in doubtful.into_iter().zip(classes) {
        put(&mut out, path, file, class);
    }
    out
}

fn put(out: &mut SplitChange, path: &str, file: &FilePair<'_>, class: FileClass) {
    let whole = || match file.old {
        Some(old) => RestoredContents::Contents(old.contents.to_vec()),
        None => RestoredContents::Absent,
    };
    let texts = || match (file.old, file.new) {
        (Some(old), Some(new)) => Some((decoded(old.contents), decoded(new.contents))),
        (None, _) | (_, None) => None,
    };
    let differing = |text: String, other: &Cow<'_, str>| {
        (text != **other).then(|| RestoredContents::Contents(text.into_bytes()))
    };
    let path = path.to_owned();
    match class {
        FileClass::Neither => {}
        FileClass::Test => {
            out.tests.insert(path, whole());
        }
        FileClass::Code => {
            out.code.insert(path, whole());
        }
        // A manifest that was deleted stays so.
        FileClass::Mixed => {
            let Some(new) = file.new.map(|new| decoded(new.contents)) else { return };
            let old = file.old.map(|old| decoded(old.contents));
            let old = old.unwrap_or(Cow::Borrowed(splice::empty(&path)));
            let spliced = splice::with_runner_settings(&path, &new, &old);
            out.tests.extend(spliced.and_then(|text| differing(text, &new)).map(|to| (path, to)));
        }
        FileClass::Inline => {
            let Some((old, new)) = texts() else {
                out.code.insert(path, whole());
                return;
            };
            let grafted = |code: &str, tests: &str| {
                graft::with_tests_of(FileLanguage::of(&path)?, code, tests)
            };
            let (present_code, old_code) = (grafted(&new, &old), grafted(&old, &new));
            if let (Some(present_code), Some(old_code)) = (present_code, old_code) {
                out.tests.extend(differing(present_code, &new).map(|to| (path.clone(), to)));
                out.code.extend(differing(old_code, &new).map(|to| (path, to)));
            } else {
                out.code.insert(path, whole());
            }
        }
    }
}

/// True if code had tests inside at the start, or has them now.
fn has_tests_inside(path: &str, file: &FilePair<'_>) -> bool {
    let versions = [file.old, file.new].into_iter().flatten();
    let has_tests = |language| {
        versions.clone().any(|one| graft::may_hold_tests(language, &decoded(one.contents)))
    };
    FileLanguage::of(path).is_some_and(has_tests)
}

/// True if a document held examples at the start that `doctest` may run.
fn has_examples(path: &str, class: FileClass, file: &FilePair<'_>) -> bool {
    let is_document = matches!(class, FileClass::Neither | FileClass::Code)
        && [".md", ".rst", ".txt"].iter().any(|end| path.ends_with(end));
    let begins = |line: &str| line.trim_start().starts_with(docstrings::PROMPT);
    is_document && file.old.is_some_and(|old| decoded(old.contents).lines().any(begins))
}

/// True if a Rust file belongs to tests alone: at the start, or now if it is new.
fn is_for_tests(
    path: &str,
    file: &FilePair<'_>,
    files: &[FilePair<'_>],
    project: &dyn ProjectTexts,
) -> bool {
    let text_of = |path: &str| {
        let holds = |one: &&FilePair<'_>| one.old.or(one.new).is_some_and(|one| one.path == path);
        let Some(pair) = files.iter().find(holds) else { return project.text_of(path) };
        let version = if file.old.is_some() { pair.old } else { pair.new };
        version.map(|version| decoded(version.contents).into_owned())
    };
    test_modules::is_for_tests(path, &text_of)
}

/// True if the folder of a file held anything at the start. The manifest of a package that is new
/// as a whole says nothing about tests of the start.
fn has_folder_of(path: &str, start: &StartTexts<'_>) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let found = Cell::new(folder.is_empty());
    let is_there = |own: &str| {
        let is_below = own.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        found.set(found.get() | is_below);
        // Names are enough.
        false
    };
    start.each_where(&is_there, &mut |_, _| {});
    found.get()
}

/// True if tests include a header of this name from elsewhere, `<assert.h>`, that was none of the
/// project's: a new one replaces it.
pub fn is_header_of_others(path: &str, project: &dyn ProjectTexts) -> bool {
    let is_header = matches!(path.rsplit_once('.'), Some((_, "h" | "hh" | "hpp" | "hxx")));
    if !is_header {
        return false;
    }
    let tails = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    let included: Vec<String> = tails.chain([path]).map(|tail| format!("<{tail}>")).collect();
    let mut found = false;
    let is_test = |own: &str| class(own) == FileClass::Test;
    project.each_where(&is_test, &mut |_, text| {
        found |= included.iter().any(|name| text.contains(name));
    });
    found
}

/// Returns the parts of a file that concern those who run checks: of a manifest or a makefile only
/// those about checks.
pub fn words_to_runners(path: &str, text: &str) -> String {
    let settings = splice::runner_settings(path, text);
    config::of_checks(path, &settings).into_owned()
}

fn class(path: &str) -> FileClass {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if is_test_file(path) || is_snapshot(path) || is_fixture(path) || paths::is_test_folder(path) {
        return FileClass::Test;
    }
    if splice::is_mixed(path) {
        return FileClass::Mixed;
    }
    if paths::configures_checks(path) {
        return if config::is_manifest(path) { FileClass::Neither } else { FileClass::Test };
    }
    if matches!(extension, "md" | "rst" | "adoc" | "lock" | "sum" | "mod")
        || name.ends_with("lock.json")
        || name.ends_with("lock.yaml")
    {
        return FileClass::Neither;
    }
    if extension == "rs" { FileClass::Inline } else { FileClass::Code }
}

/// True if a file is test material by its path.
pub fn is_material(path: &str) -> bool {
    class(path) == FileClass::Test
}

/// True if nothing but its folder says that a file serves tests.
fn is_code_in_test_folder(path: &str) -> bool {
    let by_folder = paths::collection(path) != CollectionEvidence::ByName;
    by_folder && paths::is_test_folder(path) && FileLanguage::of(path).is_some()
}

/// Those files of code, which no tree holds, that serve tests: at the start,
/// tests or settings of a runner named them, or a folder of theirs, and no
/// other code did.
pub fn serving<'f>(
    files: &[&'f str],
    changed: &[FilePair<'_>],
    project: &dyn ProjectTexts,
) -> Vec<&'f str> {
    if files.is_empty() {
        return Vec::new();
    }
    let mut named = vec![NamingFileKinds::default(); files.len()];
    StartTexts { files: changed, project }.each(&mut |path, text| {
        let class = class(path);
        let is_code = matches!(class, FileClass::Code | FileClass::Inline);
        let serves = class == FileClass::Test || config::is_config(path);
        for (own, named) in files.iter().zip(&mut named).filter(|(own, _)| **own != path) {
            let mut words = words_for(own);
            if is_code {
                let is_related = FileLanguage::of(path) == FileLanguage::of(own);
                named.code |= is_related && words.next().is_some_and(|word| has_word(text, word));
            } else if serves {
                named.tests |= words.any(|word| has_word(text, word));
            }
        }
    });
    let served = files.iter().zip(named).filter(|(_, named)| named.tests && !named.code);
    served.map(|(path, _)| *path).collect()
}

/// The names that may stand for a module: its own, and those of its folders.
fn words_for(path: &str) -> impl Iterator<Item = &str> {
    let (_, stem) = paths::split(path);
    let own = Some(stem).filter(|stem| !matches!(*stem, "__init__" | "index" | "mod"));
    own.into_iter().chain(path.rsplit('/').skip(1))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Paths that lead upwards, as tests and settings of the project name them, at
/// the start or now: each with the file that does.
pub fn paths_upwards(
    changed: &[FilePair<'_>],
    project: &dyn ProjectTexts,
) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let names_paths = |path: &str| {
        let is_prose = [".md", ".rst", ".adoc"].iter().any(|end| path.ends_with(end));
        !is_prose && !matches!(class(path), FileClass::Code | FileClass::Inline)
    };
    let mut look = |path: &str, text: &str| {
        if !text.contains("..") {
            return;
        }
        let words = text.split(|c: char| c.is_whitespace() || "\"'`=,:;()[]{}<>".contains(c));
        let words = words.filter(|word| word.contains("../") || word.ends_with("/.."));
        found.extend(words.map(|word| (path.to_owned(), word.to_owned())));
    };
    let versions = changed.iter().flat_map(|file| [file.old, file.new]).flatten();
    for version in versions.filter(|version| names_paths(version.path)) {
        look(version.path, &decoded(version.contents));
    }
    project.each_where(&names_paths, &mut look);
    found
}

#[cfg(test)]
#[path = "original/tests.rs"]
mod tests;
