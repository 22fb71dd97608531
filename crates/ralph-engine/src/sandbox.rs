//! Makes the sandboxes of agents and gates from the settings and this machine.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ralph_agents::{Agent, Client, ClientFile, ClientPlaces};
use ralph_config::{RunSettings, SandboxMode, SandboxRules, SandboxTechnique};
use ralph_core::locale::Locale;
use ralph_core::policy::{GateCommand, GateSpec};
use ralph_core::{Run, Timestamp};
use ralph_files::LogFailure as _;
use ralph_proc::Enclosure;
use ralph_sandbox::{
    NetworkRule, PathAccess, PolicyFacts, Sandbox, SandboxError, SandboxGuarantee, SandboxMeans,
    SandboxPolicy, cache_folders,
};
use ralph_store::SqliteStore;

use crate::app::App;
use crate::command_log::{CommandLog, SandboxRecord, record_sandboxes};
use crate::driver::Driver;
use crate::user_error::UserError;

/// The variable of programs in a sandbox. There is no sandbox in a sandbox.
const INSIDE: &str = "RALPH_SANDBOXED";

/// The name of the agent's sandbox in the store.
const AGENT: &str = "agent";

/// The name of the gates' sandbox in the store.
const GATES: &str = "gates";

/// Deepest folder in which repositories of submodules are looked for.
const MODULE_DEPTH: u32 = 4;

/// The program in a sandbox.
#[derive(Clone, Debug, Default)]
pub struct SandboxGuest {
    /// The places that it writes to in a home folder.
    pub places: ClientPlaces,
    /// The words of its command lines.
    pub words: Vec<String>,
    /// The scripts and programs of checks, which it must not change.
    pub scripts: Vec<PathBuf>,
    /// The network.
    pub network: NetworkRule,
}

/// A sandbox, or what stands in its place.
#[derive(Debug)]
pub struct MadeSandbox {
    /// The sandbox; `None` if the program runs freely.
    pub sandbox: Option<Sandbox>,
    /// The mode of the settings.
    mode: SandboxMode,
    /// The name of the technique; `None` without a sandbox.
    pub technique: Option<&'static str>,
    /// The guarantees that are not kept.
    pub lacks: Vec<SandboxGuarantee>,
    /// The reason why bubblewrap is not used.
    refused: Option<String>,
}

/// The sandboxes of a run.
#[derive(Debug, Default)]
pub struct RunSandboxes {
    agent: Option<MadeSandbox>,
    gates: Option<MadeSandbox>,
    /// Files in the folder of the run that the agent reads.
    run_files: &'static [&'static str],
}

/// Makes the sandboxes that the settings ask for. A required one that cannot keep all guarantees
/// is an error.
pub fn of_run(
    app: &App,
    agent: &dyn Agent,
    settings: &RunSettings,
) -> Result<RunSandboxes, UserError> {
    let rules = &settings.sandbox;
    let guest = SandboxGuest {
        places: places(app, agent),
        words: agent.command_line(),
        scripts: scripts(app, &settings.policy.gates),
        network: rules.network.clone(),
    };
    let run_files = guest.places.run_files;
    let agent = make(app, rules, rules.agent, &guest)?;
    Ok(RunSandboxes { agent, gates: of_gates(app, settings)?, run_files })
}

/// Makes the sandbox of gates; `None` if there is no gate or no sandbox is asked for.
pub fn of_gates(app: &App, settings: &RunSettings) -> Result<Option<MadeSandbox>, UserError> {
    let (rules, gates) = (&settings.sandbox, &settings.policy.gates);
    if gates.is_empty() {
        return Ok(None);
    }
    let guest = SandboxGuest {
        places: ClientPlaces::default(),
        words: gates.iter().flat_map(words_of).collect(),
        scripts: scripts(app, gates),
        network: rules.gate_network.clone(),
    };
    make(app, rules, rules.gates, &guest)
}

