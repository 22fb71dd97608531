//! Randomness from the system.

use std::hash::{BuildHasher, RandomState};

/// Returns random bits from the operating system.
pub fn random_bits() -> u128 {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_ok() {
        return u128::from_le_bytes(bytes);
    }
    // The keys of the standard library's hasher come from other sources.
    let half = |salt: u8| u128::from(RandomState::new().hash_one(salt));
    (half(0) << 64) | half(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_calls_return_the_same_bits() {
        let drawn: std::collections::HashSet<_> = (0..100).map(|_| random_bits()).collect();
        assert_eq!(drawn.len(), 100);
    }
}
