//! Reserved names for exports of scripts. No source text can contain them.
//!
//! The definition in `exports.f = …` is visible to other files but not inside
//! its own. A name under which a file re-exports something is not usable in
//! that file either. So both get reserved words among the owners and imports of
//! a file.

/// Owner of the members of `exports`.
pub(crate) const OWNER: &str = "exports";

/// Owner of the value of `module.exports` itself, and its name among the
/// imports if it is defined elsewhere.
pub(crate) const WHOLE: &str = "module.exports";

/// Owner of the members of an object that is assigned to `module.exports`.
pub(crate) const OBJECT: &str = "module.exports()";

/// Prefix of a name that the file exports but cannot use itself.
pub(crate) const PREFIX: &str = "exports.";

/// Returns a name without that prefix.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Returns true if the owner stands for the file itself.
pub(crate) fn is_file(owner: &str) -> bool {
    matches!(owner, OWNER | WHOLE)
}
