//! Korean words by what a developer means with them: stems without particles
//! and endings, and the English word for those that projects write both ways.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Particles and endings that a noun may carry, longest first.
const ENDINGS: &[&str] = &[
    "에서만",
    "에서는",
    "으로만",
    "이어야",
    "입니다",
    "합니다",
    "됩니다",
    "습니다",
    "이라도",
    "까지는",
    "에서도",
    "에게는",
    "에서",
    "으로",
    "이다",
    "이며",
    "이고",
    "한다",
    "된다",
    "하고",
    "하며",
    "해서",
    "에는",
    "에도",
    "로는",
    "로만",
    "까지",
    "부터",
    "마다",
    "에게",
    "한테",
    "처럼",
    "보다",
    "라도",
    "이나",
    "이면",
    "하는",
    "되는",
    "하면",
    "되면",
    "해야",
    "돼야",
    "하지",
    "되지",
    "하기",
    "되기",
    "함",
    "됨",
    "임",
    "을",
    "를",
    "은",
    "는",
    "이",
    "가",
    "에",
    "의",
    "로",
    "도",
    "만",
    "와",
    "과",
    "한",
    "할",
    "된",
    "될",
    "다",
    "나",
    "씩",
    "해",
    "돼",
    "어야",
    "아야",
    "어",
    "아",
    "는다",
    "었다",
    "았다",
    "했다",
    "됐다",
    "하려면",
    "할때",
];

/// What marks the word that a sentence is about.
const TOPIC: &[&str] = &["은", "는", "이", "가", "에는", "에서는"];

