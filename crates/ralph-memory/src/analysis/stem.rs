//! The English stemmer of Snowball (Porter2), in place and without a table
//! per language: one word of lower-case ASCII letters in, its stem out.

/// Words whose stem follows no rule.
const IRREGULAR: &[(&[u8], &[u8])] = &[
    (b"skis", b"ski"),
    (b"skies", b"sky"),
    (b"dying", b"die"),
    (b"lying", b"lie"),
    (b"tying", b"tie"),
    (b"idly", b"idl"),
    (b"gently", b"gentl"),
    (b"ugly", b"ugli"),
    (b"early", b"earli"),
    (b"only", b"onli"),
    (b"singly", b"singl"),
];

/// Words that are their own stem.
const INVARIANT: &[&[u8]] = &[b"sky", b"news", b"howe", b"atlas", b"cosmos", b"bias", b"andes"];

/// Words that end after the first step.
const EARLY_END: &[&[u8]] =
    &[b"inning", b"outing", b"canning", b"herring", b"earring", b"proceed", b"exceed", b"succeed"];

/// Beginnings after which the first region starts, whatever follows.
const LONG_BEGINNINGS: &[&[u8]] = &[b"gener", b"commun", b"arsen"];

/// What a suffix becomes; the longest suffix of a table decides.
type Rules = &'static [(&'static [u8], &'static [u8])];

const SECOND: Rules = &[
    (b"ization", b"ize"),
    (b"ational", b"ate"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"iveness", b"ive"),
    (b"tional", b"tion"),
    (b"biliti", b"ble"),
    (b"lessli", b"less"),
    (b"entli", b"ent"),
    (b"ation", b"ate"),
    (b"alism", b"al"),
    (b"aliti", b"al"),
    (b"ousli", b"ous"),
    (b"iviti", b"ive"),
    (b"fulli", b"ful"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"abli", b"able"),
    (b"izer", b"ize"),
    (b"ator", b"ate"),
    (b"alli", b"al"),
    (b"bli", b"ble"),
    (b"ogi", b"og"),
    (b"li", b""),
];

const THIRD: Rules = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"alize", b"al"),
    (b"icate", b"ic"),
    (b"iciti", b"ic"),
    (b"ative", b""),
    (b"ical", b"ic"),
    (b"ness", b""),
    (b"ful", b""),
];

const FOURTH: &[&[u8]] = &[
    b"ement", b"ance", b"ence", b"able", b"ible", b"ment", b"ant", b"ent", b"ism", b"ate", b"iti",
    b"ous", b"ive", b"ize", b"ion", b"al", b"er", b"ic",
];

/// Replaces the word in `word` by its stem.
///
/// Anything but lower-case ASCII letters stays as it is.
pub(super) fn stem(word: &mut Vec<u8>) {
    if word.len() < 3 || !word.iter().all(u8::is_ascii_lowercase) {
        return;
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|(known, _)| known == word) {
        word.clear();
        word.extend_from_slice(stem);
        return;
    }
    if INVARIANT.contains(&word.as_slice()) {
        return;
    }
    mark_consonant_y(word);
    let regions = Regions::of(word);
    plural(word);
    if !EARLY_END.contains(&word.as_slice()) {
        past_and_progressive(word, regions);
        final_y(word);
        second(word, regions);
        third(word, regions);
        fourth(word, regions);
        fifth(word, regions);
    }
    word.make_ascii_lowercase();
}

/// Where the first and the second region of a word begin.
#[derive(Clone, Copy)]
struct Regions {
    first: usize,
    second: usize,
}

impl Regions {
    fn of(word: &[u8]) -> Self {
        let long = LONG_BEGINNINGS.iter().find(|beginning| word.starts_with(beginning));
        let first = long.map_or_else(|| after_syllable(word, 0), |beginning| beginning.len());
        Self { first, second: after_syllable(word, first) }
    }
}

