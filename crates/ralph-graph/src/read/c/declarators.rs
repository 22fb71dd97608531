//! Finds names in declarators, which are nested.

use super::super::names::{field as f, kind as k};
use super::super::tree::NodeIndex;
use super::super::walk::SyntaxWalk;

/// The parts of a declarator.
pub(super) struct DeclaratorParts {
    /// The node of the name.
    pub(super) name: NodeIndex,
    /// The type or namespace before it: `A` of `A::f`.
    pub(super) owner: Option<NodeIndex>,
    /// The declarator of the function, if it is one and not a pointer to one.
    pub(super) function: Option<NodeIndex>,
}

/// Words of a declaration that are never its name.
const KEYWORDS: &[&[u8]] = &[
    b"void",
    b"char",
    b"short",
    b"int",
    b"long",
    b"float",
    b"double",
    b"signed",
    b"unsigned",
    b"bool",
    b"const",
    b"static",
    b"extern",
    b"inline",
    b"struct",
    b"enum",
    b"union",
];

/// Maximum nesting of declarators that is followed.
const DEEPEST: usize = 24;

pub(super) fn declared(walk: &SyntaxWalk<'_>, declarator: NodeIndex) -> Option<DeclaratorParts> {
    let mut at = declarator;
    let mut function = None;
    let mut owner = None;
    for _ in 0..DEEPEST {
        at = match walk.kind(at) {
            k::IDENTIFIER
            | k::FIELD_IDENTIFIER
            | k::TYPE_IDENTIFIER
            | k::DESTRUCTOR_NAME
            | k::OPERATOR_NAME => {
                // An unknown macro before a declaration shifts the node that
                // looks like the name.
                let is_name = !KEYWORDS.contains(&walk.text(at));
                return is_name.then_some(DeclaratorParts { name: at, owner, function });
            }
            k::OPERATOR_CAST => {
                let call = walk.child(at, f::DECLARATOR);
                return Some(DeclaratorParts {
                    name: walk.child(at, f::TYPE)?,
                    owner,
                    function: call,
                });
            }
            k::FUNCTION_DECLARATOR => {
                function = Some(at);
                walk.child(at, f::DECLARATOR)?
            }
            k::QUALIFIED_IDENTIFIER => {
                owner = walk
                    .child(at, f::SCOPE)
                    .map(|scope| walk.child(scope, f::NAME).unwrap_or(scope));
                walk.child(at, f::NAME)?
            }
            k::TEMPLATE_FUNCTION | k::TEMPLATE_METHOD | k::TEMPLATE_TYPE => {
                walk.child(at, f::NAME)?
            }
            k::POINTER_DECLARATOR | k::ARRAY_DECLARATOR | k::POINTER_TYPE_DECLARATOR => {
                // `(*f)(int)` is a variable.
                if function
                    .is_some_and(|function| walk.kind(function + 1) == k::PARENTHESIZED_DECLARATOR)
                {
                    function = None;
                }
                walk.child(at, f::DECLARATOR)?
            }
            k::INIT_DECLARATOR => walk.child(at, f::DECLARATOR)?,
            k::PARENTHESIZED_DECLARATOR
            | k::REFERENCE_DECLARATOR
            | k::VARIADIC_DECLARATOR
            | k::ATTRIBUTED_DECLARATOR => walk.children(at).find(|child| {
                !matches!(walk.kind(*child), k::MS_CALL_MODIFIER | k::ATTRIBUTE_DECLARATION)
            })?,
            _ => return None,
        };
    }
    None
}

/// Returns the last name of `a::b::c`.
pub(super) fn last_name(walk: &SyntaxWalk<'_>, path: NodeIndex) -> Option<NodeIndex> {
    let mut at = path;
    for _ in 0..DEEPEST {
        at = match walk.kind(at) {
            k::QUALIFIED_IDENTIFIER
            | k::TEMPLATE_TYPE
            | k::TEMPLATE_FUNCTION
            | k::DEPENDENT_NAME => walk.child(at, f::NAME).or_else(|| walk.first(at))?,
            _ => return Some(at),
        };
    }
    None
}