/// Makes the sandbox of language servers, which is like that of gates.
pub fn of_servers(app: &App, rules: &SandboxRules) -> Result<Option<MadeSandbox>, UserError> {
    let guest = SandboxGuest { network: rules.gate_network.clone(), ..SandboxGuest::default() };
    make(app, rules, rules.gates, &guest)
}

/// Makes the sandbox of a client that judges. It needs its login and its model, as the agent does.
pub fn of_judge(
    app: &App,
    rules: &SandboxRules,
    client: Client,
) -> Result<Option<MadeSandbox>, UserError> {
    let home = home(app).unwrap_or_default();
    let guest = SandboxGuest {
        places: client.places(&home, &|name| app.variable(name).map(PathBuf::from)),
        // It reads what it is given, and changes nothing in the project.
        scripts: vec![app.project.root.clone()],
        network: rules.network.clone(),
        ..SandboxGuest::default()
    };
    make(app, rules, rules.agent.max(rules.gates), &guest)
}

fn make(
    app: &App,
    rules: &SandboxRules,
    mode: SandboxMode,
    guest: &SandboxGuest,
) -> Result<Option<MadeSandbox>, UserError> {
    if mode == SandboxMode::Off || is_inside(app) {
        return Ok(None);
    }
    let sandbox = MadeSandbox { mode, ..build(app, rules, guest)? };
    if mode == SandboxMode::Require && !sandbox.is_whole() {
        let [english, korean] = [Locale::En, Locale::Ko].map(|to| sandbox.sentence(to));
        return Err(UserError::refused(format!("a whole sandbox is required: {english}"))
            .with_hint("`ralph doctor` shows what this machine can enforce")
            .in_korean(
                format!("완전한 샌드박스가 필요합니다: {korean}"),
                Some("`ralph doctor` 로 이 컴퓨터가 막을 수 있는 것을 볼 수 있습니다"),
            ));
    }
    Ok(Some(sandbox))
}

/// Keeps a run that began in a sandbox in one, whatever the settings say now.
pub fn keep_recorded(
    rules: &mut SandboxRules,
    store: &SqliteStore,
    run: &Run,
) -> Result<(), UserError> {
    for record in CommandLog::load(store, &run.id)?.sandboxes {
        let mode = SandboxMode::named(&record.mode).unwrap_or_default();
        let kept = if record.of == AGENT { &mut rules.agent } else { &mut rules.gates };
        *kept = mode.max(*kept);
    }
    Ok(())
}

impl RunSandboxes {
    /// Returns a line about each sandbox, for before the run.
    pub fn sentences(&self, locale: Locale) -> BTreeSet<String> {
        let both = self.agent.iter().chain(&self.gates);
        both.map(|made| made.sentence(locale)).collect()
    }

    /// Encloses the agent and the gates of a driver, says so, and stores it.
    pub fn enclose(
        self,
        driver: &mut Driver<'_>,
        run: &Run,
        now: Timestamp,
    ) -> Result<(), UserError> {
        let locale = run.policy.locale;
        let both = [(AGENT, &self.agent), (GATES, &self.gates)];
        let records: Vec<SandboxRecord> = both
            .into_iter()
            .filter_map(|(of, made)| Some(made.as_ref()?.record(of, locale)))
            .collect();
        record_sandboxes(driver.context.ledger.store(), run, &records, now)?;
        if let Some(mut made) = self.agent {
            if let Some(sandbox) = &mut made.sandbox {
                sandbox.give(&driver.context.places.folder.join("prompt.md"), PathAccess::Read);
                for file in self.run_files {
                    sandbox.give(&driver.context.places.folder.join(file), PathAccess::Read);
                }
                sandbox.give(&driver.context.places.folder.join("usage.json"), PathAccess::Write);
            }
            driver.inputs.enclosure = made.enclosure();
        }
        let gates = self.gates.and_then(MadeSandbox::enclosure);
        driver.context.supervisor = driver.context.supervisor.within(gates);
        Ok(())
    }
}

