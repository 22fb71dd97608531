//! Characters and spellings that hide parts of a text.

/// Returns true if characters in it hide text or overwrite earlier output.
pub(super) fn is_disguised(text: &str) -> bool {
    let is_tag = |c: char| ('\u{e0000}'..='\u{e007f}').contains(&c);
    let turns = |c: char| matches!(c, '\u{202d}' | '\u{202e}' | '\u{2066}'..='\u{2068}');
    let splits = |part: &[char]| match part {
        [a, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}', b] => {
            a.is_ascii_alphabetic() && b.is_ascii_alphabetic()
        }
        _ => false,
    };
    let erases = ["\u{1b}[8m", "\u{1b}[2K", "\u{1b}[1A", "\u{1b}[2J", "\u{1b}[K"];
    let chars: Vec<char> = text.chars().collect();
    chars.iter().any(|c| is_tag(*c) || turns(*c))
        || chars.windows(3).any(splits)
        || erases.iter().any(|code| text.contains(code))
}

/// Returns the text as a reader sees it: lower case, single spaces, look-alikes of
/// Latin letters replaced, without invisible characters.
pub(super) fn readable(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        let c = plain(c);
        if c == '\n' {
            seen.truncate(seen.trim_end_matches(' ').len());
            seen.push('\n');
        } else if c.is_whitespace() {
            if !seen.ends_with([' ', '\n']) {
                seen.push(' ');
            }
        } else {
            seen.extend(c.to_lowercase());
        }
    }
    seen
}

/// Returns true for invisible characters: no width, or a change of direction.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}' | '\u{fe00}'..='\u{fe0f}')
        || (c.is_control() && !c.is_whitespace())
}

/// Returns the Latin letter that a look-alike imitates.
fn plain(c: char) -> char {
    match c {
        'а' | 'А' | 'α' => 'a',
        'е' | 'Е' | 'ε' => 'e',
        'о' | 'О' | 'ο' => 'o',
        'р' | 'Р' | 'ρ' => 'p',
        'с' | 'С' => 'c',
        'х' | 'Х' => 'x',
        'у' | 'У' => 'y',
        'і' | 'І' | 'ı' | 'ι' => 'i',
        'ѕ' | 'Ѕ' => 's',
        'ν' | 'ѵ' => 'v',
        'т' | 'Т' | 'τ' => 't',
        'к' | 'К' | 'κ' => 'k',
        'м' | 'М' => 'm',
        'н' | 'Н' => 'h',
        'в' | 'В' => 'b',
        'ԁ' => 'd',
        'ո' => 'n',
        'ј' => 'j',
        'υ' => 'u',
        'ց' => 'g',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '’' => '\'',
        // Mathematical bold, italic and other letters, and letters in circles.
        '\u{1d400}'..='\u{1d6a3}' => nth_letter((u32::from(c) - 0x1d400) % 52 % 26, c),
        '\u{24b6}'..='\u{24e9}' => nth_letter((u32::from(c) - 0x24b6) % 26, c),
        '\u{1f130}'..='\u{1f149}' => nth_letter(u32::from(c) - 0x1f130, c),
        '\u{1f150}'..='\u{1f169}' => nth_letter(u32::from(c) - 0x1f150, c),
        '\u{1f170}'..='\u{1f189}' => nth_letter(u32::from(c) - 0x1f170, c),
        _ => c,
    }
}

fn nth_letter(at: u32, otherwise: char) -> char {
    char::from_u32(u32::from('a') + at).filter(char::is_ascii_lowercase).unwrap_or(otherwise)
}
