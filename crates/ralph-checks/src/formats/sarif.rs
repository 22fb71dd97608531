//! SARIF 2.1.0, of any tool.
//!
//! Results are handed on as they come once the tool and what their places
//! refer to are known. Some tools put the results first; those wait for the
//! end of their run.

mod wire;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::BufRead;

use ralph_core::finding::{FindingLevel, SourceLocation};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use self::wire::{
    ArtifactLocation, RuleReference, SarifArtifact, SarifInvocation, SarifMessage, SarifResult,
    SarifRule, SarifRuleProperties, SarifSecuritySeverity, SarifTool,
};
use super::json::{JsonDocument, ListVisitor, documents, number};
use super::printed::one_line;
use super::{FindingCollector, FormatError, ToolFinding};

/// The maximum number of bases that may follow each other in a place.
const BASES: usize = 8;

/// Reads all runs.
pub(super) fn read(input: &mut dyn BufRead, out: &mut FindingCollector) -> Result<(), FormatError> {
    documents("sarif", input, &mut SarifLog { out })
}

struct SarifLog<'a> {
    out: &'a mut FindingCollector,
}

impl JsonDocument for SarifLog<'_> {
    fn read<'de, D: Deserializer<'de>>(&mut self, document: D) -> Result<(), D::Error> {
        document.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut SarifLog<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `runs`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == "runs" {
                map.next_value_seed(SarifRunList { out: self.out })?;
                found = true;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if found { Ok(()) } else { Err(A::Error::custom("there is no `runs`")) }
    }
}

struct SarifRunList<'a> {
    out: &'a mut FindingCollector,
}

impl<'de> DeserializeSeed<'de> for SarifRunList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, runs: D) -> Result<(), D::Error> {
        runs.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SarifRunList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of runs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            let run =
                SarifRun { out: self.out, parts: SarifRunParts::default(), waiting: Vec::new() };
            if list.next_element_seed(run)?.is_none() {
                return Ok(());
            }
        }
    }
}

struct SarifRun<'a> {
    out: &'a mut FindingCollector,
    parts: SarifRunParts,
    /// Results that came before what they refer to.
    waiting: Vec<SarifResult>,
}

/// The parts of a run that results refer to.
#[derive(Default)]
struct SarifRunParts {
    tool: Option<SarifTool>,
    bases: Option<HashMap<String, ArtifactLocation>>,
    artifacts: Option<Vec<SarifArtifact>>,
}

impl<'de> DeserializeSeed<'de> for SarifRun<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, run: D) -> Result<(), D::Error> {
        run.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SarifRun<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "tool" => self.parts.tool = map.next_value()?,
                "originalUriBaseIds" => self.parts.bases = map.next_value()?,
                "artifacts" => self.parts.artifacts = map.next_value()?,
                "results" => {
                    map.next_value_seed(ListVisitor { take: &mut |result| self.take(result) })?;
                }
                "invocations" => {
                    let take = &mut |invocation: SarifInvocation| {
                        let said = invocation.tool_execution_notifications.into_iter();
                        let said = said.chain(invocation.tool_configuration_notifications);
                        // What a tool says about itself matters only if it is wrong.
                        said.filter(|said| said.level.as_deref() == Some("error"))
                            .for_each(|said| self.take(said));
                    };
                    map.next_value_seed(ListVisitor { take })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if self.parts.tool.is_none() {
            return Err(A::Error::custom("there is a run without `tool`"));
        }
        for result in &self.waiting {
            self.parts.report(result, self.out);
        }
        Ok(())
    }
}

impl SarifRun<'_> {
    fn take(&mut self, result: SarifResult) {
        if self.parts.suffice(&result) {
            self.parts.report(&result, self.out);
        } else {
            self.waiting.push(result);
        }
    }
}

impl SarifRunParts {
    /// True if everything is known that a result may refer to.
    fn suffice(&self, result: &SarifResult) -> bool {
        let based = artifact(result).is_none_or(|at| {
            (at.uri_base_id.is_none() || self.bases.is_some())
                && (at.uri.is_some() || self.artifacts.is_some())
        });
        self.tool.is_some() && based
    }

    fn report(&self, result: &SarifResult, out: &mut FindingCollector) {
        let rule = self.rule(result);
        let Some(level) = level(result, rule) else { return };
        let reference = result.rule.as_ref().and_then(|rule| rule.id.as_deref());
        let id = result.rule_id.as_deref().or(reference).or(rule.map(|rule| rule.id.as_str()));
        let tool = self.tool.as_ref().map_or("", |tool| tool.driver.name.as_str());
        // The readers of single tools write their names small.
        let tool = tool.to_lowercase();
        let message = text(&result.message, rule);
        let found = ToolFinding {
            tool: &tool,
            rule: id,
            level,
            message: &one_line(&message),
            context: context(result),
        };
        out.finding(self.place(result, out), &found);
    }

