//! Answers about code, for people.

use std::fmt::Write;

use ralph_core::locale::Locale;
use ralph_graph::ask::calls::{CallGroup, Callees, Callers};
use ralph_graph::ask::impact::ChangeImpact;
use ralph_graph::ask::implied::CallSyntax;
use ralph_graph::ask::refs::{SymbolUses, UseCertainty};
use ralph_graph::ask::symbols::SymbolMatches;
use ralph_graph::freshness::{FileProblem, Freshness, FreshnessState};
use ralph_graph::{CodeSymbol, UpdateSummary};

use crate::texts::{counted, one_line, table};

/// Number of files with problems that are listed.
const FEW: usize = 20;

/// Longest path that is shown, in characters.
const PATH: usize = 200;

/// Widest signature in a table, in characters.
const SIGNATURE: usize = 80;

/// Choice to show or hide uses that may refer to something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtfulUses {
    /// They are listed, too.
    Shown,
    /// They are only counted.
    Hidden,
}

/// Renders answers in one language.
pub struct CodeRenderer {
    locale: Locale,
}

impl CodeRenderer {
    /// Makes one for a language.
    pub fn new(locale: Locale) -> Self {
        Self { locale }
    }

    fn say<'a>(&self, english: &'a str, korean: &'a str) -> &'a str {
        self.locale.say(english, korean)
    }

    /// Renders what an update did.
    pub fn updated(&self, updated: UpdateSummary, freshness: &Freshness) -> String {
        let UpdateSummary { read, parsed, removed } = updated;
        let files = freshness.files;
        let mut text = match self.locale {
            Locale::En if read == 0 && removed == 0 => {
                format!("{} indexed, nothing changed.\n", counted(files, "file"))
            }
            Locale::En => format!(
                "{} indexed: {read} read, {parsed} parsed, {removed} removed.\n",
                counted(files, "file")
            ),
            Locale::Ko if read == 0 && removed == 0 => {
                format!("파일 {files}개를 색인했습니다. 바뀐 파일이 없습니다.\n")
            }
            Locale::Ko => format!(
                "파일 {files}개를 색인했습니다. {read}개를 읽고 {parsed}개를 분석했으며 {removed}개는 없어졌습니다.\n"
            ),
        };
        for trouble in freshness.skipped.iter().take(FEW) {
            let FileProblem { path, why } = trouble;
            // Writing to a string cannot fail.
            let path = one_line(path, PATH);
            let _ = writeln!(text, "{} {path}: {why}", self.say("left out", "제외"));
        }
        let more = freshness.skipped.len().saturating_sub(FEW);
        if more > 0 {
            let _ = writeln!(text, "{} {more}", self.say("and more:", "그 외:"));
        }
        text
    }

    /// Renders how reliable an answer is, in a line or two.
    pub fn freshness(&self, freshness: &Freshness) -> String {
        let state = freshness.state();
        let (files, skipped) = (freshness.files, freshness.skipped.len());
        let mut text = match (state, self.locale) {
            (FreshnessState::Unknown, Locale::En) if skipped > 0 => {
                format!("unknown: there is no code here that could be read, {skipped} left out")
            }
            (FreshnessState::Unknown, Locale::Ko) if skipped > 0 => {
                format!("unknown: 읽을 수 있는 코드가 없습니다, 제외 {skipped}개")
            }
            (FreshnessState::Unknown, Locale::En) => {
                "unknown: there is no code here that could be read".to_owned()
            }
            (FreshnessState::Unknown, Locale::Ko) => {
                "unknown: 읽을 수 있는 코드가 없습니다".to_owned()
            }
            (_, Locale::En) => {
                let noun = if files == 1 { "file" } else { "files" };
                format!("{}: {files} {noun}, {skipped} left out", state.word())
            }
            (_, Locale::Ko) => format!("{}: 파일 {files}개, 제외 {skipped}개", state.word()),
        };
        for trouble in freshness.stale.iter().chain(&freshness.partial).take(FEW) {
            let _ = write!(text, "\n  {}: {}", one_line(&trouble.path, PATH), trouble.why);
        }
        text
    }

