//! What English says of a note that it does not rely on.
//!
//! Words such as "wrong" are mostly about the work. They are about a note if it
//! is what is called so, before its name (`ignoring [id]`, `the outdated note
//! [id]`) or behind it (`[id] is wrong`, `[id] says so, but it does not hold`).

use super::Mention;
use super::english_words::{
    ADVERBS, COPULAS, DENIALS, FOLLOWING, HOLDING, NOUNS, PASSED_OVER, PASSING_OVER, PRONOUNS,
    RELYING, RIGHT, SMALL, TURNS, WRONG,
};

/// How many words that change nothing are passed; a bound on time.
const MOST_LIGHT: usize = 8;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Break(char),
    /// Names in brackets, several of them as far as they are listed.
    Named,
}

/// Which of the mentions in a sentence are of notes that it does not rely on.
pub(super) fn rejected(sentence: &str, mentions: &[Mention<'_>]) -> Vec<bool> {
    let tokens = tokens(sentence, mentions);
    let places: Vec<usize> =
        (0..tokens.len()).filter(|at| tokens.get(*at) == Some(&Token::Named)).collect();
    let mut verdicts = vec![false; places.len()];
    let mut first = 0;
    while first < places.len() {
        let mut last = first;
        while last + 1 < places.len() && is_list(&tokens, places[last], places[last + 1]) {
            last += 1;
        }
        let next = places.get(last + 1).copied().unwrap_or(tokens.len());
        let before = tokens.get(..places[first]).unwrap_or_default();
        let behind = tokens.get(places[last] + 1..next).unwrap_or_default();
        let is_rejected = is_passed_over(before)
            || is_one_of_none(before, behind)
            || is_called_wrong(before, behind);
        verdicts.iter_mut().take(last + 1).skip(first).for_each(|one| *one = is_rejected);
        first = last + 1;
    }
    verdicts
}

fn tokens(sentence: &str, mentions: &[Mention<'_>]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut from = 0;
    for mention in mentions {
        words(sentence.get(from..mention.start).unwrap_or_default(), &mut tokens);
        tokens.push(Token::Named);
        from = mention.end;
    }
    words(sentence.get(from..).unwrap_or_default(), &mut tokens);
    tokens
}

fn words(text: &str, tokens: &mut Vec<Token>) {
    let text = text.to_lowercase().replace('’', "'").replace(" - ", " — ");
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '\'' {
            word.push(c);
            continue;
        }
        tokens.extend(parts(word.trim_matches('\'')).map(|part| Token::Word(part.to_owned())));
        word.clear();
        if matches!(c, ',' | ';' | ':' | '(' | ')' | '—' | '–') {
            tokens.push(Token::Break(c));
        }
    }
}

/// The words that one was made of: `isn't` is two.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let (stem, more) = match (word.strip_suffix("n't"), word.strip_suffix("'s")) {
        _ if word == "cannot" => ("can", "not"),
        (Some(stem), _) => (stem, "not"),
        (None, Some(stem)) if PRONOUNS.contains(&stem) => (stem, "is"),
        (None, Some(stem)) => (stem, ""),
        (None, None) => (word, ""),
    };
    [stem, more].into_iter().filter(|part| !part.is_empty())
}

/// Whether the second name continues a list that the first is in.
fn is_list(tokens: &[Token], first: usize, second: usize) -> bool {
    let between = tokens.get(first + 1..second).unwrap_or_default();
    between.iter().all(|token| match token {
        Token::Word(word) => ["and", "or", "nor"].contains(&word.as_str()),
        Token::Break(mark) => *mark == ',',
        Token::Named => false,
    })
}

fn word(token: Option<&Token>) -> &str {
    match token {
        Some(Token::Word(word)) => word,
        Some(Token::Break(_) | Token::Named) | None => "",
    }
}

fn is_in(token: Option<&Token>, words: &[&str]) -> bool {
    words.contains(&word(token))
}

/// Whether what stands before a name passes the note over.
fn is_passed_over(before: &[Token]) -> bool {
    let is_beside = |token: &Token| is_in(Some(token), NOUNS) || is_in(Some(token), SMALL);
    let is_colon = before.last() == Some(&Token::Break(':'));
    let before = before.strip_suffix(&[Token::Break(':')]).unwrap_or(before);
    let at = before.iter().rposition(|token| !is_beside(token));
    let Some(at) = at else { return false };
    let (token, earlier) = (before.get(at), before.get(..at).unwrap_or_default());
    // What a clause before denies is something else.
    let clause = earlier.iter().rev().take_while(|token| !matches!(token, Token::Break(_)));
    let is_denied = clause.take(3).any(|token| is_in(Some(token), DENIALS));
    if is_colon {
        // "Outdated: [id]" is about the name, "It was wrong: [id]" is not.
        return at == 0 && (is_in(token, WRONG) || is_in(token, PASSING_OVER));
    }
    let has_noun = before.iter().skip(at + 1).any(|token| is_in(Some(token), NOUNS));
    let is_the = has_noun || is_in(earlier.last(), &["the", "an", "a", "this", "that"]);
    let is_contrary = matches!(
        (word(earlier.last()), word(token)),
        ("contrary" | "opposed" | "opposite", "to")
            | ("rather", "than")
            | ("disagree" | "disagreed", "with")
    );
    is_contrary
        || is_in(token, PASSING_OVER) && !is_denied
        || is_in(token, FOLLOWING) && is_denied
        || is_the && is_in(token, WRONG) && !is_denied
        || has_noun && is_in(token, RIGHT) && is_denied
}

