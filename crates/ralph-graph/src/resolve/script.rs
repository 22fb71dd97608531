//! Modules of TypeScript and JavaScript.

use super::Resolver;
use crate::manifest::ManifestKind;
use crate::project::{CodeFileId, folder_of, relative};
use crate::script_config::matched;

/// File extensions in the order in which they are tried.
const ENDINGS: [&str; 9] = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"];

/// File extensions in imports, with those that the sources have.
const COMPILED: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts"]),
    (".cjs", &[".cts"]),
];

impl Resolver<'_> {
    pub(super) fn script_module(&self, file: CodeFileId, text: &str) -> Option<CodeFileId> {
        let path = &self.project.file(file).path;
        let folder = folder_of(path);
        if text.starts_with('.') {
            return self.script_file(&relative(folder, text)?);
        }
        if let Some(rooted) = text.strip_prefix('/') {
            return self.script_file(rooted);
        }
        if text.is_empty() {
            return Some(file);
        }
        if text.starts_with('#') {
            return self.by_own_package(folder, text);
        }
        self.by_config(folder, text).or_else(|| self.by_package(text))
    }

    /// Returns the file of a path without extension.
    fn script_file(&self, path: &str) -> Option<CodeFileId> {
        let exact = self.project.by_path(path);
        let with = |end: &str| self.project.by_path(&format!("{path}{end}"));
        let compiled = || {
            COMPILED.iter().find_map(|(written, sources)| {
                let stem = path.strip_suffix(written)?;
                sources.iter().find_map(|end| self.project.by_path(&format!("{stem}{end}")))
            })
        };
        let index = || {
            let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
            ENDINGS.iter().find_map(|end| self.project.by_path(&format!("{folder}index{end}")))
        };
        exact.or_else(|| ENDINGS.iter().find_map(|end| with(end))).or_else(compiled).or_else(index)
    }

    /// Finds a file by patterns and base folders of the nearest configuration.
    fn by_config(&self, folder: &str, text: &str) -> Option<CodeFileId> {
        let configs = self.project.script_configs().of_folder(folder);
        configs.flat_map(|config| config.places(text)).find_map(|path| self.script_file(&path))
    }

    /// Finds a file by the internal imports of the nearest package.
    fn by_own_package(&self, folder: &str, text: &str) -> Option<CodeFileId> {
        let mut packages = self.project.manifests(ManifestKind::Package);
        let (place, own) = packages.find(|(place, _)| is_above(place, folder))?;
        own.pairs.iter().find_map(|(pattern, target)| {
            let rest = matched(pattern, text).filter(|_| pattern.starts_with('#'))?;
            self.script_file(&relative(place, &target.replacen('*', rest, 1))?)
        })
    }

    /// Finds a file in another package of the project.
    fn by_package(&self, text: &str) -> Option<CodeFileId> {
        let packages = self.project.manifests(ManifestKind::Package);
        for (folder, manifest) in packages {
            let Some(name) = manifest.get("name") else { continue };
            let Some(rest) = text.strip_prefix(name) else { continue };
            if let Some(inside) = rest.strip_prefix('/') {
                let places = [inside.to_owned(), format!("src/{inside}")];
                return places.iter().find_map(|at| self.script_file(&relative(folder, at)?));
            }
            if rest.is_empty() {
                let mains = manifest.pairs.iter().filter(|(key, _)| key == "main");
                let mains = mains.map(|(_, path)| path.as_str());
                // Build output is rarely there, but its source is.
                let mut places = ["src/index", "index", "src/main"].into_iter().chain(mains);
                return places.find_map(|at| self.script_file(&relative(folder, at)?));
            }
        }
        None
    }
}

fn is_above(place: &str, folder: &str) -> bool {
    place.is_empty() || folder == place || folder.starts_with(&format!("{place}/"))
}
