//! The commands that the project itself says it runs: in CI, in lists of tasks,
//! in hooks before a commit, and in scripts that these call.
//!
//! What a project says counts more than what the names of its files suggest.
//! Nothing is executed: a command whose words depend on something that only a
//! shell knows is a sign that its program is used, and no more.

mod script;
mod sources;

use std::path::Path;

use ralph_core::policy::Criterion;

use super::sight::ProjectFolder;
pub(super) use script::split as script_parts;
use script::{ScriptVariables, simple_commands};

/// Programs that only start another one.
const WRAPPERS: [&str; 29] = [
    "uv",
    "uvx",
    "poetry",
    "pdm",
    "hatch",
    "pipenv",
    "rye",
    "bundle",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "composer",
    "time",
    "env",
    "cross-env",
    "nyc",
    "c8",
    "coverage",
    "python",
    "python3",
    "py",
    "xvfb-run",
    "nice",
    "exec",
    "command",
    "mix",
    "node",
];

/// Words after which a wrapper installs what follows.
const INSTALLS: [&str; 6] = ["install", "add", "sync", "ci", "require", "deps.get"];

/// Words that make a tool change files.
const FIXES: [&str; 10] = [
    "--fix",
    "--write",
    "--apply",
    "--in-place",
    "--autocorrect",
    "--auto-correct",
    "--update-snapshot",
    "--updateSnapshot",
    "--write-changes",
    "--update",
];

/// Programs that change files unless they are told not to.
const FIXERS: [(&str, &[&str]); 8] = [
    ("black", &["--check", "--diff"]),
    ("isort", &["--check", "--check-only", "-c"]),
    ("phpcbf", &[]),
    ("php-cs-fixer", &["--dry-run", "check"]),
    ("autopep8", &["--diff", "--exit-code"]),
    ("autoflake", &["--check", "--check-diff"]),
    ("pyupgrade", &[]),
    ("standardrb", &["--no-fix"]),
];

/// Programs with the short word that makes them change files.
const SHORT_FIXES: [(&str, &str); 7] = [
    ("ava", "-u"),
    ("clang-format", "-i"),
    ("gofmt", "-w"),
    ("goimports", "-w"),
    ("jest", "-u"),
    ("shfmt", "-w"),
    ("vitest", "-u"),
];

/// A program that checks something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KnownProgram {
    pub(super) name: &'static str,
    /// The first word after it that makes it a check; empty for any.
    pub(super) task: &'static str,
    pub(super) criterion: Criterion,
    pub(super) ecosystem: &'static str,
    /// True if it is proposed just as the project calls it. The others are proposed elsewhere, with
    /// a report asked for.
    pub(super) as_said: bool,
}

const fn own(name: &'static str, criterion: Criterion, ecosystem: &'static str) -> KnownProgram {
    KnownProgram { name, task: "", criterion, ecosystem, as_said: false }
}

const fn plain(
    name: &'static str,
    task: &'static str,
    criterion: Criterion,
    ecosystem: &'static str,
) -> KnownProgram {
    KnownProgram { name, task, criterion, ecosystem, as_said: true }
}

const KNOWN: [KnownProgram; 30] = [
    own("eslint", Criterion::LintClean, "JavaScript"),
    own("biome", Criterion::LintClean, "JavaScript"),
    own("oxlint", Criterion::LintClean, "JavaScript"),
    own("pytest", Criterion::TestPass, "Python"),
    own("py.test", Criterion::TestPass, "Python"),
    own("unittest", Criterion::TestPass, "Python"),
    own("ruff", Criterion::LintClean, "Python"),
    own("mypy", Criterion::TypeCheck, "Python"),
    own("pyright", Criterion::TypeCheck, "Python"),
    plain("flake8", "", Criterion::LintClean, "Python"),
    plain("pylint", "", Criterion::LintClean, "Python"),
    plain("basedpyright", "", Criterion::TypeCheck, "Python"),
    plain("ty", "check", Criterion::TypeCheck, "Python"),
    plain("pyrefly", "check", Criterion::TypeCheck, "Python"),
    own("bats", Criterion::TestPass, "Shell"),
    own("shellcheck", Criterion::LintClean, "Shell"),
    own("phpunit", Criterion::TestPass, "PHP"),
    own("phpstan", Criterion::TypeCheck, "PHP"),
    plain("psalm", "", Criterion::TypeCheck, "PHP"),
    plain("phpcs", "", Criterion::LintClean, "PHP"),
    plain("staticcheck", "", Criterion::LintClean, "Go"),
    plain("credo", "", Criterion::LintClean, "Elixir"),
    plain("deno", "lint", Criterion::LintClean, "Deno"),
    plain("dart", "analyze", Criterion::LintClean, "Dart"),
    plain("flutter", "analyze", Criterion::LintClean, "Dart"),
    plain("swiftlint", "", Criterion::LintClean, "Swift"),
    plain("luacheck", "", Criterion::LintClean, "Lua"),
    plain("hlint", "", Criterion::LintClean, "Haskell"),
    plain("clj-kondo", "", Criterion::LintClean, "Clojure"),
    own("nox", Criterion::TestPass, "Python"),
];

