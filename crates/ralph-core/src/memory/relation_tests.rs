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
