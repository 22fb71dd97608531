//! Several words that mean one thing, and numbers with the unit behind them.

use std::sync::LazyLock;

use super::clock;
use super::idioms::PHRASES;
use super::kinds::kind;
use super::numerals;
use super::quantity::{self, Unit};
use super::stems::find_base;
use super::tables::Table;
use super::words::{Class, Word};

/// Words with phrases and amounts put together.
pub(super) fn joined(words: &[Word]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if let Some(word) = and_a_half(&words[at..]) {
            found.push(word);
            at += 5;
        } else if is_ceasing(&words[at..]) {
            found.extend(["not", "longer"].map(Word::plain));
            at += 1;
        } else if let Some(word) = found.last().and_then(|before| single(before, &words[at..])) {
            found.push(word);
            at += 2;
        } else if let Some((word, length)) = numerals::fraction(&words[at..]) {
            found.push(word);
            at += length;
        } else if let Some(word) = quarter(&words[at..]) {
            found.push(word);
            at += 4;
        } else if let Some(clock) = time_of_day(&words[at]) {
            found.push(clock);
            at += 1;
        } else if is_origin(found.last(), &words[at..]) {
            found.push(Word::plain("from"));
            at += 1;
        } else if is_anaphor(found.last(), &words[at..]) {
            at += 1;
        } else if is_just_one(found.last(), &words[at..]) {
            found.push(numbered(1.0, Unit::Count, 1.0));
            at += 1;
        } else if let Some((word, length)) = clock::read(&words[at..]) {
            found.push(word);
            at += length;
        } else if let Some((word, length)) = amount(&words[at..]) {
            found.push(word);
            at += length;
        } else if let Some((meant, length)) = phrase(&words[at..]) {
            found.extend(meant.split(' ').map(plain_or_number));
            at += length;
        } else {
            found.push(words[at].clone());
            at += 1;
        }
    }
    name_missing(&mut found);
    without_weekly(found)
}

/// "No currency is given" and "the currency is not set" say that it is missing.
fn name_missing(words: &mut Vec<Word>) {
    const THERE: [&str; 8] =
        ["given", "set", "provided", "specified", "present", "defined", "supplied", "passed"];
    let is_being = |word: &Word| matches!(word.text.as_str(), "is" | "are" | "was");
    let Some(at) = words.iter().position(|word| THERE.contains(&word.text.as_str())) else {
        return;
    };
    let is_not = at > 1 && words[at - 1].text == "not" && is_being(&words[at - 2]);
    let from = at.saturating_sub(4);
    let no = words[from..at].iter().position(|word| word.text == "no").map(|step| from + step);
    let no = no.filter(|_| is_being(&words[at - 1]));
    let Some(denial) = no.or_else(|| is_not.then(|| at - 1)) else { return };
    words[at] = Word::plain("missing");
    words.remove(denial);
}

/// "Once a week on Monday" is every Monday.
fn without_weekly(mut words: Vec<Word>) -> Vec<Word> {
    // "Daily at three" is "every night at three".
    if words.iter().any(|word| word.class == Class::Number(Unit::Clock)) {
        let day = numbered(1.0, Unit::Time, 86_400_000.0);
        let is_adverb =
            |at: usize| words.get(at + 1).is_none_or(|next| !next.is_content() || next.is_number());
        let keeps: Vec<bool> = (0..words.len())
            .map(|at| {
                let is_day = words[at].class == day.class && words[at].stem == day.stem;
                !(is_day || words[at].text == "nightly" && is_adverb(at))
            })
            .collect();
        let mut keeps = keeps.into_iter();
        words.retain(|_| keeps.next().unwrap_or(true));
    }
    if words.iter().any(|word| kind(&word.stem) == Some("weekday")) {
        let week = numbered(1.0, Unit::Time, 604_800_000.0);
        words.retain(|word| word.class != week.class || word.stem != week.stem);
    }
    words
}

/// "A minute and a half".
fn and_a_half(words: &[Word]) -> Option<Word> {
    let [one, unit, and, a, half, ..] = words else { return None };
    let is_one = matches!(one.text.as_str(), "a" | "an" | "one");
    let adds = [and, a, half].map(|word| word.text.as_str()) == ["and", "a", "half"];
    let (unit, scale) = quantity::unit(&unit.text).filter(|(unit, _)| *unit != Unit::Count)?;
    (is_one && adds).then(|| numbered(1.5, unit, scale))
}

