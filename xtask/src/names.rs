//! `cargo xtask names`: measures how well names and first sentences describe a thing.
//!
//! It takes five figures of the product's code. `tidy` compares them with [`CEILINGS`],
//! which are only lowered.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::visit::{self, Visit};

use crate::failure::TaskFailure;
use crate::finding::RuleViolation;
use crate::workspace::{self, WorkspaceFile};
use crate::{options, say};

/// The highest allowed figures.
const CEILINGS: Figures = Figures {
    shared: 0.5,
    one_word: 5.0,
    participles: 3.0,
    relative_clauses: 4.5,
    tuple_parameters: 2.5,
};

/// First words of a sentence that does not name its thing.
const RELATIVE: &[&str] = &["What", "Whether", "How", "Who", "Where", "When", "Which", "Why"];

/// Participles that do not end with `ed` or `ing`.
const IRREGULAR: &[&str] = &[
    "Begun", "Built", "Done", "Drawn", "Found", "Given", "Gone", "Heard", "Held", "Kept", "Known",
    "Left", "Lost", "Made", "Met", "Read", "Said", "Seen", "Sent", "Shown", "Spoken", "Taken",
    "Told", "Written",
];

/// The figures; all but the number of participles are shares.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    /// Types of 100 that share their name with another.
    shared: f64,
    /// Types of 100 whose name is one word.
    one_word: f64,
    /// Types whose name is only a participle.
    participles: f64,
    /// Comments of 100 that begin with a relative clause.
    relative_clauses: f64,
    /// Parameters of 1,000 functions that are tuples.
    tuple_parameters: f64,
}

/// A type and the place of its definition.
struct NamedType {
    name: String,
    path: String,
    line: usize,
}

/// The counts behind the figures.
#[derive(Default)]
struct Vocabulary {
    types: Vec<NamedType>,
    comments: usize,
    relative_clauses: Vec<String>,
    functions: usize,
    tuple_parameters: Vec<String>,
    path: String,
}

/// Prints the figures, and with `--list` the places behind them.
pub(crate) fn run(args: &[String]) -> Result<(), TaskFailure> {
    let is_list = args == ["--list"];
    if !is_list {
        options::none(args)?;
    }
    let vocabulary = Vocabulary::of(&workspace::files(&workspace::root())?);
    for line in vocabulary.figures().lines() {
        say::line(&line);
    }
    if is_list {
        vocabulary.list().iter().for_each(|line| say::line(line));
    }
    Ok(())
}

/// Finds figures above their ceilings.
pub(crate) fn check(files: &[WorkspaceFile]) -> Vec<RuleViolation> {
    let figures = Vocabulary::of(files).figures();
    let rows = figures.rows().into_iter().zip(CEILINGS.rows());
    let above = rows.filter(|((_, figure), (_, ceiling))| figure > ceiling);
    let finding = |((what, figure), (_, ceiling)): (FigureRow, FigureRow)| {
        let remedy = "give it a name of its own; `cargo xtask names --list` tells which they are";
        RuleViolation::new(
            "xtask/src/names.rs",
            1,
            format!("{what}: {figure:.1} of {ceiling:.1}"),
            remedy,
        )
    };
    above.map(finding).collect()
}

