use std::fs::OpenOptions;
use std::path::PathBuf;
use std::thread;

use super::*;
use crate::event::{EventActor, EventContext, LogEvent, LogEventKind};
use crate::log::{EventLog, LogEntry};

fn event(at: i64) -> LogEvent {
    let what = LogEventKind::Cited { ids: vec![format!("m{at}"), "사실".to_owned()] };
    LogEvent { at, place: EventContext::default(), actor: EventActor::Agent, what }
}

fn scratch() -> (tempfile::TempDir, EventLog, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let log = EventLog::new(dir.path());
    let folder = dir.path().join("memory");
    (dir, log, folder)
}

/// The events of the log, and how many lines nobody can read.
fn all(log: &EventLog) -> (Vec<i64>, usize) {
    let (mut seen, mut damaged) = (Vec::new(), 0);
    log.read(LogPosition::default(), |entry| match entry {
        LogEntry::Event(event) => seen.push(event.at),
        LogEntry::Damaged { .. } => damaged += 1,
    })
    .unwrap();
    (seen, damaged)
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with("lock")).collect();
    names.sort_unstable();
    names
}

#[test]
fn whoever_hands_in_waits_for_nobody_and_comes_before_the_next() {
    let (_dir, log, folder) = scratch();
    log.append(&[event(1)]).unwrap();
    let held = log.lock().unwrap();
    log.hand_in(&[event(2), event(3)]).unwrap();
    log.hand_in(&[event(4)]).unwrap();
    log.take_in().unwrap();
    assert_eq!(all(&log), (vec![1], 0), "somebody writes");
    drop(held);
    log.hand_in(&[event(5)]).unwrap();
    assert_eq!(all(&log), (vec![1, 2, 3, 4, 5], 0));
    assert_eq!(files(&folder), ["00000001.jsonl"]);
}

#[test]
fn whoever_reads_takes_in_what_waits() {
    let (_dir, log, folder) = scratch();
    let held = log.lock().unwrap();
    log.hand_in(&[event(1)]).unwrap();
    drop(held);
    log.take_in().unwrap();
    assert_eq!(all(&log), (vec![1], 0));
    assert_eq!(files(&folder), ["00000001.jsonl"]);
}

#[test]
fn an_end_at_any_byte_loses_and_doubles_nothing() {
    let (_dir, log, folder) = scratch();
    let path = folder.join("00000001.jsonl");
    log.append(&[event(1)]).unwrap();
    let before = fs::read(&path).unwrap();
    let held = log.lock().unwrap();
    log.hand_in(&[event(2), event(3)]).unwrap();
    drop(held);
    let late = fs::read(folder.join(LATE)).unwrap();
    for written in 0..=late.len() {
        fs::write(&path, [&before, &late[..written]].concat()).unwrap();
        fs::write(folder.join(format!("{TAKEN}00000001.{}", before.len())), &late).unwrap();
        let _ = fs::remove_file(folder.join(LATE));
        log.append(&[event(4)]).unwrap();
        assert_eq!(all(&log), (vec![1, 2, 3, 4], 0), "{written}");
        assert_eq!(files(&folder), ["00000001.jsonl"]);
    }
}

#[test]
fn a_line_that_was_cut_off_on_either_side_costs_that_line_alone() {
    let (_dir, log, folder) = scratch();
    log.append(&[event(1)]).unwrap();
    let path = folder.join("00000001.jsonl");
    let cut = |path: &Path| {
        let text = fs::read(path).unwrap();
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(&text[..20]).unwrap();
    };
    let held = log.lock().unwrap();
    cut(&path);
    log.hand_in(&[event(2)]).unwrap();
    cut(&folder.join(LATE));
    log.hand_in(&[event(3)]).unwrap();
    cut(&folder.join(LATE));
    drop(held);
    log.append(&[event(4)]).unwrap();
    assert_eq!(all(&log), (vec![1, 2, 3, 4], 3));
}

#[test]
fn what_waits_goes_behind_an_import() {
    let (_dir, log, folder) = scratch();
    log.append_many(&[event(1)]).unwrap();
    let held = log.lock().unwrap();
    log.hand_in(&[event(2)]).unwrap();
    drop(held);
    log.append_many(&[event(3)]).unwrap();
    assert_eq!(all(&log), (vec![1, 2, 3], 0));
    assert_eq!(files(&folder), ["00000001.jsonl.gz", "00000002.jsonl", "00000003.jsonl.gz"]);
}

#[test]
fn what_waits_is_forgotten_with_the_rest() {
    let (_dir, log, folder) = scratch();
    let held = log.lock().unwrap();
    log.hand_in(&[event(1)]).unwrap();
    drop(held);
    let gone = LogEventKind::Forgotten { id: "gone".to_owned() };
    log.rewrite(|event| Some(LogEvent { what: gone.clone(), ..event.clone() })).unwrap();
    let text = fs::read_to_string(folder.join("00000001.jsonl")).unwrap();
    assert!(!text.contains("m1") && text.contains("gone"), "{text}");
}

#[test]
fn many_who_hand_in_beside_many_who_write_lose_nothing() {
    let (_dir, log, folder) = scratch();
    thread::scope(|scope| {
        for writer in 0..8 {
            let log = log.clone();
            scope.spawn(move || {
                for number in 0..50 {
                    let one = [event(writer * 1000 + number)];
                    if writer % 4 == 0 { log.append(&one) } else { log.hand_in(&one) }.unwrap();
                }
            });
        }
    });
    log.take_in().unwrap();
    let (mut seen, damaged) = all(&log);
    for writer in 0..8 {
        let mine: Vec<i64> = seen.iter().copied().filter(|at| at / 1000 == writer).collect();
        assert!(mine.is_sorted(), "each writer's events stay in order: {mine:?}");
    }
    assert_eq!((seen.len(), damaged), (400, 0));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 400);
    assert_eq!(files(&folder), ["00000001.jsonl"]);
}
