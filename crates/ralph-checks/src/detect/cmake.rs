//! C and C++ built by `CMake`.

use ralph_core::format::OutputFormat;
use ralph_core::policy::Criterion;

use super::draft::ProposalDraft;
use super::sight::ProjectFolder;

/// Configures where the user would, so that choices made there hold.
const BUILD: &str = "cmake -S . -B build && cmake --build build";

pub(super) fn drafts(folder: &ProjectFolder<'_>) -> Vec<ProposalDraft> {
    let Some(text) = folder.read("CMakeLists.txt") else { return Vec::new() };
    let text = text.to_ascii_lowercase();
    let build = ProposalDraft::of_script(Criterion::BuildSuccess, "cmake", BUILD)
        .because("CMakeLists.txt")
        .needs(folder, "cmake");
    let sign = ["enable_testing", "include(ctest)"].into_iter().find(|sign| text.contains(sign));
    let Some(sign) = sign else { return vec![build] };
    // Built first: ctest alone would run what an earlier state left.
    let script = format!(
        "{BUILD} && ctest --test-dir build --output-on-failure --no-tests=error --output-junit \"{{report}}\""
    );
    let tested = ProposalDraft::of_script(Criterion::TestPass, "ctest", &script)
        .reads(OutputFormat::Junit)
        .because(format!("CMakeLists.txt has {sign}"))
        .needs(folder, "cmake")
        .needs(folder, "ctest");
    let is_off =
        |word: &String| ["=0", "=OFF"].iter().any(|off| *word == format!("-DBUILD_TESTING{off}"));
    let mut configured = folder.said().of("cmake", folder.dir());
    let off = configured.find(|said| said.arguments().iter().any(is_off));
    let tested = match off.filter(|_| !folder.said().mention("ctest")) {
        Some(said) => tested.aside(format!("{} builds it without tests", said.origin)),
        None => tested,
    };
    vec![tested, build]
}
