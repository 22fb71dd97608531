//! The bytes of files that git converts.
//!
//! With line-end rules, `ident`, encodings and filters what git stores for a
//! file is not what lies in the work tree, and checking it out again need not
//! give the same bytes back. So the bytes of just those files are stored
//! beside, in a tree of their own, and a rollback runs no filter at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::TreeError;
use crate::escape::{escape, unescape};
use crate::git::{Git, fields};
use crate::git_objects::{Listing, TreeEntry, on_disk, quote_line};
use crate::manifest::{parse_stat, render_stat};
use crate::probe;
use crate::snapshot::ItemKind;
use crate::stat::Stat;

/// The attributes that make git convert a file, as they are asked for.
const ATTRIBUTES: [&str; 6] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

/// The settings that matter here.
const SETTINGS: &str = r"^(core\.(autocrlf|attributesfile|filemode|symlinks|sharedrepository)|extensions\.objectformat)$";

/// What git is configured to do to files wherever they are.
#[derive(Debug, Default)]
pub(crate) struct Conversions(OnceLock<Configured>);

#[derive(Clone, Copy, Debug)]
struct Configured {
    converts_line_ends: bool,
    has_attributes: bool,
    /// Objects or modes are not as git has them by itself.
    is_unusual: bool,
}

impl Conversions {
    /// Whether files can be converted although the tree has no attributes.
    pub(crate) fn are_configured(&self, git: &Git) -> Result<bool, TreeError> {
        let configured = self.configured(git)?;
        let own = git.dirs().common.join("info/attributes").exists();
        Ok(configured.converts_line_ends || configured.has_attributes || own)
    }

    /// Whether objects or the modes of files are not as git has them by itself.
    pub(crate) fn are_unusual(&self, git: &Git) -> Result<bool, TreeError> {
        Ok(self.configured(git)?.is_unusual)
    }

    fn configured(&self, git: &Git) -> Result<Configured, TreeError> {
        if let Some(configured) = self.0.get() {
            return Ok(*configured);
        }
        let args = ["--null", "--get-regexp", SETTINGS];
        // It ends with 1 when nothing matches.
        let listed = git.command("config").args(args).feed(&[])?.stdout;
        let (mut converts_line_ends, mut named) = (false, None);
        let (mut modes, mut links, mut shared, mut format) = (true, true, false, true);
        for (key, value) in fields(&listed).filter_map(|field| {
            let end = field.iter().position(|byte| *byte == b'\n')?;
            Some((&field[..end], &field[end + 1..]))
        }) {
            match key {
                b"core.autocrlf" => converts_line_ends = value != b"false",
                b"core.filemode" => modes = value == b"true",
                b"core.symlinks" => links = value == b"true",
                b"core.sharedrepository" => shared = value != b"false",
                b"extensions.objectformat" => format = value == b"sha1",
                _ => named = Some(crate::path_bytes::from_bytes(value)),
            }
        }
        let usual = || {
            let home = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
            let home = home.or_else(|| Some(std::env::home_dir()?.join(".config")));
            home.map(|home| home.join("git/attributes"))
        };
        // A name that begins with `~` is taken to be there.
        let is_there = |path: &Path| path.starts_with("~") || path.is_file();
        let has_attributes = named.or_else(usual).is_some_and(|path| is_there(&path))
            || Path::new("/etc/gitattributes").exists();
        let is_unusual = !modes || !links || shared || !format;
        let configured = Configured { converts_line_ends, has_attributes, is_unusual };
        Ok(*self.0.get_or_init(|| configured))
    }

    /// The files whose bytes differ from what git stores for them, with the
    /// names of blobs that hold those bytes. `cache` is a file of ours.
    pub(crate) fn raw_blobs(
        &self,
        git: &Git,
        listing: &Listing,
        cache: &Path,
    ) -> Result<BTreeMap<Vec<u8>, String>, TreeError> {
        let known = fs::read_to_string(cache).map(|text| parse_cache(&text)).unwrap_or_default();
        let mut next = Cache::new();
        let (mut unknown, mut raw) = (Vec::new(), BTreeMap::new());
        for path in self.suspects(git, listing)? {
            let stat = fs::symlink_metadata(on_disk(git, &path)).map(|found| Stat::of(&found));
            let Ok(stat) = stat else { continue };
            match known.get(&path).filter(|(known, _)| *known == stat) {
                Some((_, id)) => {
                    next.insert(path.clone(), (stat, id.clone()));
                    raw.insert(path, id.clone());
                }
                None => unknown.push((path, stat)),
            }
        }
        let now = probe::now_in(git.dirs().common.join("objects").as_path());
        let now = now.map_err(TreeError::io("write in", &git.dirs().common))?;
        let paths: Vec<_> = unknown.iter().map(|(path, _)| path).collect();
        for ((path, stat), id) in unknown.iter().zip(hash(git, &paths)?) {
            if stat.is_settled(now) {
                next.insert(path.clone(), (*stat, id.clone()));
            }
            raw.insert(path.clone(), id);
        }
        probe::write_atomically(cache, render_cache(&next).as_bytes())
            .map_err(TreeError::io("write", cache))?;
        raw.retain(|path, id| listing.get(path).is_none_or(|entry| entry.item.content != *id));
        Ok(raw)
    }

