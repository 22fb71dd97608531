//! The stored form of the prompt sections for the next turn.

use ralph_core::prompt::PromptSections;
use serde::{Deserialize, Serialize};

use super::encode;
use crate::error::StoreError;

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SectionsRow {
    verdict: String,
    findings: String,
    answer: String,
    refusals: String,
    notes: String,
    past: String,
}

/// Returns the JSON form of the sections; empty if nothing was judged yet.
pub(super) fn encode_sections(sections: PromptSections) -> Result<String, StoreError> {
    if sections.is_empty() {
        return Ok(String::new());
    }
    let PromptSections { verdict, findings, answer, refusals, notes, past } = sections;
    let row = SectionsRow { verdict, findings, answer, refusals, notes, past };
    encode("what the next turn is told", &row)
}

/// Reads the sections from their JSON form. Earlier versions stored plain text.
pub(super) fn decode_sections(text: String) -> PromptSections {
    match serde_json::from_str(&text) {
        Ok(SectionsRow { verdict, findings, answer, refusals, notes, past }) => {
            PromptSections { verdict, findings, answer, refusals, notes, past }
        }
        Err(_) => PromptSections { verdict: text, ..PromptSections::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_version_kept_is_told_as_it_was() {
        let old = "Ralph Loop: CONTINUE\n\n{ it failed }";
        let told = decode_sections(old.to_owned());
        assert_eq!(told.text(), old);
        let stored = encode_sections(told.clone()).unwrap();
        assert_eq!(decode_sections(stored), told);
        assert_eq!(encode_sections(PromptSections::default()).unwrap(), "");
    }
}
