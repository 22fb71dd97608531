//! Tells who called `ralph`: the user, or an agent in one of its turns.
//!
//! The environment of a turn says so. An agent may empty it, but it cannot change that
//! of the processes above it, nor leave the process tree of its driver. Only a process
//! that left this tree with an environment of its own looks like the user.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ralph_agents::host::HOSTS;
use ralph_core::run::Owner;
use ralph_core::{Run, RunId, SessionId};
use ralph_memory::event::EventContext;
use ralph_proc::{Ancestor, TOKEN_VARIABLE, ancestors};
use ralph_store::{RunQuery, RunStateFilter};

use crate::app::{App, user_home};
use crate::command_log::CommandSource;
use crate::host::SessionDir as Kept;
use crate::owner;

type EnvironmentVars = BTreeMap<OsString, OsString>;

/// An agent that called `ralph`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CallingAgent {
    /// Its session, as its host names it.
    pub session: Option<SessionId>,
    /// The run that it works for.
    pub run: Option<RunId>,
    /// The turn of that run, if it is known.
    pub iteration: Option<u32>,
}

/// The way `ralph` was called, which tells how far above us a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvocationKind {
    /// A command: there is, or was, a shell between the agent's host and us.
    Command,
    /// A hook or a server of tools, which hosts start themselves.
    Child,
}

/// The variable by which a hook tells a command that it was typed in a session.
pub const SESSION_COMMAND: &str = "RALPH_SESSION_COMMAND";

/// Most open runs that are searched.
const MOST_OPEN: u32 = 1000;

/// Returns the agent that called us; `None` if it was the user.
pub fn agent(app: &App) -> Option<CallingAgent> {
    told_by(&app.env).or_else(|| told_by_ancestors(app, &ancestors()))
}

/// Returns the open run of this project whose agent called us, even from another work
/// tree; `None` if nothing points to one.
///
/// Unlike [`agent`] it counts every sign there is: an agent can add a variable
/// that names another session, but not take away what is above it.
pub fn open_run(app: &App, called: InvocationKind) -> Option<Run> {
    let store = app.existing_store().ok()??;
    let query = RunQuery { worktree: None, which: RunStateFilter::Open, limit: MOST_OPEN };
    let open = store.runs(&query).ok().filter(|open| !open.is_empty())?;
    let signs = CallerSigns::gather(app, called);
    open.into_iter().find(|run| signs.tell_of(run))
}

/// Returns the open run of another project whose agent called us, found by the folders
/// of the processes above us.
pub fn open_run_elsewhere(app: &App) -> Option<(App, Run)> {
    let is_same_user = |ancestor: &Ancestor| {
        let environment: EnvironmentVars = ancestor.environment().into_iter().collect();
        user_home(&environment) == app.user_home()
    };
    let above = ancestors().into_iter().filter(is_same_user);
    let mut folders: Vec<PathBuf> = above.filter_map(Ancestor::folder).collect();
    folders.dedup();
    folders.into_iter().find_map(|folder| {
        let there = App::at(&folder, app.env.clone()).ok()?;
        let run = open_run(&there, InvocationKind::Command)?;
        Some((there, run))
    })
}

/// Returns the place of the calling agent: its session and the turn of its loop. The
/// outcome of the turn is credited there.
pub fn place(app: &App, session: Option<&str>) -> EventContext {
    let caller = agent(app).unwrap_or_default();
    let session = session.map_or(caller.session, SessionId::new);
    place_of(app, CallingAgent { session, ..caller })
}

/// Returns the place of this agent.
pub fn place_of(app: &App, CallingAgent { session, run, iteration }: CallingAgent) -> EventContext {
    let run = run.or_else(|| Kept::new(&app.home, session.as_ref()?).run());
    let record = run.as_ref().and_then(|run| app.existing_store().ok()??.run(run).ok()?);
    EventContext {
        iteration: run.as_ref().and_then(|_| record.map(|run| run.iteration).or(iteration)),
        run: run.map(|run| run.to_string()),
        session: session.map(|session| session.as_str().to_owned()),
        ..EventContext::default()
    }
}

/// Returns the origin of a command that is not refused.
pub fn source(app: &App) -> CommandSource {
    let is_named = app.variable(SESSION_COMMAND).is_some_and(|session| !session.is_empty());
    let above = ancestors();
    // Where processes cannot be inspected, the variable alone decides.
    let is_below_hook = above.first().is_none_or(|parent| {
        let words = parent.words_of_same_program().unwrap_or_default();
        words.get(1).is_some_and(|word| word == "hook")
    });
    if is_named && is_below_hook { CommandSource::Session } else { CommandSource::User }
}

/// Everything that points to the agent that called us.
struct CallerSigns {
    /// Runs that are named, by a turn or by the mark of a session.
    runs: Vec<RunId>,
    /// Sessions that are named, or whose host is above us.
    sessions: Vec<SessionId>,
    above: Vec<Ancestor>,
    /// True if a supervisor of this user started a process above us, and nothing names its run.
    is_supervised: bool,
}

