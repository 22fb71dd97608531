//! The output of a gate while it runs: its end for people, all of it for the
//! reader, in bounded memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use ralph_core::claim::plain;
use ralph_core::feedback::last_chars;
use ralph_core::format::OutputFormat;
use ralph_proc::{OutputStream, ProgramWatcher, StreamMerging, WatcherDecision};
use ralph_redact::RedactedStream;
use tempfile::TempDir;

/// The maximum length of the output that a report keeps, in characters.
const TAIL_CHARS: usize = 8_000;

/// The maximum amount of output that is read, in bytes; a flood beyond it is cut off.
const SPOOL_BYTES: u64 = 1024 * 1024 * 1024;

/// The place from which the reader of a gate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputSource {
    /// Nothing is read.
    Nothing,
    /// The standard output, which is for machines; people get the standard error.
    Stdout,
    /// The same, and after it what people get.
    StdoutFirst,
    /// Everything it prints, in order.
    Everything,
    /// The file that its command names as `{report}`.
    Report,
}

impl OutputSource {
    /// Returns the source of output in this form.
    pub(crate) fn of(format: OutputFormat, has_report: ReportPresence) -> Self {
        match (has_report, format) {
            (_, OutputFormat::Exit) => Self::Nothing,
            (ReportPresence::Yes, _) => Self::Report,
            (
                ReportPresence::No,
                OutputFormat::Text
                | OutputFormat::Libtest
                | OutputFormat::Nextest
                | OutputFormat::Tap
                | OutputFormat::Ctest
                | OutputFormat::Tsc
                | OutputFormat::Mypy,
            ) => Self::Everything,
            // Events, but until Go 1.24 the compiler prints text between them.
            (ReportPresence::No, OutputFormat::GoTest) => Self::StdoutFirst,
            (
                ReportPresence::No,
                OutputFormat::Cargo
                | OutputFormat::Junit
                | OutputFormat::Jest
                | OutputFormat::Eslint
                | OutputFormat::Biome
                | OutputFormat::Oxlint
                | OutputFormat::Ruff
                | OutputFormat::Pyright
                | OutputFormat::Shellcheck
                | OutputFormat::Rubocop
                | OutputFormat::Sarif,
            ) => Self::Stdout,
        }
    }

    pub(crate) fn streams(self) -> StreamMerging {
        match self {
            Self::Everything => StreamMerging::Merged,
            Self::Nothing | Self::Stdout | Self::StdoutFirst | Self::Report => StreamMerging::Apart,
        }
    }
}

/// Tells if a command names a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportPresence {
    Yes,
    No,
}

/// A folder for one execution of a gate; it disappears afterwards.
pub(crate) struct GateScratchDir {
    folder: TempDir,
    source: OutputSource,
}

impl GateScratchDir {
    /// Makes the folder where the supervisor's programs can write.
    pub(crate) fn new(source: OutputSource, place: Option<&Path>) -> io::Result<Self> {
        let mut folder = tempfile::Builder::new();
        folder.prefix("ralph-gate-");
        // The output of a gate is not redacted yet, so only this user may read it.
        #[cfg(unix)]
        folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let place = place.map_or_else(std::env::temp_dir, Path::to_owned);
        Ok(Self { folder: folder.tempdir_in(place)?, source })
    }

    pub(crate) fn report(&self) -> PathBuf {
        self.folder.path().join("report")
    }

    /// Returns everything there is to read, from its start.
    pub(crate) fn input(&self, spools: OutputSpools) -> io::Result<ReaderInput> {
        if self.source != OutputSource::Report {
            return printed(spools).map(ReaderInput::Wanted);
        }
        let printed = printed(spools)?;
        match ralph_files::open(self.report()) {
            Ok(file) => Ok(ReaderInput::Report { report: buffered(Box::new(file)), printed }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(ReaderInput::Instead(printed))
            }
            Err(error) => Err(error),
        }
    }