/// The kind of file that names a command, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommandOriginKind {
    /// A task whose name says what it is for.
    NamedTask,
    /// Another task, or a hook before a commit.
    Task,
    /// CI, which has more variants than one machine.
    Pipeline,
    /// One of these variants.
    Variant,
}

/// The place in which a script is found.
struct ScriptOrigin<'a> {
    /// The folder it runs in, relative to the root.
    dir: &'a str,
    /// The file that has it.
    origin: &'a str,
    by: CommandOriginKind,
}

/// A command that the project says it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DocumentedCommand {
    /// The folder it runs in, relative to the root.
    pub(super) dir: String,
    /// All of it, after the variables that are set for it.
    pub(super) words: Vec<String>,
    /// The index in `words` of the program that does the work.
    at: usize,
    /// The file that has it.
    pub(super) origin: String,
    by: CommandOriginKind,
    /// True if it changes files, and so is no check.
    mends: bool,
}

impl DocumentedCommand {
    /// The program's name, without its folder.
    pub(super) fn program(&self) -> &str {
        self.words.get(self.at).map_or("", |word| base(word))
    }

    /// The words before the program, and the program as it was written.
    pub(super) fn started_by(&self) -> &[String] {
        &self.words[..=self.at.min(self.words.len().saturating_sub(1))]
    }

    pub(super) fn arguments(&self) -> &[String] {
        self.words.get(self.at + 1..).unwrap_or_default()
    }

    /// True if nothing in it depends on values that only a shell knows.
    pub(super) fn is_whole(&self) -> bool {
        !self.words.iter().any(|word| word.contains(['$', '`']) || word.contains("{{"))
    }

    /// The program, if it is one that checks something.
    pub(super) fn known(&self) -> Option<&'static KnownProgram> {
        known(self.program(), self.arguments())
    }
}

/// The commands that the project's files name.
#[derive(Debug, Default)]
pub(super) struct DocumentedCommands {
    commands: Vec<DocumentedCommand>,
    /// The text of the files themselves, without comments.
    texts: String,
}

