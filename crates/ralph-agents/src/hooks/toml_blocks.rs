//! Our hooks as blocks at the end of a TOML file.
//!
//! The blocks stand between two comments, so that every other byte stays. A host
//! that writes its settings anew drops comments; then the blocks are known by
//! their command.

use super::HookDialect;
use super::settings::{
    EventHook, HookEntry, HookOptions, HookRemoval, SettingsHook, UninstallRecord, events, hook_of,
};

const BEGIN: &str = "# ralph install: begin";
const END: &str = "# ralph install: end\n";

/// Behind [`BEGIN`]: there was no file before.
const NEW_FILE: &str = " new-file";

/// Behind [`BEGIN`]: the file had no line break at its end.
const OPEN_END: &str = " open-end";

/// The start of a block.
const HEADER: &str = "[[hooks]]";

/// Returns the settings with our hooks.
pub(super) fn install(dialect: &HookDialect, text: Option<&str>, wanted: &HookOptions) -> String {
    let before = match text.map(|text| (uninstall(dialect, text), text)) {
        None | Some((HookRemoval::File, _)) => None,
        Some((HookRemoval::Nothing, text)) => Some(text.to_owned()),
        Some((HookRemoval::Text(text), _)) => Some(text),
    };
    let is_open = before.as_deref().is_some_and(|text| !text.is_empty() && !text.ends_with('\n'));
    let fact = match (&before, is_open) {
        (None, _) => NEW_FILE,
        (Some(_), true) => OPEN_END,
        (Some(_), false) => "",
    };
    let line_break = if is_open { "\n" } else { "" };
    let block = |event| {
        let hook = hook_of(dialect, wanted, event, &UninstallRecord::default());
        let EventHook::Flat(HookEntry { command, timeout, .. }) = hook else {
            return String::new();
        };
        let timeout = timeout.unwrap_or_default();
        let command = serde_json::Value::from(command);
        format!("{HEADER}\nevent = \"{event}\"\ncommand = {command}\ntimeout = {timeout}\n")
    };
    let blocks: String = events(dialect, wanted).map(block).collect();
    format!("{}{line_break}{BEGIN}{fact}\n{blocks}{END}", before.unwrap_or_default())
}

/// Returns the settings without our hooks.
pub(super) fn uninstall(dialect: &HookDialect, text: &str) -> HookRemoval {
    let begin = text.find(BEGIN).filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let whole = begin.and_then(|at| Some((at, at + text[at..].find(END)? + END.len())));
    let Some((from, to)) = whole else { return without_marks(dialect, text) };
    let fact = text[from..to].lines().next().unwrap_or_default().trim_start_matches(BEGIN);
    let (before, behind) = (&text[..from], &text[to..]);
    let before = match fact {
        OPEN_END => before.strip_suffix('\n').unwrap_or(before),
        _ => before,
    };
    let left = format!("{before}{behind}");
    if fact == NEW_FILE && left.is_empty() { HookRemoval::File } else { HookRemoval::Text(left) }
}

/// Removes blocks with our command.
fn without_marks(dialect: &HookDialect, text: &str) -> HookRemoval {
    let ours = blocks(text).into_iter().filter(|block| read(block).is_ours(dialect));
    let mut left = text.to_owned();
    for block in ours {
        left = left.replacen(block, "", 1);
    }
    if left == text { HookRemoval::Nothing } else { HookRemoval::Text(left) }
}

/// Returns our hooks.
pub(super) fn inspect(dialect: &HookDialect, text: &str) -> Vec<SettingsHook> {
    blocks(text).into_iter().map(read).filter(|hook| hook.is_ours(dialect)).collect()
}

/// Returns all blocks with hooks, each up to the next table or comment.
fn blocks(text: &str) -> Vec<&str> {
    let starts = text.match_indices(HEADER).map(|(at, _)| at);
    let starts = starts.filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let of = |at: usize| {
        let rest = &text[at..];
        let ends = ["\n[", "\n#"].into_iter().filter_map(|end| rest.find(end));
        &rest[..ends.min().map_or(rest.len(), |end| end + 1)]
    };
    starts.map(of).collect()
}

fn read(block: &str) -> SettingsHook {
    let value = |name: &str| {
        let lines = block.lines().filter_map(|line| line.split_once('='));
        let mut values = lines.filter(|(key, _)| key.trim() == name);
        values.next().map(|(_, value)| value.trim())
    };
    let text = |name: &str| value(name).and_then(|value| serde_json::from_str(value).ok());
    SettingsHook {
        event: text("event").unwrap_or_default(),
        matcher: text("matcher"),
        command: text("command").unwrap_or_default(),
        args: Vec::new(),
        timeout: value("timeout").and_then(|seconds| seconds.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::hooks::rows::KIMI;

    fn wanted() -> HookOptions {
        HookOptions {
            program: "/opt/my \"tools\"/ralph".to_owned(),
            cap: 0,
            arm: None,
            looks_before_edits: false,
            stop_timeout: Duration::from_hours(1),
            prompt_timeout: Duration::from_mins(5),
        }
    }

    #[test]
    fn every_block_has_the_three_keys_that_the_host_knows() {
        let text = install(&KIMI, None, &wanted());
        let parsed: toml::Table = toml::from_str(&text).unwrap();
        let blocks = parsed["hooks"].as_array().unwrap();
        assert_eq!(blocks.len(), 10);
        for block in blocks {
            let keys: Vec<&str> = block.as_table().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["command", "event", "timeout"]);
            assert!(block["timeout"].as_integer().unwrap() <= 600);
        }
        let seen = inspect(&KIMI, &text);
        let stop = seen.iter().find(|hook| hook.event == "Stop").unwrap();
        assert_eq!(
            (stop.timeout, stop.own_timeout()),
            (Some(600.0), Some(Duration::from_mins(10)))
        );
    }

    #[test]
    fn blocks_are_known_without_their_comments_and_those_of_others_stay() {
        let own = "[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n\n[models.a]\nx = 1\n";
        let with = install(&KIMI, Some(own), &wanted());
        let bare: Vec<&str> = with.lines().filter(|line| !line.starts_with('#')).collect();
        let bare = bare.join("\n") + "\n";
        assert_eq!(inspect(&KIMI, &bare).len(), 10);
        assert_eq!(uninstall(&KIMI, &bare), HookRemoval::Text(own.to_owned()));
        assert_eq!(uninstall(&KIMI, own), HookRemoval::Nothing);
        let new = install(&KIMI, None, &wanted());
        assert_eq!(uninstall(&KIMI, &new), HookRemoval::File);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_text_comes_back_byte_for_byte(text in "[\\[\\]hoks=\"a# \\n\\r1.]{0,60}") {
            let with = install(&KIMI, Some(&text), &wanted());
            prop_assert_eq!(&install(&KIMI, Some(&with), &wanted()), &with);
            prop_assert_eq!(uninstall(&KIMI, &with), HookRemoval::Text(text));
        }
    }
}
