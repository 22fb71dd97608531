//! Parses a task that is typed with flags anywhere in it.

use clap::{CommandFactory, Parser};
use ralph_core::run::Task;

use crate::error::CliError;
use crate::options::{PolicyOptions, TaskOptions};
use ralph_engine::hook::typed_flags::{loose_dash, take_flags};

/// `/ralph TASK [flags]`
#[derive(Parser, Debug)]
#[command(name = "/ralph", no_binary_name = true, disable_help_flag = true, color = clap::ColorChoice::Never)]
struct SlashArgs {
    #[command(flatten)]
    task: TaskOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

/// A request to start a loop.
#[derive(Debug)]
pub(super) struct LoopRequest {
    pub(super) task: Task,
    pub(super) policy: PolicyOptions,
}

impl LoopRequest {
    /// Parses a task with its flags. Unknown flags and paths that do not exist are
    /// errors, never part of the task.
    pub(super) fn read(text: &str, exists: &dyn Fn(&str) -> bool) -> Result<Self, CliError> {
        let mut taken = take_flags(text, &takes_value);
        if let Some(odd) = &taken.odd {
            return Err(loose_dash(text, odd));
        }
        for target in &mut taken.targets {
            // A path may end a sentence.
            let plain = target.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
            let found = [target.as_str(), plain].into_iter().find(|path| exists(path));
            *target = found.ok_or_else(|| no_such_path(target))?.to_owned();
        }
        let mut args = taken.flags;
        args.extend(taken.targets.iter().map(|target| format!("--target={target}")));
        args.push("--".to_owned());
        args.push(taken.task);
        let parsed = SlashArgs::try_parse_from(args).map_err(|error| explain(&error))?;
        Ok(Self { task: parsed.task.read()?, policy: parsed.policy })
    }
}

/// Makes the error for a wrong flag, without clap's usage text.
fn explain(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let tip = text.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    // The parser suggests `--` before the task, which is not how tasks are quoted, and
    // flags with little resemblance.
    let named = |text: &str| text.split('\'').nth(1).map(str::to_owned);
    let is_near = |tip: &&str| match (named(line), named(tip)) {
        (Some(typed), Some(meant)) => strsim::osa_distance(&typed, &meant) <= 2,
        (_, _) => false,
    };
    let tip = tip.filter(|tip| !tip.contains("'-- ")).filter(is_near);
    let hint = tip.map_or_else(
        || {
            "put the task in quotes if it belongs to the task; `ralph run --help` in a terminal \
             lists the flags"
                .to_owned()
        },
        |tip| format!("{tip}; or put the task in quotes if it belongs to the task"),
    );
    let korean = "작업의 일부라면 작업을 따옴표로 묶으세요. 터미널에서 `ralph run --help` 로 플래그를 볼 수 있습니다";
    CliError::usage(line)
        .with_hint(hint)
        .in_korean(format!("플래그를 이해할 수 없습니다: {line}"), Some(korean))
}

fn no_such_path(target: &str) -> CliError {
    CliError::usage(format!("`@{target}` names no file or folder here"))
        .with_hint("correct the path, or put the task in quotes if the word belongs to it")
        .in_korean(
            format!("`@{target}` 파일이나 폴더가 여기에 없습니다"),
            Some("경로를 고치거나, 작업의 일부라면 작업을 따옴표로 묶으세요"),
        )
}

/// Returns true if this flag takes the next word when given without `=`.
fn takes_value(flag: &str) -> bool {
    let Some(name) = flag.strip_prefix("--") else { return false };
    let command = SlashArgs::command();
    let mut args = command.get_arguments();
    args.any(|arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        let is_it = arg.get_long() == Some(name) || aliases.contains(&name);
        is_it && arg.get_action().takes_values()
    })
}
