//! `cargo xtask yardstick`: compares the code graph of public projects with the results
//! of widely used tools.
//!
//! It downloads sources, so it is not a part of the tests. Neither side is right by
//! definition: every disagreement is listed below `target/yardstick` for inspection.

mod ours;
mod server;
mod sources;
mod tags;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cargo::Cargo;
use crate::failure::TaskFailure;
use crate::table::TextTable;
use crate::{say, tools, workspace};
use ours::IndexedProject;
use sources::YardstickProject;

/// Number of definitions of a project that are asked about.
const SAMPLE: usize = 150;

/// A place in a project: a path, a line, and the name there.
type NameLocation = (String, u64, String);

/// The input of all comparisons.
struct YardstickSetup {
    /// Folder of sources and disagreements.
    folder: PathBuf,
    /// The binary of ralph.
    binary: PathBuf,
    /// The search path with the language servers.
    path: String,
}

/// The results of two tools for the same question.
struct Comparison {
    name: String,
    ours: BTreeSet<NameLocation>,
    theirs: BTreeSet<NameLocation>,
}

/// Compares the named projects, or all.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let known: Vec<&str> = sources::ALL.iter().map(|source| source.name).collect();
    if let Some(other) = args.iter().find(|name| !known.contains(&name.as_str())) {
        let known = known.join(", ");
        return Err(TaskFailure::Usage(format!("no project `{other}`; there are {known}")));
    }
    let root = workspace::root();
    Cargo::new(&root, &["build", "--package", "ralph-loop"]).run()?;
    let target = workspace::target(&root);
    let shop = YardstickSetup {
        folder: target.join("yardstick"),
        binary: target.join("debug/ralph"),
        path: tools::install(&root, tools::ToolSet::Usual)?,
    };
    let mut table =
        TextTable::new(&["comparison", "both", "only ours", "only theirs", "precision", "recall"]);
    for source in
        sources::ALL.iter().filter(|it| args.is_empty() || args.iter().any(|name| name == it.name))
    {
        for comparison in compare(source, &shop)? {
            comparison.write(&shop.folder)?;
            table.row(comparison.row());
        }
    }
    say::line(&format!("\n{}\n\nDisagreements are in {}.", table.render(), shop.folder.display()));
    Ok(())
}

fn compare(
    source: &YardstickProject,
    shop: &YardstickSetup,
) -> Result<Vec<Comparison>, TaskFailure> {
    say::line(&format!("{} …", source.name));
    let project = source.fetch(&shop.folder.join("sources"))?;
    let ours = IndexedProject::index(&shop.binary, &project, &shop.folder.join("state"))?;
    let mut definitions = ours.definitions()?;
    definitions.retain(|it| source.endings.iter().any(|end| it.path.ends_with(end)));
    let (known, tagged) = (source.kinds.ours, source.kinds.tags);
    let mut found = vec![Comparison {
        name: format!("{} definitions, ctags", source.name),
        ours: definitions
            .iter()
            .filter(|it| known.contains(&it.kind.as_str()))
            .map(ours::IndexedDefinition::spot)
            .collect(),
        theirs: tags::of(&project, source.language, tagged)?,
    }];
    let Some(server) = &source.server else { return Ok(found) };
    let asked: Vec<_> = definitions.iter().filter(|it| it.can_be_asked()).collect();
    let step = asked.len().div_ceil(SAMPLE).max(1);
    let mut client = server::YardstickClient::start(server, &project, &shop.path)?;
    let mut references = Comparison {
        name: format!("{} references, {}", source.name, server.program),
        ours: BTreeSet::new(),
        theirs: BTreeSet::new(),
    };
    for definition in asked.into_iter().step_by(step) {
        // An ambiguous name is not asked about.
        let Some(places) = ours.references(definition)? else { continue };
        let what = &definition.full_name;
        let spots = |places: Vec<(String, u64)>| {
            places.into_iter().map(|(path, line)| (path, line, what.clone())).collect::<Vec<_>>()
        };
        match client.references(definition) {
            Ok(found) => {
                references.ours.extend(spots(places));
                references.theirs.extend(spots(found));
            }
            Err(failure) => {
                say::line(&format!("  {what}: {failure}"));
                client = server::YardstickClient::start(server, &project, &shop.path)?;
            }
        }
    }
    client.end()?;
    found.push(references);
    Ok(found)
}

impl Comparison {
    fn row(&self) -> [String; 6] {
        let both = self.ours.intersection(&self.theirs).count();
        [
            self.name.clone(),
            both.to_string(),
            (self.ours.len() - both).to_string(),
            (self.theirs.len() - both).to_string(),
            percent(both, self.ours.len()),
            percent(both, self.theirs.len()),
        ]
    }

    /// Lists the results that only one of them has.
    fn write(&self, folder: &Path) -> Result<(), TaskFailure> {
        let mut text = String::new();
        for (head, one, other) in
            [("only ours", &self.ours, &self.theirs), ("only theirs", &self.theirs, &self.ours)]
        {
            for (path, line, name) in one.difference(other) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{head}: {path}:{line} {name}");
            }
        }
        let file =
            folder.join(format!("{}.txt", self.name.replace([' ', ','], "-").replace("--", "-")));
        write(&file, &text)
    }
}

fn percent(part: usize, whole: usize) -> String {
    // It is rounded down, so that 100 means all.
    let tenths = (part * 1000).checked_div(whole).unwrap_or(1000);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

fn write(file: &Path, text: &str) -> Result<(), TaskFailure> {
    let folder = file.parent().unwrap_or(file);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(file, text));
    written.map_err(|error| TaskFailure::io(file, &error))
}

/// Returns the output of a program.
fn output(command: &mut std::process::Command) -> Result<Vec<u8>, TaskFailure> {
    let shown = format!("{command:?}");
    let output =
        command.output().map_err(|error| TaskFailure::Failed(format!("{shown}: {error}")))?;
    Ok(output.stdout)
}

/// Runs a program, which must succeed.
fn execute(command: &mut std::process::Command) -> Result<(), TaskFailure> {
    let shown = format!("{command:?}");
    let status =
        command.status().map_err(|error| TaskFailure::Failed(format!("{shown}: {error}")))?;
    if status.success() { Ok(()) } else { Err(TaskFailure::Failed(format!("{shown}: {status}"))) }
}

/// Returns a path relative to the project's root, as `ralph` writes it.
fn inside(project: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(project).ok()?.to_str()?.to_owned())
}

/// Makes an empty folder and returns its real path.
fn fresh(folder: &Path) -> Result<PathBuf, TaskFailure> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| TaskFailure::io(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| TaskFailure::io(folder, &error))?;
    fs::canonicalize(folder).map_err(|error| TaskFailure::io(folder, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_counted_from_both_sides() {
        let spots = |lines: &[u64]| {
            lines.iter().map(|line| ("a".to_owned(), *line, "f".to_owned())).collect()
        };
        let found = Comparison {
            name: "x".to_owned(),
            ours: spots(&[1, 2, 3]),
            theirs: spots(&[2, 3, 4, 5]),
        };
        assert_eq!(found.row(), ["x", "2", "1", "2", "66.6%", "50.0%"]);
        assert_eq!(percent(0, 0), "100.0%");
    }

    #[test]
    fn an_unknown_project_is_a_usage_error() {
        assert!(matches!(run(&["nothing".to_owned()]), Err(TaskFailure::Usage(_))));
    }
}
