//! `ralph install` and `ralph uninstall`: our hooks, commands and tools in a host.

use clap::builder::{PossibleValue, PossibleValuesParser};
use ralph_agents::Host;
use ralph_agents::host::HOSTS;
use ralph_agents::inspection::SettingsScope;
use ralph_engine::install::{self, InstallRequest, PlannedInstall};

use crate::app::App;
use crate::error::CliError;
use crate::out;
use ralph_engine::rights::CallRight;

/// Install hooks, commands and tools into a host
///
/// Merges into what is there and keeps a copy of every file it changes.
/// Doing it again brings an older installation up to date.
#[derive(clap::Args, Debug)]
pub(crate) struct InstallArgs {
    /// The host
    #[arg(value_name = "HOST", value_parser = names())]
    host: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// How often in a row the host lets the agent go on without using a tool; 0 for any number of times (default: 0)
    #[arg(long, value_name = "N")]
    cap: Option<u32>,
    /// When loops begin: `manual`, `on-errors` or `every-session` (default: as before, else manual)
    #[arg(long, value_name = "WHEN", value_parser = ["manual", "on-errors", "every-session"])]
    arm: Option<String>,
    /// Give the agent no tools: without a loop it then sees no difference
    #[arg(long)]
    no_tools: bool,
}

/// Remove hooks, commands and tools from a host
///
/// Removes exactly what `ralph install` added.
#[derive(clap::Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The host
    #[arg(value_name = "HOST", value_parser = names())]
    host: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(clap::Args, Debug)]
struct ScopeArgs {
    /// For this project (the default)
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// For all projects of this user
    #[arg(long)]
    user: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn install(args: &InstallArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let host = find(&args.host)?;
    let scope = args.scope.scope();
    let request =
        InstallRequest { scope, cap: args.cap, arm: args.arm.clone(), no_tools: args.no_tools };
    let plan = install::plan(&app, host, &request)?;
    carry_out(&app, &plan, &args.scope)?;
    if !args.scope.dry_run {
        out::line(format!("{} calls ralph now: {}.", host.name, plan.beginning(&app)));
        match install::trust(&app, host) {
            None | Some(Ok(0)) => {}
            Some(Ok(hooks)) => out::line(format!("{} trusts {hooks} hooks now.", host.name)),
            Some(Err(error)) => out::note(format!(
                "{0} runs a hook only once you trust it, and could not be told to ({error}): start `{0}`, \
                 type `/hooks` and trust those of ralph.",
                host.name
            )),
        }
        out::note(format!("Restart {} to load it.", host.name));
        if host.servers.files(scope).is_empty()
            && !args.no_tools
            && !host.servers.by_hand.is_empty()
        {
            out::note(host.servers.by_hand);
        }
    }
    Ok(0)
}

pub(crate) fn uninstall(args: &UninstallArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let plan = install::plan_removal(&app, find(&args.host)?, args.scope.scope())?;
    carry_out(&app, &plan, &args.scope)?;
    Ok(0)
}

/// Changes the files, or shows what would change.
fn carry_out(app: &App, plan: &PlannedInstall, scope: &ScopeArgs) -> Result<(), CliError> {
    plan.remarks().for_each(out::note);
    if plan.is_empty() {
        out::line("There is nothing to change.");
    }
    if scope.dry_run {
        out::raw(&plan.patch());
        return Ok(());
    }
    plan.carry_out(app, &mut |text| out::line(text))
}

/// Makes a parser for the names of hosts.
pub(crate) fn names() -> PossibleValuesParser {
    let value = |host: &Host| PossibleValue::new(host.name).aliases(host.aliases);
    PossibleValuesParser::new(HOSTS.iter().map(value))
}

fn find(name: &str) -> Result<&'static Host, CliError> {
    Host::find(name).ok_or_else(|| {
        CliError::usage(format!("`{name}` is no host"))
            .in_korean(format!("`{name}` 은(는) 호스트가 아닙니다"), None)
    })
}

impl UninstallArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.scope.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }

    /// Returns true if it is for all projects of the user.
    pub(crate) fn is_user_wide(&self) -> bool {
        self.scope.user
    }
}

impl InstallArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.scope.dry_run { CallRight::Anyone } else { CallRight::UserOnly }
    }

    /// Returns true if it is for all projects of the user.
    pub(crate) fn is_user_wide(&self) -> bool {
        self.scope.user
    }
}

impl ScopeArgs {
    fn scope(&self) -> SettingsScope {
        if self.user { SettingsScope::User } else { SettingsScope::Project }
    }
}
