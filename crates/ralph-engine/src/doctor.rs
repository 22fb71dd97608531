//! `ralph doctor`: proves that everything a run needs works here.

mod facts;
mod hosts;
mod memory;
mod rehearsal;
mod sandbox;
mod server;

use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::time::Duration;

use ralph_agents::host::HOSTS;
use ralph_config::{AgentChoice, RunSettings};
use ralph_core::locale::Locale;
use ralph_core::wording::{columns, one_line};
use ralph_proc::{
    ExitReason, OutputStream, ProcError, ProgramLaunch, ProgramLimits, ProgramOutcome,
    ProgramWatcher, WatcherDecision,
};
use ralph_snapshot::{WorkHandle, WorkTree};
use ralph_store::SqliteStore;
use serde_json::Value;

use crate::UserError;
use crate::app::{App, own_binary};
use crate::clock::InterruptSignal;
use crate::run::{self, RunChecks};

pub(crate) use facts::{ClientProgram, HookTrial, HostFacts, HostSettingsFolder, PluginLoadState};
pub(crate) use hosts::millis;

/// Hears of each check while the doctor works.
pub trait DoctorObserver {
    /// Hears what a check found.
    fn found(&mut self, finding: &DoctorFinding);

    /// Hears that the files are being read, which may take long.
    fn reads(&mut self, work: &WorkHandle);
}

/// All that the doctor found.
pub struct DoctorReport {
    findings: Vec<DoctorFinding>,
    hosts: Vec<HostFacts>,
}

impl DoctorReport {
    /// Returns true if something that a run needs does not work.
    pub fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.health == DoctorStatus::Broken)
    }

    /// Renders all findings, and the facts about each host that calls us.
    pub fn as_json(&self) -> Value {
        crate::wire::doctor::render(&self.findings, &self.hosts)
    }
}

/// The result of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoctorStatus {
    Fine,
    Remark,
    Broken,
}

impl DoctorStatus {
    /// Returns the name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Remark => "note",
            Self::Broken => "broken",
        }
    }

    fn word(self, locale: Locale) -> &'static str {
        match (locale, self) {
            (Locale::En, _) => self.name(),
            (Locale::Ko, Self::Fine) => "정상",
            (Locale::Ko, Self::Remark) => "참고",
            (Locale::Ko, Self::Broken) => "고장",
        }
    }
}

/// What one check found.
pub struct DoctorFinding {
    pub(crate) what: &'static str,
    pub(crate) health: DoctorStatus,
    pub(crate) detail: String,
}

impl DoctorFinding {
    fn new<E: std::fmt::Display>(what: &'static str, result: Result<String, E>) -> Self {
        match result {
            Ok(detail) => Self::fine(what, detail),
            Err(error) => Self::broken(what, error.to_string()),
        }
    }

    fn fine(what: &'static str, detail: String) -> Self {
        Self { what, health: DoctorStatus::Fine, detail }
    }

    fn broken(what: &'static str, detail: String) -> Self {
        Self { what, health: DoctorStatus::Broken, detail }
    }

    /// Renders the finding as a line.
    pub fn line(&self, locale: Locale) -> String {
        let padded = |word: &str, wide: usize| {
            format!("{word}{}", " ".repeat(wide.saturating_sub(columns(word))))
        };
        let (health, what) = (self.health.word(locale), name_of(self.what, locale));
        format!("{} {} {}\n", padded(health, 7), padded(what, 11), self.detail)
    }

    fn remark(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, health: DoctorStatus::Remark, detail: detail.into() }
    }
}

