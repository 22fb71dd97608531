use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::ToolLookup;
use super::draft::ProposalDraft;
use super::said::DocumentedCommands;

/// The number of levels below the root that are searched for projects.
const DEPTH: usize = 3;

/// The maximum number of entries listed of one folder.
const ENTRIES: usize = 4_000;

/// The maximum number of entries listed in total.
const ALL_ENTRIES: usize = 100_000;

/// The maximum size of a file that is read. Files that people write by hand are smaller.
const FILE_BYTES: u64 = 1024 * 1024;

/// Folders that hold nothing of the project's own, or only what its tests are
/// fed with, or what merely shows how it is used.
const SKIPPED: [&str; 21] = [
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "third-party",
    "target",
    "dist",
    "build",
    "out",
    "coverage",
    "venv",
    "__pycache__",
    "site-packages",
    "Pods",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-fixtures",
    "test_fixtures",
    "examples",
    "example",
];

/// Side folders: their contents are not the main subject of the project.
const BESIDE: [&str; 13] = [
    "docs",
    "doc",
    "website",
    "site",
    "fuzz",
    "fuzzing",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "man",
];

/// Folders of tests: what lies in them belongs to the project around them.
const OF_TESTS: [&str; 5] = ["tests", "test", "spec", "specs", "__tests__"];

/// Lock files, and the files without which they mean nothing.
const LOCKS: [(&str, &str); 12] = [
    ("package-lock.json", "package.json"),
    ("pnpm-lock.yaml", "package.json"),
    ("yarn.lock", "package.json"),
    ("bun.lock", "package.json"),
    ("bun.lockb", "package.json"),
    ("Cargo.lock", "Cargo.toml"),
    ("uv.lock", "pyproject.toml"),
    ("poetry.lock", "pyproject.toml"),
    ("pdm.lock", "pyproject.toml"),
    ("go.sum", "go.mod"),
    ("Gemfile.lock", "Gemfile"),
    ("composer.lock", "composer.json"),
];

/// The names of a project's files, as far as detection looks.
pub(super) struct ProjectScan<'a> {
    root: PathBuf,
    tools: ToolLookup<'a>,
    folders: BTreeMap<String, FolderListing>,
    notices: RefCell<BTreeSet<String>>,
    said: OnceCell<DocumentedCommands>,
}

#[derive(Debug, Default)]
struct FolderListing {
    files: BTreeSet<String>,
    folders: Vec<String>,
    /// True if nothing was left out.
    complete: bool,
    /// True for a folder of tests and for all folders below one.
    of_tests: bool,
}

/// A folder that waits to be listed.
struct PendingFolder {
    dir: String,
    depth: usize,
    of_tests: bool,
    /// The ignore files above it, the nearest first.
    ignored: Vec<Rc<Gitignore>>,
}

impl<'a> ProjectScan<'a> {
    /// Lists what is there, upper folders first, so that a bound cuts off the
    /// lowest.
    pub(super) fn new(root: &Path, tools: ToolLookup<'a>) -> Self {
        let mut sight = Self {
            root: root.to_owned(),
            tools,
            folders: BTreeMap::new(),
            notices: RefCell::default(),
            said: OnceCell::new(),
        };
        let (mut entries, mut waiting) = (0, VecDeque::new());
        waiting.push_back(PendingFolder {
            dir: String::new(),
            depth: 0,
            of_tests: false,
            ignored: Vec::new(),
        });
        while let Some(next) = waiting.pop_front() {
            if entries >= ALL_ENTRIES {
                sight.notice("the project is large: its lower folders were not looked at");
                break;
            }
            let listing = sight.list(&next);
            entries += listing.files.len() + listing.folders.len();
            if next.depth < DEPTH {
                waiting.extend(sight.below(&next, &listing));
            }
            sight.folders.insert(next.dir, listing);
        }
        sight
    }

