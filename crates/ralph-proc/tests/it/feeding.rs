//! Programs whose input comes while they run.

use std::fs::{self, File};
use std::io::{self, Write};
use std::process::Command;

use ralph_proc::{ExitReason, OutputStream, ProgramWatcher, StdinPipe, WatcherDecision};

use crate::stage::{NO_LIMITS, launch, run, supervisor};

/// Says a word, and the next when the last came back.
struct Talk {
    feed: Option<StdinPipe>,
    writer: Option<File>,
    words: Vec<&'static str>,
    heard: String,
}

impl ProgramWatcher for Talk {
    fn output(&mut self, stream: OutputStream, bytes: &[u8]) {
        assert_eq!(stream, OutputStream::Stdout);
        // The program has its input open: it may end now.
        self.feed = None;
        self.heard.push_str(&String::from_utf8_lossy(bytes));
        match self.words.pop() {
            Some(word) => writeln!(self.writer.as_mut().unwrap(), "{word}").unwrap(),
            None => self.writer = None,
        }
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

#[test]
fn a_program_is_fed_while_it_runs_and_ends_with_its_input() {
    let dir = tempfile::tempdir().unwrap();
    let feed = StdinPipe::new(dir.path().join("in")).unwrap();
    let mut launch = launch("cat", &[]);
    launch.stdin = Some(feed.path().to_owned());
    let mut writer = feed.writer().unwrap();
    writeln!(writer, "one").unwrap();
    let words = vec!["three", "two"];
    let mut talk = Talk { feed: Some(feed), writer: Some(writer), words, heard: String::new() };
    let outcome = supervisor().run(&launch, &NO_LIMITS, &mut talk).unwrap();
    assert_eq!(outcome.ending, ExitReason::Exited(0));
    assert_eq!(talk.heard, "one\ntwo\nthree\n");
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none());
}

#[test]
fn a_pipe_that_nobody_writes_to_is_an_empty_input() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("in");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut launch = launch("cat", &[]);
    launch.stdin = Some(pipe);
    assert_eq!(run(&launch, &NO_LIMITS).ending, ExitReason::Exited(0));
}

#[test]
fn writing_to_a_program_that_is_gone_is_an_error_and_does_not_wait() {
    let dir = tempfile::tempdir().unwrap();
    let feed = StdinPipe::new(dir.path().join("in")).unwrap();
    let mut launch = launch("true", &[]);
    launch.stdin = Some(feed.path().to_owned());
    let mut writer = feed.writer().unwrap();
    assert_eq!(run(&launch, &NO_LIMITS).ending, ExitReason::Exited(0));
    drop(feed);
    let error = writer.write_all(b"hello?").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}
