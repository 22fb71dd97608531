//! The consent that a host asks for before it runs a hook.
//!
//! The host keeps a fingerprint of each hook that the user trusts. It computes
//! them itself, so its own server is asked for them and told to keep them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::HookDialect;

/// Longest wait for an answer of the server.
const PATIENCE: Duration = Duration::from_secs(20);

/// An error while hooks were made trusted.
#[derive(Debug, thiserror::Error)]
pub enum HookTrustError {
    /// The server could not be started or spoken to.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It gave no answer in time.
    #[error("no answer within {} s", PATIENCE.as_secs())]
    Silent,
    /// It refused a request.
    #[error("{0}")]
    Refused(String),
}

/// Makes our hooks in a project trusted that are not; returns their number.
///
/// `command` starts the host, without arguments.
pub(crate) fn trust(
    dialect: &HookDialect,
    command: Command,
    root: &Path,
) -> Result<usize, HookTrustError> {
    let mut server = TrustServer::start(command)?;
    let client = json!({ "name": "ralph", "version": env!("CARGO_PKG_VERSION") });
    server.ask("initialize", &json!({ "clientInfo": client }))?;
    server.send(&json!({ "method": "initialized" }))?;
    let listed = server.ask("hooks/list", &json!({ "cwds": [root] }))?;
    let states = untrusted(dialect, &listed);
    if !states.is_empty() {
        let edit = json!({ "keyPath": "hooks.state", "value": states, "mergeStrategy": "upsert" });
        server.ask("config/batchWrite", &json!({ "edits": [edit], "reloadUserConfig": true }))?;
    }
    Ok(states.len())
}

/// Returns the fingerprints of our hooks that the user has not trusted yet.
fn untrusted(dialect: &HookDialect, listed: &Value) -> BTreeMap<String, Value> {
    let folders = listed["data"].as_array().into_iter().flatten();
    let hooks = folders.flat_map(|folder| folder["hooks"].as_array().into_iter().flatten());
    let mark = format!(" hook --agent {}", dialect.name);
    let is_ours = |hook: &&Value| {
        hook["command"].as_str().is_some_and(|line| line.contains(&mark))
            && hook["trustStatus"] != "trusted"
    };
    let state = |hook: &Value| {
        let key = hook["key"].as_str()?.to_owned();
        Some((key, json!({ "trusted_hash": hook["currentHash"].as_str()? })))
    };
    hooks.filter(is_ours).filter_map(state).collect()
}

/// The host's server. It ends when dropped.
struct TrustServer {
    child: Child,
    input: ChildStdin,
    lines: Receiver<io::Result<String>>,
    asked: u64,
}

impl TrustServer {
    fn start(mut command: Command) -> Result<Self, HookTrustError> {
        command.arg("app-server").stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(output).lines();
            while lines.next().is_some_and(|line| sender.send(line).is_ok()) {}
        });
        Ok(Self { child, input, lines, asked: 0 })
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.input, "{message}")?;
        self.input.flush()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, HookTrustError> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "id": id, "method": method, "params": params }))?;
        loop {
            let line = match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => return Err(HookTrustError::Silent),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(HookTrustError::Refused("it ended".to_owned()));
                }
            };
            let answer: Map<String, Value> = serde_json::from_str(&line).unwrap_or_default();
            if answer.get("id") != Some(&json!(id)) {
                continue;
            }
            return match answer.get("error") {
                Some(error) => Err(HookTrustError::Refused(
                    error["message"].as_str().unwrap_or("refused").to_owned(),
                )),
                None => Ok(answer.get("result").cloned().unwrap_or_default()),
            };
        }
    }
}

impl Drop for TrustServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::rows::CODEX;

    #[test]
    fn only_our_own_hooks_are_trusted_and_only_once() {
        let hook = |command: &str, status: &str| {
            json!({ "key": command, "command": command, "currentHash": "sha256:1",
                "trustStatus": status })
        };
        let ours = "/bin/ralph hook --agent codex --timeout=10";
        let listed = json!({ "data": [
            { "hooks": [hook(ours, "untrusted"), hook("evil.sh", "untrusted")] },
            { "hooks": [hook("ralph hook --agent codex", "trusted"), { "key": 7 }] },
        ] });
        let state = json!({ "trusted_hash": "sha256:1" });
        assert_eq!(untrusted(&CODEX, &listed), [(ours.to_owned(), state)].into());
        assert!(untrusted(&CODEX, &json!("odd")).is_empty());
    }

    #[test]
    fn a_server_that_ends_at_once_is_an_error() {
        assert!(trust(&CODEX, Command::new("/bin/true"), Path::new("/")).is_err());
        assert!(trust(&CODEX, Command::new("/nowhere/codex"), Path::new("/")).is_err());
    }
}
