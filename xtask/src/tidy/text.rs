//! Rules about words in any text file.
//!
//! The words are joined with `concat!`, so that this file passes.

use super::{Exemption, is_exempt, is_fixture, is_test_file};
use crate::finding::RuleViolation;
use crate::rust_source::RustSource;
use crate::workspace::WorkspaceFile;

/// Marks of unfinished work.
const MARKERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];

/// Calls for missing code, in examples. In Rust source, tokens tell them from strings;
/// the `rust` rules do that.
const CALLS: &[&str] = &[concat!("to", "do!"), concat!("unimple", "mented!"), concat!("d", "bg!")];

/// Parent folders of users' homes.
const HOMES: &[&str] = &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];

/// Files whose home folders are test data.
const HOMES_EXEMPT: &[Exemption] =
    &[("crates/ralph-agents/tests/", "recorded payloads name the folders of the recorded user")];

/// Names of agents and hosts, which only one crate may know.
const AGENTS: &[&str] = &[
    concat!("cla", "ude"),
    concat!("open", "code"),
    concat!("cod", "ex"),
    concat!("gem", "ini"),
    concat!("co", "pilot"),
    concat!("qw", "en"),
    concat!("go", "ose"),
];

/// An agent whose name is also an everyday word; only a literal counts.
const AMBIGUOUS_AGENT: &str = concat!("\"cur", "sor\"");

/// The crate that knows the agents.
const AGENTS_HOME: &str = "crates/ralph-agents/";

/// Other files that name agents.
const AGENTS_EXEMPT: &[Exemption] = &[
    ("crates/ralph-testkit/", "runs real agents for tests and is no part of the product"),
    ("xtask/src/bench/hooks.rs", "calls hooks as a real host does"),
    ("xtask/src/bench/served.rs", "is the server that a real agent would have"),
    ("xtask/src/stress/notes/beside.rs", "calls hooks as a real host does"),
    ("xtask/src/tools.rs", "installs real agents for tests"),
];

/// Checks one text file.
pub(super) fn check(file: &WorkspaceFile, text: &str) -> Vec<RuleViolation> {
    let mut found = Vec::new();
    if ["rs", "toml", "md"].iter().any(|extension| file.has_extension(extension)) {
        found.extend(marked_lines(&file.path, text, MARKERS));
    }
    if ["toml", "md"].iter().any(|extension| file.has_extension(extension)) {
        found.extend(marked_lines(&file.path, text, CALLS));
    }
    if !is_exempt(&file.path, HOMES_EXEMPT) {
        found.extend(homes(&file.path, text));
    }
    if file.has_extension("rs") {
        found.extend(agents(&file.path, text));
    }
    found
}

fn marked_lines(path: &str, text: &str, markers: &[&str]) -> Vec<RuleViolation> {
    let remedy = "finish it, or open an issue";
    numbered(text)
        .filter_map(|(line, text)| {
            let marker = markers.iter().find(|marker| has_word(text, marker))?;
            Some(RuleViolation::new(path, line, format!("`{marker}`"), remedy))
        })
        .collect()
}

fn homes(path: &str, text: &str) -> Vec<RuleViolation> {
    let remedy = "use a relative path, or add a row to HOMES_EXEMPT in xtask/src/tidy/text.rs";
    numbered(text)
        .filter_map(|(line, text)| {
            let home = HOMES.iter().find(|home| text.contains(**home))?;
            Some(RuleViolation::new(path, line, format!("an absolute path under `{home}`"), remedy))
        })
        .collect()
}

