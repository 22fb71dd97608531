//! Rules about Rust source.

use super::{Exemption, is_exempt, is_test_file};
use crate::finding::RuleViolation;
use crate::rust_source::RustSource;

const MAX_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 80;

/// Longer files; only flat tables may be.
const LONG_FILES: &[Exemption] = &[];

/// Attributes that silence a check without a reason.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("ignore", "make the test fast and sure, or move it to `cargo xtask stress`"),
    ("allow", "use `#[expect(lint, reason = \"…\")]` on the item"),
];

/// Macros for missing or temporary code.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

/// Module names that do not name the topic.
const VAGUE_MODULES: &[&str] = &["utils", "helpers", "common"];

/// Calls that open any kind of file, and may block.
const BLIND_CALLS: &[&[&str]] = &[
    &["fs", ":", ":", "read", "("],
    &["fs", ":", ":", "read_to_string", "("],
    &["File", ":", ":", "open", "("],
];

/// Paths that may use these calls, with the reason.
const BLIND_READERS: &[Exemption] = &[
    ("crates/ralph-files/", "looks through the handle"),
    ("crates/ralph-testkit/", "test code"),
    ("crates/ralph-proc/src/", "`/proc`, folders, and files of a private temporary folder"),
    ("crates/ralph-snapshot/src/git_watch.rs", "`/proc`"),
    ("crates/ralph-snapshot/src/glance.rs", "folders"),
    ("crates/ralph-snapshot/src/file_system.rs", "folders"),
    ("crates/ralph-snapshot/src/survey.rs", "folders"),
    ("crates/ralph-snapshot/src/probe.rs", "whether it opens at all"),
    ("crates/ralph-snapshot/src/scratch.rs", "test code"),
    ("crates/ralph-agents/src/scripted.rs", "a script that the user names"),
    ("crates/ralph-cli/src/signals.rs", "`/proc`"),
    ("crates/ralph-cli/src/commands/demo.rs", "a project of its own"),
    ("crates/ralph-cli/src/commands/memory.rs", "files that the user names, which may be pipes"),
    ("crates/ralph-cli/src/commands/memory/", "files that the user names, which may be pipes"),
    ("crates/ralph-cli/src/options.rs", "a file that the user names, which may be a pipe"),
];

/// Paths where results are still dropped without a reason.
const SILENT: &[Exemption] =
    &[("crates/ralph-sandbox/", "to be explained"), ("crates/ralph-testkit/", "test code")];

/// Checks one source file.
pub(super) fn check(path: &str, text: &str) -> Vec<RuleViolation> {
    let mut found = Vec::new();
    found.extend(file_length(path, text));
    found.extend(crate_docs(path, text));
    found.extend(vague_file(path));
    match RustSource::parse(text) {
        Ok(source) => {
            found.extend(function_lengths(path, &source));
            found.extend(attributes(path, &source));
            found.extend(macros(path, &source));
            found.extend(sleeps(path, &source));
            found.extend(dropped_results(path, text, &source));
            found.extend(blind_reads(path, &source));
            found.extend(vague_modules(path, &source));
        }
        Err((line, reason)) => {
            found.push(RuleViolation::new(path, line, reason, "correct the syntax"));
        }
    }
    found
}

fn file_length(path: &str, text: &str) -> Option<RuleViolation> {
    let lines = text.lines().count();
    if lines <= MAX_FILE_LINES || is_exempt(path, LONG_FILES) {
        return None;
    }
    let what = format!("{lines} lines, at most {MAX_FILE_LINES}");
    Some(RuleViolation::new(
        path,
        MAX_FILE_LINES + 1,
        what,
        "split it by topic, or move the tests out",
    ))
}

fn crate_docs(path: &str, text: &str) -> Option<RuleViolation> {
    let is_root = path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs");
    if !is_root || text.starts_with("//!") {
        return None;
    }
    Some(RuleViolation::new(
        path,
        1,
        "the crate has no documentation",
        "begin with a `//!` summary",
    ))
}

fn vague_file(path: &str) -> Option<RuleViolation> {
    let stem = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs"))?;
    let name = VAGUE_MODULES.iter().find(|name| stem.rsplit('/').next() == Some(**name))?;
    Some(vague(path, 1, name))
}

