//! Files that are looked through for words, line by line.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::ConfigChange;
use crate::ParsedFilePair;
use crate::assertions::shortened;
use crate::kind::{Tampering, TamperingKind};

/// Texts that weaken checks when a line with one is added.
static ADDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?xi) skipTests | maven\.test\.skip | testFailureIgnore | <excludes?> | <excludedGroups>
        | ignoreFailures\s*=?\s*true | \benabled\s*=\s*false | excludeTags | excludeTestsMatching
        | \bexclude\s*[("'] | failOnNoMatchingTests\s*=\s*false | isIgnoreFailures\s*=\s*true
        | WILL_FAIL | DISABLED\s+(?:true|on|1) | <NoWarn> | <TreatWarningsAsErrors>\s*false
        | <IsTestProject>\s*false | --tag\s+~ | --exclude-pattern | errorLevel="[2-8]"
        | failOn\w+="false" | <suppress | \|\|\s*true | \bdisableWarnings\b | success_codes"#,
    )
    .ok()
});
/// Texts that weaken checks when a line with one is removed.
static REMOVED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?xi) \badd_test\s*\( | enable_testing | gtest_discover_tests | catch_discover_tests
        | <TreatWarningsAsErrors>\s*true | -Werror | -Wall | failOn\w+="true" | <directory
        | useJUnitPlatform | allWarningsAsErrors\s*=?\s*true | RSpec::Core::RakeTask | Rake::TestTask"#,
    )
    .ok()
});
/// Texts that change the choice of tests, or their results.
static COLLECTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x) collect_ignore(?:_glob)? | pytest_ignore_collect | pytest_collection_modifyitems
        | pytest_collect_\w+ | pytest_pycollect_\w+ | pytest_generate_tests | pytest_runtest_\w+
        | pytest_pyfunc_call | pytest_assertrepr_compare | pytest_sessionfinish | pytest_deselected
        | pytest\.(?:skip|xfail|mark\.skip\w*|mark\.xfail) | add_marker | \.exitstatus\s*=
        | pytest_report_teststatus | os\._exit | sys\.exit | \.outcome\s*=",
    )
    .ok()
});

/// Reports lines that weaken a build description.
pub(super) fn compare(change: &ConfigChange<'_>) -> Vec<Tampering> {
    let mut found = Vec::new();
    for (line, text) in added(change.old, change.new) {
        if ADDED.as_ref().is_some_and(|regex| regex.is_match(text)) {
            let setting = change.path.to_owned();
            let to = Some(shortened(text));
            found.push(
                change.report(line, TamperingKind::SettingWeakened { setting, from: None, to }),
            );
        }
    }
    for (_, text) in added(change.new, change.old) {
        // A line that was edited and still has the word is no loss.
        let word = REMOVED.as_ref().and_then(|regex| regex.find(text)).map(|word| word.as_str());
        let fewer = word.filter(|word| count(change.new, word) < count(change.old, word));
        if fewer.is_some() {
            let setting = change.path.to_owned();
            let from = Some(shortened(text));
            found
                .push(change.report(1, TamperingKind::SettingWeakened { setting, from, to: None }));
        }
    }
    found
}

/// Reports what a file that sets up tests does to the choice of tests.
pub(super) fn collection(pair: &ParsedFilePair<'_>) -> Vec<Tampering> {
    let Some(new) = &pair.new else { return Vec::new() };
    let old = pair.old.as_ref().map_or("", |old| &old.text);
    let mut found = Vec::new();
    for (line, text) in added(old, &new.text) {
        if let Some(word) = COLLECTION.as_ref().and_then(|regex| regex.find(text)) {
            let marker = word.as_str().to_owned();
            found.push(Tampering::new(new.path, line, TamperingKind::CollectionChanged { marker }));
        }
    }
    found
}

fn count(text: &str, word: &str) -> usize {
    text.matches(word).count()
}

/// The lines of `new` that `old` does not have, without remarks.
fn added<'t>(old: &'t str, new: &'t str) -> Vec<(u32, &'t str)> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for line in old.lines() {
        *known.entry(line.trim()).or_default() += 1;
    }
    let mut out = Vec::new();
    for (number, line) in (1..).zip(new.lines().map(str::trim)) {
        match known.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ if line.is_empty() || line.starts_with("//") || line.starts_with('#') => {}
            Some(_) | None => out.push((number, line)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_sound() {
        for pattern in [&*ADDED, &*REMOVED, &*COLLECTION] {
            assert!(pattern.is_some());
        }
    }
}
