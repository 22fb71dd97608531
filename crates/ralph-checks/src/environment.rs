//! The part of our environment that a gate may see: no keys, no passwords.

use std::ffi::{OsStr, OsString};

/// A pattern for names of variables: `*` stands for anything, case does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameGlob(String);

impl NameGlob {
    /// Takes the pattern as written.
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_ascii_uppercase())
    }

    /// True if the pattern covers the whole name.
    pub fn matches(&self, name: &OsStr) -> bool {
        let name = name.to_string_lossy().to_ascii_uppercase();
        let mut parts = self.0.split('*');
        let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
            return false;
        };
        let Some(last) = self.0.contains('*').then(|| parts.next_back().unwrap_or("")) else {
            return rest.is_empty();
        };
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last)
    }
}

/// The variables that are kept from gates, and the exceptions to that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentRules {
    /// Kept from gates.
    pub exclude: Vec<NameGlob>,
    /// Given to gates even though excluded.
    pub pass: Vec<NameGlob>,
}

impl EnvironmentRules {
    /// The variables that are kept from gates unless configured otherwise.
    pub const DEFAULT_EXCLUDE: [&str; 12] = [
        "*API_KEY",
        "*TOKEN",
        "*SECRET",
        "*SECRET_KEY",
        "*ACCESS_KEY",
        "*PRIVATE_KEY",
        "*PASSWORD",
        "*PASSWD",
        "*PASSPHRASE",
        "*CREDENTIALS",
        "*_AUTH",
        "AWS_ACCESS_KEY_ID",
    ];

    /// The variables a gate gets.
    pub fn filter(
        &self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        let kept = |name: &OsStr| {
            !self.exclude.iter().any(|glob| glob.matches(name))
                || self.pass.iter().any(|glob| glob.matches(name))
        };
        variables.into_iter().filter(|(name, _)| kept(name)).collect()
    }
}

impl Default for EnvironmentRules {
    fn default() -> Self {
        Self {
            exclude: Self::DEFAULT_EXCLUDE.iter().map(|text| NameGlob::new(text)).collect(),
            pass: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        NameGlob::new(pattern).matches(OsStr::new(name))
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("*_TOKEN", "NPM_TOKEN"),
            ("*_token", "npm_Token"),
            ("AWS_*", "AWS_REGION"),
            ("A*B*C", "AxxBxC"),
            ("PATH", "PATH"),
            ("*", ""),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*_TOKEN", "TOKEN"),
            ("*_TOKEN", "NPM_TOKENS"),
            ("A*B*C", "AxxCxB"),
            ("PATH", "PATHEXT"),
            ("A*A", "A"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn keys_are_kept_from_gates_unless_passed() {
        let variables = || {
            ["PATH", "OPENAI_API_KEY", "NPM_TOKEN", "PGPASSWORD", "NPM_CONFIG__AUTH", "HOME"]
                .map(|name| (OsString::from(name), OsString::from("x")))
        };
        let names = |rules: &EnvironmentRules| -> Vec<String> {
            rules
                .filter(variables())
                .into_iter()
                .map(|(name, _)| name.to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(names(&EnvironmentRules::default()), ["PATH", "HOME"]);
        let lenient =
            EnvironmentRules { pass: vec![NameGlob::new("NPM_T*")], ..EnvironmentRules::default() };
        assert_eq!(names(&lenient), ["PATH", "NPM_TOKEN", "HOME"]);
    }
}
