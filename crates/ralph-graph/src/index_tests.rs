use std::fs;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;
use crate::ask::symbols::SymbolQuery;
use crate::freshness::FreshnessState;
use crate::scratch::{LATER, ScratchCodebase};

const GOOD: &str =
    "class Store:\n    def save(self):\n        pass\n\n    def load(self):\n        pass\n";

/// Code that breaks off before `load`.
const BROKEN: &str = "class Store:\n    def save(self:\n        pass)(\n";

fn names(index: &mut Index) -> Vec<String> {
    let code = index.code(LATER).unwrap();
    let query = SymbolQuery { limit: 1000, ..SymbolQuery::default() };
    let found = code.symbols(&query).symbols;
    found.into_iter().map(|symbol| format!("{}:{}", symbol.path, symbol.full_name)).collect()
}

fn update(index: &mut Index, now: i64) -> UpdateSummary {
    index.update(now, &mut |_| {}).unwrap()
}

#[test]
fn only_what_changed_is_read_again() {
    let scratch =
        ScratchCodebase::new(&[("a.py", GOOD), ("b/c.py", "x = 1\n"), ("notes.txt", "x")]);
    let mut index = scratch.index();
    assert_eq!(names(&mut index).len(), 4);
    let mut again = Index::open(&scratch.root(), &scratch.state()).unwrap();
    assert_eq!(update(&mut again, LATER), UpdateSummary::default());
    scratch.write("b/c.py", "changed = 1\n");
    assert_eq!(update(&mut again, LATER), UpdateSummary { read: 1, parsed: 1, removed: 0 });
    assert!(names(&mut again).contains(&"b/c.py:changed".to_owned()));
}

#[test]
fn a_file_that_may_have_changed_within_its_tick_is_read_again_but_not_parsed() {
    let scratch = ScratchCodebase::new(&[("a.py", GOOD)]);
    let mut index = Index::open(&scratch.root(), &scratch.state()).unwrap();
    // No stamp can be relied on at this time.
    assert_eq!(update(&mut index, 0), UpdateSummary { read: 1, parsed: 1, removed: 0 });
    assert_eq!(update(&mut index, LATER), UpdateSummary { read: 1, parsed: 0, removed: 0 });
    assert_eq!(update(&mut index, LATER), UpdateSummary::default());
}

#[test]
fn contents_that_come_back_are_not_parsed_again() {
    let scratch = ScratchCodebase::new(&[("a.py", GOOD)]);
    let mut index = scratch.index();
    scratch.write("a.py", "x = 1\n");
    assert_eq!(update(&mut index, LATER).parsed, 1);
    scratch.write("a.py", GOOD);
    assert_eq!(update(&mut index, LATER), UpdateSummary { read: 1, parsed: 0, removed: 0 });
    assert!(names(&mut index).contains(&"a.py:Store.load".to_owned()));
}

#[test]
fn a_file_that_is_gone_is_forgotten_with_all_that_was_in_it() {
    let scratch =
        ScratchCodebase::new(&[("a.py", GOOD), ("b/c.py", "x = 1\n"), ("b/d/e.py", "y = 1\n")]);
    let mut index = scratch.index();
    fs::remove_dir_all(scratch.path("b")).unwrap();
    scratch.remove("a.py");
    // The folder changed within the tick in which it was read.
    index.folders.values_mut().for_each(|folder| folder.stamp = None);
    assert_eq!(update(&mut index, LATER).removed, 3);
    assert_eq!(names(&mut index), Vec::<String>::new());
    assert_eq!(index.freshness().state(), FreshnessState::Unknown);
}

#[test]
fn ignored_files_are_not_read_and_new_rules_are_noticed() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("out/b.py", "y = 1\n")]);
    scratch.write("node_modules/c.js", "z = 1\n");
    scratch.write(".gitignore", "nothing\n");
    let mut index = scratch.index();
    assert_eq!(names(&mut index), ["a.py:x", "out/b.py:y"]);
    scratch.write(".gitignore", "out/\n");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x"]);
    scratch.write(".gitignore", "# none\n\n");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x", "out/b.py:y"]);
}

