//! Memory: the cost of a search, the speed of writing, the space of notes, and the
//! answers that are found, all through the notebook that users have.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::evidence::finished;
use super::{BenchRow, BenchSize, Budget, program};
use crate::cargo::Cargo;
use crate::failure::TaskFailure;
use crate::workspace;

/// Entries written in a second of one core, at least.
const LEAST_RATE: f64 = 20_000.0;

/// The database in relation to the text in it.
const MOST_SPACE: f64 = 3.5;

/// Most answers of 100 that are missing among the first ten hits of 100,000 notes.
const MOST_MISSED: f64 = 11.7;

/// Most processor time of a process that opens the notebook and answers, in milliseconds.
const MOST_OPENED: f64 = 15.0;

/// Most processor time for selecting the notes that an agent is shown, in milliseconds,
/// for any number of notes.
const MOST_RECALL: f64 = 30.0;

/// Most lines of 100 that are useless to agents in the project of `tests/memory/shop`,
/// and the mean number of tokens of a task.
const MOST_STRAY: f64 = 15.0;
const MOST_TOKENS: f64 = 350.0;

/// The test that prints the lines, and the beginning of its report.
const SHOP: &str = "memory::prove::what_is_shown_in_a_project_with_a_past_matters";
const REPORT: &str = "shown for ";

/// Usual number of entries.
const USUAL: u32 = 100_000;

/// Returns numbers of entries, each with the most processor time of a search, in milliseconds.
fn sizes(extent: BenchSize) -> &'static [(u32, f64)] {
    match extent {
        BenchSize::Small | BenchSize::Usual => &[(USUAL, 5.0)],
        BenchSize::Large => &[(USUAL, 5.0), (1_000_000, 50.0)],
    }
}

pub(super) fn measure(extent: BenchSize) -> Result<Vec<BenchRow>, TaskFailure> {
    let program = program::bench("ralph-memory", "notes")?;
    let recall = program::bench("ralph-engine", "shown")?;
    let mut rows = Vec::new();
    for (entries, most) in sizes(extent) {
        rows.extend(rows_of(*entries, *most, &measured(&program, *entries)?)?);
        rows.push(recall_row(*entries, &measured(&recall, *entries)?)?);
    }
    rows.extend(shop()?);
    Ok(rows)
}

/// Measures the notes shown in a project with a past, for both sets of tasks.
fn shop() -> Result<Vec<BenchRow>, TaskFailure> {
    let root = workspace::root();
    let args = ["test", "--package", "ralph-loop", "--test", "it", "--", "--nocapture", SHOP];
    let printed = Cargo::new(&root, &args).stdout()?;
    let rows: Vec<BenchRow> = printed.lines().filter_map(shop_rows).flatten().collect();
    let missing = || TaskFailure::Failed(format!("no test {SHOP} printed a report"));
    if rows.is_empty() { Err(missing()) } else { Ok(rows) }
}

/// Parses a line such as `shown for tasks: 30 of 31 lines matter, 340 tokens` into rows.
fn shop_rows(line: &str) -> Option<[BenchRow; 2]> {
    // The name of the test may come first.
    let (name, told) = line.split_once(REPORT)?.1.split_once(": ")?;
    let number = |word: &str| word.parse::<f64>().ok();
    let numbers: Vec<f64> = told.split([' ', ',']).filter_map(number).collect();
    let [fitting, lines, tokens] = numbers.try_into().ok()?;
    let stray = 100.0 * (1.0 - fitting / lines.max(1.0));
    let row = |name: String, median: String, budget| {
        BenchRow::new(name, median).with_budget(Some(budget))
    };
    let budget = |measured, most, unit| Budget { measured, most, unit };
    Some([
        row(
            format!("lines that matter, {name}"),
            format!("{fitting} of {lines}"),
            budget(stray, MOST_STRAY, "of 100 lines of no use"),
        ),
        row(
            format!("shown for a task, {name}"),
            format!("{tokens} tokens"),
            budget(tokens, MOST_TOKENS, "tokens"),
        ),
    ])
}

fn measured(program: &Path, entries: u32) -> Result<Value, TaskFailure> {
    let folder =
        tempfile::tempdir().map_err(|error| TaskFailure::io(&std::env::temp_dir(), &error))?;
    let mut command = Command::new(program);
    command.arg(entries.to_string()).arg(folder.path());
    serde_json::from_str(&finished(&mut command)?).map_err(|error| {
        TaskFailure::Failed(format!("{command:?} printed no measurement: {error}"))
    })
}

fn number(measured: &Value, value: &Value) -> Result<f64, TaskFailure> {
    let missing = || TaskFailure::Failed(format!("a number is missing in {measured}"));
    value.as_f64().ok_or_else(missing)
}

