//! All that decides the order of hits, in one place.

use crate::analysis::{TermClass, TextAnalyzer};

/// A heading has at most so many words …
const HEADING_WORDS: usize = 3;

/// … and bytes.
const LONGEST_HEADING: usize = 60;

/// A text is counted as no longer than this.
const LONGEST: f32 = 1e9;

/// What a term says at least, however many documents have it: as much as one
/// that a third of them have. Rarer ones hardly notice.
///
/// Who speaks is in every second turn of a conversation, and through the
/// neighbours in all; but a question about one speaker is not about the other.
const LEAST_RARITY: f64 = 1.0;

/// Where in an entry a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryColumn {
    Title,
    /// An identifier, or what stands before a colon at the beginning of the text.
    Name,
    Path,
    Body,
    Why,
}

impl EntryColumn {
    const ALL: [Self; 5] = [Self::Title, Self::Name, Self::Path, Self::Body, Self::Why];

    /// The column with a name of the schema.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let at = ["title", "name", "path", "body", "why"].iter().position(|known| *known == name);
        at.and_then(|at| Self::ALL.get(at)).copied()
    }

    fn of(class: TermClass) -> Self {
        match class {
            TermClass::Word => Self::Body,
            TermClass::Identifier => Self::Name,
            TermClass::Path => Self::Path,
        }
    }
}

/// The weights of the ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RankingWeights {
    /// A word of the title, counted as so many words of the text.
    pub(crate) title: f32,
    /// An identifier and each of its parts, and a word before a colon at the
    /// beginning of the text, such as who speaks.
    pub(crate) name: f32,
    /// A path in the text or of a file the entry is about, and its parts.
    pub(crate) path: f32,
    /// A word of the text.
    pub(crate) body: f32,
    /// A word of why it is so.
    pub(crate) why: f32,
    /// A word of the previous or the next entry.
    pub(crate) neighbour: f32,
    /// How much of its group's score is added to an entry's own.
    pub(crate) group_prior: f32,
    /// How soon repetitions of a term stop to count (BM25's k1).
    pub(crate) saturation: f32,
    /// How much long entries are held back (BM25's b), from 0 to 1.
    pub(crate) length_share: f32,
}

impl Default for RankingWeights {
    fn default() -> Self {
        Self {
            title: 4.0,
            name: 3.0,
            path: 2.0,
            body: 1.0,
            why: 0.5,
            neighbour: 0.3,
            group_prior: 0.5,
            saturation: 1.2,
            length_share: 0.75,
        }
    }
}

impl RankingWeights {
    /// What a word in a column counts.
    pub(crate) fn weight(&self, column: EntryColumn) -> f32 {
        match column {
            EntryColumn::Title => self.title,
            EntryColumn::Name => self.name,
            EntryColumn::Path => self.path,
            EntryColumn::Body => self.body,
            EntryColumn::Why => self.why,
        }
    }

    /// BM25's part that depends on the document alone, from 0 to 1: held back
    /// by the document's length in relation to the mean.
    pub(crate) fn impact(&self, frequency: f32, relative_length: f32) -> f64 {
        let share = 1.0 - self.length_share + self.length_share * relative_length;
        f64::from(frequency / (frequency + self.saturation * share))
    }

    /// A score as people know it from BM25.
    pub(crate) fn readable(&self, score: f64) -> f64 {
        score * (f64::from(self.saturation) + 1.0)
    }
}

/// With more documents than these, being rarer tells no more.
const MANY: f64 = 10_000.0;

/// With fewer than these it is chance how many have a term.
const FEW: f64 = 20.0;

/// How much having a term tells, whatever else there is: 1 if no other document
/// has it, and next to nothing if all have it.
pub(crate) fn telling(documents: f64, having: f64) -> f64 {
    let rarity = |documents: f64, having: f64| {
        (1.0 + (documents.max(having) - having + 0.5) / (having + 0.5)).ln()
    };
    let documents = documents.max(FEW);
    rarity(documents, having) / rarity(documents.min(MANY), 1.0)
}

/// How much finding a term says, by how few documents have it.
pub(crate) fn rarity(documents: f64, having: f64) -> f64 {
    let rarity = (1.0 + (documents.max(having) - having + 0.5) / (having + 0.5)).ln();
    rarity.hypot(LEAST_RARITY)
}

