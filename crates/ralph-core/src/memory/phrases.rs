//! Several words that mean one thing, and numbers with the unit behind them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::quantity::{self, Unit};
use super::words::{Class, Word};

/// What is said in several words, and the words that say the same.
const PHRASES: &[(&str, &str)] = &[
    ("time out", "timeout"),
    ("times out", "timeout"),
    ("timed out", "timeout"),
    ("timing out", "timeout"),
    ("pull request", "pr"),
    ("pull requests", "pr"),
    ("merge request", "pr"),
    ("풀 request", "pr"),
    ("no longer", "not longer"),
    ("not any more", "not longer"),
    ("shut down", "retired"),
    ("shuts down", "stop"),
    ("given up", "abandoned"),
    ("gave up", "abandoned"),
    ("give up", "abandoned"),
    ("got rid of", "removed"),
    ("get rid of", "remove"),
    ("kick off", "start"),
    ("kicks off", "start"),
    ("kicked off", "start"),
    ("set up", "setup"),
    ("has to", "must"),
    ("have to", "must"),
    ("had to", "must"),
    ("needs to", "must"),
    ("need to", "must"),
    ("ought to", "must"),
    ("is to", "must"),
    ("are to", "must"),
    ("supposed to", "must"),
    ("by hand", "manual"),
    ("by itself", "automatic"),
    ("by themselves", "automatic"),
    ("on its own", "automatic"),
    ("on their own", "automatic"),
    ("on demand", "lazily"),
    ("at least", "minimum"),
    ("at most", "maximum"),
    ("no more than", "maximum"),
    ("not more than", "maximum"),
    ("up to", "maximum"),
    ("or later", "minimum"),
    ("or newer", "minimum"),
    ("or higher", "minimum"),
    ("or above", "minimum"),
    ("and up", "minimum"),
    ("as well", "also"),
    ("in addition", "also"),
    ("in favour of", "favouring"),
    ("in favor of", "favouring"),
    ("instead of", "insteadof"),
    ("rather than", "insteadof"),
    ("as opposed to", "insteadof"),
    ("in place of", "insteadof"),
    ("other than", "except"),
    ("continuous integration", "ci"),
    ("environment variable", "envvar"),
    ("environment variables", "envvar"),
    ("env var", "envvar"),
    ("env vars", "envvar"),
    ("code review", "review"),
    ("data base", "database"),
    ("file name", "filename"),
    ("file names", "filename"),
    ("time zone", "timezone"),
    ("now and then", "sometimes"),
    ("from time to time", "sometimes"),
    ("every now and then", "sometimes"),
    ("turned on", "enabled"),
    ("turns on", "enables"),
    ("turn on", "enable"),
    ("switched on", "enabled"),
    ("switch on", "enable"),
    ("turned off", "disabled"),
    ("turns off", "disables"),
    ("turn off", "disable"),
    ("switched off", "disabled"),
    ("switch off", "disable"),
    ("is on", "is enabled"),
    ("are on", "are enabled"),
    ("be on", "be enabled"),
    ("is off", "is disabled"),
    ("are off", "are disabled"),
    ("be off", "be disabled"),
    ("to on", "to enabled"),
    ("to off", "to disabled"),
    ("checked in", "tracked"),
    ("check in", "track"),
    ("in git", "tracked"),
    ("in version control", "tracked"),
    ("stay alive", "keep running"),
    ("stays alive", "keep running"),
    ("look like", "follow"),
    ("looks like", "follow"),
    ("allowed to", "may"),
    ("free to", "may"),
    ("able to", "can"),
    ("turned round", "reversed"),
    ("turned around", "reversed"),
    ("other way round", "reversed"),
    ("other way around", "reversed"),
    ("source code", "code"),
    ("command line", "cli"),
    ("work tree", "worktree"),
    ("user interface", "ui"),
    ("type script", "typescript"),
    ("roll back", "rollback"),
    ("rolled back", "rollback"),
    ("ask for", "request"),
    ("asked for", "request"),
    ("depends on", "depend"),
    ("runs out of", "exhausts"),
    ("out of date", "stale"),
    ("made of", "consist"),
    ("as long as", "while"),
    ("as soon as", "once"),
    ("in case", "if"),
    ("provided that", "if"),
    ("only if", "if"),
    ("only when", "if"),
    ("except when", "unless"),
    ("except if", "unless"),
    ("not until", "lazily"),
    ("unless told otherwise", "default"),
    ("unless otherwise specified", "default"),
    ("unless configured otherwise", "default"),
    ("unless overridden", "default"),
    ("if not set", "default"),
    ("if unset", "default"),
    ("end to end", "e2e"),
    ("by default", "default"),
    ("every night", "nightly"),
    ("each night", "nightly"),
    ("out of", "outof"),
    ("away from", "outof"),
    ("its own", "separate"),
    ("their own", "separate"),
    ("is out", "is gone"),
    ("no more", "not longer"),
    ("hand written", "manual"),
    ("written by hand", "manual"),
    ("auto generated", "automatic"),
    ("out of memory", "oom"),
    ("exhausts memory", "oom"),
    ("log out", "logout"),
    ("logs out", "logout"),
    ("logged out", "logout"),
    ("sign out", "logout"),
    ("run out of memory", "oom"),
    ("runs out of memory", "oom"),
    ("outside of", "outside"),
    ("inside of", "inside"),
    ("cleaned up", "removed"),
    ("cleans up", "removes"),
    ("clean up", "remove"),
    ("free of", "without"),
    ("leaves out", "skips"),
    ("leave out", "skip"),
    ("left out", "skipped"),
    ("thrown away", "removed"),
    ("throws away", "removes"),
    ("picked up", "loaded"),
    ("picks up", "loads"),
    ("upper case", "uppercase"),
    ("lower case", "lowercase"),
    ("log in", "login"),
    ("logs in", "login"),
    ("sign in", "login"),
    ("part of", "included"),
    ("end up", "go"),
    ("ends up", "goes"),
    ("carried out", "run"),
    ("taken care of", "handled"),
    ("more than once", "twice"),
    ("falls back", "defaults"),
    ("fall back", "default"),
    ("one at a time", "sequentially"),
    ("at the same time", "concurrently"),
    ("at once", "concurrently"),
    ("in parallel", "concurrently"),
    ("side by side", "beside"),
    ("next to", "beside"),
    ("text message", "sms"),
    ("text messages", "sms"),
];

