//! Messages to users and agents inside a host.

use std::time::Duration;

use super::headline::what_is_wrong;
use super::outcome::present_totals;
use super::{LINE_CHARS, signal};
use crate::finding::Finding;
use crate::line::inline;
use crate::locale::Locale;
use crate::run::Run;
use crate::state::{PauseReason, RunFailure, RunState};

/// Number of characters of the task in the title of a session.
const TITLE_CHARS: usize = 50;

/// Maximum number of findings shown to the agent after an edit.
const WORSE_LINES: usize = 5;

/// Maximum length of each of them, in characters.
const FINDING_CHARS: usize = 300;

/// Tells the user that a loop starts: its checks, the current failures, its limits,
/// and how to stop it.
pub fn armed(run: &Run) -> String {
    let (id, locale) = (&run.id, run.policy.locale);
    let limits = &run.policy.limits;
    let most = super::outcome::turns(limits.iterations, locale);
    let time = spoken_span(limits.duration, locale);
    let (started, limits) = locale.say(
        (
            format!("ralph: loop started ({id})."),
            format!("It ends after {most} or {time} at the latest."),
        ),
        (format!("ralph: 루프를 시작했습니다({id})."), format!("최대 {most}, {time}입니다.")),
    );
    let stop = match run.session() {
        Some(_) => locale.say(
            "Esc, then /cancel-ralph, stops it.",
            "Esc를 누른 뒤 /cancel-ralph를 입력하면 멈춥니다.",
        ),
        None => locale.say("`ralph stop` ends it.", "`ralph stop`으로 끝냅니다."),
    };
    let parts = [Some(started), judges(run), Some(limits), Some(stop.to_owned())];
    let parts: Vec<String> = parts.into_iter().flatten().map(|part| cut(&part)).collect();
    let line = parts.join(" ");
    if line.chars().count() <= LINE_CHARS { line } else { parts.join("\n") }
}

/// Names the condition that ends a loop: its checks with their current failures, or
/// a signal.
fn judges(run: &Run) -> Option<String> {
    let locale = run.policy.locale;
    let gates = run.policy.gates.iter().filter(|gate| !gate.is_memory());
    let mut gates: Vec<String> =
        gates.map(|gate| format!("{} ({})", gate.name, gate.command.display())).collect();
    if gates.is_empty() {
        let signal = signal(&run.policy.claim)?;
        return Some(locale.say(
            format!("It ends when the agent writes {signal}."),
            format!("에이전트가 '{signal}'을 출력하면 끝납니다."),
        ));
    }
    let start = run.baseline.as_ref();
    let wrong = start.and_then(|start| what_is_wrong(start.totals, "", locale));
    let now = wrong.map(|wrong| locale.say(format!("; {wrong} now"), format!("; 현재 {wrong}")));
    let now = now.unwrap_or_default();
    let tail = match &mut gates[..] {
        [one] => {
            one.truncate(one.len() - 1);
            format!("{now})")
        }
        _ => now,
    };
    Some(locale.say(
        format!("It is checked by {}{tail}.", gates.join(", ")),
        format!("{}{tail}(으)로 판정합니다.", gates.join(", ")),
    ))
}

/// Renders `30 min` or `1 h 30 min`.
pub fn spoken_span(span: Duration, locale: Locale) -> String {
    let seconds = span.as_secs();
    let units = locale.say([" h", " min", " s"], ["시간", "분", "초"]);
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].into_iter().zip(units);
    let named = parts.filter(|(count, _)| *count > 0);
    named.map(|(count, unit)| format!("{count}{unit}")).collect::<Vec<_>>().join(" ")
}

/// Cuts a line that is too long for people.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some(_) => line.chars().take(LINE_CHARS - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}

/// Tells the user that checks run before the first turn.
pub fn looks_first(run: &Run) -> String {
    let gates: Vec<&str> = run.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    let gates = gates.join(", ");
    run.policy.locale.say(
        format!("ralph: the checks run once before the first turn: {gates}"),
        format!("ralph: 첫 턴 전에 검사를 한 번 실행합니다: {gates}"),
    )
}

