//! What is remembered.

use ralph_core::Timestamp;

use crate::log::LONGEST_LINE;

/// The longest text of an entry, in bytes; longer ones are refused.
pub const LONGEST_TEXT: usize = 1024 * 1024;

/// The longest id, title, kind, scope, group or path, in bytes.
pub const LONGEST_NAME: usize = 4096;

/// The most files of one entry.
pub const MOST_FILES: usize = 1000;

/// Whether an entry still holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryState {
    /// It is found.
    #[default]
    Active,
    /// It was superseded or withdrawn: kept, and found only on demand.
    Retired,
}

/// One thing that is remembered. Ids are any text.
///
/// Secrets are the caller's to remove: what is given here is stored as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchEntry {
    /// Its name here. Without one, a name is made from the external id, else
    /// from the contents, so that the same entry gets the same name again.
    pub id: Option<String>,
    /// Its name where it comes from.
    pub external_id: Option<String>,
    /// What it is, such as `decision` or `turn`.
    pub kind: String,
    /// Whom it concerns, such as `task` or `project`.
    pub scope: String,
    /// One line.
    pub title: String,
    /// All of it.
    pub text: String,
    /// Why it is so; found like the text, and counted less.
    pub why: Option<String>,
    /// Files it is about.
    pub files: Vec<String>,
    /// When it was learned.
    pub at: Option<Timestamp>,
    /// What it is a part of, such as a session.
    pub group: Option<String>,
    /// The entry before it, by either of its names. It need not exist yet.
    pub prev: Option<String>,
    /// The entry after it, likewise.
    pub next: Option<String>,
    /// Whether it still holds.
    pub state: EntryState,
}

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

impl SearchEntry {
    /// The name it has here.
    pub(crate) fn own_id(&self) -> String {
        match (&self.id, &self.external_id) {
            (Some(id), _) => id.clone(),
            (None, Some(external)) => derived_id(external),
            (None, None) => {
                let at = self.at.map_or(0, Timestamp::as_millis).to_le_bytes();
                let group = self.group.as_deref().unwrap_or_default();
                let parts = [&self.kind, &self.scope, &self.title, &self.text, group];
                let mut hash = blake3::Hasher::new();
                hash.update(&at);
                for part in parts {
                    hash.update(blake3::hash(part.as_bytes()).as_bytes());
                }
                name_of(&hash.finalize())
            }
        }
    }

    /// Why it cannot be kept, if it cannot.
    pub(crate) fn refusal(&self) -> Option<ImportRefusal> {
        let always = [("kind", &self.kind), ("scope", &self.scope), ("title", &self.title)];
        let optional = [
            ("id", &self.id),
            ("external id", &self.external_id),
            ("group", &self.group),
            ("previous entry", &self.prev),
            ("next entry", &self.next),
        ];
        let optional = optional.into_iter().filter_map(|(what, name)| Some((what, name.as_ref()?)));
        let names = always.into_iter().chain(optional).map(|(what, name)| (what, name.as_str()));
        let why = self.why.as_deref().map_or(0, str::len);
        refusal(self.text.len() + why, &self.files, names)
    }
}

/// Why something with a text of so many bytes, these files and these names
/// cannot be kept, if it cannot.
pub(crate) fn refusal<'a>(
    bytes: usize,
    files: &'a [String],
    names: impl IntoIterator<Item = (&'static str, &'a str)>,
) -> Option<ImportRefusal> {
    if bytes > LONGEST_TEXT {
        return Some(ImportRefusal::LongText { bytes });
    }
    if files.len() > MOST_FILES {
        return Some(ImportRefusal::ManyFiles { files: files.len() });
    }
    let files = files.iter().map(|file| ("path of a file", file.as_str()));
    let mut names = names.into_iter().chain(files);
    let (what, name) = names.find(|(_, name)| name.len() > LONGEST_NAME)?;
    Some(ImportRefusal::LongName { what, bytes: name.len() })
}

