//! Finds symbols and files that a task names, by the way they are written.

/// Extensions of file names.
const EXTENSIONS: &str = "rs ts js tsx jsx py go rb java kt json toml yaml yml md txt sh sql proto tf lock ini cfg conf env csv html css xml c h cpp cs php ex gradle";

/// Length of the shortest name that is looked up.
const SHORTEST: usize = 3;

/// Maximum number of names kept of each kind. A pasted log has many names, and few
/// of them matter.
const MOST: usize = 100;

/// The names in a text, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MentionedNames {
    /// Names of symbols, without their qualifiers.
    pub symbols: Vec<String>,
    /// Paths, as written.
    pub files: Vec<String>,
}

/// The way a word is written. Commands in backticks count as words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordStyle {
    AsWord,
    AsCode,
}

/// Finds the names in a text.
pub fn named(text: &str) -> MentionedNames {
    let mut named = MentionedNames::default();
    // Every other part is between backticks.
    for (place, part) in text.split('`').enumerate() {
        let is_quoted = place % 2 == 1 && !part.trim().contains(char::is_whitespace);
        let written = if is_quoted { WordStyle::AsCode } else { WordStyle::AsWord };
        for word in part.split(|c: char| c.is_whitespace() || "\"'“”‘’,;()<>[]{}".contains(c))
        {
            named.add(word, written);
        }
        // `name(` loses its bracket above, so calls are found separately.
        for (before, _) in part.match_indices("()") {
            let start = part[..before]
                .rfind(|c: char| !is_part(c))
                .map_or(0, |at| at + part[at..].chars().next().map_or(1, char::len_utf8));
            named.add_symbol(&part[start..before]);
        }
    }
    named
}

impl MentionedNames {
    fn add(&mut self, word: &str, written: WordStyle) {
        if let Some((file, rest)) = file(word) {
            push(&mut self.files, file);
            if !rest.starts_with(['#', ':']) {
                return;
            }
        }
        let word = word.trim_start_matches(|c: char| !(is_part(c) || c == '/' || c == '.'));
        let word = word.strip_prefix("./").unwrap_or(word);
        let word = word.trim_matches(|c: char| !(is_part(c) || c == '/'));
        // A Korean particle follows without a space.
        let end = word.find(|c: char| !c.is_ascii()).unwrap_or(word.len());
        let word = word[..end].trim_end_matches(['.', ':', '/', '-', '!', '?']);
        if word.contains("://") {
            return;
        }
        let last = word.rsplit(['.', ':', '#']).next().unwrap_or(word);
        let is_path = word.contains("::") || word.contains('#');
        if last.chars().all(is_part) && (written == WordStyle::AsCode || is_path || is_joined(last))
        {
            self.add_symbol(last);
        }
    }

    fn add_symbol(&mut self, name: &str) {
        if name.len() >= SHORTEST && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        {
            push(&mut self.symbols, name);
        }
    }
}

fn push(names: &mut Vec<String>, name: &str) {
    if names.len() < MOST && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

const fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns true if a word is written as only names in code are: `like_this` or `likeThis`.
fn is_joined(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let has_hump = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    inner.contains('_') || has_hump
}

/// Splits a word into the file it names and the rest: a symbol, a line, or a Korean
/// particle.
fn file(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_start_matches(|c: char| !(c.is_alphanumeric() || "_/.".contains(c)));
    let word = word.strip_prefix("./").unwrap_or(word);
    if word.contains("://") {
        return None;
    }
    word.match_indices('.').find_map(|(dot, _)| {
        let end = &word[dot + 1..];
        let end = &end[..end.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(end.len())];
        let (path, rest) = word.split_at(dot + 1 + end.len());
        let is_known = EXTENSIONS.split(' ').any(|known| known == end);
        let is_named = path[..dot].chars().any(char::is_alphanumeric);
        (is_known && is_named && !goes_on(rest)).then_some((path, rest))
    })
}

/// Returns true if the text after an extension shows that it is none: `a.c.txt`, `c_d`.
fn goes_on(rest: &str) -> bool {
    let mut next = rest.chars();
    match next.next() {
        Some('_' | '/' | '-') => true,
        Some('.') => next.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        Some(_) | None => false,
    }
}
