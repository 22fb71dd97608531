//! What kind of task a text asks for.

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskKind {
    /// Something is wrong.
    Fix,
    /// Something is missing.
    Feature,
    /// The same in another form.
    Refactor,
    /// A test is missing.
    Test,
    /// Words for people.
    Docs,
    /// An answer.
    Question,
}

/// Beginnings of questions that no work is asked for with.
const ASKING: &str = "what why how where which who when is are was were does do did 왜 무엇 뭐 어떻게 어디 언제 누가";

/// Words of tasks, the first list that has one wins. A word with a star is a beginning.
const WORDS: &[(TaskKind, &str)] = &[
    (
        TaskKind::Fix,
        "fix fixes fixed bug bugs broken crash* fails failing regression* wrong wrongly incorrect* \
         repair* hang hangs leak leaks panics 고쳐* 고치* 버그* 오류가* 오류를* 에러가* 에러를* 실패* 깨진* 깨져* 안됨* 안돼*",
    ),
    (
        TaskKind::Refactor,
        "refactor* rename* simplify* restructure* deduplicate* reorganise* reorganize* extract inline \
         리팩터* 리팩토* 정리해* 정리하* 분리해* 분리하*",
    ),
    (TaskKind::Test, "test tests unit-test* coverage 테스트* 단위테스트*"),
    (
        TaskKind::Docs,
        "document documents docs documentation readme* changelog* docstring* tutorial* typo typos \
         문서* 주석* 설명서* 안내서*",
    ),
];

/// Words that turn "test" into something that is merely mentioned.
const ADDING: &str = "implement* support* allow* feature* 구현* 지원* 기능*";

impl TaskKind {
    /// Tells from the words of a task. What asks for nothing known is a feature.
    pub fn of(task: &str) -> Self {
        let text = task.to_lowercase();
        let words: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\''))
            .filter(|word| !word.is_empty())
            .collect();
        if is_question(&text, &words) {
            return Self::Question;
        }
        let has = |list: &str| {
            let mut entries = list.split_whitespace();
            entries.any(|entry| words.iter().any(|word| matches(word, entry)))
        };
        let found = WORDS.iter().find(|(_, list)| has(list)).map(|(kind, _)| *kind);
        match found {
            Some(Self::Test | Self::Docs) if has(ADDING) => Self::Feature,
            Some(kind) => kind,
            None => Self::Feature,
        }
    }

    /// The name in output for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Feature => "feature",
            Self::Refactor => "refactor",
            Self::Test => "test",
            Self::Docs => "docs",
            Self::Question => "question",
        }
    }
}

fn is_question(text: &str, words: &[&str]) -> bool {
    let ends = text.trim_end().ends_with(['?', '？']);
    let asks = |word: &&str| ASKING.split_whitespace().any(|asking| asking == *word);
    let korean = ["나요", "까요", "인가요", "니까", "는지"];
    let asks_korean = words.last().is_some_and(|word| korean.iter().any(|end| word.ends_with(end)));
    ends && (words.first().is_some_and(asks) || asks_korean)
}

fn matches(word: &str, entry: &str) -> bool {
    entry.strip_suffix('*').map_or(word == entry, |beginning| word.starts_with(beginning))
}
