//! Who calls us: the user, or an agent in one of its turns.
//!
//! The environment of a turn says so. An agent may empty it, but not the one
//! that the processes above it were started with, nor can it leave the tree of
//! the process that drives it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ralph_agents::host::HOSTS;
use ralph_core::run::Owner;
use ralph_core::{RunId, SessionId};
use ralph_engine::host::Place as Kept;
use ralph_engine::loops;
use ralph_proc::{Ancestor, TOKEN_VARIABLE, ancestors};
use ralph_store::RunStore;

use crate::app::{App, user_home};

type Environment = BTreeMap<OsString, OsString>;

/// Where an agent is that calls us.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Its session, as its host names it.
    pub(crate) session: Option<SessionId>,
    /// The run that it works for.
    pub(crate) run: Option<RunId>,
    /// The turn of that run, as far as it was told.
    pub(crate) iteration: Option<u32>,
}

impl Caller {
    /// Whether a driver of ours started the agent.
    pub(crate) fn is_driven(&self) -> bool {
        self.run.is_some() || self.session.is_none()
    }
}

/// The agent that calls us; `None` if it is the user.
pub(crate) fn agent(app: &App) -> Option<Caller> {
    told_by(&app.env).or_else(|| told_by_ancestors(app, &ancestors()))
}

/// What an environment says about the turn it belongs to.
fn told_by(environment: &Environment) -> Option<Caller> {
    let text = |name: &str| environment.get(OsStr::new(name)).and_then(|value| value.to_str());
    let is_driven = text("RALPH_DRIVER") == Some("1");
    let named = HOSTS.iter().filter_map(|host| environment.get(OsStr::new(host.session_variable?)));
    let named: Vec<&OsString> = named.filter(|name| !name.is_empty()).collect();
    let session = named.iter().find_map(|name| SessionId::new(name.to_str()?));
    let driven = |name: &str| text(name).filter(|_| is_driven);
    // A name that cannot be used was still given by a host.
    (is_driven || !named.is_empty()).then(|| Caller {
        session,
        run: driven("RALPH_RUN_ID").and_then(|run| run.parse().ok()),
        iteration: driven("RALPH_ITERATION").and_then(|number| number.parse().ok()),
    })
}

/// What the processes above us say.
fn told_by_ancestors(app: &App, above: &[Ancestor]) -> Option<Caller> {
    let ours = || driver_above(app, above).or_else(|| host_above(&app.home, above));
    above.iter().find_map(|ancestor| told_by_ancestor(app, *ancestor)).or_else(ours)
}

/// What the environment of a process above us says. It counts for a user with
/// the same state, and for the runs and sessions of this project: who tests
/// ralph in a turn of an agent, in a home of its own, is not that agent.
fn told_by_ancestor(app: &App, ancestor: Ancestor) -> Option<Caller> {
    let environment: Environment = ancestor.environment().into_iter().collect();
    let is_supervised = environment.contains_key(OsStr::new(TOKEN_VARIABLE));
    let caller = told_by(&environment).or_else(|| is_supervised.then(Caller::default))?;
    let is_here = || {
        let session = caller.session.as_ref();
        let has_session = session.is_some_and(|id| Kept::new(&app.home, id).folder().exists());
        has_session || caller.run.as_ref().is_some_and(|run| has_run(app, run))
    };
    (user_home(&environment) == app.user_home() || is_here()).then_some(caller)
}

fn has_run(app: &App, run: &RunId) -> bool {
    let found = app.existing_store().ok().flatten().and_then(|store| store.run(run).ok()?);
    found.is_some()
}

/// The run of this work tree, if its driver is above us.
fn driver_above(app: &App, above: &[Ancestor]) -> Option<Caller> {
    let store = app.existing_store().ok()??;
    let run = loops::current(&store, &app.worktree()).ok()??;
    let Some(Owner::Driver { pid, started, .. }) = run.owner else { return None };
    let driver = Ancestor { pid, started };
    above.contains(&driver).then(|| Caller {
        run: Some(run.id),
        iteration: Some(run.iteration),
        ..Caller::default()
    })
}

/// The session of this project whose host is above us. Agents run commands in a
/// shell below their host; who calls both hooks and commands itself, as a script
/// may, speaks for the user.
fn host_above(home: &Path, above: &[Ancestor]) -> Option<Caller> {
    let above = above.get(1..).unwrap_or_default();
    let is_above = |(pid, started)| above.contains(&Ancestor { pid, started });
    let session = Kept::hosts(home).into_iter().find(|(_, host)| is_above(*host))?.0;
    Some(Caller { session: Some(session), ..Caller::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn an_environment_tells_of_the_turn_it_belongs_to() {
        assert_eq!(
            told_by(&environment(&[("HOME", "/h"), ("RALPH_RUN_ID", "run-12345678")])),
            None
        );
        let turn = environment(&[
            ("RALPH_DRIVER", "1"),
            ("RALPH_RUN_ID", "run-12345678"),
            ("RALPH_ITERATION", "3"),
        ]);
        let caller = told_by(&turn).unwrap();
        assert_eq!(caller.run.map(|run| run.to_string()).as_deref(), Some("run-12345678"));
        assert_eq!((caller.iteration, caller.session), (Some(3), None));
        let variable = HOSTS.iter().find_map(|host| host.session_variable).unwrap();
        let host = told_by(&environment(&[(variable, "s1")])).unwrap();
        assert_eq!(host.session, SessionId::new("s1"));
        assert_eq!(told_by(&environment(&[(variable, "")])), None);
    }
}
