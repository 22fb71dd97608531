//! Finds the run that a command means.

use ralph_core::locale::Locale;
use ralph_core::{Run, RunId};
use ralph_store::{RunQuery, RunStateFilter, SqliteStore};

use super::App;
use crate::loops;
use crate::user_error::UserError;

/// Most open runs of a work tree that are looked at.
const MOST_OPEN: u32 = 1000;

/// Number of characters of a task that are shown beside the id of its run.
const TASK_CHARS: usize = 60;

impl App {
    /// Finds the run that a command shows: by its id or a unique beginning of it, else
    /// the current one of this work tree.
    pub fn find_run(
        &self,
        store: &SqliteStore,
        given: Option<&str>,
    ) -> Result<Option<Run>, UserError> {
        let Some(text) = given else {
            return Ok(loops::current(store, &self.worktree())?);
        };
        if text.is_empty() || "run-".starts_with(text) {
            return Err(unknown_run(text));
        }
        if let Ok(id) = text.parse::<RunId>()
            && let Some(run) = store.run(&id)?
        {
            return Ok(Some(run));
        }
        match store.run_ids(text)?.as_slice() {
            [only] => Ok(store.run(only)?),
            [] => Err(unknown_run(text)),
            several => {
                let names: Vec<String> = several.iter().map(ToString::to_string).collect();
                let names = names.join(", ");
                Err(UserError::usage(format!("`{text}` could be {names}"))
                    .in_korean(format!("`{text}` 에 해당하는 실행이 여럿입니다: {names}"), None))
            }
        }
    }

    /// Finds the run that a command changes: by its id, else the only candidate. Active
    /// runs come before resting ones, open ones before the newest. It returns an error
    /// if several qualify.
    pub fn find_run_to_change(
        &self,
        store: &SqliteStore,
        given: Option<&str>,
    ) -> Result<Option<Run>, UserError> {
        if given.is_some() {
            return self.find_run(store, given);
        }
        let query = |which| RunQuery { worktree: Some(self.worktree()), which, limit: MOST_OPEN };
        let active = store.runs(&query(RunStateFilter::Active))?;
        let open =
            if active.is_empty() { store.runs(&query(RunStateFilter::Open))? } else { active };
        match open.as_slice() {
            [] => self.find_run(store, None),
            [only] => Ok(Some(only.clone())),
            several => Err(name_one(several)),
        }
    }

    /// Opens the store and finds the run that a command changes; an error if there is none.
    pub fn recorded_to_change(&self, given: Option<&str>) -> Result<(SqliteStore, Run), UserError> {
        let store = self.existing_store()?.ok_or_else(without_run)?;
        let run = self.find_run_to_change(&store, given)?.ok_or_else(without_run)?;
        Ok((store, run))
    }

    /// Opens the store and finds the run that a command shows; an error if there is none.
    pub fn recorded(&self, given: Option<&str>) -> Result<(SqliteStore, Run), UserError> {
        let store = self.existing_store()?.ok_or_else(without_run)?;
        let run = self.find_run(&store, given)?.ok_or_else(without_run)?;
        Ok((store, run))
    }
}

/// Makes the error for a text that names no run.
fn unknown_run(text: &str) -> UserError {
    UserError::usage(format!("there is no run `{text}`"))
        .with_hint("`ralph runs` lists them")
        .in_korean(
            format!("`{text}` 실행이 없습니다"),
            Some("`ralph runs` 로 목록을 볼 수 있습니다"),
        )
}

/// Says that there is no run.
pub fn no_run(locale: Locale) -> &'static str {
    locale.say("There is no run here.", "여기에는 실행 기록이 없습니다.")
}

/// Makes the error for a command that needs a run.
pub fn without_run() -> UserError {
    UserError::refused(no_run(Locale::En))
        .with_hint("`ralph run` starts one")
        .in_korean(no_run(Locale::Ko), Some("`ralph run` 으로 시작할 수 있습니다"))
}

/// Makes the error for a command that could mean several runs.
fn name_one(several: &[Run]) -> UserError {
    let row = |run: &Run| {
        let task: String = run.task.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let task: String = task.chars().take(TASK_CHARS).collect();
        format!("\n  {} ({}): {task}", run.id, run.state.status())
    };
    let list: String = several.iter().map(row).collect();
    let example = several.first().map(|run| run.id.as_str()).unwrap_or_default();
    UserError::usage(format!("several runs are open here:{list}"))
        .with_hint(format!("name the one you mean, such as {example}; `ralph stop --all` ends all"))
        .in_korean(
            format!("여기에 열린 루프가 여러 개 있습니다:{list}"),
            Some(&format!("{example} 처럼 루프를 지정하세요. `ralph stop --all` 은 모두 끝냅니다")),
        )
}
