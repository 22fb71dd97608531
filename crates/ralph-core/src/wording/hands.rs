//! Messages about tampering with the evidence: programs, settings, snapshots and
//! our own state.

use crate::locale::Locale;

/// The start could not be compared with the current state.
pub fn not_compared(why: &str, locale: Locale) -> String {
    locale.say(
        format!("the checks could not be compared with the start: {why}"),
        format!("검사를 시작 시점과 비교할 수 없습니다: {why}"),
    )
}

/// A program that a gate runs was replaced.
pub fn program_replaced(name: &str, locale: Locale) -> String {
    locale.say(
        format!("`{name}`, which a check executes, was replaced during the run"),
        format!("검사가 실행하는 `{name}` 프로그램이 실행 중에 바뀌었습니다"),
    )
}

/// Another program is found before the one that a gate used at the start.
pub fn program_shadowed(name: &str, then: &str, locale: Locale) -> String {
    locale.say(
        format!("stands before `{name}`, which a check found at {then} at the start"),
        format!("검사가 시작 시점에 {then}에서 찾은 `{name}`보다 먼저 실행되게 되어 있습니다"),
    )
}

/// The project got a module with the name of one that a gate loads.
pub fn module_shadowed(name: &str, locale: Locale) -> String {
    locale.say(
        format!("was added in the run and takes the place of `{name}`, which a check loads"),
        format!("실행 중에 추가되어, 검사가 불러오는 `{name}`을(를) 대신합니다"),
    )
}

/// A setting for checks outside of the project changed.
pub fn setting_outside(locale: Locale) -> &'static str {
    locale.say(
        "says how checks run, lies outside the project, and changed during the run",
        "프로젝트 밖에 있으면서 검사 실행 방식을 정하는 파일이 실행 중에 바뀌었습니다",
    )
}

/// A program that a test suite may call was replaced.
pub fn path_program_replaced(name: &str, locale: Locale) -> String {
    locale.say(
        format!("`{name}`, a program on the `PATH`, was replaced during the run"),
        format!("`PATH`에 있는 `{name}` 프로그램이 실행 중에 바뀌었습니다"),
    )
}

/// A program was placed before one of the same name that a test suite may call.
pub fn path_program_shadowed(name: &str, then: &str, locale: Locale) -> String {
    locale.say(
        format!("was added in the run and is found before `{name}` at {then}"),
        format!("실행 중에 추가되어 {then}의 `{name}`보다 먼저 실행됩니다"),
    )
}

/// Code outside of the project that every check may load changed.
pub fn code_outside(locale: Locale) -> &'static str {
    locale.say(
        "is code outside the project that checks load, and changed during the run",
        "검사가 불러오는 프로젝트 밖의 코드가 실행 중에 바뀌었습니다",
    )
}

/// The project got a list of plugins that a test runner loads automatically.
pub fn plugin_listed(locale: Locale) -> &'static str {
    locale.say(
        "names a plugin that pytest loads by itself, and changed during the run",
        "pytest가 스스로 불러오는 플러그인 목록이 실행 중에 바뀌었습니다",
    )
}

/// Code was installed outside of the project.
pub fn code_installed(locale: Locale) -> &'static str {
    locale.say(
        "was installed outside the project during the run",
        "실행 중에 프로젝트 밖에 설치되었습니다",
    )
}

/// Compiled Python does not match its source.
pub fn byte_code_differs(locale: Locale) -> &'static str {
    locale.say(
        "is compiled Python, and not what its source says",
        "컴파일된 파이썬 파일이 소스와 다릅니다",
    )
}

/// Compiled Python could not be compared with its source.
pub fn byte_code_unknown(why: &str, locale: Locale) -> String {
    locale.say(
        format!("compiled Python that was not compared with its source: {why}"),
        format!("컴파일된 파이썬 파일을 소스와 비교하지 못했습니다: {why}"),
    )
}

/// A file with findings became ignored.
pub fn finding_ignored(locale: Locale) -> &'static str {
    locale.say(
        "a check found something in it at the start; now it is ignored, and not looked at",
        "시작 시점에 검사가 문제를 찾은 파일이 이제 무시되어 검사되지 않습니다",
    )
}

