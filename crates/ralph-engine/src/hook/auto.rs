//! Loops that start automatically, if the user chose that.
//!
//! With `every-session` the first message of a session is a task. With `on-errors` a
//! turn that leaves new errors must go on. Earlier errors are recorded before the agent
//! edits its first file, so sessions that only talk cost almost nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::events::SilentSink;
use crate::host::SessionDir;
use crate::loops;
use ralph_config::{ArmingMoment, RunSettings, SettingLayers};
use ralph_core::host::{
    HostEventKind, HostReply, HostTurnEnd, NoteTone, PromptEvent, PromptPosition, ToolEvent,
    ToolUse, TurnEvent,
};
use ralph_core::locale::Locale;
use ralph_core::policy::{Criterion, GateSpec, PassCondition};
use ralph_core::run::{AgentRef, Baseline, NewRun, Owner, Task};
use ralph_core::state::RunState;
use ralph_core::wording::told;
use ralph_core::{Evidence, Run, RunId, SessionId, TreeId};
use ralph_store::SqliteStore;
use serde_json::{Value, json};

use super::open_ledger;
use super::session::HookRequest;
use super::{arm, said};
use crate::app::App;
use crate::driver::Driver;
use crate::run::RunChecks;
use crate::sandboxed_host;
use crate::user_error::UserError;

/// Number of characters of a prompt that are kept as the task of a possible loop.
const PROMPT_CHARS: usize = 20_000;

/// Longest time that the user waits for the search for errors. Gates that take longer
/// are left out from then on.
const MOST_LOOK: Duration = Duration::from_mins(1);

/// Answers an event of a session without a run.
pub(super) fn unasked(
    asked: &HookRequest<'_>,
    session: &SessionId,
) -> Result<HostReply, UserError> {
    let mode = arm::mode(asked.app, asked.call);
    let here = AutoLoopContext { asked, session, place: SessionDir::new(&asked.app.home, session) };
    if mode == ArmingMoment::Manual || here.stands_down() {
        return Ok(HostReply::silent());
    }
    match (&asked.event.what, mode) {
        (
            HostEventKind::Prompt(PromptEvent::Sent { position: PromptPosition::Later, .. }),
            ArmingMoment::EverySession,
        ) => Ok(HostReply::silent()),
        (HostEventKind::Prompt(PromptEvent::Sent { text, .. }), mode) => here.prompted(text, mode),
        (HostEventKind::Tools(ToolEvent::Asked(used)), ArmingMoment::OnErrors)
            if !used.files.is_empty() =>
        {
            here.look_before()?;
            Ok(HostReply::silent())
        }
        (HostEventKind::Tools(ToolEvent::Used(uses)), ArmingMoment::OnErrors) => {
            here.tools_used(uses)
        }
        (HostEventKind::Turn(TurnEvent::Ended(silence)), ArmingMoment::OnErrors) => {
            here.turn_ended(silence)
        }
        (_, _) => Ok(HostReply::silent()),
    }
}

/// Replaces the task of a loop that an earlier message began, if no turn has worked on
/// it. Returns `None` if the event is not such a first message.
pub(super) fn first_again(
    asked: &HookRequest<'_>,
    store: &SqliteStore,
    run: &Run,
    place: &SessionDir,
) -> Result<Option<HostReply>, UserError> {
    let HostEventKind::Prompt(PromptEvent::Sent { text, position: PromptPosition::First }) =
        &asked.event.what
    else {
        return Ok(None);
    };
    let is_new = run.state == RunState::Running && run.iteration <= 1 && run.task.text != *text;
    let is_first = is_new && place.folder().join("armed").exists();
    if !is_first || store.is_decided(&run.id, run.iteration)? {
        return Ok(None);
    }
    let run = loops::set_task(store, run, text, asked.app.now())?;
    Ok(Some(arm::begun(&run, [None, None])))
}

struct AutoLoopContext<'a> {
    asked: &'a HookRequest<'a>,
    session: &'a SessionId,
    place: SessionDir,
}

