//! Shortens an agent's text for display.

use serde_json::Value;

/// Maximum length of a line about a tool, in characters.
const LINE: usize = 160;

/// Tool arguments that describe a use, the most descriptive first.
const TELLING: [&str; 11] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "description",
    "subject",
    "skill",
    "path",
    "prompt",
];

/// Returns the text on one line, without control characters, cut to `most`
/// characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    // Only the start of a long text needs to be flattened.
    let start: String = text.chars().take(most.saturating_mul(4)).collect();
    let flat: String = start.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let flat: Vec<&str> = flat.split_whitespace().collect();
    cut(&flat.join(" "), most)
}

/// Cuts the text to `most` characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Describes a tool use in one line: its name and its main argument.
pub(crate) fn describe_tool(name: &str, input: &Value) -> String {
    let named = TELLING.into_iter().find_map(|field| input[field].as_str());
    let about = named.or_else(|| input.as_object()?.values().find_map(Value::as_str));
    match about.map(|text| one_line(text, LINE)) {
        Some(about) if !about.is_empty() => format!("{name}: {about}"),
        Some(_) | None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hostile_text_stays_on_its_line() {
        let line = one_line(&"\x1b[2J가\n".repeat(100_000), 20);
        assert_eq!(line.chars().count(), 21);
        assert!(!line.contains(char::is_control), "{line:?}");
    }

    #[test]
    fn a_tool_is_shown_by_what_it_is_about() {
        for (name, input, want) in [
            ("Bash", json!({ "command": "npm\n test", "description": "x" }), "Bash: npm test"),
            ("Edit", json!({ "file_path": "/a.rs", "old_string": "x" }), "Edit: /a.rs"),
            ("Agent", json!({ "prompt": "long", "description": "look" }), "Agent: look"),
            ("mcp__x", json!({ "deep": { "a": 1 }, "name": "n" }), "mcp__x: n"),
            ("TaskList", json!({}), "TaskList"),
            ("Odd", json!("text"), "Odd"),
        ] {
            assert_eq!(describe_tool(name, &input), want);
        }
    }
}
