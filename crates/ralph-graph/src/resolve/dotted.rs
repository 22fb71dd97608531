//! Packages: of languages whose files declare them, and of Go, whose folders
//! are packages.

use super::modules::outer_spaces;
use super::{LookupScope, ModuleFiles, Resolution, ResolvedTarget, Resolver, UnresolvedUse, parts};
use crate::facts::ReferenceRole;
use crate::family::LanguageFamily;
use crate::manifest::ManifestKind;
use crate::project::{CodeFileId, relative};

impl Resolver<'_> {
    /// Finds the longest prefix that is a package, and resolves the rest in it.
    pub(super) fn dotted(&self, file: CodeFileId, text: &str) -> Vec<ResolvedTarget> {
        let family = self.project.file(file).family;
        let all: Vec<&str> = parts(text).collect();
        for length in (1..=all.len().min(super::PARTS)).rev() {
            let (front, rest) = all.split_at(length);
            let files = self.project.in_namespace(family, &front.join("."));
            let mut places = if files.is_empty() {
                Vec::new()
            } else {
                vec![ResolvedTarget::Module(ModuleFiles { files: files.to_vec(), folder: None })]
            };
            for part in rest {
                places = places.iter().flat_map(|place| self.members(place, part)).collect();
            }
            if !places.is_empty() {
                return places;
            }
        }
        if family == LanguageFamily::Php { self.by_prefix(&all) } else { Vec::new() }
    }

    /// The same for a name that may begin in the namespaces of the file.
    pub(super) fn dotted_inside(&self, file: CodeFileId, text: &str) -> Vec<ResolvedTarget> {
        let found = self.dotted(file, text);
        if !found.is_empty() {
            return found;
        }
        let mut spaces = self.project.namespaces(file).into_iter().collect::<Vec<_>>();
        let outer: Vec<String> = spaces.iter().flat_map(|space| outer_spaces(space)).collect();
        spaces.extend(outer.into_iter().rev());
        let mut inside = spaces.iter().map(|space| self.dotted(file, &format!("{space}.{text}")));
        inside.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Resolves an attribute of C#, which may omit the `Attribute` suffix.
    pub(super) fn attribute(&self, scope: LookupScope, it: UnresolvedUse<'_>) -> Resolution {
        let family = self.project.file(it.file).family;
        if it.role != ReferenceRole::Applies || family != LanguageFamily::CSharp {
            return Resolution::Outside;
        }
        let name = format!("{}Attribute", it.name);
        self.settle(self.lookup_type(scope, &name), it, || Resolution::Outside)
    }

    /// Finds a class by the folder that is mapped to its prefix.
    fn by_prefix(&self, all: &[&str]) -> Vec<ResolvedTarget> {
        let name = all.join("\\");
        for (folder, manifest) in self.project.manifests(ManifestKind::Composer) {
            for (prefix, target) in &manifest.pairs {
                let Some(rest) = name.strip_prefix(prefix.as_str()) else { continue };
                let path = format!("{target}/{}.php", rest.replace('\\', "/"));
                let found = relative(folder, &path).and_then(|path| self.project.by_path(&path));
                if let (Some(file), Some(class)) = (found, all.last()) {
                    let classes = self.top_level(file, class);
                    return classes.into_iter().map(ResolvedTarget::Definition).collect();
                }
            }
        }
        Vec::new()
    }

    /// Returns the package of a Go import path, in the module with the longest
    /// path that has one.
    pub(super) fn go_module(&self, text: &str) -> Option<ModuleFiles> {
        let manifests = self.project.manifests(ManifestKind::GoMod);
        let mut modules: Vec<(&str, &str, &str)> = manifests
            .filter_map(|(folder, manifest)| {
                let module = manifest.get("module")?;
                let rest = text.strip_prefix(module)?;
                (rest.is_empty() || rest.starts_with('/')).then_some((module, folder, rest))
            })
            .collect();
        modules.sort_by_key(|(module, _, _)| std::cmp::Reverse(module.len()));
        modules.into_iter().find_map(|(_, folder, rest)| {
            let mut files = self.go_package(&relative(folder, rest)?);
            files.retain(|file| !self.project.file(*file).path.ends_with("_test.go"));
            (!files.is_empty()).then_some(ModuleFiles { files, folder: None })
        })
    }

    /// Returns the Go files in a folder.
    pub(super) fn go_package(&self, folder: &str) -> Vec<CodeFileId> {
        let files = self.project.in_folder(folder).iter().copied();
        files.filter(|file| self.project.file(*file).family == LanguageFamily::Go).collect()
    }
}
