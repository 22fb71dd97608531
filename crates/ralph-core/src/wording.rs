//! All texts for agents and people, in every supported language.

use std::path::Path;

use unicode_width::UnicodeWidthStr as _;

use crate::evidence::{GateFault, Verdict, WeakenedCheck};
use crate::locale::Locale;
use crate::policy;
use crate::run::Run;
use crate::time::render_span;

mod gate;
pub mod hands;
mod headline;
pub mod host;
pub mod learned;
mod outcome;
mod prompt;
mod reason;
mod sections;
mod summary;
pub mod told;

#[cfg(test)]
mod lines_tests;

pub use gate::{GateAttempt, extent, no_time, unnamed_tests, what_fails};
pub use headline::{auto_continue_line, complete_line, score};
pub use outcome::{
    circle_words, limit_sentence, run_sentence, session_sentence, state_words, turn_words,
    weak_checks,
};
pub use prompt::{NextPrompt, continuation_template, first_prompt, rules, signal};
pub use reason::reason_ko;
pub use sections::sections;
pub use summary::{EarlierTurns, PastTurn, refused, summary};

/// Renders a person's answer to the agent, with the question if there was one.
pub fn answer(question: Option<&str>, text: &str, locale: Locale) -> String {
    match question {
        Some(question) => locale.say(
            format!("You asked: \"{question}\"\nThe user answers: {text}"),
            format!("질문: \"{question}\"\n사용자의 답변: {text}"),
        ),
        None => locale.say(format!("The user says: {text}"), format!("사용자의 말: {text}")),
    }
}

/// Warns that files of the project changed while checks ran.
pub fn changed_by_checks<'f>(files: impl Iterator<Item = &'f Path>, locale: Locale) -> String {
    const NAMED: usize = 3;
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    let named = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(NAMED) {
        0 => locale.say(
            format!("Files changed while the checks ran: {named}"),
            format!("검사가 실행되는 동안 파일이 변경되었습니다: {named}"),
        ),
        more => locale.say(
            format!("Files changed while the checks ran: {named} and {more} more"),
            format!("검사가 실행되는 동안 파일이 변경되었습니다: {named} 외 {more}개"),
        ),
    }
}

/// Asks the user whether changes of tests and checks are intended.
pub fn held_question(run: &Run, held: &[WeakenedCheck]) -> String {
    const NAMED: usize = 3;
    let named: Vec<String> =
        held.iter().take(NAMED).map(|one| format!("{}: {}", one.place, one.what)).collect();
    let more = held.len().saturating_sub(NAMED);
    let mut paths: Vec<&str> =
        held.iter().filter(|one| one.has_path()).map(WeakenedCheck::file).collect();
    paths.dedup();
    if paths.is_empty() {
        return unallowable_question(run, &named.join("; "));
    }
    let paths = paths.iter().map(|path| policy::quoted(path)).collect::<Vec<_>>().join(" ");
    let command = match run.session() {
        Some(_) => format!("/ralph allow {paths}"),
        None => format!("ralph allow {paths} && ralph resume"),
    };
    let named = named.join("; ");
    match more {
        0 => run.policy.locale.say(
            format!("{named}. Intended? `{command}`"),
            format!("{named}. 의도한 변경이면 `{command}` 를 실행하세요"),
        ),
        _ => run.policy.locale.say(
            format!("{named}; and {more} more. Intended? `{command}`"),
            format!("{named} 외 {more}건이 있습니다. 의도한 변경이면 `{command}` 를 실행하세요"),
        ),
    }
}

/// Asks the user what to do with a run whose weakening cannot be allowed.
fn unallowable_question(run: &Run, named: &str) -> String {
    let (resume, stop) = match run.session() {
        Some(_) => ("/ralph resume", "/cancel-ralph"),
        None => ("ralph resume", "ralph stop"),
    };
    run.policy.locale.say(
        format!("{named}. `{resume}` judges again, `{stop}` ends the run"),
        format!("{named}. `{resume}` 으로 다시 판정하고 `{stop}` 으로 끝냅니다"),
    )
}

/// Marks a weakening as accepted by the user.
pub fn accepted(what: &str, locale: Locale) -> String {
    locale.say(format!("{what} (accepted)"), format!("{what} (허용됨)"))
}

/// Describes the verdict of a gate in a few words.
pub fn verdict(verdict: &Verdict, locale: Locale) -> String {
    locale.say(verdict.describe(), verdict_ko(verdict))
}

fn verdict_ko(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "통과".to_owned(),
        Verdict::Fail(GateFault::Exit(code)) => format!("실패: 종료 코드 {code}"),
        Verdict::Fail(GateFault::Signal(signal)) => format!("실패: 시그널 {signal}(으)로 중단됨"),
        Verdict::Fail(GateFault::Timeout(limit)) => {
            format!("실패: 시간 초과({})", render_span(*limit))
        }
        Verdict::Fail(GateFault::Findings(count)) => format!("실패: 문제 {count}건"),
        Verdict::Fail(GateFault::Refused) => "작업을 인정하지 않음".to_owned(),
        Verdict::Unclear { reason } => format!("불명확: {}", reason_ko(reason)),
        Verdict::Unknown { reason } => format!("확인 불가: {}", reason_ko(reason)),
    }
}

/// Maximum length of a line for the user, in characters.
pub const LINE_CHARS: usize = 200;

/// Renders text as one line of at most `most` characters, without control characters
/// and terminal sequences.
pub fn one_line(text: &str, most: usize) -> String {
    let flat: String = crate::claim::plain(text)
        .chars()
        .map(|c| if c.is_control() || turns_around(c) { ' ' } else { c })
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if flat.chars().count() <= most {
        return flat;
    }
    let mut short: String = flat.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Returns true if a character changes the direction of the text.
fn turns_around(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Wraps long lines: after a sentence if possible, otherwise after a word.
pub fn folded(text: &str) -> String {
    text.split('\n').flat_map(folded_line).collect::<Vec<&str>>().join("\n")
}

fn folded_line(mut line: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    while let Some((end, _)) = line.char_indices().nth(LINE_CHARS) {
        let head = &line[..end];
        let behind = |mark: &str| head.rfind(mark).map(|at| at + mark.trim_end().len());
        let sentence = [". ", "? ", "; "].into_iter().filter_map(behind).max();
        let at = sentence.or_else(|| behind(" ")).filter(|at| *at > 0).unwrap_or(end);
        lines.push(line[..at].trim_end());
        line = line[at..].trim_start();
    }
    lines.push(line);
    lines
}

/// Returns the number of terminal columns; most East Asian characters take two.
pub fn columns(text: &str) -> usize {
    text.width()
}