    /// The files that must be read to know whether git converts them.
    fn suspects(&self, git: &Git, listing: &Listing) -> Result<Vec<Vec<u8>>, TreeError> {
        let configured = self.configured(git)?;
        let files = listing.iter().filter(|(_, entry)| match entry.item.kind {
            ItemKind::File | ItemKind::Executable => true,
            ItemKind::Link | ItemKind::Opaque => false,
        });
        let paths: Vec<_> = files.map(|(path, _)| path.clone()).collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["--stdin", "-z"];
        let command = git.command("check-attr").args(args).args(ATTRIBUTES);
        let answers = command.feed(&paths)?.success()?;
        let answers: Vec<_> = answers.split(|byte| *byte == 0).collect();
        let mut suspects = Vec::new();
        // Each answer has a path, an attribute and its value.
        for (path, answers) in paths.into_iter().zip(answers.chunks_exact(3 * ATTRIBUTES.len())) {
            let values: Vec<_> = answers.chunks_exact(3).map(|answer| answer[2]).collect();
            let doubt = configured.doubt(&values);
            let entry = listing.get(&path);
            if doubt == Doubt::Any || doubt == Doubt::Size && size_differs(git, &path, entry) {
                suspects.push(path);
            }
        }
        Ok(suspects)
    }
}

/// What tells that a file is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    None,
    /// Storing the file only ever removes bytes.
    Size,
    /// Anything may happen.
    Any,
}

impl Configured {
    /// What the values of [`ATTRIBUTES`] tell of a file.
    fn doubt(self, values: &[&[u8]]) -> Doubt {
        let [text, crlf, eol, ident, filter, encoding] = values else { return Doubt::Any };
        let is_named = |value: &[u8]| value != b"unspecified" && value != b"unset";
        if is_named(filter) || is_named(encoding) {
            return Doubt::Any;
        }
        let is_text = is_named(text) || is_named(crlf) || is_named(eol);
        let is_open = *text == b"unspecified" && *crlf == b"unspecified";
        let by_default = self.converts_line_ends && is_open;
        if is_text || by_default || is_named(ident) { Doubt::Size } else { Doubt::None }
    }
}

fn size_differs(git: &Git, path: &[u8], entry: Option<&TreeEntry>) -> bool {
    let size = fs::symlink_metadata(on_disk(git, path)).ok().map(|found| found.len());
    size != entry.and_then(|entry| entry.size)
}

/// Stores the bytes of these files, and names them in the same order.
fn hash(git: &Git, paths: &[&Vec<u8>]) -> Result<Vec<String>, TreeError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let input: Vec<_> = paths.iter().flat_map(|path| quote_line(path)).collect();
    let command = git.command("hash-object").args(["-w", "--no-filters", "--stdin-paths"]);
    let ids = command.feed_bytes(&input)?.success()?;
    Ok(String::from_utf8_lossy(&ids).lines().map(str::to_owned).collect())
}

type Cache = BTreeMap<Vec<u8>, (Stat, String)>;

fn render_cache(cache: &Cache) -> String {
    let mut text = String::new();
    for (path, (stat, id)) in cache {
        render_stat(stat, &mut text);
        text.push(' ');
        text.push_str(id);
        text.push(' ');
        escape(path, &mut text);
        text.push('\n');
    }
    text
}

/// Reads the lines it understands; the others cost a second look.
fn parse_cache(text: &str) -> Cache {
    let parse = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (stat, id) = (parse_stat(words.next()?)?, words.next()?.to_owned());
        Some((unescape(words.next()?)?, (stat, id)))
    };
    text.lines().filter_map(parse).collect()
}
