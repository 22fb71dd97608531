//! Python: pytest and unittest, ruff, mypy, pyright, and who runs them.

mod project;

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::flags::{self, FlagRules};
use super::sight::{ProjectFolder, is_of};
use super::{rows, tasks, workspace};
use project::PythonProject;

/// Files that make a folder a project of its own.
const OWN: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// Files that speak of Python all the same.
const SIGNS: [&str; 10] = [
    "manage.py",
    "noxfile.py",
    "requirements.txt",
    "Pipfile",
    "tox.ini",
    "pytest.ini",
    "conftest.py",
    "mypy.ini",
    "ruff.toml",
    ".ruff.toml",
];

const PYTEST: FlagRules = FlagRules {
    unwanted: &[
        "-v",
        "-vv",
        "-q",
        "-s",
        "-x",
        "-l",
        "-ra",
        "-rA",
        "--verbose",
        "--quiet",
        "--exitfirst",
        "--cov-append",
        "--no-header",
        "--no-summary",
    ],
    unwanted_values: &[
        "--cov",
        "--cov-report",
        "--cov-config",
        "--cov-fail-under",
        "--junitxml",
        "--junit-xml",
        "--html",
        "--durations",
        "--color",
        "--tb",
        "--maxfail",
        "-r",
        "--capture",
    ],
    parts: &["-k", "--lf", "--ff", "--collect-only", "--co", "--pyargs"],
};

const MYPY: FlagRules = FlagRules {
    unwanted: &["--pretty", "--no-pretty", "--install-types", "--non-interactive", "-v"],
    unwanted_values: &["--output", "--junit-xml", "--html-report", "--txt-report", "--xml-report"],
    parts: &["-m", "-p", "-c", "--python-version", "--platform"],
};

/// The maximum number of test files read to find out how they are written.
const MOST_READ: usize = 20;

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let marked = folder.first(&OWN).or_else(|| folder.first(&SIGNS)).is_some();
    let with_tests = || folder.is_root() && test_files(folder).next().is_some();
    if !marked && !with_tests() {
        return Vec::new();
    }
    let project = PythonProject::new(*folder);
    [test(&project), ruff(&project), mypy(&project), pyright(&project)]
        .into_iter()
        .flatten()
        .collect()
}

/// A folder without a project file of its own belongs to the one above, and
/// so does a member of a workspace.
pub(super) fn covers(root: &ProjectFolder<'_>, inner: &str) -> bool {
    let Some(inner_folder) = root.below(inner) else { return true };
    // Where the project says that the tests run.
    let is_run = root.said().of("pytest", inner_folder.dir()).next().is_some();
    inner_folder.first(&OWN).is_none()
        || (!is_run && workspace::lists(&PythonProject::new(*root).members(), inner))
}

/// Files with tests, without those of projects further below: these may only
/// find what they import when they are run from there.
fn test_files<'a>(
    folder: &ProjectFolder<'a>,
) -> impl Iterator<Item = (ProjectFolder<'a>, &'a str)> {
    let is_test = |file: &str| {
        file.strip_suffix(".py")
            .is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
    };
    folder.all_files().filter(move |(at, file)| is_test(file) && owns(folder, at))
}

/// True if no project of its own lies on the way down to a folder.
fn owns(folder: &ProjectFolder<'_>, at: &ProjectFolder<'_>) -> bool {
    let inner = at.dir_within(folder);
    let ends = inner.match_indices('/').map(|(end, _)| end).chain([inner.len()]);
    ends.map(|end| &inner[..end]).all(|way| way.is_empty() || covers(folder, way))
}

