//! Tokens and cost of turns, as reported by the agent.

use std::fmt;
use std::ops::Add;

/// Money in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd(u64);

impl Usd {
    /// Creates an amount of this many millionths of a dollar.
    pub fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Converts dollars as agents report them; `None` for an invalid amount.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        const HIGHEST: f64 = 1e12;
        if !(0.0..=HIGHEST).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked above, and fractions of a millionth do not matter"
        )]
        let micros = (dollars * 1e6).round() as u64;
        Some(Self(micros))
    }

    /// Returns the millionths of a dollar.
    pub fn micros(self) -> u64 {
        self.0
    }

    /// Returns dollars, for people and JSON.
    #[expect(clippy::cast_precision_loss, reason = "shown with a few digits only")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${:.4}", self.dollars())
    }
}

/// The tokens and the cost of one or several turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of tokens sent.
    pub input_tokens: u64,
    /// Number of tokens received.
    pub output_tokens: u64,
    /// Cost.
    pub cost: Usd,
}

impl Usage {
    /// Returns the number of all tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost: Usd(self.cost.0.saturating_add(other.cost.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_that_is_no_amount_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, -0.01, 1e13] {
            assert_eq!(Usd::from_dollars(bad), None, "{bad}");
        }
        assert_eq!(Usd::from_dollars(0.25), Some(Usd::from_micros(250_000)));
    }
}
