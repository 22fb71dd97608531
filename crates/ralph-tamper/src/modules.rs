//! Modules with tests that are no part of the program any more.
//!
//! In Rust a file counts only if it is declared. Taking the declaration away
//! loses its tests though the file itself did not change.

use std::collections::HashSet;

use super::ParsedFilePair;
use super::kind::{Tampering, TamperingKind};

/// Reports declarations of test modules that are gone or switched off.
pub(super) fn detached(pairs: &[ParsedFilePair<'_>]) -> Vec<Tampering> {
    let news = || pairs.iter().filter_map(|pair| pair.new.as_ref());
    let declared: HashSet<&str> =
        news().flat_map(|new| &new.outline.modules).map(|module| module.name.as_str()).collect();
    let mut found = Vec::new();
    for pair in pairs {
        let (Some(old), Some(new)) = (&pair.old, &pair.new) else { continue };
        for module in &old.outline.modules {
            let name = module.name.as_str();
            let now = new.outline.modules.iter().find(|other| other.name == name);
            if let Some(now) = now {
                let added = now.attributes.iter().find(|text| {
                    text.contains("cfg(")
                        && !text.contains("[cfg(test)]")
                        && !module.attributes.contains(text)
                });
                found.extend(added.map(|marker| {
                    let (test, marker) = (name.to_owned(), marker.clone());
                    Tampering::new(new.path, now.line, TamperingKind::SkipAdded { test, marker })
                }));
                continue;
            }
            let written_here = new.text.contains(&format!("mod {name} {{"));
            if !declared.contains(name) && !written_here && !is_deleted(pairs, name) {
                let kind = TamperingKind::ModuleDetached { module: name.to_owned() };
                found.push(Tampering::new(old.path, module.line, kind));
            }
        }
    }
    found
}

/// True if the file of a module is gone: then its tests are missed.
fn is_deleted(pairs: &[ParsedFilePair<'_>], module: &str) -> bool {
    pairs.iter().any(|pair| {
        let (Some(old), None) = (&pair.old, &pair.new) else { return false };
        old.path.ends_with(&format!("/{module}.rs"))
            || old.path.ends_with(&format!("/{module}/mod.rs"))
            || old.path.ends_with(&format!("_{module}.rs"))
    })
}
