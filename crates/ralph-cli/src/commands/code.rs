//! `ralph code`: questions about the definitions in the code and their relations.

pub(crate) mod progress;

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ralph_engine::code::{CodeRenderer, DoubtfulUses, kind, nanoseconds, other_words, unclear};
use ralph_engine::folder_guard;
use ralph_engine::wire::code as wire;
use ralph_graph::ask::files::FoundBy;
use ralph_graph::ask::name::NameLookup;
use ralph_graph::ask::spot::file_of_place;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::facts::DefinitionKind;
use ralph_graph::map::{MapQuery, PathResolution};
use ralph_graph::{CodeSymbol, Index, KnownCode, UpdateSummary};
use serde_json::Value;

use self::progress::IndexProgressBar;
use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Ask about the project's code: symbols, references, calls, impact, a map
///
/// Answers are made from an index that is brought up to date first; only
/// files that changed are read. Each says how fresh it is:
///
/// - fresh: all code is known as it is
///
/// - stale: a file does not follow its grammar; what was known before is kept
///
/// - partial: something of a file is missing
///
/// - unknown: there is no code that could be read, so an empty answer means
///   nothing
#[derive(clap::Args, Debug)]
pub(crate) struct CodeArgs {
    #[command(subcommand)]
    question: CodeCommand,
}

#[derive(clap::Subcommand, Debug)]
enum CodeCommand {
    /// Bring the index up to date and say what was left out
    Index(IndexArgs),
    /// List definitions, by a name or something like it
    Symbols(SymbolsArgs),
    /// List the uses of a definition
    Refs(SymbolArgs),
    /// List who calls a definition
    Callers(SymbolArgs),
    /// List what a definition calls
    Callees(SymbolArgs),
    /// List what depends on files, and the tests that touch them
    Impact(ImpactArgs),
    /// Show what matters most in the code, within a number of tokens
    Map(MapArgs),
}

#[derive(clap::Args, Debug)]
struct IndexArgs {
    /// Forget everything and read all files again
    #[arg(long)]
    rebuild: bool,
    #[command(flatten)]
    form: AnswerFormat,
}

/// The format of an answer
#[derive(clap::Args, Clone, Copy, Debug)]
struct AnswerFormat {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct SymbolsArgs {
    /// A name, parts of its words, its initials, or with a slip of the finger;
    /// or a place: `path/file.py:12`
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// Only in this file or folder, in files that fit a pattern such as `*.py`,
    /// or in one with a path like it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_parser = kinds(), ignore_case = true)]
    kind: Vec<DefinitionKind>,
    /// How many to list
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    form: AnswerFormat,
}

#[derive(clap::Args, Debug)]
struct SymbolArgs {
    /// The definition: `save`, `Store.save`, `store::save` or
    /// `path/file.py:Store.save`; or its place: `path/file.py:12`, with a column
    /// where several are in a line
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Show also what may be meant but could be something else; `--json` always
    /// has them, with `certain` false
    #[arg(long)]
    possible: bool,
    #[command(flatten)]
    form: AnswerFormat,
}

#[derive(clap::Args, Debug)]
struct ImpactArgs {
    /// The files that change
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    #[command(flatten)]
    form: AnswerFormat,
}

#[derive(clap::Args, Debug)]
struct MapArgs {
    /// Files of interest
    #[arg(long, value_name = "FILE", num_args = 1..)]
    files: Vec<String>,
    /// Words of interest: names, or parts of them
    #[arg(long, value_name = "WORD", num_args = 1..)]
    words: Vec<String>,
    /// How many tokens it may have, counted roughly
    #[arg(long, value_name = "N", default_value_t = 1500)]
    tokens: usize,
    #[command(flatten)]
    form: AnswerFormat,
}

pub(crate) fn run(args: &CodeArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    folder_guard::refuse_no_project(&app)?;
    let mut index = Index::open(&app.project.root, &app.home)?;
    let now = nanoseconds(&app);
    let mut bar = IndexProgressBar::new(app.locale());
    let mut show = |progress| bar.show(progress);
    let updated = if let CodeCommand::Index(IndexArgs { rebuild: true, .. }) = &args.question {
        index.rebuild(now, &mut show)?
    } else {
        index.update(now, &mut show)?
    };
    bar.clear();
    if let CodeCommand::Index(args) = &args.question {
        show_index(&app, &index, updated, args);
        return Ok(0);
    }
    let code = index.code(now)?;
    let asking =
        CodeQueryContext { app: &app, code: &code, answers: CodeRenderer::new(app.locale()) };
    asking.answer(&args.question).or_else(|error| {
        out::note(error.said(app.locale()));
        Ok(error.exit_code())
    })
}

fn show_index(app: &App, index: &Index, updated: UpdateSummary, args: &IndexArgs) {
    let freshness = index.freshness();
    if args.form.json {
        out::line(wire::updated(updated, &freshness));
    } else {
        let answers = CodeRenderer::new(app.locale());
        out::raw(&answers.updated(updated, &freshness));
        out::note(answers.freshness(&freshness));
    }
}

/// The project and its code, to answer one question.
struct CodeQueryContext<'a> {
    app: &'a App,
    code: &'a KnownCode<'a>,
    answers: CodeRenderer,
}

