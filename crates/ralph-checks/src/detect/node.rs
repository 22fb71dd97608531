//! JavaScript and TypeScript: scripts, and the tools behind them.
//!
//! A tool is called directly where its report can be read; a script that does
//! more than call one tool stays a script.

mod mending;
mod package;

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::said::script_parts;
use super::sight::ProjectFolder;
use super::workspace;
use package::{NodePackage, SingleCommandScript};

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let Some(package) = NodePackage::read(*folder) else { return Vec::new() };
    let mut drafts: Vec<ProposalDraft> = Vec::new();
    drafts.extend(test(&package));
    drafts.extend(run(&package, Criterion::BuildSuccess, "build"));
    drafts.extend(lint(&package));
    drafts.extend(types(&package));
    drafts
}

/// Members of a workspace belong to its root.
pub(super) fn covers(root: &ProjectFolder<'_>, inner: &str) -> bool {
    workspace::lists(&package::members(root), inner)
}

fn test(package: &NodePackage<'_>) -> Option<ProposalDraft> {
    let script = package.script("test");
    let why = match script {
        Some(script) => format!("package.json: `test` is `{script}`"),
        None => "package.json names it".to_owned(),
    };
    let script = match script {
        Some(_) if mending::culprit(package, "test").is_some() => {
            return run(package, Criterion::TestPass, "test");
        }
        Some(script) => script,
        None if package.depends("vitest") => "vitest",
        None if package.depends("jest") => "jest",
        None => return None,
    };
    let direct = direct(package, script);
    direct.map(|draft| draft.because(why)).or_else(|| package.run(Criterion::TestPass, "test"))
}

/// A test runner whose report can be asked for, if a script calls nothing else.
fn direct(package: &NodePackage<'_>, script: &str) -> Option<ProposalDraft> {
    let line = SingleCommandScript::of(script)?;
    match line.program.as_str() {
        "vitest" => Some(vitest(package, &line)),
        "jest" => Some(jest(package, &line)),
        "node" if line.has("--test") => Some(node_test(package, &line)),
        "bun" if line.arguments.first().is_some_and(|word| word == "test") => {
            Some(bun_test(package, &line))
        }
        _ => None,
    }
}

/// A script, without what in it changes files.
fn run(package: &NodePackage<'_>, criterion: Criterion, name: &str) -> Option<ProposalDraft> {
    let draft = package.run(criterion, name)?;
    let Some(culprit) = mending::culprit(package, name) else { return Some(draft) };
    let changes = format!("it changes files: `{culprit}`");
    let kept = mending::without(package, name).and_then(|kept| {
        let direct = || direct(package, &kept).filter(|_| criterion == Criterion::TestPass);
        direct().or_else(|| package.line(criterion, &kept))
    });
    Some(match kept {
        Some(kept) => kept.because(format!("package.json: `{name}` without what changes files")),
        None => draft.forbid(changes),
    })
}

fn vitest(package: &NodePackage<'_>, line: &SingleCommandScript) -> ProposalDraft {
    let kept = line.without(
        &["run", "watch", "dev", "--run", "--watch", "-w", "--ui", "-u", "--update"],
        &["--reporter", "--outputFile"],
    );
    let report = ["--reporter=json", "--outputFile={report}"].map(str::to_owned);
    let words = std::iter::once("run".to_owned()).chain(kept).chain(report);
    package.tool(Criterion::TestPass, "vitest", words).reads(OutputFormat::Jest)
}

fn jest(package: &NodePackage<'_>, line: &SingleCommandScript) -> ProposalDraft {
    let unwanted = ["--watch", "--watchAll", "--json", "--ci", "-u", "--updateSnapshot"];
    let kept = line.without(&unwanted, &["--outputFile"]);
    // With `--ci` it writes no snapshots.
    let report = ["--ci", "--json", "--outputFile={report}"].map(str::to_owned);
    package
        .tool(Criterion::TestPass, "jest", kept.into_iter().chain(report))
        .reads(OutputFormat::Jest)
}

fn node_test(package: &NodePackage<'_>, line: &SingleCommandScript) -> ProposalDraft {
    let kept = line.without(&["--watch"], &["--test-reporter", "--test-reporter-destination"]);
    let words = ["node", "--test-reporter=tap"].map(str::to_owned).into_iter().chain(kept);
    let draft = ProposalDraft::of_words(&package.folder, Criterion::TestPass, "node", words);
    package.installed(draft.reads(OutputFormat::Tap))
}

fn bun_test(package: &NodePackage<'_>, line: &SingleCommandScript) -> ProposalDraft {
    let kept = line.without(&["--watch"], &["--reporter", "--reporter-outfile"]);
    let report = ["--reporter=junit", "--reporter-outfile={report}"].map(str::to_owned);
    let words = std::iter::once("bun".to_owned()).chain(kept).chain(report);
    let draft = ProposalDraft::of_words(&package.folder, Criterion::TestPass, "bun", words);
    package.installed(draft.reads(OutputFormat::Junit))
}

