//! The meanings of the names in a file.

use crate::code::{CodeSymbol, KnownCode};
use crate::facts::ReferenceRole;
use crate::project::{CodeFileId, DefRef};
use crate::resolve::{Resolution, Resolver};

/// The target that a name refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameTarget {
    /// A definition; several if the same thing is defined more than once.
    Symbols(Vec<CodeSymbol>),
    /// A module, made up of these files.
    Files(Vec<String>),
    /// One of these, but it is unclear which.
    OneOf(Vec<CodeSymbol>),
    /// Nothing in the project.
    Outside,
}

/// A use of a name that is not a local variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// The name as it is written.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The role of the name.
    pub role: ReferenceRole,
    /// The definition that contains the use.
    pub within: Option<CodeSymbol>,
    /// The target it refers to.
    pub meaning: NameTarget,
}

impl KnownCode<'_> {
    /// Returns the paths of the project's files, from the root, with slashes,
    /// in their order.
    pub fn paths(&self) -> Vec<String> {
        self.project.files.iter().map(|file| file.path.clone()).collect()
    }

    /// Returns the meaning of every name in a file, in the order of the text;
    /// empty for an unknown file.
    pub fn meanings(&self, path: &str) -> Vec<NameUse> {
        let Some((file, facts)) = self.known_file(path) else { return Vec::new() };
        let resolver = Resolver::new(&self.project);
        let uses = facts.references.iter().map(|reference| NameUse {
            name: facts.names.text(reference.name).to_owned(),
            line: reference.span.line,
            column: reference.span.column,
            role: reference.role,
            within: reference.within.map(|id| self.symbol(DefRef { file, id })),
            meaning: self.meaning(&resolver, &resolver.resolve_in(file, &facts, reference)),
        });
        uses.collect()
    }

    /// Returns the files of the project that a file imports.
    pub fn imports(&self, path: &str) -> Vec<String> {
        let Some(file) = self.project.by_path(path) else { return Vec::new() };
        let imported = Resolver::new(&self.project).imported_files(file);
        imported.iter().map(|file| self.project.file(*file).path.clone()).collect()
    }

    fn known_file(&self, path: &str) -> Option<(CodeFileId, std::rc::Rc<crate::facts::FileFacts>)> {
        let file = self.project.by_path(path)?;
        Some((file, self.facts(file)?))
    }

    fn meaning(&self, resolver: &Resolver<'_>, resolution: &Resolution) -> NameTarget {
        let symbols = |found: &[DefRef]| -> Vec<CodeSymbol> {
            found.iter().map(|at| self.symbol(*at)).collect()
        };
        match resolution {
            Resolution::Known(found) => NameTarget::Symbols(symbols(&resolver.defined(found))),
            Resolution::Ambiguous(found) => NameTarget::OneOf(symbols(found)),
            Resolution::Module(files) => {
                let path = |file: &CodeFileId| self.project.file(*file).path.clone();
                NameTarget::Files(files.iter().map(path).collect())
            }
            Resolution::Outside => NameTarget::Outside,
        }
    }
}
