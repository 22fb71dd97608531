//! Actions that the client refused its agent, and the rules that would allow
//! them.

use serde_json::Value;

use super::pieces::one_line;
use crate::listen::RefusedAction;

/// The setting for allow rules.
const PLACE: &str = "permissions.allow of .claude/settings.json";

/// Maximum number of rules for one denied command line.
const MOST_RULES: usize = 3;

/// Operators between the commands of a line.
const BETWEEN: [&str; 5] = ["&&", "||", "|", ";", "&"];

/// Programs whose first argument is a subcommand.
const WITH_VERBS: [&str; 22] = [
    "apt",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "kubectl",
    "make",
    "mix",
    "npm",
    "pip",
    "pnpm",
    "terraform",
    "uv",
    "yarn",
];

/// Returns the refusals that a result lists, each once, in their order.
pub(super) fn refusals(denials: &Value) -> Vec<RefusedAction> {
    let mut found: Vec<RefusedAction> = Vec::new();
    for denial in denials.as_array().into_iter().flatten() {
        let refusal = refusal(denial);
        if !found.contains(&refusal) {
            found.push(refusal);
        }
    }
    found
}

fn refusal(denial: &Value) -> RefusedAction {
    let tool = denial["tool_name"].as_str().unwrap_or("a tool");
    let input = &denial["tool_input"];
    let rules: Vec<String> = rules(tool, input).iter().map(|rule| format!("`{rule}`")).collect();
    let mut remedy = format!("add {} to {PLACE}", rules.join(" and "));
    if is_edit(tool) {
        remedy.push_str(", or set claude.permission_mode to acceptEdits");
    }
    RefusedAction { what: crate::line::describe_tool(tool, input), remedy }
}

fn is_edit(tool: &str) -> bool {
    matches!(tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
}

/// Returns the rules that allow this tool use and similar ones.
fn rules(tool: &str, input: &Value) -> Vec<String> {
    let text = |name: &str| input[name].as_str();
    match (tool, text("command"), text("url")) {
        ("Bash", Some(command), _) => {
            let mut rules: Vec<String> = commands(command).iter().map(|part| rule(part)).collect();
            rules.dedup();
            rules.truncate(MOST_RULES);
            rules
        }
        ("WebFetch", _, Some(url)) => vec![match host(url) {
            Some(host) => format!("WebFetch(domain:{host})"),
            None => tool.to_owned(),
        }],
        // A rule for `Edit` covers all tools that write files.
        _ if is_edit(tool) => vec!["Edit".to_owned()],
        _ => vec![tool.to_owned()],
    }
}

/// Splits a line into commands, each a list of words.
fn commands(line: &str) -> Vec<Vec<String>> {
    let words = ralph_proc::split_words(line)
        .unwrap_or_else(|_| line.split_whitespace().map(str::to_owned).collect());
    let mut parts = vec![Vec::new()];
    for word in words {
        let plain = word.trim_end_matches(';');
        let ends = plain.len() < word.len();
        if BETWEEN.contains(&word.as_str()) {
            parts.push(Vec::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(plain.to_owned());
        }
        if ends {
            parts.push(Vec::new());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the rule for a command: its program, with its subcommand if it has
/// one.
fn rule(words: &[String]) -> String {
    let is_assignment = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let mut words = words.iter().skip_while(is_assignment).map(String::as_str);
    let program = words.next().unwrap_or_default();
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c));
    let verb = words.next().filter(|word| !word.starts_with('-') && !word.is_empty());
    match verb.filter(plain).filter(|_| WITH_VERBS.contains(&program)) {
        Some(verb) => format!("Bash({program} {verb}:*)"),
        None => format!("Bash({}:*)", one_line(program, 80)),
    }
}

/// Returns the host of a URL.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(command: &str, want: &[&str]) {
        assert_eq!(rules("Bash", &json!({ "command": command })), want, "{command}");
    }

    #[test]
    fn a_rule_allows_the_command_and_what_is_like_it() {
        check("npm test -- --watch", &["Bash(npm test:*)"]);
        check("npm run build:all", &["Bash(npm run:*)"]);
        check("python3 -m pytest -x", &["Bash(python3:*)"]);
        check("./gradlew test", &["Bash(./gradlew:*)"]);
        check("CI=1 RUST_LOG=x cargo test", &["Bash(cargo test:*)"]);
        check("git -C x status", &["Bash(git:*)"]);
    }

    #[test]
    fn every_command_of_a_line_needs_a_rule() {
        check("cd web && npm test | tee log", &["Bash(cd:*)", "Bash(npm test:*)", "Bash(tee:*)"]);
        check("make; make", &["Bash(make:*)"]);
        check("a | b | c | d | e", &["Bash(a:*)", "Bash(b:*)", "Bash(c:*)"]);
        check("echo 'unfinished", &["Bash(echo:*)"]);
    }

    #[test]
    fn other_tools_are_allowed_by_their_names() {
        let url = |url: &str| rules("WebFetch", &json!({ "url": url }));
        assert_eq!(url("https://docs.rs/a/b"), ["WebFetch(domain:docs.rs)"]);
        assert_eq!(url("http://me@127.0.0.1:9/x"), ["WebFetch(domain:127.0.0.1)"]);
        assert_eq!(url("nonsense"), ["WebFetch"]);
        assert_eq!(rules("Write", &json!({ "file_path": "/x" })), ["Edit"]);
        assert_eq!(rules("mcp__db__query", &json!(null)), ["mcp__db__query"]);
    }

    #[test]
    fn what_was_denied_twice_is_told_once() {
        let denial = json!({ "tool_name": "Bash", "tool_input": { "command": "npm test" } });
        let found = refusals(&json!([denial, denial, { "tool_name": 3 }]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].what, "Bash: npm test");
        assert!(found[0].remedy.contains("add `Bash(npm test:*)` to permissions.allow"));
        assert_eq!(refusals(&json!("?")), []);
    }
}
