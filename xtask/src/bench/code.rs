//! The index of code against bare parsing of the same files, and the processor time of questions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::evidence::processor_seconds;
use super::samples::{Samples, millis};
use super::snapshots::{compared, plain};
use super::{BenchRow, BenchSize, program};
use crate::failure::TaskFailure;
use crate::stress::stage::{ScenarioFolder, StressProject};

/// Files of the project: about 20 MB.
const FILES: u32 = 3000;

/// Number of files in a folder.
const FOLDER: u32 = 50;

/// Number of classes in a file.
const CLASSES: u32 = 10;

const MOST_OF_PARSING: f64 = 1.5;

/// Most wall time of an index per processor time, as a multiple of parsing.
const MOST_IDLE: f64 = 1.25;

/// Processor time in milliseconds, with the start of the process.
const MOST_UPDATE: f64 = 10.0;
const MOST_MAP: f64 = 50.0;

const MOST_MEMORY: f64 = 400.0;

/// Number of calls of something short, since the clock is coarse.
const CALLS: u32 = 40;

const CLASS: &str = r#"

class Record@:
    """Keeps one row of table @ and how it was changed."""

    def __init__(self, name, size=@, parent=None):
        self.name = name
        self.size = size
        self.parent = parent

    def describe_@(self, depth=0):
        lines = [f"{self.name} ({self.size})"]
        for index, (key, value) in enumerate(sorted(self.fields().items())):
            if value is None or index > @:
                continue
            lines.append("  " * depth + key + ": " + str(value))
        return "\n".join(lines)

    def fields(self):
        return {"name": self.name, "size": self.size, "parent": self.parent}


def load_@(folder, size):
    record = Record@(folder, size)
    log.info("loaded %s from %s", record.describe_@(), os.path.join(folder, str(size)))
    return record
"#;

pub(super) fn measure(binary: &Path, extent: BenchSize) -> Result<Vec<BenchRow>, TaskFailure> {
    let rounds = match extent {
        BenchSize::Small => 3,
        BenchSize::Usual => 7,
        BenchSize::Large => 15,
    };
    let parser = program::example("ralph-graph", "bare_parse")?;
    let stage = ScenarioFolder::new(binary)?;
    let project = stage.project("code")?;
    write(&project.path(""))?;
    let mut rows = full(&project, binary, &parser, rounds)?;
    rows.push(update(&project, binary)?);
    rows.push(question(&project, binary, ("map", "code map --tokens 2000"), MOST_MAP)?);
    let words = "code map --tokens 2000 --words describe_77 --files package3/module170.py";
    rows.push(question(&project, binary, ("map for a file and a word", words), MOST_MAP)?);
    rows.push(memory(&project)?);
    Ok(rows)
}

fn write(root: &Path) -> Result<(), TaskFailure> {
    for number in 0..FILES {
        let folder = root.join(format!("package{}", number / FOLDER));
        if number % FOLDER == 0 {
            fs::create_dir_all(&folder).map_err(|error| TaskFailure::io(&folder, &error))?;
        }
        let file = folder.join(format!("module{number}.py"));
        fs::write(&file, text(number)).map_err(|error| TaskFailure::io(&file, &error))?;
    }
    Ok(())
}

/// Makes a module that uses four others, some of them much more often than the rest.
fn text(number: u32) -> String {
    let mut text = String::from("import logging\nimport os\n\n");
    let others = [number / 2, number / 3 + 1, (number * 7 + 5) % FILES, number % 40];
    for other in others {
        let (folder, id) = (other / FOLDER, other * CLASSES);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "from package{folder}.module{other} import Record{id}, load_{id}");
    }
    text.push_str("\nlog = logging.getLogger(__name__)\n");
    for class in 0..CLASSES {
        text.push_str(&CLASS.replace('@', &(number * CLASSES + class).to_string()));
    }
    for other in others {
        let id = other * CLASSES;
        let _ = write!(
            text,
            "\n\ndef use_{number}_{id}(folder):\n    record = load_{id}(folder, {number})\n    return Record{id}(record.describe_{id}())\n"
        );
    }
    text
}

