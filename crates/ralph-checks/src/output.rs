//! The output of a gate while it runs: its end for people, all of it for the
//! reader, in bounded memory.

use std::fs::File;
use std::io::{self, BufReader, Seek, Write};
use std::path::PathBuf;

use ralph_core::claim::plain;
use ralph_core::feedback::last_chars;
use ralph_core::format::Format;
use ralph_core::redact::RedactedStream;
use ralph_proc::{Control, Stream, Streams, Watcher};
use tempfile::TempDir;

/// How much of the output a report keeps, in characters.
const TAIL_CHARS: usize = 8_000;

/// How much output is read, in bytes; a flood beyond it is cut off.
const SPOOL_BYTES: u64 = 1024 * 1024 * 1024;

/// Where the reader of a gate finds what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nothing is read.
    Nothing,
    /// What the command prints for machines; people get its standard error.
    Stdout,
    /// Everything it prints, in order.
    Everything,
    /// The file that its command names as `{report}`.
    Report,
}

impl Source {
    /// Where output in this form comes from.
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
            (
                HasReport::No,
                Format::Cargo
                | Format::Junit
                | Format::Jest
                | Format::GoTest
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
            Self::Nothing | Self::Stdout | Self::Report => Streams::Apart,
        }
    }
}

/// Whether a command names a report.
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
    pub(crate) fn new(source: Source) -> io::Result<Self> {
        Ok(Self { folder: tempfile::Builder::new().prefix("ralph-gate-").tempdir()?, source })
    }

    pub(crate) fn report(&self) -> PathBuf {
        self.folder.path().join("report")
    }

    /// What the reader reads, from its beginning.
    pub(crate) fn input(&self, spool: Option<File>) -> io::Result<BufReader<File>> {
        let file = match (self.source, spool) {
            (Source::Report, _) | (_, None) => File::open(self.report())?,
            (Source::Nothing | Source::Stdout | Source::Everything, Some(mut file)) => {
                file.rewind()?;
                file
            }
        };
        Ok(BufReader::with_capacity(128 * 1024, file))
    }

    pub(crate) fn spool(&self) -> io::Result<Option<File>> {
        match self.source {
            Source::Nothing | Source::Report => Ok(None),
            Source::Stdout | Source::Everything => {
                let path = self.folder.path().join("output");
                File::options().create_new(true).read(true).write(true).open(path).map(Some)
            }
        }
    }
}

/// Keeps the end of the output, redacted, in the order in which lines ended,
/// and spools what the reader needs.
pub(crate) struct Listener<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    source: Source,
    spool: Option<File>,
    spooled: u64,
    lost: Option<io::Error>,
    streams: [RedactedStream; 2],
    tail: String,
}

/// What a listener heard.
pub(crate) struct Heard {
    /// The end of the output, for people.
    pub(crate) tail: String,
    /// All that the reader needs, unless something got in the way.
    pub(crate) spool: io::Result<Option<File>>,
}

impl<'a> Listener<'a> {
    const KEEP: usize = 4 * TAIL_CHARS;

    pub(crate) fn new(
        stop: &'a mut dyn FnMut() -> bool,
        source: Source,
        spool: Option<File>,
    ) -> Self {
        let (streams, tail) = (Default::default(), String::new());
        Self { stop, source, spool, spooled: 0, lost: None, streams, tail }
    }

    pub(crate) fn finish(mut self) -> Heard {
        for index in 0..self.streams.len() {
            let rest = self.streams[index].finish();
            self.keep(&rest);
        }
        let tail = last_chars(&plain(&self.tail), TAIL_CHARS).to_owned();
        Heard { tail, spool: self.lost.map_or(Ok(self.spool), Err) }
    }

    fn keep(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > 2 * Self::KEEP {
            self.tail = last_chars(&self.tail, TAIL_CHARS).to_owned();
        }
    }

    fn spool(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.spool else { return };
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
            Stream::Stdout => {
                self.spool(bytes);
                // What is written for machines says nothing to people.
                if self.source == Source::Stdout {
                    return;
                }
                0
            }
            Stream::Stderr => 1,
        };
        let text = self.streams[index].push(bytes);
        self.keep(&text);
    }

    fn tick(&mut self) -> Control {
        if (self.stop)() { Control::Stop } else { Control::GoOn }
    }
}