/// Returns true if this process runs in a sandbox of ours.
pub fn is_inside(app: &App) -> bool {
    app.variable(INSIDE).is_some_and(|name| !name.is_empty())
}

/// Makes a sandbox with the means of this machine.
pub fn build(
    app: &App,
    rules: &SandboxRules,
    guest: &SandboxGuest,
) -> Result<MadeSandbox, UserError> {
    let mut guest = guest.clone();
    let mut lacks = Vec::new();
    if guest.places.is_a_server && guest.network != NetworkRule::On {
        // We reach the agent through a port, so it shares our network.
        guest.network = NetworkRule::On;
        lacks.push(SandboxGuarantee::Network);
    }
    let means = means(app, rules, &guest.network);
    let policy = SandboxPolicy::new(&facts(app, rules, &guest));
    for folder in policy.state.iter().filter(|folder| !folder.exists()) {
        // What does not exist cannot be hidden, and it may be made meanwhile.
        ralph_files::make_private_folder(folder).or_log("making a folder that is hidden");
    }
    lacks.extend(means.lacks(&policy));
    lacks.sort();
    lacks.dedup();
    let (technique, refused) = (means.name(), means.refused.clone());
    let sandbox = match Sandbox::new(policy, means, &exe()) {
        Ok(sandbox) => Some(sandbox),
        Err(SandboxError::Means(_)) => None,
        Err(error @ SandboxError::Hosts(_)) => {
            return Err(UserError::usage(format!("`sandbox.hosts`: {error}")));
        }
        Err(error) => return Err(UserError::internal(&error)),
    };
    Ok(MadeSandbox { sandbox, mode: SandboxMode::On, technique, lacks, refused })
}

/// Returns the means of this machine that the settings allow.
pub fn means(app: &App, rules: &SandboxRules, network: &NetworkRule) -> SandboxMeans {
    let bubblewrap = app.locate(OsStr::new("bwrap"));
    match rules.technique {
        SandboxTechnique::Best => SandboxMeans::probe(bubblewrap.as_deref(), &exe(), network),
        SandboxTechnique::Landlock => SandboxMeans::probe(None, &exe(), network)
            .without_bubblewrap("`sandbox.technique` says landlock"),
    }
}

/// Returns the path of our own program, as it is valid in a sandbox too.
pub fn exe() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| crate::app::own_binary())
}

impl MadeSandbox {
    /// Returns true if it keeps all guarantees.
    pub fn is_whole(&self) -> bool {
        self.sandbox.is_some() && self.lacks.is_empty()
    }

    /// Returns the enclosure for a supervisor.
    pub fn enclosure(self) -> Option<Arc<dyn Enclosure>> {
        self.sandbox.map(|sandbox| Arc::new(sandbox) as Arc<dyn Enclosure>)
    }

    pub(crate) fn record(&self, of: &str, locale: Locale) -> SandboxRecord {
        SandboxRecord {
            of: of.to_owned(),
            mode: self.mode.name().to_owned(),
            technique: self.technique.map(str::to_owned),
            lacks: self.lacks.iter().map(|guarantee| guarantee.name().to_owned()).collect(),
            sentence: self.sentence(locale),
        }
    }

    /// Returns the line about the sandbox: its technique, and what it cannot
    /// deny here.
    pub fn sentence(&self, locale: Locale) -> String {
        let lacks: Vec<&str> =
            self.lacks.iter().map(|guarantee| guarantee_text(*guarantee, locale)).collect();
        let lacks = lacks.join(", ");
        let because = self.refused.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        match (self.technique, self.lacks.is_empty()) {
            (None, _) => say(
                locale,
                format!("there is no sandbox on this machine{because}"),
                format!("이 컴퓨터에는 샌드박스가 없습니다{because}"),
            ),
            (Some(technique), true) => {
                say(locale, format!("sandbox: {technique}"), format!("샌드박스: {technique}"))
            }
            (Some(technique), false) => say(
                locale,
                format!("sandbox: {technique}{because}; it cannot deny {lacks}"),
                format!("샌드박스: {technique}{because}; 막지 못하는 것: {lacks}"),
            ),
        }
    }
}