/// The place after the first non-vowel that follows a vowel, from `start` on.
fn after_syllable(word: &[u8], start: usize) -> usize {
    let pairs = word.get(start..).unwrap_or_default().windows(2);
    let found = pairs.into_iter().position(|pair| is_vowel(pair[0]) && !is_vowel(pair[1]));
    found.map_or(word.len(), |at| start + at + 2)
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Writes a `y` that is a consonant as `Y`.
fn mark_consonant_y(word: &mut [u8]) {
    for at in 0..word.len() {
        if word[at] == b'y' && (at == 0 || is_vowel(word[at - 1])) {
            word[at] = b'Y';
        }
    }
}

/// Whether the word ends with a syllable like those of `rap`, `trap`, `ow`.
fn ends_short(word: &[u8]) -> bool {
    match word {
        [vowel, last] => is_vowel(*vowel) && !is_vowel(*last),
        [.., before, vowel, last] => {
            let closed = !is_vowel(*last) && !matches!(last, b'w' | b'x' | b'Y');
            !is_vowel(*before) && is_vowel(*vowel) && closed
        }
        [] | [_] => false,
    }
}

fn has_vowel(part: &[u8]) -> bool {
    part.iter().copied().any(is_vowel)
}

fn replace(word: &mut Vec<u8>, suffix: usize, by: &[u8]) {
    word.truncate(word.len() - suffix);
    word.extend_from_slice(by);
}

fn plural(word: &mut Vec<u8>) {
    let length = word.len();
    if word.ends_with(b"sses") {
        replace(word, 2, b"");
    } else if word.ends_with(b"ied") || word.ends_with(b"ies") {
        replace(word, if length > 4 { 2 } else { 1 }, b"");
    } else if word.ends_with(b"s")
        && !word.ends_with(b"us")
        && !word.ends_with(b"ss")
        && has_vowel(&word[..length - 2])
    {
        replace(word, 1, b"");
    }
}

fn past_and_progressive(word: &mut Vec<u8>, regions: Regions) {
    for suffix in [b"eedly".as_slice(), b"eed"] {
        if word.ends_with(suffix) {
            if word.len() - suffix.len() >= regions.first {
                replace(word, suffix.len(), b"ee");
            }
            return;
        }
    }
    let suffixes = [b"ingly".as_slice(), b"edly", b"ing", b"ed"];
    let Some(suffix) = suffixes.into_iter().find(|suffix| word.ends_with(suffix)) else {
        return;
    };
    if !has_vowel(&word[..word.len() - suffix.len()]) {
        return;
    }
    replace(word, suffix.len(), b"");
    if [b"at", b"bl", b"iz"].iter().any(|end| word.ends_with(*end)) {
        word.push(b'e');
    } else if ends_doubled(word) {
        word.pop();
    } else if regions.first >= word.len() && ends_short(word) {
        word.push(b'e');
    }
}

fn ends_doubled(word: &[u8]) -> bool {
    let [.., before, last] = word else { return false };
    before == last && matches!(last, b'b' | b'd' | b'f' | b'g' | b'm' | b'n' | b'p' | b'r' | b't')
}

fn final_y(word: &mut [u8]) {
    if let [_, .., before, last @ (b'y' | b'Y')] = word
        && !is_vowel(*before)
    {
        *last = b'i';
    }
}

/// The longest suffix of the table that the word has, and what it becomes.
fn longest(rules: Rules, word: &[u8]) -> Option<(&'static [u8], &'static [u8])> {
    rules.iter().find(|(suffix, _)| word.ends_with(suffix)).copied()
}

fn second(word: &mut Vec<u8>, regions: Regions) {
    let Some((suffix, by)) = longest(SECOND, word) else { return };
    let at = word.len() - suffix.len();
    let before = at.checked_sub(1).map(|index| word[index]);
    let applies = match suffix {
        b"ogi" => before == Some(b'l'),
        b"li" => before.is_some_and(|letter| b"cdeghkmnrt".contains(&letter)),
        _ => true,
    };
    if at >= regions.first && applies {
        replace(word, suffix.len(), by);
    }
}

fn third(word: &mut Vec<u8>, regions: Regions) {
    let Some((suffix, by)) = longest(THIRD, word) else { return };
    let region = if suffix == b"ative" { regions.second } else { regions.first };
    if word.len() - suffix.len() >= region {
        replace(word, suffix.len(), by);
    }
}

fn fourth(word: &mut Vec<u8>, regions: Regions) {
    let Some(suffix) = FOURTH.iter().find(|suffix| word.ends_with(suffix)) else { return };
    let at = word.len() - suffix.len();
    let applies = *suffix != b"ion" || at > 0 && matches!(word[at - 1], b's' | b't');
    if at >= regions.second && applies {
        word.truncate(at);
    }
}

fn fifth(word: &mut Vec<u8>, regions: Regions) {
    let Some((last, rest)) = word.split_last() else { return };
    let (in_first, in_second) = (rest.len() >= regions.first, rest.len() >= regions.second);
    let goes = match last {
        b'e' => in_second || in_first && !ends_short(rest),
        b'l' => in_second && rest.last() == Some(&b'l'),
        _ => false,
    };
    if goes {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[track_caller]
    fn check(word: &str, want: &str) {
        let mut bytes = word.as_bytes().to_vec();
        stem(&mut bytes);
        assert_eq!(String::from_utf8(bytes).unwrap(), want, "{word}");
    }

    #[test]
    fn forms_of_a_word_share_their_stem() {
        for (word, want) in [
            ("migrations", "migrat"),
            ("migrated", "migrat"),
            ("migrating", "migrat"),
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "tie"),
            ("cats", "cat"),
            ("gas", "gas"),
            ("agreed", "agre"),
            ("hopping", "hop"),
            ("hoping", "hope"),
            ("tried", "tri"),
            ("happy", "happi"),
            ("relational", "relat"),
            ("generalization", "general"),
            ("communication", "communic"),
            ("usefulness", "use"),
            ("controlled", "control"),
            ("adjustment", "adjust"),
            ("knightly", "knight"),
            ("skies", "sky"),
            ("proceeding", "proceed"),
            ("exceedingly", "exceed"),
            ("by", "by"),
        ] {
            check(word, want);
        }
    }

    #[test]
    fn what_is_no_plain_word_stays() {
        check("utf8s", "utf8s");
        check("", "");
        check("설정ing", "설정ing");
    }
}
