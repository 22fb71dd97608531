//! Random choices that can be repeated.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// A small random number generator (`SplitMix64`): the same seed makes the same choices.
pub(crate) struct SplitMixRng(u64);

/// Returns a random seed.
pub(crate) fn new_seed() -> u64 {
    // The standard library's hasher keys are random per process.
    RandomState::new().hash_one(0) % 1_000_000
}

impl SplitMixRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `limit`, which must not be zero.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns a moment within `span`, to the microsecond.
    pub(crate) fn moment_in(&mut self, span: Duration) -> Duration {
        let micros = u64::try_from(span.as_micros()).unwrap_or(u64::MAX).max(1);
        Duration::from_micros(self.below(micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_choices_and_another_does_not() {
        let throw = |seed| {
            let mut dice = SplitMixRng::new(seed);
            (0..20).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(throw(1), throw(1));
        assert_ne!(throw(1), throw(2));
    }

    #[test]
    fn moments_lie_within_their_span() {
        let mut dice = SplitMixRng::new(3);
        let span = Duration::from_millis(5);
        let moments: Vec<Duration> = (0..1000).map(|_| dice.moment_in(span)).collect();
        assert!(moments.iter().all(|moment| *moment < span));
        assert!(moments.iter().any(|moment| *moment > span / 2));
        assert_eq!(dice.moment_in(Duration::ZERO), Duration::ZERO);
    }
}
