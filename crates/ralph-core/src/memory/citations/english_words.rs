//! Words by which English says whether it relies on a note.

/// Stand for a note, beside its name.
pub(super) const NOUNS: &[&str] = &[
    "note",
    "notes",
    "memory",
    "memories",
    "advice",
    "hint",
    "hints",
    "entry",
    "entries",
    "claim",
    "claims",
    "gotcha",
    "gotchas",
    "statement",
    "rule",
    "fact",
    "instruction",
    "instructions",
    "recommendation",
    "warning",
    "what",
];

/// Stand between such words.
pub(super) const SMALL: &[&str] = &[
    "the", "a", "an", "of", "in", "from", "this", "that", "these", "those", "old", "earlier", "my",
    "our", "your", "s", "on", "both", "existing",
];

/// Stand for what was spoken of before.
pub(super) const PRONOUNS: &[&str] =
    &["it", "this", "that", "which", "they", "these", "those", "both"];

/// Begin a clause of its own that still speaks of the same.
pub(super) const TURNS: &[&str] = &["but", "and", "yet", "though", "although", "however"];

/// Call something wrong.
pub(super) const WRONG: &[&str] = &[
    "wrong",
    "incorrect",
    "inaccurate",
    "false",
    "untrue",
    "outdated",
    "obsolete",
    "stale",
    "mistaken",
    "invalid",
    "misleading",
    "unreliable",
    "irrelevant",
    "bogus",
];

/// Call something wrong, if it is denied.
pub(super) const RIGHT: &[&str] = &[
    "true",
    "right",
    "correct",
    "accurate",
    "valid",
    "applicable",
    "relevant",
    "current",
    "reliable",
    "trustworthy",
    "helpful",
    "useful",
    "up",
    "case",
];

/// Are what becomes of a note that nobody follows.
pub(super) const PASSED_OVER: &[&str] = &[
    "ignored",
    "disregarded",
    "rejected",
    "discarded",
    "dismissed",
    "contradicted",
    "refuted",
    "disproved",
    "disproven",
    "superseded",
    "skipped",
    "overruled",
    "overridden",
];

/// Have a note for their object that nobody follows.
pub(super) const PASSING_OVER: &[&str] = &[
    "ignore",
    "ignores",
    "ignored",
    "ignoring",
    "disregard",
    "disregarded",
    "disregarding",
    "despite",
    "notwithstanding",
    "unlike",
    "dismiss",
    "dismissed",
    "dismissing",
    "reject",
    "rejected",
    "rejecting",
    "override",
    "overrode",
    "overriding",
    "discard",
    "discarded",
    "discarding",
    "refute",
    "refutes",
    "refuted",
    "disprove",
    "disproves",
    "disproved",
    "distrust",
    "instead",
    "spite",
    "regardless",
    "skipped",
    "skipping",
];

/// Have a note for their object that is relied on, unless it is denied.
pub(super) const FOLLOWING: &[&str] = &[
    "follow",
    "followed",
    "following",
    "trust",
    "trusted",
    "trusting",
    "believe",
    "believed",
    "rely",
    "relied",
    "relying",
    "use",
    "used",
    "using",
    "apply",
    "applied",
    "applying",
    "heed",
];

/// Say, before a name, that it is the reason for what follows.
pub(super) const RELYING: &[&str] =
    &["as", "per", "by", "with", "via", "because", "since", "see", "under"];

/// Tie what is said to its subject.
pub(super) const COPULAS: &[&str] = &[
    "is", "was", "are", "were", "be", "been", "seems", "seem", "seemed", "looks", "looked",
    "appears", "appeared", "proved", "proves", "became", "becomes", "got", "turned", "turns",
];

/// Change nothing about what is said.
pub(super) const ADVERBS: &[&str] = &[
    "clearly",
    "simply",
    "now",
    "just",
    "plainly",
    "also",
    "already",
    "badly",
    "completely",
    "partly",
    "partially",
    "probably",
    "apparently",
    "actually",
    "obviously",
    "quite",
    "rather",
    "very",
    "out",
    "to",
    "be",
    "been",
    "long",
    "somewhat",
    "entirely",
    "totally",
    "itself",
    "here",
    "evidently",
    "pretty",
    "indeed",
    "has",
    "have",
    "had",
    "can",
    "could",
    "should",
    "must",
    "may",
    "might",
    "will",
    "would",
    "still",
    "therefore",
    "a",
    "the",
    "bit",
    "since",
    "deliberately",
];

/// Deny what follows.
pub(super) const DENIALS: &[&str] =
    &["not", "never", "no", "longer", "hardly", "without", "cannot"];

/// Hold or apply, which is denied.
pub(super) const HOLDING: &[&str] = &[
    "apply", "applies", "hold", "holds", "work", "works", "match", "matches", "fit", "fits", "help",
];