fn recall_row(notes: u32, measured: &Value) -> Result<BenchRow, TaskFailure> {
    let times = &measured["recall"];
    let (median, highest) = (number(measured, &times[0])?, number(measured, &times[1])?);
    Ok(BenchRow::new(
        format!("what an agent is shown of {} notes", grouped(notes)),
        format!("{median:.2} ms"),
    )
    .p95(format!("{highest:.2} ms (p99)"))
    .budget(median, MOST_RECALL, "ms of processor time"))
}

fn rows_of(entries: u32, most: f64, measured: &Value) -> Result<Vec<BenchRow>, TaskFailure> {
    let number = |value: &Value| number(measured, value);
    let pair = |name: &str| Ok((number(&measured[name][0])?, number(&measured[name][1])?));
    let (search, opened): ((f64, f64), (f64, f64)) = (pair("search")?, pair("opened")?);
    let rate = f64::from(entries) / (number(&measured["import_ms"])? / 1000.0);
    let text = number(&measured["text"])?;
    let (database, log) = (number(&measured["database"])? / text, number(&measured["log"])? / text);
    let size = format!("{} notes", grouped(entries));
    let row = |name: String, median: String| BenchRow::new(name, median);
    let timed = |name: &str, (median, highest): (f64, f64)| BenchRow {
        p95: format!("{highest:.2} ms (p99)"),
        ..row(format!("{name} in {size}"), format!("{median:.2} ms"))
    };
    let budget = |measured: f64, most: f64, unit| Some(Budget { measured, most, unit });
    let of_text = |name: &str, ratio: f64| BenchRow {
        ratio: format!("{ratio:.2}"),
        ..row(format!("{name} of {size}, to their text"), String::new())
    };
    let found = number(&measured["recall"])? * 100.0;
    let usual = (entries <= USUAL).then_some(());
    Ok(vec![
        BenchRow {
            budget: budget(search.0, most, "ms of processor time"),
            ..timed("search", search)
        },
        BenchRow {
            budget: usual.and_then(|()| budget(opened.0, MOST_OPENED, "ms of processor time")),
            ..timed("open and search", opened)
        },
        BenchRow {
            ratio: format!("{:.2}", LEAST_RATE / rate),
            budget: budget(LEAST_RATE / rate, 1.0, "s of one core for 20,000"),
            ..row(format!("import of {size}"), format!("{rate:.0} notes/s"))
        },
        BenchRow { budget: budget(database, MOST_SPACE, "times"), ..of_text("database", database) },
        of_text("log", log),
        BenchRow {
            budget: usual
                .and_then(|()| budget(100.0 - found, MOST_MISSED, "of 100 answers missed")),
            ..row(format!("answers found in {size}"), format!("{found:.1} of 100"))
        },
    ])
}

/// Renders a number as `100,000`.
fn grouped(number: u32) -> String {
    match (number / 1_000_000, number / 1000 % 1000, number % 1000) {
        (0, 0, rest) => rest.to_string(),
        (0, thousands, rest) => format!("{thousands},{rest:03}"),
        (millions, thousands, rest) => format!("{millions},{thousands:03},{rest:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_what_is_shown_becomes_rows_with_budgets() {
        let line = "test a::b ... shown for tasks: 30 of 40 lines matter, 340 tokens";
        let [matter, tokens] = shop_rows(line).unwrap();
        assert_eq!((matter.median.as_str(), tokens.median.as_str()), ("30 of 40", "340 tokens"));
        assert!((matter.budget.unwrap().measured - 25.0).abs() < 0.01);
        assert!((tokens.budget.unwrap().measured - 340.0).abs() < 0.01);
        assert!(shop_rows("test memory::prove::x ... ok").is_none());
    }

    #[test]
    fn a_measurement_becomes_rows_with_budgets() {
        let measured = serde_json::json!({
            "import_ms": 10_000.0, "text": 100, "database": 240, "log": 60,
            "search": [1.5, 3.0], "opened": [2.5, 4.0], "recall": 0.85,
        });
        let rows = rows_of(100_000, 2.0, &measured).unwrap();
        let held: Vec<Option<bool>> =
            rows.iter().map(|row| row.budget.as_ref().map(Budget::is_held)).collect();
        let want = [Some(true), Some(true), Some(false), Some(true), None, Some(false)];
        assert_eq!(held, want);
        assert_eq!(rows[0].name, "search in 100,000 notes");
        assert_eq!(rows[2].median, "10000 notes/s");
        assert_eq!(rows[5].median, "85.0 of 100");
        assert!(rows_of(100_000, 2.0, &Value::Null).is_err());
    }

    #[test]
    fn what_an_agent_is_shown_has_a_budget() {
        let row = recall_row(100_000, &serde_json::json!({ "recall": [12.0, 40.0] })).unwrap();
        assert_eq!(row.name, "what an agent is shown of 100,000 notes");
        assert!(row.budget.is_some_and(|budget| budget.is_held()));
        assert!(recall_row(1, &Value::Null).is_err());
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([999, 20_000, 1_000_000].map(grouped), ["999", "20,000", "1,000,000"]);
    }
}
