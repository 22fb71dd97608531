//! `ralph sandbox`: shows the sandbox of this project, and starts a command in it.

#[cfg(unix)]
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use ralph_agents::Agent;
use ralph_agents::limits::LimitPatterns;
use ralph_agents::rows::RowAgent;
use ralph_config::{AgentChoice, RunSettings, SandboxRules, SettingLayers};
use ralph_core::locale::Locale;
use ralph_engine::sandbox::{self, MadeSandbox, SandboxGuest};
use ralph_engine::sandboxed_host;
use ralph_proc::{Enclosure as _, ProgramLaunch, StreamMerging};
use ralph_sandbox::{NetworkRule, PathAccess, Sandbox};
use serde_json::json;

use super::trust;
use crate::app::App;
use crate::error::CliError;
use crate::options::{SandboxLimits, TrustOptions};
use crate::{out, texts};
#[cfg(unix)]
use ralph_engine::hook::door::{self, HookDoor};

/// Show the sandbox of this project, or start a command in it
///
/// The sandbox is that of the agent in the settings, whether they switch it on
/// or not. The exit code is that of the command. Hooks of a host that is started
/// in it are answered outside, so its loops work, and their evidence is sealed.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SandboxArgs {
    #[command(subcommand)]
    what: Option<SandboxCommand>,
    #[command(flatten)]
    limits: SandboxLimits,
    #[command(flatten)]
    trust: TrustOptions,
    /// The command
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(clap::Subcommand, Debug)]
enum SandboxCommand {
    Show(SandboxShowArgs),
}

/// Show what a program in the sandbox can read, write and reach
#[derive(clap::Args, Debug)]
struct SandboxShowArgs {
    #[command(flatten)]
    limits: SandboxLimits,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SandboxArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    match (&args.what, args.command.is_empty()) {
        (Some(SandboxCommand::Show(show_args)), _) => show(&app, show_args),
        (None, false) => execute(&app, args),
        (None, true) => Err(CliError::usage("there is no command")
            .with_hint("`ralph sandbox show`, or `ralph sandbox -- COMMAND`")
            .in_korean(
                "명령이 없습니다",
                Some("`ralph sandbox show` 또는 `ralph sandbox -- 명령`"),
            )),
    }
}

/// Makes the sandbox that an agent of this project would have.
fn made(
    app: &App,
    limits: &SandboxLimits,
    mut layers: SettingLayers,
) -> Result<(MadeSandbox, RunSettings), CliError> {
    limits.apply(&mut layers)?;
    let rules = SandboxRules::new(&layers)?;
    let settings = app.plain_settings(&layers)?;
    let known = LimitPatterns::known;
    let (agent, words): (Option<Box<dyn Agent>>, _) = match &settings.agent {
        AgentChoice::Client(client) => (Some(settings.client(*client).agent(known())), Vec::new()),
        AgentChoice::Row(row) => {
            (Some(Box::new(RowAgent::new(row.as_ref().clone(), known()))), Vec::new())
        }
        AgentChoice::Command(words) => (None, words.clone().unwrap_or_default()),
        AgentChoice::Scripted => (None, Vec::new()),
    };
    let guest = SandboxGuest {
        places: agent.map(|agent| sandbox::places(app, &*agent)).unwrap_or_default(),
        words,
        scripts: sandbox::scripts(app, &settings.policy.gates),
        network: rules.network.clone(),
    };
    Ok((sandbox::build(app, &rules, &guest)?, settings))
}

