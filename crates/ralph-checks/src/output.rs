//! The output of a gate while it runs: its end for people, all of it for the
//! reader, in bounded memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use ralph_core::claim::plain;
use ralph_core::feedback::last_chars;
use ralph_core::format::Format;
use ralph_core::redact::RedactedStream;
use ralph_proc::{Control, Stream, Streams, Watcher};
use tempfile::TempDir;

/// The maximum length of the output that a report keeps, in characters.
const TAIL_CHARS: usize = 8_000;

/// The maximum amount of output that is read, in bytes; a flood beyond it is cut off.
const SPOOL_BYTES: u64 = 1024 * 1024 * 1024;

/// The place from which the reader of a gate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
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

impl Source {
    /// Returns the source of output in this form.
    pub(crate) fn of(format: Format, has_report: HasReport) -> Self {
        match (has_report, format) {
            (_, Format::Exit) => Self::Nothing,
            (HasReport::Yes, _) => Self::Report,
            (
                HasReport::No,
                Format::Text
                | Format::Libtest
                | Format::Nextest
                | Format::Tap
                | Format::Ctest
                | Format::Tsc
                | Format::Mypy,
            ) => Self::Everything,
            // Events, but until Go 1.24 the compiler prints text between them.
            (HasReport::No, Format::GoTest) => Self::StdoutFirst,
            (
                HasReport::No,
                Format::Cargo
                | Format::Junit
                | Format::Jest
                | Format::Eslint
                | Format::Biome
                | Format::Oxlint
                | Format::Ruff
                | Format::Pyright
                | Format::Shellcheck
                | Format::Rubocop
                | Format::Sarif,
            ) => Self::Stdout,
        }
    }

    pub(crate) fn streams(self) -> Streams {
        match self {
            Self::Everything => Streams::Merged,
            Self::Nothing | Self::Stdout | Self::StdoutFirst | Self::Report => Streams::Apart,
        }
    }
}

/// Tells if a command names a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HasReport {
    Yes,
    No,
}

/// A folder for one execution of a gate; it disappears afterwards.
pub(crate) struct Scratch {
    folder: TempDir,
    source: Source,
}

impl Scratch {
    /// Makes the folder where the supervisor's programs can write.
    pub(crate) fn new(source: Source, place: Option<&Path>) -> io::Result<Self> {
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
    pub(crate) fn input(&self, spools: Spools) -> io::Result<Input> {
        if self.source != Source::Report {
            return printed(spools).map(Input::Wanted);
        }
        let printed = printed(spools)?;
        match ralph_files::open(self.report()) {
            Ok(file) => Ok(Input::Report { report: buffered(Box::new(file)), printed }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Input::Instead(printed)),
            Err(error) => Err(error),
        }
    }

    /// Files for what the reader needs of each stream.
    pub(crate) fn spools(&self) -> io::Result<Spools> {
        let spool = |name: &str| {
            let path = self.folder.path().join(name);
            File::options().create_new(true).read(true).write(true).open(path).map(Some)
        };
        match self.source {
            Source::Nothing => Ok([None, None]),
            Source::Stdout | Source::Everything => Ok([spool("output")?, None]),
            // Without a report what was printed is all there is.
            Source::StdoutFirst | Source::Report => Ok([spool("output")?, spool("errors")?]),
        }
    }
}

/// The files that keep standard output and standard error.
pub(crate) type Spools = [Option<File>; 2];

/// The input of a reader.
pub(crate) enum Input {
    /// Output in the form that was asked for.
    Wanted(BufReader<Box<dyn Read>>),
    /// The report that was asked for, and everything that was printed as well.
    Report { report: BufReader<Box<dyn Read>>, printed: BufReader<Box<dyn Read>> },
    /// There is no report; this is all that was printed.
    Instead(BufReader<Box<dyn Read>>),
}

/// Returns all that was kept of one stream, and then all that was kept of the other.
fn printed(spools: Spools) -> io::Result<BufReader<Box<dyn Read>>> {
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
pub(crate) struct Listener<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    source: Source,
    spools: Spools,
    spooled: u64,
    lost: Option<io::Error>,
    streams: [RedactedStream; 2],
    tail: String,
    /// The end of what was written for machines, as it came.
    machine_tail: Vec<u8>,
}

/// The output that a listener heard.
pub(crate) struct Heard {
    /// The end of the output, for people.
    pub(crate) tail: String,
    /// The end of what was written for machines, for want of anything better.
    pub(crate) machine_tail: String,
    /// All that the reader needs, unless something got in the way.
    pub(crate) spools: io::Result<Spools>,
}

impl<'a> Listener<'a> {
    const KEEP: usize = 4 * TAIL_CHARS;

