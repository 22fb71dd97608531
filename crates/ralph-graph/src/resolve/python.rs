//! Modules of Python: relative ones, packages, and the folders they are in.

use super::{ModuleFiles, Resolver};
use crate::project::{CodeFileId, folder_of, relative};
use crate::update::join;

impl Resolver<'_> {
    pub(super) fn python_module(&self, file: CodeFileId, text: &str) -> Option<ModuleFiles> {
        let folder = folder_of(&self.project.file(file).path);
        let name = text.trim_start_matches('.');
        let dots = text.len() - name.len();
        let path = name.replace('.', "/");
        if dots > 0 {
            let up = "../".repeat(dots - 1);
            return self.python_path(&relative(folder, &format!("{up}{path}"))?);
        }
        let roots = self.project.python_roots();
        // The package that contains the file comes first, then a script's own
        // folder.
        let is_around = |root: &&String| {
            root.is_empty() || folder == root.as_str() || folder.starts_with(&format!("{root}/"))
        };
        let around = roots.iter().filter(is_around).rev().map(String::as_str);
        let others = roots.iter().filter(|root| !is_around(root)).map(String::as_str);
        // A file in a package is not a script, and sees no module of it by a
        // bare name.
        let is_script = self.project.by_path(&join(folder, "__init__.py")).is_none();
        let own = is_script.then_some(folder);
        let candidates = around.chain(own).chain(others);
        let mut loose = None;
        for root in candidates {
            let Some(place) = relative(root, &path) else { continue };
            match self.python_path(&place) {
                Some(module) if !module.files.is_empty() => return Some(module),
                Some(module) => loose = loose.or(Some(module)),
                None => {}
            }
        }
        loose
    }

    /// Returns the module at a path without file extension.
    fn python_path(&self, path: &str) -> Option<ModuleFiles> {
        let of = |end: &str| self.project.by_path(&format!("{path}{end}"));
        if path.is_empty() {
            let files = self.project.by_path("__init__.py").into_iter().collect();
            return Some(ModuleFiles { files, folder: Some(String::new()) });
        }
        if let Some(file) = of("/__init__.py").or_else(|| of("/__init__.pyi")) {
            return Some(ModuleFiles { files: vec![file], folder: Some(path.to_owned()) });
        }
        if let Some(file) = of(".py").or_else(|| of(".pyi")) {
            return Some(ModuleFiles::of_file(file));
        }
        let folder = self.project.has_folder(path).then(|| path.to_owned())?;
        Some(ModuleFiles { files: Vec::new(), folder: Some(folder) })
    }

    /// Returns a module in the folder of a package.
    pub(super) fn python_at(&self, folder: &str, name: &str) -> Option<ModuleFiles> {
        self.python_path(&relative(folder, name)?)
    }
}
