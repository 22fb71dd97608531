//! The shortest way.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Road {
    pub from: String,
    pub to: String,
    pub length: u32,
}

/// The length of the shortest way; roads lead both ways.
pub fn shortest(roads: &[Road], from: &str, to: &str) -> Option<u32> {
    let mut best = BTreeMap::from([(from, 0)]);
    let mut open = BTreeSet::from([(0, from)]);
    while let Some((length, town)) = open.pop_first() {
        if town == to {
            return Some(length);
        }
        for road in roads {
            let next = match town {
                town if town == road.from => road.to.as_str(),
                town if town == road.to => road.from.as_str(),
                _ => continue,
            };
            let total = length + road.length;
            if best.get(next).is_none_or(|known| total < *known) {
                best.insert(next, total);
                open.insert((total, next));
            }
        }
    }
    None
}
