//! Every kind of project we know.

use super::draft::Draft;
use super::sight::Folder;
use super::{Ecosystem, Rank, Tier};
use super::{cmake, dotnet, go, jvm, node, php, python, rows, ruby, rust, shell, tasks};

/// All of them. Within a folder proposals come in this order.
pub(super) const ALL: &[Ecosystem] = &[
    Ecosystem {
        name: "Rust",
        tier: Tier::One,
        drafts: rust::drafts,
        covers: rust::covers,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Python",
        tier: Tier::One,
        drafts: python::drafts,
        covers: python::covers,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "JavaScript",
        tier: Tier::One,
        drafts: node::drafts,
        covers: node::covers,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Go",
        tier: Tier::One,
        drafts: go::drafts,
        covers: go::covers,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "C/C++",
        tier: Tier::One,
        drafts: cmake::drafts,
        covers: |_, _| true,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Ruby",
        tier: Tier::One,
        drafts: ruby::drafts,
        covers: |_, _| false,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "PHP",
        tier: Tier::One,
        drafts: php::drafts,
        covers: |_, _| false,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Java/Kotlin",
        tier: Tier::Two,
        drafts: jvm::drafts,
        covers: jvm::covers,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "C#",
        tier: Tier::Two,
        drafts: dotnet::drafts,
        covers: |_, _| true,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Shell",
        tier: Tier::One,
        drafts: shell::drafts,
        covers: |_, _| true,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Deno",
        tier: Tier::Two,
        drafts: tasks::deno,
        covers: |_, _| true,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "others",
        tier: Tier::Two,
        drafts: rows::drafts,
        covers: |_, _| true,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "tools",
        tier: Tier::Two,
        drafts: as_said,
        covers: |_, _| false,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Task",
        tier: Tier::Two,
        drafts: tasks::task,
        covers: |_, _| true,
        rank: Rank::Fallback,
    },
    Ecosystem {
        name: "just",
        tier: Tier::Two,
        drafts: tasks::just,
        covers: |_, _| true,
        rank: Rank::Fallback,
    },
    Ecosystem {
        name: "make",
        tier: Tier::Two,
        drafts: tasks::make,
        covers: |_, _| true,
        rank: Rank::Fallback,
    },
];

/// Linters and type checkers, called just as the project says.
fn as_said(folder: &Folder<'_>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
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
        let draft = Draft::of_words(folder, known.criterion, known.name, words);
        let draft = draft.because(format!("{} runs it", said.origin));
        drafts.push(Draft { ecosystem: Some(known.ecosystem), ..draft });
    }
    drafts
}