/// The name of something that is known by what it says alone.
pub(crate) fn id_of_contents(kind: &str, title: &str, text: &str) -> String {
    let [kind, title, text] = [kind, title, text].map(str::to_owned);
    SearchEntry { kind, title, text, ..SearchEntry::default() }.own_id()
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
    name_of_number(u64::from_le_bytes(bytes))
}

/// `m` and the lower 60 bits of the number.
pub(crate) fn name_of_number(number: u64) -> String {
    let digit = |place: u32| {
        let digit = usize::try_from(number >> (place * 5) & 31).unwrap_or(0);
        char::from(DIGITS[digit])
    };
    std::iter::once('m').chain((0..NAME_DIGITS).map(digit)).collect()
}

/// The number that such a name was made from; `None` for any other name.
pub(crate) fn number_of_name(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('m').filter(|digits| digits.len() == NAME_DIGITS as usize)?;
    let places = (0..NAME_DIGITS).zip(digits.bytes());
    places.into_iter().try_fold(0, |number, (place, byte)| {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        Some(number | u64::try_from(digit).ok()? << (place * 5))
    })
}

/// The number of the first digits of a name, and which bits of the whole
/// number they are; `None` if no name that we made begins so.
pub(crate) fn beginning_of_name(start: &str) -> Option<(i64, i64)> {
    let digits = start.strip_prefix('m').filter(|digits| !digits.is_empty())?;
    let missing = (NAME_DIGITS as usize).checked_sub(digits.len())?;
    let number = number_of_name(&format!("{start}{}", "0".repeat(missing)))?;
    let mask = (1_u64 << (5 * digits.len())) - 1;
    Some((i64::try_from(number).ok()?, i64::try_from(mask).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_entry_gets_the_same_name_again() {
        let entry = SearchEntry { text: "a".to_owned(), ..SearchEntry::default() };
        let other = SearchEntry { title: "a".to_owned(), ..SearchEntry::default() };
        assert_eq!(entry.own_id(), entry.own_id());
        assert_ne!(entry.own_id(), other.own_id());
        let external = SearchEntry { external_id: Some("turn 7".to_owned()), ..entry };
        assert_eq!(external.own_id(), derived_id("turn 7"));
        assert_eq!(external.own_id().len(), 13);
    }

    #[test]
    fn only_names_that_we_made_are_numbers() {
        for number in [0, 1, 31, 32, 0x0123_4567_89AB_CDEF, (1 << 60) - 1] {
            assert_eq!(number_of_name(&name_of_number(number)), Some(number));
        }
        let made = derived_id("turn 7");
        assert_eq!(number_of_name(&made).map(name_of_number), Some(made));
        for other in ["", "m", "m00000000000", "m0000000000000", "mi00000000000", "x000000000000"] {
            assert_eq!(number_of_name(other), None, "{other}");
        }
    }

    #[test]
    fn the_beginning_of_a_name_is_a_part_of_its_number() {
        let name = derived_id("turn 7");
        let number = i64::try_from(number_of_name(&name).unwrap()).unwrap();
        for length in 2..=name.len() {
            let (value, mask) = beginning_of_name(&name[..length]).unwrap();
            assert_eq!(number & mask, value, "{length}");
        }
        for other in ["", "m", "x1", "mi", "m0000000000000"] {
            assert_eq!(beginning_of_name(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused_with_its_size() {
        let text = "x".repeat(LONGEST_TEXT + 1);
        let entry = SearchEntry { text, ..SearchEntry::default() };
        assert_eq!(entry.refusal(), Some(ImportRefusal::LongText { bytes: LONGEST_TEXT + 1 }));
        let entry = SearchEntry { id: Some("x".repeat(5000)), ..SearchEntry::default() };
        assert_eq!(
            entry.refusal().unwrap().to_string(),
            "its id has 5000 bytes, at most 4096 are kept"
        );
        assert_eq!(SearchEntry::default().refusal(), None);
    }
}
