//! The parts of SARIF 2.1.0 that matter here. Everything else is ignored.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct SarifTool {
    pub(super) driver: SarifToolComponent,
    #[serde(default)]
    pub(super) extensions: Vec<SarifToolComponent>,
}

#[derive(Deserialize)]
pub(super) struct SarifToolComponent {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) rules: Vec<SarifRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRule {
    pub(super) id: String,
    pub(super) default_configuration: Option<SarifRuleConfiguration>,
    #[serde(default)]
    pub(super) message_strings: HashMap<String, SarifText>,
    pub(super) properties: Option<SarifRuleProperties>,
}

#[derive(Deserialize)]
pub(super) struct SarifRuleConfiguration {
    pub(super) level: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SarifRuleProperties {
    #[serde(rename = "security-severity")]
    pub(super) severity: Option<SarifSecuritySeverity>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
}

/// From 0 to 10; a string in practice.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum SarifSecuritySeverity {
    Text(String),
    Number(f64),
}

#[derive(Deserialize)]
pub(super) struct SarifText {
    pub(super) text: Option<String>,
}

/// A result, or what the tool says about itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: Option<String>,
    pub(super) rule_index: Option<i64>,
    #[serde(alias = "descriptor")]
    pub(super) rule: Option<RuleReference>,
    pub(super) kind: Option<String>,
    pub(super) level: Option<String>,
    pub(super) message: SarifMessage,
    #[serde(default)]
    pub(super) locations: Vec<SarifLocation>,
    #[serde(default)]
    pub(super) suppressions: Vec<SarifSuppression>,
    pub(super) baseline_state: Option<String>,
    pub(super) properties: Option<SarifRuleProperties>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleReference {
    pub(super) id: Option<String>,
    pub(super) index: Option<i64>,
    pub(super) tool_component: Option<ComponentReference>,
}

#[derive(Deserialize)]
pub(super) struct ComponentReference {
    pub(super) index: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct SarifMessage {
    pub(super) text: Option<String>,
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct SarifSuppression {
    pub(super) status: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(default)]
    pub(super) logical_locations: Vec<LogicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: Option<ArtifactLocation>,
    pub(super) region: Option<SarifRegion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: Option<String>,
    pub(super) uri_base_id: Option<String>,
    pub(super) index: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRegion {
    pub(super) start_line: Option<i64>,
    pub(super) start_column: Option<i64>,
    pub(super) snippet: Option<SarifText>,
}

#[derive(Deserialize)]
pub(super) struct SarifArtifact {
    pub(super) location: Option<ArtifactLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifInvocation {
    #[serde(default)]
    pub(super) tool_execution_notifications: Vec<SarifResult>,
    #[serde(default)]
    pub(super) tool_configuration_notifications: Vec<SarifResult>,
}
