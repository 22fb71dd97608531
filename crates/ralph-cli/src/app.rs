//! The context of a command, and what it prints about broken settings.

use ralph_core::Run;
pub(crate) use ralph_engine::app::App;

use crate::out;

/// Prints once that settings are broken and which are used instead.
pub(crate) fn say_fallback(app: &App) {
    if let Some(text) = app.new_fault() {
        out::note(text);
    }
}

/// Reads the settings at the end of a run, and warns if they are broken.
pub(crate) fn say_at_the_end(app: &App, run: &Run) {
    app.fall_back_on(&run.id);
    if app.layers().is_ok() {
        say_fallback(app);
    }
}
