//! Measures how much of a person's findings in small projects the code graph
//! finds.
//!
//! `--nocapture` shows the table and every disagreement.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use ralph_graph::ask::meaning::{NameTarget, NameUse};
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::facts::{DefinitionKind, ReferenceRole};
use ralph_graph::{CodeSymbol, Index, KnownCode};
use serde_json::Value;

/// A time long after all writes, so that every stamp is settled.
const LATER: i64 = i64::MAX;

/// Counts of correct, wrong and missing findings.
#[derive(Debug, Default)]
struct Score {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Score {
    fn precision(&self) -> f64 {
        share(self.right, self.wrong)
    }

    fn recall(&self) -> f64 {
        share(self.right, self.missed)
    }
}

fn share(right: u32, other: u32) -> f64 {
    if right + other == 0 { 1.0 } else { f64::from(right) / f64::from(right + other) }
}

/// The result for one project.
#[derive(Debug, Default)]
struct Outcome {
    definitions: Score,
    references: Score,
    relations: Score,
    disagreements: String,
}

impl Outcome {
    fn disagree(&mut self, what: &str) {
        for part in ["  ", what, "\n"] {
            self.disagreements.push_str(part);
        }
    }
}

/// The facts about a project.
struct Known {
    symbols: Vec<CodeSymbol>,
    uses: BTreeMap<String, Vec<NameUse>>,
    imports: BTreeSet<(String, String)>,
}

impl Known {
    fn of(code: &KnownCode<'_>) -> Self {
        let all = SymbolQuery { limit: usize::MAX, ..SymbolQuery::default() };
        let symbols = code.symbols(&all).symbols;
        let paths = code.paths();
        let imports = paths
            .iter()
            .flat_map(|path| code.imports(path).into_iter().map(|other| (path.clone(), other)));
        let imports = imports.collect();
        let uses = paths.iter().map(|path| (path.clone(), code.meanings(path))).collect();
        Self { symbols, uses, imports }
    }
}

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/code")
}