/// Returns the name of a check in a language. Hosts have names of their own.
fn name_of(what: &'static str, locale: Locale) -> &'static str {
    match (locale, what) {
        (Locale::Ko, "version") => "버전",
        (Locale::Ko, "state") => "상태 폴더",
        (Locale::Ko, "store") => "저장소",
        (Locale::Ko, "memory") => "메모리",
        (Locale::Ko, "supervisor") => "감독자",
        (Locale::Ko, "sandbox") => "샌드박스",
        (Locale::Ko, "settings") => "설정",
        (Locale::Ko, "agent") => "에이전트",
        (Locale::Ko, "gates") => "게이트",
        (Locale::Ko, "switch") => "스위치",
        (Locale::Ko, "hosts") => "호스트",
        (Locale::Ko, "work tree") => "작업 트리",
        (Locale::En | Locale::Ko, other) => other,
    }
}

/// Checks everything in order; `None` if the user interrupted it.
pub fn examine(
    app: &App,
    interrupt: &InterruptSignal,
    observer: &mut dyn DoctorObserver,
) -> Option<DoctorReport> {
    let locale = app.chosen_locale();
    let mut findings: Vec<DoctorFinding> = Vec::new();
    let mut found = |finding: DoctorFinding| {
        observer.found(&finding);
        findings.push(finding);
    };
    found(DoctorFinding::fine("version", env!("CARGO_PKG_VERSION").to_owned()));
    found(git(locale));
    found(DoctorFinding::fine("state", app.home.display().to_string()));
    found(store(app, locale));
    found(memory::judge(app, locale));
    found(supervisor(app, locale));
    found(sandbox::judge(app, locale));
    settings(app, locale).into_iter().for_each(&mut found);
    if let Some(name) = app.kill_switch() {
        found(DoctorFinding::remark(
            "switch",
            locale.say(
                format!("ralph is switched off by {name}"),
                format!("{name} 변수로 ralph 가 꺼져 있습니다"),
            ),
        ));
    }
    let hosts = hosts_of(app);
    hosts.iter().flat_map(hosts::judge).for_each(&mut found);
    hosts.iter().flat_map(|facts| server::judge(app, facts)).for_each(&mut found);
    if hosts.is_empty() {
        found(hosts::nobody(locale));
    }
    // Runs last, since it takes the longest.
    let finding = tree(app, interrupt, observer);
    if interrupt.is_raised() {
        return None;
    }
    observer.found(&finding);
    findings.push(finding);
    Some(DoctorReport { findings, hosts })
}

/// Inspects the hosts that call us, or that have settings we cannot read.
fn hosts_of(app: &App) -> Vec<HostFacts> {
    let looks = HOSTS.iter().map(|host| HostFacts::look(app, host));
    let concern_us = looks.filter(|facts| facts.is_installed() || !facts.unreadable.is_empty());
    concern_us.map(|facts| facts.try_out(app)).collect()
}

fn git(locale: Locale) -> DoctorFinding {
    match Command::new("git").arg("--version").output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            DoctorFinding::fine("git", text)
        }
        Ok(_) | Err(_) => DoctorFinding::remark(
            "git",
            locale
                .say(
                    "not found: files are compared by their contents instead",
                    "없습니다. 대신 파일의 내용을 비교합니다",
                )
                .to_owned(),
        ),
    }
}

fn store(app: &App, locale: Locale) -> DoctorFinding {
    let checked = SqliteStore::open_existing(&app.home).and_then(|found| match found {
        Some(opened) => opened.store.check_integrity().map(|()| {
            let number = opened.generation;
            let korean = format!("ralph.{number}.db 에 이상이 없습니다");
            locale.say(format!("ralph.{number}.db is sound"), korean)
        }),
        None => Ok(locale
            .say("none yet; the first run creates it", "아직 없습니다. 첫 실행이 만듭니다")
            .to_owned()),
    });
    DoctorFinding::new("store", checked)
}

fn tree(
    app: &App,
    interrupt: &InterruptSignal,
    observer: &mut dyn DoctorObserver,
) -> DoctorFinding {
    let locale = app.chosen_locale();
    let folder = tempfile::tempdir();
    let read = folder.map_err(|error| UserError::internal(&error)).and_then(|folder| {
        WorkTree::open(&app.project, folder.path())
            .and_then(|tree| {
                interrupt.interrupt_on_request(tree.handle());
                observer.reads(tree.handle());
                tree.tree()
            })
            .map(|id| {
                let (root, id) = (app.project.root.display(), id.short());
                locale.say(format!("{root} is {id}"), format!("{root}: {id}"))
            })
            .map_err(|error| UserError::internal(&error))
    });
    DoctorFinding::new("work tree", read.map_err(|error| error.line_in(locale)))
}

/// A watcher that never interrupts the process.
struct PassiveWatcher;

