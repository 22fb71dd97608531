//! What is said about a note beside its text: whether it was proven, whether it
//! is a guess, whether the code it is about has changed since.

/// What became of a place in the code that a note points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchored {
    /// It is as it was.
    Same,
    /// The symbol is defined otherwise now, or the file has other contents.
    Changed,
    /// The symbol is not found in a file that is broken: nobody can tell.
    Unclear,
    /// The symbol, or the file, is not there any more.
    Gone,
}

impl Anchored {
    /// What is left of the belief in a note that points there.
    const fn belief_left(self) -> f64 {
        match self {
            Self::Same => 1.0,
            Self::Changed | Self::Unclear => 0.8,
            Self::Gone => 0.5,
        }
    }
}

/// What speaks for a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grounds {
    /// Checks passed because of it, or the user said it.
    pub is_verified: bool,
    /// It names something to look at.
    pub has_citation: bool,
}

/// How far a note can be relied upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// It was proven.
    Verified,
    /// It was noted, with something to look at.
    Noted,
    /// Nobody knows more than that somebody said it.
    Hypothesis,
    /// What it is about has changed since.
    Stale,
}

impl Label {
    /// The label of a note.
    ///
    /// A change outranks a proof, as what was proven is not what is there now.
    pub fn of(grounds: Grounds, anchors: &[Anchored]) -> Self {
        if anchors.iter().any(|anchor| *anchor != Anchored::Same) {
            Self::Stale
        } else if grounds.is_verified {
            Self::Verified
        } else if grounds.has_citation || !anchors.is_empty() {
            Self::Noted
        } else {
            Self::Hypothesis
        }
    }

    /// How it is written; what was merely noted has no mark.
    pub const fn mark(self) -> Option<&'static str> {
        match self {
            Self::Verified => Some("[VERIFIED]"),
            Self::Noted => None,
            Self::Hypothesis => Some("[HYPOTHESIS]"),
            Self::Stale => Some("[STALE]"),
        }
    }

    /// The name in output for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Noted => "noted",
            Self::Hypothesis => "hypothesis",
            Self::Stale => "stale",
        }
    }
}

/// What is left of the belief in a note after changes to the code.
///
/// The worst place counts, once: ten anchors into one file that was edited are
/// one reason for doubt, not ten.
pub fn belief_left(anchors: &[Anchored]) -> f64 {
    anchors.iter().map(|anchor| anchor.belief_left()).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Grounds = Grounds { is_verified: false, has_citation: false };
    const CITING: Grounds = Grounds { has_citation: true, ..NOTHING };
    const VERIFIED: Grounds = Grounds { is_verified: true, ..NOTHING };

    #[test]
    fn a_note_without_anything_to_look_at_is_a_hypothesis() {
        assert_eq!(Label::of(NOTHING, &[]), Label::Hypothesis);
        assert_eq!(Label::of(CITING, &[]), Label::Noted);
        assert_eq!(Label::of(NOTHING, &[Anchored::Same]), Label::Noted);
        assert_eq!(Label::of(VERIFIED, &[]), Label::Verified);
    }

    #[test]
    fn what_was_proven_of_other_code_is_stale() {
        for change in [Anchored::Changed, Anchored::Unclear, Anchored::Gone] {
            assert_eq!(Label::of(VERIFIED, &[Anchored::Same, change]), Label::Stale);
        }
        assert_eq!(Label::of(VERIFIED, &[Anchored::Same]), Label::Verified);
    }

    #[test]
    fn doubt_is_as_large_as_the_worst_change() {
        let left = |anchors: &[Anchored]| belief_left(anchors);
        let is = |left: f64, want: f64| assert!((left - want).abs() < f64::EPSILON, "{left}");
        is(left(&[]), 1.0);
        is(left(&[Anchored::Changed, Anchored::Changed]), 0.8);
        is(left(&[Anchored::Changed, Anchored::Gone]), 0.5);
    }
}
