use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::event::{NoteContent, NoteKind, NoteScope};

fn noted(number: usize) -> LogEvent {
    let text = format!("Fact {number}: the limit of queue {number} is {}", number * 7919);
    let id = format!("m{number:012}");
    let what = LogEventKind::Noted(Box::new(NoteContent::new(
        id,
        NoteKind::Fact,
        NoteScope::Project,
        text,
    )));
    let at = i64::try_from(number).unwrap();
    LogEvent { at, place: EventContext::default(), actor: EventActor::User, what }
}

fn shown(number: usize) -> LogEvent {
    let what = LogEventKind::Shown { ids: vec![format!("m{number:012}")], tokens: 20 };
    ours(5, what)
}

/// A log of so many notes in a compressed file and a few lines in a plain one.
fn book(notes: usize) -> (tempfile::TempDir, Notebook) {
    let home = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(home.path()).unwrap();
    notebook.write(&(0..notes).map(noted).collect::<Vec<_>>()).unwrap();
    let what =
        LogEventKind::Retracted { id: format!("m{:012}", 3), why: "it was wrong".to_owned() };
    notebook.write(&[shown(1), shown(1), shown(2), ours(9, what)]).unwrap();
    (home, notebook)
}

fn all(notebook: &Notebook) -> Vec<StoredNote> {
    let mut all: Vec<StoredNote> = notebook.inventory().unwrap().notes.into_values().collect();
    all.sort_by(|one, other| one.note.id.cmp(&other.note.id));
    all
}

fn files(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("memory")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.to_string_lossy().contains(".jsonl")).collect();
    files.sort();
    files
}

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_the_log_lost_comes_back_from_the_index() {
    let (home, notebook) = book(600);
    let before = all(&notebook);
    for (place, bit) in [(1, 300), (0, 8 * 4_000)] {
        let path = &files(home.path())[place];
        flip(path, bit);
        let salvage = notebook.rebuild().unwrap();
        assert!(salvage.damaged > 0 && salvage.notes > 0 && salvage.is_whole(), "{salvage:?}");
        assert_eq!(all(&notebook), before);
        // The log says it again, so that nothing depends on the index any more.
        assert_eq!(notebook.damage().unwrap(), []);
        notebook.remake().unwrap();
        assert_eq!(all(&notebook), before);
        let copy = salvage.copy.unwrap();
        assert!(copy.join(path.file_name().unwrap()).is_file());
        assert!(copy.join("memory.1.db").is_file());
    }
    assert_eq!(notebook.rebuild().unwrap(), SalvageReport::default());
}

#[test]
fn a_last_line_without_its_end_is_not_lost() {
    let (home, notebook) = book(3);
    notebook.append(vec![noted(9)]).unwrap();
    let before = all(&notebook);
    let path = &files(home.path())[0];
    let bytes = usize::try_from(fs::metadata(path).unwrap().len()).unwrap();
    flip(path, 8 * (bytes - 1) + 5);
    let salvage = notebook.rebuild().unwrap();
    assert!(salvage.notes > 0 && salvage.is_whole(), "{salvage:?}");
    assert_eq!(all(&notebook), before);
}

#[test]
fn what_neither_file_has_is_missing() {
    let (home, notebook) = book(3);
    drop(notebook);
    fs::remove_file(home.path().join("memory.1.db")).unwrap();
    flip(&files(home.path())[0], 300);
    let notebook = Notebook::open(home.path()).unwrap();
    let salvage = notebook.rebuild().unwrap();
    assert_eq!((salvage.missing, salvage.notes), (1, 0), "{salvage:?}");
    assert!(!salvage.is_whole());
    assert!(notebook.rebuild().unwrap().is_whole());
}

#[test]
fn what_is_forgotten_is_in_no_copy_either() {
    let (home, notebook) = book(300);
    flip(&files(home.path())[0], 8 * 2_000);
    let copy = notebook.rebuild().unwrap().copy.unwrap();
    assert!(copy.exists());
    notebook.forget("m000000000007").unwrap();
    assert!(!copy.exists());
    assert_eq!(all(&notebook).len(), 299);
}

#[test]
fn nothing_is_lost_wherever_a_bit_flips() {
    let (home, notebook) = book(600);
    let before = all(&notebook);
    let mut random = 1_u64;
    for _ in 0..12 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(random >> 33).unwrap();
        let files = files(home.path());
        let file = &files[drawn % files.len()];
        let bits = 8 * usize::try_from(fs::metadata(file).unwrap().len()).unwrap();
        flip(file, drawn % bits);
        let salvage = notebook.rebuild().unwrap();
        assert!(salvage.is_whole(), "{salvage:?}");
        assert_eq!(all(&notebook), before, "bit {} of {}", drawn % bits, file.display());
        notebook.log.drop_copies().unwrap();
    }
    drop(notebook);
    fs::remove_file(home.path().join("memory.1.db")).unwrap();
    assert_eq!(all(&Notebook::open(home.path()).unwrap()), before);
}
