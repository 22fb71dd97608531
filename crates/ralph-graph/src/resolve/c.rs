//! Includes of C and C++, and the declarations they bring.

use super::Resolver;
use crate::facts::{DefinitionKind, SymbolVisibility};
use crate::family::LanguageFamily;
use crate::project::{CodeFileId, DefRef, folder_of, name_of, relative};

impl Resolver<'_> {
    pub(super) fn included(&self, file: CodeFileId, text: &str) -> Option<CodeFileId> {
        let folder = folder_of(&self.project.file(file).path);
        let near = relative(folder, text).and_then(|path| self.project.by_path(&path));
        near.or_else(|| self.project.by_path(text)).or_else(|| self.by_suffix(file, text))
    }

    /// Returns definitions with all that declare or define the same thing: a
    /// header and a file that includes it.
    pub(crate) fn with_twins(&self, found: &[DefRef]) -> Vec<DefRef> {
        let mut all = found.to_vec();
        for at in found.iter().filter(|at| self.is_open(**at)) {
            let name = self.project.full_name(*at);
            let twins = self.project.named(self.project.name(*at)).iter().filter(|other| {
                self.is_open(**other)
                    && self.are_joined(at.file, other.file)
                    && self.project.full_name(**other) == name
            });
            all.extend(twins);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Prefers definitions to their declarations in headers.
    pub(crate) fn defined(&self, found: &[DefRef]) -> Vec<DefRef> {
        let all = self.with_twins(found);
        let is_header = |at: &DefRef| is_header(&self.project.file(at.file).path);
        let is_twin = |at: &DefRef| {
            let name = self.project.full_name(*at);
            all.iter().any(|other| !is_header(other) && self.project.full_name(*other) == name)
        };
        all.iter().copied().filter(|at| !is_header(at) || !is_twin(at)).collect()
    }

    /// Returns true if a declaration of the same name elsewhere may mean the
    /// same thing.
    fn is_open(&self, at: DefRef) -> bool {
        let kinds = [
            DefinitionKind::Function,
            DefinitionKind::Method,
            DefinitionKind::Variable,
            DefinitionKind::Constant,
        ];
        self.project.file(at.file).family == LanguageFamily::C
            && self
                .project
                .outlined(at)
                .is_some_and(|it| it.reach == SymbolVisibility::Project && kinds.contains(&it.kind))
    }

    fn are_joined(&self, a: CodeFileId, b: CodeFileId) -> bool {
        let includes = |from, to: CodeFileId| {
            is_header(&self.project.file(to).path) && self.reachable(from).contains(&to)
        };
        includes(a, b) || includes(b, a)
    }

    /// Returns the file whose path ends with this text; of several, the one
    /// that shares most folders with the asking file, or none if two tie.
    pub(super) fn by_suffix(&self, file: CodeFileId, text: &str) -> Option<CodeFileId> {
        let text = text.trim_start_matches(['.', '/']);
        let family = self.project.file(file).family;
        let end = format!("/{text}");
        let ends_so = |id: &&CodeFileId| {
            let other = self.project.file(**id);
            other.family == family && (other.path == text || other.path.ends_with(&end))
        };
        let own = &self.project.file(file).path;
        let mut found: Vec<(usize, CodeFileId)> = self
            .project
            .with_file_name(name_of(text))
            .iter()
            .filter(ends_so)
            .map(|id| (shared(own, &self.project.file(*id).path), *id))
            .collect();
        found.sort_unstable_by_key(|(shared, id)| (std::cmp::Reverse(*shared), *id));
        match found.as_slice() {
            [] => None,
            [(_, only)] => Some(*only),
            [(most, first), (next, _), ..] => (most > next).then_some(*first),
        }
    }
}

/// Returns the number of folders that two paths have in common.
fn shared(a: &str, b: &str) -> usize {
    folder_of(a).split('/').zip(folder_of(b).split('/')).take_while(|(a, b)| a == b).count()
}

fn is_header(path: &str) -> bool {
    let ending = name_of(path).rsplit('.').next().unwrap_or_default();
    ending.starts_with('h') || matches!(ending, "inl" | "ipp" | "tpp")
}