fn measure(language: &str) -> Result<Outcome, Box<dyn Error>> {
    let folder = corpora().join(language);
    let state = tempfile::tempdir()?;
    let mut index = Index::open(&folder.join("project"), state.path())?;
    index.update(LATER, &mut |_| {})?;
    let known = Known::of(&index.code(LATER)?);
    let expected = std::fs::read_to_string(folder.join("expected.jsonl"))?;
    let expected: Vec<Value> =
        expected.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut outcome = Outcome::default();
    compare_definitions(&known, &expected, language, &mut outcome);
    for mark in expected.iter().filter(|mark| mark.get("ref").is_some()) {
        compare_reference(&known, mark, &mut outcome);
    }
    for relation in expected.iter().filter(|it| it.get("rel").is_some()) {
        if has_relation(&known, relation) {
            outcome.relations.right += 1;
        } else {
            outcome.relations.missed += 1;
            outcome.disagree(&format!("relation missed: {}", in_short(relation)));
        }
    }
    Ok(outcome)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u32 {
    value[key].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}

fn in_short(value: &Value) -> String {
    let to = value.get("to").map(|_| format!(" -> {}", text(value, "to")));
    let at = value.get("line").map_or_else(
        || format!("{} {}", text(value, "rel"), text(value, "from")),
        |line| format!("{}:{line}:{}", text(value, "file"), value["column"]),
    );
    let name = format!("{}{}", text(value, "def"), text(value, "ref"));
    let kind = format!("{}{}", text(value, "kind"), text(value, "role"));
    let around = value["in"].as_str().map(|around| format!(" in {around}"));
    format!("{at} {kind} {name}{}{}", around.unwrap_or_default(), to.unwrap_or_default())
}

/// Returns a name with dots, in any language.
fn dotted(name: &str) -> String {
    name.replace("::", ".").replace('\\', ".")
}

/// Returns true if a full name is the expected one, which includes the
/// namespace of the file.
fn is_called(symbol: &CodeSymbol, full: &str) -> bool {
    let (found, full) = (dotted(&symbol.full_name), dotted(full));
    found == full || full.ends_with(&format!(".{found}"))
}

fn compare_definitions(known: &Known, expected: &[Value], language: &str, outcome: &mut Outcome) {
    type Key = (String, u32, u32, String, String);
    let wanted = expected.iter().filter(|it| it.get("def").is_some());
    let mut wanted: BTreeMap<Key, &Value> = wanted
        .map(|it| {
            let file = text(it, "file").to_owned();
            let (name, kind) = (text(it, "def").to_owned(), text(it, "kind").to_owned());
            ((file, number(it, "line"), number(it, "column"), name, kind), it)
        })
        .collect();
    let made = |symbol: &CodeSymbol| {
        // In the corpora `A = Struct.new(:b)` is a constant; in the graph it is
        // a type with fields.
        let is_constant = |it: &Value| {
            text(it, "kind") == "constant"
                && text(it, "file") == symbol.path
                && number(it, "line") == symbol.line
        };
        language == "ruby" && expected.iter().any(is_constant)
    };
    for symbol in &known.symbols {
        let is_made = made(symbol);
        if is_made && symbol.kind == DefinitionKind::Field {
            continue;
        }
        let is_made =
            is_made && matches!(symbol.kind, DefinitionKind::Class | DefinitionKind::Struct);
        let kind = if is_made { DefinitionKind::Constant } else { symbol.kind }.word().to_owned();
        let place = (symbol.path.clone(), symbol.line, symbol.column);
        let key = (place.0, place.1, place.2, symbol.name.clone(), kind);
        let Some(want) = wanted.remove(&key) else {
            if is_left_out(known, symbol, language) {
                continue;
            }
            outcome.definitions.wrong += 1;
            outcome.disagree(&format!(
                "definition too much: {}:{}:{} {} {} ({})",
                key.0, key.1, key.2, key.4, key.3, symbol.full_name
            ));
            continue;
        };
        let around = want["in"].as_str().map(|around| format!("{around}."));
        let full = format!("{}{}", around.unwrap_or_default(), symbol.name);
        if is_called(symbol, &full) {
            outcome.definitions.right += 1;
        } else {
            outcome.definitions.wrong += 1;
            outcome.definitions.missed += 1;
            outcome.disagree(&format!(
                "definition elsewhere: {} is {}",
                in_short(want),
                symbol.full_name
            ));
        }
    }
    for missed in wanted.values() {
        outcome.definitions.missed += 1;
        outcome.disagree(&format!("definition missed: {}", in_short(missed)));
    }
}

/// Returns true if the corpora omit something that the graph includes on
/// purpose.
fn is_left_out(known: &Known, symbol: &CodeSymbol, language: &str) -> bool {
    match language {
        // Package clauses name a file rather than contain it; the graph has
        // them as modules.
        "go" | "java" => symbol.kind == DefinitionKind::Module,
        // The corpora list a declared function by its body only; the graph
        // reads each file alone and joins the two in queries.
        "c" | "cpp" => {
            let is_body = |other: &&CodeSymbol| {
                other.full_name == symbol.full_name
                    && other.kind == symbol.kind
                    && !is_header(&other.path)
            };
            is_header(&symbol.path) && known.symbols.iter().any(|other| is_body(&other))
        }
        // In the graph, a test with a title is a function.
        "javascript" | "typescript" | "ruby" => {
            let path = corpora().join(language).join("project").join(&symbol.path);
            let source = std::fs::read_to_string(path).unwrap_or_default();
            let line = source.lines().nth(symbol.line as usize - 1).unwrap_or_default();
            let before = line.as_bytes().get((symbol.column as usize).wrapping_sub(2));
            symbol.kind == DefinitionKind::Function && matches!(before, Some(b'"' | b'\'' | b'`'))
        }
        _ => false,
    }
}

fn is_header(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|ending| ending.starts_with('h'))
}

/// Returns the position of a definition in the notation of the corpora.
fn place(symbol: &CodeSymbol) -> String {
    format!("{}:{}", symbol.path, symbol.line)
}

fn shown(meaning: Option<&NameTarget>) -> String {
    let places = |symbols: &[CodeSymbol]| symbols.iter().map(place).collect::<Vec<_>>().join(" ");
    match meaning {
        None => "no use".to_owned(),
        Some(NameTarget::Symbols(symbols)) => places(symbols),
        Some(NameTarget::OneOf(symbols)) => format!("one of {}", places(symbols)),
        Some(NameTarget::Files(files)) => format!("module {}", files.join(" ")),
        Some(NameTarget::Outside) => "outside".to_owned(),
    }
}

fn compare_reference(known: &Known, mark: &Value, outcome: &mut Outcome) {
    let (line, column) = (number(mark, "line"), number(mark, "column"));
    let uses = known.uses.get(text(mark, "file")).map_or(&[][..], Vec::as_slice);
    let here: Vec<&NameUse> =
        uses.iter().filter(|it| it.line == line && it.column == column).collect();
    // A name may be listed twice, as a type and as a called name.
    let role = |it: &&&NameUse| is_role(it.role, text(mark, "role"));
    let marked = here.iter().find(role).or(here.first());
    let meaning = marked.map(|marked| &marked.meaning);
    let to = text(mark, "to");
    let score = &mut outcome.references;
    let is_right = match (to, meaning) {
        ("external" | "local", Some(NameTarget::Symbols(_) | NameTarget::Files(_))) => {
            score.wrong += 1;
            false
        }
        ("external" | "local", None | Some(NameTarget::OneOf(_) | NameTarget::Outside)) => true,
        ("ambiguous", Some(NameTarget::Symbols(found))) if found.len() < 2 => {
            score.wrong += 1;
            score.missed += 1;
            false
        }
        ("ambiguous", Some(NameTarget::Symbols(found) | NameTarget::OneOf(found))) => {
            let mut among = mark["among"].as_array().into_iter().flatten();
            let all =
                among.all(|one| found.iter().any(|it| Some(place(it).as_str()) == one.as_str()));
            if all {
                score.right += 1;
            } else {
                score.missed += 1;
            }
            all
        }
        (to, Some(NameTarget::Symbols(found))) => {
            let is_right = found.iter().any(|symbol| place(symbol) == to);
            if is_right {
                score.right += 1;
            } else {
                score.wrong += 1;
                score.missed += 1;
            }
            is_right
        }
        (_, None | Some(NameTarget::OneOf(_) | NameTarget::Files(_) | NameTarget::Outside)) => {
            score.missed += 1;
            false
        }
    };
    if !is_right {
        outcome.disagree(&format!("reference: {}, found {}", in_short(mark), shown(meaning)));
    }
}

