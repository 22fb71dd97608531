//! The outer end of the proxy: connects to allowed hosts and to no others.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::bridge;
use crate::hosts::{HostList, split_port};

/// Most bytes of the head of a request.
const MOST_HEAD: u64 = 64 * 1024;

/// The time to connect to a host, and to send the head of a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// A proxy that listens on a socket in the file system until it is dropped.
#[derive(Debug)]
pub(crate) struct ProxyServer {
    socket: PathBuf,
    is_over: Arc<AtomicBool>,
}

impl ProxyServer {
    /// Starts the proxy. The socket must not exist.
    pub(crate) fn start(socket: PathBuf, hosts: HostList) -> io::Result<Self> {
        let listener = UnixListener::bind(&socket)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (ends, hosts) = (Arc::clone(&is_over), Arc::new(hosts));
        thread::Builder::new().name("proxy".into()).spawn(move || {
            for client in listener.incoming() {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(client), hosts) = (client, Arc::clone(&hosts)) else { continue };
                let serve = move || {
                    let _ = serve(&client, &hosts);
                };
                let _ = thread::Builder::new().name("proxied".into()).spawn(serve);
            }
        })?;
        Ok(Self { socket, is_over })
    }

    /// Returns the path of the socket.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }
}

impl Drop for ProxyServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The thread waits for a connection, and finds that it is over.
        let _ = UnixStream::connect(&self.socket);
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// The head of a request, as far as a proxy needs it.
#[derive(Debug, PartialEq, Eq)]
struct RequestHead {
    host: String,
    port: u16,
    /// What the host is sent first; empty for a tunnel.
    opening: Vec<u8>,
}

impl RequestHead {
    /// Parses the head: a tunnel (`CONNECT host:port`) or a request with a full
    /// address (`GET http://host/path`).
    fn parse(head: &str) -> Option<Self> {
        let (first, rest) = head.split_once("\r\n")?;
        let mut words = first.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if method == "CONNECT" {
            let (host, port) = split_port(target)?;
            return Some(Self { host: host.to_owned(), port: port?, opening: Vec::new() });
        }
        let address = target.strip_prefix("http://")?;
        let (place, path) = address.find('/').map_or((address, "/"), |at| address.split_at(at));
        // A name in front of the host would be a password.
        let (host, port) = split_port(place).filter(|_| !place.contains('@'))?;
        let is_kept = |line: &&str| {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            !line.is_empty() && name != "connection" && !name.starts_with("proxy-")
        };
        let mut opening = format!("{method} {path} {version}\r\n");
        for line in rest.split("\r\n").filter(is_kept) {
            opening.push_str(line);
            opening.push_str("\r\n");
        }
        // The next request may be for another host, so it needs a connection of its own.
        opening.push_str("Connection: close\r\n\r\n");
        Some(Self {
            host: host.to_owned(),
            port: port.unwrap_or(80),
            opening: opening.into_bytes(),
        })
    }
}

fn serve(client: &UnixStream, hosts: &HostList) -> io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(client.try_clone()?);
    let head = read_head(&mut reader)?;
    let Some(head) = RequestHead::parse(&head) else {
        return answer(client, "400 Bad Request", "this proxy takes no such request");
    };
    if !hosts.allows(&head.host, head.port) {
        let reason = format!("{} is not among the hosts of sandbox.hosts", head.host);
        return answer(client, "403 Forbidden", &reason);
    }
    let host = match connect(&head, hosts) {
        Ok(host) => host,
        Err(error) => return answer(client, "502 Bad Gateway", &error.to_string()),
    };
    client.set_read_timeout(None)?;
    if head.opening.is_empty() {
        (&*client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    } else {
        (&host).write_all(&head.opening)?;
    }
    // What came together with the head belongs to the host.
    let early = reader.buffer().to_vec();
    (&host).write_all(&early)?;
    bridge::join(&host, client)
}

fn read_head(reader: &mut impl BufRead) -> io::Result<String> {
    let mut head = Vec::new();
    let mut limited = reader.take(MOST_HEAD);
    while !head.ends_with(b"\r\n\r\n") {
        if limited.read_until(b'\n', &mut head)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    String::from_utf8(head).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn connect(head: &RequestHead, hosts: &HostList) -> io::Result<TcpStream> {
    let addresses = (head.host.as_str(), head.port).to_socket_addrs()?;
    let mut last = io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} leads into this machine or its network", head.host),
    );
    for address in addresses {
        if !hosts.accepts_address(&head.host, address.ip(), head.port) {
            continue;
        }
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(host) => return Ok(host),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn answer(client: &UnixStream, status: &str, reason: &str) -> io::Result<()> {
    let text = format!("ralph: {reason}\n");
    let length = text.len();
    write!(
        &*client,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    )
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_tunnel_and_a_request_with_a_full_address_are_understood() {
        let tunnel = RequestHead::parse("CONNECT [::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!((tunnel.host.as_str(), tunnel.port), ("::1", 443));
        let head = "GET http://a.com:81/x?y HTTP/1.1\r\nHost: a.com:81\r\nProxy-Connection: k\r\n\
                    Connection: keep-alive\r\nA: b\r\n\r\n";
        let plain = RequestHead::parse(head).unwrap();
        let want = "GET /x?y HTTP/1.1\r\nHost: a.com:81\r\nA: b\r\nConnection: close\r\n\r\n";
        assert_eq!(String::from_utf8(plain.opening).unwrap(), want);
        for wrong in ["GET /x HTTP/1.1\r\n\r\n", "CONNECT a.com HTTP/1.1\r\n\r\n", "x\r\n\r\n"] {
            assert_eq!(RequestHead::parse(wrong), None, "{wrong}");
        }
    }

    fn ask(proxy: &ProxyServer, request: &str) -> String {
        let mut client = UnixStream::connect(proxy.socket()).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn only_listed_hosts_are_reached() {
        let host = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = host.local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let hosts = HostList::parse(&[format!("127.0.0.1:{port}")]).unwrap();
        let proxy = ProxyServer::start(folder.path().join("socket"), hosts).unwrap();
        let answering = thread::spawn(move || {
            let (mut client, _) = host.accept().unwrap();
            let mut asked = [0; 4];
            client.read_exact(&mut asked).unwrap();
            client.write_all(b"pong").unwrap();
            asked
        });
        let answer = ask(&proxy, &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nping"));
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("pong"), "{answer}");
        assert_eq!(&answering.join().unwrap(), b"ping");
        let refused = ask(&proxy, "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n");
        assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
        let odd = ask(&proxy, "HELLO\r\n\r\n");
        assert!(odd.starts_with("HTTP/1.1 400"), "{odd}");
    }

    #[test]
    fn a_proxy_that_is_dropped_leaves_no_socket() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        drop(ProxyServer::start(socket.clone(), HostList::default()).unwrap());
        assert!(!socket.exists());
    }
}
