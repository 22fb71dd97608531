//! Questions about the code of a project, and their answers for people.

mod answers;
mod kinds;
pub mod unclear;

use ralph_graph::{Index, KnownCode};

use crate::app::App;
use crate::user_error::UserError;

pub use answers::{CodeRenderer, DoubtfulUses};
pub use kinds::{kind, other_words};

/// Answers a question from an index after updating it.
pub(crate) fn ask<T>(
    app: &App,
    question: impl FnOnce(&KnownCode<'_>) -> T,
) -> Result<T, UserError> {
    let mut index = Index::open(&app.project.root, &app.home)?;
    let now = nanoseconds(app);
    index.update(now, &mut |_| {})?;
    Ok(question(&index.code(now)?))
}

/// Returns the time in nanoseconds, as the index counts it; the clock has milliseconds.
pub fn nanoseconds(app: &App) -> i64 {
    app.now().as_millis().saturating_mul(1_000_000)
}