/// "Just one test" counts, "one of them" does not.
fn is_just_one(before: Option<&Word>, words: &[Word]) -> bool {
    let [word, next, ..] = words else { return false };
    let counts = |word: &Word| matches!(word.text.as_str(), "just" | "only" | "exactly");
    word.text == "one" && before.is_some_and(counts) && next.is_content()
}

/// What a phrase means, where that may be a number: "more than once".
fn plain_or_number(text: &str) -> Word {
    let number = quantity::spelled(text).filter(|_| text == "twice");
    number.map_or_else(|| Word::plain(text), |number| numbered(number, Unit::Count, 1.0))
}

/// "A quarter of an hour".
fn quarter(words: &[Word]) -> Option<Word> {
    let [quarter, of, an, unit, ..] = words else { return None };
    let is_part = [quarter, of].map(|word| word.text.as_str()) == ["quarter", "of"];
    let (unit, scale) = quantity::unit(&unit.text).filter(|(unit, _)| *unit == Unit::Time)?;
    (is_part && matches!(an.text.as_str(), "a" | "an")).then(|| numbered(0.25, unit, scale))
}

/// "Midnight" as a time of the day.
fn time_of_day(word: &Word) -> Option<Word> {
    let minutes = match (word.class, word.text.as_str()) {
        (Class::Plain, "midnight") => 0.0,
        (Class::Plain, "noon") => 720.0,
        (Class::Plain | Class::Number(_) | Class::Code | Class::Mark, _) => return None,
    };
    Some(numbered(minutes, Unit::Clock, 1.0))
}

/// "Branch off develop" says from what; "it is off in CI" does not.
fn is_origin(before: Option<&Word>, words: &[Word]) -> bool {
    let [word, next, ..] = words else { return false };
    let branches = |word: &Word| matches!(word.text.as_str(), "branch" | "branches" | "forks");
    let is_opened = next.text == "the" && before.is_some_and(branches);
    let is_thing = is_opened || next.is_content() && next.class != Class::Mark;
    word.text == "off" && is_thing && before.is_some_and(Word::is_content)
}

/// "The two" counts nothing new.
fn is_anaphor(before: Option<&Word>, words: &[Word]) -> bool {
    let [word, rest @ ..] = words else { return false };
    let is_alone = rest.first().is_none_or(|next| !next.is_content() || next.text == "together");
    let points = before.is_some_and(|word| matches!(word.text.as_str(), "the" | "these" | "those"));
    let is_pair = before.is_some_and(|word| word.text == "between");
    word.text == "two" && (is_pair || points && is_alone)
}

/// Whether something was done and is not any more: "stopped polling".
fn is_ceasing(words: &[Word]) -> bool {
    let [first, next, ..] = words else { return false };
    matches!(first.text.as_str(), "stop" | "stops" | "stopped" | "ceased" | "quit")
        && next.class == Class::Plain
        && next.text.len() > 4
        && next.text.ends_with("ing")
}

/// The words of a phrase, and what it means.
type Phrase = (Vec<&'static str>, &'static str);

fn phrase(words: &[Word]) -> Option<(&'static str, usize)> {
    static BY_FIRST: LazyLock<Table<&str, Vec<Phrase>>> = LazyLock::new(|| {
        let mut table: Table<&str, Vec<Phrase>> = Table::default();
        for (phrase, meant) in PHRASES {
            let parts: Vec<&str> = phrase.split(' ').collect();
            table.entry(parts[0]).or_default().push((parts, meant));
        }
        table
    });
    let first = words.first().filter(|word| word.class == Class::Plain)?;
    let fits = |parts: &[&str]| {
        let is_form = |text: &str, part: &str| {
            text == part || (part.len() > 3 && text.strip_suffix('s') == Some(part))
        };
        let is_next = |(part, word): (&&str, &Word)| word.is_spoken() && is_form(&word.text, part);
        parts.len() <= words.len()
            && parts.iter().zip(words).skip(1).all(is_next)
            && !(is_switch(parts) && words.get(2).is_some_and(|next| !may_follow_switch(next)))
    };
    // "Warming up" is a form of "warm up".
    let all = |base: &str| BY_FIRST.get(base).filter(|all| all.iter().any(|one| fits(&one.0)));
    let known = find_base(&first.text, all)?;
    let found = known.iter().filter(|(parts, _)| fits(parts));
    found.max_by_key(|(parts, _)| parts.len()).map(|(parts, meant)| (*meant, parts.len()))
}