/// The time of a call.
struct CallTime {
    processor: Duration,
    elapsed: Duration,
}

/// Runs a `bash` script that ends with `times`.
fn spent(
    project: &StressProject<'_>,
    script: &str,
    args: &[&Path],
) -> Result<CallTime, TaskFailure> {
    let mut command: Command = project.program("bash");
    command.args(["-c", script]).args(args);
    let started = Instant::now();
    let processor = Duration::from_secs_f64(processor_seconds(&mut command)?);
    Ok(CallTime { processor, elapsed: started.elapsed() })
}

fn full(
    project: &StressProject<'_>,
    binary: &Path,
    parser: &Path,
    rounds: usize,
) -> Result<Vec<BenchRow>, TaskFailure> {
    let (mut parsing, mut index) = <(Samples, Samples)>::default();
    let (mut parsing_wall, mut index_wall) = <(Samples, Samples)>::default();
    let root = project.path("");
    let state = project.in_home("state");
    for _ in 0..rounds {
        let bare = spent(project, "\"$0\" \"$1\" >/dev/null; times", &[parser, &root])?;
        parsing.push(bare.processor);
        parsing_wall.push(bare.elapsed);
        let _ = fs::remove_dir_all(&state);
        let ours = spent(project, "\"$0\" code index >/dev/null 2>&1; times", &[binary])?;
        index.push(ours.processor);
        index_wall.push(ours.elapsed);
    }
    let share = |wall: &Samples, processor: &Samples| {
        wall.median().as_secs_f64() / processor.median().as_secs_f64()
    };
    let measured = share(&index_wall, &index) / share(&parsing_wall, &parsing);
    let cores = plain("time of a full index, per processor time".to_owned(), &index_wall)
        .ratio(format!("{measured:.2}"))
        .budget(measured, MOST_IDLE, "times parsing");
    let budget = (MOST_OF_PARSING, "times parsing");
    Ok(vec![
        plain("bare parsing, 3,000 Python files".to_owned(), &parsing),
        compared("full index, 3,000 Python files".to_owned(), &index, &parsing, budget),
        cores,
    ])
}

fn update(project: &StressProject<'_>, binary: &Path) -> Result<BenchRow, TaskFailure> {
    let file = project.path("package7/module350.py");
    let script = format!(
        "i=0; while [ $i -lt {CALLS} ]; do echo \"# $i\" >>\"$1\"; \"$0\" code index >/dev/null 2>&1 \
         || exit 1; i=$((i+1)); done; times"
    );
    let spent = spent(project, &script, &[binary, &file])?;
    Ok(short("update after one changed file", spent.processor, MOST_UPDATE))
}

fn question(
    project: &StressProject<'_>,
    binary: &Path,
    (name, args): (&str, &str),
    most: f64,
) -> Result<BenchRow, TaskFailure> {
    let script = format!(
        "i=0; while [ $i -lt {CALLS} ]; do \"$0\" {args} >/dev/null 2>&1 || exit 1; i=$((i+1)); \
         done; times"
    );
    Ok(short(name, spent(project, &script, &[binary])?.processor, most))
}

fn short(name: &str, all: Duration, most: f64) -> BenchRow {
    let each = all / CALLS;
    let measured = each.as_secs_f64() * 1000.0;
    BenchRow::new(format!("{name}, 3,000 files"), millis(each)).budget(
        measured,
        most,
        "ms of processor time",
    )
}

fn memory(project: &StressProject<'_>) -> Result<BenchRow, TaskFailure> {
    let finished = project.start(&["code", "index", "--rebuild"])?.wait()?;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let measured = finished.peak_kib as f64 / 1024.0;
    Ok(BenchRow::new("memory of a full index, 20 MB".to_owned(), format!("{measured:.0} MiB"))
        .budget(measured, MOST_MEMORY, "MiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_differ_and_use_each_other() {
        assert_ne!(text(1), text(2));
        assert!(text(100).contains("from package1.module50 import Record500, load_500"));
        assert!(text(100).contains("record = load_500(folder, 100)"));
    }
}
