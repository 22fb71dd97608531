//! The error of a command: its message, hint and exit code.

use std::fmt;

use ralph_core::locale::Locale;
use ralph_graph::IndexError;
use ralph_memory::MemoryError;
use ralph_snapshot::SnapshotError;
use ralph_store::StoreError;

use crate::error::EngineError;
use crate::likely::FilePredictionError;
use crate::recall::RecallError;

/// The kind of an error, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The user must change the call or the configuration: 2.
    Usage,
    /// The request is valid but cannot be met now: 1.
    Refused,
    /// A failure of ralph or the system: 3.
    Internal,
}

/// An error as the user sees it.
#[derive(Debug)]
pub struct UserError {
    /// The kind, which decides the exit code.
    pub kind: ErrorKind,
    message: String,
    hint: Option<String>,
    korean: Option<Box<KoreanMessage>>,
}

/// The message and hint in Korean.
#[derive(Debug)]
struct KoreanMessage {
    message: String,
    hint: Option<String>,
}

impl UserError {
    /// Makes an error of the call or of the configuration.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { kind: ErrorKind::Usage, message: message.to_string(), hint: None, korean: None }
    }

    /// Makes the error of a request that cannot be met now.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self { kind: ErrorKind::Refused, message: message.to_string(), hint: None, korean: None }
    }

    /// Makes an internal error, with all its causes.
    pub fn internal(error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = inner.source();
        }
        Self { kind: ErrorKind::Internal, message, hint: None, korean: None }
    }

    /// Puts the subject in front of the message.
    #[must_use]
    pub fn about(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// Adds what helps, or replaces it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds the message and hint in Korean.
    #[must_use]
    pub fn in_korean(self, message: impl Into<String>, hint: Option<&str>) -> Self {
        let korean = KoreanMessage { message: message.into(), hint: hint.map(str::to_owned) };
        Self { korean: Some(Box::new(korean)), ..self }
    }

    /// Replaces the Korean hint.
    #[must_use]
    pub fn with_korean_hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(korean) = &mut self.korean {
            korean.hint = Some(hint.into());
        }
        self
    }

    /// Renders the error in a language, or in English if it is not translated.
    pub fn said(&self, locale: Locale) -> String {
        match (locale, &self.korean) {
            (Locale::Ko, Some(korean)) => {
                let hint = korean.hint.as_ref().map(|hint| format!("\n도움말: {hint}"));
                format!("오류: {}{}", korean.message, hint.unwrap_or_default())
            }
            // Messages of the system and of libraries are not translated.
            (Locale::Ko, None) => {
                let hint = self.hint.as_ref().map(|hint| format!("\n도움말: {hint}"));
                format!("오류: {}{}", self.message, hint.unwrap_or_default())
            }
            (Locale::En, _) => self.to_string(),
        }
    }

    /// Renders the message and the hint on one line.
    pub fn in_line(&self) -> String {
        self.line_in(Locale::En)
    }

    /// Renders the same in a language.
    pub fn line_in(&self, locale: Locale) -> String {
        let (message, hint) = match (locale, &self.korean) {
            (Locale::Ko, Some(korean)) => (&korean.message, &korean.hint),
            (Locale::Ko, None) | (Locale::En, _) => (&self.message, &self.hint),
        };
        match hint {
            Some(hint) => format!("{message}; {hint}"),
            None => message.clone(),
        }
    }

    /// Returns the exit code of a command that fails with this error.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::Refused => 1,
            ErrorKind::Usage => 2,
            ErrorKind::Internal => 3,
        }
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<ralph_config::ConfigError> for UserError {
    fn from(error: ralph_config::ConfigError) -> Self {
        Self::usage(&error).in_korean(error.korean(), None)
    }
}

impl From<ralph_config::SettingsConflictError> for UserError {
    fn from(error: ralph_config::SettingsConflictError) -> Self {
        Self { hint: error.hint(), ..Self::usage(&error) }
            .in_korean(error.korean(), error.korean_hint().as_deref())
    }
}

impl From<ralph_config::JudgeError> for UserError {
    fn from(error: ralph_config::JudgeError) -> Self {
        let (korean, hint) = error.korean();
        Self { hint: error.hint(), ..Self::usage(&error) }.in_korean(korean, hint.as_deref())
    }
}

impl From<StoreError> for UserError {
    fn from(error: StoreError) -> Self {
        if let StoreError::WorktreeBusy { run } = &error {
            let hint = format!(
                "`ralph status` shows it, `ralph stop --run {run}` ends it; a linked work tree can have a run of its own"
            );
            let text = format!("this work tree already has an active run with checks: {run}");
            return Self::usage(text).with_hint(hint).in_korean(
                format!("이 작업 트리에서 이미 검사가 있는 루프가 실행 중입니다: {run}"),
                Some(&format!(
                    "`ralph status` 로 상태를 보고 `ralph stop --run {run}` 으로 끝냅니다"
                )),
            );
        }
        if let StoreError::SessionBusy { run } = &error {
            return Self::usage(format!("this session already has a loop: {run}"))
                .with_hint(format!("`ralph stop {run}` ends it"))
                .in_korean(
                    format!("이 세션에는 이미 루프가 있습니다: {run}"),
                    Some(&format!("`ralph stop {run}` 으로 끝냅니다")),
                );
        }
        if let StoreError::Stale { run } = &error {
            return Self::refused(format!("another process was faster with {run}"))
                .with_hint("`ralph status` shows where it stands")
                .in_korean(
                    format!("다른 프로세스가 {run} 을(를) 먼저 바꿨습니다"),
                    Some("`ralph status` 로 상태를 볼 수 있습니다"),
                );
        }
        Self { hint: error.hint(), ..Self::internal(&error) }
    }
}