/// Beginnings of Korean words and the English word for each.
const WORDS: &[(&str, &str)] = &[
    ("test", "테스트 시험"),
    ("unit", "단위"),
    ("integration", "통합"),
    ("frontend", "프론트엔드 프런트엔드 프론트"),
    ("backend", "백엔드"),
    ("deploy", "배포 디플로이"),
    ("log", "로그 로깅"),
    ("text", "텍스트"),
    ("format", "형식 포맷 포매터"),
    ("port", "포트"),
    ("server", "서버"),
    ("client", "클라이언트"),
    ("configuration", "설정 환경설정 구성 컨피그"),
    ("file", "파일"),
    ("directory", "디렉터리 디렉토리 폴더"),
    ("start", "시작 기동 부팅 켜 켤 켜질"),
    ("stop", "중지 종료 멈추 멈춘 꺼 끄"),
    ("load", "읽 로드 로딩 불러"),
    ("generate", "생성 만든 만들 제너"),
    ("code", "코드 소스"),
    ("change", "수정 고치 고쳐 변경 편집 바꾸 바꿔 바꾼"),
    ("manual", "직접 손으로 수동 수작업"),
    ("automatic", "자동"),
    ("skip", "건너뛰 건너뛴 건너뜀 무시 생략 제외"),
    ("row", "행 로우"),
    ("column", "열이 컬럼 칼럼"),
    ("approve", "승인 어프루브"),
    ("review", "리뷰 검토"),
    ("pr", "풀리퀘스트 풀리퀘"),
    ("merge", "머지 병합"),
    ("branch", "브랜치 가지"),
    ("commit", "커밋"),
    ("push", "푸시"),
    ("migration", "마이그레이션 이관"),
    ("seed", "시드"),
    ("insert", "넣 삽입 추가"),
    ("before", "전에 전 이전 먼저 앞서"),
    ("after", "뒤에 뒤 후에 후 이후 다음에 나서"),
    ("finish", "끝난 끝나 완료 마친 마치"),
    ("require", "필요 필수 요구 있어야"),
    ("allow", "허용 가능 괜찮 허락"),
    ("forbid", "금지 불가 불허"),
    ("staging", "스테이징"),
    ("production", "운영 프로덕션 상용 라이브"),
    ("development", "개발"),
    ("database", "데이터베이스 디비"),
    ("importer", "임포터"),
    ("exporter", "익스포터"),
    ("email", "이메일 메일"),
    ("application", "애플리케이션 어플리케이션 앱"),
    ("api", "에이피아이"),
    ("user", "사용자 유저 이용자"),
    ("account", "계정"),
    ("admin", "관리자 어드민"),
    ("tenant", "테넌트"),
    ("step", "단계 스텝"),
    ("use", "쓴 쓰 쓸 써 씀 사용 이용"),
    ("run", "돌린 돌아간 돌아가 돌려 돌리 돈다 실행 구동 수행 동작"),
    ("build", "빌드 컴파일"),
    ("cache", "캐시"),
    ("session", "세션"),
    ("token", "토큰"),
    ("timeout", "타임아웃 제한시간 시간제한"),
    ("limit", "제한 한도 상한"),
    ("maximum", "최대"),
    ("minimum", "최소"),
    ("default", "기본 기본값 디폴트"),
    ("value", "값"),
    ("key", "키"),
    ("store", "저장 보관 보존 남긴 남기 둔다 두고 둔 있다"),
    ("delete", "삭제 지운 지우 지워 제거 없앴 없앤 폐기"),
    ("retry", "재시도"),
    ("request", "요청 리퀘스트"),
    ("response", "응답"),
    ("error", "에러 오류 예외"),
    ("fail", "실패 깨진 깨져"),
    ("pass", "통과 성공"),
    ("version", "버전"),
    ("package", "패키지"),
    ("dependency", "의존성 의존"),
    ("library", "라이브러리"),
    ("module", "모듈"),
    ("function", "함수"),
    ("class", "클래스"),
    ("type", "타입 자료형"),
    ("table", "테이블 표"),
    ("index", "인덱스 색인"),
    ("query", "쿼리 질의"),
    ("transaction", "트랜잭션"),
    ("lock", "락 잠금"),
    ("queue", "큐 대기열"),
    ("worker", "워커 작업자"),
    ("job", "잡 작업 배치"),
    ("schedule", "스케줄 예약"),
    ("nightly", "야간 매일밤"),
    ("daily", "매일 하루"),
    ("weekly", "매주"),
    ("monday", "월요일"),
    ("tuesday", "화요일"),
    ("wednesday", "수요일"),
    ("thursday", "목요일"),
    ("friday", "금요일"),
    ("saturday", "토요일"),
    ("sunday", "일요일"),
    ("midnight", "자정"),
    ("backup", "백업"),
    ("image", "이미지"),
    ("container", "컨테이너"),
    ("docker", "도커"),
    ("documentation", "문서"),
    ("comment", "주석 댓글 코멘트"),
    ("message", "메시지 메세지"),
    ("header", "헤더"),
    ("path", "경로 패스"),
    ("environment", "환경"),
    ("variable", "변수"),
    ("secret", "비밀 시크릿"),
    ("password", "비밀번호 암호 패스워드"),
    ("permission", "권한"),
    ("authentication", "인증"),
    ("encrypt", "암호화"),
    ("time", "시각"),
    ("timezone", "시간대 타임존"),
    ("date", "날짜 일자"),
    ("region", "리전 지역"),
    ("owner", "담당 소유 책임"),
    ("team", "팀"),
    ("on", "켜져 활성"),
    ("off", "꺼져 비활성"),
    ("lint", "린트 린터"),
    ("warning", "경고"),
    ("check", "검사 확인 검증 체크"),
    ("page", "페이지 화면"),
    ("upload", "업로드"),
    ("download", "다운로드 내려받"),
    ("size", "크기 사이즈 용량"),
    ("count", "개수 갯수 수는"),
    ("release", "릴리스 릴리즈 출시"),
    ("tag", "태그"),
    ("name", "이름 명칭"),
    ("rename", "개명"),
    ("return", "반환 리턴 돌려준"),
    ("call", "호출 부른 부르"),
    ("list", "목록 리스트"),
    ("sort", "정렬"),
    ("first", "처음 첫 최초"),
    ("last", "마지막 최근"),
    ("newest", "최신"),
    ("replace", "대체 교체"),
    ("move", "옮긴 옮겼 옮겨 이전했 이동"),
    ("switch", "전환 갈아"),
    ("separate", "별도 따로"),
    ("same", "같은 동일"),
    ("all", "모든 전체 모두 전부"),
    ("only", "오직 뿐"),
    ("one", "하나 한번"),
    ("two", "둘 두개"),
    ("now", "이제 지금 현재"),
    ("slow", "느린 느리 느려"),
    ("fast", "빠른 빠르"),
    ("open", "열린 열려 여는"),
    ("close", "닫는 닫아 닫힌"),
    ("local", "로컬"),
    ("remote", "원격"),
    ("memory", "메모리"),
    ("disk", "디스크"),
    ("service", "서비스"),
    ("project", "프로젝트"),
    ("repository", "저장소 레포 리포지토리 리포"),
    ("script", "스크립트"),
    ("command", "명령어 명령 커맨드"),
    ("flag", "플래그"),
    ("option", "옵션 선택"),
    ("object", "객체 오브젝트"),
    ("string", "문자열"),
    ("number", "숫자 번호"),
    ("event", "이벤트"),
    ("topic", "토픽"),
    ("order", "주문"),
    ("payment", "결제"),
    ("billing", "청구 과금"),
    ("customer", "고객"),
    ("product", "상품 제품"),
    ("search", "검색"),
    ("snapshot", "스냅샷"),
    ("mock", "목업 모킹"),
    ("fixture", "픽스처"),
    ("browser", "브라우저"),
    ("mobile", "모바일"),
    ("web", "웹"),
    ("screen", "스크린"),
    ("button", "버튼"),
    ("translation", "번역"),
    ("language", "언어"),
    ("korean", "한국어"),
    ("english", "영어"),
    ("python", "파이썬"),
    ("java", "자바"),
    ("typescript", "타입스크립트"),
    ("javascript", "자바스크립트"),
    ("rust", "러스트"),
    ("redis", "레디스"),
    ("kafka", "카프카"),
    ("writer", "작성자"),
    ("write", "작성 쓰기 기록 적는 적어"),
    ("follow", "따른 따르 따라"),
    ("send", "보낸 보내 전송 발송"),
    ("receive", "받는 받아 수신"),
    ("monitor", "모니터링 감시"),
    ("alert", "알림 경보"),
    ("rollback", "롤백 되돌"),
    ("connect", "연결 접속"),
    ("pool", "풀은 커넥션풀"),
    ("thread", "스레드 쓰레드"),
    ("parallel", "병렬"),
    ("sequential", "순차"),
    ("clear", "비우 비워 비운"),
    ("see", "보 볼 봐 본 보려면"),
    ("login", "로그인"),
    ("increase", "늘렸 늘린 늘려 올렸 올린"),
    ("decrease", "줄였 줄인 낮췄"),
    ("until", "까지"),
    ("proceed", "진행"),
    ("not", "않 못 말 마라 마세요 안 아니 아닌 없이 없 미"),
];

