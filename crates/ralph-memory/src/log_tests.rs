use std::thread;

use super::*;
use crate::event::{EventActor, EventContext, LogEventKind};

fn event(at: i64) -> LogEvent {
    let what = LogEventKind::Cited {
        ids: vec![format!("m{at}"), "with \"quotes\"\nand lines".to_owned()],
    };
    LogEvent { at, place: EventContext::default(), actor: EventActor::Agent, what }
}

fn all(log: &EventLog, from: LogPosition) -> (Vec<i64>, usize, LogPosition) {
    let (mut seen, mut damaged) = (Vec::new(), 0);
    let end = log
        .read(from, |entry| match entry {
            LogEntry::Event(event) => seen.push(event.at),
            LogEntry::Damaged { .. } => damaged += 1,
        })
        .unwrap();
    (seen, damaged, end)
}

fn scratch() -> (tempfile::TempDir, EventLog) {
    let dir = tempfile::tempdir().unwrap();
    let log = EventLog::new(dir.path());
    (dir, log)
}

#[test]
fn an_empty_log_is_read_as_such_and_nothing_is_created() {
    let (dir, log) = scratch();
    assert_eq!(all(&log, LogPosition::default()), (vec![], 0, LogPosition::default()));
    log.append(&[]).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn events_come_back_in_their_order_and_only_new_ones_the_next_time() {
    let (_dir, log) = scratch();
    log.append(&[event(1), event(2)]).unwrap();
    let (seen, _, end) = all(&log, LogPosition::default());
    assert_eq!(seen, [1, 2]);
    log.append_many(&[event(3), event(4)]).unwrap();
    log.append(&[event(5)]).unwrap();
    let (seen, damaged, end) = all(&log, end);
    assert_eq!((seen, damaged), (vec![3, 4, 5], 0));
    assert!(all(&log, end).0.is_empty());
}

#[test]
fn every_event_keeps_what_it_says() {
    let (_dir, log) = scratch();
    let place =
        EventContext { run: Some("r1".to_owned()), iteration: Some(3), ..EventContext::default() };
    let what = LogEventKind::Retracted { id: "m1".to_owned(), why: "사실이 아님".to_owned() };
    let wanted = LogEvent { at: -1, place, actor: EventActor::User, what };
    log.append(std::slice::from_ref(&wanted)).unwrap();
    let mut seen = Vec::new();
    log.read(LogPosition::default(), |entry| seen.push(entry)).unwrap();
    assert_eq!(seen, [LogEntry::Event(Box::new(wanted))]);
}

#[test]
fn a_line_that_was_cut_off_is_passed_over_and_said() {
    let (dir, log) = scratch();
    log.append(&[event(1), event(2)]).unwrap();
    let path = dir.path().join("memory/00000001.jsonl");
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 7]).unwrap();
    let (seen, damaged, end) = all(&log, LogPosition::default());
    assert_eq!((seen, damaged), (vec![1], 0), "the rest may be on its way");
    log.append(&[event(3)]).unwrap();
    assert_eq!(all(&log, end).0, [3]);
    let (seen, damaged, _) = all(&log, LogPosition::default());
    assert_eq!((seen, damaged), (vec![1, 3], 1));
}

#[test]
fn a_changed_byte_is_noticed() {
    let (dir, log) = scratch();
    log.append(&[event(1), event(2)]).unwrap();
    let path = dir.path().join("memory/00000001.jsonl");
    let mut text = fs::read(&path).unwrap();
    text[40] ^= 1;
    fs::write(&path, &text).unwrap();
    let (seen, damaged, _) = all(&log, LogPosition::default());
    assert_eq!((seen, damaged), (vec![2], 1));
}

#[test]
fn a_damaged_import_gives_what_can_be_read() {
    let (dir, log) = scratch();
    log.append_many(&(0..500).map(event).collect::<Vec<_>>()).unwrap();
    log.append(&[event(900)]).unwrap();
    let path = dir.path().join("memory/00000001.jsonl.gz");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let (seen, damaged, _) = all(&log, LogPosition::default());
    assert!(seen.len() > 10 && seen.len() < 500, "{}", seen.len());
    assert_eq!((seen.last(), damaged), (Some(&900), 1));
}

