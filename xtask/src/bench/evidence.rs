//! The speed and memory of reading output, and the cost of a cached answer.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{BenchRow, program};
use crate::failure::TaskFailure;
use crate::stress::stage::ScenarioFolder;

/// Bytes of output that are read.
const OUTPUT: usize = 50 * 1024 * 1024;

/// A tenth of it, to see whether memory grows.
const LITTLE: usize = OUTPUT / 10;

/// Processor time for 100 MB, in seconds: 100 MB/s on one core.
const MOST_SECONDS: f64 = 1.0;

/// Most memory for ten times the output, as a multiple.
const MOST_GROWTH: f64 = 1.5;

/// Processor time of `ralph check` on an unchanged tree, in milliseconds.
const MOST_CACHED: f64 = 5.0;

/// Number of requests for a cached answer, since the clock is coarse.
const ASKED: u32 = 100;

/// Files of the project in which a run is accepted.
const FILES: usize = 50_000;

/// Processor time of the comparison before a run is accepted, in milliseconds.
const MOST_ACCEPTING: f64 = 400.0;

/// Number of runs that are accepted, and of runs that are not.
const ACCEPTED: u32 = 5;

/// Starts runs with an agent that writes a word, and prints their time.
const RUNS: &str = "i=0; while [ $i -lt $2 ]; do git checkout --quiet .; rm -rf .git/ralph; \
                    WORD=$1 \"$0\" run work --agent-cmd ./agent.sh --criteria \
                    'custom:grep -q ok state.txt' --max-iterations 1 >/dev/null 2>&1; \
                    [ $? = $3 ] || exit 1; i=$((i+1)); done; times";

pub(super) fn measure(binary: &Path) -> Result<Vec<BenchRow>, TaskFailure> {
    let reader = program::example("ralph-checks", "read_output")?;
    let folder =
        tempfile::tempdir().map_err(|error| TaskFailure::io(&std::env::temp_dir(), &error))?;
    let mut rows = Vec::new();
    for (what, form, line) in FORMS {
        let (large, small) = (folder.path().join("large"), folder.path().join("small"));
        write(&large, OUTPUT, *line)?;
        write(&small, LITTLE, *line)?;
        let (much, little) = (spent(&reader, form, &large)?, spent(&reader, form, &small)?);
        rows.push(speed(what, &much));
        rows.push(growth(what, &much, &little));
    }
    rows.push(cached(binary)?);
    rows.push(accepting(binary)?);
    Ok(rows)
}

/// A name, the output format, and a function that makes its line of this number.
type EvidenceFormat = (&'static str, &'static str, fn(usize) -> String);

const FORMS: &[EvidenceFormat] = &[
    ("libtest", "libtest", |number| match number {
        0 => "\nrunning 100000 tests\n".to_owned(),
        _ => format!("test module_{}::does_what_it_says_{number} ... ok\n", number % 97),
    }),
    ("go-test", "go-test", |number| {
        // Both sizes have equally many tests, since each is kept once.
        let test = format!("TestNumber{}", number / 3 % 10_000);
        let action = ["run", "output", "pass"][number % 3];
        let output = if action == "output" { r#","Output":"=== RUN something\n""# } else { "" };
        format!(
            "{{\"Action\":\"{action}\",\"Package\":\"example.com/shop\",\"Test\":\"{test}\"{output}}}\n"
        )
    }),
    ("text", "text", |number| {
        format!("[{number:>8}] compiling something that takes a while, step {number}\n")
    }),
    ("lines that name failures", "text", |number| {
        format!("FAIL case_{number} of something that nobody knows (0.{:03} s)\n", number % 1000)
    }),
    ("failing tests of pytest", "text", |number| {
        format!("FAILED tests/test_shop.py::test_{number} - assert {number} == 0\n")
    }),
    ("failing tests in TAP", "tap", |number| {
        format!("not ok {} - shop counts what is in it, case {number}\n", number + 1)
    }),
];

fn write(path: &Path, bytes: usize, line: fn(usize) -> String) -> Result<(), TaskFailure> {
    let mut text = String::with_capacity(bytes + 200);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&line(number));
    }
    fs::write(path, text).map_err(|error| TaskFailure::io(path, &error))
}

/// The time and memory of reading.
struct ReadCost {
    seconds: f64,
    peak_kib: f64,
}

