//! Whether the agent's final text says that it is done.
//!
//! A mention is not a claim: agents explain the protocol, quote it, plan to
//! use it and echo their instructions. So the signal has to end the text, in
//! the agent's own voice, in a sentence that takes nothing back. What comes
//! close is a near miss with its reason, so that the feedback can say it.

mod explain;
mod hedge;
pub(crate) mod markdown;
mod pattern;
pub(crate) mod plain;
pub(crate) mod sentence;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use hedge::Hedge;
use pattern::Pattern;

pub use plain::plain;

/// How far before the end a tag or word is looked for, in bytes.
///
/// A tag with more text than this after it belongs to an earlier report.
const WINDOW: usize = 16 * 1024;

/// How many characters of a wrong word are repeated.
const WORD_SHOWN: usize = 80;

/// What the agent is to say when all is done, never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Promise(String);

impl Promise {
    /// The promise without surrounding white space and invisible characters,
    /// white space inside made single spaces; `None`, which disables it, when
    /// nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        visible_words(text).map(Self)
    }

    /// The promise as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The promise in its tag, as the agent has to write it in [`MatchMode::Tag`].
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
    /// The marker, cleaned as [`Promise::new`] does; `None` when it is empty.
    pub fn new(text: &str) -> Option<Self> {
        visible_words(text).map(Self)
    }

    /// The markers known without configuration.
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

    /// The marker as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How the promise has to stand in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatchMode {
    /// The text ends with `<promise>X</promise>`, in any letter case.
    #[default]
    Tag,
    /// The last line ends with X itself, to the letter, or with its tag.
    Word,
    /// X stands anywhere as a whole word, to the letter, whatever is said of it.
    Contains,
}

/// Text that names no match mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a match mode; expected `tag`, `word` or `contains`")]
pub struct ParseMatchModeError(String);

impl MatchMode {
    /// The name used in config files and on the command line.
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

/// What counts as a claim in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRules {
    /// The promise; `None` when only markers can claim.
    pub promise: Option<Promise>,
    /// How the promise has to stand in the text; markers always follow `tag`.
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

/// Whether a text claims that the work is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It does.
    Made(ClaimKind),
    /// It does not, and no sign of a claim ends it.
    None,
    /// It may have been meant as a claim, but is none.
    NearMiss(Reason),
}

/// What a claim was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// The run's promise.
    Promise,
    /// This marker, as configured.
    Marker(String),
}

/// Why something that looks like a claim is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The text goes on after it.
    MoreTextFollows,
    /// It stands in a fenced block or an inline code span.
    InCode,
    /// It stands in a block quotation or in quotation marks.
    Quoted,
    /// Its sentence says that something is not so.
    Negated,
    /// Its sentence says when, whether or that it is going to be said.
    Conditional,
    /// The text ends with the promise, but the tag is missing.
    BareWord,
    /// The text ends with a promise tag that holds these words instead.
    WrongWord(String),
}

/// Looks for a claim in the final assistant text.
///
/// Terminal codes and invisible characters are removed first. The promise is
/// judged before the markers, and any claim outranks any near miss.
pub fn detect(text: &str, rules: &ClaimRules) -> Claim {
    let text = plain(text);
    let text = text.trim_end();
    let promised = match &rules.promise {
        Some(promise) => judge_promise(text, promise, rules.mode),
        None => Verdict::Nothing,
    };
    let mut near_miss = match promised {
        Verdict::Claim => return Claim::Made(ClaimKind::Promise),
        Verdict::NearMiss(reason) => Some(reason),
        Verdict::Nothing => None,
    };
    for marker in &rules.markers {
        match judge_last(text, &Pattern::markup(&marker.0), Form::Markup) {
            Verdict::Claim => return Claim::Made(ClaimKind::Marker(marker.0.clone())),
            Verdict::NearMiss(reason) => near_miss = near_miss.or(Some(reason)),
            Verdict::Nothing => {}
        }
    }
    near_miss.map_or(Claim::None, Claim::NearMiss)
}

enum Verdict {
    Claim,
    NearMiss(Reason),
    Nothing,
}

/// What kind of signal is judged; punctuation may hug a word, not a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Markup,
    Word,
}

/// What stands after the signal.
enum Tail {
    /// Nothing that matters: white space, emphasis, one full stop.
    Clean,
    /// Only marks that close something opened before it.
    Closing,
    /// Text.
    Text,
}