    /// Files for what the reader needs of each stream.
    pub(crate) fn spools(&self) -> io::Result<OutputSpools> {
        let spool = |name: &str| {
            let path = self.folder.path().join(name);
            File::options().create_new(true).read(true).write(true).open(path).map(Some)
        };
        match self.source {
            OutputSource::Nothing => Ok([None, None]),
            OutputSource::Stdout | OutputSource::Everything => Ok([spool("output")?, None]),
            // Without a report what was printed is all there is.
            OutputSource::StdoutFirst | OutputSource::Report => {
                Ok([spool("output")?, spool("errors")?])
            }
        }
    }
}

/// The files that keep standard output and standard error.
pub(crate) type OutputSpools = [Option<File>; 2];

/// The input of a reader.
pub(crate) enum ReaderInput {
    /// Output in the form that was asked for.
    Wanted(BufReader<Box<dyn Read>>),
    /// The report that was asked for, and everything that was printed as well.
    Report { report: BufReader<Box<dyn Read>>, printed: BufReader<Box<dyn Read>> },
    /// There is no report; this is all that was printed.
    Instead(BufReader<Box<dyn Read>>),
}

/// Returns all that was kept of one stream, and then all that was kept of the other.
fn printed(spools: OutputSpools) -> io::Result<BufReader<Box<dyn Read>>> {
    let mut input: Box<dyn Read> = Box::new(io::empty());
    for mut file in spools.into_iter().flatten() {
        file.rewind()?;
        input = Box::new(input.chain(file));
    }
    Ok(buffered(input))
}

fn buffered(input: Box<dyn Read>) -> BufReader<Box<dyn Read>> {
    BufReader::with_capacity(128 * 1024, input)
}

/// Keeps the end of the output, redacted, in the order in which lines ended,
/// and spools what the reader needs.
pub(crate) struct GateOutputListener<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    source: OutputSource,
    spools: OutputSpools,
    spooled: u64,
    lost: Option<io::Error>,
    streams: [RedactedStream; 2],
    tail: String,
    /// The end of what was written for machines, as it came.
    machine_tail: Vec<u8>,
}

/// The output that a listener heard.
pub(crate) struct GateOutput {
    /// The end of the output, for people.
    pub(crate) tail: String,
    /// The end of what was written for machines, for want of anything better.
    pub(crate) machine_tail: String,
    /// All that the reader needs, unless something got in the way.
    pub(crate) spools: io::Result<OutputSpools>,
}

impl<'a> GateOutputListener<'a> {
    const KEEP: usize = 4 * TAIL_CHARS;

    pub(crate) fn new(
        stop: &'a mut dyn FnMut() -> bool,
        source: OutputSource,
        spools: OutputSpools,
    ) -> Self {
        let (streams, tail, machine_tail) = (Default::default(), String::new(), Vec::new());
        Self { stop, source, spools, spooled: 0, lost: None, streams, tail, machine_tail }
    }

    pub(crate) fn finish(mut self) -> GateOutput {
        for index in 0..self.streams.len() {
            let rest = self.streams[index].finish();
            self.keep(&rest);
        }
        let end = |text: &str| last_chars(&plain(text), TAIL_CHARS).to_owned();
        let mut machines = RedactedStream::default();
        let machine_text = machines.push(&self.machine_tail) + &machines.finish();
        let (tail, machine_tail) = (end(&self.tail), end(&machine_text));
        GateOutput { tail, machine_tail, spools: self.lost.map_or(Ok(self.spools), Err) }
    }

    fn keep(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > 2 * Self::KEEP {
            self.tail = last_chars(&self.tail, TAIL_CHARS).to_owned();
        }
    }

    /// Keeps more than is shown, so that no secret is cut in two.
    fn keep_for_machines(&mut self, bytes: &[u8]) {
        self.machine_tail.extend_from_slice(bytes);
        let over = self.machine_tail.len().saturating_sub(2 * Self::KEEP);
        if over > 2 * Self::KEEP {
            self.machine_tail.drain(..over);
        }
    }

