//! Linters that take single files and are quick about it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ralph_core::finding::ToolReport;
use ralph_core::format::OutputFormat;
use ralph_proc::{
    ExitReason, OutputStream, ProgramLaunch, ProgramLimits, ProgramWatcher, StreamMerging,
    WatcherDecision,
};
use tempfile::NamedTempFile;

use super::QuickCheckContext;
use crate::formats::{self, FindingCollector};
use crate::lsp::LanguageServer;
use crate::lsp::choice::{ServerChoice, ServerChooser, ServerLaunch};
use crate::lsp::servers::{PYTHON, SCRIPT, SHELL};

/// The maximum amount of a linter's output that is read, in bytes.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The time a linter has to end in good order once its time is over.
const GRACE: Duration = Duration::from_millis(100);

/// The placeholder in arguments for the file.
const FILE: &str = "{file}";

const ESLINT: &[&str] = &[
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    "eslint.config.cts",
    ".eslintrc",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
];
const BIOME: &[&str] = &["biome.json", "biome.jsonc"];
const OXLINT: &[&str] = &[".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.config.ts"];

/// A linter: where it is used, how it is called, and what it prints.
pub(super) struct QuickLinter {
    name: &'static str,
    extensions: &'static [&'static str],
    /// The program and what comes before the file.
    command: &'static str,
    /// Files that say that a project uses it, and where it is started. None
    /// for one that is good anywhere.
    configured_by: &'static [&'static str],
    format: OutputFormat,
    /// The arguments with which it reads the file from its input, if it can.
    from_input: Option<&'static str>,
}

const LINTERS: [QuickLinter; 5] = [
    QuickLinter {
        name: "ruff",
        extensions: PYTHON,
        // Its cache would lie in the project, and files that the project excludes are not checked.
        command: "ruff check --no-fix --output-format=json --no-cache --force-exclude",
        configured_by: &[],
        format: OutputFormat::Ruff,
        from_input: Some("--stdin-filename {file} -"),
    },
    QuickLinter {
        name: "eslint",
        extensions: SCRIPT,
        command: "eslint --format json",
        configured_by: ESLINT,
        format: OutputFormat::Eslint,
        from_input: Some("--stdin --stdin-filename {file}"),
    },
    QuickLinter {
        name: "biome",
        extensions: SCRIPT,
        command: "biome lint --reporter=json --max-diagnostics=200",
        configured_by: BIOME,
        format: OutputFormat::Biome,
        from_input: None,
    },
    QuickLinter {
        name: "oxlint",
        extensions: SCRIPT,
        command: "oxlint --format=json",
        configured_by: OXLINT,
        format: OutputFormat::Oxlint,
        from_input: None,
    },
    QuickLinter {
        name: "shellcheck",
        extensions: SHELL,
        command: "shellcheck --format=json1",
        configured_by: &[],
        format: OutputFormat::Shellcheck,
        from_input: None,
    },
];

/// A linter that is installed and wanted, and the file it is about.
#[derive(Debug)]
pub(super) struct LinterCall {
    tool: &'static str,
    start: ServerLaunch,
    file: PathBuf,
    format: OutputFormat,
    from_input: Option<&'static str>,
}

/// The version of a file's contents that a linter looks at.
#[derive(Clone, Copy)]
pub(super) enum LinterInput<'a> {
    /// Those it has.
    Present,
    /// Those it had.
    Earlier(&'a [u8]),
}

impl QuickLinter {
    /// Those that look at the file at this path.
    pub(super) fn calls(chooser: &ServerChooser<'_>, file: &Path) -> Vec<LinterCall> {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fits = |linter: &&QuickLinter| linter.extensions.iter().any(|end| name.ends_with(end));
        let call = |linter: &QuickLinter| match chooser.choose(&linter.as_server(), file) {
            ServerChoice::Use(start) => Some(LinterCall {
                tool: linter.name,
                start,
                file: file.to_owned(),
                format: linter.format,
                from_input: linter.from_input,
            }),
            ServerChoice::Missing(_) | ServerChoice::Unwanted => None,
        };
        LINTERS.iter().filter(fits).filter_map(call).collect()
    }

    /// It is looked for as a server is: the one nearest to the file.
    fn as_server(&self) -> LanguageServer {
        let server = LanguageServer::known(self.name, &[self.command], self.extensions);
        match self.configured_by {
            [] => server,
            files => server.with_one_of(files).rooted(files),
        }
    }
}

impl LinterCall {
    pub(super) fn tool(&self) -> &'static str {
        self.tool
    }

    /// Returns the linter's findings; `None` when it cannot tell, or not in time.
    pub(super) fn look(
        &self,
        means: &QuickCheckContext,
        root: &Path,
        version: LinterInput<'_>,
    ) -> Option<ToolReport> {
        let input = match version {
            LinterInput::Present => None,
            LinterInput::Earlier(text) => Some(kept(text).ok()?),
        };
        let arguments = if input.is_some() { self.from_input? } else { FILE };
        let launch = self.launch(means, arguments, input.as_ref().map(NamedTempFile::path));
        let wall = means.until.saturating_duration_since(Instant::now());
        let limits = ProgramLimits { wall: Some(wall), idle: None, grace: GRACE };
        let mut printed = LinterOutput::default();
        let ended = means.supervisor.run(&launch, &limits, &mut printed).ok()?;
        // By custom 1 stands for findings, and more for a linter that broke.
        if !matches!(ended.ending, ExitReason::Exited(0 | 1)) {
            return None;
        }
        let dir = self.start.root.strip_prefix(root).ok()?.to_str()?;
        let mut out = FindingCollector::new(root, dir);
        formats::read(self.format, &mut printed.0.as_slice(), &mut out).ok()?;
        Some(out.finish())
    }

    fn launch(
        &self,
        means: &QuickCheckContext,
        arguments: &str,
        stdin: Option<&Path>,
    ) -> ProgramLaunch {
        let file = |word: &str| match word {
            FILE => self.file.clone().into_os_string(),
            word => OsString::from(word),
        };
        let mut words = self.start.command.iter().cloned();
        let mut env = means.env.clone();
        env.retain(|(name, _)| name != "PATH");
        env.push(("PATH".into(), self.start.path.clone()));
        ProgramLaunch {
            program: words.next().unwrap_or_default(),
            args: words.chain(arguments.split(' ').map(file)).collect(),
            dir: self.start.root.clone(),
            env,
            stdin: stdin.map(Path::to_owned),
            streams: StreamMerging::Apart,
        }
    }
}

/// A file that only we can read, gone with its handle.
fn kept(text: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("ralph-look-").tempfile()?;
    file.write_all(text)?;
    Ok(file)
}

/// The output of a linter for machines.
#[derive(Default)]
struct LinterOutput(Vec<u8>);

impl ProgramWatcher for LinterOutput {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        if stream == OutputStream::Stdout {
            let room = MOST_BYTES.saturating_sub(self.0.len());
            self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}
