//! The files and commands that gates use, and the changes that are allowed.

use std::collections::BTreeSet;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ralph_core::policy::{GateCommand, GateSpec};

use super::kind::{Tampering, TamperingKind};
use super::paths;

/// The facts about a run that the comparison needs.
#[derive(Clone, Debug)]
pub struct TamperRules {
    /// Files that gates execute.
    scripts: BTreeSet<String>,
    /// Scripts of `package.json`, and targets of make and just, that gates
    /// execute.
    targets: BTreeSet<String>,
    /// The words of every gate that is a command.
    commands: Vec<String>,
    allowed: BTreeSet<String>,
    globs: Gitignore,
}

/// Linters and type checkers, as their settings and commands name them.
pub const LINTERS: [&str; 17] = [
    "ruff",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "bandit",
    "eslint",
    "biome",
    "oxlint",
    "rubocop",
    "golangci",
    "shellcheck",
    "clang-tidy",
    "phpstan",
    "psalm",
    "detekt",
    "semgrep",
];

/// Those that look at a project as a whole: what they find in one file may be
/// mended in another.
const WHOLE: [&str; 7] =
    ["mypy", "pyright", "golangci", "clang-tidy", "phpstan", "psalm", "detekt"];

/// Commands that run tests and nothing else.
const RUNNERS: [&str; 12] = [
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "--test",
    "cargo test",
    "nextest",
    "go test",
    "rspec",
    "phpunit",
    "ctest",
];

/// A pattern that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{glob}` is not a pattern for paths: {reason}")]
pub struct GlobError {
    glob: String,
    reason: String,
}

impl Default for TamperRules {
    fn default() -> Self {
        Self {
            scripts: BTreeSet::new(),
            targets: BTreeSet::new(),
            commands: Vec::new(),
            allowed: BTreeSet::new(),
            globs: Gitignore::empty(),
        }
    }
}

impl TamperRules {
    /// The rules for a run with these gates, in which paths that match
    /// `allowed` may be changed. Patterns are those of `.gitignore`; a plain
    /// path stands for itself, a folder for all that is in it.
    pub fn new(gates: &[GateSpec], allowed: &[String]) -> Result<Self, GlobError> {
        let mut rules = Self::default();
        let mut builder = GitignoreBuilder::new("");
        for glob in allowed {
            let path = glob.trim_start_matches("./").trim_end_matches('/');
            rules.allowed.insert(path.to_owned());
            let error =
                |error: ignore::Error| GlobError { glob: glob.clone(), reason: error.to_string() };
            builder.add_line(None, glob.trim_start_matches("./")).map_err(error)?;
        }
        rules.globs = builder
            .build()
            .map_err(|error| GlobError { glob: allowed.join(" "), reason: error.to_string() })?;
        for gate in gates {
            rules.add_gate(gate);
        }
        Ok(rules)
    }

    fn add_gate(&mut self, gate: &GateSpec) {
        let words: Vec<&str> = match &gate.command {
            GateCommand::Argv(words) => words.iter().flat_map(|word| shell_words(word)).collect(),
            GateCommand::Shell(script) => shell_words(script).collect(),
            GateCommand::Question(_) => Vec::new(),
        };
        if !words.is_empty() {
            self.commands.push(words.join(" "));
        }
        let runner = words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
        let runs_targets = runner.is_some_and(|runner| {
            matches!(runner, "npm" | "pnpm" | "yarn" | "bun" | "make" | "gmake" | "just" | "task")
        });
        for word in words {
            let path = word.trim_start_matches("./");
            let path = match gate.dir.as_str() {
                "" | "." => path.to_owned(),
                dir => format!("{}/{path}", dir.trim_end_matches('/')),
            };
            if is_check_script(word, &path) {
                self.scripts.insert(path);
            } else if runs_targets && !word.starts_with('-') && !word.contains(['/', '=']) {
                self.targets.insert(word.to_owned());
            }
        }
    }

    /// True if a gate executes this file.
    pub(super) fn is_script(&self, path: &str) -> bool {
        self.scripts.contains(path)
    }

    /// True if a gate executes this script or target.
    pub(super) fn is_target(&self, name: &str) -> bool {
        self.targets.contains(name)
    }

    /// True if a change affects the findings of gates. Settings of a linter do if a gate runs it,
    /// or runs an unknown command.
    pub fn is_judged(&self, change: &Tampering) -> bool {
        let setting = if let TamperingKind::SettingWeakened { setting, .. } = &change.kind {
            setting.to_lowercase()
        } else if change.kind == TamperingKind::ConfigDeleted {
            String::new()
        } else {
            return true;
        };
        let name = change.place.file.rsplit('/').next().unwrap_or_default();
        let table = setting.split('.').take(2).collect::<Vec<_>>().join(".");
        let is_its = |tool: &&&str| name.contains(**tool) || table.contains(**tool);
        let Some(tool) = LINTERS.iter().find(is_its) else { return true };
        self.may_run(tool)
    }

    /// True if a gate may read a file outside the project: false for files of a linter that no gate
    /// runs.
    pub fn may_read(&self, path: &str) -> bool {
        let mut parts = path.rsplit('/').take(2);
        let tool = parts.find_map(|part| LINTERS.iter().find(|tool| part.contains(**tool)));
        tool.is_none_or(|tool| self.may_run(tool))
    }

