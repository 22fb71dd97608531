//! The bytes of files that git converts.
//!
//! With line-end rules, `ident`, encodings and filters, git does not store the
//! bytes of the work tree, and a checkout need not give them back. So the bytes
//! of just those files are stored in a tree of their own. Filters never run,
//! neither here nor in a rollback: a file that has one is stored as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::TreeError;
use crate::escape::{escape, unescape};
use crate::git::Git;
use crate::git_objects::{TreeEntry, TreeEntryMap, on_disk, quote_line};
use crate::manifest::{parse_stat, render_stat};
use crate::probe;
use crate::snapshot::ItemKind;
use crate::stat::FileStat;

/// The attributes that make git convert a file.
const ATTRIBUTES: [&str; 6] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

/// Returns true if settings convert files although the tree has no attributes.
pub(crate) fn are_configured(git: &Git) -> Result<bool, TreeError> {
    Ok(LineEnds::of(git)? == LineEnds::Converted || git.rules().has_attributes(git)?)
}

/// Returns true if object ids or file modes differ from git's defaults.
pub(crate) fn are_unusual(git: &Git) -> Result<bool, TreeError> {
    let is = |key, usual: &[u8]| {
        git.rules().setting(git, key).map(|value| value.is_none_or(|value| value == usual))
    };
    Ok(!is("core.filemode", b"true")?
        || !is("core.symlinks", b"true")?
        || !is("core.sharedrepository", b"false")?
        || !is("extensions.objectformat", b"sha1")?)
}

/// The conversion of line ends where no attribute sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    Kept,
    Converted,
}

impl LineEnds {
    fn of(git: &Git) -> Result<Self, TreeError> {
        let value = git.rules().setting(git, "core.autocrlf")?;
        let is_kept = value.is_none_or(|value| value == b"false");
        Ok(if is_kept { Self::Kept } else { Self::Converted })
    }
}

/// Returns the files whose bytes differ from their stored contents, with the
/// ids of blobs of those bytes. `cache` is a file of ours.
pub(crate) fn raw_blobs(
    git: &Git,
    listing: &TreeEntryMap,
    cache: &Path,
) -> Result<BTreeMap<Vec<u8>, String>, TreeError> {
    let known =
        ralph_files::read_own_text(cache).map(|text| parse_cache(&text)).unwrap_or_default();
    let mut next = RawFileCache::new();
    let (mut unknown, mut raw) = (Vec::new(), BTreeMap::new());
    for path in suspects(git, listing)? {
        let stat = fs::symlink_metadata(on_disk(git, &path)).map(|found| FileStat::of(&found));
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

/// Returns the files that must be read to find out if git converts them.
fn suspects(git: &Git, listing: &TreeEntryMap) -> Result<Vec<Vec<u8>>, TreeError> {
    let line_ends = LineEnds::of(git)?;
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
        let doubt = ConversionSign::of(line_ends, &values);
        let entry = listing.get(&path);
        if doubt == ConversionSign::Any
            || doubt == ConversionSign::Size && size_differs(git, &path, entry)
        {
            suspects.push(path);
        }
    }
    Ok(suspects)
}

/// The sign by which a converted file is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConversionSign {
    None,
    /// Another size: storing the file only ever removes bytes.
    Size,
    /// None; any file may be converted.
    Any,
}

impl ConversionSign {
    /// Returns the sign for a file with these values of [`ATTRIBUTES`].
    fn of(line_ends: LineEnds, values: &[&[u8]]) -> Self {
        let [text, crlf, eol, ident, filter, encoding] = values else { return Self::Any };
        let is_named = |value: &[u8]| value != b"unspecified" && value != b"unset";
        if is_named(filter) || is_named(encoding) {
            return Self::Any;
        }
        let is_text = is_named(text) || is_named(crlf) || is_named(eol);
        let is_open = *text == b"unspecified" && *crlf == b"unspecified";
        let by_default = line_ends == LineEnds::Converted && is_open;
        if is_text || by_default || is_named(ident) { Self::Size } else { Self::None }
    }
}

fn size_differs(git: &Git, path: &[u8], entry: Option<&TreeEntry>) -> bool {
    let size = fs::symlink_metadata(on_disk(git, path)).ok().map(|found| found.len());
    size != entry.and_then(|entry| entry.size)
}

/// Stores the bytes of these files, and returns their ids in the same order.
fn hash(git: &Git, paths: &[&Vec<u8>]) -> Result<Vec<String>, TreeError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let input: Vec<_> = paths.iter().flat_map(|path| quote_line(path)).collect();
    let command = git.command("hash-object").args(["-w", "--no-filters", "--stdin-paths"]);
    let ids = command.feed_bytes(&input)?.success()?;
    Ok(String::from_utf8_lossy(&ids).lines().map(str::to_owned).collect())
}

type RawFileCache = BTreeMap<Vec<u8>, (FileStat, String)>;

fn render_cache(cache: &RawFileCache) -> String {
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

/// Parses the lines that are valid; the files of others are read again.
fn parse_cache(text: &str) -> RawFileCache {
    let parse = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (stat, id) = (parse_stat(words.next()?)?, words.next()?.to_owned());
        Some((unescape(words.next()?)?, (stat, id)))
    };
    text.lines().filter_map(parse).collect()
}
