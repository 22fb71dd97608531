//! `ralph memory files`: predicts the files that a task will touch.

use std::fmt::Write;
use std::path::PathBuf;

use ralph_core::locale::Locale;
use ralph_core::memory::notes;
use ralph_engine::clock::TimeSource;
use ralph_engine::likely::{COMMITS, PredictionContext};
use ralph_engine::wire::likely as wire;
use ralph_memory::history::{LikelyFile, LikelyReason};

use crate::app::App;
use crate::commands::code::progress::IndexProgressBar;
use crate::error::CliError;
use crate::out;

/// List the files that a task will probably touch, and why
///
/// From commits with words of the task, what files define and are called,
/// files that are changed together, and notes. New commits are read first.
#[derive(clap::Args, Debug)]
pub(super) struct FilesArgs {
    /// The task; its first line counts most
    #[arg(value_name = "TASK", required_unless_present = "queries")]
    task: Option<String>,
    /// How many files to list
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10, value_parser = super::some())]
    limit: usize,
    /// A file (`-` reads standard input) with a task on each line, as text or as a
    /// JSON string; prints a JSON object for each
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    queries: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Makes the place of a project: its folders, and the commits to learn from.
pub(super) fn place(app: &App, commits: usize) -> PredictionContext<'_> {
    // The clock has whole milliseconds.
    let now = app.clock.now().as_millis().saturating_mul(1_000_000);
    PredictionContext { project: &app.project, home: &app.home, commits, now }
}

pub(super) fn run(args: &FilesArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let tasks = tasks(args)?;
    let mut bar = IndexProgressBar::new(app.locale());
    let found =
        place(&app, COMMITS).likely(&tasks, args.limit, &mut |progress| bar.show_likely(progress));
    bar.clear();
    let found = found?;
    for (index, (task, likely)) in tasks.iter().zip(&found).enumerate() {
        if args.queries.is_some() {
            out::line(wire::numbered(index, task, likely));
        } else if args.json {
            out::line(wire::files(likely));
        } else if likely.is_empty() {
            out::note(nothing(app.locale()));
        } else {
            out::raw(&listed(likely, app.locale()));
        }
    }
    Ok(0)
}

fn tasks(args: &FilesArgs) -> Result<Vec<String>, CliError> {
    let Some(path) = &args.queries else { return Ok(args.task.iter().cloned().collect()) };
    Ok(super::questions(path)?.lines().map(super::question).collect())
}

fn nothing(locale: Locale) -> &'static str {
    locale.say(
        "Nothing that is known has words of this task.",
        "알려진 것 중에 이 작업의 낱말을 가진 것이 없습니다.",
    )
}

fn listed(likely: &[LikelyFile], locale: Locale) -> String {
    let mut text = String::new();
    for LikelyFile { file, score, reasons, .. } in likely {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{score:.2}  {}", notes::as_data(file));
        for reason in reasons {
            let _ = writeln!(text, "      {}", told(reason, locale));
        }
    }
    text
}

fn told(reason: &LikelyReason, locale: Locale) -> String {
    match (locale, reason) {
        (Locale::En, reason) => wire::reason(reason),
        (Locale::Ko, LikelyReason::Commit { id, at: _, subject, reverted }) => {
            let fate = if *reverted { " (나중에 되돌려짐)" } else { "" };
            format!("커밋 {}{fate}: {}", wire::short(id), notes::as_data(subject))
        }
        (Locale::Ko, LikelyReason::Words(words)) => {
            format!("경로나 정의의 낱말: {}", words.join(", "))
        }
        (Locale::Ko, LikelyReason::Defines(name)) => format!("`{name}` 정의"),
        (Locale::Ko, LikelyReason::Together { file, times }) => {
            format!("{file} 파일과 함께 {times}번 변경됨")
        }
        (Locale::Ko, LikelyReason::Note { id, title }) => format!("기록 {id}: {title}"),
    }
}
