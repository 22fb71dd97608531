//! Reads the gates of a run, and the levels of findings that must be empty.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Component, Path};
use std::time::Duration;

use ralph_checks::detect::{DetectedGates, GateProposal, MissingNeed, ProposalRole};
use ralph_checks::lsp::LspGate;
use ralph_checks::security::SecurityGate;
use ralph_core::finding::FindingLevel;
use ralph_core::format::OutputFormat;
use ralph_core::policy::{Criterion, GateCommand, GateImportance, GateSpec, PassCondition};

use super::contradiction::SettingsConflictError;
use super::layers::ConfigError;
use super::settings::SettingReader;
use super::value::words;

/// Timeout of a gate, unless configured.
const GATE_TIMEOUT: Duration = Duration::from_mins(10);

/// The settings about gates.
#[derive(Debug, Default)]
pub(crate) struct GateSettings {
    pub(crate) specs: Vec<GateSpec>,
    /// Levels that must have no findings.
    pub(crate) zero: BTreeSet<FindingLevel>,
    /// Programs and files that required gates need and that are missing.
    pub(crate) missing: Vec<MissingTool>,
}

/// A program or file that a gate needs and that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// The name of the gate.
    pub gate: String,
    /// The program or file that it needs.
    pub need: MissingNeed,
}

/// Reads criteria and zero flags. It calls `detect` at most once, and only if the
/// settings leave something open.
pub(crate) fn read(
    reader: &SettingReader<'_>,
    detect: &dyn Fn() -> DetectedGates,
) -> Result<GateSettings, SettingsConflictError> {
    let mut maker = GateSettingsBuilder {
        reader,
        detect,
        detected: OnceCell::new(),
        gates: GateSettings::default(),
    };
    maker.add_criteria()?;
    maker.add_zero()?;
    Ok(maker.gates)
}

/// Quotes a gate's name for the header of a table.
pub fn quoted(name: &str) -> String {
    if name.contains(':') { serde_json::Value::from(name).to_string() } else { name.to_owned() }
}

struct GateSettingsBuilder<'a> {
    reader: &'a SettingReader<'a>,
    detect: &'a dyn Fn() -> DetectedGates,
    detected: OnceCell<DetectedGates>,
    gates: GateSettings,
}