fn spent(reader: &Path, form: &str, file: &Path) -> Result<ReadCost, TaskFailure> {
    let output = finished(Command::new(reader).arg(form).arg(file))?;
    let numbers: Vec<f64> =
        output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [tests, findings, nanos, peak_kib] = numbers[..] else {
        return Err(TaskFailure::Failed(format!("{form}: `{}` is no measurement", output.trim())));
    };
    if form != "text" && tests < 1000.0 || findings > 0.0 {
        return Err(TaskFailure::Failed(format!("{form} was not understood: {}", output.trim())));
    }
    Ok(ReadCost { seconds: nanos / 1e9, peak_kib })
}

pub(super) fn finished(command: &mut Command) -> Result<String, TaskFailure> {
    let output = command.output();
    let output = output.map_err(|error| TaskFailure::Failed(format!("{command:?}: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(TaskFailure::Failed(format!("{command:?}: {}", said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn speed(what: &str, much: &ReadCost) -> BenchRow {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let megabytes = OUTPUT as f64 / 1e6;
    let measured = much.seconds / megabytes * 100.0;
    BenchRow::new(
        format!("reading 50 MB of {what}"),
        format!("{:.0} MB/s", megabytes / much.seconds),
    )
    .ratio(format!("{measured:.2}"))
    .budget(measured, MOST_SECONDS, "s of one core for 100 MB")
}

fn growth(what: &str, much: &ReadCost, little: &ReadCost) -> BenchRow {
    let measured = much.peak_kib / little.peak_kib;
    BenchRow::new(
        format!("memory for 50 MB of {what}, to 5 MB"),
        format!("{:.1} MiB", much.peak_kib / 1024.0),
    )
    .ratio(format!("{measured:.2}"))
    .budget(measured, MOST_GROWTH, "times")
}

/// Measures `ralph check` when the answer is cached, git included.
fn cached(binary: &Path) -> Result<BenchRow, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.git_project("cached")?;
    let script = "i=0; while [ $i -lt $1 ]; do \"$0\" check --criteria custom:true >/dev/null \
                  2>&1 || exit 1; i=$((i+1)); done; times";
    let mut command = project.program("bash");
    command.args(["-c", script]).arg(binary).arg(ASKED.to_string());
    let measured = processor_seconds(&mut command)? * 1000.0 / f64::from(ASKED);
    Ok(BenchRow::new("ralph check, answer known".to_owned(), format!("{measured:.2} ms")).budget(
        measured,
        MOST_CACHED,
        "ms of processor time",
    ))
}

/// Measures the comparison before a run is accepted, against a run that is not.
fn accepting(binary: &Path) -> Result<BenchRow, TaskFailure> {
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.git_project("accepting")?;
    for number in 0..FILES {
        let (folder, name) = (number / 100, number % 100);
        let path = if name < 5 { format!("tests/test_{name}.py") } else { format!("m{name}.py") };
        let path = project.path(&format!("src/p{folder}")).join(path);
        let above = path.parent().unwrap_or(&path);
        fs::create_dir_all(above).map_err(|error| TaskFailure::io(above, &error))?;
        let text = format!("def test_{name}():\n    assert {number} == {number}\n");
        fs::write(&path, text).map_err(|error| TaskFailure::io(&path, &error))?;
    }
    project.script("state.txt", "no")?;
    project.script("agent.sh", "echo $WORD > state.txt\necho '<promise>DONE</promise>'")?;
    project.git(&["add", "--all"])?;
    project.git(&["commit", "--quiet", "--message=work"])?;
    let spent = |word: &str, code: &str| -> Result<f64, TaskFailure> {
        let mut command = project.program("bash");
        command.args(["-c", RUNS]).arg(binary).args([word, &ACCEPTED.to_string(), code]);
        Ok(processor_seconds(&mut command)? * 1000.0 / f64::from(ACCEPTED))
    };
    let measured = spent("ok", "0")? - spent("no", "1")?;
    Ok(BenchRow::new(format!("accepting a run, {FILES} files"), format!("{measured:.0} ms"))
        .budget(measured, MOST_ACCEPTING, "ms of processor time"))
}

/// Runs a `bash` script that ends with `times`; returns the processor time of its children.
pub(super) fn processor_seconds(command: &mut Command) -> Result<f64, TaskFailure> {
    let printed = finished(command)?;
    let line = printed.lines().last().unwrap_or_default();
    Ok(line.split_whitespace().filter_map(clock).sum())
}

/// Parses `0m1.250s`.
fn clock(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_shell_is_read() {
        assert_eq!(clock("1m2.500s"), Some(62.5));
        assert_eq!(clock("nonsense"), None);
    }
}
