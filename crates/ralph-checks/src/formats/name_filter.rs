//! A set of names that takes the same memory however many it holds.

use std::hash::{BuildHasher, RandomState};

/// Number of bits, a power of two: 2 MiB. Of a million names one of 400 is
/// taken for another.
const BITS: u64 = 1 << 24;

/// Number of bits that stand for a name.
const MARKS: u64 = 4;

/// Remembers names by a few bits for each: a Bloom filter.
#[derive(Debug, Default)]
pub(super) struct NameFilter {
    bits: Vec<u64>,
    state: RandomState,
}

impl NameFilter {
    /// Remembers a name. Returns true if it certainly was not there before.
    pub(super) fn insert(&mut self, name: &str) -> bool {
        if self.bits.is_empty() {
            self.bits = vec![0; usize::try_from(BITS / 64).unwrap_or_default()];
        }
        let hash = self.state.hash_one(name);
        let step = (hash >> 32) | 1;
        let mut is_new = false;
        for number in 0..MARKS {
            let bit = hash.wrapping_add(number.wrapping_mul(step)) % BITS;
            let Some(word) = usize::try_from(bit / 64).ok().and_then(|at| self.bits.get_mut(at))
            else {
                continue;
            };
            let mark = 1 << (bit % 64);
            is_new |= *word & mark == 0;
            *word |= mark;
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardly_any_of_a_million_names_is_taken_for_another() {
        let mut names = NameFilter::default();
        let taken = (0..1_000_000).filter(|number| !names.insert(&format!("test {number}")));
        let taken = taken.count();
        assert!(taken < 5_000, "{taken}");
        assert!((0..1_000_000).step_by(997).all(|number| !names.insert(&format!("test {number}"))));
    }
}
