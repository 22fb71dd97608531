//! Tells a gate that fails from one whose packages were never installed.
//!
//! Only a command that came to nothing is looked at: where tests or errors are
//! named, the packages are not what is wrong.

use std::path::Path;

use ralph_core::policy::{GateCommand, GateSpec};

use crate::detect::{MissingNeed, detect};

/// The programs that need the packages in a folder.
const USERS: [(&str, &[&str]); 4] = [
    ("node_modules", &["npm", "npx", "pnpm", "yarn", "bun", "bunx", "node"]),
    ("vendor", &["composer", "php", "phpunit", "pest", "phpstan"]),
    ("deps", &["mix"]),
    (".dart_tool", &["dart", "flutter"]),
];

/// The messages that tools print when packages are missing and no folder shows it: the program, the
/// message, the missing thing, and the command that installs it.
const PRINTED: [(&str, &str, &str, &str); 6] = [
    ("bundle", "Run `bundle install`", "gems", "bundle install"),
    ("bundle", "bundler: command not found", "gems", "bundle install"),
    ("bundle", "Could not find gem", "gems", "bundle install"),
    ("go", ": Get \"http", "modules", "go mod download"),
    ("mvn", "Could not transfer artifact", "artifacts", "mvn dependency:go-offline"),
    ("mvn", "could not be resolved", "artifacts", "mvn dependency:go-offline"),
];

/// Returns a need that a gate lacks, as far as the project's files and the end of its output tell.
pub(crate) fn lacking(root: &Path, spec: &GateSpec, tail: &str) -> Option<MissingNeed> {
    let words = words(&spec.command);
    let uses = |program: &str| words.iter().any(|word| word == program);
    let printed = PRINTED.iter().find(|(program, text, ..)| uses(program) && tail.contains(text));
    if let Some((_, _, what, install)) = printed {
        return Some(need(what, install));
    }
    if let Some(module) = missing_module(&words, tail) {
        return Some(need(module, &format!("pip install {module}")));
    }
    let folders = USERS.iter().filter(|(folder, programs)| {
        programs.iter().any(|program| uses(program))
            || words.iter().any(|word| word.starts_with(&format!("{folder}/")))
    });
    let folders: Vec<&str> = folders.map(|(folder, _)| *folder).collect();
    if folders.is_empty() {
        return None;
    }
    // Programs are there: the gate was started.
    let found = detect(root, &|program, dir| !program.contains('/') || dir.join(program).exists());
    let here = found.proposals.into_iter().filter(|proposal| proposal.dir == spec.dir);
    let missing = here.filter_map(|proposal| proposal.missing);
    missing.into_iter().find(|missing| {
        let first = missing.what.split('/').next().unwrap_or_default();
        missing.install.is_some() && folders.contains(&first)
    })
}

/// The module that Python was to run and does not have.
fn missing_module<'t>(words: &[String], tail: &'t str) -> Option<&'t str> {
    let wanted = words.iter().skip_while(|word| *word != "-m").nth(1)?;
    let (_, module) = tail.split_once(": No module named ")?;
    let module = module.lines().next()?.trim().trim_matches(['\'', '"']);
    (module == wanted).then_some(module)
}

fn need(what: &str, install: &str) -> MissingNeed {
    MissingNeed { what: what.to_owned(), install: Some(install.to_owned()) }
}

fn words(command: &GateCommand) -> Vec<String> {
    match command {
        GateCommand::Argv(words) => words.clone(),
        GateCommand::Shell(script) => script.split_whitespace().map(str::to_owned).collect(),
        GateCommand::Question(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use ralph_core::format::OutputFormat;
    use ralph_core::policy::{Criterion, GateImportance, PassCondition};

    use super::*;

    /// Checks the need that a command lacks in a folder with these files.
    #[track_caller]
    fn check(files: &[(&str, &str)], command: &str, tail: &str, want: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let spec = GateSpec {
            name: "x".to_owned(),
            criterion: Criterion::Custom,
            command: GateCommand::Argv(command.split(' ').map(str::to_owned).collect()),
            dir: String::new(),
            format: OutputFormat::Text,
            bar: PassCondition::Clean,
            timeout: Duration::from_secs(1),
            need: GateImportance::Required,
        };
        let found = lacking(folder.path(), &spec, tail).map(|need| need.to_string());
        assert_eq!(found.as_deref(), want, "{command}");
    }

    #[test]
    fn packages_that_were_never_installed_are_named_with_their_command() {
        let node = r#"{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}"#;
        let files = [("package.json", node), ("package-lock.json", "")];
        let want = Some("`node_modules` is not here: run `npm ci`");
        check(&files, "npm test", "sh: mocha: not found", want);
        check(&files, "make test", "", None);
        let files = [("package.json", node), ("node_modules/x", "")];
        check(&files, "npm test", "1 failing", None);
        let php = r#"{"require-dev": {"phpunit/phpunit": "11"}}"#;
        let want = Some("`vendor` is not here: run `composer install`");
        check(&[("composer.json", php)], "vendor/bin/phpunit", "", want);
        let files = [("mix.exs", ""), ("mix.lock", "")];
        check(&files, "mix test", "", Some("`deps` is not here: run `mix deps.get`"));
    }

    #[test]
    fn what_tools_print_about_missing_packages_is_understood() {
        let gem = "Could not find rake-13 in locally installed gems\nRun `bundle install` to install missing gems.";
        let want = Some("`gems` is not here: run `bundle install`");
        check(&[("Gemfile", "")], "bundle exec rake", gem, want);
        let module = "/usr/bin/python3: No module named pytest\n";
        let want = Some("`pytest` is not here: run `pip install pytest`");
        check(&[], "python3 -m pytest", module, want);
        let other = "E   ModuleNotFoundError: No module named 'mine'\n";
        check(&[], "python3 -m pytest", other, None);
    }
}
