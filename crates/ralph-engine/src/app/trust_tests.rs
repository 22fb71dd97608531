use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A folder with a project and a user's home.
struct TrustStage(tempfile::TempDir);

impl TrustStage {
    fn new(settings: &str) -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        fs::create_dir(stage.0.path().join("project")).unwrap();
        stage.write(settings);
        stage
    }

    fn write(&self, settings: &str) -> &Self {
        fs::write(self.0.path().join("project/ralph.toml"), settings).unwrap();
        self
    }

    fn app(&self) -> App {
        self.app_with(&[])
    }

    fn app_with(&self, more: &[(&str, OsString)]) -> App {
        let mut env = BTreeMap::new();
        env.insert(OsString::from("HOME"), self.0.path().join("home").into_os_string());
        env.extend(more.iter().map(|(name, value)| (OsString::from(name), value.clone())));
        App::at(&self.0.path().join("project"), env).unwrap()
    }

    #[track_caller]
    fn stands(&self, want: FileStanding) -> &Self {
        assert_eq!(self.app().standing_of(&self.app().project_file().unwrap()), want);
        self
    }

    fn accept(&self) -> &Self {
        let app = self.app();
        app.accept(&app.project_file().unwrap()).unwrap();
        self
    }
}

const AGENT: &str = "[run]\nagent_cmd = \"./agent.sh\"\n";

#[test]
fn a_changed_setting_asks_again_and_a_comment_or_another_order_does_not() {
    let stage = TrustStage::new(AGENT);
    stage.stands(FileStanding::New).accept().stands(FileStanding::Accepted);
    stage.write("# The agent.\nrun.agent_cmd = './agent.sh' # it\n");
    stage.stands(FileStanding::Accepted);
    let row = "[agents.mine]\ntext = { command = [\"evil\"] }\n";
    for changed in [
        "[run]\nagent_cmd = \"./other.sh\"\n",
        &format!("{AGENT}max_iterations = 3\n"),
        &format!("{AGENT}{row}"),
    ] {
        stage.write(changed).stands(FileStanding::Changed);
        assert!(stage.app().layers().is_err(), "{changed}");
    }
    stage.write(AGENT).stands(FileStanding::Accepted);
    stage.app().revoke().unwrap();
    stage.stands(FileStanding::New);
    stage.write("# Nothing.\n").stands(FileStanding::Empty);
}

#[test]
fn a_file_behind_a_link_counts_by_what_it_says() {
    let stage = TrustStage::new(AGENT);
    stage.accept();
    let (link, target) = (stage.0.path().join("project/ralph.toml"), stage.0.path().join("target"));
    fs::rename(&link, &target).unwrap();
    symlink(&target, &link).unwrap();
    stage.stands(FileStanding::Accepted);
    fs::write(&target, "[run]\nagent_cmd = \"evil\"\n").unwrap();
    stage.stands(FileStanding::Changed);
}

#[test]
fn what_was_read_for_the_question_counts_and_not_what_is_there_afterwards() {
    let stage = TrustStage::new(AGENT);
    for accept in [App::accept_once, |app: &App, file: &ProjectFile| app.accept(file).unwrap()] {
        let app = stage.write(AGENT).app();
        let shown = app.project_file().unwrap();
        stage.write("[run]\nagent_cmd = \"evil\"\n");
        accept(&app, &shown);
        assert!(app.layers().is_err());
    }
}

#[test]
fn what_cannot_be_read_is_an_error_and_counts_nothing() {
    let stage = TrustStage::new("\u{feff}[run");
    assert!(stage.app().layers().is_err() && stage.app().counted_layers().is_err());
    for unknown in ["run = 3", "[run]\nno_such_key = 1\n"] {
        let stage = TrustStage::new(unknown);
        assert!(stage.app().layers().is_err(), "{unknown}");
        stage.accept();
        assert!(stage.app().counted_layers().is_err(), "{unknown}");
    }
    let stage = TrustStage::new("");
    let path = stage.0.path().join("project/ralph.toml");
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(stage.app().layers().is_err());
    // A mark of the order of bytes changes nothing in what the file says.
    let stage = TrustStage::new(AGENT);
    stage.accept().write(&format!("\u{feff}{AGENT}"));
    assert!(stage.app().project_file().is_err() || stage.app().layers().is_ok());
}

#[test]
fn a_folder_of_the_user_is_trusted_by_its_real_path() {
    let stage = TrustStage::new(AGENT);
    let folder = |path: &str| [(FOLDERS, stage.0.path().join(path).into_os_string())];
    symlink(stage.0.path().join("project"), stage.0.path().join("link")).unwrap();
    for (path, counts) in [("project", true), ("", true), ("link", true), ("proj", false)] {
        assert_eq!(stage.app_with(&folder(path)).layers().is_ok(), counts, "{path}");
    }
    for relative in ["", ".", "..", "project"] {
        let app = stage.app_with(&[(FOLDERS, OsString::from(relative))]);
        assert!(app.layers().is_err(), "{relative}");
    }
}

#[test]
fn a_run_keeps_what_the_user_accepted_and_not_what_a_variable_said() {
    let stage = TrustStage::new(AGENT);
    let run: RunId = "run-12345678".parse().unwrap();
    let kept = |app: &App| {
        app.note_accepted(&run);
        settings_copy::accepted(&app.run_folder(&run)).unwrap()
    };
    assert_eq!(kept(&stage.app_with(&[(FOLDERS, OsString::from("/"))])), "");
    assert_ne!(kept(&stage.accept().app()), "");
}

#[test]
fn without_a_home_nothing_is_accepted_for_good() {
    let stage = TrustStage::new(AGENT);
    let app = App::at(&stage.0.path().join("project"), BTreeMap::new()).unwrap();
    let file = app.project_file().unwrap();
    assert!(app.accept(&file).is_err() && app.layers().is_err());
    app.accept_once(&file);
    assert!(app.layers().is_ok());
}

#[test]
fn a_value_can_neither_end_its_line_nor_hide_what_follows() {
    let tricks =
        "[run]\nagent_cmd = [\"a\\nrun.promise = \\\"DONE\\\"\", \"\\u001b[2Kb\\u202ec\"]\n";
    let lines = TrustStage::new(tricks).app().project_file().unwrap().lines();
    let want = r#"run.agent_cmd = ["a\nrun.promise = \"DONE\"","\u001b[2Kb\u{202e}c"]"#;
    assert_eq!(lines, [want]);
}