fn judge_promise(text: &str, promise: &Promise, mode: MatchMode) -> Verdict {
    let word = Pattern::word(promise.as_str());
    let tag = Pattern::markup(&promise.tag());
    match mode {
        MatchMode::Contains => match word.rfind(text, 0) {
            Some(_) => Verdict::Claim,
            None => Verdict::Nothing,
        },
        MatchMode::Tag => match judge_last(text, &tag, Form::Markup) {
            Verdict::Nothing => judge_without_tag(text, &word),
            judged @ (Verdict::Claim | Verdict::NearMiss(_)) => judged,
        },
        MatchMode::Word => match judge_last(text, &word, Form::Word) {
            Verdict::Claim => Verdict::Claim,
            bare @ (Verdict::NearMiss(_) | Verdict::Nothing) => {
                match judge_last(text, &tag, Form::Markup) {
                    Verdict::Nothing => bare,
                    tagged @ (Verdict::Claim | Verdict::NearMiss(_)) => tagged,
                }
            }
        },
    }
}

/// What a text without the right tag lacks, if it looks like a claim.
fn judge_without_tag(text: &str, word: &Pattern) -> Verdict {
    if let Some(other) = wrong_word(text) {
        return Verdict::NearMiss(Reason::WrongWord(other));
    }
    match judge_last(text, word, Form::Word) {
        Verdict::Claim => Verdict::NearMiss(Reason::BareWord),
        Verdict::NearMiss(_) | Verdict::Nothing => Verdict::Nothing,
    }
}

fn judge_last(text: &str, pattern: &Pattern, form: Form) -> Verdict {
    match pattern.rfind(text, window_start(text)) {
        Some(found) => judge(text, &found, form),
        None => Verdict::Nothing,
    }
}

/// Judges one signal: said sincerely and last, it is a claim; with one of the
/// two missing a near miss; with both missing it is only talked about.
fn judge(text: &str, found: &Range<usize>, form: Form) -> Verdict {
    let rest = &text[found.end..];
    match (doubt(text, found), tail(rest, form)) {
        (None, Tail::Clean) => Verdict::Claim,
        // A bare word further up is ordinary prose.
        (None, _) if form == Form::Word && rest.contains('\n') => Verdict::Nothing,
        (None, Tail::Closing | Tail::Text) => Verdict::NearMiss(Reason::MoreTextFollows),
        (Some(reason), Tail::Clean | Tail::Closing) => Verdict::NearMiss(reason),
        // Said sincerely, and taken back by what follows.
        (Some(_), Tail::Text) if form == Form::Markup && is_sincere(text, found) => {
            Verdict::NearMiss(Reason::MoreTextFollows)
        }
        (Some(_), Tail::Text) => Verdict::Nothing,
    }
}

/// Whether a signal stands by itself at the beginning of a line, outside of code
/// and quotations.
fn is_sincere(text: &str, found: &Range<usize>) -> bool {
    let before = text[..found.start].rsplit('\n').next().unwrap_or_default();
    let is_apart = text[found.end..].starts_with(char::is_whitespace);
    let is_plain = !markdown::is_code(text, found) && !markdown::is_quoted(text, found);
    before.trim().is_empty() && is_apart && is_plain
}

fn doubt(text: &str, found: &Range<usize>) -> Option<Reason> {
    if markdown::is_code(text, found) {
        return Some(Reason::InCode);
    }
    if markdown::is_quoted(text, found) {
        return Some(Reason::Quoted);
    }
    let before = sentence::unfinished(&text[..found.start]);
    let after = sentence::first(&text[found.end..]);
    hedge::find(before).or_else(|| hedge::find(after)).map(|hedge| match hedge {
        Hedge::Negated => Reason::Negated,
        Hedge::Conditional => Reason::Conditional,
    })
}

fn tail(rest: &str, form: Form) -> Tail {
    let mut tail = Tail::Clean;
    let mut full_stops = 0;
    for c in rest.chars() {
        match c {
            '*' | '_' | '!' | '！' => {}
            ')' | ']' if form == Form::Word => {}
            '.' | '。' => full_stops += 1,
            '`' | '~' | ')' | ']' | '|' => tail = Tail::Closing,
            _ if c.is_whitespace() => {}
            _ if markdown::closes_quote(c) => tail = Tail::Closing,
            _ => return Tail::Text,
        }
    }
    // Several full stops trail off: what should follow was left unsaid.
    if full_stops > 1 { Tail::Closing } else { tail }
}

/// The words in a promise tag that ends the text as a claim would.
fn wrong_word(text: &str) -> Option<String> {
    let from = window_start(text);
    let closing = Pattern::markup("</promise>").rfind(text, from)?;
    let opening = Pattern::markup("<promise>").rfind(&text[..closing.start], from)?;
    let claimed = judge(text, &(opening.start..closing.end), Form::Markup);
    let words = text[opening.end..closing.start].split_whitespace().collect::<Vec<_>>().join(" ");
    matches!(claimed, Verdict::Claim).then(|| words.chars().take(WORD_SHOWN).collect())
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
