//! The gate that executes a command, reads its output and judges both.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use ralph_core::evidence::{GateReport, Verdict};
use ralph_core::finding::ToolReport;
use ralph_core::format::OutputFormat;
use ralph_core::policy::{GateCommand, GateSpec};
use ralph_proc::{ProgramLaunch, ProgramLimits, Supervisor};

use crate::formats::{self, FindingCollector, FormatError};
use crate::output::{
    GateOutput, GateOutputListener, GateScratchDir, OutputSource, OutputSpools, ReaderInput,
    ReportPresence,
};
use crate::{AffectedTest, Gate, affected, dependencies, verdict};

/// The placeholder in a command for the path of the report it is to write.
const REPORT: &str = "{report}";

/// The time a gate has to end in good order once it timed out.
const GRACE: Duration = Duration::from_secs(2);

/// The surroundings in which gates run.
#[derive(Clone, Copy)]
pub struct GateContext<'a> {
    /// Starts and ends processes.
    pub supervisor: &'a Supervisor,
    /// The project's root: the working directory.
    pub root: &'a Path,
    /// The complete environment, already filtered.
    pub env: &'a [(OsString, OsString)],
}

/// A gate that is a command.
#[derive(Clone, Debug)]
pub struct CommandGate {
    spec: GateSpec,
}

impl CommandGate {
    /// The gate for this specification.
    pub fn new(spec: GateSpec) -> Self {
        Self { spec }
    }

    fn words(&self) -> Vec<String> {
        match &self.spec.command {
            GateCommand::Argv(words) => words.clone(),
            GateCommand::Shell(script) => {
                vec!["sh".to_owned(), "-c".to_owned(), script.clone()]
            }
            // There is nothing to execute.
            GateCommand::Question(_) => Vec::new(),
        }
    }

    fn source(&self) -> OutputSource {
        let has_report = self.words().iter().any(|word| word.contains(REPORT));
        OutputSource::of(
            self.spec.format,
            if has_report { ReportPresence::Yes } else { ReportPresence::No },
        )
    }

    fn launch(
        &self,
        site: &GateContext<'_>,
        scratch: &GateScratchDir,
        source: OutputSource,
    ) -> Option<ProgramLaunch> {
        let report = scratch.report();
        let words = self.words().into_iter();
        let mut words =
            words.map(|word| OsString::from(word.replace(REPORT, &report.to_string_lossy())));
        Some(ProgramLaunch {
            program: words.next()?,
            args: words.collect(),
            dir: site.root.join(&self.spec.dir),
            env: site.env.to_vec(),
            stdin: None,
            streams: source.streams(),
        })
    }

    fn execute(
        &self,
        site: &GateContext<'_>,
        stop: &mut dyn FnMut() -> bool,
    ) -> io::Result<GateReport> {
        let source = self.source();
        let scratch = GateScratchDir::new(source, site.supervisor.scratch())?;
        let Some(launch) = self.launch(site, &scratch, source) else {
            return Ok(GateReport::unknown(&self.spec, "the command is empty".to_owned()));
        };
        let limits = ProgramLimits { wall: Some(self.spec.timeout), idle: None, grace: GRACE };
        let mut listener = GateOutputListener::new(stop, source, scratch.spools()?);
        let outcome = match site.supervisor.run(&launch, &limits, &mut listener) {
            Ok(outcome) => outcome,
            Err(error) => return Ok(GateReport::unknown(&self.spec, error.to_string())),
        };
        let GateOutput { mut tail, machine_tail, spools } = listener.finish();
        let reading =
            spools.map_err(FormatError::Io).and_then(|spools| self.read(site, &scratch, spools));
        let verdict = verdict::judge(&self.spec, outcome.ending, reading.as_ref());
        let verdict = self.or_lacking(site, verdict, reading.as_ref(), &tail);
        let reading = match reading {
            Ok(reading) => reading,
            Err(FormatError::NoReport { printed }) => *printed,
            Err(
                FormatError::Io(_) | FormatError::Form { .. } | FormatError::Contradiction { .. },
            ) => ToolReport::default(),
        };
        let failing = match &verdict {
            Verdict::Pass | Verdict::Unknown { .. } => BTreeSet::new(),
            Verdict::Fail(_) | Verdict::Unclear { .. } => verdict::failing(&self.spec, &reading),
        };
        let elapsed = outcome.elapsed;
        // A gate that fails says why, if only in the words meant for machines.
        if verdict != Verdict::Pass && reading.findings.is_empty() && failing.is_empty() {
            tail = format!("{machine_tail}{tail}");
        }
        Ok(GateReport {
            verdict,
            failing,
            reading,
            tail,
            elapsed,
            ..GateReport::unknown(&self.spec, String::new())
        })
    }

