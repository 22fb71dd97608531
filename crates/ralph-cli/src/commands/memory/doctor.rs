//! `ralph memory doctor`: finds problems in the notes as a whole.

use std::fmt::Write;

use ralph_core::locale::Locale;
use ralph_engine::wire::memory as wire;
use ralph_memory::event::{LogEventKind, NoteScope};
use ralph_memory::health::{DuplicateNote, NotebookHealth, examine};
use ralph_memory::{MemoryError, Notebook};

use super::books::UserNotebooks;
use crate::error::CliError;
use crate::texts::{counted, table};
use ralph_engine::rights::CallRight;

/// Find notes that are duplicate, out of date, unused or unsafe to keep
///
/// The exit code is 1 if something should be done: with `--fix`, what is the
/// same word for word is withdrawn, and secrets are overwritten in the log. Of
/// two notes yours stays, then what binds, then what is proven, then the older;
/// what is yours, has a check, or is of another kind or scope is left to you. Notes
/// that are only alike stand: `ralph memory add TEXT --replaces ID` says which one
/// is right.
#[derive(clap::Args, Debug)]
pub(crate) struct MemoryDoctorArgs {
    /// Withdraw literal duplicates and overwrite secrets
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl MemoryDoctorArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.fix { CallRight::UserOnly } else { CallRight::Anyone }
    }
}

/// Number of notes that are named for each finding.
const FEW: usize = 5;

pub(super) fn run(books: &UserNotebooks<'_>, args: &MemoryDoctorArgs) -> Result<u8, CliError> {
    if args.fix {
        books.only_for_the_user("mend notes")?;
    }
    let own = visit(books, NoteScope::Project, args)?.unwrap_or_default();
    let global = visit(books, NoteScope::Global, args)?;
    let json = |visit: &NotebookCheckup| {
        let mut json = wire::health(&visit.health);
        if args.fix {
            let withdrawn = visit.mended.withdrawn.iter();
            json["withdrawn"] = withdrawn.map(|pair| pair.again.as_str()).collect();
            json["scrubbed_lines"] = visit.mended.scrubbed.into();
        }
        json
    };
    let both = || wire::examined(&json(&own), global.as_ref().map(json).as_ref());
    let locale = books.app.locale();
    super::print(args.json.then(both), || {
        let global = global.as_ref().map(|visit| {
            format!("\n{}:\n{}", books.answers.for_all_projects(), visit.told(locale))
        });
        own.told(locale) + &global.unwrap_or_default()
    });
    let mut visits = std::iter::once(&own).chain(&global);
    Ok(u8::from(visits.any(|visit| visit.health.needs_care())))
}

/// The repairs in one notebook, and its state afterwards.
#[derive(Default)]
struct NotebookCheckup {
    mended: NotebookRepairs,
    health: NotebookHealth,
}

impl NotebookCheckup {
    fn told(&self, locale: Locale) -> String {
        self.mended.told(locale) + &told(&self.health, locale)
    }
}

/// Examines a notebook, and repairs it if wanted; `None` if it does not exist.
fn visit(
    books: &UserNotebooks<'_>,
    scope: NoteScope,
    args: &MemoryDoctorArgs,
) -> Result<Option<NotebookCheckup>, CliError> {
    let root = &books.app.project.root;
    books.ask(scope, |notebook| {
        let mended = if args.fix { mend(books, notebook)? } else { NotebookRepairs::default() };
        Ok(NotebookCheckup { mended, health: examine(notebook, root)? })
    })
}

fn mend(books: &UserNotebooks<'_>, notebook: &Notebook) -> Result<NotebookRepairs, MemoryError> {
    let health = examine(notebook, &books.app.project.root)?;
    let scrubbed = if health.secrets.is_empty() { 0 } else { notebook.scrub()? };
    let pairs = health.twice.iter().chain(&health.echoes);
    let pairs = pairs.filter(|pair| pair.is_literal && pair.is_spare);
    let withdrawn: Vec<DuplicateNote> = pairs.cloned().collect();
    let writer = books.writer();
    let events = withdrawn.iter().map(|DuplicateNote { first, again, .. }| {
        let why = books.answers.same_as(first);
        writer.event(LogEventKind::Retracted { id: again.clone(), why })
    });
    notebook.write(&events.collect::<Vec<_>>())?;
    Ok(NotebookRepairs { withdrawn, scrubbed })
}

/// The repairs in a notebook.
#[derive(Default)]
struct NotebookRepairs {
    withdrawn: Vec<DuplicateNote>,
    /// Number of log lines in which secrets were overwritten.
    scrubbed: usize,
}

impl NotebookRepairs {
    fn told(&self, locale: Locale) -> String {
        let mut text = String::new();
        for DuplicateNote { first, again, .. } in &self.withdrawn {
            // Writing to a string cannot fail.
            let _ = match locale {
                Locale::En => writeln!(text, "Withdrawn: {again}, which says what {first} says."),
                Locale::Ko => {
                    writeln!(text, "{again} 을(를) 철회했습니다({first} 와(과) 같은 내용).")
                }
            };
        }
        if self.scrubbed > 0 {
            // Writing to a string cannot fail.
            let _ = match locale {
                Locale::En => writeln!(
                    text,
                    "Secrets were overwritten in {} of the log.",
                    counted(self.scrubbed, "line")
                ),
                Locale::Ko => writeln!(text, "로그 {}줄의 비밀을 덮어썼습니다.", self.scrubbed),
            };
        }
        text
    }
}

fn told(health: &NotebookHealth, locale: Locale) -> String {
    let again = |pairs: &[DuplicateNote]| -> Vec<String> {
        pairs.iter().map(|pair| format!("{} = {}", pair.again, pair.first)).collect()
    };
    let say = |english: &'static str, korean: &'static str| match locale {
        Locale::En => english,
        Locale::Ko => korean,
    };
    let near = health.near.iter().map(|pair| format!("{} ~ {}", pair.newer, pair.older)).collect();
    let findings = [
        (say("said twice", "중복"), again(&health.twice)),
        (say("learned from what we showed", "보여 준 것을 다시 배움"), again(&health.echoes)),
        (say("may replace each other", "서로 대체할 수 있음"), near),
        (say("hold secrets", "비밀 포함"), health.secrets.clone()),
        (say("read like orders", "명령처럼 보임"), health.orders.clone()),
        (say("out of date", "오래됨"), health.stale.clone()),
        (say("shown often, never cited", "자주 보였으나 인용 없음"), health.never_cited.clone()),
        (say("never shown", "보여 준 적 없음"), health.never_shown.clone()),
    ];
    let header = [say("notes", "기록"), say("count", "개수"), say("which", "예")];
    let rows = findings.iter().map(|(what, ids)| {
        let more = if ids.len() > FEW { " …" } else { "" };
        let first = ids.iter().take(FEW).cloned().collect::<Vec<_>>().join(", ");
        vec![(*what).to_owned(), ids.len().to_string(), format!("{first}{more}")]
    });
    let mut text = table(&header, rows);
    let NotebookHealth { active, tokens_shown, tokens_cited, damaged, .. } = health;
    // Writing to a string cannot fail.
    let _ = match locale {
        Locale::En => writeln!(
            text,
            "notes that hold: {active}; of {tokens_shown} tokens shown, {tokens_cited} were of notes that were cited; damaged lines of the log: {damaged}."
        ),
        Locale::Ko => writeln!(
            text,
            "유효한 기록은 {active}개입니다. 보여 준 토큰 {tokens_shown}개 중 {tokens_cited}개가 인용된 기록의 것입니다. 손상된 로그 줄은 {damaged}개입니다."
        ),
    };
    text
}
