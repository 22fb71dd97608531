//! Reads one file: its bytes, their key, and its facts.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use ralph_store::NewFacts;

use crate::encode;
use crate::family::Family;
use crate::folder::{Stamp, State};
use crate::known;
use crate::language::Language;
use crate::manifest::{Manifest, ManifestKind};
use crate::project::name_of;
use crate::read::Reader;
use crate::{skip, walk};

/// Number of attempts to read a file that changes meanwhile.
const TRIES: usize = 3;

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct Loaded {
    stamp: Option<Stamp>,
    /// The bytes, or the reason why there are none.
    bytes: Result<Vec<u8>, State>,
}

/// The facts of a file.
#[derive(Debug)]
pub(crate) struct Content {
    /// `None` if the file must be read again in any case.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) parsed: Parsed,
}

/// The result of reading a file's bytes.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// No facts are kept.
    Not(State),
    /// Its facts are already stored under this key.
    Known { key: i64 },
    /// Its facts are new.
    New(NewFacts),
}

/// State that a thread needs to read files.
#[derive(Default)]
pub(crate) struct Workshop {
    reader: Reader,
}

/// Returns true if a file with this path may be code or a manifest. Without a
/// file extension, only the contents can tell.
pub(crate) fn may_be_code(path: &str) -> bool {
    let is_script = || !name_of(path).contains('.');
    is_script() || ManifestKind::of(path).is_some() || Language::of(Path::new(path), &[]).is_some()
}

/// Reads the bytes of a file, all from the same moment.
pub(crate) fn load(path: &Path, now: i64) -> Loaded {
    let mut last = None;
    for _ in 0..TRIES {
        match load_once(path) {
            Ok((before, after, bytes)) if before == after => {
                return Loaded { stamp: before.if_settled(now), bytes };
            }
            Ok(_) => last = Some("it changes while it is read".to_owned()),
            Err(error) => {
                last = Some(error.kind().to_string());
                break;
            }
        }
    }
    let why = last.unwrap_or_default();
    Loaded { stamp: None, bytes: Err(State::Unreadable { why }) }
}

type Once = (Stamp, Stamp, Result<Vec<u8>, State>);

fn load_once(path: &Path) -> io::Result<Once> {
    let mut file = open(path)?;
    let facts = file.metadata()?;
    let before = walk::stamp(&facts);
    if !facts.is_file() {
        return Ok((before, before, Err(State::Other)));
    }
    if let Some(skip) = skip::by_size(facts.len()) {
        return Ok((before, before, Err(State::Skipped { why: skip.to_string() })));
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
    workshop: &mut Workshop,
    path: &str,
    loaded: Loaded,
    is_known: &dyn Fn(i64) -> bool,
) -> Content {
    let stamp = loaded.stamp;
    let parsed = match loaded.bytes {
        Ok(bytes) => parse_bytes(workshop, path, &bytes, is_known),
        Err(state) => Parsed::Not(state),
    };
    Content { stamp, parsed }
}

fn parse_bytes(
    workshop: &mut Workshop,
    path: &str,
    bytes: &[u8],
    is_known: &dyn Fn(i64) -> bool,
) -> Parsed {
    if let Some(kind) = ManifestKind::of(path) {
        let key = key(u8::MAX - kind as u8, bytes);
        if is_known(key) {
            return Parsed::Known { key };
        }
        let outline = known::of_manifest(&Manifest::read(kind, bytes));
        return Parsed::New(NewFacts { key, outline, facts: Vec::new() });
    }
    let path = Path::new(path);
    let Some(language) = Language::of(path, bytes) else { return Parsed::Not(State::Other) };
    if let Some(skip) = skip::reason(path, bytes) {
        return Parsed::Not(State::Skipped { why: skip.to_string() });
    }
    let key = key(language as u8, bytes);
    if is_known(key) {
        return Parsed::Known { key };
    }
    match workshop.reader.read(language, bytes) {
        Ok(facts) => {
            let outline = known::of_code(family(language), &facts);
            Parsed::New(NewFacts { key, outline, facts: encode::facts(&facts) })
        }
        Err(unread) => Parsed::Not(State::Skipped { why: unread.to_string() }),
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
pub(crate) fn family(language: Language) -> Family {
    match language {
        #[cfg(feature = "lang-python")]
        Language::Python => Family::Python,
        #[cfg(feature = "lang-rust")]
        Language::Rust => Family::Rust,
        #[cfg(feature = "lang-typescript")]
        Language::TypeScript | Language::Tsx => Family::Script,
        #[cfg(feature = "lang-javascript")]
        Language::JavaScript => Family::Script,
        #[cfg(feature = "lang-go")]
        Language::Go => Family::Go,
        #[cfg(feature = "lang-java")]
        Language::Java => Family::Java,
        #[cfg(feature = "lang-c")]
        Language::C => Family::C,
        #[cfg(feature = "lang-cpp")]
        Language::Cpp => Family::C,
        #[cfg(feature = "lang-ruby")]
        Language::Ruby => Family::Ruby,
        #[cfg(feature = "lang-php")]
        Language::Php => Family::Php,
        #[cfg(feature = "lang-csharp")]
        Language::CSharp => Family::CSharp,
        #[cfg(feature = "lang-bash")]
        Language::Bash => Family::Shell,
    }
}
