//! Runs tests without any network but the loopback.

use std::any::type_name;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{env, thread};

/// Maximum time of an isolated test. Only one that hangs takes that long.
const PATIENCE: Duration = Duration::from_mins(5);

/// Variable that tells the inner process how it is isolated.
const INSIDE: &str = "RALPH_TESTKIT_ISOLATED";

/// Brings the loopback up, then runs the test as a child: the shell adopts
/// orphans and, unlike a test, collects dead processes.
const SCRIPT: &str =
    "PATH=\"$PATH:/usr/sbin:/sbin\"; ip link set lo up || exit 125; \"$0\" \"$@\"; exit $?";

/// Options of `unshare` for a network of one's own, the best first. With its
/// own process ids, no process that a test starts outlives it.
const WAYS: &[&[&str]] = &[
    &["--net", "--pid", "--fork", "--kill-child", "--mount-proc"],
    &["--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"],
    &["--net"],
    &["--map-root-user", "--net"],
];

/// Runs a test where no network but the loopback exists.
///
/// The test is executed again in namespaces of its own, so that its servers
/// and all it starts share one network. It must be the whole body of a
/// `#[test]`, which is found by the name of its closure. A machine without
/// namespaces runs it with a proxy that refuses everything, and says so.
#[track_caller]
pub fn isolated<F: FnOnce()>(test: F) {
    if env::var_os(INSIDE).is_some() {
        return test();
    }
    let name = test_name(type_name::<F>());
    let (status, said) = execute(&name);
    let said = String::from_utf8_lossy(&said);
    assert!(status.is_some(), "{name} did not end within {PATIENCE:?}:\n{said}");
    assert!(status.is_some_and(|status| status.success()), "{said}");
    assert!(said.contains("test result: ok. 1 passed"), "{name} did not run:\n{said}");
}

/// Returns proxy variables for programs if the network is not closed: all
/// traffic beyond this machine goes to a port without a listener.
pub(crate) fn proxy() -> Vec<(&'static str, &'static str)> {
    if env::var(INSIDE).is_ok_and(|how| how == "namespace") {
        return Vec::new();
    }
    let nowhere = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"];
    let here = ["NO_PROXY", "no_proxy"].map(|name| (name, "127.0.0.1,localhost"));
    nowhere.map(|name| (name, "http://127.0.0.1:9")).into_iter().chain(here).collect()
}

/// Returns the name of the test whose body is this closure, without the crate.
fn test_name(closure: &str) -> String {
    let function = closure.trim_end_matches("::{{closure}}");
    function.split_once("::").map_or(function, |(_, name)| name).to_owned()
}

/// Executes one test of this program. No status means that it did not end.
fn execute(name: &str) -> (Option<ExitStatus>, Vec<u8>) {
    let way = way();
    let mut command = if way.is_empty() { Command::new("env") } else { Command::new("unshare") };
    if way.is_empty() {
        command.arg(format!("{INSIDE}=proxy"));
    } else {
        command.args(way).args(["sh", "-c", SCRIPT]).env(INSIDE, "namespace");
    }
    command.arg(env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    let (mut reader, writer) = std::io::pipe().unwrap();
    command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    // The command holds write ends of the pipe, which would never reach its
    // end.
    drop(command);
    let (done, ended) = channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let _ = reader.read_to_end(&mut said);
        let _ = done.send(said);
    });
    match ended.recv_timeout(PATIENCE) {
        Ok(said) => (child.wait().ok(), said),
        Err(_) => (None, end(&mut child)),
    }
}

/// Kills it, and with it everything in its namespaces.
fn end(child: &mut Child) -> Vec<u8> {
    let _ = child.kill();
    let _ = child.wait();
    b"killed".to_vec()
}

/// Returns the best options that this machine allows; empty if there are none.
fn way() -> &'static [&'static str] {
    static WAY: OnceLock<&[&str]> = OnceLock::new();
    WAY.get_or_init(|| {
        let way = WAYS.iter().copied().find(|way| {
            let words = way.iter().copied().chain(["sh", "-c", SCRIPT, "true"]);
            let words: Vec<OsString> = words.map(OsString::from).collect();
            let quiet = Command::new("unshare").args(words).stderr(Stdio::null()).status();
            quiet.is_ok_and(|status| status.success())
        });
        way.unwrap_or_else(|| {
            // Bypasses the test runner's capture: it concerns every test.
            let note = "no namespaces here: a proxy that refuses everything isolates the tests";
            let _ = writeln!(std::io::stderr(), "{note}");
            &[]
        })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn an_isolated_test_reaches_its_own_servers_and_nothing_else() {
        isolated(|| {
            let server = TcpListener::bind("127.0.0.1:0").unwrap();
            assert!(TcpStream::connect(server.local_addr().unwrap()).is_ok());
            // After the header line, a private network has no route.
            let routes = fs::read_to_string("/proc/self/net/route").unwrap_or_default();
            assert!(routes.lines().count() <= 1 || !proxy().is_empty(), "{routes}");
        });
    }

    #[test]
    fn a_process_that_an_isolated_test_forgets_ends_with_it() {
        // It would keep the pipe to the outer test open beyond that test's
        // patience.
        if way().contains(&"--pid") || env::var_os(INSIDE).is_some() {
            isolated(|| assert!(Command::new("sleep").arg("1000").spawn().is_ok()));
        }
    }

    #[test]
    fn a_test_that_does_not_exist_is_no_success() {
        let (status, said) = execute("isolation::tests::a_name_without_a_test");
        let said = String::from_utf8_lossy(&said);
        assert!(status.is_some_and(|status| status.success()) && !said.contains("1 passed"));
    }

    #[test]
    fn the_name_of_a_test_is_found_in_that_of_its_closure() {
        assert_eq!(test_name("cli::loops::it_ends::{{closure}}"), "loops::it_ends");
        assert_eq!(test_name("cli::it_ends::{{closure}}"), "it_ends");
    }
}