fn vague_modules(path: &str, source: &RustSource) -> Vec<RuleViolation> {
    let lines_of = |name| source.lines_of(&["mod", name]).into_iter();
    VAGUE_MODULES
        .iter()
        .flat_map(|name| lines_of(name).map(|line| vague(path, line, name)))
        .collect()
}

fn vague(path: &str, line: usize, name: &str) -> RuleViolation {
    RuleViolation::new(path, line, format!("a module named `{name}`"), "name it after its topic")
}

fn function_lengths(path: &str, source: &RustSource) -> Vec<RuleViolation> {
    let long = source.functions.iter().filter(|function| function.lines > MAX_FUNCTION_LINES);
    long.map(|function| {
        let what = format!(
            "`{}` has {} lines, at most {MAX_FUNCTION_LINES}",
            function.name, function.lines
        );
        RuleViolation::new(path, function.line, what, "split it")
    })
    .collect()
}

fn attributes(path: &str, source: &RustSource) -> Vec<RuleViolation> {
    let mut found = Vec::new();
    for (name, remedy) in ATTRIBUTES {
        for line in source.attributes(name) {
            found.push(RuleViolation::new(path, line, format!("the attribute `{name}`"), remedy));
        }
    }
    found
}

fn macros(path: &str, source: &RustSource) -> Vec<RuleViolation> {
    let lines_of = |name: &str| source.lines_of(&[name, "!"]).into_iter();
    let finding =
        |line, name| RuleViolation::new(path, line, format!("`{name}!`"), "write the real code");
    MACROS.iter().flat_map(|name| lines_of(name).map(move |line| finding(line, name))).collect()
}

fn blind_reads(path: &str, source: &RustSource) -> Vec<RuleViolation> {
    let is_product = path.starts_with("crates/") && path.contains("/src/") && !is_test_file(path);
    if !is_product || is_exempt(path, BLIND_READERS) {
        return Vec::new();
    }
    let lines = BLIND_CALLS.iter().flat_map(|call| source.lines_of(call));
    let lines = lines.filter(|line| !source.is_test_line(*line));
    let remedy = "an agent may have put a pipe there: use `ralph_files`";
    lines
        .map(|line| RuleViolation::new(path, line, "a file that is opened blindly", remedy))
        .collect()
}

fn sleeps(path: &str, source: &RustSource) -> Vec<RuleViolation> {
    let is_test = |line: &usize| is_test_file(path) || source.is_test_line(*line);
    let what = "a test that sleeps";
    let remedy = "wait on a channel, a process or a fixed clock";
    let lines = source.lines_of(&["sleep", "("]).into_iter().filter(is_test);
    lines.map(|line| RuleViolation::new(path, line, what, remedy)).collect()
}

