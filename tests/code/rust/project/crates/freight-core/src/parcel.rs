//! Parcels and how they are measured.

use std::ops::{Add, Deref};
use std::str::FromStr;

use crate::Refusal;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(pub u32);

impl Add for Weight {
    type Output = Weight;

    fn add(self, other: Self) -> Self::Output {
        Weight(self.0 + other.0)
    }
}

impl FromStr for Weight {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        fn kilograms(text: &str) -> Option<u32> {
            text.strip_suffix("kg")?.trim().parse().ok()
        }

        match kilograms(text) {
            Some(n) => Ok(grams!(n * 1000)),
            None => text.trim_end_matches('g').parse().map(Weight),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Size {
    pub length: u32,
    pub width: u32,
    pub height: u32,
}

impl Size {
    pub const LETTER: Size = Size { length: 240, width: 165, height: 5 };

    /// What a parcel of this size is taken to weigh at least.
    pub const fn volume(&self) -> u32 {
        self.length * self.width * self.height / 5_000
    }

    pub fn fits(&self, other: &Size) -> bool {
        other.length <= self.length && other.width <= self.width && other.height <= self.height
    }
}

#[derive(Debug, Clone)]
pub struct Parcel {
    name: String,
    weight: Weight,
    pub size: Option<Size>,
}

impl Parcel {
    pub fn new(name: impl Into<String>, weight: Weight) -> Self {
        Parcel { name: name.into(), weight, size: None }
    }

    pub fn letter(name: &str) -> Self {
        let mut letter = Self::new(name, grams!(20));
        letter.size = Some(Size::LETTER);
        letter
    }

    pub fn weight(&self) -> Weight {
        let volume = self.size.as_ref().map_or(0, Size::volume);
        self.weight.max(Weight(volume))
    }
}

impl Deref for Parcel {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

/// Several parcels tied into one.
pub fn bundle(parcels: &[Parcel]) -> Result<Parcel, Refusal> {
    let Some((first, rest)) = parcels.split_first() else {
        return Err(Refusal::Closed);
    };
    let weight = rest.iter().map(|parcel| parcel.weight()).fold(first.weight(), |a, b| a + b);
    Ok(Parcel::new("bundle", weight))
}
