//! Tests questions about a small project of `CommonJS` and ES modules, with
//! answers that were written by hand.
//!
//! `--nocapture` shows every answer that differs.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use ralph_graph::ask::implied::CallSyntax;
use ralph_graph::ask::name::NameLookup;
use ralph_graph::ask::refs::UseCertainty;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::{CodeSymbol, Index, KnownCode};
use serde_json::Value;

/// A time long after all writes, so that every stamp is settled.
const LATER: i64 = i64::MAX;

/// Positions, or names with their files.
type Places = BTreeSet<String>;

/// The sure results, the possible ones, and whether that is all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    sure: Places,
    possible: Places,
    complete: bool,
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn expected(question: &Value) -> Answer {
    let places = |key: &str| -> Places {
        let all = question[key].as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let possible = places("possible");
    Answer { sure: places("sure"), complete: possible.is_empty(), possible }
}

fn answer(code: &KnownCode<'_>, question: &Value) -> Option<Answer> {
    let mut answer = Answer { complete: true, ..Answer::default() };
    let mut add = |certainty: UseCertainty, place: String| match certainty {
        UseCertainty::Sure => answer.sure.insert(place),
        UseCertainty::OneOf(_) => answer.possible.insert(place),
    };
    if question.get("refs").is_some() {
        let NameLookup::One(refs) = code.refs(text(question, "refs")) else { return None };
        for site in &refs.sites {
            add(site.certainty, format!("{}:{}", site.path, site.line));
        }
        answer.complete = refs.calling == CallSyntax::ByName;
        return Some(answer);
    }
    let NameLookup::One(callees) = code.callees(text(question, "callees")) else { return None };
    for calls in callees.callees {
        let symbol = calls.symbol?;
        add(calls.certainty, format!("{}:{}", symbol.path, symbol.full_name));
    }
    answer.complete = answer.possible.is_empty();
    Some(answer)
}

fn has_symbol(code: &KnownCode<'_>, question: &Value) -> bool {
    let all = SymbolQuery { limit: usize::MAX, ..SymbolQuery::default() };
    let is_it = |symbol: &CodeSymbol| {
        symbol.full_name == text(question, "symbol")
            && symbol.path == text(question, "file")
            && symbol.kind.word() == text(question, "kind")
            && Some(u64::from(symbol.line)) == question["line"].as_u64()
    };
    code.symbols(&all).symbols.iter().any(is_it)
}

#[test]
fn questions_about_modules_of_javascript_are_answered_and_never_wrongly_sure()
-> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/code/modules");
    let state = tempfile::tempdir()?;
    let mut index = Index::open(&folder.join("project"), state.path())?;
    index.update(LATER, &mut |_| {})?;
    let code = index.code(LATER)?;
    let questions = std::fs::read_to_string(folder.join("questions.jsonl"))?;
    let questions: Vec<Value> =
        questions.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (mut right, mut wrongly_sure) = (0, Vec::new());
    for question in &questions {
        if question.get("symbol").is_some() {
            if has_symbol(&code, question) {
                right += 1;
            } else {
                println!("not there: {question}");
            }
            continue;
        }
        let (want, found) = (expected(question), answer(&code, question));
        if found.as_ref() == Some(&want) {
            right += 1;
            continue;
        }
        let found = found.unwrap_or_default();
        println!("{}{}", text(question, "refs"), text(question, "callees"));
        println!("  sure, but not: {:?}", found.sure.difference(&want.sure).collect::<Vec<_>>());
        println!(
            "  not sure, but are: {:?}",
            want.sure.difference(&found.sure).collect::<Vec<_>>()
        );
        println!("  possible: {:?}, want {:?}", found.possible, want.possible);
        println!("  complete: {}, want {}", found.complete, want.complete);
        wrongly_sure.extend(found.sure.difference(&want.sure).cloned());
        if found.complete && !want.complete {
            wrongly_sure.push(format!("complete: {question}"));
        }
    }
    println!("{right} of {} are right", questions.len());
    assert!(questions.len() >= 60, "{} questions", questions.len());
    assert_eq!(wrongly_sure, Vec::<String>::new());
    assert!(right * 100 >= questions.len() * 95, "{right} of {}", questions.len());
    Ok(())
}
