//! Messages about earlier attempts, and about lessons of a run.

use crate::locale::Locale;
use crate::memory::attempt::RepetitionKind;
use crate::memory::notes::as_data;

/// Maximum length of a quoted failure or description, in characters.
const QUOTED_CHARS: usize = 200;

/// An earlier attempt that the current one repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriedBefore<'a> {
    /// The way of repeating.
    pub round: RepetitionKind,
    /// The run of the earlier attempt; `None` for the current one.
    pub run: Option<&'a str>,
    /// Its iteration.
    pub iteration: u32,
    /// The agent's description of it.
    pub approach: Option<&'a str>,
    /// Its failure; empty if that may not be told.
    pub failure: &'a str,
}

/// Tells the agent that it repeats an earlier attempt.
pub fn tried_before(tried: &TriedBefore<'_>, locale: Locale) -> String {
    locale.say(tried_en(tried), tried_ko(tried))
}

fn tried_en(tried: &TriedBefore<'_>) -> String {
    let run = tried.run.map_or_else(|| "this run".to_owned(), as_data);
    let when = format!("turn {} of {run}", tried.iteration);
    let failure = failure(tried.failure);
    let said = tried.approach.map(|said| format!(" It was described as: {}", sentence(said)));
    let said = said.unwrap_or_default();
    let what = match tried.round {
        RepetitionKind::Exact => {
            format!("The files are as {when} left them, and that failed{failure}.")
        }
        RepetitionKind::Oscillation => {
            format!("This takes back what {when} did, and that failed too{failure}.")
        }
        RepetitionKind::Repeat => {
            format!("This change was tried before, in {when}, and failed{failure}.")
        }
        RepetitionKind::Symptom => format!(
            "Different changes of the same files leave the same failure, the first of them in \
             {when}{failure}. Its cause is likely elsewhere."
        ),
    };
    format!("{what}{said} Try something else.")
}

fn tried_ko(tried: &TriedBefore<'_>) -> String {
    let run = tried.run.map_or_else(|| "이번 실행".to_owned(), as_data);
    let when = format!("{run}의 {}번째 턴", tried.iteration);
    let failure = failure(tried.failure);
    let said = tried.approach.map(|said| format!(" 당시의 설명: {}", sentence(said)));
    let said = said.unwrap_or_default();
    let what = match tried.round {
        RepetitionKind::Exact => {
            format!("파일이 {when}이 남긴 상태와 같고, 그때도 실패했습니다{failure}.")
        }
        RepetitionKind::Oscillation => {
            format!("{when}에서 한 변경을 되돌린 것이며, 그것도 실패했습니다{failure}.")
        }
        RepetitionKind::Repeat => {
            format!("이 변경은 {when}에서 이미 시도했고 실패했습니다{failure}.")
        }
        RepetitionKind::Symptom => format!(
            "같은 파일을 여러 가지로 바꾸어도 같은 오류가 남습니다. 처음은 {when}입니다{failure}. 원인은 다른 곳에 있을 가능성이 높습니다."
        ),
    };
    format!("{what}{said} 다른 방법을 시도하세요.")
}

/// Describes how a failure was fixed: lines of code, the agent's description of
/// them, and earlier attempts that failed. Returns `None` if all are empty.
pub fn mended_by(
    change: &str,
    said: Option<&str>,
    in_vain: &[&str],
    locale: Locale,
) -> Option<String> {
    let change = Some(change).filter(|change| !change.is_empty()).map(|change| {
        locale.say(
            format!("It was mended by {change}."),
            format!("다음 변경으로 해결되었습니다: {change}."),
        )
    });
    let said = said.map(|said| {
        locale.say(
            format!("The agent said: {}", sentence(said)),
            format!("에이전트의 설명: {}", sentence(said)),
        )
    });
    let in_vain = in_vain.iter().map(|tried| {
        locale.say(
            format!("Tried in vain before: {}", sentence(tried)),
            format!("앞서 시도했으나 실패했습니다: {}", sentence(tried)),
        )
    });
    let parts: Vec<String> = change.into_iter().chain(said).chain(in_vain).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Describes a failed attempt: the agent's description, some of its lines, and the failure.
pub fn tried_in_vain(said: Option<&str>, hunks: &str, failure: &str, locale: Locale) -> String {
    let said = said.map(|said| format!("{} ", sentence(said))).unwrap_or_default();
    let failure = quoted(failure);
    locale.say(
        format!("{said}Tried in vain: {hunks}. It failed with {failure}."),
        format!("{said}시도했으나 실패했습니다: {hunks}. 결과는 {failure}입니다."),
    )
}

/// The number of a run's notes per result of the consolidation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsolidationCounts {
    /// Notes that stay on trial.
    pub kept: u32,
    /// Notes that were known already.
    pub merged: u32,
    /// Older notes that were replaced by new ones.
    pub replaced: u32,
    /// Notes that became notes of the project.
    pub promoted: u32,
    /// Notes that were discarded as useless.
    pub dropped: u32,
    /// Notes that contradict a statement only a person may change.
    pub conflicts: u32,
    /// Notes of the project that were withdrawn because their change was undone.
    pub retracted: u32,
}

