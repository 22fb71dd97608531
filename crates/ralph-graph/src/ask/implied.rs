//! Calls that are written without a name: by operators, constructors, or the
//! language itself.

use super::refs::{ResolvedUse, UseCertainty, UseRelation};
use crate::code::KnownCode;
use crate::facts::DefinitionKind;
use crate::family::LanguageFamily;
use crate::project::DefRef;
use crate::resolve::{LookupScope, Resolver, split_last};

/// Ways in which a definition is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallSyntax {
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

impl KnownCode<'_> {
    /// Tells how these definitions of one thing, with these uses, are called.
    pub(crate) fn calling(&self, targets: &[DefRef], hits: &[ResolvedUse]) -> CallSyntax {
        let is_by_syntax = |at: &DefRef| self.is_constructor(*at) || self.is_special(*at);
        if targets.iter().any(is_by_syntax) {
            CallSyntax::BySyntax
        } else if hits.iter().any(|hit| hit.certainty != UseCertainty::Sure) {
            CallSyntax::Perhaps
        } else {
            CallSyntax::ByName
        }
    }

    /// Returns the uses of these definitions. Making an object of a type counts
    /// as a call of its constructor.
    pub(crate) fn all_hits(&self, resolver: &Resolver<'_>, targets: &[DefRef]) -> Vec<ResolvedUse> {
        let mut hits = self.hits(resolver, targets);
        let made = targets.iter().filter(|at| self.is_constructor(**at)).filter_map(|at| {
            resolver.enclosing_type(LookupScope { file: at.file, within: Some(at.id) })
        });
        let mut types: Vec<DefRef> = made.collect();
        types.dedup();
        if !types.is_empty() {
            let made = self.hits(resolver, &types).into_iter();
            hits.extend(made.filter(|hit| hit.relation == UseRelation::Calls));
            hits.sort_by_key(|hit| (hit.file, hit.span.start));
        }
        hits
    }

    /// Returns true if a definition is a constructor.
    pub(crate) fn is_constructor(&self, at: DefRef) -> bool {
        let project = &self.project;
        if project.outlined(at).is_none_or(|it| it.kind != DefinitionKind::Method) {
            return false;
        }
        let name = project.name(at);
        match project.file(at.file).family {
            LanguageFamily::Python => matches!(name, "__init__" | "__new__"),
            LanguageFamily::Script => name == "constructor",
            LanguageFamily::Ruby => name == "initialize",
            LanguageFamily::Php => name == "__construct",
            LanguageFamily::Java | LanguageFamily::CSharp | LanguageFamily::C => {
                project.owner_name(at).is_some_and(|owner| split_last(owner).1 == name)
            }
            LanguageFamily::Rust | LanguageFamily::Go | LanguageFamily::Shell => false,
        }
    }

    /// Returns true if the language calls a method without its name.
    fn is_special(&self, at: DefRef) -> bool {
        let project = &self.project;
        let Some(definition) = project.outlined(at) else { return false };
        let name = project.name(at);
        let is_method = definition.kind == DefinitionKind::Method || definition.owner.is_some();
        let is_operator = name.starts_with("operator");
        match project.file(at.file).family {
            LanguageFamily::Python => {
                name.starts_with("__") && name.ends_with("__") && name.len() > 4
            }
            LanguageFamily::Php => name.starts_with("__"),
            LanguageFamily::Rust => is_method && RUST.contains(&name),
            LanguageFamily::C => is_operator || name.starts_with('~'),
            LanguageFamily::CSharp => {
                let words = ["Dispose", "Equals", "GetHashCode", "ToString", "GetEnumerator"];
                is_operator || name == "this" || is_method && words.contains(&name)
            }
            LanguageFamily::Java => {
                let words = ["close", "compareTo", "equals", "hashCode", "iterator", "toString"];
                is_method && words.contains(&name)
            }
            LanguageFamily::Script => {
                is_method && ["toString", "toJSON", "valueOf"].contains(&name)
            }
            LanguageFamily::Ruby => {
                let words = ["each", "method_missing", "respond_to_missing?", "to_s", "to_str"];
                let is_sign = !name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                is_method && (is_sign || words.contains(&name))
            }
            LanguageFamily::Go => is_method && ["Error", "String"].contains(&name),
            LanguageFamily::Shell => false,
        }
    }
}
