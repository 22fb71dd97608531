//! The code that `run`, `resume` and `demo` share: they make a driver and show events.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ralph_agents::{Agent, Client, CommandAgent};
use ralph_checks::judge::CriterionJudge;
use ralph_checks::lsp::LspGate;
use ralph_checks::security::{RulePack, ScanSelection, SecurityGate};
use ralph_checks::{CommandGate, Gate};
use ralph_config::{AgentChoice, JudgeError, RunSettings, ServerRules, TestOrder};
use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec};
use ralph_core::run::AgentRef;
use ralph_engine::affected::AffectedTests;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::events::{EventSink, RunStart};
use ralph_engine::{CheckSet, Driver, MemoryUse, RunContext, RunLedger, RunPlaces, TurnInputs};
use ralph_snapshot::ProjectLocation;

use super::{invariants, lsp_helper};
use crate::app::{App, own_binary};
use crate::error::CliError;
use crate::signals::{self, ForcedEndState};
use crate::{live, out, texts};

/// The format in which events are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// Makes the agent of a run.
pub(crate) fn agent(
    app: &App,
    settings: &RunSettings,
    script: Option<&Path>,
) -> Result<Box<dyn Agent>, CliError> {
    let patterns = settings.limit_patterns().clone();
    match (&settings.agent, script) {
        (AgentChoice::Scripted, Some(script)) => {
            let script = absolute(script);
            ralph_agents::scripted::AgentScript::load(&script).map_err(CliError::usage)?;
            let program = own_binary().into_os_string();
            Ok(Box::new(CommandAgent::scripted(program, &script, patterns)))
        }
        (AgentChoice::Scripted, None) => Err(CliError::usage("the scripted agent needs a script")
            .with_hint("add `--script FILE`")
            .in_korean(
                "scripted 에이전트에는 스크립트가 필요합니다",
                Some("`--script 파일` 을 붙이세요"),
            )),
        (AgentChoice::Client(client), _) => {
            let options = settings.client(*client);
            if let Some(fault) = options.fault() {
                return Err(CliError::usage(fault));
            }
            let agent = options.agent(patterns);
            if options.attach.is_some() {
                return Ok(agent);
            }
            let found = require_program(app, agent.program().as_os_str(), ProgramUse::Agent);
            match options.program {
                Some(_) => found?,
                None => found.map_err(|error| {
                    let [hint, korean] = [Locale::En, Locale::Ko].map(|to| client.install_hint(to));
                    error.with_hint(hint).with_korean_hint(korean)
                })?,
            }
            Ok(agent)
        }
        (AgentChoice::Command(words), _) => {
            let words = words.clone().unwrap_or_default();
            let agent = CommandAgent::new(&words, patterns).ok_or_else(|| {
                CliError::usage("there is no agent")
                    .with_hint("add `--agent-cmd COMMAND`, or set run.agent_cmd in ralph.toml")
                    .in_korean(
                        "에이전트가 없습니다",
                        Some("`--agent-cmd 명령` 을 붙이거나 ralph.toml 에 run.agent_cmd 를 적으세요"),
                    )
            })?;
            require_program(app, agent.program().as_os_str(), ProgramUse::Agent)?;
            Ok(Box::new(agent))
        }
    }
}

/// Returns the record of an agent.
pub(crate) fn reference(agent: &dyn Agent) -> AgentRef {
    AgentRef { name: agent.name().to_owned(), command: agent.command_line() }
}

/// Makes the agent of a recorded run.
pub(crate) fn recorded_agent(
    app: &App,
    settings: &RunSettings,
    recorded: &AgentRef,
) -> Result<Box<dyn Agent>, CliError> {
    let choice = match (Client::named(&recorded.name), recorded.name.as_str()) {
        (Some(client), _) => AgentChoice::Client(client),
        (None, "scripted") => AgentChoice::Scripted,
        (None, _) => AgentChoice::Command(Some(recorded.command.clone())),
    };
    let mut settings = settings.clone();
    settings.agent = choice;
    let script = recorded.command.last().map(PathBuf::from);
    agent(app, &settings, script.as_deref())
}

