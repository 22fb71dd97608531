use crate::detect::sight::ProjectFolder;

/// The folder of a virtual environment that has its programs.
const BIN: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// Files with a requirement a line.
const REQUIREMENTS: [&str; 6] = [
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements_dev.txt",
];

/// The source of the programs that run a project's Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PythonRunner {
    /// A manager that installs what the project names, and the file that
    /// speaks for it.
    Managed { words: &'static str, why: &'static str },
    /// The programs in a folder of the project.
    Environment(&'static str),
    /// Whatever is on the path.
    Path,
}

/// The contents of a Python project's files.
pub(super) struct PythonProject<'a> {
    pub(super) folder: ProjectFolder<'a>,
    manifest: toml::Table,
    runner: PythonRunner,
}

impl<'a> PythonProject<'a> {
    pub(super) fn new(folder: ProjectFolder<'a>) -> Self {
        let manifest = folder.toml("pyproject.toml").unwrap_or_default();
        let runner = runner(&folder, &manifest);
        Self { folder, manifest, runner }
    }

    /// True if `[tool.NAME]` is in the manifest.
    pub(super) fn has_table(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    fn tool(&self, name: &str) -> Option<&toml::Value> {
        self.manifest.get("tool")?.get(name)
    }

    /// The old-style file that has one of these sections.
    pub(super) fn ini_section(&self, names: &[&str]) -> Option<&'static str> {
        ["setup.cfg", "tox.ini"].into_iter().find(|file| {
            let text = self.folder.read(file).unwrap_or_default();
            let header = |line: &str| names.iter().any(|name| line == format!("[{name}]"));
            text.lines().any(|line| header(line.trim()))
        })
    }

    /// The file that names a package among the requirements.
    pub(super) fn declares(&self, package: &str) -> Option<&'static str> {
        if requires(&self.manifest, package) {
            return Some("pyproject.toml");
        }
        let pipfile = || {
            let table = self.folder.toml("Pipfile")?;
            let named = |key| table.get(key).is_some_and(|table| table.get(package).is_some());
            (named("packages") || named("dev-packages")).then_some("Pipfile")
        };
        self.listed(package).or_else(pipfile)
    }

    /// The list of requirements that names a package.
    fn listed(&self, package: &str) -> Option<&'static str> {
        REQUIREMENTS.into_iter().find(|file| {
            let text = self.folder.read(file).unwrap_or_default();
            text.lines().any(|line| is_requirement(line, package))
        })
    }

    /// Says that a program is installed in the project's own environment.
    pub(super) fn installed(&self, name: &str) -> Option<String> {
        self.environment_program(name).map(|path| format!("{path} is installed"))
    }

    /// The command that runs Python itself, and by whom if that is worth a word.
    pub(super) fn python(&self) -> (Vec<String>, Option<&'static str>) {
        match self.runner {
            PythonRunner::Managed { words, why } => (split(&format!("{words} python")), Some(why)),
            PythonRunner::Environment(dir) => (vec![format!("{dir}/{BIN}/python")], None),
            PythonRunner::Path if self.folder.has_tool("python3") => {
                (vec!["python3".to_owned()], None)
            }
            PythonRunner::Path => (vec!["python".to_owned()], None),
        }
    }

    /// Returns the command that installs a package the project needs.
    pub(super) fn install(&self, package: &str) -> String {
        let python = match self.runner {
            PythonRunner::Environment(dir) => format!("{dir}/{BIN}/python -m pip"),
            PythonRunner::Managed { .. } | PythonRunner::Path => "pip".to_owned(),
        };
        match self.listed(package) {
            Some(file) => format!("{python} install -r {file}"),
            None => format!("{python} install {package}"),
        }
    }

    /// The command that runs a module, and by whom if that is worth a word.
    pub(super) fn module(&self, name: &str) -> (Vec<String>, Option<&'static str>) {
        match self.runner {
            PythonRunner::Managed { words, why } if name != "unittest" => {
                (split(&format!("{words} {name}")), Some(why))
            }
            PythonRunner::Managed { .. } | PythonRunner::Environment(_) | PythonRunner::Path => {
                let (mut words, by) = self.python();
                words.extend(["-m", name].map(str::to_owned));
                (words, by)
            }
        }
    }

    /// The program that is needed for a module and is not there.
    pub(super) fn lacks(&self, module: &str) -> Option<String> {
        match self.runner {
            // It installs what it needs.
            PythonRunner::Managed { .. } => None,
            PythonRunner::Environment(_) if self.environment_program(module).is_some() => None,
            PythonRunner::Environment(dir) => Some(format!("{dir}/{BIN}/{module}")),
            PythonRunner::Path if self.folder.has_tool(module) => None,
            PythonRunner::Path => Some(module.to_owned()),
        }
    }

    /// The words that start a tool, and by whom if that is worth a word.
    pub(super) fn program(&self, name: &str) -> (Vec<String>, Option<&'static str>) {
        if let PythonRunner::Managed { words, why } = self.runner
            && self.declares(name).is_some()
        {
            return (split(&format!("{words} {name}")), Some(why));
        }
        match self.environment_program(name) {
            Some(path) => (vec![path], None),
            None => (vec![name.to_owned()], None),
        }
    }

    fn environment_program(&self, name: &str) -> Option<String> {
        let paths = [".venv", "venv"].map(|dir| format!("{dir}/{BIN}/{name}"));
        paths.into_iter().find(|path| self.folder.has_tool(path))
    }

    /// Returns the evidence for tox, where nothing else manages the project.
    pub(super) fn tox(&self) -> Option<&'static str> {
        if self.runner != PythonRunner::Path {
            return None;
        }
        if self.has_table("tox") {
            return Some("pyproject.toml has [tool.tox]");
        }
        let text = self.folder.read("tox.ini")?;
        text.contains("[testenv").then_some("tox.ini")
    }

    /// True if the configuration of mypy says what to check.
    pub(super) fn mypy_knows_its_files(&self) -> bool {
        let keys = ["files", "packages", "modules"];
        let in_manifest =
            self.tool("mypy").is_some_and(|table| keys.iter().any(|key| table.get(key).is_some()));
        let in_file = |file: &&str| {
            let text = self.folder.read(file).unwrap_or_default();
            let mypy = text.split("[mypy]").nth(1).unwrap_or("");
            let section = mypy.split("\n[").next().unwrap_or("");
            let names = section.lines().filter_map(|line| line.split_once('='));
            names.map(|(name, _)| name.trim()).any(|name| keys.contains(&name))
        };
        in_manifest || ["mypy.ini", ".mypy.ini", "setup.cfg"].iter().any(in_file)
    }

    /// The folders of a workspace of uv.
    pub(super) fn members(&self) -> Vec<String> {
        let members =
            self.tool("uv").and_then(|uv| uv.get("workspace")?.get("members")?.as_array());
        let texts = members.into_iter().flatten().filter_map(toml::Value::as_str);
        texts.map(str::to_owned).collect()
    }
}