fn say(locale: Locale, english: String, korean: String) -> String {
    locale.say(english, korean)
}

/// Describes what a program can do if a guarantee is not kept.
pub fn guarantee_text(guarantee: SandboxGuarantee, locale: Locale) -> &'static str {
    let (english, korean) = match guarantee {
        SandboxGuarantee::Writes => ("writing to files outside", "바깥 파일 쓰기"),
        SandboxGuarantee::Secrets => ("reading hidden files", "숨긴 파일 읽기"),
        SandboxGuarantee::State => ("access to ralph's state", "ralph 상태 접근"),
        SandboxGuarantee::GitSettings => {
            ("changes of git's settings and hooks", "git 설정과 훅 변경")
        }
        SandboxGuarantee::FixedFiles => {
            ("changes of read-only files in writable folders", "쓰기 폴더 안의 읽기 전용 파일 변경")
        }
        SandboxGuarantee::Attributes => {
            ("new modes and times of files outside", "바깥 파일의 권한과 시각 변경")
        }
        SandboxGuarantee::Names => ("listing hidden names", "숨긴 이름 나열"),
        SandboxGuarantee::Tracing => ("tracing processes outside", "바깥 프로세스 추적"),
        SandboxGuarantee::Signals => {
            ("signals to processes outside", "바깥 프로세스에 보내는 신호")
        }
        SandboxGuarantee::Processes => ("a look at processes outside", "바깥 프로세스 목록 보기"),
        SandboxGuarantee::Sockets => ("sockets of other programs", "다른 프로그램의 소켓"),
        SandboxGuarantee::AbstractSockets => ("abstract sockets", "추상 소켓"),
        SandboxGuarantee::SharedMemory => ("shared memory", "공유 메모리"),
        SandboxGuarantee::Network => ("the whole network", "네트워크 전체"),
    };
    locale.say(english, korean)
}

/// Returns the places that an agent needs.
pub fn places(app: &App, agent: &dyn Agent) -> ClientPlaces {
    let home = home(app).unwrap_or_default();
    agent.places(&home, &|name| app.variable(name).map(PathBuf::from))
}