    fn spool(&mut self, index: usize, bytes: &[u8]) {
        let Some(file) = &mut self.spools[index] else { return };
        if self.lost.is_some() {
            return;
        }
        self.spooled += bytes.len() as u64;
        if self.spooled > SPOOL_BYTES {
            self.lost = Some(io::Error::other("it printed more than 1 GiB"));
        } else if let Err(error) = file.write_all(bytes) {
            self.lost = Some(error);
        }
    }
}

impl ProgramWatcher for GateOutputListener<'_> {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        let index = match stream {
            OutputStream::Stdout => 0,
            OutputStream::Stderr => 1,
        };
        self.spool(index, bytes);
        if index == 0 && matches!(self.source, OutputSource::Stdout | OutputSource::StdoutFirst) {
            self.keep_for_machines(bytes);
            return;
        }
        let text = self.streams[index].push(bytes);
        self.keep(&text);
    }

    fn tick(&mut self) -> WatcherDecision {
        if (self.stop)() { WatcherDecision::Stop } else { WatcherDecision::GoOn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the input for the reader, and the output for people.
    fn heard(source: OutputSource, said: &[(OutputStream, &str)]) -> (ReaderInput, String) {
        let scratch = GateScratchDir::new(source, None).unwrap();
        let mut stop = || false;
        let mut listener = GateOutputListener::new(&mut stop, source, scratch.spools().unwrap());
        for (stream, text) in said {
            listener.output(*stream, text.as_bytes());
        }
        let GateOutput { tail, spools, .. } = listener.finish();
        (scratch.input(spools.unwrap()).unwrap(), tail)
    }

    #[track_caller]
    fn wanted(input: ReaderInput) -> String {
        match input {
            ReaderInput::Wanted(input) => io::read_to_string(input).unwrap(),
            ReaderInput::Report { .. } | ReaderInput::Instead(_) => {
                panic!("it was to be read from a stream")
            }
        }
    }

    const BUILD: [(OutputStream, &str); 3] = [
        (OutputStream::Stdout, "{\"Action\""),
        (OutputStream::Stderr, "./a.go:1:2: no\n"),
        (OutputStream::Stdout, ":\"fail\"}\n"),
    ];

    #[cfg(unix)]
    #[test]
    fn what_a_gate_prints_is_for_nobody_elses_eyes() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = GateScratchDir::new(OutputSource::Report, None).unwrap();
        let mode = scratch.folder.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn what_go_says_beside_its_events_is_read_after_them() {
        let source = OutputSource::of(OutputFormat::GoTest, ReportPresence::No);
        let (read, tail) = heard(source, &BUILD);
        assert_eq!(wanted(read), "{\"Action\":\"fail\"}\n./a.go:1:2: no\n");
        assert_eq!(tail, "./a.go:1:2: no\n");
    }

    #[test]
    fn what_other_machines_readers_get_is_standard_output_alone() {
        let source = OutputSource::of(OutputFormat::Cargo, ReportPresence::No);
        assert_eq!(wanted(heard(source, &BUILD).0), "{\"Action\":\"fail\"}\n");
    }

    #[test]
    fn the_end_of_what_machines_get_is_kept_for_want_of_anything_better() {
        let mut stop = || false;
        let mut listener = GateOutputListener::new(&mut stop, OutputSource::Stdout, [None, None]);
        for _ in 0..1000 {
            listener.output(OutputStream::Stdout, &[b'x'; 1000]);
        }
        listener.output(OutputStream::Stdout, b"the end");
        let GateOutput { tail, machine_tail, .. } = listener.finish();
        assert_eq!((tail.as_str(), machine_tail.len()), ("", TAIL_CHARS));
        assert!(machine_tail.ends_with("the end"));
    }

    #[test]
    fn without_a_report_there_is_what_was_printed() {
        let source = OutputSource::of(OutputFormat::Junit, ReportPresence::Yes);
        let said = [(OutputStream::Stderr, "error: no\n"), (OutputStream::Stdout, "building\n")];
        let (ReaderInput::Instead(read), tail) = heard(source, &said) else {
            panic!("nobody wrote a report");
        };
        assert_eq!(io::read_to_string(read).unwrap(), "building\nerror: no\n");
        assert_eq!(tail, "error: no\nbuilding\n");
    }
}
