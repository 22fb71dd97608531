//! The code that `run`, `resume` and `demo` share: it shows events and listens to signals.

use ralph_core::Run;
use ralph_engine::RunLedger;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::events::EventSink;
use ralph_engine::run::{self, PreparedRun, RunSurface};

use crate::app::App;
use crate::error::CliError;
use crate::signals::{self, ForcedEndState};
use crate::{live, out, texts};

/// The format in which events are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// Drives a run to its end and shows its events; returns its final state.
pub(crate) fn drive(
    app: &App,
    ledger: RunLedger,
    ready: PreparedRun,
    run: Run,
    view: EventFormat,
) -> Result<Run, CliError> {
    ralph_engine::debug_log::write_in(&app.home.join("runs").join(run.id.as_str()));
    let supervisor = App::supervisor();
    let interrupt = InterruptSignal::default();
    let waker = supervisor.waker();
    let locale = run.policy.locale;
    signals::listen(&interrupt, move || waker.wake(), ForcedEndState::Resumable, locale)?;
    let mut sink: Box<dyn EventSink> = match view {
        EventFormat::Json => Box::new(live::JsonLines::new(run.id.clone())),
        EventFormat::Human => live::for_people(locale),
    };
    if ready.checks.settings.memory.is_enabled && !app.has_a_place_for_memory() {
        out::note(texts::not_remembered(locale));
    }
    for sentence in ready.sandboxes.sentences(locale) {
        out::note(sentence);
    }
    run::drive(app, ledger, ready, run, RunSurface { sink: &mut *sink, interrupt, supervisor })
}
