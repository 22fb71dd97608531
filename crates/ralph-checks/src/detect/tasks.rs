//! Tasks with telling names: of `make`, `just`, `task` and Deno.

use ralph_core::policy::Criterion;
use serde_json::Value;

use super::draft::ProposalDraft;
use super::flags::{self, ANY_TOOL};
use super::said::{only_program, script_changes_files};
use super::sight::{ProjectFolder, is_of};

/// The names of tasks by the criterion they stand for; the first that exists is taken.
const MEANINGS: [(Criterion, &[&str]); 4] = [
    (Criterion::TestPass, &["test", "tests", "check"]),
    (Criterion::BuildSuccess, &["build", "all"]),
    (Criterion::LintClean, &["lint"]),
    (Criterion::TypeCheck, &["typecheck", "type-check", "types"]),
];

const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];
const TASKFILES: [&str; 4] = ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"];
const DENO: [&str; 2] = ["deno.json", "deno.jsonc"];

/// A task, and what it runs.
pub(super) struct ProjectTask {
    pub(super) name: String,
    pub(super) script: String,
}

type TaskFileParser = fn(&ProjectFolder<'_>, &str, &str) -> Vec<ProjectTask>;

const LISTS: [(&[&str], TaskFileParser); 4] = [
    (&MAKEFILES, |_, _, text| targets(text)),
    (&JUSTFILES, |_, _, text| recipes(text)),
    (&TASKFILES, |folder, file, _| {
        of_table(&folder.yaml(file).unwrap_or_default()["tasks"], &["cmds", "cmd"])
    }),
    (&DENO, |folder, file, _| {
        of_table(&folder.json_with_comments(file).unwrap_or_default()["tasks"], &["command"])
    }),
];

/// The lists of tasks in a folder: the file of each, its text, its tasks.
pub(super) fn lists<'n>(folder: &ProjectFolder<'_>) -> Vec<(&'n str, String, Vec<ProjectTask>)> {
    LISTS.iter().filter_map(|(files, read)| list(folder, files, *read)).collect()
}

fn list<'n>(
    folder: &ProjectFolder<'_>,
    files: &[&'n str],
    read: TaskFileParser,
) -> Option<(&'n str, String, Vec<ProjectTask>)> {
    let file = folder.first(files)?;
    let text = folder.read(file)?;
    let tasks = read(folder, file, &text);
    Some((file, text, tasks))
}

/// True if a folder has a task that says it runs the tests.
pub(super) fn has_test(folder: &ProjectFolder<'_>) -> bool {
    let (_, names) = MEANINGS[0];
    lists(folder).iter().any(|(_, _, tasks)| tasks.iter().any(|it| names.contains(&&*it.name)))
}

pub(super) fn make(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let Some((file, _, tasks)) = list(folder, &MAKEFILES, LISTS[0].1) else { return Vec::new() };
    let mut drafts = drafts(folder, "make", "make", file, &tasks);
    let builds = drafts.iter().any(|draft| draft.criterion == Criterion::BuildSuccess);
    let in_c = ["c", "cc", "cpp", "cxx"];
    let source = folder.all_files().find(|(_, file)| in_c.iter().any(|kind| is_of(file, kind)));
    if let (false, Some((at, source))) = (builds, source) {
        let why = format!("{file}, and {}", at.name_of(source));
        drafts
            .push(ProposalDraft::new(folder, Criterion::BuildSuccess, "make", "make").because(why));
    }
    drafts
}

pub(super) fn just(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let list = list(folder, &JUSTFILES, LISTS[1].1);
    list.map(|(file, _, tasks)| drafts(folder, "just", "just", file, &tasks)).unwrap_or_default()
}

pub(super) fn task(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let list = list(folder, &TASKFILES, LISTS[2].1);
    list.map(|(file, _, tasks)| drafts(folder, "task", "task", file, &tasks)).unwrap_or_default()
}

/// A project of Deno. Its tasks know which permissions the tests need.
pub(super) fn deno(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let Some((file, _, tasks)) = list(folder, &DENO, LISTS[3].1) else { return Vec::new() };
    let mut drafts = drafts(folder, "deno", "deno task", file, &tasks);
    let tested = drafts.iter().any(|draft| draft.criterion == Criterion::TestPass);
    let is_test = |file: &str| {
        let stem = file.rsplit_once('.').map_or("", |(stem, _)| stem);
        stem.ends_with("_test") || is_of(stem, "test")
    };
    let test = folder.all_files().find(|(_, file)| is_test(file));
    if let (false, Some((at, test))) = (tested, test) {
        let why = format!("{file}, and {}", at.name_of(test));
        let said = flags::said(folder, &["deno", "test"], ANY_TOOL);
        let words = ["deno", "test"].map(str::to_owned).into_iter();
        let words = words.chain(said.map(|(words, _)| words).unwrap_or_default());
        drafts
            .push(ProposalDraft::of_words(folder, Criterion::TestPass, "deno", words).because(why));
    }
    drafts
}

