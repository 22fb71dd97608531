//! The sandbox, as `ralph doctor` proves it: every guarantee is broken once, if it can be.

use crate::sandbox::{self, guarantee_text};
use ralph_config::SandboxRules;
use ralph_core::locale::Locale;
use ralph_sandbox::{NetworkRule, SandboxGuarantee, SandboxMeans, broken_guarantees};

use super::DoctorFinding;
use crate::app::App;

/// The name of the check.
const WHAT: &str = "sandbox";

/// Tries to break every guarantee of the sandbox on this machine.
pub(crate) fn judge(app: &App, locale: Locale) -> DoctorFinding {
    let rules = app.layers().ok().and_then(|layers| SandboxRules::new(&layers).ok());
    let rules = rules.unwrap_or_default();
    if sandbox::is_inside(app) {
        return DoctorFinding::remark(
            WHAT,
            locale.say("we are in one already", "이미 샌드박스 안입니다").to_owned(),
        );
    }
    let means = sandbox::means(app, &rules, &NetworkRule::Off);
    let because = means.refused.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    let Some(technique) = means.name() else {
        let text = locale.say(
            format!("none on this machine{because}"),
            format!("이 컴퓨터에는 없습니다{because}"),
        );
        return DoctorFinding::remark(WHAT, text);
    };
    match broken(app, &means) {
        Err(error) => DoctorFinding::remark(WHAT, format!("{technique}{because}: {error}")),
        Ok(broken) if broken.is_empty() => {
            let number = SandboxGuarantee::ALL.len();
            let english = format!("{technique}: {number} attempts to break out were denied");
            let korean = format!("{technique}: 탈출 시도 {number}건을 모두 막았습니다");
            DoctorFinding::fine(WHAT, locale.say(english, korean))
        }
        Ok(broken) => {
            let names: Vec<&str> =
                broken.iter().map(|guarantee| guarantee_text(*guarantee, locale)).collect();
            let names = names.join(", ");
            let english = format!("{technique}{because}; tried and not denied: {names}");
            let korean = format!("{technique}{because}; 시도해 보니 막지 못한 것: {names}");
            DoctorFinding::remark(WHAT, locale.say(english, korean))
        }
    }
}

fn broken(
    app: &App,
    means: &SandboxMeans,
) -> Result<Vec<SandboxGuarantee>, ralph_sandbox::TrialError> {
    // Below the shared folder for temporary files the sandbox shows its own.
    let place = if app.home.is_dir() { app.home.clone() } else { std::env::temp_dir() };
    broken_guarantees(means, &sandbox::exe(), &App::supervisor(), &place)
}
