//! Every kind of project we know.

use super::{Ecosystem, Rank, Tier};
use super::{cmake, dotnet, go, jvm, node, php, python, ruby, rust, shell, tasks};

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
        drafts: shell::tests,
        covers: |_, _| true,
        rank: Rank::Own,
    },
    Ecosystem {
        name: "Shell",
        tier: Tier::One,
        drafts: shell::lint,
        covers: |_, _| true,
        // A script on the side must not make a linter mandatory.
        rank: Rank::Extra,
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
