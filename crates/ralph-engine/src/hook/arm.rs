//! Starts a loop in a host's session.

use crate::command_log::CommandSource;
use crate::events::SilentSink;
use crate::host::SessionDir;
use crate::{EngineError, RunLedger};
use ralph_agents::Host;
use ralph_config::{ArmingMoment, RunSettings, SettingLayers};
use ralph_core::host::{HostChannel, HostReply, ReplyEffect};
use ralph_core::policy::ContextMode;
use ralph_core::run::{AgentRef, NewRun, Owner, Task};
use ralph_core::state::{RunState, WaitReason};
use ralph_core::wording;
use ralph_core::{Policy, Run, RunId, SessionId};
use ralph_store::{OwnerRequest, StoreError};

use super::HookInvocation;
use super::session::{HookRequest, answer};
use super::{log, open_ledger};
use crate::app::App;
use crate::driver::Driver;
use crate::run::RunChecks;
use crate::user_error::UserError;
use crate::{sandboxed_host, stop, undo};

/// Returns when loops begin here. Every event asks, so it reads the settings only if
/// they may differ from the installation.
pub(super) fn mode(app: &App, call: &HookInvocation<'_>) -> ArmingMoment {
    let is_set = app.variable("RALPH_ARM").is_some() || app.settings_mention("arm");
    let installed = call.arm.unwrap_or(ArmingMoment::Manual);
    if !is_set {
        return installed;
    }
    // Settings that cannot be read start no loop.
    app.layers()
        .map_or(ArmingMoment::Manual, |layers| ArmingMoment::new(&layers).unwrap_or(installed))
}

/// Returns an error for limits that need a turn's usage, which hosts do not report.
/// They would end the loop after its first turn.
pub(super) fn refuse_budget(policy: &Policy) -> Result<(), UserError> {
    if policy.limits.tokens.is_none() && policy.limits.cost.is_none() {
        return Ok(());
    }
    let what =
        "the host does not say what its turns use: a limit of money or tokens cannot be kept";
    Err(UserError::usage(what)
        .with_hint("take the limit out, or let `ralph run --agent NAME` drive the agent")
        .in_korean(
            "호스트가 턴의 사용량을 알려 주지 않아 비용이나 토큰 한도를 지킬 수 없습니다",
            Some("한도를 빼거나 `ralph run --agent NAME` 으로 실행하세요"),
        ))
}

/// Records a run for the session and begins its first turn.
pub(super) fn start(
    asked: &HookRequest<'_>,
    session: &SessionId,
    task: Task,
    checks: RunChecks,
    why: Option<&str>,
) -> Result<HostReply, UserError> {
    let (app, host) = (asked.app, asked.call.host);
    refuse_budget(&checks.settings.policy)?;
    let ledger = open_ledger(app)?;
    let new = NewRun {
        task,
        worktree: app.worktree(),
        agent: AgentRef { name: host.name.to_owned(), command: Vec::new() },
        policy: checks.settings.policy.clone(),
        owner: Owner::Session(session.clone()),
    };
    let place = SessionDir::new(&app.home, session);
    let own = ledger.store().run_of_session(session)?;
    if own.as_ref().is_some_and(|own| own.task == new.task && asked.is_echo(own, session)) {
        return Ok(HostReply::silent());
    }
    let cleared = clear_the_way(asked, &ledger, own)?;
    let task = new.task.clone();
    let run = match crate::host::start(ledger.store(), &place, new, app.now()) {
        Err(EngineError::Store(
            StoreError::WorktreeBusy { run } | StoreError::SessionBusy { run },
        )) => {
            let busy = ledger.store().run(&run)?;
            if busy.as_ref().is_some_and(|busy| busy.task == task && asked.is_echo(busy, session)) {
                return Ok(HostReply::silent());
            }
            return Err(busy_with(busy.as_ref(), &run));
        }
        started => started?,
    };
    app.keep_settings(&run.id);
    sandboxed_host::note_begun(app, ledger.store(), &place, &run);
    place.note_loop_host(asked.call.caller);
    place.note_asked(asked.event.prompt.as_deref());
    let reply = |run: &Run| begun(run, [cleared.clone(), why.map(str::to_owned)]);
    // The gates may take longer than the hook has time; the loop begins anyway.
    asked.deadline.otherwise(host.render(asked.event, &reply(&run)));
    if host.reach == HostChannel::Messages && !run.policy.gates.is_empty() {
        let news = HostReply::silent().with_note(wording::host::looks_first(&run));
        asked.deadline.early(&host.render(asked.event, &news));
    }
    let mut sink = SilentSink;
    let mut driver = Driver::of_run(app, ledger, checks, &run, &mut sink)?;
    let arming = place.note_arming();
    let run = driver.hosted().arm(run)?;
    drop(arming);
    Ok(if run.state == RunState::Running {
        reply(&run)
    } else {
        answer(wording::host::ended(&run, None))
    })
}

