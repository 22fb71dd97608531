use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateImportance, PassCondition};
use tempfile::TempDir;

use super::*;

/// A project, and two folders on the `PATH`, of which the first is empty.
struct ProgramScene {
    top: TempDir,
    env: Vec<(OsString, OsString)>,
}

impl ProgramScene {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for folder in ["project", "early", "late"] {
            fs::create_dir(top.path().join(folder)).unwrap();
        }
        let path = std::env::join_paths(["early", "late"].map(|name| top.path().join(name)));
        let env = vec![("PATH".into(), path.unwrap())];
        let scene = Self { top, env };
        scene.program("late/python3", "");
        scene.program("late/sh", "");
        scene
    }

    fn program(&self, path: &str, text: &str) {
        let path = self.top.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn now(&self, command: &GateCommand) -> GatePrograms {
        let gate = GateSpec {
            name: "test_pass".to_owned(),
            criterion: Criterion::TestPass,
            command: command.clone(),
            dir: String::new(),
            format: OutputFormat::Exit,
            bar: PassCondition::Clean,
            timeout: Duration::from_secs(1),
            need: GateImportance::Required,
        };
        let root = self.top.path().join("project");
        let written = GatePrograms::now(&[&gate], &ProgramPlaces { root: &root, env: &self.env });
        // In the form in which the run's folder stores it.
        serde_json::from_slice(&serde_json::to_vec(&written).unwrap()).unwrap()
    }
}

fn pytest() -> GateCommand {
    GateCommand::Argv(["python3", "-m", "pytest", "-q"].map(str::to_owned).to_vec())
}

/// Returns the findings for the change that `work` makes.
fn told(command: &GateCommand, work: impl FnOnce(&ProgramScene)) -> Vec<String> {
    let scene = ProgramScene::new();
    let then = scene.now(command);
    work(&scene);
    let found = then.differing(&scene.now(command), Locale::En);
    let top = scene.top.path().display().to_string();
    found.iter().map(|one| format!("{}: {}", one.place, one.what).replace(&top, "")).collect()
}

#[test]
fn programs_that_stay_are_not_told() {
    assert!(told(&pytest(), |scene| scene.program("early/other", "")).is_empty());
    assert!(told(&pytest(), |scene| scene.program("project/helper.py", "")).is_empty());
    // It did not exist before, so its absence misled no check.
    assert!(told(&pytest(), |scene| scene.program("late/pytest", "")).is_empty());
}

#[test]
fn a_program_that_is_replaced_or_planted_is_told() {
    let replaced = told(&pytest(), |scene| scene.program("late/python3", "exit 0"));
    let want = "/late/python3: `python3`, which a check executes, was replaced during the run";
    assert_eq!(replaced, [want]);
    let planted = told(&pytest(), |scene| scene.program("early/python3", ""));
    let want = "/early/python3: stands before `python3`, which a check found at /late/python3 \
                at the start";
    assert_eq!(planted, [want]);
    let shell = GateCommand::Shell("cd x && python3 y.py".to_owned());
    assert_eq!(told(&shell, |scene| scene.program("early/sh", "")).len(), 1);
    assert_eq!(told(&shell, |scene| scene.program("early/python3", "")).len(), 1);
}

#[test]
fn what_scripts_and_recipes_call_is_held_to_its_start_too() {
    let make = GateCommand::Argv(["make", "test"].map(str::to_owned).to_vec());
    let with_script = |work: fn(&ProgramScene)| {
        let scene = ProgramScene::new();
        scene.program("project/Makefile", "run:\n\tjava A\ntest:\n\t./scripts/test.sh\n");
        scene.program("project/scripts/test.sh", "#!/bin/sh\nexec python3 -m unittest bin/app\n");
        scene.program("project/bin/app", "1");
        scene.program("late/java", "1");
        let then = scene.now(&make);
        work(&scene);
        then.differing(&scene.now(&make), Locale::En).len()
    };
    assert_eq!(with_script(|scene| scene.program("project/unittest.py", "")), 1);
    assert_eq!(with_script(|scene| scene.program("early/python3", "")), 1);
    // The product, and a file that no check calls.
    assert_eq!(with_script(|scene| scene.program("project/bin/app", "2")), 0);
    assert_eq!(with_script(|scene| scene.program("late/java", "22")), 0);
}

#[test]
fn an_interpreter_that_a_script_prefers_is_told_and_the_only_one_is_not() {
    let script = GateCommand::Argv(vec!["./test.sh".to_owned()]);
    let planted = |text: &str| {
        let scene = ProgramScene::new();
        scene.program("project/test.sh", text);
        let then = scene.now(&script);
        scene.program("project/.venv/bin/python", "exit 0");
        then.differing(&scene.now(&script), Locale::En).len()
    };
    let prefers = "#!/bin/sh\n[ -x .venv/bin/python ] && exec .venv/bin/python x\nexec python3 x\n";
    assert_eq!(planted(prefers), 1);
    assert_eq!(planted("#!/bin/sh\nexec .venv/bin/python -m pytest\n"), 0);
}

#[test]
fn a_module_of_the_project_in_the_place_of_the_runner_is_told() {
    for path in ["pytest.py", "pytest/__main__.py", "_pytest/__init__.py", "pluggy.py"] {
        let found = told(&pytest(), |scene| scene.program(&format!("project/{path}"), ""));
        assert_eq!(found.len(), 1, "{path}");
        assert!(found[0].contains("was added in the run and takes the place of"), "{found:?}");
    }
    let unittest = GateCommand::Argv(["python3", "-m", "unittest"].map(str::to_owned).to_vec());
    let found = told(&unittest, |scene| scene.program("project/unittest.py", ""));
    assert_eq!(found.len(), 1);
    assert!(told(&unittest, |scene| scene.program("project/pytest.py", "")).is_empty());
}
