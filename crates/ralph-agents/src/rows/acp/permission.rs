//! Answers requests for permission: by their kind, and by the user's mode.

use std::collections::VecDeque;
use std::path::Path;

use serde_json::{Value, json};

use crate::line::one_line;
use crate::opencode::is_secret;
use crate::rows::{ALL, NOTHING};

/// Kinds of tools that only read, or edit files.
const HARMLESS: [&str; 4] = ["read", "edit", "search", "think"];

/// Number of tools whose kind is remembered.
const TOOLS: usize = 256;

/// Decides about permissions.
pub(super) struct PermissionAnswers<'a> {
    mode: &'a str,
    root: &'a Path,
    /// Ids of tool uses, with their kinds: some requests name only the id.
    kinds: VecDeque<(String, String)>,
}

impl<'a> PermissionAnswers<'a> {
    pub(super) fn new(mode: &'a str, root: &'a Path) -> Self {
        Self { mode, root, kinds: VecDeque::new() }
    }

    /// Remembers the kind of a tool use.
    pub(super) fn note(&mut self, update: &Value) {
        if let (Some(id), Some(kind)) = (update["toolCallId"].as_str(), update["kind"].as_str()) {
            self.kinds.push_front((id.to_owned(), kind.to_owned()));
            self.kinds.truncate(TOOLS);
        }
    }

    /// Returns the outcome for the agent, and what was refused.
    pub(super) fn answer(&self, params: &Value) -> (Value, Option<String>) {
        let call = &params["toolCall"];
        let options: Vec<(&str, &str)> = params["options"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|option| Some((option["kind"].as_str()?, option["optionId"].as_str()?)))
            .collect();
        let choose = |kinds: [&str; 2]| {
            let mut found = kinds
                .into_iter()
                .filter_map(|kind| options.iter().find(|(known, _)| *known == kind));
            found.next().map(|(_, id)| json!({ "outcome": "selected", "optionId": id }))
        };
        let allowed = self.grants(call).then(|| choose(["allow_once", "allow_always"])).flatten();
        if let Some(outcome) = allowed {
            return (outcome, None);
        }
        let title = call["title"].as_str().or_else(|| self.kind(call)).unwrap_or("a tool");
        let refused = Some(one_line(title, 160));
        let outcome = choose(["reject_once", "reject_always"]);
        (outcome.unwrap_or_else(|| json!({ "outcome": "cancelled" })), refused)
    }

    fn kind<'v>(&'v self, call: &'v Value) -> Option<&'v str> {
        let id = call["toolCallId"].as_str();
        let known = || self.kinds.iter().find(|(known, _)| Some(known.as_str()) == id);
        call["kind"].as_str().or_else(|| known().map(|(_, kind)| kind.as_str()))
    }

    fn grants(&self, call: &Value) -> bool {
        match self.mode {
            ALL => true,
            NOTHING => false,
            _ => {
                let is_harmless = self.kind(call).is_some_and(|kind| HARMLESS.contains(&kind));
                is_harmless && paths(call).iter().all(|path| self.is_ours(path))
            }
        }
    }

    /// Returns true for files of the project that hold no secrets.
    fn is_ours(&self, path: &str) -> bool {
        let full = self.root.join(path);
        let climbs = full.components().any(|part| part.as_os_str() == "..");
        full.starts_with(self.root) && !climbs && !is_secret(path)
    }
}

/// Returns the files that a tool use is about.
fn paths(call: &Value) -> Vec<&str> {
    let places = call["locations"].as_array().into_iter().flatten();
    let input = ["path", "file_path", "filePath"].map(|name| call["rawInput"][name].as_str());
    let contents = call["content"].as_array().into_iter().flatten();
    let diffs = contents.filter_map(|part| part["path"].as_str());
    places
        .filter_map(|place| place["path"].as_str())
        .chain(input.into_iter().flatten())
        .chain(diffs)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(mode: &str, call: &Value) -> (String, Option<String>) {
        let options = json!([
            { "optionId": "x", "kind": "allow_always" },
            { "optionId": "y", "kind": "allow_once" },
            { "optionId": "n", "kind": "reject_once" },
        ]);
        let mut answers = PermissionAnswers::new(mode, Path::new("/p"));
        answers.note(&json!({ "toolCallId": "t", "kind": "edit" }));
        let (outcome, refused) = answers.answer(&json!({ "toolCall": call, "options": options }));
        (outcome["optionId"].as_str().unwrap_or("none").to_owned(), refused)
    }

    #[test]
    fn files_of_the_project_may_be_edited_and_the_rest_is_refused() {
        for (mode, call, want) in [
            ("edits", json!({ "kind": "edit", "locations": [{ "path": "/p/a" }] }), "y"),
            ("edits", json!({ "kind": "edit", "rawInput": { "path": "a" } }), "y"),
            ("edits", json!({ "toolCallId": "t" }), "y"),
            ("edits", json!({ "kind": "edit", "locations": [{ "path": "/etc/passwd" }] }), "n"),
            ("edits", json!({ "kind": "edit", "rawInput": { "path": "../a" } }), "n"),
            ("edits", json!({ "kind": "read", "rawInput": { "file_path": "/p/.env" } }), "n"),
            ("edits", json!({ "kind": "execute", "title": "rm" }), "n"),
            ("edits", json!({ "kind": "delete", "title": "rm" }), "n"),
            ("edits", json!({}), "n"),
            ("all", json!({ "kind": "execute" }), "y"),
            ("none", json!({ "kind": "read" }), "n"),
        ] {
            let (chosen, refused) = answer(mode, &call);
            assert_eq!((chosen.as_str(), refused.is_some()), (want, want == "n"), "{mode} {call}");
        }
    }

    #[test]
    fn a_request_without_options_to_choose_is_cancelled() {
        let answers = PermissionAnswers::new("all", Path::new("/p"));
        for params in [json!({}), json!({ "options": [] }), json!({ "options": [{ "kind": 1 }] })] {
            assert_eq!(answers.answer(&params).0, json!({ "outcome": "cancelled" }));
        }
    }
}
