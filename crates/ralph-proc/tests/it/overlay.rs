//! Programs that see other files than those on disk.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use ralph_proc::{ExitReason, FileOverlay, OverlayContent, OverlayFile, OverlayMethod, Supervisor};
use tempfile::TempDir;

use crate::stage::{NO_LIMITS, Seen, sh, supervisor};

const WAYS: [OverlayMethod; 2] = [OverlayMethod::Layers, OverlayMethod::Copy];

/// A folder with files.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = Self { folder };
        let root = project.folder.path().join(name);
        fs::create_dir(&root).unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        project
    }

    fn root(&self) -> PathBuf {
        fs::read_dir(self.folder.path()).unwrap().next().unwrap().unwrap().path()
    }

    fn overlay(&self, files: &[(&str, Option<&str>)]) -> FileOverlay {
        let seen = |text: Option<&str>| match text {
            Some(text) => OverlayContent::File(text.as_bytes().to_vec()),
            None => OverlayContent::Nothing,
        };
        let file = |(path, text): &(&str, Option<&str>)| OverlayFile {
            path: path.into(),
            seen: seen(*text),
        };
        FileOverlay {
            root: self.root(),
            files: files.iter().map(file).collect(),
            ..FileOverlay::default()
        }
    }

    /// Returns the output of a script in the overlay, and its ending.
    fn run(&self, overlay: &FileOverlay, way: OverlayMethod, script: &str) -> (String, ExitReason) {
        let launch = ralph_proc::ProgramLaunch { dir: self.root(), ..sh(script) };
        let mut seen = Seen::default();
        let supervisor = supervisor().with_overlay(overlay.clone(), way);
        let outcome = supervisor.run(&launch, &NO_LIMITS, &mut seen).unwrap();
        (seen.stdout, outcome.ending)
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_program_sees_the_other_files_at_the_same_path_and_leaves_no_trace() {
    let project = Project::new(
        "a,b:c d",
        &[("src/a.txt", "new"), ("tests/t.txt", "new"), ("tests/added.txt", "x")],
    );
    let overlay = project.overlay(&[
        ("tests/t.txt", Some("old\n")),
        ("tests/added.txt", None),
        ("gone/deep/g.txt", Some("old\n")),
    ]);
    for way in WAYS {
        let (printed, ending) = project.run(
            &overlay,
            way,
            "cat src/a.txt tests/t.txt gone/deep/g.txt; ls tests; pwd
             mkdir built && mv built built2 && echo x > built2/y && mv gone gone2 && rm src/a.txt
             exit 7",
        );
        let root = project.root();
        assert_eq!(printed, format!("newold\nold\nt.txt\n{}\n", root.display()), "{way:?}");
        assert_eq!(ending, ExitReason::Exited(7));
        let mut names: Vec<_> =
            fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["src", "tests"], "{way:?}");
        assert_eq!(read(&root.join("src/a.txt")), "new");
        assert_eq!(read(&root.join("tests/t.txt")), "new");
    }
}

#[test]
fn a_program_cannot_take_the_overlay_away() {
    let project = Project::new("p", &[("t.txt", "new\n")]);
    let overlay = project.overlay(&[("t.txt", Some("old\n"))]);
    for way in WAYS {
        let (printed, _) = project.run(
            &overlay,
            way,
            "cd /; umount -l \"$OLDPWD\" 2>/dev/null; cat \"$OLDPWD/t.txt\"; id -u",
        );
        let user = own_user();
        assert_eq!(printed, format!("old\n{user}\n"), "{way:?}");
    }
}

fn own_user() -> String {
    let output = std::process::Command::new("id").arg("-u").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn what_is_written_to_other_folders_does_not_last() {
    let project = Project::new("p", &[("t.txt", "new\n")]);
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("HEAD"), "1").unwrap();
    let overlay = FileOverlay { others: vec![other.path().to_owned()], ..project.overlay(&[]) };
    for way in WAYS {
        let script = format!("echo 2 > {}/HEAD", other.path().display());
        project.run(&overlay, way, &script);
        assert_eq!(read(&other.path().join("HEAD")), "1", "{way:?}");
    }
}

#[test]
fn installed_packages_are_seen_as_they_are_and_never_written() {
    let project =
        Project::new("p", &[("node_modules/a/i.js", "a\n"), (".env", "b\n"), ("s", "c\n")]);
    let overlay = FileOverlay {
        fixed: vec!["node_modules".into(), ".env".into()],
        ..project.overlay(&[("s", Some("old\n"))])
    };
    for way in WAYS {
        let (printed, _) = project.run(
            &overlay,
            way,
            "cat node_modules/a/i.js .env s; echo x > node_modules/a/i.js",
        );
        assert_eq!(printed, "a\nb\nold\n", "{way:?}");
        assert_eq!(read(&project.root().join("node_modules/a/i.js")), "a\n", "{way:?}");
    }
}

#[test]
fn a_probe_tells_whether_it_is_possible() {
    let project = Project::new("p", &[("t.txt", "new\n")]);
    for way in WAYS {
        let overlaid = |supervisor: Supervisor| supervisor.with_overlay(project.overlay(&[]), way);
        assert_eq!(overlaid(supervisor()).probe_overlay(), Ok(()), "{way:?}");
        assert!(overlaid(Supervisor::new("/no/such/ralph", [])).probe_overlay().is_err());
    }
}

#[test]
fn a_link_in_the_way_is_replaced_and_what_it_points_to_stays() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x"), "mine\n").unwrap();
    for way in WAYS {
        let project = Project::new("p", &[("a", "1")]);
        std::os::unix::fs::symlink(outside.path().join("x"), project.root().join("conftest.py"))
            .unwrap();
        std::os::unix::fs::symlink(outside.path(), project.root().join("tests")).unwrap();
        let files = [("conftest.py", Some("old\n")), ("tests/t", Some("test\n"))];
        let script = "cat conftest.py tests/t";
        let (printed, _) = project.run(&project.overlay(&files), way, script);
        assert_eq!(printed, "old\ntest\n", "{way:?}");
        assert_eq!(read(&outside.path().join("x")), "mine\n", "{way:?}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{way:?}");
    }
}

#[test]
fn what_was_compiled_is_hidden_in_a_copy_too() {
    let project = Project::new("p", &[("a/__pycache__/m.pyc", "x"), ("target/out", "y")]);
    let overlay = FileOverlay {
        fixed: vec!["a/__pycache__".into(), "target".into()],
        ..project.overlay(&[("a/__pycache__", None)])
    };
    let script = "ls a; echo x > target/new && echo written";
    let (printed, _) = project.run(&overlay, OverlayMethod::Copy, script);
    assert_eq!(printed, "written\n");
    assert!(!project.root().join("target/new").exists());
}