#[test]
fn new_rules_in_one_folder_hide_no_change_in_another() {
    let scratch = ScratchCodebase::new(&[("a/m.py", "old = 1\n"), ("a/b/x.py", "x = 1\n")]);
    let mut index = scratch.index();
    update(&mut index, LATER);
    scratch.write("a/new.py", "added = 1\n");
    scratch.write("a/m.py", "rewritten = 1\n");
    scratch.write("a/b/.gitignore", "*.log\n");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a/b/x.py:x", "a/m.py:rewritten", "a/new.py:added"]);
}

#[test]
fn changes_in_many_folders_at_once_are_found_like_those_in_few() {
    let scratch = ScratchCodebase::new(&[("p/a.py", "x = 1\n")]);
    let write = |folders: std::ops::Range<usize>, name: &str| {
        for number in folders {
            scratch.write(&format!("p/f{number}/g/{name}"), format!("x{number} = 1\n"));
        }
    };
    write(0..50, "old.py");
    let mut index = scratch.index();
    // Only new folders, then new files in old ones, then both and fewer.
    for (folders, name) in [(50..100, "new.py"), (0..60, "more.py"), (90..120, "last.py")] {
        write(folders, name);
        scratch.remove("p/a.py");
        scratch.write("p/a.py", format!("{name:?}\ny = 1\n"));
        update(&mut index, LATER);
        let mut fresh = Index::fleeting(&scratch.root()).unwrap();
        update(&mut fresh, LATER);
        assert_eq!(index.states(), fresh.states(), "{name}");
        assert_eq!(names(&mut index), names(&mut fresh), "{name}");
    }
}

#[test]
fn a_file_that_is_broken_is_known_as_it_was_and_said_to_be_stale() {
    let scratch = ScratchCodebase::new(&[("a.py", GOOD)]);
    let mut index = scratch.index();
    scratch.write("a.py", BROKEN);
    update(&mut index, LATER);
    assert!(names(&mut index).contains(&"a.py:Store.load".to_owned()));
    let freshness = index.freshness();
    assert_eq!(freshness.state(), FreshnessState::Stale);
    assert!(freshness.stale[0].why.contains("as it was before"), "{freshness:?}");
    scratch.write("a.py", "class Shop:\n    pass\n");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:Shop"]);
    assert_eq!(index.freshness().state(), FreshnessState::Fresh);
}

#[test]
fn a_manifest_that_is_broken_counts_as_it_was_and_is_no_code() {
    let scratch = ScratchCodebase::new(&[("tsconfig.json", "{}")]);
    let mut index = scratch.index();
    assert_eq!(index.freshness().state(), FreshnessState::Unknown);
    scratch.write("tsconfig.json", r#"{"compilerOptions":{"paths":{"@/*":["src/*"]}}}"#);
    scratch.write("src/help.ts", "export function help() {}\n");
    scratch.write("main.ts", "import { help } from '@/help';\nexport function go() { help(); }\n");
    let calls = |index: &mut Index| {
        let code = index.code(LATER).unwrap();
        let crate::ask::name::NameLookup::One(callers) = code.callers("help") else { return 0 };
        callers.callers.len()
    };
    update(&mut index, LATER);
    assert_eq!(calls(&mut index), 1);
    scratch.write("tsconfig.json", "{\n\"compilerOptions\":{\"pa");
    update(&mut index, LATER);
    assert_eq!(calls(&mut index), 1);
    assert_eq!(index.freshness().state(), FreshnessState::Stale);
    assert_eq!(index.freshness().stale[0].path, "tsconfig.json");
}

#[test]
fn a_file_that_was_never_whole_is_known_in_part() {
    let scratch = ScratchCodebase::new(&[("a.py", BROKEN)]);
    let index = scratch.index();
    assert_eq!(index.freshness().state(), FreshnessState::Partial);
}

#[test]
fn an_error_that_hides_nothing_keeps_nothing_old() {
    let scratch = ScratchCodebase::new(&[("a.py", "def f():\n    pass\n")]);
    let mut index = scratch.index();
    scratch.write("a.py", "def f():\n    pass\n\ndef g():\n    pass\n\nx = = 1\n");
    update(&mut index, LATER);
    assert!(names(&mut index).contains(&"a.py:g".to_owned()));
    assert_eq!(index.freshness().state(), FreshnessState::Partial);
}

#[test]
fn what_is_left_out_is_said() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n")]);
    scratch.write("large.py", "x = 1\n".repeat(200_000));
    scratch.write("made.py", "# @generated by a tool\nx = 1\n");
    scratch.write("bytes.py", [0, 159, 146, 150]);
    std::os::unix::fs::symlink(".", scratch.path("loop")).unwrap();
    std::os::unix::fs::symlink("a.py", scratch.path("link.py")).unwrap();
    let index = scratch.index();
    let freshness = index.freshness();
    let skipped: Vec<&str> = freshness.skipped.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(skipped, ["bytes.py", "large.py", "link.py", "loop", "made.py"]);
    assert_eq!((freshness.files, freshness.state()), (1, FreshnessState::Fresh));
}

