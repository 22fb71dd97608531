use std::fs;

use super::super::TOOL;
use super::*;

/// Returns the result of a scan of one Python text.
fn seen(path: &str, source: &str) -> (ToolReport, u64) {
    let mut out = FindingCollector::new(Path::new("/"), "");
    let suppressed = RulePack::builtin().scan_file(Path::new(path), source, &mut out);
    (out.finish(), suppressed)
}

#[test]
fn a_finding_names_its_rule_place_and_function() {
    let (reading, _) = seen("app/a.py", "def run(x):\n    return eval(x)\n");
    let finding = &reading.findings[0];
    assert_eq!((finding.tool.as_str(), finding.rule.as_deref()), (TOOL, Some("python-eval")));
    assert_eq!((finding.place.line, finding.place.column), (Some(2), Some(12)));
    assert_eq!(finding.level, FindingLevel::Security);
    assert!(finding.fingerprint.ends_with("@ run: eval(x)"), "{}", finding.fingerprint);
}

#[test]
fn a_fingerprint_stays_when_lines_move() {
    let fingerprint = |source| seen("a.py", source).0.findings.remove(0).fingerprint;
    let here = fingerprint("def run(x):\n    return eval(x)\n");
    assert_eq!(here, fingerprint("import os\n\n\ndef run(x):\n    y = 1\n    return eval(x)\n"));
    assert_ne!(here, fingerprint("def other(x):\n    return eval(x)\n"));
}

#[test]
fn a_secret_is_not_part_of_its_finding() {
    let (reading, _) = seen("a.py", "API_KEY = \"9f8a7c6b5d4e3f2a1b0c\"\n");
    let finding = &reading.findings[0];
    assert!(!format!("{finding:?}").contains("9f8a7c6b"), "{finding:?}");
}

#[test]
fn findings_in_tests_are_only_worth_knowing() {
    for path in ["tests/a.py", "test_a.py"] {
        let counts = seen(path, "eval(x)\n").0.counts;
        assert_eq!((counts.security, counts.infos), (0, 1), "{path}");
    }
    let rust = "#[cfg(test)]\nmod tests {\n    const API_KEY: &str = \"9f8a7c6b5d4e3f2a1b0c\";\n}";
    let counts = seen("src/a.rs", rust).0.counts;
    assert_eq!((counts.security, counts.infos), (0, 1));
}

#[test]
fn comments_suppress_findings_and_are_counted() {
    let line = "eval(a)  # ast-grep-ignore: python-eval\neval(b)\n";
    let above = "x = 1\n# ast-grep-ignore\neval(a)\neval(b)\n";
    for source in [line, above] {
        let (reading, suppressed) = seen("a.py", source);
        assert_eq!((reading.counts.security, suppressed), (1, 1), "{source}");
    }
    let (reading, suppressed) = seen("a.py", "eval(a)  # ast-grep-ignore: other\n");
    assert_eq!((reading.counts.security, suppressed), (1, 0));
    let (reading, suppressed) = seen("a.py", "# ast-grep-ignore\n\neval(a)\neval(b)\n");
    assert_eq!((reading.counts.security, suppressed), (0, 2));
}

#[test]
fn files_of_one_project_are_scanned_together() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let full = root.path().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    };
    write("b.py", "eval(x)\n");
    write("a/b.js", "eval(x)\n");
    write("a/c.ts", "const a: number = eval(x)\n");
    write("d.c", "int x;\n");
    write("node_modules/e.js", "eval(x)\n");
    let pack = RulePack::builtin();
    let scan = pack.scan(root.path(), &ScanScope::All);
    let files: Vec<&str> =
        scan.reading.findings.iter().map(|finding| finding.place.file.as_str()).collect();
    assert_eq!(files, ["a/b.js", "a/c.ts", "b.py"]);
    // Of C only secrets are known.
    assert_eq!((scan.files.scanned, scan.files.vendored), (4, 1));
    let only = pack.scan(root.path(), &ScanScope::Only(vec!["b.py".into()]));
    assert_eq!((only.reading.counts.security, only.files.scanned), (1, 1));
    assert_eq!(pack.scan_until(root.path(), &ScanScope::All, &mut || true), None);
}

#[test]
fn text_in_no_known_language_has_no_findings() {
    for path in ["a.txt", "Makefile", "a.c"] {
        assert_eq!(seen(path, "eval(x)").0.findings, []);
    }
}

#[test]
fn a_file_that_cannot_be_parsed_in_bounds_is_named() {
    let root = tempfile::tempdir().unwrap();
    let hard = format!("x = eval(1)\n{}", "# a comment as any other\n".repeat(40_000));
    fs::write(root.path().join("hard.py"), hard).unwrap();
    fs::write(root.path().join("easy.py"), "x = 1\n").unwrap();
    let scan = RulePack::builtin().scan(root.path(), &ScanScope::All);
    assert_eq!(scan.unread, [UnreadFile { path: "hard.py".into(), why: UnreadReason::TooHard }]);
    assert_eq!(scan.unread[0].to_string(), "hard.py was not checked: it is too much work to parse");
}
