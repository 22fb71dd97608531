//! Reads one file: its bytes, their key, and its facts.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use ralph_store::NewFacts;

use crate::encode;
use crate::family::LanguageFamily;
use crate::folder::{FileStamp, IndexedFileState};
use crate::known;
use crate::language::SourceLanguage;
use crate::manifest::{ManifestKind, ProjectManifest};
use crate::project::name_of;
use crate::read::SourceReader;
use crate::{skip, walk};

/// Number of attempts to read a file that changes meanwhile.
const TRIES: usize = 3;

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct LoadedFile {
    stamp: Option<FileStamp>,
    /// The bytes, or the reason why there are none.
    bytes: Result<Vec<u8>, IndexedFileState>,
}

/// The facts of a file.
#[derive(Debug)]
pub(crate) struct FileContent {
    /// `None` if the file must be read again in any case.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) parsed: ParseOutcome,
}

/// The result of reading a file's bytes.
#[derive(Debug)]
pub(crate) enum ParseOutcome {
    /// No facts are kept.
    Not(IndexedFileState),
    /// Its facts are already stored under this key.
    Known { key: i64 },
    /// Its facts are new.
    New(NewFacts),
}

/// State that a thread needs to read files.
#[derive(Default)]
pub(crate) struct FileLoader {
    reader: SourceReader,
}

/// Returns true if a file with this path may be code or a manifest. Without a
/// file extension, only the contents can tell.
pub(crate) fn may_be_code(path: &str) -> bool {
    let is_script = || !name_of(path).contains('.');
    is_script()
        || ManifestKind::of(path).is_some()
        || SourceLanguage::of(Path::new(path), &[]).is_some()
}

/// Reads the bytes of a file, all from the same moment.
pub(crate) fn load(path: &Path, now: i64) -> LoadedFile {
    let mut last = None;
    for _ in 0..TRIES {
        match load_once(path) {
            Ok((before, after, bytes)) if before == after => {
                return LoadedFile { stamp: before.if_settled(now), bytes };
            }
            Ok(_) => last = Some("it changes while it is read".to_owned()),
            Err(error) => {
                last = Some(error.kind().to_string());
                break;
            }
        }
    }
    let why = last.unwrap_or_default();
    LoadedFile { stamp: None, bytes: Err(IndexedFileState::Unreadable { why }) }
}

type ReadAttempt = (FileStamp, FileStamp, Result<Vec<u8>, IndexedFileState>);

fn load_once(path: &Path) -> io::Result<ReadAttempt> {
    let mut file = open(path)?;
    let facts = file.metadata()?;
    let before = walk::stamp(&facts);
    if !facts.is_file() {
        return Ok((before, before, Err(IndexedFileState::Other)));
    }
    if let Some(skip) = skip::by_size(facts.len()) {
        return Ok((before, before, Err(IndexedFileState::Skipped { why: skip.to_string() })));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or(0) + 1);
    // Reads one byte more than its size, so a growing file is noticed but not
    // followed.
    file.by_ref().take(facts.len() + 1).read_to_end(&mut bytes)?;
    let after = walk::stamp(&file.metadata()?);
    Ok((before, after, Ok(bytes)))
}

/// Opens a file, but follows no link and does not wait for a pipe's other end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Reads the facts in the bytes, unless they are already stored.
pub(crate) fn parse(
    workshop: &mut FileLoader,
    path: &str,
    loaded: LoadedFile,
    is_known: &dyn Fn(i64) -> bool,
) -> FileContent {
    let stamp = loaded.stamp;
    let parsed = match loaded.bytes {
        Ok(bytes) => parse_bytes(workshop, path, &bytes, is_known),
        Err(state) => ParseOutcome::Not(state),
    };
    FileContent { stamp, parsed }
}

fn parse_bytes(
    workshop: &mut FileLoader,
    path: &str,
    bytes: &[u8],
    is_known: &dyn Fn(i64) -> bool,
) -> ParseOutcome {
    if let Some(kind) = ManifestKind::of(path) {
        let key = key(u8::MAX - kind as u8, bytes);
        if is_known(key) {
            return ParseOutcome::Known { key };
        }
        let outline = known::of_manifest(&ProjectManifest::read(kind, bytes));
        return ParseOutcome::New(NewFacts { key, outline, facts: Vec::new() });
    }
    let path = Path::new(path);
    let Some(language) = SourceLanguage::of(path, bytes) else {
        return ParseOutcome::Not(IndexedFileState::Other);
    };
    if let Some(skip) = skip::reason(path, bytes) {
        return ParseOutcome::Not(IndexedFileState::Skipped { why: skip.to_string() });
    }
    let key = key(language as u8, bytes);
    if is_known(key) {
        return ParseOutcome::Known { key };
    }
    match workshop.reader.read(language, bytes) {
        Ok(facts) => {
            let outline = known::of_code(family(language), &facts);
            ParseOutcome::New(NewFacts { key, outline, facts: encode::facts(&facts) })
        }
        Err(unread) => ParseOutcome::Not(IndexedFileState::Skipped { why: unread.to_string() }),
    }
}

/// Returns the key of a file's contents: equal for equal bytes of one language.
fn key(language: u8, bytes: &[u8]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[language]);
    hasher.update(bytes);
    let mut key = [0; 8];
    hasher.finalize_xof().fill(&mut key);
    i64::from_le_bytes(key)
}

/// Returns the family of a language.
pub(crate) fn family(language: SourceLanguage) -> LanguageFamily {
    match language {
        #[cfg(feature = "lang-python")]
        SourceLanguage::Python => LanguageFamily::Python,
        #[cfg(feature = "lang-rust")]
        SourceLanguage::Rust => LanguageFamily::Rust,
        #[cfg(feature = "lang-typescript")]
        SourceLanguage::TypeScript | SourceLanguage::Tsx => LanguageFamily::Script,
        #[cfg(feature = "lang-javascript")]
        SourceLanguage::JavaScript => LanguageFamily::Script,
        #[cfg(feature = "lang-go")]
        SourceLanguage::Go => LanguageFamily::Go,
        #[cfg(feature = "lang-java")]
        SourceLanguage::Java => LanguageFamily::Java,
        #[cfg(feature = "lang-c")]
        SourceLanguage::C => LanguageFamily::C,
        #[cfg(feature = "lang-cpp")]
        SourceLanguage::Cpp => LanguageFamily::C,
        #[cfg(feature = "lang-ruby")]
        SourceLanguage::Ruby => LanguageFamily::Ruby,
        #[cfg(feature = "lang-php")]
        SourceLanguage::Php => LanguageFamily::Php,
        #[cfg(feature = "lang-csharp")]
        SourceLanguage::CSharp => LanguageFamily::CSharp,
        #[cfg(feature = "lang-bash")]
        SourceLanguage::Bash => LanguageFamily::Shell,
    }
}