/// Puts a heading before the summary of a replaced session.
pub fn summary_of_old_session(summary: &str, locale: Locale) -> String {
    let head = locale.say(
        "Summary of the earlier session, which you cannot see:",
        "다음은 이전 세션의 요약입니다. (새 세션이라 이전 대화는 보이지 않습니다.)",
    );
    format!("{head}\n\n{summary}")
}

/// Returns the unique title of a session that replaces another one.
pub fn title(run: &Run) -> String {
    let words: Vec<&str> = run.task.text.split_whitespace().collect();
    let task: String = words.join(" ").chars().take(TITLE_CHARS).collect();
    format!("{task} [{} {}]", run.id, run.iteration)
}

/// Tells the user that a new session starts without a summary.
pub fn not_summarized(why: &str, locale: Locale) -> String {
    locale.say(
        format!(
            "ralph: the session could not be summarised ({why}); the next one is told what is on record."
        ),
        format!(
            "ralph: 세션을 요약하지 못했습니다({why}). 다음 세션에는 기록된 내용을 전합니다."
        ),
    )
}

/// Tells the user that no new session could be created.
pub fn not_moved(why: &str, locale: Locale) -> String {
    locale.say(
        format!("ralph: no new session could be begun ({why}); the loop goes on in this one."),
        format!("ralph: 새 세션을 만들지 못했습니다({why}). 이 세션에서 계속합니다."),
    )
}

/// Tells the user which turn starts, and what fails.
pub fn iteration(run: &Run) -> String {
    match where_it_stands(run) {
        (turn, None) => run
            .policy
            .locale
            .say(format!("ralph: {turn} begins."), format!("ralph: {turn}을 시작합니다.")),
        (turn, Some(wrong)) => format!("ralph: {turn}, {wrong}."),
    }
}

/// Tells the user why a loop started automatically.
pub fn began_by_itself(run: &Run) -> String {
    let locale = run.policy.locale;
    let most = super::outcome::turns(run.policy.limits.iterations, locale);
    let wrong = what_is_wrong(present_totals(run), "", locale);
    match wrong {
        Some(wrong) => locale.say(
            format!(
                "ralph: after this turn {wrong}, so the agent goes on (at most {most}; /cancel-ralph ends it)."
            ),
            format!(
                "ralph: 이번 턴 후 {wrong} 상태여서 에이전트가 계속합니다(최대 {most}, /cancel-ralph로 끝냅니다)."
            ),
        ),
        None => locale.say(
            format!("ralph: the agent goes on (at most {most}; /cancel-ralph ends it)."),
            format!("ralph: 에이전트가 계속합니다(최대 {most}, /cancel-ralph로 끝냅니다)."),
        ),
    }
}

/// Tells the user that a paused or waiting loop continues.
pub fn goes_on(run: &Run) -> String {
    let (turn, wrong) = where_it_stands(run);
    let wrong = wrong.map(|wrong| format!(", {wrong}")).unwrap_or_default();
    run.policy.locale.say(
        format!(
            "ralph: loop {} goes on in this session, {turn}{wrong}. /cancel-ralph ends it.",
            run.id
        ),
        format!(
            "ralph: 이 세션에서 루프 {}이(가) 계속됩니다({turn}{wrong}). /cancel-ralph로 끝냅니다.",
            run.id
        ),
    )
}

/// Returns the number of the current turn, and the current failures.
fn where_it_stands(run: &Run) -> (String, Option<String>) {
    let (number, most) = (run.iteration, run.policy.limits.iterations);
    let turn = run
        .policy
        .locale
        .say(format!("turn {number} of {most}"), format!("{most}턴 중 {number}턴"));
    (turn, what_is_wrong(present_totals(run), "", run.policy.locale))
}