impl ProgramWatcher for PassiveWatcher {
    fn output(&mut self, _stream: OutputStream, _bytes: &[u8]) {}

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

/// Runs a program that should end quickly.
pub fn try_out<S: AsRef<OsStr>>(
    app: &App,
    program: OsString,
    args: &[S],
) -> Result<ProgramOutcome, ProcError> {
    let launch = ProgramLaunch {
        program,
        args: args.iter().map(|arg| arg.as_ref().to_owned()).collect(),
        dir: app.project.root.clone(),
        env: app.env.clone().into_iter().collect(),
        stdin: None,
        streams: ralph_proc::StreamMerging::Apart,
    };
    let limits = ProgramLimits {
        wall: Some(Duration::from_secs(10)),
        idle: None,
        grace: Duration::from_secs(1),
    };
    App::supervisor().run(&launch, &limits, &mut PassiveWatcher)
}

fn supervisor(app: &App, locale: Locale) -> DoctorFinding {
    let result = try_out(app, own_binary().into_os_string(), &["--version"]);
    DoctorFinding::new(
        "supervisor",
        match result {
            Ok(outcome) if outcome.ending == ExitReason::Exited(0) => {
                let took = outcome.elapsed.as_millis();
                let korean = format!("{took} ms 만에 프로세스를 시작합니다");
                Ok(locale.say(format!("starts a process in {took} ms"), korean))
            }
            Ok(outcome) => Err(locale.say(
                format!("a test process ended with {:?}", outcome.ending),
                format!("시험 프로세스가 {:?} 로 끝났습니다", outcome.ending),
            )),
            Err(error) => Err(error.to_string()),
        },
    )
}

/// Checks the program of the client, and the version that it reports.
fn client(app: &App, settings: &RunSettings, locale: Locale) -> DoctorFinding {
    let agent = match run::agent(app, settings, None) {
        Ok(agent) => agent,
        Err(error) => return DoctorFinding::broken("agent", error.line_in(locale)),
    };
    let program = agent.program();
    let shown = program.display();
    let version = match try_out(app, program.clone().into_os_string(), &["--version"]) {
        Ok(outcome) if outcome.ending == ExitReason::Exited(0) => {
            Ok(one_line(&outcome.stdout.text_lossy(), 80))
        }
        Ok(outcome) => Err(locale.say(
            format!("`{shown} --version` ended with {:?}", outcome.ending),
            format!("`{shown} --version` 이 {:?} 로 끝났습니다", outcome.ending),
        )),
        Err(error) => Err(error.to_string()),
    };
    DoctorFinding::new(
        "agent",
        version.map(|version| format!("{}: {shown} {version}", agent.name())),
    )
}

fn settings(app: &App, locale: Locale) -> Vec<DoctorFinding> {
    let line = |error: UserError| error.line_in(locale);
    let read = app.layers().and_then(|layers| Ok((app.settings(&layers)?, layers)));
    let (settings, layers) = match read {
        Ok(read) => read,
        Err(error) => return vec![DoctorFinding::broken("settings", line(error))],
    };
    let set = layers.iter().count();
    let mut findings = vec![DoctorFinding::fine(
        "settings",
        locale.say(
            format!("{set} set, the rest by default"),
            format!("{set}개 설정됨, 나머지는 기본값"),
        ),
    )];
    findings.push(match &settings.agent {
        AgentChoice::Command(Some(words)) => {
            let agent = run::agent(app, &settings, None);
            DoctorFinding::new("agent", agent.map(|_| words.join(" ")).map_err(line))
        }
        AgentChoice::Command(None) => DoctorFinding::remark(
            "agent",
            locale
                .say(
                    "none set; `ralph run` needs `--agent-cmd`",
                    "없습니다. `ralph run` 에 `--agent-cmd` 가 필요합니다",
                )
                .to_owned(),
        ),
        AgentChoice::Scripted => DoctorFinding::remark(
            "agent",
            locale
                .say(
                    "scripted; `ralph run` needs `--script`",
                    "scripted. `ralph run` 에 `--script` 가 필요합니다",
                )
                .to_owned(),
        ),
        AgentChoice::Client(_) | AgentChoice::Row(_) => client(app, &settings, locale),
    });
    let names: Vec<&str> = settings.policy.gates.iter().map(|gate| gate.name.as_str()).collect();
    findings.push(if names.is_empty() {
        DoctorFinding::remark(
            "gates",
            locale
                .say(
                    "none set: only the agent's word would end a run",
                    "없습니다. 에이전트의 완료 선언만으로 실행이 끝납니다",
                )
                .to_owned(),
        )
    } else {
        let ready = settings.ensure_tools().map_err(UserError::from);
        let ready = ready.and_then(|()| RunChecks::new(app, settings.clone()));
        DoctorFinding::new("gates", ready.map(|_| names.join(", ")).map_err(line))
    });
    findings
}
