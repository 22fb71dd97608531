//! Java and Kotlin: Maven and Gradle.
//!
//! Both write a folder of reports for each module rather than one file, so
//! their text is read instead: the test summaries and the compiler's lines.

use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::said::DocumentedCommand;
use super::sight::ProjectFolder;

const GRADLE: [&str; 4] =
    ["settings.gradle.kts", "settings.gradle", "build.gradle.kts", "build.gradle"];

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    if folder.has("pom.xml") {
        let maven = if folder.has("mvnw") { "./mvnw" } else { "mvn" };
        // Neither colours nor a line for each download.
        let passed = passed(folder, &["mvn", "mvnw"], &["test", "verify", "package", "install"]);
        let line = |goal| format!("{maven} --batch-mode --no-transfer-progress {passed}{goal}");
        let draft = |criterion, goal| ProposalDraft::new(folder, criterion, "maven", &line(goal));
        return vec![
            draft(Criterion::TestPass, "test").because("pom.xml"),
            draft(Criterion::BuildSuccess, "test-compile").because("pom.xml"),
        ];
    }
    let Some(sign) = folder.first(&GRADLE) else { return Vec::new() };
    let gradle = if folder.has("gradlew") { "./gradlew" } else { "gradle" };
    let passed = passed(folder, &["gradle", "gradlew"], &["test", "check", "build"]);
    let line = |task| format!("{gradle} --console=plain --continue {passed}{task}");
    let draft = |criterion, task| ProposalDraft::new(folder, criterion, "gradle", &line(task));
    vec![
        draft(Criterion::TestPass, "test").because(sign),
        draft(Criterion::BuildSuccess, "testClasses").because(sign),
    ]
}

/// The profiles and properties with which the project runs its tests, with a
/// space behind each.
fn passed(folder: &ProjectFolder<'_>, programs: &[&str], goals: &[&str]) -> String {
    let words_of = |said: &DocumentedCommand| {
        let words = said.arguments();
        let has_goal = words.iter().any(|word| goals.contains(&word.as_str()));
        let skips = words.iter().any(|word| word.starts_with("-Dskip") || word == "-x");
        let kept = words.iter().filter(|word| word.starts_with("-D") || word.starts_with("-P"));
        (has_goal && !skips).then(|| kept.map(|word| format!("{word} ")).collect())
    };
    let said = |program: &&str| folder.said().agreed_words(program, folder.dir(), words_of);
    programs.iter().find_map(said).map(|(words, _)| words.concat()).unwrap_or_default()
}

/// Modules belong to the build above them.
pub(super) fn covers(root: &ProjectFolder<'_>, inner: &str) -> bool {
    let inner = root.below(inner);
    let is_maven = inner.is_some_and(|inner| inner.has("pom.xml"));
    if is_maven {
        return root.read("pom.xml").is_some_and(|text| text.contains("<modules>"));
    }
    // A build with settings of its own stands alone.
    let alone = inner.and_then(|inner| inner.first(&GRADLE[..2])).is_some();
    !alone && root.first(&GRADLE[..2]).is_some()
}
