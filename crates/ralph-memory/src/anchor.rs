//! Places in the code that notes point at: how they are remembered, and what
//! became of them.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use ralph_core::memory::label::AnchorState;
use ralph_graph::anchor::FileAnchors;
use ralph_graph::read::SourceReader;

use crate::event::NoteAnchor;

/// Hexadecimal digits of a fingerprint.
const DIGITS: usize = 32;

/// Files are kept for the next question up to so many bytes together.
const MOST_KEPT: usize = 32 * 1024 * 1024;

/// What the contents of a file are remembered by.
pub fn fingerprint(contents: &[u8]) -> String {
    let hash = blake3::hash(contents).to_hex();
    hash.as_str().get(..DIGITS).unwrap_or_default().to_owned()
}

/// Points at a file below a root, and at a symbol in it, as they are now.
///
/// What is not there cannot be pointed at: a symbol has to be defined in the
/// file if its language is known, and else to be a word of it.
pub fn drop_at(root: &Path, file: &str, symbol: Option<&str>) -> io::Result<NoteAnchor> {
    let contents = ralph_files::read(inside(root, file).ok_or(io::ErrorKind::NotFound)?)?;
    let mut body = None;
    if let Some(symbol) = symbol {
        let code = FileAnchors::read(Path::new(file), contents.as_slice());
        body = code.as_ref().and_then(|code| code.hash(bare(symbol))).map(|hash| hash.to_string());
        let is_sure = code.is_some_and(|code| code.is_whole());
        if body.is_none() && (is_sure || !mentions(&contents, symbol)) {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    Ok(NoteAnchor {
        file: file.to_owned(),
        hash: Some(fingerprint(&contents)),
        symbol: symbol.map(str::to_owned),
        body,
    })
}

/// Looks at places below a root. A file is read, and parsed, once.
#[derive(Debug)]
pub struct AnchorResolver<'a> {
    root: &'a Path,
    reader: SourceReader,
    files: HashMap<String, Option<AnchoredFile>>,
    kept: usize,
    /// How many bytes may still be parsed.
    effort: usize,
}

/// A file as it is.
#[derive(Debug)]
struct AnchoredFile {
    contents: Rc<[u8]>,
    hash: String,
    code: FileDefinitions,
}

/// What is known of the definitions of a file.
#[derive(Debug)]
enum FileDefinitions {
    /// Nobody asked.
    Unread,
    /// They cannot be told.
    Unknown,
    Known(Box<FileAnchors<Rc<[u8]>>>),
}

impl<'a> AnchorResolver<'a> {
    /// For as many places as there are.
    pub fn new(root: &'a Path) -> Self {
        Self::hurried(root, usize::MAX)
    }

    /// Where there is little time: when so many bytes were parsed, a file that
    /// has changed has changed wherever one looks.
    pub fn hurried(root: &'a Path, bytes: usize) -> Self {
        Self { root, reader: SourceReader::new(), files: HashMap::new(), kept: 0, effort: bytes }
    }

    /// What became of a place.
    ///
    /// A symbol is the same while its definition is, whatever else was written
    /// in its file.
    pub fn look(&mut self, anchor: &NoteAnchor) -> AnchorState {
        let Self { root, reader, files, kept, effort } = self;
        if *kept > MOST_KEPT {
            files.clear();
            *kept = 0;
        }
        let seen = files.entry(anchor.file.clone()).or_insert_with(|| {
            let seen = AnchoredFile::read(root, &anchor.file);
            *kept += seen.as_ref().map_or(0, |seen| seen.contents.len());
            seen
        });
        let Some(seen) = seen else { return AnchorState::Gone };
        if anchor.hash.as_ref() == Some(&seen.hash) {
            return AnchorState::Same;
        }
        let Some(symbol) = &anchor.symbol else {
            return if anchor.hash.is_some() { AnchorState::Changed } else { AnchorState::Same };
        };
        match (&anchor.body, &anchor.hash) {
            (Some(body), _) => seen.symbol(&anchor.file, (symbol, body), reader, effort),
            (None, _) if !mentions(&seen.contents, symbol) => AnchorState::Gone,
            (None, Some(_)) => AnchorState::Changed,
            (None, None) => AnchorState::Same,
        }
    }
}

impl AnchoredFile {
    fn read(root: &Path, file: &str) -> Option<Self> {
        let contents: Rc<[u8]> = ralph_files::read(inside(root, file)?).ok()?.into();
        Some(Self { hash: fingerprint(&contents), contents, code: FileDefinitions::Unread })
    }

    /// What became of a symbol whose file has changed.
    fn symbol(
        &mut self,
        file: &str,
        (symbol, body): (&str, &str),
        reader: &mut SourceReader,
        effort: &mut usize,
    ) -> AnchorState {
        if matches!(self.code, FileDefinitions::Unread) && self.contents.len() <= *effort {
            *effort -= self.contents.len();
            let code = FileAnchors::read_with(reader, Path::new(file), Rc::clone(&self.contents));
            self.code = code
                .map_or(FileDefinitions::Unknown, |code| FileDefinitions::Known(Box::new(code)));
        }
        let code = match &self.code {
            FileDefinitions::Known(code) => code,
            FileDefinitions::Unknown if !mentions(&self.contents, symbol) => {
                return AnchorState::Gone;
            }
            FileDefinitions::Unknown | FileDefinitions::Unread => return AnchorState::Changed,
        };
        match code.hash(bare(symbol)) {
            Some(hash) if hash.to_string() == body => AnchorState::Same,
            Some(_) => AnchorState::Changed,
            None if code.is_whole() => AnchorState::Gone,
            // What is not found may be where the file cannot be read, and its
            // very name may be what is broken.
            None => AnchorState::Unclear,
        }
    }
}

/// The file, unless its path leads out of the root.
fn inside(root: &Path, file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
    stays.then(|| root.join(path))
}

/// A symbol without the brackets that people write behind functions.
fn bare(symbol: &str) -> &str {
    symbol.strip_suffix("()").unwrap_or(symbol)
}

/// Whether a text has the last part of a symbol's name as a word.
fn mentions(contents: &[u8], symbol: &str) -> bool {
    let symbol = bare(symbol);
    let name = symbol.rsplit(['.', ':', '#', '\\', '/']).next().unwrap_or(symbol);
    if name.is_empty() {
        return false;
    }
    let text = String::from_utf8_lossy(contents);
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !is_word(before) && !is_word(after)
    })
}

#[cfg(test)]
#[path = "anchor_tests.rs"]
mod tests;
