//! The options that give a note a check.

use std::path::{Path, PathBuf};

use ralph_checks::invariants::{TestLookup, can_select, sought, try_rules};
use ralph_checks::security::RulesError;
use ralph_memory::clean;
use ralph_memory::event::{NoteCheck, NoteScope};

use super::books::UserNotebooks;
use crate::error::CliError;
use crate::out;
use ralph_engine::invariants::runners;

/// Longest text of rules, in bytes, that fits into a line of the log.
const LONGEST: usize = 128 * 1024;

/// Runners that can run a single test.
const RUNNERS: &str = "pytest, vitest, jest, node, bun, go, `cargo test`, RSpec, Rails and PHPUnit";

/// What shows whether a note holds.
#[derive(clap::Args, Debug)]
pub(super) struct NoteCheckArgs {
    /// Rules that find what breaks it, as ast-grep's manual writes them; work that breaks it is
    /// not accepted from now on
    #[arg(long, value_name = "FILE", conflicts_with = "test")]
    rule: Option<PathBuf>,
    /// A test that fails when it is broken: `FILE`, `NAME` or `FILE::NAME`, as the project's
    /// runner takes them
    #[arg(long, value_name = "TEST")]
    test: Option<String>,
}

impl NoteCheckArgs {
    /// Reads the check from the options. It is validated as far as possible without running it.
    pub(super) fn read(
        &self,
        books: &UserNotebooks<'_>,
        scope: NoteScope,
    ) -> Result<Option<NoteCheck>, CliError> {
        let check = match (&self.rule, &self.test) {
            (None, None) => return Ok(None),
            (Some(path), _) => NoteCheck::Rule(rules(path)?),
            (None, Some(test)) => NoteCheck::Test(self::test(books, test)?),
        };
        books.only_for_the_user("give a note a check")?;
        refuse_scope(&check, scope)?;
        Ok(Some(check))
    }
}

/// Returns an error for a check that would never run.
pub(super) fn refuse_scope(check: &NoteCheck, scope: NoteScope) -> Result<(), CliError> {
    match (check, scope) {
        (_, NoteScope::Task) => Err(CliError::usage("a task note cannot have a check")
            .with_hint("leave out `--scope`: a note with a check is for the project")
            .in_korean(
                "작업 메모에는 검사를 붙일 수 없습니다",
                Some("`--scope` 를 빼세요. 검사가 있는 메모는 프로젝트의 것입니다"),
            )),
        (NoteCheck::Test(_), NoteScope::Global) => {
            Err(CliError::usage("a test belongs to one project, not to all")
                .with_hint("use `--scope project`, or rules")
                .in_korean(
                    "테스트는 모든 프로젝트가 아니라 한 프로젝트의 것입니다",
                    Some("`--scope project` 나 규칙을 쓰세요"),
                ))
        }
        (NoteCheck::Rule(_), NoteScope::Global) | (_, NoteScope::Project) => Ok(()),
    }
}

fn rules(path: &Path) -> Result<String, CliError> {
    let read = |source| RulesError::Read { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(|error| refused(&read(error)))?;
    try_rules(path, &text).map_err(|error| refused(&error))?;
    if text.len() > LONGEST {
        let what =
            format!("{} has {} bytes, at most {LONGEST} are kept", path.display(), text.len());
        return Err(CliError::usage(what)
            .with_hint("give each of several notes a part of it")
            .in_korean(
                format!(
                    "{} 은(는) {}바이트입니다. 최대 {LONGEST}바이트까지 보관합니다",
                    path.display(),
                    text.len()
                ),
                Some("여러 메모에 나누어 담으세요"),
            ));
    }
    if clean::text(&text) != text {
        let what = format!("{} holds what must not be kept, such as a secret", path.display());
        return Err(CliError::usage(what).in_korean(
            format!("{} 에 비밀 값처럼 보관하면 안 되는 내용이 있습니다", path.display()),
            None,
        ));
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

fn test(books: &UserNotebooks<'_>, test: &str) -> Result<String, CliError> {
    let runners = runners(books.app, &[]);
    if runners.is_empty() {
        return Err(CliError::usage("nothing in the project tells how its tests are run")
            .with_hint("add `[gates.test_pass]` with `command = \"…\"` to ralph.toml")
            .in_korean(
                "프로젝트에서 테스트를 실행하는 방법을 찾지 못했습니다",
                Some("ralph.toml 에 `[gates.test_pass]` 와 `command = \"…\"` 를 추가하세요"),
            ));
    }
    let commands = || {
        let commands: Vec<String> = runners.iter().map(|runner| runner.command.display()).collect();
        commands.join("`, `")
    };
    if !can_select(&runners, "name") {
        return Err(CliError::usage(format!("`{}` cannot run one test alone", commands()))
            .with_hint(format!(
                "{RUNNERS} can; `[gates.test_pass]` in ralph.toml names another command"
            )).in_korean(format!("`{}` 은(는) 테스트 하나만 실행할 수 없습니다", commands()), Some(&format!("{RUNNERS} 은(는) 할 수 있습니다. ralph.toml 의 `[gates.test_pass]` 에 다른 명령을 적을 수 있습니다"))));
    }
    if !can_select(&runners, test) {
        let what = format!("`{test}` cannot be run alone with `{}`", commands());
        return Err(CliError::usage(what)
            .with_hint("name a test as FILE, NAME or FILE::NAME; files from the project's root").in_korean(format!("`{test}` 을(를) `{}` 로 따로 실행할 수 없습니다", commands()), Some("테스트는 파일, 이름 또는 파일::이름 으로 적습니다. 파일은 프로젝트 루트부터 적습니다")));
    }
    match sought(&runners, test, &books.app.project.root) {
        TestLookup::Found => {}
        TestLookup::NoFile(file) => {
            let what = format!("there is no file `{file}` in this project");
            return Err(CliError::usage(what)
                .with_hint("files are named from the project's root")
                .in_korean(
                    format!("이 프로젝트에 `{file}` 파일이 없습니다"),
                    Some("파일은 프로젝트 루트부터 적습니다"),
                ));
        }
        TestLookup::NoName(name) => out::note(books.answers.no_test(&name)),
    }
    Ok(test.to_owned())
}
