//! The context that every command starts from: the project, its state, the environment.

mod fallback;
mod finding;
mod trust;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ralph_checks::detect::{self, DetectedGates};
use ralph_config::{MemoryRules, RunSettings, SettingLayers, SnapshotRules};
use ralph_core::locale::Locale;
use ralph_core::{Run, RunId, Timestamp};
use ralph_memory::{LockPatience, MemoryError};
use ralph_proc::Supervisor;
use ralph_snapshot::{ProjectLocation, WorkTree};
use ralph_store::SqliteStore;

use crate::clock::{SystemClock, TimeSource};
use crate::host::SessionDir;
use crate::recall::NoteRecall;
use crate::user_error::UserError;
use crate::{invariants, undo};
use fallback::SettingsFallback;

pub use finding::{no_run, without_run};
pub use trust::{FileStanding, ProjectFile};

/// The variables that switch ralph off.
pub const KILL_SWITCHES: [&str; 2] = ["RALPH_DISABLE", "JIKIME_DISABLE_LOOP_CONTROLLER"];

/// The context of a command.
pub struct App {
    /// The project.
    pub project: ProjectLocation,
    /// The folder that holds its state.
    pub home: PathBuf,
    /// The environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The time.
    pub clock: SystemClock,
    /// The run whose settings apply where the present ones cannot be read.
    fallback: SettingsFallback,
    /// The content of the project's file that counts for this process alone.
    accepted_once: OnceLock<String>,
}

impl App {
    /// Finds the project around the current folder.
    pub fn discover() -> Result<Self, UserError> {
        let here = std::env::current_dir().map_err(|_| {
            UserError::usage("the current folder does not exist")
                .in_korean("현재 폴더가 없습니다", None)
        })?;
        Self::at(&here, std::env::vars_os().collect())
    }

    /// Makes the context of the project at `start`, with this environment.
    pub fn at(start: &Path, env: BTreeMap<OsString, OsString>) -> Result<Self, UserError> {
        let project =
            ProjectLocation::discover(start).map_err(|error| UserError::internal(&error))?;
        Ok(Self::of(project, env))
    }

