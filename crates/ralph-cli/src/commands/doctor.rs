//! `ralph doctor`: proves that everything a run needs works here.

use ralph_core::locale::Locale;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::doctor::{DoctorFinding, DoctorObserver, examine};
use ralph_snapshot::WorkHandle;

use crate::app::App;
use crate::error::CliError;
use crate::progress_line::ProgressLine;
use crate::signals::{self, ForcedEndState};
use crate::{out, texts};

/// Prove that everything a run needs works here
///
/// Starts a process under the supervisor, opens and checks the store, reads
/// the work tree, and looks for the agent and the gates of the settings. Calls
/// every hook that hosts call, as they would, and names what stands in the way.
/// Exit code 1 when something a run needs does not work.
#[derive(clap::Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints each finding, and a line while the files are read.
struct FindingPrinter {
    locale: Locale,
    json: bool,
    line: Option<ProgressLine>,
}

impl DoctorObserver for FindingPrinter {
    fn found(&mut self, finding: &DoctorFinding) {
        self.line = None;
        if !self.json {
            out::text(&finding.line(self.locale));
        }
    }

    fn reads(&mut self, work: &WorkHandle) {
        self.line = ProgressLine::show(work, self.locale);
    }
}

pub(crate) fn run(args: &DoctorArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let locale = app.chosen_locale();
    let interrupt = InterruptSignal::default();
    signals::listen(&interrupt, || {}, ForcedEndState::Nothing, locale)?;
    let mut printer = FindingPrinter { locale, json: args.json, line: None };
    let report = examine(&app, &interrupt, &mut printer);
    drop(printer);
    let Some(report) = report else {
        out::note(texts::interrupted(locale));
        return Ok(130);
    };
    if args.json {
        out::line(report.as_json());
    }
    Ok(u8::from(report.is_broken()))
}