/// Tells the user why a loop is paused or waiting, and how to continue it.
pub fn rests(run: &Run) -> String {
    let (id, agent) = (&run.id, &run.agent.name);
    let hint = match (run.policy.locale, &run.state) {
        (Locale::En, RunState::Paused(PauseReason::Capped)) => {
            format!("Type anything to go on. `ralph install {agent} --cap 0` lifts the cap.")
        }
        (Locale::Ko, RunState::Paused(PauseReason::Capped)) => format!(
            "아무 말이나 입력하면 계속합니다. `ralph install {agent} --cap 0`으로 제한을 없앨 수 있습니다."
        ),
        (Locale::En, RunState::Waiting(_)) => "Send a message to go on.".to_owned(),
        (Locale::Ko, RunState::Waiting(_)) => "메시지를 보내면 계속합니다.".to_owned(),
        (Locale::En, _) => format!("`/ralph resume {id}` goes on, `/ralph stop {id}` ends it."),
        (Locale::Ko, _) => {
            format!("`/ralph resume {id}`으로 계속하고, `/ralph stop {id}`으로 끝냅니다.")
        }
    };
    format!("ralph: {} {hint}", began_small(&super::run_sentence(run)))
}

/// Returns the request to the user after the provider rejected the credentials.
pub fn refused_key(why: &str, locale: Locale) -> String {
    locale.say(
        format!("the provider rejected the credentials ({why}). Fix that first."),
        format!("제공자가 인증 정보를 거부했습니다({why}). 먼저 고치세요."),
    )
}

/// Tells the user how long a loop waits for its provider, and that it continues
/// automatically.
pub fn waits(until: &str, locale: Locale) -> String {
    let sentence = began_small(&super::limit_sentence(until, locale));
    let hint = locale.say(
        "It goes on by itself then, or as soon as you say anything.",
        "그때 스스로 계속하며, 아무 말이나 입력하면 바로 계속합니다.",
    );
    format!("ralph: {sentence} {hint}")
}

/// Tells the user how a loop ended, what was learned and what to do next.
pub fn ended(run: &Run, learned: Option<&str>) -> String {
    let sentence = began_small(&super::run_sentence(run));
    let learned = learned.map(|learned| format!(" {learned}")).unwrap_or_default();
    let has_failed = matches!(run.state, RunState::Failed(_));
    let next = if has_failed {
        run.policy.locale.say(
            format!("`ralph report` shows the details, `ralph rollback {}` undoes it.", run.id),
            format!(
                "`ralph report`로 확인하고 `ralph rollback {}`으로 되돌릴 수 있습니다.",
                run.id
            ),
        )
    } else {
        run.policy.locale.say(
            "`ralph report` shows the details.".to_owned(),
            "`ralph report`로 자세히 볼 수 있습니다.".to_owned(),
        )
    };
    format!("ralph: {sentence}{learned} {next}")
}