#[test]
fn a_link_to_a_folder_is_said_to_be_left_out_for_as_long_as_it_is_one() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("words.txt", "x")]);
    fs::create_dir(scratch.path("../elsewhere")).unwrap();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(scratch.path(to), scratch.path(name)).unwrap();
    };
    link("../elsewhere", "lib");
    link("../elsewhere", "node_modules");
    link("words.txt", "words");
    link("nowhere", "gone");
    let mut index = scratch.index();
    let left_out = |index: &Index| -> Vec<String> {
        index.freshness().skipped.iter().map(|it| format!("{}: {}", it.path, it.why)).collect()
    };
    assert_eq!(left_out(&index), ["lib: a symbolic link to a folder"]);
    assert_eq!(update(&mut index, LATER), UpdateSummary::default());
    fs::remove_dir(scratch.path("../elsewhere")).unwrap();
    update(&mut index, LATER);
    assert_eq!(left_out(&index), Vec::<String>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_no_text_are_said_to_be_left_out() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("b/c.py", "y = 1\n")]);
    let path = |name: &[u8]| scratch.root().join(OsStr::from_bytes(name));
    fs::create_dir(path(b"d\xff")).unwrap();
    for name in [b"b/\xff.py".as_slice(), b"b/\xfe.py", b"b/\xff.txt", b"b/\xff", b"d\xff/e.py"] {
        fs::write(path(name), "y = 1\n").unwrap();
    }
    let left_out = |index: &Index| -> Vec<String> {
        index.freshness().skipped.iter().map(|it| format!("{}: {}", it.path, it.why)).collect()
    };
    let why = "its name is not UTF-8";
    let mut want =
        [format!("d\\xFF: {why}"), format!("b/\\xFE.py: {why}"), format!("b/\\xFF.py: {why}")];
    let mut index = scratch.index();
    assert_eq!(left_out(&index), want);
    // Files that are known are not read again.
    assert_eq!(update(&mut index, LATER), UpdateSummary::default());
    assert_eq!(left_out(&index), want);
    fs::rename(path(b"b/\xfe.py"), path(b"b/\xfd.py")).unwrap();
    update(&mut index, LATER);
    want[1] = format!("b/\\xFD.py: {why}");
    assert_eq!(left_out(&index), want);
}

