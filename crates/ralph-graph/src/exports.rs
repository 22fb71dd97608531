//! How files of scripts give things to others: names that no text can have.
//!
//! What `exports.f = …` defines is known to others and not inside its file, and
//! what a file gives under another name is no name in it either. So these have
//! words of their own among the owners and the imports of a file.

/// Owner of what is a member of `exports`.
pub(crate) const OWNER: &str = "exports";

/// Owner of what `module.exports` itself is, and the name that this has among
/// the imports if it is defined elsewhere.
pub(crate) const WHOLE: &str = "module.exports";

/// The same for the type of an object that `module.exports` is.
pub(crate) const OBJECT: &str = "module.exports()";

/// Stands before a name that the file gives to others and does not know itself.
pub(crate) const PREFIX: &str = "exports.";

/// A name without what says that only others know it.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Whether an owner is only the file.
pub(crate) fn is_file(owner: &str) -> bool {
    matches!(owner, OWNER | WHOLE)
}
