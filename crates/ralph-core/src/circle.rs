//! A return to files as they were before, shown by its iterations.

use std::ops::RangeInclusive;

/// A return: an iteration that left the files exactly as an earlier one did, with
/// different files in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The earlier iteration; 0 is the start of the run.
    pub from: u32,
    /// The iteration that returned.
    pub to: u32,
}

/// Number of iterations shown at each end of a long circle.
const NAMED: u32 = 3;

impl Circle {
    /// Renders the iterations, as in `3 → 4 → 5`; `start` is the word for iteration 0.
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
