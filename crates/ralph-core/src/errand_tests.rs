use proptest::prelude::*;

use super::*;

fn id(number: usize) -> SessionId {
    SessionId::new(&format!("ses_{number}")).unwrap()
}

fn moved(context: ContextMode, fate: OldSession) -> PendingActions {
    PendingActions::default().with_move(context, &id(0), fate)
}

/// A host with sessions, and a run that moves between them. Completed actions of
/// the host survive a restart; its pending reports are lost.
struct SimulatedHost {
    errands: PendingActions,
    context: ContextMode,
    fate: OldSession,
    owner: usize,
    /// By session: its content; `None` after its deletion.
    sessions: Vec<Option<SessionContent>>,
    /// By restart: the session created for it.
    created: Vec<usize>,
    summaries: Vec<usize>,
    /// Sessions that answered.
    spoke: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum SessionContent {
    Nothing,
    Prompted,
}

/// The moment at which the host dies during an action.
#[derive(Clone, Copy, Debug, PartialEq)]
enum HostDeath {
    Never,
    Before,
    After,
}

impl SimulatedHost {
    fn new(context: ContextMode, fate: OldSession) -> Self {
        Self {
            errands: moved(context, fate),
            context,
            fate,
            owner: 0,
            sessions: vec![Some(SessionContent::Prompted)],
            created: Vec::new(),
            summaries: Vec::new(),
            spoke: vec![0],
        }
    }

    /// Carries out the first action, as a host does that may be asked twice.
    fn carry_out(&mut self, restart: usize) -> usize {
        match self.errands.first().unwrap().clone() {
            PendingAction::Summarize => {
                assert!(self.sessions[self.owner].is_some(), "nothing is left to sum up");
            }
            PendingAction::Create => {
                if self.created.len() <= restart {
                    self.sessions.push(Some(SessionContent::Nothing));
                    self.created.push(self.sessions.len() - 1);
                }
                return self.created[restart];
            }
            PendingAction::Select | PendingAction::Hear => {}
            PendingAction::Prompt(_) => self.sessions[self.owner] = Some(SessionContent::Prompted),
            PendingAction::Delete(session) => {
                let left = (0..self.sessions.len()).find(|at| id(*at) == session).unwrap();
                assert!(self.spoke.contains(&self.owner) && left != self.owner);
                self.sessions[left] = None;
            }
        }
        self.owner
    }

    /// Records the action as done.
    fn report(&mut self, session: usize) {
        match self.errands.first().unwrap() {
            PendingAction::Summarize => self.summaries.push(self.owner),
            PendingAction::Create => self.owner = session,
            PendingAction::Select
            | PendingAction::Prompt(_)
            | PendingAction::Hear
            | PendingAction::Delete(_) => {}
        }
        self.errands = self.errands.without_first();
    }

    /// Continues until the agent works, with a host that dies now and then.
    fn settle(&mut self, restart: usize, deaths: &mut impl Iterator<Item = HostDeath>) {
        while self.errands.first().is_some() {
            let death = deaths.next().unwrap_or(HostDeath::Never);
            if death == HostDeath::Before {
                continue;
            }
            let session = self.carry_out(restart);
            if death != HostDeath::After {
                self.report(session);
            }
        }
    }

    /// The agent answers, and the run moves on.
    fn turn(&mut self) {
        assert!(
            self.sessions[self.owner] == Some(SessionContent::Prompted),
            "nobody told it anything"
        );
        self.spoke.push(self.owner);
        let old = id(self.owner);
        self.errands = self.errands.after_turn().with_move(self.context, &old, self.fate);
    }
}

fn death() -> impl Strategy<Value = HostDeath> {
    prop_oneof![Just(HostDeath::Never), Just(HostDeath::Before), Just(HostDeath::After)]
}

proptest! {
    #[test]
    fn wherever_the_host_dies_nothing_is_lost_or_done_twice(
        deaths in prop::collection::vec(death(), 0..40),
        context in prop_oneof![Just(ContextMode::Summarize), Just(ContextMode::Fresh)],
        fate in prop_oneof![Just(OldSession::Delete), Just(OldSession::Keep)],
        restarts in 1_usize..4,
    ) {
        let mut world = SimulatedHost::new(context, fate);
        let mut deaths = deaths.into_iter();
        for restart in 0..restarts {
            world.settle(restart, &mut deaths);
            prop_assert_eq!(world.created.len(), restart + 1);
            prop_assert!(world.sessions[restart].is_some(), "deleted before the next one spoke");
            world.turn();
        }
        world.settle(restarts, &mut deaths);
        let gone = world.sessions.iter().filter(|session| session.is_none()).count();
        prop_assert_eq!(gone, if fate == OldSession::Delete { restarts } else { 0 });
        let summed: Vec<usize> = (0..=restarts).collect();
        prop_assert_eq!(world.summaries, if context == ContextMode::Summarize { summed } else { vec![] });
    }
}

#[test]
fn a_session_that_spoke_needs_no_prompt_whatever_is_known_of_it() {
    let all = moved(ContextMode::Fresh, OldSession::Delete);
    let created = all.without_first();
    let deleted = [PendingAction::Delete(id(0))];
    for errands in [created.clone(), created.without_first(), created.after_prompt()] {
        assert_eq!(errands.after_turn().list, deleted);
    }
    assert_eq!(all.after_turn().list, [], "a session that is not left yet goes on");
    let twice = PendingActions { list: deleted.to_vec(), asked: None };
    let twice = twice.with_move(ContextMode::Summarize, &id(1), OldSession::Delete);
    assert_eq!(twice.after_turn().list, deleted);
}

#[test]
fn a_session_that_somebody_uses_is_spared() {
    let errands = moved(ContextMode::Fresh, OldSession::Delete);
    assert!(errands.leaves(&id(0)) && !errands.leaves(&id(1)));
    let spared = errands.sparing(&id(0));
    assert!(!spared.leaves(&id(0)));
    assert_eq!(spared, moved(ContextMode::Fresh, OldSession::Keep));
    let asked = Some(ActionRequest { pid: 1, started: 2, at: Timestamp::default() });
    let asked =
        PendingActions { list: vec![PendingAction::Delete(id(0)), PendingAction::Create], asked };
    assert_eq!(
        asked.sparing(&id(0)),
        PendingActions { list: vec![PendingAction::Create], asked: None }
    );
}

#[test]
fn only_who_is_gone_or_takes_too_long_is_asked_again() {
    let at = Timestamp::from_millis(0);
    let soon = at.plus(Duration::from_mins(1));
    let late = at.plus(Duration::from_mins(5));
    let mut errands = moved(ContextMode::Summarize, OldSession::Keep);
    assert!(errands.is_due(soon, |_| true), "nobody was asked");
    errands.asked = Some(ActionRequest { pid: 1, started: 2, at });
    assert!(!errands.is_due(soon, |asked| asked.pid == 1));
    assert!(errands.is_due(soon, |_| false));
    assert!(errands.is_due(late, |_| true));
    errands.list = vec![PendingAction::Hear];
    assert!(!errands.is_due(late, |_| false), "it is the agent's turn");
}
