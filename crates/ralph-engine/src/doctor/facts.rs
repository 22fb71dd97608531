//! Facts about a host: settings, programs, and the results of calling its hooks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use ralph_agents::Host;
use ralph_agents::inspection::{HookCall, InstallInspection, InstalledHook, SettingsScope};
use ralph_config::ArmingMoment;
use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_proc::ExitReason;

use super::rehearsal::{self, HookProblem};
use crate::app::App;
use crate::install;
use ralph_core::wording::one_line;

/// Everything that is known about one host.
pub(crate) struct HostFacts {
    pub(crate) host: &'static Host,
    /// The language of the user.
    pub(crate) locale: Locale,
    /// Folders that could be read, those of the project first.
    pub(crate) places: Vec<HostSettingsFolder>,
    /// Errors about settings that could not be read.
    pub(crate) unreadable: Vec<String>,
    /// The client's program, and the version that it reports.
    pub(crate) client: Option<ClientProgram>,
    /// Our hooks, each with the result of a few calls.
    pub(crate) tried: Vec<HookTrial>,
    /// The programs that the hooks call.
    pub(crate) programs: Vec<ClientProgram>,
    /// The moment when loops begin, and its origin; `None` if the settings are broken.
    pub(crate) arm: Option<(ArmingMoment, ArmingOrigin)>,
    /// The reason why no error could start a loop, if errors should.
    pub(crate) blind: Option<String>,
    /// The value of the host's variable that limits continuations.
    pub(crate) cap_variable: Option<String>,
    /// Time that all gates together may take.
    pub(crate) needed: Duration,
    /// State of the plugin in the client; `None` for a host that needs no plugin.
    pub(crate) loaded: Option<PluginLoadState>,
    /// State files of other loops that run here.
    pub(crate) loops_here: Vec<&'static str>,
}

/// The state of a plugin in the client, as its load mark tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PluginLoadState {
    /// No load mark: the client never loaded it here.
    Never,
    /// The plugin was written again after it was loaded.
    Outdated,
    /// The client loaded the present version, this long ago.
    Ago(Duration),
}

/// One folder of a host's settings.
pub(crate) struct HostSettingsFolder {
    pub(crate) scope: SettingsScope,
    pub(crate) folder: PathBuf,
    pub(crate) seen: InstallInspection,
}

/// A hook that was called to test it.
pub(crate) struct HookTrial {
    pub(crate) scope: SettingsScope,
    /// The settings it is in.
    pub(crate) file: PathBuf,
    pub(crate) hook: InstalledHook,
    pub(crate) came_to: Result<Duration, HookProblem>,
}

/// A program that was found.
pub(crate) struct ClientProgram {
    /// The name by which it is called.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The output of `--version`; `None` if that failed.
    pub(crate) version: Option<String>,
    /// True if it is the running program itself.
    pub(crate) is_this: bool,
}

/// The origin of the moment when loops begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArmingOrigin {
    Settings,
    Installation,
    Default,
}

impl HostFacts {
    /// Reads the settings only.
    pub(crate) fn look(app: &App, host: &'static Host) -> Self {
        let mut facts = Self {
            host,
            locale: app.chosen_locale(),
            places: Vec::new(),
            unreadable: Vec::new(),
            client: None,
            tried: Vec::new(),
            programs: Vec::new(),
            arm: None,
            blind: None,
            cap_variable: host.cap.and_then(|cap| app.variable(cap.variable?)),
            needed: install::needed(app),
            loaded: None,
            loops_here: Vec::new(),
        };
        let mut folders: Vec<PathBuf> = Vec::new();
        for scope in [SettingsScope::Project, SettingsScope::User] {
            let Some(folder) = install::folder(app, host, scope) else { continue };
            // The project may be the home folder itself.
            if folders.contains(&folder) {
                continue;
            }
            match host.inspect(&|path| install::read_file(&folder, path), scope) {
                Ok(seen) => {
                    facts.places.push(HostSettingsFolder { scope, folder: folder.clone(), seen });
                }
                Err(error) => facts.unreadable.push(format!("{}/{error}", folder.display())),
            }
            folders.push(folder);
        }
        facts
    }

