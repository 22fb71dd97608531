//! Errors for questions without a clear answer, with hints.

use std::path::Path;

use ralph_graph::CodeSymbol;
use ralph_graph::ask::spot::file_of_place;
use ralph_graph::freshness::{FileProblem, Freshness};

use crate::UserError;

/// Makes an error for a name of several definitions, or of none.
pub fn name(name: &str, all: &[CodeSymbol], alike: &[CodeSymbol]) -> UserError {
    if let Some(first) = all.first() {
        // The line may hold definitions with other names.
        let place = format!("{}:{}:{}", first.path, first.line, first.column);
        let count = all.len();
        let korean = format!("`{name}`에 해당하는 것이 {count}개입니다");
        let hint = format!("위치로 어느 것인지 알려 주세요: `{place}`");
        return UserError::refused(format!("`{name}` could be any of {count}"))
            .with_hint(format!("say which one by its place: `{place}`"))
            .in_korean(korean, Some(&hint));
    }
    if name.trim().is_empty() {
        return UserError::refused("no name was given").in_korean("이름이 없습니다", None);
    }
    let (english, korean) = if file_of_place(name).is_some() {
        (format!("nothing is defined at `{name}`"), format!("`{name}`에 정의된 것이 없습니다"))
    } else if alike.is_empty() {
        (format!("nothing is called `{name}`"), format!("`{name}`이라는 이름이 없습니다"))
    } else {
        (
            format!("nothing is called `{name}`; these are alike"),
            format!("`{name}`이라는 이름이 없습니다. 비슷한 것들입니다"),
        )
    };
    UserError::refused(english).in_korean(korean, None)
}

/// Makes an error for files without known code, with the reason for each.
pub fn files(names: &[String], root: &Path, freshness: &Freshness) -> UserError {
    let why = names.iter().map(|name| reason(name, root, freshness));
    let (english, korean): (Vec<String>, Vec<String>) = why.unzip();
    let names = names.join(", ");
    UserError::refused(format!("no code is known in {names}"))
        .with_hint(english.join("; "))
        .in_korean(format!("{names}에서 아는 코드가 없습니다"), Some(&korean.join("; ")))
}

/// Returns why a file has no known code, in English and Korean.
fn reason(name: &str, root: &Path, freshness: &Freshness) -> (String, String) {
    let path = name.trim_start_matches("./");
    let is_it = |trouble: &&FileProblem| trouble.path == path;
    if let Some(trouble) = freshness.skipped.iter().find(is_it) {
        let why = &trouble.why;
        return (format!("{name} is left out: {why}"), format!("{name} 제외: {why}"));
    }
    if let Some(trouble) = freshness.partial.iter().find(is_it) {
        let why = &trouble.why;
        return (format!("{name} could not be read: {why}"), format!("{name} 읽지 못함: {why}"));
    }
    let place = root.join(path);
    if place.is_dir() {
        return (
            format!("there is no code in {name} that is read"),
            format!("{name}에는 읽는 코드가 없습니다"),
        );
    }
    if place.exists() {
        return (
            format!("{name} is ignored or in no language that is read"),
            format!("{name}: 무시되었거나 읽지 않는 언어입니다"),
        );
    }
    if path.contains(['*', '?', '[', '{']) {
        return (format!("no file fits {name}"), format!("{name}에 맞는 파일이 없습니다"));
    }
    (format!("there is no {name}"), format!("{name} 파일이 없습니다"))
}
