//! `ralph demo`: a whole loop with a scripted agent on a small real project.

use std::path::Path;

use ralph_core::locale::Locale;
use ralph_engine::demo::{DemoAgent, DemoProject};
use ralph_engine::report::{ReportMarkup, RunReport};

use super::drive::{EventFormat, drive};
use super::run::open_ledger;
use crate::error::CliError;
use crate::out;

/// Watch a whole loop on a sample project; needs no key and no network
///
/// A scripted agent claims to be done before it is, then takes an assertion
/// out of a test, then ignores the test. Each is refused with the place
/// named, and the agent goes on until the tests pass as they were.
#[derive(clap::Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct DemoArgs {
    /// Keep the project's folder, also with `--rollback` or `--json`
    #[arg(long)]
    keep: bool,
    /// Show an agent that never does the work: the run fails, honestly
    #[arg(long)]
    liar: bool,
    /// Take everything back at the end, to prove that it can be done
    #[arg(long)]
    rollback: bool,
    /// Print one JSON object per event
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DemoArgs) -> Result<u8, CliError> {
    let agent = if args.liar { DemoAgent::Liar } else { DemoAgent::Learning };
    let demo = DemoProject::new(agent)?;
    let locale = demo.app.locale();
    introduce(agent, &demo.project(), locale);
    let code = play(args, &demo)?;
    if args.rollback {
        let (back, all) = demo.prove_rollback()?;
        out::note(locale.say(
            format!(
                "Rolled back: {back} of {all} files had changed, and all are byte for byte what they were."
            ),
            format!(
                "되돌렸습니다: 파일 {all}개 중 {back}개가 바뀌었고, 모두 처음과 한 바이트도 다르지 않습니다."
            ),
        ));
    }
    // What is named below has to be there.
    if args.keep || !(args.rollback || args.json) {
        offer(&demo.keep(), locale);
    }
    Ok(code)
}

/// Prints what can be tried with the kept project.
fn offer(folder: &Path, locale: Locale) {
    let [project, state] = ["project", "state"].map(|name| folder.join(name));
    let go = format!("cd {} && export RALPH_HOME={}", project.display(), state.display());
    let gone = format!("rm -r {}", folder.display());
    out::line(locale.say(
        format!(
            "The project is kept. Try it there:\n  {go}\n  \
             ralph report      # the whole proof\n  \
             ralph logs 3      # what the agent said in turn 3\n  \
             ralph rollback    # take all of it back\n  \
             {gone}"
        ),
        format!(
            "프로젝트를 남겨 두었습니다. 직접 해 보세요:\n  {go}\n  \
             ralph report      # 모든 증거 보기\n  \
             ralph logs 3      # 3번째 턴에서 에이전트가 한 말\n  \
             ralph rollback    # 모두 되돌리기\n  \
             {gone}"
        ),
    ));
}

fn introduce(agent: DemoAgent, project: &Path, locale: Locale) {
    let project = project.display();
    let (sample, plan) = if agent == DemoAgent::Liar {
        locale.say(
            (
                "A sample project with failing tests",
                "The agent will claim to be done, again and again, without doing anything.",
            ),
            (
                "테스트가 실패하는 예제 프로젝트",
                "에이전트는 아무것도 하지 않으면서 계속 다 했다고 주장합니다.",
            ),
        )
    } else {
        locale.say(
            (
                "A sample project with failing tests",
                "The agent will claim to be done without doing anything, then tamper with the tests.",
            ),
            (
                "테스트가 실패하는 예제 프로젝트",
                "에이전트는 아무것도 하지 않고 다 했다고 주장한 뒤, 테스트에 손을 댑니다.",
            ),
        )
    };
    out::note(format!("{sample}: {project}\n{plan}\n"));
}

fn play(args: &DemoArgs, demo: &DemoProject) -> Result<u8, CliError> {
    let app = &demo.app;
    let ledger = open_ledger(app)?;
    let (ready, run) = demo.start(&ledger)?;
    let id = run.id.clone();
    let view = if args.json { EventFormat::Json } else { EventFormat::Human };
    let run = drive(app, ledger, ready, run, view)?;
    if view == EventFormat::Human
        && let Some(store) = app.existing_store()?
        && let Some(run) = store.run(&id)?
    {
        out::raw("\n");
        out::text(&RunReport::load(&store, run)?.brief(ReportMarkup::Plain));
    }
    Ok(run.state.exit_code())
}
