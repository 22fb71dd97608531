//! Files that Ruby requires.

use super::Resolver;
use crate::project::{CodeFileId, folder_of, relative};

impl Resolver<'_> {
    pub(super) fn ruby_file(&self, file: CodeFileId, text: &str) -> Option<CodeFileId> {
        let name = format!("{}.rb", text.strip_suffix(".rb").unwrap_or(text));
        let folder = folder_of(&self.project.file(file).path);
        let near = relative(folder, &name).and_then(|path| self.project.by_path(&path));
        let roots = || {
            let mut roots = ["lib", "", "app"].iter();
            roots.find_map(|root| self.project.by_path(&relative(root, &name)?))
        };
        near.or_else(roots).or_else(|| self.by_suffix(file, &name))
    }
}
