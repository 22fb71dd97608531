use std::collections::BTreeSet;
use std::fs;

use ast_grep_core::tree_sitter::LanguageExt as _;
use ralph_core::finding::FindingLevel;
use serde::Deserialize;

use super::*;
use crate::formats::FindingCollector;

/// The cases of one rule, in the form that `ast-grep test` reads.
#[derive(Deserialize)]
struct RuleTestCases {
    id: String,
    valid: Vec<String>,
    invalid: Vec<String>,
}

fn rules_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// The files of a folder's kind: `(folder, name)` of each.
fn listed(below: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for folder in fs::read_dir(rules_folder()).unwrap().flatten() {
        for file in fs::read_dir(folder.path().join(below)).unwrap().flatten() {
            if file.path().is_file() {
                let names = (folder.file_name(), file.file_name());
                let text = |name: std::ffi::OsString| name.into_string().unwrap();
                found.insert((text(names.0), text(names.1)));
            }
        }
    }
    found
}

fn cases(folder: &str, name: &str) -> RuleTestCases {
    let text = fs::read_to_string(rules_folder().join(folder).join("tests").join(name)).unwrap();
    ast_grep_config::from_str(&text).unwrap()
}

fn written() -> Vec<(&'static EmbeddedRules, RuleDefinition)> {
    let parse = |rule: &EmbeddedRules| ast_grep_config::from_str(rule.text).unwrap();
    EMBEDDED.iter().map(|rule| (rule, parse(rule))).collect()
}

/// Returns the number of a rule's findings in a source text.
fn count(pack: &RulePack, id: &str, file: &str, source: &str) -> usize {
    let mut out = FindingCollector::new(Path::new("/"), "");
    pack.scan_file(Path::new(file), source, &mut out);
    let findings = out.finish().findings;
    findings.iter().filter(|finding| finding.rule.as_deref() == Some(id)).count()
}

fn file_name(language: SupportLang) -> &'static str {
    let names = ["a.go", "a.java", "a.js", "a.py", "a.rs", "a.tsx", "a.ts"];
    names.into_iter().find(|name| language::of(Path::new(name)) == Some(language)).unwrap()
}

#[test]
fn the_name_of_a_file_tells_whether_any_rule_covers_it() {
    let pack = RulePack::builtin();
    for (file, want) in [("a/b.py", true), ("x.tsx", true), ("a.c", false), ("a.txt", false)] {
        let path = Path::new(file);
        assert_eq!((pack.covers(path), RulePack::builtin_covers(path)), (want, want), "{file}");
    }
    let none = RulePack::only_user_rules(&[]).unwrap();
    assert!(!none.covers(Path::new("b.py")));
}

#[test]
fn every_rule_file_is_embedded() {
    let embedded: BTreeSet<String> = EMBEDDED.iter().map(|rule| rule.text.to_owned()).collect();
    let files = listed("");
    assert_eq!(files.len(), EMBEDDED.len());
    for (folder, name) in files {
        let text = fs::read_to_string(rules_folder().join(&folder).join(&name)).unwrap();
        assert!(embedded.contains(&text), "{folder}/{name} is not in EMBEDDED");
        let id = format!("id: {folder}-{}\n", name.trim_end_matches(".yml"));
        assert!(text.starts_with(&id), "{folder}/{name} does not begin with {id}");
    }
}

#[test]
fn every_rule_compiles_for_every_language_it_serves() {
    for (rule, written) in written() {
        for language in PARSED.into_iter().filter(|one| language::serves(written.language, *one)) {
            assert!(language::folder_serves(rule.folder, language), "{}", written.id);
            let ready = CompiledRule::new(&written, language, RulePurpose::Security);
            assert!(ready.is_ok_and(|rule| rule.is_some()), "{} for {language}", written.id);
            assert!(!written.message.is_empty(), "{}", written.id);
        }
    }
}

#[test]
fn every_rule_demands_words_so_that_few_nodes_are_looked_at() {
    for (_, written) in written() {
        let rule =
            CompiledRule::new(&written, written.language, RulePurpose::Security).unwrap().unwrap();
        assert!(!rule.needs.in_node.is_empty(), "{}", written.id);
    }
}