    /// Makes the context of this project, with this environment.
    pub fn of(project: ProjectLocation, env: BTreeMap<OsString, OsString>) -> Self {
        let variable = |name: &str| env.get(&OsString::from(name)).cloned();
        let ralph_home =
            variable("RALPH_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let ralph_home = ralph_home.map(|path| std::path::absolute(&path).unwrap_or(path));
        let platform = ralph_snapshot::platform_state_dir(variable)
            .unwrap_or_else(|| std::env::temp_dir().join("ralph-state"));
        let home = ralph_snapshot::state_home(&project, ralph_home.as_deref(), &platform);
        let fallback = SettingsFallback::default();
        Self { project, home, env, clock: SystemClock, fallback, accepted_once: OnceLock::new() }
    }

    /// The state home that this project would have without a repository.
    pub fn home_without_git(&self) -> PathBuf {
        let root = self.project.root.clone();
        Self::of(ProjectLocation { root, git: None }, self.env.clone()).home
    }

    /// Returns the folder of the notes for all projects of the user.
    pub fn user_home(&self) -> PathBuf {
        user_home(&self.env)
    }

    /// Returns the repository's state folder if it exists but cannot be read.
    pub fn closed_state(&self) -> Option<PathBuf> {
        let ours = self.project.git.as_ref()?.common.join("ralph");
        let is_chosen = self.variable("RALPH_HOME").is_some_and(|value| !value.is_empty());
        let is_closed = !is_chosen && ours != self.home && std::fs::read_dir(&ours).is_err();
        (is_closed && ours.exists()).then_some(ours)
    }

    /// Returns an error if the repository's state exists and its owner could open it again.
    fn refuse_own_closed_state(&self) -> Result<(), UserError> {
        let Some(place) = self.closed_state().filter(|place| ralph_snapshot::can_change(place))
        else {
            return Ok(());
        };
        let place = place.display();
        Err(UserError::refused(format!("{place}, which holds the state of the runs, is closed"))
            .with_hint(format!("`chmod u+rwx {place}` opens it again"))
            .in_korean(
                format!("실행 상태를 담은 {place} 폴더를 열 권한이 없습니다"),
                Some(&format!("`chmod u+rwx {place}` 으로 다시 열 수 있습니다")),
            ))
    }

    /// Returns an error if `RALPH_HOME` names a folder that cannot hold files.
    pub fn refuse_a_home_that_takes_no_files(&self) -> Result<(), UserError> {
        let Some(given) = self.variable("RALPH_HOME").filter(|value| !value.is_empty()) else {
            return Ok(());
        };
        let path = std::path::absolute(&given).unwrap_or_else(|_| given.into());
        if path.is_dir() {
            return Ok(());
        }
        ralph_snapshot::takes_files(&path).map_err(|source| {
            UserError::internal(&MemoryError::Io { path, source })
                .with_hint("`RALPH_HOME` names the folder in which ralph keeps its state")
        })
    }

    /// Returns an error if the memory would be created elsewhere because the project is
    /// read-only. It would not be found once the project can be written to.
    /// `RALPH_HOME` allows it.
    pub fn refuse_a_memory_elsewhere(&self) -> Result<(), UserError> {
        if self.variable("RALPH_HOME").is_some_and(|value| !value.is_empty()) {
            return Ok(());
        }
        let Some((place, source)) = ralph_snapshot::stands_in(&self.project, &self.home) else {
            return Ok(());
        };
        let path = place.join("memory");
        Err(UserError::internal(&MemoryError::Io { path, source }).with_hint(
            "nothing was kept; set `RALPH_HOME` to choose another folder for all that ralph keeps",
        ))
    }

    /// Returns true if notes written now will be found again.
    pub fn has_a_place_for_memory(&self) -> bool {
        self.refuse_a_memory_elsewhere().is_ok()
    }

    /// Returns access to the notes that agents may be shown; `None` if memory is off.
    pub fn recall(&self, rules: MemoryRules, locale: Locale) -> Option<NoteRecall> {
        rules.is_enabled.then(|| NoteRecall {
            home: self.home.clone(),
            user_home: self.user_home(),
            root: self.project.root.clone(),
            tokens: rules.tokens,
            locale,
            patience: LockPatience::Long,
        })
    }

    /// Returns a variable of the environment, if it is text.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.env.get(OsStr::new(name)).and_then(|value| value.to_str()).map(str::to_owned)
    }

    /// Returns the present moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the canonical path of the work tree, as runs record it.
    pub fn worktree(&self) -> String {
        self.project.root.to_string_lossy().into_owned()
    }

