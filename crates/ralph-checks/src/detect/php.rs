//! PHP: `PHPUnit`, Pest, `PHPStan`, and the syntax check of PHP itself.

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;
use serde_json::Value;

use super::draft::ProposalDraft;
use super::said::script_changes_files;
use super::sight::{ProjectFolder, is_of};

/// One file at a time: older versions look at the first of several only.
const SYNTAX: &str = "find . -name '.?*' -prune -o -name vendor -prune -o -name node_modules -prune \
                      -o -type f -name '*.php' -print0 | xargs -0 -n 1 -P 4 php -l";

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let signs = ["composer.json", "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"];
    let Some(sign) = folder.first(&signs) else { return Vec::new() };
    let composer = folder.json("composer.json").unwrap_or_default();
    let mut drafts = Vec::new();
    drafts.extend(test(folder, &composer));
    // The one of the root reaches down to here.
    let is_covered = !folder.is_root() && folder.root().first(&signs).is_some();
    if !is_covered && folder.all_files().any(|(_, file)| is_of(file, "php")) {
        let syntax = ProposalDraft::of_script(Criterion::BuildSuccess, "php", SYNTAX);
        drafts.push(syntax.because(sign).needs(folder, "php"));
    }
    drafts.extend(stan(folder, &composer));
    if let Some(draft) = script(folder, &composer, Criterion::LintClean, "lint") {
        drafts.push(draft);
    }
    drafts
}

fn test(folder: &ProjectFolder<'_>, composer: &Value) -> Option<ProposalDraft> {
    let junit = |tool, package, sign: Option<&str>| {
        let required = requires(composer, package);
        let why = match sign {
            Some(sign) => sign.to_owned(),
            None if required => format!("composer.json requires {package}"),
            None => return None,
        };
        let line = format!("{} --log-junit {{report}}", program(folder, tool, composer, package));
        let draft = ProposalDraft::new(folder, Criterion::TestPass, tool, &line);
        Some(installed(folder, draft.reads(OutputFormat::Junit).because(why)))
    };
    let configured = folder.first(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
    junit("pest", "pestphp/pest", None)
        .or_else(|| junit("simple-phpunit", "symfony/phpunit-bridge", None))
        .or_else(|| junit("phpunit", "phpunit/phpunit", configured))
        .or_else(|| script(folder, composer, Criterion::TestPass, "test"))
}

fn stan(folder: &ProjectFolder<'_>, composer: &Value) -> Option<ProposalDraft> {
    let configured = folder.first(&["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"])?;
    let program = program(folder, "phpstan", composer, "phpstan/phpstan");
    let line = format!("{program} analyse --no-progress --error-format=raw");
    let draft = ProposalDraft::new(folder, Criterion::TypeCheck, "phpstan", &line);
    Some(installed(folder, draft.because(configured)))
}

/// Says so when the packages of the project were never installed.
fn installed(folder: &ProjectFolder<'_>, draft: ProposalDraft) -> ProposalDraft {
    let needs = draft.missing.is_some() && folder.has("composer.json");
    if needs && !folder.exists("vendor") {
        draft.lacks("vendor", Some("composer install"))
    } else {
        draft
    }
}

/// The project's own copy, or the one that is installed for all.
fn program(folder: &ProjectFolder<'_>, tool: &str, composer: &Value, package: &str) -> String {
    let own = format!("vendor/bin/{tool}");
    if requires(composer, package) || folder.exists(&own) { own } else { tool.to_owned() }
}

fn requires(composer: &Value, package: &str) -> bool {
    ["require", "require-dev"].iter().any(|table| composer[table].get(package).is_some())
}

fn script(
    folder: &ProjectFolder<'_>,
    composer: &Value,
    criterion: Criterion,
    name: &str,
) -> Option<ProposalDraft> {
    composer["scripts"].get(name)?;
    let line = format!("composer run-script --no-interaction {name}");
    let draft = ProposalDraft::new(folder, criterion, "composer", &line);
    let draft = draft.because(format!("composer.json: script `{name}`"));
    let script = composer["scripts"][name].as_str().unwrap_or_default();
    Some(if script_changes_files(script) {
        draft.forbid(format!("it changes files: `{script}`"))
    } else {
        draft
    })
}
