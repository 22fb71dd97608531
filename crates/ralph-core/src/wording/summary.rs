//! Summarizes earlier turns for an agent that does not remember them.

use crate::feedback::last_chars;
use crate::line::inline;
use crate::locale::Locale;
use crate::run::Run;

/// Number of characters repeated from the final text of an earlier turn.
const WORDS: usize = 300;

/// Number of characters repeated from the last final text.
const LAST_WORDS: usize = 3_000;

/// Facts about earlier turns that are not part of the run's record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierTurns {
    /// Earlier turns, oldest first.
    pub turns: Vec<PastTurn>,
    /// Files that differ from the start.
    pub changed: Vec<String>,
    /// Number of further such files.
    pub more_changed: usize,
}

/// An earlier turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastTurn {
    /// Number of the turn.
    pub number: u32,
    /// Its final text.
    pub text: String,
    /// Number of failures after it; `None` without gates.
    pub failing: Option<u32>,
}

/// Renders the summary of the old session for a new one. It holds only facts that
/// ralph observed, so it needs no model.
pub fn summary(run: &Run, past: &EarlierTurns) -> String {
    let locale = run.policy.locale;
    let mut sections = vec![
        locale.say(
            "What happened so far. You did this in an earlier session, which you do not remember; the files are as it left them.",
            "지금까지의 경과입니다. 기억하지 못하는 이전 세션에서 한 일이며, 파일은 그때 그대로 남아 있습니다.",
        )
        .to_owned(),
    ];
    sections.extend(changed(past, locale));
    sections.extend(turns(past, locale));
    let words = last_chars(run.last_output.trim(), LAST_WORDS).trim();
    if !words.is_empty() {
        let label = locale.say("Your last words were:", "마지막으로 한 말:");
        sections.push(format!("{label}\n{}", quoted(words)));
    }
    sections.join("\n\n")
}

fn changed(past: &EarlierTurns, locale: Locale) -> Option<String> {
    if past.changed.is_empty() {
        return None;
    }
    let label = locale.say("Files changed since the start:", "시작 이후 바뀐 파일:");
    let mut lines: Vec<String> =
        past.changed.iter().map(|name| format!("- {}", inline(name))).collect();
    if past.more_changed > 0 {
        lines.push(locale.say(
            format!("- and {} more", past.more_changed),
            format!("- 그 밖에 {}개", past.more_changed),
        ));
    }
    Some(format!("{label}\n{}", lines.join("\n")))
}

fn turns(past: &EarlierTurns, locale: Locale) -> Option<String> {
    let line = |turn: &PastTurn| {
        let flat: Vec<&str> = turn.text.split_whitespace().collect();
        let flat = flat.join(" ");
        let words = last_chars(&flat, WORDS);
        let words = if words.len() < flat.len() { format!("…{words}") } else { flat.clone() };
        let failing = match turn.failing {
            Some(failing) => {
                locale.say(format!(" ({failing} failing)"), format!(" (실패 {failing}건)"))
            }
            None => String::new(),
        };
        format!("- {}{failing}: {words}", turn.number)
    };
    let lines: Vec<String> = past.turns.iter().map(line).collect();
    let label = locale.say("Turns, each with the end of what you said:", "각 턴과 그 마지막 말:");
    (!lines.is_empty()).then(|| format!("{label}\n{}", lines.join("\n")))
}

/// Marks every line as a quotation, so that a promise in it does not count.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// Tells an agent that its operations were denied.
pub fn refused(what: &[String], locale: Locale) -> String {
    let what = what.join("; ");
    let what = inline(&what);
    locale.say(
        format!(
            "You were not allowed to do this, and no one can allow it now: {what}. Do not try it again; find another way, or leave it to the checks that are run for you."
        ),
        format!(
            "다음 작업은 허용되지 않았으며, 허용해 줄 사람도 없습니다: {what}. 다시 시도하지 말고 다른 방법을 찾거나, 자동으로 실행되는 검사에 맡기세요."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_summary_holds_what_was_done_and_said_and_nothing_else() {
        let mut run = samples::run(&samples::gated());
        run.last_output = "Fixed the parser.\nNext: the lexer.".to_owned();
        let past = EarlierTurns {
            turns: vec![
                PastTurn { number: 1, text: "Looked\naround.".to_owned(), failing: Some(3) },
                PastTurn { number: 2, text: "x".repeat(1000), failing: None },
            ],
            changed: vec!["src/a.rs".to_owned()],
            more_changed: 2,
        };
        let text = summary(&run, &past);
        assert!(text.contains("- src/a.rs\n- and 2 more"), "{text}");
        assert!(text.contains("- 1 (3 failing): Looked around."), "{text}");
        assert!(text.contains(&format!("- 2: …{}", "x".repeat(WORDS))), "{text}");
        assert!(text.ends_with("> Fixed the parser.\n> Next: the lexer."), "{text}");
    }

    #[test]
    fn where_nothing_is_known_nothing_is_invented() {
        let mut run = samples::run(&samples::gated());
        run.last_output = String::new();
        assert_eq!(summary(&run, &EarlierTurns::default()).lines().count(), 1);
    }
}
