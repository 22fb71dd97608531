//! What never enters the memory: secrets, what the user marked as private, and
//! notes that were only shown again.

use std::borrow::Cow;
use std::ops::Range;

use ralph_core::memory::notes::without_notes;
use ralph_redact::{MARK, redact};

use crate::event::{EventContext, LogEvent, LogEventKind, NoteContent, NoteKind};

/// How much is kept of what somebody said in a session, in characters.
const LONGEST_SAID: usize = 2000;

/// How much is kept of what a tool was about, in characters.
const LONGEST_ABOUT: usize = 300;

/// How much is kept of what went wrong, in characters.
const LONGEST_ERROR: usize = 600;

/// Files of one use of a tool or of one commit that are kept.
const MOST_FILES: usize = 50;

/// More of a text is not even read, in bytes.
const LONGEST_READ: usize = 64 * 1024;

/// How many digits stand for a name with a secret in it.
const MARK_DIGITS: usize = 12;

/// The word in marks of what is private.
const PRIVATE: &str = "private";

/// A mark of what is private.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrivacyMarker {
    Opening,
    Closing,
}

/// A text as it may be kept.
pub fn text(text: &str) -> Cow<'_, str> {
    match open(text) {
        Cow::Borrowed(text) => redact(text),
        Cow::Owned(open) => Cow::Owned(redact(&open).into_owned()),
    }
}

/// How many secrets are taken out of a text before it is kept.
pub fn secrets(text: &str) -> usize {
    let open = open(text);
    match redact(&open) {
        Cow::Borrowed(_) => 0,
        // One of them may have held the mark of another.
        Cow::Owned(clean) => marks(&clean).saturating_sub(marks(&open)).max(1),
    }
}

/// How many secrets are taken out of a note before it is kept.
pub fn secrets_of_note(note: &NoteContent) -> usize {
    let mut found = 0;
    each_of_note(&mut note.clone(), &mut |value, _| found += secrets(value));
    found
}

/// A text without what is private and what was only shown again.
fn open(text: &str) -> Cow<'_, str> {
    match without_notes(text) {
        Cow::Borrowed(shown) => without_private(shown),
        Cow::Owned(shown) => Cow::Owned(without_private(&shown).into_owned()),
    }
}

fn marks(text: &str) -> usize {
    text.matches(MARK).count()
}

/// A name as it may be kept: one with a secret in it becomes a mark that is
/// always the same for it, so that those who go by the name still find it.
pub fn name(name: &str) -> Cow<'_, str> {
    if let Cow::Borrowed(_) = text(name) {
        return Cow::Borrowed(name);
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    Cow::Owned(format!("~{}", &hash.as_str()[..MARK_DIGITS]))
}

/// A note as it may be kept.
#[must_use]
pub fn note(mut note: NoteContent) -> NoteContent {
    each_of_note(&mut note, &mut cleaned);
    note
}

/// An event as it may be kept.
#[must_use]
pub fn event(mut event: LogEvent) -> LogEvent {
    if let LogEventKind::Observed(used) = &mut event.what {
        used.files.truncate(MOST_FILES);
    } else if let LogEventKind::Committed(made) = &mut event.what {
        made.files.truncate(MOST_FILES);
    }
    each(&mut event, &mut cleaned);
    event
}

/// What a text of an event is.
#[derive(Clone, Copy)]
pub(crate) enum EventTextRole {
    /// Something that was said, and how much of it is kept in characters.
    Text(usize),
    /// What something is known by.
    Name,
}

const WHOLE: EventTextRole = EventTextRole::Text(usize::MAX);

fn cleaned(value: &mut String, role: EventTextRole) {
    match role {
        EventTextRole::Text(usize::MAX) => clean(value),
        EventTextRole::Text(most) => shorten(value, most),
        EventTextRole::Name => {
            if let Cow::Owned(mark) = name(value) {
                *value = mark;
            }
        }
    }
}