fn split(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn runner(folder: &ProjectFolder<'_>, manifest: &toml::Table) -> PythonRunner {
    let has_table = |name: &str| manifest.get("tool").is_some_and(|tool| tool.get(name).is_some());
    // Lock files first: a table may be a remnant, a lock is kept up to date.
    for (file, words) in
        [("uv.lock", "uv run"), ("poetry.lock", "poetry run"), ("pdm.lock", "pdm run")]
    {
        // A member of a workspace has the lock of its root.
        if folder.has(file) || (file == "uv.lock" && folder.upwards(file).is_some()) {
            return PythonRunner::Managed { words, why: file };
        }
    }
    for (table, words, why) in [
        ("uv", "uv run", "[tool.uv]"),
        ("poetry", "poetry run", "[tool.poetry]"),
        ("pdm", "pdm run", "[tool.pdm]"),
    ] {
        if has_table(table) {
            return PythonRunner::Managed { words, why };
        }
    }
    let hatch = manifest.get("tool").and_then(|tool| tool.get("hatch")?.get("envs"));
    if hatch.is_some() {
        return PythonRunner::Managed { words: "hatch run", why: "[tool.hatch.envs]" };
    }
    let own = |dir: &&str| folder.has_tool(&format!("{dir}/{BIN}/python"));
    [".venv", "venv"].into_iter().find(own).map_or(PythonRunner::Path, PythonRunner::Environment)
}

/// True if a manifest has the package in any of its lists of dependencies.
fn requires(table: &toml::Table, package: &str) -> bool {
    table.iter().any(|(key, value)| {
        if key.contains("dependenc") {
            names(value, package)
        } else {
            value.as_table().is_some_and(|inner| requires(inner, package))
        }
    })
}

/// True if a package stands anywhere in a value that lists dependencies: as a requirement, or as a
/// key.
fn names(value: &toml::Value, package: &str) -> bool {
    match value {
        toml::Value::String(text) => is_requirement(text, package),
        toml::Value::Array(items) => items.iter().any(|item| names(item, package)),
        toml::Value::Table(table) => {
            table.iter().any(|(key, value)| key == package || names(value, package))
        }
        toml::Value::Integer(_)
        | toml::Value::Float(_)
        | toml::Value::Boolean(_)
        | toml::Value::Datetime(_) => false,
    }
}

/// True if a requirement such as `pytest[x]>=7; python_version > '3'` means the package.
fn is_requirement(text: &str, package: &str) -> bool {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_alphanumeric() && !"-_.".contains(c));
    text[..end.unwrap_or(text.len())].eq_ignore_ascii_case(package)
}