/// Whether it is said of a note, as of others, that it did nothing: `neither
/// [id] nor the manual helped`.
fn is_one_of_none(before: &[Token], behind: &[Token]) -> bool {
    let is_beside = |token: &&Token| is_in(Some(token), NOUNS) || is_in(Some(token), SMALL);
    let mut earlier = before.iter().rev().skip_while(is_beside);
    let is_none = is_in(earlier.next(), &["neither", "nor"]);
    let is_blamed = |token: &Token| is_in(Some(token), WRONG) || is_in(Some(token), PASSED_OVER);
    is_none && !is_in(earlier.next(), PASSING_OVER) && !behind.iter().any(is_blamed)
}

/// Whether what stands behind a name calls the note wrong.
fn is_called_wrong(before: &[Token], behind: &[Token]) -> bool {
    if let [Token::Break(_), rest @ ..] = behind {
        // "[id] (outdated)".
        let said = rest.iter().position(|token| !is_in(Some(token), ADVERBS)).unwrap_or(0);
        let ends = rest.get(said + 1).is_none_or(|token| matches!(token, Token::Break(_)));
        if ends && is_in(rest.get(said), WRONG) {
            return true;
        }
    }
    let found = (0..behind.len()).find(|at| is_denying(behind.get(*at..).unwrap_or_default()));
    found.is_some_and(|at| is_about_the_note(before, behind.get(..at).unwrap_or_default()))
}

/// Whether tokens begin with words that call their subject wrong.
fn is_denying(tokens: &[Token]) -> bool {
    let is_of = |words: &[&str]| is_in(tokens.first(), words);
    if is_of(COPULAS) {
        let rest = tokens.get(1..).unwrap_or_default();
        let is_light = |token: &&Token| is_in(Some(token), ADVERBS) || is_in(Some(token), DENIALS);
        let passed = rest.iter().take(MOST_LIGHT).take_while(is_light).count();
        let is_denied = rest.iter().take(passed).any(|token| is_in(Some(token), DENIALS));
        let said = rest.get(passed);
        let is_old = word(said) == "of" && word(rest.get(passed + 1)) == "date";
        let is_vain = ["of", "no"].iter().zip(rest).all(|(one, token)| word(Some(token)) == *one)
            && is_in(rest.get(2), &["help", "use", "value"]);
        let is_wrong = is_in(said, WRONG) || is_in(said, PASSED_OVER) || is_old || is_vain;
        let is_fit = is_in(said, RIGHT) || is_in(said, &["help", "use"]);
        return if is_denied { is_fit } else { is_wrong };
    }
    let has = |words: &[&str]| {
        words.iter().enumerate().all(|(at, wanted)| word(tokens.get(at)) == *wanted)
    };
    let rest = [["do", "not"], ["does", "not"], ["did", "not"], ["no", "longer"]];
    rest.iter().any(|denial| has(denial) && is_in(tokens.get(2), HOLDING))
}

/// Whether the subject of what follows these tokens is the note before them.
fn is_about_the_note(before: &[Token], between: &[Token]) -> bool {
    let is_light = |token: &Token| is_in(Some(token), ADVERBS) || is_in(Some(token), SMALL);
    let is_it = |token: &Token| is_in(Some(token), NOUNS) || is_in(Some(token), PRONOUNS);
    if between.iter().all(|token| is_light(token) || is_it(token)) {
        return true;
    }
    let has_clause = between.iter().any(|token| {
        let begins = ["that", "because", "so", "as", "when", "if", "i", "we", "says", "and"];
        matches!(token, Token::Break(_)) || is_in(Some(token), &begins)
    });
    let is_narrowed = is_in(between.first(), &["about", "on", "regarding", "from", "for", "in"]);
    if is_narrowed && !has_clause {
        return true;
    }
    if is_relied_on(before) {
        return false;
    }
    let heavy = between.iter().rposition(|token| !is_light(token) || is_it(token));
    let Some(at) = heavy else { return false };
    if matches!(between.get(at), Some(Token::Break(_))) {
        // "[id], which says so, is wrong".
        return matches!(between.first(), Some(Token::Break(_)));
    }
    let earlier = between.get(..at).unwrap_or_default();
    let turn = earlier.iter().rposition(|token| !is_light(token)).and_then(|at| earlier.get(at));
    let is_turn = matches!(turn, Some(Token::Break(_))) || is_in(turn, TURNS);
    between.get(at).is_some_and(is_it) && is_turn
}

/// Whether what stands before a name makes it the reason for what follows.
fn is_relied_on(before: &[Token]) -> bool {
    let is_beside = |token: &Token| is_in(Some(token), NOUNS) || is_in(Some(token), SMALL);
    let Some(at) = before.iter().rposition(|token| !is_beside(token)) else { return false };
    let (token, earlier) = (before.get(at), at.checked_sub(1).and_then(|at| before.get(at)));
    let is_due = word(token) == "to" && is_in(earlier, &["according", "thanks", "due"]);
    let is_based = is_in(token, &["based"]);
    is_due || is_based || is_in(token, RELYING) || is_in(token, FOLLOWING)
}