impl From<EngineError> for UserError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Glob(error) => Self::usage(error.to_string()),
            EngineError::Store(error) => error.into(),
            EngineError::Owned { ref run, .. } => {
                let hint = format!("`ralph stop --run {run}` ends it");
                Self::refused(&error).with_hint(hint).in_korean(
                    format!("{run} 은(는) 다른 프로세스가 진행 중입니다"),
                    Some(&format!("`ralph stop --run {run}` 으로 끝낼 수 있습니다")),
                )
            }
            EngineError::NotResumable { ref run, status } => {
                let hint = format!(
                    "`ralph report {run}` shows how it ended; start a new one with `ralph run`"
                );
                Self::refused(&error).with_hint(hint).in_korean(
                    format!("{run} 은(는) 이미 끝나서({status}) 계속할 수 없습니다"),
                    Some(&format!(
                        "`ralph report {run}` 로 경과를 보고 `ralph run` 으로 새로 시작하세요"
                    )),
                )
            }
            EngineError::Hosted { ref run, .. } => {
                let hint = format!("`ralph resume {run} --agent NAME` takes it over");
                Self::refused(&error).with_hint(hint).in_korean(
                    format!("{run} 은(는) 세션의 루프입니다"),
                    Some(&format!("`ralph resume {run} --agent 이름` 으로 이어받을 수 있습니다")),
                )
            }
            EngineError::TakenOver { ref run } => Self::refused(&error)
                .in_korean(format!("{run} 을(를) 다른 프로세스가 이어받았습니다"), None),
            EngineError::Snapshot(error) => error.into(),
            EngineError::Process(_) | EngineError::Tree(_) | EngineError::Write { .. } => {
                Self::internal(&error)
            }
        }
    }
}

impl From<SnapshotError> for UserError {
    fn from(error: SnapshotError) -> Self {
        let (korean, hint) = match &error {
            SnapshotError::Tree(_) => return Self::internal(&error),
            SnapshotError::Unknown { run, label } => (
                format!("{run} 에는 스냅샷 {label} 이(가) 없습니다"),
                Some("`ralph snapshots` 로 목록을 볼 수 있습니다".to_owned()),
            ),
            SnapshotError::NothingToUndo { run } => (
                format!("{run} 에는 취소할 되돌리기가 없습니다"),
                Some(format!("`ralph rollback {run}` 으로 다시 되돌릴 수 있습니다")),
            ),
            SnapshotError::Pending { run, to } => (
                format!("{run} 을(를) {to} 로 되돌리다가 중단되어 끝나지 않았습니다"),
                Some(format!("`ralph rollback {run}` 으로 마칩니다")),
            ),
            SnapshotError::Apart { labels: [one, other] } => {
                (format!("스냅샷 {one} 과 {other} 은(는) 서로 다른 곳에 있습니다"), None)
            }
            SnapshotError::Closed { label } => (
                format!("스냅샷 {label} 은(는) 지금 쓸 수 없는 저장소에 있습니다"),
                Some("`.git` 안의 `objects` 폴더를 쓸 수 있게 하세요".to_owned()),
            ),
            SnapshotError::PlanOutdated => (
                "되돌리기를 계획한 뒤에 파일이 바뀌었습니다".to_owned(),
                Some("그곳에 쓰는 것이 없을 때 다시 실행하세요".to_owned()),
            ),
        };
        Self { hint: error.hint(), ..Self::refused(&error) }.in_korean(korean, hint.as_deref())
    }
}

impl From<std::io::Error> for UserError {
    fn from(error: std::io::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<IndexError> for UserError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            IndexError::Root { .. } => Self::internal(&error),
        }
    }
}

impl From<MemoryError> for UserError {
    fn from(error: MemoryError) -> Self {
        let hint = error.hint();
        let base = if let MemoryError::Refused { .. } = &error {
            Self::usage(&error)
        } else {
            Self::internal(&error)
        };
        match hint {
            Some(hint) => base.with_hint(hint),
            None => base,
        }
    }
}

impl From<FilePredictionError> for UserError {
    fn from(error: FilePredictionError) -> Self {
        match error {
            FilePredictionError::NoCommits(error) => Self::refused(&error)
                .with_hint("`ralph memory files` answers from the code and notes alone"),
            FilePredictionError::Git(error) => Self::internal(&error),
            FilePredictionError::Memory(error) => {
                let hint = error.hint();
                let told = Self::internal(&error);
                match hint {
                    Some(hint) => told.with_hint(hint),
                    None => told,
                }
            }
            FilePredictionError::Code(error) => error.into(),
        }
    }
}

impl From<RecallError> for UserError {
    fn from(error: RecallError) -> Self {
        let hint = error.hint();
        let error = match error {
            RecallError::Memory(error) => return error.into(),
            RecallError::Hydration(_) => Self::refused(error.to_string()),
        };
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}
