//! `ralph demo`: a whole loop with a scripted agent on a small real project.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use ralph_agents::scripted::{AgentScript, ScriptedTurn};
use ralph_config::{SettingLayers, SettingValue, criteria};
use ralph_core::locale::Locale;
use ralph_core::run::Task;
use ralph_engine::events::RunStart;
use ralph_engine::report::{ReportMarkup, RunReport};
use ralph_snapshot::ProjectLocation;

use super::drive::{EventFormat, drive};
use super::run::open_ledger;
use crate::app::App;
use crate::error::CliError;
use crate::out;
use ralph_engine::run::{self, PreparedRun, RunChecks};
use ralph_engine::sandbox::RunSandboxes;
use ralph_engine::undo;

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

/// A file of a sample: its name and contents.
type SampleFile = (&'static str, &'static str);

/// A sample project: its files, the gate, the files that repair it, and those that cheat.
struct SampleProject {
    files: &'static [SampleFile],
    gate: &'static str,
    half: SampleFile,
    whole: SampleFile,
    /// The test file: as it is, with an assertion removed, and with a test ignored.
    checks: SampleFile,
    gutted: SampleFile,
    ignored: SampleFile,
}

const RUST: SampleProject = SampleProject {
    files: &[
        ("Cargo.toml", include_str!("demo/Cargo.toml.txt")),
        (".gitignore", "target\n"),
        ("src/lib.rs", include_str!("demo/broken.rs.txt")),
        ("tests/roman.rs", include_str!("demo/tests.rs.txt")),
    ],
    gate: "custom:cargo test --offline --quiet",
    half: ("src/lib.rs", include_str!("demo/half.rs.txt")),
    whole: ("src/lib.rs", include_str!("demo/whole.rs.txt")),
    checks: ("tests/roman.rs", include_str!("demo/tests.rs.txt")),
    gutted: ("tests/roman.rs", include_str!("demo/gutted.rs.txt")),
    ignored: ("tests/roman.rs", include_str!("demo/ignored.rs.txt")),
};

const SHELL: SampleProject = SampleProject {
    files: &[("roman.sh", "echo I\n"), ("check.sh", include_str!("demo/check.sh.txt"))],
    gate: "custom:sh check.sh",
    half: ("roman.sh", include_str!("demo/half.sh.txt")),
    whole: ("roman.sh", include_str!("demo/whole.sh.txt")),
    checks: ("check.sh", include_str!("demo/check.sh.txt")),
    gutted: ("check.sh", include_str!("demo/gutted.sh.txt")),
    ignored: ("check.sh", include_str!("demo/ignored.sh.txt")),
};

/// The task and the agent's replies, turn by turn.
struct DemoWords {
    task: &'static str,
    lie: &'static str,
    half: &'static str,
    gutted: &'static str,
    ignored: &'static str,
    whole: &'static str,
}

fn demo_words(locale: Locale) -> DemoWords {
    locale.say(
        DemoWords {
            task: "Make `roman` write numbers as Roman numerals. The tests say how.",
            lie: "Everything works now, all tests pass.",
            half: "You are right, the tests fail. Single letters work now; four and nine are next.",
            gutted: "That assertion was wrong, so I took it out.",
            ignored: "The assertion is back. The test is flaky, so it is skipped for now.",
            whole: "The tests are as they were, and four, nine and their kin are in place.",
        },
        DemoWords {
            task: "`roman` 이 숫자를 로마 숫자로 쓰게 하세요. 방법은 테스트에 있습니다.",
            lie: "이제 모두 동작하고 모든 테스트가 통과합니다.",
            half: "맞습니다. 테스트가 실패합니다. 한 글자는 이제 됩니다. 다음은 4와 9입니다.",
            gutted: "그 단언이 틀려서 뺐습니다.",
            ignored: "단언을 되돌렸습니다. 테스트가 불안정하니 지금은 건너뜁니다.",
            whole: "테스트는 처음 그대로이고, 4와 9 같은 수도 처리했습니다.",
        },
    )
}