/// Calls `see` for every text of an event.
pub(crate) fn each(event: &mut LogEvent, see: &mut impl FnMut(&mut String, EventTextRole)) {
    let EventContext { run, task, session, iteration: _, phase: _ } = &mut event.place;
    [run, task, session].into_iter().flatten().for_each(|name| see(name, EventTextRole::Name));
    match &mut event.what {
        LogEventKind::Noted(note) => each_of_note(note, see),
        LogEventKind::Restored(restored) => {
            each_of_note(&mut restored.note, see);
            restored.retired.iter_mut().for_each(|end| see(&mut end.why, WHOLE));
        }
        LogEventKind::Replaced { id, by, why } => {
            see(id, EventTextRole::Name);
            see(by, EventTextRole::Name);
            see(why, WHOLE);
        }
        LogEventKind::Retracted { id, why } => {
            see(id, EventTextRole::Name);
            see(why, WHOLE);
        }
        LogEventKind::Checked { .. } => {}
        LogEventKind::Attempted(tried) => {
            let told = [&mut tried.approach, &mut tried.printed, &mut tried.hunks];
            let said = told.into_iter().flatten().chain(&mut tried.failures);
            let files = tried.changes.iter_mut().map(|trace| &mut trace.file);
            said.chain(files).for_each(|it| see(it, WHOLE));
        }
        LogEventKind::Observed(used) => {
            see(&mut used.tool, EventTextRole::Text(LONGEST_ABOUT));
            see(&mut used.about, EventTextRole::Text(LONGEST_ABOUT));
            used.error.iter_mut().for_each(|error| see(error, EventTextRole::Text(LONGEST_ERROR)));
            used.files.iter_mut().for_each(|file| see(file, WHOLE));
        }
        LogEventKind::Asked { text } | LogEventKind::Answered { text } => {
            see(text, EventTextRole::Text(LONGEST_SAID));
        }
        LogEventKind::Opened { source, worktree, external } => {
            see(source, EventTextRole::Text(LONGEST_ABOUT));
            [worktree, external]
                .into_iter()
                .flatten()
                .for_each(|name| see(name, EventTextRole::Name));
        }
        LogEventKind::Closed { why, .. } => see(why, EventTextRole::Text(LONGEST_ERROR)),
        LogEventKind::Checkpointed { about, files } => {
            see(about, EventTextRole::Text(LONGEST_ERROR));
            for file in files {
                see(file, WHOLE);
            }
        }
        LogEventKind::Committed(made) => {
            see(&mut made.subject, EventTextRole::Text(LONGEST_ABOUT));
            made.files.iter_mut().for_each(|file| see(file, WHOLE));
        }
        LogEventKind::Landed { ids, .. }
        | LogEventKind::Shown { ids, .. }
        | LogEventKind::Cited { ids } => {
            for id in ids {
                see(id, EventTextRole::Name);
            }
        }
        // What is run stays what it is: half a rule finds something else.
        LogEventKind::Bound { id, check: _ }
        | LogEventKind::SeenAgain { id }
        | LogEventKind::Promoted { id, .. }
        | LogEventKind::Corrected { id }
        | LogEventKind::Forgotten { id } => see(id, EventTextRole::Name),
    }
}

fn each_of_note(note: &mut NoteContent, see: &mut impl FnMut(&mut String, EventTextRole)) {
    let NoteContent { id, kind, scope: _, title, text, why, files, anchors, since: _, .. } = note;
    see(text, WHOLE);
    for part in [title, why] {
        let Some(said) = part.as_mut().filter(|said| !said.is_empty()) else { continue };
        see(said, WHOLE);
        // Nothing that may be kept is left of it.
        part.take_if(|said| said.trim().is_empty());
    }
    for file in files {
        see(file, WHOLE);
    }
    for anchor in anchors {
        see(&mut anchor.file, WHOLE);
        anchor.symbol.iter_mut().for_each(|symbol| see(symbol, WHOLE));
    }
    see(id, EventTextRole::Name);
    let mut word = kind.word().to_owned();
    see(&mut word, EventTextRole::Name);
    *kind = NoteKind::of(&word);
    let NoteContent { external_id, prev, next, group, replaces, .. } = note;
    let names = [external_id, prev, next, group].into_iter().flatten().chain(replaces);
    names.for_each(|name| see(name, EventTextRole::Name));
}

fn clean(value: &mut String) {
    if let Cow::Owned(cleaned) = text(value) {
        *value = cleaned;
    }
}

/// Cleans a text and cuts it: the beginning says what it is about, the end
/// what came of it. What is cut out goes with what must not be kept, so that
/// no half of a secret passes for something else.
fn shorten(value: &mut String, most: usize) {
    if value.len() > LONGEST_READ {
        value.truncate(value.floor_char_boundary(LONGEST_READ));
        value.truncate(value.rfind(char::is_whitespace).unwrap_or_default());
    }
    clean(value);
    let length = value.chars().count();
    if length > most {
        let end = most / 3;
        let start = value.chars().take(most - end - 1);
        let end = value.chars().skip(length - end);
        *value = start.chain(['…']).chain(end).collect();
    }
}