impl DocumentedCommands {
    pub(super) fn read(root: ProjectFolder<'_>, folders: &[ProjectFolder<'_>]) -> Self {
        let mut words = Self::default();
        for folder in folders {
            sources::tasks(folder, &mut words);
        }
        sources::hooks(&root, &mut words);
        sources::pipelines(&root, &mut words);
        words.follow_scripts(&root);
        words
    }

    /// The commands of a program in a folder that check something.
    pub(super) fn of<'w>(
        &'w self,
        program: &str,
        dir: &str,
    ) -> impl Iterator<Item = &'w DocumentedCommand> {
        self.calls(program, dir).filter(|said| !said.mends)
    }

    /// The same, with those that change files.
    fn calls<'w>(
        &'w self,
        program: &str,
        dir: &str,
    ) -> impl Iterator<Item = &'w DocumentedCommand> {
        let here = self.commands.iter().filter(move |said| said.dir == dir);
        here.filter(move |said| said.program() == program)
    }

    /// Every command whose program checks something.
    pub(super) fn checks(
        &self,
    ) -> impl Iterator<Item = (&DocumentedCommand, &'static KnownProgram)> {
        let checks = self.commands.iter().filter(|said| !said.mends);
        checks.filter_map(|said| Some((said, said.known()?)))
    }

    /// Returns the way a program is called in a folder, if those who say it best agree.
    pub(super) fn agreed(
        &self,
        program: &str,
        dir: &str,
        wanted: impl Fn(&DocumentedCommand) -> bool,
    ) -> Option<&DocumentedCommand> {
        let mut found: Vec<&DocumentedCommand> =
            self.of(program, dir).filter(|said| said.is_whole() && wanted(said)).collect();
        found.sort_by_key(|said| said.by);
        let first = *found.first()?;
        let mut best = found.iter().take_while(|said| said.by == first.by);
        best.all(|said| said.arguments() == first.arguments()).then_some(first)
    }

    /// Words of the calls of a program in a folder, and the file that has them,
    /// if those who say it best agree on them.
    pub(super) fn agreed_words(
        &self,
        program: &str,
        dir: &str,
        words_of: impl Fn(&DocumentedCommand) -> Option<Vec<String>>,
    ) -> Option<(Vec<String>, &str)> {
        agreed_words(self.of(program, dir), words_of)
    }

    /// The files and folders that a program is called with, to check or to mend
    /// them, if those who say it best agree. `task` is its first word, where it
    /// has several tasks.
    pub(super) fn targets(
        &self,
        program: &str,
        task: &str,
        folder: &ProjectFolder<'_>,
    ) -> Option<Vec<String>> {
        let named = |said: &DocumentedCommand| -> Option<Vec<String>> {
            let words = match (said.arguments(), task) {
                (words, "") => words,
                ([first, rest @ ..], task) if first == task => rest,
                (_, _) => return None,
            };
            let words = words.iter().filter(|word| !word.starts_with('-') && folder.exists(word));
            Some(words.cloned().collect()).filter(|words: &Vec<String>| !words.is_empty())
        };
        let checked = agreed_words(self.of(program, folder.dir()), named);
        let mended = || {
            let calls = self.calls(program, folder.dir());
            agreed_words(calls.filter(|said| said.mends), named)
        };
        checked.or_else(mended).map(|(words, _)| words)
    }

    /// True if a tool is named, as a word, anywhere that commands are.
    pub(super) fn mention(&self, tool: &str) -> bool {
        let ends = |at: Option<char>| at.is_none_or(|it| !it.is_alphanumeric() && it != '_');
        self.texts.match_indices(tool).any(|(at, _)| {
            ends(self.texts[..at].chars().next_back())
                && ends(self.texts[at + tool.len()..].chars().next())
        })
    }

    /// Adds what a script says. Commands that may fail, and that are expected to,
    /// are no checks.
    fn add(&mut self, script: &str, place: &ScriptOrigin<'_>) {
        self.add_with(&ScriptVariables::of(script), script, place);
    }

    fn add_with(&mut self, variables: &ScriptVariables, script: &str, place: &ScriptOrigin<'_>) {
        let kept = script.lines().filter(|line| !line.trim_start().starts_with('#'));
        for line in kept {
            self.texts.push_str(line);
            self.texts.push('\n');
        }
        let mut dir = place.dir.to_owned();
        for words in simple_commands(script, variables) {
            if let [cd, to] = words.as_slice()
                && cd == "cd"
            {
                dir = below(&dir, to);
                continue;
            }
            let at = program_at(&words);
            self.commands.push(DocumentedCommand {
                dir: dir.clone(),
                at,
                mends: changes_files(&words),
                words,
                origin: place.origin.to_owned(),
                by: place.by,
            });
        }
    }

    /// Adds what the scripts of the project say that the commands so far call,
    /// and those that these call.
    fn follow_scripts(&mut self, root: &ProjectFolder<'_>) {
        let (mut seen, mut at): (Vec<String>, usize) = (Vec::new(), 0);
        while at < self.commands.len() && seen.len() < sources::MOST_SCRIPTS {
            let said = self.commands[at].clone();
            at += 1;
            if said.known().is_some() || said.mends {
                continue;
            }
            let DocumentedCommand { words, dir, by, .. } = said;
            let is_starter = |word: &&String| {
                ["sh", "bash", "run"].contains(&word.as_str()) || WRAPPERS.contains(&base(word))
            };
            let Some(script) = words.iter().find(|word| !is_starter(word)) else { continue };
            let is_path = script.contains('/') || Path::new(script).extension().is_some();
            let path = below(&dir, script);
            if !is_path || seen.contains(&path) {
                continue;
            }
            let text = root.read_path(&path).unwrap_or_default();
            let first = text.lines().next().unwrap_or("");
            if first.starts_with("#!") && first.contains("sh") {
                let by = if sources::is_telling(stem(&path)) {
                    CommandOriginKind::NamedTask
                } else {
                    by
                };
                self.add(&text, &ScriptOrigin { dir: &dir, origin: &path, by });
            }
            seen.push(path);
        }
    }
}

