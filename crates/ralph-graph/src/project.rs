//! All files of a project by their outlines, with the tables that find names
//! and modules.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::exports;
use crate::facts::{DefinitionId, DefinitionKind, NameId};
use crate::family::LanguageFamily;
use crate::manifest::{ManifestKind, ProjectManifest};
use crate::outline::{ByKey, CodeOutline, EncodedOutline, NameKey, OutlineEntry};
use crate::script_config::TsConfigMap;
use crate::spaces::NamespaceIndex;

/// The number of a file in its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CodeFileId(pub(crate) u32);

/// A definition of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DefRef {
    pub(crate) file: CodeFileId,
    pub(crate) id: DefinitionId,
}

/// One file of code.
#[derive(Debug, Clone)]
pub(crate) struct CodeFile {
    /// From the root, with slashes.
    pub(crate) path: String,
    pub(crate) family: LanguageFamily,
    pub(crate) folded: EncodedOutline,
    /// The key under which its facts are stored.
    pub(crate) key: i64,
}

impl CodeFile {
    /// Returns the facts that other files need.
    pub(crate) fn outline(&self) -> &CodeOutline {
        self.folded.unfold()
    }

    /// Returns the number of its definitions.
    pub(crate) fn count(&self) -> usize {
        self.folded.sketch().definitions
    }
}

/// All files of a project.
#[derive(Debug, Default)]
pub(crate) struct CodeProject {
    /// In the order of their paths.
    pub(crate) files: Vec<CodeFile>,
    /// With their paths; those in the deepest folders come first.
    manifests: Vec<(String, ProjectManifest)>,
    tables: ProjectTables,
}

#[derive(Debug, Default)]
struct ProjectTables {
    by_path: OnceCell<HashMap<String, CodeFileId>>,
    by_name: OnceCell<ByName>,
    by_folder: OnceCell<HashMap<String, Vec<CodeFileId>>>,
    by_file_name: OnceCell<HashMap<String, Vec<CodeFileId>>>,
    by_namespace: OnceCell<BTreeMap<(LanguageFamily, String), Vec<CodeFileId>>>,
    owned: OnceCell<ByName>,
    spaces: OnceCell<NamespaceIndex>,
    python_roots: OnceCell<Vec<String>>,
    script_configs: OnceCell<TsConfigMap>,
}

/// Definitions by their names.
#[derive(Debug, Default)]
struct ByName {
    by_key: ByKey<Vec<DefRef>>,
    /// Definitions whose key belongs to another name already: by chance, or
    /// because the names were chosen for it.
    others: HashMap<String, Vec<DefRef>>,
}

impl ByName {
    fn add(&mut self, project: &CodeProject, name: &str, at: DefRef) {
        let known = self.by_key.entry(NameKey::of(name)).or_default();
        match known.first() {
            Some(first) if project.name(*first) != name => {
                self.others.entry(name.to_owned()).or_default().push(at);
            }
            Some(_) | None => known.push(at),
        }
    }

    fn of(&self, project: &CodeProject, name: &str) -> &[DefRef] {
        match self.by_key.get(&NameKey::of(name)).map(Vec::as_slice) {
            Some(found @ [first, ..]) if project.name(*first) == name => found,
            Some(_) => self.others.get(name).map_or(&[], Vec::as_slice),
            None => &[],
        }
    }
}

