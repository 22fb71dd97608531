//! Numbers with their units, so that `30s` is half a minute and `1 GiB` is
//! 1024 MiB.

use std::sync::LazyLock;

use super::clock;
use super::tables::Table;
use super::words::{Class, Word};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Things, or nobody says what.
    Count,
    /// A span of time, in milliseconds.
    Time,
    /// An amount of data, in bytes.
    Bytes,
    /// A part of a hundred.
    Percent,
    /// A time of the day, in minutes.
    Clock,
    /// A version, or a name made of digits.
    Version,
}

/// A number that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quantity {
    /// The amount in the base of its unit, as text.
    pub(super) amount: String,
    /// What it counts.
    pub(super) unit: Unit,
}

/// What one of a unit is in the base of its kind. People who write `MB` mean
/// either kind of megabyte; half a gigabyte is 512 of them to most.
const UNITS: &[(&str, Unit, f64)] = &[
    ("ms msec millisecond milliseconds 밀리초", Unit::Time, 1.0),
    ("s sec secs second seconds 초", Unit::Time, 1_000.0),
    ("m min mins minute minutes 분", Unit::Time, 60_000.0),
    ("h hr hrs hour hours 시간", Unit::Time, 3_600_000.0),
    ("d day days 일", Unit::Time, 86_400_000.0),
    ("w wk week weeks 주 주일", Unit::Time, 604_800_000.0),
    ("fortnight fortnights", Unit::Time, 1_209_600_000.0),
    ("month months 개월 달", Unit::Time, MONTH),
    ("y yr year years 년", Unit::Time, YEAR),
    ("am 시", Unit::Clock, 60.0),
    ("b byte bytes 바이트", Unit::Bytes, 1.0),
    ("kb kilobyte kilobytes", Unit::Bytes, 1024.0),
    ("mb megabyte megabytes meg megs 메가", Unit::Bytes, 1_048_576.0),
    ("gb gig gigs gigabyte gigabytes 기가", Unit::Bytes, 1_073_741_824.0),
    ("tb terabyte terabytes", Unit::Bytes, 1_099_511_627_776.0),
    ("kib ki", Unit::Bytes, 1024.0),
    ("mib mi", Unit::Bytes, 1_048_576.0),
    ("gib gi", Unit::Bytes, 1_073_741_824.0),
    ("tib ti", Unit::Bytes, 1_099_511_627_776.0),
    ("% percent pct 퍼센트 프로", Unit::Percent, 1.0),
    ("k thousand 천", Unit::Count, 1e3),
    ("million mio 백만", Unit::Count, 1e6),
    ("hundred 백", Unit::Count, 1e2),
    ("dozen", Unit::Count, 12.0),
    ("만", Unit::Count, 1e4),
    ("x times time fold 번 회 개 명 건 줄 자 차", Unit::Count, 1.0),
];

/// A month in milliseconds, as people count them.
const MONTH: f64 = 2_592_000_000.0;

/// A year in milliseconds.
const YEAR: f64 = 31_536_000_000.0;

const SMALL: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

const TENS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

