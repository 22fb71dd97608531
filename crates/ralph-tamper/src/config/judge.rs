//! Decides which changes of settings make a check weaker.

use super::commands::{does_less, is_check, is_escape, words};
use super::flatten::{FlatSettings, flatten};
use super::{ConfigChange, ConfigFormat, cargo_config, loop_settings};
use crate::assertions::shortened;
use crate::kind::{Tampering, TamperingKind};

/// Lists of what is left out.
const LEAVING_OUT: &[&str] = &[
    "ignore",
    "ignores",
    "ignored",
    "exclude",
    "excludes",
    "excluded",
    "extend-ignore",
    "extend-exclude",
    "per-file-ignores",
    "extend-per-file-ignores",
    "ignorepatterns",
    "ignore-patterns",
    "ignore-paths",
    "testpathignorepatterns",
    "coveragepathignorepatterns",
    "modulepathignorepatterns",
    "watchpathignorepatterns",
    "testignore",
    "omit",
    "norecursedirs",
    "skip",
    "skips",
    "skip-dirs",
    "skip-files",
    "disable",
    "disable-error-code",
    "exclude-lines",
    "exclude-also",
    "exclude-rules",
    "exclude-files",
    "exclude-dirs",
    "excludepaths",
    "excludes-analyse",
    "ignoreerrors",
    "unfixable",
    "globalignores",
    "files-ignore",
    "collect-ignore",
    "disable-all",
    "nowarn",
    "ignore-names",
    "filterwarnings",
];
/// Lists of what is looked at.
const LOOKING_AT: &[&str] = &[
    "select",
    "extend-select",
    "include",
    "files",
    "testpaths",
    "python-files",
    "python-functions",
    "python-classes",
    "testmatch",
    "testregex",
    "enable",
    "extends",
    "projects",
    "paths",
    "roots",
    "presets",
    "plugins",
];
/// The settings that say where pytest looks for tests.
const PYTEST: &[&str] = &["testpaths", "python-files", "python-functions", "python-classes"];
/// Values of those that leave nothing out, or nothing that is customary.
const USUAL: &[&str] = &[
    "tests",
    "test",
    "tests/",
    "test/",
    ".",
    "src",
    "test_*.py",
    "*_test.py",
    "tests.py",
    "test_*.py *_test.py",
    "test_*",
    "test*",
    "Test*",
    "Test",
    "*Test",
    "*Tests",
];
/// Switches that ask for more.
const STRICT: &[&str] = &[
    "strict",
    "strictnullchecks",
    "strictfunctiontypes",
    "strictbindcallapply",
    "strictpropertyinitialization",
    "noimplicitany",
    "noimplicitthis",
    "noimplicitreturns",
    "noimplicitoverride",
    "nounusedlocals",
    "nounusedparameters",
    "nofallthroughcasesinswitch",
    "nouncheckedindexedaccess",
    "nopropertyaccessfromindexsignature",
    "alwaysstrict",
    "checkjs",
    "exactoptionalpropertytypes",
    "useunknownincatchvariables",
    "noemitonerror",
    "disallow-untyped-defs",
    "disallow-untyped-calls",
    "disallow-incomplete-defs",
    "disallow-any-generics",
    "disallow-any-unimported",
    "disallow-any-explicit",
    "disallow-subclassing-any",
    "disallow-untyped-decorators",
    "check-untyped-defs",
    "warn-return-any",
    "warn-unused-ignores",
    "warn-unreachable",
    "warn-redundant-casts",
    "warn-unused-configs",
    "no-implicit-optional",
    "no-implicit-reexport",
    "strict-equality",
    "strict-optional",
    "xfail-strict",
    "strict-markers",
    "strict-config",
    "recommended",
    "enabled",
    "branch",
    "forbidonly",
    "treatwarningsaserrors",
    "warnings-as-errors",
    "warningsaserrors",
    "reportunusedinlineconfigs",
    "workspace",
];
/// Switches that ask for less.
const LAX: &[&str] = &[
    "skiplibcheck",
    "passwithnotests",
    "allowonly",
    "dangerouslyignoreunhandlederrors",
    "continue-on-error",
    "allow-failure",
    "allowunreachablecode",
    "allowunusedlabels",
    "ignore-errors",
    "ignore-missing-imports",
    "suppressimplicitanyindexerrors",
    "exit-zero",
    "noinlineconfig",
    "implicit-reexport",
    "allow-untyped-globals",
    "allow-redefinition",
    "allow-unwrap-in-tests",
    "allow-expect-in-tests",
    "allow-panic-in-tests",
    "skip-covered",
    "disablereferencedprojectload",
    "nocheck",
    "forceexit",
    "ignore-outcome",
    "isolatedmodules-off",
];
/// Numbers that must not sink.
const LEAST: &[&str] = &[
    "fail-under",
    "fail-below",
    "lines",
    "branches",
    "functions",
    "statements",
    "level",
    "minimum-coverage",
    "cov-fail-under",
];
/// Numbers that must not rise.
const MOST: &[&str] = &[
    "max-warnings",
    "max-complexity",
    "max-line-length",
    "line-length",
    "max-args",
    "max-branches",
    "max-statements",
    "retries",
    "retry",
    "max-locals",
    "max-returns",
];
/// Folders that no check looks into anyway.
const BENIGN: &[&str] = &[
    "node_modules",
    "dist",
    "build",
    "coverage",
    ".venv",
    "venv",
    "target",
    "vendor",
    ".git",
    "__pycache__",
    ".next",
    "out",
    ".tox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".cache",
    "site-packages",
    "htmlcov",
    ".eggs",
    ".nox",
    "tmp",
    ".turbo",
    ".svelte-kit",
    "generated",
];

