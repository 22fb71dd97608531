//! Detects whether the agent's final text claims that the work is done.
//!
//! A mention is not a claim: agents explain the protocol, quote it, plan to use it
//! and echo their instructions. So the signal has to end the text, in the agent's
//! own voice, in a sentence without a hedge. Text that comes close is a near miss
//! with its reason, so that the feedback can explain it.

mod explain;
mod hedge;
pub(crate) mod markdown;
mod pattern;
pub(crate) mod plain;
pub(crate) mod sentence;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use hedge::HedgeKind;
use pattern::LiteralPattern;

pub use plain::plain;

/// Length of the end of a text that is searched for a tag or word, in bytes.
///
/// A tag with more text than this after it belongs to an earlier report.
const WINDOW: usize = 16 * 1024;

/// Number of characters of a wrong word that are repeated.
const WORD_SHOWN: usize = 80;

/// The word that the agent says when all is done; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Promise(String);

impl Promise {
    /// Creates a promise: trims it, removes invisible characters and merges white
    /// space. Returns `None`, which disables the promise, if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        visible_words(text).map(Self)
    }

    /// Returns the promise as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the promise in its tag, as the agent writes it in [`MatchMode::Tag`].
    pub fn tag(&self) -> String {
        format!("<promise>{}</promise>", self.0)
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A literal such as `<ralph:done />` that claims completion whatever the promise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Marker(String);

impl Marker {
    /// Creates a marker, cleaned like [`Promise::new`]; `None` if it is empty.
    pub fn new(text: &str) -> Option<Self> {
        visible_words(text).map(Self)
    }

    /// Returns the markers known without configuration.
    pub fn defaults() -> Vec<Self> {
        [
            "<ralph>DONE</ralph>",
            "<ralph:done />",
            "<jikime>DONE</jikime>",
            "<jikime>COMPLETE</jikime>",
            "<jikime:done />",
            "<jikime:complete />",
        ]
        .map(|text| Self(text.to_owned()))
        .into()
    }

    /// Returns the marker as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The form in which the promise has to appear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatchMode {
    /// The text ends with `<promise>X</promise>`, in any letter case.
    #[default]
    Tag,
    /// The last line ends with exactly X, or with its tag.
    Word,
    /// The text contains exactly X as a whole word, in any context.
    Contains,
}

/// Text that names no match mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a match mode; expected `tag`, `word` or `contains`")]
pub struct ParseMatchModeError(String);

impl MatchMode {
    /// Returns the name used in config files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Word => "word",
            Self::Contains => "contains",
        }
    }
}

impl FromStr for MatchMode {
    type Err = ParseMatchModeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "tag" => Ok(Self::Tag),
            "word" => Ok(Self::Word),
            "contains" => Ok(Self::Contains),
            _ => Err(ParseMatchModeError(text.to_owned())),
        }
    }
}

impl fmt::Display for MatchMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The rules for claims in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRules {
    /// The promise; `None` when only markers can claim.
    pub promise: Option<Promise>,
    /// The form of the promise; markers always follow `tag`.
    pub mode: MatchMode,
    /// Literals that claim in every mode.
    pub markers: Vec<Marker>,
}

impl Default for ClaimRules {
    fn default() -> Self {
        Self {
            promise: Promise::new("DONE"),
            mode: MatchMode::default(),
            markers: Marker::defaults(),
        }
    }
}

/// The answer to whether a text claims that the work is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A claim.
    Made(ClaimKind),
    /// No claim, and no sign of one at the end.
    None,
    /// Possibly meant as a claim, but not valid.
    NearMiss(NearMissReason),
}

/// The signal that made a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// The run's promise.
    Promise,
    /// This marker, as configured.
    Marker(String),
}

