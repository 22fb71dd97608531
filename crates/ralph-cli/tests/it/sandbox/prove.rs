//! The whole corpus, other users, and real tools.

use std::collections::BTreeSet;
use std::process::Command;

use super::escapes::ESCAPES;
use super::world::EscapeWorld;

/// The documentation, with the list of what landlock alone cannot deny.
const MANUAL: &str = include_str!("../../../../../docs/concepts/sandbox.md");

/// A user without rights.
const NOBODY: u32 = 65534;

/// Returns the guarantees that the manual says landlock alone does not keep.
fn admitted() -> BTreeSet<&'static str> {
    let list = MANUAL.split("## What landlock alone cannot deny").nth(1).unwrap();
    let list = list.split("\n## ").next().unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let rows = list.lines().filter(|line| is_root || !line.contains("as root only"));
    rows.filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

fn guarantee(broken: &str) -> &str {
    broken.split(':').next().unwrap()
}

#[test]
fn there_are_sixty_escapes_and_bubblewrap_denies_all() {
    assert!(ESCAPES.len() >= 60, "{}", ESCAPES.len());
    assert_eq!(EscapeWorld::new().broken(&[], |_| true), [""; 0]);
}

#[test]
fn landlock_alone_denies_all_but_what_the_manual_lists() {
    let broken = EscapeWorld::new().broken(&["--technique", "landlock"], |_| true);
    let guarantees: BTreeSet<&str> = broken.iter().map(|line| guarantee(line)).collect();
    assert_eq!(guarantees, admitted(), "{broken:#?}");
}

#[test]
fn the_settings_say_the_same_as_the_manual() {
    let world = EscapeWorld::new();
    let args = ["sandbox", "show", "--json", "--technique", "landlock", "--network", "off"];
    let shown = world.ralph(&args).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    let lacks: BTreeSet<&str> =
        shown["lacks"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(lacks, admitted());
}

#[test]
fn without_user_namespaces_landlock_is_used_and_a_whole_sandbox_refused() {
    let world = EscapeWorld::new();
    let binary = env!("CARGO_BIN_EXE_ralph");
    let forbidden = |words: &str| {
        let script = format!("echo 0 > /proc/sys/user/max_user_namespaces; exec {binary} {words}");
        let call = world.ralph(&[]);
        let mut command = Command::new("unshare");
        command.args(["-Ur", "sh", "-c", &script]).current_dir(world.work()).env_clear();
        command.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.output().unwrap()
    };
    let shown = forbidden("sandbox show --json");
    let json: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
    assert_eq!(json["technique"], "landlock", "{shown:?}");
    let refused = forbidden("check --sandbox=require");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("a whole sandbox is required: sandbox: landlock ("), "{said}");
}

#[test]
fn an_ordinary_user_has_the_same_sandbox() {
    if rustix::process::geteuid().is_root() {
        let world = EscapeWorld::of_user(NOBODY);
        assert_eq!(world.broken(&[], |_| true), [""; 0]);
    }
}

#[test]
fn git_python_node_rust_and_go_work_inside() {
    for technique in ["best", "landlock"] {
        let world = EscapeWorld::new();
        let works = |what: &str, script: &str| {
            let mut call = world.sandbox(&["--technique", technique], script);
            // Where the toolchains of Rust are, if rustup installed them.
            let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
            let rustup = std::env::var_os("RUSTUP_HOME").map(Into::into);
            let rustup = rustup.or_else(|| Some(home?.join(".rustup")));
            let ended = call.envs(rustup.map(|path| ("RUSTUP_HOME", path))).output().unwrap();
            assert!(ended.status.success(), "{technique}: {what}: {ended:?}");
        };
        works(
            "git",
            "git checkout -q -b topic && echo x > x && git add -A && git commit -q -m x && git stash list && git checkout -q -",
        );
        works(
            "pytest",
            "echo 'def test_a(tmp_path): (tmp_path / \"a\").write_text(\"a\")' > test_a.py && pytest -q test_a.py",
        );
        works(
            "npm",
            "echo '{\"name\": \"a\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node -e 1\"}}' > package.json && npm test --silent && npm install --offline --silent",
        );
        works(
            "go",
            "mkdir -p g && cd g && printf 'module a\\n' > go.mod && printf 'package a\\nimport \"testing\"\\nfunc TestA(t *testing.T) { t.TempDir() }\\n' > a_test.go && go test ./...",
        );
        works(
            "cargo",
            "mkdir -p c/src && cd c && printf '[package]\nname = \"a\"\nedition = \"2021\"\n[workspace]\n' > Cargo.toml && printf '#[test]\nfn a() {}\n' > src/lib.rs && cargo test -q --offline",
        );
    }
}