fn drafts(
    folder: &ProjectFolder<'_>,
    tool: &'static str,
    starts: &str,
    file: &str,
    tasks: &[ProjectTask],
) -> Vec<ProposalDraft> {
    let mut drafts = Vec::new();
    for (criterion, meant) in MEANINGS {
        let named = |name: &&str| tasks.iter().find(|task| task.name == *name);
        let Some(ProjectTask { name, script }) = meant.iter().find_map(named) else { continue };
        let line = format!("{starts} {name}");
        let draft = ProposalDraft::new(folder, criterion, tool, &line);
        let draft = draft.because(format!("{file}: `{name}`"));
        let draft = ProposalDraft { calls: only_program(script), ..draft };
        drafts.push(if script_changes_files(script) {
            draft.forbid(format!("`{line}` changes files"))
        } else {
            draft
        });
    }
    drafts
}

/// The rules of a makefile with their recipes.
fn targets(text: &str) -> Vec<ProjectTask> {
    let is_rule = |names: &str, rest: &str| {
        !names.starts_with([' ', '#', '.']) && !rest.starts_with('=') && !names.contains('=')
    };
    gathered(
        text,
        |line| line.starts_with('\t'),
        |line| {
            let (names, rest) = line.split_once(':')?;
            is_rule(names, rest).then(|| names.split_whitespace().map(str::to_owned).collect())
        },
    )
}

fn recipes(text: &str) -> Vec<ProjectTask> {
    gathered(
        text,
        |line| line.starts_with([' ', '\t']),
        |line| {
            let (head, rest) = line.split_once(':')?;
            let is_rule = !line.starts_with(['#', '[']) && !rest.starts_with('=');
            let name = head.split_whitespace().next().filter(|_| is_rule)?;
            Some(vec![name.trim_start_matches('@').to_owned()])
        },
    )
}

/// Tasks whose lines are indented below a line with their names.
fn gathered(
    text: &str,
    is_inside: fn(&str) -> bool,
    names: impl Fn(&str) -> Option<Vec<String>>,
) -> Vec<ProjectTask> {
    let mut tasks: Vec<ProjectTask> = Vec::new();
    let mut open = 0;
    for line in text.lines() {
        if is_inside(line) {
            let from = tasks.len() - open;
            for task in &mut tasks[from..] {
                task.script.push_str(line.trim_start());
                task.script.push('\n');
            }
        } else if let Some(names) = names(line) {
            open = names.len();
            let task = |name| ProjectTask { name, script: String::new() };
            tasks.extend(names.into_iter().map(task));
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            open = 0;
        }
    }
    tasks
}

/// Tasks in a table by their names: texts, lists, or tables with one of `keys`.
fn of_table(table: &Value, keys: &[&str]) -> Vec<ProjectTask> {
    let script = |value: &Value| -> String {
        let commands = keys.iter().find_map(|key| value.get(*key)).unwrap_or(value);
        let text = |item: &Value| item.as_str().or_else(|| item["cmd"].as_str()).map(str::to_owned);
        match commands.as_array() {
            Some(items) => items.iter().filter_map(text).collect::<Vec<_>>().join("\n"),
            None => text(commands).unwrap_or_default(),
        }
    };
    let tasks = table.as_object().into_iter().flatten();
    tasks.map(|(name, value)| ProjectTask { name: name.clone(), script: script(value) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tasks: &[ProjectTask], want: &[(&str, &str)]) {
        let found: Vec<(&str, &str)> =
            tasks.iter().map(|task| (task.name.as_str(), task.script.as_str())).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn targets_are_told_from_assignments_and_recipes() {
        let text =
            "CC := gcc\nX = a:b\n.PHONY: test\nall: main.o\n\ttest: no\ncheck test:: all\n\n\tx\n";
        check(&targets(text), &[("all", "test: no\n"), ("check", "x\n"), ("test", "x\n")]);
    }

    #[test]
    fn recipes_may_be_quiet_and_have_parameters() {
        let text =
            "v := '1'\n# lint:\n[unix]\n@test filter='': build\n  x: y\nbuild:\nalias t := test\n";
        check(&recipes(text), &[("test", "x: y\n"), ("build", "")]);
    }

    #[test]
    fn tasks_of_a_table_are_texts_lists_or_tables() {
        let table = serde_json::json!({
            "a": "x", "b": {"cmds": ["y", {"cmd": "z"}]}, "c": {"desc": "no"}, "d": ["v"],
        });
        let tasks = of_table(&table, &["cmds", "cmd"]);
        check(&tasks, &[("a", "x"), ("b", "y\nz"), ("c", ""), ("d", "v")]);
    }
}