    /// Renders definitions that were found.
    pub fn symbols(&self, found: &SymbolMatches) -> String {
        if found.symbols.is_empty() && found.total > 0 {
            let total = found.total;
            return match self.locale {
                Locale::En if total == 1 => "1 was found, it is not listed.\n".to_owned(),
                Locale::En => format!("{total} were found, none is listed.\n"),
                Locale::Ko => format!("{total}개를 찾았으나 표시하지 않습니다.\n"),
            };
        }
        if found.symbols.is_empty() {
            return format!("{}\n", self.say("Nothing was found.", "찾은 것이 없습니다."));
        }
        let mut text = self.candidates(&found.symbols);
        let more = found.total.saturating_sub(found.symbols.len());
        if more > 0 {
            let _ = writeln!(text, "{} {more}", self.say("and more:", "그 외:"));
        }
        text
    }

    /// Renders the note about a path that was guessed.
    pub fn guessed(&self, asked: &str, files: &[String]) -> String {
        let more = files.len().saturating_sub(FEW);
        let mut names = files.iter().take(FEW).cloned().collect::<Vec<String>>().join(", ");
        if more > 0 {
            let _ = write!(names, ", {} {more}", self.say("and more:", "그 외:"));
        }
        self.locale.say(
            format!("no file is called {asked}; taken is {names}"),
            format!("{asked} 파일이 없어 비슷한 것을 찾았습니다: {names}"),
        )
    }

    /// Renders the note about an empty map.
    pub fn nothing_fits(&self, tokens: usize) -> String {
        match self.locale {
            Locale::En if tokens == 1 => "nothing fits into 1 token".to_owned(),
            Locale::En => format!("nothing fits into {tokens} tokens"),
            Locale::Ko => format!("토큰 {tokens}개에는 아무것도 들어가지 않습니다"),
        }
    }

    /// Renders a table of definitions.
    pub fn candidates(&self, symbols: &[CodeSymbol]) -> String {
        if symbols.is_empty() {
            return String::new();
        }
        let heads = self
            .locale
            .say(["symbol", "kind", "place", "signature"], ["심볼", "종류", "위치", "시그니처"]);
        let rows = symbols.iter().map(|symbol| {
            vec![
                one_line(&symbol.full_name, 60),
                symbol.kind.word().to_owned(),
                one_line(&exact_place(symbol, symbols), 200),
                one_line(&symbol.signature, SIGNATURE),
            ]
        });
        table(&heads, rows)
    }

    /// Renders the uses of a definition.
    pub fn refs(&self, found: &SymbolUses, doubts: DoubtfulUses) -> String {
        let mut text = head(&found.symbols);
        let is_sure = |certainty| certainty == UseCertainty::Sure;
        let shown = |certainty| doubts == DoubtfulUses::Shown || is_sure(certainty);
        let hidden = found.sites.iter().filter(|site| !shown(site.certainty)).count();
        let sites: Vec<_> = found.sites.iter().filter(|site| shown(site.certainty)).collect();
        if sites.is_empty() && hidden == 0 {
            text.push_str(match found.calling {
                CallSyntax::ByName | CallSyntax::Perhaps => {
                    self.say("Nothing uses it.\n", "사용하는 곳이 없습니다.\n")
                }
                CallSyntax::BySyntax => self.not_known(),
            });
            return text;
        }
        if sites.is_empty() {
            let none = self.say("No sure use", "확실한 사용처가 없습니다");
            return text + &self.only_possible(none, hidden);
        }
        let heads = self.locale.say(["place", "relation", "in", ""], ["위치", "관계", "안", ""]);
        let rows = sites.into_iter().map(|site| {
            vec![
                format!("{}:{}:{}", one_line(&site.path, PATH), site.line, site.column),
                site.relation.word().to_owned(),
                one_line(site.within.as_deref().unwrap_or("-"), 60),
                self.doubt(site.certainty),
            ]
        });
        text.push_str(&table(&heads, rows));
        text.push_str(&self.hidden(hidden));
        text
    }

