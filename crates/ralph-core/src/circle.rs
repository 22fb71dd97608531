//! A return to files as they were before, named with its iterations.

use std::ops::RangeInclusive;

/// An iteration that left the files as an earlier one had left them, after
/// they had been different in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The earlier iteration; 0 stands for the start.
    pub from: u32,
    /// The iteration that returned.
    pub to: u32,
}

/// How many iterations of a circle are named at each of its ends.
const NAMED: u32 = 3;

impl Circle {
    /// The way round, as in `3 → 4 → 5`; `start` is the word for iteration 0.
    pub fn way(self, start: &str) -> String {
        let name = |number: u32| if number == 0 { start.to_owned() } else { number.to_string() };
        let names = |numbers: RangeInclusive<u32>| numbers.map(name).collect::<Vec<_>>();
        let Self { from, to } = self;
        let parts = if to.saturating_sub(from) < 2 * NAMED {
            names(from..=to)
        } else {
            let mut parts = names(from..=from.saturating_add(NAMED - 1));
            parts.push("…".to_owned());
            parts.extend(names(to - (NAMED - 1)..=to));
            parts
        };
        parts.join(" → ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_round_is_named_and_never_long() {
        for (from, to, want) in [
            (3, 5, "3 → 4 → 5"),
            (0, 2, "start → 1 → 2"),
            (1, 6, "1 → 2 → 3 → 4 → 5 → 6"),
            (1, 7, "1 → 2 → 3 → … → 5 → 6 → 7"),
            (0, u32::MAX, "start → 1 → 2 → … → 4294967293 → 4294967294 → 4294967295"),
        ] {
            assert_eq!(Circle { from, to }.way("start"), want);
        }
    }
}