/// Returns the folder of a path; the root is empty.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last part of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Resolves a path against a folder, removing `.` and `..`; `None` above the
/// root.
pub(crate) fn relative(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl CodeProject {
    pub(crate) fn new(
        mut files: Vec<CodeFile>,
        mut manifests: Vec<(String, ProjectManifest)>,
    ) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        // Deeper folders come first.
        manifests.sort_by(|(a, _), (b, _)| {
            folder_of(b).len().cmp(&folder_of(a).len()).then_with(|| a.cmp(b))
        });
        Self { files, manifests, tables: ProjectTables::default() }
    }

    /// Returns the same project with more files.
    pub(crate) fn with(&self, more: Vec<CodeFile>) -> Self {
        let files = self.files.iter().cloned().chain(more).collect();
        Self::new(files, self.manifests.clone())
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = CodeFileId> + use<> {
        (0..u32::try_from(self.files.len()).unwrap_or(u32::MAX)).map(CodeFileId)
    }

    pub(crate) fn file(&self, id: CodeFileId) -> &CodeFile {
        // Ids come only from this project.
        &self.files[id.0 as usize]
    }

    pub(crate) fn outlined(&self, at: DefRef) -> Option<&OutlineEntry> {
        self.file(at.file).outline().definition(at.id)
    }

    pub(crate) fn name(&self, at: DefRef) -> &str {
        self.file(at.file).outline().name(at.id)
    }

    pub(crate) fn text(&self, file: CodeFileId, name: NameId) -> &str {
        self.file(file).outline().names.text(name)
    }

    /// Returns all definitions of a file.
    pub(crate) fn definitions(
        &self,
        file: CodeFileId,
    ) -> impl Iterator<Item = (DefRef, &OutlineEntry)> {
        let definitions = self.file(file).outline().definitions.iter();
        (0..).map(move |id| DefRef { file, id: DefinitionId(id) }).zip(definitions)
    }

    /// Returns the containers of a definition from the inside out.
    pub(crate) fn containers(&self, at: DefRef) -> impl Iterator<Item = DefRef> {
        let above = move |at: &DefRef| {
            let container = self.outlined(*at)?.container?;
            Some(DefRef { file: at.file, id: container })
        };
        std::iter::successors(above(&at), above)
    }

    /// Returns the name of the type that a definition belongs to.
    pub(crate) fn owner_name(&self, at: DefRef) -> Option<&str> {
        let definition = self.outlined(at)?;
        if let Some(owner) = definition.owner {
            return Some(self.text(at.file, owner)).filter(|owner| !exports::is_file(owner));
        }
        let container = DefRef { file: at.file, id: definition.container? };
        Some(self.name(container))
    }

    /// Returns the name with the names around it, as its language writes it.
    pub(crate) fn full_name(&self, at: DefRef) -> String {
        let file = self.file(at.file);
        let separator =
            if let LanguageFamily::Rust | LanguageFamily::C | LanguageFamily::Ruby = file.family {
                "::"
            } else {
                "."
            };
        let mut parts = vec![self.name(at)];
        let owner = self.outlined(at).and_then(|definition| definition.owner);
        let owner = owner.map(|owner| self.text(at.file, owner));
        parts.extend(owner.filter(|owner| !exports::is_file(owner)));
        for container in self.containers(at) {
            let is_namespace =
                self.outlined(container).is_some_and(|it| it.kind == DefinitionKind::Module);
            if !(is_namespace && file.family.has_file_namespaces()) {
                parts.push(self.name(container));
            }
        }
        parts.reverse();
        parts.join(separator)
    }

    /// Returns true if a definition is a test or a part of one, or is in a file
    /// of tests.
    pub(crate) fn is_test(&self, at: DefRef) -> bool {
        let own = self.outlined(at).is_some_and(|it| it.purpose.is_test());
        own || self.is_test_file(at.file)
    }

    /// Returns true if a file holds tests, by its name or by all its contents.
    pub(crate) fn is_test_file(&self, id: CodeFileId) -> bool {
        let file = self.file(id);
        if is_test_path(&file.path) {
            return true;
        }
        let mut top =
            file.outline().definitions.iter().filter(|it| it.container.is_none()).peekable();
        top.peek().is_some() && top.all(|it| it.purpose.is_test())
    }

    pub(crate) fn by_path(&self, path: &str) -> Option<CodeFileId> {
        let table = self
            .tables
            .by_path
            .get_or_init(|| self.ids().map(|id| (self.file(id).path.clone(), id)).collect());
        table.get(path).copied()
    }

    /// Returns all definitions with a name, in any file.
    pub(crate) fn named(&self, name: &str) -> &[DefRef] {
        let table = self.tables.by_name.get_or_init(|| {
            let mut table = ByName::default();
            for file in self.ids() {
                for (at, definition) in self.definitions(file) {
                    table.add(self, self.text(file, definition.name), at);
                }
            }
            table
        });
        table.of(self, name)
    }

    /// Returns the definitions of a file with a name.
    pub(crate) fn named_in(&self, file: CodeFileId, name: &str) -> &[DefRef] {
        let named = self.named(name);
        let start = named.partition_point(|at| at.file < file);
        let here = named.get(start..).unwrap_or_default();
        let count = here.partition_point(|at| at.file == file);
        here.get(..count).unwrap_or_default()
    }

    /// Returns the definitions with a name that state the type they belong to.
    pub(crate) fn owned(&self, name: &str) -> &[DefRef] {
        let table = self.tables.owned.get_or_init(|| {
            let mut table = ByName::default();
            for file in self.ids() {
                for (at, definition) in self.definitions(file).filter(|(_, it)| it.owner.is_some())
                {
                    table.add(self, self.text(file, definition.name), at);
                }
            }
            table
        });
        table.of(self, name)
    }

    /// Returns the files of a folder.
    pub(crate) fn in_folder(&self, folder: &str) -> &[CodeFileId] {
        self.folders().get(folder).map_or(&[], Vec::as_slice)
    }

    fn folders(&self) -> &HashMap<String, Vec<CodeFileId>> {
        self.tables.by_folder.get_or_init(|| {
            let mut table: HashMap<String, Vec<CodeFileId>> = HashMap::new();
            for id in self.ids() {
                table.entry(folder_of(&self.file(id).path).to_owned()).or_default().push(id);
            }
            table
        })
    }

    /// Returns true if there is code in or below a folder.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        let first = self.files.partition_point(|file| file.path < start);
        self.files.get(first).is_some_and(|file| file.path.starts_with(&start))
    }

    /// Returns the files with a name, in any folder.
    pub(crate) fn with_file_name(&self, name: &str) -> &[CodeFileId] {
        let table = self.tables.by_file_name.get_or_init(|| {
            let mut table: HashMap<String, Vec<CodeFileId>> = HashMap::new();
            for id in self.ids() {
                table.entry(name_of(&self.file(id).path).to_owned()).or_default().push(id);
            }
            table
        });
        table.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the files that declare a namespace.
    pub(crate) fn in_namespace(&self, family: LanguageFamily, name: &str) -> &[CodeFileId] {
        let table = self.tables.by_namespace.get_or_init(|| {
            let mut table: BTreeMap<(LanguageFamily, String), Vec<CodeFileId>> = BTreeMap::new();
            for id in self.ids() {
                for namespace in self.namespaces(id) {
                    table.entry((self.file(id).family, namespace)).or_default().push(id);
                }
            }
            table
        });
        table.get(&(family, name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns the namespaces that a file declares, with dots.
    pub(crate) fn namespaces(&self, file: CodeFileId) -> BTreeSet<String> {
        if !self.file(file).family.has_file_namespaces() {
            return BTreeSet::new();
        }
        let modules = self.definitions(file).filter(|(_, it)| it.kind == DefinitionKind::Module);
        let mut names: BTreeSet<String> = modules.map(|(at, _)| self.namespace_name(at)).collect();
        if names.is_empty() {
            // Files that declare none share the namespace without a name.
            names.insert(String::new());
        }
        names
    }

    /// Returns the full name of a namespace, with dots.
    pub(crate) fn namespace_name(&self, at: DefRef) -> String {
        let mut parts = vec![self.name(at)];
        parts.extend(self.containers(at).map(|above| self.name(above)));
        parts.reverse();
        parts.join(".").replace('\\', ".").replace("::", ".")
    }

    /// Returns the table of things that may be written in several places.
    pub(crate) fn spaces(&self) -> &NamespaceIndex {
        self.tables.spaces.get_or_init(|| NamespaceIndex::new(self))
    }

    /// Returns the parts of something that may be written in several places, by
    /// its full name with dots: namespaces, and types that can be reopened.
    pub(crate) fn reopened(&self, family: LanguageFamily, name: &str) -> &[DefRef] {
        let spaces = self.spaces();
        spaces.named(family, name).map_or(&[], |space| spaces.parts(space))
    }

    /// Returns the manifests of a kind with their folders, deepest first.
    pub(crate) fn manifests(
        &self,
        kind: ManifestKind,
    ) -> impl Iterator<Item = (&str, &ProjectManifest)> {
        self.manifest_files(kind).map(|(path, manifest)| (folder_of(path), manifest))
    }

    /// Returns the manifests of a kind with their paths.
    pub(crate) fn manifest_files(
        &self,
        kind: ManifestKind,
    ) -> impl Iterator<Item = (&str, &ProjectManifest)> {
        let all = self.manifests.iter().map(|(path, manifest)| (path.as_str(), manifest));
        all.filter(move |(_, manifest)| manifest.kind == kind)
    }

    /// Returns the module settings of TypeScript and JavaScript configurations.
    pub(crate) fn script_configs(&self) -> &TsConfigMap {
        self.tables.script_configs.get_or_init(|| TsConfigMap::of(self))
    }

    /// Returns the folders that Python module names start from, likely ones
    /// first.
    pub(crate) fn python_roots(&self) -> &[String] {
        self.tables.python_roots.get_or_init(|| {
            let mut roots = BTreeSet::new();
            for id in self.ids().filter(|id| self.file(*id).family == LanguageFamily::Python) {
                let mut folder = folder_of(&self.file(id).path);
                while !folder.is_empty() && self.by_path(&format!("{folder}/__init__.py")).is_some()
                {
                    folder = folder_of(folder);
                }
                roots.insert(folder.to_owned());
            }
            let mut ordered: Vec<String> = vec![String::new(), "src".to_owned()];
            roots.retain(|root| !ordered.contains(root));
            let mut rest: Vec<String> = roots.into_iter().collect();
            rest.sort_by_key(|root| (root.matches('/').count(), root.clone()));
            ordered.extend(rest);
            ordered
        })
    }
}

/// Returns true if a path follows a naming convention for tests.
pub(crate) fn is_test_path(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let is_named = name.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || (stem.len() > 4 && (stem.ends_with("Test") || stem.ends_with("Tests")))
        || stem == "conftest"
        || stem == "tests";
    is_named || parts.any(|part| matches!(part, "tests" | "test" | "__tests__" | "spec"))
}

/// Returns true if a file belongs to tests or examples, by its path.
pub(crate) fn is_aside(path: &str) -> bool {
    let is_shown = |part: &str| {
        matches!(part, "example" | "examples" | "demo" | "samples" | "benchmarks" | "fixtures")
    };
    is_test_path(path) || path.rsplit('/').skip(1).any(is_shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_stay_inside() {
        assert_eq!(relative("a/b", "../c.ts").as_deref(), Some("a/c.ts"));
        assert_eq!(relative("", "./c").as_deref(), Some("c"));
        assert_eq!(relative("a", "../../c"), None);
    }

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in ["tests/a.py", "a/test_b.py", "b_test.go", "x.spec.ts", "FooTest.java"] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/latest.py", "contest.go", "a/attest.rs", "Test.java"] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
