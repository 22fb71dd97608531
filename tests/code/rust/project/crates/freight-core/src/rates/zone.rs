use super::{Flat, median};

/// Where a parcel goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Zone {
    Home = 1,
    Near,
    Far = 5,
}

use Zone::*;

impl Zone {
    pub const fn all() -> &'static [Zone; 3] {
        &[Home, Near, Far]
    }

    pub fn factor(self) -> u64 {
        match self {
            Home => 1,
            Zone::Near => 2,
            Self::Far => 5,
        }
    }

    /// How many borders lie between.
    pub fn hops(self, other: Zone) -> u32 {
        match (self, other) {
            (Far, Home) => 1 + Near.hops(other),
            (a, b) if a == b => 0,
            _ => 1,
        }
    }
}

impl From<Zone> for Flat {
    fn from(zone: Zone) -> Self {
        Flat { cents: 300 * zone.factor() }
    }
}

impl TryFrom<&str> for Zone {
    type Error = String;

    fn try_from(code: &str) -> Result<Self, String> {
        match code {
            "home" => Ok(Home),
            "near" => Ok(Near),
            "far" => Ok(Far),
            other => Err(format!("no zone {other}")),
        }
    }
}

/// A price in the middle of all zones.
pub fn middle() -> u64 {
    let prices = Zone::all().iter().map(|zone| Flat::from(*zone).cents);
    median(prices.collect()).unwrap_or_default()
}
