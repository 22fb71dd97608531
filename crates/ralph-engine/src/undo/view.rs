//! Renders a rollback, planned or done.

use std::path::Path;

use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_core::wording::columns;
use ralph_snapshot::{
    RollbackAction, RollbackOutcome, RollbackPlan, RollbackStep, UntouchedFile, WhyKept,
};

use crate::texts::{self, counted};

/// Number of files of each kind that are listed.
const LISTED: usize = 20;

/// Width of the first word of a line, in columns.
const WORD: usize = 10;

/// Renders the plan, line by line.
pub fn plan_lines(plan: &RollbackPlan, locale: Locale) -> Vec<String> {
    let nothing = || locale.say("There is nothing to take back.", "되돌릴 것이 없습니다.");
    let mut lines: Vec<String> =
        plan.is_empty().then(|| nothing().to_owned()).into_iter().collect();
    lines.extend(step_lines(&plan.steps, None, locale));
    lines.extend(step_lines(&plan.conflicts, Some(&forced(locale)), locale));
    lines.extend(kept_lines(&plan.kept, locale));
    lines
}

/// Renders the files that others changed, line by line.
pub fn conflict_lines(plan: &RollbackPlan, locale: Locale) -> Vec<String> {
    step_lines(&plan.conflicts, None, locale)
}

/// A rollback that was done, in lines.
pub struct RollbackLines {
    /// The files that were kept.
    pub kept: Vec<String>,
    /// The files that were restored.
    pub steps: Vec<String>,
    /// The files that could not be restored.
    pub left: Vec<String>,
}

/// Renders the result.
pub fn done_lines(run: &Run, done: &RollbackOutcome, kept: &[UntouchedFile]) -> RollbackLines {
    let locale = run.policy.locale;
    let changed = locale.say(
        "changed since by others; use --force",
        "다른 사람이 변경함; --force 를 쓰면 되돌립니다",
    );
    let left = done.left.iter().map(|path| left_alone(path, changed, locale));
    let blocked = done.blocked.iter().map(|blocked| {
        let by = texts::path(&blocked.by);
        let remark =
            locale.say(format!("{by} is in its way"), format!("{by} 이(가) 그 자리에 있음"));
        left_alone(&blocked.path, &remark, locale)
    });
    RollbackLines {
        kept: kept_lines(kept, locale),
        steps: step_lines(&done.steps, None, locale),
        left: left.chain(blocked).collect(),
    }
}

/// Renders one sentence: the result, and how to undo it.
pub fn closing(run: &Run, done: &RollbackOutcome) -> String {
    let (files, id) = (done.steps.len(), &run.id);
    let safety = done.safety.as_ref().map(|safety| safety.label);
    match safety {
        Some(label) => run.policy.locale.say(
            format!(
                "Restored {}. `ralph rollback {id} --undo` undoes that: snapshot {label} has the files as they were before.",
                counted(files, "file")
            ),
            format!(
                "파일 {files}개를 복원했습니다. 복원 전의 파일은 스냅샷 {label} 에 있으며 `ralph rollback {id} --undo` 로 되돌립니다."
            ),
        ),
        None => run.policy.locale.say(
            "There is nothing to restore.".to_owned(),
            "되돌릴 것이 없습니다.".to_owned(),
        ),
    }
}

/// Renders one sentence: the rollback was undone, and how to repeat it.
pub fn undone(run: &Run, done: &RollbackOutcome) -> String {
    let (files, id) = (done.steps.len(), &run.id);
    match done.safety.as_ref().map(|safety| safety.label) {
        Some(label) => run.policy.locale.say(
            format!(
                "Undid the rollback: {} as before it. `ralph rollback {id} --to {label}` takes that back.",
                if files == 1 { "1 file is".to_owned() } else { format!("{files} files are") }
            ),
            format!(
                "되돌리기를 취소했습니다: 파일 {files}개가 이전 상태입니다. `ralph rollback {id} --to {label}` 로 다시 되돌립니다."
            ),
        ),
        None => run.policy.locale.say(
            "Undid the rollback: there was nothing left to restore.".to_owned(),
            "되돌리기를 취소했습니다: 복원할 것이 없었습니다.".to_owned(),
        ),
    }
}

