//! `ralph memory doctor`: what is wrong with the notes as a whole.

use std::fmt::Write;

use ralph_core::locale::Locale;
use ralph_engine::wire::memory as wire;
use ralph_memory::event::{Scope, What};
use ralph_memory::health::{Health, Twice, examine};

use super::books::Books;
use crate::error::CliError;
use crate::texts::table;

/// Find notes that are said twice, out of date, never of use or not fit to be kept
///
/// The exit code is 1 if something should be done: with `--fix`, what is the
/// same word for word is withdrawn, and secrets are overwritten in the log. Of
/// two notes yours stays, then what binds, then what is proven, then the older;
/// what is yours, has a check, or is of another kind or scope is left to you.
#[derive(clap::Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Withdraw literal duplicates and overwrite secrets
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How many notes are named for each finding.
const FEW: usize = 5;

pub(super) fn run(books: &Books<'_>, args: &DoctorArgs) -> Result<u8, CliError> {
    let root = &books.app.project.root;
    let home = books.home(Scope::Project);
    if args.fix {
        books.only_for_the_user("mend notes")?;
        books.ask(&home, |notebook| {
            let health = examine(notebook, root)?;
            if !health.secrets.is_empty() {
                notebook.scrub()?;
            }
            let pairs = health.twice.iter().chain(&health.echoes);
            let pairs = pairs.filter(|pair| pair.is_literal && pair.is_spare);
            let withdrawn = pairs.map(|Twice { first, again, .. }| {
                let why = books.answers.same_as(first);
                books.event(What::Retracted { id: again.clone(), why })
            });
            notebook.write(&withdrawn.collect::<Vec<_>>())
        })?;
    }
    let health = books.ask(&home, |notebook| examine(notebook, root))?.unwrap_or_default();
    super::print(args.json.then(|| wire::health(&health)), || told(&health, books.app.locale()));
    Ok(u8::from(health.needs_care()))
}

fn told(health: &Health, locale: Locale) -> String {
    let again = |pairs: &[Twice]| -> Vec<String> {
        pairs.iter().map(|pair| format!("{} = {}", pair.again, pair.first)).collect()
    };
    let say = |english: &'static str, korean: &'static str| match locale {
        Locale::En => english,
        Locale::Ko => korean,
    };
    let findings = [
        (say("said twice", "중복"), again(&health.twice)),
        (say("learned from what we showed", "보여 준 것을 다시 배움"), again(&health.echoes)),
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
    let Health { active, tokens_shown, tokens_cited, damaged, .. } = health;
    // Writing to a string cannot fail.
    let _ = match locale {
        Locale::En => writeln!(
            text,
            "{active} notes hold; of {tokens_shown} tokens shown, {tokens_cited} were of notes that were cited; {damaged} lines of the log are damaged."
        ),
        Locale::Ko => writeln!(
            text,
            "유효한 기록 {active}개. 보여 준 토큰 {tokens_shown}개 중 {tokens_cited}개가 인용된 기록의 것입니다. 손상된 로그 줄 {damaged}개."
        ),
    };
    text
}
