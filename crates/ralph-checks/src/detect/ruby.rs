//! Ruby: `RSpec`, minitest, `RuboCop`.

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::flags::{self, FlagRules};
use super::sight::{ProjectFolder, is_of};

/// Loads every test file; minitest runs them at the end by itself.
const MINITEST: &str =
    r#"Dir.glob("./test/**/{test_*,*_test}.rb").sort.each { |file| require file }"#;

const RSPEC: FlagRules = FlagRules {
    unwanted: &["--color", "--colour", "--profile", "-p", "--fail-fast"],
    unwanted_values: &["--format", "-f", "--out", "-o"],
    parts: &["--example", "-e", "--pattern", "-P", "--only-failures"],
};

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let gemspec = folder.own_files().find(|name| is_of(name, "gemspec"));
    let signs = ["Gemfile", "Rakefile", ".rspec", ".rubocop.yml"];
    if gemspec.is_none() && folder.first(&signs).is_none() {
        return Vec::new();
    }
    let mut gems = folder.read("Gemfile").unwrap_or_default();
    gems.push_str(&gemspec.and_then(|name| folder.read(name)).unwrap_or_default());
    [test(folder, &gems), lint(folder, &gems)].into_iter().flatten().collect()
}

/// The beginning of a command that uses the gems of the project.
fn bundle(folder: &ProjectFolder<'_>) -> &'static str {
    if folder.has("Gemfile") { "bundle exec " } else { "" }
}

fn names(gems: &str, gem: &str) -> bool {
    gems.contains(&format!("\"{gem}\"")) || gems.contains(&format!("'{gem}'"))
}

fn test(folder: &ProjectFolder<'_>, gems: &str) -> Option<ProposalDraft> {
    let bundle = bundle(folder);
    let below = |prefix: &str, ends: &[&str]| {
        let mut files = folder.all_files();
        files.any(|(at, file)| {
            at.dir_within(folder).starts_with(prefix) && ends.iter().any(|end| file.ends_with(end))
        })
    };
    let specs = below("spec", &["_spec.rb"]);
    if folder.has(".rspec") || specs {
        let why = if specs { "spec/ has *_spec.rb" } else { ".rspec" };
        let draft = |more| {
            let line = format!("{bundle}rspec");
            let call: Vec<&str> = line.split(' ').collect();
            let passed = flags::said(folder, &call, RSPEC).map(|(words, _)| words);
            let more = format!("{line}{more}");
            let words = more.split(' ').map(str::to_owned).chain(passed.unwrap_or_default());
            ProposalDraft::of_words(folder, Criterion::TestPass, "rspec", words)
        };
        return Some(if names(gems, "rspec_junit_formatter") {
            draft(" --format RspecJunitFormatter --out {report}")
                .reads(OutputFormat::Junit)
                .because(format!("{why}, and the gems have rspec_junit_formatter"))
        } else {
            draft("").because(why)
        });
    }
    if folder.exists("bin/rails") && folder.exists("test") {
        return Some(
            ProposalDraft::new(folder, Criterion::TestPass, "rails", "bin/rails test -v")
                .because("bin/rails"),
        );
    }
    let rakefile = folder.read("Rakefile").unwrap_or_default();
    if ["TestTask", "task :test", "task test", "task(:test"].iter().any(|it| rakefile.contains(it))
    {
        let line = format!("{bundle}rake test");
        let draft = ProposalDraft::new(folder, Criterion::TestPass, "rake", &line);
        return Some(draft.because("Rakefile has a task `test`"));
    }
    let tests = folder.all_files().any(|(at, file)| {
        at.dir_within(folder).starts_with("test")
            && is_of(file, "rb")
            && (file.starts_with("test_") || file.ends_with("_test.rb"))
    });
    tests.then(|| {
        // Only with `-v` does it name the tests that pass.
        let ruby = ["ruby", "-Ilib", "-Itest", "-e", MINITEST, "--", "-v"];
        let words = bundle.split_whitespace().chain(ruby);
        ProposalDraft::of_words(folder, Criterion::TestPass, "minitest", words.map(str::to_owned))
            .because("test/ has tests")
    })
}

fn lint(folder: &ProjectFolder<'_>, gems: &str) -> Option<ProposalDraft> {
    let in_gems = names(gems, "rubocop");
    if !in_gems && !folder.has(".rubocop.yml") {
        return None;
    }
    let bundle = if in_gems { bundle(folder) } else { "" };
    let line = format!("{bundle}rubocop --format json");
    let why = if in_gems { "rubocop is among the gems" } else { ".rubocop.yml" };
    let draft = ProposalDraft::new(folder, Criterion::LintClean, "rubocop", &line);
    Some(draft.reads(OutputFormat::Rubocop).because(why))
}