#[test]
fn every_rule_finds_its_positive_cases_and_no_negative_one() {
    assert_eq!(listed(""), listed("tests"));
    let (pack, rules) = (RulePack::builtin(), written());
    for (folder, name) in listed("tests") {
        let cases = cases(&folder, &name);
        assert_eq!(cases.id, format!("{folder}-{}", name.trim_end_matches(".yml")));
        assert!(cases.valid.len() >= 2 && cases.invalid.len() >= 2, "{}", cases.id);
        let (_, written) = rules.iter().find(|(_, written)| written.id == cases.id).unwrap();
        for language in PARSED.into_iter().filter(|one| language::serves(written.language, *one)) {
            let found = |source: &String| count(&pack, &cases.id, file_name(language), source);
            for source in &cases.invalid {
                assert!(found(source) > 0, "{} misses in {language}: {source}", cases.id);
            }
            for source in &cases.valid {
                assert_eq!(found(source), 0, "{} is wrong in {language}: {source}", cases.id);
            }
        }
    }
}

#[test]
fn passing_over_what_lacks_the_words_loses_no_finding() {
    let pack = RulePack::builtin();
    for language in PARSED {
        let rules = pack.rules(language);
        for (folder, name) in listed("tests") {
            if !language::folder_serves(&folder, language) {
                continue;
            }
            let cases = cases(&folder, &name);
            for source in cases.valid.iter().chain(&cases.invalid) {
                let tree = language.ast_grep(source);
                let all = |rule: &CompiledRule| tree.root().find_all(&rule.config.matcher).count();
                let want: usize = rules.iter().map(all).sum();
                let mut out = FindingCollector::new(Path::new("/"), "");
                pack.scan_file(Path::new(file_name(language)), source, &mut out);
                assert_eq!(out.finish().findings.len(), want, "{source}");
            }
        }
    }
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("own.yml"), text).unwrap();
    folder
}

const OWN: &str = "id: no-print\nlanguage: Python\nseverity: warning\nmessage: no $A\n\
                   rule: { pattern: print($A) }\n";

#[test]
fn rules_of_the_project_join_those_of_the_program() {
    let folder = folder_with(OWN);
    let pack = RulePack::with_user_rules(&[folder.path().to_owned()]).unwrap();
    assert_eq!(count(&pack, "no-print", "a.py", "print(x)\n"), 1);
    assert_eq!(count(&pack, "python-eval", "a.py", "eval(x)\n"), 1);
    let mut out = FindingCollector::new(Path::new("/"), "");
    pack.scan_file(Path::new("a.py"), "print(x)\n", &mut out);
    let finding = out.finish().findings.remove(0);
    assert_eq!((finding.level, finding.message.as_str()), (FindingLevel::Security, "no x"));
}

#[test]
fn a_rule_of_the_project_takes_the_place_of_one_with_its_id() {
    let folder = folder_with(&OWN.replace("no-print", "python-eval"));
    let pack = RulePack::with_user_rules(&[folder.path().to_owned()]).unwrap();
    assert_eq!(count(&pack, "python-eval", "a.py", "eval(x)\n"), 0);
    assert_eq!(count(&pack, "python-eval", "a.py", "print(x)\n"), 1);
}

#[test]
fn a_rule_that_is_off_finds_nothing() {
    let folder = folder_with(&OWN.replace("warning", "off"));
    let pack = RulePack::only_user_rules(&[folder.path().to_owned()]).unwrap();
    assert_eq!(count(&pack, "no-print", "a.py", "print(x)\n"), 0);
}

#[test]
fn the_digest_changes_with_the_rules() {
    let (one, other) = (folder_with(OWN), folder_with(&OWN.replace("no $A", "none")));
    let digest = |folder: &tempfile::TempDir| {
        RulePack::with_user_rules(&[folder.path().to_owned()]).unwrap().digest().to_owned()
    };
    assert_ne!(digest(&one), digest(&other));
    assert_ne!(digest(&one), RulePack::builtin().digest());
    assert_eq!(digest(&one), digest(&folder_with(OWN)));
}

#[test]
fn a_broken_rule_is_told_with_file_and_line() {
    let folder = folder_with(&OWN.replace("pattern", "pattrn"));
    let error = RulePack::with_user_rules(&[folder.path().to_owned()]).err().unwrap();
    let text = error.to_string();
    assert!(text.contains("own.yml:") && text.contains("pattrn"), "{text}");
}