/// The reason why a near miss is no claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NearMissReason {
    /// More text follows it.
    MoreTextFollows,
    /// It is in a fenced block or an inline code span.
    InCode,
    /// It is in a block quotation or in quotation marks.
    Quoted,
    /// Its sentence is negated.
    Negated,
    /// Its sentence states a condition or a plan.
    Conditional,
    /// The text ends with the promise, but the tag is missing.
    BareWord,
    /// The text ends with a promise tag that holds these words instead.
    WrongWord(String),
}

/// Detects a claim in the final assistant text.
///
/// Terminal codes and invisible characters are removed first. The promise is judged
/// before the markers, and any claim outranks any near miss.
pub fn detect(text: &str, rules: &ClaimRules) -> Claim {
    let text = plain(text);
    let text = text.trim_end();
    let promised = match &rules.promise {
        Some(promise) => judge_promise(text, promise, rules.mode),
        None => ClaimVerdict::Nothing,
    };
    let mut near_miss = match promised {
        ClaimVerdict::Claim => return Claim::Made(ClaimKind::Promise),
        ClaimVerdict::NearMiss(reason) => Some(reason),
        ClaimVerdict::Nothing => None,
    };
    for marker in &rules.markers {
        match judge_last(text, &LiteralPattern::markup(&marker.0), SignalKind::Markup) {
            ClaimVerdict::Claim => return Claim::Made(ClaimKind::Marker(marker.0.clone())),
            ClaimVerdict::NearMiss(reason) => near_miss = near_miss.or(Some(reason)),
            ClaimVerdict::Nothing => {}
        }
    }
    near_miss.map_or(Claim::None, Claim::NearMiss)
}

enum ClaimVerdict {
    Claim,
    NearMiss(NearMissReason),
    Nothing,
}

/// The kind of signal: punctuation may touch a word, but not a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SignalKind {
    Markup,
    Word,
}

/// The text after the signal.
enum TrailingText {
    /// Nothing that matters: white space, emphasis, one full stop.
    Clean,
    /// Only marks that close something opened before the signal.
    Closing,
    /// Text.
    Text,
}

fn judge_promise(text: &str, promise: &Promise, mode: MatchMode) -> ClaimVerdict {
    let word = LiteralPattern::word(promise.as_str());
    let tag = LiteralPattern::markup(&promise.tag());
    match mode {
        MatchMode::Contains => match word.rfind(text, 0) {
            Some(_) => ClaimVerdict::Claim,
            None => ClaimVerdict::Nothing,
        },
        MatchMode::Tag => match judge_last(text, &tag, SignalKind::Markup) {
            ClaimVerdict::Nothing => judge_without_tag(text, &word),
            judged @ (ClaimVerdict::Claim | ClaimVerdict::NearMiss(_)) => judged,
        },
        MatchMode::Word => match judge_last(text, &word, SignalKind::Word) {
            ClaimVerdict::Claim => ClaimVerdict::Claim,
            bare @ (ClaimVerdict::NearMiss(_) | ClaimVerdict::Nothing) => {
                match judge_last(text, &tag, SignalKind::Markup) {
                    ClaimVerdict::Nothing => bare,
                    tagged @ (ClaimVerdict::Claim | ClaimVerdict::NearMiss(_)) => tagged,
                }
            }
        },
    }
}

/// Returns the near miss of a text without the right tag, if it looks like a claim.
fn judge_without_tag(text: &str, word: &LiteralPattern) -> ClaimVerdict {
    if let Some(other) = wrong_word(text) {
        return ClaimVerdict::NearMiss(NearMissReason::WrongWord(other));
    }
    match judge_last(text, word, SignalKind::Word) {
        ClaimVerdict::Claim => ClaimVerdict::NearMiss(NearMissReason::BareWord),
        ClaimVerdict::NearMiss(_) | ClaimVerdict::Nothing => ClaimVerdict::Nothing,
    }
}

fn judge_last(text: &str, pattern: &LiteralPattern, form: SignalKind) -> ClaimVerdict {
    match pattern.rfind(text, window_start(text)) {
        Some(found) => judge(text, &found, form),
        None => ClaimVerdict::Nothing,
    }
}

