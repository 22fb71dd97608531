//! Texts for people: sentences, tables and small plots, in their language.

use std::fmt::Display;
use std::path::Path;

use crate::command_log::CommandLog;
use crate::history::{self, failing_curve};
use crate::report::{gate_reasons, span, status as status_word};
use crate::wire::local_time;
use ralph_checks::detect::MissingNeed;
use ralph_core::locale::Locale;
use ralph_core::state::{PauseReason, RunState, WaitReason};
use ralph_core::wording::columns;
use ralph_core::{Run, Timestamp};
use ralph_snapshot::WorkProgress;
use ralph_store::IterationRecord;

use crate::check::missing_need;
pub use ralph_core::wording::one_line;

/// Lists changes that are held, each with its place.
pub fn held(rows: Vec<Vec<String>>, locale: Locale) -> String {
    if rows.is_empty() {
        return locale.say("Nothing is held.\n", "보류된 변경이 없습니다.\n").to_owned();
    }
    table(&locale.say(["where", "what was changed"], ["위치", "변경 내용"]), rows)
}

/// Says that two snapshots are the same.
pub fn no_difference(range: &str, locale: Locale) -> String {
    locale.say(
        format!("No file differs between the snapshots ({range})."),
        format!("두 스냅샷({range}) 사이에 달라진 파일이 없습니다."),
    )
}

/// Says that a gate has begun.
pub fn gate_running(name: &str, locale: Locale) -> String {
    locale.say(format!("running {name} …"), format!("{name} 실행 중 …"))
}

/// Says that a few tests of a gate run first.
pub fn gate_first(name: &str, locale: Locale) -> String {
    locale.say(
        format!("running the {name} tests affected by the changes …"),
        format!("{name} 중 변경과 관련된 테스트 먼저 실행 중 …"),
    )
}

/// Renders a change of tests or checks that blocks success.
pub fn held_change(place: &str, what: &str, locale: Locale) -> String {
    locale.say(format!("held: {place}: {what}"), format!("보류됨: {place}: {what}"))
}

/// Says that another process runs the gates of this work tree.
pub fn another_check(locale: Locale) -> &'static str {
    locale.say(
        "Another check is running here; waiting for it …",
        "다른 검사가 실행 중입니다. 끝나기를 기다립니다 …",
    )
}

/// Says that no criteria are set, so everything detected is checked.
pub fn detected_gates(locale: Locale) -> &'static str {
    locale.say(
        "No criteria are set: checking what was detected. `ralph init` writes it down.",
        "설정된 기준이 없어 감지된 검사를 실행합니다. `ralph init` 으로 설정 파일을 만들 수 있습니다.",
    )
}

/// Says that a detected gate lacks a program or a file.
pub fn gate_cannot_run(name: &str, missing: &MissingNeed, locale: Locale) -> String {
    locale.say(
        format!("{name} cannot run: {missing}"),
        format!("{name} 실행 불가: {}", missing_need(missing, locale)),
    )
}

/// Says that the user interrupted a command that leaves nothing.
pub fn interrupted(locale: Locale) -> &'static str {
    locale.say("Interrupted.", "중단되었습니다.")
}

/// Renders the progress of a snapshot.
pub fn work_progress(progress: WorkProgress, locale: Locale) -> String {
    let [done, total] = [progress.done, progress.total].map(grouped);
    match progress.total {
        0 => locale.say(format!("{done} files"), format!("파일 {done}개")),
        _ => locale.say(format!("{done} of {total} files"), format!("파일 {total}개 중 {done}개")),
    }
}

/// Renders a number with separators: `12,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Says that the run hangs after the user asked it to end.
pub fn hangs(locale: Locale) -> &'static str {
    locale.say(
        "ralph waits for something that does not come, and ends; `ralph resume` goes on",
        "ralph가 오지 않는 것을 기다리고 있어 종료합니다. `ralph resume`으로 계속할 수 있습니다",
    )
}

/// Says that the notes of the run are not kept.
pub fn not_remembered(locale: Locale) -> &'static str {
    locale.say(
        "Nothing of this run is remembered: the repository cannot be written to. `RALPH_HOME` names another folder for all that ralph keeps.",
        "저장소에 쓸 수 없어 이 실행에 대해서는 아무것도 기억하지 않습니다. `RALPH_HOME` 으로 ralph 가 쓰는 폴더를 바꿀 수 있습니다.",
    )
}

/// Says that no file changed, so some gates have nothing to check.
pub fn nothing_changed(locale: Locale) -> &'static str {
    locale.say(
        "No file differs from the last commit; `--all` scans every file for security.",
        "마지막 커밋과 다른 파일이 없습니다. `--all` 은 모든 파일의 보안을 검사합니다.",
    )
}

/// Says that no language server has anything to check.
pub fn no_server(locale: Locale) -> &'static str {
    locale.say(
        "Nothing to check: no installed language server handles the changed or given files.",
        "볼 것이 없습니다: 바뀌었거나 지정한 파일 가운데 설치된 언어 서버가 다루는 파일이 없습니다.",
    )
}