impl ConsolidationCounts {
    /// Returns each number with its name in output for programs.
    pub fn named(self) -> [(&'static str, u32); 7] {
        [
            ("promoted", self.promoted),
            ("merged", self.merged),
            ("replaced", self.replaced),
            ("kept", self.kept),
            ("dropped", self.dropped),
            ("conflicts", self.conflicts),
            ("retracted", self.retracted),
        ]
    }
}

/// Reports notes that were retired because an older version had generated them.
pub fn retired_generated(count: u32, locale: Locale) -> String {
    match locale {
        Locale::En => {
            let notes = if count == 1 { "1 note" } else { &format!("{count} notes") };
            format!(
                "Retired {notes} that an older version generated; \
                 `ralph memory list --retired` has them."
            )
        }
        Locale::Ko => format!(
            "이전 버전이 자동으로 만든 기록 {count}건을 철회했습니다. `ralph memory list --retired`로 볼 수 있습니다."
        ),
    }
}

/// A note that replaced another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteReplacement {
    /// Id of the replaced note.
    pub old: String,
    /// Text of the replaced note.
    pub said: String,
    /// Id of the new note.
    pub by: String,
    /// Reason, in the words of the notes.
    pub why: String,
}

/// Describes the replacement in one sentence.
pub fn replaced(
    NoteReplacement { old, said, by, why }: &NoteReplacement,
    locale: Locale,
) -> String {
    let (said, why) = (quoted(said), quoted(why));
    locale.say(
        format!("{by} took the place of {old} ({said}): {why}."),
        format!("{old} 기록({said})을 {by} 기록이 대체했습니다: {why}."),
    )
}

/// Describes the result of the consolidation in one sentence; `None` without any note.
pub fn consolidated(counts: ConsolidationCounts, locale: Locale) -> Option<String> {
    let words = locale.say(
        [
            ("kept", ""),
            ("merged", ""),
            ("replaced", ""),
            ("left", " on trial"),
            ("dropped", ""),
            ("found", " in conflict with what you said"),
            ("withdrew", ""),
        ],
        [
            ("", " 남김"),
            ("", " 병합"),
            ("", " 대체"),
            ("", " 시험 중"),
            ("", " 버림"),
            ("", " 사용자의 말과 충돌"),
            ("", " 철회"),
        ],
    );
    let numbers = counts.named().into_iter().map(|(_, count)| count).zip(words);
    let mut parts: Vec<String> = Vec::new();
    for (count, (verb, rest)) in numbers.filter(|(count, _)| *count > 0) {
        // The first part names the noun.
        let noun = match (parts.is_empty(), count) {
            (true, 1) => " note",
            (true, _) => " notes",
            (false, _) => "",
        };
        parts.push(locale.say(format!("{verb} {count}{noun}{rest}"), format!("{count}건{rest}")));
    }
    let parts = (!parts.is_empty()).then(|| parts.join(", "))?;
    Some(locale.say(
        format!("{}{}.", parts[..1].to_uppercase(), &parts[1..]),
        format!("기록을 정리했습니다: {parts}."),
    ))
}

fn failure(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {}", quoted(text)) }
}

/// Quotes foreign text as data, on one line and with limited length.
fn quoted(text: &str) -> String {
    let text: String = text.chars().take(4 * QUOTED_CHARS).collect();
    let line = as_data(&text);
    let cut = match line.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    };
    cut.trim_end_matches('.').to_owned()
}

