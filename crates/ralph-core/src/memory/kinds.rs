//! Things that compete with each other: a project has one of each, as a rule.

use std::sync::LazyLock;

use super::synonyms::key;
use super::tables::Table;

/// What two things compete for.
pub(super) fn kind(stem: &str) -> Option<&'static str> {
    static TABLE: LazyLock<Table<String, &'static str>> = LazyLock::new(|| {
        let mut table = Table::default();
        for (name, members) in KINDS {
            table.extend(members.split(' ').map(|member| (key(member), *name)));
        }
        table
    });
    TABLE.get(stem).copied()
}

const KINDS: &[(&str, &str)] = &[
    (
        "database",
        "postgresql mysql mariadb sqlite mongodb oracle cockroachdb dynamodb cassandra clickhouse duckdb",
    ),
    ("cache", "redis memcached valkey"),
    ("queue", "rabbitmq kafka sqs nats celery sidekiq pulsar resque"),
    (
        "test framework",
        "pytest unittest nose jest vitest mocha jasmine junit testng rspec minitest phpunit pest nextest tox",
    ),
    ("browser tests", "playwright cypress selenium puppeteer"),
    ("package manager", "npm yarn pnpm bun pip poetry uv pipenv conda"),
    (
        "language",
        "rust golang python java kotlin scala ruby php typescript javascript c c++ swift elixir zig",
    ),
    (
        "web framework",
        "django flask fastapi express fastify rails laravel spring axum actix next.js nuxt remix",
    ),
    ("view library", "react vue svelte angular preact"),
    ("bundler", "webpack vite rollup esbuild parcel turbopack"),
    ("linter", "eslint biome oxlint ruff flake8 pylint clippy rubocop golangci-lint"),
    ("formatter", "prettier black gofmt rustfmt yapf"),
    ("type checker", "mypy pyright flow"),
    ("build tool", "gradle maven bazel cmake meson ninja buck"),
    (
        "continuous integration",
        "jenkins circleci travis buildkite githubactions gitlabci azurepipelines teamcity drone tekton",
    ),
    ("logger", "log4j logback winston pino structlog loguru"),
    (
        "data format",
        "json yaml toml xml csv protobuf msgpack avro ini parquet text plaintext html markdown",
    ),
    ("interface", "rest graphql grpc soap trpc"),
    ("hash", "md5 sha1 sha256 blake3 bcrypt argon2 argon2id scrypt"),
    ("encoding", "utf-8 utf8 utf-16 latin1 ascii"),
    ("container", "docker podman containerd"),
    ("cloud", "aws gcp azure heroku"),
    ("web server", "nginx apache caddy traefik envoy haproxy"),
    ("object store", "s3 gcs minio r2"),
    ("mail service", "ses sendgrid mailgun postmark"),
    ("infrastructure", "terraform pulumi ansible cloudformation"),
    ("monitoring", "datadog prometheus newrelic grafana sentry"),
    ("weekday", "monday tuesday wednesday thursday friday saturday sunday"),
    ("state library", "redux zustand mobx recoil"),
    ("licence", "mit apache-2.0 gpl bsd mpl"),
    ("merging", "squash rebase merge"),
    ("case", "camelcase snake_case kebab-case pascalcase"),
    ("compression", "gzip zstd brotli lz4 snappy xz"),
    ("branch", "main master trunk"),
    ("log level", "debug information warning trace"),
    ("editor", "vim emacs vscode"),
];
