//! The rules that come with the program, as text.

/// A rule file that is part of the program.
pub(super) struct Embedded {
    /// The folder, which says what the rule is about.
    pub(super) folder: &'static str,
    /// The rule, in ast-grep's own form.
    pub(super) text: &'static str,
}

macro_rules! embedded {
    ($($folder:literal: [$($name:literal),* $(,)?]),* $(,)?) => {
        &[$($(Embedded {
            folder: $folder,
            text: include_str!(concat!("../../rules/", $folder, "/", $name, ".yml")),
        }),*),*]
    };
}

/// Every file in `rules/`.
pub(super) const EMBEDDED: &[Embedded] = embedded! {
    "go": [
        "hardcoded-secret",
        "jwt-unverified",
        "path-from-request",
        "random-token",
        "shell-command",
        "sql-injection",
        "ssh-host-key",
        "tls-unverified",
        "tls-version",
        "unescaped-html",
        "weak-cipher",
        "weak-hash",
        "weak-password-hash",
        "world-writable",
        "zip-slip",
    ],
    "java": [
        "command-injection",
        "deserialization",
        "hardcoded-secret",
        "hostname-verifier",
        "path-from-request",
        "random-token",
        "script-eval",
        "sql-injection",
        "trust-all",
        "weak-cipher",
        "weak-hash",
        "xxe",
    ],
    "javascript": [
        "command-injection",
        "cors-credentials",
        "electron-isolation",
        "eval",
        "hardcoded-secret",
        "inner-html",
        "jsx-inner-html",
        "jwt-none",
        "node-serialize",
        "open-redirect",
        "path-from-request",
        "random-token",
        "sql-injection",
        "ssrf",
        "tls-unverified",
        "weak-cipher",
        "weak-hash",
        "weak-password-hash",
        "world-writable",
    ],
    "python": [
        "autoescape-off",
        "bind-all-interfaces",
        "cors-credentials",
        "eval",
        "flask-debug",
        "hardcoded-secret",
        "jwt-unverified",
        "mark-safe",
        "marshal",
        "mktemp",
        "os-command",
        "path-from-request",
        "pickle",
        "random-token",
        "requests-no-verify",
        "sql-injection",
        "ssh-host-key",
        "ssl-unverified",
        "ssrf",
        "subprocess-shell",
        "tar-extractall",
        "template-injection",
        "weak-cipher",
        "weak-hash",
        "weak-password-hash",
        "world-writable",
        "xxe",
        "yaml-load",
    ],
    "rust": [
        "hardcoded-secret",
        "jwt-unverified",
        "permissive-cors",
        "shell-command",
        "sql-injection",
        "tls-unverified",
        "weak-hash",
        "world-writable",
        "zip-slip",
    ],
};
