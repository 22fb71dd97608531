//! Java and Kotlin: Maven and Gradle.
//!
//! Both write a folder of reports for each module rather than one file, so
//! their text is read instead: the test summaries and the compiler's lines.

use ralph_core::policy::Criterion;

use super::draft::Draft;
use super::sight::Folder;

const GRADLE: [&str; 4] =
    ["settings.gradle.kts", "settings.gradle", "build.gradle.kts", "build.gradle"];

pub(super) fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    if folder.has("pom.xml") {
        let maven = if folder.has("mvnw") { "./mvnw" } else { "mvn" };
        // Neither colours nor a line for each download.
        let line = |goal| format!("{maven} --batch-mode --no-transfer-progress {goal}");
        let draft = |criterion, goal| Draft::new(folder, criterion, "maven", &line(goal));
        return vec![
            draft(Criterion::TestPass, "test").because("pom.xml"),
            draft(Criterion::BuildSuccess, "test-compile").because("pom.xml"),
        ];
    }
    let Some(sign) = folder.first(&GRADLE) else { return Vec::new() };
    let gradle = if folder.has("gradlew") { "./gradlew" } else { "gradle" };
    let line = |task| format!("{gradle} --console=plain --continue {task}");
    let draft = |criterion, task| Draft::new(folder, criterion, "gradle", &line(task));
    vec![
        draft(Criterion::TestPass, "test").because(sign),
        draft(Criterion::BuildSuccess, "testClasses").because(sign),
    ]
}

/// Modules belong to the build above them.
pub(super) fn covers(root: &Folder<'_>, inner: &str) -> bool {
    let inner = root.below(inner);
    let is_maven = inner.is_some_and(|inner| inner.has("pom.xml"));
    if is_maven {
        return root.read("pom.xml").is_some_and(|text| text.contains("<modules>"));
    }
    // A build with settings of its own stands alone.
    let alone = inner.and_then(|inner| inner.first(&GRADLE[..2])).is_some();
    !alone && root.first(&GRADLE[..2]).is_some()
}