/// The words of an entry, by where they stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EntryWords {
    columns: [String; 5],
    length: f32,
}

/// The parts of an entry that are searched.
#[derive(Clone, Copy)]
pub(crate) struct EntryParts<'a> {
    pub(crate) title: &'a str,
    pub(crate) text: &'a str,
    pub(crate) why: Option<&'a str>,
    pub(crate) files: &'a [String],
}

impl EntryWords {
    pub(crate) fn of(
        parts: EntryParts<'_>,
        analyzer: &mut TextAnalyzer,
        ranking: &RankingWeights,
    ) -> Self {
        let mut words = Self::default();
        let (heading, text) = parts.text.split_at(heading(parts.text));
        let mut take = |text: &str, column: Option<EntryColumn>| {
            analyzer.analyse(text, |term, class| {
                words.push(column.unwrap_or_else(|| EntryColumn::of(class)), term, ranking);
            });
        };
        take(parts.title, Some(EntryColumn::Title));
        take(heading, Some(EntryColumn::Name));
        take(text, None);
        take(parts.why.unwrap_or_default(), Some(EntryColumn::Why));
        for file in parts.files {
            take(file, Some(EntryColumn::Path));
        }
        words
    }

    fn push(&mut self, column: EntryColumn, term: &str, ranking: &RankingWeights) {
        let [title, name, path, body, why] = &mut self.columns;
        let into = match column {
            EntryColumn::Title => title,
            EntryColumn::Name => name,
            EntryColumn::Path => path,
            EntryColumn::Body => body,
            EntryColumn::Why => why,
        };
        into.push_str(term);
        into.push(' ');
        self.length += ranking.weight(column);
    }

    /// The words of each column of the schema, with spaces between them.
    pub(crate) fn columns(&self) -> &[String; 5] {
        &self.columns
    }

    /// How many there are, each with the weight of its place.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    pub(crate) fn length(&self) -> u32 {
        self.length.round().clamp(0.0, LONGEST) as u32
    }
}

/// Where the heading of a text ends: up to three words before a colon, as in
/// `Deployment: …` and in conversations, where they say who speaks.
fn heading(text: &str) -> usize {
    let Some(end) = text.find(": ").filter(|end| *end <= LONGEST_HEADING) else { return 0 };
    let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "-_'’.".contains(c));
    let words = || text[..end].split(' ');
    if words().count() <= HEADING_WORDS && words().all(is_word) { end } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_occurrences_count_more_and_long_entries_are_held_back() {
        let ranking = RankingWeights::default();
        assert!(ranking.impact(2.0, 1.0) > ranking.impact(1.0, 1.0));
        assert!(ranking.impact(1.0, 1.0) > ranking.impact(1.0, 10.0));
    }

    #[test]
    fn rare_terms_say_more_and_frequent_ones_something() {
        assert!(rarity(1e6, 1.0) > rarity(1e6, 1000.0));
        assert!(rarity(10.0, 9.0) > rarity(10.0, 10.0) && rarity(10.0, 10.0) >= 1.0);
    }

    #[test]
    fn words_stand_where_they_count_most() {
        let files = ["src/lock.rs".to_owned()];
        let text = "Deployment: holds parseConfig";
        let parts = EntryParts { title: "Lock order", text, why: Some("it waits"), files: &files };
        let words = EntryWords::of(parts, &mut TextAnalyzer::default(), &RankingWeights::default());
        let want = [
            "lock order ",
            "deploy parseconfig pars config ",
            "src/lock.rs src lock rs ",
            "hold ",
            "wait ",
        ];
        assert_eq!(words.columns(), &want.map(str::to_owned));
        assert_eq!(words.length(), 30, "2 * 4 + 4 * 3 + 4 * 2 + 1 + 0.5, rounded");
    }

    #[test]
    fn who_speaks_and_what_it_is_about_stands_before_a_colon() {
        let headings = |text: &'static str| &text[..heading(text)];
        for (text, want) in [
            ("Caroline: I went to the lake", "Caroline"),
            ("Deploy on staging: run the script", "Deploy on staging"),
            ("배포: 스크립트를 돌린다", "배포"),
            ("the first thing that we do: run it", ""),
            ("see https://example.com: it tells", ""),
            ("a\nb: c", ""),
            ("no colon", ""),
            (": nothing before", ""),
        ] {
            assert_eq!(headings(text), want, "{text}");
        }
    }
}
