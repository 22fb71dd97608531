//! A project with the installed plugin, and what its loops come to.

use std::time::{Duration, Instant};

use ralph_testkit::{MessagesServer, ModelScript, ModelTurn, OpenCodeClient, TestProject};
use serde_json::{Value, json};

/// The words with which an agent says that it is done.
pub(crate) const DONE: &str = "All of it is done.\n\n<promise>DONE</promise>";

/// A gate that fails until the file `a` has a `b`.
pub(crate) const GATE: &str = "--criteria \"custom:grep -q b a\"";

/// How long a run may take to get anywhere. Only a test that fails waits that
/// long.
const PATIENCE: Duration = Duration::from_mins(1);

/// A project, a model, and a client once it is started.
pub(crate) struct Stage {
    pub(crate) project: TestProject,
    pub(crate) api: MessagesServer,
}

impl Stage {
    /// A project of one commit with the plugin as it is installed.
    pub(crate) fn new(script: ModelScript) -> Self {
        let project = TestProject::git(env!("CARGO_BIN_EXE_ralph"));
        project.file("a", "1\n").run_git(&["add", "-A"]);
        project.run_git(&["commit", "--quiet", "--message=start"]);
        let _ = project.ralph(&["install", "opencode"]).output().exits(0);
        Self { project, api: MessagesServer::start(script) }
    }

    /// The same for one agent that takes these turns.
    pub(crate) fn saying(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        Self::new(ModelScript::new(turns))
    }

    /// Starts the client.
    pub(crate) fn start(&self) -> OpenCodeClient {
        OpenCodeClient::start(&self.project, &self.api)
    }

    /// The newest run as `status --json` has it; null when there is none.
    pub(crate) fn run(&self) -> Value {
        newest_run(&self.project)
    }

    /// Checks where the newest run stands: `status/reason` and its iteration.
    #[track_caller]
    pub(crate) fn is(&self, standing: &str, iteration: u64) {
        let run = self.run();
        let found = (place(&run), run["iteration"].as_u64());
        assert_eq!(found, (standing.to_owned(), Some(iteration)), "{run:#}");
    }

    /// Asks until the newest run stands there.
    #[track_caller]
    pub(crate) fn until(&self, standing: &str) {
        until_run_is(&self.project, standing);
    }

    /// Asks until the newest run has this task and stands there.
    #[track_caller]
    pub(crate) fn until_task(&self, task: &str, standing: &str) {
        let deadline = Instant::now() + PATIENCE;
        let is_it = |run: &Value| run["task"].as_str().is_some_and(|text| text.contains(task));
        while !is_it(&self.run()) || place(&self.run()) != standing {
            assert!(Instant::now() < deadline, "not {standing}: {:#}", self.run());
        }
    }

    /// What the model heard in the conversation that this began, request by
    /// request.
    pub(crate) fn heard_in(&self, opening: &str) -> Vec<String> {
        let asked = self.api.main().into_iter();
        let of_it = asked.filter(|asked| asked.opening().contains(opening));
        of_it.map(|asked| asked.news()).collect()
    }

    /// What the model heard since it spoke last, in its n-th request.
    #[track_caller]
    pub(crate) fn heard(&self, request: usize) -> String {
        self.api.main()[request - 1].news()
    }
}

/// Where a run stands: `status/reason`.
fn place(run: &Value) -> String {
    let reason = run["reason"].as_str().map(|reason| format!("/{reason}"));
    format!("{}{}", run["status"].as_str().unwrap_or("none"), reason.unwrap_or_default())
}

/// A turn that writes a file of the project.
pub(crate) fn writes(project: &TestProject, name: &str, content: &str) -> ModelTurn {
    let path = project.root().join(name);
    ModelTurn::uses("write", &json!({ "filePath": path, "content": content }))
}

fn newest_run(project: &TestProject) -> Value {
    let status = project.ralph(&["status", "--json"]).output().exits(0).json();
    status["runs"][0].clone()
}

/// Asks until the newest run of a project stands there.
#[track_caller]
pub(crate) fn until_run_is(project: &TestProject, standing: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let run = newest_run(project);
        if place(&run) == standing {
            return;
        }
        assert!(Instant::now() < deadline, "not {standing}: {run:#}");
    }
}