/// A figure and what it counts.
type FigureRow = (&'static str, f64);

impl Figures {
    fn rows(&self) -> [FigureRow; 5] {
        [
            ("types of 100 that share their name", self.shared),
            ("types of 100 named by one word", self.one_word),
            ("types named by a participle", self.participles),
            ("comments of 100 that begin with a relative clause", self.relative_clauses),
            ("tuple parameters of 1,000 functions", self.tuple_parameters),
        ]
    }

    fn lines(&self) -> Vec<String> {
        let rows = self.rows().into_iter().zip(CEILINGS.rows());
        rows.map(|((what, figure), (_, most))| format!("{figure:6.1} of {most:5.1}  {what}"))
            .collect()
    }
}

impl Vocabulary {
    fn of(files: &[WorkspaceFile]) -> Self {
        let mut vocabulary = Self::default();
        for file in files {
            let is_product = file.path.starts_with("crates/") && file.path.contains("/src/");
            if !is_product || !file.has_extension("rs") || crate::tidy::is_test_file(&file.path) {
                continue;
            }
            // A file that does not parse is a finding of another rule.
            let parsed = file.text.as_deref().and_then(|text| syn::parse_file(text).ok());
            vocabulary.path.clone_from(&file.path);
            if let Some(parsed) = parsed {
                vocabulary.visit_file(&parsed);
            }
        }
        vocabulary
    }

    fn figures(&self) -> Figures {
        let counts = self.counts();
        let count = |holds: &dyn Fn(&NamedType) -> bool| {
            self.types.iter().filter(|named| holds(named)).count()
        };
        Figures {
            shared: share(count(&|named| counts[&*named.name] > 1), self.types.len(), 100.0),
            one_word: share(count(&|named| is_one_word(&named.name)), self.types.len(), 100.0),
            participles: share(count(&|named| is_participle(&named.name)), 1, 1.0),
            relative_clauses: share(self.relative_clauses.len(), self.comments, 100.0),
            tuple_parameters: share(self.tuple_parameters.len(), self.functions, 1000.0),
        }
    }

    fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for named in &self.types {
            *counts.entry(&*named.name).or_default() += 1;
        }
        counts
    }

    fn list(&self) -> Vec<String> {
        let counts = self.counts();
        let mut lines: Vec<String> = Vec::new();
        for NamedType { name, path, line } in &self.types {
            let marks = [
                (counts[&**name] > 1, "shared"),
                (is_one_word(name), "one word"),
                (is_participle(name), "participle"),
            ];
            let marks: Vec<&str> =
                marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect();
            if !marks.is_empty() {
                lines.push(format!("{name}: {} ({path}:{line})", marks.join(", ")));
            }
        }
        lines.sort();
        lines.extend(self.relative_clauses.iter().map(|at| format!("relative clause: {at}")));
        lines.extend(self.tuple_parameters.iter().map(|at| format!("tuple parameter: {at}")));
        lines
    }

    fn add_type(&mut self, name: &syn::Ident) {
        let line = name.span().start().line;
        self.types.push(NamedType { name: name.to_string(), path: self.path.clone(), line });
    }

    fn add_signature(&mut self, signature: &syn::Signature) {
        self.functions += 1;
        let typed = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(&*typed.ty),
            syn::FnArg::Receiver(_) => None,
        });
        let tuples = typed.filter(|found| matches!(found, syn::Type::Tuple(_))).count();
        let place = self.place(signature.ident.span());
        self.tuple_parameters.extend(vec![place; tuples]);
    }

    fn add_comment(&mut self, attributes: &[syn::Attribute], at: Span) {
        let Some(first) = attributes.iter().find_map(comment) else { return };
        self.comments += 1;
        let word = first.split_whitespace().next().unwrap_or_default();
        if RELATIVE.contains(&word) {
            let place = self.place(at);
            self.relative_clauses.push(place);
        }
    }

    fn place(&self, at: Span) -> String {
        format!("{}:{}", self.path, at.start().line)
    }
}

impl<'ast> Visit<'ast> for Vocabulary {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !item.attrs.iter().any(crate::rust_source::is_cfg_test) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add_type(&item.ident);
        self.add_comment(&item.attrs, item.ident.span());
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add_type(&item.ident);
        self.add_comment(&item.attrs, item.ident.span());
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add_type(&item.ident);
        self.add_comment(&item.attrs, item.ident.span());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add_type(&item.ident);
        self.add_comment(&item.attrs, item.ident.span());
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.add_comment(&item.attrs, item.ident.span());
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.add_comment(&field.attrs, name.span());
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add_comment(&variant.attrs, variant.ident.span());
        visit::visit_variant(self, variant);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add_signature(&item.sig);
        self.add_comment(&item.attrs, item.sig.ident.span());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add_signature(&item.sig);
        self.add_comment(&item.attrs, item.sig.ident.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add_signature(&item.sig);
        self.add_comment(&item.attrs, item.sig.ident.span());
        visit::visit_trait_item_fn(self, item);
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are no 2^52 types")]
fn share(part: usize, whole: usize, of: f64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * of / whole as f64 }
}

/// Returns the text of a line of a doc comment.
fn comment(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else {
        return None;
    };
    pair.path.is_ident("doc").then(|| text.value())
}

fn is_one_word(name: &str) -> bool {
    name.chars().filter(char::is_ascii_uppercase).count() == 1
}

fn is_participle(name: &str) -> bool {
    is_one_word(name)
        && (name.ends_with("ed") || name.ends_with("ing") || IRREGULAR.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(texts: &[&str]) -> Figures {
        let path = |number| format!("crates/a/src/file{number}.rs");
        let files: Vec<WorkspaceFile> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| WorkspaceFile::sample(&path(number), text))
            .collect();
        Vocabulary::of(&files).figures()
    }

    #[test]
    fn names_are_counted_over_all_files_but_not_in_tests() {
        let one = "struct Place; enum TurnPlan {} #[cfg(test)] mod tests { struct Kept; }";
        let found = figures(&[one, "struct Place; type Kept = u8;"]);
        assert_eq!(found.rows().map(|(_, figure)| figure.to_string())[..3], ["50", "75", "1"]);
    }

    #[test]
    fn the_first_word_of_a_comment_tells_a_relative_clause() {
        let found = figures(&["/// What is kept.\nstruct A {\n/// A number.\nb: u8 }"]);
        assert_eq!(found.rows()[3].1.to_string(), "50");
    }

    #[test]
    fn a_tuple_counts_as_a_parameter_but_not_as_a_result() {
        let found = figures(&["fn a((b, c): (u8, u8)) {} fn d() -> (u8, u8) { (1, 2) }"]);
        assert_eq!(found.rows()[4].1.to_string(), "500");
    }

    #[test]
    fn a_figure_above_its_ceiling_is_found() {
        let files =
            [WorkspaceFile::sample("crates/a/src/a.rs", "struct Kept; mod b { struct Kept; }")];
        assert_eq!(check(&files).len(), 2);
    }
}
