//! Tables of words. They are asked many times for each pair of notes, so they
//! hash with something cheaper than what guards against hostile keys: what is
//! put into them is our own.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A table by words.
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// A set of words.
pub(super) type Words<K> = HashSet<K, BuildHasherDefault<Fnv>>;

/// The hash of Fowler, Noll and Vo, good for short keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