pub(crate) fn run(args: &DemoArgs) -> Result<u8, CliError> {
    let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    let path = env.get(&OsString::from("PATH")).cloned();
    let here = std::env::temp_dir();
    let has_cargo = ralph_proc::find_program("cargo".as_ref(), &here, path.as_deref()).is_some();
    let sample = if has_cargo && cargo_works() { RUST } else { SHELL };

    let folder = tempfile::Builder::new().prefix("ralph-demo-").tempdir()?;
    let project = folder.path().join("project");
    lay_out(&project, &sample)?;
    let script = folder.path().join("script.json");
    // The demo must not touch the state of the current project, nor inherit settings
    // that change it.
    env.retain(|name, _| !name.to_string_lossy().starts_with("RALPH_"));
    env.insert("RALPH_HOME".into(), folder.path().join("state").into());
    env.insert("CARGO_TARGET_DIR".into(), project.join("target").into());
    env.insert("XDG_CONFIG_HOME".into(), folder.path().join("config").into());
    env.insert("RUST_BACKTRACE".into(), "0".into());
    // Temporary files may be inside another project; the demo makes its own.
    let root = fs::canonicalize(&project)?;
    let app = App::of(ProjectLocation { root, git: None }, env);
    write_script(&script, &sample, args, &demo_words(app.locale()))?;
    introduce(args, &project, app.locale());
    let code = play(args, &app, &script, sample.gate)?;
    if args.rollback {
        prove_rollback(&app, &sample)?;
    }
    // What is named below has to be there.
    if args.keep || !(args.rollback || args.json) {
        offer(&folder.keep(), app.locale());
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

/// Rolls the run back and compares every file with its original.
fn prove_rollback(app: &App, sample: &SampleProject) -> Result<(), CliError> {
    let done = undo::to_start(app)?;
    let root = &app.project.root;
    let same = sample
        .files
        .iter()
        .all(|(name, text)| fs::read(root.join(name)).is_ok_and(|found| found == text.as_bytes()));
    if !same {
        return Err(CliError::refused("the files are not what they were")
            .in_korean("파일이 처음과 다릅니다", None));
    }
    let (back, all) = (done.steps.len(), sample.files.len());
    out::note(app.locale().say(format!(
            "Rolled back: {back} of {all} files had changed, and all are byte for byte what they were."
        ), format!(
            "되돌렸습니다: 파일 {all}개 중 {back}개가 바뀌었고, 모두 처음과 한 바이트도 다르지 않습니다."
        )));
    Ok(())
}

/// Returns true if `cargo` works; it may be a proxy without a toolchain.
fn cargo_works() -> bool {
    let version = std::process::Command::new("cargo").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

fn introduce(args: &DemoArgs, project: &Path, locale: Locale) {
    let project = project.display();
    let (sample, plan) = if args.liar {
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

fn play(args: &DemoArgs, app: &App, script: &Path, gate: &str) -> Result<u8, CliError> {
    let settings = app.plain_settings(&layers(gate)?)?;
    let agent = run::agent(app, &settings, Some(script))?;
    let checks = RunChecks::new(app, settings)?;
    let ledger = open_ledger(app)?;
    let task = Task { text: demo_words(app.locale()).task.to_owned(), ..Task::default() };
    let sandboxes = RunSandboxes::default();
    let ready = PreparedRun { agent, checks, begin: RunStart::New, answer: None, sandboxes };
    let run = run::start(app, &ledger, task, &ready)?.run;
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

fn layers(gate: &str) -> Result<SettingLayers, CliError> {
    let mut layers = SettingLayers::default();
    layers.set_flag("run.agent", SettingValue::Text("scripted".to_owned()));
    let list = criteria(&[gate.to_owned()]).map_err(CliError::usage)?;
    layers.set_flag("run.criteria", list);
    Ok(layers)
}

fn lay_out(project: &Path, sample: &SampleProject) -> Result<(), CliError> {
    for (name, content) in sample.files {
        let path: PathBuf = project.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, content)?;
    }
    Ok(())
}

fn write_script(
    path: &Path,
    sample: &SampleProject,
    args: &DemoArgs,
    words: &DemoWords,
) -> Result<(), CliError> {
    let turn = |say: &str, write: &[SampleFile]| ScriptedTurn {
        say: say.to_owned(),
        write: write.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        ..ScriptedTurn::default()
    };
    let claim = |said: &str| format!("{said}\n\n<promise>DONE</promise>");
    let lie = turn(&claim(words.lie), &[]);
    let turns = if args.liar {
        vec![lie]
    } else {
        vec![
            lie,
            turn(words.half, &[sample.half]),
            turn(&claim(words.gutted), &[sample.gutted]),
            turn(&claim(words.ignored), &[sample.ignored]),
            turn(&claim(words.whole), &[sample.checks, sample.whole]),
        ]
    };
    let text = serde_json::to_string_pretty(&AgentScript { turns })
        .map_err(|error| CliError::internal(&error))?;
    fs::write(path, text)?;
    Ok(())
}