#[test]
fn a_long_file_is_followed_by_another() {
    let (dir, log) = scratch();
    let huge = LogEventKind::Retracted { id: "m".to_owned(), why: "x".repeat(900_000) };
    for at in 0..8 {
        let event = LogEvent { what: huge.clone(), ..event(at) };
        log.append(&[event]).unwrap();
    }
    assert!(dir.path().join("memory/00000002.jsonl").exists());
    assert_eq!(all(&log, LogPosition::default()).0, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_line_that_is_too_long_is_refused_and_nothing_is_written() {
    let (_dir, log) = scratch();
    let huge = LogEventKind::Retracted { id: "m".to_owned(), why: "x".repeat(LONGEST_LINE) };
    let refused = log.append(&[event(1), LogEvent { what: huge, ..event(2) }]);
    assert!(matches!(refused, Err(LogError::TooLong { .. })), "{refused:?}");
    assert!(all(&log, LogPosition::default()).0.is_empty());
}

#[test]
fn many_writers_lose_nothing() {
    let (_dir, log) = scratch();
    thread::scope(|scope| {
        for writer in 0..8 {
            let log = log.clone();
            scope.spawn(move || {
                for number in 0..50 {
                    log.append(&[event(writer * 1000 + number)]).unwrap();
                }
            });
        }
    });
    let (mut seen, damaged, _) = all(&log, LogPosition::default());
    for writer in 0..8 {
        let mine: Vec<i64> = seen.iter().copied().filter(|at| at / 1000 == writer).collect();
        assert!(mine.is_sorted(), "each writer's events stay in order");
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((seen.len(), damaged), (400, 0));
}

/// Writes the log anew without some events.
fn without(log: &EventLog, gone: &[i64]) -> Option<LogPosition> {
    let held = log.lock().unwrap();
    let edit = |event: &LogEvent| {
        Ok::<_, LogError>(if gone.contains(&event.at) { LineEdit::Drop } else { LineEdit::Keep })
    };
    log.rewrite(&held, edit).unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with("lock")).collect();
    names.sort_unstable();
    names
}

#[test]
fn one_file_takes_the_place_of_all_when_the_log_is_written_anew() {
    let (dir, log) = scratch();
    let folder = dir.path().join("memory");
    log.append(&[event(1), event(2)]).unwrap();
    log.append_many(&[event(3)]).unwrap();
    let (_, _, behind) = all(&log, LogPosition::default());
    assert_eq!(without(&log, &[9]), None);
    let end = without(&log, &[2]).unwrap();
    assert_eq!(files(&folder), ["00000003.base.jsonl.gz"]);
    assert_eq!(all(&log, LogPosition::default()), (vec![1, 3], 0, end));
    let again = log.read_file(behind).unwrap().unwrap();
    assert_eq!((again.is_anew, again.entries.len(), again.end), (true, 2, end));
    log.append(&[event(4)]).unwrap();
    assert_eq!(all(&log, end).0, [4]);
    without(&log, &[1, 3, 4]).unwrap();
    assert_eq!((all(&log, LogPosition::default()).0, log.size().unwrap()), (vec![], 0));
}

#[test]
fn an_end_while_the_log_is_written_anew_leaves_one_of_both() {
    let (dir, log) = scratch();
    let folder = dir.path().join("memory");
    log.append(&[event(1), event(2)]).unwrap();
    let old = fs::read(folder.join("00000001.jsonl")).unwrap();
    let end = without(&log, &[2]).unwrap();
    fs::write(folder.join("00000001.jsonl"), old).unwrap();
    fs::write(folder.join("new.tmp"), "half of it").unwrap();
    assert_eq!(all(&log, LogPosition::default()), (vec![1], 0, end));
    log.append(&[event(3)]).unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1, 3]);
    assert_eq!(files(&folder), ["00000002.base.jsonl.gz", "00000003.jsonl", "new.tmp"]);
}