/// The meaning of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConfigChangeEffect {
    Weaker,
    Other,
    Nothing,
}

/// Tells if a tool was configured before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolPresence {
    Before,
    Now,
}

/// Reports what changed in a configuration.
pub(super) fn compare(change: &ConfigChange<'_>, form: ConfigFormat) -> Vec<Tampering> {
    let (Some(old), Some(new)) = (flatten(change.old, form), flatten(change.new, form)) else {
        return unreadable(change);
    };
    let mut paths: Vec<&String> = old.keys().chain(new.keys()).collect();
    paths.sort();
    paths.dedup();
    let mut found = Vec::new();
    for path in paths {
        let diff = SettingDiff::of(path, &old, &new);
        let implied = diff.new.is_empty() && is_implied(path, &new);
        if diff.is_empty() || implied || !is_relevant(change.path, path) {
            continue;
        }
        found.extend(diff.report(change));
    }
    found
}

/// One path whose values differ.
struct SettingDiff<'a> {
    path: &'a str,
    old: &'a [String],
    new: &'a [String],
    /// Tells if its tool was configured before.
    known: ToolPresence,
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

impl<'a> SettingDiff<'a> {
    fn of(path: &'a str, old: &'a FlatSettings, new: &'a FlatSettings) -> Self {
        let values = |settings: &'a FlatSettings| settings.get(path).map_or(&[][..], Vec::as_slice);
        let table = path.rsplit_once('.').map_or("", |(table, _)| table);
        let known = if old.keys().any(|other| other.starts_with(table)) {
            ToolPresence::Before
        } else {
            ToolPresence::Now
        };
        let (old, new) = (values(old), values(new));
        let missing = |from: &'a [String], other: &'a [String]| -> Vec<&'a str> {
            from.iter().filter(|value| !other.contains(value)).map(String::as_str).collect()
        };
        let (removed, added) = (missing(old, new), missing(new, old));
        Self { path, old, new, known, removed, added }
    }

    fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    fn last(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// True if any part of the path is one of the words.
    fn within(&self, known: &[&str]) -> bool {
        self.path.split('.').any(|part| known.contains(&part))
    }

    fn report(&self, change: &ConfigChange<'_>) -> Vec<Tampering> {
        if is_command(change.path, self.path) {
            return self.command(change).into_iter().collect();
        }
        let weak = match self.by_file(change.path) {
            Some(true) => return vec![self.weaker_as_a_whole(change)],
            Some(false) => Vec::new(),
            None => self.weakening(change.path),
        };
        if weak.is_empty() {
            // The other steps of a pipeline do not concern the gates.
            let quiet = change.path.contains(".github/");
            let line = change.line_of(&[self.last()]);
            let kind = TamperingKind::SettingChanged { setting: self.path.to_owned() };
            return if quiet { Vec::new() } else { vec![change.report(line, kind)] };
        }
        weak.into_iter().map(|(from, to)| change.weakened(self.path, from, to)).collect()
    }

    /// Returns the values that became weaker: before and now.
    fn weakening(&self, file: &str) -> Vec<(Option<&str>, Option<&str>)> {
        let (before, now) =
            (self.old.first().map(String::as_str), self.new.first().map(String::as_str));
        if has_levels(file, self.path) {
            let levels = (before.and_then(level), now.and_then(level));
            let weaker = match levels {
                (Some(before), Some(now)) => now < before,
                (None, Some(now)) => now == 0 && self.old.is_empty(),
                (Some(before), None) => before > 0 && self.new.is_empty(),
                (None, None) => false,
            };
            if weaker {
                return vec![(before, now)];
            }
            if levels != (None, None) {
                return Vec::new();
            }
        }
        match switch(file, self.last(), before, now) {
            ConfigChangeEffect::Weaker => return vec![(before, now)],
            ConfigChangeEffect::Nothing => return Vec::new(),
            ConfigChangeEffect::Other => {}
        }
        if self.within(LEAVING_OUT) {
            // A warning that fails a test leaves nothing out.
            let is_stricter =
                |value: &str| self.last() == "filterwarnings" && value.starts_with("error");
            let more = self.added.iter().filter(|value| !is_benign(value) && **value != "false");
            let more = more.filter(|value| !is_stricter(value));
            return more.map(|value| (None, Some(*value))).collect();
        }
        if self.within(LOOKING_AT) {
            return self.narrowed();
        }
        self.numbers(file, before, now)
    }

    /// True if it is weaker, in files whose settings are all known; `None` in others.
    fn by_file(&self, file: &str) -> Option<bool> {
        if loop_settings::is_loop_settings(file) {
            return Some(loop_settings::weakens(self.path, self.old, self.new));
        }
        cargo_config::is_cargo_config(file)
            .then(|| cargo_config::weakens(self.path, self.old, self.new))
    }

    fn weaker_as_a_whole(&self, change: &ConfigChange<'_>) -> Tampering {
        let joined = |values: &[&str]| (!values.is_empty()).then(|| shortened(&values.join(" ")));
        let (from, to) = (joined(&self.removed), joined(&self.added));
        let name = self.last();
        let line = change.line_of(&[name, self.added.first().copied().unwrap_or(name)]);
        change.report(
            line,
            TamperingKind::SettingWeakened { setting: self.path.to_owned(), from, to },
        )
    }

    /// Lists of what is looked at: less of it is weaker, and so is a list
    /// where there was none, except of rules.
    fn narrowed(&self) -> Vec<(Option<&str>, Option<&str>)> {
        let narrows = matches!(
            self.last(),
            "include" | "testmatch" | "testregex" | "python-files" | "python-functions"
        );
        let narrows = narrows && self.known == ToolPresence::Before && !self.within(&["overrides"]);
        // Without them pytest looks everywhere, and for the usual names.
        let usual = |value: &&str| USUAL.contains(value);
        let narrows = narrows || (PYTEST.contains(&self.last()) && !self.added.iter().all(usual));
        if self.old.is_empty() && narrows {
            return self.added.iter().map(|value| (None, Some(*value))).collect();
        }
        self.removed.iter().map(|value| (Some(*value), None)).collect()
    }

    fn numbers(
        &self,
        file: &str,
        before: Option<&'a str>,
        now: Option<&'a str>,
    ) -> Vec<(Option<&'a str>, Option<&'a str>)> {
        let number = |value: Option<&str>| value.and_then(|value| value.parse::<f64>().ok());
        let clippy = file.ends_with("clippy.toml") && self.last().ends_with("-threshold");
        let weaker = match (number(before), number(now)) {
            (Some(before), Some(now)) if LEAST.contains(&self.last()) => now < before,
            (Some(_), None) if LEAST.contains(&self.last()) => true,
            (Some(before), Some(now)) if MOST.contains(&self.last()) || clippy => now > before,
            (None, Some(now)) if MOST.contains(&self.last()) => now > 0.0,
            (Some(_), None) if self.last() == "max-warnings" => true,
            (Some(_) | None, _) => false,
        };
        if weaker { vec![(before, now)] } else { Vec::new() }
    }

    /// Scripts, options of runners and steps of a pipeline.
    fn command(&self, change: &ConfigChange<'_>) -> Option<Tampering> {
        let name = self.last();
        let (old, new) = (self.old.join(" && "), self.new.join(" && "));
        let setting = self.path.to_owned();
        let line = change.line_of(&[name, self.added.first().copied().unwrap_or(name)]);
        let weaker = if self.path.starts_with("scripts.") {
            (is_check(name) || change.rules.is_target(name))
                && !self.old.is_empty()
                && does_less(&old, &new)
        } else if name == "addopts" {
            let strict =
                |text: &str| words(text).iter().filter(|word| is_strict_option(word)).count();
            strict(&new) < strict(&old) || adds_escape(&old, &new)
        } else if name == "commands" {
            // What tox runs is what a gate runs.
            !self.old.is_empty() && does_less(&old, &new)
        } else {
            adds_escape(&old, &new)
        };
        if weaker {
            let to = (!new.is_empty()).then(|| shortened(&new));
            return Some(change.report(line, TamperingKind::CommandWeakened { name: setting, to }));
        }
        let reported = is_check(name) && !self.old.is_empty();
        reported.then(|| change.report(line, TamperingKind::SettingChanged { setting }))
    }
}