    /// Returns true if something of ours is installed in this host.
    pub(crate) fn is_installed(&self) -> bool {
        self.places.iter().any(|place| place.seen.is_installed())
    }

    /// Calls every program that the host uses with us.
    pub(crate) fn try_out(mut self, app: &App) -> Self {
        self.client = found(app, self.host.program);
        let mut names = BTreeSet::new();
        for place in &self.places {
            for hook in &place.seen.hooks {
                let came_to = rehearsal::rehearse(app, self.host, place.scope, hook);
                let is_foreign = matches!(came_to, Err(HookProblem::Foreign(_)));
                if let (HookCall::Program(program, _), false) = (&hook.call, is_foreign) {
                    names.insert(program.clone());
                }
                self.tried.push(HookTrial {
                    scope: place.scope,
                    file: place.folder.join(&hook.file),
                    came_to,
                    hook: hook.clone(),
                });
            }
        }
        self.programs = names.iter().filter_map(|name| found(app, name)).collect();
        self.arm = self.armed(app);
        if self.arm.is_some_and(|(arm, _)| arm == ArmingMoment::OnErrors) {
            self.blind = crate::hook::blindness(app, self.locale);
        }
        self.loaded = self.loaded(app);
        let is_there = |file: &&&str| app.project.root.join(file).exists();
        self.loops_here = self.host.foreign_files.iter().filter(is_there).copied().collect();
        self
    }

    /// Returns the state of the plugin. A client that was started before the plugin was
    /// written has an older one, or none.
    fn loaded(&self, app: &App) -> Option<PluginLoadState> {
        let files = self.places.iter().filter(|place| place.seen.is_installed());
        let files =
            files.filter_map(|place| Some(place.folder.join(&place.seen.plugin.as_ref()?.path)));
        let written = files.filter_map(|file| changed(&file)).max()?;
        Some(match app.load_mark(self.host.name).and_then(|mark| changed(&mark)) {
            None => PluginLoadState::Never,
            Some(loaded) if loaded < written => PluginLoadState::Outdated,
            Some(loaded) => PluginLoadState::Ago(app.now().since(loaded)),
        })
    }

    fn armed(&self, app: &App) -> Option<(ArmingMoment, ArmingOrigin)> {
        if let Some(arm) = ArmingMoment::new(&app.layers().ok()?) {
            return Some((arm, ArmingOrigin::Settings));
        }
        let mut installed = self.tried.iter().filter_map(|tried| tried.hook.arm.as_deref());
        Some(match installed.find_map(ArmingMoment::parse) {
            Some(arm) => (arm, ArmingOrigin::Installation),
            None => (ArmingMoment::Manual, ArmingOrigin::Default),
        })
    }

    /// Returns the events that the host must report to us here.
    pub(crate) fn expected(&self) -> Vec<&'static str> {
        let is_on_errors = self.arm.is_some_and(|(arm, _)| arm == ArmingMoment::OnErrors);
        let more = self.host.edit_event().filter(|_| is_on_errors);
        self.host.events().into_iter().chain(more).collect()
    }

    /// Counts our hooks for this event.
    pub(crate) fn heard(&self, event: &str) -> usize {
        self.tried.iter().filter(|tried| tried.hook.event == event).count()
    }
}

/// Returns the moment when a file was last changed.
fn changed(file: &Path) -> Option<Timestamp> {
    let changed = fs::metadata(file).and_then(|file| file.modified()).ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}

fn found(app: &App, name: &str) -> Option<ClientProgram> {
    let path = app.locate(name.as_ref())?;
    let real = |path: &Path| fs::canonicalize(path).ok();
    let is_this = real(&path).is_some() && real(&path) == real(&crate::app::own_binary());
    let version = match super::try_out(app, path.clone().into_os_string(), &["--version"]) {
        Ok(outcome) if outcome.ending == ExitReason::Exited(0) => {
            Some(one_line(&outcome.stdout.text_lossy(), 80))
        }
        Ok(_) | Err(_) => None,
    };
    Some(ClientProgram { name: name.to_owned(), path, version, is_this })
}
