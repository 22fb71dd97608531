//! What is remembered.

use crate::event::NoteContent;
use crate::log::LONGEST_LINE;

/// The longest text of an entry, in bytes; longer ones are refused.
pub const LONGEST_TEXT: usize = 1024 * 1024;

/// The longest id, title, kind, scope, group or path, in bytes.
pub const LONGEST_NAME: usize = 4096;

/// The most files of one entry.
pub const MOST_FILES: usize = 1000;

/// Why an entry was left out of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    /// There is no text, or nothing of it may be kept.
    #[error("it says nothing")]
    Empty,
    /// The text is too long.
    #[error("its text has {bytes} bytes, at most {LONGEST_TEXT} are kept")]
    LongText {
        /// How long it is.
        bytes: usize,
    },
    /// It is too long for a line of the log.
    #[error("it takes {bytes} bytes in the log, at most {LONGEST_LINE} are kept")]
    LongLine {
        /// How many.
        bytes: usize,
    },
    /// A name or a path is too long.
    #[error("its {what} has {bytes} bytes, at most {LONGEST_NAME} are kept")]
    LongName {
        /// Which one.
        what: &'static str,
        /// How long it is.
        bytes: usize,
    },
    /// It is about too many files.
    #[error("it names {files} files, at most {MOST_FILES} are kept")]
    ManyFiles {
        /// How many.
        files: usize,
    },
}

/// What an event takes beside its note at most, in bytes.
const LONGEST_FRAME: usize = 16 * 1024;

/// Why a note cannot be kept, if it cannot.
pub fn refusal(note: &NoteContent) -> Option<ImportRefusal> {
    let bytes = note.text.len() + note.why.as_deref().map_or(0, str::len);
    if bytes > LONGEST_TEXT {
        return Some(ImportRefusal::LongText { bytes });
    }
    if note.files.len() > MOST_FILES {
        return Some(ImportRefusal::ManyFiles { files: note.files.len() });
    }
    let always = [("id", note.id.as_str()), ("kind", note.kind.word())];
    let optional = [
        ("title", &note.title),
        ("external id", &note.external_id),
        ("group", &note.group),
        ("previous entry", &note.prev),
        ("next entry", &note.next),
    ];
    let optional = optional.into_iter().filter_map(|(what, name)| Some((what, name.as_deref()?)));
    let files = note.files.iter().map(|file| ("path of a file", file.as_str()));
    let mut names = always.into_iter().chain(optional).chain(files);
    if let Some((what, name)) = names.find(|(_, name)| name.len() > LONGEST_NAME) {
        return Some(ImportRefusal::LongName { what, bytes: name.len() });
    }
    let bytes = serde_json::to_string(note).map_or(0, |json| json.len()) + LONGEST_FRAME;
    (bytes > LONGEST_LINE).then_some(ImportRefusal::LongLine { bytes })
}

/// The name of something that is known by what it says alone.
pub(crate) fn id_of_contents(kind: &str, title: &str, text: &str) -> String {
    let mut hash = blake3::Hasher::new();
    // A time, a scope and a group were parts of it once.
    hash.update(&0_i64.to_le_bytes());
    for part in [kind, "", title, text, ""] {
        hash.update(blake3::hash(part.as_bytes()).as_bytes());
    }
    name_of(&hash.finalize())
}

/// The name of an entry that has only an external one.
pub(crate) fn derived_id(external: &str) -> String {
    name_of(&blake3::hash(external.as_bytes()))
}

/// The digits of names, each of five bits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many digits a name has.
const NAME_DIGITS: u32 = 12;

/// `m` and 60 bits of the hash: short, and no two of many millions are equal.
fn name_of(hash: &blake3::Hash) -> String {
    let bytes = hash.as_bytes().first_chunk().copied().unwrap_or_default();
    let number = u64::from_le_bytes(bytes);
    let digit = |place: u32| {
        let digit = usize::try_from(number >> (place * 5) & 31).unwrap_or(0);
        char::from(DIGITS[digit])
    };
    std::iter::once('m').chain((0..NAME_DIGITS).map(digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same_gets_the_same_name_for_ever() {
        assert_eq!(id_of_contents("fact", "", "a"), "mdfm43f4hnhdh");
        assert_eq!(derived_id("turn 7"), "m164zngxrm22b");
        assert_ne!(id_of_contents("fact", "a", ""), id_of_contents("fact", "", "a"));
    }
}