/// Whether a text is written in Hangul alone.
pub(super) fn is_hangul(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| ('가'..='힣').contains(&c))
}

/// Whether a word carries the mark of what the sentence is about.
pub(super) fn is_topic(text: &str) -> bool {
    text.chars().next_back().is_some_and(|c| ('가'..='힣').contains(&c))
        && TOPIC.iter().any(|mark| text.ends_with(mark))
        && text.chars().count() > 1
}

/// Whether a text is nothing but a particle or an ending.
pub(super) fn is_ending(text: &str) -> bool {
    ENDINGS.contains(&text) || matches!(text, "이다" | "것" | "수" | "있다" | "시" | "딱")
}

/// The words that a Korean word stands for: English where there is one.
pub(super) fn read(word: &str) -> Vec<String> {
    if let Some(found) = negated(word) {
        return found;
    }
    let bare = without_ending(word);
    for text in [bare, word] {
        if let Some(found) = translated(text) {
            return vec![found.to_owned()];
        }
    }
    vec![bare.to_owned()]
}

/// A verb that denies itself: "하지 않는다", "없다" and what is joined to them.
fn negated(word: &str) -> Option<Vec<String>> {
    let begins = ["않", "없", "못", "마라", "마세요", "말아", "말고", "아니", "아닌"];
    if begins.iter().any(|one| word.starts_with(one)) || matches!(word, "안" | "말" | "마") {
        return Some(vec!["not".to_owned()]);
    }
    let at = ["지않", "지마", "지말", "없이", "없는"].iter().find_map(|mark| word.find(mark))?;
    let mut words = read(&word[..at]);
    words.push("not".to_owned());
    Some(words)
}

/// The English word for the longest known beginning.
fn translated(word: &str) -> Option<&'static str> {
    static TABLE: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let pairs =
            WORDS.iter().flat_map(|(english, all)| all.split(' ').map(move |one| (one, *english)));
        pairs.collect()
    });
    let ends = word.char_indices().skip(1).map(|(at, _)| at).chain([word.len()]);
    let ends: Vec<usize> = ends.collect();
    ends.iter().rev().find_map(|end| {
        let (known, rest) = word.split_at(*end);
        let english = TABLE.get(known)?;
        // A short beginning says little: the rest must be an ending.
        let fits = known.chars().count() >= 2 || rest.is_empty() || ENDINGS.contains(&rest);
        fits.then_some(*english)
    })
}

fn without_ending(word: &str) -> &str {
    let cut = |ending: &str| {
        let rest = word.strip_suffix(ending)?;
        (rest.chars().count() >= 2 || (is_noun(rest) && rest.chars().count() == 1)).then_some(rest)
    };
    ENDINGS.iter().find_map(|ending| cut(ending)).unwrap_or(word)
}

/// Nouns of one syllable, which a particle may follow.
fn is_noun(word: &str) -> bool {
    const NOUNS: &str = "키 값 행 팀 앱 웹 큐 락 잡 풀 탭 줄 명 개 번 회 건 초 분 일 주 달 년";
    NOUNS.split(' ').any(|noun| noun == word)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn particles_and_endings_do_not_count() {
        assert_eq!(read("임포터가"), read("임포터는"));
        assert_eq!(read("배포한다"), ["deploy"]);
        assert_eq!(read("건너뛴다"), ["skip"]);
        assert_eq!(read("가나다를"), ["가나다"]);
    }

    #[test]
    fn denials_are_read_in_every_form() {
        for word in ["없이도", "않는다", "마라", "없는"] {
            assert_eq!(read(word), ["not"], "{word}");
        }
    }
}