#[test]
fn a_file_that_may_not_be_read_is_said_not_to_be_known() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n")]);
    fs::set_permissions(scratch.path("b.py"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(scratch.path("b.py")).is_ok() {
        // Permissions have no effect for this user.
        return;
    }
    assert_eq!(scratch.index().freshness().partial[0].path, "b.py");
}

#[test]
fn a_folder_that_may_not_be_entered_is_said_not_to_be_known() {
    let files = [("a.py", "x = 1\n"), ("shut/b.py", "y = 1\n"), ("blind/c.py", "z = 1\n")];
    let scratch = ScratchCodebase::new(&files);
    let allow = |path: &str, mode| {
        fs::set_permissions(scratch.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("shut", 0o000);
    allow("blind", 0o444);
    let is_shut = fs::read_dir(scratch.path("shut")).is_err();
    let mut index = scratch.index();
    let missing = |index: &Index| -> Vec<String> {
        index.freshness().partial.iter().map(|it| format!("{}: {}", it.path, it.why)).collect()
    };
    let found = missing(&index);
    update(&mut index, LATER);
    let again = missing(&index);
    allow("shut", 0o755);
    allow("blind", 0o755);
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x", "blind/c.py:z", "shut/b.py:y"]);
    assert_eq!(missing(&index), Vec::<String>::new());
    // Permissions have no effect for some users.
    if is_shut {
        assert_eq!(found, ["blind/c.py: permission denied", "shut/: permission denied"]);
        assert_eq!(again, found);
    }
}

#[test]
fn what_is_no_text_or_too_deep_does_no_harm() {
    let scratch = ScratchCodebase::new(&[]);
    scratch.write("a.py", b"def f():\n    return '\xff\xfe'\n");
    scratch.write("deep.py", format!("x = {}1{}\n", "(".repeat(15_000), ")\n".repeat(15_000)));
    let mut index = scratch.index();
    assert!(names(&mut index).contains(&"a.py:f".to_owned()));
}

#[test]
fn other_repositories_inside_are_not_read_but_submodules_are() {
    let scratch = ScratchCodebase::new(&[
        ("a.py", "x = 1\n"),
        ("other/.git/HEAD", "ref: refs/heads/main\n"),
        ("other/b.py", "y = 1\n"),
        ("tree/.git", "gitdir: /x/.git/worktrees/tree\n"),
        ("tree/c.py", "z = 1\n"),
        ("module/.git", "gitdir: ../.git/modules/module\n"),
        ("module/d.py", "w = 1\n"),
    ]);
    assert_eq!(names(&mut scratch.index()), ["a.py:x", "module/d.py:w"]);
}

#[test]
fn a_folder_that_becomes_another_repository_or_stops_being_one_is_noticed() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("sub/b.py", "y = 1\n")]);
    scratch.write("target/made.py", "z = 1\n");
    let mut index = scratch.index();
    assert_eq!(names(&mut index).len(), 3);
    scratch.write("sub/.git/HEAD", "ref: refs/heads/main\n");
    scratch.write("target/CACHEDIR.TAG", "");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x"]);
    let mut again = scratch.index();
    fs::remove_dir_all(scratch.path("sub/.git")).unwrap();
    update(&mut again, LATER);
    assert_eq!(names(&mut again), ["a.py:x", "sub/b.py:y"]);
}

#[test]
fn rules_of_the_repository_count_when_they_come_and_those_from_above_never() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("out/b.py", "y = 1\n")]);
    scratch.write("../.gitignore", "*\n");
    scratch.write(".git/HEAD", "ref: refs/heads/main\n");
    let mut index = scratch.index();
    assert_eq!(names(&mut index), ["a.py:x", "out/b.py:y"]);
    scratch.write(".git/info/exclude", "out/\n");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x"]);
    scratch.remove(".git/info/exclude");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x", "out/b.py:y"]);
}

#[test]
fn without_a_repository_too_rules_from_above_do_not_count() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("out/b.py", "y = 1\n")]);
    scratch.write("../.gitignore", "out/\n*.py\n");
    scratch.write("../.ignore", "out/\n");
    scratch.write(".gitignore", "made.py\n/top/*.py\n");
    let mut index = scratch.index();
    assert_eq!(names(&mut index), ["a.py:x", "out/b.py:y"]);
    // A folder that is listed alone obeys the rules of the root.
    for path in ["out/made.py", "out/new.py", "out/top/c.py", "top/d.py", "top/in/e.py"] {
        scratch.write(path, "z = 1\n");
    }
    update(&mut index, LATER);
    let want = ["a.py:x", "out/b.py:y", "out/new.py:z", "out/top/c.py:z", "top/in/e.py:z"];
    assert_eq!(names(&mut index), want);
    assert_eq!(names(&mut scratch.index_in(&scratch.path("../other"))), want);
}

#[test]
fn rules_behind_a_link_are_followed() {
    let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n"), ("out/b.py", "y = 1\n")]);
    scratch.write("rules", "# none\n");
    std::os::unix::fs::symlink("rules", scratch.path(".gitignore")).unwrap();
    let mut index = scratch.index();
    assert_eq!(names(&mut index).len(), 2);
    scratch.write("rules", "out/\n");
    update(&mut index, LATER);
    assert_eq!(names(&mut index), ["a.py:x"]);
}

#[test]
fn work_trees_share_what_they_have_in_common() {
    let (one, two) =
        (ScratchCodebase::new(&[("a.py", GOOD)]), ScratchCodebase::new(&[("b.py", GOOD)]));
    let state = one.state();
    drop(one.index_in(&state));
    let mut index = Index::open(&two.root(), &state).unwrap();
    update(&mut index, LATER);
    assert_eq!(index.store.len().unwrap(), 1);
    assert_eq!(names(&mut index)[0], "b.py:Store");
}