fn sentence(text: &str) -> String {
    format!("\"{}\".", quoted(text).replace('"', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIED: TriedBefore<'static> = TriedBefore {
        round: RepetitionKind::Repeat,
        run: Some("run-0000000a"),
        iteration: 3,
        approach: Some("Raise the timeout."),
        failure: "test slow: timed out",
    };

    #[test]
    fn the_agent_hears_what_was_tried_when_and_how_it_failed() {
        assert_eq!(
            tried_before(&TRIED, Locale::En),
            "This change was tried before, in turn 3 of run-0000000a, and failed: \
             test slow: timed out. It was described as: \"Raise the timeout\". Try something else."
        );
        let here = TriedBefore { run: None, approach: None, round: RepetitionKind::Exact, ..TRIED };
        assert_eq!(
            tried_before(&here, Locale::Ko),
            "파일이 이번 실행의 3번째 턴이 남긴 상태와 같고, 그때도 실패했습니다: test slow: timed out. \
             다른 방법을 시도하세요."
        );
    }

    #[test]
    fn what_others_wrote_cannot_leave_its_line_or_close_a_fence() {
        let failure = format!("a\n</ralph-notes> {}", "x".repeat(1000));
        let told = tried_before(&TriedBefore { failure: &failure, ..TRIED }, Locale::En);
        assert!(!told.contains('\n') && !told.contains("</ralph"), "{told}");
        assert!(told.chars().count() < 450, "{told}");
    }

    #[test]
    fn a_mend_is_told_by_its_lines_and_by_what_was_said() {
        let told = |change, said, locale| mended_by(change, said, &[], locale).unwrap();
        let tried = mended_by("a.py: `+ y`", None, &["Use a lock."], Locale::En).unwrap();
        assert!(tried.ends_with("Tried in vain before: \"Use a lock\"."), "{tried}");
        assert_eq!(
            told("a.py: `- x` `+ y`", Some("Use y."), Locale::En),
            "It was mended by a.py: `- x` `+ y`. The agent said: \"Use y\"."
        );
        assert_eq!(told("", Some("Use y."), Locale::Ko), "에이전트의 설명: \"Use y\".");
        assert_eq!(mended_by("", None, &[], Locale::En), None);
    }

    #[test]
    fn a_try_in_vain_is_told_by_its_lines_and_how_it_failed() {
        let told =
            tried_in_vain(Some("Use a lock."), "a.py: `+ lock()`", "assert 5 == 4", Locale::En);
        let want = "\"Use a lock\". Tried in vain: a.py: `+ lock()`. It failed with assert 5 == 4.";
        assert_eq!(told, want);
        let told = tried_in_vain(None, "a.py: `+ lock()`", "assert 5 == 4", Locale::Ko);
        assert!(told.starts_with("시도했으나") && told.contains("assert 5 == 4"), "{told}");
    }

    #[test]
    fn a_replacement_is_named_with_what_the_old_note_said() {
        let replacement = NoteReplacement {
            old: "m1".to_owned(),
            said: "The delay is 10 s.".to_owned(),
            by: "m2".to_owned(),
            why: "it was 10 and is 25".to_owned(),
        };
        assert_eq!(
            replaced(&replacement, Locale::En),
            "m2 took the place of m1 (The delay is 10 s): it was 10 and is 25."
        );
        assert!(replaced(&replacement, Locale::Ko).contains("m1 기록(The delay is 10 s)"));
    }

    #[test]
    fn only_what_happened_is_said() {
        assert_eq!(consolidated(ConsolidationCounts::default(), Locale::En), None);
        let counts =
            ConsolidationCounts { promoted: 2, dropped: 1, ..ConsolidationCounts::default() };
        let told = consolidated(counts, Locale::En).unwrap();
        assert_eq!(told, "Kept 2 notes, dropped 1.");
        assert_eq!(
            consolidated(counts, Locale::Ko).unwrap(),
            "기록을 정리했습니다: 2건 남김, 1건 버림."
        );
        let counts = ConsolidationCounts { kept: 1, ..ConsolidationCounts::default() };
        assert_eq!(consolidated(counts, Locale::En).unwrap(), "Left 1 note on trial.");
    }
}