fn test(project: &PythonProject<'_>) -> Option<ProposalDraft> {
    let folder = &project.folder;
    if let Some(draft) = runner(project) {
        return Some(draft);
    }
    let configured = uses_pytest(project);
    let words = folder.said();
    if configured.is_none()
        && let Some(said) = words.agreed("unittest", folder.dir(), |_| true)
    {
        let why = format!("{} runs unittest", said.origin);
        return Some(unittest(project, said.arguments(), &why));
    }
    let said = ["pytest", "py.test"].into_iter().flat_map(|name| words.of(name, folder.dir()));
    let said: Vec<&str> = said.map(|said| said.origin.as_str()).collect();
    // What tox runs may need what tox installs.
    let direct = said.iter().find(|origin| !origin.ends_with("tox.ini"));
    if let Some(why) = project.tox()
        && direct.is_none()
        && (folder.has_tool("tox") || (configured.is_none() && said.is_empty()))
    {
        // One environment: the one of the Python that is here.
        let draft =
            ProposalDraft::new(folder, Criterion::TestPass, "tox", "tox run -e py").because(why);
        return Some(draft);
    }
    if folder.is_root() && words.mention("hatch test") {
        let draft = ProposalDraft::new(folder, Criterion::TestPass, "hatch", "hatch test");
        return Some(draft.because("CI or a task runs `hatch test`"));
    }
    let said = said.first().map(|origin| format!("{origin} runs pytest"));
    if configured.is_none() && said.is_none() {
        let row = ["manage.py", "noxfile.py"].iter().find_map(|file| rows::test(folder, file));
        if row.is_some() {
            return row;
        }
    }
    let why = match configured.or(said) {
        Some(why) => why,
        // The names of files say less than a task does.
        None if tasks::has_test(folder) => return None,
        None => match test_style(folder)? {
            PythonTestStyle::Unittest(file) => {
                let arguments = discovery(folder);
                return Some(unittest(project, &arguments, &format!("{file} uses unittest")));
            }
            PythonTestStyle::Pytest(file) => file,
        },
    };
    let (words, by) = project.module("pytest");
    let passed = match flags::said(folder, &["pytest"], PYTEST) {
        Some((passed, _)) => passed,
        None => folder.said().targets("pytest", "", folder).unwrap_or_default(),
    };
    let passed = passed.into_iter().filter(|word| !is_of(word, "py"));
    let words = words.into_iter().chain(passed).chain(["--junitxml={report}".to_owned()]);
    let draft = ProposalDraft::of_words(folder, Criterion::TestPass, "pytest", words);
    let draft = draft.reads(OutputFormat::Junit).because(with(&why, by));
    Some(match project.lacks("pytest") {
        Some(program) => draft.lacks(&program, Some(&project.install("pytest"))),
        None => draft,
    })
}

/// A script of the project's own that runs its tests, such as `runtests.py`.
fn runner(project: &PythonProject<'_>) -> Option<ProposalDraft> {
    let folder = &project.folder;
    let scripts = ["tests/runtests.py", "runtests.py", "run_tests.py", "tests/run_tests.py"];
    let script = scripts.into_iter().find(|script| folder.read_path(script).is_some())?;
    let name = script.rsplit('/').next()?;
    let is_said = folder.said().mention(script) || folder.said().mention(name);
    if !is_said {
        return None;
    }
    let (mut words, by) = project.python();
    words.push(script.to_owned());
    let draft = ProposalDraft::of_words(folder, Criterion::TestPass, "python", words);
    Some(draft.because(with(script, by)))
}

