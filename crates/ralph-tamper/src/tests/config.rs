//! Configuration and scripts of gates.

use std::time::Duration;

use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition};

use super::super::TamperRules;
use super::{FixtureFiles, findings, must_be_left_alone, must_be_noticed, weakenings};

#[test]
fn configuration_that_checks_less_is_noticed() {
    must_be_noticed(include_str!("scenarios/weaker_config.txt"));
}

#[test]
fn configuration_that_checks_as_much_is_left_alone() {
    must_be_left_alone(include_str!("scenarios/honest_config.txt"));
}

fn gate(command: &[&str]) -> GateSpec {
    GateSpec {
        name: "custom-1".to_owned(),
        criterion: Criterion::Custom,
        command: GateCommand::Argv(command.iter().map(|&word| word.to_owned()).collect()),
        dir: String::new(),
        format: OutputFormat::Exit,
        bar: PassCondition::Clean,
        timeout: Duration::from_secs(1),
        need: GateImportance::Required,
    }
}

#[test]
fn the_script_of_a_gate_may_only_change_its_remarks() {
    let rules = TamperRules::new(&[gate(&["sh", "./scripts/check.sh", "--all"])], &[]).unwrap();
    let old = &[("scripts/check.sh", "#!/bin/sh\n# all\nset -e\nmake test\n")];
    let said = |new: FixtureFiles<'_>| weakenings(&findings(old, new, &rules));
    assert_eq!(
        said(&[("scripts/check.sh", "#!/bin/sh\n# all\nset -e\nexit 0\nmake test\n")]),
        ["scripts/check.sh:4: script of a gate changed"]
    );
    assert_eq!(said(&[]), ["scripts/check.sh:1: script of a gate deleted"]);
    assert_eq!(
        said(&[("scripts/check.sh", "#!/bin/sh\n# everything\n\nset -e\nmake test\n")]),
        [""; 0]
    );
}

#[test]
fn a_program_that_is_the_work_is_no_script_of_a_gate() {
    let rules = TamperRules::new(&[gate(&["python3", "main.py"])], &[]).unwrap();
    let found = findings(&[("main.py", "print(1)\n")], &[("main.py", "print(2)\n")], &rules);
    assert_eq!(weakenings(&found), [""; 0]);
}

#[test]
fn a_target_that_a_gate_names_is_a_check_whatever_its_name() {
    let rules = TamperRules::new(&[gate(&["make", "proof"])], &[]).unwrap();
    let old = &[("Makefile", "proof:\n\tpytest\n")];
    let found = findings(old, &[("Makefile", "proof:\n\techo fine\n")], &rules);
    assert_eq!(weakenings(&found).len(), 1);
}

#[test]
fn a_makefile_that_overrules_the_one_of_a_gate_is_noticed() {
    let rules = TamperRules::new(&[gate(&["make", "test"])], &[]).unwrap();
    let said = |new: FixtureFiles<'_>| weakenings(&findings(&[], new, &rules));
    assert_eq!(
        said(&[("GNUmakefile", "test:\n\ttrue\n")]),
        ["GNUmakefile:1: `GNUmakefile: test` checks less: it is now `true`"]
    );
    assert_eq!(said(&[("GNUmakefile", "docs:\n\ttrue\n")]), [""; 0]);
}