    fn list(&self, of: &PendingFolder) -> FolderListing {
        let mut listing =
            FolderListing { complete: true, of_tests: of.of_tests, ..FolderListing::default() };
        let path = self.root.join(&of.dir);
        let Ok(entries) = fs::read_dir(&path) else { return listing };
        for (count, entry) in entries.flatten().enumerate() {
            if count == ENTRIES {
                listing.complete = false;
                self.notice(format!("{} has more files than are looked at", shown(&of.dir)));
                break;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            if kind.is_dir() {
                listing.folders.push(name);
            } else if kind.is_file() || fs::metadata(entry.path()).is_ok_and(|it| it.is_file()) {
                listing.files.insert(name);
            }
        }
        listing.folders.sort_unstable();
        listing
    }

    /// The folders below one that are worth a look.
    fn below(&self, above: &PendingFolder, listing: &FolderListing) -> Vec<PendingFolder> {
        let mut ignored = above.ignored.clone();
        if listing.files.contains(".gitignore") {
            let folder = self.root.join(&above.dir);
            let mut builder = GitignoreBuilder::new(&folder);
            if let Ok(rules) = ralph_files::read_text(folder.join(".gitignore")) {
                for line in rules.lines() {
                    // A pattern that makes no sense ignores nothing.
                    let _ = builder.add_line(None, line);
                }
            }
            ignored.extend(builder.build().ok().map(Rc::new));
            ignored.rotate_right(1);
        }
        let wanted = |name: &&String| {
            let path = self.root.join(&above.dir).join(name);
            !name.starts_with('.')
                && !SKIPPED.contains(&name.as_str())
                && !is_ignored(&ignored, &path)
                // Another repository, or an environment with packages in it.
                && !path.join(".git").exists()
                && !path.join("pyvenv.cfg").exists()
        };
        let waiting = |name: &String| PendingFolder {
            dir: join(&above.dir, name),
            depth: above.depth + 1,
            of_tests: above.of_tests || OF_TESTS.contains(&name.as_str()),
            ignored: ignored.clone(),
        };
        listing.folders.iter().filter(wanted).map(waiting).collect()
    }

    /// The folders that may be projects, upper ones first.
    pub(super) fn projects(&self) -> Vec<ProjectFolder<'_>> {
        let own = self.folders.iter().filter(|(_, listing)| !listing.of_tests);
        let mut folders: Vec<ProjectFolder<'_>> =
            own.map(|(dir, listing)| ProjectFolder { sight: self, dir, listing }).collect();
        folders.sort_by_key(|folder| (depth(folder.dir), folder.dir));
        folders
    }

    /// Returns the commands that the project's files name.
    fn said(&self) -> &DocumentedCommands {
        self.said.get_or_init(|| match self.projects().as_slice() {
            [] => DocumentedCommands::default(),
            all @ [root, ..] => DocumentedCommands::read(*root, all),
        })
    }

    /// Remembers something the user should know.
    pub(super) fn notice(&self, what: impl Into<String>) {
        self.notices.borrow_mut().insert(what.into());
    }

    /// Returns the messages for the user, in a fixed order.
    pub(super) fn notices(&self) -> Vec<String> {
        self.notices.borrow().iter().cloned().collect()
    }
}

fn is_ignored(matchers: &[Rc<Gitignore>], folder: &Path) -> bool {
    for matcher in matchers {
        match matcher.matched(folder, true) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
    }
    false
}

/// One folder of the project.
#[derive(Clone, Copy)]
pub(super) struct ProjectFolder<'a> {
    sight: &'a ProjectScan<'a>,
    dir: &'a str,
    listing: &'a FolderListing,
}

