//! What users and agents read inside a host.

use super::{signal, targets};
use crate::finding::Finding;
use crate::line::inline;
use crate::locale::Locale;
use crate::run::Run;
use crate::state::{Failure, Pause, State};
use crate::time::render_span;

/// How much of the task is repeated while the agent still has it before it.
const TASK_CHARS: usize = 300;

/// How much of the task is in the title of a session.
const TITLE_CHARS: usize = 50;

/// How many findings the agent reads after an edit.
const WORSE_LINES: usize = 5;

/// How much it reads of each.
const LINE_CHARS: usize = 300;

/// The user is told that a loop was armed, with the limits that bind it.
pub fn armed(run: &Run) -> String {
    let limits = &run.policy.limits;
    let (id, most, time) = (&run.id, limits.iterations, render_span(limits.duration));
    let gates: Vec<&str> = run.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    let gates = gates.join(", ");
    match (run.policy.locale, gates.is_empty(), signal(&run.policy.claim)) {
        (Locale::En, false, _) => {
            format!("ralph: armed {id}: at most {most} iterations and {time}; checked by {gates}.")
        }
        (Locale::En, true, Some(signal)) => format!(
            "ralph: armed {id}: at most {most} iterations and {time}; it ends with {signal}."
        ),
        (Locale::En, true, None) => {
            format!("ralph: armed {id}: at most {most} iterations and {time}.")
        }
        (Locale::Ko, false, _) => {
            format!("ralph: {id} 시작: 최대 {most}회, {time}. 검사: {gates}.")
        }
        (Locale::Ko, true, Some(signal)) => {
            format!("ralph: {id} 시작: 최대 {most}회, {time}. {signal} 출력으로 끝납니다.")
        }
        (Locale::Ko, true, None) => format!("ralph: {id} 시작: 최대 {most}회, {time}."),
    }
}

/// The user is told that checks run before the first turn begins.
pub fn looks_first(run: &Run) -> String {
    let gates: Vec<&str> = run.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    let gates = gates.join(", ");
    match run.policy.locale {
        Locale::En => format!("ralph: the checks run once before the first turn: {gates}"),
        Locale::Ko => format!("ralph: 첫 턴 전에 검사를 한 번 실행합니다: {gates}"),
    }
}

/// What the agent reads instead of falling silent. The host repeats it, so it
/// is short: the agent still has the whole task before it.
pub fn go_on(run: &Run) -> String {
    let (iteration, most) = (run.iteration, run.policy.limits.iterations);
    let mut parts = vec![format!("[RALPH LOOP - ITERATION {iteration}/{most}]")];
    parts.extend((!run.feedback.is_empty()).then(|| run.feedback.clone()));
    let signal = signal(&run.policy.claim);
    parts.push(match (run.policy.locale, signal) {
        (Locale::En, Some(signal)) => {
            format!("Continue from where you left off. When FULLY complete, output: {signal}")
        }
        (Locale::En, None) => "Continue from where you left off.".to_owned(),
        (Locale::Ko, Some(signal)) => {
            format!("멈춘 곳에서 이어서 진행하세요. 모두 완료되면 출력하세요: {signal}")
        }
        (Locale::Ko, None) => "멈춘 곳에서 이어서 진행하세요.".to_owned(),
    });
    parts.push(match run.policy.locale {
        Locale::En => format!("Task: {}", shortened(&run.task.text)),
        Locale::Ko => format!("작업: {}", shortened(&run.task.text)),
    });
    parts.join("\n\n")
}

/// What the first turn of a session reads that takes the place of another one.
pub fn restart(summary: &str, prompt: &str, locale: Locale) -> String {
    let head = match locale {
        Locale::En => "Summary of the earlier session, which you do not remember:",
        Locale::Ko => "기억하지 못하는 이전 세션의 요약입니다:",
    };
    format!("{head}\n\n{summary}\n\n{prompt}")
}

/// The title of a session that takes the place of another one: no other
/// session has it.
pub fn title(run: &Run) -> String {
    let words: Vec<&str> = run.task.text.split_whitespace().collect();
    let task: String = words.join(" ").chars().take(TITLE_CHARS).collect();
    format!("{task} [{} {}]", run.id, run.iteration)
}