/// Says that there is no run to end or to pause.
pub fn no_open_run(locale: Locale) -> &'static str {
    locale.say("There is no open run here.", "여기에는 진행 중인 루프가 없습니다.")
}

/// Says that a run already is in the requested state.
pub fn already(run: &Run, locale: Locale) -> String {
    let status = status_word(run);
    locale.say(
        format!("{} is {status} already.", run.id),
        format!("{} 은(는) 이미 {status} 상태입니다.", run.id),
    )
}

/// Renders a run and its state on one line.
pub fn state_line(run: &Run, commands: &CommandLog) -> String {
    format!("{} {}", run.id, commands.state_sentence(run))
}

/// Says what a resuming driver does, and why.
pub fn resuming(run: &Run) -> String {
    let (id, next) = (&run.id, run.iteration + 1);
    if let Some(session) = run.session() {
        return run.policy.locale.say(
            format!("Taking over {id} from session {session}; going on with turn {next}."),
            format!("세션 {session} 에서 {id} 인계: {next}번째 턴부터 계속합니다."),
        );
    }
    match (run.policy.locale, &run.state) {
        (Locale::En, RunState::Running) => format!(
            "Resuming {id}: its driver died during turn {}; going on with turn {next}.",
            run.iteration
        ),
        (Locale::Ko, RunState::Running) => format!(
            "{id} 재개: {}번째 턴 중에 드라이버가 종료되었습니다. {next}번째 턴부터 계속합니다.",
            run.iteration
        ),
        (Locale::En, RunState::Waiting(WaitReason::Limit { until })) => format!(
            "Resuming {id}: it waits for the provider until {}, then goes on with turn {next}.",
            local_time(*until)
        ),
        (Locale::Ko, RunState::Waiting(WaitReason::Limit { until })) => format!(
            "{id} 재개: {} 까지 제공자의 한도를 기다린 뒤 {next}번째 턴부터 계속합니다.",
            local_time(*until)
        ),
        (Locale::En, _) => {
            format!("Resuming {id}, which is {}; going on with turn {next}.", status_word(run))
        }
        (Locale::Ko, _) => {
            format!("{id} 재개 ({}): {next}번째 턴부터 계속합니다.", status_word(run))
        }
    }
}

/// Renders a path on one line; control characters are escaped.
#[expect(clippy::unnecessary_debug_formatting, reason = "it escapes, which is what is wanted")]
pub fn path(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.contains(char::is_control) => text.to_owned(),
        Some(_) | None => format!("{path:?}"),
    }
}

/// Renders a run in a few lines.
pub fn status(run: &Run, iterations: &[IterationRecord], now: Timestamp) -> String {
    // A waiting or resting run does not use up its time.
    let until = if run.state == RunState::Running { now } else { run.updated_at };
    let mut rows = vec![
        ("run", format!("{} {}", run.id, status_word(run))),
        ("task", one_line(run.task.description.as_deref().unwrap_or(&run.task.text), 70)),
        ("turns", turns(run)),
        ("time", time_used(run, until)),
        ("agent", one_line(&format!("{} {}", run.agent.name, run.agent.command.join(" ")), 70)),
    ];
    let curve: Vec<u32> = judged(iterations).map(|record| record.failing).collect();
    let fails = judged(iterations).last().filter(|_| !matches!(run.state, RunState::Success(_)));
    if !run.policy.gates.is_empty() {
        let names: Vec<&str> = run.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
        rows.push(("gates", names.join(", ")));
        if !curve.is_empty() {
            rows.push(("failing", failing_curve(&curve)));
        }
        let curves = history::curves(run, iterations);
        rows.extend(curves.errors.map(|curve| ("errors", curve)));
        rows.extend(curves.tests.map(|curve| ("tests", curve)));
        if let Some(record) = fails {
            rows.extend(first_named("fails", what_fails(record, run.policy.locale)));
        }
    }
    if let RunState::Waiting(WaitReason::Human { question }) = &run.state {
        rows.push(("question", one_line(question, 200)));
    }
    let by_itself =
        run.state.is_active() || run.state == RunState::Paused(PauseReason::Interrupted);
    if by_itself && run.owner.as_ref().is_some_and(|owner| !crate::owner::is_alive(owner)) {
        let text = run.policy.locale.say(
            "its driver is gone; `ralph resume` goes on",
            "드라이버가 사라졌습니다. `ralph resume` 으로 계속합니다",
        );
        rows.push(("note", text.to_owned()));
    }
    let mut out = String::new();
    for (name, value) in rows {
        out.push_str(&fact(name, &value, run.policy.locale));
    }
    out
}

/// Lists briefly what fails after an iteration.
fn what_fails(record: &IterationRecord, locale: Locale) -> Vec<String> {
    const LINES: usize = 3;
    let gates = record.gates.iter().filter(|gate| gate.blocks());
    gates.flat_map(|gate| gate_reasons(gate, locale)).take(LINES).collect()
}

