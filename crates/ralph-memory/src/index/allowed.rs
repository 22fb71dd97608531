//! Which documents of a partition may be found.

use super::PARTITION;

/// Which documents of a partition may be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Every one.
    All,
    /// Those whose bit is set.
    Only(Vec<u64>),
}

impl Allowed {
    /// None but those in a set of bits, whose end may be missing.
    pub(crate) fn only(bytes: &[u8]) -> Self {
        let mut words = words(bytes);
        words.resize(usize::try_from(PARTITION / 64).unwrap_or(0), 0);
        Self::Only(words)
    }

    /// Leaves out the documents in a set of bits.
    pub(crate) fn without(&mut self, bytes: &[u8]) {
        if *self == Self::All {
            *self = Self::only(&vec![0xFF; usize::try_from(PARTITION / 8).unwrap_or(0)]);
        }
        if let Self::Only(mine) = self {
            mine.iter_mut().zip(words(bytes)).for_each(|(mine, other)| *mine &= !other);
        }
    }

    /// Keeps only those that the other allows too.
    pub(crate) fn and(&mut self, other: &Self) {
        match (&mut *self, other) {
            (_, Self::All) => {}
            (Self::All, Self::Only(_)) => *self = other.clone(),
            (Self::Only(mine), Self::Only(other)) => {
                mine.iter_mut().zip(other).for_each(|(mine, other)| *mine &= other);
            }
        }
    }

    /// Whether the document with this number in its partition is allowed.
    pub(crate) fn has(&self, local: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(words) => {
                let word = usize::try_from(local / 64).ok().and_then(|at| words.get(at));
                word.is_some_and(|word| word >> (local % 64) & 1 == 1)
            }
        }
    }

    /// Whether any document from `low` to before `high` is allowed; both are
    /// multiples of 64.
    pub(crate) fn has_any(&self, low: u32, high: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(words) => {
                let end = usize::try_from(high / 64).unwrap_or(0).min(words.len());
                let start = usize::try_from(low / 64).unwrap_or(0).min(end);
                words[start..end].iter().any(|word| *word != 0)
            }
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_combined() {
        let mut allowed = Allowed::All;
        assert!(allowed.has(PARTITION - 1) && allowed.has_any(0, 64));
        allowed.without(&[0b0000_0010]);
        assert!(allowed.has(0) && !allowed.has(1) && allowed.has(PARTITION - 1));
        allowed.and(&Allowed::only(&[0b0000_0111]));
        assert_eq!(
            (0..4).map(|local| allowed.has(local)).collect::<Vec<_>>(),
            [true, false, true, false]
        );
        assert!(allowed.has_any(0, 64) && !allowed.has_any(64, PARTITION));
        let mut all = Allowed::All;
        all.and(&allowed);
        assert_eq!(all, allowed);
    }
}
