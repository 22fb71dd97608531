//! Numbers that people write in several words: "a hundred and twenty", "a
//! quarter of the requests".

use super::quantity::{self, Quantity, Unit};
use super::words::{Class, Word};

/// Parts of a whole, and how many of them make it.
const PARTS: &[(&str, f64)] = &[
    ("half", 2.0),
    ("third", 3.0),
    ("quarter", 4.0),
    ("fifth", 5.0),
    ("tenth", 10.0),
    ("hundredth", 100.0),
];

/// A part of a whole as a percentage, and how many words that are: "a quarter
/// of", "two thirds of".
pub(super) fn fraction(words: &[Word]) -> Option<(Word, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    // "Once in twenty runs".
    if matches!(text(0), "one" | "once" | "1") && text(1) == "in" {
        let word = words.get(2)?;
        let all = quantity::spelled(text(2)).or_else(|| word.stem.parse().ok())?;
        return (all >= 2.0).then(|| (percent((100.0 / all).round()), 3));
    }
    let (count, at) = match text(0) {
        "half" => (1.0, 0),
        "a" | "one" => (1.0, 1),
        word => (quantity::spelled(word)?, 1),
    };
    let name = text(at).strip_suffix('s').unwrap_or(text(at));
    let whole = PARTS.iter().find(|(part, _)| *part == name)?.1;
    let leads = text(at + 1) == "of";
    // "A quarter of an hour" is a span of time.
    let is_span = matches!(text(at + 2), "a" | "an");
    let amount = (100.0 * count / whole).round();
    (leads && !is_span).then(|| (percent(amount), at + 2))
}

fn percent(amount: f64) -> Word {
    let Quantity { amount, unit } = quantity::measured(amount, Unit::Percent, 1.0);
    Word::amount(Quantity { amount, unit })
}

/// A number in several words, and how many these are: "a hundred and twenty",
/// "twenty five", "two thousand".
pub(super) fn compound(words: &[Word]) -> Option<(f64, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word: &Word| word.text.as_str());
    let digit = |at: usize| {
        let is_word = words.get(at).is_some_and(|word| word.class == Class::Plain);
        quantity::spelled(text(at)).filter(|number| is_word && *number < 100.0)
    };
    let scale = |at: usize| match text(at) {
        "hundred" => Some(100.0),
        "thousand" => Some(1_000.0),
        _ => None,
    };
    let (mut sum, mut at) = match (text(0), digit(0)) {
        ("a" | "an", _) => (scale(1)?, 2),
        (_, Some(first)) => match (scale(1), digit(1)) {
            (Some(scale), _) => (first * scale, 2),
            (None, Some(next)) if first >= 20.0 && next < 10.0 => return Some((first + next, 2)),
            (None, _) => return None,
        },
        (_, None) => return None,
    };
    let joint = usize::from(text(at) == "and");
    if let Some(tens) = digit(at + joint) {
        let ones = digit(at + joint + 1).filter(|ones| tens >= 20.0 && *ones < 10.0);
        sum += tens + ones.unwrap_or(0.0);
        at += joint + 1 + usize::from(ones.is_some());
    }
    Some((sum, at))
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::{compound, fraction};

    #[test]
    fn numbers_in_several_words_are_read() {
        for (text, number) in [
            ("a hundred and twenty requests", 120.0),
            ("two hundred fifty", 250.0),
            ("three thousand users", 3000.0),
        ] {
            let words: Vec<_> = text.split(' ').map(super::Word::plain).collect();
            let found = compound(&words).map(|(number, _)| number);
            assert_eq!(found, Some(number), "{text}");
        }
        assert!(compound(&words("five users")).is_none());
    }

    #[test]
    fn a_part_of_a_whole_is_a_percentage() {
        for (text, share) in [
            ("a quarter of the requests", "25"),
            ("half of them", "50"),
            ("two thirds of it", "67"),
        ] {
            let words: Vec<_> = text.split(' ').map(super::Word::plain).collect();
            let found = fraction(&words).map(|(word, _)| word.stem);
            assert_eq!(found.as_deref(), Some(share), "{text}");
        }
    }
}
