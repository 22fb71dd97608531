use ralph_core::Policy;
use ralph_core::RunId;
use ralph_core::Timestamp;
use ralph_core::policy::ContextMode;
use ralph_core::prompt::PromptSections;
use ralph_core::run::{AgentRef, NewRun, Owner, Task};

use super::*;

fn run(context: ContextMode, iteration: u32) -> Run {
    let now = Timestamp::from_millis(0);
    let new = NewRun {
        task: Task::default(),
        worktree: "/project".to_owned(),
        agent: AgentRef::default(),
        policy: Policy { context, ..Policy::promise() },
        owner: Owner::Driver { pid: 1, started: 0, heartbeat: now },
    };
    let verdict = if iteration > 1 { "Go on.".to_owned() } else { String::new() };
    let feedback = PromptSections { verdict, ..PromptSections::default() };
    Run { iteration, feedback, ..Run::new(RunId::from_bits(1), new, now) }
}

fn known(percent: u64, turns: u32) -> ResumableSession {
    let context = Some(ralph_agents::ContextWindow { tokens: percent, window: 100 });
    let session =
        AgentConversation { context, ..AgentConversation::new(SessionId::new("s-1").unwrap()) };
    ResumableSession { session, turns }
}

#[test]
fn the_first_turn_needs_no_summary() {
    for context in
        [ContextMode::Auto, ContextMode::Same, ContextMode::Summarize, ContextMode::Fresh]
    {
        assert_eq!(plan(&run(context, 1), None), SessionPlan::Fresh, "{context:?}");
    }
}

#[test]
fn later_turns_are_taken_where_the_user_wants_them() {
    let at = |context| plan(&run(context, 2), Some(&known(95, 5)));
    assert_eq!(at(ContextMode::Same), SessionPlan::Resume);
    assert_eq!(at(ContextMode::Fresh), SessionPlan::Fresh);
    assert_eq!(at(ContextMode::Summarize), SessionPlan::Summarize(FreshSessionReason::Asked));
    assert_eq!(at(ContextMode::Auto), SessionPlan::Summarize(FreshSessionReason::Full(95)));
}

#[test]
fn a_conversation_goes_on_while_it_fits() {
    let at = |percent| plan(&run(ContextMode::Auto, 2), Some(&known(percent, 1)));
    assert_eq!(at(80), SessionPlan::Resume);
    assert_eq!(at(81), SessionPlan::Summarize(FreshSessionReason::Full(81)));
}

#[test]
fn a_conversation_that_gets_nowhere_is_left_but_not_at_once() {
    let mut stuck = run(ContextMode::Auto, 4);
    stuck.progress.stalled = 2;
    assert_eq!(
        plan(&stuck, Some(&known(10, 2))),
        SessionPlan::Summarize(FreshSessionReason::Stuck)
    );
    assert_eq!(plan(&stuck, Some(&known(10, 1))), SessionPlan::Resume);
    stuck.progress.stalled = 1;
    assert_eq!(plan(&stuck, Some(&known(10, 2))), SessionPlan::Resume);
}

#[test]
fn where_no_conversation_is_known_its_story_is_told() {
    for context in [ContextMode::Auto, ContextMode::Same] {
        assert_eq!(
            plan(&run(context, 3), None),
            SessionPlan::Summarize(FreshSessionReason::Unknown)
        );
    }
}

#[test]
fn what_is_remembered_survives_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = AgentSession::load(folder.path(), "a");
    assert_eq!(memory.known, None);
    let mut session = known(40, 0).session;
    session.charged = Usage { input_tokens: 5, output_tokens: 6, cost: Usd::from_micros(7) };
    memory.note(SessionAfterTurn::Session(session.clone()));
    memory.refused = 1;
    memory.save(folder.path()).unwrap();
    let again = AgentSession::load(folder.path(), "a");
    assert_eq!(again, memory);
    assert_eq!(again.known, Some(ResumableSession { session, turns: 1 }));
}

#[test]
fn the_session_of_another_agent_is_none_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = AgentSession::load(folder.path(), "a");
    memory.note(SessionAfterTurn::Session(known(40, 0).session));
    memory.save(folder.path()).unwrap();
    assert_eq!(AgentSession::load(folder.path(), "b").known, None);
}

#[test]
fn a_damaged_memory_is_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["", "{", "[]", r#"{"agent":"a","session":{"id":"../x"}}"#] {
        std::fs::write(folder.path().join(FILE), text).unwrap();
        assert_eq!(AgentSession::load(folder.path(), "a").known, None, "{text}");
    }
}

#[test]
fn no_two_sessions_share_a_name() {
    let names: std::collections::BTreeSet<String> =
        (0..100).map(|_| new_session().unwrap().id.to_string()).collect();
    assert_eq!(names.len(), 100);
}