/// Whether a phrase says that something is on or off.
fn is_switch(parts: &[&str]) -> bool {
    matches!(parts, ["is" | "are" | "be", "on" | "off" | "up" | "down" | "out"])
}

/// "It is on in production", but not "it is on GitHub".
fn may_follow_switch(word: &Word) -> bool {
    const BEHIND: &str = "by in for only when if unless and but now per until while since because before after again so";
    word.class == Class::Mark || BEHIND.split(' ').any(|one| one == word.text)
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
        let unit = quantity::unit(text(at)).filter(|(unit, _)| *unit != Unit::Count);
        return match unit {
            Some((unit, scale)) => Some((numbered(0.5, unit, scale), at + 1)),
            None => (at == 2).then(|| (numbered(0.5, Unit::Count, 1.0), at)),
        };
    }
    if let Some((number, length)) = numerals::compound(words) {
        let unit = words.get(length).and_then(|word| quantity::unit(&word.text));
        return Some(match unit.filter(|_| text(length).len() > 1) {
            Some((unit, scale)) => (numbered(number, unit, scale), length + 1),
            None => (numbered(number, Unit::Count, 1.0), length),
        });
    }
    if let Some(found) = period(words) {
        return Some(found);
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

/// "100 Hz" is every 10 ms; faster clocks are known by their rate.
fn period(words: &[Word]) -> Option<(Word, usize)> {
    let [number, unit, ..] = words else { return None };
    let rate: f64 = match number.class {
        Class::Number(Unit::Count) => number.stem.parse().ok()?,
        Class::Number(_) | Class::Plain | Class::Code | Class::Mark => return None,
    };
    let is_slow = unit.text == "hz" && rate > 0.0 && rate <= 1_000.0;
    is_slow.then(|| (numbered(1_000.0 / rate, Unit::Time, 1.0), 2))
}

/// How often something happens, as the time between: "daily", "once a week".
fn often(words: &[Word]) -> Option<(Word, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    if text(0) == "quarterly" {
        let (unit, scale) = quantity::unit("month")?;
        return Some((numbered(3.0, unit, scale), 1));
    }
    let (unit, length) = match text(0) {
        "hourly" => ("hour", 1),
        "daily" => ("day", 1),
        "weekly" => ("week", 1),
        "monthly" => ("month", 1),
        "yearly" | "annually" => ("year", 1),
        "every" | "each" if text(1) != "second" => (text(1), 2),
        "by" => (text(1), 2),
        "once" if matches!(text(1), "a" | "an" | "per") => (text(2), 3),
        _ => return several(words),
    };
    let (unit, scale) = quantity::unit(unit).filter(|(unit, _)| *unit == Unit::Time)?;
    Some((numbered(1.0, unit, scale), length))
}

/// "Four times an hour" is every 15 minutes.
fn several(words: &[Word]) -> Option<(Word, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    let times = match words.first()?.class {
        Class::Number(Unit::Count) => words[0].stem.parse().ok()?,
        Class::Plain => quantity::spelled(text(0))?,
        Class::Number(_) | Class::Code | Class::Mark => return None,
    };
    let at = if matches!(text(1), "times" | "x") { 2 } else { 1 };
    let is_rate = matches!(text(at), "a" | "an" | "per" | "each" | "every");
    if !is_rate || times < 1.0 || (at == 1 && text(0) != "twice") {
        return None;
    }
    let (unit, scale) = quantity::unit(text(at + 1)).filter(|(unit, _)| *unit == Unit::Time)?;
    Some((numbered(1.0 / times, unit, scale), at + 2))
}

/// "A day" as an amount, behind a word that leads to one.
fn single(before: &Word, words: &[Word]) -> Option<Word> {
    let [article, unit, ..] = words else { return None };
    let leads = "within after for take takes maximum minimum than about every each per is";
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
