//! What part words play in a sentence, as far as their place gives it away.

use super::words::{Class, List, Word, list};

static NEGATIONS: List = list![
    "not never no nothing none nobody without lack cannot neither nor hardly untouched intact alone-left"
];

pub(super) static AUXILIARY: List = list![
    "is are was were be must should can may will shall has have do does had cannot require allow"
];

/// Verbs that lead to what is said.
pub(super) static VERBS: List = list![
    "use return prefer expect target default equal set run build store locate write own deploy name"
    "format configure pin listen expire pass take send throw create put point become retry wait host"
    "rotate load base document manage schedule sign encode cache inherit bind compress hash merge"
    "rebase indent fall serialize install lint happen trigger measure call contain include support"
    "depend export cover handle emit change add remove fix fail work check log read extend see expose"
    "serve provide list define forbid mention reload hold mean block terminate skip say follow go"
    "come cause avoid start stop show belong live print need drop strip forward track split answer keep"
    "stay remain talk crash hang bring pull fetch receive enforce"
    "convert close open want sit deny reject leave refresh apply publish get gets parse move"
];

/// Words that say little about what a note is about: most verbs, and names
/// of what everything has.
static LIGHT: List = list![
    "use return set run default store locate put go come make create have take keep hold say mean"
    "value require allow maximum minimum name type mode kind level way follow happen become need"
    "include contain show see get give let add fix change remove do work handle provide call list"
    "define belong own send write read start stop check wait apply pass fail enable disable force"
    "version command option flag argument field entry part size length number amount count total"
    "file directory path location place repository project codebase workspace crate module package"
    "code system application service team suite step currently about roughly approximately safe"
    "full complete first last same different good bad right wrong able likely often sometimes"
    "column columns day days second minute hour week month year people caller person"
    "data interval process side end begin stay leave try cause lead turn raise lower increase decrease instead prefer"
    "register gate forward skip listen finish refresh support track proxy header open close"
    "format style order rule convention policy method class function key string object"
    "give take tell come avoid before after together appear receive"
    "rate hz khz mhz ghz baud bps fps rpm dpi px pixel bit bits"
    "threshold tool available possible present together late early later earlier soon long short high low new recent stale large small slow fast"
    "manual automatic direct sync stable flaky explicit implicit built-in internal reach"
    "trigger resolve move replace switch drop instead nowadays since ago limit budget max min"
    "deprecated retired abandoned empty longer exist gone real actual own single several many few"
    "alone only mandatory optional forbid directive role access layer box env request response"
    "run-time behaviour behavior thanks due reason result effect issue problem bug failure error"
    "itself look like find hit want ask tell expect assume consider treat serve serves depend"
    "expire default defaults hash sort save load live sit reside stand remain go goes comes"
    "also too even still next previous per via every always never must should may"
];

pub(super) fn is_light(word: &Word) -> bool {
    let is_agent = ["er", "or", "ers", "ors"].iter().any(|end| word.text.ends_with(end));
    let is_manner = word.text.len() > 5 && word.text.ends_with("ly") && !word.is_name;
    // A formatter is somebody, though to format says little.
    let is_whole = ["er", "or"].iter().any(|end| word.stem.ends_with(end));
    let is_made = is_agent && !is_whole && word.text.starts_with(&word.stem);
    word.is_verb || is_manner || (word.is(&LIGHT) && !is_made) || (word.is(&VERBS) && !is_agent)
}

/// Whether a word says little wherever it stands.
pub(super) fn is_slight(word: &Word) -> bool {
    word.is(&LIGHT)
}

/// Whether a word says what is done.
pub(super) fn is_verb(word: &Word) -> bool {
    let is_agent = ["er", "or", "ers", "ors"].iter().any(|end| word.text.ends_with(end));
    word.is_verb || (word.is(&VERBS) && !is_agent)
}

pub(super) fn is_negation(word: &Word) -> bool {
    word.is(&NEGATIONS)
}

/// Words that something may be done with, so that the next one is a verb.
static BEING: List = list!["is are was were be been being get gets got has have had"];

/// What a noun phrase begins with.
pub(super) static OPENERS: List =
    list!["the a an its their our all every each any this that your no"];

/// What stands before the thing that something is done with, at or for.
static PREPOSITIONS: List = list!["to in on at with by from for as into over through via of"];

/// What a form in "-ing" follows when it is a doing.
static BEFORE_DOING: List =
    list!["by for without when while before after from on instead insteadof of than"];

