//! Python: pytest and unittest, ruff, mypy, pyright, and who runs them.

mod project;

use ralph_core::format::Format;
use ralph_core::policy::Criterion;

use super::draft::Draft;
use super::sight::Folder;
use super::workspace;
use project::Project;

/// Files that make a folder a project of its own.
const OWN: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// Files that speak of Python all the same.
const SIGNS: [&str; 8] = [
    "requirements.txt",
    "Pipfile",
    "tox.ini",
    "pytest.ini",
    "conftest.py",
    "mypy.ini",
    "ruff.toml",
    ".ruff.toml",
];

/// How many test files are read to find out how they are written.
const MOST_READ: usize = 20;

pub(super) fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let marked = folder.first(&OWN).or_else(|| folder.first(&SIGNS)).is_some();
    let with_tests = || folder.is_root() && test_files(folder).next().is_some();
    if !marked && !with_tests() {
        return Vec::new();
    }
    let project = Project::new(*folder);
    [test(&project), ruff(&project), mypy(&project), pyright(&project)]
        .into_iter()
        .flatten()
        .collect()
}

/// A folder without a project file of its own belongs to the one above, and
/// so does a member of a workspace.
pub(super) fn covers(root: &Folder<'_>, inner: &str) -> bool {
    let own = root.below(inner).and_then(|folder| folder.first(&OWN));
    own.is_none() || workspace::lists(&Project::new(*root).members(), inner)
}

/// Files with tests, without those of projects further below: these may only
/// find what they import when they are run from there.
fn test_files<'a>(folder: &Folder<'a>) -> impl Iterator<Item = (Folder<'a>, &'a str)> {
    let is_test = |file: &str| {
        file.strip_suffix(".py")
            .is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
    };
    folder.all_files().filter(move |(at, file)| is_test(file) && owns(folder, at))
}

/// Whether no project of its own lies on the way down to a folder.
fn owns(folder: &Folder<'_>, at: &Folder<'_>) -> bool {
    let inner = at.dir_within(folder);
    let ends = inner.match_indices('/').map(|(end, _)| end).chain([inner.len()]);
    ends.map(|end| &inner[..end]).all(|way| way.is_empty() || covers(folder, way))
}

fn test(project: &Project<'_>) -> Option<Draft> {
    let folder = &project.folder;
    if let Some(why) = project.tox()
        && (folder.has_tool("tox") || !folder.has_tool("pytest"))
    {
        return Some(Draft::new(folder, Criterion::TestPass, "tox", "tox run").because(why));
    }
    let why = match uses_pytest(project) {
        Some(why) => why,
        None => match test_style(folder)? {
            Style::Unittest(file) => return Some(unittest(project, &file)),
            Style::Pytest(file) => file,
        },
    };
    let (words, by) = project.module("pytest");
    let words = words.into_iter().chain(["--junitxml={report}".to_owned()]);
    let draft = Draft::of_words(folder, Criterion::TestPass, "pytest", words);
    let draft = draft.reads(Format::Junit).because(with(&why, by));
    Some(match project.lacks("pytest") {
        Some(program) => draft.lacks(&program),
        None => draft,
    })
}

/// What says that the project uses pytest.
fn uses_pytest(project: &Project<'_>) -> Option<String> {
    let folder = &project.folder;
    if project.has_table("pytest") {
        return Some("pyproject.toml has [tool.pytest]".to_owned());
    }
    if let Some(file) = folder.first(&["pytest.ini", "conftest.py"]) {
        return Some(file.to_owned());
    }
    if let Some(file) = project.ini_section(&["tool:pytest", "pytest"]) {
        return Some(format!("{file} configures pytest"));
    }
    ["pytest", "pytest-cov", "pytest-asyncio", "pytest-xdist"]
        .into_iter()
        .find_map(|package| project.declares(package))
        .map(|file| format!("{file} names pytest"))
}

enum Style {
    Pytest(String),
    Unittest(String),
}

/// How the tests are written, with a file that shows it.
fn test_style(folder: &Folder<'_>) -> Option<Style> {
    let mut unittest = None;
    for (at, file) in test_files(folder).take(MOST_READ) {
        let text = at.read(file).unwrap_or_default();
        if !text.contains("unittest") || text.contains("import pytest") {
            return Some(Style::Pytest(at.name_of(file)));
        }
        unittest = unittest.or_else(|| Some(at.name_of(file)));
    }
    unittest.map(Style::Unittest)
}

fn unittest(project: &Project<'_>, file: &str) -> Draft {
    let folder = &project.folder;
    let (mut words, by) = project.module("unittest");
    // Only with `-v` does it name the tests that pass.
    words.extend(["discover", "-v"].map(str::to_owned));
    // Discovery enters packages only, unless it starts inside.
    let beside = ["tests", "test"]
        .into_iter()
        .find(|dir| folder.exists(dir) && !folder.exists(&format!("{dir}/__init__.py")));
    if let Some(dir) = beside {
        words.extend(["-s", dir, "-t", "."].map(str::to_owned));
    }
    Draft::of_words(folder, Criterion::TestPass, "unittest", words)
        .because(with(&format!("{file} uses unittest"), by))
}

fn ruff(project: &Project<'_>) -> Option<Draft> {
    let why = configured(project, "ruff", &["ruff.toml", ".ruff.toml"], &[])?;
    let arguments = ["check", "--output-format=json", "."];
    Some(tool(project, Criterion::LintClean, "ruff", &arguments, &why).reads(Format::Ruff))
}

fn mypy(project: &Project<'_>) -> Option<Draft> {
    let why = configured(project, "mypy", &["mypy.ini", ".mypy.ini"], &["mypy"])?;
    let mut arguments = vec!["--no-pretty"];
    if !project.mypy_knows_its_files() {
        arguments.push(".");
    }
    Some(tool(project, Criterion::TypeCheck, "mypy", &arguments, &why).reads(Format::Mypy))
}

fn pyright(project: &Project<'_>) -> Option<Draft> {
    let why = configured(project, "pyright", &["pyrightconfig.json"], &[])?;
    let arguments = ["--outputjson"];
    Some(tool(project, Criterion::TypeCheck, "pyright", &arguments, &why).reads(Format::Pyright))
}

/// What says that the project uses a tool: its configuration, its
/// requirements, or that it is installed for this project.
fn configured(
    project: &Project<'_>,
    name: &'static str,
    files: &[&str],
    sections: &[&str],
) -> Option<String> {
    if project.has_table(name) {
        return Some(format!("pyproject.toml has [tool.{name}]"));
    }
    if let Some(file) = project.folder.first(files) {
        return Some(file.to_owned());
    }
    if let Some(file) = project.ini_section(sections) {
        return Some(format!("{file} has [{name}]"));
    }
    if let Some(file) = project.declares(name) {
        return Some(format!("{file} names {name}"));
    }
    project.installed(name)
}

fn tool(
    project: &Project<'_>,
    criterion: Criterion,
    name: &'static str,
    arguments: &[&str],
    why: &str,
) -> Draft {
    let (mut words, by) = project.program(name);
    words.extend(arguments.iter().map(|&word| word.to_owned()));
    Draft::of_words(&project.folder, criterion, name, words).because(with(why, by))
}

fn with(why: &str, by: Option<&str>) -> String {
    match by {
        Some(by) => format!("{why}; {by}"),
        None => why.to_owned(),
    }
}