/// Words with phrases and amounts put together.
pub(super) fn joined(words: &[Word]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if let Some(word) = found.last().and_then(|before| single(before, &words[at..])) {
            found.push(word);
            at += 2;
        } else if let Some((word, length)) = amount(&words[at..]) {
            found.push(word);
            at += length;
        } else if let Some((meant, length)) = phrase(&words[at..]) {
            found.extend(meant.split(' ').map(Word::plain));
            at += length;
        } else {
            found.push(words[at].clone());
            at += 1;
        }
    }
    found
}

/// The words of a phrase, and what it means.
type Phrase = (Vec<&'static str>, &'static str);

fn phrase(words: &[Word]) -> Option<(&'static str, usize)> {
    static BY_FIRST: LazyLock<HashMap<&str, Vec<Phrase>>> = LazyLock::new(|| {
        let mut table: HashMap<&str, Vec<Phrase>> = HashMap::new();
        for (phrase, meant) in PHRASES {
            let parts: Vec<&str> = phrase.split(' ').collect();
            table.entry(parts[0]).or_default().push((parts, meant));
        }
        table
    });
    let first = words.first().filter(|word| word.class == Class::Plain)?;
    let fits = |parts: &[&str]| {
        let is_next =
            |(part, word): (&&str, &Word)| word.class == Class::Plain && word.text == **part;
        parts.len() <= words.len() && parts.iter().zip(words).all(is_next)
    };
    let known = BY_FIRST.get(first.text.as_str())?;
    let found = known.iter().filter(|(parts, _)| fits(parts));
    found.max_by_key(|(parts, _)| parts.len()).map(|(parts, meant)| (*meant, parts.len()))
}

/// A number and the unit that follows it, and how many words that are.
fn amount(words: &[Word]) -> Option<(Word, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    if let Some(found) = often(words) {
        return Some(found);
    }
    let first = words.first()?;
    if text(0) == "half" {
        let at = if matches!(text(1), "a" | "an") { 2 } else { 1 };
        let (unit, scale) = quantity::unit(text(at)).filter(|(unit, _)| *unit != Unit::Count)?;
        return Some((numbered(0.5, unit, scale), at + 1));
    }
    let number = match first.class {
        Class::Number(Unit::Count) => first.stem.parse().ok()?,
        Class::Plain => quantity::spelled(text(0)).filter(|_| is_counting(words))?,
        Class::Number(_) | Class::Code | Class::Mark => return None,
    };
    // "Two months" is an amount, "two time zones" is not.
    let unit = words.get(1).filter(|word| word.class != Class::Mark);
    match unit.and_then(|word| quantity::unit(&word.text)) {
        Some((unit, scale)) if text(1).len() > 1 || first.is_number() => {
            Some((numbered(number, unit, scale), 2))
        }
        Some(_) | None => Some((numbered(number, Unit::Count, 1.0), 1)),
    }
}

/// How often something happens, as the time between: "daily", "once a week".
fn often(words: &[Word]) -> Option<(Word, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    let (unit, length) = match text(0) {
        "hourly" => ("hour", 1),
        "daily" => ("day", 1),
        "weekly" => ("week", 1),
        "monthly" => ("month", 1),
        "yearly" | "annually" => ("year", 1),
        "every" | "each" if text(1) != "second" => (text(1), 2),
        "by" => (text(1), 2),
        "once" if matches!(text(1), "a" | "an" | "per") => (text(2), 3),
        _ => return None,
    };
    let (unit, scale) = quantity::unit(unit).filter(|(unit, _)| *unit == Unit::Time)?;
    Some((numbered(1.0, unit, scale), length))
}

/// "A day" as an amount, behind a word that leads to one.
fn single(before: &Word, words: &[Word]) -> Option<Word> {
    let [article, unit, ..] = words else { return None };
    let leads = "within after for take takes maximum minimum than about every each per";
    if !matches!(article.text.as_str(), "a" | "an")
        || !leads.split(' ').any(|lead| lead == before.text)
    {
        return None;
    }
    let (unit, scale) = quantity::unit(&unit.text).filter(|(unit, _)| *unit == Unit::Time)?;
    Some(numbered(1.0, unit, scale))
}

/// Whether a number word counts something: "one" seldom does.
fn is_counting(words: &[Word]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let before_thing = rest.first().is_some_and(|word| word.class == Class::Plain);
    match first.text.as_str() {
        "one" | "한" | "세" | "네" | "영" | "열" => {
            before_thing && rest.first().is_some_and(|word| quantity::unit(&word.text).is_some())
        }
        _ => true,
    }
}

fn numbered(amount: f64, unit: Unit, scale: f64) -> Word {
    Word::amount(quantity::measured(amount, unit, scale))
}
