//! Changes that a run made to tests and checks, and the proof that its own tests give.

use crate::locale::Locale;

/// The place of a weakening that concerns the run as a whole, in both languages.
const RUN_ITSELF: [&str; 2] = ["this run", "이 실행"];

/// A weakened test or check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakenedCheck {
    /// Location, as `path:line` or a path.
    pub place: String,
    /// Description of the change.
    pub what: String,
}

impl WeakenedCheck {
    /// Creates a weakening of the run itself. It has no path, so it cannot be allowed.
    pub fn of_run(what: String, locale: Locale) -> Self {
        let [en, ko] = RUN_ITSELF;
        let place = locale.say(en, ko);
        Self { place: place.to_owned(), what }
    }

    /// Returns true if the weakening has a path that can be allowed.
    pub fn has_path(&self) -> bool {
        !RUN_ITSELF.contains(&self.place.as_str())
    }

    /// Returns the file, or the whole place if it is not a line of a file.
    pub fn file(&self) -> &str {
        match self.place.rsplit_once(':') {
            Some((file, line)) if line.parse::<u32>().is_ok() => file,
            Some(_) | None => &self.place,
        }
    }
}

/// An edit of a test or a check that does not weaken it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestEdit {
    /// Location, as `path:line` or a path.
    pub place: String,
    /// Description of the change.
    pub what: String,
}

/// A test added by the run that passes now and fails on the code of the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofTest {
    /// Id of the test.
    pub id: String,
    /// The way it fails on the old code.
    pub bite: OldCodeFailure,
}

/// The way a new test fails on the code of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldCodeFailure {
    /// It runs, and an expectation fails.
    OldBehaviour,
    /// It cannot run: it needs code that the run added.
    NeedsNewCode,
}