/// A text without what stands between private marks; a mark that is never
/// closed hides all that follows.
fn without_private(text: &str) -> Cow<'_, str> {
    if find(text, PrivacyMarker::Opening).is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(mark) = find(rest, PrivacyMarker::Opening) {
        kept.push_str(&rest[..mark.start]);
        rest = behind_private(&rest[mark.end..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// What follows the end of a private part, which may have others in it.
fn behind_private(mut inside: &str) -> &str {
    let mut depth = 1;
    while depth > 0 {
        let Some(end) = find(inside, PrivacyMarker::Closing) else { return "" };
        depth -= 1;
        if let Some(start) = find(&inside[..end.start], PrivacyMarker::Opening) {
            depth += 2;
            inside = &inside[start.end..];
        } else {
            inside = &inside[end.end..];
        }
    }
    inside
}

/// Where a mark stands, in whatever case and with blanks around its word.
fn find(text: &str, mark: PrivacyMarker) -> Option<Range<usize>> {
    text.match_indices('<').find_map(|(start, _)| {
        let inside = text[start + 1..].trim_start();
        let inside = match mark {
            PrivacyMarker::Opening => inside,
            PrivacyMarker::Closing => inside.strip_prefix('/')?.trim_start(),
        };
        let (word, rest) = inside.split_at_checked(PRIVATE.len())?;
        let rest = rest.trim_start().strip_prefix('>')?;
        word.eq_ignore_ascii_case(PRIVATE).then(|| start..text.len() - rest.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        AttemptRecord, CommitRecord, EventActor, FileEditDigest, NoteAnchor, NoteScope,
    };

    #[track_caller]
    fn check(given: &str, want: &str) {
        assert_eq!(text(given), want);
    }

    #[test]
    fn private_parts_secrets_and_recalled_notes_are_left_out() {
        check("plain < text", "plain < text");
        check("a <private>b</private> c <PRIVATE>d</Private>e", "a  c e");
        check("a <private>b<private>c</private>d</private> e", "a  e");
        check("a <private>b<private>c</private>d", "a ");
        check("a <private>never closed", "a ");
        check("a <private >b</ private\t> c < PRIVATE>d</private>e", "a  c e");
        check("a <private b> c", "a <private b> c");
        check("a <ralph-notes>\n- old\n</ralph-notes>b", "a b");
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert!(!text(&format!("token {token} here")).contains(&token));
        let split = format!("token <private>x</private>{token}");
        assert!(!text(&split).contains(&token));
    }

    fn token() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    fn event_of(what: LogEventKind) -> LogEvent {
        let token = Some(token());
        let place = EventContext { task: token.clone(), session: token, ..EventContext::default() };
        LogEvent { at: 0, place, actor: EventActor::Agent, what }
    }

    fn hostile() -> Vec<LogEvent> {
        let token = token();
        let url = "https://u:s3cr3tpw@host/x".to_owned();
        let files = vec![format!("cfg/{token}.txt"), url];
        let anchors = vec![NoteAnchor {
            file: token.clone(),
            hash: None,
            symbol: Some(token.clone()),
            body: None,
        }];
        let name = Some(token.clone());
        let noted = NoteContent {
            files: files.clone(),
            anchors,
            external_id: name.clone(),
            prev: name.clone(),
            next: name.clone(),
            group: name.clone(),
            ..NoteContent::new(token.clone(), NoteKind::of(&token), NoteScope::Task, "x")
        };
        let trace = FileEditDigest { file: token.clone(), ..FileEditDigest::default() };
        let tried = AttemptRecord { changes: vec![trace], ..AttemptRecord::default() };
        let made = CommitRecord { files, ..CommitRecord::default() };
        let opened =
            LogEventKind::Opened { worktree: name.clone(), source: token.clone(), external: name };
        [
            LogEventKind::Noted(Box::new(noted)),
            LogEventKind::Attempted(Box::new(tried)),
            LogEventKind::Committed(Box::new(made)),
            opened,
            LogEventKind::Cited { ids: vec![token.clone()] },
            LogEventKind::SeenAgain { id: token },
        ]
        .map(event_of)
        .to_vec()
    }

    #[test]
    fn no_field_keeps_a_secret() {
        for hostile in hostile() {
            let kept = event(hostile);
            let text = serde_json::to_string(&kept).unwrap();
            assert!(!text.contains("ghp_") && !text.contains("s3cr3tpw"), "{text}");
            assert_eq!(event(kept.clone()), kept);
        }
    }

    #[test]
    fn a_name_with_a_secret_has_the_same_mark_everywhere() {
        let hostile = note(NoteContent {
            external_id: Some(token()),
            ..NoteContent::new("m1", NoteKind::Fact, NoteScope::Task, "x")
        });
        let mark = hostile.external_id.unwrap();
        assert_eq!(name(&token()), mark);
        assert_eq!(name(&mark), mark);
        assert_eq!(name("talk-7"), "talk-7");
    }

    #[test]
    fn secrets_that_are_taken_out_are_counted() {
        let token = token();
        for (given, want) in [
            ("plain text", 0),
            ("a <private>word</private>", 0),
            ("the password is [redacted:password]", 0),
            ("password=hunter2hunter2 and the token is 9f8a7c6b5d4e3f2a1b0c", 2),
            (&format!("<private>{token}</private> {token} [redacted:secret]"), 1),
        ] {
            assert_eq!(secrets(given), want, "{given}");
        }
        let why = Some("the password is Tr0ub4dor&3".to_owned());
        let given = NoteContent::new("m1", NoteKind::Fact, NoteScope::Task, token);
        assert_eq!(secrets_of_note(&NoteContent { why, ..given }), 2);
    }

    #[test]
    fn what_is_emptied_is_not_there() {
        let hidden = || Some("<private>x</private> ".to_owned());
        let given = NoteContent::new("m1", NoteKind::Fact, NoteScope::Task, "x");
        let kept = note(NoteContent { title: hidden(), why: hidden(), ..given.clone() });
        assert_eq!(kept, given);
        let empty = NoteContent { title: Some(String::new()), ..given };
        assert_eq!(note(empty.clone()), empty, "nothing was taken out of it");
    }
}
