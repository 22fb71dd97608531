//! What it costs to send a parcel.

#[macro_use]
mod macros;
pub mod parcel;
pub mod rates;

use std::collections::HashMap;
use std::fmt;

pub use parcel::{Parcel, Weight};
pub use rates::{Rate, zone::Zone as Region};

/// What most callers want.
pub mod prelude {
    pub use crate::rates::{Rate, Stepped};
    pub use crate::{Desk, Parcel, Region};

    /// A parcel of some grams, without a name.
    pub fn plain(grams: u32) -> Parcel {
        Parcel::new("", super::Weight(grams))
    }
}

pub const CURRENCY: &str = "EUR";
static QUOTES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

pub type Quotes = HashMap<Region, u64>;
pub type Result<T, E = Refusal> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    TooHeavy { limit: Weight, given: Weight },
    NoService(Region),
    Closed,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::TooHeavy { limit, .. } => write!(f, "over {}", limit.0),
            Self::NoService(zone) => write!(f, "no service to {zone:?}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}

impl std::error::Error for Refusal {}

/// A counter that quotes prices by some rate.
pub struct Desk<R> {
    rate: R,
    open: bool,
    served: Vec<Region>,
}

impl<R: Rate> Desk<R> {
    const LIMIT: Weight = grams!(31 kg);

    pub fn new(rate: R) -> Self {
        Self { rate, open: true, served: Region::all().to_vec() }
    }

    pub fn close(mut self) -> Self {
        self.open = false;
        self
    }

    pub fn quote(&self, parcel: &Parcel, zone: Region) -> Result<u64> {
        self.admit(parcel, zone)?;
        QUOTES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(self.rate.price(parcel, zone))
    }

    pub fn quote_all(&self, parcel: &Parcel) -> Quotes {
        let price = |zone: Region| self.quote(parcel, zone).ok().map(|cents| (zone, cents));
        self.served.iter().copied().filter_map(price).collect()
    }

    fn admit(&self, parcel: &Parcel, zone: Region) -> Result<()> {
        if !self.open {
            return Err(Refusal::Closed);
        }
        if parcel.weight() > Self::LIMIT {
            return Err(Refusal::TooHeavy { limit: Self::LIMIT, given: parcel.weight() });
        }
        if !self.served.contains(&zone) {
            return Err(Refusal::NoService(zone));
        }
        Ok(())
    }
}

pub fn quoted() -> u64 {
    QUOTES.load(std::sync::atomic::Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rates::Flat;

    fn desk() -> Desk<Flat> {
        Desk::new(Flat { cents: 500 })
    }

    #[test]
    fn a_closed_desk_refuses() {
        let closed = desk().close();
        let parcel = prelude::plain(200);
        assert_eq!(closed.quote(&parcel, Region::Home), Err(Refusal::Closed));
    }

    #[test]
    fn heavy_parcels_are_refused() {
        let parcel = Parcel::new("anvil", grams!(40 kg));
        assert!(desk().quote_all(&parcel).is_empty());
    }
}
