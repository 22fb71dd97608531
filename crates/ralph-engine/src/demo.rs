//! A sample project, and a scripted agent that cheats in it before it does the work.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use ralph_agents::scripted::{AgentScript, ScriptedTurn};
use ralph_config::{SettingLayers, SettingValue, criteria};
use ralph_core::Run;
use ralph_core::locale::Locale;
use ralph_core::run::Task;
use ralph_snapshot::ProjectLocation;
use tempfile::TempDir;

use crate::app::App;
use crate::events::RunStart;
use crate::ledger::RunLedger;
use crate::run::{self, PreparedRun, RunChecks};
use crate::sandbox::RunSandboxes;
use crate::undo;
use crate::user_error::UserError;

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

/// The agent of a demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoAgent {
    /// It cheats, is refused, and does the work in the end.
    Learning,
    /// It never does the work.
    Liar,
}

/// A sample project in a temporary folder, with a script for its agent.
pub struct DemoProject {
    /// The context of the project.
    pub app: App,
    folder: TempDir,
    sample: SampleProject,
}

impl DemoProject {
    /// Writes the project and the script. The state of the present project is not touched,
    /// and settings that would change the demo are not inherited.
    pub fn new(agent: DemoAgent) -> Result<Self, UserError> {
        let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let path = env.get(&OsString::from("PATH")).cloned();
        let here = std::env::temp_dir();
        let has_cargo =
            ralph_proc::find_program("cargo".as_ref(), &here, path.as_deref()).is_some();
        let sample = if has_cargo && cargo_works() { RUST } else { SHELL };
        let folder = tempfile::Builder::new().prefix("ralph-demo-").tempdir()?;
        let project = folder.path().join("project");
        lay_out(&project, &sample)?;
        env.retain(|name, _| !name.to_string_lossy().starts_with("RALPH_"));
        env.insert("RALPH_HOME".into(), folder.path().join("state").into());
        env.insert("CARGO_TARGET_DIR".into(), project.join("target").into());
        env.insert("XDG_CONFIG_HOME".into(), folder.path().join("config").into());
        env.insert("RUST_BACKTRACE".into(), "0".into());
        // Temporary files may be inside another project; the demo makes its own.
        let root = fs::canonicalize(&project)?;
        let app = App::of(ProjectLocation { root, git: None }, env);
        let demo = Self { app, folder, sample };
        write_script(&demo.script(), &demo.sample, agent, &demo_words(demo.app.locale()))?;
        Ok(demo)
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("script.json")
    }

    /// Returns the folder of the project, as it was made.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Starts the run; returns what a driver needs.
    pub fn start(&self, ledger: &RunLedger) -> Result<(PreparedRun, Run), UserError> {
        let settings = self.app.plain_settings(&layers(self.sample.gate)?)?;
        let agent = run::agent(&self.app, &settings, Some(&self.script()))?;
        let checks = RunChecks::new(&self.app, settings)?;
        let text = demo_words(self.app.locale()).task.to_owned();
        let task = Task { text, ..Task::default() };
        let sandboxes = RunSandboxes::default();
        let ready = PreparedRun { agent, checks, begin: RunStart::New, answer: None, sandboxes };
        let run = run::start(&self.app, ledger, task, &ready)?.run;
        Ok((ready, run))
    }

    /// Rolls the run back and compares every file with its original. Returns the number of
    /// files that were restored, and that of all.
    pub fn prove_rollback(&self) -> Result<(usize, usize), UserError> {
        let done = undo::to_start(&self.app)?;
        let root = &self.app.project.root;
        let is_same = |(name, text): &SampleFile| {
            ralph_files::read(root.join(name)).is_ok_and(|found| found == text.as_bytes())
        };
        if !self.sample.files.iter().all(is_same) {
            return Err(UserError::refused("the files are not what they were")
                .in_korean("파일이 처음과 다릅니다", None));
        }
        Ok((done.steps.len(), self.sample.files.len()))
    }

    /// Keeps the folder; returns it.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

/// Returns true if `cargo` works; it may be a proxy without a toolchain.
fn cargo_works() -> bool {
    let version = std::process::Command::new("cargo").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

fn layers(gate: &str) -> Result<SettingLayers, UserError> {
    let mut layers = SettingLayers::default();
    layers.set_flag("run.agent", SettingValue::Text("scripted".to_owned()));
    let list = criteria(&[gate.to_owned()]).map_err(UserError::usage)?;
    layers.set_flag("run.criteria", list);
    Ok(layers)
}

fn lay_out(project: &Path, sample: &SampleProject) -> Result<(), UserError> {
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
    agent: DemoAgent,
    words: &DemoWords,
) -> Result<(), UserError> {
    let turn = |say: &str, write: &[SampleFile]| ScriptedTurn {
        say: say.to_owned(),
        write: write.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        ..ScriptedTurn::default()
    };
    let claim = |said: &str| format!("{said}\n\n<promise>DONE</promise>");
    let lie = turn(&claim(words.lie), &[]);
    let turns = if agent == DemoAgent::Liar {
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
        .map_err(|error| UserError::internal(&error))?;
    fs::write(path, text)?;
    Ok(())
}
