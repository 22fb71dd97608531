//! How much a note is believed: what its source deserves, and what came of
//! relying on it.
//!
//! A belief is a Beta distribution. Its prior depends on who said the thing;
//! every outcome moves it. Outcomes fade towards the prior with time, because
//! code moves on, and nothing is credited to a note that nobody wrote or cited.

use crate::time::Timestamp;

/// Who said it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The user.
    User,
    /// A check that we ran ourselves.
    Check,
    /// A commit.
    Commit,
    /// The agent, with a place in the code or in a log to look at.
    AgentCiting,
    /// The agent, just so.
    Agent,
    /// The output of a tool, which anybody may have written.
    Tool,
}

impl Source {
    /// How often it would have been right, and wrong, before anything is seen.
    const fn prior(self) -> (f64, f64) {
        match self {
            Self::User => (8.0, 1.0),
            Self::Check => (4.0, 1.0),
            Self::Commit => (3.0, 1.0),
            Self::AgentCiting => (2.0, 1.0),
            Self::Agent => (1.0, 1.0),
            Self::Tool => (1.0, 2.0),
        }
    }
}

/// What came of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The checks passed in an iteration that wrote or cited it.
    PassedCiting,
    /// The checks failed in an iteration that cited it.
    FailedCiting,
    /// Somebody else noticed the same.
    SeenAgain,
    /// The user said that it is wrong.
    Corrected,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::PassedCiting, Self::FailedCiting, Self::SeenAgain, Self::Corrected];

    /// What it adds for and against.
    const fn weight(self) -> (f64, f64) {
        match self {
            Self::PassedCiting => (1.0, 0.0),
            Self::FailedCiting => (0.0, 1.0),
            Self::SeenAgain => (0.5, 0.0),
            Self::Corrected => (0.0, 4.0),
        }
    }
}

/// How many standard deviations below the mean nine of ten values lie above.
const NINE_IN_TEN: f64 = 1.281_551_565_5;

/// How much a note is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    source: Source,
    /// What outcomes added for it, as of `at`.
    for_it: f64,
    /// What outcomes added against it, as of `at`.
    against: f64,
    at: Timestamp,
}

impl Belief {
    /// The belief in something that was just said.
    pub const fn new(source: Source, at: Timestamp) -> Self {
        Self { source, for_it: 0.0, against: 0.0, at }
    }

    /// The belief as it was stored: what outcomes added for and against, as of
    /// a time.
    pub const fn stored(source: Source, (for_it, against): (f64, f64), at: Timestamp) -> Self {
        Self { source, for_it, against, at }
    }

    /// The belief after an outcome.
    #[must_use]
    pub fn after(self, outcome: Outcome, at: Timestamp, half_life: Option<Days>) -> Self {
        let (plus, minus) = outcome.weight();
        let faded = self.at(at, half_life);
        Self { for_it: faded.for_it + plus, against: faded.against + minus, ..faded }
    }

    /// The belief at a later time: half of what outcomes added is gone after
    /// one half-life. Without one nothing fades.
    #[must_use]
    pub fn at(self, now: Timestamp, half_life: Option<Days>) -> Self {
        let passed = now.as_millis().saturating_sub(self.at.as_millis());
        let Some(half_life) = half_life else {
            return Self { at: now, ..self };
        };
        if passed <= 0 {
            return self;
        }
        let kept = 0.5_f64.powf(as_days(passed) / half_life.0);
        Self { for_it: self.for_it * kept, against: self.against * kept, at: now, ..self }
    }

    /// How likely it is right.
    pub fn mean(self) -> f64 {
        let (a, b) = self.parameters();
        a / (a + b)
    }

    /// What it is right with at least, in nine of ten cases: little is known
    /// of what was hardly tried, and that is what notes are ranked by.
    pub fn lower(self) -> f64 {
        let (a, b) = self.parameters();
        let sum = a + b;
        let deviation = (a * b / (sum * sum * (sum + 1.0))).sqrt();
        (self.mean() - NINE_IN_TEN * deviation).clamp(0.0, 1.0)
    }

    /// Who said it first.
    pub const fn source(self) -> Source {
        self.source
    }

    /// What outcomes say for and against it.
    pub const fn outcomes(self) -> (f64, f64) {
        (self.for_it, self.against)
    }

    /// The time that outcomes are counted for: nothing faded since.
    pub const fn as_of(self) -> Timestamp {
        self.at
    }

    fn parameters(self) -> (f64, f64) {
        let (a, b) = self.source.prior();
        (a + self.for_it, b + self.against)
    }
}

/// A span of days.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Days(pub f64);

#[expect(clippy::cast_precision_loss, reason = "a day more or less in ten thousand years is fine")]
fn as_days(millis: i64) -> f64 {
    millis as f64 / 86_400_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn new(source: Source) -> Belief {
        Belief::new(source, Timestamp::from_millis(0))
    }

    fn day(number: i64) -> Timestamp {
        Timestamp::from_millis(number * DAY)
    }

    #[test]
    fn the_user_is_believed_more_than_a_check_and_a_tool_least() {
        let order = [
            Source::User,
            Source::Check,
            Source::Commit,
            Source::AgentCiting,
            Source::Agent,
            Source::Tool,
        ];
        let lower: Vec<f64> = order.iter().map(|source| new(*source).lower()).collect();
        assert!(lower.is_sorted_by(|a, b| a > b), "{lower:?}");
    }

    #[test]
    fn a_pass_that_cited_it_counts_more_than_somebody_who_came_to_the_same() {
        let start = new(Source::Agent);
        let cited = start.after(Outcome::PassedCiting, day(0), None);
        let seen = start.after(Outcome::SeenAgain, day(0), None);
        assert!(cited.mean() > seen.mean() && seen.mean() > start.mean());
    }

    #[test]
    fn a_failure_that_cited_it_and_a_correction_lower_it() {
        let start = new(Source::Check);
        let failed = start.after(Outcome::FailedCiting, day(0), None);
        let corrected = start.after(Outcome::Corrected, day(0), None);
        assert!(start.mean() > failed.mean() && failed.mean() > corrected.mean());
        assert!(corrected.lower() < 0.5, "{}", corrected.lower());
    }

    #[test]
    fn outcomes_fade_to_the_prior_by_halves() {
        let half_life = Some(Days(10.0));
        let start = new(Source::Agent).after(Outcome::PassedCiting, day(0), half_life);
        let (later, _) = start.at(day(10), half_life).outcomes();
        assert!((later - 0.5).abs() < 1e-9, "{later}");
        let ages_later = start.at(day(10_000), half_life);
        assert!((ages_later.mean() - new(Source::Agent).mean()).abs() < 1e-9);
    }

    #[test]
    fn without_a_half_life_nothing_fades_and_time_never_runs_backwards() {
        let start = new(Source::Agent).after(Outcome::PassedCiting, day(5), None);
        assert!((start.at(day(5000), None).mean() - start.mean()).abs() < f64::EPSILON);
        let earlier = start.at(day(1), Some(Days(1.0)));
        assert!((earlier.mean() - start.mean()).abs() < f64::EPSILON);
    }

    #[test]
    fn the_lower_bound_rises_with_trials_where_the_mean_stays() {
        let mut belief = new(Source::Agent);
        let before = belief.lower();
        for _ in 0..20 {
            belief = belief.after(Outcome::PassedCiting, day(0), None);
            belief = belief.after(Outcome::FailedCiting, day(0), None);
        }
        assert!((belief.mean() - 0.5).abs() < 1e-9);
        assert!(belief.lower() > before);
    }
}