/// Words of calls, and the file that has them, if those who say it best agree.
fn agreed_words<'w>(
    calls: impl Iterator<Item = &'w DocumentedCommand>,
    words_of: impl Fn(&DocumentedCommand) -> Option<Vec<String>>,
) -> Option<(Vec<String>, &'w str)> {
    let whole = calls.filter(|said| said.is_whole());
    let found = whole.filter_map(|said| Some((said.by, words_of(said)?, said.origin.as_str())));
    let mut found: Vec<(CommandOriginKind, Vec<String>, &str)> = found.collect();
    found.sort_by_key(|(by, ..)| *by);
    let (by, first, origin) = found.first()?.clone();
    let mut best = found.iter().take_while(|(other, ..)| *other == by);
    best.all(|(_, words, _)| *words == first).then_some((first, origin))
}

/// True if a command changes the files it looks at.
pub(super) fn changes_files(words: &[String]) -> bool {
    let fixes = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        FIXES.iter().any(|fix| name == *fix || name.starts_with(&format!("{fix}-")))
            && !word.ends_with("=false")
            && !word.ends_with("-dry-run")
    };
    let by_nature = FIXERS.iter().any(|(program, unless)| {
        let at = words.iter().position(|word| base(word) == *program);
        at.is_some_and(|at| !words[at..].iter().any(|word| unless.contains(&word.as_str())))
    });
    let in_short = SHORT_FIXES.iter().any(|(program, short)| {
        let at = words.iter().position(|word| base(word) == *program);
        at.is_some_and(|at| words[at..].iter().any(|word| word == short))
    });
    words.iter().any(fixes) || by_nature || in_short
}

/// True if any command of a script changes the files it looks at.
pub(super) fn script_changes_files(script: &str) -> bool {
    simple_commands(script, &ScriptVariables::default()).iter().any(|words| changes_files(words))
}

/// Returns the program that a script runs, if it runs nothing but one that is known.
pub(super) fn only_program(script: &str) -> Option<&'static str> {
    let commands = simple_commands(script, &ScriptVariables::default());
    let [words] = commands.as_slice() else { return None };
    let at = program_at(words);
    known(base(words.get(at)?), &words[at + 1..]).map(|program| program.name)
}

fn known(program: &str, arguments: &[String]) -> Option<&'static KnownProgram> {
    let task = |known: &&KnownProgram| {
        known.task.is_empty() || arguments.first().is_some_and(|word| word == known.task)
    };
    KNOWN.iter().filter(|known| known.name == program).find(task)
}

/// Returns the index of the program that does the work, behind those that start it.
fn program_at(words: &[String]) -> usize {
    let Some(first) = words.first() else { return 0 };
    if !WRAPPERS.contains(&base(first)) {
        return 0;
    }
    let rest = words.iter().take_while(|word| !INSTALLS.contains(&word.as_str()));
    let mut rest = rest.enumerate().skip(1);
    let known = |word: &str| KNOWN.iter().any(|known| known.name == base(word));
    rest.find(|(_, word)| known(word)).map_or(0, |(at, _)| at)
}

/// A path without its folders.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(path: &str) -> &str {
    base(path).split('.').next().unwrap_or(path)
}

fn below(dir: &str, to: &str) -> String {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
#[path = "said_tests.rs"]
mod tests;
