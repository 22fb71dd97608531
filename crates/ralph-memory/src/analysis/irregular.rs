//! English words whose forms share no ending: `went` is found by `go`.
//!
//! Forms that are more often another word are left out: `left`, `bit`, `led`,
//! `lay`, `rose`, `bound`, `ground`, `wound`.

/// Forms and their words, sorted by form.
const FORMS: &[(&str, &str)] = &[
    ("ate", "eat"),
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bitten", "bite"),
    ("blew", "blow"),
    ("blown", "blow"),
    ("bought", "buy"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("came", "come"),
    ("caught", "catch"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("dealt", "deal"),
    ("drank", "drink"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("drunk", "drink"),
    ("dug", "dig"),
    ("eaten", "eat"),
    ("fallen", "fall"),
    ("fed", "feed"),
    ("feet", "foot"),
    ("fell", "fall"),
    ("felt", "feel"),
    ("fled", "flee"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("forgave", "forgive"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("fought", "fight"),
    ("found", "find"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gave", "give"),
    ("given", "give"),
    ("gone", "go"),
    ("got", "get"),
    ("gotten", "get"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("halves", "half"),
    ("heard", "hear"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("hung", "hang"),
    ("kept", "keep"),
    ("knew", "know"),
    ("knives", "knife"),
    ("known", "know"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("meant", "mean"),
    ("men", "man"),
    ("met", "meet"),
    ("mice", "mouse"),
    ("overridden", "override"),
    ("overrode", "override"),
    ("overwritten", "overwrite"),
    ("overwrote", "overwrite"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rang", "ring"),
    ("rewritten", "rewrite"),
    ("rewrote", "rewrite"),
    ("ridden", "ride"),
    ("risen", "rise"),
    ("rode", "ride"),
    ("said", "say"),
    ("sang", "sing"),
    ("sat", "sit"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("shaken", "shake"),
    ("shelves", "shelf"),
    ("shook", "shake"),
    ("shot", "shoot"),
    ("shown", "show"),
    ("shrank", "shrink"),
    ("shrunk", "shrink"),
    ("slept", "sleep"),
    ("slid", "slide"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("stood", "stand"),
    ("struck", "strike"),
    ("stuck", "stick"),
    ("sung", "sing"),
    ("swam", "swim"),
    ("swept", "sweep"),
    ("swum", "swim"),
    ("taken", "take"),
    ("taught", "teach"),
    ("teeth", "tooth"),
    ("thought", "think"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("tore", "tear"),
    ("torn", "tear"),
    ("understood", "understand"),
    ("went", "go"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("wives", "wife"),
    ("woke", "wake"),
    ("wolves", "wolf"),
    ("women", "woman"),
    ("won", "win"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("written", "write"),
    ("wrote", "write"),
];

/// The longest form has this many bytes, and the shortest that many.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=11;

/// The word that a lower-case form belongs to.
pub(super) fn word_of(form: &str) -> Option<&'static str> {
    if !LENGTHS.contains(&form.len()) {
        return None;
    }
    let at = FORMS.binary_search_by_key(&form, |(form, _)| form).ok()?;
    FORMS.get(at).map(|(_, word)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_no_word_is_a_form_itself() {
        assert!(FORMS.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(FORMS.iter().all(|(form, word)| word_of(word).is_none() && form != word));
        assert!(FORMS.iter().all(|(form, _)| LENGTHS.contains(&form.len())));
    }

    #[test]
    fn forms_lead_to_their_word() {
        assert_eq!(word_of("went"), Some("go"));
        assert_eq!(word_of("overwritten"), Some("overwrite"));
        assert_eq!([word_of("left"), word_of("go"), word_of("")], [None; 3]);
    }
}
