use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::channel;

use super::*;

/// A project with these files, all of them programs, and a folder of tools.
struct QuickCheckFixture {
    folder: tempfile::TempDir,
}

impl QuickCheckFixture {
    fn new(files: &[&str]) -> Self {
        let stage = Self { folder: tempfile::tempdir().unwrap() };
        for name in files {
            let path = stage.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        stage
    }

    fn sight(&self, file: &str) -> FileCheckers {
        let path = self.folder.path().join("bin").into_os_string();
        FileCheckers::new(&self.folder.path().join("project"), Path::new(file), Some(&path))
    }

    fn means(&self) -> QuickCheckContext {
        QuickCheckContext {
            supervisor: Supervisor::new(self.folder.path().join("nothing"), []),
            env: Vec::new(),
            pack: Arc::new(RulePack::builtin()),
            until: Instant::now(),
        }
    }

    #[track_caller]
    fn check(&self, file: &str, want: &[&str]) {
        assert_eq!(self.sight(file).tools(&self.means()), want, "{file}");
    }
}

#[test]
fn a_file_that_nobody_knows_anything_about_is_told_by_its_name() {
    let stage = QuickCheckFixture::new(&["bin/ruff", "bin/shellcheck", "bin/clangd"]);
    for file in ["README", "a.txt", "docs/b.md", "node_modules/x/a.js", ".venv/lib/a.py"] {
        assert!(stage.sight(file).is_empty(), "{file}");
    }
    let served = stage.sight("a.c");
    assert!(served.has_server() && !served.is_empty());
    assert!(QuickCheckFixture::new(&[]).sight("a.sh").is_empty());
    assert!(!QuickCheckFixture::new(&[]).sight("a.py").is_empty(), "rules need no program");
}

#[test]
fn linters_are_asked_where_they_are_installed_and_wanted() {
    let stage = QuickCheckFixture::new(&[
        "bin/ruff",
        "bin/shellcheck",
        "bin/biome",
        "bin/oxlint",
        "bin/eslint",
        "project/web/eslint.config.mjs",
        "project/app/node_modules/.bin/oxlint",
    ]);
    stage.check("a.py", &[TOOL, "ruff"]);
    stage.check("deploy.sh", &["shellcheck"]);
    stage.check("a.js", &[TOOL]);
    stage.check("web/src/a.ts", &[TOOL, "eslint"]);
    stage.check("app/a.js", &[TOOL, "oxlint"]);
    stage.check("a.go", &[TOOL]);
}

#[test]
fn rules_tell_what_was_there_before_from_what_is_new() {
    let stage = QuickCheckFixture::new(&["project/a.py"]);
    let root = stage.folder.path().join("project");
    fs::write(root.join("a.py"), "def f(x):\n    eval(x)\n\ndef g(x):\n    eval(x)\n").unwrap();
    let fresh = |start: &StartContents| {
        let mut jobs = stage.sight("a.py").jobs(&stage.means(), start);
        let said = jobs.remove(0)().unwrap();
        ralph_core::look::KnownFindings::default().take(vec![said]).len()
    };
    assert_eq!(fresh(&StartContents::Absent), 2);
    assert_eq!(fresh(&StartContents::Unknown), 2);
    let before = b"import os\ndef f(x):\n    eval(x)\n".to_vec();
    assert_eq!(fresh(&StartContents::Text(Arc::new(before))), 1);
}

#[test]
fn what_does_not_answer_in_time_is_left_out() {
    let (_never, waiting) = channel::<u32>();
    let jobs: Vec<BackgroundJob<u32>> =
        vec![Box::new(|| 1), Box::new(move || waiting.recv().unwrap_or(2)), Box::new(|| 3)];
    let mut answers = in_time(jobs, Duration::from_secs(1));
    answers.sort_unstable();
    assert_eq!(answers, [1, 3]);
    assert!(in_time::<u32>(Vec::new(), Duration::MAX).is_empty());
}
