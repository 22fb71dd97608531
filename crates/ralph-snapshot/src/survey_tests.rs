use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use ralph_core::TreeId;

use super::*;
use crate::file_system;
use crate::probe;
use crate::project::ProjectLocation;
use crate::scratch::ScratchTree;
use crate::work_handle::WorkHandle;
use crate::work_tree::WorkTree;

/// More than this many bytes are too large.
const LIMIT: u64 = 40;

/// Lets the clock of the file system go on until what is there counts as at
/// rest.
fn let_rest(scratch: &ScratchTree) {
    let dir = scratch.root.parent().unwrap();
    let start = probe::now_in(dir).unwrap();
    while probe::now_in(dir).unwrap() <= start + Duration::from_millis(15) {
        std::thread::yield_now();
    }
}

fn open(scratch: &ScratchTree, state: &Path) -> WorkTree {
    let project = ProjectLocation::discover(&scratch.root).unwrap();
    let mut work_tree = WorkTree::open(&project, state).unwrap();
    work_tree.limit_size(LIMIT);
    work_tree.include_ignored(["c/x.log"]);
    work_tree
}

fn tree_anew(scratch: &ScratchTree) -> TreeId {
    let state = tempfile::tempdir().unwrap();
    open(scratch, state.path()).tree().unwrap()
}

/// Brings `layout` up to date at a time when all is at rest.
fn update(scratch: &ScratchTree, layout: &mut FolderLayout) -> ScanNews {
    let time = probe::now_in(scratch.root.parent().unwrap()).unwrap();
    let clock = file_system::clock_of([&scratch.root, &scratch.root]);
    let (root, scope, known) = (&*scratch.root, &TreeScope::new(None), &TreeManifest::default());
    let now = ScanStart { time, clock };
    let handle = &WorkHandle::default();
    TreeSurvey { root, scope, known, now, handle }.update(layout)
}

fn paths(layout: &FolderLayout) -> Vec<String> {
    let mut found: Vec<_> =
        layout.files().map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect();
    found.sort();
    found
}

#[test]
fn folders_at_rest_are_not_read_and_files_at_rest_not_looked_into() {
    let scratch = ScratchTree::plain();
    for path in ["x", "a/x", "a/y", "b/x"] {
        scratch.write(path, path);
    }
    let_rest(&scratch);
    if file_system::clock_of([&scratch.root, &scratch.root]) == FileClock::Unknown {
        return;
    }
    let mut layout = FolderLayout::default();
    assert_eq!(update(&scratch, &mut layout), ScanNews::Some);
    assert_eq!(update(&scratch, &mut layout), ScanNews::None);
    // Files removed from the layout stay unknown until the folder changes.
    for folder in &mut layout.folders {
        folder.files.retain(|file| !file.path.ends_with(b"/x"));
    }
    assert_eq!(update(&scratch, &mut layout), ScanNews::None);
    assert_eq!(paths(&layout), ["a/y", "x"]);
    scratch.write("b/new", "");
    assert_eq!(update(&scratch, &mut layout), ScanNews::Some);
    assert_eq!(paths(&layout), ["a/y", "b/new", "b/x", "x"]);
}

#[test]
fn rules_that_hide_themselves_or_come_from_elsewhere_are_heeded() {
    let scratch = ScratchTree::plain();
    let elsewhere = scratch.root.parent().unwrap().join("rules");
    for path in ["a/x", "a/y", "b/x", "c/x"] {
        scratch.write(path, "");
    }
    scratch.write("a/.gitignore", ".gitignore\nx\n");
    scratch.link("b/.ignore", "../../rules");
    scratch.write("c/.git/info/other", "");
    let mut layout = FolderLayout::default();
    let_rest(&scratch);
    update(&scratch, &mut layout);
    assert_eq!(paths(&layout), ["a/y", "b/.ignore", "b/x", "c/x"]);
    let_rest(&scratch);
    scratch.write("a/.gitignore", ".gitignore\ny\n");
    update(&scratch, &mut layout);
    assert_eq!(paths(&layout), ["a/x", "b/.ignore", "b/x", "c/x"]);
    let_rest(&scratch);
    fs::write(elsewhere, "x\n").unwrap();
    scratch.write("c/.git/info/exclude", "x\n");
    update(&scratch, &mut layout);
    assert_eq!(paths(&layout), ["a/x", "b/.ignore"]);
}

#[test]
fn a_folder_behind_a_link_is_not_taken_for_the_one_that_was_there() {
    let scratch = ScratchTree::plain();
    scratch.write("a/deep/x", "");
    let_rest(&scratch);
    let mut layout = FolderLayout::default();
    update(&scratch, &mut layout);
    fs::rename(scratch.path("a"), scratch.path("b")).unwrap();
    scratch.link("a", "b");
    update(&scratch, &mut layout);
    assert_eq!(paths(&layout), ["a", "b/deep/x"]);
}

