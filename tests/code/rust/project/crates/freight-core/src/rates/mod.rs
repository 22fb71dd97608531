//! How prices are made.

pub mod zone;

use self::zone::Zone;
use super::parcel::Parcel;
use crate::parcel::Weight as Mass;

pub trait Named {
    type Name: AsRef<str>;

    fn name(&self) -> Self::Name;
}

/// A way to make a price.
pub trait Rate: Named {
    const MINIMUM: u64 = 100;

    fn base(&self, mass: Mass) -> u64;

    fn price(&self, parcel: &Parcel, zone: Zone) -> u64 {
        let base = self.base(parcel.weight());
        (base * zone.factor()).max(Self::MINIMUM)
    }
}

#[derive(Debug, Clone)]
pub struct Flat {
    pub cents: u64,
}

impl Named for Flat {
    type Name = &'static str;

    fn name(&self) -> &'static str {
        "flat"
    }
}

impl Rate for Flat {
    fn base(&self, _: Mass) -> u64 {
        self.cents
    }
}

/// So much up to a weight, and more from there.
#[derive(Debug, Clone, Default)]
pub struct Stepped {
    steps: Vec<Step>,
    beyond: u64,
}

#[derive(Debug, Clone)]
struct Step {
    upto: Mass,
    cents: u64,
}

impl Stepped {
    pub fn new(beyond: u64) -> Self {
        Stepped { beyond, ..Default::default() }
    }

    pub fn step(mut self, upto: Mass, cents: u64) -> Self {
        self.steps.push(Step { upto, cents });
        self.steps.sort_by_key(|step| step.upto);
        self
    }

    fn first_above(&self, mass: Mass) -> Option<&Step> {
        self.steps.iter().find(|step| step.upto >= mass)
    }
}

impl Named for Stepped {
    type Name = String;

    fn name(&self) -> String {
        format!("{} steps", self.steps.len())
    }
}

impl Rate for Stepped {
    const MINIMUM: u64 = 250;

    fn base(&self, mass: Mass) -> u64 {
        match self.first_above(mass) {
            Some(found) => found.cents,
            None => self.beyond,
        }
    }
}

impl<R: Rate + ?Sized> Named for Box<R> {
    type Name = R::Name;

    fn name(&self) -> R::Name {
        (**self).name()
    }
}

/// The cheaper of two.
pub fn cheaper<'a, A, B>(a: &'a A, b: &'a B, parcel: &Parcel, zone: Zone) -> (String, u64)
where
    A: Rate,
    B: Rate,
{
    let (one, two) = (a.price(parcel, zone), b.price(parcel, zone));
    if one <= two {
        (a.name().as_ref().to_owned(), one)
    } else {
        (b.name().as_ref().to_owned(), two)
    }
}

/// The names of all rates there are.
pub fn names(flat: &[Flat], stepped: &[Stepped]) -> Vec<String> {
    let plain = flat.iter().map(|rate| rate.name().to_owned());
    plain.chain(stepped.iter().map(|rate| rate.name())).collect()
}

pub fn median(mut prices: Vec<u64>) -> Option<u64> {
    prices.sort_unstable();
    prices.get(prices.len() / 2).copied()
}
