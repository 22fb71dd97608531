//! The address of a server, with its credentials.

use std::ffi::{OsStr, OsString};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// The default user name.
const USER: &str = "opencode";

/// The client's own variables for the credentials.
pub(super) const USER_VARIABLE: &str = "OPENCODE_SERVER_USERNAME";
pub(super) const PASSWORD_VARIABLE: &str = "OPENCODE_SERVER_PASSWORD";

/// A server's address and our credentials for it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ServerAddress {
    /// Without a trailing slash and without a password.
    pub(super) base: String,
    user: String,
    password: Option<String>,
}

/// Never shows the password.
impl std::fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("base", &self.base).finish_non_exhaustive()
    }
}

impl ServerAddress {
    /// Returns the address of a server that ralph started.
    pub(super) fn own(base: &str, password: &str) -> Self {
        Self {
            base: base.trim_end_matches('/').to_owned(),
            user: USER.to_owned(),
            password: Some(password.to_owned()),
        }
    }

    /// Parses the user's address of a server, with the password in it or in the
    /// environment; `None` if it is invalid.
    pub(super) fn parse(url: &str, env: &[(OsString, OsString)]) -> Option<Self> {
        let (scheme, rest) = split(url)?;
        let (credentials, place) = match rest.rsplit_once('@') {
            Some((credentials, place)) => (Some(credentials), place),
            None => (None, rest),
        };
        let place = place.split(['?', '#']).next().unwrap_or(place).trim_end_matches('/');
        if place.is_empty() || place.contains(char::is_whitespace) {
            return None;
        }
        let (user, password) =
            match credentials.map(|text| text.split_once(':').unwrap_or((text, ""))) {
                Some((user, password)) => (Some(user.to_owned()), Some(password.to_owned())),
                None => (variable(env, USER_VARIABLE), variable(env, PASSWORD_VARIABLE)),
            };
        Some(Self {
            base: format!("{scheme}://{place}"),
            user: user.filter(|user| !user.is_empty()).unwrap_or_else(|| USER.to_owned()),
            password: password.filter(|password| !password.is_empty()),
        })
    }

    /// Returns true if it is on this machine.
    pub(super) fn is_local(&self) -> bool {
        let place = self.base.split_once("://").map_or("", |(_, place)| place);
        let host = place.split(['/', ':']).next().unwrap_or_default();
        host == "localhost" || host.starts_with("127.") || place.starts_with("[::1]")
    }

    /// Returns the authorization header.
    pub(super) fn pass(&self) -> Option<String> {
        let password = self.password.as_ref()?;
        Some(format!("Basic {}", BASE64.encode(format!("{}:{password}", self.user))))
    }
}

/// Returns the address without a password, also if it is invalid.
pub(super) fn shown(url: &str) -> String {
    let Some((before, place)) = url.rsplit_once('@') else { return url.to_owned() };
    match before.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://{place}"),
        None => place.to_owned(),
    }
}

fn split(url: &str) -> Option<(&str, &str)> {
    url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
}

fn variable(env: &[(OsString, OsString)], name: &str) -> Option<String> {
    let found = env.iter().find(|(known, _)| known == OsStr::new(name));
    found.and_then(|(_, value)| value.to_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(password: &str) -> Vec<(OsString, OsString)> {
        vec![(PASSWORD_VARIABLE.into(), password.into())]
    }

    #[test]
    fn a_password_stands_in_the_address_or_in_the_environment() {
        let parse =
            |url: &str, env: &[(OsString, OsString)]| ServerAddress::parse(url, env).unwrap();
        let plain = parse("http://127.0.0.1:4096/", &[]);
        assert_eq!((plain.base.as_str(), plain.pass()), ("http://127.0.0.1:4096", None));
        // Known from the header of every browser.
        let named = parse("http://Aladdin:open sesame@localhost:1", &env("other"));
        assert_eq!(named.base, "http://localhost:1");
        assert_eq!(named.pass().as_deref(), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
        let known = parse("https://example.invalid", &env("x"));
        assert_eq!(known.pass().as_deref(), Some("Basic b3BlbmNvZGU6eA=="));
        assert!(named.is_local() && !known.is_local());
    }

    #[test]
    fn what_is_no_address_is_none() {
        for text in ["", "127.0.0.1:4096", "ftp://x", "http://", "http://a b"] {
            assert_eq!(ServerAddress::parse(text, &[]), None, "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let address = ServerAddress::parse("http://me:secret@localhost:1", &[]).unwrap();
        assert!(!format!("{address:?}").contains("secret"));
        assert_eq!(shown("http://me:secret@localhost:1/"), "http://localhost:1/");
        assert_eq!(shown("http://localhost:1"), "http://localhost:1");
        for wrong in ["me:secret@localhost:1", "htp://me:secret@localhost:1", ":secret@"] {
            assert!(!shown(wrong).contains("secret"), "{wrong}: {}", shown(wrong));
        }
    }
}