/// The purpose of a program.
#[derive(Clone, Copy)]
enum ProgramUse<'a> {
    Agent,
    Judge,
    Gate(&'a str),
}

/// Returns an error if a needed program is missing.
fn require_program(
    app: &App,
    program: &std::ffi::OsStr,
    needed: ProgramUse<'_>,
) -> Result<(), CliError> {
    require_program_in(app, &app.project.root, program, needed)
}

fn require_program_in(
    app: &App,
    dir: &Path,
    program: &std::ffi::OsStr,
    needed: ProgramUse<'_>,
) -> Result<(), CliError> {
    if app.finds(program, dir) {
        return Ok(());
    }
    let name = program.to_string_lossy();
    let (hint, korean) = if dir.join(program).is_file() {
        (
            format!("the file is there but not executable: chmod +x {name}"),
            format!("파일은 있지만 실행할 수 없습니다: chmod +x {name}"),
        )
    } else if name.contains('=') {
        (
            "no shell is used: set the variable before calling ralph, or use a script".to_owned(),
            "셸을 쓰지 않습니다. 변수는 ralph 를 부르기 전에 설정하거나 스크립트를 쓰세요"
                .to_owned(),
        )
    } else if name.contains('/') {
        (
            format!("relative programs are looked for in {}", dir.display()),
            format!("상대 경로는 {} 에서 찾습니다", dir.display()),
        )
    } else {
        ("it is not on PATH".to_owned(), "PATH 에 없습니다".to_owned())
    };
    let (what, whose) = match needed {
        ProgramUse::Agent => ("the agent".to_owned(), "에이전트".to_owned()),
        ProgramUse::Judge => ("the judge".to_owned(), "판정자".to_owned()),
        ProgramUse::Gate(gate) => {
            (format!("the command of gate {gate}:"), format!("게이트 {gate} 의 명령"))
        }
    };
    Err(CliError::usage(format!("{what} `{name}` is not an executable program"))
        .with_hint(hint)
        .in_korean(
            format!("{whose} `{name}` 은(는) 실행할 수 있는 프로그램이 아닙니다"),
            Some(&korean),
        ))
}

/// Makes the gates that measure. Each required one must have a folder and a program that exist.
///
/// `chosen` holds the files for gates that read files themselves.
pub(crate) fn gates(
    app: &App,
    specs: &[GateSpec],
    chosen: &ScanSelection,
) -> Result<Vec<Box<dyn Gate>>, CliError> {
    require_commands(app, specs)?;
    found_gates(app, specs, chosen)
}

fn require_commands(app: &App, specs: &[GateSpec]) -> Result<(), CliError> {
    let is_needed = |spec: &&GateSpec| spec.need == GateImportance::Required && is_command(spec);
    specs.iter().filter(is_needed).try_for_each(|spec| require_command(app, spec))
}

/// Returns true if the gate runs a program of the user's.
fn is_command(spec: &GateSpec) -> bool {
    let is_ours = matches!(
        spec.criterion,
        Criterion::Security | Criterion::Diagnostics | Criterion::Memory | Criterion::Judge
    );
    !is_ours
}

/// Makes the same gates without looking for their programs. A gate without its program
/// proves nothing.
fn found_gates(
    app: &App,
    specs: &[GateSpec],
    chosen: &ScanSelection,
) -> Result<Vec<Box<dyn Gate>>, CliError> {
    let mut gates: Vec<Box<dyn Gate>> = Vec::new();
    for spec in specs.iter().filter(|spec| !spec.is_judge()) {
        if spec.criterion == Criterion::Security {
            let (pack, chosen) = (Arc::new(security_pack(app)?), chosen.clone());
            gates.push(Box::new(SecurityGate::new(spec.need, pack, move || chosen.get())));
            continue;
        }
        if spec.criterion == Criterion::Diagnostics {
            let pool = lsp_helper::pool(app, ServerRules::new(&app.layers()?)?);
            gates.push(Box::new(LspGate::new(spec.need, pool, chosen.clone())));
            continue;
        }
        if spec.is_memory() {
            gates.push(Box::new(invariants::gate(app, spec.need, specs, chosen)));
            continue;
        }
        gates.push(Box::new(CommandGate::new(spec.clone())));
    }
    Ok(gates)
}

