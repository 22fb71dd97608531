//! Filters whose names were looked up.

use rusqlite::Connection;

use super::{RetiredEntries, SearchFilters};
use crate::error::StorageFault;
use crate::store::index;
use crate::store::places::SearchDocument;

/// Filters whose names were looked up; `None` lets everything through.
pub(super) struct ResolvedFilters {
    kinds: Option<Vec<u32>>,
    scopes: Option<Vec<u32>>,
    group: Option<Vec<u32>>,
    retired: RetiredEntries,
}

impl ResolvedFilters {
    pub(super) fn new(
        connection: &Connection,
        filters: &SearchFilters,
    ) -> Result<Self, StorageFault> {
        let any_of = |names: &[String]| -> Result<Option<Vec<u32>>, StorageFault> {
            if names.is_empty() {
                return Ok(None);
            }
            let numbers = names.iter().map(|name| index::number(connection, name));
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
            Ok(Some(numbers.collect()))
        };
        Ok(Self {
            kinds: any_of(&filters.kinds)?,
            scopes: any_of(&filters.scopes)?,
            group: any_of(filters.group.as_slice())?,
            retired: filters.retired,
        })
    }

    /// Whether a document may be found.
    pub(super) fn allows(&self, place: &SearchDocument) -> bool {
        let is_one = |any_of: &Option<Vec<u32>>, number| {
            any_of.as_ref().is_none_or(|numbers| numbers.contains(&number))
        };
        is_one(&self.kinds, place.kind)
            && is_one(&self.scopes, place.scope)
            && is_one(&self.group, place.group)
            && (self.retired == RetiredEntries::Shown || !place.is_retired)
    }
}
