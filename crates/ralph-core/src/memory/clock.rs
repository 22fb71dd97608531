//! Times of the day, however they are said: "18:00", "6 pm", "half past nine in
//! the morning", "오후 6시 30분".

use super::quantity::{self, Unit};
use super::words::{Class, Word};

const HOUR: f64 = 60.0;

/// Half a day in minutes.
const HALF: f64 = 720.0;

/// Which half of the day is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// A time of the day at the start of these words, and how many words that are.
pub(super) fn read(words: &[Word]) -> Option<(Word, usize)> {
    let (before, rest) = match words.first().and_then(korean_half) {
        Some(half) => (Some(half), &words[1..]),
        None => (None, words),
    };
    let lead = words.len() - rest.len();
    let (minutes, length, is_clock) = spoken(rest)?;
    let (half, behind) = match before {
        Some(half) => (Some(half), 0),
        None => half_behind(&rest[length..]),
    };
    // "6" alone is no time, nor is "6 in the morning team".
    if !is_clock && half.is_none() {
        return None;
    }
    let minutes = match half {
        Some(half) => of_half(minutes, half),
        None => minutes,
    };
    let word = Word::amount(quantity::measured(minutes, Unit::Clock, 1.0));
    Some((word, lead + length + behind))
}

/// The minutes of a half of the day: 12 am is midnight, 12 pm is noon.
fn of_half(minutes: f64, half: Half) -> f64 {
    match half {
        Half::First => minutes % HALF,
        Half::Second => minutes % HALF + HALF,
    }
}

/// `6pm`, `6:30am` as minutes.
pub(super) fn parse(text: &str) -> Option<f64> {
    let (digits, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(digits), _) => (digits, Half::First),
        (None, Some(digits)) => (digits, Half::Second),
        (None, None) => return None,
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_time = (1..=12).contains(&hours) && minutes < 60;
    is_time.then(|| of_half(f64::from(hours) * HOUR + f64::from(minutes), half))
}

/// What is said of an hour, in minutes, how many words that are, and whether
/// nothing but a time can be meant.
fn spoken(words: &[Word]) -> Option<(f64, usize, bool)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    let past = match (text(0), text(1)) {
        ("half", "past") => Some(30.0),
        ("quarter", "past" | "after") => Some(15.0),
        ("quarter", "to" | "before") => Some(-15.0),
        _ => None,
    };
    if let Some(minutes) = past {
        return Some((hour(words.get(2)?)? * HOUR + minutes, 3, true));
    }
    let first = words.first()?;
    if first.class == Class::Number(Unit::Clock) {
        return Some((first.stem.parse().ok()?, 1, true));
    }
    let hours = hour(first)?;
    match text(1) {
        "o'clock" => Some((hours * HOUR, 2, true)),
        "시" => {
            let (minutes, length) = match (words.get(2), text(3)) {
                (Some(number), "분") => (count(number)?, 4),
                (Some(half), _) if half.text == "반" => (30.0, 3),
                (Some(_) | None, _) => (0.0, 2),
            };
            Some((hours * HOUR + minutes, length, true))
        }
        _ => Some((hours * HOUR, 1, false)),
    }
}

fn hour(word: &Word) -> Option<f64> {
    count(word).filter(|hours| (0.0..=24.0).contains(hours) && hours.fract() == 0.0)
}

fn count(word: &Word) -> Option<f64> {
    match word.class {
        Class::Number(Unit::Count) => word.stem.parse().ok(),
        Class::Plain => quantity::spelled(&word.text),
        Class::Number(_) | Class::Code | Class::Mark => None,
    }
}

/// The half of the day that is said in front of a Korean hour.
fn korean_half(word: &Word) -> Option<Half> {
    match word.text.as_str() {
        "오전" | "새벽" | "아침" => Some(Half::First),
        "오후" | "저녁" => Some(Half::Second),
        _ => None,
    }
}

/// The half of the day that is said behind an hour, and in how many words.
fn half_behind(words: &[Word]) -> (Option<Half>, usize) {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    match (text(0), text(1), text(2)) {
        ("am" | "a.m", ..) => (Some(Half::First), 1),
        ("pm" | "p.m", ..) => (Some(Half::Second), 1),
        ("in", "the", "morning") => (Some(Half::First), 3),
        ("in", "the", "afternoon" | "evening") => (Some(Half::Second), 3),
        _ => (None, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;

    #[test]
    fn a_time_of_the_day_is_the_same_however_it_is_said() {
        for (a, b) in [
            ("at 6 pm", "at 18:00"),
            ("at 6pm", "at 18:00"),
            ("at 6:30pm", "at 18:30"),
            ("at 6:30 p.m.", "at 18:30."),
            ("at 12 am", "at midnight"),
            ("at half past nine in the morning", "at 9:30"),
            ("at quarter to ten", "at 9:45"),
            ("오후 6시", "18:00"),
            ("오전 9시 30분", "9:30"),
            ("오후 두 시 반", "14:30"),
        ] {
            let read = |text| words(text).into_iter().map(|word| word.stem).collect::<Vec<_>>();
            assert_eq!(read(a), read(b), "{a} | {b}");
        }
    }

    #[test]
    fn a_number_alone_is_no_time() {
        let found = words("6 workers in the morning");
        assert!(found.iter().any(|word| word.stem == "6"));
    }
}
