//! The final message about a run: its result, and what to do next.

use std::fmt::Write;

use crate::command_log::CommandLog;
use ralph_core::locale::Locale;
use ralph_core::policy::GateSpec;
use ralph_core::run::BestIteration;
use ralph_core::score::Score;
use ralph_core::state::{Proof, RunState, WaitReason};
use ralph_core::{Run, wording};
use ralph_snapshot::{Snapshot, SnapshotPlace};

use crate::texts::{counted, state_line};

/// Renders the final message of a driver: the result, and what to do next.
pub fn closing(run: &Run, commands: &CommandLog) -> String {
    let id = &run.id;
    let mut text = state_line(run, commands);
    if matches!(run.state, RunState::Failed(_)) {
        if let Some(missing) = only_claim_missing(run) {
            let _ = write!(text, "\n{missing}");
        } else if let Some(best) = run.best {
            let _ = write!(text, "\n{}", best_line(run.policy.locale, best));
        }
    }
    let locale = run.policy.locale;
    let next = match &run.state {
        RunState::Waiting(WaitReason::Human { .. }) => locale.say(
            format!("`ralph resume {id} --answer TEXT` answers and goes on, `ralph stop` ends it."),
            format!(
                "`ralph resume {id} --answer TEXT` 로 답하고 계속하며, `ralph stop` 으로 끝냅니다."
            ),
        ),
        RunState::Paused(_) | RunState::Waiting(_) => locale.say(
            format!("`ralph resume {id}` goes on, `ralph stop` ends it."),
            format!("`ralph resume {id}` 로 계속하고, `ralph stop` 으로 끝냅니다."),
        ),
        RunState::Success(Proof::Verified) => locale.say(
            format!("`ralph report {id}` shows the proof."),
            format!("`ralph report {id}` 로 증거를 볼 수 있습니다."),
        ),
        RunState::Success(Proof::Claimed)
        | RunState::Running
        | RunState::Failed(_)
        | RunState::Stopped => locale.say(
            format!("`ralph report {id}` shows what happened."),
            format!("`ralph report {id}` 로 경과를 볼 수 있습니다."),
        ),
    };
    text + "\n" + &next
}

/// Explains a failed run whose gates all pass: something is held, or no claim was made.
fn only_claim_missing(run: &Run) -> Option<String> {
    if !run.progress.held.is_empty() {
        let text = run.policy.locale.say(
            "All checks pass, but changes of tests or checks are held.",
            "모든 검사를 통과했지만 테스트나 검사의 변경이 보류되어 있습니다.",
        );
        return Some(text.to_owned());
    }
    // A judge may have been asked, and have refused.
    let measured = run.policy.measures() && !run.policy.gates.iter().any(GateSpec::is_judge);
    // A gate without a result neither fails nor passes.
    let is_clean = run.best.is_some_and(|best| best.score == Score::default());
    let green = measured && is_clean && run.progress.failing.is_empty();
    let signal = wording::signal(&run.policy.claim)?;
    green.then(|| run.policy.locale.say(
        format!(
            "All checks pass, as they did from the start, but the agent never ended its reply with {signal}."
        ),
        format!(
            "모든 검사가 처음부터 통과했지만, 에이전트가 답변을 {signal} 로 끝맺지 않았습니다."
        ),
    ))
}

/// Tells where the snapshot of the start is, and how to go back to it.
pub fn way_back(run: &Run, start: &Snapshot, added: usize) -> String {
    let id = &run.id;
    let (place, by_hand) = match &start.place {
        SnapshotPlace::Git { reference, .. } => {
            (reference.clone(), format!("git restore --source={reference} --worktree -- :/"))
        }
        SnapshotPlace::Files { manifest } => (
            manifest.display().to_string(),
            // Only `-a` restores the old modes and links.
            format!(
                r#"d=$(mktemp -d) && ralph snapshots {id} --copy start "$d" && cp -a "$d"/. ."#
            ),
        ),
    };
    let text = run.policy.locale.say(
        format!(
            "The files as they were: {place}\nRoll back: ralph rollback {id}\nBy hand: {by_hand}"
        ),
        format!(
            "시작 시점의 스냅샷: {place}\n되돌리기: ralph rollback {id}\n직접 되돌리기: {by_hand}"
        ),
    );
    let stays = run.policy.locale.say(
        format!("(leaves {} that the run added)", counted(added, "file")),
        format!("(실행 중에 새로 생긴 파일 {added}개는 남습니다)"),
    );
    if added == 0 { text } else { text + "\n         " + &stays }
}

fn best_line(locale: Locale, best: BestIteration) -> String {
    let (iteration, score) = (best.iteration, wording::score(&best.score, locale));
    locale.say(
        format!("The best was turn {iteration} with {score}."),
        format!("가장 좋았던 것은 {iteration}번째 턴입니다({score})."),
    )
}
