//! The known code of a project, which answers questions.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use ralph_store::CodeStore;

use crate::encode;
use crate::facts::{CodePurpose, DefinitionKind, FileFacts};
use crate::freshness::{FileProblem, Freshness};
use crate::project::{CodeFileId, CodeProject, DefRef};

/// The known code of a project, which answers questions.
pub struct KnownCode<'i> {
    pub(crate) project: CodeProject,
    /// The folder of its files.
    pub(crate) root: &'i Path,
    store: &'i CodeStore,
    freshness: Freshness,
    facts: RefCell<HashMap<i64, Option<Rc<FileFacts>>>>,
}

/// A definition as shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSymbol {
    /// Its own name.
    pub name: String,
    /// Its name with the names around it, as its language writes it.
    pub full_name: String,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// Its file, from the root, with slashes.
    pub path: String,
    /// The line of its name.
    pub line: u32,
    /// The column of its name.
    pub column: u32,
    /// Its last line.
    pub last_line: u32,
    /// The declaration without its body.
    pub signature: String,
    /// The first line of its documentation.
    pub doc: Option<String>,
    /// Tells whether it is a test or a part of one.
    pub purpose: CodePurpose,
}

impl<'i> KnownCode<'i> {
    pub(crate) fn new(
        project: CodeProject,
        store: &'i CodeStore,
        root: &'i Path,
        freshness: Freshness,
    ) -> Self {
        Self { project, root, store, freshness, facts: RefCell::default() }
    }

    /// Returns the same code with other files.
    pub(crate) fn with_project(&self, project: CodeProject) -> Self {
        let facts = RefCell::new(self.facts.borrow().clone());
        Self { project, root: self.root, store: self.store, freshness: Freshness::default(), facts }
    }

    /// Tells how far the answers given so far can be relied on.
    pub fn freshness(&self) -> Freshness {
        let mut freshness = self.freshness.clone();
        let facts = self.facts.borrow();
        let is_lost = |key: i64| matches!(facts.get(&key), Some(None));
        for file in self.project.files.iter().filter(|file| is_lost(file.key)) {
            let why = "what was read of it is lost; `ralph code index --rebuild` reads it again";
            freshness.partial.push(FileProblem { path: file.path.clone(), why: why.to_owned() });
        }
        freshness
    }

    /// Returns all facts of a file; `None` if they cannot be read from the
    /// store.
    pub(crate) fn facts(&self, file: CodeFileId) -> Option<Rc<FileFacts>> {
        let key = self.project.file(file).key;
        if let Some(known) = self.facts.borrow().get(&key) {
            return known.clone();
        }
        let bytes = self.store.facts(key).ok().flatten();
        let facts = bytes.and_then(|bytes| encode::read_facts(&bytes)).map(Rc::new);
        self.facts.borrow_mut().insert(key, facts.clone());
        facts
    }

    /// Returns a definition as shown to people.
    pub(crate) fn symbol(&self, at: DefRef) -> CodeSymbol {
        let file = self.project.file(at.file);
        let outlined = file.outline().definition(at.id);
        let facts = self.facts(at.file);
        let full = facts.as_ref().and_then(|facts| facts.definitions.get(at.id.0 as usize));
        CodeSymbol {
            name: self.project.name(at).to_owned(),
            full_name: self.project.full_name(at),
            kind: outlined.map_or(DefinitionKind::Variable, |it| it.kind),
            path: file.path.clone(),
            line: outlined.map_or(0, |it| it.line),
            column: full.map_or(0, |it| it.name_span.column),
            last_line: outlined.map_or(0, |it| it.last_line),
            signature: full.map_or_else(String::new, |it| it.signature.to_string()),
            doc: full.and_then(|it| it.doc.as_deref()).map(str::to_owned),
            purpose: if self.project.is_test(at) { CodePurpose::Test } else { CodePurpose::Code },
        }
    }
}

impl DefinitionKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Interface => "interface",
            Self::Alias => "alias",
            Self::Function => "function",
            Self::Method => "method",
            Self::Field => "field",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Macro => "macro",
        }
    }

    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Module,
        Self::Class,
        Self::Struct,
        Self::Union,
        Self::Enum,
        Self::Variant,
        Self::Interface,
        Self::Alias,
        Self::Function,
        Self::Method,
        Self::Field,
        Self::Constant,
        Self::Variable,
        Self::Macro,
    ];
}
