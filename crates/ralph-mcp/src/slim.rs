//! Reduces schemas to what a model needs.
//!
//! A client sends the schemas of all tools with every request, so each word
//! costs the user money. Defaults, titles, number formats and `null` as a type
//! tell a model nothing; enumerations are inlined.

use serde_json::{Map, Value};

/// Keys that tell a model nothing.
const DROPPED: [&str; 6] = ["$schema", "$defs", "title", "default", "format", "minimum"];

/// Returns the reduced schema of a tool's arguments.
pub(crate) fn schema(full: &Value) -> Map<String, Value> {
    let none = Map::new();
    let definitions = full.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let mut slim = match slim(full, definitions) {
        Value::Object(schema) => schema,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    // The tool has a description of its own, and refuses unknown fields itself.
    slim.remove("description");
    slim.remove("additionalProperties");
    slim
}

fn slim(full: &Value, definitions: &Map<String, Value>) -> Value {
    let Value::Object(full) = full else { return full.clone() };
    let mut slim = Map::new();
    if let Some(named) = full.get("$ref").and_then(Value::as_str) {
        let definition = named.rsplit('/').next().and_then(|name| definitions.get(name));
        if let Some(Value::Object(definition)) = definition {
            slim.extend(choices(definition));
        }
    }
    for (key, value) in full {
        let value = match (key.as_str(), value) {
            (key, _) if DROPPED.contains(&key) || key == "$ref" => continue,
            ("properties", Value::Object(fields)) => {
                let fields = fields
                    .iter()
                    .map(|(name, field)| (name.clone(), self::slim(field, definitions)));
                Value::Object(fields.collect())
            }
            ("items", items) => self::slim(items, definitions),
            ("type", Value::Array(types)) => {
                types.iter().find(|kind| *kind != "null").cloned().unwrap_or(Value::Null)
            }
            (_, value) => value.clone(),
        };
        slim.insert(key.clone(), value);
    }
    Value::Object(slim)
}

/// Returns an enumeration as the list of its values.
fn choices(definition: &Map<String, Value>) -> Option<(String, Value)> {
    let values = definition.get("oneOf")?.as_array()?;
    let names = values.iter().filter_map(|value| value.get("const").cloned()).collect();
    Some(("enum".to_owned(), Value::Array(names)))
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct SampleArguments {
        /// The first.
        one: String,
        /// The second.
        #[serde(default)]
        two: Option<u32>,
        /// The third.
        #[serde(default)]
        three: Vec<Colour>,
        /// The fourth.
        #[serde(default)]
        four: Colour,
        #[serde(default)]
        #[schemars(skip)]
        five: Option<String>,
    }

    #[derive(Default, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema counts")]
    enum Colour {
        /// Like fire.
        #[default]
        Red,
        /// Like grass.
        DarkGreen,
    }

    #[test]
    fn a_schema_says_what_a_model_needs_and_no_more() {
        let slim = schema(schemars::schema_for!(SampleArguments).as_value());
        let colours = json!(["red", "dark_green"]);
        let want = json!({
            "type": "object",
            "properties": {
                "one": { "description": "The first.", "type": "string" },
                "two": { "description": "The second.", "type": "integer" },
                "three": {
                    "description": "The third.", "type": "array", "items": { "enum": colours },
                },
                "four": { "description": "The fourth.", "enum": colours },
            },
            "required": ["one"],
        });
        assert_eq!(Value::Object(slim), want);
    }
}