/// One thing done to a work tree. It may well be impossible; then nothing
/// happens.
#[derive(Clone, Debug)]
enum SurveyStep {
    Write(PathBuf, String),
    /// Other contents, but the size and the modification time of before.
    Disguise(PathBuf),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    SetMode(PathBuf, u32),
    Ignore(PathBuf, &'static str, &'static str),
    Rest,
}

fn path() -> impl Strategy<Value = PathBuf> {
    let folder = prop::sample::select(vec!["", "a", "a/b", "a/b/c", "c", "c/b"]);
    let name = prop::sample::select(vec!["x", "y", "b", "c", "x.log"]);
    (folder, name).prop_map(|(folder, name)| Path::new(folder).join(name))
}

fn step() -> impl Strategy<Value = SurveyStep> {
    let folder = prop::sample::select(vec!["", "a", "a/b", "c"]).prop_map(PathBuf::from);
    let file = prop::sample::select(vec![".gitignore", ".ignore", ".git/info/exclude"]);
    let rule = prop::sample::select(vec!["x\n", "*.log\n", "b/\n", "*\n", "!x\n", "/c\n", ""]);
    prop_oneof![
        4 => (path(), "[a-z]{0,9}").prop_map(|(path, text)| SurveyStep::Write(path, text)),
        1 => path().prop_map(|path| SurveyStep::Write(path, "large".repeat(20))),
        2 => path().prop_map(SurveyStep::Disguise),
        2 => path().prop_map(SurveyStep::Remove),
        2 => (path(), path()).prop_map(|(from, to)| SurveyStep::Rename(from, to)),
        1 => (path(), path()).prop_map(|(path, target)| SurveyStep::Link(path, target)),
        1 => (path(), prop::sample::select(vec![0o644, 0o755]))
            .prop_map(|(path, mode)| SurveyStep::SetMode(path, mode)),
        2 => (folder, file, rule)
            .prop_map(|(folder, file, rule)| SurveyStep::Ignore(folder, file, rule)),
        3 => Just(SurveyStep::Rest),
    ]
}

/// Nothing comes of a step that is impossible.
fn take(scratch: &ScratchTree, step: &SurveyStep) -> Option<()> {
    let on_disk = |path: &Path| scratch.path(path);
    match step {
        SurveyStep::Write(path, text) => {
            fs::create_dir_all(on_disk(path).parent()?).ok()?;
            fs::write(on_disk(path), text).ok()
        }
        SurveyStep::Disguise(path) => {
            let path = on_disk(path);
            let (bytes, time) = (fs::read(&path).ok()?, fs::metadata(&path).ok()?.modified().ok()?);
            fs::write(&path, bytes.iter().map(|byte| byte ^ 1).collect::<Vec<_>>()).ok()?;
            File::options().append(true).open(&path).ok()?.set_modified(time).ok()
        }
        SurveyStep::Remove(path) => {
            let path = on_disk(path);
            fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).ok()
        }
        SurveyStep::Rename(from, to) => fs::rename(on_disk(from), on_disk(to)).ok(),
        SurveyStep::Link(path, target) => {
            let path = on_disk(path);
            // A folder goes on elsewhere, so that the link may lead to it.
            fs::remove_file(&path).or_else(|_| fs::rename(&path, on_disk(target))).ok()?;
            std::os::unix::fs::symlink(on_disk(target), path).ok()
        }
        SurveyStep::SetMode(path, mode) => {
            use std::os::unix::fs::PermissionsExt;
            let path = on_disk(path);
            fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            fs::set_permissions(path, fs::Permissions::from_mode(*mode)).ok()
        }
        SurveyStep::Ignore(folder, file, rule) => {
            // A repository at the root would no longer be read file by file.
            let folder = if file.starts_with(".git/") { Path::new("a") } else { folder };
            take(scratch, &SurveyStep::Write(folder.join(file), (*rule).to_owned()))
        }
        SurveyStep::Rest => {
            let_rest(scratch);
            Some(())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn what_is_remembered_never_shows(steps in prop::collection::vec(step(), 1..12)) {
        let scratch = ScratchTree::plain();
        for path in ["x", "a/x", "a/b/x", "a/b/c/y", "c/x.log", "c/b/y"] {
            scratch.write(path, path);
        }
        let_rest(&scratch);
        let stays = open(&scratch, &scratch.state());
        let first = stays.tree().unwrap();
        prop_assert_eq!(first, tree_anew(&scratch));
        for step in &steps {
            take(&scratch, step);
            let found = stays.tree().unwrap();
            prop_assert_eq!(&found, &tree_anew(&scratch), "{:?}", step);
            prop_assert_eq!(&found, &open(&scratch, &scratch.state()).tree().unwrap());
        }
    }
}
