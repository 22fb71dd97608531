//! Go: modules, alone or in a workspace.

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::flags::{self, FlagRules};
use super::sight::ProjectFolder;

const TEST: FlagRules = FlagRules {
    unwanted: &["-v", "-json", "-cover", "-failfast"],
    unwanted_values: &["-coverprofile", "-covermode", "-coverpkg", "-cpuprofile", "-memprofile"],
    parts: &["-run", "-bench", "-c", "-list", "-fuzz"],
};

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let (scope, why) = if folder.has("go.work") {
        // `./...` does not reach into the modules of a workspace.
        let scope: Vec<String> = used(folder).iter().map(|dir| packages(dir)).collect();
        if scope.is_empty() {
            return Vec::new();
        }
        (scope.join(" "), "go.work")
    } else if folder.has("go.mod") {
        (packages("."), "go.mod")
    } else {
        return Vec::new();
    };
    let draft =
        |criterion, line: &str| ProposalDraft::new(folder, criterion, "go", line).because(why);
    let passed = flags::said(folder, &["go", "test"], TEST);
    let passed = passed.and_then(|(words, origin)| Some((beside(words, &scope)?, origin)));
    let (passed, tested) = match passed {
        Some((passed, origin)) if !passed.is_empty() => {
            (passed, format!("{why}, and flags of {origin}"))
        }
        Some(_) | None => (String::new(), why.to_owned()),
    };
    let test = draft(Criterion::TestPass, &format!("go test -json {passed}{scope}"));
    let mut drafts = vec![
        test.because(tested).reads(OutputFormat::GoTest),
        // Of a single program it would leave the executable in the folder.
        draft(Criterion::BuildSuccess, &format!("go build -o /dev/null {scope}")),
    ];
    let is_vetted = folder.said().mention("go vet");
    let vet = draft(Criterion::LintClean, &format!("go vet {scope}"));
    drafts.push(if is_vetted { vet } else { vet.unused("go vet") });
    let configured = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];
    let said = folder.said().mention("golangci-lint").then_some("CI or a task runs golangci-lint");
    if let Some(name) = folder.first(&configured).or(said) {
        let line = format!("golangci-lint run --fix=false {scope}");
        let more = ProposalDraft::new(folder, Criterion::LintClean, "golangci-lint", &line);
        drafts.push(more.because(name));
    }
    drafts
}

/// The flags of a command that tests all of `scope`, with a space behind each.
fn beside(words: Vec<String>, scope: &str) -> Option<String> {
    let (packages, flags): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| word.starts_with('.'));
    let is_whole = packages.join(" ") == scope;
    is_whole.then(|| flags.iter().flat_map(|flag| [flag.as_str(), " "]).collect())
}

/// The modules that the root of a workspace uses.
pub(super) fn covers(root: &ProjectFolder<'_>, inner: &str) -> bool {
    root.has("go.work") && used(root).iter().any(|dir| dir == inner)
}

fn packages(dir: &str) -> String {
    if dir == "." { "./...".to_owned() } else { format!("./{dir}/...") }
}

/// The folders in the `use` lines of a workspace, without a leading `./`.
fn used(folder: &ProjectFolder<'_>) -> Vec<String> {
    let text = folder.read("go.work").unwrap_or_default();
    let mut dirs = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        let dir = match line.strip_prefix("use").map(str::trim) {
            Some("(") => {
                in_block = true;
                continue;
            }
            Some(dir) => dir,
            None if line == ")" => {
                in_block = false;
                continue;
            }
            None if in_block => line,
            None => continue,
        };
        let dir = dir.trim_matches('"').trim_end_matches('/');
        let dir = dir.strip_prefix("./").unwrap_or(dir);
        // Modules outside do not belong to this project.
        if !dir.is_empty() && !dir.starts_with("..") && !dir.contains(char::is_whitespace) {
            dirs.push(dir.to_owned());
        }
    }
    dirs
}
