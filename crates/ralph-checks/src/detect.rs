//! Finds out what a project is and which commands prove it.
//!
//! Names of files are listed in bounds, and the few files that tell something
//! are read; nothing is executed. What is broken or odd becomes a notice and
//! never an error, since the user may repair it with our help.

mod cmake;
mod dotnet;
mod draft;
mod ecosystems;
mod flags;
mod go;
mod jvm;
mod node;
mod php;
mod python;
mod rows;
mod ruby;
mod rust;
mod said;
mod shell;
mod sight;
mod tasks;
mod workspace;

use std::path::Path;

use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand};

use draft::ProposalDraft;
use sight::{ProjectFolder, ProjectScan};

/// Says whether a program can be started in a folder. A name with a slash is
/// a path relative to the folder.
pub type ToolLookup<'a> = &'a dyn Fn(&str, &Path) -> bool;

/// The findings about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetectedGates {
    /// The commands that could prove something, upper folders first.
    pub proposals: Vec<GateProposal>,
    /// Things that could not be read or look wrong, a line each.
    pub notices: Vec<String>,
}

impl DetectedGates {
    /// The proposals for one criterion.
    pub fn of(&self, criterion: Criterion) -> impl Iterator<Item = &GateProposal> {
        self.proposals.iter().filter(move |proposal| proposal.criterion == criterion)
    }

    /// Returns the proposals for a criterion that the user asks for by name: those the project
    /// would run, or else those that are only mentioned.
    pub fn meant(&self, criterion: Criterion) -> Vec<&GateProposal> {
        let required = |it: &&GateProposal| it.standing == ProposalRole::Required;
        let found: Vec<&GateProposal> = self.of(criterion).filter(required).collect();
        let may_run = self.of(criterion).filter(|it| it.may_run());
        if found.is_empty() { may_run.collect() } else { found }
    }
}

/// A command that could be a gate, and why we think so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateProposal {
    /// The gate's name: the criterion's, with `:` and a label where several
    /// gates stand for one criterion.
    pub name: String,
    /// The criterion it would stand for.
    pub criterion: Criterion,
    /// The command it would execute.
    pub command: GateCommand,
    /// The folder it runs in, relative to the root and with `/`; empty for the root.
    pub dir: String,
    /// The form of its output.
    pub format: OutputFormat,
    /// The kind of project it belongs to, such as `Rust`.
    pub ecosystem: &'static str,
    /// The tool that does the work, such as `pytest`.
    pub tool: &'static str,
    /// The evidence for it in the project.
    pub why: String,
    /// The degree to which this ecosystem is proven.
    pub tier: SupportTier,
    /// The need that is not met here; `None` when it can run.
    pub missing: Option<MissingNeed>,
    /// The role it plays in deciding on success.
    pub standing: ProposalRole,
}

impl GateProposal {
    /// True if it may run at all: it changes no file of the user.
    pub fn may_run(&self) -> bool {
        !matches!(self.standing, ProposalRole::Forbidden(_))
    }

    /// True if a settings file should switch it on. Tests always are: without them a check would
    /// pass and prove nothing. A tool that the project's own packages bring counts too, as it only
    /// waits for them to be installed.
    pub fn is_wanted(&self) -> bool {
        let comes = |missing: &MissingNeed| missing.install.is_some();
        self.standing == ProposalRole::Required
            && (self.criterion == Criterion::TestPass || self.missing.as_ref().is_none_or(comes))
    }
}

/// Something that a proposal needs and that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingNeed {
    /// A program, a file or a folder.
    pub what: String,
    /// The command that installs it with the project's packages.
    pub install: Option<String>,
}

impl std::fmt::Display for MissingNeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.install {
            Some(install) => write!(f, "`{}` is not here: run `{install}`", self.what),
            None => write!(f, "`{}` is not here", self.what),
        }
    }
}

/// The role of a proposal in deciding on success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalRole {
    /// It should: the project itself would run it.
    Required,
    /// It is only mentioned, and this is why.
    Aside(String),
    /// It is only mentioned because it changes files, and this is how.
    Forbidden(String),
}

/// The degree to which reading the output of an ecosystem's tools is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupportTier {
    /// With the real tools.
    One,
    /// On recorded output.
    Two,
}