    /// Returns the outcome of a command. If it failed without naming anything that fails, and its
    /// packages were never installed, returns that instead.
    fn or_lacking(
        &self,
        site: &GateContext<'_>,
        verdict: Verdict,
        reading: Result<&ToolReport, &FormatError>,
        tail: &str,
    ) -> Verdict {
        let reading = match reading {
            Ok(reading) => reading,
            Err(FormatError::NoReport { printed }) => printed,
            Err(
                FormatError::Io(_) | FormatError::Form { .. } | FormatError::Contradiction { .. },
            ) => &ToolReport::default(),
        };
        let named = verdict::failing(&self.spec, reading);
        if verdict == Verdict::Pass || !named.is_empty() {
            return verdict;
        }
        match dependencies::lacking(site.root, &self.spec, tail) {
            Some(missing) => Verdict::Unknown { reason: missing.to_string() },
            None => verdict,
        }
    }

    fn read(
        &self,
        site: &GateContext<'_>,
        scratch: &GateScratchDir,
        spools: OutputSpools,
    ) -> Result<ToolReport, FormatError> {
        let out = || FindingCollector::new(site.root, &self.spec.dir);
        match scratch.input(spools)? {
            ReaderInput::Wanted(mut input) => read(self.spec.format, &mut input, out()),
            ReaderInput::Report { mut report, mut printed } => {
                let format = form_of(self.spec.format, &mut report)?;
                if format == OutputFormat::Text {
                    return read(format, &mut report.chain(printed), out());
                }
                let reading = read(format, &mut report, out())?;
                let printed = read(OutputFormat::Text, &mut printed, out())?;
                beside(reading, &printed)
            }
            // A build that broke before the tests says so in plain text.
            ReaderInput::Instead(mut input) => {
                let printed = Box::new(read(OutputFormat::Text, &mut input, out())?);
                Err(FormatError::NoReport { printed })
            }
        }
    }
}

impl Gate for CommandGate {
    fn spec(&self) -> &GateSpec {
        &self.spec
    }

    fn key(&self) -> String {
        // The debug form holds every field of each.
        let GateSpec { name, command, dir, format, bar, .. } = &self.spec;
        format!("command-3 {:?}", (name, command, dir, format, bar))
    }

    fn run(&self, site: &GateContext<'_>, stop: &mut dyn FnMut() -> bool) -> GateReport {
        let executed = self.execute(site, stop);
        executed.unwrap_or_else(|error| {
            GateReport::unknown(&self.spec, format!("there is no room for its output: {error}"))
        })
    }

    fn narrowed(&self, tests: &[AffectedTest]) -> Option<Box<dyn Gate>> {
        Some(Box::new(Self::new(affected::narrowed(&self.spec, tests)?)))
    }
}

/// The form of a report. If the settings do not name it, a report in XML is one of tests.
fn form_of(format: OutputFormat, report: &mut dyn io::BufRead) -> io::Result<OutputFormat> {
    let is_xml =
        format == OutputFormat::Text && report.fill_buf()?.trim_ascii_start().starts_with(b"<");
    Ok(if is_xml { OutputFormat::Junit } else { format })
}

/// Compares a report of tests with the output of its runner. A program can forge the report, but
/// not the runner's own output.
fn beside(mut report: ToolReport, printed: &ToolReport) -> Result<ToolReport, FormatError> {
    let Some((tests, printed)) = report.tests.as_mut().zip(printed.tests.as_ref()) else {
        return Ok(report);
    };
    let (told, said) = (tests.counts, printed.counts);
    if told.failed == 0 && (said.failed > 0 || (said.collected() == 0 && told.collected() > 0)) {
        return Err(FormatError::Contradiction { report: told, printed: said });
    }
    tests.printed = said.collected();
    Ok(report)
}

fn read(
    format: OutputFormat,
    input: &mut dyn io::BufRead,
    mut out: FindingCollector,
) -> Result<ToolReport, FormatError> {
    formats::read(format, input, &mut out)?;
    Ok(out.finish())
}