    pub(crate) fn new(stop: &'a mut dyn FnMut() -> bool, source: Source, spools: Spools) -> Self {
        let (streams, tail, machine_tail) = (Default::default(), String::new(), Vec::new());
        Self { stop, source, spools, spooled: 0, lost: None, streams, tail, machine_tail }
    }

    pub(crate) fn finish(mut self) -> Heard {
        for index in 0..self.streams.len() {
            let rest = self.streams[index].finish();
            self.keep(&rest);
        }
        let end = |text: &str| last_chars(&plain(text), TAIL_CHARS).to_owned();
        let mut machines = RedactedStream::default();
        let machine_text = machines.push(&self.machine_tail) + &machines.finish();
        let (tail, machine_tail) = (end(&self.tail), end(&machine_text));
        Heard { tail, machine_tail, spools: self.lost.map_or(Ok(self.spools), Err) }
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

impl Watcher for Listener<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        let index = match stream {
            Stream::Stdout => 0,
            Stream::Stderr => 1,
        };
        self.spool(index, bytes);
        if index == 0 && matches!(self.source, Source::Stdout | Source::StdoutFirst) {
            self.keep_for_machines(bytes);
            return;
        }
        let text = self.streams[index].push(bytes);
        self.keep(&text);
    }

    fn tick(&mut self) -> Control {
        if (self.stop)() { Control::Stop } else { Control::GoOn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the input for the reader, and the output for people.
    fn heard(source: Source, said: &[(Stream, &str)]) -> (Input, String) {
        let scratch = Scratch::new(source, None).unwrap();
        let mut stop = || false;
        let mut listener = Listener::new(&mut stop, source, scratch.spools().unwrap());
        for (stream, text) in said {
            listener.output(*stream, text.as_bytes());
        }
        let Heard { tail, spools, .. } = listener.finish();
        (scratch.input(spools.unwrap()).unwrap(), tail)
    }

    #[track_caller]
    fn wanted(input: Input) -> String {
        match input {
            Input::Wanted(input) => io::read_to_string(input).unwrap(),
            Input::Report { .. } | Input::Instead(_) => panic!("it was to be read from a stream"),
        }
    }

    const BUILD: [(Stream, &str); 3] = [
        (Stream::Stdout, "{\"Action\""),
        (Stream::Stderr, "./a.go:1:2: no\n"),
        (Stream::Stdout, ":\"fail\"}\n"),
    ];

    #[cfg(unix)]
    #[test]
    fn what_a_gate_prints_is_for_nobody_elses_eyes() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new(Source::Report, None).unwrap();
        let mode = scratch.folder.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn what_go_says_beside_its_events_is_read_after_them() {
        let source = Source::of(Format::GoTest, HasReport::No);
        let (read, tail) = heard(source, &BUILD);
        assert_eq!(wanted(read), "{\"Action\":\"fail\"}\n./a.go:1:2: no\n");
        assert_eq!(tail, "./a.go:1:2: no\n");
    }

    #[test]
    fn what_other_machines_readers_get_is_standard_output_alone() {
        let source = Source::of(Format::Cargo, HasReport::No);
        assert_eq!(wanted(heard(source, &BUILD).0), "{\"Action\":\"fail\"}\n");
    }

    #[test]
    fn the_end_of_what_machines_get_is_kept_for_want_of_anything_better() {
        let mut stop = || false;
        let mut listener = Listener::new(&mut stop, Source::Stdout, [None, None]);
        for _ in 0..1000 {
            listener.output(Stream::Stdout, &[b'x'; 1000]);
        }
        listener.output(Stream::Stdout, b"the end");
        let Heard { tail, machine_tail, .. } = listener.finish();
        assert_eq!((tail.as_str(), machine_tail.len()), ("", TAIL_CHARS));
        assert!(machine_tail.ends_with("the end"));
    }

    #[test]
    fn without_a_report_there_is_what_was_printed() {
        let source = Source::of(Format::Junit, HasReport::Yes);
        let said = [(Stream::Stderr, "error: no\n"), (Stream::Stdout, "building\n")];
        let (Input::Instead(read), tail) = heard(source, &said) else {
            panic!("nobody wrote a report");
        };
        assert_eq!(io::read_to_string(read).unwrap(), "building\nerror: no\n");
        assert_eq!(tail, "error: no\nbuilding\n");
    }
}