/// Makes rows of which only the first has a name.
fn first_named(name: &'static str, lines: Vec<String>) -> Vec<(&'static str, String)> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(lines).collect()
}

fn turns(run: &Run) -> String {
    let (done, most) = (run.iteration, run.policy.limits.iterations);
    let (stalled, limit) = (run.progress.stalled, run.policy.limits.stalled);
    run.policy.locale.say(
        format!("{done} of {most}, {stalled} without progress (limit {limit})"),
        format!("{done}/{most}, 진전 없음 {stalled}회 (한도 {limit}회)"),
    )
}

fn time_used(run: &Run, until: Timestamp) -> String {
    let (used, all) = (span(run.worked(until)), span(until.since(run.started_at)));
    let most = ralph_config::render_span(run.policy.limits.duration);
    match (run.policy.locale, used == all) {
        (Locale::En, true) => format!("{used} of {most}"),
        (Locale::Ko, true) => format!("{used} / {most}"),
        // The total includes waiting, and checks that a turn is not charged for.
        (Locale::En, false) => format!("{used} of {most} ({all} in all)"),
        (Locale::Ko, false) => format!("{used} / {most} (전체 {all})"),
    }
}

/// Renders one line of a status.
pub fn fact(name: &str, value: &str, locale: Locale) -> String {
    let name = match (locale, name) {
        (Locale::Ko, "run") => "실행",
        (Locale::Ko, "task") => "작업",
        (Locale::Ko, "turns") => "반복",
        (Locale::Ko, "time") => "시간",
        (Locale::Ko, "agent") => "에이전트",
        (Locale::Ko, "gates") => "게이트",
        (Locale::Ko, "failing") => "실패",
        (Locale::Ko, "fails") => "내용",
        (Locale::Ko, "errors") => "오류",
        (Locale::Ko, "tests") => "테스트",
        (Locale::Ko, "question") => "질문",
        (Locale::Ko, "note") => "참고",
        (Locale::En | Locale::Ko, other) => other,
    };
    let gap = " ".repeat(9_usize.saturating_sub(columns(name)));
    format!("{name}{gap}{value}\n")
}

fn judged(iterations: &[IterationRecord]) -> impl Iterator<Item = &IterationRecord> {
    iterations.iter().filter(|record| !record.gates.is_empty())
}

/// Renders a count with an English noun: `1 file`, `2 files`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {one}{ending}")
}

/// Renders how often, in English: `once`, `2 times`.
pub fn often(times: u32) -> String {
    match times {
        1 => "once".to_owned(),
        _ => format!("{times} times"),
    }
}

/// Says how much of a list is shown; `None` if it is all.
pub fn part_of(shown: usize, all: usize, more: &str, locale: Locale) -> Option<String> {
    (shown < all).then(|| {
        locale.say(
            format!("{shown} of {all}; `{more}` shows more"),
            format!("{all}개 중 {shown}개; `{more}` 로 더 볼 수 있습니다"),
        )
    })
}

/// Renders an aligned table with a header.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let mut widths: Vec<usize> = header.iter().map(|cell| columns(cell)).collect();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            widths[column] = widths[column].max(columns(cell));
        }
    }
    let mut out = String::new();
    let head: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&head).chain(&rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            let gap = widths[column].saturating_sub(columns(cell)) + 2;
            line.push_str(&" ".repeat(gap));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_whatever_the_script() {
        let rows =
            vec![vec!["가나".to_owned(), "x".to_owned()], vec!["abcde".to_owned(), "y".to_owned()]];
        assert_eq!(table(&["a", "b"], rows), "a      b\n가나   x\nabcde  y\n");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            (counted(1_u64, "note"), counted(0_usize, "note")),
            ("1 note".into(), "0 notes".into())
        );
        assert_eq!((often(1), often(2)), ("once".into(), "2 times".into()));
        assert_eq!(part_of(2, 2, "--all", Locale::En), None);
        let few = part_of(20, 40, "--all", Locale::En);
        assert_eq!(few.as_deref(), Some("20 of 40; `--all` shows more"));
    }

    #[test]
    fn progress_is_easy_to_read() {
        let said = |done, total| work_progress(WorkProgress { done, total }, Locale::En);
        assert_eq!(said(12_000, 100_000), "12,000 of 100,000 files");
        assert_eq!(said(999, 0), "999 files");
        assert_eq!(said(1_000_000, 0), "1,000,000 files");
    }

    #[test]
    fn hostile_text_stays_on_its_line() {
        assert_eq!(one_line("a\x1b[31m\nb\r\nc", 50), "a b c");
        assert_eq!(one_line("\x1b[31mred\x1b[0m", 50), "red");
        assert_eq!(one_line("a\u{202e}b", 50), "ab");
        assert_eq!(one_line("abcdef", 4), "abc…");
    }
}
