//! The reliability label of a note: proven, a guess, or outdated by a change of its code.

/// The state of a code location that a note refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorState {
    /// It is unchanged.
    Same,
    /// The definition of the symbol, or the contents of the file, changed.
    Changed,
    /// The symbol is missing in a file that does not parse, so its state is unknown.
    Unclear,
    /// The symbol, or the file, is gone.
    Gone,
}

impl AnchorState {
    /// Returns the factor by which the confidence in the note is reduced.
    const fn belief_left(self) -> f64 {
        match self {
            Self::Same => 1.0,
            Self::Changed | Self::Unclear => 0.8,
            Self::Gone => 0.5,
        }
    }
}

/// The evidence for a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteEvidence {
    /// True if checks passed because of it, or if the user said it.
    pub is_verified: bool,
    /// True if it names a location as evidence.
    pub has_citation: bool,
}

/// The reliability of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteLabel {
    /// Proven.
    Verified,
    /// Noted, with evidence.
    Noted,
    /// Claimed, without evidence.
    Hypothesis,
    /// Outdated: its code has changed since.
    Stale,
}

impl NoteLabel {
    /// Determines the label of a note.
    ///
    /// A change outranks a proof, because the proof was about the old code.
    pub fn of(grounds: NoteEvidence, anchors: &[AnchorState]) -> Self {
        if anchors.iter().any(|anchor| *anchor != AnchorState::Same) {
            Self::Stale
        } else if grounds.is_verified {
            Self::Verified
        } else if grounds.has_citation || !anchors.is_empty() {
            Self::Noted
        } else {
            Self::Hypothesis
        }
    }

    /// Returns the written mark; a noted note has none.
    pub const fn mark(self) -> Option<&'static str> {
        match self {
            Self::Verified => Some("[VERIFIED]"),
            Self::Noted => None,
            Self::Hypothesis => Some("[HYPOTHESIS]"),
            Self::Stale => Some("[STALE]"),
        }
    }

    /// Returns the name in output for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Noted => "noted",
            Self::Hypothesis => "hypothesis",
            Self::Stale => "stale",
        }
    }
}

/// Returns the factor by which changes of the code reduce the confidence in a note.
///
/// Only the worst location counts: ten anchors into one edited file are one reason
/// for doubt, not ten.
pub fn belief_left(anchors: &[AnchorState]) -> f64 {
    anchors.iter().map(|anchor| anchor.belief_left()).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: NoteEvidence = NoteEvidence { is_verified: false, has_citation: false };
    const CITING: NoteEvidence = NoteEvidence { has_citation: true, ..NOTHING };
    const VERIFIED: NoteEvidence = NoteEvidence { is_verified: true, ..NOTHING };

    #[test]
    fn a_note_without_anything_to_look_at_is_a_hypothesis() {
        assert_eq!(NoteLabel::of(NOTHING, &[]), NoteLabel::Hypothesis);
        assert_eq!(NoteLabel::of(CITING, &[]), NoteLabel::Noted);
        assert_eq!(NoteLabel::of(NOTHING, &[AnchorState::Same]), NoteLabel::Noted);
        assert_eq!(NoteLabel::of(VERIFIED, &[]), NoteLabel::Verified);
    }

    #[test]
    fn what_was_proven_of_other_code_is_stale() {
        for change in [AnchorState::Changed, AnchorState::Unclear, AnchorState::Gone] {
            assert_eq!(NoteLabel::of(VERIFIED, &[AnchorState::Same, change]), NoteLabel::Stale);
        }
        assert_eq!(NoteLabel::of(VERIFIED, &[AnchorState::Same]), NoteLabel::Verified);
    }

    #[test]
    fn doubt_is_as_large_as_the_worst_change() {
        let left = |anchors: &[AnchorState]| belief_left(anchors);
        let is = |left: f64, want: f64| assert!((left - want).abs() < f64::EPSILON, "{left}");
        is(left(&[]), 1.0);
        is(left(&[AnchorState::Changed, AnchorState::Changed]), 0.8);
        is(left(&[AnchorState::Changed, AnchorState::Gone]), 0.5);
    }
}
