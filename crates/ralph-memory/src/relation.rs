//! Does a new note say the same as an old one, or take its place?
//!
//! Only the strict case is decided here: the words are the same but for one
//! number, version or path, or for a denial. All else is left to whoever reads
//! both. What differs must be what the note says and not what it is about:
//! "server 1 is slow" and "server 2 is slow" both hold. In doubt both stay.

mod korean;

/// What a new note is to an old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteRelation {
    /// It says the same, word for word.
    Same,
    /// It takes the place of the old one.
    Replaces(NoteChange),
    /// Both stand.
    Apart,
}

/// Why two notes cannot both hold, in their own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteChange {
    /// The same thing has another value now.
    Value {
        /// What the old note says.
        was: String,
        /// What the new note says.
        now: String,
    },
    /// One denies what the other says.
    Denied,
}

/// Longer texts, in bytes, say more than one thing.
pub const LONGEST_RELATED: usize = 4096;

/// Words that add nothing to what is compared.
const FILLERS: &[&str] = &[
    "a",
    "an",
    "the",
    "now",
    "currently",
    "always",
    "already",
    "any",
    "anymore",
    "longer",
    "yet",
    "ever",
];

/// Verbs that end what a sentence is about.
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "can", "could", "must",
    "should", "will", "would", "may", "might", "needs", "need", "takes", "take", "uses", "use",
    "requires", "require", "means", "runs", "run", "gets", "get",
];

/// Verbs that tie one thing to what follows them, a name and its number too.
const TYING: &[&str] = &["is", "are", "was", "uses", "use", "requires", "require", "runs"];

/// Words directly before a number that is a value.
const BEFORE_VALUES: &[&str] = &[
    "is", "are", "was", "were", "be", "has", "have", "had", "needs", "need", "takes", "take",
    "uses", "use", "requires", "require", "to", "at", "after", "than", "least", "most", "within",
    "until", "about", "exactly", "only", "every", "of", "over", "under", "up", "below", "above",
    "by",
];

/// Words after which a clause only says when or of what something holds.
const CONDITIONS: &[&str] = &[
    "if", "when", "while", "unless", "where", "that", "which", "who", "whose", "because", "since",
    "for", "in", "on", "with", "from", "during", "before", "after", "until", "under", "at", "by",
    "as", "without", "once",
];

/// Words that begin another clause.
const JOINING: &[&str] = &["and", "but", "so", "or", "because", "if", "when", "while", "unless"];

/// Words of a note that says what holds beside something else.
const ADDING: &[&str] = &[
    "also",
    "another",
    "too",
    "some",
    "sometimes",
    "either",
    "or",
    "including",
    "one",
    "other",
    "second",
];

/// Ways to say where the only one of its kind is.
const PLACED: &[&str] = &["is", "are", "was", "lives", "live", "kept", "stored", "defined"];

/// A word of a note.
struct NoteWord<'a> {
    /// As it was written, without the signs around it.
    raw: &'a str,
    /// As it is compared.
    key: String,
    /// Whether a sign behind it ends its clause.
    is_last: bool,
    /// Whether that sign is a colon, as in `timeout: 5s`.
    is_label: bool,
}

/// Relates a new note to an old one.
pub fn relate(old: &str, new: &str) -> NoteRelation {
    if old.len().max(new.len()) > LONGEST_RELATED {
        return if old == new { NoteRelation::Same } else { NoteRelation::Apart };
    }
    let (was, now) = (words(old), words(new));
    if was.is_empty() || now.is_empty() {
        return NoteRelation::Apart;
    }
    if gist(old) == gist(new) {
        return NoteRelation::Same;
    }
    if let Some(at) = only_difference(&was, &now) {
        let is_value = is_value(&was, at) && is_value(&now, at);
        let change =
            || NoteChange::Value { was: was[at].raw.to_owned(), now: now[at].raw.to_owned() };
        if is_value {
            return NoteRelation::Replaces(change());
        }
    }
    if is_denied(&was, &now) || is_denied(&now, &was) || korean::is_denied(old, new) {
        return NoteRelation::Replaces(NoteChange::Denied);
    }
    NoteRelation::Apart
}

