//! The inner end of the proxy: a port that leads to a socket outside.

use std::io::{self, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

/// The variables by which programs find a proxy.
const VARIABLES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// The variables with hosts for which no proxy is used.
const EXCEPTIONS: &[&str] = &["NO_PROXY", "no_proxy"];

/// Starts the program with the proxy in its environment. Returns its exit code
/// when it ended.
#[cfg(unix)]
pub(crate) fn run(socket: &Path, mut program: Command) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;

    let started = listen(socket).and_then(|port| {
        let address = format!("http://127.0.0.1:{port}");
        for name in VARIABLES {
            program.env(name, &address).env(name.to_lowercase(), &address);
        }
        for name in EXCEPTIONS {
            program.env(name, "localhost,127.0.0.1,::1");
        }
        program.spawn()
    });
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            let name = program.get_program().display();
            let _ = writeln!(io::stderr(), "ralph: cannot start {name}: {error}");
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            return ExitCode::from(if is_missing { 127 } else { 126 });
        }
    };
    let Ok(status) = child.wait() else { return ExitCode::FAILURE };
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(not(unix))]
pub(crate) fn run(_socket: &Path, _program: Command) -> ExitCode {
    ExitCode::FAILURE
}

/// Opens a port and passes its connections on. Returns the port.
#[cfg(unix)]
fn listen(socket: &Path) -> io::Result<u16> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // The program gets these too, and we end after it.
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let socket: PathBuf = socket.to_owned();
    thread::Builder::new().name("bridge".into()).spawn(move || {
        for connection in listener.incoming().filter_map(Result::ok) {
            let socket = socket.clone();
            let pass = move || {
                if let Ok(outside) = std::os::unix::net::UnixStream::connect(&socket) {
                    let _ = join(&connection, &outside);
                }
            };
            let _ = thread::Builder::new().name("connection".into()).spawn(pass);
        }
    })?;
    Ok(port)
}

/// Passes bytes between a connection and a socket, in both directions.
#[cfg(unix)]
pub(crate) fn join(
    connection: &TcpStream,
    socket: &std::os::unix::net::UnixStream,
) -> io::Result<()> {
    let (mut from, mut to) = (connection.try_clone()?, socket.try_clone()?);
    let forth = thread::Builder::new().name("forth".into()).spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    })?;
    let _ = io::copy(&mut &*socket, &mut &*connection);
    let _ = connection.shutdown(Shutdown::Write);
    let _ = forth.join();
    Ok(())
}
