//! The list of tool servers in a file.

use jsonc_parser::ast::Value as JsonNode;
use serde_json::{Map, Value};

use super::NAME;
use crate::json_text::{JsonContainer, JsonSyntax, JsonText, JsonTextError};

/// The treatment of a list without entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmptyListRule {
    /// Remove it: it existed only for our entry.
    Goes,
    /// Keep it: it existed before.
    Stays,
}

/// The file with its list.
pub(super) struct ServerListText<'a> {
    file: JsonText<'a>,
    name: &'static str,
}

impl<'a> ServerListText<'a> {
    pub(super) fn read(
        text: &'a str,
        name: &'static str,
        syntax: JsonSyntax,
    ) -> Result<Self, JsonTextError> {
        let list = Self { file: JsonText::parse(text, syntax)?, name };
        match list.file.root().member(name) {
            Some(value) if value.as_object().is_none() => {
                Err(list.file.misshapen(name, value, "an object"))
            }
            Some(_) | None => Ok(list),
        }
    }

    fn entries(&self) -> Option<JsonContainer<'_>> {
        JsonContainer::object(self.file.root().member(self.name)?)
    }

    fn node(&self) -> Option<&JsonNode<'_>> {
        self.entries()?.member(NAME)
    }

    /// Returns our entry.
    pub(super) fn entry(&self) -> Option<Value> {
        self.node().map(|node| node.clone().into())
    }

    /// Returns true if the file has an empty list.
    pub(super) fn is_there_and_empty(&self) -> bool {
        self.entries().is_some_and(|list| list.items.is_empty())
    }

    /// Returns the text with our entry before the others.
    pub(super) fn added(&self, entry: &Value) -> String {
        if let Some(list) = self.entries() {
            return self.file.with_first(&list, NAME, entry);
        }
        let list: Map<String, Value> = [(NAME.to_owned(), entry.clone())].into_iter().collect();
        self.file.with_first(&self.file.root(), self.name, &list)
    }

    /// Returns the text with our entry replaced.
    pub(super) fn replaced(&self, entry: &Value) -> String {
        match self.node() {
            Some(node) => self.file.with_value(node, entry),
            None => self.added(entry),
        }
    }

    /// Returns the text without our entry.
    pub(super) fn removed(&self, emptied: EmptyListRule) -> String {
        let whole = self.file.root();
        let Some(list) = self.entries() else { return self.file.with(Vec::new()) };
        let is_last = list.items.len() == 1 && emptied == EmptyListRule::Goes;
        let (container, name) = if is_last { (&whole, self.name) } else { (&list, NAME) };
        let index = container.items.iter().rposition(|item| item.name() == Some(name));
        index.map_or_else(|| self.file.with(Vec::new()), |at| self.file.without(container, at))
    }
}