/// True if a switch that is gone is turned on by `strict` all the same.
fn is_implied(path: &str, new: &FlatSettings) -> bool {
    let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
    let strict = if table.is_empty() { "strict".to_owned() } else { format!("{table}.strict") };
    name != "strict"
        && STRICT.contains(&name)
        && new.get(&strict).is_some_and(|values| values.iter().any(|value| value == "true"))
}

/// True if a command holds an escape that it did not hold before.
fn adds_escape(old: &str, new: &str) -> bool {
    let before = words(old);
    words(new).iter().any(|word| is_escape(word) && !before.contains(word))
}

fn is_strict_option(word: &str) -> bool {
    word.starts_with("--strict")
        || word.starts_with("--cov-fail-under")
        || word.starts_with("--doctest")
        || word == "-W"
}

/// True if the values of a path are commands.
fn is_command(file: &str, path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    (file.ends_with("package.json") && path.starts_with("scripts."))
        || matches!(last, "addopts" | "commands" | "script")
        || (last == "run" && file.contains(".github/"))
}

/// True if a path has to do with checks at all.
fn is_relevant(file: &str, path: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let under = |heads: &[&str]| {
        heads.iter().any(|head| path == *head || path.starts_with(&format!("{head}.")))
    };
    match name {
        "package.json" => {
            under(&["scripts", "jest", "eslintconfig", "c8", "nyc", "mocha", "ava", "vitest"])
        }
        "pyproject.toml" => under(&[
            "tool.ruff",
            "tool.mypy",
            "tool.pytest",
            "tool.coverage",
            "tool.pyright",
            "tool.basedpyright",
            "tool.pylint",
            "tool.flake8",
            "tool.bandit",
            "tool.tox",
            "tool.ty",
        ]),
        "Cargo.toml" => {
            let target = ["test", "harness", "doctest", "autotests", "autobenches"];
            under(&["lints", "workspace.lints"])
                || (target.contains(&path.rsplit('.').next().unwrap_or(path))
                    && under(&["lib", "bin", "test", "package", "bench", "example"]))
        }
        "setup.cfg" | "tox.ini" => {
            ["flake8", "mypy", "tool:pytest", "pytest", "coverage", "testenv", "pylint"]
                .iter()
                .any(|head| path.starts_with(head))
        }
        "vite.config.ts" | "vite.config.js" | "vite.config.mts" => path.contains("test"),
        _ if cargo_config::is_cargo_config(file) => cargo_config::is_relevant(path),
        _ => true,
    }
}

