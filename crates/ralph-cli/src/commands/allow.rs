//! `ralph allow`: accepts changes of tests and checks that were held.

use ralph_core::locale::Locale;
use ralph_core::run::Owner;
use ralph_core::state::RunState;
use ralph_engine::allowed;
use ralph_engine::owner::is_alive;

use crate::app::App;
use crate::error::CliError;
use crate::{out, texts};
use ralph_engine::rights::CallRight;

/// Number of latest iterations that are searched for a judged one.
const RECORDS: u32 = 20;

/// Accept changes of tests and checks that were held
///
/// A run whose tests or checks were made weaker does not succeed. This accepts
/// what was done to the files given, from the next evaluation on. While the
/// agent is at work nothing can be accepted: pause the run first. A test that
/// no longer runs is named by its id. Without a path it lists what is held.
#[derive(clap::Args, Debug)]
pub(crate) struct AllowArgs {
    /// Files or folders, or patterns as in .gitignore
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The run (default: the current one of this work tree)
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
}

impl AllowArgs {
    /// Returns who may call this command.
    pub(crate) fn right(&self) -> CallRight {
        if self.paths.is_empty() { CallRight::Anyone } else { CallRight::UserOnly }
    }
}

pub(crate) fn run(args: &AllowArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let given = args.run.as_deref();
    let (store, run) =
        if args.paths.is_empty() { app.recorded(given)? } else { app.recorded_to_change(given)? };
    // The current turn has no record yet.
    let records = store.iterations(&run.id, RECORDS)?;
    let judged = records.into_iter().rev().find(|record| !record.gates.is_empty());
    let held = judged.map(|record| record.weakened).unwrap_or_default();
    if args.paths.is_empty() {
        let rows = held.into_iter().map(|held| vec![held.place, held.what]);
        out::raw(&texts::held(rows.collect(), app.locale()));
        return Ok(0);
    }
    if run.state.is_ended() {
        let error = CliError::refused(format!("{} has ended and is not judged again", run.id));
        return Err(error.with_hint(
            "a new `ralph run` takes the files as they are now; to allow changes beforehand, \
             add `--allow-test-changes` or set run.allow_changes",
        ).in_korean(
            format!("{} 은(는) 끝났으므로 다시 판정하지 않습니다", run.id),
            Some("새 `ralph run` 은 지금의 파일에서 시작합니다. 미리 허용하려면 `--allow-test-changes` 를 붙이세요"),
        ));
    }
    let is_driven = matches!(&run.owner, Some(owner @ Owner::Driver { .. }) if is_alive(owner));
    if is_driven && run.state == RunState::Running {
        let error = CliError::refused(format!(
            "{} is at work, and what is allowed meanwhile could be the agent's doing",
            run.id
        ));
        return Err(error.with_hint(
            "once the run waits for you, or after `ralph pause`: `ralph allow PATH && ralph resume`",
        ).in_korean(
            format!("{} 은(는) 작업 중이므로, 지금 허용하면 에이전트가 한 일일 수 있습니다", run.id),
            Some("답변을 기다릴 때나 `ralph pause` 뒤에: `ralph allow PATH && ralph resume`"),
        ));
    }
    let (paths, new) = allowed::accept(&app, &run, &args.paths)?;
    for path in paths {
        let rules = allowed::rule(std::slice::from_ref(&path))?;
        let how = match (
            new.contains(&path),
            held.iter().any(|held| allowed::covers(&rules, &held.place)),
        ) {
            (false, _) => AcceptEffect::Before,
            (true, true) => AcceptEffect::Held,
            (true, false) => AcceptEffect::Ahead,
        };
        out::line(format!("{}: {}", run.id, how.words(&path, app.locale())));
    }
    Ok(0)
}

/// The effect of accepting a path.
enum AcceptEffect {
    /// It was accepted before.
    Before,
    /// Something there is held.
    Held,
    /// Nothing there is held yet.
    Ahead,
}

impl AcceptEffect {
    fn words(&self, path: &str, locale: Locale) -> String {
        match self {
            Self::Held => locale.say(
                format!("changes of {path} are accepted."),
                format!("{path} 변경을 허용했습니다."),
            ),
            Self::Before => locale.say(
                format!("changes of {path} were accepted before."),
                format!("{path} 변경은 이미 허용되어 있습니다."),
            ),
            Self::Ahead => locale.say(
                format!("changes of {path} are accepted; nothing there is held so far."),
                format!("{path} 변경을 허용했습니다. 아직 그곳에 보류된 변경은 없습니다."),
            ),
        }
    }
}
