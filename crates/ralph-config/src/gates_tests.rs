use ralph_checks::detect::{MissingNeed, SupportTier};
use ralph_core::locale::Locale;

use super::super::{RunSettings, SettingLayers};
use super::*;

fn proposal(name: &str, criterion: Criterion, missing: Option<&str>) -> GateProposal {
    GateProposal {
        name: name.to_owned(),
        criterion,
        command: GateCommand::Argv(vec!["run".to_owned(), name.to_owned()]),
        dir: "web".to_owned(),
        format: OutputFormat::Junit,
        ecosystem: "Test",
        tool: "tool",
        why: String::new(),
        tier: SupportTier::One,
        missing: missing.map(|what| MissingNeed { what: what.to_owned(), install: None }),
        standing: ProposalRole::Required,
    }
}

/// Settings of this file in a project where this was detected.
fn settings(text: &str, proposals: &[GateProposal]) -> Result<RunSettings, SettingsConflictError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ralph.toml");
    std::fs::write(&path, text).unwrap();
    let mut layers = SettingLayers::default();
    layers.add_file(&path)?;
    let found = DetectedGates { proposals: proposals.to_vec(), notices: Vec::new() };
    RunSettings::new(&layers, Locale::En, &|| found.clone())
}

/// The gates, a line each: need, name, command, folder, form, bar.
#[track_caller]
fn check(text: &str, proposals: &[GateProposal], want: &[&str]) {
    let settings = settings(text, proposals).unwrap();
    let line = |gate: &GateSpec| {
        let need = match gate.need {
            GateImportance::Required => "",
            GateImportance::Advisory => "advisory ",
        };
        let bar = match gate.bar {
            PassCondition::Clean => "",
            PassCondition::NoErrors => " no-errors",
            PassCondition::NoWorse => " no-worse",
        };
        let (name, command) = (&gate.name, gate.command.display());
        format!("{need}{name}: {command} in '{}' > {}{bar}", gate.dir, gate.format.name())
    };
    assert_eq!(settings.policy.gates.iter().map(line).collect::<Vec<_>>(), want);
}

#[track_caller]
fn check_error(text: &str, proposals: &[GateProposal], words: &[&str]) {
    let error = settings(text, proposals).unwrap_err();
    let said = format!("{error} {}", error.hint().unwrap_or_default());
    for word in words {
        assert!(said.contains(word), "no `{word}` in: {said}");
    }
}

fn web_and_api() -> [GateProposal; 2] {
    [
        proposal("test_pass:api", Criterion::TestPass, None),
        proposal("test_pass:web", Criterion::TestPass, None),
    ]
}

#[test]
fn a_criterion_without_a_command_uses_what_was_detected() {
    let criteria = "[run]\ncriteria = [\"test_pass\"]\n";
    let both = [
        "test_pass:api: run test_pass:api in 'web' > junit",
        "test_pass:web: run test_pass:web in 'web' > junit",
    ];
    check(criteria, &web_and_api(), &both);
    let one = "[run]\ncriteria = [\"test_pass:web\", \"test_pass:web\"]\n";
    check(one, &web_and_api(), &both[1..]);
    check("[run]\n", &web_and_api(), &[]);
    check_error(criteria, &[], &["test_pass", "[gates.test_pass]", "nothing in the project"]);
    let other = "[run]\ncriteria = [\"test_pass:old\"]\n";
    check_error(other, &web_and_api(), &["test_pass:old", "test_pass:api, test_pass:web"]);
}

#[test]
fn a_command_of_the_user_outranks_what_was_detected() {
    let file = "[run]\ncriteria = [\"test_pass\", \"custom:true\"]\n\
                [gates.test_pass]\ncommand = \"make test\"\n";
    let custom = "custom-1: true in '' > text";
    check(file, &web_and_api(), &["test_pass: make test in '' > text", custom]);
    let file = "[run]\ncriteria = [\"test_pass\"]\n[gates.\"test_pass:e2e\"]\nshell = \"a && b\"\n\
                dir = \"./web/e2e/\"\nformat = \"tap\"\ntimeout = \"5s\"\n[gates.custom]\nformat = \"sarif\"\n";
    let want = ["test_pass:e2e: sh -c 'a && b' in 'web/e2e' > tap"];
    check(file, &web_and_api(), &want);
    assert_eq!(settings(file, &[]).unwrap().policy.gates[0].timeout, Duration::from_secs(5));
}

#[test]
fn a_timeout_alone_holds_for_what_was_detected() {
    let file = "[run]\ncriteria = [\"test_pass\"]\n[gates.test_pass]\ntimeout = \"7s\"\n\
                [gates.\"test_pass:web\"]\ntimeout = \"8s\"\n";
    let gates = settings(file, &web_and_api()).unwrap().policy.gates;
    let timeouts: Vec<u64> = gates.iter().map(|gate| gate.timeout.as_secs()).collect();
    assert_eq!(timeouts, [7, 8]);
}

