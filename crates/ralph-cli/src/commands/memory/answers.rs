//! Renders answers about notes for people.

mod amounts;
mod reasons;
pub(super) mod redacted;

use std::fmt::Write;
use std::path::Path;

use ralph_core::claim::plain;
use ralph_core::line::inline;
use ralph_core::locale::Locale;
use ralph_core::memory::hydration::HydrationError;
use ralph_core::memory::label::NoteLabel;
use ralph_engine::wire::local_time;
use ralph_engine::wire::memory::actor_word;
use ralph_memory::consolidate::NoteConflict;
use ralph_memory::event::{EventActor, NoteCheck, NoteContent, NoteScope};
use ralph_memory::succession::NoteSuccession;
use ralph_memory::{GroupHit, ImportCounts, MemoryError, NoteHit, StoredNote};

use crate::texts::{one_line, table};

/// Widest text in a table, in characters.
const WIDE: usize = 80;

/// Number of damaged lines, and of conflicts, that are listed.
const FEW: usize = 10;

/// Renders answers in one language.
pub(super) struct NoteRenderer {
    locale: Locale,
}

impl NoteRenderer {
    pub(super) fn new(locale: Locale) -> Self {
        Self { locale }
    }

    fn say<'a>(&self, english: &'a str, korean: &'a str) -> &'a str {
        self.locale.say(english, korean)
    }

    fn nothing(&self) -> String {
        self.say("Nothing was found.\n", "찾은 것이 없습니다.\n").to_owned()
    }

