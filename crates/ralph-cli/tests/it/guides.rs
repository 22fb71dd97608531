//! The documents for users, walked line by line: every call in them is
//! understood, and those of the README and the guides do what they say.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ralph_testkit::{CommandOutput, TestProject, golden};

use crate::git;

/// A document without what stands in fences, and the lines of those.
struct Document {
    prose: String,
    blocks: Vec<Block>,
}

struct Block {
    kind: String,
    lines: Vec<String>,
}

#[expect(clippy::unwrap_used, reason = "a broken fixture must fail its test at once")]
fn document(name: &str) -> Document {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let (mut prose, mut blocks) = (String::new(), Vec::<Block>::new());
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            None if ticks.len() >= 3 => {
                blocks.push(Block { kind: line[ticks.len()..].to_owned(), lines: Vec::new() });
                fence = Some(ticks);
            }
            None => {
                let _ = match line.strip_prefix("    /") {
                    Some(rest) => writeln!(prose, "`/{rest}`"),
                    None => writeln!(prose, "{line}"),
                };
            }
        }
    }
    Document { prose, blocks }
}

/// The documents for users.
fn names() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut names = vec!["README.md".to_owned()];
    for folder in ["docs/guide", "docs/guide/agents", "docs/concepts"] {
        let files = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let files = files.filter(|file| file.path().is_file());
        names.extend(files.map(|file| format!("{folder}/{}", file.file_name().display())));
    }
    names.sort_unstable();
    names
}

/// The call that a line or span shows: without comments and what stands for
/// something that the reader fills in.
fn call(text: &str) -> Option<String> {
    let text = text.split(" # ").next().unwrap_or_default();
    let text = text.split("  #").next().unwrap_or_default().trim();
    let text = text.strip_prefix("$ ").unwrap_or(text);
    let start = ["ralph ", "/ralph", "/cancel-ralph"].iter().any(|head| text.starts_with(head));
    let filled = |word: &str| match word {
        "SHELL" => "bash".to_owned(),
        "COMMAND" => "run".to_owned(),
        "NAME" => "claude".to_owned(),
        word => word.to_owned(),
    };
    let words = text.split_whitespace().filter(|word| *word != "…").map(filled);
    start.then(|| words.collect::<Vec<_>>().join(" "))
}

#[test]
fn every_call_in_the_documents_is_understood() {
    let project = crate::plain();
    // The guide shows what becomes of a mistake. Prose names commands without what they need; a block is to be typed.
    let misspelt = "/ralph stauts\t";
    let incomplete = ["Missing", "DisplayHelpOnMissing"];
    let mut count = 0;
    for name in names() {
        let Document { prose, blocks } = document(&name);
        let shown = blocks.iter().flat_map(|block| &block.lines);
        let shown: Vec<String> = shown.filter_map(|line| call(line)).collect();
        let spans = prose.split('`').skip(1).step_by(2);
        let spans: Vec<String> = spans.filter_map(call).collect();
        for (calls, may_lack) in [(shown, false), (spans, true)] {
            count += calls.len();
            // Commands are put together by `&&` there.
            let calls = calls.iter().flat_map(|call| call.split(" && "));
            let lines = calls.collect::<Vec<_>>().join("\n");
            let told = project.ralph(&["__docs", "calls"]).stdin(lines).output().exits(0).stdout;
            let may_be = |line: &&str| {
                let lacks = may_lack && incomplete.iter().any(|fault| line.contains(fault));
                lacks || line.starts_with(misspelt)
            };
            let wrong = told.lines().filter(|line| !may_be(line));
            assert_eq!(wrong.collect::<Vec<_>>(), [""; 0], "{name}");
        }
    }
    assert!(count > 100, "{count}");
}

/// A line of a `console` block that the walk does not execute, and why.
const NOT_EXECUTED: &[(&str, &str)] = &[
    ("ralph demo", "`the_demo_with_a_real_suite_holds_both_tricks_and_then_succeeds` runs it"),
    ("cargo ", "it builds the workspace that this test belongs to"),
    ("cd ", "the walk is in the project already"),
    ("claude ", "it needs the client: `the_calls_of_the_guide_that_need_the_client_work`"),
    ("ralph resume --agent claude", "the same"),
    ("ralph run \"fix the failing test\" --agent claude", "the same"),
];

/// A project whose test fails, and an agent that mends it.
fn my_project() -> TestProject {
    let project = git();
    project.file("calc.py", "def add(a, b):\n    return a - b\n");
    project.file("store.py", "def save():\n    return 1\n");
    project.file(
        "test_calc.py",
        "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    \
         def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
    );
    project.agent("sed -i 's/a - b/(a + b)/' calc.py; echo '<promise>DONE</promise>'");
    project.run_git(&["add", "-A"]);
    project.run_git(&["commit", "--quiet", "--message=store: save what was added"]);
    project
}

