//! `cargo xtask bench`: speed and memory against their budgets, as a table.
//!
//! Ratios are taken within one run: both sides are measured in turns, so that a busy
//! machine slows them alike.

mod code;
mod commands;
mod evidence;
mod files;
mod hooks;
mod memory;
mod program;
mod samples;
mod sandbox;
mod security;
mod served;
mod snapshots;
mod turns;

use std::path::Path;

use crate::failure::TaskFailure;
use crate::stress::stage::ScenarioLength;
use crate::table::TextTable;
use crate::{say, workspace};

struct BenchGroup {
    name: &'static str,
    measure: fn(&Path, BenchSize) -> Result<Vec<BenchRow>, TaskFailure>,
}

const GROUPS: &[BenchGroup] = &[
    BenchGroup { name: "commands", measure: |binary, _| commands::measure(binary) },
    BenchGroup { name: "hooks", measure: |binary, _| hooks::measure(binary) },
    BenchGroup { name: "turns", measure: |binary, _| turns::measure(binary) },
    BenchGroup { name: "sandbox", measure: |binary, _| sandbox::measure(binary) },
    BenchGroup { name: "snapshots", measure: snapshots::measure },
    BenchGroup { name: "evidence", measure: |binary, _| evidence::measure(binary) },
    BenchGroup { name: "code", measure: code::measure },
    BenchGroup { name: "security", measure: |_, extent| security::measure(extent) },
    BenchGroup { name: "files", measure: |binary, _| files::measure(binary) },
    BenchGroup { name: "memory", measure: |_, extent| memory::measure(extent) },
];

/// One line of the table.
struct BenchRow {
    name: String,
    median: String,
    p95: String,
    ratio: String,
    budget: Option<Budget>,
}

impl BenchRow {
    fn new(name: impl Into<String>, median: String) -> Self {
        let (p95, ratio) = (String::new(), String::new());
        Self { name: name.into(), median, p95, ratio, budget: None }
    }

    fn p95(self, p95: String) -> Self {
        Self { p95, ..self }
    }

    fn ratio(self, ratio: String) -> Self {
        Self { ratio, ..self }
    }

    fn budget(self, measured: f64, most: f64, unit: &'static str) -> Self {
        self.with_budget(Some(Budget { measured, most, unit }))
    }

    fn with_budget(self, budget: Option<Budget>) -> Self {
        Self { budget, ..self }
    }
}

/// A bound on something measured.
struct Budget {
    measured: f64,
    most: f64,
    unit: &'static str,
}

impl Budget {
    fn is_held(&self) -> bool {
        self.measured <= self.most
    }
}

/// Measures the named groups, or all of them.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let wish = BenchOptions::parse(args)?;
    let binary = ScenarioLength::Full.build(&workspace::root())?;
    let mut rows = Vec::new();
    for group in &wish.groups {
        rows.extend((group.measure)(&binary, wish.extent)?);
    }
    say::line(&format!("\n{}\n", render(&rows)));
    let excess = exceeded(&rows);
    match wish.strictness {
        Strictness::Report => {
            for line in &excess {
                say::line(line);
            }
            Ok(())
        }
        Strictness::Enforce if excess.is_empty() => Ok(()),
        Strictness::Enforce => Err(TaskFailure::Failed(excess.join("\n"))),
    }
}

fn render(rows: &[BenchRow]) -> String {
    let mut table = TextTable::new(&["name", "median", "p95", "ratio", "budget", "ok"]);
    for row in rows {
        let (budget, ok) = match &row.budget {
            Some(budget) if budget.is_held() => (format!("{} {}", budget.most, budget.unit), "ok"),
            Some(budget) => (format!("{} {}", budget.most, budget.unit), "EXCEEDED"),
            None => (String::new(), ""),
        };
        table.row([row.name.as_str(), &row.median, &row.p95, &row.ratio, &budget, ok]);
    }
    table.render()
}

fn exceeded(rows: &[BenchRow]) -> Vec<String> {
    let line = |row: &BenchRow| {
        let budget = row.budget.as_ref().filter(|budget| !budget.is_held())?;
        let Budget { measured, most, unit } = budget;
        Some(format!("{}: {measured:.2} {unit} exceeds its budget of {most} {unit}", row.name))
    };
    rows.iter().filter_map(line).collect()
}

/// The effect of a budget that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictness {
    Enforce,
    Report,
}

/// The size of the generated projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BenchSize {
    /// For all groups together, since time is short.
    Small,
    /// For groups that are named.
    Usual,
    /// On request: it takes minutes.
    Large,
}

struct BenchOptions {
    strictness: Strictness,
    extent: BenchSize,
    groups: Vec<&'static BenchGroup>,
}

impl BenchOptions {
    fn parse(args: &[String]) -> Result<Self, TaskFailure> {
        let (strictness, extent) = (Strictness::Enforce, BenchSize::Usual);
        let mut wish = Self { strictness, extent, groups: Vec::new() };
        for arg in args {
            if arg == "--report" {
                wish.strictness = Strictness::Report;
                continue;
            }
            if arg == "--large" {
                wish.extent = BenchSize::Large;
                continue;
            }
            let group = GROUPS.iter().find(|group| group.name == arg).ok_or_else(|| {
                let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
                TaskFailure::Usage(format!("nothing named `{arg}`; there are {}", names.join(", ")))
            })?;
            wish.groups.push(group);
        }
        if wish.groups.is_empty() {
            wish.groups.extend(GROUPS);
            if wish.extent == BenchSize::Usual {
                wish.extent = BenchSize::Small;
            }
        }
        Ok(wish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, measured: f64) -> BenchRow {
        BenchRow::new(name.to_owned(), format!("{measured} ms")).budget(measured, 4.0, "times true")
    }

    #[test]
    fn a_budget_that_is_exceeded_is_told_with_both_numbers() {
        let rows = [row("start", 4.0), row("cancel", 4.126)];
        assert_eq!(exceeded(&rows), ["cancel: 4.13 times true exceeds its budget of 4 times true"]);
        assert!(render(&rows).ends_with("EXCEEDED"));
    }

    #[test]
    fn names_choose_groups_and_unknown_ones_are_usage_errors() {
        let parse = |args: &[&str]| {
            BenchOptions::parse(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(parse(&[]).map(|wish| wish.groups.len()), Ok(GROUPS.len()));
        let wish = parse(&["--report", "turns"]).unwrap();
        assert_eq!((wish.strictness, wish.groups.len()), (Strictness::Report, 1));
        let extent = |args: &[&str]| parse(args).unwrap().extent;
        assert_eq!([extent(&[]), extent(&["snapshots"])], [BenchSize::Small, BenchSize::Usual]);
        assert_eq!([extent(&["--large"]), extent(&["turns", "--large"])], [BenchSize::Large; 2]);
        assert_eq!(parse(&["--reprot"]).err().map(|failure| failure.exit_code()), Some(2));
    }
}
