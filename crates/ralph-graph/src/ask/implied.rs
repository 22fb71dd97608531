//! Calls that are written without a name: by operators, constructors, or the
//! language itself.

use super::refs::{Certainty, Hit, Relation};
use crate::code::Code;
use crate::facts::Kind;
use crate::family::Family;
use crate::project::DefRef;
use crate::resolve::{Resolver, Scope, split_last};

/// Ways in which a definition is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calling {
    /// Only where its name is written.
    ByName,
    /// The same, but some places with its name may mean something else.
    Perhaps,
    /// Also by syntax that names nothing, so some calls may not be found.
    BySyntax,
}

/// Methods that Rust calls for operators, loops, formatting and the end of
/// scopes.
const RUST: [&str; 39] = [
    "add",
    "add_assign",
    "bitand",
    "bitand_assign",
    "bitor",
    "bitor_assign",
    "bitxor",
    "bitxor_assign",
    "cmp",
    "deref",
    "deref_mut",
    "div",
    "div_assign",
    "drop",
    "eq",
    "fmt",
    "from",
    "ge",
    "gt",
    "hash",
    "index",
    "index_mut",
    "into_iter",
    "le",
    "lt",
    "mul",
    "mul_assign",
    "ne",
    "neg",
    "next",
    "not",
    "partial_cmp",
    "poll",
    "rem",
    "rem_assign",
    "shl",
    "shr",
    "sub",
    "sub_assign",
];

impl Code<'_> {
    /// Tells how these definitions of one thing, with these uses, are called.
    pub(crate) fn calling(&self, targets: &[DefRef], hits: &[Hit]) -> Calling {
        let is_by_syntax = |at: &DefRef| self.is_constructor(*at) || self.is_special(*at);
        if targets.iter().any(is_by_syntax) {
            Calling::BySyntax
        } else if hits.iter().any(|hit| hit.certainty != Certainty::Sure) {
            Calling::Perhaps
        } else {
            Calling::ByName
        }
    }

    /// Returns the uses of these definitions. Making an object of a type counts
    /// as a call of its constructor.
    pub(crate) fn all_hits(&self, resolver: &Resolver<'_>, targets: &[DefRef]) -> Vec<Hit> {
        let mut hits = self.hits(resolver, targets);
        let made = targets
            .iter()
            .filter(|at| self.is_constructor(**at))
            .filter_map(|at| resolver.enclosing_type(Scope { file: at.file, within: Some(at.id) }));
        let mut types: Vec<DefRef> = made.collect();
        types.dedup();
        if !types.is_empty() {
            let made = self.hits(resolver, &types).into_iter();
            hits.extend(made.filter(|hit| hit.relation == Relation::Calls));
            hits.sort_by_key(|hit| (hit.file, hit.span.start));
        }
        hits
    }

    /// Returns true if a definition is a constructor.
    pub(crate) fn is_constructor(&self, at: DefRef) -> bool {
        let project = &self.project;
        if project.outlined(at).is_none_or(|it| it.kind != Kind::Method) {
            return false;
        }
        let name = project.name(at);
        match project.file(at.file).family {
            Family::Python => matches!(name, "__init__" | "__new__"),
            Family::Script => name == "constructor",
            Family::Ruby => name == "initialize",
            Family::Php => name == "__construct",
            Family::Java | Family::CSharp | Family::C => {
                project.owner_name(at).is_some_and(|owner| split_last(owner).1 == name)
            }
            Family::Rust | Family::Go | Family::Shell => false,
        }
    }

    /// Returns true if the language calls a method without its name.
    fn is_special(&self, at: DefRef) -> bool {
        let project = &self.project;
        let Some(definition) = project.outlined(at) else { return false };
        let name = project.name(at);
        let is_method = definition.kind == Kind::Method || definition.owner.is_some();
        let is_operator = name.starts_with("operator");
        match project.file(at.file).family {
            Family::Python => name.starts_with("__") && name.ends_with("__") && name.len() > 4,
            Family::Php => name.starts_with("__"),
            Family::Rust => is_method && RUST.contains(&name),
            Family::C => is_operator || name.starts_with('~'),
            Family::CSharp => {
                let words = ["Dispose", "Equals", "GetHashCode", "ToString", "GetEnumerator"];
                is_operator || name == "this" || is_method && words.contains(&name)
            }
            Family::Java => {
                let words = ["close", "compareTo", "equals", "hashCode", "iterator", "toString"];
                is_method && words.contains(&name)
            }
            Family::Script => is_method && ["toString", "toJSON", "valueOf"].contains(&name),
            Family::Ruby => {
                let words = ["each", "method_missing", "respond_to_missing?", "to_s", "to_str"];
                let is_sign = !name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                is_method && (is_sign || words.contains(&name))
            }
            Family::Go => is_method && ["Error", "String"].contains(&name),
            Family::Shell => false,
        }
    }
}
