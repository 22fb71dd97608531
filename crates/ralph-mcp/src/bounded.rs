//! Shortens answers that are too long for a model.

use serde_json::{Map, Value};

/// Maximum length of an answer, in bytes of JSON: about ten thousand tokens, at
/// which clients begin to complain.
pub const MOST_ANSWER: usize = 40_000;

/// Limits that are tried in turn: characters of a text, elements of a list.
const STEPS: [(usize, usize); 6] =
    [(8000, 200), (2000, 50), (800, 20), (300, 10), (120, 5), (60, 2)];

/// Cuts texts and lists until the data fits; its shape stays. The field
/// `truncated` tells that something is missing.
pub(crate) fn shorten(data: Value, most: usize) -> Value {
    if data.to_string().len() <= most {
        return data;
    }
    let cut = STEPS.iter().map(|&(chars, elements)| marked(cut(&data, chars, elements)));
    let mut cut = cut.skip_while(|data| data.to_string().len() > most);
    cut.next().unwrap_or_else(|| marked(Value::Object(Map::new())))
}

fn marked(mut data: Value) -> Value {
    if let Value::Object(fields) = &mut data {
        fields.insert("truncated".to_owned(), Value::Bool(true));
    }
    data
}

fn cut(data: &Value, chars: usize, elements: usize) -> Value {
    let shorter = |item: &Value| cut(item, chars, elements);
    match data {
        Value::String(text) if text.chars().count() > chars => {
            let mut kept: String = text.chars().take(chars).collect();
            kept.push('…');
            Value::String(kept)
        }
        Value::Array(list) => list.iter().take(elements).map(shorter).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shorter(value))).collect()
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => data.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_is_left_alone() {
        let data = json!({ "a": [1, 2, "x"] });
        assert_eq!(shorten(data.clone(), 100), data);
    }

    #[test]
    fn what_is_too_long_keeps_its_shape_and_says_so() {
        let gates: Vec<Value> =
            (0..1000).map(|n| json!({ "name": n, "tail": "é".repeat(5000) })).collect();
        let short = shorten(json!({ "passed": false, "gates": gates }), MOST_ANSWER);
        assert!(short.to_string().len() <= MOST_ANSWER);
        assert_eq!((&short["passed"], &short["truncated"]), (&json!(false), &json!(true)));
        assert!(short["gates"][0]["tail"].as_str().unwrap().ends_with("é…"));
    }

    #[test]
    fn what_cannot_be_cut_is_left_out() {
        let many: Map<String, Value> = (0..9999).map(|n| (n.to_string(), json!(n))).collect();
        assert_eq!(shorten(Value::Object(many), 100), json!({ "truncated": true }));
    }
}
