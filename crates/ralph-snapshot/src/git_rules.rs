//! A private copy of git's settings, attributes and excludes for a work tree.
//!
//! Git reads them from folders that the agent can write. So git runs with a git
//! folder of ours, with a copy of the few settings that define a file's
//! contents and none that names a program. A run makes the copy once; later
//! changes have no effect.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::TreeError;
use crate::git::{Git, fields};
use crate::{ignored_at_start, path_bytes, probe};

/// Settings that are copied. None of them can start a program.
const COPIED: [&str; 20] = [
    "core.repositoryformatversion",
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.sharedrepository",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.longpaths",
    "core.trustctime",
    "core.checkstat",
    "core.bigfilethreshold",
    "core.checkroundtripencoding",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
    "extensions.objectformat",
    "extensions.partialclone",
];

const EXCLUDES: &str = "excludes";
const ATTRIBUTES: &str = "attributes";

/// Names of the copies of the repository's and the user's files.
const EXCLUDE: &str = "info/exclude";
const OWN_ATTRIBUTES: &str = "info/attributes";
const SPARSE: &str = "info/sparse-checkout";

/// The settings as they were copied; git's own file is made from them.
const SETTINGS: &str = "settings";

/// All ignore rules, in a copy that is kept.
const IGNORED: &str = "ignored";

/// All files that the copy may have.
const NAMES: [&str; 9] =
    ["HEAD", "config", SETTINGS, EXCLUDES, ATTRIBUTES, EXCLUDE, OWN_ATTRIBUTES, SPARSE, IGNORED];

/// The copy, in memory and in a folder for git.
#[derive(Debug)]
pub(crate) struct GitRules {
    folder: PathBuf,
    /// True if an existing copy in the folder is used.
    is_kept: bool,
    copy: OnceLock<GitRulesCopy>,
}

/// The files of a copy by their names. An empty file is left out.
type RuleFileContents = BTreeMap<&'static str, Vec<u8>>;

type GitSettings = Vec<(String, Vec<u8>)>;

#[derive(Debug)]
struct GitRulesCopy {
    files: RuleFileContents,
    settings: GitSettings,
}

impl GitRules {
    /// Copies the rules at their first use.
    pub(crate) fn present(folder: PathBuf) -> Self {
        Self { folder, is_kept: false, copy: OnceLock::new() }
    }

