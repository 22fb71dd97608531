//! Modules and crates of Rust.

use std::rc::Rc;

use super::{
    LookupScope, ModuleFiles, QualifierText, Resolution, ResolvedTarget, Resolver, ScopeLookup,
    UnresolvedUse, definitions, parts,
};
use crate::facts::{DefinitionKind, ReferenceRole};
use crate::family::LanguageFamily;
use crate::manifest::ManifestKind;
use crate::project::{CodeFileId, DefRef, folder_of, name_of, relative};

/// Names of crates that come with the compiler.
const BUILT_IN: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

impl Resolver<'_> {
    /// Returns the targets of a path at a position in a file.
    pub(super) fn rust_path(&self, scope: LookupScope, path: &str) -> Vec<ResolvedTarget> {
        let from_outside = path.starts_with("::");
        let mut rest = parts(path).peekable();
        let mut places = match rest.next() {
            Some("crate" | "$crate") => self.rust_root(scope.file),
            Some("self") => vec![self.rust_here(scope)],
            Some("super") => self.rust_above(self.rust_here(scope)),
            Some("Self") => {
                self.enclosing_type(scope).map(ResolvedTarget::Definition).into_iter().collect()
            }
            Some(first) if from_outside => self.rust_crate(first),
            Some(first) => match self.lookup(scope, first) {
                ScopeLookup::Found(places) => places,
                // `use glob::glob` looks up itself, and means the crate.
                ScopeLookup::Outside | ScopeLookup::Unbound => self.rust_crate(first),
            },
            None => Vec::new(),
        };
        for part in rest {
            places = match part {
                "super" => places.into_iter().flat_map(|it| self.rust_above(it)).collect(),
                "self" => places,
                part => places.iter().flat_map(|it| self.members(it, part)).collect(),
            };
        }
        places
    }

    /// Returns the module around a position.
    fn rust_here(&self, scope: LookupScope) -> ResolvedTarget {
        let start = scope.within.map(|id| DefRef { file: scope.file, id });
        let mut chain =
            start.into_iter().flat_map(|at| std::iter::once(at).chain(self.project.containers(at)));
        let inline = chain.find(|at| {
            self.project.outlined(*at).is_some_and(|it| it.kind == DefinitionKind::Module)
        });
        inline.map_or_else(
            || ResolvedTarget::Module(ModuleFiles::of_file(scope.file)),
            ResolvedTarget::Definition,
        )
    }

    /// Returns the module that contains a module.
    fn rust_above(&self, place: ResolvedTarget) -> Vec<ResolvedTarget> {
        match place {
            ResolvedTarget::Definition(at) => {
                let container = self.project.outlined(at).and_then(|it| it.container);
                vec![self.rust_here(LookupScope { file: at.file, within: container })]
            }
            ResolvedTarget::Module(module) => {
                let above = module.files.iter().filter_map(|file| self.rust_parent(*file));
                above.map(|file| ResolvedTarget::Module(ModuleFiles::of_file(file))).collect()
            }
        }
    }

    /// Returns the file whose module contains that of a file.
    fn rust_parent(&self, file: CodeFileId) -> Option<CodeFileId> {
        let path = &self.project.file(file).path;
        let (folder, name) = (folder_of(path), name_of(path));
        if is_root(path) {
            return None;
        }
        let find = |folder: &str, names: &[&str]| {
            let paths = names.iter().filter_map(|name| relative(folder, name));
            paths.filter_map(|path| self.project.by_path(&path)).find(|found| *found != file)
        };
        // Tests in a file beside the file of their parent module.
        let stem = name.strip_suffix(".rs")?;
        let beside = stem.strip_suffix("_tests").or_else(|| stem.strip_suffix("_test"));
        let beside = beside.and_then(|stem| find(folder, &[&format!("{stem}.rs")]));
        if beside.is_some() {
            return beside;
        }
        let inside = if name == "mod.rs" { folder_of(folder) } else { folder };
        let own = format!("{}.rs", name_of(inside));
        let roots = ["mod.rs", "lib.rs", "main.rs"];
        find(inside, &roots).or_else(|| find(folder_of(inside), &[&own]))
    }

    /// Returns a file, and those whose modules contain it, from the inside out.
    pub(super) fn rust_modules_around(&self, file: CodeFileId) -> Rc<[CodeFileId]> {
        if let Some(known) = self.around.borrow().get(&file) {
            return Rc::clone(known);
        }
        // No path has more folders than this.
        let around = std::iter::successors(Some(file), |file| self.rust_parent(*file)).take(64);
        let around: Rc<[CodeFileId]> = around.collect();
        self.around.borrow_mut().insert(file, Rc::clone(&around));
        around
    }

    fn rust_root_file(&self, file: CodeFileId) -> CodeFileId {
        self.rust_modules_around(file).last().copied().unwrap_or(file)
    }

    fn rust_root(&self, file: CodeFileId) -> Vec<ResolvedTarget> {
        vec![ResolvedTarget::Module(ModuleFiles::of_file(self.rust_root_file(file)))]
    }

    /// Returns true if a use is a macro, which has a namespace of its own.
    pub(super) fn is_macro(&self, it: UnresolvedUse<'_>) -> bool {
        it.role == ReferenceRole::Applies
            && self.project.file(it.file).family == LanguageFamily::Rust
    }

    /// Resolves a macro's name: in its module, else in any module, since macros
    /// are visible after their definition.
    pub(super) fn macros(&self, scope: LookupScope, it: UnresolvedUse<'_>) -> Resolution {
        let kind = |at: &DefRef| self.project.outlined(*at).map(|it| it.kind);
        // Functions of other files may be procedural macros.
        let is_apt = |at: &DefRef| {
            let kind = kind(at);
            kind == Some(DefinitionKind::Macro)
                || kind == Some(DefinitionKind::Function) && at.file != it.file
        };
        let looked = if let QualifierText::Path(path) = it.qualifier {
            self.types(scope, &format!("{path}::{}", it.name))
        } else {
            self.lookup(scope, it.name)
        };
        if let ScopeLookup::Found(places) = looked {
            let mut found = definitions(&places);
            found.retain(is_apt);
            if self.are_rivals(&found) {
                return Resolution::Ambiguous(found);
            }
            if !found.is_empty() {
                return Resolution::Known(found);
            }
        }
        let named = self.project.named(it.name).iter().copied();
        let found: Vec<DefRef> = named
            .filter(|at| {
                kind(at) == Some(DefinitionKind::Macro)
                    && self.project.file(at.file).family == LanguageFamily::Rust
            })
            .collect();
        match found.as_slice() {
            [only] if self.is_one_crate(it.file, only.file) => Resolution::Known(found),
            _ => self.choose(it, found),
        }
    }

    /// Returns true if two files belong to one crate.
    pub(super) fn is_one_crate(&self, a: CodeFileId, b: CodeFileId) -> bool {
        self.rust_root_file(a) == self.rust_root_file(b)
    }

    /// Returns the file of a module that is declared in a file.
    pub(super) fn rust_child(&self, file: CodeFileId, name: &str) -> Option<CodeFileId> {
        let path = &self.project.file(file).path;
        let folder = folder_of(path);
        let is_folder_module = matches!(name_of(path), "mod.rs") || is_root(path);
        let stem = name_of(path).strip_suffix(".rs")?;
        let inside = if is_folder_module { folder.to_owned() } else { relative(folder, stem)? };
        let found = [format!("{name}.rs"), format!("{name}/mod.rs")];
        let mut found = found.iter().filter_map(|name| relative(&inside, name));
        found.find_map(|path| self.project.by_path(&path).filter(|found| *found != file))
    }

    /// Returns modules that a file declares, which need no import.
    pub(super) fn rust_visible(&self, file: CodeFileId, name: &str) -> Vec<ResolvedTarget> {
        let child = self.rust_child(file, name).map(ModuleFiles::of_file);
        child.map(ResolvedTarget::Module).into_iter().collect()
    }

    /// Returns the library of a crate of the project.
    fn rust_crate(&self, name: &str) -> Vec<ResolvedTarget> {
        if BUILT_IN.contains(&name) {
            return Vec::new();
        }
        let manifests = self.project.manifests(ManifestKind::Cargo);
        let mut named = manifests.filter(|(_, manifest)| manifest.get("name") == Some(name));
        let root = named.find_map(|(folder, manifest)| {
            let own = manifest.get("path").into_iter();
            let mut paths = own.chain(["src/lib.rs", "src/main.rs"]);
            paths.find_map(|path| self.project.by_path(&relative(folder, path)?))
        });
        root.map(|file| ResolvedTarget::Module(ModuleFiles::of_file(file))).into_iter().collect()
    }
}

/// Returns true if a file is the root of a crate, by its path.
fn is_root(path: &str) -> bool {
    let (folder, name) = (folder_of(path), name_of(path));
    if matches!(name, "lib.rs" | "main.rs" | "build.rs") {
        return true;
    }
    // In a source folder these are ordinary modules, except for binaries.
    let is_source = format!("/{folder}/").contains("/src/");
    match name_of(folder) {
        "bin" => name != "mod.rs",
        "tests" | "examples" | "benches" => name != "mod.rs" && !is_source,
        _ => false,
    }
}
