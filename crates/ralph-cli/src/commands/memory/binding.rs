//! Checks that the user gives to notes.

use std::path::{Path, PathBuf};

use ralph_checks::invariants::{Sought, can_select, sought, try_rules};
use ralph_checks::security::RulesError;
use ralph_memory::clean;
use ralph_memory::event::{Invariant, Scope};

use super::books::Books;
use crate::commands::invariants::runners;
use crate::error::CliError;
use crate::out;

/// The longest text of rules that the log takes with all around it, in bytes.
const LONGEST: usize = 128 * 1024;

/// Who can run a test alone.
const RUNNERS: &str = "pytest, vitest, jest, node, bun, go, `cargo test`, RSpec, Rails and PHPUnit";

/// What shows whether a note holds.
#[derive(clap::Args, Debug)]
pub(super) struct CheckArgs {
    /// Rules that find what breaks it, as ast-grep's manual writes them; work that breaks it is
    /// not accepted from now on
    #[arg(long, value_name = "FILE", conflicts_with = "test")]
    rule: Option<PathBuf>,
    /// A test that fails when it is broken: `FILE`, `NAME` or `FILE::NAME`, as the project's
    /// runner takes them
    #[arg(long, value_name = "TEST")]
    test: Option<String>,
}

impl CheckArgs {
    /// The check that is to be given to a note for these; it was tried as far
    /// as that can be done without running it.
    pub(super) fn read(
        &self,
        books: &Books<'_>,
        scope: Scope,
    ) -> Result<Option<Invariant>, CliError> {
        let check = match (&self.rule, &self.test) {
            (None, None) => return Ok(None),
            (Some(path), _) => Invariant::Rule(rules(path)?),
            (None, Some(test)) => Invariant::Test(self::test(books, test)?),
        };
        books.only_for_the_user("give a note a check")?;
        refuse_scope(&check, scope)?;
        Ok(Some(check))
    }
}

/// Refuses a check where nobody would run it.
pub(super) fn refuse_scope(check: &Invariant, scope: Scope) -> Result<(), CliError> {
    match (check, scope) {
        (_, Scope::Task) => Err(CliError::usage("a task note cannot have a check")
            .with_hint("leave out `--scope`: a note with a check is for the project")),
        (Invariant::Test(_), Scope::Global) => {
            Err(CliError::usage("a test belongs to one project, not to all")
                .with_hint("use `--scope project`, or rules"))
        }
        (Invariant::Rule(_), Scope::Global) | (_, Scope::Project) => Ok(()),
    }
}

fn rules(path: &Path) -> Result<String, CliError> {
    let read = |source| RulesError::Read { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(|error| refused(&read(error)))?;
    try_rules(path, &text).map_err(|error| refused(&error))?;
    if text.len() > LONGEST {
        let what =
            format!("{} has {} bytes, at most {LONGEST} are kept", path.display(), text.len());
        return Err(CliError::usage(what).with_hint("give each of several notes a part of it"));
    }
    if clean::text(&text) != text {
        let what = format!("{} holds what must not be kept, such as a secret", path.display());
        return Err(CliError::usage(what));
    }
    Ok(text)
}

fn refused(error: &RulesError) -> CliError {
    let hint = error.hint();
    match (error, hint) {
        (RulesError::Broken { .. }, Some(hint)) => CliError::usage(error).with_hint(hint),
        (RulesError::Broken { .. } | RulesError::Read { .. }, _) => CliError::usage(error),
    }
}

fn test(books: &Books<'_>, test: &str) -> Result<String, CliError> {
    let runners = runners(books.app, &[]);
    if runners.is_empty() {
        return Err(CliError::usage("nothing in the project tells how its tests are run")
            .with_hint("add `[gates.test_pass]` with `command = \"…\"` to ralph.toml"));
    }
    let commands = || {
        let commands: Vec<String> = runners.iter().map(|runner| runner.command.display()).collect();
        commands.join("`, `")
    };
    if !can_select(&runners, "name") {
        return Err(CliError::usage(format!("`{}` cannot run one test alone", commands()))
            .with_hint(format!(
                "{RUNNERS} can; `[gates.test_pass]` in ralph.toml names another command"
            )));
    }
    if !can_select(&runners, test) {
        let what = format!("`{test}` cannot be run alone with `{}`", commands());
        return Err(CliError::usage(what)
            .with_hint("name a test as FILE, NAME or FILE::NAME; files from the project's root"));
    }
    match sought(&runners, test, &books.app.project.root) {
        Sought::Found => {}
        Sought::NoFile(file) => {
            let what = format!("there is no file `{file}` in this project");
            return Err(CliError::usage(what).with_hint("files are named from the project's root"));
        }
        Sought::NoName(name) => out::note(books.answers.no_test(&name)),
    }
    Ok(test.to_owned())
}
