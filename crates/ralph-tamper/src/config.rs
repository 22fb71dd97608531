//! Compares what configures the checks.

mod cargo_config;
mod commands;
mod flatten;
mod judge;
mod loop_settings;
mod markers;
mod recipes;

use std::borrow::Cow;

use super::assertions::shortened;
use super::kind::{Tampering, TamperingKind};
use super::language::FileLanguage;
use super::rules::TamperRules;
use super::{ParsedFilePair, ParsedFileVersion, paths};

pub(crate) use commands::is_check;

/// Files that set up a runner among other things.
const RUNNERS: [&str; 9] = [
    "package.json",
    "composer.json",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "bunfig.toml",
    "deno.json",
    "deno.jsonc",
    ".nycrc",
];

/// The files that configure checks, by how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfigFormat {
    Toml,
    Json,
    Ini,
    Yaml,
    /// Objects in JavaScript or TypeScript.
    Script,
    /// One pattern a line for what is left out.
    Patterns,
    /// Makefiles and justfiles.
    Recipes,
    /// Lines that are looked through for known words.
    Markers,
}

/// True if a file configures checks.
pub(super) fn is_config(path: &str) -> bool {
    form(path).is_some()
}

/// True if a file sets up what runs tests, and may name code for it. Linters, compilers and servers
/// that run the tests name code for other reasons.
pub(super) fn sets_up_runners(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if !paths::configures_checks(path) || matches!(name, "go.mod" | "Cargo.toml") {
        return false;
    }
    match form(path) {
        None | Some(ConfigFormat::Recipes | ConfigFormat::Markers) => true,
        Some(ConfigFormat::Script) => !name.contains("eslint"),
        Some(
            ConfigFormat::Toml
            | ConfigFormat::Json
            | ConfigFormat::Ini
            | ConfigFormat::Yaml
            | ConfigFormat::Patterns,
        ) => paths::is_runner_config(path) || RUNNERS.contains(&name),
    }
}

/// Returns the parts of a file that concern checks: of recipes, those that serve as one.
pub(super) fn of_checks<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    if form(path) == Some(ConfigFormat::Recipes) {
        recipes::of_checks(text).into()
    } else {
        text.into()
    }
}

/// Reports what a change of configuration does.
pub(super) fn compare(pair: &ParsedFilePair<'_>, rules: &TamperRules) -> Vec<Tampering> {
    let Some(path) = pair.old.as_ref().or(pair.new.as_ref()).map(|side| side.path) else {
        return Vec::new();
    };
    if rules.is_script(path) {
        return script(pair).into_iter().collect();
    }
    if path.rsplit('/').next() == Some("conftest.py") {
        return markers::collection(pair);
    }
    let Some(form) = form(path) else { return Vec::new() };
    let Some(new) = &pair.new else {
        let old = pair.old.as_ref().map_or("", |old| &old.text);
        if form == ConfigFormat::Recipes {
            return recipes::compare(&ConfigChange { path, old, new: "", rules });
        }
        return deleted(path, form).into_iter().collect();
    };
    // A project that begins has nothing that could be weakened.
    if pair.old.is_none() && is_manifest(path) {
        return Vec::new();
    }
    let old = pair.old.as_ref().map_or("", |old| &old.text);
    let changes = ConfigChange { path: new.path, old, new: &new.text, rules };
    match form {
        ConfigFormat::Recipes => recipes::compare(&changes),
        ConfigFormat::Markers => markers::compare(&changes),
        ConfigFormat::Toml
        | ConfigFormat::Json
        | ConfigFormat::Ini
        | ConfigFormat::Yaml
        | ConfigFormat::Script
        | ConfigFormat::Patterns => judge::compare(&changes, form),
    }
}

/// Both texts of a configuration, and where it is.
struct ConfigChange<'a> {
    path: &'a str,
    old: &'a str,
    new: &'a str,
    rules: &'a TamperRules,
}

impl ConfigChange<'_> {
    fn report(&self, line: u32, kind: TamperingKind) -> Tampering {
        Tampering::new(self.path, line, kind)
    }

    /// The line of the new text that holds all the parts, or the last one.
    fn line_of(&self, parts: &[&str]) -> u32 {
        // Paths are in lower case and with `-` for `_`.
        let even = |text: &str| text.to_lowercase().replace('_', "-");
        let holding = |needed: &[&str]| {
            (1..)
                .zip(self.new.lines().map(even))
                .find(|(_, line)| needed.iter().all(|part| line.contains(&even(part))))
                .map(|(number, _)| number)
        };
        holding(parts).or_else(|| holding(&parts[parts.len().saturating_sub(1)..])).unwrap_or(1)
    }

    fn weakened(&self, setting: &str, from: Option<&str>, to: Option<&str>) -> Tampering {
        let key = setting.rsplit('.').next().unwrap_or(setting).trim_end_matches("[]");
        let line = match to {
            Some(to) => self.line_of(&[key, to]).max(self.line_of(&[to])),
            None => self.line_of(&[key]),
        };
        let setting = setting.to_owned();
        let short = |value: &str| shortened(value);
        let (from, to) = (from.map(short), to.map(short));
        self.report(line, TamperingKind::SettingWeakened { setting, from, to })
    }
}

