//! Renders numbers and sizes of notes.

use std::fmt::Write;

use ralph_core::locale::Locale;
use ralph_engine::report::size;
use ralph_memory::{NoteTally, NotebookStats, SalvageReport};

use super::{FEW, NoteRenderer};
use crate::texts::{counted, table};

impl NoteRenderer {
    pub(in super::super) fn rebuilt(
        &self,
        salvage: &SalvageReport,
        stats: &NotebookStats,
    ) -> String {
        let notes = count(stats);
        let read = match self.locale {
            Locale::En => format!("Read from the log again: {}.", counted(notes, "note")),
            Locale::Ko => format!("로그에서 기록 {notes}개를 다시 읽었습니다."),
        };
        format!("{read}{}\n", self.salvaged(salvage))
    }

    /// Renders the same for the notes of all projects.
    pub(in super::super) fn rebuilt_of_all(
        &self,
        salvage: &SalvageReport,
        stats: &NotebookStats,
    ) -> String {
        let head = self.say("For all projects: ", "모든 프로젝트용: ");
        format!("{head}{}", self.rebuilt(salvage, stats))
    }

    /// Renders the result of repairing a damaged log; empty if it is whole.
    fn salvaged(&self, salvage: &SalvageReport) -> String {
        let SalvageReport { damaged, notes, missing, sessions, copy, others: _ } = salvage;
        let Some(copy) = copy else { return String::new() };
        let copy = copy.display();
        let told = match self.locale {
            Locale::En => format!(
                " {} of the log could not be read; {} came back from the index. What was replaced is in {copy}.",
                counted(*damaged, "place"),
                counted(*notes, "note")
            ),
            Locale::Ko => format!(
                " 로그 {damaged}곳을 읽을 수 없어 기록 {notes}개를 색인에서 되살렸습니다. 바꾸기 전 파일은 {copy} 에 있습니다."
            ),
        };
        let lost = match (salvage.is_whole(), self.locale) {
            (true, _) => String::new(),
            (false, Locale::En) => format!(
                " Missing: {} that neither file has, and parts of {}.",
                counted(*missing, "line"),
                counted(*sessions, "session")
            ),
            (false, Locale::Ko) => {
                format!(" 어디에도 없는 줄 {missing}개와 세션 {sessions}개의 일부를 잃었습니다.")
            }
        };
        told + &lost
    }

    /// Renders the number and size of the notes on one line.
    fn size(&self, stats: &NotebookStats) -> String {
        let notes = count(stats);
        let (log, database) = (size(stats.log_bytes), size(stats.database_bytes));
        match self.locale {
            Locale::En => {
                format!("{}, log {log}, index {database}", counted(notes, "note"))
            }
            Locale::Ko => format!("기록 {notes}개, 로그 {log}, 색인 {database}"),
        }
    }

    /// Renders the numbers for the project, and for all projects if there are notes.
    pub(in super::super) fn stats(
        &self,
        own: &NotebookStats,
        global: Option<&NotebookStats>,
    ) -> String {
        let mut text = String::new();
        let tallies = own.notes.iter().chain(global.into_iter().flat_map(|stats| &stats.notes));
        let mut tallies = tallies.peekable();
        if tallies.peek().is_some() {
            let header = [
                self.say("kind", "종류"),
                self.say("scope", "범위"),
                self.say("active", "유효"),
                self.say("retired", "폐기"),
                self.say("verified", "검증됨"),
            ];
            let row = |tally: &NoteTally| {
                let NoteTally { kind, scope, active, retired, verified } = tally;
                let counts = [active, retired, verified].map(ToString::to_string);
                [kind.clone(), scope.clone()].into_iter().chain(counts).collect()
            };
            text.push_str(&table(&header, tallies.map(row)));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", self.size(own));
        text.push_str(&self.damage(own));
        if let Some(global) = global {
            let whose = self.for_all_projects();
            let _ = writeln!(text, "{whose}: {}", self.size(global));
            text.push_str(&self.damage(global));
        }
        text
    }

    pub(in super::super) fn for_all_projects(&self) -> &'static str {
        match self.locale {
            Locale::En => "for all projects",
            Locale::Ko => "모든 프로젝트용",
        }
    }

    /// Lists the first few lines of a log that cannot be read.
    fn damage(&self, stats: &NotebookStats) -> String {
        let mut text = String::new();
        for (file, byte) in stats.damaged.iter().take(FEW) {
            let file = file.display();
            // Writing to a string cannot fail.
            let _ = match self.locale {
                Locale::En => writeln!(
                    text,
                    "a line of the log cannot be read: at byte {byte} of memory/{file}"
                ),
                Locale::Ko => {
                    writeln!(text, "읽을 수 없는 로그 줄: memory/{file} 의 {byte}번째 바이트")
                }
            };
        }
        let more = stats.damaged.len().saturating_sub(FEW);
        if more > 0 {
            let _ = writeln!(text, "{} {more}", self.say("and more:", "그 외:"));
        }
        text
    }
}

fn count(stats: &NotebookStats) -> u64 {
    stats.notes.iter().map(|one| one.active + one.retired).sum()
}