const KOREAN: [&str; 11] =
    ["영", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"];

/// Spans of days that have a word of their own, in days.
const SPANS: &[(&str, f64)] =
    &[("이틀", 2.0), ("사흘", 3.0), ("나흘", 4.0), ("일주일", 7.0), ("보름", 15.0), ("한달", 30.0)];

/// The span of time that a Korean word names.
pub(super) fn span(word: &str) -> Option<Quantity> {
    let days = SPANS.iter().find(|(name, _)| *name == word)?.1;
    Some(measured(days, Unit::Time, 86_400_000.0))
}

/// A Chinese number in Korean letters of two syllables or more: "삼십", "오백".
pub(super) fn sino_korean(word: &str) -> Option<f64> {
    const DIGITS: &str = "영일이삼사오육칠팔구";
    if word.chars().count() < 2 || matches!(word, "만일" | "일일" | "이만" | "천만") {
        return None;
    }
    let (mut sum, mut digit) = (0_u32, None);
    for c in word.chars() {
        let scale = match c {
            '십' => 10,
            '백' => 100,
            '천' => 1_000,
            _ => {
                digit = Some(u32::try_from(DIGITS.chars().position(|one| one == c)?).ok()?);
                continue;
            }
        };
        sum += digit.take().unwrap_or(1) * scale;
    }
    // Digits alone are seldom numbers.
    (sum > 0).then(|| f64::from(sum + digit.unwrap_or(0)))
}

/// The unit that a word names, and how much one of it is.
pub(super) fn unit(word: &str) -> Option<(Unit, f64)> {
    static TABLE: LazyLock<Table<&str, (Unit, f64)>> = LazyLock::new(|| {
        let all = UNITS.iter();
        let all = all
            .flat_map(|(names, unit, scale)| names.split(' ').map(|name| (name, (*unit, *scale))));
        all.collect()
    });
    TABLE.get(word).copied()
}

/// Other words for numbers.
const OTHERS: [(&str, f64); 8] = [
    ("스무", 20.0),
    ("스물", 20.0),
    ("서른", 30.0),
    ("twice", 2.0),
    ("thrice", 3.0),
    ("hundred", 100.0),
    ("thousand", 1000.0),
    ("dozen", 12.0),
];

/// The number that a word spells.
pub(super) fn spelled(word: &str) -> Option<f64> {
    static TABLE: LazyLock<Table<&str, f64>> = LazyLock::new(|| {
        let mut table = Table::default();
        let tens = TENS.iter().zip((2_u32..).map(|ten| f64::from(ten * 10)));
        let small = SMALL.iter().zip((0_u32..).map(f64::from));
        let korean = KOREAN.iter().zip((0_u32..).map(f64::from));
        table.extend(tens.chain(small).chain(korean).map(|(word, number)| (*word, number)));
        table.extend(OTHERS);
        table
    });
    TABLE.get(word).copied()
}

/// A number as text: `10_000`, `10k`, `30s`, `02:00`, `1.2.3`, `v18`.
pub(super) fn parse(text: &str) -> Option<Quantity> {
    let text = text.trim_start_matches(['>', '<', '=', '~', '^', '$', '+', '≥', '≤', '≈']);
    let text = text.trim_end_matches('+');
    let has_mark = text.starts_with('v');
    let text = text.strip_prefix('v').unwrap_or(text).replace(['_', ','], "");
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(minutes) = clock::parse(&text) {
        return Some(Quantity { amount: shown(minutes), unit: Unit::Clock });
    }
    if let Some(number) = text.strip_prefix("0x") {
        let number = u32::from_str_radix(number, 16).ok()?;
        return Some(Quantity { amount: number.to_string(), unit: Unit::Count });
    }
    if let Some((hours, minutes)) = text.split_once(':') {
        let hours: u32 = hours.parse().ok()?;
        let minutes = hours.checked_mul(60)?.checked_add(minutes.parse().ok()?)?;
        return Some(Quantity { amount: minutes.to_string(), unit: Unit::Clock });
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let digits = digits.trim_end_matches('.');
    let is_version = has_mark
        || digits.matches('.').count() > 1
        || (digits.len() > 1 && digits.starts_with('0') && !digits.contains('.'));
    if rest.is_empty() {
        let amount: f64 = digits.parse().unwrap_or(0.0);
        let unit = if is_version { Unit::Version } else { Unit::Count };
        let text = if is_version { digits.to_owned() } else { shown(amount) };
        return Some(Quantity { amount: text, unit });
    }
    if rest.starts_with(['-', '.']) || matches!(rest, "x" | "rc" | "b" | "a") {
        return Some(Quantity { amount: text, unit: Unit::Version });
    }
    let (unit, scale) = unit(rest)?;
    Some(measured(digits.parse().ok()?, unit, scale))
}

/// An amount of a unit in its base.
pub(super) fn measured(amount: f64, unit: Unit, scale: f64) -> Quantity {
    // Twelve months are a year, whatever thirty days make of them.
    let is_years = scale.total_cmp(&MONTH).is_eq() && amount > 0.0 && amount % 12.0 == 0.0;
    let (amount, scale) = if is_years { (amount / 12.0, YEAR) } else { (amount, scale) };
    Quantity { amount: shown(amount * scale), unit }
}

/// A percentage as a part of one, which people write as well: 90% is 0.9.
pub(super) fn share(word: &Word) -> Option<String> {
    let Class::Number(Unit::Percent) = word.class else { return None };
    word.stem.parse::<f64>().ok().map(|amount| shown(amount / 100.0))
}

fn shown(amount: f64) -> String {
    let text = format!("{amount:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Option<String> {
        parse(text).map(|quantity| quantity.amount)
    }

    #[test]
    fn the_same_amount_is_the_same_however_it_is_written() {
        for (a, b) in [("10_000", "10k"), ("30s", "30000ms"), ("1gib", "1024mib"), ("v18", "18")] {
            assert_eq!(amount(a), amount(b), "{a} {b}");
            assert!(amount(a).is_some());
        }
    }

    #[test]
    fn what_only_begins_with_a_digit_is_no_number() {
        assert_eq!(amount("9c01d2"), None);
        assert_eq!(amount("3rd-party"), None);
    }

    #[test]
    fn versions_are_not_rounded() {
        assert_ne!(amount("1.10.0"), amount("1.1.0"));
        assert_eq!(parse("0042").map(|quantity| quantity.unit), Some(Unit::Version));
    }
}
