use super::*;

/// Pairs of the strict case of which the later note takes the place of the
/// earlier one, each with the reason in the words of the notes.
const REPLACED: &[(&str, &str)] = &[
    ("The HTTP timeout is 30 seconds", "The HTTP timeout is 60 seconds."),
    ("The HTTP timeout is 30 seconds", "the HTTP timeout is now 60 seconds"),
    ("The debounce delay is 300ms", "The debounce delay is 500ms"),
    ("The cluster has 3 nodes", "The cluster has 5 nodes"),
    ("Retries are limited to 3", "Retries are limited to 5"),
    ("Passwords must have at least 8 characters", "Passwords must have at least 12 characters"),
    ("The nightly job starts at 02:00", "The nightly job starts at 03:30"),
    ("Health checks run every 10s", "Health checks run every 30s"),
    ("Discounts are capped at 20%", "Discounts are capped at 30%"),
    ("Sessions expire after 30 minutes", "Sessions expire after 90 minutes"),
    ("p99 latency must be under 200 ms", "p99 latency must be under 350 ms"),
    ("Keep functions below 40 lines", "Keep functions below 60 lines"),
    ("Connection timeout: 5s", "Connection timeout: 15s"),
    ("The socket buffer is 4 KB", "The socket buffer is 16 KB"),
    ("The test suite takes 12 minutes", "The test suite takes 4 minutes"),
    ("A user can have 3 devices", "A user can have 5 devices"),
    ("The fee is $12", "The fee is $15"),
    (
        "The worker pool has 4 threads, so uploads queue",
        "The worker pool has 8 threads, so uploads queue",
    ),
    ("CI uses Node 18", "CI uses Node 20"),
    ("The service requires Python 3.11", "The service requires Python 3.12"),
    ("The default is v2", "The default is v3"),
    ("The minimum version is 1.70", "The minimum version is 1.91"),
    ("Production runs Postgres 14", "Production runs Postgres 16"),
    ("The database is Postgres 14", "The database is Postgres 16"),
    ("The leader is node 2", "The leader is node 3"),
    ("The base image was updated to 12.4", "The base image was updated to 12.5"),
    ("The entry point is src/main.rs", "The entry point is src/bin/app.rs"),
    ("The logo is in assets/logo.svg", "The logo is in public/brand.svg"),
    ("The schema is defined in db/schema.sql", "The schema is defined in db/structure.sql"),
    ("The settings live in config/app.toml", "The settings live in settings.toml"),
    ("The changelog is CHANGES.md", "The changelog is CHANGELOG.md"),
    ("Use the cache", "Do not use the cache"),
    ("The cache is shared", "The cache isn't shared"),
    ("The cache is not shared", "The cache is shared"),
    ("Tests can run in parallel", "Tests cannot run in parallel"),
    ("Tests can run in parallel", "Tests can’t run in parallel"),
    ("Tests run in parallel", "Tests do not run in parallel"),
    ("It will be retried", "It won't be retried"),
    ("Never run migrations at startup", "Run migrations at startup"),
    ("The client retries on 503", "The client does not retry on 503"),
    ("The worker flushes on exit", "The worker doesn't flush on exit"),
    ("Foreign keys are enforced", "Foreign keys are not enforced anymore"),
    ("The API has a rate limit", "The API has no rate limit"),
    ("There is a staging cluster", "There is no staging cluster"),
    ("Always squash commits", "Never squash commits"),
    ("`Store.save` is atomic", "`Store.save` is not atomic"),
    ("Pull requests can be merged without review", "Pull requests cannot be merged without review"),
    ("We use feature flags", "We don't use feature flags anymore"),
    ("Dark mode is no longer supported", "Dark mode is supported"),
    ("타임아웃은 30초이다", "타임아웃은 60초이다"),
    ("포트는 8080이다", "포트는 9090이다"),
    ("로그는 7일간 보관한다", "로그는 30일간 보관한다"),
    ("API 서버는 8080 포트를 사용한다", "API 서버는 9090 포트를 사용한다"),
    ("빌드는 Node 18을 쓴다", "빌드는 Node 20을 쓴다"),
    ("설정은 config/app.toml에 있다", "설정은 settings.toml에 있다"),
    ("캐시를 쓴다", "캐시를 쓰지 않는다"),
    ("캐시를 안 쓴다", "캐시를 쓴다"),
    ("마이그레이션을 실행합니다", "마이그레이션을 실행하지 않습니다"),
    ("마이그레이션을 실행하세요", "마이그레이션을 실행하지 마세요"),
    ("항상 main 에 푸시한다", "절대 main 에 푸시하지 않는다"),
    ("주말에는 배포할 수 있다", "주말에는 배포할 수 없다"),
    ("테스트는 병렬로 실행된다", "테스트는 병렬로 실행되지 않는다"),
];

