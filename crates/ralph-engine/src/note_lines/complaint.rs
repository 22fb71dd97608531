//! Explains why a line of an import is not a note, without terms of the parser.

use serde_json::error::Category;
use serde_json::{Map, Value};

/// The required form of a field.
#[derive(Clone, Copy)]
enum FieldForm {
    Text,
    Name,
    Scope,
    Texts,
    Anchors,
}

/// The fields that an import reads, with their forms.
const FIELDS: [(&str, FieldForm); 14] = [
    ("id", FieldForm::Name),
    ("text", FieldForm::Text),
    ("note_id", FieldForm::Text),
    ("title", FieldForm::Text),
    ("kind", FieldForm::Text),
    ("scope", FieldForm::Scope),
    ("why", FieldForm::Text),
    ("files", FieldForm::Texts),
    ("anchors", FieldForm::Anchors),
    ("at", FieldForm::Name),
    ("prev", FieldForm::Name),
    ("next", FieldForm::Name),
    ("group", FieldForm::Name),
    ("by", FieldForm::Text),
];

/// The fields that every note must have.
const NEEDED: [&str; 2] = ["id", "text"];

impl FieldForm {
    /// Returns true if a value has this form; null counts as missing.
    fn fits(self, value: &Value) -> bool {
        if value.is_null() {
            return true;
        }
        match self {
            Self::Text => value.is_string(),
            Self::Name => value.is_string() || value.is_i64(),
            Self::Scope => matches!(value.as_str(), Some("task" | "project" | "global")),
            Self::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Self::Anchors => value.as_array().is_some_and(|list| {
                list.iter().all(|one| one.get("file").is_some_and(Value::is_string))
            }),
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Text => "is no text",
            Self::Name => "is neither a text nor a whole number",
            Self::Scope => "is none of task, project, global",
            Self::Texts => "is no list of texts",
            Self::Anchors => "is no list of places, each with its `file`",
        }
    }
}

/// Explains what is wrong with a line that could not be read.
pub(super) fn complaint(line: &str, error: &serde_json::Error) -> String {
    let value = match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => return of_fields(&fields, error),
        Ok(value) => value,
        Err(error) => return of_json(&error),
    };
    let what = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "yes or no",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("it is {what}, and a note is an object: {{\"id\": …, \"text\": …}}")
}

fn of_json(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "it breaks off before its JSON ends".to_owned(),
        Category::Io | Category::Syntax | Category::Data => {
            format!("it is no JSON, see column {}", error.column())
        }
    }
}

fn of_fields(fields: &Map<String, Value>, error: &serde_json::Error) -> String {
    let is_missing = |name: &&&str| fields.get(**name).is_none_or(Value::is_null);
    if let Some(name) = NEEDED.iter().find(is_missing) {
        return format!("it has no `{name}`");
    }
    let is_wrong =
        |(name, form): &&(&str, FieldForm)| fields.get(*name).is_some_and(|it| !form.fits(it));
    if let Some((name, form)) = FIELDS.iter().find(is_wrong) {
        return format!("its `{name}` {}", form.words());
    }
    // An example is a field that occurs twice.
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let error = serde_json::from_str::<super::super::ImportLine>(line).err().unwrap();
        assert_eq!(complaint(line, &error), expected, "{line}");
    }

    #[test]
    fn a_line_that_is_no_note_is_told_what_it_lacks() {
        let object = "and a note is an object: {\"id\": …, \"text\": …}";
        check("[]", &format!("it is a list, {object}"));
        check("7", &format!("it is a number, {object}"));
        check("nonsense", "it is no JSON, see column 2");
        check("{\"id\":\"a\"", "it breaks off before its JSON ends");
        check("{\"id\":\"a\"}", "it has no `text`");
        check("{\"text\":\"a\"}", "it has no `id`");
        check("{\"id\":1.5,\"text\":\"a\"}", "its `id` is neither a text nor a whole number");
        check("{\"id\":1,\"text\":[]}", "its `text` is no text");
        check("{\"id\":1,\"text\":\"a\",\"files\":\"b\"}", "its `files` is no list of texts");
        check(
            "{\"id\":1,\"text\":\"a\",\"scope\":\"all\"}",
            "its `scope` is none of task, project, global",
        );
        check(
            "{\"id\":1,\"text\":\"a\",\"anchors\":[{}]}",
            "its `anchors` is no list of places, each with its `file`",
        );
        check("{\"id\":1,\"id\":2,\"text\":\"a\"}", "duplicate field `id`");
    }
}