fn home(app: &App) -> Option<PathBuf> {
    app.variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

fn facts(app: &App, rules: &SandboxRules, guest: &SandboxGuest) -> PolicyFacts {
    let home = home(app);
    let root = app.project.root.clone();
    let git = app.project.git.as_ref().map(|git| (git.dir.clone(), git.common.clone()));
    let places = guest.places.clone();
    let expand = |paths: &[String]| -> Vec<PathBuf> {
        paths.iter().map(|path| expanded(path, &root, home.as_deref())).collect()
    };
    let variable = |name: &str| app.variable(name).map(PathBuf::from);
    let caches = home
        .iter()
        .flat_map(|home| rules.caches.iter().flat_map(|name| cache_folders(name, home, &variable)));
    let mut open: Vec<PathBuf> = caches.chain(places.open).collect();
    for folder in &open {
        make_folder(folder);
    }
    open.retain(|folder| folder.exists());
    for file in &places.made {
        make_file(file);
    }
    let write = expand(&rules.write);
    // A script that the user opens by name is the task.
    let mut fixed = guest.scripts.clone();
    fixed.push(app.project_config());
    fixed.retain(|script| !write.contains(script));
    fixed.extend(places.fixed);
    let mut sockets = Sandbox::foreign_sockets();
    sockets.retain(|socket| !socket.starts_with(&root));
    let files = guest.words.iter().map(Path::new);
    let files = files.filter(|file| file.is_absolute() && file.is_file());
    let given = files.map(|file| (file.to_owned(), PathAccess::Read)).collect();
    if let Some((_, common)) = &git {
        // A folder that does not exist cannot be closed.
        make_folder(&common.join("hooks"));
    }
    PolicyFacts {
        modules: git.iter().flat_map(|(_, common)| modules(&common.join("modules"), 0)).collect(),
        git,
        // The folder of the user's notes lies in that of all state.
        state: [Some(app.home.clone()), app.user_home().parent().map(Path::to_owned)]
            .into_iter()
            .flatten()
            .collect(),
        programs: programs(app),
        sockets,
        open,
        copied: places.copied,
        fixed,
        hide: expand(&rules.hide),
        read: expand(&rules.read),
        write,
        given,
        network: guest.network.clone(),
        home,
        root,
    }
}

/// Makes a file that a client would make. If it cannot be made, the client says what is missing.
fn make_file(file: &ClientFile) {
    if let Some(folder) = file.path.parent().filter(|_| !file.path.exists()) {
        let made = fs::create_dir_all(folder).and_then(|()| fs::write(&file.path, file.text));
        made.or_log("making a file of a client");
    }
}

/// Makes a folder of a cache or a client that does not exist yet. If it cannot
/// be made, it stays closed.
fn make_folder(folder: &Path) {
    // Locks and databases of caches are files, which their tools make.
    let is_file = folder.extension().is_some() || folder.file_name().is_some_and(is_cargo_file);
    if !is_file && !folder.exists() {
        // A place that cannot be made stays closed.
        let _ = fs::create_dir_all(folder);
    }
}

fn is_cargo_file(name: &OsStr) -> bool {
    [".package-cache", ".package-cache-mutate", ".global-cache"].iter().any(|file| name == *file)
}

/// Returns a path of the settings: `~/x` is below the home folder, and a
/// relative path below the project.
fn expanded(path: &str, root: &Path, home: Option<&Path>) -> PathBuf {
    let below = if path == "~" { Some("") } else { path.strip_prefix("~/") };
    match (below, home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_) | None, _) => root.join(path),
    }
}

/// Returns the folders of the search path, and the real folders of what it
/// leads to.
fn programs(app: &App) -> Vec<PathBuf> {
    let path = app.env.get(&OsString::from("PATH")).cloned().unwrap_or_default();
    let folders: BTreeSet<PathBuf> =
        std::env::split_paths(&path).filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    let resolver = fs::canonicalize("/etc/resolv.conf").ok();
    folders.into_iter().chain(resolver).collect()
}

/// Returns the repositories of submodules, and of theirs.
fn modules(folder: &Path, depth: u32) -> Vec<PathBuf> {
    if depth > MODULE_DEPTH {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        if path.join("HEAD").is_file() {
            found.extend(modules(&path.join("modules"), depth + 1));
            found.push(path);
        } else {
            found.extend(modules(&path, depth + 1));
        }
    }
    found
}

/// Returns the words of a gate's command.
fn words_of(gate: &GateSpec) -> Vec<String> {
    match &gate.command {
        GateCommand::Argv(words) => words.clone(),
        GateCommand::Shell(script) => script.split_whitespace().map(str::to_owned).collect(),
        GateCommand::Question(_) => Vec::new(),
    }
}

/// Returns the executable files of the project that these gates name.
pub fn scripts(app: &App, gates: &[GateSpec]) -> Vec<PathBuf> {
    let root = &app.project.root;
    let named = gates.iter().flat_map(|gate| {
        let dir = root.join(&gate.dir);
        words_of(gate).into_iter().map(move |word| dir.join(word))
    });
    let named = named.filter_map(|path| fs::canonicalize(path).ok());
    let is_script = |path: &PathBuf| {
        path.starts_with(root) && ralph_proc::find_program(path.as_os_str(), root, None).is_some()
    };
    named.filter(is_script).collect()
}