/// A linter: its package, its program, its arguments, and what it prints.
struct NodeLinter {
    package: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// The arguments that make it print a form that can be read.
    report: &'static [&'static str],
    /// The options that a gate must not have: they change files, or print another form.
    unwanted: &'static [&'static str],
    unwanted_values: &'static [&'static str],
    format: OutputFormat,
}

const LINTERS: [NodeLinter; 3] = [
    NodeLinter {
        package: "eslint",
        program: "eslint",
        arguments: &["."],
        report: &["--format", "json"],
        unwanted: &["--fix", "--fix-type"],
        unwanted_values: &["--format", "-f", "--output-file", "-o"],
        format: OutputFormat::Eslint,
    },
    NodeLinter {
        package: "@biomejs/biome",
        program: "biome",
        arguments: &["check"],
        // It would stop after twenty.
        report: &["--reporter=json", "--max-diagnostics=200"],
        unwanted: &["--write", "--fix", "--apply", "--apply-unsafe", "--unsafe"],
        unwanted_values: &["--reporter", "--max-diagnostics"],
        format: OutputFormat::Biome,
    },
    NodeLinter {
        package: "oxlint",
        program: "oxlint",
        arguments: &[],
        report: &["--format=json"],
        unwanted: &["--fix", "--fix-suggestions", "--fix-dangerously"],
        unwanted_values: &["--format", "-f"],
        format: OutputFormat::Oxlint,
    },
];

fn lint(package: &NodePackage<'_>) -> Vec<ProposalDraft> {
    let script = package.script("lint");
    let parts = script.map(script_parts).unwrap_or_default();
    let lines = parts.iter().filter_map(|(part, _)| SingleCommandScript::of(part));
    let lines: Vec<SingleCommandScript> = lines.collect();
    // Of several calls none says it all.
    let line = |linter: &NodeLinter| {
        let mut calls = lines.iter().filter(|line| line.is_of(linter.program));
        calls.next().filter(|_| calls.next().is_none())
    };
    let known = |linter: &&NodeLinter| {
        line(linter).is_some()
            || (package.depends(linter.package)
                && script.is_none_or(|it| it.contains(linter.program)))
    };
    let draft = |linter: &NodeLinter| {
        let called = line(linter);
        let folder = &package.folder;
        let said = folder.said().agreed(linter.program, folder.dir(), |_| true);
        let said = said.filter(|_| called.is_none() && script.is_none());
        let arguments = match (called, said) {
            (Some(line), _) => line.without(linter.unwanted, linter.unwanted_values),
            (None, Some(said)) => SingleCommandScript::new(linter.program, said.arguments())
                .without(linter.unwanted, linter.unwanted_values),
            (None, None) => linter.arguments.iter().map(|&word| word.to_owned()).collect(),
        };
        let words = arguments.into_iter().chain(linter.report.iter().map(|&word| word.to_owned()));
        let why = match called.and(script) {
            Some(script) => format!("package.json: `lint` is `{script}`"),
            None => match said {
                Some(said) => format!("{} runs {}", said.origin, linter.program),
                None => format!("package.json names {}", linter.package),
            },
        };
        package.tool(Criterion::LintClean, linter.program, words).reads(linter.format).because(why)
    };
    let drafts: Vec<ProposalDraft> = LINTERS.iter().filter(known).map(draft).collect();
    if drafts.is_empty() {
        run(package, Criterion::LintClean, "lint").into_iter().collect()
    } else {
        drafts
    }
}

fn types(package: &NodePackage<'_>) -> Option<ProposalDraft> {
    let script = ["typecheck", "type-check", "check-types", "types"]
        .into_iter()
        .find(|name| package.script(name).is_some());
    if let Some(name) = script {
        let line = package.script(name).and_then(SingleCommandScript::of);
        return match line.filter(|line| line.program == "tsc") {
            Some(line) => {
                let kept = line.without(&["--watch", "-w"], &["--pretty"]);
                let words = kept.into_iter().chain(["--pretty", "false"].map(str::to_owned));
                let draft =
                    package.tool(Criterion::TypeCheck, "tsc", words).reads(OutputFormat::Tsc);
                Some(draft.because(format!("package.json: script `{name}`")))
            }
            None => run(package, Criterion::TypeCheck, name),
        };
    }
    let config = package.folder.read("tsconfig.json")?;
    let there = || package.folder.upwards("node_modules/.bin/tsc").is_some();
    if !package.depends("typescript") && !there() {
        return None;
    }
    // A file that only refers to others checks nothing by itself.
    let line = if config.contains("\"references\"") {
        "--build --noEmit --pretty false"
    } else {
        "--noEmit --pretty false"
    };
    let words = line.split(' ').map(str::to_owned);
    let draft = package.tool(Criterion::TypeCheck, "tsc", words);
    Some(draft.reads(OutputFormat::Tsc).because("tsconfig.json"))
}