impl AutoLoopContext<'_> {
    /// Returns true if another loop owns the session.
    fn stands_down(&self) -> bool {
        let root = &self.asked.app.project.root;
        let host = self.asked.call.host;
        self.place.folder().join("stand-down").exists()
            || host.foreign_files.iter().any(|file| root.join(file).exists())
    }

    fn prompted(&self, text: &str, mode: ArmingMoment) -> Result<HostReply, UserError> {
        let first = text.split_whitespace().next().unwrap_or_default();
        if self.asked.call.host.foreign_commands.contains(&first) {
            self.keep("stand-down", first)?;
            return Ok(HostReply::silent());
        }
        if first.starts_with('/') || first.is_empty() {
            return Ok(HostReply::silent());
        }
        match mode {
            ArmingMoment::Manual => Ok(HostReply::silent()),
            ArmingMoment::OnErrors => {
                let is_first = !self.place.folder().join("prompt").exists();
                // It may be missing.
                let _ = fs::remove_file(self.place.folder().join("edited"));
                self.keep("prompt", &text.chars().take(PROMPT_CHARS).collect::<String>())?;
                let (app, locale) = (self.asked.app, self.asked.app.chosen_locale());
                let blind = is_first.then(|| blindness(app, locale)).flatten();
                let reply = HostReply::silent();
                Ok(match blind {
                    Some(why) => reply.with_note(format!("ralph: on-errors: {why}")),
                    None => reply,
                })
            }
            ArmingMoment::EverySession if self.place.folder().join("armed").exists() => {
                Ok(HostReply::silent())
            }
            ArmingMoment::EverySession => {
                self.keep("armed", "")?;
                let begun = self.begin(text);
                Ok(begun.unwrap_or_else(|error| {
                    HostReply::silent()
                        .with_note(said(self.asked.app, &error))
                        .in_tone(NoteTone::Error)
                }))
            }
        }
    }

    /// Begins a loop with the first message as its task.
    fn begin(&self, text: &str) -> Result<HostReply, UserError> {
        let (app, host) = (self.asked.app, self.asked.call.host);
        let settings = arm::settings(app, host, app.layers()?)?;
        let checks = RunChecks::new(app, settings)?.until(self.asked.deadline.end_of_gates());
        let task = Task { text: text.to_owned(), ..Task::default() };
        let why = told::begins_in_every_session(app.chosen_locale());
        arm::start(self.asked, self.session, task, checks, Some(why))
    }

    /// Records the errors before the agent edits anything in this turn.
    fn look_before(&self) -> Result<(), UserError> {
        if !self.edited().is_empty() {
            return Ok(());
        }
        let tree = self.asked.app.whole_work_tree()?;
        let tree = tree.tree().map_err(|error| UserError::internal(&error))?;
        if self.before().is_some_and(|before| before.tree == tree) {
            return Ok(());
        }
        // Retries gates that had no result in an earlier turn.
        let _ = fs::remove_file(self.place.folder().join("before"));
        let evidence = self.survey(&self.probe(Vec::new(), None)?)?;
        let unknown = evidence.gates.iter().filter(|gate| !gate.could_tell());
        let unknown = unknown.map(|gate| gate.name.clone()).collect();
        let before = FailureBaseline { tree, failing: evidence.failing(), unknown };
        self.keep("before", &before.render())
    }

    fn tools_used(&self, uses: &[ToolUse]) -> Result<HostReply, UserError> {
        let files = uses.iter().flat_map(|used| &used.files);
        let inside: Vec<PathBuf> = files.filter_map(|file| self.inside(file)).collect();
        if inside.is_empty() {
            return Ok(HostReply::silent());
        }
        let lines: Vec<String> =
            inside.iter().map(|file| format!("{}\n", file.display())).collect();
        self.place.add("edited", &lines.concat())?;
        Ok(HostReply::silent())
    }

    /// Returns a file relative to the root; `None` outside the project. Hosts may name
    /// it through a link.
    fn inside(&self, file: &Path) -> Option<PathBuf> {
        let root = &self.asked.app.project.root;
        let below = |file: &Path| file.strip_prefix(root).ok().map(Path::to_owned);
        below(file).or_else(|| below(&file.canonicalize().ok()?))
    }

    fn turn_ended(&self, silence: &HostTurnEnd) -> Result<HostReply, UserError> {
        let edited = self.edited();
        let (true, false) = (silence.background.is_empty(), edited.is_empty()) else {
            return Ok(HostReply::silent());
        };
        let Some(before) = self.before() else { return Ok(HostReply::silent()) };
        let layers = self.asked.app.layers()?;
        let targets = if ralph_config::counts_edited_only(&layers) {
            edited.into_iter().collect()
        } else {
            Vec::new()
        };
        let run = self.probe(targets, Some(before))?;
        let evidence = self.survey(&run)?;
        if !evidence.gates.iter().any(ralph_core::evidence::GateReport::blocks) {
            return Ok(HostReply::silent());
        }
        self.arm(run, &evidence)
    }

    fn arm(&self, probe: Run, evidence: &Evidence) -> Result<HostReply, UserError> {
        let app = self.asked.app;
        arm::refuse_budget(&probe.policy)?;
        let ledger = open_ledger(app)?;
        let Run { task, worktree, agent, policy, baseline, .. } = probe;
        let owner = Owner::Session(self.session.clone());
        let new = NewRun { task, worktree, agent, policy, owner };
        let run = crate::host::start(ledger.store(), &self.place, new, app.now())?;
        app.keep_settings(&run.id);
        sandboxed_host::note_begun(app, ledger.store(), &self.place, &run);
        self.place.note_loop_host(self.asked.call.caller);
        let checks = self.checks()?;
        let mut sink = SilentSink;
        let mut driver = Driver::of_run(app, ledger, checks, &run, &mut sink)?;
        Ok(driver.hosted().go_on_because_of(&Run { baseline, ..run }, evidence)?)
    }

    /// Makes a run that is not recorded, to judge the files with.
    fn probe(
        &self,
        targets: Vec<String>,
        before: Option<FailureBaseline>,
    ) -> Result<Run, UserError> {
        let app = self.asked.app;
        let prompt =
            ralph_files::read_own_text(self.place.folder().join("prompt")).unwrap_or_default();
        let new = NewRun {
            task: Task { text: prompt, targets, ..Task::default() },
            worktree: app.worktree(),
            agent: AgentRef { name: self.asked.call.host.name.to_owned(), command: Vec::new() },
            policy: self.checks()?.settings.policy,
            owner: Owner::Session(self.session.clone()),
        };
        let run = Run::new(RunId::from_bits(0), new, app.now());
        let baseline = before.map(|before| Baseline {
            tree: Some(before.tree),
            failing: before.failing,
            ..Baseline::default()
        });
        Ok(Run { baseline, ..run })
    }

    fn survey(&self, run: &Run) -> Result<Evidence, UserError> {
        let mut sink = SilentSink;
        let ledger = open_ledger(self.asked.app)?;
        let checks = self.checks()?;
        let mut driver = Driver::of_run(self.asked.app, ledger, checks, run, &mut sink)?;
        Ok(driver.gatherer().survey(run)?)
    }

    fn checks(&self) -> Result<RunChecks, UserError> {
        let mut settings = lookout(self.asked.app)?;
        if let Some(before) = self.before() {
            // Their findings cannot be compared with anything.
            settings.policy.gates.retain(|gate| !before.unknown.contains(&gate.name));
        }
        let until = self.asked.deadline.end_of_gates().min(Instant::now() + MOST_LOOK);
        Ok(RunChecks::new(self.asked.app, settings)?.until(until))
    }

    fn edited(&self) -> BTreeSet<String> {
        let text =
            ralph_files::read_own_text(self.place.folder().join("edited")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn before(&self) -> Option<FailureBaseline> {
        FailureBaseline::parse(
            &ralph_files::read_own_text(self.place.folder().join("before")).ok()?,
        )
    }

    fn keep(&self, name: &str, text: &str) -> Result<(), UserError> {
        Ok(self.place.keep(name, text)?)
    }
}

/// Returns settings for the search: security findings, and errors and broken tests as
/// far as tools exist for it.
pub(super) fn lookout(app: &App) -> Result<RunSettings, UserError> {
    let own: SettingLayers = app.layers()?;
    let most =
        [AutoChecks { tests: true, errors: true }, AutoChecks { tests: true, errors: false }];
    let less = [AutoChecks { tests: false, errors: true }];
    let found = most.into_iter().chain(less).find_map(|watch| app.settings(&watch.on(&own)).ok());
    let mut settings = match found {
        Some(settings) => settings,
        None => app.settings(&AutoChecks { tests: false, errors: false }.on(&own))?,
    };
    // The user asked for none of these in particular.
    let missing = std::mem::take(&mut settings.missing);
    let is_here = |gate: &GateSpec| missing.iter().all(|missing| missing.gate != gate.name);
    settings.policy.gates.retain(is_here);
    let lenient = |gate: &mut GateSpec| gate.bar = PassCondition::NoWorse;
    settings.policy.gates.iter_mut().for_each(lenient);
    settings.policy.zero.clear();
    Ok(settings)
}

/// Explains why hardly anything can start a loop here; `None` if there is a linter, a
/// type checker or a test.
pub fn blindness(app: &App, locale: Locale) -> Option<String> {
    let looks = |gate: &GateSpec| gate.criterion != Criterion::Security && !gate.is_memory();
    match lookout(app) {
        Ok(settings) if settings.policy.gates.iter().any(looks) => None,
        Ok(_) => Some(told::only_security_looks(locale).to_owned()),
        Err(error) => Some(error.in_line()),
    }
}

/// The checks beside the security findings.
struct AutoChecks {
    tests: bool,
    errors: bool,
}

impl AutoChecks {
    fn on(&self, own: &SettingLayers) -> SettingLayers {
        let mut layers = own.clone();
        layers.set_flag("run.zero_security", ralph_config::SettingValue::Switch(true));
        if self.errors {
            layers.set_flag("run.zero_errors", ralph_config::SettingValue::Switch(true));
        }
        let mut criteria = match own.get("run.criteria") {
            Some(ralph_config::SettingValue::List(names)) => names.clone(),
            Some(_) | None => Vec::new(),
        };
        let tests = Criterion::TestPass.name();
        if self.tests && !criteria.iter().any(|name| name.split(':').next() == Some(tests)) {
            criteria.push(tests.to_owned());
            layers.set_flag("run.criteria", ralph_config::SettingValue::List(criteria));
        }
        layers
    }
}

/// The failures before a turn.
struct FailureBaseline {
    tree: TreeId,
    failing: BTreeSet<String>,
    /// Gates without a result.
    unknown: BTreeSet<String>,
}

impl FailureBaseline {
    fn render(&self) -> String {
        let Self { tree, failing, unknown } = self;
        json!({ "tree": tree.as_str(), "failing": failing, "unknown": unknown }).to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let texts = |name: &str| {
            let texts = value.get(name)?.as_array()?.iter();
            Some(texts.filter_map(|text| text.as_str().map(str::to_owned)).collect())
        };
        let tree = TreeId::new(value.get("tree")?.as_str()?);
        Some(Self { tree, failing: texts("failing")?, unknown: texts("unknown")? })
    }
}
