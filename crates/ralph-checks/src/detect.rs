//! Finds out what a project is and which commands prove it.
//!
//! Names of files are listed in bounds, and the few files that tell something
//! are read; nothing is executed. What is broken or odd becomes a notice and
//! never an error, since the user may repair it with our help.

mod cmake;
mod dotnet;
mod draft;
mod ecosystems;
mod go;
mod jvm;
mod node;
mod php;
mod python;
mod ruby;
mod rust;
mod shell;
mod sight;
mod tasks;
mod workspace;

use std::collections::BTreeMap;
use std::path::Path;

use ralph_core::format::Format;
use ralph_core::policy::{Criterion, GateCommand};

use draft::Draft;
use sight::{Folder, Sight};

/// Says whether a program can be started in a folder. A name with a slash is
/// a path relative to the folder.
pub type Tools<'a> = &'a dyn Fn(&str, &Path) -> bool;

/// What was found in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// The commands that could prove something, upper folders first.
    pub proposals: Vec<Proposal>,
    /// What could not be read or looks wrong, a line each.
    pub notices: Vec<String>,
}

impl Detected {
    /// The proposals for one criterion.
    pub fn of(&self, criterion: Criterion) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(move |proposal| proposal.criterion == criterion)
    }
}

/// A command that could be a gate, and why we think so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The gate's name: the criterion's, with `:` and a label where several
    /// gates stand for one criterion.
    pub name: String,
    /// What it would stand for.
    pub criterion: Criterion,
    /// What would be executed.
    pub command: GateCommand,
    /// Where, relative to the root and with `/`; empty for the root.
    pub dir: String,
    /// How its output is read.
    pub format: Format,
    /// What kind of project it belongs to, such as `Rust`.
    pub ecosystem: &'static str,
    /// The tool that does the work, such as `pytest`.
    pub tool: &'static str,
    /// What in the project speaks for it.
    pub why: String,
    /// How well this ecosystem is proven.
    pub tier: Tier,
    /// What it needs and is not here; `None` when it can run.
    pub missing: Option<String>,
}

/// How well reading the output of an ecosystem's tools is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// With the real tools.
    One,
    /// On recorded output.
    Two,
}

impl Tier {
    /// The number, for people and JSON.
    pub fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// How a kind of project is recognised.
struct Ecosystem {
    name: &'static str,
    tier: Tier,
    /// What the folder proposes by itself.
    drafts: fn(&Folder<'_>) -> Vec<Draft>,
    /// Whether the folder's own commands also check the folder below it.
    covers: fn(&Folder<'_>, &str) -> bool,
    rank: Rank,
}

/// Whether a proposal stands back behind others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// It stands for itself.
    Own,
    /// It is meant only where nothing else in the folder or below speaks for
    /// the criterion.
    Fallback,
    /// It is meant where it can run, or where there is nothing else.
    Extra,
}

/// Looks at the project at `root`. Never fails; an empty folder proposes
/// nothing.
pub fn detect(root: &Path, tools: Tools<'_>) -> Detected {
    let sight = Sight::new(root, tools);
    let mut found: Vec<(Proposal, Rank)> = Vec::new();
    for folder in sight.projects() {
        for ecosystem in ecosystems::ALL {
            for draft in (ecosystem.drafts)(&folder) {
                if !is_covered(&found, ecosystem, &folder, draft.criterion) {
                    found.push((proposal(draft, ecosystem, &folder), ecosystem.rank));
                }
            }
        }
        folder.notice_orphans();
    }
    let mut proposals = without_second_choices(&found);
    name(&mut proposals);
    Detected { proposals, notices: sight.notices() }
}

fn proposal(draft: Draft, ecosystem: &Ecosystem, folder: &Folder<'_>) -> Proposal {
    let Draft { criterion, tool, command, format, why, missing } = draft;
    Proposal {
        name: criterion.name().to_owned(),
        criterion,
        command,
        dir: folder.dir().to_owned(),
        format,
        ecosystem: ecosystem.name,
        tool,
        why,
        tier: ecosystem.tier,
        missing,
    }
}

/// Whether a folder above already checks the same with the same ecosystem.
fn is_covered(
    found: &[(Proposal, Rank)],
    ecosystem: &Ecosystem,
    folder: &Folder<'_>,
    criterion: Criterion,
) -> bool {
    found.iter().any(|(above, _)| {
        above.ecosystem == ecosystem.name
            && above.criterion == criterion
            && folder
                .above(&above.dir)
                .is_some_and(|(root, inner)| (ecosystem.covers)(&root, inner))
    })
}

fn without_second_choices(found: &[(Proposal, Rank)]) -> Vec<Proposal> {
    let keep = |(index, (proposal, rank)): &(usize, &(Proposal, Rank))| {
        let others = found.iter().enumerate().filter(|(_, (other, _))| {
            other.criterion == proposal.criterion && sight::is_within(&other.dir, &proposal.dir)
        });
        let better =
            others.into_iter().any(|(other_index, (other, other_rank))| match other_rank {
                Rank::Own => true,
                // Of two lists of tasks in a folder one is enough.
                Rank::Fallback => {
                    *rank == Rank::Extra || (other.dir == proposal.dir && other_index < *index)
                }
                Rank::Extra => false,
            });
        match rank {
            Rank::Own => true,
            Rank::Fallback => !better,
            Rank::Extra => !better || proposal.missing.is_none(),
        }
    };
    found.iter().enumerate().filter(keep).map(|(_, (proposal, _))| proposal.clone()).collect()
}

/// Gives every proposal a name of its own.
fn name(proposals: &mut [Proposal]) {
    let mut of_criterion: BTreeMap<Criterion, usize> = BTreeMap::new();
    let mut of_dir: BTreeMap<(Criterion, String), usize> = BTreeMap::new();
    for proposal in proposals.iter() {
        *of_criterion.entry(proposal.criterion).or_default() += 1;
        *of_dir.entry((proposal.criterion, proposal.dir.clone())).or_default() += 1;
    }
    for proposal in proposals {
        if of_criterion.get(&proposal.criterion) == Some(&1) {
            continue;
        }
        let alone = of_dir.get(&(proposal.criterion, proposal.dir.clone())) == Some(&1);
        let label = match (proposal.dir.as_str(), alone) {
            ("", _) => proposal.tool.to_owned(),
            (dir, true) => dir.to_owned(),
            (dir, false) => format!("{dir}/{}", proposal.tool),
        };
        proposal.name = format!("{}:{label}", proposal.criterion.name());
    }
}

#[cfg(test)]
mod tests;