impl CallerSigns {
    fn gather(app: &App, called: InvocationKind) -> Self {
        let above = ancestors();
        let environments = above.iter().map(|one| one.environment().into_iter().collect());
        let environments: Vec<EnvironmentVars> =
            std::iter::once(app.env.clone()).chain(environments).collect();
        let callers: Vec<CallingAgent> = environments.iter().filter_map(told_by).collect();
        let hosts = match called {
            InvocationKind::Command => below_shell(&above),
            InvocationKind::Child => &above,
        };
        let named = callers.iter().filter_map(|caller| caller.session.clone());
        let sessions: Vec<SessionId> = named.chain(sessions_of(&app.home, hosts)).collect();
        let marked = sessions.iter().filter_map(|session| Kept::new(&app.home, session).run());
        let variable = |environment: &EnvironmentVars| {
            environment.get(OsStr::new("RALPH_RUN_ID"))?.to_str()?.parse().ok()
        };
        let runs = environments.iter().filter_map(variable).chain(marked).collect();
        let is_nameless = |environment: &EnvironmentVars| {
            environment.contains_key(OsStr::new(TOKEN_VARIABLE))
                && !environment.contains_key(OsStr::new("RALPH_RUN_ID"))
                && user_home(environment) == app.user_home()
        };
        let is_supervised = environments.iter().any(is_nameless);
        Self { runs, sessions, above, is_supervised }
    }

    fn tell_of(&self, run: &Run) -> bool {
        let is_owner_above = match &run.owner {
            Some(owner @ Owner::Driver { pid, started, .. }) => {
                self.above.contains(&Ancestor { pid: *pid, started: *started })
                    || self.is_supervised && owner::is_alive(owner)
            }
            Some(Owner::Session(session)) => self.sessions.contains(session),
            None => false,
        };
        is_owner_above || self.runs.contains(&run.id)
    }
}

/// Reads the caller from the environment of a turn.
fn told_by(environment: &EnvironmentVars) -> Option<CallingAgent> {
    let text = |name: &str| environment.get(OsStr::new(name)).and_then(|value| value.to_str());
    let is_driven = text("RALPH_DRIVER") == Some("1");
    let named = HOSTS.iter().filter_map(|host| environment.get(OsStr::new(host.session_variable?)));
    let named: Vec<&OsString> = named.filter(|name| !name.is_empty()).collect();
    let session = named.iter().find_map(|name| SessionId::new(name.to_str()?));
    let driven = |name: &str| text(name).filter(|_| is_driven);
    // A host gave the name, even if it cannot be used.
    (is_driven || !named.is_empty()).then(|| CallingAgent {
        session,
        run: driven("RALPH_RUN_ID").and_then(|run| run.parse().ok()),
        iteration: driven("RALPH_ITERATION").and_then(|number| number.parse().ok()),
    })
}

/// Reads the caller from the processes above us.
fn told_by_ancestors(app: &App, above: &[Ancestor]) -> Option<CallingAgent> {
    let ours = || driver_above(app, above).or_else(|| host_above(&app.home, above));
    above.iter().find_map(|ancestor| told_by_ancestor(app, *ancestor)).or_else(ours)
}

/// Reads the caller from the environment of a process above us. It counts only for the
/// same user state, or for runs and sessions of this project. Tests of ralph in an
/// agent's turn, with a home of their own, are not that agent.
fn told_by_ancestor(app: &App, ancestor: Ancestor) -> Option<CallingAgent> {
    let environment: EnvironmentVars = ancestor.environment().into_iter().collect();
    let is_supervised = environment.contains_key(OsStr::new(TOKEN_VARIABLE));
    let caller = told_by(&environment).or_else(|| is_supervised.then(CallingAgent::default))?;
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

/// Returns the open run of this work tree whose driver is above us.
fn driver_above(app: &App, above: &[Ancestor]) -> Option<CallingAgent> {
    let store = app.existing_store().ok()??;
    let is_above = |run: &Run| match run.owner {
        Some(Owner::Driver { pid, started, .. }) => above.contains(&Ancestor { pid, started }),
        Some(Owner::Session(_)) | None => false,
    };
    let worktree = Some(app.worktree());
    let open =
        store.runs(&RunQuery { worktree, which: RunStateFilter::Open, limit: MOST_OPEN }).ok()?;
    let run = open.into_iter().find(is_above)?;
    Some(CallingAgent {
        run: Some(run.id),
        iteration: Some(run.iteration),
        ..CallingAgent::default()
    })
}

/// Returns the session of this project whose host is above us.
fn host_above(home: &Path, above: &[Ancestor]) -> Option<CallingAgent> {
    let session = sessions_of(home, below_shell(above)).into_iter().next();
    session.map(|session| CallingAgent { session: Some(session), ..CallingAgent::default() })
}

/// Returns the processes above us that may be the host of the calling agent.
///
/// Agents run commands in a shell below their host. A script that calls both hooks and
/// commands itself acts for the user. A shell may have replaced itself with us, so a
/// parent that is a host's program counts.
fn below_shell(above: &[Ancestor]) -> &[Ancestor] {
    let is_host = |parent: &Ancestor| HOSTS.iter().any(|host| parent.is_program(host.program));
    if above.first().is_some_and(is_host) { above } else { above.get(1..).unwrap_or_default() }
}

/// Returns the sessions of this project that run in one of these processes.
fn sessions_of(home: &Path, hosts: &[Ancestor]) -> Vec<SessionId> {
    let is_host = |(pid, started)| hosts.contains(&Ancestor { pid, started });
    let known = Kept::hosts(home).into_iter().filter(|(_, host)| is_host(*host));
    known.map(|(session, _)| session).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> EnvironmentVars {
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
