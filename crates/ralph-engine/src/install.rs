//! Installs hooks, commands and tools into a host, and removes them.

mod files;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_agents::Host;
use ralph_agents::hooks::HookTrustError;
use ralph_agents::inspection::SettingsScope;
use ralph_agents::install::{InstallOptions, InstallPlan};
use ralph_config::ArmingMoment;

use crate::UserError;
use crate::app::App;

pub(crate) use files::read as read_file;

/// Time that is granted beyond the gates' own timeouts.
const MARGIN: Duration = Duration::from_mins(1);

/// Least time that is granted, since a loop may have gates of its own.
const LEAST: Duration = Duration::from_hours(1);

/// Most time that is granted.
pub const MOST: Duration = Duration::from_hours(2);

/// A request to install into a host.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// For the project, or for all projects of the user.
    pub scope: SettingsScope,
    /// How often in a row the agent may go on without a tool; 0 for any number.
    pub cap: Option<u32>,
    /// The name of the moment when loops begin; `None` for the one of before.
    pub arm: Option<String>,
    /// True if the agent gets no tools.
    pub no_tools: bool,
}

/// The changes of an installation or of a removal, each with its folder.
pub struct PlannedInstall {
    plans: Vec<(PathBuf, InstallPlan)>,
    /// The lists of servers with an entry of our name that is not ours.
    foreign_entries: Vec<PathBuf>,
    /// The moment when loops begin afterwards.
    arm: Option<String>,
}

/// Plans an installation.
pub fn plan(app: &App, host: &Host, request: &InstallRequest) -> Result<PlannedInstall, UserError> {
    let scope = request.scope;
    let folder = required_folder(app, host, scope)?;
    if request.cap.is_some() && !host.has_cap_setting() {
        return Err(UserError::usage(format!("{} has no such cap", host.name))
            .with_hint("leave `--cap` out")
            .in_korean(
                format!("{} 에는 그런 한도가 없습니다", host.name),
                Some("`--cap` 을 빼세요"),
            ));
    }
    let arm = request.arm.clone().or_else(|| installed_arm(&folder, host, scope));
    let wanted = InstallOptions {
        program: program(app),
        cap: request.cap.unwrap_or(0),
        arm: arm.clone().filter(|arm| arm != "manual"),
        looks_before_edits: begins_with_errors(app, request.arm.as_deref(), arm.as_deref())?,
        gates: needed(app).clamp(LEAST, MOST),
    };
    let plan = host.install(&|path| files::read(&folder, path), &wanted);
    let plan = plan.map_err(|error| unreadable(&folder, &error))?;
    let mut steps = InstallSteps::new(folder.clone(), plan);
    let list = list_folder(app, host, scope, &folder);
    let servers = if request.no_tools {
        host.servers.plan_uninstall(&|path| steps.read(&list, path), scope)
    } else {
        host.servers.plan_install(&|path| steps.read(&list, path), scope, &wanted.program)
    };
    let mut servers = servers.map_err(|error| unreadable(&list, &error))?;
    let foreign_entries = servers.left.drain(..).map(|path| list.join(path)).collect();
    steps.add(list, servers);
    Ok(PlannedInstall { plans: steps.plans, foreign_entries, arm: wanted.arm })
}

/// The plans so far. A later one may change a file again.
struct InstallSteps {
    plans: Vec<(PathBuf, InstallPlan)>,
}

impl InstallSteps {
    fn new(folder: PathBuf, plan: InstallPlan) -> Self {
        Self { plans: vec![(folder, plan)] }
    }

    /// Reads a file as it is after these plans.
    fn read(&self, folder: &Path, path: &Path) -> std::io::Result<Option<String>> {
        let same = self.plans.iter().filter(|(known, _)| known == folder);
        match same.filter_map(|(_, plan)| plan.after(path)).next_back() {
            Some(after) => Ok(after),
            None => files::read(folder, path),
        }
    }

    fn add(&mut self, folder: PathBuf, plan: InstallPlan) {
        match self.plans.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, known)) => known.followed_by(plan),
            None => self.plans.push((folder, plan)),
        }
    }
}

/// Makes our hooks trusted in a host that asks for that; `None` for other hosts. A
/// changed hook must be trusted again.
pub fn trust(app: &App, host: &Host) -> Option<Result<usize, HookTrustError>> {
    let command = || {
        let program = app.locate(host.program.as_ref()).ok_or(std::io::ErrorKind::NotFound)?;
        let mut command = std::process::Command::new(program);
        command.env_clear().envs(&app.env).current_dir(&app.project.root);
        Ok(command)
    };
    host.trust(command, &app.project.root)
}

/// Plans to remove what was installed.
pub fn plan_removal(
    app: &App,
    host: &Host,
    scope: SettingsScope,
) -> Result<PlannedInstall, UserError> {
    let folder = required_folder(app, host, scope)?;
    // In the reverse order, so that a file of both is as it was before.
    let list = list_folder(app, host, scope, &folder);
    let servers = host.servers.plan_uninstall(&|path| files::read(&list, path), scope);
    let servers = servers.map_err(|error| unreadable(&list, &error))?;
    let mut steps = InstallSteps::new(list, servers);
    let plan = host.uninstall(&|path| steps.read(&folder, path));
    let plan = plan.map_err(|error| unreadable(&folder, &error))?;
    steps.add(folder, plan);
    Ok(PlannedInstall { plans: steps.plans, foreign_entries: Vec::new(), arm: None })
}