/// The words of a text as they are compared: texts with the same ones say the same.
pub fn gist(text: &str) -> Vec<String> {
    if text.len() > LONGEST_RELATED {
        return vec![text.to_owned()];
    }
    words(text).into_iter().map(|word| word.key).collect()
}

/// Whether one of two notes cannot hold beside the other, whichever is newer.
pub fn exclude_each_other(one: &str, other: &str) -> bool {
    matches!(relate(one, other), NoteRelation::Replaces(_))
}

/// The reason for a replacement in the words of the notes.
pub fn reason(change: &NoteChange, new: &str) -> String {
    match change {
        NoteChange::Value { was, now } => format!("it was {was} and is {now}"),
        NoteChange::Denied => format!("now: {new}"),
    }
}

fn words(text: &str) -> Vec<NoteWord<'_>> {
    let mut found: Vec<NoteWord<'_>> = Vec::new();
    for part in text.split_whitespace() {
        let raw = part.trim_matches(|c: char| !c.is_alphanumeric() && !"/~$%<>=+-_.@#".contains(c));
        let raw = raw.trim_end_matches(['.', ':']);
        let is_last = part.ends_with(['.', ',', ';', ':', '!', '?', ')']);
        if raw.is_empty() {
            if let Some(before) = found.last_mut() {
                before.is_last = true;
            }
            continue;
        }
        // Names of code differ by their capitals, other words do not.
        let is_code = part.contains('`') || raw.chars().skip(1).any(char::is_uppercase);
        let key = if is_code { raw.to_owned() } else { raw.to_lowercase().replace('’', "'") };
        let before = found.last().map_or("", |before| before.key.as_str());
        if key == "not" && matches!(before, "do" | "does" | "did") {
            found.pop();
            found.push(NoteWord { raw, key: "don't".to_owned(), is_last, is_label: false });
        } else if !FILLERS.contains(&key.as_str()) {
            found.push(NoteWord { raw, key, is_last, is_label: part.ends_with(':') });
        } else if let Some(before) = found.last_mut().filter(|_| is_last) {
            before.is_last = true;
        }
    }
    found
}

/// Where two texts differ, if it is in one word.
fn only_difference(one: &[NoteWord<'_>], other: &[NoteWord<'_>]) -> Option<usize> {
    if one.len() != other.len() {
        return None;
    }
    let mut differ = (0..one.len()).filter(|at| one[*at].key != other[*at].key);
    differ.next().filter(|_| differ.next().is_none())
}

/// What may differ between notes of which the later one stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Number,
    Version,
    Path,
}

impl ValueKind {
    fn of(raw: &str) -> Option<Self> {
        let raw = raw.trim_end_matches(korean::is_hangul);
        let bare = raw.trim_start_matches(['$', '~', '<', '>', '=', '+', '-', '€', '£']);
        let digits = bare.strip_prefix('v').filter(|rest| rest.starts_with(is_digit));
        let digits = digits.unwrap_or(bare);
        let is_path = raw.contains('/') && raw.contains(|c: char| c.is_ascii_alphabetic());
        let has_ending = || {
            let (name, ending) = raw.rsplit_once('.')?;
            let is_ending = (1..=5).contains(&ending.len())
                && ending.bytes().all(|byte| byte.is_ascii_lowercase());
            (is_ending && name.len() > 1 && !name.starts_with(is_digit)).then_some(())
        };
        if is_path || has_ending().is_some() {
            return Some(Self::Path);
        }
        let is_dotted =
            || digits.split('.').take(2).filter(|part| part.starts_with(is_digit)).count() == 2;
        match digits.starts_with(is_digit) {
            true if digits.len() < bare.len() || is_dotted() => Some(Self::Version),
            true => Some(Self::Number),
            false => None,
        }
    }
}

const fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether the word at a place is what a text says of something, and not a part
/// of the name of what it speaks of.
fn is_value(words: &[NoteWord<'_>], at: usize) -> bool {
    let Some(kind) = ValueKind::of(words[at].raw) else { return false };
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.key.as_str()));
    // Of what is not so, two things can be said at once.
    if words.iter().any(|word| is_denial(&word.key)) || has(ADDING) {
        return false;
    }
    if words.iter().any(|word| word.raw.contains(korean::is_hangul)) {
        return korean::is_value(words, at, kind);
    }
    let key = |at: usize| words[at].key.as_str();
    let starts = |at: usize| at == 0 || words[at - 1].is_last || JOINING.contains(&key(at));
    let start = (0..=at).rev().find(|at| starts(*at)).unwrap_or_default();
    let end = (at + 1..words.len()).find(|at| starts(*at)).unwrap_or(words.len());
    let is_subject = (at + 1..end).any(|after| VERBS.contains(&key(after)));
    // `timeout: 5s` is a value whose name is the only thing before it.
    let is_labelled = at == start && at > 0 && words[at - 1].is_label;
    if is_labelled && !words[..at - 1].iter().any(|word| word.is_last) {
        return !is_subject;
    }
    if at == start || CONDITIONS.contains(&key(start)) || is_subject {
        return false;
    }
    let before = |steps: usize| at.checked_sub(steps).filter(|at| *at >= start).map(key);
    let is_before =
        |steps: usize, list: &[&str]| before(steps).is_some_and(|it| list.contains(&it));
    let begins = |word: &str| words.first().is_some_and(|first| first.key == word);
    match kind {
        ValueKind::Path => {
            let is_named = is_before(1, TYING);
            let is_placed = is_before(1, &["in", "at", "under"]) && is_before(2, PLACED);
            at + 1 == words.len() && (is_named || is_placed) && !begins("there")
        }
        ValueKind::Number | ValueKind::Version => {
            let is_of_name = before(1).is_some_and(|name| !VERBS.contains(&name));
            // "Use rule 3 for imports" holds beside "use rule 4 for imports".
            is_before(1, BEFORE_VALUES) || is_of_name && at > 2 && is_before(2, TYING)
        }
    }
}

fn is_denial(key: &str) -> bool {
    matches!(key, "not" | "never" | "no" | "cannot" | "nobody" | "none" | "neither" | "nor")
        || key.ends_with("n't")
        || korean::is_denial(key)
}

/// Whether the first text is the second with one denial of what it says.
fn is_denied(denied: &[NoteWord<'_>], plain: &[NoteWord<'_>]) -> bool {
    if plain.iter().any(|word| is_denial(&word.key)) {
        return false;
    }
    let mut places = (0..denied.len()).filter(|at| is_denial(&denied[*at].key));
    let (Some(at), None) = (places.next(), places.next()) else { return false };
    let word = denied[at].key.as_str();
    // "Don't" and "doesn't" go as a whole; of "can't" the verb stays.
    let verb = match word {
        "not" | "never" | "no" | "don't" | "doesn't" | "didn't" => None,
        "cannot" | "can't" => Some("can"),
        "won't" => Some("will"),
        _ => Some(word.strip_suffix("n't").unwrap_or_default()),
    };
    let is_conditional = |word: &NoteWord<'_>| {
        matches!(
            word.key.as_str(),
            "if" | "when" | "while" | "unless" | "where" | "that" | "which" | "who" | "whose"
        )
    };
    let follows_verb = at > 0 && VERBS.contains(&denied[at - 1].key.as_str());
    let is_of_sentence = at == 0 || verb.is_some() || follows_verb || word != "not" && word != "no";
    if denied[..at].iter().any(is_conditional) || !is_of_sentence {
        return false;
    }
    let before = denied[..at].iter().map(|word| word.key.as_str());
    let behind = denied[at + 1..].iter().map(|word| word.key.as_str());
    let told: Vec<&str> = before.chain(verb).chain(behind).collect();
    told.len() == plain.len()
        && told.iter().zip(plain).all(|(one, other)| is_same_verb(one, &other.key))
}

/// Whether two words are one but for the ending of the third person.
fn is_same_verb(one: &str, other: &str) -> bool {
    let third = |short: &str, long: &str| {
        long.strip_prefix(short).is_some_and(|end| matches!(end, "" | "s" | "es"))
            || short.strip_suffix('y').is_some_and(|stem| long.strip_suffix("ies") == Some(stem))
    };
    third(one, other) || third(other, one)
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