/// Lowers the first letter of a sentence, for use after a name.
fn began_small(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Tells the agent which findings its last edit added: the first few, one per line.
pub fn worse(fresh: &[Finding], locale: Locale) -> String {
    let head = match (locale, fresh.len()) {
        (Locale::En, 1) => "ralph: a new problem in what was just edited:".to_owned(),
        (Locale::En, count) => format!("ralph: {count} new problems in what was just edited:"),
        (Locale::Ko, count) => format!("ralph: 방금 편집한 파일에 새 문제 {count}건:"),
    };
    let line = |finding: &Finding| {
        let text = format!("{}: {}", finding.place.display(), finding.message);
        inline(&text).chars().take(FINDING_CHARS).collect()
    };
    let lines = fresh.iter().take(WORSE_LINES).map(line);
    std::iter::once(head).chain(lines).collect::<Vec<String>>().join("\n")
}

/// Returns the fixed sentence for a loop that used up its restarts, in Korean also
/// its turns; `None` for every other end. The reference prescribes its text.
pub fn limit_reached(run: &Run) -> Option<&'static str> {
    match (&run.state, run.policy.locale) {
        (RunState::Failed(RunFailure::MaxRestarts), Locale::En) => {
            Some("The maximum number of retries was reached")
        }
        (RunState::Failed(RunFailure::MaxIterations | RunFailure::MaxRestarts), Locale::Ko) => {
            Some("최대 재시도 횟수에 도달했습니다")
        }
        (
            RunState::Running
            | RunState::Waiting(_)
            | RunState::Paused(_)
            | RunState::Success(_)
            | RunState::Failed(_)
            | RunState::Stopped,
            _,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{FindingLevel, SourceLocation};
    use crate::policy::Policy;
    use crate::samples;
    use crate::state::WaitReason;

    #[test]
    fn a_few_lines_say_what_an_edit_made_worse() {
        let place = SourceLocation { file: "src/a.py".to_owned(), line: Some(3), column: Some(1) };
        let finding = Finding {
            tool: "ruff".to_owned(),
            rule: Some("F821".to_owned()),
            level: FindingLevel::Error,
            place,
            message: "Undefined name `x`\u{1b}[31m".to_owned(),
            fingerprint: String::new(),
        };
        let one = worse(std::slice::from_ref(&finding), Locale::En);
        let want = "ralph: a new problem in what was just edited:\n\
                    src/a.py:3: Undefined name `x` [31m";
        assert_eq!(one, want);
        let many = worse(&vec![finding; 9], Locale::Ko);
        assert!(many.contains("9건") && many.lines().count() == 6, "{many}");
    }

    #[test]
    fn the_start_says_what_judges_what_fails_the_limits_and_how_to_stop() {
        let mut run = samples::run_from(&samples::gated(), &["test t1"]);
        run.owner = crate::ids::SessionId::new("s-1").map(crate::run::Owner::Session);
        let failed = crate::diagnostics::GateTotals::of(&[samples::tested(&["t0"], &["t1"])]);
        run.baseline.as_mut().unwrap().totals = failed;
        assert_eq!(
            armed(&run),
            "ralph: loop started (run-00005eed). It is checked by tests (make tests; 1 test fails \
             now). It ends after 10 turns or 30 min at the latest. Esc, then /cancel-ralph, stops it."
        );
        run.policy
            .gates
            .push(samples::gate(&"long".repeat(80), crate::policy::GateImportance::Required));
        assert!(armed(&run).lines().all(|line| line.chars().count() <= LINE_CHARS));
        assert_eq!(armed(&run).lines().count(), 4);
    }

    #[test]
    fn the_end_says_after_how_many_turns_what_still_fails_and_what_to_do() {
        let mut run = samples::run_from(&samples::gated(), &["test t1"]);
        run.progress.totals =
            crate::diagnostics::GateTotals::of(&[samples::tested(&["t0"], &["t1"])]);
        run.iteration = 12;
        run.state = RunState::Failed(RunFailure::MaxIterations);
        assert_eq!(
            ended(&run, None),
            "ralph: stopped after 12 turns, the limit. 1 test still fails. `ralph report` shows the \
             details, `ralph rollback run-00005eed` undoes it."
        );
        assert_eq!(iteration(&run), "ralph: turn 12 of 10, 1 test fails.");
        run.progress.totals =
            crate::diagnostics::GateTotals::of(&[samples::tested(&["t0", "t1"], &[])]);
        run.state = RunState::Success(crate::state::Proof::Verified);
        assert_eq!(
            ended(&run, Some("Kept 3 notes.")),
            "ralph: done after 12 turns: tests passes (2 of 2 tests). Kept 3 notes. `ralph report` \
             shows the details."
        );
    }

    #[test]
    fn only_a_limit_has_the_sentence_of_a_limit() {
        let mut run = samples::run(&Policy::promise());
        assert_eq!(limit_reached(&run), None);
        run.state = RunState::Failed(RunFailure::NoProgress);
        assert_eq!(limit_reached(&run), None);
        run.state = RunState::Failed(RunFailure::MaxIterations);
        run.policy.locale = Locale::Ko;
        assert_eq!(limit_reached(&run), Some("최대 재시도 횟수에 도달했습니다"));
    }

    #[test]
    fn every_sentence_is_there_in_both_languages() {
        let mut run = samples::run(&Policy::promise());
        let states = [
            RunState::Paused(PauseReason::Capped),
            RunState::Waiting(WaitReason::Child),
            RunState::Stopped,
        ];
        for state in states {
            run.state = state;
            for locale in [Locale::En, Locale::Ko] {
                run.policy.locale = locale;
                let texts = [armed(&run), goes_on(&run), iteration(&run), rests(&run)];
                let key = refused_key("401", locale);
                let more = [waits("noon", locale), ended(&run, None), looks_first(&run), key];
                for text in texts.into_iter().chain(more) {
                    let is_korean = text.chars().any(|c| ('가'..='힣').contains(&c));
                    assert_eq!(is_korean, locale == Locale::Ko, "{text}");
                }
            }
        }
    }
}