/// Returns the rules over syntax trees, with those of the project.
pub(crate) fn security_pack(app: &App) -> Result<RulePack, CliError> {
    let folders = ralph_config::security_rules(&app.layers()?);
    let folders: Vec<PathBuf> =
        folders.iter().map(|folder| app.project.root.join(folder)).collect();
    RulePack::with_user_rules(&folders).map_err(|error| {
        let hint = error.hint();
        let error = CliError::usage(error.to_string());
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    })
}

fn require_command(app: &App, spec: &GateSpec) -> Result<(), CliError> {
    let dir = app.project.root.join(&spec.dir);
    if !dir.is_dir() {
        let what = format!("the folder of gate {}, `{}`, does not exist", spec.name, spec.dir);
        return Err(CliError::usage(what).in_korean(
            format!("게이트 {} 의 폴더 `{}` 이(가) 없습니다", spec.name, spec.dir),
            None,
        ));
    }
    match &spec.command {
        GateCommand::Argv(words) => words.first().map_or(Ok(()), |program| {
            require_program_in(app, &dir, program.as_ref(), ProgramUse::Gate(&spec.name))
        }),
        GateCommand::Shell(_) | GateCommand::Question(_) => Ok(()),
    }
}

/// Makes the judge that these gates ask for.
pub(crate) fn judge(
    app: &App,
    settings: &RunSettings,
    specs: &[GateSpec],
) -> Result<Option<CriterionJudge>, CliError> {
    let Some(spec) = specs.iter().find(|spec| spec.is_judge()) else { return Ok(None) };
    let choice = settings.judge.as_ref().ok_or(JudgeError::NobodyToAsk)?;
    if let Some(program) = choice.program() {
        require_program(app, program.as_ref(), ProgramUse::Judge)?;
    }
    let transport = choice.transport(&|name| app.variable(name))?;
    Ok(CriterionJudge::new(spec.clone(), transport))
}

/// Everything a run needs, checked before it starts.
pub(crate) struct PreparedRun {
    pub(crate) agent: Box<dyn Agent>,
    pub(crate) checks: RunChecks,
    /// Tells whether the run is new.
    pub(crate) begin: RunStart,
    /// The user's answer to the agent, as the agent reads it.
    pub(crate) answer: Option<String>,
}

/// The gates and the judge that prove the work of a run.
pub(crate) struct RunChecks {
    pub(crate) gates: Vec<Box<dyn Gate>>,
    pub(crate) judge: Option<CriterionJudge>,
    /// The moment when they must be done; `None` without a limit.
    pub(crate) until: Option<Instant>,
    /// The files for gates that read files themselves.
    pub(crate) chosen: ScanSelection,
    pub(crate) settings: RunSettings,
}

impl RunChecks {
    /// Makes the gates and the judge that these settings ask for; an error if a program
    /// for one is missing.
    pub(crate) fn new(app: &App, settings: RunSettings) -> Result<Self, CliError> {
        require_commands(app, &settings.policy.gates)?;
        Self::of_running(app, settings)
    }

    /// Makes the checks of a run that continues. Its programs may have vanished since it began.
    pub(crate) fn of_running(app: &App, settings: RunSettings) -> Result<Self, CliError> {
        let chosen = ScanSelection::default();
        let gates = found_gates(app, &settings.policy.gates, &chosen)?;
        let judge = judge(app, &settings, &settings.policy.gates)?;
        Ok(Self { gates, judge, until: None, chosen, settings })
    }

