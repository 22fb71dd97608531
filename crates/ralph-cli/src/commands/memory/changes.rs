//! `ralph memory add`, `edit` and `forget`.

use std::io::{self, IsTerminal, Read};
use std::path::Path;

use ralph_engine::wire::memory as wire;
use ralph_memory::event::{EventActor, LogEventKind, NoteAnchor, NoteContent, NoteKind, NoteScope};
use ralph_memory::log::EventLog;
use ralph_memory::succession::NEAREST;
use ralph_memory::succession::NoteSuccession;
use ralph_memory::{BOTH, MemoryError, NoteTexts, StoredNote, anchor, clean, new_id};

use super::answers::redacted;
use super::binding::NoteCheckArgs;
use super::books::{UserNotebooks, refuse_retired, refused_choice};
use super::choice::ChoiceArgs;
use super::context;
use crate::error::CliError;
use crate::out;

/// Note something
///
/// What an agent notes in one of its turns is on trial: it is for the present
/// task until it has proven itself or you promote it. You are shown the nearest
/// notes, as only you know whether one of them does not hold any more.
#[derive(clap::Args, Debug)]
pub(crate) struct AddArgs {
    /// What it says (`-` and default: read from standard input)
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// What it is about: `constitution` (shown always), `skill`, `pattern`, `gotcha`, `decision`,
    /// `discovery`, `command`, `fact`, `failure`, `approach` (default: `fact`)
    #[arg(long, value_name = "KIND", value_parser = super::kind)]
    kind: Option<NoteKind>,
    /// For whom it is: `task`, `project`, or `global` for all your projects (default: `project`)
    #[arg(long, value_name = "SCOPE", value_parser = super::scope)]
    scope: Option<NoteScope>,
    #[command(flatten)]
    more: MoreArgs,
    #[command(flatten)]
    check: NoteCheckArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Edit a note
///
/// Only what is given changes.
#[derive(clap::Args, Debug)]
pub(crate) struct EditArgs {
    /// The note
    #[arg(value_name = "ID")]
    id: String,
    /// What it says (`-` reads standard input)
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// What it is about
    #[arg(long, value_name = "KIND", value_parser = super::kind)]
    kind: Option<NoteKind>,
    #[command(flatten)]
    more: MoreArgs,
    #[command(flatten)]
    check: NoteCheckArgs,
    /// Take its check away: from now on it is only told
    #[arg(long, conflicts_with_all = ["rule", "test"])]
    no_check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a note has beside its text.
#[derive(clap::Args, Debug)]
struct MoreArgs {
    /// What it says in a few words
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// Why it is so
    #[arg(long, value_name = "REASON")]
    why: Option<String>,
    /// A file it is about
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// Where to look to see that it is so; the note is stale once that changes
    #[arg(long, value_name = "FILE[#SYMBOL]")]
    anchor: Vec<String>,
}

/// Forget a note for good
///
/// Its text is overwritten in the log, and the search index is rebuilt.
#[derive(clap::Args, Debug)]
pub(crate) struct ForgetArgs {
    /// The note
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl MoreArgs {
    /// Counts the secrets in the options.
    fn secrets(&self) -> usize {
        let texts = self.title.iter().chain(&self.why).chain(&self.file);
        texts.map(|text| clean::secrets(text)).sum()
    }

    /// Copies the options into a note.
    fn fill(&self, books: &UserNotebooks<'_>, note: &mut NoteContent) -> Result<(), CliError> {
        if let Some(title) = &self.title {
            note.title = Some(title.clone()).filter(|title| !title.trim().is_empty());
        }
        if let Some(why) = &self.why {
            note.why = Some(why.clone()).filter(|why| !why.trim().is_empty());
        }
        if note.scope == NoteScope::Global && !(self.anchor.is_empty() && self.file.is_empty()) {
            return Err(CliError::usage(
                "a note for all projects cannot point at a file of one: elsewhere it is another file, or none",
            )
            .with_hint("leave out `--anchor` and `--file`, or note it for this project").in_korean("모든 프로젝트용 메모는 한 프로젝트의 파일을 가리킬 수 없습니다. 다른 곳에서는 다른 파일이거나 없는 파일입니다", Some("`--anchor` 와 `--file` 을 빼거나 이 프로젝트의 메모로 남기세요")));
        }
        if !self.anchor.is_empty() {
            let anchors = self.anchor.iter().map(|text| point(books, text));
            note.anchors = anchors.collect::<Result<_, _>>()?;
        }
        if !self.file.is_empty() || !self.anchor.is_empty() {
            let given = self.file.iter().map(|file| books.file_of_note(file));
            let given = given.collect::<Result<Vec<_>, _>>()?;
            let pointed = note.anchors.iter().map(|anchor| anchor.file.clone());
            let mut files: Vec<String> = Vec::new();
            for file in given.into_iter().chain(pointed) {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
            note.files = files;
        }
        Ok(())
    }
}

fn point(books: &UserNotebooks<'_>, text: &str) -> Result<NoteAnchor, CliError> {
    let (file, symbol) = match text.split_once('#') {
        Some((file, symbol)) => (file, Some(symbol)),
        None => (text, None),
    };
    let file = books.relative_to_root(file);
    anchor::drop_at(&books.app.project.root, &file, symbol).map_err(|_| {
        CliError::usage(format!("there is no `{text}` in this project to point at"))
            .with_hint("name a file below the root of the project, and what it defines")
            .in_korean(
                format!("이 프로젝트에는 가리킬 `{text}` 이(가) 없습니다"),
                Some("프로젝트 루트 아래의 파일과 그 안의 정의를 적으세요"),
            )
    })
}

pub(super) fn add(books: &UserNotebooks<'_>, args: &AddArgs) -> Result<u8, CliError> {
    let writer = books.writer();
    let scope = match (writer.actor, args.scope) {
        (EventActor::User, scope) => scope.unwrap_or(NoteScope::Project),
        (
            EventActor::Agent | EventActor::Ralph | EventActor::Import,
            None | Some(NoteScope::Task),
        ) => NoteScope::Task,
        (
            EventActor::Agent | EventActor::Ralph | EventActor::Import,
            Some(NoteScope::Project | NoteScope::Global),
        ) => {
            return Err(CliError::refused("an agent notes for its task alone")
                .with_hint("leave out `--scope`; the user may promote the note")
                .in_korean(
                    "에이전트는 자기 작업의 메모만 남길 수 있습니다",
                    Some("`--scope` 를 빼세요. 사용자가 메모를 승격할 수 있습니다"),
                ));
        }
    };
    let given = given_text(args.text.as_deref())?;
    let text = clean::text(given.trim()).trim().to_owned();
    if text.is_empty() {
        return Err(
            CliError::usage("the note says nothing").in_korean("메모가 비어 있습니다", None)
        );
    }
    let check = args.check.read(books, scope)?;
    let usual = if check.is_some() { NoteKind::Pattern } else { NoteKind::Fact };
    let kind = args.kind.clone().unwrap_or(usual);
    if kind == NoteKind::Constitution {
        books.only_for_the_user("say what holds always")?;
    }
    books.refuse_elsewhere(scope)?;
    let id = new_id(&kind, args.more.title.as_deref(), &text);
    let mut draft = books.notes.draft(NoteContent::new(id, kind, scope, text))?;
    draft.check = check;
    if let Some(known) = draft.before.as_ref().filter(|_| args.kind.is_none()) {
        draft.note.kind = known.note.kind.clone();
    }
    args.more.fill(books, &mut draft.note)?;
    let mut near = books.notes.nearest(&draft.note)?;
    near.truncate(NEAREST);
    let choice = args.choice.or_asked(books, &near, args.json)?;
    let secrets = clean::secrets(&given) + args.more.secrets();
    let added = books.notes.add(draft, &choice, &writer).map_err(refused_choice)?;
    let is_left =
        |known: &StoredNote| !added.older.replaced.iter().any(|(old, _)| *old == known.note.id);
    near.retain(|known| choice.same_as.is_none() && is_left(known));
    let scope = added.scope;
    let written = WrittenNote { scope, id: &added.id, secrets, older: &added.older, near: &near };
    tell(books, args.json, written)?;
    Ok(0)
}

pub(super) fn edit(books: &UserNotebooks<'_>, args: &EditArgs) -> Result<u8, CliError> {
    let (scope, known) = books.find(&args.id)?;
    let writer = books.writer();
    if !known.is_own_of(&writer.place) {
        books.only_for_the_user("change notes that are not its own")?;
    }
    refuse_retired(&known)?;
    let mut note = known.note.clone();
    let mut secrets = args.more.secrets();
    if let Some(text) = &args.text {
        let text = given_text(Some(text))?;
        secrets += clean::secrets(&text);
        clean::text(text.trim()).trim().clone_into(&mut note.text);
    }
    if note.text.is_empty() {
        return Err(CliError::usage("the note says nothing")
            .with_hint("`ralph memory forget` removes a note")
            .in_korean("메모가 비어 있습니다", Some("`ralph memory forget` 은 메모를 지웁니다")));
    }
    if let Some(kind) = &args.kind {
        if *kind == NoteKind::Constitution {
            books.only_for_the_user("say what holds always")?;
        }
        note.kind = kind.clone();
    }
    args.more.fill(books, &mut note)?;
    let bound = bound(books, args, scope, &mut note)?;
    // The author of a check confirms the note.
    let is_said = bound.is_some() && known.actor != EventActor::User;
    if note == known.note && bound.is_none() {
        return Err(CliError::usage("nothing would change")
            .with_hint("give a text or one of the options in `ralph memory edit --help`")
            .in_korean(
                "바뀌는 것이 없습니다",
                Some("텍스트나 `ralph memory edit --help` 의 옵션을 주세요"),
            ));
    }
    // A changed text is the caller's; a title or a file does not change the author.
    let says = note.text != known.note.text && writer.actor == EventActor::User;
    let older = if says { books.notes.succession(&note)? } else { NoteSuccession::default() };
    let id = &known.note.id;
    let noted = (note != known.note || is_said).then(|| LogEventKind::Noted(Box::new(note)));
    let events = noted.into_iter().chain(bound).chain(older.events(id));
    books.refuse_elsewhere(scope)?;
    books.notes.write(scope, events.collect(), &writer)?;
    tell(books, args.json, WrittenNote { scope, id, secrets, older: &older, near: &[] })?;
    for (place, other) in books.notes.find(id)? {
        if place != scope && other.retired.is_none() {
            out::note(books.answers.still_there(&other));
        }
    }
    Ok(0)
}

/// Changes the check of a note. A note with a check is no longer limited to a task.
fn bound(
    books: &UserNotebooks<'_>,
    args: &EditArgs,
    home: NoteScope,
    note: &mut NoteContent,
) -> Result<Option<LogEventKind>, CliError> {
    let id = note.id.clone();
    if args.no_check {
        books.only_for_the_user("take the check of a note away")?;
        let has = books.notes.with(home, |notebook| notebook.check_of(&id))?.is_some();
        return Ok(has.then_some(LogEventKind::Bound { id, check: None }));
    }
    let scope = if note.scope == NoteScope::Task { NoteScope::Project } else { note.scope };
    let check = args.check.read(books, scope)?;
    if check.is_some() {
        note.scope = scope;
    }
    Ok(check.map(|check| LogEventKind::Bound { id, check: Some(check) }))
}

pub(super) fn forget(books: &UserNotebooks<'_>, args: &ForgetArgs) -> Result<u8, CliError> {
    books.only_for_the_user("forget notes")?;
    let (_, meant) = books.find(&args.id)?;
    let id = &meant.note.id;
    // The same file name may mean another file in another project.
    let is_meant = |(_, known): &(NoteScope, StoredNote)| known.note.text == meant.note.text;
    let (found, others): (Vec<_>, Vec<_>) = books.notes.find(id)?.into_iter().partition(is_meant);
    let lines = forget_in(books, &found)?;
    super::print(args.json.then(|| wire::forgotten(id, lines)), || {
        books.answers.forgotten(id, lines)
    });
    for (_, other) in others {
        out::note(books.answers.still_there(&other));
    }
    Ok(0)
}

/// Forgets notes; returns the number of lines that were overwritten.
///
/// Copies of their text go first, in every notebook: they can only be found while the
/// notes exist. So an interrupted call can be repeated.
fn forget_in(
    books: &UserNotebooks<'_>,
    found: &[(NoteScope, StoredNote)],
) -> Result<usize, CliError> {
    let mut words = NoteTexts::default();
    for (scope, known) in found {
        EventLog::new(books.notes.home(*scope)).probe().map_err(MemoryError::from)?;
        words.extend(books.notes.with(*scope, |notebook| notebook.words_of(&known.note.id))?);
    }
    let is_closed = |scope: &NoteScope| EventLog::new(books.notes.home(*scope)).is_read_only();
    let (closed, open): (Vec<NoteScope>, Vec<NoteScope>) = BOTH.into_iter().partition(is_closed);
    for scope in closed {
        if books.ask(scope, |notebook| notebook.has_repeated(&words))? == Some(true) {
            return Err(repeated_in(books.notes.home(scope)));
        }
    }
    let mut lines = 0;
    for scope in open {
        lines += books.ask(scope, |notebook| notebook.silence(&words))?.unwrap_or_default();
    }
    for (scope, known) in found {
        lines += books.notes.with(*scope, |notebook| notebook.forget(&known.note.id))?;
    }
    Ok(lines)
}

/// Makes the error for copies of a note's text in a read-only notebook.
fn repeated_in(home: &Path) -> CliError {
    let home = home.display();
    CliError::refused(format!("{home} repeats what it says and cannot be written to"))
        .with_hint("nothing was forgotten; call it again where that can be written to")
        .in_korean(
            format!("{home} 에 같은 내용이 있지만 쓸 수 없습니다"),
            Some("아무것도 지우지 않았습니다. 그곳에 쓸 수 있을 때 다시 실행하세요"),
        )
}

/// A note that was just written, and the other notes that are shown with it.
pub(super) struct WrittenNote<'a> {
    pub(super) scope: NoteScope,
    pub(super) id: &'a str,
    /// Number of secrets that were removed from it.
    pub(super) secrets: usize,
    pub(super) older: &'a NoteSuccession,
    /// Notes that it may replace, the nearest first.
    pub(super) near: &'a [StoredNote],
}

#[expect(clippy::fn_params_excessive_bools, reason = "it is the option of the command line")]
pub(super) fn tell(
    books: &UserNotebooks<'_>,
    json: bool,
    WrittenNote { scope, id, secrets, older, near }: WrittenNote<'_>,
) -> Result<(), CliError> {
    let gone = || {
        CliError::refused(format!("note {id} was forgotten in the meantime"))
            .in_korean(format!("그 사이에 메모 {id} 이(가) 지워졌습니다"), None)
    };
    let (known, check) =
        books.notes.with(scope, |notebook| Ok((notebook.get(id)?, notebook.check_of(id)?)))?;
    let known = known.ok_or_else(gone)?;
    let label = books.labels()(&known);
    let json = json.then(|| {
        let mut json = wire::note(&known, label, check.as_ref());
        json["replaced"] = older.replaced.iter().map(|(id, _)| id.as_str()).collect();
        json["contradicts"] = older.against.iter().map(String::as_str).collect();
        json["pending"] = known.note.replaces.iter().map(String::as_str).collect();
        json["nearest"] = near.iter().map(wire::brief).collect();
        redacted::counted(json, secrets)
    });
    super::print(json, || {
        let answers = &books.answers;
        answers.kept(&known) + &answers.succeeds(older) + &answers.near(near)
    });
    books.answers.redacted(secrets);
    if known.note.kind == NoteKind::Constitution {
        context::warn_of_long_rules(books)?;
    }
    Ok(())
}

/// Returns the text of the command line, else of standard input.
fn given_text(text: Option<&str>) -> Result<String, CliError> {
    if let Some(text) = text.filter(|text| *text != "-") {
        return Ok(text.to_owned());
    }
    if io::stdin().is_terminal() {
        return Err(CliError::usage("what is to be noted?")
            .with_hint("give a text")
            .in_korean("무엇을 메모할까요?", Some("텍스트를 주세요")));
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| {
        CliError::usage("standard input is not UTF-8")
            .in_korean("표준 입력이 UTF-8 이 아닙니다", None)
    })
}

/// Most bytes read from standard input; a note is shorter.
const MOST_INPUT: u64 = 4 << 20;
