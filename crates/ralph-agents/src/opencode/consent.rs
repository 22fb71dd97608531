//! Decides about permissions where the client would ask the user.

use serde_json::{Value, json};

use crate::line::one_line;
use crate::listen::RefusedAction;

/// The permission modes.
pub(super) const MODES: [&str; 3] = [EDITS, ALL, NOTHING];

/// Files may be read and edited; everything else is refused.
pub(super) const EDITS: &str = "edits";
const ALL: &str = "all";
const NOTHING: &str = "none";

/// Permissions that concern only the project's files and the agent's notes.
/// Files outside the project have a permission of their own.
const HARMLESS: [&str; 9] =
    ["edit", "read", "glob", "grep", "list", "lsp", "todoread", "todowrite", "skill"];

/// Names of files with secrets, and endings of those that are only examples.
const SECRET: [&str; 2] = [".env", ".envrc"];
const EXAMPLES: [&str; 4] = [".example", ".sample", ".template", ".dist"];

/// A permission request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PermissionRequest {
    /// The id of the request.
    pub(super) id: String,
    pub(super) permission: String,
    patterns: Vec<String>,
    /// The patterns that the client would allow from then on.
    always: Vec<String>,
}

impl PermissionRequest {
    /// Reads the request from an event.
    pub(super) fn read(event: &Value) -> Option<Self> {
        if event["type"] != "permission.asked" {
            return None;
        }
        let facts = &event["properties"];
        let list = |name: &str| {
            let items = facts[name].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Some(Self {
            id: facts["id"].as_str()?.to_owned(),
            permission: facts["permission"].as_str()?.to_owned(),
            patterns: list("patterns"),
            always: list("always"),
        })
    }

    /// Returns true if the mode grants it.
    pub(super) fn is_granted(&self, mode: &str) -> bool {
        match mode {
            ALL => true,
            NOTHING => false,
            _ => {
                HARMLESS.contains(&self.permission.as_str())
                    && !self.patterns.iter().any(|pattern| is_secret(pattern))
            }
        }
    }

    /// Returns the reply to the client.
    pub(super) fn answer(&self, mode: &str) -> Value {
        if self.is_granted(mode) {
            return json!({ "reply": "once" });
        }
        // With a reason the turn goes on; without one the client ends it.
        let why = "No one can allow this now. Go on without it, or do what can be done otherwise.";
        json!({ "reply": "reject", "message": why })
    }

    /// Returns the refusal, and the way to allow it.
    pub(super) fn refusal(&self) -> RefusedAction {
        let about = one_line(&self.patterns.join(" "), 160);
        let what = if about.is_empty() {
            self.permission.clone()
        } else {
            format!("{}: {about}", self.permission)
        };
        let rule = self.always.first().or_else(|| self.patterns.first());
        let rule = rule.map(|rule| format!(" for `{}`", one_line(rule, 80))).unwrap_or_default();
        let remedy = format!(
            "set permission.{}{rule} to allow in opencode.json, or opencode.permission_mode to {ALL}",
            self.permission
        );
        RefusedAction { what, remedy }
    }
}

/// Returns true if files of this name usually hold secrets.
pub(crate) fn is_secret(pattern: &str) -> bool {
    let name = pattern.rsplit(['/', '\\']).next().unwrap_or(pattern).to_lowercase();
    let is_kept = name.rsplit_once('.').is_some_and(|(_, kind)| kind == "env")
        || SECRET.iter().any(|secret| {
            name.strip_prefix(secret).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
    is_kept && !EXAMPLES.iter().any(|example| name.ends_with(example))
}

/// Returns a question for the user: its id, its text, and the reply to the
/// client.
pub(super) fn question(event: &Value) -> Option<(String, String, Value)> {
    if event["type"] != "question.asked" {
        return None;
    }
    let facts = &event["properties"];
    let questions: Vec<&str> = facts["questions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|question| question["question"].as_str().unwrap_or_default())
        .collect();
    let alone = "No one can answer now. Choose what is most sensible, and say what you assumed.";
    let answers: Vec<[&str; 1]> = questions.iter().map(|_| [alone]).collect();
    let id = facts["id"].as_str()?.to_owned();
    Some((id, one_line(&questions.join(" "), 300), json!({ "answers": answers })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(permission: &str) -> PermissionRequest {
        let event = json!({ "type": "permission.asked", "properties": {
            "id": "per_1", "sessionID": "ses_1", "permission": permission,
            "patterns": ["npm test -- x"], "always": ["npm test *"], "metadata": {},
        } });
        PermissionRequest::read(&event).unwrap()
    }

    #[test]
    fn files_of_the_project_may_be_edited_and_nothing_else() {
        for (permission, edits) in [
            ("edit", true),
            ("read", true),
            ("bash", false),
            ("webfetch", false),
            ("external_directory", false),
            ("doom_loop", false),
            ("what_comes_next", false),
        ] {
            let asked = asked(permission);
            assert_eq!(asked.is_granted(EDITS), edits, "{permission}");
            assert!(asked.is_granted(ALL) && !asked.is_granted(NOTHING));
        }
    }

    #[test]
    fn files_that_hold_secrets_are_not_for_reading() {
        for (pattern, is_granted) in [
            (".env", false),
            ("config/.env.local", false),
            ("prod.env", false),
            ("/p/.ENV", false),
            (".envrc", false),
            (".env.example", true),
            ("src/environment.rs", true),
            ("*", true),
        ] {
            for permission in ["read", "edit", "grep"] {
                let asked =
                    PermissionRequest { patterns: vec![pattern.to_owned()], ..asked(permission) };
                assert_eq!(asked.is_granted(EDITS), is_granted, "{permission} {pattern}");
                assert!(asked.is_granted(ALL));
            }
        }
    }

    #[test]
    fn a_refusal_names_the_rule_that_would_allow_it() {
        let RefusedAction { what, remedy } = asked("bash").refusal();
        assert_eq!(what, "bash: npm test -- x");
        assert!(remedy.contains("permission.bash for `npm test *`"), "{remedy}");
        assert_eq!(asked("bash").answer(EDITS)["reply"], "reject");
        assert_eq!(asked("bash").answer(ALL), json!({ "reply": "once" }));
    }

    #[test]
    fn every_question_gets_an_answer() {
        let event = json!({ "type": "question.asked", "properties": {
            "id": "que_1", "questions": [{ "question": "Tea?" }, { "question": "Milk?" }],
        } });
        let (id, words, answer) = question(&event).unwrap();
        assert_eq!((id.as_str(), words.as_str()), ("que_1", "Tea? Milk?"));
        assert_eq!(answer["answers"].as_array().map(Vec::len), Some(2));
        assert_eq!(question(&json!({ "type": "session.idle" })), None);
    }
}