    fn rule(&self, result: &SarifResult) -> Option<&SarifRule> {
        let tool = self.tool.as_ref()?;
        let reference = result.rule.as_ref();
        let component = reference.and_then(|rule| rule.tool_component.as_ref());
        let rules = match component.and_then(|component| item(&tool.extensions, component.index)) {
            Some(extension) => &extension.rules,
            None => &tool.driver.rules,
        };
        let index = result.rule_index.or(reference.and_then(|rule: &RuleReference| rule.index));
        if let Some(rule) = item(rules, index) {
            return Some(rule);
        }
        let id = result.rule_id.as_deref().or(reference.and_then(|rule| rule.id.as_deref()))?;
        let all = || tool.extensions.iter().flat_map(|extension| &extension.rules).chain(rules);
        // `CA1000/1` is a special case of `CA1000`.
        let general = id.rsplit_once('/').map(|(general, _)| general);
        all()
            .find(|rule| rule.id == id)
            .or_else(|| all().find(|rule| Some(rule.id.as_str()) == general))
    }

    fn place(&self, result: &SarifResult, out: &FindingCollector) -> SourceLocation {
        let Some(at) = artifact(result) else { return SourceLocation::default() };
        let listed = self
            .artifacts
            .as_ref()
            .and_then(|artifacts| item(artifacts, at.index))
            .and_then(|artifact| artifact.location.as_ref());
        let at = if at.uri.is_some() { at } else { listed.unwrap_or(at) };
        let location = result.locations.first().and_then(|at| at.physical_location.as_ref());
        let region = location.and_then(|location| location.region.as_ref());
        let line = region.and_then(|region| number(region.start_line));
        let column = region.and_then(|region| number(region.start_column));
        out.place(&decoded(&self.whole_uri(at)), line, column)
    }

    /// A URI with its bases before it. A base that is not given stands for
    /// the folder the tool ran in.
    fn whole_uri(&self, at: &ArtifactLocation) -> String {
        let mut uri = at.uri.clone().unwrap_or_default();
        let mut base = at.uri_base_id.as_deref();
        for _ in 0..BASES {
            let next = self.bases.as_ref().zip(base).and_then(|(bases, base)| bases.get(base));
            let Some(next) = next else { break };
            uri.insert_str(0, next.uri.as_deref().unwrap_or_default());
            base = next.uri_base_id.as_deref();
        }
        uri
    }
}

fn item<T>(list: &[T], index: Option<i64>) -> Option<&T> {
    list.get(usize::try_from(index?).ok()?)
}

fn artifact(result: &SarifResult) -> Option<&ArtifactLocation> {
    result.locations.first()?.physical_location.as_ref()?.artifact_location.as_ref()
}

/// Returns the line or the symbol that a result is about, which tells it apart from others.
fn context(result: &SarifResult) -> &str {
    let Some(location) = result.locations.first() else { return "" };
    let region = location.physical_location.as_ref().and_then(|at| at.region.as_ref());
    let snippet = region.and_then(|region| region.snippet.as_ref()?.text.as_deref());
    let symbol = || location.logical_locations.first()?.fully_qualified_name.as_deref();
    let text = snippet.or_else(symbol).unwrap_or_default();
    text.trim().lines().next().unwrap_or_default()
}

/// `None` for a result that is none: passed, suppressed or gone.
fn level(result: &SarifResult, rule: Option<&SarifRule>) -> Option<FindingLevel> {
    // A suppression counts unless it is still to be decided or was refused.
    let suppressed =
        result.suppressions.iter().any(|s| matches!(s.status.as_deref(), None | Some("accepted")));
    if suppressed || result.baseline_state.as_deref() == Some("absent") {
        return None;
    }
    match result.kind.as_deref() {
        None | Some("fail") => {}
        Some("open" | "review" | "informational") => return Some(FindingLevel::Info),
        Some(_) => return None,
    }
    let configured = rule.and_then(|rule| rule.default_configuration.as_ref()?.level.as_deref());
    let level = match result.level.as_deref().or(configured) {
        Some("error") => FindingLevel::Error,
        Some("none") => return None,
        Some("note") => FindingLevel::Info,
        Some(_) | None => FindingLevel::Warning,
    };
    let own = result.properties.as_ref();
    let secure = own.into_iter().chain(rule.and_then(|rule| rule.properties.as_ref())).all(is_safe);
    Some(if secure { level } else { FindingLevel::Security })
}

fn is_safe(properties: &SarifRuleProperties) -> bool {
    let severity = match &properties.severity {
        Some(SarifSecuritySeverity::Text(text)) => text.trim().parse().unwrap_or(0.0),
        Some(SarifSecuritySeverity::Number(number)) => *number,
        None => 0.0,
    };
    severity <= 0.0 && !properties.tags.iter().any(|tag| tag == "security")
}

/// The message, or that of the rule with `{0}` and so on replaced.
fn text<'a>(message: &'a SarifMessage, rule: Option<&'a SarifRule>) -> Cow<'a, str> {
    let named = || rule?.message_strings.get(message.id.as_deref()?)?.text.as_deref();
    let template = message.text.as_deref().or_else(named).unwrap_or_default();
    if message.arguments.is_empty() {
        return Cow::Borrowed(template);
    }
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let marked = after.split_once('}').and_then(|(index, after)| {
            Some((message.arguments.get(index.parse::<usize>().ok()?)?, after))
        });
        if let Some((argument, after)) = marked {
            text.push_str(argument);
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// A URI without `%20` and the like.
fn decoded(uri: &str) -> Cow<'_, str> {
    if !uri.contains('%') {
        return Cow::Borrowed(uri);
    }
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let byte = digit(0).zip(digit(1)).filter(|_| first == b'%');
        if let Some(byte) = byte.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[path = "sarif_tests.rs"]
mod tests;
