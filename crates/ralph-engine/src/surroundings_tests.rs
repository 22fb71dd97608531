use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

/// A project below a folder of the user's, a home, and two folders on the
/// `PATH`, of which the first is empty.
struct OutsideScene {
    top: TempDir,
    env: Vec<(OsString, OsString)>,
}

impl OutsideScene {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for folder in ["code/project", "home", "early", "late"] {
            fs::create_dir_all(top.path().join(folder)).unwrap();
        }
        let path = env::join_paths(["early", "late"].map(|name| top.path().join(name))).unwrap();
        let home = top.path().join("home").into_os_string();
        let env = vec![("PATH".into(), path), ("HOME".into(), home)];
        let scene = Self { top, env };
        scene.write("late/grep");
        scene.write("late/sed");
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    fn write(&self, path: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Returns the places of the findings for the change that `work` makes.
fn told(before: impl FnOnce(&OutsideScene), work: impl FnOnce(&OutsideScene)) -> Vec<String> {
    let scene = OutsideScene::new();
    before(&scene);
    scene.write("late/sed");
    let root = fs::canonicalize(scene.path("code/project")).unwrap();
    let places = ProgramPlaces { root: &root, env: &scene.env };
    // Existing files are older than this moment.
    let at = changed_millis(&fs::metadata(scene.path("late/sed")).unwrap()) + 1;
    let then = GateSurroundings::now(&places, Timestamp::from_millis(at));
    let then: GateSurroundings =
        serde_json::from_slice(&serde_json::to_vec(&then).unwrap()).unwrap();
    work(&scene);
    let found = then.differing(&places, Locale::En);
    let top = format!("{}/", scene.top.path().display());
    found.iter().map(|one| one.place.replace(&top, "")).collect()
}

fn changed_millis(file: &fs::Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    file.ctime() * 1_000 + file.ctime_nsec() / 1_000_000
}

#[test]
fn settings_of_runners_outside_the_project_are_told_when_they_change() {
    for path in ["code/pytest.ini", "code/.cargo/config.toml", "home/.npmrc", "home/.profile"] {
        assert_eq!(told(|_| {}, |scene| scene.write(path)), [path]);
        let removed = told(
            |scene| scene.write(path),
            |scene| {
                fs::remove_file(scene.path(path)).unwrap();
            },
        );
        assert_eq!(removed, [path]);
        assert!(told(|scene| scene.write(path), |scene| scene.write(path)).is_empty());
    }
    for path in ["code/project/pytest.ini", "code/notes.txt", "home/.bashrc", "home/package.json"] {
        assert!(told(|_| {}, |scene| scene.write(path)).is_empty(), "{path}");
    }
}

#[test]
fn a_program_before_another_of_its_name_is_told() {
    assert_eq!(told(|_| {}, |scene| scene.write("early/grep")), ["early/grep"]);
    assert!(told(|_| {}, |scene| scene.write("early/own")).is_empty());
    assert!(told(|scene| scene.write("early/grep"), |_| {}).is_empty());
}

#[test]
fn a_link_to_an_old_program_takes_its_place_too() {
    let found = told(
        |_| {},
        |scene| {
            // Until the clock of the file system moves on it is unknown.
            let link = scene.path("late/grep");
            let before = changed_millis(&fs::metadata(scene.path("late/sed")).unwrap());
            loop {
                let _ = fs::remove_file(&link);
                symlink("/bin/true", &link).unwrap();
                if changed_millis(&fs::symlink_metadata(&link).unwrap()) > before + 1 {
                    break;
                }
            }
        },
    );
    assert_eq!(found, ["late/grep"]);
}

#[test]
fn a_link_to_a_folder_on_the_path_is_no_program() {
    let found = told(
        |scene| symlink(".", scene.path("late/X11")).unwrap(),
        |scene| {
            let before = changed_millis(&fs::metadata(scene.path("late/sed")).unwrap());
            let folder = scene.path("late");
            // Every new file changes the folder.
            while changed_millis(&fs::metadata(&folder).unwrap()) <= before + 1 {
                scene.write("late/new");
                fs::remove_file(scene.path("late/new")).unwrap();
            }
        },
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_yarn_notes_for_itself_is_no_setting() {
    let note = |scene: &OutsideScene, text: &str| {
        fs::write(scene.path("home/.yarnrc"), format!("# made by yarn\n\n{text}\n")).unwrap();
    };
    assert!(told(|_| {}, |scene| note(scene, "lastUpdateCheck 17")).is_empty());
    assert_eq!(told(|_| {}, |scene| note(scene, "yarn-path evil.js")), ["home/.yarnrc"]);
}

#[test]
fn what_changed_while_the_run_rested_is_the_users() {
    let scene = OutsideScene::new();
    let root = fs::canonicalize(scene.path("code/project")).unwrap();
    let places = ProgramPlaces { root: &root, env: &scene.env };
    let found = |from: i64, to: i64| {
        let mut then = GateSurroundings::now(&places, Timestamp::from_millis(1));
        then.settings.clear();
        then.add_rest(Timestamp::from_millis(from), Timestamp::from_millis(to));
        then.differing(&places, Locale::En).len()
    };
    scene.write("code/pytest.ini");
    let changed = changed_millis(&fs::metadata(scene.path("code/pytest.ini")).unwrap());
    let programs = 2;
    assert_eq!(found(1, changed + 1), 0);
    assert_eq!(found(changed + 1, changed + 2), 0, "clocks of files move in ticks");
    assert_eq!(found(changed + 50, changed + 60), 1 + programs);
    assert_eq!(found(1, 2), 1 + programs);
}