    /// True if a gate runs nothing but linters that look at one file at a time.
    pub fn looks_at_single_files(gate: &GateSpec) -> bool {
        let mut rules = Self::default();
        rules.add_gate(gate);
        let names = |tools: &[&str]| {
            rules.commands.iter().any(|one| tools.iter().any(|tool| one.contains(tool)))
        };
        names(&LINTERS) && !names(&WHOLE)
    }

    fn may_run(&self, tool: &str) -> bool {
        let does_one_thing =
            |command: &String| LINTERS.iter().chain(&RUNNERS).any(|known| command.contains(known));
        self.commands.is_empty()
            || !self.commands.iter().all(|one| !one.contains(tool) && does_one_thing(one))
    }

    /// True if the user accepted changes of a test: by its id, or by the file it is in as far as
    /// the id names it.
    pub fn allow_test(&self, id: &str) -> bool {
        let head = id.split("::").next().unwrap_or(id);
        // Reports of pytest have `tests.test_a.TestClass::test`.
        let dots = head.match_indices('.').map(|(at, _)| at).chain([head.len()]);
        let mut modules = dots.map(|at| format!("{}.py", head[..at].replace('.', "/")));
        self.allows(id)
            || self.allows(head)
            || (!head.contains('/') && modules.any(|path| self.allows(&path)))
    }

    /// True if the user accepted changes of a file, or of a test by its id.
    pub fn allows(&self, place: &str) -> bool {
        let path = place.trim_start_matches('/');
        self.allowed.contains(path)
            || path.match_indices('/').any(|(at, _)| self.allowed.contains(&path[..at]))
            || self.globs.matched_path_or_any_parents(path, false).is_ignore()
    }
}

fn shell_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ";&|()'\"`<>".contains(c))
        .filter(|word| !word.is_empty())
}

/// True if a word of a command names a script that does the checking. A program that is itself the
/// work, as in `python main.py`, is none.
fn is_check_script(word: &str, path: &str) -> bool {
    const FOLDERS: &[&str] = &["scripts", "script", "ci", "tools", "bin", "hack", ".github", "dev"];
    const WORDS: &[&str] = &["check", "test", "lint", "verify", "gate", "validate", "ci"];
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    if paths::is_test_file(path) || word.starts_with('-') {
        return false;
    }
    match extension {
        "sh" | "bash" | "zsh" | "ps1" | "bat" | "cmd" => true,
        "" => word.contains('/'),
        "py" | "js" | "mjs" | "cjs" | "ts" | "rb" | "php" | "pl" => {
            let stem = stem.to_ascii_lowercase();
            WORDS
                .iter()
                .any(|part| stem.split(['_', '-', '.']).any(|piece| piece.starts_with(part)))
                || path.split('/').rev().skip(1).any(|folder| FOLDERS.contains(&folder))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ralph_core::format::OutputFormat;
    use ralph_core::policy::{Criterion, GateImportance, PassCondition};

    use super::*;

    #[test]
    fn settings_of_a_linter_count_if_a_gate_may_run_it() {
        let gate = |command: &str| GateSpec {
            name: "a".to_owned(),
            criterion: Criterion::TestPass,
            command: GateCommand::Argv(command.split(' ').map(str::to_owned).collect()),
            dir: String::new(),
            format: OutputFormat::Text,
            bar: PassCondition::Clean,
            timeout: Duration::from_mins(1),
            need: GateImportance::Required,
        };
        let setting = |setting: &str| TamperingKind::SettingWeakened {
            setting: setting.to_owned(),
            from: None,
            to: None,
        };
        let ruff = Tampering::new("pyproject.toml", 1, setting("tool.ruff.line-length"));
        let gone = Tampering::new("web/.eslintrc.json", 1, TamperingKind::ConfigDeleted);
        let tests = Tampering::new("pyproject.toml", 1, setting("tool.pytest.addopts"));
        for (command, want) in [
            ("python3 -m pytest --junitxml={report}", [false, false, true]),
            ("ruff check", [true, false, true]),
            ("npx --no-install jest", [false, false, true]),
            ("npm test", [true, true, true]),
            ("./check.sh", [true, true, true]),
        ] {
            let rules = TamperRules::new(&[gate(command)], &[]).unwrap();
            assert_eq!([&ruff, &gone, &tests].map(|one| rules.is_judged(one)), want, "{command}");
        }
        assert!(TamperRules::default().is_judged(&ruff));
    }

    #[test]
    fn a_test_is_allowed_by_its_id_or_by_its_file() {
        let allowed = ["tests/test_a.py", "shop$tests::adds", "web/**"].map(str::to_owned);
        let rules = TamperRules::new(&[], &allowed).unwrap();
        for id in [
            "tests/test_a.py::test_one",
            "tests.test_a::test_one",
            "tests.test_a.TestSums::test_one[1-2]",
            "shop$tests::adds",
            "web/src/a.test.ts::sums > adds",
        ] {
            assert!(rules.allow_test(id), "{id}");
        }
        for id in ["tests/test_b.py::test_one", "tests.test_ab::one", "shop$tests::subtracts"] {
            assert!(!rules.allow_test(id), "{id}");
        }
    }
}