    /// Copies the rules when this folder is first used, and then keeps them.
    pub(crate) fn kept(folder: PathBuf) -> Self {
        Self { folder, is_kept: true, copy: OnceLock::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the argument of `ls-files` that selects ignored files.
    pub(crate) fn excluding(&self) -> OsString {
        if !self.is_kept {
            return "--exclude-standard".into();
        }
        let mut argument = OsString::from("--exclude-from=");
        argument.push(self.folder.join(IGNORED));
        argument
    }

    /// True if later rules in the work tree have no effect.
    pub(crate) fn are_kept(&self) -> bool {
        self.is_kept
    }

    /// Returns true if there is a sparse checkout, whose outside files git
    /// leaves to us.
    pub(crate) fn is_sparse(&self, git: &Git) -> Result<bool, TreeError> {
        Ok(self.copy(git)?.files.contains_key(SPARSE))
    }

    /// Returns true if there are attributes beside those of the work tree.
    pub(crate) fn has_attributes(&self, git: &Git) -> Result<bool, TreeError> {
        let files = &self.copy(git)?.files;
        Ok([ATTRIBUTES, OWN_ATTRIBUTES].iter().any(|name| files.contains_key(name))
            || Path::new("/etc/gitattributes").exists())
    }

    /// Returns the value of a setting that is copied.
    pub(crate) fn setting(&self, git: &Git, key: &str) -> Result<Option<&[u8]>, TreeError> {
        let mut settings = self.copy(git)?.settings.iter().rev();
        Ok(settings.find(|(known, _)| known == key).map(|(_, value)| &**value))
    }

    /// Returns the ignore lists beside the work tree's: the user's and then the
    /// repository's, which takes precedence.
    pub(crate) fn excludes(&self, git: &Git) -> Result<Vec<&[u8]>, TreeError> {
        Ok(outside(&self.copy(git)?.files).collect())
    }

    /// Returns a digest of the rules beside the work tree's.
    pub(crate) fn stamp(&self, git: &Git) -> Result<String, TreeError> {
        let mut hasher = blake3::Hasher::new();
        for (name, contents) in &self.copy(git)?.files {
            hasher.update(name.as_bytes()).update(&[0]);
            hasher.update(&contents.len().to_le_bytes()).update(contents);
        }
        Ok(hasher.finalize().to_hex()[..32].to_owned())
    }

    /// Restores the folder's contents, in case something else wrote there.
    pub(crate) fn lay_out(&self, git: &Git) -> Result<(), TreeError> {
        let files = &self.copy(git)?.files;
        for folder in ["info", "refs", "objects"] {
            crate::work_tree::create_private(&self.folder.join(folder))?;
        }
        for name in NAMES {
            let path = self.folder.join(name);
            let found = ralph_files::read_own(&path).ok();
            match files.get(name) {
                wanted if wanted == found.as_ref() => {}
                Some(contents) => probe::write_atomically(&path, contents)
                    .map_err(TreeError::io("write", &path))?,
                None => fs::remove_file(&path).map_err(TreeError::io("remove", &path))?,
            }
        }
        Ok(())
    }

    /// Returns the options that set the user's exclude and attribute files for
    /// every command.
    pub(crate) fn arguments(&self) -> [OsString; 2] {
        let named = |key: &str, file: &str| {
            let mut setting = OsString::from(key);
            setting.push(self.folder.join(file));
            setting
        };
        [named("core.excludesFile=", EXCLUDES), named("core.attributesFile=", ATTRIBUTES)]
    }

    fn copy(&self, git: &Git) -> Result<&GitRulesCopy, TreeError> {
        if let Some(copy) = self.copy.get() {
            return Ok(copy);
        }
        let mut files = match self.read().filter(|_| self.is_kept) {
            Some(files) => files,
            None => gather(git)?,
        };
        if self.is_kept && !files.contains_key(IGNORED) {
            let rules = ignored_at_start::gather(git.root(), outside(&files));
            files.insert(IGNORED, rules);
        }
        files.retain(|_, contents| !contents.is_empty());
        // Only settings on the list count, also if the folder was edited.
        let settings = parse(files.get(SETTINGS).map_or(b"", Vec::as_slice));
        files.insert("HEAD", b"ref: refs/heads/none\n".to_vec());
        files.insert("config", render(&settings));
        Ok(self.copy.get_or_init(|| GitRulesCopy { files, settings }))
    }

    /// Returns the files of the folder, if it was used before.
    fn read(&self) -> Option<RuleFileContents> {
        let read = |name| Some((name, ralph_files::read_own(self.folder.join(name)).ok()?));
        self.folder.join("config").exists().then(|| NAMES.into_iter().filter_map(read).collect())
    }
}

/// Returns the ignore lists outside the work tree, in git's order.
fn outside(files: &RuleFileContents) -> impl Iterator<Item = &[u8]> {
    [EXCLUDES, EXCLUDE].into_iter().filter_map(|name| files.get(name)).map(Vec::as_slice)
}

/// Copies the present rules of the repository and the user.
fn gather(git: &Git) -> Result<RuleFileContents, TreeError> {
    let listed = git.users("config").args(["--list", "-z"]).feed(&[])?.stdout;
    let (mut excludes, mut attributes) = (None, None);
    for (key, value) in fields(&listed).filter_map(setting) {
        match &*key {
            "core.excludesfile" => excludes = Some(value.to_vec()),
            "core.attributesfile" => attributes = Some(value.to_vec()),
            _ => {}
        }
    }
    // Other settings may hold secrets.
    let settings =
        fields(&listed).filter(|one| setting(one).is_some_and(|(key, _)| is_copied(&key)));
    let settings = settings.flat_map(|one| [one, b"\0"].concat()).collect();
    let mut files = RuleFileContents::from([(SETTINGS, settings)]);
    let (dir, common) = (&git.dirs().dir, &git.dirs().common);
    for (name, path) in [
        (EXCLUDES, users_file(excludes, "ignore")),
        (ATTRIBUTES, users_file(attributes, "attributes")),
        (EXCLUDE, Some(common.join(EXCLUDE))),
        (OWN_ATTRIBUTES, Some(common.join(OWN_ATTRIBUTES))),
        (SPARSE, Some(dir.join(SPARSE))),
    ] {
        files.extend(path.and_then(|path| ralph_files::read(path).ok()).map(|text| (name, text)));
    }
    Ok(files)
}

/// Splits a setting of `git config -z` into key and value.
fn setting(field: &[u8]) -> Option<(String, &[u8])> {
    let end = field.iter().position(|byte| *byte == b'\n');
    // A key without a value means true.
    let value = end.map_or(&b"true"[..], |end| &field[end + 1..]);
    let key = std::str::from_utf8(&field[..end.unwrap_or(field.len())]).ok()?;
    Some((key.to_owned(), value))
}

/// Parses the settings that are copied.
fn parse(listed: &[u8]) -> GitSettings {
    let settings = fields(listed).filter_map(setting).filter(|(key, _)| is_copied(key));
    settings.map(|(key, value)| (key, value.to_vec())).collect()
}

/// Of keys with three parts, only those of partial clones are copied.
fn is_copied(key: &str) -> bool {
    let is_promise = key.starts_with("remote.")
        && (key.ends_with(".promisor") || key.ends_with(".partialclonefilter"));
    COPIED.contains(&key) || is_promise
}

/// Returns the file that a setting names, or else git's default.
fn users_file(named: Option<Vec<u8>>, usual: &str) -> Option<PathBuf> {
    let Some(named) = named else {
        let home = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let home = home.filter(|home| !home.as_os_str().is_empty());
        let home = home.or_else(|| Some(std::env::home_dir()?.join(".config")))?;
        return Some(home.join("git").join(usual));
    };
    match named.strip_prefix(b"~/") {
        Some(below) => Some(std::env::home_dir()?.join(path_bytes::from_bytes(below))),
        None => Some(path_bytes::from_bytes(&named)),
    }
}

/// Renders settings in git's file format.
fn render(settings: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut text = Vec::new();
    for (key, value) in settings {
        let (section, rest) = key.split_once('.').unwrap_or((key, ""));
        let head = match rest.rsplit_once('.') {
            Some((name, _)) => {
                format!("[{section} \"{}\"]", name.replace('\\', "\\\\").replace('"', "\\\""))
            }
            None => format!("[{section}]"),
        };
        let name = rest.rsplit_once('.').map_or(rest, |(_, name)| name);
        text.extend(format!("{head}\n\t{name} = \"").bytes());
        for byte in value {
            match byte {
                b'\\' | b'"' => text.extend([b'\\', *byte]),
                b'\n' => text.extend(b"\\n"),
                _ => text.push(*byte),
            }
        }
        text.extend(b"\"\n");
    }
    text
}

#[cfg(test)]
#[path = "git_rules_tests.rs"]
mod tests;