impl<'a> ProjectFolder<'a> {
    /// The folder's path, relative to the root.
    pub(super) fn dir(&self) -> &'a str {
        self.dir
    }

    /// True if it is the project's root.
    pub(super) fn is_root(&self) -> bool {
        self.dir.is_empty()
    }

    /// True if there is a file of this name in it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.listing.files.contains(name) || (!self.listing.complete && self.exists(name))
    }

    /// The first of these names that is a file in it.
    pub(super) fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// True if there is a file or folder at this path, ignored or not.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.path().join(path).exists()
    }

    /// True if there is a file at this path, ignored or not.
    pub(super) fn is_file(&self, path: &str) -> bool {
        self.path().join(path).is_file()
    }

    /// True if this program can be started in it.
    pub(super) fn has_tool(&self, program: &str) -> bool {
        (self.sight.tools)(program, &self.path())
    }

    /// The text of a file in it; `None` without one, or when it is no text of
    /// a sensible size.
    pub(super) fn read(&self, name: &str) -> Option<String> {
        if !self.has(name) {
            return None;
        }
        self.read_path(name)
    }

    /// The text of a file at a path below it, ignored or not; `None` as for
    /// [`Self::read`].
    pub(super) fn read_path(&self, name: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let path = self.path().join(name);
        if !path.is_file() {
            return None;
        }
        let file = ralph_files::open(path);
        let read = file.and_then(|file| file.take(FILE_BYTES + 1).read_to_end(&mut bytes));
        match read {
            Err(error) => self.unusable(name, &error),
            Ok(_) if bytes.len() as u64 > FILE_BYTES => self.unusable(name, &"it is too large"),
            Ok(_) => match String::from_utf8(bytes) {
                Ok(text) => Some(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned)),
                Err(_) => self.unusable(name, &"it is not UTF-8 text"),
            },
        }
    }

    /// A file in it as TOML.
    pub(super) fn toml(&self, name: &str) -> Option<toml::Table> {
        match toml::from_str(&self.read(name)?) {
            Ok(table) => Some(table),
            Err(error) => self.unusable(name, &error.message().lines().next().unwrap_or("")),
        }
    }

    /// A file in it as JSON.
    pub(super) fn json(&self, name: &str) -> Option<serde_json::Value> {
        match serde_json::from_str(&self.read(name)?) {
            Ok(value) => Some(value),
            Err(error) => self.unusable(name, &error),
        }
    }

    /// A file in it as TOML; nothing is said of one that cannot be read.
    pub(super) fn toml_quietly(&self, name: &str) -> Option<toml::Table> {
        toml::from_str(&self.read(name)?).ok()
    }

    /// A file in it as JSON; nothing is said of one that cannot be read.
    pub(super) fn json_quietly(&self, name: &str) -> Option<serde_json::Value> {
        serde_json::from_str(&self.read(name)?).ok()
    }

    /// A file in it as JSON that may have comments; nothing is said of one that cannot be read.
    pub(super) fn json_with_comments(&self, name: &str) -> Option<serde_json::Value> {
        jsonc_parser::parse_to_serde_value(
            &self.read(name)?,
            &jsonc_parser::ParseOptions::default(),
        )
        .ok()
    }

    /// A file at a path below it as YAML.
    pub(super) fn yaml(&self, path: &str) -> Option<serde_json::Value> {
        match serde_saphyr::from_str(&self.read_path(path)?) {
            Ok(value) => Some(value),
            Err(_) => self.unusable(path, &"it is not plain YAML"),
        }
    }

    /// The files of a hidden folder below it, with the way to them.
    pub(super) fn hidden_files(&self, dir: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path().join(dir)) else { return Vec::new() };
        let names = entries.flatten().take(ENTRIES).map(|entry| entry.file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        let mut files: Vec<String> = names.map(|name| join(dir, &name)).collect();
        files.sort_unstable();
        files
    }

    /// Returns the commands that the project's files name.
    pub(super) fn said(&self) -> &'a DocumentedCommands {
        self.sight.said()
    }

    /// The files in it.
    pub(super) fn own_files(&self) -> impl Iterator<Item = &'a str> {
        self.listing.files.iter().map(String::as_str)
    }

    /// Every file in it and below, with the folder it is in.
    pub(super) fn all_files(&self) -> impl Iterator<Item = (ProjectFolder<'a>, &'a str)> {
        let (sight, dir) = (self.sight, self.dir);
        let inner = sight.folders.iter().filter(move |(inner, _)| is_within(inner, dir));
        inner.flat_map(move |(inner, listing)| {
            let folder = ProjectFolder { sight, dir: inner, listing };
            listing.files.iter().map(move |file| (folder, file.as_str()))
        })
    }

    /// The way to it from a folder above; empty when there is none.
    pub(super) fn dir_within(&self, above: &ProjectFolder<'_>) -> &'a str {
        self.above(above.dir).map_or("", |(_, inner)| inner)
    }

    /// A folder below it.
    pub(super) fn below(&self, inner: &str) -> Option<ProjectFolder<'a>> {
        let (dir, listing) = self.sight.folders.get_key_value(&join(self.dir, inner))?;
        Some(ProjectFolder { sight: self.sight, dir, listing })
    }

    /// The folder above it at `dir`, and the way down from there.
    pub(super) fn above(&self, dir: &str) -> Option<(ProjectFolder<'a>, &'a str)> {
        let inner = match dir {
            "" => Some(self.dir).filter(|inner| !inner.is_empty()),
            dir => self.dir.strip_prefix(dir).and_then(|rest| rest.strip_prefix('/')),
        }?;
        let (dir, listing) = self.sight.folders.get_key_value(dir)?;
        Some((ProjectFolder { sight: self.sight, dir, listing }, inner))
    }

    /// Finds a path in it or in a folder above it, up to the root; as seen
    /// from here.
    pub(super) fn upwards(&self, path: &str) -> Option<String> {
        (0..=depth(self.dir)).map(|up| "../".repeat(up) + path).find(|path| self.exists(path))
    }

    /// The project's root.
    pub(super) fn root(&self) -> ProjectFolder<'a> {
        self.above("").map_or(*self, |(root, _)| root)
    }

    /// A file's name for people: with its folder.
    pub(super) fn name_of(&self, file: &str) -> String {
        join(self.dir, file)
    }

    /// Says of a draft whether success should depend on it, by where it is.
    pub(super) fn stand(&self, draft: ProposalDraft) -> ProposalDraft {
        let beside = self.dir.split('/').find(|part| BESIDE.contains(part));
        match beside {
            Some(part) => draft.aside(format!("`{part}` is beside the project")),
            None => draft,
        }
    }

    /// Speaks of lock files that lock nothing.
    pub(super) fn notice_orphans(&self) {
        for (lock, of) in LOCKS {
            if self.has(lock) && !self.has(of) {
                self.sight.notice(format!("{} is there without {of}", self.name_of(lock)));
            }
        }
    }

    fn unusable<T>(&self, name: &str, why: &dyn std::fmt::Display) -> Option<T> {
        self.sight.notice(format!("{} cannot be read: {why}", self.name_of(name)));
        None
    }

    fn path(&self) -> PathBuf {
        self.sight.root.join(self.dir)
    }
}

/// True if a file has this extension, in this case.
pub(super) fn is_of(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|found| found == extension)
}

/// True if a folder is another one or below it; both are relative to the root.
pub(super) fn is_within(inner: &str, outer: &str) -> bool {
    match inner.strip_prefix(outer) {
        Some(rest) => outer.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

fn depth(dir: &str) -> usize {
    if dir.is_empty() { 0 } else { dir.split('/').count() }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

fn shown(dir: &str) -> &str {
    if dir.is_empty() { "the project's root" } else { dir }
}