fn form(path: &str) -> Option<ConfigFormat> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let starts = |heads: &[&str]| heads.iter().any(|head| name.starts_with(head));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    Some(match name {
        "Cargo.toml" | "pyproject.toml" | "ruff.toml" | ".ruff.toml" | "clippy.toml"
        | ".clippy.toml" | "nextest.toml" | "deny.toml" | "bunfig.toml" | "pytest.toml"
        | ".pytest.toml" | "ralph.toml" => ConfigFormat::Toml,
        _ if cargo_config::is_cargo_config(path) => ConfigFormat::Toml,
        "package.json" | "biome.json" | "biome.jsonc" | ".oxlintrc.json" | "oxlint.json"
        | "deno.json" | "deno.jsonc" | "pyrightconfig.json" | ".eslintrc" | ".eslintrc.json"
        | ".nycrc" | ".c8rc.json" | ".mocharc.json" | "jest.config.json" => ConfigFormat::Json,
        _ if starts(&["tsconfig"]) && extension == "json" => ConfigFormat::Json,
        "pytest.ini" | ".pytest.ini" | "setup.cfg" | "tox.ini" | "mypy.ini" | ".mypy.ini"
        | ".flake8" | ".coveragerc" | ".pylintrc" | "pylintrc" | ".editorconfig"
        | ".shellcheckrc" | ".bandit" => ConfigFormat::Ini,
        ".eslintrc.yml"
        | ".eslintrc.yaml"
        | ".rubocop.yml"
        | ".golangci.yml"
        | ".golangci.yaml"
        | ".gitlab-ci.yml"
        | ".pre-commit-config.yaml"
        | "phpstan.neon"
        | "phpstan.neon.dist"
        | "phpstan.dist.neon"
        | "detekt.yml"
        | ".clang-tidy"
        | ".mocharc.yml" => ConfigFormat::Yaml,
        _ if path.contains(".github/workflows/") => ConfigFormat::Yaml,
        _ if starts(&[
            "eslint.config.",
            "jest.config.",
            "vitest.config.",
            "vite.config.",
            "playwright.config.",
            ".eslintrc.",
            "vitest.workspace.",
            ".mocharc.",
            "karma.conf.",
        ]) =>
        {
            ConfigFormat::Script
        }
        ".eslintignore" | ".biomeignore" | ".oxlintignore" | ".rubocop_ignore"
        | ".golangciignore" | ".semgrepignore" => ConfigFormat::Patterns,
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" | ".justfile" => {
            ConfigFormat::Recipes
        }
        _ if extension == "mk" => ConfigFormat::Recipes,
        "pom.xml"
        | "build.gradle"
        | "build.gradle.kts"
        | "CMakeLists.txt"
        | "phpunit.xml"
        | "phpunit.xml.dist"
        | ".rspec"
        | ".rspec-local"
        | "Directory.Build.props"
        | "psalm.xml"
        | "Rakefile"
        | ".golangci.toml"
        | "checkstyle.xml"
        | "noxfile.py" => ConfigFormat::Markers,
        _ if matches!(extension, "csproj" | "fsproj") => ConfigFormat::Markers,
        _ => return None,
    })
}

/// Files that a project cannot be without, so that new ones are no sign.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "Cargo.toml"
            | "package.json"
            | "pyproject.toml"
            | "pom.xml"
            | "build.gradle"
            | "build.gradle.kts"
            | "CMakeLists.txt"
            | "setup.cfg"
            | "Rakefile"
    ) || name.starts_with("tsconfig")
        || name.ends_with("proj")
}

fn deleted(path: &str, form: ConfigFormat) -> Option<Tampering> {
    let harmless = form == ConfigFormat::Patterns || path.contains(".github/") || is_manifest(path);
    (!harmless).then(|| Tampering::new(path, 1, TamperingKind::ConfigDeleted))
}

/// A script of a gate: any change but one of remarks.
fn script(pair: &ParsedFilePair<'_>) -> Option<Tampering> {
    let old = pair.old.as_ref()?;
    let Some(new) = &pair.new else {
        return Some(Tampering::new(old.path, 1, TamperingKind::ScriptDeleted));
    };
    let (before, now) = (code_lines(old), code_lines(new));
    if before.iter().map(|(_, line)| line).eq(now.iter().map(|(_, line)| line)) {
        return None;
    }
    let first = now
        .iter()
        .enumerate()
        .find(|(at, (_, line))| before.get(*at).is_none_or(|(_, before)| before != line));
    let line = first.map(|(_, (number, _))| *number).or(now.last().map(|(number, _)| *number));
    Some(Tampering::new(new.path, line.unwrap_or(1), TamperingKind::ScriptChanged))
}

/// The lines of a script without remarks and white space at their ends.
fn code_lines<'s>(side: &'s ParsedFileVersion<'_>) -> Vec<(u32, &'s str)> {
    let slashes = FileLanguage::of(side.path).is_some_and(FileLanguage::is_script);
    (1..)
        .zip(side.text.lines().map(str::trim))
        .filter(|(number, line)| {
            let remark = if slashes { line.starts_with("//") } else { line.starts_with('#') };
            !line.is_empty() && (!remark || (*number == 1 && line.starts_with("#!")))
        })
        .collect()
}
