//! The settings of the sandbox, and the table of all settings.

use super::keys::{COMMON, SettingKey, key};
use super::sandbox::SandboxMode;
use super::value::SettingKind;

/// The table of all settings.
pub const KEYS: &[SettingKey] = &joined();

const SANDBOX: &[SettingKey] = &[
    key(
        "sandbox.mode",
        "RALPH_SANDBOX",
        SettingKind::Choice(SandboxMode::NAMES),
        "off",
        "The sandbox of agents: none, what this machine can enforce, or a whole one or no start",
    ),
    key(
        "sandbox.gates",
        "RALPH_SANDBOX_GATES",
        SettingKind::Choice(SandboxMode::NAMES),
        "as sandbox.mode",
        "The sandbox of gates",
    ),
    key(
        "sandbox.technique",
        "RALPH_SANDBOX_TECHNIQUE",
        SettingKind::Choice(&["best", "landlock"]),
        "best",
        "How it is enforced: bubblewrap where it works, else landlock; or landlock alone",
    ),
    key(
        "sandbox.network",
        "RALPH_SANDBOX_NETWORK",
        SettingKind::Choice(&["on", "off", "hosts"]),
        "on; hosts if sandbox.hosts is set",
        "The network of a sandbox: all, none, or the hosts of sandbox.hosts",
    ),
    key(
        "sandbox.gates_network",
        "RALPH_SANDBOX_GATES_NETWORK",
        SettingKind::Choice(&["on", "off", "hosts"]),
        "as sandbox.network",
        "The network of the gates' sandbox",
    ),
    key(
        "sandbox.hosts",
        "RALPH_SANDBOX_HOSTS",
        SettingKind::List,
        "none",
        "Hosts that a program in the sandbox may reach, such as `crates.io`, `*.npmjs.org` or `10.0.0.1:8080`",
    ),
    key(
        "sandbox.caches",
        "RALPH_SANDBOX_CACHES",
        SettingKind::List,
        "cargo, npm, pip, go",
        "Caches that stay writable",
    ),
    key(
        "sandbox.write",
        "RALPH_SANDBOX_WRITE",
        SettingKind::List,
        "none",
        "Further places that can be written to; `~/` is the home folder",
    ),
    key(
        "sandbox.read",
        "RALPH_SANDBOX_READ",
        SettingKind::List,
        "none",
        "Places that can be read although the sandbox hides them",
    ),
    key(
        "sandbox.hide",
        "RALPH_SANDBOX_HIDE",
        SettingKind::List,
        "none",
        "Further places that are hidden",
    ),
];

const fn joined() -> [SettingKey; COMMON.len() + SANDBOX.len()] {
    let mut all = [COMMON[0]; COMMON.len() + SANDBOX.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] =
            if index < COMMON.len() { COMMON[index] } else { SANDBOX[index - COMMON.len()] };
        index += 1;
    }
    all
}
