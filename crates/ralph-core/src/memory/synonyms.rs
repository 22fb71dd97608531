//! Words that mean the same to a developer, and words that mean the opposite.
//!
//! The tables hold words as people write them; they are stemmed when first used.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::stems::stem;

/// The one word for several, by stem.
pub(super) fn canonical(stem: &str) -> &str {
    static TABLE: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let pairs = SAME.iter().flat_map(|(one, others)| {
            others
                .iter()
                .flat_map(|other| [(*other).to_owned(), super::stems::stem(other)])
                .map(|other| (other, super::stems::stem(one)))
        });
        pairs.collect()
    });
    TABLE.get(stem).map_or(stem, String::as_str)
}

/// The stem that stands for a word and all its synonyms.
pub(super) fn key(word: &str) -> String {
    let known = canonical(word);
    if known == word { canonical(&stem(word)).to_owned() } else { known.to_owned() }
}

/// Whether two stems say the opposite of each other.
pub(super) fn are_opposite(a: &str, b: &str) -> bool {
    static TABLE: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(|| {
        let keys = |side: Side| side.iter().map(|word| key(word)).collect();
        OPPOSITE.iter().map(|(left, right)| (keys(left), keys(right))).collect()
    });
    let has = |side: &[String], stem: &str| side.iter().any(|one| one == stem);
    TABLE
        .iter()
        .any(|(left, right)| (has(left, a) && has(right, b)) || (has(left, b) && has(right, a)))
}

/// What two things compete for: a project has one of each, as a rule.
pub(super) fn category(stem: &str) -> Option<&'static str> {
    static TABLE: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let pairs = CATEGORIES
            .iter()
            .flat_map(|(name, members)| members.iter().map(|member| (key(member), *name)));
        pairs.collect()
    });
    TABLE.get(stem).copied()
}

type Side = &'static [&'static str];

const SAME: &[(&str, Side)] = &[
    ("database", &["db", "dbs"]),
    ("repository", &["repo", "repos"]),
    ("configuration", &["config", "conf", "cfg", "setting", "configure", "configured"]),
    ("environment", &["env", "envs"]),
    ("directory", &["dir", "dirs", "folder"]),
    ("function", &["func", "fn"]),
    ("authentication", &["auth", "authenticate"]),
    ("dependency", &["dep", "deps"]),
    ("documentation", &["doc", "docs", "document"]),
    ("production", &["prod"]),
    ("development", &["dev"]),
    ("package", &["pkg", "pkgs"]),
    ("application", &["app", "apps"]),
    ("parameter", &["param", "params"]),
    ("argument", &["arg", "args"]),
    ("postgresql", &["postgres", "pg"]),
    ("kubernetes", &["k8s"]),
    ("javascript", &["js"]),
    ("typescript", &["ts"]),
    ("python", &["py"]),
    ("golang", &["go"]),
    ("run", &["execute", "invoke", "launch", "start", "boot", "ran"]),
    ("build", &["compile", "built"]),
    ("remove", &["delete", "drop", "erase"]),
    ("store", &["save", "keep", "kept", "persist", "held", "hold"]),
    ("locate", &["live", "sit", "found", "reside", "define", "implement"]),
    ("finish", &["complete", "end"]),
    ("check", &["verify", "validate"]),
    ("create", &["generate", "make", "made", "produce"]),
    ("fast", &["quick"]),
    ("large", &["big", "huge"]),
    ("require", &["need", "necessary", "mandatory", "needed"]),
    ("before", &["prior", "ahead"]),
    ("after", &["once", "following", "afterwards"]),
    ("write", &["written", "wrote"]),
    ("use", &["utilize", "utilise", "employ", "rely", "leverage", "using", "used"]),
    ("error", &["exception"]),
    ("fix", &["repair", "resolve"]),
    ("change", &["modify", "alter", "edit"]),
    ("clean", &["clear", "flush", "purge", "invalidate"]),
    ("maximum", &["max", "maximal"]),
    ("minimum", &["min", "minimal"]),
    ("second", &["sec", "secs"]),
    ("minute", &["mins"]),
    ("own", &["maintain", "responsible"]),
    ("show", &["display", "print"]),
    ("fail", &["break", "broken", "crash"]),
    ("wrap", &["enclose"]),
    ("always", &["every", "everytime"]),
    ("same", &["equal", "identical"]),
    ("never", &["don't"]),
    ("feature", &["capability"]),
    ("send", &["sent"]),
];

