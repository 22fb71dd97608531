//! The key of an endpoint, kept from every log.

use std::fmt;

/// The key of an endpoint. It is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes the key as it stands in the environment; `None` for an empty one.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key itself, for the one place that sends it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the text without the key, in case it was repeated there.
    pub(super) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, "[redacted:key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = ApiKey::new(" shh-1234 \n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert_eq!(key.hide_in("bad key shh-1234!"), "bad key [redacted:key]!");
        assert_eq!(ApiKey::new("  "), None);
    }
}