#[test]
fn a_log_that_is_gone_is_read_from_its_beginning() {
    let (dir, log) = scratch();
    log.append(&[event(1), event(2)]).unwrap();
    let (_, _, end) = all(&log, LogPosition::default());
    fs::remove_dir_all(dir.path().join("memory")).unwrap();
    let part = log.read_file(end).unwrap().unwrap();
    assert_eq!((part.is_anew, part.entries.len(), part.end), (true, 0, LogPosition::default()));
    assert_eq!(log.read_file(part.end).unwrap(), None);
}

#[test]
fn an_import_that_was_read_is_not_opened_again() {
    let (dir, log) = scratch();
    log.append_many(&[event(1)]).unwrap();
    let (_, _, end) = all(&log, LogPosition::default());
    assert_eq!(end, LogPosition { file: 2, offset: 0 });
    log.append(&[event(2)]).unwrap();
    fs::remove_file(dir.path().join("memory/00000001.jsonl.gz")).unwrap();
    assert_eq!(all(&log, end).0, [2]);
}

#[test]
fn files_of_others_in_the_folder_are_left_alone() {
    let (dir, log) = scratch();
    log.append(&[event(1)]).unwrap();
    fs::write(dir.path().join("memory/notes.jsonl"), "mine").unwrap();
    fs::write(dir.path().join("memory/00000009.tmp"), "half").unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1]);
}

#[test]
fn what_cannot_be_unpacked_is_damage_wherever_it_breaks_off() {
    let (dir, log) = scratch();
    let events: Vec<LogEvent> = (0..2_000).map(event).collect();
    log.append_many(&events).unwrap();
    let path = dir.path().join("memory/00000001.jsonl.gz");
    let bytes = fs::read(&path).unwrap();
    for left in [12, bytes.len() / 2] {
        fs::write(&path, &bytes[..left]).unwrap();
        let (seen, damaged, end) = all(&log, LogPosition::default());
        assert!(seen.len() < events.len());
        assert_eq!((damaged, end), (1, LogPosition { file: 2, offset: 0 }), "{left}");
    }
}

#[test]
fn whoever_hands_in_waits_for_nobody_and_comes_before_the_next() {
    let (_dir, log) = scratch();
    log.append(&[event(1)]).unwrap();
    let held = log.lock().unwrap();
    log.hand_in(&[event(2), event(3)]).unwrap();
    log.hand_in(&[event(4)]).unwrap();
    log.take_in().unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1], "somebody writes");
    drop(held);
    log.hand_in(&[event(5)]).unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1, 2, 3, 4, 5]);
}

#[test]
fn whoever_reads_takes_in_what_waits() {
    let (dir, log) = scratch();
    let held = log.lock().unwrap();
    log.hand_in(&[event(1)]).unwrap();
    drop(held);
    log.take_in().unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1]);
    assert_eq!(files(&dir.path().join("memory")), ["00000001.jsonl"]);
}

#[test]
fn what_waits_goes_behind_an_import_and_is_forgotten_with_the_rest() {
    let (dir, log) = scratch();
    log.append_many(&[event(1)]).unwrap();
    let held = log.lock().unwrap();
    log.hand_in(&[event(2)]).unwrap();
    drop(held);
    log.append_many(&[event(3)]).unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1, 2, 3]);
    let held = log.lock().unwrap();
    log.hand_in(&[event(4)]).unwrap();
    drop(held);
    without(&log, &[2, 4]).unwrap();
    assert_eq!(all(&log, LogPosition::default()).0, [1, 3]);
    assert_eq!(files(&dir.path().join("memory")), ["00000005.base.jsonl.gz"]);
}

#[test]
fn many_who_hand_in_beside_many_who_write_and_write_anew_lose_nothing() {
    let (_dir, log) = scratch();
    log.append(&[event(9_000), event(9_001)]).unwrap();
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
        without(&log, &[9_000]).unwrap();
        without(&log, &[9_001]).unwrap();
    });
    log.take_in().unwrap();
    let (mut seen, damaged, _) = all(&log, LogPosition::default());
    for writer in 0..8 {
        let mine: Vec<i64> = seen.iter().copied().filter(|at| at / 1000 == writer).collect();
        assert!(mine.is_sorted(), "each writer's events stay in order: {mine:?}");
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((seen.len(), damaged), (400, 0));
}
