//! Facts as short lines, for tests.

use crate::facts::{
    DefinitionId, FileFacts, ImportedNames, Qualifier, Reference, ReferenceRole, SymbolVisibility,
};
use crate::language::SourceLanguage;

/// Returns the full name of a definition.
fn path(facts: &FileFacts, id: Option<DefinitionId>) -> String {
    let Some(id) = id else { return "-".to_owned() };
    let definition = &facts.definitions[id.0 as usize];
    let name = facts.names.text(definition.name);
    match (definition.owner, definition.container) {
        (Some(owner), _) => format!("{}.{name}", facts.names.text(owner)),
        (None, Some(outer)) => format!("{}.{name}", path(facts, Some(outer))),
        (None, None) => name.to_owned(),
    }
}

/// Prints each definition: its kind, its full name, its visibility if limited,
/// `test` if it is one.
pub(crate) fn definitions(facts: &FileFacts) -> Vec<String> {
    let lines = (0..).zip(&facts.definitions).map(|(id, definition)| {
        let mut line =
            format!("{:?} {}", definition.kind, path(facts, Some(DefinitionId(id)))).to_string();
        line.push_str(match definition.reach {
            SymbolVisibility::Nowhere => " nowhere",
            SymbolVisibility::File => " file",
            SymbolVisibility::Inside => " inside",
            SymbolVisibility::Crate => " crate",
            SymbolVisibility::Project => "",
        });
        if definition.purpose.is_test() {
            line.push_str(" test");
        }
        line
    });
    lines.collect()
}

/// Prints each signature, with the documentation after `--`.
pub(crate) fn signatures(facts: &FileFacts) -> Vec<String> {
    let lines = facts.definitions.iter().map(|definition| match &definition.doc {
        Some(doc) => format!("{} -- {doc}", definition.signature),
        None => definition.signature.to_string(),
    });
    lines.collect()
}

/// Prints each reference: its container, its role, the name.
pub(crate) fn references(facts: &FileFacts) -> Vec<String> {
    let line = |reference: &Reference| {
        let role = match reference.role {
            ReferenceRole::Call => "call",
            ReferenceRole::Type => "type",
            ReferenceRole::Extends => "extends",
            ReferenceRole::Implements => "implements",
            ReferenceRole::Applies => "applies",
            ReferenceRole::Value => "value",
        };
        let name = facts.names.text(reference.name);
        let within = path(facts, reference.within);
        match reference.qualifier {
            Qualifier::None => format!("{within} {role} {name}"),
            Qualifier::Itself => format!("{within} {role} self.{name}"),
            Qualifier::Parent => format!("{within} {role} super.{name}"),
            Qualifier::Path(path) => format!("{within} {role} {}.{name}", facts.names.text(path)),
            Qualifier::OfType(of) => format!("{within} {role} <{}>.{name}", facts.names.text(of)),
            Qualifier::Unknown => format!("{within} {role} ?.{name}"),
        }
    };
    facts.references.iter().map(line).collect()
}

/// Prints each import: the names it makes known, and their module.
pub(crate) fn imports(facts: &FileFacts) -> Vec<String> {
    let lines = facts.imports.iter().map(|import| {
        let module = facts.names.text(import.module);
        let mut line = match import.imported {
            ImportedNames::Module { local: Some(local) } => {
                format!("{module} as {}", facts.names.text(local))
            }
            ImportedNames::Module { local: None } => module.to_owned(),
            ImportedNames::Name { name, local } if name == local => {
                format!("{} of {module}", facts.names.text(name))
            }
            ImportedNames::Name { name, local } => {
                format!("{} of {module} as {}", facts.names.text(name), facts.names.text(local))
            }
            ImportedNames::Everything => format!("all of {module}"),
        };
        if import.passed_on {
            line.push_str(" on");
        }
        line
    });
    lines.collect()
}

/// Reads a file.
pub(crate) fn read(language: SourceLanguage, source: &str) -> FileFacts {
    super::SourceReader::new().read(language, source.as_bytes()).unwrap()
}

/// Compares lines with those of a text, ignoring indentation.
#[track_caller]
pub(crate) fn same(got: &[String], want: &str) {
    let want: Vec<&str> = want.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let got: Vec<&str> = got.iter().map(String::as_str).collect();
    assert_eq!(got, want);
}
