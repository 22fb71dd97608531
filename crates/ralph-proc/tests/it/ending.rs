//! The endings of programs, and their output.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};

use ralph_proc::{
    ExitReason, OutputStream, ProcError, ProgramLaunch, ProgramWatcher, StreamMerging, Supervisor,
    TICK, TOKEN_VARIABLE, WatcherDecision,
};

use crate::stage::{NO_LIMITS, Seen, launch, run, sh, supervisor};

#[track_caller]
fn check(script: &str, want: ExitReason) {
    assert_eq!(run(&sh(script), &NO_LIMITS).ending, want, "{script}");
}

#[test]
fn an_exit_code_is_passed_on() {
    check("exit 0", ExitReason::Exited(0));
    check("exit 3", ExitReason::Exited(3));
    check("exit 255", ExitReason::Exited(255));
}

#[test]
fn a_death_by_signal_is_passed_on() {
    for signal in [1, 2, 3, 6, 9, 10, 11, 13, 15] {
        check(&format!("kill -{signal} $$"), ExitReason::Signaled(signal));
    }
}

#[test]
fn a_program_that_cannot_start_ends_like_in_a_shell() {
    let dir = tempfile::tempdir().unwrap();
    File::create(dir.path().join("notes")).unwrap();
    let check = |program: &str, code: i32| {
        let mut launch = launch(program, &[]);
        launch.dir = dir.path().into();
        let outcome = run(&launch, &NO_LIMITS);
        let stderr = outcome.stderr.text_lossy();
        assert_eq!(outcome.ending, ExitReason::Exited(code), "{stderr}");
        assert!(stderr.starts_with(&format!("ralph: cannot start {program}: ")), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    };
    check("no-such-program", 127);
    check("./no-such-program", 127);
    check("./notes", 126);
    check(".", 126);
}

#[test]
fn a_missing_directory_or_input_is_named() {
    let mut nowhere = sh("true");
    nowhere.dir = "/no/such/place".into();
    let outcome = run(&nowhere, &NO_LIMITS);
    assert_eq!(outcome.ending, ExitReason::Exited(126));
    assert_eq!(
        outcome.stderr.text_lossy(),
        "ralph: cannot start sh: no directory /no/such/place\n"
    );

    let mut unfed = sh("true");
    unfed.stdin = Some("/no/such/prompt".into());
    let outcome = run(&unfed, &NO_LIMITS);
    assert_eq!(outcome.ending, ExitReason::Exited(126));
    assert!(outcome.stderr.text_lossy().contains("/no/such/prompt"));
}

#[test]
fn a_relative_program_starts_in_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("agent"), "#!/bin/sh\npwd\n").unwrap();
    fs::set_permissions(
        dir.path().join("agent"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let mut launch = launch("./agent", &[]);
    launch.dir = dir.path().canonicalize().unwrap();
    let outcome = run(&launch, &NO_LIMITS);
    assert_eq!(outcome.stdout.text_lossy().trim_end(), launch.dir.to_str().unwrap());
}

#[test]
fn the_input_file_is_delivered_and_no_file_is_empty_input() {
    let prompt = tempfile::NamedTempFile::new().unwrap();
    fs::write(prompt.path(), "do it\n").unwrap();
    let mut fed = sh("cat");
    fed.stdin = Some(prompt.path().into());
    assert_eq!(run(&fed, &NO_LIMITS).stdout.text_lossy(), "do it\n");
    assert_eq!(run(&sh("cat"), &NO_LIMITS).stdout.total(), 0);
}

#[test]
fn bytes_that_are_no_text_survive() {
    let odd = || OsString::from_vec(vec![b'a', 0xff, b'\n', b'b']);
    let mut launch = sh("printf %s \"$0$ODD\"");
    launch.args.push(odd());
    launch.env.push(("ODD".into(), odd()));
    let outcome = run(&launch, &NO_LIMITS);
    assert_eq!(outcome.stdout.to_vec(), [odd().into_vec(), odd().into_vec()].concat());
}

#[test]
fn the_environment_is_the_given_one_and_the_token() {
    let mut launch = launch("env", &[]);
    launch.env.push(("GREETING".into(), "hello".into()));
    let text = run(&launch, &NO_LIMITS).stdout.text_lossy();
    let mut names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["GREETING", "PATH", TOKEN_VARIABLE]);
}

#[test]
fn a_program_has_the_session_of_its_supervisor_and_a_group_of_its_own() {
    let outcome = run(&sh("cut -d' ' -f5,6 /proc/$$/stat; echo $$ $PPID"), &NO_LIMITS);
    let text = outcome.stdout.text_lossy();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn a_large_environment_arrives() {
    let mut launch = sh("echo ${#LARGE}");
    launch.env.push(("LARGE".into(), "x".repeat(100_000).into()));
    assert_eq!(run(&launch, &NO_LIMITS).stdout.text_lossy(), "100000\n");
}

#[test]
fn both_streams_are_kept_apart() {
    let outcome = run(&sh("echo out; echo err >&2"), &NO_LIMITS);
    assert_eq!(outcome.stdout.text_lossy(), "out\n");
    assert_eq!(outcome.stderr.text_lossy(), "err\n");
}

#[test]
fn a_program_that_closes_its_output_is_still_waited_for() {
    check("exec >&- 2>&-; sleep 0.3; exit 5", ExitReason::Exited(5));
}

/// Takes a moment for every piece, as a watcher that writes to a disk does.
#[derive(Default)]
struct Slow {
    bytes: u64,
}

impl ProgramWatcher for Slow {
    fn output(&mut self, _: OutputStream, bytes: &[u8]) {
        let end = Instant::now() + Duration::from_millis(1);
        while Instant::now() < end {}
        self.bytes += bytes.len() as u64;
    }

    fn tick(&mut self) -> WatcherDecision {
        WatcherDecision::GoOn
    }
}

#[test]
fn a_flood_of_output_is_counted_and_only_its_end_is_kept() {
    let mut slow = Slow::default();
    let flood = sh("head -c 20000000 /dev/zero; echo end");
    let outcome = supervisor().run(&flood, &NO_LIMITS, &mut slow).unwrap();
    assert_eq!(outcome.ending, ExitReason::Exited(0));
    assert_eq!((outcome.stdout.total(), slow.bytes), (20_000_004, 20_000_004));
    assert_eq!(outcome.stdout.len(), 256 * 1024);
    assert!(outcome.stdout.text_lossy().ends_with("\0end\n"));
}

#[test]
fn an_end_is_noticed_at_once() {
    let runs = 20;
    let taken: Duration = (0..runs).map(|_| run(&sh("true"), &NO_LIMITS).elapsed).sum();
    // Noticing it at the next tick only would take at least so long.
    assert!(taken < TICK * runs, "{taken:?}");
}

#[test]
fn a_supervisor_that_is_none_is_an_error() {
    let run = |exe: &str| {
        Supervisor::new(exe, []).run(&sh("true"), &NO_LIMITS, &mut Seen::default()).unwrap_err()
    };
    assert!(matches!(run("/no/such/exe"), ProcError::Start { .. }));
    assert_eq!(run("/no/such/exe").to_string(), "cannot start the supervisor /no/such/exe");
}

#[test]
fn merged_streams_keep_their_order() {
    let script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    let launch = ProgramLaunch { streams: StreamMerging::Merged, ..sh(script) };
    let outcome = run(&launch, &NO_LIMITS);
    let text = outcome.stdout.text_lossy();
    assert_eq!(text, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    assert!(outcome.stderr.is_empty());
}
