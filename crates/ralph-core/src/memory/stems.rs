//! Word endings, cut so that `tests`, `tested` and `testing` are one word.
//!
//! Nothing clever: two notes are compared with each other, so an odd stem does
//! no harm as long as both sides get the same one.

/// The stem of a lower-case English word.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    // A note must not become "not".
    if matches!(word, "note" | "notes" | "noted") {
        return "note".to_owned();
    }
    let word = without_plural(word);
    let word = without_suffix(&word);
    // Nor a theme "them".
    let short = word.strip_suffix('e').filter(|rest| *rest != "them");
    short.map_or_else(|| word.clone(), str::to_owned)
}

/// Endings of forms, and what may stand in their place.
const ENDS: [(&str, &[&str]); 7] = [
    ("s", &[""]),
    ("es", &[""]),
    ("ies", &["y"]),
    ("ied", &["y"]),
    ("ed", &["", "e"]),
    ("ing", &["", "e"]),
    ("ly", &[""]),
];

/// The first of the words that a word may be a form of, itself included, for
/// which something is known.
pub(super) fn find_base<T>(word: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    if let Some(found) = find(word) {
        return Some(found);
    }
    if word.len() <= 3 || !word.is_ascii() {
        return None;
    }
    for (end, instead) in ENDS {
        // To apply is nothing of an app.
        let least = if end == "ly" { 4 } else { 3 };
        let Some(rest) = word.strip_suffix(end).filter(|rest| rest.len() >= least) else {
            continue;
        };
        let whole = instead.iter().find_map(|end| match *end {
            "" => find(rest),
            end => find(&format!("{rest}{end}")),
        });
        let found = whole.or_else(|| find(undoubled(rest)));
        if found.is_some() {
            return found;
        }
    }
    // "Embeddings" are what comes of embedding.
    let single = word.strip_suffix('s').filter(|rest| rest.ends_with("ing"));
    single.and_then(|single| find_base(single, find))
}

fn without_plural(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| !rest.ends_with(['k', 'v'])) {
        return format!("{rest}y");
    }
    if let Some(rest) = word.strip_suffix("ied").filter(|rest| rest.len() > 2) {
        return format!("{rest}y");
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let keeps_its_s = ["ss", "us", "is", "os"].iter().any(|ending| word.ends_with(ending));
    if keeps_its_s {
        return word.to_owned();
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

fn without_suffix(word: &str) -> String {
    for ending in ["ization", "isation"] {
        if let Some(rest) = long_enough(word, ending) {
            return format!("{rest}iz");
        }
    }
    for ending in ["ingly", "edly", "ing", "ed", "ly"] {
        let Some(rest) = long_enough(word, ending) else { continue };
        return undoubled(rest).to_owned();
    }
    if let Some(rest) = word.strip_suffix("ment").filter(|rest| rest.len() >= 6) {
        return rest.to_owned();
    }
    if word.ends_with("ation") {
        return word.strip_suffix("ion").unwrap_or(word).to_owned();
    }
    // Only a doubled letter says that a verb was there: a runner runs, but a
    // header does not head.
    let agent = word.strip_suffix("er").or_else(|| word.strip_suffix("or")).unwrap_or(word);
    if agent.len() > 3 && undoubled(agent).len() < agent.len() {
        return undoubled(agent).to_owned();
    }
    word.to_owned()
}

/// What is left of a word without an ending, if that is still a word.
fn long_enough<'a>(word: &'a str, ending: &str) -> Option<&'a str> {
    let rest = word.strip_suffix(ending)?;
    let has_vowel = rest.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    (rest.len() >= 3 && has_vowel).then_some(rest)
}

/// `runn` of `running` is `run`.
fn undoubled(word: &str) -> &str {
    let bytes = word.as_bytes();
    let [.., a, b] = bytes else { return word };
    if a == b && !matches!(b, b'l' | b's' | b'z' | b'e' | b'o') {
        return &word[..word.len() - 1];
    }
    word
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["test", "tests", "tested", "testing"][..],
            &["run", "runs", "running", "runner"],
            &["store", "stores", "stored", "storing"],
            &["cache", "caches", "cached", "caching"],
            &["deploy", "deploys", "deploying", "deployed", "deployment"],
            &["query", "queries"],
            &["configure", "configured", "configures"],
            &["migrate", "migration", "migrations", "migrating"],
            &["index", "indexes", "indexed"],
            &["pass", "passes", "passed"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{forms:?} -> {stems:?}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for (a, b) in [("user", "use"), ("port", "part"), ("class", "clause"), ("status", "stat")] {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
    }
}