#[test]
fn damaged_contents_are_read_again() {
    let scratch = ScratchCodebase::new(&[("a.py", GOOD), ("b.py", "x = 1\n")]);
    let mut index = scratch.index();
    let key = index.states()["a.py"].key().unwrap();
    let damaged = ralph_store::NewFacts { key, outline: vec![0, 255, 255], facts: vec![9] };
    index.store.write("/x", &[damaged], &FolderChanges::default()).unwrap();
    assert_eq!(names(&mut index).len(), 4);
    let outline = index.store.outline(key).unwrap().unwrap();
    let damaged = ralph_store::NewFacts { key, outline, facts: vec![9] };
    index.store.write("/x", &[damaged], &FolderChanges::default()).unwrap();
    let code = index.code(LATER).unwrap();
    assert_eq!(code.freshness().state(), FreshnessState::Fresh);
    assert!(matches!(code.refs("Store"), crate::ask::name::NameLookup::One(_)));
    assert_eq!(code.freshness().state(), FreshnessState::Partial);
    let folders = FolderChanges { put: vec![(String::new(), vec![77])], removed: Vec::new() };
    index.store.write(&index.root.clone(), &[], &folders).unwrap();
    let mut again = scratch.index();
    assert_eq!(names(&mut again).len(), 4);
}

#[test]
fn many_damaged_contents_are_read_again_too() {
    let scratch = ScratchCodebase::new(&[]);
    for number in 0..100 {
        scratch.write(&format!("m{number}.py"), format!("x{number} = 1\n"));
    }
    let mut index = scratch.index();
    let keys = index.store.keys().unwrap();
    let damaged = |key| ralph_store::NewFacts { key, outline: vec![0, 255], facts: vec![9] };
    let damaged: Vec<_> = keys.into_iter().map(damaged).collect();
    index.store.write("/x", &damaged, &FolderChanges::default()).unwrap();
    assert_eq!(names(&mut index).len(), 100);
}

/// Returns the file of the index.
fn database(scratch: &ScratchCodebase) -> PathBuf {
    scratch.state().join(format!("code.{VERSION}.db"))
}

#[test]
fn a_damaged_database_is_made_anew() {
    let scratch = ScratchCodebase::new(&[]);
    for number in 0..100 {
        scratch.write(&format!("m{number}.py"), format!("x{number} = 1\n"));
    }
    scratch.index().store.settle().unwrap();
    let mut bytes = fs::read(database(&scratch)).unwrap();
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    assert!(bytes.len() > 2 * page, "{} {page}", bytes.len());
    for at in (page..bytes.len()).step_by(page) {
        bytes[at..at + 64].fill(0xff);
    }
    fs::write(database(&scratch), &bytes).unwrap();
    assert_eq!(names(&mut scratch.index()).len(), 100);
    // And the index is stored again.
    let mut again = Index::open(&scratch.root(), &scratch.state()).unwrap();
    assert_eq!(update(&mut again, LATER), UpdateSummary::default());
    fs::write(database(&scratch), &bytes).unwrap();
    assert_eq!(again.rebuild(LATER, &mut |_| {}).unwrap().read, 100);
}

#[test]
fn contents_that_nobody_has_are_forgotten_some_day() {
    let scratch = ScratchCodebase::new(&[("a.py", GOOD)]);
    let mut index = scratch.index();
    let old = (0..40).map(|key| ralph_store::NewFacts {
        key,
        outline: vec![],
        facts: vec![1; 1024 * 1024],
    });
    let old: Vec<_> = old.collect();
    let folders = FolderChanges { put: vec![(String::new(), vec![])], removed: Vec::new() };
    index.store.write("/gone", &old, &folders).unwrap();
    scratch.write("a.py", "x = 1\n");
    update(&mut index, LATER);
    assert_eq!(index.store.len().unwrap(), 1);
    assert_eq!(index.store.roots().unwrap().len(), 1);
    assert!(index.store.size().unwrap() < 1024 * 1024);
}

/// One change of a project.
#[derive(Debug, Clone)]
enum ProjectEdit {
    Write(usize, u8),
    Remove(usize),
    Rename(usize, usize),
    RenameFolder(usize, usize),
    Ignore(usize, u8),
    NoRules(usize),
}

const PATHS: [&str; 8] =
    ["a.py", "b.rs", "p/a.py", "p/b.py", "p/q/a.py", "r/a.rs", "r/s/t/b.py", "script"];
const FOLDERS: [&str; 5] = ["p", "p/q", "r", "r/s", "n"];

