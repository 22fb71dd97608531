//! All that decides the order of files, in one place.

/// The weights of the ranking.
///
/// They were chosen on the histories of five projects, oldest commits first,
/// each asked about its last 300; `cargo xtask bench files` asks this one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileRankWeights {
    /// A word of a subject, counted as so many words.
    pub subject: f32,
    /// A word of the rest of a message.
    pub body: f32,
    /// A word in the path of a file that was touched.
    pub path: f32,
    /// A word of the question's first line, in relation to one of its others.
    pub first_line: f32,
    /// The same scope (`area:`) in question and commit.
    pub scope: f32,
    /// How soon repetitions of a term stop to count (BM25's k1).
    pub saturation: f32,
    /// How much long messages are held back (BM25's b), from 0 to 1.
    pub length_share: f32,
    /// A match twice as good counts two to this power as much: many weak
    /// matches are noise.
    pub sharpness: f32,
    /// A commit's worth is shared by its files: divided by their number to
    /// this power.
    pub sharing: f32,
    /// After so many commits a match counts half of what may fade.
    pub half_life: f32,
    /// What of a match never fades.
    pub lasting: f32,
    /// Files that are touched all the time are held back: by how often, as a
    /// logarithm, to this power.
    pub popularity: f32,
    /// A commit that was taken back, and the one that did: they say the same.
    pub reverted: f32,
    /// A file whose own path and definitions match, in relation to a commit.
    pub own_words: f32,
    /// A word in the names of the definitions of a file, where there are no
    /// commits.
    pub definition: f32,
    /// A word of the first line inside the file's name.
    pub name_part: f32,
    /// A definition that the question names.
    pub named: f32,
    /// Files that were changed together with the best ones.
    pub partners: f32,
}

impl Default for FileRankWeights {
    fn default() -> Self {
        Self {
            subject: 2.0,
            body: 0.4,
            path: 1.5,
            first_line: 2.5,
            scope: 2.0,
            saturation: 1.2,
            length_share: 0.75,
            sharpness: 2.5,
            sharing: 0.5,
            half_life: 1000.0,
            lasting: 0.25,
            popularity: 0.1,
            reverted: 0.5,
            own_words: 4.0,
            definition: 0.5,
            name_part: 0.3,
            named: 0.3,
            partners: 0.2,
        }
    }
}
