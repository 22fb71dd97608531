//! What a run did to tests and checks, and what its own tests prove.

use crate::locale::Locale;

/// The place of what is held against a run as a whole, in both languages.
const RUN_ITSELF: [&str; 2] = ["this run", "이 실행"];

/// A check that was made weaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// Where, as `path:line` or a path.
    pub place: String,
    /// What was done to it.
    pub what: String,
}

impl Weakening {
    /// Something about the run itself: no path stands for it, so it cannot be
    /// allowed.
    pub fn of_run(what: String, locale: Locale) -> Self {
        let [en, ko] = RUN_ITSELF;
        let place = match locale {
            Locale::En => en,
            Locale::Ko => ko,
        };
        Self { place: place.to_owned(), what }
    }

    /// Whether a path stands for it that can be allowed.
    pub fn has_path(&self) -> bool {
        !RUN_ITSELF.contains(&self.place.as_str())
    }

    /// The file, or the place if it is no line of a file.
    pub fn file(&self) -> &str {
        match self.place.rsplit_once(':') {
            Some((file, line)) if line.parse::<u32>().is_ok() => file,
            Some(_) | None => &self.place,
        }
    }
}

/// An edit of a test or a check that does not make it weaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where, as `path:line` or a path.
    pub place: String,
    /// What was done to it.
    pub what: String,
}

/// A test that the run added, that passes now and fails on the code of the
/// start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitingTest {
    /// Its id.
    pub id: String,
    /// How it fails there.
    pub bite: Bite,
}

/// How a new test fails on the code of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bite {
    /// It runs, and what it expects is not so.
    OldBehaviour,
    /// It cannot run: it needs code that the run added.
    NeedsNewCode,
}
