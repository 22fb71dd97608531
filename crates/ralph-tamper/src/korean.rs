//! Descriptions of tampering in Korean.

use super::kind::TamperingKind;

impl TamperingKind {
    pub(super) fn in_korean(&self) -> String {
        match self {
            Self::TestLost { test, was } => {
                format!("테스트 `{test}`이(가) 사라졌습니다 (이전 위치: {was})")
            }
            Self::TestNotCollected { test, now } => {
                format!("테스트 `{test}`이(가) 더 이상 수집되지 않습니다: 지금은 `{now}`입니다")
            }
            Self::ModuleDetached { module } => {
                format!("테스트 모듈 `{module}`이(가) 더 이상 선언되어 있지 않습니다")
            }
            Self::SkipAdded { test, marker } => format!("`{test}`에 `{marker}` 추가됨"),
            Self::OnlyAdded { test, marker } => {
                format!("`{marker}` 때문에 `{test}`만 실행됩니다")
            }
            Self::TestEmptied { test } => format!("`{test}`의 본문이 비어 있습니다"),
            Self::AssertionRemoved { owner, assertion, was } => {
                format!("`{owner}`에서 단언문이 제거됨: `{assertion}` (이전 위치: {was})")
            }
            Self::AssertionTrivial { owner, assertion } => {
                format!("`{owner}`의 단언문은 실패할 수 없습니다: `{assertion}`")
            }
            Self::AssertionLoosened { owner, from, to } => {
                format!("`{owner}`의 단언문이 느슨해짐: `{from}` → `{to}`")
            }
            Self::AssertionSwallowed { owner, assertion } => {
                format!("`{owner}`의 단언문이 던지는 예외를 삼킵니다: `{assertion}`")
            }
            Self::AssertionConditional { owner, assertion } => {
                format!("`{owner}`의 단언문에 새 조건이 붙었습니다: `{assertion}`")
            }
            Self::CasesRemoved { test, from, to } => {
                format!("`{test}`의 사례가 {from}개에서 {to}개로 줄었습니다")
            }
            Self::SuppressionAdded { marker } => format!("경고 억제 `{marker}` 추가됨"),
            Self::CollectionChanged { marker } => {
                format!("`{marker}` 추가됨: 실행되는 테스트가 바뀝니다")
            }
            Self::SettingWeakened { setting, from, to } => {
                setting_in_korean(setting, from.as_deref(), to.as_deref())
            }
            Self::CommandWeakened { name, to: Some(to) } => {
                format!("`{name}`의 검사가 약해짐: 지금은 `{to}`입니다")
            }
            Self::CommandWeakened { name, to: None } => format!("`{name}`이(가) 사라졌습니다"),
            Self::TestChanged { test } => format!("테스트 `{test}` 수정됨"),
            Self::TestMerged { test, into } => {
                format!("테스트 `{test}`이(가) `{into}`에 합쳐졌습니다")
            }
            Self::TestRenamed { from, to } => format!("테스트 이름 변경: `{from}` → `{to}`"),
            Self::AssertionChanged { owner, from, to } => {
                format!("`{owner}`의 단언문 변경: `{from}` → `{to}`")
            }
            Self::SettingChanged { setting } => format!("`{setting}` 변경됨"),
            Self::SnapshotDeleted => "스냅샷 파일이 삭제됨".to_owned(),
            Self::FixtureDeleted => "테스트 데이터가 삭제됨".to_owned(),
            Self::ScriptChanged => "게이트의 스크립트가 변경됨".to_owned(),
            Self::ScriptDeleted => "게이트의 스크립트가 삭제됨".to_owned(),
            Self::ConfigDeleted => "검사 설정 파일이 삭제됨".to_owned(),
            Self::SnapshotChanged => "스냅샷 파일이 다시 작성됨".to_owned(),
            Self::FixtureChanged => "테스트 데이터가 수정됨".to_owned(),
        }
    }
}

fn setting_in_korean(setting: &str, from: Option<&str>, to: Option<&str>) -> String {
    let change = match (from, to) {
        (None, Some(to)) => format!(": `{to}` 추가됨"),
        (Some(from), None) => format!(": `{from}` 제거됨"),
        (Some(from), Some(to)) => format!(": {from} → {to}"),
        (None, None) => String::new(),
    };
    format!("`{setting}`의 검사가 약해짐{change}")
}
