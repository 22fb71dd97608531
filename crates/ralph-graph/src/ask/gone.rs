//! Deleted files, as seen by the files that still need them.
//!
//! The meaning of an import depends on which files exist. So a deleted file is
//! put back without its contents: then imports lead to it again.

use std::collections::BTreeSet;
use std::path::Path;

use super::name::plain_path;
use crate::code::KnownCode;
use crate::content::family;
use crate::facts::ImportedNames;
use crate::family::LanguageFamily;
use crate::language::SourceLanguage;
use crate::outline::{self, EncodedOutline};
use crate::project::{CodeFile, CodeFileId, CodeProject, folder_of, name_of};
use crate::read::SourceReader;

impl KnownCode<'_> {
    /// Returns those names that are paths of code files that no longer exist.
    pub(super) fn gone(&self, names: &[String]) -> BTreeSet<String> {
        let is_gone = |path: &&str| {
            let is_known = self.project.by_path(path).is_some();
            !is_known && self.root.join(path).symlink_metadata().is_err()
        };
        let paths = names.iter().map(|name| plain_path(name));
        let code = paths.filter(|path| SourceLanguage::of(Path::new(path), &[]).is_some());
        code.filter(is_gone).map(str::to_owned).collect()
    }

    /// Returns the same code with deleted files put back.
    pub(super) fn with_gone(&self, paths: &BTreeSet<String>) -> Self {
        let mut reader = SourceReader::new();
        let mut files = Vec::new();
        for path in paths {
            let Some(language) = SourceLanguage::of(Path::new(path), &[]) else { continue };
            let family = family(language);
            let text = supposed(&self.project, family, path);
            let Ok(facts) = reader.read(language, text.as_bytes()) else { continue };
            let folded = EncodedOutline::new(&outline::encode(family, &facts));
            // Nothing is stored for it, under any key.
            files.push(CodeFile { path: path.clone(), family, folded, key: 0 });
        }
        self.with_project(self.project.with(files))
    }
}

/// Returns the text that a file must have had, as far as its path tells. If a
/// file declares its own module name, this cannot recover it.
fn supposed(project: &CodeProject, family: LanguageFamily, path: &str) -> String {
    let name = name_of(path).split('.').next().unwrap_or_default();
    let namespace = || namespace_of(project, family, path).filter(|space| !space.is_empty());
    let line = |keyword: &str, space: String| format!("{keyword} {space};\n");
    match family {
        LanguageFamily::Java => {
            let package = namespace().map(|space| line("package", space)).unwrap_or_default();
            format!("{package}public class {name} {{}}\n")
        }
        LanguageFamily::CSharp => {
            let space = namespace().map(|space| line("namespace", space)).unwrap_or_default();
            format!("{space}public class {name} {{}}\n")
        }
        LanguageFamily::Php => {
            let space = namespace().map(|space| line("namespace", space.replace('.', "\\")));
            format!("<?php\n{}class {name} {{}}\n", space.unwrap_or_default())
        }
        LanguageFamily::Python
        | LanguageFamily::Rust
        | LanguageFamily::Script
        | LanguageFamily::Go
        | LanguageFamily::Ruby
        | LanguageFamily::C
        | LanguageFamily::Shell => String::new(),
    }
}

/// Returns the namespace of a file: one from an import that the path ends with,
/// else that of the files beside it.
fn namespace_of(project: &CodeProject, family: LanguageFamily, path: &str) -> Option<String> {
    let of_family = |file: &CodeFileId| project.file(*file).family == family;
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    for file in project.ids().filter(of_family) {
        for import in &project.file(file).outline().imports {
            let ImportedNames::Name { name, .. } = import.imported else { continue };
            let (space, name) = (project.text(file, import.module), project.text(file, name));
            let space = space.trim_matches('\\').replace('\\', ".");
            let written = format!("/{}/{name}", space.replace('.', "/"));
            if format!("/{stem}").ends_with(&written) {
                return Some(space);
            }
        }
    }
    let mut beside = project.in_folder(folder_of(path)).iter().copied().filter(of_family);
    beside.find_map(|file| project.namespaces(file).into_iter().next())
}