/// Parses a kind, and lists all in the help.
fn kinds() -> impl TypedValueParser<Value = DefinitionKind> {
    let value = |kind: &DefinitionKind| PossibleValue::new(kind.word()).aliases(other_words(*kind));
    PossibleValuesParser::new(DefinitionKind::ALL.iter().map(value)).try_map(|word| kind(&word))
}

impl SymbolArgs {
    fn doubts(&self) -> DoubtfulUses {
        if self.possible { DoubtfulUses::Shown } else { DoubtfulUses::Hidden }
    }
}

impl CodeQueryContext<'_> {
    fn answer(&self, question: &CodeCommand) -> Result<u8, CliError> {
        match question {
            CodeCommand::Index(_) => Ok(0),
            CodeCommand::Symbols(args) => self.symbols(args),
            CodeCommand::Refs(args) => {
                let show = |found: &_| {
                    (
                        wire::refs(found, &self.code.freshness()),
                        self.answers.refs(found, args.doubts()),
                    )
                };
                self.about(args, self.code.refs(&self.seen_from_root(&args.symbol)), &show)
            }
            CodeCommand::Callers(args) => {
                let show = |found: &_| {
                    (
                        wire::callers(found, &self.code.freshness()),
                        self.answers.callers(found, args.doubts()),
                    )
                };
                self.about(args, self.code.callers(&self.seen_from_root(&args.symbol)), &show)
            }
            CodeCommand::Callees(args) => {
                let show = |found: &_| {
                    (
                        wire::callees(found, &self.code.freshness()),
                        self.answers.callees(found, args.doubts()),
                    )
                };
                self.about(args, self.code.callees(&self.seen_from_root(&args.symbol)), &show)
            }
            CodeCommand::Impact(args) => self.impact(args),
            CodeCommand::Map(args) => Ok(self.map(args)),
        }
    }

    fn show(&self, form: AnswerFormat, json: Value, text: &str) {
        if form.json {
            out::line(json);
        } else {
            out::raw(text);
            out::note(self.answers.freshness(&self.code.freshness()));
        }
    }

    fn symbols(&self, args: &SymbolsArgs) -> Result<u8, CliError> {
        let file = args.file.as_deref().map(|file| self.relative_to_root(file));
        let name = args.query.as_deref().map(|query| self.seen_from_root(query));
        let query = SymbolQuery {
            name: name.as_deref(),
            file: file.as_deref(),
            kinds: &args.kind,
            limit: args.limit,
        };
        let found = self.code.symbols(&query);
        let is_unknown = found.files.as_ref().is_some_and(Vec::is_empty);
        if let (Some(file), true, false) = (&file, is_unknown, args.form.json) {
            return Err(self.unknown(std::slice::from_ref(file)));
        }
        let freshness = self.code.freshness();
        let json = wire::symbols(&found, file.as_deref(), &freshness);
        self.show(args.form, json, &self.answers.symbols(&found));
        if let (Some(file), Some(FoundBy::Likeness), false) =
            (&file, found.found_by, args.form.json)
        {
            let files = found.files.as_deref().unwrap_or_default();
            out::note(self.answers.guessed(file, files));
        }
        Ok(u8::from(is_unknown))
    }

    /// Makes an error for files without known code, and prints how fresh the index is.
    fn unknown(&self, names: &[String]) -> CliError {
        let freshness = self.code.freshness();
        out::note(self.answers.freshness(&freshness));
        unclear::files(names, &self.app.project.root, &freshness)
    }

    fn about<T>(
        &self,
        args: &SymbolArgs,
        found: NameLookup<T>,
        show: &dyn Fn(&T) -> (Value, String),
    ) -> Result<u8, CliError> {
        match found {
            NameLookup::One(found) => {
                let (json, text) = show(&found);
                self.show(args.form, json, &text);
                Ok(0)
            }
            NameLookup::Several(all) => self.unclear(args, &all, &[]),
            NameLookup::Nothing(alike) => self.unclear(args, &[], &alike),
        }
    }

    fn unclear(
        &self,
        args: &SymbolArgs,
        all: &[CodeSymbol],
        alike: &[CodeSymbol],
    ) -> Result<u8, CliError> {
        if args.form.json {
            out::line(wire::unclear(all, alike, &self.code.freshness()));
            return Ok(1);
        }
        let file = file_of_place(&args.symbol).filter(|_| all.is_empty());
        if let Some(file) = file.map(|file| self.seen_from_root(file))
            && !self.code.knows_file(&file)
        {
            return Err(self.unknown(&[file]));
        }
        out::raw(&self.answers.candidates(if all.is_empty() { alike } else { all }));
        out::note(self.answers.freshness(&self.code.freshness()));
        Err(unclear::name(&args.symbol, all, alike))
    }

    fn impact(&self, args: &ImpactArgs) -> Result<u8, CliError> {
        let files: Vec<String> = args.files.iter().map(|file| self.once_in_root(file)).collect();
        let found = self.code.impact(&files);
        let is_unknown = found.files.is_empty() && found.gone.is_empty();
        if is_unknown && !args.form.json {
            return Err(self.unknown(&found.unknown));
        }
        let json = wire::impact(&found, &self.code.freshness());
        self.show(args.form, json, &self.answers.impact(&found));
        Ok(u8::from(is_unknown))
    }

    fn map(&self, args: &MapArgs) -> u8 {
        let files = args.files.iter().map(|file| self.relative_to_root(file)).collect();
        let query = MapQuery { files, words: args.words.clone(), tokens: args.tokens };
        let found = self.code.map(&query);
        self.show(args.form, wire::map(&found, &self.code.freshness()), &found.text);
        let is_guess = |taken: &&PathResolution| taken.found_by == FoundBy::Likeness;
        if !args.form.json {
            for taken in found.taken.iter().filter(is_guess) {
                out::note(self.answers.guessed(&taken.asked, &taken.files));
            }
        }
        for name in &found.unknown {
            out::note(self.answers.unknown(name));
        }
        if found.files.is_empty() && found.total > 0 && !args.form.json {
            out::note(self.answers.nothing_fits(args.tokens));
        }
        0
    }

    /// Rewrites the path in a definition's name relative to the root, if it starts at
    /// the current folder or at `/`.
    fn seen_from_root(&self, text: &str) -> String {
        let is_path = ["./", "../", "/"].iter().any(|start| text.starts_with(start));
        let (file, rest) = text.find(':').map_or((text, ""), |at| text.split_at(at));
        if is_path { self.relative_to_root(file) + rest } else { text.to_owned() }
    }

    /// Does the same for a path that may no longer exist.
    fn once_in_root(&self, path: &str) -> String {
        let known = self.relative_to_root(path);
        let place = std::path::absolute(path).unwrap_or_default();
        if place.exists() || self.code.knows_file(&known) {
            return known;
        }
        // The nearest folder that exists tells where it was.
        let left = place.ancestors().find_map(|above| {
            let rest = place.strip_prefix(above).ok()?;
            Some(std::fs::canonicalize(above).ok()?.join(rest))
        });
        let inside = left.as_deref().and_then(|it| it.strip_prefix(&self.app.project.root).ok());
        let inside = inside.and_then(Path::to_str).map(|inside| inside.replace('\\', "/"));
        inside.filter(|inside| !inside.is_empty()).unwrap_or(known)
    }

    /// Returns a path relative to the root, if it exists below the current folder.
    fn relative_to_root(&self, path: &str) -> String {
        let root = &self.app.project.root;
        let real = std::fs::canonicalize(Path::new(path)).ok();
        let inside = real.as_deref().and_then(|real| real.strip_prefix(root).ok());
        let inside = inside.and_then(Path::to_str).filter(|inside| !inside.is_empty());
        inside.map_or_else(|| path.to_owned(), |inside| inside.replace('\\', "/"))
    }
}