    pub(super) fn nothing_to_show(&self) -> &'static str {
        self.locale.say(
            "No matching notes; the agent would be shown nothing.",
            "맞는 기록이 없어 에이전트에게 아무것도 보여 주지 않습니다.",
        )
    }

    /// Renders the warning that agents are shown nothing, whatever is printed.
    pub(super) fn off(&self) -> &'static str {
        self.locale.say(
            "memory.enabled is false: agents are shown nothing of this",
            "memory.enabled 가 false 이므로 에이전트에게는 아무것도 보여 주지 않습니다",
        )
    }

    pub(super) fn none_like_that(&self) -> &'static str {
        self.locale.say("No note is like that.\n", "그런 기록은 없습니다.\n")
    }

    /// Renders the answer that notes exist, but none fits into the tokens.
    pub(super) fn no_room(&self, tokens: usize) -> String {
        self.locale.say(
            format!(
                "There is something to show, but {tokens} tokens are too few for it; `--tokens` or memory.tokens gives more."
            ),
            format!(
                "보여 줄 것이 있지만 {tokens}토큰으로는 부족합니다. `--tokens` 나 memory.tokens 로 늘릴 수 있습니다."
            ),
        )
    }

    /// Renders the warning that the rules need more tokens than allowed.
    pub(super) fn long_rules(&self, error: &HydrationError) -> String {
        let HydrationError::LongRules { tokens, most } = error;
        self.locale.say(
            format!(
                "warning: the rules now take {tokens} tokens, and {most} are kept for them: agents are shown no note at all until you shorten some of `ralph memory list --kind constitution`, or raise memory.tokens"
            ),
            format!(
                "경고: 규칙이 {tokens}토큰으로 한도 {most}토큰을 넘었습니다. `ralph memory list --kind constitution` 의 규칙을 줄이거나 memory.tokens 를 늘리기 전에는 에이전트에게 어떤 기록도 보여 주지 않습니다"
            ),
        )
    }

    /// Renders the remark that the file of a note does not exist.
    pub(super) fn no_such_file(&self, file: &str) -> String {
        self.locale.say(
            format!("note: there is no file {file} in this project yet"),
            format!("참고: 이 프로젝트에 아직 {file} 파일이 없습니다"),
        )
    }

    /// Renders the reason why a duplicate note was withdrawn.
    pub(super) fn same_as(&self, first: &str) -> String {
        self.locale
            .say(format!("it says what {first} says"), format!("{first} 와(과) 같은 내용입니다"))
    }

    pub(super) fn found(
        &self,
        found: &[NoteHit],
        mut label: impl FnMut(&StoredNote) -> NoteLabel,
    ) -> String {
        if found.is_empty() {
            return self.nothing();
        }
        let header = [
            self.say("id", "아이디"),
            self.say("score", "점수"),
            self.say("kind", "종류"),
            self.say("note", "기록"),
        ];
        let rows = found.iter().map(|one| {
            let note = &one.known.note;
            let gist = marked(gist(note), label(&one.known));
            vec![note.id.clone(), format!("{:.2}", one.score), note.kind.to_string(), gist]
        });
        table(&header, rows)
    }

    pub(super) fn groups(&self, found: &[GroupHit]) -> String {
        if found.is_empty() {
            return self.nothing();
        }
        let header = [self.say("score", "점수"), self.say("group", "묶음")];
        let rows = found.iter().map(|hit| vec![format!("{:.2}", hit.score), hit.group.clone()]);
        table(&header, rows)
    }

    pub(super) fn list(
        &self,
        notes: &[StoredNote],
        mut label: impl FnMut(&StoredNote) -> NoteLabel,
    ) -> String {
        if notes.is_empty() {
            return self.say("There are no notes.\n", "기록이 없습니다.\n").to_owned();
        }
        let header = [
            self.say("id", "아이디"),
            self.say("kind", "종류"),
            self.say("scope", "범위"),
            self.say("note", "기록"),
        ];
        let rows = notes.iter().map(|known| {
            let StoredNote { note, retired, .. } = known;
            let mut gist = marked(gist(note), label(known));
            if retired.is_some() {
                gist = format!("({}) {gist}", self.say("retired", "폐기"));
            }
            vec![note.id.clone(), note.kind.to_string(), note.scope.word().to_owned(), gist]
        });
        table(&header, rows)
    }

    pub(super) fn note(
        &self,
        known: &StoredNote,
        label: NoteLabel,
        check: Option<&NoteCheck>,
    ) -> String {
        let note = &known.note;
        let mut text = String::new();
        let mut fact = |name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {}", inline(&plain(value)));
        };
        fact(self.say("id", "아이디"), &note.id);
        fact(self.say("kind", "종류"), &format!("{}, {}", note.kind, note.scope.word()));
        if let Some(external) = &note.external_id {
            let name = match known.actor {
                EventActor::Import => self.say("imported as", "원래 아이디"),
                EventActor::User | EventActor::Agent | EventActor::Ralph => self.say("key", "키"),
            };
            fact(name, external);
        }
        if let Some(title) = &note.title {
            fact(self.say("title", "제목"), &one_line(title, usize::MAX));
        }
        fact(self.say("by", "작성자"), actor_word(known.actor));
        fact(self.say("since", "시작"), &local_time(known.valid_from()));
        fact(self.say("label", "표시"), label.mark().unwrap_or(label.as_str()));
        for file in &note.files {
            fact(self.say("file", "파일"), file);
        }
        for anchor in &note.anchors {
            let symbol = anchor.symbol.as_ref().map(|symbol| format!("#{symbol}"));
            let place = format!("{}{}", anchor.file, symbol.unwrap_or_default());
            fact(self.say("look at", "근거"), &place);
        }
        if let Some(why) = &note.why {
            fact(self.say("why", "이유"), why);
        }
        match check {
            Some(NoteCheck::Test(name)) => {
                fact(self.say("checked by test", "검사하는 테스트"), name);
            }
            Some(NoteCheck::Rule(_)) => {
                let below = self.say("rules, below", "아래의 규칙");
                fact(self.say("checked by", "검사"), below);
            }
            None => {}
        }
        if let Some(end) = &known.retired {
            fact(self.say("retired", "폐기"), &format!("{} {}", local_time(end.at), end.why));
        }
        text.push('\n');
        for line in note.text.trim_end().lines() {
            let _ = writeln!(text, "{}", inline(&plain(line)));
        }
        if let Some(NoteCheck::Rule(rules)) = check {
            let _ = write!(text, "\n{}\n", rules.trim_end());
        }
        text
    }

    pub(super) fn kept(&self, known: &StoredNote) -> String {
        let NoteContent { id, kind, scope, .. } = &known.note;
        self.locale.say(
            format!("Noted {id} ({kind}, {}).\n", scope.word()),
            format!("{id} 을(를) 기록했습니다({kind}, {}).\n", scope.word()),
        )
    }

    pub(super) fn no_test(&self, name: &str) -> String {
        self.locale.say(
            format!(
                "note: no test called {name} was found; until there is one the note is broken"
            ),
            format!(
                "참고: {name} 테스트를 찾지 못했습니다. 생기기 전까지 이 기록은 어긋난 것으로 봅니다"
            ),
        )
    }

    /// Renders the effect of a user's note on older ones.
    pub(super) fn succeeds(&self, found: &NoteSuccession) -> String {
        let replaced = found.replaced.iter().map(|(id, why)| {
            self.locale.say(
                format!("It takes the place of {id} ({why}).\n"),
                format!("{id} 을(를) 대신합니다 ({why}).\n"),
            )
        });
        let against = found.against.iter().map(|id| {
            self.locale.say(
                format!("It contradicts {id} which stands: edit or forget one of the two.\n"),
                format!(
                    "{id} 와(과) 어긋나며 그것도 유효합니다: 둘 중 하나를 고치거나 잊게 하세요.\n"
                ),
            )
        });
        replaced.chain(against).collect()
    }

    /// Lists the notes that a new one may replace, the nearest first.
    pub(super) fn near(&self, near: &[StoredNote]) -> String {
        if near.is_empty() {
            return String::new();
        }
        let head = self.say(
            "Nearest notes. If it replaces one, add it again with `--replaces ID`; if it says the same, with `--same-as ID`:\n",
            "가까운 기록입니다. 대체하는 것이 있으면 `--replaces ID`, 같은 내용이면 `--same-as ID` 를 붙여 다시 기록하세요:\n",
        );
        let rows = near.iter().map(|known| format!("  {}\n", brief(known)));
        std::iter::once(head.to_owned()).chain(rows).collect()
    }

    /// Renders the question to a user about a note and the nearest ones.
    pub(super) fn which_replaced(&self, near: &[StoredNote]) -> String {
        let head = self.say("Nearest notes:\n", "가까운 기록:\n").to_owned();
        let row = |(number, known): (usize, &StoredNote)| format!("  {number}  {}\n", brief(known));
        let rows: String = (1..).zip(near).map(row).collect();
        let question = self.say(
            "Does it replace some of them? Give their numbers, `=1` if it says the same as 1, or nothing: ",
            "대체하는 기록이 있습니까? 번호를 쓰거나, 1과 같은 내용이면 `=1`, 없으면 그냥 Enter: ",
        );
        head + &rows + question
    }

    /// Lists pairs of the user's notes that contradict each other.
    pub(super) fn conflicts(&self, conflicts: &[NoteConflict]) -> String {
        let named = conflicts.iter().take(FEW).map(|NoteConflict { stands, contradicts }| {
            self.locale.say(
                format!(
                    "{contradicts} contradicts {stands} which stands: edit or forget one of the two.\n"
                ),
                format!(
                    "{contradicts} 은(는) {stands} 와(과) 어긋나며 그것도 유효합니다: 둘 중 하나를 고치거나 잊게 하세요.\n"
                ),
            )
        });
        let more = conflicts.len().saturating_sub(FEW);
        let more = (more > 0).then(|| format!("{} {more}\n", self.say("and more:", "그 외:")));
        named.chain(more).collect()
    }

    /// Renders the remark that lines of an import got another scope.
    pub(super) fn moved_lines(&self, lines: usize, scope: NoteScope) -> String {
        match (scope, self.locale) {
            (NoteScope::Project | NoteScope::Global, Locale::En) => format!(
                "lines with another scope, kept as the project's: {lines}; with --trust those of your own `export` are for all projects again"
            ),
            (NoteScope::Project | NoteScope::Global, Locale::Ko) => format!(
                "범위가 다른 {lines}줄은 이 프로젝트의 기록으로 보관합니다. 직접 내보낸 파일이면 --trust 로 모든 프로젝트용으로 보관할 수 있습니다"
            ),
            (NoteScope::Task, Locale::En) => {
                format!("lines with another scope, kept for the task: {lines}")
            }
            (NoteScope::Task, Locale::Ko) => {
                format!("범위가 다른 {lines}줄은 이 작업의 기록으로 보관합니다")
            }
        }
    }

    /// Renders the remark that files of an import are not in this project.
    pub(super) fn outside_files(&self, files: usize) -> String {
        self.locale.say(
            format!("files outside of this project, left out of their notes: {files}"),
            format!("이 프로젝트 밖의 파일 {files}개는 기록에서 제외합니다"),
        )
    }

    /// Renders the remark that rules of a trusted import do not name the user as author.
    pub(super) fn nobodys_rules(&self, rules: usize) -> String {
        self.locale.say(
            format!(
                "{rules} of them are rules that do not say that you wrote them, and are not shown to agents: `ralph memory promote ID` makes them yours"
            ),
            format!(
                "그중 {rules}개는 사용자가 썼다는 표시가 없는 규칙이라 에이전트에게 보여 주지 않습니다: `ralph memory promote ID` 로 당신의 것으로 만드세요"
            ),
        )
    }

    /// Renders the remark that rules of an untrusted import are not shown to agents.
    pub(super) fn unvouched(&self, rules: usize) -> String {
        self.locale.say(
            format!(
                "{rules} of them are rules, which are not shown to agents as long as nobody says that they are yours: `ralph memory promote ID`, or import the file again with --trust"
            ),
            format!(
                "그중 {rules}개는 규칙이며, 당신의 것이라고 하기 전에는 에이전트에게 보여 주지 않습니다: `ralph memory promote ID`, 또는 --trust 로 다시 가져오세요"
            ),
        )
    }

    pub(super) fn forgotten(&self, id: &str, lines: usize) -> String {
        self.locale.say(
            format!(
                "Forgot {id}\nLines of the log that were overwritten: {lines}. The index was rebuilt.\n"
            ),
            format!(
                "{id} 을(를) 잊었습니다.\n로그 {lines}줄을 덮어쓰고 색인을 다시 만들었습니다.\n"
            ),
        )
    }

    /// Renders the remark that a notebook could not be read, with the reason.
    pub(super) fn left_out(&self, scope: NoteScope, error: &str) -> String {
        match (scope, self.locale) {
            (NoteScope::Global, Locale::En) => {
                format!("notes for all projects are left out: {error}")
            }
            (NoteScope::Global, Locale::Ko) => {
                format!("모든 프로젝트용 기록은 제외합니다: {error}")
            }
            (NoteScope::Task | NoteScope::Project, Locale::En) => {
                format!("notes of this project are left out: {error}")
            }
            (NoteScope::Task | NoteScope::Project, Locale::Ko) => {
                format!("이 프로젝트의 기록은 제외합니다: {error}")
            }
        }
    }

    /// Renders the remark that another note has the same id and is not changed.
    pub(super) fn still_there(&self, other: &StoredNote) -> String {
        let (id, scope) = (&other.note.id, other.note.scope.word());
        self.locale.say(
            format!("another note is called {id} as well ({scope}); it stays"),
            format!("{id} 라는 다른 기록이 또 있으며 ({scope}) 그대로 둡니다"),
        )
    }

    pub(super) fn moved(&self, scope: NoteScope) -> &'static str {
        match (scope, self.locale) {
            (NoteScope::Global, Locale::En) => "it is kept for all projects now",
            (NoteScope::Global, Locale::Ko) => "이제 모든 프로젝트를 위해 보관합니다",
            (NoteScope::Task | NoteScope::Project, Locale::En) => "it is kept for one project now",
            (NoteScope::Task | NoteScope::Project, Locale::Ko) => {
                "이제 한 프로젝트를 위해 보관합니다"
            }
        }
    }

    pub(super) fn refused_line(&self, line: u64, reason: &str) -> String {
        self.locale.say(
            format!("line {line} is left out: {reason}"),
            format!("{line}번째 줄 제외: {reason}"),
        )
    }

    pub(super) fn imported(&self, done: &ImportCounts, refused: usize) -> String {
        let ImportCounts { added, updated, unchanged, kept, .. } = done;
        match (self.locale, kept) {
            (Locale::En, 0) => format!(
                "new: {added}, updated: {updated}, unchanged: {unchanged}, lines left out: {refused}\n"
            ),
            (Locale::En, kept) => format!(
                "new: {added}, updated: {updated}, unchanged: {unchanged}, kept: {kept} (as you have them here), lines left out: {refused}\n"
            ),
            (Locale::Ko, 0) => format!(
                "새 기록 {added}개, 갱신 {updated}개, 그대로 {unchanged}개, 제외된 줄 {refused}개입니다.\n"
            ),
            (Locale::Ko, kept) => format!(
                "새 기록 {added}개, 갱신 {updated}개, 그대로 {unchanged}개, 여기 있는 것을 유지 {kept}개, 제외된 줄 {refused}개입니다.\n"
            ),
        }
    }

    pub(super) fn closed(&self, place: &Path, home: &Path) -> String {
        let (place, home) = (place.display(), home.display());
        self.locale.say(
            format!("note: {place} cannot be read; notes are kept in {home}"),
            format!("참고: {place} 을(를) 읽을 수 없어 {home} 에 기록합니다"),
        )
    }

    pub(super) fn repaired(&self, damage: &MemoryError) -> String {
        self.locale.say(
            format!("{damage}; it was rebuilt from the log."),
            format!("{damage}; 로그에서 다시 만들었습니다."),
        )
    }
}

/// Adds a warning to a note's summary if the code it points at has changed.
fn marked(gist: String, label: NoteLabel) -> String {
    match label {
        NoteLabel::Stale => {
            label.mark().map_or_else(|| gist.clone(), |mark| format!("{mark} {gist}"))
        }
        NoteLabel::Verified | NoteLabel::Noted | NoteLabel::Hypothesis => gist,
    }
}

/// Returns a note's summary on one line.
fn gist(note: &NoteContent) -> String {
    one_line(note.title.as_deref().unwrap_or(&note.text), WIDE)
}

/// Renders a note on one line.
fn brief(known: &StoredNote) -> String {
    format!("{}  {}", known.note.id, one_line(&inline(&known.note.text), WIDE))
}