impl SupportTier {
    /// The number, for people and JSON.
    pub fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// The rules by which a kind of project is recognised.
struct Ecosystem {
    name: &'static str,
    tier: SupportTier,
    /// Returns the proposals of the folder by itself.
    drafts: fn(&ProjectFolder<'_>) -> Vec<ProposalDraft>,
    /// True if the folder's own commands also check the folder below it.
    covers: fn(&ProjectFolder<'_>, &str) -> bool,
    rank: ProposalRank,
}

/// The rank of a proposal among others for the same criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProposalRank {
    /// It stands for itself.
    Own,
    /// It is meant only where nothing else in the folder or below speaks for
    /// the criterion.
    Fallback,
}

/// Looks at the project at `root`. Never fails; an empty folder proposes
/// nothing.
pub fn detect(root: &Path, tools: ToolLookup<'_>) -> DetectedGates {
    let sight = ProjectScan::new(root, tools);
    let mut found: Vec<GateCandidate> = Vec::new();
    for folder in sight.projects() {
        for ecosystem in ecosystems::ALL {
            for draft in (ecosystem.drafts)(&folder) {
                if !is_covered(&found, ecosystem, &folder, &draft) {
                    let draft = folder.stand(draft);
                    found.push(GateCandidate::new(draft, ecosystem, &folder));
                }
            }
        }
        folder.notice_orphans();
    }
    let mut proposals = without_second_choices(&found);
    require_some_test(&mut proposals);
    name(&mut proposals);
    DetectedGates { proposals, notices: sight.notices() }
}

/// A proposal, as long as better ones may push it out.
struct GateCandidate {
    proposal: GateProposal,
    rank: ProposalRank,
    calls: Option<&'static str>,
}

impl GateCandidate {
    fn new(draft: ProposalDraft, of: &Ecosystem, folder: &ProjectFolder<'_>) -> Self {
        let ProposalDraft {
            criterion,
            tool,
            command,
            format,
            why,
            missing,
            standing,
            ecosystem,
            calls,
        } = draft;
        let proposal = GateProposal {
            name: criterion.name().to_owned(),
            criterion,
            command,
            dir: folder.dir().to_owned(),
            format,
            ecosystem: ecosystem.unwrap_or(of.name),
            tool,
            why,
            tier: of.tier,
            missing,
            standing,
        };
        Self { proposal, rank: of.rank, calls }
    }
}

/// True if a folder above already checks the same with the same ecosystem.
fn is_covered(
    found: &[GateCandidate],
    ecosystem: &Ecosystem,
    folder: &ProjectFolder<'_>,
    draft: &ProposalDraft,
) -> bool {
    found.iter().any(|GateCandidate { proposal: above, .. }| {
        above.ecosystem == draft.ecosystem.unwrap_or(ecosystem.name)
            && above.criterion == draft.criterion
            && folder
                .above(&above.dir)
                .is_some_and(|(root, inner)| (ecosystem.covers)(&root, inner))
    })
}

fn without_second_choices(found: &[GateCandidate]) -> Vec<GateProposal> {
    let keep = |(index, GateCandidate { proposal, rank, calls }): &(usize, &GateCandidate)| {
        // What is only mentioned takes no other's place.
        let others = found.iter().enumerate().filter(|(other_index, other)| {
            let standing = &other.proposal.standing;
            other_index != index
                && (*standing == ProposalRole::Required || *standing == proposal.standing)
        });
        let same = others.clone().filter(|(_, other)| {
            other.proposal.criterion == proposal.criterion
                && sight::is_within(&other.proposal.dir, &proposal.dir)
        });
        let is_called = |other: &GateCandidate| {
            other.proposal.dir == proposal.dir && *calls == Some(other.proposal.tool)
        };
        let better = same.clone().any(|(other_index, other)| match other.rank {
            ProposalRank::Own => true,
            // Of two lists of tasks in a folder one is enough.
            ProposalRank::Fallback => other.proposal.dir == proposal.dir && other_index < *index,
        });
        // Where a language is known that needs no build, `make build` makes a
        // release.
        let is_release = proposal.criterion == Criterion::BuildSuccess
            && others.into_iter().any(|(_, other)| {
                other.rank == ProposalRank::Own && other.proposal.dir == proposal.dir
            });
        !same.into_iter().any(|(_, other)| is_called(other))
            && match rank {
                ProposalRank::Own => true,
                ProposalRank::Fallback => !better && !is_release,
            }
    };
    let kept = found.iter().enumerate().filter(keep);
    kept.map(|(_, candidate)| candidate.proposal.clone()).collect()
}

/// Makes tests in side folders such as `docs` required if the project has no others.
fn require_some_test(proposals: &mut [GateProposal]) {
    let is_test = |it: &&mut GateProposal| it.criterion == Criterion::TestPass;
    if proposals.iter_mut().filter(is_test).all(|it| it.standing != ProposalRole::Required) {
        for test in proposals.iter_mut().filter(is_test) {
            match test.standing {
                ProposalRole::Required | ProposalRole::Forbidden(_) => {}
                ProposalRole::Aside(_) => test.standing = ProposalRole::Required,
            }
        }
    }
}

/// Gives every proposal a name of its own. What is only mentioned takes no
/// short name from what is required.
fn name(proposals: &mut [GateProposal]) {
    let rivals: Vec<(usize, usize)> = proposals
        .iter()
        .map(|proposal| {
            let same = proposals.iter().filter(|other| {
                other.criterion == proposal.criterion
                    && (other.standing == ProposalRole::Required
                        || proposal.standing != ProposalRole::Required)
            });
            (same.clone().count(), same.filter(|other| other.dir == proposal.dir).count())
        })
        .collect();
    for (proposal, (all, here)) in proposals.iter_mut().zip(rivals) {
        let is_aside = proposal.standing != ProposalRole::Required;
        let label = match (proposal.dir.as_str(), here) {
            _ if all == 1 => continue,
            ("", _) => proposal.tool.to_owned(),
            (dir, 1) if !is_aside => dir.to_owned(),
            (dir, _) => format!("{dir}/{}", proposal.tool),
        };
        proposal.name = format!("{}:{label}", proposal.criterion.name());
    }
}

#[cfg(test)]
mod tests;