/// Judges one signal. Sincere and at the end, it is a claim. With one of the two
/// missing it is a near miss; with both missing it is a mere mention.
fn judge(text: &str, found: &Range<usize>, form: SignalKind) -> ClaimVerdict {
    let rest = &text[found.end..];
    match (doubt(text, found), tail(rest, form)) {
        (None, TrailingText::Clean) => ClaimVerdict::Claim,
        // A bare word further up is ordinary prose.
        (None, _) if form == SignalKind::Word && rest.contains('\n') => ClaimVerdict::Nothing,
        (None, TrailingText::Closing | TrailingText::Text) => {
            ClaimVerdict::NearMiss(NearMissReason::MoreTextFollows)
        }
        (Some(reason), TrailingText::Clean | TrailingText::Closing) => {
            ClaimVerdict::NearMiss(reason)
        }
        // A sincere claim, followed by more text.
        (Some(_), TrailingText::Text) if form == SignalKind::Markup && is_sincere(text, found) => {
            ClaimVerdict::NearMiss(NearMissReason::MoreTextFollows)
        }
        (Some(_), TrailingText::Text) => ClaimVerdict::Nothing,
    }
}

/// Returns true if a signal starts its line and stands alone, outside of code and
/// quotations.
fn is_sincere(text: &str, found: &Range<usize>) -> bool {
    let before = text[..found.start].rsplit('\n').next().unwrap_or_default();
    let is_apart = text[found.end..].starts_with(char::is_whitespace);
    let is_plain = !markdown::is_code(text, found) && !markdown::is_quoted(text, found);
    before.trim().is_empty() && is_apart && is_plain
}

fn doubt(text: &str, found: &Range<usize>) -> Option<NearMissReason> {
    if markdown::is_code(text, found) {
        return Some(NearMissReason::InCode);
    }
    if markdown::is_quoted(text, found) {
        return Some(NearMissReason::Quoted);
    }
    let before = sentence::unfinished(&text[..found.start]);
    let after = sentence::first(&text[found.end..]);
    hedge::find(before).or_else(|| hedge::find(after)).map(|hedge| match hedge {
        HedgeKind::Negated => NearMissReason::Negated,
        HedgeKind::Conditional => NearMissReason::Conditional,
    })
}

fn tail(rest: &str, form: SignalKind) -> TrailingText {
    let mut tail = TrailingText::Clean;
    let mut full_stops = 0;
    for c in rest.chars() {
        match c {
            '*' | '_' | '!' | '！' => {}
            ')' | ']' if form == SignalKind::Word => {}
            '.' | '。' => full_stops += 1,
            '`' | '~' | ')' | ']' | '|' => tail = TrailingText::Closing,
            _ if c.is_whitespace() => {}
            _ if markdown::closes_quote(c) => tail = TrailingText::Closing,
            _ => return TrailingText::Text,
        }
    }
    // Several full stops are an ellipsis: the sentence is unfinished.
    if full_stops > 1 { TrailingText::Closing } else { tail }
}

/// Returns the words in a promise tag that ends the text like a claim.
fn wrong_word(text: &str) -> Option<String> {
    let from = window_start(text);
    let closing = LiteralPattern::markup("</promise>").rfind(text, from)?;
    let opening = LiteralPattern::markup("<promise>").rfind(&text[..closing.start], from)?;
    let claimed = judge(text, &(opening.start..closing.end), SignalKind::Markup);
    let words = text[opening.end..closing.start].split_whitespace().collect::<Vec<_>>().join(" ");
    matches!(claimed, ClaimVerdict::Claim).then(|| words.chars().take(WORD_SHOWN).collect())
}

fn window_start(text: &str) -> usize {
    let earliest = text.len().saturating_sub(WINDOW);
    (earliest..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

fn visible_words(text: &str) -> Option<String> {
    let words = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
#[path = "claim/property_tests.rs"]
mod property_tests;
#[cfg(test)]
#[path = "claim/table_tests.rs"]
mod tests;