/// The user is told that a new session begins without a summary.
pub fn not_summarized(why: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!(
            "ralph: the session could not be summarised ({why}); the next one is told what is on record."
        ),
        Locale::Ko => {
            format!(
                "ralph: 세션을 요약하지 못했습니다({why}). 다음 세션에는 기록된 내용을 전합니다."
            )
        }
    }
}

/// The user is told that there is no new session.
pub fn not_moved(why: &str, locale: Locale) -> String {
    match locale {
        Locale::En => {
            format!("ralph: no new session could be begun ({why}); the loop goes on in this one.")
        }
        Locale::Ko => {
            format!("ralph: 새 세션을 만들지 못했습니다({why}). 이 세션에서 계속합니다.")
        }
    }
}

/// What an agent reads that may have forgotten the loop it is in.
pub fn reminder(run: &Run) -> String {
    let (id, iteration, most) = (&run.id, run.iteration, run.policy.limits.iterations);
    let head = match run.policy.locale {
        Locale::En => {
            format!("A ralph loop ({id}) goes on in this session, iteration {iteration}/{most}.")
        }
        Locale::Ko => {
            format!("이 세션에서 ralph 루프({id})가 계속됩니다. 반복 {iteration}/{most}.")
        }
    };
    let task = match run.policy.locale {
        Locale::En => format!("Task:\n{}", run.task.text),
        Locale::Ko => format!("작업:\n{}", run.task.text),
    };
    let done = signal(&run.policy.claim).map(|signal| match run.policy.locale {
        Locale::En => format!("When FULLY complete, output: {signal}"),
        Locale::Ko => format!("모두 완료되면 출력하세요: {signal}"),
    });
    let feedback = (!run.feedback.is_empty()).then(|| run.feedback.clone());
    let parts = [Some(head), Some(task), targets(run), feedback, done];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The user is told where a loop stands that goes on.
pub fn iteration(run: &Run) -> String {
    let (number, most) = (run.iteration, run.policy.limits.iterations);
    let failing = run.progress.failing.len();
    match (run.policy.locale, failing) {
        (Locale::En, 0) => format!("ralph: iteration {number}/{most}"),
        (Locale::En, _) => format!("ralph: iteration {number}/{most}, {failing} failing"),
        (Locale::Ko, 0) => format!("ralph: 반복 {number}/{most}"),
        (Locale::Ko, _) => format!("ralph: 반복 {number}/{most}, 실패 {failing}건"),
    }
}

/// The user is told why a loop rests, and how it goes on.
pub fn rests(run: &Run) -> String {
    let sentence = super::run_sentence(run);
    let hint = match (run.policy.locale, &run.state) {
        (Locale::En, State::Paused(Pause::Capped)) => {
            "Say anything to go on; `ralph install --cap 0` lifts the host's cap."
        }
        (Locale::Ko, State::Paused(Pause::Capped)) => {
            "아무 말이나 입력하면 계속합니다. `ralph install --cap 0` 으로 호스트의 제한을 없앨 수 있습니다."
        }
        (Locale::En, State::Waiting(_)) => "Answer here and it goes on.",
        (Locale::Ko, State::Waiting(_)) => "여기에 답하면 계속합니다.",
        (Locale::En, _) => "`/ralph resume` goes on, `/ralph stop` ends it.",
        (Locale::Ko, _) => "`/ralph resume` 으로 계속하고, `/ralph stop` 으로 끝냅니다.",
    };
    format!("ralph: {} {sentence} {hint}", run.id)
}

/// What the user is asked for when the provider refuses the credentials.
pub fn refused_key(why: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("the provider does not accept the credentials ({why})"),
        Locale::Ko => format!("제공자가 인증 정보를 받아들이지 않습니다 ({why})"),
    }
}

/// The user is told that a loop waits, and goes on by itself.
pub fn waits(run: &Run) -> String {
    let sentence = super::run_sentence(run);
    let hint = match run.policy.locale {
        Locale::En => "It goes on by itself then, or as soon as you say anything.",
        Locale::Ko => "그때 스스로 계속하며, 아무 말이나 입력하면 바로 계속합니다.",
    };
    format!("ralph: {} {sentence} {hint}", run.id)
}

