//! Pairs of notes and what the second is to the first.

use super::*;

fn verdict(relation: &Relation) -> &'static str {
    match relation {
        Relation::Same => "same",
        Relation::Replaces(_) => "replaces",
        Relation::Apart => "apart",
    }
}

#[track_caller]
fn check(want: &str, pairs: &[(&str, &str)]) {
    let wrong: Vec<String> = pairs
        .iter()
        .filter_map(|(old, new)| {
            let got = relate(old, new);
            (verdict(&got) != want).then(|| format!("{old} | {new}: {got:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "not `{want}`: {wrong:#?}");
}

#[test]
fn a_new_value_of_the_same_thing_replaces_the_old_one() {
    check(
        "replaces",
        &[
            ("The default port is 8080.", "The default port is 9090."),
            ("The service listens on port 8080", "The service now listens on port 9000"),
            ("Run the tests with `pytest`.", "Tests are run with `cargo nextest run`."),
            ("The project uses npm.", "The project uses pnpm."),
            ("Use npm to install packages", "Use pnpm to install packages"),
            ("Sessions are stored in Redis", "Sessions are stored in PostgreSQL"),
            ("MAX_RETRIES=3", "MAX_RETRIES=5"),
            ("Requires Node 18", "Requires Node 20"),
            ("The parser lives in src/parse.rs", "The parser lives in src/syntax/parser.rs"),
            ("Retry failed uploads 3 times", "Retry failed uploads 5 times"),
            ("The API returns XML", "The API returns JSON"),
            (
                "The billing module is owned by Alice's team `payments`",
                "The billing module is owned by `finance`",
            ),
            ("The request timeout is 30 seconds", "Request timeout is 60 seconds"),
            ("Access tokens expire after 15 minutes", "Access tokens expire after 60 minutes"),
            (
                "`load_config` returns `None` for a missing file",
                "`load_config` returns an `Err` for a missing file",
            ),
            ("Logs are written to stdout", "Logs are written to stderr"),
            ("Deploys happen on Friday", "Deploys happen on Monday"),
            ("Errors are returned as tuples", "Errors are returned as exceptions"),
            ("테스트는 `pytest` 로 실행한다", "테스트는 `tox` 로 실행한다"),
            ("기본 포트는 8080 입니다", "기본 포트는 9090 입니다"),
        ],
    );
}

#[test]
fn a_denial_replaces_what_it_denies() {
    check(
        "replaces",
        &[
            ("Commit directly to main", "Never commit directly to main"),
            ("The cache is enabled in production", "The cache is disabled in production"),
            (
                "Always call `flush` before closing the file",
                "Do not call `flush` before closing the file",
            ),
            ("The client is thread safe", "The client is not thread safe"),
            ("Migrations run before the deploy", "Migrations run after the deploy"),
            ("Windows is supported", "Windows is no longer supported"),
            ("Indent with tabs", "Indent with spaces"),
            ("The cleanup job works on staging", "The cleanup job does not work on staging"),
            ("Use tabs instead of spaces", "Use spaces instead of tabs"),
            ("Prefer `anyhow` over `thiserror`", "Prefer `thiserror` over `anyhow`"),
            ("We use npm", "We moved from npm to pnpm"),
        ],
    );
}

#[test]
fn the_same_in_other_words_is_the_same() {
    check(
        "same",
        &[
            ("Run the tests with `cargo test`", "Use `cargo test` to run the test suite"),
            ("The cache must be cleared after a deploy", "After deploying, clear the cache"),
            (
                "Always wrap DB calls in a transaction",
                "Database calls should always be wrapped in a transaction",
            ),
            ("The default port is 8080", "Default port: 8080"),
            ("Don't commit to main", "Never commit to main"),
            (
                "The config lives in `config/app.toml`",
                "Configuration is located in `config/app.toml`",
            ),
            ("Tests need a running Postgres", "The tests require PostgreSQL to be running"),
            ("Requires Python 3.11", "Python 3.11 is required"),
            (
                "Delete the lock file before starting the server",
                "Remove the lock file before the server is started",
            ),
        ],
    );
}

#[test]
fn what_is_alike_but_about_something_else_stands_beside_it() {
    check(
        "apart",
        &[
            ("The users table has an index on email", "The orders table has an index on email"),
            ("`foo()` returns 3", "`bar()` returns 3"),
            ("The API listens on port 8080", "The admin page listens on port 9090"),
            ("Tests in `api/` need a database", "Tests in `web/` need a browser"),
            ("The project uses PostgreSQL", "The project uses Redis for caching"),
            ("`parse` calls `lex`", "`parse` calls `resolve`"),
            ("Step 3 of the deploy needs sudo", "Step 5 of the deploy needs sudo"),
            ("The parser supports comments", "The parser supports strings"),
            ("Commit messages start with the area", "Commit to a branch, not to main"),
            ("The request timeout is 30 seconds", "The connection timeout is 5 seconds"),
            ("Run `make lint` before committing", "Run `make docs` before releasing"),
            ("The frontend is written in TypeScript", "The backend is written in Rust"),
            ("Unit tests are run with `pytest`", "Integration tests are run with `tox`"),
        ],
    );
}

#[test]
fn odd_texts_are_apart() {
    check("apart", &[("", ""), ("the", "a"), ("", "The port is 80"), ("…", "!!!")]);
}

#[test]
fn what_is_said_to_be_gone_is_replaced() {
    check(
        "replaces",
        &[
            (
                "Secrets are read from a .env file at startup",
                "Secrets come from Vault; .env is not loaded any more",
            ),
            (
                "Feature flags are defined in flags.yaml",
                "flags are now managed in LaunchDarkly, flags.yaml was deleted",
            ),
            ("Metrics are exported to Graphite", "metrics go to Prometheus instead of Graphite"),
            ("The queue backend is RabbitMQ", "We replaced RabbitMQ with SQS as the queue backend"),
            ("Money amounts are floats", "amounts of money are integers in cents, never floats"),
            (
                "Node version is pinned in .nvmrc",
                ".tool-versions pins the Node version, .nvmrc was removed",
            ),
            (
                "Background jobs run in Sidekiq",
                "GoodJob runs the background jobs; Sidekiq is retired",
            ),
            ("Support for Node 16 is required", "Node 16 support was dropped"),
            ("The parser generator is ANTLR", "tree-sitter generates the parser, ANTLR is out"),
            (
                "User avatars come from Gravatar",
                "avatars are uploaded by users, Gravatar was dropped",
            ),
        ],
    );
}

#[test]
fn the_same_place_in_a_sentence_takes_one_value() {
    check(
        "replaces",
        &[
            ("The docs site is built with MkDocs", "Docs are built by Docusaurus"),
            ("Deployments go out every Tuesday", "deploys happen on Thursdays"),
            (
                "Marta is the maintainer of the search index",
                "The search index is maintained by Tomás",
            ),
            ("The main entry point is src/main.ts", "src/index.ts is the entry point"),
            ("Static assets are served by nginx", "CloudFront serves the static assets"),
            ("The bundle is minified by terser", "esbuild minifies the bundle"),
            ("`yarn dev` starts the dev server", "the dev server is started by `pnpm dev`"),
            ("Docs must be updated by hand", "The docs are updated automatically"),
            ("The app is hosted in Frankfurt", "hosting moved to Ireland"),
            ("`id` is a string", "`id` is an integer"),
        ],
    );
}

#[test]
fn amounts_of_one_thing_replace_each_other() {
    check(
        "replaces",
        &[
            ("Coverage threshold is 80%", "coverage has to be at least 90 %"),
            ("The session cookie lasts 24 hours", "session cookies expire after 8h"),
            ("Memory limit of the container is 512Mi", "container memory limit = 2Gi"),
            ("Cache TTL 5 minutes", "the cache lives for one hour"),
            ("Python 3.9 is the oldest supported version", "Minimum Python is 3.11"),
            ("Release cadence is monthly", "we release every two weeks"),
            ("Sprint length is two weeks", "sprints take three weeks"),
            ("The health check polls every 10s", "health check interval is 30 seconds"),
        ],
    );
}

#[test]
fn a_rule_that_is_turned_into_its_opposite_is_replaced() {
    check(
        "replaces",
        &[
            ("Direct pushes to main are allowed", "Nobody may push directly to main"),
            ("The parser accepts trailing commas", "trailing commas are rejected by the parser"),
            ("Tests may hit the network", "tests must not use the network"),
            ("A login is required to view reports", "Reports can be viewed without login"),
            ("Signing commits is optional", "Commits must be signed"),
            ("There is no linter for SQL", "SQL is linted with sqlfluff"),
            ("Call `init()` before `connect()`", "`connect()` has to be called before `init()`"),
            ("Null values are dropped by the serializer", "The serializer keeps nulls"),
            (
                "We have no staging environment",
                "There is a staging environment at staging.example.com",
            ),
        ],
    );
}

#[test]
fn wording_does_not_matter() {
    check(
        "same",
        &[
            ("The login page is rendered on the server", "The server renders the login page"),
            ("Every public function needs a doc comment", "public functions must be documented"),
            ("The worker crashes when the queue is empty", "an empty queue makes the worker crash"),
            (
                "Only the release manager can publish packages",
                "publishing packages is restricted to the release manager",
            ),
            ("Images larger than 2 MB are rejected", "The upload refuses images over 2MB"),
            ("The timeout of the health check is one minute", "Health checks time out after 60s"),
            (
                "The flaky test was caused by a race in the cache",
                "A race condition in the cache made the test flaky",
            ),
            (
                "Invoices are immutable once sent",
                "after an invoice has been sent it can't be changed",
            ),
            (
                "The bot closes issues that were inactive for 60 days",
                "Issues without activity for two months get closed by the bot",
            ),
            (
                "Customer data must not leave the EU region",
                "keep customer data inside the EU region",
            ),
            ("Deleting an account is irreversible", "account deletion can't be undone"),
            ("Two approvals are needed for schema changes", "schema changes need 2 approvals"),
            ("The tokenizer drops comments", "comments are thrown away by the tokenizer"),
            ("Access to prod needs MFA", "without MFA nobody gets into production"),
            (
                "Locks are released when the process exits",
                "a lock is freed as soon as its process ends",
            ),
        ],
    );
}

#[test]
fn what_tells_two_things_apart_keeps_both() {
    check(
        "apart",
        &[
            ("The web app uses React", "The admin app uses Vue"),
            ("Unit tests take 2 minutes", "End-to-end tests take 20 minutes"),
            ("The users service is written in Go", "The orders service is written in Java"),
            ("Alice reviews frontend changes", "Bob reviews backend changes"),
            ("Ticket ABC-12 is blocked by legal", "Ticket ABC-15 is blocked by legal"),
            ("Linux builds use gcc", "macOS builds use clang"),
            ("Release 2.1 added dark mode", "Release 2.2 added offline mode"),
            ("Use snake_case in Python", "Use camelCase in TypeScript"),
            ("The backup of the database runs at 1:00", "The backup of the files runs at 3:00"),
            ("GET /users needs a token", "POST /users needs a token"),
        ],
    );
}

#[test]
fn what_adds_to_a_note_does_not_replace_it() {
    check(
        "apart",
        &[
            ("The API is versioned", "The API version is sent in the Accept header"),
            ("Jobs are retried 3 times", "Retried jobs wait 10 seconds between attempts"),
            ("Logs are shipped to Loki", "Logs in Loki are kept for 30 days"),
            (
                "Migrations run on deploy",
                "If a migration fails on deploy, the release is rolled back",
            ),
            ("Errors are reported to Sentry", "Sentry ignores 404 errors"),
            ("Images are resized on upload", "Resized images are cached by the CDN"),
            ("PRs need a review", "PRs by bots are merged without review"),
            ("Reports are PDFs", "Reports older than a year are archived in Glacier"),
        ],
    );
}

#[test]
fn korean_notes_are_related_like_english_ones() {
    check(
        "replaces",
        &[
            ("기본 브랜치는 master이다", "기본 브랜치는 main으로 바뀌었다"),
            ("타임아웃은 30초", "타임아웃은 1분으로 늘렸다"),
            ("로그인 없이 문서를 볼 수 있다", "문서를 보려면 로그인이 필요하다"),
            ("배포는 매주 금요일에 한다", "배포는 월요일마다 진행한다"),
            ("테스트는 jest로 실행한다", "테스트 러너를 vitest로 교체했다"),
            ("main에 직접 푸시해도 된다", "main에는 직접 푸시하면 안 된다"),
        ],
    );
    check(
        "same",
        &[
            ("커밋 전에 린트를 돌린다", "린트는 커밋하기 전에 실행해야 함"),
            ("비밀번호는 로그에 남기지 않는다", "로그에 비밀번호를 기록하면 안 된다"),
            ("업로드 최대 크기는 10MB", "파일 업로드는 10MB까지 가능하다"),
            ("배포는 CI가 자동으로 한다", "CI에서 자동 배포된다"),
            ("DB 마이그레이션은 수동으로 실행한다", "마이그레이션은 손으로 돌려야 한다"),
            ("환경 변수는 .env 파일에 둔다", ".env에 환경변수를 저장함"),
            ("리뷰 없이 머지하지 않는다", "머지하려면 리뷰가 필요하다"),
            ("타입 에러가 있으면 빌드가 실패한다", "type error가 있으면 build가 깨진다"),
        ],
    );
    check(
        "apart",
        &[
            ("웹 서버는 3000번 포트를 쓴다", "관리자 서버는 4000번 포트를 쓴다"),
            ("결제 서비스는 Java로 작성했다", "검색 서비스는 Go로 작성했다"),
            ("이미지는 S3에 저장한다", "S3의 이미지는 30일 뒤에 삭제된다"),
            ("단위 테스트는 DB가 필요 없다", "통합 테스트는 DB가 필요하다"),
            ("사용자 테이블에 인덱스가 있다", "주문 테이블에 인덱스가 있다"),
        ],
    );
}

proptest::proptest! {
    #[test]
    fn any_two_texts_can_be_related(old in TEXT, new in TEXT) {
        relate(&old, &new);
    }

    #[test]
    fn a_note_that_is_repeated_is_never_replaced(note in TEXT) {
        let relation = relate(&note, &note);
        proptest::prop_assert!(!matches!(relation, Relation::Replaces(_)), "{relation:?}");
    }
}

/// Words, code, numbers and marks in any order.
const TEXT: &str = r#"((the|is|not|only|before|for|port|tests?|run|by|from|to|if|never|one|half a|every|`a b`|"q"|`|\"|src/a\.rs|x=1|4294967295:59|30s|v1\.2|10k|테스트는|없이|전에|JSON이다|, |; |: |\(|\)|\{|->|\PC{0,4}) ?){0,12}"#;

#[test]
fn what_was_changed_is_replaced_by_what_it_became() {
    check(
        "replaces",
        &[
            ("The websocket endpoint is /ws", "The websocket endpoint moved to /realtime"),
            ("The main branch is called master", "The main branch was renamed to main"),
            ("Ship the editor behind a flag", "Ship the editor without a flag"),
            ("캐시 TTL은 10분이다", "캐시 유효 시간은 1시간으로 늘렸다"),
        ],
    );
}

#[test]
fn a_limit_and_what_lies_beyond_it_say_the_same() {
    check(
        "same",
        &[
            (
                "Keep functions short, 40 lines at most",
                "functions shouldn't be longer than 40 lines",
            ),
            ("이미지 업로드는 10MB까지만 허용된다", "10MB를 넘는 이미지는 업로드할 수 없다"),
        ],
    );
}

#[test]
fn one_of_several_things_says_nothing_of_the_others() {
    check(
        "apart",
        &[
            ("Sessions expire after an hour", "admin sessions expire after 10 minutes"),
            ("`deploy.sh` deploys to staging", "`deploy.sh --prod` deploys to production"),
            ("Never commit .env files", "Commit .env.example when it changes"),
            ("Server needs Python 3.12", "The SDK supports Python 3.8 and up"),
        ],
    );
}

#[test]
fn a_change_of_one_thing_does_not_replace_what_else_is_known() {
    check(
        "apart",
        &[
            ("The parser handles JSON5", "The parser was moved to its own crate"),
            ("Alice owns the scheduler", "The scheduler was migrated to Kubernetes"),
            ("The login form validates the email", "The login form was converted to TypeScript"),
            ("The CLI supports Linux", "The CLI now supports macOS"),
            ("캐시는 모든 워커가 공유한다", "캐시 서버를 Redis 7로 올렸다"),
        ],
    );
}

#[test]
fn what_stands_in_the_one_place_where_notes_differ_is_the_value() {
    check(
        "replaces",
        &[
            ("Auth is handled by Auth0", "Auth is handled by Keycloak"),
            ("API versioning is done in the URL", "API versioning is done with a header"),
            ("Dates are displayed as DD/MM/YYYY", "Dates are displayed as YYYY-MM-DD"),
            ("Uploads go to the `raw` bucket", "Uploads go to the `incoming` bucket"),
            ("Lisa is the tech lead", "Omar is the tech lead"),
            ("The app keeps its data in ~/.acme", "The app keeps its data in ~/.config/acme"),
        ],
    );
    check(
        "apart",
        &[
            ("The widget works on Linux", "The widget works on Windows"),
            ("The table has an index on email", "The table has an index on created_at"),
            ("Mei maintains the parser", "Mei maintains the CI scripts"),
            ("The tests take a minute", "The fixtures take a minute"),
        ],
    );
}

#[test]
fn different_purposes_keep_notes_apart() {
    check(
        "apart",
        &[
            ("The API returns 404 for missing users", "The API returns 409 for duplicate users"),
            ("Run make test to run the tests", "Run make build to build the binary"),
        ],
    );
}

#[test]
fn initials_and_amounts_are_read_as_they_are_meant() {
    check("replaces", &[("Minimum supported Rust version is 1.70", "MSRV is 1.78")]);
    check(
        "same",
        &[
            ("The cron job runs at midnight", "The cron job is executed at 00:00"),
            ("Logs are kept for 24 months", "We keep logs for two years"),
            ("The job runs every Monday", "The job is run once a week on Monday"),
            ("The scheduler is single-threaded", "The scheduler uses only one thread"),
        ],
    );
}

#[test]
fn a_full_stop_changes_nothing() {
    check(
        "apart",
        &[
            ("The login endpoint is rate limited.", "The signup endpoint is not rate limited."),
            ("Logs are kept for 30 days.", "Backups are kept for 90 days."),
            ("The web client stores its theme in localStorage.", "The web client stores tokens."),
        ],
    );
}

#[test]
fn two_denials_affirm() {
    check(
        "same",
        &[
            ("Changes to the schema need a migration.", "Never change it without a migration."),
            ("Unit tests need Redis running.", "You can't run the unit tests unless Redis is up."),
            ("We use tabs, not spaces, in Go.", "Indentation in Go is tabs rather than spaces."),
            ("Artifacts are kept for 14 days.", "Artifacts are deleted after two weeks."),
        ],
    );
}

#[test]
fn what_was_left_for_something_else_is_replaced() {
    check(
        "replaces",
        &[
            ("Physics is handled by Box2D.", "We ripped Box2D out; physics is Rapier now."),
            ("The lexer lives in src/front/lex.rs.", "The lexer was moved out of src/front."),
            ("The docs are built with Sphinx.", "Docs have been ported from Sphinx to MkDocs."),
            ("The wiki needs the VPN.", "The wiki works without the VPN."),
            ("`parse()` returns null on error.", "`parse()` throws on error."),
            ("The app supports only portrait mode.", "Landscape mode is supported too."),
            ("배포는 젠킨스로 한다.", "배포 도구를 젠킨스에서 GitHub Actions로 바꿨다."),
            ("담당자는 김서연 님입니다.", "담당이 박준호 님으로 변경되었습니다."),
        ],
    );
}

#[test]
fn a_part_and_another_side_of_a_thing_stand_beside_it() {
    check(
        "apart",
        &[
            ("The SDK supports Python 3.9.", "The SDK supports Node 18."),
            ("Reports are sent on Mondays.", "Reports are sent to the finance team."),
            ("Docs are written in Markdown.", "Docs are published to docs.example.com."),
            ("Users are notified by email.", "Users are notified when the build fails."),
            ("Developers have access to the logs.", "Support has no access to the logs."),
            ("로그는 30일간 보관한다.", "백업은 90일간 보관한다."),
            ("스프린트는 2주 단위다.", "스프린트 회고는 금요일에 한다."),
        ],
    );
}

#[test]
fn a_note_that_tells_of_a_change_replaces_what_it_changes() {
    check(
        "replaces",
        &[
            ("The default branch is `develop`", "Default branch was renamed to `main`"),
            ("UI copy is reviewed by Hannah", "UI copy reviews were handed over to Oskar"),
            ("Anyone can deploy to staging", "Only release managers can deploy to staging now"),
            ("The camera driver leaks memory", "The camera driver's memory leak was fixed"),
            ("Release manager: Sven", "Release manager is Aiko, Sven stepped down"),
        ],
    );
}

#[test]
fn notes_that_are_built_alike_and_differ_twice_are_about_two_things() {
    check(
        "apart",
        &[
            ("Logs of the web tier go to Loki", "Traces of the web tier go to Tempo"),
            ("Set the log level with LOG_LEVEL", "Set the listen address with LISTEN_ADDR"),
            ("The invoice service is written in Go", "The invoice service is deployed on ECS"),
            ("Don't use recursion in the parser", "Don't use exceptions in the parser"),
            ("The job reads from the clicks topic", "The job pushes its metrics to Prometheus"),
        ],
    );
}

#[test]
fn what_is_done_by_another_replaces_in_any_voice() {
    check(
        "replaces",
        &[
            ("Nightly ETL is orchestrated by Airflow", "Dagster runs the nightly ETL"),
            ("Firmware gets flashed with openocd", "Flash the firmware using `probe-rs run`"),
            ("Feature flags come from LaunchDarkly", "Feature flags are served by our own flagd"),
        ],
    );
}

#[test]
fn a_rule_in_another_language_takes_no_place() {
    let relation = relate("Never push to main", "절대 main 에 푸시하지 않는다");
    assert_eq!(relation, Relation::Apart);
}

#[test]
fn long_texts_are_compared_as_a_whole() {
    let long = "the port is 8080 and ".repeat(300);
    assert_eq!(relate(&long, &long), Relation::Same);
    assert_eq!(relate(&long, &long.replace("8080", "9090")), Relation::Apart);
}