#[test]
fn settings_that_say_nothing_sensible_are_named() {
    let start = "[run]\ncriteria = [\"test_pass\"]\n";
    for (more, words) in [
        ("[gates.test_pass]\nformat = \"tap\"\n", ["gates.test_pass.format", "no `command`"]),
        ("[gates.\"test_pass:x\"]\ndir = \"a\"\n", ["gates.test_pass:x.dir", "no `command`"]),
        ("[gates.test_pass]\ncommand = \"a\"\ndir = \"../b\"\n", ["gates.test_pass.dir", "../b"]),
        ("[gates.test_pass]\ncommand = \"a\"\ndir = \"/b\"\n", ["gates.test_pass.dir", "/b"]),
        ("[gates.test_pass]\nformat = \"xml\"\n", ["ralph.toml:4", "xml"]),
        ("[gates.\"test_pass:x\"]\ncomand = \"a\"\n", ["ralph.toml:4", "test_pass:x.comand"]),
        ("[gates.\"tests:x\"]\ncommand = \"a\"\n", ["ralph.toml:3", "tests:x"]),
        ("zero_errors = \"yes\"\n", ["ralph.toml:3", "true"]),
    ] {
        check_error(&format!("{start}{more}"), &web_and_api(), &words);
    }
}

#[test]
fn a_criterion_whose_tool_is_missing_is_refused_at_the_start() {
    let found = [proposal("test_pass", Criterion::TestPass, Some("pytest"))];
    let settings = settings("[run]\ncriteria = [\"test_pass\"]\n", &found).unwrap();
    let error = settings.ensure_tools().unwrap_err();
    assert_eq!(error.to_string(), "gate test_pass cannot run: `pytest` is not here");
    assert!(error.hint().unwrap().contains("[gates.test_pass]"));
}

fn diagnostics() -> [GateProposal; 3] {
    [
        proposal("test_pass", Criterion::TestPass, None),
        proposal("lint_clean", Criterion::LintClean, None),
        proposal("type_check", Criterion::TypeCheck, Some("mypy")),
    ]
}

#[test]
fn zero_errors_adds_what_looks_for_errors() {
    let lint = "lint_clean: run lint_clean in 'web' > junit no-errors";
    let types = "advisory type_check: run type_check in 'web' > junit no-errors";
    for key in ["zero_errors", "zero_warnings"] {
        check(&format!("[run]\n{key} = true\n"), &diagnostics(), &[lint, types]);
    }
    let own = "[run]\nzero_errors = true\n[gates.lint_clean]\ncommand = \"x\"\n";
    check(own, &diagnostics(), &["lint_clean: x in '' > text no-errors"]);
    let compiler = [proposal("build_success", Criterion::BuildSuccess, None)];
    let built = "build_success: run build_success in 'web' > junit no-errors";
    check("[run]\nzero_errors = true\n", &compiler, &[built]);
    let named = "[run]\ncriteria = [\"lint_clean\"]\nzero_errors = true\n";
    check(named, &diagnostics(), &["lint_clean: run lint_clean in 'web' > junit"]);
}

#[test]
fn zero_without_anybody_to_count_is_refused() {
    let file = "[run]\nzero_errors = true\nzero_warnings = true\n";
    check_error(file, &[], &["zero errors, zero warnings", "[gates.lint_clean]"]);
    check_error(file, &diagnostics()[2..], &["zero errors", "install", "mypy"]);
}

#[test]
fn errors_are_not_accepted_where_a_diagnostic_criterion_is_in_force() {
    let zero = |text: &str| settings(text, &diagnostics()).unwrap().policy.zero;
    let set = |levels: &[FindingLevel]| levels.iter().copied().collect::<BTreeSet<_>>();
    for (text, want) in [
        ("", &[][..]),
        ("criteria = [\"test_pass\"]\n", &[]),
        ("criteria = [\"lint_clean\"]\n", &[FindingLevel::Error]),
        ("criteria = [\"lint_clean\"]\nzero_errors = false\n", &[]),
        ("zero_errors = true\n", &[FindingLevel::Error]),
        ("zero_warnings = true\n", &[FindingLevel::Error, FindingLevel::Warning]),
        ("zero_warnings = true\nzero_errors = false\n", &[FindingLevel::Warning]),
        ("zero_security = true\n", &[FindingLevel::Security]),
    ] {
        assert_eq!(zero(&format!("[run]\n{text}")), set(want), "{text}");
    }
}

#[test]
fn a_bare_promise_loop_looks_at_no_files() {
    let bare =
        RunSettings::new(&SettingLayers::default(), Locale::En, &|| panic!("nothing asked for it"));
    let policy = bare.unwrap().policy;
    assert!(policy.gates.is_empty() && policy.zero.is_empty());
}