/// Marks words that are verbs by where they stand: "is hunted", "by hunting",
/// "to hunt the", "Rebase the".
pub(super) fn mark_verbs(words: &mut [Word]) {
    for at in 0..words.len() {
        let may_be = words[at].class == Class::Plain && words[at].is_content();
        words[at].is_verb = may_be && (words[at].is_verb || is_verb_at(words, at));
    }
    let is_lead = |word: &Word| word.is_mark(":") || word.is_mark("=");
    if words.iter().any(|word| is_verb(word) || word.is(&AUXILIARY) || is_lead(word)) {
        return;
    }
    // Some word must be the verb: "the service talks to billing".
    let fits = |at: usize| {
        let (word, before) = (&words[at], &words[at - 1]);
        let goes_on = words.get(at + 1).is_some_and(|next| next.class != Class::Mark);
        let leads = words.get(at + 1).is_some_and(|next| next.is(&PREPOSITIONS));
        let is_third = word.text.ends_with('s') && !word.text.ends_with("ss") && goes_on;
        word.class == Class::Plain
            && before.is_content()
            && word.is_content()
            && (is_third || leads)
    };
    if let Some(at) = (1..words.len()).find(|at| fits(*at)) {
        words[at].is_verb = true;
    }
}

/// Participles with endings of their own.
const DONE: [&str; 16] = [
    "built", "kept", "sent", "made", "done", "held", "read", "put", "set", "run", "lost", "found",
    "bound", "led", "met", "cut",
];

fn is_verb_at(words: &[Word], at: usize) -> bool {
    let text = words[at].text.as_str();
    let mut before =
        words[..at].iter().rev().filter(|word| !word.text.ends_with("ly") && !is_negation(word));
    let last = before.next();
    let opens =
        words.get(at + 1).is_some_and(|next| next.is(&OPENERS) || next.class == Class::Code);
    let is_done = !words[at].is_name
        && (["ed", "en", "wn"].iter().any(|end| text.ends_with(end)) || DONE.contains(&text));
    let is_doing = text.len() > 5 && text.ends_with("ing");
    let is_third =
        text.ends_with('s') && at > 0 && words[at - 1].is_content() && !words[at - 1].is_number();
    let is_manner = text.len() > 5 && text.ends_with("ly");
    let is_own = at > 0
        && match words[at - 1].text.as_str() {
            "we" | "you" | "they" | "i" => true,
            "it" => text.ends_with('s') && !text.ends_with("ss"),
            _ => false,
        };
    if is_manner || (is_own && !words[at].is(&AUXILIARY)) {
        return !is_manner;
    }
    last.is_some_and(|word| {
        (is_done && word.is(&BEING))
            || (is_doing && word.is(&BEFORE_DOING))
            || (word.text == "to" && opens)
    }) || (opens && (at == 0 || is_third))
}

fn is_pronoun(word: &Word) -> bool {
    matches!(word.text.as_str(), "we" | "you" | "they" | "i")
}

/// Words that are as often names of things as they are verbs.
pub(super) static NOUNS: List = list![
    "build log test cache lint release schedule document name hash cover format import check call"
    "change run start list block work default deploy install export fix read commit host sign point"
    "order branch target limit answer drop load set own show base"
];

/// Words that begin an order.
static ORDERS: List =
    list!["use run set call prefer keep put add avoid do make write store send install"];

pub(super) fn verb(words: &[Word]) -> Option<usize> {
    let leads = |at: usize| {
        let word = &words[at];
        word.is(&AUXILIARY) || word.is_mark(":") || word.is_mark("=")
    };
    let acts = |at: usize| {
        let word = &words[at];
        let is_form = word.text.ends_with('s') || word.text.ends_with("ed");
        // "Retries use …" begins with a noun, "Retry …" with a verb.
        // "We pack it using a script": that is how, not what.
        let is_means = word.text == "using" && words[..at].iter().any(|word| word.is_verb);
        word.is(&VERBS) && !word.is(&NOUNS) && (at == 0) != is_form && !is_means
    };
    if words.first().is_some_and(|word| word.is(&ORDERS) && !word.text.ends_with('s')) {
        return Some(0);
    }
    let is_own = |at: &usize| words[*at].is_verb && words[..*at].iter().any(is_pronoun);
    let within = |all: std::ops::Range<usize>| {
        all.clone()
            .find(|at| leads(*at) || acts(*at))
            .or_else(|| all.clone().find(is_own))
            .or_else(|| all.clone().skip(1).find(|at| words[*at].is(&VERBS)))
            .or_else(|| all.clone().find(|at| words[*at].is(&VERBS)))
            .or_else(|| all.clone().find(|at| words[*at].is_verb))
    };
    // What the first sentence says comes first.
    let end = words.iter().position(|word| word.is_mark(";") || word.is_mark("."));
    within(0..end.unwrap_or(words.len())).or_else(|| within(0..words.len()))
}
