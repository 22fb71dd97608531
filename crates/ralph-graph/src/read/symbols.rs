//! The names in a file while it is read.
//!
//! Most names in a file are local variables, which are dropped in the end. So
//! names are numbered without copying them, and only those that are kept become
//! part of the facts.

use std::collections::HashMap;

use crate::mixer::FastHashMap;

/// The number of a name while its file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct InternedName(pub(crate) u32);

/// Numbers of names.
#[derive(Debug, Default)]
pub(crate) struct SourceInterner<'s> {
    numbers: FastHashMap<&'s [u8], InternedName>,
    texts: Vec<&'s [u8]>,
    /// Names that are not in the file verbatim, such as paths with spaces.
    made: HashMap<Box<[u8]>, InternedName>,
    made_texts: Vec<Box<[u8]>>,
}

/// The first number of composed names.
const MADE: u32 = 1 << 31;

impl<'s> SourceInterner<'s> {
    /// Returns the number of a name that is a part of the file.
    pub(crate) fn intern(&mut self, text: &'s [u8]) -> InternedName {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let symbol = InternedName(u32::try_from(self.texts.len()).unwrap_or(MADE - 1));
        self.texts.push(text);
        self.numbers.insert(text, symbol);
        symbol
    }

    /// Returns the number of a composed name.
    pub(crate) fn make(&mut self, text: &[u8]) -> InternedName {
        if let Some(known) = self.numbers.get(text).or_else(|| self.made.get(text)) {
            return *known;
        }
        let place = u32::try_from(self.made_texts.len()).unwrap_or(u32::MAX - MADE);
        let symbol = InternedName(MADE + place);
        self.made_texts.push(text.into());
        self.made.insert(text.into(), symbol);
        symbol
    }

    /// Returns the text of a name.
    pub(crate) fn text(&self, symbol: InternedName) -> &[u8] {
        match symbol.0.checked_sub(MADE) {
            Some(place) => self.made_texts.get(place as usize).map_or(b"", |text| text),
            None => self.texts.get(symbol.0 as usize).map_or(b"", |text| text),
        }
    }

    /// Returns how many names of the file have a number.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

impl InternedName {
    /// Returns the index among the names of the file; `None` for a composed
    /// name.
    pub(crate) fn place(self) -> Option<usize> {
        (self.0 < MADE).then_some(self.0 as usize)
    }
}
