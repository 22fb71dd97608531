//! The confidence in a note: a prior from its source, updated by outcomes.
//!
//! A belief is a Beta distribution. Its prior depends on the source; every outcome
//! moves it. Outcomes fade towards the prior with time, because code changes. A
//! note gets credit only if it was written or cited.

use crate::time::Timestamp;

/// The origin of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteSource {
    /// The user.
    User,
    /// A check that ralph ran itself.
    Check,
    /// A commit.
    Commit,
    /// The agent, with a location in the code or in a log as evidence.
    AgentCiting,
    /// The agent, without evidence.
    Agent,
    /// The output of a tool, which may contain text of any author.
    Tool,
}

impl NoteSource {
    /// Returns the prior: pseudo-counts of right and wrong.
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

/// An event that changes the confidence in a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BeliefEvent {
    /// The checks passed in an iteration that wrote or cited it.
    PassedCiting,
    /// The checks failed in an iteration that cited it.
    FailedCiting,
    /// Another source noticed the same.
    SeenAgain,
    /// The user said that it is wrong.
    Corrected,
}

impl BeliefEvent {
    /// All outcomes.
    pub const ALL: [Self; 4] =
        [Self::PassedCiting, Self::FailedCiting, Self::SeenAgain, Self::Corrected];

    /// Returns the weights for and against the note.
    const fn weight(self) -> (f64, f64) {
        match self {
            Self::PassedCiting => (1.0, 0.0),
            Self::FailedCiting => (0.0, 1.0),
            Self::SeenAgain => (0.5, 0.0),
            Self::Corrected => (0.0, 4.0),
        }
    }
}

/// Number of standard deviations below the mean that nine of ten values exceed.
const NINE_IN_TEN: f64 = 1.281_551_565_5;

/// The confidence in a note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoteBelief {
    source: NoteSource,
    /// Weight of outcomes for it, as of `at`.
    for_it: f64,
    /// Weight of outcomes against it, as of `at`.
    against: f64,
    at: Timestamp,
}

impl NoteBelief {
    /// Creates the belief in a new note.
    pub const fn new(source: NoteSource, at: Timestamp) -> Self {
        Self { source, for_it: 0.0, against: 0.0, at }
    }

    /// Restores a stored belief: the weights for and against it, as of a time.
    pub const fn stored(source: NoteSource, (for_it, against): (f64, f64), at: Timestamp) -> Self {
        Self { source, for_it, against, at }
    }

    /// Returns the belief after an outcome.
    #[must_use]
    pub fn after(self, outcome: BeliefEvent, at: Timestamp, half_life: Option<Days>) -> Self {
        let (plus, minus) = outcome.weight();
        let faded = self.at(at, half_life);
        Self { for_it: faded.for_it + plus, against: faded.against + minus, ..faded }
    }

    /// Returns the belief at a later time. One half-life halves the weight of
    /// outcomes; without a half-life nothing fades.
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

    /// Returns the estimated probability that the note is right.
    pub fn mean(self) -> f64 {
        let (a, b) = self.parameters();
        a / (a + b)
    }

    /// Returns the lower bound of the probability in nine of ten cases. It is low
    /// for notes that were hardly tried; notes are ranked by it.
    pub fn lower(self) -> f64 {
        let (a, b) = self.parameters();
        let sum = a + b;
        let deviation = (a * b / (sum * sum * (sum + 1.0))).sqrt();
        (self.mean() - NINE_IN_TEN * deviation).clamp(0.0, 1.0)
    }

    /// Returns the origin of the note.
    pub const fn source(self) -> NoteSource {
        self.source
    }

    /// Returns the weights of outcomes for and against it.
    pub const fn outcomes(self) -> (f64, f64) {
        (self.for_it, self.against)
    }

    /// Returns the time up to which outcomes have faded.
    pub const fn as_of(self) -> Timestamp {
        self.at
    }

    fn parameters(self) -> (f64, f64) {
        let (a, b) = self.source.prior();
        (a + self.for_it, b + self.against)
    }
}

/// A number of days.
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

    fn new(source: NoteSource) -> NoteBelief {
        NoteBelief::new(source, Timestamp::from_millis(0))
    }

    fn day(number: i64) -> Timestamp {
        Timestamp::from_millis(number * DAY)
    }

    #[test]
    fn the_user_is_believed_more_than_a_check_and_a_tool_least() {
        let order = [
            NoteSource::User,
            NoteSource::Check,
            NoteSource::Commit,
            NoteSource::AgentCiting,
            NoteSource::Agent,
            NoteSource::Tool,
        ];
        let lower: Vec<f64> = order.iter().map(|source| new(*source).lower()).collect();
        assert!(lower.is_sorted_by(|a, b| a > b), "{lower:?}");
    }

    #[test]
    fn a_pass_that_cited_it_counts_more_than_somebody_who_came_to_the_same() {
        let start = new(NoteSource::Agent);
        let cited = start.after(BeliefEvent::PassedCiting, day(0), None);
        let seen = start.after(BeliefEvent::SeenAgain, day(0), None);
        assert!(cited.mean() > seen.mean() && seen.mean() > start.mean());
    }

    #[test]
    fn a_failure_that_cited_it_and_a_correction_lower_it() {
        let start = new(NoteSource::Check);
        let failed = start.after(BeliefEvent::FailedCiting, day(0), None);
        let corrected = start.after(BeliefEvent::Corrected, day(0), None);
        assert!(start.mean() > failed.mean() && failed.mean() > corrected.mean());
        assert!(corrected.lower() < 0.5, "{}", corrected.lower());
    }

    #[test]
    fn outcomes_fade_to_the_prior_by_halves() {
        let half_life = Some(Days(10.0));
        let start = new(NoteSource::Agent).after(BeliefEvent::PassedCiting, day(0), half_life);
        let (later, _) = start.at(day(10), half_life).outcomes();
        assert!((later - 0.5).abs() < 1e-9, "{later}");
        let ages_later = start.at(day(10_000), half_life);
        assert!((ages_later.mean() - new(NoteSource::Agent).mean()).abs() < 1e-9);
    }

    #[test]
    fn without_a_half_life_nothing_fades_and_time_never_runs_backwards() {
        let start = new(NoteSource::Agent).after(BeliefEvent::PassedCiting, day(5), None);
        assert!((start.at(day(5000), None).mean() - start.mean()).abs() < f64::EPSILON);
        let earlier = start.at(day(1), Some(Days(1.0)));
        assert!((earlier.mean() - start.mean()).abs() < f64::EPSILON);
    }

    #[test]
    fn the_lower_bound_rises_with_trials_where_the_mean_stays() {
        let mut belief = new(NoteSource::Agent);
        let before = belief.lower();
        for _ in 0..20 {
            belief = belief.after(BeliefEvent::PassedCiting, day(0), None);
            belief = belief.after(BeliefEvent::FailedCiting, day(0), None);
        }
        assert!((belief.mean() - 0.5).abs() < 1e-9);
        assert!(belief.lower() > before);
    }
}