fn shell(project: &TestProject, line: &str) -> CommandOutput {
    let own = project.binary().parent().map(Path::to_owned).unwrap_or_default();
    let system = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(own).chain(std::env::split_paths(&system));
    let path = std::env::join_paths(path).unwrap_or_default();
    project.program("sh").args(["-c", line]).env("PATH", path).output()
}

/// A line of output as documents write it.
fn as_written(project: &TestProject, line: &str) -> String {
    let root = project.root().display().to_string();
    golden::plain(&line.replace(&root, "my-project"))
}

/// Executes the `console` blocks of a document one after the other.
#[track_caller]
fn walk(name: &str, project: &TestProject) -> usize {
    let (mut executed, mut printed) = (0, String::new());
    let mut note = String::new();
    for block in document(name).blocks.iter().filter(|block| block.kind == "console") {
        for line in &block.lines {
            let Some(line) = line.strip_prefix("$ ") else {
                let line = line.trim_end_matches('…');
                let said = printed.lines().map(|said| as_written(project, said));
                let is_said = said.clone().any(|said| said.contains(&golden::plain(line)));
                assert!(printed.is_empty() || is_said, "{name}: `{line}` is not in\n{printed}");
                continue;
            };
            printed.clear();
            if NOT_EXECUTED.iter().any(|(head, _)| line.starts_with(head)) {
                continue;
            }
            // The only name in the documents that is another one each time.
            let line = if note.is_empty() {
                line.to_owned()
            } else {
                line.replace("m5nm3871rny8r", &note)
            };
            let output = shell(project, &line);
            assert_eq!(output.code, Some(0), "{name}: {line}\n{}{}", output.stdout, output.stderr);
            printed = format!("{}{}", output.stdout, output.stderr);
            if line.starts_with("ralph memory add") {
                let id = printed
                    .split_whitespace()
                    .find(|word| word.starts_with('m') && word.len() == 13);
                id.unwrap_or_default().clone_into(&mut note);
            }
            executed += 1;
        }
    }
    executed
}

#[test]
fn what_the_readme_shows_can_be_typed() {
    let project = my_project();
    assert!(walk("README.md", &project) >= 9);
}

#[test]
fn what_the_guides_show_can_be_typed_and_prints_what_they_say() {
    for (name, least) in [("claude-code", 6), ("opencode", 2), ("mcp", 3)] {
        let project = my_project();
        // The guide begins after a loop.
        let run = ["run", "fix the failing test", "--agent-cmd", "./agent.sh"];
        let _ = project.ralph(&run).args(["--criteria", "test_pass"]).output().exits(0);
        assert!(walk(&format!("docs/guide/{name}.md"), &project) >= least, "{name}");
    }
}

/// All source of what doctor says.
fn sources() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["ralph-engine/src", "ralph-agents/src", "ralph-core/src/wording"];
    let mut folders: Vec<PathBuf> = folders.iter().map(|one| root.join(one)).collect();
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => text.push_str(&std::fs::read_to_string(path).unwrap_or_default()),
            }
        }
    }
    text
}

#[test]
fn what_the_guide_says_of_doctor_is_what_doctor_says() {
    let (guide, sources) =
        (document("docs/guide/claude-code.md").prose, sources().replace('`', ""));
    let table = guide.split("| it says | so |").nth(1).unwrap_or_default();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
    assert!(cells.len() > 15, "{table}");
    for span in cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
        // Behind the topic; places and numbers are filled in.
        let said = span.split_once(": ").map_or(span, |(_, said)| said);
        let parts = said.split('…').map(|part| part.trim_matches([' ', ',', '8', '3', '5']));
        let parts = parts.map(|part| part.trim_end_matches(" RALPH_DISABLE"));
        for part in parts.filter(|part| part.split(' ').count() > 1 && !part.starts_with("line")) {
            assert!(sources.contains(part), "doctor never says `{part}`");
        }
    }
}

#[test]
fn what_is_not_executed_is_still_there() {
    let shown: Vec<String> = names()
        .iter()
        .flat_map(|name| document(name).blocks)
        .flat_map(|block| block.lines)
        .collect();
    for (head, why) in NOT_EXECUTED {
        let is_shown = shown.iter().any(|line| line.starts_with(&format!("$ {head}")));
        assert!(is_shown, "no document shows `{head}` any more ({why})");
    }
}