    /// Returns a name of the work tree for files in the state home, which work trees share.
    pub fn worktree_name(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.project.root.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Returns the file whose age tells when a host last loaded our hooks for this work tree.
    pub fn load_mark(&self, host: &str) -> Option<PathBuf> {
        let variable = |name: &str| self.env.get(OsStr::new(name)).cloned();
        let state = ralph_snapshot::platform_state_dir(variable)?;
        Some(state.join("ralph/hosts").join(host).join(self.worktree_name()))
    }

    /// Returns the language of the environment.
    pub fn locale(&self) -> Locale {
        let named = ["RALPH_LOCALE", "LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| self.variable(name).filter(|value| !value.is_empty()));
        match named {
            Some(name) if name.starts_with("ko") => Locale::Ko,
            Some(_) | None => Locale::En,
        }
    }

    /// Returns the language that the settings name, else that of the environment.
    pub fn chosen_locale(&self) -> Locale {
        let layers = self.counted_layers().ok();
        layers.as_ref().and_then(ralph_config::locale).unwrap_or_else(|| self.locale())
    }

    /// Returns the settings from files and variables. If they cannot be read, or the user has
    /// not accepted those of the project, it returns those of the run that
    /// [`Self::fall_back_on`] named.
    pub fn layers(&self) -> Result<SettingLayers, UserError> {
        let present = self.layers_of(self.user_config().as_deref(), &self.project_config());
        present.or_else(|error| self.begun_layers(error))
    }

    /// Returns the settings from these files and from variables.
    pub fn layers_of(&self, user: Option<&Path>, own: &Path) -> Result<SettingLayers, UserError> {
        let mut layers = SettingLayers::default();
        if let Some(path) = user {
            layers.add_file(path)?;
        }
        let own = ProjectFile::read(own)?;
        self.ensure_accepted(&own)?;
        layers.add_source(&own.source)?;
        self.add_variables(&mut layers)?;
        Ok(layers)
    }

    /// Returns the same settings as [`Self::layers`]. If the user has not accepted those of the
    /// project, they are left out. Only for commands that start nothing.
    pub fn counted_layers(&self) -> Result<SettingLayers, UserError> {
        self.layers().or_else(|error| {
            let own = ProjectFile::read(&self.project_config())?;
            if self.standing_of(&own).counts() {
                return Err(error);
            }
            let mut layers = SettingLayers::default();
            if let Some(path) = self.user_config() {
                layers.add_file(&path)?;
            }
            self.add_variables(&mut layers)?;
            Ok(layers)
        })
    }

    fn add_variables(&self, layers: &mut SettingLayers) -> Result<(), UserError> {
        // Few environments have such variables, and a hook reads its settings at every event.
        let of_ours = self.env.range(OsString::from("RALPH_")..).next();
        if of_ours.is_some_and(|(name, _)| name.as_encoded_bytes().starts_with(b"RALPH_")) {
            layers.add_variables(&|name| self.variable(name))?;
        }
        Ok(())
    }

    /// Interprets the settings for this project, with a gate for notes that have a check.
    pub fn settings(&self, layers: &SettingLayers) -> Result<RunSettings, UserError> {
        let settings = self.plain_settings(layers)?;
        match settings.memory.enforce.need() {
            Some(need) if invariants::any(&self.note_homes()) => {
                Ok(settings.holding_notes(need, layers))
            }
            Some(_) | None => Ok(settings),
        }
    }

    /// Interprets the settings without a gate for notes.
    pub fn plain_settings(&self, layers: &SettingLayers) -> Result<RunSettings, UserError> {
        Ok(RunSettings::new(layers, self.locale(), &|| self.detected())?)
    }

    /// Returns the folders of the project's notes and of the user's.
    pub fn note_homes(&self) -> [PathBuf; 2] {
        [self.home.clone(), self.user_home()]
    }

    /// Detects the kind of project and the commands that could prove it.
    pub fn detected(&self) -> DetectedGates {
        detect::detect(&self.project.root, &|program, dir| self.finds(program.as_ref(), dir))
    }

    /// Returns true if a settings file holds this word. It is much cheaper than reading
    /// the settings.
    pub fn settings_mention(&self, word: &str) -> bool {
        let files = self.user_config().into_iter().chain([self.project_config()]);
        let mut texts = files.filter_map(|path| ralph_files::read(path).ok());
        texts.any(|text| text.windows(word.len()).any(|part| part == word.as_bytes()))
    }

    /// Returns true if a program can be started in a folder.
    pub fn finds(&self, program: &OsStr, dir: &Path) -> bool {
        let path = self.env.get(&OsString::from("PATH")).map(OsString::as_os_str);
        ralph_proc::find_program(program, dir, path).is_some()
    }

    /// Returns the path of a program that is started in the root.
    pub fn locate(&self, program: &OsStr) -> Option<PathBuf> {
        let path = self.env.get(&OsString::from("PATH")).map(OsString::as_os_str);
        ralph_proc::find_program(program, &self.project.root, path)
    }

    /// Returns the path of the project's configuration file.
    pub fn project_config(&self) -> PathBuf {
        self.project.root.join("ralph.toml")
    }

    /// Returns the path of the user's configuration file.
    pub fn user_config(&self) -> Option<PathBuf> {
        let folder = match self.variable("XDG_CONFIG_HOME").filter(|value| !value.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None if cfg!(windows) => PathBuf::from(self.variable("APPDATA")?),
            None if cfg!(target_os = "macos") => {
                PathBuf::from(self.variable("HOME")?).join("Library/Application Support")
            }
            None => PathBuf::from(self.variable("HOME")?).join(".config"),
        };
        Some(folder.join("ralph/config.toml"))
    }

    /// Returns the variable that switches ralph off, if one does.
    pub fn kill_switch(&self) -> Option<&'static str> {
        KILL_SWITCHES
            .into_iter()
            .find(|name| self.variable(name).is_some_and(|value| value == "1" || value == "true"))
    }

    /// Returns an error while the kill switch is on.
    pub fn refuse_if_disabled(&self) -> Result<(), UserError> {
        match self.kill_switch() {
            Some(name) => Err(UserError::refused(format!("ralph is switched off by {name}"))
                .with_hint(format!("unset {name} to use it again"))
                .in_korean(
                    format!("{name} 변수로 ralph 가 꺼져 있습니다"),
                    Some(&format!("다시 쓰려면 {name} 변수를 지우세요")),
                )),
            None => Ok(()),
        }
    }

    /// Returns true if the run belongs to a session whose client is gone. Such a run
    /// still counts as active.
    pub fn is_left(&self, run: &Run) -> bool {
        let is_abandoned = |session| SessionDir::new(&self.home, session).is_abandoned();
        run.state.is_active() && run.session().is_some_and(is_abandoned)
    }

    /// Returns true if our driver started the calling agent.
    pub fn is_driven(&self) -> bool {
        self.env.get(OsStr::new("RALPH_DRIVER")).is_some_and(|value| value == "1")
    }

    /// Returns the run whose driver started the calling agent.
    pub fn driven_run(&self) -> Option<RunId> {
        if self.is_driven() { self.variable("RALPH_RUN_ID")?.parse().ok() } else { None }
    }

    /// Opens the store, if there is one. Commands that only read create nothing.
    pub fn existing_store(&self) -> Result<Option<SqliteStore>, UserError> {
        self.refuse_own_closed_state()?;
        Ok(SqliteStore::open_existing(&self.home)?.map(|opened| opened.store))
    }

    /// Opens the work tree as it is, including files that gates of runs left in it.
    pub fn whole_work_tree(&self) -> Result<WorkTree, UserError> {
        WorkTree::open(&self.project, &self.home.join("trees"))
            .map_err(|error| UserError::internal(&error))
    }

    /// Opens the work tree as snapshots of a run see it.
    pub fn work_tree(&self, run: &RunId) -> Result<WorkTree, UserError> {
        self.fall_back_on(run);
        let rules = SnapshotRules::new(&self.counted_layers()?);
        let mut tree = undo::work_tree(&self.project, &self.home, run)
            .map_err(|error| UserError::internal(&error))?;
        tree.limit_size(rules.max_file_size);
        tree.include_ignored(rules.include_ignored);
        Ok(tree)
    }

    /// Returns the supervisor: this very binary, re-executed.
    pub fn supervisor() -> Supervisor {
        Supervisor::new(own_binary(), [OsString::from("__supervise")])
    }
}

/// Returns the folder of a user's notes for all projects, given the user's environment.
pub fn user_home(env: &BTreeMap<OsString, OsString>) -> PathBuf {
    let variable = |name: &str| env.get(OsStr::new(name)).cloned();
    let given = variable("RALPH_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let given = given.map(|path| std::path::absolute(&path).unwrap_or(path));
    let platform = || ralph_snapshot::platform_state_dir(variable).map(|dir| dir.join("ralph"));
    let home = given.or_else(platform);
    home.unwrap_or_else(|| std::env::temp_dir().join("ralph-state")).join("user")
}

/// Returns a path by which this process can be started again.
///
/// On Linux the link in `/proc` works even when the file was replaced by an
/// update while we run.
pub fn own_binary() -> PathBuf {
    let link = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return link;
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("ralph"))
}
