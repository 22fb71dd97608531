//! `ralph code`: what there is in the code, and how it hangs together.

mod answers;
pub(crate) mod progress;

use std::path::Path;

use ralph_engine::clock::Clock;
use ralph_engine::wire::code as wire;
use ralph_graph::ask::name::Meant;
use ralph_graph::ask::symbols::SymbolQuery;
use ralph_graph::facts::Kind;
use ralph_graph::map::MapQuery;
use ralph_graph::{Code, Index, IndexError, Symbol, Updated};
use serde_json::Value;

use self::answers::{Answers, Doubts};
use self::progress::Bar;
use crate::app::App;
use crate::error::CliError;
use crate::out;

/// Ask about the project's code: symbols, references, calls, impact, a map
///
/// Answers are made from an index that is brought up to date first; only
/// files that changed are read. Each says how fresh it is.
#[derive(clap::Args, Debug)]
pub(crate) struct CodeArgs {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand, Debug)]
enum Question {
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
    /// Forget everything and read all files anew
    #[arg(long)]
    rebuild: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct SymbolsArgs {
    /// A name, parts of its words, its initials, or with a slip of the finger
    #[arg(value_name = "QUERY")]
    query: Option<String>,
    /// Only in this file or folder, or one with a path like it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<Kind>,
    /// How many to list
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct SymbolArgs {
    /// The definition: `save`, `Store.save`, `store::save` or `path/file.py:Store.save`
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Show also what may be meant but could be something else
    #[arg(long)]
    possible: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct ImpactArgs {
    /// The files that change
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn kind(word: &str) -> Result<Kind, String> {
    Kind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        let words: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        format!("there are {}", words.join(", "))
    })
}

/// Answers a question from an index that was brought up to date.
pub(crate) fn ask<T>(app: &App, question: impl FnOnce(&Code<'_>) -> T) -> Result<T, CliError> {
    let mut index = Index::open(&app.project.root, &app.home)?;
    let now = nanoseconds(app);
    index.update(now, &mut |_| {})?;
    Ok(question(&index.code(now)?))
}

/// The time as the index counts it; the clock shows whole milliseconds.
fn nanoseconds(app: &App) -> i64 {
    app.clock.now().as_millis().saturating_mul(1_000_000)
}

pub(crate) fn run(args: &CodeArgs) -> Result<u8, CliError> {
    let app = App::discover()?;
    let mut index = Index::open(&app.project.root, &app.home)?;
    let now = nanoseconds(&app);
    let mut bar = Bar::new(app.locale());
    let updated = match &args.question {
        Question::Index(IndexArgs { rebuild: true, .. }) => {
            index.rebuild(now, &mut |progress| bar.show(progress))?
        }
        Question::Index(_)
        | Question::Symbols(_)
        | Question::Refs(_)
        | Question::Callers(_)
        | Question::Callees(_)
        | Question::Impact(_)
        | Question::Map(_) => index.update(now, &mut |progress| bar.show(progress))?,
    };
    bar.clear();
    if let Question::Index(args) = &args.question {
        show_index(&app, &index, updated, args);
        return Ok(0);
    }
    let code = index.code(now)?;
    Asking { app: &app, code: &code, answers: Answers::new(app.locale()) }.answer(&args.question)
}

fn show_index(app: &App, index: &Index, updated: Updated, args: &IndexArgs) {
    let freshness = index.freshness();
    if args.json {
        out::line(wire::updated(updated, &freshness));
    } else {
        let answers = Answers::new(app.locale());
        out::raw(&answers.updated(updated, &freshness));
        out::note(answers.freshness(&freshness));
    }
}

/// One question.
struct Asking<'a> {
    app: &'a App,
    code: &'a Code<'a>,
    answers: Answers,
}

impl SymbolArgs {
    fn doubts(&self) -> Doubts {
        if self.possible { Doubts::Shown } else { Doubts::Hidden }
    }
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Text,
}

/// Options that say how an answer is printed.
trait Printed {
    fn form(&self) -> Form;
}

macro_rules! printed {
    ($($args:ty),*) => {$(
        impl Printed for $args {
            fn form(&self) -> Form {
                if self.json { Form::Json } else { Form::Text }
            }
        }
    )*};
}

printed!(SymbolsArgs, SymbolArgs, ImpactArgs, MapArgs);

impl Asking<'_> {
    fn answer(&self, question: &Question) -> Result<u8, CliError> {
        match question {
            Question::Index(_) => Ok(0),
            Question::Symbols(args) => Ok(self.symbols(args)),
            Question::Refs(args) => {
                let show = |found: &_| {
                    (
                        wire::refs(found, &self.code.freshness()),
                        self.answers.refs(found, args.doubts()),
                    )
                };
                self.about(args, self.code.refs(&args.symbol), &show)
            }
            Question::Callers(args) => {
                let show = |found: &_| {
                    (
                        wire::callers(found, &self.code.freshness()),
                        self.answers.callers(found, args.doubts()),
                    )
                };
                self.about(args, self.code.callers(&args.symbol), &show)
            }
            Question::Callees(args) => {
                let show = |found: &_| {
                    (
                        wire::callees(found, &self.code.freshness()),
                        self.answers.callees(found, args.doubts()),
                    )
                };
                self.about(args, self.code.callees(&args.symbol), &show)
            }
            Question::Impact(args) => self.impact(args),
            Question::Map(args) => Ok(self.map(args)),
        }
    }

    fn show(&self, form: Form, answer: (Value, String)) {
        if form == Form::Json {
            out::line(answer.0);
        } else {
            out::raw(&answer.1);
            out::note(self.answers.freshness(&self.code.freshness()));
        }
    }

    fn symbols(&self, args: &SymbolsArgs) -> u8 {
        let file = args.file.as_deref().map(|file| self.relative_to_root(file));
        let query = SymbolQuery {
            name: args.query.as_deref(),
            file: file.as_deref(),
            kinds: &args.kind,
            limit: args.limit,
        };
        let found = self.code.symbols(&query);
        let text = self.answers.symbols(&found);
        self.show(args.form(), (wire::symbols(&found, &self.code.freshness()), text));
        0
    }

    fn about<T>(
        &self,
        args: &SymbolArgs,
        found: Meant<T>,
        show: &dyn Fn(&T) -> (Value, String),
    ) -> Result<u8, CliError> {
        match found {
            Meant::One(found) => {
                self.show(args.form(), show(&found));
                Ok(0)
            }
            Meant::Several(all) => self.unclear(args, &all, &[]),
            Meant::Nothing(alike) => self.unclear(args, &[], &alike),
        }
    }

    fn unclear(&self, args: &SymbolArgs, all: &[Symbol], alike: &[Symbol]) -> Result<u8, CliError> {
        if args.json {
            out::line(wire::unclear(all, alike, &self.code.freshness()));
            return Ok(1);
        }
        out::raw(&self.answers.candidates(if all.is_empty() { alike } else { all }));
        out::note(self.answers.freshness(&self.code.freshness()));
        Err(Answers::unclear(&args.symbol, all, alike))
    }

    fn impact(&self, args: &ImpactArgs) -> Result<u8, CliError> {
        let files: Vec<String> =
            args.files.iter().map(|file| self.relative_to_root(file)).collect();
        let found = self.code.impact(&files);
        let text = self.answers.impact(&found);
        self.show(args.form(), (wire::impact(&found, &self.code.freshness()), text));
        if found.files.is_empty() && !args.json {
            let names = found.unknown.join(", ");
            return Err(CliError::refused(format!("no code is known in {names}"))
                .with_hint("`ralph code index` says what was left out and why"));
        }
        Ok(u8::from(found.files.is_empty()))
    }

    fn map(&self, args: &MapArgs) -> u8 {
        let files = args.files.iter().map(|file| self.relative_to_root(file)).collect();
        let query = MapQuery { files, words: args.words.clone(), tokens: args.tokens };
        let found = self.code.map(&query);
        let text = found.text.clone();
        self.show(args.form(), (wire::map(&found, &self.code.freshness()), text));
        for name in &found.unknown {
            out::note(self.answers.unknown(name));
        }
        0
    }

    /// A path as the index knows it, if it is one from the present folder.
    fn relative_to_root(&self, path: &str) -> String {
        let root = &self.app.project.root;
        let real = std::fs::canonicalize(Path::new(path)).ok();
        let inside = real.as_deref().and_then(|real| real.strip_prefix(root).ok());
        let inside = inside.and_then(Path::to_str).filter(|inside| !inside.is_empty());
        inside.map_or_else(|| path.to_owned(), |inside| inside.replace('\\', "/"))
    }
}

impl From<IndexError> for CliError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::Root { .. } => Self::internal(&error),
        }
    }
}