fn agents(path: &str, text: &str) -> Vec<RuleViolation> {
    let is_known = path.starts_with(AGENTS_HOME) || is_exempt(path, AGENTS_EXEMPT);
    if is_known || is_fixture(path) || is_test_file(path) {
        return Vec::new();
    }
    let source = RustSource::parse(text).ok();
    let is_test = |line| source.as_ref().is_some_and(|source| source.is_test_line(line));
    let remedy = "ask crates/ralph-agents, the only place that knows agents by name";
    numbered(text)
        .filter(|(line, _)| !is_test(*line))
        .filter_map(|(line, text)| {
            let agent = AGENTS.iter().find(|agent| names_agent(text, agent));
            let agent =
                agent.or_else(|| text.contains(AMBIGUOUS_AGENT).then_some(&AMBIGUOUS_AGENT))?;
            Some(RuleViolation::new(path, line, format!("names the agent `{agent}`"), remedy))
        })
        .collect()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Returns true if `name` occurs in `text` as a word, in any case, or as a part of an
/// identifier (`name_id`, `NameId`, `NAME_ID`).
fn names_agent(text: &str, name: &str) -> bool {
    text.to_ascii_lowercase().match_indices(name).any(|(at, _)| {
        let starts = !text[..at].ends_with(char::is_alphanumeric)
            || text[at..].starts_with(char::is_uppercase);
        starts && !text[at + name.len()..].starts_with(char::is_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn lines(path: &str, text: &str) -> Vec<usize> {
        let file = WorkspaceFile::sample(path, text);
        check(&file, text).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn marks_of_unfinished_work_are_found_as_words() {
        for marker in MARKERS {
            let text = format!("fine\n# {marker}: later\n{marker}S and A_{marker} are words\n");
            for path in ["a.rs", "a.toml", "a.md"] {
                assert_eq!(lines(path, &text), [2], "{marker} in {path}");
            }
            assert!(lines("a.json", &text).is_empty());
        }
    }

    #[test]
    fn calls_that_stand_for_missing_code_are_found_in_examples() {
        for call in CALLS {
            let text = format!("\n    {call}()\n    not_{call}()\n");
            assert_eq!(lines("docs/a.md", &text), [2], "{call}");
            assert_eq!(lines("a.toml", &text), [2], "{call}");
        }
    }

    #[test]
    fn home_folders_are_found_in_every_text_file() {
        for home in HOMES {
            assert_eq!(lines("docs/a.txt", &format!("\nsee {home}me/x\n")), [2]);
        }
        assert!(lines("docs/a.txt", "the home/ folder").is_empty());
    }

    #[test]
    fn agent_names_are_found_outside_their_crate() {
        for agent in AGENTS {
            let text = format!("fn a() {{}}\n// {agent} says\n");
            assert_eq!(lines("crates/ralph-core/src/a.rs", &text), [2], "{agent}");
            assert!(lines("crates/ralph-agents/src/a.rs", &text).is_empty());
            assert!(lines("crates/ralph-cli/tests/it/a.rs", &text).is_empty());
            assert!(lines("crates/ralph-testkit/src/a.rs", &text).is_empty());
            assert!(lines("docs/a.md", &text).is_empty());
        }
    }

    #[test]
    fn agent_names_in_test_modules_are_data() {
        let text = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n// {}\n}}\n", AGENTS[0]);
        assert!(lines("crates/ralph-core/src/a.rs", &text).is_empty());
    }

    #[test]
    fn agent_names_are_found_inside_identifiers_but_not_inside_words() {
        let goose = AGENTS[6];
        for text in [format!("{goose}_id"), format!("is_{goose}"), goose.to_uppercase()] {
            assert!(names_agent(&text, goose), "{text}");
        }
        assert!(names_agent(concat!("Go", "oseAgent"), goose));
        assert!(!names_agent(&format!("mon{goose}"), goose));
        assert!(!names_agent(&format!("{goose}berry"), goose));
    }

    #[test]
    fn an_everyday_word_is_an_agent_only_as_a_literal() {
        let path = "crates/ralph-core/src/a.rs";
        assert_eq!(lines(path, &format!("const A: &str = {AMBIGUOUS_AGENT};\n")), [1]);
        assert!(lines(path, &format!("// {}\n", AMBIGUOUS_AGENT.trim_matches('"'))).is_empty());
    }
}
