//! Every kind of project we know.

use super::draft::ProposalDraft;
use super::sight::ProjectFolder;
use super::{Ecosystem, ProposalRank, SupportTier};
use super::{cmake, dotnet, go, jvm, node, php, python, rows, ruby, rust, shell, tasks};

/// All of them. Within a folder proposals come in this order.
pub(super) const ALL: &[Ecosystem] = &[
    Ecosystem {
        name: "Rust",
        tier: SupportTier::One,
        drafts: rust::drafts,
        covers: rust::covers,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Python",
        tier: SupportTier::One,
        drafts: python::drafts,
        covers: python::covers,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "JavaScript",
        tier: SupportTier::One,
        drafts: node::drafts,
        covers: node::covers,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Go",
        tier: SupportTier::One,
        drafts: go::drafts,
        covers: go::covers,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "C/C++",
        tier: SupportTier::One,
        drafts: cmake::drafts,
        covers: |_, _| true,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Ruby",
        tier: SupportTier::One,
        drafts: ruby::drafts,
        covers: |_, _| false,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "PHP",
        tier: SupportTier::One,
        drafts: php::drafts,
        covers: |_, _| false,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Java/Kotlin",
        tier: SupportTier::Two,
        drafts: jvm::drafts,
        covers: jvm::covers,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "C#",
        tier: SupportTier::Two,
        drafts: dotnet::drafts,
        covers: |_, _| true,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Shell",
        tier: SupportTier::One,
        drafts: shell::drafts,
        covers: |_, _| true,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Deno",
        tier: SupportTier::Two,
        drafts: tasks::deno,
        covers: |_, _| true,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "others",
        tier: SupportTier::Two,
        drafts: rows::drafts,
        covers: |_, _| true,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "tools",
        tier: SupportTier::Two,
        drafts: as_said,
        covers: |_, _| false,
        rank: ProposalRank::Own,
    },
    Ecosystem {
        name: "Task",
        tier: SupportTier::Two,
        drafts: tasks::task,
        covers: |_, _| true,
        rank: ProposalRank::Fallback,
    },
    Ecosystem {
        name: "just",
        tier: SupportTier::Two,
        drafts: tasks::just,
        covers: |_, _| true,
        rank: ProposalRank::Fallback,
    },
    Ecosystem {
        name: "make",
        tier: SupportTier::Two,
        drafts: tasks::make,
        covers: |_, _| true,
        rank: ProposalRank::Fallback,
    },
];

/// Linters and type checkers, called just as the project says.
fn as_said(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let mut drafts: Vec<ProposalDraft> = Vec::new();
    let here = folder.said().checks().filter(|(said, _)| said.dir == folder.dir());
    for (_, known) in here.filter(|(_, known)| known.as_said) {
        if drafts.iter().any(|draft| draft.tool == known.name) {
            continue;
        }
        // Patterns and redirections are for a shell.
        let is_plain = |word: &String| !word.contains(['*', '?', '<', '>', '~']);
        let said = folder.said().agreed(known.name, folder.dir(), |said| {
            said.known() == Some(known) && said.words.iter().all(is_plain)
        });
        let Some(said) = said else { continue };
        // The environment of the project has its own copy.
        let own = format!(".venv/bin/{}", known.name);
        let is_bare = said.words.first().is_some_and(|word| word == known.name);
        let own = Some(own).filter(|own| is_bare && folder.exists(own));
        let rest = said.words.iter().skip(usize::from(own.is_some())).cloned();
        let words: Vec<String> = own.into_iter().chain(rest).collect();
        let draft = ProposalDraft::of_words(folder, known.criterion, known.name, words);
        let draft = draft.because(format!("{} runs it", said.origin));
        drafts.push(ProposalDraft { ecosystem: Some(known.ecosystem), ..draft });
    }
    drafts
}
