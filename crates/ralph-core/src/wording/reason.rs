//! Translates the reason why a gate has no clear result to Korean. Gates report it
//! in English, which is stored; it is translated for display.

/// Reasons of gates and their translations; the first match counts. `{}` matches
/// any text, which is translated as well if it is a reason itself.
const REASONS: &[(&str, &str)] = &[
    // Commands.
    ("the command is empty", "명령이 비어 있습니다"),
    ("the command is not executable", "명령을 실행할 수 없습니다"),
    ("the command was not found", "명령을 찾을 수 없습니다"),
    ("it was interrupted", "중단되었습니다"),
    ("it broke off: a bug of ours", "ralph 의 버그로 중단되었습니다"),
    ("it did not run", "실행되지 않았습니다"),
    ("there is no room for its output: {}", "출력을 저장할 수 없습니다: {}"),
    ("cannot start the supervisor {}", "감독 프로그램 {} 을(를) 시작할 수 없습니다"),
    ("the supervisor {} does not listen", "감독 프로그램 {} 이(가) 응답하지 않습니다"),
    ("cannot write down the overlay", "오버레이를 기록할 수 없습니다"),
    ("cannot read the program's output", "프로그램의 출력을 읽을 수 없습니다"),
    ("cannot wait for the supervisor", "감독 프로그램이 끝나기를 기다릴 수 없습니다"),
    ("`{}` is not here: run `{}`", "`{}` 이(가) 없습니다. `{}` 을(를) 실행하세요"),
    ("`{}` is not here", "`{}` 이(가) 없습니다"),
    // Exit codes and output.
    ("no test ran", "실행된 테스트가 없습니다"),
    ("exit code {}, but no test failed", "종료 코드는 {}이지만 실패한 테스트가 없습니다"),
    ("exit code {}, but it reports nothing", "종료 코드는 {}이지만 보고한 문제가 없습니다"),
    ("exit code {}, but it reports no error", "종료 코드는 {}이지만 보고한 오류가 없습니다"),
    ("exit code {}, but it reports {}", "종료 코드는 {}이지만 {}을 보고했습니다"),
    ("exit code {}, but {} failed", "종료 코드는 {}이지만 {}이 실패했습니다"),
    ("exit code {}, and {}", "종료 코드는 {}이고, {}"),
    ("its output cannot be read: {}", "출력을 읽을 수 없습니다: {}"),
    ("its output is not what {} prints: {}", "출력이 {} 형식이 아닙니다: {}"),
    ("it wrote no report", "보고서를 쓰지 않았습니다"),
    (
        "its report tells of {} tests and none that failed, but it printed {}",
        "보고서에는 테스트 {}건이 있고 실패가 없지만, {}",
    ),
    ("no result", "출력에는 결과가 없습니다"),
    ("that {} failed", "출력에는 실패가 {}건 있습니다"),
    ("there is no JSON in it", "JSON 이 없습니다"),
    // Judges.
    ("it was not asked", "묻지 못했습니다"),
    ("the files changed while it judged them", "판정하는 동안 파일이 변경되었습니다"),
    ("there was no answer in time", "제한 시간 안에 답이 없었습니다"),
    ("it cannot be reached: {}", "연결할 수 없습니다: {}"),
    ("it answered with status {}: {}", "상태 코드 {}(으)로 답했습니다: {}"),
    ("it answered with status {}", "상태 코드 {}(으)로 답했습니다"),
    ("its answer is longer than 1 MiB", "답이 1 MiB 보다 깁니다"),
    (
        "its answer is no message of that interface: {}",
        "답이 그 인터페이스의 메시지가 아닙니다: {}",
    ),
    ("its answer cannot be used: {}", "답을 쓸 수 없습니다: {}"),
    ("it is empty", "비어 있습니다"),
    ("it is not one JSON object and nothing else", "JSON 객체 하나로만 되어 있지 않습니다"),
    ("it is not the object asked for: {}", "요청한 객체가 아닙니다: {}"),
    ("it gives no reason", "이유를 밝히지 않았습니다"),
    ("the command ended with exit code {}: {}", "명령이 종료 코드 {}(으)로 끝났습니다: {}"),
    ("the command ended with exit code {}", "명령이 종료 코드 {}(으)로 끝났습니다"),
    ("the command was killed by signal {}", "명령이 시그널 {}(으)로 중단되었습니다"),
    ("the command got no request: {}", "명령에 요청을 전하지 못했습니다: {}"),
    ("the command {}", "명령을 실행하지 못했습니다: {}"),
    // Language servers.
    ("which files changed is not known", "어떤 파일이 변경되었는지 알 수 없습니다"),
    ("{} servers are running already", "서버 {}개가 이미 실행 중입니다"),
    ("asking it broke off: a bug of ours", "ralph 의 버그로 묻다가 중단되었습니다"),
    ("not installed: {}", "설치되어 있지 않습니다: {}"),
    ("it cannot be started: {}", "시작할 수 없습니다: {}"),
    ("it ended: {}", "종료되었습니다: {}"),
    ("it does not speak the protocol: {}", "프로토콜을 따르지 않습니다: {}"),
    (
        "it was killed because it used {} MiB of memory; {} MiB are allowed",
        "메모리를 {} MiB 사용해 강제로 종료되었습니다. 허용량은 {} MiB 입니다",
    ),
    ("it refused {}: {}", "{} 요청을 거절했습니다: {}"),
    ("no answer after {} ms: {}", "{} ms 동안 답이 없습니다: {}"),
    ("{}, it is busy with `{}`", "{} (`{}` 작업 중입니다)"),
    ("it is still starting", "아직 시작하는 중입니다"),
    ("it has not settled", "아직 결과가 확정되지 않았습니다"),
    ("nothing about {} and {} more", "{} 외 {}개에 대한 답이 없습니다"),
    ("nothing about {}", "{} 에 대한 답이 없습니다"),
    ("nobody listens any more", "더는 듣는 쪽이 없습니다"),
    // Security and memory.
    ("{} was not checked: {}", "{} 을(를) 검사하지 못했습니다: {}"),
    ("the files cannot be read", "파일을 읽을 수 없습니다"),
    ("it is too much work to parse", "너무 복잡해 분석할 수 없습니다"),
    ("it is too large to read, {} bytes", "너무 커서 읽을 수 없습니다({}바이트)"),
    ("it cannot be read", "읽을 수 없습니다"),
    ("what was found in it before is not known", "전에 무엇이 발견되었는지 알 수 없습니다"),
    ("note {}: test {}: {}", "기록 {}: 테스트 {}: {}"),
    (
        "no gate of this project can run one test alone",
        "테스트 하나만 실행할 수 있는 검사가 이 프로젝트에 없습니다",
    ),
];