/// Returns the remark that an earlier rollback can be undone, too.
pub fn one_before(locale: Locale) -> &'static str {
    locale.say(
        "There was a rollback before it; `--undo` once more undoes that one.",
        "그 전에도 되돌리기가 있었습니다. `--undo` 를 한 번 더 쓰면 그것을 취소합니다.",
    )
}

/// Returns the remark that an interrupted rollback was completed.
pub fn completed(locale: Locale) -> &'static str {
    locale.say(
        "A rollback had been interrupted; it was completed first.",
        "중단되었던 되돌리기를 먼저 마쳤습니다.",
    )
}

/// Names an action.
pub(crate) fn word(action: RollbackAction, locale: Locale) -> &'static str {
    match action {
        RollbackAction::Restore => locale.say("restore", "복원"),
        RollbackAction::Recreate => locale.say("bring back", "되살림"),
        RollbackAction::Remove => locale.say("remove", "삭제"),
    }
}

fn forced(locale: Locale) -> String {
    locale.say(
        "changed since by others; only with --force".to_owned(),
        "다른 사람이 변경함; --force 일 때만".to_owned(),
    )
}

fn step_lines(steps: &[RollbackStep], remark: Option<&str>, locale: Locale) -> Vec<String> {
    let remark = remark.map_or_else(String::new, |remark| format!(" ({remark})"));
    let listed = steps.iter().take(LISTED);
    let lines = listed.map(|step| line(word(step.action, locale), &texts::path(&step.path)));
    lines.chain(more(steps.len(), locale)).map(|line| line + &remark).collect()
}

fn kept_lines(kept: &[UntouchedFile], locale: Locale) -> Vec<String> {
    let listed = kept.iter().take(LISTED);
    let lines = listed.map(|kept| left_alone(&kept.path, reason(kept.why, locale), locale));
    lines.chain(more(kept.len(), locale)).collect()
}

fn left_alone(path: &Path, remark: &str, locale: Locale) -> String {
    let word = locale.say("left alone", "그대로 둠");
    format!("{} ({remark})", line(word, &texts::path(path)))
}

fn line(word: &str, path: &str) -> String {
    format!("  {word}{} {path}", " ".repeat(WORD.saturating_sub(columns(word))))
}

fn more(count: usize, locale: Locale) -> Option<String> {
    let rest = count.checked_sub(LISTED).filter(|rest| *rest > 0)?;
    Some(locale.say(format!("  … and {rest} more"), format!("  … 그 밖에 {rest}개")))
}

fn reason(why: WhyKept, locale: Locale) -> &'static str {
    match why {
        WhyKept::AppearedLater => locale.say("appeared after the run", "실행이 끝난 뒤에 생김"),
        WhyKept::NotRecorded => {
            locale.say("its contents were not recorded", "내용이 기록되지 않음")
        }
        WhyKept::IgnoredThen => locale.say("was ignored then", "당시에는 무시되던 파일"),
        WhyKept::Nested => locale.say("a repository of its own", "별도의 저장소"),
        WhyKept::TooLarge => locale.say("too large to be kept", "너무 커서 보관하지 않음"),
        WhyKept::LeftOut => locale.say("written by a gate", "게이트가 만든 파일"),
        WhyKept::AppearedMeanwhile => {
            locale.say("appeared while the run rested", "실행이 쉬는 동안 생김")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_in_the_same_column_in_every_language() {
        for locale in [Locale::En, Locale::Ko] {
            let words = [RollbackAction::Restore, RollbackAction::Recreate, RollbackAction::Remove];
            let mut lines = words.map(|action| line(word(action, locale), "x")).to_vec();
            lines.push(left_alone(Path::new("x"), "", locale).replace(" ()", ""));
            let widths: Vec<_> = lines.iter().map(|line| columns(line)).collect();
            assert_eq!(widths, [WORD + 4; 4], "{lines:?}");
        }
    }

    #[test]
    fn a_long_list_ends_with_how_many_are_missing() {
        let one = UntouchedFile { path: "a".into(), why: WhyKept::TooLarge };
        let lines = kept_lines(&vec![one; LISTED + 2], Locale::Ko);
        assert_eq!(lines.len(), LISTED + 1);
        assert_eq!(lines.last().map(String::as_str), Some("  … 그 밖에 2개"));
        assert_eq!(more(LISTED, Locale::En), None);
    }
}