/// Pairs that look alike and both hold, or about which a machine cannot know.
const BOTH_HOLD: &[(&str, &str)] = &[
    ("Server 1 is slow", "Server 2 is slow"),
    ("Node 3 needs a restart", "Node 4 needs a restart"),
    ("node1 needs a restart", "node2 needs a restart"),
    ("Error 42 means the disk is full", "Error 43 means the disk is full"),
    ("404 means the key expired", "410 means the key expired"),
    ("Job 3 runs nightly", "Job 4 runs nightly"),
    ("Jobs on node 3 need a restart", "Jobs on node 4 need a restart"),
    ("The workers of pool 2 restart nightly", "The workers of pool 3 restart nightly"),
    ("The owner of plan 2 pays", "The owner of plan 3 pays"),
    ("Requests to server 2 are slow", "Requests to server 3 are slow"),
    ("The timeout is 30 s on node 2", "The timeout is 30 s on node 3"),
    ("Prices are 20 for tier 1", "Prices are 20 for tier 2"),
    ("`make build` is slow on Python 3.11", "`make build` is slow on Python 3.12"),
    ("The fix is needed for 3.11", "The fix is needed for 3.12"),
    ("The bug is present in 3.11", "The bug is present in 3.12"),
    ("We had an outage in 2023", "We had an outage in 2024"),
    ("Version 2 of the protocol has no compression", "Version 3 of the protocol has compression"),
    ("In version 2, the default is off", "In version 3, the default is off"),
    ("With 4 workers the build is stable", "With 8 workers the build is stable"),
    ("After 3 failures the account is locked", "After 5 failures the account is locked"),
    ("If replicas is 3, the lag is 2 s", "If replicas is 5, the lag is 2 s"),
    ("When the pool has 4 threads, uploads queue", "When the pool has 8 threads, uploads queue"),
    ("See issue 12", "See issue 13"),
    ("Restart node 2", "Restart node 3"),
    ("The docs mention issue #88 as a blocker", "The docs mention issue #91 as a blocker"),
    ("The port is not 8080", "The port is not 9090"),
    ("Do not use port 80", "Do not use port 443"),
    ("Do not use port 80", "Use port 443"),
    ("One of the ports is 8080", "One of the ports is 9090"),
    ("The server also listens at 8080", "The server also listens at 9090"),
    ("Another limit is 30", "Another limit is 60"),
    ("The limit is 100 requests per minute", "The limit is 5000 requests per day"),
    ("The range is 3 to 5", "The range is 4 to 6"),
    ("The port is 80 or 8080", "The port is 80 or 9090"),
    ("The API listens on port 8080", "The API listens on port 9090"),
    ("Ports 80 and 443 are open", "Ports 80 and 8443 are open"),
    ("Step 2 is slow and takes 3 minutes", "Step 3 is slow and takes 3 minutes"),
    ("`src/a.rs` is generated", "`src/b.rs` is generated"),
    ("Do not edit src/gen/a.rs", "Do not edit src/gen/b.rs"),
    ("Run scripts/a.sh before committing", "Run scripts/b.sh before committing"),
    ("`parse` is used in src/a.rs", "`parse` is used in src/b.rs"),
    ("`parse` is tested in tests/a.py", "`parse` is tested in tests/b.py"),
    ("The linter skips files in vendor/", "The linter skips files in third_party/"),
    ("Files in vendor/ are ignored", "Files in third_party/ are ignored"),
    ("tests/a.py needs Docker", "tests/b.py needs Docker"),
    ("Settings are read from config.toml", "Settings are read from .env"),
    ("There is a mock in tests/a.py", "There is a mock in tests/b.py"),
    ("src/lexer.rs was split out of parser.rs", "src/ast.rs was split out of parser.rs"),
    ("If the flag is set, retry", "If the flag is not set, retry"),
    ("Fields that are nullable need a default", "Fields that are not nullable need a default"),
    ("Users in group X can log in", "Users not in group X can log in"),
    ("Use pnpm, npm", "Use pnpm, not npm"),
    ("Rows are locked during import", "Rows are not locked during export"),
    ("Unless it is cached, fetch it", "Unless it is not cached, fetch it"),
    ("The cache is not shared", "The cache is never shared"),
    ("We use Redis for caching", "We use Redis for rate limiting"),
    ("The importer skips empty lines", "The importer skips lines that start with #"),
    ("The `amount` field is an integer in cents", "The `quantity` field is an integer"),
    ("`UserService.create` returns the id", "`UserService.create` returns the whole user object"),
    (
        "Locks in `cache.rs` must be taken before those in `store.rs`",
        "Locks in `store.rs` are reentrant",
    ),
    ("Rate limits apply to `user`", "Rate limits apply to `User`"),
    ("1번 서버는 느리다", "2번 서버는 느리다"),
    ("서버 1은 데비안을 쓴다", "서버 2는 데비안을 쓴다"),
    ("3월 배포는 취소되었다", "4월 배포는 취소되었다"),
    ("타임아웃은 API에서 30초이다", "타임아웃은 DB에서 60초이다"),
    ("테스트는 3번 서버에서 느리다", "테스트는 4번 서버에서 느리다"),
    ("포트도 8080이다", "포트도 9090이다"),
    ("복제본이 3개면 지연은 2초다", "복제본이 5개면 지연은 2초다"),
    ("캐시를 쓴다", "큐를 쓰지 않는다"),
    ("VPN으로 접속할 수 있다", "VPN 없이 접속할 수 없다"),
];