/// Nouns that are counted in a reason.
const COUNTED: [(&str, &str); 2] = [("test", "테스트"), ("error", "오류")];

/// Translates a reason to Korean. Unknown text, such as an error of a system or a
/// server, stays as it is.
pub fn reason_ko(reason: &str) -> String {
    translated(reason).unwrap_or_else(|| reason.to_owned())
}

fn translated(reason: &str) -> Option<String> {
    let table = || {
        REASONS.iter().find_map(|(english, korean)| Some(filled(korean, &parts(english, reason)?)))
    };
    attempts(reason).or_else(|| counted(reason)).or_else(table).or_else(|| of_several(reason))
}

/// Translates `reason (3 attempts)`.
fn attempts(reason: &str) -> Option<String> {
    let (what, count) = reason.strip_suffix(" attempts)")?.rsplit_once(" (")?;
    Some(format!("{} ({count}회 시도)", reason_ko(what)))
}

/// Translates `3 tests`.
fn counted(reason: &str) -> Option<String> {
    let (count, what) = reason.split_once(' ')?;
    let count: u64 = count.parse().ok()?;
    let singular = what.strip_suffix('s').unwrap_or(what);
    let (_, korean) = COUNTED.iter().find(|(english, _)| *english == singular)?;
    Some(format!("{korean} {count}건"))
}

/// Translates `server: reason; other: reason`.
fn of_several(reasons: &str) -> Option<String> {
    let of_one = |reason: &str| {
        let (who, why) = reason.split_once(": ")?;
        Some(format!("{who}: {}", translated(why)?))
    };
    let each = reasons.split("; ").map(of_one);
    Some(each.collect::<Option<Vec<String>>>()?.join("; "))
}

/// Returns the text matched by each `{}`; `None` if `text` does not have this form.
fn parts<'t>(form: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut fixed = form.split("{}");
    let mut rest = text.strip_prefix(fixed.next()?)?;
    let mut fixed = fixed.peekable();
    let mut parts = Vec::new();
    while let Some(piece) = fixed.next() {
        let (part, after) = if fixed.peek().is_none() {
            (rest.strip_suffix(piece)?, "")
        } else {
            rest.split_once(piece)?
        };
        parts.push(part);
        rest = after;
    }
    rest.is_empty().then_some(parts)
}

fn filled(form: &str, parts: &[&str]) -> String {
    let mut parts = parts.iter();
    let mut pieces = form.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(&parts.next().map(|part| reason_ko(part)).unwrap_or_default());
        text.push_str(piece);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_said_in_korean_with_the_reasons_in_it() {
        let said = [
            ("exit code 0, but 2 tests failed", "종료 코드는 0이지만 테스트 2건이 실패했습니다"),
            ("exit code 0, but it reports 1 error", "종료 코드는 0이지만 오류 1건을 보고했습니다"),
            ("exit code 4, and it wrote no report", "종료 코드는 4이고, 보고서를 쓰지 않았습니다"),
            (
                "its answer cannot be used: it is empty (3 attempts)",
                "답을 쓸 수 없습니다: 비어 있습니다 (3회 시도)",
            ),
            (
                "py: not installed: ruff; gopls: it ended: exit code 1",
                "py: 설치되어 있지 않습니다: ruff; gopls: 종료되었습니다: exit code 1",
            ),
            ("a word of the system", "a word of the system"),
        ];
        for (english, korean) in said {
            assert_eq!(reason_ko(english), korean);
        }
    }

    #[test]
    fn both_languages_leave_the_same_gaps() {
        let gaps = |text: &str| text.matches("{}").count();
        for (english, korean) in REASONS {
            assert_eq!(gaps(english), gaps(korean), "{english}");
        }
    }
}