/// Finds results that are dropped without a comment above. Writing to a string cannot fail.
fn dropped_results(path: &str, text: &str, source: &RustSource) -> Vec<RuleViolation> {
    let is_product = path.starts_with("crates/") && path.contains("/src/") && !is_test_file(path);
    if !is_product || is_exempt(path, SILENT) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_explained = |line: usize| {
        let above = line.checked_sub(2).and_then(|above| lines.get(above));
        let text = lines[line - 1..].iter().take(2).copied().collect::<String>();
        let writes = ["write!(", "writeln!("].iter().any(|name| text.contains(name));
        above.is_some_and(|above| above.starts_with("//")) || (writes && !text.contains("io::"))
    };
    let dropped = source.lines_of(&["let", "_", "="]).into_iter();
    let dropped = dropped.filter(|line| !source.is_test_line(*line) && !is_explained(*line));
    let remedy = "call `or_log(\"…\")` of `ralph_files::LogFailure`, or say above why not";
    dropped.map(|line| RuleViolation::new(path, line, "a result that is dropped", remedy)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(path: &str, text: &str, want: &[(usize, &str)]) {
        let found = check(path, text);
        let found: Vec<(usize, &str)> =
            found.iter().map(|finding| (finding.line, finding.what.as_str())).collect();
        assert_eq!(found, want);
    }

    const PATH: &str = "crates/a/src/b.rs";

    #[test]
    fn a_file_over_the_limit_is_found() {
        expect(PATH, &"\n".repeat(600), &[]);
        expect(PATH, &"\n".repeat(601), &[(601, "601 lines, at most 600")]);
    }

    #[test]
    fn a_function_over_the_limit_is_found() {
        let function =
            |lines: usize| format!("\nfn a() {{\n{}}}\n", "    b();\n".repeat(lines - 2));
        expect(PATH, &function(80), &[]);
        expect(PATH, &function(81), &[(2, "`a` has 81 lines, at most 80")]);
    }

    #[test]
    fn attributes_that_silence_a_check_are_found() {
        expect(PATH, "#![allow(dead_code)]\n", &[(1, "the attribute `allow`")]);
        expect(PATH, "\n#[allow(dead_code)]\nfn a() {}\n", &[(2, "the attribute `allow`")]);
        expect(PATH, "#[test]\n#[ignore]\nfn a() {}\n", &[(2, "the attribute `ignore`")]);
        expect(PATH, "#[ignore = \"slow\"]\nfn a() {}\n", &[(1, "the attribute `ignore`")]);
        expect(PATH, "#[expect(dead_code, reason = \"b\")]\nfn a() {}\n", &[]);
    }

    #[test]
    fn macros_for_missing_code_are_found() {
        for name in MACROS {
            let what = format!("`{name}!`");
            expect(PATH, &format!("fn a() {{\n    {name}!()\n}}\n"), &[(2, &what)]);
            expect(PATH, &format!("const A: &str = \"{name}!()\";\n"), &[]);
        }
    }

    #[test]
    fn a_sleep_is_found_in_test_code_only() {
        let call = "fn a() { std::thread::sleep(b) }\n";
        let found = [(1, "a test that sleeps")];
        expect("crates/a/tests/it/b.rs", call, &found);
        expect("crates/a/src/b_tests.rs", call, &found);
        expect(PATH, call, &[]);
        expect(PATH, &format!("#[cfg(test)]\nmod tests {{\n{call}}}\n"), &[(3, found[0].1)]);
        expect("crates/a/tests/it/b.rs", "fn it_does_not_sleep() {}\n", &[]);
    }

    #[test]
    fn a_file_is_opened_blindly_in_tests_only() {
        let found = [(2, "a file that is opened blindly")];
        for call in ["std::fs::read(b)", "fs::read_to_string(b)", "File::open(b)"] {
            expect(PATH, &format!("fn a() {{\n    {call}\n}}\n"), &found);
            expect("crates/a/tests/it/b.rs", &format!("fn a() {{\n    {call}\n}}\n"), &[]);
        }
        expect(PATH, "fn a() {\n    ralph_files::read(b)\n}\n", &[]);
    }

    #[test]
    fn a_result_that_is_dropped_without_a_reason_is_found() {
        let call = |above: &str, does: &str| format!("fn a() {{\n    {above}let _ = {does};\n}}\n");
        expect(PATH, &call("", "b()"), &[(2, "a result that is dropped")]);
        expect(PATH, &call("// It may be gone.\n    ", "b()"), &[]);
        expect(PATH, &call("", "write!(text, \"b\")"), &[]);
        expect(
            PATH,
            &call("", "writeln!(io::stderr(), \"b\")"),
            &[(2, "a result that is dropped")],
        );
        expect("crates/a/tests/it/b.rs", &call("", "b()"), &[]);
    }

    #[test]
    fn vague_module_names_are_found() {
        for name in VAGUE_MODULES {
            let what = format!("a module named `{name}`");
            expect(PATH, &format!("\nmod {name};\n"), &[(2, &what)]);
            expect(&format!("crates/a/src/{name}.rs"), "", &[(1, &what)]);
            expect(&format!("crates/a/tests/{name}/mod.rs"), "", &[(1, &what)]);
        }
    }

    #[test]
    fn a_crate_without_documentation_is_found() {
        let found = [(1, "the crate has no documentation")];
        expect("crates/a/src/lib.rs", "pub mod b;\n", &found);
        expect("xtask/src/main.rs", "fn main() {}\n", &found);
        expect("crates/a/src/lib.rs", "//! A crate.\n", &[]);
    }

    #[test]
    fn source_that_does_not_parse_is_found() {
        assert_eq!(check(PATH, "fn a() {}\nfn 1() {}\n")[0].line, 2);
    }
}