/// Findings disappeared from an unchanged file.
pub fn finding_gone(locale: Locale) -> &'static str {
    locale.say(
        "what a check found in it at the start is gone, and the file is as it was",
        "시작 시점에 검사가 찾은 문제가 사라졌지만 파일은 그대로입니다",
    )
}

/// A file with findings was renamed, or another one is read instead.
pub fn finding_covered(file: &str, locale: Locale) -> String {
    locale.say(
        format!("takes the place of `{file}`, in which a check found something at the start"),
        format!("시작 시점에 검사가 문제를 찾은 `{file}`을(를) 대신합니다"),
    )
}

/// A file is in no snapshot, so its effect is unknown.
pub fn in_no_snapshot(locale: Locale) -> &'static str {
    locale.say(
        "was added in the run and is in no snapshot: too large, unreadable, or a repository of \
         its own",
        "실행 중에 추가되었지만 너무 크거나, 읽을 수 없거나, 별도의 저장소여서 스냅샷에 없습니다",
    )
}

/// A file outside of all snapshots that checks may load changed.
pub fn loose_changed(locale: Locale) -> &'static str {
    locale.say(
        "is in no snapshot, may be loaded by checks, and changed during the run",
        "스냅샷에 없고 검사가 불러올 수 있는 파일이 실행 중에 바뀌었습니다",
    )
}

/// A file in a nested repository changed.
pub fn repository_changed(file: &str, locale: Locale) -> String {
    locale.say(
        format!(
            "is a repository of its own, in no snapshot, and `{file}` changed in it during the run"
        ),
        format!("스냅샷에 없는 별도의 저장소이며, 그 안의 `{file}` 파일이 실행 중에 바뀌었습니다"),
    )
}

/// A nested repository is at another commit.
pub fn repository_moved(locale: Locale) -> &'static str {
    locale.say(
        "is a repository of its own, and was moved to another commit during the run",
        "별도의 저장소이며, 실행 중에 다른 커밋으로 옮겨졌습니다",
    )
}

/// Processes survived their supervisor.
pub fn escaped(count: usize, locale: Locale) -> String {
    locale.say(
        format!(
            "a supervisor was killed and {count} process(es) escaped; they were ended, and this \
             turn proves nothing"
        ),
        format!(
            "감독 프로세스가 강제 종료되어 프로세스 {count}개가 빠져나갔습니다. 모두 종료했으며 이 \
             턴은 아무것도 증명하지 않습니다"
        ),
    )
}

/// A supervisor was stopped.
pub fn stopped(locale: Locale) -> String {
    locale
        .say(
            "a supervisor was stopped during the turn; it was ended with all below it, \
         and this turn proves nothing",
            "감독 프로세스가 턴 중에 정지되었습니다. 그 아래의 모든 프로세스와 함께 \
         종료했으며 이 턴은 아무것도 증명하지 않습니다",
        )
        .to_owned()
}

/// A file that decides about the run was changed during a turn.
pub fn put_right(name: &str, locale: Locale) -> String {
    locale.say(
        format!(
            "`{name}` in the run's folder was changed during the turn; it was put right, and this \
             turn proves nothing"
        ),
        format!(
            "실행 폴더의 `{name}` 파일이 턴 중에 바뀌었습니다. 되돌렸으며 이 턴은 아무것도 증명하지 \
             않습니다"
        ),
    )
}

/// The permissions of our state folder were removed.
pub fn state_closed(locale: Locale) -> String {
    locale
        .say(
            "the folder with the state of the run was closed during the turn; it was \
         opened again, and this turn proves nothing",
            "실행 상태를 담은 폴더의 권한이 턴 중에 막혔습니다. 다시 열었으며 이 턴은 \
         아무것도 증명하지 않습니다",
        )
        .to_owned()
}

/// A change was allowed during a turn of the agent.
pub fn allowed_in_turn(paths: &str, locale: Locale) -> String {
    locale.say(
        format!(
            "{paths} was allowed while the agent was at work; that counts nothing, because \
             the agent may have done it"
        ),
        format!(
            "{paths}: 에이전트가 작업하는 동안 허용되었습니다. 에이전트가 한 일일 수 있으므로 \
             적용하지 않습니다"
        ),
    )
}