fn is_role(role: ReferenceRole, word: &str) -> bool {
    match role {
        ReferenceRole::Call => word == "call",
        ReferenceRole::Type => word == "type",
        ReferenceRole::Extends => word == "extends",
        ReferenceRole::Implements => word == "implements",
        // Macros are called in the corpora and applied in the graph.
        ReferenceRole::Applies => matches!(word, "applies" | "call"),
        ReferenceRole::Value => word == "value",
    }
}

fn has_relation(known: &Known, relation: &Value) -> bool {
    let (from, to) = (text(relation, "from"), text(relation, "to"));
    let fits = |role: ReferenceRole| match text(relation, "rel") {
        "calls" | "tests" => matches!(role, ReferenceRole::Call | ReferenceRole::Applies),
        "extends" => role == ReferenceRole::Extends,
        "implements" => role == ReferenceRole::Implements,
        _ => false,
    };
    match text(relation, "rel") {
        "imports" => known.imports.contains(&(from.to_owned(), to.to_owned())),
        "contains" => known.symbols.iter().any(|symbol| is_at(symbol, to)),
        _ => {
            let (path, within) = split(from);
            let uses = known.uses.get(path).map_or(&[][..], Vec::as_slice);
            uses.iter().filter(|it| fits(it.role)).any(|it| {
                is_within(it.within.as_ref(), within)
                    && matches!(&it.meaning, NameTarget::Symbols(found)
                        if found.iter().any(|symbol| is_at(symbol, to)))
            })
        }
    }
}

/// Splits `path:Dotted.name` into path and name.
fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(':').map_or((text, None), |(path, name)| (path, Some(name)))
}

fn is_at(symbol: &CodeSymbol, text: &str) -> bool {
    let (path, name) = split(text);
    symbol.path == path && name.is_some_and(|name| is_called(symbol, name))
}

/// Returns true if the definition around a use is the wanted one, or inside it.
fn is_within(found: Option<&CodeSymbol>, wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    found.is_some_and(|symbol| {
        let full = dotted(&symbol.full_name);
        is_called(symbol, wanted) || full.starts_with(&format!("{}.", dotted(wanted)))
    })
}

/// Minimum scores: precision and recall of definitions and references, recall
/// of relations.
struct Least {
    language: &'static str,
    definitions: (f64, f64),
    references: (f64, f64),
    relations: f64,
}

const fn least(language: &'static str) -> Least {
    Least { language, definitions: (0.99, 0.98), references: (0.95, 0.90), relations: 0.9 }
}

const LANGUAGES: [Least; 12] = [
    least("bash"),
    least("c"),
    least("cpp"),
    least("csharp"),
    least("go"),
    least("java"),
    least("javascript"),
    least("php"),
    least("python"),
    least("ruby"),
    least("rust"),
    least("typescript"),
];

#[test]
fn small_projects_are_understood() {
    let mut table = String::new();
    let mut low = Vec::new();
    for least in &LANGUAGES {
        let outcome = measure(least.language).unwrap();
        let reached = [
            (outcome.definitions.precision(), least.definitions.0),
            (outcome.definitions.recall(), least.definitions.1),
            (outcome.references.precision(), least.references.0),
            (outcome.references.recall(), least.references.1),
            (outcome.relations.recall(), least.relations),
        ];
        let numbers = reached.map(|(reached, _)| format!("{reached:.3}")).join("  ");
        writeln!(table, "{:<12}{numbers}", least.language).unwrap();
        println!("{}\n{}", least.language, outcome.disagreements);
        if reached.iter().any(|(reached, least)| reached < least) {
            low.push(least.language);
        }
    }
    let head =
        "definitions   references    relations\n            prec.  recall prec.  recall recall";
    println!("            {head}\n{table}");
    assert!(low.is_empty(), "too little is found in {low:?}\n{table}");
}