/// Makes the reply that begins a loop, with notes for the user.
pub(super) fn begun(run: &Run, more: [Option<String>; 2]) -> HostReply {
    let begin = ReplyEffect::Begin { task: run.task.text.clone(), rules: wording::rules(run) };
    let armed = [Some(wording::host::armed(run)), wording::told::passes_already(run)];
    let note: Vec<String> = armed.into_iter().chain(more).flatten().collect();
    HostReply::of(begin).with_note(note.join("\n"))
}

/// Ends the session's own loop, which the new one replaces. Without one, it pauses
/// loops whose client is gone. Returns a note for the user.
fn clear_the_way(
    asked: &HookRequest<'_>,
    ledger: &RunLedger,
    own: Option<Run>,
) -> Result<Option<String>, UserError> {
    let (app, store, locale) = (asked.app, ledger.store(), asked.app.chosen_locale());
    let Some(own) = own else {
        let left = undo::set_left_aside(app, store)?;
        let lines = left.iter().map(|left| wording::told::set_aside(left, locale));
        let lines: Vec<String> = lines.collect();
        return Ok((!lines.is_empty()).then(|| lines.join("\n")));
    };
    // In this host commands wait until the turn ends, so a user who types one has
    // interrupted the agent.
    if asked.call.host.reach == HostChannel::Messages && own.state == RunState::Running {
        return Err(still_at_work(&own));
    }
    // A loop that waits for the user is not replaced; a slip would lose it.
    if let RunState::Waiting(WaitReason::Human { .. }) = own.state {
        return Err(waits_for_user(&own));
    }
    let outcome = stop::end(app, store, &own, OwnerRequest::Stop, CommandSource::Session)?;
    if let Some(error) = outcome.unread {
        log::write(&app.home, &format!("{}: {error}", own.id));
    }
    Ok(Some(wording::told::replaces(&own, locale)))
}

fn waits_for_user(own: &Run) -> UserError {
    let id = &own.id;
    UserError::refused(format!("{id} of this session waits for you"))
        .with_hint("`/ralph status` shows why, `/ralph resume` goes on, `/cancel-ralph` ends it")
        .in_korean(
            format!("이 세션의 {id} 이(가) 사용자를 기다리고 있습니다"),
            Some("`/ralph status` 로 이유를 보고, `/ralph resume` 으로 계속하거나 `/cancel-ralph` 로 끝내세요"),
        )
}

fn still_at_work(own: &Run) -> UserError {
    let id = &own.id;
    UserError::refused(format!("{id} of this session is still running"))
        .with_hint("`/cancel-ralph` ends it; then start the new one")
        .in_korean(
            format!("이 세션의 {id} 이(가) 아직 진행 중입니다"),
            Some("`/cancel-ralph` 로 끝낸 뒤 새로 시작하세요"),
        )
}

/// Makes the error for a second loop beside that of another session or driver.
fn busy_with(busy: Option<&Run>, id: &RunId) -> UserError {
    let (whose, korean) = match busy.map(Run::session) {
        Some(Some(_)) => ("another session", "다른 세션"),
        Some(None) | None => ("`ralph run` in a terminal", "터미널의 `ralph run`"),
    };
    let text = format!("this work tree already has an active run with checks: {id} of {whose}");
    UserError::refused(text)
        .with_hint(format!(
            "`/ralph stop {id}` ends it; a linked work tree can have a run of its own"
        ))
        .in_korean(
            format!("이 작업 트리에서 이미 검사가 있는 루프가 실행 중입니다: {id} ({korean})"),
            Some(&format!("`/ralph stop {id}` 로 끝냅니다")),
        )
}

/// Interprets the settings for a loop in this host. Returns an error for what the host cannot do.
pub(super) fn settings(
    app: &App,
    host: &Host,
    mut layers: SettingLayers,
) -> Result<RunSettings, UserError> {
    let wanted = ralph_config::context(&layers);
    if !host.contexts.contains(&wanted) {
        let text = format!("a loop inside {} goes on in the same session", host.name);
        return Err(UserError::refused(text)
            .with_hint("leave `--context` out, or set it to `auto` or `same`")
            .in_korean(
                format!("{} 안의 루프는 같은 세션에서 계속됩니다", host.name),
                Some("`--context` 를 빼거나 `auto` 또는 `same` 으로 지정하세요"),
            ));
    }
    let moves = host.reach == HostChannel::Messages
        && matches!(wanted, ContextMode::Summarize | ContextMode::Fresh);
    if wanted == ContextMode::Same || moves {
        // A driver may start a new session for every turn; this host does not.
        layers.set_flag("run.context", ralph_config::SettingValue::Text("auto".to_owned()));
    }
    let mut settings = app.settings(&layers)?;
    settings.ensure_tools()?;
    if moves {
        settings.policy.context = wanted;
        settings.policy.old_session = Some(ralph_config::old_session(&layers));
        if !settings.policy.is_gated() && layers.get("run.stagnation_limit").is_none() {
            // A new session may repeat the answer of the last one. The user's limit
            // says how often.
            let limits = &mut settings.policy.limits;
            limits.stalled = limits.stalled.max(limits.restarts.saturating_add(2));
        }
    }
    Ok(settings)
}
