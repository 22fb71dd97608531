//! Namespaces and types that may be written in several parts.
//!
//! A namespace of a library may have a thousand parts, so its members are found
//! by name, never by searching the parts.

use std::collections::HashMap;

use crate::facts::DefinitionId;
use crate::family::LanguageFamily;
use crate::mixer::FastHashMap;
use crate::outline::NameKey;
use crate::project::{CodeFileId, CodeProject, DefRef};

/// The number of a namespace or type with parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SpaceId(u32);

/// All namespaces and types that may be written in several parts.
#[derive(Debug, Default)]
pub(crate) struct NamespaceIndex {
    by_name: HashMap<(LanguageFamily, String), SpaceId>,
    by_part: FastHashMap<(u32, u32), SpaceId>,
    parts: Vec<Vec<DefRef>>,
    /// Members by the keys of their names.
    members: FastHashMap<(u32, u64), Vec<DefRef>>,
}

impl NamespaceIndex {
    pub(crate) fn new(project: &CodeProject) -> Self {
        let mut spaces = Self::default();
        for file in project.ids() {
            let family = project.file(file).family;
            for (at, definition) in project.definitions(file) {
                if family.can_reopen(definition.kind) {
                    spaces.add_part(family, project.namespace_name(at), at);
                }
                if definition.owner.is_none()
                    && let Some(space) = definition.container.and_then(|id| spaces.at(file, id))
                {
                    let name = NameKey::of(project.text(file, definition.name));
                    spaces.members.entry((space.0, name.0)).or_default().push(at);
                }
            }
        }
        spaces
    }

    fn add_part(&mut self, family: LanguageFamily, name: String, at: DefRef) {
        let next = SpaceId(u32::try_from(self.parts.len()).unwrap_or(u32::MAX));
        let space = *self.by_name.entry((family, name)).or_insert(next);
        if space == next {
            self.parts.push(Vec::new());
        }
        if let Some(parts) = self.parts.get_mut(space.0 as usize) {
            parts.push(at);
        }
        self.by_part.insert((at.file.0, at.id.0), space);
    }

    fn at(&self, file: CodeFileId, id: DefinitionId) -> Option<SpaceId> {
        self.by_part.get(&(file.0, id.0)).copied()
    }

    /// Returns the namespace or type that a definition is a part of.
    pub(crate) fn of(&self, part: DefRef) -> Option<SpaceId> {
        self.at(part.file, part.id)
    }

    /// Finds one by its full name with dots.
    pub(crate) fn named(&self, family: LanguageFamily, name: &str) -> Option<SpaceId> {
        self.by_name.get(&(family, name.to_owned())).copied()
    }

    /// Returns its parts, in their order.
    pub(crate) fn parts(&self, space: SpaceId) -> &[DefRef] {
        self.parts.get(space.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the members of all parts with a name, in order.
    pub(crate) fn members(
        &self,
        project: &CodeProject,
        space: SpaceId,
        name: &str,
    ) -> impl Iterator<Item = DefRef> {
        let key = (space.0, NameKey::of(name).0);
        let keyed = self.members.get(&key).map_or(&[][..], Vec::as_slice);
        // Other names may have the same key.
        keyed.iter().copied().filter(move |member| project.name(*member) == name)
    }
}