fn edit() -> impl Strategy<Value = ProjectEdit> {
    let path = 0..PATHS.len();
    let folder = 0..FOLDERS.len();
    prop_oneof![
        4 => (path.clone(), 0..6_u8).prop_map(|(path, text)| ProjectEdit::Write(path, text)),
        2 => path.clone().prop_map(ProjectEdit::Remove),
        2 => (path.clone(), path).prop_map(|(from, to)| ProjectEdit::Rename(from, to)),
        2 => (folder.clone(), folder).prop_map(|(from, to)| ProjectEdit::RenameFolder(from, to)),
        1 => (0..=FOLDERS.len(), 0..4_u8).prop_map(|(folder, rules)| ProjectEdit::Ignore(folder, rules)),
        1 => (0..=FOLDERS.len()).prop_map(ProjectEdit::NoRules),
    ]
}

fn text(path: &str, number: u8) -> String {
    match (path.rsplit('.').next(), number) {
        (Some("py"), 5) => "# @generated\nx = 1\n".to_owned(),
        (Some("py"), number) => format!("from .b import g\n\ndef f{number}():\n    g()\n"),
        (Some("rs"), number) => format!("pub struct S{number};\n"),
        (_, 0..=2) => "#!/usr/bin/env python3\ndef main():\n    pass\n".to_owned(),
        (_, number) => format!("words {number}\n"),
    }
}

fn apply(scratch: &ScratchCodebase, edit: &ProjectEdit) {
    // An edit that is impossible is skipped.
    match edit {
        ProjectEdit::Write(path, number) => {
            let path = PATHS[*path];
            if fs::create_dir_all(scratch.path(path).parent().unwrap()).is_ok() {
                let _ = fs::write(scratch.path(path), text(path, *number));
            }
        }
        ProjectEdit::Remove(path) => drop(fs::remove_file(scratch.path(PATHS[*path]))),
        ProjectEdit::Rename(from, to) => {
            let (from, to) = (PATHS[*from], PATHS[*to]);
            // A file that is broken in its new language keeps its earlier
            // facts, which a fresh index cannot have.
            if from.rsplit_once('.').map(|it| it.1) == to.rsplit_once('.').map(|it| it.1) {
                drop(fs::rename(scratch.path(from), scratch.path(to)));
            }
        }
        ProjectEdit::RenameFolder(from, to) => {
            drop(fs::rename(scratch.path(FOLDERS[*from]), scratch.path(FOLDERS[*to])));
        }
        ProjectEdit::Ignore(folder, number) => {
            let rules = ["q/\n", "*.rs\n", "r\n", "\n"][usize::from(*number)];
            drop(fs::write(rules_of(scratch, *folder), rules));
        }
        ProjectEdit::NoRules(folder) => drop(fs::remove_file(rules_of(scratch, *folder))),
    }
}

/// Returns the file of ignore rules of a folder, or of the root.
fn rules_of(scratch: &ScratchCodebase, folder: usize) -> PathBuf {
    scratch.path(FOLDERS.get(folder).copied().unwrap_or_default()).join(".gitignore")
}

/// Returns the current time by the clock of the file system.
fn now(scratch: &ScratchCodebase) -> i64 {
    fs::create_dir_all(scratch.state()).unwrap();
    let clock = scratch.state().join("clock");
    fs::write(&clock, "").unwrap();
    crate::walk::stamp(&fs::metadata(clock).unwrap()).modified
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_done_the_index_is_as_a_fresh_one(
        steps in proptest::collection::vec(proptest::collection::vec(edit(), 1..4), 1..8),
    ) {
        let scratch = ScratchCodebase::new(&[("a.py", "x = 1\n")]);
        let mut index = Index::open(&scratch.root(), &scratch.state()).unwrap();
        for edits in steps {
            for edit in &edits {
                apply(&scratch, edit);
            }
            // Sometimes another process continues.
            if edits.len() == 2 {
                index = Index::open(&scratch.root(), &scratch.state()).unwrap();
            }
            index.update(now(&scratch), &mut |_| {}).unwrap();
            let mut fresh = Index::fleeting(&scratch.root()).unwrap();
            fresh.update(LATER, &mut |_| {}).unwrap();
            prop_assert_eq!(index.states(), fresh.states());
            prop_assert_eq!(names(&mut index), names(&mut fresh));
        }
    }
}