/// Returns the evidence that the project uses pytest.
fn uses_pytest(project: &PythonProject<'_>) -> Option<String> {
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

enum PythonTestStyle {
    Pytest(String),
    Unittest(String),
}

/// Returns the style of the tests, with a file that shows it.
fn test_style(folder: &ProjectFolder<'_>) -> Option<PythonTestStyle> {
    let mut unittest = None;
    for (at, file) in test_files(folder).take(MOST_READ) {
        let text = at.read(file).unwrap_or_default();
        if !text.contains("unittest") || text.contains("import pytest") {
            return Some(PythonTestStyle::Pytest(at.name_of(file)));
        }
        unittest = unittest.or_else(|| Some(at.name_of(file)));
    }
    unittest.map(PythonTestStyle::Unittest)
}

fn unittest(project: &PythonProject<'_>, arguments: &[String], why: &str) -> ProposalDraft {
    let (mut words, by) = project.module("unittest");
    words.extend_from_slice(arguments);
    // Only with `-v` does it name the tests that pass.
    if !arguments.iter().any(|word| word == "-v" || word == "--verbose") {
        words.push("-v".to_owned());
    }
    ProposalDraft::of_words(&project.folder, Criterion::TestPass, "unittest", words)
        .because(with(why, by))
}

/// Returns the arguments with which unittest finds the tests. It enters packages only, unless it
/// starts inside.
fn discovery(folder: &ProjectFolder<'_>) -> Vec<String> {
    let beside = ["tests", "test"]
        .into_iter()
        .find(|dir| folder.exists(dir) && !folder.exists(&format!("{dir}/__init__.py")));
    let mut words = vec!["discover"];
    words.extend(beside.into_iter().flat_map(|dir| ["-s", dir, "-t", "."]));
    let mut files = test_files(folder).map(|(_, file)| file);
    if files.next().is_some_and(|file| !file.starts_with("test"))
        && files.all(|file| !file.starts_with("test"))
    {
        words.extend(["-p", "*_test.py"]);
    }
    words.into_iter().map(str::to_owned).collect()
}

fn ruff(project: &PythonProject<'_>) -> Option<ProposalDraft> {
    let sign = configured(project, "ruff", &["ruff.toml", ".ruff.toml"], &[])?;
    // A configuration may say that it fixes what it finds.
    let mut arguments = ["check", "--no-fix", "--output-format=json"].map(str::to_owned).to_vec();
    let targets = project.folder.said().targets("ruff", "check", &project.folder);
    arguments.extend(targets.unwrap_or_else(|| vec![".".to_owned()]));
    Some(tool(project, Criterion::LintClean, "ruff", arguments, &sign).reads(OutputFormat::Ruff))
}

fn mypy(project: &PythonProject<'_>) -> Option<ProposalDraft> {
    let sign = configured(project, "mypy", &["mypy.ini", ".mypy.ini"], &["mypy"])?;
    let mut arguments = vec!["--no-pretty".to_owned()];
    let folder = &project.folder;
    let (passed, _) = flags::said(folder, &["mypy"], MYPY).unwrap_or_default();
    let names_files = passed.iter().any(|word| !word.starts_with('-') && folder.exists(word));
    arguments.extend(passed);
    if !names_files && !project.mypy_knows_its_files() {
        let said = folder.said().targets("mypy", "", folder);
        arguments.extend(said.unwrap_or_else(|| packages(folder)));
    }
    Some(tool(project, Criterion::TypeCheck, "mypy", arguments, &sign).reads(OutputFormat::Mypy))
}

/// Returns the places of the sources: `src`, or the packages of the folder, or all of it.
fn packages(folder: &ProjectFolder<'_>) -> Vec<String> {
    if folder.exists("src") {
        return vec!["src".to_owned()];
    }
    let marked = folder.all_files().filter(|(_, file)| *file == "__init__.py");
    let dirs = marked.map(|(at, _)| at.dir_within(folder)).filter(|dir| !dir.contains('/'));
    let dirs: Vec<String> = dirs.filter(|dir| !dir.is_empty()).map(str::to_owned).collect();
    if dirs.is_empty() { vec![".".to_owned()] } else { dirs }
}

fn pyright(project: &PythonProject<'_>) -> Option<ProposalDraft> {
    let sign = configured(project, "pyright", &["pyrightconfig.json"], &[])?;
    let arguments = vec!["--outputjson".to_owned()];
    Some(
        tool(project, Criterion::TypeCheck, "pyright", arguments, &sign)
            .reads(OutputFormat::Pyright),
    )
}

/// The evidence for a tool.
struct ToolSign {
    why: String,
    /// True if the project names it; false if the tool merely happens to be here.
    is_said: bool,
}

/// Returns the evidence that the project uses a tool: its configuration, its requirements, a
/// command that is run, or that it is installed for this project.
fn configured(
    project: &PythonProject<'_>,
    name: &'static str,
    files: &[&str],
    sections: &[&str],
) -> Option<ToolSign> {
    let said = |why: String| Some(ToolSign { why, is_said: true });
    if project.has_table(name) {
        return said(format!("pyproject.toml has [tool.{name}]"));
    }
    if let Some(file) = project.folder.first(files) {
        return said(file.to_owned());
    }
    if let Some(file) = project.ini_section(sections) {
        return said(format!("{file} has [{name}]"));
    }
    if let Some(file) = project.declares(name) {
        return said(format!("{file} names {name}"));
    }
    let folder = &project.folder;
    if let Some(command) = folder.said().of(name, folder.dir()).next() {
        return said(format!("{} runs {name}", command.origin));
    }
    project.installed(name).map(|why| ToolSign { why, is_said: false })
}

fn tool(
    project: &PythonProject<'_>,
    criterion: Criterion,
    name: &'static str,
    arguments: Vec<String>,
    sign: &ToolSign,
) -> ProposalDraft {
    let (mut words, by) = project.program(name);
    let is_direct = words.len() == 1;
    words.extend(arguments);
    let draft = ProposalDraft::of_words(&project.folder, criterion, name, words);
    let draft = draft.because(with(&sign.why, by));
    let draft = if sign.is_said { draft } else { draft.unused(name) };
    let is_own = is_direct && draft.missing.is_some() && project.declares(name).is_some();
    if !is_own {
        return draft;
    }
    ProposalDraft { missing: None, ..draft }.lacks(name, Some(&project.install(name)))
}

fn with(why: &str, by: Option<&str>) -> String {
    match by {
        Some(by) => format!("{why}; {by}"),
        None => why.to_owned(),
    }
}