    /// Renders an answer that has only possible uses, none of which is shown.
    fn only_possible(&self, none: &str, count: usize) -> String {
        match self.locale {
            Locale::En => {
                let them = if count == 1 { "it" } else { "them" };
                format!("{none}; {count} possible (`--possible` shows {them}).\n")
            }
            Locale::Ko => format!(
                "{none}. 가능한 곳이 {count}곳 있습니다 (`--possible` 로 볼 수 있습니다).\n"
            ),
        }
    }

    /// Renders the note about uses that are not shown.
    fn hidden(&self, count: usize) -> String {
        match count {
            0 => String::new(),
            count => self.locale.say(
                format!("{count} more could be meant; `--possible` lists them\n"),
                format!("{count}곳이 더 해당할 수 있습니다. `--possible` 로 볼 수 있습니다\n"),
            ),
        }
    }

    /// Renders the note that callers cannot be known.
    fn not_known(&self) -> &'static str {
        self.say(
            "Not known: it is called by syntax that names nothing.\n",
            "알 수 없습니다. 이름을 적지 않는 문법으로 호출됩니다.\n",
        )
    }

    fn doubt(&self, certainty: UseCertainty) -> String {
        match (certainty, self.locale) {
            (UseCertainty::Sure, _) => String::new(),
            // It may be something that is not in the index.
            (UseCertainty::OneOf(..2), Locale::En) => "not sure".to_owned(),
            (UseCertainty::OneOf(..2), Locale::Ko) => "확실하지 않음".to_owned(),
            (UseCertainty::OneOf(count), Locale::En) => format!("one of {count}"),
            (UseCertainty::OneOf(count), Locale::Ko) => format!("{count}개 중 하나"),
        }
    }

    /// Renders the callers of a definition.
    pub fn callers(&self, found: &Callers, doubts: DoubtfulUses) -> String {
        let mut text = head(&found.symbols);
        if found.callers.is_empty() {
            text.push_str(match found.calling {
                CallSyntax::ByName | CallSyntax::Perhaps => {
                    self.say("Nothing calls it.\n", "호출하는 곳이 없습니다.\n")
                }
                CallSyntax::BySyntax => self.not_known(),
            });
            return text;
        }
        let none = self.say("No sure caller", "확실한 호출처가 없습니다");
        text.push_str(&self.calls(&found.callers, doubts, none));
        text
    }

    /// Renders what a definition calls.
    pub fn callees(&self, found: &Callees, doubts: DoubtfulUses) -> String {
        let mut text = head(&found.symbols);
        if found.callees.is_empty() {
            text.push_str(self.say(
                "It calls nothing of the project.\n",
                "프로젝트 안의 것을 호출하지 않습니다.\n",
            ));
        } else {
            let none = self.say("Nothing sure", "확실한 것이 없습니다");
            text.push_str(&self.calls(&found.callees, doubts, none));
        }
        if !found.outside.is_empty() {
            let names = one_line(&found.outside.join(", "), 200);
            let _ = writeln!(text, "{} {names}", self.say("outside the project:", "프로젝트 밖:"));
        }
        if !found.unresolved.is_empty() {
            let names = one_line(&found.unresolved.join(", "), 200);
            let what = self.say("imported, but not there:", "가져왔지만 없는 이름:");
            let _ = writeln!(text, "{what} {names}");
        }
        text
    }

    /// Renders a table of calls; `none` says that there are no sure ones.
    fn calls(&self, all: &[CallGroup], doubts: DoubtfulUses, none: &str) -> String {
        let shown = |calls: &&CallGroup| {
            doubts == DoubtfulUses::Shown || calls.certainty == UseCertainty::Sure
        };
        let hidden = all.iter().filter(|calls| !shown(calls)).count();
        if hidden > 0 && hidden == all.len() {
            return self.only_possible(none, hidden);
        }
        let heads = self.locale.say(["symbol", "place", "lines", ""], ["심볼", "위치", "줄", ""]);
        let rows = all.iter().filter(shown).map(|calls| {
            let lines: Vec<String> = calls.lines.iter().map(ToString::to_string).collect();
            let name = calls.symbol.as_ref().map_or("-", |symbol| symbol.full_name.as_str());
            vec![
                one_line(name, 60),
                calls.symbol.as_ref().map_or_else(|| one_line(&calls.path, PATH), place),
                one_line(&lines.join(","), 40),
                self.doubt(calls.certainty),
            ]
        });
        table(&heads, rows) + &self.hidden(hidden)
    }

    /// Renders what depends on files.
    pub fn impact(&self, found: &ChangeImpact) -> String {
        let mut text = String::new();
        for name in &found.unknown {
            let _ = writeln!(text, "{}", self.unknown(name));
        }
        for name in &found.gone {
            let name = one_line(name, PATH);
            let gone = self.locale.say(
                format!("{name} is gone, but still needed."),
                format!("{name} 파일은 없어졌지만 아직 필요합니다."),
            );
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{gone}");
        }
        if found.files.is_empty() && found.gone.is_empty() {
            return text;
        }
        if found.dependents.is_empty() {
            text.push_str(self.say("Nothing depends on it.\n", "의존하는 파일이 없습니다.\n"));
        } else {
            let heads = self
                .locale
                .say(["file", "distance", "relation", "through"], ["파일", "거리", "관계", "경유"]);
            let rows = found.dependents.iter().map(|it| {
                let distance = it.distance.to_string();
                vec![
                    one_line(&it.path, PATH),
                    distance,
                    it.relation.word().to_owned(),
                    it.through.clone(),
                ]
            });
            text.push_str(&table(&heads, rows));
        }
        if found.tests.is_empty() {
            text.push_str(self.say("\nNo test touches it.\n", "\n관련 테스트가 없습니다.\n"));
            return text;
        }
        let heads = self.locale.say(["test", "place", "distance"], ["테스트", "위치", "거리"]);
        let rows = found.tests.iter().map(|it| {
            let line = it.line.map(|line| format!(":{line}")).unwrap_or_default();
            let whole = self.say("(whole file)", "(파일 전체)");
            let name = one_line(it.name.as_deref().unwrap_or(whole), 80);
            vec![name, format!("{}{line}", one_line(&it.path, PATH)), it.distance.to_string()]
        });
        let _ = write!(text, "\n{}", table(&heads, rows));
        text
    }

    /// Renders the note about a path without known code.
    pub fn unknown(&self, name: &str) -> String {
        self.locale
            .say(format!("no code is known in {name}"), format!("{name} 에서 아는 코드가 없습니다"))
    }
}

fn place(symbol: &CodeSymbol) -> String {
    format!("{}:{}", one_line(&symbol.path, PATH), symbol.line)
}

/// Returns the place of a definition, with the column if the line has several.
fn exact_place(symbol: &CodeSymbol, all: &[CodeSymbol]) -> String {
    let CodeSymbol { path, line, column, .. } = symbol;
    let path = &one_line(path, PATH);
    let is_beside = |other: &&CodeSymbol| other.path == symbol.path && other.line == *line;
    if all.iter().filter(is_beside).count() > 1 {
        format!("{path}:{line}:{column}")
    } else {
        format!("{path}:{line}")
    }
}

fn head(symbols: &[CodeSymbol]) -> String {
    let mut text = String::new();
    for symbol in symbols {
        let kind = symbol.kind.word();
        let _ = writeln!(text, "{kind} {}  {}", one_line(&symbol.full_name, 80), place(symbol));
    }
    text
}