const OPPOSITE: &[(Side, Side)] = &[
    (&["enable", "on", "active", "activate"], &["disable", "off", "inactive", "deactivate"]),
    (&["sync", "synchronous"], &["async", "asynchronous"]),
    (&["before"], &["after"]),
    (&["always"], &["never"]),
    (&["allow", "permit", "accept"], &["forbid", "forbidden", "deny", "reject", "prohibit", "ban"]),
    (&["require"], &["optional", "unnecessary"]),
    (&["public"], &["private", "internal"]),
    (&["mutable"], &["immutable"]),
    (&["include", "inclusive"], &["exclude", "exclusive"]),
    (&["true", "yes"], &["false", "no"]),
    (&["add"], &["remove"]),
    (&["open"], &["close"]),
    (&["lock"], &["unlock"]),
    (&["increase", "raise", "grow"], &["decrease", "lower", "reduce", "shrink"]),
    (&["first"], &["last"]),
    (&["minimum"], &["maximum"]),
    (&["global"], &["local"]),
    (&["automatic", "automatically", "auto"], &["manual", "manually", "hand"]),
    (&["eager", "eagerly"], &["lazy", "lazily"]),
    (&["strict"], &["lenient", "loose"]),
    (&["safe"], &["unsafe"]),
    (&["blocking"], &["nonblocking", "non-blocking"]),
    (&["sorted", "ordered"], &["unsorted", "unordered"]),
    (&["signed"], &["unsigned"]),
    (&["sequential", "sequentially", "serial"], &["parallel", "concurrent", "concurrently"]),
    (&["online"], &["offline"]),
    (&["tab"], &["space"]),
    (&["ascending"], &["descending"]),
    (&["sensitive"], &["insensitive"]),
    (&["support"], &["unsupported"]),
    (&["fast"], &["slow"]),
    (&["pass", "work", "succeed"], &["fail"]),
    (&["up"], &["down"]),
    (&["uppercase"], &["lowercase"]),
    (&["success"], &["failure"]),
    (&["stable", "reliable"], &["unstable", "flaky", "unreliable"]),
    (&["single"], &["double"]),
    (&["left"], &["right"]),
    (&["stateful"], &["stateless"]),
    (&["nullable"], &["nonnull", "non-null"]),
    (&["zero-based"], &["one-based"]),
];

const CATEGORIES: &[(&str, Side)] = &[
    (
        "database",
        &[
            "postgresql",
            "mysql",
            "mariadb",
            "sqlite",
            "mongodb",
            "oracle",
            "cockroachdb",
            "dynamodb",
            "cassandra",
        ],
    ),
    ("cache", &["redis", "memcached", "valkey"]),
    ("queue", &["rabbitmq", "kafka", "sqs", "nats", "celery", "sidekiq"]),
    (
        "test framework",
        &[
            "pytest", "unittest", "nose", "jest", "vitest", "mocha", "jasmine", "junit", "testng",
            "rspec", "minitest", "phpunit", "pest", "nextest",
        ],
    ),
    ("browser tests", &["playwright", "cypress", "selenium", "puppeteer"]),
    ("package manager", &["npm", "yarn", "pnpm", "bun", "pip", "poetry", "uv", "pipenv", "conda"]),
    (
        "language",
        &[
            "rust",
            "golang",
            "python",
            "java",
            "kotlin",
            "scala",
            "ruby",
            "php",
            "typescript",
            "javascript",
            "c",
            "c++",
            "swift",
            "elixir",
            "zig",
        ],
    ),
    (
        "web framework",
        &[
            "django", "flask", "fastapi", "express", "fastify", "rails", "laravel", "spring",
            "axum", "actix", "next.js", "nuxt", "remix",
        ],
    ),
    ("view library", &["react", "vue", "svelte", "angular", "preact"]),
    ("bundler", &["webpack", "vite", "rollup", "esbuild", "parcel", "turbopack"]),
    (
        "linter",
        &[
            "eslint",
            "biome",
            "oxlint",
            "ruff",
            "flake8",
            "pylint",
            "clippy",
            "rubocop",
            "golangci-lint",
        ],
    ),
    ("formatter", &["prettier", "black", "gofmt", "rustfmt", "yapf"]),
    ("build tool", &["gradle", "maven", "bazel", "cmake", "meson", "ninja", "buck"]),
    ("continuous integration", &["jenkins", "circleci", "travis", "buildkite"]),
    ("logger", &["log4j", "logback", "winston", "pino", "structlog", "loguru"]),
    ("data format", &["json", "yaml", "toml", "xml", "csv", "protobuf", "msgpack", "avro", "ini"]),
    ("interface", &["rest", "graphql", "grpc", "soap", "trpc"]),
    ("hash", &["md5", "sha1", "sha256", "blake3", "bcrypt", "argon2", "scrypt"]),
    ("encoding", &["utf-8", "utf8", "utf-16", "latin1", "ascii"]),
    ("container", &["docker", "podman", "containerd"]),
    ("cloud", &["aws", "gcp", "azure", "heroku"]),
    ("clock", &["utc", "gmt"]),
    ("weekday", &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    ("branch", &["main", "master", "trunk"]),
];