fn show(app: &App, args: &SandboxShowArgs) -> Result<u8, CliError> {
    trust::note_left_out(app);
    let (made, settings) = made(app, &args.limits, app.counted_layers()?)?;
    let locale = settings.policy.locale;
    let policy = made.sandbox.as_ref().map(Sandbox::policy);
    if args.json {
        let rules = policy.map(|policy| {
            let rules = policy.rules.iter().filter(|(path, _)| path.exists());
            rules.map(|(path, access)| json!({ "path": path, "access": name_of(access) }))
        });
        let (network, hosts) = match policy.map(|policy| &policy.network) {
            None | Some(NetworkRule::On) => ("on", None),
            Some(NetworkRule::Off) => ("off", None),
            Some(NetworkRule::Hosts(hosts)) => ("hosts", Some(hosts)),
        };
        let lacks: Vec<&str> = made.lacks.iter().map(|guarantee| guarantee.name()).collect();
        out::line(json!({
            "schema": 1,
            "technique": made.technique,
            "lacks": lacks,
            "network": network,
            "hosts": hosts,
            "paths": rules.map(Iterator::collect::<Vec<_>>),
        }));
        return Ok(0);
    }
    out::line(made.sentence(locale));
    let Some(policy) = policy else { return Ok(1) };
    out::line(match &policy.network {
        NetworkRule::On => locale.say("network: on", "네트워크: 켜짐").to_owned(),
        NetworkRule::Off => locale.say("network: off", "네트워크: 꺼짐").to_owned(),
        NetworkRule::Hosts(hosts) => {
            let hosts = hosts.join(", ");
            locale.say(format!("network: {hosts}"), format!("네트워크: {hosts}"))
        }
    });
    let rules = policy.rules.iter().filter(|(path, _)| path.exists());
    let rows = rules.map(|(path, access)| {
        vec![word_for(access, locale).to_owned(), path.display().to_string()]
    });
    let heads = locale.say(["access", "path"], ["권한", "경로"]);
    out::raw(&texts::table(&heads, rows));
    Ok(0)
}

fn name_of(access: PathAccess) -> &'static str {
    match access {
        PathAccess::Hidden => "hidden",
        PathAccess::Read => "read",
        PathAccess::Copy => "copy",
        PathAccess::Write => "write",
        PathAccess::Private => "private",
    }
}

fn word_for(access: PathAccess, locale: Locale) -> &'static str {
    match (locale, access) {
        (Locale::En, _) => name_of(access),
        (Locale::Ko, PathAccess::Hidden) => "숨김",
        (Locale::Ko, PathAccess::Read) => "읽기",
        (Locale::Ko, PathAccess::Copy) => "사본",
        (Locale::Ko, PathAccess::Write) => "쓰기",
        (Locale::Ko, PathAccess::Private) => "전용",
    }
}

/// Executes a command in the sandbox, on the streams of this process.
fn execute(app: &App, args: &SandboxArgs) -> Result<u8, CliError> {
    let command = &args.command;
    let limits = &args.limits;
    let (mut made, settings) = made(app, limits, trust::settings(app, &args.trust)?)?;
    let locale = settings.policy.locale;
    #[cfg(unix)]
    let mut variables = sandboxed_host::variables(app, &made, locale);
    #[cfg(unix)]
    variables.extend(limits.variables());
    let [sentence, english, korean] =
        [locale, Locale::En, Locale::Ko].map(|locale| made.sentence(locale));
    let Some(sandbox) = &mut made.sandbox else {
        return Err(CliError::refused(english).in_korean(korean, None));
    };
    let mut env: Vec<(OsString, OsString)> = app.env.clone().into_iter().collect();
    #[cfg(unix)]
    let door = HookDoor::open(&app.project.root, variables)?;
    #[cfg(unix)]
    {
        sandbox.give(&door.socket(), PathAccess::Read);
        env.push((door::VARIABLE.into(), door.socket().into()));
    }
    let sandbox = &*sandbox;
    if !made.lacks.is_empty() {
        out::note(&sentence);
    }
    let (program, args) = command.split_first().unwrap_or((const { &OsString::new() }, &[]));
    let here = std::env::current_dir().unwrap_or_else(|_| app.project.root.clone());
    let launch = ProgramLaunch {
        program: program.clone(),
        args: args.to_vec(),
        dir: here,
        env,
        stdin: None,
        streams: StreamMerging::Apart,
    };
    let inside = sandbox.enclose(&launch);
    let status = Command::new(&inside.program)
        .args(&inside.args)
        .current_dir(&inside.dir)
        .env_clear()
        .envs(inside.env.iter().map(|(name, value)| (name, value)))
        .status();
    sandbox.leave();
    let status = status.map_err(|error| {
        CliError::usage(format!("cannot start {}: {error}", Path::new(program).display()))
    })?;
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