/// True if the values of a path are levels of severity.
fn has_levels(file: &str, path: &str) -> bool {
    path.contains("lints")
        || path.contains("rules")
        || path.contains("severity")
        || path.contains("typecheckingmode")
        || path.starts_with("report")
        || path.contains(".report")
        || file.ends_with("biome.json")
        || path.contains("follow-imports")
}

/// The rank of a level; `None` if the value is none.
fn level(value: &str) -> Option<u8> {
    Some(match value.to_ascii_lowercase().as_str() {
        "forbid" => 5,
        "deny" | "error" | "2" | "strict" => 4,
        "warn" | "warning" | "1" | "standard" => 3,
        "info" | "information" | "basic" => 2,
        "hint" | "suggestion" => 1,
        "allow" | "off" | "none" | "silent" | "0" | "ignore" => 0,
        _ => return None,
    })
}

/// Returns the meaning of a switch's change; `Other` if it is no switch.
fn switch(file: &str, name: &str, before: Option<&str>, now: Option<&str>) -> ConfigChangeEffect {
    let on = |value: Option<&str>| value.map(|value| value.eq_ignore_ascii_case("true"));
    let is_switch = |value: Option<&str>| {
        value.is_none_or(|value| matches!(value.to_ascii_lowercase().as_str(), "true" | "false"))
    };
    if !is_switch(before) || !is_switch(now) || (before.is_none() && now.is_none()) {
        return ConfigChangeEffect::Other;
    }
    let cargo = file.ends_with("Cargo.toml")
        && matches!(name, "test" | "harness" | "doctest" | "autotests");
    if STRICT.contains(&name) || cargo {
        let weaker = match (on(before), on(now)) {
            (Some(true), Some(false) | None) => !cargo || now.is_some(),
            (None, Some(false)) => cargo || name == "enabled" || name == "recommended",
            (Some(_) | None, _) => false,
        };
        return if weaker { ConfigChangeEffect::Weaker } else { ConfigChangeEffect::Nothing };
    }
    if LAX.contains(&name) {
        return match (on(before), on(now)) {
            (Some(false) | None, Some(true)) => ConfigChangeEffect::Weaker,
            (Some(_) | None, _) => ConfigChangeEffect::Nothing,
        };
    }
    ConfigChangeEffect::Other
}

fn is_benign(value: &str) -> bool {
    value.split(['/', '*', '\\', '^', '$', '(', ')', '|']).any(|part| BENIGN.contains(&part))
}

/// A file that cannot be read: words that leave out are looked for in what
/// was added.
fn unreadable(change: &ConfigChange<'_>) -> Vec<Tampering> {
    let known: std::collections::HashSet<&str> = change.old.lines().map(str::trim).collect();
    let added = (1..).zip(change.new.lines().map(str::trim));
    let mut found = Vec::new();
    for (line, text) in added.filter(|(_, text)| !text.is_empty() && !known.contains(text)) {
        let lower = text.to_lowercase().replace('_', "-");
        let weak = LEAVING_OUT.iter().chain(LAX).any(|word| {
            lower.split(|c: char| !c.is_alphanumeric() && c != '-').any(|w| w == *word)
        }) || adds_escape("", text) && text.contains("||");
        let setting = change.path.to_owned();
        found.push(change.report(
            line,
            if weak {
                TamperingKind::SettingWeakened { setting, from: None, to: Some(shortened(text)) }
            } else {
                TamperingKind::SettingChanged { setting }
            },
        ));
    }
    found
}
