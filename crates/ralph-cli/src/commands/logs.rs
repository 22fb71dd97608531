//! `ralph logs`: the output of the agent.

use std::path::PathBuf;
use std::time::Duration;

use ralph_core::Run;
use ralph_engine::clock::InterruptSignal;
use ralph_engine::{owner, turn_log};
use ralph_store::SqliteStore;

use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Time between two looks at a growing log.
const GLANCE: Duration = Duration::from_millis(300);

/// Print what the agent printed in a turn
///
/// Both streams are in it, without secrets. With `--follow` it goes on with
/// what the agent prints now, turn after turn, until the run ends.
#[derive(clap::Args, Debug)]
pub(crate) struct LogsArgs {
    /// The run, or a turn of the newest run (default: its last turn)
    #[arg(value_name = "RUN")]
    first: Option<String>,
    /// The turn of the run
    #[arg(value_name = "TURN")]
    turn: Option<String>,
    /// The run
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Go on until the run ends
    #[arg(long, short)]
    follow: bool,
}

impl LogsArgs {
    /// Returns the run and the turn that the arguments name.
    fn meant(&self) -> Result<(Option<&str>, Option<u32>), CliError> {
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let (run, turn) = match (&self.first, &self.turn) {
            (Some(turn), None) if is_number(turn) => (None, Some(turn)),
            (run, turn) => (run.as_ref(), turn.as_ref()),
        };
        if let (Some(run), Some(other)) = (run, &self.run) {
            return Err(CliError::usage(format!("both `{run}` and `--run {other}` name a run"))
                .in_korean(format!("`{run}` 과 `--run {other}` 이 모두 실행을 가리킵니다"), None));
        }
        let parsed = turn.map(|turn| match turn.parse() {
            Ok(number) if number > 0 => Ok(number),
            Ok(_) | Err(_) => Err(CliError::usage(format!("`{turn}` is no turn"))
                .with_hint("turns are counted from 1")
                .in_korean(format!("`{turn}` 은(는) 턴이 아닙니다"), Some("턴은 1부터 셉니다"))),
        });
        Ok((self.run.as_deref().or(run.map(String::as_str)), parsed.transpose()?))
    }
}

pub(crate) fn run(args: &LogsArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let (named, turn) = args.meant()?;
    let (store, run) = app.recorded(named)?;
    let turn = turn.unwrap_or(run.iteration.max(1));
    if args.follow {
        return follow(&app, &store, run, turn);
    }
    if turn > run.iteration {
        return Err(no_turn(&run, turn));
    }
    let text = ralph_proc::read_log(&log(&app, &run, turn)).map_err(|_| no_log(&run, turn))?;
    out::raw(&text);
    Ok(0)
}

fn log(app: &App, run: &Run, turn: u32) -> PathBuf {
    turn_log(&app.home.join("runs").join(run.id.as_str()), turn)
}

fn no_turn(run: &Run, turn: u32) -> CliError {
    let (id, last) = (&run.id, run.iteration);
    let error = CliError::refused(format!("{id} has no turn {turn}"));
    let korean = format!("{id} 에는 {turn}번째 턴이 없습니다");
    match last {
        0 => error
            .with_hint("its agent has not started yet")
            .in_korean(korean, Some("에이전트가 아직 시작하지 않았습니다")),
        _ => error
            .with_hint(format!("its last turn is {last}"))
            .in_korean(korean, Some(&format!("마지막 턴은 {last}번째입니다"))),
    }
}

fn no_log(run: &Run, turn: u32) -> CliError {
    let (hint, korean) = match run.session() {
        Some(_) => (
            "the client of a session keeps what its agent says",
            "세션에서 에이전트가 한 말은 클라이언트가 보관합니다",
        ),
        None => ("`ralph gc` deletes the logs of old runs", "오래된 로그는 `ralph gc` 가 지웁니다"),
    };
    CliError::refused(format!("there is no log of turn {turn} of {}", run.id))
        .with_hint(hint)
        .in_korean(format!("{} 의 {turn}번째 턴 로그가 없습니다", run.id), Some(korean))
}

/// Prints new output until the run ends.
fn follow(app: &App, store: &SqliteStore, run: Run, from: u32) -> Result<u8, CliError> {
    let (pause, mut run) = (InterruptSignal::default(), run);
    let (mut turn, mut printed) = (from, 0);
    loop {
        // It is checked before the log is read, so that the log is complete.
        let is_over = turn < run.iteration || !owner::is_at_work(&run);
        let text = ralph_proc::read_log(&log(app, &run, turn)).unwrap_or_default();
        if let Some(news) = text.get(printed..) {
            out::raw(news);
            out::flush();
            printed = text.len();
        }
        match (is_over, turn < run.iteration) {
            (true, true) => (turn, printed) = (turn + 1, 0),
            (true, false) => return Ok(0),
            (false, _) => {
                pause.wait(GLANCE);
                run = store.run(&run.id)?.unwrap_or(run);
            }
        }
    }
}