#[test]
fn the_strict_case_is_decided_without_a_wrong_replacement() {
    assert!(REPLACED.len() + BOTH_HOLD.len() >= 120);
    let excludes = |(one, other): &&(&str, &str)| exclude_each_other(one, other);
    let both_ways = |(one, other): &&(&str, &str)| exclude_each_other(other, one);
    let missed: Vec<_> =
        REPLACED.iter().filter(|pair| !(excludes(pair) && both_ways(pair))).collect();
    let wrong: Vec<_> = BOTH_HOLD.iter().filter(|pair| excludes(pair) || both_ways(pair)).collect();
    assert!(missed.is_empty() && wrong.is_empty(), "missed: {missed:#?} wrong: {wrong:#?}");
}

#[test]
fn only_the_same_words_say_the_same() {
    for (one, other) in [
        ("The cache is shared", "the cache is shared."),
        ("Run `make fmt` first", "Run  `make fmt` first!"),
        ("캐시를 쓴다", "캐시를 쓴다."),
    ] {
        assert_eq!(relate(one, other), NoteRelation::Same, "{one}");
    }
    for (one, other) in [
        ("Use named exports", "Prefer named exports"),
        ("The timeout is 30 seconds", "The timeout is half a minute"),
        ("", "The cache is shared"),
    ] {
        assert_eq!(relate(one, other), NoteRelation::Apart, "{one}");
    }
}

#[test]
fn the_reason_is_told_in_the_words_of_the_notes() {
    let told = |old: &str, new: &str| match relate(old, new) {
        NoteRelation::Replaces(change) => reason(&change, new),
        other @ (NoteRelation::Same | NoteRelation::Apart) => panic!("{old} | {new}: {other:?}"),
    };
    assert_eq!(told("The delay is 10 s", "The delay is 25 s"), "it was 10 and is 25");
    assert_eq!(told("It starts at 02:00", "It starts at 04:30"), "it was 02:00 and is 04:30");
    assert_eq!(
        told("The cache is shared", "The cache isn't shared"),
        "now: The cache isn't shared"
    );
}

#[test]
fn a_text_that_is_too_long_says_more_than_one_thing() {
    let long = |text: &str| format!("{text}{}", ", as was said before".repeat(300));
    let (old, new) = (long("The timeout is 30 seconds"), long("The timeout is 60 seconds"));
    assert_eq!(relate(&old, &new), NoteRelation::Apart);
    assert_eq!(relate(&old, &old), NoteRelation::Same);
}
