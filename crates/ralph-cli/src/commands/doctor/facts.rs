//! Facts about a host: settings, programs, and the results of calling its hooks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use ralph_agents::Host;
use ralph_agents::inspection::{HookCall, Inspection, InstalledHook, Scope};
use ralph_config::Arm;
use ralph_core::Timestamp;
use ralph_core::locale::Locale;
use ralph_proc::Ending;

use super::rehearsal::{self, Trouble};
use crate::app::App;
use crate::commands::{hook, install};
use crate::texts;

/// Everything that is known about one host.
pub(super) struct Facts {
    pub(super) host: &'static Host,
    /// The language of the user.
    pub(super) locale: Locale,
    /// Folders that could be read, those of the project first.
    pub(super) places: Vec<Place>,
    /// Errors about settings that could not be read.
    pub(super) unreadable: Vec<String>,
    /// The client's program, and the version that it reports.
    pub(super) client: Option<Found>,
    /// Our hooks, each with the result of a few calls.
    pub(super) tried: Vec<Tried>,
    /// The programs that the hooks call.
    pub(super) programs: Vec<Found>,
    /// The moment when loops begin, and its origin; `None` if the settings are broken.
    pub(super) arm: Option<(Arm, ArmedBy)>,
    /// The reason why no error could start a loop, if errors should.
    pub(super) blind: Option<String>,
    /// The value of the host's variable that limits continuations.
    pub(super) cap_variable: Option<String>,
    /// Time that all gates together may take.
    pub(super) needed: Duration,
    /// State of the plugin in the client; `None` for a host that needs no plugin.
    pub(super) loaded: Option<Loaded>,
    /// State files of other loops that run here.
    pub(super) loops_here: Vec<&'static str>,
}

/// The state of a plugin in the client, as its load mark tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loaded {
    /// No load mark: the client never loaded it here.
    Never,
    /// The plugin was written again after it was loaded.
    Outdated,
    /// The client loaded the present version, this long ago.
    Ago(Duration),
}

/// One folder of a host's settings.
pub(super) struct Place {
    pub(super) scope: Scope,
    pub(super) folder: PathBuf,
    pub(super) seen: Inspection,
}

/// A hook that was called to test it.
pub(super) struct Tried {
    pub(super) scope: Scope,
    /// The settings it is in.
    pub(super) file: PathBuf,
    pub(super) hook: InstalledHook,
    pub(super) came_to: Result<Duration, Trouble>,
}

/// A program that was found.
pub(super) struct Found {
    /// The name by which it is called.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The output of `--version`; `None` if that failed.
    pub(super) version: Option<String>,
    /// True if it is the running program itself.
    pub(super) is_this: bool,
}

/// The origin of the moment when loops begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArmedBy {
    Settings,
    Installation,
    Default,
}

impl Facts {
    /// Reads the settings only.
    pub(super) fn look(app: &App, host: &'static Host) -> Self {
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
            cap_variable: host.cap.and_then(|(name, _)| app.variable(name)),
            needed: install::needed(app),
            loaded: None,
            loops_here: Vec::new(),
        };
        let mut folders: Vec<PathBuf> = Vec::new();
        for scope in [Scope::Project, Scope::User] {
            let Some(folder) = install::folder(app, host, scope) else { continue };
            // The project may be the home folder itself.
            if folders.contains(&folder) {
                continue;
            }
            match (host.inspect)(&|path| install::files::read(&folder, path), scope) {
                Ok(seen) => facts.places.push(Place { scope, folder: folder.clone(), seen }),
                Err(error) => facts.unreadable.push(format!("{}/{error}", folder.display())),
            }
            folders.push(folder);
        }
        facts
    }

    /// Returns true if something of ours is installed in this host.
    pub(super) fn is_installed(&self) -> bool {
        self.places.iter().any(|place| place.seen.is_installed())
    }

    /// Calls every program that the host uses with us.
    pub(super) fn try_out(mut self, app: &App) -> Self {
        self.client = found(app, self.host.program);
        let mut names = BTreeSet::new();
        for place in &self.places {
            for hook in &place.seen.hooks {
                if let HookCall::Program(program, _) = &hook.call {
                    names.insert(program.clone());
                }
                self.tried.push(Tried {
                    scope: place.scope,
                    file: place.folder.join(&hook.file),
                    came_to: rehearsal::rehearse(app, self.host, hook),
                    hook: hook.clone(),
                });
            }
        }
        self.programs = names.iter().filter_map(|name| found(app, name)).collect();
        self.arm = self.armed(app);
        if self.arm.is_some_and(|(arm, _)| arm == Arm::OnErrors) {
            self.blind = hook::blindness(app, self.locale);
        }
        self.loaded = self.loaded(app);
        let is_there = |file: &&&str| app.project.root.join(file).exists();
        self.loops_here = self.host.foreign_files.iter().filter(is_there).copied().collect();
        self
    }

    /// Returns the state of the plugin. A client that was started before the plugin was
    /// written has an older one, or none.
    fn loaded(&self, app: &App) -> Option<Loaded> {
        let files = self.places.iter().filter(|place| place.seen.is_installed());
        let files =
            files.filter_map(|place| Some(place.folder.join(&place.seen.plugin.as_ref()?.path)));
        let written = files.filter_map(|file| changed(&file)).max()?;
        Some(match app.load_mark(self.host.name).and_then(|mark| changed(&mark)) {
            None => Loaded::Never,
            Some(loaded) if loaded < written => Loaded::Outdated,
            Some(loaded) => Loaded::Ago(app.now().since(loaded)),
        })
    }

    fn armed(&self, app: &App) -> Option<(Arm, ArmedBy)> {
        if let Some(arm) = Arm::new(&app.layers().ok()?) {
            return Some((arm, ArmedBy::Settings));
        }
        let mut installed = self.tried.iter().filter_map(|tried| tried.hook.arm.as_deref());
        Some(match installed.find_map(Arm::parse) {
            Some(arm) => (arm, ArmedBy::Installation),
            None => (Arm::Manual, ArmedBy::Default),
        })
    }

    /// Returns the events that the host must report to us here.
    pub(super) fn expected(&self) -> Vec<&'static str> {
        let is_on_errors = self.arm.is_some_and(|(arm, _)| arm == Arm::OnErrors);
        let more = self.host.edit_event.filter(|_| is_on_errors);
        self.host.events.iter().copied().chain(more).collect()
    }

    /// Counts our hooks for this event.
    pub(super) fn heard(&self, event: &str) -> usize {
        self.tried.iter().filter(|tried| tried.hook.event == event).count()
    }
}

/// Returns the moment when a file was last changed.
fn changed(file: &Path) -> Option<Timestamp> {
    let changed = fs::metadata(file).and_then(|file| file.modified()).ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}

fn found(app: &App, name: &str) -> Option<Found> {
    let path = app.locate(name.as_ref())?;
    let real = |path: &Path| fs::canonicalize(path).ok();
    let is_this = real(&path).is_some() && real(&path) == real(&crate::app::own_binary());
    let version = match super::try_out(app, path.clone().into_os_string(), "--version") {
        Ok(outcome) if outcome.ending == Ending::Exited(0) => {
            Some(texts::one_line(&outcome.stdout.text_lossy(), 80))
        }
        Ok(_) | Err(_) => None,
    };
    Some(Found { name: name.to_owned(), path, version, is_this })
}
