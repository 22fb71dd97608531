//! Damage to the log, a thousand times.

use std::fs;
use std::path::{Path, PathBuf};

use ralph_memory::event::{
    EventActor, EventContext, LogEvent, LogEventKind, NoteContent, NoteKind, NoteScope,
};
use ralph_memory::{NoteSelection, Notebook, StoredNote};

const NOTES: i64 = 3_000;
const FLIPS: u32 = 1_000;

fn noted(number: i64) -> LogEvent {
    let text = format!("Fact {number}: the limit of queue {number} is {}", number * 7919);
    let note = NoteContent::new(format!("m{number:012}"), NoteKind::Fact, NoteScope::Project, text);
    let (place, what) = (EventContext::default(), LogEventKind::Noted(Box::new(note)));
    LogEvent { at: number, place, actor: EventActor::User, what }
}

fn all(notebook: &Notebook) -> Vec<StoredNote> {
    let mut all = notebook.list(&NoteSelection::default()).unwrap();
    all.sort_by(|one, other| one.note.id.cmp(&other.note.id));
    all
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    paths
}

#[test]
fn of_3000_notes_none_is_lost_by_1000_flipped_bits() {
    let home = tempfile::tempdir().unwrap();
    let notebook = Notebook::open(home.path()).unwrap();
    notebook.write(&(0..NOTES).map(noted).collect::<Vec<_>>()).unwrap();
    notebook.write(&[noted(NOTES)]).unwrap();
    let before = all(&notebook);
    let mut random = 1_u64;
    for _ in 0..FLIPS {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = usize::try_from(random >> 20).unwrap();
        let paths = below(&home.path().join("memory"));
        // A log that was just rewritten has no bit to flip.
        let has_bits = |path: &&PathBuf| {
            path.to_string_lossy().contains(".jsonl") && path.metadata().unwrap().len() > 0
        };
        let logs: Vec<&PathBuf> = paths.iter().filter(has_bits).collect();
        let path = logs[drawn % logs.len()];
        let mut bytes = fs::read(path).unwrap();
        let bit = drawn % (8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(path, bytes).unwrap();
        let salvage = notebook.rebuild().unwrap();
        assert!(salvage.is_whole(), "bit {bit} of {}: {salvage:?}", path.display());
        assert!(all(&notebook) == before, "bit {bit} of {}", path.display());
        for copy in below(&home.path().join("memory")) {
            if copy.is_dir() {
                fs::remove_dir_all(copy).unwrap();
            }
        }
    }
}
