//! What agents are shown in a project with a past: how much of it matters, and
//! whether what matters is there. The data is in `tests/memory/shop`.

use std::fs;
use std::path::Path;

use ralph_testkit::TestProject;
use serde_json::{Value, json};

use crate::git;
use crate::hooks::{Session, stop};
use crate::mcp::Server;

const RULE: &str = "Never change a signature in shop/api without keeping the old one.";

/// What was shown for a set of tasks.
#[derive(Debug, Default)]
struct Tally {
    /// Lines in which something is told.
    lines: u32,
    /// Those of them that matter.
    fitting: u32,
    /// What had to be shown and was not.
    missing: Vec<String>,
    /// What was shown and does not matter.
    stray: Vec<String>,
    /// Tasks that nothing fits and that were shown something all the same.
    for_nothing: Vec<String>,
    tokens: u64,
    tasks: u64,
}

fn data(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/memory/shop");
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A project with its history, in which ten sessions have worked.
fn shop() -> TestProject {
    let project = git();
    project.file(".gitignore", "__pycache__/\nagent.sh\nralph.toml\n");
    project.file("ralph.toml", "[hooks]\nmemory = \"all\"\n");
    let files = data("files.jsonl");
    let text = |name: &str| files.iter().find(|file| file["file"] == name).unwrap()["text"].clone();
    for commit in data("history.jsonl") {
        for name in texts(&commit["files"]) {
            project.file(name, text(name).as_str().unwrap());
        }
        keep(&project, commit["subject"].as_str().unwrap());
    }
    let rule = ["memory", "add", "--kind", "constitution", RULE];
    let _ = project.ralph(&rule).output().exits(0);
    for session in data("sessions.jsonl") {
        match session["host"].as_str() {
            Some(name) => host(&project, name, &session),
            None => run(&project, &session),
        }
    }
    project
}

fn keep(project: &TestProject, subject: &str) {
    project.run_git(&["add", "--all"]);
    project.run_git(&["commit", "--quiet", "--message", subject]);
}

/// A run of the driver whose agent does in each turn what is written down.
fn run(project: &TestProject, session: &Value) {
    let mut agent = "cat > /dev/null\ncase $RALPH_ITERATION in\n".to_owned();
    for (number, turn) in (1..).zip(session["turns"].as_array().unwrap()) {
        let folder = project.outside(&format!("turn-{number}"));
        let _ = fs::remove_dir_all(&folder);
        for (name, text) in turn["files"].as_object().unwrap() {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.as_str().unwrap()).unwrap();
        }
        let mut work = vec![format!("{number}) cp -r {}/. .", folder.display())];
        for note in turn["notes"].as_array().into_iter().flatten() {
            let files: Vec<String> =
                texts(&note[2]).iter().map(|it| format!("--file {it}")).collect();
            let (kind, text) = (note[0].as_str().unwrap(), note[1].as_str().unwrap());
            let binary = project.binary().display();
            let files = files.join(" ");
            work.push(format!("{binary} memory add '{text}' --kind {kind} {files}"));
        }
        work.push(format!(
            "echo '{} <promise>DONE</promise>' ;;\n",
            turn["says"].as_str().unwrap()
        ));
        agent += &work.join("\n");
    }
    project.agent(&format!("{agent}esac"));
    let task = session["task"].as_str().unwrap();
    let more = ["--criteria", "custom:python3 -m unittest", "--max-iterations", "2"];
    let ended = project.run_json(task, &more).ended();
    if session["gives_up"] == true {
        assert_ne!(ended["status"], "success", "{ended}");
        project.run_git(&["checkout", "--quiet", "."]);
        project.run_git(&["clean", "--quiet", "-d", "--force"]);
    } else {
        assert_eq!(ended["status"], "success", "{ended}");
        keep(project, task);
    }
}

/// A session of a host, as its hooks tell of it.
fn host(project: &TestProject, name: &str, told: &Value) {
    let session = Session::new(project, name);
    let _ = session.tell("SessionStart", &json!({ "source": "startup" }));
    let _ = session.prompt(told["asks"].as_str().unwrap());
    let mut server = Server::start(project, &[]);
    for note in told["notes"].as_array().into_iter().flatten() {
        let note = json!({ "kind": note[0], "text": note[1], "files": note[2], "session": name });
        let _ = server.answered("memory_add", &note);
    }
    for used in told["tools"].as_array().into_iter().flatten() {
        let about = used[1].as_str().unwrap();
        let bash = json!({
            "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": about },
            "error": used[2],
        });
        let _ = match (used[0].as_str(), used[2].is_null()) {
            (Some("Bash"), false) => session.tell("PostToolUseFailure", &bash),
            (Some("Bash"), true) => session.tell("PostToolUse", &bash),
            _ => session.tell("PostToolUse", &session.edited(about)),
        };
    }
    if told["compacts"] == true {
        let _ = session.tell("SessionStart", &json!({ "source": "compact" }));
    }
    let _ = session.tell("Stop", &stop(told["says"].as_str().unwrap_or("I see.")));
    let _ = session.tell("SessionEnd", &json!({ "reason": "prompt_input_exit" }));
}

/// What is shown of the tasks of a file, before an agent thinks.
fn tally(project: &TestProject, name: &str) -> Tally {
    let mut tally = Tally::default();
    for asked in data(name) {
        let task = asked["task"].as_str().unwrap();
        let found = project.ralph(&["memory", "context", "--json", "--task", task]);
        let found = found.output().exits(0).json();
        let (must, may) = (texts(&asked["must"]), texts(&asked["may"]));
        // All but what is always there: the fence, headings, the rule.
        let frame = ["<", "##", "Notes from earlier work here"];
        let lines = found["text"].as_str().unwrap().lines();
        let told = lines.filter(|line| !frame.iter().any(|it| line.starts_with(it)));
        let told: Vec<&str> = told.filter(|line| !line.contains(RULE)).collect();
        for line in &told {
            tally.lines += 1;
            if must.iter().chain(&may).any(|it| line.contains(it)) {
                tally.fitting += 1;
            } else {
                tally.stray.push(format!("{task}: {line}"));
            }
        }
        if must.is_empty() && may.is_empty() && !told.is_empty() {
            tally.for_nothing.push(task.to_owned());
        }
        let missing = must.iter().filter(|it| !told.iter().any(|line| line.contains(*it)));
        tally.missing.extend(missing.map(|it| format!("{task}: {it}")));
        tally.tokens += found["tokens"].as_u64().unwrap();
        tally.tasks += 1;
    }
    tally
}

#[test]
fn what_is_shown_in_a_project_with_a_past_matters_and_nothing_that_matters_is_missing() {
    let project = shop();
    for name in ["tasks", "tasks-2"] {
        let Tally { lines, fitting, missing, stray, for_nothing, tokens, tasks } =
            tally(&project, &format!("{name}.jsonl"));
        let mean = tokens / tasks;
        // The benchmark reads this line.
        println!("shown for {name}: {fitting} of {lines} lines matter, {mean} tokens");
        println!("missing: {missing:#?}\nof no use: {stray:#?}");
        assert!(missing.is_empty() && for_nothing.is_empty(), "{missing:#?} {for_nothing:#?}");
        assert!(100 * fitting >= 85 * lines, "{fitting} of {lines}");
        assert!(mean <= 350, "{mean} tokens");
    }
}
