//! All that decides the order of hits, in one place.

use crate::analysis::Class;

/// Where in an entry a term stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Title,
    /// What stands before a colon at the beginning of the text.
    Heading,
    Body,
    Why,
    Files,
}

/// The weights of the ranking.
///
/// All but [`group_prior`](Self::group_prior) are used when an entry is
/// indexed: changing them takes effect for entries that are written later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// A word of the title, counted as so many words of the text.
    pub title: f32,
    /// A word before a colon at the beginning of the text, such as who speaks.
    pub heading: f32,
    /// A word of the text.
    pub body: f32,
    /// A word of why it is so, as a share of what it counts in the text.
    pub why: f32,
    /// An identifier in the text, and each of its parts.
    pub identifier: f32,
    /// A path in the text or of a file the entry is about, and its parts.
    pub path: f32,
    /// A word of the previous or the next entry.
    pub neighbour: f32,
    /// How much of its group's score is added to an entry's own.
    pub group_prior: f32,
    /// How soon repetitions of a term stop to count (BM25's k1).
    pub saturation: f32,
    /// How much long entries are held back (BM25's b), from 0 to 1.
    pub length_share: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            title: 4.0,
            heading: 3.0,
            body: 1.0,
            why: 0.5,
            identifier: 3.0,
            path: 2.0,
            neighbour: 0.3,
            group_prior: 0.5,
            saturation: 1.2,
            length_share: 0.75,
        }
    }
}

/// The largest impact.
pub(crate) const FULL: f32 = 63.0;

/// What a term says at least, however many documents have it: as much as one
/// that a third of them have. Rarer ones hardly notice.
///
/// Who speaks is in every second turn of a conversation, and through the
/// neighbours in all; but a question about one speaker is not about the other.
const LEAST_RARITY: f64 = 1.0;

/// Steps of a term's weight for one unit of its rarity.
const WEIGHT_STEPS: f64 = 1024.0;

/// Scores stay far below what 32 bits hold: 64 terms, each at most four times.
const MOST_WEIGHT: f64 = 65_535.0;

impl Ranking {
    /// What one occurrence counts.
    pub(crate) fn weight(&self, field: Field, class: Class) -> f32 {
        let in_text = match class {
            Class::Word => self.body,
            Class::Identifier => self.identifier,
            Class::Path => self.path,
        };
        match field {
            Field::Title => self.title.max(in_text),
            Field::Heading => self.heading.max(in_text),
            Field::Body => in_text,
            Field::Why => in_text * self.why,
            Field::Files => self.path,
        }
    }

    /// BM25's part that depends on the document alone, from 1 to 63.
    ///
    /// Held back by the document's length in relation to the mean. Six bits
    /// are precise enough: eight changed recall by a tenth of a point, and took
    /// a twentieth more space.
    pub(crate) fn impact(&self, frequency: f32, length: f32, mean: f32) -> u8 {
        let relative = if mean > 0.0 { length / mean } else { 1.0 };
        let held_back = self.saturation * (1.0 - self.length_share + self.length_share * relative);
        byte(frequency / (frequency + held_back))
    }

    /// A score as people know it from BM25.
    pub(crate) fn readable(&self, score: f64) -> f64 {
        score / (f64::from(FULL) * WEIGHT_STEPS) * (f64::from(self.saturation) + 1.0)
    }
}

/// How much finding a term says, by how few documents have it.
///
/// Whole numbers, so that a sum does not depend on its order.
pub(crate) fn rarity(documents: u64, having: u64) -> u32 {
    let (documents, having) = (count(documents.max(having)), count(having));
    let rarity = (1.0 + (documents - having + 0.5) / (having + 0.5)).ln();
    whole((rarity.hypot(LEAST_RARITY) * WEIGHT_STEPS).min(MOST_WEIGHT))
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^52")]
fn count(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what fits by the caller"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share from 0 to 1, clamped"
)]
fn byte(share: f32) -> u8 {
    (share * FULL).round().clamp(1.0, FULL) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_occurrences_count_more_and_long_entries_are_held_back() {
        let ranking = Ranking::default();
        assert!(ranking.impact(2.0, 10.0, 10.0) > ranking.impact(1.0, 10.0, 10.0));
        assert!(ranking.impact(1.0, 10.0, 10.0) > ranking.impact(1.0, 100.0, 10.0));
        assert_eq!(ranking.impact(0.001, 1e9, 1.0), 1, "a hit is never nothing");
        assert_eq!(ranking.impact(1.0, 1.0, 0.0), ranking.impact(1.0, 1.0, 1.0));
    }

    #[test]
    fn rare_terms_say_more() {
        assert!(rarity(1_000_000, 1) > rarity(1_000_000, 1000));
        assert!(rarity(10, 9) > rarity(10, 10) && rarity(10, 10) > 1000, "speakers count");
        assert_eq!(rarity(0, 5), rarity(5, 5));
        let highest = u64::from(rarity(u64::MAX, 0)) * 255 * 64 * 4;
        assert!(u32::try_from(highest).is_ok(), "{highest}");
    }

    #[test]
    fn an_identifier_in_a_title_counts_as_title() {
        let ranking = Ranking::default();
        assert!((ranking.weight(Field::Title, Class::Identifier) - 4.0).abs() < f32::EPSILON);
        assert!((ranking.weight(Field::Body, Class::Identifier) - 3.0).abs() < f32::EPSILON);
    }
}
