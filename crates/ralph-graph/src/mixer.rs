//! A hash for short names and numbers.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map keyed by short names or numbers.
pub(crate) type FastHashMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A hash set of short names or numbers.
pub(crate) type FastHashSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// A hasher for short names. The standard one resists hostile keys, which costs
/// more than all other work on a name.
#[derive(Debug, Default)]
pub(crate) struct FastHasher(u64);

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_i64(&mut self, number: i64) {
        self.mix(number.cast_unsigned());
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl FastHasher {
    /// Returns the hash of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut mixer = Self::default();
        mixer.write(bytes);
        mixer.mix(bytes.len() as u64);
        mixer.finish()
    }

    fn mix(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 29);
    }
}
