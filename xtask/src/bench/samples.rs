//! Measured times and their quantiles.

use std::time::Duration;

/// Times of one thing, measured many times.
#[derive(Default)]
pub(super) struct Samples(Vec<Duration>);

impl Samples {
    pub(super) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Returns the shortest time, which other work disturbed least.
    pub(super) fn least(&self) -> Duration {
        self.0.iter().copied().min().unwrap_or_default()
    }

    /// Returns the time that half of the samples do not exceed.
    pub(super) fn median(&self) -> Duration {
        self.quantile(50)
    }

    /// Returns the time that 95 of 100 samples do not exceed.
    pub(super) fn p95(&self) -> Duration {
        self.quantile(95)
    }

    fn quantile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(index).copied().unwrap_or_default()
    }
}

impl FromIterator<Duration> for Samples {
    fn from_iter<Times: IntoIterator<Item = Duration>>(times: Times) -> Self {
        Self(times.into_iter().collect())
    }
}

/// Renders a time in milliseconds for the table.
pub(super) fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples_that_were_measured() {
        let samples: Samples = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(samples.median(), Duration::from_millis(50));
        assert_eq!(samples.p95(), Duration::from_millis(95));
        let one: Samples = [Duration::from_millis(7)].into_iter().collect();
        assert_eq!((one.median(), one.p95()), (one.quantile(1), one.quantile(100)));
        assert_eq!(Samples::default().median(), Duration::ZERO);
    }

    #[test]
    fn times_are_shown_in_milliseconds() {
        assert_eq!(millis(Duration::from_micros(1234)), "1.23 ms");
    }
}