    /// Makes empty checks, for callers that run none.
    pub(crate) fn none(settings: RunSettings) -> Self {
        let (gates, chosen) = (Vec::new(), ScanSelection::default());
        Self { gates, judge: None, until: None, chosen, settings }
    }

    /// Limits the same checks to this moment. The result of a slower gate comes from
    /// `ralph check --wait`.
    pub(crate) fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }
}

/// Drives a run to its end and shows its events; returns its final state.
pub(crate) fn drive(
    app: &App,
    ledger: RunLedger,
    ready: PreparedRun,
    run: Run,
    view: EventFormat,
) -> Result<Run, CliError> {
    let supervisor = App::supervisor();
    let interrupt = InterruptSignal::default();
    let waker = supervisor.waker();
    let locale = run.policy.locale;
    signals::listen(&interrupt, move || waker.wake(), ForcedEndState::Resumable, locale)?;
    let mut sink: Box<dyn EventSink> = match view {
        EventFormat::Json => Box::new(live::JsonLines::new(run.id.clone())),
        EventFormat::Human => live::for_people(run.policy.locale),
    };
    let PreparedRun { agent, checks, begin, answer } = ready;
    if checks.settings.memory.is_enabled && !app.has_a_place_for_memory() {
        out::note(texts::not_remembered(run.policy.locale));
    }
    let mut driver = driver(app, ledger, checks, &run, &mut *sink)?;
    (driver.context.interrupt, driver.context.supervisor) = (interrupt, supervisor);
    driver.inputs.answer = answer;
    Ok(driver.drive(&*agent, run, begin)?)
}

/// Makes a driver of this run that is never interrupted.
pub(crate) fn driver<'a>(
    app: &'a App,
    ledger: RunLedger,
    checks: RunChecks,
    run: &Run,
    sink: &'a mut dyn EventSink,
) -> Result<Driver<'a>, CliError> {
    let is_gated = !checks.gates.is_empty() || checks.judge.is_some();
    let memory = checks.settings.memory;
    let context = RunContext {
        ledger,
        clock: &app.clock,
        sink,
        interrupt: InterruptSignal::default(),
        supervisor: App::supervisor(),
        tree: app.work_tree(&run.id)?,
        places: RunPlaces {
            root: app.project.root.clone(),
            folder: app.home.join("runs").join(run.id.as_str()),
            foundations: foundations(&app.project),
            shelter: app.home_without_git(),
        },
        held: Vec::new(),
    };
    let set = CheckSet {
        gates: checks.gates,
        judge: checks.judge,
        until: checks.until,
        chosen: checks.chosen,
        affected: affected(app, &checks.settings),
        // Without a gate it is not used, and filtering takes time.
        gate_env: if is_gated { gate_env(&app.env, &checks.settings) } else { Vec::new() },
    };
    let inputs = TurnInputs {
        agent_env: app.env.clone().into_iter().collect(),
        answer: None,
        template: checks.settings.template,
        enclosure: None,
    };
    let memory = MemoryUse {
        remembers: memory.is_enabled && app.has_a_place_for_memory(),
        recall: app.recall(memory, run.policy.locale),
        left: None,
    };
    Ok(Driver::new(context, set, inputs, memory))
}

/// Returns the source of tests that run first, if the settings want it.
pub(crate) fn affected(app: &App, settings: &RunSettings) -> Option<AffectedTests> {
    match settings.order() {
        TestOrder::AffectedFirst => {
            Some(AffectedTests { root: app.project.root.clone(), state: app.home.clone() })
        }
        TestOrder::AsTheyCome => None,
    }
}

/// Returns the folders that a run cannot work without.
fn foundations(project: &ProjectLocation) -> Vec<PathBuf> {
    let git = project.git.iter().map(|git| git.dir.clone());
    std::iter::once(project.root.clone()).chain(git).collect()
}

/// Returns the variables of our environment that gates get.
pub(crate) fn gate_env(
    env: &BTreeMap<OsString, OsString>,
    settings: &RunSettings,
) -> Vec<(OsString, OsString)> {
    settings.environment().filter(env.clone())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
