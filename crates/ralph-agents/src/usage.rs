//! The usage file: how agents without a protocol of their own report cost.

use std::fs;
use std::path::Path;

use ralph_core::usage::{Usage, Usd};
use serde::Deserialize;

/// Maximum size of a usage report.
const MOST_BYTES: u64 = 64 * 1024;

#[derive(Deserialize)]
struct UsageFile {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cost_usd: f64,
}

/// Reads the reported usage; `None` if there is no valid report.
pub fn read_usage(path: &Path) -> Option<Usage> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() > MOST_BYTES {
        return None;
    }
    parse_usage(&ralph_files::read_text(path).ok()?)
}

fn parse_usage(text: &str) -> Option<Usage> {
    // Serde would accept a list as a struct without fields.
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let file = UsageFile::deserialize(serde_json::Value::Object(object)).ok()?;
    Some(Usage {
        input_tokens: file.input_tokens,
        output_tokens: file.output_tokens,
        cost: Usd::from_dollars(file.cost_usd)?,
    })
}

/// Returns the growth of a usage; zero where it fell.
pub(crate) fn grown(before: Usage, after: Usage) -> Usage {
    Usage {
        input_tokens: after.input_tokens.saturating_sub(before.input_tokens),
        output_tokens: after.output_tokens.saturating_sub(before.output_tokens),
        cost: Usd::from_micros(after.cost.micros().saturating_sub(before.cost.micros())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_may_leave_things_out_but_not_lie() {
        let full = r#"{"input_tokens":10,"output_tokens":2,"cost_usd":0.5,"model":"x"}"#;
        let want = Usage { input_tokens: 10, output_tokens: 2, cost: Usd::from_micros(500_000) };
        assert_eq!(parse_usage(full), Some(want));
        assert_eq!(parse_usage("{}"), Some(Usage::default()));
        for bad in ["", "[]", "{", r#"{"cost_usd":-1}"#, r#"{"input_tokens":-5}"#] {
            assert_eq!(parse_usage(bad), None, "{bad}");
        }
    }
}