impl GateSettingsBuilder<'_> {
    fn add_criteria(&mut self) -> Result<(), SettingsConflictError> {
        let mut custom = 0;
        for text in self.reader.list("run.criteria").unwrap_or_default() {
            if let Some(command) = text.strip_prefix("custom:") {
                custom += 1;
                let spec = self.custom(command, custom)?;
                self.add(spec);
            } else {
                self.add_named(&text)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, spec: GateSpec) {
        if !self.gates.specs.iter().any(|known| known.name == spec.name) {
            self.gates.specs.push(spec);
        }
    }

    fn custom(&self, command: &str, number: u32) -> Result<GateSpec, SettingsConflictError> {
        let command = match command.strip_prefix("sh:") {
            Some(script) => GateCommand::Shell(script.to_owned()),
            None => GateCommand::Argv(words(command).map_err(|source| ConfigError::Value {
                origin: super::SettingOrigin::Flag,
                key: "run.criteria".to_owned(),
                source,
            })?),
        };
        Ok(GateSpec {
            name: format!("custom-{number}"),
            criterion: Criterion::Custom,
            command,
            dir: String::new(),
            format: self.format("custom").unwrap_or_default(),
            bar: PassCondition::Clean,
            timeout: self.timeout("custom", Criterion::Custom),
            need: GateImportance::Required,
        })
    }

    /// Adds the gates of a criterion, or the one gate with this name.
    fn add_named(&mut self, given: &str) -> Result<(), SettingsConflictError> {
        let name = given.split(':').next().unwrap_or(given);
        let criterion = Criterion::NAMED
            .into_iter()
            .find(|criterion| criterion.name() == name)
            .unwrap_or(Criterion::Custom);
        if criterion == Criterion::Memory {
            // Only code that can read notes knows whether one has a check.
            return Ok(());
        }
        if let Some(spec) = built_in(criterion) {
            self.add(spec);
            return Ok(());
        }
        let wanted = |gate: &str| given == name || given == gate;
        let set = self.configured(criterion)?;
        let mut known: Vec<String> = set.iter().map(|spec| spec.name.clone()).collect();
        let specs: Vec<GateSpec> = set.into_iter().filter(|spec| wanted(&spec.name)).collect();
        if !specs.is_empty() {
            for spec in specs {
                self.add(spec);
            }
            return Ok(());
        }
        let detected = self.detected();
        known.extend(detected.of(criterion).map(|proposal| proposal.name.clone()));
        let proposals: Vec<&GateProposal> = if given == name {
            detected.meant(criterion)
        } else {
            detected.of(criterion).filter(|it| wanted(&it.name)).collect()
        };
        let proposals: Vec<GateProposal> = proposals.into_iter().cloned().collect();
        if proposals.is_empty() {
            return Err(if given == name {
                SettingsConflictError::NoCommand(criterion.name())
            } else {
                SettingsConflictError::UnknownGate { given: given.to_owned(), known }
            });
        }
        for proposal in proposals {
            let spec =
                self.detected_gate(&proposal, GateImportance::Required, PassCondition::Clean);
            if let Some(need) = proposal.missing {
                self.gates.missing.push(MissingTool { gate: proposal.name, need });
            }
            self.add(spec);
        }
        Ok(())
    }

    fn detected(&self) -> &DetectedGates {
        self.detected.get_or_init(self.detect)
    }

    fn detected_gate(
        &self,
        proposal: &GateProposal,
        need: GateImportance,
        bar: PassCondition,
    ) -> GateSpec {
        GateSpec {
            name: proposal.name.clone(),
            criterion: proposal.criterion,
            command: proposal.command.clone(),
            dir: proposal.dir.clone(),
            format: proposal.format,
            bar,
            timeout: self.timeout(&proposal.name, proposal.criterion),
            need,
        }
    }

    /// Returns the gates of a criterion that have a command in the settings.
    fn configured(&self, criterion: Criterion) -> Result<Vec<GateSpec>, SettingsConflictError> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (path, _, _) in self.reader.0.iter() {
            let gate = path.strip_prefix("gates.").and_then(|rest| rest.rsplit_once('.'));
            let Some((name, _)) = gate else { continue };
            if name.split(':').next() == Some(criterion.name()) {
                names.insert(name);
            }
        }
        let gates = names.into_iter().map(|name| self.configured_gate(name, criterion));
        gates.filter_map(Result::transpose).collect()
    }

    /// Returns a gate from the settings; `None` without a command.
    fn configured_gate(
        &self,
        name: &str,
        criterion: Criterion,
    ) -> Result<Option<GateSpec>, SettingsConflictError> {
        let path = |key: &str| format!("gates.{name}.{key}");
        let (command, shell) = (path("command"), path("shell"));
        let command = match (self.reader.list(&command), self.reader.text(&shell)) {
            (Some(_), Some(_)) => {
                return Err(ConfigError::Conflict { key: command, other: shell }.into());
            }
            (Some(words), None) => GateCommand::Argv(words),
            (None, Some(script)) => GateCommand::Shell(script.to_owned()),
            (None, None) => {
                // These keys need a command, and there is none.
                let alone = ["dir", "format"].map(path);
                return match alone.into_iter().find(|key| self.reader.text(key).is_some()) {
                    Some(key) => Err(SettingsConflictError::WithoutCommand { key }),
                    None => Ok(None),
                };
            }
        };
        let dir = self.reader.text(&path("dir")).unwrap_or_default();
        Ok(Some(GateSpec {
            name: name.to_owned(),
            criterion,
            command,
            dir: inside(dir).ok_or_else(|| SettingsConflictError::Outside {
                key: path("dir"),
                dir: dir.to_owned(),
            })?,
            format: self.format(name).unwrap_or_default(),
            bar: PassCondition::Clean,
            timeout: self.timeout(name, criterion),
            need: GateImportance::Required,
        }))
    }

    fn format(&self, name: &str) -> Option<OutputFormat> {
        self.reader.text(&format!("gates.{name}.format"))?.parse().ok()
    }

    fn timeout(&self, name: &str, criterion: Criterion) -> Duration {
        let of = |name: &str| self.reader.span(&format!("gates.{name}.timeout"));
        of(name).or_else(|| of(criterion.name())).unwrap_or(GATE_TIMEOUT)
    }

    /// Sets the levels that must be empty, and adds gates that look for them.
    fn add_zero(&mut self) -> Result<(), SettingsConflictError> {
        let errors = self.reader.switch("run.zero_errors");
        let warnings = self.reader.switch("run.zero_warnings") == Some(true);
        let mut asked = Vec::new();
        asked.extend((errors == Some(true)).then_some("zero errors"));
        asked.extend(warnings.then_some("zero warnings"));
        let mut measured = self.gates.specs.iter().any(|spec| spec.criterion.is_diagnostic());
        if !asked.is_empty() && !measured {
            self.add_diagnostics(asked)?;
            measured = true;
        }
        let zero = &mut self.gates.zero;
        zero.extend(errors.unwrap_or(measured).then_some(FindingLevel::Error));
        zero.extend(warnings.then_some(FindingLevel::Warning));
        let security = self.reader.switch("run.zero_security") == Some(true);
        zero.extend(security.then_some(FindingLevel::Security));
        if security {
            self.add(SecurityGate::specify(GateImportance::Required));
        }
        Ok(())
    }

    /// Adds the detected gates that look for errors: linters and type checkers, or else
    /// the compiler.
    fn add_diagnostics(&mut self, levels: Vec<&'static str>) -> Result<(), SettingsConflictError> {
        let mut set = self.configured(Criterion::LintClean)?;
        set.extend(self.configured(Criterion::TypeCheck)?);
        if !set.is_empty() {
            for spec in set {
                self.add(GateSpec { bar: PassCondition::NoErrors, ..spec });
            }
            return Ok(());
        }
        let of = |wanted: fn(Criterion) -> bool| -> Vec<GateProposal> {
            let all = self.detected().proposals.iter();
            all.filter(|proposal| wanted(proposal.criterion)).cloned().collect()
        };
        let (mut proposals, aside): (Vec<GateProposal>, Vec<GateProposal>) =
            of(Criterion::is_diagnostic)
                .into_iter()
                .filter(GateProposal::may_run)
                .partition(|proposal| proposal.standing == ProposalRole::Required);
        if proposals.iter().all(|proposal| proposal.missing.is_some()) {
            proposals.extend(aside);
        }
        if proposals.is_empty() {
            proposals = of(|criterion| criterion == Criterion::BuildSuccess);
        }
        if proposals.iter().all(|proposal| proposal.missing.is_some()) {
            let missing = proposals.into_iter().filter_map(|proposal| proposal.missing);
            let missing = missing.map(|missing| missing.what).collect();
            return Err(SettingsConflictError::NothingToCount { levels, missing });
        }
        for proposal in proposals {
            // The user did not name this gate, so it is reported if it cannot run.
            let need = if proposal.missing.is_some() {
                GateImportance::Advisory
            } else {
                GateImportance::Required
            };
            let spec = self.detected_gate(&proposal, need, PassCondition::NoErrors);
            self.add(spec);
        }
        Ok(())
    }
}

/// Returns the gate of a criterion that needs no command.
fn built_in(criterion: Criterion) -> Option<GateSpec> {
    match criterion {
        Criterion::Diagnostics => Some(LspGate::specify(GateImportance::Required)),
        Criterion::Security => Some(SecurityGate::specify(GateImportance::Required)),
        Criterion::TestPass
        | Criterion::BuildSuccess
        | Criterion::LintClean
        | Criterion::TypeCheck
        | Criterion::Memory
        | Criterion::Custom
        | Criterion::Judge => None,
    }
}

/// Normalises a relative path with `/`; `None` if it leads outside.
fn inside(dir: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in Path::new(dir).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
#[path = "gates_tests.rs"]
mod tests;
