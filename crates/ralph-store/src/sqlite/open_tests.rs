use tempfile::TempDir;

use super::super::migrate::known_schema;
use super::*;
use crate::sample;
use crate::{RunQuery, RunStateFilter};
use ralph_core::{Policy, Run};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn first(dir: &TempDir) -> PathBuf {
    dir.path().join("ralph.1.db")
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn pragma<T: rusqlite::types::FromSql>(store: &SqliteStore, name: &str) -> T {
    store.lock().query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap()
}

/// A database with one run in its main file and nothing in its log.
fn filled(dir: &TempDir) {
    let store = SqliteStore::open(dir.path()).unwrap().store;
    store.create_run(&sample::run(1)).unwrap();
    store.checkpoint().unwrap();
}

fn remove_side_files(dir: &TempDir) {
    for side in ["ralph.1.db-wal", "ralph.1.db-shm"] {
        fs::remove_file(dir.path().join(side)).unwrap();
    }
}

#[track_caller]
fn check_replaced(dir: &TempDir) {
    let bytes = fs::read(first(dir)).unwrap();
    let opened = SqliteStore::open(dir.path()).unwrap();
    assert_eq!((opened.generation, opened.damaged), (2, Some(first(dir))));
    opened.store.create_run(&sample::run(2)).unwrap();
    assert_eq!(fs::read(first(dir)).unwrap(), bytes, "the damaged file is left as it was");

    let again = SqliteStore::open(dir.path()).unwrap();
    assert_eq!((again.generation, again.damaged), (2, None));
    assert!(again.store.run(&sample::run(2).id).unwrap().is_some());
}

#[test]
fn a_new_database_has_the_settings_that_last() {
    let dir = folder();
    let store = SqliteStore::open(dir.path()).unwrap().store;
    assert_eq!(pragma::<String>(&store, "journal_mode"), "wal");
    assert_eq!(pragma::<i64>(&store, "auto_vacuum"), 2);
    assert_eq!(pragma::<u32>(&store, "user_version"), known_schema());
    assert_eq!(pragma::<i64>(&store, "synchronous"), 1);
    assert_eq!(pragma::<i64>(&store, "foreign_keys"), 1);
    assert_eq!(pragma::<i64>(&store, "busy_timeout"), 10_000);
}

#[test]
fn what_was_written_is_there_when_opened_again() {
    let dir = folder();
    filled(&dir);
    for _ in 0..2 {
        let opened = SqliteStore::open(dir.path()).unwrap();
        assert_eq!((opened.generation, opened.damaged), (1, None));
        assert_eq!(opened.store.run(&sample::run(1).id).unwrap(), Some(sample::run(1)));
    }
}

#[test]
fn closing_leaves_the_log_and_a_checkpoint_empties_it() {
    let dir = folder();
    let log = || fs::metadata(dir.path().join("ralph.1.db-wal")).unwrap().len();
    let store = SqliteStore::open(dir.path()).unwrap().store;
    store.create_run(&sample::run(1)).unwrap();
    drop(store);
    assert!(log() > 0);
    SqliteStore::open(dir.path()).unwrap().store.checkpoint().unwrap();
    assert_eq!(log(), 0);
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_state() {
    use std::os::unix::fs::PermissionsExt;

    let dir = folder();
    let home = dir.path().join("a/b");
    let store = SqliteStore::open(&home).unwrap().store;
    store.create_run(&sample::run(1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir.path().join("a")), 0o700);
    assert_eq!(mode(&home), 0o700);
    assert_eq!(names(&home), ["ralph.1.db", "ralph.1.db-shm", "ralph.1.db-wal"]);
    for name in names(&home) {
        assert_eq!(mode(&home.join(&name)), 0o600, "{name}");
    }
}

#[test]
fn looking_for_a_database_creates_nothing() {
    let dir = folder();
    let home = dir.path().join("home");
    assert!(SqliteStore::open_existing(&home).unwrap().is_none());
    assert!(!home.exists());
    assert!(SqliteStore::open_existing(dir.path()).unwrap().is_none());
    assert_eq!(names(dir.path()), [""; 0]);

    filled(&dir);
    let opened = SqliteStore::open_existing(dir.path()).unwrap().unwrap();
    assert!(opened.store.run(&sample::run(1).id).unwrap().is_some());
}

#[test]
fn looking_at_a_damaged_database_creates_no_other() {
    let dir = folder();
    fs::write(first(&dir), "x".repeat(8192)).unwrap();
    let error = SqliteStore::open_existing(dir.path()).err();
    assert!(matches!(error, Some(StoreError::Damaged { path, .. }) if path == first(&dir)));
    assert_eq!(names(dir.path()), ["ralph.1.db"]);
}

#[test]
fn the_newest_generation_is_opened() {
    let dir = folder();
    for name in ["ralph.2.db", "ralph.10.db", "ralph.010.db", "ralph.db", "ralph.99.db-wal"] {
        fs::write(dir.path().join(name), "").unwrap();
    }
    assert_eq!(SqliteStore::open(dir.path()).unwrap().generation, 10);
}

#[test]
fn an_empty_file_is_a_new_database() {
    let dir = folder();
    fs::write(first(&dir), "").unwrap();
    let opened = SqliteStore::open(dir.path()).unwrap();
    assert_eq!((opened.generation, opened.damaged), (1, None));
    opened.store.create_run(&sample::run(1)).unwrap();
}

#[test]
fn a_file_that_is_no_database_is_left_in_place() {
    let dir = folder();
    fs::write(first(&dir), "not a database ".repeat(1000)).unwrap();
    check_replaced(&dir);
}

#[test]
fn a_truncated_database_is_left_in_place() {
    let dir = folder();
    filled(&dir);
    remove_side_files(&dir);
    let file = OpenOptions::new().write(true).open(first(&dir)).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    check_replaced(&dir);
}

#[test]
fn a_database_with_an_overwritten_schema_is_left_in_place() {
    let dir = folder();
    filled(&dir);
    remove_side_files(&dir);
    let mut bytes = fs::read(first(&dir)).unwrap();
    bytes[100..4096].fill(0xff);
    fs::write(first(&dir), bytes).unwrap();
    check_replaced(&dir);
}

#[test]
fn damage_that_shows_later_is_found_by_the_check_and_can_be_left_behind() {
    let dir = folder();
    filled(&dir);
    remove_side_files(&dir);
    let mut bytes = fs::read(first(&dir)).unwrap();
    // The last page holds an index that opening has no need to look at.
    let last_page = bytes.len() - 4096;
    bytes[last_page..].fill(0xff);
    fs::write(first(&dir), &bytes).unwrap();

    let OpenedStore { store, damaged, .. } = SqliteStore::open(dir.path()).unwrap();
    assert_eq!(damaged, None);
    let found = store.check_integrity();
    assert!(matches!(found, Err(StoreError::Damaged { path, .. }) if path == first(&dir)));

    let opened = store.abandon().unwrap();
    assert_eq!((opened.generation, opened.damaged), (2, Some(first(&dir))));
    opened.store.check_integrity().unwrap();
    assert_eq!(fs::read(first(&dir)).unwrap(), bytes);
}

#[test]
fn a_newer_schema_is_left_alone() {
    let dir = folder();
    filled(&dir);
    let newer = known_schema() + 1;
    let store = SqliteStore::open(dir.path()).unwrap().store;
    store.lock().pragma_update(None, "user_version", newer).unwrap();
    store.checkpoint().unwrap();
    drop(store);
    let bytes = fs::read(first(&dir)).unwrap();

    let open = SqliteStore::open(dir.path()).err();
    let existing = SqliteStore::open_existing(dir.path()).err();
    for error in [open, existing] {
        assert!(matches!(
            error,
            Some(StoreError::NewerSchema { found, known, .. })
                if (found, known) == (newer, known_schema())
        ));
    }
    assert_eq!(fs::read(first(&dir)).unwrap(), bytes);
    assert!(!names(dir.path()).contains(&"ralph.2.db".to_owned()));
}

#[cfg(unix)]
#[test]
fn a_deleted_or_replaced_database_is_noticed() {
    let dir = folder();
    let store = SqliteStore::open(dir.path()).unwrap().store;
    assert!(store.is_attached());
    store.create_run(&sample::run(1)).unwrap();
    assert!(store.is_attached());
    fs::remove_file(first(&dir)).unwrap();
    assert!(!store.is_attached());
    let other = SqliteStore::open(dir.path()).unwrap().store;
    assert!(other.is_attached());
    assert!(!store.is_attached());
}

#[test]
fn a_full_disk_is_named_and_nothing_is_written() {
    let dir = folder();
    let store = SqliteStore::open(dir.path()).unwrap().store;
    let pages: i64 = pragma(&store, "page_count");
    store.lock().query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
    let mut run = sample::run(1);
    run.last_output = "x".repeat(1 << 20);
    let error = store.create_run(&run);
    assert!(matches!(error, Err(StoreError::DiskFull { path }) if path == first(&dir)));
    assert_eq!(store.run(&run.id).unwrap(), None);
}

#[test]
fn a_file_in_place_of_the_folder_is_named() {
    let dir = folder();
    let home = dir.path().join("home");
    fs::write(&home, "").unwrap();
    let error = SqliteStore::open(&home).err();
    assert!(matches!(error, Some(StoreError::Io { path, .. }) if path == home));
}

#[test]
fn the_log_of_many_short_lived_processes_stays_short() {
    let dir = folder();
    let log = dir.path().join("ralph.1.db-wal");
    let mut longest = 0;
    for number in 1..200 {
        let store = SqliteStore::open(dir.path()).unwrap().store;
        store.create_run(&sample::run(number)).unwrap();
        drop(store);
        longest = longest.max(fs::metadata(&log).unwrap().len());
    }
    assert!(longest < 2 * LONG_LOG, "{longest} bytes");
    let store = SqliteStore::open(dir.path()).unwrap().store;
    let all = RunQuery { worktree: None, which: RunStateFilter::All, limit: 1000 };
    assert_eq!(store.runs(&all).unwrap().len(), 199);
}

#[test]
fn open_runs_of_an_older_schema_keep_excluding_only_if_gates_judge_them() {
    let dir = folder();
    let store = SqliteStore::open(dir.path()).unwrap().store;
    let claimed = Run { policy: Policy::promise(), ..sample::run(2) };
    store.create_run(&sample::run(1)).unwrap();
    store.create_run(&claimed).unwrap();
    let back = "DROP INDEX runs_by_gated_worktree; DROP INDEX runs_by_active_session;
        DROP INDEX runs_by_active_worktree; ALTER TABLE runs DROP COLUMN gated;
        CREATE UNIQUE INDEX runs_by_active_worktree ON runs (worktree) WHERE active = 1;
        PRAGMA user_version = 3";
    store.lock().execute_batch(back).unwrap();
    drop(store);

    let store = SqliteStore::open(dir.path()).unwrap().store;
    let beside = |other: &Run, bits| Run { worktree: other.worktree.clone(), ..sample::run(bits) };
    let refused = store.create_run(&beside(&sample::run(1), 3));
    assert!(matches!(refused, Err(StoreError::WorktreeBusy { .. })));
    store.create_run(&beside(&claimed, 4)).unwrap();
    assert_eq!(store.run(&claimed.id).unwrap(), Some(claimed));
}