impl PlannedInstall {
    /// Names what is not ours and stays.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let entries = self.foreign_entries.iter().map(|path| {
            let path = path.display();
            format!("{path} has an entry `ralph` that is not ours; it stays, so the agent gets no tools.")
        });
        let left = self.plans.iter().flat_map(|(folder, plan)| {
            plan.left.iter().map(move |path| folder.join(path).display().to_string())
        });
        entries.chain(left.map(|path| format!("{path} is not ours and stays as it is.")))
    }

    /// Returns true if there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.plans.iter().all(|(_, plan)| plan.changes.is_empty())
    }

    /// Renders the changes as a patch.
    pub fn patch(&self) -> String {
        let patches = self.plans.iter().map(|(folder, plan)| files::patch(folder, plan));
        patches.collect()
    }

    /// Changes the files of all plans, or none. `said` hears of each.
    pub fn carry_out(&self, app: &App, said: &mut dyn FnMut(String)) -> Result<(), UserError> {
        files::change(app, &self.plans, said)
    }

    /// Describes how loops begin after the installation.
    pub fn beginning(&self, app: &App) -> &'static str {
        let said = app.layers().ok().and_then(|layers| ArmingMoment::new(&layers));
        match said.or_else(|| ArmingMoment::parse(self.arm.as_deref()?)) {
            Some(ArmingMoment::EverySession) => "the first message of every session starts a loop",
            Some(ArmingMoment::OnErrors) => {
                "a turn that leaves new errors starts a loop, and so does `/ralph TASK`"
            }
            Some(ArmingMoment::Manual) | None => "`/ralph TASK` starts a loop",
        }
    }
}

/// Returns the folder of the host's list of tool servers.
pub(crate) fn list_folder(
    app: &App,
    host: &Host,
    scope: SettingsScope,
    settings: &Path,
) -> PathBuf {
    match scope {
        SettingsScope::Project => app.project.root.join(host.servers.folder),
        SettingsScope::User => settings.to_owned(),
    }
}

fn unreadable(folder: &Path, error: &ralph_agents::install::HostFileError) -> UserError {
    let folder = folder.display().to_string();
    UserError::usage(format!("{}/{error}", folder.trim_end_matches('/')))
        .with_hint("nothing was changed; repair the file and try again")
        .in_korean(
            format!("{}/{error}", folder.trim_end_matches('/')),
            Some("바뀐 것은 없습니다. 파일을 고치고 다시 실행하세요"),
        )
}

/// Returns true if new errors start a loop. The flag decides, else the settings, else
/// the present installation.
fn begins_with_errors(
    app: &App,
    asked: Option<&str>,
    installed: Option<&str>,
) -> Result<bool, UserError> {
    let said = match asked {
        Some(arm) => ArmingMoment::parse(arm),
        None => {
            ArmingMoment::new(&app.counted_layers()?).or_else(|| ArmingMoment::parse(installed?))
        }
    };
    Ok(said == Some(ArmingMoment::OnErrors))
}

/// Returns when loops begin, as an earlier installation has it.
fn installed_arm(folder: &Path, host: &Host, scope: SettingsScope) -> Option<String> {
    let seen = host.inspect(&|path| files::read(folder, path), scope).ok()?;
    seen.hooks.into_iter().find_map(|hook| hook.arm)
}

fn required_folder(app: &App, host: &Host, scope: SettingsScope) -> Result<PathBuf, UserError> {
    if scope == SettingsScope::Project && host.folder.is_none() {
        let name = host.name;
        return Err(UserError::usage(format!("{name} has no hooks in projects"))
            .with_hint(format!("`ralph install {name} --user` installs them for all projects"))
            .in_korean(
                format!("{name} 에는 프로젝트의 훅이 없습니다"),
                Some(&format!("`ralph install {name} --user` 로 모든 프로젝트에 설치하세요")),
            ));
    }
    folder(app, host, scope).ok_or_else(|| {
        UserError::usage("there is no home folder")
            .with_hint("set HOME, or leave `--user` out")
            .in_korean("홈 폴더가 없습니다", Some("HOME 을 설정하거나 `--user` 를 빼세요"))
    })
}

/// Returns the folder of the host's settings; `None` for a user without a home folder,
/// and for a project whose settings have no hooks.
pub(crate) fn folder(app: &App, host: &Host, scope: SettingsScope) -> Option<PathBuf> {
    match scope {
        SettingsScope::Project => Some(app.project.root.join(host.folder?)),
        SettingsScope::User => host.user_folder(&|name| app.variable(name)),
    }
}

/// Returns how hosts call us: by name if that finds the running program, so that
/// settings can be shared.
fn program(app: &App) -> String {
    let path = app.env.get(std::ffi::OsStr::new("PATH")).map(std::ffi::OsString::as_os_str);
    let found = ralph_proc::find_program("ralph".as_ref(), &app.project.root, path);
    let same = |found: &PathBuf| {
        let own = std::env::current_exe().and_then(fs::canonicalize).ok();
        own.is_some() && fs::canonicalize(found).ok() == own
    };
    match (found.filter(same), std::env::current_exe()) {
        (None, Ok(own)) => own.to_string_lossy().into_owned(),
        (Some(_), _) | (None, Err(_)) => "ralph".to_owned(),
    }
}

/// Returns the time that all gates of the settings may take, with a margin.
pub(crate) fn needed(app: &App) -> Duration {
    let settings = app.layers().and_then(|layers| app.settings(&layers));
    let gates = settings.map(|settings| settings.policy.gates).unwrap_or_default();
    gates.iter().map(|gate| gate.timeout).sum::<Duration>() + MARGIN
}
