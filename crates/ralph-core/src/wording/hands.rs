//! What is said when the ground of the evidence was touched.

use crate::locale::Locale;

/// The start could not be compared with the present.
pub fn not_compared(why: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("the checks could not be compared with the start: {why}"),
        Locale::Ko => format!("검사를 시작 시점과 비교할 수 없습니다: {why}"),
    }
}

/// What a gate executes was replaced.
pub fn program_replaced(name: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("`{name}`, which a check executes, was replaced during the run"),
        Locale::Ko => format!("검사가 실행하는 `{name}` 프로그램이 실행 중에 바뀌었습니다"),
    }
}

/// Another program is found where a gate looks for its own.
pub fn program_shadowed(name: &str, then: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("stands before `{name}`, which a check found at {then} at the start"),
        Locale::Ko => {
            format!("검사가 시작 시점에 {then}에서 찾은 `{name}`보다 먼저 실행되게 되어 있습니다")
        }
    }
}

/// The project got something of the name of what a gate executes.
pub fn module_shadowed(name: &str, locale: Locale) -> String {
    match locale {
        Locale::En => {
            format!("was added in the run and takes the place of `{name}`, which a check executes")
        }
        Locale::Ko => format!("실행 중에 추가되어, 검사가 실행하는 `{name}`을(를) 대신합니다"),
    }
}

/// Processes outlived their supervisor.
pub fn escaped(count: usize, locale: Locale) -> String {
    match locale {
        Locale::En => format!(
            "a supervisor was killed and {count} process(es) escaped; they were ended, and this \
             turn proves nothing"
        ),
        Locale::Ko => format!(
            "감독 프로세스가 강제 종료되어 프로세스 {count}개가 빠져나갔습니다. 모두 종료했으며 이 \
             턴은 아무것도 증명하지 않습니다"
        ),
    }
}

/// A file that judges the run was changed while the agent was at work.
pub fn put_right(name: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!(
            "`{name}` in the run's folder was changed during the turn; it was put right, and this \
             turn proves nothing"
        ),
        Locale::Ko => format!(
            "실행 폴더의 `{name}` 파일이 턴 중에 바뀌었습니다. 되돌렸으며 이 턴은 아무것도 증명하지 \
             않습니다"
        ),
    }
}

/// Something was allowed while the agent was at work.
pub fn allowed_in_turn(paths: &str, locale: Locale) -> String {
    match locale {
        Locale::En => {
            format!("allowed while the agent was at work: {paths}; the evidence is not sealed")
        }
        Locale::Ko => {
            format!("에이전트가 작업하는 동안 허용됨: {paths}. 증거는 봉인되지 않습니다")
        }
    }
}
