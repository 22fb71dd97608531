//! Rules for the lines of a JSON stream.

use serde::Deserialize;
use serde_json::Value;

use crate::line::describe_tool;

/// The conditions that a line must meet, and the values that are taken from it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct EventRule {
    conditions: Vec<RuleCondition>,
    values: Vec<String>,
}

/// A condition on one path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleCondition {
    Exists(String),
    Is(String, String),
    Starts(String, String),
}

impl RuleCondition {
    fn new(word: &str) -> Self {
        let own = |(path, value): (&str, &str)| (path.to_owned(), value.to_owned());
        if let Some((path, value)) = word.split_once("^=").map(own) {
            return Self::Starts(path, value);
        }
        match word.split_once('=').map(own) {
            Some((path, value)) => Self::Is(path, value),
            None => Self::Exists(word.to_owned()),
        }
    }

    fn holds(&self, line: &Value) -> bool {
        let has = |path: &str, fits: &dyn Fn(&str) -> bool| {
            find(line, path).into_iter().filter_map(plain).any(|text| fits(&text))
        };
        match self {
            Self::Exists(path) => !find(line, path).is_empty(),
            Self::Is(path, wanted) => has(path, &|text| text == wanted),
            Self::Starts(path, start) => has(path, &|text| text.starts_with(start)),
        }
    }
}

impl TryFrom<String> for EventRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (when, what) = text.split_once("->").unwrap_or((&text, ""));
        let conditions: Vec<_> = when.split_whitespace().map(RuleCondition::new).collect();
        if conditions.is_empty() {
            return Err(format!("the rule `{text}` has no condition"));
        }
        Ok(Self { conditions, values: what.split_whitespace().map(str::to_owned).collect() })
    }
}

impl EventRule {
    /// Returns true if the line meets all conditions.
    pub(crate) fn fits(&self, line: &Value) -> bool {
        self.conditions.iter().all(|condition| condition.holds(line))
    }

    /// Returns the texts of the values, without those that are not there.
    pub(crate) fn texts(&self, line: &Value) -> Vec<String> {
        self.values.iter().flat_map(|path| find(line, path)).filter_map(plain).collect()
    }

    /// Returns the first value as it is.
    pub(crate) fn values<'v>(&self, line: &'v Value) -> Vec<&'v Value> {
        self.values.iter().flat_map(|path| find(line, path)).collect()
    }

    /// Describes a use of a tool: the first value is its name, the second its
    /// arguments.
    pub(crate) fn tools(&self, line: &Value) -> Vec<String> {
        let [name, rest @ ..] = self.values.as_slice() else { return Vec::new() };
        let names = find(line, name).into_iter().filter_map(plain);
        let mut inputs = rest.iter().flat_map(|path| find(line, path));
        names
            .map(|name| match inputs.next() {
                // Some put the arguments into a text.
                Some(Value::String(text)) => match serde_json::from_str(text) {
                    Ok(input) => describe_tool(&name, &input),
                    Err(_) => format!("{name}: {text}"),
                },
                Some(input) => describe_tool(&name, input),
                None => name,
            })
            .collect()
    }
}

/// Returns the values at a path: through every item of a list, and through
/// every field for `*`.
pub(crate) fn find<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for part in path.split('.') {
        found = found.into_iter().flat_map(|value| step(value, part)).collect();
    }
    found
}

fn step<'v>(value: &'v Value, part: &str) -> Vec<&'v Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| step(item, part)).collect(),
        Value::Object(fields) if part == "*" => fields.values().collect(),
        Value::Object(fields) => fields.get(part).into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Returns a value that is neither a list nor an object as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(text: &str) -> EventRule {
        EventRule::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_rule_takes_values_from_lines_that_meet_all_its_conditions() {
        let line =
            json!({ "type": "a", "ok": true, "list": [{ "x": "1" }, { "y": 2 }, { "x": 3 }] });
        assert_eq!(rule("type=a ok=true -> list.x").texts(&line), ["1", "3"]);
        for (text, fits) in [
            ("type=a", true),
            ("type=b", false),
            ("type^=", true),
            ("list.x^=3", true),
            ("list.x^=4", false),
            ("list.y", true),
            ("list.x=3", true),
            ("no", false),
        ] {
            assert_eq!(rule(text).fits(&line), fits, "{text}");
        }
        assert_eq!(rule("type -> *.x").texts(&json!({ "type": 1, "m": { "x": 7 } })), ["7"]);
        assert!(EventRule::try_from(" -> x".to_owned()).is_err());
    }

    #[test]
    fn a_tool_is_described_by_its_name_and_its_main_argument() {
        let tool = rule("t -> t.name t.args");
        let line = json!({ "t": [{ "name": "Bash", "args": "{\"command\":\"ls\"}" }] });
        assert_eq!(tool.tools(&line), ["Bash: ls"]);
        let line = json!({ "t": [{ "name": "Edit", "args": { "path": "a" } }, { "name": "End" }] });
        assert_eq!(tool.tools(&line), ["Edit: a", "End"]);
    }
}
