//! Points in time as plain numbers; the clock itself is elsewhere.

use std::time::Duration;

/// Milliseconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates the time `millis` after the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the epoch.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the time `span` later; saturates at the end of time.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns the time since `earlier`; zero if the clock went backwards.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// Renders a span as people write it, such as `300ms`, `1m30s` or `24h`.
///
/// Milliseconds are shown only below one second.
pub(crate) fn render_span(span: Duration) -> String {
    let seconds = span.as_secs();
    if seconds == 0 {
        return format!("{}ms", span.as_millis());
    }
    let parts = [(seconds / 3600, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    let named = parts.into_iter().filter(|(count, _)| *count > 0);
    named.map(|(count, unit)| format!("{count}{unit}")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_never_rounded_to_nothing() {
        for (millis, want) in [
            (0, "0ms"),
            (100, "100ms"),
            (1_000, "1s"),
            (90_500, "1m30s"),
            (600_000, "10m"),
            (86_400_000, "24h"),
            (3_601_000, "1h1s"),
        ] {
            assert_eq!(render_span(Duration::from_millis(millis)), want);
        }
    }
}