/// The user is told how a loop ended.
pub fn ended(run: &Run) -> String {
    let sentence = super::run_sentence(run);
    let (id, number) = (&run.id, run.iteration);
    match run.policy.locale {
        Locale::En => {
            format!("ralph: {id} after {number} iteration(s). {sentence} `ralph report` shows why.")
        }
        Locale::Ko => {
            format!("ralph: {id}, 반복 {number}회. {sentence} `ralph report` 로 확인하세요.")
        }
    }
}

/// The agent is told what its last edit made worse: the first few findings,
/// a line each.
pub fn worse(fresh: &[Finding], locale: Locale) -> String {
    let head = match (locale, fresh.len()) {
        (Locale::En, 1) => "ralph: a new problem in what was just edited:".to_owned(),
        (Locale::En, count) => format!("ralph: {count} new problems in what was just edited:"),
        (Locale::Ko, count) => format!("ralph: 방금 편집한 파일에 새 문제 {count}건:"),
    };
    let line = |finding: &Finding| {
        let text = format!("{}: {}", finding.place.display(), finding.message);
        inline(&text).chars().take(LINE_CHARS).collect()
    };
    let lines = fresh.iter().take(WORSE_LINES).map(line);
    std::iter::once(head).chain(lines).collect::<Vec<String>>().join("\n")
}

/// The one sentence for a loop that used up what it was allowed; `None` for
/// every other end.
pub fn limit_reached(run: &Run) -> Option<&'static str> {
    match (&run.state, run.policy.locale) {
        (State::Failed(Failure::MaxIterations | Failure::MaxRestarts), Locale::En) => {
            Some("The maximum number of retries was reached")
        }
        (State::Failed(Failure::MaxIterations | Failure::MaxRestarts), Locale::Ko) => {
            Some("최대 재시도 횟수에 도달했습니다")
        }
        (
            State::Running
            | State::Waiting(_)
            | State::Paused(_)
            | State::Success(_)
            | State::Failed(_)
            | State::Stopped,
            _,
        ) => None,
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(TASK_CHARS).collect();
    if text.chars().nth(TASK_CHARS).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Level, Place};
    use crate::policy::Policy;
    use crate::samples;
    use crate::state::Wait;

    #[test]
    fn a_continuation_is_short_however_long_the_task_is() {
        let mut run = samples::run(&Policy::promise());
        run.task.text = "x".repeat(20_000);
        run.feedback = "2 tests fail.".to_owned();
        let text = go_on(&run);
        assert!(text.chars().count() < 700, "{}", text.len());
        assert!(text.contains("2 tests fail.") && text.contains("ITERATION"), "{text}");
        assert!(reminder(&run).contains(&run.task.text));
    }

    #[test]
    fn a_few_lines_say_what_an_edit_made_worse() {
        let place = Place { file: "src/a.py".to_owned(), line: Some(3), column: Some(1) };
        let finding = Finding {
            tool: "ruff".to_owned(),
            rule: Some("F821".to_owned()),
            level: Level::Error,
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
    fn only_a_limit_has_the_sentence_of_a_limit() {
        let mut run = samples::run(&Policy::promise());
        assert_eq!(limit_reached(&run), None);
        run.state = State::Failed(Failure::NoProgress);
        assert_eq!(limit_reached(&run), None);
        run.state = State::Failed(Failure::MaxIterations);
        run.policy.locale = Locale::Ko;
        assert_eq!(limit_reached(&run), Some("최대 재시도 횟수에 도달했습니다"));
    }

    #[test]
    fn every_sentence_is_there_in_both_languages() {
        let mut run = samples::run(&Policy::promise());
        let states = [State::Paused(Pause::Capped), State::Waiting(Wait::Child), State::Stopped];
        for state in states {
            run.state = state;
            for locale in [Locale::En, Locale::Ko] {
                run.policy.locale = locale;
                let texts = [armed(&run), go_on(&run), iteration(&run), rests(&run)];
                let key = refused_key("401", locale);
                let more = [waits(&run), ended(&run), looks_first(&run), key];
                for text in texts.into_iter().chain(more) {
                    let is_korean = text.chars().any(|c| ('가'..='힣').contains(&c));
                    assert_eq!(is_korean, locale == Locale::Ko, "{text}");
                }
            }
        }
    }
}
